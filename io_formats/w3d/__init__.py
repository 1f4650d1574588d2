"""Westwood W3D: skeletons and animations of Renegade, Generals and the Battle for Middle-earth.

document = w3d.read(data)
assert w3d.write(document) == data
"""

from __future__ import annotations

from .. import compare
from ..options import ExportOptions as AnyExportOptions
from .describe import describe
from .document import Document
from .mapping import to_clips, to_document
from .options import ExportOptions, ImportOptions
from .read import matches, read
from .write import write

NAME = "w3d"
TITLE = "Westwood W3D"
EXTENSIONS = (".w3d",)

__all__ = [
    "EXTENSIONS",
    "NAME",
    "TITLE",
    "Document",
    "ExportOptions",
    "ImportOptions",
    "describe",
    "encode",
    "matches",
    "read",
    "same_content",
    "to_clips",
    "to_document",
    "write",
]


def same_content(a: Document, b: Document) -> bool:
    """Whether two files hold the same, chunk by chunk and bit by bit."""
    return compare.equal(a, b)


def encode(document: Document, ending: str, options: AnyExportOptions) -> bytes:
    """The bytes for a file of that ending; W3D has one form only."""
    return write(document)
