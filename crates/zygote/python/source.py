"""From the text of a program to code objects, as a notebook cell has them.

The last expression is compiled apart, so that it has a value. Lines that only notebooks know (magics
and shell lines) are not Python: a text that does not compile because of one is compiled again with a
call in its place.
"""

import ast as _ast
import linecache as _linecache
import re as _re
import sys as _sys

_FLAGS = _ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_MOST_MAGICS = 1000
_MAGIC = _re.compile(r"^(\s*)(?:([\w.,\s]+?)\s*=\s*)?([%!]{1,2})(.*)$")
_compile = compile

_INSTALLED = (
    "packages cannot be installed here: this sandbox has no network. The packages that are there "
    "are listed by [d.name for d in importlib.metadata.distributions()]"
)
_NO_SHELL = (
    "there is no shell here. Use Python instead: os.listdir() for ls, open() for cat, "
    "shutil.copy() for cp, zipfile or tarfile for archives"
)


class ShellUnavailable(RuntimeError):
    """A line that a notebook would hand to a shell."""

    # So that a traceback shows the name alone.
    __module__ = "builtins"


def magic(kind, line):
    """What stands in the place of a notebook's line."""
    words = line.split()
    command = words[0] if words else ""
    if command in ("pip", "pip3", "conda", "mamba", "uv"):
        raise ShellUnavailable(_INSTALLED)
    if kind.startswith("!") or command in ("sh", "bash", "system", "sx"):
        raise ShellUnavailable(_NO_SHELL)
    if command not in ("matplotlib", "time", "timeit", "config", "load_ext", "autoreload", "pylab"):
        _sys.stderr.write(f"note: the notebook magic %{command} does nothing here\n")


def remember(name, code):
    """Makes the source lines known to tracebacks and to `inspect`."""
    _linecache.cache[name] = (len(code), None, code.splitlines(True), name)


def cell(code, name):
    """The code of a program: its body, and its last expression or None.

    Raises what the compiler raises.
    """
    tree = _parse(code, name)
    body, last = tree.body, None
    if body and isinstance(body[-1], _ast.Expr) and not _is_silent(code):
        last = _ast.Expression(body.pop().value)
    first = _compile(tree, name, "exec", _FLAGS, True)
    if last is None:
        return first, None
    # A `from __future__ import` of the body holds for the last expression as well.
    future = first.co_flags & _FUTURE
    return first, _compile(last, name, "eval", _FLAGS | future, True)


def _future_flags():
    import __future__

    flags = 0
    for feature in __future__.all_feature_names:
        flags |= getattr(__future__, feature).compiler_flag
    # What is always on is no flag of the compiler.
    return flags & ~0x10


_FUTURE = _future_flags()


def _is_silent(code):
    """A semicolon at the very end keeps a notebook from showing the value."""
    lines = code.rstrip().rsplit("\n", 1)
    return lines[-1].rstrip().endswith(";")


def _parse(code, name):
    flags = _FLAGS | _ast.PyCF_ONLY_AST
    first_error = None
    for _ in range(_MOST_MAGICS):
        try:
            return _compile(code, name, "exec", flags, True)
        except SyntaxError as error:
            first_error = first_error or error
            changed = _replace(code, error.lineno)
            if changed is None:
                break
            code = changed
    raise first_error


def _replace(code, number):
    """The text with a call in place of the magic in this line; None if it holds none."""
    lines = code.split("\n")
    if not number or number > len(lines):
        return None
    found = _MAGIC.match(lines[number - 1])
    if found is None:
        return None
    indent, target, kind, line = found.groups()
    call = f"__import__('_execute_python.source').source.magic({kind!r}, {line.strip()!r})"
    if target:
        call = f"{target} = {call}"
    elif kind == "%" and line.split()[:1] in (["time"], ["timeit"]) and len(line.split()) > 1:
        # The statement behind it is still wanted.
        call = line.split(None, 1)[1]
    lines[number - 1] = indent + call
    return "\n".join(lines)
