"""How much work a call is, counted and not timed: the same on any machine, however busy it is."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from interrupting import traced


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Garbage waits: what its collection calls, such as Hypothesis's clock, is no part of a call's work."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def work_of(call: Callable[[], object]) -> int:
    """Return how many calls and lines of Python a call is; what C does within a line counts once."""
    count = 0

    def hear(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return hear

    with nothing_collected(), traced(hear):
        call()
    return count
