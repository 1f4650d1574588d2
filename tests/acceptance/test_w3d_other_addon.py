"""Armatures without a bone for the root pivot, as an add-on for W3D models makes them, and what hides their bones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import add, animate, drawn_as_nothing, go_to, push_down
from scenes.players import w3d

bpy = pytest.importorskip("bpy")

Lay = scene.Lay
NAMES = ["ROOTTRANSFORM", "HIP", "HEAD"]
HIDDEN = [1, 1, 1, 0, 0, 0, 0, 1, 1, 1]
WALK = Lay.animation(Lay.raw(0, [at + 1.0 for at in range(10)], 0, 1), Lay.bits(0, HIDDEN, 2))
FILE = Lay.hierarchy(NAMES) + WALK


def rootless(name: str = "SKEL") -> Any:
    """Hip and head of that skeleton, no bone for its root."""
    scene.set_rate()
    return scene.make_armature([("HIP", None, (0, 0, 1)), ("HEAD", "HIP", (0, 0, 2))], name)


def is_hidden(rig: Any, bone: str, frame: int) -> bool:
    """Whether Blender draws nothing for the bone on that frame."""
    go_to(frame)
    return drawn_as_nothing(rig, bone)


def hidden_frames(data: bytes, pivot: int) -> list[int]:
    """Frames on which the file hides a pivot."""
    player = w3d.Player.of(data)
    return np.flatnonzero(~player.shown.get(pivot, np.ones(player.frames, bool))).tolist()


@pytest.mark.parametrize("root", [True, False])
def test_visibility_hides_bones_of_a_new_armature_and_is_kept_on_ones_own(root: bool, tmp_path: Path) -> None:
    path = scene.write(tmp_path / "walk.w3d", FILE)
    rig = scene.make_armature([("ROOTTRANSFORM", None, (0, 0, 0))], "SKEL") if root else rootless()
    rig = scene.bring_in(path, target="NEW" if root else "SELECTED")
    assert ("ROOTTRANSFORM" in rig.data.bones) == root
    assert [is_hidden(rig, "HEAD", frame) for frame in range(10)] == [root and not shown for shown in HIDDEN]
    assert hidden_frames(scene.send_out(tmp_path / "out.w3d"), 2) == [3, 4, 5, 6]


@pytest.fixture(params=["enabled", "disabled"])
def other_addon(request: pytest.FixtureRequest) -> Iterator[bool]:
    """That add-on gives every bone of an Armature datablock a number `visibility`; it may be off at the export."""
    bpy.types.Bone.visibility = bpy.props.FloatProperty(default=1.0)
    yield request.param == "enabled"
    if hasattr(bpy.types.Bone, "visibility"):
        del bpy.types.Bone.visibility


def test_keys_of_the_other_addon_for_visibility_are_exported(other_addon: bool, tmp_path: Path) -> None:
    rig = rootless()
    walk(rig)
    animate(rig.data.bones["HEAD"], "visibility", dict(enumerate(HIDDEN)))
    if not other_addon:
        del bpy.types.Bone.visibility
    assert hidden_frames(scene.send_out(tmp_path / "out.w3d"), 2) == [3, 4, 5, 6]
    assert not warnings(rig, tmp_path / "out.w3d")


@pytest.mark.parametrize("where", ["pose bone", "bone"])
def test_keys_that_hide_bones_are_exported(where: str, tmp_path: Path) -> None:
    rig = rootless()
    holder = rig.pose.bones["HEAD"] if where == "pose bone" else rig.data.bones["HEAD"]
    if not hasattr(holder, "hide"):
        pytest.skip("this Blender hides no pose bones")
    walk(rig)
    animate(holder, "hide", {0: False, 3: True, 7: False})
    assert hidden_frames(scene.send_out(tmp_path / "out.w3d"), 2) == [3, 4, 5, 6]


# --- Meshes on bones ------------------------------------------------------------------------------


def hang(rig: Any, bone: str, *paths: str, name: str = "hat", hides: Any = (0, 1, 0), frames: Any = (0, 3, 7)) -> Any:
    """A mesh on a bone; keys hide it by these paths."""
    mesh = add(name, bpy.data.meshes.new(name))
    mesh.parent, mesh.parent_type, mesh.parent_bone = rig, "BONE", bone
    for path in paths:
        animate(mesh, path, {frame: bool(value) for frame, value in zip(frames, hides, strict=True)})
    go_to(0)
    return mesh


def warnings(rig: Any, path: Path, **options: Any) -> list[str]:
    """The warnings of an export of an armature, by the way that all exports share; one for each file of several."""
    exporting, w3d = scene.part("pipeline.export_files"), scene.part("io_formats.w3d")
    made = list(exporting.export_files(bpy.context, path, w3d.FORMAT, w3d.ExportOptions(**options), [rig]))
    told = [[str(entry) for entry in each.report.warnings] for each in made]
    return told[0] if len(told) == 1 else [" ".join(each) for each in told]


def walk(rig: Any, last: int = 9) -> None:
    """Two keys of the hip."""
    for frame in (0, last):
        rig.pose.bones["HIP"].keyframe_insert("location", frame=frame)


def test_a_mesh_that_hides_is_motion_enough_and_lasts_as_long(tmp_path: Path) -> None:
    rig = rootless()
    hat = hang(rig, "HEAD", "hide_render", hides=(1, 0, 1))
    animate(hat, "hide_viewport", {0: False, 3: True, 7: False})  # what viewports show counts first
    data = scene.send_out(tmp_path / "out.w3d", check_playback="OFF")
    assert hidden_frames(data, 2) == [3, 4, 5, 6]
    assert w3d.Player.of(data).frames == 8
    hat.driver_add("hide_viewport").driver.expression = "frame > 4"  # in place of these keys
    data = scene.send_out(tmp_path / "out.w3d", check_playback="OFF")
    assert hidden_frames(data, 2) == [0, 1, 2, 7]


def test_keys_that_hide_longer_than_anything_moves_make_the_file_longer(tmp_path: Path) -> None:
    rig = rootless()
    walk(rig, 40)
    hang(rig, "HEAD", "hide_viewport", hides=(1, 0), frames=(-20, 60))
    path = tmp_path / "out.w3d"
    assert warnings(rig, path) == []
    assert w3d.Player.of(path.read_bytes()).frames == 81
    push_down(rig, 70)
    assert w3d.Player.of(scene.send_out(path)).frames == 131, "from -20 to the end of the strip, 110"


def test_a_mesh_that_stays_beside_a_hidden_one_is_named(tmp_path: Path) -> None:
    rig = rootless()
    walk(rig)
    hang(rig, "HEAD", "hide_viewport")
    hang(rig, "HEAD", name="scarf")
    hang(rig, "HEAD", "hide_viewport", hides=(0, 1, 1), name="veil")
    path = tmp_path / "out.w3d"
    assert hidden_frames(scene.send_out(path), 2) == [3, 4, 5, 6]
    warning, _ = warnings(rig, path)
    assert "Hiding hat hides everything attached to bone HEAD in the file, but these are not" in warning
    assert "hidden with it: scarf, veil. Parent them to another bone" in warning


def test_keys_of_the_bone_itself_count_before_those_of_its_mesh(tmp_path: Path) -> None:
    rig = rootless()
    walk(rig)
    animate(rig.pose.bones["HEAD"], '["visibility"]', {0: True, 5: False})
    animate(hang(rig, "HEAD", "hide_viewport"), "pass_index", {0: 1})
    path = tmp_path / "out.w3d"
    assert hidden_frames(scene.send_out(path), 2) == [5, 6, 7, 8, 9]
    hiding, other = warnings(rig, path)
    assert "1 animated value that hides meshes is left out, as other keys decide" in hiding
    assert "1 animated value of other objects" in other


def test_of_all_actions_that_which_plays_has_what_hides_meshes_now(tmp_path: Path) -> None:
    rig = rootless()
    walk(rig)
    walking = rig.animation_data.action
    walking.name, rig.animation_data.action = "FIRE", bpy.data.actions.new("IDLE")
    walk(rig)
    rig.pose.bones["HIP"].location.x = 1.0
    walk(rig, 5)
    rig.animation_data.action = walking
    hang(rig, "HEAD", "hide_viewport")
    fire, idle = warnings(rig, tmp_path / "out.w3d", actions="ALL")
    assert not fire
    assert (
        "1 animated value that hides meshes is left out, as other keys decide" in idle and "another Action: hat" in idle
    )
    files = [(tmp_path / name).read_bytes() for name in ("FIRE.w3d", "IDLE.w3d")]
    assert [hidden_frames(data, 2) for data in files] == [[3, 4, 5, 6], []]


@pytest.mark.parametrize("place", ["another scene", "no scene"])
def test_a_mesh_that_is_not_in_the_scene_hides_no_bone(place: str, tmp_path: Path) -> None:
    """One that was deleted stays in the .blend, with its parent, while anything else names it."""
    rig = rootless()
    walk(rig)
    animate(rig.pose.bones["HIP"], "location", {5: (1.0, 0.0, 0.0)})
    hat = hang(rig, "HEAD", "hide_viewport")
    bpy.context.scene.collection.objects.unlink(hat)
    if place == "another scene":
        bpy.data.scenes.new("Other").collection.objects.link(hat)
    hat.use_fake_user = True
    path = tmp_path / "out.w3d"
    assert hidden_frames(scene.send_out(path, check_playback="OFF"), 2) == []
    assert not warnings(rig, path)


@pytest.mark.parametrize("hides", [False, True])
def test_an_imported_walk_stays_as_it_is_until_a_mesh_on_it_hides(hides: bool, tmp_path: Path) -> None:
    file = Lay.hierarchy(NAMES) + Lay.animation(Lay.raw(0, [at + 1.0 for at in range(10)], 0, 1))
    path = scene.write(tmp_path / "walk.w3d", file)
    rig = scene.bring_in(path)
    hang(rig, "HEAD", *["hide_viewport"] * hides)
    data = scene.send_out(tmp_path / "walk.w3d")
    assert (data == file) != hides
    assert hidden_frames(data, 2) == ([3, 4, 5, 6] if hides else [])


# --- Pivot 0 is the object ----------------------------------------------------------------------


@pytest.mark.parametrize("use_source", [True, False])
def test_without_a_bone_for_it_the_root_pivot_is_in_the_file_once(use_source: bool, tmp_path: Path) -> None:
    path = scene.write(tmp_path / "walk.w3d", FILE)
    rig = scene.bring_in(path, root_bone=False)
    assert [(bone.name, bone.parent and bone.parent.name) for bone in rig.data.bones] == [
        ("HIP", None),
        ("HEAD", "HIP"),
    ]
    worlds = scene.bones_at(rig, 5)
    assert worlds["HIP"][:3, 3] == pytest.approx([6, 0, 1], abs=1e-5)
    data = scene.send_out(
        tmp_path / "walk.w3d", use_source=use_source, include_skeleton="INCLUDE" if not use_source else "AUTO"
    )
    if use_source:
        assert data == FILE
    document = scene.part("io_formats.w3d").read(data)
    names = [bytes(name).rstrip(b"\0").decode() for name in document.hierarchies[0].records["name"]]
    assert names == NAMES
    assert hidden_frames(data, 2) == [3, 4, 5, 6]


def test_an_edited_animation_without_a_root_bone_keeps_its_pivot_numbers_and_other_channels(tmp_path: Path) -> None:
    scene.write(tmp_path / "skel.w3d", Lay.hierarchy(NAMES))
    path = scene.write(tmp_path / "walk.w3d", WALK)
    rig = scene.bring_in(path, root_bone=False)
    scene.curve(rig, "HIP", "location", 0).keyframe_points[4].co[1] = 40.0
    rig.animation_data.action.update_tag()
    values = [40.0 if at == 4 else at + 1.0 for at in range(10)]
    assert scene.send_out(path) == Lay.animation(Lay.raw(0, values, 0, 1), Lay.bits(0, HIDDEN, 2))
    alone = scene.bring_in(tmp_path / "skel.w3d", root_bone=False, target="NEW")
    assert [bone.name for bone in alone.data.bones] == NAMES[1:]
    assert scene.send_out(tmp_path / "again.w3d") == Lay.hierarchy(NAMES)
