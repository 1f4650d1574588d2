"""The functions of the format: its codec, and the two ways between a document and clips."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..clip import HIDE, Clip, NodeKind, Track, TrackKind
from ..clip.pivots import VISIBILITY, as_visibility
from ..clip.whole_frames import lasting
from ..errors import Report
from ..files.steps import Steps, in_one_step
from ..format import Facts, Format, Opened, SkeletonNames
from ..later import function_of
from . import W3xFacts
from .companions import Library, W3xCompanions, wanted_names
from .document import Document, write
from .options import ReadOptions, WriteOptions
from .read import matches, read
from .to_clip import to_clips


def describe(document: Document) -> Facts:
    """Return skeletons, animations, includes and the assets that are carried, ready for JSON."""
    animations = [
        {
            "name": animation.name,
            "hierarchy": animation.hierarchy,
            "frames": animation.frame_count,
            "rate": animation.rate,
            "duration": lasting(animation.frame_count, animation.rate),
            "channels": dict(Counter(channel.type for channel in animation.channels)),
            "steps": sum(int(channel.steps.sum()) for channel in animation.channels),
        }
        for animation in document.animations
    ]
    return {
        "skeletons": [{"name": each.name, "pivots": each.names} for each in document.hierarchies],
        "animations": animations,
        "includes": [include.source for include in document.includes],
        "other_assets": dict(Counter(asset.kind for asset in document.carried)),
    }


def plays(document: Document) -> bool:
    """Return whether an animation of the file has a channel."""
    return any(animation.channels for animation in document.animations)


class W3x(W3xFacts, Format[Document, ReadOptions, WriteOptions]):
    """W3X files: XML with animations, their skeleton, or both; what else is in it stays."""

    matches = staticmethod(matches)
    read = staticmethod(read.steps)
    write = staticmethod(in_one_step(lambda document, *_: write(document)))
    describe = staticmethod(describe)
    plays = staticmethod(plays)
    from_clip = staticmethod(function_of(f"{__package__}.from_clip", "from_clip.steps"))
    companions = staticmethod(W3xCompanions)
    library = staticmethod(Library)

    def clips(self, file: Opened[Document], options: ReadOptions, report: Report) -> Steps[list[Clip]]:
        """Return a clip for each animation, or the skeleton at rest."""
        return to_clips.steps(file.document, options, report, skeleton=file.skeleton)

    def holds(self, node: NodeKind, kind: TrackKind, name: str, /) -> bool:
        """Hold when a pivot is seen."""
        return node is NodeKind.BONE and (name == VISIBILITY or (kind, name) == (TrackKind.RNA, HIDE))

    def in_own_words(self, tracks: Sequence[Track], _options: WriteOptions, /) -> list[list[Track]]:
        """Return what hides a bone as a pivot's visibility."""
        return [[as_visibility(track)] for track in tracks]

    def skeleton_names(self, document: Document, /) -> SkeletonNames:
        """Return the names of hierarchies."""
        return SkeletonNames([hierarchy.name for hierarchy in document.hierarchies], wanted_names(document))


__all__ = ["Document", "W3x", "describe", "matches", "plays", "read", "to_clips", "write"]
