# Made from `_async/background.py` by `python/make-sync`: change that file, not this one.
"""Runs in the background: they go on when the program that submitted them ends."""

from __future__ import annotations

from .. import models
from .._core import wire
from ..errors import ServiceFailed, refusal
from .service import Service

_WAIT = 30
"""Seconds that the service is asked to wait for the end of a run, at a time."""


class BackgroundRun:
    """A run in the background."""

    def __init__(self, service: Service, id: str) -> None:
        self._service = service
        self.id = id

    def state(self) -> models.RunState:
        """How it is now."""
        return self._service.ask(wire.run_state(self.id, 0))

    def wait(self) -> models.Outcome:
        """Waits for its end."""
        while True:
            state = self._service.ask(wire.run_state(self.id, _WAIT))
            if state.outcome:
                return state.outcome
            if state.problem:
                raise refusal(state.problem)
            if state.status not in ("queued", "running"):
                raise ServiceFailed(wire.outcome_gone(state))

    def cancel(self) -> None:
        """Cancels it; its outcome still comes."""
        self._service.ask(wire.cancel(self.id))
