"""Conversions to .glb, played by the tests' own player and held against the truth of each format."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from io_formats import open_file
from io_formats.__main__ import main
from io_formats.clip.pose import world_matrices
from io_formats.errors import Report
from tests.support.gltf_player import Array, Glb, composed, played

DATA = Path(__file__).parents[2] / "data"
Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
"""Blender's axes to glTF's, as Blender's own exporter has them."""


def convert(source: Path, folder: Path, *flags: str) -> Glb:
    target = folder / f"{source.stem}.glb"
    assert main(["convert", str(source), str(target), *flags]) == 0
    return Glb.read(target)


@pytest.mark.parametrize(
    ("file", "golden", "animation"),
    [
        ("w3d/g09_ad_20b_200f.w3d", "w3d/g09_ad_20b_200f.npz", 0),
        ("w3d/g01_raw_trim_vis.w3d", "w3d/g01_raw_trim_vis.npz", 0),
        ("w3d/g02_tc_default.w3d", "w3d/g02_tc_default.npz", 0),
        ("w3d/h03_tc_hand.w3d", "w3d/h03_tc_hand.npz", 0),
        ("w3x/g02.w3x", "w3x/g02.npz", 0),
        ("w3x/g03.w3x", "w3x/g03_g03_roll.npz", 0),
        ("w3x/g03.w3x", "w3x/g03_g03_stand.npz", 1),
    ],
)
def test_a_westwood_animation_stands_where_the_engine_puts_it(
    file: str, golden: str, animation: int, tmp_path: Path
) -> None:
    glb = convert(DATA / file, tmp_path)
    with np.load(DATA / golden) as truth:
        whole = truth["frame"] % 1 == 0
        rate = float(truth["frame_rate"] if "frame_rate" in truth else truth["fps"])
        names, expected = composed(truth, whole)
        times = np.float32(truth["frame"][whole].astype(float) / rate).astype(float)  # where the file's keys lie
    found = glb.worlds(times, animation)
    size = max(1.0, np.abs(expected[..., :3, 3]).max())
    for number, name in enumerate(names):
        wanted = Y_UP @ expected[:, number]
        assert np.abs(found[name] - wanted).max() <= 3e-5 * size, name


def test_a_slot_has_the_numbers_of_the_glb_that_the_engine_took(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The engine mirrors X when it takes a glTF model; its slots go back the same way."""
    walk = DATA / "animx" / "08_walk.animj"
    glb = convert(walk, tmp_path)
    assert "the file names no parents" in capsys.readouterr().err
    curves = glb.curves()
    tracks = json.loads(walk.read_text(encoding="utf-8"))["tracks"]
    paths = {"Position": ("translation", "xyz", (-1, 1, 1)), "Rotation": ("rotation", "xyzw", (1, -1, -1, 1))}
    paths["Scale"] = ("scale", "xyz", (1, 1, 1))
    compared = 0
    for track in tracks:
        path, parts, signs = paths[track["data"]["property"]]
        data = track["data"]
        if track["trackType"] != "Curve":
            continue
        times = np.array([key["time"] for key in data["keyframes"]])
        wanted = np.array([[key["value"][part] for part in parts] for key in data["keyframes"]]) * signs
        found = played(curves[data["node"], path], np.float32(times).astype(float), path)
        if path == "rotation":
            found = found * np.where((found * wanted).sum(axis=1) < 0, -1, 1)[:, None]
        assert np.abs(found - wanted).max() <= 2e-6, (data["node"], path)
        compared += 1
    assert compared >= 6


def away_from_jumps(times: Array, glb: Glb, animation: int) -> Array:
    """Times that lie between no two keys a millisecond apart, which is how a jump beside straight lines is written."""
    inside = np.zeros(len(times), bool)
    for keys, _, _ in glb.curves(animation).values():
        at = np.searchsorted(keys, times)
        within = (at > 0) & (at < len(keys))
        before, after = keys[np.maximum(at - 1, 0)], keys[np.minimum(at, len(keys) - 1)]
        inside |= within & (after - before < 1.1e-3)
    return times[~inside]


ALL = sorted(
    path
    for folder in ("mrtk", "w3d", "w3x", "animx")
    for path in (DATA / folder).glob("*")
    if path.suffix in (".bin", ".w3d", ".w3x", ".animj", ".animx") and not path.name.startswith("bad_")
)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_every_file_plays_the_same_between_its_keys(path: Path, tmp_path: Path) -> None:
    """World matrices at 40 times of each animation, by the player and by the curves that an import makes."""
    target = tmp_path / "out.glb"
    if main(["convert", str(path), str(target)]) != 0:
        assert not list(tmp_path.iterdir())
        return
    glb = Glb.read(target)
    file = open_file(path)
    reading = file.format.read_options()
    file.skeleton = file.format.companions(reading, ()).skeleton(file, "", Report())
    clips = file.to_clips(reading, Report())
    animated = [clip for clip in clips if clip.duration > 0 or any(len(track.times) for track in clip.tracks)]
    assert (len(glb.extras), len(glb.told.get("animations", ()))) == (len(clips), len(animated))
    for number, clip in enumerate(animated):
        last = max([clip.duration, *(float(track.times[-1]) for track in clip.tracks)])
        times = away_from_jumps(np.random.default_rng(7).uniform(0.0, last, 400), glb, number)[:40]
        assert len(times) == 40
        expected = world_matrices(clip, times)
        found = glb.worlds(times, number)
        for name in {node.name for node in clip.nodes if not node.placeholder}:
            wanted = Y_UP @ expected[name]
            assert np.abs(found[name] - wanted).max() <= 1e-4 * max(1.0, np.abs(wanted).max()), name


def test_a_step_beside_a_bend_stays_one(tmp_path: Path) -> None:
    """An AnimJ that stays at 2, jumps to 0, goes to 1 in a second, stays, jumps to 3, and eases to 7."""
    flat = {"x": 0, "y": 0, "z": 0}
    kinds = ((0, 2, "Hold", 0), (0.5, 0, "Tangent", 1), (1.5, 1, "Hold", 0), (2, 3, "Tangent", 2), (3, 7, "Hold", 0))
    keys = [
        {"time": at, "value": {**flat, "y": y}, "interpolation": kind}
        | {f"{side}Tangent": {**flat, "y": slope} for side in ("left", "right")}
        for at, y, kind, slope in kinds
    ]
    data = {"node": "Box", "property": "Position", "keyframes": keys}
    track = {"trackType": "Curve", "valueType": "float3", "data": data}
    source = tmp_path / "box.animj"
    source.write_text(json.dumps({"name": "box", "globalDuration": 3, "tracks": [track]}), encoding="utf-8")
    places = convert(source, tmp_path).worlds(np.array([0.25, 0.75, 1.0, 1.75, 1.9, 2.25]))["Box"][:, :3, 3]
    assert np.linalg.norm(places, axis=1) == pytest.approx([2.0, 0.296875, 0.625, 1.0, 1.0, 3.90625], abs=1e-5)
