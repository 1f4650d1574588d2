"""What `info` tells of a W3D file."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .document import AnyAnimation, CompressedAnimation, Document, Hierarchy, MorphAnimation, OpaqueChunk, text


def describe(document: Document) -> dict[str, Any]:
    """Return skeletons, animations, morph animations and the chunks that are carried, ready for JSON."""
    return {
        "skeletons": [_skeleton(hierarchy) for hierarchy in document.hierarchies],
        "animations": [_animation(animation) for animation in document.animations],
        "morph_animations": [text(morph.header.name) for morph in document.all(MorphAnimation)],
        "other_chunks": [f"{chunk.kind:#x}" for chunk in document.all(OpaqueChunk)],
        "trailing_bytes": len(document.tail),
    }


def plays(document: Document) -> bool:
    """Return whether an animation of the file has a channel."""
    return any(part.FORM for animation in document.animations for part in animation.parts)


def version_text(version: int) -> str:
    """Return major and minor number of a version word: 0x40001 is 4.1."""
    return f"{version >> 16}.{version & 0xFFFF}"


def _skeleton(hierarchy: Hierarchy) -> dict[str, Any]:
    names = [text(bytes(name)) for name in hierarchy.records["name"]]
    return {"name": hierarchy.name, "version": version_text(hierarchy.header.version), "pivots": names}


def _animation(animation: AnyAnimation) -> dict[str, Any]:
    header = animation.header
    form = "uncompressed"
    if isinstance(animation, CompressedAnimation):
        form = "adaptive delta" if animation.is_delta else "timecoded"
    counts = Counter(part.FORM for part in animation.parts if part.FORM)
    return {
        "name": text(header.name),
        "hierarchy": text(header.hierarchy),
        "version": version_text(header.version),
        "form": form,
        "frames": header.frame_count,
        "rate": header.rate,
        "duration": header.frame_count / header.rate if header.rate else 0.0,
        "channels": dict(counts),
    }
