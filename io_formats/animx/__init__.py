"""AnimX and AnimJ, the animations of NeosVR and Resonite: every type, every container, both ways.

document = animx.read(data)                      # AnimX or AnimJ, distinguished by content
data = animx.write(document, container="lz4")    # "plain", "lz4", "lzma"; the document's own by default
text = animx.write_animj(document)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..format_facts import FormatFacts, Words
from ..later import takes_names
from . import messages
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from .animj_write import write as write_animj
    from .format import Animx, Document, Track, describe, encode, matches, plays, read, same_content, to_clips, write
    from .from_clip import from_clip


class AnimxFacts(FormatFacts):
    """AnimX and AnimJ: one clip of named slots, which need no armature; packed and ordered as the options say."""

    name = "animx"
    title = "AnimX/AnimJ"
    short = "AnimX"
    extensions = (".animj", ".animx")
    forms = (
        (".animj", "AnimJ (.animj)", "JSON, which the engine's author advises for exchange"),
        (".animx", "AnimX (.animx)", "Binary, smaller and packed if wanted; what the engine itself saves"),
    )
    read_options = ReadOptions
    write_options = WriteOptions
    import_options = ImportOptions
    export_options = ExportOptions
    words = Words(
        "AnimX/AnimJ",
        "Resonite AnimX/AnimJ (.animx/.animj)",
        "Open an AnimX or AnimJ animation of NeosVR and Resonite, curves as curves",
        "Save bones, objects, shape keys and properties as AnimX or AnimJ, curves as curves",
    )
    mistaken = messages.NOT_ANIMX
    free_names = True
    form_options = ("container", "key_order", "tangent_order")
    counted = (("nodes", messages.NODES), ("tracks", messages.TRACKS))
    whole = (".format", "Animx")


FORMAT = cast("Animx", AnimxFacts())

__all__ = ["FORMAT", "ExportOptions", "ImportOptions", "ReadOptions", "WriteOptions"]
__all__ += ["Document", "Track", "describe", "encode", "from_clip", "matches", "plays", "read"]
__all__ += ["same_content", "to_clips", "write", "write_animj"]

takes_names(__name__)
