"""Conversions to .csv and .npz, read as a researcher reads them and held against the files' own numbers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import FormatError, identify, mrtk
from io_formats.__main__ import main
from io_formats.convert import poses
from io_formats.errors import Report
from tests.support.gltf_player import Array, Glb, composed, matrices

DATA = Path(__file__).parents[2] / "data"
DOCS = Path(__file__).parents[3] / "docs"
WALK = DATA / "w3d" / "g09_ad_20b_200f.w3d"
HAND = DATA / "mrtk" / "v10_recorder_3s_left_hand.bin"
HANDS = DATA / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin"


def convert(source: Path, target: Path, *flags: str) -> Path:
    assert main(["convert", str(source), str(target), *flags]) == 0
    return target


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def arrays_of(path: Path) -> dict[str, Any]:
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def numbers(rows: list[dict[str, str]], *columns: str) -> Array:
    return np.array([[float(row[column]) for column in columns] for row in rows])


def test_a_row_for_each_joint_at_each_time_of_a_recording(tmp_path: Path) -> None:
    """Positions are the recording's numbers, to the bit, in Blender's axes: right, forward, up."""
    rows = rows_of(convert(HAND, tmp_path / "hand.csv"))
    assert list(rows[0])[:13] == "time node x y z qw qx qy qz sx sy sz shown".split()
    assert [row["time"] for row in rows] == sorted((row["time"] for row in rows), key=float)
    hand = mrtk.read(HAND.read_bytes()).left
    assert hand is not None
    recorded = [joint for joint in zip(mrtk.layout.JOINTS[1:], hand.joints[1:], strict=True) if joint[1].has_keys]
    assert {row["node"] for row in rows} >= {f"{name}.L" for name, _ in recorded}
    assert not any(row["node"].endswith(".R") for row in rows)
    for name, joint in recorded:
        own = [row for row in rows if row["node"] == f"{name}.L"]
        at = {float(row["time"]): row for row in own}
        for column, curve in zip("xzy", joint.curves[:3], strict=True):
            found = np.float32([at[float(time)][column] for time in curve.keys["time"]])
            assert found.tobytes() == curve.keys["value"].astype("<f4").tobytes(), (name, column)
        turns = numbers(own, "qw", "qx", "qy", "qz")
        assert np.abs(np.linalg.norm(turns, axis=1) - 1).max() < 1e-6


def test_switches_are_columns_and_tell_what_was_seen(tmp_path: Path) -> None:
    rows = rows_of(convert(HAND, tmp_path / "hand.csv"))
    tracked = {row["time"]: float(row["tracked"]) for row in rows if row["node"] == "Wrist.L"}
    for row in rows:
        if row["node"] == "Palm.L":
            assert row["tracked"] == "" and row["shown"] == str(int(tracked[row["time"]]))
    walk = rows_of(convert(DATA / "w3d" / "g01_raw_trim_vis.w3d", tmp_path / "walk.csv"))
    seen = {(row["shown"], float(row["visibility"])) for row in walk if row["visibility"]}
    assert seen == {("0", 0.0), ("1", 1.0)}
    head, opacities = (DATA / "w3x" / "g01_anim.w3x").read_bytes().split(b'Type="Visibility"')
    (tmp_path / "faded.w3x").write_bytes(head + b'Type="Visibility"' + opacities.replace(b">0.000000<", b">0.05<"))
    faded = rows_of(
        convert(tmp_path / "faded.w3x", tmp_path / "faded.csv", "--skeleton", str(DATA / "w3x" / "g01_skl.w3x"))
    )
    with np.load(DATA / "w3x" / "g01_anim.npz") as truth:
        hidden = truth["hidden"][truth["frame"] % 1 == 0]
    assert np.array_equal([row["shown"] == "0" for row in faded], hidden.ravel())


def test_a_walk_has_the_worlds_of_the_engine(tmp_path: Path) -> None:
    rows = rows_of(convert(WALK, tmp_path / "walk.csv"))
    data = convert(WALK, tmp_path / "walk.npz").read_bytes()
    for archive, ours in ((data, True), (data[:30] + b"else" + data[34:], False)):
        with pytest.raises(FormatError) as caught:
            identify(archive)
        assert ("(.npz)" in str(caught.value)) is ours
    arrays = arrays_of(tmp_path / "walk.npz")
    with np.load(WALK.with_suffix(".npz")) as truth:
        whole = truth["frame"] % 1 == 0
        (names, worlds), parents = composed(truth, whole), truth["parents"].tolist()
    assert arrays["nodes"].tolist() == names and arrays["parents"].tolist() == parents
    assert len(rows) == len(names) * 200 and arrays["positions"].shape == (200, len(names), 3)
    assert np.allclose(arrays["times"], np.arange(200) / 30) and not len(arrays["marker_texts"])
    for number, name in enumerate(names):
        own = [row for row in rows if row["node"] == name]
        turns = numbers(own, "qx", "qy", "qz", "qw")
        assert ((turns[1:] * turns[:-1]).sum(axis=1) > 0).all()
        found = matrices(numbers(own, "x", "y", "z"), turns, numbers(own, "sx", "sy", "sz"))
        assert np.abs(found - worlds[:, number]).max() <= 3e-5 * 40
        assert np.abs(numbers(own, "x", "y", "z").astype(np.float32) - arrays["positions"][:, number]).max() <= 2**-20


def test_the_page_lists_every_array_and_column(tmp_path: Path) -> None:
    page = (DOCS / "interchange.md").read_text(encoding="utf-8")
    arrays = arrays_of(convert(HANDS, tmp_path / "hands.npz"))
    assert [name for name in arrays if f"| `{name}` |" not in page] == []
    columns = rows_of(convert(HANDS, tmp_path / "hands.csv"))[0]
    assert [name for name in list(columns)[:13] if f"`{name}`" not in page] == []
    assert all(values.dtype != object for values in arrays.values())
    assert arrays["marker_texts"].tolist() and len(arrays["marker_times"]) == 1
    assert arrays["kind"].shape == () and (tmp_path / "hands.npz").stat().st_size < 405_000


@pytest.mark.parametrize("ending", ["npz", "csv", "glb"])
def test_the_same_recording_gives_the_same_bytes(ending: str, tmp_path: Path) -> None:
    first, second = (convert(HANDS, tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert first == second


def animj_of(names: list[str], folder: Path) -> Path:
    """A file with nodes of these names, each with a number that is called as it is."""
    keys = [{"time": 0.5, "value": 1.5, "interpolation": "Linear"}]
    tracks = [
        {"trackType": "Curve", "valueType": "float", "data": {"node": name, "property": name, "keyframes": keys}}
        for name in names
    ]
    source = folder / "names.animj"
    source.write_text(json.dumps({"name": "n", "globalDuration": 1.0, "tracks": tracks}), encoding="utf-8")
    return source


def test_names_of_all_kinds_come_back(tmp_path: Path) -> None:
    """Commas, quotes, line ends and letters of other alphabets, as RFC 4180 quotes them."""
    names = ["plain", 'a "b", c', "two\nlines", "ünï-日本", "a=1", "it's"]
    source = animj_of(names, tmp_path)
    path = convert(source, tmp_path / "names.csv")
    data = path.read_bytes()
    assert b"\r" not in data and not data.startswith(b"\xef\xbb\xbf") and data.endswith(b"\n")
    assert [row["node"] for row in rows_of(path)] == names
    assert arrays_of(convert(source, tmp_path / "names.npz"))["nodes"].tolist() == names
    assert Glb.read(convert(source, tmp_path / "names.glb")).names[1:] == names


def test_a_joint_without_a_number_has_no_data(tmp_path: Path) -> None:
    """A tracker may write NaN for what it does not see: that is no joint at the origin."""
    document = mrtk.read(HAND.read_bytes())
    assert document.left is not None
    for curve in document.left.joints[mrtk.layout.JOINTS.index("Palm")].curves:
        curve.keys = curve.keys.copy()
        curve.keys["value"] = np.nan
    source = tmp_path / "hand.bin"
    source.write_bytes(mrtk.write(document))
    whole, rest = poses(HAND), poses(source)
    assert "Palm.L" in whole.names and rest.names == [name for name in whole.names if name != "Palm.L"]
    assert arrays_of(convert(source, tmp_path / "hand.npz"))["nodes"].tolist() == rest.names


def test_no_text_of_a_table_is_a_formula(tmp_path: Path) -> None:
    """Whatever a file calls its nodes and channels; one apostrophe less, and they are the file's own again."""
    names = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "\uff1d1", "'quoted", "'=1"]
    path = convert(animj_of(names, tmp_path), tmp_path / "names.csv")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    for texts in (header[13:], [row[1] for row in rows]):
        assert not any(text[0] in "=+-@\t\r\n\uff1d" for text in texts)
        assert [text.removeprefix("'") for text in texts] == names


def test_a_rate_and_a_part_in_time_can_be_chosen(tmp_path: Path) -> None:
    for source in (HANDS, WALK):
        flags = ("--file-rate", "10", "--first-frame", "5", "--frame-count", "7")
        times = arrays_of(convert(source, tmp_path / f"{source.stem}.npz", *flags))["times"]
        assert np.allclose(times, 0.5 + np.arange(7) / 10)
    every = arrays_of(convert(HANDS, tmp_path / "all.npz"))["times"]
    for name, flags, part in (("some", ("--frame-count", "4"), slice(3, 7)), ("rest", (), slice(3, None))):
        times = arrays_of(convert(HANDS, tmp_path / f"{name}.npz", "--first-frame", "3", *flags))["times"]
        assert np.array_equal(times, every[part])


@pytest.mark.parametrize("ending", ["npz", "glb"])
def test_lengths_and_directions_are_those_asked_for(ending: str, tmp_path: Path) -> None:
    def places(*flags: str, source: Path = WALK) -> Array:
        path = convert(source, tmp_path / f"{source.stem} {len(flags)}.{ending}", *flags)
        if ending == "npz":
            arrays = arrays_of(path)
            assert np.allclose(arrays["scales"], 1, atol=1e-5)
            return np.array(arrays["positions"], float)
        worlds = Glb.read(path).worlds(np.arange(200) / 30)
        named = [str(name) for name in np.load(WALK.with_suffix(".npz"))["names"]]
        return np.stack([worlds[name][:, [0, 2, 1], 3] for name in named], axis=1) * (1, -1, 1)  # in Blender's axes

    plain = places()
    assert np.allclose(places("--scale", "0.5"), 0.5 * plain, atol=1e-4)
    facing = ("--forward", "-X", "--up", "Y")
    both = [(plain, places(*facing))]
    if ending == "npz":  # and of a file whose root is turned
        own = {"source": DATA / "animx" / "08_walk_plain.animx"}
        both.append((places("--axes", "FBX", **own), places("--axes", "FBX", *facing, **own)))
    for before, turned in both:
        assert np.allclose(turned, np.stack((-before[..., 1], before[..., 2], -before[..., 0]), axis=-1), atol=1e-4)


def test_poses_are_the_same_arrays_in_memory(tmp_path: Path) -> None:
    for source in (HANDS, HAND):
        arrays, take = arrays_of(convert(source, tmp_path / f"{source.stem}.npz")), poses(source)
        assert take.names == arrays["nodes"].tolist() and not take.tracked.all()
        assert (arrays["parents"] >= 0).sum() == (source == HANDS), "the end of a gaze"
        for name, own, off in (
            ("times", take.times, 0),
            ("positions", take.positions, 2**-20),
            ("rotations", take.quaternions, 2**-19),
        ):
            assert 0 <= np.abs(arrays[name] - own).max() <= off
        assert np.array_equal(arrays["shown"], take.tracked)
        assert (take.quaternions[1:] * take.quaternions[:-1]).sum(axis=-1).min() > 0.9, "on the short way"
    with pytest.raises(IndexError):
        poses(HANDS, 1)
    poses(DATA / "animx" / "bad_interp7.animx", report=(report := Report()))
    assert "unknown interpolation 7" in str(report.warnings[0])
