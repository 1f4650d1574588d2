"""Which bones and objects are a captured clip's nodes, and what carries them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...io_formats.clip import Array, Node, pose
from .. import armatures, messages, names
from ..bake import Baked
from . import finer, influences
from . import nodes as capture_nodes
from .choice import Choice
from .places import OWN_TRANSFORMS
from .scope import Scope


class Stage:
    """The nodes of a capture.

    Attributes:
        main_moves: the first armature is a node itself, not the clip's root.
        things: the objects that are nodes.
        naming: node by bone and object.
        root: world matrix of what carries the nodes.
        nodes: parents first.
    """

    def __init__(self, scope: Scope, choice: Choice) -> None:
        self._scope = scope
        main, cast = scope.main, scope.cast
        self.main_moves = main is not None and (self._is_file_node(main) or self._moves(main))
        self.things = self._things()
        table = scope.provenance.bones if scope.provenance is not None else None
        self.naming = capture_nodes.name_nodes(cast, self.things, scope.written, table)
        self.root = self._root()
        nodes = [self._object_node(thing, choice) for thing in self.things]
        for rig in cast.rigs:
            carrier = None if self.is_root(rig) else self.naming.objects.get(rig.name)
            nodes += capture_nodes.bone_nodes(rig, self.naming.bones[rig.name], carrier, scope.written)
        self.nodes = capture_nodes.parents_first(nodes)
        capture_nodes.refuse_endless(self.root, main.name if main is not None else "", self.nodes)

    def is_root(self, thing: Any) -> bool:
        """Whether this is the armature that stands for the clip's root."""
        return bool(thing == self._scope.main and not self.main_moves)

    def loosen(self, rig: Any, bones: Sequence[str]) -> dict[str, Node]:
        """Let bones be told relative to the armature, as their parents' sizes would shear them; the nodes by name."""
        rests = armatures.rest_matrices(rig)
        carrier = None if self.is_root(rig) else self.naming.objects.get(rig.name)
        naming, found = self.naming.bones[rig.name], {}
        for node in self.nodes:
            bone = next((bone for bone in bones if naming[bone] == node.name), None)
            if bone is not None:
                found[node.name] = replace(node, parent=carrier, rest=rests[bone], under=node.parent)
        self.nodes = [found.get(node.name, node) for node in self.nodes]
        return found

    def object_moves(self, thing: Any, read: Baked) -> tuple[Node, Array]:
        """The node of a sampled object and its moves (m, 4, 4) away from the rest.

        They are told relative to what the object hangs on; in the world where that would shear them, as constraints
        below uneven sizes do.
        """
        node = self.node_of(thing)
        basis = self._basis(thing, node, read)
        if node.parent is not None and pose.is_sheared(basis) and not pose.is_sheared(read.worlds[thing.name]):
            node = self._in_world(node)
            self.nodes = [node if other.name == node.name else other for other in self.nodes]
        return node, self._basis(thing, node, read)

    def _basis(self, thing: Any, node: Node, read: Baked) -> Array:
        above = self.root[None] if node.parent is None else read.spaces[thing.name]
        return pose.product(pose.inverse(pose.product(above, node.rest)), read.worlds[thing.name])

    def channels(self, thing: Any, read: Baked) -> list[finer.Channel]:
        """What is read of a sampled object, as it is told."""
        node = self.node_of(thing)
        return finer.of_matrices(node.name, self._basis(thing, node, read))

    def node_of(self, thing: Any) -> Node:
        """The node of an object."""
        return next(node for node in self.nodes if node.name == self.naming.objects[thing.name])

    def _is_file_node(self, rig: Any) -> bool:
        """Whether the file itself moves the armature object, as one of its nodes and none of the bones."""
        name, scope = names.node_name(rig), self._scope
        if scope.written is None or scope.written.node(name) is None or scope.options.space == "LOCAL":
            return False
        is_bone_too = any(name in (bone.name, names.node_name(bone)) for bone in rig.data.bones)
        return not is_bone_too and any(path in OWN_TRANSFORMS for path in scope.cast.own_paths(rig))

    def _moves(self, thing: Any) -> bool:
        if self._scope.options.space == "LOCAL" or not influences.moves(thing, self._scope.cast.curves_of):
            return False
        self._scope.because(messages.CAPTURE_OBJECT_MOVES, name=thing.name)
        return True

    def _things(self) -> list[Any]:
        """The objects that are nodes: all, but the armature that is the clip's root and has no curves of its own."""
        main, cast = self._scope.main, self._scope.cast
        left_out = [*cast.only_data, main]
        things = [thing for thing in cast.objects if thing not in left_out]
        if main is None:
            return things
        has_own = any(path not in influences.TRANSFORM_PATHS for path in cast.own_paths(main))
        return [main, *things] if self.main_moves or has_own else things

    def _root(self) -> Array:
        """World matrix of what carries the bones: the file's own where the armature stands as imported."""
        main, written = self._scope.main, self._scope.written
        own = written.root if written is not None else np.eye(4)
        if main is None or self.main_moves or self._scope.options.space == "LOCAL":
            return own
        now = capture_nodes.world_of(main)
        player = self._scope.cast.of(main)
        if capture_nodes.same_root(now, own) or (player is not None and player.is_intact):
            return own
        if written is not None:
            self._scope.because(messages.CAPTURE_TRANSFORM, name=main.name)
        return now

    def _object_node(self, thing: Any, choice: Choice) -> Node:
        scope = self._scope
        keyed = any(path in OWN_TRANSFORMS for path in scope.cast.own_paths(thing))
        node = capture_nodes.object_node(thing, self.naming, self.root, scope.main, scope.written, keyed=keyed)
        if self.is_root(thing) or not choice.take_object(thing, node):
            return node
        return node if node.parent is not None else self._in_world(node)

    def _in_world(self, node: Node) -> Node:
        return replace(node, parent=None, rest=np.linalg.inv(self.root))
