"""The skeleton of a file that is written: which pivot has which number, and the hierarchy's text if one is needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..clip import Node, Source, quaternion
from ..clip.pivots import Skeleton, SkeletonRequest, ordered, renamed, same_nodes, unique_names, unscaled_rest
from ..clip.pose import hung
from . import texts
from .document import Document, Hierarchy, plain_name
from .layout import W_LAST
from .names import as_name
from .options import ReadOptions
from .read import read
from .skeleton import from_hierarchy, named
from .to_clip import channels_of


def choose(request: SkeletonRequest[Document]) -> Skeleton[Hierarchy]:
    """Return the pivots of the chosen file, of the file that is saved into, of the source, or the clip's own."""
    model = _existing(request)
    if request.include == "INCLUDE":
        return _built(request, model)
    if model is not None:
        return model
    if request.source is not None:
        known, own = request.source.clip, source_numbers(request.source)
        return Skeleton(known.skeleton, known.nodes, [own[node.name] for node in known.nodes])
    return _built(request, None)


def _existing(request: SkeletonRequest[Document]) -> Skeleton[Hierarchy] | None:
    hierarchies = [hierarchy for document in request.documents() for hierarchy in document.hierarchies]
    if not hierarchies:
        return None
    return from_hierarchy(named(hierarchies, request.name) or hierarchies[0], request.report)


def source_numbers(source: Source[Document, ReadOptions] | None) -> dict[str, int]:
    """Return pivot numbers of the source's nodes; without a skeleton, only those that channels name have nodes."""
    if source is None:
        return {}
    nodes, animations = source.clip.nodes, source.document.animations
    if source.clip.rests_known or source.index >= len(animations):
        first = int(source.options is not None and not source.options.root_bone)
        return {node.name: number for number, node in enumerate(nodes, first)}
    pivots = sorted({pivot for pivot, _ in channels_of(animations[source.index])} - {0})
    return {node.name: pivot for node, pivot in zip(nodes, pivots, strict=True)}


def _built(request: SkeletonRequest[Document], model: Skeleton[Hierarchy] | None) -> Skeleton[Hierarchy]:
    """Return a hierarchy for the clip's nodes: the model's pivots in their order, then the others, parents first."""
    clip = replace(request.clip, nodes=hung(request.clip.nodes))
    clip = clip if model is None else renamed(clip, model.nodes)
    if model is not None and same_nodes(clip, model.nodes):
        return model
    nodes = ordered(clip, [] if model is None else [node.name for node in model.nodes])
    nodes = [unscaled_rest(node) for node in nodes]
    old = None if model is None else model.hierarchy
    name = plain_name(old.name) if old is not None else as_name(request.name or clip.name or "SKELETON")
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
