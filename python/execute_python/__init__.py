"""Runs Python that nobody has read, in a sandbox, and gives everything back.

>>> from execute_python import execute_python
>>> outcome = execute_python("print(1 + 1)")
>>> outcome.stdout.text
'2\\n'
"""

from ._async.background import AsyncBackgroundRun
from ._async.client import AsyncClient
from ._async.session import AsyncFiles, AsyncSession
from ._async.stream import AsyncStream
from ._core.default import execute_python
from ._core.options import RunOptions, SessionOptions, SubmitOptions
from ._core.tools import Tool
from ._core.wire import LimitsRequest
from ._sync.background import BackgroundRun
from ._sync.client import Client
from ._sync.session import Files, Session
from ._sync.stream import Stream
from .errors import (
    AnswerNotUnderstood,
    Busy,
    ConnectionFailed,
    EngineNotStarted,
    ExecutePythonError,
    NotAllowed,
    NotFound,
    Problem,
    RequestRefused,
    RunFailed,
    ServiceFailed,
)
from .models import (
    Artifact,
    CapturedText,
    Checkpoint,
    Difference,
    Displayed,
    Event,
    FileInfo,
    Finished,
    Frame,
    GuestException,
    InputRequested,
    Limits,
    MimeBundle,
    Outcome,
    RunState,
    SessionInfo,
    SessionState,
    Started,
    Status,
    Stderr,
    Stdout,
    StoredFile,
    ToolCalled,
    Usage,
    Used,
    Variable,
    Violated,
    Violation,
)

__all__ = [
    "AnswerNotUnderstood",
    "Artifact",
    "AsyncBackgroundRun",
    "AsyncClient",
    "AsyncFiles",
    "AsyncSession",
    "AsyncStream",
    "BackgroundRun",
    "Busy",
    "CapturedText",
    "Checkpoint",
    "Client",
    "ConnectionFailed",
    "Difference",
    "Displayed",
    "EngineNotStarted",
    "Event",
    "ExecutePythonError",
    "FileInfo",
    "Files",
    "Finished",
    "Frame",
    "GuestException",
    "InputRequested",
    "Limits",
    "LimitsRequest",
    "MimeBundle",
    "NotAllowed",
    "NotFound",
    "Outcome",
    "Problem",
    "RequestRefused",
    "RunFailed",
    "RunOptions",
    "RunState",
    "ServiceFailed",
    "Session",
    "SessionInfo",
    "SessionOptions",
    "SessionState",
    "Started",
    "Status",
    "Stderr",
    "Stdout",
    "StoredFile",
    "Stream",
    "SubmitOptions",
    "Tool",
    "ToolCalled",
    "Usage",
    "Used",
    "Variable",
    "Violated",
    "Violation",
    "execute_python",
]
