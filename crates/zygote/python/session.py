"""What a session has beyond a program: numbered cells, `In`, `Out` and `_`, a loop of asyncio that
lives on, and answers to questions about its variables.

What is told of a variable is found without running code of its class, as far as that is possible:
a class that is not known here is named, and that is all.
"""

import sys as _sys
import types as _types

from _execute_python import errors as _errors
from _execute_python.errors import BUILTINS as __builtins__

#: How many variables are told of, and how many characters of a value.
_MOST_NAMES = 500
_MOST_TEXT = 200
_SMALL = 50
#: How many values `Out` keeps.
_MOST_OUT = 1000
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_SEQUENCES = (list, tuple, set, frozenset, dict)

_count = 0
_loop = None
_own = frozenset()


def begin(names, code):
    """Called before each cell: numbers it."""
    global _count, _own
    if not _count:
        names["In"], names["Out"] = [""], {}
        names["_"] = names["__"] = names["___"] = names["_i"] = ""
        _own = frozenset(names)
    _count += 1
    if isinstance(names.get("In"), list):
        names["In"].append(code)
    names["_i"] = code


def end(names, value):
    """Called with the value of each cell that came to its end."""
    if value is None:
        return
    out = names.get("Out")
    if isinstance(out, dict) and value is not out:
        out[_count] = value
        if len(out) > _MOST_OUT:
            del out[next(iter(out))]
        names["___"], names["__"], names["_"] = names.get("__"), names.get("_"), value


def run(coroutine):
    """Runs a cell that awaits, on the loop of this session."""
    global _loop
    import asyncio

    if _loop is None or _loop.is_closed():
        _loop = asyncio.new_event_loop()
    asyncio.set_event_loop(_loop)
    task = _loop.create_task(coroutine)
    try:
        return _loop.run_until_complete(task)
    except BaseException:
        task.cancel()
        raise


def marks(names):
    """Name, class and a mark of each variable: a variable whose mark is another has changed."""
    return [[name, _class(value), _mark(value)] for name, value in _variables(names)]


def variables(names):
    """What is told of each variable."""
    return [_told(name, value) for name, value in _variables(names)]


def value(names, path, start, stop):
    """A text of one variable, or of a part of one: the answer to a question for a big value."""
    found = names
    for part in path.split("."):
        found = found[part] if isinstance(found, dict) else getattr(found, part)
    if start is not None or stop is not None:
        found = _slice(found, start, stop)
    return found


def _slice(found, start, stop):
    if hasattr(found, "iloc"):
        return found.iloc[start:stop]
    if isinstance(found, dict):
        return dict(list(found.items())[start:stop])
    if isinstance(found, (set, frozenset)):
        return list(found)[start:stop]
    return found[start:stop]


def _variables(names):
    found = []
    for name, value in list(names.items()):
        if not isinstance(name, str) or name.startswith("_") or name in _own:
            continue
        if isinstance(value, _types.ModuleType):
            continue
        found.append((name, value))
        if len(found) == _MOST_NAMES:
            break
    return found


def _class(value):
    kind = type(value)
    module = getattr(kind, "__module__", "builtins")
    name = str(getattr(kind, "__qualname__", "?"))
    top = str(module).partition(".")[0]
    return name if module in ("builtins", "__main__") else f"{top}.{name}"


def _mark(value):
    try:
        if type(value) in _PLAIN:
            return hash(value) & 0xFFFFFFFF
        size = _shape(value)
        text = _short(value) if type(value) in _SEQUENCES else ""
        return hash((id(value), tuple(size or ()), text)) & 0xFFFFFFFF
    except Exception:
        return id(value) & 0xFFFFFFFF


def _told(name, value):
    told = {"name": name, "type": _class(value)}
    try:
        told["shape"] = _shape(value)
        told["bytes"] = _bytes(value)
        told["summary"] = _summary(value)
    except Exception:
        # A value that cannot be looked at has its class and name.
        pass
    return told


def _is(value, module, *names):
    kind = type(value)
    return kind.__name__ in names and str(kind.__module__).partition(".")[0] == module


def _shape(value):
    if type(value) in _SEQUENCES or type(value) in (str, bytes, bytearray, range):
        return [len(value)]
    if _is(value, "numpy", "ndarray") or _is(value, "pandas", "DataFrame", "Series"):
        return [int(length) for length in value.shape]
    return None


def _bytes(value):
    if _is(value, "numpy", "ndarray"):
        return int(value.nbytes)
    if _is(value, "pandas", "DataFrame"):
        return int(value.memory_usage().sum())
    if _is(value, "pandas", "Series"):
        return int(value.memory_usage())
    return _sys.getsizeof(value) if type(value) in _PLAIN + _SEQUENCES else None


def _summary(value):
    if _is(value, "pandas", "DataFrame"):
        columns = [f"{name}: {kind}" for name, kind in list(value.dtypes.items())[:20]]
        return _errors.cut(", ".join(columns), _MOST_TEXT)
    if _is(value, "pandas", "Series") or _is(value, "numpy", "ndarray"):
        return str(value.dtype)
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return _short(value)


def _short(value, depth=0):
    """A text of a plain value, and of containers of such, without any code of the guest."""
    kind = type(value)
    if kind in _PLAIN:
        if kind is int and value.bit_length() > 4 * _MOST_TEXT:
            return f"<int of {value.bit_length()} bits>"
        if kind in (str, bytes) and len(value) > _MOST_TEXT:
            value = value[:_MOST_TEXT]
        return _errors.cut(repr(value), _MOST_TEXT)
    if kind not in _SEQUENCES or depth == 2:
        return f"<{_class(value)}>"
    items, more = [], len(value) > _SMALL
    for item in value:
        if len(items) == _SMALL:
            break
        text = _short(item, depth + 1)
        if kind is dict:
            text = f"{text}: {_short(value[item], depth + 1)}"
        items.append(text)
    left, right = {list: "[]", tuple: "()"}.get(kind, "{}")
    return _errors.cut(left + ", ".join(items) + (", …" if more else "") + right, _MOST_TEXT)
