"""Ctrl+C while many files are worked on: the first ends the run after the file at hand, the second at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from types import FrameType, TracebackType
from typing import TypeVar

ItemT = TypeVar("ItemT")


class Interruption:
    """Listens to Ctrl+C within its block; Blender's own listener, which only stops renders, comes back afterwards."""

    def __init__(self) -> None:
        self.asked = False
        self._before: signal.Handlers | Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Interruption:
        self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, _kind: type | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        # None stands for a listener that is not Python's, which Python cannot put back
        signal.signal(signal.SIGINT, signal.SIG_DFL if self._before is None else self._before)

    def _hear(self, _signal: int, _frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def before_each(self, items: Iterable[ItemT]) -> Iterator[ItemT]:
        """Yield the items, until an end was asked for."""
        for item in items:
            if self.asked:
                return
            yield item
