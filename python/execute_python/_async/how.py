"""What asynchronous code does in another way than synchronous code; the twin is `_sync/how.py`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
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
