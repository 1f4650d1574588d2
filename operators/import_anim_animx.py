"""Import operator of AnimX, AnimJ (.animx, .animj)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import StringProperty
from bpy.types import Operator

from ..io_formats import animx
from .import_operator import ImportOperator
from .options import with_options


@with_options(animx.ImportOptions)
class ImportAnimx(ImportOperator, Operator):
    """Import AnimX, AnimJ (.animx, .animj)."""

    bl_idname = "import_anim.animx"
    bl_label = "Import AnimX, AnimJ"
    bl_description = "Open an AnimX or AnimJ animation of NeosVR and Resonite, curves as curves"
    menu_label = "AnimX, AnimJ (.animx, .animj)"
    package = animx

    if TYPE_CHECKING:
        filter_glob: str
    else:
        filter_glob: StringProperty(default="*.animx;*.animj", options={"HIDDEN"})


CLASSES = (ImportAnimx,)
