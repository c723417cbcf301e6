"""The function that the package is named after, on a client that all of the program shares."""

from __future__ import annotations

import os
import threading

from typing_extensions import Unpack

from .._sync.client import Client
from ..models import Outcome
from .options import RunOptions

_lock = threading.Lock()
_client: Client | None = None


def execute_python(code: str, **options: Unpack[RunOptions]) -> Outcome:
    """Runs Python in the sandbox and gives back everything that it produced.

    It runs on the service that `EXECUTE_PYTHON_URL` names (with the key `EXECUTE_PYTHON_KEY`), or else on an
    engine on this machine, which is started on first use and ends with the program.

    >>> execute_python("print(1 + 1)").stdout.text
    '2\\n'
    """
    return shared().run(code, **options)


def shared() -> Client:
    """The client that all of the program shares."""
    global _client
    with _lock:
        _client = _client or Client()
        return _client


def _forget_in_child() -> None:
    """After a fork the connections stay the parent's."""
    global _client, _lock
    _lock, _client = threading.Lock(), None


os.register_at_fork(after_in_child=_forget_in_child)
