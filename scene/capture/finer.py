"""More samples of the evaluated scene wherever straight lines between them are off: fast moves, corners and steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ...io_formats.clip import Array, quaternion
from ...io_formats.clip.pose import decompose

FINEST = 1.0 / 256.0
"""Frames: what is steeper than this is a step."""

TURN = 4e-4
"""Radians that lines may be off."""

POSITION = 5e-5
"""How far lines may be off a position, as a part of its distance (at least 1); four times that of scales and values."""

_MOST = 4
_OFF = 2.0
"""Times what is allowed, half way between two samples before one is taken there, which leaves a quarter of it."""


@dataclass(frozen=True)
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
        """Return how far (p,) the samples `middle` (p,) are off lines from `left` to `right`, in what is allowed."""
        first, seen, last = (self.rows[:, at] for at in (left, middle, right))
        if not self.turns:
            return np.abs(first + (last - first) * part - seen).max(axis=0) / self.allowed
        last = last * np.where(quaternion.dot(first, last) < 0, -1.0, 1.0)
        result: Array = quaternion.distance(first + (last - first) * part, seen) / self.allowed
        return result

    def with_samples(self, at: Array, rows: Array) -> Channel:
        """Return the channel with more samples `rows` (components, p), before those that are `at` (p,) now."""
        return replace(self, rows=np.insert(self.rows, at, rows, axis=1))


def of_matrices(node: str, basis: Array) -> list[Channel]:
    """Return location, rotation and scale of matrices (m, 4, 4)."""
    location, rotation, scale, _ = decompose(basis)
    return [
        Channel(node, location, POSITION * max(1.0, float(np.abs(location).max(initial=0.0)))),
        Channel(node, rotation, TURN, turns=True),
        of_values(node, scale),
    ]


def of_values(node: str, rows: Array) -> Channel:
    """Return a channel of numbers (components, m)."""
    return Channel(node, rows, 4 * POSITION * max(1.0, float(np.abs(rows).max(initial=0.0))))


ReadT = TypeVar("ReadT")

Look = Callable[[Array], tuple[ReadT, list[Channel]]]
"""What is read at frames (m,), and the channels that it shows."""


def sample(
    frames: Array, channels: Sequence[Channel], look: Look[ReadT]
) -> tuple[list[ReadT], dict[tuple[str, bool], float]]:
    """Look between frames (m,) until lines follow what plays, or FINEST.

    Args:
        channels: what was seen at the frames.

    Returns:
        What else was read; and how far nodes are still off, by their name and whether that is a turn.
    """
    parts: list[ReadT] = []
    left: dict[tuple[str, bool], float] = {}
    doubtful, budget = _doubtful(frames, channels), _MOST * len(frames)
    while len(doubtful) and len(doubtful) <= budget:
        budget -= len(doubtful)
        at = np.sort(doubtful)
        added = (frames[at] + frames[at + 1]) / 2
        read, found = look(added)
        parts.append(read)
        frames, middles = np.insert(frames, at + 1, added), at + 1 + np.arange(len(at))
        channels = [channel.with_samples(at + 1, more.rows) for channel, more in zip(channels, found)]
        shares = [channel.off(middles - 1, middles, middles + 1, np.array(0.5)) for channel in channels]
        off = (_worst(shares, len(middles)) > _OFF) & (frames[middles] - frames[middles - 1] > FINEST)
        doubtful = np.concatenate((middles[off] - 1, middles[off]))
        left = _still_off(channels, [share[off] for share in shares]) if len(doubtful) > budget else {}
    return parts, left


def _doubtful(frames: Array, channels: Sequence[Channel]) -> Array:
    """Return which intervals between frames (m,) have an end that is off the line between its neighbours."""
    if len(frames) < 3:
        return np.zeros(0, int)
    inner = np.arange(1, len(frames) - 1)
    part = (frames[1:-1] - frames[:-2]) / (frames[2:] - frames[:-2])
    off = _worst([channel.off(inner - 1, inner, inner + 1, part) for channel in channels], len(inner)) > _OFF
    return np.flatnonzero(np.append(off, False) | np.append(False, off))


def _worst(shares: Sequence[Array], count: int) -> Array:
    return np.max(shares, axis=0) if shares else np.zeros(count)


def _still_off(channels: Sequence[Channel], shares: Sequence[Array]) -> dict[tuple[str, bool], float]:
    """Return the largest of what was measured half way, by node and whether it is a turn, where it is too much."""
    found: dict[tuple[str, bool], float] = {}
    for channel, share in sorted(zip(channels, shares), key=lambda pair: float(pair[1].max(initial=0.0))):
        if share.max(initial=0.0) > _OFF:
            found[channel.node, channel.turns] = float(share.max()) * channel.allowed
    return found
