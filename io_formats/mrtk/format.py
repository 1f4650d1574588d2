"""The functions of the format: its codec, and the two ways between a document and clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..clip import Clip, NodeKind, TrackKind
from ..errors import Report
from ..files.steps import Steps, in_one_step
from ..format import Facts, Format, Opened
from ..later import function_of
from . import MrtkFacts, joints, messages
from .document import Document, describe, plays, write
from .options import ReadOptions, WriteOptions
from .read import matches, read
from .to_clip import to_clips


class Mrtk(MrtkFacts, Format[Document, ReadOptions, WriteOptions]):
    """Recordings: one clip, nothing beside them, one way to write a document."""

    matches = staticmethod(matches)
    read = staticmethod(in_one_step(read))
    write = staticmethod(lambda document, *_: write.steps(document))
    describe = staticmethod(describe)
    plays = staticmethod(plays)
    from_clip = staticmethod(in_one_step(function_of(f"{__package__}.from_clip", "from_clip")))

    def clips(self, file: Opened[Document], options: ReadOptions, report: Report) -> Steps[list[Clip]]:
        """Return the one clip of a recording."""
        return to_clips.steps(file.document, options, report, file.describe()["duration"])

    def holds(self, node: NodeKind, kind: TrackKind, name: str, /) -> bool:
        """Hold whether a hand is seen, and whether it pinches."""
        switches = (joints.TRACKED, joints.PINCHING)
        return node is NodeKind.BONE and kind is TrackKind.CUSTOM and name in switches

    def noted(self, report: Report, /) -> Facts:
        """Remember whether rotations were rebuilt."""
        return {"repaired": any(entry.template == messages.REPAIRED_W for entry in report.warnings)}

    def following(self, options: WriteOptions, sources: Sequence[Facts], report: Report, /) -> WriteOptions:
        """Write the version of the recordings, the newest of several, and say which one that is where some differ."""
        known: list[Any] = sorted({facts.get("version") for facts in sources} & {"1.0", "1.1"})
        version = options.version if options.version != "AUTO" or not known else known[-1]
        others = [each for each in known if each != version]
        if others:
            report.note(messages.OTHER_VERSION, version=version, others=", ".join(others))
        return replace(options, version=version)

    def export_defaults(self, facts: Facts, /) -> Facts:
        """Offer to write rotations that the import rebuilt."""
        return {"write_repaired_w": True} if facts.get("repaired") else {}


__all__ = ["Document", "Mrtk", "describe", "matches", "plays", "read", "to_clips", "write"]
