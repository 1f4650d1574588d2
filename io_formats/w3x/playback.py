"""What a channel makes the games show, as keys.

A value for each frame, straight ways between them, rotations as normalised straight lines on the short way: what
Blender does with quaternion curves whose signs are aligned. Frames without a value are at rest, and the way leads there
over the frame beside. A step holds the value of the frame before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..clip import CONSTANT, LINEAR, Array, quaternion
from ..clip.whole_frames import Keys
from .document import Channel
from .layout import TRANSLATIONS, W_FIRST, ChannelType

VISIBILITY = "visibility"
_RESTS = {ChannelType.ORIENTATION: (1.0, 0.0, 0.0, 0.0), ChannelType.VISIBILITY: (1.0,)}


def rest_value(kind: str) -> Array:
    """Return (components, 1) float32: what is shown where a channel says nothing; quaternions w, x, y, z."""
    return np.array([_RESTS.get(ChannelType(kind), (0.0,))], np.float32).T


def is_played(channel: Channel) -> bool:
    """Return whether the games' compiler takes a channel: its type goes with the numbers of a frame."""
    width = channel.values.shape[1]
    return channel.type == ChannelType.ORIENTATION if width == 4 else channel.type in (*TRANSLATIONS, "Visibility")


@dataclass
class Timeline:
    """The frames of an animation, made once for all channels that have the same."""

    frame_count: int
    rate: float
    _made: dict[tuple[int, int, bytes], tuple[Array, Array, Array | None]] = field(default_factory=dict)

    def held(self, channel: Channel) -> int:
        """Return how many of a channel's frames are within the animation."""
        return max(min(len(channel.values), self.frame_count - channel.first), 0)

    def keys(self, channel: Channel) -> Keys | None:
        """Return the keys of a channel that is played, None if none of its frames is within the animation."""
        count = self.held(channel)
        if count == 0:
            return None
        before, after = channel.first > 0, channel.first + count < self.frame_count
        steps = channel.steps[:count]
        shape = (channel.first, count, steps.tobytes())
        if shape not in self._made:
            self._made[shape] = self._frames(channel.first, count, steps, before, after)
        rest = rest_value(channel.type)
        rows = channel.values[:count].T
        own = rows[W_FIRST] if len(rows) == 4 else rows
        values = np.concatenate([rest] * before + [own] + [rest] * after, axis=1)
        times, interpolation, inserted = self._made[shape]
        return Keys(times, _on_the_short_way(values), interpolation, inserted)

    def _frames(
        self, first: int, count: int, steps: Array, before: bool, after: bool
    ) -> tuple[Array, Array, Array | None]:
        frames = np.arange(first - before, first + count + after, dtype=np.float64)
        shapes = np.full(len(frames), LINEAR)
        jumped = np.flatnonzero(steps) + before
        shapes[jumped[jumped > 0] - 1] = CONSTANT
        inserted = None
        if before or after:
            inserted = np.zeros(len(frames), bool)
            inserted[:1], inserted[-1:] = before, after
        return frames / self.rate, shapes, inserted


def _on_the_short_way(values: Array) -> Array:
    """Return quaternions (4, n) with aligned signs, other values as they are."""
    if len(values) != 4 or quaternion.surely_aligned(values):
        return values
    with np.errstate(invalid="ignore", over="ignore"):
        result: Array = values * quaternion.align_signs(values).astype(np.float32)
    return result
