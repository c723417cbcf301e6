"""Tests of the runner's Python half: `python3 test_cell.py [part of a name]`, with any interpreter.

A zygote is started once. It loads the modules as the extension does and forks a worker for each
program, with the plain `fork` of the C library as in the sandbox: Python's own hooks do not run.
What a test needs that is not installed is named and the test left out.
"""

import base64
import builtins
import ctypes
import json
import os
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import types

# The stand-in for the extension must work whatever a program does to the builtins.
__builtins__ = dict(vars(builtins))

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "_execute_python"
MINOR = sys.version_info[1]


# The zygote and its workers.


def order():
    """The order of loading, from the docstring of `cell.py`."""
    with open(os.path.join(HERE, "cell.py"), encoding="utf-8") as file:
        listed = re.search(r"are loaded:\n(.*?)\.\n", file.read(), re.DOTALL).group(1)
    return re.findall(r"\w+", listed)


def load():
    """Loads the package as the extension does and gives the module `cell`."""
    package = types.ModuleType(PACKAGE)
    package.__path__ = []
    sys.modules[PACKAGE] = package
    for name in order():
        with open(os.path.join(HERE, name + ".py"), encoding="utf-8") as file:
            code = compile(file.read(), f"<execute-python>/{name}.py", "exec", 0, True)
        module = types.ModuleType(f"{PACKAGE}.{name}")
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)
        setattr(package, name, module)
    return package.cell


def zygote(control, preload):
    """Forks a worker for each order until the tests are over."""
    # Every name is bound before the runner puts another module in the place of this one.
    library = ctypes.PyDLL(None)
    native = types.ModuleType("native")
    native.flush_c = lambda: library.fflush(None)
    native.send = lambda message: write_all(3, len(message).to_bytes(4, "little") + message)
    native.receive = lambda: b""
    native.watch = lambda runs: None
    native.show_maps = lambda: None
    cell = load()
    before = set(os.listdir("/proc/self/fd"))
    cell.prepare(native, preload)
    left_open = len(set(os.listdir("/proc/self/fd")) - before)
    cell.settle()
    cell.freeze()
    control.send(
        json.dumps({"threads": len(os.listdir("/proc/self/task")), "open": left_open}).encode()
    )
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 1 << 20, 5)
        if not data:
            return
        child = library.fork()
        if child == 0:
            work(cell, json.loads(data), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        control.send(b"%d" % child)
        control.send(b"%d" % os.waitpid(child, 0)[1])


def work(cell, request, descriptors):
    """Runs one program; never returns."""
    try:
        # Above the numbers that they go to, so that none is overwritten before it was moved.
        high = [os.dup2(descriptor, 200 + at) for at, descriptor in enumerate(descriptors)]
        os.closerange(3, 200)
        for number, descriptor in enumerate(high):
            os.dup2(descriptor, number)
        os.closerange(200, 210)
        # A worker has a pipe there, and what the program opens comes after it.
        os.dup2(os.open("/dev/null", os.O_WRONLY), 5)
        os.chdir(request.pop("folder"))
        sys.path[0] = os.getcwd()
        memory = request.pop("memory", None)
        cell.after_fork()
        cell.warm()
        if memory:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        cell.run(request)
    except BaseException:
        import traceback

        os.write(2, ("the runner failed: " + traceback.format_exc()).encode())
        os._exit(70)
    os._exit(0)


def write_all(number, data):
    while data:
        data = data[os.write(number, data) :]


class Zygote:
    """A zygote seen from the tests."""

    def __init__(self, preload):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        number = theirs.fileno()
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": tempfile.mkdtemp(),
            "OPENBLAS_NUM_THREADS": "1",
        }
        arguments = [sys.executable, "-I", "-X", "utf8", __file__, "--zygote", str(number)]
        self.process = subprocess.Popen(
            arguments + preload, pass_fds=[number], env=environment, stdin=subprocess.DEVNULL
        )
        theirs.close()
        said = self.control.recv(1000)
        assert said, "the zygote did not start"
        self.warm = json.loads(said)


_zygotes = {}


def start(*preload):
    if preload not in _zygotes:
        _zygotes[preload] = Zygote(list(preload))
    return _zygotes[preload]


class Ended:
    """What came of a program."""

    def __init__(self, stdout, stderr, messages, trace, status, folder):
        self.stdout, self.stderr, self.trace = stdout.decode(), stderr.decode(), trace.decode()
        self.messages, self.status, self.folder = messages, status, folder
        self.displays = [message for message in messages if message["type"] == "display"]
        done = [message for message in messages if message["type"] == "done"]
        assert len(done) <= 1 and (not done or messages[-1]["type"] == "done"), messages
        self.done = done[0] if done else None
        self.value = (self.done or {}).get("value")
        self.exception = (self.done or {}).get("exception")
        self.exit_code = (self.done or {}).get("exit_code")
        self.text = self.value and self.value["data"]["text/plain"]

    def file(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()


def run(code, stdin=None, name="main.py", preload=(), signals=(), memory=None, files=()):
    """Runs a program; `signals` are sent to it when it has printed `ready`."""
    code = textwrap.dedent(code)
    of = start(*preload)
    folder = tempfile.mkdtemp()
    for file_name, text in dict(files).items():
        with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
            file.write(text)
    given = tempfile.TemporaryFile()
    given.write((stdin or "").encode())
    given.seek(0)
    ours, theirs = zip(*(os.pipe() for _ in range(4)))
    request = {
        "code": code,
        "name": name,
        "stdin": stdin is not None,
        "folder": folder,
        "memory": memory,
    }
    standard, errors, control, trace = theirs
    passed = [given.fileno(), standard, errors, control, trace]
    socket.send_fds(of.control, [json.dumps(request).encode()], passed)
    for number in theirs:
        os.close(number)
    child = int(of.control.recv(100))
    read = drain(ours, child, list(signals))
    status = os.waitstatus_to_exitcode(int(of.control.recv(100)))
    return Ended(read[0], read[1], split(read[2]), read[3], status, folder)


def drain(pipes, child, signals):
    read = [b""] * len(pipes)
    selector = selectors.DefaultSelector()
    for at, pipe in enumerate(pipes):
        selector.register(pipe, selectors.EVENT_READ, at)
    until = time.monotonic() + 60
    while selector.get_map():
        assert time.monotonic() < until, f"still running: {read}"
        for key, _ in selector.select(1):
            piece = os.read(key.fd, 1 << 20)
            read[key.data] += piece
            if not piece:
                selector.unregister(key.fd)
                os.close(key.fd)
        while signals and b"ready\n" in read[0]:
            # It says so a moment before it is where it is to be.
            time.sleep(0.05)
            os.kill(child, signals.pop(0))
    return read


def split(data):
    messages = []
    while data:
        length = int.from_bytes(data[:4], "little")
        messages.append(json.loads(data[4 : 4 + length].decode("utf-8")))
        data = data[4 + length :]
    return messages


class Missing(Exception):
    """What a test needs is not installed here."""


def needs(*packages):
    import importlib.util

    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise Missing(package)


DATA = ("numpy", "pandas", "matplotlib.pyplot", "random")


def run_data(code, **options):
    needs("numpy", "pandas", "matplotlib", "IPython")
    return run(code, preload=DATA, **options)


# What a program prints and what its value is.


def test_a_program_that_prints_sends_one_message():
    ended = run("print(1 + 1)")
    assert (ended.stdout, ended.stderr, ended.messages) == ("2\n", "", [{"type": "done"}])


def test_the_last_expression_is_the_value():
    assert run("x = [1, 'a']\nx").done == {
        "type": "done",
        "value": {"data": {"text/plain": "[1, 'a']"}, "metadata": {}},
    }
    assert run("(\n  'é'\n)").text == "'é'"


def test_none_an_assignment_and_a_semicolon_give_no_value():
    for code in (
        "None",
        "x = 1",
        "1;",
        "(1) ; # why",
        "'é' ;",
        "x = 1\nx;",
        "",
        "# only a comment",
        "pass",
    ):
        assert run(code).done == {"type": "done"}, code
    assert run("x = 2; x").text == "2"
    assert run("x = ';'\nx # ;").text == "';'"


def test_a_program_is_the_module_main():
    code = """
        import __main__, sys
        print(__name__, __file__, __main__.__dict__ is globals(), sys.argv)
        print(sorted(set(globals()) - {'__main__', 'sys', '__annotations__'}))
    """
    assert run(code).stdout == (
        "__main__ main.py True ['main.py']\n"
        "['__builtins__', '__cached__', '__doc__', '__file__', '__loader__', '__name__',"
        " '__package__', '__spec__']\n"
    )


def test_classes_of_the_program_can_be_pickled_and_inspected():
    code = """
        import dataclasses, inspect, pickle, typing

        @dataclasses.dataclass
        class Point:
            x: int
            y: "Point" = None

        def double(x):
            return 2 * x

        print(pickle.loads(pickle.dumps(Point(1))), pickle.loads(pickle.dumps(double))(4))
        print(typing.get_type_hints(Point))
        print(inspect.getsource(double), inspect.getsource(Point), sep="")
    """
    ended = run(code)
    assert ended.exception is None, ended.exception["text"]
    assert ended.stdout.startswith(
        "Point(x=1, y=None) 8\n{'x': <class 'int'>, 'y': <class '__main__.Point'>}\n"
    )
    assert ended.stdout.endswith(
        "def double(x):\n    return 2 * x\n"
        '@dataclasses.dataclass\nclass Point:\n    x: int\n    y: "Point" = None\n\n'
    )


def test_a_file_of_the_same_name_is_not_taken_for_the_program():
    ended = run("def f():\n    1 / 0\nf()", files={"main.py": "other\n" * 9})
    assert [frame["source"] for frame in ended.exception["frames"]] == ["f()", "1 / 0"]
    ended = run("x = 1\nreturn 5", files={"main.py": "other\n" * 9})
    assert "\n    return 5\n" in ended.exception["text"]


def test_modules_beside_the_program_can_be_imported():
    assert run("import helper\nhelper.x", files={"helper.py": "x = 7"}).text == "7"


def test_text_that_utf8_lacks_is_printed_as_escapes_and_sent_as_replacements():
    code = r"print('\ud800 \udcff é'); import sys; sys.stdout.buffer.write(b'raw\n');"
    ended = run(code)
    assert ended.stdout == "\\ud800 \\udcff é\nraw\n"
    ended = run(r"raise ValueError('\ud800')")
    assert ended.exception["message"] == "\ufffd"


def test_streams_keep_their_order_and_names():
    code = """
        import sys
        sys.stdout.write('a')
        print('b', file=sys.stderr)
        print(sys.stdout.name, sys.stdin.name, sys.stdout.encoding, sys.stdout.seekable())
    """
    ended = run(code)
    assert (ended.stdout, ended.stderr) == ("a<stdout> <stdin> utf-8 False\n", "b\n")


def test_output_of_c_code_is_written_out():
    ended = run("import ctypes\nctypes.CDLL(None).printf(b'from C')\nNone")
    assert ended.stdout == "from C"


# Standard input.


def test_input_reads_the_text_that_was_given():
    ended = run("a = input('name? ')\nb = input()\nprint(a, b)", stdin="Zoë\nlast")
    assert ended.stdout == "name? Zoë last\n"
    assert (
        run("import sys\n[line for line in sys.stdin]", stdin="1\n2\n").text == "['1\\n', '2\\n']"
    )
    assert run("open(0, closefd=False).read()", stdin="x").text == "'x'"


def test_input_without_text_says_what_to_do():
    ended = run("input()")
    assert ended.exception["type"] == "EOFError"
    assert ended.exception["message"] == (
        "input() was called but no stdin was given; pass the text as stdin"
    )
    assert ended.exception["causes"] == []
    ended = run("input()\ntry:\n    input()\nexcept EOFError as e:\n    print(e)", stdin="a\n")
    assert (
        ended.stdout
        == "input() was called but there is nothing (more) to read; pass more lines as stdin\n"
    )
    assert run("import sys; sys.stdin.read()").text == "''"


# Exceptions.


def test_an_exception_is_told_as_python_prints_it():
    code = """
        def f(x):
            return 1 / x

        f(0)
    """
    ended = run(code)
    exception = ended.exception
    assert (exception["type"], exception["module"]) == ("ZeroDivisionError", "builtins")
    assert exception["message"] == "division by zero"
    assert exception["frames"] == [
        {"file": "main.py", "line": 5, "function": "<module>", "source": "f(0)"},
        {"file": "main.py", "line": 3, "function": "f", "source": "return 1 / x"},
    ]
    assert exception["text"] == as_python_prints(textwrap.dedent(code))
    assert ended.stderr == ""


def as_python_prints(code):
    """What Python itself prints for a program, as a control."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "main.py"), "w", encoding="utf-8") as file:
            file.write(code)
        arguments = [sys.executable, "-X", "utf8", "main.py"]
        done = subprocess.run(
            arguments, cwd=folder, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        text = done.stderr.decode().replace(folder + "/", "")
    # Python names the file as `open` would since 3.9; the runner by the name that was given.
    return text


def test_texts_are_those_of_python():
    codes = [
        "raise ValueError",
        "raise ValueError('a\\nb')",
        "x = = 1",
        "def f():\n    return 1\n  x = 2\n",
        "return 5",
        "x = 1\nfor x in y:\nprint(x)",
        "print('a)",
        "f(1, x=2, 3)",
        "é = 1 +",
        "'\\N{no such}'",
        "async def f():\n    pass\nawait = 3",
        "prnt(1)",
        "import json\njson.dump_s",
        "class A:\n    colour = 1\nA().color",
        "def f(n):\n    return f(n + 1)\nf(0)",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e",
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['k']",
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise OSError(2, 'no') from None",
        "import json\njson.loads('{')",
        "class E(Exception):\n    def __str__(self):\n        return 1 / 0\nraise E",
        "class E(BaseException):\n    pass\nraise E('x')",
        "def g(f):\n    try:\n        f()\n    except Exception as e:\n"
        "        raise OSError from e\n"
        "g(lambda: 1 / 0)",
        "assert 1 == 2, 'why'",
        "exec('1 / 0')",
        "compile('x = (', 'other.py', 'exec')",
    ]
    if MINOR > 9:
        codes.append("(1")
    if MINOR >= 11:
        codes += [
            "e = ValueError('x')\ne.add_note('a note')\nraise e",
            "raise ExceptionGroup('g', [ValueError(1), ExceptionGroup('h', [KeyError(2)])])",
        ]
    for code in codes:
        expected = as_python_prints(code)
        exception = run(code).exception
        assert exception, code
        assert essence(exception["text"]) == essence(expected), f"{exception['text']}\n{expected}"


def essence(text):
    """The text without what is known to differ: columns of carets, as the compiler knows others
    of a file than of a text; our own depth in a recursion; `__main__`, as old C code names it."""
    if MINOR < 11:
        text = text.replace("__main__.", "").replace(
            "<unprintable E object>", "<exception str() failed>"
        )
    if "RecursionError" in text:
        text = re.sub(r"repeated \d+ more", "repeated many more", text)
        return [line for line in text.splitlines() if line.strip()]
    return [line for line in text.splitlines() if line.strip(" |") and line.strip(" |^~")]


def test_a_syntax_error_has_its_place_as_frame():
    exception = run("x = 1\nx = = 1").exception
    assert exception["frames"] == [
        {"file": "main.py", "line": 2, "function": "<module>", "source": "x = = 1"}
    ]
    assert exception["type"] == "SyntaxError"


def test_causes_are_told_nearest_first():
    code = """
        try:
            try:
                1 / 0
            except ZeroDivisionError:
                {}["k"]
        except KeyError as error:
            raise ValueError("v") from error
    """
    causes = run(code).exception["causes"]
    assert [(c["relation"], c["type"], c["message"]) for c in causes] == [
        ("cause", "KeyError", "'k'"),
        ("context", "ZeroDivisionError", "division by zero"),
    ]
    assert causes[1]["frames"][0]["source"] == "1 / 0"


def test_notes_are_told():
    if MINOR < 11:
        raise Missing("Python 3.11")
    assert run("e = ValueError()\ne.add_note('n')\nraise e").exception["notes"] == ["n"]


def test_deep_recursion_is_told_in_few_frames():
    exception = run("def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nf(0)").exception
    assert exception["type"] == "RecursionError"
    assert len(exception["frames"]) == 200
    assert len(exception["text"]) <= 256 * 1024 + 100


def test_long_texts_are_cut_in_the_middle():
    exception = run("raise ValueError('a' * 1_000_000 + 'end')").exception
    assert len(exception["text"]) < 270_000 and exception["text"].endswith("end\n")
    assert "characters are left out" in exception["text"]


def test_exceptions_that_are_no_errors_are_told_too():
    assert run("raise KeyboardInterrupt").exception["type"] == "KeyboardInterrupt"
    assert run("raise GeneratorExit").exception["type"] == "GeneratorExit"


def test_an_exit_gives_its_code():
    for code, expected in [
        ("import sys; sys.exit()", 0),
        ("import sys; sys.exit(3)", 3),
        ("exit()", 0),
        ("quit(2)", 2),
        ("raise SystemExit(True)", 1),
        ("import sys; sys.exit(-1)", 255),
        ("exit(10**30 + 7)", 7),
    ]:
        ended = run(code)
        if expected == 7:
            expected = (10**30 + 7) & 0xFF
        assert ended.done == {"type": "done", "exit_code": expected}, code
    ended = run("import sys; sys.exit('wrong é')")
    assert (ended.exit_code, ended.stderr) == (1, "wrong é\n")


def test_a_program_that_leaves_without_a_word_ends():
    ended = run("import os; print('x', flush=True); os._exit(5)")
    assert (ended.stdout, ended.done, ended.status) == ("x\n", None, 5)


def test_memory_that_is_used_up_is_told():
    ended = run("x = []\nwhile True:\n    x.append('a' * 100_000)", memory=400 << 20)
    assert ended.exception["type"] == "MemoryError"
    assert ended.exception["frames"][0]["source"] == "x.append('a' * 100_000)"
    ended = run("x = []\nwhile True:\n    x.append([x])", memory=400 << 20)
    assert ended.exception["type"] == "MemoryError"


# Objects that misbehave.


def test_objects_that_cannot_be_shown_break_nothing():
    broken = "class A:\n    def __repr__(self):\n        {}\nA()"
    for line, kind in [
        ("raise ValueError('r')", "ValueError"),
        ("return 5", "TypeError"),
        ("return repr(self)", "RecursionError"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ]:
        ended = run(broken.format(line))
        assert ended.exception["type"] == kind, line
        assert ended.value is None
    assert run(broken.format("raise SystemExit(4)")).exit_code == 4


def test_a_huge_value_is_cut_and_says_so():
    text = run("'x' * 2_000_000").text
    assert len(text) < 1_100_000 and text.endswith("… 951426 characters are missing")


def test_what_is_too_large_is_sent_as_text():
    ended = run("display({'text/plain': 'p', 'image/png': b'x' * 30_000_000}, raw=True)")
    assert list(ended.displays[0]["data"]) == ["text/plain"]
    assert ended.displays[0]["data"]["text/plain"].startswith("p\n(a result of 40000")


def test_numbers_and_objects_that_json_lacks_are_sent_as_well_as_can_be():
    code = """
        endless = []
        endless.append(endless)
        data = {"application/json": {"a": float("nan"), 1: 2**70, "o": object, "e": "x\\ud800"}}
        display(data, raw=True)
        display({"application/json": endless}, raw=True)
    """
    first, second = run(code).displays
    assert first["data"]["application/json"] == {
        "a": None,
        "1": hex(2**70),
        "o": "<class 'object'>",
        "e": "x\ufffd",
    }
    assert isinstance(second["data"]["application/json"], list)


def test_a_program_that_changes_the_interpreter_is_answered():
    for code, stdout in [
        ("import builtins\ndel builtins.print", ""),
        (
            "import builtins\nfor n in list(vars(builtins)):\n"
            "    if n != '__import__': delattr(builtins, n)",
            "",
        ),
        ("import builtins\nbuiltins.len = builtins.repr = builtins.isinstance = None\nx = 1", ""),
        ("import sys\nsys.stdout = None", ""),
        ("import sys\nprint('a')\nsys.stdout.close()\nsys.stderr.close()", "a\n"),
        (
            "import sys, types\nsys.modules['json'] = types.ModuleType('x')\n"
            "sys.modules['traceback'] = types.ModuleType('x')",
            "",
        ),
        ("import sys\nsys.modules.clear()", ""),
        ("import sys\nsys.setrecursionlimit(30)", ""),
        ("import sys\ndef t(*a):\n    raise ValueError('traced')\nsys.settrace(t)", ""),
        ("import sys\nsys.setprofile(lambda *a: 1 / 0)", ""),
        ("import os\nos.close(2)\nos.close(0)", ""),
        ("import gc\ngc.disable()\ngc.set_threshold(1)", ""),
        ("import linecache\nlinecache.cache = None", ""),
        ("globals().clear()", ""),
    ]:
        ended = run(code)
        assert ended.done is not None, (code, ended.stderr, ended.status)
        assert ended.stdout == stdout, code
        assert "runner failed" not in ended.stderr, (code, ended.stderr)
        ended = run(code + "\nraise ValueError('after')")
        assert ended.done and ended.exception, (code, ended.stderr, ended.status)


# The end of a program.


def test_threads_are_waited_for_and_then_exit_handlers_run():
    code = """
        import atexit, threading, time
        atexit.register(print, "exit handler")
        def work():
            time.sleep(0.1)
            print("thread")
        threading.Thread(target=work).start()
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        print("main")
    """
    assert run(code).stdout == "main\nthread\nexit handler\n"
    assert run(code + "    raise ValueError").stdout == "main\nthread\nexit handler\n"


def test_an_executor_that_was_not_shut_down_ends():
    code = """
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(2)
        f = pool.submit(print, "worked")
    """
    assert run(code).stdout == "worked\n"


def test_an_exception_in_a_thread_is_printed_with_its_lines():
    code = """
        import threading
        def work():
            1 / 0
        t = threading.Thread(target=work, name='T')
        t.start(); t.join()
    """
    ended = run(code)
    assert ended.stderr.startswith("Exception in thread T:\nTraceback (most recent call last):\n")
    assert "\n    1 / 0\n" in ended.stderr and "execute-python" not in ended.stderr
    assert ended.exception is None


def test_an_exit_handler_that_fails_is_printed():
    ended = run("import atexit\n@atexit.register\ndef f():\n    1 / 0\n")
    assert "ZeroDivisionError" in ended.stderr and ended.exception is None


def test_files_that_were_left_open_are_written_out():
    code = """
        import zipfile, gzip
        closed = open("c.txt", "w")
        out = open("a.txt", "w")
        out.write("text")
        closed.close()
        def f():
            z = zipfile.ZipFile("b.zip", "w")
            z.writestr("x", "inside")
            return z
        z = f()
        g = gzip.open("d.gz", "wt")
        g.write("zipped")
    """
    ended = run(code)
    assert ended.file("a.txt") == "text"
    import gzip
    import zipfile

    assert zipfile.ZipFile(os.path.join(ended.folder, "b.zip")).read("x") == b"inside"
    assert gzip.open(os.path.join(ended.folder, "d.gz")).read() == b"zipped"


def test_objects_with_finalizers_see_their_end():
    code = """
        COUNT = 3
        def say(text):
            print(text, COUNT)
        class A:
            def __del__(self):
                say("gone")
        a = A()
        a.itself = a
        print("end")
    """
    assert run(code).stdout == "end\ngone 3\n"


def test_weak_finalizers_and_log_handlers_run_at_the_end():
    code = """
        import logging, logging.handlers, weakref
        class A: pass
        a = A()
        weakref.finalize(a, print, "finalized")
        handler = logging.handlers.MemoryHandler(100, target=logging.FileHandler("log.txt"))
        logging.getLogger().addHandler(handler)
        logging.warning("kept")
    """
    ended = run(code)
    assert ended.stdout == "finalized\n"
    assert ended.file("log.txt") == "kept\n"


def test_logging_and_warnings_go_to_stderr():
    ended = run("import logging, warnings\nlogging.warning('w')\nwarnings.warn('careful')\n")
    assert ended.stderr == (
        "WARNING:root:w\nmain.py:3: UserWarning: careful\n  warnings.warn('careful')\n"
    )
    ended = run("x = 5\nx is 5")
    assert ended.stderr.count("SyntaxWarning") == 1


# Asynchronous programs.


def test_await_works_at_the_top_level():
    code = """
        import asyncio
        async def f(x):
            await asyncio.sleep(0)
            return x + 1
        y = await f(1)
        async def g():
            yield y
        async for z in g():
            print(z)
        await f(z)
    """
    ended = run(code)
    assert (ended.stdout, ended.text) == ("2\n", "3")
    assert run("import asyncio\nasync def f(): return 4\nasyncio.run(f())").text == "4"
    assert run("async def f(): return 4\n[await f() for _ in range(2)]").text == "[4, 4]"


def test_an_exception_of_an_asynchronous_program_has_its_own_frames_only():
    exception = run("import asyncio\nasync def f():\n    1 / 0\nawait f()").exception
    assert [(f["file"], f["line"]) for f in exception["frames"]] == [("main.py", 4), ("main.py", 3)]
    assert run("import asyncio, sys\nawait asyncio.sleep(0)\nsys.exit(3)").exit_code == 3


# Lines of notebooks.


def test_lines_of_notebooks_that_ask_for_nothing_do_nothing():
    code = """
        %matplotlib inline
        %load_ext autoreload
        %autoreload 2
        x = 1
        if x:
            %time y = x + 1
        print(y)
    """
    ended = run(code)
    assert (ended.stdout, ended.stderr, ended.exception) == ("2\n", "", None)
    ended = run("%%time\nx = 4\nx")
    assert (ended.text, ended.stderr) == ("4", "")
    ended = run("%%capture out\n%timeit -n 10 print('once')\nx = %time 1 + 1\nx")
    assert (ended.stdout, ended.text) == ("once\n", "2")
    ended = run("%notebook x\n1")
    assert ended.stderr == "note: the notebook magic %notebook does nothing here\n"


def test_shell_lines_raise_and_say_what_to_do():
    for line in (
        "!ls -la",
        '  !cat x | grep "\'"',
        "x = !ls",
        "%ls",
        "!!date",
        "%%bash\nls -l | wc",
    ):
        code = line if not line.startswith(" ") else "if True:\n" + line
        exception = run("print(1)\n" + code if "%%" not in code else code).exception
        assert exception["type"] == "ShellUnavailable", (line, exception["text"])
        assert "no shell" in exception["message"], line
        assert exception["frames"][0]["source"] == line.split("\n")[0].strip(), line
        assert len(exception["frames"]) == 1
    text = run("!ls").exception["text"]
    assert text.startswith(
        'Traceback (most recent call last):\n  File "main.py", line 1, in <module>\n    !ls\n'
        "ShellUnavailable: `!ls`"
    ), text


def test_installing_what_is_here_is_a_note_and_all_else_raises():
    ended = run("!pip install pip\nprint(2)")
    if "already here" not in ended.stderr:
        raise Missing("pip")
    assert ended.stdout == "2\n"
    for line in (
        "%pip install -q no-such-thing[x]==1.0",
        "!pip install nope",
        "!pip list",
        "!conda install nope -y",
    ):
        exception = run(line).exception
        assert exception["type"] == "ShellUnavailable" and "no network" in exception["message"], (
            line
        )
    assert "no-such-thing" in run("%pip install no-such-thing>=1").exception["message"]
    ended = run("!python -m pip install -q 'pip>=1' > /dev/null 2>&1 && echo installed; ls")
    assert ended.exception is None and "already here: pip " in ended.stderr


def test_a_shell_line_over_several_lines_keeps_the_numbers():
    exception = run("if 1:\n    !pip install \\\n       nope\nx = 1\n").exception
    assert exception["frames"][0]["line"] == 2
    assert "nope" in exception["message"]


def test_a_fault_beside_a_magic_is_the_one_that_is_told():
    exception = run("%matplotlib inline\nx = = 1").exception
    assert (exception["type"], exception["frames"][0]["line"]) == ("SyntaxError", 2)
    assert run("x = 5 %\n% 3").exception["type"] == "SyntaxError"
    assert run("x = % d").exception["type"] == "SyntaxError"


def test_what_looks_like_a_magic_in_a_text_is_left_alone():
    assert run("x = '''\n%matplotlib inline\n!ls\n'''\nx").text == repr(
        "\n%matplotlib inline\n!ls\n"
    )


def test_a_cell_that_writes_a_file_writes_it():
    ended = run("%%writefile a.py\nx = (\n'é'")
    assert ended.file("a.py") == "x = (\n'é'\n" and ended.stdout == "Writing a.py\n"
    assert run("%%html\n<b>x</b>").displays[0]["data"]["text/html"] == "<b>x</b>"


# Newlines, help and other odds.


def test_newlines_of_any_kind_and_a_byte_order_mark_are_taken():
    exception = run("\ufeffx = 1\r\ny = '\u2028'\r\n1 / 0\r\n").exception
    assert (exception["frames"][0]["line"], exception["frames"][0]["source"]) == (3, "1 / 0")


def test_help_prints():
    assert "Return the number of items in a container." in run("help(len)").stdout


def test_the_machine_can_be_asked_without_starting_a_program():
    code = """
        import subprocess
        def never(*a, **k):
            raise AssertionError("a program was started")
        subprocess.Popen.__init__ = never
        import platform
        print(platform.platform(), platform.processor(), platform.architecture())
    """
    ended = run(code)
    assert ended.exception is None, ended.exception["text"]


def test_display_works_without_a_notebook():
    code = """
        class A:
            def __repr__(self): return "plain"
            def _repr_html_(self): return "<b>rich</b>"
            def _repr_png_(self): return b"png"
            def _repr_latex_(self): raise ValueError("no latex")
        display(A())
        print("between")
        A()
    """
    ended = run(code)
    expected = {"text/plain": "plain", "text/html": "<b>rich</b>", "image/png": "cG5n"}
    assert ended.displays[0]["data"] == expected
    assert ended.value["data"] == expected
    assert ended.stderr.count("ValueError: no latex") == 2


# Forks.


def test_workers_differ_in_their_random_numbers():
    code = """
        import random, tempfile, uuid
        random.random(), next(tempfile._get_candidate_names()), uuid.uuid4()
    """
    assert run(code).text != run(code).text
    code = "import threading\nassert threading.main_thread().native_id == threading.get_native_id()"
    assert run(code).exception is None
    code = """
        import logging
        r = logging.makeLogRecord({})
        assert 0 <= logging.LogRecord('n', 1, 'p', 1, 'm', (), None).relativeCreated < 1000
    """
    assert run(code).exception is None


def test_a_program_finds_no_trace_of_the_small_one_before_it():
    ended = run("import linecache, gc, sys\nprint('x' in globals(), len(sys.argv))\n")
    assert ended.stdout == "False 1\n"


# Time.


def test_a_program_tells_where_it_is_and_can_be_stopped():
    code = "def spin():\n    while True:\n        pass\nprint('ready')\nspin()"
    ended = run(code, signals=[60, 61])
    assert re.search(
        r'  File "main.py", line [23] in spin\n  File "main.py", line 5 in <module>\n', ended.trace
    )
    assert ended.exception["type"] == "TimeLimit"
    assert ended.exception["module"] == "builtins"
    assert [f["function"] for f in ended.exception["frames"]] == ["<module>", "spin"]
    assert ended.trace.rstrip().endswith("in <module>")


def test_no_except_exception_catches_the_end_of_the_time():
    code = """
        import time
        print('ready')
        while True:
            try:
                time.sleep(9)
            except Exception:
                pass
    """
    assert run(code, signals=[61]).exception["type"] == "TimeLimit"


def test_a_program_that_waits_for_its_thread_can_be_stopped():
    code = """
        import threading, time
        threading.Thread(target=time.sleep, args=(3,)).start()
        f = open('a', 'w'); f.write('kept')
        print('ready')
    """
    before = time.monotonic()
    ended = run(code, signals=[61])
    assert ended.exception["type"] == "TimeLimit" and time.monotonic() - before < 2.5
    assert ended.file("a") == "kept"


def test_an_asynchronous_program_can_be_stopped():
    code = "import asyncio\nprint('ready')\nawait asyncio.sleep(60)"
    assert run(code, signals=[61]).exception["type"] == "TimeLimit"


# With packages.


def test_a_zygote_has_one_thread_and_leaves_nothing_open():
    assert start().warm == {"threads": 1, "open": 0}


def test_a_zygote_with_packages_leaves_nothing_open():
    run_data("1")
    assert start(*DATA).warm["open"] == 0


def test_a_module_that_cannot_be_preloaded_is_named():
    try:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        start("no_such_module")
    except (AssertionError, ConnectionError):
        pass
    else:
        raise AssertionError("the zygote started")
    finally:
        os.dup2(kept, 2)


def test_a_table_has_text_and_html():
    ended = run_data("import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\ndisplay(df)\ndf")
    assert ended.text == "   a\n0  1\n1  2"
    assert "<table" in ended.value["data"]["text/html"]
    assert ended.displays[0]["data"] == ended.value["data"]
    ended = run_data("import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\ndf.head();")
    assert ended.value is None


def png(forms):
    return base64.b64decode(forms["data"]["image/png"])[:8] == b"\x89PNG\r\n\x1a\n"


def test_figures_are_shown_in_order_and_closed():
    code = """
        import matplotlib.pyplot as plt
        print("one")
        plt.plot([1, 2]); plt.show()
        print("two", plt.get_fignums())
        plt.figure(); plt.plot([3, 1])
        fig, ax = plt.subplots(); ax.bar([1], [2])
    """
    ended = run_data(code)
    assert ended.stdout == "one\ntwo []\n"
    assert [png(display) for display in ended.displays] == [True] * 3
    assert ended.displays[0]["data"]["text/plain"] == "<Figure size 640x480 with 1 Axes>"
    assert ended.stderr == ""


def test_a_figure_is_shown_once():
    plot = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\n"
    ended = run_data(plot + "fig")
    assert png(ended.value) and ended.displays == []
    assert len(run_data(plot + "display(fig)").displays) == 1
    assert len(run_data(plot + "display(fig)\nplt.show()").displays) == 1
    assert len(run_data(plot + "display(fig)\nax.plot([3, 4])\nNone").displays) == 2
    assert len(run_data(plot + "fig.show()").displays) == 1
    assert len(run_data(plot + "fig.savefig('x.png')").displays) == 1
    assert len(run_data(plot + "plt.close('all')").displays) == 0
    assert len(run_data("import matplotlib.pyplot as plt\nplt.figure()\nNone").displays) == 0
    assert (
        len(run_data(plot + "plt.show(block=False); plt.pause(0.01); plt.pause(0.01)").displays)
        == 1
    )
    assert len(run_data(plot + "raise ValueError").displays) == 1
    assert len(run_data(plot + "exit()").displays) == 1


def test_any_backend_may_be_asked_for():
    for backend in ("Agg", "TkAgg", "Qt5Agg", "svg"):
        code = f"""
            import matplotlib
            matplotlib.use({backend!r})
            import matplotlib.pyplot as plt
            plt.switch_backend({backend!r})
            plt.plot([1, 2])
            plt.savefig('a.png')
            plt.show()
        """
        ended = run_data(code)
        assert (len(ended.displays), ended.stderr, ended.exception) == (1, "", None), backend
        assert os.path.getsize(os.path.join(ended.folder, "a.png")) > 1000
    assert (
        run_data("import matplotlib\nmatplotlib.use('nonsense')").exception["type"] == "ValueError"
    )


def test_a_figure_that_cannot_be_drawn_raises():
    code = "import matplotlib.pyplot as plt\nplt.title('$\\\\nonsense{$')\nplt.plot([1])\n"
    assert run_data(code + "plt.show()").exception["type"] == "ValueError"
    assert run_data(code).exception["type"] == "ValueError"


def test_ipython_displays_work():
    code = """
        from IPython.display import HTML, Image, Markdown, clear_output, display, update_display
        display(HTML("<b>x</b>"))
        handle = display(Markdown("*a*"), display_id="d")
        handle.update(Markdown("*b*"))
        update_display(Markdown("*c*"), display_id="d")
        clear_output(wait=True)
        display({"text/plain": "p", "image/png": b"1"}, raw=True)
        get_ipython().run_line_magic("matplotlib", "inline")
        print(get_ipython().user_ns is globals())
        HTML("<i>v</i>")
    """
    ended = run_data(code)
    assert (ended.exception, ended.stderr, ended.stdout) == (None, "", "True\n")
    first, second, third, last = (display["data"] for display in ended.displays)
    assert first["text/html"] == "<b>x</b>" and second["text/markdown"] == "*a*"
    assert third == {"text/plain": "p", "image/png": "MQ=="} and last["text/markdown"] == "*c*"
    assert ended.value["data"]["text/html"] == "<i>v</i>"


def test_a_form_that_fails_costs_only_itself():
    code = """
        class A:
            def __repr__(self): return "plain"
            def _repr_html_(self): return 1 / 0
            def _repr_latex_(self): return "$x$"
        A()
    """
    ended = run_data(code)
    assert ended.value["data"] == {"text/plain": "plain", "text/latex": "$x$"}
    assert "ZeroDivisionError" in ended.stderr and "execute-python" not in ended.stderr


def test_numpy_draws_other_numbers_in_each_worker():
    code = "import numpy as np\nfloat(np.random.random()), float(np.random.default_rng().random())"
    first, second = (eval(run_data(code).text) for _ in range(2))
    assert first[0] != second[0] and first[1] != second[1]
    code = "import numpy as np\nnp.random.seed(1)\nfloat(np.random.random())"
    assert run_data(code).text == run_data(code).text


def test_progress_bars_are_text():
    needs("tqdm")
    ended = run_data("from tqdm.auto import tqdm\nfor _ in tqdm(range(3)): pass")
    assert "3/3" in ended.stderr and ended.exception is None


def test_plotly_sends_its_data():
    needs("plotly")
    code = "import plotly.graph_objects as go\nfig = go.Figure(go.Bar(y=[1, 2]))\nfig.show()\nfig"
    ended = run_data(code)
    assert ended.exception is None, ended.exception["text"]
    assert ended.displays[0]["data"]["application/vnd.plotly.v1+json"]["data"][0]["type"] == "bar"
    assert "application/vnd.plotly.v1+json" in ended.value["data"]
    assert png(ended.value) and ended.value["data"][CHART]["elements"][1]["value"] == 2
    assert len(json.dumps(ended.messages)) < 200_000


CHART = "application/vnd.execute-python.chart+json"


def chart_of(code):
    """The chart of the first figure that a program shows."""
    ended = run_data(textwrap.dedent(code))
    assert ended.exception is None, ended.exception["text"]
    assert png(ended.displays[0])
    return ended.displays[0]["data"][CHART]


def test_lines_and_points_are_data_with_labels_units_and_scales():
    needs("matplotlib")
    chart = chart_of("""
        import matplotlib.pyplot as plt
        plt.plot([1, 2, 3], [4, float("nan"), 6], label="way")
        plt.title("A trip"), plt.xlabel("time (s)"), plt.ylabel("distance [km]")
        plt.axhline(5)
        plt.yscale("log")
    """)
    assert (chart["type"], chart["title"]) == ("line", "A trip")
    assert (chart["x_unit"], chart["y_unit"], chart["y_scale"]) == ("s", "km", "log")
    assert chart["elements"] == [{"label": "way", "points": [[1, 4], [2, None], [3, 6]]}]
    chart = chart_of("import matplotlib.pyplot as plt\nplt.plot(range(100_000))")
    assert len(chart["elements"][0]["points"]) == 2000
    assert chart["elements"][0]["points_total"] == 100_000


def test_dates_and_categories_are_read_as_such():
    needs("pandas", "seaborn")
    chart = chart_of("""
        import pandas as pd, seaborn as sns
        t = pd.DataFrame({"d": pd.date_range("2024-01-01", periods=4), "v": [1, 2, 3, 4], "k": list("abab")})
        sns.scatterplot(t, x="d", y="v", hue="k")
    """)
    assert chart["x_scale"] == "datetime" and [one["label"] for one in chart["elements"]] == ["a", "b"]
    assert chart["elements"][1]["points"][0] == ["2024-01-02T00:00:00", 2]
    chart = chart_of("""
        import pandas as pd
        pd.Series([1, 2], index=pd.period_range("2024-01", periods=2, freq="M")).plot()
    """)
    assert chart["elements"][0]["points"] == [["2024-01", 1], ["2024-02", 2]]


def test_bars_slices_boxes_bins_and_grids_are_data():
    needs("matplotlib")
    charts = chart_of("""
        import matplotlib.pyplot as plt
        figure, axes = plt.subplots(1, 5)
        axes[0].bar(["x", "y"], [3, 4], label="g")
        axes[1].pie([1, 3], labels=["p", "q"])
        axes[2].boxplot([[1, 2, 3, 10]])
        axes[3].hist([1, 1, 2, 4], bins=3)
        axes[4].imshow([[1, 2], [3, 4]])
        figure.suptitle("All")
    """)
    assert (charts["type"], charts["title"]) == ("superchart", "All")
    bar, pie, box, bins, grid = charts["elements"]
    assert bar["elements"][1] == {"label": "y", "group": "g", "value": 4}
    assert [(one["label"], one["angle"]) for one in pie["elements"]] == [("p", 90), ("q", 270)]
    assert (box["type"], box["elements"][0]["median"]) == ("box_and_whisker", 2.5)
    assert box["elements"][0]["outliers"] == [10]
    assert bins["elements"][0] == {"label": "", "edges": [1, 2, 3, 4], "counts": [2, 1, 1]}
    assert [cell["value"] for cell in grid["elements"][1]["values"]] == [3, 4]


def test_a_picture_is_no_larger_than_a_model_takes():
    needs("matplotlib")
    ended = run_data("import matplotlib.pyplot as plt\nplt.figure(figsize=(40, 10), dpi=200)\nplt.plot([1])")
    drawn = base64.b64decode(ended.displays[0]["data"]["image/png"])
    assert max(int.from_bytes(drawn[16:20], "big"), int.from_bytes(drawn[20:24], "big")) <= 1568


def test_a_table_is_data_too():
    needs("pandas")
    ended = run_data("import pandas as pd\npd.DataFrame({'a': range(1000), 'b': [None] * 1000})")
    table = ended.value["data"]["application/vnd.dataresource+json"]
    assert (table["rows"], table["columns"], len(table["data"])) == (1000, 2, 200)
    assert table["data"][7] == {"index": 7, "a": 7, "b": None}


def test_pictures_and_formulas_have_their_forms():
    needs("PIL", "sympy")
    ended = run_data("from PIL import Image\nImage.new('RGB', (4, 4))")
    assert png(ended.value)
    ended = run_data("import sympy\nsympy.sqrt(sympy.Symbol('x'))")
    assert ended.value["data"]["text/latex"] == "$\\displaystyle \\sqrt{x}$"
    assert ended.text == "sqrt(x)"
    code = "import sympy\nsympy.init_printing()\nx = sympy.Symbol('x')\nx**2"
    ended = run_data(code)
    assert ended.exception is None and ended.text == "x**2", ended.value


def main(part=""):
    counts = {"ok": 0, "failed": 0, "left out": 0}
    for name, test in list(globals().items()):
        if not name.startswith("test_") or part not in name:
            continue
        began = time.monotonic()
        try:
            test()
            said, why = "ok", ""
        except Missing as missing:
            said, why = "left out", f": {missing} is not installed"
        except Exception:
            import traceback

            said, why = "failed", "\n" + traceback.format_exc()
        counts[said] += 1
        if said != "ok" or part:
            print(f"{said:8} {name} ({time.monotonic() - began:.1f} s){why}")
    print(sys.version.split()[0], counts)
    return counts["failed"] > 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--zygote"]:
        zygote(socket.socket(fileno=int(sys.argv[2])), sys.argv[3:])
    else:
        sys.exit(main(*sys.argv[1:]))
