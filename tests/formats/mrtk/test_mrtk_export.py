"""Back into a recording: as Blender would hand a clip back, untouched, edited, moved, made from nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from through_blender import Edit, through_blender

from io_formats import mrtk
from io_formats.clip import (
    ROTATION,
    Clip,
    Handles,
    Interpolation,
    Marker,
    Node,
    Source,
    Track,
    TrackKind,
    Wrap,
    curve,
    quaternion,
)
from io_formats.clip.fcurve_keys import KeyBlock
from io_formats.errors import FormatError, Report
from io_formats.files.steps import finished
from io_formats.format import Destination
from io_formats.mrtk import layout, unity_keys
from io_formats.mrtk.document import Document
from io_formats.mrtk.edited_keys import Straightener
from io_formats.saving import NewFile

DATA = Path(__file__).parents[2] / "data" / "mrtk"
LEFT_HAND = DATA / "v10_recorder_3s_left_hand.bin"
TWO_HANDS = DATA / "v11_recorder_10s_two_hands_mrtk273.bin"
SHAPES = DATA / "v10_curve_shapes.bin"
WBUG = DATA / "v11_recorder_2s_partition0_mrtk260_Wbug.bin"


class Imported:
    """A recording as an import leaves it, and the way back."""

    def __init__(self, path: Path, rate: float = 60.0, **options: Any) -> None:
        self.data = path.read_bytes()
        self.document = mrtk.read(self.data)
        (self.clip,) = mrtk.to_clips(self.document, mrtk.ImportOptions(**options), Report())
        self.rate = rate

    def changed(self, **options: Any) -> Imported:
        """As a file with what its document has by now is imported."""
        self.data = mrtk.write(self.document)
        (self.clip,) = mrtk.to_clips(self.document, mrtk.ImportOptions(**options), Report())
        return self

    def captured(self, edit: Edit | None = None) -> Clip:
        """The clip as it comes out of Blender, related to what was written."""
        return replace(through_blender(self.clip, edit, self.rate), rate=self.rate)

    def exported(self, clip: Clip, report: Report | None = None, known: bool = True, **options: Any) -> Document:
        source = Source(self.document, self.clip) if known else None
        return mrtk.from_clip(clip, mrtk.ExportOptions(**options), report or Report(), Destination(source=source))

    def differences(self, document: Document) -> list[tuple[str, int, tuple[str, ...]]]:
        """(curve, key, fields) for each key whose bits changed; every other byte must be the same."""
        data = mrtk.write(document)
        assert len(data) == len(self.data)
        found, bits = [], 0
        for (name, old), (_, new) in zip(self.document.curves(), mrtk.read(data).curves(), strict=True):
            for key in range(len(old.keys)):
                changed = [
                    f for f in old.keys.dtype.names or () if old.keys[f][key].tobytes() != new.keys[f][key].tobytes()
                ]
                if changed:
                    found.append((name, key, tuple(changed)))
                    bits += 4 * len(changed)
        assert sum(a != b for a, b in zip(data, self.data, strict=True)) <= bits
        return found


def only(node: str, property_name: str, component: int, change: Callable[[KeyBlock], None]) -> Edit:
    """An edit of one F-Curve."""

    def edit(track: Track, block: KeyBlock) -> KeyBlock:
        if (track.node, track.property, track.component) == (node, property_name, component):
            change(block)
            order = np.argsort(block.frames, kind="stable")
            handles = None if block.handles is None else block.handles[:, order]
            return KeyBlock(block.frames[order], block.values[:, order], block.interpolation[order], handles)
        return block

    return edit


def without(*nodes: str) -> Edit:
    """All F-Curves of these nodes deleted."""
    return lambda track, block: None if track.node in nodes else block


def lift(number: int) -> Callable[[KeyBlock], None]:
    """A key with its handles, an eighth up."""

    def change(block: KeyBlock) -> None:
        block.values[0, number] += 0.125
        if block.handles is not None:
            block.handles[0, number, :, 1] += 0.125

    return change


def column(document: Document, name: str, field: str) -> Any:
    return dict(document.curves())[name].keys[field]


# --- One key edited ----------------------------------------------------------------------------------------------


def test_a_key_moved_late_in_a_recording_leaves_all_slopes() -> None:
    """Where frames are coarser than steep handles, whose weights change with the segment."""
    imported = Imported(SHAPES)
    part = dict(imported.document.curves())["Camera PositionX"]
    part.keys = unity_keys.full_keys(313.0 + np.arange(6) / 7, np.arange(6.0))
    for field, value in {"in_tangent": 3000.0, "out_tangent": 3000.0, "in_weight": 0.5, "out_weight": 0.5}.items():
        part.keys[field] = value

    def later(block: KeyBlock) -> None:
        assert block.handles is not None
        block.frames[3] += 0.1
        block.handles[0, 3, :, 0] += 0.1

    document = imported.exported(imported.changed().captured(only("Camera", "location", 0, later)))
    weights = [(2, ("out_weight",)), (3, ("time", "in_weight", "out_weight")), (4, ("in_weight",))]
    assert imported.differences(document) == [("Camera PositionX", *each) for each in weights]


def test_a_step_among_keys_of_a_turned_sign_leaves_all_others_as_in_the_file() -> None:
    """8-byte keys have no steps: one more key stands just before the jump, and the file says -q from key 20 on.

    A key in the place of the first one has the sign of those that follow it."""
    imported = Imported(TWO_HANDS)
    assert imported.document.left is not None
    for part in imported.document.left.joints[2].rotation:
        part.keys = part.keys.copy()
        part.keys["value"][20:] *= -1
    imported.changed()

    def hold(block: KeyBlock) -> None:
        block.interpolation[30] = Interpolation.CONSTANT
        block.frames[0], block.values[0, 0] = block.frames[0] + 0.5, block.values[0, 0] + 0.125

    document = imported.exported(imported.captured(only("Palm.L", "rotation_quaternion", 1, hold)))
    old, new = (dict(one.curves())["Palm.L RotationX"].keys for one in (imported.document, document))
    assert np.array_equal(np.delete(new, [0, 31]), old[1:])
    assert new["value"][0] == pytest.approx(old["value"][0] - 0.125, abs=1e-6)
    assert new["value"][31] == old["value"][30] and old["time"][30] < new["time"][31] < old["time"][31]


def test_what_becomes_of_a_switch() -> None:
    imported = Imported(LEFT_HAND)
    half = imported.exported(imported.captured(only("Wrist.L", "tracked", 0, lambda block: block.values.fill(0.5))))
    assert not column(half, "Tracked.L", "value").any(), "on above a half"
    gone = imported.exported(imported.captured(lambda track, block: None if track.property == "tracked" else block))
    assert column(gone, "Tracked.L", "value").tolist() == [1.0], "what has no curve any more is seen"
    # one that is always on, turned off
    imported, report = Imported(DATA.parents[2] / "samples" / "left_hand_mrtk_1.0.bin"), Report()
    imported.exported(imported.captured(only("Wrist.L", "tracked", 0, lambda block: block.values.fill(0.0))), report)
    assert [entry.template for entry in report.warnings if "wrist" in entry.values] == [mrtk.messages.NEVER_TRACKED]


# --- Parts deleted or added --------------------------------------------------------------------------------------


def test_the_last_keys_of_a_recording_that_repeats_move_alone() -> None:
    """What a person lets repeat would go on until the frames that the Action still has."""
    imported = Imported(LEFT_HAND)
    for _, part in imported.document.curves():
        part.post_wrap = layout.WRAP_LOOP
    imported.changed()

    def sooner(_: Track, block: KeyBlock) -> KeyBlock:
        block.frames[-1:] -= 0.25
        return block

    document = imported.exported(imported.captured(sooner))
    for (name, old), (_, new) in zip(imported.document.curves(), document.curves(), strict=True):
        assert np.flatnonzero(old.keys["time"] != new.keys["time"]).tolist() in ([], [len(old.keys) - 1]), name


def test_a_deleted_camera_and_gaze_lose_their_flags() -> None:
    imported = Imported(TWO_HANDS)
    document = imported.exported(imported.captured(without("Camera", "Gaze", "GazeDirection")))
    assert document.flags == (0, 1, 0)
    assert mrtk.read(mrtk.write(document)) == document
    turnless = imported.captured()
    turnless.tracks = [row for row in turnless.tracks if (row.node, row.property) != ("Palm.L", ROTATION)]
    assert column(imported.exported(turnless), "Palm.L RotationW", "value").tolist() == [1.0], "no zero quaternion"
    imported, report = Imported(LEFT_HAND), Report()
    imported.exported(imported.captured(without("Palm.L")), report)
    assert [entry.values.get("names") for entry in report.warnings] == ["Palm.L"], "which a hand that is seen now lacks"


def test_a_file_as_the_public_document_has_it_becomes_a_real_one_and_says_so() -> None:
    imported, report = Imported(DATA / "bad" / "v11_full_28byte_keyframes_as_doc_says.bin"), Report()
    imported.exported(imported.captured(only("Wrist.L", "location", 0, lift(0))), report)
    assert [entry.template for entry in report.warnings] == [mrtk.messages.REAL_LAYOUT]


def test_markers_keep_their_numbers_on_whole_frames() -> None:
    imported = Imported(DATA / "v10_identity_values.bin", 24.0)
    assert imported.document.markers is not None
    imported.document.markers[3].text = ("\u30b9" * 80).encode()
    clip = imported.changed().captured()
    clip.markers = [
        Marker(round(marker.time * 24) / 24, marker.text.encode()[:63].decode(errors="ignore"))
        for marker in imported.clip.markers
    ]
    assert mrtk.write(imported.exported(clip)) == imported.data
    renamed = Marker(0.890625, 20 * "\u30b9" + "!")  # a text as long as Blender's are, like another's but for the end
    clip.markers = [*clip.markers[:2], Marker(0.5, "new"), renamed]
    again = imported.exported(clip)
    assert again.markers is not None
    old = imported.document.markers or []
    assert [(float(marker.time), marker.text) for marker in again.markers] == sorted(
        [
            (float(old[0].time), old[0].text),
            (float(old[1].time), old[1].text),
            (0.5, b"new"),
            (0.890625, renamed.text.encode()),
        ]
    )
    clip.markers = [Marker(0.25, "early"), Marker(0.75, "late")]  # in each round, as far as it goes
    looped = imported.exported(replace(clip, duration=1.0), loop_until=2.5).markers or []
    assert [float(marker.time) for marker in looped] == [0.25, 0.75, 1.25, 1.75, 2.25]
    clip.markers = [Marker(0.2, "end")]  # 0.2 + 0.4 is one bit behind 0.6
    assert len(imported.exported(replace(clip, duration=0.2), loop_until=0.6).markers or []) == 3


def turning(node: str) -> list[Track]:
    """Half a turn about X in two seconds, in steps of ten degrees."""
    angles = np.radians(np.linspace(0.0, 180.0, 19)) / 2
    values = np.stack([np.cos(angles), np.sin(angles), 0 * angles, 0 * angles])
    shapes = np.full(19, Interpolation.LINEAR, np.uint8)
    return [Track(node, "rotation_quaternion", np.linspace(0.0, 2.0, 19), values, shapes, width=4)]


# --- Made from nothing -------------------------------------------------------------------------------------------


def wave(node: str, component: int, shape: Interpolation = Interpolation.BEZIER, **fields: Any) -> Track:
    """Three keys with automatic-looking handles, on frames 0, 20 and 50 of 25 a second."""
    times, values = np.array([0.0, 0.8, 2.0]), np.array([[0.0, 0.3, 0.1]]) + component
    handle_times = np.array([[0.0, 0.3], [-0.3, 0.4], [-0.4, 0.0]])
    return Track(
        node, "location", times, values, np.full(3, shape, np.uint8), component=component, width=3,
        handles=Handles(handle_times, np.zeros((1, 3, 2))), **fields,
    )  # fmt: skip


def until(seconds: float) -> Track:
    """A wrist that moves for so long, which is how long the recording lasts."""
    track = wave("Wrist.L", 0)
    return replace(track, times=track.times * seconds / 2.0)


def armature(*joints: str, tracks: list[Track], **fields: Any) -> Clip:
    rest = np.eye(4)
    rest[:3, 3] = (0.1, 0.2, 0.3)
    return Clip("made", 2.0, 25.0, nodes=[Node(joint, rest=rest) for joint in joints], tracks=tracks, **fields)


def test_joints_below_others_are_followed_by_curves_in_1_0() -> None:
    """By no more than these have themselves; lines would take 279 keys."""
    clip = armature("Wrist.L", "IndexTip.L", tracks=[wave("Wrist.L", 0), *turning("Wrist.L"), wave("IndexTip.L", 1)])
    clip.nodes[1] = replace(clip.nodes[1], parent="Wrist.L")
    document = mrtk.from_clip(clip, mrtk.ExportOptions(version="1.0"), Report())
    assert max(len(part.keys) for _, part in document.curves()) <= 20
    parts = [wave("Palm.L", 0), replace(wave("Palm.L", 2), times=np.array([0.0, 1.1, 2.0]))]
    document = mrtk.from_clip(armature("Palm.L", tracks=parts), mrtk.ExportOptions(version="1.0"), Report())
    assert [len(column(document, f"Palm.L Position{axis}", "time")) for axis in "XYZ"] == [3, 3, 1]


def test_what_a_recording_has_no_place_for_is_counted() -> None:
    larger, report = replace(wave("Wrist.L", 0), property="scale"), Report()
    smile = replace(wave("Wrist.L", 0), property="Smile", kind=TrackKind.SHAPE_KEY)
    mrtk.from_clip(armature("Wrist.L", tracks=[wave("Wrist.L", 0), larger, smile]), mrtk.ExportOptions(), report)
    told = [(entry.template, entry.values.get("number", entry.count)) for entry in report.warnings[:-1]]
    assert told == [(mrtk.messages.SCALE_DROPPED, 1), (mrtk.messages.VALUES_LEFT_OUT, 1)]
    assert report.warnings[-1].template == mrtk.messages.JOINTS_LACKING


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("length", [1.0, 0.3, 0.02])
def test_rotations_whose_components_repeat_unalike_play_so_of_any_length(version: str, length: float) -> None:
    """One turns back and forth, one begins anew, two are held; between their keys quaternions have any length."""
    rows = length * np.array([[1.0, 0.9, 1.0], [0.0, 0.6, 0.1], [0.1, 0.3, 0.2], [0.0, 0.5, -0.3]])
    wraps = [Wrap.HOLD, Wrap.MIRROR, Wrap.REPEAT, Wrap.HOLD]
    tracks = [
        replace(wave("Palm.L", part), property="rotation_quaternion", width=4, values=rows[part : part + 1], after=wrap)
        for part, wrap in enumerate(wraps)
    ]
    clip = armature("Palm.L", "Wrist.L", tracks=[*tracks, until(7.0)])
    document = mrtk.from_clip(clip, mrtk.ExportOptions(version=version), Report())
    (again,) = mrtk.to_clips(document, mrtk.ImportOptions(), Report())
    found = [part for part in again.tracks if (part.node, part.property) == ("Palm.L", "rotation_quaternion")]
    times = np.linspace(0.0, 7.0, 999)
    times = times[np.abs(times[:, None] - [2.0, 4.0, 6.0]).min(axis=1) > 1e-3]
    played, wanted = (np.concatenate([curve.evaluate(one, times) for one in ones]) for ones in (found, tracks))
    assert np.degrees(quaternion.distance(played, wanted)).max() < 0.02
    assert len(dict(document.curves())["Palm.L RotationX"].keys) < (150 if length > 0.1 else 1000)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("side", ["before", "after"])
def test_what_turns_round_at_a_step_is_there_at_that_moment(version: str, side: str) -> None:
    """A value that lasts no time is played on its frame, wherever float32 puts it in later rounds."""
    track, first = wave("Camera", 0, Interpolation.CONSTANT, **{side: Wrap.MIRROR}), 3.0 if side == "before" else 0.0
    track = replace(track, times=first + np.array([0.0, 1.0, 4.0]) / 60.0, handles=None)
    clip = armature("Camera", "Wrist.L", tracks=[track, until(3.0)])
    document = mrtk.from_clip(clip, mrtk.ExportOptions(version=version), Report())
    (again,) = mrtk.to_clips(document, mrtk.ImportOptions(), Report())
    found = next(part for part in again.tracks if (part.node, part.property) == ("Camera", "location")).rows()[0]
    moments = np.abs(first - np.arange(4.0, 180.0, 8.0) / 60.0)
    np.testing.assert_allclose(curve.evaluate(found, moments)[0], track.values[0, -1] + 0.1, atol=1e-6)
    alone = replace(track.take(np.array([0, 1, 0])), times=np.array([0.0, 2.0, 3.0]), before=Wrap.HOLD, after=Wrap.HOLD)
    document = mrtk.from_clip(replace(clip, tracks=[alone, until(3.0)]), mrtk.ExportOptions(version=version), Report())
    (again,) = mrtk.to_clips(document, mrtk.ImportOptions(), Report())
    found = next(part for part in again.tracks if (part.node, part.property) == ("Camera", "location")).rows()[0]
    np.testing.assert_allclose(curve.evaluate(found, [1.9, 2.0, 2.9, 3.0])[0], [0.1, 0.4, 0.4, 0.1], atol=1e-6)


def test_a_curve_that_is_held_until_the_end_plays_as_before_until_there() -> None:
    """A camera in a recording whose switches have no keys, of which one would say how long it lasts."""
    own, imported = wave("Camera", 0), Imported(DATA / "v10_empty.bin")
    assert own.handles is not None
    own.handles.values[0] = own.handles.times / 2
    clip = armature("Camera", "Wrist.L", tracks=[own])
    imported.document = imported.exported(clip, version="1.0")
    last = dict(imported.document.curves())["Camera PositionX"].keys[-1:]
    last["out_tangent"], last["weighted_mode"] = 3.0, layout.WEIGHTED_IN
    document = imported.exported(replace(imported.changed().captured(), duration=5.0))
    (again,) = mrtk.to_clips(document, mrtk.ImportOptions(), Report())
    (row,) = [one for t in again.tracks for one in t.rows() if (one.property, one.component) == ("location", 0)]
    times = np.linspace(0.0, 4.9, 50)
    assert row.times[-1] == 5.0
    np.testing.assert_allclose(curve.evaluate(row, times), curve.evaluate(own, times) + 0.1, atol=1e-6)
    gaze = armature("Gaze", "GazeDirection", tracks=[wave("Gaze", 0), wave("GazeDirection", 1)])
    document = mrtk.from_clip(replace(gaze, duration=5.0), mrtk.ExportOptions(), Report())
    assert mrtk.describe(document)["duration"] == 5.0


@pytest.mark.parametrize("ulp", [0, 1])
def test_keys_between_which_single_precision_has_no_room_are_one(ulp: int) -> None:
    """Two steps at once, of whose keys there the last is left, and the first where it can lie before them."""
    near, next_one = 1.0 + np.array([ulp, ulp + 1]) * float(np.finfo(np.float32).eps)
    times = np.array([0.0, 6e-6, 6e-6, near, next_one, next_one, 3.0, 3.0, 3.0])
    values, shapes = np.arange(9.0)[None], np.full(9, Interpolation.LINEAR, np.uint8)
    clip = armature("Wrist.L", tracks=[Track("Wrist.L", "location", times, values, shapes, width=3)])
    document = mrtk.from_clip(clip, mrtk.ExportOptions(), Report())
    found = column(document, "Wrist.L PositionX", "time")
    assert (np.diff(found) > 0).all() and found[[0, 3, 4, 6]].tolist() == [0, near, next_one, 3] and found[5] > 2.99
    assert column(document, "Wrist.L PositionX", "value") == pytest.approx(np.array([0, 1, 2, 3, 5, 6, 8]) + 0.1)


def test_1_0_without_a_camera_has_one_pose_and_says_so() -> None:
    imported = Imported(DATA / "v11_flags" / "v11_cam0_hand1_gaze0.bin")
    report = Report()
    document = imported.exported(imported.captured(), report, version="1.0")
    assert document.camera is not None and len(report.warnings) == 1 and "1.0" in str(report.warnings[0])
    assert [part.keys["value"].tolist() for part in document.camera.curves] == [[0]] * 6 + [[1]]
    assert imported.exported(imported.captured(), version="1.1").camera is None
    bare, report = Imported(DATA / "v11_flags" / "v11_cam1_hand1_gaze1.bin"), Report()
    for part in bare.document.camera.curves if bare.document.camera is not None else ():
        part.keys = part.keys[:0]  # a camera of no keys, which 1.1 may have
    assert mrtk.write(bare.exported(bare.changed().captured())) == bare.data
    made = bare.exported(bare.captured(without("Gaze", "GazeDirection")), report, version="1.0")
    assert mrtk.describe(made)["camera"]
    assert [entry.template for entry in report.warnings] == [mrtk.messages.CAMERA_STANDS]
    empty, newest = Imported(DATA / "v10_empty.bin"), [{"version": "1.1"}, {"version": "1.0"}]
    assert mrtk.write(empty.exported(empty.captured())) == empty.data
    assert mrtk.FORMAT.following(mrtk.ExportOptions(), newest, Report()).version == "1.1"


def test_other_names_are_matched_or_given() -> None:
    clip = Clip("made", 2.0, 25.0, nodes=[Node("tip", original="index_tip_l")], tracks=[wave("tip", 0)])
    document = mrtk.from_clip(clip, mrtk.ExportOptions(), Report())
    assert len(column(document, "IndexTip.L PositionX", "time")) > 2
    clip = armature("bone=7", tracks=[wave("bone=7", 0)])
    for own in ({}, {"bone=7": "bone=8"}):  # what a person calls it by now
        clip.called, report = own, Report()
        table = f"{own.get('bone=7', 'bone=7')} = ThumbTip.R"
        document = mrtk.from_clip(clip, mrtk.ExportOptions(joint_names=table), report)
        assert len(column(document, "ThumbTip.R PositionX", "time")) > 2
        assert mrtk.messages.JOINT_BONE not in {entry.template for entry in report.warnings}
    clip.called = {}
    sideless = armature("wrist", "thumb-tip", "index-finger-tip", tracks=[wave("index-finger-tip", 0)])
    for unknown in (clip, sideless):
        with pytest.raises(FormatError, match="IndexTip"):
            mrtk.from_clip(unknown, mrtk.ExportOptions(), Report())
    document = mrtk.from_clip(sideless, mrtk.ExportOptions(one_hand="RIGHT"), Report())
    assert len(column(document, "IndexTip.R PositionX", "time")) > 2


def test_a_gaze_direction_may_be_alone() -> None:
    alone = mrtk.from_clip(armature("GazeDirection", tracks=[wave("GazeDirection", 0)]), mrtk.ExportOptions(), Report())
    assert column(alone, "Gaze DirectionX", "value")[0] == pytest.approx(0.1)


def test_a_gaze_that_turns_and_its_end_on_one_curve_look_one_way_all_the_time() -> None:
    ways = [wave("Gaze", axis) for axis in range(3)]
    ways = [replace(way, handles=Handles(way.handles.times, way.handles.times[None])) for way in ways if way.handles]
    ends = [replace(way, node="GazeDirection", values=way.values + 2.0) for way in ways]
    clip = armature("Gaze", "GazeDirection", tracks=[*ways, *ends, *turning("Gaze")])
    document = mrtk.from_clip(clip, mrtk.ExportOptions(), Report())
    np.testing.assert_allclose(column(document, "Gaze DirectionX", "value"), 2.0, atol=1e-6)


# --- The lost W --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("component", [0, 1])
def test_the_w_of_an_edited_rotation_is_written_whole(component: int) -> None:
    imported = Imported(WBUG)
    document = imported.exported(imported.captured(only("Palm.L", "rotation_quaternion", component, lift(3))))
    assert len(column(document, "Palm.L RotationW", "time")) == len(column(document, "Palm.L RotationX", "time"))
    assert len(column(document, "Palm.R RotationW", "time")) == 2
    imported = Imported(WBUG, hand_skeleton=True)
    assert mrtk.write(imported.exported(imported.captured())) == imported.data
    imported = Imported(WBUG, repair_w=False)
    file = NewFile(Path("w.bin"), mrtk.FORMAT, mrtk.ExportOptions(), Report())
    edited = imported.captured(only("Palm.L", "rotation_quaternion", component, lift(1)))
    place = finished(file.add(edited, source=Source(imported.document, imported.clip)))
    assert file.document is not None and place is not None
    assert len(column(file.document, "Palm.L RotationW", "time")) == 2, "as it was imported"
    finished(file.make())
    rows = [row for track in finished(file.played(place)).tracks if track.property == ROTATION for row in track.rows()]
    assert [len(row.times) for row in rows if (row.node, row.component) == ("Palm.L", 0)] == [2], "as MRTK plays it"


def test_turns_too_fast_for_lines_take_sixteen_keys_a_frame_and_are_named() -> None:
    """Half a turn back and forth within each of twelve frames, eased by a curve."""
    times, turn = np.arange(13) / 24.0, np.pi / 2 * (np.arange(13) % 2)
    values = np.stack([np.cos(turn), np.sin(turn), 0 * turn, 0 * turn])
    track = Track(
        "Palm.L", ROTATION, times, values, np.full(13, Interpolation.BEZIER, np.uint8),
        handles=Handles(np.full((13, 2), 1 / 72.0) * (-1, 1), np.zeros((4, 13, 2))),
    )  # fmt: skip
    straightener = Straightener({ROTATION: np.radians(0.02)}, 24.0)
    straight = straightener.track(track, ROTATION)
    assert len(straight.times) <= 13 + 16 * 12 and not (straight.interpolation == Interpolation.BEZIER).any()
    assert straightener.fast == ["Palm.L"] and straightener.errors[ROTATION] > np.radians(0.02)
    moments = np.linspace(0.0, 0.5, 5001)
    off = quaternion.distance(curve.evaluate(track, moments), curve.evaluate(straight, moments))
    straightener.track(replace(track, times=100 * times), ROTATION)  # which is less
    most = float(off.max())
    assert 0.9 * most < straightener.errors[ROTATION] < 1.3 * most and most < np.radians(1.0)
    straightener = Straightener({ROTATION: np.radians(0.02)}, 24.0)
    row = track.rows()[1]  # each component by itself may be off by an angle of which its number is a quarter
    straight = straightener.track(row, ROTATION)
    off = np.abs(curve.evaluate(row, moments) - curve.evaluate(straight, moments))
    assert 0.9 * 4 * off.max() < straightener.errors[ROTATION] < 1.3 * 4 * off.max()
    report, tracks = Report(), [track.but(width=4), wave("Palm.L", 0)]
    mrtk.from_clip(armature("Palm.L", tracks=tracks), mrtk.ExportOptions(location_tolerance=0.001), report)
    told = {entry.template: entry.values for entry in (*report.notes, *report.warnings)}
    for template in (mrtk.messages.STRAIGHTENED, mrtk.messages.TOO_FAST):
        assert 0.1 < told[template]["millimetres"] <= 1.0001
        assert 0.9 * np.degrees(most) < told[template]["degrees"] < 1.3 * np.degrees(most)
