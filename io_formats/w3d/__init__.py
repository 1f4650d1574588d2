"""Westwood W3D: skeletons and animations of Renegade, Generals and the Battle for Middle-earth.

document = w3d.read(data)
assert w3d.write(document) == data
"""

from __future__ import annotations

from .. import messages as common_messages
from ..clip import HIDE, Clip, NodeKind, TrackKind
from ..errors import Report
from ..files.steps import Steps
from ..format import Format, Opened, SkeletonNames, Words
from . import big_archive, messages
from .channels import FADE, VISIBILITY
from .companions import W3dCompanions
from .describe import describe, plays
from .document import Document
from .from_clip import from_clip, tell_if_lost
from .library import Library
from .options import ExportOptions, ImportOptions, ReadOptions, WriteOptions
from .read import matches, read, read_in_steps
from .skeleton import wanted_names
from .to_clip import clips_in_steps, to_clips
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
        "Import W3D",
        "Westwood W3D Animation (.w3d)",
        "Open the animations of a Westwood W3D file on their skeleton, as the engine plays them",
    )
    export_words = Words(
        "Export W3D",
        "Westwood W3D Animation (.w3d)",
        "Save an armature's Action as a W3D animation; what was not touched comes out byte for byte",
    )
    mistaken = messages.NOT_W3D
    counted = (("animations", common_messages.ANIMATIONS), ("pivots", common_messages.PIVOTS))
    needs_armature = True
    meshes_hide_bones = True
    counts_frames = True
    holds_several = True

    matches = staticmethod(matches)
    read = staticmethod(read)
    read_in_steps = staticmethod(read_in_steps)
    same_content = staticmethod(same_content)
    describe = staticmethod(describe)
    plays = staticmethod(plays)
    from_clip = staticmethod(from_clip)
    companions = staticmethod(W3dCompanions)
    library = staticmethod(Library)
    is_packed = staticmethod(big_archive.is_entry)
    read_file = staticmethod(big_archive.read_file)
    tell_new_name = staticmethod(tell_if_lost)

    def write(self, document: Document, _ending: str, _options: WriteOptions, /) -> bytes:
        """Write the document chunk by chunk."""
        return write(document)

    def clips_in_steps(self, file: Opened[Document], options: ReadOptions, report: Report) -> Steps[list[Clip]]:
        """Return a clip for each animation, or the skeleton at rest."""
        return clips_in_steps(file.document, options, report, skeleton=file.skeleton)

    def holds(self, node: NodeKind, kind: TrackKind, name: str, /) -> bool:
        """Hold when a pivot is seen, and how much of it."""
        is_own = name == VISIBILITY or (kind, name) in ((TrackKind.RNA, HIDE), (TrackKind.CUSTOM, FADE))
        return node is NodeKind.BONE and is_own

    def skeleton_names(self, document: Document, /) -> SkeletonNames:
        """Return the names of hierarchies."""
        return SkeletonNames([hierarchy.name for hierarchy in document.hierarchies], wanted_names(document))

    def skeleton_of(self, clip: Clip, /) -> Document:
        """Return a file that holds the nodes as a hierarchy."""
        return from_clip(clip, WriteOptions(include_skeleton="INCLUDE"), Report())


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
