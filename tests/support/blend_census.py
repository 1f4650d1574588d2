"""Everything in a .blend that an import could change, to be compared before and after."""

from __future__ import annotations

import zlib
from typing import Any

import bpy
import numpy as np
from in_blender import curves_of

STRIP = (
    "name", "frame_start", "frame_end", "action_frame_start", "action_frame_end", "scale", "repeat", "blend_type",
    "extrapolation", "influence", "blend_in", "blend_out", "mute", "use_reverse", "use_sync_length", "select",
)  # fmt: skip
SCENE = ("frame_start", "frame_end", "frame_current", "use_preview_range", "frame_preview_start", "frame_preview_end")


def plain(value: Any) -> Any:
    """A custom property as something that can be compared, and stays so when a datablock is gone."""
    if isinstance(value, bpy.types.ID):
        return type(value).__name__, value.name
    if isinstance(value, bytes):
        return len(value), zlib.crc32(value)
    if hasattr(value, "items"):
        return properties_of(value)
    return repr(value.to_list() if hasattr(value, "to_list") else value)


def properties_of(holder: Any) -> list[Any]:
    return sorted((key, plain(value)) for key, value in holder.items())


def animation_of(owner: Any) -> Any:
    data = getattr(owner, "animation_data", None)
    if data is None:
        return None
    slot = getattr(data, "action_slot", None)
    tracks = [
        (
            track.name,
            track.mute,
            track.lock,
            track.is_solo,
            track.select,
            [strip_facts(strip) for strip in track.strips],
        )
        for track in data.nla_tracks
    ]
    drivers = [(driver.data_path, driver.driver.expression) for driver in data.drivers]
    return data.action and data.action.name, slot and slot.identifier, tracks, drivers


def strip_facts(strip: Any) -> Any:
    slot = getattr(strip, "action_slot", None)
    settings = [getattr(strip, name) for name in STRIP]
    return strip.action and strip.action.name, slot and slot.identifier, settings


def curve_facts(curve: Any) -> Any:
    """A curve's place and settings, and the bytes of its keys, float32: places, then either handle."""
    values = np.empty((3, len(curve.keyframe_points) * 2), np.float32)
    for name, row in zip(("co", "handle_left", "handle_right"), values, strict=True):
        curve.keyframe_points.foreach_get(name, row)
    keys = values.tobytes()
    kinds = "".join(key.interpolation + key.handle_left_type + key.handle_right_type for key in curve.keyframe_points)
    modifiers = [modifier.type for modifier in curve.modifiers]
    group = curve.group and curve.group.name
    return curve.data_path, curve.array_index, group, curve.extrapolation, curve.mute, modifiers, keys, kinds


def action_facts(action: Any) -> list[Any]:
    slots = [slot.identifier for slot in getattr(action, "slots", ())]
    markers = [(marker.name, marker.frame) for marker in action.pose_markers]
    shown = (action.use_frame_range, action.frame_start, action.frame_end, action.use_cyclic)
    return [slots, markers, shown, sorted(map(curve_facts, curves_of(action)))]


def object_facts(thing: Any) -> list[Any]:
    found = [thing.mode, thing.select_get(), thing.hide_get(), thing.hide_viewport, thing.hide_render]
    found += [thing.parent and thing.parent.name, thing.parent_bone, tuple(map(tuple, thing.matrix_parent_inverse))]
    found += [tuple(map(tuple, thing.matrix_basis)), thing.rotation_mode, len(thing.constraints)]
    for bone in thing.pose.bones if thing.pose else ():
        turns = (*bone.rotation_quaternion, *bone.rotation_euler, *bone.rotation_axis_angle)
        channels = (tuple(bone.location), turns, tuple(bone.scale))
        found.append((bone.name, bone.rotation_mode, channels, properties_of(bone), len(bone.constraints)))
    return found


def members(collection: Any) -> Any:
    """What is linked to a collection, in any order, and how it is shown."""
    objects, children = (sorted(part.name for part in each) for each in (collection.objects, collection.children))
    return objects, children, collection.hide_viewport, collection.hide_render


def layer_facts(layer: Any) -> Any:
    """A collection in a view layer, with those below it."""
    below = [layer_facts(child) for child in layer.children]
    return layer.name, layer.exclude, layer.hide_viewport, layer.holdout, layer.indirect_only, below


def scene_facts(scene: Any) -> list[Any]:
    found = [getattr(scene, name) for name in SCENE]
    found += [scene.render.fps, scene.render.fps_base, scene.camera and scene.camera.name, members(scene.collection)]
    found += [(marker.name, marker.frame) for marker in scene.timeline_markers]
    for layer in scene.view_layers:
        active = layer.objects.active
        found.append((layer.name, active and active.name, layer_facts(layer.layer_collection)))
        found.append(layer.active_layer_collection.name)
    return found


def armature_facts(armature: Any) -> list[Any]:
    bones = [
        (bone.name, getattr(bone, "hide", None), tuple(map(tuple, bone.matrix_local)), properties_of(bone))
        for bone in armature.bones
    ]
    return [bones, [(collection.name, collection.is_visible) for collection in armature.collections]]


def key_facts(key: Any) -> list[Any]:
    return [(block.name, block.value, block.slider_min, block.slider_max) for block in key.key_blocks]


OF_TYPE = {
    bpy.types.Action: action_facts,
    bpy.types.Armature: armature_facts,
    bpy.types.Collection: lambda collection: [members(collection)],
    bpy.types.Key: key_facts,
    bpy.types.Object: object_facts,
    bpy.types.Scene: scene_facts,
    bpy.types.Text: lambda text: [text.as_string()],
}


def facts(thing: Any) -> Any:
    """What of a datablock an import could change."""
    found = [thing.name, thing.users, thing.use_fake_user, animation_of(thing), properties_of(thing)]
    for kind, look in OF_TYPE.items():
        if isinstance(thing, kind):
            found += look(thing)
    return found


def census() -> dict[str, Any]:
    """Every datablock of every collection, scene settings, selection and mode."""
    counted: dict[str, Any] = {}
    for collection in bpy.data.bl_rna.properties:
        if collection.type == "COLLECTION":
            datablocks = getattr(bpy.data, collection.identifier)
            counted[collection.identifier] = sorted((facts(thing) for thing in datablocks), key=str)
    context = bpy.context
    active = context.view_layer.objects.active
    counted["state"] = (context.mode, active and active.name, context.scene.name)
    return counted


def differences(before: Any, now: Any, place: str = "") -> list[str]:
    """What is not the same, a line each."""
    if before == now:
        return []
    pairs: list[tuple[Any, Any, Any]] = []
    if isinstance(before, dict):
        pairs = [(key, before[key], now[key]) for key in before]
    elif isinstance(before, (list, tuple)) and isinstance(now, (list, tuple)) and len(before) == len(now):
        pairs = [(key, *pair) for key, pair in enumerate(zip(before, now, strict=True))]
    if not pairs:
        return [f"{place}: {before} is now {now}"]
    return [line for key, old, new in pairs for line in differences(old, new, f"{place}/{key}")]
