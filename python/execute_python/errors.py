"""What can go wrong with the service. What the guest did wrong is in the outcome, not here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .models import Outcome


class ExecutePythonError(Exception):
    """The base of all errors of this package."""


class RunFailed(ExecutePythonError):
    """A run did not come to its end; raised by `Outcome.raise_for_status` alone."""

    def __init__(self, outcome: Outcome) -> None:
        told = f"{outcome.status}: {outcome.summary}"
        if outcome.exception:
            told += f"\n{outcome.exception.text.rstrip()}"
        super().__init__(told)
        self.outcome = outcome


class EngineNotStarted(ExecutePythonError):
    """The engine on this machine could not be started."""


class ConnectionFailed(ExecutePythonError):
    """The service could not be reached, or was lost before the answer was complete."""


class AnswerNotUnderstood(ExecutePythonError):
    """The service said something that this version of the package does not understand."""


@dataclass(frozen=True)
class Problem:
    """What the service says about a request that it does not carry out (RFC 9457)."""

    title: str = ""
    status: int = 0
    detail: str = ""
    code: str = ""
    """A word for programs; it never changes meaning."""
    field: str | None = None
    """The field of the request that it is about."""
    hint: str | None = None
    """What to do about it."""
    request_id: str = ""


class RequestRefused(ExecutePythonError):
    """The service did not carry the request out."""

    def __init__(self, problem: Problem) -> None:
        told = problem.detail or problem.title
        if problem.field:
            told += f" (field `{problem.field}`)"
        if problem.hint:
            told += f"; hint: {problem.hint}"
        super().__init__(told)
        self.problem = problem


class NotAllowed(RequestRefused):
    """The key is missing, not valid, or does not allow it."""


class NotFound(RequestRefused):
    """There is no such run, session, file or environment."""


class Busy(RequestRefused):
    """There is no room now: try again later."""


class ServiceFailed(RequestRefused):
    """The service failed; its log has the reason, under the request id."""


def refusal(problem: Problem) -> RequestRefused:
    """The error for a problem."""
    kinds = {401: NotAllowed, 403: NotAllowed, 404: NotFound, 429: Busy, 503: Busy}
    kind = ServiceFailed if problem.status >= 500 else RequestRefused
    return kinds.get(problem.status, kind)(problem)
