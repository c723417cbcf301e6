# pyright: basic
# What the libraries of Jupyter give has no types that pyright could be strict about.
"""A Jupyter kernel whose cells run in the sandbox.

One kernel is one session. A cell that is killed, by its time or its memory, costs the kernel nothing:
variables are as they were before it.

What a cell shows is from the sandbox, and a notebook shows it in a page that can run code on the machine of
the Jupyter server. So it is tamed first, as `_core/html.py` says.
"""

from __future__ import annotations

import asyncio
import builtins
import importlib.metadata
import keyword
import re
import signal
from typing import Any

import zmq
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel
from IPython.core.inputtransformer2 import TransformerManager

from .._async.client import AsyncClient
from .._async.session import AsyncSession
from .._core.html import tame
from .._core.options import RunOptions, SessionOptions
from ..errors import ExecutePythonError, NotFound
from ..models import Displayed, Event, MimeBundle, Outcome, Stderr, Stdout

_DOTTED = re.compile(r"[^\W\d][\w.]*$")
_ASKED = re.compile(r"^\??\s*([^\W\d][\w.]*)\s*\??\??\s*$")
_ABOUT = """
def _about(value):
    import inspect
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        signature = ""
    name = getattr(value, "__name__", "")
    head = name + signature if signature else repr(value)[:1000]
    return f"{{head}}\\n{{type(value).__name__}}\\n\\n{{inspect.getdoc(value) or ''}}"
print(_about({name}), end="")
del _about
"""


class SandboxKernel(Kernel):
    """One session as a kernel."""

    implementation = "execute-python"
    implementation_version = importlib.metadata.version("execute-python")
    banner = "Python in the sandbox of execute-python"
    language_info = {  # noqa: RUF012
        "name": "python",
        "mimetype": "text/x-python",
        "codemirror_mode": {"name": "ipython", "version": 3},
        "pygments_lexer": "ipython3",
        "file_extension": ".py",
        "nbconvert_exporter": "python",
        "version": "3",
    }
    session: Any
    io_loop: Any
    options: SessionOptions = {}  # noqa: RUF012

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self._client = AsyncClient()
        self._runs: AsyncSession | None = None
        self._history: list[tuple[int, int, str]] = []
        self._interrupted = asyncio.Event()
        self._transformer = TransformerManager()

    def start(self) -> None:
        """Begins to listen to Jupyter."""
        super().start()
        signal.signal(signal.SIGINT, lambda *_: self._loop().call_soon_threadsafe(self._interrupt))

    def _loop(self) -> asyncio.AbstractEventLoop:
        return self.io_loop.asyncio_loop

    def pre_handler_hook(self) -> None:
        """A signal interrupts the run in the sandbox, not this process."""

    def post_handler_hook(self) -> None:
        """See above."""

    def _interrupt(self) -> None:
        self._interrupting = asyncio.ensure_future(self._interrupt_run())

    async def _interrupt_run(self) -> None:
        try:
            if self._runs:
                await self._runs.interrupt()
        except ExecutePythonError as error:
            self.log.warning("nothing was interrupted: %s", error)
        self._interrupted.set()

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: dict[str, str] | None = None,
        allow_stdin: bool = False,
        **_: Any,
    ) -> dict[str, Any]:
        self._interrupted.clear()
        if store_history and not silent:
            self._history.append((0, self.execution_count, code))
        done = {"status": "ok", "execution_count": self.execution_count, "user_expressions": {}}
        if not code.strip():
            return {**done, "payload": []}
        try:
            if "?" in code and (asked := _ASKED.match(code)):
                about = await self._about(asked[1]) or f"nothing is known of {asked[1]}"
                page = {"source": "page", "data": {"text/plain": about}, "start": 0}
                return {**done, "payload": [page]}
            outcome = await self._run(code, silent, allow_stdin)
        except NotFound:
            self._runs = None
            told = "the session is gone, and its variables with it; the next cell begins anew"
            return self._failed("SessionLost", told, told, silent)
        except ExecutePythonError as error:
            return self._failed(type(error).__name__, str(error), str(error), silent)
        if outcome.exception:
            raised = outcome.exception
            return self._failed(raised.type, raised.message, str(raised), silent)
        if not outcome.ok:
            told = f"{outcome.status}: {outcome.summary}"
            if outcome.state and outcome.state.kind != "kept":
                told += f"\n{outcome.state.message}"
            return self._failed(outcome.status, outcome.summary, told, silent)
        return {**done, "payload": []}

    async def _run(self, code: str, silent: bool, allow_stdin: bool) -> Outcome:
        session = await self._opened()
        options: RunOptions = {"name": f"cell {self.execution_count}"}
        if allow_stdin:
            options = {**options, "on_input": self._ask, "on_password": self._ask_password}
        async with session.stream(code, **options) as stream:
            async for event in stream:
                if not silent:
                    self._show(event)
        self._forget_cells()
        value = stream.outcome.value
        if value and not silent:
            content = {"execution_count": self.execution_count, **_tamed(value)}
            self._send("execute_result", content)
        return stream.outcome

    async def _look(self, code: str) -> str:
        """What code prints that looks at something for the user."""
        outcome = await (await self._opened()).run(code)
        self._forget_cells()
        return outcome.stdout.text if outcome.ok else ""

    def _forget_cells(self) -> None:
        """Jupyter remembers them."""
        if self._runs:
            self._runs.recorder.cells.clear()

    async def _opened(self) -> AsyncSession:
        if self._runs is None:
            session = self._client.session(**self.options)
            await session.open()
            self._runs = session
        return self._runs

    def _show(self, event: Event) -> None:
        if isinstance(event, Stdout | Stderr):
            name = "stdout" if isinstance(event, Stdout) else "stderr"
            self._send("stream", {"name": name, "text": event.text})
        if isinstance(event, Displayed):
            self._send("display_data", _tamed(event.display))

    def _failed(self, name: str, message: str, text: str, silent: bool) -> dict[str, Any]:
        error = {"ename": name, "evalue": message, "traceback": text.rstrip("\n").split("\n")}
        if not silent:
            self._send("error", error)
        return {"status": "error", "execution_count": self.execution_count, **error}

    def _send(self, kind: str, content: dict[str, Any]) -> None:
        self.send_response(self.iopub_socket, kind, content)

    async def _ask(self, prompt: str) -> str | None:
        return await self._ask_user(prompt, password=False)

    async def _ask_password(self, prompt: str) -> str | None:
        return await self._ask_user(prompt, password=True)

    async def _ask_user(self, prompt: str, *, password: bool) -> str | None:
        """Asks the user for a line. `None` when the run was interrupted meanwhile."""
        while self.stdin_socket.poll(0):
            self.stdin_socket.recv_multipart(zmq.NOBLOCK)  # An answer to an older question.
        ident, parent = self._shell_parent_ident.get(), self.get_parent("shell")
        question = {"prompt": prompt, "password": password}
        self.session.send(self.stdin_socket, "input_request", question, parent, ident=ident)
        while not self._interrupted.is_set():
            if self.stdin_socket.poll(0):
                _, reply = self.session.recv(self.stdin_socket)
                if reply:
                    return str(reply["content"]["value"])
            await asyncio.sleep(0.02)
        return None

    async def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        begun = _DOTTED.search(code[:cursor_pos])
        word = begun[0] if begun else ""
        owner, _, name = word.rpartition(".")
        known = await self._known(owner)
        matches = sorted(one for one in known if one.startswith(name))
        if not name.startswith("_"):
            matches = [one for one in matches if not one.startswith("_")] or matches
        return {
            "status": "ok",
            "matches": matches,
            "cursor_start": cursor_pos - len(name),
            "cursor_end": cursor_pos,
            "metadata": {},
        }

    async def _known(self, owner: str) -> set[str]:
        """The names that can stand behind `owner.`, or alone."""
        try:
            if owner:
                return set((await self._look(f"print(*dir({owner}), sep='\\n')")).split())
            variables = {one.name for one in await (await self._opened()).variables()}
            return variables | set(dir(builtins)) | set(keyword.kwlist)
        except ExecutePythonError:
            return set()

    async def do_inspect(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()
    ) -> dict[str, Any]:
        before, after = _DOTTED.search(code[:cursor_pos]), re.match(r"\w*", code[cursor_pos:])
        word = (before[0] if before else "") + (after[0] if after else "")
        try:
            about = await self._about(word) if word else ""
        except ExecutePythonError:
            about = ""
        data = {"text/plain": about} if about else {}
        return {"status": "ok", "found": bool(about), "data": data, "metadata": {}}

    async def _about(self, name: str) -> str:
        """Signature and documentation of what a name stands for."""
        return await self._look(_ABOUT.format(name=name))

    async def do_is_complete(self, code: str) -> dict[str, Any]:
        status, indent = self._transformer.check_complete(code)
        return {"status": status, **({"indent": " " * (indent or 0)} if status == "incomplete" else {})}

    async def do_history(
        self,
        hist_access_type: str,
        output: bool,
        raw: bool,
        session: int = 0,
        start: int = 0,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> dict[str, Any]:
        found = self._history
        if hist_access_type == "range":
            found = [one for one in found if start <= one[1] and (stop is None or one[1] < stop)]
        if hist_access_type == "search" and pattern:
            wanted = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
            found = [one for one in found if wanted.fullmatch(one[2])]
            if unique:
                found = list({one[2]: one for one in found}.values())
        if hist_access_type != "range" and n:
            found = found[-n:]
        told = [(*one[:2], (one[2], None)) for one in found] if output else found
        return {"status": "ok", "history": told}

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:
        try:
            if self._runs:
                await self._runs.aclose()
            await self._client.aclose()
        except ExecutePythonError as error:
            self.log.warning("the session is left to its time: %s", error)
        return {"status": "ok", "restart": restart}


def _tamed(bundle: MimeBundle) -> dict[str, Any]:
    return {"data": tame(bundle.data), "metadata": bundle.metadata}


def serve(connection: str, options: SessionOptions) -> None:
    """Runs the kernel until Jupyter ends it."""
    SandboxKernel.options = options
    IPKernelApp.launch_instance(argv=["-f", connection], kernel_class=SandboxKernel)
