"""Functions of the caller, which code can call as if they were its own.

A call goes out to whoever asked for the run and its answer comes back; meanwhile the program waits and
its time stands still. In a running loop of asyncio a call gives something to await, so that several
can be under way at once.
"""

import inspect as _inspect
import keyword as _keyword
import sys as _sys

from _execute_python import messages as _messages
from _execute_python.errors import BUILTINS as __builtins__

#: The pipe from the engine.
_COMMANDS = 3
_TYPES = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}

_pending = {}


class ToolError(Exception):
    """A function of the caller failed; what it says is the message."""

    __module__ = "builtins"


def make(tool):
    """The function that a definition stands for."""
    name, schema = tool["name"], tool.get("input_schema") or {}
    signature = _signature(schema)

    def function(*arguments, **options):
        if signature is None:
            given = options
            if arguments:
                raise TypeError(f"{name}() takes its arguments by name")
        else:
            given = _flat(signature.bind(*arguments, **options))
        question = {"type": "call", "name": name, "arguments": given}
        loop = _running_loop()
        if loop is not None:
            return _asked(loop, question)
        return _result(_messages.ask(question))

    function.__name__ = function.__qualname__ = name
    function.__module__ = "__main__"
    function.__doc__ = _described(tool.get("description") or "", schema)
    if signature is not None:
        function.__signature__ = signature
    return function


def _signature(schema):
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not all(map(_is_name, properties)):
        return None
    required = schema.get("required") or []
    # What must be given comes first, as Python wants it.
    ordered = sorted(properties, key=lambda name: name not in required)
    kind = _inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = []
    for name in ordered:
        about = properties[name] if isinstance(properties[name], dict) else {}
        default = _inspect.Parameter.empty if name in required else about.get("default", _LEFT_OUT)
        # A schema may list several types, and a list is no key.
        hint = _TYPES.get(str(about.get("type")), _inspect.Parameter.empty)
        parameters.append(_inspect.Parameter(name, kind, default=default, annotation=hint))
    return _inspect.Signature(parameters)


class _LeftOut:
    def __repr__(self):
        return "..."


_LEFT_OUT = _LeftOut()


def _is_name(name):
    return isinstance(name, str) and name.isidentifier() and not _keyword.iskeyword(name)


def _flat(bound):
    return {name: value for name, value in bound.arguments.items() if value is not _LEFT_OUT}


def _described(description, schema):
    lines = [description.strip()]
    properties = schema.get("properties")
    for name, about in properties.items() if isinstance(properties, dict) else ():
        if isinstance(about, dict) and about.get("description"):
            lines.append(f"{name}: {about['description']}")
    return "\n".join(filter(None, lines))


def _result(answer):
    if "error" in answer:
        raise ToolError(str(answer["error"]))
    return answer.get("result")


def _running_loop():
    asyncio = _sys.modules.get("asyncio")
    return asyncio and asyncio._get_running_loop()


async def _asked(loop, question):
    number = _messages.send_question(question)
    future = loop.create_future()
    if not _pending:
        loop.add_reader(_COMMANDS, _readable, loop)
    _pending[number] = future
    try:
        return _result(await future)
    finally:
        _pending.pop(number, None)
        if not _pending:
            loop.remove_reader(_COMMANDS)


def _readable(loop):
    _messages.read_now()
    for number, future in list(_pending.items()):
        answer = _messages.answer_to(number)
        if answer is not None and not future.done():
            future.set_result(answer)
