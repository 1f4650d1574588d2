"""Damaged files through the codecs, without Blender: `make fuzz`.

    python tests/fuzz/fuzz_codecs.py --runs 20000 --seed 0 [--format mrtk]

Each file is judged twice: within limits that are measured by its size (`judge.py`), and as a person meets it, verified
and converted at the default limits (`at_defaults.py`). A process has 2 GiB of address space.
One file in a hundred is not damaged but has very many parts, and each kind of these comes at least once.
Each find is written to build/fuzz, cut down as far as it goes, with the command that repeats it; exit code 1 then.
Move a find to tests/data/broken/<format>/ under a name that says what is wrong with it, and mend the reader.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(SOURCE), str(SOURCE / "tests" / "fuzz"), str(SOURCE / "tests" / "support")]

from at_defaults import confine, judge_at_defaults  # noqa: E402  needs the path
from judge import Verdict, judge  # noqa: E402
from mutations import MIB, damaged, load_samples  # noqa: E402
from structures import STRUCTURES, structured  # noqa: E402

DATA = SOURCE / "tests" / "data"
FORMATS = ("mrtk", "w3d", "w3x", "animx")
BATCH = 500
# Half of what the limits are measured by: a machine that is busy with other things should not find what is not there.
STRUCTURE_SIZE = MIB // 2
MINIMISING_SECONDS = 20.0


Judge = Callable[[bytes], Verdict]


@dataclass
class Find:
    """A damaged file that one of the codecs does not take as it should.

    Attributes:
        judge: gives the verdict on other bytes in this file's place.
    """

    format: str
    number: int
    sample: str
    data: bytes
    detail: str
    judge: Judge


@dataclass
class Tally:
    """What became of many files: within limits by their size, and at the default limits."""

    outcomes: Counter[str] = field(default_factory=Counter)
    at_defaults: Counter[str] = field(default_factory=Counter)
    finds: list[Find] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take in another tally."""
        self.outcomes += other.outcomes
        self.at_defaults += other.at_defaults
        self.finds += other.finds


Task = Callable[[str, int, int, int], Tally]


def try_one(name: str, data: bytes) -> Verdict:
    """The verdict on these bytes, as a file of that format."""
    package = importlib.import_module(f"io_formats.{name}")
    refusal = importlib.import_module("io_formats.errors").FormatError
    return judge(package, data, refusal)


@cache
def load(name: str) -> None:
    """Let this process load what it loads with the first file of a format: that is no damaged file's time or memory."""
    try_one(name, load_samples(DATA / name)[0][1])


def try_batch(name: str, seed: int, first: int, count: int) -> Tally:
    """Judge the damaged files of these numbers."""
    samples = load_samples(DATA / name)
    return _try_all(name, range(first, first + count), lambda number: damaged(samples, seed, number))


def try_structures(name: str, seed: int, first: int, count: int) -> Tally:
    """Judge the files of many parts of these numbers."""
    return _try_all(name, range(first, first + count), lambda number: structured(name, seed, number, STRUCTURE_SIZE))


def _try_all(name: str, numbers: Iterable[int], make: Callable[[int], tuple[str, bytes]]) -> Tally:
    warnings.simplefilter("ignore", RuntimeWarning)
    load(name)
    tally = Tally()
    for number in numbers:
        sample, data = make(number)
        judges: tuple[Judge, Judge] = partial(try_one, name), partial(judge_at_defaults, name, sample, number)
        for outcomes, judged in zip((tally.outcomes, tally.at_defaults), judges, strict=True):
            verdict = judged(data)
            outcomes[verdict.outcome] += 1
            if verdict.outcome == "find":
                tally.finds.append(Find(name, number, sample, data, verdict.detail, judged))
    return tally


def fuzz(name: str, seed: int, runs: int, workers: int) -> Tally:
    """Judge `runs` files in several processes; a process that dies is a find."""
    tally = Tally()
    of_many_parts = min(max(runs // 100, len(STRUCTURES[name])), runs)
    batches = [*_batches(try_structures, of_many_parts, 1), *_batches(try_batch, runs - of_many_parts, BATCH)]
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), confine) as pool:
        waiting = [(first, count, pool.submit(task, name, seed, first, count)) for task, first, count in batches]
        for first, count, result in waiting:
            try:
                tally.add(result.result())
            except BrokenProcessPool:
                detail = f"a process died between {first} and {first + count - 1}"
                tally.outcomes["find"] += 1
                tally.finds.append(Find(name, first, "", b"", detail, partial(try_one, name)))
                return tally
    return tally


def _batches(task: Task, runs: int, size: int) -> list[tuple[Task, int, int]]:
    """A task's numbers in pieces: the task, the first number, how many."""
    return [(task, first, min(size, runs - first)) for first in range(0, runs, size)]


def minimise(find: Find) -> bytes:
    """The smallest file found that fails the same way, by leaving out ever smaller runs of bytes."""
    data, wanted = find.data, _kind(find.detail)
    end = time.monotonic() + MINIMISING_SECONDS
    size = len(data) // 2
    while size >= 1 and time.monotonic() < end:
        place = 0
        while place < len(data) and time.monotonic() < end:
            shorter = data[:place] + data[place + size :]
            verdict = find.judge(shorter)
            if verdict.outcome == "find" and _kind(verdict.detail) == wanted:
                data = shorter
            else:
                place += size
        size //= 2
    return data


def _kind(detail: str) -> tuple[str, str]:
    """What makes two finds the same: the exception and the place."""
    return detail.split(":")[0].split(" for ")[0], detail.rpartition(" at ")[2]


def keep(find: Find, seed: int, folder: Path) -> Path:
    """Write a find where a person can pick it up."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{find.format}_{seed}_{find.number}{Path(find.sample).suffix}"
    path.write_bytes(minimise(find))
    return path


def distinct(finds: Sequence[Find]) -> list[tuple[Find, int]]:
    """One find of each kind, the smallest, with how many there were."""
    kinds: dict[tuple[str, str], list[Find]] = {}
    for find in finds:
        kinds.setdefault(_kind(find.detail), []).append(find)
    return [(min(equal, key=lambda find: len(find.data)), len(equal)) for equal in kinds.values()]


def report(name: str, seed: int, tally: Tally, seconds: float, folder: Path) -> None:
    """Say what was found, and keep it."""
    counts = tally.outcomes
    sys.stdout.write(
        f"{name}: {counts.total()} files in {seconds:.0f} s: {counts['refused']} refused, "
        f"{counts['document']} read and written the same, {counts['find']} finds; "
        f"at the default limits {tally.at_defaults['refused']} refused, {tally.at_defaults['document']} converted, "
        f"{tally.at_defaults['find']} finds\n"
    )
    for find, number in distinct(tally.finds):
        path = keep(find, seed, folder)
        sys.stdout.write(f"  {number}x {find.detail}\n     {path} (number {find.number}, from {find.sample})\n")
    sys.stdout.flush()


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20_000, help="files of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=FORMATS, help="only this one")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--output", type=Path, default=SOURCE / "build" / "fuzz")
    return parser.parse_args(arguments)


def main() -> int:
    """Fuzz the formats that the command line names; 1 if anything was found."""
    options = parse()
    found = 0
    for name in [options.format] if options.format else FORMATS:
        started = time.monotonic()
        tally = fuzz(name, options.seed, options.runs, options.workers)
        report(name, options.seed, tally, time.monotonic() - started, options.output)
        found += len(tally.finds)
        if tally.outcomes.total() < options.runs:
            found += 1
    sys.stdout.write(f"fuzz: {'found something' if found else 'nothing found'}, seed {options.seed}\n")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
