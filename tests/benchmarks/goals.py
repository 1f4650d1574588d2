"""What the measured numbers are compared with: each goal once, its values worked out of one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

MIB = 1 << 20
FILES = {"W3D raw": ".w3d", "AnimX": ".animx", "MRTK 1.0": "_10.bin", "MRTK 1.1": "_11.bin"}
RECORDINGS = ("MRTK 1.0", "MRTK 1.1")


class Measured(Protocol):
    """What a case gave: its shortest run in seconds, the keys it moved, the highest memory in bytes."""

    @property
    def best(self) -> float:
        """Seconds."""

    keys: int
    peak: int
    error: str


Results = Mapping[tuple[str, int], Measured]
Values = dict[str, float]


@dataclass(frozen=True)
class Goal:
    """One line of the table.

    Attributes:
        text: what is asked.
        limit: the number that every value has to keep.
        at_least: values must not be below the limit, else not above.
        values: for one number of frames, by what was measured; those without a measurement are missing.
    """

    text: str
    limit: float
    at_least: bool
    values: Callable[[Book, int], Values]

    def holds(self, value: float) -> bool:
        """Whether a value keeps the limit."""
        return value >= self.limit if self.at_least else value <= self.limit


class Book:
    """The results of one run, with the questions that goals ask."""

    def __init__(self, results: Results, folder: Path) -> None:
        self.results = results
        self._folder = folder

    def known(self, *cases: tuple[str, int]) -> bool:
        """Whether all these were measured."""
        return all(case in self.results and not self.results[case].error for case in cases)

    def seconds(self, case: str, frames: int) -> float:
        """The shortest run."""
        return self.results[case, frames].best

    def times(self, case: str, other: str, frames: int) -> float:
        """How many times as long one takes as the other."""
        return self.seconds(case, frames) / self.seconds(other, frames)

    def growth(self, case: str, least: int, frames: int) -> float:
        """How many times as long a case takes for `frames` as for `least`."""
        return self.seconds(case, frames) / self.seconds(case, least)

    def per_key(self, case: str, other: str, frames: int) -> float:
        """How many times as long the other takes for a key."""
        mine, theirs = self.results[case, frames], self.results[other, frames]
        return (theirs.best / theirs.keys) / (mine.best / mine.keys)

    def rate(self, case: str, frames: int) -> float:
        """Million bytes a second, for codecs, whose keys are bytes."""
        return self.results[case, frames].keys / self.seconds(case, frames) / 1e6

    def memory(self, name: str, frames: int) -> float:
        """Peak memory of an import as part of what the goal allows it."""
        opened = self.results["floor open .blend", frames].peak
        size = (self._folder / f"motion_{frames}{FILES[name]}").stat().st_size
        return self.results[f"import {name}", frames].peak / (1.15 * opened + 2 * size)


def import_to_floor(floors: Mapping[str, str]) -> Callable[[Book, int], Values]:
    """Imports as multiples of a floor each."""
    return lambda book, frames: {
        name: book.times(f"import {name}", f"floor {floor}", frames)
        for name, floor in floors.items()
        if book.known((f"import {name}", frames), (f"floor {floor}", frames))
    }


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
        return found if faster else {name: 1.0 / value for name, value in found.items()}

    return values


def codec_rate(book: Book, frames: int) -> Values:
    """Reading alone."""
    return {name: book.rate(f"codec {name}", frames) for name in FILES if book.known((f"codec {name}", frames))}


def growth(book: Book, frames: int) -> Values:
    """How much more an import grows than its floor does from the smallest number of frames to this one."""
    least = min(each for _, each in book.results)
    found = {}
    for name in FILES:
        floor = "floor MRTK handles" if name in RECORDINGS else "floor handles"
        cases = [(case, each) for case in (f"import {name}", floor) for each in (least, frames)]
        if frames > least and book.known(*cases):
            found[name] = book.growth(f"import {name}", least, frames) / book.growth(floor, least, frames)
    return found


def memory(book: Book, frames: int) -> Values:
    """Peak memory as part of what is allowed."""
    cases = {name: ((f"import {name}", frames), ("floor open .blend", frames)) for name in FILES}
    return {name: book.memory(name, frames) for name, needed in cases.items() if book.known(*needed)}


GOALS = [
    Goal("import as a multiple of the floor with handles", 1.0, False,
         import_to_floor({"W3D raw": "handles", "AnimX": "handles"})),
    Goal("import as a multiple of the floor that writes the very same properties", 1.8, False,
         import_to_floor({"W3D raw": "linear", "AnimX": "linear"})),
    Goal("import of tangents and weights as a multiple of its floor with handles", 1.5, False,
         import_to_floor({"MRTK 1.0": "MRTK handles"})),
    Goal("import of 1,000 W3D meshes as a multiple of `foreach_set` of the same arrays", 5.0, False,
         import_to_floor({"W3D models": "W3D models"})),
    Goal("import faster per key than USD's in C++", 1.0, True, import_per_key("import USD (C++)")),
    Goal("import faster per key than FBX's in C++", 1.0, True, import_per_key("import FBX (C++)")),
    Goal("import faster per key than glTF's", 5.0, True, import_per_key("import glTF")),
    Goal("import faster per key than BVH's", 15.0, True, import_per_key("import BVH")),
    Goal("export by keys faster than glTF's", 10.0, True, export_against("export glTF", faster=True)),
    Goal("export by keys as a multiple of `foreach_get`", 4.0, False,
         export_against("floor foreach_get", faster=False)),
    Goal("codec, million bytes a second", 500.0, True, codec_rate),
    Goal("import's growth with the frames, as a multiple of its floor's", 1.1, False, growth),
    Goal("peak memory as a part of 1.15 x opening a .blend + 2 x file", 1.0, False, memory),
]  # fmt: skip


def table(results: Sequence[tuple[str, int, Measured]], folder: Path) -> list[str]:
    """The goals as Markdown: every value, those that miss the limit in bold."""
    book = Book({(case, frames): measured for case, frames, measured in results}, folder)
    sizes = sorted({frames for _, frames, _ in results})
    lines = ["### Goals", "", "| goal | | " + " | ".join(f"{frames} frames" for frames in sizes) + " |"]
    lines.append("|---|---|" + "---|" * len(sizes))
    for goal in GOALS:
        bound = f"{'at least' if goal.at_least else 'at most'} {goal.limit:g}"
        cells = " | ".join(cell(goal, goal.values(book, size)) for size in sizes)
        lines.append(f"| {goal.text} | {bound} | {cells} |")
    return [*lines, ""]


def cell(goal: Goal, values: Values) -> str:
    """All values of one goal at one size."""
    return ", ".join(shown(goal, name, value) for name, value in values.items())


def shown(goal: Goal, name: str, value: float) -> str:
    """A name and its value."""
    number = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    return f"{name} {number}" if goal.holds(value) else f"**{name} {number}**"
