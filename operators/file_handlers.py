"""Dropping files into the 3D view or the Outliner, and collection exporters."""

from __future__ import annotations

from bpy.types import Context, FileHandler, SpaceOutliner

from ..io_formats import FORMATS
from ..io_formats.format import AnyFormat


class _AnimationFileHandler:
    """What our file handlers share: where a drop is welcome."""

    @classmethod
    def poll_drop(cls, context: Context) -> bool:
        """Accept the 3D view, and the Outliner where it shows objects (bpy_extras has this only from 4.3 on)."""
        area = context.area
        if area is None:
            return False
        space = area.spaces.active
        if isinstance(space, SpaceOutliner):
            return space.display_mode == "VIEW_LAYER"
        return area.type == "VIEW_3D"


def _file_handler(file_format: AnyFormat) -> type:
    """Return the file handler of a format; the importer looks at the content, as endings are shared."""
    return type(
        f"{file_format.name.capitalize()}FileHandler",
        (_AnimationFileHandler, FileHandler),
        {
            "__doc__": f"{file_format.title}.",
            "__module__": __name__,
            "bl_idname": f"ANIM_CURVES_FH_{file_format.name}",
            "bl_label": file_format.title,
            "bl_import_operator": f"import_anim.{file_format.name}",
            "bl_export_operator": f"export_anim.{file_format.name}",
            "bl_file_extensions": ";".join(file_format.extensions),
        },
    )


CLASSES = tuple(_file_handler(file_format) for file_format in FORMATS)
