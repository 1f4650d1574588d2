"""How far a location, rotation or scale is off, in terms that a person sees: lengths in the world, angles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import plain
from . import LOCATION, ROTATION, Array, Track, curve, quaternion
from .keys import Distance, largest_difference
from .transforms import Spaces, components_of

_PROBES = 4
"""Parts of the time between two keys at which errors are measured."""


@dataclass(frozen=True)
class Off:
    """How far something is off at most.

    Attributes:
        place: of locations, in units of the world.
        turn: of rotations, in radians.
    """

    place: float = 0.0
    turn: float = 0.0

    def worst(self, other: Off) -> Off:
        """Return the larger of both."""
        return Off(max(self.place, other.place), max(self.turn, other.turn))

    def told(self) -> dict[str, Any]:
        """Return the values of a sentence: millimetres and degrees."""
        return {"place": self.place * 1000.0, "degrees": math.degrees(self.turn)}


def measured(name: str, error: float) -> str:
    """Return how far a property is off, with its unit: a location in metres, a rotation in radians, else a number."""
    if name == LOCATION:
        return f"{plain(1000.0 * error, 3)} mm"
    return f"{plain(math.degrees(error), 2)}°" if name == ROTATION else plain(error, 2)


@dataclass(frozen=True)
class Measure:
    """How far apart two values of a property are.

    Attributes:
        property: its name.
        space: (3, components) from a location's components into the world; None where values count as they are.
        distance: of two blocks (components, n), gives (n,).
    """

    property: str
    space: Array | None
    distance: Distance

    @classmethod
    def of(cls, tracks: Sequence[Track], spaces: Spaces) -> Measure | None:
        """Return how a property is measured; None for one that lacks or repeats components."""
        name, components = tracks[0].property, components_of(tracks)
        if not components or (name == ROTATION and components != [0, 1, 2, 3]):
            return None
        if name == LOCATION:
            return cls(name, spaces.of(tracks[0].node)[:, components], _length)
        return cls(name, None, quaternion.distance if name == ROTATION else largest_difference)

    def allowed(self, most: Off, scale: float) -> float:
        """Return the same in the unit of `distance`; `scale` is for scales."""
        return {LOCATION: most.place, ROTATION: 4.0 * math.sin(most.turn / 4.0)}.get(self.property, scale)

    def off(self, distance: float) -> Off:
        """Return what the largest distance is to a person; nothing for a scale."""
        if self.property == LOCATION:
            return Off(place=distance)
        return Off(turn=4.0 * math.asin(min(distance / 4.0, 1.0))) if self.property == ROTATION else Off()

    def seen(self, values: Array) -> Array:
        """Return values (components, n) as the distance wants them."""
        if self.space is None:
            return values
        result: Array = (self.space[:, :, None] * values[None]).sum(axis=1)
        return result

    def between(self, tracks: Sequence[Track], others: Sequence[Track], times: Array) -> Array:
        """Return (m,) how far apart two sets of tracks are at times (m,), as Blender plays them."""
        first, second = (
            np.concatenate([curve.evaluate(track, times, ends=True) for track in side]) for side in (tracks, others)
        )
        return self.distance(self.seen(first), self.seen(second))


def probes(tracks: Sequence[Track]) -> Array:
    """Return the times (m,) of all keys of some tracks, and some between each two."""
    shared = tracks[0].times
    alike = all(track.times is shared for track in tracks)
    keys = np.unique((shared if alike else np.concatenate([track.times for track in tracks])).astype(np.float64))
    parts = np.arange(_PROBES) / _PROBES
    return np.append((keys[:-1, None] + np.diff(keys)[:, None] * parts).ravel(), keys[-1:])


def _length(a: Array, b: Array) -> Array:
    """Return (n,) the distance between places (3, n)."""
    off = a - b
    result: Array = np.sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2])
    return result
