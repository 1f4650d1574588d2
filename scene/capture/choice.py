"""Curves or samples: what is read from the evaluated scene because something besides curves takes part, and why."""

from __future__ import annotations

from typing import Any

from ...io_formats.clip import Node, TrackKind
from ...io_formats.errors import Entry
from .. import bake, limits, messages
from ..data_paths import split_bone
from . import influences
from .curve_tracks import Place
from .places import Places, is_bone
from .players import Player
from .scope import Scope


class Choice:
    """What is sampled.

    Attributes:
        posed: for each armature, the bones whose evaluated pose has to be read, and why.
        driven: places of the numbers that are read, in the order of `wanted.values`.
        wanted: what is read.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.posed = {rig.name: self._posed_bones(rig) for rig in scope.cast.rigs}
        self.driven: dict[tuple[str, str], Place] = {}
        self.wanted = bake.Wanted([rig for rig in scope.cast.rigs if self.posed[rig.name]])

    def is_sampled(self, place: Place) -> bool:
        """Whether this property is read from the evaluated scene."""
        if place.kind is not TrackKind.TRANSFORM:
            return (place.node, place.address) in self.driven
        if is_bone(place.holder):
            return place.holder.name in self.posed[place.holder.id_data.name]
        return place.holder in self.wanted.objects

    def shows_in_samples(self, thing: Any, path: str) -> bool:
        """Whether what a curve of an object does, that is no part of a clip, is seen in the poses that are read."""
        bone, rest = split_bone(path)
        if bone is not None:
            return rest.startswith("constraints") and bone in self.posed.get(thing.name, ())
        return thing in self.wanted.objects and (rest in influences.TRANSFORM_PATHS or rest.startswith("constraints"))

    def take_object(self, thing: Any, node: Node) -> bool:
        """Sample an object's world matrix where its curves and its node's parent do not say all; whether it is."""
        reason = self._object_reason(thing, node)
        if reason is None:
            return False
        self._scope.add_reason(reason)
        if not self._may_sample():
            return False
        self.wanted.objects.append(thing)
        if node.parent is not None:
            on_bone = thing.parent_type == "BONE"
            self.wanted.spaces[thing.name] = (thing.parent, thing.parent_bone if on_bone else "")
        return True

    def find_driven(self, player: Player, places: Places) -> None:
        """Sample properties that drivers or the NLA set: those that have keys as well, and all shape keys."""
        if self._scope.options.sampling == "KEYS":
            return
        keyed = {curve.data_path for curve in player.curves}
        for driver in influences.active_drivers(player.owner):
            place = places.find(player.owner, player.thing, driver.data_path)
            if place is not None and (place.kind is TrackKind.SHAPE_KEY or driver.data_path in keyed):
                self._sample_value(player.owner, driver.data_path, place, messages.CAPTURE_DRIVER)
        if self._scope.cast.nla_decides(player.owner):
            for path in sorted(keyed | influences.strip_paths(player.owner)):
                place = places.find(player.owner, player.thing, path)
                if place is not None:
                    self._sample_value(player.owner, path, place, messages.CAPTURE_NLA)

    def _sample_value(self, owner: Any, path: str, place: Place, template: str) -> None:
        if place.kind is TrackKind.TRANSFORM or (place.node, place.address) in self.driven:
            return
        if limits.is_muted(owner, path):
            return
        values = {"name": place.node, "path": place.address}
        reason = Entry(template, values if template == messages.CAPTURE_DRIVER else {"name": place.node})
        self._scope.add_reason(reason)
        self.driven[place.node, place.address] = place
        self.wanted.values.append((owner, path))

    def _posed_bones(self, rig: Any) -> dict[str, Entry]:
        counting = [bone.name for bone in self._scope.cast.bones_of(rig)]
        found = {name: reason for name, reason in influences.of_bones(rig).items() if name in counting}
        everything = self._reason_for_all(rig)
        if everything is not None:
            found = {name: found.get(name, everything) for name in counting}
        for reason in found.values():
            self._scope.add_reason(reason)
        return found if found and self._may_sample() else {}

    def _object_reason(self, thing: Any, node: Node) -> Entry | None:
        """Why an object's world matrix has to be read; None if its curves and its node's parent say all."""
        if self._scope.cast.stands(thing):
            return None
        reason = self._reason_for_all(thing) or influences.of_object(thing)
        outside = node.parent is None and thing.parent is not None and thing.parent != self._scope.main
        if reason is None and outside and influences.moves(thing.parent, self._scope.cast.curves_of):
            return Entry(messages.CAPTURE_PARENT, {"name": thing.name, "parent": thing.parent.name})
        return reason

    def _reason_for_all(self, owner: Any) -> Entry | None:
        if self._scope.options.sampling == "BAKE":
            return Entry(messages.CAPTURE_FORCED, {})
        return Entry(messages.CAPTURE_NLA, {"name": owner.name}) if self._scope.cast.nla_decides(owner) else None

    def _may_sample(self) -> bool:
        if self._scope.options.sampling == "KEYS":
            self._scope.report.warn(messages.CAPTURE_FORBIDDEN)
        return bool(self._scope.options.sampling != "KEYS")
