"""*Same Name: Replace* beside Actions that a person has made: what is no older take of the file is not lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import add, animate, choose, go_to, push_down

bpy = pytest.importorskip("bpy")


def walk(folder: Path, *, frames: int = 21) -> Path:
    """Hips that rise by a metre in 20 frames."""
    scene.write(folder / "skel.w3d", scene.Lay.hierarchy(["ROOTTRANSFORM", "HIPS", "HEAD"]))
    rising = scene.Lay.raw(0, np.arange(frames) / 20, 2, 1)
    return scene.write(folder / "walk.w3d", scene.Lay.animation(rising, frames=frames))


def prop(name: str = "Prop", action: Any = None) -> Any:
    """An empty of a person's own that rises to 9 in an Action WALK, a new one or in a slot of its own."""
    scene.set_rate()
    thing = add(name)
    if action is not None:
        thing.animation_data_create().action = action
        thing.animation_data.action_slot = action.slots.new("OBJECT", name)
    animate(thing, "location.z", {1: 0.0, 30: 9.0})
    thing.animation_data.action.name = "WALK"
    return thing


def height(thing: Any, frame: float) -> float:
    """Where an object is on a frame."""
    go_to(frame)
    return float(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world[2][3])


def hips(rig: Any, frame: float) -> float:
    """How high the hips are on a frame; they rest at 1."""
    return float(scene.bones_at(rig, frame)["HIPS"][2, 3])


@pytest.mark.parametrize("played", ["ASSIGNED", "STRIP", "FAKE_USER"])
def test_an_action_of_something_else_is_kept(played: str, tmp_path: Path) -> None:
    thing = prop()
    mine = thing.animation_data.action
    if played != "ASSIGNED":
        mine.use_fake_user, thing.animation_data.action = True, None
    if played == "STRIP":
        thing.animation_data.nla_tracks.new().strips.new("Mine", 1, mine)
    before = height(thing, 15.5)
    rising = scene.Lay.raw(0, [0.0, 9.0], 2, 1)
    second = scene.write(tmp_path / "second.w3d", scene.Lay.animation(rising, frames=2, name="WALK.001"))
    scene.bring_in_all([walk(tmp_path), second], existing="REPLACE")
    rig = bpy.context.view_layer.objects.active
    assert bpy.data.actions["WALK"] == mine and len(bpy.data.actions) == 3
    rig.animation_data.action = bpy.data.actions["WALK.001"]
    assert height(thing, 1) == (9.0 if played == "FAKE_USER" else 0.0) and height(thing, 15.5) == before
    assert hips(rig, 10.5) == pytest.approx(1.525, abs=1e-4)
    said = "The Action WALK moves what the file does not move and is kept; the new one is WALK.001"
    assert said in scene.report_of("walk.w3d")


@pytest.mark.parametrize("twin", [False, True])
def test_an_action_of_the_armature_and_of_something_else_is_kept(twin: bool, tmp_path: Path) -> None:
    rig = scene.bring_in(walk(tmp_path))
    mine = rig.animation_data.action
    if not hasattr(mine, "slots"):
        pytest.skip("needs slots: Blender 4.4")
    thing = add("Twin", rig.data) if twin else prop(action=mine)
    if twin:
        thing.animation_data_create().action = mine
        thing.animation_data.action_slot = mine.slots.new("OBJECT", "Twin")
        bpy.context.view_layer.update()
        animate(thing.pose.bones["HIPS"], "location.z", {1: 0.0, 30: 8.0})
    with pytest.raises(RuntimeError, match="0 of 1 imported Action changed"):
        bpy.ops.anim_curves.export_changed()
    path = walk(tmp_path, frames=41)
    for again in (lambda: scene.bring_in(path, existing="REPLACE", target="SELECTED"), bpy.ops.anim_curves.reload):
        rig.animation_data.action, rig.animation_data.action_slot = mine, mine.slots[0]
        choose(rig)
        again()
        assert rig.animation_data.action.name.startswith("WALK.00") and thing.animation_data.action == mine
        assert hips(rig, 40) == pytest.approx(3.0, abs=1e-4)
        assert (hips if twin else height)(thing, 30) == pytest.approx(9.0)


def test_an_action_that_holds_still_what_the_file_moves_is_kept(tmp_path: Path) -> None:
    path = walk(tmp_path)
    nod = scene.Lay.animation(scene.Lay.raw(0, np.arange(21) / 20, 2, 2), frames=21)
    mine = scene.bring_in(scene.write(tmp_path / "nod.w3d", nod), rest_keys=True).animation_data.action
    scene.bring_in(path, existing="REPLACE", rest_keys=True)
    assert bpy.data.actions["WALK"] == mine and len(bpy.data.actions) == 2


def test_an_untouched_take_beside_a_kept_action_is_the_file_itself(tmp_path: Path) -> None:
    prop()
    path = walk(tmp_path)
    bpy.context.view_layer.objects.active = scene.bring_in(path, existing="REPLACE")
    assert scene.send_out(tmp_path / "out.w3d") == path.read_bytes()


def test_an_older_take_goes_also_where_others_play_it(tmp_path: Path) -> None:
    longest = "n" * 59
    rig = scene.bring_in(walk(tmp_path), name_prefix=longest)
    other, third = rig.copy(), rig.copy()
    for copy in (other, third):
        bpy.context.scene.collection.objects.link(copy)
    push_down(third, start=0)
    rig = scene.bring_in(walk(tmp_path, frames=41), existing="REPLACE", target="SELECTED", name_prefix=longest)
    assert [action.name for action in bpy.data.actions] == [f"{longest}WALK"]
    assert hips(rig, 40) == pytest.approx(3.0, abs=1e-4) == hips(other, 40)
    assert hips(third, 20) == pytest.approx(2.0, abs=1e-4)
    assert f"Replaced the Action {longest}WALK" in "".join(text.as_string() for text in bpy.data.texts)


@pytest.mark.parametrize("frames", [11, 21, 41])
@pytest.mark.parametrize("way", ["REPLACE", "RELOAD"])
def test_a_strip_that_is_as_short_as_the_older_take_is_told(
    way: str, frames: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = walk(tmp_path)
    rig = scene.bring_in(path, nla="STASH")
    walk(tmp_path, frames=frames)
    if way == "REPLACE":
        scene.bring_in(path, target="SELECTED", existing="REPLACE")
    else:
        assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    (track,) = rig.animation_data.nla_tracks
    strip = track.strips[0]
    assert track.mute and track.lock
    assert strip.action == rig.animation_data.action and strip.action.frame_range[1] == frames - 1
    assert (strip.frame_end, strip.action_frame_end) == (20, 20)
    cut = "The NLA strip WALK of SKEL plays its Action to frame 20 of 40, as it is as long as the old one"
    assert (cut in capfd.readouterr().out) == (frames == 41)


def test_a_take_that_a_person_changed_is_named_as_it_goes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = walk(tmp_path)
    rig = scene.bring_in(path)
    scene.bring_in(path, existing="REPLACE")
    assert "gone with the old Action" not in capfd.readouterr().out
    animate(rig.pose.bones["HEAD"], "location", {5: 1.0}, index=0)
    scene.bring_in(path, existing="REPLACE")
    said = "1 curve of WALK that had been changed or added since the import is gone with the old Action"
    assert said in capfd.readouterr().out


def test_a_change_that_its_file_has_is_not_gone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rig = scene.bring_in(walk(tmp_path), skeleton=str(tmp_path / "skel.w3d"))
    animate(rig.pose.bones["HEAD"], "location", {5: 1.0}, index=0)
    assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    (tmp_path / "skel.w3d").unlink()  # which the .blend keeps
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert rig.animation_data.action.name == "WALK" and hips(rig, 20) == pytest.approx(2.0, abs=1e-4)
    assert "gone with the old Action" not in capfd.readouterr().out
