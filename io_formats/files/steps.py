"""Long work in steps: generators that yield the share that is done, 0 to 1, and return what came of it.

Who drives one may look at a window or a terminal between two steps, or close it, which takes back what was made so far.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from functools import update_wrapper, wraps
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

Result = TypeVar("Result")
Given = ParamSpec("Given")

Steps: TypeAlias = Generator[float, None, Result]
"""Work in steps; none of them takes more than a quarter of a second on an ordinary machine."""

STEP = 1 << 18
"""Keys that are read, computed or written in one step."""

BLOCK = 1 << 24
"""Bytes that are read, compared, copied or written in one step."""

_CURVE = 1 << 9
"""A curve costs as much as this many of its keys."""


def blocks(size: int) -> Iterator[tuple[int, int]]:
    """Yield beginning and end of each block of so many bytes."""
    for start in range(0, size, BLOCK):
        yield start, min(start + BLOCK, size)


def finished(steps: Steps[Result]) -> Result:
    """Do all steps without a pause, and return what came of them."""
    return told_of(steps, lambda _share: None)


class AtOnce(Generic[Given, Result]):
    """A function that does its work without a pause; its `steps` do the same step by step."""

    def __init__(self, work: Callable[Given, Steps[Result]]) -> None:
        self.steps = work
        update_wrapper(self, work)

    def __call__(self, *given: Given.args, **named: Given.kwargs) -> Result:
        """Do all steps, and return what came of them."""
        return finished(self.steps(*given, **named))


def in_one_step(work: Callable[Given, Result]) -> Callable[Given, Steps[Result]]:
    """Return the function that does a function's work as one step."""

    @wraps(work)
    def steps(*given: Given.args, **named: Given.kwargs) -> Steps[Result]:
        yield from ()
        return work(*given, **named)

    return steps


def told_of(steps: Steps[Result], told: Callable[[float], None]) -> Result:
    """Do all steps, telling the share that is done after each, and return what came of them."""
    try:
        while True:
            told(next(steps))
    except StopIteration as end:
        result: Result = end.value
        return result


def portion(
    steps: Steps[Result],
    first: float = 0.0,
    last: float = 1.0,
    held: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> Steps[Result]:
    """Do steps as a part of longer work, of which they are the share from `first` to `last`.

    Args:
        held: makes the context in which each step runs; it is left between steps.
    """
    with closing(steps):
        while True:
            try:
                with held():
                    share = next(steps)
            except StopIteration as end:
                result: Result = end.value
                return result
            yield first + share * (last - first)


class Pace:
    """Counts curves and their keys, and says when enough was done for a step."""

    def __init__(self, keys: int, curves: int = 0) -> None:
        self._total = max(keys + curves * _CURVE, 1)
        self._done = 0
        self._next = STEP

    @property
    def share(self) -> float:
        """The share that is done."""
        return min(self._done / self._total, 1.0)

    def is_due(self, keys: int, curves: int = 0) -> bool:
        """Count what was done, and return whether a step is due."""
        self._done += keys + curves * _CURVE
        if self._done < self._next:
            return False
        self._next = self._done + STEP
        return True
