"""What tests share. The engine is the one that is installed, or that `EXECUTE_PYTHON_BINARY` names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from execute_python import Client


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as client:
        yield client
