"""The skeleton of an exported file: the numbers of the pivots, and the hierarchy chunk if one is needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..clip import Array, Node, Source, quaternion
from ..clip.pivots import Skeleton, SkeletonRequest, ordered, renamed, rests, same_nodes, unscaled_rest
from ..clip.pose import hung
from ..errors import Report
from . import layout, names
from .channels import channels_of
from .document import AnyAnimation, Chunk, Document, Fixups, Hierarchy, HierarchyHeader, Pivots
from .options import ReadOptions
from .skeleton import from_hierarchy, named


def choose(request: SkeletonRequest[Document]) -> Skeleton[Hierarchy]:
    """Return the pivots to write for: the chosen file's, the existing file's, the source's, or the clip's own."""
    model = _existing(request)
    if request.include == "INCLUDE":
        return _built(request, model)
    if model is not None:
        return model
    if request.source is not None:
        known = request.source.clip
        animations = request.source.document.animations
        index = request.source.index
        own = numbers(request.source, animations[index] if index < len(animations) else None)
        return Skeleton(known.skeleton, known.nodes, [own[node.name] for node in known.nodes])
    return _built(request, None)


def _existing(request: SkeletonRequest[Document]) -> Skeleton[Hierarchy] | None:
    hierarchies = [hierarchy for document in request.documents() for hierarchy in document.hierarchies]
    if not hierarchies:
        return None
    return from_hierarchy(named(hierarchies, request.name) or hierarchies[0], request.report)


def numbers(source: Source[Document, ReadOptions], animation: AnyAnimation | None) -> dict[str, int]:
    """Return pivot numbers of the source's nodes; without a skeleton, only pivots with channels have nodes."""
    nodes = source.clip.nodes
    if source.clip.rests_known or animation is None:
        first = int(source.options is not None and not source.options.root_bone)
        return {node.name: number for number, node in enumerate(nodes, first)}
    pivots = sorted(channels_of(animation).pivots - {0})
    return {node.name: pivot for node, pivot in zip(nodes, pivots, strict=True)}


def same_numbers(source: dict[str, int], target: Skeleton[Hierarchy]) -> bool:
    """Return whether the source's pivots have the same numbers in the target, if it has them."""
    return all(target.numbers.get(name, number) == number for name, number in source.items())


# --- A hierarchy of the clip's own nodes --------------------------------------------------------


def _built(request: SkeletonRequest[Document], model: Skeleton[Hierarchy] | None) -> Skeleton[Hierarchy]:
    """Return a hierarchy for the clip's nodes: the model's pivots in their order, then the others, parents first."""
    clip = replace(request.clip, nodes=hung(request.clip.nodes))
    clip = clip if model is None else renamed(clip, model.nodes)
    if model is not None and same_nodes(clip, model.nodes):
        return model
    nodes = ordered(clip, [] if model is None else [node.name for node in model.nodes])
    nodes = [unscaled_rest(node) for node in nodes]
    records = _records(nodes, request.report)
    matrices = rests(records["translation"], records["rotation"])
    matrices[0] = np.eye(4)
    nodes = [replace(node, rest=matrix) for node, matrix in zip(nodes, matrices, strict=True)]
    name = names.shortened([request.name or names.without_suffix(clip.name) or "SKELETON"], request.report)[0]
    if model is not None and model.hierarchy is not None:
        name = model.hierarchy.header.name
    hierarchy = _hierarchy(name, records, model)
    return Skeleton.of(hierarchy, nodes, built=True)


def _records(nodes: list[Node], report: Report) -> Array:
    """Return (n,) records of `layout.PIVOT`."""
    records = np.zeros(len(nodes), layout.PIVOT)
    index = {node.name: number for number, node in enumerate(nodes)}
    fields = names.shortened([node.original or node.name for node in nodes], report)
    matrices = np.stack([node.rest for node in nodes])
    matrices[0] = np.eye(4)
    records["name"] = np.array(fields, "V16")
    records["parent"] = [layout.NO_PARENT, *(index[node.parent or nodes[0].name] for node in nodes[1:])]
    records["translation"] = matrices[:, :3, 3]
    records["rotation"] = quaternion.from_matrix(matrices[:, :3, :3])[layout.W_LAST].T
    return records


def _hierarchy(name: bytes, records: Array, model: Skeleton[Hierarchy] | None) -> Hierarchy:
    """Return a hierarchy of records (n,) as the original exporter writes it, with fixups if the model has some."""
    header = HierarchyHeader(layout.VERSION_RAW, name, len(records), np.zeros(3, "<f4"))
    parts: list[Chunk] = [header, Pivots(records)]
    old = None if model is None or model.hierarchy is None else model.hierarchy.first(Fixups)
    if old is not None:
        matrices = np.zeros((len(records), *layout.FIXUP_SHAPE), "<f4")
        matrices[:, :3, :3] = np.eye(3)
        kept = min(len(old.matrices), len(matrices))
        matrices[:kept] = old.matrices[:kept]
        parts.append(Fixups(matrices))
    return Hierarchy(parts, flagged=True)


def with_hierarchy(
    parts: list[Chunk], target: Skeleton[Hierarchy], request: SkeletonRequest[Document], animation: Chunk
) -> list[Chunk]:
    """Return the file's chunks with the hierarchy that the option asks for, before the animation."""
    if request.include == "EXCLUDE" and request.base is None:
        return [part for part in parts if not isinstance(part, Hierarchy)]
    hierarchy = target.hierarchy
    wanted = target.built or request.include == "INCLUDE"
    if hierarchy is None or not wanted or request.include == "EXCLUDE" or any(part is hierarchy for part in parts):
        return parts
    same = named([part for part in parts if isinstance(part, Hierarchy)], hierarchy.name)
    if same is not None:
        return [hierarchy if part is same else part for part in parts]
    at = next(number for number, part in enumerate(parts) if part is animation)
    return [*parts[:at], hierarchy, *parts[at:]]
