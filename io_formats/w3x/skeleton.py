"""Hierarchies as nodes, and which of them an animation stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..clip import Node
from ..clip.pivots import flat_nodes, nodes_of, rests, without_root
from ..errors import Report
from .document import Document, Hierarchy, plain_name
from .playback import VISIBILITY


@dataclass
class Skeleton:
    """The pivots of a hierarchy as nodes.

    Attributes:
        name: of the hierarchy.
        nodes: one for each pivot, number 0 is the root; only the numbers that channels use if it is made up.
        pivots: the pivot number of each node.
        hierarchy: where it comes from, None if it is made up or in no file yet.
    """

    name: str
    nodes: list[Node]
    pivots: list[int]
    hierarchy: Hierarchy | None = None
    _shown: dict[tuple[frozenset[str], bool], list[Node]] = field(default_factory=dict, repr=False)

    @cached_property
    def names(self) -> dict[int, str]:
        """The node of each pivot number."""
        return {number: node.name for number, node in zip(self.pivots, self.nodes, strict=True)}

    def shown(self, hidden: frozenset[str], root_bone: bool) -> list[Node]:
        """Return the nodes of a clip in which visibility hides those named; clips with the same share the list."""
        if (hidden, root_bone) not in self._shown:
            nodes = with_visibility(self.nodes, hidden)
            self._shown[hidden, root_bone] = nodes if root_bone or self.hierarchy is None else without_root(nodes)
        return self._shown[hidden, root_bone]


def from_hierarchy(hierarchy: Hierarchy, report: Report) -> Skeleton:
    """Return the pivots of a hierarchy as nodes."""
    matrices = rests(hierarchy.translations, hierarchy.rotations)
    nodes = nodes_of(hierarchy.names, hierarchy.parents, matrices, report)
    return Skeleton(hierarchy.name, nodes, list(range(len(nodes))), hierarchy)


def named(hierarchies: Sequence[Hierarchy], name: str) -> Hierarchy | None:
    """Return the first hierarchy of that name, letter case aside, as the compiler looks it up; None without one."""
    wanted = plain_name(name).upper()
    return next((hierarchy for hierarchy in hierarchies if hierarchy.name.upper() == wanted), None)


def wanted_names(document: Document) -> list[str]:
    """Return the names of the hierarchies that the file's animations need and the file does not hold."""
    names = dict.fromkeys(plain_name(animation.hierarchy) for animation in document.animations)
    there = {hierarchy.name.upper() for hierarchy in document.hierarchies}
    return [name for name in names if name.upper() not in there]


def flat(name: str, pivots: list[int]) -> Skeleton:
    """Return nodes without parents for pivots of which only the number is known."""
    return Skeleton(name, flat_nodes(pivots), pivots)


def with_visibility(nodes: list[Node], hidden: frozenset[str]) -> list[Node]:
    """Return the nodes of one clip; those named are hidden by their visibility. What is the same is not copied."""
    return [replace(node, shown_by=(node.name, VISIBILITY)) if node.name in hidden else node for node in nodes]
