"""Small defects put into the code one at a time, and whether a test notices: `make mutants`.

    python tests/mutants/run.py --count 300 --seed 0 --minutes 60 --blender PYTHON

Works in a copy of the tree, never in the tree itself. All tests run once, to see which lines each runs (watch.py), or
are taken from `--lines`, such a file of before, but for those that are gone; then each defect meets the tests that run
its lines, the nearest and quickest first, in a process of its own (serve.py). A seed draws the same defects when other
code changes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import IO, Any

SOURCE = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from mutate import Mutant, applied, change, is_within_function, lines_of, mutants  # noqa: E402  needs the path
from watch import ROOMS  # noqa: E402

TESTS = ("formats", "fuzz/test_fuzz.py", "kept", "scene", "scenes", "operators", "acceptance")
OUTCOMES = ("killed", "hangs", "survived", "untested", "fails anyway")
OUTPUT = SOURCE / "build" / "mutants"
_SILENT: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def drawn(count: int, seed: int, since: str = "HEAD") -> list[tuple[str, Mutant]]:
    """So many mutants, each with its file: one of each room in turn, in an order that the seed gives each by itself.

    Two of three are in lines that changed since a commit.
    """
    files = sorted(path for room in ROOMS for path in (SOURCE / room).rglob("*.py") if path.name != "de.py")
    found = []
    for path in files:
        file, source = path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
        new = lines_since(since, file)
        for mutant in mutants(source):
            text = "\0".join([str(seed), file, *change(source, mutant), mutant.kind])
            found.append((hashlib.sha256(text.encode()).hexdigest(), file, mutant, mutant.line in new))
    turns, placed = Counter[tuple[str, bool]](), []
    for draw, file, mutant, is_new in sorted(found, key=lambda entry: entry[0]):
        placed.append((turns[room_of(file), is_new] * (1 if is_new else 2), draw, file, mutant))
        turns[room_of(file), is_new] += 1
    return [(file, mutant) for *_, file, mutant in sorted(placed, key=lambda entry: entry[:2])[:count]]


def lines_since(commit: str, file: str) -> set[int]:
    """The lines of a file that changed since a commit."""
    command = ["git", "diff", "-U0", commit, "--", file]
    text = subprocess.run(command, cwd=SOURCE, capture_output=True, check=True, text=True).stdout
    ranges = re.findall(r"^@@ \S+ \+(\d+)(?:,(\d+))?", text, re.MULTILINE)
    return {line for first, length in ranges for line in range(int(first), int(first) + int(length or 1))}


def copy_tree(target: Path) -> Path:
    """A copy of what the repository holds, new files too."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=SOURCE, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if (SOURCE / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, target / name)
    return target


class Bench:
    """A copy of the tree, which of its tests run which lines, and two processes that run tests in forks."""

    def __init__(self, python: str, tree: Path, lines: Path) -> None:
        self._tree, self._failed = tree, tree.parent / "failed"
        command = [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p"]
        folders = [f"tests/{name}" for name in TESTS]
        own = {
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(tree / HERE.relative_to(SOURCE)),
            "ANIM_CURVES_WATCH": str(lines),
            "ANIM_CURVES_FAILED": str(self._failed),
        }
        if not lines.exists():
            watching = [*command, "watch", "-m", "not slow", *folders]
            subprocess.run(watching, cwd=tree, env={**os.environ, **own}, **_SILENT)
        written = json.loads(lines.read_text(encoding="utf-8"))
        compiling = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        subprocess.run([python, "-m", "compileall", *ROOMS], cwd=tree, env=compiling, **_SILENT)
        collecting = [python, "-m", "pytest", "--collect-only", "-q", *folders]
        collected = subprocess.run(collecting, cwd=tree, env=compiling, capture_output=True, text=True)
        there = set(collected.stdout.splitlines())
        self._tests = [(name, seconds) for name, seconds in written["tests"]]
        gone = {number for number, (name, _) in enumerate(self._tests) if name not in there}
        self._lines = {
            file: {line: [test for test in tests if test not in gone] for line, tests in known.items()}
            for file, known in written["lines"].items()
        }
        if not any(chain.from_iterable(known.values()) for known in self._lines.values()):
            raise SystemExit("no test was seen to run a line")
        self._run_by = {file: Counter(chain.from_iterable(known.values())) for file, known in self._lines.items()}
        self._runs = sum(self._run_by.values(), Counter[int]())
        self._cold = self._server([*command, "serve", "-x", "tests"], own)
        self._warm = self._server([*command, "serve", "-x", *folders], own | {"ANIM_CURVES_WARM": "1"})
        # it answers when all is loaded: what changes before that would be loaded with its defect, for all that follow
        self._run(self._warm, tree / "__init__.py", self._tests[:1])

    def _server(self, command: list[str], own: dict[str, str]) -> tuple[IO[str], IO[str]]:
        """Where a process that runs tests takes jobs, and where it answers."""
        jobs, answers = os.pipe(), os.pipe()
        own = {**os.environ, **own, "ANIM_CURVES_JOBS": f"{jobs[0]} {answers[1]}"}
        subprocess.Popen(command, cwd=self._tree, env=own, pass_fds=(jobs[0], answers[1]), **_SILENT)
        os.close(jobs[0]), os.close(answers[1])
        return os.fdopen(jobs[1], "w"), os.fdopen(answers[0])

    def try_one(self, file: str, mutant: Mutant, most: float) -> str:
        """What became of a mutant, see OUTCOMES: "hangs" is noticed, "fails anyway" what fails without it, too."""
        path = self._tree / file
        source, time_of = path.read_text(encoding="utf-8"), path.stat().st_mtime
        known = self._lines.get(file, {})
        running = {test for line in lines_of(source, mutant.line) for test in known.get(str(line), ())}
        tests = self._nearest({file}, running)
        if len(running) < 2:
            # who else notices what runs while modules are imported, or in processes of their own, is not known
            room = {name for name in self._lines if room_of(name) == room_of(file)}
            tests += self._nearest(room, set().union(*(self._run_by[name] for name in room)))
        server = self._warm if is_within_function(source, mutant.line) else self._cold
        path.write_text(applied(source, mutant), encoding="utf-8")
        self._failed.unlink(missing_ok=True)
        try:
            code = self._run(server, path, few := _within(tests, 2.0))
            if code == 0:
                code = self._run(server, path, _within(tests[len(few) :], most))
        finally:
            path.write_text(source, encoding="utf-8")
            os.utime(path, (time_of, time_of))  # so that what is compiled of it holds again
        if code == 0:
            return "survived" if running else "untested"
        if code is None:
            return "hangs"
        # none fails by name where a module cannot be imported
        failed = [(self._failed.read_text(encoding="utf-8"), most)] if self._failed.exists() else few
        return "fails anyway" if self._run(server, path, failed) else "killed"

    def _nearest(self, near: set[str], running: set[int]) -> list[tuple[str, float]]:
        """The tests that may notice, with their seconds: a case of each first, what is quick and runs little else."""
        own = sum((self._run_by.get(file, Counter[int]()) for file in near), Counter[int]())
        far = {test: (0.05 + self._tests[test][1]) * self._runs[test] / own[test] for test in running}
        cases, turns = Counter[str](), {}
        for test in sorted(far, key=lambda test: (far[test], test)):
            name = self._tests[test][0].partition("[")[0]
            turns[test] = cases[name]
            cases[name] += 1
        return [self._tests[test] for test in sorted(turns, key=lambda test: turns[test])]

    def _run(self, server: tuple[IO[str], IO[str]], path: Path, tests: Sequence[tuple[str, float]]) -> int | None:
        """The exit code of tests of a changed file, None where they had to be ended, with all that they started."""
        if not tests:
            return 0
        jobs, answers = server
        seconds = 20 + 10 * sum(usual for _, usual in tests)
        jobs.write(json.dumps([str(path), [name for name, _ in tests], seconds]) + "\n")
        jobs.flush()
        return json.loads(answers.readline())


def _within(tests: Sequence[tuple[str, float]], most: float) -> Sequence[tuple[str, float]]:
    """The first tests, at least one, that take so many seconds together."""
    took = list(accumulate(seconds for _, seconds in tests))
    return tests[: max(1, bisect_right(took, most))]


def room_of(file: str) -> str:
    """The room of a file: its folder, down to the second."""
    return "/".join(Path(file).parts[:-1][:2])


def table(counts: Counter[tuple[str, str]]) -> str:
    """How many mutants of each room came to which end, as a table of Markdown."""
    rows = [f"| room | {' | '.join(OUTCOMES)} |", "|---" * (1 + len(OUTCOMES)) + "|"]
    for room in sorted({room for room, _ in counts}):
        rows.append(f"| {room} | {' | '.join(str(counts[room, outcome]) for outcome in OUTCOMES)} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    """Try mutants, and show each that no test notices; 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--since", default="HEAD", help="a commit: two of three are in what changed since")
    parser.add_argument("--minutes", type=float, default=24 * 60.0, help="no further mutant is begun after that")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for each mutant")
    parser.add_argument("--blender", required=True, help="Python 3.13 with Blender as a module")
    parser.add_argument("--lines", type=Path, default=OUTPUT / "lines.json", help="which tests run which lines")
    options = parser.parse_args()
    options.lines.parent.mkdir(parents=True, exist_ok=True)
    end, counts = time.monotonic() + 60 * options.minutes, Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory(prefix="anim_curves_mutants_") as folder:
        tree, chosen = copy_tree(Path(folder) / "tree"), drawn(options.count, options.seed, options.since)
        bench = Bench(str(Path(options.blender).absolute()), tree, options.lines.absolute())
        for file, mutant in chosen:
            if time.monotonic() > end:
                break
            outcome = bench.try_one(file, mutant, options.seconds)
            counts[room_of(file), outcome] += 1
            if outcome in ("survived", "untested"):
                before, after = change((tree / file).read_text(encoding="utf-8"), mutant)
                sys.stdout.write(f"{outcome}: {file}:{mutant.line}\n-{before}\n+{after}\n\n")
                sys.stdout.flush()
    sys.stdout.write(f"mutants: {counts.total()} of {options.count} tried, seed {options.seed}\n\n{table(counts)}")
    return int(any(outcome in OUTCOMES[2:] for _, outcome in counts))


if __name__ == "__main__":
    sys.exit(main())
