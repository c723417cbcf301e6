# Made from `_async/session.py` by `python/make-sync`: change that file, not this one.
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
from .service import Service
from .stream import Stream


class Session:
    """Runs that share one live interpreter. It is opened by its block, or by its first use."""

    def __init__(
        self, service: Service, info: models.SessionInfo | None, options: SessionOptions
    ) -> None:
        self._service = service
        self._options = options
        self._info = info
        self.tools = asked.tools_of(options)
        self.recorder = Recorder()
        self.files = Files(self, service)

    @property
    def id(self) -> str:
        """The session, as `ses_…`; empty until it is opened."""
        return self._info.id if self._info else ""

    def open(self) -> str:
        """Opens it, unless it is open; gives its id."""
        if self._info is None:
            body = asked.session_body(self._options, self.tools)
            self._info = self._service.ask(wire.open_session(body))
        return self._info.id

    def info(self) -> models.SessionInfo:
        """What the service knows of it now."""
        return self._service.ask(wire.session_info(self.open()))

    def run(self, code: str, **options: Unpack[RunOptions]) -> models.Outcome:
        """Runs code and waits for its outcome. Variables and files stay for the next run."""
        with self.stream(code, **options) as stream:
            return stream.finish()

    def stream(self, code: str, **options: Unpack[RunOptions]) -> Stream:
        """Runs code and gives its events as they happen. Leaving the block early cancels the run."""
        return Stream(self._service, self, code, options)

    def interrupt(self) -> None:
        """Raises `KeyboardInterrupt` in the run that goes on."""
        self._service.ask(wire.interrupt(self.open()))

    def checkpoint(self, name: str | None = None) -> models.Checkpoint:
        """Keeps the present state, to return to."""
        return self._service.ask(wire.checkpoint(self.open(), name))

    def checkpoints(self) -> tuple[models.Checkpoint, ...]:
        """The states that it can return to, the oldest first."""
        return self._service.ask(wire.checkpoints(self.open()))

    def difference(self, checkpoint: str) -> models.Difference:
        """What is different between a checkpoint and now."""
        return self._service.ask(wire.difference(self.open(), checkpoint))

    def rewind(self, to: str) -> models.SessionState:
        """Returns to a checkpoint, by id or name, or to the state after a run, by its id."""
        return self._service.ask(wire.rewind(self.open(), to))

    def fork(self, count: int = 1) -> list[Session]:
        """Copies of the session as it is now, each with a life of its own."""
        forks = self._service.ask(wire.fork(self.open(), count))
        return [Session(self._service, info, self._options) for info in forks]

    def adopt(self, branch: Session) -> None:
        """Makes the state of a fork that of this session; the fork is no more."""
        self._service.ask(wire.adopt(self.open(), branch.open()))

    def variables(self) -> tuple[models.Variable, ...]:
        """The variables, as the guest tells them."""
        return self._service.ask(wire.variables(self.open()))

    def notebook(self) -> dict[str, Any]:
        """What was run through this object, as a notebook (nbformat 4.5)."""
        return self.recorder.notebook(self._info.python if self._info else "")

    def close(self) -> None:
        """Closes it: its variables and its files are no more."""
        if self._info is None:
            return
        try:
            self._service.ask(wire.close_session(self._info.id))
        except NotFound:
            pass  # It was closed by its time, or by somebody else.

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class Files:
    """The files in the work folder of a session."""

    def __init__(self, session: Session, service: Service) -> None:
        self._session = session
        self._service = service

    def list(self) -> tuple[models.FileInfo, ...]:
        """All of them, in the order of their paths."""
        return self._service.ask(wire.session_files(self._session.open()))

    def read(self, path: str) -> bytes:
        """The content of a file."""
        return self._service.ask(wire.read_file(self._session.open(), path))

    def write(self, path: str, content: bytes | str) -> None:
        """Puts a file there; text is written as UTF-8."""
        raw = content.encode() if isinstance(content, str) else content
        self._service.ask(wire.write_file(self._session.open(), path, raw))

    def put(self, file: str | Path, path: str | None = None) -> None:
        """Puts a file of this machine there, under its own name unless another is given."""
        place = Path(file)
        self.write(path or place.name, how.in_thread(place.read_bytes))

    def remove(self, path: str) -> None:
        """Removes a file."""
        self._service.ask(wire.remove_file(self._session.open(), path))

    def zip(self) -> bytes:
        """All of them, as a zip."""
        return self._service.ask(wire.session_zip(self._session.open()))
