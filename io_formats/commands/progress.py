"""How far a run over files is, as a line that a terminal shows while it lasts."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..files import whole_file
from ..files.steps import told_of
from . import messages
from .console import show_progress

if TYPE_CHECKING:
    from ..files.steps import Result, Steps

_PAUSE = 0.1
"""Seconds between two lines, which nobody could read faster."""


class Pause:
    """Says, at most ten times a second, that it is time to tell something."""

    def __init__(self) -> None:
        self._next = 0.0

    def is_over(self) -> bool:
        """Return whether it is time, and begin the next pause if it is."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _PAUSE
        return True


class Progress:
    """Counts the bytes of the files of a run, and of the file at hand the share that is done."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._costs = {file: whole_file.cost_of(file) for file in files}
        self._total = max(sum(self._costs.values()), 1)
        self._shares: dict[Path, float] = {}
        self._finished = 0
        self._done = 0.0
        self._pause = Pause()

    @property
    def percent(self) -> int:
        """How much is done, in bytes of all files."""
        at_hand = sum(self._costs[file] * share for file, share in self._shares.items())
        return int(100 * min((self._done + at_hand) / self._total, 1.0))

    def tell(self, file: Path, share: float) -> None:
        """Show how much of a file is done."""
        self._shares[file] = share
        self._show(file, self.percent)

    def tell_of_all(self, file: Path, share: float) -> None:
        """Show how much of all files is done, and which is at hand."""
        self._show(file, int(100 * share))

    def _show(self, file: Path, percent: int) -> None:
        if not self._pause.is_over():
            return
        several = messages.CLI_PROGRESS_OF_FILES if len(self._costs) > 1 else messages.CLI_PROGRESS
        show_progress(several.format(percent=percent, done=self._finished, total=len(self._costs), name=file.name))

    def finish(self, file: Path) -> None:
        """Count a file as done, and show nothing until the next begins."""
        self._shares.pop(file, None)
        self._done += self._costs[file]
        self._finished += 1
        show_progress("")

    def watched(self, file: Path, steps: Steps[Result]) -> Result:
        """Do all steps of one file, telling of each, and return what came of them."""
        self.tell(file, 0.0)
        try:
            return told_of(steps, partial(self.tell, file))
        finally:
            self.finish(file)
