"""Hiding a node while a bool that came with the file is False.

The carrier is the custom property that the file's curve animates; the hiding is a driver that reads it, so that the
bone's own curves are not touched. `not shown` is a simple expression: Blender evaluates it without Python, whatever
the user's setting for scripts is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from .data_paths import bone_path
from .undo import Undo

POSE_BONES_HIDE = "hide" in bpy.types.PoseBone.bl_rna.properties
"""From Blender 5.0 on a pose bone is hidden by itself, before by its bone in the Armature datablock."""


def hide_bone_unless(rig: Any, bone: str, carrier_path: str, undo: Undo) -> bool:
    """Hide `bone` while the property at `carrier_path` of `rig` is False; False if the armature cannot be changed."""
    if POSE_BONES_HIDE:
        return _drive(rig, bone_path(bone, ".hide"), rig, carrier_path, undo)
    return _drive(rig.data, bone_path(bone, ".hide").removeprefix("pose."), rig, carrier_path, undo)


def hide_object_unless(shown: Any, rig: Any, carrier_path: str, undo: Undo) -> bool:
    """Hide an object, in viewport and render, while the property at `carrier_path` of `rig` is False."""
    done = [_drive(shown, path, rig, carrier_path, undo) for path in ("hide_viewport", "hide_render")]
    return all(done)


def children_of_bones(rig: Any, bones: Iterable[str]) -> list[tuple[Any, str]]:
    """(object, bone) of the objects that are parented to one of these bones."""
    wanted = set(bones)
    return [(child, child.parent_bone) for child in rig.children if child.parent_bone in wanted]


def _drive(owner: Any, path: str, rig: Any, carrier_path: str, undo: Undo) -> bool:
    if owner.library is not None or _is_animated(owner, path):
        return False
    had_data = owner.animation_data is not None
    undo.callback(_undrive, owner, path, had_data)
    curve = owner.driver_add(path)
    for modifier in list(curve.modifiers):  # before 5.0 a new driver comes with a generator
        curve.modifiers.remove(modifier)
    variable = curve.driver.variables.new()
    variable.name = "shown"
    variable.targets[0].id = rig
    variable.targets[0].data_path = carrier_path
    curve.driver.type = "SCRIPTED"
    curve.driver.expression = "not shown"
    return True


def _undrive(owner: Any, path: str, had_data: bool) -> None:
    owner.driver_remove(path)
    if not had_data:
        owner.animation_data_clear()


def _is_animated(owner: Any, path: str) -> bool:
    data = owner.animation_data
    return data is not None and data.drivers.find(path) is not None
