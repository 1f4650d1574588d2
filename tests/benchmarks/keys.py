"""How many keys an export makes of what is no plain curve, how far it plays off, and Blender's glTF exporter beside it.

`make keys` writes the table of docs/keys.md.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE), str(SOURCE / "tests" / "support")]

from alone import enable_extension  # noqa: E402  needs the path
from gltf_player import Glb  # noqa: E402
from in_blender import add, animate, choose, curves_of, generated_rigify, go_to, push_down  # noqa: E402

FOLDER = Path(tempfile.mkdtemp(prefix="anim_curves_keys_"))
enable_extension(FOLDER / "user")  # the user folder has to be known before Blender is imported
bpy: Any = importlib.import_module("bpy")
np: Any = importlib.import_module("numpy")

PACKAGE = "bl_ext.user_default.io_anim_curves"
PAGE = SOURCE / "docs" / "keys.md"
BEGIN = "<!-- table: begin -->"
HEAD = f"""{BEGIN}

| made in Blender | keys in | keys out | goal | off by | Blender's glTF exporter: keys, off by |
|---|---|---|---|---|---|
"""
V10 = (("version", "1.0"),)
LAST = 49
"""Frame at which most motions end: two seconds."""


# --- Scenes -----------------------------------------------------------------------------------------------------------


def link(name: str, data: Any = None) -> Any:
    """A new object in the scene, selected."""
    made = add(name, data, active=True)
    made.select_set(True)
    return made


def turns(axis: int, degrees: dict[int, float]) -> dict[int, tuple[float, ...]]:
    """Quaternions about one axis, by frame."""
    halves = {frame: math.radians(angle) / 2 for frame, angle in degrees.items()}
    return {
        frame: (math.cos(half), *(math.sin(half) * (number == axis) for number in range(3)))
        for frame, half in halves.items()
    }


def human() -> Any:
    """Rigify's basic human, not generated."""
    bpy.ops.object.armature_basic_human_metarig_add()
    return bpy.context.view_layer.objects.active


def walk() -> Any:
    """The human with 70 keys: the hips' places and three bones' turns, smooth."""
    rig = human()
    bones = rig.pose.bones
    animate(bones["spine"], "location.z", {1: 0, 13: 0.05, 25: 0, 37: 0.05, LAST: 0})
    for name, swing in (("thigh.L", 30), ("thigh.R", -30)):
        bones[name].rotation_mode = "QUATERNION"
        animate(bones[name], "rotation_quaternion", turns(0, {1: swing, 13: 0, 25: -swing, 37: 0, LAST: swing}))
    animate(bones["spine.003"], "rotation_quaternion", turns(2, {1: -8, 13: 0, 25: 8, 37: 0}))
    return rig


def strip(rig: Any, start: int = 1, **facts: Any) -> Any:
    """The assigned Action as a strip with such facts."""
    made = push_down(rig, start)
    for name, value in facts.items():
        setattr(made, name, value)
    return made


def a_wave() -> None:
    rig = generated_rigify()
    places = {1: (0, 0, 0), 17: (0.1, -0.2, 0.5), 33: (-0.1, -0.2, 0.55), LAST: (0, 0, 0)}
    animate(rig.pose.bones["hand_ik.R"], "location", places)


def seven_controls() -> None:
    a_wave()
    bones = bpy.context.view_layer.objects.active.pose.bones
    places = {1: (0, 0, 0), 17: (0.05, 0.1, 0.05), 33: (-0.05, 0, 0.1), LAST: (0, 0, 0)}
    for name in ("hand_ik.L", "foot_ik.L", "foot_ik.R", "torso", "chest"):
        animate(bones[name], "location", places)
    bones["head"].rotation_mode = "QUATERNION"
    animate(bones["head"], "rotation_quaternion", turns(0, {1: 0, 17: 20, 33: -20, LAST: 0}))


def twice_as_long(**facts: Any) -> None:
    strip(walk(), **facts)
    bpy.context.scene.frame_end = 2 * LAST - 1


def reversed_strip() -> None:
    strip(walk(), use_reverse=True)


def two_strips() -> None:
    rig = walk()
    first = strip(rig)
    second = rig.animation_data.nla_tracks[0].strips.new("Walk", LAST, first.action)
    if hasattr(second, "action_slot"):
        second.action_slot = first.action_slot
    bpy.context.scene.frame_end = 2 * LAST - 1


def delta() -> None:
    made = link("Delta")
    animate(made, "delta_location", {1: (0, 0, 0), 25: (1, 0.5, 0), LAST: (0, 1, 0)})
    animate(made, "location", {1: (0, 0, 0), 20: (0, 0, 2), LAST: (0, 0, 0)})


def target() -> Any:
    """An object that moves on a bend."""
    made = link("Target")
    animate(made, "location", {1: (2, 0, 0), 25: (0, 2, 1), LAST: (-2, 0, 0)})
    animate(made, "rotation_euler", {1: (0, 0, 0), 25: (0.5, 0, 1), LAST: (0, 0, 2)})
    return made


def tracks_to() -> None:
    aim = target()
    constraint = link("Eye").constraints.new("TRACK_TO")
    constraint.target, constraint.track_axis, constraint.up_axis = aim, "TRACK_NEGATIVE_Z", "UP_Y"


def copies() -> None:
    aim = target()
    constraint = link("Copy").constraints.new("COPY_TRANSFORMS")
    constraint.target, constraint.influence = aim, 0.6


def driven_bone() -> None:
    aim, rig = target(), human()
    bone = rig.pose.bones["spine.003"]
    bone.rotation_mode = "XYZ"
    drive(bone.driver_add("rotation_euler", 0), aim, "sin(x) / 2")


def driven_shape(expression: str = "x * x / 4") -> None:
    aim, data = target(), bpy.data.meshes.new("Face")
    data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    face = link("Face", data)
    face.shape_key_add(name="Basis")
    smile = face.shape_key_add(name="Smile")
    smile.data[1].co.x = 2.0
    drive(smile.driver_add("value"), aim, expression)


def drive(curve: Any, aim: Any, expression: str) -> None:
    """Drive by the first axis of an object's place, called x."""
    variable = curve.driver.variables.new()
    variable.name, variable.type = "x", "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].transform_type = aim, "LOC_X"
    curve.driver.type, curve.driver.expression = "SCRIPTED", expression


def leg() -> None:
    rig = human()
    aim = link("Foot")
    animate(aim, "location", {1: (0.1, 0, 0.1), 25: (0.1, -0.4, 0.3), LAST: (0.1, 0.3, 0.1)})
    constraint = rig.pose.bones["shin.L"].constraints.new("IK")
    constraint.target, constraint.chain_count = aim, 2
    aim.select_set(False)


def cycled() -> None:
    made = link("Walker")
    animate(made, "location", {1: (0, 0, 0), 7: (0.5, 0, 0.2), 13: (1, 0, 0)})
    for curve in curves_of(made.animation_data.action):
        modifier = curve.modifiers.new("CYCLES")
        modifier.mode_after = "REPEAT_OFFSET"


def handles() -> None:
    for curve in curves_of(walk().animation_data.action):
        for key in curve.keyframe_points:
            key.handle_left_type = key.handle_right_type = "FREE"
            key.handle_right.x = key.co.x + 6.0
            key.handle_left.x = key.co.x - 3.0


def recorded(**options: Any) -> Any:
    """The armature of a recorded hand, selected alone."""
    path = SOURCE / "tests" / "data" / "mrtk" / "v10_recorder_3s_left_hand.bin"
    bpy.ops.import_anim.mrtk(filepath=str(path), **options)
    rig = next(each for each in bpy.data.objects if each.type == "ARMATURE")
    choose(rig)
    return rig


def hand(**facts: Any) -> None:
    """A recorded hand, half a second of it, as a strip."""
    rig = recorded()
    if facts:
        strip(rig, start=0, **facts)


def hand_with_parents(last: int = LAST) -> Any:
    """A hand whose joints are parented, as a skeleton is, keyed anew: the wrist moves and three fingers close."""
    rig = recorded(hand_skeleton=True)
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, last
    bones, middle = rig.pose.bones, (1 + last) // 2
    animate(bones["Wrist.L"], "location", {1: (0, 0, 0), middle: (0.1, 0.05, 0), last: (0, 0, 0)})
    animate(bones["Wrist.L"], "rotation_quaternion", turns(2, {1: 0, middle: 60, last: 0}))
    for finger in ("Index", "Middle", "Ring"):
        for joint in ("Knuckle", "MiddleJoint", "DistalJoint"):
            animate(bones[f"{finger}{joint}.L"], "rotation_quaternion", turns(0, {1: 0, middle: 40, last: 0}))
    return rig


def finger_by_ik() -> None:
    """The same hand, its index finger led by IK for two and a half seconds at 60 frames a second."""
    bpy.context.scene.render.fps = 60
    rig = hand_with_parents(151)
    aim = link("Aim")
    tip = rig.matrix_world @ rig.pose.bones["IndexTip.L"].head
    places = [tuple(tip + type(tip)(away)) for away in ((0, 0, 0), (0.02, -0.02, 0.01), (-0.01, -0.03, 0), (0, 0, 0))]
    animate(aim, "location", dict(zip([1, 51, 101, 151], places)))
    constraint = rig.pose.bones["IndexDistalJoint.L"].constraints.new("IK")
    constraint.target, constraint.chain_count = aim, 3
    choose(rig)


@dataclass(frozen=True)
class Row:
    """A line of the table: what is made, how few keys were hoped for, and the format it goes into with its options."""

    title: str
    make: Callable[[], None]
    goal: str = ""
    name: str = "animx"
    options: tuple[tuple[str, Any], ...] = ()


ROWS = [
    Row("Rigify human, generated, a wave of 2 s", a_wave, "2,200"),
    Row("the same, seven controls", seven_controls, "4,400"),
    Row("human, strip at half speed", lambda: twice_as_long(scale=2.0), "140"),
    Row("the same repeated twice", lambda: twice_as_long(repeat=2.0), "140"),
    Row("two strips of a walk in a row", two_strips, "90"),
    Row("strip reversed", reversed_strip, "70"),
    Row("delta transforms, keyed", delta, "60"),
    Row("Track To", tracks_to, "110"),
    Row("Copy Transforms, influence 0.6", copies, "170"),
    Row("driver on a bone", driven_bone, "40"),
    Row("driver on a shape key", driven_shape, "30"),
    Row("the same, `x / 8 + 0.5`", lambda: driven_shape("x / 8 + 0.5")),
    Row("IK leg", leg, "70"),
    Row("Repeat with Offset", cycled, "40", options=(("bake_to_scene_end", True),)),
    Row("handles of other lengths", handles),
    Row("the same, *Tolerance* 0.00001", handles, "400", options=(("tolerance", 1e-5),)),
    Row("MRTK 1.0: a recorded hand, as it is", hand, "", "mrtk", V10),
    Row("MRTK 1.0: the hand in a strip at half speed", lambda: hand(scale=2.0), "3,000", "mrtk", V10),
    Row("MRTK 1.1: the hand in a strip at half speed", lambda: hand(scale=2.0), "", "mrtk", (("version", "1.1"),)),
    Row("MRTK 1.0: plain keys of a hand with parents", hand_with_parents, "3,400", "mrtk", V10),
    Row("MRTK 1.0: the same, a finger led by IK, 60 a second", finger_by_ik, "150 in a curve", "mrtk", V10),
]


# --- Counts -----------------------------------------------------------------------------------------------------------


def measured(row: Row, folder: Path) -> str:
    """The line of the table for a row, made in an empty scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, LAST
    row.make()
    curves = ((action, curve) for action in bpy.data.actions for curve in curves_of(action))
    before = counted((action.name, curve.data_path, when(curve)) for action, curve in curves)
    heard: list[Any] = []
    reporting = importlib.import_module(f"{PACKAGE}.operators.reporting")
    tell = reporting.tell_exports
    reporting.tell_exports = lambda operator, context, written: (
        heard.extend(written),
        tell(operator, context, written),
    )[1]
    path = folder / ("scene.bin" if row.name == "mrtk" else "scene.animj")
    try:
        getattr(bpy.ops.export_anim, row.name)(filepath=str(path), check_playback="THOROUGH", **dict(row.options))
    finally:
        reporting.tell_exports = tell
    check = heard[0].check
    off = f"{short(1000.0 * check.place)} mm, {short(check.turn)}°"
    keys = f"{keys_of(path):,}" + (f", {most_in_a_curve(path)} in a curve" if "curve" in row.goal else "")
    return f"| {row.title} | {before:,} | {keys} | {row.goal} | {off} | {by_gltf(folder / 'scene.glb')} |"


def short(number: float) -> str:
    """Two digits of a number, and none of one that is next to nothing."""
    return f"{number:.2g}" if number >= 1e-4 else "0"


def when(curve: Any) -> set[float]:
    """The frames at which an F-Curve has keys."""
    return {point.co.x for point in curve.keyframe_points}


def counted(found: Iterable[tuple[str, str, set[float]]]) -> int:
    """How many keys an Action's curves have, those of all components of a property at one time being one."""
    together: dict[tuple[str, str], set[float]] = {}
    for owner, name, times in found:
        together.setdefault((owner, name), set()).update(times)
    return sum(map(len, together.values()))


def keys_of(path: Path) -> int:
    """How many keys a file has, as its `info` counts them."""
    return int(importlib.import_module("io_formats").open_file(path).describe()["keys"])


def most_in_a_curve(path: Path) -> int:
    """How many keys the curve of a file has that has most."""
    formats = importlib.import_module("io_formats")
    file = formats.open_file(path)
    clips = file.to_clips(file.format.read_options(), formats.errors.Report())
    return max(len(track.times) for clip in clips for track in clip.tracks)


def by_gltf(path: Path) -> str:
    """How many keys Blender's own exporter makes of the scene as it plays, and how far off its importer plays them."""
    scene, chosen = bpy.context.scene, [each.name for each in bpy.context.selected_objects]
    first, last, rate = scene.frame_start, scene.frame_end, scene.render.fps
    # one animation of all objects, as players play one at a time
    how = {"export_animation_mode": "SCENE", "export_anim_scene_split_object": False, "use_selection": True}
    bpy.ops.export_scene.gltf(filepath=str(path), **how)
    before = played(chosen, first, last)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.render.fps = rate
    bpy.ops.import_scene.gltf(filepath=str(path))
    after = played(chosen, first, last)
    apart = [before[name] - after[name] for name in before.keys() & after.keys()]
    place = max(np.abs(each[:, :3, 3]).max() for each in apart)
    chord = max(np.sqrt((each[:, :3, :3] ** 2).sum(axis=1)).max() for each in apart)
    turn = math.degrees(2 * math.asin(chord / 2))
    return f"{gltf_keys(path):,}; {short(1000.0 * place)} mm, {short(turn)}°"


def played(names: list[str], first: int, last: int) -> dict[str, Any]:
    """World matrices (m, 4, 4) of objects and their bones at each quarter of a frame, by name; axes have length 1."""
    found: dict[str, list[Any]] = {}
    for moment in range(4 * first, 4 * last + 1):
        go_to(moment / 4)
        for name in names:
            thing = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
            for bone in thing.pose.bones if thing.pose else ():
                found.setdefault(f"{name}, {bone.name}", []).append(np.array(thing.matrix_world @ bone.matrix))
            if not thing.pose:
                found.setdefault(name, []).append(np.array(thing.matrix_world))
    worlds = {name: np.stack(rows) for name, rows in found.items()}
    for rows in worlds.values():
        rows[:, :3, :3] /= np.sqrt((rows[:, :3, :3] ** 2).sum(axis=1, keepdims=True))
    return worlds


def gltf_keys(path: Path) -> int:
    """How many keys a .glb has."""
    told = Glb.read(path).told
    samplers = [each for animation in told.get("animations", ()) for each in animation["samplers"]]
    return sum(int(told["accessors"][sampler["input"]]["count"]) for sampler in samplers)


def main() -> None:
    """Write the table of the page; with --only, some rows to the terminal."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="", help="print the rows whose titles have this in them, write no page")
    only = options.parse_args().only
    importlib.import_module("addon_utils").enable("io_scene_gltf2", default_set=True)
    lines = []
    for row in ROWS:
        if only in row.title:
            lines.append(measured(row, FOLDER))
            sys.stdout.write(lines[-1] + "\n")
            sys.stdout.flush()
    if not only:
        words = PAGE.read_text(encoding="utf-8").partition(BEGIN)[0]
        PAGE.write_text(words + HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
