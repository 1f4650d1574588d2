"""The export operators, one for each format: what is exported, options, one digest line out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Action, Context, Event, Object
from bpy_extras.io_utils import ExportHelper

from ..io_formats import FORMATS
from ..io_formats import messages as common_messages
from ..io_formats.errors import FormatError
from ..io_formats.files import batch_files
from ..pipeline import export_files, export_plan, source_file
from ..pipeline import messages as pipeline_messages
from ..pipeline.language import CONTEXT, say
from ..scene import provenance
from ..scene.types import Returned
from . import dialogs, preferences, reporting
from .preferences import PATH_FLAGS, draw_options, made_for, property_of, read_options
from .window_work import ExportWork

if TYPE_CHECKING:
    from ..io_formats.format import AnyFormat, Facts


class ExportOperator(ExportHelper, ExportWork):
    """Mixin of the export operators, to which a format adds words and options; `filepath` is enough for a script, and
    `collection` is set by Blender's collection exporters."""

    bl_options = {"PRESET"}
    in_browser = False
    ending = ""
    _last_ending = ""
    """What the menu Format said before, of a format with several; empty where no file browser is open."""

    file_format: ClassVar[AnyFormat]
    bl_idname: str
    menu_label: ClassVar[str]
    filepath: str = property_of(StringProperty, "File Path", subtype="FILE_PATH", options={"SKIP_PRESET", *PATH_FLAGS})
    collection: str = property_of(
        StringProperty,
        "Source Collection",
        "Export only objects of this collection and its children",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    named_for: str = property_of(StringProperty, options={"HIDDEN", "SKIP_PRESET"})
    """The Action of which `filepath` was last; the next export, which is offered both again, may be of another."""
    overwrite: bool = property_of(
        BoolProperty,
        "Overwrite",
        "Replace files that exist already, where others are written than the one that is named",
        options={"SKIP_PRESET"},
    )
    confirmed: bool = property_of(BoolProperty, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})  # to replace files

    @property
    def filename_ext(self) -> str:
        """The ending that a file name gets when it has none of the format's; its own in its own case of letters."""
        ending = Path(self.filepath).suffix
        return ending if ending.lower() in self.file_format.extensions else self.file_format.extensions[0]

    def check(self, context: Context) -> bool:  # type: ignore[override]
        """Let the menu Format and the ending of the file's name follow each other, whichever was changed."""
        before = self.filepath
        if self._last_ending and os.path.basename(before):  # a folder alone has no ending
            stem, found = os.path.splitext(before)
            known = found.lower() in self.file_format.extensions
            if known and self.ending == self._last_ending:
                self.ending = found.lower()
            if found.lower() != self.ending:
                self.filepath = (stem if known else before) + self.ending
            self._last_ending = self.ending
        super().check(context)
        return self.filepath != before

    @classmethod
    def poll(cls, context: Context) -> bool:
        armature = cls.file_format.needs_armature
        needed = pipeline_messages.EXPORT_NEEDS_ARMATURE if armature else pipeline_messages.EXPORT_NEEDS_OBJECT
        met = context.scene is not None and export_plan.anything(context, armature=armature)
        return reporting.allowed(cls, met, needed)

    def invoke(self, context: Context, event: Event) -> Returned:  # type: ignore[override]
        self.interactive = not bpy.app.background
        if self.confirmed:
            return self.execute(context)
        self.in_browser = self.interactive
        preferences.apply_defaults(context, self)
        self.overwrite = False  # whatever was allowed the last time
        try:
            export_files.require_scene(context, context.scene)
            found = self._objects(context)
            action = export_plan.playing_action([*found, *export_plan.armatures_of(found)])
        except FormatError as error:
            return dialogs.fail_with(self, error)
        origin = provenance.find(action) if action is not None else None
        if action is not None and self.named_for != action.name and not self.properties.is_property_set("filepath"):
            is_own = origin is not None and origin.format == self.file_format.name and origin.file
            name = origin.file if is_own else batch_files.safe(action.name) + self.file_format.extensions[0]
            folder = _first_folder(action, self.filepath)
            self.filepath, self.named_for = str(batch_files.free(folder / name)), action.name
        if self.file_format.forms:
            self.ending = self._last_ending = self.filename_ext.lower()
        if action is not None:
            for name, value in self.file_format.export_defaults(source_file.facts_of(action)).items():
                setattr(self.properties, name, value)
        return super().invoke(context, event)

    def execute(self, context: Context) -> Returned:
        if not self.filepath:
            return dialogs.fail(self, say(common_messages.NO_FILE_CHOSEN))
        options = read_options(self, self.file_format.export_options)
        path = Path(bpy.path.abspath(self.filepath))
        try:
            objects = self._objects(context)
            if self.interactive:
                wanted = export_plan.targets(context, path, self.file_format, options, objects)
                others = [] if self.overwrite else export_plan.strangers(path, wanted)
                if not self.confirmed and (others or len(wanted) > batch_files.MANY):
                    return dialogs.ask_to_write(self, len(wanted), others)
            outputs = batch_files.Outputs(overwrite=True) if self.overwrite else None
            steps = export_files.export_in_steps(context, path, self.file_format, options, objects, outputs)
            return self.export(context, path, steps)
        except FormatError as error:
            return dialogs.fail_with(self, error)

    def _objects(self, context: Context) -> list[Object]:
        return export_plan.chosen(context, self.collection, armature=self.file_format.needs_armature)

    def draw(self, context: Context) -> None:
        if self._last_ending:  # a collection's exporter asks for a name only
            self.layout.row().prop(self, "ending", expand=True)
        named = Path(self.filepath).suffix.lower()
        ending = self._last_ending or (named if named in self.file_format.extensions else "")
        draw_options(self.layout, self, self.file_format.export_options, ending)
        if not self.interactive:  # nor asks before it replaces files
            self.layout.prop(self, "overwrite")


def _first_folder(action: Action, last: str) -> Path:
    if last or bpy.data.filepath:
        return Path(bpy.path.abspath(last) or bpy.data.filepath).parent
    source = source_file.file_of(action)
    return source.parent if source is not None and source.parent.is_dir() else Path()


def _operator(known: AnyFormat) -> type[ExportOperator]:
    about: Facts = {"options": {"HIDDEN", "SKIP_SAVE"}, "translation_context": CONTEXT}
    menu = {"ending": EnumProperty(name="Format", items=known.forms, **about)} if known.forms else {}
    return made_for(known, "Export", ExportOperator, known.words.saves, known.export_options, **menu)


CLASSES = tuple(map(_operator, FORMATS))
