"""What tests share. The engine is the one that is installed, or that `EXECUTE_PYTHON_BINARY` names."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from execute_python import Client
from execute_python._core import local


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as client:
        yield client


@pytest.fixture(scope="session")
def kernel_spec(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Installs the kernel where the tests look for it, as a user installs it."""
    os.environ["JUPYTER_DATA_DIR"] = str(tmp_path_factory.mktemp("jupyter"))
    command = [local.binary(), "kernel", "--install", "--env", "base"]
    subprocess.run(command, check=True, capture_output=True)
