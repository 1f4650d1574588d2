"""Sessions and exports of drawn scenes in Blender say, write and leave what they did: see tests/support/outcome.py."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from outcome import compare, kept
from renewal import Renewal

KINDS = {"recipes": "recipe", "sessions": "session"}


@pytest.mark.once
@pytest.mark.parametrize(("kind", "number"), [(kind, number) for kind in KINDS for number in kept(kind)])
def test_what_is_said_and_made_is_as_it_was(
    extension: ModuleType, kind: str, number: str, tmp_path: Path, renewal: Renewal | None
) -> None:
    importlib.import_module("addon_utils").enable("rigify", default_set=True)
    make = getattr(importlib.import_module(kind), KINDS[kind])
    compare(kind, number, make(int(number), tmp_path), renewal)
