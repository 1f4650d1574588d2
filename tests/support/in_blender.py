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


def bags_of(action: Any) -> list[Any]:
    """What holds the F-Curves of an Action, as `fcurves`: one of each slot, or the Action."""
    if hasattr(action, "fcurves"):
        return [action]
    return [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]


def curves_of(action: Any) -> list[Any]:
    """All F-Curves of an Action, of whatever slot."""
    return [curve for bag in bags_of(action) for curve in bag.fcurves]


def remove_curves(action: Any, *doomed: Any) -> None:
    """Delete F-Curves."""
    for bag in bags_of(action):
        for curve in [found for found in bag.fcurves if found in doomed]:
            bag.fcurves.remove(curve)


def fcurves(owner: Any) -> dict[tuple[str, int], Any]:
    """What an object plays, by data path and index."""
    return {(curve.data_path, curve.array_index): curve for curve in curves_of(owner.animation_data.action)}
