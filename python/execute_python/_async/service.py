"""The connection to a service, or to the engine on this machine."""

from __future__ import annotations

import os
import threading
from typing import Any, TypeVar

import httpx

from .._core import local, wire
from ..errors import ConnectionFailed, RequestRefused
from . import how

T = TypeVar("T")

_LONGEST_PATIENCE = 10.0
"""When a service says to come back later than in so many seconds, the caller is told instead."""


class AsyncService:
    """Carries calls out."""

    def __init__(
        self,
        base_url: str | None,
        key: str | None,
        timeout: float,
        retries: int,
        transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        self._base_url = base_url or os.environ.get("EXECUTE_PYTHON_URL") or None
        self._key = key or os.environ.get("EXECUTE_PYTHON_KEY") or None
        self._timeout = timeout
        self._retries = retries
        self._transport = transport
        self._http: httpx.AsyncClient | None = None
        self._engine: local.LocalEngine | None = None
        self._lock = threading.Lock()

    async def ask(self, call: wire.Call[T]) -> T:
        """Carries a call out and reads its answer."""
        response = await self.send(call)
        try:
            return call.read(await response.aread())
        except httpx.HTTPError as error:
            raise lost(error) from error
        finally:
            await response.aclose()

    async def send(self, call: wire.Call[Any]) -> httpx.Response:
        """Sends a call; gives the answer when it begins, if it is a success."""
        attempt = 0
        while True:
            attempt += 1
            refused = await self._attempt(call)
            if isinstance(refused, httpx.Response):
                return refused
            patience, error = refused
            if attempt > self._retries or patience is None:
                raise error
            await how.sleep(patience)

    async def _attempt(self, call: wire.Call[Any]) -> httpx.Response | tuple[float | None, Exception]:
        """One attempt; gives the error and when to try again, where that makes sense."""
        http = await self._connected()
        request = http.build_request(call.method, call.path, content=call.body, headers=dict(call.headers))
        try:
            response = await http.send(request, stream=True)
        except httpx.ConnectError as error:
            return 0.2, ConnectionFailed(f"cannot reach {http.base_url}: {error}")
        except httpx.HTTPError as error:
            raise lost(error) from error
        if response.is_success:
            return response
        return _patience(response), await _refusal(response)

    async def aclose(self) -> None:
        """Closes the connections."""
        http, self._http = self._http, None
        if http:
            await http.aclose()

    async def _connected(self) -> httpx.AsyncClient:
        engine = None if self._base_url else await how.in_thread(local.engine)
        with self._lock:
            if self._http and engine is self._engine:
                return self._http
            old, self._engine, self._http = self._http, engine, self._connect(engine)
            http = self._http
        if old:
            await old.aclose()
        return http

    def _connect(self, engine: local.LocalEngine | None) -> httpx.AsyncClient:
        url, key = (engine.url, engine.key) if engine else (self._base_url or "", self._key)
        # Nothing lies between an engine on this machine and us that could lose a connection in silence.
        silence = None if engine else self._timeout
        return httpx.AsyncClient(
            base_url=url,
            headers={"authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(silence, connect=10.0, pool=None),
            # A run that waits for a tool holds its connection while the answer takes another one.
            limits=httpx.Limits(max_connections=None),
            trust_env=engine is None,
            transport=self._transport,
        )


def lost(error: httpx.HTTPError) -> ConnectionFailed:
    """The error for a connection that is no more."""
    return ConnectionFailed(f"the service was lost: {error or type(error).__name__}")


def _patience(response: httpx.Response) -> float | None:
    wait = response.headers.get("retry-after", "")
    seconds = float(wait) if wait.isdigit() else None
    return seconds if seconds is not None and seconds <= _LONGEST_PATIENCE else None


async def _refusal(response: httpx.Response) -> RequestRefused:
    try:
        content = await response.aread()
    except httpx.HTTPError as error:
        raise lost(error) from error
    finally:
        await response.aclose()
    return wire.refused(response.status_code, response.reason_phrase, content)
