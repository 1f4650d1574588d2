"""What keeps an armature or object from playing what was imported onto it: all that stands besides its F-Curves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import bpy
import numpy as np
from bpy.types import ID, Action, Key, Object

from ..io_formats.clip import LOCATION, Track
from ..io_formats.errors import Entry
from . import actions, messages
from .capture import influences
from .data_paths import bone_path, shape_key, split_bone
from .fcurves import WrittenCurve, holds_rest
from .targets import Target
from .types import Rig, is_rig

_LEAVES = 1e-3
"""A connected bone is told of when it should go further than this from its parent's tip, in lengths of its armature."""


def of_owner(owner: ID, action: Action, curves: Sequence[WrittenCurve], *, alone: bool) -> Iterator[Entry]:
    """Yield why `owner` plays something else than these curves of `action` say.

    Args:
        alone: the Action is to play by itself, and not as one of several NLA strips.
    """
    if alone and influences.nla_decides(owner, action):
        yield Entry(messages.CAPTURE_NLA, {"name": owner.name})
    addresses = {(curve.data_path, curve.index) for curve in curves}
    for driver in influences.active_drivers(owner):
        if (driver.data_path, driver.array_index) in addresses and split_bone(driver.data_path)[0] is None:
            yield Entry(messages.CAPTURE_DRIVER, {"name": owner.name, "path": driver.data_path})
    paths = {curve.data_path for curve in curves}
    if isinstance(owner, Key):
        yield from _muted(owner, paths)
    if isinstance(owner, Object):
        yield from _held(owner, paths)


def turned_by_angles(rig: Rig, bones: Collection[str], going: Collection[Action]) -> Iterator[Entry]:
    """Yield which Actions turn any of these bones by angles, of which none plays now.

    Args:
        going: Actions that do not count, as do those that only others play.
    """
    paths = {bone_path(bone, f".{name}"): bone for bone in bones for name in ("rotation_euler", "rotation_axis_angle")}
    for action in bpy.data.actions if paths else ():
        moving = (curve for _, curve in actions.every_curve(action) if curve.data_path in paths)
        turned = [paths[curve.data_path] for curve in moving if not holds_rest(curve)]
        found = list(dict.fromkeys(turned))
        players = [owner for owner, _ in actions.users_of(action)] if found and action not in going else [None]
        if found and (not players or rig in players):
            values = {"action": action.name, "number": len(found), "names": ", ".join(found)}
            yield Entry(messages.ANGLES_SILENT, values)


def of_connected(tracks: Iterable[Track], target: Target) -> Iterator[Entry]:
    """Yield which bones of an armature cannot go where these tracks say, as they are connected."""
    for track in tracks:
        bone = target.bones.get(track.node) if track.property == LOCATION else None
        if bone is not None and target.rig.data.bones[bone].use_connect and np.any(np.abs(track.values) > _LEAVES):
            yield Entry(messages.JOINT_CONNECTED, {"name": bone})


def _muted(keys: Key, paths: set[str]) -> Iterator[Entry]:
    for name in filter(None, map(shape_key, sorted(paths))):
        if keys.key_blocks[name].mute:
            yield Entry(messages.CAPTURE_SHAPE_MUTED, {"name": keys.user.name, "shape": name})


def _held(thing: Object, paths: set[str]) -> Iterator[Entry]:
    """Yield what moves the bones, or the object itself, that these paths move too."""
    moved = {bone for bone, path in map(split_bone, paths) if path in influences.TRANSFORM_PATHS}
    if None in moved:
        for constraint in influences.active_constraints(thing):
            yield Entry(messages.CAPTURE_CONSTRAINT, {"name": thing.name, "constraint": constraint.name})
        if influences.has_deltas(thing):
            yield Entry(messages.CAPTURE_DELTA, {"name": thing.name})
    if is_rig(thing) and moved - {None}:
        if thing.data.pose_position == "REST":
            yield Entry(messages.CAPTURE_REST_POSITION, {"name": thing.name})
        reasons = influences.of_bones(thing).items()
        yield from (entry for bone, entry in reasons if bone in moved and _matters(thing, bone, entry))


def _matters(rig: Rig, bone: str, entry: Entry) -> bool:
    """Return whether a reason turns the bone: how it inherits sizes seldom changes anything."""
    return entry.template != messages.CAPTURE_INHERITANCE or not rig.data.bones[bone].use_inherit_rotation
