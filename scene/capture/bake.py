"""Evaluated poses, frame by frame: the last resort, where constraints, drivers or NLA decide what plays."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import bpy
import numpy as np
from bpy.app.handlers import depsgraph_update_post, depsgraph_update_pre, frame_change_post, frame_change_pre
from bpy.types import ID, Action, Collection, Context, Depsgraph, FCurve, Key, Object

from ...io_formats.clip import PICTURE, ROTATION, Array, quaternion
from ...io_formats.errors import FormatError
from ...io_formats.files.memory import reckon
from ...io_formats.files.steps import Steps, portion
from .. import actions, armatures, data_paths, fcurves, visibility
from ..types import Rig, Slot, is_rig
from ..undo import Undo, is_there, value_at
from .influences import all_assigned, all_playing
from .nodes import move_object

if TYPE_CHECKING:
    from .players import Participants, Player
    from .timing import Capture

_PAUSE = 0.1
"""Seconds between two steps at least: each looks whether all bones are still there."""

_LEAST_SECONDS = 1e-4
"""That Blender takes for a frame at least, whatever it evaluates there."""

_BONE, _PLACE = 64, 128
"""Bytes of what is read of a bone, and of an object, on a frame."""


_HEARD = frame_change_pre, frame_change_post, depsgraph_update_pre, depsgraph_update_post
"""What other add-ons do at each frame may have removed or renamed anything."""


class Wanted(NamedTuple):
    """What to read at each frame.

    Attributes:
        rigs: armature objects whose bones are read.
        objects: objects whose world matrix is read.
        values: (owner, data path) of numbers or arrays that are read, and (camera object, PICTURE).
        spaces: what objects hang on, by their names: an object and the name of its bone, or none.
        curves: those that alone decide on some of `values`.
    """

    rigs: list[Rig]
    objects: list[Object]
    values: list[tuple[ID, str]]
    spaces: Mapping[str, tuple[Object, str]] = MappingProxyType({})
    curves: Mapping[tuple[ID, str], Sequence[FCurve]] = MappingProxyType({})

    @property
    def needs_scene(self) -> bool:
        """Whether something is read that curves alone do not decide on."""
        return bool(self.rigs or self.objects) or not self.curves.keys() >= set(self.values)


class Baked(NamedTuple):
    """What was read, at `frames` (m,).

    Attributes:
        poses: (m, bones, 4, 4) float32, as there are many, in armature space, in the order of the pose's bones, by the
            rig's name.
        worlds: (m, 4, 4) float64 by the object's name.
        values: (m, width) float64, one for each of `Wanted.values`.
        spaces: (m, 4, 4) float64, the world matrices of `Wanted.spaces`, by the same names.
    """

    frames: Array
    poses: dict[str, Array]
    worlds: dict[str, Array]
    values: list[Array]
    spaces: dict[str, Array]

    def take(self, at: Array) -> Baked:
        """Return what was read at some of the frames, by their numbers (k,)."""
        named = self.poses, self.worlds, self.spaces
        poses, worlds, spaces = ({name: found[at] for name, found in each.items()} for each in named)
        return Baked(self.frames[at], poses, worlds, [found[at] for found in self.values], spaces)


@contextmanager
def reading(capture: Capture, wanted: Wanted) -> Iterator[Callable[[Array], Steps[Baked]]]:
    """Play frames (m,), which may lie between whole ones, and read what is wanted; the scene is left as it was.

    Frames are of the animation; the scene's time stretching is taken into account. An Action that is to play alone does
    so without NLA, instead of what is assigned, also to what of its objects it does not move.
    """
    participants, owners = capture.participants, {owner for owner, _ in wanted.values}
    holders = (each.thing for each in participants.players if each.owner in owners)
    shown = dict.fromkeys([*wanted.rigs, *wanted.objects, *holders])
    for changed in {*bpy.data.actions, *shown, *owners}:
        changed.update_tag()  # of what a script did to curves and properties Blender learns only so
    with ExitStack() as stack:
        alone = [one for one in participants.players if participants.solo and one.thing not in participants.supports]
        alone = [player for player in alone if player.action or actions.animation_data(player.owner)]
        for player in alone:
            stack.enter_context(_without_left_over(player, participants))
        for player in alone:
            stack.enter_context(_playing(player.owner, player.action, player.slot))
        stack.enter_context(_shown(capture, wanted, shown))
        stack.enter_context(_same_frame(capture.context))
        yield partial(_read, capture, wanted)


def joined(parts: Sequence[Baked]) -> Baked:
    """Return what was read at different times, by frames."""
    frames = np.concatenate([part.frames for part in parts])
    order = np.argsort(frames)
    places = np.split(np.argsort(order), np.cumsum([len(part.frames) for part in parts])[:-1])

    def merged(rows: Sequence[Array]) -> Array:
        whole = np.empty((len(frames), *rows[0].shape[1:]), rows[0].dtype)
        for place, own in zip(places, rows):
            whole[place] = own  # copied once, as poses are most of what an export holds
        return whole

    named = zip(*((part.poses, part.worlds, part.spaces) for part in parts))
    poses, worlds, spaces = ({name: merged([each[name] for each in some]) for name in some[0]} for some in named)
    return Baked(frames[order], poses, worlds, [merged(rows) for rows in zip(*(part.values for part in parts))], spaces)


def _read(capture: Capture, wanted: Wanted, frames: Array) -> Steps[Baked]:
    bones, others = sum(len(rig.pose.bones) for rig in wanted.rigs), len(wanted.objects) + len(wanted.spaces)
    reckon(size=len(frames) * (_BONE * bones + _PLACE * others), seconds=len(frames) * _LEAST_SECONDS)
    poses = {rig.name: np.empty((len(frames), len(rig.pose.bones), 16), np.float32) for rig in wanted.rigs}
    worlds = {thing.name: np.empty((len(frames), 4, 4)) for thing in wanted.objects}
    values: list[list[float | list[float]]] = [[] for _ in wanted.values]
    spaces = {name: np.empty((len(frames), 4, 4)) for name in wanted.spaces}
    due, shown = 0.0, capture.timeline(frames if wanted.needs_scene else frames[:1])
    animated = {path for thing in (*wanted.rigs, *wanted.objects) for path, _ in capture.participants.animated(thing)}
    settles = any(path.endswith("rotation_mode") for path in animated)  # only when shown again is the turn the mode's
    for number, frame in enumerate(shown.tolist()):
        whole = int(np.floor(frame))
        for _ in range(1 + settles):
            capture.context.scene.frame_set(whole, subframe=frame - whole)
        depsgraph = capture.context.evaluated_depsgraph_get()
        if any(_HEARD):
            capture.require()
        for rig in wanted.rigs:
            rig.evaluated_get(depsgraph).pose.bones.foreach_get("matrix", poses[rig.name][number].reshape(-1))
        for thing in wanted.objects:
            worlds[thing.name][number] = np.array(thing.evaluated_get(depsgraph).matrix_world)
        for name, (above, bone) in wanted.spaces.items():
            thing = above.evaluated_get(depsgraph)
            world = thing.matrix_world @ thing.pose.bones[bone].matrix if bone else thing.matrix_world
            spaces[name][number] = np.array(world)
        for (owner, path), read in zip(wanted.values, values):
            read.append(_shown_value(owner.evaluated_get(depsgraph), path, depsgraph))
        if time.perf_counter() > due:
            yield (number + 1) / len(frames)
            due = time.perf_counter() + _PAUSE
    played = yield from _played(values, wanted, len(shown), frames)
    # Blender keeps matrices by columns
    by_rows = {name: flat.reshape(*flat.shape[:2], 4, 4).swapaxes(2, 3) for name, flat in poses.items()}
    return Baked(frames, by_rows, worlds, played, spaces)


def _played(
    values: Sequence[list[float | list[float]]], wanted: Wanted, shown: int, frames: Array
) -> Steps[list[Array]]:
    """Return numbers at frames (m,): as read of all that are `shown`, else what is without a curve as read of one."""
    found = []
    for read, at in zip(values, wanted.values):
        rows = np.array(read, np.float64).reshape(shown, -1)
        if shown < len(frames):
            rows = np.repeat(rows[:1], len(frames), axis=0)
            for curve in wanted.curves[at]:
                rows[:, curve.array_index] = fcurves.evaluate(curve, frames)
                yield 1.0  # of long curves that takes its time
        found.append(rows)
    return found


def _value(owner: ID, path: str) -> float | list[float]:
    found = value_at(owner, path)
    value: float | list[float] = found[:] if hasattr(found, "__getitem__") else found
    return value


def _shown_value(owner: ID, path: str, depsgraph: Depsgraph) -> float | list[float]:
    shape = data_paths.shape_key(path)
    if shape is not None and isinstance(owner, Key) and owner.key_blocks[shape].mute:
        return 0.0
    if path != PICTURE or not isinstance(owner, Object):
        return _value(owner, path)
    render = depsgraph.scene.render
    x, y, wide, high = render.resolution_x, render.resolution_y, render.pixel_aspect_x, render.pixel_aspect_y
    seen = owner.calc_matrix_camera(depsgraph, x=x, y=y, scale_x=wide, scale_y=high)
    half = 1.0 / seen[1][1] if seen[1][1] else math.nan  # of no depth between its clips nothing is seen
    return [math.nan, half] if seen[3][3] else [half, math.nan]


@contextmanager
def _same_frame(context: Context) -> Iterator[None]:
    """Show the same frame, selection and values after the block as before.

    Blender deselects what its own animation hides on the way, and puts what was set without a key where its keys say.
    """
    scene, selected = context.scene, list(context.view_layer.objects.selected)
    frame, subframe = scene.frame_current, scene.frame_subframe
    before = list(_animated_values())
    try:
        yield
    finally:
        if is_there(scene):
            scene.frame_set(frame, subframe=subframe)
        for owner, path, value in before:
            with suppress(FormatError, ReferenceError, AttributeError, TypeError):  # gone, or nothing that can be set
                if _value(owner, path) != value:
                    _set_again(owner, path, value)
        for thing in {*context.view_layer.objects}.intersection(selected):
            thing.select_set(True)


def _animated_values() -> Iterator[tuple[ID, str, object]]:
    """Yield owner, data path and value of all that Actions move which play, assigned or in strips."""
    users = bpy.data.user_map(subset={*bpy.data.actions})
    moved = {one: {curve.data_path for _, curve in actions.every_curve(one)} for one in bpy.data.actions if users[one]}
    for owner in {owner for found in users.values() for owner in found}:
        for place, player in (("", owner), ("node_tree.", getattr(owner, "node_tree", None))):
            data = None if player is None else actions.animation_data(player)
            playing = {data.action, *(strip.action for strip in all_playing(player))} - {None} if data else ()
            paths = {place + path for action in playing for path in moved[action]}
            # modes first: Blender turns what turns a thing into the mode that is set
            for path in sorted(paths, key=lambda path: not path.endswith("rotation_mode")):
                with suppress(FormatError, TypeError):  # of another slot, of an add-on that is off, no property
                    yield owner, path, _value(owner, path)


def _set_again(owner: ID, path: str, value: object) -> None:
    where, name, key = data_paths.split_property(path)
    holder = owner.path_resolve(where) if where else owner
    if name:
        setattr(holder, name, value)
    elif key:
        holder[key] = value
        owner.update_tag()  # or drivers that read it keep to what played last


@contextmanager
def _shown(capture: Capture, wanted: Wanted, things: Iterable[Object]) -> Iterator[None]:
    """Show within the block armatures in their pose, as in rest position they have none, and objects that are hidden,
    also by keys, as Blender evaluates none; where that is to be read something seen hangs on them, so it does."""
    with Undo() as stack:
        for armature in (rig.data for rig in wanted.rigs if rig.data.pose_position == "REST"):
            stack.set(armature, "pose_position", "POSE")
        everywhere = capture.context.scene.collection.objects
        hiding = [part for owner, path in wanted.values if path == visibility.SEEN[0] for part in all_assigned(owner)]
        for thing in things:
            for action, slot in all_assigned(thing):
                if action is not None and (action, slot) not in hiding:
                    _mute_hiding(action, actions.slot_handle(slot), stack)
            if thing.hide_viewport:
                stack.set(thing, "hide_viewport", False)
            if thing.name not in everywhere:
                everywhere.link(thing)
                stack.callback(_unlink, capture.context.scene.collection, thing)
            changes = (visibility.SEEN[0], 0) in capture.participants.animated(thing)
            if changes and (thing, visibility.SEEN[0]) in wanted.values:
                hung = visibility.new_shape(thing.name, (), (), stack)
                hung.parent, hung.parent_type = thing, "ARMATURE" if is_rig(thing) else "OBJECT"
                everywhere.link(hung)
        yield


def _mute_hiding(action: Action, slot: int, undo: Undo | None = None) -> None:
    """Mute, or without `undo` no more, the curve by which a slot of an Action hides objects, looked for each time."""
    bag = actions.bags(action).get(slot)
    curve = bag.fcurves.find(visibility.SEEN[0]) if bag is not None else None
    if curve is not None and curve.mute == (undo is None):
        curve.mute = undo is not None
        if undo is not None:
            undo.callback(_mute_hiding, action, slot)


def _unlink(collection: Collection, thing: Object) -> None:
    if thing.name in collection.objects:
        collection.objects.unlink(thing)


@contextmanager
def _playing(owner: ID, action: Action | None, slot: Slot | None) -> Iterator[None]:
    had_data = actions.animation_data(owner) is not None
    data = actions.ensure_animation_data(owner)
    tweaked, data.use_tweak_mode = data.use_tweak_mode, False  # in which Blender lets nothing be assigned
    (before, own_slot), used_nla = actions.assigned(owner), data.use_nla
    handle = actions.slot_handle(own_slot)
    data.use_nla = False
    actions.assign(owner, action, slot)
    try:
        yield
    finally:
        if is_there(owner):
            data = actions.animation_data(owner)  # not that of before, which may be freed
            if data is not None:
                data.use_tweak_mode = False  # which a person may have entered since
            if data is not None and (not is_there(action) or data.action == action):  # else a script has chosen another
                actions.assign_again(owner, before if is_there(before) else None, handle)
                data.use_nla, data.use_tweak_mode = used_nla, tweaked
                if not had_data:
                    owner.animation_data_clear()


@contextmanager
def _without_left_over(player: Player, participants: Participants) -> Iterator[None]:
    """Put at rest within the block what other Actions move, as they left it where they last played.

    What is at rest needs no look at the other Actions, of which there may be hundreds. An object that no curve moves
    stands where it does.
    """
    owner, posed = player.owner, armatures.channels_of(player.owner)
    moves = owner == player.thing and move_object((*player.curves, *player.driven))
    own = {path: getattr(owner, path)[:] for path in fcurves.AT_REST if moves}
    numbers = {(path, index): value for path, values in own.items() for index, value in enumerate(values)}
    left = {at for at, value in numbers.items() if value != fcurves.AT_REST[at[0]][at[1]]} | {*armatures.posed(owner)}
    for path, index in left & participants.left_over(player) if left else ():
        owner.path_resolve(path)[index] = fcurves.AT_REST[data_paths.split_bone(path)[1]][index]
    try:
        yield
    finally:
        if is_there(owner):
            for path, values in own.items():
                setattr(owner, path, values)
            for name, values in armatures.channels_of(owner).items():
                if len(values) == len(posed.get(name, ())):  # it may have more or fewer bones meanwhile
                    owner.pose.bones.foreach_set(name, posed[name])  # type: ignore[attr-defined]


# More samples of the evaluated scene wherever those there are do not tell it: fast moves, corners and steps.

FINEST = 1.0 / 256.0
"""Frames: what jumps within this is a step."""

TURN = 1.5e-4
"""Radians that what is drawn may be off: half of the closest that a format promises, as the bones of a chain add up."""

POSITION = 2e-5
"""How far it may be off a position, as a part of its distance (at least 1); four times that of scales and values."""

_TOLD = 2.3
"""Times what is allowed, of which nobody has to know: together what the closest format promises."""

MOST, MOST_OF_CURVES, MOST_WITHOUT_SCENE = 3, 8, 16
"""Samples that are taken of the scene besides, for each that was there: sixteen a frame in all; Blender's Noise, as it
is added, turns round within each frame. Where curves are asked without the scene, more are told in less time."""

_RESERVE = 2
_ROUNDS = 8
"""Where twice as many intervals are in doubt as samples are left, an eighth of these goes to the worst."""

_OFF = 2.0
"""Times what is allowed, half way between two samples before one is taken there, which leaves a quarter of it."""

_OF_CUBIC = 4
"""Samples that tell a cubic."""

_OF_BENDS = 4.0
"""Times as much it counts that a cubic is off: which of three is meant is found out later, and the next is as good."""

_SHARP, _AGAIN = 8 * _OFF, 1.01 * _OFF
"""Times what is allowed by which a bend is so sharp that a line which is right half way beside it may be so by chance,
and the doubt with which it is looked at once more."""

_CORNER = 2 * _OFF
"""The same where a cubic is right that no line is, and misses an end: it may be right by chance beside a corner."""


_Drawn = Sequence[tuple[Array, Array]]
"""What samples are compared with: others (p,) near each, and their weights (p,)."""


class Channels(NamedTuple):
    """One property of several nodes at each sample.

    Attributes:
        rows: (components, nodes, m); quaternions of a rotation.
        allowed: (nodes,) how far what is drawn through samples may be off.
        property: LOCATION or ROTATION, else empty.
    """

    nodes: Sequence[str]
    rows: Array
    allowed: Array
    property: str = ""

    def off(self, at: Array, expected: _Drawn) -> Array:
        """Return how far (nodes, p) the samples `at` (p,) are off what others let expect, in what is allowed."""
        seen: Array = self.rows.take(at, axis=-1)
        drawn = np.zeros_like(seen)
        for samples, weights in expected:
            other = self.rows.take(samples, axis=-1)
            if self.property == ROTATION:
                weights = np.where(quaternion.dot(seen, other) < 0, -weights, weights)
            drawn = drawn + other * weights
        off = quaternion.distance(drawn, seen) if self.property == ROTATION else np.abs(drawn - seen).max(axis=0)
        return off / self.allowed[:, None]


def _drawn(frames: Array, at: Array, *samples: Array) -> _Drawn:
    """Return the polynomial (Lagrange's) through `samples`, each (p,), at the frames of those `at` (p,)."""
    weights = []
    for number, own in enumerate(samples):
        others = samples[:number] + samples[number + 1 :]
        parts = [(frames[at] - frames[other]) / (frames[own] - frames[other]) for other in others]
        weights.append(np.prod([np.ones(len(at)), *parts], axis=0))
    return list(zip(samples, weights))


Look = Callable[[Array], Steps[tuple[Baked, list[Channels]]]]
"""What is read at frames (m,), and the channels that it shows."""


def sample(
    frames: Array, channels: Sequence[Channels], look: Look, most: int = MOST, *, cubic: bool = False
) -> Steps[tuple[list[Baked], Sequence[Channels], dict[tuple[str, str], float]]]:
    """Look between frames (m,) until lines, or cubics through four samples, follow the channels, or FINEST.

    `most` is for each of these frames.

    Returns:
        What else was read; the channels of all of it; and how far nodes are still off, by their name and the property.
    """
    parts: list[Baked] = []
    doubts, budget = np.zeros(max(len(frames) - 1, 0)), most * len(frames)  # how far ends are off what is beside them
    if len(frames) > 2:
        off = _off(frames, channels, np.arange(1, len(frames) - 1), cubic)
        off = np.where(off > _OFF, off, 0.0)
        doubts = np.maximum(np.append(off, 0.0), np.append(0.0, off))
    share = 0.0
    while doubts.any() and budget > 0:
        at = _next(doubts, budget)
        budget -= len(at)
        share, before = (1.0 + share) / 2, share  # how often it has to look again is not known
        read, frames, channels, shares = yield from portion(_halved(frames, channels, at, look, cubic), before, share)
        parts.append(read)
        worst, begins = _worst(shares, len(at)), at + np.arange(len(at))
        fine, right = np.diff(frames)[begins] <= FINEST, (worst <= _OFF) & (doubts[at] != _AGAIN)
        doubts[at] = np.where((worst > _OFF) & ~fine, worst, 0.0)
        doubts = np.insert(doubts, at + 1, doubts[at])
        told = begins[right & ~fine]
        bent = told[_off(frames, channels, told + 1) > _OFF]
        for end in (0, 1):
            doubts[(told + end)[_off(frames, channels, told + 2 * end) > _SHARP]] = _AGAIN
            doubts[(bent + end)[_off(frames, channels, bent + 2 * end, cubic) > _CORNER]] = _AGAIN
    finest = np.flatnonzero(np.diff(frames) <= FINEST)
    still = _drawn(frames, finest, finest + 1)
    doubts[finest] = _worst([found.off(finest, still) for found in channels], len(finest))
    left = yield from portion(_still_off(frames, channels, np.flatnonzero(doubts > _TOLD), look, cubic), share)
    return parts, channels, left


def _halved(
    frames: Array, channels: Sequence[Channels], at: Array, look: Look, cubic: bool
) -> Steps[tuple[Baked, Array, list[Channels], list[Array]]]:
    """Look half way in the intervals `at` (p,); return what was read, all frames and channels, and each one's shares.

    The shares (nodes, p) are how far its nodes were off there.
    """
    added = (frames[at] + frames[at + 1]) / 2
    read, found = yield from look(added)
    middles = at + 1 + np.arange(len(at))
    frames = np.append(frames, added)
    order = np.argsort(frames)
    rows = (np.append(channel.rows, new.rows, axis=-1) for channel, new in zip(channels, found))
    # many times as fast as numpy's insertion at the last axis
    more = [channel._replace(rows=both.take(order, axis=-1)) for channel, both in zip(channels, rows)]
    frames = frames[order]
    return read, frames, more, _shares(frames, more, middles, cubic)


def _next(doubts: Array, budget: int) -> Array:
    """Return the intervals to divide next: all that are in doubt, but the worst of them where samples run short."""
    found = np.flatnonzero(doubts > _AGAIN)
    found = found if len(found) else np.flatnonzero(doubts)
    if _RESERVE * len(found) <= budget:
        return found
    worst = np.argsort(-doubts[found], kind="stable")[: max(1, budget // _ROUNDS)]
    return np.sort(found[worst])


def _off(frames: Array, channels: Sequence[Channels], at: Array, cubic: bool = False) -> Array:
    """Return how far (p,) samples `at` (p,) are off what those beside them tell; an end is as the next one."""
    return _worst(_shares(frames, channels, np.clip(at, 1, len(frames) - 2), cubic), len(at))


def _shares(frames: Array, channels: Sequence[Channels], at: Array, cubic: bool) -> list[Array]:
    """Return how far nodes are off (nodes, p) lines between the samples beside those `at` (p,), or cubics of four."""
    drawn = [_drawn(frames, at, at - 1, at + 1)]
    if cubic and len(frames) > _OF_CUBIC:
        first = np.clip(at - _OF_CUBIC // 2, 0, len(frames) - 1 - _OF_CUBIC)
        beside = (first + number for number in range(_OF_CUBIC))
        drawn.append(_drawn(frames, at, *(sample + (sample >= at) for sample in beside)))
    weights = 1.0, _OF_BENDS
    return [np.min([each * channel.off(at, by) for each, by in zip(weights, drawn)], axis=0) for channel in channels]


def _worst(shares: Sequence[Array], count: int) -> Array:
    """Return how far the worst node is off (p,) of shares (nodes, p)."""
    return np.max([share.max(axis=0) for share in shares], axis=0) if shares else np.zeros(count)


def _still_off(
    frames: Array, channels: Sequence[Channels], at: Array, look: Look, cubic: bool
) -> Steps[dict[tuple[str, str], float]]:
    """Return how far nodes are off half way in the intervals `at` (p,), by name and property.

    Only what is too much; it is looked at once more, for nothing else than that. In the finest intervals what is half
    way still at one of their ends, or goes on as there, makes a step, which is right; else it swings further than the
    line between them.
    """
    found: dict[tuple[str, str], float] = {}
    if len(at):
        _, halved, more, shares = yield from _halved(frames, channels, at, look, cubic)
        middles, fine = at + 1 + np.arange(len(at)), np.diff(frames)[at] <= FINEST
        for channel, share, line in zip(more, shares, _shares(halved, more, middles, cubic=False)):
            beside = [channel.off(middles, side) for side in _sides(halved, middles)]
            share = np.where(fine, np.where(np.min(beside, axis=0) <= _TOLD, 0.0, line), share)
            worst = share.max(axis=1)
            for number in np.flatnonzero(worst > _TOLD).tolist():
                key = (channel.nodes[number], channel.property)
                found[key] = max(found.get(key, 0.0), float(worst[number] * channel.allowed[number]))
    return found


def _sides(frames: Array, at: Array) -> Iterator[_Drawn]:
    """Yield what samples `at` (p,) would be if they stood where those beside them do, or went on as from further away.

    Before and behind; at an end of all samples, on a line between both sides.
    """
    for step in (-1, 1):
        near, far = at + step, at + 2 * step
        yield _drawn(frames, at, near)
        yield _drawn(frames, at, near, np.where((far >= 0) & (far < len(frames)), far, at - step))
