"""Charts as data: what a figure of matplotlib shows, in numbers and words, for whoever cannot see.

The shapes of line, scatter, bar, pie and box charts, and of several in one figure, are those that
clients of E2B know (https://e2b.dev/docs/code-interpreting/analyze-data-with-ai); `histogram` and
`heatmap` are built alike. Nothing that a figure holds can make a run fail: what cannot be read is
left out.
"""

import contextlib as _contextlib
import functools as _functools
import itertools as _itertools
import math as _math
import re as _re
import weakref as _weakref

from _execute_python.errors import BUILTINS as __builtins__

MIME_TYPE = "application/vnd.execute-python.chart+json"

#: The most points, bars or cells of one chart; more are thinned evenly.
_MOST = 2000
_MOST_SERIES = 50
_MOST_TEXT = 200
_UNIT = _re.compile(r"[\(\[]\s*([^\)\]]+?)\s*[\)\]]\s*$")
_NO_LABEL = _re.compile(r"_(?:child|container|nolegend_|line)\d*$|_$")

#: The statistics of the boxes that were drawn, by axes: nothing else keeps them.
_boxes = None


def prepare():
    """Remembers the statistics of box plots, from which matplotlib keeps lines alone."""
    global _boxes
    from matplotlib.axes import Axes

    _boxes = _weakref.WeakKeyDictionary()
    draw = Axes.bxp

    @_functools.wraps(draw)
    def bxp(self, bxpstats, *arguments, **options):
        with _contextlib.suppress(Exception):
            place = options.get("orientation"), options.get("vert")
            _boxes.setdefault(self, []).extend((dict(one), place) for one in bxpstats)
        return draw(self, bxpstats, *arguments, **options)

    Axes.bxp = bxp


def is_ready():
    """Whether there is matplotlib to draw with."""
    return _boxes is not None


def of_figure(figure):
    """The chart of a figure that was drawn; None for one that shows no data that could be read."""
    charts = []
    for axes in figure.axes[:_MOST_SERIES]:
        if not hasattr(axes, "_colorbar"):
            with _contextlib.suppress(Exception):
                charts.extend(_of_axes(axes))
    return together(charts, _words(figure.get_suptitle()) if charts else None)


def together(charts, title):
    """One chart for several."""
    if len(charts) < 2:
        return {**charts[0], "title": charts[0]["title"] or title} if charts else None
    return {"type": "superchart", "title": title, "elements": charts}


def thinned(values):
    """At most so many of the values, evenly spread, as a list."""
    values = list(_itertools.islice(values, 1_000_000))
    if len(values) <= _MOST:
        return values
    step = (len(values) - 1) / (_MOST - 1)
    return [values[round(step * n)] for n in range(_MOST)]


def plain(value):
    """A value as JSON knows it; what is no number is text."""
    if value is None or isinstance(value, (bool, str)):
        return _short(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind == "M":
        text = str(value)
        # As Python's own dates have it, without digits that say nothing.
        return text.split(".")[0] if _re.search(r"\.0+$", text) else text
    try:
        number = float(value)
    except (TypeError, ValueError):
        return _short(str(value))
    if not _math.isfinite(number):
        return None
    return int(number) if number == int(number) and abs(number) < 1 << 53 else number


def planar(title, x_label, y_label):
    """What every chart with two axes says."""
    return {
        "title": _words(title),
        "x_label": _words(x_label),
        "y_label": _words(y_label),
        "x_unit": _unit(x_label),
        "y_unit": _unit(y_label),
    }


def _of_axes(axes):
    names = _legend(axes)
    about = planar(axes.get_title(), axes.get_xlabel(), axes.get_ylabel())
    found = (_box, _bars, _pie, _lines, _points, _heat)
    return [
        {"type": chart["type"], **about, **chart} for read in found for chart in read(axes, names)
    ]


def _box(axes, _names):
    boxes = (_boxes or {}).get(axes)
    if boxes:
        keys = "whislo", "q1", "med", "q3", "whishi"
        words = "min", "first_quartile", "median", "third_quartile", "max"
        ticks = [tick.get_text() for tick in _across(axes, boxes[0][1]).get_ticklabels()]
        yield {
            "type": "box_and_whisker",
            "elements": [
                {
                    "label": _short(str(one.get("label") or (ticks[n] if n < len(ticks) else n + 1))),
                    **{word: plain(one.get(key)) for word, key in zip(words, keys)},
                    "outliers": [plain(value) for value in thinned(one.get("fliers", ()))],
                }
                for n, (one, _) in enumerate(boxes[:_MOST])
            ],
        }


def _across(axes, place):
    orientation, vertical = place
    return axes.yaxis if orientation == "horizontal" or vertical is False else axes.xaxis


def _bars(axes, names):
    groups = [group for group in axes.containers if hasattr(group, "orientation")][:_MOST_SERIES]
    if not groups:
        return
    bars = []
    for number, group in enumerate(groups):
        for bar in group.patches:
            low, wide, value = bar.get_x(), bar.get_width(), bar.get_height()
            if group.orientation == "horizontal":
                low, wide, value = bar.get_y(), bar.get_height(), bar.get_width()
            bars.append((number, low, wide, value, _colour(bar.get_facecolor())))
    named = [_label(group) for group in groups]
    flat = groups[0].orientation == "horizontal"
    axis = axes.yaxis if flat else axes.xaxis
    if _is_histogram(axis, bars):
        yield {"type": "histogram", "elements": _bins(bars, named, names)}
        return
    tick = _nearest_tick(axis)
    yield {
        "type": "bar",
        "elements": [
            {
                "label": tick(low + wide / 2),
                "group": named[number] or names.get(colour) or "",
                "value": plain(value),
            }
            for number, low, wide, value, colour in thinned(bars)
        ],
        **({"orientation": "horizontal"} if flat else {}),
    }


def _is_histogram(axis, bars):
    """Bars over numbers that leave no space between them."""
    first = [bar for bar in bars if bar[0] == bars[0][0]]
    pairs = list(zip(first, first[1:]))
    meet = [abs(one[1] + one[2] - two[1]) <= 1e-6 * abs(two[2] or 1) for one, two in pairs]
    return len(first) > 2 and all(meet) and _scale(axis) not in ("categorical", "datetime")


def _bins(bars, named, names):
    made = []
    for number, group in _itertools.groupby(bars, key=lambda bar: bar[0]):
        group = list(group)[:_MOST]
        made.append(
            {
                "label": named[number] or names.get(group[0][4]) or "",
                "edges": [plain(bar[1]) for bar in group] + [plain(group[-1][1] + group[-1][2])],
                "counts": [plain(bar[3]) for bar in group],
            }
        )
    return made


def _pie(axes, _names):
    slices = [patch for patch in axes.patches if hasattr(patch, "theta1") and hasattr(patch, "r")]
    if slices:
        yield {
            "type": "pie",
            "elements": [
                {
                    "label": _label(one) or "",
                    "angle": plain(round(one.theta2 - one.theta1, 6)),
                    "radius": plain(one.r),
                }
                for one in slices[:_MOST]
            ],
        }


def _lines(axes, names):
    if _boxes and axes in _boxes:
        return
    drawn, dots = [], []
    for line in axes.lines:
        # What has no name beside bars shows how sure they are.
        if axes.containers and not _label(line):
            continue
        if line.get_transform() == axes.transData and len(line.get_xdata()):
            bare = line.get_linestyle() in ("None", "none", " ", "") and line.get_marker() != "None"
            (dots if bare else drawn).append(line)
    for kind, lines in (("line", drawn), ("scatter", dots)):
        if lines:
            yield {
                "type": kind,
                **_scales(axes),
                "elements": [
                    {
                        "label": _label(line) or names.get(_colour(line.get_color())) or f"series {n}",
                        **_pairs(_of_line(line, "x", axes.xaxis), _of_line(line, "y", axes.yaxis)),
                    }
                    for n, line in enumerate(lines[:_MOST_SERIES], 1)
                ],
            }


def _of_line(line, letter, axis):
    """The data of a line, as the program gave it."""
    if _period(axis):
        read = _reader(axis)
        return [read(place) for place in line.get_data(orig=False)["xy".index(letter)]]
    return getattr(line, f"get_{letter}data")(orig=True)


def _points(axes, names):
    series = []
    for group in axes.collections[:_MOST_SERIES]:
        if type(group).__name__ != "PathCollection" or not len(group.get_offsets()):
            continue
        offsets, colours = group.get_offsets(), group.get_facecolor()
        x, y = _reader(axes.xaxis), _reader(axes.yaxis)
        if len(colours) == len(offsets) > 1 and names and group.get_array() is None:
            parts = {}
            for (left, up), colour in zip(offsets, colours):
                parts.setdefault(names.get(_colour(colour), ""), []).append((x(left), y(up)))
        else:
            parts = {
                _label(group) or (names.get(_colour(colours[0]), "") if len(colours) else ""): [
                    (x(left), y(up)) for left, up in offsets
                ]
            }
        for label, points in parts.items():
            label = label or f"series {len(series) + 1}"
            series.append({"label": label, **_pairs(*zip(*points))})
    if series:
        yield {"type": "scatter", **_scales(axes), "elements": series}


def _heat(axes, _names):
    grids = [*axes.images, *(one for one in axes.collections if type(one).__name__ == "QuadMesh")]
    for grid in grids[:1]:
        values = grid.get_array()
        # A picture in colours is no chart.
        if values is None or values.ndim != 2:
            continue
        rows = range(0, values.shape[0], -(-values.shape[0] // 50))
        columns = range(0, values.shape[1], -(-values.shape[1] // 50))
        half = 0.5 if grid not in axes.images else 0.0
        across, down = _nearest_tick(axes.xaxis), _nearest_tick(axes.yaxis)
        yield {
            "type": "heatmap",
            "rows": int(values.shape[0]),
            "columns": int(values.shape[1]),
            "elements": [
                {
                    "label": down(row + half),
                    "values": [
                        {"label": across(column + half), "value": plain(values[row, column])}
                        for column in columns
                    ],
                }
                for row in rows
            ],
        }


def _pairs(x, y):
    """The points of a series. Where there are too many, how many there are in all."""
    total = min(len(x), len(y))
    points = [[plain(left), plain(up)] for left, up in thinned(zip(x, y))]
    return {"points": points, **({"points_total": total} if total > len(points) else {})}


def _scales(axes):
    about = {}
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        read = _reader(axis)
        ticks = [
            (read(place), tick.get_text())
            for place, tick in zip(axis.get_ticklocs(), axis.get_ticklabels())
            if low <= place <= high
        ][:_MOST_SERIES]
        about[f"{name}_ticks"] = [place for place, _ in ticks]
        about[f"{name}_tick_labels"] = [_short(text) for _, text in ticks]
        about[f"{name}_scale"] = _scale(axis)
    return about


def _scale(axis):
    kind = type(_converter(axis)).__name__
    if "Category" in kind:
        return "categorical"
    if any(word in kind for word in ("Date", "Time", "Period")):
        return "datetime"
    return axis.get_scale()


def _period(axis):
    """Whether pandas drew spans of time on it."""
    return "Period" in type(_converter(axis)).__name__


def _converter(axis):
    return axis.get_converter() if hasattr(axis, "get_converter") else axis.converter


def _reader(axis):
    """What turns a place on an axis into what it stands for."""
    kind = _scale(axis)
    if _period(axis):
        from pandas import Period

        return lambda place: str(Period(ordinal=int(place), freq=axis.axes.freq))
    if kind == "datetime" and "Date" in type(_converter(axis)).__name__:
        from matplotlib.dates import num2date

        return lambda place: num2date(place).replace(tzinfo=None).isoformat()
    return _nearest_tick(axis) if kind == "categorical" else plain


def _nearest_tick(axis):
    """What gives the label of the tick at a place, else the place itself."""
    ticks = {
        round(float(place), 6): tick.get_text()
        for place, tick in zip(axis.get_ticklocs(), axis.get_ticklabels())
    }
    named = _scale(axis) == "categorical" or any(not _is_number(text) for text in ticks.values())

    def label(place):
        if named and ticks:
            near = min(ticks, key=lambda tick: abs(tick - place))
            if abs(near - place) <= 0.5 and ticks[near]:
                return _short(ticks[near])
        return str(plain(place))

    return label


def _is_number(text):
    try:
        float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return not text
    return True


def _legend(axes):
    """The names that the legend gives to colours."""
    legend = axes.get_legend()
    names = {}
    if legend is not None:
        handles = getattr(legend, "legend_handles", None) or getattr(legend, "legendHandles", ())
        for handle, text in zip(handles, legend.get_texts()):
            with _contextlib.suppress(Exception):
                read = getattr(handle, "get_color", None) or handle.get_facecolor
                names.setdefault(_colour(read()), _short(text.get_text()))
    return names


def _colour(colour):
    from matplotlib.colors import to_hex

    if not isinstance(colour, str) and len(colour) and hasattr(colour[0], "__len__"):
        colour = colour[0]
    return to_hex(colour)


def _label(artist):
    label = str(artist.get_label() or "")
    return None if not label or _NO_LABEL.match(label) else _short(label)


def _unit(label):
    found = _UNIT.search(str(label or ""))
    return _short(found[1]) if found else None


def _words(text):
    return _short(str(text)) if text else None


def _short(text):
    return text[: _MOST_TEXT - 1] + "…" if isinstance(text, str) and len(text) > _MOST_TEXT else text
