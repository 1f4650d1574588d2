"""What the engine binds: fields of slots and components, found by name in the order of the tracks.

*Set up fields by name* takes a slot of the node's name and a field of it, or `Component.Field`. A track whose field
it does not find shifts all later tracks to the field before theirs, so such tracks have to come last.
"""

from __future__ import annotations

from enum import IntEnum

from .document import Track
from .properties import BLEND_SHAPE

SLOT_FIELDS = ("Position", "Rotation", "Scale", "Active")
_TYPES = {"Position": "float3", "Rotation": "floatQ", "Scale": "float3", "Active": "bool"}


class Bound(IntEnum):
    """Where a track belongs in the file's order."""

    SLOT = 0
    COMPONENT = 1
    NOWHERE = 2


def bound(track: Track) -> Bound:
    """Return what the engine finds for a track by its names."""
    if track.property in SLOT_FIELDS:
        fits = track.type.name == _TYPES[track.property]
        return Bound.SLOT if track.node and fits else Bound.NOWHERE
    is_field = track.property.count(".") == 1 and not track.property.startswith(BLEND_SHAPE)
    component, _, field = track.property.partition(".")
    return Bound.COMPONENT if track.node and is_field and component and field else Bound.NOWHERE


def in_order(tracks: list[Track]) -> list[Track]:
    """Return tracks as the engine binds them: fields of slots by node, of components, then the rest."""
    nodes: dict[str, int] = {}
    for track in tracks:
        nodes.setdefault(track.node, len(nodes))
    return sorted(tracks, key=lambda track: _place(track, nodes))


def _place(track: Track, nodes: dict[str, int]) -> tuple[int, int, int]:
    kind = bound(track)
    if kind is Bound.SLOT:
        return kind, nodes[track.node], SLOT_FIELDS.index(track.property)
    return kind, 0, 0
