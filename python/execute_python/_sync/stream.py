# Made from `_async/stream.py` by `python/make-sync`: change that file, not this one.
"""The events of a run as they happen, and the answers that it waits for."""

from __future__ import annotations

from collections.abc import Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx
from typing_extensions import Self

from .. import models
from .._core import options as asked
from .._core import wire
from .._core.options import RunOptions
from .._core.schema import NotThatType
from .._core.tools import failed, gave
from ..errors import ConnectionFailed, NotFound, RequestRefused
from . import how
from .service import Service, lost

if TYPE_CHECKING:
    from .session import Session


class Stream:
    """The events of a run as they happen. Tools and `on_input` are answered while it is iterated."""

    def __init__(
        self, service: Service, session: Session | None, code: str, options: RunOptions
    ) -> None:
        tools = asked.tools_of(options)
        self._service = service
        self._session = session
        self._code = code
        self._body = asked.run_body(code, options, tools)
        self._options = options
        self._tools = {tool.name: tool for tool in (*(session.tools if session else ()), *tools)}
        self._events = self._follow()
        self._outcome: models.Outcome | None = None
        self._run = ""

    @property
    def run_id(self) -> str:
        """The run, as `run_…`; empty until it has started."""
        return self._run

    @property
    def outcome(self) -> models.Outcome:
        """How the run ended; there is one when there are no more events."""
        if self._outcome is None:
            raise RuntimeError("the run is not over: take its events first, or call `finish`")
        return self._outcome

    def finish(self) -> models.Outcome:
        """Waits for the end of the run."""
        for _ in self:
            pass
        return self.outcome

    def cancel(self) -> None:
        """Cancels the run; its outcome still comes."""
        self._service.ask(wire.cancel(self._run))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._events.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> models.Event:
        return self._events.__next__()

    def _follow(self) -> Generator[models.Event, None, None]:
        session = self._session.open() if self._session else None
        response = self._service.send(wire.run(session, self._body))
        keep = self._session.recorder.begin(self._code) if self._session else None
        lines = wire.Lines()
        under_way = how.UnderWay()
        try:
            for content in response.iter_bytes():
                under_way.check()
                for line in lines.take(content):
                    event = wire.event(line)
                    if event is None:
                        continue
                    if keep:
                        keep(event)
                    self._note(event)
                    yield event
                    if isinstance(event, models.ToolCalled):
                        under_way.begin(self._answer_tool(event))
                    if isinstance(event, models.InputRequested):
                        self._answer_input(event)
        except httpx.HTTPError as error:
            if self._outcome is None:
                raise lost(error) from error
        finally:
            under_way.end()
            response.close()
        if self._outcome is None:
            raise ConnectionFailed("the service was lost before the run was over")

    def _note(self, event: models.Event) -> None:
        """Takes note of an event, and tells who wants to know."""
        options = self._options
        if isinstance(event, models.Started):
            self._run = event.id
        if isinstance(event, models.Finished):
            self._outcome = event.outcome
        if "on_event" in options:
            how.tell(options["on_event"], event)
        if isinstance(event, models.Stdout) and "on_stdout" in options:
            how.tell(options["on_stdout"], event.text)
        if isinstance(event, models.Stderr) and "on_stderr" in options:
            how.tell(options["on_stderr"], event.text)
        if isinstance(event, models.Displayed) and "on_display" in options:
            how.tell(options["on_display"], event.display)

    def _answer_input(self, event: models.InputRequested) -> None:
        if "on_input" in self._options:
            ask = self._options["on_input"]
            if event.password:
                ask = self._options.get("on_password", ask)
            line = how.call(ask, event.prompt)
            self._reply(wire.answer_input(self._run, event.id, line))

    def _answer_tool(self, event: models.ToolCalled) -> None:
        answer = self._call(event)
        try:
            self._reply(wire.answer_tool(self._run, event.id, answer))
        except RequestRefused as error:
            # Such as a result that is too large. Without any answer the program would wait for ever.
            self._reply(wire.answer_tool(self._run, event.id, failed(error)))

    def _call(self, event: models.ToolCalled) -> dict[str, Any]:
        """Calls the function that the program asks for; its failure is an answer too."""
        tool = self._tools.get(event.name)
        if tool is None:
            return failed(LookupError(f"there is no tool `{event.name}` here"))
        try:
            arguments = tool.arguments(event.arguments)
        except NotThatType as error:
            return failed(TypeError(str(error)))
        try:
            return gave(how.call(tool.function, **arguments))
        except Exception as error:
            return failed(error)

    def _reply(self, call: wire.Call[None]) -> None:
        """Tells the run something. One that has ended meanwhile, by its time, need not know."""
        try:
            self._service.ask(call)
        except NotFound:
            pass
