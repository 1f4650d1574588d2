"""MRTK2 "Input Animation" recordings (.bin): hands, camera and gaze of a HoloLens or its simulation."""

from __future__ import annotations

from .describe import describe, plays
from .document import Document
from .from_clip import to_document
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions
from .read import matches, read
from .to_clip import to_clips
from .write import encode, same_content, write

NAME = "mrtk"
TITLE = "MRTK2 input recording"
EXTENSIONS = (".bin",)
NEEDS_ARMATURE = True
REPEATS = True
"""Its curves can repeat before their first and after their last key."""

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
    "same_content",
    "to_clips",
    "to_document",
    "write",
]
