"""The pages of the documentation: their examples are run, and print what stands below them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .models import served

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "python.md", DOCS / "jupyter.md", *sorted((DOCS / "adaptors").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INSTALLS = re.compile(r"^pip install|^execute-python kernel --install")


def test_every_page_is_there() -> None:
    named = set(re.findall(r"\]\(((?:adaptors/)?[\w-]+\.md)\)", (DOCS / "python.md").read_text()))
    assert {str(page.relative_to(DOCS)) for page in PAGES} == named | {"python.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel_spec: None
) -> None:
    blocks = BLOCK.findall(page.read_text())
    with served() as models:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{models}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", models)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        program = tmp_path / "page.py"
        program.write_text(_program(blocks))
        ran = subprocess.run(
            [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
    assert ran.returncode == 0, ran.stderr
    printed = ran.stdout.split(MARK)
    for text, shown in zip(_expected(blocks), printed[:-1], strict=True):
        assert _same(text, shown), f"{shown!r} is not {text!r}"


def test_the_commands_of_a_page(tmp_path: Path) -> None:
    for name, content in re.findall(
        r"^\$ cat (\S+)\n(.*?)^\$ ", (DOCS / "jupyter.md").read_text(), re.MULTILINE | re.DOTALL
    ):
        (tmp_path / name).write_text(content)
    ran = 0
    for page in PAGES:
        for language, text in BLOCK.findall(page.read_text()):
            for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
                if language != "console" or INSTALLS.match(command):
                    continue
                done = subprocess.run(
                    command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=120
                )
                assert done.returncode == 0, done.stderr
                assert _same(shown, done.stdout + done.stderr)
                ran += 1
    assert ran == 3


MARK = "\0end of a block\0"


def _program(blocks: list[tuple[str, str]]) -> str:
    """All blocks as one program, which says where each of them ends."""
    code = [text for language, text in blocks if language == "python"]
    return "".join(f"{text}\nprint({MARK!r}, end='')\n" for text in code)


def _expected(blocks: list[tuple[str, str]]) -> list[str]:
    """What each block of code prints: the text below it, if there is one."""
    expected: list[str] = []
    for at, (language, _) in enumerate(blocks):
        if language == "python":
            below = blocks[at + 1] if at + 1 < len(blocks) else ("", "")
            expected.append(below[1] if below[0] == "text" else "")
    return expected


def _same(expected: str, shown: str) -> bool:
    """Whether it is the same, where `…` stands for anything."""
    pattern = ".*?".join(map(re.escape, expected.strip().split("…")))
    return re.fullmatch(pattern, shown.strip(), re.DOTALL) is not None
