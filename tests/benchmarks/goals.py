"""What the measured numbers are compared with: each goal once, its values worked out of one run.

A ratio is taken within each round, where its two sides were measured within minutes, and the middle one of all rounds
is judged; beside it stand the quarter and the three quarters. What else the machine did then hits both sides.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

MIB = 1 << 20
FILES = {"W3D raw": ".w3d", "AnimX": ".animx", "MRTK 1.0": "_10.bin", "MRTK 1.1": "_11.bin"}


class Measured(Protocol):
    """What a case gave: seconds in each round, the keys it moved, the highest memory in bytes."""

    seconds: list[float]
    keys: int
    peak: int
    error: str


@dataclass(frozen=True)
class Spread:
    """The middle of several numbers, and what a quarter and three quarters of them lie below."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        """The spread of at least one number."""
        if len(numbers) < 2:
            return cls(numbers[0], numbers[0], numbers[0])
        low, middle, high = statistics.quantiles(numbers, n=4, method="inclusive")
        return cls(middle, low, high)

    def __truediv__(self, factor: float) -> Spread:
        return Spread(self.middle / factor, self.low / factor, self.high / factor)

    def inverse(self) -> Spread:
        """The spread of one divided by each."""
        return Spread(1 / self.middle, 1 / self.high, 1 / self.low)


def within_rounds(mine: Measured, *theirs: Measured) -> Spread:
    """How many times as long one takes as the others together, round by round."""
    rounds = zip(mine.seconds, *(other.seconds for other in theirs))
    return Spread.of([first / sum(rest) for first, *rest in rounds])


Results = Mapping[tuple[str, int], Measured]
Values = dict[str, Spread]


@dataclass(frozen=True)
class Goal:
    """One line of the table.

    Attributes:
        text: what is asked.
        limits: the number that every value has to keep, by the smallest number of frames from which it holds.
        at_least: values must not be below the limit, else not above.
        values: for one number of frames, by what was measured; those without a measurement are missing.
    """

    text: str
    limits: Mapping[int, float]
    at_least: bool
    values: Callable[[Book, int], Values]

    def limit(self, frames: int) -> float:
        """What holds for so many frames."""
        return self.limits[max((size for size in self.limits if size <= frames), default=min(self.limits))]

    def holds(self, value: float, frames: int) -> bool:
        """Whether a value keeps the limit."""
        return value >= self.limit(frames) if self.at_least else value <= self.limit(frames)

    def bound(self) -> str:
        """The limits in words."""
        return ("at least " if self.at_least else "at most ") + " / ".join(
            f"{limit:g}" for limit in self.limits.values()
        )


class Book:
    """The results of one run, with the questions that goals ask."""

    def __init__(self, results: Results, folder: Path) -> None:
        self.results = results
        self._folder = folder

    def known(self, *cases: tuple[str, int]) -> bool:
        """Whether all these were measured."""
        return all(case in self.results and not self.results[case].error for case in cases)

    def times(self, case: str, others: Sequence[str], frames: int) -> Spread:
        """How many times as long one takes as the others together."""
        return within_rounds(self.results[case, frames], *(self.results[other, frames] for other in others))

    def per_key(self, case: str, other: str, frames: int) -> Spread:
        """How many times as long the other takes for a key."""
        mine, theirs = self.results[case, frames], self.results[other, frames]
        return within_rounds(theirs, mine) / (theirs.keys / mine.keys)

    def rate(self, case: str, frames: int) -> Spread:
        """Million bytes a second, for codecs, whose keys are bytes."""
        found = self.results[case, frames]
        return Spread.of([found.keys / seconds / 1e6 for seconds in found.seconds])

    def memory(self, name: str, frames: int) -> Spread:
        """Peak memory of an import as part of what the goal allows it."""
        opened = self.results["floor open .blend", frames].peak
        size = (self._folder / f"motion_{frames}{FILES[name]}").stat().st_size
        return Spread.of([self.results[f"import {name}", frames].peak / (1.15 * opened + 2 * size)])


def to_floor(kind: str, floors: Mapping[str, str]) -> Callable[[Book, int], Values]:
    """Imports or exports as multiples of a floor each, or of the sum of several, written with a +."""

    def values(book: Book, frames: int) -> Values:
        found = {}
        for name, floor in floors.items():
            case, others = f"{kind} {name}".strip(), [f"floor {part}" for part in floor.split(" + ")]
            if book.known(*((each, frames) for each in (case, *others))):
                found[name] = book.times(case, others, frames)
        return found

    return values


def against(case: str, other: str) -> Callable[[Book, int], Values]:
    """One case as a multiple of another."""
    return lambda book, frames: (
        {case: book.times(case, [other], frames)} if book.known((case, frames), (other, frames)) else {}
    )


def import_per_key(other: str) -> Callable[[Book, int], Values]:
    """How many times longer another importer takes for a key than ours."""
    return lambda book, frames: {
        name: book.per_key(f"import {name}", other, frames)
        for name in FILES
        if book.known((f"import {name}", frames), (other, frames))
    }


def export_against(other: str, *, faster: bool) -> Callable[[Book, int], Values]:
    """Exports for each key: how many times faster than another case, or how many times as long as it."""

    def values(book: Book, frames: int) -> Values:
        names = [name for name in FILES if book.known((f"export {name}", frames), (other, frames))]
        found = {name: book.per_key(f"export {name}", other, frames) for name in names}
        return found if faster else {name: value.inverse() for name, value in found.items()}

    return values


def codec_rate(book: Book, frames: int) -> Values:
    """Reading alone."""
    return {name: book.rate(f"codec {name}", frames) for name in FILES if book.known((f"codec {name}", frames))}


def memory(book: Book, frames: int) -> Values:
    """Peak memory as part of what is allowed."""
    cases = {name: ((f"import {name}", frames), ("floor open .blend", frames)) for name in FILES}
    return {name: book.memory(name, frames) for name, needed in cases.items() if book.known(*needed)}


SMALL, LARGE = 1000, 5000
ALWAYS = 0
SAME = "import beside `x same`"
GOALS = [
    Goal(f"{SAME}, W3D", {SMALL: 1.3, LARGE: 1.15}, False, to_floor("import", {"W3D raw": "linear"})),
    Goal(f"{SAME}, AnimX", {SMALL: 1.4, LARGE: 1.2}, False, to_floor("import", {"AnimX": "linear"})),
    Goal(f"{SAME}, MRTK 1.1", {SMALL: 1.45, LARGE: 1.2}, False, to_floor("import", {"MRTK 1.1": "MRTK linear"})),
    Goal(f"{SAME}, MRTK 1.0 with its handles", {SMALL: 1.5, LARGE: 1.3}, False,
         to_floor("import", {"MRTK 1.0": "MRTK handles"})),
    Goal("import of AnimJ beside `json.loads` and the floor", {ALWAYS: 1.4}, False,
         to_floor("import", {"AnimJ": "json.loads + linear"})),
    Goal("export of AnimJ beside `json.dumps` and `foreach_get`", {ALWAYS: 2.0}, False,
         to_floor("export", {"AnimJ": "json.dumps + foreach_get"})),
    Goal("untouched export beside `foreach_get`", {ALWAYS: 1.5}, False,
         to_floor("export untouched", dict.fromkeys(("W3D raw", "AnimX", "MRTK 1.0"), "foreach_get"))),
    Goal("playing the imported armature beside a plain one", {ALWAYS: 1.05}, False,
         against("frame_set imported", "frame_set plain")),
    Goal("import of 1,000 W3D meshes beside `foreach_set` of the arrays", {ALWAYS: 5.0}, False,
         to_floor("import", {"W3D models": "W3D models"})),
    Goal("import faster per key than USD's in C++", {ALWAYS: 1.0}, True, import_per_key("import USD (C++)")),
    Goal("import faster per key than FBX's in C++", {ALWAYS: 1.0}, True, import_per_key("import FBX (C++)")),
    Goal("import faster per key than glTF's", {ALWAYS: 5.0}, True, import_per_key("import glTF")),
    Goal("import faster per key than BVH's", {ALWAYS: 15.0}, True, import_per_key("import BVH")),
    Goal("export by keys faster than glTF's", {ALWAYS: 10.0}, True, export_against("export glTF", faster=True)),
    Goal("export by keys beside `foreach_get`", {ALWAYS: 4.0}, False,
         export_against("floor foreach_get", faster=False)),
    Goal("codec, million bytes a second", {ALWAYS: 500.0}, True, codec_rate),
    Goal("peak memory beside 1.15 x opening a .blend + 2 x file", {ALWAYS: 1.0}, False, memory),
]  # fmt: skip


def table(results: Sequence[tuple[str, int, Measured]], folder: Path) -> list[str]:
    """The goals as Markdown: every value, those that miss the limit in bold."""
    book = Book({(case, frames): measured for case, frames, measured in results}, folder)
    sizes = sorted({frames for _, frames, _ in results})
    lines = ["### Goals", "", "| goal | | " + " | ".join(f"{frames} frames" for frames in sizes) + " |"]
    lines.append("|---|---|" + "---|" * len(sizes))
    for goal in GOALS:
        cells = " | ".join(cell(goal, goal.values(book, size), size) for size in sizes)
        lines.append(f"| {goal.text} | {goal.bound()} | {cells} |")
    return [*lines, ""]


def cell(goal: Goal, values: Values, frames: int) -> str:
    """All values of one goal at one size."""
    return ", ".join(shown(goal, name, value, frames) for name, value in values.items())


def shown(goal: Goal, name: str, value: Spread, frames: int) -> str:
    """A name and its value, with the spread where there is one."""
    middle, low, high = (
        f"{each:,.0f}" if each >= 100 else f"{each:.2f}" for each in (value.middle, value.low, value.high)
    )
    number = middle if low == high else f"{middle} ({low}-{high})"
    return f"{name} {number}" if goal.holds(value.middle, frames) else f"**{name} {number}**"
