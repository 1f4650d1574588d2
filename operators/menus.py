"""Where Blender offers our work: File > Import and Export, drops, collection exporters, `blender --command`, and F1."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, FileHandler, Menu, SpaceOutliner

from ..io_formats import FORMATS
from . import command_line, exporting, importing
from .messages import CLI_COMMAND

if TYPE_CHECKING:
    from ..io_formats.format import AnyFormat


_MANIFEST = Path(__file__).resolve().parents[1] / "blender_manifest.toml"
_PAGES = {
    "keys.md": ("trim_to_view", "trim_to_tracked", "smooth", "fewer_keys", "whole_frames", "close_loop", "mirror"),
    "exporting.md": ("export_in_place", "export_changed", "confirm_replace"),
    "rigs.md#which-bone-a-name-means": ("match_names", "save_name_table"),
    "{listed}.md#animations-of-an-armature-and-archives": ("list_*", "import_selected", "import_all", "add_game_*"),
    "importing.md": ("toggle_edit_mode",),
    "install.md#what-it-reports": ("*",),
}
"""The pages of our operators of the group `anim_curves`; the first that fits counts. `listed` is the format whose
animations are listed."""


def _draw_import(menu: Menu, context: Context) -> None:
    for operator in importing.CLASSES:
        menu.layout.operator(operator.bl_idname, text=operator.menu_label)


def _draw_export(menu: Menu, context: Context) -> None:
    for operator in exporting.CLASSES:
        menu.layout.operator(operator.bl_idname, text=operator.menu_label)


def _manual() -> tuple[str, list[tuple[str, str]]]:
    """Return, for *Online Manual*, where the pages are, and that of each operator and its options by its id in small
    letters."""
    website = tomllib.loads(_MANIFEST.read_text(encoding="utf-8"))["website"]
    listed = next(found.name for found in FORMATS if found.library(()) is not None)
    pages = [(f"bpy.ops.anim_curves.{name}", page) for page, names in _PAGES.items() for name in names]
    formats = [(f"bpy.ops.import_anim.{found.name}", f"{found.name}.md#what-you-get") for found in FORMATS]
    others = [("bpy.ops.import_anim.*", "importing.md"), ("bpy.ops.export_anim.*", "exporting.md")]
    own = [(pattern, page.format(listed=listed)) for pattern, page in pages]
    return f"{website}/docs/", [*formats, *others, *own, ("bpy.types.animcurvespreferences.*", "install.md")]


_COMMANDS: list[object] = []
"""The handle that Blender gives for a registered command, to take it back with."""


def register() -> None:
    """Append our lines, and make the command and the pages known."""
    bpy.types.TOPBAR_MT_file_import.append(_draw_import)
    bpy.types.TOPBAR_MT_file_export.append(_draw_export)
    # the command's own module is loaded when it is called
    _COMMANDS.append(bpy.utils.register_cli_command(CLI_COMMAND, lambda given: command_line.main(given)))
    bpy.utils.register_manual_map(_manual)


def unregister() -> None:
    """Take our lines out again, and the command and the pages back."""
    bpy.types.TOPBAR_MT_file_import.remove(_draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export)
    if _COMMANDS:
        bpy.utils.unregister_manual_map(_manual)
        bpy.utils.unregister_cli_command(_COMMANDS.pop())


def _file_handler(file_format: AnyFormat) -> type:
    """Return the file handler of a format; the importer looks at the content, as endings are shared."""

    class AnimationFileHandler(FileHandler):
        bl_idname, bl_label = f"ANIM_CURVES_FH_{file_format.name}", file_format.title
        bl_import_operator, bl_export_operator = f"import_anim.{file_format.name}", f"export_anim.{file_format.name}"
        bl_file_extensions = ";".join(file_format.extensions)

        @classmethod
        def poll_drop(cls, context: Context) -> bool:
            """Accept the 3D view and the editors of animation, and the Outliner where it shows objects."""
            space = None if context.area is None else context.area.spaces.active
            if isinstance(space, SpaceOutliner):
                return space.display_mode == "VIEW_LAYER"
            return space is not None and space.type in ("VIEW_3D", "DOPESHEET_EDITOR", "GRAPH_EDITOR", "NLA_EDITOR")

    return AnimationFileHandler


CLASSES = tuple(_file_handler(file_format) for file_format in FORMATS)
