"""The sandbox as a tool of LangChain."""

from __future__ import annotations

import base64
from typing import Any, Literal

from langchain_core.tools import BaseTool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr
from typing_extensions import Unpack

from .. import RunOptions
from .._core.default import shared
from ._shared import NAME, Answer, AnyRunner, description, run, run_async


class Code(BaseModel):
    """What the tool takes."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(description="The Python source text")


class ExecutePythonTool(BaseTool):
    """Runs Python in the sandbox. A message has text and pictures; its artifact is the `Outcome`."""

    name: str = NAME
    description: str = ""
    args_schema: ArgsSchema | None = Code
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    _runner: AnyRunner = PrivateAttr()
    _options: RunOptions = PrivateAttr()

    def __init__(self, runner: AnyRunner | None = None, **options: Unpack[RunOptions]) -> None:
        """`runner` is a client, where each call starts anew, or a session, where variables stay."""
        used = runner or shared()
        super().__init__(description=description(used))
        self._runner, self._options = used, options

    def _run(self, code: str) -> tuple[Any, Any]:
        return _message(run(self._runner, {"code": code}, self._options))

    async def _arun(self, code: str) -> tuple[Any, Any]:
        return _message(await run_async(self._runner, {"code": code}, self._options))


def _message(answer: Answer) -> tuple[Any, Any]:
    if not answer.pictures:
        return answer.text, answer.outcome
    content: list[Any] = [{"type": "text", "text": answer.text}]
    for mime_type, picture in answer.pictures:
        data = base64.b64encode(picture).decode()
        content.append({"type": "image", "base64": data, "mime_type": mime_type})
    return content, answer.outcome
