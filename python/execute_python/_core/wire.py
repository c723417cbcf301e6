"""The protocol: what each call sends and how its answer is read. Nothing here does I/O."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast
from urllib.parse import quote

from typing_extensions import TypedDict

from .. import models
from ..errors import AnswerNotUnderstood, Problem, RequestRefused, refusal
from .decode import decode
from .tools import Tool

T = TypeVar("T")

FileContent = bytes | str | Path | models.StoredFile
Files = Mapping[str, FileContent] | Sequence[str | Path]


class LimitsRequest(TypedDict, total=False):
    """What a run may use; what is left out is the default of the service."""

    wall_time_ms: int
    cpu_time_ms: int
    memory_bytes: int
    threads: int
    disk_bytes: int
    files: int
    output_bytes: int


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, and how its answer is read."""

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    read: Callable[[bytes], T]
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def given(**options: object) -> dict[str, Any]:
    """The options that are not `None`."""
    return {name: value for name, value in options.items() if value is not None}


def input_files(files: Files | None) -> list[dict[str, str]] | None:
    """Files on the wire. Reads those that are named by a path."""
    if files is None:
        return None
    if isinstance(files, Mapping):
        return [_input_file(path, content) for path, content in files.items()]
    return [_input_file(Path(path).name, Path(path)) for path in files]


def _input_file(path: str, content: FileContent) -> dict[str, str]:
    if isinstance(content, models.StoredFile):
        return {"path": path, "file_id": content.id}
    if isinstance(content, os.PathLike):
        content = content.read_bytes()
    elif isinstance(content, str):
        content = content.encode()
    return {"path": path, "content": base64.b64encode(content).decode()}


def definitions(tools: Sequence[Tool]) -> list[dict[str, Any]] | None:
    """Tools on the wire."""
    return [tool.definition() for tool in tools] or None


def run(session: str | None, body: Mapping[str, Any]) -> Call[None]:
    """A run whose answer is a stream: each line is an event."""
    path = "/v1/runs" if session is None else f"/v1/sessions/{_id(session)}/runs"
    return _post(path, nothing, body, {"accept": "application/x-ndjson"})


def submit(body: Mapping[str, Any]) -> Call[models.RunState]:
    """A run in the background."""
    return _post("/v1/runs", _reader(models.RunState), {**body, "background": True})


def run_state(run: str, wait: int) -> Call[models.RunState]:
    """How a run is, after waiting so many seconds for its end."""
    return _get(f"/v1/runs/{_id(run)}?wait={wait}", _reader(models.RunState))


def outcome_gone(state: models.RunState) -> Problem:
    """What is wrong with a run that is over and has no outcome."""
    detail = f"the outcome of `{state.id}`, which ended as {state.status}, is no longer kept"
    return Problem(status=500, code="outcome_gone", detail=detail)


def cancel(run: str) -> Call[None]:
    """Cancels a run; its outcome still comes."""
    return _post(f"/v1/runs/{_id(run)}/cancel", nothing)


def answer_input(run: str, id: str, text: str | None) -> Call[None]:
    """Answers a program that waits for a line."""
    return _post(f"/v1/runs/{_id(run)}/input", nothing, {"id": id, **given(text=text)})


def answer_tool(run: str, id: str, answer: Mapping[str, Any]) -> Call[None]:
    """Answers a program that called a function."""
    return _post(f"/v1/runs/{_id(run)}/tool_results", nothing, {"id": id, **answer})


def open_session(options: Mapping[str, Any]) -> Call[models.SessionInfo]:
    """Opens a session."""
    return _post("/v1/sessions", _reader(models.SessionInfo), options)


def sessions() -> Call[tuple[models.SessionInfo, ...]]:
    """The sessions that are open."""
    return _get("/v1/sessions", _list_reader("sessions", models.SessionInfo))


def session_info(session: str) -> Call[models.SessionInfo]:
    """What is known of a session."""
    return _get(f"/v1/sessions/{_id(session)}", _reader(models.SessionInfo))


def close_session(session: str) -> Call[None]:
    """Closes a session."""
    return Call("DELETE", f"/v1/sessions/{_id(session)}", nothing)


def interrupt(session: str) -> Call[None]:
    """Raises `KeyboardInterrupt` in the run that goes on."""
    return _post(f"/v1/sessions/{_id(session)}/interrupt", nothing)


def checkpoint(session: str, name: str | None) -> Call[models.Checkpoint]:
    """Keeps the present state."""
    path = f"/v1/sessions/{_id(session)}/checkpoints"
    return _post(path, _reader(models.Checkpoint), given(name=name))


def checkpoints(session: str) -> Call[tuple[models.Checkpoint, ...]]:
    """The states to return to."""
    path = f"/v1/sessions/{_id(session)}/checkpoints"
    return _get(path, _list_reader("checkpoints", models.Checkpoint))


def difference(session: str, checkpoint: str) -> Call[models.Difference]:
    """What is different now."""
    path = f"/v1/sessions/{_id(session)}/checkpoints/{_id(checkpoint)}/diff"
    return _get(path, _reader(models.Difference))


def rewind(session: str, to: str) -> Call[models.SessionState]:
    """Returns to an earlier state."""
    path = f"/v1/sessions/{_id(session)}/rewind"
    return _post(path, _reader(models.SessionState), {"to": to})


def fork(session: str, count: int) -> Call[tuple[models.SessionInfo, ...]]:
    """Copies of a session as it is."""
    path = f"/v1/sessions/{_id(session)}/fork"
    return _post(path, _list_reader("sessions", models.SessionInfo), {"count": count})


def adopt(session: str, branch: str) -> Call[None]:
    """Makes the state of a fork that of the session."""
    return _post(f"/v1/sessions/{_id(session)}/adopt", nothing, {"branch": branch})


def variables(session: str) -> Call[tuple[models.Variable, ...]]:
    """The variables of a session."""
    path = f"/v1/sessions/{_id(session)}/variables"
    return _get(path, _list_reader("variables", models.Variable))


def session_files(session: str) -> Call[tuple[models.FileInfo, ...]]:
    """The files in the work folder of a session."""
    path = f"/v1/sessions/{_id(session)}/files"
    return _get(path, _list_reader("files", models.FileInfo))


def session_zip(session: str) -> Call[bytes]:
    """All of them as a zip."""
    return _get(f"/v1/sessions/{_id(session)}/files?format=zip", bytes)


def read_file(session: str, path: str) -> Call[bytes]:
    """The content of one."""
    return _get(f"/v1/sessions/{_id(session)}/files/{quote(path)}", bytes)


def write_file(session: str, path: str, content: bytes) -> Call[None]:
    """Puts one there."""
    return Call("PUT", f"/v1/sessions/{_id(session)}/files/{quote(path)}", nothing, content)


def remove_file(session: str, path: str) -> Call[None]:
    """Removes one."""
    return Call("DELETE", f"/v1/sessions/{_id(session)}/files/{quote(path)}", nothing)


def upload(name: str, content: bytes) -> Call[models.StoredFile]:
    """Gives the service a file to keep."""
    headers = {"content-type": "application/octet-stream"}
    path = f"/v1/files?name={_id(name)}"
    return Call("POST", path, _reader(models.StoredFile), content, headers)


def stored_files() -> Call[tuple[models.StoredFile, ...]]:
    """The files that the service keeps."""
    return _get("/v1/files", _list_reader("files", models.StoredFile))


def remove_stored_file(id: str) -> Call[None]:
    """Removes one of them."""
    return Call("DELETE", f"/v1/files/{_id(id)}", nothing)


def artifact(id: str) -> Call[bytes]:
    """The content of an artifact."""
    return _get(f"/v1/artifacts/{_id(id)}", bytes)


_EVENTS: dict[str, type[Any]] = {
    "started": models.Started,
    "stdout": models.Stdout,
    "stderr": models.Stderr,
    "display": models.Displayed,
    "violation": models.Violated,
    "input_requested": models.InputRequested,
    "tool_call": models.ToolCalled,
    "usage": models.Used,
    "finished": models.Finished,
}


class Lines:
    """Cuts a stream of bytes into lines, at `\\n` alone: other ends of lines may stand within a JSON text."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def take(self, content: bytes) -> list[bytes]:
        """The lines that are whole with this content."""
        first, *more = content.split(b"\n")
        self._begun.append(first)
        if not more:
            return []
        lines = [b"".join(self._begun), *more[:-1]]
        self._begun = [more[-1]]
        return lines


def event(line: bytes) -> models.Event | None:
    """An event of a stream; none for a sign of life, or for one that is newer than this package."""
    if not line.strip():
        return None
    value = _parsed(line)
    if not isinstance(value, dict):
        raise AnswerNotUnderstood(f"this is no event: {line[:80]!r}")
    fields = cast("dict[str, Any]", value)
    kind = _EVENTS.get(str(fields.get("type")))
    return kind and cast("models.Event", decode(kind, fields))


def refused(status: int, reason: str, content: bytes) -> RequestRefused:
    """The error for an answer that is no success."""
    try:
        problem = decode(Problem, _parsed(content))
    except AnswerNotUnderstood:
        detail = content[:200].decode(errors="replace") or reason
        problem = Problem(title=reason, status=status, detail=detail)
    return refusal(problem)


def nothing(_: bytes) -> None:
    """Reads an answer that says nothing."""


def _get(path: str, read: Callable[[bytes], T]) -> Call[T]:
    return Call("GET", path, read)


def _post(
    path: str,
    read: Callable[[bytes], T],
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Call[T]:
    content = json.dumps(body or {}).encode()
    return Call("POST", path, read, content, {"content-type": "application/json", **(headers or {})})


def _reader(kind: type[T]) -> Callable[[bytes], T]:
    return lambda content: decode(kind, _parsed(content))


def _list_reader(name: str, kind: type[T]) -> Callable[[bytes], tuple[T, ...]]:
    def read(content: bytes) -> tuple[T, ...]:
        value = _parsed(content)
        listed = cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None
        if not isinstance(listed, list):
            raise AnswerNotUnderstood(f"the answer has no list `{name}`")
        return tuple(decode(kind, item) for item in cast("list[Any]", listed))

    return read


def _parsed(content: str | bytes) -> object:
    try:
        return json.loads(content)
    except ValueError as error:
        raise AnswerNotUnderstood(f"the answer is no JSON: {content[:80]!r}") from error


def _id(text: str) -> str:
    return quote(text, safe="")
