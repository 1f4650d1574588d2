"""The recipe for researchers, run as it stands in docs/recipes.md: recordings read by pandas and numpy."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from io_formats import mrtk

SOURCE = Path(__file__).resolve().parents[2]
HEADING = "Recordings in pandas and numpy"


def blocks(language: str) -> list[str]:
    text = (SOURCE / "docs" / "recipes.md").read_text(encoding="utf-8")
    section = re.split(r"^## ", text.split(f"\n## {HEADING}\n")[1], flags=re.MULTILINE)[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder `takes` with two recordings, of two days each, and the tables that the recipe's command makes."""
    (tmp_path / "takes" / "day 2").mkdir(parents=True)
    for name in ("two_hands_mrtk_1.1.bin", "left_hand_mrtk_1.0.bin"):
        shutil.copy(SOURCE / "samples" / name, tmp_path / "takes" / name)
        shutil.copy(SOURCE / "samples" / name, tmp_path / "takes" / "day 2" / name)
    monkeypatch.chdir(tmp_path)
    (commands,) = blocks("sh")
    for line in commands.splitlines():
        words = line.split()
        assert words[0] == "anim-curves"
        run = [sys.executable, "-m", "io_formats", *words[1:]]
        subprocess.run(run, check=True, env={"PYTHONPATH": str(SOURCE)}, timeout=300)
    return tmp_path


def test_the_script_finds_the_recordings_numbers(folder: Path) -> None:
    found: dict[str, Any] = {"__name__": "__main__"}
    for script in blocks("python"):
        exec(compile(script, HEADING, "exec"), found)
    table = found["table"]
    takes = {"two_hands_mrtk_1.1", "left_hand_mrtk_1.0"}
    assert set(table["take"]) == {*takes, *(f"day 2/{take}" for take in takes)}
    hand = mrtk.read((folder / "takes" / "left_hand_mrtk_1.0.bin").read_bytes()).left
    assert hand is not None
    names = mrtk.layout.JOINTS
    thumb, index = (hand.joints[names.index(name)] for name in ("ThumbTip", "IndexTip"))
    keys = [[curve.keys for curve in joint.curves[:3]] for joint in (thumb, index)]
    times = np.unique(np.concatenate([key["time"] for key in keys[0] + keys[1]])).astype(float)
    places = [np.stack([np.interp(times, key["time"], key["value"]) for key in rows]) for rows in keys]
    expected = np.sqrt(np.square(places[0] - places[1]).sum(axis=0)).min()
    assert found["pinch"]["left_hand_mrtk_1.0"] == pytest.approx(expected, abs=1e-5)
    assert found["speed"].shape[0] == len(found["arrays"]["times"]) - 1 and found["speed"].max() > 0


def test_pandas_reads_the_same_numbers(folder: Path) -> None:
    table = pandas.read_csv(folder / "tables" / "left_hand_mrtk_1.0.csv")
    with np.load(folder / "arrays" / "left_hand_mrtk_1.0.npz") as arrays:
        places = table[["x", "y", "z"]].to_numpy(np.float32).reshape(arrays["positions"].shape)
        assert np.abs(places - arrays["positions"]).max() <= 2**-20
        assert table["time"].unique().tolist() == arrays["times"].tolist()
        assert table["node"].unique().tolist() == arrays["nodes"].tolist()
