"""Rich results: an object in several forms, MIME type to content.

IPython's formatters make them where IPython is installed. Where it is not, an object's own methods
of IPython's display protocol are called. The plain text is always exactly what `repr` gives.
"""

import base64 as _base64
import builtins as _builtins
import sys as _sys

from _execute_python import errors as _errors
from _execute_python import messages as _messages
from _execute_python.errors import BUILTINS as __builtins__

_MOST_TEXT = 1024 * 1024
#: Nothing but text is known of these, so no formatter is asked.
_PLAIN = {
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    bytearray,
    list,
    tuple,
    dict,
    set,
    frozenset,
    range,
}
_METHODS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_latex_": "text/latex",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_pdf_": "application/pdf",
    "_repr_json_": "application/json",
    "_repr_javascript_": "application/javascript",
}

#: IPython's formatter, where there is one.
formatter = None
#: Forms that are made of another one, by its MIME type.
also = {}
_updates = {}


def prepare():
    """Gives programs `display`, as a notebook does."""
    _builtins.display = display


def bundle(value):
    """The forms of a value, ready to be sent."""
    text = repr(value)
    if len(text) > _MOST_TEXT:
        text = f"{text[:_MOST_TEXT]}\n… {len(text) - _MOST_TEXT} characters are missing"
    if type(value) in _PLAIN:
        return {"data": {"text/plain": text}, "metadata": {}}
    if formatter is not None:
        data, metadata = formatter.format(value, exclude={"text/plain"})
    else:
        data, metadata = _own_forms(value)
    data = {**data, "text/plain": text}
    return {"data": _ready(data), "metadata": metadata if isinstance(metadata, dict) else {}}


def emit(data, metadata):
    """Shows forms that are there already."""
    _messages.display(_ready(data), metadata)


def update(identity, data, metadata):
    """Keeps what a display was changed to. What was sent cannot be changed, so the last state is
    sent when the program has ended."""
    _updates[identity] = data, metadata


def emit_updates():
    """Sends what displays were changed to."""
    while _updates:
        emit(*_updates.pop(next(iter(_updates))))


def display(*values, raw=False, metadata=None, **_options):
    """Shows values in their richest form, as a notebook does."""
    for value in values:
        if raw:
            emit(value, metadata or {})
        else:
            forms = bundle(value)
            emit(forms["data"], {**forms["metadata"], **(metadata or {})})


display.__module__ = "builtins"


def _ready(data):
    for kind in also.keys() & data.keys():
        data = {**also[kind](data[kind]), **data}
    return {
        str(kind): _base64.b64encode(form).decode() if isinstance(form, bytes) else form
        for kind, form in data.items()
        if form is not None
    }


def _own_forms(value):
    data, metadata = {}, {}
    for method, kind in [("_repr_mimebundle_", None), *_METHODS.items()]:
        if kind in data:
            continue
        form = _called(value, method)
        form, about = form if isinstance(form, tuple) and len(form) == 2 else (form, None)
        if kind is None:
            data.update(form or {})
            metadata.update(about or {})
        elif form is not None:
            data[kind] = form
            if about:
                metadata[kind] = about
    return data, metadata


def _called(value, method):
    """What a method of the protocol gives. One that fails is printed and costs only its form."""
    function = getattr(type(value), method, None)
    if function is None:
        return None
    try:
        return function(value)
    except Exception as error:
        if _sys.stderr is not None:
            _sys.stderr.write(_errors.text_of(error))
        return None
