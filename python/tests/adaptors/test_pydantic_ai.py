"""The tool in an agent of Pydantic AI, with a model that is a function."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from execute_python import AsyncClient, Outcome
from execute_python.adaptors.pydantic_ai import execute_python_tool

from .common import PLOT


async def test_an_agent_calls_the_tool() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert [tool.name for tool in info.function_tools] == ["execute_python"]
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("execute_python", {"code": PLOT})])
        return ModelResponse(parts=[TextPart("done")])

    async with AsyncClient() as client:
        agent = Agent(FunctionModel(model), tools=[execute_python_tool(client)])
        result = await agent.run("Draw.")
    assert result.output == "done"
    parts: list[Any] = [part for message in result.all_messages() for part in message.parts]
    (returned,) = [part for part in parts if part.part_kind == "tool-return"]
    content = returned.content
    assert content[0].startswith("drawn")
    assert content[1].media_type == "image/png"
    assert isinstance(returned.metadata, Outcome)


async def test_the_schema_is_one_that_a_model_can_fill() -> None:
    async with AsyncClient() as client:
        agent = Agent(TestModel(), tools=[execute_python_tool(client)])
        assert (await agent.run("Anything.")).output
