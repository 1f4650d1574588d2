"""Hierarchies as nodes, and the names of those that animations need."""

from __future__ import annotations

from ..clip.pivots import Skeleton, nodes_of, rests
from ..errors import Report
from .document import Document, Hierarchy, plain_name


def from_hierarchy(hierarchy: Hierarchy, report: Report) -> Skeleton[Hierarchy]:
    """Return the pivots of a hierarchy as nodes."""
    matrices = rests(hierarchy.translations, hierarchy.rotations)
    nodes = nodes_of(hierarchy.names, hierarchy.parents, matrices, report)
    return Skeleton.of(hierarchy, nodes)


def wanted_names(document: Document) -> list[str]:
    """Return the names of the hierarchies that the file's animations need and the file does not hold."""
    names = dict.fromkeys(plain_name(animation.hierarchy) for animation in document.animations)
    there = {hierarchy.name.upper() for hierarchy in document.hierarchies}
    return [name for name in names if name.upper() not in there]
