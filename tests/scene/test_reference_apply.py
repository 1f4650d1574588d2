"""Drawn clips on figures of any kind play what a loop over plain numbers says, and come back after edits as seen."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import plain
import pytest
from in_blender import bones_seen, choose, curves_of, editing, remove_curves

from io_formats import clip as classes

bpy = pytest.importorskip("bpy")
from mathutils import Matrix, Quaternion  # noqa: E402

Maker = Callable[..., Any]
Array = np.ndarray[Any, Any]
Rng = np.random.Generator
SEEDS, PARTS = 48, 3
MOMENTS = np.array([0.003, 0.07, 0.13, 0.27, 0.33, 0.57, 0.71, 0.9, 1.03, 1.4])
"""Seconds, none with a key and all before the end."""
WAYS = "NEW", "EXACT", "FOLLOW"
OFF = 5e-4
"""Of what is farthest: 0.012 degrees, as the judge of imports allows, and 0.004 for each of four bones above."""
PLACES = (
    Matrix.Identity(4),
    Matrix.LocRotScale((2.0, -3.0, 0.5), Quaternion((0.2, 0.3, 1.0), 2.1), None),
    Matrix.LocRotScale(None, Quaternion((1, 0, 0), 1.5707963), (0.01, 0.01, 0.01)),
)


def drawn(rng: Rng) -> Any:
    """A clip whose rests are such as bones can have; no curve begins with a step at once."""
    clip = plain.clip(rng, names="abcde", bend=0.1)
    clip.tracks = [each for each in clip.tracks if len(each.times) < 2 or each.times[0] < each.times[1]]
    clip.nodes = [plain.Node(each.name, each.parent, _unscaled(each.rest)) for each in clip.nodes]
    clip.root, clip.skeleton = _unscaled(clip.root), "FIGURE"
    return clip


def _unscaled(rest: Array) -> Array:
    found = np.array(rest)
    found[:3, :3] /= np.cbrt(np.linalg.det(found[:3, :3]))
    return found


def _figure(rng: Rng, still: Any, bring_in: Maker, *, placed: bool) -> tuple[Any, Matrix]:
    """An armature that was there, of the clip's bones, renamed or rolled; if `placed` elsewhere, standing anyhow, else
    with Y up in centimetres, or as a person has laid it down, by what comes with it."""
    rig = bring_in(still, source=False, target="NEW").rig
    with editing(rig) as bones:
        for bone in bones if rng.random() < 0.6 else ():
            bone.roll += rng.uniform(-2, 2)
            bone.head.x += rng.uniform(0.01, 0.05) * placed
    if placed:
        place = PLACES[rng.integers(3)]
        rig.data.transform(place.inverted() if rng.random() < 0.5 or place is PLACES[2] else PLACES[0])
        rig.matrix_world = place
    own, lies = rig.matrix_world.copy(), Matrix.Rotation(rng.choice((0.0, -1.5)) * (not placed), 4, "X")
    if not placed and lies == PLACES[0]:
        rig.data.transform(PLACES[2].inverted())
        own = own @ PLACES[2]
    rig.matrix_world = lies @ own
    rig.data.bones[0].name = rng.choice(("a", "Other"))
    for bone in rig.pose.bones:  # as another Action left it
        bone.location, bone.scale = rng.uniform(-1, 1, 3), rng.uniform(0.5, 1.5, 3)
    bpy.context.view_layer.update()
    choose(rig)
    return rig, lies


@pytest.mark.parametrize("part", range(PARTS))
def test_drawn_clips_play_on_any_figure_and_come_back_after_edits(
    part: int, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    for seed in range(part, SEEDS, PARTS):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rng, render = np.random.default_rng(seed), bpy.context.scene.render
        clip, way, rests = drawn(rng), str(rng.choice(WAYS)), dict[str, Array]()
        if way == "FOLLOW":  # which way a figure faces is a person's business
            clip.root[:3, :3] = plain.tilted(rng.uniform(-3, 3), (0, 0, 1))[:3, :3]
        own = plain.in_classes(clip, rooms.clip)
        start = float(rng.choice((0.0, 1.0, 10.5, -3.0)))
        render.fps, render.fps_base = ((24, 1.0), (30, 1.001), (60, 1.0))[rng.integers(3)]
        frames = MOMENTS * (render.fps / render.fps_base) + start
        if way == "NEW":
            applied = bring_in(own, start_frame=start, target="NEW")
        else:
            still = rooms.clip.Clip("still", nodes=own.nodes, root=own.root, skeleton="FIGURE")
            rig, lies = _figure(rng, still, bring_in, placed=way == "EXACT")
            rests = {bone.name: np.array(rig.matrix_world @ bone.matrix_local) for bone in rig.data.bones}
            applied = bring_in(own, start_frame=start, target="SELECTED", fit=way)
            assert applied.rig == rig
            clip.root = np.array(lies) @ clip.root
        rig = applied.rig
        _assert_plays(clip, rig, applied.bones, frames, way, rests, seed)
        if way == "FOLLOW":  # what has no keys of its own need not be where it was laid
            rig.matrix_world = lies.inverted() @ rig.matrix_world
        assert take(rig, action=applied.actions[0], written=own).exact or way != "NEW"
        for node, bone in applied.bones.items():
            rig.data.bones[bone]["was"] = node
        for edit in rng.choice(len(EDITS), rng.integers(1, 4), replace=False):
            EDITS[edit](rng, rig, rig.pose.bones[rng.integers(len(rig.pose.bones))])
        seconds = (frames - start) / (render.fps / render.fps_base)
        captured = take(rig, action=applied.actions[0], written=own)
        assert captured.clip.duration == pytest.approx(clip.duration * seconds[-1] / MOMENTS[-1]), seed
        _assert_comes_back(rig, frames, seconds, captured, take, seed)


def _assert_plays(
    clip: Any, rig: Any, bones: dict[str, str], frames: Array, way: str, rests: dict[str, Array], seed: int
) -> None:
    """Each bone is where the clip says or, on rests of its own, leaves these as the clip does; in its own size."""
    seen, standing = bones_seen(rig, frames), plain.worlds(plain.Clip("", nodes=clip.nodes, root=clip.root), 0.0)
    for number, at in enumerate(MOMENTS):
        worlds = plain.worlds(clip, at)
        reach = max(1.0, *(np.abs(world[:3]).max() for world in worlds.values()))
        for node, bone in bones.items():
            found, wanted = seen[bone][number], worlds[node]
            if way == "FOLLOW":
                found, wanted = found @ np.linalg.inv(rests[bone]), wanted @ np.linalg.inv(standing[node])
            else:
                found[:3, :3] /= rig.matrix_world.median_scale
            assert np.abs(found - wanted).max() < OFF * reach, (seed, node, at)


def _assert_comes_back(rig: Any, frames: Array, seconds: Array, captured: Any, take: Maker, seed: int) -> None:
    """Each node is where Blender shows its bone, whatever that is called now; what is told may be off."""
    clip, seen = plain.in_classes(captured.clip, classes), bones_seen(rig, frames)
    warned = (str(value) for entry in take.report.warnings for value in entry.values.values())  # type: ignore[attr-defined]
    told = {name for names in warned for name in names.split(", ")}
    for number, at in enumerate(seconds):
        worlds = plain.worlds(clip, at)
        reach = max(1.0, *(np.abs(world[:3]).max() for world in worlds.values()))
        for bone in rig.data.bones:
            off = np.abs(worlds[bone["was"]] - seen[bone.name][number]).max()
            assert off < OFF * reach or bone["was"] in told, (seed, bone["was"], at)


@pytest.mark.parametrize("seed", range(16))
def test_without_parents_bones_move_from_where_theirs_are(seed: int, bring_in: Maker, rooms: SimpleNamespace) -> None:
    """In the frames of the file, which bones may be turned against; what it leaves alone is as they rest."""
    rng = np.random.default_rng(seed)
    clip = drawn(rng)
    own = plain.in_classes(clip, rooms.clip)
    turns = {name: plain.tilted(rng.choice((0.01, 1.5)), rng.normal(size=3)) for name in (None, *"abcde")}
    back = {name: np.linalg.inv(turn) for name, turn in turns.items()}
    for node in own.nodes:
        node.turn = turns[node.name]
    choose(bring_in(rooms.clip.Clip("still", nodes=own.nodes), source=False, target="NEW").rig)
    own.nodes, own.parents_known = [rooms.clip.Node(name, rest=back[None]) for name in "abcde"], False
    rig = bring_in(own, target="SELECTED", fit=str(rng.choice(WAYS[1:])), start_frame=0).rig
    shown = bones_seen(rig, MOMENTS * bpy.context.scene.render.fps)
    for number, at in enumerate(MOMENTS):
        worlds = {None: np.eye(4)} | {bone: every[number] for bone, every in shown.items()}
        for node in clip.nodes:
            tracks = [each for each in clip.tracks if each.node == node.name]
            found = np.linalg.inv(worlds[node.parent] @ back[node.parent]) @ worlds[node.name] @ back[node.name]
            wanted, rest = plain.basis(tracks, at), turns[node.parent] @ node.rest @ back[node.name]
            for name, part in ((classes.LOCATION, np.s_[:3, 3]), (classes.ROTATION, np.s_[:3, :3])):
                wanted[part] = (wanted if name in {each.property for each in tracks} else rest)[part]
            assert np.abs(found - wanted).max() < OFF, (node.name, at)


# --- What a person does -------------------------------------------------------------------------------------------


def _curve(rng: Rng, rig: Any) -> Any:
    return rng.choice([curve for curve in curves_of(rig.animation_data.action) if len(curve.keyframe_points)] or [None])


def _rename(rng: Rng, rig: Any, bone: Any) -> None:
    """Or let two bones change names."""
    old, other = bone.name, rig.data.bones[rng.integers(len(rig.data.bones))]
    bone.name = "Mine"
    if rng.random() < 0.5 and other.name != "Mine":
        bone.name, other.name = "", old


def _raise(rng: Rng, rig: Any, bone: Any) -> None:
    curve = _curve(rng, rig)
    for point in [rng.choice(curve.keyframe_points)] if curve else ():
        for place in (point.co, point.handle_left, point.handle_right):
            place[1] += 0.3


def _remove(rng: Rng, rig: Any, bone: Any) -> None:
    remove_curves(rig.animation_data.action, _curve(rng, rig))


def _mute(rng: Rng, rig: Any, bone: Any) -> None:
    for curve in filter(None, [_curve(rng, rig)]):
        curve.mute = True


def _shake(rng: Rng, rig: Any, bone: Any) -> None:
    for curve in filter(None, [_curve(rng, rig)]):
        noise = curve.modifiers.new("NOISE")
        noise.scale, noise.strength = 20.0, 0.1


def _pose(rng: Rng, rig: Any, bone: Any) -> None:
    bone.location[rng.integers(3)], bone.scale = 0.4, (1.3, 1.3, 1.3)


def _by_angles(rng: Rng, rig: Any, bone: Any) -> None:
    bone.rotation_mode, bone.rotation_euler = "XZY", (0.2, 0.4, 0.0)


def _roll(rng: Rng, rig: Any, bone: Any) -> None:
    name = bone.name
    with editing(rig) as bones:
        bones[name].roll += 0.7


def _hang(rng: Rng, rig: Any, bone: Any) -> None:
    with editing(rig) as bones:
        bones[-1].parent = bones[0] if rng.random() < 0.5 else None


def _limit(rng: Rng, rig: Any, bone: Any) -> None:
    limit = bone.constraints.new("LIMIT_LOCATION")
    limit.use_max_x = limit.use_min_z = True
    limit.max_x, limit.min_z, limit.owner_space = 0.05, 0.05, "LOCAL"


def _drive(rng: Rng, rig: Any, bone: Any) -> None:
    bone.driver_add("location", int(rng.integers(3))).driver.expression = "sin(frame / 9)"


def _put(rng: Rng, rig: Any, bone: Any) -> None:
    rig.location.x += 1.0


def _inherit(rng: Rng, rig: Any, bone: Any) -> None:
    setattr(bone.bone, ("use_inherit_rotation", "use_local_location")[rng.integers(2)], False)


def _slow_down(rng: Rng, rig: Any, bone: Any) -> None:
    bpy.context.scene.render.fps = 20


EDITS = (
    _rename, _raise, _remove, _mute, _shake, _pose, _by_angles, _roll, _hang, _limit, _drive, _put, _inherit,
    _slow_down,
)  # fmt: skip
