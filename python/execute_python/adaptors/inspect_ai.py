"""The sandbox as a sandbox of Inspect: `sandbox="execute_python"`.

It runs Python and nothing else: `python -c …`, `python FILE …`, and a program on standard input, which is
what the tool `python()` of Inspect sends. There is no shell, so any other command fails with 127, as a
command does that is not installed; the tools `bash()` and `text_editor()` do not work.
"""

from __future__ import annotations

import posixpath
import shlex
from typing import Literal, NamedTuple, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from typing_extensions import override

from .. import AsyncClient, AsyncSession, NotFound, Outcome, RequestRefused, SessionOptions

_WORK_FOLDER = "/mnt/data"
_LONGEST = 300
"""Seconds that a command without a timeout may take."""
_MOST_DISK = 256 << 20
_NOT_FOUND = 127
_PYTHONS = ("python", "python3")
_RUN = """
import os, sys
_kept = os.getcwd(), dict(os.environ), sys.argv
try:
    os.chdir({folder!r})
    os.environ.update({env!r})
    sys.argv = {argv!r}
    {load}
    exec(compile(_code, {name!r}, 'exec'), {{'__name__': '__main__', '__builtins__': __builtins__}})
finally:
    os.chdir(_kept[0])
    os.environ.clear()
    os.environ.update(_kept[1])
    sys.argv = _kept[2]
"""


class _Program(NamedTuple):
    name: str
    load: str
    argv: list[str]


@sandboxenv(name="execute_python")  # pyright: ignore[reportUntypedClassDecorator]
class ExecutePythonSandbox(SandboxEnvironment):
    """One session as the sandbox of a sample."""

    def __init__(self, client: AsyncClient, session: AsyncSession) -> None:
        super().__init__()
        self._client = client
        self._session = session

    @override
    @classmethod
    async def sample_init(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        metadata: dict[str, str],
    ) -> dict[str, SandboxEnvironment]:
        options: SessionOptions = {
            "name": task_name,
            "environment": config if isinstance(config, str) else "data",
            "limits": {"disk_bytes": _MOST_DISK},
            "checkpoints": 0,
        }
        client = AsyncClient()
        session = client.session(**options)
        await session.open()
        return {"default": cls(client, session)}

    @override
    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            ours = environment.as_type(cls)
            await ours._session.aclose()
            await ours._client.aclose()

    @override
    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        if user is not None:
            raise SandboxUserUnsupportedError("there is one user in this sandbox: name none")
        stdin = input.decode() if isinstance(input, bytes) else input or ""
        program = _program(cmd, stdin)
        if program is None:
            told = f"{cmd[0]}: command not found: this sandbox runs Python alone"
            return ExecResult(False, _NOT_FOUND, "", told)
        folder = posixpath.join(_WORK_FOLDER, cwd or "")
        code = _RUN.format(folder=folder, env=env or {}, **program._asdict())
        time = min(timeout or _LONGEST, _LONGEST) * 1000
        outcome = await self._session.run(
            code,
            stdin="" if program.name == "<stdin>" else stdin,
            limits={
                "wall_time_ms": time,
                "cpu_time_ms": time,
                "output_bytes": SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE,
            },
            artifacts=False,
        )
        return _result(outcome)

    @override
    async def write_file(self, file: str, contents: str | bytes) -> None:
        try:
            await self._session.files.write(_path(file), contents)
        except RequestRefused as error:
            raise await self._reason(file, error) from error

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    @override
    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        path = _path(file)
        sizes = {info.path: info.bytes for info in await self._session.files.list()}
        if sizes.get(path, 0) > SandboxEnvironmentLimits.MAX_READ_FILE_SIZE:
            most = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR
            raise OutputLimitExceededError(most, None)
        try:
            content = await self._session.files.read(path)
        except RequestRefused as error:
            raise await self._reason(file, error) from error
        return content.decode() if text else content

    async def _reason(self, file: str, error: RequestRefused) -> OSError:
        """What the operating system would have said."""
        below = f"{_path(file)}/"
        if any(info.path.startswith(below) for info in await self._session.files.list()):
            return IsADirectoryError(f"`{file}` is a folder")
        if isinstance(error, NotFound):
            return FileNotFoundError(f"there is no file `{file}`")
        return PermissionError(f"`{file}`: {error}")


def _program(cmd: list[str], stdin: str) -> _Program | None:
    """What a command runs, if that is Python."""
    if cmd[:1] == ["bash"] and cmd[-2:-1] == ["-c"]:
        cmd = shlex.split(cmd[-1])
    if not cmd or posixpath.basename(cmd[0]) not in _PYTHONS:
        return None
    match cmd[1:]:
        case ["-c", code, *rest]:
            return _Program("<string>", f"_code = {code!r}", ["-c", *rest])
        case [] | ["-", *_]:
            return _Program("<stdin>", f"_code = {stdin!r}", cmd[1:] or [""])
        case [file, *_] if not file.startswith("-"):
            return _Program(file, f"_code = open({file!r}, 'rb').read()", cmd[1:])
        case _:
            return None


def _result(outcome: Outcome) -> ExecResult[str]:
    if outcome.status == "timeout":
        raise TimeoutError(outcome.summary)
    if outcome.stdout.missing_bytes or outcome.stderr.missing_bytes:
        most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR
        raise OutputLimitExceededError(most, str(outcome.stdout) or str(outcome.stderr))
    stderr = outcome.stderr.text
    if outcome.exception:
        stderr += outcome.exception.text
    elif not outcome.ok and outcome.status != "exited":
        stderr += f"{outcome.status}: {outcome.summary}"
    code = outcome.exit_code if outcome.exit_code is not None else int(not outcome.ok)
    return ExecResult(code == 0, code, outcome.stdout.text, stderr)


def _path(file: str) -> str:
    """A path in the work folder, relative to it."""
    path = posixpath.relpath(posixpath.join(_WORK_FOLDER, file), _WORK_FOLDER)
    if path.startswith(".."):
        raise PermissionError(f"`{file}` is outside of the work folder {_WORK_FOLDER}")
    return path
