"""Objects and F-Curves in any Blender, made and found without the code under test."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np


def add(name: str, data: Any = None, active: bool = False) -> Any:
    """A new object in the scene."""
    bpy = importlib.import_module("bpy")
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    if active:
        bpy.context.view_layer.objects.active = made
    return made


def reopen(path: Any) -> None:
    """Save the .blend and open it again."""
    bpy = importlib.import_module("bpy")
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


@contextmanager
def editing(rig: Any) -> Iterator[Any]:
    """Make an armature active and enter Edit Mode, for as long as its edit bones are worked on."""
    bpy = importlib.import_module("bpy")
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    yield rig.data.edit_bones
    bpy.ops.object.mode_set(mode="OBJECT")


def add_armature(name: str, bones: Iterable[tuple[str, str | None, Any, Any]]) -> Any:
    """A new armature, active, of these bones: (name, parent, head, tail) each."""
    rig = add(name, importlib.import_module("bpy").data.armatures.new(name))
    with editing(rig) as made:
        for bone, parent, head, tail in bones:
            new = made.new(bone)
            new.head, new.tail, new.parent = head, tail, made[parent] if parent else None
    return rig


def chain(*names: str) -> list[tuple[str, str | None, Any, Any]]:
    """Bones for `add_armature`, each on the end of the one before, pointing up."""
    return [(name, above, (0, 0, at), (0, 0, at + 1)) for at, (name, above) in enumerate(zip(names, (None, *names)))]


def generated_rigify() -> Any:
    """A human rig that Rigify, which is enabled, has generated; alone selected, without the metarig it comes of."""
    bpy = importlib.import_module("bpy")
    bpy.ops.object.armature_human_metarig_add()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    bpy.data.objects.remove(metarig)
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    choose(rig)
    return rig


def choose(*things: Any, active: Any = None) -> None:
    """Select these objects and no others, and make the first active, unless another is named."""
    context = importlib.import_module("bpy").context
    for thing in context.scene.objects:
        thing.select_set(thing in things)
    context.view_layer.objects.active = active or (things[0] if things else None)


def animate(owner: Any, path: str, keys: Mapping[float, Any], index: int = -1) -> None:
    """Set values and insert keys of them, by frame, as a person does.

    Args:
        path: `location`; `location.x` for values of X beside which Y and Z are keyed as they are; or `["own"]`.
        index: of the component that these are values of, and that alone is keyed.
    """
    whole, _, part = (path, "", "") if path.startswith("[") else path.partition(".")
    for frame, value in keys.items():
        if whole.startswith("["):
            owner[whole[2:-2]] = value
        elif part or index >= 0:
            getattr(owner, whole)["xyz".index(part) if part else index] = value
        else:
            setattr(owner, whole, value)
        owner.keyframe_insert(whole, index=index, frame=frame)


def push_down(owner: Any, start: int = 1, name: str = "Strip") -> Any:
    """Move the Action that an object plays to a strip on an NLA track of its own, which alone plays then; the strip."""
    data = owner.animation_data
    action, slot = data.action, getattr(data, "action_slot", None)
    data.action = None
    strip = data.nla_tracks.new().strips.new(name, start, action)
    if slot is not None:
        strip.action_slot = slot
    return strip


def put_selected_into_one() -> None:
    """Put the NLA strips that are selected into a META strip."""
    in_nla_editor(importlib.import_module("bpy").ops.nla.meta_add)


def in_nla_editor(do: Callable[[], Any]) -> None:
    """Call an operator as in that editor."""
    context = importlib.import_module("bpy").context
    window = context.window_manager.windows[0]
    area = window.screen.areas[0]
    area.type = "NLA_EDITOR"
    region = next(region for region in area.regions if region.type == "WINDOW")
    with context.temp_override(window=window, area=area, region=region):
        do()


def go_to(frame: float) -> None:
    """Show a frame of the scene, or a moment between two."""
    whole = math.floor(frame)
    importlib.import_module("bpy").context.scene.frame_set(whole, subframe=float(frame - whole))


def bones_seen(rig: Any, frames: Iterable[float]) -> dict[str, Any]:
    """Where Blender shows an armature's bones in the world: (m, 4, 4) each, by name."""
    found: dict[str, list[Any]] = {bone.name: [] for bone in rig.pose.bones}
    for frame in frames:
        go_to(frame)
        shown = rig.evaluated_get(importlib.import_module("bpy").context.evaluated_depsgraph_get())
        for bone in shown.pose.bones:
            found[bone.name].append(np.array(shown.matrix_world @ bone.matrix))
    return {name: np.array(matrices) for name, matrices in found.items()}


def drawn_as_nothing(rig: Any, bone: str) -> bool:
    """Whether a bone is drawn with a shape of which no edge is left in the evaluated scene; it is never hidden."""
    holder = rig.data.bones[bone]
    assert not holder.hide and not getattr(rig.pose.bones[bone], "hide", False)
    assert not holder.collections or any(collection.is_visible for collection in holder.collections)
    shape, graph = rig.pose.bones[bone].custom_shape, importlib.import_module("bpy").context.evaluated_depsgraph_get()
    return shape is not None and not len(shape.evaluated_get(graph).data.edges)


def bag_of(owner: Any, name: str = "") -> Any:
    """What holds the F-Curves that a datablock plays, its Action made where there is none."""
    bpy = importlib.import_module("bpy")
    data = owner.animation_data_create()
    if data.action is None:
        data.action = bpy.data.actions.new(name or f"{owner.name} moves")
    if not hasattr(data, "action_slot"):
        return data.action
    bpy.context.view_layer.update()  # Blender 5.0.1 crashes where an armature without a pose is given a slot
    if data.action_slot is None:
        data.action_slot = data.action.slots.new(owner.id_type, owner.name)
    layer = data.action.layers[0] if data.action.layers else data.action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(data.action_slot, ensure=True)


def bags_of(action: Any) -> list[Any]:
    """What holds the F-Curves of an Action, as `fcurves`: one of each slot, or the Action."""
    layers = getattr(action, "layers", ())  # beside which Blender 4.4 and 4.5 show the first slot's curves, too
    bags = [bag for layer in layers for strip in layer.strips for bag in strip.channelbags]
    return bags or [action] * hasattr(action, "fcurves")


def curves_of(action: Any) -> list[Any]:
    """All F-Curves of an Action, of whatever slot."""
    return [curve for bag in bags_of(action) for curve in bag.fcurves]


def remove_curves(action: Any, *doomed: Any) -> None:
    """Delete F-Curves."""
    for bag in bags_of(action):
        for curve in [found for found in bag.fcurves if found in doomed]:
            bag.fcurves.remove(curve)


def fcurves(owner: Any) -> dict[tuple[str, int], Any]:
    """What an object plays, by data path and index."""
    action, slot = owner.animation_data.action, getattr(owner.animation_data, "action_slot", None)
    played = [bag for bag in bags_of(action) if slot is None or bag.slot_handle == slot.handle]
    return {(curve.data_path, curve.array_index): curve for bag in played for curve in bag.fcurves}
