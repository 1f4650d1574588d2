"""A short fuzz of the import operators in every test run, and proof that its census sees what it should."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import fuzz_operators
import pytest
from in_blender import curves_of
from mutations import load_samples
from structures import STRUCTURES, structured

bpy = pytest.importorskip("bpy")
RUNS = 8
patient = pytest.mark.usefixtures("patience")
BROKEN = sorted(path for path in (Path(__file__).resolve().parent.parent / "data" / "broken").glob("*/*"))


@pytest.mark.parametrize("name", fuzz_operators.FORMATS)
@patient
def test_damaged_files(extension: ModuleType, tmp_path: Path, name: str) -> None:
    outcomes, finds = fuzz_operators.fuzz(name, seed=2, runs=RUNS, folder=tmp_path)
    assert finds == []
    assert outcomes["refused"] > 0


@pytest.mark.parametrize("name", fuzz_operators.FORMATS)
def test_every_sample_and_every_structure_is_in_a_run_of_three_hundred(name: str) -> None:
    samples = {sample for sample, _ in load_samples(fuzz_operators.SOURCE / "tests" / "data" / name)}
    structures = {structured(name, 0, number, 9000)[0] for number in range(len(STRUCTURES[name]))}
    assert {sample for sample, _ in fuzz_operators.files(name, seed=2, runs=300)} == samples | structures


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: f"{path.parent.name}-{path.name}")
@patient
def test_files_broken_in_known_ways(extension: ModuleType, path: Path) -> None:
    outcome, detail = fuzz_operators.try_file(path.parent.name, path)
    assert outcome in ("imported", "refused"), detail


def test_a_refusal_that_leaves_something_is_a_find(extension: ModuleType) -> None:
    before = fuzz_operators.blend_census().census()
    assert fuzz_operators.judge_refusal("Error: byte 3: too short", before)[0] == "refused"
    bpy.data.actions.new("left behind")
    assert fuzz_operators.judge_refusal("Error: byte 3: too short", before)[0] == "find"


def test_curves_with_nan_are_a_find(extension: ModuleType) -> None:
    bpy.ops.object.armature_add()
    bpy.context.object.keyframe_insert("location", frame=3)
    assert fuzz_operators.unsound_curves() == []
    curve = curves_of(bpy.context.object.animation_data.action)[0]
    curve.keyframe_points[0].co = (3.0, float("nan"))
    assert len(fuzz_operators.unsound_curves()) == 1
