"""The functions of the format: its codec, and the two ways between a document and clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..clip import Clip, NodeKind, TrackKind
from ..clip import Track as ClipTrack
from ..clip.agreement import Written
from ..clip.edit import longer
from ..errors import Report
from ..files.steps import Steps
from ..format import Format, Opened
from ..options import SIZE_LIMIT
from . import AnimxFacts, rna_fields
from .animj_write import write as write_animj
from .describe import describe, plays
from .document import Document, Track
from .equivalence import same_content, same_content_in_steps
from .form import in_form
from .from_clip import from_clip
from .options import ReadOptions, WriteOptions
from .read import matches, read, read_in_steps
from .to_clip import clips_in_steps, to_clips
from .write import encode, encode_in_steps, write


class Animx(AnimxFacts, Format[Document, ReadOptions, WriteOptions]):
    """AnimX and AnimJ: one clip of named slots, which need no armature; packed and ordered as the options say."""

    matches = staticmethod(matches)
    write_in_steps = staticmethod(encode_in_steps)
    same_content = staticmethod(same_content)
    same_content_in_steps = staticmethod(same_content_in_steps)
    describe = staticmethod(describe)
    plays = staticmethod(plays)
    from_clip = staticmethod(from_clip)
    in_form = staticmethod(in_form)

    def read(self, data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Document:
        """Return the document of AnimX or AnimJ, told apart by content, in the order of keys that it seems to have."""
        return read(data, limit=limit, report=report)

    def read_in_steps(self, data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Steps[Document]:
        """Return the same, AnimJ track by track."""
        return read_in_steps(data, limit, report)

    def write(self, document: Document, ending: str, options: WriteOptions, /) -> bytes:
        """Return AnimJ for .animj, else AnimX; without an ending, the form that the document was read from."""
        return encode(document, ending, options)

    def clips_in_steps(self, file: Opened[Document], options: ReadOptions, report: Report) -> Steps[list[Clip]]:
        """Return the one clip of a file."""
        return clips_in_steps(file.document, options, report)

    def played_in_steps(self, file: Opened[Document], written: Written, options: WriteOptions, /) -> Steps[Clip]:
        """Return what the slots of a model play."""
        kinds = {node.name: node.kind for node in written.nodes}
        of_file = {name: kinds[own] for name, own in written.names.items()}
        (clip,) = yield from clips_in_steps(file.document, ReadOptions(**written.reading), Report(), of_file)
        return written.played(replace(clip, tracks=[longer(track, 1.0 / options.scale) for track in clip.tracks]))

    def in_own_words(self, tracks: Sequence[ClipTrack], clip: Clip, options: WriteOptions, /) -> list[list[ClipTrack]]:
        """Return properties of Blender's own as fields of components."""
        return rna_fields.as_read(tracks, clip.views, leave_out=options.unbound == "LEAVE_OUT")

    def holds(self, _node: NodeKind, kind: TrackKind, name: str, /) -> bool:
        """Hold whatever a person made, and of Blender's own what the engine has a field for."""
        return kind is not TrackKind.RNA or rna_fields.is_field(name)


__all__ = [
    "Animx",
    "Document",
    "Track",
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
