"""Draws what people who make W3D and W3X have besides: takes of every form with edits of every kind, armatures for
skeleton files, names that are too long, figures of any size, bones that are hidden one way or another, more options.

They are drawn apart, from a seed of their own.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from . import motion, rigs
from .players import w3d, w3x

Step = dict[str, Any]
FORMATS = ("w3d", "w3x")
_DATA = Path(__file__).resolve().parents[1] / "data"
_TAKES = {
    "w3d": """b01_motion_tc b02_motion_ad4 g01_raw_trim_vis g02_tc_default g03_tc_binmove g04_ad_01f g04_ad_16f
        g04_ad_17f g06_raw_flip g07_raw_1frame h01_raw_extra h02_raw_bits h03_tc_hand h04_multi_unknown
        h04_multi_unknown""".split(),
    "w3x": ["g01_anim", "g02", "g03", "g03"],
}
_SKELETONS = {"w3d": "w3d/g02_skl.w3d", "w3x": "w3x/g01_skl.w3x"}
_LONG = (
    "mixamorig:{}", "A_bone_with_a_long_name_{}", "{}_of_the_left_arm_of_the_soldier", "Vehicle:Turret:{}",
    "Éléphant {}", "{}.a.name.with.dots.",
)  # fmt: skip


@cache
def _played(kind: str, file: str, beside: str = "") -> Any:
    skeleton = (_DATA / beside).read_bytes() if beside else b""
    return {"w3d": w3d.Player, "w3x": w3x.Player}[kind].of((_DATA / file).read_bytes(), 0, skeleton)


# --- What a person imported -----------------------------------------------------------------------------------------


def take(sketch: Any, random: Random) -> None:
    """An imported take of any form, with up to three edits, and what else is in its scene."""
    name = random.choice(_TAKES[sketch.format])
    file, beside = f"{sketch.format}/{name}.{sketch.format}", name[:4] in ("g02_", "g01_a")
    own = _played(sketch.format, file, _SKELETONS[sketch.format] if beside or name == "g01_anim" else "")
    given = _import_options(sketch, random)
    sketch.steps[0].pop("map", None)
    if name[0] == "b":
        given.pop("engine", None)  # of other games than the file's, whose turns are others
    sketch.add({"do": "import", "format": sketch.format, "file": file, "options": given})
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        edit = random.choices(list(_EDITS), list(_EDITS.values()))[0]
        for step in edit(random, own):
            sketch.add(step)
    flavors = ("AUTO",) * 6 + ("RAW", "TIMECODED", "ADAPTIVE_DELTA", "BFME_TIMECODED", "BFME_ADAPTIVE")
    if sketch.format == "w3d":
        sketch.options["flavor"] = random.choice(flavors)
    includes = ["AUTO", "AUTO", "AUTO", "INCLUDE"] + ["EXCLUDE"] * (not any("new" in step for step in sketch.steps))
    sketch.options["include_skeleton"] = random.choice(includes)


def _import_options(sketch: Any, random: Random) -> Step:
    found: Step = {}
    for name, values, share in (
        ("start_frame", (10.0, -7.0, 0.5), 0.25), ("rate", ("SCENE", "FILE"), 0.3), ("scale", (0.01, 20.0), 0.15),
        ("root_bone", (False,), 0.2), ("rest_keys", (False,), 0.15), ("apply_visibility", (False,), 0.1),
        ("forward", ("X", "-Y"), 0.1), ("nla", ("STRIP", "STASH"), 0.1), ("set_scene_range", (False,), 0.1),
        ("engine", ("GENERALS", "RENEGADE"), 0.1 if sketch.format == "w3d" else 0.0),
    ):  # fmt: skip
        if random.random() < share:
            found[name] = random.choice(values)
    return found


def _which(random: Random) -> Step:
    paths = ("location", "rotation_quaternion", "rotation_quaternion", "visibility", "")
    return {"path": random.choice(paths), "curve": random.randrange(40), "key": random.randrange(20)}


def _bone_of(random: Random, own: Any) -> str:
    return str(random.choice(own.names[1:]))


def _values(random: Random, own: Any) -> list[Step]:
    path = random.choice(("location", "rotation_quaternion"))
    return [{"do": "edit", **_which(random), "path": path, "by": round(random.uniform(0.05, 0.3), 3)}]


def _new_keys(random: Random, own: Any) -> list[Step]:
    after, shape = random.choice((0.5, 2.25, 5, -3, -12, 1)), random.choice(("BEZIER", "LINEAR", "CONSTANT"))
    path = random.choice(("location", "rotation_quaternion"))
    by = round(random.uniform(-0.2, 0.2), 3)
    return [{"do": "insert", **_which(random), "path": path, "after": after, "shape": shape, "by": by}]


def _other_times(random: Random, own: Any) -> list[Step]:
    return [{"do": "slide", **_which(random), "share": random.choice((0.5, 0.3, 0.99))}]


def _fewer_keys(random: Random, own: Any) -> list[Step]:
    which = _which(random)
    return [{"do": "delete", **which, "key": which["key"] - 10}]


def _other_shapes(random: Random, own: Any) -> list[Step]:
    which = _which(random)
    key = None if random.random() < 0.3 else which["key"]
    return [{"do": "shape", **which, "key": key, "shape": random.choice(("BEZIER", "LINEAR", "CONSTANT"))}]


def _fewer_curves(random: Random, own: Any) -> list[Step]:
    return [{"do": "drop", **_which(random), "whole": random.random() < 0.5}]


def _new_curves(random: Random, own: Any) -> list[Step]:
    """Keys of a person's own on one bone, in the place of what it had or beside it."""
    prefix, at = f'pose.bones["{_bone_of(random, own)}"].', sorted(random.sample(range(30), random.choice((1, 3, 4))))
    if random.random() < 0.5:
        step = motion.turn(random, own.hierarchy, prefix, at, "QUATERNION")
    else:
        step = motion.keys(random, own.hierarchy, f"{prefix}location", at, [0.0] * 3, 0.3)
    return [{**step, "over": True}]


def _held(random: Random, own: Any) -> list[Step]:
    """One bone that follows an object that moves."""
    target = {"do": "thing", "name": "Target", "type": "EMPTY", "at": {"location": [0.5, 0.5, 0.5]}}
    moves = motion.location(random, "Target", "", [0, 9, 17], 0.5)
    kind = random.choice(("COPY_LOCATION", "COPY_ROTATION", "DAMPED_TRACK"))
    bone = _bone_of(random, own)
    return [target, moves, {"do": "constraint", "owner": own.hierarchy, "bone": bone, "type": kind, "target": "Target"}]


def _stands(random: Random, own: Any) -> list[Step]:
    """The armature elsewhere: moved, turned, larger, on something, or moving."""
    name = own.hierarchy
    found: list[Step] = [{"do": "pose", "owner": name, "set": {"location": [1.0, 2.0, 0.5]}}]
    if random.random() < 0.4:
        found[0]["set"] |= {"rotation_mode": "XYZ", "rotation_euler": [0.3, 0.0, 1.2]}
    if (larger := random.random()) < 0.3:
        found[0]["set"]["scale"] = [random.choice((2.0, 0.5))] * 3
    if random.random() < 0.3:
        found.append({"do": "thing", "name": "Carrier", "type": "EMPTY", "at": {"location": [0.0, 3.0, 1.0]}})
        found.append({"do": "parent", "child": name, "parent": "Carrier", "keep": random.random() < 0.5})
    if larger > 0.7:
        found.append(motion.location(random, name, "", [0, 8, 15], 1.0))
    return found


def _edited_bones(random: Random, own: Any) -> list[Step]:
    new = random.choice(("", "Antenna", "Antenna"))
    by = [0.0, 0.0, 0.0] if new else [round(random.uniform(-0.05, 0.05), 3) for _ in range(3)]
    step = {"do": "bones", "bone": random.randrange(40), "new": new, "roll": 0.3, "by": by}
    keys = motion.turn(random, own.hierarchy, f'pose.bones["{new}"].', [0, 7, 12], "QUATERNION")
    return [step, keys] if new and random.random() < 0.7 else [step]


def _in_strips(random: Random, own: Any) -> list[Step]:
    step: Step = {"do": "strip", "owner": own.hierarchy, "at": None, "set": {}}
    if random.random() < 0.3:
        step["at"] = random.choice((4, -3))
    return [step]


def _second(random: Random, own: Any) -> list[Step]:
    """The take put away, and an Action of a person's own on its armature."""
    bone = _bone_of(random, own)
    away = [*_in_strips(random, own), {"do": "nla", "owner": own.hierarchy, "track": 0, "set": "mute"}]
    return [*away, motion.turn(random, own.hierarchy, f'pose.bones["{bone}"].', [3, 8, 20], "QUATERNION")]


def _called(random: Random, own: Any) -> list[Step]:
    bone = random.randrange(40)
    return [random.choice(({"do": "name", "to": "My walk"}, {"do": "rename", "bone": bone, "to": "Mine"}))]


def _another(random: Random, own: Any) -> list[Step]:
    """Another animation of the same file, edited or not; and back to the first now and then."""
    found: list[Step] = [{"do": "other", "number": 0}]
    found += _values(random, own) + _new_keys(random, own) if random.random() < 0.7 else []
    return found + [{"do": "other", "number": 0}] * (random.random() < 0.5)


def _another_rate(random: Random, own: Any) -> list[Step]:
    return [{"do": "rate", "fps": random.choice((15, 24, 60, 25))}]


_EDITS = {
    _values: 3, _new_keys: 3, _other_times: 2, _fewer_keys: 2, _other_shapes: 2, _fewer_curves: 2, _new_curves: 2,
    _held: 1, _stands: 1.5, _edited_bones: 1.5, _in_strips: 1, _second: 1, _called: 1, _another: 2, _another_rate: 1,
}  # fmt: skip


# --- What a person made ---------------------------------------------------------------------------------------------


def unit(sketch: Any, random: Random) -> None:
    """An armature with the names of a skeleton file and axes of its own, of the file's size or another."""
    beside = _SKELETONS[sketch.format]
    player = _played(sketch.format, beside)
    names, parents = player.names, player.parents
    size, bones = random.choice((1.0, 1.0, 1.0, 2.5)), []
    for number, rest in enumerate(player.rests):
        head = [size * float(value) for value in rest[:3, 3]]
        tail = [value + random.uniform(-0.2, 0.2) + 0.3 * (axis == 2) for axis, value in enumerate(head)]
        above = names[parents[number]] if parents[number] >= 0 else None
        bones.append(rigs.bone(names[number], above, head, tail, round(random.uniform(-1, 1), 2)))
    sketch.add({"do": "rig", "name": "Unit", "bones": bones})
    for name in random.sample(names[1:], 2):
        prefix = f'pose.bones["{name}"].'
        sketch.add(motion.turn(random, "Unit", prefix, sketch.frames(), "QUATERNION"))
        sketch.add(motion.location(random, "Unit", prefix, sketch.frames(), 0.2))
    sketch.rigs["Unit"] = names
    sketch.selected.append("Unit")
    sketch.add({"do": "select", "names": ["Unit"], "active": "Unit"})
    sketch.options |= {"skeleton": beside, "include_skeleton": random.choice(("AUTO", "EXCLUDE"))}


def widen(sketch: Any, random: Random) -> None:
    """Add to a scene of a person's own what is wider than usual."""
    for feature, share in _FEATURES.items():
        if random.random() < share and sketch.rigs:
            feature(sketch, random, random.choice(list(sketch.rigs)))


def _hidden(sketch: Any, random: Random, rig: str) -> None:
    """Bones that are hidden: by a number, by keys of their own, or with meshes on them."""
    bone = random.choice(sketch.rigs[rig])
    way = random.choice(("NUMBER", "NUMBER", "INT", "BONE", "POSE", "MESH", "MESHES"))
    at = motion.frames(random, sketch.first, sketch.last)
    rows = [[float(random.random() < 0.5)] for _ in at]
    keys = motion.switch(rig, "", at, rows, handles=["VECTOR"])
    if way in ("NUMBER", "INT"):
        value = 1.0 if way == "NUMBER" else 1
        sketch.add({"do": "property", "owner": rig, "bone": bone, "name": "visibility", "value": value})
        keys["rows"] = [[random.choice((0.0, 0.04, 0.3, 1.0) if way == "NUMBER" else (0.0, 1.0))] for _ in at]
        keys["shapes"] = [random.choice(("LINEAR", "CONSTANT"))]
        sketch.add({**keys, "path": f'pose.bones["{bone}"]["visibility"]'})
    elif way == "BONE":
        sketch.add({**keys, "owner": f"{rig}/data", "path": f'bones["{bone}"].hide'})
    elif way == "POSE":
        sketch.add({**keys, "path": f'pose.bones["{bone}"].hide'})
    for number in range({"MESH": 1, "MESHES": 2}.get(way, 0)):
        name = f"Shield{number}"
        sketch.add({"do": "thing", "name": name, "type": "MESH", "at": {}})
        sketch.add({"do": "parent", "child": name, "parent": rig, "bone": bone, "keep": False})
        path = random.choice(("hide_viewport", "hide_render"))
        sketch.add({**keys, "owner": name, "path": path})


def _fading(sketch: Any, random: Random, rig: str) -> None:
    bone = random.choice(sketch.rigs[rig])
    sketch.add({"do": "property", "owner": rig, "bone": bone, "name": "fade", "value": 1.0})
    at = motion.frames(random, sketch.first, sketch.last)
    path = f'pose.bones["{bone}"]["fade"]'
    rows = [[round(random.random(), 3)] for _ in at]
    shape = random.choice(("LINEAR", "CONSTANT", "BEZIER"))
    sketch.add(motion.switch(rig, path, at, rows, shape, handles=["VECTOR"]))


def _spinning(sketch: Any, random: Random, rig: str) -> None:
    """A bone that turns round and round, by more than half a turn a frame now and then."""
    bone = random.choice(sketch.rigs[rig])
    prefix, turns = f'pose.bones["{bone}"].', random.choice((3.0, 40.0, 200.0))
    if any(step.get("path", "").startswith(f"{prefix}rotation") for step in sketch.steps):
        return
    sketch.add({"do": "pose", "owner": rig, "bone": bone, "set": {"rotation_mode": "XYZ"}})
    axis, ends = [random.randrange(3)], [sketch.first, sketch.last]
    sketch.add(
        motion.switch(
            rig, f"{prefix}rotation_euler", ends, [[0.0], [turns]], "LINEAR", indices=axis, handles=["VECTOR"]
        )
    )


def _between_frames(sketch: Any, random: Random, rig: str) -> None:
    """Keys beside whole frames, but for steps, which samples find on frames alone."""
    part = random.choice((0.375, 0.5, 0.25))
    for step in sketch.steps:
        if step["do"] == "keys" and random.random() < 0.6 and "CONSTANT" not in step["shapes"]:
            step["frames"] = [frame + part for frame in step["frames"]]


def _inherits(sketch: Any, random: Random, rig: str) -> None:
    for bone in random.sample(sketch.rigs[rig][1:], min(2, len(sketch.rigs[rig]) - 1)):
        name = random.choice(("use_inherit_rotation", "use_local_location"))
        sketch.add({"do": "pose", "owner": rig, "bone": bone, "set": {name: False}})


def _tracks(sketch: Any, random: Random, rig: str) -> None:
    """Tracks of the NLA that are muted, or play alone."""
    for step in [step for step in sketch.steps if step["do"] == "strip"]:
        which = {"owner": step["owner"], "track": random.randrange(2)}
        sketch.add({"do": "nla", **which, "set": random.choice(("mute", "is_solo"))})


def _before(sketch: Any, random: Random, rig: str) -> None:
    """Rounds before the first key too, which a manual range shows."""
    moving = [step for step in sketch.steps if step["do"] == "keys" and step["owner"] == rig]
    moving = [step for step in moving if len(step["frames"]) > 1]
    if moving:
        step = random.choice(moving)
        mode = random.choice(("REPEAT", "REPEAT_OFFSET", "MIRROR"))
        step["modifier"] = {"type": "CYCLES", "set": {"mode_before": mode, "mode_after": random.choice(("NONE", mode))}}
        first = sketch.first - random.choice((4, 9))
        sketch.add({"do": "range", "owner": rig, "first": first, "last": sketch.last + 3})


def _of_another_size(sketch: Any, random: Random, rig: str) -> None:
    """A figure of a centimetre, or of a kilometre; or another unit of the scene."""
    size = random.choice((0.01, 100.0, 1000.0, 1.0))
    sketch.steps[0]["unit"] = random.choice((1.0, 0.01))
    for step in sketch.steps:
        if step["do"] == "rig":
            for each in step["bones"]:
                each[2:4] = [[round(size * value, 6) for value in point] for point in each[2:4]]
        elif step["do"] == "keys" and step["path"].endswith("location"):
            step["rows"] = [[size * value for value in row] for row in step["rows"]]
            step.update({name: size * step[name] for name in ("rise",) if name in step})
        if step["do"] in ("rig", "metarig", "thing") and "location" in step.get("at", {}):
            step["at"]["location"] = [size * value for value in step["at"]["location"]]


def _called_long(sketch: Any, random: Random, rig: str) -> None:
    """Names with more than 15 letters, some alike when they are cut; in a namespace; in small letters and capitals."""
    form = random.choice(_LONG)
    own = {each[0] for step in sketch.steps if step["do"] == "rig" for each in step["bones"]}
    names = {name: form.format(name) for name in sorted(own) if name != "ROOTTRANSFORM" and random.random() < 0.8}
    rename_bones(sketch, names)


def rename_bones(sketch: Any, names: dict[str, str]) -> None:
    """Give bones other names wherever a recipe names them."""
    for step in sketch.steps:
        for each in step["bones"] if step["do"] == "rig" else ():
            each[:2] = [names.get(name, name) for name in each[:2]]
        if step.get("bone") in names:
            step["bone"] = names[step["bone"]]
        if "path" in step:
            step["path"] = re.sub(r'bones\["([^"]*)"\]', lambda found: f'bones["{names.get(found[1], found[1])}"]',
                                  step["path"])  # fmt: skip
    metarigs = {step["name"] for step in sketch.steps if step["do"] == "metarig"}
    for rig in sketch.rigs.keys() - metarigs:
        sketch.rigs[rig] = [names.get(name, name) for name in sketch.rigs[rig]]


def _more_actions(sketch: Any, random: Random, rig: str) -> None:
    """The Action put away, another one above, and a file for each."""
    if any(step["do"] in ("strip", "share") or "hide" in step.get("path", "") for step in sketch.steps):
        return
    sketch.add({"do": "strip", "owner": rig, "at": None, "set": {}})
    sketch.add({"do": "nla", "owner": rig, "track": 0, "set": "mute"})
    for bone in random.sample(sketch.rigs[rig], min(2, len(sketch.rigs[rig]))):
        at = [frame + 5 for frame in motion.frames(random, sketch.first, sketch.last)]
        sketch.add({**motion.turn(random, rig, f'pose.bones["{bone}"].', at, "QUATERNION"), "action": "Second"})
    sketch.options["actions"] = "ALL"
    sketch.add({"do": "select", "names": [rig], "active": rig})


_FEATURES = {
    _hidden: 0.15, _fading: 0.05, _spinning: 0.08, _between_frames: 0.08, _inherits: 0.08, _tracks: 0.5, _before: 0.06,
    _of_another_size: 0.1, _called_long: 0.12, _more_actions: 0.06,
}  # fmt: skip


def options(sketch: Any, random: Random) -> None:
    """Options of the export that people change."""
    found, several = sketch.options, sum(name in sketch.rigs for name in sketch.selected) > 1
    taken = any(step["do"] == "import" for step in sketch.steps)
    if several and "actions" not in found and random.random() < 0.7:
        found["several"] = "FILES"
    if random.random() < 0.5 or "actions" in found:
        return
    for name, values, share in (
        ("use_scene_range", (True,), 0.1), ("bake_to_scene_end", (True,), 0.1),
        ("keep_frame_zero", (True,), 0.1 if sketch.last > 0 else 0.0),
        ("space", ("LOCAL",), 0.1), ("scale", (0.01, 3.0), 0.1), ("forward", ("X", "-Y"), 0.1),
        ("file_rate", (10, 60, 24), 0.12), ("first_frame", (1, 3), 0.1), ("frame_count", (2, 5), 0.1),
        ("sampling", ("BAKE",), 0.0 if taken else 0.1), ("into_existing", (True,), 0.0 if taken else 0.15),
        ("keep_steps", (False,), 0.1 if sketch.format == "w3x" else 0.0),
    ):  # fmt: skip
        if random.random() < share:
            found[name] = random.choice(values)
    frames = [frame for step in sketch.steps for frame in step.get("frames", ())]
    if taken:  # of several animations in a file each has other frames
        found.pop("first_frame", None)
        found.pop("frame_count", None)
    if {"file_rate", "use_scene_range"} & found.keys() or any(frame % 1 for frame in frames):
        found.pop("sampling", None)  # which samples the scene's own frames
    if "use_scene_range" in found or "bake_to_scene_end" in found:
        sketch.steps[0] |= {"first": sketch.first - 3, "last": sketch.last + 8}
