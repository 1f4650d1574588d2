"""Pivots have no size: what scaled, stretched or mirrored nodes carry is put where it was seen, at its own size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import Report, Values
from . import LOCATION, ROTATION, SCALE, Array, Clip, Node, Track, TrackKind, curve, messages
from . import quaternion as rotation
from .pose import SLACK, below, compose, decompose, inverse, is_scaling, off_square, product, size_of, world_matrices
from .resample import Lines, halfway_error

_SHEAR = 1e-3
_MOST_NAMES = 8

Worlds = dict[str | None, Array]
"""(m, 4, 4) of nodes, and of the root for None."""


def without_scales(clip: Clip, times: Array, report: Report) -> Clip:
    """Return the clip with places and turns alone, as they were seen, sampled at `times` (n,) in seconds where sizes
    take part.

    Sizes are lost, which is reported. Nodes to which nothing of this applies keep their tracks as the same objects.
    """
    # sizes come from keys, from rests, and from the root, whose even size is that of the file
    scaled = list(dict.fromkeys(track.node for track in clip.tracks if is_scaling(track)))
    crooked = [node.name for node in clip.nodes if not _is_rigid(np.asarray(node.rest, np.float64))]
    size = size_of(clip.root) or 1.0
    bent = not _is_rigid(product(np.asarray(clip.root, np.float64), np.diag([1 / size, 1 / size, 1 / size, 1.0])))
    _tell(scaled, crooked, clip.skeleton or clip.name if bent else "", report)
    if not (scaled or crooked or bent):
        return clip
    # a crooked root concerns all, a crooked rest what is below it
    turned = {node.name for node in clip.nodes} if bent else {*below(clip.nodes, crooked), *crooked}
    plain = _straight(clip, turned, size)
    tracks = [track for track in clip.tracks if not is_scaling(track)]
    mirrored = {track.node for track in clip.tracks if is_scaling(track) and (curve.evaluate(track, times) < 0).any()}
    # what is below a size moves otherwise than its keys say, and is sampled
    moved = turned.union(mirrored, below(clip.nodes, scaled))
    return _sampled(clip, replace(plain, tracks=tracks), moved, times, report)


def tell_left_out(track: Track, report: Report) -> None:
    """Warn of a track that no pivot has a place for, once for all components of a property."""
    scale = track.property == SCALE
    if not (is_scaling(track) if scale else track.property not in (LOCATION, ROTATION)):
        return
    template: str = messages.NO_SCALE if scale else messages.NO_PROPERTY
    values: Values = {"name": track.node} if scale else {"name": track.node, "property": track.property}
    if not any(entry.template == template and entry.values == values for entry in report.warnings):
        report.warn(template, **values)


def _tell(scaled: list[str], crooked: list[str], bent: str, report: Report) -> None:
    for name in scaled:
        report.warn(messages.NO_SCALE, name=name)
    if bent or crooked:
        report.warn(messages.NOT_RIGID, name=bent or ", ".join(crooked))


def _is_rigid(matrix: Array) -> bool:
    """Return whether a matrix only moves and turns."""
    axes = matrix[:3, :3]
    return bool((np.abs(axes.T @ axes - np.eye(3)) <= 2 * SLACK).all() and np.linalg.det(axes) > 0)


# --- Rest poses and motion without sizes --------------------------------------------------------


def _straight(clip: Clip, turned: set[str], size: float) -> Clip:
    """Return the clip whose root and rests have no size but the root's own; `turned` are the nodes that this
    concerns."""
    if not turned:
        return clip
    # rests anew: where nodes are seen at rest, each relative to its parent without a size
    still = _without_sizes(_worlds(replace(clip, tracks=[]), np.zeros(1)), size)
    nodes = [
        replace(node, rest=product(inverse(still[node.parent]), still[node.name])[0]) if node.name in turned else node
        for node in clip.nodes
    ]
    return replace(clip, root=still[None][0], nodes=nodes)


def _worlds(clip: Clip, times: Array) -> Worlds:
    found: Worlds = {None: np.broadcast_to(np.asarray(clip.root, np.float64), (len(times), 4, 4))}
    found.update(world_matrices(clip, times))
    return found


def _without_sizes(worlds: Worlds, size: float) -> Worlds:
    """Return the same places and turns, all of one size."""
    found = {name: decompose(np.asarray(world))[:2] for name, world in worlds.items()}
    return {name: compose(place, turn, np.full_like(place, size)) for name, (place, turn) in found.items()}


def _sampled(seen: Clip, plain: Clip, below: set[str], times: Array, report: Report) -> Clip:
    """Return `plain` with the nodes `below` moving as they are seen."""
    size = size_of(plain.root) or 1.0
    # half way between samples lines are furthest off, which is measured there
    middles = (times[1:] + times[:-1]) / 2
    shown = _worlds(seen, times)
    shears = {str(name): decompose(shown[name])[3] for name in shown if name in below}
    sheared = [name for name, shear in shears.items() if shear.max(initial=0.0) > _SHEAR]
    if sheared:
        degrees = max(off_square(shears[name]) for name in sheared)
        report.warn(messages.SHEAR_DROPPED, node=", ".join(sheared[:_MOST_NAMES]), degrees=degrees)
    worlds, between = (_without_sizes(found, size) for found in (shown, _worlds(seen, middles)))
    tracks = [track for track in plain.tracks if track.node not in below or track.kind is not TrackKind.TRANSFORM]
    error = Lines()
    for node in plain.nodes:
        if node.name in below:
            moves, halfway = (
                product(inverse(product(found[node.parent], node.rest)), found[node.name])
                for found in (worlds, between)
            )
            tracks += _tracks(node, moves, times)
            error = error.worst(halfway_error(moves, halfway))
    if below:
        report.note(messages.TRACKS_ON_FRAMES, tracks=7 * len(below), **error.as_values())
    return replace(plain, tracks=tracks)


def _tracks(node: Node, moves: Array, times: Array) -> list[Track]:
    """Return location and rotation tracks of moves (m, 4, 4) away from the rest, straight between the times."""
    location, quaternion, _, _ = decompose(moves)
    quaternion = quaternion * rotation.align_signs(quaternion)
    return [
        Track.sampled(node.name, LOCATION, times, location),
        Track.sampled(node.name, ROTATION, times, quaternion),
    ]
