"""Who plays: the objects of an export with everything of theirs that has curves, and the Action of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from . import actions
from . import provenance as provenances
from .capture import casting, influences
from .provenance import Provenance


@dataclass
class Carrier:
    """A datablock that has curves, and the Action and slot that hold them.

    Attributes:
        owner: the datablock: an object, its data or its shape keys.
        thing: the object that it is, or belongs to.
        curves: sorted by path and index.
        origin: where its Action came from, if that is the file of the whole clip.
        strip: the plain NLA strip by which it plays, None where the Action is assigned.
    """

    owner: Any
    thing: Any
    action: Any
    slot: Any
    curves: list[Any]
    origin: Provenance | None
    strip: Any = None

    @property
    def handle(self) -> int:
        """The slot's number, as the provenance knows it."""
        return actions.slot_handle(self.slot)

    @property
    def own_paths(self) -> list[str]:
        """Data paths of the curves that are not of bones."""
        return [curve.data_path for curve in self.curves if not curve.data_path.startswith("pose.")]

    @property
    def is_intact(self) -> bool:
        """Rest pose, parents, rotation modes and the object's own transform are as they were at the import."""
        if self.origin is None:
            return False
        return provenances.owner_of(self.handle, self.origin) == provenances.owner_digest(self.owner)


class Cast:
    """All carriers of a clip.

    Attributes:
        action: the clip's main Action, None if nothing plays.
        solo: that Action is to play alone, as that is asked for, or as it is not the one that plays.
        objects: those to export, and those that the same file animates in other slots.
        only_data: objects that are there for their shape keys or data alone.
        main: the first armature, None if there is none.
        supports: objects that nobody chose, but on which chosen ones hang; only how they stand counts.
        rigs: armatures, those that are supports last.
    """

    def __init__(
        self,
        objects: Sequence[Any],
        action: Any,
        provenance: Provenance | None,
        *,
        alone: bool = False,
        local: bool = False,
    ) -> None:
        """`provenance`: of the Action, if the clip is to be related to its file; `alone`: see `solo`.

        `local`: the main armature stands still, whatever it hangs on.
        """
        self.provenance = provenance
        self.action = action if action is not None else playing_action(objects)
        playing = any(_plays(thing, self.action) for thing in objects)
        self.solo = self.action is not None and (alone or not playing)
        self.objects = list(dict.fromkeys(objects))
        self.only_data: list[Any] = []
        if provenance is not None and self.action is not None:
            self._add_owners(provenance)
        self.main = next((thing for thing in self.objects if thing.type == "ARMATURE"), None)
        self._parts = self._solo_parts() if self.solo else []
        self.carriers: list[Carrier] = []
        self.supports = self._find_supports(local=local)
        self.objects += self.supports
        self.rigs = [thing for thing in self.objects if thing.type == "ARMATURE"]
        self.carriers = [carrier for thing in self.objects for carrier in self._carriers_of(thing)]

    def of(self, owner: Any) -> Carrier | None:
        """The carrier that is `owner`."""
        return next((carrier for carrier in self.carriers if carrier.owner == owner), None)

    def curves_of(self, owner: Any) -> list[Any]:
        """The curves that `owner` plays, a carrier or not."""
        found = self.of(owner)
        return actions.fcurves_of(owner) if found is None else found.curves

    def own_paths(self, owner: Any) -> list[str]:
        """Data paths of the curves of `owner` that are not of bones."""
        found = self.of(owner)
        return [] if found is None else found.own_paths

    def nla_decides(self, owner: Any) -> bool:
        """Whether the NLA makes `owner` play something else than its Action alone."""
        found = self.of(owner)
        free = not self.solo or owner in self.supports
        return free and influences.nla_decides(owner, found.action if found is not None else None)

    def alone_playing(self) -> list[casting.Part]:
        """Who has to be given the Action that is to play alone."""
        own = [
            carrier for carrier in self.carriers if carrier.action is not None and carrier.thing not in self.supports
        ]
        return [(carrier.owner, carrier.action, carrier.slot) for carrier in own] if self.solo else []

    def stands(self, thing: Any) -> bool:
        """Whether a lone Action is not the object's own but of its data or shape keys."""
        found = self.of(thing)
        return self.solo and thing not in self.supports and (found is None or found.action is None)

    def bones_of(self, rig: Any) -> list[Any]:
        """The bones of an armature that count: all, but of a support only those on which something hangs."""
        if rig not in self.supports:
            return list(rig.data.bones)
        hung = {thing.parent_bone for thing in self.objects if thing.parent == rig and thing.parent_type == "BONE"}
        below = [bone for bone in rig.data.bones if bone.name in hung]
        found = {bone.name for tip in below for bone in (tip, *tip.parent_recursive)}
        return [bone for bone in rig.data.bones if bone.name in found]

    def _find_supports(self, *, local: bool) -> list[Any]:
        """What chosen objects hang on, and so on upwards; of the main armature only if it moves with that."""
        found: list[Any] = []
        for thing in self.objects:
            still = thing == self.main and (local or not influences.follows(thing, self.curves_of))
            above = None if still else thing.parent
            while above is not None and above not in found and above not in self.objects:
                found.append(above)
                above = above.parent
        return found

    def _add_owners(self, provenance: Provenance) -> None:
        """The other objects that the file animates: in slots of the Action, before 4.4 in Actions of their own."""
        for member in siblings(self.action, provenance):
            for owner, slot in actions.users_of(member):
                if owner not in self.objects and self._is_played(member, slot):
                    continue  # a copy of an object, which plays what that plays
                if owner.id_type == "OBJECT":
                    self.only_data = [thing for thing in self.only_data if thing != owner]
                    self.objects += [owner] if owner not in self.objects else []
                else:
                    added = [thing for thing in _objects_with(owner)[:1] if thing not in self.objects]
                    self.objects += added
                    self.only_data += added

    def _is_played(self, action: Any, identifier: str) -> bool:
        """Whether an object that is there already plays the slot of that identifier; before 4.4 the Action."""
        playing = [actions.assigned(thing) for thing in self.objects]
        return any(found == action and (slot.identifier if slot else "") == identifier for found, slot in playing)

    def _carriers_of(self, thing: Any) -> Iterator[Carrier]:
        """The object itself, its data, its shape keys: whatever has curves or drivers."""
        for owner in (thing,) if thing in self.supports else casting.datablocks_of(thing):
            strip = None if self._plays_alone(owner) else influences.only_strip(owner)
            action, slot = self._action_of(owner, strip)
            bag = actions.find_bag(action, slot) if action is not None else None
            curves = [] if bag is None else sorted(bag.fcurves, key=lambda curve: (curve.data_path, curve.array_index))
            if curves or owner is thing or owner.animation_data is not None:
                yield Carrier(owner, thing, action, slot, curves, self._origin_of(action), strip)

    def _solo_parts(self) -> list[casting.Part]:
        """Who plays the Action, and those that belong to the same animation of its file."""
        members = [self.action] if self.provenance is None else siblings(self.action, self.provenance)
        return [part for member in members for part in casting.parts(member, self.objects)]

    def _plays_alone(self, owner: Any) -> bool:
        """Whether `owner` is not to play what it plays, but its part of the one Action."""
        return self.solo and owner not in self.supports

    def _action_of(self, owner: Any, strip: Any) -> tuple[Any, Any]:
        """The Action and slot that `owner` plays, or is to play."""
        if not self._plays_alone(owner):
            return actions.assigned(owner) if strip is None else (strip.action, influences.slot_of(strip))
        return next(((action, slot) for found, action, slot in self._parts if found == owner), (None, None))

    def _origin_of(self, action: Any) -> Provenance | None:
        """The provenance of an Action that belongs to the same animation of the same file."""
        if action is None or self.provenance is None:
            return None
        if action == self.action:
            return self.provenance
        found = provenances.find(action)
        return found if found is not None and _same_animation(found, self.provenance) else None


def playing_action(objects: Sequence[Any]) -> Any:
    """The Action that the first animated object plays, also by a single plain NLA strip; None if nothing plays."""
    return next((action for action in map(influences.playing_action, objects) if action is not None), None)


def _plays(thing: Any, action: Any) -> bool:
    return bool(action == influences.playing_action(thing))


def _same_animation(a: Provenance, b: Provenance) -> bool:
    return a.text is not None and a.text == b.text and a.index == b.index


def siblings(action: Any, provenance: Provenance) -> list[Any]:
    """The Actions of one animation of one file: more than one only where Actions have no slots."""
    found = [action]
    if actions.SLOTTED or provenance.text is None:
        return found
    for other in bpy.data.actions:
        known = provenances.find(other) if other != action else None
        if known is not None and _same_animation(known, provenance):
            found.append(other)
    return found


def _objects_with(data: Any) -> list[Any]:
    """The objects whose data, or shape keys, this is."""
    return [
        thing
        for thing in bpy.data.objects
        if thing.data is not None and data in (thing.data, getattr(thing.data, "shape_keys", None))
    ]
