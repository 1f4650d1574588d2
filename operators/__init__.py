"""What a person touches in Blender: menus, dialogues, drops, panels and the command line."""

from __future__ import annotations

from inspect import get_annotations

import bpy

from ..io_formats.later import modules_of

__getattr__ = modules_of(__name__)  # before anything of the package is asked for

from . import action_tools, animation_list, dialogs, exporting, importing, menus, panels, preferences, reporting
from .locale import translations

_ROOMS = (preferences, dialogs, importing, exporting, menus, action_tools, reporting, panels, animation_list)
CLASSES: tuple[type, ...] = (*importing.BATCH_CLASSES, *(cls for room in _ROOMS for cls in room.CLASSES))
_Property: type = vars(bpy.props)["_PropertyDeferred"]
_PARTS = (importing, translations, menus, panels, reporting, animation_list)


def register() -> None:
    """Register all classes, then what refers to them; what a failed attempt left is taken away first."""
    unregister()
    # Blender looks for properties among annotations, and evaluates others, which are texts here, for each class that
    # inherits them; attributes would hide these
    for owner in dict.fromkeys(base for cls in CLASSES for base in cls.__mro__):
        if owner.__module__.startswith(__package__):
            found = {**get_annotations(owner), **vars(owner)}
            owner.__annotations__ = {name: value for name, value in found.items() if isinstance(value, _Property)}
            for name in owner.__annotations__.keys() & vars(owner).keys():
                delattr(owner, name)
    for cls in CLASSES:
        if issubclass(cls, bpy.types.Operator):  # what its documentation says is what a person is told of it
            cls.bl_description = (cls.__doc__ or "").rstrip(".")
        bpy.utils.register_class(cls)
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Take everything back in reverse order; harmless where nothing is registered."""
    for part in reversed(_PARTS):
        part.unregister()
    for cls in reversed(CLASSES):
        if getattr(cls, "is_registered", False):
            bpy.utils.unregister_class(cls)
