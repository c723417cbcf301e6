"""Messages to the engine: one JSON object each, valid UTF-8, never too long.

What a program makes its objects say ends up here, so anything may come: numbers that JSON lacks,
half of a surrogate pair, a structure that contains itself. It is sent as well as it can be.
"""

import base64 as _base64
import itertools as _itertools
import json as _json
import re as _re
import threading as _threading

from _execute_python import streams as _streams
from _execute_python.errors import BUILTINS as __builtins__

_MOST = 24 * 1024 * 1024
_DEEPEST = 60
_DONE = b'{"type":"done"}'
_FAILED = (
    b'{"type":"done","exception":{"type":"RuntimeError","module":"builtins",'
    b'"message":"the end of the program could not be told","text":""}}'
)
_SURROGATES = _re.compile("[\ud800-\udfff]")

_native = None
_numbers = _itertools.count(1)
#: Answers that came and that nobody has taken yet, by the number of the question; and how many messages
#: were taken that somebody waits for.
_answers = {}
_taken = 0
#: Held by whoever looks at these two; whether somebody reads from the engine now.
_turn = _threading.Condition()
_reading = False
_to_json = _json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
#: While it is set nothing is sent.
muted = False


def prepare(native):
    """Takes the way out."""
    global _native
    _native = native


def display(data, metadata):
    """Sends something that was shown, between what was printed before and what is after: so it waits
    until the engine has taken it."""
    message = _encode({"type": "display", "data": data, "metadata": metadata})
    if _send(message, _native.send):
        _wait(_is_taken)


def ask(question):
    """Asks the caller something and waits for the answer, which is a JSON object."""
    number = send_question(question)
    return _wait(lambda: _answers.pop(number, None))


def send_question(question):
    """Asks the caller something; gives the number of the question."""
    number = str(next(_numbers))
    _send(_encode({**question, "id": number}), _native.send)
    return number


def read_now():
    """Reads once from the engine, which has something to read."""
    with _turn:
        if _reading:
            # Whoever reads takes it.
            return
    _wait(_nothing, once=True)


def answer_to(number):
    """The answer to a question, if it has come."""
    return _answers.pop(number, None)


def _nothing():
    return None


def _is_taken():
    global _taken
    if _taken:
        _taken -= 1
        return True
    return None


def _wait(found, once=False):
    """Waits until something is found. One thread reads for all."""
    global _reading
    while True:
        with _turn:
            while True:
                answer = found()
                if answer is not None:
                    return answer
                if not _reading:
                    break
                _turn.wait()
            _reading = True
        frame = None
        try:
            frame = _native.receive()
        finally:
            with _turn:
                _reading = False
                _keep(frame)
                _turn.notify_all()
        if once:
            return None


def _keep(frame):
    global _taken
    if frame:
        answer = _json.loads(bytes(frame))
        _answers[answer.pop("id")] = answer
    elif frame is not None:
        _taken += 1


def done(end):
    """Sends how the program ended; nothing comes after it."""
    try:
        # A runner that a program took apart knows nothing of the end: that is no success.
        message = _DONE if end == {} else _encode({"type": "done", **end})
    except BaseException:
        message = _FAILED
    _send(message, _native.send)


def answer(told):
    """Sends the answer to a question about a session."""
    _send(_encode({"type": "answer", **told}), _native.send)


def _send(message, way):
    _streams.flush()
    if not muted:
        way(message)
    return not muted


def _encode(message):
    try:
        text = _to_json(message)
    except Exception:
        text = _to_json(_plain(message, 0))
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        encoded = _SURROGATES.sub("\ufffd", text).encode()
    if len(encoded) > _MOST:
        encoded = _encode(_shortened(message, len(encoded)))
    return encoded


def _plain(value, depth):
    """The value as JSON can have it."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**64 else hex(value)
    if isinstance(value, float):
        return float(value) if value - value == 0 else None
    if isinstance(value, bytes):
        return _base64.b64encode(value).decode()
    if depth == _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item, depth + 1) for item in value]
    return str(value)


def _shortened(message, length):
    """What is left of a message that is too long."""
    if "data" in message:
        return {"type": message["type"], **_text_of(message, length)}
    short = dict(message)
    if short.get("value"):
        short["value"] = _text_of(short["value"], length)
    if short.get("exception"):
        short["exception"] = {**short["exception"], "causes": [], "frames": [], "notes": []}
    return short


def _text_of(bundle, length):
    """The plain text of a bundle, which is short by itself."""
    note = f"(a result of {length} bytes is too large; only its plain text is here)"
    plain = bundle["data"].get("text/plain")
    plain = plain[: _MOST // 8] if isinstance(plain, str) else ""
    return {"data": {"text/plain": f"{plain}\n{note}".strip()}, "metadata": {}}
