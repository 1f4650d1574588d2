"""What a person does to a take after its import, and to a rig that is there: more kinds of steps for `stage.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from in_blender import curves_of
from mathutils import Vector

from . import stage

Step = dict[str, Any]
_AT_REST = {
    "location": (0, 0, 0), "rotation_quaternion": (1, 0, 0, 0), "rotation_euler": (0, 0, 0), "scale": (1, 1, 1),
    "rotation_axis_angle": (0, 0, 1, 0),
}  # fmt: skip


def _active(kind: str = "") -> Any:
    """The active object, of this type where one is given."""
    found = bpy.context.view_layer.objects.active
    if found is None or (kind and found.type != kind):
        raise stage.MissingError(kind)
    return found


def _curve(step: Step) -> Any:
    """One of the curves with several keys whose path holds the step's, by number."""
    curves = sorted(stage.curves_of(_active()) or (), key=lambda each: (each.data_path, each.array_index))
    curves = [each for each in curves if len(each.keyframe_points) > 1 and step["path"] in each.data_path]
    if not curves:
        raise stage.MissingError(step["path"])
    return curves[step["curve"] % len(curves)]


def _edit(step: Step) -> None:
    """Move a key as a person does in the Graph Editor."""
    curve = _curve(step)
    point = curve.keyframe_points[step["key"] % len(curve.keyframe_points)]
    for part in (point.co, point.handle_left, point.handle_right):
        part[1] += step["by"]
    curve.update()


def _insert(step: Step) -> None:
    """Set a key where none was: so many frames behind the start of a curve, or of the end if that is less than 0."""
    curve = _curve(step)
    first, last = curve.range()
    frame = first + step["after"] if step["after"] >= 0 else last - step["after"]
    point = curve.keyframe_points.insert(frame, curve.evaluate(frame) + step["by"], options={"FAST"})
    point.interpolation = step["shape"]
    curve.update()


def _delete(step: Step) -> None:
    curve = _curve(step)
    curve.keyframe_points.remove(curve.keyframe_points[step["key"] % len(curve.keyframe_points)])
    curve.update()


def _slide(step: Step) -> None:
    """Move a key by a part of the way to the next one, the last beyond the end."""
    points = _curve(step).keyframe_points
    at = step["key"] % len(points)
    room = points[at + 1].co[0] - points[at].co[0] if at + 1 < len(points) else 4.0
    for part in (points[at].co, points[at].handle_left, points[at].handle_right):
        part[0] += room * step["share"]
    _curve(step).update()


def _shape(step: Step) -> None:
    points = _curve(step).keyframe_points
    for point in points if step["key"] is None else [points[step["key"] % len(points)]]:
        point.interpolation = step["shape"]
    _curve(step).update()


def _drop(step: Step) -> None:
    """Delete a curve, or all that a bone has of a property."""
    curve, curves = _curve(step), stage.curves_of(_active())
    for each in [each for each in curves if each == curve or (step["whole"] and each.data_path == curve.data_path)]:
        curves.remove(each)


def _name(step: Step) -> None:
    stage._action_of({"owner": _active().name}).name = step["to"]


def _other(step: Step) -> None:
    """Let the armature play another animation of the same file, as one does that edits it."""
    rig = _active("ARMATURE")
    actions = [each for each in bpy.data.actions if each != rig.animation_data.action]
    if not actions:
        raise stage.MissingError("another Action")
    play(rig, actions[step["number"] % len(actions)])


def play(owner: Any, action: Any) -> None:
    """Let an Action play alone, from a pose in which what others move is at rest."""
    data = owner.animation_data or owner.animation_data_create()
    left_behind = (curve for other in bpy.data.actions if other != action for curve in curves_of(other))
    for path, index in {(str(curve.data_path), curve.array_index) for curve in left_behind}:
        bone, _, name = path.removeprefix('pose.bones["').partition('"]')
        if bone in owner.pose.bones and name.removeprefix(".") in _AT_REST:
            getattr(owner.pose.bones[bone], name[1:])[index] = _AT_REST[name[1:]][index]
        elif bone in owner.pose.bones and name[2:-2] in {"visibility", "fade"} & set(owner.pose.bones[bone].keys()):
            owner.pose.bones[bone][name[2:-2]] = type(owner.pose.bones[bone][name[2:-2]])(1)
    data.use_nla, data.action = False, action
    if hasattr(data, "action_slot") and data.action_slot is None and action.slots:
        data.action_slot = action.slots[0]
    bpy.context.view_layer.update()


def _bones(step: Step) -> None:
    """Edit bones of what is active: a new one, or another rest pose of one."""
    rig = _active("ARMATURE")
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bone = sorted(bones, key=lambda each: str(each.name))[step["bone"] % len(bones)]
    if step["new"]:
        made = bones.new(step["new"])
        made.parent, made.head, made.tail = bone, bone.tail, bone.tail + Vector((0.0, 0.2, 0.1))
    else:
        bone.roll += step["roll"]
        bone.tail += Vector(step["by"])
    bpy.ops.object.mode_set(mode="OBJECT")


def _nla(step: Step) -> None:
    """Tracks of the NLA as a person mutes them or plays one alone."""
    data = stage.owner(step["owner"]).animation_data
    if data is None or not len(data.nla_tracks):
        raise stage.MissingError(step["owner"])
    setattr(data.nla_tracks[step["track"] % len(data.nla_tracks)], step["set"], True)


STEPS: dict[str, Callable[[Step], Any]] = {
    each.__name__.removeprefix("_"): each
    for each in (_edit, _insert, _delete, _slide, _shape, _drop, _name, _other, _bones, _nla)
}  # fmt: skip
