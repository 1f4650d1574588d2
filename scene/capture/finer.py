"""More samples of the evaluated scene wherever straight lines between them are off: fast moves, corners and steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...io_formats.clip import Array, quaternion
from ...io_formats.clip.pose import decompose

FINEST = 1.0 / 256.0
"""Frames: what is steeper than this is a step."""

TURN = 4e-4
"""Radians that lines may be off."""

PLACE = 5e-5
"""The same for places, as a part of their distance (at least 1); sizes and other values count four times that."""

_MOST = 4
_OFF = 2.0
"""Times what is allowed, half way between two samples before one is taken there, which leaves a quarter of it."""


@dataclass
class Channel:
    """One property of a node at each sample.

    Attributes:
        rows: (components, m); quaternions where it `turns`.
        allowed: how far lines may be off.
    """

    node: str
    rows: Array
    allowed: float
    turns: bool = False

    def off(self, left: Array, middle: Array, right: Array, part: Array) -> Array:
        """(p,) how far the samples `middle` (p,) are off the lines from `left` to `right`, in what is allowed."""
        first, seen, last = (self.rows[:, at] for at in (left, middle, right))
        if not self.turns:
            return np.abs(first + (last - first) * part - seen).max(axis=0) / self.allowed
        last = last * np.where(quaternion.dot(first, last) < 0, -1.0, 1.0)
        result: Array = quaternion.distance(first + (last - first) * part, seen) / self.allowed
        return result


def of_matrices(node: str, basis: Array) -> list[Channel]:
    """Location, rotation and scale of matrices (m, 4, 4)."""
    place, turn, size, _ = decompose(basis)
    return [
        Channel(node, place, PLACE * max(1.0, float(np.abs(place).max(initial=0.0)))),
        Channel(node, turn, TURN, turns=True),
        of_values(node, size),
    ]


def of_values(node: str, rows: Array) -> Channel:
    """Numbers (components, m)."""
    return Channel(node, rows, 4 * PLACE * max(1.0, float(np.abs(rows).max(initial=0.0))))


Look = Callable[[Array], list[Channel]]
"""What plays at frames (m,)."""


def sample(frames: Array, look: Look, *, more: bool) -> dict[tuple[str, bool], float]:
    """Look at the frames (m,) and, if there may be `more`, between them until lines follow, or FINEST.

    Returns:
        How far nodes are still off, by their name and whether that is a turn.
    """
    channels = look(frames)
    if not more:
        return {}
    inner = np.arange(1, len(frames) - 1)
    part = (frames[1:-1] - frames[:-2]) / (frames[2:] - frames[:-2])
    off = _worst([channel.off(inner - 1, inner, inner + 1, part) for channel in channels], len(inner)) > _OFF
    doubtful = np.flatnonzero(np.append(off, False) | np.append(False, off)) if len(inner) else inner
    left: dict[tuple[str, bool], float] = {}
    budget = _MOST * len(frames)
    while len(doubtful) and len(doubtful) <= budget:
        budget -= len(doubtful)
        frames, channels, middles = _with_middles(frames, channels, doubtful, look)
        shares = [channel.off(middles - 1, middles, middles + 1, np.array(0.5)) for channel in channels]
        off = (_worst(shares, len(middles)) > _OFF) & (frames[middles] - frames[middles - 1] > FINEST)
        doubtful = np.concatenate((middles[off] - 1, middles[off]))
        left = _still_off(channels, [share[off] for share in shares]) if len(doubtful) > budget else {}
    return left


def _worst(shares: Sequence[Array], count: int) -> Array:
    return np.max(shares, axis=0) if shares else np.zeros(count)


def _with_middles(frames: Array, channels: list[Channel], at: Array, look: Look) -> tuple[Array, list[Channel], Array]:
    """Frames and channels with samples half way through the intervals that begin `at`; where these now are."""
    at = np.sort(at)
    added = (frames[at] + frames[at + 1]) / 2
    found = look(added)
    merged = [
        replace(channel, rows=np.insert(channel.rows, at + 1, more.rows, axis=1))
        for channel, more in zip(channels, found)
    ]
    return np.insert(frames, at + 1, added), merged, at + 1 + np.arange(len(at))


def _still_off(channels: list[Channel], shares: list[Array]) -> dict[tuple[str, bool], float]:
    """The largest of what was measured half way, by node and whether it is a turn, where it is too much."""
    found: dict[tuple[str, bool], float] = {}
    for channel, share in sorted(zip(channels, shares), key=lambda pair: float(pair[1].max(initial=0.0))):
        if share.max(initial=0.0) > _OFF:
            found[channel.node, channel.turns] = float(share.max()) * channel.allowed
    return found
