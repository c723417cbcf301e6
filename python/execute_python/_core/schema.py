"""Types of Python as JSON Schema, and JSON values as these types.

The arguments of a host tool come from the guest, so each is checked against the type that the function asks
for before the function sees it. Both directions stand side by side in one class a kind of type.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    cast,
    get_args,
    get_origin,
)

from typing_extensions import NotRequired, Required, get_type_hints, is_typeddict

Schema = dict[str, Any]

_PLAIN: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_TIMES = {datetime.datetime: "date-time", datetime.date: "date", datetime.time: "time"}
_LISTS = (list, tuple, set, frozenset, Sequence, Iterable)


class NotThatType(ValueError):
    """A value is not of the type that is asked for."""


def schema_of(kind: Any) -> Schema:
    """The JSON Schema of a type; `{}`, which is anything, where there is none."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if kind is None or kind is type(None):
        return {"type": "null"}
    if kind in _TIMES:
        return {"type": "string", "format": _TIMES[kind]}
    if origin is Annotated:
        notes = [note for note in inner[1:] if isinstance(note, str)]
        described = {"description": notes[0]} if notes else {}
        return {**schema_of(inner[0]), **described}
    if origin in (Required, NotRequired):
        return schema_of(inner[0])
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(one) for one in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if kind in _LISTS or origin in _LISTS:
        return _schema_of_list(kind, origin or kind, inner)
    if kind in (dict, Mapping) or origin in (dict, Mapping):
        return {"type": "object", **_inside("additionalProperties", inner[1:])}
    return _schema_of_class(kind)


def _schema_of_list(kind: Any, origin: Any, inner: tuple[Any, ...]) -> Schema:
    if origin is tuple and inner and inner[-1] is not Ellipsis:
        each = [schema_of(one) for one in inner]
        return {"type": "array", "prefixItems": each, "minItems": len(each), "maxItems": len(each)}
    unique = {"uniqueItems": True} if origin in (set, frozenset) else {}
    return {"type": "array", **_inside("items", inner[:1]), **unique}


def _schema_of_class(kind: Any) -> Schema:
    if hasattr(kind, "model_json_schema"):  # Pydantic
        return cast(Schema, kind.model_json_schema())
    if _is_enum(kind):
        return {"enum": [one.value for one in kind]}
    if is_typeddict(kind):
        return _object(*_keys(kind))
    if _is_dataclass(kind):
        return _object(_hints(kind), _needed(kind))
    return {}


def _object(hints: Mapping[str, Any], needed: Iterable[str]) -> Schema:
    properties = {name: schema_of(kind) for name, kind in hints.items()}
    required = [name for name in properties if name in set(needed)]
    return {"type": "object", "properties": properties, "required": required}


def _inside(name: str, inner: tuple[Any, ...]) -> Schema:
    schema = schema_of(inner[0]) if inner else {}
    return {name: schema} if schema else {}


def convert(kind: Any, value: Any) -> Any:
    """The JSON value as what the type asks for; `NotThatType` when it is something else."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Annotated, Required, NotRequired):
        return convert(inner[0], value)
    if origin in (Union, types.UnionType):
        return _convert_to_first(inner, value)
    if origin is Literal and value in inner:
        return value
    if kind is float and type(value) is int:
        return float(value)
    if kind in _PLAIN or kind in (None, type(None)):
        wanted = type(None) if kind is None else kind
        return value if type(value) is wanted else _refuse(kind, value)
    if kind in _TIMES and isinstance(value, str):
        return _tried(kind.fromisoformat, value)
    if (kind in _LISTS or origin in _LISTS) and isinstance(value, list):
        return _convert_list(origin or kind, inner, cast("list[Any]", value))
    if (kind in (dict, Mapping) or origin in (dict, Mapping)) and isinstance(value, dict):
        within = inner[1] if inner else Any
        return {name: convert(within, one) for name, one in cast("dict[str, Any]", value).items()}
    return _convert_to_class(kind, origin, value)


def _convert_to_first(kinds: tuple[Any, ...], value: Any) -> Any:
    """The exact type goes first: with `float | int` a whole number stays one."""
    for kind in sorted(kinds, key=lambda kind: type(value) is not kind):
        try:
            return convert(kind, value)
        except NotThatType:
            continue
    return _refuse(" or ".join(str(getattr(kind, "__name__", kind)) for kind in kinds), value)


def _convert_list(origin: Any, inner: tuple[Any, ...], value: list[Any]) -> Any:
    fixed = origin is tuple and inner and inner[-1] is not Ellipsis
    if fixed and len(inner) != len(value):
        raise NotThatType(f"{len(inner)} items are wanted, not {len(value)}")
    kinds = inner if fixed else (inner[:1] or (Any,)) * len(value)
    items: Any = [convert(kind, item) for kind, item in zip(kinds, value, strict=True)]
    return cast(Any, origin)(items) if origin in (tuple, set, frozenset) else items


def _convert_to_class(kind: Any, origin: Any, value: Any) -> Any:
    if hasattr(kind, "model_validate"):  # Pydantic
        return _tried(kind.model_validate, value)
    if _is_enum(kind):
        return _tried(kind, value)
    if is_typeddict(kind):
        return _fields(*_keys(kind), value)
    if _is_dataclass(kind):
        return kind(**_fields(_hints(kind), _needed(kind), value))
    if origin is not None or kind in _TIMES or kind in (dict, *_LISTS):
        return _refuse(kind, value)
    return value  # A type that JSON knows nothing of; the function has to see for itself.


def _fields(hints: Mapping[str, Any], needed: Iterable[str], value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotThatType(f"an object is wanted, not {value!r:.80}")
    given = cast("dict[str, Any]", value)
    for name in needed:
        if name not in given:
            raise NotThatType(f"`{name}` is missing")
    for name in given:
        if name not in hints:
            raise NotThatType(f"there is no `{name}`")
    return {name: convert(hints[name], one) for name, one in given.items()}


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, enum.Enum)


def _is_dataclass(kind: Any) -> bool:
    return isinstance(kind, type) and dataclasses.is_dataclass(kind)


def _keys(kind: Any) -> tuple[dict[str, Any], list[str]]:
    """The keys of a `TypedDict`, and those that are needed."""
    hints = get_type_hints(kind, include_extras=True)
    # Where annotations are texts, Python itself does not see `NotRequired` in them.
    said = {name: get_origin(hint) for name, hint in hints.items()}
    needed = [
        name
        for name in hints
        if said[name] is Required or (said[name] is not NotRequired and name in kind.__required_keys__)
    ]
    return hints, needed


def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {one.name: hints[one.name] for one in dataclasses.fields(kind) if one.init}


def _needed(kind: Any) -> list[str]:
    missing = dataclasses.MISSING
    return [
        one.name
        for one in dataclasses.fields(kind)
        if one.init and one.default is missing and one.default_factory is missing
    ]


def _tried(make: Any, value: Any) -> Any:
    try:
        return make(value)
    except Exception as error:
        raise NotThatType(str(error)) from error


def _refuse(kind: Any, value: Any) -> Any:
    raise NotThatType(f"{getattr(kind, '__name__', kind)} is wanted, not {value!r:.80}")


def to_json(value: Any) -> Any:
    """What a function gave as JSON; `TypeError` when it cannot be that."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value.value if isinstance(value, enum.Enum) else value
    if hasattr(value, "model_dump"):  # Pydantic
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: to_json(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {str(name): to_json(one) for name, one in items}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json(one) for one in cast("Iterable[Any]", value)]
    if isinstance(value, enum.Enum):
        return to_json(value.value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} cannot be given to the sandbox: give what JSON can hold")
