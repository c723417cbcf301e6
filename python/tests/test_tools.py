"""Host tools: schemas from signatures and docstrings, and arguments that are checked."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from typing_extensions import NotRequired, TypedDict

from execute_python import Tool
from execute_python._core.schema import NotThatType, convert, schema_of, to_json


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: float
    y: float = 0.0


class Person(TypedDict):
    name: str
    age: NotRequired[int]


TYPES: list[tuple[Any, Any, list[Any], list[Any]]] = [
    (str, {"type": "string"}, ["a"], [1, None]),
    (int, {"type": "integer"}, [1], [1.5, True, "1"]),
    (float, {"type": "number"}, [1.5, 1], ["1", True]),
    (bool, {"type": "boolean"}, [True], [1]),
    (None, {"type": "null"}, [None], [0]),
    (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, [1, None], ["a"]),
    (float | int, {"anyOf": [{"type": "number"}, {"type": "integer"}]}, [1, 1.5], ["a"]),
    (Literal["a", 1], {"enum": ["a", 1]}, ["a", 1], ["b"]),
    (list[int], {"type": "array", "items": {"type": "integer"}}, [[1, 2]], [["a"], "ab"]),
    (Sequence[str], {"type": "array", "items": {"type": "string"}}, [["a"]], ["ab"]),
    (list, {"type": "array"}, [[1, "a"]], ["ab"]),
    (
        dict[str, int],
        {"type": "object", "additionalProperties": {"type": "integer"}},
        [{"a": 1}],
        [{"a": "b"}, []],
    ),
    (Annotated[int, "how many"], {"type": "integer", "description": "how many"}, [1], ["a"]),
    (
        Person,
        {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["name"],
        },
        [{"name": "a"}, {"name": "a", "age": 1}],
        [{}, {"name": "a", "age": "old"}, {"name": "a", "x": 1}, "a"],
    ),
    (Any, {}, [1, "a", None], []),
]


@pytest.mark.parametrize(("kind", "schema", "good", "bad"), TYPES)
def test_a_type_has_a_schema_and_takes_what_fits(
    kind: Any, schema: Any, good: list[Any], bad: list[Any]
) -> None:
    assert schema_of(kind) == schema
    for value in good:
        assert convert(kind, value) == value
    for value in bad:
        with pytest.raises(NotThatType):
            convert(kind, value)


@pytest.mark.parametrize(
    ("kind", "value", "converted"),
    [
        (Colour, "red", Colour.RED),
        (Point, {"x": 1}, Point(1.0)),
        (list[Point], [{"x": 1, "y": 2}], [Point(1.0, 2.0)]),
        (tuple[int, str], [1, "a"], (1, "a")),
        (tuple[int, ...], [1, 2], (1, 2)),
        (set[int], [1, 1], {1}),
        (datetime.date, "2024-02-29", datetime.date(2024, 2, 29)),
        (dict[str, Point], {"a": {"x": 1}}, {"a": Point(1.0)}),
    ],
)
def test_arguments_become_what_the_function_asks_for(kind: Any, value: Any, converted: Any) -> None:
    assert convert(kind, value) == converted
    assert convert(kind, to_json(converted)) == converted


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Colour, "green"),
        (Point, {"y": 1}),
        (Point, {"x": 1, "z": 1}),
        (tuple[int, str], [1]),
        (datetime.date, "yesterday"),
        (datetime.date, 5),
    ],
)
def test_arguments_that_do_not_fit_are_refused(kind: Any, value: Any) -> None:
    with pytest.raises(NotThatType):
        convert(kind, value)


def google(city: str, days: int = 3, *, unit: Literal["C", "F"] = "C") -> str:
    """Gives the weather.

    It is from yesterday.

    Args:
        city: Where; a name
            of a city.
        days (int): How many.
        unit: Of what.

    Returns:
        The weather.
    """
    return f"{city} {days} {unit}"


def numpy_style(city: str, days: int = 3) -> str:
    """Gives the weather.

    Parameters
    ----------
    city : str
        Where; a name
        of a city.
    days : int
        How many.

    Returns
    -------
    str
        The weather.
    """
    return city * days


def sphinx(city: str, days: int = 3) -> str:
    """Gives the weather.

    :param city: Where; a name of a city.
    :param int days: How many.
    :returns: The weather.
    """
    return city * days


@pytest.mark.parametrize("function", [google, numpy_style, sphinx])
def test_a_docstring_describes_the_arguments(function: Any) -> None:
    tool = Tool(function)
    properties = tool.input_schema["properties"]
    assert tool.description.startswith("Gives the weather.")
    assert "Where" not in tool.description
    assert properties["city"] == {"type": "string", "description": "Where; a name of a city."}
    assert properties["days"] == {"type": "integer", "description": "How many.", "default": 3}
    assert tool.input_schema["required"] == ["city"]


def test_the_definition_is_what_the_wire_wants() -> None:
    def add(a: int, b: int = 1) -> int:
        """Adds."""
        return a + b

    assert Tool(add, name="plus").definition() == {
        "name": "plus",
        "description": "Adds.",
        "input_schema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}},
            "required": ["a"],
            "additionalProperties": False,
        },
    }


def test_what_the_guest_gives_is_checked_against_the_signature() -> None:
    tool = Tool(google)
    assert tool.arguments({"city": "Rome", "unit": "F"}) == {"city": "Rome", "unit": "F"}
    for given, told in [
        ({}, "needs the argument `city`"),
        ({"city": "Rome", "key": 1}, "has no argument `key`"),
        ({"city": ["Rome"]}, "argument `city` of `google`: str is wanted"),
    ]:
        with pytest.raises(NotThatType, match=told):
            tool.arguments(given)


def test_functions_that_cannot_be_called_by_name_are_refused() -> None:
    def any_arguments(*values: int) -> None: ...

    def positional(a: int, /) -> None: ...

    with pytest.raises(ValueError, match="takes any arguments"):
        Tool(any_arguments)
    with pytest.raises(ValueError, match="cannot be given by name"):
        Tool(positional)
    with pytest.raises(ValueError, match="is no name for a function"):
        Tool(lambda: 1)


def test_a_method_and_an_object_can_be_tools() -> None:
    class Store:
        def __init__(self) -> None:
            self.kept: list[str] = []

        def keep(self, text: str) -> int:
            self.kept.append(text)
            return len(self.kept)

        def __call__(self, text: str) -> int:
            return self.keep(text)

    store = Store()
    assert list(Tool(store.keep).input_schema["properties"]) == ["text"]
    assert list(Tool(store, name="store").input_schema["properties"]) == ["text"]


@pytest.mark.parametrize("value", [object(), b"bytes", 1j])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be given to the sandbox"):
        to_json(value)
