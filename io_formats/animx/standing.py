"""Which channels stand still where the model's own slots stand, so that a file need not say them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..clip import CONSTANT, RESTING, ROTATION, TRANSFORMS, Array, Interpolation, Node, NodeKind, Track, TrackKind
from ..clip.pose import decompose

_STILL = 1e-6
"""Movements smaller than this, as part of the size of the values, are rounding."""


class Standing:
    """The slots of the model: bones at rest, objects where they stand in the scene.

    Attributes:
        said: every channel that stands still is said all the same, for objects.
    """

    def __init__(self, rests: Mapping[str, Node], placed: Mapping[str, Node], *, said: bool) -> None:
        """Take `rests`, the nodes as they are in Blender, and `placed`, as their slots' transforms are told."""
        self._rests = rests
        self._placed = placed
        self.said = said

    def holds(self, node: str, name: str, tracks: Sequence[Track]) -> bool:
        """Return whether the slot has this property of a node all along."""
        rows = [row for track in tracks for row in track.rows() if len(row.times)]
        if any(map(_moves, rows)):
            return False
        if self._rests[node].kind is NodeKind.OBJECT:
            return not self.said
        found = np.array(RESTING[name], np.float64)
        for row in rows:
            found[row.component] = row.values[0, 0]
        return _same(found, self._slot(node, name), name)

    def _slot(self, node: str, name: str) -> Array:
        """Return the property as the model has it, in Blender's axes."""
        own = np.linalg.inv(self._placed[node].rest) @ self._rests[node].rest
        parts = decompose(own[None])[:3]
        result: Array = parts[TRANSFORMS.index(name)][:, 0]
        return result


def completed(tracks: Sequence[Track]) -> list[Track]:
    """Return the tracks, and one that rests for each transform that a moving node has no track of."""
    moving: dict[str, list[Track]] = {}
    for track in tracks:
        if track.kind is TrackKind.TRANSFORM:
            moving.setdefault(track.node, []).append(track)
    result = list(tracks)
    for node, own in moving.items():
        there = {track.property for track in own}
        result += [_resting(node, name, own[0]) for name in TRANSFORMS if name not in there]
    return result


def _resting(node: str, name: str, like: Track) -> Track:
    return Track.sampled(node, name, like.times[:1], np.array(RESTING[name])[:, None], CONSTANT)


def _same(found: Array, slot: Array, name: str) -> bool:
    if name == ROTATION and found @ slot < 0:
        slot = -slot
    slack = _STILL * max(1.0, float(np.abs(slot).max()))
    return bool(np.abs(found - slot).max() <= slack)


def _moves(row: Track) -> bool:
    values = row.values[0].astype(np.float64)
    slack = _STILL * max(1.0, float(np.abs(values).max()))
    if np.ptp(values) > slack:
        return True
    if row.handles is None or not (row.interpolation[:-1] == Interpolation.BEZIER).any():
        return False
    return bool(np.abs(row.handles.values).max() > slack)
