"""Goldens for the tests of W3D."""

from __future__ import annotations

import pytest
from w3d_goldens import GOLDENS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "golden" in metafunc.fixturenames:
        metafunc.parametrize("golden", GOLDENS.values(), ids=lambda golden: golden.name)
