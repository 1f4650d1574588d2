"""What else than F-Curves decides how bones and objects move: constraints, drivers, NLA, parents, inheritance."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import chain
from typing import cast

import bpy
from bpy.types import ID, Action, AnimData, Constraint, Curve, FCurve, NlaStrip, Object, bpy_struct

from ...io_formats.errors import Entry
from .. import actions, data_paths, fcurves, messages, provenance, visibility
from ..types import Holder, Rig, Slot, has_key, is_rig, settings_of

TRANSFORM_PATHS = (
    *("location", *data_paths.ROTATIONS, "rotation_mode", "scale"),
    *("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale"),
)
Value = tuple[str, int]
"""Data path and index of a number that something animates."""

_Solver = bpy.types.KinematicConstraint | bpy.types.SplineIKConstraint
_SAME_FRAME = 1e-4
_FRAMES_AS_EXACT = 1000.0
"""Frames up to which Blender's single precision is finer than `_SAME_FRAME`."""

_ROUNDED = 2.5e-7
"""By what part of its frames the end of a strip that Blender reckons, in single precision, may be off."""

_SAME_SCALE = 1e-6


def decides_pose(path: str) -> bool:
    """Return whether what a path leads to, from a bone or object, decides where that is."""
    return path in TRANSFORM_PATHS or path.startswith("constraints")


def of_bones(rig: Rig, as_curves: Container[Value] = ()) -> dict[str, Entry]:
    """Return why bones of `rig` are posed by more than F-Curves, and drivers `as_curves`, say; others are left out."""
    found: dict[str, Entry] = {}
    for bone in rig.pose.bones:
        for constraint in active_constraints(bone):
            if isinstance(constraint, _Solver):
                begin, count = 0 if getattr(constraint, "use_tail", True) else 1, constraint.chain_count
                for each in [bone, *bone.parent_recursive][begin : begin + count if count else None]:
                    found.setdefault(each.name, Entry(messages.CAPTURE_IK, {"name": each.name, "tip": bone.name}))
            else:
                values = {"name": bone.name, "constraint": constraint.name}
                found.setdefault(bone.name, Entry(messages.CAPTURE_CONSTRAINT, values))
        data = bone.bone  # whose pose follows the parent's as the rest pose does, if there is a parent
        turned = data.parent is not None and not (data.use_inherit_rotation and data.inherit_scale == "FULL")
        if turned or not data.use_local_location:
            found.setdefault(bone.name, Entry(messages.CAPTURE_INHERITANCE, {"name": bone.name}))
    for bone_name, path in map(data_paths.split_bone, driven_paths(rig, as_curves)):
        if bone_name is not None and path in TRANSFORM_PATHS:
            found.setdefault(bone_name, Entry(messages.CAPTURE_DRIVER, {"name": bone_name, "path": path}))
    modes = cast("bpy.types.EnumProperty", bpy.types.PoseBone.bl_rna.properties["rotation_mode"]).enum_items
    for curve in actions.fcurves_of(rig):
        is_mode = curve.data_path.endswith("rotation_mode") and fcurves.plays(curve)
        turning = rig.pose.bones.get(data_paths.split_bone(curve.data_path)[0] or "") if is_mode else None
        if turning is not None and (fcurves.read(curve).block.values != modes[turning.rotation_mode].value).any():
            found.setdefault(turning.name, Entry(messages.CAPTURE_ROTATION_MODE, {"name": turning.name}))
    return found


def active_constraints(holder: Holder) -> list[Constraint]:
    """Return the constraints of a pose bone or object that play; muted or of strength 0 only if that is animated."""
    on = (each for each in holder.constraints if not each.mute or is_animated(each, "mute", "enabled"))
    return [each for each in on if each.influence != 0.0 or is_animated(each, "influence")]


def is_animated(part: bpy_struct, *properties: str) -> bool:
    """Return whether any of these properties of a constraint or shape key has a curve, also of a strip, or a driver."""
    owner, start = part.id_data, part.path_from_id()
    data = actions.animation_data(owner)
    curves: list[FCurve] = [] if data is None else [*actions.fcurves_of(owner), *data.drivers]
    paths = {f"{start}.{name}" for name in properties}
    return any(curve.data_path in paths for curve in curves) or any(path in paths for path, _ in strip_values(owner))


def active_drivers(owner: ID) -> list[FCurve]:
    """Return the drivers of a datablock that play, without those that the importer made to hide what is not tracked."""
    data = actions.animation_data(owner)
    drivers = () if data is None else data.drivers
    return [curve for curve in drivers if not curve.mute and not visibility.is_ours(curve)]


def driven_paths(owner: ID, as_curves: Container[Value] = ()) -> list[str]:
    """Return the data paths that drivers set, but for what they set `as_curves` would."""
    return [path for path, index in map(address, active_drivers(owner)) if (path, index) not in as_curves]


def limits_of(holder: bpy_struct, path: str) -> tuple[float, float]:
    """Return the least and greatest value that plays of what a path of a datablock or pose bone leads to."""
    shape, key = data_paths.shape_key(path), data_paths.custom_key(path)
    if shape is not None:
        assert isinstance(holder, bpy.types.Key)
        block = holder.key_blocks[shape]
        return float(block.slider_min), float(block.slider_max)
    if key is not None:
        shown = settings_of(holder, key).as_dict() if has_key(holder, key) else {}
        return float(shown.get("min", -math.inf)), float(shown.get("max", math.inf))
    declared: bpy.types.Property | None = holder.bl_rna.properties.get(path)
    if not isinstance(declared, bpy.types.FloatProperty | bpy.types.IntProperty):
        return -math.inf, math.inf
    return float(declared.hard_min), float(declared.hard_max)


# --- NLA ---------------------------------------------------------------------------------------------------------


def nla_decides(owner: ID, action: Action | None, shift: float = 0.0) -> bool:
    """Return whether the NLA makes `owner` play something else than `action` alone would, `shift` frames later."""
    data = actions.animation_data(owner)
    if data is None or not data.use_nla or not len(data.nla_tracks):
        return False
    strips = list(chain(*playing_tracks(data)))
    if not strips:
        return data.action is not None and (data.action_influence != 1.0 or data.action_blend_type != "REPLACE")
    return len(strips) > 1 or data.action not in (None, action) or not _is_plain(strips[0], action, shift)


def playing_tracks(data: AnimData) -> list[list[NlaStrip]]:
    """Return the strips that play, by track, the lowest first."""
    solo = [track for track in data.nla_tracks if track.is_solo]
    tracks = solo or [track for track in data.nla_tracks if not track.mute]
    return [[strip for strip in track.strips if not strip.mute] for track in tracks]


def all_playing(owner: ID) -> list[NlaStrip]:
    """Return the strips that `owner` plays; in the place of a META strip those in it."""
    data = actions.animation_data(owner)
    strips = [] if data is None or not data.use_nla else [*with_contents(chain(*playing_tracks(data)))]
    return [strip for strip in strips if not strip.mute]


def with_contents(strips: Iterable[NlaStrip]) -> Iterator[NlaStrip]:
    """Yield strips, in the place of a META strip those in it."""
    for strip in strips:
        yield from with_contents(strip.strips) if strip.type == "META" else (strip,)


def _is_plain(strip: NlaStrip, action: Action | None, shift: float) -> bool:
    """Return whether a strip plays `action` at full strength, `shift` frames later than its own; 0 as "Push Down" does.

    Its `influence` says nothing while that is not animated: Blender works it out of the blends.
    """
    plain = strip.type == "CLIP" and strip.action == action and not strip.use_reverse and is_unblended(strip)
    same = plain and abs(strip.scale - 1.0) <= _SAME_SCALE and is_as_long(strip, 1.0)
    return same and is_same_frame(strip.frame_start - strip.action_frame_start, shift)


def is_as_long(strip: NlaStrip, times: float) -> bool:
    """Return whether a strip is so many times as long as its part of its Action; a script may cut it anywhere."""
    begin, end = action_frames(strip)
    last = strip.frame_start + (end - begin) * times
    far = max(map(abs, (begin, end, strip.frame_start, strip.frame_end)))
    return abs(strip.frame_end - last) <= max(_SAME_FRAME, _ROUNDED * far)


def action_frames(strip: NlaStrip) -> tuple[float, float]:
    """Return the frames of its Action that a strip plays; Blender draws a moment a frame long."""
    first, last = strip.action_frame_start, strip.action_frame_end
    return first, last if last > first else first + 1.0


def is_unblended(strip: NlaStrip) -> bool:
    """Return whether a strip does nothing to the curves of its Action but to play them at other times."""
    changed = strip.use_animated_influence or strip.use_animated_time or strip.blend_in or strip.blend_out
    changed = changed or mutes_group(strip.action, slot_of(strip))
    return strip.blend_type == "REPLACE" and not changed and all(modifier.mute for modifier in strip.modifiers)


def mutes_group(action: Action | None, slot: Slot | None) -> bool:
    """Return whether a group of an Action is muted, which counts for slots too where the NLA plays it."""
    bag = actions.find_bag(action, slot) if action is not None and actions.SLOTTED else None
    return bag is not None and any(group.mute for group in bag.groups)


def is_same_frame(one: float, other: float) -> bool:
    """Return whether frames, or shifts by frames, are no further apart than Blender's single precision leaves them."""
    return abs(one - other) <= _SAME_FRAME * max(1.0, abs(other) / _FRAMES_AS_EXACT)


def strip_ranges(owner: ID) -> list[tuple[float, float]]:
    """Return the first and last frame of each strip that `owner` plays.

    Of one moment, which Blender draws a frame long as it has no shorter strips, these are the same.
    """
    found = []
    for strip in chain(*playing_tracks(actions.animation_data(owner))):
        first, last = (0.0, 1.0) if strip.action is None else strip.action.curve_frame_range[:]
        animated = strip.use_animated_influence or strip.use_animated_time or strip.blend_in or strip.blend_out
        is_moment = first == last and strip.scale == strip.repeat == 1.0 and not animated
        found.append((strip.frame_start, strip.frame_start if is_moment else strip.frame_end))
    return found


def strip_values(owner: ID) -> set[Value]:
    """Return what is animated in the strips that `owner` plays, in those within META strips, too."""
    return {value for strip in all_playing(owner) if strip.action is not None for value in moved_by(strip, owner)}


def moved_by(strip: NlaStrip, owner: ID) -> set[Value]:
    """Return what the curves of its Action animate in a strip of `owner`, without rest keys of an import."""
    return values_of(provenance.moving(strip.action, actions.slot_handle(slot_of(strip)), curves_in(strip), owner))


def rest_of(owner: ID, value: Value) -> float | None:
    """Return what a transform or custom property is while strips play nothing of it; None for others."""
    (bone, path), index = data_paths.split_bone(value[0]), value[1]
    if path in fcurves.AT_REST:
        return fcurves.AT_REST[path][index]
    key, holder = data_paths.custom_key(path), owner if bone is None else cast("Rig", owner).pose.bones.get(bone)
    if key is None or holder is None or not has_key(holder, key):
        return None
    rest = settings_of(holder, key).as_dict().get("default")
    return None if rest is None else float(rest[index] if hasattr(rest, "__len__") else rest)


def curves_in(strip: NlaStrip) -> list[FCurve]:
    """Return the curves that play of what a strip plays."""
    bag = actions.find_bag(strip.action, slot_of(strip))
    return [] if bag is None else [curve for curve in bag.fcurves if fcurves.plays(curve)]


def address(curve: fcurves.PlayedCurve) -> Value:
    """Return what an F-Curve or driver animates."""
    return curve.data_path, curve.array_index


def values_of(curves: Iterable[fcurves.PlayedCurve]) -> set[Value]:
    """Return what F-Curves or drivers animate."""
    return set(map(address, curves))


def left_behind(owner: ID, action: Action | None) -> set[Value]:
    """Return what others than this Action move of `owner`, so that values may be what they left where they last played.

    One that only others play has not played here: objects, and bones of one name, have the same paths.
    """
    users, found = bpy.data.user_map(subset={*bpy.data.actions}), set[Value]()
    played = {user: {other for other, _ in all_assigned(user)} for user in set[ID]().union(*users.values())}
    for other in bpy.data.actions:
        playing = [user for user in users[other] if other in played[user]]
        if other != action and (not playing or owner in playing):
            curves = (curve for _, curve in actions.every_curve(other) if address(curve) not in found)
            found |= values_of(curve for curve in curves if not fcurves.holds_rest(curve))
    return found


def all_assigned(owner: ID) -> list[tuple[Action | None, Slot | None]]:
    """Return the Action and slot (None before 4.4) of `owner` and of each NLA strip, whether it plays or not."""
    return [actions.assigned(owner), *((strip.action, slot_of(strip)) for strip in every_strip(owner))]


def every_strip(owner: ID) -> list[NlaStrip]:
    """Return the NLA strips of `owner`, whether they play or not; in the place of a META strip those in it."""
    tracks = getattr(actions.animation_data(owner), "nla_tracks", ())
    return list(with_contents(strip for track in tracks for strip in track.strips))


def only_strip(owner: ID, shift: float | None = None) -> NlaStrip | None:
    """Return the plain NLA strip that is all that `owner` plays, with this shift if one is given; None for none."""
    data = actions.animation_data(owner)
    if data is None or not data.use_nla or (data.action is not None and not data.use_tweak_mode):
        return None
    strips = list(chain(*playing_tracks(data)))
    if len(strips) != 1 or strips[0].action is None:
        return None
    wanted = strips[0].frame_start - strips[0].action_frame_start if shift is None else shift
    return strips[0] if _is_plain(strips[0], strips[0].action, wanted) else None


def playing_action(owner: ID, shift: float) -> Action | None:
    """Return the Action that `owner` has assigned, or plays by one plain NLA strip of that shift; None for none."""
    strip = only_strip(owner, shift)
    return actions.assigned(owner)[0] if strip is None else strip.action


def slot_of(strip: NlaStrip) -> Slot | None:
    """Return the slot of its Action that an NLA strip plays, None before 4.4."""
    return strip.action_slot if actions.SLOTTED else None


# --- Objects -----------------------------------------------------------------------------------------------------

CurvesOf = Callable[[Object], Iterable[fcurves.PlayedCurve]]


def of_object(thing: Object, as_curves: Container[Value] = (), animated: Iterable[Value] = ()) -> Entry | None:
    """Return why an object's own transform is more than its F-Curves, and drivers `as_curves`, say; None if not.

    Delta transforms that are at rest now count where they are `animated`.
    """
    for constraint in active_constraints(thing):
        return Entry(messages.CAPTURE_CONSTRAINT, {"name": thing.name, "constraint": constraint.name})
    for path in driven_paths(thing, as_curves):
        if path in TRANSFORM_PATHS:
            return Entry(messages.CAPTURE_DRIVER, {"name": thing.name, "path": path})
    if has_deltas(thing) or any(path.startswith("delta_") for path, _ in animated):
        return Entry(messages.CAPTURE_DELTA, {"name": thing.name})
    if thing.parent is not None and (thing.parent_type not in ("OBJECT", "BONE", "ARMATURE") or path_of(thing)):
        return Entry(messages.CAPTURE_PARENT, {"name": thing.name, "parent": thing.parent.name})
    return None


def path_of(thing: Object) -> Curve | None:
    """Return the path along which its parent, a curve, carries an object, None where nothing animates that."""
    data = thing.parent.data if thing.parent is not None and thing.parent_type == "OBJECT" else None
    return data if isinstance(data, Curve) and data.use_path and actions.animation_data(data) is not None else None


def has_deltas(thing: Object) -> bool:
    """Return whether an object has delta transforms that change where it is, besides its own."""
    turned = thing.delta_rotation_quaternion if thing.rotation_mode == "QUATERNION" else thing.delta_rotation_euler
    resting = (1.0, 0.0, 0.0, 0.0) if thing.rotation_mode == "QUATERNION" else (0.0, 0.0, 0.0)
    moved, sized = thing.delta_location[:], thing.delta_scale[:]
    return moved != (0.0, 0.0, 0.0) or sized != (1.0, 1.0, 1.0) or turned[:] != resting


def moves_itself(thing: Object, curves_of: CurvesOf) -> bool:
    """Return whether an object's own transform is animated, by whatever means."""
    own = {*TRANSFORM_PATHS} - {*data_paths.ROTATIONS} | {data_paths.turn_of(thing)}
    keyed = any(curve.data_path in own and fcurves.plays(curve) for curve in curves_of(thing))
    posed = of_object(thing)
    by_others = posed is not None and posed.template != messages.CAPTURE_DELTA
    return keyed or by_others or any(path in own for path, _ in strip_values(thing))


def moves(thing: Object, curves_of: CurvesOf, but: Container[str] = ()) -> bool:
    """Return whether an object, or what it hangs on, is animated, of objects with other names than these `but`."""
    if thing.name not in but and moves_itself(thing, curves_of):
        return True
    parent = thing.parent
    if parent is None:
        return False
    on_bone = thing.parent_type == "BONE"
    posed = on_bone and (any(True for _ in curves_of(parent)) or (is_rig(parent) and bool(of_bones(parent))))
    return posed or moves(parent, curves_of, but)
