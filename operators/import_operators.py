"""The import operators, one for each format: files in, options, one digest line out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import bpy
from bpy.props import CollectionProperty, StringProperty
from bpy.types import Context, Event, OperatorFileListElement
from bpy_extras.io_utils import ImportHelper

from ..io_formats import FORMATS
from ..io_formats import messages as common_messages
from ..pipeline import import_files
from ..pipeline.language import say
from ..scene.types import CollectionOf, OperatorMixin, Returned
from . import batch, dialogs, file_preview, messages, preferences
from .options import PATH_FLAGS, draw_options, made_for, read_options

if TYPE_CHECKING:
    from ..io_formats.format import AnyFormat


class ImportOperator(ImportHelper, OperatorMixin):
    """Mixin of the import operators; the class of a format adds its words and its options.

    `filepath` alone is enough for a script; `directory` and `files` name several files.
    """

    bl_options = {"REGISTER", "UNDO", "PRESET"}
    interactive = False
    in_browser = False

    if TYPE_CHECKING:
        file_format: ClassVar[AnyFormat]
        bl_idname: str
        menu_label: ClassVar[str]
        filepath: str
        directory: str
        files: CollectionOf[OperatorFileListElement]
    else:
        filepath: StringProperty(name="File Path", subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE", *PATH_FLAGS})
        directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
        files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Require a scene with a view layer to import into."""
        if context.scene is None or context.view_layer is None:
            cls.poll_message_set(messages.IMPORT_NEEDS_SCENE)
            return False
        return True

    def invoke(self, context: Context, event: Event) -> Returned:  # type: ignore[override]
        """Open the file browser; after a drop, only a dialogue with the options."""
        del event
        self.interactive = not bpy.app.background
        self.in_browser = not self.properties.is_property_set("filepath")
        preferences.apply_defaults(context, self)
        return self.invoke_popup(context)

    def execute(self, context: Context) -> Returned:
        """Import the chosen files, several ones file by file so that the window lives on."""
        paths = chosen_files(self.filepath, self.directory, [entry.name for entry in self.files])
        if not paths:
            return dialogs.fail(self, say(common_messages.NO_FILE_CHOSEN))
        options = read_options(self, self.file_format.import_options)
        return batch.run(self, context, [import_files.Load(self.file_format, paths, options)])

    def draw(self, context: Context) -> None:
        """Draw what the chosen file is, then the options in their panels."""
        file_preview.draw(self.layout, context, self)
        draw_options(self.layout, self, self.file_format.import_options)


def chosen_files(filepath: str, directory: str, names: list[str]) -> list[Path]:
    """Return the files that an operator was given, in its order: `names` within `directory`, else `filepath`."""
    folder = Path(bpy.path.abspath(directory)) if directory else Path(bpy.path.abspath(filepath)).parent
    several = [folder / name for name in names if name]
    if several:
        return several
    return [Path(bpy.path.abspath(filepath))] if filepath else []


def _operator(file_format: AnyFormat) -> type[ImportOperator]:
    """Return the import operator of a format."""
    return made_for(file_format, "Import", ImportOperator, file_format.import_words, file_format.import_options)


CLASSES = tuple(_operator(file_format) for file_format in FORMATS)
