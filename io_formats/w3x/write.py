"""Document to bytes: they are the document."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..clip import Array
from .document import Animation, Document, Hierarchy


def write(document: Document) -> bytes:
    """Return the file's bytes."""
    return document.data


def same_content(first: Document, second: Document) -> bool:
    """Return whether two files say the same, however they spell it; what is carried is compared by its bytes."""
    return list(_content(first)) == list(_content(second))


def _content(document: Document) -> Iterator[object]:
    yield document.includes
    yield [(asset.kind, asset.name, document.data[asset.start : asset.end]) for asset in document.carried]
    yield from map(_of_hierarchy, document.hierarchies)
    yield from map(_of_animation, document.animations)


def _of_hierarchy(hierarchy: Hierarchy) -> object:
    numbers = map(_bits, (hierarchy.parents, hierarchy.translations, hierarchy.rotations))
    return hierarchy.name, hierarchy.names, *numbers


def _of_animation(animation: Animation) -> object:
    channels = [
        (channel.pivot, channel.type, channel.first, _bits(channel.values), _bits(channel.steps))
        for channel in animation.channels
    ]
    facts = (animation.name, animation.hierarchy, animation.frame_count, animation.rate, animation.settings)
    return *facts, channels


def _bits(values: Array) -> bytes:
    """Return numbers so that NaN equals itself."""
    return np.ascontiguousarray(values).tobytes()
