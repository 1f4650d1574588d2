"""The export operators, one for each format: what is exported, options, one digest line out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from ..io_formats import FORMATS
from ..io_formats import messages as common_messages
from ..io_formats.errors import FormatError
from ..io_formats.files.batch_files import Outputs
from ..io_formats.format import AnyFormat
from ..io_formats.scene_options import ExportOptions
from ..pipeline import export_plan
from ..pipeline import messages as pipeline_messages
from ..pipeline.export_files import export_files
from ..pipeline.export_plan import strangers, targets
from ..pipeline.language import error_text, say
from ..pipeline.results import Exported
from ..pipeline.source_file import facts_of
from ..scene import provenance
from ..scene.capture.players import playing_action
from . import dialogs
from .options import PATH_FLAGS, draw_options, made_for, read_options
from .progress import Progress
from .reporting import tell_exports


class ExportOperator(ExportHelper):
    """Mixin of the export operators; the class of a format adds its words and its options.

    `filepath` alone is enough for a script. `collection` is set by Blender's collection exporters.
    """

    bl_options: ClassVar[set[str]] = {"PRESET"}
    file_format: ClassVar[AnyFormat]
    bl_idname: ClassVar[str]
    menu_label: ClassVar[str]
    interactive = False

    if TYPE_CHECKING:
        filepath: str
        collection: str
        overwrite: bool
    else:
        filepath: StringProperty(name="File Path", subtype="FILE_PATH", options={"SKIP_PRESET", *PATH_FLAGS})
        collection: StringProperty(
            name="Source Collection",
            description="Export only objects of this collection and its children",
            options={"HIDDEN", "SKIP_SAVE"},
        )
        overwrite: BoolProperty(
            name="Overwrite",
            description="Replace files that exist already, where others are written than the one that is named",
            options={"HIDDEN", "SKIP_SAVE"},
        )

    @property
    def filename_ext(self) -> str:
        """The ending that a file name gets when it has none of the format's."""
        ending = Path(self.filepath).suffix.lower()
        return ending if ending in self.file_format.extensions else self.file_format.extensions[0]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Require something that can be exported."""
        armature = cls.file_format.needs_armature
        if context.scene is None or not export_plan.anything(context, armature=armature):
            needed = pipeline_messages.EXPORT_NEEDS_ARMATURE if armature else pipeline_messages.EXPORT_NEEDS_OBJECT
            cls.poll_message_set(needed)  # type: ignore[attr-defined]
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Open the file browser, with the name that the Action had as a file."""
        self.interactive = not bpy.app.background
        try:
            action = playing_action(self._objects(context))
        except FormatError as error:
            return dialogs.fail(self, error_text(error))
        origin = provenance.find(action) if action is not None else None
        if not self.filepath and action is not None:
            folder = Path(bpy.data.filepath).parent if bpy.data.filepath else Path()
            self.filepath = str(folder / self.suggested_name(action, origin))
        if action is not None:
            self.prepare(action)
        return super().invoke(context, event)

    def suggested_name(self, action: Any, origin: provenance.Provenance | None) -> str:
        """Return the file that the Action came from, else one named after the Action."""
        if origin is not None and origin.format == self.file_format.name and origin.file:
            return origin.file
        return bpy.path.clean_name(action.name) + self.file_format.extensions[0]

    def prepare(self, action: Any) -> None:
        """Set the options that depend on the Action's file, before the dialogue opens."""
        for name, value in self.file_format.export_defaults(facts_of(action)).items():
            setattr(self.properties, name, value)  # type: ignore[attr-defined]

    def execute(self, context: bpy.types.Context) -> Any:
        """Write the file, or all of them."""
        if not self.filepath:
            return dialogs.fail(self, say(common_messages.NO_FILE_CHOSEN))
        options = read_options(self, self.file_format.export_options)
        path = Path(bpy.path.abspath(self.filepath))
        try:
            others = strangers(path, targets(context, path, self.file_format, options, self._objects(context)))
            if others and self.interactive and not self.overwrite:
                return dialogs.ask_to_replace(self, others)
            written = self._write(context, path, options)
        except FormatError as error:
            return dialogs.fail(self, error_text(error))
        return tell_exports(self, context, written)

    def _write(self, context: bpy.types.Context, path: Path, options: ExportOptions) -> list[Exported]:
        outputs = Outputs(overwrite=True) if self.overwrite else None
        written: list[Exported] = []
        with Progress(context, 1) as progress:
            for exported in export_files(context, path, self.file_format, options, self._objects(context), outputs):
                written.append(exported)
                progress.step(exported.path.name)
        return written

    def _objects(self, context: bpy.types.Context) -> list[Any]:
        return export_plan.chosen(context, self.collection, armature=self.file_format.needs_armature)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the options in their panels."""
        del context
        draw_options(self.layout, self, self.file_format.export_options)  # type: ignore[attr-defined]


def _operator(file_format: AnyFormat) -> type[ExportOperator]:
    """Return the export operator of a format."""
    return made_for(file_format, "Export", ExportOperator, file_format.export_words, file_format.export_options)


CLASSES = tuple(_operator(file_format) for file_format in FORMATS)
