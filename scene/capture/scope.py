"""What all steps of a capture are about: who plays, over which frames, and what is known of their file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bpy.types import ID, Context, Object

from ...io_formats.clip import Clip, NodeKind, TrackKind
from ...io_formats.errors import Report
from ...io_formats.scene_options import ExportOptions
from ..provenance import Provenance
from ..types import Rig
from .players import Cast
from .timing import Span, Timing

Holds: TypeAlias = Callable[[NodeKind, TrackKind, str], bool]
"""Whether a file has a place for a property of that kind and name."""


@dataclass(frozen=True)
class Scope:
    """One capture.

    Attributes:
        cast: who plays what.
        report: learns what the user has to know.
        written: what the mapping makes of the file that the Action came from, None if there is none.
        provenance: what the Action knows of its file, None if it knows none.
        timing: when the clip begins and ends.
        beside: objects that are chosen or belong to those that play, of which nothing is written.
        holds: whether a file has a place for a property, no transform, of a node of that kind.
        sampled: nodes that are read from the evaluated scene, whatever makes them move.
        sampled_values: properties for which the same holds: datablock, its object, and path.
    """

    context: Context
    cast: Cast
    options: ExportOptions
    report: Report
    written: Clip | None
    provenance: Provenance | None
    timing: Timing
    beside: Sequence[Object]
    holds: Holds
    sampled: frozenset[str] = frozenset()
    sampled_values: tuple[tuple[ID, Object, str], ...] = ()

    @property
    def span(self) -> Span:
        """The frames of the clip, and how they become seconds."""
        return self.timing.span

    @property
    def main(self) -> Rig | None:
        """The first armature, None if there is none."""
        return self.cast.main

    @property
    def written_rate(self) -> float:
        """The rate at which the importer wrote keys, 0 if it wrote none."""
        return 0.0 if self.provenance is None else self.provenance.placement.rate

    @property
    def same_rate(self) -> bool:
        """Whether the scene still plays as fast as when the keys were written."""
        return abs(self.written_rate - self.span.rate) <= 1e-7 * self.span.rate

    @property
    def stretch(self) -> float:
        """Seconds that the scene plays for each second of the file that the Action came from; 1 where there is none."""
        return 1.0 if self.written is None or self.same_rate else self.written_rate / self.span.rate
