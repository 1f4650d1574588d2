"""What drivers ask about a .blend, and where the test files are."""

from __future__ import annotations

from pathlib import Path

import bpy

DATA = Path("/gui-run/data")
COLLECTIONS = (
    "actions", "armatures", "cameras", "collections", "curves", "grease_pencils", "lights", "materials", "meshes",
    "node_groups", "objects", "scenes", "shape_keys", "texts", "worlds",
)  # fmt: skip


def file_called(name: str) -> Path:
    """A test file, wherever below the test data it lies."""
    return next(iter(sorted(DATA.rglob(name))))


def census() -> dict[str, list[str]]:
    """Names of all datablocks by kind."""
    kinds = [kind for kind in COLLECTIONS if hasattr(bpy.data, kind)]
    return {kind: sorted(block.name for block in getattr(bpy.data, kind)) for kind in kinds}


def scene_settings() -> tuple[object, ...]:
    """What an import may change in the scene."""
    scene = bpy.context.scene
    return scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base, scene.frame_current


def armatures() -> list[bpy.types.Object]:
    """All armature objects."""
    return [found for found in bpy.data.objects if found.type == "ARMATURE"]


def curves() -> list[bpy.types.FCurve]:
    """The F-Curves of the first armature's Action."""
    action = armatures()[0].animation_data.action
    return list(action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves)


def bone_places(armature: bpy.types.Object) -> dict[str, tuple[float, ...]]:
    """The world place of each bone's head, as it is drawn now."""
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: tuple(shown.matrix_world @ bone.head) for bone in shown.pose.bones}


def farthest_move(before: dict[str, tuple[float, ...]], after: dict[str, tuple[float, ...]]) -> float:
    """How far the bone that moved most has moved."""
    squares = [sum((a - b) ** 2 for a, b in zip(before[name], after[name], strict=True)) for name in before]
    return max(squares) ** 0.5
