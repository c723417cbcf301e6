"""The sandbox as a function tool of OpenAI's Chat Completions and Responses."""

from __future__ import annotations

from typing import Any

from openai.types.chat import (
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCall,
    ChatCompletionToolMessageParam,
)
from openai.types.responses import FunctionToolParam, ResponseFunctionToolCall
from openai.types.responses.response_input_param import FunctionCallOutput
from typing_extensions import Unpack

from .. import RunOptions
from .._core.default import shared
from ._shared import NAME, SCHEMA, Answer, AnyRunner, as_data_url, description, run, run_async


class ExecutePython:
    """The tool: its definition for a request, and the answers to the calls of a response."""

    def __init__(self, runner: AnyRunner | None = None, **options: Unpack[RunOptions]) -> None:
        """`runner` is a client, where each call starts anew, or a session, where variables stay."""
        self._runner = runner or shared()
        self._options = options

    @property
    def chat_tool(self) -> ChatCompletionFunctionToolParam:
        """For `tools` of Chat Completions."""
        about = description(self._runner)
        return {
            "type": "function",
            "function": {"name": NAME, "description": about, "parameters": SCHEMA, "strict": True},
        }

    @property
    def responses_tool(self) -> FunctionToolParam:
        """For `tools` of Responses."""
        about = description(self._runner)
        return {
            "type": "function",
            "name": NAME,
            "description": about,
            "parameters": SCHEMA,
            "strict": True,
        }

    def answer_chat(self, call: ChatCompletionMessageFunctionToolCall) -> ChatCompletionToolMessageParam:
        """The message that answers a call. Tools of Chat Completions can give text alone."""
        return _chat(call, run(self._runner, call.function.arguments, self._options))

    async def aanswer_chat(
        self, call: ChatCompletionMessageFunctionToolCall
    ) -> ChatCompletionToolMessageParam:
        """The same for asynchronous code."""
        return _chat(call, await run_async(self._runner, call.function.arguments, self._options))

    def answer_responses(self, call: ResponseFunctionToolCall) -> FunctionCallOutput:
        """The item that answers a call: text, and the pictures."""
        return _responses(call, run(self._runner, call.arguments, self._options))

    async def aanswer_responses(self, call: ResponseFunctionToolCall) -> FunctionCallOutput:
        """The same for asynchronous code."""
        return _responses(call, await run_async(self._runner, call.arguments, self._options))


def _chat(call: ChatCompletionMessageFunctionToolCall, answer: Answer) -> ChatCompletionToolMessageParam:
    return {"role": "tool", "tool_call_id": call.id, "content": answer.text}


def _responses(call: ResponseFunctionToolCall, answer: Answer) -> FunctionCallOutput:
    output: list[Any] = [{"type": "input_text", "text": answer.text}]
    for picture in answer.pictures:
        output.append({"type": "input_image", "image_url": as_data_url(*picture), "detail": "auto"})
    return {"type": "function_call_output", "call_id": call.call_id, "output": output}
