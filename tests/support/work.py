"""How much work a call is, counted and not timed: the same on any machine, however busy it is."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from interrupting import traced


def work_of(call: Callable[[], object]) -> int:
    """Return how many calls and lines of Python a call is; what C does within a line counts once."""
    count = 0

    def hear(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return hear

    with traced(hear):
        call()
    return count
