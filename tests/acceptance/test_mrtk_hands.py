"""The hands that a recording shows in Blender: meshes that follow the joints, and that no export takes along."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import mrtk_scene as scene
import numpy as np
import pytest
from in_blender import choose
from scenes.players.mrtk import Player

from tests.acceptance.test_w3d_models import evaluated

bpy = pytest.importorskip("bpy")

TWO_HANDS = scene.DATA / "v11_recorder_10s_two_hands_mrtk273.bin"
LEFT_HAND = scene.DATA / "v10_recorder_3s_left_hand.bin"
OTHER_HANDS = scene.DATA.parents[2] / "samples" / "two_hands_mrtk_1.1.bin"
HANDS = {"L": "Left Hand", "R": "Right Hand"}
TIPS = [f"{finger}Tip" for finger in ("Thumb", "Index", "Middle", "Ring", "Pinky")]


@pytest.fixture(autouse=True)
def _extension(extension: ModuleType) -> None:
    scene.set_rate("60")


def lengths(vertices: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """(edges,) metres."""
    return np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)


@pytest.mark.parametrize("skeleton", [False, True])
@pytest.mark.parametrize("path", [TWO_HANDS, LEFT_HAND], ids=["two hands", "left hand"])
def test_hands_follow_their_joints_without_tearing(path: Path, skeleton: bool) -> None:
    rig = scene.bring_in(path, hand_skeleton=skeleton)
    shown = [side for side, name in HANDS.items() if name in bpy.data.objects]
    assert shown == (["L", "R"] if path == TWO_HANDS else ["L"])
    for side in shown:
        hand = bpy.data.objects[HANDS[side]]
        assert 550 <= len(hand.data.polygons) <= 650 and len(hand.data.materials) == 1
        edges, seen = np.array([list(edge.vertices) for edge in hand.data.edges]), 0
        rest = lengths(np.array([vertex.co for vertex in hand.data.vertices]), edges)
        for frame in range(bpy.context.scene.frame_start, bpy.context.scene.frame_end, 3):
            bpy.context.scene.frame_set(frame)
            if not rig.pose.bones[f"Wrist.{side}"]["tracked"]:
                continue
            seen += 1
            vertices, _ = evaluated(hand)
            assert (lengths(vertices, edges) <= 3 * rest + 1e-6).all(), (side, frame)
            for tip in TIPS:
                place = np.array(rig.matrix_world @ rig.pose.bones[f"{tip}.{side}"].matrix.translation)
                assert np.linalg.norm(vertices - place, axis=1).min() < 0.015, (tip, side, frame)
        assert seen > 20


def test_no_export_takes_hands_along(tmp_path: Path) -> None:
    choose(*bpy.context.scene.objects, active=scene.bring_in(TWO_HANDS))
    assert scene.send_out(tmp_path / "again.bin") == TWO_HANDS.read_bytes()
    bpy.data.objects["Left Hand"].data.vertices[0].co.x += 1.0
    bpy.data.objects.remove(bpy.data.objects["Right Hand"])
    assert scene.send_out(tmp_path / "edited.bin") == TWO_HANDS.read_bytes()


def test_hands_have_a_collection_of_their_own_and_are_an_option() -> None:
    scene.bring_in(TWO_HANDS)
    assert [thing.name for thing in bpy.data.collections[f"{TWO_HANDS.stem} Models"].objects] == list(HANDS.values())
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene.bring_in(TWO_HANDS, hand_mesh=False)
    assert not set(HANDS.values()) & set(bpy.data.objects.keys())


@pytest.mark.parametrize("first", [TWO_HANDS, LEFT_HAND], ids=["two hands", "left hand"])
def test_another_recording_plays_on_a_hand_skeleton_as_mrtk_plays_it(first: Path) -> None:
    """Whose joints rest as the first one's, and where that has no hand, as no recording does."""
    rig, player = scene.bring_in(first, hand_skeleton=True), Player(OTHER_HANDS.read_bytes())
    scene.bring_in(OTHER_HANDS, target="SELECTED")
    for frame in (60, 130):
        scene.assert_shown(player, rig, ("Wrist.R", "ThumbTip.R", "IndexMiddleJoint.R", "Palm.L", "PinkyTip.L"), frame)


def test_a_recording_onto_another_rig_brings_no_hands() -> None:
    rig = scene.bring_in(LEFT_HAND, hand_mesh=False)
    bpy.context.view_layer.objects.active = rig
    scene.bring_in(LEFT_HAND, target="SELECTED")
    assert "Left Hand" not in bpy.data.objects


@pytest.mark.parametrize(
    ("path", "start", "drawn_out"), [(TWO_HANDS, 1, 1), (TWO_HANDS, 100, 1), (LEFT_HAND, 100, 1), (TWO_HANDS, 1, 3)]
)
def test_the_playhead_goes_to_the_next_hand_and_the_digest_says_so(
    path: Path, start: int, drawn_out: int, capfd: Any
) -> None:
    """It stays where a hand is seen."""
    bpy.context.scene.render.frame_map_new = 100 * drawn_out
    bpy.context.scene.frame_set(start)
    rig = scene.bring_in(path)
    frame = bpy.context.scene.frame_current
    tracked = []
    for at in range(start, frame + 1):
        bpy.context.scene.frame_set(at)
        tracked.append(any(rig.pose.bones[f"Wrist.{side}"]["tracked"] for side in HANDS))
    assert tracked == [False] * (frame - start) + [True]
    assert (f"first hand on frame {frame}" in capfd.readouterr().out) == (frame > start)


@pytest.mark.parametrize("path", [TWO_HANDS, LEFT_HAND], ids=["two hands", "left hand"])
def test_frame_selected_counts_hands_alone(path: Path) -> None:
    """Blender counts a bone with a shape where the shape is drawn: at another bone's place if that is told."""
    rig = scene.bring_in(path)
    counted = [(bone.custom_shape_transform or bone) if bone.custom_shape else bone for bone in rig.pose.bones]
    sides = {side for side, name in HANDS.items() if name in bpy.data.objects}
    assert {bone.name.rpartition(".")[2] for bone in counted} == sides
    assert not any(bone.bone.hide for bone in rig.pose.bones)


@pytest.mark.parametrize("skeleton", [False, True])
def test_clicks_go_through_hands_to_the_bones_in_front_of_them(skeleton: bool) -> None:
    bpy.ops.mesh.primitive_cube_add()
    rig = scene.bring_in(TWO_HANDS, hand_skeleton=skeleton)
    bpy.context.view_layer.update()
    seen = {name for side, name in HANDS.items() if rig.pose.bones[f"Wrist.{side}"]["tracked"] and skeleton}
    assert {thing.name for thing in bpy.context.selected_objects} == {rig.name, *seen} and bpy.context.object == rig
    assert all(bpy.data.objects[name].hide_select != skeleton for name in HANDS.values()), "exporters take a skeleton's"
    assert rig.show_in_front and rig.data.display_type == "STICK"
    shapes = {bone.custom_shape for bone in rig.pose.bones} - {None}
    assert not any(len(shape.data.polygons) for shape in shapes), "Blender does not tell solid shapes that are selected"
    assert {len(shape.data.edges) for shape in shapes} <= {0, 12}, "of an octahedron"


def test_what_is_active_of_an_import_has_its_origin() -> None:
    rig = scene.bring_in(TWO_HANDS)
    played = importlib.import_module("bl_ext.user_default.io_anim_curves.pipeline.export_plan")
    for active in (rig, *rig.children):
        bpy.context.view_layer.objects.active = active
        assert played.active_action(bpy.context) == rig.animation_data.action


def test_camera_and_gaze_alone_are_seen() -> None:
    own = bpy.context.scene.camera = bpy.data.objects.new("Own", bpy.data.cameras.new("Own"))
    rig = scene.bring_in(scene.DATA / "v11_flags" / "v11_cam1_hand0_gaze1.bin")
    assert len(rig.pose.bones) == 3 and not any(bone.custom_shape for bone in rig.pose.bones)
    assert bpy.context.scene.camera == own
    (ray,) = (thing for thing in rig.children if thing.type == "MESH")
    bpy.context.scene.frame_set(20)
    ends = [np.array(rig.matrix_world @ rig.pose.bones[name].head) for name in ("Gaze", "GazeDirection")]
    assert evaluated(ray)[0].reshape(2, 4, 3).mean(axis=1) == pytest.approx(np.array(ends), rel=1e-6)
    assert not ray.data.validate(), "a mesh that Blender would have to put right"


@pytest.mark.parametrize("degrees", [60.0, 43.0, 1.0, 170.0])
def test_the_recorded_camera_is_small_and_has_a_lens_that_can_be_chosen(degrees: float) -> None:
    options = {} if degrees == 60.0 else {"field_of_view": degrees}
    scene.bring_in(TWO_HANDS, **options)
    lens = bpy.context.scene.camera.data
    assert lens.display_size == pytest.approx(0.1) and lens.sensor_fit == "VERTICAL"
    assert np.degrees(lens.angle) == pytest.approx(degrees, abs=1e-3)
