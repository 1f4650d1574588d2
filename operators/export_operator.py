"""What the export operators of all formats share: what is exported, options, one digest line out."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from ..io_formats import messages as common_messages
from ..io_formats.errors import FormatError
from ..io_formats.files.batch_files import Outputs
from ..io_formats.scene_options import ExportOptions
from ..pipeline import export_plan
from ..pipeline import messages as pipeline_messages
from ..pipeline.export_files import export_files
from ..pipeline.export_plan import strangers, targets
from ..pipeline.language import error_text, say
from ..pipeline.results import Exported
from ..scene import provenance
from ..scene.capture.players import playing_action
from . import dialogs
from .options import PATH_FLAGS, draw_options, read_options
from .progress import Progress
from .reporting import tell_exports


class ExportOperator(ExportHelper):
    """Mixin of the export operators; a class of one format adds its package, and its options by `with_options`.

    `filepath` alone is enough for a script. `collection` is set by Blender's collection exporters.
    """

    bl_options: ClassVar[set[str]] = {"PRESET"}
    package: ClassVar[ModuleType]
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
        return ending if ending in self.package.EXTENSIONS else self.package.EXTENSIONS[0]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There has to be something that can be exported."""
        armature = cls.package.NEEDS_ARMATURE
        if context.scene is None or not export_plan.anything(context, armature=armature):
            needed = pipeline_messages.EXPORT_NEEDS_ARMATURE if armature else pipeline_messages.EXPORT_NEEDS_OBJECT
            cls.poll_message_set(needed)  # type: ignore[attr-defined]
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """The file browser, with the name that the Action had as a file."""
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
        """The file that the Action came from, else one named after the Action."""
        if origin is not None and origin.format == self.package.NAME and origin.file:
            return origin.file
        return bpy.path.clean_name(action.name) + self.package.EXTENSIONS[0]

    def prepare(self, action: Any) -> None:
        """Set options that depend on where the Action came from, before the dialogue opens; formats that have some."""

    def execute(self, context: bpy.types.Context) -> Any:
        """Write the file, or all of them."""
        if not self.filepath:
            return dialogs.fail(self, say(common_messages.NO_FILE_CHOSEN))
        options = read_options(self, self.package.ExportOptions)
        path = Path(bpy.path.abspath(self.filepath))
        try:
            others = strangers(path, targets(context, path, self.package, options, self._objects(context)))
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
            for exported in export_files(context, path, self.package, options, self._objects(context), outputs):
                written.append(exported)
                progress.step(exported.path.name)
        return written

    def _objects(self, context: bpy.types.Context) -> list[Any]:
        return export_plan.chosen(context, self.collection, armature=self.package.NEEDS_ARMATURE)

    def draw(self, context: bpy.types.Context) -> None:
        """The options in their panels."""
        del context
        draw_options(self.layout, self, self.package.ExportOptions)  # type: ignore[attr-defined]
