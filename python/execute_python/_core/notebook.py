"""Runs as cells of a notebook (nbformat 4.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..models import Displayed, Event, Finished, MimeBundle, Outcome, Stderr, Stdout

Cell = dict[str, Any]
Output = dict[str, Any]


@dataclass
class Recorder:
    """Remembers what was run, and what came of it in the order in which it came."""

    cells: list[Cell] = field(default_factory=list[Cell])

    def begin(self, code: str) -> Callable[[Event], None]:
        """Begins a cell; gives what is to be told its events."""
        outputs: list[Output] = []
        number = len(self.cells) + 1
        cell: Cell = {
            "cell_type": "code",
            "id": f"cell-{number}",
            "execution_count": number,
            "metadata": {},
            "source": code,
            "outputs": outputs,
        }
        self.cells.append(cell)
        return lambda event: _record(outputs, event, number)

    def notebook(self, python: str) -> dict[str, Any]:
        """All cells as a notebook."""
        kernel = {"name": "execute-python", "display_name": "Python (sandbox)", "language": "python"}
        language = {"name": "python", "version": python, "file_extension": ".py"}
        return {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": kernel, "language_info": language},
            "cells": self.cells,
        }


def _record(outputs: list[Output], event: Event, number: int) -> None:
    """Puts what an event says into the outputs of cell `number`."""
    match event:
        case Stdout(text):
            _write(outputs, "stdout", text)
        case Stderr(text):
            _write(outputs, "stderr", text)
        case Displayed(display):
            outputs.append({"output_type": "display_data", **_bundle(display)})
        case Finished(outcome):
            outputs.extend(_last_outputs(outcome, number))
        case _:
            pass


def _last_outputs(outcome: Outcome, number: int) -> list[Output]:
    """What stands at the end of a cell: its value, or why there is none."""
    outputs: list[Output] = []
    if outcome.value:
        value = {"output_type": "execute_result", "execution_count": number}
        outputs.append({**value, **_bundle(outcome.value)})
    if outcome.exception:
        outputs.append(_error(outcome.exception.type, outcome.exception.message, outcome.exception.text))
    elif not outcome.ok:
        outputs.append(_error(outcome.status, outcome.summary, f"{outcome.status}: {outcome.summary}"))
    return outputs


def _bundle(bundle: MimeBundle) -> Output:
    return {"data": bundle.data, "metadata": bundle.metadata}


def _error(name: str, message: str, text: str) -> Output:
    lines = text.rstrip("\n").split("\n")
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": lines}


def _write(outputs: list[Output], name: str, text: str) -> None:
    if outputs and outputs[-1].get("name") == name:
        outputs[-1]["text"] += text
    else:
        outputs.append({"output_type": "stream", "name": name, "text": text})
