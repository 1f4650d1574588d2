"""What was written is played: assigned, merged or put into NLA strips, and what keeps it from playing is reported."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np
from bpy.types import ID, Action, Key, NlaStrip, NlaTrack, Object

from ..io_formats.clip import LOCATION, SCALE
from ..io_formats.errors import FormatError
from . import actions, channels, messages, names, rates, visibility
from .capture import influences
from .data_paths import bone_path, shape_key, split_bone, turn_of
from .fcurves import AT_REST, holds_rest
from .targets import Target
from .types import Rig, is_rig

if TYPE_CHECKING:
    from .undo import Undo
    from .write import Import, Part, Written

_SEQUENCE = "Sequence"
"""Name of the NLA track that holds a sequence."""

_STASH = "[Action Stash]"
"""Name of the NLA track of what is stashed, as Blender's own Stash button calls it."""

_LEAVES = 1e-3
"""A connected bone that should go further than this from its parent's tip, in lengths of its armature, is reported."""


def play(run: Import, target: Target, clips: Sequence[Written]) -> list[Written]:
    """Assign the first clip of a target, or place strips; keep the others.

    Return the same clips, with the frames by which their strips are moved; raise FormatError if one would go beyond
    the frames of a scene.
    """
    played = []
    ended = None
    if not channels.takes_all(run.options):
        curves = (curve for thing in target.things for curve in actions.fcurves_of(thing))
        ended = {(curve.data_path, curve.array_index) for curve in curves}
    for number, entry in enumerate(clips):
        if entry.merge and run.merged:
            for part in entry.parts:  # the pose of other bones stays
                _remember_animation(run, part.owner)
                actions.assign(part.owner, part.action, part.slot)
                part.action.update_tag()
        else:
            lined_up = run.options.nla == "SEQUENCE" or (run.options.nla == "STRIP" and number == 0)
            entry = _line_up(run, entry) if lined_up else entry
            if run.options.nla != "NONE":
                first, last, limit = entry.first + entry.shift, entry.last + entry.shift, actions.FRAME_LIMIT
                if not -limit <= first <= last <= limit:
                    raise FormatError(messages.STRIP_BEYOND, first=first, last=last, limit=limit)
            for part in entry.parts:
                _play_part(run, part, entry.shift, first=number == 0)
        played.append(entry)
    _warn_of_conflicts(run, played[0], target)
    if not target.is_new and not run.merged and not run.options.only_selected_bones:
        _clear_pose(run, target, played[0], ended)
        bones = (target.rig.pose.bones[bone] for bone in target.bones.values())
        visibility.show_again(target.rig, {*bones, *target.objects.values()}, ended, run.undo)
    return played


def by_angles(rig: Rig) -> list[str]:
    """Return the bones of an armature that are turned by angles."""
    return [bone.name for bone in (rig.pose.bones if rig.pose else ()) if bone.rotation_mode != "QUATERNION"]


def warn_of_angles(run: Import, before: Mapping[Rig, list[str]]) -> None:
    """Warn of Actions whose angles turn nothing any more of the bones that they turned `before`, by armature."""
    for rig, bones in before.items():
        lost = [bone for bone in bones if rig.pose.bones[bone].rotation_mode == "QUATERNION"]
        turns = ("rotation_euler", "rotation_axis_angle")
        paths = {bone_path(bone, f".{name}"): bone for bone in lost for name in turns}
        for action in bpy.data.actions if paths else ():
            moving = (curve for _, curve in actions.every_curve(action) if curve.data_path in paths)
            found = dict.fromkeys(paths[curve.data_path] for curve in moving if not holds_rest(curve))
            if not found or action in run.replaced:
                continue
            players = [owner for owner, _ in actions.users_of(action)]
            if not players or rig in players:
                run.report.warn(messages.ANGLES_SILENT, action=action.name, number=len(found), names=", ".join(found))


def _line_up(run: Import, entry: Written) -> Written:
    """Find the place of a clip's strips behind those before, and mark it in the scene where all are in sequence."""
    batch, in_sequence = run.batch, run.options.nla == "SEQUENCE"
    owner = entry.parts[0].owner.name if entry.parts and not in_sequence else ""
    # whole frames, so that keys stay on such; the first strip lies where its Action does
    shift = math.floor(batch.ends[owner] - entry.first) + 1 if owner in batch.ends else 0
    run.undo.callback(vars(batch).update, ends=dict(batch.ends), tracks=dict(batch.tracks))
    batch.ends[owner] = entry.last + shift
    if in_sequence:
        frame = (entry.first + shift) / rates.stretching(run.context.scene)
        whole, name = actions.marker_label(frame, run.name_of(entry.clip))
        run.undo.new(run.context.scene.timeline_markers, name).frame = whole
    return entry._replace(shift=shift)


def _play_part(run: Import, part: Part, shift: int, *, first: bool) -> None:
    _remember_animation(run, part.owner)
    if isinstance(part.owner, Object) and is_rig(part.owner) and part.owner.pose is None:
        run.context.view_layer.update()  # Blender 5.0.1 crashes if a slot is assigned before there is a pose
        run.hold_again()  # which handlers of other add-ons hear
    in_sequence, as_strip = run.options.nla == "SEQUENCE", run.options.nla in ("STRIP", "SEQUENCE")
    if run.options.nla != "NONE":
        tracks, sequences = actions.ensure_animation_data(part.owner).nla_tracks, run.batch.tracks
        key = f"{part.owner.id_type} {part.owner.name}"
        held = tracks.get(sequences[key]) if in_sequence and key in sequences else None
        track = _add_strip(part, run.undo, stash=not as_strip, shift=shift, track=held)
        if not in_sequence:
            track.mute = track.mute or not first
        elif held is None:
            others = (other.name for other in tracks if other != track)
            track.name = names.UniqueNames(others).take(_SEQUENCE, _SEQUENCE)
            sequences[key] = track.name
    if as_strip and first:
        _warn_of_what_plays_over(run, part.owner)
    displaced, _ = actions.assigned(part.owner)
    # a skeleton's file moves nothing, and ends nothing
    moves = bool(part.writer.written or part.writer.held) or displaced is None
    if first and not as_strip and moves:
        _warn_of_what_ends(run, part, displaced)
        actions.assign(part.owner, part.action, part.slot)
        if displaced is not None and displaced.users == 0 and displaced not in run.replaced:
            run.undo.set(displaced, "use_fake_user", True)
    if run.options.fake_user or not first or as_strip or not moves:
        part.action.use_fake_user = True
    part.action.update_tag()


class _Nla(NamedTuple):
    """Makes NLA tracks, or strips on one; they are looked for when they go, as what is gone already is freed memory."""

    owner: ID
    track: NlaTrack | None = None

    def new(self, *strip: Any) -> Any:
        """Make a track, or on the one that there is a strip of this name, frame and Action."""
        makes = actions.ensure_animation_data(self.owner).nla_tracks if self.track is None else self.track.strips
        return makes.new(*strip)

    def remove(self, made: NlaTrack | NlaStrip) -> None:
        """Remove one, if it is still there."""
        tracks: Any = getattr(actions.animation_data(self.owner), "nla_tracks", ())
        for holder in [tracks, *(track.strips for track in tracks)]:
            if made in [*holder]:
                holder.remove(made)
                return  # a track's strips are gone with it


def _add_strip(part: Part, undo: Undo, *, stash: bool, shift: int, track: NlaTrack | None) -> NlaTrack:
    """Put an Action on the NLA track, or a new one, `shift` frames later than it lies; return the track.

    A stashed strip is muted and its track locked, as Blender's own Stash button makes them.
    """
    action, tracks = part.action, actions.ensure_animation_data(part.owner).nla_tracks
    if track is None:
        track = undo.new(_Nla(part.owner))
        track.name = _STASH if stash else names.cut(action.name)
    first, last = action.frame_range[:]
    at = math.ceil(first) + shift  # behind those before it
    strip = undo.new(_Nla(part.owner, track), action.name, at, action)
    if actions.SLOTTED:
        strip.action_slot = part.slot
    strip.action_frame_start, strip.action_frame_end = first, last
    strip.frame_end = first + shift + max(last - first, 1.0)
    strip.frame_start = first + shift
    above = any(len(other.strips) for other in tracks if other != track)
    strip.extrapolation = "HOLD_FORWARD" if above else "HOLD"  # before it what lies below plays
    if stash:
        track.mute = track.lock = True
    return track


def _warn_of_what_ends(run: Import, part: Part, displaced: Action | None) -> None:
    """Warn of an Action that moved an armature object as a whole, and that another one takes the place of."""
    is_armature = isinstance(part.owner, Object) and is_rig(part.owner)
    going = displaced is None or displaced in run.replaced or not is_armature
    played = set() if going else {curve.data_path for curve in actions.fcurves_of(part.owner)}
    lasting = {curve.data_path.partition("_")[0] for curve in part.writer.written}  # a rotation in whatever mode
    if any(path.partition("_")[0] not in lasting for path in played & set(influences.TRANSFORM_PATHS)):
        run.report.warn(messages.MOTION_ENDS, name=part.owner.name, action=displaced.name)


def _warn_of_what_plays_over(run: Import, owner: ID) -> None:
    """Warn of an Action that is assigned, and of NLA settings, by which the new strips are not seen."""
    action, _ = actions.assigned(owner)
    if actions.fcurves_of(owner):
        run.report.warn(messages.STRIP_BELOW_ACTION, name=owner.name, action=run.replaced.get(action, action).name)
    data = actions.ensure_animation_data(owner)
    if not data.use_nla or any(track.is_solo for track in data.nla_tracks):
        run.report.warn(messages.STRIP_UNSEEN, name=owner.name)


def _remember_animation(run: Import, owner: ID) -> None:
    action, slot = actions.assigned(owner)
    if actions.animation_data(owner) is None:
        run.undo.callback(owner.animation_data_clear)
    else:
        run.undo.callback(actions.assign_again, owner, action, actions.slot_handle(slot))


def _clear_pose(run: Import, target: Target, entry: Written, ended: visibility.Ended) -> None:
    """Reset to its rest what no curve of a clip moves of its bones, whatever was posed or played before.

    Number by number, as a file may move a bone along one axis only. If a part of it is taken, only what has `ended`.
    """
    moving = {(curve.data_path, curve.index) for part in entry.parts for curve in part.writer.written}
    for bone in target.bones.values():
        holder = target.rig.pose.bones[bone]
        for name in (LOCATION, turn_of(holder), SCALE):
            path, posed = bone_path(bone, f".{name}"), tuple(getattr(holder, name))
            over = [(path, at) not in moving and (ended is None or (path, at) in ended) for at in range(len(posed))]
            cleared = tuple(np.where(over, AT_REST[name], posed).tolist())
            if cleared != posed:
                run.undo.callback(setattr, holder, name, posed)
                setattr(holder, name, cleared)


def _warn_of_conflicts(run: Import, entry: Written, target: Target) -> None:
    for track in entry.clip.tracks if not target.is_new else ():
        bone = target.bones.get(track.node) if track.property == LOCATION else None
        if bone is not None and target.rig.data.bones[bone].use_connect and np.any(np.abs(track.values) > _LEAVES):
            run.report.warn(messages.JOINT_CONNECTED, name=bone)
    alone = run.options.nla in ("NONE", "STASH") and not (entry.merge and run.merged)
    for owner, action, _, writer in entry.parts:
        if target.is_new and owner == target.rig:
            continue
        if alone and influences.nla_decides(owner, action):
            run.report.warn(messages.CAPTURE_NLA, name=owner.name)
        addresses = {(curve.data_path, curve.index) for curve in writer.written}
        for driver in influences.active_drivers(owner):
            if (driver.data_path, driver.array_index) in addresses and split_bone(driver.data_path)[0] is None:
                run.report.warn(messages.CAPTURE_DRIVER, name=owner.name, path=driver.data_path)
        paths = {path for path, _ in addresses}
        if isinstance(owner, Key):
            for name in filter(None, map(shape_key, sorted(paths))):
                if owner.key_blocks[name].mute:
                    run.report.warn(messages.CAPTURE_SHAPE_MUTED, name=owner.user.name, shape=name)
        if isinstance(owner, Object):
            _warn_of_poses(run, owner, paths)


def _warn_of_poses(run: Import, thing: Object, paths: set[str]) -> None:
    """Warn of what moves an object or its bones besides the transforms at these paths."""
    moved = {bone for bone, path in map(split_bone, paths) if path in influences.TRANSFORM_PATHS}
    if None in moved:
        for constraint in influences.active_constraints(thing):
            run.report.warn(messages.CAPTURE_CONSTRAINT, name=thing.name, constraint=constraint.name)
        if influences.has_deltas(thing):
            run.report.warn(messages.CAPTURE_DELTA, name=thing.name)
    if is_rig(thing) and moved - {None}:
        if thing.data.pose_position == "REST":
            run.report.warn(messages.CAPTURE_REST_POSITION, name=thing.name)
        for bone, entry in influences.of_bones(thing).items():
            own = thing.data.bones[bone]  # how it inherits sizes seldom changes anything
            only_sizes = entry.template == messages.CAPTURE_INHERITANCE and own.use_inherit_rotation
            follows = own.use_local_location or bone_path(bone, f".{LOCATION}") not in paths
            if bone in moved and not (only_sizes and follows):
                run.report.warn(entry.template, **entry.values)
