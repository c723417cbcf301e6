"""Figures of plotly as charts in data and as plain pictures, beside their own JSON.

Plotly draws in a browser, and there is none here. For a model that looks at pictures, matplotlib
draws what a figure shows, without its style.
"""

import base64 as _base64
import contextlib as _contextlib
import io as _io

from _execute_python import charts as _charts
from _execute_python import displays as _displays
from _execute_python.errors import BUILTINS as __builtins__

_MIME_TYPE = "application/vnd.plotly.v1+json"
_MOST_TRACES = 50


def prepare():
    """Has these forms shown wherever a figure of plotly is."""
    _displays.also[_MIME_TYPE] = _forms


def _forms(figure):
    with _contextlib.suppress(Exception):
        charts = _of_figure(figure)
        title = _title(figure.get("layout", {}))
        whole = _charts.together(charts, title)
        if whole:
            picture = _picture(charts, title) if _charts.is_ready() else None
            return {_charts.MIME_TYPE: whole, "image/png": picture}
    return {}


def _of_figure(figure):
    """A chart for each kind of trace and pair of axes."""
    layout, charts = figure.get("layout", {}), {}
    for number, trace in enumerate(figure.get("data", ())[:_MOST_TRACES], 1):
        kind, read = _KINDS.get(trace.get("type", "scatter"), (None, None))
        if kind is None:
            continue
        if kind == "line" and trace.get("mode") == "markers":
            kind = "scatter"
        name = _charts.plain(trace.get("name") or f"series {number}")
        x, y = (layout.get(_axis(trace, letter), {}) for letter in "xy")
        key = kind, trace.get("xaxis", "x"), trace.get("yaxis", "y")
        about = _charts.planar(_title(layout), _title(x), _title(y))
        if kind in ("line", "scatter"):
            about = {**about, "x_scale": x.get("type", "linear"), "y_scale": y.get("type", "linear")}
            for letter in "xy":
                about[f"{letter}_ticks"], about[f"{letter}_tick_labels"] = [], []
        chart = charts.setdefault(key, {"type": kind, **about, "elements": []})
        if kind == "heatmap" and y.get("autorange") == "reversed":
            chart["y_reversed"] = True
        if kind == "bar" and trace.get("orientation") == "h":
            chart["orientation"] = "horizontal"
        chart["elements"].extend(read(trace, name))
    return list(charts.values())


def _axis(trace, letter):
    return f"{letter}axis{trace.get(letter + 'axis', letter)[1:]}"


def _title(part):
    title = part.get("title")
    return title.get("text") if isinstance(title, dict) else title


def _points(trace, name):
    x, y = _values(trace, "x"), _values(trace, "y")
    x = x or list(range(len(y)))
    points = [[_plain(left), _plain(up)] for left, up in _charts.thinned(zip(x, y))]
    total = min(len(x), len(y))
    more = {"points_total": total} if total > len(points) else {}
    return [{"label": name, "points": points, **more}]


def _plain(value):
    value = _charts.plain(value)
    return value.removesuffix(".000000") if isinstance(value, str) else value


def _bars(trace, name):
    labels, values = _values(trace, "x"), _values(trace, "y")
    if trace.get("orientation") == "h":
        labels, values = values, labels
    labels = labels or range(len(values))
    return [
        {"label": str(_charts.plain(label)), "group": name, "value": _charts.plain(value)}
        for label, value in _charts.thinned(zip(labels, values))
    ]


def _slices(trace, _name):
    values = _values(trace, "values")
    slices = {}
    for label, value in zip(_values(trace, "labels") or range(len(values)), values):
        label = str(_charts.plain(label))
        slices[label] = slices.get(label, 0.0) + float(value)
    total = sum(slices.values()) or 1
    return [
        {"label": label, "angle": 360 * value / total, "radius": 1}
        for label, value in _charts.thinned(slices.items())
    ]


def _boxes(trace, name):
    import numpy

    values = numpy.asarray(_values(trace, "y") or _values(trace, "x"), dtype=float)
    groups = _values(trace, "x") if trace.get("y") is not None else None
    groups = [name] * len(values) if not groups else [str(group) for group in groups]
    made = []
    for label in list(dict.fromkeys(groups))[:_MOST_TRACES]:
        group = values[[one == label for one in groups]]
        low, middle, high = numpy.nanpercentile(group, [25, 50, 75])
        reach = 1.5 * (high - low)
        inside = group[(group >= low - reach) & (group <= high + reach)]
        outside = group[(group < low - reach) | (group > high + reach)]
        five = inside.min(), low, middle, high, inside.max()
        words = "min", "first_quartile", "median", "third_quartile", "max"
        made.append(
            {
                "label": label,
                **{word: _charts.plain(value) for word, value in zip(words, five)},
                "outliers": [_charts.plain(value) for value in _charts.thinned(outside)],
            }
        )
    return made


def _bins(trace, name):
    import numpy

    values = numpy.asarray(_values(trace, "x") or _values(trace, "y"), dtype=float)
    counts, edges = numpy.histogram(values, bins=trace.get("nbinsx") or "auto")
    return [
        {
            "label": name,
            "edges": [_charts.plain(edge) for edge in edges],
            "counts": [_charts.plain(count) for count in counts],
        }
    ]


def _grid(trace, _name):
    import numpy

    values = numpy.asarray(_values(trace, "z"), dtype=float)
    rows = _values(trace, "y") or range(values.shape[0])
    columns = _values(trace, "x") or range(values.shape[1])
    return [
        {
            "label": str(_charts.plain(row)),
            "values": [
                {"label": str(_charts.plain(column)), "value": _charts.plain(value)}
                for column, value in zip(columns[:50], line)
            ],
        }
        for row, line in zip(rows[:50], values)
    ]


_KINDS = {
    "scatter": ("line", _points),
    "scattergl": ("line", _points),
    "bar": ("bar", _bars),
    "pie": ("pie", _slices),
    "box": ("box_and_whisker", _boxes),
    "histogram": ("histogram", _bins),
    "heatmap": ("heatmap", _grid),
    "imshow": ("heatmap", _grid),
}


def _values(trace, key):
    """The values of a trace, which plotly packs when they are an array."""
    values = trace.get(key)
    if isinstance(values, dict):
        import numpy

        packed = numpy.frombuffer(_base64.b64decode(values["bdata"]), dtype=values["dtype"])
        shape = values.get("shape")
        return packed.reshape([int(n) for n in str(shape).split(",")]) if shape else packed.tolist()
    return [] if values is None else list(values)


def _picture(charts, title):
    """The charts as a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5 * len(charts)), layout="constrained")
    FigureCanvasAgg(figure)
    for place, chart in enumerate(charts, 1):
        axes = figure.add_subplot(len(charts), 1, place)
        _DRAWN[chart["type"]](axes, chart["elements"], chart)
        axes.set_xlabel(chart["x_label"] or "")
        axes.set_ylabel(chart["y_label"] or "")
        if any(label and label[0] != "_" for label in axes.get_legend_handles_labels()[1]):
            axes.legend()
    figure.suptitle(title or "")
    file = _io.BytesIO()
    figure.savefig(file, format="png", dpi=100)
    return file.getvalue()


def _draw_points(axes, series, chart):
    from datetime import datetime

    for one in series:
        x, y = zip(*one["points"]) if one["points"] else ((), ())
        with _contextlib.suppress(ValueError, TypeError):
            x = [datetime.fromisoformat(place) for place in x]
        (axes.plot if chart["type"] == "line" else axes.scatter)(x, y, label=one["label"])
    if x and isinstance(x[0], datetime):
        axes.figure.autofmt_xdate()
    elif len(x) > 12 and isinstance(x[0], str):
        axes.set_xticks(range(0, len(x), len(x) // 6))


def _draw_bars(axes, bars, chart):
    groups = list(dict.fromkeys(bar["group"] for bar in bars))
    labels = list(dict.fromkeys(bar["label"] for bar in bars))
    flat = chart.get("orientation") == "horizontal"
    for number, group in enumerate(groups):
        mine = [bar for bar in bars if bar["group"] == group]
        wide = 0.8 / len(groups)
        places = [labels.index(bar["label"]) + (number - (len(groups) - 1) / 2) * wide for bar in mine]
        draw = axes.barh if flat else axes.bar
        draw(places, [bar["value"] or 0 for bar in mine], wide, label=group)
    (axes.set_yticks if flat else axes.set_xticks)(range(len(labels)), labels)


def _draw_slices(axes, slices, _chart):
    axes.pie([one["angle"] for one in slices], labels=[one["label"] for one in slices])


def _draw_boxes(axes, boxes, _chart):
    keys = {"min": "whislo", "first_quartile": "q1", "median": "med", "third_quartile": "q3"}
    keys = {**keys, "max": "whishi", "outliers": "fliers", "label": "label"}
    axes.bxp([{key: box[word] for word, key in keys.items()} for box in boxes])


def _draw_bins(axes, series, _chart):
    for one in series:
        axes.stairs(one["counts"], one["edges"], fill=True, alpha=0.7, label=one["label"])


def _draw_grid(axes, rows, chart):
    cells = [[cell["value"] for cell in row["values"]] for row in rows]
    values = [[float("nan") if value is None else value for value in row] for row in cells]
    origin = "upper" if chart.get("y_reversed") else "lower"
    axes.figure.colorbar(axes.imshow(values, aspect="auto", origin=origin))
    columns = [cell["label"] for cell in rows[0]["values"]]
    axes.set_xticks(range(len(columns)), columns, rotation=90 if len(columns) > 8 else 0)
    axes.set_yticks(range(len(rows)), [row["label"] for row in rows])


_DRAWN = {
    "line": _draw_points,
    "scatter": _draw_points,
    "bar": _draw_bars,
    "pie": _draw_slices,
    "box_and_whisker": _draw_boxes,
    "histogram": _draw_bins,
    "heatmap": _draw_grid,
}
