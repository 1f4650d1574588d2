"""The ledger of an export: each number that a curve, a driver or an NLA strip animates, and each parent that moves.

Every one ends in exactly one place: written from curves, written from samples, or named in a warning as having none.
What is counted is found by a look at the datablocks alone, so that nothing is missing because a step passed it over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from bpy.types import ID, Collection, FollowPathConstraint, Key, NodeTree, Object

from ...io_formats.clip import ROTATION, grouped
from ...io_formats.clip.measure import absent as absent_from
from ...io_formats.errors import Report, first_names
from .. import messages, undo, visibility
from ..data_paths import custom_key, split_bone, turn_of
from ..types import Holder
from . import influences
from .driven import is_muted
from .nodes import TURNS
from .players import datablocks_of

if TYPE_CHECKING:
    from ...io_formats.clip import Node
    from .keys import Keyed
    from .plan import Plan
    from .timing import Capture

_HELD = "rigid_body.kinematic"
"""Keys move a rigid body while this is on."""

_Cause = tuple[str, str]
"""Template of a sentence, empty where a value's own path decides on it; and the name of what it is about."""


class Place(Enum):
    """Where something that animates ends; what moves nothing that is seen, or not as asked, counts for nothing."""

    CURVES = "written from curves"
    SAMPLES = "written from samples"
    NONE = "without a place"
    IDLE = "moves nothing"


class Ledger(NamedTuple):
    """The sum.

    Attributes:
        written: how many values and parents there are for each place and node; of what is no node, for an empty name.
        lost: how many have no place in the file, by cause.
        nodes: as they hang on each other in the scene: samples may be told of without what they hang on.
        animated: all that was counted of each datablock, in order.
        unplayed: a name for each rotation that plays nothing, as the rotation mode of its bone or object is another.
    """

    written: Counter[tuple[Place, str]]
    lost: Counter[_Cause]
    nodes: Sequence[Node]
    animated: Mapping[ID, Sequence[influences.Value]]
    unplayed: Sequence[str]

    def warn(self, report: Report) -> None:
        """Warn once for each template, what is lost most first, with the names of what it belongs to."""
        if self.unplayed:
            found = first_names(list(dict.fromkeys(self.unplayed)))
            report.note(messages.LEFT_OUT_TURNS, values=len(self.unplayed), names=found)
        names = grouped(self.lost)
        values = Counter({template: sum(self.lost[template, name] for name in own) for template, own in names.items()})
        for template, count in values.most_common():
            report.warn(template, values=count, names=first_names(list(dict.fromkeys(names[template]))))

    def close(self, report: Report, left_out: AbstractSet[str]) -> None:
        """Note the sum; nodes that the file left out, which it has named itself, are `left_out`.

        What moves one of those on which others hang ends where they do.
        """
        absent = absent_from(self.nodes, {node.name for node in self.nodes} - left_out)
        sums = Counter({Place.NONE: self.lost.total()})
        for (place, node), count in self.written.items():
            sums[Place.NONE if node in absent else place] += count
        curves, samples, lost = (sums[place] for place in (Place.CURVES, Place.SAMPLES, Place.NONE))
        report.note(messages.LEDGER, total=curves + samples + lost, curves=curves, samples=samples, lost=lost)


def ledger_of(capture: Capture, plan: Plan, keyed: Keyed) -> Ledger:
    """Return where everything ends that animates the chosen objects and what belongs to them."""
    blocks = _blocks(capture)
    places = _Places(capture, plan, keyed, _read(capture, blocks))
    animated = {owner: sorted(capture.participants.animated(owner)) for owner in blocks}
    meshes = [mesh.thing for mesh in capture.participants.meshes]
    unplayed: list[str] = []
    ledger = Ledger(Counter(), Counter(), plan.node_map.nodes, animated, unplayed)
    for owner, (template, name) in blocks.items():
        for path, _ in animated[owner]:
            found = places.of_value(owner, path)
            if found is Place.NONE:
                cause = messages.LEFT_OUT_HIDING if owner in meshes and path in visibility.SEEN else template
                ledger.lost[(cause, name) if cause else _of_path(owner, path, name)] += 1
            elif found is Place.IDLE:
                unplayed += places.unplayed(owner, path)
            else:
                ledger.written[found, places.node_of(owner, path)] += 1
    # what the imported file turns and no curves do: a person seldom knows that they play no more
    turned = {track.node for track in keyed.tracks if track.property == ROTATION and len(track.times) > 1}
    tracks = () if capture.written is None else capture.written.tracks
    missed = {track.node for track in tracks if track.property == ROTATION} - turned
    ledger.lost.update((messages.LEFT_OUT_TURNS, node) for node in sorted(unplayed) if node in missed)
    unplayed[:] = [node for node in unplayed if node not in missed]
    for thing in capture.participants.supports:
        if influences.moves_itself(thing, capture.participants.curves_of):
            found = places.of_parent(thing)
            if found is Place.NONE:
                ledger.lost[messages.LEFT_OUT_PARENTS, thing.name] += 1
            else:
                ledger.written[found, places.node_of(thing)] += 1
    for thing in filter(partial(_is_simulated, capture), capture.participants.objects):
        ledger.lost[messages.LEFT_OUT_SIMULATION, thing.name] += 1
    return ledger


def _read(capture: Capture, blocks: Iterable[ID]) -> set[tuple[ID, str]]:
    """Return what drivers read, and how far along their paths what follows them is."""
    drivers = (curve.driver for owner in blocks for curve in influences.active_drivers(owner))
    targets = (target for driver in drivers for variable in driver.variables for target in variable.targets)
    found = {(target.id, target.data_path) for target in targets if target.id is not None}
    found |= {(path, "eval_time") for path in map(influences.path_of, capture.participants.objects) if path is not None}
    placed: list[Holder] = [*capture.participants.objects]
    placed += [bone for rig in capture.participants.rigs for bone in rig.pose.bones]
    for constraint in chain.from_iterable(map(influences.active_constraints, placed)):
        if isinstance(constraint, FollowPathConstraint) and constraint.target is not None:
            found.add((constraint.target.data, "eval_time"))
    return found


def _is_simulated(capture: Capture, thing: Object) -> bool:
    """Return whether a rigid body moves an object, which it does only while frames are shown one after the other."""
    world, body = capture.context.scene.rigidbody_world, thing.rigid_body
    if world is None or not world.enabled or body is None or body.type != "ACTIVE" or not body.enabled:
        return False
    return not body.kinematic or any(path == _HELD for path, _ in capture.participants.animated(thing))


# --- Places ---------------------------------------------------------------------------------------------------------


class _Places(NamedTuple):
    """Where each ends; `read` is what drivers read: what that does, they do."""

    capture: Capture
    plan: Plan
    keyed: Keyed
    read: set[tuple[ID, str]]

    def of_value(self, owner: ID, path: str) -> Place:
        """Return where something ends that animates a path of a datablock."""
        participants, posed, (bone, end) = self.capture.participants, self.plan.posed, split_bone(path)
        shown = owner in self.plan.objects if bone is None else bone in posed.get(owner.name, ())
        if (owner, path.replace("].mute", "].value")) in self.plan.read or (shown and influences.decides_pose(end)):
            return Place.SAMPLES
        written = self.keyed.places.get((owner, path))
        if written is not None:
            return Place.CURVES if written else Place.IDLE
        if (owner, path) in self.read:
            return Place.SAMPLES
        if end == "rotation_mode":  # which stays, else what turns is sampled
            return Place.IDLE
        if not isinstance(owner, Object):
            return Place.IDLE if is_muted(owner, path) else Place.NONE
        nodes = self.plan.node_map.naming.bones.get(owner.name)
        if bone is not None and nodes is not None and bone in owner.pose.bones and bone not in nodes:
            # it is not written and counts for what it moves alone
            return Place.SAMPLES if posed[owner.name] and influences.decides_pose(end) else Place.IDLE
        stays = self.plan.node_map.is_root(owner) or participants.is_at_rest(owner)
        return Place.IDLE if stays and influences.decides_pose(path) else Place.NONE

    def node_of(self, owner: ID, path: str = "") -> str:
        """Return the node of the bone or object that a path leads to; empty for what is no node, such as data."""
        naming, (bone, _) = self.plan.node_map.naming, split_bone(path)
        nodes = naming.objects if bone is None else naming.bones.get(owner.name, {})
        return nodes.get(bone or owner.name, "") if isinstance(owner, Object) else ""

    def unplayed(self, owner: ID, path: str) -> Iterator[str]:
        """Yield the node of a bone or object that a path leads to if it is a rotation of another mode than that has."""
        bone, end = split_bone(path)
        node = self.node_of(owner, path) if end in (ROTATION, *TURNS) else ""
        if node and isinstance(owner, Object) and end != turn_of(owner.pose.bones[bone] if bone else owner):
            yield node

    def of_parent(self, thing: Object) -> Place:
        """Return where the motion of something ends on which others hang."""
        read = thing in self.plan.objects or any(owner == thing for owner, _ in self.plan.read)
        if read or self.plan.posed.get(thing.name):
            return Place.SAMPLES
        written = any(owner == thing for (owner, _), written in self.keyed.places.items() if written)
        return Place.CURVES if written else Place.NONE


# --- What is counted ------------------------------------------------------------------------------------------------


def _blocks(capture: Capture) -> dict[ID, _Cause]:
    """Return all datablocks that the objects of an export use, each once, with the cause for what has no place."""
    participants, blocks = capture.participants, dict[ID, _Cause]()
    chosen = [thing for thing in participants.objects if thing not in participants.supports]
    for thing in chosen:
        named = ((owner, thing if isinstance(owner, Key) else owner) for owner in datablocks_of(thing))
        blocks.update((owner, ("", block.name)) for owner, block in named)
    for thing in (*(mesh.thing for mesh in participants.meshes), *capture.beside):
        for owner in datablocks_of(thing):
            blocks.setdefault(owner, (messages.LEFT_OUT_OBJECTS, thing.name))
    for thing in [*chosen, *capture.beside]:
        if thing.instance_type == "COLLECTION":
            _add_instanced(thing.instance_collection, thing.name, blocks)
        _add_used(thing, thing.name, blocks)
    world = capture.context.scene.world
    if world is not None:
        blocks.setdefault(world, ("", world.name))
        _add_used(world, world.name, blocks)
    return blocks


def _of_path(owner: ID, path: str, name: str) -> _Cause:
    bone, rest = split_bone(path)
    if rest.startswith("constraints["):
        return messages.LEFT_OUT_CONSTRAINTS, bone or name
    template = messages.LEFT_OUT_OTHER if undo.leads_somewhere(owner, path) else messages.LEFT_OUT_NOWHERE
    return template, f"{bone or name} {custom_key(rest) or rest}"


def _add_instanced(collection: Collection | None, name: str, blocks: dict[ID, _Cause]) -> None:
    """Add what an instance of a collection shows, instances in it, too: no file holds what moves inside of it."""
    for thing in collection.all_objects if collection is not None else ():
        if thing in blocks:
            continue
        for owner in datablocks_of(thing):
            blocks.setdefault(owner, (messages.LEFT_OUT_INSTANCES, name))
        if thing.instance_type == "COLLECTION":
            _add_instanced(thing.instance_collection, name, blocks)


def _add_used(user: ID, name: str, blocks: dict[ID, _Cause]) -> None:
    """Add materials, particles and trees of nodes that a datablock uses, and what these use; no format knows them.

    A tree that is no group has no name but its owner's.
    """
    used: list[ID | None] = [getattr(user, "node_tree", None)]
    if isinstance(user, Object):
        used += [slot.material for slot in user.material_slots]
        used += [getattr(modifier, "node_group", None) for modifier in user.modifiers]
        used += [*(system.settings for system in user.particle_systems), getattr(user.data, "node_tree", None)]
    elif isinstance(user, NodeTree):
        used += [getattr(node, "node_tree", None) for node in user.nodes]
    for block in used:
        if block is not None and block not in blocks:
            blocks[block] = "", name if block.is_embedded_data else block.name
            _add_used(block, blocks[block][1], blocks)
