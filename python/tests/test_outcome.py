"""What an outcome says: to a model, to a person in a notebook, and to a program."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from execute_python import (
    AnswerNotUnderstood,
    Artifact,
    CapturedText,
    GuestException,
    MimeBundle,
    Outcome,
    RunFailed,
    SessionState,
    Violation,
)

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def text(written: str) -> CapturedText:
    return CapturedText(text=written, total_bytes=len(written), kept_bytes=len(written))


def test_a_run_that_failed_is_raised_on_request() -> None:
    assert Outcome("run_1", "ok").raise_for_status().id == "run_1"
    assert Outcome("run_1", "exited", exit_code=0).raise_for_status().ok
    raised = GuestException("ValueError", message="no", text="Traceback …\nValueError: no\n")
    for failed in (
        Outcome("run_1", "exception", exception=raised),
        Outcome("run_1", "exited", exit_code=3),
        Outcome("run_1", "timeout", summary="wall time of 5 s used up"),
    ):
        with pytest.raises(RunFailed) as caught:
            failed.raise_for_status()
        assert caught.value.outcome is failed
        assert str(caught.value).startswith(failed.status)


def test_the_text_for_a_model_has_all_of_it() -> None:
    outcome = Outcome(
        "run_1",
        "violation",
        summary="interrupted: the program tried to start a process",
        stdout=text("out\n"),
        stderr=text("err\n"),
        value=MimeBundle({"text/plain": "42"}),
        displays=(MimeBundle({"image/png": PIXEL}),),
        violations=(Violation("process", "start a process", hint="use Python itself"),),
        artifacts=(Artifact("a.csv", 3, "text/csv"),),
        state=SessionState("rewound", message="the session is as it was after run_0"),
        notes=("one file was left out",),
    )
    assert outcome.to_text() == (
        "out\nstderr:\nerr\n42\n"
        "violation: interrupted: the program tried to start a process\n"
        "forbidden: start a process; use Python itself\n"
        "pictures shown: 1\n"
        "file: a.csv (text/csv, 3 bytes)\n"
        "the session is as it was after run_0\n"
        "note: one file was left out"
    )


def test_a_run_that_says_nothing_says_so() -> None:
    assert Outcome("run_1", "ok").to_text() == "ok: nothing was printed"


def test_a_text_for_a_model_that_is_too_long_keeps_both_ends_and_tells() -> None:
    told = Outcome("run_1", "ok", stdout=text("a" * 5_000 + "z" * 5_000)).to_text(1_000)
    assert told == "a" * 250 + "\n[… 9500 letters left out …]\n" + "z" * 250


def test_what_the_service_left_out_of_a_stream_is_told() -> None:
    stream = CapturedText("begin", tail="end", total_bytes=1_000, kept_bytes=8)
    assert stream.missing_bytes == 992
    assert str(stream) == "begin\n[… 992 bytes left out …]\nend"


HOSTILE = '<script>steal()</script><img src=x onerror="steal()">'


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome("run_1", "ok", stdout=text(HOSTILE)),
        Outcome("run_1", "ok", stderr=text(HOSTILE)),
        Outcome("run_1", "ok", value=MimeBundle({"text/plain": HOSTILE})),
        Outcome("run_1", "ok", value=MimeBundle({"text/html": HOSTILE})),
        Outcome("run_1", "ok", value=MimeBundle({"text/html": '"></iframe>' + HOSTILE})),
        Outcome("run_1", "ok", displays=(MimeBundle({"image/svg+xml": f"<svg>{HOSTILE}</svg>"}),)),
        Outcome("run_1", "ok", displays=(MimeBundle({"image/png": f'">{HOSTILE}'}),)),
        Outcome("run_1", "ok", displays=(MimeBundle({"application/javascript": HOSTILE}),)),
        Outcome("run_1", "exception", exception=GuestException("E", text=HOSTILE)),
        Outcome("run_1", "ok", artifacts=(Artifact(HOSTILE, 1, HOSTILE),)),
    ],
)
def test_nothing_of_the_guest_is_markup_in_the_page_of_a_notebook(outcome: Outcome) -> None:
    page = outcome._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<script" not in page
    assert "<img src=x" not in page
    assert page.count("</iframe>") == page.count("<iframe sandbox srcdoc=")


def test_a_page_of_the_guest_has_no_rights_in_its_frame() -> None:
    bundle = MimeBundle({"text/html": "<b>x</b>", "text/plain": "x", "application/javascript": "y"})
    forms: Any = bundle._repr_mimebundle_()[0]  # pyright: ignore[reportPrivateUsage]
    assert set(forms) == {"text/html", "text/plain"}
    assert forms["text/html"].startswith("<iframe sandbox srcdoc=")
    assert "default-src &#x27;none&#x27;" in forms["text/html"]


def test_pictures_are_given_to_pillow() -> None:
    outcome = Outcome(
        "run_1",
        "ok",
        displays=(MimeBundle({"image/png": PIXEL}), MimeBundle({"text/plain": "no picture"})),
        artifacts=(Artifact("p.png", 1, "image/png", content=PIXEL), Artifact("a", 1, "text/csv")),
    )
    assert [image.size for image in outcome.images()] == [(1, 1), (1, 1)]


def test_artifacts_are_found_read_and_saved(tmp_path: Path) -> None:
    content = base64.b64encode(b"a,b\n").decode()
    outcome = Outcome("run_1", "ok", artifacts=(Artifact("x/a.csv", 4, "text/csv", content=content),))
    artifact = outcome.artifact("x/a.csv")
    assert artifact.read() == b"a,b\n"
    assert artifact.save(tmp_path) == tmp_path / "x/a.csv"
    assert (tmp_path / "x/a.csv").read_bytes() == b"a,b\n"
    with pytest.raises(KeyError):
        outcome.artifact("other")
    with pytest.raises(ValueError, match="did not come with the outcome"):
        Artifact("b", 1, "text/plain").read()


@pytest.mark.parametrize("path", ["../out", "/etc/x", "link/out", "a/../../out"])
def test_an_artifact_is_never_saved_outside_of_the_folder(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    content = base64.b64encode(b"x").decode()
    # The control: a plain name is saved.
    assert Artifact("plain", 1, "text/plain", content=content).save(folder).exists()
    with pytest.raises(AnswerNotUnderstood, match="leads out of the folder"):
        Artifact(path, 1, "text/plain", content=content).save(folder)
    assert not (tmp_path / "out").exists()
