"""What a fork has to set right by hand.

CPython's own hooks after a fork are not run: they touch hundreds of pages, each of which is then
copied. The zygote has one thread and holds no lock, and the thread keeps its id, so most of what
they do is not needed. What is needed is here.
"""

import faulthandler as _faulthandler
import os as _os
import random as _random
import signal as _signal
import sys as _sys
import threading as _threading

from _execute_python.errors import TimeLimit as _TimeLimit

# The numbers are the engine's.
_TELL = 60
_RAISE = 61
_TRACE = 4

#: Whether a program runs that can be raised in.
running = False


def _raise(_number, _frame):
    if running:
        raise _TimeLimit("the time of this run is used up")


def prepare():
    """Called once, in the zygote: what every fork inherits."""
    # A worker has its trace pipe at this number.
    _faulthandler.register(_TELL, file=_TRACE, all_threads=True, chain=False)
    _signal.signal(_RAISE, _raise)
    # OpenSSL tells a fork by the process id, and every worker is process 1 of its namespace.
    ssl = _sys.modules.get("ssl")
    if ssl is not None:
        ssl.RAND_bytes = _os.urandom


def after_fork():
    """Called once in each worker before it gets code."""
    # Every fork would draw the same numbers.
    _random.seed()
    numpy_random = _sys.modules.get("numpy.random")
    if numpy_random is not None:
        # A number is enough, and drawing it here touches a tenth of the pages.
        numpy_random.seed(int.from_bytes(_os.urandom(4), "little"))
    tempfile = _sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None
    # The kernel's id of the main thread is another one.
    _threading.main_thread()._set_native_id()
    # Only now: in the zygote it is another folder.
    _sys.path.insert(0, "/mnt/data")
    _sys.path_importer_cache.pop("/mnt/data", None)
