"""The standard streams of a program: UTF-8 text over the descriptors 0, 1 and 2.

They are made once, before the fork; a worker has other files at the same numbers. Lines are written
out as they end, so that little is lost when a program is stopped and both streams keep their order.

No text fails to be printed: what UTF-8 cannot express (half of a surrogate pair, a byte of a file
name) appears as an escape, `\\udcff`. Raw bytes go through `sys.stdout.buffer`.
"""

import os as _os
import sys as _sys

from _execute_python.errors import BUILTINS as __builtins__

_STDIN = "/mnt/stdin"
_NONE_GIVEN = "input() was called but no stdin was given; pass the text as stdin"
_USED_UP = "input() was called but there is nothing (more) to read; pass more lines as stdin"

_NOT_ANSWERED = "input() was called and nobody answered"

_native = _stdin = _stdout = _stderr = None
_given = False
_builtin_input = input
#: Asks the caller for a line, where there is one who answers; gives None at the end.
caller = None


def prepare(native):
    """Puts the streams in place."""
    global _native, _stdin, _stdout, _stderr
    _native = native
    _stdin = _reader()
    _stdout, _stderr = _writer(1, "<stdout>"), _writer(2, "<stderr>")
    _sys.stdin = _sys.__stdin__ = _stdin
    _sys.stdout = _sys.__stdout__ = _stdout
    _sys.stderr = _sys.__stderr__ = _stderr


def give_stdin():
    """Makes the text that came with the run the standard input."""
    global _stdin, _given
    try:
        text = _os.open(_STDIN, _os.O_RDONLY)
    except FileNotFoundError:
        # Then it stands there already.
        pass
    else:
        _os.dup2(text, 0)
        _os.close(text)
    _given = True
    _stdin = _sys.stdin = _sys.__stdin__ = _reader()


def flush():
    """Writes out all that is buffered, in whatever state the program left the streams."""
    for stream in (_sys.stdout, _sys.stderr, _stdout, _stderr):
        try:
            stream.flush()
        except BaseException:
            # Closed, replaced by something else, or the other end is gone.
            pass
    _native.flush_c()


def warn(text):
    """Says something on standard error."""
    _stderr.write(text)


def ask(prompt="", /):
    """Read a string from standard input.  The trailing newline is stripped.

    The prompt string, if given, is printed to standard output first. If there is nothing (more) to
    read, EOFError is raised."""
    if caller is not None and not _given and _sys.stdin is _stdin:
        return _asked(prompt)
    try:
        return _builtin_input(prompt)
    except EOFError:
        if _sys.stdin is not _stdin:
            raise
        if caller is not None:
            return _asked("")
    raise EOFError(_USED_UP if _given else _NONE_GIVEN)


def _asked(prompt, password=False):
    _sys.stdout.write(str(prompt))
    line = caller(str(prompt), password)
    if line is None:
        raise EOFError(_NOT_ANSWERED)
    return line


def ask_password(prompt="Password: ", stream=None):
    """Asks for a line that is not shown, as `getpass.getpass` does."""
    if caller is None:
        raise EOFError(_NONE_GIVEN)
    return _asked(prompt, True)


ask.__name__ = ask.__qualname__ = "input"
ask.__module__ = "builtins"


def _reader():
    stream = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    stream.buffer.raw.name = "<stdin>"
    return stream


def _writer(number, name):
    """A stream over a descriptor. While it is made a pipe stands there, as in a worker: a stream
    asks once whether it can seek, and remembers."""
    kept = _os.dup(number)
    reading, writing = _os.pipe()
    try:
        _os.dup2(writing, number)
        stream = open(
            number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
        )
    finally:
        _os.dup2(kept, number)
        for descriptor in (kept, reading, writing):
            _os.close(descriptor)
    stream.buffer.raw.name = name
    return stream
