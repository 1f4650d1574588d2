"""What Blender shows of a captured clip's nodes at some moments, whatever the capture made of the scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from bpy.types import ID, Camera, FModifierCycles, Light, Mesh, Object, Scene

from ..io_formats.clip import CONSTANT, HIDE, PICTURE, TRANSFORMS, Array, Clip, Track, TrackKind, curve, pose
from ..io_formats.files.steps import Steps, portion, running
from . import fcurves
from .actions import FRAME_LIMIT
from .capture import bake, influences
from .capture.driven import Driven, is_muted
from .capture.influences import TRANSFORM_PATHS
from .capture.nodes import world_of
from .capture.players import datablocks_of, with_parents
from .data_paths import bone_path, custom_path, shape_key_path
from .undo import leads_somewhere, value_at
from .visibility import SEEN

if TYPE_CHECKING:
    from .capture.capture import Captured

_Animating: TypeAlias = Mapping[ID, Sequence[influences.Value]]
_HIDDEN = "hide_viewport"
_CURVES, _ROUNDS = 50, 1000
"""Curves of which keys are looked up, where there are more, and rounds of one that repeats."""
_VERTICES = 200
"""Vertices of a mesh that cost as much as a bone."""


@dataclass(frozen=True)
class Value:
    """A property that is no transform and has a place in the file: `path` of a datablock of an object, or PICTURE of a
    camera object."""

    owner: ID
    thing: Object
    path: str
    driven: Driven


@dataclass(frozen=True)
class Seen:
    """What was shown at `moments` (m,), ascending, in seconds of the clip.

    Attributes:
        names: of n nodes.
        worlds: (m, n, 4, 4) float64, in the space of the clip's root.
        counts: (m, n) bool: Blender evaluated it, as it was not hidden.
        on_frames: (m,) bool: the moment is a whole frame of the scene.
        root: (m, 4, 4) where that is which is taken for the clip's root, and should stand still.
        values: numbers (m, width) of properties.
    """

    moments: Array
    names: list[str]
    worlds: Array
    counts: Array
    on_frames: Array
    root: Array
    values: list[tuple[Value, Array]]

    def part(self, chosen: Array) -> Seen:
        """Return what was shown at some of the moments, (m,) bool."""
        arrays = {name: getattr(self, name)[chosen] for name in ("moments", "worlds", "counts", "on_frames", "root")}
        return replace(self, values=[(value, numbers[chosen]) for value, numbers in self.values], **arrays)

    def tracks(self) -> list[Track]:
        """Return the properties as tracks with a key at each moment, in the order of `values`."""
        times, found = self.moments, [(value.driven, numbers.T) for value, numbers in self.values]
        return [Track.sampled(of.node, of.property, times, rows, CONSTANT, **of.kinds) for of, rows in found]

    def fitted(self, clip: Clip, onto: Callable[[Clip], Clip]) -> Seen:
        """Return the same of the nodes of a file, onto which clips such as `clip`, of which this was seen, are put."""
        seen, tracks = dict(zip(self.names, self.worlds.swapaxes(0, 1))), []
        for node in clip.nodes:
            if node.name in seen:
                above = seen.get(node.parent or "", np.asarray(clip.root)[None])
                space = pose.inverse(pose.product(above, np.asarray(node.rest)))
                parts = pose.decompose(pose.product(space, seen[node.name]))
                tracks += [Track.sampled(node.name, name, self.moments, part) for name, part in zip(TRANSFORMS, parts)]
        found = onto(replace(clip, tracks=tracks))
        chains, shape = pose.Chains(found), (len(self.moments), 4, 4)
        names = [node.name for node in found.nodes]
        worlds = np.stack([np.broadcast_to(chains.world(name, self.moments), shape) for name in names], axis=1)
        counts = np.repeat(np.logical_and.reduce(self.counts, axis=1)[:, None], len(names), axis=1)
        return replace(self, names=names, worlds=worlds, counts=counts)


def weight(scene: Scene) -> float:
    """Return how much Blender evaluates to show a moment: as much as so many bones cost, however fast a machine is."""
    vertices = sum(len(thing.data.vertices) for thing in scene.objects if isinstance(thing.data, Mesh))
    return sum(1 + len(thing.pose.bones if thing.pose else ()) for thing in scene.objects) + vertices / _VERTICES


def keys_and_breaks(captured: Captured) -> tuple[Array, Array]:
    """Return seconds (n,) within the clip, ascending, at which curves have keys, or what plays may break, (n,) bool.

    That is at steps, where a curve begins again, and where strips end.
    """
    captured.snapshot.require()  # as curves may have been removed while the file was played
    participants, span, found = captured.capture.participants, captured.capture.span, [np.empty((2, 0))]
    curves = [played for player in participants.players for played in player.curves]
    blended = (player.owner for player in participants.players if participants.nla_decides(player.owner))
    edges = [edge for owner in blended for ends in influences.strip_ranges(owner) for edge in ends]
    for played in curves[:: 1 + len(curves) // _CURVES]:
        if isinstance(played, fcurves.StripCurve):
            edges += [edge for piece in played.pieces for edge in (piece.first, piece.last)]
            continue
        block = fcurves.read(played).block
        frames = block.frames
        found.append(np.stack((frames, np.roll(block.interpolation == CONSTANT, 1))))
        cycles = next((each for each in played.modifiers if isinstance(each, FModifierCycles)), None)
        if cycles is not None and len(frames):
            length = float(np.ptp(frames)) or FRAME_LIMIT
            rounds = np.clip((np.array([span.first, span.last]) - frames[0]) // length, -_ROUNDS, _ROUNDS)
            edges += [float(frames[0] + number * length) for number in range(int(rounds[0]), int(rounds[1]) + 1)]
    frames, breaks = np.concatenate((*found, np.stack((edges, np.ones(len(edges))))), axis=1)
    known, at = np.unique(frames, return_inverse=True)
    inside = (known > span.first) & (known < span.last)
    return captured.moments(known[inside]), (np.bincount(at, breaks, len(known)) > 0)[inside]


def look_at(captured: Captured, moments: Array) -> Steps[Seen]:
    """Show the scene at moments (m,), ascending, in seconds of the clip; all is as it was afterwards."""
    captured.snapshot.require()  # before Actions are made to play whose curves or slots were removed meanwhile
    return (yield from portion(running(_look(captured, moments), resumed=captured.snapshot.require_bones)))


def _look(captured: Captured, moments: Array) -> Steps[Seen]:
    capture, frames, values = captured.capture, captured.frames(moments), _values(captured)
    rigs = capture.participants.rigs
    things = list(dict.fromkeys([*rigs, *captured.node_map.things]))
    read_too = [(value.owner, value.path) for value in values]
    wanted = bake.Wanted(rigs, things, [*((thing, _HIDDEN) for thing in things), *read_too])
    with bake.reading(capture, wanted) as show:
        read = yield from show(frames)
    return _seen(captured, values, moments, frames, read)


def _values(captured: Captured) -> list[Value]:
    """Return the properties of all nodes that no two addresses share, what is animated first."""
    participants, animating = captured.capture.participants, captured.ledger.animated
    chosen = [thing for thing in participants.objects if thing not in participants.supports]
    keyed = {(player.owner, each.data_path) for player in participants.players for each in player.curves}
    animated = [(owner, thing, path) for thing in chosen for owner, path in _animated(animating, thing)]
    # a camera's or light's own keys before the custom property of an import, which sets nothing then
    animated.sort(key=lambda each: each[0] == each[1] or (each[0], each[2]) not in keyed)
    resting = [(owner, thing, path) for thing in chosen for owner, path in _paths(thing)]
    left_out = {each for player in participants.players if player.origin for each in player.origin.left_out}
    moving, found = list[tuple[ID, Object, str]](animated), dict[tuple[str, str, str], Value]()
    # what hides meshes on bones, as it is found: that with keys decides, see `_KeyReader.hidden_with_meshes`
    for mesh in sorted(participants.meshes, key=lambda mesh: not mesh.curves):
        hiding = {path for path, _ in animating[mesh.thing]} if mesh.curves or not participants.solo else set()
        moving += [(mesh.thing, mesh.thing, path) for path in SEEN if path in hiding]
    for owner, thing, path in (*moving, *resting):
        driven = captured.finder.find(owner, thing, path)
        if driven is None or driven.kind is TrackKind.TRANSFORM or not leads_somewhere(owner, path):
            continue
        key = (driven.node, driven.kind.name, driven.property)
        is_files = key in left_out and (owner, thing, path) not in moving  # the file's own channel plays there
        if not is_files and not isinstance(value_at(owner, path), str):  # a text is no number, but where it is kept
            found.setdefault(key, Value(owner, thing, path, driven))
    cameras = {value.driven.node: value for value in found.values() if isinstance(value.owner, Camera)}.values()
    pictures = [replace(value.driven, address=PICTURE, property=PICTURE, width=2) for value in cameras]
    views = [Value(value.thing, value.thing, PICTURE, driven) for value, driven in zip(cameras, pictures, strict=True)]
    return [*found.values(), *views]


def _seen(captured: Captured, values: Sequence[Value], moments: Array, frames: Array, read: bake.Baked) -> Seen:
    capture, node_map, count = captured.capture, captured.node_map, len(moments)
    naming, there = node_map.naming, {node.name for node in captured.clip.nodes}
    posed = [(node, rig, bone) for rig in capture.participants.rigs for bone, node in naming.bones[rig.name].items()]
    objects = [(naming.objects[thing.name], thing, "") for thing in node_map.things]
    places = [place for place in (*posed, *objects) if place[0] in there]
    hidden = dict(zip(read.worlds, (numbers[:, 0] > 0 for numbers in read.values)))
    numbers = list(zip(values, read.values[len(hidden) :], strict=True))
    local, root_rig = capture.options.space == "LOCAL", node_map.root_rig
    bones = {rig.name: {bone.name: at for at, bone in enumerate(rig.pose.bones)} for rig in capture.participants.rigs}
    stands = [read.worlds[thing.name] for _, thing, _ in places]
    still = np.broadcast_to(np.eye(4), (count, 4, 4))
    poses = [read.poses[thing.name][:, bones[thing.name][bone]] if bone else still for _, thing, bone in places]
    worlds = pose.product(np.stack(stands, axis=1), np.stack(poses, axis=1)) if stands else np.empty((count, 0, 4, 4))
    stood = None if root_rig is None else read.worlds[root_rig.name] if local else world_of(root_rig)[None]
    # a file's motion may play where an armature stood at its import
    if stood is not None and (local or not np.allclose(stood[0], node_map.root, rtol=1e-6, atol=1e-6)):
        back = pose.product(node_map.root[None], pose.inverse(stood))
        below = [at for at, (_, thing, _) in enumerate(places) if root_rig in with_parents(thing)]
        worlds[:, below] = pose.product(back[:, None], worlds[:, below])
    usable = np.isfinite(worlds).all(axis=(-2, -1))  # what is no number is nowhere, and is told as that
    worlds[~usable] = np.eye(4)
    shown = np.array([~hidden[thing.name] for _, thing, _ in places], bool).reshape(-1, count).T & usable
    timeline = capture.timeline(frames)
    on_frames = np.abs(timeline - np.rint(timeline)) <= curve.ON_FRAME
    root = still if root_rig is None or local else read.worlds[root_rig.name]
    return Seen(moments, [node for node, _, _ in places], worlds, shown, on_frames, root, numbers)


def _holds_numbers(value: object) -> bool:
    return isinstance(value, bool | int | float) or hasattr(value, "to_list")


def _animated(animating: _Animating, thing: Object) -> Iterator[tuple[ID, str]]:
    """Yield what is animated of an object and no transform, as datablock and path.

    Of what hides the first decides: in the viewport, in renders, bones.
    """
    for owner in datablocks_of(thing):
        paths = dict.fromkeys(path for path, _ in animating[owner] if path.rpartition(".")[2] not in TRANSFORM_PATHS)
        ranked = sorted(paths, key=lambda path: (path.endswith(HIDE), path == SEEN[1]))
        yield from ((owner, path) for path in ranked if not is_muted(owner, path))


def _paths(thing: Object) -> Iterator[tuple[ID, str]]:
    yield from ((thing, custom_path(key)) for key, value in thing.items() if _holds_numbers(value))
    yield from ((thing, path) for path in (_HIDDEN, "hide_render"))
    for bone in thing.pose.bones if thing.pose is not None else ():
        keys = (key for key, value in bone.items() if _holds_numbers(value))
        yield from ((thing, bone_path(bone.name, custom_path(key))) for key in keys)
    shapes = getattr(thing.data, "shape_keys", None)
    shown = (shape for shape in shapes.key_blocks[1:] if not shape.mute) if shapes is not None else ()
    yield from ((shapes, shape_key_path(shape.name)) for shape in shown)
    if isinstance(thing.data, Camera | Light):
        numbers = (each for each in thing.data.bl_rna.properties if each.type in ("FLOAT", "INT", "BOOLEAN"))
        yield from ((thing.data, each.identifier) for each in numbers if each.is_animatable)
