"""What a recording becomes: nodes, tracks in Blender's axes, repaired rotations, parented hands."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scenes.players.mrtk import Player

from io_formats import mrtk
from io_formats.clip import Clip, Interpolation, Track, ValueKind, Wrap, curve, messages
from io_formats.clip.pose import world_matrices
from io_formats.errors import Report
from io_formats.mrtk import joints, layout, unity_keys
from io_formats.mrtk.document import Curve, Document, Ray
from io_formats.mrtk.to_clip import rebuilt_w, repair

DATA = Path(__file__).parents[2] / "data" / "mrtk"
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


def document_of(stem: str) -> Document:
    return mrtk.read((DATA / f"{stem}.bin").read_bytes())


def clip_of(document: Document, report: Report | None = None, **options: Any) -> Clip:
    (clip,) = mrtk.to_clips(document, mrtk.ImportOptions(**options), report or Report())
    return clip


def golden(stem: str) -> dict[str, Any]:
    plain = DATA / f"{stem}.json"
    data = plain.read_bytes() if plain.exists() else gzip.decompress(Path(f"{plain}.gz").read_bytes())
    return dict(json.loads(data))


def row_of(clip: Clip, node: str, property_name: str, component: int) -> Track:
    """The one component as a track of its own."""
    for track in clip.tracks:
        if (track.node, track.property) == (node, property_name):
            for single in track.rows():
                if single.component == component:
                    return single
    raise AssertionError(f"no track for {node} {property_name} {component}")


def test_switches_are_constant_booleans_on_the_wrist() -> None:
    """On above a half."""
    document = document_of("v10_recorder_3s_left_hand")
    assert document.left is not None
    document.left.pinching = Curve(unity_keys.short_keys(np.arange(2), np.array([0.5, 0.51])))
    clip = clip_of(document)
    assert row_of(clip, "Wrist.L", "pinching", 0).values.tolist() == [[0.0, 1.0]]
    tracked = row_of(clip, "Wrist.L", "tracked", 0)
    assert tracked.value_kind is ValueKind.BOOL
    assert (tracked.interpolation == Interpolation.CONSTANT).all()
    assert set(tracked.values[0]) <= {0.0, 1.0}
    wanted = golden("v10_recorder_3s_left_hand")["bool"]["handTrackedCurveLeft"]["keys"]
    assert tracked.values[0].tolist() == [key[1] for key in wanted]
    document = document_of(HEALTHY)
    assert document.camera is not None and document.left is not None
    document.left.tracked.keys = document.camera.rotation[3].keys  # whose times are a switch's, too
    tracked = row_of(clip_of(document), "Wrist.L", "tracked", 0)
    assert tracked.value_kind is ValueKind.BOOL and set(tracked.values[0]) <= {0.0, 1.0}


def test_wraps_before_and_after_are_independent() -> None:
    document = document_of(HEALTHY)
    assert document.camera is not None
    x, y, _ = document.camera.position
    x.pre_wrap, y.post_wrap = layout.WRAP_PING_PONG, layout.WRAP_LOOP
    rows = [row_of(clip_of(document), "Camera", "location", component) for component in range(3)]
    wraps = [(Wrap.MIRROR, Wrap.HOLD), (Wrap.HOLD, Wrap.HOLD), (Wrap.HOLD, Wrap.REPEAT)]
    assert [(row.before, row.after) for row in rows] == wraps


def test_odd_keys_are_sorted_and_dropped_with_a_warning() -> None:
    report = Report()
    document = document_of("v10_curve_shapes")
    assert document.camera is not None
    document.camera.position[2].keys = unity_keys.full_keys(np.arange(5.0), np.array([0.0, np.nan, 2.0, 3.0, 4.0]))
    clip = clip_of(document, report)
    unsorted = row_of(clip, "Palm.L", "rotation_quaternion", 1)
    assert unsorted.times.tolist() == [0, 1, 2] and unsorted.values[0].tolist() == [-2, -1, -3]
    assert row_of(clip, "Palm.L", "rotation_quaternion", 3).times.tolist() == [1]
    many = unity_keys.short_keys(np.arange(40) // 2 * -1.0, np.arange(40))  # of one time in the file's order
    assert unity_keys.playable(many)["value"].reshape(-1, 2)[:, 0].tolist() == [*range(38, -1, -2)]
    told = [messages.KEYS_NOT_FINITE] * 2 + [messages.KEYS_SORTED]  # of a curve each
    assert sorted(entry.template for entry in report.warnings) == told


def test_joints_without_data_stand_in_an_open_hand() -> None:
    document = document_of("v10_empty")
    document.gaze = Ray(*[[Curve(np.zeros(0, layout.SHORT_KEY))] * 3] * 2)
    clip = clip_of(document)
    assert not clip.tracks and not clip.attachments
    places = {node.name: node.rest[:3, 3] for node in clip.nodes if node.placeholder}
    assert len(places) == 53 and {node.name.rpartition("Tip")[0] for node in clip.nodes if node.helper} == {*FINGERS}
    tips = [places[f"{finger}Tip.L"][0] for finger in FINGERS]
    assert tips == sorted(tips, reverse=True)
    assert [places[f"{finger}Tip.R"][0] for finger in ("Thumb", "Index")] == [-tips[0], -tips[1]]
    # in front of the eyes, below them, and within an arm's reach
    hands = np.stack([place for name, place in places.items() if name.endswith((".L", ".R"))])
    assert (hands[:, 1] > 0.2).all() and (hands[:, 2] < 0.0).all() and np.linalg.norm(hands, axis=1).max() < 0.8
    for joint, following in joints.NEXT_JOINT.items():
        along = places[f"{following}.L"] - places[f"{joint}.L"]
        assert np.linalg.norm(along) < 0.11  # metres
        node = clip.node(f"{joint}.L")
        assert node is not None
        np.testing.assert_allclose(node.rest[:3, 1], along / np.linalg.norm(along), atol=1e-12)


def test_lengths_are_those_of_the_recorded_hand() -> None:
    document = document_of("v11_recorder_10s_two_hands_mrtk273")
    assert document.left is not None
    for part in document.left.joints[layout.JOINTS.index("IndexKnuckle")].position[:2]:
        part.keys = part.keys[1:]  # so that each component has a track
    clip = clip_of(document)
    for side in "LR":
        knuckle = clip.node(f"IndexKnuckle.{side}")
        assert knuckle is not None and knuckle.length is not None
        positions = [position(clip, f"{joint}.{side}", 2.0) for joint in ("IndexKnuckle", "IndexMiddleJoint")]
        assert knuckle.length == pytest.approx(float(np.linalg.norm(positions[1] - positions[0])), rel=0.1)
        tip, last = (clip.node(f"Index{joint}.{side}") for joint in ("Tip", "DistalJoint"))
        assert tip is not None and last is not None and tip.length == pytest.approx(0.5 * (last.length or 0.0))


def position(clip: Clip, node: str, time: float) -> np.ndarray:
    return np.array([curve.evaluate(row_of(clip, node, "location", c), np.array([time]))[0, 0] for c in range(3)])


def test_a_hand_that_never_says_whether_it_is_tracked_is_not_hidden() -> None:
    """MRTK takes a curve without keys for 0; bones that nothing can show would only be lost from view."""
    document = document_of("v11_recorder_10s_two_hands_mrtk273")
    assert document.left is not None
    document.left.tracked = Curve(document.left.tracked.keys[:0])
    clip = clip_of(document)
    assert {node.shown_by for node in clip.nodes if node.name.endswith(".L")} == {None}
    tips = [node for node in clip.nodes if node.name.endswith("Tip.R")]
    assert {node.shown_by for node in tips} == {("Wrist.R", "tracked")}
    tips = [node for node in clip_of(document, hide_untracked=False).nodes if node.name.endswith("Tip.R")]
    assert {(node.shown_by, node.seen_by) for node in tips} == {(None, ("Wrist.R", "tracked"))}


def test_what_begins_as_lines_of_the_recorder_may_bend_later() -> None:
    document, times = document_of("v10_curve_shapes"), np.linspace(0.0, 2.0, 41)
    assert document.camera is not None
    keys = unity_keys.full_keys(np.arange(3.0), np.array([0.0, 1.0, 0.0]))
    keys["in_tangent"][2], keys["in_weight"][2] = 3.0, 0.5
    document.camera.position = [Curve(keys)] * 3
    player = Player(mrtk.write(document))
    keys["out_weight"][1] = np.nan  # 0
    shown = curve.evaluate(row_of(clip_of(document), "Camera", "location", 0), times)[0]
    np.testing.assert_allclose(shown, [player.pose("Camera", time)[0][0] for time in times], atol=1e-6)


# --- Signs and zeros ---------------------------------------------------------------------------------------------


def poses_document(rotations: list[tuple[float, float, float, float]], shared: bool = True) -> Document:
    """A 1.1 camera recording with these x, y, z, w, one key a second; W later if not shared."""
    times = np.arange(len(rotations), dtype=np.float32)
    columns = [unity_keys.short_keys(times, np.array(column, np.float32)) for column in zip(*rotations, strict=True)]
    if not shared:
        columns[3]["time"] += 0.001
    document = document_of("v11_wrapmode_raw_ints")
    assert document.camera is not None
    document.camera.rotation = [Curve(keys) for keys in columns]
    return document


def rotation_block(clip: Clip) -> Track:
    (track,) = [track for track in clip.tracks if track.property == "rotation_quaternion"]
    return track


def test_signs_are_aligned_where_the_components_share_times() -> None:
    flipped = poses_document([(0.0, 0.0, 0.6, 0.8), (0.0, 0.0, -0.6, -0.8), (0.0, 0.0, 0.0, 1.0)])
    report = Report()
    values = rotation_block(clip_of(flipped, report)).values
    np.testing.assert_array_equal(values[0], np.float32([0.8, 0.8, 1.0]))
    assert (np.sum(values[:, 1:] * values[:, :-1], axis=0) > 0).all()
    assert not report.warnings


def test_long_turns_are_told_where_they_do_not() -> None:
    report = Report()
    clip = clip_of(poses_document([*[(0.0, 0.0, 0.6, 0.8)] * 4, (0.0, 0.0, -0.6, -0.8)], shared=False), report)
    assert (
        row_of(clip, "Camera", "rotation_quaternion", 0).values[0].tolist() == np.float32([0.8] * 4 + [-0.8]).tolist()
    )
    assert [(entry.template, entry.count) for entry in report.warnings] == [(mrtk.messages.LONG_TURNS, 1)]


@pytest.mark.parametrize(("zero", "pointed"), [(1, 0), (0, 1)])
def test_a_zero_quaternion_points_where_the_rotation_before_it_does(zero: int, pointed: int) -> None:
    """The first one where the rotation after it does."""
    report, poses = Report(), [(0.0, 0.0, 0.6, 0.8), (0.0, 0.0, 0.0, 1.0)]
    values = rotation_block(
        clip_of(poses_document([*poses[:zero], (0.0, 0.0, 0.0, 0.0), *poses[zero:]]), report)
    ).values
    np.testing.assert_allclose(values[:, zero] / np.linalg.norm(values[:, zero]), values[:, pointed], atol=1e-6)
    assert np.abs(values[:, zero]).max() <= 1e-6
    assert [entry.count for entry in report.warnings] == [1]
    values = rotation_block(clip_of(poses_document([(0.0, 0.0, 0.0, 0.0)] * 3))).values  # without any, none
    assert values.tolist() == [[np.float32(1e-6)] * 3, *[[0.0] * 3] * 3]


def test_gazes_without_a_direction_are_counted() -> None:
    document, report = document_of("v11_flags/v11_cam1_hand1_gaze1"), Report()
    assert document.gaze is not None
    for part in document.gaze.direction:
        part.keys = part.keys.copy()
        part.keys["value"][:2] = 0.0
    clip_of(document, report)
    assert [(entry.template, entry.count) for entry in report.warnings] == [(mrtk.to_clip.messages.ZERO_DIRECTION, 2)]


# --- The lost W --------------------------------------------------------------------------------------------------

WBUG = "v11_recorder_2s_partition0_mrtk260_Wbug"
HEALTHY = "v11_recorder_10s_two_hands_mrtk273"


def without_w(document: Document) -> Document:
    """As MRTK 2.6.0 would have recorded it: one W key for each rotation."""
    poses = [document.camera] if document.camera else []
    for _, hand in document.hands:
        poses += hand.joints
    for pose in poses:
        if len(pose.rotation[3].keys) > 1:
            pose.rotation[3] = Curve(pose.rotation[3].keys[:1])
    return document


def test_a_recording_without_w_is_repaired_to_the_healthy_one() -> None:
    healthy, lacking = document_of(HEALTHY), without_w(document_of(HEALTHY))
    for _, part in lacking.curves():
        part.post_wrap = layout.WRAP_LOOP
    repaired, count = repair(lacking)
    assert {part.post_wrap for _, part in repaired.curves()} == {layout.WRAP_LOOP}
    assert count == 53
    for (name, one), (_, other) in zip(repaired.curves(), healthy.curves(), strict=True):
        np.testing.assert_array_equal(one.keys["time"], other.keys["time"], name)
        np.testing.assert_allclose(one.keys["value"], other.keys["value"], atol=1e-5, err_msg=name)


def test_w_that_begins_below_zero_stays_there() -> None:
    half = np.linspace(2.0, 2.5, 5)
    found = rebuilt_w(np.arange(5.0), np.sin(half), np.zeros(5), np.zeros(5), float(np.cos(half[0])))
    np.testing.assert_allclose(found, np.cos(half))
    x, none = np.sqrt(0.75) * np.array([1.0, 1.0, -1.0]), np.zeros(3)  # the device says -q for q
    np.testing.assert_allclose(rebuilt_w(np.arange(3.0), x, none, none, 0.5), [0.5, 0.5, -0.5])
    slowing, none = np.array([0.5, 0.3, 0.1, 0.06, 0.05, 0.045]), np.zeros(6)  # it would pass zero as it came, alone
    np.testing.assert_allclose(rebuilt_w(np.arange(6.0), np.sqrt(1 - slowing**2), none, none, 0.5), slowing)


def test_a_w_without_keys_is_played_as_zero() -> None:
    """As MRTK plays it; in Blender a rotation's W rests at 1."""
    document = poses_document([(0.0, 0.6, 0.8, 0.0), (0.0, 0.8, 0.6, 0.0)])
    assert document.camera is not None
    document.camera.rotation[3].keys = document.camera.rotation[3].keys[:0]
    assert row_of(clip_of(document), "Camera", "rotation_quaternion", 0).values.tolist() == [[0.0]]


def test_w_runs_through_zero_where_the_turn_does() -> None:
    times = np.arange(0, 3, 0.03)
    half = times * 1.2
    x, y, z, w = 0.6 * np.sin(half), 0.8 * np.sin(half), 0 * half, np.cos(half)
    assert w.min() < -0.8
    rows = [Curve(unity_keys.short_keys(times[: len(row)], row)) for row in (x, y, z, w[:1])]
    document = document_of("v11_wrapmode_raw_ints")
    assert document.camera is not None
    document.camera.rotation = rows
    repaired, count = repair(document)
    assert count == 1 and repaired.camera is not None
    np.testing.assert_allclose(repaired.camera.rotation[3].keys["value"], w, atol=1e-4)
    # no such recording has W begin later, another length, or a last W that is not the last Z
    for own, held in ((times[1:2], w[:1]), (times[:1], w[:1] * 0.9), (times[[0, -1]], w[[0, -1]])):
        rows[3].keys = unity_keys.short_keys(own, held)
        assert repair(document) == (document, 0)


def test_the_repair_is_an_option_and_reported() -> None:
    document = document_of(WBUG)
    report = Report()
    assert len(row_of(clip_of(document, report), "Palm.L", "rotation_quaternion", 0).times) > 10
    assert [(entry.template, entry.count) for entry in report.warnings] == [(mrtk.to_clip.messages.REPAIRED_W, 53)]
    assert len(row_of(clip_of(document, repair_w=False), "Palm.L", "rotation_quaternion", 0).times) == 2


# --- Hand skeleton -----------------------------------------------------------------------------------------------


def test_a_hand_skeleton_moves_and_repeats_as_the_flat_joints_do() -> None:
    """A hand of five seconds that goes to and fro for as long as the other is recorded."""
    document = document_of(HEALTHY)
    assert document.left is not None
    for row in (row for joint in document.left.joints for row in joint.curves):
        row.keys, row.post_wrap = row.keys[row.keys["time"] < 5.0], layout.WRAP_PING_PONG
    flat, rig = clip_of(document), clip_of(document, hand_skeleton=True)
    keys = np.unique(np.concatenate([track.times for track in rig.tracks if track.node == "IndexTip.L"]))
    times = keys[keys <= 9.0][::3].astype(float)
    before, after = world_matrices(flat, times), world_matrices(rig, times)
    assert np.ptp(before["IndexTip.L"][times > 5.0, :3, 3], axis=0).max() > 0.05
    for joint in layout.JOINTS[1:]:
        np.testing.assert_allclose(after[f"{joint}.L"], before[f"{joint}.L"], atol=5e-6, err_msg=joint)


def test_a_tip_that_turns_in_place_turns_as_the_flat_one_does() -> None:
    """A line between two keys that are relative to a joint that turns is not the line between recorded ones."""
    document, names = document_of("v10_identity_values"), ("IndexDistalJoint", "IndexTip")
    assert document.left is not None
    parent, tip = (document.left.joints[layout.JOINTS.index(name)] for name in names)
    tip.position = parent.position
    times, turn = np.arange(2, dtype=np.float32), np.float32([0.6, 0.8])
    for joint, axis in ((parent, 0), (tip, 1)):
        ends = {axis: turn, 3: turn[::-1]}
        joint.rotation = [Curve(unity_keys.short_keys(times, ends.get(part, 0 * turn))) for part in range(4)]
    flat, rig = (world_matrices(clip_of(document, hand_skeleton=to), np.array([0.25])) for to in (False, True))
    for name in names:
        np.testing.assert_allclose(rig[f"{name}.L"][:, :3, :3], flat[f"{name}.L"][:, :3, :3], atol=3e-4)


def test_a_hand_skeleton_rests_as_the_hand_is_when_the_last_of_its_joints_begins() -> None:
    document = document_of(HEALTHY)
    assert document.left is not None
    tip = document.left.joints[layout.JOINTS.index("IndexTip")]
    for part in (*tip.position, *tip.rotation):
        part.keys = part.keys[9:]
    begun = tip.position[0].keys["time"][:1].astype(float)
    rig = clip_of(document, hand_skeleton=True)
    rig.tracks = []
    before, after = world_matrices(clip_of(document), begun), world_matrices(rig, begun)
    np.testing.assert_allclose(after["IndexKnuckle.L"], before["IndexKnuckle.L"], atol=5e-6)


def bent_keys(count: int, weight: float, mode: int, seed: int) -> np.ndarray:
    """Keys of one curve with tangents, all of one weight."""
    random = np.random.default_rng(seed)
    keys = np.zeros(count, layout.FULL_KEY)
    keys["time"] = np.arange(count) * 0.1
    for name in ("value", "in_tangent", "out_tangent"):
        keys[name] = random.normal(size=count)
    keys["in_weight"], keys["out_weight"], keys["weighted_mode"] = weight, weight, mode
    return keys


@pytest.mark.parametrize("broken", [math.inf, -math.inf, math.nan])
def test_curves_with_a_step_leave_the_others_as_they_are(broken: float) -> None:
    curves = [bent_keys(9, 1 / 3, 3, seed) for seed in range(4)]
    curves[2]["out_tangent"][4] = broken
    curves[3]["value"][1], curves[3]["out_tangent"][1] = 2.95e38, 3.3e38  # one control point beyond single precision
    curves[1]["out_weight"][6], curves[1]["out_tangent"][6] = 1e6, 0.0  # as MRTK says that a value is held
    for field, at, number in (("out_weight", 2, 0.0), ("in_weight", 3, 0.0), ("weighted_mode", 3, layout.WEIGHTED_OUT)):
        curves[1][field][at] = number  # no line, as the side that is not weighted counts as a third
    made = unity_keys.Shaper().shapes(unity_keys.Fields.of(curves))
    stepped = [np.flatnonzero(single.interpolation == Interpolation.CONSTANT).tolist() for single in made]
    assert stepped == [[], [6], [4], [1]] and made[1].interpolation[2] == Interpolation.BEZIER
    assert all(np.isfinite(single.handles.values).all() for single in made if single.handles is not None)


@pytest.mark.parametrize("joint", layout.JOINTS[1:])
def test_a_right_hand_rests_as_the_mirror_image_of_a_left_one(joint: str) -> None:
    left, right = (joints.neutral_rest(joint, side)[:3, [1, 3]] for side in "LR")
    np.testing.assert_allclose(right, left * [[-1.0], [1.0], [1.0]], atol=1e-12)
