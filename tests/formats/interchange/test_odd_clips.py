"""Clips that no ordinary file holds: what .glb, .csv and .npz make of them."""

from __future__ import annotations

import csv
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import slow

from io_formats import INTERCHANGE
from io_formats import clip as model
from io_formats.clip import BEZIER, LOCATION, ROTATION, SCALE, Clip, Handles, Marker, Node, Track, TrackKind, Wrap
from io_formats.errors import FormatError, Report
from io_formats.files import memory
from io_formats.files.batch_files import Outputs
from io_formats.files.steps import finished
from io_formats.interchange import CSV, GLB, NPZ, tables
from io_formats.interchange.kind import AnyInterchange, NewInterchange
from tests.support.gltf_player import Array, Glb, played

NAN, INF = float("nan"), float("inf")


def written(kind: AnyInterchange, clip: Clip, folder: Path, scale: float = 1.0) -> tuple[Path, list[str]]:
    """A file of a clip, and what was said; a warning of numpy's, which a person would see, is an error."""
    report, shares = Report(), list[float]()
    path, options = folder / f"odd{kind.extensions[0]}", kind.write_options(scale=scale)
    file = NewInterchange(path, kind, options, report, Outputs())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        finished(file.add(clip))
        finished(file.write(), shares.append)
    assert shares == sorted(shares) and shares[0] > 0 and 0.99 < shares[-1] <= 1
    return file.path, [str(entry) for entry in report.warnings]


def numbers_of(path: Path) -> list[Array]:
    """All numbers of poses and times in a file."""
    if path.suffix == ".glb":
        return [part for times, values, _ in Glb.read(path).curves().values() for part in (times, values)]
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return [values for values in arrays.values() if values.dtype.kind == "f"]
    return [np.array([[float(row[name]) for name in list(row)[2:]] for row in rows_of(path)])]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def moved(values: Any, times: Any = (0.0, 1.0, 2.0), name: str = LOCATION, **fields: Any) -> Clip:
    track = Track.sampled("a", name, np.array(times), np.array(values, float), **fields)
    return Clip("odd", duration=2.0, nodes=[Node("a")], tracks=[track])


@pytest.mark.parametrize("kind", INTERCHANGE, ids=lambda kind: kind.extensions[0])
@pytest.mark.parametrize("wrong", [NAN, INF, -INF])
@pytest.mark.parametrize("name", [LOCATION, ROTATION, SCALE])
def test_keys_that_are_no_numbers_are_left_out_and_told(
    kind: AnyInterchange, wrong: float, name: str, tmp_path: Path
) -> None:
    """As an import into Blender leaves them out; a length that is none counts as 0."""
    values = [[0.5, wrong, 0.25], [0.0, 0.0, 0.5], [0.25, 0.5, 0.0]] + [[0.0, 0.0, 0.5]] * (name == ROTATION)
    clip = moved(values, (0.0, 0.25, 0.5), name)
    clip.duration = wrong
    path, said = written(kind, clip, tmp_path)
    assert said == [f"a key whose time or value is not a finite number was left out (a {name})"]
    assert all(np.isfinite(numbers).all() for numbers in numbers_of(path))
    if kind is GLB and name == LOCATION:
        assert [times.tolist() for times, _, _ in Glb.read(path).curves().values()] == [[0.0, 0.5]]
    if kind is NPZ and name == LOCATION:
        with np.load(path) as arrays:
            assert (arrays["duration"], arrays["times"].tolist()) == (0.0, [0.0, 0.5])
            assert arrays["positions"][:, 0].tolist() == [[0.5, 0.0, 0.25], [0.25, 0.5, 0.0]]


@pytest.mark.parametrize("kind", INTERCHANGE, ids=lambda kind: kind.extensions[0])
@pytest.mark.parametrize(("place", "time"), [(1.0, 5e38), (1.7e308, 0.5)])
def test_a_key_beyond_all_numbers_is_left_out(kind: AnyInterchange, place: float, time: float, tmp_path: Path) -> None:
    """Raw tracks of AnimX come so far: 500 keys that are 1e36 s apart, where single precision ends at 3.4e38 s."""
    path, said = written(kind, moved(np.diag([1.0, 1.0, place]), (0.0, 0.25, time)), tmp_path, scale=2.0)
    assert said == ["a key whose time or value is not a finite number was left out (a location)"]
    assert all(np.isfinite(numbers).all() for numbers in numbers_of(path))


@pytest.mark.parametrize("kind", INTERCHANGE, ids=lambda kind: kind.extensions[0])
@pytest.mark.parametrize("at", [0, 1])
def test_a_handle_that_is_no_number_makes_a_step(kind: AnyInterchange, at: int, tmp_path: Path) -> None:
    handles = Handles(np.tile([-0.3, 0.3], (3, 1)), np.zeros((3, 3, 2)))
    handles.values[0, at, 1] = INF
    shapes = np.where(np.arange(3) == at, BEZIER, model.LINEAR)
    clip = moved([[1.0, 2.0, 3.0]] * 3, interpolation=shapes, handles=handles)
    path, said = written(kind, clip, tmp_path)
    assert said == ["a segment with an infinite handle was made constant"]
    if kind is GLB:
        (curve,) = Glb.read(path).curves().values()
        found = np.abs(played(curve, np.array([0.9, 1.9]), "translation"))
        assert (found[at] == at + 1).all() and found[1 - at] == pytest.approx(2.9 - at)
    assert all(np.isfinite(numbers).all() for numbers in numbers_of(path))


@pytest.mark.parametrize("kind", INTERCHANGE, ids=lambda kind: kind.extensions[0])
@pytest.mark.parametrize("name", [LOCATION, SCALE])
def test_the_largest_numbers_that_there_are_stay_numbers(kind: AnyInterchange, name: str, tmp_path: Path) -> None:
    clip = moved(np.float32([[-3e38, 3e38, 0]] * 3), name=name)
    clip.tracks[0].values = clip.tracks[0].values.astype(np.float32)
    clip.nodes.append(Node("b", parent="a"))
    clip.tracks.append(Track.sampled("b", SCALE, np.array([0.0, 2.0]), np.full((3, 2), 1e30)))
    path, said = written(kind, clip, tmp_path)
    assert not said and all(np.isfinite(numbers).all() for numbers in numbers_of(path))


def test_a_turn_has_length_one_a_moment_before_it_jumps(tmp_path: Path) -> None:
    """A jump beside straight lines gets a key on the line, where a quaternion is shorter than 1."""
    angles = np.radians([0.0, 34.0, 80.0, 80.0]) / 2
    values = np.stack((np.cos(angles), np.sin(angles), 0 * angles, 0 * angles))
    clip = moved(values, times=(0.5, 0.5008, 0.5008, 1.0), name=ROTATION)
    path, _ = written(GLB, clip, tmp_path)
    ((times, turns, shape),) = Glb.read(path).curves().values()
    assert shape == "LINEAR" and np.isclose(times, 0.5004, atol=1e-6).any()
    assert np.abs(np.linalg.norm(turns, axis=1) - 1).max() < 1e-6


@pytest.mark.parametrize("before", [Wrap.HOLD, Wrap.REPEAT])
def test_a_repeat_plays_to_its_end(before: Wrap, tmp_path: Path) -> None:
    """Where a round ends and the next begins, their times are the same but for rounding: 0.57 and 1.96 - 1.39."""
    clip = moved([[0.0, 3.0, 7.0]] * 3, times=(0.57, 0.76, 1.96), before=before, after=Wrap.REPEAT)
    clip.duration = 10.0
    path, _ = written(GLB, clip, tmp_path)
    ((times, values, _),) = Glb.read(path).curves().values()
    joints = np.arange(-0.82 if before is Wrap.REPEAT else 0.57, 10.0, 1.39)[1:]
    found = np.interp(joints - 0.002, times, values[:, 1])
    assert np.abs(found - (7.0 - 0.002 * 4 / 1.2)).max() < 1e-3
    assert np.abs(np.interp(joints + 0.002, times, values[:, 1]) - 0.002 * 3 / 0.19).max() < 1e-3


def test_each_channel_has_a_column_of_its_own(tmp_path: Path) -> None:
    """Whatever it is called, and also where another has the name that it would get."""

    def channel(name: str, *values: float) -> Track:
        return Track.constant("a", name, values, kind=TrackKind.CUSTOM)

    tracks = [channel("time", 1.0), channel("time (channel)", 2.0), channel("c", 3.0, 4.0), channel("c.0", 5.0)]
    path, _ = written(CSV, Clip("odd", nodes=[Node("a")], tracks=tracks), tmp_path)
    with path.open(encoding="utf-8", newline="") as file:
        header, row = csv.reader(file)
    titles = ["time (channel)", "time (channel) (channel)", "c.0", "c.1", "c.0 (channel)"]
    assert header[13:] == titles and [*map(float, row[13:])] == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_carriage_return_ends_no_row(tmp_path: Path) -> None:
    """In every Python: some write one that stands alone without quotes, and readers take it for a line's end."""
    names = ["a\rb", "c\r\nd", "e\r", "f\udcff"]
    clip = Clip("odd", nodes=[Node(name) for name in names], tracks=[Track.constant(names[0], "x\ry", [1.0])])
    clip.tracks[0].kind = TrackKind.CUSTOM
    path, _ = written(CSV, clip, tmp_path)
    assert [row["node"] for row in rows_of(path)] == [*names[:3], "f?"] and "x\ry" in rows_of(path)[0]
    assert Glb.read(written(GLB, clip, tmp_path)[0]).names[1:] == [*names[:3], "f?"]
    assert b'"a\rb"' in path.read_bytes() and b'"x\ry"' in path.read_bytes()


@pytest.mark.parametrize("kind", [CSV, slow(NPZ)], ids=lambda kind: kind.extensions[0])
def test_what_names_and_columns_need_is_reckoned(kind: AnyInterchange, tmp_path: Path) -> None:
    """One name of half a million letters makes an array of as many for each node; each channel a field a row."""
    nodes = [Node("n" * 500_000), *(Node(f"n{number}") for number in range(1500))]
    clip = Clip("odd", nodes=nodes, tracks=[Track.constant(nodes[0].name, LOCATION, (0.0, 0.0, 0.0))])
    if kind is CSV:
        nodes[0].name = "n"
        clip.tracks = [Track.constant(node.name, f"p{at}", [1.0]) for at, node in enumerate(nodes)]
        for track in clip.tracks:
            track.kind = TrackKind.CUSTOM
    with memory.limited(128), pytest.raises(FormatError, match="memory"):
        written(kind, clip, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("times", [(0, 0.5), (0, 0, 0.5), (0.5, 0.5, 0.5, 1), (0.5, 0.5, 1, 1, 1.5)])
def test_a_bend_is_one_beside_a_jump_and_before_what_is_held(times: tuple[float, ...], tmp_path: Path) -> None:
    """A tenth of a millimetre high, with handles that no cubic of a .glb has."""
    count = len(times)
    values = np.tile([*range(1, count), 0.0], (3, 1)) * 1e-4
    handles = Handles(np.tile([-0.3, 0.3], (count, 1)), np.zeros((3, count, 2)))
    path, _ = written(GLB, moved(values, times, interpolation=BEZIER, handles=handles), tmp_path)
    (curve,) = Glb.read(path).curves().values()
    part = np.linspace(0.0, 1.0, 50)[1:-1]
    moments = times[-2] + 0.9 * part * (1 - part) ** 2 + 0.6 * part**2 * (1 - part) + 0.5 * part**3
    wanted = values[0, -2] * (1 - part**2 * (3 - 2 * part))
    assert np.abs(played(curve, moments, "translation")[:, 0] - wanted).max() < 1e-8
    before, after = played(curve, np.array([0.25, 1.75]), "translation")[:, 0]
    assert curve[0][-1] == 2.0 and after == 0.0 and (times[0] == 0 or before == np.float32(1e-4))


def test_a_bent_turn_of_any_length_is_the_same(tmp_path: Path) -> None:
    made = []
    for length in (1, 2):
        values = np.array([[1.0, 0.8, 0.28], [0.0, 0.6, 0.96], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        handles = Handles(np.tile([-1 / 3, 1 / 3], (3, 1)), np.tile([-0.1 * length, 0.1 * length], (4, 3, 1)))
        clip = moved(values * length, name=ROTATION, interpolation=BEZIER, handles=handles)
        (folder := tmp_path / str(length)).mkdir()
        made.append(written(GLB, clip, folder)[0].read_bytes())
    assert made[0] == made[1]


def test_a_turn_between_keys_of_other_lengths_is_nearer_the_longer(tmp_path: Path) -> None:
    """As Blender plays quaternions: from 10 degrees, thrice as long, to 20 degrees, half of the way is at 12.5."""
    halves = np.radians([0.0, 10.0, 20.0]) / 2
    values = np.stack([np.cos(halves), np.sin(halves), 0 * halves, 0 * halves]) * [1.0, 3.0, 1.0]
    path, _ = written(GLB, moved(values, name=ROTATION), tmp_path)
    (curve,) = Glb.read(path).curves().values()
    first, middle = played(curve, np.array([0.0, 1.5]), "rotation")
    assert np.degrees(2 * np.arccos(first @ middle)) == pytest.approx(12.5, abs=0.02)


@pytest.mark.parametrize("kind", INTERCHANGE, ids=lambda kind: kind.extensions[0])
def test_a_node_that_others_hang_on_is_there(kind: AnyInterchange, tmp_path: Path) -> None:
    nodes = [Node("a", placeholder=True), Node("b", parent="a", placeholder=True), Node("c", placeholder=True)]
    clip = Clip("odd", duration=1.0, nodes=nodes, tracks=[Track.constant("b", LOCATION, (1.0, 2.0, 3.0), 2.0)])
    path, _ = written(kind, clip, tmp_path)
    if kind is GLB:
        assert Glb.read(path).names == ["odd", "a", "b"]
        assert numbers_of(path)[0].tolist() == [0.0, 1.0], "a key behind the end does not make it end sooner"
    elif kind is NPZ:
        assert np.load(path)["parents"].tolist() == [-1, 0]
    else:
        assert [row["node"] for row in rows_of(path)] == ["a", "b"]


@pytest.mark.parametrize(("kind", "rows"), [(CSV, 99), (NPZ, 99), (NPZ, 1)], ids=["csv", "npz", "one by one"])
def test_what_a_table_cannot_say_is_told(
    kind: AnyInterchange, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Axes that are not square, markers without a column; an array says how long a clip lasts behind its keys."""
    monkeypatch.setattr(tables, "_ROWS", rows)
    clip = moved([[1.0] * 3, [3.0, 2.0, 1.0], [1.0] * 3], (0.0, 0.5, 1.0), SCALE)
    turned = np.eye(4)
    turned[:2, :2] = np.array([[1.0, -1.0], [1.0, 1.0]]) * np.sqrt(0.5)
    clip.nodes.append(Node("b", parent="a", rest=turned))
    clip.markers = [Marker(0.5, "here")]
    path, said = written(kind, clip, tmp_path)
    told = "1 node is sheared by its parent", "1 marker has no place in a table"
    assert [any(each in line for line in said) for each in told] == [True, kind is CSV]
    if kind is NPZ:
        arrays = np.load(path)
        assert arrays["channel_values"].shape == (3, 0)
        assert (arrays["duration"], arrays["times"].tolist(), arrays["marker_times"]) == (2.0, [0.0, 0.5, 1.0], [0.5])


def test_how_far_the_worst_curve_is_off_is_told(tmp_path: Path) -> None:
    """Handles of no third can be no tangents; what comes after it is a cubic as it is."""
    handles = Handles(np.array([[0.0, 0.9], [-0.05, 0.0]]), np.array([[[0.0, 3.0], [-1.0, 0.0]]] * 3))
    bent = Track("a", LOCATION, np.array([0.0, 1.0]), np.array([[0.0, 5.0]] * 3), np.full(2, BEZIER), handles=handles)
    level = Handles(np.array([[0.0, 1 / 3], [-1 / 3, 0.0]]), np.zeros((3, 2, 2)))
    told = []
    for tracks in ([bent], [bent, replace(bent, node="b", handles=level)]):
        file = NewInterchange(tmp_path / "bent.glb", GLB, GLB.write_options(), Report(), Outputs(overwrite=True))
        finished(file.add(Clip("odd", duration=1.0, nodes=[Node("a"), Node("b")], tracks=tracks)))
        finished(file.write())
        told += [entry.values["percent"] for entry in file.report.notes]
    curves, part = Glb.read(file.path).curves(), np.linspace(0.0, 1.0, 500)
    moments, values = 2.7 * part - 2.55 * part**2 + 0.85 * part**3, 9 * part - 6 * part**2 + 2 * part**3
    off = np.abs(played(curves["a", "translation"], moments, "translation")[:, 0] - values).max() / 5 * 100
    assert told[0] == told[1] == pytest.approx(off, rel=0.02)
    assert played(curves["b", "translation"], part, "translation")[:, 0] == pytest.approx(5 * part**2 * (3 - 2 * part))


def test_equal_bytes_of_other_shapes_are_no_equal_numbers(tmp_path: Path) -> None:
    """glTF's (x, z, -y) of a place is what the times of other keys are; what follows the end shows nowhere."""
    still = Track.constant("b", LOCATION, (0.0, -2.0, 1.0))
    shapes = np.array([model.CONSTANT] * 2 + [model.LINEAR] * 2)
    clip = moved(np.ones((3, 4)) * [1.0, 2.0, 3.0, 4.0], (0.0, 1.0, 2.0, 3.0), interpolation=shapes)
    clip.nodes.append(Node("b"))
    path, _ = written(GLB, Clip("odd", 2.0, nodes=clip.nodes, tracks=[*clip.tracks, still]), tmp_path)
    (last, _, shape), (times, values, _) = Glb.read(path).curves().values()
    assert values.tolist() == [[0.0, 1.0, 2.0]] * len(times) and shape == "STEP" and last[-1] == 2.0


def test_clips_whose_nodes_rest_otherwise_have_nodes_of_their_own(tmp_path: Path) -> None:
    """What is told of all of them is told of each."""
    clips = [moved(np.ones((3, 3))) for _ in range(4)]
    clips[1].nodes[0].rest = clips[2].root = np.diag([1.0, 1.0, -1.0, 1.0])
    file = NewInterchange(tmp_path / "two.glb", GLB, GLB.write_options(), Report(), Outputs())
    for clip in clips:
        clip.tracks.append(Track.constant("a", "shown", [1.0], kind=TrackKind.CUSTOM))
        clip.markers = [Marker(0.5, "one"), Marker(0.75, "two")]
        finished(file.add(clip))
    finished(file.write())
    glb = Glb.read(file.path)
    assert glb.names == ["odd", "a"] * 3 and len(glb.extras) == 4
    assert glb.extras[3]["markers"] == [{"time": 0.5, "text": "one"}, {"time": 0.75, "text": "two"}]
    assert [str(entry).split(" ")[0] for entry in file.report.warnings] == ["4", "8"]


def test_arrays_and_extras_say_what_the_clip_says(tmp_path: Path) -> None:
    """All of which a reader makes the poses again, and what is no pose, component by component."""
    root, first, second = np.diag([1.0, -1.0, -1.0, 1.0]), np.eye(4), np.eye(4)
    root[:3, 3], first[:3, 3], second[:3, 3] = (1, 2, 3), (0, 5, 0), (1, 1, 1)
    nodes = [Node("a", rest=first, shown_by=("a", "no channel")), Node("b", parent="a", rest=second)]
    told = ("b", "tint", (0.25, 0.5)), ("a", "on", (1.0,))
    tracks = [Track.constant(*each, kind=TrackKind.CUSTOM) for each in told]
    clip = Clip("odd", 1.0, 2.0, root, nodes, tracks)
    with np.load(written(NPZ, clip, tmp_path)[0]) as arrays:
        assert (arrays["rate"], arrays["times"].tolist(), arrays["shown"].all()) == (2.0, [0.0, 0.5, 1.0], True)
        assert np.array_equal([arrays["root"], *arrays["rests"]], [root, first, second])
        assert arrays["positions"][2].tolist() == [[1, -3, 3], [2, -4, 2]]
        columns = [arrays[f"channel_{name}"] for name in ("nodes", "names", "components")]
        channels = [*zip(*columns, arrays["channel_values"][2])]
    assert channels == [("b", "tint", 0, 0.25), ("b", "tint", 1, 0.5), ("a", "on", -1, 1.0)]
    glb = Glb.read(written(GLB, clip, tmp_path)[0])
    (about,) = glb.extras
    channels = [(row["node"], row["property"], row["component"], row["values"]) for row in about["channels"]]
    assert channels == [("b", "tint", 0, [0.25]), ("b", "tint", 1, [0.5]), ("a", "on", 0, [1.0])]
    assert (about["rate"], glb.told["nodes"][2]) == (2.0, {"name": "b", "translation": [1, 1, 1]})


def test_what_the_rows_of_a_text_need_is_reckoned(tmp_path: Path) -> None:
    """Twice 160 letters each."""
    clip = moved(np.zeros((3, 100_000)), np.arange(100_000))
    with memory.limited(30), pytest.raises(FormatError, match="takes 31 MiB of memory"):
        written(CSV, clip, tmp_path)
