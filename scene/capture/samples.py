"""Evaluated poses as tracks: matrices taken apart, and no more keys than curves need that follow the samples.

What location, rotation and scale lose of shear is told, with where that puts what hangs on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import cast

import numpy as np
from bpy.types import Object

from ...io_formats.clip import (
    CONSTANT,
    LINEAR,
    LOCATION,
    RESTING,
    ROTATION,
    SCALE,
    Array,
    Clip,
    Node,
    NodeKind,
    Track,
    TrackKind,
    ValueKind,
    keys,
    pose,
)
from ...io_formats.clip import quaternion as rotation
from ...io_formats.clip.measure import measured
from ...io_formats.files.steps import Steps, portion
from ...io_formats.scene_options import ExportOptions
from .. import armatures, messages
from ..types import Holder, Rig
from . import bake
from .curve_tracks import ANGLE_TOLERANCE, VALUE_TOLERANCE
from .driven import Driven, is_bone
from .nodes import NodeMap
from .plan import Plan
from .timing import STEPS, Capture

_JUMP = 2.0
"""Half way between two samples, where it is measured, a line is off a jump by half of what it is off beside it."""

_FIRST = 0.6
"""Share of the reading that is done when all frames were read once."""

_TURN = math.radians(0.01) / 1e-4
"""Radians that a turn may be off, for each part of a range that other values may be off."""

_FAR = 0.2
"""Part of the size of a property's values beyond which a larger range allows no more."""

_STILL = 1e-6
"""Movements smaller than this, as part of the size of the values, are rounding."""


@dataclass(frozen=True)
class Sampled:
    """What was read from the evaluated scene.

    Attributes:
        node_map: the nodes; those whose parents' sizes would shear them hang on the armature, or on nothing.
        tracks: of all that moves.
        channels: how many properties these are.
    """

    node_map: NodeMap
    tracks: list[Track]
    channels: int


@dataclass(frozen=True)
class _Channel:
    """Samples (components, m) of one property."""

    driven: Driven
    values: Array


@dataclass(frozen=True)
class _Motion:
    """What was read of one bone or object.

    Attributes:
        holder: the pose bone or object.
        space: (m or 1, 4, 4) where the node's basis begins.
        matrices: (m, 4, 4) its poses, bones in armature space and objects in the world.
    """

    holder: Holder
    node: Node
    space: Array
    matrices: Array

    @property
    def basis(self) -> Array:
        """(m, 4, 4) the moves away from the node's rest."""
        return pose.product(pose.inverse(self.space), self.matrices)


def sampled(capture: Capture, plan: Plan, keyed: Sequence[Track]) -> Steps[Sampled]:
    """Read what the plan says, frame by frame and finer where something moves fast; the rest is reported.

    Args:
        keyed: the tracks of what is not sampled.
    """
    wanted = plan.wanted(capture.participants.rigs)
    if not wanted:
        return Sampled(plan.node_map, [], 0)
    read = yield from _read(capture, plan, wanted)
    motions = _told(plan, wanted, read, capture.options)
    channels = [channel for motion in motions for channel in _transforms(motion)]
    channels += [_Channel(value.driven, rows.T) for value, rows in zip(plan.values.values(), read.values)]
    times = capture.span.seconds(read.frames)
    tolerances = _Tolerances(plan.node_map, capture.options)
    tracks = [track for channel in channels for track in _tracks(channel, times, tolerances)]
    _tell_counts(capture, tracks, len(channels), len(times))
    node_map = _with_nodes(plan.node_map, motions)
    moves = {motion.node.name: motion.basis for motion in motions}
    _tell_shear(capture, replace(plan, node_map=node_map), moves, read, [*keyed, *tracks])
    return Sampled(node_map, tracks, len(channels))


def _tell_counts(capture: Capture, tracks: Sequence[Track], channels: int, samples: int) -> None:
    """Note how many keys came of how many samples."""
    keys = Clip("", tracks=list(tracks)).key_count
    capture.report.note(messages.SAMPLES_FOLLOWED, keys=keys, samples=channels * samples, channels=channels)


# --- Reading --------------------------------------------------------------------------------------------------------


def _read(capture: Capture, plan: Plan, wanted: bake.Wanted) -> Steps[bake.Baked]:
    """Play the clip's frames, and those between them where lines would miss what is seen, unless all are asked for."""
    forced = capture.options.sampling == "BAKE"
    frames = capture.span.samples(steps=1 if forced else STEPS)
    with bake.reading(
        capture.context, wanted, capture.participants.alone_playing(), shift=capture.participants.shift
    ) as read:
        first = yield from portion(read(frames), last=1.0 if forced else _FIRST)
        if forced:
            return first
        told = replace(plan, node_map=_with_nodes(plan.node_map, _told(plan, wanted, first, capture.options)))

        def look(at: Array) -> Steps[tuple[bake.Baked, list[bake.Channel]]]:
            found = yield from read(at)
            return found, _looked(told, wanted, found)

        further, left = yield from portion(bake.sample(frames, _looked(told, wanted, first), look), _FIRST)
    for (name, moved), error in left.items():
        capture.report.warn(messages.CAPTURE_COARSE, name=name, error=measured(moved, _JUMP * error))
    return bake.joined([first, *further])


def _looked(plan: Plan, wanted: bake.Wanted, read: bake.Baked) -> list[bake.Channel]:
    """Return what is read as it is told: by location, rotation and scale."""
    motions = _motions(plan, wanted, read)
    found = [channel for motion in motions for channel in bake.of_matrices(motion.node.name, motion.basis)]
    values = zip(plan.values.values(), read.values)
    return found + [bake.of_values(value.driven.node, rows.T) for value, rows in values]


# --- Bones and objects ----------------------------------------------------------------------------------------------


def _motions(plan: Plan, wanted: bake.Wanted, read: bake.Baked) -> Iterator[_Motion]:
    """Yield what was read of the bones that the plan names, then of its objects."""
    for rig in wanted.rigs:
        yield from _motions_of_bones(plan, rig, read.poses[rig.name])
    for thing in wanted.objects:
        node = plan.node_map.node_of(thing)
        above = plan.node_map.root[None] if node.parent is None else read.spaces[thing.name]
        yield _Motion(thing, node, pose.product(above, node.rest), read.worlds[thing.name])


def _told(plan: Plan, wanted: bake.Wanted, read: bake.Baked, options: ExportOptions) -> list[_Motion]:
    """Return what was read, relative to where location, rotation and scale can say it.

    Where they cannot, what is below a bone is relative to where they leave that.
    """
    rests = {rig.name: armatures.rest_matrices(rig) for rig in wanted.rigs}
    left: dict[str | None, Array] = {}
    found: list[_Motion] = []
    for motion in _motions(plan, wanted, read):
        if motion.node.parent in left and is_bone(motion.holder):
            motion = replace(motion, space=pose.product(left[motion.node.parent], motion.node.rest))
        if pose.is_sheared(motion.basis) and not options.keeps_parents:
            motion = _loose(plan.node_map, motion, rests)
        if pose.is_sheared(motion.basis):
            left[motion.node.name] = pose.product(motion.space, pose.compose(*pose.decompose(motion.basis)[:3]))
        found.append(motion)
    return found


def _with_nodes(node_map: NodeMap, motions: list[_Motion]) -> NodeMap:
    return node_map.with_nodes({motion.node.name: motion.node for motion in motions})


def _motions_of_bones(plan: Plan, rig: Object, poses: Array) -> Iterator[_Motion]:
    """Yield what was read of an armature's bones from the poses (m, bones, 4, 4) of all, in armature space."""
    naming, nodes = plan.node_map.naming.bones[rig.name], {node.name: node for node in plan.node_map.nodes}
    index = {bone.name: number for number, bone in enumerate(rig.pose.bones)}
    for bone in rig.pose.bones:
        if bone.name in plan.posed[rig.name]:
            node = nodes[naming[bone.name]]
            space = node.rest[None]
            above = armatures.parent_among(bone, naming)
            if above is not None and node.parent == naming[above.name]:
                space = pose.product(poses[:, index[above.name]], node.rest)
            yield _Motion(bone, node, space, poses[:, index[bone.name]])


def _loose(node_map: NodeMap, motion: _Motion, rests: Mapping[str, Mapping[str, Array]]) -> _Motion:
    """Return a motion relative to the armature, or an object's in the world, unless that is sheared itself.

    Args:
        rests: of each armature's bones, in armature space.
    """
    holder, node = motion.holder, motion.node
    if is_bone(holder):
        rig = cast("Rig", holder.id_data)
        loose = replace(node, parent=node_map.carrier_of(rig), rest=rests[rig.name][holder.name], under=node.parent)
        return replace(motion, node=loose, space=loose.rest[None])
    if node.parent is None or pose.is_sheared(motion.matrices):
        return motion
    loose = node_map.in_world(node)
    return replace(motion, node=loose, space=pose.product(node_map.root[None], loose.rest))


# --- What cannot be told --------------------------------------------------------------------------------------------


def _tell_shear(
    capture: Capture, plan: Plan, moves: Mapping[str, Array], read: bake.Baked, tracks: list[Track]
) -> None:
    """Warn of what location, rotation and scale cannot say, with how far what hangs on it is misplaced by that.

    Args:
        plan: its stage has the nodes as they are told.
        moves: (m, 4, 4) of what is sampled, away from its rest, by node.
        tracks: of all that moves.
    """
    crooked = [name for name, matrices in moves.items() if pose.is_sheared(matrices)]
    if crooked:
        node_map = plan.node_map
        told = pose.Chains(Clip("", root=node_map.root, nodes=node_map.nodes, tracks=tracks))
        worlds = partial(told.world, times=capture.span.seconds(read.frames))
        seen = _seen_worlds(capture, plan, read, worlds)
        pose.warn_of_shear(node_map.nodes, crooked, seen.__getitem__, worlds, capture.report)


def _seen_worlds(capture: Capture, plan: Plan, read: bake.Baked, told: pose.Worlds) -> dict[str, Array]:
    """Return the world matrices (m, 4, 4) of all nodes as they were read; of those that were not, as they hang."""
    naming = plan.node_map.naming
    seen = {naming.objects[thing.name]: read.worlds[thing.name] for thing in plan.objects}
    for rig in capture.participants.rigs:
        carrier, nodes = plan.node_map.carrier_of(rig), naming.bones[rig.name]
        world = told(carrier) if carrier is None or carrier not in seen else seen[carrier]
        for number, bone in enumerate(rig.pose.bones if rig.name in read.poses else ()):
            if bone.name in nodes:
                seen[nodes[bone.name]] = pose.product(world, read.poses[rig.name][:, number])
    for node in plan.node_map.nodes:
        if node.name not in seen:
            own, above = told(node.name), node.parent
            local = pose.product(pose.inverse(told(above)), own)
            seen[node.name] = own if above is None else pose.product(seen[above], local)
    return seen


# --- Tracks ---------------------------------------------------------------------------------------------------------


def _transforms(motion: _Motion) -> Iterator[_Channel]:
    """Yield location, rotation and scale of a motion; none that rests throughout where its parent carries it along."""
    name, carried = motion.node.name, motion.node.under is None
    location, quaternion, scale, _ = pose.decompose(motion.basis)
    quaternion = quaternion * rotation.align_signs(quaternion)
    for address, values in ((LOCATION, location), (ROTATION, quaternion), (SCALE, scale)):
        rest = np.array(RESTING[address])[:, None]
        if not carried or np.abs(values - rest).max() > _still(values):
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

    def turn(self, node: str) -> float:
        """Return the radians that a turn of a node may be off."""
        return self.node_map.turn_within(node, _TURN * self.share, self.options.swing)

    def value(self, channel: _Channel) -> float:
        """Return how far any other property may be off.

        That is a part of its range, but where a thing goes far of no more than samples would be off; a bone's place may
        be off by as much of the figure's size, a scale by as much of itself.
        """
        values = channel.values
        spread, size = float(np.ptp(values, axis=1).max()), max(1.0, float(np.abs(values).max()))
        seen = min(spread, _FAR * size)
        if channel.driven.kind is TrackKind.TRANSFORM:
            seen = max(seen, size if channel.driven.property == SCALE else _FAR * self.figure)
        return max(self.share * seen, _still(values))

    @cached_property
    def figure(self) -> float:
        """How far bones are from those above them at most, at rest."""
        bones = [node.name for node in self.node_map.nodes if node.kind is NodeKind.BONE]
        return max(map(self.node_map.levers.__getitem__, bones), default=0.0)


def _tracks(channel: _Channel, times: Array, tolerances: _Tolerances) -> list[Track]:
    """Return samples at `times` (m,) as curves or lines, or all of them; what is no fraction as steps."""
    driven, values = channel.driven, channel.values
    if driven.value_kind in (ValueKind.BOOL, ValueKind.INT):
        fitted = keys.unchanged(np.flatnonzero(_changes(values)), CONSTANT)
    elif tolerances.options.sampling == "BAKE":
        fitted = keys.unchanged(np.arange(len(times)), LINEAR)
    elif tolerances.share:
        fitted = _fewest(channel, times, tolerances)
    else:
        fitted = keys.unchanged(np.flatnonzero(_on_no_line(channel, times)), LINEAR)
    block = Track.sampled(
        driven.node,
        driven.property,
        times[fitted.kept],
        values[:, fitted.kept],
        fitted.shapes,
        handles=fitted.handles,
        width=driven.width,
        value_kind=driven.value_kind,
        kind=driven.kind,
    )
    return block.rows()


def _changes(values: Array) -> Array:
    """Return which samples (m,) of values (components, m) are not those before them."""
    return np.append(True, (values[:, 1:] != values[:, :-1]).any(axis=0))


def _on_no_line(channel: _Channel, times: Array) -> Array:
    """Return which samples (m,) at `times` lines between them need."""
    values = channel.values
    if _turns(channel):
        return keys.lines(times, values, ANGLE_TOLERANCE, rotation.distance)
    spread = float(np.ptp(values, axis=1).max())
    return keys.lines(times, values, max(VALUE_TOLERANCE * spread, _still(values)))


def _turns(channel: _Channel) -> bool:
    return channel.driven.property == ROTATION and channel.driven.kind is TrackKind.TRANSFORM


def _fewest(channel: _Channel, times: Array, tolerances: _Tolerances) -> keys.Fitted:
    """Return the keys of the fewest cubics that follow the samples (m,) at `times`."""
    values = channel.values
    if _turns(channel):
        return keys.cubics(times, values, tolerances.turn(channel.driven.node), rotation.distance)
    return keys.cubics(times, values, tolerances.value(channel))


def _still(values: Array) -> float:
    return _STILL * max(1.0, float(np.abs(values).max()))
