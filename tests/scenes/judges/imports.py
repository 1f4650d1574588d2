"""What an import made beside its file: the scene's rate and range, Actions, strips and markers, and how it plays.

Every option that changes what is to be seen is known here; those that make other keys have limits of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from .. import clock, compare, shown, stage
from ..players import moves
from ..verdict import Find, traceback_of
from .mrtk import GAZE

Array = np.ndarray[Any, Any]
Step = dict[str, Any]
MOMENTS = 24
_PLACE, _TURN, _DEEPER = 3e-5, 0.012, 0.004
"""Parts of the reach, degrees, and degrees more for each node above."""
_VALUE = 2e-4
_SNAPS = 1.5e-4
"""Frames: within a 10,000th of one beside a key Blender shows the key."""
_OWN_LIMITS = {"thin": (1.1e-3, 0.25), "cyclic": (5.5e-3, 2.2), "hand_skeleton": (4e-5, 0.02)}
"""Metres and degrees of each node that options promise."""
Look = tuple[dict[str, Array], dict[tuple[str, str], Array]]


@dataclass
class Taken:
    """An import that was made.

    Attributes:
        things: objects that it made or moved: the rig, or those of nodes.
        names: the file's node by bone or object.
        start: frame of the Action on which the file's time 0 lies.
        is_new: whether the figure was made for it.
    """

    format: str
    data: bytes
    options: Step
    way: Step
    path: Path
    things: list[Any] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    start: float = 0.0
    is_new: bool = True
    refusal: str = ""
    before: set[str] = field(default_factory=set)
    takes: list[moves.Take] = field(default_factory=list)

    @property
    def rig(self) -> Any:
        """The armature object, None where nodes are objects."""
        return next((thing for thing in self.things if thing.type == "ARMATURE"), None)


def wrong_refusal(taken: Taken) -> Iterator[Find]:
    """Only for a rig of a person's own may an import be refused."""
    if "Traceback" in taken.refusal:
        yield traceback_of(taken.refusal)
    elif taken.is_new:
        yield Find("import refused", taken.format, taken.refusal.strip()[:200])


def judge(taken: Taken) -> Iterator[Find]:
    """What is wrong with what was made."""
    if not taken.things:
        if any(take.player.__dict__.get("tracks", True) for take in taken.takes):
            yield Find("nothing made", taken.format, "the import made no rig")
        return
    yield from _wrong_scene(taken)
    yield from _wrong_actions(taken)
    for take, shift in _playing(taken):
        yield from _Play(taken, take, shift).wrong()


def _wrong_scene(taken: Taken) -> Iterator[Find]:
    """Rate and range, as the options say."""
    way, options, render = taken.way["scene"], taken.options, bpy.context.scene.render
    wanted, rate = way["fps"] / way["base"], options.get("rate", "AUTO")
    animated = taken.way.get("there") == "MOVING" or "twice" in taken.way
    own = taken.takes[0].rate if taken.takes else 0.0
    if own and (rate == "FILE" or (rate == "AUTO" and not animated and "onto" not in taken.way)):
        wanted = own
    elif rate == "CUSTOM":
        wanted = options["custom_rate"]
    loose = "onto" in taken.way or "twice" in taken.way
    if abs(render.fps / render.fps_base - wanted) > 1e-4 and not loose:
        yield Find("rate", "scene", f"{render.fps / render.fps_base:.4f}, not {wanted:.4f}")
    scene = bpy.context.scene
    if not options.get("set_scene_range", True):
        if not loose and (scene.frame_start, scene.frame_end) != (way["first"], way["last"]):
            yield Find("range", "scene", f"{scene.frame_start} to {scene.frame_end}, though it was to stay")
        return
    covers = scene.frame_start <= way["first"] and scene.frame_end >= way["last"]
    if taken.way.get("there") == "MOVING" and not loose and not covers:
        yield Find("range", "scene", f"{scene.frame_start} to {scene.frame_end} without what moved before")
        return
    stretch = clock.stretch()
    for take, shift in _playing(taken):
        last = (taken.start + shift + take.seconds * clock.frames_a_second()) * stretch
        first = max((taken.start + shift) * stretch, 0.0)  # before which no scene of Blender begins
        if not (scene.frame_start <= first + 1e-3 and scene.frame_end >= last - 1e-3):
            yield Find("range", "scene", f"{scene.frame_start} to {scene.frame_end} without {last:.3f}")
            return


def _actions(taken: Taken) -> list[Any]:
    """The Actions of the import, in the order of the file's animations, as far as names tell."""
    each = ([bpy.data.actions.get(name) for name in _names_of(taken, take)] for take in taken.takes)
    return [made for found in each for made in list(filter(None, found))[:1]]


def _names_of(taken: Taken, take: moves.Take) -> list[str]:
    own, stem = take.name, taken.path.stem
    if taken.options.get("name_from") == "FILE":
        own = f"{stem} {own}".rstrip() if len(taken.takes) > 1 else stem
    name = taken.options.get("name_prefix", "") + (own or stem)
    return [f"{name}.001", name] if taken.way.get("twice") == "KEEP" else [name]


def _wrong_actions(taken: Taken) -> Iterator[Find]:
    """Names, ranges, marks, and what the option NLA does."""
    options, actions = taken.options, _actions(taken)
    plays = [take for take in taken.takes if take.player.__dict__.get("tracks", True)]
    if len(actions) < len(plays):
        names = [_names_of(taken, take)[0] for take in plays]
        yield Find("action name", "file", f"{[action.name for action in bpy.data.actions]}, not {names}")
        return
    if "twice" in taken.way:
        wanted = (2 if taken.way["twice"] == "KEEP" else 1) * len(taken.takes)
        if taken.way["twice"] != "MERGE" and len(bpy.data.actions) - _others(taken) != wanted:
            yield Find("action count", taken.way["twice"], f"{[action.name for action in bpy.data.actions]}")
    for take, action in zip(taken.takes, actions, strict=False):
        wanted = [taken.start, taken.start + take.seconds * clock.frames_a_second()]
        if options.get("resample"):
            wanted = [math.floor(wanted[0] + 1e-4), math.ceil(wanted[1] - 1e-4)]
        found = [action.frame_start, action.frame_end]
        sides = range(taken.format == "mrtk", 2)  # recordings may begin before time 0
        off = [abs(found[side] - wanted[side]) for side in sides]
        if max(off) > 2e-3 + 1e-6 * abs(wanted[1]) and taken.way.get("twice") != "MERGE":
            yield Find("action range", action.name, f"{found}, not {wanted}")
        if options.get("cyclic") in ("NO", "CLOSE") and action.use_cyclic != (options["cyclic"] == "CLOSE"):
            yield Find("cyclic", action.name, f"{action.use_cyclic}")
        moves_any = any(getattr(each, "type", "") != "string" for each in take.player.__dict__.get("tracks", [None]))
        has_curves = options.get("rest_keys", True) or any(map(vars(take.player).get, ("channels", "shown", "opacity")))
        marked = moves_any and has_curves and bool(options.get("mark_assets"))
        if bool(action.asset_data) != marked and taken.way.get("twice") != "MERGE":
            yield Find("asset", action.name, "marked" if action.asset_data else "not marked")
        yield from _wrong_marks(taken, take, action)
    if options.get("only_selected_bones") and not taken.is_new:
        curves = stage.curves_of(taken.rig) or ()
        selected = {bone.name for bone in list(taken.rig.data.bones)[::2]}
        others = {curve.data_path.split('"')[1] for curve in curves if '"' in curve.data_path} - selected
        if others:
            yield Find("selected bones", "rig", f"{sorted(others)} are not selected")
    yield from _wrong_rests(taken)
    yield from _wrong_tracks(taken, actions)


def _wrong_rests(taken: Taken) -> Iterator[Find]:
    """Each number of a place and turn has keys, those that the file does not move one at rest."""
    options, rig = taken.options, taken.rig
    partial = {"channels", "root_motion", "only_selected_bones", "merge"} & options.keys()
    if taken.format not in ("w3d", "w3x") or partial or not options.get("rest_keys", True) or "nla" in options:
        return
    found = {(curve.data_path, curve.array_index) for curve in stage.curves_of(rig) or ()}
    channels = (("location", 3), ("rotation_quaternion", 4))
    for bone in taken.names:
        prefix = f'pose.bones["{bone}"].'
        wanted = {(prefix + path, index) for path, count in channels for index in range(count)}
        if found and not wanted <= found:
            yield Find("rest keys", bone, f"without {sorted(wanted - found)[:2]}")
            return


def _wrong_marks(taken: Taken, take: moves.Take, action: Any) -> Iterator[Find]:
    """A marker for each text, on the next whole frame, with as much of the text as a name has room for."""
    found = [(mark.frame, mark.name) for mark in action.pose_markers]
    marks = [(taken.start + at * clock.frames_a_second(), text) for at, text in take.marks()]
    for at, text in marks:
        if not any(abs(at - frame) <= 0.51 and text.encode()[:60] == name.encode()[:60] for frame, name in found):
            yield Find("markers", action.name, f"{text[:20]} at {at:.2f} is not among {found}")
    if found and not marks:
        yield Find("markers", action.name, f"{found} of none")


def _others(taken: Taken) -> int:
    return 2 if taken.way.get("there") == "MOVING" else 0


def _wrong_tracks(taken: Taken, actions: list[Any]) -> Iterator[Find]:
    nla, holder = taken.options.get("nla", "NONE"), taken.rig or taken.things[0]
    if holder.animation_data is None or taken.way.get("twice"):
        return
    tracks = holder.animation_data.nla_tracks
    strips = [strip for track in tracks for strip in track.strips]
    unmuted = [track for track in tracks if not track.mute]
    assigned = holder.animation_data.action is not None
    in_strips = (len(actions), 1, False)
    wanted = {"NONE": (0, 0, True), "STASH": (len(actions), 0, True)}.get(nla, in_strips)
    if (len(strips), len(unmuted), assigned) != wanted and len(actions) == len(taken.takes):
        yield Find("nla", nla, f"{len(strips)} strips, {len(unmuted)} tracks that play, assigned: {assigned}")
    ends = [(strip.frame_start, strip.frame_end) for strip in sorted(strips, key=lambda each: each.frame_start)]
    for (_, before), (after, _) in pairwise(ends) if nla == "SEQUENCE" else ():
        if not 0 < after - before <= 1 + 1e-3:
            yield Find("sequence", nla, f"a strip from {after} follows one to {before}")


def _playing(taken: Taken) -> Iterator[tuple[moves.Take, float]]:
    """Each animation while it plays, with the frames by which it is shown later than its Action lies."""
    holder, actions = taken.rig or taken.things[0], _actions(taken)
    data = holder.animation_data
    if taken.options.get("nla") in ("STRIP", "SEQUENCE"):
        strips = [strip for track in data.nla_tracks if not track.mute for strip in track.strips]
        for take, strip in zip(taken.takes, [each for each in strips if each.action in actions], strict=False):
            yield take, strip.frame_start - strip.action_frame_start
        return
    for number, (take, action) in enumerate(zip(taken.takes, actions, strict=False)):
        if number and taken.rig is not None:
            for bone in taken.rig.pose.bones:  # without keys at rest a bone stays where it was
                bone.matrix_basis = Matrix()
            _let_play(data, action)
        yield take, 0.0
    if len(actions) > 1 and taken.rig is not None:
        _let_play(data, actions[0])


def _let_play(data: Any, action: Any) -> None:
    data.action = action
    if hasattr(data, "action_slot"):
        data.action_slot = action.slots[0]


@dataclass
class _Play:
    """An animation beside what Blender shows of it at some moments.

    Attributes:
        shift: frames by which it is shown later than its Action lies.
    """

    taken: Taken
    take: moves.Take
    shift: float

    def wrong(self) -> Iterator[Find]:
        """Poses and properties."""
        yield from self._wrong_carrier() if self.taken.is_new else ()
        rate, begin = clock.frames_a_second(), self.taken.start + self.shift
        worst: dict[tuple[str, str], tuple[float, str, float]] = {}
        for at in self._moments(rate):
            frame = round((begin + at * rate) * clock.stretch(), 4)
            look, exact = self._look(frame), (frame / clock.stretch() - begin) / rate
            step = max(_SNAPS, 2 * float(np.spacing(np.float32(abs(frame) + 1)))) / rate
            found = self._wrong_at(look, [exact])
            if found:  # beside a step the last digits of the frame decide
                found = self._wrong_at(look, [exact, exact + step, exact - step])
            for kind, place, size, detail in found:
                worst[kind, place] = max(worst.get((kind, place), (0.0, "", 0.0)), (size, detail, at))
        wrong = [(size, kind, place, detail, at) for (kind, place), (size, detail, at) in worst.items()]
        for size, kind, place, detail, at in sorted(wrong, reverse=True)[:3]:
            yield Find(kind, place, f"{detail} at {at:.4f} s ({self.take.name})", size)

    def _moments(self, rate: float) -> list[float]:
        """Both ends, unless it begins anew there, and random ones, half of them just after whole frames, for steps."""
        options, seconds = self.taken.options, self.take.seconds
        whole, last = bool(options.get("resample")), self.taken.start + self.shift + seconds * rate
        # a strip that ends between two frames begins anew in that very moment, for Blender's NLA
        in_strip = options.get("nla") in ("STRIP", "SEQUENCE") and abs(last - round(last)) > 1e-6
        random, found = Random(str(self.taken.way)), [0.0] if self.take.repeats or in_strip else [0.0, seconds]
        own_rate = rate if whole or not self.take.rate else self.take.rate
        frames = max(int(seconds * own_rate), 1)
        for number in range(MOMENTS):
            share = 0.0 if whole else 0.004 if number % 2 else random.uniform(0.05, 0.95)
            found.append((random.randrange(frames) + share) / own_rate)
        found = sorted(at for at in found if 0.0 <= at <= seconds)
        if whole:
            found = [(math.ceil(self.taken.start) + round(at * rate)) / rate - self.taken.start / rate for at in found]
        return [at for at in found if 0.0 <= at <= seconds]

    def _wrong_at(self, look: Look, moments: list[float]) -> list[Any]:
        """What is off in what Blender shows, seen as the file at any of these moments."""
        near = [self._wanted(moment) for moment in moments]
        found = [*self._off(near, look), *self._seen(moments, look[0])]
        return [each for each in found if each[2] > 1]

    @cached_property
    def _figure(self) -> moves.Figure:
        taken, figure = self.taken, moves.Figure(carrier=moves.root(self.taken.format, self.taken.options))
        if taken.rig is None:
            figure.objects = True
            for thing in taken.things:
                figure.above[thing.name] = thing.parent.name if thing.parent else None
                figure.rests[thing.name] = np.linalg.inv(figure.carrier)
            return figure
        figure.carrier = np.array(taken.rig.matrix_world, np.float64)
        for bone in taken.rig.data.bones:
            node, above, own = taken.names[bone.name], bone.parent, np.array(bone.matrix_local, np.float64)
            figure.above[node] = None if above is None else taken.names[above.name]
            figure.rests[node] = own if above is None else np.linalg.inv(np.array(above.matrix_local, np.float64)) @ own
        return figure

    def _wrong_carrier(self) -> Iterator[Find]:
        found, wanted = self._figure.carrier, moves.root(self.taken.format, self.taken.options)
        off = float(np.abs(found - wanted).max())
        if off > 1e-5 * max(1.0, np.abs(wanted).max()) and not self.taken.way.get("twice"):
            yield Find("carrier", "rig", f"{found.round(4).tolist()}, not {wanted.round(4).tolist()}")

    def _wanted(self, at: float) -> Look:
        worlds, values = self.take.worlds(at, self._figure), self.take.values(at)
        if self.take.own:
            fits = self.taken.options.get("fit") == "EXACT" and not self.taken.is_new
            around = np.eye(4) if fits else self._figure.carrier
            worlds = {node: around @ world for node, world in worlds.items()}
        return worlds, values

    def _look(self, frame: float) -> Look:
        """Worlds by node, and custom properties by node and name, that Blender shows on a frame."""
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
        graph, worlds, values = bpy.context.evaluated_depsgraph_get(), {}, {}
        for thing in self.taken.things:
            seen = thing.evaluated_get(graph)
            holders = [(bone, seen.matrix_world @ bone.matrix) for bone in (seen.pose.bones if seen.pose else ())]
            for holder, world in holders if seen.pose else [(seen, seen.matrix_world)]:
                node = self.taken.names[holder.name]
                if not seen.hide_viewport:  # of what is hidden Blender works out no matrix
                    worlds[node] = np.array(world, np.float64)
                for key, held in holder.items():
                    if isinstance(held, (bool, int, float)) or hasattr(held, "to_list"):
                        values[node, key] = np.ravel(held.to_list() if hasattr(held, "to_list") else held).astype(float)
        return worlds, values

    def _off(self, near: list[Look], look: Look) -> Iterator[Any]:
        worlds, values = look
        points = np.array([world[:3, 3] for world in worlds.values()] or [np.zeros(3)])
        size, reach = float(np.ptp(points, axis=0).max()), float(np.abs(points).max())
        for node in filter(self._judged.__contains__, worlds):
            each = [wanted[node] for wanted, _ in near if node in wanted]
            yield from self._off_node(node, worlds[node], each, size, reach) if each else ()
        for node, name in near[0][1]:
            if node in self._judged:
                yield from _off_value(node, name, [each[1][node, name] for each in near], values.get((node, name)))

    def _off_node(self, node: str, world: Array, each: list[Array], size: float, reach: float) -> Iterator[Any]:
        place_limit, turn_limit = self._limits
        depth, options, is_ray = self._depth(node), self.taken.options, node in GAZE
        # what the file itself does within the last digits of a frame
        went, swung = compare.apart(each[-1], each[0 if len(each) == 1 else 1])
        allowed = swung + _TURN + (_DEEPER + turn_limit) * (depth + 1)
        within = went + _PLACE * max(size, 0.02) + 2e-6 * reach + place_limit * (depth + 1)
        within += math.radians((_DEEPER + turn_limit) * depth) * size
        own_lengths = options.get("fit") == "EXACT" or (self._figure.objects and "scale" in options)
        if not is_turn_only(self.taken):
            sizes = [np.linalg.norm(each[:3, :3], axis=0) for each in (world, *each)]
            grown = min(float(np.abs(sizes[0] / np.maximum(wanted, 1e-9) - 1).max()) for wanted in sizes[1:])
            if not is_ray and not own_lengths:
                yield "size", node, grown / (1e-3 + place_limit), f"{sizes[0]}, not {sizes[1]}"
            moved = min(float(np.linalg.norm(world[:3, 3] - wanted[:3, 3])) for wanted in each)
            yield "place", node, moved / within, f"{moved:.6f}"
        turned = min(self._turned(node, world, wanted) for wanted in each)
        if not is_ray and not math.isnan(turned):
            yield "turn", node, turned / allowed, f"{turned:.4f} degrees"

    @cached_property
    def _judged(self) -> set[str]:
        """Nodes whose pose is the file's."""
        options = self.taken.options
        follows = options.get("hand_skeleton") and not self.taken.is_new and options.get("fit") != "EXACT"
        if options.get("smooth") or options.get("only_selected_bones") or follows:  # there the lengths are the rig's
            return set()
        return set(self.taken.names.values())

    @cached_property
    def _limits(self) -> tuple[float, float]:
        """Metres and degrees of each node that the options allow besides, degrees that engines may differ by."""
        options = self.taken.options
        found = [each for name, each in _OWN_LIMITS.items() if options.get(name) not in (None, False, "NO")]
        unsure = [take.unsure for take in self.taken.takes]
        return max((place for place, _ in found), default=0.0), max([0.0, *unsure, *(turn for _, turn in found)])

    def _depth(self, node: str) -> int:
        above = self._figure.above.get(node)
        return 0 if above is None else 1 + self._depth(above)

    def _turned(self, node: str, world: Array, wanted: Array) -> float:
        """Degrees that a node is off; of a rig that follows, as far as it is turned from rest."""
        own, other = compare.rotation_of(world), compare.rotation_of(wanted)
        if own is None or other is None:
            return math.nan
        return compare.angle(own @ self._rests.get(node, np.eye(3)), other)

    @cached_property
    def _rests(self) -> dict[str, Array]:
        """By node how its bone is turned from the file's own rest, where a rig follows that is rolled otherwise."""
        taken = self.taken
        follows = taken.format in ("w3d", "w3x") and taken.options.get("fit") != "EXACT" and "rolled" in taken.way
        if taken.is_new or not follows:
            return {}
        player = taken.takes[0].player
        bases = dict(zip(player.names, player.rests, strict=True))
        bones = {taken.names[bone.name]: np.array(bone.matrix_local, np.float64) for bone in taken.rig.data.bones}
        return {node: bones[node][:3, :3].T @ bases[node][:3, :3] for node in bones.keys() & bases.keys()}

    def _seen(self, at: Sequence[float], worlds: Any) -> Iterator[Any]:
        """What is drawn as nothing, and where a recorded camera looks."""
        if not self.taken.is_new:  # no bone of a person's own is hidden
            return
        each = [self.take.hidden(moment, self._figure) for moment in at]
        graph = bpy.context.evaluated_depsgraph_get()
        for name, node in self.taken.names.items():
            hides = self._is_emptied(name, graph)
            if hides is not None and all(wanted.get(node, False) != hides for wanted in each):
                yield "hidden", node, 9.0, f"drawn as nothing: {hides}"
        if "Camera" in worlds and self.taken.format == "mrtk" and self.take.player.has("Camera"):
            yield from self._camera(worlds["Camera"])

    def _camera(self, world: Array) -> Iterator[Any]:
        cameras = [thing for thing in bpy.data.objects if thing.type == "CAMERA" and thing.parent == self.taken.rig]
        if len(cameras) != 1:
            yield "camera", "Camera", 9.0, f"{len(cameras)} cameras"
            return
        (moment,) = shown.moments([bpy.context.scene.frame_float])
        seen = moment.worlds[cameras[0].name]
        axes = np.stack([seen[:3, 0], -seen[:3, 2], seen[:3, 1]], axis=1)
        off = float(np.abs(axes - world[:3, :3]).max() / np.abs(world[:3, :3]).max())
        away = float(np.abs(seen[:3, 3] - world[:3, 3]).max() / max(1.0, np.abs(world[:3, 3]).max()))
        yield "camera", "Camera", max(off, away) / 1e-3, "it looks elsewhere"
        angle = float(moment.values[cameras[0].name, "Camera.FieldOfView"][0])
        wanted = self.taken.options.get("field_of_view", 60.0)
        yield "camera", "angle", abs(angle - wanted) / 0.01, f"{angle:.3f} degrees, not {wanted}"

    def _is_emptied(self, name: str, graph: Any) -> bool | None:
        """Whether a bone or object is not seen as something hides it for a while; None where nothing could."""
        if self.taken.rig is None:
            return bool(bpy.data.objects[name].evaluated_get(graph).hide_viewport)
        shape = self.taken.rig.pose.bones[name].custom_shape
        masks = [] if shape is None else list(shape.evaluated_get(graph).modifiers)
        return any(mask.show_viewport for mask in masks) if shape is None or masks else None


def _off_value(node: str, name: str, wanted: list[Array], found: Array | None) -> Iterator[Any]:
    if found is None or found.shape != wanted[0].shape:
        yield "property", f"{node} {name}", 9.0, f"{found} for {wanted[0]}"
        return
    low, high = np.min(wanted, axis=0), np.max(wanted, axis=0)
    off = np.maximum(low - found, found - high)
    scale = _VALUE * np.maximum(np.abs(wanted[0]), 0.5)
    yield "property", f"{node} {name}", float((off / scale).max()), f"{found.tolist()} for {wanted[0].tolist()}"


def is_turn_only(taken: Taken) -> bool:
    """Whether an option leaves places and sizes out."""
    options = taken.options
    only = options.get("channels") == "ROTATION" and not taken.is_new
    return only or options.get("root_motion") is False
