"""Runs one program as a notebook cell and tells the engine what came of it.

What a program can take away (builtins, modules, streams) is bound here before the first one runs.
The hot path, a program that prints, imports nothing and sends one message.
"""

import atexit as _atexit
import builtins as _builtins
import gc as _gc
import importlib as _importlib
import importlib.util as _importlib_util
import os as _os
import sys as _sys
import threading as _threading
import types as _types
from json import dumps as _dumps

from _execute_python import displays as _displays
from _execute_python import errors as _errors
from _execute_python import fork as _fork
from _execute_python import source as _source

_COROUTINE = 0x80
_MOST_MESSAGE = 24 * 1024 * 1024
_DONE = b'{"type":"done"}'
_NO_STDIN = "input() was called but there is nothing (more) to read: pass the text as stdin"

_native = None
_main = None
_callback = None
_exec, _eval, _input, _open = exec, eval, input, open
_stdout, _stderr = _sys.stdout, _sys.stderr
#: Freed first when memory is used up, so that this can still be told.
_reserve = None


def prepare(native, preload):
    """Called once, in the zygote: imports and warms up."""
    global _native, _main, _reserve
    _native = native
    _sys.argv[:] = [""]
    _main = _types.ModuleType("__main__")
    _sys.modules["__main__"] = _main
    _stdout.reconfigure(line_buffering=True, errors="surrogateescape")
    _builtins.input = _ask
    _plant_seeds()
    for name in preload:
        _importlib.import_module(name)
    _displays.prepare(_emit, lambda name: _importlib_util.find_spec(name) is not None)
    _warm_packages()
    _fork.prepare()
    _atexit._clear()
    _reserve = bytearray(512 * 1024)
    for name in ("LD_LIBRARY_PATH",):
        _os.environ.pop(name, None)


def freeze():
    """Called once, in the zygote: no collection looks at what is here now, so no page is copied."""
    _gc.collect()
    _gc.freeze()


def after_fork():
    """Called once in each worker."""
    _fork.after_fork()


def warm():
    """Runs a small program through the whole path, so that its pages are there when one comes."""
    sink = _os.open("/dev/null", _os.O_WRONLY)
    kept = _os.dup(1)
    _os.dup2(sink, 1)
    global _send
    real, _send = _send, lambda _message: None
    try:
        run({"code": "x = 1 + 1\nprint(x)\n", "name": "main.py", "stdin": False}, False)
    finally:
        _send = real
        _os.dup2(kept, 1)
        _os.close(kept)
        _os.close(sink)


def run(request, last=True):
    """Runs a program and sends what came of it. The program is the last one unless it says so."""
    name, code = request["name"], request["code"]
    _begin(name, request["stdin"])
    value, error = None, None
    try:
        _source.remember(name, code)
        body, expression = _source.cell(code, name)
        _fork.running = True
        value = _execute(body, expression)
    except BaseException as raised:
        error = raised
    message = _end(value, error, name, last)
    _flush()
    _send(message)


def _begin(name, stdin):
    names = _main.__dict__
    names.clear()
    names.update(
        __name__="__main__", __doc__=None, __package__=None, __loader__=None, __spec__=None,
        __annotations__={}, __builtins__=_builtins, __file__="/mnt/data/" + name,
    )
    _sys.argv[:] = [name]
    if stdin:
        given = _os.open("/mnt/stdin", _os.O_RDONLY)
        _os.dup2(given, 0)
        _os.close(given)
        _sys.stdin = _open(0, encoding="utf-8", errors="surrogateescape", closefd=False)


def _execute(body, expression):
    names = _main.__dict__
    flags = body.co_flags | (expression.co_flags if expression else 0)
    if flags & _COROUTINE:
        import asyncio

        return asyncio.run(_execute_async(body, expression, names))
    _exec(body, names)
    return _eval(expression, names) if expression else None


async def _execute_async(body, expression, names):
    for code in (body, expression):
        value = _eval(code, names) if code else None
        if code and code.co_flags & _COROUTINE:
            value = await value
    return value


def _end(value, error, name, last):
    """The message about the end. Figures come before threads and exit handlers, as they were made."""
    global _reserve
    if isinstance(error, MemoryError):
        _reserve = None
    try:
        if "matplotlib._pylab_helpers" in _sys.modules:
            _displays.show_figures()
        if last and not isinstance(error, _errors.TimeLimit):
            if _threading.active_count() > 1:
                _threading._shutdown()
            _atexit._run_exitfuncs()
        shown = None if value is None else _displays.bundle(value)
    except BaseException as raised:
        shown = None
        if error is None:
            error = raised
    finally:
        _fork.running = False
    if error is None and shown is None:
        return _DONE
    return _encode({"type": "done", "value": shown, **_error(error, name)})


def _error(error, name):
    if error is None:
        return {}
    if isinstance(error, SystemExit):
        return {"exit_code": _exit_code(error.code)}
    return {"exception": _errors.describe(error, name)}


def _exit_code(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 0xFF
    _stderr.write(f"{code}\n")
    return 1


def _emit(data, metadata):
    """Sends a display, between what was written before and what is written after."""
    _flush()
    _native.send_and_wait(_encode({"type": "display", "data": data, "metadata": metadata}))


def _encode(message):
    """JSON in UTF-8, whatever the program put into it, and never too long."""
    try:
        encoded = _dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    except (TypeError, ValueError, RecursionError):
        encoded = _dumps(_only_text(message), ensure_ascii=False).encode("utf-8", "replace")
    if len(encoded) > _MOST_MESSAGE:
        encoded = _dumps(_too_long(message, len(encoded))).encode()
    return encoded


def _only_text(message):
    """The message with nothing but the text of its forms."""
    def text(forms):
        data = {kind: form for kind, form in forms["data"].items() if isinstance(form, str)}
        return {"data": data, "metadata": {}}

    if "data" in message:
        return {"type": message["type"], **text(message)}
    shown = message.get("value")
    return {**message, "value": text(shown) if shown else None}


def _too_long(message, length):
    note = {"text/plain": f"(a result of {length} bytes is too large to be shown)"}
    if "data" in message:
        return {"type": message["type"], "data": note}
    kept = {key: form for key, form in message.items() if key not in ("value", "exception")}
    return {**kept, "value": {"data": note}}


def _send(message):
    _native.send(message)


def _flush():
    """Writes out what is buffered, in whatever state the program left the streams."""
    for stream in (_sys.stdout, _sys.stderr, _stdout, _stderr):
        try:
            stream.flush()
        except BaseException:
            pass
    if "ctypes" in _sys.modules or "numpy" in _sys.modules:
        _native.flush_c()


def _ask(prompt="", /):
    """Reads a line from standard input; the prompt is written to standard output."""
    try:
        return _input(prompt)
    except EOFError:
        raise EOFError(_NO_STDIN) from None


_ask.__name__ = _ask.__qualname__ = "input"


def _plant_seeds():
    """Copies the caches that packages look for in their home to a place where they may write."""
    seeds = "/usr/lib/execute-python/seed"
    home = _os.environ.get("MPLCONFIGDIR", "/mnt/home/matplotlib")
    if not _os.path.isdir(seeds):
        return
    _os.makedirs(home, exist_ok=True)
    for name in _os.listdir(seeds):
        with _open(f"{seeds}/{name}", "rb") as seed, _open(f"{home}/{name}", "wb") as copy:
            copy.write(seed.read())


def _warm_packages():
    """Has packages do once what is slow, or forbidden to a guest, the first time."""
    if "platform" in _sys.modules:
        _warm_platform()
    if "ctypes" in _sys.modules:
        _warm_callbacks()
    if "joblib" in _sys.modules:
        from joblib.externals.loky import cpu_count

        cpu_count(only_physical_cores=True)
    if "matplotlib.pyplot" in _sys.modules:
        _warm_matplotlib()
    if "pandas" in _sys.modules:
        _warm_pandas()


def _warm_platform():
    """There is no program that tells the processor's name, and a guest that looks for it is stopped."""
    import platform

    platform._Processor.from_subprocess = staticmethod(lambda: "")
    platform.uname().processor


def _warm_callbacks():
    """Has libffi set up callbacks, for which a guest lacks what it needs; one stays alive."""
    global _callback
    import ctypes

    _native.show_maps()
    _callback = ctypes.CFUNCTYPE(None)(lambda: None)


def _warm_matplotlib():
    from io import BytesIO
    from matplotlib import font_manager, pyplot

    figure, axes = pyplot.subplots()
    axes.plot([1, 2], [3, 4], label="a")
    axes.set_title("warm")
    axes.legend()
    figure.savefig(BytesIO(), format="png", bbox_inches="tight")
    pyplot.close("all")
    # A font that was loaded keeps its file open, and a worker closes every file of the zygote.
    font_manager._get_font.cache_clear()


def _warm_pandas():
    from io import StringIO
    import pandas

    frame = pandas.read_csv(StringIO("a,b,t\n1,x,2024-01-01\n2,y,2024-02-01\n"), parse_dates=["t"])
    frame.groupby("b")["a"].sum()
    frame.describe()
    repr(frame)
    frame._repr_html_()
