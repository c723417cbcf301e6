"""What an exception says, as plain data.

The frames of the runner are left out: those before the program's first frame, and any of our own.
Everything here is called when a program has failed in whatever way, so it must not fail itself.
"""

import builtins as _builtins
import traceback as _traceback

_OURS = "<execute-python>/"
_MOST_TEXT = 256 * 1024
_MOST_FRAMES = 200
_MOST_CAUSES = 20

_Exception = BaseException
_Recursion = RecursionError


class TimeLimit(BaseException):
    """Raised in the program when its time is used up. No `except Exception` catches it."""

    # So that a traceback shows the name alone.
    __module__ = "builtins"


def cut(text, most):
    """The text, with its middle left out when it is longer than `most` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def describe(error, name):
    """All that is told of an exception; `name` is the file name of the program."""
    try:
        return _describe(error, name)
    except _Exception as failure:
        kind = type(error)
        text = f"{kind.__name__}: (its description failed with {type(failure).__name__})\n"
        return {
            "type": kind.__name__, "module": str(kind.__module__), "message": "",
            "notes": [], "causes": [], "frames": [], "text": text,
        }


def _describe(error, name):
    whole = _traceback.TracebackException(type(error), error, error.__traceback__)
    _leave_out_ours(whole, name, set())
    described = _one(error, whole)
    described["causes"] = _causes(error, whole)
    described["text"] = cut(_text(whole), _MOST_TEXT)
    return described


def _text(whole):
    """As Python prints it: of an error in the text of the program there is no traceback."""
    if whole.stack or whole.__cause__ or whole.__context__:
        return "".join(whole.format())
    return "".join(whole.format_exception_only())


def _leave_out_ours(whole, name, seen):
    if whole is None or id(whole) in seen:
        return
    seen.add(id(whole))
    stack = whole.stack
    first = next((i for i, frame in enumerate(stack) if frame.filename == name), 0)
    stack[:] = [frame for frame in stack[first:] if not frame.filename.startswith(_OURS)]
    _leave_out_ours(whole.__cause__, name, seen)
    _leave_out_ours(whole.__context__, name, seen)
    for inner in getattr(whole, "exceptions", None) or ():
        _leave_out_ours(inner, name, seen)


def _one(error, whole):
    kind = type(error)
    return {
        "type": kind.__qualname__,
        "module": str(kind.__module__),
        "message": cut(_message(error, whole), _MOST_TEXT),
        "notes": [str(note) for note in getattr(error, "__notes__", None) or ()],
        "frames": _frames(whole.stack),
    }


def _message(error, whole):
    if isinstance(error, _builtins.SyntaxError):
        return str(error.msg)
    try:
        return str(error)
    except _Exception:
        return "<exception str() failed>"


def _causes(error, whole):
    causes = []
    while len(causes) < _MOST_CAUSES:
        if error.__cause__ is not None and whole.__cause__ is not None:
            error, whole, relation = error.__cause__, whole.__cause__, "cause"
        elif (
            error.__context__ is not None
            and whole.__context__ is not None
            and not error.__suppress_context__
        ):
            error, whole, relation = error.__context__, whole.__context__, "context"
        else:
            return causes
        causes.append({"relation": relation, **_one(error, whole)})
    return causes


def _frames(stack):
    frames = list(stack)
    if len(frames) > _MOST_FRAMES:
        half = _MOST_FRAMES // 2
        frames = frames[:half] + frames[-half:]
    return [
        {
            "file": frame.filename,
            "line": frame.lineno,
            "function": frame.name,
            "source": (frame.line or "").strip() or None,
        }
        for frame in frames
    ]
