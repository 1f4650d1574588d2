"""EA's W3X: skeletons and animations of Command & Conquer 3 and Red Alert 3, as their mod tools read them.

document = w3x.read(data)
assert w3x.write(document) == data
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..format_facts import PivotFacts, Words
from ..later import takes_names
from . import messages
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from .format import Document, W3x, describe, matches, plays, read, to_clips, write
    from .from_clip import from_clip


class W3xFacts(PivotFacts):
    """W3X files: XML with animations, their skeleton, or both; what else is in it stays."""

    name = "w3x"
    title = "EA W3X"
    short = "W3X"
    extensions = (".w3x",)
    read_options = ReadOptions
    write_options = WriteOptions
    import_options = ImportOptions
    export_options = ExportOptions
    words = Words(
        "W3X",
        "Command & Conquer W3X Animation (.w3x)",
        "Open the animations of a W3X file on their skeleton, as Command & Conquer 3 and Red Alert 3 play them",
        "Save an armature's Action as a W3X animation; what was not touched comes out byte for byte",
    )
    mistaken = messages.NOT_W3X
    whole = (".format", "W3x")


FORMAT = cast("W3x", W3xFacts())

__all__ = ["FORMAT", "ExportOptions", "ImportOptions", "ReadOptions", "WriteOptions"]
__all__ += ["Document", "describe", "from_clip", "matches", "plays", "read", "to_clips", "write"]

takes_names(__name__)
