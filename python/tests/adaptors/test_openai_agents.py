"""The tool in the Agents SDK, whose runner is given a model that is a script."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, set_tracing_disabled
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from execute_python import AsyncClient
from execute_python.adaptors.openai_agents import execute_python_tool

from .common import PLOT


class Script(Model):
    """A model that calls the tool once and then ends; it remembers what it was given."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.given: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:
        self.given.append(input)
        if len(self.given) == 1:
            arguments = json.dumps({"code": self.code})
            call = ResponseFunctionToolCall(
                type="function_call", name="execute_python", call_id="c", arguments=arguments
            )
            return ModelResponse(output=[call], usage=Usage(), response_id=None)
        text = ResponseOutputText(type="output_text", text="done", annotations=[])
        message = ResponseOutputMessage(
            id="m", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


async def test_an_agent_calls_the_tool() -> None:
    set_tracing_disabled(True)
    model = Script(PLOT)
    async with AsyncClient() as client:
        agent = Agent(name="a", model=model, tools=[execute_python_tool(client)])
        result = await Runner.run(agent, "Draw.", run_config=RunConfig(tracing_disabled=True))
    assert result.final_output == "done"
    output = model.given[1][-1]["output"]
    assert [part["type"] for part in output] == ["input_text", "input_image"]
    assert output[0]["text"].startswith("drawn")
