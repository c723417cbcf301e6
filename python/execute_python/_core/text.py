"""Outcomes as text for a model: short, and truthful about what is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..models import CapturedText, Outcome


def outcome(outcome: Outcome, most_letters: int) -> str:
    """The whole outcome in at most about so many letters."""
    return "\n".join(_parts(outcome, most_letters)).strip() or "ok: nothing was printed"


def _parts(outcome: Outcome, most: int) -> Iterator[str]:
    if outcome.stdout.total_bytes:
        yield _stream(outcome.stdout, most // 2)
    if outcome.stderr.total_bytes:
        yield f"stderr:\n{_stream(outcome.stderr, most // 4)}"
    if outcome.value and outcome.value.text:
        yield _cut(outcome.value.text, most // 4)
    if outcome.exception:
        yield _cut(str(outcome.exception).rstrip(), most // 4)
    if outcome.status not in ("ok", "exception"):
        yield f"{outcome.status}: {outcome.summary}"
    for violation in outcome.violations[:5]:
        yield f"forbidden: {violation.attempt}; {violation.hint}"
    if pictures := sum(display.picture is not None for display in outcome.displays):
        yield f"pictures shown: {pictures}"
    for artifact in outcome.artifacts:
        yield f"file: {artifact.path} ({artifact.mime_type}, {artifact.bytes} bytes)"
    if outcome.state and outcome.state.kind != "kept":
        yield outcome.state.message
    yield from (f"note: {note}" for note in outcome.notes)


def _stream(stream: CapturedText, most: int) -> str:
    return _cut(str(stream).rstrip("\n"), most)


def _cut(text: str, most: int) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) <= most:
        return text
    head, tail = text[: most // 2], text[-(most // 2) :]
    return f"{head}\n[… {len(text) - len(head) - len(tail)} letters left out …]\n{tail}"
