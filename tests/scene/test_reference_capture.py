"""Drawn scenes, dense with what is rare: captured, they are where Blender shows them, played by a loop over numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np
import plain
import pytest
from in_blender import bag_of, go_to

from io_formats import clip as own

bpy = pytest.importorskip("bpy")
from scenes import clock, draw, shown, stage  # noqa: E402

Array = np.ndarray[Any, Any]
Maker = Callable[..., Any]
SCENES, PARTS, MOMENTS = 112, 4, 10
OFF, KEYED, VALUE = 1e-4, 5e-5, 2e-4
"""Parts of the reach by which samples, and keys, may be off; and of the range of a number."""
OPTIONS: list[dict[str, Any]] = [
    {}, {}, {}, {"keep_frame_zero": True}, {"use_scene_range": True}, {"bake_to_scene_end": True}, {"sampling": "BAKE"},
    {"space": "LOCAL"}, {"deform_bones_only": True}, {"still_channels": True},
]  # fmt: skip
AT_REST = {"location": 0.0, "scale": 1.0}
_DATA = {"LIGHT": ("energy", "color", "cutoff_distance", "spot_size"), "CAMERA": ("lens", "clip_end", "ortho_scale")}


class Seen(NamedTuple):
    """What Blender shows: at each moment where everything is, and numbers by object, bone and a clip's name for them.

    Attributes:
        unsure: the same seen backwards; what differs depends on what was shown before.
    """

    moments: list[shown.Moment]
    numbers: list[dict[tuple[str, str, str], list[float]]]
    unsure: list[shown.Moment]

    @classmethod
    def at(cls, frames: list[float]) -> Seen:
        """Look at frames of the timeline."""
        moments, numbers = [], []
        for frame in frames:
            moments += shown.moments([frame])
            found = ((thing.name, place, row) for thing in bpy.data.objects for place, row in _numbers(thing))
            numbers.append({(name, *place): row for name, place, row in found})
        return cls(moments, numbers, shown.moments(frames[::-1])[::-1])

    @property
    def reach(self) -> float:
        """How far from the middle anything goes, 1 at least."""
        return max(1.0, *(np.abs(world[:3]).max() for each in self.moments for world in each.worlds.values()))


def _numbers(thing: Any) -> Iterator[tuple[tuple[str, str], list[float]]]:
    """What else than poses an object shows, by its bone, or none, and name."""
    graph = bpy.context.evaluated_depsgraph_get()
    for bone in ("", *(thing.pose.bones.keys() if thing.pose else ())):
        for name, value in (thing.pose.bones[bone] if bone else thing).items():
            numbers = list(value) if hasattr(value, "typecode") else [value]
            if all(isinstance(number, bool | int | float) for number in numbers):
                yield (bone, name), [float(number) for number in numbers]
    yield from ((("", path), [float(getattr(thing, path))]) for path in ("hide_viewport", "hide_render"))
    data = thing.data and thing.data.evaluated_get(graph)
    for path in _DATA.get(thing.type, ()):
        value = getattr(data, path, None)
        if value is not None:
            yield ("", f"data.{path}"), list(value) if hasattr(value, "__len__") else [value]
    keys = getattr(thing.data, "shape_keys", None)
    for key in keys.evaluated_get(graph).key_blocks[1:] if keys else ():
        yield ("", key.name), [0.0 if key.mute else key.value]


def drawn(number: int) -> tuple[list[Any], dict[str, Any]]:
    """Build a scene: what is chosen, and the options."""
    random = Random(number)
    stage.build(draw.dense(77, number))
    things = [thing for thing in bpy.context.scene.objects if thing.select_get()]
    options = random.choice(OPTIONS)
    for thing in things if "deform_bones_only" in options else ():
        for bone in thing.data.bones if thing.type == "ARMATURE" else ():
            bone.use_deform = random.random() < 0.7
    return things, options


def moments(things: list[Any], options: dict[str, Any], number: int) -> list[float]:
    """Frames of the timeline from the first on; whole ones where there are lines between these."""
    random, span = Random(number), clock.candidates(things, None, options)[0]
    frames = [span.first, *(random.uniform(span.first, span.last) for _ in range(MOMENTS))]
    return [(math.floor(each) if "sampling" in options else each) * clock.stretch() for each in sorted(frames)]


def seconds(captured: Any, spans: list[clock.Span], seen: Seen) -> list[float]:
    """The clip's seconds of what is seen; where the rule leaves the frames open, by those that last as long."""
    firsts = [span.first for span in spans if abs(span.seconds - captured.clip.duration) < 1e-4]
    assert firsts, captured.clip.duration
    return [(each.frame - firsts[0] * clock.stretch()) / clock.rate() for each in seen.moments]


def told_of(captured: Any, take: Maker) -> set[str]:
    """The nodes that the values of warnings name, and those below."""
    values = [str(value) for entry in take.report.warnings for value in entry.values.values()]  # type: ignore[attr-defined]
    found = {name for names in values for name in names.split(", ")}
    for node in captured.clip.nodes:
        found |= {node.name} if node.parent in found else set()
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_drawn_scenes_are_captured_as_blender_shows_them(part: int, take: Maker) -> None:
    """All of it, but what is told."""
    for number in range(part, SCENES, PARTS):
        things, options = drawn(number)
        seen = Seen.at(moments(things, options, number))
        go_to(3)
        captured = take(*things, **options)
        times = seconds(captured, clock.candidates(things, None, options), seen)
        found = {*_poses_off(captured, seen, times, things, options), *_numbers_off(captured, seen, times, things)}
        assert found <= told_of(captured, take), number


def _poses_off(
    captured: Any, seen: Seen, times: list[float], things: list[Any], options: dict[str, Any]
) -> Iterator[str]:
    """Nodes that are not where Blender shows their bones or objects."""
    clip, naming, allowed = plain.in_classes(captured.clip, own), captured.node_map.naming, seen.reach * OFF
    allowed = allowed if captured.sampled else seen.reach * KEYED
    if "space" in options:  # of the first armature, in which its bones are
        things = [thing for thing in things if thing.type == "ARMATURE"][:1]
    for at, moment, other in zip(times, seen.moments, seen.unsure, strict=True):
        worlds = plain.worlds(clip, at)
        for name in {thing.name for thing in things} & moment.visible if 0 <= at <= clip.duration else ():
            outside = np.linalg.inv(moment.worlds[name]) if "space" in options else np.eye(4)
            nodes = {name: naming.objects.get(name)}
            nodes |= {f"{name}/{bone}": node for bone, node in naming.bones.get(name, {}).items()}
            for place, node in nodes.items():
                off = float(np.abs(worlds[node] - outside @ moment.worlds[place]).max()) if node else 0.0
                if off > allowed and np.allclose(other.worlds[place], moment.worlds[place], atol=1e-6):
                    yield str(node)


def _numbers_off(captured: Any, seen: Seen, times: list[float], things: list[Any]) -> Iterator[str]:
    """Nodes with numbers that are not as Blender shows them, or that have no track and move."""
    clip, naming = plain.in_classes(captured.clip, own), captured.node_map.naming
    names, within = {thing.name for thing in things}, [0 <= at <= clip.duration for at in times]
    for thing, bone, name in seen.numbers[0]:
        node = naming.bones.get(thing, {}).get(bone) if bone else naming.objects.get(thing)
        if thing not in names or node is None:
            continue
        rows = np.array([each[thing, bone, name] for each in seen.numbers])[within]
        size, spread = float(np.abs(rows).max()), float(np.ptp(rows, axis=0).max())
        tracks = [each for each in clip.tracks if (each.node, each.property) == (node, name)]
        if not tracks and spread > VALUE * max(1.0, size):
            yield node
        for track in tracks:
            played = np.array([plain.value(track, at) for at in times])[within]
            off = float(np.abs(played - rows[:, track.component : track.component + len(track.values)]).max())
            if off > VALUE * max(spread, 0.1) + 1e-6 * size:
                yield node


@pytest.mark.parametrize("part", range(PARTS))
def test_an_action_that_does_not_play_is_captured_as_it_played_alone(part: int, take: Maker) -> None:
    """What another one leaves in bones and objects, where it was shown last, is no part of it."""
    for number in range(part, SCENES, PARTS):
        things, _ = drawn(number)
        for thing in list(filter(_plays_alone, things))[:1]:
            data, action = thing.animation_data, thing.animation_data.action
            data.use_nla = False
            _put_at_rest(thing, (curve for _, curves in stage.curves_of_strips(thing) for curve in curves))
            seen, spans = Seen.at(moments([thing], {}, number)), clock.candidates([thing], None, {})
            _play_another(thing)
            data.use_nla = number % 2 == 0
            go_to(5)
            before = _as_it_is(thing)
            captured = take(thing, action=action, actions="ALL")
            assert thing.animation_data.action.name == "Another" and _as_it_is(thing) == before, number
            found = {*_poses_off(captured, seen, seconds(captured, spans, seen), [thing], {})}
            assert found <= told_of(captured, take), number


def _plays_alone(thing: Any) -> bool:
    """Whether an object has an Action that nothing else plays; one that only stands does so where strips left it."""
    data = thing.animation_data
    paths = [curve.data_path for curve in (data and stage.curves_of(thing)) or ()]
    alone = data is not None and data.action is not None and data.action.users == 1
    return alone and (not data.nla_tracks or any(path.startswith(("pose.", *AT_REST, "rotation")) for path in paths))


def _put_at_rest(thing: Any, curves: Iterable[Any]) -> None:
    """Leave nothing of what these move."""
    for path, index in ((curve.data_path, curve.array_index) for curve in curves):
        name = path.rpartition(".")[2]
        if name in ("location", "scale", "rotation_quaternion", "rotation_euler"):
            thing.path_resolve(path)[index] = float(name == "scale" or (name == "rotation_quaternion" and not index))


def _as_it_is(thing: Any) -> list[Any]:
    """What a capture leaves as it was."""
    holders = [thing, *(thing.pose.bones if thing.pose else ())]
    now = bpy.context.scene.frame_current_final, thing.animation_data.use_nla
    return [*now, *([*getattr(holder, path)] for holder in holders for path in AT_REST)]


def _play_another(thing: Any) -> None:
    """Let an object play another Action, which moves what is at rest or has keys in the one before."""
    curves = [curve for curve in stage.curves_of(thing) or () if not stage.is_muted(curve)]
    keyed = {(curve.data_path, curve.array_index) for curve in curves if len(curve.keyframe_points)}
    # what nothing moves stands where it is
    holders = [("", thing)] if any(path in AT_REST for path, _ in keyed) else []
    holders += [(f'pose.bones["{bone.name}"].', bone) for bone in (thing.pose.bones if thing.pose else ())]
    values = [(place + path, holder, path, rest) for place, holder in holders for path, rest in AT_REST.items()]
    free = [
        (path, index, rest)
        for path, holder, name, rest in values
        for index, value in enumerate(getattr(holder, name))
        if value == rest or (path, index) in keyed
    ]
    thing.animation_data.action = None
    others = bag_of(thing, "Another").fcurves
    for path, index, rest in free:
        points = others.new(path, index=index).keyframe_points
        points.insert(0, rest + 0.3)
        points.insert(9, rest + 0.7)
