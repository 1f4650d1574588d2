"""The longest steps of long work: `steps.py FOLDER [NAME...]` imports large files, exports them and takes them back.

Between two steps a window hears ESC, so that the longest one is what a person waits. Prints for each piece of work how
many steps it has and the longest ones in seconds of the processor, with where in the sources each began and ended.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("/nonexistent")
os.environ["BLENDER_USER_RESOURCES"] = str(FOLDER / "user")

import bpy  # noqa: E402  after the user folder is known
import measure  # noqa: E402
import recordings  # noqa: E402

SHOWN = 6
"""Steps that are told of each piece of work."""
LEAST = 0.1
"""Seconds below which a step is not told."""
ROOT = "bl_ext.user_default.io_anim_curves"
MINUTE = 60.0
LENGTHS = {"animx": 5 * MINUTE, "animj": 1 * MINUTE, "w3x": 5 * MINUTE}
TAKES = 400


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def package(name: str) -> Any:
    """A module of the extension."""
    __import__(f"{ROOT}.{name}")
    return sys.modules[f"{ROOT}.{name}"]


def prepare(folder: Path) -> dict[str, Path]:
    """The files, made if they are not there yet."""
    files = {"mrtk": recordings.write_recording(folder / "ten_minutes.bin", 10 * MINUTE, full=True)}
    for name, seconds in LENGTHS.items():
        files[name] = folder / f"long.{name}"
        if not files[name].exists():
            export_recording(files[name], seconds)
    files["w3d"] = folder / "takes.w3d"
    if not files["w3d"].exists():
        export_recording(folder / "take.w3d", 3.0)
        write_takes(folder / "take.w3d", files["w3d"])
    return files


def export_recording(path: Path, seconds: float) -> None:
    """Write what a recording of that length plays in another format."""
    source = path.with_suffix(".bin")
    source.write_bytes(recordings.recording(seconds, full=False))
    measure.empty_file()
    bpy.ops.import_anim.mrtk(filepath=str(source))
    kind = "animx" if path.suffix == ".animj" else path.suffix[1:]
    getattr(bpy.ops.export_anim, kind)(filepath=str(path))
    source.unlink()


def write_takes(source: Path, path: Path) -> None:
    """Write a skeleton and many animations: a W3D file is a row of chunks, those of animations can stand again."""
    data, chunks, place = source.read_bytes(), [], 0
    while place < len(data):
        size = int.from_bytes(data[place + 4 : place + 8], "little") & 0x7FFFFFFF
        chunks.append(data[place : place + 8 + size])
        place += 8 + size
    skeleton = [chunk for chunk in chunks if chunk[:4] == b"\x00\x01\x00\x00"]
    moving = [chunk for chunk in chunks if chunk[:4] != b"\x00\x01\x00\x00"]
    path.write_bytes(b"".join([*skeleton, *moving * TAKES]))


def place_of(steps: Any) -> str:
    """Where a generator waits: the innermost of those that it drives."""
    frame = None
    while steps is not None and getattr(steps, "gi_frame", None) is not None:
        frame = steps.gi_frame
        waiting = frame.f_locals.get("waiting")  # of `running`, whose last one runs
        steps = steps.gi_yieldfrom or (waiting[-1].steps if waiting else frame.f_locals.get("steps"))
    return "-" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def timed(steps: Generator[Any, None, Any], most: int | None = None) -> Iterator[tuple[float, str, str]]:
    """Do steps, at most so many; yield seconds of the processor, and where each began and ended."""
    done = 0
    while most is None or done < most:
        before, start = place_of(steps), time.process_time()
        try:
            next(steps)
        except StopIteration:
            yield time.process_time() - start, before, "the end"
            return
        yield time.process_time() - start, before, place_of(steps)
        done += 1


def tell(name: str, found: list[tuple[float, str, str]]) -> None:
    """Print the longest steps."""
    say(f"{name}: {len(found)} steps, {sum(step[0] for step in found):.2f} s")
    for seconds, before, after in sorted(found, reverse=True)[:SHOWN]:
        if seconds >= LEAST:
            say(f"    {seconds:.2f} s  {before} -> {after}")


def closed(name: str, make: Callable[[], Any], count: int) -> None:
    """Do nine tenths of all steps, and tell how long it takes to take them back."""
    steps = make()
    for _ in timed(steps, count * 9 // 10):
        continue
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


def work_on(name: str, path: Path) -> None:
    """Import a file, take an import back, export it as it is and edited, take an export back."""
    file_format = package("io_formats").format_of(path.suffix)
    say(f"{name}: {path.stat().st_size / 1e6:.0f} MB")
    measure.empty_file()
    found = list(timed(importing(file_format, path)))
    tell(f"{name} import", found)
    measure.empty_file()
    closed(f"{name} import", lambda: importing(file_format, path), len(found))
    measure.empty_file()
    list(importing(file_format, path))
    gc.collect()
    out = path.with_name(f"out{path.suffix}")
    tell(f"{name} export, untouched", list(timed(exporting(file_format, out))))
    ((_, curve), *_) = package("scene.actions").every_curve(bpy.data.actions[0])
    curve.keyframe_points[1].co.y += 0.25
    found = list(timed(exporting(file_format, out)))
    tell(f"{name} export, edited", found)
    closed(f"{name} export, edited", lambda: exporting(file_format, out), len(found))
    out.unlink()


def main() -> None:
    """Measure the files that are named, or all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    measure.enable_extension(FOLDER / "user")
    for name, path in prepare(FOLDER).items():
        if name in sys.argv[2:] or not sys.argv[2:]:
            work_on(name, path)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
