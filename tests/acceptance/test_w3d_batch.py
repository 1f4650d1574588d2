"""Many animation files at once, as a modder opens the whole animation folder of a unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import go_to
from work import work_of

bpy = pytest.importorskip("bpy")

Lay = scene.Lay

BONES = ["ROOTTRANSFORM", *(f"BONE{at:02d}" for at in range(1, 20))]


def animation(name: str, frames: int, seed: float) -> bytes:
    """Every bone turns and moves on every frame."""
    at = np.arange(frames) / 10 + seed
    channels = []
    for pivot in range(1, len(BONES)):
        turn = np.stack([np.sin(at), 0 * at, 0 * at, np.cos(at)], axis=1)
        channels += [Lay.raw(0, np.sin(at + pivot + kind), kind, pivot) for kind in range(3)]
        channels.append(Lay.raw(0, turn, 6, pivot))
    return Lay.animation(*channels, frames=frames, name=name)


def folder_of(tmp_path: Path, count: int, frames: int) -> list[Path]:
    scene.write(tmp_path / "skel.w3d", Lay.hierarchy(BONES))
    return [
        scene.write(tmp_path / f"anim_{at:03d}.w3d", animation(f"MOVE_{at:03d}", frames, at / 7)) for at in range(count)
    ]


def test_the_last_of_many_files_are_no_more_work_than_the_first(tmp_path: Path) -> None:
    """Of equal content; the second meets the armature that the first has made."""
    paths = folder_of(tmp_path, 40, 10)
    data = paths[0].read_bytes()
    for path in paths:
        path.write_bytes(data)
    w3d = scene.part("io_formats.w3d")
    importing = scene.part("pipeline.import_files").import_files(bpy.context, paths, w3d.FORMAT, w3d.ImportOptions())
    errors: list[object] = []
    work = [work_of(lambda: errors.append(next(importing).error)) for _ in paths]
    assert errors == [None] * 40
    assert sorted(work[30:])[5] <= 1.05 * sorted(work[1:11])[5]


@pytest.mark.parametrize("part", ["wlk", "skin"])
def test_each_of_several_skeletons_gets_an_armature_of_its_own(part: str, data: Path, tmp_path: Path) -> None:
    """Two units whose pivots have the same names: a file that comes first is not what a person selected."""
    for path in (data / "w3d_models").glob("m02_*.w3d"):
        for unit in ("2", "9"):
            own = path.read_bytes().replace(b"M02_", b"M0%b_" % unit.encode())
            scene.write(tmp_path / path.name.replace("2", unit), own)
    scene.bring_in_all([tmp_path / f"m0{unit}_{part}.w3d" for unit in ("2", "9")])
    assert {armature.name for armature in bpy.data.armatures} == {"M02_SKL", "M09_SKL"}


def test_each_file_of_a_batch_but_a_bad_one_is_an_action_of_its_numbers_at_any_scale_and_its_bytes(
    tmp_path: Path,
) -> None:
    paths = folder_of(tmp_path / "in", 4, 3)
    paths[2].write_bytes(paths[2].read_bytes()[:-30])
    assert scene.bring_in_all(paths, scale=0.1) == {"FINISHED"}
    (rig,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    told = bpy.data.texts["Import Report"].as_string()
    assert "anim_002.w3d, byte" in told and told.startswith("3 of 4 files, 3 Actions")
    for number in (0, 1, 3):
        scene.part("scene.actions").assign(rig, bpy.data.actions[f"MOVE_{number:03d}"])
        go_to(1)
        assert rig.pose.bones["BONE07"].location[0] == pytest.approx(np.sin(0.1 + number / 7 + 7), abs=1e-5)
    written = scene.send_out_all(tmp_path / "out")
    assert written == {f"MOVE_{number:03d}.w3d": paths[number].read_bytes() for number in (0, 1, 3)}
    assert len([text for text in bpy.data.texts if text.name.startswith("Source of")]) == 4  # one is the skeleton's


def test_of_files_of_several_skeletons_each_rests_all_of_its_own(tmp_path: Path) -> None:
    """The second is of an arm without a hand, the third of the arm with it."""
    pivots = ["ROOTTRANSFORM", "ARM", "HAND"]
    rig: Any = scene.bring_in(scene.write(tmp_path / "arm.w3d", Lay.hierarchy(pivots)))
    scene.write(tmp_path / "SHORT.w3d", Lay.hierarchy(pivots[:2], name="SHORT"))
    paths = []
    for number, (pivot, skeleton) in enumerate([(2, "SKEL"), (1, "SHORT"), (1, "SKEL")]):
        moved = Lay.animation(Lay.raw(0, [5.0] * 10, 0, pivot), name=f"M{number}", skeleton=skeleton)
        paths.append(scene.write(tmp_path / f"M{number}.w3d", moved))
    scene.bring_in_all(paths)
    assert len(bpy.data.armatures) == 1
    for name, place in (("M0", 5.0), ("M2", 0.0)):
        scene.part("scene.actions").assign(rig, bpy.data.actions[name])
        go_to(5)
        assert np.linalg.norm(rig.pose.bones["HAND"].location) == pytest.approx(place), name
