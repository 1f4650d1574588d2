"""What other tools get wrong with W3D animations, one test each (those that need no Blender)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cases import slow

from io_formats import w3d
from io_formats.clip import Clip, Handles, Interpolation, Node, Track, TrackKind, ValueKind
from io_formats.clip.curve import evaluate
from io_formats.errors import Report
from io_formats.format import Destination
from io_formats.w3d import document as documents


def first_clip(data: bytes, **options: Any) -> Clip:
    return w3d.to_clips(w3d.read(data), w3d.ImportOptions(**options), Report())[0]


def made_from(*tracks: Track, frames: int = 11, nodes: list[Node] | None = None, **options: Any) -> Any:
    clip = Clip("x", (frames - 1) / 30, 30.0, nodes=nodes or [Node("a"), Node("b", "a")], tracks=list(tracks))
    return w3d.from_clip(clip, w3d.ExportOptions(**options), Report())


def linear(node: str, name: str, frames: Any, values: Any, width: int, **more: Any) -> Track:
    rows = np.atleast_2d(np.asarray(values, float))
    shapes = np.full(len(frames), Interpolation.LINEAR, np.uint8)
    return Track(node, name, np.asarray(frames, float) / 30, rows, shapes, width=width, **more)


def test_1_held_values_do_not_bulge_on_whole_frames(lay: Any, show: Any) -> None:
    values = [0.0, 0, 0, 5, 5, 5, 0, 0]
    clip = first_clip(lay.hierarchy() + lay.animation(lay.raw(0, values, 0, 1), frames=8))
    assert show(clip, range(8), 30)["HIP", "location"][0].tolist() == values


def test_2_no_segment_is_a_bezier_and_steps_step(golden: Any) -> None:
    for track in golden.clip().tracks:
        assert not (track.interpolation == Interpolation.BEZIER).any()
        assert track.handles is None


def test_3_outside_the_range_of_a_channel_is_identity(by_name: Any, show: Any) -> None:
    clip = by_name["g01_raw_trim_vis"].clip()
    shown = show(clip, [0, 3, 19, 23], 30)
    for node in clip.nodes:
        assert not shown[node.name, "location"].any()
        assert np.abs(shown[node.name, "rotation_quaternion"]).tolist() == [[1] * 4, [0] * 4, [0] * 4, [0] * 4]


def test_4_compressed_visibility_is_applied(by_name: Any) -> None:
    tracks = [track for track in by_name["g02_tc_default"].clip().tracks if track.property == "visibility"]
    assert [(track.node, track.values[0].tolist()) for track in tracks] == [("BONE_04", [1, 0, 1])]


def test_5_visible_is_not_hidden(lay: Any, show: Any) -> None:
    clip = first_clip(lay.hierarchy() + lay.animation(lay.bits(0, [1, 1, 0, 0], 1), frames=4))
    assert show(clip, range(4), 30)["HIP", "visibility"][0].tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("kind", [3, 4, 5, 15])
def test_6_odd_channel_types_do_not_abort_the_import(lay: Any, kind: int) -> None:
    data = lay.hierarchy() + lay.animation(lay.raw(0, [1.0], kind, 1), lay.raw(0, [2.0], 0, 1))
    assert "location" in [track.property for track in first_clip(data).tracks]


def test_7_flipped_quaternions_do_not_spin(by_name: Any) -> None:
    for track in by_name["g06_raw_flip"].clip().tracks:
        if track.property == "rotation_quaternion":
            values = track.values.astype(float)
            assert ((values[:, 1:] * values[:, :-1]).sum(axis=0) > 0).all()


def test_8_every_animation_of_a_file_is_read(by_name: Any) -> None:
    clips = w3d.to_clips(by_name["h04_multi_unknown_0"].document, w3d.ImportOptions(), Report())
    assert [clip.name for clip in clips] == ["H04A", "H04B"]


def test_9_and_10_codes_counts_and_pivots_are_unsigned(lay: Any) -> None:
    data = lay.compressed(lay.motion_keys([0, 0x8000 | 19], [0.0, 1.0], 0, 40000), version=0x10000)
    channel = w3d.read(data).animations[0].parts[1]
    assert (channel.pivot, channel.frames.tolist(), channel.steps.tolist()) == (40000, [0, 19], [False, True])


def test_11_container_bits_are_written_as_the_games_tools_do() -> None:
    track = linear("b", "location", [0, 10], [[1, 2]], 3)
    for flavor in ("RAW", "BFME_TIMECODED", "BFME_ADAPTIVE"):
        document = made_from(track, flavor=flavor)
        assert all(part.flagged for part in document.parts)
        assert not any(part.flagged for found in document.parts for part in found.parts)


def test_12_versions_before_3_are_shifted(lay: Any) -> None:
    hierarchy = lay.hierarchy(["HIP"], [-1], version=0x20000)
    clip = first_clip(hierarchy + lay.animation(lay.raw(0, [5.0], 0, 0), version=0x20000))
    assert [track.node for track in clip.tracks] == ["HIP"]


def test_13_an_animation_opens_without_its_skeleton(lay: Any) -> None:
    clip = first_clip(lay.animation(lay.raw(0, [1.0, 2.0], 0, 4)))
    assert [track.node for track in clip.tracks] == ["PIVOT_004"]


@pytest.mark.parametrize("name", [b"back\\slash", b"quo'te\"s", b"\xe4\xf6\xfc\xff", b"b'x'"])
def test_14_names_are_not_damaged(lay: Any, name: bytes) -> None:
    clip = first_clip(lay.hierarchy([b"ROOTTRANSFORM", name]) + lay.animation(lay.raw(0, [1.0], 0, 1)))
    assert clip.nodes[1].original.encode("latin-1") == name


def test_16_euler_and_scale_curves_do_not_become_translations() -> None:
    tracks = [linear("b", "scale", [0, 10], [[1, 3]], 3), linear("b", "rotation_euler", [0, 10], [[0, 3]], 3)]
    assert [part for part in made_from(*tracks).animations[0].parts[1:] if part.type < 3] == []


def test_18_timecoded_keys_follow_the_curve_and_start_at_0(show: Any) -> None:
    handles = Handles(np.array([[0, 0.1], [-0.1, 0]]), np.array([[[0, 4.0], [0, 0]]]))
    curve = Track(
        "b",
        "location",
        np.array([2.4, 9.0]) / 30,
        np.array([[0.0, 1.0]]),
        np.full(2, Interpolation.BEZIER, np.uint8),
        width=3,
        handles=handles,
    )
    channel = made_from(curve, flavor="TIMECODED").animations[0].parts[1]
    assert channel.frames[0] == 0
    found = np.interp(np.arange(11), channel.frames, channel.values[:, 0])
    assert np.abs(found - evaluate(curve, np.arange(11) / 30)[0]).max() <= 0.001


def test_18_uneven_quaternion_keys_are_no_error(show: Any, turn: Any) -> None:
    half = math.radians(30)
    tracks = [
        linear("b", "rotation_quaternion", [0, 10], [[1, math.cos(half)]], 4),
        linear("b", "rotation_quaternion", [0, 5, 10], [[0, math.sin(half) / 2, math.sin(half)]], 4, component=1),
    ]
    document = made_from(*tracks, flavor="TIMECODED")
    shown = show(w3d.to_clips(document, w3d.ImportOptions(), Report())[0], [10], 30)["B", "rotation_quaternion"]
    assert turn(shown, np.array([[math.cos(half)], [math.sin(half)], [0], [0]]))[0] < 0.05


def test_19_and_20_visibility_is_0x283_or_bits_with_default_1() -> None:
    blink = linear("b", "visibility", [0, 3, 6], [[1, 0, 1]], 1, kind=TrackKind.CUSTOM, value_kind=ValueKind.BOOL)
    blink.interpolation[:] = Interpolation.CONSTANT
    compressed = made_from(blink, flavor="TIMECODED").animations[0].parts[1]
    raw = made_from(blink).animations[0].parts[1]
    assert isinstance(compressed, documents.CompressedBitChannel)
    assert isinstance(raw, documents.BitChannel)
    assert raw.default == 1


def test_21_a_range_does_not_shift_the_channels_against_the_header() -> None:
    animation = made_from(
        linear("b", "location", range(21), [np.arange(21.0)], 3), frames=21, first_frame=5, frame_count=11
    ).animations[0]
    assert animation.header.frame_count == 11
    assert (animation.parts[1].first, animation.parts[1].last) == (0, 10)
    assert animation.parts[1].values[[0, -1], 0].tolist() == [5, 15]


def test_22_curves_of_unknown_bones_do_not_go_to_pivot_0() -> None:
    report = Report()
    clip = Clip("x", 10 / 30, 30.0, nodes=[Node("a")], tracks=[linear("ghost", "location", [0, 10], [[1, 2]], 3)])
    document = w3d.from_clip(clip, w3d.ExportOptions(), report)
    assert len(document.animations[0].parts) == 1
    assert len(report.warnings) == 1


def test_23_fixups_and_pivot_order_stay(by_name: Any, blender: Any, source_of: Any) -> None:
    golden = by_name["g01_raw_trim_vis"]
    source = source_of(golden.document)
    clip = blender(source.clip)
    clip.nodes[1:] = sorted(clip.nodes[1:], key=lambda node: -len(node.name))
    assert w3d.write(w3d.from_clip(clip, w3d.ExportOptions(), Report(), Destination(source=source))) == golden.data


@pytest.mark.parametrize("flavor", ["ADAPTIVE_DELTA", "BFME_ADAPTIVE"])
def test_24_adaptive_delta_and_fade_are_written(flavor: str, show: Any) -> None:
    tracks = [
        linear("b", "location", [0, 10], [[1, 2]], 3),
        linear("b", "fade", [0, 10], [[1, 0]], 1, kind=TrackKind.CUSTOM),
    ]
    shown = show(w3d.to_clips(made_from(*tracks, flavor=flavor), w3d.ImportOptions(), Report())[0], [0, 5, 10], 30)
    assert shown["B", "location"][0] == pytest.approx([1, 1.5, 2], abs=0.01)
    assert shown["B", "fade"][0] == pytest.approx([1, 0.5, 0], abs=0.01)


def shown_worst(golden: Any, made: Any, show: Any, turn: Any) -> tuple[float, float]:
    """Largest difference of any whole frame in degrees and units, seen through the reader."""
    before, after = (
        w3d.to_clips(document, w3d.ImportOptions(), Report(), skeleton=golden.skeleton)[0]
        for document in (golden.document, made)
    )
    frames = np.arange(golden.document.animations[0].header.frame_count)
    a, b = show(before, frames, 30), show(after, frames, 30)
    keys = [key for key in a if key in b]
    degrees = max(turn(a[key], b[key]).max() for key in keys if key[1] == "rotation_quaternion")
    return degrees, max(np.abs(a[key] - b[key]).max() for key in keys if key[1] == "location")


@pytest.mark.parametrize(
    ("name", "flavor", "better"),
    [
        ("g02_tc_default", "ADAPTIVE_DELTA", "Timecoded, or Uncompressed"),
        ("g02_tc_default", "BFME_ADAPTIVE", "Timecoded (Middle-earth)"),
        slow(("g09_ad_20b_200f", "ADAPTIVE_DELTA", "")),
    ],
)
def test_what_adaptive_delta_shows_wrongly_is_a_warning_in_degrees_and_units(
    by_name: Any, show: Any, turn: Any, name: str, flavor: str, better: str
) -> None:
    golden = by_name[name]
    clip = w3d.to_clips(golden.document, w3d.ImportOptions(), Report(), skeleton=golden.skeleton)[0]
    report = Report()
    made = w3d.from_clip(clip, w3d.ExportOptions(flavor=flavor), report, Destination(skeleton=golden.skeleton))
    degrees, units = shown_worst(golden, made, show, turn)
    told = next(entry for entry in [*report.warnings, *report.notes] if str(entry).startswith("adaptive delta"))
    assert (told in report.warnings) == (degrees > 1.0) == bool(better)
    assert better in str(told)
    assert float(told.values["degrees"]) == pytest.approx(degrees, rel=0.06)
    assert float(told.values["units"]) == pytest.approx(units, rel=0.06)
