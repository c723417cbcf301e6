"""Lines that only notebooks know, such as `%matplotlib inline` or `!pip install x`.

Models write them from habit. They are not Python, so they are looked at only when a text does not
compile; then a call takes the place of the line, on the same line. A line that asks for nothing
that matters here does nothing. One that needs a shell or the network raises and says what to do.
"""

import re as _re

from _execute_python import displays as _displays
from _execute_python import streams as _streams
from _execute_python.errors import BUILTINS as __builtins__

_LINE = _re.compile(r"(\s*)(?:([\w.,\s\[\]]+?)\s*=\s*)?(%%|%|!!|!)(?=\s*\S)(.*)", _re.DOTALL)
_REQUIREMENT = _re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_CALL = "__import__('_execute_python').magics.run"

_INSTALLERS = set("pip pip3 conda mamba uv poetry apt apt-get".split())
#: The statement behind these is what was wanted.
_TIMERS = set("time timeit prun memit lprun mprun".split())
_QUIET = _TIMERS | set(
    "autoreload capture colors config load_ext matplotlib precision pylab reload_ext xmode".split()
)
_SHELLS = set(
    "bash cat cd cmd cp dir ls man mkdir mv perl pwd rm rmdir ruby script sh sx system".split()
)
_SHOWN = {
    "html": "text/html",
    "HTML": "text/html",
    "javascript": "application/javascript",
    "js": "application/javascript",
    "latex": "text/latex",
    "markdown": "text/markdown",
    "svg": "image/svg+xml",
    "SVG": "image/svg+xml",
}
#: Cell magics for which the rest of the text is no Python.
_WITH_BODY = _SHELLS | set(_SHOWN) | {"writefile", "file", "sql", "R", "cython"}

_NO_SHELL = (
    "there is no shell in this sandbox, and no network; use Python instead: os.listdir() for ls, "
    "open() for cat, shutil for cp, mv and rm, zipfile and tarfile for archives"
)
_NO_INSTALL = (
    "packages cannot be installed here: this sandbox has no network{missing}. Those that are here "
    "are listed by [d.name for d in importlib.metadata.distributions()]"
)


class ShellUnavailable(RuntimeError):
    """A line that a notebook would hand to a shell."""

    # So that a traceback shows the name alone.
    __module__ = "builtins"


def replace(lines, at):
    """Puts a call in the place of the magic at this line; gives the lines that it took, or None."""
    found = _LINE.fullmatch(lines[at])
    if found is None:
        return None
    indent, target, mark, rest = found.groups()
    command, _, arguments = rest.strip().partition(" ")
    if target and mark == "%" and command not in _QUIET | _SHELLS:
        # More likely a slip than a magic.
        return None
    taken = 1
    while rest.endswith("\\") and at + taken < len(lines):
        rest = rest[:-1] + lines[at + taken]
        taken += 1
    call = f"{_CALL}({mark!r}, {rest.strip()!r}"
    if mark == "%%" and command in _WITH_BODY:
        call += ", " + repr("\n".join(lines[at + 1 :]))
        taken = len(lines) - at
    statement = _without_options(arguments)
    call = statement if mark == "%" and command in _TIMERS and statement else call + ")"
    lines[at] = indent + (f"{target} = {call}" if target else call)
    lines[at + 1 : at + taken] = [""] * (taken - 1)
    return range(at, at + taken)


def run(mark, line, body=None):
    """Does what a notebook would do, as far as it can be done here."""
    command, _, arguments = line.partition(" ")
    if command in _INSTALLERS or "-m pip " in line:
        _install(line)
    elif mark[0] == "!" or command in _SHELLS:
        raise ShellUnavailable(f"`{mark}{line}`: {_NO_SHELL}")
    elif command in ("writefile", "file") and body is not None:
        _write(arguments.split(), body)
    elif command in _SHOWN and body is not None:
        _displays.emit({_SHOWN[command]: body, "text/plain": body}, {})
    elif body is not None:
        raise ShellUnavailable(f"`{mark}{line}`: this sandbox runs nothing but Python")
    elif command not in _QUIET:
        _streams.warn(f"note: the notebook magic {mark}{command} does nothing here\n")


def _without_options(arguments):
    """`-n 10 f(x)` without what is meant for the magic itself."""
    return _re.sub(r"^(?:-[nrtcp]\s*\d+\s+|-[A-Za-z]\w*\s+)+", "", arguments.strip())


def _install(line):
    """To install what is here already is no fault."""
    from importlib import metadata

    # What follows `&&`, and where the output was to go, is not asked for.
    words = _re.sub(r"\s\d?&?>+\s*\S+|\s*(?:&&|[;|]).*", "", line).split()
    after = words[words.index("install") + 1 :] if "install" in words else []
    named = [word.strip("'\"") for word in after if not word.startswith("-")]
    versions, missing = [], []
    for name in filter(None, map(_REQUIREMENT.match, named)):
        try:
            versions.append(f"{name.group()} {metadata.version(name.group())}")
        except metadata.PackageNotFoundError:
            missing.append(name.group())
    if missing or not versions:
        said = f"; not here: {', '.join(missing)}" if missing else ""
        raise ShellUnavailable(_NO_INSTALL.format(missing=said))
    _streams.warn(f"note: nothing was installed; already here: {', '.join(versions)}\n")


def _write(arguments, body):
    mode = "a" if "-a" in arguments else "w"
    with open(arguments[-1], mode, encoding="utf-8") as file:
        file.write(body + "\n")
    print(("Appending to " if mode == "a" else "Writing ") + arguments[-1])
