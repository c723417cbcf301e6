"""Figures of matplotlib: a backend that shows them as pictures.

`plt.show()` shows every open figure and closes it; those that are still open at the end are shown
then. The backend stays whatever a program asks for: others open windows, which there are none here,
or show nothing.

The module is the backend itself, `module://_execute_python.figures`.
"""

import functools as _functools
import io as _io
import struct as _struct

from _execute_python import charts as _charts
from _execute_python import displays as _displays
from _execute_python.errors import BUILTINS as __builtins__

_NAME = "module://" + __name__
#: The longer side of a picture in pixels: what models take without making it smaller.
_LONGEST_SIDE = 1568
_MIME_TYPES = ("image/png", "image/jpeg", "image/svg+xml", "application/pdf")

_open = None
_kind = None
#: Figures that were shown as a value or by `display`, and are as they were then.
_shown = None


def prepare():
    """Makes this matplotlib's backend."""
    global FigureCanvas, FigureManager, _open, _kind, _shown
    import weakref

    import matplotlib
    from matplotlib import _pylab_helpers, backend_bases, figure, pyplot
    from matplotlib.backends import backend_agg

    class FigureManager(backend_bases.FigureManagerBase):
        """The manager of a figure that is shown as a picture."""

        def show(self):
            """Shows the figure, which stays open."""
            _show(self.canvas.figure)

    class FigureCanvas(backend_agg.FigureCanvasAgg):
        """The canvas of a figure that is shown as a picture."""

        manager_class = FigureManager

    _open, _kind, _shown = _pylab_helpers.Gcf, figure.Figure, weakref.WeakSet()
    pyplot.switch_backend(_NAME)
    matplotlib.rcParams["backend"] = matplotlib.rcParamsOrig["backend"] = _NAME

    @_functools.wraps(matplotlib.use)
    def use(backend, *, force=True):
        matplotlib.rcsetup.validate_backend(backend)

    matplotlib.use = use
    pyplot.switch_backend = lambda newbackend: use(newbackend)
    _charts.prepare()
    if _displays.formatter is not None:
        _displays.formatter.formatters["image/png"].for_type(_kind, picture)
        _displays.formatter.mimebundle_formatter.for_type(_kind, _chart)


def show(*arguments, **options):
    """What `plt.show()` calls. Not to wait for the window means to go on drawing: then the figures
    stay open and are shown at the end."""
    block = arguments[0] if arguments else options.get("block")
    if block is not False:
        show_all()


def show_all():
    """Shows every open figure that was not shown before, and closes it."""
    if _open is None or not _open.figs:
        return
    try:
        for manager in _open.get_all_fig_managers():
            figure = manager.canvas.figure
            if figure not in _shown or figure.stale:
                _show(figure)
    finally:
        _open.destroy_all()


def picture(figure):
    """A figure as PNG; None for one that is empty."""
    if len(figure.get_children()) < 2:
        # Nothing but its background.
        return None
    drawn = _drawn(figure, figure.dpi)
    longest = max(_struct.unpack(">II", drawn[16:24]))
    if longest > _LONGEST_SIDE:
        drawn = _drawn(figure, figure.dpi * _LONGEST_SIDE / (longest + 1))
    _is_shown(figure)
    return drawn


def _drawn(figure, dpi):
    file = _io.BytesIO()
    figure.savefig(
        file,
        format="png",
        bbox_inches="tight",
        dpi=dpi,
        facecolor=figure.get_facecolor(),
        edgecolor=figure.get_edgecolor(),
    )
    return file.getvalue()


def _chart(figure, **_options):
    chart = _charts.of_figure(figure)
    return ({_charts.MIME_TYPE: chart} if chart else {}), {}


def _show(figure):
    data, metadata = _forms(figure)
    if data:
        data["text/plain"] = repr(figure)
        _displays.emit(data, metadata)
        _is_shown(figure)


def _is_shown(figure):
    _shown.add(figure)
    # Whatever changes it sets this again.
    figure.stale = False


def _forms(figure):
    """The forms that IPython would give a figure. Its formatters are called one by one, because the
    whole would print a fault in the drawing and go on, where `plt.show()` should raise."""
    if _displays.formatter is None:
        return _with_chart(figure, *_given("image/png", picture(figure)))
    data, metadata = {}, {}
    for kind in _MIME_TYPES:
        try:
            form = _displays.formatter.formatters[kind].lookup_by_type(_kind)
        except KeyError:
            continue
        more, about = _given(kind, form(figure))
        data.update(more)
        metadata.update(about)
    return _with_chart(figure, data, metadata)


def _with_chart(figure, data, metadata):
    return ({**data, **_chart(figure)[0]} if data else data), metadata


def _given(kind, form):
    form, about = form if isinstance(form, tuple) else (form, None)
    return ({} if form is None else {kind: form}), ({kind: about} if about else {})
