"""The kernel, installed where these tests look for it, as a user installs it."""

from __future__ import annotations

import os
import subprocess

import pytest

from execute_python._core import local


@pytest.fixture(scope="session", autouse=True)
def kernel_spec(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Installs the kernel where the tests look for it, as a user installs it."""
    os.environ["JUPYTER_DATA_DIR"] = str(tmp_path_factory.mktemp("jupyter"))
    command = [local.binary(), "kernel", "--install", "--env", "base"]
    subprocess.run(command, check=True, capture_output=True)
