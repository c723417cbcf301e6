"""What synchronous code does in another way than asynchronous code; the twin is `_async/how.py`."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

sleep = time.sleep


def in_thread(function: Callable[[], T]) -> T:
    """Calls a function; there is no loop to be held up."""
    return function()


def call(function: Callable[..., Any], *positional: Any, **named: Any) -> Any:
    """Calls a function of the user's."""
    result = function(*positional, **named)
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError("a coroutine function is for `AsyncClient`")
    return result


def tell(callback: Callable[[T], Any], value: T) -> None:
    """Tells a callback of the user's."""
    callback(value)


class UnderWay:
    """Answers are found one after the other; the twin finds them while events go on."""

    def begin(self, answered: None) -> None:
        """The answer was given already."""

    def check(self) -> None:
        """What kept it from being given was raised already."""

    def end(self) -> None:
        """There is none that nobody waits for."""
