"""The judge turned round: what was imported plays in Blender as the players here play the file.

Every option that changes what is to be seen is known here; those that make other keys have limits of their own.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from . import compare, loop, shown, stage
from .compare import Find
from .players import animx, moves

Array = np.ndarray[Any, Any]
Step = dict[str, Any]
Exporting = Callable[[Step, Step], compare.Export]
Look = tuple[dict[str, Array], dict[tuple[str, str], Array]]
MOMENTS = 24
_ENDINGS = {"mrtk": ".bin", "w3d": ".w3d", "w3x": ".w3x", "animx": ".animj"}
_PLACE, _TURN, _DEEPER = 3e-5, 0.012, 0.004
"""Parts of the reach, degrees, and degrees more for each node above."""
_VALUE = 2e-4
_SNAPS = 1.5e-4
"""Frames: within a 10,000th of one beside a key Blender shows the key."""
_OWN_LIMITS = {"thin": (1.1e-3, 0.25), "cyclic": (5.5e-3, 2.2), "hand_skeleton": (4e-5, 0.02)}
"""Metres and degrees of each node that options promise."""
_NOT_PLAIN = {"scale", "forward", "up", "root_motion", "channels", "only_selected_bones", *loop.REWORKED}
"""Options after which the scene does not show what the file plays in its own terms."""


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


def go_round(recipe: Step, data: bytes, export: Exporting) -> list[Find]:
    """What is wrong after the bytes of a drawn scene were imported as the recipe says, and once more exported."""
    with tempfile.TemporaryDirectory() as folder:
        return list(_round(recipe, data, Path(folder), export))


def _round(recipe: Step, data: bytes, folder: Path, export: Exporting) -> Iterator[Find]:
    way = recipe["loop"]
    ending = Path(recipe.get("file", "")).suffix or recipe["options"].get("ending", _ENDINGS[recipe["format"]])
    _make_scene(way)
    taken = Taken(recipe["format"], data, dict(way["options"]), way, folder / f"{way['stem']}{ending}")
    known = twin_of(recipe)
    taken.takes = moves.takes_of(taken.format, known or data, taken.options | _orders(recipe))
    try:
        standing = _take_in(taken)
    except RuntimeError as error:
        taken.refusal = str(error)
    if taken.refusal:
        yield from _wrong_refusal(taken)
        return
    finds = 0
    for find in _judge(taken):
        finds += 1
        yield find
    if standing is not None and _there_now() != standing:
        yield Find("bystander", "scene", "what was there before the import is moved or changed")
        return
    if finds == 0:
        yield from _export_again(recipe, taken, export)


def _orders(recipe: Step) -> Step:
    """In which order the file's keys are written, as far as its export or its import says so."""
    options = {**recipe["options"], **recipe["loop"]["options"]}
    return {name: options[name] for name in animx.ORDERS if name in options}


def twin_of(recipe: Step) -> bytes | None:
    """The AnimJ that holds what a sample in AnimX holds."""
    file = stage.SAMPLES / recipe.get("file", "")
    if file.suffix != ".animx":
        return None
    listed = json.loads((file.parent / "index.json").read_text(encoding="utf-8"))
    twin = next(
        (each["animj"] for each in listed if each["file"] == file.name and "animj" in each), f"{file.stem}.animj"
    )
    return file.with_name(twin).read_bytes()


# --- The scene that it goes into, and the import ----------------------------------------------------------------------


def _make_scene(way: Step) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    stage.build_step(way["scene"])
    bpy.context.scene.frame_set(way["scene"]["now"])


def _there(way: Step) -> Any:
    """Let somebody else's things be in the scene, selected."""
    if "there" not in way:
        return None
    stage.build_step({"do": "thing", "name": "Bystander", "type": "MESH", "at": {"location": [3, 4, 5]}})
    bone = ["Passer", None, [0, 0, 0], [0, 0, 1], 0.3, False]
    stage.build_step({"do": "rig", "name": "Crowd", "bones": [bone], "at": {"location": [-3, 0, 0]}})
    if way["there"] == "MOVING":
        keys = {"indices": [0, 1, 2], "frames": [0, 20], "rows": [[0, 0, 0], [1, 2, 3]]}
        for owner, path in (("Bystander", "location"), ("Crowd", 'pose.bones["Passer"].location')):
            stage.build_step(
                {"do": "keys", "owner": owner, "path": path, "shapes": ["LINEAR"], "handles": ["VECTOR"], **keys}
            )
    stage.build_step({"do": "select", "names": ["Bystander", "Crowd"], "active": "Crowd"})
    return _there_now()


def _there_now() -> Any:
    found = []
    now = bpy.context.scene.frame_current
    for frame in (0, 7, 20):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        things = [bpy.data.objects[name].evaluated_get(graph) for name in ("Bystander", "Crowd")]
        found.append([[list(row) for row in thing.matrix_world] for thing in things])
        found.append([list(row) for row in things[1].pose.bones[0].matrix])
    bpy.context.scene.frame_set(now)
    return json.dumps(found)


def _take_in(taken: Taken) -> Any:
    """Import it as the recipe says; what else is in the scene, as it was before."""
    options, way = taken.options, taken.way
    if options.get("skeleton") == "APART" and len(taken.takes) == 1:
        skeleton, rest = moves.apart(taken.data)
        options["skeleton"] = str(taken.path.with_name("bones.w3d"))
        Path(options["skeleton"]).write_bytes(skeleton)
        taken.path.write_bytes(rest)
    else:
        options.pop("skeleton", None)
        taken.path.write_bytes(taken.data)
    importer = getattr(bpy.ops.import_anim, taken.format)
    if "onto" in way:
        _make_own_rig(taken, importer)
    elif "twice" in way:
        importer(filepath=str(taken.path), **options)
        options |= {"MERGE": {"merge": True, "target": "SELECTED"}}.get(way["twice"], {"existing": way["twice"]})
        bpy.context.scene.frame_set(way["scene"]["now"])
    own = bpy.context.view_layer.objects.active
    standing = _there(way)
    if own is not None:
        stage.build_step({"do": "select", "names": [own.name], "active": own.name})
    taken.before = set(bpy.data.objects.keys())
    render = bpy.context.scene.render
    taken.start = options.get("start_frame", 0.0)
    if options.get("start_at_current"):
        taken.start = bpy.context.scene.frame_current * render.frame_map_old / render.frame_map_new
    importer(filepath=str(taken.path), **options)
    _find_things(taken)
    return standing


def _find_things(taken: Taken) -> None:
    active = bpy.context.view_layer.objects.active
    if taken.options.get("node_kind") == "OBJECT":
        taken.things = [thing for thing in bpy.data.objects if thing.type == "EMPTY" and thing.name not in taken.before]
        taken.names = {thing.name: thing.name for thing in taken.things}
        return
    taken.things = [] if active is None else [active]
    if active is not None and active.type == "ARMATURE":
        taken.names = {bone.name: taken.names.get(bone.name, bone.name) for bone in active.data.bones}


def _make_own_rig(taken: Taken, importer: Any) -> None:
    """A rig that is there before the import, as a person's own."""
    own, way = taken.options, taken.way
    plain = {name: own[name] for name in ("axes", "forward_axis", "up_axis", "left_handed", "root_bone") if name in own}
    if own.get("skeleton"):
        plain["skeleton"] = own["skeleton"]
    importer(filepath=str(taken.path), rate="SCENE", **plain)
    rig = bpy.context.view_layer.objects.active
    if rig is None or rig.type != "ARMATURE":
        return
    taken.is_new, own["target"] = False, "SELECTED"
    by_table = way["onto"] == "TABLE"
    if way["onto"] == "SAME":
        rig.animation_data_clear()
        bpy.data.batch_remove(list(bpy.data.actions))
    else:
        taken.names = stage.made_own(rig, by_table=by_table)
    if by_table:
        table = taken.path.with_name("names.json")
        names = {node: bone for bone, node in taken.names.items()}
        table.write_text(json.dumps({"kind": "anim_curves_names", "names": names}))
        own["name_table"] = str(table)
    if "rolled" in way:
        _roll(rig, way["rolled"])
    if "at" in way:
        turned = Matrix.Translation(way["at"]) @ Matrix.Rotation(way["turned"], 4, "Z")
        rig.matrix_world = turned @ rig.matrix_world
    for number, bone in enumerate(rig.pose.bones):
        selected = number % 2 == 0
        (bone if hasattr(bone, "select") else bone.bone).select = selected
        if way["onto"] != "SAME" and not _is_turn_only(taken):  # of a part of a file the other bones keep their pose
            bone.rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    bpy.context.view_layer.update()


def _roll(rig: Any, by: float) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    for number, bone in enumerate(rig.data.edit_bones):
        if number % 3:
            bone.roll += by
    bpy.ops.object.mode_set(mode="OBJECT")


# --- What is done with it, and out again ------------------------------------------------------------------------------


def _export_again(recipe: Step, taken: Taken, export: Exporting) -> Iterator[Find]:
    """What was not touched is the file's own bytes; what was edited plays as the judge of exports wants it."""
    options, steps = taken.options, taken.way["then"]
    reworked = any(options.get(name) not in (None, "NO") for name in loop.REWORKED) or taken.way.get("twice") == "MERGE"
    facts: Step = {"source": taken.data, "untouched": not reworked, "ending": taken.path.suffix,
                   "renamed": dict(taken.names)}  # fmt: skip
    if not options.get("keep_source", True) or "skeleton" in options or not _can_export(taken):
        return
    first = taken.start
    facts["imported"] = (first, first + taken.takes[0].seconds * frames_a_second())
    for step in steps:
        try:
            done = stage.build_step(step)
        except stage.MissingError:
            continue
        if step["do"] == "rename":
            (renamed,) = done.items()
            facts["renamed"][renamed[0]] = facts["renamed"].pop(renamed[1])
            facts["untouched"] &= taken.format != "animx"
        else:
            facts["untouched"] &= {"do": "tool", "name": "convert_rate"} in steps
        if step.get("name") == "whole_frames" and any(abs(end - round(end)) > 1e-4 for end in facts["imported"]):
            return  # it lasts to the next whole frame, or as long as before
    if not facts["untouched"] and not _is_plain(taken):
        return
    exported = export({**recipe, "options": {}}, facts)
    own = {"axes": options.get("axes", "GLTF"), "flavor": _flavor(recipe), **_orders(recipe)}
    yield from compare.judge({**recipe, "options": own}, exported)


def _can_export(taken: Taken) -> bool:
    once = "nla" not in taken.options or "twice" not in taken.way
    return once and taken.takes[0].seconds > 0 and len(taken.takes) == 1


def _flavor(recipe: Step) -> str:
    """The form of the file's channels, as the option of the export calls it."""
    flavors = (("_tc", "TIMECODED"), ("_ad", "ADAPTIVE_DELTA"))
    of_file = next((flavor for part, flavor in flavors if part in recipe.get("file", "")), "RAW")
    return str(recipe["options"].get("flavor", of_file))


def _is_plain(taken: Taken) -> bool:
    """Whether the judge of exports knows how Blender shows the file: in its own size and axes, whole."""
    options, way = taken.options, taken.way
    usual = not _NOT_PLAIN & options.keys()
    axes = options.get("axes", "GLTF") in ("GLTF", "FBX") and options.get("node_kind") != "OBJECT"
    return usual and axes and "onto" not in way and "twice" not in way and "nla" not in options


# --- The judge --------------------------------------------------------------------------------------------------------


def _wrong_refusal(taken: Taken) -> Iterator[Find]:
    if "Traceback" in taken.refusal:
        lines = [line.strip() for line in taken.refusal.strip().splitlines()]
        yield Find("traceback", lines[-1][:160], lines[-2][:120])
    elif taken.is_new:
        yield Find("import refused", taken.format, taken.refusal.strip()[:200])


def _judge(taken: Taken) -> Iterator[Find]:
    if not taken.things:
        if any(take.player.__dict__.get("tracks", True) for take in taken.takes):
            yield Find("nothing made", taken.format, "the import made no rig")
        return
    yield from _wrong_scene(taken)
    yield from _wrong_actions(taken)
    for take, shift in _playing(taken):
        yield from _wrong_play(taken, take, shift)


def frames_a_second() -> float:
    """Frames of Actions that a second of the scene is."""
    render = bpy.context.scene.render
    return float(render.fps / render.fps_base * render.frame_map_old / render.frame_map_new)


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
    stretch = render.frame_map_new / render.frame_map_old
    for take, shift in _playing(taken):
        last = (taken.start + shift + take.seconds * frames_a_second()) * stretch
        first = max((taken.start + shift) * stretch, 0.0)  # before which no scene of Blender begins
        if not (scene.frame_start <= first + 1e-3 and scene.frame_end >= last - 1e-3):
            yield Find("range", "scene", f"{scene.frame_start} to {scene.frame_end} without {last:.3f}")
            return


def _actions(taken: Taken) -> list[Any]:
    """The Actions of the import, in the order of the file's animations, as far as names tell."""
    found = []
    for take in taken.takes:
        for name in _names_of(taken, take):
            made = bpy.data.actions.get(name)
            if made is not None:
                found.append(made)
                break
    return found


def _names_of(taken: Taken, take: moves.Take) -> list[str]:
    own, stem = take.name, taken.path.stem
    if taken.options.get("name_from") == "FILE":
        own = f"{stem} {own}".rstrip() if len(taken.takes) > 1 else stem
    name = taken.options.get("name_prefix", "") + (own or stem)
    return [f"{name}.001", name] if taken.way.get("twice") == "KEEP" else [name]


def _assigned(taken: Taken) -> Any:
    holder = taken.rig or taken.things[0]
    return None if holder.animation_data is None else holder.animation_data.action


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
        wanted = [taken.start, taken.start + take.seconds * frames_a_second()]
        if options.get("resample"):
            wanted = [math.floor(wanted[0] + 1e-4), math.ceil(wanted[1] - 1e-4)]
        found = [action.frame_start, action.frame_end]
        early = taken.format == "mrtk"  # recordings may begin before time 0
        off = [abs(found[side] - wanted[side]) for side in range(1 if early else 0, 2)]
        if max(off) > 2e-3 + 1e-6 * abs(wanted[1]) and taken.way.get("twice") != "MERGE":
            yield Find("action range", action.name, f"{found}, not {wanted}")
        if options.get("cyclic") in ("NO", "CLOSE") and action.use_cyclic != (options["cyclic"] == "CLOSE"):
            yield Find("cyclic", action.name, f"{action.use_cyclic}")
        if bool(action.asset_data) != bool(options.get("mark_assets")) and taken.way.get("twice") != "MERGE":
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
    marks = [(taken.start + at * frames_a_second(), text) for at, text in take.marks()]
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
    wanted = {
        "NONE": (0, 0, True),
        "STASH": (len(actions), 0, True),
        "STRIP": (len(actions), 1, False),
        "SEQUENCE": (len(actions), 1, False),
    }[nla]
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
        for take, strip in zip(taken.takes, strips, strict=False):
            yield take, strip.frame_start - strip.action_frame_start
        return
    own = taken.things, taken.names
    for number, (take, action) in enumerate(zip(taken.takes, actions, strict=False)):
        if take.skeleton != taken.takes[0].skeleton:
            taken.things = [thing for thing in bpy.data.objects if thing.animation_data and
                            thing.animation_data.action == action]  # fmt: skip
            taken.names = {bone.name: bone.name for thing in taken.things for bone in thing.data.bones}
        elif number and taken.rig is not None:
            for bone in taken.rig.pose.bones:  # without keys at rest a bone stays where it was
                bone.matrix_basis = Matrix()
            data.action = action
            if hasattr(data, "action_slot"):
                data.action_slot = action.slots[0]
        yield take, 0.0
    taken.things, taken.names = own
    if len(actions) > 1 and taken.rig is not None:
        data.action = actions[0]
        if hasattr(data, "action_slot"):
            data.action_slot = actions[0].slots[0]


def _moments(seconds: float, rate: float, seed: str, *, whole: bool, ends: bool) -> list[float]:
    """Both ends, if asked for, and random ones, half of them just after whole frames, for steps."""
    random, found = Random(seed), [0.0, seconds] if ends else [0.0]
    frames = max(int(seconds * rate), 1)
    for number in range(MOMENTS):
        share = 0.0 if whole else 0.004 if number % 2 else random.uniform(0.05, 0.95)
        found.append((random.randrange(frames) + share) / rate)
    return sorted(moment for moment in found if 0.0 <= moment <= seconds)


def _wrong_play(taken: Taken, take: moves.Take, shift: float) -> Iterator[Find]:
    """Poses and properties at some moments."""
    if not taken.things:
        yield Find("no armature", take.skeleton, "nothing plays the animation of this skeleton")
        return
    rate, figure = frames_a_second(), _figure(taken)
    if taken.is_new:
        yield from _wrong_carrier(taken, figure)
    whole, last = bool(taken.options.get("resample")), taken.start + shift + take.seconds * rate
    # a strip that ends between two frames begins anew in that very moment, for Blender's NLA
    in_strip = taken.options.get("nla") in ("STRIP", "SEQUENCE") and abs(last - round(last)) > 1e-6
    ends = not (take.repeats or in_strip)
    own_rate = rate if whole or not take.rate else take.rate
    moments = _moments(take.seconds, own_rate, str(taken.way), whole=whole, ends=ends)
    if whole:
        moments = [(math.ceil(taken.start) + round(at * rate)) / rate - taken.start / rate for at in moments]
        moments = [at for at in moments if 0 <= at <= take.seconds]
    worst: dict[tuple[str, str], tuple[float, str, float]] = {}
    for at in moments:
        frame = round((taken.start + shift + at * rate) / _old_by_new(), 4)
        look = _look(taken, frame)
        exact = (frame * _old_by_new() - taken.start - shift) / rate
        step = max(_SNAPS, 2 * float(np.spacing(np.float32(abs(frame) + 1)))) / rate
        found = _wrong_at(taken, take, figure, look, [exact])
        if found:  # beside a step the last digits of the frame decide
            found = _wrong_at(taken, take, figure, look, [exact, exact + step, exact - step])
        for kind, place, size, detail in found:
            worst[kind, place] = max(worst.get((kind, place), (0.0, "", 0.0)), (size, detail, at))
    wrong = [(size, kind, place, detail, at) for (kind, place), (size, detail, at) in worst.items()]
    for size, kind, place, detail, at in sorted(wrong, reverse=True)[:3]:
        yield Find(kind, place, f"{detail} at {at:.4f} s ({take.name})", size)


def _wrong_at(taken: Taken, take: moves.Take, figure: moves.Figure, look: Look, moments: list[float]) -> list[Any]:
    """What is off in what Blender shows, seen as the file at any of these moments."""
    near = [_wanted(taken, take, figure, moment) for moment in moments]
    found = [*_off(taken, near, look, figure), *_seen(taken, take, figure, moments, look[0])]
    return [each for each in found if each[2] > 1]


def _old_by_new() -> float:
    render = bpy.context.scene.render
    return float(render.frame_map_old / render.frame_map_new)


def _figure(taken: Taken) -> moves.Figure:
    figure = moves.Figure(carrier=moves.root(taken.format, taken.options))
    if taken.rig is None:
        figure.objects = True
        for thing in taken.things:
            figure.above[thing.name] = thing.parent.name if thing.parent else None
            figure.rests[thing.name] = np.linalg.inv(figure.carrier)
        return figure
    figure.carrier = np.array(taken.rig.matrix_world, np.float64)
    for bone in taken.rig.data.bones:
        node, above = taken.names[bone.name], bone.parent
        own = np.array(bone.matrix_local, np.float64)
        figure.above[node] = None if above is None else taken.names[above.name]
        figure.rests[node] = own if above is None else np.linalg.inv(np.array(above.matrix_local, np.float64)) @ own
    return figure


def _wrong_carrier(taken: Taken, figure: moves.Figure) -> Iterator[Find]:
    wanted = moves.root(taken.format, taken.options)
    if np.abs(figure.carrier - wanted).max() > 1e-5 * max(1.0, np.abs(wanted).max()) and not taken.way.get("twice"):
        yield Find("carrier", "rig", f"{figure.carrier.round(4).tolist()}, not {wanted.round(4).tolist()}")


def _wanted(taken: Taken, take: moves.Take, figure: moves.Figure, at: float) -> Look:
    worlds, values = take.worlds(at, figure), take.values(at)
    if take.own:
        around = np.eye(4) if taken.options.get("fit") == "EXACT" and not taken.is_new else figure.carrier
        worlds = {node: around @ world for node, world in worlds.items()}
    return worlds, values


def _look(taken: Taken, frame: float) -> Look:
    """Worlds by node, and custom properties by node and name, that Blender shows on a frame."""
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    worlds, values = {}, {}
    for thing in taken.things:
        seen = thing.evaluated_get(graph)
        holders = [] if seen.pose else [(thing.name, seen, seen.matrix_world)]
        holders += [
            (bone.name, bone, seen.matrix_world @ bone.matrix) for bone in (seen.pose.bones if seen.pose else ())
        ]
        for name, holder, world in holders:
            node = taken.names[name]
            worlds[node] = np.array(world, np.float64)
            for key in holder.keys():  # noqa: SIM118  # no mapping of Python's
                held = holder[key]
                if isinstance(held, (bool, int, float)) or hasattr(held, "to_list"):
                    values[node, key] = np.ravel(held.to_list() if hasattr(held, "to_list") else held).astype(float)
    return worlds, values


def _off(taken: Taken, near: list[Look], look: Look, figure: moves.Figure) -> Iterator[Any]:
    worlds, values = look
    size, reach = _extent(worlds)
    at_rest = _rests(taken)
    chosen = _judged(taken)
    place_limit, turn_limit = _limits(taken)
    turn_limit = max([turn_limit, *(take.unsure for take in taken.takes)])
    for node, world in worlds.items():
        each = [wanted[node] for wanted, _ in near if node in wanted]
        if not each or node not in chosen:
            continue
        depth = _depth(node, figure)
        turned = min(_turned(taken, node, world, wanted, at_rest) for wanted in each)
        moved = min(float(np.linalg.norm(world[:3, 3] - wanted[:3, 3])) for wanted in each)
        swung, went = _apart(
            each[-1], each[0 if len(each) == 1 else 1]
        )  # what the file itself does within the last digits of a frame
        allowed = swung + _TURN + (_DEEPER + turn_limit) * (depth + 1)
        within = went + _PLACE * max(size, 0.02) + 2e-6 * reach + place_limit * (depth + 1)
        within += math.radians((_DEEPER + turn_limit) * depth) * size
        sizes = [np.linalg.norm(each[:3, :3], axis=0) for each in (world, *each)]
        grown = min(float(np.abs(sizes[0] / np.maximum(wanted, 1e-9) - 1).max()) for wanted in sizes[1:])
        lengths = taken.options.get("fit") == "EXACT" or (
            figure.objects and "scale" in taken.options
        )  # not of themselves
        if node not in ("Gaze", "GazeDirection") and not _is_turn_only(taken) and not lengths:
            yield "size", node, grown / (1e-3 + place_limit), f"{sizes[0]}, not {sizes[1]}"
        if not _is_turn_only(taken):
            yield "place", node, moved / within, f"{moved:.6f}"
        if node not in ("Gaze", "GazeDirection") and not math.isnan(turned):
            yield "turn", node, turned / allowed, f"{turned:.4f} degrees"
    for node, name in near[0][1]:
        if node in chosen:
            wanted = [each[1][node, name] for each in near]
            yield from _off_value(node, name, wanted, values.get((node, name)))


def _apart(one: Array, other: Array) -> tuple[float, float]:
    """Degrees and length between two poses."""
    axes, others = compare.rotation_of(one), compare.rotation_of(other)
    turned = 0.0 if axes is None or others is None else compare.angle(axes, others)
    return turned, float(np.linalg.norm(one[:3, 3] - other[:3, 3]))


def _seen(taken: Taken, take: moves.Take, figure: moves.Figure, at: Sequence[float], worlds: Any) -> Iterator[Any]:
    """What is drawn as nothing, and where a recorded camera looks."""
    if not taken.is_new:  # no bone of a person's own is hidden
        return
    each = [take.hidden(moment, figure) for moment in at]
    graph = bpy.context.evaluated_depsgraph_get()
    for name, node in taken.names.items():
        hides = _is_emptied(taken, name, graph)
        if hides is not None and all(wanted.get(node, False) != hides for wanted in each):
            yield "hidden", node, 9.0, f"drawn as nothing: {hides}"
    cameras = [thing for thing in bpy.data.objects if thing.type == "CAMERA" and thing.parent == taken.rig]
    if "Camera" not in worlds or taken.format != "mrtk" or not take.player.has("Camera"):
        return
    if len(cameras) != 1:
        yield "camera", "Camera", 9.0, f"{len(cameras)} cameras"
        return
    world, (moment,) = worlds["Camera"], shown.moments([bpy.context.scene.frame_current_final])
    seen = moment.worlds[cameras[0].name]
    axes = np.stack([seen[:3, 0], -seen[:3, 2], seen[:3, 1]], axis=1)
    off = float(np.abs(axes - world[:3, :3]).max() / np.abs(world[:3, :3]).max())
    yield "camera", "Camera", max(off, float(np.abs(seen[:3, 3] - world[:3, 3]).max())) / 1e-3, "it looks elsewhere"
    angle = float(moment.values[cameras[0].name, "Camera.FieldOfView"][0])
    wanted = taken.options.get("field_of_view", 60.0)
    yield "camera", "angle", abs(angle - wanted) / 0.01, f"{angle:.3f} degrees, not {wanted}"


def _is_emptied(taken: Taken, name: str, graph: Any) -> bool | None:
    """Whether a bone or object is not seen as something hides it for a while; None where nothing could."""
    if taken.rig is None:
        return bool(bpy.data.objects[name].evaluated_get(graph).hide_viewport)
    shape = taken.rig.pose.bones[name].custom_shape
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


def _extent(worlds: dict[str, Array]) -> tuple[float, float]:
    points = np.array([world[:3, 3] for world in worlds.values()])
    return float(np.ptp(points, axis=0).max()), float(np.abs(points).max())


def _limits(taken: Taken) -> tuple[float, float]:
    """Metres and degrees of each node that the options allow besides."""
    found = [_OWN_LIMITS[name] for name in _OWN_LIMITS if taken.options.get(name) not in (None, False, "NO")]
    return max((place for place, _ in found), default=0.0), max((turn for _, turn in found), default=0.0)


def _depth(node: str, figure: moves.Figure) -> int:
    above = figure.above.get(node)
    return 0 if above is None else 1 + _depth(above, figure)


def _turned(taken: Taken, node: str, world: Array, wanted: Array, rests: dict[str, Array]) -> float:
    """Degrees that a node is off; of a rig that follows, as far as it is turned from rest."""
    own, other = compare.rotation_of(world), compare.rotation_of(wanted)
    if own is None or other is None:
        return math.nan
    return compare.angle(own @ rests.get(node, np.eye(3)), other)


def _rests(taken: Taken) -> dict[str, Array]:
    """By node how its bone is turned from the file's own rest, where a rig follows that is rolled otherwise."""
    follows = taken.format in ("w3d", "w3x") and taken.options.get("fit") != "EXACT" and "rolled" in taken.way
    if taken.is_new or not follows:
        return {}
    player = taken.takes[0].player
    rests: list[Array] = []
    for base, parent in zip(player.bases, player.parents, strict=True):
        rests.append(base if parent < 0 else rests[parent] @ base)
    bases = dict(zip(player.names, rests, strict=True))
    found = {}
    for bone in taken.rig.data.bones:
        node = taken.names[bone.name]
        if node in bases:
            found[node] = np.array(bone.matrix_local, np.float64)[:3, :3].T @ bases[node][:3, :3]
    return found


def _judged(taken: Taken) -> set[str]:
    """Nodes whose pose is the file's."""
    options = taken.options
    if options.get("smooth") or options.get("only_selected_bones"):
        return set()
    if options.get("hand_skeleton") and not taken.is_new and options.get("fit") != "EXACT":
        return set()  # there the lengths are the rig's
    return set(taken.names.values())


def _is_turn_only(taken: Taken) -> bool:
    options = taken.options
    only = options.get("channels") == "ROTATION" and not taken.is_new
    return only or options.get("root_motion") is False
