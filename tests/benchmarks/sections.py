"""Where the time of one import goes: `make profile CASE="import MRTK 1.0" FRAMES=1000`.

    python tests/benchmarks/sections.py "import MRTK 1.0" 1000 build/bench/data [--runs 5]

Every run is a process of its own; for each section the shortest of all runs is shown, without what is called within it
and has a section of its own. The functions are timed where they stand, at a cost of less than a microsecond a call. The
time is the processor's, so that the table holds on a busy machine, too.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from pathlib import Path
from types import GeneratorType
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGE = "bl_ext.user_default.io_anim_curves"
SECTIONS = {
    "read the file": ("pipeline.import_files", "read_bytes"),
    "bytes to Document": ("pipeline.import_files", "open_bytes"),
    "Document to Clip": ("io_formats.format", "Opened.clips"),
    "facts for the report": ("io_formats.format", "Opened.describe"),
    "armature and targets": ("scene.apply", "_find_targets"),
    "Clip to keys: frames, handles": ("scene.write", "to_keys"),
    "new curves and groups": ("scene.fcurves", "CurveWriter._new_curve"),
    "add and foreach_set: points, kinds": ("scene.fcurves", "CurveWriter.write"),
    "foreach_set: handles and their types": ("scene.fcurves", "_HandleWriter.write"),
    "digests of the curves": ("scene.fcurves", "_crc"),
    "file and checksum into the .blend": ("scene.provenance", "keep"),
    "what is seen besides the bones": ("scene.apply", "show"),
    "models looked for": ("io_formats.format", "Companions.models"),
    "models looked for, W3D": ("io_formats.w3d.companions", "W3dCompanions.models"),
    "everything else of the import": ("pipeline.import_files", "_Batch.import_file"),
    "report": ("operators.importing", "run"),
}


class Clock:
    """Own seconds of each section: a section within another is taken off the outer one."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._within = [0.0]

    def timed(self, section: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with its time taken; of work in steps, that of each step."""

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            result = self._take(section, functools.partial(function, *arguments, **named))
            return self._steps(section, result) if isinstance(result, GeneratorType) else result

        return call

    def _take(self, section: str, work: Callable[[], Any]) -> Any:
        self._within.append(0.0)
        started = time.process_time()
        try:
            return work()
        finally:
            whole = time.process_time() - started
            self.seconds[section] = self.seconds.get(section, 0.0) + whole - self._within.pop()
            self._within[-1] += whole

    def _steps(self, section: str, steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        with contextlib.closing(steps):
            while True:
                try:
                    step = self._take(section, functools.partial(next, steps))
                except StopIteration as end:
                    return end.value
                yield step

    def watch(self, section: str, module_name: str, path: str) -> None:
        """Time a function or method wherever the extension uses it."""
        module = importlib.import_module(f"{PACKAGE}.{module_name}")
        *owners, name = path.split(".")
        owner = functools.reduce(getattr, owners, module)
        function = getattr(owner, name)
        timed = self.timed(section, function)
        setattr(owner, name, timed)
        for other in [known for known_name, known in sys.modules.items() if known_name.startswith(PACKAGE)]:
            if not owners and getattr(other, name, None) is function:
                setattr(other, name, timed)


def run_here(case: str, frames: int, folder: Path) -> dict[str, float]:
    """One import in this process; own seconds by section."""
    sys.path.insert(0, str(HERE))
    import measure

    measure.enable_extension(Path(os.environ["BLENDER_USER_RESOURCES"]))
    action, _ = measure.cases()[case](folder, frames)
    clock = Clock()
    for section, (module_name, path) in SECTIONS.items():
        clock.watch(section, module_name, path)
    calls = measure.bpy.ops._BPyOpsSubModOp
    calls._view_layer_update = staticmethod(clock.timed("evaluation", calls._view_layer_update))  # left out as in runs
    action()
    return clock.seconds


def run_once(case: str, frames: int, folder: Path) -> dict[str, float]:
    """One import in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="anim_curves_bench_") as user_folder:
        command = [sys.executable, __file__, case, str(frames), str(folder), "--here"]
        environment = {**os.environ, "BLENDER_USER_RESOURCES": user_folder}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    (line,) = (line for line in run.stdout.splitlines() if line.startswith("@"))
    return dict(json.loads(line[1:]))


def table(case: str, frames: int, runs: list[dict[str, float]]) -> str:
    """The sections in their order, with their part of the whole."""
    best = {name: min(run[name] for run in runs) for name in SECTIONS if all(name in run for run in runs)}
    whole = sum(best.values())
    lines = [
        f"{case}, {frames} frames, shortest of {len(runs)} runs",
        "",
        "| section | ms | share |",
        "|---|---:|---:|",
    ]
    lines += [f"| {name} | {seconds * 1e3:.1f} | {seconds / whole:.0%} |" for name, seconds in best.items()]
    return "\n".join([*lines, f"| all | {whole * 1e3:.1f} | |"])


def main() -> None:
    """Run and print; with --here once, in this process, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case")
    parser.add_argument("frames", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    asked = options.case, options.frames, options.folder.resolve()
    if options.here:
        sys.stdout.write("\n@" + json.dumps(run_here(*asked)) + "\n")
        sys.stdout.flush()
        os._exit(0)
    sys.stdout.write(table(*asked[:2], [run_once(*asked) for _ in range(options.runs)]) + "\n")


if __name__ == "__main__":
    main()
