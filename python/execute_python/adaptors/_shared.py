"""What all adaptors share: what a model is told of the tool, and what it is given of an outcome."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import dataclass
from typing import Any, cast

from .. import AsyncClient, AsyncSession, Client, Outcome, RequestRefused, RunOptions, Session

NAME = "execute_python"
DESCRIPTION = (
    "Runs Python 3 in a sandbox and returns what it printed, the value of the last expression, pictures, "
    "files it wrote, and exceptions with their traceback. numpy, pandas, scipy, matplotlib, scikit-learn and "
    "the standard library are there. The work folder is /mnt/data. There is no network, no subprocess and no "
    "way to install packages. Print what you want to see."
)
_STATEFUL = " Variables and files stay from call to call."
_CODE = "The Python source text"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"code": {"type": "string", "description": _CODE}},
    "required": ["code"],
    "additionalProperties": False,
}

_MOST_PICTURES = 4
_LARGEST_PICTURE = 4 << 20
AnyRunner = Client | Session | AsyncClient | AsyncSession


@dataclass(frozen=True)
class Answer:
    """What a model is given."""

    text: str
    pictures: tuple[tuple[str, bytes], ...] = ()
    """MIME type and content of each."""
    outcome: Outcome | None = None
    """None when the request was refused."""

    @property
    def failed(self) -> bool:
        """Whether the code did not come to its end."""
        return self.outcome is None or not self.outcome.ok


def description(runner: AnyRunner) -> str:
    """What a model is told of the tool."""
    return DESCRIPTION + (_STATEFUL if isinstance(runner, Session | AsyncSession) else "")


def run(runner: AnyRunner, arguments: object, options: RunOptions) -> Answer:
    """Runs what a model gave as arguments of the tool."""
    if not isinstance(runner, Client | Session):
        raise TypeError("an asynchronous client or session needs the asynchronous way to call the tool")
    try:
        return _answer(runner.run(_code(arguments), **options))
    except (RequestRefused, NoCode) as error:
        return _refused(error)


async def run_async(runner: AnyRunner, arguments: object, options: RunOptions) -> Answer:
    """The same for asynchronous code."""
    if isinstance(runner, Client | Session):
        return await asyncio.to_thread(run, runner, arguments, options)
    try:
        return _answer(await runner.run(_code(arguments), **options))
    except (RequestRefused, NoCode) as error:
        return _refused(error)


class NoCode(ValueError):
    """A model called the tool without code."""


def _code(arguments: object) -> str:
    """The code in what a model gave, which may be JSON that is not yet read."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            raise NoCode("the arguments of the tool are no JSON") from None
    code = cast("dict[str, Any]", arguments).get("code") if isinstance(arguments, dict) else None
    if not isinstance(code, str):
        raise NoCode("the tool needs the argument `code`, a string")
    return code


def as_data_url(mime_type: str, content: bytes) -> str:
    """A picture as an address that holds it."""
    return f"data:{mime_type};base64,{base64.b64encode(content).decode()}"


def _answer(outcome: Outcome) -> Answer:
    shown = [*outcome.displays, *((outcome.value,) if outcome.value else ())]
    pictures = [picture for thing in shown if (picture := thing.picture)]
    kept = [picture for picture in pictures if len(picture[1]) <= _LARGEST_PICTURE][:_MOST_PICTURES]
    text = outcome.to_text()
    if missing := len(pictures) - len(kept):
        text += f"\nnote: {missing} pictures are not shown: too many or too large"
    return Answer(text, tuple(kept), outcome)


def _refused(error: RequestRefused | NoCode) -> Answer:
    """What the model did wrong is told to it; all else is told to the program."""
    if isinstance(error, RequestRefused) and error.problem.field != "code":
        raise error
    return Answer(f"the code was not run: {error}")
