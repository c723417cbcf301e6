"""The tool with OpenAI's own client, which talks to a model that is a script."""

from __future__ import annotations

import json
from typing import Any

import httpx2  # What OpenAI's client is made of.
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageFunctionToolCall
from openai.types.responses import ResponseFunctionToolCall

from execute_python import AsyncClient, Client
from execute_python.adaptors.openai import ExecutePython

from .common import PLOT


def openai(*answers: dict[str, Any]) -> tuple[OpenAI, list[Any]]:
    """A client of a service that gives these answers, and the requests that it was sent."""
    left, asked = list(answers), list[Any]()

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        return httpx2.Response(200, json=left.pop(0))

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return OpenAI(api_key="none", http_client=http), asked


def chat_answer(message: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def chat_call(arguments: str) -> ChatCompletionMessageFunctionToolCall:
    function = {"name": "execute_python", "arguments": arguments}
    return ChatCompletionMessageFunctionToolCall.model_validate(
        {"id": "call_1", "type": "function", "function": function}
    )


def test_a_conversation_of_chat_completions(client: Client) -> None:
    call = chat_call('{"code": "print(6 * 7)"}')
    model, asked = openai(
        chat_answer({"content": None, "tool_calls": [call.model_dump()]}),
        chat_answer({"content": "It is 42."}),
    )
    tool = ExecutePython(client)
    messages: list[Any] = [{"role": "user", "content": "6 * 7?"}]
    first = model.chat.completions.create(model="m", messages=messages, tools=[tool.chat_tool])
    message = first.choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    for call in message.tool_calls or []:
        assert isinstance(call, ChatCompletionMessageFunctionToolCall)
        messages.append(tool.answer_chat(call))
    model.chat.completions.create(model="m", messages=messages, tools=[tool.chat_tool])
    assert asked[0]["tools"][0]["function"]["parameters"]["required"] == ["code"]
    assert asked[1]["messages"][-1] == {"role": "tool", "tool_call_id": "call_1", "content": "42"}


def test_responses_are_given_pictures(client: Client) -> None:
    call = ResponseFunctionToolCall(
        type="function_call",
        name="execute_python",
        call_id="call_2",
        arguments=json.dumps({"code": PLOT}),
    )
    answer: Any = ExecutePython(client).answer_responses(call)
    assert answer["call_id"] == "call_2"
    assert [part["type"] for part in answer["output"]] == ["input_text", "input_image"]
    assert answer["output"][0]["text"].startswith("drawn")
    assert answer["output"][1]["image_url"].startswith("data:image/png;base64,iVBOR")


def test_a_model_that_calls_the_tool_wrong_is_told_so(client: Client) -> None:
    tool = ExecutePython(client)
    for arguments, told in [
        ("{", "no JSON"),
        ('{"source": "1"}', "needs the argument `code`"),
        ('{"code": " "}', "is empty"),
    ]:
        assert told in str(tool.answer_chat(chat_call(arguments))["content"]), arguments


async def test_the_asynchronous_way() -> None:
    async with AsyncClient() as client:
        answer = await ExecutePython(client).aanswer_chat(chat_call('{"code": "1 + 1"}'))
    assert answer["content"] == "2"


def test_in_a_session_variables_stay(client: Client) -> None:
    with client.session() as session:
        tool = ExecutePython(session)
        tool.answer_chat(chat_call('{"code": "x = 5"}'))
        assert tool.answer_chat(chat_call('{"code": "x"}'))["content"] == "5"
        assert "stay" in str(tool.responses_tool.get("description"))
