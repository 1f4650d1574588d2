"""Drawn scenes are exported and come back as they did: see tests/support/outcome.py."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from outcome import compare, kept
from renewal import Renewal


@pytest.mark.once
@pytest.mark.parametrize("number", kept("recipes"))
def test_a_recipe_makes_what_it_did(
    extension: ModuleType, number: str, tmp_path: Path, renewal: Renewal | None
) -> None:
    importlib.import_module("addon_utils").enable("rigify", default_set=True)
    compare("recipes", number, importlib.import_module("recipes").recipe(int(number), tmp_path), renewal)
