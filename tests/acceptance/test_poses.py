"""Poses of ordinary rigs in all three formats: as many keys as the curves have, and the world that Blender shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import w3d_scene
from cases import slow
from in_blender import add, add_armature, animate, choose, fcurves, push_down
from scenes.players.animx import Player
from w3d_scene import export_report as report

bpy = pytest.importorskip("bpy")

Bone = tuple[str, str | None, tuple[float, ...], tuple[float, ...]]
KEYED = (0, 6, 12, 18, 24)
HUMANOID: list[Bone] = [
    ("hips", None, (0, 0, 1), (0, 0, 1.2)),
    ("chest", "hips", (0, 0, 1.2), (0, 0.02, 1.5)),
    ("head", "chest", (0, 0.02, 1.5), (0, 0, 1.75)),
    *((f"thigh.{side}", "hips", (at, 0, 1), (at, 0, 0.55)) for side, at in (("L", 0.1), ("R", -0.1))),
    *((f"shin.{side}", f"thigh.{side}", (at, 0, 0.55), (at, 0.01, 0.1)) for side, at in (("L", 0.1), ("R", -0.1))),
]
RIGIFY: list[Bone] = [
    ("spine", None, (0, 0.0552, 1.0099), (0, 0.0172, 1.1573)),
    ("spine.001", "spine", (0, 0.0172, 1.1573), (0, 0.0004, 1.2931)),
    ("pelvis.L", "spine", (0, 0.0552, 1.0099), (0.1112, -0.0451, 1.1533)),
    ("thigh.L", "spine", (0.0980, 0.0124, 1.0720), (0.0980, -0.0286, 0.5372)),
    ("shin.L", "thigh.L", (0.0980, -0.0286, 0.5372), (0.0980, 0.0162, 0.0852)),
    ("foot.L", "shin.L", (0.0980, 0.0162, 0.0852), (0.0980, -0.0934, 0.0167)),
    ("thigh.R", "spine", (-0.0980, 0.0124, 1.0720), (-0.0980, -0.0286, 0.5372)),
    ("shin.R", "thigh.R", (-0.0980, -0.0286, 0.5372), (-0.0980, 0.0162, 0.0852)),
]


def downward(count: int = 500) -> list[Bone]:
    """Bones under one that stands up, nearly all of them pointing nearly straight down."""
    random = np.random.default_rng(7)
    bones: list[Bone] = [("root", None, (0, 0, 0), (0, 0.03, 1))]
    for number in range(count):
        head = random.uniform(-1, 1, 3)
        slant = random.normal(size=2) * 10.0 ** random.uniform(-6, -1)
        tail = head + np.append(slant, -random.uniform(0.05, 0.6))
        parent = "root" if number % 3 else f"bone{max(number - 1, 0)}" if number else "root"
        bones.append((f"bone{number}", parent, tuple(head), tuple(tail)))
    return bones


def make_rig(bones: Sequence[Bone], seed: int = 1) -> Any:
    """An armature, selected, all of whose bones turn with Bezier curves; the root moves too."""
    bpy.context.scene.render.fps = 24
    rig = add_armature("Man", bones)
    random = np.random.default_rng(seed)
    for bone in rig.pose.bones:
        turn_bone(bone, random)
    animate(rig.pose.bones[0], "location", {frame: random.uniform(-0.3, 0.3, 3) for frame in KEYED})
    choose(rig)
    return rig


def turn_bone(bone: Any, random: np.random.Generator) -> None:
    for frame in KEYED:
        turn = random.normal(size=4) * 0.2 + [1, 0, 0, 0]
        bone.rotation_quaternion = turn / np.linalg.norm(turn)
        bone.keyframe_insert("rotation_quaternion", frame=frame)


def worlds_at(frame: float) -> dict[str, np.ndarray]:
    """World matrix of all objects and bones, evaluated."""
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    found = {}
    for thing in bpy.context.scene.objects:
        seen = thing.evaluated_get(graph)
        found[thing.name] = np.array(seen.matrix_world, np.float64)
        for bone in seen.pose.bones if seen.pose else ():
            found[bone.name] = np.array(seen.matrix_world @ bone.matrix, np.float64)
    return found


SWAP = np.eye(4)[[0, 2, 1, 3]]
"""Engine Axes: Y up, Z forward, left-handed."""


def animj_error(file: Player, parents: dict[str, str | None], frames: Sequence[float]) -> float:
    """Largest difference of local matrices, in the terms of each node's parent in Blender."""
    worst = 0.0
    for frame in frames:
        worlds = worlds_at(frame)
        for name, parent in parents.items():
            above = np.eye(4) if parent is None else worlds[parent]
            local = np.linalg.inv(above) @ worlds[name]
            found = SWAP @ file.local(name, frame / 24, np.eye(4)) @ SWAP
            worst = max(worst, float(np.abs(local - found).max()))
    return worst


def parents_of(rig: Any) -> dict[str, str | None]:
    return {bone.name: bone.parent.name if bone.parent else rig.name for bone in rig.pose.bones}


def send(kind: str, path: Path, **options: Any) -> Path:
    assert getattr(bpy.ops.export_anim, kind)(filepath=str(path), **options) == {"FINISHED"}
    return path


def sent(path: Path, **options: Any) -> Player:
    """An AnimJ of what is selected, in Engine Axes, which are (x, z, y) of Blender's."""
    return Player(send("animx", path, axes="ENGINE", still_channels=True, **options).read_bytes())


def key_count(file: Player) -> int:
    """Keys of what moves, one for each component."""
    return sum(track.values.size for track in file.tracks if len(track.times) > 1)


def w3d_error(path: Path, rig: Any) -> tuple[float, float]:
    """Largest distance and angle in degrees on whole frames, in the world."""
    return w3d_scene.furthest(path.read_bytes(), w3d_scene.seen_worlds(rig, range(25)))


# --- As many keys as the curves have --------------------------------------------------------------------------------


@pytest.mark.parametrize("bones", [HUMANOID, RIGIFY, slow(downward())], ids=["humanoid", "rigify", "downward"])
def test_rests_that_float32_left_crooked_add_no_keys(bones: list[Bone], tmp_path: Path) -> None:
    """Thighs that point straight down were sampled at 256 times the keys."""
    rig = make_rig(bones)
    keys = len(KEYED) * (4 * len(bones) + 3)
    file = sent(tmp_path / "walk.animj")
    assert key_count(file) == keys
    assert "sampled" not in report()
    assert animj_error(file, parents_of(rig), (0, 3.3, 12, 20.7)) < 1e-4


@pytest.mark.parametrize("bones", [HUMANOID, RIGIFY, slow(downward(100))], ids=["humanoid", "rigify", "downward"])
def test_an_import_onto_such_a_rig_and_one_edited_key_add_none_either(bones: list[Bone], tmp_path: Path) -> None:
    rig = make_rig(bones)
    first = Player(send("animx", tmp_path / "walk.animj").read_bytes())
    seen = worlds_at(9.5)
    rig.animation_data_clear()
    assert bpy.ops.import_anim.animx(filepath=str(tmp_path / "walk.animj"), target="SELECTED") == {"FINISHED"}
    assert sum(len(curve.keyframe_points) for curve in fcurves(rig).values()) <= sum(
        track.values.size for track in first.tracks
    )
    for name, world in worlds_at(9.5).items():
        assert np.abs(world - seen[name]).max() < 1e-4
    curve = w3d_scene.part("scene.actions").fcurves_of(rig)[-1]
    curve.keyframe_points[0].co.y += 0.1
    curve.update()
    assert key_count(Player(send("animx", tmp_path / "edited.animj").read_bytes())) == key_count(first)


# --- Under parents that nobody chose --------------------------------------------------------------------------------


def make_empty(name: str, parent: Any = None, *, moves: bool = True, size: Sequence[float] = (1, 1, 1)) -> Any:
    """An empty that stands somewhere, turned; with keys where it moves."""
    made = add(name, None)
    made.location, made.rotation_euler, made.scale, made.parent = (1, 2, 0.5), (0.3, 0.4, 0.7), size, parent
    random = np.random.default_rng(len(name))
    for path in ("location", "rotation_euler") if moves else ():
        animate(made, path, {frame: random.uniform(-1, 1, 3) for frame in KEYED})
    return made


MOMENTS = (0, 2.5, 13.3, 24)


def test_what_hangs_on_a_bone_of_another_rig_moves_with_it(tmp_path: Path) -> None:
    crane = make_rig([("arm", None, (0, 0, 0), (0, 0, 1)), ("hook", "arm", (0, 0, 1), (0, 1, 1)), HUMANOID[0]])
    crane.name = "Crane"
    rig = make_rig(RIGIFY[:3], seed=2)
    rig.parent, rig.parent_type, rig.parent_bone = crane, "BONE", "hook"
    animate(crane.pose.bones["hook"], '["grip"]', {0: 0.0, 24: 1.0})  # which is nothing of how that stands
    choose(rig)
    file = sent(tmp_path / "hung.animj")
    assert "grip" not in {track.field for track in file.tracks}
    assert set(file.nodes) == {"arm", "hook", *(name for name, *_ in RIGIFY[:3])}
    assert animj_error(file, {**parents_of(rig), "arm": "Crane", "hook": "arm"}, MOMENTS) < 1e-3
    crane.pose.bones["hook"].constraints.new("COPY_ROTATION").target = make_empty("Target")
    push_down(crane)
    animate(crane.pose.bones["arm"], "location.x", {0: 0.0, 24: 1.0})  # where its strip would have it elsewhere
    rig.animation_data.action.name = "Hung"
    choose(rig)
    send("w3d", tmp_path / "any.w3d", actions="ALL", check_playback="OFF")
    assert np.less(w3d_error(tmp_path / "Hung.w3d", rig), (1e-5, 1e-3)).all()


# --- Modes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "ending"), [("w3d", "w3d"), ("animx", "animj")])
@pytest.mark.parametrize("edited", ["own", "target"])
def test_an_armature_in_edit_mode_is_not_exported_at_rest(kind: str, ending: str, edited: str, tmp_path: Path) -> None:
    """What its constraints make of it, or of others, was sampled as if nothing moved."""
    rig, other = make_rig(HUMANOID), make_rig(RIGIFY[:3], seed=2)
    constraint = rig.pose.bones["chest"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = other, RIGIFY[2][0]
    choose(rig if edited == "own" else other)
    bpy.ops.object.mode_set(mode="EDIT")
    rig.select_set(True)
    other.select_set(False)
    with pytest.raises(RuntimeError, match=r"Man(\.001)? is in Edit Mode"):
        send(kind, tmp_path / f"man.{ending}")
    assert not list(tmp_path.iterdir())
    said: list[str] = []  # before a person has chosen a name
    dialogue = SimpleNamespace(confirmed=False, properties=bpy.context.scene, report=lambda _, text: said.append(text))
    tools = w3d_scene.part("operators.action_tools")
    asking = w3d_scene.part("operators.exporting").ExportOperator, tools.ExportInPlace, tools.ExportChanged
    for operator in asking:
        dialogue._question = lambda context, own=operator: own._question(dialogue, context)
        operator.invoke(dialogue, bpy.context, None)
    assert [("is in Edit Mode" in text) for text in said] == [True] * len(asking)
    bpy.ops.object.mode_set(mode="POSE")
    assert np.less(w3d_error(send("w3d", tmp_path / "man.w3d"), rig), (1e-5, 1e-2)).all()


# --- Sizes ----------------------------------------------------------------------------------------------------------


def test_a_stretched_bone_alone_is_sampled_and_the_report_says_why(tmp_path: Path) -> None:
    """Stretch To: all other bones keep their keys; its own has twelve keys a frame at most, as the page says."""
    rig = make_rig(HUMANOID)
    plain = sent(tmp_path / "plain.animj")
    target = add("Target", None)
    animate(target, "location", {0: (0, 0.1, 1.9), 24: (0.5, -0.4, 2.3)})
    rig.pose.bones["head"].constraints.new("STRETCH_TO").target = target
    file = sent(tmp_path / "stretched.animj")
    counts, wanted = (
        {place: len(track.times) for place, track in each.by_place.items() if place[0] != "head"}
        for each in (file, plain)
    )
    assert counts == wanted
    own = [track for track in file.tracks if track.node == "head"]
    assert own and all(len(track.times) <= 12 * 25 for track in own)
    assert "head: the constraint Stretch To takes part in its pose" in report()
    assert animj_error(file, parents_of(rig), (0, 3.25, 12, 20.75)) < 2e-4
