"""What Blender keeps a property to, whatever its curve says."""

from __future__ import annotations

import math

from bpy.types import FloatProperty, IntProperty, Key, Property, bpy_struct

from . import data_paths
from .types import settings_of

_FREE = (-math.inf, math.inf)


def of(holder: bpy_struct, path: str) -> tuple[float, float]:
    """Return the smallest and largest value that plays: a shape key's slider, a property's hard limits.

    Args:
        holder: the datablock or pose bone.
        path: of the property, from the holder.
    """
    shape, key = data_paths.shape_key(path), data_paths.custom_key(path)
    if shape is not None:
        assert isinstance(holder, Key)
        block = holder.key_blocks[shape]
        return float(block.slider_min), float(block.slider_max)
    if key is not None:
        shown = settings_of(holder, key).as_dict()
        return float(shown.get("min", -math.inf)), float(shown.get("max", math.inf))
    declared: Property | None = holder.bl_rna.properties.get(path)
    if not isinstance(declared, FloatProperty | IntProperty):
        return _FREE
    return float(declared.hard_min), float(declared.hard_max)


def is_muted(holder: bpy_struct, path: str) -> bool:
    """Return whether the path leads to a shape key that is muted."""
    shape = data_paths.shape_key(path)
    return shape is not None and isinstance(holder, Key) and holder.key_blocks[shape].mute
