"""Several files at once: one after the other as NLA strips, from the frame the scene shows; and out again unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import choose
from scenes.players import w3d

bpy = pytest.importorskip("bpy")

DATA = Path(__file__).parents[1] / "data"
BONES = ["ROOTTRANSFORM", "HIPS", "SPINE", "HEAD"]
RECORDINGS = ("v11_cam1_hand1_gaze1.bin", "v11_cam0_hand1_gaze0.bin")
FILES = {
    "mrtk": [DATA / "mrtk" / "v11_flags" / name for name in RECORDINGS],
    "animx": [DATA / "animx" / "08_walk.animj", DATA / "animx" / "04_curve_mixed.animj"],
}


def takes(folder: Path, *lengths: int) -> list[Path]:
    """Animations of one skeleton, of that many frames each, which say their number by how high the hips are."""
    scene.write(folder / "skel.w3d", scene.Lay.hierarchy(BONES))
    found = []
    for number, frames in enumerate(lengths, 1):
        height = np.full(frames, 10.0 * number) + np.arange(frames) / 100
        turn = np.stack([np.sin(np.arange(frames) / 9), 0 * height, 0 * height, np.cos(np.arange(frames) / 9)], axis=1)
        channels = [scene.Lay.raw(0, height, 2, 1), scene.Lay.raw(0, turn, 6, 2)]
        data = scene.Lay.animation(*channels, frames=frames, name=f"TAKE_{number}")
        found.append(scene.write(folder / f"take_{number}.w3d", data))
    return found


def strips(rig: Any) -> list[Any]:
    """The strips of an armature that play, in order of time."""
    playing = (strip for track in rig.animation_data.nla_tracks if not track.mute for strip in track.strips)
    return sorted(playing, key=lambda strip: strip.frame_start)


def rigs() -> list[Any]:
    return [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]


def markers() -> list[tuple[str, int]]:
    return sorted(
        ((marker.name, marker.frame) for marker in bpy.context.scene.timeline_markers), key=lambda one: one[1]
    )


def height(rig: Any, frame: float) -> float:
    """How far above their rest, which is at 1, Blender shows the hips; Z in the file is Z here."""
    return float(scene.bones_at(rig, frame)["HIPS"][2, 3]) - 1.0


def test_takes_of_one_skeleton_follow_each_other_and_come_back(tmp_path: Path) -> None:
    """31, 11 and 21 frames: they begin on frames 0, 31 and 42, and the last ends on 62."""
    paths = takes(tmp_path, 31, 11, 21)
    assert scene.bring_in_all(paths, nla="SEQUENCE") == {"FINISHED"}
    (rig,) = rigs()
    assert rig.animation_data.action is None and len(rig.animation_data.nla_tracks) == 1
    assert [(strip.frame_start, strip.frame_end) for strip in strips(rig)] == [(0, 30), (31, 41), (42, 62)]
    assert all(strip.scale == pytest.approx(1.0) for strip in strips(rig))
    assert markers() == [("TAKE_1", 0), ("TAKE_2", 31), ("TAKE_3", 42)]
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (0, 62)
    for frame, number, own in ((-5, 1, 0), (30, 1, 30), (31, 2, 0), (41, 2, 10), (42, 3, 0), (52, 3, 10), (62, 3, 20)):
        assert height(rig, frame) == pytest.approx(10 * number + own / 100, abs=1e-4), frame
    choose(rig)
    whole, skeleton = scene.send_out(tmp_path / "whole.w3d"), (tmp_path / "skel.w3d").read_bytes()
    assert w3d.Player.of(whole).frames == 63, "what is active is what Blender shows: all three"
    for frame in (0, 30, 31, 42, 62):
        shown = scene.worlds(whole, frame, skeleton=skeleton)["HIPS"][2, 3] - 1.0
        assert shown == pytest.approx(height(rig, frame), abs=2e-3), frame
    written = scene.send_out_all(tmp_path / "out")
    assert written == {f"TAKE_{number}.w3d": path.read_bytes() for number, path in enumerate(paths, 1)}


@pytest.mark.parametrize("format_name", FILES)
def test_armatures_of_their_own_play_in_turn_and_each_comes_back(format_name: str, tmp_path: Path) -> None:
    """A strip that lies later than its Action is its Action still."""
    paths = FILES[format_name]
    operator = getattr(bpy.ops.import_anim, format_name)
    folder = tmp_path / "in"
    folder.mkdir()
    for path in paths:
        (folder / path.name).write_bytes(path.read_bytes())
    files = [{"name": path.name} for path in paths]
    assert operator(directory=str(folder), files=files, target="NEW", nla="SEQUENCE") == {"FINISHED"}
    in_turn = sorted(rigs(), key=lambda rig: strips(rig)[0].frame_start)
    first, second = (strips(rig)[0] for rig in in_turn)
    assert first.frame_start == 0 and second.frame_start == np.floor(first.frame_end) + 1
    assert second.action_frame_start == 0 and second.scale == pytest.approx(1.0)
    assert [frame for _, frame in markers()] == [0, int(second.frame_start)]
    for rig, path in zip(in_turn, paths, strict=True):
        choose(rig)
        out = tmp_path / path.name
        assert getattr(bpy.ops.export_anim, format_name)(filepath=str(out)) == {"FINISHED"}
        assert out.read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize("nla", ["NONE", "STRIP", "SEQUENCE"])
def test_the_playhead_shows_the_first_of_several_takes(nla: str) -> None:
    """The recorder first sees a hand on frame 13; a sequence was left in the middle of its last take."""
    take = str(DATA / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin")
    assert bpy.ops.import_anim.mrtk(files=[{"name": take}] * 3, directory="/", nla=nla) == {"FINISHED"}
    assert bpy.context.scene.frame_current == 13


@pytest.mark.parametrize(("second", "version", "told"), [("v10_curve_shapes", 0, False), ("v11_recorder", 1, True)])
def test_a_sequence_has_the_version_of_its_recordings(second: str, version: int, told: bool, tmp_path: Path) -> None:
    """MRTK 2.5 shows nothing of version 1.1."""
    files = [DATA / "mrtk" / "v10_recorder_3s_left_hand.bin", next((DATA / "mrtk").glob(f"{second}*.bin"))]
    bpy.ops.import_anim.mrtk(
        filepath=str(files[0]),
        directory=str(files[0].parent),
        files=[{"name": file.name} for file in files],
        nla="SEQUENCE",
    )
    (rig,) = [rig for rig in rigs() if strips(rig)]
    choose(rig)
    assert bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "both.bin")) == {"FINISHED"}
    assert (tmp_path / "both.bin").read_bytes()[8:16] == bytes([1, 0, 0, 0, version, 0, 0, 0])
    assert ("Version 1.1 was written" in bpy.data.texts["Export Report"].as_string()) is told


def test_a_bad_file_takes_no_place(tmp_path: Path) -> None:
    paths = takes(tmp_path, 31, 11, 21)
    paths[1].write_bytes(paths[1].read_bytes()[:-30])
    scene.bring_in_all(paths, nla="SEQUENCE")
    assert [(strip.frame_start, strip.frame_end) for strip in strips(rigs()[0])] == [(0, 30), (31, 51)]
    assert markers() == [("TAKE_1", 0), ("TAKE_3", 31)]


def test_strips_of_a_batch_do_not_lie_on_one_place(tmp_path: Path) -> None:
    """Those of one armature follow each other; without In Sequence there are no markers."""
    scene.bring_in_all(takes(tmp_path, 31, 11, 21), nla="STRIP")
    found = strips(rigs()[0])
    assert [(strip.frame_start, strip.frame_end) for strip in found] == [(0, 30), (31, 41), (42, 62)]
    assert not markers()


@pytest.mark.parametrize("setting", ["nothing", "off", "solo"])
@pytest.mark.parametrize("nla", ["STRIP", "SEQUENCE"])
def test_nla_settings_that_keep_the_strips_from_being_seen_are_told(setting: str, nla: str, tmp_path: Path) -> None:
    paths = takes(tmp_path, 31, 11)
    rig = scene.bring_in(paths[0], nla="STRIP")
    data = rig.animation_data
    data.use_nla = setting != "off"
    data.nla_tracks[0].is_solo = setting == "solo"
    scene.bring_in(paths[1], nla=nla, target="SELECTED")
    told = "The NLA of SKEL is switched off or plays one track alone" in scene.report_of(paths[1].name)
    assert told == (setting != "nothing")


def test_the_action_that_covers_the_strips_has_its_name_after_a_replacement(tmp_path: Path) -> None:
    path = takes(tmp_path, 31)[0]
    scene.bring_in(path)
    bpy.data.batch_remove(list(bpy.data.texts))
    scene.bring_in(path, nla="STRIP", target="SELECTED", existing="REPLACE")
    assert "still plays the Action TAKE_1, which covers" in scene.report_of(path.name)


def test_markers_are_called_as_the_strips(tmp_path: Path) -> None:
    """Two files with one animation's name, which the option Name from tells apart."""
    data = takes(tmp_path, 31)[0].read_bytes()
    paths = [scene.write(tmp_path / name, data) for name in ("walk.w3d", "run.w3d")]
    scene.bring_in_all(paths, nla="SEQUENCE", name_from="FILE")
    assert [strip.name for strip in strips(rigs()[0])] == ["walk", "run"]
    assert markers() == [("walk", 0), ("run", 31)]


def test_each_sequence_has_a_track_of_its_own(tmp_path: Path) -> None:
    """The second and third take up frames that the first has, and frames behind it."""
    paths = takes(tmp_path, 31, 11)
    scene.bring_in_all(paths, nla="SEQUENCE")
    rig = rigs()[0]
    for start in (0, 100):
        choose(rig)
        assert scene.bring_in_all(paths, nla="SEQUENCE", target="SELECTED", start_frame=start) == {"FINISHED"}
    found = [[strip.frame_start for strip in track.strips] for track in rig.animation_data.nla_tracks]
    assert found == [[0, 31], [0, 31], [100, 131]]
    assert all(track.name.startswith("Sequence") for track in rig.animation_data.nla_tracks)


def test_takes_that_begin_and_end_between_frames_follow_each_other(tmp_path: Path) -> None:
    """At 50 frames a second a take of 10/30 s is 16 2/3 frames long: the second begins on 17.4, behind 17.07."""
    scene.set_rate(50)
    scene.bring_in_all(takes(tmp_path, 11, 11), nla="SEQUENCE", rate="SCENE", start_frame=0.4)
    first, second = strips(rigs()[0])
    assert (first.frame_start, first.frame_end) == pytest.approx((0.4, 0.4 + 50 / 3), abs=1e-4)
    assert (second.frame_start, second.frame_end) == pytest.approx((17.4, 17.4 + 50 / 3), abs=1e-4)


@pytest.mark.parametrize("options", [{}, {"merge": True}, {"nla": "SEQUENCE"}])
def test_a_strip_that_is_tweaked_refuses_an_import(options: dict[str, Any], tmp_path: Path) -> None:
    """Blender lets nothing be assigned then."""
    paths = takes(tmp_path, 31, 11)
    scene.bring_in(paths[0], nla="STRIP")
    rig = rigs()[0]
    choose(rig)
    track = rig.animation_data.nla_tracks[0]
    track.select = track.strips[0].select = True
    rig.animation_data.nla_tracks.active = track
    rig.animation_data.use_tweak_mode = True
    assert rig.animation_data.use_tweak_mode
    with pytest.raises(RuntimeError, match="has an NLA strip in tweak mode; leave that mode"):
        scene.bring_in(paths[1], target="SELECTED", **options)
    assert [action.name for action in bpy.data.actions] == ["TAKE_1"] and not bpy.context.scene.timeline_markers


@pytest.mark.parametrize("nla", ["NONE", "SEQUENCE"])
def test_files_begin_at_the_frame_that_the_scene_shows(nla: str, tmp_path: Path) -> None:
    paths = takes(tmp_path, 31, 11)
    bpy.context.scene.frame_set(37)
    scene.bring_in_all(paths, nla=nla, start_at_current=True, start_frame=5.0)
    rig = rigs()[0]
    for action in bpy.data.actions:
        if action.name.startswith("TAKE"):
            assert action.frame_start == 37
    first = 10.0 if nla == "SEQUENCE" else 20.0  # without strips the last file's Action plays
    assert height(rig, 37) == pytest.approx(first, abs=1e-4) and height(rig, 47) == pytest.approx(first + 0.1, abs=1e-4)
    if nla == "SEQUENCE":
        assert markers() == [("TAKE_1", 37), ("TAKE_2", 68)]
        assert height(rig, 68) == pytest.approx(20.0, abs=1e-4)
    choose(rig)
    assert scene.send_out_all(tmp_path / "out")["TAKE_2.w3d"] == paths[1].read_bytes()


def test_the_current_frame_counts_a_stretched_scene(tmp_path: Path) -> None:
    """Frame 40 of a scene that plays two frames of animation in one shows frame 80 of the animation."""
    bpy.context.scene.render.frame_map_old, bpy.context.scene.render.frame_map_new = 200, 100
    bpy.context.scene.frame_set(40)
    rig = scene.bring_in(takes(tmp_path, 31)[0], start_at_current=True, rate="SCENE", nla="SEQUENCE")
    assert height(rig, 40) == pytest.approx(10.0, abs=1e-4)
    assert markers() == [("TAKE_1", 40)]


def test_undo_takes_a_sequence_back(tmp_path: Path) -> None:
    """One that fails at its end leaves no strip and no marker."""
    paths = takes(tmp_path, 31, 11)
    importing = scene.part("pipeline.import_files")
    options = scene.part("io_formats.w3d").ImportOptions(nla="SEQUENCE")
    run = importing.import_files(bpy.context, paths, scene.part("io_formats.w3d").FORMAT, options)
    assert next(run).error is None
    provenance = scene.part("scene.provenance")
    told = provenance.set_report
    try:
        provenance.set_report = lambda *_: (_ for _ in ()).throw(scene.part("io_formats").FormatError("broken"))
        assert next(run).error is not None
    finally:
        provenance.set_report = told
    assert len(strips(rigs()[0])) == 1 and markers() == [("TAKE_1", 0)]


@pytest.mark.parametrize("nla", ["SEQUENCE", "STRIP", "STASH"])
def test_a_take_that_would_lie_beyond_the_last_frame_is_refused(tmp_path: Path, nla: str) -> None:
    """Frames end at 1,048,574; Blender would squeeze the strip, so that it played faster."""
    (path,) = takes(tmp_path, 31)
    with pytest.raises(RuntimeError, match="from frame 1048550 to 1048580, and scenes end at 1048574"):
        scene.bring_in(path, nla=nla, start_frame=1048550.0)
    assert not bpy.data.actions and not rigs() and not markers()
    scene.bring_in(path, nla=nla, start_frame=1048544.0)
    found = [strip for track in rigs()[0].animation_data.nla_tracks for strip in track.strips]
    assert [(strip.frame_start, strip.frame_end) for strip in found] == [(1048544, 1048574)]


def test_of_a_sequence_only_what_lies_beyond_the_last_frame_is_refused(tmp_path: Path) -> None:
    paths = takes(tmp_path, 31, 11, 21)
    scene.bring_in_all(paths, nla="SEQUENCE", start_frame=1048530.0)
    found = [(strip.frame_start, strip.frame_end) for strip in strips(rigs()[0])]
    assert found == [(1048530, 1048560), (1048561, 1048571)]
    assert markers() == [("TAKE_1", 1048530), ("TAKE_2", 1048561)]


@pytest.mark.parametrize("nla", ["STRIP", "SEQUENCE", "STASH"])
def test_an_animation_of_almost_no_length_gets_a_strip(tmp_path: Path, nla: str) -> None:
    """Blender finds no room for a strip of an Action of less than a millionth of a frame."""
    path = tmp_path / "short.animj"
    path.write_text('{"name": "short", "globalDuration": 1e-38, "tracks": []}')
    assert bpy.ops.import_anim.animx(filepath=str(path), nla=nla) == {"FINISHED"}
    data = [thing.animation_data for thing in bpy.data.objects if thing.animation_data]
    found = [strip for each in data for track in each.nla_tracks for strip in track.strips]
    assert [strip.frame_end - strip.frame_start for strip in found] == [1.0], "long enough to be seen"
