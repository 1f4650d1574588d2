"""A skeleton for every animation, names of all kinds, and what the import options promise, seen in Blender."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import add, animate, choose, editing, fcurves, go_to, remove_curves
from scenes.players import w3d, w3x

bpy = pytest.importorskip("bpy")
Matrix: Any = pytest.importorskip("mathutils").Matrix

Lay = scene.Lay
DATA = Path(__file__).parents[1] / "data"

PIVOTS = ["ROOTTRANSFORM", "HIP", "HEAD"]
WALK = Lay.animation(Lay.raw(0, [float(at) for at in range(10)], 0, 1), skeleton="Human_SKL")
SKELETON = Lay.hierarchy(PIVOTS, name="HUMAN_SKL", step=2.0)


@pytest.mark.parametrize("kind", ["w3d", "w3x"])
def test_a_skeleton_file_for_what_holds_its_own_is_passed_over_with_a_warning(kind: str, tmp_path: Path) -> None:
    """Edited, the animation keeps the numbers of its own pivots, of which the other file has others, until an export
    is asked for those: then the file holds that skeleton, but its own to the byte where it is chosen itself."""
    mixed = Lay.hierarchy(["ROOTTRANSFORM", "NECK", "HIP", "HEAD"], name="HUMAN_SKL")
    paths = [tmp_path / f"{name}.{kind}" for name in ("walk", "other")]
    for path, chunks in zip(paths, (SKELETON + WALK, mixed), strict=True):
        convert = scene.part("io_formats.convert").convert
        source = scene.part("io_formats").open_file(scene.write(path.with_suffix(".w3d"), chunks))
        _ = kind == "w3d" or convert(source, path, scene.part("io_formats.w3x").FORMAT)
    getattr(bpy.ops.import_anim, kind)(filepath=str(paths[0]), skeleton=str(paths[1]))
    assert "passed over, as" in scene.report_of(paths[0].name)
    send = getattr(bpy.ops.export_anim, kind)
    same = scene.write(tmp_path / "same" / paths[0].name)
    send(filepath=str(same), skeleton=str(paths[0]))
    assert same.read_bytes() == paths[0].read_bytes()
    scene.curve(bpy.context.object, "HIP", "location", 0).keyframe_points[3].co.y += 0.5
    send(filepath=str(tmp_path / f"again.{kind}"), strict=True)
    send(filepath=str(tmp_path / f"onto.{kind}"), skeleton=str(paths[1]), strict=True)
    assert b"NECK" in (tmp_path / f"onto.{kind}").read_bytes()


@pytest.mark.parametrize("skeleton", ["HUMAN_SKL", "JEEP"])
def test_an_edit_keeps_to_the_skeleton_that_the_import_took(skeleton: str, tmp_path: Path) -> None:
    """Of a file with one skeleton of two the Skeleton File has the other, and another one of the first's name."""
    ride = Lay.animation(Lay.raw(0, [float(at) for at in range(10)], 0, 2), name="RIDE", skeleton="JEEP")
    swapped = Lay.hierarchy(["ROOTTRANSFORM", "NECK", "HIP", "HEAD"], name="HUMAN_SKL")
    others = scene.write(
        tmp_path / "others.w3d", swapped, Lay.hierarchy(["ROOTTRANSFORM", "WHEEL", "HIP"], name="JEEP")
    )
    scene.bring_in(scene.write(tmp_path / "walk.w3d", SKELETON, WALK, ride), skeleton=str(others))
    rig = next(thing for thing in bpy.data.objects if thing.name.upper() == skeleton)
    scene.curve(rig, "HIP", "location", 0).keyframe_points[3].co.y += 0.5
    bpy.context.view_layer.objects.active = rig
    scene.send_out(tmp_path / "again.w3d", strict=True)


@pytest.mark.parametrize("keep_source", [True, False])
def test_pivot_numbers_of_an_armature_are_the_files_not_the_bones(keep_source: bool, tmp_path: Path) -> None:
    """Of one that takes animations which lie where no skeleton is, but for those of another.

    Blender lists LEFT_FOOT before RIGHT, as it goes down each limb first."""
    names = ["ROOTTRANSFORM", "LEFT", "RIGHT", "LEFT_FOOT", "RIGHT_FOOT"]
    data = Lay.hierarchy(names, [-1, 0, 0, 1, 2])
    first = scene.bring_in(scene.write(tmp_path / "a" / "skel.w3d", data), keep_source=keep_source)
    assert [bone.name for bone in first.data.bones] != names
    moves = [Lay.raw(0, [0.0, float(pivot)], 0, pivot) for pivot in range(1, 5)]
    path = scene.write(tmp_path / "b" / "walk.w3d", Lay.animation(*moves, frames=2))
    assert scene.bring_in(path) == first and len(bpy.data.armatures) == 1
    for pivot in range(1, 5):
        assert scene.curve(first, names[pivot], "location", 0).evaluate(1.0) == pytest.approx(pivot)
    assert scene.send_out(tmp_path / "again.w3d") == path.read_bytes()
    path.write_bytes(Lay.animation(*moves, frames=2, skeleton="OTHER"))
    assert scene.bring_in(path) != first


@pytest.mark.parametrize("kind", ["w3d", "w3x"])
@pytest.mark.parametrize("include", ["AUTO", "EXCLUDE"])
def test_a_new_animation_of_an_imported_skeleton_has_its_pivot_numbers(kind: str, include: str, tmp_path: Path) -> None:
    """The game knows that skeleton already, whatever the animation's own file holds; a new bone is the last pivot."""
    names = ["ROOTTRANSFORM", "LEFT", "RIGHT", "LEFT_FOOT", "RIGHT_FOOT"]
    for target in ("AUTO", "NEW"):  # beside another figure on the same skeleton
        path = scene.write(tmp_path / "skel.w3d", Lay.hierarchy(names, [-1, 0, 0, 1, 2], name="SKEL"))
        rig = scene.bring_in(path, target=target, scale=0.1 if kind == "w3d" else 1.0)
    with editing(rig) as edited:
        sword = edited.new("SWORD")
        sword.tail, sword.parent = (0.0, 0.0, 1.0), edited["LEFT"]
    for number, name in enumerate(["SWORD", *names[1:]], 1):
        animate(rig.pose.bones[name], "location", {0: float(number)}, index=2)
    path = tmp_path / f"kick.{kind}"
    getattr(bpy.ops.export_anim, kind)(filepath=str(path), include_skeleton=include)
    told = bpy.data.texts["Export Report"].as_string()
    assert "other numbers" not in told
    assert ("SKEL, left out, has other bones" in told) == ((kind, include) == ("w3d", "EXCLUDE"))
    player = {"w3d": w3d.Player, "w3x": w3x.Player}[kind].of(path.read_bytes())
    assert kind == "w3x" or player.hierarchy == "SKEL"
    assert (b'Hierarchy="SKEL"' in path.read_bytes()) == (kind == "w3x")
    found = {channel.pivot: float(channel.values[0, 0]) for channel in player.channels}
    assert found == {5: 1.0, 1: 2.0, 2: 3.0, 3: 4.0, 4: 5.0}
    with editing(rig) as edited:
        edited.remove(edited["RIGHT" if include == "AUTO" else "RIGHT_FOOT"])
    getattr(bpy.ops.export_anim, kind)(filepath=str(path), include_skeleton=include)
    assert "Pivots have other numbers than in the skeleton's own" in bpy.data.texts["Export Report"].as_string()


@pytest.mark.parametrize("options", [{}, {"scale": 0.1, "forward": "Z", "up": "Y"}], ids=["", "small and turned"])
@pytest.mark.parametrize("file", ["w3d/g01_raw_trim_vis.w3d", "w3d/g02_skl.w3d", "w3x/g02.w3x", "w3x/g01_skl.w3x"])
def test_a_new_animation_of_an_imported_skeleton_refers_to_it(
    file: str, options: dict[str, Any], tmp_path: Path
) -> None:
    """The game or the rest of the mod has it; a second one of its name is shadowed, or refused by the compiler."""
    kind, path = file[-3:], tmp_path / f"kick.{file[-3:]}"
    getattr(bpy.ops.import_anim, kind)(filepath=str(DATA / file), **options)
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    rig.animation_data_create().action = bpy.data.actions.new("KICK")
    animate(rig.pose.bones[-1], "location", {0: 0.0, 10: 10.0}, index=2)

    def skeletons(of: Path, **asked: object) -> list[tuple[str, bytes]]:
        if asked or of == path:
            getattr(bpy.ops.export_anim, kind)(filepath=str(of), **asked)
        found = scene.part(f"io_formats.{kind}").read(of.read_bytes()).hierarchies
        return [(each.name, each.text if kind == "w3x" else each.records.tobytes()) for each in found]

    (own,) = skeletons(DATA / file)
    assert not skeletons(path)
    assert f"refers to the skeleton {own[0]}" in bpy.data.texts["Export Report"].as_string()
    player = {"w3d": w3d.Player, "w3x": w3x.Player}[kind].of(path.read_bytes())
    values = {channel.pivot: channel.values[-1, 0] for channel in player.channels if channel.values[-1, 0] > 5}
    assert own[0].encode() in path.read_bytes() and values == {len(rig.data.bones) - 1: 10.0}
    assert not skeletons(path, into_existing=True)
    assert skeletons(path, include_skeleton="INCLUDE") == [own]  # with what exporters alone know of it
    assert [name for name, _ in skeletons(path, hierarchy_name="OTHER")] == ["OTHER"]  # which no file holds yet
    with editing(rig) as bones:
        bones[-1].head.z += 1.0
    assert [name for name, _ in skeletons(path)] == [own[0]]  # as the game's own would bend the figure


ARM = ["Bip001", "Bip001 L UpperArm", "Bip001 L UpperArmTwist", "Bip001 L UpperArmTwist.001", "Bip001 L Hand"]


def wave(rig: Any, frames: tuple[int, int] = (0, 9)) -> None:
    """Each bone turns."""
    for bone in rig.pose.bones:
        turns = (1.0, 0.0, 0.0, 0.0), (1.0, 0.5, 0.0, 0.25)
        animate(bone, "rotation_quaternion", dict(zip(frames, turns, strict=True)))


@pytest.mark.parametrize("kind", ["w3d", "w3x"])
def test_names_that_were_cut_are_those_of_their_bones_again(kind: str, tmp_path: Path) -> None:
    """In an export against the skeleton that an armature has given, and in an import onto that armature."""
    rig = scene.make_armature(
        [(f"x:{name}", above and f"x:{above}", (0, 0, 1)) for name, above in zip(ARM, [None, *ARM])]
    )
    wave(rig)
    first = scene.raw_channels(scene.send_out(tmp_path / "first.w3d"))
    assert len(first) == 5 and "is written as BIP001 L UPPE_1" in bpy.data.texts["Export Report"].as_string()
    assert scene.raw_channels(scene.send_out(tmp_path / "again.w3d", skeleton=str(tmp_path / "first.w3d"))) == first
    rig.animation_data_clear()
    path = tmp_path / "first.w3d"
    if kind == "w3x":
        convert, w3x_format = scene.part("io_formats.convert").convert, scene.part("io_formats.w3x").FORMAT
        convert(scene.part("io_formats").open_file(path), path := tmp_path / "first.w3x", w3x_format)
    getattr(bpy.ops.import_anim, kind)(filepath=str(path))
    turns = {f'pose.bones["x:{name}"].rotation_quaternion' for name in ARM}
    assert len(bpy.data.armatures) == 1 and len(turns & {path for path, _ in scene.curves(rig)}) == 5


@pytest.mark.parametrize("kind", ["w3d", "w3x"])
def test_a_rig_of_a_name_that_files_change_saves_into_its_own_file(kind: str, tmp_path: Path) -> None:
    rig = scene.make_armature([("HIP", None, (0, 0, 1))], name="A long soldier's rig")
    wave(rig)
    path = tmp_path / f"walk.{kind}"
    for name in ("walk", "run"):
        getattr(bpy.ops.export_anim, kind)(filepath=str(path), animation_name=name, into_existing=name == "run")
    module = scene.part(f"io_formats.{kind}")
    assert len(module.read(path.read_bytes()).animations) == 2 and len(module.read(path.read_bytes()).hierarchies) == 1
    choose()
    getattr(bpy.ops.import_anim, kind)(filepath=str(path))
    assert kind == "w3x" or len(bpy.data.armatures) == 1


@pytest.mark.parametrize("moves", [False, True])
def test_ones_own_armature_takes_an_edited_file_along_where_it_moves(moves: bool, tmp_path: Path) -> None:
    """Where it only stands is no fault of the file."""
    rig = scene.make_armature([("HIP", None, (0, 0, 1)), ("HEAD", "HIP", (0, 0, 2))])
    rig.location, rig.rotation_euler = (3, 1, 0), (0, 0, 1)
    skeleton = Lay.hierarchy(PIVOTS, name="HUMAN_SKL") if moves else SKELETON
    assert scene.bring_in(scene.write(tmp_path / "walk.w3d", skeleton + WALK)) == rig
    if moves:
        animate(rig, "location", {0: (3, 1, 0), 9: (5, 1, 2)})
    scene.curve(rig, "HIP", "location", 0).keyframe_points[3].co.y += 0.5
    data, seen = scene.send_out(tmp_path / "out.w3d", strict=True), scene.seen_worlds(rig, range(10))
    assert scene.furthest(data, seen)[0] < 1e-4 or not moves
    assert "Played back at" in bpy.data.texts["Export Report"].as_string()


def test_long_odd_empty_and_double_names_live_in_blender_and_come_back(tmp_path: Path) -> None:
    names: list[str | bytes] = ["ROOTTRANSFORM", "", "ARM", "ARM", b"\xe4\xf6\xfc\xdf\xff" * 3, "FIFTEEN_LETTERS", ""]
    moves = [Lay.raw(0, [1.0, float(pivot)], 0, pivot) for pivot in range(1, len(names))]
    path = scene.write(tmp_path / "odd.w3d", Lay.hierarchy(names), Lay.animation(*moves, frames=2))
    armature = scene.bring_in(path)
    bones = [bone.name for bone in armature.data.bones]
    assert len(set(bones)) == len(names) and all(bones)
    assert bones[4].encode("latin-1") == names[4] and bones[2] == "ARM"
    for pivot in range(1, len(names)):
        assert scene.curve(armature, bones[pivot], "location", 0).evaluate(1.0) == pytest.approx(pivot)
    scene.curve(armature, bones[3], "location", 0).keyframe_points[0].co[1] = 5.0
    w3d = scene.part("io_formats.w3d")
    again = w3d.read(scene.send_out(tmp_path / "again.w3d"))
    assert [bytes(name) for name in again.hierarchies[0].records["name"]] == [Lay.name(name) for name in names]
    assert again.animations[0].parts[3].values[:, 0].tolist() == [5.0, 3.0]
    before = w3d.read(path.read_bytes())
    assert scene.part("io_formats.binary").equal(before.parts[0], again.parts[0])


def test_an_action_for_each_animation_and_no_suffix_in_the_file(tmp_path: Path) -> None:
    animations = [
        Lay.animation(Lay.raw(0, [float(at), 2.0], 0, 1), frames=2, name=name) for at, name in enumerate(("RUN", "DIE"))
    ]
    path = scene.write(tmp_path / "both.w3d", Lay.hierarchy(), *animations)
    scene.bring_in(path)
    armature = scene.bring_in(path, target="SELECTED")
    assert sorted(action.name for action in bpy.data.actions) == ["DIE", "DIE.001", "RUN", "RUN.001"]
    assert armature.animation_data.action.name == "RUN.001"
    assert all(action.use_fake_user or action.users for action in bpy.data.actions)
    for edited in (False, True):
        if edited:
            scene.curve(armature, "HIP", "location", 0).keyframe_points[0].co[1] = 5.0
        document = scene.part("io_formats.w3d").read(scene.send_out(tmp_path / "again.w3d"))
        assert [animation.header.name.rstrip(b"\0") for animation in document.animations] == [b"RUN", b"DIE"]
    tracks = scene.bring_in(path, target="NEW", nla="STRIP").animation_data.nla_tracks
    assert [(track.strips[0].frame_start, track.mute) for track in tracks] == [(0, False), (0, True)]


def hidden(mesh: Any) -> list[int]:
    """Whether a mesh is hidden on each frame: 1 in viewports, 2 in pictures, 3 in both."""
    found = []
    for frame in range(4):
        go_to(frame)
        seen = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append(seen.hide_viewport + 2 * seen.hide_render)
    return found


@pytest.mark.parametrize("own", [False, True])
def test_meshes_on_a_bone_are_hidden_too_but_for_one_that_hides_by_keys_of_its_own(own: bool, tmp_path: Path) -> None:
    armature = scene.bring_in(scene.write(tmp_path / "a" / "skel.w3d", Lay.hierarchy()))
    mesh = add("hat", bpy.data.meshes.new("hat"))
    mesh.parent, mesh.parent_type, mesh.parent_bone = armature, "BONE", "HIP"
    animate(mesh, *(("hide_viewport", {0: True, 2: False}) if own else ("location", {0: (0.0, 0.0, 0.0)})))
    scene.bring_in(scene.write(tmp_path / "b" / "blink.w3d", Lay.animation(Lay.bits(0, [1, 0, 0, 1], 1), frames=4)))
    assert hidden(mesh) == ([1, 1, 0, 0] if own else [0, 3, 3, 0])
    scene.bring_in(tmp_path / "b" / "blink.w3d")
    assert any("hat keeps its own keys" in text.as_string() for text in bpy.data.texts) == own
    if own:  # what the report says to do
        remove_curves(mesh.animation_data.action, *fcurves(mesh).values())
        bpy.ops.anim_curves.reload()
        assert hidden(mesh) == [0, 3, 3, 0]
    two = (Lay.animation(Lay.raw(0, [0.0, 1.0], 0, 1), name="STAY"), Lay.animation(Lay.bits(0, [1, 0], 2), name="GONE"))
    armature.animation_data.action, armature.pose.bones["HIP"]["visibility"] = None, 0.05
    scene.bring_in(scene.write(tmp_path / "b" / "two.w3d", *two))
    shown = [armature.pose.bones[bone]["visibility"] for bone in ("HEAD", "HIP")]
    assert shown == [True, 1.0], "of the Action that does not play yet; what was too faint to be seen"


def turn_by_hand(bone: Any, mode: str) -> None:
    """Pose a bone as a person does who keys nothing."""
    bone.rotation_mode = mode
    bone.location, bone.scale = (1.0, 2.0, 3.0), (2.0, 2.0, 2.0)
    bone.rotation_quaternion = (0.5, 0.5, 0.5, 0.5)
    bone.rotation_axis_angle = (0.5, 0.3, 0.2, 1.0)
    if mode == "XYZ":
        bone.rotation_euler = (0.5, 0.3, 0.2)


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
def test_what_a_person_posed_does_not_stay_in_what_a_file_moves_along_one_axis(mode: str, tmp_path: Path) -> None:
    scene.write(tmp_path / "anims" / "HUMAN_SKL.w3d", SKELETON)
    rise = Lay.animation(Lay.raw(0, [float(at) for at in range(10)], 2, 1), skeleton="Human_SKL")
    path = scene.write(tmp_path / "anims" / "rise.w3d", rise)
    armature = scene.bring_in(path)
    alone = {frame: scene.bones_at(armature, frame) for frame in (0.0, 2.6, 9.0)}
    armature.animation_data_clear()
    for bone in armature.pose.bones:
        turn_by_hand(bone, mode)
    assert scene.bring_in(path, target="SELECTED", rest_keys=False) == armature
    for frame, bones in alone.items():
        for name, place in scene.bones_at(armature, frame).items():
            np.testing.assert_allclose(place, bones[name], atol=1e-5, err_msg=f"{name} at {frame}")


@pytest.mark.parametrize("sampling", ["AUTO", "BAKE"])
def test_an_armature_that_follows_another_thing_plays_below_a_parent_that_is_stretched(
    sampling: str, tmp_path: Path
) -> None:
    """Relative to the parent it is sheared, in the world it is not."""
    scene.set_rate()
    rig = scene.make_armature([("HIP", None, (0, 0, 0)), ("HAND", "HIP", (0, 0, 1))])
    rig.parent, target = (add(name) for name in ("Carrier", "Target"))
    animate(rig.parent, "scale", {0: (1, 1, 1), 20: (1, 3, 1)})
    animate(target, "rotation_euler", {0: (0, 0, 0), 20: (1, 0.5, 0)})
    rig.constraints.new("COPY_TRANSFORMS").target = target
    data = scene.send_out(tmp_path / "rig.w3d", include_skeleton="INCLUDE", sampling=sampling)
    for frame in range(21):
        found = scene.worlds(data, frame)
        assert all(np.allclose(found[name], world, atol=1e-3) for name, world in scene.bones_at(rig, frame).items())
