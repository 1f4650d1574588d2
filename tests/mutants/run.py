"""Small defects put into the code one at a time, and whether a test notices: `make mutants`.

    python tests/mutants/run.py --count 300 --seed 0 --minutes 60 --blender PYTHON

Works in copies of the tree, never in the tree itself. The tests that call the function concerned run first, the quick
ones without Blender before the others. What is known is kept in build/mutants and not run again; the order of the
mutants is that of the seed, so that a run that was stopped is the beginning of the whole one.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue
from threading import Lock
from typing import Any

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

from mutate import Mutant, applied, function_at, mutants  # noqa: E402  needs the path

ROOMS = ("io_formats/mrtk", "io_formats/w3d", "io_formats/animx", "io_formats/clip", "scene")
PLAIN_TESTS = ("tests/formats", "tests/fuzz/test_fuzz.py")
BLENDER_TESTS = ("tests/scene", "tests/operators", "tests/acceptance")
OUTPUT = SOURCE / "build" / "mutants"
STAGES = (("plain", 12.0), ("plain", 60.0), ("blender", 40.0), ("blender", 150.0))
"""Where tests run, and about how many seconds of them, the likeliest first."""

SLOWEST = 6.0
"""How many times as long as usual tests may take until they count as hanging."""


@dataclass(frozen=True)
class Task:
    """A mutant and its module."""

    file: str
    mutant: Mutant

    @property
    def key(self) -> str:
        """What it is known by as long as the module is the same."""
        source = (SOURCE / self.file).read_text(encoding="utf-8")
        return hashlib.sha256(f"{self.file}{self.mutant}{source}".encode()).hexdigest()[:16]

    def diff(self) -> str:
        """The lines that change."""
        source = (SOURCE / self.file).read_text(encoding="utf-8")
        pair = source.splitlines(), applied(source, self.mutant).splitlines()
        return "\n".join(list(difflib.unified_diff(*pair, lineterm="", n=0))[2:])


class Watched:
    """Which tests call which functions, and how long each takes."""

    def __init__(self, path: Path) -> None:
        self.tests: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def of(self, file: str, function: str) -> list[str]:
        """The tests that call a function; where none is known, as outside of functions, anything in its file or folder.

        One of each test function before a second one with other parameters; among them the quickest first.
        """
        steps = (f"{file}:{function}", f"{file}:", f"{file.rpartition('/')[0]}/")
        found = next(filter(None, map(self._calling, steps)), [])
        found.sort(key=lambda name: self.tests[name]["seconds"])
        turns: Counter[str] = Counter()
        ranked = []
        for name in found:
            turns[name.partition("[")[0]] += 1
            ranked.append((turns[name.partition("[")[0]], name))
        return [name for _, name in sorted(ranked, key=lambda pair: pair[0])]

    def _calling(self, wanted: str) -> list[str]:
        return [name for name, seen in self.tests.items() if any(_is(call, wanted) for call in seen["calls"])]

    def within(self, names: Sequence[str], seconds: float) -> list[str]:
        """As many of the first tests as take so long together, at least one."""
        chosen, left = [], seconds
        for name in names:
            left -= self.tests[name]["seconds"] + 0.02
            if chosen and left < 0:
                break
            chosen.append(name)
        return chosen


def _is(call: str, wanted: str) -> bool:
    return call.startswith(wanted) if wanted.endswith((":", "/")) else call == wanted


def drawn(count: int, seed: int) -> list[Task]:
    """So many mutants of all there are, in the order of the seed."""
    files = sorted(path for room in ROOMS for path in (SOURCE / room).rglob("*.py"))
    tasks = [
        Task(path.relative_to(SOURCE).as_posix(), mutant)
        for path in files
        for mutant in mutants(path.read_text(encoding="utf-8"))
    ]
    random.Random(seed).shuffle(tasks)
    return tasks[:count]


class Bench:
    """Copies of the tree in which mutants are tried."""

    def __init__(self, pythons: dict[str, str], watched: dict[str, Watched], workers: int) -> None:
        self.pythons = pythons
        self.watched = watched
        self.folder = Path(tempfile.mkdtemp(prefix="anim_curves_mutants_"))
        self.trees: Queue[Path] = Queue()
        for number in range(workers):
            self.trees.put(copy_tree(self.folder / str(number)))

    def try_one(self, task: Task) -> dict[str, Any]:
        """What became of a mutant: "killed", "hangs" (which is noticed, too), "survived" or "untested"."""
        started, tree = time.monotonic(), self.trees.get()
        try:
            outcome, by = self._outcome(task, tree)
        finally:
            self.trees.put(tree)
        return {
            "key": task.key, "file": task.file, **asdict(task.mutant), "outcome": outcome, "by": by,
            "seconds": round(time.monotonic() - started, 1), "diff": task.diff(),
        }  # fmt: skip

    def _outcome(self, task: Task, tree: Path) -> tuple[str, str]:
        path = tree / task.file
        source = path.read_text(encoding="utf-8")
        function = function_at(source, task.mutant.line)
        waiting = {kind: watched.of(task.file, function) for kind, watched in self.watched.items()}
        if not any(waiting.values()):
            return "untested", ""
        path.write_text(applied(source, task.mutant), encoding="utf-8")
        try:
            for kind, seconds in STAGES:
                chosen = self.watched[kind].within(waiting[kind], seconds) if waiting[kind] else []
                waiting[kind] = waiting[kind][len(chosen) :]
                outcome = self._run(kind, tree, chosen) if chosen else None
                if outcome is not None:
                    return outcome
        finally:
            path.write_text(source, encoding="utf-8")
        return "survived", ""

    def _run(self, kind: str, tree: Path, names: list[str]) -> tuple[str, str] | None:
        """What the tests say, None where they notice nothing."""
        usual = sum(self.watched[kind].tests[name]["seconds"] for name in names)
        command = [self.pythons[kind], "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *names]
        code, said = in_time(command, tree, 60.0 + SLOWEST * usual)
        if code is None:
            return "hangs", kind
        if code == 0:
            return None
        if "ERROR: not found" in said:
            raise RuntimeError(f"the tests have other names now; remove {OUTPUT}/touched_{kind}.json and begin again")
        failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return "killed", (failed[0] if failed else f"{kind}: exit code {code}")[:200]


def in_time(command: Sequence[str], folder: Path, seconds: float) -> tuple[int | None, str]:
    """Exit code and output of a command, None where it had to be ended, with all that it started."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", start_new_session=True,
    ) as process:  # fmt: skip
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
    return process.returncode, said


def copy_tree(target: Path) -> Path:
    """A copy of what the repository holds, with the same environments."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=SOURCE, capture_output=True, check=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (SOURCE / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, target / name)
    return target


def watch(kind: str, python: str, tests: Sequence[str], folder: Path) -> Watched:
    """Run the tests once, and write down what they call; what is there already is taken as it is."""
    path = OUTPUT / f"touched_{kind}.json"
    if not path.exists():
        tree = copy_tree(folder / kind)
        command = [
            python,
            "-B",
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "watch",
            "-m",
            "not slow",
            *tests,
        ]
        environment = {**os.environ, "PYTHONPATH": str(tree / "tests" / "mutants"), "ANIM_CURVES_WATCH": str(path)}
        subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, check=False)
        shutil.rmtree(tree)
    return Watched(path)


def known(path: Path) -> dict[str, dict[str, Any]]:
    """What earlier runs found out, by key."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {found["key"]: found for found in map(json.loads, lines)}


def tried(tasks: Sequence[Task], bench: Bench, workers: int, end: float) -> Iterator[dict[str, Any]]:
    """The outcome of each mutant, as it is known, until the time is over."""
    with ThreadPoolExecutor(workers) as pool:
        lock, waiting = Lock(), iter(tasks)

        def work() -> list[dict[str, Any]]:
            done: list[dict[str, Any]] = []
            while time.monotonic() < end:
                with lock:
                    task = next(waiting, None)
                if task is None:
                    break
                found = bench.try_one(task)
                with lock, (OUTPUT / "results.jsonl").open("a", encoding="utf-8") as file:
                    file.write(json.dumps(found) + "\n")
                done.append(found)
            return done

        for worker in [pool.submit(work) for _ in range(workers)]:
            yield from worker.result()


def report(tasks: Sequence[Task], outcomes: dict[str, dict[str, Any]]) -> None:
    """Say who survived, and how many were tried."""
    found = [outcomes[task.key] for task in tasks if task.key in outcomes]
    counts = Counter(one["outcome"] for one in found)
    for one in found:
        if one["outcome"] in ("survived", "untested"):
            sys.stdout.write(f"{one['outcome']}: {one['file']}:{one['line']} ({one['kind']})\n{one['diff']}\n\n")
    sys.stdout.write(
        f"mutants: {len(found)} of {len(tasks)} tried: {counts['killed']} killed, {counts['hangs']} hang, "
        f"{counts['survived']} survived, {counts['untested']} in functions that no test calls\n"
    )


def main() -> int:
    """Try mutants; 1 if one survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=24 * 60.0, help="no further mutant is begun after that")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--blender", required=True, help="Python with Blender as a module")
    parser.add_argument("--report", action="store_true", help="only tell what is known")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    OUTPUT.mkdir(parents=True, exist_ok=True)
    tasks, outcomes = drawn(options.count, options.seed), known(OUTPUT / "results.jsonl")
    if not options.report:
        pythons = {"plain": sys.executable, "blender": str(Path(options.blender).absolute())}
        with tempfile.TemporaryDirectory() as folder:
            tests = {"plain": PLAIN_TESTS, "blender": BLENDER_TESTS}
            watched = {kind: watch(kind, pythons[kind], tests[kind], Path(folder)) for kind in tests}
        bench = Bench(pythons, watched, options.workers)
        left = [task for task in tasks if task.key not in outcomes]
        outcomes |= {found["key"]: found for found in tried(left, bench, options.workers, end)}
        shutil.rmtree(bench.folder)
    report(tasks, outcomes)
    return int(any(outcomes[task.key]["outcome"] == "survived" for task in tasks if task.key in outcomes))


if __name__ == "__main__":
    sys.exit(main())
