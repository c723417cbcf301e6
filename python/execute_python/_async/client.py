"""The client: runs, sessions and files."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import httpx
from typing_extensions import Self, Unpack

from .. import models
from .._core import options as asked
from .._core import wire
from .._core.options import RunOptions, SessionOptions, SubmitOptions
from . import how
from .background import AsyncBackgroundRun
from .service import AsyncService
from .session import AsyncSession
from .stream import AsyncStream


class AsyncClient:
    """Runs Python in the sandbox, on this machine or on a service.

    Without `base_url` and without the environment variable `EXECUTE_PYTHON_URL` it starts an engine on this
    machine, which all clients of the program share and which ends with the program.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        key: str | None = None,
        timeout: float = 150.0,
        retries: int = 2,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`timeout` is how many seconds a service may say nothing; a run that goes on says something."""
        self._service = AsyncService(base_url, key, timeout, retries, transport)

    async def run(self, code: str, **options: Unpack[RunOptions]) -> models.Outcome:
        """Runs code and waits for its outcome. An exception in the code is a value of the outcome."""
        async with self.stream(code, **options) as stream:
            return await stream.finish()

    def stream(self, code: str, **options: Unpack[RunOptions]) -> AsyncStream:
        """Runs code and gives its events as they happen. Leaving the block early cancels the run."""
        return AsyncStream(self._service, None, code, options)

    async def submit(self, code: str, **options: Unpack[SubmitOptions]) -> AsyncBackgroundRun:
        """Runs code in the background: it goes on when this program ends, if the service does."""
        body = asked.run_body(code, options, [])
        state = await self._service.ask(wire.submit(body))
        return AsyncBackgroundRun(self._service, state.id)

    def background(self, id: str) -> AsyncBackgroundRun:
        """A run in the background that was submitted before."""
        return AsyncBackgroundRun(self._service, id)

    def session(self, **options: Unpack[SessionOptions]) -> AsyncSession:
        """A session, which is opened by its block, or by its first use."""
        return AsyncSession(self._service, None, options)

    async def attach(self, id: str, **options: Unpack[SessionOptions]) -> AsyncSession:
        """A session that is open already; of the options only `tools` has a meaning."""
        info = await self._service.ask(wire.session_info(id))
        return AsyncSession(self._service, info, options)

    async def sessions(self) -> tuple[models.SessionInfo, ...]:
        """The sessions that are open."""
        return await self._service.ask(wire.sessions())

    async def upload(self, file: str | Path | bytes, name: str | None = None) -> models.StoredFile:
        """Gives the service a file to keep, for the `files` of many runs."""
        if isinstance(file, bytes):
            return await self._service.ask(wire.upload(name or "file", file))
        path = Path(file)
        content = await how.in_thread(path.read_bytes)
        return await self._service.ask(wire.upload(name or path.name, content))

    async def stored_files(self) -> tuple[models.StoredFile, ...]:
        """The files that the service keeps."""
        return await self._service.ask(wire.stored_files())

    async def remove_stored_file(self, id: str) -> None:
        """Removes a file that the service keeps."""
        await self._service.ask(wire.remove_stored_file(id))

    async def read_artifact(self, artifact: models.Artifact) -> bytes:
        """The content of an artifact, from the outcome or from the service."""
        if artifact.content is not None or artifact.id is None:
            return artifact.read()
        return await self._service.ask(wire.artifact(artifact.id))

    async def aclose(self) -> None:
        """Closes the connections. The engine on this machine stays, for other clients."""
        await self._service.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
