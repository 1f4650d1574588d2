"""Measure the house: what each start of Blender pays, sizes, imports, and what an import and an edited export enter,
each beside its goal.

    python tools/measure_house.py [--source FOLDER] [--start] [--files] [--blocks] [--json FILE]

Needs a Python that has Blender as a module for the modules entered. `--source` measures another checkout with the same
measures.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import importlib
import inspect
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
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


GOALS: dict[str, object] = {
    "enabling, ms of the processor": 40,
    "modules that enabling loads": 45,
    "of these, with numpy": 0,
    "--help above an empty Python, ms": 100,
    "lines, German apart": 32200,
    "lines of functions' bodies": 15600,
    "lines of tests": 38500,
    "modules": 180,
    "modules with one importer": 40,
    "modules below 60 lines": 8,
    "floors of imports": 16,
    "circles of imports": 0,
    "classes above 200 lines, options apart": 0,
    "names bound twice": 0,
    "private functions of 3 lines, named once": 120,
    "names that end in _in_steps": 60,
    "comments in 100 lines of kernels": 4,
    "kernels with fewer than 2 comments": 0,
    "sentences without a unit": 0,
    "words of README, docs and CHANGELOG": 26000,
    "modules that an import enters": 50,
    "functions that an import calls": 400,
    "calls deep, import": 18,
    "modules that an edited export enters": 65,
    "functions that an edited export calls": 600,
}
"""At most, for comments at least. Lines are those that are not empty."""


def kernels(files: Sequence[Path]) -> list[Path]:
    """Return the modules that reckon with keys, curves or bits: the engine and the codecs of channels."""
    names = ("adaptive_delta", "encode_channels", "key_order", "containers", "unity_keys")
    declared = ("__init__", "messages", "model")
    of_clip = [path for path in files if path.parent.name == "clip" and path.stem not in declared]
    return of_clip + [
        path for path in files if path not in of_clip and (path.stem.endswith("_keys") or path.stem in names)
    ]


def comments_in(path: Path) -> float:
    """Count the lines that are a comment for each 100 lines of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return 100 * sum(line.strip().startswith("#") for line in lines) / max(1, counts.lines_of(path))


def measure_texts(source: Path) -> dict[str, Any]:
    """Measure what the source tree says by itself."""
    files = counts.files_of(source, *(place for place in counts.PRODUCT if (source / place).exists()))
    ours = [path for path in files if path.relative_to(source).as_posix() not in TRANSLATIONS]
    sentences = [path for path in files if path.name in ("messages.py", "de.py")]
    words = [source / "README.md", source / "CHANGELOG.md", *(source / "docs").rglob("*.md")]
    return {
        "lines, German apart": sum(map(counts.lines_of, ours)),
        "lines of tests": sum(map(counts.lines_of, counts.files_of(source, "tests"))),
        **measure_functions(ours),
        **measure_modules(files, ours),
        "comments in 100 lines of kernels": round(statistics.mean(map(comments_in, kernels(ours))), 1),
        "kernels with fewer than 2 comments": sum(comments_in(path) < 2 for path in kernels(ours)),
        "sentences without a unit": sum(len(counts.unmeasured(path)) for path in sentences),
        "words of README, docs and CHANGELOG": sum(len(path.read_text(encoding="utf-8").split()) for path in words),
        "Any per 1,000 lines": any_by_room(source, ours),
        f"blocks of {counts.BLOCK} lines that stand twice": len(counts.duplicated_blocks(ours)),
    }


def measure_functions(files: Sequence[Path]) -> dict[str, Any]:
    """Measure functions and classes, and the names that they have."""
    trees = [counts.tree_of(path) for path in files]
    lengths = [counts.body_length(function) for tree in trees for function in counts.functions_of(tree)]
    classes = [node for tree in trees for node in counts.nodes_of(tree) if isinstance(node, ast.ClassDef)]
    long = [node for node in classes if (node.end_lineno or 0) - node.lineno >= 200]
    return {
        "lines of functions' bodies": sum(lengths),
        "functions": len(lengths),
        "longest function (lines of its body)": max(lengths),
        "median function (lines of its body)": statistics.median(lengths),
        "classes above 200 lines, options apart": sum(not node.name.endswith("Options") for node in long),
        "names bound twice": sum(len(counts.names_bound_twice(tree)) for tree in trees),
        "private functions of 3 lines, named once": sum(len(counts.named_once(tree)) for tree in trees),
        "names that end in _in_steps": sum(len(re.findall(r"_in_steps\b", path.read_text("utf-8"))) for path in files),
    }


def measure_modules(files: Sequence[Path], ours: Sequence[Path]) -> dict[str, Any]:
    """Measure the modules, and the graph of their imports."""
    reach = counts.reached(files)
    importers = Counter(other for path in files for other in set(counts.imported(path)))
    small = [path for path in ours if counts.lines_of(path) < 60 and path.name not in ("__init__.py", "messages.py")]
    return {
        "modules": len(files),
        "modules with one importer": sum(count == 1 for count in importers.values()),
        "modules below 60 lines": len(small),
        "floors of imports": counts.floors(reach),
        "circles of imports": len(counts.circles(reach)),
    }


def any_by_room(source: Path, files: Sequence[Path]) -> dict[str, float]:
    """Count `Any` for each 1,000 lines, in all and in each room."""
    rooms = {"all": list(files)}
    for room in ROOMS:
        rooms[room] = [path for path in files if path.is_relative_to(source / room)]
    return {room: counts.any_density(found) for room, found in rooms.items() if found}


# --- What an import and an export enter ---------------------------------------------------------


class Entered:
    """The functions of the package that ran while this was active."""

    def __init__(self, source: Path) -> None:
        self._source = str(source.resolve()) + os.sep
        self._known: dict[str, str] = {}
        self._functions: set[CodeType] = set()
        self._depth = self._deepest = 0

    def during(self, work: Callable[[], object]) -> dict[str, Any]:
        """Run something; the files whose functions it entered in all threads, how many these are, and how deep."""
        self._functions, self._depth, self._deepest = set(), 0, 0
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            work()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]  # allowed, as for sys
        files = {self._known[code.co_filename] for code in self._functions}
        return {"files": sorted(files), "functions": len(self._functions), "depth": self._deepest}

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        """Note a function of ours that is called; modules that are imported and comprehensions are none."""
        code = frame.f_code
        if event in ("call", "return") and code.co_flags & inspect.CO_OPTIMIZED and code.co_name[0] != "<":
            name = code.co_filename
            if name not in self._known:
                self._known[name] = self._within(name)
            if self._known[name]:
                self._functions.add(code)
                self._depth += 1 if event == "call" else -1
                self._deepest = max(self._deepest, self._depth)

    def _within(self, name: str) -> str:
        """Return the path of a product's file within the source tree; empty for others, and for code without a file."""
        path = "" if name.startswith("<") else os.path.realpath(name)
        inner = path[len(self._source) :] if path.startswith(self._source) else ""
        return inner if inner.startswith(counts.PRODUCT) else ""


def measure_entered(source: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Import a recording of each format and export it with a key moved; what each enters."""
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
    """Start Blender and enable the extension of a source tree, compiled as after its first start; what that takes.

    An empty one is enabled before: with the first, whichever it is, Blender loads what it needs for extensions.
    """
    for place in filter(Path.is_dir, (source / name for name in counts.PRODUCT)):
        compileall.compile_dir(place, quiet=1)
    user_folder = Path(tempfile.mkdtemp(prefix="anim_curves_house_"))
    os.environ["BLENDER_USER_RESOURCES"] = str(user_folder)
    extensions = user_folder / "extensions" / "user_default"
    extensions.mkdir(parents=True)
    (extensions / "io_anim_curves").symlink_to(source, target_is_directory=True)
    (extensions / "empty").mkdir()
    (extensions / "empty" / "__init__.py").write_text("def register(): ...\ndef unregister(): ...\n", encoding="utf-8")
    shutil.copy(source / "blender_manifest.toml", extensions / "empty")
    importlib.import_module("bpy")
    enable = importlib.import_module("addon_utils").enable
    enable(PACKAGE.replace("io_anim_curves", "empty"), default_set=True)
    begun = time.process_time()
    enable(PACKAGE, default_set=True)
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


def measure_help(source: Path) -> dict[str, Any]:
    """Ask the command line for its help; what that takes of the processor beside a Python that does nothing."""

    def taken(*arguments: str) -> float:
        before = os.times()
        subprocess.run([sys.executable, *arguments], cwd=source, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    helped, empty = (min(taken(*given) for _ in range(7)) for given in (("-m", "io_formats", "--help"), ("-c", "")))
    return {"--help above an empty Python, ms": round(1000 * (helped - empty))}


def show(found: dict[str, Any], entered: dict[str, dict[str, dict[str, Any]]], *, files: bool) -> None:
    """Write the measures, a line each, with the goal behind those that have one."""
    for way in ("import", "edited export") if entered else ():
        for title, measure in (
            ("modules that an {} enters", "files"),
            ("functions that an {} calls", "functions"),
            ("calls deep, {}", "depth"),
        ):
            values = {name: each[way][measure] for name, each in entered.items()}
            found[title.format(way)] = {
                name: len(value) if measure == "files" else value for name, value in values.items()
            }
    for name, value in found.items():
        shown = ", ".join(f"{room} {number}" for room, number in value.items()) if isinstance(value, dict) else value
        say(f"{name:44} {shown!s:30} {GOALS.get(name, '')}".rstrip())
    for each in entered.values() if files else ():
        for way, measured in each.items():
            say("\n    ".join([way, *measured["files"]]))


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
    found.update({} if options.start else {**measure_help(source), **measure_texts(source)})
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
