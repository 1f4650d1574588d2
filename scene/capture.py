"""Blender -> Clip: the keys where F-Curves alone make the pose, sampled where anything else takes part.

What is as the importer left it is recognised, so that a format can give it the file's own numbers; if everything is,
`Captured.exact` says so, and the file's own bytes may be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import bpy
import numpy as np

from ..io_formats import messages, pose, trim
from ..io_formats.clip import (
    LOCATION,
    RESTING,
    ROTATION,
    SCALE,
    Array,
    Clip,
    Interpolation,
    Marker,
    Node,
    Track,
    TrackKind,
)
from ..io_formats.errors import Entry, Report
from ..io_formats.options import ExportOptions, ImportOptions
from . import actions, bake, capture_nodes, fcurves, influences, names, rates, targets
from .capture_places import (
    OWN_TRANSFORMS,
    TURNS,
    Places,
    full_path,
    is_bone,
    is_connected,
    transform_place,
    turn_of,
)
from .capture_samples import Sampler
from .carriers import Carrier, Cast
from .curve_tracks import STEPS, CurveReader, Place, Sources, Span, turned
from .provenance import Provenance

_SAME_FRAME = 1e-3
_NO_TURN = 1.0 - 1e-12

Found = dict[int, tuple[Any, fcurves.FoundCurve]]
"""A property's curves by array index."""


@dataclass
class Captured:
    """A clip and what is known of it.

    Attributes:
        clip: what plays.
        exact: everything is as the importer left it, so that the file's own bytes say it.
        renamed: the Action has another name than the importer gave it.
        unchanged: F-Curves that are as imported.
        edited: F-Curves that are not, or were never imported.
        baked: channels (a location, rotation, scale or other property of a node) that were sampled.
        reasons: why something was sampled or is not exact.
    """

    clip: Clip
    exact: bool = False
    renamed: bool = False
    unchanged: int = 0
    edited: int = 0
    baked: int = 0
    reasons: list[Entry] = field(default_factory=list)


def capture(
    context: Any,
    objects: Sequence[Any],
    action: Any,
    options: ExportOptions,
    report: Report,
    *,
    written: Clip | None = None,
    provenance: Provenance | None = None,
) -> Captured:
    """What `objects` play, as a clip; the scene is as it was afterwards.

    Args:
        objects: to export; the first armature among them carries the clip's root.
        action: which Action; None, or the one that plays, takes what plays, NLA and all. Any other is played alone.
        report: learns what was sampled and why.
        written: what the mapping makes of the file that the Action came from, with that import's options.
        provenance: what the Action knows of its file.
    """
    context.view_layer.update()
    return _Capture(context, objects, action, options, report, written, provenance).run()


class _Capture:
    """One capture: what its steps share."""

    def __init__(
        self,
        context: Any,
        objects: Sequence[Any],
        action: Any,
        options: ExportOptions,
        report: Report,
        written: Clip | None,
        provenance: Provenance | None,
    ) -> None:
        self.context = context
        self.options = options
        self.report = report
        self.written = written
        self.provenance = provenance
        self.result = Captured(Clip(""))
        self.cast = Cast(objects, action, provenance if written is not None else None)
        self.main = self.cast.main
        self.span = self._span()
        self.wanted = bake.Wanted()
        self.driven: dict[tuple[str, str], Place] = {}
        self.posed = {rig.name: self._posed_bones(rig) for rig in self.cast.rigs}

    def run(self) -> Captured:
        """All steps, in order."""
        self._make_nodes()
        self._make_reader()
        tracks = [track for carrier in self.cast.carriers for track in self._tracks_of(carrier)]
        tracks += self._sampled_tracks()
        clip = self._clip(_in_written_order(tracks, self.written))
        self.result.clip = self._trimmed(clip)
        self.result.exact = self._is_exact()
        self._tell()
        return self.result

    def _because(self, template: str, **values: Any) -> None:
        self._add_reason(Entry(template, values))

    def _add_reason(self, reason: Entry) -> None:
        if reason not in self.result.reasons:
            self.result.reasons.append(reason)

    def _span(self) -> Span:
        scene = self.context.scene
        start = self.provenance.placement.start_frame if self.provenance is not None else 0.0
        ranges = self.cast.ranges() or [(scene.frame_start, scene.frame_end)]
        first, last = min(first for first, _ in ranges), max(last for _, last in ranges)
        return Span(float(first), float(last), rates.scene_rate(scene), start)

    # --- What takes part besides curves -------------------------------------------------------------------------

    def _posed_bones(self, rig: Any) -> dict[str, Entry]:
        """The bones whose evaluated pose has to be read, and why."""
        found = influences.of_bones(rig)
        everything = self._reason_for_all(rig)
        if everything is not None:
            found = {bone.name: found.get(bone.name, everything) for bone in rig.pose.bones}
        for reason in found.values():
            self._add_reason(reason)
        return found if found and self._may_sample() else {}

    def _reason_for_all(self, owner: Any) -> Entry | None:
        if self.options.sampling == "BAKE":
            return Entry(messages.CAPTURE_FORCED, {})
        return Entry(messages.CAPTURE_NLA, {"name": owner.name}) if self.cast.nla_decides(owner) else None

    def _may_sample(self) -> bool:
        if self.options.sampling == "KEYS":
            self.report.warn(messages.CAPTURE_FORBIDDEN)
        return bool(self.options.sampling != "KEYS")

    def _is_sampled(self, place: Place) -> bool:
        """Whether this property is read from the evaluated scene."""
        if place.kind is not TrackKind.TRANSFORM:
            return (place.node, place.address) in self.driven
        if is_bone(place.holder):
            return place.holder.name in self.posed[place.holder.id_data.name]
        return place.holder in self.wanted.objects

    def _find_driven(self, carrier: Carrier) -> None:
        """Properties that drivers or the NLA set: those that have keys as well, and all shape keys."""
        if self.options.sampling == "KEYS":
            return
        keyed = {curve.data_path for curve in carrier.curves}
        for driver in influences.active_drivers(carrier.owner):
            place = self.places.find(carrier.owner, carrier.thing, driver.data_path)
            if place is not None and (place.kind is TrackKind.SHAPE_KEY or driver.data_path in keyed):
                self._sample_value(carrier.owner, driver.data_path, place, messages.CAPTURE_DRIVER)
        if self.cast.nla_decides(carrier.owner):
            for path in sorted(keyed | influences.strip_paths(carrier.owner)):
                place = self.places.find(carrier.owner, carrier.thing, path)
                if place is not None:
                    self._sample_value(carrier.owner, path, place, messages.CAPTURE_NLA)

    def _sample_value(self, owner: Any, path: str, place: Place, template: str) -> None:
        if place.kind is TrackKind.TRANSFORM or (place.node, place.address) in self.driven:
            return
        values = {"name": place.node, "path": place.address}
        self._add_reason(Entry(template, values if template == messages.CAPTURE_DRIVER else {"name": place.node}))
        self.driven[place.node, place.address] = place
        self.wanted.values.append((owner, path))

    # --- Nodes --------------------------------------------------------------------------------------------------

    def _make_nodes(self) -> None:
        self.main_moves = self.main is not None and (self._is_file_node(self.main) or self._moves(self.main))
        self.things = self._things()
        table = self.provenance.bones if self.provenance is not None else None
        self.naming = capture_nodes.name_nodes(self.cast.rigs, self.things, self.written, table)
        self.root = self._root()
        nodes = [self._object_node(thing) for thing in self.things]
        for rig in self.cast.rigs:
            alone = rig == self.main and not self.main_moves
            carrier = None if alone else self.naming.objects.get(rig.name)
            nodes += capture_nodes.bone_nodes(rig, self.naming.bones[rig.name], carrier, self.written)
        self.nodes = capture_nodes.parents_first(nodes)

    def _things(self) -> list[Any]:
        """The objects that are nodes: all, but the armature that is the clip's root and has no curves of its own."""
        left_out = [*self.cast.only_data, self.main]
        things = [thing for thing in self.cast.objects if thing not in left_out]
        if self.main is None:
            return things
        has_own = any(path not in influences.TRANSFORM_PATHS for path in self.cast.own_paths(self.main))
        return [self.main, *things] if self.main_moves or has_own else things

    def _is_file_node(self, rig: Any) -> bool:
        """Whether the file itself moves the armature object, as one of its nodes and none of the bones."""
        name = names.node_name(rig)
        if self.written is None or self.written.node(name) is None or self.options.space == "LOCAL":
            return False
        is_bone_too = any(name in (bone.name, names.node_name(bone)) for bone in rig.data.bones)
        return not is_bone_too and any(path in OWN_TRANSFORMS for path in self.cast.own_paths(rig))

    def _moves(self, thing: Any) -> bool:
        if self.options.space == "LOCAL" or not influences.moves(thing, self.cast.curves_of):
            return False
        self._because(messages.CAPTURE_OBJECT_MOVES, name=thing.name)
        return True

    def _root(self) -> Array:
        """World matrix of what carries the bones: the file's own where the armature stands as imported."""
        own = self.written.root if self.written is not None else np.eye(4)
        if self.main is None or self.main_moves or self.options.space == "LOCAL":
            return own
        now = capture_nodes.world_of(self.main)
        carrier = self.cast.of(self.main)
        if capture_nodes.same_root(now, own) or (carrier is not None and carrier.is_intact):
            return own
        if self.written is not None:
            self._because(messages.CAPTURE_TRANSFORM, name=self.main.name)
        return now

    def _object_node(self, thing: Any) -> Node:
        keyed = any(path in OWN_TRANSFORMS for path in self.cast.own_paths(thing))
        node = capture_nodes.object_node(thing, self.naming, self.root, self.main, self.written, keyed=keyed)
        reason = self._object_reason(thing, node)
        if reason is None:
            return node
        self._add_reason(reason)
        if not self._may_sample():
            return node
        self.wanted.objects.append(thing)
        return replace(node, parent=None, rest=np.linalg.inv(self.root))

    def _object_reason(self, thing: Any, node: Node) -> Entry | None:
        """Why an object's world matrix has to be read; None if its curves and its node's parent say all."""
        if thing == self.main and not self.main_moves:
            return None
        reason = self._reason_for_all(thing) or influences.of_object(thing)
        outside = node.parent is None and thing.parent is not None and thing.parent != self.main
        if reason is None and outside and influences.moves(thing.parent, self.cast.curves_of):
            return Entry(messages.CAPTURE_PARENT, {"name": thing.name, "parent": thing.parent.name})
        return reason

    # --- Tracks of keys -----------------------------------------------------------------------------------------

    def _make_reader(self) -> None:
        placed = self.provenance.placement.rate if self.provenance is not None else 0.0
        related = self.written if self.provenance is not None else None
        sources = Sources(related, self._converted())
        self.reader = CurveReader(self.span, sources, placed)
        self.places = Places(self.naming, sources)

    def _converted(self) -> set[int]:
        """Ids of the written tracks that the importer converted for a target with another rest pose."""
        if self.provenance is None or self.written is None or not self.provenance.placement.rebased:
            return set()
        known = {node.name for node in self.written.nodes}
        bones = {} if self.main is None else self.naming.bones[self.main.name]
        things = {self.naming.objects[thing.name]: thing for thing in self.things}
        target = targets.Target(
            self.main,
            {node: bone for bone, node in bones.items() if node in known},
            {node: thing for node, thing in things.items() if node in known},
        )
        nodes = targets.nodes_as_they_are(self.written, target)
        if nodes is None:
            return set()
        options = ImportOptions(fit=str(self.provenance.options.get("fit", ImportOptions.fit)))
        kept = targets.onto_nodes(self.written, nodes, target, options, Report()).tracks
        return {id(track) for track in self.written.tracks} - {id(track) for track in kept}

    def _tracks_of(self, carrier: Carrier) -> Iterator[Track]:
        """The tracks of one datablock's curves, and of what is posed without curves."""
        self._find_driven(carrier)
        seen: dict[tuple[str, str], Found] = {}
        for curve in carrier.curves:
            place = self.places.find(carrier.owner, carrier.thing, curve.data_path)
            if place is None:
                self.result.edited += 1
                continue
            found = fcurves.read(curve)
            if self._is_dead(place, found):
                self.result.edited += 1
                continue
            seen.setdefault((place.node, place.address), {})[curve.array_index] = (curve, found)
            if place.address in TURNS:
                self.result.edited += 1
            else:
                yield self._keyed_track(carrier, place, curve, found)
        yield from self._posed_tracks(carrier, seen)

    def _keyed_track(self, carrier: Carrier, place: Place, curve: Any, found: fcurves.FoundCurve) -> Track:
        origin, index = carrier.origin, curve.array_index
        untouched = origin is not None and origin.is_written(carrier.handle, curve.data_path, index, found)
        track = self.reader.track(place, index, curve, found, untouched=untouched)
        same = untouched or (track.match is not None and track.match.unchanged)
        self.result.unchanged += same
        self.result.edited += not same
        return track

    def _is_dead(self, place: Place, found: fcurves.FoundCurve) -> bool:
        """Whether a curve does not play, or is sampled with the pose; the reasons are noted."""
        if self._is_sampled(place):
            return True
        if found.muted:
            self._because(messages.CAPTURE_MUTED, name=place.node, path=place.address)
            return True
        if not found.plain:
            self._because(messages.CAPTURE_MODIFIER, name=place.node, path=place.address)
        return place.kind is TrackKind.TRANSFORM and self._is_idle(place)

    def _is_idle(self, place: Place) -> bool:
        """Whether nobody looks at this transform: another rotation mode, a bone tied to its parent, a still root."""
        if place.property == ROTATION:
            if place.holder.rotation_mode != "QUATERNION":
                self._because(messages.CAPTURE_ROTATION_MODE, name=place.node)
            return place.address != turn_of(place.holder)
        if place.property == LOCATION and is_connected(place.holder):
            self._because(messages.CAPTURE_CONNECTED, name=place.node)
            return True
        return bool(place.holder == self.main and not self.main_moves)

    # --- What is posed without curves ---------------------------------------------------------------------------

    def _posed_tracks(self, carrier: Carrier, seen: dict[tuple[str, str], Found]) -> Iterator[Track]:
        """Constants for channels that have no curve and are not at rest; rotations that are no quaternions."""
        for place, counts in self._transform_places(carrier):
            found = seen.get((place.node, place.address), {})
            if place.address in TURNS:
                yield from self._turned_tracks(carrier, place, found, counts)
            elif len(found) < place.width and (counts or found):
                yield from self._still_tracks(carrier, place, found)

    def _transform_places(self, carrier: Carrier) -> Iterator[tuple[Place, bool]]:
        """Each transform of the carrier's nodes that is not sampled, and whether it counts without a curve."""
        if carrier.owner != carrier.thing:
            return
        for node, holder, counts in self._holders(carrier):
            for address in (LOCATION, turn_of(holder), SCALE):
                place = transform_place(node, holder, address)
                if not self._is_sampled(place) and not (address == LOCATION and is_connected(holder)):
                    yield place, counts

    def _holders(self, carrier: Carrier) -> Iterator[tuple[str, Any, bool]]:
        """Node and holder of each transform; an object without transform curves stands where its node's rest is."""
        thing = carrier.thing
        if thing.type == "ARMATURE":
            naming = self.naming.bones[thing.name]
            yield from ((naming[bone.name], bone, True) for bone in thing.pose.bones)
        node = self.naming.objects.get(thing.name)
        if node is not None and (thing != self.main or self.main_moves):
            yield node, thing, any(path in OWN_TRANSFORMS for path in carrier.own_paths)

    def _still_tracks(self, carrier: Carrier, place: Place, found: Found) -> Iterator[Track]:
        values = [float(value) for value in getattr(place.holder, place.address)]
        moved = [index for index, rest in enumerate(RESTING[place.property]) if values[index] != rest]
        for index in moved:
            if index not in found and not self._is_left_over(carrier, place, index):
                self._note_posed(place)
                yield self._constant(place, index, values[index])

    def _turned_tracks(self, carrier: Carrier, place: Place, found: Found, counts: bool) -> Iterator[Track]:
        values = [float(value) for value in getattr(place.holder, place.address)]
        if found:
            self.result.baked += 1
            angles = [found.get(index, value) for index, value in enumerate(values)]
            yield from turned(place, place.holder.rotation_mode, angles, self.span)
            return
        still = [float(value) for value in place.holder.matrix_basis.to_quaternion()]
        if counts and abs(still[0]) < _NO_TURN and not self._is_left_over(carrier, place, 0):
            self._note_posed(place)
            yield from (self._constant(place, index, value) for index, value in enumerate(still))

    def _note_posed(self, place: Place) -> None:
        if self.provenance is not None:
            self._because(messages.CAPTURE_POSED, name=place.node)

    def _constant(self, place: Place, component: int, value: float) -> Track:
        return Track(
            place.node,
            place.property,
            self.span.seconds(np.array([self.span.first])),
            np.array([[value]]),
            np.array([Interpolation.CONSTANT], np.uint8),
            component=component,
            width=len(RESTING[place.property]),
        )

    def _is_left_over(self, carrier: Carrier, place: Place, index: int) -> bool:
        """Whether another Action moves this channel, so that its value is what that one left behind.

        Of what was made in Blender and plays now, everything that is seen counts.
        """
        if self.provenance is None and not self.cast.solo:
            return False
        wanted = (full_path(place), index)
        others = [action for action in bpy.data.actions if action != carrier.action]
        return any(
            (curve.data_path, curve.array_index) == wanted
            for other in others
            for _, curve in actions.every_curve(other)
        )

    # --- Sampled ------------------------------------------------------------------------------------------------

    def _sampled_tracks(self) -> list[Track]:
        self.wanted.rigs = [rig for rig in self.cast.rigs if self.posed[rig.name]]
        if not self.wanted:
            return []
        forced = self.options.sampling == "BAKE"
        frames = self.span.samples(steps=1 if forced else STEPS)
        carriers = [carrier for carrier in self.cast.carriers if self.cast.solo and carrier.action is not None]
        playing = [(carrier.owner, carrier.action, carrier.slot) for carrier in carriers]
        read = bake.bake(self.context, self.wanted, frames, playing)
        sampler = Sampler(self.span.seconds(frames), forced, self.report)
        tracks = self._sampled_transforms(sampler, read)
        for place, values in zip(self.driven.values(), read.values):
            tracks += sampler.values(place, values.T)
        self.result.baked += sampler.baked
        return tracks

    def _sampled_transforms(self, sampler: Sampler, read: bake.Baked) -> list[Track]:
        nodes = {node.name: node for node in self.nodes}
        tracks: list[Track] = []
        for rig in self.wanted.rigs:
            chosen = self.posed[rig.name]
            tracks += sampler.bones(rig, read.poses[rig.name], self.naming.bones[rig.name], nodes, chosen)
        for thing in self.wanted.objects:
            node = nodes[self.naming.objects[thing.name]]
            space = pose.product(self.root, node.rest)
            basis = pose.product(pose.inverse(space[None]), read.worlds[thing.name])
            tracks += sampler.transforms(node.name, basis)
        return tracks

    # --- The clip -----------------------------------------------------------------------------------------------

    def _clip(self, tracks: list[Track]) -> Clip:
        own, action = self.written, self.cast.action
        first, last = self.span.seconds(np.array([self.span.first, self.span.last])).tolist()
        kept = own is not None and self._same_range()
        return Clip(
            self._name(),
            duration=own.duration if own is not None and kept else last,
            rate=self.span.rate,
            root=self.root,
            nodes=self.nodes,
            tracks=tracks,
            markers=self._markers(),
            skeleton=own.skeleton if own is not None else self.main.data.name if self.main is not None else "",
            cyclic=bool(action is not None and action.use_cyclic),
            own_skeleton=own.own_skeleton if own is not None else self.main is not None,
            rests_known=own is None or own.rests_known,
            start=0.0 if kept else first,
            retimed=None if own is None or self.reader.same_rate else (self.reader.placed_rate / self.span.rate, 0.0),
        )

    def _name(self) -> str:
        """The file's own name for the animation while the Action has the name that the importer gave it."""
        action = self.cast.action
        if action is None:
            return str(self.cast.objects[0].name) if self.cast.objects else ""
        if self.provenance is not None and self.provenance.placement.given_name == action.name:
            return self.provenance.placement.clip_name
        self.result.renamed = self.provenance is not None
        return str(action.name)

    def _same_range(self) -> bool:
        """Whether the Action has the frame range that the importer gave it."""
        if self.written is None or self.provenance is None:
            return False
        placement = self.provenance.placement
        wanted = rates.clip_range(self.written, placement.rate, placement.start_frame)
        found = (self.span.first, self.span.last)
        return all(abs(a - b) <= 1e-6 * (1.0 + abs(b)) for a, b in zip(found, wanted))

    def _markers(self) -> list[Marker]:
        """The Action's markers; those of the file that are still there with the file's own time and text."""
        if self.cast.action is None:
            return []
        found = [(marker.frame, marker.name) for marker in self.cast.action.pose_markers]
        left = self._written_markers()
        if self.written is not None and sorted(found) == sorted(label for label, _ in left):
            return list(self.written.markers)
        if self.provenance is not None and self.written is not None:
            self._because(messages.CAPTURE_MARKERS)
        markers = []
        for label in found:
            known = next((entry for entry in left if entry[0] == label), None)
            if known is not None:
                left.remove(known)
            time = float(self.span.seconds(np.array(label[0])))
            markers.append(Marker(time, label[1]) if known is None else known[1])
        return sorted(markers, key=lambda marker: marker.time)

    def _written_markers(self) -> list[tuple[tuple[int, str], Marker]]:
        """The file's markers by the frame and name that Blender has of them."""
        if self.written is None or self.provenance is None:
            return []
        rate, start = self.provenance.placement.rate, self.provenance.placement.start_frame
        return [
            (actions.marker_label(marker.time * rate + start, marker.text), marker) for marker in self.written.markers
        ]

    def _trimmed(self, clip: Clip) -> Clip:
        """Only the scene's range, where that is asked for and cuts something off."""
        scene = self.context.scene
        whole = scene.frame_start <= self.span.first + _SAME_FRAME and scene.frame_end >= self.span.last - _SAME_FRAME
        if whole or not self.options.use_scene_range:
            return clip
        self._because(messages.CAPTURE_TRIMMED)
        first, last = self.span.seconds(np.array([scene.frame_start, scene.frame_end])).tolist()
        return trim.trim(clip, first, last)

    # --- Exactness ----------------------------------------------------------------------------------------------

    def _is_exact(self) -> bool:
        if self.provenance is None or self.written is None or not self.provenance.kept:
            return False
        if not self.reader.same_rate:
            old = round(self.reader.placed_rate, 4)
            self._because(messages.CAPTURE_RATE, rate=round(self.span.rate, 4), old=old)
        self._check_curves()
        self._check_context(self.written)
        if not self._same_range() or bool(self.cast.action.use_cyclic) != self.written.cyclic:
            self._because(messages.CAPTURE_RANGE)
        return not self.result.reasons

    def _check_curves(self) -> None:
        found = {carrier.action.name: carrier.origin for carrier in self.cast.carriers if carrier.origin is not None}
        gone = sum(len(origin.curves) for origin in found.values()) - self.result.unchanged - self.result.edited
        if self.result.edited:
            self._because(messages.CAPTURE_EDITED, count=self.result.edited)
        if gone > 0:
            self._because(messages.CAPTURE_CURVES_GONE, count=gone)

    def _check_context(self, written: Clip) -> None:
        for carrier in self.cast.carriers:
            if carrier.origin is None or not carrier.curves or carrier.is_intact:
                continue
            changed = [node.name for node in self.nodes if node is not written.node(node.name)]
            if carrier.owner == self.main and changed:
                self._because(messages.CAPTURE_REST, name=", ".join(changed[:5]))
            else:
                self._because(messages.CAPTURE_CONTEXT, name=carrier.owner.name)

    def _tell(self) -> None:
        """Notes for the report: how much was sampled, and why the file's own bytes do not do."""
        if self.result.baked:
            channels = {(track.node, track.property) for track in self.result.clip.tracks}
            keyed = max(len(channels) - self.result.baked, 0)
            self.report.note(messages.CAPTURED, keyed=keyed, baked=self.result.baked)
        if self.result.baked or self.provenance is not None:
            for reason in self.result.reasons:
                self.report.note(reason.template, **reason.values)


def _in_written_order(tracks: list[Track], written: Clip | None) -> list[Track]:
    """The tracks in the order of the file's, new ones last."""
    if written is None:
        return tracks
    order: dict[tuple[str, TrackKind, str], int] = {}
    for number, track in enumerate(written.tracks):
        order.setdefault((track.node, track.kind, track.property), number)
    last = len(written.tracks)
    return sorted(tracks, key=lambda track: order.get((track.node, track.kind, track.property), last))
