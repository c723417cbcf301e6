"""From the text of a program to code objects, as a notebook cell has them.

The last expression is compiled apart, so that it has a value; a semicolon behind it says that it is
not wanted. `await` is allowed at the top level. What compiles is taken as it is.
"""

import ast as _ast
import linecache as _linecache

from _execute_python import magics as _magics
from _execute_python.errors import BUILTINS as __builtins__

_FLAGS = _ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_MOST_MAGICS = 200


def normal(code):
    """The text with newlines as the compiler sees them and no byte order mark."""
    if "\r" in code:
        code = code.replace("\r\n", "\n").replace("\r", "\n")
    return code[1:] if code.startswith("\ufeff") else code


def remember(name, code):
    """Makes the lines known to tracebacks, warnings and `inspect`, as if there were such a file."""
    lines = [line + "\n" for line in code.rstrip("\n").split("\n")]
    # Without a time of change the entry is never compared with a file.
    _linecache.cache[name] = (len(code), None, lines, name)


def forget(name):
    """Undoes `remember`."""
    _linecache.cache.pop(name, None)


def compiled(code, name):
    """The program's body, and its last expression or None. Raises what the compiler raises."""
    tree, lines = _parse(code, name)
    last = None
    body = tree.body
    if body and isinstance(body[-1], _ast.Expr) and not _is_silent(body[-1], lines or code):
        last = _ast.Expression(body.pop().value)
    try:
        first = compile(tree, name, "exec", _FLAGS, True)
        return first, last and compile(last, name, "eval", _FLAGS, True)
    except SyntaxError as error:
        raise _complete(error, code, name)


def _is_silent(expression, code):
    lines = code.split("\n") if isinstance(code, str) else code
    line = lines[expression.end_lineno - 1].encode("utf-8", "surrogatepass")
    rest = line[expression.end_col_offset :].lstrip(b" \t\f\\")
    return rest.startswith(b";")


def _parse(code, name):
    """The syntax tree, and the lines that it was made from where they are not those of `code`."""
    flags = _FLAGS | _ast.PyCF_ONLY_AST
    try:
        return compile(code, name, "exec", flags, True), None
    except SyntaxError as error:
        first = error
    lines, taken, error = code.split("\n"), [], first
    for _ in range(_MOST_MAGICS):
        at = (error.lineno or 0) - 1
        more = _magics.replace(lines, at) if 0 <= at < len(lines) else None
        if more is None:
            raise _complete(error, code, name)
        taken.extend(more)
        try:
            tree = compile("\n".join(lines), name, "exec", flags, True)
        except SyntaxError as next_error:
            error = next_error
        else:
            _place(tree, set(taken), code.split("\n"))
            return tree, lines
    raise _complete(first, code, name)


def _complete(error, code, name):
    """The error with the line that it is about, which the compiler looks for in a file at times."""
    lines = code.split("\n")
    if error.filename == name and error.lineno and error.lineno <= len(lines):
        error.text = lines[error.lineno - 1] + "\n"
    error.__context__ = None
    return error.with_traceback(None)


def _place(tree, taken, lines):
    """Calls that stand for magics cover whole lines: their columns mean nothing in the text."""
    for node in _ast.walk(tree):
        line_number = getattr(node, "lineno", 0)
        if line_number - 1 in taken and node.end_lineno == line_number:
            line = lines[line_number - 1]
            node.col_offset = len(line) - len(line.lstrip())
            node.end_col_offset = len(line.encode())
