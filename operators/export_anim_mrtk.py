"""Export operator of MRTK Recording (.bin)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpy.props import StringProperty
from bpy.types import Operator

from ..io_formats import mrtk
from ..pipeline.source_file import facts_of
from .export_operator import ExportOperator
from .options import with_options


@with_options(mrtk.ExportOptions)
class ExportMrtk(ExportOperator, Operator):
    """Export MRTK Recording (.bin)."""

    bl_idname = "export_anim.mrtk"
    bl_label = "Export MRTK Recording"
    bl_description = (
        "Save an armature with MRTK's joints as an input recording; what was not touched comes out byte for byte"
    )
    menu_label = "MRTK Recording (.bin)"
    package = mrtk

    if TYPE_CHECKING:
        filter_glob: str
    else:
        filter_glob: StringProperty(default="*.bin", options={"HIDDEN"})

    def prepare(self, action: Any) -> None:
        """Offer to write rotations that the import repaired."""
        if facts_of(action).get("repaired"):
            self.properties.write_repaired_w = True


CLASSES = (ExportMrtk,)
