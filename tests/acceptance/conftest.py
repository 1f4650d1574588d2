"""What all promises are tried in: the extension, enabled, and an empty file."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def enabled(extension: object) -> None:
    """Enable the extension before each test."""


@pytest.fixture
def told(extension: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was exported, as the operators tell it."""
    module, heard = importlib.import_module(f"{extension.__name__}.operators.reporting"), []
    before = module.tell_exports
    monkeypatch.setattr(module, "tell_exports", lambda *args: (heard.extend(args[2]), before(*args))[1])
    return heard
