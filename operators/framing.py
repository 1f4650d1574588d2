"""The 3D view turned to what an import made: a hand of twenty centimetres is lost beside Blender's own cube."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from bpy.types import Context

from ..pipeline.results import Outcome
from . import preferences


def frame(context: Context, outcomes: Sequence[Outcome]) -> None:
    """Frame what is selected, which after an import is what it made, if that includes a new armature.

    A view through a camera stays, and so do all views where an import only animates what is there.
    """
    new = any(outcome.applied is not None and outcome.applied.is_new for outcome in outcomes)
    area = _largest_view(context)
    if not new or area is None or not preferences.wants_framing(context):
        return
    context.view_layer.update()
    region = next(part for part in area.regions if part.type == "WINDOW")
    with context.temp_override(area=area, region=region):
        bpy.ops.view3d.view_selected()


def _largest_view(context: Context) -> bpy.types.Area | None:
    """Return the largest 3D view of the window that does not look through a camera."""
    areas: list[bpy.types.Area] = list(context.window.screen.areas) if context.window else []
    views = [area for area in areas if area.type == "VIEW_3D" and not _through_camera(area)]
    return max(views, key=lambda area: area.width * area.height, default=None)


def _through_camera(area: bpy.types.Area) -> bool:
    space = area.spaces.active
    return isinstance(space, bpy.types.SpaceView3D) and space.region_3d.view_perspective == "CAMERA"
