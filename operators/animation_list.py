"""The list of animations that the game folders and their archives hold for the selected armature."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Context, Event, Operator, PropertyGroup, UILayout, UIList, WindowManager

from ..io_formats import FORMATS, format_of
from ..io_formats import messages as common_messages
from ..io_formats.errors import Report
from ..pipeline import export_plan, import_files, source_file
from ..pipeline import messages as pipeline_messages
from ..pipeline.language import CONTEXT, counted, report_lines, say
from ..scene import actions, provenance, targets
from ..scene.types import CollectionOf, OperatorMixin, Returned
from . import dialogs, importing, messages, preferences, reporting
from .preferences import property_of

if TYPE_CHECKING:
    from ..io_formats.format import Listed

_HOLDER = "anim_curves_list"
"""Where the list is in the window manager; it belongs to the session, not to a .blend."""


class ListedAnimation(PropertyGroup):
    """A line of the list; `name` is the animation's own."""

    seconds: float = property_of(FloatProperty, translation_context=CONTEXT)
    path: str = property_of(StringProperty)
    format_name: str = property_of(StringProperty)
    chosen: bool = property_of(BoolProperty, description=messages.LIST_CHOSEN_ABOUT)


class AnimationList(PropertyGroup):
    """The lines, and the armature object that they are for."""

    rig: str = property_of(StringProperty)
    active: int = property_of(IntProperty)
    filter: str = property_of(StringProperty, messages.FILTER, messages.FILTER_ABOUT, options={"TEXTEDIT_UPDATE"})
    lines: CollectionOf[ListedAnimation] = property_of(CollectionProperty, type=ListedAnimation)

    def filtered(self) -> list[bool]:
        """Return whether each line has the filter in its name or path, in any case of letters."""
        wanted = self.filter.lower()
        return [wanted in line.name.lower() or wanted in line.path.lower() for line in self.lines]

    def show(self, rig: str, found: Sequence[tuple[str, Listed]]) -> None:
        """Put other lines in the place of those that are there: animations with the names of their formats."""
        if rig != self.rig:
            self.filter = ""  # what was looked for on another armature would hide the lines of this one
        self.rig, self.active = rig, 0
        self.lines.clear()
        for format_name, listed in found:
            line = self.lines.add()
            line.name, line.path, line.format_name = listed.name, listed.path, format_name
            line.seconds = listed.seconds


def list_of(context: Context) -> AnimationList:
    """Return the session's list."""
    held: AnimationList = getattr(context.window_manager, _HOLDER)
    return held


def may_be_listed(context: Context) -> bool:
    """Return whether the game folders can hold animations for the selected armature: its file's format tells, and any
    other armature is asked about once folders are named."""
    rig = targets.selected_rig(context)
    action = actions.assigned(rig)[0] if rig is not None else None
    origin = provenance.find(action) if action is not None else None
    if origin is None or not origin.format:
        return rig is not None and bool(preferences.named_folders(context))
    return any(each.name == origin.format and each.library(()) is not None for each in FORMATS)


class _ListTool(OperatorMixin):
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return reporting.allowed(cls, targets.selected_rig(context), messages.LIST_NEEDS_ARMATURE)


class AddGameFolder(OperatorMixin, Operator):
    """Choose a folder of a game or mod, which is added to those that are there."""

    bl_idname = "anim_curves.add_game_folder"
    bl_label = "Add Game Folder"

    directory: str = property_of(StringProperty, subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> Returned:
        action = export_plan.active_action(context)
        path = None if action is None else source_file.file_of(action)
        if path is not None:  # in an archive, which is no folder
            self.directory = str(next((folder for folder in path.parents if folder.is_dir()), ""))
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Context) -> Returned:
        preferred, named = preferences.preferences(context), preferences.named_folders(context)
        if preferred is not None and self.directory not in named:
            preferred.game_folders = ";".join((*named, self.directory))
            context.preferences.is_dirty = True  # else Blender forgets it at its end
        return {"FINISHED"}


class ListAnimations(_ListTool, Operator):
    """List the animations that the game folders of the preferences and their archives hold for this armature."""

    bl_idname = "anim_curves.list_animations"
    bl_label = "List Animations"

    def execute(self, context: Context) -> Returned:
        folders = preferences.game_folders(context)
        if not folders:
            return dialogs.fail(self, say(messages.PANEL_NO_FOLDERS))
        rig, report = targets.selected_rig(context), Report()
        names = import_files.names_of(rig)
        found: list[tuple[str, Listed]] = []
        for file_format in FORMATS:
            library = file_format.library(folders)
            if library is not None:
                found += [(file_format.name, listed) for listed in library.listed(names)]
                library.tell(report)
        list_of(context).show(rig.name, found)
        for line in report_lines(report):
            self.report({"WARNING"}, line)
        told = messages.LIST_FOUND if found else messages.LIST_NONE
        count = counted(len(found), common_messages.ANIMATIONS)
        reporting.tell(self, context, say(told, animations=count, names=", ".join(sorted(names))), [])
        return {"FINISHED"}


class _ImportTool(_ListTool):
    bl_options = {"REGISTER", "UNDO"}

    def invoke(self, context: Context, event: Event) -> Returned:
        self.interactive = not bpy.app.background
        return self.execute(context)

    def execute(self, context: Context) -> Returned:
        lines = self._wanted(list_of(context))
        if not lines:
            return dialogs.fail(self, say(messages.LIST_EMPTY))
        loads = []
        for name in dict.fromkeys(line.format_name for line in lines):
            file_format = format_of(name)
            preferred = preferences.defaults(context, file_format.import_options)
            options = file_format.import_options(target="SELECTED", **preferred)
            paths = dict.fromkeys(Path(line.path) for line in lines if line.format_name == name)
            loads.append(import_files.Load(file_format, list(paths), options))
        for line in lines:  # else the next ones that are ticked would bring in these once more
            line.chosen = False
        return importing.run(self, context, loads)

    def _wanted(self, listed: AnimationList) -> list[ListedAnimation]:
        """Return the lines to import."""
        raise NotImplementedError


class ImportSelected(_ImportTool, Operator):
    """Import the ticked animations onto this armature, or the highlighted one if none is ticked."""

    bl_idname = "anim_curves.import_selected"
    bl_label = "Import Selected"

    def _wanted(self, listed: AnimationList) -> list[ListedAnimation]:
        return [line for line in listed.lines if line.chosen] or list(listed.lines[listed.active : listed.active + 1])


class ImportAll(_ImportTool, Operator):
    """Import all animations that the filter leaves in the list onto this armature."""

    bl_idname = "anim_curves.import_all"
    bl_label = "Import All"

    def _wanted(self, listed: AnimationList) -> list[ListedAnimation]:
        return [line for line, shown in zip(listed.lines, listed.filtered(), strict=True) if shown]


class AnimationLines(UIList):
    """How the lines are drawn and filtered."""

    bl_idname = "ANIM_CURVES_UL_animations"

    def draw_item(  # type: ignore[override]  # who needs fewer is given fewer
        self, context: Context, layout: UILayout, data: object, item: ListedAnimation, icon: int, of: object, name: str
    ) -> None:
        """Draw a box to tick, name and length; a sidebar has no room for the file as well."""
        row = layout.row(align=True)
        row.prop(item, "chosen", text="")
        row = row.split(factor=0.75)  # as the end of a name tells it from others
        row.label(text=item.name, translate=False)
        row.label(text=say(pipeline_messages.SECONDS, seconds=f"{item.seconds:.1f}"), translate=False)

    def draw_filter(self, context: Context, layout: UILayout) -> None:
        """Draw nothing, as the panel has the filter above the list."""

    def filter_items(  # type: ignore[override]  # lists are as good as arrays
        self, context: Context, data: AnimationList, property: str
    ) -> tuple[list[int], list[int]]:
        """Return flags of the lines that the filter shows, in their order."""
        return [self.bitflag_filter_item * shown for shown in data.filtered()] if data.filter else [], []


def register() -> None:
    """Give the window manager its list."""
    setattr(WindowManager, _HOLDER, PointerProperty(type=AnimationList, options={"SKIP_SAVE"}))


def unregister() -> None:
    """Take the list back."""
    if hasattr(WindowManager, _HOLDER):
        delattr(WindowManager, _HOLDER)


CLASSES = (AddGameFolder, ListedAnimation, AnimationList, ListAnimations, ImportSelected, ImportAll, AnimationLines)
