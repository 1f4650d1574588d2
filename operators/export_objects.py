"""Which objects an export is about: a collection's, else the selected ones, else the only one there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..scene import actions


def anything(context: bpy.types.Context, *, armature: bool) -> bool:
    """Whether the scene has something to export; for a collection exporter the selection does not matter."""
    return any(not armature or owner.type == "ARMATURE" for owner in context.scene.objects)


def chosen(context: bpy.types.Context, collection: str = "", *, armature: bool) -> list[Any]:
    """The objects to export, the active one first.

    Args:
        collection: name of a collection; its objects and its children's, whatever is selected.
        armature: only armatures count, and of several only the first can be written.
    """
    if collection:
        found: Any = bpy.data.collections.get(collection)
        return _fitting(found.all_objects if found else (), armature)
    active = context.view_layer.objects.active if context.view_layer else None
    selected = [owner for owner in context.scene.objects if owner.select_get() and owner != active]
    candidates = ([active] if active is not None and active.select_get() else []) + selected
    return (
        _fitting(candidates, armature)
        or _fitting([active] if active is not None else (), armature)
        or _fitting(context.scene.objects, armature)
    )


def _fitting(candidates: Any, armature: bool) -> list[Any]:
    armatures = [owner for owner in candidates if owner.type == "ARMATURE"]
    return armatures[:1] if armature else list(candidates)


def active_action(owners: Sequence[Any]) -> Any:
    """The Action that the first animated of these objects plays, None if none does."""
    return next((action for action, _ in map(actions.assigned, owners) if action is not None), None)
