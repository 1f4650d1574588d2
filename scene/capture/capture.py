"""Blender -> Clip: the keys where F-Curves alone make the pose, sampled where anything else takes part.

Each step takes what those before it returned, and changes none of it: players (who plays which Action), nodes (the
node map), plan (read from curves, or sampled and why), keys, samples, unchanged (is it as it was imported).

What is as the importer left it is recognised, so that a format can give it the file's own numbers; if everything is,
`Captured.exact` says so, and the file's own bytes may be written.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
from bpy.types import ID, Action, Camera, Context, Object

from ...io_formats.clip import CONSTANT, RESTING, Array, Clip, Marker, Track, TrackKind, by_property, curve
from ...io_formats.clip.fcurve_keys import with_numbers_only
from ...io_formats.clip.pose import channels_of, compose, is_still, transform_tracks
from ...io_formats.errors import Entry, FormatError, Report, first_names
from ...io_formats.files.steps import Steps, portion, running
from ...io_formats.scene_options import ExportOptions
from .. import actions, armatures, channels, messages, names, targets
from ..provenance import Provenance
from ..types import is_rig
from . import driven, influences, timing
from .keys import Keyed, keyed
from .ledger import Ledger, ledger_of
from .nodes import NodeMap, called, node_map_of, without_space
from .plan import Plan, plan_of
from .players import Participants, datablocks_of, participants_of, still_objects, with_parents
from .samples import Sampled, samples_of
from .timing import Capture, Holds

_BEYOND = np.array([0.37, 1.61])
"""Lengths of the clip behind its end at which the scene is looked at for what moves there, besides its own ends: once
where what is mirrored goes back, and once where it goes forth again."""


class Captured(NamedTuple):
    """A clip and what is known of it.

    Attributes:
        exact: everything is as the importer left it, so that the file's own bytes say it.
        baked: channels (a location, rotation, scale or other property of a node) that were sampled.
        reasons: why something was sampled or is not exact.
        ledger: where everything ends that animates the objects.
        sampled: nodes that were read from the evaluated scene.
        asked: nodes of which a place, turn or size was asked of its curves, at as many moments.
        snapshot: of what was there when the capture began.
        finder: of what paths mean in the clip.
    """

    clip: Clip
    exact: bool
    baked: int
    reasons: list[Entry]
    ledger: Ledger
    capture: Capture
    node_map: NodeMap
    sampled: frozenset[str]
    asked: set[str]
    snapshot: Snapshot
    finder: driven.DrivenFinder

    @property
    def beyond(self) -> Array:
        """Seconds (m,) outside the clip, on whole frames, as far as the scene's go where nobody set an end.

        None of them is where the clip begins again if it is played in a loop.
        """
        if self.capture.timing.around is None:
            return np.zeros(0)
        (begin, end), first, last = self.capture.timing.around, self.capture.span.first, self.capture.span.last
        length = last - first or (end - begin) / 2 or 1.0  # of a scene of one frame
        frames = np.unique(np.floor([begin, *(last + length * _BEYOND), end]))
        again = (np.mod(frames - last, length) < curve.ON_FRAME) & (last > first)
        return self.moments(frames[((frames > last) | (frames < first)) & (frames >= begin) & (frames <= end) & ~again])

    def frames(self, moments: Array) -> Array:
        """Return the frames (m,) of the animation for seconds (m,) of the clip."""
        span, (_, shift) = self.capture.span, self.clip.retiming
        return (moments - shift) * span.rate + span.start_frame

    def moments(self, frames: Array) -> Array:
        """Return the seconds (m,) of the clip for frames (m,) of the animation."""
        return self.capture.span.seconds(frames) + self.clip.retiming[1]


def capture(
    context: Context,
    objects: Sequence[Object],
    action: Action,
    options: ExportOptions,
    report: Report,
    *,
    written: Clip | None = None,
    provenance: Provenance | None = None,
    meshes_hide_bones: bool = False,
    beside: Sequence[Object] = (),
    holds: Holds = lambda *_: True,
    sampled: Collection[str] = (),
    sampled_values: Sequence[tuple[ID, Object, str]] = (),
    foreign: bool = False,
) -> Steps[Captured]:
    """Return what `objects` play, as a clip; the scene is as it was afterwards, also after a step at which it is ended.

    Args:
        objects: to export; the first armature among them carries the clip's root.
        action: which Action; None, or the one that plays, takes what plays, NLA and all. Any other is played alone.
        report: learns what was sampled and why.
        meshes_hide_bones: see `participants_of`. The others: see `Capture`.

    Raises:
        FormatError: nothing can be told in the space of a bone or object, one stands nowhere, or no bone is left.
    """
    context.view_layer.update()
    related = provenance if written is not None else None
    participants = participants_of(objects, options, action, related, meshes_hide_bones=meshes_hide_bones)
    when = timing.timing(context.scene, participants, options, written, provenance)
    to_others = foreign or options.skeleton or written is None or not written.parents_known
    to_others = to_others or any(node.leads_to for node in written.nodes)  # hands have all joints that the figure has
    if related is not None and related.placement.rebased and participants.main is not None and not to_others:
        tied = targets.bones_by_tie(participants.main, related.ties).values()
        participants = replace(participants, tied=frozenset(tied))
    about = context, participants, options, report, written, provenance, when, when.span
    snapshot = Snapshot(participants)
    capture = Capture(*about, beside, holds, snapshot.require, frozenset(sampled), tuple(sampled_values), foreign)
    try:
        node_map = node_map_of(capture)
        finder = driven.DrivenFinder(node_map.naming, driven.sources_of(capture, node_map), holds, participants.meshes)
        plan = plan_of(capture, node_map, finder)
        curves = yield from portion(running(keyed(capture, plan, finder), resumed=snapshot.require), last=0.5)
        samples, read = Sampled(plan.node_map), plan.wanted(participants.rigs)
        if read.rigs or read.objects or read.values:
            samples = yield from portion(running(samples_of(capture, plan, read), resumed=snapshot.require), 0.5)
        snapshot.require()
        captured = _put_together(capture, plan, finder, snapshot, curves, samples)
    except np.linalg.LinAlgError as error:
        raise FormatError(messages.CAPTURE_NO_SPACE, name=without_space(participants)) from error
    _tell(captured)
    return captured


def _put_together(
    capture: Capture, plan: Plan, finder: driven.DrivenFinder, snapshot: Snapshot, curves: Keyed, samples: Sampled
) -> Captured:
    provenance, written = capture.provenance, capture.written
    related = provenance is not None and written is not None and bool(provenance.kept)
    markers, moved = driven.markers(capture)
    kept = [one for one in curves.tracks if one.kind is not TrackKind.TRANSFORM or one.node not in samples.nodes]
    node_map, tracks = _without_still(capture, samples.node_map, [*kept, *samples.tracks])
    order = {target: number for number, target in enumerate(() if written is None else by_property(written.tracks))}
    tracks.sort(key=lambda track: order.get((track.node, track.kind, track.property), len(order)))
    clip = _clip(capture, node_map, tracks, markers)
    clip.left_alone = {address for address, same in curves.left_alone.items() if same}
    numbers = (each for track in clip.tracks for each in (track.times, track.values, *(track.handles or ())))
    if not all(np.isfinite(each).all() for each in numbers):  # of a script's keys, a driver's or others
        clip = with_numbers_only(clip, capture.report)
    clip = timing.cut_to_frames(clip, capture)
    changes = _changes_since_import(capture, written, curves, samples.node_map) if related else []
    reasons = [*plan.node_map.reasons, *plan.reasons, *curves.reasons, *moved, *changes]
    of_file = curves.left_posed if written is None else curves.left_posed | {node.name for node in written.nodes}
    added = any(track.node not in of_file for track in clip.tracks)  # such as a copy's, which plays the same
    return Captured(
        clip,
        exact=related and not reasons and curves.unchanged == curves.total and not added,
        baked=curves.turned + samples.channels,
        reasons=reasons,
        ledger=ledger_of(capture, plan.sampling(samples.nodes), curves),
        capture=capture,
        node_map=samples.node_map,
        sampled=samples.nodes,
        asked={value.driven.node for value in plan.values.values() if value.driven.kind is TrackKind.TRANSFORM},
        snapshot=snapshot,
        finder=finder,
    )


# --- Tracks ---------------------------------------------------------------------------------------------------------


def _without_still(capture: Capture, node_map: NodeMap, tracks: list[Track]) -> tuple[NodeMap, list[Track]]:
    """Return the tracks without those of objects that only stand beside moving ones, which are named, and their nodes
    standing there for what hangs on them.

    All of them where that is asked for, with constants for what stands. What was seen to move does not stand. Bones
    keep theirs where their pose is one of what moves: they may be posed, while models have them at rest.
    """
    participants, moved = capture.participants, {track.node for track in tracks if not is_still(track)}
    still = [thing for thing in still_objects(participants) if node_map.naming.nodes_of(thing).isdisjoint(moved)]
    if not still or capture.options.still_channels:
        at, objects, placed = capture.timing.limits[0], node_map.naming.objects, {track.node for track in tracks}
        standing = [objects[thing.name] for thing in still if thing.name in objects]
        rests = [(node, *each) for node in standing if node not in placed for each in RESTING.items()]
        held = [Track.constant(node, name, rest, at, interpolation=CONSTANT) for node, name, rest in rests]
        return node_map, tracks + held
    chosen = [thing for thing in participants.objects if thing not in participants.supports]
    moving, names = [thing for thing in chosen if thing not in still], ", ".join(thing.name for thing in still)
    capture.report.note(messages.CAPTURE_STILL, moving=len(moving), total=len(chosen), names=names)
    left_out = {node_map.naming.objects.get(thing.name, "") for thing in still}
    for thing in still:
        deforms = any(getattr(modifier, "object", None) == thing for other in moving for modifier in other.modifiers)
        hangs = any(thing in with_parents(other.parent) for other in moving)
        if not (deforms or hangs):
            left_out |= node_map.naming.nodes_of(thing)
    # what does not move rests where its tracks place it
    placing = {name: own for name, own in transform_tracks(tracks).items() if name in left_out}
    found = [node for node in node_map.nodes if node.name in placing]
    poses = [compose(*channels_of(placing[node.name], np.zeros(1)))[0] for node in found]
    resting = [replace(node, rest=np.asarray(node.rest) @ pose) for node, pose in zip(found, poses)]
    return node_map.with_nodes(resting), [track for track in tracks if track.node not in left_out]


# --- The clip -------------------------------------------------------------------------------------------------------


def _clip(capture: Capture, node_map: NodeMap, tracks: list[Track], markers: list[Marker]) -> Clip:
    own, main, stretch = capture.written, capture.participants.main, capture.timing.stretch
    action = capture.participants.action
    if action is None:
        name = str(capture.participants.objects[0].name) if capture.participants.objects else ""
    elif capture.provenance is None or driven.is_renamed(capture):
        name = str(action.name)
    else:
        name = capture.provenance.placement.clip_name  # the file's own
    kept, naming = own is not None and capture.timing.kept, node_map.naming
    skeleton = own.skeleton if own is not None else ""
    # what the file calls the skeleton of an armature that an import made, if it does
    if main is not None and not (skeleton and any(map(names.is_made, main.data.bones))):
        skeleton = names.without_number(main.data.name)
    return Clip(
        name,
        duration=own.duration * stretch if own is not None and kept else capture.timing.limits[1],
        rate=capture.span.rate,
        root=node_map.root,
        nodes=node_map.nodes,
        tracks=tracks,
        markers=markers,
        skeleton=skeleton,
        order=() if main is None else main.data.get(names.ORDER_KEY, ()),
        cyclic=bool(action is not None and action.use_cyclic),
        rests_known=own is None or own.rests_known,
        unit=armatures.unit_of(capture.context.scene),
        views={
            naming.objects[thing.name]: channels.view_of(thing.data, capture.context.scene)
            for thing in capture.participants.objects
            if isinstance(thing.data, Camera) and thing.name in naming.objects
        },
        retimed=None if stretch == 1.0 else (stretch, 0.0),
        called=called(capture.participants, naming),
    )


def _tell(captured: Captured) -> None:
    participants, report = captured.capture.participants, captured.capture.report
    for rig in participants.rigs:
        if rig.data.pose_position == "REST" and rig not in participants.supports:
            report.warn(messages.CAPTURE_REST_POSITION, name=rig.name)
    alike: dict[tuple[str, frozenset[tuple[str, Any]]], list[Any]] = {}
    for reason in captured.reasons:
        if captured.capture.provenance is not None or captured.baked or reason.template == messages.CAPTURE_MODIFIER:
            others = frozenset((key, value) for key, value in reason.values.items() if key != "name")
            alike.setdefault((reason.template, others), []).extend(filter(None, [reason.values.get("name")]))
    for (template, others), found in alike.items():  # a hand has 26 joints
        named: dict[str, Any] = {"name": first_names(list(dict.fromkeys(found)))} if found else {}
        report.note(template, **named, **dict(others))


def _changes_since_import(capture: Capture, written: Clip, keyed: Keyed, node_map: NodeMap) -> list[Entry]:
    """Return what is not as the importer left it.

    Where rests changed these are armatures and objects that have another rest pose, parent or rotation mode, or are no
    nodes. Those without curves do not count, an armature's nodes are its bones, and own rests never were the file's.

    Args:
        node_map: its nodes are the clip's, those that are the file's own the same objects.
    """
    players = [player for player in capture.participants.players if player.origin is not None]
    origins = {player.action.name if player.origin.is_of_parts else "": player.origin for player in players}
    gone = sum(len(origin.curves) for origin in origins.values()) - keyed.total  # all of which copies know
    rates = {"rate": round(capture.span.rate, 4), "old": round(capture.provenance.placement.rate, 4)}
    found = [Entry(messages.CAPTURE_RATE, rates)] if capture.timing.stretch != 1.0 else []
    found += [Entry(messages.CAPTURE_EDITED, {"count": keyed.touched})] if keyed.touched else []
    found += [Entry(messages.CAPTURE_CURVES_GONE, {"count": gone})] if gone > 0 else []
    before = {node.name: node for node in written.nodes}
    changed = [node.name for node in node_map.nodes if node is not before.get(node.name)]
    for player in players:
        is_node = is_rig(player.thing) or player.thing.name in node_map.naming.of_file
        if not player.curves or (player.is_intact and is_node):
            continue
        if player.owner == capture.participants.main and changed and not capture.provenance.placement.rebased:
            found.append(Entry(messages.CAPTURE_REST, {"names": first_names(changed)}))
        else:
            found.append(Entry(messages.CAPTURE_CONTEXT, {"name": player.owner.name}))
    return found if capture.timing.kept else [*found, Entry(messages.CAPTURE_RANGE, {})]


# What a capture relies on between two steps: bones, F-Curves and strips that another window or a script may change.
#
# Nobody is told that Blender frees one of them, and what Python holds of it leads anywhere from then on.


class Snapshot:
    """Compares what is there with what was there at the beginning."""

    def __init__(self, participants: Participants) -> None:
        self._participants = participants
        playing = [player.action for player in participants.players]
        playing += [actions.assigned(mesh.thing)[0] for mesh in participants.meshes]
        in_strips = [player.owner for player in participants.players if player.in_strips]
        playing += [action for owner in in_strips for action, _ in influences.all_assigned(owner)]
        driving = (curve.source for player in participants.players for curve in player.driven)
        playing += [cast("Action", curve.id_data) for curve in driving]
        self._actions = list(dict.fromkeys(action for action in playing if action is not None))
        self._bones, self._curves = self._look_at_bones(), self._look_at_curves()

    def require_bones(self) -> None:
        """Raise FormatError if an object, its data, or a bone or shape key of that was removed, added or renamed."""
        if self._look_at_bones() != self._bones:
            raise FormatError(messages.REMOVED_MEANWHILE)

    def require(self) -> None:
        """Raise FormatError for the same, or if a curve, slot or strip was removed or added."""
        self.require_bones()
        if self._look_at_curves() != self._curves:
            raise FormatError(messages.REMOVED_MEANWHILE)

    def _look_at_bones(self) -> list[tuple[int, str]]:
        owners = [owner for thing in self._participants.objects for owner in datablocks_of(thing)]
        blocks = (block for owner in owners for block in getattr(owner, "key_blocks", ()))
        bones = (bone for rig in self._participants.rigs for bone in rig.pose.bones)
        return [(found.as_pointer(), found.name) for found in (*owners, *blocks, *bones)]

    def _look_at_curves(self) -> list[int]:
        curves = (curve for action in self._actions for _, curve in actions.every_curve(action))
        slots = (slot for action in self._actions if actions.SLOTTED for slot in action.slots)
        strips = (strip for player in self._participants.players for strip in influences.every_strip(player.owner))
        return [found.as_pointer() for found in (*curves, *slots, *strips)]
