"""Tables of pandas as data, in the form of the Tabular Data Resource that notebooks know
(https://specs.frictionlessdata.io/tabular-data-resource/): the first rows, and how many there are.
"""

from _execute_python import charts as _charts
from _execute_python import displays as _displays
from _execute_python.errors import BUILTINS as __builtins__

MIME_TYPE = "application/vnd.dataresource+json"

_MOST_ROWS = 200
_MOST_COLUMNS = 50
_KINDS = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "M": "datetime"}


def prepare():
    """Has this form shown wherever a table is."""
    formatter = _displays.formatter.mimebundle_formatter
    for module, name in ("pandas", "DataFrame"), ("pandas.core.frame", "DataFrame"):
        formatter.for_type_by_name(module, name, _forms)


def _forms(frame, **_options):
    index = [name if name is not None else "index" for name in frame.index.names]
    names = [*index, *frame.columns[: _MOST_COLUMNS - len(index)]]
    few = frame.iloc[:_MOST_ROWS, : _MOST_COLUMNS - len(index)]
    columns = [few.index.get_level_values(n) for n in range(len(index))]
    columns += [few.iloc[:, n] for n in range(few.shape[1])]
    keys = [str(name) for name in names]
    rows = zip(*([_charts.plain(value) for value in column] for column in columns))
    fields = [
        {"name": key, "type": _KINDS.get(getattr(column.dtype, "kind", "O"), "string")}
        for key, column in zip(keys, columns)
    ]
    return {
        MIME_TYPE: {
            "profile": "tabular-data-resource",
            "schema": {"fields": fields, "primaryKey": [str(name) for name in index]},
            "data": [dict(zip(keys, row)) for row in rows],
            "rows": int(frame.shape[0]),
            "columns": int(frame.shape[1]),
        }
    }, {}
