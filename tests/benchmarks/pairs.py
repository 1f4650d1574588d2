"""This tree beside an older commit: `pairs.py COMMIT [--pairs 30] [CASE...]`, or `make bench-pairs COMMIT=...`.

Each case has two processes, one for each tree, which take turns; every pair gives a ratio of the processor's seconds,
so that a machine that is slow for a while is slow for both. Prints the middle of the ratios and their middle half.
The cases are those of measure.py.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
FRAMES = 1000
UNCOUNTED = 2
"""Pairs at the beginning that only warm both up."""

EDITED = ("W3D raw", "AnimX", "MRTK 1.0")
CASES = [
    *(f"codec {name}" for name in ("W3D raw", "AnimX", "MRTK 1.0", "MRTK 1.1")),
    *(f"import {name}" for name in ("W3D raw", "AnimX", "AnimJ", "MRTK 1.0", "MRTK 1.1", "W3D models")),
    *(f"export untouched {name}" for name in EDITED),
    *(f"export edited {name}" for name in EDITED),
    *(f"export {name}" for name in ("W3D raw", "AnimX", "AnimJ", "MRTK 1.0", "MRTK 1.1")),
    "floor linear",
]


# --- One tree, in a process of its own ----------------------------------------------------------------------------


def serve(tree: Path, folder: Path) -> None:
    """Do the cases named on standard input, one a line; answer each with a line of JSON."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Blender and the reports of imports write there, too
    os.environ["BLENDER_USER_RESOURCES"] = str(folder / "user")
    import measure

    folder.mkdir(parents=True, exist_ok=True)
    measure.SOURCE = tree
    measure.enable_extension(folder / "user", tree)
    if not (folder / f"untouched_w3d_{FRAMES}.blend").exists():
        measure.prepare_all(folder, FRAMES)
    evaluation = measure.Evaluation()
    answers.write("{}\n")
    for line in sys.stdin:
        answers.write(json.dumps(once(measure, line.strip(), folder, evaluation)) + "\n")


def once(measure: Any, case: str, folder: Path, evaluation: Any) -> dict[str, Any]:
    """Measure a case once more in this process."""
    try:
        found = measure.measure_once(case, FRAMES, folder, evaluation)
    except (RuntimeError, AttributeError, OSError) as error:
        return {"error": str(error)[:200]}
    return {"worked": found["processor"], "done": bool(found["keys"])}


# --- Both -----------------------------------------------------------------------------------------------------------


@contextmanager
def other_tree(commit: str) -> Iterator[Path]:
    """A checkout of a commit in a folder of its own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="anim_curves_pairs_") as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "-C", str(SOURCE), "worktree", "add", "-q", "--detach", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run(["git", "-C", str(SOURCE), "worktree", "remove", "--force", str(tree)], check=True)


@contextmanager
def server(tree: Path, folder: Path) -> Iterator[Callable[[str], dict[str, Any]]]:
    """A process for a tree, and what asks it for a case."""
    command = [sys.executable, str(Path(__file__)), "--serve", str(tree), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        written, read = process.stdin, process.stdout

        def ask(case: str) -> dict[str, Any]:
            written.write(f"{case}\n")
            written.flush()
            return dict(json.loads(read.readline() or '{"error": "it ended"}'))

        read.readline()
        yield ask
        process.kill()


def pairs_of(case: str, trees: Sequence[tuple[Path, Path]], pairs: int) -> list[tuple[float, float]]:
    """The processor's seconds of both trees, pair by pair; who begins changes from pair to pair."""
    found = []
    with ExitStack() as stack:
        askers = [stack.enter_context(server(*tree)) for tree in trees]
        for number in range(UNCOUNTED + pairs):
            order = (0, 1) if number % 2 else (1, 0)
            answers = {which: askers[which](case) for which in order}
            wrong = [answer for answer in answers.values() if not answer.get("done")]
            if wrong:
                raise SystemExit(f"{case}: {wrong[0].get('error', 'nothing was made')}")
            found.append((answers[0]["worked"], answers[1]["worked"]))
    return found[UNCOUNTED:]


def line(case: str, found: Sequence[tuple[float, float]]) -> str:
    """A row of a Markdown table: milliseconds of both, and the ratios."""
    before, now = (statistics.median(side) * 1000 for side in zip(*found, strict=True))
    low, middle, high = statistics.quantiles([pair[1] / pair[0] for pair in found], n=4)
    return f"| {case} | {before:.1f} | {now:.1f} | {middle:.2f} ({low:.2f}-{high:.2f}) |"


def main() -> None:
    """Compare the trees, case by case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--pairs", type=int, default=30)
    arguments = parser.parse_intermixed_args()
    sys.stdout.write("| what | before, ms | now, ms | ratio |\n|---|---:|---:|---:|\n")
    with other_tree(arguments.commit) as tree, tempfile.TemporaryDirectory(prefix="anim_curves_pairs_") as data:
        trees = [(tree, Path(data) / "before"), (SOURCE, Path(data) / "now")]
        for case in arguments.cases:
            sys.stdout.write(line(case, pairs_of(case, trees, arguments.pairs)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]), Path(sys.argv[3]))
        os._exit(0)
    main()
