"""Captured clips of what was made in Blender: they are where Blender is, at whole and at quarter frames."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from math import pi
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")
mathutils = pytest.importorskip("mathutils")

Maker = Callable[..., Any]
QUARTERS = np.arange(1.0, 25.01, 0.25)


@pytest.fixture
def pure(extension: ModuleType) -> SimpleNamespace:
    """The pure modules that the expectations are compared through."""
    names = ("clip.pose", "clip.curve", "clip", "clip.quaternion")
    found = {
        name.rpartition(".")[2]: importlib.import_module(f"{extension.__name__}.io_formats.{name}") for name in names
    }
    return SimpleNamespace(**found)


@pytest.fixture
def take(extension: ModuleType, rooms: SimpleNamespace) -> Maker:
    """Captures objects with their frames as they are; options as keywords, `action` for one that does not play.

    The report is `take.report`.
    """
    module = importlib.import_module(f"{extension.__name__}.scene.capture")
    curve_options = importlib.import_module(f"{extension.__name__}.io_formats.animx.options")

    def capture(*objects: Any, action: Any = None, **options: Any) -> Any:
        capture.report = rooms.errors.Report()  # type: ignore[attr-defined]
        closely = {"keep_frame_zero": True, "tolerance": 1e-5}
        chosen = curve_options.ExportOptions(**{**closely, **options})
        steps = module.capture(bpy.context, objects, action, chosen, capture.report)  # type: ignore[attr-defined]
        return rooms.steps.finished(steps)

    return capture


def new_object(name: str, data: Any = None, parent: Any = None) -> Any:
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent = parent
    return thing


def make_rig(name: str = "Rig", chain: Iterable[str] = ("Root", "Middle", "Tip")) -> Any:
    """An armature of a bent chain, standing somewhere, turned and twice as large."""
    rig = new_object(name, bpy.data.armatures.new(name))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for number, bone_name in enumerate(chain):
        bone = rig.data.edit_bones.new(bone_name)
        bone.head = (0.1 * number, number, 0.2 * number)
        bone.tail = (0.3, number + 1, 0.1)
        bone.roll = 0.4 * number
        bone.parent = parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.3, 0.2, 0.9), (2, 2, 2)
    return rig


def key(holder: Any, path: str, keys: dict[float, Any], shape: str = "BEZIER") -> None:
    """Keyframes as a user makes them, with automatic handles."""
    for frame, value in keys.items():
        setattr(holder, path, value)
        holder.keyframe_insert(path, frame=frame)
    for curve in curves(holder.id_data):
        if curve.data_path.endswith(path):
            for point in curve.keyframe_points:
                point.interpolation = shape


def curves(owner: Any) -> list[Any]:
    """The curves of what an object plays, found without the code under test."""
    action = owner.animation_data.action
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    return [curve for bag in action.layers[0].strips[0].channelbags for curve in bag.fcurves]


def turn(angle: float, axis: str = "X") -> Any:
    return mathutils.Quaternion({"X": (1, 0, 0), "Y": (0, 1, 0), "Z": (0, 0, 1)}[axis], angle)


def animate(rig: Any) -> None:
    """Rotations of two bones and the location of the first."""
    bones = rig.pose.bones
    key(bones["Root"], "location", {1: (0, 0, 0), 9: (0.4, 1, -0.3), 25: (1, 0, 0.5)})
    key(bones["Root"], "rotation_quaternion", {1: turn(0.2), 13: turn(1.4, "Y"), 25: turn(-0.5, "Z")})
    key(bones["Middle"], "rotation_quaternion", {3: turn(0.1), 17: turn(-1.1, "Z")}, "LINEAR")


def play(frame: float) -> None:
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))


def worlds_of_bones(rig: Any, frames: Iterable[float] = QUARTERS) -> dict[str, Any]:
    """(m, 4, 4) world matrix of each bone as Blender shows it."""
    found: dict[str, list[Any]] = {bone.name: [] for bone in rig.pose.bones}
    for frame in frames:
        play(frame)
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for bone in shown.pose.bones:
            found[bone.name].append(np.array(shown.matrix_world @ bone.matrix))
    return {name: np.array(matrices) for name, matrices in found.items()}


def worlds_of_objects(things: Iterable[Any], frames: Iterable[float] = QUARTERS) -> dict[str, Any]:
    found: dict[str, list[Any]] = {thing.name: [] for thing in things}
    for frame in frames:
        play(frame)
        for name, matrices in found.items():
            matrices.append(np.array(bpy.data.objects[name].matrix_world))
    return {name: np.array(matrices) for name, matrices in found.items()}


def assert_same(pure: SimpleNamespace, clip: Any, expected: dict[str, Any], tolerance: float = 5e-5) -> None:
    """The clip's nodes are where these matrices are at the quarter frames."""
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    found = pure.pose.world_matrices(clip, QUARTERS / fps)
    for name, matrices in expected.items():
        assert np.abs(found[name] - matrices).max() < tolerance, name


def texts(captured: Any) -> str:
    return " | ".join(str(reason) for reason in captured.reasons)


# --- Keys --------------------------------------------------------------------------------------------------------


def test_keys_stay_curves(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    expected = worlds_of_bones(rig)
    play(7)
    captured = take(rig)
    assert_same(pure, captured.clip, expected)
    assert captured.baked == 0 and not captured.exact
    assert captured.edited == 3 + 4 + 4
    assert [node.name for node in captured.clip.nodes] == ["Root", "Middle", "Tip"]
    location = [track for track in captured.clip.tracks if track.property == "location"]
    assert [track.times.tolist() for track in location] == [[1 / 24, 9 / 24, 25 / 24]] * 3
    assert {int(shape) for track in location for shape in track.interpolation} == {2}
    linear = [track for track in captured.clip.tracks if track.node == "Middle"]
    assert {int(shape) for track in linear for shape in track.interpolation} == {1}
    assert captured.clip.duration == 25 / 24
    assert bpy.context.scene.frame_current == 7


@pytest.mark.parametrize("space", ["WORLD", "LOCAL"])
def test_the_objects_own_transform(take: Maker, space: str) -> None:
    rig = make_rig()
    animate(rig)
    clip = take(rig, space=space).clip
    expected = np.array(rig.matrix_world) if space == "WORLD" else np.eye(4)
    assert np.abs(clip.root - expected).max() < 1e-6


def test_an_unkeyed_pose_counts(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    rig.pose.bones["Tip"].rotation_quaternion = turn(0.7, "Z")
    rig.pose.bones["Tip"].scale = (1, 2, 1)
    rig.pose.bones["Middle"].location = (0, 0.5, 0)
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected)
    assert captured.baked == 0


@pytest.mark.parametrize("way", ["muted", "group muted", "emptied", "NOISE", "GENERATOR", "muted GENERATOR"])
def test_a_curve_that_does_not_play_leaves_what_it_left(take: Maker, pure: SimpleNamespace, way: str) -> None:
    """A modifier alone plays only where it needs no keys; Blender mutes groups up to 4.3."""
    rig = make_rig()
    animate(rig)
    play(9)
    curve = next(curve for curve in curves(rig) if curve.data_path.endswith('"Root"].location'))
    if way == "muted":
        curve.mute = True
    elif way == "group muted":
        curve.group = curve.group or rig.animation_data.action.groups.new("Root")
        curve.group.mute = True
    else:
        curve.keyframe_points.clear()
    if way.endswith(("NOISE", "GENERATOR")):
        curve.modifiers.new(way.split()[-1]).mute = way.startswith("muted")
    rig.animation_data.action.update_tag()
    expected = worlds_of_bones(rig)
    play(9)
    assert_same(pure, take(rig).clip, expected)


def test_a_connected_bone_does_not_leave_its_parent(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    key(rig.pose.bones["Tip"], "location", {1: (0, 0, 0), 20: (3, 3, 3)})
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["Tip"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected)
    assert "connected bone" in texts(captured)


@pytest.mark.parametrize("shape", ["SINE", "BOUNCE", "ELASTIC", "EXPO", "BACK", "CONSTANT"])
def test_easing_is_spelled_out_in_its_segments_alone(take: Maker, pure: SimpleNamespace, shape: str) -> None:
    rig = make_rig()
    animate(rig)
    for curve in curves(rig):
        curve.keyframe_points[0].interpolation = shape
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected, 2e-4)
    assert captured.baked == 0
    (track,) = [t for t in captured.clip.tracks if (t.node, t.property, t.component) == ("Root", "location", 1)]
    assert track.times[-2:].tolist() == [9 / 24, 25 / 24] and track.interpolation[-2] == 2


EASINGS = ("SINE", "QUAD", "CUBIC", "QUART", "QUINT", "EXPO", "CIRC", "BACK", "BOUNCE", "ELASTIC")


@pytest.mark.parametrize("shape", EASINGS)
@pytest.mark.parametrize("easing", ["EASE_IN", "EASE_OUT", "EASE_IN_OUT"])
def test_easing_is_few_keys_that_follow_it_between_them(
    take: Maker, rooms: SimpleNamespace, shape: str, easing: str
) -> None:
    """CIRC, ELASTIC and BOUNCE were off by 2 % of their range, with up to 385 keys for one segment."""
    thing = new_object("Ball")
    key(thing, "location", {1: (0, 0, 0), 25: (2, 0, 0), 49: (2, 1, 0)})
    (x,) = [curve for curve in curves(thing) if curve.array_index == 0]
    x.keyframe_points[0].interpolation, x.keyframe_points[0].easing = shape, easing
    frames = np.linspace(1, 49, 4801)
    expected = np.array([x.evaluate(frame) for frame in frames])
    captured = take(thing)
    (track,) = [track for track in captured.clip.tracks if track.property == "location" and track.component == 0]
    curve = importlib.import_module(f"{rooms.clip.__name__}.curve")
    found = curve.evaluate(track, frames / 24)[0]
    # the range is 2, and Blender's own ELASTIC jumps by a ten thousandth of it at its key
    assert np.abs(found - expected).max() < 2 * 1.5e-4
    assert len(track.times) <= (160 if shape == "ELASTIC" else 50)


def test_pieces_that_halving_makes_no_better_are_left_as_they_are(extension: ModuleType) -> None:
    """What is off by Blender's own rounding is off in the smallest piece, too; halving makes a real error a 16th."""
    easing = importlib.import_module(f"{extension.__name__}.scene.capture.curve_tracks")

    def pieces_of(error: Callable[[Any], Any]) -> int:
        def fit(low: Any, high: Any) -> Any:
            return np.zeros((4, len(low))), error(high - low)

        return len(easing.fitted(np.zeros(1), np.full(1, 16.0), fit, 1.0).low)

    assert pieces_of(lambda size: np.full(len(size), 3.0)) == 2
    assert pieces_of(lambda size: size**4 / 16.0) == 8
    assert pieces_of(lambda size: np.full(len(size), 9.0)) == 16 * 1024


def test_the_files_own_times_never_change_the_order_of_keys(extension: ModuleType, pure: SimpleNamespace) -> None:
    """Keys on their frames get the file's seconds, unless two of them would then stand the wrong way round."""
    tracks = importlib.import_module(f"{extension.__name__}.scene.capture.curve_tracks")
    every = np.ones(4, dtype=bool)
    own = np.array([0.0, 0.9999999, 1.0000001, 2.0])
    for keys, expected in (([0, 1, 2, 3], own), ([0, 2, 1, 3], [0.0, 1.0, 1.0, 2.0])):
        match = pure.clip.KeyMatch(True, np.array(keys), every, every, every, every)
        found = tracks._own_times(np.array([0.0, 1.0, 1.0, 2.0]), own, match)
        np.testing.assert_array_equal(found, expected)


def test_linear_extrapolation(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    for curve in curves(rig):
        curve.extrapolation = "LINEAR"
    expected = worlds_of_bones(rig)
    assert_same(pure, take(rig).clip, expected, 2e-4)


@pytest.mark.parametrize("mode", ["REPEAT", "MIRROR"])
def test_cycles_are_wraps(take: Maker, pure: SimpleNamespace, mode: str) -> None:
    rig = make_rig()
    key(rig.pose.bones["Root"], "location", {3: (0, 0, 0), 6: (1, 2, 3), 9.5: (2, 0, 1)})
    for curve in curves(rig):
        modifier = curve.modifiers.new("CYCLES")
        modifier.mode_before = modifier.mode_after = mode
    rig.animation_data.action.use_frame_range = True
    rig.animation_data.action.frame_start, rig.animation_data.action.frame_end = 1, 25
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert {track.after.name for track in captured.clip.tracks} == {mode} and captured.baked == 0
    away = np.abs(np.mod(QUARTERS - 3, 6.5)) > 1e-3  # at a join Blender plays the last key, the clip the first
    fps = bpy.context.scene.render.fps
    found = pure.pose.world_matrices(captured.clip, QUARTERS / fps)["Root"]
    assert np.abs(found - expected["Root"])[away].max() < 2e-4
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 2, 24
    cut = take(rig, use_scene_range=True, keep_frame_zero=False).clip
    found = pure.pose.world_matrices(cut, (QUARTERS - 2) / fps)["Root"]
    inside = away & (QUARTERS >= 2) & (QUARTERS <= 24)
    assert np.abs(found - expected["Root"])[inside].max() < 2e-4


def test_a_step_on_a_slope_stays_a_step(take: Maker, pure: SimpleNamespace) -> None:
    """Keys that step, on what a modifier adds: within the 256th of a frame before the jump nothing of it is seen."""
    thing = new_object("Lift")
    key(thing, "location", {1: (0, 0, 0), 10: (5, 0, 0), 25: (5, 0, 0)}, "CONSTANT")
    (curve,) = (curve for curve in curves(thing) if curve.data_path == "location" and curve.array_index == 0)
    slope = curve.modifiers.new("GENERATOR")
    slope.use_additive, slope.coefficients = True, (0.0, 0.5)
    track = track_of(take(thing).clip, "Lift", "location")
    frames = np.array([9.0, 10 - 1 / 64, 10 - 1 / 500, 10.001, 11.0, 20.0])
    found = pure.curve.evaluate(track, frames / 24)[0]
    assert found.tolist() == pytest.approx([0.5 * frame + 5 * (frame > 10) for frame in frames], abs=0.01)


def test_an_axis_without_length_turns_nothing(extension: ModuleType) -> None:
    """Without a word of numpy's in a person's console."""
    turns = importlib.import_module(f"{extension.__name__}.scene.capture.curve_tracks")
    angles = np.array([[2.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    with np.errstate(all="raise"):
        found = turns.quaternions("AXIS_ANGLE", angles)
    assert found[:, :2].tolist() == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert found[:, 2].tolist() == pytest.approx([np.cos(1.0), 0.0, np.sin(1.0), 0.0])


def test_what_stands_beside_what_moves_is_counted_without_what_carries_it(take: Maker) -> None:
    carrier = new_object("Carrier")
    mover, statue = new_object("Mover", parent=carrier), new_object("Statue")
    key(mover, "location", {1: (0, 0, 0), 25: (1, 0, 0)})
    take(mover, statue)
    (note,) = [note for note in take.report.notes if "names" in note.values]  # type: ignore[attr-defined]
    assert note.values == {"moving": 1, "total": 2, "names": "Statue"}


@pytest.mark.parametrize("kind", ["NOISE", "GENERATOR", "STEPPED", "LIMITS"])
def test_other_modifiers_are_sampled(take: Maker, pure: SimpleNamespace, kind: str) -> None:
    rig = make_rig()
    animate(rig)
    for curve in curves(rig):
        if curve.data_path.endswith("location"):
            modifier = curve.modifiers.new(kind)
            if kind == "LIMITS":
                modifier.use_max_y, modifier.max_y = True, 0.2
    expected = worlds_of_bones(rig)
    assert_same(pure, take(rig).clip, expected, 2e-4)


@pytest.mark.parametrize("mode", ["XYZ", "ZYX", "AXIS_ANGLE"])
def test_other_rotation_modes_become_quaternions(take: Maker, pure: SimpleNamespace, mode: str) -> None:
    rig = make_rig()
    bone = rig.pose.bones["Root"]
    bone.rotation_mode = mode
    if mode == "AXIS_ANGLE":
        key(bone, "rotation_axis_angle", {1: (0, 0, 1, 0), 12: (2, 0.3, 1, 0), 25: (6, 0, 1, 0.2)})
    else:
        key(bone, "rotation_euler", {1: (0, 0, 0), 12: (2, -1, 0.4), 25: (7, 0, -pi)})
    key(bone, "rotation_quaternion", {1: turn(0), 25: turn(3)})  # not looked at in this mode
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected, 2e-4)
    quaternion = np.array([track.values[0] for track in captured.clip.tracks])
    assert quaternion.shape[0] == 4
    assert ((quaternion[:, 1:] * quaternion[:, :-1]).sum(axis=0) > 0).all()
    assert "Root: its rotation" in texts(captured)


def test_stepped_euler_angles_stay_steps(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    rig.pose.bones["Root"].rotation_mode = "XYZ"
    key(rig.pose.bones["Root"], "rotation_euler", {1: (0, 0, 0), 12: (2, -1, 0.4), 25: (7, 0, -pi)}, "CONSTANT")
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected)
    assert [len(track.times) for track in captured.clip.tracks] == [3] * 4


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "AXIS_ANGLE"])
@pytest.mark.parametrize(("shape", "most"), [("BEZIER", 50), ("CONSTANT", 50), ("LINEAR", 50), ("ELASTIC", 120)])
def test_few_keys_follow_fast_angles_at_all_times(
    take: Maker, pure: SimpleNamespace, mode: str, shape: str, most: int
) -> None:
    thing = new_object("Top")
    thing.rotation_mode = mode
    path = "rotation_axis_angle" if mode == "AXIS_ANGLE" else "rotation_euler"
    turns = {1: (0, 0, 1), 3: (2, 1.5, -2), 4: (-1, 2, 1), 7: (0.5, 0, 3)}
    key(thing, path, {frame: (1, *axis)[-len(getattr(thing, path)) :] for frame, axis in turns.items()})
    curves(thing)[1].keyframe_points[1].interpolation = shape
    curves(thing)[0].keyframe_points[2].interpolation = shape
    frames = np.setdiff1d(np.linspace(1, 7, 601), [4])  # on either side of the steps
    expected = []
    for frame in frames:
        play(frame)
        expected.append(list(thing.matrix_world.to_quaternion()))
    tracks = [track for track in take(thing).clip.tracks if track.node == "Top"]
    found = pure.pose.channels_of(tracks, frames / 24)[1]
    assert pure.quaternion.distance(found, np.array(expected).T).max() < 2e-4
    assert len(tracks[0].times) <= most


def test_a_propeller_turns_as_often_as_its_angle_says(take: Maker, pure: SimpleNamespace) -> None:
    thing = new_object("Propeller")
    key(thing, "rotation_euler", {1: (0, 0, 0), 25: (0, 0, 24 * pi)}, "LINEAR")
    frames = np.linspace(1, 25, 700)
    found = pure.pose.channels_of(take(thing).clip.tracks, frames / 24)[1]
    angles = pi * (frames - 1)
    expected = np.stack((np.cos(angles / 2), 0 * angles, 0 * angles, np.sin(angles / 2)))
    assert pure.quaternion.distance(found, expected).max() < 2e-4


# --- What is not curves ------------------------------------------------------------------------------------------


def test_a_constraint_samples_its_bone_alone(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    target = new_object("Target")
    key(target, "location", {1: (0, 0, 0), 14: (5, 2, 1), 25: (-3, 2, 8)})
    rig.pose.bones["Middle"].constraints.new("DAMPED_TRACK").target = target
    expected = worlds_of_bones(rig)
    play(3.5)
    captured = take(rig)
    assert_same(pure, captured.clip, expected)
    assert captured.baked == 1 and "Middle: the constraint Damped Track" in texts(captured)
    root = [t for t in captured.clip.tracks if t.node == "Root"]
    assert {len(track.times) for track in root} == {3}
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (3, 0.5)


def test_keys_only_ignores_a_constraint_and_says_so(take: Maker, rooms: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    rig.pose.bones["Middle"].constraints.new("LIMIT_ROTATION").use_limit_x = True
    captured = take(rig, sampling="KEYS")
    assert captured.baked == 0
    assert [entry.template for entry in take.report.warnings] == [rooms.scene_messages.CAPTURE_FORBIDDEN]


def test_a_switched_off_constraint_does_nothing(take: Maker) -> None:
    rig = make_rig()
    animate(rig)
    rig.pose.bones["Middle"].constraints.new("LIMIT_ROTATION").mute = True
    rig.pose.bones["Tip"].constraints.new("LIMIT_ROTATION").influence = 0.0
    captured = take(rig)
    assert captured.baked == 0 and not captured.reasons


def test_a_strength_that_is_keyed_is_seen_in_what_is_sampled(take: Maker, pure: SimpleNamespace) -> None:
    """Of a constraint on a bone and of one on an object: nothing of it is left out, so nothing is said to be."""
    rig, target, follower = make_rig(), new_object("Target"), new_object("Follower")
    animate(rig)
    key(target, "location", {1: (0, 0, 0), 25: (5, 2, 1)})
    for holder in (rig.pose.bones["Middle"], follower):
        constraint = holder.constraints.new("COPY_LOCATION")
        constraint.target = target
        for frame, strength in ((1, 0.0), (25, 1.0)):
            constraint.influence = strength
            constraint.keyframe_insert("influence", frame=frame)
    expected = worlds_of_bones(rig)
    play(1)  # where it has none yet
    captured = take(rig, follower)
    assert_same(pure, captured.clip, expected, 1e-4)
    assert not captured.ledger.lost


def test_a_driven_property_of_a_bone_leaves_its_pose_to_its_keys(take: Maker) -> None:
    rig = make_rig()
    animate(rig)
    middle = rig.pose.bones["Middle"]
    middle["grip"] = 0.0
    middle.driver_add('["grip"]').driver.expression = "frame / 25"
    turns = [track for track in take(rig).clip.tracks if track.node == "Middle" and track.kind.name == "TRANSFORM"]
    assert turns and {len(track.times) for track in turns} == {2}


def test_inverse_kinematics_sample_the_chain(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig(chain=("Root", "Upper", "Lower", "Tip"))
    target = new_object("Target")
    key(target, "location", {1: (4, 5, 6), 25: (0, 9, 3)})
    solver = rig.pose.bones["Lower"].constraints.new("IK")
    solver.target, solver.chain_count = target, 2
    key(rig.pose.bones["Root"], "rotation_quaternion", {1: turn(0.2), 25: turn(0.7, "Z")})
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected, 2e-4)
    assert "Upper: the inverse kinematics of Lower" in texts(captured) and "Root" not in texts(captured)
    assert "solves to some hundredths of a degree" in texts(captured)
    assert [len(t.times) for t in captured.clip.tracks if t.node == "Root"] == [2] * 4


def test_a_driven_bone_is_sampled(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    driver = rig.pose.bones["Tip"].driver_add("location", 1).driver
    driver.type = "SCRIPTED"
    driver.expression = "sin(frame / 5)"
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected)
    assert captured.baked == 1 and "Tip: a driver sets its location" in texts(captured)


@pytest.mark.parametrize("inheritance", ["NONE", "AVERAGE", "ALIGNED", "no rotation", "no local location"])
def test_odd_inheritance_is_sampled(take: Maker, pure: SimpleNamespace, inheritance: str) -> None:
    rig = make_rig()
    animate(rig)
    key(rig.pose.bones["Root"], "scale", {1: (1, 1, 1), 25: (2, 2, 2)})
    key(rig.pose.bones["Middle"], "location", {1: (0, 0, 0), 25: (1, 2, 3)})
    bone = rig.data.bones["Middle"]
    if inheritance == "no rotation":
        bone.use_inherit_rotation = False
    elif inheritance == "no local location":
        bone.use_local_location = False
    else:
        bone.inherit_scale = inheritance
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected, 1e-4)
    assert captured.baked >= 1


def test_forced_sampling_has_a_key_a_frame(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    captured = take(rig, sampling="BAKE", keep_frame_zero=False)
    assert captured.baked == 3
    assert {len(track.times) for track in captured.clip.tracks} == {25}
    expected = worlds_of_bones(rig, np.arange(1.0, 25.5))
    found = pure.pose.world_matrices(captured.clip, np.arange(25) / 24)
    assert all(np.abs(found[name] - matrices).max() < 2e-5 for name, matrices in expected.items())


def test_the_nla_is_sampled(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    first = rig.animation_data.action
    rig.animation_data.action = None
    key(rig.pose.bones["Tip"], "rotation_quaternion", {1: turn(0), 10: turn(1.5)})
    rig.animation_data.nla_tracks.new().strips.new("one", 5, first).scale = 0.5
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected, 1e-4)
    assert "the NLA takes part" in texts(captured)
    alone = take(rig, action=first)
    assert alone.baked == 0 and alone.clip.name == first.name


def test_an_action_that_does_not_play_is_captured_alone(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    rig.pose.bones["Tip"].constraints.new("LIMIT_ROTATION").use_limit_x = True
    first, expected = rig.animation_data.action, worlds_of_bones(rig)
    first.use_fake_user = True
    rig.animation_data.action = None
    key(rig.pose.bones["Root"], "rotation_quaternion", {1: turn(0), 10: turn(1.5)})
    key(rig.pose.bones["Root"], "location", {1: (0, 0, 0), 10: (1, 1, 1)})
    playing = rig.animation_data.action
    play(5)
    before = [tuple(bone.rotation_quaternion) for bone in rig.pose.bones]
    captured = take(rig, action=first)
    assert_same(pure, captured.clip, expected)
    assert rig.animation_data.action == playing
    assert [tuple(bone.rotation_quaternion) for bone in rig.pose.bones] == before


# --- Objects -----------------------------------------------------------------------------------------------------


def test_an_object_without_a_slot_has_none_after_its_action_was_sampled_alone(take: Maker) -> None:
    """It plays nothing; with a slot it would begin to move."""
    rig = make_rig()
    animate(rig)
    if not hasattr(rig.animation_data, "action_slot"):
        pytest.skip("Actions have slots from Blender 4.4 on")
    rig.animation_data.action_slot = None
    assert take(rig, action=rig.animation_data.action, actions="ALL", sampling="BAKE").baked
    assert rig.animation_data.action is not None and rig.animation_data.action_slot is None


def test_a_moving_armature_is_a_node_of_its_own(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    rig.rotation_mode = "QUATERNION"
    key(rig, "location", {1: (0, 0, 0), 25: (4, 5, 6)}, "LINEAR")
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected, 1e-4)
    assert captured.baked == 0
    assert captured.clip.nodes[0].name == "Rig" and captured.clip.node("Root").parent == "Rig"
    local = take(rig, space="LOCAL").clip
    assert [node.name for node in local.nodes] == ["Root", "Middle", "Tip"]


def test_an_armature_carried_by_another_object(take: Maker, pure: SimpleNamespace) -> None:
    carrier = new_object("Carrier")
    key(carrier, "location", {1: (0, 0, 0), 25: (4, 5, 6)})
    key(carrier, "scale", {1: (1, 1, 1), 25: (3, 3, 3)})
    rig = make_rig()
    animate(rig)
    rig.parent = carrier
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert_same(pure, captured.clip, expected, 1e-3)
    assert [node.name for node in captured.clip.nodes][:2] == ["Carrier", rig.name]
    assert captured.baked == 0


def sheared_below(carrier: Any, thing: Any) -> None:
    """Stretch a carrier and turn what hangs on it, which shears it in the world."""
    key(carrier, "scale", {1: (1, 1, 1), 25: (1, 3, 1)})
    thing.parent, thing.rotation_euler = carrier, (0.5, 0.6, 0.7)


def test_what_is_sampled_below_a_stretched_carrier_is_told_relative_to_it(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    sheared_below(new_object("Carrier"), rig)
    rig.constraints.new("LIMIT_LOCATION")
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert captured.reasons and not take.report.warnings
    assert_same(pure, captured.clip, expected, 1e-3)


def test_shear_that_cannot_be_kept_is_said(take: Maker, rooms: SimpleNamespace) -> None:
    model = new_object("Model")
    sheared_below(new_object("Carrier"), model)
    rig = make_rig()
    rig.constraints.new("COPY_TRANSFORMS").target = model
    take(rig)
    (told,) = [entry for entry in take.report.warnings if entry.template == rooms.clip_messages.SHEAR_MISPLACES]
    bpy.context.scene.frame_set(25)  # the carrier is stretched most
    seen = np.array(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, :3]
    sizes = np.linalg.norm(seen, axis=0)
    left, _, right = np.linalg.svd(seen / sizes)
    without_shear = left @ right * sizes
    heads = np.array([bone.head_local for bone in rig.data.bones]).T
    misplaced = np.linalg.norm((seen - without_shear) @ heads, axis=0).max()
    assert misplaced > 0.5 and told.values["place"] == pytest.approx(1000 * misplaced, rel=0.01)


def test_objects_with_parents_and_curves(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    animate(rig)
    top = new_object("Top")
    child = new_object("Child", parent=top)
    held = new_object("Held", parent=rig)
    held.parent_type, held.parent_bone = "BONE", "Middle"
    still = new_object("Still", parent=held)
    for thing in (top, child, held, still):
        thing.rotation_mode = "QUATERNION"
        thing.matrix_parent_inverse = (
            mathutils.Matrix.Translation((0.2, 0.1, 0.4)) if thing.parent else thing.matrix_world
        )
    still.location, still.rotation_quaternion = (1, 0, 2), turn(0.3)
    key(top, "location", {1: (0, 0, 0), 9: (1, 2, 3), 25: (4, 5, 6)})
    key(child, "rotation_quaternion", {1: turn(0), 25: turn(2, "Z")})
    key(held, "location", {1: (0, 0, 0), 25: (0, 1, 0)})
    child.scale = (1, 2, 1)
    things = [top, child, held, still]
    expected = worlds_of_objects(things) | worlds_of_bones(rig)
    captured = take(rig, *things)
    assert_same(pure, captured.clip, expected, 1e-4)
    assert captured.baked == 0
    parents = {node.name: node.parent for node in captured.clip.nodes}
    assert parents == {
        "Root": None, "Middle": "Root", "Tip": "Middle",
        "Top": None, "Child": "Top", "Held": "Middle", "Still": "Held",
    }  # fmt: skip


def test_objects_of_any_rotation_mode_and_with_constraints(take: Maker, pure: SimpleNamespace) -> None:
    euler, follower, delta = new_object("Euler"), new_object("Follower"), new_object("Delta")
    key(euler, "rotation_euler", {1: (0, 0, 0), 25: (2, -1, 3)})
    key(euler, "location", {1: (0, 0, 0), 25: (2, -1, 3)})
    follower.constraints.new("COPY_TRANSFORMS").target = euler
    delta.delta_location = (1, 2, 3)
    delta.delta_rotation_euler = (0.1, 0.4, 0)
    key(delta, "location", {1: (0, 0, 0), 25: (2, -1, 3)})
    things = [euler, follower, delta]
    expected = worlds_of_objects(things)
    captured = take(*things)
    assert_same(pure, captured.clip, expected, 3e-4)
    assert np.array_equal(captured.clip.root, np.eye(4))


def test_a_child_of_an_object_that_is_left_out(take: Maker, pure: SimpleNamespace) -> None:
    top = new_object("Top")
    child = new_object("Child", parent=top)
    child.location = (1, 2, 3)
    key(top, "rotation_euler", {1: (0, 0, 0), 25: (0, 0, 2)})
    expected = worlds_of_objects([child])
    captured = take(child)
    assert_same(pure, captured.clip, expected, 2e-4)
    assert [(node.name, node.parent) for node in captured.clip.nodes] == [("Top", None), ("Child", "Top")]
    assert {track.node for track in captured.clip.tracks} == {"Top"}


# --- Properties --------------------------------------------------------------------------------------------------


def track_of(clip: Any, node: str, name: str, component: int = 0) -> Any:
    (found,) = [t for t in clip.tracks if (t.node, t.property, t.component) == (node, name, component)]
    return found


def test_custom_properties_of_bones_and_objects(take: Maker) -> None:
    rig = make_rig()
    bone, thing = rig.pose.bones["Root"], new_object("Thing")
    bone["on"], bone["count"], bone['odd "name"\\'], thing["three"] = True, 3, 0.5, [0.1, 0.2, 0.3]
    bone["tint"] = [0.1, 0.2, 0.3]
    bone.id_properties_ui("tint").update(subtype="COLOR")
    for holder, path in ((bone, '["on"]'), (bone, '["count"]'), (bone, '["odd \\"name\\"\\\\"]'), (bone, '["tint"]')):
        holder.keyframe_insert(path, frame=2)
    thing.keyframe_insert('["three"]', frame=4, index=1)
    clip = take(rig, thing).clip
    kinds = {(t.node, t.property): (t.value_kind.name, t.width, t.kind.name) for t in clip.tracks}
    assert kinds == {
        ("Root", "on"): ("BOOL", 1, "CUSTOM"),
        ("Root", "count"): ("INT", 1, "CUSTOM"),
        ("Root", 'odd "name"\\'): ("FLOAT", 1, "CUSTOM"),
        ("Root", "tint"): ("COLOR", 3, "CUSTOM"),
        ("Thing", "three"): ("FLOAT", 3, "CUSTOM"),
    }
    assert track_of(clip, "Root", "count").values.tolist() == [[3.0]]
    for component, value in enumerate((0.1, 0.2, 0.3)):  # those without a curve are constants
        assert track_of(clip, "Thing", "three", component).values[0].tolist() == [pytest.approx(value)]


def test_shape_keys_lights_cameras_and_visibility(take: Maker) -> None:
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    face = new_object("Face", mesh)
    face.shape_key_add(name="Basis")
    smile = face.shape_key_add(name="Smile")
    blink = face.shape_key_add(name="Blink")
    key(smile, "value", {1: 0.0, 10: 1.0})
    driver = blink.driver_add("value").driver
    driver.type, driver.expression = "SCRIPTED", "min(frame / 50, 1)"
    lamp = new_object("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    key(lamp.data, "energy", {1: 10.0, 10: 100.0})
    key(lamp.data, "color", {1: (1, 1, 1), 10: (1, 0, 0)})
    key(lamp, "hide_render", {1: False, 5: True}, "CONSTANT")
    eye = new_object("Eye", bpy.data.cameras.new("Eye"))
    key(eye.data, "lens", {1: 35.0, 10: 50.0})
    captured = take(face, lamp, eye)
    found = {(t.node, t.property): (t.kind.name, t.value_kind.name) for t in captured.clip.tracks}
    assert found == {
        ("Face", "Smile"): ("SHAPE_KEY", "FLOAT"),
        ("Face", "Blink"): ("SHAPE_KEY", "FLOAT"),
        ("Lamp", "data.energy"): ("RNA", "FLOAT"),
        ("Lamp", "data.color"): ("RNA", "COLOR"),
        ("Lamp", "hide_render"): ("RNA", "BOOL"),
        ("Eye", "data.lens"): ("RNA", "FLOAT"),
    }
    assert track_of(captured.clip, "Eye", "data.lens").values[0].tolist() == [35.0, 50.0]
    assert captured.baked == 1
    blinking = track_of(captured.clip, "Face", "Blink")
    assert np.interp(8.25 / 24, blinking.times, blinking.values[0]) == pytest.approx(8.25 / 50, abs=1e-5)


def test_driven_custom_property_that_has_keys_is_sampled(take: Maker) -> None:
    rig = make_rig()
    bone = rig.pose.bones["Root"]
    bone["on"] = True
    bone.keyframe_insert('["on"]', frame=1)
    bone.keyframe_insert('["on"]', frame=25)
    driver = bone.driver_add('["on"]').driver
    driver.type, driver.expression = "SCRIPTED", "frame > 12"
    found = track_of(take(rig).clip, "Root", "on")
    assert found.values[0].tolist() == [0.0, 1.0]
    assert 0 <= found.times[1] - 12 / 24 <= 1 / 256 / 24  # the step is sought between the samples
    assert set(found.interpolation) == {0}


def test_fast_constraints_are_followed_between_quarter_frames(take: Maker, pure: SimpleNamespace) -> None:
    thing, target = new_object("Watcher"), new_object("Target")
    key(target, "location", {1: (0, 3, 0), 3: (0.5, -0.3, 0.2), 5: (-3, 1, 1), 9: (0, 3, 2)}, "LINEAR")
    thing.constraints.new("TRACK_TO").target = target
    frames = np.linspace(1, 9, 531)
    expected = worlds_of_objects([thing], frames)
    clip = take(thing).clip
    found = pure.pose.world_matrices(clip, frames / 24)["Watcher"]
    assert np.abs(found - expected["Watcher"]).max() < 6e-4
    assert np.abs(np.diff(expected["Watcher"][:, 0, 0])).max() > 0.1  # it does turn fast


def test_steps_under_an_nla_strip_stay_steps(take: Maker, pure: SimpleNamespace) -> None:
    thing = new_object("Thing")
    key(thing, "location", {1: (0, 0, 0), 5: (1, 0, 0), 9: (-1, 2, 0)}, "CONSTANT")
    data = thing.animation_data
    strip = data.nla_tracks.new().strips.new("half", 1, data.action)
    strip.scale = 1.1
    data.action = None
    steps = 1 + np.array([4, 8]) * 1.1
    frames = np.linspace(1, 9.8, 600)
    frames = frames[np.abs(frames[:, None] - steps).min(axis=1) > 1 / 128]
    expected = worlds_of_objects([thing], frames)
    clip = take(thing).clip
    found = pure.pose.world_matrices(clip, frames / 24)["Thing"]
    assert np.abs(found - expected["Thing"]).max() < 2e-4
    assert max(len(track.times) for track in clip.tracks) < 12


@pytest.mark.parametrize("inheritance", ["FIX_SHEAR", "no rotation"])
def test_odd_inheritance_under_a_lopsided_stretch(take: Maker, pure: SimpleNamespace, inheritance: str) -> None:
    rig = make_rig()
    rig.scale = (1, 1, 1)
    animate(rig)
    key(rig.pose.bones["Root"], "scale", {1: (1, 1, 1), 25: (1.4, 0.8, 1)})
    if inheritance == "no rotation":
        rig.data.bones["Middle"].use_inherit_rotation = False
    else:
        rig.data.bones["Middle"].inherit_scale = inheritance
    expected = worlds_of_bones(rig)
    clip = take(rig).clip
    found = pure.pose.world_matrices(clip, QUARTERS / 24)
    wrong = {name for name, shown in expected.items() if np.abs(found[name] - shown).max() > 1e-3}
    warned = str([entry.values for entry in take.report.warnings])  # type: ignore[attr-defined]
    assert not wrong or "Middle" in warned  # on which the Tip hangs
    assert "Root" not in wrong


def test_local_space_is_the_armatures_own(take: Maker, pure: SimpleNamespace) -> None:
    carrier, rig = new_object("Carrier"), make_rig()
    rig.parent = carrier
    key(carrier, "location", {1: (0, 0, 0), 25: (5, 0, 1)})
    key(rig, "rotation_euler", {1: (0, 0, 0), 25: (0, 0, 2)})
    animate(rig)
    expected: dict[str, list[Any]] = {bone.name: [] for bone in rig.pose.bones}
    for frame in QUARTERS:
        play(frame)
        for bone in rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones:
            expected[bone.name].append(np.array(bone.matrix))
    clip = take(rig, space="LOCAL").clip
    assert_same(pure, clip, {name: np.array(matrices) for name, matrices in expected.items()}, 1e-4)
    assert {track.node for track in clip.tracks} <= set(expected)


def test_two_armatures_with_bones_of_one_name(take: Maker, pure: SimpleNamespace) -> None:
    first, second = make_rig("First"), make_rig("Second")
    animate(first)
    key(second.pose.bones["Root"], "rotation_quaternion", {1: turn(0), 25: turn(1)})
    expected, other = worlds_of_bones(first), worlds_of_bones(second)
    clip = take(first, second).clip
    assert_same(pure, clip, expected | {f"{name}.001": matrices for name, matrices in other.items()}, 1e-4)


def test_nothing_animated_is_a_clip_that_rests(take: Maker, pure: SimpleNamespace) -> None:
    rig = make_rig()
    expected = worlds_of_bones(rig)
    captured = take(rig)
    assert captured.clip.tracks == []
    assert_same(pure, captured.clip, expected)


@pytest.mark.parametrize("hiding", ["viewport", "eye", "collection", "excluded", "rest position"])
def test_hidden_things_are_sampled_all_the_same(take: Maker, pure: SimpleNamespace, hiding: str) -> None:
    rig = make_rig()
    animate(rig)
    target = new_object("Target")
    key(target, "location", {1: (0, 0, 0), 14: (5, 2, 1), 25: (-3, 2, 8)})
    rig.pose.bones["Middle"].constraints.new("DAMPED_TRACK").target = target
    expected = worlds_of_bones(rig)
    drawer, layer = bpy.data.collections.new("Drawer"), bpy.context.view_layer
    bpy.context.scene.collection.children.link(drawer)
    drawer.objects.link(rig)
    bpy.context.scene.collection.objects.unlink(rig)
    if hiding == "viewport":
        rig.hide_viewport = True
    elif hiding == "eye":
        rig.hide_set(True)
    elif hiding == "collection":
        drawer.hide_viewport = True
    elif hiding == "excluded":
        layer.layer_collection.children["Drawer"].exclude = True
    else:
        rig.data.pose_position = "REST"
    assert_same(pure, take(rig).clip, expected, 1e-4)
    warned = [str(warning) for warning in take.report.warnings]  # type: ignore[attr-defined]
    assert [line for line in warned if "rest position" in line] == (warned if hiding == "rest position" else [])
    assert len(warned) == (hiding == "rest position")
    assert rig.hide_viewport == (hiding == "viewport")
    assert rig.data.pose_position == ("REST" if hiding == "rest position" else "POSE")
    assert [collection.name for collection in rig.users_collection] == ["Drawer"]


@pytest.mark.parametrize("shape", ["LINEAR", "BEZIER"])
@pytest.mark.parametrize(("kind", "values"), [(bool, (False, True, True, False)), (int, (0, 5, 5, -3))])
def test_bools_and_whole_numbers_step_as_blender_does(
    take: Maker, pure: SimpleNamespace, shape: str, kind: type, values: tuple[Any, ...]
) -> None:
    rig = make_rig()
    bone = rig.pose.bones["Root"]
    bone["p"] = kind(0)
    bone.keyframe_insert('["p"]', frame=1)
    (curve,) = curves(rig)
    path, bag_curves = curve.data_path, curves_holder(rig)
    bag_curves.remove(curve)
    fresh = bag_curves.new(path, index=0)  # a curve from a script does not know that it drives no fraction
    for number, value in enumerate(values):
        fresh.keyframe_points.insert(1 + 8 * number, float(value)).interpolation = shape
    track = track_of(take(rig).clip, "Root", "p")
    assert set(track.interpolation[:-1]) <= {0, 1, 2} and len(track.times) >= 4
    for frame in QUARTERS[:-1]:
        play(frame)
        shown = bone["p"]
        assert pure.curve.evaluate(track, np.array([frame / 24]))[0, 0] == float(shown), frame


@pytest.mark.parametrize(("kind", "values"), [(bool, (0.0, 0.7, 1.0, 0.3)), (int, (0.4, 2.7, -2.7, -0.6))])
def test_constant_keys_between_two_numbers_are_those_that_blender_shows(
    take: Maker, kind: type, values: tuple[float, ...]
) -> None:
    """As smoothing leaves them; AnimX rounds what it gets, MRTK takes 0.7 for True."""
    rig = make_rig()
    bone = rig.pose.bones["Root"]
    bone["p"] = kind(0)
    bone.keyframe_insert('["p"]', frame=1)
    (curve,) = curves(rig)
    path, bag_curves = curve.data_path, curves_holder(rig)
    bag_curves.remove(curve)
    fresh = bag_curves.new(path, index=0)
    for number, value in enumerate(values):
        fresh.keyframe_points.insert(1 + 8 * number, value).interpolation = "CONSTANT"
    track = track_of(take(rig).clip, "Root", "p")
    shown = []
    for number in range(len(values)):
        play(1 + 8 * number)
        shown.append(float(bone["p"]))
    assert track.values[0].tolist() == shown


def test_a_fast_whole_number_steps_on_thirty_seconds_of_a_frame(take: Maker) -> None:
    rig = make_rig()
    bone = rig.pose.bones["Root"]
    bone["p"] = 0
    bone.keyframe_insert('["p"]', frame=1)
    (curve,) = curves(rig)
    path, bag_curves = curve.data_path, curves_holder(rig)
    bag_curves.remove(curve)
    fresh = bag_curves.new(path, index=0)
    for frame, value in ((1, 0.0), (2, 3.0), (3, 3.0)):
        fresh.keyframe_points.insert(frame, value).interpolation = "LINEAR"
    track = track_of(take(rig).clip, "Root", "p")
    parts = track.times * 24 * 32
    assert parts.tolist() == pytest.approx(np.round(parts).tolist(), abs=1e-6)
    stepping = np.append(True, np.diff(track.values[0]) != 0)
    assert track.values[0, stepping].tolist() == [0, 1, 2, 3]
    assert (track.times[stepping] * 24).tolist() == pytest.approx([1, 4 / 3, 5 / 3, 2], abs=1 / 32)


def curves_holder(owner: Any) -> Any:
    action = owner.animation_data.action
    return action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves


def test_the_nla_samples_properties_too(take: Maker, rooms: SimpleNamespace) -> None:
    rig = make_rig()
    bone = rig.pose.bones["Root"]
    bone["p"] = 0.0
    for frame, value in ((1, 0.0), (11, 1.0)):
        bone["p"] = value
        bone.keyframe_insert('["p"]', frame=frame)
    first = rig.animation_data.action
    rig.animation_data.action = None
    rig.animation_data.nla_tracks.new().strips.new("one", 21, first).scale = 2.0
    captured = take(rig)
    track = track_of(captured.clip, "Root", "p")
    for frame in (21, 25, 31, 39, 41):
        play(frame)
        assert rooms.curve.evaluate(track, np.array([frame / 24]))[0, 0] == pytest.approx(bone["p"], abs=1e-4)
    assert captured.clip.duration == pytest.approx(41 / 24)


def test_what_has_no_action_is_named_after_its_first_object(take: Maker) -> None:
    leader, follower = new_object("Leader"), new_object("Follower")
    key(leader, "location", {1: (0, 0, 0), 25: (1, 2, 3)})
    follower.constraints.new("COPY_LOCATION").target = leader
    assert take(follower, sampling="BAKE").clip.name == "Follower"


def test_an_object_on_a_corner_of_a_moving_mesh_is_sampled_and_says_why(take: Maker) -> None:
    """Three points carry it, which no location, rotation and scale of its parent tell; its own are all told."""
    mesh = bpy.data.meshes.new("Cloth")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    cloth = new_object("Cloth", mesh)
    key(cloth, "location", {1: (0, 0, 0), 25: (4, 0, 0)})
    button = new_object("Button", parent=cloth)
    button.parent_type, button.parent_vertices = "VERTEX", (1, 0, 0)
    key(button, "location", {1: (0, 0, 0), 25: (0, 0, 2)})
    captured = take(cloth, button)
    assert captured.baked == 3
    assert [str(entry) for entry in take.report.notes + take.report.warnings if "Button" in str(entry)]


def test_an_object_on_a_corner_goes_with_the_shape_of_a_mesh_that_stands(take: Maker, pure: SimpleNamespace) -> None:
    """The mesh itself has no keys, only one of its shapes: what is pinned to the corner moves all the same."""
    mesh = bpy.data.meshes.new("Cloth")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    cloth = new_object("Cloth", mesh)
    cloth.shape_key_add(name="Basis")
    lifted = cloth.shape_key_add(name="Lifted")
    lifted.data[1].co = (1, 0, 3)
    for frame, value in ((1, 0.0), (25, 1.0)):
        lifted.value = value
        lifted.keyframe_insert("value", frame=frame)
    button = new_object("Button", parent=cloth)
    button.parent_type, button.parent_vertices = "VERTEX", (1, 0, 0)
    key(button, "location", {1: (0, 0, 0), 25: (0, 0, 2)})
    expected = worlds_of_objects([button])
    assert np.ptp(expected["Button"][:, 2, 3]) > 4.9
    assert_same(pure, take(button).clip, expected, 1e-4)


def test_what_its_own_keys_hide_on_the_way_stays_selected(take: Maker) -> None:
    """Blender deselects what a frame hides; an export shows other frames and comes back."""
    rig = make_rig()
    animate(rig)
    rig.pose.bones[0].constraints.new("LIMIT_LOCATION")
    for frame, hidden in ((1, False), (10, True), (20, False)):
        rig.hide_viewport = hidden
        rig.keyframe_insert("hide_viewport", frame=frame)
    bpy.context.scene.frame_set(1)
    rig.select_set(True)
    take(rig)
    assert rig.select_get()
