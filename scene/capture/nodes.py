"""The nodes of a captured clip: bones and objects with the rest poses they have, under the names their files know.

One armature may stand for the clip's root, which carries the nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from bpy.types import Object, bpy_struct

from ...io_formats.clip import TRANSFORMS, Array, Clip, Node, NodeKind, TrackKind
from ...io_formats.errors import Entry, FormatError
from .. import armatures, messages, names, targets
from ..data_paths import custom_key, split_bone
from ..types import Rig
from . import influences
from .players import Cast
from .scope import Scope

TURNS = ("rotation_euler", "rotation_axis_angle")
OWN_TRANSFORMS = (*TRANSFORMS, *TURNS)
"""Properties of an object or bone that a clip tells as location, rotation and scale."""

_SAME_POSITION = 1e-6


@dataclass(frozen=True)
class Naming:
    """Node name by bone, for each armature object, and by object."""

    bones: dict[str, dict[str, str]] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """The nodes of a capture, and what carries them.

    Attributes:
        root_rig: the first armature where it stands for the clip's root, None where it is a node itself.
        things: the objects that are nodes.
        naming: node by bone and object.
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

    def in_world(self, node: Node) -> Node:
        """Return a node as one that hangs on nothing and rests at the world's origin."""
        return replace(node, parent=None, rest=np.linalg.inv(self.root))

    def with_nodes(self, others: Mapping[str, Node]) -> Stage:
        """Return the stage with other nodes in the place of those of their names."""
        return replace(self, nodes=[others.get(node.name, node) for node in self.nodes])


def stage_of(scope: Scope) -> Stage:
    """Return which bones and objects are nodes, with their rest poses in Blender, or the file's where they agree."""
    main, cast, table = scope.main, scope.cast, scope.provenance.bones if scope.provenance is not None else None
    of_file = main is not None and _is_file_node(scope, main)
    moves = main is not None and not of_file and _moves(scope, main)
    root_rig = None if of_file or moves else main
    things = _things(scope, root_rig)
    naming = name_nodes(cast, things, scope.written, table)
    root, is_own = _root(scope, root_rig)
    reasons = [Entry(messages.CAPTURE_OBJECT_MOVES, {"name": main.name})] if moves else []
    if scope.written is not None and not is_own:
        reasons.append(Entry(messages.CAPTURE_TRANSFORM, {"name": main.name}))
    stage = Stage(root_rig, things, naming, root, [], reasons)
    nodes = [_node_of_object(scope, stage, thing) for thing in things]
    for rig in cast.rigs:
        nodes += bone_nodes(rig, naming.bones[rig.name], stage.carrier_of(rig), scope.written)
    return replace(stage, nodes=parents_first(nodes))


def _is_file_node(scope: Scope, rig: Rig) -> bool:
    """Return whether the file itself moves the armature object, as one of its nodes and none of the bones."""
    name = names.node_name(rig)
    if scope.written is None or scope.written.node(name) is None or scope.options.space == "LOCAL":
        return False
    is_bone_too = any(name in (bone.name, names.node_name(bone)) for bone in rig.data.bones)
    return not is_bone_too and any(path in OWN_TRANSFORMS for path in scope.cast.own_paths(rig))


def _moves(scope: Scope, thing: Object) -> bool:
    return scope.options.space != "LOCAL" and ("" in scope.sampled or influences.moves(thing, scope.cast.curves_of))


def _things(scope: Scope, root_rig: Object | None) -> list[Object]:
    """Return the objects that are nodes: all, but the armature that is the clip's root and has no curves of its own."""
    main, cast = scope.main, scope.cast
    left_out = [*cast.only_data, main]
    things = [thing for thing in cast.objects if thing not in left_out]
    if main is None:
        return things
    paths = [
        path for path, _ in cast.animated(main) if split_bone(path)[0] is None and not influences.decides_pose(path)
    ]
    kinds = ((TrackKind.RNA if custom_key(path) is None else TrackKind.CUSTOM, path) for path in paths)
    has_own = any(scope.holds(NodeKind.OBJECT, *found) for found in kinds)
    return [main, *things] if root_rig is None or has_own else things


def _root(scope: Scope, root_rig: Object | None) -> tuple[Array, bool]:
    """Return the world matrix (4, 4) of what carries the nodes, and whether it is the file's own or nobody's."""
    own = scope.written.root if scope.written is not None else np.eye(4)
    if root_rig is None or scope.options.space == "LOCAL":
        return own, True
    now, player = world_of(root_rig), scope.cast.of(root_rig)
    if same_root(now, own) or (player is not None and player.is_intact):
        return own, True
    return now, False


def _node_of_object(scope: Scope, stage: Stage, thing: Object) -> Node:
    keyed = any(path in OWN_TRANSFORMS for path in scope.cast.own_paths(thing))
    return object_node(thing, stage.naming, stage.root, scope.main, scope.written, keyed=keyed)


class _Unique:
    """Gives each name once; a second one gets a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wanted: str) -> str:
        """Return `wanted`, or that with a number behind it."""
        name, number = wanted, 1
        while name in self._taken:
            name, number = f"{wanted}.{number:03d}", number + 1
        self._taken.add(name)
        return name


def name_nodes(
    cast: Cast, things: Sequence[Object], written: Clip | None, table: Mapping[str, str] | None = None
) -> Naming:
    """Return names for the bones that count and for `things`, the written clip's where they came from it.

    Duplicated bones carry the original's stored name; bones whose stored name differs from their own claim it first.

    Args:
        table: bone by node, where the import was given a table of names.
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


def _written_bones(rig: Rig, written: Clip, table: Mapping[str, str] | None) -> dict[str, str]:
    """Return the node by bone, as the importer matched them."""
    nodes = [node for node in written.nodes if node.kind is NodeKind.BONE]
    return {bone: node for node, bone in targets.match_bones(rig, nodes, lenient=True, table=table).items()}


def bone_nodes(rig: Rig, naming: dict[str, str], carrier: str | None, written: Clip | None) -> list[Node]:
    """Return the bones of an armature as nodes, parents first, relative to their parents' rest.

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
    """Return the file's own node, where Blender's is the same within the precision it keeps.

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
    """Return whether two rest matrices (4, 4) are one within what Blender keeps of a short bone's rest."""
    reach = max(1.0, float(np.abs(a[:3, 3]).max()))
    difference = np.abs(a - b)
    turned, moved = difference[:3, :3].max(), difference[:3, 3].max()
    return bool(turned <= targets.SAME_REST and moved <= targets.SAME_REST * reach)


def same_root(a: Array, b: Array) -> bool:
    """Return whether an object's matrices (4, 4) are the same, within float32."""
    return bool(np.allclose(a, b, rtol=_SAME_POSITION, atol=_SAME_POSITION))


def object_node(
    thing: Object, naming: Naming, root: Array, main: Object | None, written: Clip | None, *, keyed: bool
) -> Node:
    """Return an object as a node whose basis is the object's own location, rotation and scale.

    Args:
        root: (4, 4) of the clip.
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


def _hangs_on(thing: Object, naming: Naming, main: Object | None) -> str | None:
    """Return the node of what an object hangs on, empty for the clip's root, None for nothing that is in the clip."""
    parent = thing.parent
    if parent is None:
        return None
    if thing.parent_type == "BONE" and thing.parent_bone in naming.bones.get(parent.name, ()):
        return naming.bones[parent.name][thing.parent_bone]
    return naming.objects.get(parent.name, "" if parent == main else None)


def _parent_space(thing: Object, naming: Naming, root: Array, main: Object | None) -> tuple[str | None, Array]:
    """Return the node that an object hangs on, None for the clip's root, and where its basis begins in that."""
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


def outer_space(thing: Object) -> Array:
    """Return the world matrix (4, 4) of the space in which an object's basis is told."""
    return world_of(thing) @ np.linalg.inv(np.array(thing.matrix_basis, np.float64))


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


def refuse_endless(stage: Stage) -> None:
    """Raise FormatError if what carries the nodes, or a node, stands nowhere: no key could say where it is."""
    carrier = stage.root_rig.name if stage.root_rig is not None else ""
    for name, matrix in ((carrier, stage.root), *((node.name, node.rest) for node in stage.nodes)):
        if not np.isfinite(matrix).all():
            raise FormatError(messages.CAPTURE_NO_SPACE, name=name)


def without_space(cast: Cast) -> str:
    """Return the first bone or object in whose space nothing can be told, as it has no inverse."""
    bones = ((name, rest) for rig in cast.rigs for name, rest in armatures.rest_matrices(rig).items())
    worlds = ((thing.name, world_of(thing)) for thing in cast.objects)
    found = (name for name, matrix in (*bones, *worlds) if not np.linalg.det(matrix))
    return next(found, ", ".join(thing.name for thing in cast.objects))


def parents_first(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes in an order in which no node precedes what it hangs on, otherwise as they were."""
    by_name = {node.name: node for node in nodes}
    ordered: dict[str, Node] = {}

    def add(node: Node) -> None:
        if node.name in ordered:
            return
        for above in (node.parent, node.under):
            if above in by_name and above is not None:
                add(by_name[above])
        ordered[node.name] = node

    for node in nodes:
        add(node)
    return list(ordered.values())
