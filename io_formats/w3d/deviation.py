"""The error of adaptive delta, in degrees and units of length, and when it is worth a warning."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..clip import Array, quaternion
from ..errors import Report, Values, plain
from . import adaptive_delta, messages
from .layout import LENGTHS, W_FIRST, ChannelType

_MOST_DEGREES = 1.0
_MOST_SHARE = 0.01
"""Share of the range in which a pivot moves: an error above this, or above a degree, is visible."""


@dataclass
class Deviation:
    """The largest errors of all channels on any whole frame.

    Attributes:
        least: errors in units of length up to this are never reported.
        channels: how many were measured.
        turns: degrees by pivot.
        moves: units of length by pivot, and the range of its widest axis.
    """

    least: float
    channels: int = 0
    turns: dict[int, float] = field(default_factory=dict)
    moves: dict[int, tuple[float, float]] = field(default_factory=dict)

    def add(self, pivot: int, kind: int, wanted: Array, packed: adaptive_delta.Encoded) -> None:
        """Measure one channel; `wanted` is (components, frames) in the file's order."""
        shown = adaptive_delta.decode(packed.packets, packed.scale, wanted[:, 0], wanted.shape[1])
        self.channels += 1
        if kind == ChannelType.QUATERNION:
            turns = quaternion.angle(shown[W_FIRST].astype(np.float64), wanted[W_FIRST].astype(np.float64))
            self.turns[pivot] = float(np.degrees(turns.max()))
        elif kind in LENGTHS:
            units, reach = self.moves.get(pivot, (0.0, 0.0))
            self.moves[pivot] = max(units, float(np.abs(shown - wanted).max())), max(reach, float(np.ptp(wanted)))

    def tell(self, report: Report, *, middle_earth: bool) -> None:
        """Report the errors: a note, or if they are visible a warning that names a better form."""
        turned = {pivot for pivot, degrees in self.turns.items() if degrees > _MOST_DEGREES}
        moved = {pivot for pivot, (units, reach) in self.moves.items() if units > max(_MOST_SHARE * reach, self.least)}
        degrees = max(self.turns.values(), default=0.0)
        units = max((units for units, _ in self.moves.values()), default=0.0)
        values: Values = {"degrees": plain(degrees, 2), "units": plain(units, 2)}
        off = len(turned | moved)
        if off and middle_earth:
            report.warn(messages.DELTA_OFF_MIDDLE_EARTH, pivots=off, **values)
        elif off:
            report.warn(messages.DELTA_OFF, pivots=off, **values)
        elif self.channels:
            report.note(messages.DELTA_ERROR, channels=self.channels, **values)
