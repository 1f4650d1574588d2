"""What can be done with the Action at hand: with an imported one and its file, and with the keys of any."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator
from bpy_extras.io_utils import ExportHelper
from mathutils import Matrix

from ..io_formats import FORMATS
from ..io_formats.errors import FormatError, Report, first_names
from ..io_formats.files import batch_files, steps, whole_file
from ..io_formats.options import LIMITS
from ..io_formats.scene_options import ExportOptions, ImportOptions
from ..pipeline import export_files, export_plan, import_files, source_file
from ..pipeline import messages as pipeline_messages
from ..pipeline.language import CONTEXT, counted, entry_text, say
from ..scene import actions, armatures, names, provenance, rates, take, targets, undo
from ..scene.capture import nodes
from ..scene.names import printable
from ..scene.types import CollectionOf, OperatorMixin, Returned, is_rig
from . import dialogs, importing, messages, preferences, reporting
from .preferences import properties, property_of
from .window_work import ExportWork

if TYPE_CHECKING:
    from ..io_formats.clip import Marker
    from ..pipeline.import_files import Step


_NAMES_SHOWN, _NAMES_WIDTH = 14, 460
"""Lines of the list of names at most, and pixels."""


class _ActionTool(OperatorMixin):
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        action = export_plan.active_action(context)
        return reporting.allowed(cls, action is not None and provenance.find(action), messages.TOOL_NEEDS_ACTION)


def when_exact(origin: provenance.Provenance | None) -> str:
    """Return in words what the F-Curves of an imported Action are compared with."""
    return say(messages.AS_IMPORTED if origin is None or origin.saved is None else messages.AS_EXPORTED)


class CheckExactness(_ActionTool, Operator):
    """Count the F-Curves that are as imported, or as last exported in place, and name the others."""

    bl_idname = "anim_curves.check_exactness"
    bl_label = "What Exports Exactly"

    def execute(self, context: Context) -> Returned:
        action = export_plan.active_action(context)
        untouched, changed = export_files.exactness(action)
        shown = {"untouched": untouched, "when": when_exact(provenance.find(action)), "changed": len(changed)}
        template = messages.SOME_EXACT if changed else messages.ALL_EXACT
        self.report({"INFO"}, say(template, names=first_names(changed), **shown))
        return {"FINISHED"}


class ExportInPlace(dialogs.Question, _ActionTool, ExportWork, Operator):
    """Write the Action back to the file that it came from, replacing that file."""

    bl_idname = "anim_curves.export_in_place"
    bl_label = "Export in Place"
    bl_options = set()
    """Without Blender's Repeat Last, which would replace whatever file the Action then in view came from, unasked."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not super().poll(context):
            return False
        action = export_plan.active_action(context)
        path, origin = source_file.file_of(action), provenance.find(action)
        formats = [each for each in FORMATS if origin is not None and each.name == origin.format]
        is_file = path is not None and not any(each.is_packed(path) for each in formats)
        return reporting.allowed(cls, is_file, messages.TOOL_NOT_IN_PLACE)

    def _question(self, context: Context) -> Returned:
        export_files.require_scene(context, context.scene)
        action = export_plan.active_action(context)
        path = source_file.file_of(action) or Path()
        if not path.exists():
            return self.execute(context)
        template = messages.REPLACE_OTHER if source_file.is_other(action, path) else messages.REPLACE_IN_PLACE
        return self.ask(context, say(template, file=path.name, folder=path.parent))

    def _answered(self, context: Context) -> Returned:
        action = export_plan.active_action(context)
        path, file_format = source_file.file_of(action) or Path(), source_file.format_of_action(action)
        playing = export_plan.players_of(action, context, alone=file_format.needs_armature)
        owners = playing or export_plan.chosen(context, armature=file_format.needs_armature)
        if not export_plan.would_be_written(action, owners, plays=bool(playing)):
            return dialogs.fail(self, say(messages.TOOL_NOT_PLAYED, name=action.name))
        limits = preferences.defaults(context, file_format.export_options)
        options, allowed = file_format.export_options(**limits), batch_files.Outputs(overwrite=True)
        steps = export_files.export_in_steps(context, path, file_format, options, owners, allowed, back=True)
        return self.export(context, path, steps)


class ExportChanged(dialogs.Question, ExportWork, Operator):
    """Write every imported Action whose keys were changed since to a free name beside its file."""

    bl_idname = "anim_curves.export_changed"
    bl_label = "Export Changed"
    bl_options = set()
    """Without Repeat Last, see ExportInPlace."""

    _names: dict[bool, list[str]]
    in_place: bool = property_of(
        BoolProperty, "In Place", "Replace the files that the Actions came from", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        imported = any(action.get(provenance.KEY) is not None for action in bpy.data.actions)
        return reporting.allowed(cls, imported, messages.TOOL_NEEDS_IMPORT)

    def _question(self, context: Context) -> Returned:
        export_files.require_scene(context, context.scene)
        found = export_plan.changes(context)
        if not found.parts:
            return self.execute(context)  # which says why not
        self._names = {choice: list(map(_named, found.written(in_place=choice))) for choice in (False, True)}
        return self.ask(context, _changed(found), _NAMES_WIDTH, confirm=say(messages.BUTTON_EXPORT))

    def draw(self, context: Context) -> None:
        self.layout.prop(self, "in_place")
        dialogs.draw_names(self.layout, self._names[self.in_place])

    def _answered(self, context: Context) -> Returned:
        found = export_plan.changes(context)
        if not found.parts:
            return dialogs.fail(self, _changed(found))
        limits = preferences.defaults(context, ExportOptions)
        steps = export_files.export_changed(context, found, limits, in_place=self.in_place)
        return self.export(context, found.parts[0].path, steps)


class _Reloading(_ActionTool, importing.ImportWork):
    bl_options = {"REGISTER", "UNDO"}

    def reload(self, context: Context, name_table: str = "") -> Returned:
        """Import the file as it was, but with today's limits and rate, and another table of names if given."""
        dialogs.leave_edit_mode(context)
        action = export_plan.active_action(context)
        origin, path = provenance.find(action), source_file.file_of(action)
        if origin is None or path is None:
            return dialogs.fail(self, say(messages.TOOL_NO_FILE))
        try:
            file_format = source_file.format_of_action(action)
            parts, things = export_plan.siblings(action, origin), [*context.scene.objects]
            tied = names.by_tie(thing for part in parts for thing in export_plan.players_among(part, things))
            for thing in {*tied.values()} & {*context.view_layer.objects}:
                thing.select_set(thing.type != "ARMATURE" or thing.select_get())  # to be taken again
            saved, rig = source_file.saved_options(origin, file_format), targets.selected_rig(context)
            table = saved.name_table if rig is None else source_file.names_again(rig, origin, saved.name_table)
        except FormatError as error:  # noted by another version, or changed by hand
            return dialogs.fail_with(self, error)
        asked = {name: value for name, value in preferences.defaults(context, saved).items() if name in LIMITS}
        by_name = saved.target == "BY_NAME" or not (rig or export_plan.bones_of(action, origin))
        asked |= {"target": "BY_NAME" if by_name else "SELECTED", "name_table": name_table or table, "rate": "SCENE"}
        skeleton = Path(bpy.path.abspath(saved.skeleton))
        if saved.skeleton and not (skeleton.is_file() or file_format.is_packed(skeleton)):  # which is kept
            asked["skeleton"] = ""
        options = replace(saved, existing="KEEP", nla="NONE", merge=False, **asked)
        again = {node: tied[tie] for node, tie in origin.ties.items() if tie in tied}  # hidden or renamed ones, too
        load = import_files.Load(file_format, [path], options, again)
        steps = _reloading(context, action, origin, load)
        if self.interactive and importing.takes_long([load]):
            return self.begin_import(context, steps, [path])
        return reporting.tell_outcomes(self, context, [step.outcome for step in steps if step.outcome is not None])


class ReloadFile(dialogs.Question, _Reloading, Operator):
    """Import the file again, with the same options, in the place of this Action."""

    bl_idname = "anim_curves.reload"
    bl_label = "Reload the File"

    def _question(self, context: Context) -> Returned:
        edited = _edited(context) if self.interactive else ""
        return self.ask(context, edited) if edited else self.execute(context)

    def _answered(self, context: Context) -> Returned:
        return self.reload(context)


class ConvertRate(_ActionTool, Operator):
    """Move all keys so that the Action plays as fast as the file says at the scene's present rate."""

    bl_idname = "anim_curves.convert_rate"
    bl_label = "Convert to the Scene's Rate"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> Returned:
        dialogs.leave_edit_mode(context)
        parts: dict[Action, Sequence[Marker]] = {}
        for action in rates.placed_together(export_plan.active_action(context)):
            origin = steps.finished(source_file.open_origin(action, Report()))
            markers = origin.source.clip.markers if origin is not None else ()
            parts |= dict.fromkeys(export_plan.siblings(action, provenance.find(action)), markers)
        linked = next((part for part in parts if not part.is_editable), None)
        if linked is not None:
            return dialogs.fail(self, say(messages.RATE_LINKED, name=linked.name))
        keys = rates.convert(parts, rates.scene_rate(context.scene), report := Report())
        line = say(messages.RATE_CONVERTED, keys=counted(keys, pipeline_messages.KEYS))
        reporting.tell(self, context, line, [report])
        return {"FINISHED"}


class MatchNames(_Reloading, Operator):
    """Say which bone each name of the Action's file means, and import the file again in its place."""

    bl_idname = "anim_curves.match_names"
    bl_label = "Match Names"

    pairs: CollectionOf[importing.NamePair] = property_of(
        CollectionProperty, type=importing.NamePair, options={"SKIP_SAVE"}
    )
    active: int = property_of(IntProperty, options={"SKIP_SAVE", "HIDDEN"})
    _question = ""

    def invoke(self, context: Context, event: Event) -> Returned:
        self.interactive = not bpy.app.background
        found, self._question = _matches(context), _edited(context)
        if found is None:
            return dialogs.fail(self, say(messages.TABLE_NEEDS_RIG))
        importing.list_names(self.pairs, found)
        return context.window_manager.invoke_props_dialog(self, width=_NAMES_WIDTH)

    def draw(self, context: Context) -> None:
        importing.draw_names(self.layout, self, _NAMES_SHOWN)
        if self._question:
            reporting.draw_sentence(self.layout, context, self._question, "ERROR")

    def execute(self, context: Context) -> Returned:
        return self.reload(context, name_table=importing.table_of(self.pairs))


class SaveNameTable(_ActionTool, ExportHelper, Operator):
    """Save which bone each name of the Action's file means on the active armature, as JSON for imports."""

    bl_idname = "anim_curves.save_name_table"
    bl_label = "Save as Name Table"
    filename_ext = ".json"

    filepath: str
    filter_glob: str = property_of(StringProperty, default="*.json", options={"HIDDEN"})
    table: str = property_of(
        StringProperty,
        "Name Table",
        "The text of a table that is saved as it is; empty takes what the names mean now",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Returned:
        found = _matches(context)
        if found is None:
            return dialogs.fail(self, say(messages.TABLE_NEEDS_RIG))
        try:
            found = source_file.load_table(self.table) if self.table else found
            whole_file.write_atomically(bpy.path.abspath(self.filepath), source_file.table_text(found).encode())
        except FormatError as error:
            return dialogs.fail_with(self, error)
        matched = sum(map(bool, found.values()))
        reporting.tell(self, context, say(messages.TABLE_SAVED, matched=matched, total=len(found)), [])
        return {"FINISHED"}


class _TakeTool(OperatorMixin):
    """What the tools for keys share: they change what the active object plays, by as much as a person then adjusts."""

    bl_options = {"REGISTER", "UNDO"}
    bl_translation_context = CONTEXT
    """Blender's own table has other words for *Smooth*."""

    said: str = property_of(StringProperty, options={"HIDDEN", "SKIP_SAVE"})
    selected_only: bool = property_of(
        BoolProperty, "Selected Bones", "Change only the curves of bones that are selected in Pose Mode"
    )

    done: ClassVar[str] = messages.TAKE_DONE
    needs: ClassVar[tuple[str, str] | None] = None
    """The question of `scene.take`, which no start loads, that the object has to answer with yes; else what is said."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        owner = player(context)
        met = reporting.allowed(cls, owner is not None and actions.has_keys(owner), messages.TAKE_NEEDS_ACTION)
        if not met or cls.needs is None:
            return met
        question, otherwise = cls.needs
        return reporting.allowed(cls, getattr(take, question)(owner), otherwise)

    def execute(self, context: Context) -> Returned:
        dialogs.leave_edit_mode(context)
        taken, report = _take(context, selected=self.selected_only), Report()
        if taken is None or not taken.curves:
            return dialogs.fail(self, say(messages.TAKE_NOTHING))
        try:
            curves = self._change(taken, report)
        except FormatError as error:
            return dialogs.fail_with(self, error)
        if taken.left:
            report.warn(messages.TAKE_LEFT, curves=len(taken.left), names=first_names(taken.left))
        left = _take(context, selected=self.selected_only)
        keys = {"before": taken.clip.key_count, "after": 0 if left is None else left.clip.key_count}
        line = say(self.done, name=taken.action.name, curves=curves, **keys)
        told = [entry_text(entry) for entry in (*report.notes, *report.warnings)]
        self.said = printable(". ".join(told or [line]))
        reporting.tell(self, context, ": ".join([line, *map(entry_text, report.notes)]), [report])
        return {"FINISHED"}

    def draw(self, context: Context) -> None:
        """Draw what was changed, and below it by what: Adjust Last Operation says what another number makes."""
        reporting.draw_sentence(self.layout, context, self.said, "INFO")
        self.layout.use_property_split, self.layout.use_property_decorate = True, False
        left_out = ("rna_type", "" if is_rig(player(context)) else "selected_only")
        for found in self.properties.bl_rna.properties:
            if not found.is_hidden and found.identifier not in left_out:
                self.layout.prop(self, found.identifier)

    def _change(self, taken: take.Take, report: Report) -> int:
        """Change the curves of a take; return the number of those that are others now."""
        raise NotImplementedError


def _key_tool(name: str, option: str, value: object = True, told: str = "", numbers: str = "") -> type[Operator]:
    """Return the operator of an option of imports that `value` switches on, with its words, but for what is `told`;
    what the names of the `numbers` begin with that belong to it is only needed if they do not say so themselves."""
    declared = {each.name: each for each in fields(ImportOptions) if each.metadata}
    words = declared[option].metadata
    label = next((label for known, label, _ in words["items"] or () if known == value), words["label"])
    own = [each for each in declared.values() if each.metadata["only_with"] == (option, value)]
    own += [each for each in declared.values() if numbers and each.name.startswith(numbers)]

    class KeyTool(_TakeTool, Operator):
        __doc__ = f"{told or words['description']}."
        __annotations__ = properties(own)
        bl_idname, bl_label = f"anim_curves.{name}", label
        done = messages.TAKE_CHANGED if option == "thin" else messages.TAKE_DONE  # which counts them itself

        def _change(self, taken: take.Take, report: Report) -> int:
            asked = {"cyclic": "NO", option: value, **{each.name: getattr(self, each.name) for each in own}}
            count = take.rework([taken], ImportOptions(**asked), report)
            if count == 0 and option in ("smooth", "thin"):
                report.note(messages.TAKE_STAYS)
            return count

    KeyTool.__name__ = label.replace(" ", "")
    return KeyTool


Smooth = _key_tool("smooth", "smooth")
FewerKeys = _key_tool("fewer_keys", "thin")
WholeFrames = _key_tool("whole_frames", "resample")
_CLOSES = "Make the last pose the first one, where these are near enough"
CloseLoop = _key_tool("close_loop", "cyclic", "CLOSE", _CLOSES, "seam_")


class _Trim(_TakeTool):
    """What the tools share that cut a take: its ends are found where none are given, and adjusted afterwards."""

    first: float = property_of(FloatProperty, "First Frame", "What is before it goes")
    last: float = property_of(FloatProperty, "Last Frame", "What is after it goes")

    def execute(self, context: Context) -> Returned:
        taken = _take(context)
        if taken is not None and not self.properties.is_property_set("first"):
            found = self._ends(context, taken)
            if found is None:
                return dialogs.fail(self, say(messages.TAKE_NEVER_TRACKED))
            self.first, self.last = found
        return super().execute(context)

    def _change(self, taken: take.Take, report: Report) -> int:
        if not self.first < self.last:
            raise FormatError(messages.TAKE_NO_RANGE)
        count = take.write(taken, taken.cut(self.first, self.last))
        take.set_range(taken, self.first, self.last)
        return count

    def _ends(self, context: Context, taken: take.Take) -> Sequence[float] | None:
        """Return the first and last frame; None for none."""
        raise NotImplementedError


class TrimToView(_Trim, Operator):
    """Cut away what lies outside the frames that the editor shows; in the 3D view, the scene's range."""

    bl_idname = "anim_curves.trim_to_view"
    bl_label = "Trim to View"

    def _ends(self, context: Context, taken: take.Take) -> Sequence[float]:
        area, scene = context.area, context.scene
        if area is not None and area.type in ("DOPESHEET_EDITOR", "GRAPH_EDITOR"):
            window = next(found for found in area.regions if found.type == "WINDOW")
            left, right = (window.view2d.region_to_view(x, 0)[0] for x in (0, window.width))
            shown = [math.ceil(left), math.floor(right)]
        else:
            preview = "preview_" if scene.use_preview_range else ""
            shown = [getattr(scene, f"frame_{preview}{end}") * rates.stretching(scene) for end in ("start", "end")]
        frame_of = actions.ensure_animation_data(taken.owner).nla_tweak_strip_time_to_scene
        return sorted(frame_of(frame, invert=True) for frame in shown)


class TrimToTracked(_Trim, Operator):
    """Cut away what comes before the first and after the last frame on which a hand is tracked."""

    bl_idname = "anim_curves.trim_to_tracked"
    bl_label = "Trim to Tracked"
    needs = ("is_tracked", messages.TAKE_NEEDS_TRACKED)

    def _ends(self, context: Context, taken: take.Take) -> Sequence[float] | None:
        return taken.seen()


class MirrorHand(_TakeTool, Operator):
    """Write the motion of the bones of one side onto those of the other side, mirrored."""

    bl_idname = "anim_curves.mirror"
    bl_label = "Mirror onto Other Hand"
    needs = ("has_hand", messages.TAKE_NEEDS_HAND)

    to_left: bool = property_of(BoolProperty, "Right onto Left", "Off, the left side onto the right one")

    def _change(self, taken: take.Take, report: Report) -> int:
        if not self.properties.is_property_set("to_left"):  # unasked, onto the side that does not move
            self.to_left ^= take.is_other_way(taken, to_left=self.to_left)
        return take.mirror(taken, to_left=self.to_left)


def player(context: Context) -> Object | None:
    """Return the active object or the armature that it belongs to, whichever plays an Action that can be changed."""
    active = targets.active_object(context)
    owners = [] if active is None else [active, targets.armature_of(active)]
    playing = ((owner, actions.assigned(owner)[0]) for owner in owners if owner is not None)
    return next((owner for owner, action in playing if action is not None and action.is_editable), None)


def _take(context: Context, *, selected: bool = False) -> take.Take | None:
    owner = player(context)
    return None if owner is None else take.played(owner, selected=selected)


def _matches(context: Context) -> dict[str, str] | None:
    """Return which bone of the selected armature each name of the Action's file means; None without one of these."""
    rig, action = targets.selected_rig(context), export_plan.active_action(context)
    origin, known = steps.finished(source_file.open_origin(action, Report())), provenance.find(action)
    return None if rig is None or origin is None or known is None else source_file.matches(rig, origin, known)


def _edited(context: Context) -> str:
    """Return the question whether what a person changed since may go; empty where nothing was."""
    action = export_plan.active_action(context)
    parts = export_plan.of_import(action, origin := provenance.find(action))
    edited = [part.name for part in parts if provenance.is_changed(part, since_saved=True)]
    return say(messages.REPLACE_CHANGED, names=first_names(edited), file=origin.file) if edited else ""


def _named(part: export_plan.Part) -> str:
    changed = part.action is not None and source_file.is_other(part.action, part.path)
    return say(messages.CHANGED_OUTSIDE, file=part.path) if changed else str(part.path)


def _changed(found: export_plan.Changes) -> str:
    line = say(messages.CHANGED_OF, changed=len(found.names), total=found.total)
    line = f"{line}: {first_names(found.names)}" if found.names else line
    return f"{line}. {say(messages.CHANGED_NOWHERE)}" if found.names and not found.parts else line


def _reloading(
    context: Context, action: Action, origin: provenance.Provenance, load: import_files.Load
) -> Generator[Step, bool | None, None]:
    folders, in_strips = preferences.game_folders(context), export_plan.players_by_strips(action, origin, context)
    rig = targets.selected_rig(context)
    bones = export_plan.bones_of(action, origin) if load.options.only_selected_bones else None
    with undo.Undo() as back, nullcontext() if rig is None or bones is None else armatures.selecting(rig, bones):
        moved = rig is not None and origin.placed[:1] == [provenance.owner_digest(rig, actions.fcurves_of(rig))]
        if rig is not None and moved:
            for name in nodes.OWN_TRANSFORMS:  # its matrix would have constraints in it, and whole turns not
                back.callback(setattr, rig, name, getattr(rig, name)[:])
            rig.matrix_world = Matrix([origin.placed[row : row + 4] for row in (1, 5, 9, 13)])
        for step in import_files.import_loads(context, [load], folders):
            if step.outcome is not None and step.outcome.applied is not None and undo.is_there(action):
                import_files.take_places(action, origin, step.outcome)
                if rig is not None and moved:
                    step.outcome.report.warn(messages.RELOADED_PLACE, name=rig.name)
                back.pop_all()
            yield step
    for owner in filter(undo.is_there, in_strips):
        actions.assign(owner, None)  # the strips play the new Action, which would cover them


TAKE_TOOLS = (TrimToView, TrimToTracked, Smooth, FewerKeys, WholeFrames, CloseLoop, MirrorHand)
"""What the panel *Take* offers, in its order."""

_FILE_TOOLS = (CheckExactness, ExportInPlace, ExportChanged, ReloadFile, ConvertRate, MatchNames, SaveNameTable)
CLASSES = (*_FILE_TOOLS, *TAKE_TOOLS)
