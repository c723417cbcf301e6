"""What can be asked of a run and of a session, written down once for all ways to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict

from ..models import Action, Category, Event, MimeBundle, Policy
from . import wire
from .tools import Tool, as_tools
from .wire import Files, LimitsRequest

Tools = Sequence[Callable[..., Any] | Tool]


class AskOptions(TypedDict, total=False):
    """What can be asked of any run."""

    name: str
    """The file name that tracebacks show."""
    stdin: str
    """What the program reads from its standard input."""
    files: Files
    """Files for the work folder: path to content (bytes, text, or a `Path` that is read), or paths."""
    environment: str
    """The environment to run in; chosen from the imports when it is not given."""
    limits: LimitsRequest
    """Limits that differ from the defaults of the service."""
    policy: Policy
    """What check and monitor do about danger: `standard`, `strict` or `lenient`."""
    actions: Mapping[Category, Action]
    """What the monitor does about single categories of danger, in place of what the policy says."""
    check: Literal["on", "off"]
    """Whether the code is checked before it runs."""
    artifacts: bool
    """Whether the content of artifacts comes with the outcome, as it does unless this is `False`."""


class RunOptions(AskOptions, total=False):
    """What can be asked of a run that is waited for."""

    tools: Tools
    """Functions of this program that the code may call by name; they run here, outside of the sandbox."""
    on_event: Callable[[Event], Any]
    """Is told each event."""
    on_stdout: Callable[[str], Any]
    """Is told what is written to standard output, as it happens."""
    on_stderr: Callable[[str], Any]
    """Is told what is written to standard error, as it happens."""
    on_display: Callable[[MimeBundle], Any]
    """Is told what is shown, as it happens."""
    on_input: Callable[[str], Any]
    """Answers `input()`: takes the prompt and gives a line, or `None` for the end of input."""
    on_password: Callable[[str], Any]
    """Answers `getpass()` in its place, where what is typed should not be shown."""


class SubmitOptions(AskOptions, total=False):
    """What can be asked of a run in the background."""

    webhook: Mapping[str, str]
    """Who is told when it is over: `{"url": …, "secret": …}`."""


class SessionOptions(TypedDict, total=False):
    """What can be asked of a session."""

    name: str
    """A name for people."""
    environment: str
    """The environment of all its runs; `base` when it is not given."""
    limits: LimitsRequest
    """Limits of each of its runs that differ from the defaults of the service."""
    policy: Policy
    """What the monitor does about danger, in all its runs."""
    files: Files
    """Files for the work folder."""
    tools: Tools
    """Functions of this program that all its runs may call."""
    checkpoints: int
    """How many automatic checkpoints are kept; with 0 there is no way back but to named ones."""
    idle_timeout_ms: int
    """After so long without a run it is closed."""
    lifetime_ms: int
    """After so long it is closed whatever it does."""


def run_body(code: str, options: RunOptions | SubmitOptions, tools: Sequence[Tool]) -> dict[str, Any]:
    """The request for a run on the wire."""
    return wire.given(
        code=code,
        name=options.get("name"),
        stdin=options.get("stdin"),
        files=wire.input_files(options.get("files")),
        environment=options.get("environment"),
        limits=options.get("limits"),
        policy=options.get("policy"),
        actions=options.get("actions"),
        check=options.get("check"),
        tools=wire.definitions(tools),
        interactive=True if "on_input" in options else None,
        webhook=options.get("webhook"),
        include=["artifacts"] if options.get("artifacts", True) else None,
    )


def session_body(options: SessionOptions, tools: Sequence[Tool]) -> dict[str, Any]:
    """The request for a session on the wire."""
    plain = {name: value for name, value in options.items() if name not in ("files", "tools")}
    files = wire.input_files(options.get("files"))
    return wire.given(**plain, files=files, tools=wire.definitions(tools))


def tools_of(options: RunOptions | SessionOptions) -> list[Tool]:
    """The functions that may be called."""
    return as_tools(options.get("tools", ()))
