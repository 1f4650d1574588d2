"""Cases of one test of which a few are quick: the others show in more places what these show already."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

FILES = {
    "mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
    "w3d": "w3d/g02_tc_default.w3d",
    "w3x": "w3x/g02.w3x",
    "animx": "animx/08_walk.animj",
}
"""One of each format, in tests/data."""
WHOLE_W3D = "w3d/g01_raw_trim_vis.w3d"
"""One with its own skeleton."""

_NAMED = type(pytest.param())


def slow_but(quick: Iterable[Any], cases: Iterable[Any]) -> list[Any]:
    """The cases in their order, all but `quick` marked slow; a tuple is one case of several arguments."""
    known = list(quick)
    return [case if case in known else slow(case) for case in cases]


def slow(case: Any) -> Any:
    """One case, marked slow; a tuple is one of several arguments."""
    if isinstance(case, _NAMED):
        return pytest.param(*case.values, id=case.id, marks=(*case.marks, pytest.mark.slow))
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
