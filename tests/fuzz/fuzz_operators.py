"""Damaged files through the import operators, in Blender: `make fuzz-blender`.

    python tests/fuzz/fuzz_operators.py --runs 300 --seed 0 [--format mrtk]

At the end come a few files that are not damaged but have very many parts. Each file is imported twice, with a size
limit of 1 MiB and with the default limits, in what address space Blender itself needs and 2 GiB beyond. Allowed: the
file is imported and nothing but finite numbers reaches a curve, or the operator refuses it with one sentence, which is
not that memory ran out, and the .blend is as it was: every datablock, the scene's settings, selection and mode. Each
format runs in a process of its own, so that a crash of Blender is a find too.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(SOURCE), str(SOURCE / "tests" / "fuzz"), str(SOURCE / "tests" / "support")]

import judge  # noqa: E402
import numpy as np  # noqa: E402
from alone import run_here  # noqa: E402
from at_defaults import BUDGET, is_a_find  # noqa: E402
from in_blender import curves_of  # noqa: E402
from judge import memory_limit  # noqa: E402
from mutations import damaged, load_samples  # noqa: E402
from structures import STRUCTURES, structured  # noqa: E402

FORMATS = ("mrtk", "w3d", "w3x", "animx")
SLOWEST = 10.0
"""Seconds of the processor for one import."""

STRUCTURE_SIZE = 1 << 17
LIMIT = 3600
LIMITS: dict[str, dict[str, int]] = {"1 MiB": {"limit_mib": 1}, "default limits": {}}
"""What an import is told about sizes, by the name that a find says it with."""


def blend_census() -> Any:
    """What sees all that an import could change; it needs Blender, whose folder has to be known first."""
    return importlib.import_module("blend_census")


def unsound_curves() -> list[str]:
    """Curves with a key that is no number, or keys that are not in order."""
    found = []
    actions = importlib.import_module("bpy").data.actions
    for curve in [curve for action in actions for curve in curves_of(action)]:
        points = np.empty((len(curve.keyframe_points), 2), np.float32)
        curve.keyframe_points.foreach_get("co", points.ravel())
        if not np.isfinite(points).all() or (np.diff(points[:, 0]) < 0.0).any():
            found.append(f"{curve.data_path}[{curve.array_index}]")
    return found


def furnish(folder: Path) -> Path:
    """A .blend with a few things in it that an import could disturb."""
    bpy = importlib.import_module("bpy")
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    bpy.ops.object.armature_add()
    bpy.context.object.keyframe_insert("location", frame=3)
    path = folder / "furnished.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def try_file(name: str, path: Path, **limits: int) -> tuple[str, str]:
    """Import one file within these limits: "imported", "refused" or "find", and what there is to say."""
    bpy = importlib.import_module("bpy")
    before, started = blend_census().census(), time.process_time()
    try:
        with memory_limit(BUDGET):
            result = getattr(bpy.ops.import_anim, name)(filepath=str(path), **limits)
        sentence = ""
    except RuntimeError as error:
        result, sentence = {"CANCELLED"}, str(error)
    if (took := time.process_time() - started) > judge.PATIENCE * SLOWEST:
        return "find", f"took {took:.0f} s"
    if "Traceback" in sentence:
        return "find", sentence.strip().splitlines()[-1][:200] + " | " + innermost(sentence)
    if result == {"FINISHED"}:
        unsound = unsound_curves()
        return ("find", f"unsound curves: {unsound[:3]}") if unsound else ("imported", "")
    return judge_refusal(sentence, before)


def judge_refusal(sentence: str, before: dict[str, Any]) -> tuple[str, str]:
    """A refusal is one sentence and leaves everything as it was."""
    changed = blend_census().differences(before, blend_census().census())
    if changed:
        return "find", f"refused, but changed {changed[:3]}"
    text = sentence.strip().removeprefix("Error: ")
    if not text or len(text.splitlines()) != 1:
        return "find", f"not one sentence: {text[:200]!r}"
    return ("find" if is_a_find(text) else "refused"), text


def innermost(text: str) -> str:
    """The last place of a traceback that is in our code."""
    places = [line.strip() for line in text.splitlines() if "io_anim_curves" in line and "line " in line]
    return places[-1].rpartition("io_anim_curves/")[2] if places else ""


def fuzz(name: str, seed: int, runs: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """Try `runs` files of one format, each within all LIMITS, in the furnished .blend."""
    bpy = importlib.import_module("bpy")
    blend = furnish(folder)
    outcomes: Counter[str] = Counter()
    finds = []
    for number, (sample, data) in enumerate(files(name, seed, runs)):
        path = folder / f"damaged_{number}{Path(sample).suffix}"
        path.write_bytes(data)
        for told, limits in LIMITS.items():
            bpy.ops.wm.open_mainfile(filepath=str(blend))
            sys.stderr.write(f"{name} {number} {sample}, {told}\n")
            outcome, detail = try_file(name, path, **limits)
            outcomes[outcome] += 1
            if outcome == "find":
                finds.append(f"number {number}, seed {seed}, from {sample}, {told}: {detail}")
        path.unlink()
    return outcomes, finds


def files(name: str, seed: int, runs: int) -> Iterator[tuple[str, bytes]]:
    """Damaged files, and at the end, one in ten at most, each kind of file of very many parts."""
    of_many_parts = min(runs // 10, len(STRUCTURES[name]))
    samples = load_samples(SOURCE / "tests" / "data" / name)
    for number in range(runs - of_many_parts):
        yield damaged(samples, seed, number)
    for number in range(of_many_parts):
        yield structured(name, seed, number, STRUCTURE_SIZE)


def fuzz_here(name: str, seed: int, runs: int) -> int:
    """Fuzz one format in this process, and return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes, finds = fuzz(name, seed, runs, Path(folder))
    sys.stdout.write(
        f"\n@{name} in Blender: {outcomes.total()} imports: {outcomes['refused']} refused, "
        f"{outcomes['imported']} imported, {outcomes['find']} finds\n"
    )
    sys.stdout.write("".join(f"@  {find}\n" for find in finds))
    return int(bool(finds))


def run_apart(name: str, seed: int, runs: int) -> int:
    """Fuzz one format in a process of its own; 0 when nothing was found."""
    command = [sys.executable, __file__, "--format", name, "--seed", str(seed), "--runs", str(runs), "--here"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False, errors="replace")
    except subprocess.TimeoutExpired as late:
        sys.stdout.write(f"{name} in Blender: hangs\n{str(late.stderr)[-300:]}\n")
        return 1
    sys.stdout.write("".join(f"{line[1:]}\n" for line in run.stdout.splitlines() if line.startswith("@")))
    if run.returncode not in (0, 1):
        sys.stdout.write(
            f"{name} in Blender: the process ended with {run.returncode}; last words:\n{run.stderr[-1500:]}\n"
        )
    sys.stdout.flush()
    return run.returncode


def main() -> int:
    """Fuzz the formats that the command line names; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300, help="files of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=FORMATS, help="only this one")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        run_here(lambda: fuzz_here(options.format, options.seed, options.runs))
    codes = [run_apart(name, options.seed, options.runs) for name in ([options.format] if options.format else FORMATS)]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
