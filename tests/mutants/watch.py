"""A plugin of pytest that writes down which lines of ours each test that passes runs, and how long it takes.

    ANIM_CURVES_WATCH=lines.json python -m pytest -p watch tests

The file holds the tests with their seconds; the lines that run while modules are imported and the extension is enabled,
by file; and for each file pairs of lines and of the numbers of the tests that run exactly these.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from warm import warm

SOURCE = Path(__file__).resolve().parents[2]
ROOMS = ("io_formats/", "scene/")
_TOOL = 3
_now: set[tuple[str, int]] = set()
_places: dict[str, str] = {}
_imports: set[tuple[str, int]] = set()
_seconds: dict[str, float] = {}
_lines: dict[str, frozenset[tuple[str, int]]] = {}
_failed: set[str] = set()


def pytest_configure() -> None:
    """Hear all lines until everything is imported."""
    monitoring = sys.monitoring
    monitoring.use_tool_id(_TOOL, "watch")
    monitoring.register_callback(_TOOL, monitoring.events.LINE, _hear)
    monitoring.set_events(_TOOL, monitoring.events.LINE)


def _hear_ours() -> None:
    """Hear only the lines of our own functions, which costs other code nothing."""
    sys.monitoring.set_events(_TOOL, 0)
    for thing in gc.get_objects():
        if type(thing) is FunctionType and _place(thing.__code__.co_filename):
            _hear_code(thing.__code__)
    gc.freeze()  # what is known already needs no second look


def _hear_code(code: CodeType) -> None:
    sys.monitoring.set_local_events(_TOOL, code, sys.monitoring.events.LINE)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _hear_code(constant)


def _hear(code: CodeType, line: int) -> object:
    """Note a line once, until the next test begins."""
    place = _place(code.co_filename)
    if place:
        _now.add((place, line))
    return sys.monitoring.DISABLE


def _place(file: str) -> str:
    """A file's place in the tree, by whatever way it was imported; empty for one that is not watched."""
    if file not in _places:
        real = Path(os.path.realpath(file))
        place = real.relative_to(SOURCE).as_posix() if real.is_relative_to(SOURCE) else ""
        _places[file] = place if place.startswith(ROOMS) else ""
    return _places[file]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tell what runs on the way to the first test from what tests run."""
    warm(session)
    _imports.update(_now)
    _hear_ours()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Watch one test with its fixtures."""
    _now.clear()
    sys.monitoring.restart_events()
    modules, started = len(sys.modules), time.process_time()
    yield
    if len(sys.modules) != modules:
        _hear_ours()
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
    tests_of = defaultdict(list)
    for number, name in enumerate(names):
        for place in _lines[name]:
            tests_of[place].append(number)
    groups: dict[str, dict[tuple[int, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    for (file, line), tests in tests_of.items():
        groups[file][tuple(tests)].append(line)
    imports = defaultdict(list)
    for file, line in sorted(_imports):
        imports[file].append(line)
    written = {
        "tests": [[name, _seconds[name]] for name in names],
        "imports": imports,
        "lines": {file: [[lines, tests] for tests, lines in found.items()] for file, found in groups.items()},
    }
    Path(os.environ["ANIM_CURVES_WATCH"]).write_text(json.dumps(written), encoding="utf-8")
