"""Data paths put together and taken apart: which bone, and which property of it."""

from __future__ import annotations

import re

_ESCAPES = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)
_QUOTED = r'\["((?:[^"\\]|\\.)*)"\]'
_BONE = re.compile(rf"pose\.bones{_QUOTED}(.*)", re.DOTALL)
_BONE_OF_DATA = re.compile(rf"bones{_QUOTED}\.(\w+)", re.DOTALL)
_CUSTOM = re.compile(_QUOTED, re.DOTALL)
_SHAPE_KEY = re.compile(rf"key_blocks{_QUOTED}\.value", re.DOTALL)
_PLAIN = {escaped: chr(code) for code, escaped in _ESCAPES.items()}


def bone_path(bone: str, property_path: str) -> str:
    """The data path of a pose bone's property; `property_path` starts with a dot or a bracket."""
    return f'pose.bones["{escape(bone)}"]{property_path}'


def custom_path(name: str) -> str:
    """The end of a data path that leads to the custom property `name`."""
    return f'["{escape(name)}"]'


def escape(name: str) -> str:
    """`name` as it stands between quotes in a data path (the rules of `bpy.utils.escape_identifier`)."""
    return name.translate(_ESCAPES)


def unescape(quoted: str) -> str:
    """The name that stands between quotes in a data path; the way back from `escape`."""
    return re.sub(r"\\.", lambda found: _PLAIN.get(found[0], found[0][1]), quoted, flags=re.DOTALL)


def split_bone(data_path: str) -> tuple[str | None, str]:
    """The pose bone that a path leads to and the rest of the path; (None, path) where it leads elsewhere.

    The rest begins with a bracket for a custom property, else with the name of the property.
    """
    found = _BONE.fullmatch(data_path)
    if found is None:
        return None, data_path
    return unescape(found[1]), found[2].removeprefix(".")


def split_bone_of_data(data_path: str) -> tuple[str | None, str]:
    """The bone that a path of an Armature datablock leads to and its property; (None, path) for any other path."""
    found = _BONE_OF_DATA.fullmatch(data_path)
    return (None, data_path) if found is None else (unescape(found[1]), found[2])


def custom_key(path: str) -> str | None:
    """The key of a custom property, where the path is nothing else than one."""
    found = _CUSTOM.fullmatch(path)
    return None if found is None else unescape(found[1])


def shape_key(path: str) -> str | None:
    """The name of the shape key whose value the path (of the shape keys' datablock) is."""
    found = _SHAPE_KEY.fullmatch(path)
    return None if found is None else unescape(found[1])
