"""Long work in steps: generators that yield the share that is done, 0 to 1, or a portion of them, and return what came
of it. Who drives one may look at a window between two steps, or close it, which takes back what was made so far."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import update_wrapper
from typing import Any, Generic, NamedTuple, ParamSpec, TypeAlias, TypeVar

Result = TypeVar("Result")
Told = TypeVar("Told")
Given = ParamSpec("Given")

Steps: TypeAlias = Generator["float | _Portion", Any, Result]
"""Work in steps; none of them takes more than a quarter of a second on an ordinary machine. `running` does them."""

STEP = 1 << 18
"""Keys that are read, computed or written in one step."""

_SELDOM = 70_000
"""Objects that are made between two searches for cycles; Python's own number is 700, or 2,000."""

_CURVE = 1 << 9
"""A curve costs as much as this many of its keys."""


def finished(steps: Steps[Result], told: Callable[[float], object] = bool) -> Result:
    """Do all steps, telling the share that is done after each, and return what came of them."""
    working = running(steps)
    try:
        while True:
            told(next(working))
    except StopIteration as end:
        result: Result = end.value
        return result


class AtOnce(Generic[Given, Result]):
    """A function that does its work without a pause; its `steps` do the same step by step."""

    def __init__(self, work: Callable[Given, Steps[Result]]) -> None:
        self.steps = work
        update_wrapper(self, work)

    def __call__(self, *given: Given.args, **named: Given.kwargs) -> Result:
        return finished(self.steps(*given, **named))


def in_one_step(work: Callable[Given, Result]) -> Callable[Given, Steps[Result]]:
    """Return the function that does a function's work as one step."""

    def steps(*given: Given.args, **named: Given.kwargs) -> Steps[Result]:
        yield from ()
        return work(*given, **named)

    return steps


def undisturbed(steps: Generator[Told, bool | None, object]) -> Iterator[Told]:
    """Yield what steps yield, telling all but the first that nothing else was done since the step before."""
    sent = None
    while True:
        try:
            found = steps.send(sent)
        except StopIteration:
            return
        yield found
        sent = True


def running(
    steps: Steps[Result],
    held: Callable[[], AbstractContextManager[object]] = nullcontext,
    resumed: Callable[[], object] = bool,
) -> Generator[float, bool | None, Result]:
    """Do steps and the portions within them, and yield the shares of the whole; to close it closes all of these.

    Only the innermost portion runs, on top of this, however deep it lies; those that wait for it are in a list, and
    get what came of it, or what was wrong.

    Args:
        held: makes the context in which each step runs; it is left between steps.
        resumed: is called before each step before which anything may have been done, see `undisturbed`.
    """
    waiting = [_Portion(steps, 0.0, 1.0)]
    result: Any = None
    error: BaseException | None = None
    try:
        while True:
            if not result:
                resumed()
            with held(), _seldom_collected():
                while waiting:
                    inner = waiting[-1]
                    try:
                        found = inner.steps.send(result) if error is None else inner.steps.throw(error)
                        result = error = None
                    except StopIteration as end:
                        result, error = end.value, None
                        waiting.pop()
                    except BaseException as raised:
                        waiting.pop()
                        if not waiting:
                            raise
                        error = raised
                    else:
                        first, length = inner.first, inner.last - inner.first
                        if not isinstance(found, _Portion):
                            share = first + found * length
                            break
                        waiting.append(_Portion(found.steps, first + found.first * length, first + found.last * length))
            if not waiting:
                came: Result = result
                return came
            result = yield share  # the innermost steps may run others, which are to know
    finally:
        error = None  # which knows this frame
        for inner in reversed(waiting):
            inner.steps.close()


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Let Python search for cycles a hundred times as seldom: among the tracks and curves of thousands of bones that
    takes a quarter of the time, and finds nothing."""
    usual = gc.get_threshold()
    gc.set_threshold(_SELDOM, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class _Portion(NamedTuple):
    """Steps that are a share of longer work, from `first` to `last`."""

    steps: Steps[Any]
    first: float
    last: float


def portion(steps: Steps[Result], first: float = 0.0, last: float = 1.0) -> Steps[Result]:
    """Do steps as a part of longer work, of which they are the share from `first` to `last`."""
    result: Result = yield _Portion(steps, first, last)
    return result


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
