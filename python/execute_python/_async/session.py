"""Sessions: runs that share one live interpreter, its variables and its files."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from typing_extensions import Self, Unpack

from .. import models
from .._core import options as asked
from .._core import wire
from .._core.notebook import Recorder
from .._core.options import RunOptions, SessionOptions
from ..errors import NotFound
from . import how
from .service import AsyncService
from .stream import AsyncStream


class AsyncSession:
    """Runs that share one live interpreter. It is opened by its block, or by its first use."""

    def __init__(
        self, service: AsyncService, info: models.SessionInfo | None, options: SessionOptions
    ) -> None:
        self._service = service
        self._options = options
        self._info = info
        self.tools = asked.tools_of(options)
        self.recorder = Recorder()
        self.files = AsyncFiles(self, service)

    @property
    def id(self) -> str:
        """The session, as `ses_…`; empty until it is opened."""
        return self._info.id if self._info else ""

    async def open(self) -> str:
        """Opens it, unless it is open; gives its id."""
        if self._info is None:
            body = asked.session_body(self._options, self.tools)
            self._info = await self._service.ask(wire.open_session(body))
        return self._info.id

    async def info(self) -> models.SessionInfo:
        """What the service knows of it now."""
        return await self._service.ask(wire.session_info(await self.open()))

    async def run(self, code: str, **options: Unpack[RunOptions]) -> models.Outcome:
        """Runs code and waits for its outcome. Variables and files stay for the next run."""
        async with self.stream(code, **options) as stream:
            return await stream.finish()

    def stream(self, code: str, **options: Unpack[RunOptions]) -> AsyncStream:
        """Runs code and gives its events as they happen. Leaving the block early cancels the run."""
        return AsyncStream(self._service, self, code, options)

    async def interrupt(self) -> None:
        """Raises `KeyboardInterrupt` in the run that goes on."""
        await self._service.ask(wire.interrupt(await self.open()))

    async def checkpoint(self, name: str | None = None) -> models.Checkpoint:
        """Keeps the present state, to return to."""
        return await self._service.ask(wire.checkpoint(await self.open(), name))

    async def checkpoints(self) -> tuple[models.Checkpoint, ...]:
        """The states that it can return to, the oldest first."""
        return await self._service.ask(wire.checkpoints(await self.open()))

    async def difference(self, checkpoint: str) -> models.Difference:
        """What is different between a checkpoint and now."""
        return await self._service.ask(wire.difference(await self.open(), checkpoint))

    async def rewind(self, to: str) -> models.SessionState:
        """Returns to a checkpoint, by id or name, or to the state after a run, by its id."""
        return await self._service.ask(wire.rewind(await self.open(), to))

    async def fork(self, count: int = 1) -> list[AsyncSession]:
        """Copies of the session as it is now, each with a life of its own."""
        forks = await self._service.ask(wire.fork(await self.open(), count))
        return [AsyncSession(self._service, info, self._options) for info in forks]

    async def adopt(self, branch: AsyncSession) -> None:
        """Makes the state of a fork that of this session; the fork is no more."""
        await self._service.ask(wire.adopt(await self.open(), await branch.open()))

    async def variables(self) -> tuple[models.Variable, ...]:
        """The variables, as the guest tells them."""
        return await self._service.ask(wire.variables(await self.open()))

    def notebook(self) -> dict[str, Any]:
        """What was run through this object, as a notebook (nbformat 4.5)."""
        return self.recorder.notebook(self._info.python if self._info else "")

    async def aclose(self) -> None:
        """Closes it: its variables and its files are no more."""
        if self._info is None:
            return
        try:
            await self._service.ask(wire.close_session(self._info.id))
        except NotFound:
            pass  # It was closed by its time, or by somebody else.

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


class AsyncFiles:
    """The files in the work folder of a session."""

    def __init__(self, session: AsyncSession, service: AsyncService) -> None:
        self._session = session
        self._service = service

    async def list(self) -> tuple[models.FileInfo, ...]:
        """All of them, in the order of their paths."""
        return await self._service.ask(wire.session_files(await self._session.open()))

    async def read(self, path: str) -> bytes:
        """The content of a file."""
        return await self._service.ask(wire.read_file(await self._session.open(), path))

    async def write(self, path: str, content: bytes | str) -> None:
        """Puts a file there; text is written as UTF-8."""
        raw = content.encode() if isinstance(content, str) else content
        await self._service.ask(wire.write_file(await self._session.open(), path, raw))

    async def put(self, file: str | Path, path: str | None = None) -> None:
        """Puts a file of this machine there, under its own name unless another is given."""
        place = Path(file)
        await self.write(path or place.name, await how.in_thread(place.read_bytes))

    async def remove(self, path: str) -> None:
        """Removes a file."""
        await self._service.ask(wire.remove_file(await self._session.open(), path))

    async def zip(self) -> bytes:
        """All of them, as a zip."""
        return await self._service.ask(wire.session_zip(await self._session.open()))
