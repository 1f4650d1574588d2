"""What is known of the chunks that are only carried: how many of a kind, and the skeleton that a model names."""

from __future__ import annotations

from typing import Any

from .document import Document, HlodHeader, HmodelHeader, OpaqueChunk, leading_header, text

_MESH = 0x000
_MODELS = frozenset((0x300, 0x400, 0x420, 0x600, 0x700))


def hierarchy_names(document: Document) -> list[str]:
    """Return names of the hierarchies that a file holds, animates or hangs its models on, each once."""
    found = [hierarchy.name for hierarchy in document.hierarchies]
    found += [text(animation.header.hierarchy) for animation in document.animations]
    found += [_hierarchy_of_model(chunk) for chunk in document.all(OpaqueChunk)]
    first = {name.upper(): name for name in reversed(found) if name}
    return [first[name] for name in dict.fromkeys(name.upper() for name in found) if name]


def counts(document: Document) -> dict[str, Any]:
    """Return how many meshes, models (of meshes on a skeleton) and other chunks a file carries."""
    kinds = [chunk.kind for chunk in document.all(OpaqueChunk)]
    meshes, models = kinds.count(_MESH), sum(kind in _MODELS for kind in kinds)
    return {"meshes": meshes, "models": models, "others": len(document.parts) - meshes - models}


def _hierarchy_of_model(chunk: OpaqueChunk) -> str:
    """Return the hierarchy that a model's header, its first sub-chunk, names; empty for anything else."""
    header = leading_header(chunk.kind, chunk.data)
    return text(header.hierarchy) if isinstance(header, HmodelHeader | HlodHeader) else ""
