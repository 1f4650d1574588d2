"""Which of a clip's tracks an import takes, and where their curves live: datablock, data path and group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import bpy
import numpy as np
from bpy.types import ID, Camera, Object, PoseBone, Scene

from ..io_formats.clip import LOCATION, ROTATION, SHOWN_AT_REST, Clip, Setting, Track, TrackKind, ValueKind, View, edit
from ..io_formats.errors import FormatError, Report
from . import actions, armatures, messages, names, provenance, visibility
from .data_paths import ROTATIONS, bone_path, custom_path, shape_key_path
from .types import Holder, has_key, settings_of

if TYPE_CHECKING:
    from ..io_formats.scene_options import ImportOptions
    from .targets import Target
    from .undo import Undo


Channel: TypeAlias = tuple[ID, str, str]
"""Where one property's curves are: the animated datablock, the path from it, and the name of the curves' group."""


def resolve(tracks: Sequence[Track], target: Target, report: Report, undo: Undo) -> Channel | None:
    """Return the channel of `tracks`, the components of one property of one node; None if the node is missing.

    Custom properties are made, rotation modes set. What an RNA path or shape key name does not lead to becomes a
    custom property of that name, so that nothing of the file is lost.
    """
    track = tracks[0]
    bone, thing = target.bones.get(track.node), target.objects.get(track.node)
    if bone is None and thing is None:
        return None
    if track.kind is TrackKind.SHAPE_KEY:
        found = _shape_key(tracks, thing or _of_scene(track.node, target, undo), report, undo)
    else:
        found = _rna(track, thing) if track.kind is TrackKind.RNA and thing is not None else None
    if found is not None:
        return found
    holder, owner = (thing, thing) if bone is None else (target.rig.pose.bones[bone], target.rig)
    if track.kind is TrackKind.TRANSFORM:
        if track.property == ROTATION and holder.rotation_mode != "QUATERNION":
            # Blender converts the values of the old mode to the new one, and back only inexactly; undoing restores them
            for name in ROTATIONS:
                undo.callback(setattr, holder, name, tuple(getattr(holder, name)))
            undo.set(holder, "rotation_mode", "QUATERNION")
            report.note(messages.ROTATION_MODE_SET)
        end = "." + track.property
    else:
        if owner.override_library is not None and not has_key(holder, names.property_key(track.custom_name)):
            report.warn(messages.OVERRIDE_FORGETS, name=owner.name, property=track.property)
        end = custom_path(ensure(holder, tracks, undo))
    if bone is None:
        return owner, end.removeprefix("."), "Object Transforms" if end[0] == "." else "Properties"
    return owner, bone_path(bone, end), bone


def _of_scene(name: str, target: Target, undo: Undo) -> Object | None:
    """Return the object of that name, which stays tied to it, if it is in the scene that the import goes into."""
    found: Object | None = bpy.data.objects.get((name, None))
    if found is None or target.scene is None or target.scene.objects.get(name) != found:
        return None
    names.tie([found], bpy.data.objects, undo)
    return found


def _shape_key(tracks: Sequence[Track], mesh: Object | None, report: Report, undo: Undo) -> Channel | None:
    """Return the channel of a shape key, whose range is widened to the values, as Blender clamps them to it."""
    keys = getattr(mesh.data, "shape_keys", None) if mesh is not None else None
    block = keys.key_blocks.get(names.cut(tracks[0].property)) if keys is not None else None
    if mesh is None or keys is None or block is None or keys.library is not None:
        return None
    values = np.concatenate([track.values[np.isfinite(track.values)] for track in tracks])
    low, high = values.min(initial=block.slider_min), values.max(initial=block.slider_max)
    for name, limit in (("slider_min", max(float(low), -10.0)), ("slider_max", min(float(high), 10.0))):
        if limit != getattr(block, name):
            undo.set(block, name, limit)
            report.note(messages.SHAPE_KEY_RANGE, name=block.name)
    return keys, shape_key_path(block.name), mesh.name


def _rna(track: Track, thing: Object) -> Channel | None:
    owner: ID = thing
    path = track.property
    if path.startswith("data.") and thing.data is not None:
        owner, path = thing.data, path.removeprefix("data.")
    try:
        value = owner.path_resolve(path)
    except ValueError:
        return None
    width = len(value) if hasattr(value, "__len__") else 1
    if isinstance(value, str) or owner.library is not None or track.component + len(track.values) > width:
        return None
    return owner, path, "Object Transforms" if owner is thing else thing.name


# Custom properties that carry a file's own values: of the right type, never with hard limits, which would clamp them.


def ensure(holder: Holder, tracks: Sequence[Track], undo: Undo) -> str:
    """Make the custom property on a pose bone or object that `tracks`, its components, animate; return its key.

    A property that is there already stays if it can hold the values; an int that would truncate them, an array of
    another size, or a person's own of what is shown at rest, is replaced.
    """
    key = names.property_key(tracks[0].custom_name)
    kind, width = tracks[0].value_kind, tracks[0].width
    number: type[float] = {ValueKind.BOOL: bool, ValueKind.INT: int}.get(kind, float)
    there = holder[key] if has_key(holder, key) else None
    held = there.to_list() if width > 1 and hasattr(there, "to_list") else [there]
    is_fit = len(held) == max(width, 1) and isinstance(held[0], number)
    if is_fit and (key not in SHOWN_AT_REST or is_shown_at_rest(holder, key)):
        return key
    # the value of each component at its first finite key, as the property's type
    first = [0.0] * max(width, 1)
    for track in tracks:
        for row, values in enumerate(track.values[: max(len(first) - track.component, 0)], track.component):
            first[row] = float(next(iter(values[np.isfinite(values)]), first[row]))
    typed = [value >= 1.0 if kind is ValueKind.BOOL else number(value) for value in first]
    undo.set_item(holder, key, typed if width > 1 else typed[0])
    if kind is ValueKind.COLOR:
        settings_of(holder, key).update(subtype="COLOR")
    elif key in SHOWN_AT_REST:  # what the NLA shows where no strip moves it
        settings_of(holder, key).update(default=number(1))
        if isinstance(holder, PoseBone):
            _hold_in_earlier(holder, custom_path(key), undo)
    return key


def is_shown_at_rest(holder: Holder, key: str) -> bool:
    """Return whether there is a custom property of that key which an import made, of what is shown while it rests."""
    return has_key(holder, key) and settings_of(holder, key).as_dict().get("default") == 1


def _hold_in_earlier(bone: PoseBone, end: str, undo: Undo) -> None:
    """Key at rest what first comes to a bone in the Actions of earlier imports, which keyed there all that rests."""
    rig, path, there = bone.id_data, bone_path(bone.name, end), {*bpy.data.objects.keys()}
    for action in bpy.data.actions:
        made_for = {provenance.owner_name(action), *(slot.name_display for slot in getattr(action, "slots", ()))}
        # what is for a name that nobody has is for whoever has its bones: a person renamed the armature
        is_for_rig = not made_for.isdisjoint((rig.name, names.tie_of(rig))) or made_for.isdisjoint(there)
        known = provenance.find(action) if is_for_rig else None
        for handle, bag in actions.bags(action).items() if known is not None and known.placement.rests else ():
            resting = bag.fcurves.find(bone_path(bone.name, f".{LOCATION}")) if known.animates(handle) else None
            if resting is not None and bag.fcurves.find(path) is None and action.is_editable:
                curve = undo.new(bag.fcurves, path)
                curve.group = resting.group
                curve.keyframe_points.insert(action.frame_range[0], 1.0).interpolation = "CONSTANT"


# What a file animates as a custom property sets Blender's own: the lens of a camera, the power of a light.


def view_of(camera: Camera, scene: Scene) -> View:
    """Return the view of a camera in the picture that the scene renders."""
    render = scene.render
    width = render.resolution_x * render.pixel_aspect_x
    height = render.resolution_y * render.pixel_aspect_y
    is_upright = camera.sensor_fit == "VERTICAL" or (camera.sensor_fit == "AUTO" and height > width)
    sensor = "sensor_height" if camera.sensor_fit == "VERTICAL" else "sensor_width"
    values = {f"data.{name}": float(getattr(camera, name)) for name in ("lens", sensor)}
    return View(1.0 if is_upright else height / width, f"data.{sensor}", values)


def apply(thing: Object, settings: Sequence[Setting], scene: Scene, report: Report, undo: Undo) -> None:
    """Let the custom properties of an object set Blender's own, but those that have keys or drivers already."""
    view = view_of(thing.data, scene) if isinstance(thing.data, Camera) else None
    given = {} if view is None else {"height": view.height, "sensor": view.values[view.sensor]}
    for setting in settings:
        path = setting.path.removeprefix("data.")
        owner: ID | None = thing if path == setting.path else thing.data
        key, value = names.property_key(setting.property), getattr(owner, path, None)
        if owner is None or value is None or not has_key(thing, key):
            continue
        if any(curve.data_path == path for curve in actions.fcurves_of(owner)):
            report.warn(messages.SETS_ITSELF, name=owner.name, property=path, field=setting.property)
            continue
        expression, source = setting.expression.format(**given), custom_path(key)
        undo.callback(setattr, owner, path, value[:] if hasattr(value, "__len__") else value)  # not what it will be
        for index in range(min(len(value), len(thing[key]))) if hasattr(value, "__len__") else (-1,):
            element = source if index < 0 else f"{source}[{index}]"
            visibility.drive(owner, path, thing, element, expression, undo, index=index)


# Which of a clip's channels an import takes; what it leaves out stays in the file at an export, as the Action knows it.

_MOST_ROOTS = 0.5
"""Share of the animated bones above which those without a parent among them are joints of a flat file, and no roots."""

Address = tuple[str, str, str]
"""Node, kind and property of a channel."""


def address_of(track: Track) -> Address:
    """Return what stands for the property of a node that a track, or a component of it, moves."""
    return track.node, track.kind.name, track.property


def takes_all(options: ImportOptions) -> bool:
    """Return whether all that a file moves is asked for."""
    return options.channels == "ALL" and not options.only_selected_bones and options.root_motion


def choose(clip: Clip, target: Target, options: ImportOptions, report: Report) -> tuple[Clip, list[Address]]:
    """Return a clip, already on its target, with the channels that the options ask for, and those left out; raise
    FormatError if only selected bones are asked for and none of the clip's is selected, or nothing is left."""
    on_body = clip.recorded is not None and not target.is_new
    taken = clip.tracks
    if options.only_selected_bones:
        bones = armatures.selected_bones(target.rig) if target.rig is not None and not target.is_new else set()
        selected = {node.name for node in clip.nodes if target.bones.get(node.name) in bones}
        if not selected:
            raise FormatError(messages.NO_BONES_SELECTED)
        taken = [track for track in taken if track.node in selected]
    if options.channels == "ROTATION":
        taken = [track for track in taken if track.kind is not TrackKind.TRANSFORM or track.property == ROTATION]
    if not options.root_motion:
        roots = {(node, TrackKind.TRANSFORM.name, LOCATION) for node in _roots(clip, target, report)}
        taken = [track for track in taken if address_of(track) not in roots]
    if on_body:  # limbs stay as long as they are: of places only those of the hips
        moved = {track.node for track in taken if track.kind is TrackKind.TRANSFORM}
        hips = {(node, TrackKind.TRANSFORM.name, LOCATION) for node in _uppermost(moved & target.bones.keys(), target)}
        others = (track for track in taken if track.kind is TrackKind.TRANSFORM and track.property != ROTATION)
        places = set(map(address_of, others)) - hips
        taken = [track for track in taken if address_of(track) not in places]
    if clip.tracks and not taken:
        raise FormatError(messages.NO_CHANNELS_LEFT)
    kept = set(map(address_of, taken))
    left_out = [found for found in dict.fromkeys(map(address_of, clip.tracks)) if found not in kept]
    if left_out and not takes_all(options):
        report.note(messages.CHANNELS_LEFT_OUT, count=len(left_out), total=len(left_out) + len(kept))
    return replace(clip, tracks=taken), left_out


def _roots(clip: Clip, target: Target, report: Report) -> set[str]:
    """Return the nodes of the uppermost bones that change their place; none where most are parented to no other."""
    transforms = [track for track in clip.tracks if track.kind is TrackKind.TRANSFORM and track.node in target.bones]
    animated = {track.node for track in transforms}
    if len(animated) > 1 and len(_uppermost(animated, target)) > _MOST_ROOTS * len(animated):
        report.warn(messages.ROOT_UNKNOWN, name=target.rig.name)
        return set()
    return _uppermost({track.node for track in transforms if track.property == LOCATION}, target)


def _uppermost(nodes: set[str], target: Target) -> set[str]:
    """Return those of the nodes whose bones are parented to none of the others'."""
    bones = {target.bones[node] for node in nodes}
    found = {node: target.rig.data.bones[target.bones[node]] for node in nodes}
    return {node for node, bone in found.items() if bones.isdisjoint(above.name for above in bone.parent_recursive)}


def with_left_out(clip: Clip, written: Clip, left_out: Sequence[Address]) -> tuple[Clip, set[Address]]:
    """Return a captured clip, on its file's nodes, with channels that the import left out; and those without a place.

    Where a node does not rest as the file's, the file's numbers would mean something else.
    """
    fitting = {found for found in left_out if clip.node(found[0]) is written.node(found[0])}
    tracks = [track for track in clip.tracks if address_of(track) not in fitting]
    for track in (track for track in written.tracks if address_of(track) in fitting):
        if clip.retimed is None:
            tracks += track.own_rows()
        else:  # in the clip's time, which may be stretched, moved or cut
            factor, shift = clip.retimed
            tracks += edit.trim_track(track.slower(factor).shifted(shift), 0.0, clip.duration).rows()
    return replace(clip, tracks=tracks), set(left_out) - fitting
