"""Our lines in File > Import and File > Export."""

from __future__ import annotations

from typing import Any

import bpy

from .export_anim_animx import ExportAnimx
from .export_anim_mrtk import ExportMrtk
from .export_anim_w3d import ExportW3d
from .import_anim_animx import ImportAnimx
from .import_anim_mrtk import ImportMrtk
from .import_anim_w3d import ImportW3d

_IMPORTS = (ImportMrtk, ImportW3d, ImportAnimx)
_EXPORTS = (ExportMrtk, ExportW3d, ExportAnimx)


def _draw_import(menu: Any, context: bpy.types.Context) -> None:
    del context
    for operator in _IMPORTS:
        menu.layout.operator(operator.bl_idname, text=operator.menu_label)


def _draw_export(menu: Any, context: bpy.types.Context) -> None:
    del context
    for operator in _EXPORTS:
        menu.layout.operator(operator.bl_idname, text=operator.menu_label)


def register() -> None:
    """Append our lines."""
    bpy.types.TOPBAR_MT_file_import.append(_draw_import)
    bpy.types.TOPBAR_MT_file_export.append(_draw_export)


def unregister() -> None:
    """Take our lines out again."""
    bpy.types.TOPBAR_MT_file_import.remove(_draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export)
