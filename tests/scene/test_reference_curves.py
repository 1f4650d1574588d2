"""Drawn NLA strips, and drivers by lines, are captured as keys that play what Blender shows, without a sample."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import plain
import pytest
from in_blender import go_to

from io_formats import clip as classes

bpy = pytest.importorskip("bpy")
from scenes import clock, motion, stage  # noqa: E402

Maker = Callable[..., Any]
Step = dict[str, Any]
SCENES, PARTS, MOMENTS, OFF = 60, 2, 12, 2e-4  # the last is of a number's size (at least 1)
CENTRES = {"location": [0.0] * 3, "scale": [1.0] * 3, '["p"]': [0.5, 0.3]}
OPTIONS: list[Step] = [{}, {}, {"use_scene_range": True}, {"bake_to_scene_end": True}, {"keep_frame_zero": True}]
SHAPES = "BEZIER", "LINEAR", "CONSTANT", "BOUNCE"
HOLDS = "HOLD", "HOLD", "HOLD_FORWARD", "NOTHING"
EMPTY = {"do": "thing", "name": "Box", "type": "EMPTY", "at": {}}
RIG = {"do": "rig", "name": "Box", "bones": [["Hip", None, [0, 0, 0], [0, 1, 0], 0.0, False]]}


def _holder(random: Random) -> list[Step]:
    """An object or a bone, with numbers of its own that do not rest at 0."""
    kind, bone = random.choice(((EMPTY, {}), (RIG, {"bone": "Hip"})))
    own = {"do": "property", "owner": "Box", **bone, "name": "p", "value": [0.5, 0.25], "ui": {"default": [0.5, 0.25]}}
    return [{"do": "scene", "fps": random.choice((24, 30)), "first": 1, "last": 60}, kind, own]


def _keys(random: Random, steps: list[Step], path: str, first: int = 0) -> Step:
    """Keys of a property, or of one of its numbers, on whole frames; they may ease, or repeat and rise."""
    prefix = 'pose.bones["Hip"]' + "." * (path[0] != "[") if steps[1] is RIG else ""
    at = motion.frames(random, first, first + random.choice((4, 9, 15)))
    step = motion.keys(random, "Box", prefix + path, at, CENTRES[path], 0.5)
    step["shapes"] = [random.choice(SHAPES) for _ in range(2)]
    after = {"mode_before": "NONE", "mode_after": random.choice(("REPEAT", "REPEAT_OFFSET"))}
    step |= {"modifier": {"type": "CYCLES", "set": after}} if random.random() < 0.15 else {}
    return motion.only_one(random, step) if random.random() < 0.4 else step


def strips(random: Random) -> list[Step]:
    """Actions in strips on a track or several: moved, cut, drawn out, backwards, again and again, with gaps."""
    steps = _holder(random)
    paths = random.choice((*([path] for path in CENTRES), list(CENTRES)))
    for number in range(random.choice((1, 2, 2, 3))):
        first = random.choice((0, 1, -7))
        keys = _keys(random, steps, random.choice(paths), first)
        last = keys["frames"][-1]
        hows: list[Step] = [{}, {"scale": 2.0}, {"scale": 0.75}, {"repeat": 2.0}, {"repeat": 1.5}, {"mute": True}]
        hows += [{"action_frame_start": first + 1.0}, {"action_frame_end": last - 1.0}]
        hows += [{"action_frame_end": last + 6.0, "scale": 0.5}]
        how = random.choice(hows) | {"use_reverse": random.random() < 0.25, "extrapolation": random.choice(HOLDS)}
        place = {"behind": random.choice((0, 4))} if random.random() < 0.5 else {"at": random.randrange(20)}
        steps += [{**keys, "action": f"Move {number}"}, {"do": "strip", "owner": "Box", "set": how, **place}]
        steps[-1] |= {"meta": True} if random.random() < 0.2 and "mute" not in how else {}
    if random.random() < 0.3:
        steps.append({**_keys(random, steps, random.choice(list(CENTRES))), "action": "Over", "modifier": None})
    return steps


def _line(random: Random, depth: int) -> str:
    """A line of x, as a person may write it."""
    forms = "({0} + {1})", "({1} + {0})", "({0} - {1})", "({1} - {0})", "{0} * {1}", "{1} * {0}", "{0} / {1}", "-{0}"
    number, form = round(random.uniform(0.2, 2), 2), random.choice((*forms, "+({0})", "({1} - {1} / 2) * {0}"))
    return form.format(f"({_line(random, depth - 1)})", number) if depth else "x"


def drivers(random: Random) -> list[Step]:
    """Numbers that lines of what has keys drive, beside keys of others."""
    steps, sources = _holder(random), ["location.x", "location.z", "location[1]", "location[0]"]
    dial = motion.keys(random, "Dial", "location", motion.frames(random, 1, 20), [0.1, 0.2, 0.3], 0.6)
    dial["shapes"] = [random.choice(SHAPES[:3]) for _ in range(2)]
    dial |= random.choice(({}, {}, {"modifier": {"type": "CYCLES", "set": {}}}))
    steps += [{"do": "thing", "name": "Dial", "type": "EMPTY", "at": {}}, dial]
    path, other = random.sample(list(CENTRES), 2)
    for index in random.sample(range(len(CENTRES[path])), random.choice((1, 2))):
        kind, line = random.choice((("SCRIPTED", _line(random, random.randrange(4))), ("AVERAGE", ""), ("SUM", "")))
        steps.append({"do": "driver", "owner": "Box", "path": _keys(random, steps, path)["path"], "index": index,
                      "type": kind, "source": "Dial", "source_path": random.choice(sources),
                      "expression": line})  # fmt: skip
    return [*steps, _keys(random, steps, other, 1)]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("draw", [strips, drivers])
def test_what_is_no_more_than_curves_is_captured_as_keys_that_play(draw: Maker, part: int, take: Maker) -> None:
    for number in range(part, SCENES, PARTS):
        check(draw, number, take)


def check(draw: Maker, number: int, take: Maker) -> None:
    random = Random(f"{draw.__name__} {number}")
    stage.build({"format": "animx", "steps": draw(random)})
    box, options = bpy.data.objects["Box"], random.choice(OPTIONS)
    holder = box.pose.bones["Hip"] if box.pose else box
    span = clock.candidates([box], None, options)[0]
    whole = [random.randint(math.ceil(span.first), math.floor(span.last)) for _ in range(MOMENTS)]
    # between two frames, and on the last of strips, where Blender shows these and not what begins there
    frames = [frame + random.uniform(0.05, 0.95) for frame in whole if frame + 1 <= span.last] + whole * (
        draw is strips
    )
    seen = []
    for frame in frames:
        go_to(frame)
        seen.append({"location": [*holder.location], "scale": [*holder.scale], "p": [*holder["p"]]})
    captured = take(box, **options)
    assert captured.baked == 0 or _rests(box, span), (number, captured.reasons)
    assert captured.clip.duration == pytest.approx(span.seconds, abs=1e-6), number
    if captured.baked and take.report.warnings:  # type: ignore[attr-defined]  # of what is too fast
        return
    clip, node = plain.in_classes(captured.clip, classes), "Hip" if box.pose else "Box"
    for frame, shown in zip(frames, seen):
        found = {name: list(values) for name, values in seen[0].items()}
        for track in (each for each in clip.tracks if each.node == node and each.property in found):
            place = slice(track.component, track.component + len(track.values))
            found[track.property][place] = plain.value(track, (frame - span.first) / clock.rate())
        for name, values in shown.items():
            assert np.allclose(found[name], values, rtol=OFF, atol=OFF), (number, name, frame, found[name], values)


def _rests(box: Any, span: clock.Span) -> bool:
    """Whether something plays nothing at times, or ends otherwise than the strip that it is in, and is sampled."""
    tracks = [track.strips for track in box.animation_data.nla_tracks if track.strips]
    metas = [strip for strips in tracks for strip in strips if strip.type == "META"]
    before = span.first < min((strips[0].frame_start for strips in tracks), default=span.first)
    behind = span.last > max((strips[-1].frame_end for strips in tracks), default=span.last)
    before = before and any(strips[0].extrapolation != "HOLD" for strips in tracks)
    behind = behind and any(strips[-1].extrapolation == "NOTHING" for strips in tracks)
    muted = any(len({strip.mute for strip in strips}) > 1 for strips in tracks)
    return (
        before or behind or muted or any({strip.extrapolation for strip in meta.strips} != {"HOLD"} for meta in metas)
    )
