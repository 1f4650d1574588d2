"""Speed and memory beside Blender's own importers and exporters: `make bench`.

    python tests/benchmarks/run.py --output build/bench [--runs 7] [--frames 1000 5000] [--write-docs]

Every number comes from a process of its own, which does its case twice, in rounds; a case stands beside its floors in
each round, and ratios are taken within a round, of the second times. Prints the tables, writes them to
bench.md in the output folder, and with --write-docs into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import goals
from goals import MIB, Series

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
LIMIT = 600
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
IMPORTS = ["W3D raw", "AnimX", "AnimJ", "MRTK 1.0", "MRTK 1.1", "USD (C++)", "FBX (C++)", "FBX (Python)", "glTF", "BVH"]
IMPORTS += ["W3D models"]
EXPORTS = ["W3D raw", "AnimX", "AnimJ", "MRTK 1.0", "MRTK 1.1", "USD (C++)", "FBX (Python)", "glTF", "BVH"]
CODECS = ["codec W3D raw", "codec AnimX", "codec MRTK 1.0", "codec MRTK 1.1"]
CHECKED = [f"export of {rig}, {ending}" for rig in ("1,000 bones", "a Rigify rig") for ending in (".animx", ".w3d")]
LARGE = [
    *("import of ten minutes", "export of ten minutes, untouched"),
    *("import of 10,000 bones", "export of 10,000 bones, untouched", "export of 10,000 bones, edited"),
    *(f"{export}, check {check}" for export in CHECKED for check in ("Off", "Quick")),
]
"""What has a size of its own, whatever the number of frames."""
SAME = {
    "import W3D raw": "floor linear",
    "import AnimX": "floor linear",
    "import MRTK 1.0": "floor MRTK handles",
    "import MRTK 1.1": "floor MRTK linear",
    "import W3D models": "floor W3D models",
}
"""Imports and the floor that writes the very same properties; tests/acceptance/test_floor.py compares them."""
_OF_RECORDINGS = ("import MRTK 1.0", "import MRTK 1.1")
CASES = [
    *("floor open .blend", "floor linear", "floor handles", "floor json.loads"),
    *(f"import {name}" for name in IMPORTS if not name.startswith(("MRTK", "W3D models"))),
    *("floor MRTK linear", "floor MRTK handles", *_OF_RECORDINGS),
    *("floor W3D models", "import W3D models"),
    *("frame_set imported", "frame_set plain"),
    *("floor foreach_get", "floor json.dumps"),
    *(f"export untouched {name}" for name in ("W3D raw", "AnimX", "MRTK 1.0")),
    *(f"export {name}" for name in EXPORTS),
    *CODECS,
]
"""In the order of a round: what is compared lies near each other."""


def run_once(case: str, frames: int, folder: Path) -> dict[str, Any]:
    """One measurement in a new process."""
    with tempfile.TemporaryDirectory(prefix="anim_curves_bench_") as user_folder:
        command = [sys.executable, str(HERE / "measure.py"), case, str(frames), str(folder)]
        environment = {**os.environ, "BLENDER_USER_RESOURCES": user_folder}
        try:
            run = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False, errors="replace"
            )
        except subprocess.TimeoutExpired:
            return {"case": case, "frames": frames, "error": f"took more than {LIMIT} s"}
    lines = [line for line in run.stdout.splitlines() if line.startswith("@{")]
    if lines:
        return dict(json.loads(lines[-1][1:]))
    if case == "prepare" and run.returncode == 0:
        return {}
    return {
        "case": case,
        "frames": frames,
        "error": (run.stderr or run.stdout or f"ended with {run.returncode}")[-300:],
    }


def measure_all(cases: Sequence[str], frames: int, runs: int, folder: Path) -> list[Series]:
    """All cases, in rounds, so that what else the machine does hits all of them alike."""
    found = {case: Series(case, frames) for case in cases}
    for number in range(runs):
        for case, series in found.items():
            if not series.error:
                series.add(run_once(case, frames, folder))
        sys.stderr.write(f"bench: {frames} frames, round {number + 1} of {runs}, {busy()}\n")
    return list(found.values())


def table(results: Sequence[Series], frames: int) -> list[str]:
    """One Markdown table, the floors first."""
    lines = [
        f"### 60 bones, {frames} frames",
        "",
        f"At the end the machine was {busy()}.",
        "",
        "| what | first s | best s | median s | processor s | keys | keys/s | x floor | x same | peak MiB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    floors = {series.case: series for series in results if series.case.startswith("floor")}
    lines += [row(series, floors) for series in results]
    return [*lines, ""]


def row(series: Series, floors: dict[str, Series]) -> str:
    """One line of a table; codecs count bytes instead of keys, models vertices."""
    if series.error:
        return f"| {series.case} | {series.error.splitlines()[-1][:80]} | | | | | | | | |"
    if series.case.startswith("codec"):
        rate = f"{series.keys / series.best / 1e6:,.0f} MB/s"
        amount = f"{series.keys / MIB:.1f} MiB"
    else:
        rate, amount = f"{series.keys / series.best / 1e6:.2f} M", f"{series.keys:,}"
    times = f"{min(series.first):.4f} | {series.best:.4f} | {series.median:.4f} | {series.worked:.4f}"
    ratios = f"{ratio(series, floors, floor_of(series.case))} | {ratio(series, floors, SAME.get(series.case, ''))}"
    return f"| {series.case} | {times} | {amount} | {rate} | {ratios} | {series.peak / MIB:.0f} |"


def floor_of(case: str) -> str:
    """Which floor a case stands beside: all keys with handles, or all keys read."""
    if case in LARGE:
        return ""
    if case.startswith("export"):
        return "floor foreach_get"
    if case == "import W3D models":
        return "floor W3D models"
    if case in _OF_RECORDINGS:
        return "floor MRTK handles"
    return "floor handles" if case.startswith("import") else ""


def ratio(series: Series, floors: dict[str, Series], name: str) -> str:
    """How many times that floor a case takes, in the middle of the rounds, and the middle half of them."""
    floor = floors.get(name)
    if not floor or not floor.seconds:
        return ""
    found = goals.within_rounds(series, floor)
    return f"{found.middle:.2f} ({found.low:.2f}-{found.high:.2f})"


def busy() -> str:
    """How much the machine had to do in the last minute, its own measurements included."""
    return f"busy with {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores"


def machine() -> str:
    """Where these numbers were measured."""
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    name = model[0].partition(":")[2].strip() if model else platform.processor()
    return f"{os.cpu_count()} cores ({name}), {platform.system()}, Python {platform.python_version()}, {blender()}"


def blender() -> str:
    """Which Blender this Python has."""
    command = [sys.executable, "-c", "import bpy, os; print(bpy.app.version_string, flush=True); os._exit(0)"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"Blender {run.stdout.strip().splitlines()[-1]}"


def write_docs(tables: str) -> None:
    """Put the tables between the marks of docs/benchmarks.md."""
    path = SOURCE / "docs" / "benchmarks.md"
    text = path.read_text(encoding="utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    path.write_text(f"{before}{BEGIN}\n{tables}\n{END}{after}", encoding="utf-8")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=SOURCE / "build" / "bench")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--frames", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--write-docs", action="store_true")
    return parser.parse_args()


def main() -> int:
    """Prepare, measure, print; 1 if a case of ours could not be measured."""
    options = parse()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a person's Blender compiles a module once, not in each process
    folder = options.output.resolve() / "data"
    folder.mkdir(parents=True, exist_ok=True)
    results: list[Series] = []
    lines = [f"Measured on {machine()}; {options.runs} processes each, in rounds.", ""]
    for frames in options.frames:
        problem = run_once("prepare", frames, folder).get("error")
        if problem:
            sys.stderr.write(f"bench: cannot prepare {frames} frames: {problem}\n")
        first = frames == options.frames[0]
        measured = measure_all([*CASES, *LARGE] if first else CASES, frames, options.runs, folder)
        results += measured
        if first:  # of the others the goals tell enough
            lines += table(measured, frames)
    lines += goals.table(results, folder)
    text = "\n".join(lines)
    (options.output / "bench.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text + "\n")
    if options.write_docs:
        write_docs(text)
    ours = ("W3D", "Anim", "MRTK", "floor")
    return int(any(series.error and any(name in series.case for name in ours) for series in results))


if __name__ == "__main__":
    sys.exit(main())
