"""What a zygote does once so that no guest has to: imports, first uses, what guests may not do.

Several packages ask a program about the machine the first time they are used (`uname`, `lscpu`,
`fc-list`) or try out a socket. A guest that did so would be stopped. The zygote has no such
programs, so the question fails here at once, without a process, and the answer is remembered.
"""

import contextlib as _contextlib
import importlib as _importlib
import importlib.util as _importlib_util
import io as _io
import os as _os
import sys as _sys

from _execute_python.errors import BUILTINS as __builtins__

_SEEDS = "/usr/lib/execute-python/seed"

_callback = None


def installed(name):
    """Whether there is a package of this name."""
    return _importlib_util.find_spec(name) is not None


def preload(names):
    """Imports modules."""
    for name in names:
        try:
            _importlib.import_module(name)
        except Exception as error:
            raise ImportError(f"cannot preload `{name}`: {error}", name=name) from error


def _has_packages():
    """Whether there is anything beyond the standard library, which starts no programs by itself."""
    return bool(_os.listdir(_os.path.join(_os.path.dirname(_os.__file__), "site-packages")))


@_contextlib.contextmanager
def no_programs():
    """Lets the start of any program fail as if it were not there, without a fork."""
    if not _has_packages():
        yield
        return
    import subprocess

    def missing(_process, arguments, *_rest, **_options):
        raise FileNotFoundError(2, "No such file or directory", str(arguments))

    real = subprocess.Popen._execute_child
    subprocess.Popen._execute_child = missing
    try:
        yield
    finally:
        subprocess.Popen._execute_child = real


def plant_seeds():
    """Copies the caches that packages look for in their home to where they may write."""
    home = _os.environ.get("MPLCONFIGDIR")
    if not home or not _os.path.isdir(_SEEDS):
        return
    _os.makedirs(home, exist_ok=True)
    for name in _os.listdir(_SEEDS):
        with open(f"{_SEEDS}/{name}", "rb") as seed, open(f"{home}/{name}", "wb") as copy:
            copy.write(seed.read())


def packages(native):
    """Has each package that is there do what is slow, or forbidden to a guest, the first time."""
    _platform()
    if "ctypes" in _sys.modules:
        _callbacks(native)
    # They try out whether the machine has IPv6 when they are imported.
    if installed("urllib3"):
        _importlib.import_module("urllib3.util.connection")
    if installed("joblib"):
        _cores()
    if "matplotlib.pyplot" in _sys.modules:
        _matplotlib()
    if "pandas" in _sys.modules:
        _pandas()


def _platform():
    import platform

    # `platform.platform()` asks `uname` for the processor's name.
    platform._Processor.from_subprocess = staticmethod(lambda: "")
    platform.uname().processor
    # `platform.architecture()` asks `file`, each time.
    platform._syscmd_file = lambda target, default="": default


def _callbacks(native):
    """Has libffi set up callbacks, for which a guest lacks what it needs; one stays alive."""
    global _callback
    import ctypes

    native.show_maps()
    _callback = ctypes.CFUNCTYPE(None)(lambda: None)


def _cores():
    from joblib.externals.loky.backend import context

    # Asks `lscpu`; a failure is told at length and not always remembered.
    context.physical_cores_cache = _os.cpu_count()


def _matplotlib():
    import logging

    from matplotlib import font_manager, pyplot

    figure, axes = pyplot.subplots()
    axes.plot([1, 2], [3, 4], label="a")
    axes.set_title("warm")
    axes.legend()
    figure.savefig(_io.BytesIO(), format="png", bbox_inches="tight")
    pyplot.close("all")
    # Of a font without a bold face it is told at each use that the other one is taken.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    # A font that was loaded keeps its file open, and a worker closes every file of the zygote.
    font_manager._get_font.cache_clear()


def _pandas():
    import pandas

    text = "a,b,t\n1,x,2024-01-01\n2,y,2024-02-01\n"
    frame = pandas.read_csv(_io.StringIO(text), parse_dates=["t"])
    frame.groupby("b")["a"].sum()
    frame.describe()
    repr(frame)
    frame._repr_html_()
