"""A plugin of pytest that writes down which lines of ours each test that passes runs, and how long it takes.

    ANIM_CURVES_WATCH=lines.json python -m pytest -p watch tests

The file holds the tests with their seconds, and by file and line the numbers of the tests that run it. Lines that run
while modules are imported count for the first test that imports them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

SOURCE = Path(__file__).resolve().parents[2]
ROOMS = ("io_formats/", "scene/", "pipeline/", "operators/")
_TOOL = 3
_now: set[tuple[str, int]] = set()
_places: dict[str, str] = {}
_seconds: dict[str, float] = {}
_lines: dict[str, frozenset[tuple[str, int]]] = {}
_failed: set[str] = set()


def pytest_configure() -> None:
    """Hear all lines, each once for each test."""
    events = sys.monitoring.events
    sys.monitoring.use_tool_id(_TOOL, "watch")
    sys.monitoring.register_callback(_TOOL, events.LINE, _hear)
    sys.monitoring.set_events(_TOOL, events.LINE)


def _hear(code: CodeType, line: int) -> object:
    """Note a line of ours, by whatever way its module was imported."""
    if code.co_filename not in _places:
        real = Path(os.path.realpath(code.co_filename))
        place = real.relative_to(SOURCE).as_posix() if real.is_relative_to(SOURCE) else ""
        _places[code.co_filename] = place if place.startswith(ROOMS) else ""
    if _places[code.co_filename]:
        _now.add((_places[code.co_filename], line))
    return sys.monitoring.DISABLE


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Watch one test with its fixtures."""
    _now.clear()
    sys.monitoring.restart_events()
    started = time.process_time()
    yield
    _seconds[item.nodeid] = round(time.process_time() - started, 3)
    _lines[item.nodeid] = frozenset(_now)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember what does not pass, which cannot notice anything."""
    if not report.passed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write it all down."""
    sys.monitoring.set_events(_TOOL, 0)
    names = [name for name in _lines if name not in _failed]
    lines: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, name in enumerate(names):
        for file, line in _lines[name]:
            lines[file][line].append(number)
    written = {"tests": [[name, _seconds[name]] for name in names], "lines": lines}
    Path(os.environ["ANIM_CURVES_WATCH"]).write_text(json.dumps(written), encoding="utf-8")
