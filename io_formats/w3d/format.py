"""The functions of the format: its codec, and the two ways between a document and clips."""

from __future__ import annotations

from collections.abc import Sequence

from ..clip import HIDE, LEAST_OPACITY, Clip, NodeKind, Track, TrackKind
from ..clip.pivots import VISIBILITY, as_visibility
from ..errors import Report
from ..files.steps import Steps, in_one_step
from ..format import Format, Opened, SkeletonNames
from ..later import function_of
from . import W3dFacts, big_archive
from .companions import W3dCompanions
from .describe import describe, plays
from .document import Document, write
from .library import Library
from .options import ReadOptions, WriteOptions
from .playback import FADE
from .read import matches, read
from .skeleton import wanted_names
from .to_clip import to_clips


class W3d(W3dFacts, Format[Document, ReadOptions, WriteOptions]):
    """W3D files: animations and their skeleton in one or in several, models beside them, all of it in archives."""

    matches = staticmethod(matches)
    read = staticmethod(read.steps)
    write = staticmethod(in_one_step(lambda document, *_: write(document)))
    describe = staticmethod(describe)
    plays = staticmethod(plays)
    from_clip = staticmethod(in_one_step(function_of(f"{__package__}.from_clip", "from_clip")))
    companions = staticmethod(W3dCompanions)
    library = staticmethod(Library)
    is_packed = staticmethod(big_archive.is_entry)
    read_file = staticmethod(big_archive.read_file)
    tell_new_name = staticmethod(function_of(f"{__package__}.from_clip", "tell_if_lost"))

    def clips(self, file: Opened[Document], options: ReadOptions, report: Report) -> Steps[list[Clip]]:
        """Return a clip for each animation, or the skeleton at rest."""
        return to_clips.steps(file.document, options, report, skeleton=file.skeleton)

    def holds(self, node: NodeKind, kind: TrackKind, name: str, /) -> bool:
        """Hold when a pivot is seen, and how much of it."""
        is_own = name == VISIBILITY or (kind, name) in ((TrackKind.RNA, HIDE), (TrackKind.CUSTOM, FADE))
        return node is NodeKind.BONE and is_own

    def in_own_words(self, tracks: Sequence[Track], _options: WriteOptions, /) -> list[list[Track]]:
        """Return a pivot's visibility as bits."""
        return [
            [track.but(values=track.values >= LEAST_OPACITY) if track.property == VISIBILITY else track]
            for track in map(as_visibility, tracks)
        ]

    def skeleton_names(self, document: Document, /) -> SkeletonNames:
        """Return the names of hierarchies."""
        return SkeletonNames([hierarchy.name for hierarchy in document.hierarchies], wanted_names(document))


__all__ = ["Document", "W3d", "describe", "matches", "plays", "read", "to_clips", "write"]
