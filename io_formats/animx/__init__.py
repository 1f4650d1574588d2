"""AnimX and AnimJ, the animations of NeosVR and Resonite: every type, every container, both ways.

document = animx.read(data)                      # AnimX or AnimJ, told apart by content
data = animx.write(document, container="lz4")    # "plain", "lz4", "lzma"; the document's own by default
text = animx.write_animj(document)
"""

from __future__ import annotations

from ..binary import SIZE_LIMIT
from ..clip import Clip
from ..errors import Report
from ..files.whole_file import Unread
from ..format import Destination, Facts, Format, Opened, Words
from . import messages
from .animj_write import write as write_animj
from .describe import describe, plays
from .document import Document, Track
from .equivalence import same_content
from .from_clip import from_clip
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions
from .read import matches, read
from .to_clip import to_clips
from .write import encode, write


class Animx(Format[Document, ReadOptions, WriteOptions]):
    """AnimX and AnimJ: one clip of named slots, which need no armature; packed and ordered as the options say."""

    name = "animx"
    title = "AnimX / AnimJ animation"
    extensions = (".animj", ".animx")
    read_options = ReadOptions
    write_options = WriteOptions
    import_options = ImportOptions
    export_options = ExportOptions
    import_words = Words(
        "Import AnimX, AnimJ",
        "AnimX, AnimJ (.animx, .animj)",
        "Open an AnimX or AnimJ animation of NeosVR and Resonite, curves as curves",
    )
    export_words = Words(
        "Export AnimJ, AnimX",
        "AnimJ, AnimX (.animj, .animx)",
        "Save bones, objects, shape keys and properties as AnimJ or AnimX, curves as curves",
    )
    counted = (("nodes", messages.NODES), ("tracks", messages.TRACKS))

    def matches(self, data: bytes | Unread) -> bool:
        """Look for AnimX's magic number or AnimJ's first letters."""
        return matches(data)

    def read(self, data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Document:
        """Read AnimX or AnimJ, told apart by content."""
        return read(data, limit=limit, report=report)

    def write(self, document: Document, ending: str, options: WriteOptions, /) -> bytes:
        """Write AnimJ for .animj, else AnimX."""
        return encode(document, ending, options)

    def same_content(self, first: Document, second: Document) -> bool:
        """Compare what the files mean."""
        return same_content(first, second)

    def describe(self, document: Document) -> Facts:
        """Tell version, packing, counts, duration and tracks."""
        return describe(document)

    def plays(self, document: Document) -> bool:
        """Look for a track."""
        return plays(document)

    def to_clips(self, file: Opened[Document], options: ReadOptions, report: Report) -> list[Clip]:
        """Return the one clip of a file."""
        return to_clips(file.document, options, report)

    def from_clip(
        self, clip: Clip, to: Destination[Document, ReadOptions], options: WriteOptions, report: Report
    ) -> Document:
        """Return the file that plays what the clip does."""
        return from_clip(clip, options, report, source=to.source)


FORMAT = Animx()

__all__ = [
    "FORMAT",
    "Document",
    "ExportOptions",
    "ImportOptions",
    "ReadOptions",
    "Track",
    "WriteOptions",
    "describe",
    "encode",
    "from_clip",
    "matches",
    "plays",
    "read",
    "same_content",
    "to_clips",
    "write",
    "write_animj",
]
