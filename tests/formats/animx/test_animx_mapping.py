"""What a file becomes: curves that play by the engine's rule, in the right axes, on the right kind of property."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import animx
from io_formats.animx import layout
from io_formats.animx import messages as animx_messages
from io_formats.animx.document import Document, Track
from io_formats.animx.layout import Mode, TrackType
from io_formats.clip import Clip, Interpolation, TrackKind, ValueKind, curve
from io_formats.errors import FormatError, Report

DATA = Path(__file__).parents[2] / "data" / "animx"


def clip_of(document: Document, report: Report | None = None, **options: Any) -> Clip:
    (clip,) = animx.to_clips(document, animx.ImportOptions(**options), report or Report())
    return clip


def read(name: str) -> Document:
    path = DATA / name
    return animx.read(path.read_bytes())


def document_of(value_type: str, values: Any, times: Any = None, **fields: Any) -> Document:
    """One track: Raw without times, else a Curve."""
    array = np.array(values, layout.VALUE_TYPES[layout.IDS[value_type]].base)
    kind = TrackType.RAW if times is None else TrackType.CURVE
    modes = fields.pop("modes", [Mode.LINEAR])
    track = Track(kind, layout.IDS[value_type], fields.pop("node", "N"), fields.pop("property", "p"), array, **fields)
    if times is not None:
        track.times = np.array(times, np.float32)
        track.interpolation = np.array(modes, np.uint8)
        track.flags |= len(modes) > 1
    return Document("d", np.float32(1), [track])


# --- The engine's rule, one number at a time and with nothing of ours ----------------------------------------------


def engine(keys: list[tuple[Any, ...]], time: float) -> float:
    """Hold outside; Hold, lerp (bools switch halfway), Hermite over the unit interval, Bezier at thirds.

    Args:
        keys: seconds, mode, number, tangents before and after; the mode is a name, that of a bool's line None.
    """
    at = max((number for number, key in enumerate(keys) if key[0] <= time), default=0)
    first, mode, start, _, right = keys[at]
    if time < first or at == len(keys) - 1 or mode is Mode.HOLD:
        return start
    last, _, end, left, _ = keys[at + 1]
    u = (time - first) / (last - first)
    v = 1 - u
    if mode is None:
        return end if u >= 0.5 else start
    if mode is Mode.LINEAR:
        return v * start + u * end
    if mode is Mode.CUBIC_BEZIER:
        return v**3 * start + 3 * v * v * u * right + 3 * v * u * u * left + u**3 * end
    hermite = (2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, u**3 - u**2, 3 * u**2 - 2 * u**3)
    return sum(weight * part for weight, part in zip(hermite, (start, right, left, end), strict=True))


@pytest.mark.parametrize(
    "kind", [kind for kind in layout.VALUE_TYPES if kind.name != "string"], ids=lambda kind: kind.name
)
def test_every_type_plays_as_in_the_engine(kind: layout.ValueType) -> None:
    """Keys of all modes in any order, near and far apart; 4 is a CubicBezier, too."""
    rng, count, is_bool = np.random.default_rng(layout.IDS[kind.name]), 30, kind.name.startswith("bool")
    times = np.cumsum(rng.uniform(0.02, 2.0, count)).astype(np.float32)
    modes = rng.permutation(np.arange(count) % 5)
    share = 0.37 if np.dtype(kind.base).kind == "f" else 1
    parts = [rng.integers(0, 3 if kind.name == "bool" else 100, (count, *kind.shape)) * share for _ in range(3)]
    values, left, right = (part.astype(kind.base) for part in parts)
    order = rng.permutation(count) if layout.IDS[kind.name] % 2 else np.arange(count)  # of the file
    of_file = {"modes": modes[order], "left": left[order], "right": right[order]}
    document = document_of(kind.name, values[order], times[order], **of_file)
    (track,) = clip_of(document).tracks
    values = np.minimum(values, 1) if kind.name == "bool" else values  # of which any other byte than 0 is true
    asked = rng.uniform(-1.0, times[-1] + 1.0, 200)
    told = [Mode.HOLD, *[None] * 4] if is_bool else [*Mode, Mode.CUBIC_BEZIER]
    for at, row in enumerate(curve.evaluate(track, asked)):
        numbers = [
            (part >> at & 1 if is_bool else part.reshape(count, -1)[:, at]).tolist() for part in (values, left, right)
        ]
        keys = list(zip(times.tolist(), [told[mode] for mode in modes], *numbers, strict=True))
        factor = 1 / 255 if kind.name == "color32" else 1.0
        assert row == pytest.approx([engine(keys, time) * factor for time in asked], rel=1e-5, abs=1e-4 * factor)


# --- Space -------------------------------------------------------------------------------------------------------


def pose_document() -> Document:
    """One slot, moved to (1, 2, 3) and turned by a third of a turn about (1, 1, 1), seen by the engine."""
    parts = [("Position", "float3", [[1, 2, 3]]), ("Rotation", "floatQ", [[0.5, 0.5, 0.5, 0.5]])]
    parts.append(("Scale", "float3", [[1, 2, 4]]))
    tracks = [document_of(kind, values, property=name).tracks[0] for name, kind, values in parts]
    return Document("pose", np.float32(1), tracks)


def test_manual_axes_must_differ() -> None:
    with pytest.raises(FormatError):
        clip_of(pose_document(), axes="MANUAL", forward_axis="Y", up_axis="-Y")


# --- Kinds -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value_type", "modes", "kind", "width"),
    [
        ("bool", [1], ValueKind.BOOL, 1),
        ("bool3", [0], ValueKind.BOOL, 3),
        ("byte", [0], ValueKind.INT, 1),
        ("short", [0, 0, 2], ValueKind.INT, 1),
        ("byte", [1], ValueKind.FLOAT, 1),
        ("int", [0], ValueKind.FLOAT, 1),
        ("double4", [1], ValueKind.FLOAT, 4),
        ("float4x4", [1], ValueKind.FLOAT, 16),
        ("color", [1], ValueKind.COLOR, 4),
        ("color32", [1], ValueKind.COLOR, 4),
    ],
)
def test_kinds_of_custom_properties(value_type: str, modes: list[int], kind: ValueKind, width: int) -> None:
    stored = layout.VALUE_TYPES[layout.IDS[value_type]].shape
    clip = clip_of(document_of(value_type, np.ones((3, *stored)), [0, 0.5, 1], modes=modes, property="Active"))
    (track,), (node,) = clip.tracks, clip.nodes
    assert (track.kind, track.value_kind, track.width) == (TrackKind.CUSTOM, kind, width)
    assert (node.shown_by is not None) is (value_type == "bool")


def test_the_property_must_have_the_type() -> None:
    clip = clip_of(document_of("float4", np.ones((1, 4)), property="Rotation"))
    assert (clip.tracks[0].kind, clip.tracks[0].property) == (TrackKind.CUSTOM, "Rotation")
    clip = clip_of(document_of("doubleQ", [[0, 0, 0, 1]], property="Rotation"))
    assert clip.tracks[0].property == "rotation_quaternion"
    clip = clip_of(document_of("double", [1], property="BlendShape.Smile"))
    assert (clip.tracks[0].kind, clip.tracks[0].property) == (TrackKind.SHAPE_KEY, "Smile")


def test_numbers_beyond_single_precision_are_reported() -> None:
    report = Report()
    clip_of(document_of("long", [2**24 + 1, 5, 2**63 - 1], interval=np.float32(1)), report)
    clip_of(document_of("double", [0.1, 0.5], interval=np.float32(1)), report)
    counts = [entry.values["values"] for entry in report.warnings]
    assert counts == [2, 1]
    assert {entry.template for entry in report.warnings} == {animx_messages.SINGLE_PRECISION}


# --- Names, times, what cannot play ------------------------------------------------------------------------------


def test_names_are_unique_and_never_empty() -> None:
    names = ["", "unnamed", "a.b", "日本", "", "\udc80", "\udc81", "\ufffd.001", "\udc82"]
    tracks = [document_of("float", [1], node=name, property=f"p{at}").tracks[0] for at, name in enumerate(names)]
    clip = clip_of(Document("n", np.float32(1), tracks))
    assert [node.original for node in clip.nodes] == [*names[:4], "\ufffd", "\ufffd", "\ufffd.001", "\ufffd"]
    taken = ["unnamed.001", *names[1:4], "\ufffd", "\ufffd.002", "\ufffd.001", "\ufffd.003"]
    assert [node.name for node in clip.nodes] == taken and not clip.parents_known


def test_the_first_of_two_equal_tracks_plays() -> None:
    first = document_of("float3", [[1, 2, 3]], property="Position").tracks[0]
    second = document_of("float3", [[9, 9, 9]], property="Position").tracks[0]
    report = Report()
    clip = clip_of(Document("n", np.float32(1), [first, second]), report)
    assert len(clip.tracks) == 1
    assert clip.tracks[0].values[:, 0].tolist() == [-1, 2, 3]
    assert [(entry.template, entry.count) for entry in report.warnings] == [(animx_messages.DOUBLE_TRACK, 1)]
    alike = [document_of("float", [1], property=name).tracks[0] for name in ("\udc80", "\udc81")]  # as they are shown
    assert len(clip_of(Document("n", np.float32(1), alike)).tracks) == 1


def test_a_text_that_stays_the_same_is_one_marker() -> None:
    values = [None, "one", "one", None, "", "two"]
    track = Track(TrackType.RAW, layout.IDS["string"], "Node", "Text", values, interval=np.float32(1))
    clip = clip_of(Document("n", np.float32(6), [track]))
    assert [(marker.time, marker.text) for marker in clip.markers] == [(1, "one"), (3, ""), (5, "two")]
    track = replace(track, track_type=TrackType.DISCRETE, times=np.float32([0, np.nan, 2, 3, 4, 5]))
    assert [marker.time for marker in clip_of(Document("n", np.float32(6), [track])).markers] == [3, 5]


def test_empty_tracks_are_left_out_with_a_warning() -> None:
    report = Report()
    clip = clip_of(read("12_zero_keys.animx"), report)
    assert clip.tracks == [] == clip_of(document_of("float", [1], [np.nan])).tracks
    assert sum(entry.count for entry in report.warnings if entry.template == animx_messages.ZERO_KEYS) == 3


def test_duration_from_the_keys() -> None:
    assert clip_of(read("14_duration0_vt.animx")).duration == 2.0
    assert clip_of(read("animj/ok_no_duration.animj")).duration == 1.0
    clip = clip_of(replace(document_of("float", [1, 2, 3, 4, 5], [0, 5, np.inf, 1, 1]), duration=np.float32(0)))
    assert clip.duration == 5.0 and clip.tracks[0].values.tolist() == [[1, 4, 5, 2]]


def test_raw_keys_lie_an_interval_apart() -> None:
    clip = clip_of(document_of("float", [3, 4, 6], interval=np.float32(0.25)))
    assert clip.tracks[0].times.tolist() == [0, 0.25, 0.5]
    assert clip.tracks[0].interpolation.tolist() == [Interpolation.LINEAR] * 3
    report = Report()
    clip = clip_of(document_of("float", [3, 4, 6], interval=np.float32(0)), report)
    assert clip.tracks[0].values.tolist() == [[3]]
    assert [entry.template for entry in report.warnings] == [animx_messages.NO_INTERVAL]


def test_long_turns_play_and_are_reported() -> None:
    """A turn that is held until it jumps goes no way."""
    turns, modes = [[0, 0, 0, 1], [0, 0, 0, -1], [0, 0, 0, 1]], [Mode.LINEAR, Mode.HOLD, Mode.HOLD]
    report = Report()
    clip = clip_of(document_of("floatQ", turns, [0, 1, 2], property="Rotation", modes=modes), report)
    assert clip.tracks[0].values[0].tolist() == [1, -1, 1]
    assert [(entry.template, entry.count) for entry in report.warnings] == [(animx_messages.LONG_TURNS, 1)]


def test_times_of_the_same_bytes_in_another_precision_are_no_equal_times() -> None:
    """One key at 0 of a Raw track, in double precision, and two keys at 0."""
    document = document_of("float", [[1.0]])
    document.tracks += document_of("float", [[1.0], [2.0]], [0.0, 0.0], node="M").tracks
    many = [[*range(9), last] for last in (9.0, 10.0)]  # which only end otherwise
    document.tracks += [document_of("float", np.ones((10, 1)), each, node=f"N{each[-1]}").tracks[0] for each in many]
    assert [(len(track.times), track.times[-1]) for track in clip_of(document).tracks] == [
        (1, 0),
        (2, 0),
        (10, 9),
        (10, 10),
    ]


def test_an_order_in_which_times_fall_is_refused() -> None:
    document = read("06_bezier_vt_lr.animx")
    for track in document.tracks:  # two keys at one time are in order
        track.times = np.append(track.times[:1], track.times[:-1])
    with pytest.raises(FormatError, match="choose the Key Order Automatic"):
        clip_of(document, key_order="TIME")


# --- Bodies ------------------------------------------------------------------------------------------------------


def walking(*left: str) -> Document:
    """The sample of a walk, of whose places those of some joints are left."""
    document = animx.read((DATA.parents[2] / "samples" / "walk.animj").read_bytes())
    document.tracks = [track for track in document.tracks if track.property == "Rotation" or track.node in left]
    return document


@pytest.mark.parametrize(("name", "odd"), [("Position", 1e9), ("Rotation", 0.0)])
def test_what_is_on_no_earth_or_turns_nowhere_is_no_body(name: str, odd: float) -> None:
    assert clip_of(walking("Hips", "LeftHand")).parents_known
    document = walking("Hips", "LeftHand")
    (track,) = (track for track in document.tracks if (track.node, track.property) == ("LeftHand", name))
    track.values[-1:] = odd
    assert not clip_of(document).parents_known


def shin(document: Document, scale: float = 1.0) -> float:
    """How long the left one is, by the rest of the foot at its end."""
    foot = clip_of(document, scale=scale).node("LeftFoot")
    return float(np.linalg.norm(foot.rest[:3, 3])) if foot is not None else 0.0


def test_a_body_without_places_is_as_large_as_its_hips_are_high() -> None:
    """As a person where these are on the ground, or not there."""
    tall, flat, bare = (walking("Hips") for _ in range(3))
    tall.tracks[0].values[:, 1] *= 2
    flat.tracks[0].values[:, 1] = 0
    bare.tracks = [track for track in bare.tracks if track.node != "Hips"]
    assert shin(tall, 3.0) == pytest.approx(shin(tall)) == pytest.approx(2 * shin(walking("Hips")), rel=1e-4)
    assert shin(flat) == shin(bare) == pytest.approx(0.41, abs=0.03)
