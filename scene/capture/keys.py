"""Curves as a captured clip's tracks of keys, and constants for what is posed without curves."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np
from bpy.types import ID

from ...io_formats.clip import CONSTANT, LOCATION, RESTING, ROTATION, SCALE, Track, TrackKind, grouped
from ...io_formats.clip.edit import trim_track
from ...io_formats.errors import Entry
from ...io_formats.files.steps import Pace, Steps
from .. import fcurves, messages, provenance, undo, visibility
from ..data_paths import split_bone, turn_of
from ..fcurves import PlayedCurve
from ..names import is_made
from ..types import Holder
from .curve_tracks import TOLERANCE, TURN, CurveReader, quaternions, read, turned
from .driven import HIDING, Driven, DrivenFinder, driven_transform, is_bone, is_connected, is_muted, plays
from .nodes import TURNS, move_object

if TYPE_CHECKING:
    from .plan import Plan
    from .players import Player
    from .timing import Capture

_NO_TURN = 1.0 - 1e-12

_SAME_MOMENT = 1e-6
"""Seconds."""

Found = dict[int, tuple[PlayedCurve, fcurves.FoundCurve]]
"""A property's curves by array index."""


def keyed(capture: Capture, plan: Plan, finder: DrivenFinder) -> Steps[Keyed]:
    """Return the tracks of all curves that are not sampled, and constants for what is posed without curves."""
    found = Keyed(capture, plan, finder)
    curves = [curve for player in capture.participants.players for curve in player.curves]
    pace = Pace(sum(map(fcurves.key_count, curves)), len(curves))
    for player in capture.participants.players:
        first, last, strip = -np.inf, np.inf, player.strip
        if strip is not None:  # of what it plays a part is held outside it
            first, last = capture.span.seconds(np.array([strip.action_frame_start, strip.action_frame_end])).tolist()
        for track in found.of_player(player):
            shown = capture.timing.limits if track.before or track.after else ()  # as far as what repeats goes on
            ends = [*track.times[:1], *track.times[-1:], *shown]
            if ends and (min(ends) < first - _SAME_MOMENT or max(ends) > last + _SAME_MOMENT):
                track = trim_track(track, first, last, ends=True).shifted(first)
            found.tracks.append(track)
            if pace.is_due(track.size, 1):
                yield pace.share
    found.tracks += found.hidden_with_meshes({track.node for track in found.tracks if track.property in HIDING})
    found.total = len(curves) + sum(len(player.driven) for player in capture.participants.players)
    return found


class Keyed:
    """What was read of curves, one player after the other, and of what is posed without them.

    Attributes:
        total: F-Curves, and what drivers make of some.
        unchanged: those that are read, and are as imported.
        touched: those of the file's Actions that are not as imported, read or not.
        turned: rotations that had to be sampled from other curves than a quaternion's.
        places: by (owner, data path) whether its curves are written; False for those that move nothing.
        left_alone: by node and property whether all its curves are as imported.
        left_posed: nodes of bones with a pose that is as the import left it.
        reasons: why the clip is not the file's.
    """

    def __init__(self, capture: Capture, plan: Plan, finder: DrivenFinder) -> None:
        self._capture, self._plan, self._finder = capture, plan, finder
        self._curves = CurveReader(capture, finder.sources)
        self.tracks: list[Track] = []
        self.total = self.unchanged = self.touched = self.turned = 0
        self.places: dict[tuple[ID, str], bool] = {}
        self.left_alone: dict[tuple[str, str], bool] = {}
        self.left_posed: set[str] = set()
        self.reasons: list[Entry] = []

    def of_player(self, player: Player) -> Iterator[Track]:
        """Yield the tracks of one datablock's curves, and of what is posed without curves."""
        seen: dict[tuple[str, str], Found] = {}
        with_keys: dict[tuple[str, str], Driven] = {}
        only_supports = player.thing in self._capture.participants.supports  # of which nothing but the pose counts
        for curve in (*player.curves, *player.driven):
            driven, found = self._finder.find(player.owner, player.thing, curve.data_path), read(curve)
            if driven is None or (only_supports and driven.kind is not TrackKind.TRANSFORM):
                self.touched += player.origin is not None and not player.left_alone(curve, found)
                continue
            at, holder = driven.property, driven.holder
            was_connected = at == LOCATION and is_bone(holder) and is_connected(holder) and not is_made(holder.bone)
            if was_connected and player.left_alone(curve, found):
                self.unchanged += 1  # it plays no more and no less than when it was imported onto a person's bone
                self._place(player.owner, curve, written=False)
                continue
            dead = self._is_dead(driven, curve, found)
            self._place(player.owner, curve, written=not dead)
            if dead or driven.address in TURNS:
                self.touched += player.origin is not None and not player.left_alone(curve, found)
            if dead:
                continue
            if isinstance(curve, fcurves.DrivenCurve):
                self.places.setdefault(curve.read, True)  # what drives something is written with that
                if self._capture.provenance is not None:
                    self._because(messages.CAPTURE_DRIVER, name=driven.node, path=driven.label)
            # of what is a single number Blender plays a curve of any index
            seen.setdefault((driven.node, driven.address), {})[min(curve.array_index, driven.width - 1)] = curve, found
            if driven.address not in TURNS:
                yield self._keyed_track(player, driven, curve, found)
                with_keys[driven.node, driven.address] = driven
        for address, driven in with_keys.items():
            yield from self._unkeyed(driven, seen[address])
        yield from self._posed_tracks(player, seen)

    def hidden_with_meshes(self, known: Collection[str]) -> list[Track]:
        """Return what hides the bones on which meshes hang that keys hide, but for nodes that are `known` to hide."""
        tracks: list[Track] = []
        hung = self._capture.participants.meshes
        hiding = [(self._finder.find(mesh.thing, mesh.thing, visibility.SEEN[0]), mesh) for mesh in hung]
        free = ((driven, mesh) for driven, mesh in hiding if driven is not None and driven.node not in known)
        for driven, meshes in grouped(pair for pair in free if not self._plan.is_sampled(pair[0])).items():
            first = next((mesh for mesh in meshes if mesh.curves), None)
            if first is not None:
                curve, found = first.curves[0], fcurves.read(first.curves[0])
                self._because(messages.CAPTURE_MESH_HIDES, name=driven.node, mesh=first.thing.name)
                track = self._curves.track(driven, 0, curve, found, untouched=False)
                tracks.append(track.shifted(-self._capture.participants.shift / self._capture.span.rate))
                same = {each for mesh in meshes for each in mesh.curves if fcurves.read(each).digest == found.digest}
                alike = [mesh for mesh in meshes if same.issuperset(mesh.curves[:1]) and mesh.curves]
                for mesh in alike:
                    self._place(mesh.thing, *(each for each in mesh.curves if each in same), written=True)
                apart = ", ".join(mesh.thing.name for mesh in meshes if mesh not in alike)
                if apart:  # the first one decides for all of them
                    name = first.thing.name
                    self._capture.report.warn(messages.CAPTURE_MESHES_APART, names=apart, bone=driven.node, name=name)
        return tracks

    def _because(self, template: str, **values: object) -> None:
        self.reasons.append(Entry(template, values))

    def _unkeyed(self, driven: Driven, found: Found) -> Iterator[Track]:
        """Yield constants for the numbers of an array or colour that have no curve while others of it have."""
        missing = [index for index in range(driven.width) if index not in found]
        if missing and driven.kind is not TrackKind.TRANSFORM:
            curve, _ = next(iter(found.values()))
            values = list(undo.value_at(driven.holder, split_bone(curve.data_path)[1]))  # a script may free it
            yield from (_constant(self._capture, driven, index, float(values[index])) for index in missing)

    def _place(self, owner: ID, *curves: PlayedCurve, written: bool) -> None:
        for curve in curves:
            self.places[owner, curve.data_path] = self.places.get((owner, curve.data_path), False) or written

    def _keyed_track(self, player: Player, driven: Driven, curve: PlayedCurve, found: fcurves.FoundCurve) -> Track:
        index, untouched = min(curve.array_index, driven.width - 1), player.left_alone(curve, found)
        track = self._curves.track(driven, index, curve, found, untouched=untouched)
        address = driven.node, driven.property
        self.left_alone[address] = untouched and self.left_alone.get(address, True)
        same = untouched or (track.match is not None and track.match.unchanged)
        self.unchanged += same
        self.touched += player.origin is not None and not same
        return track

    def _is_dead(self, driven: Driven, curve: PlayedCurve, found: fcurves.FoundCurve) -> bool:
        """Return whether a curve does not play, counts for nothing or is sampled; the reasons are noted.

        For nothing count those of another rotation mode, of a connected bone's location, and of a still root.
        """
        if self._plan.is_sampled(driven) or curve.array_index >= driven.width > 1:
            return True
        if not found.plays:
            self._because(messages.CAPTURE_MUTED, name=driven.node, path=driven.label)
            return True
        if driven.kind is TrackKind.SHAPE_KEY and is_muted(driven.holder, curve.data_path):
            self._because(messages.CAPTURE_SHAPE_MUTED, name=driven.node, shape=driven.property)
            return True
        if not found.plain:
            self._because(messages.CAPTURE_MODIFIER, name=driven.node, path=driven.label)
        if driven.kind is not TrackKind.TRANSFORM:
            return False
        if driven.property == ROTATION:
            if driven.mover.rotation_mode != "QUATERNION":
                self._because(messages.CAPTURE_ROTATION_MODE, name=driven.node)
        elif not plays(driven):
            self._because(messages.CAPTURE_CONNECTED, name=driven.node)
        return not plays(driven) or self._plan.node_map.is_root(driven.holder)

    # --- What is posed without curves ---------------------------------------------------------------------------

    def _posed_tracks(self, player: Player, seen: dict[tuple[str, str], Found]) -> Iterator[Track]:
        left_out = {(node, name) for node, _, name in player.origin.left_out} if player.origin is not None else set()
        for driven, counts in _transforms(self._plan, player):
            found = seen.get((driven.node, driven.address), {})
            if not found and (driven.node, driven.property) in left_out:
                continue  # the file's own channel plays there
            if driven.address in TURNS:
                yield from self._turned_tracks(player, driven, found, counts)
            elif len(found) < driven.width and (counts or found):
                values = [float(value) for value in getattr(driven.holder, driven.address)]
                for index, (value, rest) in enumerate(zip(values, RESTING[driven.property])):
                    if value != rest and index not in found and not self._is_left_over(player, driven, index):
                        self._note_posed(player, driven, index)
                        yield _constant(self._capture, driven, index, value)

    def _turned_tracks(self, player: Player, driven: Driven, found: Found, counts: bool) -> Iterator[Track]:
        values = [float(value) for value in getattr(driven.holder, driven.address)]
        if found:
            self.turned += 1
            for at, rest in enumerate(fcurves.AT_REST[driven.address]):
                # beside what has a curve, what is only left over rests
                if at not in found and values[at] != rest and self._is_left_over(player, driven, at):
                    values[at] = rest
            angles = [found.get(at) or value for at, value in enumerate(values)]
            options = self._capture.options
            # a seventh of how far places may be off by default and beyond, and never more than it; 0 where nobody said
            within = min(TURN * options.tolerance, max(TOLERANCE, options.tolerance / 2)) or TOLERANCE
            within = self._plan.node_map.turn_within(driven.node, within, options.swing)
            yield from turned(driven, driven.mover.rotation_mode, angles, self._capture.span, within)
            return
        still = quaternions(driven.mover.rotation_mode, np.array(values)[:, None])[:, 0].tolist()
        if counts and abs(still[0]) < _NO_TURN and not self._is_left_over(player, driven, 0):
            self._note_posed(player, driven, *range(len(values)))
            yield from (_constant(self._capture, driven, index, value) for index, value in enumerate(still))

    def _is_left_over(self, player: Player, driven: Driven, index: int) -> bool:
        """Return whether another Action moves this channel, so that its value is what that one left behind.

        Where the own one holds it at rest, no other value plays. Of what was made in Blender and plays now, or goes
        into a file of another format, everything that is seen counts, and where an object stands.
        """
        wanted = driven.path, index
        is_own = self._capture.provenance is not None and not self._capture.foreign
        alone = self._capture.participants.solo or (is_own and is_bone(driven.holder))
        return wanted in player.resting or (alone and wanted in self._capture.participants.left_over(player))

    def _note_posed(self, player: Player, driven: Driven, *indices: int) -> None:
        path, before = provenance.tied_path(player.owner, driven.path), getattr(player.origin, "posed", {})
        values, rest = getattr(driven.holder, driven.address), fcurves.AT_REST[driven.address]
        if all(values[index] == before.get((path, index), rest[index]) for index in indices):
            self.left_posed.add(driven.node)
        # an object just stands where it does; but what mirrors it is told as a turn, too
        elif self._capture.provenance is not None and (is_bone(driven.holder) or min(driven.mover.scale[:]) < 0):
            self._because(messages.CAPTURE_POSED, name=driven.node)


def _transforms(plan: Plan, player: Player) -> Iterator[tuple[Driven, bool]]:
    """Yield each transform of the player's nodes that is not sampled, and whether it counts without a curve."""
    if player.owner != player.thing:
        return
    thing, naming = player.thing, plan.node_map.naming
    holders: list[tuple[str, Holder, bool]] = []
    if thing.type == "ARMATURE":
        nodes = naming.bones[thing.name]
        holders += [(nodes[bone.name], bone, True) for bone in thing.pose.bones if bone.name in nodes]
    if thing.name in naming.objects and not plan.node_map.is_root(thing):  # an object rests without curves of its own
        holders.append((naming.objects[thing.name], thing, move_object((*player.curves, *player.driven))))
    for node, holder, counts in holders:
        for address in (LOCATION, turn_of(holder), SCALE):
            driven = driven_transform(node, holder, address)
            if not plan.is_sampled(driven) and not (address == LOCATION and is_connected(holder)):
                yield driven, counts


def _constant(capture: Capture, driven: Driven, component: int, value: float) -> Track:
    start, fields = capture.timing.limits[0], {"component": component, "width": driven.width, **driven.kinds}
    return Track.constant(driven.node, driven.property, (value,), start, interpolation=CONSTANT, **fields)
