"""What a fork has to set right by hand, and the two signals that a worker answers.

CPython's own work after a fork, `PyOS_AfterFork_Child`, is not done: its hooks touch hundreds of
pages, each of which is then copied. It makes locks anew that other threads may have held, forgets
those threads, drops pending signals and runs the hooks of modules. The zygote has one thread, which
holds no lock and goes on in the child under the same thread id, so what the hooks of `threading`,
`logging`, `concurrent.futures` and `asyncio` (locks, other threads, a running loop) do is not
needed. What is left is here: generators of random numbers, and numbers that the kernel gives.

Not here because they ask the kernel each time: `secrets`, `uuid.uuid4`, `random.SystemRandom`,
`numpy.random.default_rng()`, `os.getpid`. What cannot be set right: the hash seed and the layout of
memory are the same in all workers of a zygote.
"""

import faulthandler as _faulthandler
import os as _os
import random as _random
import signal as _signal
import sys as _sys
import threading as _threading
import time as _time

from _execute_python.errors import TimeLimit as _TimeLimit
from _execute_python.errors import BUILTINS as __builtins__

# The numbers are the engine's.
_TELL = 60
_RAISE = 61
_TRACE = 4

#: Whether there is a program that can be raised in.
in_program = False


def prepare():
    """Sets the signals up, once: a child has them from its parent."""
    # The other half, which forgets what the generator has in store.
    _random.seed()
    # Native, so that it also tells where a program is that never leaves its C code.
    _faulthandler.register(_TELL, file=_TRACE, all_threads=True, chain=False)
    _signal.signal(_RAISE, _raise)
    # OpenSSL's generator knows a fork by the process id, but zygote and worker are each process 1 of
    # a namespace. To set it right in each worker would cost much more than not to use it.
    _seed("ssl", lambda ssl: setattr(ssl, "RAND_bytes", _os.urandom))


def after_fork():
    """Called once in each worker before it gets code."""
    # Every fork would draw the same numbers. Only the native half of `random.seed()`: fewer pages.
    super(_random.Random, _random._inst).seed()
    # Left to itself it gets its seed in a way that touches three times as many pages.
    number = int.from_bytes(_os.urandom(4), "little")
    _seed("numpy.random", lambda numpy_random: numpy_random.seed(number))
    _seed("sympy.core.random", lambda sympy_random: sympy_random.rng.seed())
    _seed("torch", lambda torch: torch.seed())
    # Names of temporary files come from a generator that also goes by the process id.
    _seed("tempfile", lambda tempfile: setattr(tempfile, "_name_sequence", None))
    new_process()


def new_process():
    """Called in each new process: the kernel knows the main thread under another number."""
    _threading.main_thread()._set_native_id()


def start_clocks():
    """Called when a program starts: what counts from the start must not count from the zygote's."""
    logging = _sys.modules.get("logging")
    if logging is not None:
        # Whole nanoseconds since 3.13, seconds before.
        now = _time.time_ns() if isinstance(logging._startTime, int) else _time.time()
        logging._startTime = now


def _seed(name, seed):
    """Sets a generator right if its module is there."""
    module = _sys.modules.get(name)
    if module is not None:
        seed(module)


def _raise(_number, _frame):
    global in_program
    if in_program:
        # Once: what the program does to end itself is not to be disturbed.
        in_program = False
        raise _TimeLimit("the time of this run is used up")
