"""What can be done with the Action at hand: export in place, load its file again, follow the scene's rate."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty
from bpy.types import Action, Context, Event, Operator
from bpy_extras.io_utils import ExportHelper

from ..io_formats.errors import FormatError, Report
from ..io_formats.files import atomic_write, batch_files, steps
from ..pipeline import export_files, export_plan, import_files, played, reloading, source_file
from ..pipeline import messages as pipeline_messages
from ..pipeline.language import counted, say
from ..scene import actions, armatures, presence, provenance, rates, retime, targets
from ..scene.types import OperatorMixin, Returned
from . import batch, dialogs, messages, preferences, reporting
from .export_operators import ExportWork

if TYPE_CHECKING:
    from ..pipeline.import_files import Step


class _ActionTool(OperatorMixin):
    """What the tools share: they work on the Action in view, which has to come from a file of ours."""

    bl_options = {"REGISTER"}
    interactive: bool = False

    @classmethod
    def poll(cls, context: Context) -> bool:
        action = played.active_action(context)
        if action is None or provenance.find(action) is None:
            cls.poll_message_set(messages.TOOL_NEEDS_ACTION)
            return False
        return True


class CheckExactness(_ActionTool, Operator):
    """Count which F-Curves still are as they were imported."""

    bl_idname = "anim_curves.check_exactness"
    bl_label = "What Exports Exactly"
    bl_description = "Count the F-Curves that still are as they were imported, and name those that are not"

    def execute(self, context: Context) -> Returned:
        action = played.active_action(context)
        found = provenance.find(action)
        if found is not None and found.placement.reworked:
            self.report({"INFO"}, say(messages.PANEL_REWORKED))
            return {"FINISHED"}
        untouched, changed = export_files.exactness(action)
        if not changed:
            self.report({"INFO"}, say(messages.ALL_EXACT, curves=untouched))
            return {"FINISHED"}
        names = ", ".join(changed[:5]) + (" ..." if len(changed) > 5 else "")
        self.report({"INFO"}, say(messages.SOME_EXACT, untouched=untouched, changed=len(changed), names=names))
        return {"FINISHED"}


class ExportInPlace(dialogs.Question, _ActionTool, ExportWork, Operator):
    """Write the Action back to the file that it came from."""

    bl_idname = "anim_curves.export_in_place"
    bl_label = "Export in Place"
    bl_description = "Write the Action back to the file that it came from, replacing that file"
    bl_options = set()
    """Without Blender's Repeat Last, which would replace whatever file the Action then in view came from, unasked."""

    def invoke(self, context: Context, event: Event) -> Returned:
        """Ask first; Return means Cancel."""
        del event
        self.interactive = not bpy.app.background
        action = played.active_action(context)
        path = source_file.file_of(action)
        if path is None or not _can_be_replaced(action, path):
            return self.execute(context)  # which says why not
        return self.ask(context, say(messages.REPLACE_IN_PLACE, file=path.name, folder=path.parent))

    def draw(self, context: Context) -> None:
        """Show nothing but the question."""

    def execute(self, context: Context) -> Returned:
        if self.is_double_click(context):
            return {"CANCELLED"}
        action = played.active_action(context)
        path = source_file.file_of(action)
        if path is None:
            return dialogs.fail(self, say(messages.TOOL_NO_FILE))
        try:
            file_format = source_file.format_of_action(action)
            if file_format.is_packed(path):
                return dialogs.fail(self, say(messages.TOOL_IN_ARCHIVE))
            playing = played.players_of(action, context, alone=file_format.needs_armature)
            owners = playing or export_plan.chosen(context, armature=file_format.needs_armature)
            if not played.would_be_written(action, owners):
                return dialogs.fail(self, say(messages.TOOL_NOT_PLAYED, name=action.name))
            options, allowed = file_format.export_options(), batch_files.Outputs(overwrite=True)
            steps = export_files.export_in_steps(context, path, file_format, options, owners, allowed)
            return self.export(context, path, steps)
        except FormatError as error:
            return dialogs.fail_with(self, error)


class ReloadFile(_ActionTool, batch.ImportWork, Operator):
    """Import the Action's file again in its place."""

    bl_idname = "anim_curves.reload"
    bl_label = "Reload the File"
    bl_description = "Import the file again, with the same options, in the place of this Action"
    bl_options = {"REGISTER", "UNDO"}

    def invoke(self, context: Context, event: Event) -> Returned:
        self.interactive = not bpy.app.background
        return self.execute(context)

    def execute(self, context: Context) -> Returned:
        action = played.active_action(context)
        origin, path = provenance.find(action), source_file.file_of(action)
        if origin is None or path is None:
            return dialogs.fail(self, say(messages.TOOL_NO_FILE))
        try:
            file_format = source_file.format_of_action(action)
            saved = source_file.saved_options(origin, file_format)
        except FormatError as error:  # noted by another version, or changed by hand
            return dialogs.fail_with(self, error)
        options = replace(saved, target="SELECTED", existing="KEEP", nla="NONE", merge=False)
        if saved.target == "BY_NAME" or not (targets.selected_rig(context) or played.bones_of(action, origin)):
            options = replace(options, target="BY_NAME")
        load = import_files.Load(file_format, [path], options)
        steps = _reloading(context, action, origin, load)
        if self.interactive and batch.takes_long([load]):
            return self.begin_import(context, steps, [path])
        outcomes = [step.outcome for step in steps if step.outcome is not None]
        return reporting.tell_outcomes(self, context, outcomes)


class ConvertRate(_ActionTool, Operator):
    """Move the keys to where the scene's rate puts the file's seconds."""

    bl_idname = "anim_curves.convert_rate"
    bl_label = "Convert to the Scene's Rate"
    bl_description = "Move all keys so that the Action plays as fast as the file says at the scene's present rate"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> Returned:
        action = played.active_action(context)
        known, origin = provenance.find(action), steps.finished(source_file.open_origin(action, Report()))
        parts = [action] if known is None else played.siblings(action, known)
        linked = next((part for part in parts if not part.is_editable), None)
        if linked is not None:
            return dialogs.fail(self, say(messages.RATE_LINKED, name=linked.name))
        markers = origin.source.clip.markers if origin is not None else ()
        keys = sum(retime.convert(part, rates.scene_rate(context.scene), markers) for part in parts)
        reporting.tell(self, context, say(messages.RATE_CONVERTED, keys=counted(keys, pipeline_messages.KEYS)), [])
        return {"FINISHED"}


class SaveNameTable(_ActionTool, ExportHelper, Operator):
    """Save which bone each name of the file was given, to be changed by hand and used by imports."""

    bl_idname = "anim_curves.save_name_table"
    bl_label = "Save the Name Table"
    bl_description = "Save which bone each name of the Action's file means on the active armature, as JSON for imports"
    filename_ext = ".json"

    if TYPE_CHECKING:
        filepath: str
        filter_glob: str
    else:
        filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def execute(self, context: Context) -> Returned:
        report = Report()
        rig = targets.selected_rig(context)
        action = played.active_action(context)
        origin, known = steps.finished(source_file.open_origin(action, report)), provenance.find(action)
        if rig is None or origin is None or known is None:
            return dialogs.fail(self, say(messages.TABLE_NEEDS_RIG))
        matched, table = source_file.name_table(rig, origin, known)
        try:
            atomic_write.write_atomically(bpy.path.abspath(self.filepath), table.encode())
        except FormatError as error:
            return dialogs.fail_with(self, error)
        reporting.tell(
            self, context, say(messages.TABLE_SAVED, matched=matched, total=len(origin.source.clip.nodes)), []
        )
        return {"FINISHED"}


def _reloading(
    context: Context, action: Action, origin: provenance.Provenance, load: import_files.Load
) -> Generator[Step, None, None]:
    """Import the file of an Action in its place."""
    folders, in_strips = preferences.game_folders(context), played.players_by_strips(action, origin, context)
    rig = targets.selected_rig(context) if load.options.only_selected_bones else None
    with armatures.selecting(rig, played.bones_of(action, origin)) if rig is not None else nullcontext():
        for step in import_files.import_loads(context, [load], folders):
            if step.outcome is not None and presence.is_there(action):
                reloading.take_places(action, origin, step.outcome)
            yield step
    for owner in filter(presence.is_there, in_strips):
        actions.assign(owner, None)  # the strips play the new Action, which would cover them


def _can_be_replaced(action: Action, path: Path) -> bool:
    """Return whether the file of an Action is one that a format known here writes, and in no archive."""
    try:
        return not source_file.format_of_action(action).is_packed(path)
    except FormatError:
        return False


CLASSES = (CheckExactness, ExportInPlace, ReloadFile, ConvertRate, SaveNameTable)
