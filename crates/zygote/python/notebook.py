"""What packages find when they ask IPython whether this is a notebook.

`IPython.display` and many packages speak to a shell. A real one would bring history, completion and
its own hooks; this one has formatters, a way to publish, and answers that harm nothing.
"""

import builtins as _builtins
import os as _os
import sys as _sys
import types as _types
from importlib.machinery import ModuleSpec as _ModuleSpec
from importlib.util import find_spec as _find_spec

from _execute_python import displays as _displays
from _execute_python import errors as _errors
from _execute_python import magics as _magics
from _execute_python import plotly as _plotly
from _execute_python import tables as _tables
from _execute_python.errors import BUILTINS as __builtins__

_shell = None


def prepare():
    """Puts the shell in place."""
    global _shell
    from IPython.core.display_functions import display
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.events import EventManager, available_events
    from IPython.core.formatters import DisplayFormatter, IPythonDisplayFormatter
    from IPython.core.interactiveshell import InteractiveShell

    class Publisher(DisplayPublisher):
        """Hands to the engine what is published."""

        def publish(
            self, data, metadata=None, *_arguments, transient=None, update=False, **_options
        ):
            if update:
                _displays.update((transient or {}).get("display_id"), data, metadata or {})
            else:
                _displays.emit(data, metadata or {})

        def clear_output(self, wait=False):
            """What was sent is sent."""

    class ShowsItself(IPythonDisplayFormatter):
        """Lets objects show themselves in their own way, unless they can give their forms."""

        def __call__(self, obj):
            return None if hasattr(type(obj), "_repr_mimebundle_") else super().__call__(obj)

    class Shell(InteractiveShell):
        """A shell with nothing but what displays need."""

        def enable_gui(self, gui=None):
            """There are no windows."""

        def showtraceback(self, exc_tuple=None, *_arguments, **_options):
            """Prints the exception that is handled."""
            error = (exc_tuple or _sys.exc_info())[1]
            if error is not None and _sys.stderr is not None:
                _sys.stderr.write(_errors.text_of(error))

        def run_line_magic(self, magic_name, line, *_arguments, **_options):
            """Does what a line that begins with `%` does."""
            _magics.run("%", f"{magic_name} {line}".strip())

        def run_cell_magic(self, magic_name, line, cell):
            """Does what a cell that begins with `%%` does."""
            _magics.run("%%", f"{magic_name} {line}".strip(), cell)

        def system(self, cmd):
            """Does what a line that begins with `!` does."""
            _magics.run("!", cmd)

        def getoutput(self, cmd, *_arguments, **_options):
            """Does what a line that begins with `!` does."""
            _magics.run("!", cmd)

    # Its own start is what would set up all the rest.
    _shell = Shell.__new__(Shell)
    formatter = _displays.formatter = _shell.display_formatter = DisplayFormatter()
    formatter.formatters["text/plain"].pprint = False
    formatter.ipython_display_formatter = ShowsItself(parent=formatter)
    _shell.display_pub = Publisher()
    _shell.events = EventManager(_shell, available_events)
    _shell.user_ns = {}
    for kind in Shell._walk_mro():
        kind._instance = _shell
    _builtins.display = display
    _builtins.get_ipython = get_ipython
    if _find_spec("pandas"):
        _tables.prepare()
    if _find_spec("plotly"):
        _plotly.prepare()
        _please_plotly()


def get_ipython():
    """The shell of this notebook."""
    return _shell


def serve(names):
    """Makes these the names of the program, and forgets those before."""
    if _shell is not None:
        _shell.user_ns = names


def _please_plotly():
    # It would take this for a notebook, and send 4 MB of itself with each chart.
    _os.environ.setdefault("PLOTLY_RENDERER", "plotly_mimetype")
    if not _find_spec("nbformat"):
        # It shows nothing unless it finds this package, of which it looks at the version alone.
        stand_in = _types.ModuleType("nbformat")
        stand_in.__spec__ = _ModuleSpec("nbformat", None)
        stand_in.__version__ = "5.0.0"
        _sys.modules["nbformat"] = stand_in


get_ipython.__module__ = "builtins"
