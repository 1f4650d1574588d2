"""What `info` tells of a W3D file."""

from __future__ import annotations

from collections import Counter

from ..clip.whole_frames import lasting
from ..format import Facts
from .document import MORPH, AnyAnimation, CompressedAnimation, Document, OpaqueChunk, leading_fields, text
from .layout import Flavor


def describe(document: Document) -> Facts:
    """Return skeletons, animations, morph animations and the ids of other chunks, ready for JSON."""
    return {
        "skeletons": [
            {
                "name": hierarchy.name,
                "version": version_text(hierarchy.header.version),
                "pivots": [text(bytes(name)) for name in hierarchy.records["name"]],
            }
            for hierarchy in document.hierarchies
        ],
        "animations": [_animation(animation) for animation in document.animations],
        "morph_animations": morph_names(document),
        "other_chunks": [f"{chunk.kind:#x}" for chunk in document.all(OpaqueChunk) if chunk.kind != MORPH],
        "trailing_bytes": len(document.tail),
    }


def plays(document: Document) -> bool:
    """Return whether an animation of the file has a channel."""
    return any(part.FORM for animation in document.animations for part in animation.parts)


def version_text(version: int) -> str:
    """Return major and minor number of a version word: 0x40001 is 4.1."""
    return f"{version >> 16}.{version & 0xFFFF}"


def _animation(animation: AnyAnimation) -> Facts:
    header = animation.header
    form = "uncompressed"
    if isinstance(animation, CompressedAnimation):
        form = "adaptive delta" if animation.header.flavor == Flavor.ADAPTIVE_DELTA else "timecoded"
    return {
        "name": text(header.name),
        "hierarchy": text(header.hierarchy),
        "version": version_text(header.version),
        "form": form,
        "frames": header.frame_count,
        "rate": header.rate,
        "duration": lasting(header.frame_count, header.rate),
        "channels": dict(Counter(part.FORM for part in animation.parts if part.FORM)),
    }


# --- Chunks that are only carried ---------------------------------------------------------------

_MESH = 0x000
_MODELS = frozenset((0x300, 0x400, 0x420, 0x600, 0x700))


def hierarchy_names(document: Document) -> list[str]:
    """Return names of the hierarchies that a file holds, animates or has models for, each once."""
    found = [hierarchy.name for hierarchy in document.hierarchies]
    found += [text(animation.header.hierarchy) for animation in document.animations]
    carried = [leading_fields(chunk.kind, chunk.data) or {} for chunk in document.all(OpaqueChunk)]
    found += [text(fields["hierarchy"]) for fields in carried if "hierarchy" in fields]
    first = {name.upper(): name for name in reversed(found) if name}
    return [first[name] for name in dict.fromkeys(name.upper() for name in found) if name]


def morph_names(document: Document) -> list[str]:
    """Return the names of the animations that blend poses of others."""
    held = (leading_fields(MORPH, chunk.data) for chunk in document.all(OpaqueChunk) if chunk.kind == MORPH)
    return [text(fields["name"]) for fields in held if fields]


def counts(document: Document) -> Facts:
    """Return how many meshes, models (of meshes on a skeleton) and other chunks a file carries."""
    kinds = [chunk.kind for chunk in document.all(OpaqueChunk)]
    meshes, models = kinds.count(_MESH), sum(kind in _MODELS for kind in kinds)
    return {"meshes": meshes, "models": models, "others": len(document.parts) - meshes - models}
