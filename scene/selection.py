"""Which objects of a view layer are selected."""

from __future__ import annotations

from collections.abc import Sequence

from bpy.types import Object, ViewLayer


def select_only(layer: ViewLayer, things: Sequence[Object], active: Object | None) -> None:
    """Select these objects and no others, and make one of them, or another or None, the active object."""
    for other in list(layer.objects.selected):
        other.select_set(False)
    for thing in things:
        thing.select_set(True)
    layer.objects.active = active
