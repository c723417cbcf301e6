# pyright: basic
"""The sandbox under Inspect's own checks for sandboxes, and in an evaluation."""

from __future__ import annotations

import inspect_ai
import pytest
import pytest_asyncio
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import python
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from execute_python.adaptors.inspect_ai import ExecutePythonSandbox

# The checks make and remove files by commands of a shell, which there is none of here. These do the same.
COMMANDS = {
    "rm": "import os, sys\ntry: os.remove(sys.argv[-1])\nexcept FileNotFoundError: pass",
    "rmdir": "import os, sys\nos.rmdir(sys.argv[-1])",
    "mkdir": "import os, sys\nos.mkdir(sys.argv[-1])",
    "touch": "import sys\nopen(sys.argv[-1], 'a')",
    "cat": "import sys\nsys.stdout.write(sys.stdin.read())",
    "ls": "import os\nprint(*os.listdir(), sep='\\n')",
    "printf": "import sys\nprint(*sys.argv[2:], sep='', end='')",
    "sleep": "import sys, time\ntime.sleep(int(sys.argv[1]))",
    "wc": "import sys\nprint(len(sys.stdin.read()))",
    "chmod": "import os, sys\nos.chmod(sys.argv[-1], 0o200 if '-r' in sys.argv else 0o400)",
}
_SHELL = "it is a program of a shell"
_OUTSIDE = "it needs a folder outside of the work folder"
_OWNER = "the service reads and writes for whoever owns the session, whatever the mode of a file says"
DO_NOT_APPLY = {
    "test_cwd_absolute": _OUTSIDE,
    "test_cwd_custom": _OUTSIDE,
    "test_exec_as_user": "there is one user, and no command that adds one",
    "test_exec_env_vars": _SHELL,
    "test_exec_input_binary": "standard input is text, and it is a program of a shell",
    "test_exec_output": _SHELL,
    "test_exec_output_utf": _SHELL,
    "test_exec_permission_error": "a file that is no program is a command that there is none of",
    "test_exec_returncode": _SHELL,
    "test_exec_stderr": _SHELL,
    "test_exec_stderr_utf": _SHELL,
    "test_exec_timeout_kills_child_processes": "there are no child processes",
    "test_exec_timeout_kills_process": _SHELL,
    "test_exec_timeout_not_raised_on_fast_signal_death": _SHELL,
    "test_read_and_write_file_including_directory_absolute": _OUTSIDE,
    "test_read_file_is_directory": _OUTSIDE,
    "test_read_file_not_allowed": _OWNER,
    "test_write_binary_file_is_directory": _OUTSIDE,
    "test_write_binary_file_without_permissions": _OWNER,
    "test_write_text_file_is_directory": _OUTSIDE,
    "test_write_text_file_without_permissions": _OWNER,
}


class WithCommands(ExecutePythonSandbox):
    async def exec(self, cmd, *arguments, **options):
        if cmd[0] in COMMANDS:
            cmd = ["python", "-c", COMMANDS[cmd[0]], *cmd[1:]]
        return await super().exec(cmd, *arguments, **options)


@pytest_asyncio.fixture
async def sandbox_env(request):
    if reason := DO_NOT_APPLY.get(request.node.originalname):
        request.node.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    environments = await WithCommands.sample_init("self_check", "base", {})
    yield environments["default"]
    await WithCommands.sample_cleanup("self_check", None, environments, False)


async def test_python_is_run(sandbox_env):
    await sandbox_env.write_file("a/b.py", "import sys; print(sys.argv, __name__)\nsys.exit(3)")
    result = await sandbox_env.exec(["python3", "a/b.py", "x"])
    assert (result.returncode, result.stdout) == (3, "['a/b.py', 'x'] __main__\n")
    result = await sandbox_env.exec(["python", "-c", "print(input())"], input="hé\n")
    assert (result.success, result.stdout) == (True, "hé\n")
    code = "import os; print(os.environ['A'], os.getcwd())"
    result = await sandbox_env.exec(["python", "-"], input=code, env={"A": "1"}, cwd="a")
    assert result.stdout == "1 /mnt/data/a\n"
    result = await sandbox_env.exec(["python", "-c", "1/0"])
    assert result.returncode == 1
    assert result.stderr.endswith("ZeroDivisionError: division by zero\n")
    result = await sandbox_env.exec(["git", "status"])
    assert (result.returncode, result.success) == (127, False)


async def test_programs_do_not_see_variables_of_each_other(sandbox_env):
    await sandbox_env.exec(["python", "-c", "x = 1"])
    result = await sandbox_env.exec(["python", "-c", "print('x' in globals())"])
    assert result.stdout == "False\n"


async def test_a_timeout_is_one(sandbox_env):
    with pytest.raises(TimeoutError):
        await sandbox_env.exec(["python", "-c", "while True: pass"], timeout=1)


def test_an_evaluation(tmp_path, monkeypatch):
    # Inspect counts tokens by a table from the network, which there is none of here.
    monkeypatch.setattr("inspect_ai.model._model.count_text_tokens", len)
    call = ModelOutput.for_tool_call("mockllm/model", "python", {"code": "print(6 * 7)"})
    model = get_model("mockllm/model", custom_outputs=[call, ModelOutput.from_content("mockllm/model", "42")])
    task = inspect_ai.Task(
        dataset=[Sample(input="6 * 7?", target="42")],
        solver=[use_tools(python()), generate()],
        scorer=includes(),
        sandbox="execute_python",
    )
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    samples = log.samples or []
    told = [message.text for message in samples[0].messages if message.role == "tool"]
    assert told == ["42\n"]
