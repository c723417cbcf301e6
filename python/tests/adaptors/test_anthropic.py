"""The tool with Anthropic's own client, which talks to a model that is a script."""

from __future__ import annotations

import json
from typing import Any

import httpx2  # What Anthropic's client is made of.
from anthropic import Anthropic
from anthropic.types import ToolUseBlock

from execute_python import AsyncClient, Client
from execute_python.adaptors.anthropic import ExecutePython

from .common import PLOT


def message(content: list[dict[str, Any]]) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m"}
    return {**head, "content": content, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}


def test_a_conversation(client: Client) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "execute_python", "input": {"code": PLOT}}
    answers = [message([use]), message([{"type": "text", "text": "Done."}])]
    asked: list[Any] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        return httpx2.Response(200, json=answers.pop(0))

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    model = Anthropic(api_key="none", http_client=http)
    tool = ExecutePython(client)
    messages: list[Any] = [{"role": "user", "content": "Draw."}]
    first = model.messages.create(model="m", max_tokens=9, messages=messages, tools=[tool.tool])
    results = [tool.answer(block) for block in first.content if isinstance(block, ToolUseBlock)]
    messages += [{"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
    model.messages.create(model="m", max_tokens=9, messages=messages, tools=[tool.tool])
    (block,) = asked[1]["messages"][-1]["content"]
    assert block["tool_use_id"] == "toolu_1"
    assert block["is_error"] is False
    assert [part["type"] for part in block["content"]] == ["text", "image"]
    assert block["content"][1]["source"]["media_type"] == "image/png"


async def test_an_exception_is_an_error_with_its_traceback() -> None:
    call = ToolUseBlock(type="tool_use", id="t", name="execute_python", input={"code": "1/0"})
    async with AsyncClient() as client:
        block: Any = await ExecutePython(client).aanswer(call)
    assert block["is_error"] is True
    assert block["content"][0]["text"].endswith("ZeroDivisionError: division by zero")
