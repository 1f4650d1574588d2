"""Motion made in Blender, written in every form, and read again: what the file shows is what Blender showed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import add, animate
from scenes.players import w3d, w3x

bpy = pytest.importorskip("bpy")

Lay = scene.Lay

CHAIN = [("hip", None, (0.0, 0.0, 1.0)), ("chest", "hip", (0.2, 0.1, 2.0)), ("hand", "chest", (1.0, 0.0, 2.5))]


@pytest.mark.parametrize(("kind", "form", "rate"), [("w3d", {"flavor": "TIMECODED"}, 30), ("w3x", {}, 240)])
def test_what_jumps_on_a_frame_is_no_ramp_while_more_moves(kind: str, form: Any, rate: int, tmp_path: Path) -> None:
    scene.set_rate(rate)
    rig, goal = scene.make_armature(CHAIN), add("Goal")
    held = rig.pose.bones["hand"].constraints.new("COPY_LOCATION")
    held.target = goal
    animate(held, "influence", {0: 0.0, 6: 1.0})
    animate(rig.pose.bones["hip"], "location.y", {0: 0.0, 6: 3.0})
    for curve in scene.curves(rig).values():
        curve.keyframe_points[0].interpolation = "CONSTANT"
    for thing, start in ((rig, 0.0), (goal, 9.0)):
        animate(thing, "location.x", {0: start, 10: start + 1.0})
    player = {"w3d": w3d, "w3x": w3x}[kind].Player.of(scene.send_out(tmp_path / f"a.{kind}", kind, **form))
    jumping = [each for each in player.channels if np.abs(each.values[6] - each.values[5]).max() > 0.5]
    assert {player.names[each.pivot].lower() for each in jumping} == {"hip", "hand"}
    assert all(np.flatnonzero(each.jumps).tolist() == [6] for each in jumping)


def test_euler_turns_and_scales_are_no_translations(tmp_path: Path) -> None:
    rig = scene.make_armature([("hip", None, (0.0, 0, 1)), ("head", "hip", (0.0, 0, 2))])
    head = rig.pose.bones["head"]
    head.rotation_mode = "XYZ"
    animate(head, "rotation_euler", {0: (0, 0, 0), 10: (1.0, 0.5, 2.0)})
    animate(head, "scale", {0: (1, 1, 1), 10: (11, 11, 11)})
    assert [channel.type for channel in w3d.Player.of(scene.send_out(tmp_path / "out.w3d")).channels] == [6]


@pytest.mark.parametrize("change", ["chosen", "limited", "each alone"])
def test_what_plays_otherwise_does_so_in_every_animation_of_the_file(change: str, tmp_path: Path) -> None:
    """Another skeleton of the name, or a constraint; of two animations neither was edited."""
    walk, run = (Lay.animation(Lay.raw(0, range(way, 10 * way + 1, way), 0, 1), name=f"GO{way}") for way in (1, 2))
    rig = scene.bring_in(scene.write(tmp_path / "go.w3d", Lay.hierarchy(), walk, run))
    names = ["ROOTTRANSFORM", "TAIL", "HIP", "HEAD"]
    other = scene.write(tmp_path / "other.w3d", Lay.hierarchy(names, [-1, 0, 0, 2]))
    if change == "chosen":
        written = [scene.send_out(tmp_path / "a.w3d", skeleton=str(other))]
    else:
        held = rig.pose.bones["HIP"].constraints.new("LIMIT_LOCATION")
        held.use_max_x, held.max_x = True, 4.5
        alone = change == "each alone"
        written = [*scene.send_out_all(tmp_path / "out").values()] if alone else [scene.send_out(tmp_path / "a.w3d")]
        assert len(written) == 1 + alone
    for number, way in enumerate((1, 2)):
        scene.part("scene.actions").assign(rig, bpy.data.actions[f"GO{way}"])
        expected = scene.seen_worlds(rig, range(10))
        assert max(max(scene.furthest(data, expected, number)) for data in written) < 1e-3


def test_other_animations_of_a_file_stay_where_nothing_plays_them_otherwise(tmp_path: Path) -> None:
    """An armature that is gone, and where an Action carries its own: neither is a change of the other animations."""
    one, two = (Lay.raw(0, range(10), 0, pivot) for pivot in (1, 2))
    beside = Lay.animation(two, name="RUN", skeleton="OTHER")
    bones = Lay.hierarchy(["ROOTTRANSFORM", "X", "Y"], [-1, 0, 1], name="OTHER")
    rig = scene.bring_in(scene.write(tmp_path / "a.w3d", Lay.hierarchy(), bones, Lay.animation(one), beside))
    bpy.data.objects.remove(bpy.data.objects["OTHER"])
    scene.curve(rig, "HIP", "location").keyframe_points[5].co.y += 0.5
    assert scene.send_out(tmp_path / "b.w3d").endswith(beside)
    beside = Lay.animation(two, name="RUN")
    rig = scene.bring_in(scene.write(tmp_path / "c.w3d", Lay.hierarchy(), Lay.animation(one), beside), target="NEW")
    animate(rig, "location.x", {0: 0, 9: 9})
    assert scene.send_out(tmp_path / "d.w3d").endswith(beside)


def test_beside_a_number_that_is_none_the_others_stay(tmp_path: Path) -> None:
    """Y and Z lost theirs of that frame, as a block leaves such a key out, and went out changed with any edit."""
    lines = [scene.Lay.raw(0, [float(at * at + kind) for at in range(6)], kind, 1) for kind in range(3)]
    lines[0] = scene.Lay.raw(0, [0.0, np.nan, 4.0, 9.0, 16.0, 25.0], 0, 1)
    path = scene.write(tmp_path / "odd.w3d", scene.Lay.hierarchy(["ROOTTRANSFORM", "HIP"]), scene.Lay.animation(*lines))
    armature = scene.bring_in(path)
    scene.curve(armature, "HIP", "location", 2).keyframe_points[4].co[1] += 0.5
    before, after = scene.raw_channels(path.read_bytes()), scene.raw_channels(scene.send_out(tmp_path / "out.w3d"))
    assert [place for place, body in after.items() if body != before[place]] == [(1, 2)]
    assert "Played back" in (told := scene.export_report()) and "nan" not in told, "the others are looked at"
