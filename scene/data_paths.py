"""Data paths put together and taken apart: which bone, and which property of it."""

from __future__ import annotations

import re

import bpy
from bpy.app.translations import pgettext_iface
from bpy.utils import escape_identifier, unescape_identifier

from .types import Holder

_QUOTED = r'\["((?:[^"\\]|\\.)*)"\]'
_BONE = re.compile(rf"pose\.bones{_QUOTED}(.*)", re.DOTALL)
_BONE_OF_DATA = re.compile(rf"bones{_QUOTED}\.(\w+)", re.DOTALL)
_CUSTOM = re.compile(_QUOTED, re.DOTALL)
_SHAPE_KEY = re.compile(rf"key_blocks{_QUOTED}\.value", re.DOTALL)
_PROPERTY = re.compile(rf"(.*?)(?:\.?(\w+)|{_QUOTED})", re.DOTALL)
ROTATIONS = ("rotation_quaternion", "rotation_euler", "rotation_axis_angle")
"""What turns a bone or object, one in each rotation mode; see `turn_of`."""
_LETTERS = {"rotation_quaternion": "WXYZ", "location": "XYZ", "scale": "XYZ", "rotation_euler": "XYZ"}
"""Of the components of a property, as the Dope Sheet names them."""


def bone_path(bone: str, property_path: str) -> str:
    """Return the data path of a pose bone's property; `property_path` starts with a dot or a bracket."""
    return f'pose.bones["{escape_identifier(bone)}"]{property_path}'


def custom_path(name: str) -> str:
    """Return the end of a data path that leads to the custom property `name`."""
    return f'["{escape_identifier(name)}"]'


def turn_of(holder: Holder) -> str:
    """Return the property that turns a bone or object in its rotation mode."""
    modes = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    return modes.get(holder.rotation_mode, "rotation_euler")


def shape_key_path(name: str) -> str:
    """Return the data path of a shape key's value, in the datablock of the shape keys."""
    return f'key_blocks["{escape_identifier(name)}"].value'


def split_bone(data_path: str) -> tuple[str | None, str]:
    """Return the pose bone that a path leads to and the rest of the path; (None, path) where it leads elsewhere.

    The rest begins with a bracket for a custom property, else with the name of the property.
    """
    found = _BONE.fullmatch(data_path)
    return (None, data_path) if found is None else (unescape_identifier(found[1]), found[2].removeprefix("."))


def split_bone_of_data(data_path: str) -> tuple[str | None, str]:
    """Return the bone that a path of an Armature datablock leads to and its property; (None, path) for others."""
    found = _BONE_OF_DATA.fullmatch(data_path)
    return (None, data_path) if found is None else (unescape_identifier(found[1]), found[2])


def split_property(data_path: str) -> tuple[str, str, str]:
    """Return where what has a property is, and the property's name, or the key of a custom one; all empty for none."""
    found = _PROPERTY.fullmatch(data_path)
    return ("", "", "") if found is None else (found[1], found[2] or "", unescape_identifier(found[3] or ""))


def custom_key(path: str) -> str | None:
    """Return the key of a custom property, where the path is nothing else than one."""
    found = _CUSTOM.fullmatch(path)
    return None if found is None else unescape_identifier(found[1])


def shape_key(path: str) -> str | None:
    """Return the name of the shape key whose value the path (of the shape keys' datablock) is."""
    found = _SHAPE_KEY.fullmatch(path)
    return None if found is None else unescape_identifier(found[1])


def curve_label(data_path: str, index: int) -> str:
    """Name a curve as the Dope Sheet does, in its language: "IndexKnuckle.L: Z Location"."""
    bone, rest = split_bone(data_path)
    named = custom_key(rest) or shape_key(rest)
    if named is None:
        letters = _LETTERS.get(rest, "")
        letter = f"{letters[index]} " if index < len(letters) else ""
        owner = bpy.types.PoseBone if bone else bpy.types.Object
        found: bpy.types.Property | None = owner.bl_rna.properties.get(rest)
        words = rest.replace("_", " ").title()
        named = letter + (words if found is None else pgettext_iface(found.name, found.translation_context))
    return f"{bone}: {named}" if bone else named
