"""MRTK2 "Input Animation" recordings (.bin): hands, camera and gaze of a HoloLens or its simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..format_facts import FormatFacts, Words
from ..later import takes_names
from . import messages
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from .format import Document, Mrtk, describe, matches, plays, read, to_clips, write
    from .from_clip import from_clip


class MrtkFacts(FormatFacts):
    """Recordings: one clip, nothing beside them, one way to write a document."""

    name = "mrtk"
    title = "MRTK2 input recording"
    short = "MRTK"
    extensions = (".bin",)
    read_options = ReadOptions
    write_options = WriteOptions
    import_options = ImportOptions
    export_options = ExportOptions
    words = Words(
        "MRTK",
        "MRTK Hand Recording (.bin)",
        "Open hands, camera and gaze of an MRTK2 input recording, every curve with its own keys",
        "Save an armature with MRTK's joints as an input recording; what was not touched comes out byte for byte",
    )
    mistaken = messages.NOT_A_RECORDING
    counted = (("hands", messages.HANDS), ("joints", messages.JOINTS))
    first_shown = messages.FIRST_HAND
    needs_armature = holds_markers = True
    long_from = 32 << 20
    whole = (".format", "Mrtk")


FORMAT = cast("Mrtk", MrtkFacts())

__all__ = ["FORMAT", "ExportOptions", "ImportOptions", "ReadOptions", "WriteOptions"]
__all__ += ["Document", "describe", "from_clip", "matches", "plays", "read", "to_clips", "write"]

takes_names(__name__)
