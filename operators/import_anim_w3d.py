"""Import operator of W3D Animation (.w3d)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import StringProperty
from bpy.types import Operator

from ..io_formats import w3d
from .import_operator import ImportOperator
from .options import with_options


@with_options(w3d.ImportOptions)
class ImportW3d(ImportOperator, Operator):
    """Import W3D Animation (.w3d)."""

    bl_idname = "import_anim.w3d"
    bl_label = "Import W3D Animation"
    bl_description = "Open the animations of a Westwood W3D file on their skeleton, as the engine plays them"
    menu_label = "W3D Animation (.w3d)"
    package = w3d

    if TYPE_CHECKING:
        filter_glob: str
    else:
        filter_glob: StringProperty(default="*.w3d", options={"HIDDEN"})


CLASSES = (ImportW3d,)
