"""The sidebar tab "Animation Curves": where an Action came from, and what the game folders hold for an armature."""

from __future__ import annotations

import bpy
from bpy.types import Action, ArmatureEditBones, Context, Menu, Panel, UILayout

from ..pipeline import export_files, export_plan, source_file
from ..pipeline.language import CONTEXT, say, translated
from ..scene import provenance, rates, targets, visibility
from ..scene.names import is_made, printable
from ..scene.types import is_rig
from . import action_tools, animation_list, dialogs, messages, preferences, reporting

_CATEGORY = "Animation Curves"
_MOST_NAMES, _ROWS = 5, 8
"""Names of changed curves, and lines of a list, that are shown at once."""

_LARGEST = 1e15
"""Figures from here on are not shown; a file has none."""

_EDITORS = ("VIEW_3D", "DOPESHEET_EDITOR", "GRAPH_EDITOR")
"""Where the panels are: the first is what a person sees without having changed anything."""

_LABELS = 0.42
"""The share of a row that its label takes; the longest is "Schlüsselbilder"."""

LIVE_KEYS = 15_000
"""Keys of the largest Action whose F-Curves are compared with the import at each redraw (some milliseconds)."""


class _SidebarPanel:
    bl_region_type = "UI"
    bl_category = _CATEGORY
    bl_translation_context = CONTEXT
    layout: UILayout


class _OriginPanel(_SidebarPanel):
    """Where the Action came from, and what of it exports exactly."""

    bl_label = "Origin"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return (_origin(context) or _file_of_still(context)) is not None

    def draw(self, context: Context) -> None:
        action, origin = export_plan.active_action(context), _origin(context)
        if action is None or origin is None:
            origin = _file_of_still(context)
            if origin is not None:
                _draw_row(self.layout, messages.PANEL_FILE, origin.file)
                reporting.draw_sentence(self.layout, context, say(messages.PANEL_STILL), "INFO")
                reporting.draw_button(self.layout, messages.REPORT_OF_FILE, origin.text)
            return
        _draw_facts(self.layout, context, action, origin)
        # why bones look as they do: in one place in Edit Mode, where the file has no rest pose, or as a wire
        if not origin.placement.rebased and _bones_in_one_place(context) is not None:
            reporting.draw_sentence(self.layout, context, say(messages.PANEL_NO_REST), "INFO")
        posed, bone = context.pose_object, context.active_pose_bone
        if is_rig(posed) and bone is not None and visibility.stands_out(posed, bone):
            reporting.draw_sentence(self.layout, context, say(messages.PANEL_WIRE, name=bone.name), "INFO")
        _draw_exactness(self.layout, context, action, origin)
        rate = rates.scene_rate(context.scene)
        if abs(rate - origin.placement.rate) > 1e-6 * rate:
            other = say(messages.PANEL_OTHER_RATE, rate=_fps(f"{rate:g}"))
            reporting.draw_sentence(self.layout, context, other, "INFO")
            self.layout.operator(action_tools.ConvertRate.bl_idname, icon="TIME")
        if origin.format:
            column = self.layout.column(align=True)
            column.operator(action_tools.ExportInPlace.bl_idname, icon="EXPORT")
            column.operator(action_tools.ReloadFile.bl_idname, icon="FILE_REFRESH")
            column.operator(action_tools.MatchNames.bl_idname, icon="BONE_DATA")
            column.operator(action_tools.SaveNameTable.bl_idname, icon="FILE_TEXT")
        reporting.draw_button(self.layout, messages.REPORT_OF_FILE, origin.text)


class _TakePanel(_SidebarPanel):
    """What can be done to the keys of the Action that the active object plays; each is adjusted after it is seen."""

    bl_label = "Take"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return action_tools.player(context) is not None

    def draw(self, context: Context) -> None:
        column = self.layout.column(align=True)
        for tool in action_tools.TAKE_TOOLS:
            column.operator(tool.bl_idname)
        self.layout.operator(action_tools.ExportChanged.bl_idname, icon="EXPORT")


class _AnimationsPanel(_SidebarPanel):
    """Which animations the game folders hold for the selected armature, of a format whose games have such folders."""

    bl_label = "Animations"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return animation_list.may_be_listed(context)

    def draw(self, context: Context) -> None:
        if not (folders := preferences.named_folders(context)):
            self.layout.operator(animation_list.AddGameFolder.bl_idname, icon="FILE_FOLDER")
            return
        self.layout.operator(animation_list.ListAnimations.bl_idname, icon="FILE_REFRESH")
        reporting.draw_sentence(self.layout, context, printable(", ".join(folders)), "FILE_FOLDER")
        listed = animation_list.list_of(context)
        if listed.rig == targets.selected_rig(context).name:
            self.layout.prop(listed, "filter", icon="VIEWZOOM", text="")
            lines = animation_list.AnimationLines.bl_idname
            self.layout.template_list(lines, "", listed, "lines", listed, "active", rows=_ROWS)
            shown = listed.filtered()
            if any(shown[listed.active : listed.active + 1]):  # the list cuts its end
                reporting.draw_sentence(self.layout, context, printable(listed.lines[listed.active].path), "NONE")
            elif not any(shown):
                reporting.draw_sentence(self.layout, context, say(messages.LIST_SHOWS_NONE), "INFO")
            column = self.layout.column(align=True)
            column.enabled = any(shown)
            column.operator(animation_list.ImportSelected.bl_idname, icon="IMPORT")
            column.operator(animation_list.ImportAll.bl_idname, icon="IMPORT")


class _ExportPanel(_SidebarPanel):
    """What the latest export wrote, when, and how near to the scene that plays: above all else, so that it is seen."""

    bl_label = "Last Export"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return bool(reporting.said_last())

    def draw(self, context: Context) -> None:
        for sentence in reporting.said_last():
            reporting.draw_told(self.layout, context, sentence)
        reporting.draw_button(self.layout, messages.EXPORT_REPORT, reporting.report_text(reporting.EXPORT_TEXT))


class _ReportsPanel(_SidebarPanel):
    """What the latest import reported, and the files that are kept for exact exports."""

    bl_label = "Reports"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return reporting.report_text(reporting.IMPORT_TEXT) is not None or provenance.keeps_any()

    def draw(self, context: Context) -> None:
        reporting.draw_button(self.layout, messages.IMPORT_REPORT, reporting.report_text(reporting.IMPORT_TEXT))
        if provenance.keeps_any():
            self.layout.operator(reporting.ClearKept.bl_idname, icon="TRASH")


def _origin(context: Context) -> provenance.Provenance | None:
    action = export_plan.active_action(context)
    return None if action is None else provenance.find(action)


def _file_of_still(context: Context) -> provenance.Provenance | None:
    """Return the file without an animation that made the active object or its armature, where nothing plays there."""
    active = targets.active_object(context)
    if active is None or export_plan.active_action(context) is not None:
        return None
    owners = (active, targets.armature_of(active))
    return next((found for owner in owners if owner and (found := provenance.find(owner))), None)


def _draw_facts(layout: UILayout, context: Context, action: Action, origin: provenance.Provenance) -> None:
    facts = source_file.facts_of(action)
    column = layout.column(align=True)
    rows = (
        (messages.PANEL_FILE, origin.file or facts.get("path", "")),
        (messages.PANEL_FORMAT, translated(printable(str(facts.get("format", origin.format))))),
        (messages.PANEL_VERSION, facts.get("version", "")),
        (messages.PANEL_CLIP, origin.placement.clip_name),
        (messages.PANEL_FILE_RATE, _fps(_figure(facts.get("rate"), "g"))),
        (messages.PANEL_RATE, _fps(f"{origin.placement.rate:g}")),
        (messages.PANEL_KEYS, _figure(facts.get("keys"), ",")),
    )
    for label, value in rows:
        if value:
            _draw_row(column, label, str(value))
    reporting.draw_told(layout, context, str(facts.get(source_file.PROPORTIONS, "")))


def _figure(value: object, form: str) -> str:
    """Return a number as it is shown; empty for what is none, as a person may have changed what is noted."""
    return format(value, form) if isinstance(value, (int, float)) and 0 < value <= _LARGEST else ""


def _fps(rate: str) -> str:
    return rate and say(messages.PANEL_FPS, rate=rate)


def _draw_row(layout: UILayout, label: str, value: str) -> None:
    split = layout.split(factor=_LABELS)
    split.label(text=say(label), translate=False)
    split.label(text=printable(value), translate=False)


def _draw_in_one_place(menu: Menu, context: Context) -> None:
    """Draw, beside the menus of Edit Mode, how many bones are selected where they cannot be told apart, and a way out,
    as they may be out of the view: the file has them where it moves them."""
    bones = _bones_in_one_place(context)
    if bones is not None:
        row, selected = menu.layout.row(align=True), sum(bone.select for bone in bones)
        text = say(messages.HEADER_IN_ONE_PLACE, selected=selected, bones=len(bones))
        row.operator("object.posemode_toggle", text=say(messages.HEADER_POSE), translate=False, icon="POSE_HLT")
        row.label(text=text, translate=False, icon="INFO")  # what a narrow window cuts


def _bones_in_one_place(context: Context) -> ArmatureEditBones | None:
    """Return the bones that are edited, where an import made them, of which the first tells, and most rest together."""
    rig = context.edit_object
    if not is_rig(rig) or not any(map(is_made, rig.data.bones[:1])):
        return None
    places = {bone.head.to_tuple() for bone in rig.data.edit_bones}
    return rig.data.edit_bones if 2 * len(places) < len(rig.data.edit_bones) else None


def _draw_exactness(layout: UILayout, context: Context, action: Action, origin: provenance.Provenance) -> None:
    if not origin.kept:
        reporting.draw_sentence(layout, context, say(messages.PANEL_NOT_KEPT), "INFO")
    elif origin.text is None:
        reporting.draw_sentence(layout, context, say(messages.PANEL_TEXT_GONE), "ERROR")
    elif isinstance(keys := source_file.facts_of(action).get("keys"), int) and keys <= LIVE_KEYS:
        untouched, changed = export_files.exactness(action)
        column = layout.column(align=True)
        if untouched:  # a skeleton alone has none
            exact = messages.PANEL_EXACT if changed else messages.ALL_EXACT
            sentence = say(exact, untouched=untouched, when=action_tools.when_exact(origin))
            reporting.draw_sentence(column, context, sentence, "CHECKMARK")
        if changed:
            reporting.draw_sentence(column, context, say(messages.PANEL_CHANGED, changed=len(changed)), "GREASEPENCIL")
            dialogs.draw_names(column, changed, _MOST_NAMES)
    else:
        layout.operator(action_tools.CheckExactness.bl_idname, icon="CHECKMARK")


def _in_editors(panel: type, name: str) -> tuple[type, ...]:
    made = []
    for editor in _EDITORS:
        prefix = editor.removesuffix("_EDITOR").replace("_", "")
        own = {"__doc__": panel.__doc__, "bl_idname": f"{prefix}_PT_anim_curves_{name}", "bl_space_type": editor}
        made.append(type(f"{prefix}{panel.__name__}", (panel, Panel), {"__module__": __name__, **own}))
    return tuple(made)


def register() -> None:
    """Draw beside the menus of Edit Mode."""
    bpy.types.VIEW3D_MT_editor_menus.append(_draw_in_one_place)


def unregister() -> None:
    """Draw there no more."""
    bpy.types.VIEW3D_MT_editor_menus.remove(_draw_in_one_place)


CLASSES = (
    *_in_editors(_ExportPanel, "export"),
    # above what each of its buttons makes longer, so that they do not move under the pointer
    *_in_editors(_TakePanel, "take"),
    *_in_editors(_OriginPanel, "origin"),
    *_in_editors(_AnimationsPanel, "animations"),
    *_in_editors(_ReportsPanel, "reports"),
)
