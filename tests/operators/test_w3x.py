"""W3X through Blender: what is seen, what comes out again, one edit, other formats' animations."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import bones_seen, curves_of, drawn_as_nothing, go_to
from w3x_goldens import DATA

GOLDENS = {"g01_anim": ["g01_anim"], "g02": ["g02"], "g03": ["g03_g03_roll", "g03_g03_stand"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in DATA.glob("*.w3x"):
        shutil.copy(path, tmp_path)
    return tmp_path


def load(bpy: Any, path: Path, **options: Any) -> Any:
    assert bpy.ops.import_anim.w3x(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.object


def truth(name: str) -> dict[str, Any]:
    with np.load(DATA / f"{name}.npz", allow_pickle=False) as held:
        return dict(held)


@pytest.mark.parametrize(("file", "index"), [("g01_anim", 0), ("g02", 0), ("g03", 0), ("g03", 1)])
def test_every_whole_and_half_frame_is_the_games(bpy: Any, folder: Path, file: str, index: int) -> None:
    expected = truth(GOLDENS[file][index])
    rig = load(bpy, folder / f"{file}.w3x", start_frame=0)
    assert bpy.context.scene.render.fps == 30
    wanted = {"g01_anim": ["G01_ANIM"], "g02": ["G02"], "g03": ["G03_Roll", "G03_Stand"]}[file][index]
    rig.animation_data.action = bpy.data.actions[wanted]
    for bone in rig.pose.bones:  # as docs/w3d.md says: Blender leaves what the Action before has posed
        bone.matrix_basis.identity()
    names = [str(name) for name in expected["names"]]
    frames = expected["frame"][expected["frame"] <= int(expected["num_frames"]) - 1]
    seen = bones_seen(rig, frames)
    found = np.stack([seen[name] for name in names], axis=1)
    at_rest = np.array([np.array(rig.data.bones[name].matrix_local) for name in names])
    base = np.tile(np.eye(4), (len(names), 1, 1))
    base[:, :3] = expected["base_world"].reshape(-1, 3, 4)
    own = expected["world"][: len(frames)].reshape(len(frames), len(names), 3, 4)
    world = np.tile(np.eye(4), (len(frames), len(names), 1, 1))
    world[..., :3, :] = own
    moved = world @ np.linalg.inv(base) @ at_rest
    size = max(1.0, float(np.abs(own[..., 3]).max()))
    assert np.abs(found[..., :3, 3] - moved[..., :3, 3]).max() <= 1e-5 * size
    between = np.swapaxes(found[..., :3, :3], -1, -2) @ moved[..., :3, :3]
    sines = np.linalg.norm(between - np.swapaxes(between, -1, -2), axis=(-1, -2)) / np.sqrt(8)
    assert np.degrees(np.arcsin(np.minimum(sines, 1)).max()) <= 0.003


def test_numbers_that_no_float_holds_leave_numpy_silent_on_the_console(bpy: Any, folder: Path) -> None:
    path = folder / "g01_anim.w3x"
    path.write_bytes(path.read_bytes().replace(b"0.369797", b"1e308"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(bpy, path, start_frame=0, thin=True)
        assert bpy.ops.export_anim.w3x(filepath=str(folder / "out.w3x")) == {"FINISHED"}


@pytest.mark.parametrize("name", ["g01_anim", "g02", "g03_g03_roll"])
def test_bones_are_hidden_below_a_tenth(bpy: Any, folder: Path, name: str) -> None:
    """Every bone on every whole and half frame, its children for themselves."""
    rig = load(bpy, folder / f"{name[:3] if name.startswith('g03') else name}.w3x", start_frame=0)
    expected = truth(name)
    for number, frame in enumerate(expected["frame"]):
        go_to(frame)
        for bone, hidden in zip(expected["names"], expected["hidden"][number], strict=True):
            assert drawn_as_nothing(rig, str(bone)) == bool(hidden), (bone, frame)


def test_animations_share_an_armature_in_any_case_of_letters(bpy: Any, folder: Path) -> None:
    rig = load(bpy, folder / "g03.w3x")
    assert [thing.type for thing in bpy.context.scene.objects] == ["ARMATURE"]
    assert rig.animation_data.action.name == "G03_Roll"


@pytest.mark.parametrize("tool", ["export_in_place", "export_changed"])
def test_what_is_written_without_a_dialogue_keeps_the_preferred_limits(
    bpy: Any, part: Callable[[str], Any], folder: Path, tool: str
) -> None:
    """The sentence of the refusal sends a person to the preferences, which then must be what counts."""
    action = load(bpy, folder / "g01_anim.w3x").animation_data.action
    for curve in curves_of(action):
        curve.keyframe_points[-1].co.x = 1e5
    preferred = part("operators.preferences").preferences(bpy.context)
    preferred.time_s = 1
    with pytest.raises(RuntimeError, match=r"the limit is 1; raise it \(Time in the add-on's"):
        getattr(bpy.ops.anim_curves, tool)()
    preferred.time_s = 0
