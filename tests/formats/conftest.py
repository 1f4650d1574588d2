"""What the tests of several formats share: W3D files laid by hand."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "the same everywhere", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("the same everywhere")  # no example by chance, no test that a busy machine fails


@pytest.fixture(scope="session")
def lay() -> Any:
    """The class of `w3d/lay.py`, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("w3d_lay", Path(__file__).resolve().parent / "w3d" / "lay.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Lay
