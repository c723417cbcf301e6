"""The client with the engine of this machine."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest

import execute_python as ep
from execute_python._core import local


def test_the_function_works_with_nothing_running() -> None:
    assert ep.execute_python("print(1+1)").stdout.text == "2\n"


def test_everything_comes_back(client: ep.Client) -> None:
    code = """
import sys
print("out")
print("err", file=sys.stderr)
open("made.txt", "w").write(open("given.txt").read().upper())
print(input())
{"a": 1}
"""
    outcome = client.run(code, files={"given.txt": "abc"}, stdin="line\n", name="mine.py")
    assert outcome.ok, outcome.to_text()
    assert outcome.stdout.text == "out\nline\n"
    assert outcome.stderr.text == "err\n"
    assert outcome.value
    assert outcome.value.text == "{'a': 1}"
    assert outcome.artifact("made.txt").read() == b"ABC"
    assert outcome.usage.wall_time_ms > 0


def test_an_exception_is_a_value(client: ep.Client) -> None:
    outcome = client.run("def f(): return 1/0\nf()", name="mine.py")
    assert outcome.status == "exception"
    assert outcome.exception
    assert outcome.exception.type == "ZeroDivisionError"
    assert [(frame.file, frame.line) for frame in outcome.exception.frames] == [
        ("mine.py", 2),
        ("mine.py", 1),
    ]
    with pytest.raises(ep.RunFailed, match="ZeroDivisionError"):
        outcome.raise_for_status()


def test_a_limit_ends_the_run_and_says_where(client: ep.Client) -> None:
    outcome = client.run("while True:\n  pass", limits={"wall_time_ms": 300})
    assert outcome.status == "timeout"
    assert outcome.limits.wall_time_ms == 300
    assert outcome.stopped_at[-1].line in (1, 2)


def test_events_come_as_they_happen(client: ep.Client) -> None:
    code = "import time\nprint('first', flush=True)\ntime.sleep(0.5)\nprint('second')"
    with client.stream(code) as stream:
        begun = 0.0
        for event in stream:
            if event == ep.Stdout("first\n"):
                begun = time.monotonic()
        assert time.monotonic() - begun > 0.3
    assert stream.outcome.stdout.text == "first\nsecond\n"


def test_who_leaves_early_cancels_the_run(client: ep.Client) -> None:
    with client.stream("print(1, flush=True)\nwhile True: pass", limits={"wall_time_ms": 60_000}) as stream:
        for event in stream:
            if isinstance(event, ep.Stdout):
                break
    with pytest.raises(RuntimeError, match="is not over"):
        _ = stream.outcome
    # Its worker is free for others, long before its time is up.
    assert client.run("1").ok


def test_a_run_is_cancelled_from_another_thread(client: ep.Client) -> None:
    with client.stream("print(1, flush=True)\nwhile True: pass", limits={"wall_time_ms": 60_000}) as stream:
        for event in stream:
            if isinstance(event, ep.Stdout):
                threading.Thread(target=stream.cancel).start()
    assert stream.outcome.status == "cancelled"


def test_host_tools_are_called(client: ep.Client) -> None:
    asked: list[str] = []

    def price(item: str, count: int = 1) -> dict[str, float]:
        """Says what it costs."""
        asked.append(item)
        return {"total": 2.5 * count}

    def broken() -> None:
        raise KeyError("secret inside")

    code = """
print(price("tea")["total"], price(item="milk", count=2)["total"], price.__doc__)
for wrong in (lambda: price(5), broken):
    try:
        wrong()
    except ToolError as error:
        print(error)
"""
    outcome = client.run(code, tools=[price, broken])
    assert outcome.stdout.text == (
        "2.5 5.0 Says what it costs.\n"
        "TypeError: argument `item` of `price`: str is wanted, not 5\n"
        "KeyError: 'secret inside'\n"
    )
    assert asked == ["tea", "milk"]


def test_input_is_asked_of_the_caller(client: ep.Client) -> None:
    code = "import getpass\nprint(input('name? '), getpass.getpass('word? '))\ninput()"
    prompts: list[str] = []

    def answer(prompt: str) -> str | None:
        prompts.append(prompt)
        return "Ann" if prompt else None

    outcome = client.run(code, on_input=answer, on_password=lambda prompt: prompt.upper())
    assert outcome.stdout.text.endswith("Ann WORD? \n")
    assert prompts == ["name? ", ""]
    assert outcome.exception
    assert outcome.exception.type == "EOFError"


def test_a_session_keeps_its_state_and_returns_to_it(client: ep.Client) -> None:
    with client.session(files={"a.txt": "1"}) as session:
        session.run("x = 1")
        session.checkpoint("one")
        assert session.run("x += 1; x").raise_for_status().session == session.id
        assert [variable.name for variable in session.variables()] == ["x"]
        assert session.difference("one").variables.changed == ("x: int",)
        assert session.rewind("one").kind == "rewound"
        assert session.run("print(x, open('a.txt').read())").stdout.text == "1 1\n"
        assert "one" in [checkpoint.name for checkpoint in session.checkpoints()]
        assert session.info().runs == 3
    with pytest.raises(ep.NotFound):
        client.attach(session.id)


def test_a_run_that_is_killed_costs_the_session_nothing(client: ep.Client) -> None:
    with client.session() as session:
        session.run("x = 1")
        killed = session.run("x = 2\nwhile True: pass", limits={"wall_time_ms": 300})
        assert killed.status == "timeout"
        assert session.run("x").ok


def test_branches_of_a_session_are_tried_and_one_is_adopted(client: ep.Client) -> None:
    with client.session() as session:
        session.run("x = 1")
        first, second = session.fork(2)
        first.run("x = 10")
        second.run("x = 20")
        session.adopt(second)
        value = session.run("x").value
        assert value
        assert value.text == "20"
        first.close()


def test_files_of_a_session(client: ep.Client, tmp_path: Path) -> None:
    (tmp_path / "here.bin").write_bytes(b"\0\1")
    with client.session() as session:
        session.files.write("a/b ü.txt", "text")
        session.files.put(tmp_path / "here.bin")
        assert [file.path for file in session.files.list()] == ["a/b ü.txt", "here.bin"]
        assert session.run("print(open('a/b ü.txt').read())").stdout.text == "text\n"
        assert session.files.read("here.bin") == b"\0\1"
        assert session.files.zip()[:2] == b"PK"
        session.files.remove("here.bin")
        with pytest.raises(ep.NotFound):
            session.files.read("here.bin")


def test_a_session_is_attached_to_and_interrupted(client: ep.Client) -> None:
    def hello() -> str:
        return "hi"

    with client.session(tools=[hello]) as session:
        other = client.attach(session.id, tools=[hello])
        assert other.run("print(hello())").stdout.text == "hi\n"
        with session.stream("print(1, flush=True)\nwhile True: pass") as stream:
            for event in stream:
                if isinstance(event, ep.Stdout):
                    other.interrupt()
        assert stream.outcome.exception
        assert stream.outcome.exception.type == "KeyboardInterrupt"


def test_a_session_is_exported_as_a_notebook(client: ep.Client) -> None:
    with client.session() as session:
        session.run("print(1); print(2)")
        session.run("import sys; print(3, file=sys.stderr); 'value'")
        session.run("1/0")
        notebook = session.notebook()
    formats: Any = nbformat
    formats.validate(formats.reads(json.dumps(notebook), as_version=4))
    kinds = [[output["output_type"] for output in cell["outputs"]] for cell in notebook["cells"]]
    assert kinds == [["stream"], ["stream", "execute_result"], ["error"]]
    assert notebook["cells"][0]["outputs"][0]["text"] == "1\n2\n"


def test_a_run_in_the_background(client: ep.Client) -> None:
    run = client.submit("import time; time.sleep(0.3); print('done')")
    assert run.state().status in ("queued", "running")
    assert run.wait().stdout.text == "done\n"
    assert client.background(run.id).state().status == "ok"
    endless = client.submit("while True: pass", limits={"wall_time_ms": 60_000})
    endless.cancel()
    assert endless.wait().status == "cancelled"


def test_a_file_is_uploaded_once_for_many_runs(client: ep.Client) -> None:
    stored = client.upload(b"abc", "a.txt")
    for _ in range(2):
        assert client.run("open('a.txt').read()", files={"a.txt": stored}).ok
    assert stored.id in [file.id for file in client.stored_files()]
    client.remove_stored_file(stored.id)
    with pytest.raises(ep.NotFound):
        client.run("1", files={"a.txt": stored})


def test_an_artifact_can_be_fetched_later(client: ep.Client) -> None:
    outcome = client.run("open('a.txt', 'w').write('abc')", artifacts=False)
    (artifact,) = outcome.artifacts
    assert artifact.content is None
    assert client.read_artifact(artifact) == b"abc"


def test_what_cannot_be_asked_is_refused_with_the_field(client: ep.Client) -> None:
    with pytest.raises(ep.RequestRefused) as caught:
        client.run("1", limits={"memory_bytes": 1 << 50})
    assert caught.value.problem.field == "limits.memory_bytes"
    assert caught.value.problem.code == "limit_above_ceiling"


async def test_the_asynchronous_client_does_all_the_same() -> None:
    all_wait = threading.Barrier(2)

    async def slow(n: int) -> int:
        met.append(n)
        while len(met) < 2:  # Ends only if both are waited for at once.
            await asyncio.sleep(0.01)
        return n * 2

    def blocking(n: int) -> int:
        all_wait.wait(timeout=60)
        return n * 3

    met: list[int] = []
    code = """
import asyncio
print(await asyncio.gather(slow(1), slow(2), blocking(3), blocking(4)))
print(await asyncio.to_thread(input, "?"))
"""

    async def answer(prompt: str) -> str:
        return prompt * 2

    async with ep.AsyncClient() as client:
        outcome = await client.run(code, tools=[slow, blocking], on_input=answer)
        assert "[2, 4, 9, 12]" in outcome.stdout.text, outcome.to_text()
        assert outcome.stdout.text.endswith("??\n")
        async with client.session() as session:
            await session.run("x = 5")
            await session.files.write("a", "b")
            assert (await session.run("print(x, open('a').read())")).stdout.text == "5 b\n"
            async with session.stream("print(1); print(2)") as stream:
                written = [event.text async for event in stream if isinstance(event, ep.Stdout)]
            assert "".join(written) == "1\n2\n"
        many = await asyncio.gather(*(client.run(f"print({n})") for n in range(20)))
        assert [outcome.stdout.text for outcome in many] == [f"{n}\n" for n in range(20)]


def test_a_coroutine_function_is_refused_by_the_synchronous_client(client: ep.Client) -> None:
    async def later() -> int:
        return 1

    outcome = client.run("later()", tools=[later])
    assert outcome.exception
    assert "for `AsyncClient`" in outcome.exception.message


def test_many_threads_share_one_client(client: ep.Client) -> None:
    outcomes: dict[int, str] = {}

    def run(n: int) -> None:
        outcomes[n] = client.run(f"print({n})").stdout.text

    threads = [threading.Thread(target=run, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {n: f"{n}\n" for n in range(10)}


def child(code: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", f"from execute_python import *\n{code}"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


ENGINE = "from execute_python._core import local\nprint(local.engine().process.pid, flush=True)\n"


def ends(pid: int) -> bool:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("how", ["return", "exception", "exit", "kill"])
def test_the_engine_ends_with_the_program_however_that_ends(how: str) -> None:
    last = {"exception": "1/0", "exit": "import os; os._exit(0)"}.get(how, "input()")
    with child(f"{ENGINE}execute_python('1')\n{last}") as program:
        assert program.stdout
        pid = int(program.stdout.readline())
        if how == "kill":
            program.send_signal(signal.SIGKILL)
        elif program.stdin:
            program.stdin.write("\n")
            program.stdin.close()
        program.wait()
    assert ends(pid)


def test_no_folder_of_an_engine_is_left(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    code = 'from execute_python import *; execute_python(\'open("a", "w")\'); print(1)'
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert list(tmp_path.iterdir()) == []


def test_after_a_fork_parent_and_child_have_engines_of_their_own() -> None:
    code = """
import os
execute_python("1")
ours = local.engine().process.pid
child = os.fork()
if not child:
    same = local.engine().process.pid == ours
    ok = execute_python("1 + 1").ok and not same
    local.stop()
    os._exit(0 if ok else 1)
print(os.waitpid(child, 0)[1], execute_python("1").ok, local.engine().process.pid == ours)
"""
    with child(ENGINE + code) as program:
        assert program.communicate()[0].splitlines()[1:] == ["0 True True"]


def test_an_engine_that_died_is_replaced(client: ep.Client) -> None:
    assert client.run("1").ok
    engine = local.engine()
    engine.process.kill()
    engine.process.wait()
    assert client.run("1").ok
    assert local.engine() is not engine


def test_an_engine_that_cannot_start_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: ep.Client
) -> None:
    local.stop()
    settings = tmp_path / "settings.toml"
    settings.write_text("sandbox = 'off'\n")
    monkeypatch.setenv("EXECUTE_PYTHON_CONFIG", str(settings))
    with pytest.raises(ep.EngineNotStarted, match="line 1: unknown field `sandbox`"):
        client.run("1")
    monkeypatch.delenv("EXECUTE_PYTHON_CONFIG")
    monkeypatch.setenv("EXECUTE_PYTHON_BINARY", "/nowhere/execute-python")
    with pytest.raises(ep.EngineNotStarted, match="cannot start `/nowhere/execute-python`"):
        client.run("1")


def test_no_other_user_of_the_machine_can_use_the_engine(client: ep.Client) -> None:
    assert client.run("1").ok
    for key in (None, "epk_guessed"):
        with ep.Client(local.engine().url, key=key) as stranger, pytest.raises(ep.NotAllowed):
            stranger.run("1")
