"""How far one motion is off from another, in terms that a person sees: lengths in the world, angles."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import plain
from . import EULER, LOCATION, ROTATION, SCALE, Array, Clip, Node, Track, TrackKind, Wrap, by_property, curve, fit, keys
from . import quaternion as rotation
from .pose import Chains, Off, told_axes

if TYPE_CHECKING:
    from .keys import Distance

_PROBES = 4
"""Parts of the time between two keys at which errors are measured."""


def measured(name: str, error: float) -> str:
    """Return how far a property is off, with its unit: a location in metres, a rotation in radians, else a number."""
    if name == LOCATION:
        return f"{plain(1000.0 * error, 3)} mm"
    return f"{plain(math.degrees(error), 2)}°" if name == ROTATION else plain(error, 2)


class Measure(NamedTuple):
    """How far apart two values of a property are.

    Attributes:
        space: (3, components) from a location's components into the world; None where values count as they are.
        distance: of two blocks (components, n), gives (n,).
    """

    property: str
    node: str
    space: Array | None
    distance: Distance

    @classmethod
    def of(cls, tracks: Sequence[Track], spaces: Spaces) -> Measure | None:
        """Return how a property is measured; None for one that lacks or repeats components."""
        name, node = tracks[0].property, tracks[0].node
        components = [track.component + row for track in tracks for row in range(len(track.values))]
        # one that comes twice plays once only; a turn is one with all four components, a place may lack some
        if len(set(components)) < len(components) or (name == ROTATION and components != [0, 1, 2, 3]):
            return None
        if name == LOCATION:
            return cls(name, node, spaces.of(node)[:, components], length_between)
        turns = {ROTATION: rotation.distance, EULER: _turns_between}
        return cls(name, node, None, turns.get(name, keys.largest_difference))

    def allowed(self, most: Off) -> float:
        """Return the same in the unit of `distance`; of a scale a thousandth of the size at rest."""
        known = {LOCATION: most.place, ROTATION: 4.0 * math.sin(most.turn / 4.0), EULER: most.turn}
        return known.get(self.property, 1e-3)

    def off(self, distance: float) -> Off:
        """Return what the largest distance is to a person; nothing for a scale."""
        if self.property == LOCATION:
            return Off(place=distance, placed=self.node)
        turns = {ROTATION: rotation.angle_of(distance), EULER: distance}
        return Off(turn=turns.get(self.property, 0.0), turned=self.node)

    def seen(self, values: Array) -> Array:
        """Return values (components, n) as the distance wants them."""
        return values if self.space is None else np.asarray((self.space[:, :, None] * values[None]).sum(axis=1))

    def between(self, tracks: Sequence[Track], others: Sequence[Track], times: Array) -> Array:
        """Return (m,) how far apart two sets of tracks are at times (m,), as Blender plays them."""
        played = ([curve.evaluate(track, times, ends=True) for track in side] for side in (tracks, others))
        first, second = map(np.concatenate, played)
        return self.distance(self.seen(first), self.seen(second))


def probes(tracks: Sequence[Track]) -> Array:
    """Return the times (m,) of all keys of some tracks, and some between each two."""
    at = np.unique(np.concatenate([*{id(track.times): track.times for track in tracks}.values()]).astype(np.float64))
    return np.append((at[:-1, None] + np.diff(at)[:, None] * (np.arange(_PROBES) / _PROBES)).ravel(), at[-1:])


def length_between(a: Array, b: Array) -> Array:
    """Return (n,) the distance between places (3, n)."""
    off = a - b
    return np.asarray(np.sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]))


def _turns_between(a: Array, b: Array) -> Array:
    """Return (n,) radians that turns by angles (3, n) are apart at most, in any order; whole rounds are no turn."""
    off = a - b
    return np.asarray(np.abs(off - 2.0 * np.pi * np.rint(off / (2.0 * np.pi))).sum(axis=0))


# Locations, rotations and scales of a clip's nodes, each as a whole, however many tracks hold its components.


def transforms(clip: Clip) -> list[list[Track]]:
    """Return the tracks with keys of each location, rotation and scale of a clip, in the order of their components."""
    keyed = (track for track in clip.tracks if track.kind is TrackKind.TRANSFORM and len(track.times))
    return list(by_property(keyed).values())


def properties(clip: Clip) -> list[list[Track]]:
    """Return the tracks of each property that has keys, all in order of time."""
    return list(by_property(track for track in clip.tracks if len(track.times) and is_in_order(track)).values())


def together(tracks: list[Track]) -> Track | None:
    """Return one block of a property's tracks; None where uniting would change what repeats, or curves with handles.

    Neither is there one of numbers that are none, or of keys that are not in order of time.
    """
    if not all(np.isfinite(track.values).all() and is_in_order(track) for track in tracks):
        return None
    if not fit.same_keys(tracks):
        wraps = fit.common_wraps(tracks, None)
        bent = any(track.handles is not None for track in tracks)
        if bent or any((track.before, track.after) != wraps for track in tracks):
            return None
    return fit.unite(tracks)


def is_in_order(track: Track) -> bool:
    """Tell whether the times of a track are numbers, each not before the last one."""
    return bool(np.isfinite(track.times).all() and (track.times[1:] >= track.times[:-1]).all())


def divided(whole: Track, tracks: Sequence[Track]) -> list[Track]:
    """Return the rows of a block without handles as tracks of the components of `tracks`."""
    rows = zip(tracks, fit.by_track(whole.values, tracks), strict=True)
    return [replace(whole, values=values, component=track.component) for track, values in rows]


class Spaces:
    """How the locations of nodes lie in the world, all nodes at rest but as large as they ever become."""

    def __init__(self, clip: Clip) -> None:
        self.chains = Chains(replace(clip, tracks=[]))
        sizes: dict[str, float] = {}
        for track in clip.tracks:
            if track.kind is TrackKind.TRANSFORM and track.property == SCALE:
                known = np.abs(track.values[np.isfinite(track.values)])
                sizes[track.node] = float(known.max(initial=sizes.get(track.node, 1.0)))
        # how many times larger than at rest what a node carries ever is
        self._grown: dict[str | None, float] = {None: 1.0}
        for node in clip.nodes:
            self._grown[node.name] = self._grown[node.parent] * sizes.get(node.name, 1.0)

    def of(self, name: str) -> Array:
        """Return the axes (3, 3) of a node's location in the world; those of the root for an unknown node."""
        node = self.chains.nodes.get(name)
        axes = self.chains.world(None if node is None else name, np.zeros(1))[0, :3, :3]
        # as long as sizes above ever make them
        return axes * self._grown[None if node is None else node.parent]


# What a file plays beside what was shown: how far apart the two are, and whether a format promises that.
#
# Everything is float64; places are in the scene's unit, angles in degrees, moments in seconds of the captured clip.

_OF_SPREAD, _SMALL, _OF_SIZE, _STILL = 2e-4, 0.1, 2e-6, 1e-4
"""Of a property: part of what it moves by, of what that is at least, and of how large it is, by which it may be off;
and part of the size by which one moves that has to be in the file."""

_LEAST_BOX = 1e-3
"""The longest side of a box that differs from rounding of what carries it."""

_FLAT = 1e-6
"""An axis that is shorter has no direction."""
FRAMES_ALONE = 50.0
"""Times as far as on frames that a file which has these alone may be off between two: a degree, a hundredth of all."""


class Promise(NamedTuple):
    """How far what a file plays may be off what was shown.

    Attributes:
        place: of a node's place, in the scene's unit, for itself and for each node above it.
        share: the same as a part of the size of all: the longest side of the box around them, of which not more than 1
            counts, + the distance of the farthest node from the origin.
        turn: degrees by which a node's axes may be turned.
        link: degrees more for each node above it.
        swings: a turn may move what is as far away as all is large.
        size: part by which an axis may be longer or shorter; None for a format without sizes.
        value: how far a property may be off, however little it changes.
        between: how many times as far it may be between two frames; or at each moment, (m,).
    """

    place: float = 0.0
    share: float = 2e-4
    turn: float = 0.02
    link: float = 0.0
    swings: bool = False
    size: float | None = None
    value: float = 0.0
    between: float | Array = 1.0


@dataclass(frozen=True)
class Written:
    """Where a mapping put a clip, so that it can be found in the file and played on what it was captured of.

    Attributes:
        number: which of the file's animations it is.
        reading: options with which the file is read as it was written.
        names: the clip's node by the name of the node in the file's own clips.
        root: (4, 4) what the file's numbers are relative to, in the world.
        nodes: the clip's nodes as the file's numbers move them, where the file has no parents and rests.
        resting: makes constant tracks of what the file leaves to the model that it is played on.
        turns: (4, 4) for nodes whose own frame the file turns: what it says x the inverse is the node's.
        frames: (m,) seconds of the clip at which the file has its frames; None where it plays any moment.
        later: seconds by which the file plays everything later than the clip.
        lasts: seconds that the file is meant to play, where these are not the clip's; None where they are.
        absent: the clip's nodes that the file has no place for, nor for anything that they carry.
        rays: nodes of which only the direction counts in which they are from another, and of that only the place.
        skeleton: the document with the skeleton that the file refers to, None where it needs none.
    """

    promise: Promise = field(default_factory=Promise)
    number: int = 0
    reading: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    root: Array = field(default_factory=lambda: np.eye(4))
    nodes: Sequence[Node] = ()
    resting: Callable[[], Sequence[Track]] = list
    turns: Mapping[str, Array] = field(default_factory=dict)
    frames: Array | None = None
    later: float = 0.0
    lasts: float | None = None
    absent: AbstractSet[str] = frozenset()
    rays: Mapping[str, str] = field(default_factory=dict)
    skeleton: object = None

    def played(self, clip: Clip) -> Clip:
        """Return a clip of the file with the names, the nodes and the space of the clip that was written."""
        clip = clip.as_recorded
        own = clip.renamed({node.name: self.names.get(node.name, f"{node.name}\0") for node in clip.nodes})
        nodes = own.nodes if clip.parents_known and clip.rests_known else list(self.nodes)
        there = {node.name for node in nodes}
        known = own.driven
        tracks = [track for track in own.tracks if track.node in there]
        tracks += [track for track in self.resting() if (track.node, track.property) not in known]
        return replace(own, nodes=nodes, tracks=tracks, root=self.root)

    def seconds(self, moments: Array, rate: float) -> Array:
        """Return the seconds (m,) of the file at moments (m,) of the clip; `rate` is the file's own."""
        if self.frames is None:
            return moments + self.later
        played = np.interp(moments, self.frames, np.arange(len(self.frames)))
        return np.where(np.abs(played - np.rint(played)) < curve.ON_FRAME, np.rint(played), played) / rate

    def holds(self, moments: Array, rate: float) -> Array:
        """Return (m,) bool: the file has a frame at a moment of the clip, or plays any."""
        frames = self.seconds(moments, rate) * rate
        return (np.abs(frames - np.rint(frames)) < curve.ON_FRAME) | (self.frames is None)


def absent(nodes: Sequence[Node], there: Collection[str]) -> set[str]:
    """Return the names of nodes, parents first, that are not there, nor anything that they carry."""
    found = {node.name for node in nodes}.difference(there)
    for node in reversed(nodes):
        if node.name not in found:
            found.discard(node.parent or "")
    return found


class NodeOff(NamedTuple):
    """How far a node is off at most.

    Attributes:
        place: in the scene's unit.
        turn: degrees.
        size: part of the length of an axis.
        moment: seconds of the clip at which it is worst.
        times: how many times as far as is promised.
        on_frames: the same on whole frames alone, as which an animation is seen.
        held: place and turn there.
    """

    place: float = 0.0
    turn: float = 0.0
    size: float = 0.0
    moment: float = 0.0
    times: float = 0.0
    on_frames: float = 0.0
    held: tuple[float, float] = (0.0, 0.0)


def offs(
    seen: Array, played: Array, moments: Array, promise: Promise, depth: Array, *, counts: Array, on_frames: Array
) -> list[NodeOff]:
    """Return how far each node is off.

    Args:
        seen: (m, n, 4, 4) where the nodes were shown.
        played: (m, n, 4, 4) where the file has them.
        moments: (m,) seconds.
        depth: (n,) how many nodes are above each.
        counts: (m, n) bool: the node was to be seen; where a file has what is no number, nothing is promised.
        on_frames: (m,) bool: the moment is on a whole frame.
    """
    places, counts = seen[..., :3, 3], counts & np.isfinite(played).all(axis=(-2, -1))
    # how large all is: the box around it, and how far it is from the origin, which float32 rounds
    box = float(np.ptp(places.reshape(-1, 3), axis=0).max()) if places.size else 0.0
    size = min(max(box, _LEAST_BOX), 1.0) + float(np.abs(places).max(initial=0.0))
    place = np.sqrt(((seen[..., :3, 3] - played[..., :3, 3]) ** 2).sum(axis=-1))
    turn, stretch = _axes_off(seen[..., :3, :3], played[..., :3, :3], sizes=promise.size is not None)
    # how many times as far off as is promised, the worst of place, turn and size
    turns = promise.turn + promise.link * depth
    swing = np.radians(turns) * size if promise.swings else 0.0
    times = np.maximum(place / (promise.place * (1 + depth) + promise.share * size + swing), turn / turns)
    if promise.size is not None:
        times = np.maximum(times, stretch / promise.size)
    times = np.where(counts, times, 0.0) / np.where(on_frames, 1.0, promise.between)[:, None]
    place, turn, stretch = (np.where(counts, each, 0.0) for each in (place, turn, stretch))
    # of each node the worst moment, and the worst on whole frames
    worst = times.argmax(axis=0).tolist()
    most = [each.max(axis=0).tolist() for each in (place, turn, stretch)]
    when = [float(moments[at]) for at in worst]
    whole, *held = (each[on_frames].max(axis=0, initial=0.0).tolist() for each in (times, place, turn))
    return [NodeOff(*each) for each in zip(*most, when, times.max(axis=0).tolist(), whole, zip(*held), strict=True)]


def allowed_of_value(seen: Array) -> float:
    """Return how far what is played may be off a property that was seen as (components, m)."""
    spread, most = float(np.ptp(seen, axis=1).max()), float(np.abs(seen).max())
    return _OF_SPREAD * max(spread, _SMALL) + _OF_SIZE * most


def value_off(seen: Array, played: Array | None, least: float = 0.0) -> tuple[float, int]:
    """Return how many times as far as allowed a property is off, and at which moment most.

    Args:
        seen: (components, m) at m moments.
        played: the same of the file; None where that has nothing, as is right for what does not change.
        least: what is allowed in any case.
    """
    allowed = max(allowed_of_value(seen), least)
    if played is None:
        # what does not change need not be in the file
        allowed = max(allowed, _STILL * max(1.0, float(np.abs(seen).max())))
    apart = np.abs(seen - (seen[:, :1] if played is None else played)).max(axis=0)
    return float(apart.max() / allowed), int(apart.argmax())


def as_rays(seen: Array, played: Array, origin: int, end: int) -> None:
    """Change worlds (..., n, 4, 4) of two nodes so that the second counts by where it is from the first.

    The axes of what is played are those of what was seen, turned as the one ray is from the other.
    """
    one, other = (worlds[..., end, :3, 3] - worlds[..., origin, :3, 3] for worlds in (seen, played))
    # angle between both rays; by sine and cosine, as each alone is blunt somewhere
    sine = np.linalg.norm(np.cross(one, other), axis=-1)
    angle = np.arctan2(sine, (one * other).sum(axis=-1))
    for worlds, turn in ((seen, np.float64(0.0)), (played, angle)):
        worlds[..., end, :, :] = np.eye(4)
        worlds[..., end, 0, 0] = worlds[..., end, 1, 1] = np.cos(turn)
        worlds[..., end, 1, 0] = np.sin(turn)
        worlds[..., end, 0, 1] = -np.sin(turn)


def _axes_off(seen: Array, played: Array, *, sizes: bool) -> tuple[Array, Array]:
    """Return degrees and part of the length (m, n) by which axes (m, n, 3, 3) are off.

    Where a format has no sizes, what is sheared or mirrored counts by the rotation that is written of it. What is flat
    has none.
    """
    lengths, found = (np.sqrt((axes * axes).sum(axis=-2)) for axes in (seen, played))
    flat = (lengths < _FLAT).any(axis=-1)
    straight = seen / np.maximum(lengths, _FLAT)[..., None, :] if sizes else told_axes(seen)
    apart = straight - played / np.maximum(found, _FLAT)[..., None, :]
    # chord between rotations: for matrices the squares add up to 8 times that of the half angle's sine
    chord = np.sqrt((apart * apart).sum(axis=(-2, -1)) / 8.0)
    turn = np.where(flat, 0.0, np.degrees(2.0 * np.arcsin(np.minimum(chord, 1.0))))
    stretch = np.abs(found - lengths).max(axis=-1) / np.maximum(lengths.max(axis=-1), _FLAT)
    return turn, stretch if sizes else np.zeros_like(turn)


_SAME = Off(place=1e-4, turn=1e-3)
"""Ends of a clip that differ no more, a tenth of a millimetre and 0.06 degrees, agree."""


def loops(clip: Clip) -> bool:
    """Tell whether a clip moves, and either every curve of it repeats or its first and last poses agree."""
    tracks = [track for track in clip.tracks if track.kind is TrackKind.TRANSFORM and len(track.times) > 1]
    if not any(bool((track.values != track.values[:, :1]).any()) for track in tracks):
        return False
    if all(track.before is Wrap.REPEAT and track.after is Wrap.REPEAT for track in tracks):
        return True
    spaces = Spaces(clip)
    measured = ((group, Measure.of(group, spaces)) for group in transforms(clip))
    return all(each is not None and apart_at_ends(group, each) <= each.allowed(_SAME) for group, each in measured)


def apart_at_ends(tracks: Sequence[Track], measure: Measure) -> float:
    """Return how far the end of a property is from its beginning, as the measure counts; NaN where one is no number."""
    first, last = (np.concatenate([track.values[:, [at]] for track in tracks]) for at in (0, -1))
    known = np.isfinite([first, last]).all()
    return float(measure.distance(measure.seen(first), measure.seen(last))[0]) if known else math.nan
