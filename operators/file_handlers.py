"""Dropping files into the 3D view or the Outliner, and collection exporters."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import FileHandler

from ..io_formats import animx, mrtk, w3d


class _AnimationFileHandler:
    """What our file handlers share: where a drop is welcome."""

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """The 3D view, and the Outliner where it shows objects (bpy_extras has this only from 4.3 on)."""
        area: Any = context.area
        if area is None:
            return False
        if area.type == "OUTLINER":
            return bool(area.spaces.active.display_mode == "VIEW_LAYER")
        return bool(area.type == "VIEW_3D")


class MrtkFileHandler(_AnimationFileHandler, FileHandler):
    """Recordings end in .bin like many other files; the importer looks at the content."""

    bl_idname = "ANIM_CURVES_FH_mrtk"
    bl_label = mrtk.TITLE
    bl_import_operator = "import_anim.mrtk"
    bl_export_operator = "export_anim.mrtk"
    bl_file_extensions = ";".join(mrtk.EXTENSIONS)


class W3dFileHandler(_AnimationFileHandler, FileHandler):
    """Westwood's files."""

    bl_idname = "ANIM_CURVES_FH_w3d"
    bl_label = w3d.TITLE
    bl_import_operator = "import_anim.w3d"
    bl_export_operator = "export_anim.w3d"
    bl_file_extensions = ";".join(w3d.EXTENSIONS)


class AnimxFileHandler(_AnimationFileHandler, FileHandler):
    """Both spellings of the Resonite animation."""

    bl_idname = "ANIM_CURVES_FH_animx"
    bl_label = animx.TITLE
    bl_import_operator = "import_anim.animx"
    bl_export_operator = "export_anim.animx"
    bl_file_extensions = ";".join(animx.EXTENSIONS)


CLASSES = (MrtkFileHandler, W3dFileHandler, AnimxFileHandler)
