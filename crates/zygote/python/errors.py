"""What an exception says, as plain data, and as the text that Python prints.

Our own frames are left out: a program is to see its own traceback. Everything here is called when a
program has failed in whatever way, perhaps with the builtins changed or no memory left, so it must
not fail itself: what cannot be described in full is described in short.
"""

import builtins
import io as _io
import sys as _sys
import threading as _threading
import traceback as _traceback

#: A copy that a program cannot change. Each module of the runner takes it as its own builtins.
BUILTINS = dict(vars(builtins))
__builtins__ = BUILTINS

_OURS = "<execute-python>/"
#: Where programs are entered: in a stack, nothing up to the last such frame is the program's.
_ENTRY = _OURS + "cell.py"

_MOST_TEXT = 256 * 1024
_MOST_LINE = 4 * 1024
_MOST_FRAMES = 200
_MOST_CAUSES = 20
_MOST_NOTES = 100


class TimeLimit(BaseException):
    """Raised in a program when its time is used up. No `except Exception` catches it."""

    # So that a traceback shows the name alone.
    __module__ = "builtins"


def cut(text, most):
    """The text, or its beginning and its end when it has more than `most` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters are left out …\n{text[-half:]}"


def describe(error):
    """All that is told of an exception."""
    try:
        return _describe(error)
    except BaseException:
        # The standard library uses the builtins that the program may have changed.
        vars(builtins).update(BUILTINS)
    try:
        return _describe(error)
    except BaseException as failure:
        return _in_short(error, failure)


def text_of(error):
    """The traceback as Python prints it."""
    return _text(error, _whole(error))


def thread_hook(arguments):
    """Prints what ended a thread. Python's own hook has no source lines before 3.13, since it looks
    for them in files."""
    if arguments.exc_type is SystemExit:
        return
    thread = arguments.thread
    name = _threading.get_ident() if thread is None else thread.name
    stream = _sys.stderr or getattr(thread, "_stderr", None)
    if stream is not None:
        stream.write(f"Exception in thread {name}:\n{text_of(arguments.exc_value)}")
        stream.flush()


def _describe(error):
    whole = _whole(error)
    told = _one(error, whole)
    if not told["frames"] and isinstance(error, SyntaxError):
        told["frames"] = _place_of(error)
    told["causes"] = _causes(error, whole)
    told["text"] = cut(_text(error, whole), _MOST_TEXT)
    return told


def _in_short(error, failure):
    kind, other = type(error).__name__, type(failure).__name__
    return {
        "type": kind,
        "module": "",
        "message": "",
        "notes": [],
        "causes": [],
        "frames": [],
        "text": f"{kind}: (it could not be described: {other})\n",
    }


def _whole(error):
    whole = _traceback.TracebackException(type(error), error, error.__traceback__)
    _leave_out_ours(whole, set())
    return whole


def _leave_out_ours(whole, seen):
    while whole is not None and id(whole) not in seen:
        seen.add(id(whole))
        stack = whole.stack
        entries = [at for at, frame in enumerate(stack) if frame.filename == _ENTRY]
        first = entries[-1] + 1 if entries else 0
        stack[:] = [frame for frame in stack[first:] if not frame.filename.startswith(_OURS)]
        for inner in getattr(whole, "exceptions", None) or ():
            _leave_out_ours(inner, seen)
        _leave_out_ours(whole.__cause__, seen)
        whole = whole.__context__


def _one(error, whole):
    kind = type(error)
    notes = getattr(error, "__notes__", None)
    notes = notes[:_MOST_NOTES] if isinstance(notes, list) else []
    return {
        "type": str(kind.__qualname__),
        "module": str(kind.__module__),
        "message": cut(_message(error), _MOST_TEXT),
        "notes": [cut(_message(note), _MOST_LINE) for note in notes],
        "frames": _frames(whole.stack),
    }


def _message(said):
    try:
        return str(said)
    except Exception:
        return f"<str() of {type(said).__name__} failed>"


def _causes(error, whole):
    causes = []
    while len(causes) < _MOST_CAUSES:
        if error.__cause__ is not None and whole.__cause__ is not None:
            error, whole, relation = error.__cause__, whole.__cause__, "cause"
        elif error.__suppress_context__ or error.__context__ is None or whole.__context__ is None:
            break
        else:
            error, whole, relation = error.__context__, whole.__context__, "context"
        causes.append({"relation": relation, **_one(error, whole)})
    return causes


def _frames(stack):
    frames = list(stack)
    if len(frames) > _MOST_FRAMES:
        half = _MOST_FRAMES // 2
        frames = frames[:half] + frames[-half:]
    return [_frame(frame.filename, frame.lineno, frame.name, frame.line) for frame in frames]


def _frame(file, line, function, source):
    source = (source or "").strip()[:_MOST_LINE]
    return {"file": file, "line": line, "function": function, "source": source or None}


def _place_of(error):
    """A text that is no Python was not run: not a frame tells where the fault is but the error."""
    if not isinstance(error.lineno, int) or error.lineno < 1:
        return []
    return [_frame(str(error.filename), error.lineno, "<module>", error.text)]


def _text(error, whole):
    text = "".join(whole.format())
    if isinstance(error, (NameError, AttributeError)) and _sys.version_info[:2] in (
        (3, 10),
        (3, 11),
    ):
        text = _with_suggestion(error, text)
    return text


def _with_suggestion(error, text):
    """These versions find out what a misspelt name may have meant in their C code only, where it
    prints an exception that nothing caught."""
    kept, _sys.stderr = _sys.stderr, _io.StringIO()
    try:
        _sys.__excepthook__(type(error), error, error.__traceback__)
        printed = _sys.stderr.getvalue()
    finally:
        _sys.stderr = kept
    last = text.rstrip("\n").rpartition("\n")[2]
    for line in printed.splitlines():
        if line.startswith(last + ". Did you mean"):
            return text.rstrip("\n")[: -len(last)] + line + "\n"
    return text
