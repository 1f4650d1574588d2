"""The way back: a file is imported, judged, worked on as the recipe says, exported and judged once more."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from . import clock, loop, stage
from .judge import judge
from .judges import imports
from .players import animx, moves
from .verdict import ENDINGS, Export, Find

Array = np.ndarray[Any, Any]
Step = dict[str, Any]
Exporting = Callable[[Step, Step], Export]
_NOT_PLAIN = {"scale", "forward", "up", "root_motion", "channels", "only_selected_bones", *loop.REWORKED}
"""Options after which the scene does not show what the file plays in its own terms."""


def go_round(recipe: Step, data: bytes, export: Exporting) -> list[Find]:
    """What is wrong after the bytes of a drawn scene were imported as the recipe says, and once more exported."""
    with tempfile.TemporaryDirectory() as folder:
        return list(_round(recipe, data, Path(folder), export))


def _round(recipe: Step, data: bytes, folder: Path, export: Exporting) -> Iterator[Find]:
    way = dict(recipe["loop"])
    for turned in ("rolled", "at") if "curve_shapes" in recipe.get("file", "") else ():
        way.pop(turned, None)  # single precision turns nothing of 1e30
    ending = Path(recipe.get("file", "")).suffix or recipe["options"].get("ending", ENDINGS[recipe["format"]])
    make_scene(way)
    taken = imports.Taken(recipe["format"], data, dict(way["options"]), way, folder / f"{way['stem']}{ending}")
    known = twin_of(recipe)
    taken.takes = moves.takes_of(taken.format, known or data, taken.options | _forms(recipe))
    try:
        standing = take_in(taken)
    except RuntimeError as error:
        taken.refusal = str(error)
    if taken.refusal:
        yield from imports.wrong_refusal(taken)
        return
    finds = 0
    for find in imports.judge(taken):
        finds += 1
        yield find
    if standing is not None and _there_now() != standing:
        yield Find("bystander", "scene", "what was there before the import is moved or changed")
        return
    if finds == 0:
        yield from _export_again(recipe, taken, export)


def _forms(recipe: Step) -> Step:
    """How the file's bytes are laid out, as its export or its import says in options, or else its name."""
    named = {"_tv": ("key_order", "TIME"), "_rl": ("tangent_order", "RIGHT"),
             "_tc": ("flavor", "TIMECODED"), "_ad": ("flavor", "ADAPTIVE_DELTA")}  # fmt: skip
    of_file = dict(form for part, form in named.items() if part in recipe.get("file", ""))
    options = {"flavor": "RAW", **of_file, **recipe["options"], **recipe["loop"]["options"]}
    return {name: options[name] for name in ("flavor", *animx.ORDERS) if name in options}


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


def make_scene(way: Step) -> None:
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


def take_in(taken: imports.Taken) -> Any:
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
    taken.start = options.get("start_frame", 0.0)
    if options.get("start_at_current"):
        taken.start = bpy.context.scene.frame_current / clock.stretch()
    importer(filepath=str(taken.path), **options)
    _find_things(taken)
    return standing


def _find_things(taken: imports.Taken) -> None:
    active = bpy.context.view_layer.objects.active
    if taken.options.get("node_kind") == "OBJECT":
        taken.things = [thing for thing in bpy.data.objects if thing.type == "EMPTY" and thing.name not in taken.before]
        taken.names = {thing.name: thing.name for thing in taken.things}
        return
    taken.things = [] if active is None else [active]
    if active is not None and active.type == "ARMATURE":
        taken.names = {bone.name: taken.names.get(bone.name, bone.name) for bone in active.data.bones}


def _make_own_rig(taken: imports.Taken, importer: Any) -> None:
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
        own["name_table"] = stage.name_table(taken.path.parent, taken.names)
    if "rolled" in way:
        _roll(rig, way["rolled"])
    if "at" in way:
        turned = Matrix.Translation(way["at"]) @ Matrix.Rotation(way["turned"], 4, "Z")
        rig.matrix_world = turned @ rig.matrix_world
    for number, bone in enumerate(rig.pose.bones):
        selected = number % 2 == 0
        (bone if hasattr(bone, "select") else bone.bone).select = selected
        # of a part of a file the other bones keep their pose
        if way["onto"] != "SAME" and not imports.is_turn_only(taken):
            bone.rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    bpy.context.view_layer.update()


def _roll(rig: Any, by: float) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    for number, bone in enumerate(rig.data.edit_bones):
        if number % 3:
            bone.roll += by
    bpy.ops.object.mode_set(mode="OBJECT")


# --- What is done with it, and out again ------------------------------------------------------------------------------


def _export_again(recipe: Step, taken: imports.Taken, export: Exporting) -> Iterator[Find]:
    """What was not touched is the file's own bytes; what was edited plays as the judge of exports wants it."""
    options, steps = taken.options, taken.way["then"]
    reworked = any(options.get(name) not in (None, "NO") for name in loop.REWORKED) or taken.way.get("twice") == "MERGE"
    facts: Step = {"source": taken.data, "untouched": not reworked, "ending": taken.path.suffix,
                   "renamed": dict(taken.names)}  # fmt: skip
    if not options.get("keep_source", True) or "skeleton" in options or not _can_export(taken):
        return
    first = taken.start
    facts["imported"] = (first, first + taken.takes[0].seconds * clock.frames_a_second())
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
    if options.get("nla") in ("STRIP", "SEQUENCE") and not all(thing.select_get() for thing in taken.things):
        return  # what was hidden meanwhile Blender has deselected, and the report names it
    known = _is_plain(taken) and "version0" not in recipe.get("file", "")  # which no player here reads
    if not facts["untouched"] and not known:
        return
    exported = export({**recipe, "options": {}}, facts)
    own = {"axes": options.get("axes", "GLTF"), **_forms(recipe)}
    yield from judge({**recipe, "options": own}, exported)


def _can_export(taken: imports.Taken) -> bool:
    once = "nla" not in taken.options or "twice" not in taken.way
    return once and taken.takes[0].seconds > 0 and len(taken.takes) == 1


def _is_plain(taken: imports.Taken) -> bool:
    """Whether the judge of exports knows how Blender shows the file: in its own size and axes, whole."""
    options, way = taken.options, taken.way
    usual = not _NOT_PLAIN & options.keys()
    axes = options.get("axes", "GLTF") in ("GLTF", "FBX") and options.get("node_kind") != "OBJECT"
    return usual and axes and "onto" not in way and "twice" not in way and "nla" not in options
