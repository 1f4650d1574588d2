"""Who plays which Action: the objects of an export with everything of theirs that has curves.

An Action that nobody plays goes to those whose bones, shape keys or names it addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeAlias

import bpy
from bpy.types import ID, Action, Bone, FCurve, Key, NlaStrip, Object

from ...io_formats.scene_options import ExportOptions
from .. import actions, data_paths, fcurves, visibility
from .. import provenance as provenances
from ..provenance import Provenance
from ..types import Rig, Slot, is_rig
from . import influences, strips
from .linear_drivers import linear_drivers

Part: TypeAlias = "tuple[ID, Action, Slot | None]"
"""A datablock with the Action and slot that it plays; the slot is None before Blender 4.4."""


class Player(NamedTuple):
    """A datablock that has curves, and the Action and slot that hold them.

    Attributes:
        owner: the datablock: an object, its data or its shape keys.
        thing: the object that it is, or belongs to.
        curves: sorted by path and index, without rest keys of an import; then those of NLA strips below.
        origin: where its Action came from, if that is the file of the whole clip.
        strip: the plain NLA strip by which it plays, None where the Action is assigned.
        resting: (data path, index) of what rest keys of an import hold.
        driven: what drivers make of curves, as curves.
        in_strips: all that NLA strips play is among the curves, but for what the Action plays instead.
    """

    owner: ID
    thing: Object
    action: Action | None
    slot: Slot | None
    curves: list[FCurve | fcurves.StripCurve]
    origin: Provenance | None
    strip: NlaStrip | None = None
    resting: frozenset[tuple[str, int]] = frozenset()
    driven: Sequence[fcurves.DrivenCurve] = ()
    in_strips: bool = False

    @property
    def is_intact(self) -> bool:
        """Rest pose, parents, rotation modes and the object's own transform are as they were at the import."""
        if self.origin is None:
            return False
        known = self.origin.owners.get(str(self.origin.known_handle(actions.slot_handle(self.slot))))
        return known == provenances.owner_digest(self.owner, self.curves)

    def left_alone(self, curve: fcurves.PlayedCurve, found: fcurves.FoundCurve) -> bool:
        """Return whether a curve is as the import of its file wrote it."""
        path, handle = provenances.tied_path(self.thing, curve.data_path), actions.slot_handle(self.slot)
        return self.origin is not None and self.origin.is_written(handle, path, curve.array_index, found)


@dataclass(frozen=True)
class Participants:
    """All players of a clip.

    Attributes:
        action: the clip's main Action, None if nothing plays.
        solo: that Action is to play alone, as that is asked for, or as it is not the one that plays.
        objects: those to export, those that the same file animates in other slots, and `supports`.
        only_data: objects that are there for their shape keys or data alone.
        main: the first armature, None if there is none.
        supports: objects that nobody chose, but on which chosen ones hang; only how they stand counts.
        players: of all objects, in their order.
        shift: frames by which plain NLA strips play all of them later than their Actions lie; 0 as a rule.
        deform_only: bones that deform nothing and carry no object do not count.
        meshes: those on bones, in formats for which what hides a mesh hides its bone.
        tied: bones of `main` that stand for those of the file, where that is of another model.
    """

    action: Action | None
    solo: bool
    objects: list[Object]
    only_data: list[Object]
    main: Rig | None
    supports: list[Object]
    players: list[Player]
    shift: float = 0.0
    deform_only: bool = False
    meshes: list[HungMesh] = field(default_factory=list)
    tied: frozenset[str] = frozenset()
    _animated: dict[ID, set[influences.Value]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _left: dict[ID, set[influences.Value]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def rigs(self) -> list[Rig]:
        """Armatures, those that are supports last."""
        return [thing for thing in self.objects if is_rig(thing)]

    def of(self, owner: ID) -> Player | None:
        """Return the player that is `owner`."""
        return next((player for player in self.players if player.owner == owner), None)

    def curves_of(self, owner: ID) -> Sequence[fcurves.PlayedCurve]:
        """Return the curves that `owner` plays, a player or not."""
        found = self.of(owner)
        return actions.fcurves_of(owner) if found is None else [*found.curves, *found.driven]

    def animated(self, owner: ID) -> set[influences.Value]:
        """Return what curves, drivers and NLA strips animate in a datablock, a player or not, while this plays.

        Each is looked at once, as a figure has thousands of curves.
        """
        if owner not in self._animated:
            things = (player.thing for player in self.players if player.owner == owner)
            alone = self.solo and any(thing not in self.supports for thing in things)
            strips = set() if alone else influences.strip_values(owner)
            curves = filter(fcurves.plays, self.curves_of(owner))
            self._animated[owner] = strips | influences.values_of([*curves, *influences.active_drivers(owner)])
        return self._animated[owner]

    def left_over(self, player: Player) -> set[influences.Value]:
        """Return what other Actions move of a player, which without curves has what they left behind."""
        if player.owner not in self._left:
            self._left[player.owner] = influences.left_behind(player.owner, player.action)
        return self._left[player.owner]

    def nla_decides(self, owner: ID) -> bool:
        """Return whether the NLA makes `owner` play something else than curves."""
        found = self.of(owner)
        free = (not self.solo or owner in self.supports) and (found is None or not found.in_strips)
        return free and influences.nla_decides(owner, found.action if found is not None else None, self.shift)

    def is_at_rest(self, thing: Object) -> bool:
        """Return whether a lone Action is not the object's own, and neither drivers nor constraints let it follow."""
        found = self.of(thing)
        alone = self.solo and thing not in self.supports and (found is None or found.action is None)
        return alone and not (influences.active_constraints(thing) or influences.driven_paths(thing))

    def carries(self, player: Player) -> bool:
        """Return whether what a player plays counts: of a support what moves it, or bones if something hangs there."""
        thing = player.thing
        on_bones = is_rig(thing) and bool(self.bones_of(thing))
        ends = (data_paths.split_bone(path) for path, _ in self.animated(thing))
        moving = (influences.decides_pose(path) and (bone is None or on_bones) for bone, path in ends)
        return thing not in self.supports or any(moving)

    def bones_of(self, rig: Rig) -> list[Bone]:
        """Return the bones of an armature that count: all, or those that are `kept` and on which these hang.

        What an object is parented to counts where only bones do that deform, as it does in Blender's glTF exporter.
        """
        counting = list(rig.data.bones)
        if self.deform_only:
            carrying = {child.parent_bone for child in rig.children if child.parent_type == "BONE"}
            counting = [bone for bone in counting if bone.use_deform or bone.name in carrying]
        kept = self.kept(rig)
        if kept is None:
            return counting
        below = [bone for bone in rig.data.bones if bone.name in kept]
        found = {bone.name for tip in below for bone in (tip, *tip.parent_recursive)}
        return [bone for bone in counting if bone.name in found]

    def kept(self, rig: Rig) -> set[str] | None:
        """Return the bones that count for themselves, None where all do: of a support those on which something hangs;
        where the file is of another model these, what stands for its bones, and what has keys besides."""
        if rig not in self.supports and not (self.tied and rig == self.main):
            return None
        hung = {thing.parent_bone for thing in self.objects if thing.parent == rig and thing.parent_type == "BONE"}
        if rig in self.supports:
            return hung
        keyed = self.animated(rig) - influences.values_of(influences.active_drivers(rig))
        return hung.union(self.tied, (bone for bone, _ in (data_paths.split_bone(path) for path, _ in keyed) if bone))


# --- Who takes part -------------------------------------------------------------------------------------------------


def participants_of(
    objects: Sequence[Object],
    options: ExportOptions,
    action: Action | None = None,
    provenance: Provenance | None = None,
    *,
    meshes_hide_bones: bool = False,
) -> Participants:
    """Return all that plays when `objects` are exported, of an Action, or else what plays, and of its file if given."""
    action = action if action is not None else playing_action(objects)
    by_part = [] if action is None else _parts_of_animation(action, provenance)
    of_file = by_part if provenance is not None else []
    playing = [next(filter(actions.users_of, versions), versions[0]) for versions in of_file]
    chosen, only_data = _with_owners(objects, playing)
    main = next((thing for thing in chosen if is_rig(thing)), None)
    alone = options.actions == "ALL"
    supports = _supports(chosen, main, local=options.space == "LOCAL")
    shift = 0.0 if alone else _shift([*chosen, *supports])
    solo = action is not None and (alone or action not in _played(objects, shift))
    shift = 0.0 if solo else shift
    own = [part for versions in by_part for part in parts(versions[0], chosen)] if solo else None
    made = partial(_player, main=action, file=provenance, shift=shift, driven=not (solo or shift))
    players = [made(owner, thing, own) for thing in chosen for owner in datablocks_of(thing)]
    # an object's data and shape keys only where they have curves or drivers
    players = [one for one in players if one.curves or one.owner is one.thing or actions.animation_data(one.owner)]
    players += [made(thing, thing, None) for thing in supports]
    rigs = [thing for thing in chosen if is_rig(thing)] if meshes_hide_bones else []
    meshes = list(_hung_meshes(rigs, action if solo else None))
    things, deform_only = [*chosen, *supports], options.deform_bones_only
    return Participants(action, solo, things, only_data, main, supports, players, shift, deform_only, meshes)


def follows(thing: Object, leaders: Sequence[Object]) -> bool:
    """Return whether drivers or constraints may let an object, its data or shape keys follow one of others."""
    blocks, bones = datablocks_of(thing), thing.pose.bones if thing.pose is not None else ()
    if any(map(influences.active_drivers, blocks)) or any(map(influences.active_constraints, (thing, *bones))):
        users = bpy.data.user_map(subset={block for leader in leaders for block in datablocks_of(leader)})
        return not set[ID]().union(*users.values()).isdisjoint(blocks)
    return False


def playing_action(objects: Sequence[Object]) -> Action | None:
    """Return the Action that the first animated object plays, also by a single plain NLA strip; None without one.

    One that an import made comes first, whichever of the objects is the active one.
    """
    return min(_played(objects, _shift(objects)), key=lambda action: action.get(provenances.KEY) is None, default=None)


def _played(objects: Sequence[Object], shift: float) -> list[Action]:
    """Return the Actions that objects play, and of those that their data and shape keys play what an import made."""
    found = ((owner, influences.playing_action(owner, shift)) for thing in objects for owner in datablocks_of(thing))
    return [action for owner, action in found if action and (isinstance(owner, Object) or action.get(provenances.KEY))]


def in_strips(things: Iterable[Object]) -> list[Action]:
    """Return the Actions that objects and what belongs to them play in NLA strips, in META strips too, each once."""
    strips = (strip for thing in things for owner in datablocks_of(thing) for strip in influences.all_playing(owner))
    return list(dict.fromkeys(strip.action for strip in strips if strip.action))


def _shift(objects: Sequence[Object]) -> float:
    """Return by how many frames plain NLA strips play these objects, and what they hang on, later than their Actions; 0
    where not all are moved alike."""
    things = dict.fromkeys(above for thing in objects for above in with_parents(thing))
    shifts = []
    for owner in (owner for thing in things for owner in datablocks_of(thing)):
        data = actions.animation_data(owner)
        if data is not None and (data.action or (data.use_nla and any(influences.playing_tracks(data)))):
            strip = influences.only_strip(owner)
            shifts.append(0.0 if strip is None else float(strip.frame_start - strip.action_frame_start))
    return shifts[0] if shifts and all(influences.is_same_frame(shift, shifts[0]) for shift in shifts) else 0.0


def with_parents(thing: Object | None) -> Iterator[Object]:
    """Yield an object and those above it."""
    while thing is not None:
        yield thing
        thing = thing.parent


def siblings(action: Action, provenance: Provenance | None) -> list[Action]:
    """Return the Actions of one animation of one file, the main one first; one that was not imported alone.

    They are several only if it was imported where Actions have no slots.
    """
    return [versions[0] for versions in _parts_of_animation(action, provenance)]


def of_import(action: Action, provenance: Provenance) -> list[Action]:
    """Return what came from one import of a file: `action` with its siblings, of other animations the originals."""
    return [*siblings(action, provenance), *others_of_import(provenance)]


def others_of_import(provenance: Provenance) -> list[Action]:
    """Return the originals of other animations of the same file; what was done to a copy is no change of these."""
    found = versions_by_part(provenance)
    return [versions[0] for index, parts in found.items() if index != provenance.index for versions in parts.values()]


def _parts_of_animation(action: Action, provenance: Provenance | None) -> list[list[Action]]:
    """Return `action` alone, and each other part of its animation with copies, first the one that goes with `action`.

    Originals go together, first copies do, and so on; with a part that has no such copy its last one does.
    The main Action, with whose name those of the others begin, comes first.
    """
    found = versions_by_part(provenance).get(provenance.index, {}) if provenance and provenance.is_of_parts else {}
    parts = [found[name] for name in sorted(found, key=len)]
    own = next((versions for versions in parts if action in versions), None)
    if own is None:
        return [[action]]
    rank = own.index(action)
    return [[action] if versions is own else versions[rank:] + versions[:rank][::-1] for versions in parts]


def versions_by_part(provenance: Provenance) -> dict[int, dict[str, list[Action]]]:
    """Return what came from the same file, by index in it and by name: an original comes before its copies."""
    return imported_versions().get(provenance.text, {}) if provenance.text is not None else {}


def imported_versions() -> dict[ID, dict[int, dict[str, list[Action]]]]:
    """Return all imported Actions by their file's Text, else each by itself, by index in the file and by name.

    The name is the one that the import gave the original: each has its own, and copies remember it.
    """
    found: dict[ID, dict[int, dict[str, list[Action]]]] = {}
    for action in bpy.data.actions:
        known = provenances.find(action)
        if known is not None:
            animations = found.setdefault(known.text or action, {}).setdefault(known.index, {})
            versions = animations.setdefault(known.placement.given_name, [])
            versions.append(action)
            versions.sort(key=lambda version: version.name != known.placement.given_name)
    return found


def datablocks_of(thing: Object) -> list[ID]:
    """Return the object, its data and its shape keys: what may have curves of its own."""
    found = (thing, thing.data, getattr(thing.data, "shape_keys", None))
    return [owner for owner in found if owner is not None and hasattr(owner, "animation_data")]


def _with_owners(objects: Sequence[Object], members: Sequence[Action]) -> tuple[list[Object], list[Object]]:
    """Return the objects with the others that the file animates, and which are there for their data alone.

    The file animates them in slots of the Action, before 4.4 in Actions of their own, `members`.
    """
    things, only_data = list(dict.fromkeys(objects)), list[Object]()
    for member in members:
        for owner, slot in actions.users_of(member):
            parts = (part for thing in things for part in influences.all_assigned(thing))
            playing = ((found, own.identifier if own else "") for found, own in parts)
            thing = next((each for each in bpy.data.objects if owner in datablocks_of(each) and each.users_scene), None)
            if thing is None or (owner not in things and ((member, slot) in playing or not is_of_import(member, slot))):
                continue  # in no scene, a copy of an object, which plays what that plays, or added by a person
            if thing == owner:
                only_data = [thing for thing in only_data if thing != owner]
                things += [owner] if owner not in things else []
            elif thing not in things:
                things.append(thing)
                only_data.append(thing)
    return things, only_data


def plays_import(action: Action, things: Sequence[Object]) -> bool:
    """Return whether objects that play an Action play what its import made, not only slots that a person added."""
    owners = [owner for thing in things for owner in datablocks_of(thing)]
    parts = [part for owner in owners for part in influences.all_assigned(owner)]
    slots = [slot.identifier if slot is not None else "" for found, slot in parts if found == action]
    return not slots or any(is_of_import(action, slot) for slot in slots)


def is_of_import(action: Action, identifier: str) -> bool:
    """Return whether the slot of that identifier was made by the import that made the Action."""
    known = provenances.find(action)
    if known is None or not actions.SLOTTED:
        return True
    return known.animates(actions.slot_handle(action.slots.get(identifier)))


def _supports(objects: Sequence[Object], main: Rig | None, *, local: bool) -> list[Object]:
    """Return what objects hang on, and so on upwards; of the main armature only if that moves."""
    found: list[Object] = []
    for thing in objects:
        still = thing == main and (local or not influences.moves(thing, actions.fcurves_of))
        above = None if still else thing.parent
        while above is not None and above not in found and above not in objects:
            found.append(above)
            above = above.parent
    return found


def _player(
    owner: ID,
    thing: Object,
    alone: Sequence[Part] | None,
    *,
    main: Action | None,
    file: Provenance | None,
    shift: float,
    driven: bool,
) -> Player:
    """Return what a datablock plays: of the parts of an Action that plays alone if there are any, else by NLA strips of
    that shift; and what drivers make of curves, if that is asked for.

    Args:
        file: of the clip's `main` Action; others may belong to the same animation of it.
    """
    strip = influences.only_strip(owner, shift) if alone is None else None
    if alone is not None:
        action, slot = next(((action, slot) for found, action, slot in alone if found == owner), (None, None))
    else:
        action, slot = actions.assigned(owner) if strip is None else (strip.action, influences.slot_of(strip))
    data = actions.animation_data(owner) if strip is None and alone is None else None
    below = [] if data is None or not data.nla_tracks else strips.curves_in_strips(owner)
    bag = actions.find_bag(action, slot) if action is not None else None
    found = [] if bag is None else sorted(bag.fcurves, key=influences.address)
    moving = [] if action is None else provenances.moving(action, actions.slot_handle(slot), found, owner)
    rests = len(moving) < len(found)
    in_strips, own = bool(below), influences.values_of(filter(fcurves.plays, found)) if rests or below else set()
    resting = frozenset(own - influences.values_of(moving) if rests else ())
    below = [curve for curve in below if influences.address(curve) not in own]
    curves: list[FCurve | fcurves.StripCurve] = [*moving, *below]
    origin = file if action == main else None
    if file is not None and action not in (None, main):
        known = provenances.find(action)
        same = known is not None and known.text is not None and (known.text, known.index) == (file.text, file.index)
        origin = known if same else None
    has_drivers = driven and data is not None and len(data.drivers) > 0
    by_drivers = linear_drivers(owner, influences.values_of(curves)) if has_drivers else ()
    return Player(owner, thing, action, slot, curves, origin, strip, resting, by_drivers, in_strips)


# --- Whom an Action is made for -------------------------------------------------------------------------------------


def parts(action: Action, things: Sequence[Object]) -> list[Part]:
    """Return what of these objects `action` is made for, if it is made for any of them."""
    owners = [owner for thing in things for owner in datablocks_of(thing)]
    found: list[Part] = []
    for slot in action.slots if actions.SLOTTED else [None]:
        kind = _kind(action, slot)
        if kind in ("", "UNSPECIFIED"):  # one that never played does not know what it is for
            kind = "OBJECT"
        fitting = [owner for owner in owners if owner.id_type == kind]
        # assigned, or on an NLA track, muted or not
        known = ((owner, influences.all_assigned(owner)) for owner in fitting)
        players = [owner for owner, played in known if (action, slot) in played]
        found += [(owner, action, slot) for owner in players or _meant(action, slot, fitting, things)]
    return found


def _kind(action: Action, slot: Slot | None) -> str:
    """Return what kind of datablock a slot is for; before Blender 4.4 the Action says that itself."""
    return str(slot.target_id_type if slot is not None else action.id_root)  # type: ignore[attr-defined]


def _meant(action: Action, slot: Slot | None, fitting: Sequence[ID], cast: Sequence[Object]) -> list[ID]:
    """Return whom a slot that none of these plays is meant for, by the names in it: one of them, or nobody.

    One that plays elsewhere is for nobody: two imports of a file address the same bones.
    """
    users = slot.users() if slot is not None else bpy.data.user_map(subset={action})[action]
    playing = [owner for owner in users if (action, slot) in influences.all_assigned(owner)]
    near = ((owner, [owner] if isinstance(owner, Object) else bpy.data.objects) for owner in playing)
    if any(owner in datablocks_of(thing) and thing.users_scene for owner, things in near for thing in things):
        return []
    bag = actions.find_bag(action, slot)
    paths = [curve.data_path for curve in bag.fcurves] if bag is not None else []
    # whom it was made for, if it says so
    own = "" if slot is None or slot.name_display == actions.LEGACY_SLOT else slot.name_display
    name = str(own) or provenances.owner_name(action)
    last = [owner for owner in fitting if slot is not None and actions.played_last(owner, slot)]
    # a copied object has copies of its Actions, each with slots for all that the original plays
    acting = {owner for each in action.slots for owner in each.users()} if last else set[ID]()
    beside = {owner for thing in cast for owner in datablocks_of(thing) if not acting.isdisjoint(datablocks_of(thing))}
    named = [owner for owner in last if owner in beside] or [owner for owner in fitting if owner.name == name] or last
    bones = {path: data_paths.split_bone(path)[0] for path in paths}
    wanted = {data_paths.shape_key(path) if bone is None else bone for path, bone in bones.items()} - {None}
    if wanted:
        shares = {owner: len(wanted & _parts_of(owner)) for owner in fitting}
        able = [owner for owner in named if shares[owner]]
        best = max(able or fitting, key=lambda owner: shares[owner], default=None)
        if best is None or not shares[best]:
            return []
        if able or shares[best] == len(wanted):
            return [best]
        # skeletons of one game all have a bone of the same name at least, their root
        things = (thing for thing in bpy.data.objects if thing.users_scene)
        others = {other for thing in things for other in datablocks_of(thing) if other.id_type == best.id_type}
        return [] if any(len(wanted & _parts_of(other)) > shares[best] for other in others) else [best]
    is_of_other = _kind(action, slot) in ("", "OBJECT") and name in bpy.data.objects
    return named[:1] or ([] if is_of_other else list(fitting[:1]))


def _parts_of(owner: ID) -> set[str]:
    if isinstance(owner, Key):
        return set(owner.key_blocks.keys())
    return set(owner.pose.bones.keys()) if isinstance(owner, Object) and owner.pose is not None else set()


# --- Whether anything moves -----------------------------------------------------------------------------------------


def anything_moves(objects: Sequence[Object], *, meshes_hide_bones: bool = False) -> bool:
    """Return whether an Action, the NLA, a driver, a constraint or a parent makes one of the objects move.

    An imported Action counts even where its file had no curves.
    """
    return any(True for _ in _alive(participants_of(objects, ExportOptions(), meshes_hide_bones=meshes_hide_bones)))


def still_objects(participants: Participants) -> list[Object]:
    """Return the objects of a clip that nothing animates, without parents that are there for others only."""
    alive = {*participants.supports, *_alive(participants)}
    return [thing for thing in participants.objects if thing not in alive]


def _alive(participants: Participants) -> Iterator[Object]:
    for mesh in participants.meshes:
        if mesh.curves or any(path in visibility.SEEN for path, _ in participants.animated(mesh.thing)):
            yield mesh.rig
    for player in participants.players:
        thing, curves = player.thing, participants.curves_of(player.owner)
        moves = any(map(fcurves.plays, curves)) or bool(participants.animated(player.owner))
        moves = moves or (player.action is not None and provenances.find(player.action) is not None)
        if not moves and player.owner == thing:
            posed = thing.pose.bones if thing.pose is not None else ()
            moves = influences.moves(thing, participants.curves_of) or any(map(influences.active_constraints, posed))
        if moves:
            yield thing


# Meshes that hang on bones: in formats whose nodes are bones alone, keys that hide such a mesh hide its bone.


class HungMesh(NamedTuple):
    """A mesh that hangs on a bone.

    Attributes:
        rig: the armature object, `bone` the bone's name.
        curves: F-Curves that hide it, that of viewports before that of renders; none if it is always seen.
    """

    thing: Object
    rig: Object
    bone: str
    curves: Sequence[FCurve]


def _hung_meshes(rigs: Iterable[Rig], alone: Action | None) -> Iterator[HungMesh]:
    """Yield the meshes on bones, in the scenes of their armatures; keys of an Action that plays `alone` hide them, or
    those that play with it now."""
    for rig in rigs:
        for thing in rig.children:
            on_bone = thing.type == "MESH" and thing.parent_type == "BONE" and thing.parent_bone in rig.data.bones
            if not on_bone or set(thing.users_scene).isdisjoint(rig.users_scene):
                continue  # what was deleted may hang on in the .blend
            counts = alone is None or alone in (actions.assigned(thing)[0], actions.assigned(rig)[0])
            hiding = [
                curve
                for curve in (actions.fcurves_of(thing) if counts else ())
                if curve.data_path in visibility.SEEN and fcurves.plays(curve)
                if not visibility.is_driven(thing, curve.data_path)
            ]
            hiding.sort(key=lambda curve: visibility.SEEN.index(curve.data_path))
            yield HungMesh(thing, rig, thing.parent_bone, hiding)
