"""The protocol, without a service: what is sent, and how answers are read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import execute_python as ep
from execute_python._core import wire
from execute_python._core.decode import decode


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event, ensure_ascii=False).encode() + b"\n" for event in events)


OUTCOME = {"id": "run_1", "status": "ok", "stdout": {"text": "2\n"}}
RUN = lines(
    {"type": "started", "id": "run_1", "environment": "base"},
    {"type": "stdout", "text": "2\n"},
    {"type": "finished", "outcome": OUTCOME},
)


class Service:
    """A service that gives these answers, and what it was asked."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, **options: Any) -> ep.Client:
        return ep.Client("http://service", transport=httpx.MockTransport(self), **options)

    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.asked]


def problem(status: int, code: str, **more: Any) -> httpx.Response:
    headers = more.pop("headers", {})
    body = {"title": "No", "status": status, "detail": "it is so", "code": code, **more}
    return httpx.Response(status, json=body, headers=headers)


def test_a_run_sends_what_is_asked_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xff1")
    service = Service(httpx.Response(200, content=RUN), httpx.Response(200, content=RUN))
    with service.client(key="epk_1") as client:
        outcome = client.run("print(2)")
        stored = ep.StoredFile(id="fil_1", name="c")
        client.run(
            "x",
            files={"a": tmp_path / "a.csv", "b": "text", "c": stored},
            limits={"wall_time_ms": 5},
            policy="strict",
            artifacts=False,
        )
    assert outcome.stdout.text == "2\n"
    assert service.asked[0].url.path == "/v1/runs"
    assert service.asked[0].headers["authorization"] == "Bearer epk_1"
    assert service.asked[0].headers["accept"] == "application/x-ndjson"
    plain, full = service.bodies()
    assert plain == {"code": "print(2)", "include": ["artifacts"]}
    assert full == {
        "code": "x",
        "files": [
            {"path": "a", "content": "/zE="},
            {"path": "b", "content": "dGV4dA=="},
            {"path": "c", "file_id": "fil_1"},
        ],
        "limits": {"wall_time_ms": 5},
        "policy": "strict",
    }


def test_files_can_be_a_list_of_paths(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1")
    assert wire.input_files([tmp_path / "a.csv"]) == [{"path": "a.csv", "content": "MQ=="}]


def test_a_line_ends_where_its_json_ends() -> None:
    # Python takes these for ends of lines; JSON lets them stand in a text.
    text = "a\u2028b\x85c\x0bd"
    whole = lines({"type": "stdout", "text": text}, {"type": "stderr", "text": "e"})
    for size in (1, 7, len(whole)):
        cut, found = wire.Lines(), list[bytes]()
        for at in range(0, len(whole), size):
            found += cut.take(whole[at : at + size])
        assert [wire.event(line) for line in found] == [ep.Stdout(text), ep.Stderr("e")]


def test_signs_of_life_and_events_that_are_newer_are_left_out() -> None:
    assert wire.event(b"\r") is None
    assert wire.event(b'{"type": "dreamt", "of": "sheep"}') is None


def test_fields_and_words_that_are_newer_do_no_harm() -> None:
    outcome = decode(ep.Outcome, {**OUTCOME, "status": "paused", "mood": "good"})
    assert outcome.status == "paused"
    assert not outcome.ok


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"status": "ok"}, "`answer` is not whole: .*id"),
        ({**OUTCOME, "usage": {"threads": "9"}}, "`answer.usage.threads` is not what it should be"),
        (
            {**OUTCOME, "artifacts": [{"path": "a", "bytes": 1, "mime_type": None}]},
            r"artifacts\[0\].mime_type",
        ),
        ([], "`answer` is not what it should be"),
    ],
)
def test_an_answer_that_is_not_understood_is_told_with_its_place(value: object, told: str) -> None:
    with pytest.raises(ep.AnswerNotUnderstood, match=told):
        decode(ep.Outcome, value)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, ep.NotAllowed),
        (403, ep.NotAllowed),
        (404, ep.NotFound),
        (422, ep.RequestRefused),
        (429, ep.Busy),
        (503, ep.Busy),
        (500, ep.ServiceFailed),
    ],
)
def test_each_refusal_has_its_exception(status: int, kind: type[ep.RequestRefused]) -> None:
    service = Service(problem(status, "some_code", field="limits.threads", hint="ask for less"))
    with service.client() as client, pytest.raises(kind) as caught:
        client.run("x")
    assert type(caught.value) is kind
    assert str(caught.value) == "it is so (field `limits.threads`); hint: ask for less"
    assert caught.value.problem.code == "some_code"


def test_a_refusal_that_is_no_problem_document_is_told_as_it_is() -> None:
    service = Service(httpx.Response(502, content=b"<h1>Bad Gateway</h1>"))
    with service.client() as client, pytest.raises(ep.ServiceFailed, match="Bad Gateway"):
        client.run("x")


def test_who_is_told_to_come_back_soon_comes_back() -> None:
    busy = problem(429, "busy", headers={"retry-after": "0"})
    service = Service(busy, httpx.Response(200, content=RUN))
    with service.client() as client:
        assert client.run("x").ok
    assert len(service.asked) == 2


def test_who_is_told_to_come_back_much_later_tells_the_caller() -> None:
    service = Service(problem(429, "quota", headers={"retry-after": "3600"}))
    with service.client() as client, pytest.raises(ep.Busy):
        client.run("x")


def test_a_service_that_is_not_there_is_tried_again_and_told() -> None:
    refused = httpx.ConnectError("refused")
    service = Service(refused, refused, httpx.Response(200, content=RUN))
    with service.client() as client:
        assert client.run("x").ok
    with (
        Service(refused).client(retries=0) as client,
        pytest.raises(ep.ConnectionFailed, match="cannot reach http://service"),
    ):
        client.run("x")


def test_a_run_is_not_sent_twice_when_the_answer_is_lost() -> None:
    service = Service(httpx.ReadError("gone"))
    with service.client() as client, pytest.raises(ep.ConnectionFailed, match="gone"):
        client.run("x")


def test_a_stream_that_ends_too_early_is_a_failure() -> None:
    service = Service(httpx.Response(200, content=RUN.splitlines(keepends=True)[0]))
    with service.client() as client, pytest.raises(ep.ConnectionFailed, match="before the run was over"):
        client.run("x")


def test_events_go_to_their_callbacks() -> None:
    service = Service(httpx.Response(200, content=RUN))
    told: list[Any] = []
    with service.client() as client:
        client.run("x", on_stdout=told.append, on_event=lambda event: told.append(type(event)))
    assert told == [ep.Started, ep.Stdout, "2\n", ep.Finished]


def test_a_tool_is_answered_even_when_its_answer_is_refused() -> None:
    def large() -> str:
        return "much"

    run = lines(
        {"type": "started", "id": "run_1", "environment": "base"},
        {"type": "tool_call", "id": "t1", "name": "large", "arguments": {}},
        {"type": "finished", "outcome": OUTCOME},
    )
    service = Service(httpx.Response(200, content=run), problem(413, "body_too_large"), httpx.Response(202))
    with service.client() as client:
        client.run("large()", tools=[large])
    _, first, second = service.bodies()
    assert first == {"id": "t1", "result": "much"}
    assert second["error"].startswith("RequestRefused: it is so")


def test_paths_and_ids_are_quoted() -> None:
    assert wire.read_file("ses_1", "a b/ü?.txt").path == "/v1/sessions/ses_1/files/a%20b/%C3%BC%3F.txt"
    assert wire.difference("ses_1", "a/b").path == "/v1/sessions/ses_1/checkpoints/a%2Fb/diff"
    assert wire.upload("a&b", b"").path == "/v1/files?name=a%26b"


def test_variables_of_the_environment_name_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXECUTE_PYTHON_URL", "http://elsewhere:1")
    monkeypatch.setenv("EXECUTE_PYTHON_KEY", "epk_2")
    service = Service(httpx.Response(200, content=RUN))
    with ep.Client(transport=httpx.MockTransport(service)) as client:
        client.run("x")
    assert str(service.asked[0].url) == "http://elsewhere:1/v1/runs"
    assert service.asked[0].headers["authorization"] == "Bearer epk_2"


async def test_a_failed_answer_ends_an_asynchronous_stream() -> None:
    def f() -> int:
        return 1

    class Slow(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield lines(
                {"type": "started", "id": "run_1", "environment": "base"},
                {"type": "tool_call", "id": "t1", "name": "f", "arguments": {}},
            )
            for _ in range(100):
                await asyncio.sleep(0.01)
                yield b"\n"

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("tool_results"):
            raise httpx.ReadError("gone")
        return httpx.Response(200, stream=Slow())

    transport = httpx.MockTransport(answer)
    async with ep.AsyncClient("http://service", transport=transport) as client:
        with pytest.raises(ep.ConnectionFailed, match="gone"):
            await client.run("f()", tools=[f])
