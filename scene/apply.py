"""Clips into Blender: one Action for each, on a new or existing target; after any failure nothing is left.

Scripts and operators alike call `apply_clips`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial

import bpy
import numpy as np
from bpy.types import ID, Action, Context, Object, PoseBone, Text

from ..io_formats.clip import LOCATION, ROTATION, SCALE, Clip, Track, TrackKind
from ..io_formats.clip.fcurve_keys import FrameCache, to_keys
from ..io_formats.clip.model import ModelFile
from ..io_formats.clip.rework import Rework, SceneFrames, looped
from ..io_formats.errors import FormatError, Report
from ..io_formats.files.steps import Pace, Steps, portion
from ..io_formats.scene_options import ImportOptions
from . import (
    actions,
    armatures,
    besides,
    channels,
    fitting,
    merging,
    messages,
    models,
    names,
    provenance,
    rates,
    targets,
    undo,
    visibility,
)
from .capture.driven import turn_of
from .capture.influences import TRANSFORM_PATHS
from .data_paths import bone_path, custom_path
from .fcurves import AT_REST, CurveWriter
from .lineup import TRACK, Lineup
from .merging import Merging
from .models import Showing, Stand, has_new, is_model
from .targets import Target
from .types import Holder, Rig, Slot, has_key, is_rig
from .undo import Undo, remove_all

_SAME_FRAME = 1e-4
_WRITTEN = 0.8
"""Share of what is made in Blender that is done when all curves are there."""


@dataclass(frozen=True)
class SourceFile:
    """The file that clips come from, kept in the .blend so that untouched parts export exactly.

    Attributes:
        data: its bytes.
        format: name of its format package ("mrtk", "w3d", "animx").
        file: its name.
        report: body of the Text; `provenance.set_report` changes it later.
    """

    data: bytes
    format: str
    file: str
    report: str = ""


@dataclass
class Applied:
    """What an import made.

    Attributes:
        rig: the armature object that plays the first clip; None if only objects are animated.
        objects: every object that was animated or made.
        actions: the main Action of each clip, in order.
        all_actions: also the further Actions that Blender 4.2 needs for a clip of several objects.
        bones: bone by node name.
        text: the Text that keeps the source, None if none was kept.
        is_new: the armature was made by this import.
        merged: Actions that were there and the first clip was written into.
        seen_from: direction towards a viewer who recognises a new armature; None where any view is as good.
        first_shown: frame that the playhead was moved to, as the clip was not visible at the old one; else None.
        undo: takes the import back; steps may be added until the import is complete.
    """

    rig: Rig | None = None
    objects: list[Object] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    all_actions: list[Action] = field(default_factory=list)
    bones: dict[str, str] = field(default_factory=dict)
    text: Text | None = None
    is_new: bool = False
    merged: list[bpy.types.Action] = field(default_factory=list)
    seen_from: tuple[float, float, float] | None = None
    first_shown: int | None = None
    undo: Undo = field(default_factory=Undo, repr=False)


@contextmanager
def apply_clips(
    context: Context,
    clips: Sequence[Clip],
    options: ImportOptions,
    report: Report,
    *,
    name: str,
    source: SourceFile | None = None,
    onto: Rig | None = None,
    models: Sequence[ModelFile] = (),
    lineup: Lineup | None = None,
) -> Iterator[Steps[Applied]]:
    """Import the clips of one file into the current scene; the import is complete when the `with` block ends.

    The block does the steps. Any exception in here or in the block, Ctrl+C included, takes the whole import back.
    Nothing that an import holds may be removed or replaced between two steps, as undo does.
    The first clip's Action is assigned (or put on an NLA track as a strip), the others are kept by a fake user.

    Args:
        context: needs a scene and view layer; mode, selection and active object may be anything.
        name: for a new armature, and for Actions whose clip has no name (the file's stem).
        source: kept if the options say so.
        onto: an armature object to animate, whatever the option Target says (a batch names its first file's).
        models: what is shown on the first clip's armature.
        lineup: where the NLA strips of a batch lie so far.

    Raises:
        FormatError: the target does not exist or cannot be animated. The scene is as it was.
    """
    with Undo() as undo:
        run = _Import(context, options, report, name, undo, models, lineup)
        yield run.apply(clips, source, onto)
        replaced = run.replaced_actions()
        left_over = provenance.left_over(replaced) if replaced else []
        undo.pop_all()
        remove_all([*replaced, *left_over])


@contextmanager
def show_models(
    context: Context,
    clip: Clip | None,
    options: ImportOptions,
    report: Report,
    *,
    name: str,
    models: Sequence[ModelFile],
    source: SourceFile,
    onto: Rig | None = None,
) -> Iterator[Applied]:
    """Show the skeleton and models of a file in which nothing moves; what plays on an armature is left alone.

    Args:
        clip: the skeleton as nodes without tracks, None for rigid meshes that stand alone.
        name: for a new armature.
        source: the file, which an export of what this makes of it writes again as long as nothing moves.
        onto: as for `apply_clips`.
    """
    with Undo() as undo:
        yield _Import(context, options, report, name, undo, models).show_alone(clip, source, onto)
        undo.pop_all()


@dataclass
class _Playing:
    """One datablock's part in a clip: its Action, slot and the writer of its curves."""

    owner: ID
    action: Action
    slot: Slot | None
    writer: CurveWriter


@dataclass
class _Written:
    """One clip in Blender; its NLA strips lie `shift` frames later than the Action.

    Where it `rests`, what it moves not of its bones is held at rest; it is `resting` where that was copied.
    """

    clip: Clip
    main: Action
    parts: list[_Playing]
    first: float
    last: float
    rebased: bool
    ties: dict[str, str]
    left_out: list[channels.Address]
    merge: bool = False
    rests: bool = False
    resting: bool = False
    shift: int = 0

    @property
    def actions(self) -> list[Action]:
        """The main Action first, then those that Blender 4.2 needs for further datablocks."""
        return list({part.action.name: part.action for part in self.parts}.values()) or [self.main]


class _Import:
    """One import: what every step needs to know."""

    def __init__(
        self,
        context: Context,
        options: ImportOptions,
        report: Report,
        name: str,
        undo: Undo,
        models: Sequence[ModelFile] = (),
        lineup: Lineup | None = None,
    ) -> None:
        self.models = models
        self.lineup = lineup or Lineup()
        self.context = context
        self.scene = context.scene
        self.options = options
        self.report = report
        self.name = name
        self.undo = undo
        self.rate = 0.0
        self.several = False
        self.replaced: list[tuple[Action, Action]] = []
        self.merging = Merging(undo)

    def apply(self, clips: Sequence[Clip], source: SourceFile | None, onto: Rig | None) -> Steps[Applied]:
        """Run all steps in order and return what the import made.

        Raises:
            FormatError: the scene cannot be edited, or no target suits.
        """
        if self.context.view_layer is None or not self.scene.is_editable:
            raise FormatError(messages.NO_VIEW_LAYER, name=self.scene.name)
        self.rate = rates.settle_rate(self.scene, clips, self.options, self.report, self.undo)
        self.several = len(clips) > 1
        found = self._find_targets(clips, onto)
        frames = SceneFrames(self.rate, self.options.start_frame) if self.options.resample else None
        rework = Rework(self.options, frames)
        pace = Pace(sum(clip.key_count for clip in clips), sum(len(clip.tracks) for clip in clips))
        written: list[_Written] = []
        modes = [(target.rig, _by_angles(target)) for target in {id(target): target for target in found}.values()]
        for clip, target in zip(clips, found, strict=True):
            merge = self.options.merge and not written
            written.append((yield from self._write_clip(clip, target, rework, pace, merge=merge)))
        self._keep_others()
        self._tell_of_angles(modes)
        rework.tell(self.report)
        applied = Applied(undo=self.undo)
        for target, clip_group in _by_target(found, written):
            self._play(target, clip_group)
            self._show(target, [entry.clip for entry in clip_group], applied)
        yield from self._finish(applied, written, found, source)
        return applied

    def replaced_actions(self) -> list[Action]:
        """Return the Actions whose place others have taken."""
        return [old for old, _ in self.replaced]

    def show_alone(self, clip: Clip | None, source: SourceFile, onto: Rig | None) -> Applied:
        """Show the models on the armature that the option Target finds or makes, or without an armature.

        Raises:
            FormatError: the scene cannot be edited, or no target suits.
        """
        if self.context.view_layer is None or not self.scene.is_editable:
            raise FormatError(messages.NO_VIEW_LAYER, name=self.scene.name)
        target = Target() if clip is None else self._find_targets([clip], onto)[0]
        applied = Applied(target.rig, bones=target.bones, is_new=target.is_new, undo=self.undo)
        self._show_models(target, (), applied)
        if applied.is_new or applied.rig is None:
            self._select(applied)
        made = [*applied.objects, *([applied.rig] if applied.is_new and applied.rig is not None else [])]
        if made and self.options.keep_source:
            applied.text = provenance.note_models(
                made, source.data, format_name=source.format, file=source.file, undo=self.undo
            )
        return applied

    def _find_targets(self, clips: Sequence[Clip], onto: Rig | None) -> list[Target]:
        """Return the target of each clip; clips of the same skeleton share one."""
        by_skeleton: dict[tuple[str, ...], Target] = {}
        found = []
        for clip in clips:
            key = (clip.skeleton, *(node.name for node in clip.nodes))
            if key not in by_skeleton:
                rig_name = (clip.skeleton if self.options.name_from == "CLIP" else "") or self.name
                by_skeleton[key] = targets.choose(
                    self.context, clip, self.options, self.report, name=rig_name, onto=onto, undo=self.undo
                )
                _refuse_tweaked(by_skeleton[key])
            found.append(by_skeleton[key])
        return found

    def _write_clip(self, clip: Clip, target: Target, rework: Rework, pace: Pace, *, merge: bool) -> Steps[_Written]:
        """Write a clip into a new Action, or several; they are not assigned yet."""
        own = clip
        converted = targets.for_target(own, target, self.options, self.report)
        taken, left_out = channels.choose(converted, target, self.options, self.report)
        if target.rig is not None and not target.is_new:
            fitting.tell_proportions(taken, target.rig, target.bones, self.report)
            fitting.let_keys_move(taken, target.rig, target.bones, self.report, self.undo)
        clip = rework.of(taken)
        main = self._merged_main(target) if merge else None
        if main is None or self.options.cyclic == "CLOSE":  # an Action that is there keeps its own mark
            clip = looped(clip, self.options, self.report)
        whole = converted if left_out else clip
        first, last = rates.clip_range(whole, self.rate, self.options.start_frame)
        alone = bool(clip.rate and not left_out and main is None)
        rests = target.rig is not None and bool(self.options.rest_curves) and alone
        resting = self._resting(target, first) if rests else None
        main = main or self._new_action(self.options.name_prefix + self._name_of(clip), resting)
        written = _Written(clip, main, [], first, last, converted is not own, target.ties, left_out, merge=merge)
        written.rests, written.resting = rests, resting is not None
        yield from self._write_tracks(written, target, pace)
        origin = self.options.start_frame
        markers = [(marker.time * self.rate + origin, marker.text) for marker in clip.markers]
        for action in written.actions:
            if self.merging.is_into(action):
                merging.extend_range(action, first, last)
            else:
                actions.set_range(action, first, last, cyclic=clip.cyclic)
        merging.add_markers(main, markers)
        return written

    def _merged_main(self, target: Target) -> bpy.types.Action | None:
        """Return the copy of the Action that the target plays, None if it plays none."""
        owners = [thing for thing in (target.rig, *target.objects.values()) if thing is not None]
        return next((action for action, _ in map(self.merging.into, owners) if action is not None), None)

    def _name_of(self, clip: Clip) -> str:
        """Return what a clip's Action is named after, as the option Name from says."""
        if self.options.name_from == "CLIP" or not self.name:
            return clip.name or self.name
        return f"{self.name} {clip.name}".rstrip() if self.several else self.name

    def _resting(self, target: Target, frame: float) -> Action | None:
        """Return an Action with all bones of a target at rest, for those of a batch to be copies of it; None for the
        first, and where nobody would remove it."""
        held, known = self.lineup.held, self.lineup.resting
        if held is None or not self.lineup.made:
            return None
        bones = [target.rig.pose.bones[name] for name in target.bones.values()]
        key = (target.rig.name, frame, *((bone.name, bone.rotation_mode) for bone in bones))
        if key not in known or not undo.is_there(known[key]):
            known[key] = held.new(bpy.data.actions, f".{target.rig.name}")  # a name that no file of the batch takes
            bag = actions.ensure_bag(known[key], actions.own_slot(known[key], target.rig))
            writer = CurveWriter(bag, self.options.rest_curves * len(bones))
            for bone in bones:
                writer.hold(_at_rest(bone), frame, group=bone.name)
        return known[key]

    def _new_action(self, name: str, like: Action | None = None) -> Action:
        """Return a new Action, a copy of one that is named; an older one of the same name is put on the list of Actions
        to replace."""
        wanted = names.cut(name) or "Action"
        old = bpy.data.actions.get((wanted, None)) if self.options.existing == "REPLACE" else None
        is_older = old is not None and old.name not in self.lineup.made
        if is_older:
            merging.set_aside(old, self.undo)
        if like is None:
            action = self.undo.new(bpy.data.actions, wanted)
        else:
            action = self.undo.copy(bpy.data.actions, like)
            action.name = wanted
        self.lineup.made.add(action.name)
        if is_older:
            self.replaced.append((old, action))
        return action

    def _tell_of_angles(self, before: Sequence[tuple[Rig | None, list[str]]]) -> None:
        """Warn of Actions whose angles turn nothing any more.

        Args:
            before: each armature with the bones that angles turned.
        """
        going = [old for old, _ in (*self.replaced, *self.merging.copies)]
        for rig, bones in before:
            lost = [bone for bone in bones if rig.pose.bones[bone].rotation_mode == "QUATERNION"]
            for reason in besides.turned_by_angles(rig, lost, going):
                self.report.warn(reason.template, **reason.values)

    def _keep_others(self) -> None:
        """Give Actions back their names that are no older takes of the new ones, which get a number instead."""
        others = [(old, new) for old, new in self.replaced if merging.moves_more(old, new)]
        for old, new in others:
            name = str(new.name)
            self.undo.set(new, "name", names.UniqueNames(action.name for action in bpy.data.actions).take(name, name))
            self.undo.set(old, "name", name)
            self.lineup.made.add(new.name)
            self.report.warn(messages.ACTION_NOT_REPLACED, name=old.name, new=new.name)
        self.replaced = [pair for pair in self.replaced if pair not in others]

    def _write_tracks(self, written: _Written, target: Target, pace: Pace) -> Steps[None]:
        cache = FrameCache(self.rate, self.options.start_frame)
        expected = sum(len(track.values) for track in written.clip.tracks)
        parts: dict[int, _Playing] = {}
        if target.rig is not None:
            expected += self.options.rest_curves * len(target.bones) * written.rests
            self._part(parts, written, target.rig, expected)
        seen: set[tuple[int, str, int]] = set()
        for tracks in _by_property(written.clip.tracks):
            channel = channels.resolve(tracks, target, self.report, self.undo)
            if channel is not None:
                writer = self._part(parts, written, channel.owner, expected).writer
                self._write_channel(tracks, channel, writer, cache, seen)
            if pace.is_due(sum(track.values.size for track in tracks), len(tracks)):
                yield from _pause(pace, parts)
        if written.rests and target.rig is not None:
            yield from self._hold_at_rest(target, written, parts, pace)

    def _hold_at_rest(self, target: Target, written: _Written, parts: dict[int, _Playing], pace: Pace) -> Steps[None]:
        """Key at rest what a clip does not move of its bones, so that it plays alike whatever was played before."""
        writer = parts[target.rig.as_pointer()].writer
        if written.resting:
            writer.take_held()
            return
        moved = {(curve.data_path, curve.index) for curve in writer.written}
        for bone in target.bones.values():
            resting = (at for at in _at_rest(target.rig.pose.bones[bone]) if at[:2] not in moved)
            writer.hold(resting, written.first, group=bone)
            if pace.is_due(0, self.options.rest_curves):
                yield from _pause(pace, parts)

    def _write_channel(
        self,
        tracks: Sequence[Track],
        channel: channels.Channel,
        writer: CurveWriter,
        cache: FrameCache,
        seen: set[tuple[int, str, int]],
    ) -> None:
        """Write the tracks of one property.

        Args:
            seen: what is animated already: its owner, path and component.
        """
        for track in tracks:
            address = (channel.owner.as_pointer(), channel.data_path, track.component)
            if address in seen:
                self.report.warn(messages.DOUBLE_TRACK, node=track.node, property=track.property)
                continue
            seen.add(address)
            writer.write(
                channel.data_path,
                to_keys(track, self.rate, self.options.start_frame, self.report, cache),
                first_index=track.component,
                group=channel.group,
                before=track.before,
                after=track.after,
            )

    def _part(self, parts: dict[int, _Playing], written: _Written, owner: ID, expected: int) -> _Playing:
        """Return what writes the curves of `owner`: a slot of the clip's Action, before 4.4 an Action of its own."""
        key = owner.as_pointer()
        if key not in parts:
            action, slot = self.merging.into(owner) if written.merge else (None, None)
            if action is None:
                action, slot = self._own_action(written, owner, alone=not parts)
            writer = CurveWriter(actions.ensure_bag(action, slot), expected)
            parts[key] = _Playing(owner, action, slot, writer)
            written.parts.append(parts[key])
        return parts[key]

    def _own_action(self, written: _Written, owner: ID, *, alone: bool) -> tuple[Action, Slot | None]:
        """Return the Action and slot of an owner into whose own nothing is merged.

        Args:
            alone: no other owner has a part in the clip so far.
        """
        action = written.main
        if not actions.SLOTTED and (not alone or self.merging.is_into(action)):
            action = self._new_action(f"{written.main.name} {owner.name}")
        return action, actions.own_slot(action, owner)

    def _play(self, target: Target, written: Sequence[_Written]) -> None:
        """Assign the first clip, or place strips; keep the others."""
        for number, entry in enumerate(written):
            if entry.merge and self.merging.copies:
                self._play_merged(entry)
                continue
            if self.options.nla == "SEQUENCE" or (self.options.nla == "STRIP" and number == 0):
                self._line_up(entry)
            if self.options.nla != "NONE":
                _require_room(entry)
            for part in entry.parts:
                self._play_part(part, entry.shift, first=number == 0)
        self._tell_of_what_stands_besides(written[0], target)
        if not target.is_new and not self._adds_to_pose(written[0]):
            self._clear_pose(target, written[0].clip)
            self._show_again(target, written[0].clip)

    def _tell_of_what_stands_besides(self, entry: _Written, target: Target) -> None:
        """Warn of what a person's armature or object has that keeps it from playing what the file says."""
        alone = self.options.nla in ("NONE", "STASH") and not entry.merge
        reasons = [] if target.is_new else list(besides.of_connected(entry.clip.tracks, target))
        there = [part for part in entry.parts if not (target.is_new and part.owner == target.rig)]
        for part in there:
            reasons += besides.of_owner(part.owner, part.action, part.writer.written, alone=alone)
        for reason in reasons:
            self.report.warn(reason.template, **reason.values)

    def _adds_to_pose(self, entry: _Written) -> bool:
        """Return whether a clip is only a part of what moves the target, whose other bones stay as they are posed."""
        return bool(self.merging.copies or entry.left_out)

    def _play_merged(self, entry: _Written) -> None:
        """Assign what was merged, and what is new beside it; the pose of other bones stays."""
        for part in entry.parts:
            self._remember_animation(part.owner)
            actions.assign(part.owner, part.action, part.slot)
            part.action.update_tag()
        for old, copy in self.merging.copies:
            self.replaced.append((old, copy))

    def _line_up(self, entry: _Written) -> None:
        """Find the place of a clip's strips behind those before, and mark it in the scene where all are in sequence."""
        owner = entry.parts[0].owner.name if entry.parts else ""
        entry.shift = self.lineup.shift(owner, entry.first, entry.last, self.options, self.undo)
        if self.options.nla == "SEQUENCE":
            frame = (entry.first + entry.shift) / rates.stretching(self.scene)
            actions.add_scene_marker(self.scene, frame, self._name_of(entry.clip), self.undo)

    def _play_part(self, part: _Playing, shift: int, *, first: bool) -> None:
        self._remember_animation(part.owner)
        if isinstance(part.owner, Object):
            armatures.ensure_pose(self.context, part.owner)
        as_strip = self.options.nla in ("STRIP", "SEQUENCE")
        if self.options.nla == "SEQUENCE":
            self._add_to_sequence(part, shift)
        elif self.options.nla != "NONE":
            track, _ = actions.add_strip(part.owner, part.action, part.slot, self.undo, stash=not as_strip, shift=shift)
            track.mute = track.mute or not first
        if as_strip and first:
            self._tell_of_what_plays_over(part.owner)
        displaced, _ = actions.assigned(part.owner)
        # a skeleton's file moves nothing, and ends nothing
        moves = bool(part.writer.written or part.writer.held) or displaced is None
        if first and not as_strip and moves:
            self._tell_of_what_ends(part, displaced)
            actions.assign(part.owner, part.action, part.slot)
            if displaced is not None and displaced.users == 0 and displaced not in dict(self.replaced):
                self.undo.set(displaced, "use_fake_user", True)
        if self.options.fake_user or not first or as_strip or not moves:
            part.action.use_fake_user = True
        part.action.update_tag()

    def _tell_of_what_ends(self, part: _Playing, displaced: Action | None) -> None:
        """Warn of an Action that moved an armature object as a whole, and that another one takes the place of."""
        going = (
            displaced is None
            or displaced in dict(self.replaced)
            or not (isinstance(part.owner, Object) and is_rig(part.owner))
        )
        played = set() if going else actions.paths_of(part.owner)
        ended = played & set(TRANSFORM_PATHS) - {curve.data_path for curve in part.writer.written}
        if displaced is not None and ended:
            self.report.warn(messages.MOTION_ENDS, name=part.owner.name, action=displaced.name)

    def _add_to_sequence(self, part: _Playing, shift: int) -> None:
        """Put an Action behind those that its owner has in the sequence already."""
        held = self.lineup.track_of(part.owner)
        track, _ = actions.add_strip(
            part.owner, part.action, part.slot, self.undo, stash=False, shift=shift, track=held
        )
        if held is None:
            others = (other.name for other in actions.ensure_animation_data(part.owner).nla_tracks if other != track)
            track.name = names.UniqueNames(others).take(TRACK, TRACK)
            self.lineup.note_track(part.owner, track)

    def _tell_of_what_plays_over(self, owner: bpy.types.ID) -> None:
        """Warn of an Action that is assigned, and of NLA settings, by which the new strips are not seen."""
        action, slot = actions.assigned(owner)
        bag = actions.find_bag(action, slot) if action is not None else None
        if bag is not None and len(bag.fcurves):
            taken = dict(self.replaced).get(action, action)
            self.report.warn(messages.STRIP_BELOW_ACTION, name=owner.name, action=taken.name)
        data = actions.ensure_animation_data(owner)
        if not data.use_nla or any(track.is_solo for track in data.nla_tracks):
            self.report.warn(messages.STRIP_UNSEEN, name=owner.name)

    def _remember_animation(self, owner: ID) -> None:
        """Take back, on a failure, what will be done to the animation data of `owner`."""
        action, slot = actions.assigned(owner)
        if actions.animation_data(owner) is None:
            self.undo.callback(_clear_animation, owner)
        else:
            self.undo.callback(actions.assign, owner, action, slot)

    def _clear_pose(self, target: Target, clip: Clip) -> None:
        """Reset to its rest what the clip does not animate of its bones, whatever was posed or played before.

        Number by number, as a file may move a bone along one axis only.
        """
        moved = [track for track in clip.tracks if track.kind is TrackKind.TRANSFORM and len(track.times)]
        moving = {
            (track.node, track.property, track.component + row) for track in moved for row in range(len(track.values))
        }
        for node, bone in target.bones.items():
            holder = target.rig.pose.bones[bone]
            for name in (LOCATION, turn_of(holder), SCALE):
                resting = AT_REST[name]
                posed = tuple(getattr(holder, name))
                if posed == resting:
                    continue
                numbers = enumerate(zip(posed, resting, strict=True))
                cleared = tuple(own if (node, name, index) in moving else rest for index, (own, rest) in numbers)
                if cleared != posed:
                    self.undo.callback(setattr, holder, name, posed)
                    setattr(holder, name, cleared)

    def _show_again(self, target: Target, clip: Clip) -> None:
        """Show the bones and objects of a clip that it does not hide, whatever hid them before."""
        holders: dict[str, Holder] = {node: target.rig.pose.bones[bone] for node, bone in target.bones.items()}
        holders = {**target.objects, **holders}
        told = [(track.node, track.property) for track in clip.tracks if track.kind is TrackKind.CUSTOM]
        told += [node.shown_by for node in clip.nodes if node.shown_by is not None]
        keys = {(holders[node], channels.property_key(name)) for node, name in told if node in holders}
        visibility.show_again(target.rig, set(holders.values()), keys, self.undo)

    def _show(self, target: Target, clips: Sequence[Clip], applied: Applied) -> None:
        """Show what is not a bone: models and hiding; with a new armature also its camera and rays."""
        applied.objects += [thing for thing in (target.rig, *target.objects.values()) if thing is not None]
        if target.rig is not None:
            self._show_models(target, clips, applied)
        self._hide(target, clips)
        self._set(target, clips)
        if not target.is_new:
            return
        applied.seen_from = clips[0].seen_from
        collection = armatures.place_for_new(self.context)
        for attachment in clips[0].attachments:
            made = models.attach(collection, target.rig, attachment, target.bones, self.undo)
            if made is not None:
                applied.objects.append(made)
                if made.type == "CAMERA" and self.scene.camera is None:
                    self.undo.set(self.scene, "camera", made)
        self._leave_out_of_view(target, clips[0])

    def _leave_out_of_view(self, target: Target, clip: Clip) -> None:
        """Leave bones out of *Frame Selected* if other bones are visible.

        These are the bones that a camera or ray is shown for, and hidden bones without data.
        """
        told = {name for attachment in clip.attachments for name in (attachment.node, attachment.target)}
        hidden = {node.name for node in clip.nodes if node.placeholder and (node.shown_by is not None or node.helper)}
        aside = [node.name for node in clip.nodes if node.name in told | hidden]
        seen = [node.name for node in clip.nodes if node.name not in aside and not node.helper]
        bones = [target.bones[name] for name in aside if name in target.bones]
        anchor = next((target.bones[name] for name in seen if name in target.bones), None)
        if bones and anchor is not None:
            visibility.leave_out_of_view(target.rig, bones, anchor, self.undo)

    def _show_models(self, target: Target, clips: Sequence[Clip], applied: Applied) -> None:
        """Show the models once: with several skeletons on the first one; a new armature also shows its clip's own."""
        makers = [clip for clip in clips[:1] if target.is_new and clip.models is not None]
        own = [ModelFile(clip.models(clip)) for clip in makers if clip.models is not None]
        files, self.models = [*self.models, *own], ()
        if not has_new(files, target.rig):
            return
        collection = self.undo.new(bpy.data.collections, names.cut(f"{self.name} Models"))
        armatures.place_for_new(self.context).children.link(collection)
        path_of = partial(_carrier_path, target)
        scale = self.options.scale if target.rig is None else targets.size_of(target, self.options.scale)
        stand = Stand(target.rig, target.bones, collection, scale, path_of, target.skeleton)
        made = Showing(stand, self.undo, self.report).show(files)
        if made and target.rig is not None and any(map(names.is_made, target.rig.data.bones)):
            self.undo.set(target.rig.data, "display_type", "STICK")  # as they lie in front of the models
        applied.objects += made

    def _hide(self, target: Target, clips: Sequence[Clip]) -> None:
        """Let bones and objects hide as the clips say; the bones of a person's own armature stay visible."""
        shown_by = {node.name: node.shown_by for clip in clips for node in clip.nodes if node.shown_by is not None}
        carriers = {name: found for name, by in shown_by.items() if (found := _carrier(target, by)) is not None}
        moved = {target.bones[name]: path for name, (_, path) in carriers.items() if name in target.bones}
        hidden = {bone: path for bone, path in moved.items() if names.is_made(target.rig.data.bones[bone])}
        if len(hidden) < len(moved):
            self.report.note(messages.STAYS_VISIBLE, name=target.rig.name, number=len(moved) - len(hidden))
        for path in dict.fromkeys(hidden.values()):
            bones = [bone for bone, own in hidden.items() if own == path]
            visibility.draw_bones_unless(target.rig, bones, path, self.undo)
        if hidden:
            for child, bone in visibility.children_of_bones(target.rig, hidden):
                if visibility.hides_itself(child):
                    self.report.warn(messages.HIDES_ITSELF, name=child.name)
                else:
                    visibility.hide_object_unless(child, target.rig, hidden[bone], self.undo)
        for name, (owner, path) in carriers.items():
            if name in target.objects:
                visibility.hide_object_unless(target.objects[name], owner, path, self.undo)

    def _set(self, target: Target, clips: Sequence[Clip]) -> None:
        """Let what the file animates of objects set Blender's own properties."""
        for node in (node for clip in clips for node in clip.nodes if node.settings):
            if node.name in target.objects:
                channels.apply(target.objects[node.name], node.settings, self.scene, self.report, self.undo)

    def _finish(
        self, applied: Applied, written: Sequence[_Written], found: Sequence[Target], source: SourceFile | None
    ) -> Steps[None]:
        """Complete the import: result, provenance, scene range, selection and playhead."""
        applied.actions = [entry.main for entry in written]
        applied.all_actions = [action for entry in written for action in entry.actions]
        if found:
            applied.rig, applied.bones, applied.is_new = found[0].rig, found[0].bones, found[0].is_new
        applied.merged = [copy for _, copy in self.merging.copies]
        for entry in written:
            self._note(entry)
        if source is not None and self.options.keep_source:
            applied.text = yield from self._keep(written, source)
        if self.options.set_scene_range and written:
            alone = not rates.animated_otherwise(len(applied.all_actions))
            ranges = [(entry.first + entry.shift, entry.last + entry.shift) for entry in written]
            rates.cover_range(self.scene, ranges, self.undo, alone=alone)
        if applied.is_new:
            self._select(applied)
        if written:
            applied.first_shown = self._go_to_first_shown(written[0])
        self._replace_old()

    def _go_to_first_shown(self, entry: _Written) -> int | None:
        """Move the playhead to a visible frame if most of the clip is hidden at the current one; return the frame."""
        clip, start_frame = entry.clip, self.options.start_frame + entry.shift
        carriers = [node.shown_by for node in clip.nodes if node.shown_by is not None]
        if 2 * len(carriers) < len(clip.nodes):
            return None
        now = (self.scene.frame_current - start_frame) / self.rate
        tracks = [track for track in clip.tracks if (track.node, track.property) in carriers and len(track.times)]
        if not tracks or any(visibility.is_shown(track, now) for track in tracks):
            return None
        starts = [start for track in tracks if (start := visibility.first_shown(track, now)) is not None]
        if not starts:
            return None
        frame = int(np.ceil(min(starts) * self.rate + start_frame - _SAME_FRAME))
        self.undo.set(self.scene, "frame_current", frame)
        return frame

    def _note(self, entry: _Written) -> None:
        for action in self._told_of_file(entry):
            parts = [part for part in entry.parts if part.action == action]
            placement = provenance.Placement(
                self.rate,
                self.options.start_frame,
                action.name,
                entry.clip.name,
                entry.rebased,
                entry.clip.reworked,
                entry.rests,
            )
            curves = {actions.slot_handle(part.slot): part.writer.written for part in parts}
            owners = {actions.slot_handle(part.slot): provenance.owner_digest(part.owner) for part in parts}
            provenance.note_action(action, placement, curves, owners)
            provenance.note_options(action, asdict(self.options))
            if not actions.SLOTTED and parts:
                provenance.note_owner(action, parts[0].owner)
            if entry.left_out:
                provenance.note_left_out(action, entry.left_out)
            if entry.ties:
                provenance.note_ties(action, entry.ties)

    def _told_of_file(self, entry: _Written) -> list[bpy.types.Action]:
        """Return the Actions of a clip that remember their file; one that it was merged into stays what it was."""
        return [action for action in entry.actions if not self.merging.is_into(action)]

    def _keep(self, written: Sequence[_Written], source: SourceFile) -> Steps[Text | None]:
        created = [self._told_of_file(entry) for entry in written]
        if not any(created):
            return None
        keeping = provenance.keep(
            created,
            source.data,
            format_name=source.format,
            file=source.file,
            report=source.report,
            undo=self.undo,
        )
        return (yield from portion(keeping, _WRITTEN))

    def _select(self, applied: Applied) -> None:
        """Select a new armature, which becomes the active object, and models that can be; in another mode nothing.

        *Frame Selected* counts an armature by its bones, which the heads and hands of models reach beyond.
        """
        layer = self.context.view_layer
        models = [thing for thing in applied.objects if is_model(thing) and not thing.hide_select]
        made = models if applied.rig is None else [applied.rig, *models]
        seen = [thing for thing in made if thing.visible_get(view_layer=layer)]
        if self.context.mode != "OBJECT" or not seen:
            return
        self.undo.callback(targets.select_only, layer, list(layer.objects.selected), layer.objects.active)
        targets.select_only(layer, seen, seen[0])

    def _replace_old(self) -> None:
        for old, new in self.replaced:
            self.undo.callback(setattr, old, "use_fake_user", old.use_fake_user)
            self.undo.callback(new.user_remap, old)
            merging.replace(old, new, self.report)
            merged = self.merging.is_into(new)
            self.report.note(messages.ACTION_MERGED if merged else messages.ACTION_REPLACED, name=new.name)


def _refuse_tweaked(target: Target) -> None:
    """Raise FormatError if Blender lets nothing be assigned to a target, as one of its NLA strips is in tweak mode."""
    for thing in (target.rig, *target.objects.values()):
        data = actions.animation_data(thing) if thing is not None else None
        if thing is not None and data is not None and data.use_tweak_mode:
            raise FormatError(messages.IN_TWEAK_MODE, name=thing.name)


def _require_room(entry: _Written) -> None:
    """Raise FormatError if an NLA strip would go beyond the frames of a scene: Blender would cut or squeeze it."""
    first, last, limit = entry.first + entry.shift, entry.last + entry.shift, actions.FRAME_LIMIT
    if not -limit <= first <= last <= limit:
        raise FormatError(messages.STRIP_BEYOND, first=first, last=last, limit=limit)


def _pause(pace: Pace, parts: Mapping[int, _Playing]) -> Steps[None]:
    """Yield the share that is done, and raise FormatError if what is written to was removed meanwhile."""
    yield _WRITTEN * pace.share
    undo.require(thing for part in parts.values() for thing in (part.action, part.owner))


def _at_rest(bone: PoseBone) -> Iterator[tuple[str, int, float]]:
    """Yield data path, index and value of a bone's location and rotation at rest.

    One that is turned by angles has quaternions too, by which a later import may turn it.
    """
    for name in dict.fromkeys((LOCATION, ROTATION, turn_of(bone))):
        path = bone_path(bone.name, f".{name}")
        yield from ((path, index, value) for index, value in enumerate(AT_REST[name]))


def _by_property(tracks: Sequence[Track]) -> list[list[Track]]:
    """Group tracks by node and property, nodes in order of first appearance."""
    by_node: dict[str, dict[tuple[TrackKind, str], list[Track]]] = {}
    for track in tracks:
        by_node.setdefault(track.node, {}).setdefault((track.kind, track.property), []).append(track)
    return [group for groups in by_node.values() for group in groups.values()]


def _by_target(found: Sequence[Target], written: Sequence[_Written]) -> list[tuple[Target, list[_Written]]]:
    groups: dict[int, tuple[Target, list[_Written]]] = {}
    for target, entry in zip(found, written, strict=True):
        groups.setdefault(id(target), (target, []))[1].append(entry)
    return list(groups.values())


def _carrier(target: Target, shown_by: tuple[str, str]) -> tuple[Object, str] | None:
    """Return the object, and the data path from it, of the custom property that hides; None if there is none."""
    node, name = shown_by
    bone, thing, key = target.bones.get(node), target.objects.get(node), channels.property_key(name)
    if bone is not None and has_key(target.rig.pose.bones[bone], key):
        return target.rig, bone_path(bone, custom_path(key))
    if bone is None and thing is not None and has_key(thing, key):
        return thing, custom_path(key)
    return None


def _carrier_path(target: Target, shown_by: tuple[str, str]) -> str | None:
    """Return the data path, from the armature object, of the custom property that hides; None if there is none."""
    found = _carrier(target, shown_by)
    return found[1] if found is not None and found[0] == target.rig else None


def _by_angles(target: Target) -> list[str]:
    """Return the bones of a target that are there already and turned by angles."""
    bones = () if target.rig is None or target.is_new or target.rig.pose is None else target.rig.pose.bones
    return [bone.name for bone in bones if bone.rotation_mode != "QUATERNION"]


def _clear_animation(owner: ID) -> None:
    owner.animation_data_clear()
