"""What the measured numbers are compared with: each goal once, its values worked out of one run.

A ratio is taken within each round, where its two sides were measured within minutes, and the middle one of all rounds
is judged; beside it stand the quarter and the three quarters. What else the machine did then hits both sides.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MIB = 1 << 20
FILES = {"W3D raw": ".w3d", "AnimX": ".animx", "MRTK 1.0": "_10.bin", "MRTK 1.1": "_11.bin"}


@dataclass
class Series:
    """What several runs of one case gave."""

    case: str
    frames: int
    seconds: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    keys: int = 0
    peak: int = 0
    error: str = ""

    @property
    def best(self) -> float:
        """The shortest run."""
        return min(self.seconds, default=float("nan"))

    @property
    def worked(self) -> float:
        """The processor's seconds in the middle run, of all threads."""
        return statistics.median(self.processor) if self.processor else float("nan")

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.seconds) if self.seconds else float("nan")

    def add(self, result: dict[str, Any]) -> None:
        """Take in one run."""
        if "error" in result:
            self.error = result["error"]
            return
        self.seconds.append(result["seconds"])
        self.first.append(result["first"])
        self.processor.append(result["processor"])
        self.keys = result["keys"]
        self.peak = max(self.peak, result["peak"])


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


def within_rounds(mine: Series, *theirs: Series) -> Spread:
    """How many times as long one takes as the others together, round by round."""
    rounds = zip(mine.seconds, *(other.seconds for other in theirs))
    return Spread.of([first / sum(rest) for first, *rest in rounds])


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

    def __init__(self, results: Sequence[Series], folder: Path) -> None:
        self.results = {(series.case, series.frames): series for series in results}
        self._folder = folder

    def known(self, *cases: tuple[str, int]) -> bool:
        """Whether all these were measured."""
        return all(case in self.results and not self.results[case].error for case in cases)

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


def to_floor(kind: str, floors: Mapping[str, str], of: str = "floor ") -> Callable[[Book, int], Values]:
    """Imports or exports as multiples of a floor each, or of the sum of several, written with a +."""

    def values(book: Book, frames: int) -> Values:
        found = {}
        for name, floor in floors.items():
            case, others = f"{kind} {name}".strip(), [of + part for part in floor.split(" + ")]
            if book.known(*((each, frames) for each in (case, *others))):
                found[name] = within_rounds(*(book.results[each, frames] for each in (case, *others)))
        return found

    return values


def per_key(kind: str, other: str, *, faster: bool = True) -> Callable[[Book, int], Values]:
    """Imports or exports for each key: how many times faster than another case, or how many times as long as it."""

    def values(book: Book, frames: int) -> Values:
        names = [name for name in FILES if book.known((f"{kind} {name}", frames), (other, frames))]
        pairs = {name: (f"{kind} {name}", other) if faster else (other, f"{kind} {name}") for name in names}
        return {name: book.per_key(*pair, frames) for name, pair in pairs.items()}

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
         to_floor("", {"frame_set imported": "frame_set plain"}, "")),
    Goal("import of 1,000 W3D meshes beside `foreach_set` of the arrays", {ALWAYS: 5.0}, False,
         to_floor("import", {"W3D models": "W3D models"})),
    Goal("import faster per key than USD's in C++", {ALWAYS: 1.0}, True, per_key("import", "import USD (C++)")),
    Goal("import faster per key than FBX's in C++", {ALWAYS: 1.0}, True, per_key("import", "import FBX (C++)")),
    Goal("import faster per key than glTF's", {ALWAYS: 5.0}, True, per_key("import", "import glTF")),
    Goal("import faster per key than BVH's", {ALWAYS: 15.0}, True, per_key("import", "import BVH")),
    Goal("export by keys faster than glTF's", {ALWAYS: 10.0}, True, per_key("export", "export glTF")),
    Goal("export by keys beside `foreach_get`", {ALWAYS: 4.0}, False,
         per_key("export", "floor foreach_get", faster=False)),
    Goal("codec, million bytes a second", {ALWAYS: 500.0}, True, codec_rate),
    Goal("peak memory beside 1.15 x opening a .blend + 2 x file", {ALWAYS: 1.0}, False, memory),
]  # fmt: skip


def table(results: Sequence[Series], folder: Path) -> list[str]:
    """The goals as Markdown: every value, those that miss the limit in bold."""
    book = Book(results, folder)
    sizes = sorted({series.frames for series in results})
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
