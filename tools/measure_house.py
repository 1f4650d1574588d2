"""Measure the house: what each start of Blender pays, sizes, types and docstrings, and the modules that an import and
an edited export enter.

    python tools/measure_house.py [--source FOLDER] [--start] [--files] [--blocks] [--json FILE]

Needs a Python that has Blender as a module for the modules entered. `--source` measures another checkout with the same
measures; docs/developing.md has the table of goals.
"""

from __future__ import annotations

import argparse
import compileall
import importlib
import inspect
import json
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import house_counts as counts

PACKAGE = "bl_ext.user_default.io_anim_curves"
ROOMS = ("io_formats", "scene", "pipeline", "operators")
TRANSLATIONS = ("operators/locale/de.py", "operators/german.py")
RECORDINGS = {
    "mrtk": "samples/two_hands_mrtk_1.1.bin",
    "w3d": "samples/five_bones_raw_w3d.w3d",
    "animx": "samples/walk.animx",
}


def say(text: str) -> None:
    """Write a line for the person who measures."""
    sys.stdout.write(text + "\n")


def measure_texts(source: Path) -> dict[str, Any]:
    """Measure what the source tree says by itself."""
    files = counts.files_of(source, *(place for place in counts.PRODUCT if (source / place).exists()))
    ours = [path for path in files if path.relative_to(source).as_posix() not in TRANSLATIONS]
    trees = [counts.tree_of(path) for path in ours]
    functions = [function for tree in trees for function in counts.functions_of(tree)]
    with_arrays = [found for tree in trees for found in counts.public_functions(tree) if counts.has_arrays(found)]
    return {
        "modules": len(files),
        "root modules of io_formats": len(list((source / "io_formats").glob("*.py"))),
        "lines without translations": sum(map(line_count, ours)),
        "functions": len(functions),
        "longest function (lines of its body)": max(map(counts.body_length, functions)),
        "median function (lines of its body)": statistics.median(map(counts.body_length, functions)),
        "Any per 1,000 lines": any_by_room(source, ours),
        "functions with arrays that name shapes, %": round(
            100 * sum(map(counts.names_a_shape, with_arrays)) / len(with_arrays)
        ),
        f"blocks of {counts.BLOCK} lines that stand twice": len(counts.duplicated_blocks(ours)),
    }


def line_count(path: Path) -> int:
    """Count the lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def any_by_room(source: Path, files: Sequence[Path]) -> dict[str, float]:
    """Count `Any` for each 1,000 lines, in all and in each room."""
    rooms = {"all": list(files)}
    for room in ROOMS:
        rooms[room] = [path for path in files if path.is_relative_to(source / room)]
    return {room: counts.any_density(found) for room, found in rooms.items() if found}


# --- What an import and an export enter ---------------------------------------------------------


class Entered:
    """The source files of the package whose functions ran while this was active."""

    def __init__(self, source: Path) -> None:
        self._source = str(source.resolve()) + os.sep
        self._known: dict[str, str] = {}
        self.files: set[str] = set()

    def during(self, work: Callable[[], object]) -> list[str]:
        """Run something; the files whose functions it entered, in all threads."""
        self.files = set()
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            work()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]  # allowed, as for sys
        return sorted(self.files - {""})

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        """Note the file of a function that is called; a module that is only imported is not entered."""
        name = frame.f_code.co_filename
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            if name not in self._known:
                self._known[name] = self._within(name)
            self.files.add(self._known[name])

    def _within(self, name: str) -> str:
        """Return the path of a product's file within the source tree; empty for others, and for code without a file."""
        path = "" if name.startswith("<") else os.path.realpath(name)
        inner = path[len(self._source) :] if path.startswith(self._source) else ""
        return inner if inner.startswith(counts.PRODUCT) else ""


def measure_entered(source: Path) -> dict[str, dict[str, list[str]]]:
    """Import a recording of each format and export it with a key moved; the files entered by each."""
    bpy = importlib.import_module("bpy")
    entered, result = Entered(source), {}
    folder = Path(tempfile.mkdtemp(prefix="anim_curves_house_"))
    for name, recording in RECORDINGS.items():
        path = source / recording
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        bring_in, send_out = getattr(bpy.ops.import_anim, name), getattr(bpy.ops.export_anim, name)
        # bound now: the loop goes on
        imported = entered.during(lambda act=bring_in, path=path: act(filepath=str(path)))
        raise_a_key(bpy)
        exported = entered.during(lambda act=send_out, path=path: act(filepath=str(folder / path.name)))
        result[name] = {"import": imported, "edited export": exported}
    shutil.rmtree(folder)
    return result


def measure_enabling(source: Path) -> dict[str, Any]:
    """Start Blender and enable the extension of a source tree, compiled as after its first start; what that takes."""
    for place in filter(Path.is_dir, (source / name for name in counts.PRODUCT)):
        compileall.compile_dir(place, quiet=1)
    user_folder = Path(tempfile.mkdtemp(prefix="anim_curves_house_"))
    os.environ["BLENDER_USER_RESOURCES"] = str(user_folder)
    extensions = user_folder / "extensions" / "user_default"
    extensions.mkdir(parents=True)
    (extensions / "io_anim_curves").symlink_to(source, target_is_directory=True)
    importlib.import_module("bpy")
    begun = time.process_time()
    importlib.import_module("addon_utils").enable(PACKAGE, default_set=True)
    taken = time.process_time() - begun
    ours = [module for name, module in sys.modules.items() if name == PACKAGE or name.startswith(PACKAGE + ".")]
    return {
        "enabling, ms of the processor": round(1000 * taken),
        "modules that enabling loads": len(ours),
        "of these, with numpy": sum("np" in vars(module) for module in ours),
    }


def raise_a_key(bpy: Any) -> None:
    """Move a key of every curve of every Action up by an eighth, with its handles."""
    for action in bpy.data.actions:
        for curve in curves_of(action):
            key = curve.keyframe_points[len(curve.keyframe_points) // 2]
            for point in (key.co, key.handle_left, key.handle_right):
                point[1] += 0.125
        action.update_tag()


def curves_of(action: Any) -> Iterator[Any]:
    """Yield the F-Curves of an Action, in any Blender."""
    if hasattr(action, "layers"):
        yield from (
            curve
            for layer in action.layers
            for strip in layer.strips
            for bag in strip.channelbags
            for curve in bag.fcurves
        )
    else:
        yield from action.fcurves


def show(found: dict[str, Any], entered: dict[str, dict[str, list[str]]], *, files: bool) -> None:
    """Write the measures, a line each."""
    for name, value in found.items():
        shown = ", ".join(f"{room} {number}" for room, number in value.items()) if isinstance(value, dict) else value
        say(f"{name:44} {shown}")
    for name, ways in entered.items():
        for way, paths in ways.items():
            say(f"{f'modules that an {way} enters, {name}':44} {len(paths)}")
            for path in paths if files else ():
                say(f"    {path}")


def main() -> None:
    """Measure the tree that the command line names, and leave before Blender is taken apart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--files", action="store_true", help="name the modules that are entered")
    parser.add_argument("--blocks", action="store_true", help="name the places of blocks that stand twice")
    parser.add_argument("--start", action="store_true", help="measure only what enabling the extension takes")
    parser.add_argument("--json", type=Path, help="write the numbers there too")
    options = parser.parse_args()
    source = options.source.resolve()
    found = measure_enabling(source)
    entered = {} if options.start else measure_entered(source)
    found.update({} if options.start else measure_texts(source))
    show(found, entered, files=options.files)
    for places in counts.duplicated_blocks(counts.files_of(source, *ROOMS)) if options.blocks else ():
        say("twice: " + ", ".join(f"{path.relative_to(source)}:{line}" for path, line in places))
    if options.json:
        options.json.write_text(json.dumps({**found, "entered": entered}, indent=1) + "\n", encoding="utf-8")
    sys.stdout.flush()
    shutil.rmtree(os.environ["BLENDER_USER_RESOURCES"], ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    main()
