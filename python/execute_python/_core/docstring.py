"""What a docstring says of the arguments, in the styles of Google, NumPy and Sphinx."""

from __future__ import annotations

import inspect
import re

_GOOGLE_HEAD = re.compile(r"^(Args|Arguments|Parameters)\s*:\s*$")
_GOOGLE_ARGUMENT = re.compile(r"^\s+\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY_HEAD = re.compile(r"^(Parameters|Other Parameters)\s*$")
_NUMPY_ARGUMENT = re.compile(r"^\*{0,2}(\w+)(?:\s*:.*)?$")
_SPHINX_ARGUMENT = re.compile(r"^:param\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)$")
_HEAD = re.compile(r"^(\w[\w ]*:|:\w+.*:.*)\s*$")


def read(function: object) -> tuple[str, dict[str, str]]:
    """What the function does, and what each argument is."""
    lines = (inspect.getdoc(function) or "").splitlines()
    for style in (_google, _numpy, _sphinx):
        if arguments := style(lines):
            return _summary(lines), arguments
    return _summary(lines), {}


def _summary(lines: list[str]) -> str:
    """All before the first section."""
    kept: list[str] = []
    for at, line in enumerate(lines):
        underlined = at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip())
        if _HEAD.match(line) or underlined:
            break
        kept.append(line)
    return "\n".join(kept).strip()


def _google(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name, depth = "", 0
    for line in _section(lines, _GOOGLE_HEAD, 1):
        indent = len(line) - len(line.lstrip())
        argument = _GOOGLE_ARGUMENT.match(line)
        if argument and (not depth or indent <= depth):
            name, depth = argument[1], indent
            found[name] = argument[2].strip()
        elif line.strip() and not indent:
            break
        elif name:
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _numpy(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    section = _section(lines, _NUMPY_HEAD, 2)
    for at, line in enumerate(section):
        if at + 1 < len(section) and section[at + 1].startswith("---"):
            break
        if argument := _NUMPY_ARGUMENT.match(line):
            name = argument[1]
            found[name] = ""
        elif name:
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _sphinx(lines: list[str]) -> dict[str, str]:
    matches = (_SPHINX_ARGUMENT.match(line.strip()) for line in lines)
    return {match[1]: match[2].strip() for match in matches if match}


def _section(lines: list[str], head: re.Pattern[str], skipped: int) -> list[str]:
    for at, line in enumerate(lines):
        if head.match(line):
            return lines[at + skipped :]
    return []
