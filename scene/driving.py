"""Drivers that an import makes: a custom property with the file's own curve sets a property of Blender's."""

from __future__ import annotations

from typing import cast

from bpy.types import ID, FCurve, Object

from ..io_formats.clip import LEAST_OPACITY, OF_FILE
from .actions import animation_data
from .undo import Undo

VARIABLE = "shown"
"""What drivers that hide something call the property that they read."""

HIDES = f"{VARIABLE} < {LEAST_OPACITY}"
_BOOL_HIDES = "not shown"
"""The expression of drivers that were made when only bools could hide."""

SEEN = ("hide_viewport", "hide_render")
"""Properties of an object that say whether it is seen: in viewports, and in renders."""

_HIDING = (*SEEN, "hide", "show_viewport")
"""What drivers that hide something set, of objects, of bones once, and of modifiers."""


def is_ours(curve: FCurve) -> bool:
    """Return whether a curve is a driver that an import made."""
    driver, path = curve.driver, curve.data_path.rpartition(".")[2]
    if driver is None:
        return False
    hides = driver.expression in (HIDES, _BOOL_HIDES) and path in _HIDING
    return hides or [variable.name for variable in driver.variables] == [OF_FILE]


def is_driven(owner: ID, path: str, index: int = -1) -> bool:
    """Return whether a driver sets the property at a path of a datablock."""
    data = animation_data(owner)
    return data is not None and data.drivers.find(path, index=max(index, 0)) is not None


def drive(
    owner: ID, path: str, source: Object, source_path: str, expression: str, undo: Undo, *, index: int = -1
) -> bool:
    """Let an expression of the property at `source_path` of an object set that at `path` of `owner`.

    Simple expressions are evaluated without Python, whatever the user's setting for scripts is.

    Returns:
        Whether it is set now; another driver or a library may decide.
    """
    if owner.library is not None or is_driven(owner, path, index):
        return False
    had_data = animation_data(owner) is not None
    undo.callback(_undrive, owner, path, index, had_data)
    curve = cast("FCurve", owner.driver_add(path, index))
    for modifier in list(curve.modifiers):  # before 5.0 a new driver comes with a generator
        curve.modifiers.remove(modifier)
    variable = curve.driver.variables.new()
    variable.name = OF_FILE if OF_FILE in expression else VARIABLE
    variable.targets[0].id = source
    variable.targets[0].data_path = source_path
    curve.driver.type = "SCRIPTED"
    curve.driver.expression = expression
    return True


def _undrive(owner: ID, path: str, index: int, had_data: bool) -> None:
    owner.driver_remove(path, index)
    if not had_data:
        owner.animation_data_clear()
