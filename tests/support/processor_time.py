"""A plugin for pytest that tells the processor's time of the tests: `make test ARGS="-p processor_time"`.

Unlike `--durations` it counts what the processes that a test starts have used, and says the same on a busy machine.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from typing import Any

import pytest

SHOWN = 40
_seconds = pytest.StashKey[dict[str, float]]()


def used() -> float:
    """Return the seconds of the processor that this process and those it has waited for have used."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def pytest_configure(config: pytest.Config) -> None:
    """Begin with none."""
    config.stash[_seconds] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Count a test with its fixtures; those of a session go to the first test that asks for them."""
    before = used()
    yield
    item.config.stash[_seconds][item.nodeid] = used() - before


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Tell the sum, what it is by file, and the tests that take longest."""
    seconds = config.stash[_seconds]
    files: dict[str, float] = {}
    for name, spent in seconds.items():
        files[name.split("::")[0]] = files.get(name.split("::")[0], 0.0) + spent
    terminalreporter.section(f"{used():.0f} s of the processor, {sum(seconds.values()):.0f} s in tests")
    for found in (files, seconds):
        for name, spent in sorted(found.items(), key=lambda entry: -entry[1])[:SHOWN]:
            terminalreporter.write_line(f"{spent:8.2f} s  {name}")
