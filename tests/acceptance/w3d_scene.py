"""W3D files laid by hand, brought into Blender and sent out again, and poses composed apart from the project's code."""

from __future__ import annotations

import importlib.util
import math
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import add_armature, bones_seen
from in_blender import fcurves as curves
from lay import Lay as Lay
from scenes.players import w3d

bpy = pytest.importorskip("bpy")

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data" / "w3d"


def part(place: str) -> Any:
    """A module of the extension by its place, such as `io_formats.w3d`."""
    return importlib.import_module(f"bl_ext.user_default.io_anim_curves.{place}")


def write(path: Path, *chunks: bytes) -> Path:
    """A file of these chunks; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(chunks))
    return path


def set_rate(rate: int = 30) -> None:
    """Whole frames per second for the scene."""
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = rate, 1.0


def bring_in(path: Path, **options: Any) -> Any:
    """Import one file; the armature that is active then."""
    assert bpy.ops.import_anim.w3d(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def bring_in_all(paths: Sequence[Path], **options: Any) -> set[str]:
    """Import files of one folder at once."""
    files = [{"name": path.name} for path in paths]
    result: set[str] = bpy.ops.import_anim.w3d(directory=str(paths[0].parent), files=files, **options)
    return result


def send_out(path: Path, name: str = "w3d", **options: Any) -> bytes:
    """Export what is active; the bytes written."""
    assert getattr(bpy.ops.export_anim, name)(filepath=str(path), **options) == {"FINISHED"}
    return path.read_bytes()


def send_out_all(folder: Path, **options: Any) -> dict[str, bytes]:
    """Export every Action of what is active, each to a file of its own in a folder; the bytes by file name."""
    folder.mkdir(exist_ok=True)
    assert bpy.ops.export_anim.w3d(filepath=str(folder / "x.w3d"), actions="ALL", **options) == {"FINISHED"}
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def raw_channels(data: bytes) -> dict[tuple[int, int], bytes]:
    """The bytes of each raw channel in a file, by pivot and kind, in the file's order."""
    parts = [part for top, body in w3d.chunks(data) if top == 0x200 for part in w3d.chunks(body)]
    channels = [body for kind, body in parts if kind == 0x202]
    return {(pivot, kind): body for body in channels for kind, pivot in [struct.unpack_from("<2H", body, 6)]}


def report_of(name: str) -> str:
    """The import report that the Text of a file holds."""
    return str(bpy.data.texts[f"Source of {name}"].as_string())


def export_report() -> str:
    """What the last export told, if anything."""
    found = bpy.data.texts.get("Export Report")
    return "" if found is None else str(found.as_string())


def curve(armature: Any, bone: str, name: str, index: int = 0) -> Any:
    return curves(armature)[f'pose.bones["{bone}"].{name}', index]


def bones_at(armature: Any, frame: float) -> dict[str, np.ndarray]:
    """World matrices of the pose bones as Blender evaluates them, constraints included."""
    return {bone: seen[0] for bone, seen in bones_seen(armature, [frame]).items()}


def make_armature(bones: Sequence[tuple[str, str | None, tuple[float, float, float]]], name: str = "Rig") -> Any:
    """An armature of a person's own: (name, parent, head) of each bone, all pointing up."""
    rig = add_armature(name, [(*bone, np.add(bone[2], (0.3, 0.1, 0.9))) for bone in bones])
    rig.select_set(True)
    return rig


# --- A second opinion on what a file shows ------------------------------------------------------


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Degrees between the rotations of two matrices."""
    difference = a[:3, :3].T @ b[:3, :3]
    return math.degrees(2 * math.asin(min(1.0, float(np.linalg.norm(difference - np.eye(3))) / math.sqrt(8))))


def worlds(data: bytes, frame: float, number: int = 0, skeleton: bytes = b"") -> dict[str, np.ndarray]:
    """World matrix by pivot name, as the tests' own player shows the file."""
    player = w3d.Player.of(data, number, skeleton)
    return dict(zip(player.names, player.worlds(frame), strict=True))


def seen_worlds(armature: Any, frames: range) -> list[dict[str, np.ndarray]]:
    """World matrices of the bones frame by frame."""
    return [bones_at(armature, frame) for frame in frames]


def furthest(data: bytes, expected: Sequence[dict[str, np.ndarray]], number: int = 0) -> tuple[float, float]:
    """Largest distance and angle (degrees) between the file's worlds and those seen, by upper-case names."""
    distance = turn = 0.0
    for frame, seen in enumerate(expected):
        shown = worlds(data, frame, number)
        for name, world in seen.items():
            other = shown[name.upper()[:15]]
            distance = max(distance, float(np.abs(world[:3, 3] - other[:3, 3]).max()))
            size = np.append(np.linalg.norm(world[:3, :3], axis=0), 1.0)
            turn = max(turn, angle(world / size, other))
    return distance, turn
