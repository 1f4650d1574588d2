"""Hierarchies as nodes, and which of them an animation stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..clip import Node
from ..clip.pivots import flat_nodes, nodes_of, parents_first, rests, without_root
from ..errors import Report
from . import messages
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
    # the engine puts the object's own transform in the place of the first pivot's
    matrices[:1] = np.eye(4)
    parents, wrong = parents_first(hierarchy.parents)
    if wrong:
        report.warn(messages.BAD_PARENT, pivots=wrong)
    nodes = nodes_of(hierarchy.names, parents, matrices)
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


class Skeletons:
    """What the animations of a file may stand on: its own hierarchies and the chosen file's, each made once."""

    def __init__(self, document: Document, chosen: Document | None, report: Report) -> None:
        others = [] if chosen is None else chosen.hierarchies
        self._own = {id(hierarchy) for hierarchy in document.hierarchies}
        self._named = {found.name.upper(): found for found in reversed([*document.hierarchies, *others])}
        self._other = next(iter([*others, *document.hierarchies]), None)
        self._report = report
        self._made: dict[int, Skeleton] = {}

    def choose(self, name: str, pivots: Sequence[int]) -> Skeleton:
        """Return the skeleton of that name, else one of another with a warning, else one of bare pivot numbers."""
        hierarchy = self._named.get(name.upper())
        if hierarchy is None:
            hierarchy = self._other
            if hierarchy is not None:
                self._report.warn(messages.OTHER_SKELETON, wanted=name, found=hierarchy.name)
        if hierarchy is None:
            self._report.warn(messages.NO_SKELETON, name=name)
            return Skeleton(name, flat_nodes(pivots), list(pivots))
        if id(hierarchy) not in self._made:
            self._made[id(hierarchy)] = from_hierarchy(hierarchy, self._report)
        return self._made[id(hierarchy)]

    def holds(self, skeleton: Skeleton) -> bool:
        """Return whether a skeleton is of the animations' own file."""
        return id(skeleton.hierarchy) in self._own


def with_visibility(nodes: list[Node], hidden: frozenset[str]) -> list[Node]:
    """Return the nodes of one clip; those named are hidden by their visibility. What is the same is not copied."""
    return [replace(node, shown_by=(node.name, VISIBILITY)) if node.name in hidden else node for node in nodes]
