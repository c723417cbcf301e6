"""What comes back: outcomes, events and what sessions say of themselves, as frozen dataclasses.

The names are those of the wire. Sizes are bytes and times are milliseconds, as the end of each name says.
"""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Self

from ._core import html, text
from .errors import AnswerNotUnderstood, Problem, RunFailed

if TYPE_CHECKING:
    from PIL.Image import Image

Status = Literal[
    "ok",
    "exception",
    "exited",
    "timeout",
    "memory_limit",
    "violation",
    "rejected",
    "crashed",
    "cancelled",
]
Policy = Literal["standard", "strict", "lenient"]
Category = Literal["process", "privilege", "network", "filesystem"]
Action = Literal["interrupt", "deny"]
Content = bytes  # Where a field is called `bytes`, the type needs another name.


@dataclass(frozen=True)
class CapturedText:
    """What was written to a stream, with an exact account of what is missing from it."""

    text: str = ""
    """All of it, or its beginning when it was longer than the limit."""
    tail: str | None = None
    """Its end, when it was longer than the limit; what lies between is left out."""
    total_bytes: int = 0
    kept_bytes: int = 0
    replaced: int = 0
    """Places where bytes that are not UTF-8 were replaced by U+FFFD."""

    @property
    def missing_bytes(self) -> int:
        """Bytes that were written and are not here."""
        return max(0, self.total_bytes - self.kept_bytes)

    def __str__(self) -> str:
        if self.tail is None:
            return self.text
        return f"{self.text}\n[… {self.missing_bytes} bytes left out …]\n{self.tail}"


@dataclass(frozen=True)
class MimeBundle:
    """One thing in several forms: MIME type to content. Pictures are base64, JSON is JSON."""

    data: dict[str, Any] = field(default_factory=dict[str, Any])
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def text(self) -> str | None:
        """The plain text form."""
        text = self.data.get("text/plain")
        return text if isinstance(text, str) else None

    @property
    def picture(self) -> tuple[str, bytes] | None:
        """MIME type and bytes of the picture, if it is one that pixels are made of."""
        for mime_type in ("image/png", "image/jpeg", "image/gif", "image/webp"):
            content = self.data.get(mime_type)
            if isinstance(content, str):
                return mime_type, base64.b64decode(content)
        return None

    def image(self) -> Image | None:
        """The picture for Pillow, which comes with `execute-python[images]`."""
        picture = self.picture
        return picture and _opened(picture[1])

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        return html.tame(self.data), self.metadata


Display = MimeBundle


@dataclass(frozen=True)
class Frame:
    """One frame of a traceback."""

    file: str = ""
    line: int | None = None
    function: str = ""
    source: str | None = None


@dataclass(frozen=True)
class Cause:
    """An exception behind another one."""

    relation: Literal["cause", "context"]
    type: str
    module: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True)
class GuestException:
    """What Python raised in the sandbox; all of it is what the guest says."""

    type: str
    module: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    frames: tuple[Frame, ...] = ()
    text: str = ""
    """The traceback as Python prints it."""

    def __str__(self) -> str:
        return self.text or f"{self.type}: {self.message}"


@dataclass(frozen=True)
class Artifact:
    """A file that the run created or modified in its work folder."""

    path: str
    bytes: int
    mime_type: str
    sha256: str = ""
    change: Literal["created", "modified"] = "created"
    id: str | None = None
    url: str | None = None
    content: str | None = field(default=None, repr=False)
    """Its content in base64, where it was asked for."""

    def read(self) -> Content:
        """Its content, which came with the outcome unless the run was asked with `artifacts=False`."""
        if self.content is None:
            raise ValueError(f"the content of `{self.path}` did not come with the outcome: ask the client")
        return base64.b64decode(self.content)

    def save(self, folder: str | Path = ".") -> Path:
        """Writes it into a folder, under its own path; gives where it is now."""
        place = _beneath(Path(folder), self.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(self.read())
        return place

    def image(self) -> Image | None:
        """The picture for Pillow, if it is one that pixels are made of."""
        is_picture = self.mime_type.startswith("image/") and "svg" not in self.mime_type
        return _opened(self.read()) if is_picture else None


@dataclass(frozen=True)
class Violation:
    """One forbidden attempt. What the kernel said is evidence; frames are what the guest says."""

    category: Category
    attempt: str
    system_call: str | None = None
    arguments: tuple[int, ...] = ()
    layer: Literal["seccomp", "audit"] = "seccomp"
    action: Action = "deny"
    at_ms: float = 0.0
    frames: tuple[Frame, ...] = ()
    hint: str = ""


@dataclass(frozen=True)
class Usage:
    """What the run used."""

    wall_time_ms: float = 0.0
    cpu_time_ms: float = 0.0
    memory_bytes: int = 0
    threads: int | None = None
    disk_bytes: int = 0
    files: int = 0
    output_bytes: int = 0


@dataclass(frozen=True)
class Limits:
    """What the run was allowed to use."""

    wall_time_ms: int = 0
    cpu_time_ms: int = 0
    memory_bytes: int = 0
    threads: int = 0
    disk_bytes: int = 0
    files: int = 0
    output_bytes: int = 0


@dataclass(frozen=True)
class SessionState:
    """What became of the state of a session in a run."""

    kind: Literal["kept", "rewound", "lost"]
    checkpoint: str | None = None
    run: str | None = None
    rewindable: bool = True
    message: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a run ended, with everything that it produced until then."""

    id: str
    status: Status
    summary: str = ""
    stdout: CapturedText = field(default_factory=CapturedText)
    stderr: CapturedText = field(default_factory=CapturedText)
    value: MimeBundle | None = None
    displays: tuple[MimeBundle, ...] = ()
    exception: GuestException | None = None
    exit_code: int | None = None
    signal: int | None = None
    stopped_at: tuple[Frame, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    violations: tuple[Violation, ...] = ()
    violations_total: int = 0
    usage: Usage = field(default_factory=Usage)
    limits: Limits = field(default_factory=Limits)
    environment: str = ""
    python: str = ""
    session: str | None = None
    state: SessionState | None = None
    waived: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    started_at: str = ""
    finished_at: str = ""

    @property
    def ok(self) -> bool:
        """Whether the program came to its end, by itself and without complaint."""
        return self.status == "ok" or (self.status == "exited" and self.exit_code == 0)

    def raise_for_status(self) -> Self:
        """Raises `RunFailed` unless the run is ok; gives itself, so that calls can follow."""
        if not self.ok:
            raise RunFailed(self)
        return self

    def artifact(self, path: str) -> Artifact:
        """The artifact of this path; `KeyError` when there is none."""
        for artifact in self.artifacts:
            if artifact.path == path:
                return artifact
        raise KeyError(path)

    def images(self) -> list[Image]:
        """All pictures that were shown or saved, for Pillow."""
        shown = [*self.displays, *((self.value,) if self.value else ()), *self.artifacts]
        return [image for thing in shown if (image := thing.image()) is not None]

    def to_text(self, most_letters: int = 20_000) -> str:
        """All of it as text for a model: short, and truthful about what is left out."""
        return text.outcome(self, most_letters)

    def _repr_html_(self) -> str:
        return html.outcome(self)


@dataclass(frozen=True)
class Started:
    """The code was handed to a worker."""

    id: str
    environment: str = ""


@dataclass(frozen=True)
class Stdout:
    """The program wrote to its standard output."""

    text: str


@dataclass(frozen=True)
class Stderr:
    """The program wrote to its standard error."""

    text: str


@dataclass(frozen=True)
class Displayed:
    """The program showed something."""

    display: MimeBundle


@dataclass(frozen=True)
class Violated:
    """The monitor saw a forbidden attempt."""

    violation: Violation


@dataclass(frozen=True)
class InputRequested:
    """The program waits for a line of input."""

    id: str
    prompt: str = ""
    password: bool = False


@dataclass(frozen=True)
class ToolCalled:
    """The program calls a function of the caller and waits for its answer."""

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Used:
    """What the run has used until now."""

    usage: Usage


@dataclass(frozen=True)
class Finished:
    """The run is over."""

    outcome: Outcome


Event = Started | Stdout | Stderr | Displayed | Violated | InputRequested | ToolCalled | Used | Finished


@dataclass(frozen=True)
class SessionInfo:
    """A session as a list shows it."""

    id: str
    name: str | None = None
    environment: str = ""
    python: str = ""
    parent: str | None = None
    created_at: str = ""
    last_used_at: str = ""
    expires_at: str = ""
    runs: int = 0
    running: bool = False


@dataclass(frozen=True)
class Checkpoint:
    """A state of a session that it can return to."""

    id: str
    name: str | None = None
    run: str | None = None
    parent: str | None = None
    created_at: str = ""
    current: bool = False


@dataclass(frozen=True)
class Changes:
    """Names that came, went, or stand for something else now."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """What is different between a checkpoint and the present state."""

    variables: Changes = field(default_factory=Changes)
    files: Changes = field(default_factory=Changes)


@dataclass(frozen=True)
class FileInfo:
    """A file in the work folder of a session."""

    path: str
    bytes: int = 0
    modified_at: str = ""
    mime_type: str = ""


@dataclass(frozen=True)
class Variable:
    """A variable of a session; all of it is what the guest says."""

    name: str
    type: str = ""
    summary: str = ""
    shape: tuple[int, ...] | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class StoredFile:
    """A file that the service keeps, to be given to many runs."""

    id: str
    name: str
    bytes: int = 0
    sha256: str = ""
    mime_type: str = ""
    created_at: str = ""


@dataclass(frozen=True)
class RunState:
    """How a run in the background is."""

    id: str
    status: str
    """`queued`, `running`, `failed`, or how it ended."""
    outcome: Outcome | None = None
    problem: Problem | None = None
    """Why it could not be carried out, when `status` is `failed`."""


def _opened(content: Content) -> Image:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("pictures need Pillow: pip install 'execute-python[images]'") from error
    return Image.open(io.BytesIO(content))


def _beneath(folder: Path, path: str) -> Path:
    """The place of a path that the guest chose; it is never outside of the folder."""
    place = (folder / path).resolve()
    if not place.is_relative_to(folder.resolve()):
        raise AnswerNotUnderstood(f"the path `{path}` leads out of the folder")
    return place
