"""The nodes of a captured clip: bones and objects with the rest poses they have, under the names their files know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...io_formats.clip import Array, Clip, Node, NodeKind
from ...io_formats.errors import FormatError
from .. import armatures, messages, names, targets
from .players import Cast

_SAME_PLACE = 1e-6


@dataclass
class Naming:
    """Node name by bone, for each armature object, and by object."""

    bones: dict[str, dict[str, str]] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)


class _Unique:
    """Gives each name once; a second one gets a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wanted: str) -> str:
        """`wanted`, or that with a number behind it."""
        name, number = wanted, 1
        while name in self._taken:
            name, number = f"{wanted}.{number:03d}", number + 1
        self._taken.add(name)
        return name


def name_nodes(
    cast: Cast, things: Sequence[Any], written: Clip | None, table: Mapping[str, str] | None = None
) -> Naming:
    """Names for the bones that count and for `things`, the written clip's where they came from it.

    `table` tells bones by node where the import was given a table.

    A copied bone remembers the name of its model: who remembers a name that is not his own comes first, then those
    who simply bear it.
    """
    unique, naming = _Unique(), Naming()
    written_bones = {} if cast.main is None or written is None else _written_bones(cast.main, written, table)
    for rig in cast.rigs:
        of_bones = written_bones if rig == cast.main else {}
        wanted = {bone.name: of_bones.get(bone.name, names.node_name(bone)) for bone in cast.bones_of(rig)}
        naming.bones[rig.name] = {}
        for bone in sorted(wanted, key=lambda bone: wanted[bone] == bone):
            naming.bones[rig.name][bone] = unique.take(wanted[bone])
    for thing in things:
        naming.objects[thing.name] = unique.take(names.node_name(thing))
    return naming


def _written_bones(rig: Any, written: Clip, table: Mapping[str, str] | None) -> dict[str, str]:
    """Node by bone, as the importer matched them."""
    nodes = [node for node in written.nodes if node.kind is NodeKind.BONE]
    return {bone: node for node, bone in targets.match_bones(rig, nodes, lenient=True, table=table).items()}


def bone_nodes(rig: Any, naming: dict[str, str], carrier: str | None, written: Clip | None) -> list[Node]:
    """The bones of an armature, parents first, relative to their parents' rest.

    Args:
        naming: node by bone; others are left out.
        carrier: node of the armature object itself, parent of the bones without one; None if that does not move.
        written: its nodes stand where rest pose and parent are theirs, so that their numbers stay.
    """
    known = {node.name: node for node in written.nodes} if written is not None else {}
    rests = armatures.relative_rests(rig)
    nodes = []
    for bone in filter(lambda bone: bone.name in naming, rig.data.bones):
        node = Node(
            naming[bone.name],
            naming[bone.parent.name] if bone.parent else carrier,
            rests[bone.name],
            names.original_name(bone),
            length=float(bone.length),
            placeholder=names.is_placeholder(bone),
        )
        own = known.get(node.name)
        foreign = carrier is not None and bone.parent is None
        nodes.append(node if own is None else _as_written(node, own, written, foreign=foreign))
    return nodes


def _as_written(found: Node, own: Node, written: Clip | None, *, foreign: bool) -> Node:
    """The file's own node, where Blender's is the same within the precision it keeps.

    `foreign`: the node hangs on the armature object, which for the file is no node.
    """
    assert written is not None
    if not written.rests_known and not foreign:
        return own
    other_parent = own.parent is not None if foreign else own.parent != found.parent
    if not same_rest(own.rest, found.rest) or (written.parents_known and other_parent):
        return replace(found, original=own.original)
    return own if own.parent == found.parent else replace(own, parent=found.parent)


def same_rest(a: Array, b: Array) -> bool:
    """Whether two rest matrices are one within what Blender keeps of a short bone's rest."""
    reach = max(1.0, float(np.abs(a[:3, 3]).max()))
    difference = np.abs(a - b)
    turned, moved = difference[:3, :3].max(), difference[:3, 3].max()
    return bool(turned <= targets.SAME_REST and moved <= targets.SAME_REST * reach)


def same_root(a: Array, b: Array) -> bool:
    """Whether an object stands where the file put it, within float32."""
    return bool(np.allclose(a, b, rtol=_SAME_PLACE, atol=_SAME_PLACE))


def object_node(thing: Any, naming: Naming, root: Array, main: Any, written: Clip | None, *, keyed: bool) -> Node:
    """An object as a node whose basis is the object's own location, rotation and scale.

    Args:
        root: of the clip.
        main: the armature object that `root` is, None if there is none.
        keyed: the object has transform curves; one without is put where it stands, at rest.
    """
    name = naming.objects[thing.name]
    parent, outer = _parent_space(thing, naming, root, main)
    own = written.node(name) if written is not None else None
    holds = targets.held(thing)
    if own is not None and own.parent == parent and own.holds == holds and same_rest(own.rest, outer):
        return own
    if not keyed:
        outer = outer @ np.array(thing.matrix_basis, np.float64)
    under = _hangs_on(thing, naming, main)
    return Node(name, parent, outer, names.original_name(thing), kind=NodeKind.OBJECT, under=under, holds=holds)


def _hangs_on(thing: Any, naming: Naming, main: Any) -> str | None:
    """The node of what an object hangs on, empty for the clip's root, None for nothing that is in the clip."""
    parent = thing.parent
    if parent is None:
        return None
    if thing.parent_type == "BONE" and thing.parent_bone in naming.bones.get(parent.name, ()):
        return naming.bones[parent.name][thing.parent_bone]
    return naming.objects.get(parent.name, "" if parent == main else None)


def _parent_space(thing: Any, naming: Naming, root: Array, main: Any) -> tuple[str | None, Array]:
    """The node that an object hangs on, None for the clip's root, and where its basis begins, seen from there."""
    inverse = np.array(thing.matrix_parent_inverse, np.float64)
    parent = thing.parent
    if parent is None:
        return None, np.linalg.inv(root)
    if thing.parent_type == "BONE" and thing.parent_bone in naming.bones.get(parent.name, ()):
        return naming.bones[parent.name][thing.parent_bone], armatures.space_on_bone(thing)
    if thing.parent_type == "OBJECT" and parent.name in naming.objects:
        return naming.objects[parent.name], inverse
    if thing.parent_type == "OBJECT" and parent == main:
        return None, inverse
    return None, np.linalg.inv(root) @ outer_space(thing)


def outer_space(thing: Any) -> Array:
    """World matrix of the space in which an object's basis is told."""
    return world_of(thing) @ np.linalg.inv(np.array(thing.matrix_basis, np.float64))


def world_of(thing: Any) -> Array:
    """Where an object stands: composed where that is simple, as a hidden object's `matrix_world` may be out of date."""
    constrained = any(not constraint.mute for constraint in thing.constraints)
    if constrained or (thing.parent is not None and thing.parent_type != "OBJECT"):
        return np.array(thing.matrix_world, np.float64)
    basis = np.array(thing.matrix_basis, np.float64)
    if thing.parent is None:
        return basis
    return world_of(thing.parent) @ np.array(thing.matrix_parent_inverse, np.float64) @ basis


def refuse_endless(root: Array, carrier: str, nodes: Sequence[Node]) -> None:
    """FormatError if what carries the nodes, or a node, stands nowhere: no key could say where it is."""
    for name, matrix in ((carrier, root), *((node.name, node.rest) for node in nodes)):
        if not np.isfinite(matrix).all():
            raise FormatError(messages.CAPTURE_NO_SPACE, name=name)


def without_space(cast: Cast) -> str:
    """The first bone or object in whose space nothing can be told, as it has no inverse."""
    bones = ((name, rest) for rig in cast.rigs for name, rest in armatures.rest_matrices(rig).items())
    worlds = ((thing.name, world_of(thing)) for thing in cast.objects)
    found = (name for name, matrix in (*bones, *worlds) if not np.linalg.det(matrix))
    return next(found, ", ".join(thing.name for thing in cast.objects))


def parents_first(nodes: Sequence[Node]) -> list[Node]:
    """The nodes in an order in which no node precedes what it hangs on, otherwise as they were."""
    by_name = {node.name: node for node in nodes}
    placed: dict[str, Node] = {}

    def place(node: Node) -> None:
        if node.name in placed:
            return
        for above in (node.parent, node.under):
            if above in by_name and above is not None:
                place(by_name[above])
        placed[node.name] = node

    for node in nodes:
        place(node)
    return list(placed.values())
