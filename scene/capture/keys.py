"""Curves as a captured clip's tracks of keys, and constants for what is posed without curves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ...io_formats.clip import CONSTANT, LOCATION, RESTING, ROTATION, SCALE, Track, TrackKind
from ...io_formats.clip.clamping import clamped
from .. import actions, fcurves, limits, messages
from ..data_paths import split_bone
from . import influences
from .choice import Choice
from .curve_tracks import CurveReader, Place, goes_on, turned
from .places import OWN_TRANSFORMS, TURNS, Places, full_path, is_connected, transform_place, turn_of
from .players import Player
from .scope import Scope
from .stage import Stage
from .turns import quaternions

_NO_TURN = 1.0 - 1e-12

Found = dict[int, tuple[Any, fcurves.FoundCurve]]
"""A property's curves by array index."""


class KeyReader:
    """Reads the tracks of one player after the other.

    Attributes:
        curves: makes a track of a curve.
        unchanged: F-Curves so far that are as imported.
        edited: F-Curves so far that are not, or were never imported.
        baked: rotations so far that had to be sampled from other curves than a quaternion's.
        left_out: (owner, data path) of curves so far that are no part of a clip.
    """

    def __init__(self, scope: Scope, choice: Choice, stage: Stage, curves: CurveReader) -> None:
        self._scope = scope
        self._choice = choice
        self._stage = stage
        self._places = Places(stage.naming, curves.sources)
        self.curves = curves
        self.unchanged = self.edited = self.baked = 0
        self.left_out: list[tuple[Any, str]] = []

    def tracks(self, player: Player) -> Iterator[Track]:
        """The tracks of one datablock's curves, and of what is posed without curves."""
        self._choice.find_driven(player, self._places)
        seen: dict[tuple[str, str], Found] = {}
        places: dict[tuple[str, str], Place] = {}
        for curve in player.curves:
            place = self._places.find(player.owner, player.thing, curve.data_path)
            if place is None or self._is_foreign(player, place):
                self.edited += 1
                self._leave_out(player, curve)
                continue
            found = fcurves.read(curve)
            if self._is_dead(place, curve, found):
                self.edited += 1
                continue
            seen.setdefault((place.node, place.address), {})[curve.array_index] = (curve, found)
            if place.address in TURNS:
                self.edited += 1
            else:
                yield self._keyed_track(player, place, curve, found)
                places[place.node, place.address] = place
        for address, place in places.items():
            yield from self._unkeyed(place, seen[address])
        yield from self._posed_tracks(player, seen)

    def _unkeyed(self, place: Place, found: Found) -> Iterator[Track]:
        """Constants for the numbers of an array or colour that have no curve while others of it have."""
        missing = [index for index in range(place.width) if index not in found]
        if missing and place.kind is not TrackKind.TRANSFORM:
            curve, _ = next(iter(found.values()))
            values = place.holder.path_resolve(split_bone(curve.data_path)[1])
            yield from (self._constant(place, index, float(values[index])) for index in missing)

    def _leave_out(self, player: Player, curve: Any) -> None:
        """Note a curve that is no part of a clip, unless it is muted, sampled with the pose or left out as asked."""
        thing, path = player.thing, curve.data_path
        if thing in self._scope.cast.supports:
            return
        known = player.owner == thing and (
            self._choice.shows_in_samples(thing, path)
            or (self._stage.is_root(thing) and path in influences.TRANSFORM_PATHS)
        )
        if not curve.mute and not known:
            self.left_out.append((player.owner, path))

    def _is_foreign(self, player: Player, place: Place) -> bool:
        """Whether it is no business of this clip: of what only supports others, nothing but the pose counts."""
        return player.thing in self._scope.cast.supports and place.kind is not TrackKind.TRANSFORM

    def _keyed_track(self, player: Player, place: Place, curve: Any, found: fcurves.FoundCurve) -> Track:
        origin, index = player.origin, curve.array_index
        untouched = origin is not None and origin.is_written(player.handle, curve.data_path, index, found)
        own = self.curves.track(place, index, curve, found, untouched=untouched)
        track = self._within_limits(place, curve, own)
        same = track is own and (untouched or (own.match is not None and own.match.unchanged))
        self.unchanged += same
        self.edited += not same
        return track

    def _within_limits(self, place: Place, curve: Any, track: Track) -> Track:
        """The track as Blender plays it, which keeps a property to its limits."""
        if place.kind is TrackKind.TRANSFORM:
            return track
        kept = clamped(track, *limits.of(place.holder, split_bone(curve.data_path)[1]))
        if kept is not track:
            self._scope.because(messages.CAPTURE_CLAMPED, name=place.node, path=place.address)
        return kept

    def _is_dead(self, place: Place, curve: Any, found: fcurves.FoundCurve) -> bool:
        """Whether a curve does not play, or is sampled with the pose; the reasons are noted."""
        if self._choice.is_sampled(place):
            return True
        if found.muted:
            self._scope.because(messages.CAPTURE_MUTED, name=place.node, path=place.address)
            return True
        if place.kind is TrackKind.SHAPE_KEY and limits.is_muted(place.holder, curve.data_path):
            self._scope.because(messages.CAPTURE_SHAPE_MUTED, name=place.node, shape=place.property)
            return True
        if not found.plain:
            self._scope.because(messages.CAPTURE_MODIFIER, name=place.node, path=place.address)
            if self._scope.timing.unfinished and goes_on(curve, self._scope.span):
                self._scope.unending.add((place.node, place.address))
        return place.kind is TrackKind.TRANSFORM and self._is_idle(place)

    def _is_idle(self, place: Place) -> bool:
        """Whether nobody looks at this transform: another rotation mode, a bone tied to its parent, a still root."""
        if place.property == ROTATION:
            if place.holder.rotation_mode != "QUATERNION":
                self._scope.because(messages.CAPTURE_ROTATION_MODE, name=place.node)
            return place.address != turn_of(place.holder)
        if place.property == LOCATION and is_connected(place.holder):
            self._scope.because(messages.CAPTURE_CONNECTED, name=place.node)
            return True
        return self._stage.is_root(place.holder)

    # --- What is posed without curves ---------------------------------------------------------------------------

    def _posed_tracks(self, player: Player, seen: dict[tuple[str, str], Found]) -> Iterator[Track]:
        """Constants for channels that have no curve and are not at rest; rotations that are no quaternions."""
        for place, counts in self._transform_places(player):
            found = seen.get((place.node, place.address), {})
            if place.address in TURNS:
                yield from self._turned_tracks(player, place, found, counts)
            elif len(found) < place.width and (counts or found):
                yield from self._still_tracks(player, place, found)

    def _transform_places(self, player: Player) -> Iterator[tuple[Place, bool]]:
        """Each transform of the player's nodes that is not sampled, and whether it counts without a curve."""
        if player.owner != player.thing:
            return
        for node, holder, counts in self._holders(player):
            for address in (LOCATION, turn_of(holder), SCALE):
                place = transform_place(node, holder, address)
                if not self._choice.is_sampled(place) and not (address == LOCATION and is_connected(holder)):
                    yield place, counts

    def _holders(self, player: Player) -> Iterator[tuple[str, Any, bool]]:
        """Node and holder of each transform; an object without transform curves stands where its node's rest is."""
        thing = player.thing
        if thing.type == "ARMATURE":
            naming = self._stage.naming.bones[thing.name]
            yield from ((naming[bone.name], bone, True) for bone in thing.pose.bones if bone.name in naming)
        node = self._stage.naming.objects.get(thing.name)
        if node is not None and not self._stage.is_root(thing):
            yield node, thing, any(path in OWN_TRANSFORMS for path in player.own_paths)

    def _still_tracks(self, player: Player, place: Place, found: Found) -> Iterator[Track]:
        values = [float(value) for value in getattr(place.holder, place.address)]
        moved = [index for index, rest in enumerate(RESTING[place.property]) if values[index] != rest]
        for index in moved:
            if index not in found and not self._is_left_over(player, place, index):
                self._note_posed(place)
                yield self._constant(place, index, values[index])

    def _turned_tracks(self, player: Player, place: Place, found: Found, counts: bool) -> Iterator[Track]:
        values = [float(value) for value in getattr(place.holder, place.address)]
        if found:
            self.baked += 1
            angles = [found.get(index, value) for index, value in enumerate(values)]
            tracks, error = turned(place, place.holder.rotation_mode, angles, self._scope.span)
            self.curves.note_sharp(place, error, 1.0)
            yield from tracks
            return
        still = quaternions(place.holder.rotation_mode, np.array(values)[:, None])[:, 0].tolist()
        if counts and abs(still[0]) < _NO_TURN and not self._is_left_over(player, place, 0):
            self._note_posed(place)
            yield from (self._constant(place, index, value) for index, value in enumerate(still))

    def _note_posed(self, place: Place) -> None:
        if self._scope.provenance is not None:
            self._scope.because(messages.CAPTURE_POSED, name=place.node)

    def _constant(self, place: Place, component: int, value: float) -> Track:
        return Track.constant(
            place.node,
            place.property,
            (value,),
            self._scope.span.start,
            interpolation=CONSTANT,
            component=component,
            width=place.width,
            value_kind=place.value_kind,
            kind=place.kind,
        )

    def _is_left_over(self, player: Player, place: Place, index: int) -> bool:
        """Whether another Action moves this channel, so that its value is what that one left behind.

        Of what was made in Blender and plays now, everything that is seen counts.
        """
        if self._scope.provenance is None and not self._scope.cast.solo:
            return False
        wanted = (full_path(place), index)
        others = [action for action in bpy.data.actions if action != player.action]
        return any(
            (curve.data_path, curve.array_index) == wanted
            for other in others
            for _, curve in actions.every_curve(other)
        )
