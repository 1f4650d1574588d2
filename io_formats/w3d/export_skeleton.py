"""The skeleton of an exported file: the numbers of the pivots, and the hierarchy chunk if one is needed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..clip import Array, Node, Source, quaternion
from ..clip.pivots import Skeleton, SkeletonRequest, named, rests, skeleton_to_write
from ..errors import Report
from . import layout, names
from .channels import channels_of
from .document import Chunk, Document, Fixups, Hierarchy, HierarchyHeader, Pivots
from .options import ReadOptions
from .skeleton import from_hierarchy


def choose(request: SkeletonRequest[Document]) -> Skeleton[Hierarchy]:
    """Return the pivots to write for: the chosen file's, the existing file's, the source's, or the clip's own."""
    held = [hierarchy for document in request.documents() for hierarchy in document.hierarchies]
    return skeleton_to_write(request, held, from_hierarchy, numbers, partial(_built, request))


def numbers(source: Source[Document, ReadOptions]) -> dict[str, int]:
    """Return pivot numbers of the source's nodes; without a skeleton, only pivots with channels have nodes."""
    nodes, animations = source.clip.nodes, source.document.animations
    if source.clip.rests_known or source.index >= len(animations):
        first = int(source.options is not None and not source.options.root_bone)
        return {node.name: number for number, node in enumerate(nodes, first)}
    pivots = sorted(channels_of(animations[source.index]).pivots - {0})
    return {node.name: pivot for node, pivot in zip(nodes, pivots, strict=True)}


# --- A hierarchy of the clip's own nodes --------------------------------------------------------


def _built(
    request: SkeletonRequest[Document], nodes: list[Node], model: Skeleton[Hierarchy] | None
) -> Skeleton[Hierarchy]:
    """Return a hierarchy of nodes; of a model, from which some are, it has the name and the fixups."""
    records = _records(nodes, request.report)
    matrices = rests(records["translation"], records["rotation"])
    matrices[0] = np.eye(4)
    nodes = [replace(node, rest=matrix) for node, matrix in zip(nodes, matrices, strict=True)]
    name = names.shortened([request.name or names.without_suffix(request.clip.name) or "SKELETON"], request.report)[0]
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
    if request.include == "EXCLUDE" and request.into is None:
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
