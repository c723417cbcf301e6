"""The sandbox as tools of LlamaIndex."""

from __future__ import annotations

from llama_index.core.tools.tool_spec.base import SPEC_FUNCTION_TYPE, BaseToolSpec
from typing_extensions import Unpack

from .. import Client, RunOptions, Session
from .._core.default import shared
from ._shared import DESCRIPTION, run


class ExecutePythonToolSpec(BaseToolSpec):
    """Gives the tool `code_interpreter`; `to_tool_list()` makes it ready for an agent."""

    spec_functions: list[SPEC_FUNCTION_TYPE] = ["code_interpreter"]  # noqa: RUF012

    def __init__(self, runner: Client | Session | None = None, **options: Unpack[RunOptions]) -> None:
        """`runner` is a client, where each call starts anew, or a session, where variables stay."""
        self._runner = runner or shared()
        self._options = options

    def code_interpreter(self, code: str) -> str:
        return run(self._runner, {"code": code}, self._options).text

    code_interpreter.__doc__ = f"{DESCRIPTION}\n\nArgs:\n    code (str): The Python source text"
