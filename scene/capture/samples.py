"""Evaluated poses as tracks: matrices taken apart, and no more keys than curves need that follow the samples.

What location, rotation and scale lose of shear is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from bpy.types import Object

from ...io_formats import clip
from ...io_formats.clip import Array, Clip, Node, NodeKind, Track, TrackKind, ValueKind, keys, pose
from ...io_formats.clip import quaternion as rotation
from ...io_formats.clip.measure import allowed_of_value, measured
from ...io_formats.files.steps import Steps, portion
from ...io_formats.options import WholeFrames
from ...io_formats.scene_options import ExportOptions
from .. import armatures, messages
from ..types import Holder, Rig
from . import bake
from .curve_tracks import ANGLE_TOLERANCE, TURN, VALUE_TOLERANCE, quaternions
from .driven import Driven, is_bone
from .nodes import NodeMap
from .timing import PARTS, Capture, Span

if TYPE_CHECKING:
    from .plan import Plan, SampledValue

_JUMP = 2.0
"""Half way between two samples, where it is measured, a line is off a jump by half of what it is off beside it."""

_READ, _FIRST = 0.8, 0.6
"""Share that is done when everything was read; and of the reading, when all frames were read once."""

_TOGETHER = 64
"""Nodes that are taken apart at once."""

_NEAR = 1 << 14
"""Matrices that are taken apart in one step: with more of them the processor waits for its memory."""

_AT_ONCE = 1 << 18
"""Samples of curves that are fitted at once."""

_FAR = 0.2
"""Part of the size of a property's values beyond which a larger range allows no more."""

_SWING = 0.3
"""Part of a figure that counts of its size for what turns move, as few are furthest off at the same time."""

_LEAST_LEVER = 0.1
"""Part of a figure that hangs on any of its bones, as skin may reach beyond the bone's end."""


_FINEST, _OF_A_JUMP = 1.01 * bake.FINEST, 3.0
"""Frames within which a jump is, and how many times as fast it is as what is beside it, which may bend sharply."""

_OF_CURVES = messages.CAPTURE_MODIFIER, messages.CAPTURE_CLAMPED, messages.CAPTURE_MEASURED_VALUE
"""Why what keys alone could say is sampled, which is as exact as keys."""

_STILL = 1e-6
"""Movements smaller than this, as part of the size of the values, are rounding."""


class Sampled(NamedTuple):
    """What was read from the evaluated scene.

    Attributes:
        node_map: the nodes; those whose parents' sizes would shear them hang on the armature, or on nothing.
        channels: how many properties these are.
        nodes: what was read, also what rests or has keys below sheared bones.
    """

    node_map: NodeMap
    tracks: Sequence[Track] = ()
    channels: int = 0
    nodes: frozenset[str] = frozenset()


class _Channel(NamedTuple):
    """Samples (components, m) of one property."""

    driven: Driven
    values: Array

    @property
    def turns(self) -> bool:
        """Whether these are quaternions."""
        return self.driven.property == clip.ROTATION and self.driven.kind is TrackKind.TRANSFORM


class _Motion(NamedTuple):
    """What was read of one bone or object.

    Attributes:
        holder: the pose bone or object.
        above: gives (m or 1, 4, 4) what the node's rest is relative to.
        matrices: gives (m, 4, 4) its poses, bones in armature space and objects in the world.
    """

    holder: Holder
    node: Node
    above: Callable[[], Array]
    matrices: Callable[[], Array]


class _Moves(NamedTuple):
    """How nodes move away from their rests.

    Attributes:
        location, turn, scale: (3 or 4, nodes, m).
        shear: (nodes, m) what these leave out.
    """

    nodes: Sequence[Node]
    location: Array
    turn: Array
    scale: Array
    shear: Array


_Parts = tuple[Array, Array, Array]

_Known = Mapping[str, tuple[_Parts, Array]]
"""What `_Told` has of nodes, by their names."""


_Left = Mapping[str | None, Array]
"""Where the file has nodes without the shear that they lose, relative to where they are, by their names."""


class _Seen(NamedTuple):
    """What was read by a plan, and what is known of how that is told."""

    plan: Plan
    wanted: bake.Wanted
    read: bake.Baked
    known: _Known = MappingProxyType({})


class _Told(NamedTuple):
    """How location (3, m), rotation (4, m) and scale (3, m) tell what a node does, and what these leave out (m,)."""

    node: Node
    parts: _Parts
    shear: Array

    @property
    def sheared(self) -> bool:
        """Whether they leave out more than rounding."""
        return float(self.shear.max(initial=0.0)) > pose.SHEAR


def samples_of(capture: Capture, plan: Plan, wanted: bake.Wanted) -> Steps[Sampled]:
    """Read what the plan says, frame by frame and finer where it is fast, and what hangs on what loses shear."""
    seen = yield from portion(_read(capture, plan, wanted), last=_READ)
    plan, told = seen.plan, _told(seen, capture.options)
    of_file = capture.written.driven if capture.written is not None else ()
    channels = [channel for each in told for channel in _transforms(each, of_file)]
    moves = {each.node.name: each for each in told}
    values = map(_of_value, plan.values.values(), seen.read.values)
    channels += (one for one in values if one.driven.node not in moves or one.driven.kind is not TrackKind.TRANSFORM)
    frames, tolerances = seen.read.frames, _Tolerances(plan.node_map, capture.options)
    tracks = yield from portion(_tracks(channels, frames, capture.span, tolerances), _READ)
    keys, samples = Clip("", tracks=list(tracks)).key_count, len(channels) * len(frames)
    if channels:
        capture.report.note(messages.SAMPLES_FOLLOWED, keys=keys, samples=samples, channels=len(channels))
    pose.tell_shear({name: each.shear for name, each in moves.items()}, capture.report)
    return Sampled(plan.node_map.with_nodes(each.node for each in told), tracks, len(channels), frozenset(moves))


# --- Reading --------------------------------------------------------------------------------------------------------


def _read(capture: Capture, plan: Plan, wanted: bake.Wanted) -> Steps[_Seen]:
    """Play the clip's frames, and those between them where lines would miss what is seen, unless all are asked for.

    The plan that comes of it has the nodes as they were told of some of the frames, and what hangs on those that lose
    shear there; where that was not read, all begins again.
    """
    forced, cubic = capture.options.sampling == "BAKE", _Tolerances(plan.node_map, capture.options).share > 0
    frames = capture.span.samples(parts=PARTS[:1] if forced else PARTS, rate=_rate(capture))
    with bake.reading(capture, wanted) as read:
        first = yield from portion(read(frames), last=1.0 if forced else _FIRST)
        if forced:
            return _Seen(plan, wanted, first)
        # what hangs on what shows at a part of the moments, and is looked at again once all are known
        some = _told(_Seen(plan, wanted, first.take(np.arange(0, len(frames), len(PARTS)))), capture.options)
        sheared = {each.node.name for each in some if each.sheared}
        below = sheared.union(pose.below(plan.node_map.nodes, sheared))
        whole = plan.sampling(below.union(each.node.name for each in some))
        if (more := whole.wanted(capture.participants.rigs))[:2] != wanted[:2]:  # other armatures or objects
            return (yield from portion(_read(capture, whole, more), _FIRST))
        told = whole._replace(node_map=plan.node_map.with_nodes(each.node for each in some))

        def look(at: Array) -> Steps[tuple[bake.Baked, list[bake.Channels]]]:
            found = yield from read(at)
            return found, _looked(_Seen(told, wanted, found))

        most = bake.MOST_OF_CURVES if any(reason.template in _OF_CURVES for reason in plan.reasons) else bake.MOST
        most = most if wanted.needs_scene else bake.MOST_WITHOUT_SCENE
        sampling = bake.sample(frames, _looked(_Seen(told, wanted, first)), look, most, cubic=cubic)
        further, channels, left = yield from portion(sampling, _FIRST)
    # a file of whole frames has nothing between them, and the check looks at these
    for (name, moved), error in () if isinstance(capture.options, WholeFrames) else left.items():
        capture.report.warn(messages.CAPTURE_COARSE, name=name, error=measured(moved, _JUMP * error))
    return _Seen(told, wanted, bake.joined([first, *further]), _known(channels[: len(channels) - len(plan.values)]))


def _rate(capture: Capture) -> float:
    """Return the rate of a file that has whole frames only, 0 of another."""
    if not isinstance(capture.options, WholeFrames):
        return 0.0
    own = 0.0 if capture.written is None or capture.foreign else capture.written.rate
    return capture.options.file_rate or own or capture.span.rate


def _looked(seen: _Seen) -> list[bake.Channels]:
    found = []
    for moves in _apart(list(_motions(seen))):
        names = [node.name for node in moves.nodes]
        both = moves.location, moves.scale
        place, size = (np.maximum(1.0, np.abs(rows).max(axis=(0, 2), initial=0.0)) for rows in both)
        found += [
            bake.Channels(names, moves.location, bake.POSITION * place, clip.LOCATION),
            bake.Channels(names, moves.turn, np.full(len(names), bake.TURN), clip.ROTATION),
            bake.Channels(names, moves.scale, 4 * bake.POSITION * size),
            bake.Channels(names, moves.shear[None], np.full(len(names), np.inf)),  # which nothing has to follow
        ]
    for channel in map(_of_value, seen.plan.values.values(), seen.read.values):
        allowed, name = allowed_of_value(channel.values) / 4, ""  # half way between two samples a jump is off by half
        if channel.driven.kind is TrackKind.TRANSFORM:
            name = channel.driven.property
            least = bake.POSITION * (4 if name == clip.SCALE else 1) * max(1.0, float(np.abs(channel.values).max()))
            allowed = bake.TURN if channel.turns else least
        found.append(bake.Channels([channel.driven.node], channel.values[:, None], np.array([allowed]), name))
    return found


def _of_value(value: SampledValue, rows: Array) -> _Channel:
    driven, values = value.driven, rows.T
    if driven.property == clip.ROTATION and driven.kind is TrackKind.TRANSFORM:
        turns = quaternions(driven.mover.rotation_mode, values)
        values, driven = turns * rotation.align_signs(turns), replace(driven, address=clip.ROTATION, width=len(turns))
    return _Channel(driven, values)


def _known(channels: Sequence[bake.Channels]) -> _Known:
    return {
        name: ((location.rows[:, number], turn.rows[:, number], scale.rows[:, number]), shear.rows[0, number])
        for location, turn, scale, shear in zip(*(channels[part::4] for part in range(4)))
        for number, name in enumerate(location.nodes)
    }


# --- Bones and objects ----------------------------------------------------------------------------------------------


def _motions(seen: _Seen) -> Iterator[_Motion]:
    """Yield what was read of the bones that the plan names, then of its objects."""
    read, node_map = seen.read, seen.plan.node_map
    for rig in seen.wanted.rigs:
        yield from _motions_of_bones(seen.plan, rig, read.poses[rig.name])
    for thing in seen.wanted.objects:
        node = node_map.node_of(thing)
        above = node_map.root[None] if node.parent is None else read.spaces[thing.name]
        yield _Motion(thing, node, _same(above), _same(read.worlds[thing.name]))


def _apart(motions: Sequence[_Motion]) -> Iterator[_Moves]:
    # the same nodes together however many samples there are, as new ones are put beside those before
    for together in (motions[begin : begin + _TOGETHER] for begin in range(0, len(motions), _TOGETHER)):
        most, parts = max(1, _NEAR // len(together[0].matrices())), []
        for some in (together[begin : begin + most] for begin in range(0, len(together), most)):
            matrices = pose.side_by_side([motion.matrices() for motion in some])
            above = pose.side_by_side([np.broadcast_to(motion.above(), matrices.shape[1:]) for motion in some])
            spaces = pose.product(above, np.stack([motion.node.rest for motion in some])[:, None])
            basis = pose.product(pose.inverse(spaces), matrices)
            apart = pose.decompose(basis.reshape(-1, 4, 4))
            parts.append([part.reshape(*part.shape[:-1], *basis.shape[:2]) for part in apart])
        yield _Moves([motion.node for motion in together], *(np.concatenate(rows, axis=-2) for rows in zip(*parts)))


def _each_apart(motions: Sequence[_Motion]) -> Iterator[_Told]:
    for moves in _apart(motions):
        for number, node in enumerate(moves.nodes):
            parts = moves.location[:, number], moves.turn[:, number], moves.scale[:, number]
            yield _Told(node, parts, moves.shear[number])


def _told(seen: _Seen, options: ExportOptions) -> list[_Told]:
    """Return what was read, relative to where location, rotation and scale can say it.

    Where they cannot, what is below is relative to where they leave that.
    """
    node_map, rests = seen.plan.node_map, {rig.name: armatures.rest_matrices(rig) for rig in seen.wanted.rigs}
    motions = list(_motions(seen))
    parents = {motion.node.parent for motion in motions}
    left: dict[str | None, Array] = {}
    found: dict[str, _Told] = {}
    for level in _levels(node_map, motions):
        known = [None if motion.node.parent in left else seen.known.get(motion.node.name) for motion in level]
        for number, motion in enumerate(level):
            if (above := left.get(motion.node.parent)) is not None:  # the file has elsewhere what the node is below
                level[number] = motion._replace(above=_same(pose.product(motion.above(), above)))
        apart = _each_apart([motion for motion, own in zip(level, known) if own is None])
        told = [next(apart) if own is None else _Told(motion.node, *own) for motion, own in zip(level, known)]
        crooked = [] if options.keeps_parents else [number for number, each in enumerate(told) if each.sheared]
        loose = {number: _loose(node_map, level[number], rests, left) for number in crooked}
        again = {number: motion for number, motion in loose.items() if motion is not level[number]}
        for (number, motion), each in zip(again.items(), _each_apart(list(again.values()))):
            level[number], told[number] = motion, each
        for motion, each in zip(level, told):
            if each.sheared and each.node.name in parents:
                told_as = pose.product(pose.product(motion.above(), each.node.rest), pose.compose(*each.parts))
                left[each.node.name] = pose.product(pose.inverse(motion.matrices()), told_as)
            found[each.node.name] = each
    return [found[motion.node.name] for motion in motions]


def _levels(node_map: NodeMap, motions: Sequence[_Motion]) -> list[list[_Motion]]:
    """Return motions by how many of them are above each."""
    places = {node.name: place for place, node in enumerate(node_map.nodes)}  # parents first
    depths: dict[str | None, int] = {}
    ordered = sorted(motions, key=lambda motion: places[motion.node.name])
    for motion in ordered:
        depths[motion.node.name] = depths.get(motion.node.parent, -1) + 1
    return [*clip.grouped((depths[motion.node.name], motion) for motion in ordered).values()]


def _motions_of_bones(plan: Plan, rig: Object, poses: Array) -> Iterator[_Motion]:
    """Yield what was read of an armature's bones from the poses (m, bones, 4, 4) of all, in armature space."""
    naming, nodes = plan.node_map.naming.bones[rig.name], {node.name: node for node in plan.node_map.nodes}
    index = {bone.name: number for number, bone in enumerate(rig.pose.bones)}

    @cache
    def wide(number: int) -> Array:
        rows: Array = poses[:, number].transpose(1, 2, 0).astype(np.float64, order="C")
        return rows.transpose(2, 0, 1)

    for bone in rig.pose.bones:
        if bone.name in plan.posed[rig.name]:
            node, above = nodes[naming[bone.name]], armatures.parent_among(bone, naming)
            carried = above is not None and node.parent == naming[above.name]
            space = partial(wide, index[above.name]) if carried else _same(np.eye(4)[None])
            yield _Motion(bone, node, space, partial(wide, index[bone.name]))


def _same(matrices: Array) -> Callable[[], Array]:
    return lambda: matrices


def _loose(node_map: NodeMap, motion: _Motion, rests: Mapping[str, Mapping[str, Array]], left: _Left) -> _Motion:
    """Return a motion relative to the armature, by the rests of its bones there, or an object's in the world.

    Unless it is so already, or that is sheared itself.
    """
    holder, node = motion.holder, motion.node
    if is_bone(holder):
        if node.under is not None:
            return motion
        rig = cast("Rig", holder.id_data)
        loose = replace(node, parent=node_map.carrier_of(rig), rest=rests[rig.name][holder.name], under=node.parent)
        return motion._replace(node=loose, above=_same(left.get(loose.parent, np.eye(4)[None])))
    if node.parent is None or pose.decompose(motion.matrices())[3].max(initial=0.0) > pose.SHEAR:
        return motion
    return motion._replace(node=node_map.in_world(node), above=_same(node_map.root[None]))


# --- Tracks ---------------------------------------------------------------------------------------------------------


def _transforms(told: _Told, of_file: Collection[tuple[str, str]]) -> Iterator[_Channel]:
    """Yield location, rotation and scale of a node; none that rests as its parent carries it, but the file's own."""
    name, carried = told.node.name, told.node.under is None
    location, quaternion, scale = told.parts
    quaternion = quaternion * rotation.align_signs(quaternion)
    for address, values in ((clip.LOCATION, location), (clip.ROTATION, quaternion), (clip.SCALE, scale)):
        rest = np.array(clip.RESTING[address])[:, None]
        if not carried or (name, address) in of_file or np.abs(values - rest).max() > _still(values):
            yield _Channel(Driven(name, address, address, width=len(values)), values)


@dataclass(frozen=True)
class _Tolerances:
    """How far curves may be off samples."""

    node_map: NodeMap
    options: ExportOptions

    @property
    def share(self) -> float:
        """Part of the range of a property; 0 where samples are to be no curves."""
        return self.options.tolerance * self.options.curve_share

    def of(self, channel: _Channel) -> float:
        """Return how far a property may be off; a turn in radians.

        That is a part of its range, but where a thing goes far of no more than samples would be off; a bone's place may
        be off by a fifth of as much of the figure's size, as the bones of a chain add up. Turns and sizes may move what
        hangs on a node by three tenths. A number may be off by half, as its samples are as far off what is between.
        """
        driven, values = channel.driven, channel.values
        size = max(1.0, float(np.abs(values).max()))
        if driven.kind is TrackKind.TRANSFORM and driven.property != clip.LOCATION:
            whole = self.figure or self.node_map.levers[driven.node] or math.inf
            swing, least = min(self.options.swing, self.share * _SWING * whole), _LEAST_LEVER * self.figure
            return size * self.node_map.turn_within(driven.node, TURN * self.share, swing, least)
        seen = min(float(np.ptp(values, axis=1).max()), _FAR * size)
        seen = max(seen, _FAR * self.figure) if driven.kind is TrackKind.TRANSFORM else seen / 2
        return max(self.share * seen, _still(values))

    @cached_property
    def figure(self) -> float:
        """How far bones are from those above them at most, at rest."""
        bones = [node.name for node in self.node_map.nodes if node.kind is NodeKind.BONE]
        return max(map(self.node_map.levers.__getitem__, bones), default=0.0)


def _tracks(channels: Sequence[_Channel], frames: Array, span: Span, tolerances: _Tolerances) -> Steps[list[Track]]:
    """Return samples at `frames` (m,) as curves or lines, or all of them; what is no fraction as steps."""
    times = span.seconds(frames)
    curved: dict[tuple[bool, int], list[int]] = {}
    fits: dict[int, keys.Fitted] = {}
    for number, channel in enumerate(channels):
        if channel.driven.value_kind in (ValueKind.BOOL, ValueKind.INT):
            changes = np.append(True, (channel.values[:, 1:] != channel.values[:, :-1]).any(axis=0))
            fits[number] = keys.Fitted(np.flatnonzero(changes), clip.CONSTANT)
        elif tolerances.options.sampling == "BAKE":
            fits[number] = keys.Fitted(np.arange(len(times)), clip.LINEAR)
        elif tolerances.share:
            curved.setdefault((channel.turns, len(channel.values)), []).append(number)
        else:
            fits[number] = keys.Fitted(np.flatnonzero(_on_no_line(channel, times)), clip.LINEAR)
    # those of a kind as one curve, laid end to end
    most = max(1, _AT_ONCE // len(times))
    parts = [alike[begin : begin + most] for alike in curved.values() for begin in range(0, len(alike), most)]
    for done, part in enumerate(parts):
        some = [channels[number] for number in part]
        values, within = [channel.values for channel in some], [tolerances.of(channel) for channel in some]
        distance = rotation.distance if some[0].turns else keys.largest_difference
        steps = [
            _jumps(frames, each.values, allowed, distance)
            if each.driven.holder is not None
            else np.zeros(len(frames), bool)  # what matrices say moves on after each jump, and was held in pieces
            for each, allowed in zip(some, within)
        ]
        fits |= zip(part, keys.cubics(times, values, within, distance, steps=steps))
        yield (done + 1) / len(parts)
    return [row for number, channel in enumerate(channels) for row in _rows(channel, times, fits[number])]


def _jumps(frames: Array, values: Array, allowed: float, distance: keys.Distance) -> Array:
    """Return after which samples (m,) a curve jumps: in the finest interval, much faster than on both sides of it."""
    apart, moves = np.diff(frames), distance(values[:, 1:], values[:, :-1])
    speeds = np.pad(moves / apart, 1)
    beside = np.maximum(speeds[:-2], speeds[2:]) * apart
    return np.append((apart <= _FINEST) & (moves > np.maximum(2 * allowed, _OF_A_JUMP * beside)), False)


def _rows(channel: _Channel, times: Array, fitted: keys.Fitted) -> list[Track]:
    driven = channel.driven
    fields = {"handles": fitted.handles, "width": driven.width, **driven.kinds}
    times, values = times[fitted.kept], channel.values[:, fitted.kept]
    block = Track.sampled(driven.node, driven.property, times, values, fitted.shapes, **fields)
    shapes = block.interpolation
    # what stays level until it jumps is held from the first sample on
    level = (values[:, 1:] == values[:, :-1]).all(axis=0) & (shapes[:-1] == clip.LINEAR) & (shapes[1:] == clip.CONSTANT)
    if level.any():
        block = replace(block, interpolation=np.where(np.append(level, False), clip.CONSTANT, shapes))
        block = block.take(np.append(True, ~level))
    return block.rows()


def _on_no_line(channel: _Channel, times: Array) -> Array:
    """Return which samples (m,) at `times` lines between them need."""
    values = channel.values
    if channel.turns:
        return keys.lines(times, values, ANGLE_TOLERANCE, rotation.distance)
    return keys.lines(times, values, max(VALUE_TOLERANCE * float(np.ptp(values, axis=1).max()), _still(values)))


def _still(values: Array) -> float:
    return _STILL * max(1.0, float(np.abs(values).max()))
