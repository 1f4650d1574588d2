"""What all steps of a capture share: who plays, over which frames, and what there is to tell of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..io_formats.clip import Clip
from ..io_formats.errors import Entry, Report
from ..io_formats.options import ExportOptions
from . import rates
from .carriers import Cast
from .curve_tracks import Span
from .provenance import Provenance


@dataclass
class Scope:
    """One capture.

    Attributes:
        cast: who plays what.
        report: learns what the user has to know.
        written: what the mapping makes of the file that the Action came from, None if there is none.
        provenance: what the Action knows of its file, None if it knows none.
        reasons: why something was sampled or is not exact, each once.
        span: the frames of the clip.
    """

    context: Any
    cast: Cast
    options: ExportOptions
    report: Report
    written: Clip | None
    provenance: Provenance | None
    reasons: list[Entry] = field(default_factory=list)
    span: Span = field(init=False)

    def __post_init__(self) -> None:
        scene = self.context.scene
        start = self.provenance.placement.start_frame if self.provenance is not None else 0.0
        ranges = self.cast.ranges() or [(scene.frame_start, scene.frame_end)]
        first, last = min(first for first, _ in ranges), max(last for _, last in ranges)
        self.span = Span(float(first), float(last), rates.scene_rate(scene), start)

    @property
    def main(self) -> Any:
        """The first armature, None if there is none."""
        return self.cast.main

    def because(self, template: str, **values: Any) -> None:
        """Note a reason."""
        self.add_reason(Entry(template, values))

    def add_reason(self, reason: Entry) -> None:
        """Note a reason, once."""
        if reason not in self.reasons:
            self.reasons.append(reason)
