"""Runs in the background: they go on when the program that submitted them ends."""

from __future__ import annotations

from .. import models
from .._core import wire
from ..errors import ServiceFailed, refusal
from .service import AsyncService

_WAIT = 30
"""Seconds that the service is asked to wait for the end of a run, at a time."""


class AsyncBackgroundRun:
    """A run in the background."""

    def __init__(self, service: AsyncService, id: str) -> None:
        self._service = service
        self.id = id

    async def state(self) -> models.RunState:
        """How it is now."""
        return await self._service.ask(wire.run_state(self.id, 0))

    async def wait(self) -> models.Outcome:
        """Waits for its end."""
        while True:
            state = await self._service.ask(wire.run_state(self.id, _WAIT))
            if state.outcome:
                return state.outcome
            if state.problem:
                raise refusal(state.problem)
            if state.status not in ("queued", "running"):
                raise ServiceFailed(wire.outcome_gone(state))

    async def cancel(self) -> None:
        """Cancels it; its outcome still comes."""
        await self._service.ask(wire.cancel(self.id))
