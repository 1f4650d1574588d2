"""Draws what else animates a scene, of which an exporter forgets one or the other: drivers of every kind, META strips,
curves that repeat alone, control bones, parents that are called like joints, bones that were renamed after the import.

They are drawn apart, from a seed of their own, and added to a scene as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import mul
from random import Random
from typing import Any

from . import motion, rigs

Step = dict[str, Any]
Driven = tuple[str, str, int, str]
"""Whose path, the path, the component (-1 for a number alone) and the expression of the wheel's `x`."""

_ROOT = "ROOTTRANSFORM"
_OF_LAMPS = (("energy", -1, "100 + 20 * x"), ("color", 1, "0.5 + 0.1 * x"), ("cutoff_distance", -1, "30 + x"))
_OF_SPOTS = (*_OF_LAMPS, ("spot_size", -1, "1 + 0.1 * x"))
_OF_VIEWS = (
    ("lens", -1, "50 + 10 * x"), ("ortho_scale", -1, "6 + x"), ("clip_end", -1, "100 + 10 * x"),
    ("clip_start", -1, "0.5 + 0.1 * x"), ("dof.focus_distance", -1, "10 + x"),
)  # fmt: skip
_LIKE_JOINTS = ("Camera", "Palm.L", "Wrist.R", "Gaze")
_OF_DATA = {"SPOT": _OF_SPOTS, "POINT": _OF_LAMPS, "CAMERA": _OF_VIEWS}


def add_to(sketch: Any, random: Random) -> None:
    """Add some of it to the steps of a scene."""
    if random.random() < 0.25:
        _strips_in_meta(sketch.steps)
    if random.random() < 0.2:
        _repeats(sketch.steps, random, jumping=False)
    if sketch.format == "mrtk":
        _called_like_a_joint(sketch.steps, random)
    if sketch.format in ("w3d", "w3x") and random.random() < 0.3:
        _with_root_bone(sketch, random)
    if random.random() < 0.3:
        _driven(sketch, random)


def _strips_in_meta(steps: list[Step]) -> None:
    for step in steps:
        if step["do"] == "strip":
            step["meta"] = True


def _repeats(steps: list[Step], random: Random, *, jumping: bool) -> None:
    """Cycles on one component of a motion that is shorter than the others, and ends as it begins or elsewhere."""
    moving = [step for step in steps if step["do"] == "keys" and len(step["indices"]) > 1 and "modifier" not in step]
    moving = [step for step in moving if len(step["frames"]) > 1]
    if moving:
        step = random.choice(moving)
        first, last = step["frames"][0], step["frames"][-1]
        if last - first > 5:
            step["frames"] = [first, first + 1, first + (last - first) // 3]
            begin, other = step["rows"][:2]
            if step["path"].endswith("rotation_quaternion") and sum(map(mul, begin, other)) < 0:
                other = [-value for value in other]  # no long way within a frame, see motion.turn
            step["rows"] = [begin, other, other if jumping else begin]
            after = random.choice(("REPEAT", "REPEAT_OFFSET" if jumping else "MIRROR"))
            step["modifier"] = {"type": "CYCLES", "set": {"mode_after": after}}
            if not (jumping and random.random() < 0.5):
                step["modified"] = [random.choice(step["indices"])]


def _with_root_bone(sketch: Any, random: Random) -> None:
    """A bone of the name that the games' skeletons have for their root, above all others, moving or not."""
    for step in sketch.steps:
        is_chosen = step["do"] == "rig" and step["name"] in sketch.rigs
        if is_chosen and _ROOT not in [each[0] for each in step["bones"]]:
            for each in step["bones"]:
                each[1] = each[1] or _ROOT
            step["bones"].insert(0, rigs.bone(_ROOT, None, (0, 0, 0), (0, 0, 0.3)))
            if random.random() < 0.4:
                prefix = f'pose.bones["{_ROOT}"].'
                at = motion.frames(random, sketch.first, sketch.last)
                sketch.add(motion.location(random, step["name"], prefix, at, 0.3))


def add_oddities(sketch: Any, random: Random) -> None:
    """Add what is odder: a control bone above the root, mirrored sizes, repeats with a jump."""
    if sketch.format in ("w3d", "w3x") and random.random() < 0.15:
        _with_root_bone(sketch, random)
        _with_control(sketch, random)
    if random.random() < 0.1:
        _mirrored(sketch, random)
    if random.random() < 0.15:
        _repeats(sketch.steps, random, jumping=True)


def _with_control(sketch: Any, random: Random) -> None:
    """A bone above the root, which the games' skeletons have no place for."""
    for step in sketch.steps:
        if step["do"] == "rig" and step["bones"][0][0] == _ROOT:
            step["bones"][0][1] = "Control"
            step["bones"].insert(0, rigs.bone("Control", None, (0, 0, 0), (0.1, 0.4, 0)))
            at = motion.frames(random, sketch.first, sketch.last)
            make = random.choice((motion.location, motion.size, None))
            prefix = 'pose.bones["Control"].'
            if make is None:
                sketch.add(motion.turn(random, step["name"], prefix, at, "QUATERNION"))
            else:
                sketch.add(make(random, step["name"], prefix, at, *[0.3] * (make is motion.location)))


def _mirrored(sketch: Any, random: Random) -> None:
    """A negative size of an object, or of a bone."""
    sizes = [random.choice((-1.0, 1.0, 1.0)) for _ in range(3)]
    sizes[random.randrange(3)] = -1.0
    rig = random.choice(list(sketch.rigs)) if sketch.rigs else ""
    if rig and random.random() < 0.4:
        bone = random.choice(sketch.rigs[rig])
        sketch.add({"do": "pose", "owner": rig, "bone": bone, "set": {"scale": sizes}})
    else:
        things = [step["name"] for step in sketch.steps if step["do"] in ("rig", "metarig", "thing")]
        sketch.add({"do": "pose", "owner": random.choice(things), "set": {"scale": sizes}})


def _called_like_a_joint(steps: list[Step], random: Random) -> None:
    """A parent of the armature that has the name of one of its joints."""
    name = random.choice(("Carrier", *_LIKE_JOINTS))
    for step in steps:
        step.update({key: name for key in ("name", "parent", "owner") if step.get(key) == "Carrier"})


def import_onto(step: Step, random: Random) -> None:
    """Let a take be imported onto a rig of a person's own, whose bones rules or a Name Table match."""
    if step["format"] != "animx" and random.random() < 0.4:
        step["onto"] = random.choice(("RULES", "TABLE"))


def rename(sketch: Any, random: Random) -> None:
    """Give a bone of a take that was imported another name."""
    if random.random() < 0.4:
        sketch.add({"do": "rename", "bone": random.randrange(40), "to": random.choice(("Mine", "Éléphant", "Hips"))})


# --- Drivers --------------------------------------------------------------------------------------------------------


def _driven(sketch: Any, random: Random) -> None:
    """One to three numbers of any kind that a wheel drives."""
    found = [*_of_bones(sketch), *_of_things(sketch)]
    sketch.add({"do": "thing", "name": "Wheel", "type": "EMPTY", "at": {}})
    at = motion.frames(random, sketch.first, sketch.last)
    sketch.add({**motion.keys(random, "Wheel", "location", at, [0.0], 1.0), "indices": [0]})
    middle = (sketch.first + sketch.last) // 2
    for holder, path, index, expression in random.sample(found, min(random.randint(1, 3), len(found))):
        _prepare(sketch, holder, path)
        sketch.add({"do": "driver", "owner": holder, "path": path, "index": index, "source": "Wheel",
                    "source_path": "location.x", "expression": expression.format(middle=middle)})  # fmt: skip


def _of_bones(sketch: Any) -> Iterator[Driven]:
    for rig, bones in sketch.rigs.items():
        place = f'pose.bones["{bones[-1]}"]'
        yield rig, f'{place}["mood"]', -1, "x"
        yield rig, f"{place}.rotation_euler", 0, "x"
        yield rig, f"{place}.scale", 1, "1 + 0.1 * x"
        yield rig, f'{place}.constraints["Copy Location"].influence', -1, "0.5 + 0.1 * x"
        if sketch.format in ("w3d", "w3x"):
            yield rig, f'{place}["visibility"]', -1, "frame >= {middle}"
        for wrist in [bone for bone in bones if bone.startswith("Wrist")] if sketch.format == "mrtk" else ():
            yield rig, f'pose.bones["{wrist}"]["tracked"]', -1, "frame >= {middle}"
            yield rig, f'pose.bones["{wrist}"]["pinching"]', -1, "frame >= {middle}"


def _of_things(sketch: Any) -> Iterator[Driven]:
    kinds = {step["name"]: step["type"] for step in sketch.steps if step["do"] == "thing"}
    for thing in sketch.objects if sketch.format == "animx" else ():
        yield thing, "hide_viewport", -1, "frame >= {middle}"
        yield thing, '["mood"]', -1, "x"
        yield from ((thing, path, 2, "1 + 0.1 * x") for path in ("delta_location", "scale", "rotation_euler"))
        yield from ((f"{thing}/data", *each) for each in _OF_DATA.get(kinds[thing], ()))
        if kinds[thing] == "MESH":
            yield thing, 'modifiers["SimpleDeform"].angle', -1, "x"
            yield f"{thing}/material", "roughness", -1, "0.5 + 0.1 * x"
        if thing == "Face":
            yield "Face/keys", 'key_blocks["Smile"].value', -1, "0.5 + 0.3 * x"


def _prepare(sketch: Any, holder: str, path: str) -> None:
    """What has to be there before it is driven."""
    thing, _, part = holder.partition("/")
    place, _, name = path.removesuffix('"]').rpartition('["')
    bone = place.removeprefix('pose.bones["').removesuffix('"]') if place.startswith("pose.") else None
    at = {"owner": thing, **({"bone": bone} if bone else {})}
    if path.endswith('"]'):
        switch = name in ("visibility", "tracked", "pinching")
        sketch.add({"do": "property", **at, "name": name, "value": True if switch else 0.0})
    elif "constraints" in path:
        bone = path.split('"')[1]
        sketch.add({"do": "constraint", "owner": thing, "bone": bone, "type": "COPY_LOCATION", "target": "Wheel"})
    elif "rotation_euler" in path and bone is None:
        bone = path.split('"')[1] if path.startswith("pose.") else ""
        sketch.add({"do": "pose", "owner": thing, "bone": bone, "set": {"rotation_mode": "XYZ"}})
    elif path.startswith("modifiers"):
        sketch.add({"do": "modifier", "owner": thing, "type": "SIMPLE_DEFORM"})
    elif path == "ortho_scale":
        sketch.add({"do": "flat", "owner": holder})
    elif part == "material":
        sketch.add({"do": "material", "owner": thing})
