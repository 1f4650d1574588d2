"""What can be done with the Action at hand: export in place, load its file again, follow the scene's rate."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty
from bpy.types import ID, Action, Context, Event, Object, Operator
from bpy_extras.io_utils import ExportHelper

from ..io_formats.clip.bone_names import table_text
from ..io_formats.errors import FormatError, Report
from ..io_formats.files.atomic_write import write_atomically
from ..io_formats.files.batch_files import Outputs
from ..io_formats.files.steps import finished
from ..pipeline import export_plan
from ..pipeline import messages as pipeline_messages
from ..pipeline.export_files import exactness, export_in_steps
from ..pipeline.import_files import Load, Step, import_loads
from ..pipeline.language import counted, say
from ..pipeline.reloading import take_places
from ..pipeline.source_file import file_of, format_of_action, open_origin, saved_options
from ..scene import actions, armatures, presence, provenance, retime, targets
from ..scene.capture import influences, players
from ..scene.data_paths import split_bone
from ..scene.rates import scene_rate
from ..scene.types import OperatorMixin, Returned
from . import batch, dialogs, messages, preferences
from .export_operators import ExportWork
from .reporting import tell, tell_outcomes


class _ActionTool(OperatorMixin):
    """What the tools share: they work on the Action in view, which has to come from a file of ours."""

    bl_options = {"REGISTER"}
    interactive: bool = False

    @classmethod
    def poll(cls, context: Context) -> bool:
        action = active_action(context)
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
        action = active_action(context)
        found = provenance.find(action)
        if found is not None and found.placement.reworked:
            self.report({"INFO"}, say(messages.PANEL_REWORKED))
            return {"FINISHED"}
        untouched, changed = exactness(action)
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
        action = active_action(context)
        path = file_of(action)
        if path is None or not _can_be_replaced(action, path):
            return self.execute(context)  # which says why not
        return self.ask(context, say(messages.REPLACE_IN_PLACE, file=path.name, folder=path.parent))

    def draw(self, context: Context) -> None:
        """Show nothing but the question."""

    def execute(self, context: Context) -> Returned:
        if self.is_double_click(context):
            return {"CANCELLED"}
        action = active_action(context)
        path = file_of(action)
        if path is None:
            return dialogs.fail(self, say(messages.TOOL_NO_FILE))
        try:
            file_format = format_of_action(action)
            if file_format.is_packed(path):
                return dialogs.fail(self, say(messages.TOOL_IN_ARCHIVE))
            playing = _players_of(action, context, alone=file_format.needs_armature)
            owners = playing or export_plan.chosen(context, armature=file_format.needs_armature)
            if not _would_be_written(action, owners):
                return dialogs.fail(self, say(messages.TOOL_NOT_PLAYED, name=action.name))
            options, allowed = file_format.export_options(), Outputs(overwrite=True)
            steps = export_in_steps(context, path, file_format, options, owners, allowed)
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
        action = active_action(context)
        origin, path = provenance.find(action), file_of(action)
        if origin is None or path is None:
            return dialogs.fail(self, say(messages.TOOL_NO_FILE))
        try:
            file_format = format_of_action(action)
            saved = saved_options(origin, file_format)
        except FormatError as error:  # noted by another version, or changed by hand
            return dialogs.fail_with(self, error)
        options = replace(saved, target="SELECTED", existing="KEEP", nla="NONE", merge=False)
        if saved.target == "BY_NAME" or not (targets.selected_rig(context) or _bones_of(action, origin)):
            options = replace(options, target="BY_NAME")
        load = Load(file_format, [path], options)
        steps = _reloading(context, action, origin, load)
        if self.interactive and batch.takes_long([load]):
            return self.begin_import(context, steps, [path])
        outcomes = [step.outcome for step in steps if step.outcome is not None]
        return tell_outcomes(self, context, outcomes)


class ConvertRate(_ActionTool, Operator):
    """Move the keys to where the scene's rate puts the file's seconds."""

    bl_idname = "anim_curves.convert_rate"
    bl_label = "Convert to the Scene's Rate"
    bl_description = "Move all keys so that the Action plays as fast as the file says at the scene's present rate"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> Returned:
        action = active_action(context)
        known, origin = provenance.find(action), finished(open_origin(action, Report()))
        parts = [action] if known is None else players.siblings(action, known)
        linked = next((part for part in parts if not part.is_editable), None)
        if linked is not None:
            return dialogs.fail(self, say(messages.RATE_LINKED, name=linked.name))
        markers = origin.source.clip.markers if origin is not None else ()
        keys = sum(retime.convert(part, scene_rate(context.scene), markers) for part in parts)
        tell(self, context, say(messages.RATE_CONVERTED, keys=counted(keys, pipeline_messages.KEYS)), [])
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
        action = active_action(context)
        origin, known = finished(open_origin(action, report)), provenance.find(action)
        if rig is None or origin is None or known is None:
            return dialogs.fail(self, say(messages.TABLE_NEEDS_RIG))
        table = targets.match_bones(rig, origin.source.clip.nodes, lenient=True, table=known.bones)
        left_out = {node.name: "" for node in origin.source.clip.nodes if node.name not in table}
        try:
            write_atomically(bpy.path.abspath(self.filepath), table_text({**table, **left_out}).encode())
        except FormatError as error:
            return dialogs.fail_with(self, error)
        tell(self, context, say(messages.TABLE_SAVED, matched=len(table), total=len(table) + len(left_out)), [])
        return {"FINISHED"}


def _reloading(
    context: Context, action: Action, origin: provenance.Provenance, load: Load
) -> Generator[Step, None, None]:
    """Import the file of an Action in its place."""
    folders, in_strips = preferences.game_folders(context), _players_by_strips(action, origin, context)
    rig = targets.selected_rig(context) if load.options.only_selected_bones else None
    with armatures.selecting(rig, _bones_of(action, origin)) if rig is not None else nullcontext():
        for step in import_loads(context, [load], folders):
            if step.outcome is not None and presence.is_there(action):
                take_places(action, origin, step.outcome)
            yield step
    for owner in filter(presence.is_there, in_strips):
        actions.assign(owner, None)  # the strips play the new Action, which would cover them


def _can_be_replaced(action: Action, path: Path) -> bool:
    """Return whether the file of an Action is one that a format known here writes, and in no archive."""
    try:
        return not format_of_action(action).is_packed(path)
    except FormatError:
        return False


def active_action(context: Context) -> Action | None:
    """Return the Action that the editor shows, else the one that the active object plays, None if there is none."""
    shown: Action | None = getattr(context.space_data, "action", None)
    if shown is not None:
        return shown
    active = context.view_layer.objects.active if context.view_layer else None
    return players.playing_action([active]) if active is not None else None


def _bones_of(action: Action, origin: provenance.Provenance) -> set[str]:
    """Return the bones of which an imported Action has curves that the import wrote."""
    found = ((handle, curve.data_path, curve.array_index) for handle, curve in actions.every_curve(action))
    bones = (split_bone(path)[0] for handle, path, index in found if origin.has_written(handle, path, index))
    return {bone for bone in bones if bone is not None}


def _players_by_strips(action: Action, origin: provenance.Provenance, context: Context) -> list[ID]:
    """Return what plays an Action, or others of its animation, by NLA strips, muted or not, and has none assigned."""
    parts = players.siblings(action, origin)
    owners = [owner for thing in context.scene.objects for owner in players.datablocks_of(thing)]
    free = [owner for owner in owners if actions.assigned(owner)[0] is None]
    return [owner for owner in free if any(found in parts for found, _ in influences.stripped(owner))]


def _players_of(action: Action, context: Context, *, alone: bool) -> list[Object]:
    """Return the objects that play an Action: one for each slot where the active one is among them, else all.

    Args:
        alone: the format holds one armature, so that slots which a person added do not count, and an active player is
            all.
    """
    playing = [(owner, slot) for owner, slot in actions.users_of(action) if isinstance(owner, Object)]
    if alone:
        playing = [(owner, slot) for owner, slot in playing if players.is_of_import(action, slot)]
    active = context.view_layer.objects.active
    if any(owner == active for owner, _ in playing):
        by_slot = {slot: owner for owner, slot in playing if owner == active}
        for owner, slot in playing:
            by_slot.setdefault(slot, owner)
        return list(by_slot.values())[: 1 if alone else None]
    by_strip = active is not None and actions.assigned(active)[0] != action
    if by_strip and players.playing_action([active]) == action:
        return [active]
    return [owner for owner, _ in playing]


def _would_be_written(action: Action, owners: Sequence[Object]) -> bool:
    """Return whether an export of what these objects play is one of this Action; shape keys alone play no object's."""
    playing, origin = players.playing_action(owners), provenance.find(action)
    return playing is None or playing == action or (origin is not None and playing in players.siblings(action, origin))


CLASSES = (CheckExactness, ExportInPlace, ReloadFile, ConvertRate, SaveNameTable)
