"""JSON to frozen dataclasses, checked field by field. What is unknown is left out: it may be newer."""

from __future__ import annotations

import dataclasses
import types
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ..errors import AnswerNotUnderstood

T = TypeVar("T")


def decode(kind: type[T], value: object) -> T:
    """The JSON value as a `kind`."""
    return cast(T, _decode(kind, value, "answer"))


def _decode(kind: Any, value: Any, place: str) -> Any:
    if kind is Any or kind is object:
        return value
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind), value, place)
    if origin is Literal and isinstance(value, str):
        return value  # A word that is not listed may be newer than this package.
    if origin is tuple and isinstance(value, list):
        inner = get_args(kind)[0]
        return tuple(
            _decode(inner, item, f"{place}[{at}]") for at, item in enumerate(cast("list[Any]", value))
        )
    if origin is dict and isinstance(value, dict):
        return cast("dict[str, Any]", value)
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        return _record(cast("type[Any]", kind), cast("dict[str, Any]", value), place)
    if kind is float and type(value) is int:
        return float(value)
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise AnswerNotUnderstood(f"`{place}` is not what it should be: {value!r:.80}")


def _one_of(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    """Unions are of one kind and `None`."""
    if value is None and type(None) in kinds:
        return None
    (kind,) = (kind for kind in kinds if kind is not type(None))
    return _decode(kind, value, place)


def _record(kind: type[Any], value: dict[str, Any], place: str) -> Any:
    given = {
        name: _decode(hint, value[name], f"{place}.{name}") for name, hint in _fields(kind) if name in value
    }
    try:
        return kind(**given)
    except TypeError as error:
        raise AnswerNotUnderstood(f"`{place}` is not whole: {error}") from error


@cache
def _fields(kind: type[Any]) -> list[tuple[str, Any]]:
    hints = get_type_hints(kind)
    return [(field.name, hints[field.name]) for field in dataclasses.fields(kind) if field.init]
