"""From and to the other two worlds, without Blender, held against the other formats' own numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import animx, mrtk, w3d
from io_formats.__main__ import main
from io_formats.animx.document import Document
from io_formats.clip import curve
from io_formats.errors import Report

DATA = Path(__file__).parents[2] / "data"


def recording(stem: str) -> mrtk.Document:
    return mrtk.read((DATA / "mrtk" / f"{stem}.bin").read_bytes())


def engine_copy(document: mrtk.Document, axes: str = "ENGINE") -> Document:
    """A recording as AnimJ, written and read."""
    (clip,) = mrtk.to_clips(document, mrtk.ImportOptions(), Report())
    return animx.read(animx.write_animj(animx.from_clip(clip, animx.ExportOptions(axes=axes), Report())))


def poses(document: mrtk.Document) -> dict[str, Any]:
    """The recording's own curves by node, in the file's order: position X, Y, Z, rotation X, Y, Z, W."""
    found = {}
    for side, hand in document.hands:
        for name, joint in zip(mrtk.layout.JOINTS[1:], hand.joints[1:]):
            found[f"{name}.{side}"] = joint.curves
    return found


@pytest.mark.parametrize("stem", ["v11_recorder_10s_two_hands_mrtk273", "v11_flags/v11_cam1_hand1_gaze1"])
def test_a_recording_keeps_its_numbers_in_engine_axes(stem: str) -> None:
    document = recording(stem)
    tracks = {(track.node, track.property): track for track in engine_copy(document).tracks}
    compared = 0
    for node, curves in poses(document).items():
        for name, part in (("Position", curves[:3]), ("Rotation", curves[3:7])):
            times = [one.keys["time"] for one in part]
            if not len(times[0]) or any(not np.array_equal(times[0], other) for other in times):
                continue
            expected = np.stack([one.keys["value"] for one in part]).astype(np.float64)
            found = tracks[node, name]
            assert np.array_equal(found.key_times, times[0])
            numbers = found.numbers().astype(np.float64)
            # a rotation and its negative are the same; neighbours are made to agree
            signs = np.where((numbers * expected).sum(axis=0) < 0, -1.0, 1.0) if name == "Rotation" else 1.0
            assert np.abs(numbers - signs * expected).max() <= 1e-6 * np.abs(expected).max()
            compared += 1
    assert compared >= 52


def test_curves_of_a_recording_stay_curves() -> None:
    """Unity's curves with weights, at other times in each component: fitted within the tolerance."""
    document = recording("v10_curve_shapes")
    (clip,) = mrtk.to_clips(document, mrtk.ImportOptions(), Report())
    converted = engine_copy(document)
    (back,) = animx.to_clips(converted, animx.ImportOptions(axes="ENGINE"), Report())
    compared = 0
    locations = [track for track in clip.tracks if track.property == "location" and len(track.times) > 1]
    for track in locations:
        family = [other for other in locations if other.node == track.node]
        reach = max(float(np.ptp(row)) for other in family for row in other.values)
        (found,) = (other for other in back.tracks if (other.node, other.property) == (track.node, "location"))
        times = np.linspace(0, clip.duration, 301)
        # one of the curves stands upright for a moment, where a rounded time is all the difference
        around = np.stack([curve.evaluate(track, times + shift) for shift in (-2e-6, 0, 2e-6)])
        values = curve.evaluate(found, times)[track.component : track.component + len(track.values)]
        # once for curves of different times, once for handles at thirds
        slack = 2.1e-5 * reach
        assert ((values >= around.min(axis=0) - slack) & (values <= around.max(axis=0) + slack)).all(), track.node
        compared += 1
    assert compared >= 3


def w3d_matrices(document: w3d.Document, skeleton: w3d.Document) -> tuple[Any, dict[str, Any]]:
    """World matrices at every frame, composed here from the clip's channels and rests."""
    (clip,) = w3d.to_clips(document, w3d.ImportOptions(), Report(), skeleton=skeleton)
    frames = np.arange(round(clip.duration * clip.rate) + 1) / clip.rate
    worlds: dict[str, Any] = {}
    for node in clip.nodes:
        local = np.broadcast_to(np.eye(4), (len(frames), 4, 4)).copy()
        for track in clip.tracks:
            if track.node == node.name and track.property == "location":
                rows = slice(track.component, track.component + len(track.values))
                local[:, rows, 3] = curve.evaluate(track, frames).T
            elif track.node == node.name and track.property == "rotation_quaternion":
                w, x, y, z = curve.evaluate(track, frames)
                size = np.sqrt(w * w + x * x + y * y + z * z)
                local[:, :3, :3] = turned(w / size, x / size, y / size, z / size)
        parent = np.asarray(clip.root) if node.parent is None else worlds[node.parent]
        worlds[node.name] = parent @ node.rest @ local
    return frames, worlds


def turned(w: Any, x: Any, y: Any, z: Any) -> Any:
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


@pytest.mark.parametrize("axes", ["FBX", "GLTF", "ENGINE"])
@pytest.mark.parametrize("stem", ["g02_tc_default", "g04_ad_16f", "g06_raw_flip"])
def test_w3d_to_animj_and_back(stem: str, axes: str, tmp_path: Path) -> None:
    """On the command line: the same world matrices at every frame, within 1e-5 of the size."""
    source, skeleton = DATA / "w3d" / f"{stem}.w3d", DATA / "w3d" / "g02_skl.w3d"
    middle, target = tmp_path / "walk.animj", tmp_path / "walk.w3d"
    for origin, goal in ((source, middle), (middle, target)):
        assert main(["convert", str(origin), str(goal), "--skeleton", str(skeleton), "--axes", axes]) == 0
    bones = w3d.read(skeleton.read_bytes())
    frames, before = w3d_matrices(w3d.read(source.read_bytes()), bones)
    again, after = w3d_matrices(w3d.read(target.read_bytes()), bones)
    assert np.array_equal(frames, again)
    size = max(np.abs(world[:, :3, 3]).max() for world in before.values())
    for name, world in before.items():
        assert np.abs(world - after[name]).max() <= 1e-5 * max(size, 1.0), name


def test_the_skeleton_beside_an_animation_is_used(tmp_path: Path) -> None:
    for name in ("g02_skl.w3d", "g02_tc_default.w3d"):
        (tmp_path / name).write_bytes((DATA / "w3d" / name).read_bytes())
    target = tmp_path / "walk.animj"
    assert main(["convert", str(tmp_path / "g02_tc_default.w3d"), str(target)]) == 0
    pivots = w3d.describe(w3d.read((tmp_path / "g02_skl.w3d").read_bytes()))["skeletons"][0]["pivots"]
    nodes = animx.describe(animx.read(target.read_bytes()))["nodes"]
    assert nodes and set(nodes) <= set(pivots)


def test_the_size_limit_holds_on_the_command_line(tmp_path: Path, capsys: Any) -> None:
    source = DATA / "animx" / "curve_lzma.animx"
    assert main(["convert", str(source), str(tmp_path / "curve.animj"), "--limit-mib", "1"]) == 1
    assert "the limit is 1048576" in capsys.readouterr().err
    assert main(["convert", str(source), str(tmp_path / "curve.animj"), "--limit-mib", "256"]) == 0


@pytest.mark.parametrize("ending", [".animj", ".animx"])
def test_a_recording_on_the_command_line(ending: str, tmp_path: Path) -> None:
    source = DATA / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin"
    target = tmp_path / f"hand{ending}"
    flags = ["--axes", "ENGINE", "--container", "LZMA"]
    assert main(["convert", str(source), str(target), *flags]) == 0
    document = animx.read(target.read_bytes())
    assert document.textual is (ending == ".animj")
    assert document.textual or document.container == "lzma"
    assert document.name == source.stem
    (clip,) = animx.to_clips(document, animx.ImportOptions(axes="ENGINE"), Report())
    assert {"Wrist.L", "Wrist.R", "Camera"} <= {node.name for node in clip.nodes}


def test_info_and_verify_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(DATA / "animx" / "08_walk_lzma_noeos.animx")
    assert main(["info", "--json", path]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert "lzma" in json.dumps(facts)
    assert main(["verify", path, str(DATA / "animx" / "08_walk.animj")]) == 0


def test_an_animj_is_verified_as_animj(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the writer of AnimJ loses is found, in a file that has other bytes but means the same."""
    text = (DATA / "animx" / "08_walk.animj").read_text()
    path = tmp_path / "walk.json"
    path.write_text(json.dumps(json.loads(text), indent=1))
    assert main(["verify", str(path)]) == 0
    write = animx.animj_write.write_in_steps
    monkeypatch.setattr(animx.animj_write, "write_in_steps", lambda document: write(replace(document, name="another")))
    assert main(["verify", str(path)]) == 1
    assert f"{path}: written again, it differs" in capsys.readouterr().out
