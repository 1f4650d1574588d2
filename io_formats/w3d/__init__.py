"""Westwood W3D: skeletons and animations of Renegade, Generals and the Battle for Middle-earth.

document = w3d.read(data)
assert w3d.write(document) == data
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..format_facts import PivotFacts, Words
from ..later import takes_names
from . import messages
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from .format import Document, W3d, describe, matches, plays, read, to_clips, write
    from .from_clip import from_clip


class W3dFacts(PivotFacts):
    """W3D files: animations and their skeleton in one or in several, models beside them, all of it in archives."""

    name = "w3d"
    title = "Westwood W3D"
    short = "W3D"
    extensions = (".w3d",)
    read_options = ReadOptions
    write_options = WriteOptions
    import_options = ImportOptions
    export_options = ExportOptions
    words = Words(
        "W3D",
        "Westwood W3D Animation (.w3d)",
        "Open the animations of a Westwood W3D file on their skeleton, as the engine plays them",
        "Save an armature's Action as a W3D animation; what was not touched comes out byte for byte",
    )
    mistaken = messages.NOT_W3D
    whole = (".format", "W3d")


FORMAT = cast("W3d", W3dFacts())

__all__ = ["FORMAT", "ExportOptions", "ImportOptions", "ReadOptions", "WriteOptions"]
__all__ += ["Document", "describe", "from_clip", "matches", "plays", "read", "to_clips", "write"]

takes_names(__name__)
