"""What asynchronous code does in another way than synchronous code; the twin is `_sync/how.py`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

sleep = asyncio.sleep


async def in_thread(function: Callable[[], T]) -> T:
    """Calls what would hold up the loop."""
    return await asyncio.to_thread(function)


async def call(function: Callable[..., Any], *positional: Any, **named: Any) -> Any:
    """Calls a function of the user's, which may be a coroutine function, or one that takes long."""
    if inspect.iscoroutinefunction(function):
        return await function(*positional, **named)
    result = await asyncio.to_thread(function, *positional, **named)
    return await result if inspect.isawaitable(result) else result


async def tell(callback: Callable[[T], Any], value: T) -> None:
    """Tells a callback of the user's."""
    result = callback(value)
    if inspect.isawaitable(result):
        await result


class UnderWay:
    """Answers that are being found while events go on."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, answer: Coroutine[Any, Any, None]) -> None:
        """Begins one more."""
        self._tasks.add(asyncio.create_task(answer))

    def check(self) -> None:
        """Raises what kept one from being given."""
        for task in [task for task in self._tasks if task.done()]:
            self._tasks.discard(task)
            task.result()

    async def end(self) -> None:
        """Lets go of those that nobody waits for any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
