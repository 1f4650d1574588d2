"""What a recording becomes: nodes, tracks in Blender's axes, repaired rotations, parented hands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import mrtk
from io_formats.clip import ROTATION, Clip
from io_formats.clip.pose import world_matrices
from io_formats.errors import Report
from io_formats.mrtk import joints, layout, unity_keys
from io_formats.mrtk.document import Curve, Document, Ray
from io_formats.mrtk.to_clip import repair

DATA = Path(__file__).parents[2] / "data" / "mrtk"
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


def document_of(stem: str) -> Document:
    return mrtk.read((DATA / f"{stem}.bin").read_bytes())


def clip_of(document: Document, report: Report | None = None, **options: Any) -> Clip:
    (clip,) = mrtk.to_clips(document, mrtk.ImportOptions(**options), report or Report())
    return clip


def test_joints_without_data_stand_in_an_open_hand() -> None:
    document = document_of("v10_empty")
    document.gaze = Ray(*[[Curve(np.zeros(0, layout.SHORT_KEY))] * 3] * 2)
    clip = clip_of(document)
    assert not clip.tracks and not clip.attachments
    places = {node.name: node.rest[:3, 3] for node in clip.nodes if node.placeholder}
    assert len(places) == 54 and {node.name.rpartition("Tip")[0] for node in clip.nodes if node.helper} == {*FINGERS}
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


# --- Signs and zeros ---------------------------------------------------------------------------------------------


def test_long_turns_are_told_where_they_do_not() -> None:
    """Of one key a second, whose W come later."""
    rows, report = np.float32([*[(0.0, 0.0, 0.6, 0.8)] * 4, (0.0, 0.0, -0.6, -0.8)]).T, Report()
    document = document_of("v11_wrapmode_raw_ints")
    assert document.camera is not None
    times = [np.arange(5.0)] * 3 + [np.arange(5.0) + 0.001]
    document.camera.rotation = [Curve(unity_keys.short_keys(*each)) for each in zip(times, rows)]
    (w, *_) = (row for track in clip_of(document, report).tracks for row in track.rows() if row.property == ROTATION)
    assert w.values[0].tolist() == rows[3].tolist()
    assert [(entry.template, entry.count) for entry in report.warnings] == [(mrtk.messages.LONG_TURNS, 1)]


def test_gazes_without_a_direction_are_counted() -> None:
    document, report = document_of("v11_flags/v11_cam1_hand1_gaze1"), Report()
    assert document.gaze is not None
    for part in document.gaze.direction:
        part.keys = part.keys.copy()
        part.keys["value"][:2] = 0.0
    clip_of(document, report)
    assert [(entry.template, entry.count) for entry in report.warnings] == [(mrtk.to_clip.messages.ZERO_DIRECTION, 2)]


# --- The lost W --------------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("joint", layout.JOINTS[1:])
def test_a_right_hand_rests_as_the_mirror_image_of_a_left_one(joint: str) -> None:
    left, right = (joints.neutral_rest(joint, side)[:3, [1, 3]] for side in "LR")
    np.testing.assert_allclose(right, left * [[-1.0], [1.0], [1.0]], atol=1e-12)
