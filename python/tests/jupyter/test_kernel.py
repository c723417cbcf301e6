# pyright: basic
# What the libraries of Jupyter give has no types that pyright could be strict about.
"""What a kernel does that Jupyter's suite does not look at."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager


@pytest.fixture(scope="module")
def kernel() -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager = KernelManager(kernel_name="execute-python")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel()


def run(client: BlockingKernelClient, code: str, **options: Any) -> tuple[dict[str, Any], list[Any]]:
    shown: list[Any] = []
    reply = client.execute_interactive(code, timeout=60, output_hook=shown.append, **options)
    outputs = [one for one in shown if one["msg_type"] not in ("status", "execute_input")]
    return reply["content"], outputs


def test_variables_stay_from_cell_to_cell(kernel: Any) -> None:
    run(kernel[1], "x = 41")
    _, outputs = run(kernel[1], "x + 1")
    assert outputs[0]["content"]["data"] == {"text/plain": "42"}


def test_an_interrupt_ends_the_cell_and_not_the_kernel(kernel: Any) -> None:
    manager, client = kernel
    run(client, "kept = 1")

    def when_it_runs(message: Any) -> None:
        if message["msg_type"] == "stream":
            manager.interrupt_kernel()

    reply = client.execute_interactive(
        "print('on', flush=True)\nwhile True: pass", timeout=60, output_hook=when_it_runs
    )
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    _, outputs = run(client, "kept")
    assert outputs[0]["content"]["data"] == {"text/plain": "1"}


def test_an_interrupt_ends_a_cell_that_waits_for_input(kernel: Any) -> None:
    manager, client = kernel
    reply = client.execute_interactive("input()", timeout=60, stdin_hook=lambda _: manager.interrupt_kernel())
    assert reply["content"]["status"] == "error"
    _, outputs = run(client, "1")
    assert outputs[0]["content"]["data"] == {"text/plain": "1"}


def test_a_cell_that_is_killed_costs_the_kernel_nothing(kernel: Any) -> None:
    client = kernel[1]
    run(client, "before = 5")
    reply, _ = run(client, "import ctypes; before = 6; ctypes.string_at(0)")
    assert reply["ename"] == "crashed"
    _, outputs = run(client, "before")
    assert outputs[0]["content"]["data"] == {"text/plain": "5"}


def test_input_is_asked_of_the_user(kernel: Any) -> None:
    client = kernel[1]
    asked: list[Any] = []

    def answer(message: Any) -> None:
        asked.append(message["content"])
        client.input("Ann")

    _, outputs = run(client, "print('hi', input('who? '))", stdin_hook=answer)
    assert asked == [{"prompt": "who? ", "password": False}]
    assert outputs[-1]["content"]["text"].endswith("hi Ann\n")


def test_a_page_of_the_guest_can_run_no_script_in_that_of_the_user(kernel: Any) -> None:
    page = "<script>steal()</script>"
    methods = f"_repr_html_ = lambda self: {page!r}; _repr_javascript_ = lambda self: 'steal()'"
    code = f"class P: {methods}\ndisplay(P())"
    _, outputs = run(kernel[1], code)
    data = outputs[0]["content"]["data"]
    assert set(data) == {"text/plain", "text/html"}
    assert "<script" not in data["text/html"]
    assert data["text/html"].startswith("<iframe sandbox srcdoc=")


def test_a_session_that_is_lost_is_told_and_replaced(kernel: Any) -> None:
    manager, client = kernel
    run(client, "lost = 1")
    threads = Path(f"/proc/{manager.provisioner.pid}/task").glob("*/children")
    engines = [
        int(pid)
        for children in threads
        for pid in children.read_text().split()
        if b"serve" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    assert len(engines) == 1
    os.kill(engines[0], signal.SIGKILL)
    while Path(f"/proc/{engines[0]}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    replies = [run(client, "lost")[0]["ename"] for _ in range(2)]
    assert replies == ["SessionLost", "NameError"]


def test_attributes_are_completed(kernel: Any) -> None:
    client = kernel[1]
    run(client, "text = 'a'")
    reply = client.complete("text.upp", reply=True, timeout=60)
    assert reply["content"]["matches"] == ["upper"]


def test_nbclient_runs_a_notebook_in_the_sandbox() -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("import sys; a = 2"), nbformat.v4.new_code_cell("print(a)\na * 2")]
    )
    nbclient.NotebookClient(notebook, kernel_name="execute-python", timeout=60).execute()
    nbformat.validate(notebook)
    assert [output["output_type"] for output in notebook.cells[1].outputs] == ["stream", "execute_result"]
