"""Captured clips of what was made in Blender: they are where Blender is, at whole and at quarter frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from in_blender import add, animate, bags_of, bones_seen, curves_of, editing, go_to, push_down

from tests.scene.test_capture import of_node

bpy = pytest.importorskip("bpy")
mathutils = pytest.importorskip("mathutils")

Maker = Callable[..., Any]
QUARTERS = np.arange(1.0, 25.01, 0.25)


@pytest.fixture
def take(take: Maker) -> Maker:
    """Captures with frame 0 as time 0; the report is `take.report`."""

    def capture(*things: Any, **options: Any) -> Any:
        captured = take(*things, **{"keep_frame_zero": True, **options})
        capture.report = take.report  # type: ignore[attr-defined]
        return captured

    return capture


def new_object(name: str, data: Any = None, parent: Any = None) -> Any:
    thing = add(name, data)
    thing.parent = parent
    return thing


def make_rig(name: str = "Rig", chain: Iterable[str] = ("Root", "Middle", "Tip")) -> Any:
    """An armature of a bent chain, standing somewhere, turned and twice as large."""
    rig = new_object(name, bpy.data.armatures.new(name))
    with editing(rig) as bones:
        parent = None
        for number, bone_name in enumerate(chain):
            bone = bones.new(bone_name)
            bone.head = (0.1 * number, number, 0.2 * number)
            bone.tail = (0.3, number + 1, 0.1)
            bone.roll = 0.4 * number
            bone.parent = parent
            parent = bone
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.3, 0.2, 0.9), (2, 2, 2)
    return rig


def key(holder: Any, path: str, keys: dict[float, Any], shape: str = "BEZIER") -> None:
    """Keyframes as a user makes them, with automatic handles."""
    animate(holder, path, keys)
    for curve in curves_of(holder.id_data.animation_data.action):
        if curve.data_path.endswith(path):
            for point in curve.keyframe_points:
                point.interpolation = shape


def turn(angle: float, axis: str = "X") -> Any:
    return mathutils.Quaternion({"X": (1, 0, 0), "Y": (0, 1, 0), "Z": (0, 0, 1)}[axis], angle)


def swing(rig: Any) -> Any:
    """Key rotations of two bones and the location of the first; the rig."""
    bones = rig.pose.bones
    key(bones["Root"], "location", {1: (0, 0, 0), 9: (0.4, 1, -0.3), 25: (1, 0, 0.5)})
    key(bones["Root"], "rotation_quaternion", {1: turn(0.2), 13: turn(1.4, "Y"), 25: turn(-0.5, "Z")})
    key(bones["Middle"], "rotation_quaternion", {3: turn(0.1), 17: turn(-1.1, "Z")}, "LINEAR")
    return rig


def worlds_of_objects(things: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, list[Any]] = {thing.name: [] for thing in things}
    for frame in QUARTERS:
        go_to(frame)
        for name, matrices in found.items():
            matrices.append(np.array(bpy.data.objects[name].matrix_world))
    return {name: np.array(matrices) for name, matrices in found.items()}


def assert_same(rooms: SimpleNamespace, clip: Any, expected: dict[str, Any], tolerance: float = 5e-5) -> None:
    """The clip's nodes are where these matrices are at the quarter frames, and no number has two tracks."""
    assert len({(each.node, each.property, each.component) for each in clip.tracks}) == len(clip.tracks)
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    found = rooms.pose.world_matrices(clip, QUARTERS / fps)
    for name, matrices in expected.items():
        assert np.abs(found[name] - matrices).max() < tolerance, name


# --- Keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["muted", "group muted", "emptied", "NOISE", "GENERATOR", "muted GENERATOR"])
def test_a_curve_that_does_not_play_leaves_what_it_left(take: Maker, rooms: SimpleNamespace, way: str) -> None:
    """A modifier alone plays only where it needs no keys; Blender mutes groups up to 4.3."""
    rig = swing(make_rig())
    tip = rig.pose.bones["Tip"]
    tip.rotation_mode, tip.rotation_euler = "XYZ", (0.3, 0.4, 0.5)
    tip.keyframe_insert("rotation_euler", index=0, frame=1)  # beside it two angles count as they are posed
    go_to(9)
    curve = next(
        curve for curve in curves_of(rig.animation_data.action) if curve.data_path.endswith('"Root"].location')
    )
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
    expected = bones_seen(rig, QUARTERS)
    go_to(9)
    assert_same(rooms, take(rig).clip, expected)


def test_connected_bones_stay_where_they_are_a_root_too(take: Maker, rooms: SimpleNamespace) -> None:
    rig = swing(make_rig())
    key(rig.pose.bones["Tip"], "location", {1: (0, 0, 0), 20: (3, 3, 3)})
    with editing(rig) as bones:
        bones["Tip"].use_connect = bones["Root"].use_connect = True
    rig.parent, rig.parent_type, rig.parent_bone = make_rig("Stand"), "BONE", "Tip"  # not shown there yet
    captured = take(rig)
    assert_same(rooms, captured.clip, bones_seen(rig, QUARTERS))
    assert any(str(reason).startswith("Root: a connected bone") for reason in captured.reasons)


EASINGS = ("SINE", "QUAD", "CUBIC", "QUART", "QUINT", "EXPO", "CIRC", "BACK", "BOUNCE", "ELASTIC")


@pytest.mark.parametrize("shape", EASINGS)
@pytest.mark.parametrize("easing", ["EASE_IN", "EASE_OUT", "EASE_IN_OUT"])
def test_easing_is_few_keys_that_follow_it_there(take: Maker, rooms: SimpleNamespace, shape: str, easing: str) -> None:
    """CIRC, ELASTIC and BOUNCE were off by 2 % of their range, with up to 385 keys; BOUNCE is 4 parabolas, or 8."""
    thing = new_object("Ball")
    key(thing, "location", {1: (100, 0, 0), 25: (102, 0, 0), 49: (102, 1, 0)})  # far off, which allows no more
    (x,) = [curve for curve in curves_of(thing.animation_data.action) if curve.array_index == 0]
    x.keyframe_points[0].interpolation, x.keyframe_points[0].easing = shape, easing
    frames = np.linspace(1, 49, 4801)
    expected = np.array([x.evaluate(frame) for frame in frames])
    captured = take(thing)
    (track,) = [track for track in captured.clip.tracks if track.property == "location" and track.component == 0]
    found = rooms.curve.evaluate(track, frames / 24)[0]
    # the range is 2, and Blender's own ELASTIC jumps by a ten thousandth of it at its key
    assert np.abs(found - expected).max() < 2 * 1.5e-4
    assert len(track.times) <= {"ELASTIC": 160, "BOUNCE": 10}.get(shape, 50)
    assert track.times[-2:].tolist() == [25 / 24, 49 / 24] and track.interpolation[-2] == 2 and captured.baked == 0


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "AXIS_ANGLE"])
@pytest.mark.parametrize(("shape", "most"), [("BEZIER", 50), ("CONSTANT", 50), ("LINEAR", 50), ("ELASTIC", 120)])
def test_few_keys_follow_fast_angles_at_all_times(
    take: Maker, rooms: SimpleNamespace, mode: str, shape: str, most: int
) -> None:
    thing = new_object("Top")
    thing.rotation_mode = mode
    path = "rotation_axis_angle" if mode == "AXIS_ANGLE" else "rotation_euler"
    turns = {1: (0, 0, 1), 3: (2, 1.5, -2), 4: (-1, 2, 1), 7: (0.5, 0, 3)}
    key(thing, path, {frame: (1, *axis)[-len(getattr(thing, path)) :] for frame, axis in turns.items()})
    curves_of(thing.animation_data.action)[1].keyframe_points[1].interpolation = shape
    curves_of(thing.animation_data.action)[0].keyframe_points[2].interpolation = shape
    frames = np.setdiff1d(np.linspace(1, 7, 601), [4])  # on either side of the steps
    expected = []
    for frame in frames:
        go_to(frame)
        expected.append(list(thing.matrix_world.to_quaternion()))
    captured = take(thing)
    tracks = [track for track in captured.clip.tracks if track.node == "Top"]
    assert any(str(reason).startswith(f"Top: {path} ") for reason in captured.reasons) == (shape == "ELASTIC")
    found = rooms.pose.channels_of(tracks, frames / 24)[1]
    assert rooms.quaternion.distance(found, np.array(expected).T).max() < 2e-4
    assert len(tracks[0].times) <= most


@pytest.mark.parametrize("rounds", [3.0, 7.5])
def test_rounds_between_two_frames_are_seen(take: Maker, rooms: SimpleNamespace, rounds: float) -> None:
    """On whole frames a propeller may stand still, and on all parts of a piece that are looked at."""
    thing = new_object("Propeller")
    key(thing, "rotation_euler", {1: (0, 0, 0), 5: (0, 0, 8 * np.pi * rounds)})
    curves_of(thing.animation_data.action)[2].keyframe_points[0].interpolation = "LINEAR"
    frames = np.linspace(1, 5, 1001)
    angles = (frames - 1) * np.pi * rounds  # half of each
    expected = np.stack([np.cos(angles), 0 * angles, 0 * angles, np.sin(angles)])
    found = rooms.pose.channels_of(take(thing).clip.tracks, frames / 24)[1]
    assert rooms.quaternion.distance(found, expected).max() < 2e-4


# --- What is not curves ------------------------------------------------------------------------------------------


def test_keys_only_ignores_a_constraint_and_says_so(take: Maker, rooms: SimpleNamespace) -> None:
    rig = swing(make_rig())
    follower = new_object("Follower")
    key(follower, "location", {1: (0, 0, 0), 25: (5, 2, 1)})
    follower.constraints.new("LIMIT_LOCATION").use_max_x = True
    for things, count in (((rig,), 0), ((rig, follower), 1)):
        assert take(*things, sampling="KEYS").baked == 0
        assert sum(entry.count for entry in take.report.warnings) == count
    rig.pose.bones["Middle"].constraints.new("LIMIT_ROTATION").use_limit_x = True
    noisy = new_object("Noisy")
    key(noisy, "location", {1: (0, 0, 0), 25: (5, 2, 1)})
    curves_of(noisy.animation_data.action)[0].modifiers.new("NOISE")
    assert take(rig, follower, noisy, sampling="KEYS").baked == 0
    (warning,) = take.report.warnings
    assert (warning.template, warning.count) == (rooms.scene_messages.CAPTURE_FORBIDDEN, 3)


@pytest.mark.parametrize("path", ["enabled", "mute"])
def test_a_constraint_that_keys_switch_is_seen_in_samples(path: str, take: Maker, rooms: SimpleNamespace) -> None:
    rig, target = swing(make_rig()), new_object("Target")
    constraint = rig.pose.bones["Middle"].constraints.new("COPY_LOCATION")
    constraint.target = target
    animate(constraint, path, {1: path == "mute", 25: path != "mute"})
    go_to(1)  # where it has no strength yet
    captured = take(rig)
    assert_same(rooms, captured.clip, bones_seen(rig, QUARTERS), 1e-4)
    assert not captured.ledger.lost


def test_a_turn_is_as_exact_as_the_farthest_that_it_carries_needs(take: Maker, rooms: SimpleNamespace) -> None:
    """As a part of the figure's size, 20 m in the world, whatever other objects there are."""
    rig = make_rig(chain=("Root", "Hip"))
    with editing(rig) as bones:
        for name, above, far in (("Far", "Hip", 10.0), ("Near", "Hip", 1.01), ("Pole", "Root", 10.0)):
            bone = bones.new(name)
            bone.parent, bone.head, bone.tail = bones[above], (0, far, 0), (0, far, 0.01)
    hip = rig.pose.bones["Hip"]
    hip.rotation_mode = "XYZ"
    hip.driver_add("rotation_euler", 0).driver.expression = "4 * sin(frame / 9)"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 30
    expected = bones_seen(rig, QUARTERS)
    mast = new_object("Mast")
    flag = new_object("Flag", parent=mast)
    flag.location.y = 1000.0
    clip = take(rig, mast, flag, tolerance=1e-4).clip
    found = rooms.pose.world_matrices(clip, np.array(QUARTERS) / 24)["Far"]
    assert np.abs(found[:, :3, 3] - expected["Far"][:, :3, 3]).max() < 2e-3


# --- Objects -----------------------------------------------------------------------------------------------------


def test_an_object_without_a_slot_has_none_after_its_action_was_sampled_alone(take: Maker) -> None:
    """It plays nothing; with a slot it would begin to move. Nor has one any animation data that had none."""
    rig = swing(make_rig())
    action = rig.animation_data.action
    if hasattr(rig.animation_data, "action_slot"):  # from Blender 4.4 on
        rig.animation_data.action_slot, rig.animation_data.use_nla = None, False
        assert take(rig, action=action, actions="ALL", sampling="BAKE").baked
        assert rig.animation_data.action is not None and rig.animation_data.action_slot is None
        assert not rig.animation_data.use_nla
    rig.animation_data_clear()
    assert take(rig, action=action, actions="ALL", sampling="BAKE").baked and rig.animation_data is None


def test_shear_that_cannot_be_kept_is_said(take: Maker, rooms: SimpleNamespace) -> None:
    model = new_object("Model", parent=new_object("Carrier"))
    key(model.parent, "scale", {1: (1, 1, 1), 25: (1, 3, 1)})
    model.rotation_euler = 0.5, 0.6, 0.7
    rig = make_rig()
    rig.constraints.new("COPY_TRANSFORMS").target = model
    take(rig)
    (told,) = [entry for entry in take.report.warnings if entry.template == rooms.clip_messages.SHEAR_DROPPED]
    bpy.context.scene.frame_set(25)  # the carrier is stretched most
    seen = np.array(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, :3]
    axes = seen / np.linalg.norm(seen, axis=0)
    off = np.degrees(np.arcsin(np.abs(np.triu(axes.T @ axes, 1)).max()))
    assert off > 5 and told.values["degrees"] == pytest.approx(off, rel=0.01)


# --- Properties --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hiding", ["viewport", "eye", "collection", "excluded", "rest position", "keys", "driver"])
def test_hidden_things_are_sampled_all_the_same(take: Maker, rooms: SimpleNamespace, hiding: str) -> None:
    rig = swing(make_rig())
    target = new_object("Target")
    key(target, "location", {1: (0, 0, 0), 14: (5, 2, 1), 25: (-3, 2, 8)})
    rig.pose.bones["Middle"].constraints.new("DAMPED_TRACK").target = target
    expected = bones_seen(rig, QUARTERS)
    lamp = new_object("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    lamp.data.driver_add("energy").driver.expression = "frame"
    drawer, layer = bpy.data.collections.new("Drawer"), bpy.context.view_layer
    bpy.context.scene.collection.children.link(drawer)
    for thing in (rig, lamp):
        drawer.objects.link(thing)
        bpy.context.scene.collection.objects.unlink(thing)
        if hiding == "viewport":
            thing.hide_viewport = True
        elif hiding == "eye":
            thing.hide_set(True)
        elif hiding == "keys":
            key(thing, "hide_viewport", {1: False, 5: True, 20: False}, "CONSTANT")
        elif hiding == "driver":
            thing.driver_add("hide_viewport").driver.expression = "5 < frame < 20"
    if hiding == "collection":
        drawer.hide_viewport = True
    elif hiding == "excluded":
        layer.layer_collection.children["Drawer"].exclude = True
    elif hiding == "rest position":
        rig.data.pose_position = "REST"
    drawer.objects.link(twin := lamp.copy())
    if hiding == "keys":
        push_down(twin).blend_in = 3.0
    clip = take(make_rig("Statue", ["Base"]), rig, lamp, twin).clip
    assert hiding != "keys" or np.ptp(of_node(clip, twin.name, "hide_viewport").values) == 1.0
    assert_same(rooms, clip, expected, 1e-4)
    assert np.ptp(of_node(clip, "Lamp", "data.energy").values) == pytest.approx(25.0)
    warned = [str(warning) for warning in take.report.warnings]  # type: ignore[attr-defined]
    assert [line for line in warned if "rest position" in line] == (warned if hiding == "rest position" else [])
    assert len(warned) == (hiding == "rest position")
    assert rig.hide_viewport == (hiding == "viewport")
    assert rig.data.pose_position == ("REST" if hiding == "rest position" else "POSE")
    assert [collection.name for collection in rig.users_collection] == ["Drawer"]


def key_by_script(bone: Any, keys: dict[int, float], shape: str) -> Any:
    """Key a bone's own number `p` by a curve that does not know that it drives no fraction; the curve."""
    bone.keyframe_insert('["p"]', frame=1)
    (curve,) = curves_of(bone.id_data.animation_data.action)
    path, bag_curves = curve.data_path, bags_of(bone.id_data.animation_data.action)[0].fcurves
    bag_curves.remove(curve)
    fresh = bag_curves.new(path, index=0)
    for frame, value in keys.items():
        fresh.keyframe_points.insert(frame, float(value)).interpolation = shape
    return fresh


@pytest.mark.parametrize(
    ("expression", "tolerance", "within"),
    [
        ("1000 + sin(frame)", 0.0, 1.5e-3),  # by lines, that are as near where a number is large
        ("frame * (9 - frame) if frame <= 9 else 50", 1e-4, 5e-3),  # rises, is back and jumps
    ],
)
def test_a_driven_number_is_followed(
    take: Maker, rooms: SimpleNamespace, expression: str, tolerance: float, within: float
) -> None:
    bone = swing(make_rig()).pose.bones["Middle"]
    bone["p"] = 0.0
    bone.driver_add('["p"]').driver.expression = expression
    clip = take(bone.id_data, tolerance=tolerance).clip
    turns = [track for track in clip.tracks if track.node == "Middle" and track.kind.name == "TRANSFORM"]
    assert {len(track.times) for track in turns} == {2}, "its pose is that of its keys all the same"
    track = of_node(clip, "Middle", "p")
    for frame in range(1, 25):
        go_to(frame)
        assert rooms.curve.evaluate(track, np.array([frame / 24]))[0, 0] == pytest.approx(bone["p"], abs=within), frame


def test_a_fast_whole_number_steps_within_a_256th_of_a_frame(take: Maker, rooms: SimpleNamespace) -> None:
    """One that is too fast for that has no other numbers between either."""
    rig = make_rig()
    bone = rig.pose.bones["Root"]
    bone["p"] = 0
    fresh = key_by_script(bone, {1: 0.0, 2: 3.0, 3: 3.0}, "LINEAR")
    track = of_node(take(rig).clip, "Root", "p")
    stepping = np.append(True, np.diff(track.values[0]) != 0)
    assert track.values[0, stepping].tolist() == [0, 1, 2, 3]
    assert (track.times[stepping] * 24).tolist()[1:] == pytest.approx([4 / 3, 5 / 3, 2], abs=1 / 256)
    fresh.keyframe_points.insert(4, 5000.0)
    track = of_node(take(rig).clip, "Root", "p")
    assert not (rooms.curve.evaluate(track, np.linspace(1, 4, 999) / 24) % 1).any()


def test_an_object_on_a_corner_goes_with_the_shape_of_a_mesh_that_stands(take: Maker, rooms: SimpleNamespace) -> None:
    """The mesh itself has no keys, only one of its shapes: what is pinned to the corner moves all the same."""
    mesh = bpy.data.meshes.new("Cloth")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    cloth = new_object("Cloth", mesh)
    cloth.shape_key_add(name="Basis")
    lifted = cloth.shape_key_add(name="Lifted")
    lifted.data[1].co = (1, 0, 3)
    animate(lifted, "value", {1: 0.0, 25: 1.0})
    button = new_object("Button", parent=cloth)
    button.parent_type, button.parent_vertices = "VERTEX", (1, 0, 0)
    key(button, "location", {1: (0, 0, 0), 25: (0, 0, 2)})
    expected = worlds_of_objects([button])
    assert np.ptp(expected["Button"][:, 2, 3]) > 4.9
    assert_same(rooms, take(button).clip, expected, 1e-4)


@pytest.mark.parametrize(("kind", "told"), [("upright", ["66.4 mm"]), ("a step", []), ("a carried step", [])])
def test_what_swings_within_the_finest_samples_is_told_and_a_step_is_not(
    take: Maker, rooms: SimpleNamespace, kind: str, told: list[str]
) -> None:
    """A curve that is upright in its middle, there x = 4 s³, y = 1.5 s - 2 s³, is off its line; a step never is.

    Nor that of a child of what steps in size and moves meanwhile: the file plays it.
    """
    target, follower = new_object("Target"), new_object("Follower")
    if kind == "a carried step":
        key(target, "location", {1: (0, 0, 0), 9: (30, 10, 0)}, "LINEAR")
        key(target, "scale", {1: (1, 1, 1), 5: (2, 3, 1)}, "CONSTANT")
        follower.location = (1, 1, 0)
    else:
        keys = {1: (0, 0, 0), 3: (1, 0, 0), 5: (1, 0, 0)}
        key(target, "location", keys, "BEZIER" if kind == "upright" else "CONSTANT")
        first, second, _ = curves_of(target.animation_data.action)[0].keyframe_points
        for point, side, at in ((first, "right", (3, 0)), (second, "left", (1, 1))):
            setattr(point, f"handle_{side}_type", "FREE")
            setattr(point, f"handle_{side}", at)
    follower.constraints.new("CHILD_OF" if kind == "a carried step" else "COPY_LOCATION").target = target
    take(follower)
    warned = [entry for entry in take.report.warnings if entry.template == rooms.scene_messages.CAPTURE_COARSE]  # type: ignore[attr-defined]
    assert [str(entry.values["error"]) for entry in warned] == told
