"""What all steps of a capture share: who plays, over which frames, and what there is to tell of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...io_formats.clip import Clip
from ...io_formats.errors import Entry, Report
from ...io_formats.scene_options import ExportOptions
from ..provenance import Provenance
from .players import Cast
from .timing import Span, Timing, timing


@dataclass
class Scope:
    """One capture.

    Attributes:
        cast: who plays what.
        report: learns what the user has to know.
        written: what the mapping makes of the file that the Action came from, None if there is none.
        provenance: what the Action knows of its file, None if it knows none.
        reasons: why something was sampled or is not exact, each once.
        timing: when the clip begins and ends.
        unending: (node, address) of what goes on after its last key, further than the clip.
    """

    context: Any
    cast: Cast
    options: ExportOptions
    report: Report
    written: Clip | None
    provenance: Provenance | None
    reasons: list[Entry] = field(default_factory=list)
    unending: set[tuple[str, str]] = field(default_factory=set)
    timing: Timing = field(init=False)

    def __post_init__(self) -> None:
        self.timing = timing(self.context.scene, self.cast, self.options, self.written, self.provenance)

    @property
    def span(self) -> Span:
        """The frames of the clip, and how they become seconds."""
        return self.timing.span

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
