"""The skeleton of a file that is written: which pivot has which number, and the hierarchy's text if one is needed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..clip import Node, Source, quaternion
from ..clip.pivots import Skeleton, SkeletonRequest, skeleton_to_write, unique_names
from . import texts
from .document import Document, Hierarchy, plain_name
from .layout import W_LAST
from .names import as_name
from .options import ReadOptions
from .read import read
from .skeleton import from_hierarchy
from .to_clip import channels_of


def choose(request: SkeletonRequest[Document]) -> Skeleton[Hierarchy]:
    """Return the pivots of the chosen file, of the file that is saved into, of the source, or the clip's own."""
    held = [hierarchy for document in request.documents() for hierarchy in document.hierarchies]
    return skeleton_to_write(request, held, from_hierarchy, numbers, partial(_built, request))


def numbers(source: Source[Document, ReadOptions]) -> dict[str, int]:
    """Return pivot numbers of the source's nodes; without a skeleton, only those that channels name have nodes."""
    nodes = source.clip.nodes
    if source.clip.rests_known:
        first = int(source.options is not None and not source.options.root_bone)
        return {node.name: number for number, node in enumerate(nodes, first)}
    pivots = sorted({pivot for pivot, _ in channels_of(source.document.animations[source.index])} - {0})
    return {node.name: pivot for node, pivot in zip(nodes, pivots, strict=True)}


def _built(
    request: SkeletonRequest[Document], nodes: list[Node], model: Skeleton[Hierarchy] | None
) -> Skeleton[Hierarchy]:
    """Return a hierarchy of nodes; of a model, from which some are, it has the name and the fixups."""
    old = None if model is None else model.hierarchy
    name = plain_name(old.name) if old is not None else as_name(request.name or request.clip.name or "SKELETON")
    # read back, so that rests are those that the text says
    (hierarchy,) = read(texts.file_text([], [_text(name, nodes, old)]).encode()).hierarchies
    pivots = from_hierarchy(hierarchy, request.report)
    placed = [replace(node, rest=pivot.rest) for node, pivot in zip(nodes, pivots.nodes, strict=True)]
    return Skeleton.of(hierarchy, placed, built=True)


def _text(name: str, nodes: list[Node], old: Hierarchy | None) -> str:
    index = {node.name: number for number, node in enumerate(nodes)}
    matrices = np.stack([node.rest for node in nodes])
    matrices[0] = np.eye(4)
    names = unique_names([node.original or node.name for node in nodes])
    kept = {} if old is None else dict(zip(old.names, old.fixups, strict=True))
    return texts.hierarchy_text(
        name,
        names,
        [-1, *(index[node.parent or nodes[0].name] for node in nodes[1:])],
        matrices[:, :3, 3],
        quaternion.from_matrix(matrices[:, :3, :3])[W_LAST].T,
        [kept.get(own, b"").decode() for own in names],
    )
