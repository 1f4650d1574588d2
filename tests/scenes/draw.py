"""Draws the recipe of an ordinary scene: a rig or objects, what moves them, and now and then what is less usual."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from . import extras, motion, pivots, rare, rigs

Step = dict[str, Any]
FORMATS = ("mrtk", "w3d", "w3x", "animx")
_IMPORTS = {
    "mrtk": ("mrtk/v11_recorder_10s_two_hands_mrtk273.bin",
             "mrtk/v10_recorder_3s_left_hand.bin"),
    "w3d": ("w3d/g01_raw_trim_vis.w3d", "w3d/g03_tc_binmove.w3d", "w3d/g06_raw_flip.w3d"),
    "w3x": ("w3x/g02.w3x", "w3x/g03.w3x"),
    "animx": ("animx/08_walk_plain.animx", "animx/16_properties.animj"),
}  # fmt: skip


@dataclass
class Sketch:
    """A scene that is being drawn.

    Attributes:
        first, last: frames of its motion.
        rigs: movable bones by armature.
    """

    random: Random
    format: str
    first: int = 0
    last: int = 20
    steps: list[Step] = field(default_factory=list)
    options: Step = field(default_factory=dict)
    rigs: dict[str, list[str]] = field(default_factory=dict)
    objects: list[str] = field(default_factory=list)
    selected: list[str] = field(default_factory=list)

    def add(self, step: Step) -> None:
        """One step more."""
        self.steps.append(step)

    def chance(self, share: float) -> bool:
        """Whether something of this probability happens."""
        return self.random.random() < share

    def frames(self) -> list[int]:
        """Frames with keys; the whole span is always keyed by something else, so these may lie within."""
        return motion.frames(self.random, self.first, self.last)


def draw(format_name: str, seed: int, number: int) -> Step:
    """The recipe of scene `number` of a format."""
    random = Random(f"{format_name} {seed} {number}")
    further = Random(f"{format_name} {seed} {number} extras")
    rarer = Random(f"{format_name} {seed} {number} rare")
    sketch = Sketch(random, format_name)
    _time(sketch)
    wide = Random(f"{format_name} {seed} {number} pivots")
    drawn = wide.random() if format_name in pivots.FORMATS else 1.0
    if drawn < 0.3:
        pivots.take(sketch, wide)
    elif drawn < 0.36:
        pivots.unit(sketch, wide)
    elif sketch.chance(0.1):
        sketch.steps[0].pop("map", None)
        _taken(sketch)
        extras.rename(sketch, further)
        extras.import_onto(sketch.steps[1], further)
    else:
        _own(sketch, further, rarer, number)
        if format_name in pivots.FORMATS:
            pivots.widen(sketch, wide)
    _options(sketch)
    rare.options(sketch, rarer)
    if format_name in pivots.FORMATS:
        pivots.options(sketch, wide)
    return {"format": format_name, "options": sketch.options, "steps": sketch.steps}


def dense(seed: int, number: int, kind: str = "animx") -> Step:
    """The recipe of a small scene, with five things that are less usual, of a bone or two or an object."""
    random = Random(f"dense {seed} {number}")
    sketch = Sketch(random, kind)
    _time(sketch)
    sketch.last = sketch.first + random.choice((6, 9))
    if kind == "mrtk":
        step, bones = rigs.hand(random, "Hands", random.choice("LR"))
        _take_rig(sketch, step, bones)
        _move_bones(sketch, "Hands", bones, spread=0.1)
    elif number % 3 or kind != "animx":
        step, bones = rigs.chain(random, "Rig")
        step["bones"], bones = step["bones"][:3], bones[:3]
        _take_rig(sketch, step, bones)
        _move_bones(sketch, "Rig", bones, spread=0.3)
    else:
        _take_thing(sketch, "Cube", "MESH")
        _move_object(sketch, "Cube")
    left_out = (_nothing_selected, *(_OF_ANIMX if kind != "animx" else ()))
    makers = [make for make in _FEATURES if make not in left_out]
    others = [*rare.of(sketch.rigs, kind), rare.in_a_row, rare.mirrored, rare.driven_anyhow]
    makers += [(lambda one, make=make: make(one, random)) for make in others]
    for make in random.sample(makers, 5):
        make(sketch)
    if kind in pivots.FORMATS:
        pivots.widen(sketch, random)
    sketch.add({"do": "select", "names": sketch.selected, "active": sketch.selected[0] if sketch.selected else None})
    return {"format": kind, "options": {}, "steps": sketch.steps}


def _time(sketch: Sketch) -> None:
    random = sketch.random
    sketch.first = random.choice(motion.FIRSTS)
    sketch.last = sketch.first + random.choice((6, 12, 24, 40))
    fps, base = random.choice(motion.RATES)
    step: Step = {"do": "scene", "fps": fps, "base": base, "first": 1, "last": 250}
    if sketch.chance(0.3):
        step["first"], step["last"] = sketch.first, sketch.last
    if sketch.chance(0.05):
        step["map"] = random.choice(([100, 200], [100, 50]))
    sketch.add(step)


# --- What a person imported -----------------------------------------------------------------------------------------


def _taken(sketch: Sketch) -> None:
    """An imported take, as it is or with an edit, at its rate or another."""
    random = sketch.random
    file = random.choice(_IMPORTS[sketch.format])
    sketch.add({"do": "import", "format": sketch.format, "file": file, "options": {}})
    if sketch.chance(0.7):
        path = random.choice(("location", "rotation_quaternion"))
        by = round(random.uniform(0.05, 0.3), 3)
        sketch.add({"do": "edit", "path": path, "curve": random.randrange(40), "key": random.randrange(20), "by": by})
    if sketch.chance(0.3):
        sketch.add({"do": "rate", "fps": random.choice((15, 24, 60))})


# --- What a person made ---------------------------------------------------------------------------------------------


def _own(sketch: Sketch, further: Random, rarer: Random, number: int) -> None:
    {"mrtk": _hands, "w3d": _soldier, "w3x": _soldier, "animx": _stage}[sketch.format](sketch)
    for feature, share in _FEATURES.items():
        if sketch.chance(share) and (sketch.format == "animx" or feature not in _OF_ANIMX):
            feature(sketch)
    extras.add_to(sketch, further)
    extras.add_oddities(sketch, further)
    rare.add_to(sketch, rarer, number)
    sketch.add({"do": "select", "names": sketch.selected, "active": sketch.selected[0] if sketch.selected else None})
    if sketch.chance(0.3):
        sketch.add({"do": "frame", "at": sketch.random.choice((sketch.first, sketch.last, 3))})


def _hands(sketch: Sketch) -> None:
    step, bones = rigs.hand(sketch.random, "Hands", sketch.random.choice(("L", "R", "LR")))
    _take_rig(sketch, step, bones)
    _move_bones(sketch, "Hands", bones, spread=0.1)


def _soldier(sketch: Sketch) -> None:
    make = sketch.random.choices((rigs.chain, rigs.humanoid, rigs.metarig), (3, 2, 1))[0]
    step, bones = make(sketch.random, "Soldier")
    _take_rig(sketch, step, bones)
    _move_bones(sketch, "Soldier", bones, spread=0.3)
    if sketch.chance(0.15):
        _bone_switch(sketch, "Soldier", sketch.random.choice(bones), "visibility")


def _stage(sketch: Sketch) -> None:
    if sketch.chance(0.6):
        make = sketch.random.choices((rigs.chain, rigs.humanoid, rigs.metarig), (4, 1, 1))[0]
        step, bones = make(sketch.random, "Rig")
        _take_rig(sketch, step, bones)
        _move_bones(sketch, "Rig", bones, spread=0.3)
    for name in ("Cube", "Ball")[: sketch.random.randint(0 if sketch.rigs else 1, 2)]:
        _take_thing(sketch, name, "MESH")
        if sketch.chance(0.85):
            _move_object(sketch, name)


def _take_rig(sketch: Sketch, step: Step, bones: list[str]) -> None:
    if sketch.chance(0.4):
        step["at"] = _somewhere(sketch)
    sketch.add(step)
    sketch.rigs[step["name"]] = bones
    sketch.selected.append(step["name"])


def _take_thing(sketch: Sketch, name: str, kind: str) -> None:
    at = _somewhere(sketch) if sketch.chance(0.6) else {}
    sketch.add({"do": "thing", "name": name, "type": kind, "at": at})
    sketch.objects.append(name)
    sketch.selected.append(name)


def _somewhere(sketch: Sketch) -> Step:
    draw_number = sketch.random.uniform
    at: Step = {"location": [round(draw_number(-2, 2), 3) for _ in range(3)]}
    if sketch.chance(0.6):
        at["rotation_euler"] = [round(draw_number(-1.5, 1.5), 3) for _ in range(3)]
    if sketch.chance(0.2):
        at["scale"] = [sketch.random.choice((0.5, 2.0, 0.01))] * 3
    return at


def _move_bones(sketch: Sketch, rig: str, bones: list[str], spread: float) -> None:
    """Turn some bones, move a few, stretch hardly any."""
    random = sketch.random
    for name in random.sample(bones, min(random.randint(1, 3), len(bones))):
        prefix = f'pose.bones["{name}"].'
        mode = "QUATERNION" if sketch.chance(0.75) else random.choice((*motion.ORDERS, "AXIS_ANGLE"))
        if mode != "QUATERNION":
            sketch.add({"do": "pose", "owner": rig, "bone": name, "set": {"rotation_mode": mode}})
        if sketch.chance(0.8):
            sketch.add(motion.turn(random, rig, prefix, sketch.frames(), mode))
        if sketch.chance(0.4):
            sketch.add(motion.location(random, rig, prefix, sketch.frames(), spread))
        if sketch.format == "animx" and sketch.chance(0.15):
            sketch.add(motion.size(random, rig, prefix, sketch.frames()))


def _move_object(sketch: Sketch, name: str, mode: str = "XYZ") -> None:
    random = sketch.random
    if sketch.chance(0.3):
        mode = random.choice((*motion.ORDERS, "QUATERNION", "AXIS_ANGLE"))
        sketch.add({"do": "pose", "owner": name, "set": {"rotation_mode": mode}})
    wanted = random.sample(("location", "turn", "size"), random.choice((1, 1, 2, 3)))
    if "location" in wanted:
        sketch.add(motion.location(random, name, "", sketch.frames(), 1.0))
    if "turn" in wanted:
        sketch.add(motion.turn(random, name, "", sketch.frames(), mode))
    if "size" in wanted:
        sketch.add(motion.size(random, name, "", sketch.frames()))


def _bone_switch(sketch: Sketch, rig: str, bone: str, name: str) -> None:
    sketch.add({"do": "property", "owner": rig, "bone": bone, "name": name, "value": True})
    sketch.add(motion.switch(rig, f'pose.bones["{bone}"]["{name}"]', sketch.frames()))


# --- What is less usual ---------------------------------------------------------------------------------------------


def _any_rig(sketch: Sketch) -> str:
    return sketch.random.choice(list(sketch.rigs)) if sketch.rigs else ""


def _under_parent(sketch: Sketch) -> None:
    """A rig or object under an empty that is selected or not, stands or moves."""
    child = sketch.random.choice(sketch.selected)
    sketch.add({"do": "thing", "name": "Carrier", "type": "EMPTY", "at": _somewhere(sketch)})
    sketch.add({"do": "parent", "child": child, "parent": "Carrier", "keep": sketch.chance(0.5)})
    if sketch.chance(0.5):
        _move_object(sketch, "Carrier")
    if sketch.format == "animx" and sketch.chance(0.4):
        sketch.selected.append("Carrier")


def _on_bone(sketch: Sketch) -> None:
    """An object on a bone, as a sword in a hand."""
    rig = _any_rig(sketch)
    if rig and sketch.format == "animx":
        _take_thing(sketch, "Sword", "MESH")
        bone = sketch.random.choice(sketch.rigs[rig])
        sketch.add({"do": "parent", "child": "Sword", "parent": rig, "bone": bone, "keep": sketch.chance(0.5)})
        if sketch.chance(0.6):
            _move_object(sketch, "Sword")


def _second_rig(sketch: Sketch) -> None:
    """Another armature, of other names or the same, selected or not."""
    step, bones = rigs.chain(sketch.random, "Other")
    if sketch.chance(0.6):
        renamed = {old: f"Other{old}" for old in bones}
        for each in step["bones"]:
            each[0], each[1] = renamed[each[0]], renamed.get(each[1])
        bones = list(renamed.values())
    sketch.add(step)
    if sketch.chance(0.8):
        _move_bones(sketch, "Other", bones, spread=0.2)
    if sketch.chance(0.6):
        sketch.selected.append("Other")
        sketch.rigs["Other"] = bones


def _inheritance(sketch: Sketch) -> None:
    """A stretched parent above a bone that does not inherit all of it."""
    rig = _any_rig(sketch)
    if not rig or len(sketch.rigs[rig]) < 2:
        return
    random = sketch.random
    number = random.randrange(1, len(sketch.rigs[rig]))
    mode = random.choice(("NONE", "NONE", "ALIGNED", "AVERAGE", "FIX_SHEAR", "NONE_LEGACY"))
    sketch.add({"do": "pose", "owner": rig, "bone": sketch.rigs[rig][number], "set": {"inherit_scale": mode}})
    prefix = f'pose.bones["{sketch.rigs[rig][number - 1]}"].'
    sketch.add(motion.size(random, rig, prefix, sketch.frames()))


def _constrained(sketch: Sketch) -> None:
    """A bone or object that follows another object."""
    random = sketch.random
    sketch.add({"do": "thing", "name": "Target", "type": "EMPTY", "at": {"location": [1.0, 0.5, 1.2]}})
    if sketch.chance(0.7):
        _move_object(sketch, "Target")
    kind = random.choice(("COPY_ROTATION", "COPY_LOCATION", "DAMPED_TRACK", "TRACK_TO", "CHILD_OF", "IK"))
    rig = _any_rig(sketch)
    step: Step = {"do": "constraint", "owner": rig or sketch.selected[0], "type": kind, "target": "Target", "set": {}}
    if rig:
        step["bone"] = random.choice(sketch.rigs[rig])
    elif kind == "IK":
        return
    if kind == "IK":
        step["set"]["chain_count"] = 2
    elif sketch.chance(0.4):
        step["set"]["influence"] = 0.5
    sketch.add(step)


def _driven(sketch: Sketch) -> None:
    """A channel that a driver sets."""
    sketch.add({"do": "thing", "name": "Dial", "type": "EMPTY", "at": {}})
    _move_object(sketch, "Dial")
    rig = _any_rig(sketch)
    holder, prefix = sketch.random.choice(sketch.selected), ""
    if rig:
        holder, prefix = rig, f'pose.bones["{sketch.random.choice(sketch.rigs[rig])}"].'
    sketch.add({"do": "driver", "owner": holder, "path": f"{prefix}location", "index": 1, "source": "Dial",
                "source_path": "location.x", "expression": "x * 0.1"})  # fmt: skip


def _strips(sketch: Sketch) -> None:
    """The Action pushed down into the NLA; now and then a second one above it."""
    holder = sketch.random.choice(sketch.selected)
    sketch.add(motion.strip(sketch.random, holder, sketch.first))
    if sketch.chance(0.3):
        if holder in sketch.rigs:
            _move_bones(sketch, holder, sketch.rigs[holder], 0.1)
        else:
            _move_object(sketch, holder)
        sketch.steps[-1]["action"] = "Second"
        sketch.add(motion.strip(sketch.random, holder, sketch.first))
        sketch.steps[-1]["set"] = {"blend_type": sketch.random.choice(("REPLACE", "ADD", "COMBINE"))}


def _manual_range(sketch: Sketch) -> None:
    holder = sketch.random.choice(sketch.selected)
    first, last = sketch.first + sketch.random.choice((0, 3, -5)), sketch.last + sketch.random.choice((0, -2, 6))
    sketch.add({"do": "range", "owner": holder, "first": first, "last": max(last, first + 1)})


def _single_key(sketch: Sketch) -> None:
    """One key and no other."""
    moving = [step for step in sketch.steps if step["do"] == "keys"]
    if moving:
        step = sketch.random.choice(moving)
        step["frames"], step["rows"] = step["frames"][:1], step["rows"][:1]


def _curve_extra(sketch: Sketch) -> None:
    """A modifier, straight extrapolation or a muted curve."""
    moving = [step for step in sketch.steps if step["do"] == "keys" and "visibility" not in step["path"]]
    if not moving:
        return
    step = sketch.random.choice(moving)
    what = sketch.random.choice(("modifier", "modifier", "extrapolation", "mute"))
    if what == "modifier":
        step["modifier"] = motion.modifier(sketch.random, sketch.first, sketch.last)
    elif what == "extrapolation":
        step["extrapolation"] = "LINEAR"
    else:
        step["mute"] = True


def _hidden_bone(sketch: Sketch) -> None:
    rig = _any_rig(sketch)
    if rig:
        sketch.add({"do": "hide", "owner": rig, "bone": sketch.random.choice(sketch.rigs[rig])})


def _posed_bone(sketch: Sketch) -> None:
    """A bone that was moved and never keyed."""
    rig = _any_rig(sketch)
    if rig:
        sketch.add({"do": "pose", "owner": rig, "bone": sketch.random.choice(sketch.rigs[rig]),
                    "set": {"rotation_quaternion": [0.9, 0.1, 0.3, 0.2]}})  # fmt: skip


def _moving_armature(sketch: Sketch) -> None:
    rig = _any_rig(sketch)
    if rig:
        _move_object(sketch, rig)


def _shared(sketch: Sketch) -> None:
    """Another object in a slot of the same Action, with keys far from the first's."""
    holder = sketch.random.choice(sketch.selected)
    sketch.add({"do": "thing", "name": "Mate", "type": "EMPTY", "at": {}})
    sketch.add({"do": "share", "owner": "Mate", "of": holder})
    at = [sketch.first - 20, sketch.last + 30]
    sketch.add(motion.keys(sketch.random, "Mate", "location", at, [5.0] * 3, 1.0))


def _face(sketch: Sketch) -> None:
    """Shape keys, some driven past their limits, some muted."""
    random = sketch.random
    _take_thing(sketch, "Face", "MESH")
    names = [["Smile", 0.0, 1.0, False], ["Blink", -1.0, random.choice((0.5, 1.0)), False],
             ["Puff", 0.0, 1.0, sketch.chance(0.3)]]  # fmt: skip
    sketch.add({"do": "shape_keys", "owner": "Face", "names": names})
    for name, _, _, _ in random.sample(names, 2):
        path = f'key_blocks["{name}"].value'
        sketch.add(motion.keys(random, "Face/keys", path, sketch.frames(), [0.5], random.choice((0.4, 0.5, 1.0))))


def _shown_and_hidden(sketch: Sketch) -> None:
    holder = sketch.random.choice(sketch.selected)
    sketch.add(motion.switch(holder, "hide_viewport", sketch.frames()))


def _lights_and_cameras(sketch: Sketch) -> None:
    random = sketch.random
    kind = random.choice(("SPOT", "POINT", "CAMERA"))
    name = "View" if kind == "CAMERA" else "Lamp"
    _take_thing(sketch, name, kind)
    if sketch.chance(0.7):
        _move_object(sketch, name)
    path, centre, spread = {"SPOT": ("spot_size", 1.0, 0.5), "POINT": ("energy", 100.0, 80.0)}.get(
        kind, random.choice((("clip_end", 100.0, 20.0), ("lens", 50.0, 20.0)))
    )
    if sketch.chance(0.6):
        sketch.add(motion.keys(random, f"{name}/data", path, sketch.frames(), [centre], spread))


def _still_thing(sketch: Sketch) -> None:
    _take_thing(sketch, "Rock", "MESH")


def _nothing_selected(sketch: Sketch) -> None:
    sketch.selected.clear()


_FEATURES = {
    _under_parent: 0.15, _on_bone: 0.12, _second_rig: 0.12, _inheritance: 0.1, _constrained: 0.12, _driven:
    0.08, _face: 0.2, _lights_and_cameras: 0.2, _still_thing: 0.1, _shown_and_hidden: 0.1, _hidden_bone: 0.08,
    _posed_bone: 0.08, _moving_armature: 0.15, _shared: 0.08, _manual_range: 0.1, _single_key: 0.08,
    _curve_extra: 0.15, _strips: 0.12, _nothing_selected: 0.03,
}  # fmt: skip
_OF_ANIMX = (_face, _lights_and_cameras, _still_thing, _shown_and_hidden)


def _options(sketch: Sketch) -> None:
    random = sketch.random
    taken = any(step["do"] == "import" for step in sketch.steps)
    if sketch.format == "mrtk" and not taken:
        sketch.options["version"] = random.choice(("AUTO", "1.1", "1.0"))
        sketch.options["drop_gaze"] = True
    elif sketch.format == "w3d" and not taken:
        sketch.options["flavor"] = random.choices(
            ("RAW", "TIMECODED", "BFME_TIMECODED", "ADAPTIVE_DELTA"), (4, 3, 1, 1)
        )[0]
    elif sketch.format == "animx" and not taken:
        sketch.options["axes"] = random.choice(("FBX", "GLTF"))
        sketch.options["ending"] = random.choice((".animj", ".animj", ".animx"))
