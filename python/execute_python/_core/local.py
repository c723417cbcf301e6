"""The engine on this machine: a process of our own, started on first use and ended with the program.

The process ends when its standard input does, so it does not outlive us however we end. It makes a key for
itself and tells it through its standard output, so no other user of the machine can use it.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ..errors import EngineNotStarted

_NAME = "execute-python"
_ENDS_WITHIN = 10.0


@dataclass(eq=False)
class LocalEngine:
    """An engine that is ours."""

    process: subprocess.Popen[str]
    url: str
    key: str

    def stop(self) -> None:
        """Lets what goes on come to its end, and waits for it."""
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


_lock = threading.Lock()
_engine: LocalEngine | None = None


def engine() -> LocalEngine:
    """The engine of this program, started if need be."""
    global _engine
    with _lock:
        if _engine is None or _engine.process.poll() is not None:
            _engine = _start()
        return _engine


def stop() -> None:
    """Stops the engine of this program, if there is one. The next use starts another one."""
    global _engine
    with _lock:
        stopped, _engine = _engine, None
    if stopped:
        stopped.stop()


def binary() -> str:
    """The program `execute-python`: named by the environment, installed with this package, or on the path."""
    if named := os.environ.get("EXECUTE_PYTHON_BINARY"):
        return named
    folders = [
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))),
        Path(sys.executable).parent,
    ]
    for folder in folders:
        if os.access(folder / _NAME, os.X_OK):
            return str(folder / _NAME)
    if found := shutil.which(_NAME):
        return found
    raise EngineNotStarted(
        f"the program `{_NAME}` is not installed: pip install execute-python (on Linux), "
        "or name a service with `base_url=` or EXECUTE_PYTHON_URL"
    )


def _start() -> LocalEngine:
    command = [binary(), "serve", "--owned"]
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
    except OSError as error:
        raise EngineNotStarted(f"cannot start `{command[0]}`: {error.strerror}") from error
    assert process.stdout
    said = process.stdout.readline()
    process.stdout.close()
    try:
        told = cast("dict[str, Any]", json.loads(said))
        return LocalEngine(process, told["url"], told["key"])
    except (ValueError, KeyError):
        if process.stdin:
            process.stdin.close()
        raise EngineNotStarted(_reason(said, process.wait())) from None


def _reason(said: str, code: int) -> str:
    try:
        error = cast("dict[str, Any]", json.loads(said))["error"]
        hint = f"; hint: {error['hint']}" if error.get("hint") else ""
        return f"{error['message']}{hint}"
    except (ValueError, KeyError, TypeError):
        return f"the engine ended with exit code {code}; `{_NAME} doctor` says what this machine lacks"


def _forget_in_child() -> None:
    """After a fork the engine stays the parent's, and ends with the parent."""
    global _engine, _lock
    _lock = threading.Lock()
    if _engine and _engine.process.stdin:
        os.close(_engine.process.stdin.fileno())
    _engine = None


atexit.register(stop)
os.register_at_fork(after_in_child=_forget_in_child)
