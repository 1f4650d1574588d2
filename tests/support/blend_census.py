"""Everything in a .blend that an import could change, to be compared before and after."""

from __future__ import annotations

from typing import Any

import bpy


def plain(value: Any) -> Any:
    """A custom property as something that can be compared."""
    for convert in ("to_dict", "to_list"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value


def animation_of(owner: Any) -> Any:
    data = getattr(owner, "animation_data", None)
    if data is None:
        return None
    slot = getattr(data, "action_slot", None)
    tracks = [(track.name, track.mute, [strip.name for strip in track.strips]) for track in data.nla_tracks]
    drivers = [(driver.data_path, driver.driver.expression) for driver in data.drivers]
    return data.action and data.action.name, slot and slot.identifier, tracks, drivers


def facts(thing: Any) -> Any:
    """What of a datablock an import could change."""
    found = [thing.name, thing.users, thing.use_fake_user, animation_of(thing), sorted(map(str, thing.keys()))]
    if isinstance(thing, bpy.types.Object):
        found += [thing.mode, thing.select_get(), thing.hide_viewport, thing.parent and thing.parent.name]
        found += [tuple(map(tuple, thing.matrix_basis)), thing.rotation_mode, len(thing.constraints)]
        for bone in thing.pose.bones if thing.pose else ():
            properties = sorted((key, plain(value)) for key, value in bone.items())
            channels = (tuple(bone.location), tuple(bone.rotation_quaternion), tuple(bone.scale))
            found.append((bone.name, bone.rotation_mode, channels, properties, len(bone.constraints)))
    if isinstance(thing, bpy.types.Armature):
        found += [[bone.name for bone in thing.bones], [collection.name for collection in thing.collections]]
    if isinstance(thing, bpy.types.Scene):
        found += [thing.frame_start, thing.frame_end, thing.frame_current, thing.render.fps, thing.render.fps_base]
        found += [thing.camera and thing.camera.name, len(thing.view_layers), sorted(o.name for o in thing.objects)]
    if isinstance(thing, bpy.types.Key):
        found += [(block.name, block.slider_min, block.slider_max) for block in thing.key_blocks]
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
