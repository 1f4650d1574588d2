"""Export operator of W3D Animation (.w3d)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import StringProperty
from bpy.types import Operator

from ..io_formats import w3d
from .export_operator import ExportOperator
from .options import with_options


@with_options(w3d.ExportOptions)
class ExportW3d(ExportOperator, Operator):
    """Export W3D Animation (.w3d)."""

    bl_idname = "export_anim.w3d"
    bl_label = "Export W3D Animation"
    bl_description = "Save an armature's Action as a W3D animation; what was not touched comes out byte for byte"
    menu_label = "W3D Animation (.w3d)"
    package = w3d

    if TYPE_CHECKING:
        filter_glob: str
    else:
        filter_glob: StringProperty(default="*.w3d", options={"HIDDEN"})


CLASSES = (ExportW3d,)
