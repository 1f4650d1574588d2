"""Locations, rotations and scales of a clip's nodes, each as a whole, however many tracks hold its components."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from . import SCALE, Array, Clip, Track, TrackKind
from .join import by_track, common_wraps, unite
from .pose import Chains, product


def transforms(clip: Clip) -> list[list[Track]]:
    """Return the tracks with keys of each location, rotation and scale of a clip, in the order of their components."""
    return by_property(track for track in clip.tracks if track.kind is TrackKind.TRANSFORM and len(track.times))


def by_property(tracks: Iterable[Track]) -> list[list[Track]]:
    """Return tracks by the property of a node that they belong to, in the order of their components."""
    found: dict[tuple[str, TrackKind, str], list[Track]] = {}
    for track in tracks:
        found.setdefault((track.node, track.kind, track.property), []).append(track)
    return [sorted(group, key=lambda track: track.component) for group in found.values()]


def components_of(tracks: Sequence[Track]) -> list[int]:
    """Return the component of each row of all tracks; empty where one comes twice, which plays once only."""
    found = [track.component + row for track in tracks for row in range(len(track.values))]
    return found if len(set(found)) == len(found) else []


def together(tracks: list[Track]) -> Track | None:
    """Return one block of a property's tracks; None where uniting would change what repeats, or curves with handles.

    Neither is there one of numbers that are none, or of keys that are not in order of time.
    """
    if not all(np.isfinite(track.values).all() and is_in_order(track) for track in tracks):
        return None
    if not are_alike(tracks):
        wraps = common_wraps(tracks, None)
        bent = any(track.handles is not None for track in tracks)
        if bent or any((track.before, track.after) != wraps for track in tracks):
            return None
    return unite(tracks)


def is_in_order(track: Track) -> bool:
    """Tell whether the times of a track are numbers, each not before the last one."""
    return bool(np.isfinite(track.times).all() and (track.times[1:] >= track.times[:-1]).all())


def are_alike(tracks: Sequence[Track]) -> bool:
    """Tell whether all tracks have the same times, shapes and wraps, and several no handles."""
    first = tracks[0]
    return len(tracks) == 1 or all(
        (track.before, track.after, track.handles) == (first.before, first.after, None)
        and np.array_equal(track.times, first.times)
        and np.array_equal(track.interpolation, first.interpolation)
        for track in tracks
    )


def divided(whole: Track, tracks: Sequence[Track]) -> list[Track]:
    """Return the rows of a block without handles as tracks of the components of `tracks`."""
    rows = zip(tracks, by_track(whole.values, tracks), strict=True)
    return [replace(whole, values=values, component=track.component) for track, values in rows]


def with_tracks(clip: Clip, replaced: dict[int, Track]) -> Clip:
    """Return the clip with other tracks for some of its own, by their ids."""
    return replace(clip, tracks=[replaced.get(id(track), track) for track in clip.tracks])


class Spaces:
    """How the locations of nodes lie in the world, all nodes at rest but as large as they ever become."""

    def __init__(self, clip: Clip) -> None:
        """Look at the sizes that nodes get."""
        self.chains = Chains(replace(clip, tracks=[]))
        self._sizes: dict[str, float] = {}
        for track in clip.tracks:
            if track.kind is TrackKind.TRANSFORM and track.property == SCALE and track.values.size:
                largest = float(np.abs(track.values).max())
                self._sizes[track.node] = max(self._sizes.get(track.node, 1.0), largest)
        self._grown: dict[str, float] = {}

    def of(self, name: str) -> Array:
        """Return the axes (3, 3) of a node's location in the world; those of the root for an unknown node."""
        node = self.chains.nodes.get(name)
        if node is None:
            root: Array = np.asarray(self.chains.clip.root, np.float64)[:3, :3]
            return root
        axes = product(self.chains.world(node.parent, np.zeros(1)), np.asarray(node.rest, np.float64))[0, :3, :3]
        result: Array = axes * self._grown_by(node.parent)
        return result

    def _grown_by(self, name: str | None) -> float:
        """Return how many times larger than at rest what hangs on a node ever is; each node is looked at once."""
        chain = []
        while name is not None and name not in self._grown:
            chain.append(name)
            name = self.chains.nodes[name].parent
        size = 1.0 if name is None else self._grown[name]
        for link in reversed(chain):
            size = self._grown[link] = size * self._sizes.get(link, 1.0)
        return size
