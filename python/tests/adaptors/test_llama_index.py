"""The tool as LlamaIndex's agents call it."""

from __future__ import annotations

from typing import Any, cast

from execute_python import Client
from execute_python.adaptors.llama_index import ExecutePythonToolSpec


async def test_the_function_tool(client: Client) -> None:
    with client.session() as session:
        (tool,) = ExecutePythonToolSpec(session).to_tool_list()
        assert tool.metadata.name == "code_interpreter"
        parameters = cast(Any, tool.metadata).get_parameters_dict()
        assert parameters["required"] == ["code"]
        assert "/mnt/data" in tool.metadata.description
        tool.call(code="x = 20")
        assert (await tool.acall(code="x + 1")).content == "21"
