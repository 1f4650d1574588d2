"""Clips played by a loop over plain numbers, and drawn ones with all that is rare: shares nothing with the product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from textbook import rotation

from io_formats.clip import LOCATION, RESTING, ROTATION, SCALE, Clip, Handles, Node, Track, TrackKind, Wrap

Array = np.ndarray[Any, Any]
Rng = np.random.Generator
CONSTANT, LINEAR, BEZIER = range(3)


def value(track: Track, at: float) -> list[float]:
    """What each component is at a time that is no end of a round; 0 without keys."""
    times = [float(time) for time in track.times]
    if not times:
        return [0.0] * len(track.values)
    length, wrap = times[-1] - times[0], track.before if at < times[0] else track.after
    if length > 0 and wrap is not Wrap.HOLD and not times[0] <= at <= times[-1]:
        rounds, part = divmod(at - times[0], length)
        at = times[-1] - part if wrap is Wrap.MIRROR and rounds % 2 else times[0] + part
    left = max((key for key, time in enumerate(times) if time <= at), default=-1)
    if left < 0 or left == len(times) - 1 or track.interpolation[left] == CONSTANT:
        return [float(row[max(left, 0)]) for row in track.values]
    span, part = times[left + 1] - times[left], at - times[left]
    ends = [(float(row[left]), float(row[left + 1])) for row in track.values]
    if track.interpolation[left] == LINEAR:
        return [first + (last - first) * part / span for first, last in ends]
    # handles as long as the segment at most, and the point of the cubic above the time
    sides, rises = [0.0, 0.0], [[0.0, 0.0]] * len(ends)
    if track.handles is not None:
        own = [(left, 1), (left + 1, 0)]
        sides = [max(abs(float(track.handles.times[side])), 1e-300) for side in own]
        cuts = [min(1.0, span / side) for side in sides]
        rises = [[float(row[side]) * cut for side, cut in zip(own, cuts)] for row in track.handles.values]
        sides = [side * cut for side, cut in zip(sides, cuts)]
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _cubic(0.0, sides[0], span - sides[1], span, middle) < part else (low, middle)
    return [_cubic(one, one + out, two + into, two, high) for (one, two), (out, into) in zip(ends, rises)]


def _cubic(a: float, b: float, c: float, d: float, s: float) -> float:
    return (1 - s) ** 3 * a + 3 * s * (1 - s) ** 2 * b + 3 * s * s * (1 - s) * c + s**3 * d


def basis(tracks: list[Track], at: float) -> Array:
    """The matrix of a node's own tracks: place, turn, then size."""
    found = {name: list(rest) for name, rest in RESTING.items()}
    for track in tracks:
        if track.kind is TrackKind.TRANSFORM and len(track.times):
            found[track.property][track.component : track.component + len(track.values)] = value(track, at)
    w, x, y, z = found[ROTATION] if any(found[ROTATION]) else RESTING[ROTATION]
    result = np.eye(4)
    result[:3, :3] = rotation([x, y, z, w]) @ np.diag(found[SCALE])
    result[:3, 3] = found[LOCATION]
    return result


def worlds(clip: Clip, at: float) -> dict[str | None, Array]:
    """Where each node is."""
    found: dict[str | None, Array] = {None: np.asarray(clip.root, np.float64)}
    for node in clip.nodes:
        own = basis([track for track in clip.tracks if track.node == node.name], at)
        found[node.name] = found[node.parent] @ node.rest @ own
    return found


def rests(nodes: list[Node]) -> dict[str | None, Array]:
    """Where nodes are at rest, seen from what carries them."""
    return worlds(Clip("", nodes=nodes), 0.0)


def turn_of(matrix: Array) -> Array:
    """(3, 3) the rotation nearest to all axes, each made as long as the others; of a mirror that of the other side."""
    left, _, right = np.linalg.svd(matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0))
    turn: Array = left @ right * np.linalg.det(left @ right)
    return turn


def tilted(size: float, axis: Any) -> Array:
    """(4, 4) a turn about an axis."""
    result = np.eye(4)
    result[:3, :3] = rotation([*(np.sin(size / 2) * np.asarray(axis, float) / np.linalg.norm(axis)), np.cos(size / 2)])
    return result


def short_way(axes: Array, along: Array, aim: Array) -> Array:
    """Axes (3, 3) turned so that a direction in them lies along another in the world, by Rodrigues."""
    now = axes @ along
    x, y, z = np.cross(now, aim)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return (np.eye(3) + skew + skew @ skew / (1 + now @ aim)) @ axes


def horn(arms: Array, wanted: Array) -> Array:
    """The quaternion (4,) x, y, z, w that brings arms nearest to others."""
    s = arms.T @ wanted
    n = np.zeros((4, 4))
    n[3, :3] = n[:3, 3] = s[1, 2] - s[2, 1], s[2, 0] - s[0, 2], s[0, 1] - s[1, 0]
    n[3, 3], n[:3, :3] = np.trace(s), s + s.T - np.eye(3) * np.trace(s)
    return np.linalg.eigh(n)[1][:, -1]


def unit(vector: Array) -> Array:
    """Of length 1."""
    return vector / np.linalg.norm(vector)


def in_a_plane(arms: Array) -> bool:
    """More than a line."""
    sizes = np.linalg.svd(np.array(arms))[1]
    return len(arms) > 1 and bool(sizes[1] >= 0.1 * sizes[0])


def in_classes(clip: Any, own: Any) -> Any:
    """A clip in the classes of another `io_formats.clip`: those of the extension are not those that play here."""
    tracks = [
        own.Track(
            each.node, each.property, each.times, each.values, each.interpolation, each.component, each.width,
            each.handles and own.Handles(*each.handles), own.Wrap(int(each.before)), own.Wrap(int(each.after)),
            kind=own.TrackKind[each.kind.name],
        )
        for each in clip.tracks
    ]  # fmt: skip
    nodes = [own.Node(each.name, each.parent, each.rest, original=each.name) for each in clip.nodes]
    return own.Clip(clip.name, clip.duration, clip.rate, clip.root, nodes, tracks, skeleton=clip.skeleton)


# --- Drawn ------------------------------------------------------------------------------------------------------------


def matrix(rng: Rng, size: float = 1.0, *, odd: bool = False) -> Array:
    """A place and a turn: none, by quarters, or any; its size even, unless it is `odd`."""
    result, kind = np.eye(4), rng.integers(5)
    if kind:
        quarters = [np.eye(3)[list(order)] for order in ((1, 2, 0), (1, 0, 2), (0, 2, 1))]
        turn = quarters[rng.integers(3)] * rng.choice((-1.0, 1.0), 3)
        turn = turn * np.linalg.det(turn) if kind < 3 else rotation(rng.normal(size=4))
        result[:3, :3], result[:3, 3] = turn * size, rng.normal(size=3) * (kind != 2) * (30.0 if kind == 4 else 1.0)
    if odd:  # of three sizes, mirrored, or sheared
        by = (np.diag([1.0, 1.0, 2.0]), np.diag([-1.0, 1.0, 1.0]), np.eye(3) + np.eye(3, k=1))[kind % 3]
        result[:3, :3] = result[:3, :3] @ by
    return result


def track(
    rng: Rng, node: str, name: str, rows: int, *, shapes: Any = (0, 1, 1, 2, 2), bend: float = 0.3, wraps: float = 0.3
) -> Track:
    """Keys of one block: few or many, several at one time, before 0, with handles of any length, that may repeat."""
    count = int(rng.choice((1, 2, 3, 6)))
    times = np.sort(rng.integers(-8, 20, count)) / 16.0
    for key in range(1, count):
        if rng.random() < 0.15:
            times[key] = times[key - 1]
    rest = np.array(RESTING.get(name, (0.0,)) if rows > 1 else (0.0,))[:, None]
    values = rest + rng.uniform(-0.4, 0.4, (rows, count))
    if name == ROTATION and rows == 4:
        values *= rng.choice((1.0, 1.0, 1.0, -1.0), count) * rng.choice((1.0, 1.0, 1.7), count)
    gaps = np.diff(times, append=times[-1])
    handles = np.stack([-np.roll(gaps, 1), gaps], axis=1) * rng.choice((0.0, 1 / 3, 0.6, 1.0, 1.4), (count, 2))
    handles[0, 0] = handles[-1, 1] = 0.0
    own = rng.choice(shapes, count).astype(np.uint8)
    bent = Handles(handles, rng.normal(size=(rows, count, 2)) * bend)
    before, after = map(Wrap, rng.choice(list(Wrap), 2) if rng.random() < wraps else (0, 0))
    return Track(node, name, times, values, own, 0, rows, bent if (own == BEZIER).any() else None, before, after)


def tracks(rng: Rng, node: str, name: str, **how: Any) -> list[Track]:
    """A property as a block, as components that share their keys or have their own, or as some of them."""
    width, way = len(RESTING[name]), rng.integers(5)
    whole = track(rng, node, name, width, **how)
    if way < 2:
        return [whole]
    if way == 2:
        return whole.rows()
    found = [replace(track(rng, node, name, 1, **how), component=row, width=width) for row in range(width)]
    found = [one.scaled(1.0, float(RESTING[name][one.component])) for one in found]
    return found if way == 3 else [one for one in found if rng.random() < 0.6]


def clip(rng: Rng, *, names: Sequence[str] = "abcd", scales: bool = False, **how: Any) -> Clip:
    """A tree of nodes, some of which move, below a root with a size."""
    nodes = []
    for at, name in enumerate(names):
        parent = names[rng.integers(max(0, at - 2), at)] if at and rng.random() < 0.9 else None
        nodes.append(
            Node(name, parent, matrix(rng, 1.5 if rng.random() < 0.2 else 1.0, odd=rng.random() < 0.1 * scales))
        )
    properties = (LOCATION, ROTATION, SCALE) if scales else (LOCATION, ROTATION)
    found = [
        one for node in names if rng.random() < 0.7 for name in properties if rng.random() < 0.7
        for one in tracks(rng, node, name, **how)
    ]  # fmt: skip
    return Clip("drawn", 1.5, 8.0, matrix(rng, 2.0), nodes, found)
