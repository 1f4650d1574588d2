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
from by_path import load
from in_blender import add
from textbook import rotation

bpy = pytest.importorskip("bpy")

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data" / "w3d"


Lay: Any = load(HERE.parent / "formats" / "w3d" / "lay.py").Lay


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


def send_out(path: Path, **options: Any) -> bytes:
    """Export what is active; the bytes written."""
    assert bpy.ops.export_anim.w3d(filepath=str(path), **options) == {"FINISHED"}
    return path.read_bytes()


def send_out_all(path: Path, **options: Any) -> None:
    """Export every Action of what is active, each to a file of its own beside `path`."""
    assert bpy.ops.export_anim.w3d(filepath=str(path), actions="ALL", **options) == {"FINISHED"}


def raw_channels(data: bytes) -> dict[tuple[int, int], bytes]:
    """The bytes of each raw channel in a file, by pivot and kind, in the file's order; read with `struct` alone."""
    found: dict[tuple[int, int], bytes] = {}
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        body = data[at + 8 : at + 8 + (size & 0x7FFF_FFFF)]
        if kind == 0x200:
            found.update(raw_channels(body))
        elif kind == 0x202:
            number, pivot = struct.unpack_from("<2H", body, 6)
            found[pivot, number] = body
        at += 8 + (size & 0x7FFF_FFFF)
    return found


def report_of(name: str) -> str:
    """The import report that the Text of a file holds."""
    return str(bpy.data.texts[f"Source of {name}"].as_string())


def export_report() -> str:
    """What the last export told, if anything."""
    found = bpy.data.texts.get("Export Report")
    return "" if found is None else str(found.as_string())


def curves(armature: Any) -> dict[tuple[str, int], Any]:
    """The F-Curves that an object plays, by data path and index."""
    actions = part("scene.actions")
    return {(curve.data_path, curve.array_index): curve for curve in actions.fcurves_of(armature)}


def curve(armature: Any, bone: str, name: str, index: int = 0) -> Any:
    """One F-Curve of a bone."""
    return curves(armature)[f'pose.bones["{bone}"].{name}', index]


def at(frame: float) -> None:
    """Go to a frame, also between whole ones."""
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))


def bones_at(armature: Any, frame: float) -> dict[str, np.ndarray]:
    """World matrices of the pose bones as Blender evaluates them, constraints included."""
    at(frame)
    seen = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: np.array(seen.matrix_world @ bone.matrix) for bone in seen.pose.bones}


def make_armature(bones: Sequence[tuple[str, str | None, tuple[float, float, float]]], name: str = "Rig") -> Any:
    """An armature of a person's own: (name, parent, head) of each bone, all pointing up."""
    rig = add(name, bpy.data.armatures.new(name), active=True)
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, parent, head in bones:
        made = rig.data.edit_bones.new(bone)
        made.head, made.tail = head, (head[0] + 0.3, head[1] + 0.1, head[2] + 0.9)
        made.parent = rig.data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


# --- A second opinion on what a file shows ------------------------------------------------------


def move(translation: Any, quaternion: Any) -> np.ndarray:
    """(4, 4): turned by a quaternion x, y, z, w, then moved."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation(quaternion), translation
    return matrix


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Degrees between the rotations of two matrices."""
    difference = a[:3, :3].T @ b[:3, :3]
    return math.degrees(2 * math.asin(min(1.0, float(np.linalg.norm(difference - np.eye(3))) / math.sqrt(8))))


def slerp(a: np.ndarray, b: np.ndarray, share: float) -> np.ndarray:
    """The short way along the great arc."""
    cosine = float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    if cosine < 0:
        b, cosine = -b, -cosine
    if cosine > 1 - 1e-9:
        return np.asarray(a + share * (b - a))
    angle_between = math.acos(cosine)
    parts = math.sin((1 - share) * angle_between), math.sin(share * angle_between)
    return np.asarray((parts[0] * a + parts[1] * b) / math.sin(angle_between))


FILTERS = [10.0 ** (at - 8) for at in range(16)] + [1 - math.sin(math.pi / 2 * at / 240) for at in range(240)]


def delta_values(channel: Any) -> np.ndarray:
    """(frames, components) of an adaptive delta channel of 4 bits, summed one after the other as the engine does."""
    value, found = np.array(channel.initial, np.float32), [np.array(channel.initial, float)]
    for row in np.asarray(channel.packets):
        steps = np.array([np.float32(np.float32(FILTERS[packet[0]]) * channel.scale) for packet in row], np.float32)
        for frame in range(16):
            nibbles = (row[:, 1 + frame // 2] >> (4 * (frame % 2))) & 15
            signed = np.where(nibbles > 7, nibbles.astype(int) - 16, nibbles).astype(np.float32)
            value = (value + signed * steps).astype(np.float32)
            found.append(value.astype(float))
    return np.array(found[: channel.frame_count])


def channel_at(channel: Any, frame: float) -> np.ndarray:
    """The value of one channel by Renegade's rules; raw, keyed or delta channel of the reader's document."""
    values = delta_values(channel) if hasattr(channel, "packets") else np.asarray(channel.values, float)
    if hasattr(channel, "first"):
        rest = np.array([0.0, 0, 0, 1]) if values.shape[1] == 4 else np.zeros(values.shape[1])
        inside = channel.first <= round(frame) <= channel.last
        return values[round(frame) - channel.first] if inside else rest
    if not hasattr(channel, "frames"):
        return values[min(round(frame), len(values) - 1)]
    frames = np.asarray(channel.frames, float)
    left = max(int(np.searchsorted(frames, frame, side="right")) - 1, 0)
    if left + 1 >= len(frames) or channel.steps[left + 1]:
        return values[left]
    share = (frame - frames[left]) / (frames[left + 1] - frames[left])
    if values.shape[1] == 4:
        return slerp(values[left], values[left + 1], share)
    mixed: np.ndarray = values[left] + share * (values[left + 1] - values[left])
    return mixed


def worlds(document: Any, frame: int, number: int = 0, skeleton: Any = None) -> dict[str, np.ndarray]:
    """World matrix by pivot name on a whole frame: parent, base, then the channels' own move."""
    hierarchy = (skeleton or document).hierarchies[0]
    animation = document.animations[number]
    moves: dict[int, Any] = {}
    for channel in animation.parts[1:]:
        if hasattr(channel, "pivot") and not hasattr(channel, "default") and channel.type in (0, 1, 2, 6):
            translation, turn = moves.setdefault(channel.pivot, (np.zeros(3), np.array([0.0, 0, 0, 1])))
            if channel.type == 6:
                turn[:] = channel_at(channel, frame)
            else:
                translation[channel.type] = channel_at(channel, frame)[0]
    found: list[np.ndarray] = []
    names = []
    for pivot, record in enumerate(hierarchy.records):
        parent = int(record["parent"])
        above = np.eye(4) if parent == 0xFFFFFFFF else found[parent]
        base = move(record["translation"], record["rotation"])
        found.append(above @ base @ move(*moves[pivot]) if pivot in moves else above @ base)
        names.append(bytes(record["name"]).split(b"\0")[0].decode("latin-1"))
    return dict(zip(names, found, strict=True))
