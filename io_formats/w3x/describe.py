"""What `info` tells of a W3X file."""

from __future__ import annotations

from collections import Counter

from ..format import Facts
from .document import Animation, Document, Hierarchy


def describe(document: Document) -> Facts:
    """Return skeletons, animations, includes and the assets that are carried, ready for JSON."""
    return {
        "skeletons": [_skeleton(hierarchy) for hierarchy in document.hierarchies],
        "animations": [_animation(animation) for animation in document.animations],
        "includes": [include.source for include in document.includes],
        "other_assets": dict(Counter(asset.kind for asset in document.carried)),
    }


def plays(document: Document) -> bool:
    """Return whether an animation of the file has a channel."""
    return any(animation.channels for animation in document.animations)


def _skeleton(hierarchy: Hierarchy) -> Facts:
    return {"name": hierarchy.name, "pivots": hierarchy.names}


def _animation(animation: Animation) -> Facts:
    return {
        "name": animation.name,
        "hierarchy": animation.hierarchy,
        "frames": animation.frame_count,
        "rate": animation.rate,
        "duration": animation.frame_count / animation.rate if animation.rate else 0.0,
        "channels": dict(Counter(channel.type for channel in animation.channels)),
        "steps": sum(int(channel.steps.sum()) for channel in animation.channels),
    }
