# pyright: basic
"""A `CodeAgent` of smolagents in the sandbox, with a model that is a script."""

from __future__ import annotations

from typing import Any

import pytest
from smolagents import CodeAgent, Tool
from smolagents.models import ChatMessage, MessageRole, Model

from execute_python import Client
from execute_python.adaptors.smolagents import SandboxExecutor


class Script(Model):
    """A model that says these programs, one a step; it remembers what it was given."""

    def __init__(self, *programs: str) -> None:
        super().__init__(model_id="script")
        self.programs = list(programs)
        self.given: list[str] = []

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        self.given.append(str(messages))
        text = f"Thought: so be it.\n<code>\n{self.programs.pop(0)}\n</code>"
        return ChatMessage(role=MessageRole.ASSISTANT, content=text)


class Weather(Tool):
    name = "weather"
    description = "Says how warm it is."
    inputs = {
        "city": {"type": "string", "description": "Where"},
        "unit": {"type": "string", "description": "Of what", "nullable": True},
    }
    output_type = "integer"

    def forward(self, city: str, unit: str | None = None) -> int:
        return {"Paris": 21}[city]


def agent(client: Client, *programs: str) -> tuple[CodeAgent, Script]:
    model = Script(*programs)
    executor = SandboxExecutor(client, environment="base")
    return CodeAgent(tools=[Weather()], model=model, executor=executor, max_steps=len(programs)), model


def test_variables_stay_and_tools_run_on_this_side(client: Client) -> None:
    made, model = agent(
        client,
        "warm = weather('Paris')\nprint('it is', warm)",
        "weather('Nowhere')",
        "final_answer(warm + 1)\nprint('never')",
    )
    assert made.run("How warm is it?") == 22
    assert "it is 21" in model.given[1]
    assert "KeyError" in model.given[2]
    made.cleanup()


def test_variables_are_given(client: Client) -> None:
    made, _ = agent(client, "final_answer(sum(numbers))")
    assert made.run("Sum.", additional_args={"numbers": [1, 2, 3]}) == 6
    made.cleanup()


def test_what_cannot_be_given_is_refused(client: Client) -> None:
    executor = SandboxExecutor(client)
    with pytest.raises(ValueError, match="cannot be given to the sandbox"):
        executor.send_variables({"x": object()})
    executor.cleanup()
