"""Which channels rest exactly as the model's own slots do, so that a file can leave them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..clip import BEZIER, CONSTANT, LOCATION, RESTING, ROTATION, SCALE, Node, NodeKind, Track, TrackKind
from ..clip.pose import decompose, transform_tracks
from .options import WriteOptions

Target = tuple[str, TrackKind, str]
"""Node, kind and property of a track."""

_STILL = 1e-6
"""Movements smaller than this, as part of the size of the values, are rounding."""


@dataclass(frozen=True)
class Redundant:
    """The slots of the model: bones at rest, objects as they are in the scene.

    Attributes:
        rests: the nodes as in Blender.
        placed: the same with the parents and rests of their slots.
        tracks: of each property, on the latter.
        options: where each Action has a file of its own, channels of objects are written even if they rest.
    """

    rests: Mapping[str, Node]
    placed: Mapping[str, Node]
    tracks: Mapping[Target, Sequence[Track]]
    options: WriteOptions

    def holds(self, node: str, name: str, tracks: Sequence[Track]) -> bool:
        """Return whether a property's tracks can be left out: they do not move, and the slot has their value anyway."""
        rows = [row for track in tracks for row in track.rows() if len(row.times)]
        if any(map(moves, rows)):
            return False
        split_otherwise = name != LOCATION and self._is_split_otherwise(node)
        if self.rests[node].kind is NodeKind.OBJECT or split_otherwise:
            return not (self.options.actions == "ALL" or split_otherwise)
        found = np.array(RESTING[name], np.float64)
        for row in rows:
            found[row.component] = row.values[0, 0]
        # the slot's value (components,) of the property, in Blender's axes
        placed, rest = self.placed[node], self.rests[node]
        above = self.rests.get(placed.parent or "")
        own = np.linalg.inv(placed.rest) @ rest.rest
        if above is not None and above.turn is not None:
            own = above.turn @ own
        if rest.turn is not None:
            own = own @ np.linalg.inv(rest.turn)
        slot = decompose(own[None])[list(RESTING).index(name)][:, 0]
        if name == ROTATION and found @ slot < 0:
            slot = -slot
        return bool(np.abs(found - slot).max() <= _STILL * max(1.0, float(np.abs(slot).max())))

    def _is_split_otherwise(self, node: str) -> bool:
        """Return whether the slot of a moving object, or a posed bone, may have another rotation and other sizes.

        Exporters of models take its matrix apart, which leaves three negative sizes or none.
        """
        rotation, scale = (self.tracks.get((node, TrackKind.TRANSFORM, name), ()) for name in (ROTATION, SCALE))
        negative = {row.component for track in scale for row in track.rows() if (row.values < 0).any()}
        is_bone = self.rests[node].kind is NodeKind.BONE
        rows = (row for track in (*rotation, *scale) for row in track.rows() if len(row.times))
        return len(negative) in (1, 2) and any(is_bone or moves(row) for row in rows)


def completed(tracks: Sequence[Track], *, every: bool) -> list[Track]:
    """Return the tracks, and a resting one for `every` transform that a moving node has no track for, else for the
    rotation of one with negative sizes, of which its slot may have another."""
    result = list(tracks)
    for node, own in transform_tracks(tracks).items():
        there = {track.property for track in own}
        mirrored = any(track.property == SCALE and (track.values < 0).any() for track in own)
        result += [
            Track.sampled(node, name, own[0].times[:1], np.array(rest)[:, None], CONSTANT)
            for name, rest in RESTING.items()
            if name not in there and (every or (mirrored and name == ROTATION))
        ]
    return result


def moves(row: Track) -> bool:
    """Return whether one component is more than a constant and its rounding."""
    values = row.values[0].astype(np.float64)
    slack = _STILL * max(1.0, float(np.abs(values).max()))
    if np.ptp(values) > slack:
        return True
    if row.handles is None or not (row.interpolation[:-1] == BEZIER).any():
        return False
    return bool(np.abs(row.handles.values).max() > slack)
