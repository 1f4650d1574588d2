"""The add-on's preferences: what the import dialogues start with, and how much the report tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, cast

import bpy
from bpy.props import StringProperty
from bpy.types import Addon, AddonPreferences, Context, Event, Operator

from ..io_formats.options import Declared, option
from ..io_formats.scene_options import ImportOptions
from ..pipeline.language import say
from ..scene.types import OperatorMixin, Returned
from . import messages
from .options import draw_option, properties

if TYPE_CHECKING:
    from ..io_formats.format import Facts

ROOT_PACKAGE = (__package__ or "").rpartition(".")[0]

_DEFAULTS = ("rate", "custom_rate", "keep_source")


@dataclass(frozen=True)
class ReportOptions:
    """What a person sees after an import or export."""

    report_detail: str = option(
        "DIGEST",
        "Report Detail",
        "How much an import or export tells; the full list is always in the Text of the file",
        items=(
            ("DIGEST", "One Line", "Counts and the number of warnings"),
            ("WARNINGS", "Warnings", "Also every warning, each in a line of the Info editor"),
        ),
    )
    frame_new: bool = option(
        True, "Frame New Armatures", "Turn the 3D view to what is seen of a new armature or model after an import"
    )


@dataclass(frozen=True)
class FolderOptions:
    """Where else than beside a file its companions lie."""

    game_folders: str = option(
        "",
        "Game Folders",
        "Folders of games and mods, separated by semicolons: animations, skeletons, models and textures of W3D are "
        "looked for in their files and .big archives",
    )


def _defaults() -> list[Declared]:
    """Return the import options that are preferences too."""
    return [declared for declared in fields(ImportOptions) if declared.name in _DEFAULTS]


def _sections() -> Sequence[tuple[str, Iterable[Declared]]]:
    """Return what is drawn: titles, and the options below each."""
    return (
        (messages.PREFERENCES_IMPORT, _defaults()),
        (messages.PREFERENCES_AFTER, fields(ReportOptions)),
        (messages.PREFERENCES_FOLDERS, fields(FolderOptions)),
    )


class AddGameFolder(OperatorMixin, Operator):
    """Choose a folder of a game in the file browser."""

    bl_idname = "anim_curves.add_game_folder"
    bl_label = "Add Game Folder"
    bl_description = "Choose a folder of a game or mod, which is added to those that are there"

    if TYPE_CHECKING:
        directory: str
    else:
        directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> Returned:
        """Open the file browser."""
        del event
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Context) -> Returned:
        """Append the folder, unless it is there."""
        preferred = preferences(context)
        named = [] if preferred is None else [part.strip() for part in preferred.game_folders.split(";")]
        if preferred is not None and self.directory not in named:
            preferred.game_folders = ";".join(filter(None, (*named, self.directory)))
        return {"FINISHED"}


class AnimCurvesPreferences(AddonPreferences):
    """Defaults that outlive a session."""

    if TYPE_CHECKING:
        report_detail: str
        frame_new: bool
        game_folders: str

    bl_idname = ROOT_PACKAGE
    __annotations__ = {
        **properties(_defaults()),
        **properties(fields(ReportOptions)),
        **properties(fields(FolderOptions)),
    }

    def draw(self, context: Context) -> None:
        """Draw all of them below what they are about; there are few."""
        del context
        for title, declared in _sections():
            self.layout.label(text=say(title), translate=False)
            column = self.layout.column()
            column.use_property_split = True
            for preferred in declared:
                row = column.row(align=True)
                draw_option(row, self, preferred)
                if preferred.name == "game_folders":
                    row.operator(AddGameFolder.bl_idname, text="", icon="FILE_FOLDER")


def preferences(context: Context) -> AnimCurvesPreferences | None:
    """Return the add-on's preferences, None while it is enabled by a script that made no entry for it."""
    addon: Addon | None = context.preferences.addons.get(ROOT_PACKAGE)
    return cast("AnimCurvesPreferences", addon.preferences) if addon else None


def apply_defaults(context: Context, operator: Operator) -> None:
    """Start a dialogue with the preferred values, where nothing else was asked for."""
    preferred = preferences(context)
    for name in _DEFAULTS if preferred else ():
        if not operator.properties.is_property_set(name):
            setattr(operator, name, getattr(preferred, name))


def defaults(context: Context) -> Facts:
    """Return the preferred values by the name of the import option, for imports without a dialogue."""
    preferred = preferences(context)
    return {name: getattr(preferred, name) for name in _DEFAULTS} if preferred else {}


def wants_every_warning(context: Context) -> bool:
    """Return whether each warning is to be reported on its own."""
    preferred = preferences(context)
    return preferred is not None and preferred.report_detail == "WARNINGS"


def wants_framing(context: Context) -> bool:
    """Return whether the view is to turn to new armatures."""
    preferred = preferences(context)
    return preferred is not None and preferred.frame_new


def names_folders(context: Context) -> bool:
    """Return whether folders of games are named, there or not."""
    preferred = preferences(context)
    return preferred is not None and bool(preferred.game_folders.strip())


def game_folders(context: Context) -> list[Path]:
    """Return the folders of extracted games, as far as they are there."""
    preferred = preferences(context)
    named = [] if preferred is None else [part.strip() for part in preferred.game_folders.split(";")]
    return [folder for folder in (Path(bpy.path.abspath(name)) for name in named if name) if folder.is_dir()]


CLASSES = (AddGameFolder, AnimCurvesPreferences)
