"""The 3D view turned to what an import made: a hand of twenty centimetres is lost beside Blender's own cube."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager

import bpy
from bpy.types import Context, Object, ViewLayer

from ..pipeline.results import Outcome
from ..scene.apply import Applied
from ..scene.models import is_model
from ..scene.selection import select_only
from . import preferences


def frame(context: Context, outcomes: Sequence[Outcome]) -> None:
    """Frame what is seen of what an import made: its meshes, else its armature.

    A view through a camera stays, and so do all views where an import only animates what is there, or where another
    mode than Object Mode has something else selected.
    """
    made = [outcome.applied for outcome in outcomes if outcome.applied is not None and outcome.error is None]
    new = [applied for applied in made if applied.is_new or applied.rig is None]
    area = _largest_view(context)
    if not new or area is None or context.mode != "OBJECT" or not preferences.wants_framing(context):
        return
    context.view_layer.update()
    there = set(context.view_layer.objects)  # while a batch ran, a person may have deleted something
    seen = [thing for applied in new for thing in _seen_of(applied, there)]
    region = next(part for part in area.regions if part.type == "WINDOW")
    with context.temp_override(area=area, region=region), _only_selected(context.view_layer, seen):
        if seen and bpy.ops.view3d.view_selected.poll():  # type: ignore[call-arg]
            bpy.ops.view3d.view_selected()


def _seen_of(applied: Applied, there: Set[Object]) -> list[Object]:
    """Return the visible meshes of one import, without any its new armature."""
    meshes = [thing for thing in applied.objects if thing in there and is_model(thing) and thing.visible_get()]
    return meshes or [applied.rig] * (applied.is_new and applied.rig in there)


@contextmanager
def _only_selected(layer: ViewLayer, things: Sequence[Object]) -> Iterator[None]:
    """Select these objects within the block: Blender frames what is selected, and bones wherever they stand."""
    selected, active = list(layer.objects.selected), layer.objects.active
    select_only(layer, things, active)
    try:
        yield
    finally:
        select_only(layer, selected, active)


def _largest_view(context: Context) -> bpy.types.Area | None:
    """Return the largest 3D view of the window that does not look through a camera."""
    areas: list[bpy.types.Area] = list(context.window.screen.areas) if context.window else []
    views = [area for area in areas if area.type == "VIEW_3D" and not _through_camera(area)]
    return max(views, key=lambda area: area.width * area.height, default=None)


def _through_camera(area: bpy.types.Area) -> bool:
    space = area.spaces.active
    return isinstance(space, bpy.types.SpaceView3D) and space.region_3d.view_perspective == "CAMERA"
