"""Our lines in File > Import and File > Export."""

from __future__ import annotations

import bpy
from bpy.types import Context, Menu

from . import export_operators, import_operators


def _draw_import(menu: Menu, context: Context) -> None:
    del context
    for operator in import_operators.CLASSES:
        menu.layout.operator(operator.bl_idname, text=operator.menu_label)


def _draw_export(menu: Menu, context: Context) -> None:
    del context
    for operator in export_operators.CLASSES:
        menu.layout.operator(operator.bl_idname, text=operator.menu_label)


def register() -> None:
    """Append our lines."""
    bpy.types.TOPBAR_MT_file_import.append(_draw_import)
    bpy.types.TOPBAR_MT_file_export.append(_draw_export)


def unregister() -> None:
    """Take our lines out again."""
    bpy.types.TOPBAR_MT_file_import.remove(_draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export)
