"""All of these tests need the kernel."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def needs_the_kernel(kernel_spec: None) -> None:
    """Has it installed."""
