"""Into Edit Mode and out of it, as the operator that is made known for that."""

from __future__ import annotations

import bpy


class ToggleEditMode(bpy.types.Macro):
    """Enter or leave Edit Mode as part of an import.

    Of the operators in a macro nothing is written into the Info editor, where people look for what they did themselves.
    (`object.mode_set` would call this same operator within, which then is written.)
    """

    bl_idname = "anim_curves.toggle_edit_mode"
    bl_label = "Toggle Edit Mode for an Import"
    bl_options = {"INTERNAL"}  # noqa: RUF012  Blender reads a plain attribute


def toggle() -> None:
    """Enter or leave Edit Mode; a script may do without the extension's operators."""
    if _is_registered():
        bpy.ops.anim_curves.toggle_edit_mode()  # type: ignore[attr-defined]
    else:
        bpy.ops.object.editmode_toggle()


def _is_registered() -> bool:
    return hasattr(bpy.types, "ANIM_CURVES_OT_toggle_edit_mode")


def register() -> None:
    """Make the macro known."""
    bpy.utils.register_class(ToggleEditMode)  # type: ignore[arg-type]
    ToggleEditMode.define("OBJECT_OT_editmode_toggle")


def unregister() -> None:
    """Take it back."""
    if _is_registered():
        bpy.utils.unregister_class(ToggleEditMode)  # type: ignore[arg-type]
