"""What drivers ask about a .blend, and where the test files are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from in_blender import curves_of
from mathutils import Vector

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
    return curves_of(armatures()[0].animation_data.action)


def bone_places(armature: bpy.types.Object) -> dict[str, tuple[float, ...]]:
    """The world place of each bone's head, as it is drawn now."""
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: tuple(shown.matrix_world @ bone.head) for bone in shown.pose.bones}


def farthest_move(before: dict[str, tuple[float, ...]], after: dict[str, tuple[float, ...]]) -> float:
    """How far the bone that moved most has moved."""
    squares = [sum((a - b) ** 2 for a, b in zip(before[name], after[name], strict=True)) for name in before]
    return max(squares) ** 0.5


def share_of_view(window: Any, places: list[Vector]) -> float:
    """How much of the 3D view's shorter side, in which Blender frames things, is taken by world places."""
    region, points = _in_view(window, places)
    size = max(max(values) - min(values) for values in zip(*points, strict=True))
    return size / min(region.width, region.height)


def is_cut(window: Any, places: list[Vector]) -> bool:
    """Whether one of these world places is outside of the 3D view."""
    region, points = _in_view(window, places)
    return any(not (0 <= x <= region.width and 0 <= y <= region.height) for x, y in points)


def pixel_of(window: Any, place: Vector) -> tuple[int, int]:
    """The pixel of the screen, counted from its upper left corner, where a world place is seen."""
    region, (point,) = _in_view(window, [place])
    return round(region.x + point.x), round(window.main.height - region.y - point.y)


def _in_view(window: Any, places: list[Vector]) -> tuple[bpy.types.Region, list[Vector]]:
    """The 3D view, and where in it these world places are seen."""
    _, area = window.find_area("VIEW_3D")
    region = next(part for part in area.regions if part.type == "WINDOW")
    return region, [location_3d_to_region_2d(region, area.spaces.active.region_3d, place) for place in places]


def shown_places() -> list[Vector]:
    """World places of the corners of the visible meshes that an import made and of the bones that it moves and that
    are drawn."""
    graph = bpy.context.evaluated_depsgraph_get()
    shapes = {bone.name: bone.custom_shape for rig in armatures() for bone in rig.pose.bones}
    drawn = {name for name, shape in shapes.items() if shape is None or len(shape.evaluated_get(graph).data.edges)}
    return model_places() + [place for name, place in moving_places().items() if name in drawn]


def model_places() -> list[Vector]:
    """World places of the corners of the visible meshes that an import made."""
    graph = bpy.context.evaluated_depsgraph_get()
    meshes = [thing for thing in bpy.data.objects if thing.get("anim_curves_model") and thing.visible_get()]
    shown = [thing.evaluated_get(graph) for thing in meshes]
    return [thing.matrix_world @ vertex.co for thing in shown for vertex in thing.to_mesh().vertices]


def moving_places() -> dict[str, Vector]:
    """World places of the heads of the bones that have keys, but for those of a camera or a ray."""
    moving = [rig for rig in armatures() if rig.animation_data and rig.animation_data.action]
    keyed = {curve.data_path.split('"')[1] for curve in (curves() if moving else []) if '"' in curve.data_path}
    keyed -= {"Camera", "Gaze", "GazeDirection"}
    return {name: Vector(place) for rig in moving for name, place in bone_places(rig).items() if name in keyed}
