"""The nodes of a captured clip: bones and objects with the rest poses they have, under the names their files know.

One armature may stand for the clip's root, which carries the nodes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from bpy.types import Object, bpy_struct

from ...io_formats.clip import TRANSFORMS, Array, Clip, Node, NodeKind, TrackKind, pose
from ...io_formats.errors import Entry, FormatError
from .. import armatures, data_paths, fcurves, messages, names, targets
from ..types import Named, Rig
from . import influences

if TYPE_CHECKING:
    from .players import Participants
    from .timing import Capture

TURNS = ("rotation_euler", "rotation_axis_angle")
OWN_TRANSFORMS = (*TRANSFORMS, *TURNS)
"""Properties of an object or bone that a clip tells as location, rotation and scale."""

_SAME_POSITION = 1e-6
_SHORT, _FINEST_TURN = 1e-9, 1e-6
"""A lever that is none, and radians below which float32 has no turns."""


@dataclass(frozen=True)
class Naming:
    """Node name by bone, for each armature object, and by object.

    Attributes:
        of_file: by object of which of the file's nodes it has something, be it a bone's shape keys.
    """

    bones: dict[str, dict[str, str]] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    of_file: dict[str, str] = field(default_factory=dict)

    def nodes_of(self, thing: Object) -> set[str]:
        """Return the nodes that an object and its bones are."""
        own = self.objects.get(thing.name)
        return {*self.bones.get(thing.name, {}).values(), *([] if own is None else [own])}


@dataclass(frozen=True)
class NodeMap:
    """The nodes of a capture, and what carries them.

    Attributes:
        root_rig: the first armature where it stands for the clip's root, None where it is a node itself.
        things: the objects that are nodes.
        root: world matrix (4, 4) of what carries the nodes.
        nodes: parents first.
        reasons: why the clip is not the file's.
    """

    root_rig: Object | None
    things: list[Object]
    naming: Naming
    root: Array
    nodes: list[Node]
    reasons: list[Entry]

    def is_root(self, thing: bpy_struct | None) -> bool:
        """Return whether this is the armature that stands for the clip's root."""
        return self.root_rig is not None and bool(thing == self.root_rig)

    def carrier_of(self, rig: Object) -> str | None:
        """Return the node that carries an armature's bones, None for the clip's root."""
        return None if self.is_root(rig) else self.naming.objects.get(rig.name)

    def node_of(self, thing: Object) -> Node:
        """Return the node of an object."""
        return next(node for node in self.nodes if node.name == self.naming.objects[thing.name])

    @cached_property
    def levers(self) -> dict[str, float]:
        """How far from each node, by its name, what it moves rests at most, in the world: others, and its own end."""
        worlds: dict[str | None, Array] = {None: self.root}
        parents = {node.name: node.parent for node in self.nodes}
        found = {}
        for node in self.nodes:
            worlds[node.name] = worlds[node.parent] @ node.rest
            found[node.name] = float(np.linalg.norm(worlds[node.name][:3, 1])) * (node.length or 0.0)
            above = node.parent
            while above is not None:
                apart = float(np.linalg.norm((worlds[node.name] - worlds[above])[:3, 3]))
                found[above], above = max(found[above], apart), parents[above]
        return found

    def turn_within(self, name: str, tolerance: float, swing: float, least: float = 0.0) -> float:
        """Return a tolerance of turns, in radians, by which what hangs on a node, `least` away, moves `swing`."""
        return min(tolerance, max(swing / max(self.levers[name], least, _SHORT), _FINEST_TURN))

    def in_world(self, node: Node) -> Node:
        """Return a node as one that hangs on nothing and rests at the world's origin."""
        return replace(node, parent=None, rest=np.linalg.inv(self.root))

    def with_nodes(self, others: Iterable[Node]) -> NodeMap:
        """Return the map with other nodes in the place of those of their names."""
        named = {node.name: node for node in others}
        return replace(self, nodes=[named.get(node.name, node) for node in self.nodes])


def node_map_of(capture: Capture) -> NodeMap:
    """Return which bones and objects are nodes, with their rest poses in Blender, or the file's where they agree."""
    main, participants = capture.participants.main, capture.participants
    given = [thing.name for thing in participants.objects]
    if len(set(given)) < len(given):  # linked, as names tell apart what is in one file alone
        raise FormatError(messages.CAPTURE_ONE_NAME, name=max(given, key=given.count))
    known = _of_file(capture)
    of_file = moves = False
    if main is not None and capture.options.space != "LOCAL":
        # one of the file's own nodes, and none of its bones, or a root that plays too
        playing = participants.curves_of(main) if main.name in known.objects else ()
        of_file = any(curve.data_path in OWN_TRANSFORMS for curve in playing)
        moves = not of_file and ("" in capture.sampled or influences.moves(main, participants.curves_of))
    root_rig = None if of_file or moves else main
    things = _things(capture, root_rig, known)
    naming = name_nodes(participants, things, known)
    if participants.deform_only and not any(naming.bones.values()) and any(rig.data.bones for rig in participants.rigs):
        raise FormatError(messages.CAPTURE_NO_DEFORM, name=", ".join(rig.name for rig in participants.rigs))
    root, is_own = _root(capture, root_rig)
    # what the file's own objects carry along plays there as it does in the file
    told = moves and ("" in capture.sampled or influences.moves(main, participants.curves_of, known.objects))
    reasons = [Entry(messages.CAPTURE_OBJECT_MOVES, {"name": main.name})] if told else []
    if capture.written is not None and not is_own:
        reasons.append(Entry(messages.CAPTURE_TRANSFORM, {"name": main.name}))
    node_map = NodeMap(root_rig, things, naming, root, [], reasons)
    nodes = [_object_node(capture, node_map, thing) for thing in things if thing.parent_type != "BONE"]
    for rig in participants.rigs:
        nodes += bone_nodes(rig, naming.bones[rig.name], node_map.carrier_of(rig), capture.written)
    nodes += [_object_node(capture, node_map, thing) for thing in things if thing.parent_type == "BONE"]
    return replace(node_map, nodes=pose.in_model_order(nodes))


def _of_file(capture: Capture) -> Naming:
    found = Naming()
    if capture.written is None:
        return found
    ties = capture.provenance.ties if capture.provenance is not None else {}
    nodes = {node.name: node for node in capture.written.nodes}
    if capture.participants.main is not None:
        own = [node for node in nodes.values() if node.kind is NodeKind.BONE]
        bones = targets.bones_of_import(capture.participants.main, own, ties)
        found.bones[capture.participants.main.name] = {bone: node for node, bone in bones.items()}
        nodes = {name: node for name, node in nodes.items() if name not in bones}
    objects = targets.objects_of_import(capture.participants.objects, list(nodes.values()), ties)
    found.objects.update({thing.name: node for node, thing in objects.items()})
    tied = names.by_tie(capture.participants.objects)
    found.of_file.update({thing.name: name for name, thing in tied.items() if capture.written.node(name) is not None})
    found.of_file.update(found.objects)
    return found


def _things(capture: Capture, root_rig: Object | None, known: Naming) -> list[Object]:
    """Return the objects that are nodes: all, but the armature that is the clip's root and has no curves of its own,
    and what is there for the data alone that a bone's node has in the file."""
    main, participants = capture.participants.main, capture.participants
    left_out = [main, *(thing for thing in participants.only_data if thing.name not in known.objects)]
    things = [thing for thing in participants.objects if thing not in left_out]
    if main is None:
        return things
    paths = (path for path, _ in participants.animated(main) if data_paths.split_bone(path)[0] is None)
    others = (path for path in paths if not influences.decides_pose(path))
    kinds = ((TrackKind.RNA if data_paths.custom_key(path) is None else TrackKind.CUSTOM, path) for path in others)
    has_own = any(capture.holds(NodeKind.OBJECT, *found) for found in kinds)
    return [main, *things] if root_rig is None or has_own else things


def _root(capture: Capture, root_rig: Object | None) -> tuple[Array, bool]:
    """Return the world matrix (4, 4) of what carries the nodes, and whether it is the file's own or nobody's."""
    own = capture.written.root if capture.written is not None else np.eye(4)
    if root_rig is None or capture.options.space == "LOCAL":
        return own, True
    now, player = world_of(root_rig), capture.participants.of(root_rig)
    is_intact = player is not None and player.is_intact
    # by bones that rest otherwise an armature plays a file's motion from where it stands
    is_other = player is not None and player.origin is not None and player.origin.placement.rebased
    known = capture.written is not None and capture.written.parents_known and capture.written.recorded is None
    is_own = is_intact and not capture.foreign and not (is_other and known)
    if is_own or np.allclose(now, own, rtol=_SAME_POSITION, atol=_SAME_POSITION):
        return own, True
    return now, is_intact


def name_nodes(participants: Participants, things: Sequence[Object], known: Naming) -> Naming:
    """Return names for the bones that count and for `things`: those of `known`, else those that they were made for.

    Of copies, which remember the same node, one has its name.
    """
    unique, naming = names.UniqueNames(limit=sys.maxsize), Naming(of_file=known.of_file)
    for rig in participants.rigs:
        own = known.bones.get(rig.name, {})
        naming.bones[rig.name] = _named(participants.bones_of(rig), rig.data.bones, own, unique)
    naming.objects.update(_named(things, participants.objects, known.objects, unique))
    return naming


def own_names(participants: Participants, node_map: NodeMap) -> dict[str, str]:
    """Return by node what it would be called if its file were not known."""
    alone, naming = name_nodes(participants, node_map.things, Naming()), node_map.naming
    found = {node: alone.objects[thing] for thing, node in naming.objects.items()}
    for rig, nodes in naming.bones.items():
        found.update({node: alone.bones[rig][bone] for bone, node in nodes.items()})
    return found


def called(participants: Participants, naming: Naming) -> dict[str, str]:
    """Return by node what its bone or object is called now, where that had the node's name when it was tied."""
    things = ((thing, naming.objects.get(thing.name)) for thing in participants.objects)
    bones = ((bone, naming.bones[rig.name].get(bone.name)) for rig in participants.rigs for bone in rig.data.bones)
    tied = [(node, str(thing.name)) for thing, node in things if node == names.tie_of(thing)]
    tied += [(node, str(bone.name)) for bone, node in bones if node == names.tie_of(bone)]
    return {node: name for node, name in tied if name != node}


def _named(
    holders: Iterable[Named], siblings: Iterable[Named], known: Mapping[str, str], unique: names.UniqueNames
) -> dict[str, str]:
    """Return a name for each bone or object, by its own; nodes of the file, or that one was made for, come first."""
    tied = {holder.name: node for node, holder in names.known_by(names.NODE_KEY, siblings).items()} | dict(known)
    wanted = {holder.name: tied.get(holder.name, holder.name) for holder in holders}
    return {name: unique.take(wanted[name], wanted[name]) for name in sorted(wanted, key=lambda name: name not in tied)}


def bone_nodes(rig: Rig, naming: dict[str, str], carrier: str | None, written: Clip | None) -> list[Node]:
    """Return the bones of an armature as nodes relative to their parents' rest, last those that got another parent.

    Args:
        naming: node by bone; others are left out, and passed over as parents.
        carrier: node of the armature object itself, parent of the bones without one; None if that does not move.
        written: its nodes stand where rest pose and parent are theirs, so that their numbers stay.
    """
    known = {node.name: node for node in written.nodes} if written is not None else {}
    rests = armatures.relative_rests(rig, naming)
    nodes = []
    bones = [(bone, armatures.parent_among(bone, naming)) for bone in rig.data.bones if bone.name in naming]
    for bone, above in sorted(bones, key=lambda found: found[0].parent != found[1]):
        node = Node(
            naming[bone.name],
            carrier if above is None else naming[above.name],
            rests[bone.name],
            _original(bone, naming[bone.name]),
            length=float(bone.length),
            placeholder=names.is_placeholder(bone),
            turn=armatures.turn_of(bone),
        )
        own = known.get(node.name)
        foreign = carrier is not None and above is None  # it hangs on the armature, which is no node of the file
        if own is None:
            nodes.append(node)
        elif not written.rests_known and not foreign:
            nodes.append(own)
        elif not targets.same_rest(own.rest, node.rest) or (
            written.parents_known and own.parent != (None if foreign else node.parent)
        ):
            nodes.append(replace(node, original=own.original))
        else:
            nodes.append(own if own.parent == node.parent else replace(own, parent=node.parent))
    return nodes


def _original(holder: Named, node: str) -> str:
    """Return the file's own name of what is the node `node`: a copy, which is none of the file's, has its own."""
    return names.original_name(holder) if names.node_name(holder) == node else holder.name


def _object_node(capture: Capture, node_map: NodeMap, thing: Object) -> Node:
    """Return an object as a node whose basis is its own transform; without curves it is at rest where it stands."""
    naming, written, root = node_map.naming, capture.written, node_map.root
    name, holds, above = naming.objects[thing.name], targets.held(thing), thing.parent
    # the node it hangs on, None for the clip's root; the one it is parented to, empty for that, None for nothing of the
    # clip; and where its basis begins in the first, which needs no inverse of the root for what hangs on nodes
    parent: str | None = None
    under: str | None = None
    if above is None:
        outer = np.linalg.inv(root)
    elif thing.parent_type == "BONE" and thing.parent_bone in naming.bones.get(above.name, ()):
        parent = under = naming.bones[above.name][thing.parent_bone]
        outer = armatures.space_on_bone(thing)
    else:
        under = naming.objects.get(above.name, "" if above == capture.participants.main else None)
        if thing.parent_type == "OBJECT" and under is not None:
            parent, outer = under or None, np.array(thing.matrix_parent_inverse, np.float64)
        else:
            outer = world_of(thing) @ np.linalg.inv(np.array(thing.matrix_basis, np.float64))
            outer = np.linalg.inv(root) @ outer
    own = written.node(name) if written is not None else None
    if own is not None and own.parent == parent and own.holds == holds and targets.same_rest(own.rest, outer):
        return own
    if not move_object(capture.participants.curves_of(thing)):
        outer = outer @ np.array(thing.matrix_basis, np.float64)
    return Node(name, parent, outer, _original(thing, name), kind=NodeKind.OBJECT, under=under, holds=holds)


def move_object(curves: Iterable[fcurves.PlayedCurve]) -> bool:
    """Return whether some of an object's curves move it, which else stands where it does."""
    return any(curve.data_path in OWN_TRANSFORMS for curve in filter(fcurves.plays, curves))


def world_of(thing: Object) -> Array:
    """Return where an object stands (4, 4).

    It is composed where that is simple, as a hidden object's `matrix_world` may be out of date.
    """
    constrained = any(not constraint.mute for constraint in thing.constraints)
    if constrained or (thing.parent is not None and thing.parent_type != "OBJECT"):
        return np.array(thing.matrix_world, np.float64)
    basis = np.array(thing.matrix_basis, np.float64)
    if thing.parent is None:
        return basis
    return world_of(thing.parent) @ np.array(thing.matrix_parent_inverse, np.float64) @ basis


def without_space(participants: Participants) -> str:
    """Return the first bone or object in whose space nothing can be told, as it has no inverse."""
    bones = ((name, rest) for rig in participants.rigs for name, rest in armatures.rest_matrices(rig).items())
    worlds = ((thing.name, world_of(thing)) for thing in participants.objects)
    found = (name for name, matrix in (*bones, *worlds) if not np.linalg.det(matrix))
    return next(found, ", ".join(thing.name for thing in participants.objects))
