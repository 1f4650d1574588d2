"""Clips into Actions: new ones, which nothing plays yet, or those that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import bpy
from bpy.types import ID, Action, Context, Object

from ..io_formats.clip import LOCATION, ROTATION, SHOWN_AT_REST, Clip, by_property
from ..io_formats.clip import messages as clip_messages
from ..io_formats.clip.fcurve_keys import FrameCache, to_keys
from ..io_formats.clip.measure import loops
from ..io_formats.errors import Report
from ..io_formats.files.steps import Pace, Steps
from ..io_formats.scene_options import REST_CURVES, ImportOptions
from . import actions, channels, fitting, merging, messages, names, rates, take, undo
from .data_paths import bone_path, custom_path, turn_of
from .fcurves import AT_REST, CurveWriter
from .targets import Target
from .types import Slot
from .undo import Undo

if TYPE_CHECKING:
    from .apply import Applied
    from .merging import Merged


@dataclass
class Batch:
    """What the files of one import have so far.

    Attributes:
        again: objects by node that an earlier import had taken.
        made: names of the Actions, of which none takes the place of another.
        ends: last frame that is taken, by owner; by "" where all follow each other.
        tracks: name of the NLA track that holds the sequence, by kind and name of the owner.
        rigs: names of the armatures that they made.
    """

    again: Mapping[str, Object] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    ends: dict[str, float] = field(default_factory=dict)
    tracks: dict[str, str] = field(default_factory=dict)
    rigs: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Import:
    """One import: what all of its steps need to know.

    Attributes:
        name: of the file, for armatures and for Actions whose clip has none.
        merged: the Actions that it is merged into.
        targets, parts: what it writes for and into, of all its clips so far.
        replaced: Actions that go when it is complete, and those that take their places.
        rate: frames a second of the scene.
        several: the file has more than one clip.
        applied: what it made, when all of its steps are done.
    """

    context: Context
    options: ImportOptions
    report: Report
    name: str
    undo: Undo
    batch: Batch
    merged: Merged = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    replaced: dict[Action, Action] = field(default_factory=dict)
    rate: float = 0.0
    several: bool = False
    applied: list[Applied] = field(default_factory=list)

    def name_of(self, clip: Clip) -> str:
        """Return what a clip's Action is named after, as the option Name from says."""
        if self.options.name_from == "CLIP" or not self.name:
            return clip.name or self.name
        return f"{self.name} {clip.name}".rstrip() if self.several else self.name

    def hold_again(self) -> None:
        """Look up what is written to, after a pause; raise ReferenceError if any was removed, renamed or hidden."""
        found = True
        for target in self.targets:
            undo.require(target.things)
            found &= target.scene == self.context.scene
            found &= all(bone in target.rig.data.bones for bone in target.bones.values())
        for part in self.parts:
            undo.require((part.action, part.owner))
            there = not actions.SLOTTED or part.slot in [*part.action.slots]
            bag = actions.find_bag(part.action, part.slot) if there else None
            found &= bag is not None and part.writer.hold_again(bag)
        if not found:
            raise ReferenceError


class Part(NamedTuple):
    """One datablock's part in a clip: its Action, slot and the writer of its curves."""

    owner: ID
    action: Action
    slot: Slot | None
    writer: CurveWriter


class Written(NamedTuple):
    """One clip in Blender; its NLA strips lie `shift` frames later than the Action.

    Attributes:
        rebased: the clip was converted for its target.
        merge: it was written into what its target plays.
        rests: what it moves not of its bones is held at rest.
    """

    clip: Clip
    target: Target
    main: Action
    parts: list[Part]
    first: float
    last: float
    rebased: bool
    left_out: list[channels.Address]
    merge: bool
    rests: bool
    shift: int = 0

    @property
    def actions(self) -> list[Action]:
        """The main Action first, then those that Blender 4.2 needs for further datablocks."""
        return list({part.action.name: part.action for part in self.parts}.values()) or [self.main]


def write_clips(run: Import, clips: Sequence[Clip], found: Sequence[Target]) -> Steps[list[Written]]:
    """Write each clip into a new Action, or several, for its target; the first may go into what that plays.

    What the options want done to the keys is done to what was written, as a person would do it afterwards.
    """
    tracks = [track for clip in clips for track in clip.tracks]
    pace = Pace(sum(track.size for track in tracks), len(tracks))
    written: list[Written] = []
    for clip, target in zip(clips, found, strict=True):
        merge = run.options.merge and not written
        written.append((yield from _write_clip(run, clip, target, pace, merge=merge)))
    for entry in (entry for entry in written if entry.rests):  # when bones have all that any of the clips brings
        yield from _hold_at_rest(run, entry, pace)
    options, takes = run.options, []
    if options.smooth or options.thin or options.resample or options.cyclic == "CLOSE":
        for owner, action, slot, writer in (part for entry in written for part in entry.parts):
            wanted = {(curve.data_path, curve.index) for curve in writer.written}
            bag = actions.ensure_bag(action, slot)
            curves = [curve for curve in bag.fcurves if (curve.data_path, curve.array_index) in wanted]
            takes.append(take.take_of(owner, action, curves, run.rate))
        take.rework(takes, options, run.report)
    return written


def _write_clip(run: Import, own: Clip, target: Target, pace: Pace, *, merge: bool) -> Steps[Written]:
    onto = None if target.is_new else target.rig
    if onto is not None:
        fitting.let_keys_move(own, onto, target.bones, run.report, run.undo)
    # a new armature is made for the clip itself, whose root has the option Scale and becomes its own
    converted = own if target.is_new else fitting.for_target(own, target, run.options, run.report)
    clip, left_out = channels.choose(converted, target, run.options, run.report)
    if onto is not None and (converted is not own or not own.rests_known):  # else it is the file's own skeleton
        fitting.tell_proportions(clip, onto, target.bones, run.report)
    played = (merging.into(owner, run.merged, run.undo)[0] for owner in target.things) if merge else ()
    merged = next((action for action in played if action is not None), None)
    if merged is None:  # one that is there keeps its own mark
        found = run.options.cyclic not in ("CLOSE", "NO") and loops(clip)
        if found:
            run.report.note(clip_messages.CYCLIC)
        clip = replace(clip, cyclic=True) if found or run.options.cyclic == "CLOSE" else clip
    else:  # that a recorder did not see a hand hides none that is there
        unseen = {node.name for node in clip.nodes if node.seen_by} & clip.without_data
        clip = replace(clip, tracks=[track for track in clip.tracks if track.node not in unseen])
    first, last = rates.clip_range(converted if left_out else clip, run.rate, run.options.start_frame)
    if run.options.resample:
        first, last = rates.whole(first, last)
    rests = target.rig is not None and run.options.rest_keys and bool(clip.rate and not left_out and merged is None)
    writing = _Writing(run, clip, target, merged, merge=merge, rests=rests)
    yield from writing.write(pace)
    # nodes that nothing is stay as they are where each node of a file stands for itself
    lacking = [channels.address_of(track) for track in own.tracks if not target.has(track.node)]
    if not own.parents_known and len(lacking) < len(own.tracks):
        left_out = [*dict.fromkeys((*left_out, *lacking))]
    parts, rebased = [*writing.parts.values()], converted is not own
    written = Written(clip, target, writing.main, parts, first, last, rebased, left_out, merge, rests)
    _mark_range(run, written)
    return written


def _hold_at_rest(run: Import, entry: Written, pace: Pace) -> Steps[None]:
    """Key at rest what a clip does not move of its bones, so that it plays alike whatever was played before."""
    writer = entry.parts[0].writer
    moved = {(curve.data_path, curve.index) for curve in writer.written}
    for bone in entry.target.bones.values():
        holder = entry.target.rig.pose.bones[bone]
        # what is turned by angles has quaternions too, by which a later import may turn it
        held = {f".{name}": AT_REST[name] for name in (LOCATION, ROTATION, turn_of(holder))}
        held |= {custom_path(key): (1.0,) for key in SHOWN_AT_REST if channels.is_shown_at_rest(holder, key)}
        values = ((bone_path(bone, end), *each) for end, rest in held.items() for each in enumerate(rest))
        writer.hold((at for at in values if at[:2] not in moved), entry.first, group=bone)
        if pace.is_due(0, REST_CURVES):
            yield pace.share
            run.hold_again()


def _mark_range(run: Import, written: Written) -> None:
    clip, first, last = written.clip, written.first, written.last
    for action in written.actions:
        if action in run.merged:
            merging.extend_range(action, first, last, run.undo)
        else:
            actions.set_range(action, first, last)
            action.use_cyclic = clip.cyclic  # a mark that plays nothing by itself
    there = {(marker.frame, marker.name) for marker in written.main.pose_markers}
    for found in clip.markers:
        label = actions.marker_label(found.time * run.rate + run.options.start_frame, found.text)
        if label not in there:
            marker = written.main.pose_markers.new(label[1])
            marker.frame, marker.name = label  # the name again: Blender calls one without a text "Marker"


@dataclass
class _Writing:
    """Writes one clip.

    Attributes:
        merged: the Action that it is merged into, None for a new one.
        merge: into what each further datablock plays, too.
    """

    run: Import
    clip: Clip
    target: Target
    merged: Action | None
    merge: bool
    rests: bool

    def __post_init__(self) -> None:
        self.main = self.merged or self._new_action(self.run.options.name_prefix + self.run.name_of(self.clip))
        self.parts: dict[int, Part] = {}
        resting = REST_CURVES * len(self.target.bones) * self.rests
        self._expected = sum(len(track.values) for track in self.clip.tracks) + resting

    def write(self, pace: Pace) -> Steps[None]:
        """Write the curves of all tracks, property by property, and rests; what is animated already is left alone."""
        run, rig, start = self.run, self.target.rig, self.run.options.start_frame
        if rig is not None or not self.clip.tracks:  # an Action has an owner to be exported from
            self._part(self.target.things[0])
        written, cache = set[tuple[int, str, int]](), FrameCache(run.rate, start)
        places = {name: place for place, name in enumerate(dict.fromkeys(track.node for track in self.clip.tracks))}
        for tracks in sorted(by_property(self.clip.tracks).values(), key=lambda group: places[group[0].node]):
            channel = channels.resolve(tracks, self.target, run.report, run.undo)
            for track in tracks if channel is not None else ():
                owner, path, group = channel
                if (owner.as_pointer(), path, track.component) in written:
                    run.report.warn(messages.DOUBLE_TRACK, node=track.node, property=track.property)
                    continue
                written.add((owner.as_pointer(), path, track.component))
                block, ends = to_keys(track, run.rate, start, run.report, cache), (track.before, track.after)
                self._part(owner).writer.write(path, block, *ends, first_index=track.component, group=group)
            if pace.is_due(sum(track.values.size for track in tracks), len(tracks)):
                yield pace.share
                run.hold_again()

    def _part(self, owner: ID) -> Part:
        key = owner.as_pointer()
        if key not in self.parts:
            action, slot = merging.into(owner, self.run.merged, self.run.undo) if self.merge else (None, None)
            if action is None:  # the Action and slot of an owner into whose own nothing is merged
                action = self.main
                if not actions.SLOTTED and (self.parts or action in self.run.merged):
                    action = self._new_action(f"{self.main.name} {owner.name}")
                slot = actions.own_slot(action, owner)
            bag, into = actions.ensure_bag(action, slot), self.run.merged.get(action)
            writer = CurveWriter(bag, self._expected, merged=None if into is None else into.made)
            self.parts[key] = Part(owner, action, slot, writer)
            self.run.parts.append(self.parts[key])
        return self.parts[key]

    def _new_action(self, name: str) -> Action:
        """Return a new Action; an older one of the same name is to be replaced."""
        run, wanted = self.run, names.cut(name) or "Action"
        old = bpy.data.actions.get((wanted, None)) if run.options.existing == "REPLACE" else None
        old = None if old is not None and old.name in run.batch.made else old
        if old is not None:
            run.undo.set(old, "name", names.cut(old.name, names.LIMIT - len(merging.REPLACED)) + merging.REPLACED)
        action = run.undo.new(bpy.data.actions, wanted)
        run.batch.made.add(action.name)
        if old is not None:
            run.replaced[old] = action
        return action


def keep_others(run: Import) -> None:
    """Replace older takes of the new Actions alone; others get their names back, the new ones numbers."""
    for old, new in [pair for pair in run.replaced.items() if merging.moves_more(*pair)]:
        name = str(new.name)
        run.undo.set(new, "name", names.UniqueNames(action.name for action in bpy.data.actions).take(name, name))
        run.undo.set(old, "name", name)
        run.batch.made.add(new.name)
        run.report.warn(messages.ACTION_NOT_REPLACED, name=old.name, new=new.name)
        del run.replaced[old]
