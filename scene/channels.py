"""Where a track's curves live: the datablock that owns them, their data path and group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import ID, Object, ShapeKey

from ..io_formats.clip import ROTATION, Track, TrackKind
from ..io_formats.errors import Report
from . import messages, names, properties
from .data_paths import bone_path, custom_path, shape_key_path
from .targets import Target
from .types import Holder, has_key
from .undo import Undo


@dataclass(frozen=True)
class Channel:
    """Where one property's curves are.

    Attributes:
        owner: the datablock that is animated (object, shape keys, light ...).
        data_path: relative to `owner`.
        group: name of the curves' group.
    """

    owner: ID
    data_path: str
    group: str


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
        found = _shape_key(track, tracks, thing or _of_scene(track.node, target, undo), report, undo)
        if found is not None:
            return found
    elif track.kind is TrackKind.RNA and thing is not None:
        found = _rna(track, thing)
        if found is not None:
            return found
    holder = target.rig.pose.bones[bone] if bone is not None else thing
    return _own_channel(tracks, holder, target.rig if bone is not None else thing, bone, report, undo)


def _own_channel(
    tracks: Sequence[Track], holder: Holder, owner: ID, bone: str | None, report: Report, undo: Undo
) -> Channel:
    """Return a channel of the bone or object itself: a transform or a custom property."""
    track = tracks[0]
    if track.kind is TrackKind.TRANSFORM:
        if track.property == ROTATION and holder.rotation_mode != "QUATERNION":
            _rotate_by_quaternion(holder, undo)
            report.note(messages.ROTATION_MODE_SET)
        end = "." + track.property
    else:
        if owner.override_library is not None and not has_key(holder, properties.property_key(track.property)):
            report.warn(messages.OVERRIDE_FORGETS, name=owner.name, property=track.property)
        end = custom_path(properties.ensure(holder, tracks, undo))
    if bone is None:
        return Channel(owner, end.removeprefix("."), "Object Transforms" if end[0] == "." else "Properties")
    return Channel(owner, bone_path(bone, end), bone)


def _rotate_by_quaternion(holder: Holder, undo: Undo) -> None:
    """Set the rotation mode to quaternions.

    Blender converts the values of the old mode to the new one, and back only inexactly; undoing restores them.
    """
    for name in ("rotation_euler", "rotation_axis_angle", "rotation_quaternion"):
        undo.callback(setattr, holder, name, tuple(getattr(holder, name)))
    undo.set(holder, "rotation_mode", "QUATERNION")


def _of_scene(name: str, target: Target, undo: Undo) -> Object | None:
    """Return the object of that name, which stays tied to it, if it is in the scene that the import goes into."""
    found: Object | None = bpy.data.objects.get((name, None))
    if found is None or target.scene is None or target.scene.objects.get(name) != found:
        return None
    names.tie([found], bpy.data.objects, undo)
    return found


def _shape_key(
    track: Track, tracks: Sequence[Track], mesh: Object | None, report: Report, undo: Undo
) -> Channel | None:
    """Return the channel of a shape key of the node's object, for a bone node of the object with that name."""
    keys = getattr(mesh.data, "shape_keys", None) if mesh is not None else None
    block = keys.key_blocks.get(names.cut(track.property)) if keys is not None else None
    if mesh is None or keys is None or block is None or keys.library is not None:
        return None
    _widen(block, tracks, report, undo)
    return Channel(keys, shape_key_path(block.name), mesh.name)


def _widen(block: ShapeKey, tracks: Sequence[Track], report: Report, undo: Undo) -> None:
    """Widen a shape key's slider range to the values, as Blender clamps animated shape keys to it."""
    values = np.concatenate([track.values[np.isfinite(track.values)] for track in tracks])
    if not len(values):
        return
    low, high = max(float(values.min()), -10.0), min(float(values.max()), 10.0)
    if low < block.slider_min:
        undo.set(block, "slider_min", low)
        report.note(messages.SHAPE_KEY_RANGE, name=block.name)
    if high > block.slider_max:
        undo.set(block, "slider_max", high)
        report.note(messages.SHAPE_KEY_RANGE, name=block.name)


def _rna(track: Track, thing: Object) -> Channel | None:
    """Return the channel of an RNA path relative to an object; paths into its data belong to the data."""
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
    return Channel(owner, path, "Object Transforms" if owner is thing else thing.name)
