"""Small defects put into the code one at a time, and whether a test notices: `make mutants`.

    python tests/mutants/run.py --count 300 --seed 0 --minutes 60 --blender PYTHON

Works in a copy of the tree, never in the tree itself. All tests run once, to see which lines each runs (watch.py), or
are taken from `--lines`, such a file of before; then each defect meets the tests that run its lines, the quick ones
first, in a process of its own. A defect keeps its place in the draw of a seed when other code changes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from mutate import Mutant, applied, change, mutants, statement_at  # noqa: E402  needs the path
from watch import ROOMS  # noqa: E402

TESTS = ("formats", "fuzz/test_fuzz.py", "scene", "scenes", "operators", "acceptance")
OUTCOMES = ("killed", "hangs", "survived", "untested")
OUTPUT = SOURCE / "build" / "mutants"


def drawn(count: int, seed: int) -> list[tuple[str, Mutant]]:
    """So many mutants of all there are, each with its file, in an order that the seed gives to each by itself."""
    files = sorted(path for room in ROOMS for path in (SOURCE / room).rglob("*.py") if path.name != "de.py")
    found = []
    for path in files:
        file, source = path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
        for mutant in mutants(source):
            text = "\0".join([str(seed), file, *change(source, mutant), mutant.kind])
            found.append((hashlib.sha256(text.encode()).hexdigest(), file, mutant))
    return [(file, mutant) for _, file, mutant in sorted(found, key=lambda entry: entry[0])[:count]]


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
    """A copy of the tree, and which of its tests run which lines."""

    def __init__(self, python: str, tree: Path, lines: Path) -> None:
        self._command = [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        self._tree = tree
        if not lines.exists():
            folders = [f"tests/{name}" for name in TESTS]
            self._run([*self._command, "-p", "watch", "-m", "not slow", *folders], None, ANIM_CURVES_WATCH=str(lines))
        written = json.loads(lines.read_text(encoding="utf-8"))
        self._tests = [(name, seconds) for name, seconds in written["tests"]]
        self._lines = written["lines"]
        if not self._lines:
            raise SystemExit("no test was seen to run a line")

    def try_one(self, file: str, mutant: Mutant, most: float) -> str:
        """What became of a mutant: "killed", "hangs" (which is noticed, too), "survived" or "untested"."""
        path = self._tree / file
        source = path.read_text(encoding="utf-8")
        names, usual = self._chosen(file, statement_at(source, mutant.line), most)
        if not names:
            return "untested"
        path.write_text(applied(source, mutant), encoding="utf-8")
        try:
            code = self._run([*self._command, "-x", *names], 120 + 30 * usual)
        finally:
            path.write_text(source, encoding="utf-8")
        return "hangs" if code is None else "killed" if code else "survived"

    def _chosen(self, file: str, statement: tuple[int, int], most: float) -> tuple[list[str], float]:
        """The quickest tests of a statement that take so many seconds together, and what they take."""
        known = self._lines.get(file, {})
        running = {test for line in range(statement[0], statement[1] + 1) for test in known.get(str(line), ())}
        running = running or {test for tests in known.values() for test in tests}  # it runs while modules are imported
        names, took = [], 0.0
        for name, seconds in sorted((self._tests[test] for test in running), key=lambda test: test[1]):
            if names and took + seconds > most:
                break
            names.append(name)
            took += seconds
        return names, took

    def _run(self, command: Sequence[str], seconds: float | None, **more: str) -> int | None:
        """The exit code of a command, None where it had to be ended, with all that it started."""
        own = {
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(self._tree / HERE.relative_to(SOURCE)),
        }
        with subprocess.Popen(
            command, cwd=self._tree, env={**os.environ, **own, **more}, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                return process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return None


def room_of(file: str) -> str:
    """The room of a file: the top folder, within `io_formats` the next one."""
    return "/".join(Path(file).parts[:-1][:2]) if file.startswith("io_formats/") else Path(file).parts[0]


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
    parser.add_argument("--minutes", type=float, default=24 * 60.0, help="no further mutant is begun after that")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for each mutant")
    parser.add_argument("--blender", required=True, help="Python 3.13 with Blender as a module")
    parser.add_argument("--lines", type=Path, default=OUTPUT / "lines.json", help="which tests run which lines")
    options = parser.parse_args()
    options.lines.parent.mkdir(parents=True, exist_ok=True)
    end, counts = time.monotonic() + 60 * options.minutes, Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory(prefix="anim_curves_mutants_") as folder:
        tree = copy_tree(Path(folder) / "tree")
        bench = Bench(str(Path(options.blender).absolute()), tree, options.lines.absolute())
        for file, mutant in drawn(options.count, options.seed):
            if time.monotonic() > end:
                break
            outcome = bench.try_one(file, mutant, options.seconds)
            counts[room_of(file), outcome] += 1
            if outcome in ("survived", "untested"):
                before, after = change((SOURCE / file).read_text(encoding="utf-8"), mutant)
                sys.stdout.write(f"{outcome}: {file}:{mutant.line}\n-{before}\n+{after}\n\n")
                sys.stdout.flush()
    sys.stdout.write(f"mutants: {counts.total()} of {options.count} tried, seed {options.seed}\n\n{table(counts)}")
    return int(any(outcome in OUTCOMES[2:] for _, outcome in counts))


if __name__ == "__main__":
    sys.exit(main())
