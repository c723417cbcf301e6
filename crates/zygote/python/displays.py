"""Rich results: MIME bundles of objects, by IPython's formatters where IPython is installed.

Where it is not, an object's own methods of IPython's display protocol are called. A figure of
matplotlib becomes a picture when it is shown, or when it is still open at the end.
"""

import base64 as _base64
import builtins as _builtins
import sys as _sys
import traceback as _traceback
import types as _types

from _execute_python import errors as _errors

_MOST_TEXT = 1024 * 1024
_PLAIN = (int, float, complex, str, bytes, bool, list, tuple, dict, set, frozenset, type(None))
_PROTOCOL = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_latex_": "text/latex",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_json_": "application/json",
}
_FIGURES = "_execute_python.figures"

_emit = None
_formatter = None
_repr = repr
_type = type


def prepare(emit, installed):
    """Sets displays up; `emit(data, metadata)` hands one to the engine."""
    global _emit
    _emit = emit
    _builtins.display = display
    if installed("matplotlib"):
        _prepare_matplotlib()
    if installed("IPython"):
        _prepare_ipython()


def bundle(value):
    """The forms of a value: always plain text, exactly as `repr` gives it."""
    text = _errors.cut(_repr(value), _MOST_TEXT)
    if _type(value) in _PLAIN:
        return {"data": {"text/plain": text}, "metadata": {}}
    data, metadata = forms(value)
    data["text/plain"] = text
    return {"data": data, "metadata": metadata}


def forms(value):
    """The forms of a value as its formatters give them, ready to be sent."""
    if _formatter is not None:
        data, metadata = _formatter.format(value)
    else:
        data, metadata = _own_forms(value)
    return ready(data), metadata if isinstance(metadata, dict) else {}


def ready(data):
    """Bytes become base64; text that is too long is cut; what is no form is left out."""
    return {
        str(kind): _base64.b64encode(form).decode() if isinstance(form, bytes) else form
        for kind, form in data.items()
        if isinstance(form, (bytes, str, dict, list, int, float, bool))
    }


def _own_forms(value):
    data, metadata = {}, {}
    whole = getattr(_type(value), "_repr_mimebundle_", None)
    if whole is not None:
        given = whole(value)
        data, metadata = given if isinstance(given, tuple) else (given, {})
        data = dict(data or {})
    for method, kind in _PROTOCOL.items():
        function = getattr(_type(value), method, None)
        form = function(value) if function is not None and kind not in data else None
        if isinstance(form, tuple):
            form, metadata[kind] = form
        if form is not None:
            data[kind] = form
    return data, metadata


def display(*values, **_options):
    """Shows values, as in a notebook."""
    for value in values:
        shown = bundle(value)
        _emit(shown["data"], shown["metadata"])


def show_figures():
    """Shows every figure of matplotlib that is open, and closes it."""
    state = _sys.modules.get("matplotlib._pylab_helpers")
    if state is None:
        return
    for manager in state.Gcf.get_all_fig_managers():
        figure = manager.canvas.figure
        if figure.axes or figure.lines or figure.images or figure.texts:
            data, metadata = forms(figure)
            data["text/plain"] = _repr(figure)
            _emit(data, metadata)
    state.Gcf.destroy_all()


def _prepare_matplotlib():
    import matplotlib
    from matplotlib.backends import backend_agg

    backend = _types.ModuleType(_FIGURES)
    backend.FigureCanvas = backend_agg.FigureCanvasAgg
    backend.FigureManager = backend_agg.FigureManagerBase
    backend.show = lambda *_arguments, **_options: show_figures()
    _sys.modules[_FIGURES] = backend
    setattr(_sys.modules["_execute_python"], "figures", backend)
    matplotlib.rcParams["backend"] = "module://" + _FIGURES
    matplotlib.rcParamsOrig["backend"] = "module://" + _FIGURES
    real = matplotlib.use

    def use(backend, *, force=True):
        """Keeps the backend that shows figures in place of those that open windows or show none."""
        if str(backend).lower() in ("pdf", "pgf", "ps", "svg", "cairo", "template"):
            real(backend, force=force)

    matplotlib.use = use
    if "matplotlib.pyplot" in _sys.modules:
        _sys.modules["matplotlib.pyplot"].switch_backend("module://" + _FIGURES)


def _figure_as_png(figure):
    from IPython.core.pylabtools import print_figure

    return print_figure(figure, fmt="png", bbox_inches="tight")


def _prepare_ipython():
    """Puts a shell in place that IPython's own functions find, with formatters and publishing."""
    global _formatter
    from IPython.core import display_functions
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.events import EventManager, available_events
    from IPython.core.formatters import DisplayFormatter
    from IPython.core.interactiveshell import InteractiveShell

    class Publisher(DisplayPublisher):
        def publish(self, data, metadata=None, **_options):
            _emit(ready(data), metadata or {})

        def clear_output(self, wait=False):
            pass

    class Shell(InteractiveShell):
        def enable_gui(self, gui=None):
            pass

        def showtraceback(self, exc_tuple=None, *_arguments, **_options):
            _traceback.print_exception(*(exc_tuple or _sys.exc_info()))

        def run_line_magic(self, name, line, *_arguments, **_options):
            pass

        def run_cell_magic(self, name, line, cell):
            pass

    # Its own start would set up history, completion and hooks; only these parts are wanted.
    shell = Shell.__new__(Shell)
    formatter = DisplayFormatter()
    formatter.formatters["text/plain"].pprint = False
    png = formatter.formatters["image/png"]
    png.for_type_by_name("matplotlib.figure", "Figure", _figure_as_png)
    shell.display_formatter = formatter
    shell.display_pub = Publisher()
    shell.events = EventManager(shell, available_events)
    shell.user_ns = _sys.modules["__main__"].__dict__
    for kind in InteractiveShell._walk_mro():
        kind._instance = shell
    Shell._instance = shell
    _formatter = formatter
    _builtins.display = display_functions.display
    _builtins.get_ipython = lambda: shell
