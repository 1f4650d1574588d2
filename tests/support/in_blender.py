"""Objects and F-Curves in any Blender, made and found without the code under test."""

from __future__ import annotations

import importlib
from typing import Any


def add(name: str, data: Any = None, active: bool = False) -> Any:
    """A new object in the scene."""
    bpy = importlib.import_module("bpy")
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    if active:
        bpy.context.view_layer.objects.active = made
    return made


def curves_of(action: Any) -> list[Any]:
    """All F-Curves of an Action, of whatever slot."""
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    return [c for layer in action.layers for s in layer.strips for b in s.channelbags for c in b.fcurves]


def fcurves(owner: Any) -> dict[tuple[str, int], Any]:
    """What an object plays, by data path and index."""
    return {(curve.data_path, curve.array_index): curve for curve in curves_of(owner.animation_data.action)}
