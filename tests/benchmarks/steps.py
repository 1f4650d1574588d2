"""The longest steps of long work: `steps.py FILE...` imports each file, exports it and takes both back.

Between two steps a window hears ESC, so that the longest one is what a person waits. Prints for each piece of work how
many steps it has and the longest ones in seconds of the processor, with where in the sources each began and ended.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

USER = Path(tempfile.mkdtemp(prefix="anim_curves_steps_"))
os.environ["BLENDER_USER_RESOURCES"] = str(USER)

import bpy  # noqa: E402  after the user folder is known
import measure  # noqa: E402

SHOWN = 6
"""Steps that are told of each piece of work."""
LEAST = 0.1
"""Seconds below which a step is not told."""
ROOT = "bl_ext.user_default.io_anim_curves"


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def package(name: str) -> Any:
    """A module of the extension."""
    __import__(f"{ROOT}.{name}")
    return sys.modules[f"{ROOT}.{name}"]


def place_of(steps: Any) -> str:
    """Where a generator waits: the innermost of those that it drives."""
    frame = None
    while steps is not None and getattr(steps, "gi_frame", None) is not None:
        frame = steps.gi_frame
        waiting = frame.f_locals.get("waiting")  # of `running`, whose last one runs
        steps = steps.gi_yieldfrom or (waiting[-1].steps if waiting else frame.f_locals.get("steps"))
    return "-" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def timed(steps: Generator[Any, None, Any]) -> Iterator[tuple[float, str, str]]:
    """Do steps; yield seconds of the processor, and where each began and ended."""
    after = "the beginning"
    while after != "the end":
        before, start = place_of(steps), time.process_time()
        after = place_of(steps) if next(steps, None) is not None else "the end"
        yield time.process_time() - start, before, after


def tell(name: str, found: list[tuple[float, str, str]]) -> None:
    """Print the longest steps."""
    say(f"{name}: {len(found)} steps, {sum(step[0] for step in found):.2f} s")
    for seconds, before, after in sorted(found, reverse=True)[:SHOWN]:
        if seconds >= LEAST:
            say(f"    {seconds:.2f} s  {before} -> {after}")


def closed(name: str, make: Callable[[], Any], count: int) -> None:
    """Do nine tenths of all steps, and tell how long it takes to take them back."""
    steps = make()
    list(islice(steps, count * 9 // 10))
    place, start = place_of(steps), time.process_time()
    steps.close()
    say(f"{name} taken back: {time.process_time() - start:.2f} s at {place}")


def importing(file_format: Any, path: Path) -> Any:
    """The steps of an import."""
    importing = package("pipeline.import_files")
    return importing.import_loads(bpy.context, [importing.Load(file_format, [path], file_format.import_options())])


def exporting(file_format: Any, path: Path) -> Any:
    """The steps of an export of what is active."""
    owners = package("pipeline.export_plan").chosen(bpy.context, armature=file_format.needs_armature)
    in_steps = package("pipeline.export_files").export_in_steps
    return in_steps(bpy.context, path, file_format, file_format.export_options(), owners)


def work_on(path: Path) -> None:
    """Import a file, take an import back, export it as it is and edited, take an export back."""
    name, file_format = path.name, package("io_formats").format_of(path.suffix)
    say(f"{name}: {path.stat().st_size / 1e6:.0f} MB")
    measure.empty_file()
    found = list(timed(importing(file_format, path)))
    tell(f"{name} import", found)
    measure.empty_file()
    closed(f"{name} import", lambda: importing(file_format, path), len(found))
    measure.empty_file()
    list(importing(file_format, path))
    gc.collect()
    out = USER / f"out{path.suffix}"
    tell(f"{name} export, untouched", list(timed(exporting(file_format, out))))
    ((_, curve), *_) = package("scene.actions").every_curve(bpy.data.actions[0])
    curve.keyframe_points[1].co.y += 0.25
    found = list(timed(exporting(file_format, out)))
    tell(f"{name} export, edited", found)
    closed(f"{name} export, edited", lambda: exporting(file_format, out), len(found))
    out.unlink()


def main() -> None:
    """Measure the files that are named."""
    measure.enable_extension(USER)
    for path in sys.argv[1:]:
        work_on(Path(path))
    shutil.rmtree(USER)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
