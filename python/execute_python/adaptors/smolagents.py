# pyright: basic
# What smolagents gives has no types that pyright could be strict about.
"""The sandbox as the executor of a `CodeAgent` of smolagents.

The tools of the agent stay on this side: code in the sandbox calls them, and they run here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from smolagents.local_python_executor import CodeOutput, PythonExecutor
from typing_extensions import Unpack

from .. import Client, Outcome, RunFailed, Session, SessionOptions, Tool
from .._core.default import shared

_FINAL_ANSWER = "final_answer"
_KINDS = {"string", "boolean", "integer", "number", "array", "object", "null"}


class FinalAnswer(Exception):
    """Ends the code, as it does in smolagents' own executors."""


class SandboxExecutor(PythonExecutor):
    """Runs the code of an agent in a session, where variables stay from step to step."""

    def __init__(self, client: Client | None = None, **options: Unpack[SessionOptions]) -> None:
        """The options are those of the session."""
        self._session: Session = (client or shared()).session(**options)
        self._tools: list[Tool] = []
        self._answers: list[Any] = []
        self.state: dict[str, Any] = {"_print_outputs": ""}

    def send_tools(self, tools: Mapping[str, Any]) -> None:
        """Takes the tools of the agent, and the agents that it manages."""
        made = [self._tool(name, tool) for name, tool in tools.items()]
        self._tools = [tool for tool in made if tool.name != _FINAL_ANSWER]
        self._tools.append(Tool(self._final_answer, name=_FINAL_ANSWER))
        self._finish: Callable[..., Any] = tools.get(_FINAL_ANSWER, lambda answer: answer)

    def send_variables(self, variables: Mapping[str, Any]) -> None:
        """Gives variables to the code; they have to be what JSON can hold."""
        if not variables:
            return
        try:
            text = json.dumps(dict(variables))
        except TypeError as error:
            raise ValueError(f"these variables cannot be given to the sandbox: {error}") from error
        load = f"globals().update(__import__('json').loads({text!r}))"
        self._session.run(load).raise_for_status()

    def __call__(self, code_action: str) -> CodeOutput:
        """Runs one step."""
        self._answers.clear()
        outcome = self._session.run(code_action, tools=self._tools)
        logs = self.state["_print_outputs"] = _logs(outcome)
        if self._answers:
            return CodeOutput(output=self._answers[0], logs=logs, is_final_answer=True)
        if not outcome.ok:
            raise RunFailed(outcome)
        value = outcome.value.text if outcome.value else None
        return CodeOutput(output=value, logs=logs, is_final_answer=False)

    def cleanup(self) -> None:
        """Closes the session; the agent calls it at its end."""
        self._session.close()

    def _final_answer(self, answer: Any) -> None:
        """Ends the task with this answer."""
        self._answers.append(self._finish(answer))
        raise FinalAnswer("the task is done")

    def _tool(self, name: str, tool: Any) -> Tool:
        inputs: dict[str, dict[str, Any]] = tool.inputs
        properties = {name: _schema(input) for name, input in inputs.items()}
        required = [name for name, input in inputs.items() if not input.get("nullable")]
        schema = {"type": "object", "properties": properties, "required": required}
        return Tool(tool, name=name, description=tool.description, input_schema=schema)


def _schema(input: dict[str, Any]) -> dict[str, Any]:
    kind = input.get("type")
    kinds: list[Any] = [kind] if isinstance(kind, str) else list(kind or [])
    told = {"description": input.get("description", "")}
    return {**told, "type": kinds} if kinds and _KINDS.issuperset(kinds) else told


def _logs(outcome: Outcome) -> str:
    return f"{outcome.stdout}{outcome.stderr}"
