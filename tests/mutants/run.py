"""Small defects put into the code one at a time, and whether a test notices: `make mutants`.

    python tests/mutants/run.py --count 300 --seed 0 --minutes 60 --blender PYTHON

Works in a copy of the tree, never in the tree itself. All tests run once, to see which lines each runs (watch.py);
then each defect meets the tests that run its lines, in a child of a process that has loaded everything (trials.py), or
in a process of its own where it changes what happens on import. A test counts as noticing a defect only if it passes
again right after without it. What is known is kept in build/mutants and not run again as long as the module (of a
defect that was noticed) or anything (of one that was not) is the same. A defect keeps its place in the draw of a seed
when other code changes; a run that was stopped is the beginning of the whole one.
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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from mutate import Mutant, applied, change, function_at, mutants  # noqa: E402  needs the path
from warm import QUICK  # noqa: E402
from watched import Watched  # noqa: E402

ROOMS = ("io_formats/mrtk", "io_formats/w3d", "io_formats/w3x", "io_formats/animx", "io_formats/clip", "scene")
TESTS = {
    "plain": ("formats", "fuzz/test_fuzz.py"),
    "Blender": ("scene", "scenes", "operators", "acceptance"),
}
"""The tests in the order in which they try all defects: those that need no Blender find most of them."""

OUTPUT = SOURCE / "build" / "mutants"


@dataclass(frozen=True)
class Task:
    """A mutant and its module, and which one it is of those that change a line in the same way."""

    file: str
    source: str
    mutant: Mutant
    number: int = 0

    @property
    def key(self) -> str:
        """What it is known by, wherever it stands in the module."""
        return _digest(self.file, *change(self.source, self.mutant), str(self.number))

    def diff(self) -> str:
        """The lines that change."""
        before, after = change(self.source, self.mutant)
        return "\n".join([*(f"-{line}" for line in before.splitlines()), *(f"+{line}" for line in after.splitlines())])


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def all_tasks(files: Sequence[str]) -> Iterator[tuple[str, Task]]:
    """Every mutant of some modules, with what it is known by."""
    for file in files:
        source = (SOURCE / file).read_text(encoding="utf-8")
        seen: Counter[str] = Counter()
        for mutant in mutants(source):
            first = Task(file, source, mutant).key
            task = Task(file, source, mutant, seen[first])
            seen[first] += 1
            yield task.key, task


def drawn(count: int, seed: int) -> dict[str, Task]:
    """So many mutants of all there are, in an order that the seed gives to each by itself."""
    files = sorted(path.relative_to(SOURCE).as_posix() for room in ROOMS for path in (SOURCE / room).rglob("*.py"))
    found = sorted(all_tasks(files), key=lambda pair: _digest(str(seed), pair[0]))
    return dict(found[:count])


class Loaded:
    """A process that has loaded Blender and all tests, and tries defects in its children."""

    def __init__(self, python: str, tree: Path, temporary: Path) -> None:
        asked, self._requests = os.pipe()
        self._answers, told = os.pipe()
        environment = _environment(tree, ANIM_CURVES_TRIALS=f"{asked},{told}")
        command = [*_pytest(python, temporary), "-p", "trials", "-m", "not slow", *_folders()]
        self._process = subprocess.Popen(
            command, cwd=tree, env=environment, pass_fds=(asked, told), stdout=subprocess.DEVNULL
        )
        os.close(asked)
        os.close(told)
        self._heard = open(self._answers, encoding="utf-8")  # noqa: SIM115  open as long as the process

    def ask(self, request: dict[str, Any]) -> dict[str, str]:
        """What became of one request."""
        with suppress(BrokenPipeError):  # then there is no answer either
            os.write(self._requests, (json.dumps(request) + "\n").encode())
        line = self._heard.readline()
        if not line:
            raise RuntimeError("the process with the tests ended; `python -m pytest -p trials` says why")
        return json.loads(line)

    def close(self) -> None:
        """Let the process end."""
        os.close(self._requests)
        self._process.wait()
        self._heard.close()


class Bench:
    """A copy of the tree in which mutants are tried."""

    def __init__(self, python: str, tree: Path, seconds: float) -> None:
        self._python = python
        self._tree = tree
        self._seconds = seconds
        self._temporary = tree.parent / "temporary"
        self._watched: Watched
        self._loaded = Loaded(python, tree, self._temporary / "loaded")
        self.killers: dict[str, Counter[str]] = {}

    def close(self) -> None:
        """End what was started."""
        self._loaded.close()

    def try_one(self, task: Task, watched: Watched) -> dict[str, Any]:
        """What became of a mutant: "killed", "hangs" (which is noticed, too), "survived" or "untested"."""
        self._watched = watched
        started = time.monotonic()
        names = self._ordered(task.file, self._watched.tests(task.file, task.mutant))
        outcome, by = "untested", ""
        if names:
            path = self._tree / task.file
            path.write_text(applied(task.source, task.mutant), encoding="utf-8")  # for the processes that tests start
            try:
                outcome, by = self._outcome(task, names, path)
            finally:
                path.write_text(task.source, encoding="utf-8")
        if outcome in ("killed", "hangs"):
            self.killers.setdefault(task.file, Counter())[by] += 1
        return {"outcome": outcome, "by": by, "took": round(time.monotonic() - started, 1)}

    def _ordered(self, file: str, names: list[str]) -> list[str]:
        """Tests that have noticed something in the same module before all others, the quick ones first."""
        known = self.killers.get(file, Counter())
        return [*(name for name in names if name in known), *(name for name in names if name not in known)]

    def _outcome(self, task: Task, names: list[str], path: Path) -> tuple[str, str]:
        alone = self._watched.runs_at_import(task.file, task.mutant)
        mutated = path.read_text(encoding="utf-8")
        function = function_at(task.source, task.mutant.line).partition(".<locals>")[0]
        while names:
            chosen = self._watched.within(names, self._seconds)
            found = {"outcome": "unfit"} if alone else self._in_child(chosen, task.file, function, mutated)
            if found["outcome"] == "unfit":
                alone, found = True, self._in_process(chosen)
            if found["outcome"] == "survived":
                return "survived", ""
            path.write_text(task.source, encoding="utf-8")
            if not found["by"] or self._in_child([found["by"]], task.file, "", None)["outcome"] == "survived":
                return found["outcome"], found["by"]
            path.write_text(mutated, encoding="utf-8")
            names = [name for name in names if name != found["by"]]  # it fails without the defect, too
        return "survived", ""

    def _in_child(self, names: list[str], file: str, function: str, mutated: str | None) -> dict[str, str]:
        tests = [(name, self._watched.seconds[name]) for name in names]
        return self._loaded.ask({"file": file, "function": function, "source": mutated, "tests": tests})

    def _in_process(self, names: list[str]) -> dict[str, str]:
        """The same in a process of its own, which imports the module with the defect."""
        usual = sum(self._watched.seconds[name] for name in names)
        command = [*_pytest(self._python, self._temporary / "alone"), "-x", *names]
        code, said = in_time(command, self._tree, 120 + 30 * usual)
        if code == 0:
            return {"outcome": "survived", "by": ""}
        failed = [line for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        by = failed[0].split(" ", 1)[1].partition(" - ")[0] if failed else ""
        return {"outcome": "hangs" if code is None else "killed", "by": by if by in self._watched.seconds else ""}


def _pytest(python: str, temporary: Path) -> list[str]:
    temporary.parent.mkdir(exist_ok=True)
    return [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", str(temporary)]


def _folders(kinds: Iterable[str] = TESTS) -> list[str]:
    return [f"tests/{name}" for kind in kinds for name in TESTS[kind]]


def _environment(tree: Path, **more: str) -> dict[str, str]:
    own = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tree / "tests" / "mutants")}
    return {**os.environ, **own, **more}


def in_time(command: Sequence[str], folder: Path, seconds: float) -> tuple[int | None, str]:
    """Exit code and output of a command, None where it had to be ended, with all that it started."""
    with subprocess.Popen(
        command, cwd=folder, env=_environment(folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", start_new_session=True,
    ) as process:  # fmt: skip
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
    return process.returncode, said


def _listed() -> list[str]:
    """All files of the repository, new ones too."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=SOURCE, capture_output=True, check=True).stdout.decode().split("\0")
    return sorted(name for name in names if name and (SOURCE / name).is_file())


def copy_tree(target: Path) -> Path:
    """A copy of what the repository holds."""
    for name in _listed():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(SOURCE / name, target / name)
    return target


def state() -> str:
    """What a change of the code or of the tests changes."""
    rooms = ("io_formats/", "scene/", "pipeline/", "operators/", "samples/", *(folder for folder in _folders()))
    names = [name for name in _listed() if name.startswith((*rooms, "tests/data", "tests/support", "tests/conftest"))]
    return _digest(*(hashlib.sha256((SOURCE / name).read_bytes()).hexdigest() + name for name in names))


def watch(python: str, tree: Path, kind: str, now: str) -> Watched:
    """Run tests once, and write down which lines they run; what is there of the same tree is taken as it is."""
    path = OUTPUT / f"lines_{kind}_{now}.json"
    if not path.exists():
        for old in OUTPUT.glob(f"lines_{kind}_*.json"):
            old.unlink()
        folders = [*_folders([kind]), QUICK]
        command = [*_pytest(python, tree.parent / "watched"), "-p", "watch", "-m", "not slow", *folders]
        environment = _environment(tree, ANIM_CURVES_WATCH=str(path))
        subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, check=False)
    return Watched(path, tree)


class Known:
    """What earlier runs found out."""

    def __init__(self, path: Path, now: str) -> None:
        self._path = path
        self._now = now
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.found = {one["key"]: one for one in map(json.loads, lines)}

    def is_known(self, key: str, task: Task, kind: str, seconds: float) -> bool:
        """Whether nothing has changed since these tests tried a mutant that could change what became of it."""
        one = self.found.get(key)
        if one is None:
            return False
        if one["outcome"] in ("killed", "hangs"):
            return bool(one["module"] == _digest(task.source))
        return bool(one["state"] == self._now and one["seconds"].get(kind, -1.0) >= seconds)

    def add(self, key: str, task: Task, found: dict[str, Any], kind: str, seconds: float) -> None:
        """Keep what became of a mutant; it survives both kinds of tests if one of them runs its lines."""
        before = self.found.get(key)
        if before is None or before["state"] != self._now:
            before = {"seconds": {}, "outcome": "untested"}
        if found["outcome"] == "untested":
            found = {**found, "outcome": before["outcome"]}
        self.found[key] = one = {
            "key": key, "file": task.file, "line": task.mutant.line, **found, "module": _digest(task.source),
            "state": self._now, "seconds": {**before["seconds"], kind: seconds}, "diff": task.diff(),
        }  # fmt: skip
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(one) + "\n")


def report(tasks: dict[str, Task], known: Known) -> bool:
    """Say who survived, and how many were tried to the end; whether one survived."""
    found = [known.found[key] for key in tasks if key in known.found]
    found = [one for one in found if one["outcome"] in ("killed", "hangs") or len(one["seconds"]) == len(TESTS)]
    counts = Counter(one["outcome"] for one in found)
    for one in found:
        if one["outcome"] in ("survived", "untested"):
            sys.stdout.write(f"{one['outcome']}: {one['file']}:{one['line']}\n{one['diff']}\n\n")
    sys.stdout.write(
        f"mutants: {len(found)} of {len(tasks)} tried: {counts['killed']} killed, {counts['hangs']} hang, "
        f"{counts['survived']} survived, {counts['untested']} in lines that no test runs\n"
    )
    return bool(counts["survived"] or counts["untested"])


def try_all(tasks: dict[str, Task], known: Known, options: argparse.Namespace, now: str) -> None:
    """Try what is not known yet, until the time is over."""
    end = time.monotonic() + 60 * options.minutes
    python = str(Path(options.blender).absolute())
    with tempfile.TemporaryDirectory(prefix="anim_curves_mutants_") as folder:
        tree = copy_tree(Path(folder) / "tree")
        bench = Bench(python, tree, options.seconds)
        try:
            for kind in TESTS:
                watched = watch(python, tree, kind, now)
                for key, task in tasks.items():
                    if time.monotonic() < end and not known.is_known(key, task, kind, options.seconds):
                        known.add(key, task, bench.try_one(task, watched), kind, options.seconds)
        finally:
            bench.close()


def main() -> int:
    """Try mutants; 1 if one survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=24 * 60.0, help="no further mutant is begun after that")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for each mutant that none notices")
    parser.add_argument("--blender", required=True, help="Python 3.13 with Blender as a module")
    parser.add_argument("--report", action="store_true", help="only tell what is known")
    options = parser.parse_args()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    now = state()
    tasks, known = drawn(options.count, options.seed), Known(OUTPUT / "results.jsonl", now)
    if not options.report:
        try_all(tasks, known, options, now)
    return int(report(tasks, known))


if __name__ == "__main__":
    sys.exit(main())
