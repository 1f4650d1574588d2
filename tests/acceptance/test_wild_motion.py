"""What no curve can follow ends in as many keys as anybody sees, and in a warning with what was measured."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from in_blender import add, animate, curves_of
from test_check import send_out
from w3d_scene import make_armature

bpy = pytest.importorskip("bpy")

FRAMES = 24
MOST = 16 * FRAMES + 16
"""Keys: sixteen a frame, and some for the ends."""


@pytest.fixture
def shaker(extension: Any) -> Any:
    """An object that moves by one metre in a second."""
    made = add("Shaker", None, active=True)
    made.select_set(True)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 1 + FRAMES
    animate(made, "location", {1: 0.0, 1 + FRAMES: 1.0}, index=0)
    return made


def shaken(made: Any, scale: float = 0.0) -> None:
    """Noise of a thousand Hz, or of another scale."""
    curves_of(made.animation_data.action)[0].modifiers.new("NOISE").scale = (
        scale or bpy.context.scene.render.fps / 1000.0
    )


def driven(made: Any, expression: str) -> None:
    driver = made.driver_add("location", 2).driver
    driver.type, driver.expression = "SCRIPTED", expression


def exported(folder: Path) -> list[dict[str, Any]]:
    """The keys of the one track that moves."""
    (track,) = json.loads(send_out("animx", folder).read_text())["tracks"]
    keys = next(part for part in track["data"].values() if isinstance(part, list))
    assert all(math.isfinite(number) for key in keys for number in key["value"].values())
    return list(keys)


@pytest.mark.parametrize("expression", ["", "sin(frame * 1000)", "1 / (frame - 12.49)"], ids=["noise", "sine", "pole"])
def test_what_is_too_fast_has_as_many_keys_as_anybody_sees_and_a_warning(
    expression: str, shaker: Any, told: list[Any], tmp_path: Path
) -> None:
    driven(shaker, expression) if expression else shaken(shaker)
    assert len(exported(tmp_path)) <= MOST
    warnings = [str(entry) for entry in told[0].report.warnings]
    assert any("Shaker" in line and (" mm" in line or " m" in line) for line in warnings), warnings


def test_a_driver_that_is_no_number_leaves_a_file_of_numbers(shaker: Any, told: list[Any], tmp_path: Path) -> None:
    driven(shaker, "float('nan') if frame > 12 else frame / 10")
    assert len(exported(tmp_path)) <= MOST and not told[0].check.off


@pytest.mark.parametrize("kind", ["w3d", "w3x"])
def test_of_what_is_between_whole_frames_a_file_of_these_is_asked_nothing(
    kind: str, told: list[Any], tmp_path: Path
) -> None:
    """Noise as Blender adds it was faster than samples, of which such a file takes those on its frames alone."""
    rig = make_armature([("hip", None, (0, 0, 1))])
    animate(rig.pose.bones["hip"], "location", dict.fromkeys((1, 1 + FRAMES), 0.0), index=0)
    shaken(rig, 1.0)
    send_out(kind, tmp_path)
    assert not [str(entry) for entry in told[0].report.warnings if "sampled" in str(entry)]
    assert not told[0].check.off
