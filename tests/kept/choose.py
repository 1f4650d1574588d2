"""Chooses the cases that are kept: those that together reach most lines and jumps of our code in the time they have.

    PYTHON tests/kept/choose.py sessions --count 600 --seconds 100 --other OTHER_PYTHON

PYTHON is 3.13, which tells lines and jumps. The other one, another Blender's where a kind needs one, runs the cases in
the opposite order: who says something else there depends on what was before, or on the version, and is left out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
FOLDERS = ("..", ".", "kept", "mutants", "acceptance", "fuzz", "support")
sys.path[:0] = [str((TESTS / name).resolve()) for name in FOLDERS]

from alone import run_here  # noqa: E402  needs the path
from outcome import is_as_kept, keep, line_of  # noqa: E402
from watch import ROOMS  # noqa: E402

KINDS = {"calls": "call", "clips": "clip", "sessions": "session", "recipes": "recipe"}
"""What makes a case of its number in a folder, by the module, whose name the table has."""

PATIENCE = 6
"""Seconds after which a candidate is given up."""

TOOL = 3
GAIN = np.array([1.0, 0.2, 0.1, 0.0])
"""What one case more that reaches a line or jump is worth, after none, one, two and three others."""


class Reached:
    """Hears which lines and jumps of ours are reached, each by the number that it got when it was heard first."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[Any, ...], int] = {}
        self.now: set[int] = set()
        self._is_ours: dict[str, bool] = {}
        self._ways: dict[tuple[CodeType, int], int] = {}
        events = sys.monitoring.events
        sys.monitoring.use_tool_id(TOOL, "choose")
        sys.monitoring.register_callback(TOOL, events.LINE, self._hear)
        sys.monitoring.register_callback(TOOL, events.BRANCH, self._hear)
        sys.monitoring.set_events(TOOL, events.LINE | events.BRANCH)

    def begin(self) -> None:
        """Hear all anew, for another case."""
        self.now.clear()
        self._ways.clear()
        sys.monitoring.restart_events()

    def _hear(self, code: CodeType, *place: int) -> object:
        file = code.co_filename
        if file not in self._is_ours:
            real = Path(os.path.realpath(file))
            ours = real.is_relative_to(TESTS.parent)
            self._is_ours[file] = ours and real.relative_to(TESTS.parent).as_posix().startswith(ROOMS)
        if not self._is_ours[file]:
            return sys.monitoring.DISABLE
        self.now.add(self.numbers.setdefault((code, *place), len(self.numbers)))
        line_or_both_ways = len(place) == 1 or self._ways.setdefault((code, place[0]), place[1]) != place[1]
        return sys.monitoring.DISABLE if line_or_both_ways else None


def told(kind: str, numbers: list[int], reached: Reached | None = None) -> Iterator[tuple[int, str, float, list[int]]]:
    """Run cases; yield each with what it tells, its seconds and what it reached."""
    make = getattr(importlib.import_module(kind), KINDS[kind])
    for number in numbers:
        if reached is not None:
            reached.begin()
        begun = time.process_time()
        signal.alarm(PATIENCE)
        with tempfile.TemporaryDirectory(prefix="kept") as folder, np.errstate(all="ignore"):
            try:
                text = make(number, Path(folder))
            except (ArithmeticError, LookupError, TimeoutError, TypeError, ValueError):  # what nobody asks for
                continue
            finally:
                signal.alarm(0)
        yield number, text, time.process_time() - begun, sorted(reached.now) if reached is not None else []


def give_up(*_: object) -> None:
    """End what takes too long."""
    raise TimeoutError


def chosen(reached: dict[int, list[int]], seconds: dict[int, float], most: float) -> list[int]:
    """The cases that are worth most for their time, one after the other, until the time is used."""
    numbers, wide = list(reached), 1 + max(map(max, reached.values()))
    table = np.zeros((len(numbers), wide), np.float32)
    for row, number in zip(table, numbers, strict=True):
        row[reached[number]] = 1
    costs = np.array([0.02 + seconds[number] for number in numbers])
    hits, found, spent = np.zeros(wide, int), list[int](), 0.0
    while spent < most:
        worth = table @ GAIN[np.minimum(hits, 3)] / costs
        best = int(worth.argmax())
        if worth[best] <= 0:
            break
        found.append(numbers[best])
        hits += table[best] > 0
        spent += costs[best]
        table[best] = 0
    return sorted(found)


def main(options: argparse.Namespace) -> int:
    """Write the table of a kind; or, for the other Python, what it makes of all."""
    numbers = list(range(options.count))
    signal.signal(signal.SIGALRM, give_up)
    if options.told:
        lines = {number: (line_of(text), took) for number, text, took, _ in told(options.kind, numbers[::-1])}
        options.told.write_text(json.dumps(lines), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "told.json"
        command = [options.other, __file__, *sys.argv[1:], "--told", str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        others = {int(number): each for number, each in json.loads(file.read_text(encoding="utf-8")).items()}
    watched = told(options.kind, numbers, Reached())
    reached = {
        number: found for number, text, _, found in watched if number in others and is_as_kept(text, others[number][0])
    }
    best = chosen(reached, {number: took for number, (_, took) in others.items()}, options.seconds)
    keep(options.kind, {str(number): others[number][0] for number in best})
    sys.stdout.write(f"{options.kind}: {len(best)} of {len(reached)} that are the same twice\n")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--count", type=int, default=600, help="candidates")
    parser.add_argument("--seconds", type=float, default=100.0, help="of the processor for all that are kept")
    parser.add_argument("--other", required=True, help="another Python")
    parser.add_argument("--told", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    run_here(lambda: main(given)) if given.kind in ("sessions", "recipes") else sys.exit(main(given))
