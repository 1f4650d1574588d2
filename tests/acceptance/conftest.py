"""What all promises are tried in: the extension, enabled, and an empty file."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def enabled(extension: object) -> None:
    """Enable the extension before each test."""
