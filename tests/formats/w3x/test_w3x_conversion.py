"""W3D to W3X and back: pivots, names, motion and visibility stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from w3x_goldens import DATA, shown_by

from io_formats import open_file, w3d, w3x
from io_formats.__main__ import main
from io_formats.clip import Clip
from io_formats.errors import Report

W3D = DATA.parent / "w3d"


def clip_of(path: Path) -> Clip:
    file = open_file(path)
    return file.to_clips(file.format.read_options(), Report())[0]


def differences(first: Clip, second: Clip) -> np.ndarray:
    """(8,) the largest difference of each number on whole frames, quaternions without their signs."""
    frames = np.arange(round(first.duration * first.rate) + 1).astype(float)
    one, other = shown_by(first, frames), shown_by(second, frames)
    for values in (one, other):
        values[..., 3:7] /= np.linalg.norm(values[..., 3:7], axis=-1, keepdims=True)
        values[..., 7] = values[..., 7] >= 0.1
    signs = np.where((one[..., 3:7] * other[..., 3:7]).sum(-1, keepdims=True) < 0, -1, 1)
    other[..., 3:7] *= signs
    return np.abs(one - other).max(axis=(0, 1))


def test_a_chosen_skeleton_is_that_of_the_format_whose_file_it_is(tmp_path: Path, capsys: Any) -> None:
    source, skeleton = tmp_path / "a.w3d", W3D / "g02_skl.w3d"
    source.write_bytes((W3D / "g02_tc_default.w3d").read_bytes())
    there, back = tmp_path / "a.w3x", tmp_path / "b.w3d"
    assert main(["convert", str(source), str(there), "--skeleton", str(skeleton)]) == 0
    names = w3d.to_clips(w3d.read(skeleton.read_bytes()), w3d.ReadOptions(), Report())[0].nodes
    assert w3x.read(there.read_bytes()).hierarchies[0].names == [node.original for node in names]
    assert main(["convert", str(there), str(back), "--skeleton", str(skeleton)]) == 0
    for needy, ending in ((DATA / "g01_anim.w3x", "animx"), (source, "animx"), (source, "w3d")):
        assert main(["convert", str(needy), str(tmp_path / f"c.{ending}"), "--skeleton", __file__]) == 1
    assert capsys.readouterr().err.count("by its content this is no W3") == 3
    models, out = W3D.with_name("w3d_models"), tmp_path / "m.w3x"
    packed = str(models / "art.big" / "Art" / "W3D" / "M02_SKL.W3D")
    assert main(["convert", str(models / "m02_wlk.w3d"), str(out), "--skeleton", packed]) == 0
    assert main(["convert", str(out), str(tmp_path / "e.w3x"), "--skeleton", str(out)]) == 0
    assert "passed over" not in capsys.readouterr().err and w3x.read(out.read_bytes()).hierarchies
    assert main(["convert", str(out), str(tmp_path / "d.animj"), "--skeleton", str(there)]) == 0
    assert "a.w3x is passed over, as this one needs no other's skeleton" in capsys.readouterr().err


def test_a_skeleton_alone_goes_from_w3d_to_w3x_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A game finds the skeleton of converted animations; formats without skeletons refuse it as before."""
    skeleton, there, back = W3D / "g02_skl.w3d", tmp_path / "g02_skl.w3x", tmp_path / "g02_skl.w3d"
    assert main(["convert", str(skeleton), str(there)]) == 0
    assert main(["convert", str(there), str(back)]) == 0
    (own,), (found,) = (w3d.read(path.read_bytes()).hierarchies for path in (skeleton, back))
    assert found.name == own.name
    for field in ("name", "parent"):
        assert np.array_equal(found.records[field], own.records[field])
    for field in ("translation", "rotation"):
        assert np.allclose(found.records[field], own.records[field], atol=2e-6)
    nothing = W3D.parent / "animx" / "10_empty.animx", W3D.parent / "mrtk" / "v10_empty.bin"
    for source, ending in ((skeleton, "animx"), *((each, ending) for each in nothing for ending in ("w3d", "w3x"))):
        assert main(["convert", str(source), "--to", f".{ending}", "--output", str(tmp_path / "none")]) == 1
        assert "nothing is animated here" in capsys.readouterr().err and not (tmp_path / "none").exists()


def test_pivots_keep_their_numbers_where_no_skeleton_is_found(tmp_path: Path) -> None:
    """A made-up skeleton, which counts those that move alone, would break the real one in a game."""
    alone, there, back = tmp_path / "g01_anim.w3x", tmp_path / "g01_anim.w3d", tmp_path / "again.w3x"
    alone.write_bytes((DATA / "g01_anim.w3x").read_bytes().replace(b'Pivot="2"', b'Pivot="9"'))
    assert main(["convert", str(alone), str(there)]) == 0
    document = w3d.read(there.read_bytes())
    assert not document.hierarchies and document.animations[0].header.hierarchy.rstrip(b"\0") == b"G01_SKL"
    own = {channel.pivot for channel in w3x.read(alone.read_bytes()).animations[0].channels}
    assert own == {part.pivot for part in document.animations[0].parts[1:]} and 9 in own
    assert main(["convert", str(there), str(back)]) == 0
    found = w3x.read(back.read_bytes())
    assert not found.hierarchies and {channel.pivot for channel in found.animations[0].channels} == own
    one, other = clip_of(alone), clip_of(back)
    assert (differences(one, other) <= 1e-5).all()
