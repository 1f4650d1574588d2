"""Recordings into Blender and out again, as a user does it, what differs between two files, and where joints are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import mrtk_reference
import numpy as np
import pytest
from in_blender import add_armature
from in_blender import curves_of as curves_of
from in_blender import fcurves as fcurves
from scenes.players.mrtk import Player
from textbook import rotation

bpy = pytest.importorskip("bpy")

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data" / "mrtk"
RATES = {"24": (24, 1.0), "30/1.001": (30, 1.001), "60": (60, 1.0), "48/2": (48, 2.0)}
# component of the file -> (property, array index, sign) in Blender: (x, z, y) and (w, -x, -z, -y)
PLACES = {
    "PositionX": ("location", 0, 1),
    "PositionY": ("location", 2, 1),
    "PositionZ": ("location", 1, 1),
    "RotationX": ("rotation_quaternion", 1, -1),
    "RotationY": ("rotation_quaternion", 3, -1),
    "RotationZ": ("rotation_quaternion", 2, -1),
    "RotationW": ("rotation_quaternion", 0, 1),
    "OriginX": ("location", 0, 1),
    "OriginY": ("location", 2, 1),
    "OriginZ": ("location", 1, 1),
    "DirectionX": ("location", 0, 1),
    "DirectionY": ("location", 2, 1),
    "DirectionZ": ("location", 1, 1),
}
SWITCHES = {
    "handTrackedCurveLeft": ("Wrist.L", "tracked"),
    "handTrackedCurveRight": ("Wrist.R", "tracked"),
    "handPinchCurveLeft": ("Wrist.L", "pinching"),
    "handPinchCurveRight": ("Wrist.R", "pinching"),
}
POSITION = ("PositionX", "PositionY", "PositionZ")
ROTATION = ("RotationX", "RotationY", "RotationZ", "RotationW")
DOUBLE_KEYS = ('pose.bones["Palm.L"].location', 1)
"""The curve of v10_curve_shapes with two keys at one time, which Blender makes one as soon as it updates the curve."""

Key = tuple[str, ...]
"""A curve's place in the file: ("jointsLeft", "Palm", "PositionX"), ("camera", "RotationW"), ("bool", name)."""


def set_rate(rate: str) -> float:
    """Set the scene's rate; frames per second."""
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = RATES[rate]
    return float(scene.render.fps / scene.render.fps_base)


def bring_in(path: Path, **options: Any) -> Any:
    """Import; the armature."""
    assert bpy.ops.import_anim.mrtk(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def send_out(path: Path, **options: Any) -> bytes:
    """Export; the bytes written."""
    assert bpy.ops.export_anim.mrtk(filepath=str(path), **options) == {"FINISHED"}
    return path.read_bytes()


def own_rig(bones: dict[str, tuple[str | None, tuple[float, float, float]]]) -> Any:
    """An armature of one's own with bones of these parents and heads, each along Y."""
    told = bones.items()
    return add_armature("Own", [(name, parent, head, np.add(head, (0, 0.1, 0))) for name, (parent, head) in told])


def export_report() -> str:
    """What the last export told."""
    return str(bpy.data.texts["Export Report"].as_string())


def bone_of(key: Key) -> str:
    """The bone that a curve of the file drives."""
    if key[0] == "camera":
        return "Camera"
    if key[0] == "gaze":
        return "Gaze" if key[1].startswith("Origin") else "GazeDirection"
    return f"{key[1]}.{'L' if key[0] == 'jointsLeft' else 'R'}"


def fcurve_of(found: dict[tuple[str, int], Any], key: Key) -> tuple[Any, int]:
    """The F-Curve of a curve of the file, None if there is none, and the sign between their values."""
    if key[0] == "bool":
        bone, name = SWITCHES[key[1]]
        return found.get((f'pose.bones["{bone}"]["{name}"]', 0)), 1
    name, index, sign = PLACES[key[-1]]
    return found.get((f'pose.bones["{bone_of(key)}"].{name}', index)), sign


def every_curve(data: bytes) -> dict[Key, Any]:
    """All curves of a file, switches too, as the plain reader sees them."""
    recording = mrtk_reference.read(data)
    switches = {("bool", name): curve for name, curve in recording["bool"].items()}
    return {**mrtk_reference.curves(recording), **switches}


def playable(keys: list[tuple[float, ...]]) -> list[int]:
    """The file's numbers of the keys that Blender has, in Blender's order: sorted by time, none that is NaN."""
    finite = [number for number, key in enumerate(keys) if np.isfinite(key[:2]).all()]
    return sorted(finite, key=lambda number: keys[number][0])


def differing_keys(before: bytes, after: bytes) -> list[tuple[Key, int, list[int]]]:
    """Which keys of which curves differ, and in which of their numbers; nothing else may differ."""
    assert len(before) == len(after)
    old, new = every_curve(before), every_curve(after)
    found = []
    for key, curve in old.items():
        start, size = curve["place"]
        for number in range(len(curve["keys"])):
            at = start + number * size
            parts = [
                p for p in range(size // 4) if before[at + 4 * p : at + 4 * p + 4] != after[at + 4 * p : at + 4 * p + 4]
            ]
            if parts:
                found.append((key, number, parts))
        assert len(new[key]["keys"]) == len(curve["keys"]), key
    changed = np.flatnonzero(np.frombuffer(before, np.uint8) != np.frombuffer(after, np.uint8))
    inside = {
        at
        for key, number, parts in found
        for part in parts
        for at in range(*_bytes_of(old[key]["place"], number, part))
    }
    assert set(changed.tolist()) <= inside, "bytes outside of keys differ"
    return found


def _bytes_of(place: tuple[int, int], number: int, part: int) -> tuple[int, int]:
    start, size = place
    first = start + number * size + 4 * part
    return first, first + 4


TO_UNITY = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])


def assert_shown(
    player: Player, rig: Any, joints: dict[str, str] | Iterable[str], frame: float, within: float = 1e-4
) -> None:
    """Joints of a file are at a frame where Blender shows their bones, and turned as these are; time 0 is frame 0.

    Args:
        joints: the bones by joint, where these have not the joints' names.
    """
    stage = bpy.context.scene
    stage.frame_set(int(frame), subframe=frame % 1)
    for joint, bone in (joints if isinstance(joints, dict) else {name: name for name in joints}).items():
        world = np.array(rig.matrix_world @ rig.pose.bones[bone].matrix)
        place, turn = player.pose(joint, frame * stage.render.fps_base / stage.render.fps)
        assert np.abs(place - TO_UNITY @ world[:3, 3]).max() < within, (joint, frame)
        axes = world[:3, :3] / np.linalg.norm(world[:3, :3], axis=0)
        assert np.abs(rotation(turn) - TO_UNITY @ axes @ TO_UNITY).max() < 4e-4, (joint, frame)


def duration(data: bytes) -> float:
    """Seconds that MRTK plays: the last key of all curves, slot None too."""
    return max(curve["keys"][-1][0] for curve in every_curve(data).values() if curve["keys"])
