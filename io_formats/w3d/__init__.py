"""Westwood W3D: skeletons and animations of Renegade, Generals and the Battle for Middle-earth.

document = w3d.read(data)
assert w3d.write(document) == data
"""

from __future__ import annotations

from .describe import describe, plays
from .document import Document
from .from_clip import to_document
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions
from .read import matches, read
from .to_clip import rest_pose, to_clips
from .write import encode, same_content, write

NAME = "w3d"
TITLE = "Westwood W3D"
EXTENSIONS = (".w3d",)
NEEDS_ARMATURE = True
REPEATS = False
"""A channel ends with its last frame."""

__all__ = [
    "EXTENSIONS",
    "NAME",
    "NEEDS_ARMATURE",
    "REPEATS",
    "TITLE",
    "Document",
    "ExportOptions",
    "ImportOptions",
    "ReadOptions",
    "WriteOptions",
    "describe",
    "encode",
    "matches",
    "plays",
    "read",
    "rest_pose",
    "same_content",
    "to_clips",
    "to_document",
    "write",
]
