"""Westwood W3D: skeletons and animations of Renegade, Generals and the Battle for Middle-earth.

document = w3d.read(data)
assert w3d.write(document) == data
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import messages as common_messages
from ..binary import SIZE_LIMIT
from ..clip import Clip
from ..errors import Report
from ..files.whole_file import Unread
from ..format import Destination, Facts, Format, Opened, SkeletonNames, Words
from . import big_archive, messages
from .companions import W3dCompanions
from .describe import describe, plays
from .document import Document
from .from_clip import from_clip, tell_if_lost
from .library import Library
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions
from .read import matches, read
from .skeleton import wanted_names
from .to_clip import to_clips
from .write import same_content, write


class W3d(Format[Document, ReadOptions, WriteOptions]):
    """W3D files: animations and their skeleton in one or in several, models beside them, all of it in archives."""

    name = "w3d"
    title = "Westwood W3D"
    extensions = (".w3d",)
    read_options = ReadOptions
    write_options = WriteOptions
    import_options = ImportOptions
    export_options = ExportOptions
    import_words = Words(
        "Import W3D Animation",
        "W3D Animation (.w3d)",
        "Open the animations of a Westwood W3D file on their skeleton, as the engine plays them",
    )
    export_words = Words(
        "Export W3D Animation",
        "W3D Animation (.w3d)",
        "Save an armature's Action as a W3D animation; what was not touched comes out byte for byte",
    )
    counted = (("animations", common_messages.ANIMATIONS), ("pivots", messages.PIVOTS))
    needs_armature = True
    counts_frames = True
    holds_several = True

    def matches(self, data: bytes | Unread) -> bool:
        """Look for chunks that fit."""
        return matches(data)

    def read(self, data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Document:
        """Read a file of any of the games."""
        return read(data, limit=limit, report=report)

    def write(self, document: Document, _ending: str, _options: WriteOptions, /) -> bytes:
        """Write the document chunk by chunk."""
        return write(document)

    def same_content(self, first: Document, second: Document) -> bool:
        """Compare chunk by chunk and bit by bit."""
        return same_content(first, second)

    def describe(self, document: Document) -> Facts:
        """Tell skeletons, animations and the chunks that are carried."""
        return describe(document)

    def plays(self, document: Document) -> bool:
        """Look for an animation with a channel."""
        return plays(document)

    def to_clips(self, file: Opened[Document], options: ReadOptions, report: Report) -> list[Clip]:
        """Return a clip for each animation, or the skeleton at rest."""
        return to_clips(file.document, options, report, skeleton=file.skeleton)

    def from_clip(
        self, clip: Clip, to: Destination[Document, ReadOptions], options: WriteOptions, report: Report
    ) -> Document:
        """Return the file with the clip as one of its animations."""
        return from_clip(clip, options, report, source=to.source, base=to.into, skeleton=to.skeleton, file=to.file)

    def companions(self, options: ReadOptions, folders: Sequence[Path], /) -> W3dCompanions:
        """Look for skeletons, models and textures."""
        return W3dCompanions(options, folders)

    def library(self, folders: Sequence[Path], /) -> Library:
        """Return list the games' folders and archives."""
        return Library(folders)

    def skeleton_names(self, document: Document, /) -> SkeletonNames:
        """Return the names of hierarchies."""
        return SkeletonNames([hierarchy.name for hierarchy in document.hierarchies], wanted_names(document))

    def skeleton_of(self, clip: Clip, /) -> Document:
        """Return a file that holds the nodes as a hierarchy."""
        return from_clip(clip, WriteOptions(include_skeleton="INCLUDE"), Report())

    def is_packed(self, path: Path, /) -> bool:
        """Return whether a path leads into a .big archive."""
        return big_archive.is_entry(path)

    def read_file(self, path: Path, limit: int | None = None) -> bytes:
        """Return the bytes of a file or of an archive's entry."""
        return big_archive.read_file(path, limit)

    def tell_new_name(self, document: Document, came_from: str, goes_to: str, report: Report, /) -> None:
        """Warn where a game would find the animation under the old name only."""
        tell_if_lost(document, came_from, goes_to, report)


FORMAT = W3d()

__all__ = [
    "FORMAT",
    "Document",
    "ExportOptions",
    "ImportOptions",
    "ReadOptions",
    "WriteOptions",
    "describe",
    "from_clip",
    "matches",
    "plays",
    "read",
    "same_content",
    "to_clips",
    "write",
]
