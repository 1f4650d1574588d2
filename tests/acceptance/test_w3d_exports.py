"""Motion made in Blender, written in every form, and read again: what the file shows is what Blender showed."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import add, animate, reopen
from scenes.players import w3d, w3x
from w3d_scene import export_report

bpy = pytest.importorskip("bpy")

Lay = scene.Lay

FLAVORS = ("RAW", "TIMECODED", "ADAPTIVE_DELTA", "BFME_TIMECODED", "BFME_ADAPTIVE")
FRAMES = 31
CHAIN = [("hip", None, (0.0, 0.0, 1.0)), ("chest", "hip", (0.2, 0.1, 2.0)), ("hand", "chest", (1.0, 0.0, 2.5))]


def dancer(seed: int = 1) -> Any:
    """Three bones with Bezier keys on frames 0, 7, 15, 16 and 30."""
    scene.set_rate()
    rig = scene.make_armature(CHAIN, "Dancer.01")
    random = np.random.default_rng(seed)
    for bone in rig.pose.bones:
        for frame in (0, 7, 15, 16, 30):
            turn = random.normal(size=4) * 0.4 + [1, 0, 0, 0]
            bone.rotation_quaternion = turn / np.linalg.norm(turn)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
            bone.location = random.normal(size=3)
            bone.keyframe_insert("location", frame=frame)
    rig.animation_data.action.name = "Dance"
    return rig


def own_moves(worlds: dict[str, np.ndarray], parents: dict[str, str | None]) -> dict[str, np.ndarray]:
    """Each bone relative to its parent."""
    return {
        name: (np.linalg.inv(worlds[parent]) if (parent := parents[name]) else np.eye(4)) @ world
        for name, world in worlds.items()
    }


@pytest.mark.parametrize("flavor", FLAVORS)
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_every_form_keeps_its_tolerance_on_every_frame(flavor: str, scale: float, tmp_path: Path) -> None:
    """Also on a figure of two hundredths of a unit, of whose size as it stands at first the tolerance is a part."""
    rig = dancer()
    rig.scale = (scale,) * 3
    expected = scene.seen_worlds(rig, range(FRAMES))
    data = scene.send_out(tmp_path / "dance.w3d", flavor=flavor)
    player = w3d.Player.of(data)
    assert (player.frames, player.rate, player.name, player.hierarchy) == (FRAMES, 30, "DANCE", "DANCER.01")
    assert all(channel.pivot > 0 for channel in player.channels)
    parents = {bone.name.upper(): bone.parent.name.upper() if bone.parent else None for bone in rig.pose.bones}
    limit, degrees = {"RAW": (1e-5, 0.01)}.get(flavor, (0.00101, 0.0501))
    limit *= min(1.0, np.ptp([world[:3, 3] for world in expected[0].values()], axis=0).max())
    if "ADAPTIVE" in flavor or "DELTA" in flavor:
        told = re.search(r"by up to ([0-9.e-]+) degrees and ([0-9.e-]+) units; choose", export_report())
        assert told is not None
        degrees, limit = (float(number) * 1.06 for number in told.groups())
    distance = turn = 0.0
    for frame, seen in enumerate(expected):
        size = np.array([scale, scale, scale, 1.0])
        wanted = own_moves({name.upper(): world / size for name, world in seen.items()}, parents)
        shown = scene.worlds(data, frame)
        got = own_moves({name: shown[name] for name in wanted}, parents)
        for name, world in wanted.items():
            distance = max(distance, float(np.abs(world[:3, 3] - got[name][:3, 3]).max()))
            turn = max(turn, scene.angle(world, got[name]))
    assert distance <= limit * math.sqrt(3) and turn <= degrees


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


EDITED = ("g01_raw_trim_vis", "g02_tc_default", "g03_tc_binmove", "g04_ad_17f", "g06_raw_flip", "g09_ad_20b_200f")
EDITED += ("h01_raw_extra", "h03_tc_hand", "b01_motion_tc", "b02_motion_ad4")


def inner_chunks(data: bytes) -> list[tuple[int, bytes]]:
    """Kind and content of every leaf chunk of hierarchy and animations, and of other chunks whole."""
    found = []
    for kind, body in w3d.chunks(data):
        found += w3d.chunks(body) if kind in (0x100, 0x200, 0x280) else [(kind, body)]
    return found


@pytest.mark.parametrize("name", EDITED)
def test_after_an_edit_only_that_channel_differs(name: str, tmp_path: Path) -> None:
    path = scene.DATA / f"{name}.w3d"
    armature = scene.bring_in(path)
    (where, _), edited = next(
        item for item in scene.curves(armature).items() if len(item[1].keyframe_points) > 2 and "location" in item[0][0]
    )
    edited.keyframe_points[1].co[1] += 0.5
    kept = armature.name
    reopen(tmp_path / "scene.blend")
    bpy.context.view_layer.objects.active = bpy.data.objects[kept]
    before, after = inner_chunks(path.read_bytes()), inner_chunks(scene.send_out(tmp_path / path.name))
    assert len(before) == len(after)
    assert [a == b for a, b in zip(after, before, strict=True)].count(False) == 1, where


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
