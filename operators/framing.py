"""The 3D view turned to what an import made: a hand of twenty centimetres is lost beside Blender's own cube."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.types import Context, Object, RegionView3D, SpaceView3D
from mathutils import Matrix, Vector

from ..io_formats.clip import LOCATION, Array
from ..pipeline.results import Outcome
from ..scene import targets
from ..scene.actions import fcurves_of
from ..scene.data_paths import split_bone
from ..scene.types import Rig, is_model
from . import preferences

if TYPE_CHECKING:
    from ..scene.apply import Applied

_MARGIN = 1.25
"""What is framed takes the rest of the view: a mesh reaches beyond the bones that its keys place."""

_MOST = 4.0
"""How many times as large as what is seen now the whole way may be; one that goes farther leaves the view."""

_ABOVE = Vector((0.0, 0.0, 0.4))
"""How far above the recorder's eyes the view is, by the distance: what begins at the eyes is in nobody's way there."""


def frame(context: Context, outcomes: Sequence[Outcome]) -> None:
    """Frame what is seen of what an import made, its meshes, else its armature, wherever keys take it.

    A hand is seen from above its recorder's eyes, or from above where nothing tells of them. What was there is framed
    only where keys take it out of the view, which then does not turn. Outside of Object Mode all views stay.
    """
    made = [outcome.applied for outcome in outcomes if outcome.applied is not None and outcome.error is None]
    new = [applied for applied in made if applied.is_new or applied.rig is None]
    view = _largest_view(context)
    preferred = preferences.preferences(context)
    if view is None or context.mode != "OBJECT" or preferred is None or not preferred.frame_new:
        return
    context.view_layer.update()
    there = set(context.view_layer.objects)  # while a batch ran, a person may have deleted something
    framed = new or [applied for applied in made if applied.rig in there and _is_outside(view, applied.rig)]
    seen = np.array([place for applied in framed for thing in _seen_of(applied, there) for place in _corners(thing)])
    if not len(seen):
        return
    places = np.array([*seen, *(place for applied in framed if applied.rig in there for place in _way(applied.rig))])
    places = places if np.ptp(places, axis=0).max() <= _MOST * np.ptp(seen, axis=0).max() else seen
    direction = _direction(new[0], there, places.mean(axis=0)) if new else None
    if direction is not None and view.view_perspective == "PERSP":
        view.view_rotation = direction.to_track_quat("Z", "Y")
    # the view is moved, without turning it, until all places (n, 3) of the world are in it, with a margin
    turn = np.array(view.view_rotation.to_matrix())
    along = places @ turn
    low, high = along.min(axis=0), along.max(axis=0)
    width, height, depth = (high - low) / 2.0
    size = max(width * view.window_matrix[0][0], height * view.window_matrix[1][1]) * _MARGIN
    view.view_location = Vector((turn @ ((low + high) / 2.0)).tolist())
    view.view_distance = size + depth if view.view_perspective == "PERSP" else size * view.view_distance


def _seen_of(applied: Applied, there: Set[Object]) -> list[Object]:
    """Return the visible meshes of one import or of what it went onto, without any its armature."""
    made, rig = set(applied.objects), applied.rig
    models = [thing for thing in filter(None, there) if is_model(thing) and thing.data and thing.visible_get()]
    meshes = [thing for thing in models if thing in made or (rig is not None and targets.armature_of(thing) == rig)]
    return meshes or [rig] * (rig in there)


def _is_outside(view: RegionView3D, rig: Rig) -> bool:
    paths = (split_bone(curve.data_path) for curve in fcurves_of(rig))
    moved = {name for name, rest in paths if name is not None and not rest.startswith("[")}
    places = np.array(list(_corners(rig, moved)))
    seen = np.column_stack([places, np.ones(len(places))]) @ np.array(view.perspective_matrix).T
    return not (np.abs(seen[:, :2]) <= seen[:, 3:]).all(axis=1).any()


def _corners(thing: Object, among: Set[str] = frozenset()) -> Iterator[Array]:
    """Yield world places (3,) around an object as it is now; of an armature the ends of bones, all or `among` names."""
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    bones = [bone for bone in (shown.pose.bones if shown.pose is not None else ()) if not among or bone.name in among]
    ends = [end for bone in bones if bone.custom_shape_transform is None for end in (bone.head, bone.tail)]
    places = np.array(ends if ends else [list(corner) for corner in shown.bound_box], np.float64)
    yield from _placed(places, shown.matrix_world)


def _placed(places: Array, space: Matrix) -> Array:
    turn = np.array(space)
    return np.asarray(places @ turn[:3, :3].T + turn[:3, 3])


def _way(rig: Rig) -> Iterator[Array]:
    """Yield the corners (3,), in the world, of the boxes within which keys move the bones without parents."""
    roots = {bone.name: bone for bone in rig.pose.bones if bone.parent is None and not bone.custom_shape_transform}
    spans: dict[str, Array] = {}
    for curve in fcurves_of(rig):
        name, rest = split_bone(curve.data_path)
        if name in roots and rest.lstrip(".") == LOCATION and len(curve.keyframe_points):
            keys = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", keys)
            spans.setdefault(name, np.zeros((3, 2)))[curve.array_index] = keys[1::2].min(), keys[1::2].max()
    for name, span in spans.items():
        corners = np.array([(x, y, z) for x in span[0] for y in span[1] for z in span[2]])
        yield from _placed(corners, rig.matrix_world @ roots[name].bone.matrix_local)


def _direction(applied: Applied, there: Set[Object], middle: Array) -> Vector | None:
    """Return the direction from which something is recognised: from its recorder's eyes, else as its clip says."""
    eyes = [thing for thing in applied.objects if thing in there and thing.type == "CAMERA"]
    if applied.seen_from is not None and eyes:
        return (eyes[0].matrix_world.translation - Vector(middle.tolist())).normalized() + _ABOVE
    return None if applied.seen_from is None else Vector(applied.seen_from)


def _largest_view(context: Context) -> RegionView3D | None:
    """Return the largest 3D view of the window that nothing holds: no camera, and no object or cursor in its middle."""
    areas: list[bpy.types.Area] = list(context.window.screen.areas) if context.window else []
    areas.sort(key=lambda area: area.width * area.height, reverse=True)
    spaces = (space for area in areas if isinstance(space := area.spaces.active, SpaceView3D))
    views = (space.region_3d for space in spaces if not (space.lock_object or space.lock_cursor))
    return next((view for view in views if view.view_perspective != "CAMERA"), None)
