"""Options as Blender's properties and panels, and the add-on's preferences, which dialogues start with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Addon, AddonPreferences, Context, Operator, UILayout, bpy_struct

from ..io_formats.options import LIMITS, AnyOptions, Declared, declares, option
from ..io_formats.scene_options import ExportOptions, ImportOptions
from ..pipeline.language import CONTEXT, say
from . import messages

if TYPE_CHECKING:
    from ..io_formats.format import AnyFormat, Facts

ClassT = TypeVar("ClassT", bound=type[object])
OptionsT = TypeVar("OptionsT", bound=AnyOptions)

SceneOptions: TypeAlias = type[ImportOptions | ExportOptions]
Maker: TypeAlias = Callable[..., object]
"""Of `bpy.props`: what it returns for an annotation Blender makes a property of."""

PATH_FLAGS: Any = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()
"""What a property says whose path may begin with `//`; before 4.5 nothing had to be said."""

_KINDS: dict[type, Maker] = {bool: BoolProperty, int: IntProperty, float: FloatProperty, str: StringProperty}


def property_of(make: Maker, name: str = "", description: str = "", **settings: object) -> Any:
    """Return a property of Blender's, for a class that says of which type its values are; see `operators.register`."""
    if name:
        settings["name"] = name  # else Blender has the attribute's
    if description:  # in our words, whatever others Blender has for its name
        settings |= {"description": description, "translation_context": CONTEXT}
    return make(**settings)


def made_for(
    file_format: AnyFormat, verb: str, mixin: ClassT, description: str, options_class: SceneOptions, **more: object
) -> ClassT:
    """Return the operator of a format, such as `ImportW3d` with the name `import_anim.w3d` in Blender."""
    glob = ";".join(f"*{ending}" for ending in file_format.extensions)
    own = {"filter_glob": StringProperty(default=glob, options={"HIDDEN"}), **more}
    made = type(
        f"{verb}{file_format.name.capitalize()}",
        (mixin, Operator),
        {
            "__doc__": f"{description}.",
            "__module__": mixin.__module__,
            "__annotations__": {**properties(fields(options_class)), **own},
            "bl_idname": f"{verb.lower()}_anim.{file_format.name}",
            "bl_label": f"{verb} {file_format.words.label}",
            "menu_label": file_format.words.menu,
            "file_format": file_format,
        },
    )
    return cast("ClassT", made)


def properties(declared: Iterable[Declared]) -> dict[str, object]:
    """Return Blender's property for each declared option, by name."""
    return {option.name: _property(option) for option in declared if option.metadata}


def _property(option: Declared) -> object:
    about, default = option.metadata, cast("Any", option.default)
    arguments: Facts = {"name": about["label"], "description": about["description"], "translation_context": CONTEXT}
    kind = type(default)
    make = EnumProperty if about["items"] else _KINDS[kind]
    ends = zip(("min", "max"), about["limits"])
    arguments |= {end: kind(value) for end, value in ends if math.isfinite(value)}
    if make is EnumProperty:
        arguments["items"] = about["items"]
    elif make is FloatProperty:
        arguments["precision"] = 5 if 0.0 < abs(default) < 0.01 else 3
    elif about["is_file"]:
        arguments |= {"subtype": "FILE_PATH", "options": PATH_FLAGS}
    elif option.name in LIMITS:  # a preset would bring back those of the preferences of its day
        arguments["options"] = {"SKIP_PRESET"}
    return make(default=default, **arguments)


def read_options(owner: Operator, options_class: type[OptionsT]) -> OptionsT:
    """Return the options as the properties of `owner` say; a frozen dataclass, safe to keep."""
    found = {option.name: getattr(owner, option.name) for option in fields(options_class) if option.metadata}
    # numbers as they were typed: Blender keeps 0.0001 with the digits of single precision only
    typed = {name: float(f"{value:.7g}") for name, value in found.items() if isinstance(value, float)}
    return options_class(**found | typed)


def draw_options(layout: UILayout, owner: Operator, options_class: SceneOptions, ending: str = "") -> None:
    """Draw the options, of files of an ending if one is given: those without a panel first, then a closed panel each
    for the others. What has no effect is greyed."""
    layout.use_property_split, layout.use_property_decorate = True, False
    drawn = [option for option in fields(options_class) if option.metadata]
    drawn = [option for option in drawn if not ending or option.metadata["ending"] in ("", ending)]
    for title in ("", *options_class.PANELS):
        shown = [option for option in drawn if option.metadata["panel"] == title]
        if not shown:
            continue
        body = _panel(layout, owner, title) if title else layout
        if body is not None:
            _draw_each(body, owner, shown)


def _draw_each(layout: UILayout, owner: bpy_struct, shown: Sequence[Declared]) -> list[UILayout]:
    """Draw options, and below the last number of which 0 leaves the choice to us, that it does; return their rows."""
    automatic = [each for each in shown if each.default == each.metadata["limits"][0] == 0]
    rows = []
    for each in shown:
        rows.append(draw_option(layout, owner, each))
        if each in automatic[-1:]:
            below = layout.row()
            below.active, below.alignment = False, "RIGHT"
            below.label(text=say(messages.ZERO), translate=False)
    return rows


def draw_option(layout: UILayout, owner: bpy_struct, option: Declared) -> UILayout:
    """Draw one option, greyed while it has no effect; return its row."""
    row = layout.row()
    other, *values = option.metadata["only_with"] or ("",)
    row.active = not other or getattr(owner, other) in values
    row.prop(owner, option.name)
    return row


def _panel(layout: UILayout, owner: Operator, title: str) -> UILayout | None:
    header, body = layout.panel(f"{owner.bl_idname}_{title}".replace(".", "_"), default_closed=True)
    header.label(text=say(title), translate=False)
    return body


ROOT_PACKAGE = (__package__ or "").rpartition(".")[0]

_DEFAULTS = ("rate", "custom_rate", "keep_source", *LIMITS)


@declares(
    """
    report_detail | Report Detail | How much an import or export tells; the full list is always in the Text of the file
    - DIGEST | Summary | Counts and the heaviest warning
    - WARNINGS | Warnings | Also every warning, each in a line of the Info editor
    frame_new | Frame New Armatures | Turn the 3D view to what is seen of a new armature or model after an import
    game_folders | Game Folders | Folders of games and mods, separated by semicolons: animations, skeletons, models and textures of W3D are looked for in their files and .big archives
    """  # noqa: E501  a sentence stands on one line
)
class OwnOptions:
    """What a person sets once for all files."""

    report_detail: str = option("DIGEST")
    frame_new: bool = option(True)
    game_folders: str = option("")


_SECTIONS: Sequence[tuple[str, Sequence[Declared]]] = (
    (messages.PREFERENCES_IMPORT, [declared for declared in fields(ImportOptions) if declared.name in _DEFAULTS[:3]]),
    (messages.PREFERENCES_LIMITS, [declared for declared in fields(ImportOptions) if declared.name in LIMITS]),
    (messages.PREFERENCES_AFTER, fields(OwnOptions)[:2]),
    (messages.PREFERENCES_FOLDERS, fields(OwnOptions)[2:]),
)
"""What is drawn: titles, and the options below each, import options that are preferences too first."""


class AnimCurvesPreferences(AddonPreferences):
    """Defaults that outlive a session."""

    if TYPE_CHECKING:
        report_detail: str
        frame_new: bool
        game_folders: str

    bl_idname = ROOT_PACKAGE
    __annotations__ = properties(declared for _, section in _SECTIONS for declared in section)

    def draw(self, context: Context) -> None:
        for title, declared in _SECTIONS:
            self.layout.label(text=say(title), translate=False)
            column = self.layout.column()
            column.use_property_split, column.use_property_decorate = True, False
            rows = _draw_each(column, self, declared)
            if title == messages.PREFERENCES_FOLDERS:
                rows[-1].operator("anim_curves.add_game_folder", text="", icon="FILE_FOLDER")


def preferences(context: Context) -> AnimCurvesPreferences | None:
    """Return the add-on's preferences, None while it is enabled by a script that made no entry for it."""
    addon: Addon | None = context.preferences.addons.get(ROOT_PACKAGE)
    return cast("AnimCurvesPreferences", addon.preferences) if addon else None


def apply_defaults(context: Context, operator: Operator) -> None:
    """Start a dialogue with the preferred values, where nothing else was asked for."""
    for name, value in defaults(context, operator).items():
        if not operator.properties.is_property_set(name):
            setattr(operator, name, value)


def defaults(context: Context, owner: object) -> Facts:
    """Return the preferred values of those options that an operator or a class of options has, by their names."""
    preferred = preferences(context)
    return {name: getattr(preferred, name) for name in _DEFAULTS if hasattr(owner, name)} if preferred else {}


def named_folders(context: Context) -> list[str]:
    """Return the folders of games that are named, there or not."""
    return [part.strip() for part in getattr(preferences(context), "game_folders", "").split(";") if part.strip()]


def game_folders(context: Context) -> list[Path]:
    """Return the folders of extracted games, as far as they are there."""
    return [path for path in (Path(bpy.path.abspath(name)) for name in named_folders(context)) if path.is_dir()]


CLASSES = (AnimCurvesPreferences,)
