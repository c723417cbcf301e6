"""Outcomes as HTML for a notebook.

What the guest made is hostile: HTML and SVG that a notebook shows could run scripts in its page, and these
can run code on the machine of the notebook. So HTML goes into a frame with no rights at all, which loads
nothing, and SVG into an `<img>`, where scripts do not run. Scripts are left out.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from ..models import MimeBundle, Outcome

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_PLAIN = ("text/plain", "text/markdown", "text/latex", "application/json")
_DATA = ("application/vnd.plotly.", "application/vnd.vega.", "application/vnd.vegalite.")
"""Charts as data, which a viewer of the notebook draws by code of its own."""
_NOTHING_IS_LOADED = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">"
)
_PRE = 'style="margin:0;white-space:pre-wrap;{}"'


def tame(data: dict[str, Any]) -> dict[str, Any]:
    """The forms that a notebook can show without doing what they say."""
    kept = {
        name: content
        for name, content in data.items()
        if name in _PICTURES or name in _PLAIN or name.startswith(_DATA)
    }
    framed = _framed(data)
    return {**kept, "text/html": framed} if framed else kept


def outcome(outcome: Outcome) -> str:
    """The whole outcome."""
    return "\n".join(f"<div>{part}</div>" for part in _parts(outcome))


def _parts(outcome: Outcome) -> Iterator[str]:
    if outcome.stdout.total_bytes:
        yield _pre(str(outcome.stdout))
    if outcome.stderr.total_bytes:
        yield _pre(str(outcome.stderr), "background:#fdd;color:#000")
    for display in outcome.displays:
        yield _shown(display)
    if outcome.value:
        yield _shown(outcome.value)
    if outcome.exception:
        yield _pre(str(outcome.exception), "color:#b00")
    for artifact in outcome.artifacts:
        yield _pre(f"{artifact.path} ({artifact.mime_type}, {artifact.bytes} bytes)", "opacity:.7")
    if not outcome.ok or outcome.violations:
        yield _pre(f"{outcome.status}: {outcome.summary}", "font-weight:bold")


def _shown(bundle: MimeBundle) -> str:
    picture = next((name for name in _PICTURES if name in bundle.data), None)
    if picture:
        return f'<img src="data:{picture};base64,{html.escape(str(bundle.data[picture]))}">'
    return _framed(bundle.data) or _pre(bundle.text or "")


def _framed(data: dict[str, Any]) -> str | None:
    page, drawing = data.get("text/html"), data.get("image/svg+xml")
    if isinstance(page, str):
        document = html.escape(_NOTHING_IS_LOADED + page)
        lines = page.count("<tr") + page.count("<p") + page.count("<br") + 2
        height = min(600, 40 + 24 * lines)
        style = f"width:100%;height:{height}px;border:0;background:#fff"
        return f'<iframe sandbox srcdoc="{document}" style="{style}"></iframe>'
    if isinstance(drawing, str):
        return f'<img src="data:image/svg+xml,{quote(drawing)}">'
    return None


def _pre(text: str, style: str = "") -> str:
    return f"<pre {_PRE.format(style)}>{html.escape(text)}</pre>"
