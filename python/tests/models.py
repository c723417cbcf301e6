"""Models that are scripts, behind the interfaces of OpenAI and Anthropic.

Asked anything, they call the tool once; given its result they say what it was. An agent without tools, whose
model answers with code, is answered with code.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CODE = "print(sum(range(101)))"
STEPS = "<code>\nfinal_answer(price('tea') * 2)\n</code>"
USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


@contextmanager
def served() -> Generator[str]:
    """Serves the models on this machine; gives the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        kinds = {"responses": _response, "completions": _completion, "messages": _message}
        answer = json.dumps(kinds[self.path.rsplit("/", 1)[-1]](asked)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def _said(result: Any) -> str:
    text = result if isinstance(result, str) else result[0]["text"]
    return f"It is {text.strip()}."


def _name(tools: list[Any]) -> str:
    return tools[0].get("name") or tools[0]["function"]["name"]


def _response(asked: Any) -> Any:
    items: Any = asked["input"]
    last: Any = {} if isinstance(items, str) else items[-1]
    given = last.get("type") == "function_call_output"
    if given or not asked.get("tools"):
        said = _said(last["output"]) if given else "Here."
        text: Any = {"type": "output_text", "text": said, "annotations": []}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
        item: Any = {**head, "content": [text]}
    else:
        arguments = json.dumps({"code": CODE})
        head = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed"}
        item = {**head, "name": _name(asked["tools"]), "arguments": arguments}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": asked["model"],
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {**USAGE, **details},
    }


def _completion(asked: Any) -> Any:
    last = asked["messages"][-1]
    if not asked.get("tools"):
        message: Any = {"content": STEPS}
    elif last["role"] == "tool":
        message = {"content": _said(last["content"])}
    else:
        function = {"name": _name(asked["tools"]), "arguments": json.dumps({"code": CODE})}
        call = {"id": "call_1", "type": "function", "function": function}
        message = {"content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": "1", "object": "chat.completion", "created": 0, "model": asked["model"]}
    return {**head, "choices": [choice], "usage": usage}


def _message(asked: Any) -> Any:
    content: Any = asked["messages"][-1]["content"]
    if not isinstance(content, str):
        block: Any = {"type": "text", "text": _said(content[0]["content"])}
    else:
        name = _name(asked["tools"])
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {"code": CODE}}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"]}
    return {**head, "content": [block], "stop_reason": "end_turn", "stop_sequence": None, "usage": USAGE}
