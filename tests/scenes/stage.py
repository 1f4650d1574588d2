"""A recipe made into a scene of Blender: one function for each kind of step, run in order.

A step whose object, bone or curve is not there is left out, so that a recipe stays one whatever is taken from it.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import bpy
from in_blender import bag_of, put_selected_into_one
from mathutils import Matrix, Vector

from . import edits
from .players import animx, mrtk, w3d, w3x

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "data"
Step = dict[str, Any]
_HARMLESS = ("scene", "thing", "select", "frame", "hide", "name", "rename", "other", "import")
"""What changes no byte of a take that was imported; of the others it is judged how it plays."""
_SKELETONS = {"w3d/g02_tc_default.w3d": "w3d/g02_skl.w3d", "w3x/g01_anim.w3x": "w3x/g01_skl.w3x"}
"""What an import finds beside a file that holds no skeleton."""
SLOTTED = "slots" in bpy.types.Action.bl_rna.properties
_METARIGS = {"basic_human": "armature_basic_human_metarig_add", "human": "armature_human_metarig_add"}


class MissingError(Exception):
    """A step speaks of something that is not in the scene."""


def build(recipe: dict[str, Any]) -> dict[str, Any]:
    """Make the scene of a recipe in an empty file; what has to be known of a take that it imported."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    facts: dict[str, Any] = {}
    for step in recipe["steps"]:
        playing = _playing() if facts else None
        try:
            done = build_step(step)
        except MissingError:
            continue
        if step["do"] == "import":
            facts = {**_facts_of(step), "renamed": done}
        elif step["do"] not in _HARMLESS and facts:
            facts["untouched"] = False
            facts["edited"] = [*facts["edited"], playing]
        elif step["do"] == "rename":
            in_file = recipe["format"] != "animx"  # which has the new name, as has the model that is exported with it
            renamed = {new: facts["renamed"].get(old, old) for new, old in done.items()}
            facts |= {"renamed": facts["renamed"] | renamed} if in_file else {"untouched": False}
    for each in bpy.data.objects:
        each.update_tag()  # of properties that a script makes Blender learns only so
    bpy.context.view_layer.update()
    return facts | _now_playing(facts.get("animations", ()))


def _now_playing(animations: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """The frames of the imported animation that plays; none where something else does."""
    playing = _playing()
    found = [span for action, span in animations if action == playing and action is not None]
    return {"imported": next(iter(found), None)} if animations else {}


def build_step(step: Step) -> Any:
    """Do one step in the scene that is open."""
    return {**_STEPS, **edits.STEPS}[step["do"]](step)


def _facts_of(step: Step) -> dict[str, Any]:
    """The file's own bytes, and its span in frames as it was placed."""
    file = SAMPLES / step["file"]
    data, render = file.read_bytes(), bpy.context.scene.render
    players = {"mrtk": mrtk.Player, "w3d": w3d.Player.of, "w3x": w3x.Player.of, "animx": animx.Player}
    player: Any = players[step["format"]](data)
    rate, begin = render.fps / render.fps_base * render.frame_map_old / render.frame_map_new, _begin(step)
    span = (begin, begin + player.duration * rate)
    facts = {"source": data, "untouched": True, "imported": span, "ending": file.suffix, "edited": []}
    if step["format"] in ("w3d", "w3x"):
        beside = _SKELETONS.get(step["file"], step.get("options", {}).get("skeleton"))
        each = [players[step["format"]](data, number) for number in range(max(player.animations, 1))]
        spans = [(begin, begin + one.duration * rate) for one in each]
        found = [bpy.data.actions.get(one.name) for one in each]
        facts |= {"animations": list(zip(found, spans, strict=True))}
        facts |= {"beside": (SAMPLES / beside).read_bytes()} if beside else {}
    return facts


def _begin(step: Step) -> float:
    return float(step.get("options", {}).get("start_frame", 0.0))


def _playing() -> Any:
    """The Action that what is active plays, or has in a strip."""
    found = bpy.context.view_layer.objects.active
    data = None if found is None else found.animation_data
    if data is None or data.action is not None:
        return data and data.action
    return next((strip.action for track in data.nla_tracks for strip in strips_of(track)), None)


# --- Things ---------------------------------------------------------------------------------------------------------


def thing(name: str) -> Any:
    """An object by name."""
    found = bpy.data.objects.get(name)
    if found is None:
        raise MissingError(name)
    return found


def owner(name: str) -> Any:
    """What has an Action: `Rig`, `Rig/data`, `Face/keys` or `Cube/material`."""
    stem, _, part = name.partition("/")
    found = thing(stem)
    parts = {"": found, "data": found.data, "keys": getattr(found.data, "shape_keys", None),
             "material": found.active_material}  # fmt: skip
    if parts[part] is None:
        raise MissingError(name)
    return parts[part]


def bone(step: Step) -> Any:
    """The pose bone of a step, or its object where it names no bone."""
    found = thing(step["owner"])
    if not step.get("bone"):
        return found
    if found.pose is None or step["bone"] not in found.pose.bones:
        raise MissingError(step["bone"])
    return found.pose.bones[step["bone"]]


def _put(found: Any, at: Step) -> None:
    for path, values in at.items():
        setattr(found, path, values)


def _link(name: str, data: Any, at: Step) -> Any:
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    _put(made, at)
    return made


def _scene(step: Step) -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = step["fps"], step.get("base", 1.0)
    scene.frame_start, scene.frame_end = step["first"], step["last"]
    scene.render.frame_map_old, scene.render.frame_map_new = step.get("map", (100, 100))
    scene.unit_settings.scale_length = step.get("unit", 1.0)
    for path, value in step.get("set", {}).items():
        place, _, name = path.rpartition(".")
        setattr(scene.path_resolve(place) if place else scene, name, value)


def _rig(step: Step) -> None:
    made = _link(step["name"], bpy.data.armatures.new(step["name"]), step.get("at", {}))
    _edit(made)
    for name, parent, head, tail, roll, connected in step["bones"]:
        new = made.data.edit_bones.new(name)
        new.head, new.tail, new.roll = head, tail, roll
        if parent and parent in made.data.edit_bones:
            new.parent, new.use_connect = made.data.edit_bones[parent], connected
    bpy.ops.object.mode_set(mode="OBJECT")
    made.select_set(False)


def _edit(made: Any) -> None:
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode="EDIT")


def _metarig(step: Step) -> None:
    getattr(bpy.ops.object, _METARIGS[step["kind"]])()
    made = bpy.context.view_layer.objects.active
    made.name = made.data.name = step["name"]
    _put(made, step.get("at", {}))
    made.select_set(False)


def _thing(step: Step) -> None:
    _link(step["name"], _data_of(step), step.get("at", {}))


def _data_of(step: Step) -> Any:
    kind, name = step["type"], step["name"]
    if kind == "MESH":
        data = bpy.data.meshes.new(name)
        data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
        return data
    if kind == "CAMERA":
        return bpy.data.cameras.new(name)
    return None if kind == "EMPTY" else bpy.data.lights.new(name, kind)


def _parent(step: Step) -> None:
    child, above = thing(step["child"]), thing(step["parent"])
    if step.get("bone") and (above.pose is None or step["bone"] not in above.pose.bones):
        raise MissingError(step["bone"])
    bpy.context.view_layer.update()
    world = child.matrix_world.copy()
    child.parent = above
    if step.get("bone"):
        child.parent_type, child.parent_bone = "BONE", step["bone"]
    if "vertex" in step:
        child.parent_type, child.parent_vertices = "VERTEX", [step["vertex"], 0, 0]
    bpy.context.view_layer.update()
    if step.get("keep"):
        child.matrix_parent_inverse = (above.matrix_world @ _tip(step, above)).inverted()
        child.matrix_basis = world


def _tip(step: Step, above: Any) -> Any:
    if not step.get("bone"):
        return Matrix()
    found = above.pose.bones[step["bone"]]
    return found.matrix @ Matrix.Translation(Vector((0, found.length, 0)))


def _shape_keys(step: Step) -> None:
    found = thing(step["owner"])
    if found.type != "MESH":
        raise MissingError(step["owner"])
    found.shape_key_add(name="Basis")
    for name, low, high, mute in step["names"]:
        key = found.shape_key_add(name=name)
        key.slider_min, key.slider_max, key.mute = low, high, mute


def _property(step: Step) -> None:
    found = bone(step)
    found[step["name"]] = step["value"]
    if step.get("ui"):
        found.id_properties_ui(step["name"]).update(**step["ui"])


def _twin(step: Step) -> None:
    _link(step["name"], thing(step["of"]).data, step["at"])


def _pose(step: Step) -> None:
    found = bone(step)
    for path, value in step["set"].items():
        setattr(found.bone if path in ("inherit_scale", "use_inherit_rotation", "use_local_location") else found,
                path, value)  # fmt: skip


def _hide(step: Step) -> None:
    found = bone(step)
    (found if hasattr(found, "hide") else found.bone).hide = True


# --- Motion ---------------------------------------------------------------------------------------------------------


def curves_of(found: Any) -> Any:
    """The collection of F-Curves that a datablock plays, None without an Action."""
    data = found.animation_data
    return None if data is None else curves_in(data)


def is_muted(curve: Any) -> bool:
    """Whether an F-Curve is switched off; with its group it is where Actions have no slots."""
    return bool(curve.mute or (not SLOTTED and curve.group is not None and curve.group.mute))


def strips_of(track: Any) -> Iterator[Any]:
    """The strips of an NLA track that play an Action, those within others too."""
    for strip in track.strips:
        yield from strips_of(strip) if strip.type == "META" else [strip] * (strip.action is not None)


def playing_tracks(data: Any) -> list[Any]:
    """The NLA tracks that play: the one that does alone, else those that are not muted."""
    tracks = list(data.nla_tracks) if data.use_nla else []
    return [track for track in tracks if track.is_solo] or [track for track in tracks if not track.mute]


def curves_of_strips(found: Any) -> list[tuple[Any, Any]]:
    """The strips of a datablock, each with the collection of F-Curves that it plays."""
    tracks = found.animation_data.nla_tracks
    return [(strip, curves_in(strip) or ()) for track in tracks for strip in strips_of(track)]


def curves_in(player: Any) -> Any:
    """The collection of F-Curves that an animation or a strip plays, None without an Action."""
    if player.action is None:
        return None
    if not hasattr(player, "action_slot"):
        return player.action.fcurves
    for layer in player.action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(player.action_slot) if player.action_slot else None
            if bag is not None:
                return bag.fcurves
    return None


def _check_path(found: Any, path: str) -> None:
    try:
        found.path_resolve(path)
    except ValueError as error:
        raise MissingError(path) from error


def _keys(step: Step) -> None:
    found = owner(step["owner"])
    _check_path(found, step["path"])
    bag = bag_of(found, step.get("action", f"{step['owner'].replace('/', ' ')} moves"))
    curves = bag.fcurves
    for each in [each for each in curves if step.get("over") and each.data_path == step["path"]]:
        curves.remove(each)
    for place, index in enumerate(step["indices"]):
        if any(each.data_path == step["path"] and each.array_index == index for each in curves):
            continue  # another object's, in a Blender whose Actions have no slots
        curve = curves.new(step["path"], index=index)
        _fill(curve, step, place)
        if "group" in step:
            name, mute = step["group"]
            curve.group = bag.groups.get(name) or bag.groups.new(name)
            curve.group.mute = mute


def _fill(curve: Any, step: Step, place: int) -> None:
    points = curve.keyframe_points
    points.add(len(step["frames"]))
    for number, (point, frame) in enumerate(zip(points, step["frames"], strict=True)):
        point.co = frame, step["rows"][number][place]
        point.interpolation = step["shapes"][number % len(step["shapes"])]
        point.easing = step.get("easing", "AUTO")
        _put(point, step.get("key", {}))
        handle = step["handles"][number % len(step["handles"])]
        point.handle_left_type = point.handle_right_type = handle
        if handle in ("FREE", "ALIGNED"):
            reach, rise = step.get("reach", 3.0), step.get("rise", 0.05) * (1 if number % 2 else -1)
            point.handle_left = point.co[0] - reach, point.co[1] - rise
            point.handle_right = point.co[0] + reach, point.co[1] + rise
    curve.extrapolation = step.get("extrapolation", "CONSTANT")
    curve.mute = step.get("mute", False)
    curve.update()
    if curve.array_index in step.get("modified", (curve.array_index,)):
        _add_modifier(curve, step.get("modifier"))


def _add_modifier(curve: Any, wanted: Step | None) -> None:
    if wanted is not None:
        made = curve.modifiers.new(wanted["type"])
        _put(made, wanted["set"])


def _range(step: Step) -> None:
    action = _action_of(step)
    action.use_frame_range = True
    action.frame_start, action.frame_end = step["first"], step["last"]


def _action_of(step: Step) -> Any:
    found = owner(step["owner"])
    if found.animation_data is None or found.animation_data.action is None:
        raise MissingError(step["owner"])
    return found.animation_data.action


def _share(step: Step) -> None:
    """Give an object the Action of another, with a slot of its own where Actions have slots."""
    found, action = owner(step["owner"]), _action_of({"owner": step["of"]})
    data = found.animation_data or found.animation_data_create()
    data.action = action
    if hasattr(data, "action_slot"):
        bpy.context.view_layer.update()
        same = step.get("slot") == "SAME"
        data.action_slot = action.slots[0] if same else action.slots.new(found.id_type, found.name)


def _markers(step: Step) -> None:
    action = _action_of(step)
    for frame, name in step["at"]:
        action.pose_markers.new(name).frame = frame


def _blend(step: Step) -> None:
    """Change how a datablock's Action counts, its track or its strip, and the strip's own curve."""
    data = owner(step["owner"]).animation_data
    if data is None:
        raise MissingError(step["owner"])
    _put(data, step.get("data", {}))
    if not data.nla_tracks:
        return
    track = data.nla_tracks[step.get("at", -1)]
    _put(track, step.get("track", {}))
    for strip in track.strips:
        _put(strip, step.get("strip", {}))
        if "curve" in step:
            path, frames, values = step["curve"]
            curve = strip.fcurves.find(path)
            for frame, value in zip(frames, values, strict=True):
                curve.keyframe_points.insert(frame, value)


def _strip(step: Step) -> None:
    """Push the Action down into a strip of the NLA, as the button of that name does, then move it."""
    found, action = owner(step["owner"]), _action_of(step)
    first = math.floor(action.frame_range[0]) if step.get("at") is None else step["at"]
    tracks = found.animation_data.nla_tracks
    track = tracks[-1] if "behind" in step and tracks else tracks.new()
    if track.strips:
        first = math.ceil(track.strips[-1].frame_end) + step["behind"]
    strip = _strip_in(track, found.animation_data, int(first))
    _put(strip, step.get("set", {}))
    if step.get("meta"):
        _in_meta(found, track, strip)


def _strip_in(track: Any, data: Any, first: int) -> Any:
    """Put the Action that plays into a strip, with its slot."""
    slot, action = getattr(data, "action_slot", None), data.action
    strip = track.strips.new(action.name, first, action)
    if slot is not None:
        strip.action_slot = slot
    data.action = None
    return strip


def _in_meta(found: Any, track: Any, strip: Any) -> None:
    """Put a strip into a META strip, as the command of the NLA editor does for what is selected there."""
    bpy.context.view_layer.objects.active = found
    for other in found.animation_data.nla_tracks:
        other.select = other == track
        for each in other.strips:
            each.select = each == strip
    put_selected_into_one()


def _constraint(step: Step) -> None:
    found, target = bone(step), thing(step["target"]) if step["target"] else None
    if target == found:
        raise MissingError(step["target"])
    made = found.constraints.new(step["type"])
    if target is not None:
        made.target = target
    _put(made, step.get("set", {}))


def _modifier(step: Step) -> None:
    thing(step["owner"]).modifiers.new("SimpleDeform", step["type"])


def _flat(step: Step) -> None:
    owner(step["owner"]).type = "ORTHO"


def _material(step: Step) -> None:
    thing(step["owner"]).data.materials.append(bpy.data.materials.new(f"{step['owner']} Paint"))


def _driver(step: Step) -> None:
    found, source = owner(step["owner"]), thing(step["source"])
    _check_path(found, step["path"])
    driver = found.driver_add(step["path"], step["index"]).driver
    variable = driver.variables.new()
    variable.name = "x"
    variable.targets[0].id = source
    variable.targets[0].data_path = step["source_path"]
    driver.type = step.get("type", "SCRIPTED")
    driver.expression = step["expression"]


# --- A person's last steps ------------------------------------------------------------------------------------------


def _select(step: Step) -> None:
    for each in bpy.context.scene.objects:
        each.select_set(each.name in step["names"])
    bpy.context.view_layer.objects.active = thing(step["active"]) if step.get("active") else None


def _import(step: Step) -> dict[str, str]:
    """Import a take; what the file calls bones that have another name."""
    importer = getattr(bpy.ops.import_anim, step["format"])
    options = {name: str(SAMPLES / value) if name == "skeleton" else value
               for name, value in step.get("options", {}).items()}  # fmt: skip
    importer(filepath=str(SAMPLES / step["file"]), **options)
    rig = bpy.context.view_layer.objects.active
    if "onto" not in step or rig is None or rig.type != "ARMATURE":
        return {}
    by_table = step["onto"] == "TABLE"
    names = made_own(rig, by_table=by_table)
    with tempfile.TemporaryDirectory() as folder:
        given = {"name_table": name_table(Path(folder), names)} if by_table else {}
        importer(filepath=str(SAMPLES / step["file"]), target="SELECTED", **given, **options)
    return names


def made_own(rig: Any, *, by_table: bool) -> dict[str, str]:
    """Make a rig that was imported one that never was, with other names; what its bones were called by these."""
    rig.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    names = {}
    for number, (bone, posed) in enumerate(zip(rig.data.bones, rig.pose.bones, strict=True)):
        posed.matrix_basis = Matrix()
        old = str(bone.name)
        bone.name = f"B{number}" if by_table else "mixamorig:" + old.replace(" ", "_")
        names[str(bone.name)] = old
    for holder in (rig, rig.data, *rig.data.bones, *rig.pose.bones):
        for key in list(holder.keys()):
            del holder[key]
    return names


def name_table(folder: Path, names: dict[str, str]) -> str:
    """Write a Name Table of what a file calls bones."""
    table = folder / "names.json"
    table.write_text(json.dumps({"kind": "anim_curves_names", "names": {old: new for new, old in names.items()}}))
    return str(table)


def _rename(step: Step) -> dict[str, str]:
    """Give a bone of what was imported another name; the one that it had, by that."""
    rig = bpy.context.view_layer.objects.active
    if rig is None or rig.type != "ARMATURE":
        raise MissingError(step["to"])
    bones = sorted(rig.data.bones, key=lambda each: str(each.name))
    bone = bones[step["bone"] % len(bones)]
    was, bone.name = str(bone.name), step["to"]
    return {str(bone.name): was}


def _rate(step: Step) -> None:
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = step["fps"], 1.0


def _tool(step: Step) -> None:
    """Press a button of the add-on, where it can be pressed."""
    tool = getattr(bpy.ops.anim_curves, step["name"])
    if not tool.poll():
        raise MissingError(step["name"])
    tool()


def _push(step: Step) -> None:
    """Push what the active object plays down into a strip, where it is."""
    del step
    found = bpy.context.view_layer.objects.active
    data = None if found is None else found.animation_data
    if data is None or data.action is None:
        raise MissingError("Action")
    first, last = data.action.frame_range
    if first != int(first) or first == last:
        raise MissingError("a strip on whole frames")
    strip = _strip_in(data.nla_tracks.new(), data, int(first))
    strip.action_frame_start, strip.action_frame_end = first, last
    strip.frame_start, strip.frame_end = first, last


def _frame(step: Step) -> None:
    bpy.context.scene.frame_set(step["at"])


_STEPS: dict[str, Callable[[Step], Any]] = {
    each.__name__.removeprefix("_"): each
    for each in (
        _scene, _rig, _metarig, _thing, _parent, _shape_keys, _property, _pose, _hide, _keys, _range, _twin, _markers,
        _blend, _share, _strip, _constraint, _modifier, _flat, _material, _driver, _select, _import, _rename, _rate,
        _frame, _tool, _push,
    )
}  # fmt: skip
