"""Sessions in Blender say, write and leave what they did: see tests/support/outcome.py."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from outcome import compare, kept
from renewal import Renewal


@pytest.mark.once
@pytest.mark.parametrize("number", kept("sessions"))
def test_a_session_says_and_makes_what_it_did(
    extension: ModuleType, number: str, tmp_path: Path, renewal: Renewal | None
) -> None:
    compare("sessions", number, importlib.import_module("sessions").session(int(number), tmp_path), renewal)
