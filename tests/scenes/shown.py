"""What Blender shows of a scene: world matrices of objects and bones, and what else an engine could play."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import bpy
import numpy as np

from . import stage

Array = np.ndarray[Any, Any]
SWITCHES = ("visibility", "tracked", "pinching", "fade")
_HIDING = {"hide_viewport", "hide_render"}
"""Of which the first says whether an object is there, and the second where only that is animated."""


@dataclass
class Moment:
    """One moment.

    Attributes:
        frame: of the timeline.
        worlds: (4, 4) by `Cube` or `Rig/Hips`.
        values: by (object or bone, the engine's field); floats, colours as four.
        visible: names of objects that are not hidden.
        switches: custom properties of bones by (`Rig/Hips`, name).
    """

    frame: float
    worlds: dict[str, Array] = field(default_factory=dict)
    values: dict[tuple[str, str], Array] = field(default_factory=dict)
    visible: set[str] = field(default_factory=set)
    switches: dict[tuple[str, str], float] = field(default_factory=dict)


def moments(frames: list[float]) -> list[Moment]:
    """The scene at each of these frames of the timeline."""
    return [_moment(frame) for frame in frames]


def _moment(frame: float) -> Moment:
    whole = math.floor(frame)
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
    graph, found = bpy.context.evaluated_depsgraph_get(), Moment(frame)
    for thing in bpy.context.scene.objects:
        seen = thing.evaluated_get(graph)
        found.worlds[thing.name] = np.array(seen.matrix_world, np.float64)
        for bone in seen.pose.bones if seen.pose else ():
            place = f"{thing.name}/{bone.name}"
            found.worlds[place] = np.array(seen.matrix_world @ bone.matrix, np.float64)
            for name in SWITCHES:
                if name in bone:
                    found.switches[place, name] = float(bone[name])
            for hidden in _hidden(thing, bone.name):
                found.switches.setdefault((place, "visibility"), float(not hidden))
            found.values.update({(place, name): np.array(value) for name, value in _own(bone)})
        if not thing.hide_viewport:
            found.visible.add(thing.name)
        found.values.update({(thing.name, name): np.array(value) for name, value in _values(thing, seen, graph)})
    return found


def _hidden(rig: Any, bone: str) -> Iterator[bool]:
    """What keys say of whether a bone is hidden: its own, then those of each mesh on it."""
    for owner, holder, path in ((rig.data, rig.data, "bones"), (rig, rig.pose, "pose.bones")):
        if _is_animated(owner, f'{path}["{bone}"].hide'):
            yield bool(holder.bones[bone].hide)
    for mesh in rig.children:
        if mesh.type == "MESH" and mesh.parent_type == "BONE" and mesh.parent_bone == bone:
            keyed = [path for path in ("hide_viewport", "hide_render") if _is_animated(mesh, path)]
            yield from [bool(getattr(mesh, path)) for path in keyed[:1]]


def _is_animated(owner: Any, path: str) -> bool:
    curves = (stage.curves_of(owner) or ()) if owner.animation_data else ()
    return any(curve.data_path == path and not curve.mute for curve in curves)


def _upper_edge(camera: Any, graph: Any) -> float:
    """How far from the middle of a camera's picture its upper edge is, of what is one away where that counts."""
    render = bpy.context.scene.render
    seen = camera.calc_matrix_camera(
        graph,
        x=render.resolution_x,
        y=render.resolution_y,
        scale_x=render.pixel_aspect_x,
        scale_y=render.pixel_aspect_y,
    )
    return 1 / float(seen[1][1])


def _own(seen: Any) -> Iterator[tuple[str, Any]]:
    """The custom properties that are numbers."""
    for name, value in seen.items():
        numbers = list(value) if hasattr(value, "typecode") else [value]
        if name not in SWITCHES and all(isinstance(number, bool | int | float) for number in numbers):
            yield name, list(map(float, numbers))


def _values(thing: Any, seen: Any, graph: Any) -> Iterator[tuple[str, Any]]:
    moving = (*(stage.curves_of(thing) or ()), *thing.animation_data.drivers) if thing.animation_data else ()
    strips = stage.curves_of_strips(thing) if thing.animation_data else ()
    in_pictures = {curve.data_path for curve in chain(moving, *dict(strips).values())} & _HIDING == {"hide_render"}
    yield "Active", [float(not (thing.hide_render if in_pictures else thing.hide_viewport))]
    yield from _own(seen)
    data = seen.data
    if thing.type == "LIGHT":
        yield "Light.Intensity", [data.energy]
        yield "Light.Color", [*data.color, 1.0]
        yield "Light.Range", [data.cutoff_distance]
        if hasattr(data, "spot_size"):
            yield "Light.SpotAngle", [math.degrees(data.spot_size)]
    elif thing.type == "CAMERA":
        upper = _upper_edge(seen, graph)
        if data.type == "ORTHO":
            yield "Camera.OrthographicSize", [upper]
        else:
            yield "Camera.FieldOfView", [math.degrees(2 * math.atan(upper))]
        yield "Camera.NearClipping", [data.clip_start]
        yield "Camera.FarClipping", [data.clip_end]
    keys = getattr(thing.data, "shape_keys", None)
    if keys is not None:
        for key in list(keys.evaluated_get(graph).key_blocks)[1:]:
            yield f"BlendShape.{key.name}", [0.0 if key.mute else key.value]


def parents() -> dict[str, str | None]:
    """What each object and bone hangs on, in the same names."""
    found: dict[str, str | None] = {}
    for thing in bpy.context.scene.objects:
        above = thing.parent.name if thing.parent else None
        on_bone = thing.parent is not None and thing.parent_type == "BONE"
        found[thing.name] = f"{above}/{thing.parent_bone}" if on_bone else above
        for bone in thing.data.bones if thing.type == "ARMATURE" else ():
            found[f"{thing.name}/{bone.name}"] = f"{thing.name}/{bone.parent.name}" if bone.parent else thing.name
    return found


def varies(seen: list[Moment], place: str, least: float = 1e-5) -> bool:
    """Whether an object or bone moves."""
    first = seen[0].worlds[place]
    return any(np.abs(moment.worlds[place] - first).max() > least for moment in seen[1:])
