"""Import operator of MRTK Recording (.bin)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import StringProperty
from bpy.types import Operator

from ..io_formats import mrtk
from .import_operator import ImportOperator
from .options import with_options


@with_options(mrtk.ImportOptions)
class ImportMrtk(ImportOperator, Operator):
    """Import MRTK Recording (.bin)."""

    bl_idname = "import_anim.mrtk"
    bl_label = "Import MRTK Recording"
    bl_description = "Open hands, camera and gaze of an MRTK2 input recording, every curve with its own keys"
    menu_label = "MRTK Recording (.bin)"
    package = mrtk

    if TYPE_CHECKING:
        filter_glob: str
    else:
        filter_glob: StringProperty(default="*.bin", options={"HIDDEN"})


CLASSES = (ImportMrtk,)
