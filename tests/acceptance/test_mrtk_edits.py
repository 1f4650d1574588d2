"""What a person changes in Blender is what changes in the recording, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, product
from pathlib import Path
from typing import Any

import mrtk_scene as scene
import numpy as np
import pytest
from cases import slow_but
from in_blender import push_down, remove_curves
from scenes.players.mrtk import Player, value_at

from io_formats import mrtk

bpy = pytest.importorskip("bpy")

DATA, RATES = scene.DATA, scene.RATES
_SIDES = {"L": "Left", "R": "Right"}
FEW_CURVES = ("v10_curve_shapes", "v10_identity_values", "v11_curve_shapes_tangents_dropped", "v11_wrapmode_raw_ints")
RECORDED = (
    "v10_recorder_3s_left_hand",
    "v11_recorder_10s_two_hands_mrtk273",
    "v11_recorder_2s_partition0_mrtk260_Wbug",
    "v11_flags/v11_cam1_hand1_gaze1",
)
WHICH: dict[str, Callable[[int], int]] = {
    "first": lambda count: 0,
    "second": lambda count: min(1, count - 1),
    "middle": lambda count: count // 2,
    "last": lambda count: count - 1,
}
_WEIGHTS = {4, 5, 6}
"""Which numbers of a key of 1.0 are its weights and whether they count: shares of the segments beside it."""
IN_TURN = "one after the other"
EDITED = slow_but(
    [*product(FEW_CURVES, ("first", "middle")), *product(RECORDED[:2], [IN_TURN])],
    [*product(FEW_CURVES, WHICH), *product(RECORDED, [IN_TURN])],
)
"""In recordings of joints, each of seven components of which has each of the four keys edited in some joint."""

of_each = pytest.mark.parametrize(("stem", "which"), EDITED)


def _gap(point: Any, points: Any, number: int) -> float:
    """Frames from a key to its neighbour: the next one, for the last key the one before, negative then."""
    if len(points) == 1:
        return 4.0
    other = points[number + 1] if number + 1 < len(points) else points[number - 1]
    return float(other.co.x - point.co.x)


def _edit_everywhere(
    path: Path, which: str, edit: Callable[[Any, float], bool]
) -> tuple[dict[Any, tuple[int, Any, int]], Any]:
    """Edit one key of every curve; for each edited curve its number in the file, the F-Curve and the sign."""
    armature = scene.bring_in(path)
    found = scene.fcurves(armature)
    edited = {}
    places = cycle(WHICH.values() if which == IN_TURN else [WHICH[which]])
    for key, curve in scene.every_curve(path.read_bytes()).items():
        fcurve, sign = (None, 1) if "None" in key else scene.fcurve_of(found, key)
        order = scene.playable(curve["keys"])
        if fcurve is None or len(fcurve.keyframe_points) != len(order):
            continue  # nothing there, or a curve of W that the import rebuilt
        if order != list(range(len(curve["keys"]))):
            continue  # unsorted keys and NaN stay only while nobody touches their curve
        number = next(places)(len(order))
        point = fcurve.keyframe_points[number]
        if edit(point, _gap(point, fcurve.keyframe_points, number)):
            edited[key] = (order[number], point, sign)
    return edited, armature


def _move(point: Any, gap: float) -> bool:
    """A quarter of the way to the neighbour, handles and all, as the Graph Editor moves keys."""
    new = np.float32(point.co.x + gap / 4)
    if gap == 0.0 or new == point.co.x:
        return False
    for handle in (point.handle_left, point.handle_right):
        handle.x += float(new) - point.co.x
    point.co.x = float(new)
    return True


def _lift(point: Any, gap: float) -> bool:
    """Another value, handles and all."""
    del gap
    step = 0.25 if abs(point.co.y) < 1e6 else point.co.y / 4
    for handle in (point.handle_left, point.handle_right):
        handle.y += step
    point.co.y += step
    return True


def _bare(edit: Callable[[Any, float], bool]) -> Callable[[Any, float], bool]:
    """The same with handles left where they are, as `keyframe_points[n].co` moves keys."""

    def bare(point: Any, gap: float) -> bool:
        left, right = point.handle_left.copy(), point.handle_right.copy()
        done = edit(point, gap)
        point.handle_left, point.handle_right = left, right
        return done

    return bare


def _before(path: Path, folder: Path) -> tuple[bytes, dict[str, bool]]:
    """The recording to compare with and the options to export with: an edited rotation has the W that MRTK forgot."""
    if "Wbug" not in path.stem:
        return path.read_bytes(), {}
    whole = {"write_repaired_w": True}
    scene.bring_in(path)
    return scene.send_out(folder / "whole.bin", **whole), whole


@pytest.mark.parametrize("repaired", [False, True])
def test_an_edited_rotation_has_the_w_that_was_forgotten(repaired: bool, tmp_path: Path) -> None:
    path = DATA / "v11_recorder_2s_partition0_mrtk260_Wbug.bin"
    rate = scene.set_rate("60")
    armature = scene.bring_in(path)
    curve = scene.fcurves(armature)['pose.bones["PinkyMiddleJoint.L"].rotation_quaternion', 2]
    for point in curve.keyframe_points:
        point.interpolation = "SINE"
    player = Player(scene.send_out(tmp_path / "edited.bin", write_repaired_w=repaired))
    wrong = {"PinkyMiddleJoint.L": 0.0, "IndexTip.L": 0.0}
    for frame in np.arange(1.0, 119.0, 7.3).tolist():
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        for name, most in wrong.items():
            w, x, y, z = armature.pose.bones[name].matrix.to_quaternion()
            cosine = abs(np.dot(player.pose(name, frame / rate)[1], (-x, -z, -y, w)))
            wrong[name] = max(most, float(np.degrees(2 * np.arccos(min(cosine, 1.0)))))
    assert wrong["PinkyMiddleJoint.L"] < 0.1
    assert (wrong["IndexTip.L"] < 0.1) is repaired
    told = scene.export_report()
    assert ("[52x] The rotation lacks W" not in told) is repaired
    assert ("52 nodes were further off" not in told) is repaired


@of_each
def test_keys_moved_a_quarter_of_the_gap_differ_in_their_time_only(stem: str, which: str, tmp_path: Path) -> None:
    path = DATA / f"{stem}.bin"
    rate = scene.set_rate("24")
    before, whole = _before(path, tmp_path)
    edited, _ = _edit_everywhere(path, which, _move)
    after = scene.send_out(tmp_path / "moved.bin", **whole)
    found = scene.differing_keys(before, after)
    _check(found, edited, own=0, tangents=False)
    curves = scene.every_curve(after)
    for key, (number, point, _) in edited.items():
        time = curves[key]["keys"][number][0]
        assert time == pytest.approx(point.co.x / rate, rel=2e-7, abs=1e-7), key
    assert len(edited) >= 7


@pytest.mark.parametrize("which", WHICH)
def test_the_engine_plays_moved_keys_as_they_lie_in_blender(which: str, tmp_path: Path) -> None:
    """Handles of neighbours stay where they are in Blender; a weight, a share of a segment, has to follow."""
    rate = scene.set_rate("60")
    edited, armature = _edit_everywhere(DATA / "v10_curve_shapes.bin", which, _move)
    curves = scene.every_curve(scene.send_out(tmp_path / "moved.bin", check_playback="OFF"))
    found = scene.fcurves(armature)
    compared = 0
    for key in (key for key in edited if key[0] != "bool"):
        fcurve, sign = scene.fcurve_of(found, key)
        keys = np.array([entry[0] for entry in curves[key]["keys"]])
        shares = np.linspace(0.03, 0.97, 23)[:, None]
        moments = (keys[:-1] + shares * np.diff(keys)).ravel()
        size = max(1.0, *(abs(entry[1]) for entry in curves[key]["keys"]))
        for moment in moments.tolist():
            plays, shows = value_at(curves[key], moment), sign * fcurve.evaluate(moment * rate)
            assert plays == pytest.approx(shows, abs=2e-5 * size), (key, moment)
            compared += 1
    assert compared > 350


@of_each
def test_curves_that_blender_tidied_up_differ_in_no_more(stem: str, which: str, tmp_path: Path) -> None:
    """The Graph Editor updates every curve it shows: handles of zero length grow, double keys become one."""
    path = DATA / f"{stem}.bin"
    scene.set_rate("24")
    before, whole = _before(path, tmp_path)
    edited, armature = _edit_everywhere(path, which, _move)
    for place, fcurve in scene.fcurves(armature).items():
        if place != scene.DOUBLE_KEYS or "shapes" not in stem:
            fcurve.update()
    edited.pop(("jointsLeft", "Palm", "PositionZ"), None)
    found = scene.differing_keys(before, scene.send_out(tmp_path / "tidied.bin", **whole))
    _check([entry for entry in found if entry[0] != ("jointsLeft", "Palm", "PositionZ")], edited, own=0, tangents=False)


@pytest.mark.parametrize("edit", [_bare(_move), _bare(_lift)], ids=["moved", "lifted"])
def test_keys_edited_without_their_handles_change_their_own_tangents_at_most(edit: Any, tmp_path: Path) -> None:
    path = DATA / "v10_curve_shapes.bin"
    scene.set_rate("60")
    edited, _ = _edit_everywhere(path, "middle", edit)
    # of a handle behind its key Blender makes another curve than the keys say, so that the check has it sampled
    exported = scene.send_out(tmp_path / "bare.bin", check_playback="OFF")
    found = scene.differing_keys(path.read_bytes(), exported)
    _check([entry for entry in found if entry[0][0] != "bool"], edited, own=None, tangents=True)


def _check(
    found: list[tuple[Any, int, list[int]]], edited: dict[Any, tuple[int, Any, int]], own: int | None, tangents: bool
) -> None:
    """Each edited key differs, in the number that was edited and none but its own tangents; no other key does."""
    differing = {(key, number): parts for key, number, parts in found}
    assert len(differing) == len(found)
    wanted = {(key, number) for key, (number, _, _) in edited.items()}
    # where a segment has another length, a neighbour's handle is another share of it
    beside = {(key, number + step) for key, number in wanted for step in (-1, 1)} - wanted
    for place in set(differing) - wanted:
        assert own != 1 and place in beside and set(differing[place]) <= _WEIGHTS, (place, differing[place])
    if own is not None:
        missing = sorted(wanted - set(differing))
        assert not missing, missing[:5]
        for place in wanted:
            assert own in differing[place], (place, differing[place])
            assert tangents or set(differing[place]) <= ({own} if own else {own} | _WEIGHTS), (place, differing[place])


@pytest.mark.parametrize("stem", ["v10_recorder_3s_left_hand", "v11_recorder_10s_two_hands_mrtk273"])
def test_steps_that_were_smoothed_with_all_the_curves_switch_when_blender_does(stem: str, tmp_path: Path) -> None:
    """Smoothing leaves constant keys between 0 and 1, which Blender takes for False, and MRTK for True above 0.5."""
    scene.set_rate("24")
    armature = scene.bring_in(DATA / f"{stem}.bin")
    curves = [scene.fcurve_of(scene.fcurves(armature), ("bool", name))[0] for name in scene.SWITCHES]
    for curve in filter(None, curves):
        values = [point.co.y for point in curve.keyframe_points]
        smoothed = np.convolve(np.pad(values, 1, mode="edge"), [0.2, 0.6, 0.2], "valid")
        for point, value in zip(curve.keyframe_points, smoothed.tolist()):
            point.co.y = value
        curve.update()
    player = Player(scene.send_out(tmp_path / "smoothed.bin"))
    doubtful = 0
    for frame in np.arange(0.3, player.duration * 24 - 1, 1.7).tolist():
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        for side in "LR":
            curve = scene.fcurve_of(scene.fcurves(armature), ("bool", f"handTrackedCurve{_SIDES[side]}"))[0]
            doubtful += curve is not None and 0.5 < curve.evaluate(frame) < 0.9
            assert player.tracked(side, frame / 24) == armature.pose.bones[f"Wrist.{side}"]["tracked"], (side, frame)
    assert doubtful


@pytest.mark.parametrize("added", [False, True])
def test_markers_keep_in_time_with_hands_that_play_slower(added: bool, tmp_path: Path) -> None:
    """The marker of the golden file, and one of a person's own on frame 30, in a scene of half the rate."""
    source = DATA / "v11_recorder_10s_two_hands_mrtk273.bin"
    scene.set_rate("60")
    armature = scene.bring_in(source)
    markers = armature.animation_data.action.pose_markers
    if added:
        markers.new("own").frame = 30
    bpy.context.scene.render.fps = 30
    played, before = mrtk.read(scene.send_out(tmp_path / "slow.bin")), mrtk.read(source.read_bytes())
    assert played.markers is not None
    assert before.markers is not None
    told = {marker.text.decode(): marker.time for marker in played.markers}
    wanted = {marker.text.decode(): 2 * marker.time for marker in before.markers} | ({"own": 1.0} if added else {})
    assert told == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize(
    "facts",
    [
        *({"scale": 0.5}, {"use_reverse": True}, {"repeat": 2.0}, {"influence": 0.5}),
        *({"use_animated_time": True}, {"action_frame_end": 30.0, "scale": 0.5}),
    ],
)
def test_a_marker_is_written_when_a_strip_passes_it(facts: dict[str, Any], tmp_path: Path) -> None:
    scene.set_rate("60")
    armature = scene.bring_in(DATA / "v10_recorder_3s_left_hand.bin")
    for frame in (30, 500):
        armature.animation_data.action.pose_markers.new("grab").frame = frame
    strip = push_down(armature, 20)
    strip.use_animated_influence = "influence" in facts
    length = strip.action_frame_end - strip.action_frame_start
    for name, value in facts.items():
        setattr(strip, name, value)
    frames = {"scale": [15.0], "use_reverse": [length - 30.0], "repeat": [30.0, 30.0 + length], "influence": [30.0]}
    frames |= {"use_animated_time": [], "action_frame_end": [15.0]}
    markers = mrtk.read(scene.send_out(tmp_path / "slow.bin")).markers or ()
    assert [marker.time * 60 for marker in markers] == pytest.approx(frames[next(iter(facts))], abs=1e-3)


def test_a_marker_of_the_scene_is_told_as_only_an_actions_are_written(tmp_path: Path) -> None:
    """Where a strip plays it; not one behind that, one that names an Action, or one that switches cameras."""
    bpy.context.scene.render.frame_map_new = 200  # by which the scene has twice as many frames
    armature = scene.bring_in(DATA / "v10_recorder_3s_left_hand.bin")
    strip, markers = push_down(armature, 20), bpy.context.scene.timeline_markers
    for name, frame in (("grab", int(2 * strip.frame_end)), ("late", 900), (strip.action.name, 41)):
        markers.new(name, frame=frame)
    markers.new("cut", frame=20).camera = armature
    assert not mrtk.read(scene.send_out(tmp_path / "take.bin")).markers
    assert "\n1 marker of the scene is not written, as" in bpy.data.texts["Export Report"].as_string()
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "take.animj"))
    assert "of the scene is not written" not in bpy.data.texts["Export Report"].as_string()


@pytest.mark.parametrize("stem", ["v10_recorder_3s_left_hand", "v11_recorder_10s_two_hands_mrtk273"])
def test_a_recording_trimmed_by_deleting_keys_lasts_as_long_as_what_is_left(stem: str, tmp_path: Path) -> None:
    """Also its hidden joint, and from time 0 where that is asked for; curves of a key before that are as posed."""
    rate = scene.set_rate("60")
    rig = scene.bring_in(DATA / f"{stem}.bin", start_frame=12)
    first = 12 + 0.35 * scene.duration((DATA / f"{stem}.bin").read_bytes()) * rate
    kept = []
    for curve in scene.fcurves(rig).values():
        for point in reversed(list(curve.keyframe_points)):
            if not first <= point.co.x <= 2 * first:
                curve.keyframe_points.remove(point)
        kept += [point.co.x for point in curve.keyframe_points]
    remove_curves(rig.animation_data.action, *(c for c in scene.fcurves(rig).values() if not len(c.keyframe_points)))
    first, last = min(kept), max(kept)
    whole = scene.send_out(tmp_path / "trimmed.bin")
    assert scene.duration(whole) == pytest.approx((last - 12) / rate, abs=1e-5)
    assert " s, the animation " not in scene.export_report()
    begun = scene.send_out(tmp_path / "begun.bin", begin_at_zero=True)
    assert scene.duration(begun) == pytest.approx((last - first) / rate, abs=1e-5)
    for moment in np.linspace(0.0, (last - first) / rate, 7):
        mine, theirs = Player(begun).pose("Palm.L", moment), Player(whole).pose("Palm.L", moment + (first - 12) / rate)
        np.testing.assert_allclose(np.concatenate(mine), np.concatenate(theirs), atol=1e-5)
    action = rig.animation_data.action
    action.frame_start, action.frame_end = first, last  # as the tools do that cut
    for kept_zero, begin in ((False, first), (True, 12)):
        cut = scene.send_out(tmp_path / "cut.bin", keep_frame_zero=kept_zero)
        assert scene.duration(cut) == pytest.approx((last - begin) / rate, abs=1e-5)


def test_a_recording_on_few_bones_lasts_as_long_where_what_ends_last_has_none(tmp_path: Path) -> None:
    """The camera has the last key of the recording, and no bone on the figure."""
    path = DATA / "v11_recorder_10s_two_hands_mrtk273.bin"
    rig = scene.own_rig({"Wrist.L": (None, (0.5, 0.0, 1.0)), "IndexKnuckle.L": ("Wrist.L", (0.6, 0.0, 1.0))})
    scene.bring_in(path, target="SELECTED")
    scene.fcurves(rig)['pose.bones["Wrist.L"].location', 0].keyframe_points[3].co.y += 0.01
    after = scene.send_out(tmp_path / "few.bin")
    assert scene.duration(after) == pytest.approx(scene.duration(path.read_bytes()), abs=1e-5)
