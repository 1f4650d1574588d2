"""Draws what people have now and then, and whatever else an export reads: blends of the NLA, properties of every type,
limits, twins, deltas, inheritance, drivers of drivers, options of the export.

Each is a function that adds steps to a sketch; they are drawn from a seed of their own, a few for each scene.
"""

from __future__ import annotations

from random import Random
from typing import Any

from . import motion

Step = dict[str, Any]
_BLENDS = ("REPLACE", "ADD", "SUBTRACT", "MULTIPLY", "COMBINE")
_HOLDS = ("HOLD", "HOLD_FORWARD", "NOTHING")
_EACH = 3
"""How much of it a scene has."""
_CHECKED = 0.4
"""Part of the scenes whose export looks at what it wrote; the others are right without, by rules alone."""


def add_to(sketch: Any, random: Random, number: int) -> None:
    """Add some of it to a scene that a person made, before anything is selected; all of it within a dozen scenes."""
    if sketch.format not in _OF_FORMAT:
        return
    makers = of(sketch.rigs, sketch.format)
    for place in range(number * _EACH, (number + 1) * _EACH):
        makers[place % len(makers)](sketch, random)


def of(rigs: Any, kind: str) -> list[Any]:
    """What adds such steps to a scene of a format, with bones or without."""
    return [*_ANYWHERE, *(_OF_BONES if rigs else ()), *_OF_FORMAT.get(kind, ())]


def options(sketch: Any, random: Random) -> None:
    """Draw what else an export of what a person made is asked for."""
    if sketch.format not in _OF_FORMAT or any(step["do"] == "import" for step in sketch.steps):
        return
    sampled = {step["modifier"]["type"] for step in sketch.steps if "modifier" in step} - {"CYCLES"}
    sizes = [size for step in sketch.steps if step["do"] == "pose" for size in step["set"].get("scale", ())]
    resting = any("NOTHING" in (step.get("set") or step.get("strip", {})).values() for step in sketch.steps)
    seen_by_the_check_alone = sampled or resting or min(sizes, default=1.0) <= 0
    if random.random() > _CHECKED and not seen_by_the_check_alone:
        sketch.options["check_playback"] = "OFF"
    if random.random() < 0.06:
        sketch.options["sampling"] = "BAKE"
    for draw, share in _OPTIONS[sketch.format].items():
        if random.random() < share:
            draw(sketch, random)


# --- Who ------------------------------------------------------------------------------------------------------------


def _holder(sketch: Any, random: Random) -> str:
    """An armature or object of the scene, rather one that is written."""
    things = [*sketch.rigs, *sketch.objects]
    return random.choice([name for name in sketch.selected if name in things] or things)


def _rig(sketch: Any, random: Random) -> str:
    return random.choice(list(sketch.rigs))


def _bone(sketch: Any, random: Random, rig: str) -> str:
    return random.choice(sketch.rigs[rig])


def _who(owner: str, bone: str) -> Step:
    """An object, or a bone of it where one is named."""
    return {"owner": owner, **({"bone": bone} if bone else {})}


def _moving(sketch: Any, *ends: str) -> list[Step]:
    """Steps of keys, of paths that end so."""
    return [step for step in sketch.steps if step["do"] == "keys" and step["path"].endswith(ends or "")]


def _pose(sketch: Any, owner: str, bone: str = "", **values: Any) -> None:
    sketch.add({"do": "pose", **_who(owner, bone), "set": values})


def _numbers(random: Random, centre: float, spread: float, count: int = 3) -> list[float]:
    return [round(random.uniform(centre - spread, centre + spread), 3) for _ in range(count)]


def _part(sketch: Any, random: Random, owner: str) -> str:
    """The prefix of paths of an object, or of a bone of an armature."""
    return f'pose.bones["{_bone(sketch, random, owner)}"].' if owner in sketch.rigs else ""


def _at(sketch: Any, random: Random) -> list[int]:
    return motion.frames(random, sketch.first, sketch.last)


# --- The NLA --------------------------------------------------------------------------------------------------------


def _strip_of(sketch: Any, random: Random) -> str:
    """Whose Action is pushed down into a strip, now or before."""
    for step in sketch.steps:
        if step["do"] == "strip":
            return str(step["owner"])
    movers = list(dict.fromkeys(step["owner"] for step in _moving(sketch) if "/" not in step["owner"]))
    owner = random.choice(movers) if movers else _holder(sketch, random)
    sketch.add({**motion.strip(random, owner, sketch.first), "set": {}})
    return owner


def _blended(sketch: Any, random: Random) -> None:
    """A strip that fades in or out, is blended, or whose influence or time is keyed."""
    owner, ends = _strip_of(sketch, random), [sketch.first + 1, sketch.last - 1]
    step: Step = {"do": "blend", "owner": owner}
    kind = random.choice(("blend_in", "blend_out", "influence", "strip_time", "blend", "extrapolation"))
    if kind in ("blend_in", "blend_out"):
        step["strip"] = {kind: float(random.choice((2, 3, 5)))}
    elif kind == "blend":
        step["strip"] = {"blend_type": random.choice(_BLENDS)}
    elif kind == "extrapolation":
        step["strip"] = {"extrapolation": random.choice(_HOLDS)}
    elif kind == "influence":
        step |= {"strip": {"use_animated_influence": True}, "curve": [kind, ends, _numbers(random, 0.5, 0.5, 2)]}
    else:
        step |= {"strip": {"use_animated_time": True}, "curve": [kind, ends, [sketch.first, sketch.last - 2]]}
    sketch.add(step)


def _drawn_strip(sketch: Any, random: Random) -> None:
    """A strip that plays a part of its Action, often, backwards, slower or faster."""
    kinds: list[Step] = [{"repeat": 1.5}, {"repeat": 2.0, "use_reverse": True}, {"scale": 0.5}, {"scale": 1.5},
                         {"use_reverse": True}, {"action_frame_end": sketch.last - 2.0},
                         {"action_frame_start": sketch.first + 2.0}]  # fmt: skip
    sketch.add({"do": "blend", "owner": _strip_of(sketch, random), "strip": random.choice(kinds)})


def _two_tracks(sketch: Any, random: Random) -> None:
    """Another Action in a second track, plain or blended; one of them muted or solo."""
    owner = _strip_of(sketch, random)
    prefix = _part(sketch, random, owner)
    step = motion.location(random, owner, prefix, _at(sketch, random), 0.1 if prefix else 1.0)
    sketch.add({**step, "action": "Above"})
    begin = sketch.first + random.choice((0, 3))
    sketch.add({"do": "strip", "owner": owner, "at": begin, "set": {}, "action": "Above"})
    which: Step = random.choice(({"is_solo": True}, {"mute": True}, {}, {}))
    strip: Step = random.choice(({"mute": True}, {"blend_type": random.choice(_BLENDS)}, {}, {}))
    sketch.add({"do": "blend", "owner": owner, "at": random.choice((0, -1)), "track": which, "strip": strip})


def in_a_row(sketch: Any, random: Random) -> None:
    """Another strip in the same track, behind the first one, which ends or holds, or with a gap."""
    owner = _strip_of(sketch, random)
    hold = random.choice(_HOLDS)
    if sketch.steps[-1]["do"] == "strip":
        sketch.steps[-1]["set"]["extrapolation"] = hold
    prefix = _part(sketch, random, owner)
    make = random.choice((motion.location, motion.size))
    step = make(random, owner, prefix, _at(sketch, random), *[0.1] * (make is motion.location))
    sketch.add({**step, "action": "Behind"})
    hold = {"extrapolation": random.choice(_HOLDS)}
    sketch.add({"do": "strip", "owner": owner, "set": hold, "behind": random.choice((0, 4))})


def _action_over_strips(sketch: Any, random: Random) -> None:
    """An Action above a strip, which may blend or end."""
    owner = _strip_of(sketch, random)
    at = [sketch.first + 2, sketch.last - 1]
    prefix = _part(sketch, random, owner)
    sketch.add({**motion.location(random, owner, prefix, at, 0.1 if prefix else 1.0), "action": "Over"})
    data = random.choice(({"action_blend_type": random.choice(_BLENDS)}, {"action_influence": 0.5}, {}))
    sketch.add({"do": "blend", "owner": owner, "data": {**data, "action_extrapolation": random.choice(_HOLDS)}})


def _blending_action(sketch: Any, random: Random) -> None:
    """An Action that alone counts in part, or that the NLA, switched off, does not blend."""
    moving = [step for step in _moving(sketch) if "/" not in step["owner"]]
    if moving:
        data = random.choice(({"action_influence": 0.5}, {"action_blend_type": "ADD"}, {"use_nla": False}))
        sketch.add({"do": "blend", "owner": random.choice(moving)["owner"], "data": data})


# --- Curves ---------------------------------------------------------------------------------------------------------


def _modified(sketch: Any, random: Random) -> None:
    """A modifier that counts in part, within frames, or fades in and out; rounds before the keys, with an end."""
    moving = [step for step in _moving(sketch) if "modifier" not in step and "visibility" not in step["path"]]
    if not moving:
        return
    step, first, last = random.choice(moving), sketch.first, sketch.last
    kind = random.choice(("CYCLES", "CYCLES", "NOISE", "LIMITS", "ENVELOPE", "GENERATOR", "FNGENERATOR", "STEPPED"))
    values: Step = {}
    if kind == "CYCLES":
        modes = ("NONE", "REPEAT", "REPEAT_OFFSET", "MIRROR")
        values = {"mode_before": random.choice(modes), "mode_after": random.choice(modes)}
        values |= {"cycles_before": random.choice((0, 1)), "cycles_after": random.choice((0, 1, 3))}
        middle = first + max((last - first) // 3, 2)
        if len(step["frames"]) > 1:
            step["frames"], step["rows"] = [middle, middle + 2], step["rows"][:2]
    elif kind == "NOISE":
        values = {"strength": 0.1, "scale": 4.0, "phase": 2.5, "blend_type": random.choice(("REPLACE", "ADD"))}
    elif kind == "LIMITS":
        values = {"use_min_y": True, "min_y": 0.05}
    elif kind == "ENVELOPE":
        values = {"reference_value": 0.0, "default_min": -0.2, "default_max": 0.2}
    elif kind == "STEPPED":
        values = {"frame_step": 2.0, "frame_offset": 1.0, "use_frame_start": True, "frame_start": first + 1.0}
    else:
        values = {"use_additive": random.random() < 0.7}
    if kind in ("NOISE", "LIMITS") and random.random() < 0.5:
        values |= {"use_restricted_range": True, "frame_start": first + 1, "frame_end": last - 1, "blend_in": 2.0}
    if kind != "CYCLES" and random.random() < 0.3:
        values |= {"use_influence": True, "influence": 0.5}
    step["modifier"] = {"type": kind, "set": values}
    step["modified"] = step["indices"][: random.choice((1, 4))]


def _muted(sketch: Any, random: Random) -> None:
    """A channel that is muted, alone, with its group, or by a modifier that is muted."""
    moving = _moving(sketch)
    if moving:
        step = random.choice(moving)
        step.update(random.choice(({"mute": True}, {"group": ["Mine", True]}, {"group": ["Mine", False]})))


def _line_beyond(sketch: Any, random: Random) -> None:
    """Keys within the motion that go on in lines."""
    moving = [step for step in _moving(sketch, "location", "scale", "]") if len(step["frames"]) > 1]
    moving = [step for step in moving if "modifier" not in step and len(step["rows"][0]) > 1]
    if moving and sketch.last - sketch.first > 8:
        step = random.choice(moving)
        step["extrapolation"] = "LINEAR"
        step["frames"], step["rows"] = [sketch.first + 3, sketch.first + 6], step["rows"][:2]


def _far_and_tiny(sketch: Any, random: Random) -> None:
    """Numbers that are huge or tiny, or two keys less than a frame apart."""
    moving = _moving(sketch, "location")
    if moving:
        step = random.choice(moving)
        if random.random() < 0.5:
            factor = random.choice((1e4, 1e-5))
            step["rows"] = [[value * factor for value in row] for row in step["rows"]]
            step["rise"] = step.get("rise", 0.05) * factor
        elif len(step["frames"]) > 2:
            step["frames"][1] = step["frames"][0] + 0.5
            step["reach"] = 0.1


def _eased(sketch: Any, random: Random) -> None:
    """Segments that bounce, swing or overshoot, by numbers of their own."""
    moving = [step for step in _moving(sketch) if len(step["frames"]) > 1]
    if moving:
        step = random.choice(moving)
        step["shapes"] = [random.choice(("BACK", "ELASTIC", "BOUNCE")), random.choice(("BEZIER", "CONSTANT", "SINE"))]
        step["easing"] = random.choice(("AUTO", "EASE_IN", "EASE_OUT", "EASE_IN_OUT"))
        step["key"] = {"back": 2.5, "amplitude": 0.3, "period": 4.0}


# --- Poses ----------------------------------------------------------------------------------------------------------


def _turned_below_size(sketch: Any, random: Random) -> None:
    """A parent of other sizes along its axes, above what is turned: bones or objects."""
    child = _holder(sketch, random)
    at = {"scale": _numbers(random, 1.2, 0.4), "rotation_euler": [0.3, 0, 0]}
    sketch.add({"do": "thing", "name": "Stretched", "type": "EMPTY", "at": at})
    sketch.add({"do": "parent", "child": child, "parent": "Stretched", "keep": False})


def _on_vertex(sketch: Any, random: Random) -> None:
    """An object on a vertex of another that moves."""
    child = _holder(sketch, random)
    sketch.add({"do": "thing", "name": "Ground", "type": "MESH", "at": {"location": [0.2, 0.1, 0.3]}})
    at = _at(sketch, random)
    sketch.add(motion.location(random, "Ground", "", at, 0.5))
    sketch.add({"do": "parent", "child": child, "parent": "Ground", "vertex": 1})


def _delta(sketch: Any, random: Random) -> None:
    """What comes on top of an object's own transform."""
    owner, mode = _holder(sketch, random), random.choice(("XYZ", "QUATERNION", "ZYX"))
    kind = random.choice(("delta_location", "delta_scale", "delta_rotation_euler", "delta_rotation_quaternion"))
    values = {
        "delta_location": _numbers(random, 0.0, 1.0),
        "delta_scale": _numbers(random, 1.0, 0.3),
        "delta_rotation_euler": _numbers(random, 0.0, 0.5),
        "delta_rotation_quaternion": [0.9, 0.3, 0.1, 0.2],
    }
    if not _moving(sketch, "rotation_euler", "rotation_quaternion", "rotation_axis_angle"):
        _pose(sketch, owner, rotation_mode=mode)
    _pose(sketch, owner, **{kind: values[kind]})


def _keyed_influence(sketch: Any, random: Random) -> None:
    """A constraint of strength 0 or that is muted, alone or with keys that change that."""
    owner = _holder(sketch, random)
    bone = _bone(sketch, random, owner) if owner in sketch.rigs else ""
    sketch.add({"do": "thing", "name": "Magnet", "type": "EMPTY", "at": {"location": [0.5, -0.4, 1.0]}})
    off = random.choice(({"influence": 0.0}, {"mute": True}, {"influence": 0.3}))
    sketch.add({"do": "constraint", **_who(owner, bone), "type": "COPY_LOCATION", "target": "Magnet", "set": off})
    if random.random() < 0.6:
        place, name = f'pose.bones["{bone}"].' if bone else "", "enabled" if "mute" in off else "influence"
        path = f'{place}constraints["Copy Location"].{name}'
        step = motion.keys(random, owner, path, _at(sketch, random), [0.5], 0.5)
        if name == "enabled":
            step |= {"shapes": ["CONSTANT"], "rows": [[float(n % 2)] for n in range(len(step["frames"]))]}
        sketch.add(step)


def _limited(sketch: Any, random: Random) -> None:
    """A constraint that limits what keys say, or copies only some axes."""
    owner = _holder(sketch, random)
    bone = _bone(sketch, random, owner) if owner in sketch.rigs else ""
    kinds: list[tuple[str, Step]] = [
        ("LIMIT_LOCATION", {"use_max_z": True, "max_z": 0.02, "owner_space": "LOCAL"}),
        ("LIMIT_ROTATION", {"use_limit_x": True, "min_x": -0.2, "max_x": 0.2, "owner_space": "LOCAL"}),
        ("LIMIT_SCALE", {"use_max_x": True, "max_x": 1.1, "owner_space": "LOCAL"}),
        ("MAINTAIN_VOLUME", {"owner_space": "LOCAL"}),
    ]
    kind, values = random.choice(kinds)
    sketch.add({"do": "constraint", **_who(owner, bone), "type": kind, "target": "",
                "set": values})  # fmt: skip


def _scene_around(sketch: Any, random: Random) -> None:
    """What the scene has besides: a preview range, steps, units."""
    kinds: list[Step] = [
        {"use_preview_range": True, "frame_preview_start": 3, "frame_preview_end": 9}, {"frame_step": 3},
        {"unit_settings.scale_length": 0.01}, {"sync_mode": "FRAME_DROP"},
    ]  # fmt: skip
    sketch.steps[0]["set"] = random.choice(kinds)


def mirrored(sketch: Any, random: Random) -> None:
    """A negative size of what moves by keys that a modifier changes."""
    owner = _holder(sketch, random)
    _pose(sketch, owner, _bone(sketch, random, owner) if owner in sketch.rigs else "", scale=[-1.0, 1.0, 1.0])
    _modified(sketch, random)


def _free_bone(sketch: Any, random: Random) -> None:
    """A bone below a turned one that inherits no turn, or whose place is along the armature's axes."""
    rig = _rig(sketch, random)
    bones = sketch.rigs[rig]
    number = random.randrange(len(bones))
    wanted = random.choice(({"use_inherit_rotation": False}, {"use_local_location": False}))
    if number:
        prefix = f'pose.bones["{bones[number - 1]}"].'
        sketch.add(motion.turn(random, rig, prefix, _at(sketch, random), "QUATERNION"))
    sketch.add(motion.location(random, rig, f'pose.bones["{bones[number]}"].', _at(sketch, random), 0.2))
    _pose(sketch, rig, bones[number], **wanted)


def _posed_parts(sketch: Any, random: Random) -> None:
    """What was posed without keys in some components, beside others that have some."""
    rig = _rig(sketch, random)
    bone = _bone(sketch, random, rig)
    _pose(sketch, rig, bone, location=_numbers(random, -0.1, 0.1), scale=_numbers(random, 0.9, 0.05))
    step = motion.location(random, rig, f'pose.bones["{bone}"].', _at(sketch, random), 0.1)
    sketch.add(motion.only_one(random, step))
    if random.random() < 0.5:
        _pose(sketch, rig, bone, rotation_mode=random.choice(motion.ORDERS), rotation_euler=_numbers(random, 0.0, 0.6))
        turn = motion.turn(random, rig, f'pose.bones["{bone}"].', _at(sketch, random), "XYZ")
        sketch.add(motion.only_one(random, turn))


def _knee(sketch: Any, random: Random) -> None:
    """Inverse kinematics of a few bones, without the tip or with a pole, towards what moves."""
    rig = _rig(sketch, random)
    bones = sketch.rigs[rig]
    sketch.add({"do": "thing", "name": "Foothold", "type": "EMPTY", "at": {"location": [0.3, 0.2, 0.9]}})
    sketch.add(motion.location(random, "Foothold", "", _at(sketch, random), 0.3))
    above = {bone: parent for step in sketch.steps if step["do"] == "rig" for bone, parent, *_ in step["bones"]}
    # of no bone at all Blender makes another pose each time
    with_tail = random.random() < 0.5 or above.get(bones[-1]) is None
    values: Step = {"chain_count": random.choice((2, 3)), "use_tail": with_tail}
    sketch.add({"do": "constraint", "owner": rig, "bone": bones[-1], "type": "IK", "target": "Foothold", "set": values})


def _twin(sketch: Any, random: Random) -> None:
    """Another object of the same data, which moves by itself or plays the same Action."""
    of = _holder(sketch, random)
    sketch.add({"do": "twin", "of": of, "name": f"{of} Twin", "at": {"location": _numbers(random, 0.5, 1.0)}})
    if random.random() < 0.4:
        sketch.add({"do": "share", "owner": f"{of} Twin", "of": of, "slot": "SAME"})
    else:
        sketch.add(motion.location(random, f"{of} Twin", "", _at(sketch, random), 0.5))
    if sketch.format == "animx" and random.random() < 0.5:
        sketch.selected.append(f"{of} Twin")


def _mirrored_children(sketch: Any, random: Random) -> None:
    """An object of negative sizes above another that moves."""
    child = _holder(sketch, random)
    size = random.choice(([-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, -1.0]))
    sketch.add({"do": "thing", "name": "Mirror", "type": "EMPTY", "at": {"scale": size}})
    sketch.add({"do": "parent", "child": child, "parent": "Mirror", "keep": random.random() < 0.5})


# --- Properties and drivers -----------------------------------------------------------------------------------------

_PROPERTIES: tuple[tuple[Any, Step], ...] = (
    (True, {}), (3, {}), (3, {"min": 0, "max": 5}), (0.5, {"min": 0.2, "max": 0.8}), (0.5, {"default": 0.25}),
    ([0.1, 0.2], {}), ([0.1, 0.2, 0.3], {"subtype": "COLOR"}), ([0.1, 0.2, 0.3, 1.0], {"subtype": "COLOR"}),
    ([0.1, 0.2, 0.3, 0.4, 0.5], {}), ([1, 2, 3], {}), ([True, False, True], {}), ([0.5] * 9, {}),
    ([0.4, 0.5], {"default": [0.3, 0.6]}),
)  # fmt: skip


def _property(sketch: Any, random: Random) -> None:
    """A custom property of any type, some of whose numbers have keys."""
    owner = _holder(sketch, random)
    bone = _bone(sketch, random, owner) if owner in sketch.rigs and random.random() < 0.7 else ""
    value, settings = random.choice(_PROPERTIES)
    given = {"do": "property", **_who(owner, bone), "name": "trait"}
    if any(given.items() <= step.items() for step in sketch.steps):
        return  # of one number of values only
    sketch.add({**given, "value": value, "ui": settings})
    numbers = value if isinstance(value, list) else [value]
    path = f'pose.bones["{bone}"]["trait"]' if bone else '["trait"]'
    whole = not isinstance(numbers[0], float)
    step = motion.keys(random, owner, path, _at(sketch, random), list(map(float, numbers)), 2.0 if whole else 0.6)
    if whole and random.random() < 0.5:
        step |= {"shapes": ["CONSTANT"], "rows": [[float(round(number)) for number in row] for row in step["rows"]]}
    if isinstance(numbers[0], bool):
        step["rows"] = [[float(number > 1) for number in row] for row in step["rows"]]
    sketch.add(motion.only_one(random, step) if len(numbers) > 1 and random.random() < 0.5 else step)


def _driven_driver(sketch: Any, random: Random) -> None:
    """Drivers that follow one component, others that follow what is driven, by every kind of line."""
    sketch.add({"do": "thing", "name": "Knob", "type": "EMPTY", "at": {}})
    sketch.add({**motion.keys(random, "Knob", "location", _at(sketch, random), [0.1, 0.2, 0.3], 0.4)})
    if random.random() < 0.3:
        sketch.steps[-1]["mute"] = True
    owner = _holder(sketch, random)
    prefix = _part(sketch, random, owner)
    source = random.choice(("location.y", "location[2]", "location.z", "location[0]"))
    lines = ("x - 0.3", "0.2 - x", "-x", "x / 2 + 0.5", "x * 3 - 1", "2 * (x + 0.1)", "+x - (0.1 + 0.2)", "x * x")
    driver = {"do": "driver", "owner": owner, "path": f"{prefix}location", "index": 0, "source": "Knob",
              "source_path": source, "expression": random.choice(lines)}  # fmt: skip
    sketch.add(driver)
    kind = random.choice(("chain", "average", ""))
    if kind == "chain":
        sketch.add({"do": "thing", "name": "Gear", "type": "EMPTY", "at": {}})
        sketch.steps[-2:] = [sketch.steps[-1], {**driver, "owner": "Gear", "path": "location"}]
        sketch.add({**driver, "source": "Gear", "source_path": "location.x", "expression": "x + 0.1"})
    elif kind == "average":
        driver["type"] = random.choice(("AVERAGE", "SUM", "MAX"))


def driven_anyhow(sketch: Any, random: Random) -> None:
    """A driver, by a line or none, of what repeats, goes on, shakes or is in a strip; or of what has keys besides."""
    _driven_driver(sketch, random)
    knob, driver = (next(step for step in sketch.steps if is_it(step)) for is_it in (_is_knob, _is_of_knob))
    modifiers: list[Step] = [{"type": "NOISE", "set": {"scale": 9.0}}, {"type": "CYCLES", "set": {}}]
    knob |= random.choice(({"extrapolation": "LINEAR"}, {}, *({"modifier": each} for each in modifiers)))
    driver["expression"] = random.choice((driver["expression"], "sin(x)", "x + frame / 9", "x / (x + 9)"))
    if random.random() < 0.3:
        sketch.add(motion.strip(random, "Knob", sketch.first))
    if random.random() < 0.3:
        sketch.add(motion.keys(random, driver["owner"], driver["path"], _at(sketch, random), [0.0] * 3, 0.2))


def _is_knob(step: Step) -> bool:
    return step["do"] == "keys" and step["owner"] == "Knob"


def _is_of_knob(step: Step) -> bool:
    return step["do"] == "driver" and step["source"] == "Knob"


def _hidden_in_renders(sketch: Any, random: Random) -> None:
    """What hides an object in pictures, with or without what hides it in the viewport."""
    owner = _holder(sketch, random)
    for path in random.choice((("hide_render",), ("hide_render", "hide_viewport"))):
        sketch.add(motion.switch(owner, path, _at(sketch, random)))


def _some_of_a_colour(sketch: Any, random: Random) -> None:
    """Keys of some components of a light's colour."""
    sketch.add({"do": "thing", "name": "Lantern", "type": "POINT", "at": {}})
    sketch.objects.append("Lantern")
    sketch.selected.append("Lantern")
    step = motion.keys(random, "Lantern/data", "color", _at(sketch, random), [0.4, 0.5, 0.6], 0.3)
    sketch.add(motion.only_one(random, step))


# --- Recordings -----------------------------------------------------------------------------------------------------


def _switches(sketch: Any, random: Random) -> None:
    """Whether a hand is seen, and pinches, by keys, first on or off."""
    rig = "Hands"
    for wrist in [bone for bone in sketch.rigs.get(rig, ()) if bone.startswith("Wrist")]:
        for name in random.sample(("tracked", "pinching"), random.choice((1, 2))):
            at, first = _at(sketch, random), random.choice((0, 1))
            sketch.add({"do": "property", "owner": rig, "bone": wrist, "name": name, "value": bool(first)})
            rows = [[float((number + first) % 2)] for number in range(len(at))]
            sketch.add(motion.switch(rig, f'pose.bones["{wrist}"]["{name}"]', at[random.choice((0, 1)) :], rows))


def _moving_gaze(sketch: Any, random: Random) -> None:
    """The camera, the gaze or its direction moves."""
    bones = [bone for bone in sketch.rigs.get("Hands", ()) if bone in ("Camera", "Gaze", "GazeDirection")]
    for bone in bones:
        prefix = f'pose.bones["{bone}"].'
        sketch.add(motion.location(random, "Hands", prefix, _at(sketch, random), 0.2))
        sketch.add(motion.turn(random, "Hands", prefix, _at(sketch, random), "QUATERNION"))


def _marked(sketch: Any, random: Random) -> None:
    """Markers of the Action, within and beyond its frames."""
    at = [sketch.first, (sketch.first + sketch.last) // 2, sketch.last + random.choice((0, 5))]
    sketch.add({"do": "markers", "owner": "Hands", "at": [[frame, f"M{number}"] for number, frame in enumerate(at)]})


# --- Options --------------------------------------------------------------------------------------------------------


def _span(sketch: Any, random: Random) -> None:
    """The scene's frames, an end beyond the keys, or frame 0 as time 0."""
    scene, first, last = sketch.steps[0], sketch.first, sketch.last
    scene["first"], scene["last"] = random.choice(((first - 3, last + 5), (first + 2, last - 1), (first, last + 6)))
    scene["first"] = max(scene["first"], 0)
    scene["last"] = max(scene["last"], scene["first"] + 2)
    sketch.options[random.choice(("use_scene_range", "bake_to_scene_end", "keep_frame_zero"))] = True
    if any(step["do"] == "strip" for step in sketch.steps):  # what rests after a strip only the check sees
        sketch.options.pop("check_playback", None)


def _scaled(sketch: Any, random: Random) -> None:
    sketch.options["scale"] = random.choice((2.0, 0.5))


def _axes(sketch: Any, random: Random) -> None:
    sketch.options["axes"] = random.choice(("ENGINE", "FBX_CM", "MANUAL", "AUTO"))
    if sketch.options["axes"] == "MANUAL":
        forward, up = random.choice((("Y", "Z"), ("-Z", "Y"), ("X", "-Y"), ("Z", "X")))
        sketch.options |= {"forward_axis": forward, "up_axis": up, "left_handed": random.random() < 0.5}


def _written_otherwise(sketch: Any, random: Random) -> None:
    kinds: list[Step] = [
        {"still_channels": True}, {"node_prefix": "my "},
        {"ending": ".animx", "container": "LZMA"}, {"ending": ".animx", "container": "LZ4"},
        {"ending": ".animx", "key_order": "TIME"}, {"ending": ".animx", "tangent_order": "RIGHT"},
    ]  # fmt: skip
    sketch.options |= random.choice(kinds)


def _rounds(sketch: Any, random: Random) -> None:
    sketch.options["loop_count"] = random.choice((2, 3))


def _other_joints(sketch: Any, random: Random) -> None:
    """Bones of names that nobody knows, with pairs that say which joints they are."""
    joints = [bone for bone in sketch.rigs.get("Hands", ()) if not bone.startswith(("Wrist", "Camera", "Gaze", "Fore"))]
    pairs = {joint: f"b{number}" for number, joint in enumerate(random.sample(joints, min(3, len(joints))))}
    sketch.steps[:] = [_renamed(step, pairs) for step in sketch.steps]
    sketch.options["joint_names"] = "; ".join(f"{bone}={joint}" for joint, bone in pairs.items())


def _renamed(found: Any, pairs: dict[str, str]) -> Any:
    """What a recipe holds, with other names of bones, in paths too."""
    if isinstance(found, dict):
        return {key: _renamed(value, pairs) for key, value in found.items()}
    if isinstance(found, list):
        return [_renamed(value, pairs) for value in found]
    for old, new in pairs.items() if isinstance(found, str) else ():
        found = new if found == old else found.replace(f'"{old}"', f'"{new}"')
    return found


_ANYWHERE = (
    _blended, _drawn_strip, _two_tracks, _action_over_strips, _blending_action, _modified, _muted, _line_beyond,
    _far_and_tiny, _eased, _turned_below_size, _delta, _keyed_influence, _limited, _scene_around, _mirrored_children,
    _driven_driver,
)  # fmt: skip
_OF_BONES = (_free_bone, _posed_parts, _knee)
_OF_FORMAT = {
    "animx": (_property, _property, _hidden_in_renders, _some_of_a_colour, _twin, _on_vertex),
    "mrtk": (_switches, _switches, _moving_gaze, _marked),
}
_OPTIONS = {
    "animx": {_span: 0.15, _scaled: 0.05, _axes: 0.12, _written_otherwise: 0.15},
    "mrtk": {_span: 0.15, _scaled: 0.08, _rounds: 0.1, _other_joints: 0.1},
}
