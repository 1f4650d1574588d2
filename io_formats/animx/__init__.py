"""AnimX and AnimJ, the animations of NeosVR and Resonite: every type, every container, both ways.

document = animx.read(data)                      # AnimX or AnimJ, told apart by content
data = animx.write(document, container="lz4")    # "plain", "lz4", "lzma"; the document's own by default
text = animx.write_animj(document)
"""

from __future__ import annotations

from .animj_write import write as write_animj
from .describe import describe, plays
from .document import Document, Track
from .equivalence import same_content
from .from_clip import to_document
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions
from .read import matches, read
from .to_clip import to_clips
from .write import encode, write

NAME = "animx"
TITLE = "AnimX / AnimJ animation"
EXTENSIONS = (".animj", ".animx")
NEEDS_ARMATURE = False
REPEATS = False
"""A curve ends with its last key."""

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
    "Track",
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
    "write_animj",
]
