"""An import onto what a person has made: what keeps it from playing the file is told; other scenes are left alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import add, add_armature, animate, chain, choose, curves_of, editing, reopen

Capture = pytest.CaptureFixture[str]

bpy = pytest.importorskip("bpy")
Vector = pytest.importorskip("mathutils").Vector

PIVOTS = ["ROOTTRANSFORM", "HIPS", "HEAD"]


def nod(folder: Path) -> Path:
    """The hips turn and the head moves sideways."""
    turns = np.stack([np.linspace(0, 0.5, 11), np.zeros(11), np.zeros(11), np.ones(11)], axis=1)
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    scene.write(folder / "skel.w3d", scene.Lay.hierarchy(PIVOTS))
    channels = scene.Lay.raw(0, turns, 6, 1), scene.Lay.raw(0, np.linspace(0, 2, 11), 0, 2)
    return scene.write(folder / "nod.w3d", scene.Lay.animation(*channels, frames=11, name="NOD"))


def nothing(rig: Any) -> None:
    """Leave the rig alone."""


def limit(rig: Any) -> None:
    """Hold the head back."""
    constraint = rig.pose.bones["HEAD"].constraints.new("LIMIT_LOCATION")
    constraint.use_max_x, constraint.max_x = True, 0.5


def drive(rig: Any) -> None:
    """Let a driver say where the head is."""
    rig.pose.bones["HEAD"].driver_add("location", 0).driver.expression = "0.25"


def drive_angles(rig: Any) -> None:
    """Let a driver turn the head, of which the file says nothing."""
    rig.pose.bones["HEAD"].rotation_mode = "XYZ"
    rig.pose.bones["HEAD"].driver_add("rotation_euler", 2).driver.expression = "0.25"


def let_stand(rig: Any) -> None:
    """Turn the head with nothing."""
    rig.data.bones["HEAD"].use_inherit_rotation = False


def go_apart(rig: Any) -> None:
    """Let the head go along the axes of the armature."""
    with editing(rig) as bones:
        bones["HEAD"].roll += 1.0
    rig.data.bones["HEAD"].use_local_location = False


def connect(rig: Any) -> None:
    """Hang the head on the tip of the hips."""
    with editing(rig) as bones:
        hips, head = bones["HIPS"], bones["HEAD"]
        hips.tail, head.use_connect = head.head, True


def rest(rig: Any) -> None:
    """Show the rest position."""
    rig.data.pose_position = "REST"


def strip(rig: Any, *, solo: bool = False) -> None:
    """Have a strip of one's own, which sizes the head: no key of a file rests there."""
    head = rig.pose.bones["HEAD"]
    animate(head, "scale", {0: (1.0, 1.0, 1.0), 20: (2.0, 2.0, 2.0)})
    data = rig.animation_data
    track = data.nla_tracks.new()
    track.strips.new("Mine", 0, data.action)
    data.action, track.is_solo = None, solo


def solo_strip(rig: Any) -> None:
    """Have a strip of one's own, and hear nothing but that."""
    strip(rig, solo=True)


TOLD = {
    nothing: "",
    limit: "HEAD: the constraint Limit Location takes part in its pose",
    drive: "HEAD: a driver sets its location",
    drive_angles: "HEAD: a driver sets its rotation_euler",
    let_stand: "HEAD: it does not inherit everything from its parent",
    go_apart: "HEAD: it does not inherit everything from its parent",
    connect: "The bone HEAD is connected to its parent and cannot leave it; disconnect it to follow the position",
    rest: "SKEL is shown in its rest position",
    strip: "SKEL: the NLA takes part in its motion",
    solo_strip: "SKEL: the NLA takes part in its motion",
}


@pytest.mark.parametrize("merge", [False, True])  # into no Action
@pytest.mark.parametrize("change", TOLD, ids=lambda change: change.__name__)
def test_what_keeps_a_rig_from_playing_is_told(change: Callable[[Any], None], merge: bool, tmp_path: Path) -> None:
    rig = scene.bring_in(nod(tmp_path))
    alone = {frame: scene.bones_at(rig, frame)["HEAD"] for frame in (0.0, 4.7, 10.0)}
    rig.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    change(rig)
    bpy.data.batch_remove(list(bpy.data.texts))
    assert scene.bring_in(tmp_path / "nod.w3d", target="SELECTED", merge=merge) == rig
    report = scene.report_of("nod.w3d")
    plays = all(np.allclose(scene.bones_at(rig, frame)["HEAD"], place, atol=1e-4) for frame, place in alone.items())
    assert plays == (change is nothing), "the set-up does not say what it should"
    assert TOLD[change] in report
    assert ("warning" in report) != plays


def roll(bones: Any) -> None:
    """Roll the hips and move the head's tail."""
    bones["HIPS"].roll += 1.0
    bones["HEAD"].tail = bones["HEAD"].head + Vector((0.3, 0.4, 0.1))


def rename(bones: Any) -> None:
    """Write a name in another way."""
    bones["HIPS"].name = "Hips"


def put_between(bones: Any) -> None:
    """Hang the head on a new bone."""
    made = bones.new("NECK")
    made.head, made.tail = bones["HIPS"].tail, bones["HEAD"].head + Vector((0.2, 0.0, 0.0))
    made.parent, bones["HEAD"].parent = bones["HIPS"], made


@pytest.mark.parametrize("edit", [roll, rename, put_between], ids=lambda edit: edit.__name__)
def test_bones_count_as_they_are_edited_so_far(edit: Callable[[Any], None], tmp_path: Path) -> None:
    """What hangs on the bones moves as on the file's own skeleton, also after Edit Mode is left."""
    rig = scene.bring_in(nod(tmp_path))
    frames = (0.0, 4.7, 10.0)
    alone = {frame: skinned(rig, frame) for frame in frames}
    beside = add_armature("Beside", chain("OTHER"))
    rig.select_set(True)
    with editing(beside):
        edit(rig.data.edit_bones)
        scene.bring_in(tmp_path / "nod.w3d")
        assert rig.mode == "EDIT" and len(bpy.data.armatures) == 2
    for frame in frames:
        found = skinned(rig, frame)
        assert all(np.allclose(found[name.upper()], place, atol=1e-4) for name, place in alone[frame].items())


def test_a_bone_of_ones_own_beside_a_files_bones_is_known_by_another_name(tmp_path: Path) -> None:
    rig = scene.bring_in(nod(tmp_path))
    rig.animation_data_clear()
    for key in list(rig.data.bones["HEAD"].keys()):
        del rig.data.bones["HEAD"][key]  # as if a person had made it
    scene.bring_in(tmp_path / "nod.w3d", target="SELECTED")
    rig.data.bones["HEAD"].name = "SKULL"
    assert scene.send_out(tmp_path / "out.w3d") == (tmp_path / "nod.w3d").read_bytes()


def skinned(rig: Any, frame: float) -> dict[str, np.ndarray]:
    """How each bone moves what hangs on it, by its name in capitals."""
    rests = {bone.name: np.array(bone.matrix_local) for bone in rig.data.bones}
    places = scene.bones_at(rig, frame).items()
    return {name.upper(): place @ np.linalg.inv(rests[name]) for name, place in places}


def skin(rig: Any) -> Any:
    """A mesh that the armature moves."""
    thing = add("Skin", bpy.data.meshes.new("Skin"))
    thing.modifiers.new("Armature", "ARMATURE").object = rig
    return thing


def hide(rig: Any) -> None:
    rig.hide_set(True)


def leave_out(rig: Any) -> None:
    """Keep the rig for later in a collection that is excluded."""
    old = bpy.data.collections.new("Old")
    bpy.context.scene.collection.children.link(old)
    for collection in rig.users_collection:
        collection.objects.unlink(rig)
    old.objects.link(rig)
    bpy.context.view_layer.layer_collection.children["Old"].exclude = True


@pytest.mark.parametrize("change", [nothing, hide, leave_out], ids=lambda change: change.__name__)
@pytest.mark.parametrize("dressed", [False, True])
def test_a_target_that_nobody_sees_is_told(change: Callable[[Any], None], dressed: bool, tmp_path: Path) -> None:
    rig = scene.bring_in(nod(tmp_path))
    if dressed:
        skin(rig)
    change(rig)
    bpy.data.batch_remove(list(bpy.data.texts))
    scene.bring_in(tmp_path / "nod.w3d")
    assert [thing.name for thing in bpy.data.objects if thing.type == "ARMATURE"] == ["SKEL"]
    told = "SKEL is hidden, and so is all that it moves; show it to see the animation" in scene.report_of("nod.w3d")
    assert told == (change is not nothing and not dressed)


def smile(folder: Path, *fields: str) -> Path:
    """A face that smiles, and more numbers of it that change alike."""
    keys = [{"time": time, "value": value, "interpolation": "Linear"} for time, value in ((0.0, 0.0), (1.0, 1.5))]
    datas = [{"node": "Face", "property": field, "keyframes": keys} for field in ("BlendShape.Smile", *fields)]
    tracks = [{"trackType": "Curve", "valueType": "float", "data": data} for data in datas]
    path = folder / "smile.animj"
    path.write_text(json.dumps({"name": "smile", "globalDuration": 1.0, "tracks": tracks}), encoding="utf-8")
    return path


def face() -> Any:
    """A mesh of a person's own that can smile."""
    thing = add("Face", bpy.data.meshes.new("Face"))
    thing.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    thing.shape_key_add(name="Basis")
    return thing.shape_key_add(name="Smile")


@pytest.mark.parametrize("selected", [True, False])
def test_a_selected_mesh_of_that_name_is_taken(tmp_path: Path, selected: bool) -> None:
    """It gives the file back, though nothing but its shape keys plays."""
    face()
    bpy.data.objects["Face"].select_set(selected)
    assert bpy.ops.import_anim.animx(filepath=str(smile(tmp_path))) == {"FINISHED"}
    assert len(bpy.data.armatures) == (not selected)
    if not selected:
        bpy.data.objects["Face"].name = "Mask"  # which it is still
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "again.animj")) == {"FINISHED"}
    assert (tmp_path / "again.animj").read_bytes() == (tmp_path / "smile.animj").read_bytes()


@pytest.mark.parametrize("older", [False, True])
def test_a_shape_key_that_nothing_has_keeps_its_field(tmp_path: Path, older: bool) -> None:
    """Without the file, too, which called it as an older version's custom property, a field of nothing."""
    assert bpy.ops.import_anim.animx(filepath=str(smile(tmp_path))) == {"FINISHED"}
    if older:
        (curve,), (bone,) = curves_of(bpy.data.actions[0]), bpy.context.object.pose.bones
        curve.data_path, bone["Smile"] = 'pose.bones["Face"]["Smile"]', 0.0
    else:
        bpy.data.batch_remove(list(bpy.data.texts))
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "again.animj")) == {"FINISHED"}
    (track,) = json.loads((tmp_path / "again.animj").read_text(encoding="utf-8"))["tracks"]
    assert track["data"]["property"] == "BlendShape.Smile" and track["data"]["keyframes"][-1]["value"] == 1.5


def test_a_number_called_as_a_shape_key_is_written_when_it_is_edited(tmp_path: Path) -> None:
    assert bpy.ops.import_anim.animx(filepath=str(smile(tmp_path, "Smile"))) == {"FINISHED"}
    (curve,) = (each for each in curves_of(bpy.data.actions[0]) if "BlendShape" not in each.data_path)
    curve.keyframe_points[-1].co[1] = 3.0
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "again.animj")) == {"FINISHED"}
    tracks = json.loads((tmp_path / "again.animj").read_text(encoding="utf-8"))["tracks"]
    last = {track["data"]["property"]: track["data"]["keyframes"][-1]["value"] for track in tracks}
    assert last == {"BlendShape.Smile": 1.5, "Smile": 3.0}


def test_a_muted_shape_key_is_told(tmp_path: Path) -> None:
    block = face()
    block.mute = True
    assert bpy.ops.import_anim.animx(filepath=str(smile(tmp_path)), target="BY_NAME") == {"FINISHED"}
    assert "Face: the shape key Smile is muted" in scene.report_of("smile.animj")
    bpy.data.objects["Face"].select_set(True)
    bpy.data.objects["Face"].keyframe_insert("location", frame=0)
    for action in bpy.data.actions:
        curves_of(action)[0].modifiers.new("NOISE")
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "again.animj"), still_channels=True)
    assert "Face: the shape key Smile is muted" in bpy.data.texts["Export Report"].as_string()
    assert "BlendShape" not in (tmp_path / "again.animj").read_text()
    animate(block, "mute", {0: False, 12: True})  # which it is now, and was not before
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "again.animj"), strict=True)
    tracks = (track["data"] for track in json.loads((tmp_path / "again.animj").read_text())["tracks"])
    (keys,) = [track["keyframes"] for track in tracks if track["property"] == "BlendShape.Smile"]
    assert max(key["value"] for key in keys) > 0.1 and keys[-1]["value"] == 0.0


def test_what_is_not_chosen_comes_along_with_what_its_file_moves_of_it(tmp_path: Path) -> None:
    """Beside a box that is chosen alone: a face, and of a mask, which stands somewhere, its shape keys alone."""
    path, box = smile(tmp_path), add("Box")
    for name in ("Mask", "Face"):
        face()
        bpy.data.objects["Face"].name = name
    document = json.loads(path.read_text(encoding="utf-8"))
    (smiles,) = document["tracks"]
    keys = [{"time": time, "value": dict.fromkeys("xyz", time), "interpolation": "Linear"} for time in (0.0, 1.0)]
    moves = {"property": "Position", "keyframes": keys}
    document["tracks"] += [
        {**smiles, "data": {**smiles["data"], "node": "Mask"}},
        *({**smiles, "valueType": "float3", "data": {"node": name, **moves}} for name in ("Face", "Box")),
    ]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert bpy.ops.import_anim.animx(filepath=str(path), target="BY_NAME") == {"FINISHED"}
    bpy.data.objects["Mask"].location.x = 2.0
    animate(bpy.data.objects["Mask"].shape_key_add(name="Frown"), "value", {0: 0.0, 9: 1.0})
    choose(box)
    box.keyframe_insert("location", frame=5)
    bpy.ops.export_anim.animx(filepath=str(path), check_existing=False, still_channels=True)
    data = [track["data"] for track in json.loads(path.read_text(encoding="utf-8"))["tracks"]]
    found = {(each["node"], each["property"]) for each in data}
    assert found >= {("Box", "Position"), ("Face", "Position"), ("Face", "BlendShape.Smile")}
    assert {field for node, field in found if node == "Mask"} == {"BlendShape.Smile", "BlendShape.Frown"}


def test_what_moves_an_object_besides_the_file_is_told(data: Path) -> None:
    hips = add("Hips")
    hips.delta_location = (5.0, 0.0, 0.0)
    hips.driver_add("location", 0)
    hips.constraints.new("LIMIT_LOCATION").use_max_x = True
    assert bpy.ops.import_anim.animx(filepath=str(data / "animx" / "08_walk.animj"), target="BY_NAME") == {"FINISHED"}
    report = scene.report_of("08_walk.animj")
    for cause in ("it has delta transforms besides", "a driver sets its location", "the constraint Limit Location"):
        assert f"Hips: {cause}" in report


def test_a_mesh_of_another_scene_is_left_alone(tmp_path: Path) -> None:
    block = face()
    bpy.context.window.scene = bpy.data.scenes.new("Other")
    assert bpy.ops.import_anim.animx(filepath=str(smile(tmp_path))) == {"FINISHED"}
    assert block.id_data.animation_data is None and block.slider_max == 1.0


def leap(folder: Path) -> Path:
    """The hips leap by 1 at every fourth frame, while they rise."""
    rising = scene.Lay.keys([0, 20], [0.0, 1.0], 2, 1)
    leaping = scene.Lay.keys(range(0, 21, 4), range(6), 0, 1, steps=range(1, 6))
    scene.write(folder / "skel.w3d", scene.Lay.hierarchy(PIVOTS))
    return scene.write(folder / "leap.w3d", scene.Lay.compressed(rising, leaping, frames=21, name="LEAP"))


@pytest.mark.parametrize("start_frame", [0.0, 5000.0])
def test_a_leap_is_on_its_frame_also_on_bones_that_are_rolled(start_frame: float, tmp_path: Path) -> None:
    """The file's X becomes a part of three curves there, which move besides."""
    scene.set_rate()
    path = leap(tmp_path)
    rig = scene.bring_in(path)
    with editing(rig) as bones:
        roll(bones)
    scene.bring_in(path, target="SELECTED", start_frame=start_frame)
    for frame in np.arange(0, 20.25, 0.25):
        place = scene.bones_at(rig, start_frame + frame)["HIPS"][:3, 3]
        assert np.allclose(place, (frame // 4, 0.0, 1 + frame / 20), atol=1e-3), frame
    curve = scene.curve(rig, "HIPS", "location", 2)
    curve.keyframe_points[-1].co[1] += 0.5
    written, skeleton = scene.send_out(tmp_path / "LEAP2.w3d"), (tmp_path / "skel.w3d").read_bytes()
    places = [scene.worlds(written, frame, skeleton=skeleton)["HIPS"][0, 3] for frame in range(16)]
    assert np.allclose(places, np.arange(16) // 4, atol=2e-3)


def wave(rig: Any, name: str = "Wave") -> Any:
    """Turn the hips by angles in an Action of a person's own."""
    bone = rig.pose.bones["HIPS"]
    bone.rotation_mode = "XYZ"
    rig.animation_data_create().action = bpy.data.actions.new(name)
    animate(bone, "rotation_euler.x", {1: 0.0, 20: 1.0})
    return rig.animation_data.action


@pytest.mark.parametrize("whose", ["assigned", "kept", "another's", "quaternions", "replaced"])
def test_actions_whose_angles_play_no_more_are_told(whose: str, tmp_path: Path) -> None:
    rig = scene.bring_in(nod(tmp_path))
    other = rig.copy()
    bpy.context.scene.collection.objects.link(other)
    other.animation_data_clear()
    rig.animation_data_clear()
    bpy.data.batch_remove([*bpy.data.texts, *bpy.data.actions])
    action = wave(other if whose == "another's" else rig, "NOD" if whose == "replaced" else "Wave")
    if whose == "replaced":
        animate(rig.pose.bones["HEAD"], "location.x", {1: 0.0, 20: 1.0})
    if whose == "kept":
        action.use_fake_user, rig.animation_data.action = True, None
    if whose == "quaternions":
        rig.pose.bones["HIPS"].rotation_mode = "QUATERNION"
    scene.bring_in(tmp_path / "nod.w3d", target="SELECTED", existing="REPLACE")
    told = " turns 1 bone by angles, which no longer play" in scene.report_of("nod.w3d")
    assert told == (whose in ("assigned", "kept"))


def test_of_an_action_that_is_merged_into_the_angles_are_told_once(tmp_path: Path, capfd: Capture) -> None:
    rig = scene.bring_in(nod(tmp_path))
    wave(rig)
    capfd.readouterr()
    scene.bring_in(tmp_path / "nod.w3d", target="SELECTED", merge=True)
    assert "1 warning\nWarning: The Action Wave turns 1 bone by angles, which no longer play" in capfd.readouterr().out


@pytest.mark.parametrize(("overridden", "there"), [(False, False), (True, False), (True, True)])
def test_a_property_that_an_override_forgets_is_told(overridden: bool, there: bool, tmp_path: Path) -> None:
    rig = scene.bring_in(nod(tmp_path))
    if there:
        rig.pose.bones["HEAD"]["visibility"] = True
    bits = scene.Lay.bits(2, [0, 0, 1, 1], 2, 1)
    path = scene.write(tmp_path / "hide.w3d", scene.Lay.animation(bits, frames=11, name="HIDE"))
    if overridden:
        rig.animation_data_clear()
        library = tmp_path / "library.blend"
        bpy.data.libraries.write(str(library), {rig})
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
            wanted.objects = ["SKEL"]
        rig = wanted.objects[0].override_create()
        bpy.context.scene.collection.objects.link(rig)
        bpy.context.view_layer.objects.active = rig
    scene.bring_in(path, target="SELECTED")
    assert rig.pose.bones["HEAD"]["visibility"] in (True, False)
    told = "SKEL is a library override, on which Blender keeps" in scene.report_of("hide.w3d")
    assert told == (overridden and not there)
    if overridden and not there:
        reopen(tmp_path / "shot.blend")
        rig = next(thing for thing in bpy.data.objects if thing.override_library)
        assert "visibility" not in rig.pose.bones["HEAD"]
        assert scene.send_out(tmp_path / "hide_again.w3d", strict=True)[-20:] == path.read_bytes()[-20:]
        rig.pose.bones["HEAD"].keyframe_insert("location", frame=3)
        assert bits in scene.send_out(tmp_path / "edited.w3d", strict=True)


def rise(folder: Path, name: str = "RISE") -> Path:
    """The hips rise by 2 in 20 frames and the head goes sideways, on a skeleton of four links."""
    scene.write(folder / "skel.w3d", scene.Lay.hierarchy([*PIVOTS, "HAT", "PLUME"]))
    channels = scene.Lay.raw(0, np.linspace(0, 2, 21), 2, 1), scene.Lay.raw(0, np.linspace(0, 1, 21), 0, 2)
    return scene.write(folder / f"{name.lower()}.w3d", scene.Lay.animation(*channels, frames=21, name=name))


def enlarge(rig: Any, factor: float) -> None:
    """Make the figure larger as with S, and apply that as with Ctrl A."""
    rig.scale = (factor,) * 3
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)


@pytest.mark.parametrize(("factor", "size"), [(0.1, 1.0), (1.0, 1.0), (3.0, 2.0)])
def test_a_figure_of_another_size_is_told_by_which_scale_it_goes(factor: float, size: float, tmp_path: Path) -> None:
    scene.set_rate()
    path = rise(tmp_path)
    rig = scene.bring_in(path)
    enlarge(rig, factor)
    rig.scale = (size, size, size)
    bpy.context.view_layer.update()
    for scale in (2.0, 1.0):
        bpy.data.batch_remove(list(bpy.data.texts))
        scene.bring_in(path, target="SELECTED", scale=scale)
        larger = f"is {factor * size:.3g} times" if factor * size != 1.0 else "has"
        words = f"The armature {larger} the size of the file's skeleton. Import with Scale {factor * size:.3g} to match"
        told = words in scene.report_of(path.name)
        assert told == (factor * size != scale)
    rig.scale = (1, 1, 1)
    scene.bring_in(path, target="SELECTED", scale=factor)
    for frame in (0.0, 7.3, 20.0):
        found = scene.bones_at(rig, frame)
        assert np.allclose(found["HIPS"][:3, 3], factor * np.array([0, 0, 1 + frame / 10]), atol=1e-4)
        assert np.allclose(found["HEAD"][:3, 3], factor * np.array([frame / 20, 0, 2 + frame / 10]), atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"merge": True}, {"nla": "STRIP"}])
@pytest.mark.parametrize("drives", [False, True])
def test_a_drive_that_ends_is_told(drives: bool, options: dict[str, Any], tmp_path: Path, capfd: Capture) -> None:
    """A person moved the whole armature by keys, and imports what its bones do."""
    rig = scene.bring_in(nod(tmp_path))
    rig.animation_data_clear()
    thing = rig if drives else rig.pose.bones["HEAD"]
    animate(thing, "location.y", {1: 0.0, 20: 9.0})
    rig.animation_data.action.name = "Drive"
    capfd.readouterr()
    scene.bring_in(tmp_path / "nod.w3d", target="SELECTED", **options)
    assert bpy.data.actions["Drive"].users or bpy.data.actions["Drive"].use_fake_user
    ends = not options
    told = "SKEL no longer plays the Action Drive, which moves the object itself" in capfd.readouterr().out
    assert told == (drives and ends)
