"""Pivots have no scale: what hangs on a scaled bone is moved to where it was seen, at its own size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import messages, rotation
from ..clip import LOCATION, ROTATION, SCALE, Array, Clip, Interpolation, Node, Track, TrackKind
from ..errors import Report
from ..pose import compose, decompose, inverse, product, world_matrices
from ..resample import Lines, halfway_error

SLACK = 1e-4
"""Scales within this of 1 are none."""


def without_scales(clip: Clip, times: Array, report: Report) -> Clip:
    """The clip with the nodes below scaled ones sampled at `times` (seconds), so that they stand where they stood.

    Places and directions stay, sizes are lost. Scale tracks are kept, for the caller to tell of; nodes that hang on
    nothing scaled keep their tracks as the same objects.
    """
    below = _below(clip.nodes, {track.node for track in clip.tracks if is_scaling(track)})
    if not below:
        return clip
    with_parents = {node.name for node in clip.nodes} & (below | {node.parent for node in clip.nodes if node.parent})
    middles = (times[1:] + times[:-1]) / 2
    plain, between = (_without_size(world_matrices(clip, at, with_parents)) for at in (times, middles))
    tracks = [track for track in clip.tracks if track.node not in below or track.kind is not TrackKind.TRANSFORM]
    error = Lines()
    for node in clip.nodes:
        if node.name in below and node.parent is not None:
            moves, halfway = (
                product(inverse(product(worlds[node.parent], node.rest)), worlds[node.name])
                for worlds in (plain, between)
            )
            tracks += _sampled(node, moves, times)
            error = error.worst(halfway_error(moves, halfway))
    report.note(messages.TRACKS_ON_FRAMES, tracks=7 * len(below), **error.told())
    return replace(clip, tracks=tracks)


def _without_size(worlds: dict[str, Array]) -> dict[str, Array]:
    """The same places and turns at size 1."""
    found = {name: decompose(np.asarray(world))[:2] for name, world in worlds.items()}
    return {name: compose(place, turn, np.ones_like(place)) for name, (place, turn) in found.items()}


def is_scaling(track: Track) -> bool:
    """Whether a track gives its node another size than at rest."""
    is_scale = track.kind is TrackKind.TRANSFORM and track.property == SCALE
    return is_scale and float(np.abs(track.values - 1).max(initial=0.0)) > SLACK


def _below(nodes: list[Node], scaled: set[str]) -> set[str]:
    """All that hangs on these nodes; parents precede their children."""
    found: set[str] = set()
    for node in nodes:
        if node.parent in scaled or node.parent in found:
            found.add(node.name)
    return found


def _sampled(node: Node, moves: Array, times: Array) -> list[Track]:
    """Location and rotation tracks of moves (m, 4, 4) away from the rest, straight between the times."""
    location, quaternion, _, _ = decompose(moves)
    quaternion = quaternion * rotation.align_signs(quaternion)
    straight = np.full(len(times), Interpolation.LINEAR, np.uint8)
    return [
        Track(node.name, LOCATION, times, location, straight, width=3),
        Track(node.name, ROTATION, times, quaternion, straight, width=4),
    ]
