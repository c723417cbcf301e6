"""Runs one program as a notebook cell and tells the engine what came of it.

The modules of the runner, in the order in which they are loaded:
errors, streams, messages, displays, magics, source, charts, plotly, tables, figures, notebook, fork,
warmup, branch, tools, session, cell.

A program shares the interpreter with the runner and may change whatever it finds. So all that is
needed at its end is bound here before it starts, under names of our own, and our builtins are a
copy. Whoever means harm can still break this process: then the engine hears nothing, which is safe.

The end of a program, in this order: its value is described, or what it raised; its threads are
waited for, because they may still draw; figures that are open are shown; exit handlers run, after
the figures because matplotlib's handler closes them; what the program leaves open is closed.
"""

import atexit as _atexit
import builtins as _builtins
import gc as _gc
import io as _io
import json as _json
import linecache as _linecache
import mmap as _mmap
import os as _os
import select as _select
import sys as _sys
import threading as _threading
import types as _types
import weakref as _weakref

from _execute_python import branch as _branch
from _execute_python import displays as _displays
from _execute_python import errors as _errors
from _execute_python import figures as _figures
from _execute_python import fork as _fork
from _execute_python import messages as _messages
from _execute_python import notebook as _notebook
from _execute_python import session as _session
from _execute_python import source as _source
from _execute_python import streams as _streams
from _execute_python import tools as _tools
from _execute_python import warmup as _warmup
from _execute_python.errors import BUILTINS as __builtins__

_WORK_FOLDER = "/mnt/data"
#: `CO_COROUTINE`, of code with an `await` at its top level.
_COROUTINE = 0x80
_DEPTH = _sys.getrecursionlimit()
_RESERVE_BYTES = 4 * 1024 * 1024

#: Address space that is given back when memory is used up, so that this can still be told.
_reserve = None
_main = _native = None
#: What the caller offers, as it was told last.
_offer = None
_logging = None
_log_handlers = 0
_join = _threading.Thread.join
#: Answers which of the numbers above the worker's own stand for an open file.
_descriptors = _select.poll()
_WATCHED = range(6, 64)
for _number in _WATCHED:
    _descriptors.register(_number, 0)


def prepare(native, preload):
    """Called once, in the zygote, before its first fork: imports and warms up."""
    global _native, _reserve
    _native = native
    _streams.prepare(native)
    _messages.prepare(native)
    _displays.prepare()
    _builtins.input = _streams.ask
    _threading.excepthook = _errors.thread_hook
    _new_main()
    with _warmup.no_programs():
        _warmup.plant_seeds()
        _warmup.preload(preload)
        if _warmup.installed("IPython"):
            _notebook.prepare()
        if _warmup.installed("matplotlib"):
            _figures.prepare()
        _warmup.packages(native)
    _fork.prepare()
    _leave_no_trace()
    flags = _mmap.MAP_PRIVATE | _mmap.MAP_ANONYMOUS
    _reserve = _mmap.mmap(-1, _RESERVE_BYTES, flags)


def settle():
    """Called once, in a zygote that will fork often: what costs it time and saves its workers some."""
    # Often enough for the interpreter to specialise the code, so that workers need not write to it.
    for _ in range(20):
        warm()
    _gc.collect()


def freeze():
    """Called once, in the zygote: no collection looks at what is here now, so no page is copied."""
    _gc.freeze()


def after_fork():
    """Called once in each worker before it gets code."""
    _fork.after_fork()


def warm():
    """Runs a small program through the whole path, so that its pages are there when one comes."""
    sink, kept = _os.open("/dev/null", _os.O_WRONLY), _os.dup(1)
    _os.dup2(sink, 1)
    _messages.muted = True
    try:
        _run({"code": "x = 1 + 1\nprint(x)\nx", "name": "main.py", "stdin": False}, _WARM_STEPS)
    finally:
        _messages.muted = False
        _os.dup2(kept, 1)
        _os.close(kept)
        _os.close(sink)
    _source.forget("main.py")
    _new_main()


def run(request):
    """Runs a program to its very end and sends what came of it.

    The request has its `code`, its file `name` and whether there is a `stdin` for it.
    """
    _run(request, _LAST_STEPS)


def run_on(request):
    """Runs a cell of a session and sends what came of it. What it made stays."""
    _run(request, _BETWEEN_STEPS, _described_cell)


def ask(question):
    """Answers a question about the session, which is a JSON object with an `op`."""
    answer, names = {}, _main.__dict__
    try:
        _fork.in_program = True
        question = _json.loads(question)
        answer["number"] = question["number"]
        if question["op"] == "touch":
            _touch()
        elif question["op"] == "variables":
            answer["variables"] = _session.variables(names)
        elif question["op"] == "value":
            found = _session.value(
                names, question["name"], question.get("start"), question.get("stop")
            )
            answer["value"] = _displays.bundle(found)
    except BaseException as error:
        answer["exception"] = _errors.describe(error)
    finally:
        _fork.in_program = False
    _messages.answer(answer)


def equip(offer):
    """Takes note of what the caller offers: `tools`, and whether it answers `input()`."""
    global _offer
    if offer == _offer:
        return
    _offer, told = offer, _json.loads(offer)
    for tool in told["tools"]:
        _main.__dict__[tool["name"]] = _tools.make(tool)
    _builtins.ToolError = _tools.ToolError
    _streams.caller = _ask_caller if told["interactive"] else None
    if told["interactive"]:
        import getpass

        getpass.getpass = _streams.ask_password


def _touch():
    """Runs a small cell in a place of its own. After a fork each page that is written is copied first: so
    those that every cell writes are copied while nobody waits."""
    code = "x = 1 + 1\nx"
    body, last = _source.compiled(code, "<touch>")
    names = {}
    _source.remember("<touch>", code)
    exec(body, names)
    _session.marks(names)
    _displays.bundle(eval(last, names))
    _source.forget("<touch>")


def _ask_caller(prompt, password):
    question = {"type": "input", "prompt": prompt, "password": password}
    return _messages.ask(question).get("text")


def after_birth():
    """Called once in the process that runs the cells of a session."""
    _fork.new_process()


def after_thaw():
    """Called in a copy of a process of a session that goes on."""
    _fork.new_process()


def before_branch():
    """Called in a copy that becomes a branch; gives what `after_branch` is called with."""
    return _branch.before()


def after_branch(found):
    """Called in a branch when it has its work folder."""
    _branch.after(*found)


def _run(request, last_steps, described=None):
    try:
        _fork.in_program = True
        _native.watch(not _messages.muted)
        end = _play(request, last_steps, described or _described)
    except BaseException as error:
        # The time was used up while no code of the program ran.
        end = {"exception": _errors.describe(error)}
    finally:
        _fork.in_program = False
        _native.watch(False)
    _messages.done(end)


def _play(request, last_steps, described):
    """What is to be told of the end of a program; nothing if there is nothing to tell."""
    end = described(request)
    for step in last_steps:
        if not _fork.in_program:
            # Out of time: nothing is waited for.
            _write_files_out()
            break
        try:
            step()
        except BaseException as error:
            # What came first is what ended the program.
            if "exception" not in end and "exit_code" not in end:
                end.update(_told(error))
    return end


def _described(request):
    try:
        body, last = _begin(request)
        try:
            value = _execute(body, last)
        finally:
            _undo_traces()
        return {} if value is None else {"value": _displays.bundle(value)}
    except BaseException as error:
        return _told(error)


def _described_cell(request):
    names = _main.__dict__
    _session.begin(names, request["code"])
    try:
        body, last = _begin(request)
        try:
            if (body.co_flags | (last.co_flags if last else 0)) & _COROUTINE:
                value = _session.run(_execute_async(body, last, names))
            else:
                value = _execute(body, last)
        finally:
            _undo_traces()
        _session.end(names, value)
        end = {} if value is None else {"value": _displays.bundle(value)}
    except BaseException as error:
        end = _told(error)
    end["names"] = _session.marks(names)
    return end


def _begin(request):
    name, code = request["name"], _source.normal(request["code"])
    _main.__file__ = name
    _sys.argv[:] = [name]
    if request["stdin"]:
        _streams.give_stdin()
    _fork.start_clocks()
    _source.remember(name, code)
    return _source.compiled(code, name)


def _execute(body, last):
    names = _main.__dict__
    if (body.co_flags | (last.co_flags if last else 0)) & _COROUTINE:
        import asyncio

        return asyncio.run(_execute_async(body, last, names))
    exec(body, names)
    return eval(last, names) if last else None


async def _execute_async(body, last, names):
    value = None
    for code in filter(None, (body, last)):
        value = eval(code, names)
        if code.co_flags & _COROUTINE:
            value = await value
    return value if last else None


def _told(error):
    """What is told of an exception that ended the program."""
    if isinstance(error, MemoryError):
        _reserve.close()
    if isinstance(error, SystemExit):
        return {"exit_code": _exit_code(error)}
    return {"exception": _errors.describe(error)}


def _exit_code(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    try:
        _streams.warn(f"{code}\n")
    except Exception:
        # Python, too, says nothing then.
        pass
    return 1


def _undo_traces():
    """Takes back what the program may have set up to watch or hinder code that is not its own."""
    _sys.settrace(None)
    _sys.setprofile(None)
    if _sys.getrecursionlimit() < _DEPTH:
        _sys.setrecursionlimit(_DEPTH)


def _wait_for_threads():
    """As Python does before it ends. Its own `threading._shutdown` would not do: since 3.13 it only
    prints what is raised in it."""
    if len(_threading._active) < 2:
        return
    while _threading._threading_atexits:
        # They end the threads of executors.
        _threading._threading_atexits.pop()()
    while True:
        main = _threading.main_thread()
        alive = [t for t in list(_threading._active.values()) if t is not main and not t.daemon]
        if not alive:
            return
        _join(alive[0])


def _run_exit_handlers():
    try:
        _atexit._run_exitfuncs()
    except Exception:
        # Printed already; 3.9 also raises the last one.
        pass
    # Where the zygote imported it, its exit handler went with those of the zygote.
    if _logging is not None and len(_logging._handlerList) > _log_handlers:
        _logging.shutdown()


def _let_objects_go():
    """Frees the program's objects, where that matters, as Python does at its end: files that are
    open are closed, and a class with `__del__` sees its objects go."""
    if _is_any_file_open() or _has_finalizers():
        # First: a collection that frees a file closes its descriptor before it writes the rest.
        _write_files_out()
        # The names are left, not emptied, so that whatever is called now still finds them.
        _new_main()
        _gc.collect()


def _has_finalizers():
    kinds = [kind for kind in _main.__dict__.values() if isinstance(kind, type)]
    return any("__del__" in kind.__dict__ for kind in kinds)


def _is_any_file_open():
    closed = [number for number, event in _descriptors.poll(0) if event & _select.POLLNVAL]
    return len(closed) < len(_WATCHED)


def _write_files_out():
    if not _is_any_file_open():
        return
    for file in _gc.get_objects():
        if type(file) in (_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom):
            try:
                file.flush()
            except Exception:
                # Closed, or made for reading.
                pass


_LAST_STEPS = (
    _wait_for_threads,
    _figures.show_all,
    _displays.emit_updates,
    _run_exit_handlers,
    _let_objects_go,
)
#: Of these what belongs between two cells of a session.
_BETWEEN_STEPS = (_figures.show_all, _displays.emit_updates)
#: Of these what changes nothing.
_WARM_STEPS = (
    _wait_for_threads,
    _figures.show_all,
    _displays.emit_updates,
    _is_any_file_open,
    _has_finalizers,
)


def _new_main():
    """Makes a module for the program to be, as new as Python's own."""
    global _main
    _main = _types.ModuleType("__main__")
    names = _main.__dict__
    names["__builtins__"] = _builtins
    names["__cached__"] = None
    if _sys.version_info < (3, 14):
        names["__annotations__"] = {}
    _sys.modules["__main__"] = _main
    _notebook.serve(names)


def _leave_no_trace():
    """Removes from the zygote what a program should not find, and keeps what it may rely on."""
    global _logging, _log_handlers
    _atexit._clear()
    _logging = _sys.modules.get("logging")
    _log_handlers = len(_logging._handlerList) if _logging else 0
    # So that the first one of the program registers its exit handler anew.
    _weakref.finalize._registered_with_atexit = False
    for info in _weakref.finalize._registry.values():
        info.atexit = False
    _os.environ.pop("LD_LIBRARY_PATH", None)
    # IPython raises it.
    _sys.setrecursionlimit(_DEPTH)
    _sys.argv[:] = [""]
    if hasattr(_sys, "orig_argv"):
        _sys.orig_argv[:] = [_sys.executable]
    _linecache.clearcache()
    # Last: in the zygote it is another folder, so nothing may be looked for in it.
    _sys.path.insert(0, _WORK_FOLDER)
