"""The tool under LangChain's own tests for tools."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from execute_python import Client, Outcome
from execute_python.adaptors.langchain import ExecutePythonTool

from .common import PLOT


class TestUnit(ToolsUnitTests):
    @property
    def tool_constructor(self) -> type[BaseTool]:
        return ExecutePythonTool

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"code": "print(1)"}


class TestIntegration(ToolsIntegrationTests):
    @property
    def tool_constructor(self) -> type[BaseTool]:
        return ExecutePythonTool

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"code": "print(1)"}


def test_a_message_has_text_and_pictures_and_the_outcome(client: Client) -> None:
    tool = ExecutePythonTool(client, limits={"wall_time_ms": 20_000, "cpu_time_ms": 20_000})
    call = ToolCall(name="execute_python", args={"code": PLOT}, id="1", type="tool_call")
    message: ToolMessage = tool.invoke(call)
    assert [block["type"] for block in message.content_blocks] == ["text", "image"]
    assert isinstance(message.artifact, Outcome)
    assert message.artifact.limits.wall_time_ms == 20_000
