"""More samples of the evaluated scene wherever straight lines between them are off: fast moves, corners and steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ...io_formats.clip import LOCATION, ROTATION, Array, quaternion
from ...io_formats.clip.agreement import allowed_of_value
from ...io_formats.clip.pose import decompose
from ...io_formats.files.steps import Steps, portion

FINEST = 1.0 / 256.0
"""Frames: what is steeper than this is a step."""

TURN = 1.5e-4
"""Radians that lines may be off: half of the closest that a format promises, as the bones of a chain add up."""

POSITION = 2e-5
"""How far lines may be off a position, as a part of its distance (at least 1); four times that of scales and values."""

_TOLD = 2.3
"""Times what is allowed, of which nobody has to know: together what the closest format promises."""

_MOST = 3
"""Samples that are taken besides, for each that was there: sixteen a frame in all."""

_RESERVE = 2
_ROUNDS = 8
"""Where twice as many intervals are in doubt as samples are left, an eighth of these goes to the worst."""

_OFF = 2.0
"""Times what is allowed, half way between two samples before one is taken there, which leaves a quarter of it."""


@dataclass(frozen=True)
class Channel:
    """One property of a node at each sample.

    Attributes:
        rows: (components, m); quaternions of a rotation.
        allowed: how far lines may be off.
        property: LOCATION or ROTATION, else empty.
    """

    node: str
    rows: Array
    allowed: float
    property: str = ""

    def off(self, left: Array, middle: Array, right: Array, part: Array) -> Array:
        """Return how far (p,) the samples `middle` (p,) are off lines from `left` to `right`, in what is allowed."""
        first, seen, last = (self.rows[:, at] for at in (left, middle, right))
        if self.property != ROTATION:
            along: Array = np.abs(first + (last - first) * part - seen).max(axis=0) / self.allowed
            return along
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
        Channel(node, location, POSITION * max(1.0, float(np.abs(location).max(initial=0.0))), LOCATION),
        Channel(node, rotation, TURN, ROTATION),
        Channel(node, scale, 4 * POSITION * max(1.0, float(np.abs(scale).max(initial=0.0)))),
    ]


def of_values(node: str, rows: Array) -> Channel:
    """Return a channel of a property's numbers (components, m)."""
    return Channel(node, rows, allowed_of_value(rows) / 2)


ReadT = TypeVar("ReadT")

Look = Callable[[Array], Steps[tuple[ReadT, list[Channel]]]]
"""What is read at frames (m,), and the channels that it shows."""


def sample(
    frames: Array, channels: Sequence[Channel], look: Look[ReadT]
) -> Steps[tuple[list[ReadT], dict[tuple[str, str], float]]]:
    """Look between frames (m,) until lines follow what plays, or FINEST.

    Args:
        channels: what was seen at the frames.

    Returns:
        What else was read; and how far nodes are still off, by their name and the property.
    """
    parts: list[ReadT] = []
    doubts, budget = _doubts(frames, channels), _MOST * len(frames)
    share = 0.0
    while doubts.any() and budget > 0:
        at = _next(doubts, budget)
        budget -= len(at)
        share, before = (1.0 + share) / 2, share  # how often it has to look again is not known
        halving = portion(_halved(frames, channels, at, look), before, share)
        read, frames, channels, shares = yield from halving
        parts.append(read)
        worst, fine = _worst(shares, len(at)), np.diff(frames)[at + np.arange(len(at))] <= FINEST
        doubts[at] = np.where((worst > _OFF) & ~fine, worst, 0.0)
        doubts = np.insert(doubts, at + 1, doubts[at])
    left = yield from portion(_still_off(frames, channels, np.flatnonzero(doubts > _TOLD), look), share)
    return parts, left


def _halved(
    frames: Array, channels: Sequence[Channel], at: Array, look: Look[ReadT]
) -> Steps[tuple[ReadT, Array, list[Channel], list[Array]]]:
    """Look half way in the intervals `at` (p,); return what was read, all frames and channels, and each one's shares.

    The shares (p,) are how far the channel was off there.
    """
    added = (frames[at] + frames[at + 1]) / 2
    read, found = yield from look(added)
    middles = at + 1 + np.arange(len(at))
    more = [channel.with_samples(at + 1, new.rows) for channel, new in zip(channels, found)]
    shares = [channel.off(middles - 1, middles, middles + 1, np.array(0.5)) for channel in more]
    return read, np.insert(frames, at + 1, added), more, shares


def _next(doubts: Array, budget: int) -> Array:
    """Return the intervals to divide next: all that are in doubt, but the worst of them where samples run short."""
    found = np.flatnonzero(doubts)
    if _RESERVE * len(found) <= budget:
        return found
    worst = np.argsort(-doubts[found], kind="stable")[: max(1, budget // _ROUNDS)]
    return np.sort(found[worst])


def _doubts(frames: Array, channels: Sequence[Channel]) -> Array:
    """Return how far the intervals (m - 1,) between frames have ends off the line of the neighbours, 0 if fine."""
    doubts = np.zeros(max(len(frames) - 1, 0))
    if len(frames) > 2:
        inner = np.arange(1, len(frames) - 1)
        part = (frames[1:-1] - frames[:-2]) / (frames[2:] - frames[:-2])
        off = _worst([channel.off(inner - 1, inner, inner + 1, part) for channel in channels], len(inner))
        off = np.where(off > _OFF, off, 0.0)
        doubts = np.maximum(np.append(off, 0.0), np.append(0.0, off))
    return doubts


def _worst(shares: Sequence[Array], count: int) -> Array:
    return np.max(shares, axis=0) if shares else np.zeros(count)


def _still_off(
    frames: Array, channels: Sequence[Channel], at: Array, look: Look[ReadT]
) -> Steps[dict[tuple[str, str], float]]:
    """Return how far nodes are off half way in the intervals `at` (p,), by name and property.

    Only what is too much; it is looked at once more, for nothing else than that.
    """
    found: dict[tuple[str, str], float] = {}
    if len(at):
        _, _, more, shares = yield from _halved(frames, channels, at, look)
        for channel, share in zip(more, shares):
            if share.max() > _TOLD:
                key = (channel.node, channel.property)
                found[key] = max(found.get(key, 0.0), float(share.max()) * channel.allowed)
    return found
