"""Export operator of AnimJ, AnimX (.animj, .animx)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import StringProperty
from bpy.types import Operator

from ..io_formats import animx
from .export_operator import ExportOperator
from .options import with_options


@with_options(animx.ExportOptions)
class ExportAnimx(ExportOperator, Operator):
    """Export AnimJ, AnimX (.animj, .animx)."""

    bl_idname = "export_anim.animx"
    bl_label = "Export AnimJ, AnimX"
    bl_description = "Save bones, objects, shape keys and properties as AnimJ or AnimX, curves as curves"
    menu_label = "AnimJ, AnimX (.animj, .animx)"
    package = animx

    if TYPE_CHECKING:
        filter_glob: str
    else:
        filter_glob: StringProperty(default="*.animj;*.animx", options={"HIDDEN"})


CLASSES = (ExportAnimx,)
