"""Host tools: plain functions that code in the sandbox may call by name.

The function runs here, outside of the sandbox, with everything that it can reach: give only functions that
may be called by anybody with any arguments. The arguments are checked against the signature first; of an
exception the guest sees class and message, not the traceback.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, get_type_hints

from . import docstring
from .schema import NotThatType, Schema, convert, schema_of, to_json


class Tool:
    """A function that code in the sandbox may call, with what the guest is told of it."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        input_schema: Schema | None = None,
    ) -> None:
        """With `input_schema` the signature is not looked at, and of the arguments only names are checked."""
        summary, described = docstring.read(function)
        self.function = function
        self.name = name or getattr(function, "__name__", type(function).__name__)
        self.description = summary if description is None else description
        if not self.name.isidentifier():
            raise ValueError(f"`{self.name}` is no name for a function: give one with `name=`")
        if input_schema is None:
            self._kinds, self.input_schema = _from_signature(function, self.name, described)
        else:
            self._kinds = dict.fromkeys(input_schema.get("properties", {}), Any)
            self.input_schema = input_schema

    def definition(self) -> dict[str, Any]:
        """The tool on the wire."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
        }

    def arguments(self, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments of the guest as the function wants them; `NotThatType` when they do not fit."""
        for name in given:
            if name not in self._kinds:
                raise NotThatType(f"`{self.name}` has no argument `{name}`")
        for name in self.input_schema.get("required", ()):
            if name not in given:
                raise NotThatType(f"`{self.name}` needs the argument `{name}`")
        converted: dict[str, Any] = {}
        for name, value in given.items():
            try:
                converted[name] = convert(self._kinds[name], value)
            except NotThatType as error:
                raise NotThatType(f"argument `{name}` of `{self.name}`: {error}") from error
        return converted


def _from_signature(
    function: Callable[..., Any], name: str, described: dict[str, str]
) -> tuple[dict[str, Any], Schema]:
    """The types of the arguments, and their schema."""
    parameters = _parameters(function, name)
    schema: Schema = {
        "type": "object",
        "properties": {
            name: _property(kind, parameter, described.get(name))
            for name, (kind, parameter) in parameters.items()
        },
        "required": [
            name for name, (_, parameter) in parameters.items() if parameter.default is parameter.empty
        ],
        "additionalProperties": False,
    }
    return {name: kind for name, (kind, _) in parameters.items()}, schema


def _property(kind: Any, parameter: inspect.Parameter, described: str | None) -> Schema:
    schema = schema_of(kind)
    if described:
        schema.setdefault("description", described)
    if parameter.default not in (parameter.empty, None):
        try:
            schema["default"] = to_json(parameter.default)
        except TypeError:
            pass  # The function knows its default; the guest need not.
    return schema


def _parameters(function: Callable[..., Any], name: str) -> dict[str, tuple[Any, inspect.Parameter]]:
    hinted = function if inspect.isroutine(function) else type(function).__call__
    hints = get_type_hints(hinted, include_extras=True)
    found: dict[str, tuple[Any, inspect.Parameter]] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(f"`{name}` takes any arguments: give a function that names them")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ValueError(f"`{parameter.name}` of `{name}` cannot be given by name")
        found[parameter.name] = hints.get(parameter.name, Any), parameter
    return found


def as_tools(tools: Sequence[Callable[..., Any] | Tool]) -> list[Tool]:
    """Functions as tools; each name is there once."""
    made = [tool if isinstance(tool, Tool) else Tool(tool) for tool in tools]
    names = [tool.name for tool in made]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"there is more than one tool `{min(twice)}`")
    return made


def failed(error: Exception) -> dict[str, Any]:
    """The answer to a call that failed."""
    return {"error": f"{type(error).__name__}: {error}"}


def gave(result: Any) -> dict[str, Any]:
    """The answer to a call that gave something."""
    return {"result": to_json(result)}
