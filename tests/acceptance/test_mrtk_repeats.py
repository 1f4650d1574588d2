"""Curves that repeat: MRTK plays as long as Blender was asked to, and every joint where Blender shows it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import mrtk_scene as scene
import numpy as np
import pytest
from scenes.players.mrtk import Player

bpy = pytest.importorskip("bpy")

LEFT_HAND = scene.DATA / "v10_recorder_3s_left_hand.bin"
TWO_HANDS = scene.DATA / "v11_recorder_10s_two_hands_mrtk273.bin"
JOINTS = [joint for joint in scene.mrtk_reference.JOINTS if joint != "None"]
RATE = 60.0


def make_cyclic(rig: Any, names: Iterable[str] = ('"',)) -> None:
    """Add Blender's Cycles to the curves of bones of these names, as Channel > Make Cyclic does."""
    for (path, _), curve in scene.fcurves(rig).items():
        if any(name in path for name in names):
            curve.modifiers.new("CYCLES")
    rig.animation_data.action.update_tag()


def assert_plays(player: Player, rig: Any, joints: Iterable[str], seconds: Iterable[float]) -> None:
    """A file's joints are at these moments where Blender shows the bones of their names."""
    for moment in seconds:
        scene.assert_shown(player, rig, joints, moment * RATE, 1.2e-4)


# --- How long it plays -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["manual range", "scene range", "bake"])
@pytest.mark.parametrize("known", [True, False], ids=["imported", "as new"])
def test_a_recording_whose_curves_all_repeat_plays_as_long_as_asked(how: str, known: bool, tmp_path: Path) -> None:
    scene.set_rate("60")
    rig = scene.bring_in(LEFT_HAND)
    make_cyclic(rig)
    action, stage = rig.animation_data.action, bpy.context.scene
    if how == "manual range":
        action.use_frame_range, action.frame_start, action.frame_end = True, 0, 900
    else:
        stage.frame_start, stage.frame_end = 0, 900
    options = {"scene range": {"use_scene_range": True}, "bake": {"bake_to_scene_end": True}}.get(how, {})
    player = Player(scene.send_out(tmp_path / "long.bin", use_source=known, **options))
    assert player.duration == pytest.approx(15.0, abs=1e-5)
    assert_plays(player, rig, ["Wrist.L", "IndexTip.L"], np.arange(0.0, 14.9, 0.3471))


@pytest.mark.parametrize(("options", "seconds"), [({"loop_count": 3}, 30.0), ({"loop_until": 13.5}, 13.5)])
@pytest.mark.parametrize("path", [LEFT_HAND, TWO_HANDS], ids=lambda path: path.stem)
def test_a_recording_can_loop(path: Path, options: dict[str, Any], seconds: float, tmp_path: Path) -> None:
    once = Player(path.read_bytes())
    seconds = once.duration * 3 if "loop_count" in options else seconds
    scene.set_rate("60")
    scene.bring_in(path)
    data = scene.send_out(tmp_path / "loop.bin", **options)
    assert "warning" not in scene.export_report()
    player = Player(data)
    assert player.duration == pytest.approx(seconds, abs=1e-5)
    assert len(data) < 1.3 * len(path.read_bytes())
    for moment in np.arange(0.013, seconds - 0.1, 0.217):
        then = moment % once.duration
        for side in "LR":
            assert player.tracked(side, moment) == once.tracked(side, then), moment
            for joint in JOINTS if once.tracked(side, then) else []:
                mine, theirs = player.pose(f"{joint}.{side}", moment), once.pose(f"{joint}.{side}", then)
                np.testing.assert_allclose(np.concatenate(mine), np.concatenate(theirs), atol=2e-4)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 18, 68
    assert bpy.ops.anim_curves.trim_to_view() == {"FINISHED"}
    cut = Player(scene.send_out(tmp_path / "cut.bin", loop_until=once.duration))  # no longer than its file was
    assert cut.duration == pytest.approx(once.duration, abs=1e-5)
    mine, theirs = (cut.pose("Palm.L", moment)[0] for moment in (2.1, 2.1 % (50 / RATE)))
    np.testing.assert_allclose(mine, theirs, atol=1e-5)
