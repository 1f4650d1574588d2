"""One measurement in a process of its own: `measure.py CASE FRAMES FOLDER` prints one line of JSON.

Time is wall time of the operator (or of the floor) alone, with the processor's time of all threads beside it; Blender's
evaluation afterwards is left out for everyone. Each process does its case twice, floors and all: `first` is the first
time, when Python loads what it needs and memory is touched, `seconds` the second. Peak memory is the highest resident
size during the first, above the size just before.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import struct
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("BLENDER_USER_RESOURCES", "/nonexistent")
HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import bpy  # noqa: E402  after the user folder is known
import models  # noqa: E402
import recordings  # noqa: E402
from alone import enable_extension  # noqa: E402
from in_blender import animate, bag_of, curves_of, generated_rigify  # noqa: E402

import scene  # noqa: E402

HANDS = 53
"""Poses of seven curves in a recording of two hands: the camera's and those of 26 joints twice."""
Measured = tuple[Callable[[], Any], Callable[[], int]]


def resident(field: str) -> int:
    """Bytes of a field of /proc/self/status: VmRSS (now) or VmHWM (highest since the last reset)."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    return 0


def reset_peak() -> None:
    """Start a new VmHWM."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def empty_file() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def motion(ending: str) -> Callable[[Path, int], Path]:
    """The prepared file of that ending."""
    return lambda folder, frames: folder / f"motion_{frames}{ending}"


def importing(
    operator: Any, file: Callable[[Path, int], Path], count: Callable[[], int] = scene.count_keys
) -> Callable[[Path, int], Measured]:
    """Import a file into an empty one."""

    def start(folder: Path, frames: int) -> Measured:
        path = file(folder, frames)
        path.read_bytes()
        empty_file()
        bpy.context.view_layer.update()
        return lambda: operator(filepath=str(path)), count

    return start


def exporting(
    ending: str, operator: Callable[..., Any], source: str = "motion", *, edited: bool = False
) -> Callable[[Path, int], Measured]:
    """Export a prepared .blend, as it is or with one key moved."""

    def start(folder: Path, frames: int) -> Measured:
        bpy.ops.wm.open_mainfile(filepath=str(folder / f"{source}_{frames}.blend"))
        if edited:
            move_a_key()
        bpy.context.view_layer.update()
        return writing(folder, ending, operator)

    return start


def remove_output(path: Path, keys: int) -> int:
    """Take the exported file away again; the number of keys that went into it, 0 if there is no file."""
    if not path.exists() or not path.stat().st_size:
        return 0
    path.unlink()
    return keys


def floor(writer: str, bones: int = 60) -> Callable[[Path, int], Measured]:
    """The same keys through keyframe_points.add and foreach_set alone, no update; armature and curves not counted."""

    def start(_folder: Path, frames: int) -> Measured:
        scene.BONES = bones
        values, bag = scene.motion(frames), bag_of(scene.build_armature())
        return lambda: scene.write_keys(bag, values, getattr(scene, writer)), scene.count_keys

    return start


def showing(source: str) -> Callable[[Path, int], Measured]:
    """Go through a hundred frames of a .blend, one after the other."""

    def start(folder: Path, frames: int) -> Measured:
        bpy.ops.wm.open_mainfile(filepath=str(folder / f"{source}_{frames}.blend"))
        return lambda: [bpy.context.scene.frame_set(frame) for frame in range(1, 101)], scene.count_keys

    return start


def parsing(folder: Path, frames: int) -> Measured:
    """Python's own reading of the AnimJ file, bytes to objects."""
    data = (folder / f"motion_{frames}.animj").read_bytes()
    return lambda: json.loads(data), lambda: len(data)


def spelling(folder: Path, frames: int) -> Measured:
    """Python's own writing of what the AnimJ file holds."""
    data = (folder / f"motion_{frames}.animj").read_bytes()
    held = json.loads(data)
    return lambda: json.dumps(held).encode(), lambda: len(data)


def reading_keys(folder: Path, frames: int) -> Measured:
    """foreach_get of everything that a key has."""
    bpy.ops.wm.open_mainfile(filepath=str(folder / f"motion_{frames}.blend"))
    return scene.read_all_keys, scene.count_keys


def models_of(folder: Path, _frames: int) -> Path:
    """The file of models, not beside the animations, whose imports look at their neighbours."""
    return folder / "models" / "models.w3d"


def models_floor(_folder: Path, _frames: int) -> Measured:
    """The same meshes through foreach_set alone."""
    empty_file()
    return models.floor(), models.count


def codec(ending: str, name: str) -> Callable[[Path, int], Measured]:
    """Our reader alone, bytes to Document."""

    def start(folder: Path, frames: int) -> Measured:
        data = (folder / f"motion_{frames}{ending}").read_bytes()
        sys.path.insert(0, str(SOURCE))
        package = importlib.import_module(f"io_formats.{name}")
        package.read(data[: len(data)])
        return lambda: package.read(data), lambda: len(data)

    return start


IMPORTS: dict[str, tuple[Any, str]] = {
    "W3D raw": (bpy.ops.import_anim.w3d, ".w3d"),
    "AnimX": (bpy.ops.import_anim.animx, ".animx"),
    "AnimJ": (bpy.ops.import_anim.animx, ".animj"),
    "MRTK 1.0": (bpy.ops.import_anim.mrtk, "_10.bin"),
    "MRTK 1.1": (bpy.ops.import_anim.mrtk, "_11.bin"),
    "BVH": (bpy.ops.import_anim.bvh, ".bvh"),
    "glTF": (bpy.ops.import_scene.gltf, ".glb"),
    "FBX (Python)": (bpy.ops.import_scene.fbx, ".fbx"),
    "FBX (C++)": (bpy.ops.wm.fbx_import, ".fbx"),
    "USD (C++)": (bpy.ops.wm.usd_import, ".usdc"),
}


UNTOUCHED = {
    "W3D raw": (".w3d", "w3d", ".w3d"),
    "AnimX": (".animx", "animx", ".animx"),
    "MRTK 1.0": (".bin", "mrtk", "_10.bin"),
}
"""Exports of what was imported and not touched: ending, operator, and ending of the file that was imported."""


def ten_minutes(folder: Path, _frames: int) -> Path:
    """A recording of two hands with tangents, of 357 MiB."""
    return recordings.write_recording(folder / "ten_minutes.bin", 600.0, full=True)


def many_bones(folder: Path, _frames: int) -> Path:
    """Ten thousand bones in AnimX, each with a Position of three linear keys (x, y, z, time)."""
    path = folder / "bones.animx"
    keys = struct.pack("<12f", 0.0, 0.2, 0.3, 0.0, 0.5, 0.2, 0.3, 0.5, 1.0, 0.2, 0.3, 1.0)
    names = (f"Bone{number}".encode() for number in range(10_000))
    tracks = [b"\x02\x17" + bytes([len(name)]) + name + b"\x08Position\x03\0\x01" + keys for name in names]
    head = b"\x05AnimX" + struct.pack("<i", 1) + b"\x90\x4e" + struct.pack("<f", 1.0) + b"\x05bones\0"
    path.write_bytes(b"".join([head, *tracks]))
    return path


def exporting_large(
    package: str, file: Callable[[Path, int], Path], *, edited: bool = False
) -> Callable[[Path, int], Measured]:
    """Export what a file of a size of its own was imported as, untouched or with one key moved."""

    def start(folder: Path, frames: int) -> Measured:
        importer, exporter = (getattr(kind, package) for kind in (bpy.ops.import_anim, bpy.ops.export_anim))
        path = file(folder, frames)
        empty_file()
        importer(filepath=str(path))
        if edited:
            move_a_key()
        return writing(folder, path.suffix, exporter)

    return start


def writing(folder: Path, ending: str, operator: Callable[..., Any]) -> Measured:
    """Export the scene that is open."""
    path, keys = folder / f"out_{os.getpid()}{ending}", scene.count_keys()
    return lambda: operator(filepath=str(path)), lambda: remove_output(path, keys)


def move_a_key() -> None:
    """Move one key of an import, so that its source is not enough for an export."""
    curve = curves_of(bpy.data.actions[0])[3]
    curve.keyframe_points[1].co.y += 0.25
    curve.update()


def checking(build: Callable[[], Any], ending: str, check: str) -> Callable[[Path, int], Measured]:
    """Export a scene and compare what was written with it as closely as *Check* says."""

    def start(folder: Path, _frames: int) -> Measured:
        build()
        operator = getattr(bpy.ops.export_anim, ending[1:])
        return writing(folder, ending, partial(operator, check_playback=check))

    return start


def many_keyed_bones() -> None:
    """The common animation with many more bones, and 50 frames of it."""
    scene.BONES = 1000
    scene.build(50)


def rigify() -> None:
    """Generate a human rig and key some of its controls."""
    empty_file()
    rig = generated_rigify()
    for name in ("torso", "hand_ik.L", "foot_ik.R", "head"):
        animate(rig.pose.bones[name], "location.z", {1: 0.0, 20: 0.1, 40: -0.05})


def cases() -> dict[str, Callable[[Path, int], Measured]]:
    """Every measurement by name."""
    found: dict[str, Callable[[Path, int], Measured]] = {
        f"import {name}": importing(operator, motion(ending)) for name, (operator, ending) in IMPORTS.items()
    }
    labels = {".w3d": "W3D raw", ".animx": "AnimX", ".animj": "AnimJ", ".bvh": "BVH", ".glb": "glTF"}
    labels |= {".fbx": "FBX (Python)", ".usdc": "USD (C++)"}
    for ending, operator in {**scene.OUR_EXPORTS, **scene.THEIR_EXPORTS}.items():
        found[f"export {labels[ending]}"] = exporting(ending, operator)
    for version in ("1.0", "1.1"):
        found[f"export MRTK {version}"] = exporting(
            ".bin", partial(bpy.ops.export_anim.mrtk, version=version), f"hands_{version}"
        )
    for name, (ending, package, _) in UNTOUCHED.items():
        operator, source = getattr(bpy.ops.export_anim, package), f"untouched_{package}"
        found[f"export untouched {name}"] = exporting(ending, operator, source)
        found[f"export edited {name}"] = exporting(ending, operator, source, edited=True)
    found |= {
        "frame_set imported": showing("untouched_w3d"),
        "frame_set plain": showing("motion"),
        "import W3D models": importing(bpy.ops.import_anim.w3d, models_of, models.count),
        "floor W3D models": models_floor,
        "floor linear": floor("write_linear"),
        "floor handles": floor("write_with_handles"),
        "floor MRTK linear": floor("write_linear", HANDS),
        "floor MRTK handles": floor("write_with_handles", HANDS),
        "floor open .blend": importing(bpy.ops.wm.open_mainfile, motion(".blend")),
        "floor json.loads": parsing,
        "floor json.dumps": spelling,
        "floor foreach_get": reading_keys,
        "codec W3D raw": codec(".w3d", "w3d"),
        "codec AnimX": codec(".animx", "animx"),
        "codec MRTK 1.0": codec("_10.bin", "mrtk"),
        "codec MRTK 1.1": codec("_11.bin", "mrtk"),
        "import of ten minutes": importing(bpy.ops.import_anim.mrtk, ten_minutes),
        "export of ten minutes, untouched": exporting_large("mrtk", ten_minutes),
        "import of 10,000 bones": importing(bpy.ops.import_anim.animx, many_bones),
        "export of 10,000 bones, untouched": exporting_large("animx", many_bones),
        "export of 10,000 bones, edited": exporting_large("animx", many_bones, edited=True),
    }
    rigs = {"1,000 bones": many_keyed_bones, "a Rigify rig": rigify}
    for (rig, build), ending, check in product(rigs.items(), (".animx", ".w3d"), ("Off", "Quick")):
        found[f"export of {rig}, {ending}, check {check}"] = checking(build, ending, check.upper())
    return found


class Evaluation:
    """Adds up the time that Blender's evaluation of the view layer takes before and after each operator."""

    def __init__(self) -> None:
        self.seconds = self.worked = 0.0
        self._update = bpy.ops._BPyOpsSubModOp._view_layer_update
        bpy.ops._BPyOpsSubModOp._view_layer_update = staticmethod(self._timed)

    def _timed(self, context: Any) -> None:
        started, worked = time.perf_counter(), time.process_time()
        self._update(context)
        self.seconds += time.perf_counter() - started
        self.worked += time.process_time() - worked


def measure(case: str, frames: int, folder: Path) -> dict[str, Any]:
    """Run one case twice, Blender's evaluation around the operators left out."""
    evaluation = Evaluation()
    first = measure_once(case, frames, folder, evaluation)
    again = measure_once(case, frames, folder, evaluation)
    return {**again, "case": case, "frames": frames, "first": first["seconds"], "peak": first["peak"]}


def measure_once(case: str, frames: int, folder: Path, evaluation: Evaluation) -> dict[str, Any]:
    """Prepare and run one case."""
    action, count = cases()[case](folder, frames)
    gc.collect()
    before = resident("VmRSS")
    reset_peak()
    evaluation.seconds = evaluation.worked = 0.0
    started, worked = time.perf_counter(), time.process_time()
    action()
    worked = time.process_time() - worked - evaluation.worked
    seconds = time.perf_counter() - started - evaluation.seconds
    return {"seconds": seconds, "processor": worked, "peak": resident("VmHWM") - before, "keys": count()}


def prepare_all(folder: Path, frames: int) -> None:
    """Make the files that the cases read."""
    models_of(folder, frames).parent.mkdir(exist_ok=True)
    models.write(models_of(folder, frames))
    for full, ending in ((True, "_10.bin"), (False, "_11.bin")):
        recordings.write_recording(folder / f"motion_{frames}{ending}", frames / recordings.RATE, full=full)
    scene.prepare(folder, frames)
    blends = [("hands_1.0", "mrtk", "_10.bin", False), ("hands_1.1", "mrtk", "_11.bin", False)]
    blends += [(f"untouched_{package}", package, ending, True) for _, package, ending in UNTOUCHED.values()]
    for name, package, ending, keep in blends:
        path = folder / f"{name}_{frames}.blend"
        if not path.exists():
            empty_file()
            importer = getattr(bpy.ops.import_anim, package)
            importer(filepath=str(motion(ending)(folder, frames)), keep_source=keep)
            bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)


def main() -> None:
    """Measure, or prepare with the case "prepare"; then leave without taking Blender apart."""
    case, frames, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    enable_extension(Path(os.environ["BLENDER_USER_RESOURCES"]))
    status = 1
    try:
        if case == "prepare":
            prepare_all(folder, frames)
        else:
            sys.stdout.write("\n@" + json.dumps(measure(case, frames, folder)) + "\n")
        status = 0
    except (RuntimeError, AttributeError, OSError) as error:
        sys.stdout.write("\n@" + json.dumps({"case": case, "frames": frames, "error": str(error)[:300]}) + "\n")
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
