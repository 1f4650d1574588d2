"""Clip to file: what nobody touched is the file's own, what somebody touched is what the games can play."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import slow
from lay import Lay
from through_blender import through_blender
from w3d_goldens import GOLDENS, source_of
from work import work_of

from io_formats import FormatError, w3d, w3x
from io_formats.clip import HIDE, Clip, Handles, Interpolation, Node, NodeKind, Track, TrackKind, ValueKind, messages
from io_formats.clip.curve import evaluate
from io_formats.errors import Report
from io_formats.files.steps import finished
from io_formats.format import Destination
from io_formats.saving import NewFile
from io_formats.w3d import document as documents
from io_formats.w3d.from_clip import shortened as names_shortened

FLAVORS = ["RAW", "TIMECODED", "ADAPTIVE_DELTA", "BFME_TIMECODED", "BFME_ADAPTIVE"]
LINEAR, CONSTANT = Interpolation.LINEAR, Interpolation.CONSTANT


def export(clip: Clip, report: Report | None = None, **more: Any) -> Any:
    given = {name: more.pop(name) for name in ("source", "into", "skeleton", "file", "chosen", "tell") if name in more}
    return w3d.from_clip(clip, w3d.ExportOptions(**more), report or Report(), Destination(**given))


def again(document: Any) -> Clip:
    """What the reader makes of the bytes."""
    return w3d.to_clips(w3d.read(w3d.write(document)), w3d.ImportOptions(), Report())[0]


def track(node: str, name: str, frames: Any, values: Any, shapes: Any = LINEAR, **more: Any) -> Track:
    rows = np.atleast_2d(np.asarray(values, np.float64))
    shape = np.broadcast_to(np.asarray(shapes, np.uint8), len(frames)).copy()
    width = {"location": 3, "rotation_quaternion": 4, "scale": 3}.get(name, 1)
    return Track(node, name, np.asarray(frames, float) / 30, rows, shape, width=width, **more)


def rig() -> list[Node]:
    lift = np.eye(4)
    lift[2, 3] = 1.0
    return [Node("hip", None, lift), Node("head", "hip", lift)]


def clip_of(*tracks: Track, frames: int = 11, name: str = "wave", **more: Any) -> Clip:
    return Clip(name, (frames - 1) / 30, 30.0, nodes=rig(), tracks=list(tracks), **more)


# --- Untouched and edited -----------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["RENEGADE", "GENERALS", "BFME"])
@pytest.mark.parametrize(("rate", "scale"), [(24.0, 1.0), (30.0, 0.01), (30000 / 1001, 1.0)])
def test_untouched_stays_untouched_for_every_engine_and_rate(
    golden: Any, engine: str, rate: float, scale: float
) -> None:
    source = source_of(golden.document, golden.skeleton, golden.index, engine=engine, scale=scale)
    report = Report()
    assert w3d.write(export(through_blender(source.clip, None, rate), report, source=source)) == golden.data
    assert report.warnings == []


# --- Every form ---------------------------------------------------------------------------------


def motion(frames: int) -> tuple[Any, Any]:
    at = np.arange(frames)
    location = np.array([np.sin(at / 7), 0.3 * np.cos(at / 3), at / frames])
    half = np.radians(70 * np.sin(at / 11)) / 2
    return location, np.array([np.cos(half), np.sin(half) * 0.6, np.sin(half) * 0.8, at * 0])


def moving(frames: int = 120) -> Clip:
    location, turned = motion(frames)
    tracks = [
        track("hip", "location", range(frames), location),
        track("head", "rotation_quaternion", range(frames), turned),
    ]
    return clip_of(*tracks, frames=frames)


def test_an_opacity_shows_a_pivot_until_it_is_next_to_nothing() -> None:
    fading = track("hip", "visibility", [0, 3, 5], [0.5, 0.05, 0.2], CONSTANT, kind=TrackKind.CUSTOM)
    switch = track("hip", "visibility", [0, 6], [0, 1], kind=TrackKind.CUSTOM, value_kind=ValueKind.BOOL)
    for own, shown in ((fading, [1, 0, 1]), (switch, [0, 0, 1])):  # a switch only where it is on, as in Blender
        seen = again(export(clip_of(own, frames=7)))
        (bits,) = (found for found in seen.tracks if found.property == "visibility")
        assert [float(evaluate(bits, np.array([at / 30]))[0, 0]) for at in (1, 3.5, 6)] == shown
    ((said,),) = w3d.FORMAT.in_own_words([fading], w3d.ExportOptions())
    assert said.values.tolist() == [[True, False, True]]
    held = [{kind for kind in NodeKind if own.FORMAT.holds(kind, TrackKind.RNA, HIDE)} for own in (w3d, w3x)]
    assert held == 2 * [{NodeKind.BONE}]


def test_a_late_first_key_gets_one_on_frame_0_and_one_beyond_the_end_is_cut_on_the_last_frame() -> None:
    late = track("hip", "location", [1, 5, 9], [[2, 4, 2]])
    channel = export(clip_of(late), flavor="TIMECODED").animations[0].parts[1]
    assert (channel.frames.tolist(), channel.values[:, 0].tolist()) == ([0, 1, 5, 9], [2, 2, 4, 2])
    arch = Handles(np.array([[0, 0.1], [-0.1, 0]]), np.array([[[0, 3.0], [3.0, 0]]]))  # ends where it begins
    bent = track("hip", "location", [0, 9], [[2, 2]], Interpolation.BEZIER, handles=arch)
    assert not channel.steps.any() and not export(clip_of(bent), flavor="TIMECODED").animations[0].parts[1].steps.any()
    channel = export(clip_of(track("hip", "location", [0, 12], [[0, 24]])), flavor="TIMECODED").animations[0].parts[1]
    assert (channel.frames.tolist(), channel.values[:, 0].tolist()) == ([0, 10], [0, 20])


def test_a_channel_without_keys_gets_some() -> None:
    empty = Lay.chunk(0x282, struct.pack("<IHBB", 0, 1, 4, 6))
    source = source_of(w3d.read(Lay.hierarchy() + Lay.compressed(empty, Lay.keys([0, 5], [[1.0], [2.0]], 0, 1))))
    turn = track(source.clip.tracks[0].node, "rotation_quaternion", [0, 5], [[1, 0], [0, 1], [0, 0], [0, 0]])
    made = export(replace(source.clip, tracks=[*source.clip.tracks, turn]), source=source)
    (channel,) = (part for part in made.animations[0].parts[1:] if part.type == 6)
    assert channel.values[[0, -1]].tolist() == [[0, 0, 0, 1], [1, 0, 0, 0]]


# --- Range, rate, names -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flavor", "most"), [("RAW", 65536), ("BFME_TIMECODED", 32768), slow(("BFME_ADAPTIVE", 65535))]
)
def test_more_frames_than_a_form_can_count_are_refused(flavor: str, most: int) -> None:
    long = track("hip", "location", [0, most - 1], [[1, 2]])
    written = w3d.write(export(clip_of(long, frames=most), flavor=flavor))
    assert w3d.read(written).animations[0].header.frame_count == most
    with pytest.raises(FormatError):
        export(clip_of(long, frames=most + 1), flavor=flavor)


def test_a_chosen_skeleton_takes_the_place_of_one_of_its_name() -> None:
    source = source_of(w3d.read(Lay.hierarchy() + Lay.animation(Lay.raw(0, [1.0], 0, 1))))
    longer = Lay.hierarchy(step=2.0)
    file = NewFile(Path("w.w3d"), w3d.FORMAT, w3d.ExportOptions(), Report(), skeleton=w3d.read(longer))
    finished(file.add(through_blender(source.clip), source=source))
    assert file.document is not None
    assert [hierarchy.records["translation"][1, 2] for hierarchy in file.document.hierarchies] == [2.0]
    into = w3d.read(Lay.hierarchy())  # whose own stays
    assert export(source.clip, into=into, skeleton=w3d.read(longer), chosen=True).hierarchies == into.hierarchies


@pytest.mark.parametrize(("moved", "pivots"), [("hip", 1), ("head", 2)])
def test_a_pivot_that_adaptive_delta_turns_and_moves_wrongly_is_one(moved: str, pivots: int) -> None:
    at, report = np.arange(40), Report()
    half = np.radians(3 * np.sin(at) + 90.0 * (at == 20)) / 2
    turns = track("hip", "rotation_quaternion", at, [np.cos(half), np.sin(half), 0 * half, 0 * half])
    moves = track(moved, "location", at, [3 * np.sin(at) + 100.0 * (at == 20)])
    export(clip_of(turns, moves, frames=40), report, flavor="ADAPTIVE_DELTA")
    (told,) = (entry.values for entry in report.warnings if "pivots" in entry.values)
    assert told["pivots"] == pivots and float(str(told["degrees"])) > 1.0 and float(str(told["units"])) > 1.0
    half, calm = at / 50, Report()  # wide, and with signs that turn nothing
    turns = replace(turns, values=np.where(at < 20, 1, -1) * [np.cos(half), np.sin(half), 0 * half, 0 * half])
    wide = track("hip", "location", at, [1000 * np.sin(at / 7)])
    export(clip_of(turns, wide, frames=40), calm, flavor="ADAPTIVE_DELTA")
    assert not calm.warnings


def test_a_skeleton_alone_comes_back_alone() -> None:
    document = w3d.read(Lay.hierarchy() + b"end")
    source = source_of(document)
    assert w3d.write(export(through_blender(source.clip), source=source)) == w3d.write(document)
    moved = through_blender(source.clip)
    moved.tracks.append(track("HIP", "location", [0, 10], [[0, 1]]))
    assert len(export(replace(moved, duration=10 / 30), source=source).animations) == 1


def test_a_name_that_was_asked_for_must_fit() -> None:
    made = export(clip_of(), animation_name="attack", hierarchy_name="man_skl")
    header = made.animations[0].header
    assert (documents.text(header.name), documents.text(header.hierarchy)) == ("ATTACK", "MAN_SKL")
    for option in ({"animation_name": "a" * 16}, {"hierarchy_name": "скелет"}):
        with pytest.raises(FormatError):
            export(clip_of(), **option)


# --- Skeleton -----------------------------------------------------------------------------------


def test_without_the_skeleton_there_is_the_animation_alone() -> None:
    """In a file that is there its skeleton stays."""
    document = export(moving(), include_skeleton="EXCLUDE")
    assert document.hierarchies == []
    assert len(document.animations) == 1
    held = w3d.read(Lay.hierarchy())
    assert export(moving(), include_skeleton="EXCLUDE", into=held).hierarchies == held.hierarchies
    named = [Node("PIVOT_001"), Node("hip"), Node("head")]  # as if it were of a skeleton that was not found
    assert export(replace(moving(), nodes=named)).hierarchies


def test_bones_without_a_pivot_are_told_and_included_on_demand() -> None:
    golden = GOLDENS["g01_raw_trim_vis"]
    source = source_of(golden.document)
    clip = through_blender(source.clip)
    clip.nodes.append(Node("Cape", "BONE_01"))
    clip.tracks.append(track("Cape", "location", range(24), [np.arange(24.0)]))
    report = Report()
    left_out = export(clip, report, source=source)
    assert w3d.write(left_out) == golden.data
    assert [(told.template, told.values["names"]) for told in report.warnings] == [(messages.NO_PIVOT, "Cape")]
    kept = source.document.hierarchies[0].first(documents.Fixups)
    kept.matrices = kept.matrices + 0.25
    included = export(clip, source=source, include_skeleton="INCLUDE")
    old, new = golden.document.hierarchies[0].records, included.hierarchies[0].records
    assert len(included.parts) == len(golden.document.parts)
    names = [[documents.text(bytes(name)) for name in found["name"]] for found in (old, new)]
    assert names[1] == [*names[0], "CAPE"]
    assert np.abs(new["translation"][:-1] - old["translation"]).max() < 1e-6
    assert included.animations[0].parts[:-1] == golden.document.animations[0].parts
    assert included.animations[0].parts[-1].pivot == 6
    fixups = included.hierarchies[0].first(documents.Fixups).matrices
    assert np.array_equal(fixups, [*kept.matrices, np.eye(4, 3)])
    name = golden.document.hierarchies[0].header.name.rstrip(b"\0")
    model = w3d.read(golden.data.replace(name, name[::-1]))
    included = export(clip, skeleton=model, include_skeleton="INCLUDE")
    assert included.hierarchies[0].header.name == model.hierarchies[0].header.name
    doubled = w3d.read(golden.data.replace(b"BONE_02", b"BONE_01"))
    kept = doubled.hierarchies[0].first(documents.Fixups)
    kept.matrices = kept.matrices + np.arange(len(kept.matrices))[:, None, None]
    source = source_of(doubled)
    clip = through_blender(source.clip)
    clip.nodes.append(Node("Cape", clip.nodes[1].name))
    clip.tracks.append(track("Cape", "location", range(24), [np.arange(24.0)]))
    included = export(clip, source=source, include_skeleton="INCLUDE")
    assert np.array_equal(included.hierarchies[0].first(documents.Fixups).matrices[:-1], kept.matrices)


@pytest.mark.parametrize("nodes", [[("A", "B"), ("B", "A")], [("A", None), ("B", "A"), ("A", "B")]])
def test_a_skeleton_in_a_circle_or_with_a_node_twice_is_not_written(nodes: list[tuple[str, str | None]]) -> None:
    clip = replace(clip_of(track("A", "location", [0, 10], [[0, 5]])), nodes=[Node(*node) for node in nodes])
    with pytest.raises(FormatError, match="each bone once, after the bone that it is parented to, found A twice"):
        export(clip)


def test_scale_of_one_is_no_matter_and_another_that_a_bone_keeps_is_told() -> None:
    turned = track(
        "head", "rotation_quaternion", [0, 5.0005], [[0.8, 0.6], [0, 0], [0, 0], [0.6, 0.8]], CONSTANT
    )  # on 5
    for size, told in ((1.0, []), (0.5, [messages.NO_SCALE, messages.SHEAR_DROPPED])):
        report = Report()
        made = again(export(clip_of(track("hip", "scale", [0, 10], [[size] * 2, [1, 1], [1, 1]]), turned), report))
        (found,) = [each for each in made.tracks if (each.node, each.property) == ("HEAD", "rotation_quaternion")]
        assert (evaluate(found, np.array([4, 5]) / 30)[0].argsort() == [1, 0]).all()
        assert [entry.template for entry in report.warnings] == told
        assert ("7 channels were worked out on each frame" in " ".join(map(str, report.notes))) == (size != 1.0)


# --- Into an existing file ----------------------------------------------------------------------


def names_in(document: Any) -> list[str]:
    return [documents.text(found.header.name) for found in document.animations]


def test_the_only_animation_of_a_file_stays_beside_one_of_another_name() -> None:
    report = Report()
    data = Lay.hierarchy() + Lay.animation(name="ONE")
    made = export(moving(), report, into=w3d.read(data), file="one")
    assert names_in(made) == ["ONE", "WAVE"]
    assert w3d.write(made).startswith(data)
    assert "WAVE was added beside ONE" in str(report.notes[0]) and not report.warnings


def model(hierarchy: str) -> Any:
    """A mesh, and the model that hangs it on a skeleton; the skeleton itself is in another file."""
    header = struct.pack("<II16s16s", 0x10000, 1, Lay.name("TANK"), Lay.name(hierarchy))
    return Lay.chunk(0, bytes(range(40)), flagged=True) + Lay.chunk(0x700, Lay.chunk(0x701, header), flagged=True)


@pytest.mark.parametrize("kind", ["skeleton", "animation", "model"])
def test_a_file_of_another_hierarchy_is_refused_with_both_names(kind: str) -> None:
    held = {
        "skeleton": Lay.hierarchy(name="TANK_SKL"),
        "animation": Lay.animation(name="WAVE", skeleton="TANK_SKL"),
        "model": model("TANK_SKL"),
    }
    with pytest.raises(FormatError, match=r"^tank\.w3d: ") as refused:
        export(replace(moving(), skeleton="Soldier"), into=w3d.read(held[kind]), file="tank")
    assert "SOLDIER" in str(refused.value).upper() and "TANK_SKL" in str(refused.value)
    made = export(replace(moving(), skeleton="tank_skl"), into=w3d.read(held[kind].replace(b"TANK_SKL", b"Tank_Skl")))
    assert w3d.write(made).upper().startswith(held[kind].upper()[: 0 if kind == "animation" else None])


def test_of_equal_names_the_one_of_the_own_hierarchy_is_replaced() -> None:
    first, second = Lay.animation(name="WAVE", skeleton="OTHER"), Lay.animation(name="WAVE", skeleton="Skel")
    made = export(replace(moving(), skeleton="SKEL"), into=w3d.read(first + second))
    assert w3d.write(w3d.Document([made.animations[0]])) == first
    assert names_in(made) == ["WAVE", "WAVE"]
    assert made.animations[1].header.frame_count == 120


# --- The name, by which the game finds the file -------------------------------------------------


@pytest.mark.parametrize("into", [False, True])
def test_a_new_animation_is_named_after_its_file(into: bool) -> None:
    report = Report()
    held = {"into": w3d.read(Lay.hierarchy())} if into else {}
    assert names_in(export(moving(), report, file="walk_01", **held)) == ["WALK_01"]
    assert report.warnings == []


def test_a_file_name_that_no_animation_can_have_is_told() -> None:
    report = Report()
    assert names_in(export(moving(), report, file="a_walk_in_the_park")) == ["A_WALK_IN_THE_P"]
    assert names_in(export(moving(), report, file="w€lk")) == ["W_LK"]
    told = " ".join(map(str, report.warnings))
    assert "will not find it in a_walk_in_the_park.w3d" in told and "w€lk is written as W_LK" in told


def test_a_name_that_was_asked_for_is_written_and_warned_of_if_the_game_cannot_find_it() -> None:
    report = Report()
    assert names_in(export(moving(), report, file="walk", animation_name="run")) == ["RUN"]
    assert "the animation RUN in RUN.w3d and will not find it in walk.w3d" in " ".join(map(str, report.warnings))
    report = Report()
    assert names_in(export(moving(), report, file="run", animation_name="Run")) == ["RUN"]
    assert report.warnings == []


@pytest.mark.parametrize(
    ("came_from", "goes_to", "name"),
    [("walk.w3d", "walk", "Walk"), ("walk.w3d", "run", "RUN"), ("pack.w3d", "run", "Walk")],
)
def test_an_edited_animation_that_was_found_by_its_file_is_found_by_the_new_one(
    came_from: str, goes_to: str, name: str
) -> None:
    document = w3d.read(Lay.hierarchy() + Lay.animation(Lay.raw(0, [1.0] * 10, 0, 1), name="Walk"))
    source = replace(source_of(document), file=came_from)
    clip = through_blender(source.clip, lambda _, keys: replace(keys, values=keys.values + 1))
    assert names_in(export(clip, source=source, file=goes_to)) == [name]
    assert names_in(export(clip, source=replace(source, renamed=True), file=goes_to)) == [goes_to.upper()]


def test_of_edited_animations_of_one_name_each_stays_in_its_place(tmp_path: Path) -> None:
    moves = [Lay.animation(Lay.raw(0, [height] * 10, 0, 1), name="WALK") for height in (1.0, 2.0)]
    document = w3d.read(Lay.hierarchy() + b"".join(moves))
    file = NewFile(tmp_path / "walk.w3d", w3d.FORMAT, w3d.ExportOptions(), Report())
    places = []
    for number in range(2):
        source = source_of(document, index=number)
        clip = through_blender(source.clip, lambda _, keys: replace(keys, values=keys.values + 8))
        places.append(finished(file.add(clip, source=source)))
    finished(file.make())
    assert [finished(file.played(place)).tracks[0].values.max() for place in places] == [9.0, 10.0]


def test_one_of_several_animations_keeps_its_name_in_any_file() -> None:
    """Of only one it is told when the bytes of its file get another name."""
    one, report = Lay.animation(Lay.raw(0, [1.0] * 10, 0, 1), name="WALK"), Report()
    two = one + Lay.animation(name="RUN")
    w3d.FORMAT.tell_new_name(w3d.read(two), "walk", "other", report)
    assert not report.warnings
    w3d.FORMAT.tell_new_name(w3d.read(one), "walk", "other", report)
    assert "will not find it in other.w3d" in str(report.warnings[0])
    source = replace(source_of(w3d.read(Lay.hierarchy() + two)), file="walk.w3d")
    clip = through_blender(source.clip, lambda _, keys: replace(keys, values=keys.values + 1))
    assert names_in(export(clip, source=source, file="other")) == ["WALK", "RUN"]


@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_quaternion_of_no_length_is_written_as_no_turn(flavor: str) -> None:
    """Four zeros would be any turn in a game."""
    turn = [[1, 0, math.cos(0.4)], [0, 0, 0], [0, 0, 0], [0, 0, math.sin(0.4)]]
    document = export(clip_of(track("hip", "rotation_quaternion", [0, 5, 10], turn, CONSTANT)), flavor=flavor)
    shown = again(document).tracks[0]
    assert np.allclose(evaluate(shown, np.array([7 / 30]))[:, 0], [1, 0, 0, 0], atol=0.02)


def test_a_channel_has_its_own_form_and_a_new_one_that_of_the_games_whose_version_the_file_has() -> None:
    bits = Lay.compressed(Lay.bit_keys([(0, 1), (4, 0)], 1), version=0x10000)
    source = source_of(w3d.read(Lay.hierarchy() + bits))
    clip = replace(source.clip, tracks=[*source.clip.tracks, track("HIP", "location", [0, 9], [[0, 5]])])
    parts = export(clip, source=source).animations[0].parts
    assert [type(part) for part in parts[1:]] == [documents.CompressedBitChannel, documents.MotionKeysChannel]
    deltas = Lay.chunk(0x284, struct.pack("<BBBBHHff17B", 0, 2, 1, 0, 10, 1, 0.1, 0, 8, *range(128, 144)))
    both = Lay.compressed(deltas, Lay.motion_keys([0, 9], [0, 5], 1, 1), version=0x10000)
    source = source_of(w3d.read(Lay.hierarchy() + both))
    for pace in (30, 15):  # also where all frames are other ones
        made = w3d.write(export(source.clip, source=source, file_rate=pace))
        assert [made[at + 9] for at in range(len(made)) if made[at : at + 4] == b"\x84\2\0\0"] == [2, 0]


def test_namespaces_stay_where_other_names_are_too_long() -> None:
    clip = clip_of(track("rig:hip", "location", [0, 10], [[0, 5]]))
    made = export(replace(clip, nodes=[Node("rig:hip"), Node("a_bone_of_a_long_name", "rig:hip")]))
    assert b"RIG:HIP" in w3d.write(made)


@pytest.mark.parametrize("flavor", ["TIMECODED", "BFME_TIMECODED"])
def test_keys_of_straight_lines_are_kept_even_without_a_tolerance(flavor: str) -> None:
    """What float32 and a sum in another order leave of a line is no error."""
    lines = track("hip", "location", [0, 3, 10], [[0.1, 0.77, 0.3], [0] * 3, [0] * 3])
    document = export(clip_of(lines), flavor=flavor, location_tolerance=0.0)
    assert document.animations[0].parts[1].frames.tolist() == [0, 3, 10]


# --- Without a skeleton, and from elsewhere -----------------------------------------------------


def test_old_versions_keep_counting_pivots_from_one_less() -> None:
    fixups = np.arange(24, dtype="<f4")
    hierarchy = Lay.hierarchy(["HIP", "HEAD"], [-1, 0], version=0x20000)[8:] + Lay.chunk(0x103, fixups.tobytes())
    hierarchy = Lay.chunk(0x100, hierarchy, flagged=True)
    document = w3d.read(hierarchy + Lay.animation(Lay.raw(0, [5.0] * 10, 0, 1), version=0x20000))
    source = source_of(document)
    for anew in ({"file_rate": 15}, *({"flavor": flavor} for flavor in FLAVORS)):  # in a version that counts the root
        assert [track.node for track in again(export(source.clip, source=source, **anew)).tracks] == ["HEAD"]
    more = replace(source.clip, nodes=[*source.clip.nodes, Node("Cape", "HEAD")])
    (built,) = export(more, source=source, include_skeleton="INCLUDE").hierarchies  # with the root in front
    assert np.array_equal(built.first(documents.Fixups).matrices[1:3].ravel(), fixups)


def test_many_bones_of_one_name_take_no_longer_each() -> None:
    def shortened(count: int) -> list[bytes]:
        return names_shortened(["BONE", "bone_1", "bone_2", *["Bone"] * count], Report())

    assert work_of(lambda: shortened(2000)) <= 2.2 * work_of(lambda: shortened(1000))
    fields = shortened(30_000)
    assert len(set(fields)) == 30_003
    assert fields[:4] == [name.ljust(16, b"\0") for name in (b"BONE", b"BONE_1", b"BONE_2", b"BONE_3")]


# --- Against the originals ----------------------------------------------------------------------


def test_fixups_and_pivot_order_stay() -> None:
    golden = GOLDENS["g01_raw_trim_vis"]
    source = source_of(golden.document)
    clip = through_blender(source.clip)
    clip.nodes[1:] = sorted(clip.nodes[1:], key=lambda node: -len(node.name))
    assert w3d.write(export(clip, source=source)) == golden.data


@pytest.mark.parametrize(("name", "original"), [("g02_tc_default", 3484), ("g03_tc_binmove", 4896)])
def test_fewer_bytes_than_the_original_encoder_on_the_same_motion(name: str, original: int) -> None:
    golden = GOLDENS[name]
    assert len(w3d.write(w3d.Document([golden.document.animations[0]]))) == original
    made = export(through_blender(golden.clip()), flavor="TIMECODED", skeleton=golden.skeleton)
    assert len(w3d.write(w3d.Document(list(made.animations)))) < original
