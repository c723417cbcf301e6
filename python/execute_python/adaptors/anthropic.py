"""The sandbox as a tool of Anthropic's Messages."""

from __future__ import annotations

import base64
from typing import Any

from anthropic.types import ToolParam, ToolResultBlockParam, ToolUseBlock
from typing_extensions import Unpack

from .. import RunOptions
from .._core.default import shared
from ._shared import NAME, SCHEMA, Answer, AnyRunner, description, run, run_async


class ExecutePython:
    """The tool: its definition for a request, and the answers to the calls of a response."""

    def __init__(self, runner: AnyRunner | None = None, **options: Unpack[RunOptions]) -> None:
        """`runner` is a client, where each call starts anew, or a session, where variables stay."""
        self._runner = runner or shared()
        self._options = options

    @property
    def tool(self) -> ToolParam:
        """For `tools` of a request."""
        return {"name": NAME, "description": description(self._runner), "input_schema": SCHEMA}

    def answer(self, call: ToolUseBlock) -> ToolResultBlockParam:
        """The block that answers a call: text, and the pictures."""
        return _block(call, run(self._runner, call.input, self._options))

    async def aanswer(self, call: ToolUseBlock) -> ToolResultBlockParam:
        """The same for asynchronous code."""
        return _block(call, await run_async(self._runner, call.input, self._options))


def _block(call: ToolUseBlock, answer: Answer) -> ToolResultBlockParam:
    content: list[Any] = [{"type": "text", "text": answer.text}]
    for mime_type, picture in answer.pictures:
        data = base64.b64encode(picture).decode()
        source = {"type": "base64", "media_type": mime_type, "data": data}
        content.append({"type": "image", "source": source})
    return {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": content,
        "is_error": answer.failed,
    }
