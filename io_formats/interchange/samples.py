"""Where the nodes of a clip are at each of many times, for files that are tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..clip import LEAST_OPACITY, Array, Clip, Track, TrackKind, curve
from ..clip import quaternion as rotation
from ..clip.pose import SHEAR, Chains, channels_of, compose, decompose, product
from ..clip.whole_frames import chosen_frames
from ..errors import Report
from ..files.memory import reckon
from ..files.steps import STEP, Pace, Steps
from . import messages
from .finite import narrow
from .options import TableOptions

_NUMBERS = 20
"""Of a node at one time: two poses of ten."""

_TOGETHER = 64
"""Times at least for which a node is asked at once, as each asking costs as much as so many."""


@dataclass(frozen=True)
class Poses:
    """Transforms of n nodes at m times.

    Attributes:
        locations: (m, n, 3) float32.
        rotations: (m, n, 4) float32: unit quaternions w, x, y, z, each on the short way from the one before.
        scales: (m, n, 3) float32.
    """

    locations: Array
    rotations: Array
    scales: Array

    @classmethod
    def empty(cls, times: int, nodes: int) -> Poses:
        """Return room for so many."""
        return cls(*(np.zeros((times, nodes, width), np.float32) for width in (3, 4, 3)))

    def put(self, times: slice, node: int, matrices: Array) -> float:
        """Set the poses of a node from matrices (k, 4, 4), and return the largest shear that is left out."""
        location, turn, scale, shear = decompose(matrices)
        for rows, values in ((self.locations, location), (self.rotations, turn), (self.scales, scale)):
            rows[times, node] = narrow(values.T)
        return float(shear.max(initial=0.0))

    def align(self) -> None:
        """Give all quaternions the signs by which they follow each other."""
        for node in range(self.rotations.shape[1]):
            turns = self.rotations[:, node]
            turns *= rotation.align_signs(turns.T).astype(np.float32)[:, None]


@dataclass(frozen=True)
class Samples:
    """A clip at m times.

    Attributes:
        times: (m,) float64 seconds, ascending.
        world, local: in Blender's axes (right-handed, Z up) and metres; local poses are relative to the parent.
        shown: (m, n) bool: the file shows the node, or the recording saw it.
        channels: (node, property, component, values (m,)) of what is no transform; -1 for a property of one component.
    """

    times: Array
    world: Poses
    local: Poses
    shown: Array
    channels: list[tuple[str, str, int, Array]]


def samples_of(clip: Clip, options: TableOptions, report: Report) -> Steps[Samples]:
    """Return a clip at the times that the options say, and tell what tables cannot say."""
    times = _times(clip, options, report)
    others = sum(len(track.values) for track in clip.tracks if track.kind is not TrackKind.TRANSFORM)
    reckon(keys=len(times) * (len(clip.nodes) * _NUMBERS + others) // 8)
    chains = Chains(clip)
    world, local = (Poses.empty(len(times), len(clip.nodes)) for _ in range(2))
    portion = max(STEP // (_NUMBERS * max(len(clip.nodes), 1)), _TOGETHER)
    pace = Pace(len(times) * len(clip.nodes) * _NUMBERS)
    sheared: set[str] = set()
    for first in range(0, len(times), portion):
        part = slice(first, first + portion)
        chains.forget_but(times[part])
        for at, node in enumerate(clip.nodes):
            if world.put(part, at, _all(chains.world(node.name, times[part]), len(times[part]))) > SHEAR:
                sheared.add(node.name)
            own = compose(*channels_of(chains.tracks.get(node.name, ()), times[part]))
            local.put(part, at, product(np.asarray(node.rest, np.float64), own))
            if pace.is_due(_NUMBERS * len(times[part])):
                yield pace.share
    world.align()
    local.align()
    if sheared:
        report.warn(messages.SHEARED, nodes=len(sheared))
    return Samples(times, world, local, _shown(clip, times), _channels(clip, times))


def _all(matrices: Array, count: int) -> Array:
    """Return matrices (1 or m, 4, 4) for all m times."""
    return np.broadcast_to(matrices, (count, 4, 4))


def _times(clip: Clip, options: TableOptions, report: Report) -> Array:
    """Return (m,) seconds: whole frames where the options or the clip have a rate, else every time with a key."""
    if options.file_rate or clip.rate:
        frames = chosen_frames(clip, None, None, options, report)
        reckon(keys=frames.count)
        return frames.times
    keyed = [track.times.astype(np.float64) for track in clip.tracks if len(track.times)]
    times = np.unique(np.concatenate(keyed)) if keyed else np.zeros(1)
    chosen = times[options.first_frame :]
    result: Array = (chosen if len(chosen) else times[-1:])[: options.frame_count or None]
    return result


def _shown(clip: Clip, times: Array) -> Array:
    """Return (m, n) bool: what hides a node, or tells when it was seen, lets it be seen at the time."""
    switches = {(track.node, track.property): track for track in clip.tracks if len(track.values) == 1}
    known: dict[tuple[str, str], Array] = {}
    shown = np.ones((len(times), len(clip.nodes)), bool)
    for at, node in enumerate(clip.nodes):
        key = node.shown_by or node.seen_by
        if key is not None and key in switches:
            if key not in known:
                known[key] = curve.evaluate(switches[key], times)[0] >= LEAST_OPACITY
            shown[:, at] = known[key]
    return shown


def _channels(clip: Clip, times: Array) -> list[tuple[str, str, int, Array]]:
    """Return what is no transform at the times, component by component."""
    others: Sequence[Track] = [track for track in clip.tracks if track.kind is not TrackKind.TRANSFORM]
    return [
        (row.node, row.property, row.component if row.width > 1 else -1, curve.evaluate(row, times)[0])
        for track in others
        for row in track.rows()
    ]
