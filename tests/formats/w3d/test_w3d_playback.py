"""The engines' rules, each on a file small enough to see: what is shown, on and between frames."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from lay import Lay
from w3d_goldens import show

from io_formats import FormatError, w3d
from io_formats.clip import Interpolation
from io_formats.clip import messages as clip_messages
from io_formats.errors import Report
from io_formats.w3d import messages


def about_z(degrees: float) -> list[float]:
    """x, y, z, w"""
    half = math.radians(degrees) / 2
    return [0.0, 0.0, math.sin(half), math.cos(half)]


def clip_of(data: bytes, report: Report | None = None, **options: Any) -> Any:
    return w3d.to_clips(w3d.read(data), w3d.ImportOptions(**options), report or Report())[0]


def x_at(clip: Any, frames: Any, node: str = "HIP") -> list[float]:
    return [round(float(value), 6) for value in show(clip, frames, clip.rate)[node, "location"][0]]


# --- Raw ----------------------------------------------------------------------------------------


def test_raw_channels_are_identity_outside_their_range() -> None:
    clip = clip_of(Lay.hierarchy() + Lay.animation(Lay.raw(3, [4.0, 8.0, 6.0], 0, 1)))
    assert x_at(clip, [0, 1, 2, 3, 4, 5, 6, 9]) == [0, 0, 0, 4, 8, 6, 0, 0]
    assert x_at(clip, [2.5, 5.25]) == [2.0, 4.5]
    assert clip.tracks[0].inserted.tolist() == [True, False, False, False, True]
    odd = Lay.animation(*(Lay.raw(0, [1.0, 5.0 if kind == 0 else math.nan, 3.0], kind, 1) for kind in range(3)))
    tracks = clip_of(Lay.hierarchy() + odd).tracks  # a key that is no number goes without those of other axes
    assert [(track.component, len(track.values)) for track in tracks] == [(0, 1), (1, 1), (2, 1)]


def test_a_range_up_to_the_last_frame_ends_there() -> None:
    clip = clip_of(Lay.hierarchy() + Lay.animation(Lay.raw(7, [1.0, 2.0, 3.0], 0, 1)))
    assert x_at(clip, [6, 7, 9, 20]) == [0, 1, 3, 3]
    assert clip.duration == 9 / 30


@pytest.mark.parametrize("engine", ["GENERALS", "BFME"])
def test_generals_and_middle_earth_show_the_nearest_frame(engine: str) -> None:
    data = Lay.hierarchy() + Lay.animation(Lay.raw(2, [4.0, 8.0], 0, 1))
    clip = clip_of(data, engine=engine)
    assert x_at(clip, [0, 1, 1.49, 1.5, 2, 2.4, 2.6, 3, 3.49, 3.5, 9]) == [0, 0, 0, 4, 4, 4, 8, 8, 8, 0, 0]
    assert (clip.tracks[0].interpolation == Interpolation.CONSTANT).all()


def test_whole_frames_are_exact_at_the_files_rate() -> None:
    clip = clip_of(Lay.hierarchy() + Lay.animation(Lay.raw(0, np.arange(4000.0), 0, 1), frames=4000, rate=15))
    assert np.array_equal(np.rint(clip.tracks[0].times * 15), np.arange(4000))
    assert np.abs(clip.tracks[0].times * 15 - np.arange(4000)).max() < 1e-12
    assert clip.rate == 15


# --- Timecoded ----------------------------------------------------------------------------------


def test_a_flagged_key_is_jumped_to_and_the_last_key_holds() -> None:
    channel, other = (Lay.keys([0, 4, 8], [0.0, 4.0, 20.0], axis, 1, steps=[2, 1][axis:]) for axis in (0, 1))
    third = Lay.keys([0, 6, 8], [0.0, 6.0, 8.0], 2, 1)  # as many, elsewhere
    clip = clip_of(Lay.hierarchy() + Lay.compressed(channel, other, third, frames=20))
    assert x_at(clip, [0, 2, 4, 7.9, 8, 15]) == [0, 0, 4, 4, 20, 20]
    assert show(clip, [2, 6], 30)["HIP", "location"][1:].ravel().tolist() == pytest.approx([0, 12, 2, 6])


def test_a_late_first_key_and_unsorted_keys_are_told() -> None:
    report = Report()
    late, mixed = Lay.keys([4, 8], [1.0, 2.0], 0, 1), Lay.keys([0, 8, 4], [0.0, 8.0, 4.0], 1, 1, steps=[1])
    seen, turned = Lay.bit_keys([(0, 1), (8, 1), (4, 0)], 1), Lay.keys([4, 8], [about_z(0), about_z(9)], 6, 1)
    clip = clip_of(Lay.hierarchy() + Lay.compressed(late, mixed, turned, seen), report)
    assert show(clip, [2, 6, 9], 30)["HIP", "visibility"][0].tolist() == [1, 0, 1]
    assert x_at(clip, [0, 4, 6]) == [1, 1, 1.5]
    assert show(clip, [2, 6], 30)["HIP", "location"][1].tolist() == pytest.approx([2, 4])
    assert [(entry.template, entry.values) for entry in report.warnings] == [
        (messages.LATE_FIRST_KEY, {"channels": 2}),
        (messages.UNSORTED_KEYS, {"channels": 1}),
    ]


def test_middle_earth_goes_backwards_from_its_first_key() -> None:
    data = Lay.hierarchy() + Lay.compressed(Lay.motion_keys([4, 8], [1.0, 3.0], 0, 1), version=0x10000)
    assert x_at(clip_of(data), [0, 2, 4, 6, 9]) == [-1, 0, 1, 2, 3]
    assert clip_of(data).tracks[0].inserted.tolist() == [True, False, False]
    report = Report()
    assert x_at(clip_of(data, report, engine="RENEGADE"), [0, 2, 4, 6]) == [1, 1, 1, 2]
    assert [entry.template for entry in report.warnings] == [messages.LATE_FIRST_KEY]
    for codes, wanted in (([4, 4, 8], [1, 1, 2, 3]), ([4, 8 | 0x8000, 9], [1, 1, 1, 1])):  # of no length, or held
        data = Lay.hierarchy() + Lay.compressed(Lay.motion_keys(codes, [1.0, 2.0, 4.0], 0, 1), version=0x10000)
        assert x_at(clip_of(data), [0, 2, 4, 6]) == wanted


@pytest.mark.parametrize("padding", [b"\x13\x80", b""])
def test_a_step_bit_of_a_motion_channel_is_no_part_of_its_frame(padding: bytes) -> None:
    channel = Lay.motion_keys([0, 3, 7 | 0x8000], [0.0, 3.0, 9.0], 0, 1, padding)
    clip = clip_of(Lay.hierarchy() + Lay.compressed(channel, version=0x10000))
    assert x_at(clip, [0, 3, 5, 6.9, 7]) == [0, 3, 3, 3, 9]
    assert clip.tracks[0].times.min() == 0


# --- Rotations ----------------------------------------------------------------------------------


def test_great_arcs_are_followed_by_inserted_keys() -> None:
    data = Lay.hierarchy() + Lay.compressed(Lay.keys([0, 8], [about_z(0), about_z(160)], 6, 1))
    clip = clip_of(data)
    quaternion = show(clip, np.linspace(0, 8, 65), 30)["HIP", "rotation_quaternion"]
    angles = np.degrees(2 * np.arctan2(quaternion[3], quaternion[0]))
    assert np.abs(angles - np.linspace(0, 160, 65)).max() < 0.01
    assert clip.tracks[0].inserted.sum() > 0
    assert clip.tracks[0].inserted[[0, -1]].tolist() == [False, False]
    assert clip_of(data, engine="BFME").tracks[0].inserted is None


def test_near_rotations_get_no_keys() -> None:
    values = [about_z(13 * frame) for frame in range(10)]
    clip = clip_of(Lay.hierarchy() + Lay.animation(Lay.raw(0, values, 6, 1)))
    assert len(clip.tracks[0].times) == 10


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_flipped_signs_take_the_short_way(axis: int) -> None:
    values = np.array([about_z(25 * frame) for frame in range(10)]) * np.array([1, -1] * 5)[:, None]
    values[:, [axis, 2]] = values[:, [2, axis]]
    clip = clip_of(Lay.hierarchy() + Lay.animation(Lay.raw(0, values, 6, 1)))
    for at in (4.5, 8.5):
        quaternion = show(clip, [at], 30)["HIP", "rotation_quaternion"][:, 0]
        turn = math.degrees(2 * math.atan2(quaternion[1 + axis], quaternion[0])) % 360
        assert turn == pytest.approx(25 * at, abs=0.01)


def test_rotations_without_direction_become_none() -> None:
    report = Report()
    clip = clip_of(
        Lay.hierarchy() + Lay.animation(Lay.raw(0, [about_z(30), [0, 0, 0, 0], [0, 0, 0, 0]], 6, 1), frames=3), report
    )
    assert clip.tracks[0].values[:, 1].tolist() == [1, 0, 0, 0]
    assert [(entry.template, entry.values) for entry in report.warnings] == [(clip_messages.ZERO_ROTATION, {"keys": 2})]


# --- Visibility and fade ------------------------------------------------------------------------


def seen_at(clip: Any, frames: Any) -> list[float]:
    return [float(value) for value in show(clip, frames, clip.rate)["HIP", "visibility"][0]]


@pytest.mark.parametrize(("default", "outside"), [(1, 1.0), (0, 0.0), (255, 0.0)])
def test_only_a_default_of_one_is_visible(default: int, outside: float) -> None:
    clip = clip_of(Lay.hierarchy() + Lay.animation(Lay.bits(3, [1, 0, 0, 1], 1, default)))
    assert seen_at(clip, [0, 2, 2.99, 3, 4, 5.5, 6, 6.9, 7, 9]) == [outside] * 3 + [1, 0, 0, 1, 1] + [outside] * 2
    assert clip.nodes[1].shown_by == ("HIP", "visibility")
    clip = clip_of(Lay.hierarchy() + Lay.animation(Lay.bits(6, [1, 0, 0, 1], 1, default)))
    assert round(clip.tracks[0].times[-1] * 30) == 9


def test_compressed_visibility_holds_and_ignores_its_default() -> None:
    clip = clip_of(Lay.hierarchy() + Lay.compressed(Lay.bit_keys([(2, 0), (5, 1), (7, 0)], 1, default=1)))
    assert seen_at(clip, [0, 2, 4.9, 5, 6.9, 7, 9]) == [0, 0, 0, 1, 1, 0, 0]
    assert (clip.tracks[0].interpolation == Interpolation.CONSTANT).all()


def test_hiding_can_be_switched_off() -> None:
    data = Lay.hierarchy() + Lay.animation(Lay.bits(3, [1, 0], 1))
    assert clip_of(data, apply_visibility=False).nodes[1].shown_by is None
    assert clip_of(data, apply_visibility=False).tracks[0].property == "visibility"


def test_fade_is_one_outside_its_range() -> None:
    clip = clip_of(Lay.hierarchy() + Lay.animation(Lay.raw(4, [0.25, 0.5], 15, 1)))
    assert show(clip, [0, 3, 4, 5, 6, 9], 30)["HIP", "fade"][0].tolist() == [1, 1, 0.25, 0.5, 1, 1]


# --- Channels that do not play ------------------------------------------------------------------


def test_channels_past_the_skeleton_and_on_the_root_are_dropped_with_a_warning() -> None:
    report = Report()
    channels = [Lay.raw(0, [1.0], 0, 7), Lay.raw(0, [1.0], 0, 0), Lay.raw(0, [1.0], 0, 1), Lay.bits(0, [0], 9)]
    clip = clip_of(Lay.hierarchy() + Lay.animation(*channels), report)
    assert [track.node for track in clip.tracks] == ["HIP"]
    assert [(entry.template, entry.values) for entry in report.warnings] == [
        (clip_messages.ROOT_CHANNEL, {"channels": 1}),
        (messages.MISSING_PIVOT, {"channels": 2}),
    ]


def test_of_two_channels_for_the_same_the_last_plays() -> None:
    """The engine's loader puts each into its pivot's one place for its type."""
    report = Report()
    channels = [Lay.raw(0, [1.0] * 10, 0, 1), Lay.raw(0, [2.0] * 10, 0, 1), Lay.bits(0, [0], 1), Lay.bits(0, [1], 1)]
    clip = clip_of(Lay.hierarchy() + Lay.animation(*channels), report)
    assert x_at(clip, [5]) == [2.0]
    assert [(entry.template, entry.values) for entry in report.warnings] == [
        (clip_messages.DUPLICATE_CHANNEL, {"channels": 2})
    ]


def test_euler_channels_never_play() -> None:
    turns = (Lay.raw(0, np.radians([10.0 * at for at in range(10)]), kind, 1) for kind in (3, 4, 5))
    data, report = Lay.hierarchy() + Lay.animation(*turns), Report()
    assert clip_of(data, report).tracks == []
    assert ["Euler" in str(entry) for entry in report.warnings] == [True]


def test_unknown_types_and_widths_are_told() -> None:
    report = Report()
    bits = bytearray(Lay.bits(0, [1, 0], 1))
    bits[12] = 7
    channels = [*(Lay.raw(0, [1.0], 9, pivot) for pivot in (1, 2)), Lay.raw(0, [about_z(0)], 0, 1), bytes(bits)]
    clip = clip_of(Lay.hierarchy() + Lay.animation(*channels), report)
    assert clip.tracks == clip_of(Lay.hierarchy() + Lay.compressed(Lay.bit_keys([], 1))).tracks == []
    told = [(entry.values["type"], entry.values["width"], entry.values["channels"]) for entry in report.warnings]
    assert told == [(9, 1, 2), (0, 4, 1), (7, 1, 1)]


def test_every_animation_of_a_file_is_a_clip() -> None:
    data = (
        Lay.hierarchy() + Lay.animation(Lay.bits(0, [0], 1), name="ONE") + Lay.compressed(name="TWO", rate=15)
        + Lay.animation(Lay.bits(0, [0], 2), name="THREE")
    )  # fmt: skip
    clips = w3d.to_clips(w3d.read(data), w3d.ImportOptions(), Report())
    assert [[node.name for node in clip.nodes if node.shown_by] for clip in clips] == [["HIP"], [], ["HEAD"]]
    assert [(clip.name, clip.rate) for clip in clips] == [("ONE", 30), ("TWO", 15), ("THREE", 30)]


def test_a_file_without_animation_or_skeleton_says_so() -> None:
    with pytest.raises(FormatError):
        w3d.to_clips(w3d.read(Lay.chunk(0x7777, b"x")), w3d.ImportOptions(), Report())
    alone = w3d.to_clips(w3d.read(Lay.hierarchy()), w3d.ImportOptions(), Report())
    assert [(clip.name, clip.tracks, len(clip.nodes)) for clip in alone] == [("SKEL", [], 3)]


# --- Before version 3 ---------------------------------------------------------------------------


def test_before_version_3_the_root_is_added_and_pivots_count_from_one() -> None:
    hierarchy, report = Lay.hierarchy(["HIP", "HEAD"], [-1, 0], version=0x20000), Report()
    channels = Lay.raw(0, [5.0] * 10, 0, 1), Lay.bits(0, [0], 0), Lay.bits(0, [0], 1)
    clip = clip_of(hierarchy + Lay.animation(*channels, version=0x20000), report)
    assert [node.parent for node in clip.nodes] == [None, "RootTransform", "HIP"] and clip.nodes[2].name == "HEAD"
    assert x_at(clip, [3], "HEAD") == [5.0] and not report.warnings


def test_from_version_3_on_the_file_holds_the_root_and_counts_it() -> None:
    hierarchy = Lay.hierarchy(["ROOT", "HIP", "HEAD"], version=0x30000)
    clip = clip_of(hierarchy + Lay.animation(Lay.raw(0, [5.0] * 10, 0, 1), version=0x30000))
    assert [(node.name, node.parent) for node in clip.nodes] == [("ROOT", None), ("HIP", "ROOT"), ("HEAD", "HIP")]
    assert x_at(clip, [3], "HIP") == [5.0]


def test_the_import_scale_is_the_roots() -> None:
    clip = clip_of(Lay.hierarchy() + Lay.animation(Lay.raw(0, [5.0] * 10, 0, 1)), scale=0.01)
    assert np.array_equal(clip.root, np.diag([0.01, 0.01, 0.01, 1]))
    assert clip.tracks[0].values[0, 0] == 5.0
