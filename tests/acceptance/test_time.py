"""When a file begins and how long it lasts: a motion that says which frame it is, read by players of the tests' own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from cases import slow_but
from in_blender import add, animate, bag_of, choose, go_to, push_down
from scenes.players import animx, mrtk, w3d, w3x
from w3d_scene import export_report as report

bpy = pytest.importorskip("bpy")

RATE = 30
FORMATS = {"mrtk": ".bin", "w3d": ".w3d", "w3x": ".w3x", "animx": ".animj"}
PLAYERS: dict[str, Any] = {"mrtk": mrtk.Player, "w3d": w3d.Player.of, "w3x": w3x.Player.of, "animx": animx.Player}
EVERY_FORMAT = pytest.mark.parametrize("format_name", slow_but(["mrtk", "w3d", "animx"], FORMATS))


class Played:
    """What a file shows of the bone Wrist.L: how far it is from the origin, in m, at seconds; and how long it lasts."""

    def __init__(self, format_name: str, data: bytes) -> None:
        self.data, self.player, self.place = data, PLAYERS[format_name](data), getattr(self, f"_{format_name}")
        self.duration: float = self.player.duration

    def at(self, time: float) -> float:
        """Metres from the origin."""
        return float(np.linalg.norm(self.place(time)))

    def _mrtk(self, time: float) -> Any:
        assert min(curve["keys"][0][0] for curve in self.player.recording["jointsLeft"]["Wrist"].values()) >= 0
        return self.player.pose("Wrist.L", time)[0]

    def _w3d(self, time: float) -> Any:
        number = [name.casefold() for name in self.player.names].index("wrist.l")
        return self.player.worlds(min(round(time * self.player.rate, 6), self.player.frames - 1))[number][:3, 3]

    _w3x = _w3d

    def _animx(self, time: float) -> Any:
        times = self.player.by_place["Wrist.L", "Position"].times
        assert times[0] >= 0 and (np.diff(times) >= 0).all()
        return self.player.field("Wrist.L", "Position", time)


def wrist(name: str = "Rig", x: float = 0.0, *others: str) -> Any:
    """An armature with one bone at the origin of the object, and others that it does not carry."""
    render = bpy.context.scene.render
    render.fps, render.fps_base, render.frame_map_old, render.frame_map_new = RATE, 1.0, 100, 100
    bones = [(bone, None, (0.0, 0.0, 0.0)) for bone in ("Wrist.L", *others)]
    rig = scene.make_armature(bones, name)
    rig.location.x = x
    return rig


def count_frames(rig: Any, *frames: float) -> None:
    """Let the bone's place say which frame it is: straight lines between keys at these frames."""
    bone = rig.pose.bones["Wrist.L"]
    animate(bone, "location", {frame: (frame, 0.0, 0.0) for frame in frames})
    for curve in scene.curves(rig).values():
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def file_of(tmp_path: Path, format_name: str) -> Path:
    return tmp_path / f"time{FORMATS[format_name]}"


def send(tmp_path: Path, format_name: str, **options: Any) -> Played:
    path = file_of(tmp_path, format_name)
    assert getattr(bpy.ops.export_anim, format_name)(filepath=str(path), **options) == {"FINISHED"}
    return Played(format_name, path.read_bytes())


def assert_plays(played: Played, first: float, last: float, rate: float = RATE) -> None:
    """The file shows these frames from time 0 on, and nothing else."""
    assert played.duration == pytest.approx((last - first) / rate, abs=1e-5) and "off by up to" not in report()
    for share in (0.0, 0.25, 0.5, 1.0):
        frame = first + round(share * (last - first))
        assert played.at((frame - first) / rate) == pytest.approx(abs(frame), abs=2e-3), frame


@EVERY_FORMAT
@pytest.mark.parametrize("frames", [(5, 15), (0, 40)])
def test_a_manual_range_is_the_take(format_name: str, frames: tuple[int, int], tmp_path: Path) -> None:
    """A smaller one cuts, a larger one holds."""
    rig = wrist()
    count_frames(rig, 2, 30)
    action = rig.animation_data.action
    action.use_frame_range, action.frame_start, action.frame_end = True, *frames
    for frame in (12, 20):
        action.pose_markers.new("late").frame = frame
    played = send(tmp_path, format_name)
    told = "1 marker lies outside the frames" in bpy.data.texts["Export Report"].as_string()
    assert told == (frames[1] < 20)
    assert played.duration == pytest.approx((frames[1] - frames[0]) / RATE, abs=1e-5)
    for frame in range(frames[0], frames[1] + 1, 5):
        assert played.at((frame - frames[0]) / RATE) == pytest.approx(np.clip(frame, 2, 30), abs=2e-3), frame


@EVERY_FORMAT
@pytest.mark.parametrize("options", [{}, {"use_scene_range": True}])
def test_keys_between_frames_begin_where_they_are(format_name: str, options: Any, tmp_path: Path) -> None:
    """In the scene's range, whole frames, as well."""
    count_frames(wrist(), 0.5, 20.5)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, 21
    played = send(tmp_path, format_name, **options)
    assert played.duration == pytest.approx(20 / RATE, abs=1e-5)
    assert [played.at(0), played.at(10 / RATE)] == pytest.approx([0.5, 10.5], abs=2e-3)


@EVERY_FORMAT
def test_frame_0_can_stay_time_0(format_name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rig = wrist()
    count_frames(rig, -20, -5)
    assert send(tmp_path, format_name, keep_frame_zero=True).duration == 0.0  # all is over by then
    told = "Warning: 2 keys lie outside frames 0 to 0 and are not written"
    assert ("2 warnings" if format_name == "mrtk" else told) in capfd.readouterr().out  # beside joints without keys
    rig.animation_data_clear()
    count_frames(rig, 10, 25)
    played = send(tmp_path, format_name, keep_frame_zero=True)
    assert played.duration == pytest.approx(25 / RATE, abs=1e-5)
    assert [played.at(frame / RATE) for frame in (0, 10, 20)] == pytest.approx([10, 10, 20], abs=2e-3)


@EVERY_FORMAT
@pytest.mark.parametrize("scene_range", [(5, 15), (-5, 10), (0, 40), (50, 60)])
def test_the_scenes_range_is_written_as_it_is(format_name: str, scene_range: tuple[int, int], tmp_path: Path) -> None:
    rig = wrist()
    count_frames(rig, 2, 30)
    bpy.context.scene.frame_start = bpy.context.scene.frame_end = -10
    bpy.context.scene.frame_end = scene_range[1]
    bpy.context.scene.frame_start = scene_range[0]
    begin, end = bpy.context.scene.frame_start, bpy.context.scene.frame_end
    assert send(tmp_path, format_name, bake_to_scene_end=True).duration > 27.9 / RATE
    played = send(tmp_path, format_name, use_scene_range=True)
    assert played.duration == pytest.approx((end - begin) / RATE, abs=1e-5)
    for frame in range(begin, end + 1, 5):
        assert played.at((frame - begin) / RATE) == pytest.approx(np.clip(frame, 2, 30), abs=2e-3), frame
    move(pushed_down(rig), 100)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 105, 115
    assert_plays(send(tmp_path, format_name, use_scene_range=True), 5, 15)
    assert "outside frames 105 to 115 " in report()


@EVERY_FORMAT
def test_the_range_of_a_stretched_scene_is_counted_in_its_own_frames(format_name: str, tmp_path: Path) -> None:
    count_frames(wrist(), 1, 30)
    bpy.context.scene.render.frame_map_new = 200
    for last in (61, 51):  # half a frame of the keys behind the last of them, and before
        bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, last
        played = send(tmp_path, format_name, use_scene_range=True)
        assert played.duration == pytest.approx((last - 1) / RATE, abs=1e-5)
    assert [played.at(time / RATE) for time in (0, 2, 48)] == pytest.approx([1, 1.5, 24.5], abs=2e-3)


@pytest.mark.parametrize("flavor", ["RAW", "TIMECODED", "BFME_ADAPTIVE"])
def test_w3d_has_a_frame_for_each_frame_at_a_fractional_rate(flavor: str, tmp_path: Path) -> None:
    """29.97 frames a second are written as 30, nothing padded: a loop still ends where it began."""
    rig = wrist()
    bpy.context.scene.render.fps_base = 1.001
    count_frames(rig, 5, 29)
    played = send(tmp_path, "w3d", flavor=flavor)
    assert (played.player.frames, played.player.rate) == (25, 30)
    for frame in range(25):
        assert played.at(frame / 30) == pytest.approx(frame + 5, abs=0.3 if flavor == "BFME_ADAPTIVE" else 2e-3)
    assert "29.97" in report()


# --- Imported ----------------------------------------------------------------------------------------------------


@EVERY_FORMAT
@pytest.mark.parametrize("stretch", [(100, 200), (100, 50)])
def test_an_import_plays_as_long_as_its_file_where_time_is_stretched(
    format_name: str, stretch: tuple[int, int], tmp_path: Path
) -> None:
    fetched(tmp_path, format_name)
    path = file_of(tmp_path, format_name)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    render = bpy.context.scene.render
    render.fps, render.frame_map_old, render.frame_map_new = RATE, *stretch
    operator = getattr(bpy.ops.import_anim, format_name)
    assert operator(filepath=str(path), target="NEW", rate="SCENE") == {"FINISHED"}
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (0, 24)
    rig, before = bpy.context.view_layer.objects.active, path.read_bytes()
    for frame in (0, 7, 24):
        go_to(frame)
        bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        (seen,) = [bone.head for bone in bones if bone.name.casefold() == "wrist.l"]
        assert seen.length == pytest.approx(frame, abs=2e-3)
    assert send(tmp_path, format_name).data == before


@EVERY_FORMAT
@pytest.mark.parametrize("frames", [(0, 40), (-8, 24)])
def test_keys_added_outside_an_import_are_written(format_name: str, frames: tuple[int, int], tmp_path: Path) -> None:
    """The range that the importer set is no person's wish."""
    rig = fetched(tmp_path, format_name)
    count_frames(rig, *frames)
    assert_plays(send(tmp_path, format_name), *frames)


@EVERY_FORMAT
@pytest.mark.parametrize(("kept", "used"), [(True, True), (True, False), (False, True)])
def test_a_range_that_a_person_gives_an_import_is_the_take(
    format_name: str, kept: bool, used: bool, tmp_path: Path
) -> None:
    """Whether the file is at hand or not."""
    rig = fetched(tmp_path, format_name, keep_source=kept)
    action = rig.animation_data.action
    action.frame_start, action.frame_end = 6, 18
    assert_plays(send(tmp_path, format_name, use_source=used), 6, 18)
    count_frames(rig, 18)
    for points in (curve.keyframe_points for curve in scene.curves(rig).values()):
        while points[-1].co.x > 18.5:
            points.remove(points[-1])
    action.use_frame_range = False
    assert_plays(send(tmp_path, format_name, use_source=used), 0, 18)


def fetched(tmp_path: Path, format_name: str, **options: Any) -> Any:
    """A motion over 24 frames, written and imported again."""
    rig = wrist("Source of motion")
    count_frames(rig, 0, 24)
    send(tmp_path, format_name)
    bpy.data.objects.remove(rig)
    return received(tmp_path, format_name, **options)


def received(tmp_path: Path, format_name: str, **options: Any) -> Any:
    """The armature that an import of what was sent makes, at the scene's rate."""
    bpy.context.scene.render.fps = RATE
    path, operator = file_of(tmp_path, format_name), getattr(bpy.ops.import_anim, format_name)
    assert operator(filepath=str(path), target="NEW", rate="SCENE", **options) == {"FINISHED"}
    rig = bpy.context.view_layer.objects.active
    for bone in rig.pose.bones:
        if bone.name.casefold() == "wrist.l":
            bone.name = "Wrist.L"
    return rig


# --- NLA ---------------------------------------------------------------------------------------------------------


def pushed_down(rig: Any) -> Any:
    """What Blender's own "Push Down" makes of the Action."""
    first, last = rig.animation_data.action.frame_range
    strip = push_down(rig, int(first))
    strip.action_frame_start, strip.action_frame_end = first, max(last, first + 1)
    strip.frame_end = max(last, first + 1)
    strip.frame_start = first
    strip.use_auto_blend = True
    return strip


def move(strip: Any, frames: float) -> Any:
    """What a person does who drags a strip along the timeline."""
    strip.frame_end += frames
    strip.frame_start += frames
    strip.scale = 1.0
    return strip


@EVERY_FORMAT
@pytest.mark.parametrize(("start_frame", "moved"), [(0, 0), (0, 100), (0, -7.5), (16380.3, 3.7)])
def test_a_pushed_down_import_is_the_file_itself(
    format_name: str, start_frame: float, moved: float, tmp_path: Path
) -> None:
    """Far out Blender's own end of the strip is off by a step of single precision, a five-hundredth of a frame."""
    rig = fetched(tmp_path, format_name, start_frame=start_frame)
    before = file_of(tmp_path, format_name).read_bytes()
    strip = pushed_down(rig)
    if moved:
        move(strip, moved)
    assert send(tmp_path, format_name).data == before
    strip.extrapolation = "HOLD_FORWARD"
    rig.animation_data.nla_tracks.active = rig.animation_data.nla_tracks[0]
    rig.animation_data.use_tweak_mode = moved > 0  # in which the Action is assigned, and played where the strip is
    assert (played := send(tmp_path, format_name)).data == before
    if moved == 100:
        strip.scale = 2.0
        assert send(tmp_path, format_name).duration == pytest.approx(2 * played.duration, abs=1 / RATE)


@EVERY_FORMAT
@pytest.mark.parametrize("frames", [(1, 25), (-24, -1), (1001, 1040), (-7, -7)])
def test_an_action_begins_at_its_keys_pushed_down_too(
    format_name: str, frames: tuple[int, int], tmp_path: Path
) -> None:
    rig = wrist()
    count_frames(rig, *frames)
    bag_of(rig).fcurves.new("scale")  # without a key
    rig.animation_data.action.pose_markers.new("here").frame = frames[0]
    assert_plays(played := send(tmp_path, format_name), *frames)
    before, strip = played.data, pushed_down(rig)
    strip.id_data.animation_data.nla_tracks[0].strips.new("Muted", 99, strip.action).mute = True
    assert send(tmp_path, format_name).data == before and (b"here" in before) == (format_name == "mrtk")
    strip.use_animated_time = True  # which may pass it any time
    assert b"here" not in send(tmp_path, format_name).data


def strip_of_its_own(name: str, first: float = 1) -> Any:
    """A strip of an armature's Action, whose one bone goes to a place 25 m away until frame 25, smoothly."""
    rig = wrist(name)
    animate(rig.pose.bones["Wrist.L"], "location", {frame: (frame, 0.0, 0.0) for frame in (first, 25)})
    rig.data.bones["Wrist.L"].name = f"{name} bone"
    strip = pushed_down(rig)
    strip.frame_start = first
    return strip


def sent_together(tmp_path: Path) -> bytes:
    choose(*bpy.context.scene.objects)
    return scene.send_out(tmp_path / "both.animj", "animx")


def test_strips_far_on_the_timeline_are_written_as_where_their_actions_lie(tmp_path: Path) -> None:
    """Both are 100,000 frames later, where Blender's single precision rounds to 1/128 of a frame."""
    strips = strip_of_its_own("First"), strip_of_its_own("Second", 1.6)
    near = sent_together(tmp_path)
    for strip in strips:
        move(strip, 100000)
    assert sent_together(tmp_path) == near


@pytest.mark.parametrize("later", [0, 1000])
def test_objects_whose_strips_are_moved_by_different_frames_keep_their_distance(later: int, tmp_path: Path) -> None:
    """One moves on frames 1 to 25, the other on 101 to 125, and both are in one file of 125 frames."""
    move(strip_of_its_own("First"), later)
    move(strip_of_its_own("Second"), later + 100)
    player = animx.Player(sent_together(tmp_path))
    assert player.duration == pytest.approx(124 / RATE, abs=1e-5)
    for name, wanted in (("First", (25, 25, 25)), ("Second", (1, 1, 25))):
        places = [player.field(f"{name} bone", "Position", frame / RATE) for frame in (24, 100, 124)]
        assert np.linalg.norm(places, axis=1) == pytest.approx(wanted, abs=1e-2)


# --- What goes on ------------------------------------------------------------------------------------------------


def goes_on(rig: Any, kind: str) -> None:
    for curve in scene.curves(rig).values():
        if kind == "LINEAR":
            curve.extrapolation = "LINEAR"
        else:
            modifier = curve.modifiers.new("CYCLES")
            modifier.mode_before, modifier.mode_after = (2 * kind.split())[:2]


@pytest.mark.parametrize(
    ("format_name", "options"), [("w3x", {}), ("w3d", {"flavor": "RAW"}), ("w3d", {"flavor": "BFME_TIMECODED"})]
)
@pytest.mark.parametrize("kind", ["REPEAT", "MIRROR", "REPEAT_OFFSET REPEAT"])
@pytest.mark.parametrize("shape", ["SINE", "CONSTANT"])
def test_where_rounds_meet_each_frame_is_what_blender_shows(
    format_name: str, options: dict[str, str], kind: str, shape: str, tmp_path: Path
) -> None:
    """A range that begins within the curve: Blender shows the end of a round on the frame where the next one begins."""
    rig = wrist()
    count_frames(rig, 3, 6, 7)
    goes_on(rig, kind)
    for curve in scene.curves(rig).values():
        curve.keyframe_points[0].interpolation = shape
    action = rig.animation_data.action
    action.use_frame_range, action.frame_start, action.frame_end = True, -4, 17
    played = send(tmp_path, format_name, **options)
    assert "3 animated values from curves" in report()
    (x, *_) = scene.curves(rig).values()
    for frame in range(-4, 18):
        assert played.at((frame + 4) / RATE) == pytest.approx(abs(x.evaluate(frame)), abs=2e-3), frame


@pytest.mark.parametrize("format_name", ["w3d", "w3x"])
def test_the_file_is_not_checked_on_a_frame_behind_an_end_between_two(format_name: str, tmp_path: Path) -> None:
    rig = wrist()
    count_frames(rig, 3, 13)
    goes_on(rig, "LINEAR")
    action = rig.animation_data.action
    action.use_frame_range, action.frame_start, action.frame_end = True, 3, 9.5
    send(tmp_path, format_name)
    assert "Played back at" in report() and not any(told in report() for told in ("off by up to", "moves outside"))


@EVERY_FORMAT
@pytest.mark.parametrize("kind", ["LINEAR", "REPEAT_OFFSET", "REPEAT", "MIRROR"])
def test_what_goes_on_is_baked_to_the_end_of_the_scene(format_name: str, kind: str, tmp_path: Path) -> None:
    rig = wrist()
    count_frames(rig, 3, 13)
    goes_on(rig, kind)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 50
    played = send(tmp_path, format_name, bake_to_scene_end=True)
    seen = {}
    for frame in range(3, 51):
        go_to(frame)
        seen[frame] = rig.pose.bones["Wrist.L"].head.length
    assert "moves outside" not in report()
    if format_name == "mrtk" and kind in ("REPEAT", "MIRROR"):
        return  # the file itself says that the curve repeats
    assert played.duration == pytest.approx(47 / RATE, abs=1e-5)
    for frame in range(3, 51):
        if kind != "REPEAT" or (frame - 3) % 10:
            assert played.at((frame - 3) / RATE) == pytest.approx(seen[frame], abs=5e-3), frame


@EVERY_FORMAT
@pytest.mark.parametrize("kind", ["LINEAR", "REPEAT_OFFSET", "REPEAT", "MIRROR"])
@pytest.mark.parametrize("scene_end", [13, 250])
def test_what_ends_too_early_is_warned_of(format_name: str, kind: str, scene_end: int, tmp_path: Path) -> None:
    """Not where the file repeats it, be it as the whole file that is played in a loop; what holds is not named."""
    rig = wrist("Rig", 0.0, "Palm.L")
    count_frames(rig, 3, 13)
    goes_on(rig, kind)
    animate(rig.pose.bones["Palm.L"], "location.x", {3: 3, 13: 13})
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 3, scene_end
    send(tmp_path, format_name)
    said = kind == "REPEAT" or (kind == "MIRROR" and format_name == "mrtk")
    words = "Wrist.L moves outside frames 3 to 13 as well, the first and the last with a key; choose Scene Range to "
    asked = f"{words}write all frames from 3 to 250"
    assert (asked in report()) == ("moves outside" in report()) == (scene_end > 13 and not said)


@pytest.mark.parametrize(("begin", "end", "others"), [(1, 50, False), (10, 50, False), (30, 50, True), (0, 0, True)])
def test_other_frames_of_the_scene_are_no_way_to_write_more(begin: int, end: int, others: bool, tmp_path: Path) -> None:
    """Where the scene has none of the frames with keys, Scene Range would write something else."""
    rig = wrist("Rig", 0.0, "Palm.L")
    bpy.context.scene.render.frame_map_new = 200
    count_frames(rig, 3, 13)
    goes_on(rig, "LINEAR")
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = begin, end
    send(tmp_path, "w3d")
    apart = f"the scene's frames, {begin} to {end}, are others: give the Action a Manual Frame Range to write more"
    assert "outside frames 6 to 26 as well" in report()  # of the scene, which plays at half the speed
    assert ((apart in report()), ("choose Scene Range" in report())) == (others, not others)


def follow_a_carrier(rig: Any, last: int) -> None:
    """The armature follows an object that is not exported, until frame `last`, by a constraint."""
    carrier = add("Carrier", None)
    animate(carrier, "location.x", {1: 1, last: last})
    rig.pose.bones["Wrist.L"].constraints.new("COPY_LOCATION").target = carrier
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, last


@EVERY_FORMAT
@pytest.mark.parametrize("keys", [(1, 10), (30, 40), (1, 40)])
def test_what_moves_without_keys_outside_them_is_warned_of(
    format_name: str, keys: tuple[int, int], tmp_path: Path
) -> None:
    rig = wrist()
    count_frames(rig, *keys)
    follow_a_carrier(rig, 40)
    assert send(tmp_path, format_name).duration == pytest.approx((keys[1] - keys[0]) / RATE, abs=1e-5)
    assert (f"Wrist.L moves outside frames {keys[0]} to {keys[1]}" in report()) == (keys != (1, 40))
    action = rig.animation_data.action  # a manual range and a strip are what a person wants
    action.use_frame_range, action.frame_start, action.frame_end = True, *keys
    send(tmp_path, format_name)
    assert "moves outside" not in report()
    action.use_frame_range = False
    pushed_down(rig)
    send(tmp_path, format_name)
    assert "moves outside" not in report()


@EVERY_FORMAT
@pytest.mark.parametrize("what", ["bone", "number", "nothing"])
def test_keys_on_one_frame_are_a_pose_only_where_nothing_moves(format_name: str, what: str, tmp_path: Path) -> None:
    """One press of I on a rig that something else moves does not make a file of one frame."""
    rig = wrist()
    count_frames(rig, 1, 1)
    follow_a_carrier(rig, 20)
    bpy.context.scene.render.frame_map_new = 200
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 2, 40
    if what != "bone":
        bpy.data.objects["Carrier"].animation_data_clear()
    if what == "number":
        rig["level"] = 0.0
        rig.driver_add('["level"]').driver.expression = "frame"
    moves = what == "bone" or (what == "number" and format_name == "animx")
    played = send(tmp_path, format_name)
    assert played.duration == pytest.approx(38 / RATE if moves else 0.0, abs=1e-5)
    assert played.at(played.duration) - played.at(0.0) == pytest.approx(19.0 if what == "bone" else 0.0, abs=1e-3)
    assert ("but the scene moves, so its frames 2 to 40 were written" in report()) == moves and "[2x]" not in report()
