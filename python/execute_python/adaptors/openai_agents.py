"""The sandbox as a function tool of the OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any

from agents import FunctionTool, ToolOutputImage, ToolOutputText
from agents.tool_context import ToolContext
from typing_extensions import Unpack

from .. import RunOptions
from .._core.default import shared
from ._shared import NAME, SCHEMA, AnyRunner, as_data_url, description, run_async


def execute_python_tool(runner: AnyRunner | None = None, **options: Unpack[RunOptions]) -> FunctionTool:
    """The tool. `runner` is a client, where each call starts anew, or a session, where variables stay."""
    used = runner or shared()

    async def invoke(_: ToolContext[Any], arguments: str) -> list[ToolOutputText | ToolOutputImage]:
        answer = await run_async(used, arguments, options)
        pictures = [ToolOutputImage(image_url=as_data_url(*picture)) for picture in answer.pictures]
        return [ToolOutputText(text=answer.text), *pictures]

    return FunctionTool(
        name=NAME,
        description=description(used),
        params_json_schema=SCHEMA,
        on_invoke_tool=invoke,
    )
