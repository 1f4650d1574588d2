"""An import into the Action that is there: the file's channels take their place, all else stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import animate, push_down
from scenes.players import w3d

bpy = pytest.importorskip("bpy")

BONES = ["ROOTTRANSFORM", "HIPS", "SPINE", "HEAD"]
SAMPLES = Path(__file__).resolve().parents[2] / "samples"
HIPS_Z, HEAD_X = 'pose.bones["HIPS"].location', 'pose.bones["HEAD"].location'


def take(folder: Path, name: str, *, hips: float, frames: int = 21, axis: int = 2) -> Path:
    """An animation of how high the hips are, or how far on another axis, and of nothing else."""
    scene.write(folder / "skel.w3d", scene.Lay.hierarchy(BONES))
    height = np.full(frames, hips) + np.arange(frames) / 100
    data = scene.Lay.animation(scene.Lay.raw(0, height, axis, 1), frames=frames, name=name)
    return scene.write(folder / f"{name.lower()}.w3d", data)


def own_motion(rig: Any) -> Any:
    """What a person has keyed: the head nods, the hips go sideways and up, a mood, a marker; the spine is posed."""
    action = rig.animation_data_create().action = bpy.data.actions.new("Mine")
    for name in ("Other", "Played") if hasattr(action, "slots") else ():
        rig.animation_data.action_slot = action.slots.new("OBJECT", name)
    animate(rig.pose.bones["HEAD"], "location", {1: (0.0, 0.0, 0.0), 30: (3.0, 0.0, 0.0)})
    animate(rig.pose.bones["HIPS"], "location", {1: (0.0, 0.0, 0.0), 30: (3.0, 0.0, 3.0)})
    animate(rig, '["mood"]', {1: 0.0, 30: 3.0})
    action.use_fake_user, action["note"] = True, "a person's own"
    action.pose_markers.new("step").frame = 12
    rig.pose.bones["SPINE"].location = (0.0, 0.0, 0.25)
    return action


def own_rig(folder: Path) -> Any:
    """A rig of the skeleton, without any animation of a file."""
    rig = scene.bring_in(take(folder, "REST", hips=1.0))
    rig.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    for bone in rig.pose.bones:
        bone.location = (0.0, 0.0, 0.0)
    return rig


def keys(rig: Any) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """All keys of what an armature plays."""
    return {
        address: [tuple(round(value, 4) for value in point.co) for point in curve.keyframe_points]
        for address, curve in scene.curves(rig).items()
    }


def grouped(rig: Any) -> set[tuple[str, str]]:
    """The group of each curve that an armature plays."""
    return {(curve.data_path, curve.group.name) for curve in scene.curves(rig).values() if curve.group}


def test_only_the_files_channels_are_replaced(tmp_path: Path) -> None:
    rig = own_rig(tmp_path)
    action = own_motion(rig)
    action.use_cyclic = True
    before = keys(rig)
    scene.bring_in(take(tmp_path, "WALK", hips=10.0), target="SELECTED", merge=True)
    after = keys(rig)
    assert rig.animation_data.action == action and action.name == "Mine", "who holds the Action holds it still"
    assert list(bpy.data.actions) == [action] and action.use_cyclic
    assert {address for address in before if after.get(address) != before[address]} == {(HIPS_Z, 2)}
    assert set(after) == set(before) and len(after[HIPS_Z, 2]) == 21
    assert after[HIPS_Z, 2][0][1] == pytest.approx(10.0, abs=1e-4)
    assert action.use_fake_user and action["note"] == "a person's own"
    assert [(marker.name, marker.frame) for marker in action.pose_markers] == [("step", 12)]
    assert tuple(rig.pose.bones["SPINE"].location) == (0.0, 0.0, 0.25), "a pose that nobody keyed stays"


def test_of_two_animations_the_first_is_merged_and_the_second_is_kept(tmp_path: Path) -> None:
    rig = own_rig(tmp_path)
    action = own_motion(rig)
    before = keys(rig)
    both = [take(tmp_path, name, hips=hips, axis=0).read_bytes() for name, hips in (("WALK", 10.0), ("RUN", 20.0))]
    scene.bring_in(scene.write(tmp_path / "both.w3d", b"".join(both)), target="SELECTED", merge=True)
    assert rig.animation_data.action == action and keys(rig).keys() == before.keys()
    assert keys(rig)[HIPS_Z, 0][0][1] == pytest.approx(10.0, abs=1e-4)
    assert [(found.name, found.use_fake_user) for found in bpy.data.actions] == [("Mine", True), ("RUN", True)]


def test_whoever_else_plays_the_action_plays_it_still(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A second armature has it assigned, a third has it on an NLA track."""
    rig = own_rig(tmp_path)
    own_motion(rig)
    others = []
    for _ in range(2):
        other = rig.copy()
        other.data = rig.data.copy()
        bpy.context.scene.collection.objects.link(other)
        others.append(other)
    strip = push_down(others[1])
    strip.action_frame_end = 30
    scene.bring_in(take(tmp_path, "WALK", hips=10.0, frames=41), target="SELECTED", merge=True)
    assert "plays its Action to frame 30 of 40" in capfd.readouterr().out
    merged = rig.animation_data.action
    assert others[0].animation_data.action == merged and strip.action == merged
    for thing in (rig, *others):
        assert float(scene.bones_at(thing, 5)["HIPS"][2, 3]) == pytest.approx(11.0, abs=0.2), "their rest is at 1"


def test_what_was_imported_before_stays_an_edit_of_its_own_file(tmp_path: Path) -> None:
    """A walk, and then another's hips: the export is the first file, with other hips and all the rest as it was."""
    scene.write(tmp_path / "skel.w3d", scene.Lay.hierarchy(BONES))
    nod = np.arange(21) / 5
    channels = [scene.Lay.raw(0, nod, 0, 3), scene.Lay.raw(0, nod + 1, 2, 1)]
    first = scene.write(tmp_path / "first.w3d", scene.Lay.animation(*channels, frames=21, name="FIRST"))
    rig = scene.bring_in(first)
    scene.bring_in(take(tmp_path, "WALK", hips=10.0), target="SELECTED", merge=True)
    action = rig.animation_data.action
    assert scene.part("scene.provenance").find(action).file == "first.w3d"
    (tmp_path / "out").mkdir()
    out = scene.send_out(tmp_path / "out" / "first.w3d")
    assert out != first.read_bytes()
    assert w3d.Player.of(out).name == w3d.Player.of(first.read_bytes()).name
    skeleton = (tmp_path / "skel.w3d").read_bytes()
    for frame in (0, 10, 20):
        assert scene.worlds(out, frame, skeleton=skeleton)["HIPS"][2, 3] == pytest.approx(11.0 + frame / 100, abs=1e-3)
    assert scene.raw_channels(out)[3, 0] == scene.raw_channels(first.read_bytes())[3, 0]


def in_a_circle(folder: Path, gap: float) -> Path:
    """The hips go up and down, and end as far as `gap` from where they began."""
    scene.write(folder / "skel.w3d", scene.Lay.hierarchy(BONES))
    height = 1 - np.cos(np.linspace(0, 2 * np.pi, 21)) + np.linspace(0, gap, 21)
    return scene.write(folder / "turn.w3d", scene.Lay.animation(scene.Lay.raw(0, height, 2, 1), frames=21, name="TURN"))


def test_where_there_is_none_to_merge_into_there_is_a_new_action_as_ever(tmp_path: Path) -> None:
    path = in_a_circle(tmp_path, 0.0)
    scene.bring_in(path, merge=True)
    (action,) = bpy.data.actions
    assert action.name == "TURN" and action.use_cyclic
    assert scene.send_out(tmp_path / "out.w3d") == path.read_bytes()


def test_what_is_merged_is_closed_and_the_mark_stays(tmp_path: Path) -> None:
    rig = own_rig(tmp_path)
    own_motion(rig)
    scene.bring_in(in_a_circle(tmp_path, 0.004), target="SELECTED", merge=True, cyclic="CLOSE")
    found = keys(rig)
    assert found[HIPS_Z, 2][0][1] == found[HIPS_Z, 2][-1][1]
    assert found[HEAD_X, 0][0][1] != found[HEAD_X, 0][-1][1]
    assert not rig.animation_data.action.use_cyclic


def test_a_manual_range_grows_and_never_shrinks(tmp_path: Path) -> None:
    rig = own_rig(tmp_path)
    action = own_motion(rig)
    action.use_frame_range, action.frame_start, action.frame_end = True, 5, 10
    scene.bring_in(take(tmp_path, "WALK", hips=10.0, frames=41), target="SELECTED", merge=True, start_frame=2)
    action = rig.animation_data.action
    assert (action.frame_start, action.frame_end) == (2, 42)
    scene.bring_in(take(tmp_path, "NOD", hips=10.0), target="SELECTED", merge=True, start_frame=12)
    assert (action.frame_start, action.frame_end) == (2, 42)


@pytest.mark.parametrize(("end", "count"), [(25.0, 46), (15.0, 31)], ids=["the import's range", "a person's range"])
def test_keys_behind_a_merge_are_written_where_no_person_set_the_range(end: float, count: int, tmp_path: Path) -> None:
    """As behind an import; the range that the merge had made wider counted as a person's, and they were cut."""
    rig = scene.bring_in(take(tmp_path, "WALK", hips=1.0), start_frame=5.0)
    rig.animation_data.action.frame_end = end
    scene.bring_in(take(tmp_path, "NOD", hips=2.0, frames=31), target="SELECTED", merge=True, start_frame=5.0)
    assert rig.animation_data.action.frame_end == 35.0
    animate(rig.pose.bones["HEAD"], "location.x", {50: 1.0})
    document = scene.part("io_formats.w3d").read(scene.send_out(tmp_path / "walk.w3d"))
    assert document.animations[0].header.frame_count == count


def test_a_merge_that_fails_leaves_all_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = own_rig(tmp_path)
    action = own_motion(rig)
    action.use_frame_range, action.frame_start, action.frame_end = True, 5, 10
    before, groups = keys(rig), grouped(rig)
    importing = scene.part("pipeline.import_files")
    error = scene.part("io_formats").FormatError

    def broken(*_: Any) -> None:
        raise error("broken")

    monkeypatch.setattr(importing, "_remember", broken)
    scene.write(tmp_path / "skel.w3d", scene.Lay.hierarchy(BONES))
    nod = np.arange(41) / 5
    channels = [scene.Lay.raw(0, nod, *place) for place in ((0, 1), (2, 1), (2, 2))]
    path = scene.write(tmp_path / "walk.w3d", scene.Lay.animation(*channels, frames=41, name="WALK"))
    with pytest.raises(RuntimeError, match="broken"):
        scene.bring_in(path, target="SELECTED", merge=True)
    assert list(bpy.data.actions) == [action] and rig.animation_data.action == action
    assert keys(rig) == before and grouped(rig) == groups
    assert (action.frame_start, action.frame_end) == (5, 10)


def test_a_linked_action_is_refused_by_name(tmp_path: Path) -> None:
    rig = own_rig(tmp_path)
    own_motion(rig)
    library = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library), copy=True)
    bpy.data.actions.remove(bpy.data.actions["Mine"])
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.actions = ["Mine"]
    rig.animation_data.action = wanted.actions[0]
    with pytest.raises(RuntimeError, match="the Action Mine is linked"):
        scene.bring_in(take(tmp_path, "WALK", hips=10.0), target="SELECTED", merge=True)
    scene.bring_in(take(tmp_path, "Mine", hips=10.0), target="SELECTED", existing="REPLACE")
    assert [action.name for action in bpy.data.actions] == ["Mine", "Mine"], "none of another .blend is replaced"


def test_a_recording_of_one_hand_leaves_the_other_as_it_is(tmp_path: Path) -> None:
    """Neither hidden nor said to rest otherwise than in a file that has no data of it."""
    bpy.ops.import_anim.mrtk(filepath=str(SAMPLES / "two_hands_mrtk_1.1.bin"))
    rig = bpy.context.object
    before = keys(rig)
    mrtk, load = scene.part("io_formats.mrtk"), scene.part("pipeline.import_files").import_files
    options = mrtk.ImportOptions(target="SELECTED", merge=True)
    (outcome,) = load(bpy.context, [SAMPLES / "left_hand_mrtk_1.0.bin"], mrtk.FORMAT, options)
    after = keys(rig)
    assert all(after[address] == own for address, own in before.items() if ".R" in address[0])
    assert after['pose.bones["Palm.L"].location', 0] != before['pose.bones["Palm.L"].location', 0]
    assert not any("rests or stands otherwise" in str(note) for note in outcome.report.notes)
