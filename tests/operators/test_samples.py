"""The samples that are made by a tool: what a new user sees first, and the files that the tool writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SOURCE = Path(__file__).resolve().parents[2]
SAMPLES = SOURCE / "samples"
WALKS = ("walk.animj", "walk.animx")
JOINTS = [
    ("Hips", "Spine"), ("Spine", "Chest"), ("Chest", "Neck"), ("Neck", "Head"),
    *((f"{side}{limb}", f"{side}{end}") for side in ("Left", "Right") for limb, end in (
        ("Shoulder", "UpperArm"), ("UpperArm", "LowerArm"), ("LowerArm", "Hand"),
        ("UpperLeg", "LowerLeg"), ("LowerLeg", "Foot"), ("Foot", "Toes"),
    )),
]  # fmt: skip


def places(rig: Any, frame: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """World places of heads and tails by bone at a frame."""
    import bpy

    bpy.context.scene.frame_set(frame)
    bones = {bone.name: bone for bone in rig.pose.bones}
    ends = (
        {name: np.array(rig.matrix_world @ getattr(b, end)) for name, b in bones.items()} for end in ("head", "tail")
    )
    heads, tails = ends
    return heads, tails


@pytest.mark.parametrize("name", WALKS)
def test_a_walking_figure_is_seen_from_the_first_frame(bpy: Any, name: str) -> None:
    bpy.ops.import_anim.animx(filepath=str(SAMPLES / name))
    rig = bpy.context.object
    scene = bpy.context.scene
    assert len(rig.pose.bones) == 21
    strides = []
    for frame in range(scene.frame_start, scene.frame_end + 1, 2):
        heads, tails = places(rig, frame)
        assert max(np.abs(tails[limb] - heads[end]).max() for limb, end in JOINTS) < 1e-4
        tips = {f"{side}Toes": heads[f"{side}Toes"] for side in ("Left", "Right")}
        tips = {toe: tip + 0.06 * (tails[toe] - tip) / np.linalg.norm(tails[toe] - tip) for toe, tip in tips.items()}
        feet = [*tips.values(), heads["LeftFoot"], heads["RightFoot"]]
        assert abs(min(foot[2] for foot in feet)) < 1e-4
        assert heads["Head"][2] > heads["Hips"][2] + 0.4 > 1.2
        assert min(place[0] for place in heads.values()) > 1.0, "the cube of a new file reaches as far as 1"
        strides.append((heads["LeftFoot"] - heads["RightFoot"])[1])
    assert strides[0] < -0.6 and max(strides) > 0.6


def test_a_machine_with_a_model_of_its_own_leaves_the_selected_figure_alone(bpy: Any) -> None:
    """Seven of its nine names are parts of a body."""
    bpy.ops.import_anim.animx(filepath=str(SAMPLES / WALKS[0]))
    figure, walk = bpy.context.object, bpy.context.object.animation_data.action
    bpy.ops.import_anim.w3d(filepath=str(SAMPLES / "walker" / "walker.w3d"))
    assert bpy.context.object != figure and figure.animation_data.action == walk


@pytest.mark.parametrize(
    ("tool", "folder"), [("walking_figure", ""), ("hand_recording", ""), ("walking_machine", "walker")]
)
def test_the_tool_writes_the_samples(tool: str, folder: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(SOURCE / "tools" / f"{tool}.py"), "--output", str(tmp_path)], check=True)
    written = sorted(tmp_path.iterdir())
    assert len(written) == 2
    for path in written:
        assert path.suffix == ".animx" or path.read_bytes() == (SAMPLES / folder / path.name).read_bytes(), path.name


def test_both_walks_are_the_same_motion(part: Any) -> None:
    animx = part("io_formats.animx")
    text, packed = (animx.read((SAMPLES / name).read_bytes()) for name in WALKS)
    assert animx.same_content(text, packed)
