"""A table of takes as pyarrow and pandas read it, and a picture as matplotlib draws it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pandas
import pyarrow.parquet
import pytest

from io_formats.__main__ import main
from io_formats.convert import poses

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
HANDS = SAMPLES / "two_hands_mrtk_1.1.bin"


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    """A folder of two days, of which the second has a damaged recording, too."""
    folder = tmp_path / "takes"
    for day in ("day 1", "day ②"):
        (folder / day).mkdir(parents=True)
        shutil.copy(HANDS, folder / day / "hands.bin")
    (folder / "day ②" / "cut.bin").write_bytes(HANDS.read_bytes()[:-100])
    shutil.copy(SAMPLES / "five_bones_raw_w3d.w3d", folder / "bones.w3d")
    return folder


def test_a_folder_becomes_one_table(takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["convert", str(takes), "--to", ".parquet", "--output", str(tmp_path / "out"), "--json"]
    assert main([*call, "--first-frame", "3"]) == 1, "a recording is damaged"
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [Path(row["file"]).name for row in rows if "error" in row] == ["cut.bin"]
    (table,) = (tmp_path / "out").iterdir()
    frame = pandas.read_parquet(table)
    assert table.name == "takes.parquet" and set(frame["take"]) == {"bones", "day 1/hands", "day ②/hands"}
    assert {row["digest"] for row in rows if row.get("output") == str(table)} == set(frame["take"])
    hands, bones = (frame[frame["take"] == take] for take in ("day 1/hands", "bones"))
    assert set(bones["time"]) == {at / 30 for at in range(3, 3 + len(set(bones["time"])))}
    truth = poses(HANDS)
    arrays = (truth.positions[3:], truth.quaternions[3:], truth.tracked[3:])
    seen = {name: [array[:, at] for array in arrays] for at, name in enumerate(truth.names)}
    for name in set(hands["node"]):
        rows_of = hands[hands["node"] == name]
        assert np.array_equal(rows_of["time"], truth.times[3:])
        assert np.allclose(rows_of[["x", "y", "z"]], seen[name][0], atol=1e-6)
        assert np.allclose(rows_of[["qw", "qx", "qy", "qz"]], seen[name][1], atol=1e-6)
        assert np.array_equal(rows_of["shown"], seen[name][2])


def test_markers_are_told_as_they_have_no_place_in_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = SAMPLES.parent / "tests" / "data" / "mrtk" / "v10_identity_values.bin"
    assert main(["convert", str(source), str(tmp_path / "marked.parquet")]) == 0
    assert "4 markers have no place in a table" in capsys.readouterr().err


def test_parts_are_one_data_set(takes: Path, tmp_path: Path) -> None:
    call = ["convert", str(takes), "--to", ".parquet", "--exit-zero", "--output", str(tmp_path / "out"), "--part"]
    for number in range(9):  # most have no file
        assert main([*call, f"{number}/9"]) == 0
    whole = tmp_path / "whole.parquet"
    assert main(["convert", str(takes), str(whole), "--exit-zero"]) == 0, "a table that is named holds all the same"
    columns = ["take", "time", "node"]
    parts, one = (pandas.read_parquet(path).astype({"take": str, "node": str}) for path in (tmp_path / "out", whole))
    assert parts.sort_values(columns, ignore_index=True).equals(one.sort_values(columns, ignore_index=True))


def test_many_takes_are_few_groups(takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of texts, each group has its own: a table of two groups has the same takes."""
    (takes / "day ②" / "cut.bin").unlink()
    monkeypatch.setattr("io_formats.interchange.takes._ROWS", 1000)
    assert main(["convert", str(takes), str(tmp_path / "takes.parquet")]) == 0
    about = pyarrow.parquet.ParquetFile(tmp_path / "takes.parquet").metadata
    rows = [about.row_group(number).num_rows for number in range(about.num_row_groups)]
    assert len(rows) == 2 and rows[0] > rows[1], "few bones and hands, then hands alone"
    assert set(pandas.read_parquet(tmp_path / "takes.parquet")["take"]) == {"bones", "day 1/hands", "day ②/hands"}


def test_nothing_is_replaced_and_nothing_is_left(
    takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, damaged = tmp_path / "mine.parquet", takes / "day ②" / "cut.bin"
    mine.write_bytes(b"mine")
    assert main(["convert", str(takes), str(mine)]) == 1 and mine.read_bytes() == b"mine"
    assert "--overwrite" in capsys.readouterr().err
    assert main(["convert", str(damaged), str(tmp_path / "none.parquet")]) == 1, "no take at all"
    assert len(capsys.readouterr().err.splitlines()) == 1, "one fault is one sentence"
    bomb = SAMPLES.parent / "tests" / "data" / "broken" / "animx" / "lzma_expands_to_96_mib.animx"
    assert main(["convert", str(bomb), str(tmp_path / "none.parquet"), "--limit-mib", "95"]) == 1
    assert "the limit is 99614720 bytes" in capsys.readouterr().err
    assert main(["convert", str(HANDS), str(tmp_path / "none.parquet"), "--target", "NEW"]) == 1, "options are refused"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.parquet", "takes"]
    assert main(["convert", str(takes), "--to", ".parquet", "--resume", str(mine)]) == 2
    days = [str(folder) for folder in takes.glob("day *")]
    assert main(["convert", *days, str(tmp_path / "none.parquet"), "--exit-zero"]) == 2, "two takes of one name"
    assert "would both be the take hands" in capsys.readouterr().err
    (tmp_path / "nothing").mkdir()
    assert main(["convert", str(tmp_path / "nothing"), "--to", ".parquet"]) == 2, "no file is chosen"


def test_a_full_disk_is_no_fault_of_a_recording(takes: Path, tmp_path: Path) -> None:
    """What was written before it is half a table, which nobody may take for a whole one."""
    (takes / "day ②" / "cut.bin").unlink()
    call = [sys.executable, "-c", FULL_DISK, "convert", str(takes), str(tmp_path / "takes.parquet"), "--exit-zero"]
    run = subprocess.run(call, cwd=SAMPLES.parent, capture_output=True, text=True, timeout=120)
    assert run.returncode == 1 and [path.name for path in tmp_path.iterdir()] == ["takes"]
    assert not run.stdout, "nothing is in the table"
    (line,) = run.stderr.splitlines()
    assert line == f"{tmp_path / 'takes.parquet'}: the disk is full; make room or choose another disk"


FULL_DISK = """
import resource, signal, sys
from io_formats import __main__
from io_formats.interchange import takes
takes._ROWS = 1  # a group for each take, of which the second is too much
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
sys.exit(__main__.main())
"""


def test_a_name_that_is_no_utf_8_is_a_name(tmp_path: Path) -> None:
    odd = os.fsdecode(b"b\xff.w3d")
    shutil.copy(SAMPLES / "five_bones_raw_w3d.w3d", tmp_path / odd)
    assert main(["convert", str(tmp_path / odd), str(tmp_path / "odd.parquet")]) == 0
    assert set(pandas.read_parquet(tmp_path / "odd.parquet")["take"]) == {"b?"}
    two = str(SAMPLES.parent / "tests" / "data" / "w3x" / "g03.w3x")
    assert main(["convert", two, str(tmp_path / "two.parquet")]) == 0
    assert set(pandas.read_parquet(tmp_path / "two.parquet")["take"]) == {"g03", "g03-2"}
    shutil.copy(two, tmp_path / "g03-2.w3x")
    assert main(["convert", two, str(tmp_path / "g03-2.w3x"), str(tmp_path / "three.parquet")]) == 0
    assert set(pandas.read_parquet(tmp_path / "three.parquet")["take"]) == {"g03", "g03-3", "g03-2", "g03-2-2"}


def test_a_table_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = [str(SAMPLES / "walk.animj"), str(tmp_path / "walk.parquet")]
    for more in (["--output", str(tmp_path)], ["--part", "1/2"]):
        assert main(["convert", *named, *more]) == 2 and "--to .parquet" in capsys.readouterr().err
    assert main(["convert", *named, "--to", ".csv", "--output", str(tmp_path)]) == 1, "one is no file to read"
    assert [path.name for path in tmp_path.iterdir()] == ["walk.animj.csv"], "two names, which are no table's"


def test_a_picture_has_six_figures_and_the_curves_that_are_asked_for(tmp_path: Path) -> None:
    for sample in ("walk.animj", HANDS.name, "twenty_bones_adaptive_delta_w3d.w3d"):
        picture = tmp_path / f"{sample}.svg"
        assert main(["plot", str(SAMPLES / sample), str(picture)]) == 0
        groups = [group for group in ElementTree.parse(picture).iter() if group.tag.endswith("}g")]
        *figures_of, _ = (group for group in groups if group.get("id", "").startswith("axes_"))
        dots = [sum(each.tag.endswith("}use") for each in pose.iter()) for pose in figures_of]
        assert len(figures_of) == 6 and min(dots) == max(dots) > 4, "joints are seen, too"
        figures = [group for group in groups if group.get("id", "").startswith("LineCollection_")]
        drawn = ["".join(path.get("d", "") for path in figure) for figure in figures]
        ends = [np.array(re.findall(r"[ML] (\S+) (\S+)", bones), float) for bones in drawn]
        assert len(figures) == 6 and np.ptp([one[:, 1].max() + one[:, 1].min() for one in ends]) < 0.01, "in the middle"
        (legend,) = (group for group in groups if group.get("id") == "legend_1")
        assert sum(each.tag.endswith("}text") for each in legend.iter()) == 8
    width, depth, _ = np.ptp(poses(SAMPLES / sample).positions[0], axis=0)
    assert np.ptp(ends[0][:, 0]) / np.ptp(ends[0][:, 1]) == pytest.approx(width / depth, 1e-3), "seen from above"
    assert "LeftUpperLeg rotation" in (tmp_path / "walk.animj.svg").read_text(), "what moves most"
    rolling = SAMPLES.parent / "tests" / "data" / "w3x" / "g03.w3x"
    assert main(["plot", str(rolling), str(tmp_path / "first.svg")]) == 0
    assert "0.10 s" in (tmp_path / "first.svg").read_text(), "the first animation's last frame, 3 of 30 a second"
    picture, again, hand = tmp_path / "chosen.svg", tmp_path / "again.svg", rolling.parents[1] / "w3d/h03_tc_hand.w3d"
    for name in (picture, again):
        assert main(["plot", str(SAMPLES / "walk.animj"), str(name), "--channels", "Left*Leg rotation*.x"]) == 0
        assert main(["plot", str(hand), str(tmp_path / f"steps {name.name}"), "--channels", "BONE_01 visibility"]) == 0
    every = (path.get("d", "") for path in ElementTree.parse(tmp_path / "steps chosen.svg").iter())
    line = max(every, key=lambda drawn: drawn.count("L"))
    assert len(set(re.findall(r"[ML] \S+ (\S+)", line))) == 2, "steps are no ramps"
    assert picture.read_bytes() == again.read_bytes()
    assert "LeftUpperLeg rotation_quaternion.x" in picture.read_text() and "Hips" not in picture.read_text()


def test_names_of_nodes_are_no_formulas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With $, as an FBX from Assimp has, an underscore before, letters of all languages, and one that XML forbids."""
    names = ("a$_$", "_$AssimpFbx$_", "手", "bell\x07", "b & <c>")
    told = json.loads((SAMPLES / "walk.animj").read_text(encoding="utf-8"))
    for name, track in zip(names, [track for track in told["tracks"] if track["data"]["property"] == "Rotation"]):
        track["data"]["node"] = name
    (tmp_path / "odd.animj").write_text(json.dumps(told), encoding="utf-8")
    picture = tmp_path / "odd.svg"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["plot", str(tmp_path / "odd.animj"), str(picture), "--channels", "* rotation_quaternion.x"]) == 0
    texts = "".join(ElementTree.parse(picture).getroot().itertext())
    assert all(name.replace("\x07", "\ufffd") in texts for name in names)


def test_a_figure_that_is_nothing_but_long_is_drawn(tmp_path: Path) -> None:
    """A place that only one node has, further off than numbers of the others' size are told apart there."""
    told = json.loads((SAMPLES / "walk.animj").read_text(encoding="utf-8"))
    place = next(track["data"] for track in told["tracks"] if track["data"]["property"] == "Position")
    for key in place["keyframes"]:
        key["value"]["y"] = 5e31
    (tmp_path / "far.animj").write_text(json.dumps(told), encoding="utf-8")
    assert main(["plot", str(tmp_path / "far.animj"), str(tmp_path / "far.svg")]) == 0


def test_pictures_that_cannot_be_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    walk, picture = str(SAMPLES / "walk.animj"), tmp_path / "walk.svg"
    assert main(["plot", walk, str(picture), "--channels", "Tail*"]) == 1
    assert "'Hips location.x'" in capsys.readouterr().err
    assert main(["plot", walk, str(tmp_path / "walk.gif")]) == 1 and ".svg" in capsys.readouterr().err
    assert (
        main(["plot", str(SAMPLES.parent / "tests" / "data" / "w3d" / "g02_skl.w3d"), str(tmp_path / "rest.svg")]) == 1
    )
    assert "nothing is animated" in capsys.readouterr().err
    picture.write_bytes(b"mine")
    assert main(["plot", walk, str(picture)]) == 1 and picture.read_bytes() == b"mine"
