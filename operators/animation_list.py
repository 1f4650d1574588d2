"""The sidebar's list of animations that the game folders and their archives hold for the selected armature."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import bpy
from bpy.props import BoolProperty, CollectionProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Operator, Panel, PropertyGroup, UIList, WindowManager

from ..io_formats import w3d
from ..io_formats.errors import Report
from ..io_formats.w3d.library import Library, Listed
from ..pipeline import messages as pipeline_messages
from ..pipeline.armature_skeletons import names_of
from ..pipeline.import_files import import_files
from ..pipeline.language import counted, report_lines, say
from ..scene import targets
from . import batch, dialogs, messages, preferences
from .options import options_as_text
from .progress import Progress
from .reporting import tell, tell_outcomes

_HOLDER = "anim_curves_list"
"""Where the list is in the window manager; it belongs to the session, not to a .blend."""

_LARGEST = 2**31 - 1


class ListedAnimation(PropertyGroup):
    """A line of the list; `name` is the animation's own."""

    if TYPE_CHECKING:
        frames: int
        rate: int
        path: str
        chosen: bool
    else:
        frames: IntProperty()
        rate: IntProperty()
        path: StringProperty()
        chosen: BoolProperty(description=messages.LIST_CHOSEN_ABOUT)


class AnimationList(PropertyGroup):
    """The lines, and the armature object that they are for."""

    if TYPE_CHECKING:
        rig: str
        active: int
        filter: str
        lines: Any
    else:
        rig: StringProperty()
        active: IntProperty()
        filter: StringProperty(
            name=messages.LIST_FILTER, description=messages.LIST_FILTER_ABOUT, options={"TEXTEDIT_UPDATE"}
        )
        lines: CollectionProperty(type=ListedAnimation)

    def filtered(self) -> list[bool]:
        """Whether each line has the filter in its name or path, in any case of letters."""
        wanted = self.filter.lower()
        return [wanted in line.name.lower() or wanted in line.path.lower() for line in self.lines]

    def show(self, rig: str, found: Sequence[Listed]) -> None:
        """Put other lines in the place of those that are there."""
        self.rig, self.active = rig, 0
        self.lines.clear()
        for (_, name, frames, rate), path in found:
            line = self.lines.add()
            line.name, line.path = name, path
            line.frames, line.rate = min(frames, _LARGEST), min(rate, _LARGEST)


def list_of(context: bpy.types.Context) -> AnimationList:
    """The session's list."""
    held: AnimationList = getattr(context.window_manager, _HOLDER)
    return held


class _ListTool:
    """What the operators share: they are about the selected armature."""

    bl_options: ClassVar[Any] = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if targets.selected_rig(context) is None:
            cls.poll_message_set(messages.LIST_NEEDS_ARMATURE)  # type: ignore[attr-defined]
            return False
        return True


class ListAnimations(_ListTool, Operator):
    """Look through the game folders for the selected armature's animations."""

    bl_idname = "anim_curves.list_animations"
    bl_label = "List Animations"
    bl_description = (
        "List the animations that the game folders of the preferences and their archives hold for this armature"
    )

    def execute(self, context: bpy.types.Context) -> Any:
        folders = preferences.game_folders(context)
        if not folders:
            return dialogs.fail(self, say(messages.PANEL_NO_FOLDERS))
        rig, library, report = targets.selected_rig(context), Library(folders), Report()
        names = names_of(rig)
        found = library.animations_of(names)
        library.tell(report)
        list_of(context).show(rig.name, found)
        for line in report_lines(report):
            self.report({"WARNING"}, line)
        shown = ", ".join(sorted(names))
        count = counted(len(found), pipeline_messages.ANIMATIONS)
        tell(
            self, context, say(messages.LIST_FOUND if found else messages.LIST_NONE, animations=count, names=shown), []
        )
        return {"FINISHED"}


class _ImportTool(_ListTool):
    """What both imports share: the files of some lines come in as any file does, onto the selected armature."""

    bl_options: ClassVar[Any] = {"REGISTER", "UNDO"}
    interactive = False

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """File by file where there are several, so that the window lives on."""
        del event
        self.interactive = not bpy.app.background
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> Any:
        paths = [Path(path) for path in dict.fromkeys(line.path for line in self.wanted(list_of(context)))]
        if not paths:
            return dialogs.fail(self, say(messages.LIST_EMPTY))
        options = w3d.ImportOptions(target="SELECTED", **preferences.defaults(context))
        if self.interactive and len(paths) > 1:
            return batch.start(w3d, paths, options_as_text(options))
        with Progress(context, len(paths)) as progress:
            outcomes = []
            for outcome in import_files(context, paths, w3d, options, preferences.game_folders(context)):
                outcomes.append(outcome)
                progress.step(outcome.path.name)
        return tell_outcomes(self, context, outcomes)

    def wanted(self, listed: AnimationList) -> list[Any]:
        """The lines to import."""
        raise NotImplementedError


class ImportSelected(_ImportTool, Operator):
    """Import the ticked animations, or the highlighted one."""

    bl_idname = "anim_curves.import_selected"
    bl_label = "Import Selected"
    bl_description = "Import the ticked animations onto this armature, or the highlighted one if none is ticked"

    def wanted(self, listed: AnimationList) -> list[Any]:
        """The ticked lines, also those that the filter hides."""
        ticked = [line for line in listed.lines if line.chosen]
        return ticked or list(listed.lines[listed.active : listed.active + 1])


class ImportAll(_ImportTool, Operator):
    """Import all animations of the list that the filter shows."""

    bl_idname = "anim_curves.import_all"
    bl_label = "Import All"
    bl_description = "Import all animations that the filter leaves in the list onto this armature"

    def wanted(self, listed: AnimationList) -> list[Any]:
        """The lines that the filter shows."""
        return [line for line, shown in zip(listed.lines, listed.filtered(), strict=True) if shown]


class AnimationLines(UIList):
    """How the lines are drawn and filtered."""

    bl_idname = "ANIM_CURVES_UL_animations"

    def draw_item(
        self,
        context: Any,
        layout: Any,
        data: Any,
        item: Any,
        icon: Any,
        active_data: Any,
        active_property: Any,
        index: Any,
        flt_flag: Any,
    ) -> None:
        """A box to tick, name, frames and the file."""
        del context, data, icon, active_data, active_property, index, flt_flag
        row = layout.row(align=True)
        row.prop(item, "chosen", text="")
        row.label(text=item.name, translate=False)
        row.label(text=say(messages.PANEL_FRAMES, frames=item.frames, rate=item.rate), translate=False)
        row.label(text=_file_of(item.path), translate=False)

    def draw_filter(self, context: Any, layout: Any) -> None:
        """Nothing: the panel has the filter above the list."""

    def filter_items(self, context: Any, data: Any, property: str) -> Any:
        """Flags of the lines that the filter shows, in their order."""
        del context, property
        return [self.bitflag_filter_item * shown for shown in data.filtered()] if data.filter else [], []


def _file_of(path: str) -> str:
    """The name of a file, behind that of its archive."""
    parts = Path(path).parts
    archives = [part for part in parts[:-1] if part.lower().endswith(w3d.big_archive.ENDING)]
    return "/".join([*archives[:1], *parts[-1:]])


class _AnimationsPanel:
    """What the panels share; Blender wants a class for each editor."""

    bl_label = "Animations"
    bl_region_type = "UI"
    bl_category = "Animation Curves"
    layout: Any

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return targets.selected_rig(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        preferred = preferences.preferences(context)
        if preferred is None or not preferred.game_folders.strip():
            self.layout.label(text=messages.PANEL_NO_FOLDERS, icon="INFO")
            return
        self.layout.operator(ListAnimations.bl_idname, icon="FILE_REFRESH")
        listed = list_of(context)
        if listed.lines and listed.rig == targets.selected_rig(context).name:
            self.layout.prop(listed, "filter", icon="VIEWZOOM", text="")
            self.layout.template_list(AnimationLines.bl_idname, "", listed, "lines", listed, "active")
            row = self.layout.row(align=True)
            row.operator(ImportSelected.bl_idname, icon="IMPORT")
            row.operator(ImportAll.bl_idname)


class ViewAnimationsPanel(_AnimationsPanel, Panel):
    """In the 3D view."""

    bl_idname = "VIEW3D_PT_anim_curves_animations"
    bl_space_type = "VIEW_3D"


class DopesheetAnimationsPanel(_AnimationsPanel, Panel):
    """In the Dope Sheet and the Action Editor."""

    bl_idname = "DOPESHEET_PT_anim_curves_animations"
    bl_space_type = "DOPESHEET_EDITOR"


class GraphAnimationsPanel(_AnimationsPanel, Panel):
    """In the Graph Editor."""

    bl_idname = "GRAPH_PT_anim_curves_animations"
    bl_space_type = "GRAPH_EDITOR"


def register() -> None:
    """Give the window manager its list."""
    setattr(WindowManager, _HOLDER, PointerProperty(type=AnimationList, options={"SKIP_SAVE"}))


def unregister() -> None:
    """Take the list back."""
    if hasattr(WindowManager, _HOLDER):
        delattr(WindowManager, _HOLDER)


CLASSES = (
    ListedAnimation,
    AnimationList,
    ListAnimations,
    ImportSelected,
    ImportAll,
    AnimationLines,
    ViewAnimationsPanel,
    DopesheetAnimationsPanel,
    GraphAnimationsPanel,
)
