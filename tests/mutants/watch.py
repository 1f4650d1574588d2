"""A plugin of pytest that writes down which functions of ours each test that passes calls, and how long it takes.

    ANIM_CURVES_WATCH=touched.json python -m pytest -p watch tests/formats

Functions are known by their file, from the top of the tree, and their name with that of their class.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

SOURCE = Path(__file__).resolve().parents[2]
ROOMS = ("io_formats", "scene", "pipeline", "operators")
touched: dict[str, dict[str, object]] = {}
failed: set[str] = set()
_names: dict[str, str] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Watch one test with its fixtures."""
    calls: set[tuple[str, str]] = set()

    def hear(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            calls.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    started = time.perf_counter()
    sys.setprofile(hear)
    try:
        yield
    finally:
        sys.setprofile(None)
    ours = sorted(f"{place}:{name}" for file, name in calls if (place := _place(file)))
    touched[item.nodeid] = {"seconds": round(time.perf_counter() - started, 3), "calls": ours}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember what does not pass, which cannot notice anything."""
    if not report.passed:
        failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write it all down."""
    for name in failed:
        touched.pop(name, None)
    Path(os.environ["ANIM_CURVES_WATCH"]).write_text(json.dumps(touched), encoding="utf-8")


def _place(file: str) -> str:
    """A file's place in the tree, by whatever way it was imported; empty for one that is not ours."""
    if file not in _names:
        real = Path(os.path.realpath(file))
        place = real.relative_to(SOURCE).as_posix() if real.is_relative_to(SOURCE) else ""
        _names[file] = place if place.startswith(ROOMS) else ""
    return _names[file]
