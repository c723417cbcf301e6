"""The sandbox as a tool of Pydantic AI."""

from __future__ import annotations

from typing import Any, cast

from pydantic_ai import BinaryContent, Tool, ToolReturn
from typing_extensions import Unpack

from .. import RunOptions
from .._core.default import shared
from ._shared import NAME, SCHEMA, AnyRunner, description, run_async


def execute_python_tool(runner: AnyRunner | None = None, **options: Unpack[RunOptions]) -> Tool[Any]:
    """The tool. `runner` is a client, where each call starts anew, or a session, where variables stay.

    A message has text and pictures; the `Outcome` is in the metadata of the return.
    """
    used = runner or shared()

    async def execute(**arguments: Any) -> ToolReturn:
        answer = await run_async(used, arguments, options)
        pictures = [BinaryContent(data, media_type=kind) for kind, data in answer.pictures]
        content = [answer.text, *pictures] if pictures else answer.text
        return ToolReturn(return_value=content, metadata=answer.outcome)

    return cast(Any, Tool).from_schema(execute, NAME, description(used), SCHEMA)
