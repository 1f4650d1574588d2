"""Captured clips of what was imported: exact where nothing changed, related key by key where something did."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")

Maker = Callable[..., Any]
SAMPLED = "has modifiers, easing or extrapolation, written out as keys"


@pytest.fixture
def take(extension: ModuleType, rooms: SimpleNamespace) -> Maker:
    """Captures what an import made; options as keywords. The report is `take.report`."""
    module = importlib.import_module(f"{extension.__name__}.scene.capture")

    def capture(applied: Any, written: Any, number: int = 0, **options: Any) -> Any:
        capture.report = rooms.errors.Report()  # type: ignore[attr-defined]
        action = applied.actions[number]
        steps = module.capture(
            bpy.context,
            [applied.rig] if applied.rig is not None else applied.objects,
            action,
            rooms.scene_options.ExportOptions(**options),
            capture.report,  # type: ignore[attr-defined]
            written=written,
            provenance=rooms.provenance.find(action),
        )
        return rooms.steps.finished(steps)

    return capture


def curve_of(rooms: SimpleNamespace, rig: Any, path: str, index: int = 0) -> Any:
    (found,) = [c for c in rooms.actions.fcurves_of(rig) if c.data_path == path and c.array_index == index]
    return found


def bone_path(number: int, name: str = "location") -> str:
    return f'pose.bones["Bone {number}"].{name}'


def of_node(clip: Any, node: str, name: str, component: int = 0) -> Any:
    (found,) = [t for t in clip.tracks if (t.node, t.property, t.component) == (node, name, component)]
    return found


def reasons(captured: Any) -> str:
    return " | ".join(str(reason) for reason in captured.reasons)


def bezier_clip(make_clip: Maker, rooms: SimpleNamespace, keys: int = 7) -> Any:
    """The chain with curved locations."""
    clip = make_clip(keys=keys)
    for track in clip.tracks:
        if track.property == "location":
            track.interpolation = np.full(keys, rooms.clip.Interpolation.BEZIER, np.uint8)
            offsets = np.random.default_rng(3).normal(size=(3, keys, 2))
            track.handles = rooms.clip.Handles(np.tile(np.array([-0.01, 0.013]), (keys, 1)), offsets)
    return clip


# --- Untouched ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", [24, 30, 60])
def test_an_untouched_import_is_exact(make_clip: Maker, bring_in: Maker, take: Maker, fps: int) -> None:
    bpy.context.scene.render.fps = fps
    clip = make_clip(keys=9)
    captured = take(bring_in(clip, start_frame=10.0), clip)
    assert captured.exact, reasons(captured)
    assert (captured.unchanged, captured.edited, captured.baked) == (29, 0, 0)
    assert captured.clip.name == "WALK" and not captured.renamed
    assert captured.clip.root is clip.root and captured.clip.duration == clip.duration
    assert all(node is clip.node(node.name) for node in captured.clip.nodes)


def test_untouched_tracks_are_the_files_own_numbers(make_clip: Maker, bring_in: Maker, take: Maker) -> None:
    clip = make_clip(keys=9)
    captured = take(bring_in(clip), clip)
    assert sum(len(track.values) for track in clip.tracks) == len(captured.clip.tracks)
    for track in clip.tracks:
        for row, values in enumerate(track.values):
            found = of_node(captured.clip, track.node, track.property, row)
            assert found.match.unchanged and found.match.keys.tolist() == list(range(len(track.times)))
            assert found.values[0].tobytes() == values.tobytes()
            assert found.times.tobytes() == track.times.tobytes()
            assert (found.kind, found.value_kind, found.width) == (track.kind, track.value_kind, track.width)


def test_it_stays_exact_through_saving_and_opening(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace, tmp_path: Any
) -> None:
    clip = bezier_clip(make_clip, rooms)
    name = bring_in(clip).rig.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "walk.blend"))
    again = SimpleNamespace(rig=bpy.data.objects[name], actions=[bpy.data.actions["WALK"]])
    captured = take(again, clip)
    assert captured.exact, reasons(captured)


@pytest.mark.parametrize("nla", ["STASH", "STRIP"])
def test_placed_on_the_nla_it_is_exact(make_clip: Maker, bring_in: Maker, take: Maker, nla: str) -> None:
    clip = make_clip()
    applied = bring_in(clip, nla=nla)
    bpy.context.scene.frame_set(3)
    captured = take(applied, clip)
    assert captured.exact, reasons(captured)
    assert captured.baked == 0


def test_all_actions_of_a_rig_are_exact_whichever_plays(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    """The second lacks channels and components that the first moves: what the first left there is no edit."""
    clips = [make_clip("FIRST"), make_clip("SECOND", keys=8)]
    clips[1].tracks = [track for track in clips[1].tracks if track.node != "Bone 2"]
    (track,) = [t for t in clips[1].tracks if (t.node, t.property) == ("Bone 1", "location")]
    track.values, track.component = track.values[1:2], 1
    applied = bring_in(clips)
    bpy.context.scene.frame_set(4)
    for playing in (0, 1):
        rooms.actions.assign(applied.rig, applied.actions[playing])
        bpy.context.scene.frame_set(2)
        for number, clip in enumerate(clips):
            captured = take(applied, clip, number)
            assert captured.exact, (playing, number, reasons(captured))
            assert captured.clip.name == clip.name
            assert rooms.actions.assigned(applied.rig)[0] == applied.actions[playing]


def test_markers_are_the_files_own_while_untouched(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    marks = [rooms.clip.Marker(0.0123, "x" * 100), rooms.clip.Marker(0.07, ""), rooms.clip.Marker(0.0123, "second")]
    clip = make_clip(markers=marks)
    applied = bring_in(clip)
    captured = take(applied, clip)
    assert captured.exact, reasons(captured)
    assert [(m.time, m.text) for m in captured.clip.markers] == [(m.time, m.text) for m in marks]
    applied.actions[0].pose_markers.new("mine").frame = 12
    captured = take(applied, clip)
    assert not captured.exact
    found = [(m.time, m.text) for m in captured.clip.markers]
    rate = bpy.context.scene.render.fps
    assert found == [(0.0123, "x" * 100), (0.0123, "second"), (0.07, ""), (12 / rate, "mine")]


def test_imported_onto_another_rig_it_is_exact_and_partly_related(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    rig = bring_in(make_clip(), source=False).rig
    clip = make_clip("OTHER")
    clip.nodes[2].rest = clip.nodes[2].rest @ np.diag([1.0, -1.0, -1.0, 1.0])
    applied = bring_in(clip, onto=rig)
    captured = take(applied, clip)
    assert captured.exact, reasons(captured)
    curve_of(rooms, rig, bone_path(2)).keyframe_points[1].co[1] += 1.0
    curve_of(rooms, rig, bone_path(0)).keyframe_points[1].co[1] += 1.0
    captured = take(applied, clip)
    assert not captured.exact
    assert captured.clip.node("Bone 2").rest[1, 1] == pytest.approx(-clip.nodes[2].rest[1, 1], abs=1e-6)
    assert of_node(captured.clip, "Bone 2", "location").match is None
    assert of_node(captured.clip, "Bone 0", "location").match.same_value.tolist() == [True, False, True, True, True]


def test_a_hidden_carrier_does_not_end_exactness(make_clip: Maker, bring_in: Maker, take: Maker) -> None:
    clip = make_clip()
    clip.nodes[1].shown_by = ("Bone 0", "visibility")
    applied = bring_in(clip)
    bpy.context.scene.frame_set(5)
    captured = take(applied, clip)
    assert captured.exact, reasons(captured)


# --- Edited ------------------------------------------------------------------------------------------------------


def test_a_changed_value_changes_that_key_alone(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    clip = make_clip(keys=9)
    applied = bring_in(clip)
    curve_of(rooms, applied.rig, bone_path(1), 2).keyframe_points[4].co[1] = 7.0
    captured = take(applied, clip)
    assert not captured.exact and (captured.unchanged, captured.edited) == (28, 1)
    found = of_node(captured.clip, "Bone 1", "location", 2)
    assert found.values[0, 4] == 7.0 and found.match.keys.tolist() == list(range(9))
    assert found.match.same_value.tolist() == [True] * 4 + [False] + [True] * 4
    assert found.match.same_time.all() and not found.match.unchanged
    others = [track for track in captured.clip.tracks if track is not found]
    assert all(track.match.unchanged for track in others)


def test_a_moved_key_keeps_its_value(make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace) -> None:
    clip = make_clip(keys=9)
    applied = bring_in(clip)
    key = curve_of(rooms, applied.rig, bone_path(1), 0).keyframe_points[4]
    key.co[0] += 0.25
    frame = key.co[0]
    found = of_node(take(applied, clip).clip, "Bone 1", "location", 0)
    rate = bpy.context.scene.render.fps
    assert found.times[4] == frame / rate
    assert found.match.same_time.tolist() == [True] * 4 + [False] + [True] * 4 and found.match.same_value.all()


def test_deleted_and_added_keys(make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace) -> None:
    clip = make_clip(keys=9)
    applied = bring_in(clip)
    points = curve_of(rooms, applied.rig, bone_path(1), 0).keyframe_points
    points.remove(points[3])
    points.insert(50.5, 0.125)
    found = of_node(take(applied, clip).clip, "Bone 1", "location", 0)
    assert found.match.keys.tolist() == [0, 1, 2, 4, 5, 6, 7, 8, -1]
    assert found.values[0, -1] == 0.125


def test_handles_that_shape_nothing_do_not_matter(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    clip = bezier_clip(make_clip, rooms)
    applied = bring_in(clip)
    points = curve_of(rooms, applied.rig, bone_path(1), 0).keyframe_points
    points[0].handle_left[1] += 3.0
    points[-1].handle_right[1] += 3.0
    captured = take(applied, clip)
    assert captured.exact, reasons(captured)
    points[2].handle_right[1] += 3.0
    captured = take(applied, clip)
    assert not captured.exact
    found = of_node(captured.clip, "Bone 1", "location", 0)
    assert found.match.same_right.tolist() == [True, True, False, True, True, True, True]
    assert found.match.same_left.all() and found.match.same_value.all()
    assert found.handles.values[0, 2, 1] == pytest.approx(clip_handle(clip, 1) + 3.0, abs=1e-4)


def clip_handle(clip: Any, number: int) -> float:
    (track,) = [t for t in clip.tracks if t.node == f"Bone {number}" and t.property == "location"]
    return float(track.handles.values[0, 2, 1])


def test_a_deleted_curve_is_noticed(make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace) -> None:
    clip = make_clip()
    applied = bring_in(clip)
    bag = rooms.actions.find_bag(*rooms.actions.assigned(applied.rig))
    bag.fcurves.remove(curve_of(rooms, applied.rig, bone_path(1), 1))
    applied.rig.pose.bones["Bone 1"].location = (0, 0, 0)
    captured = take(applied, clip)
    assert not captured.exact and "1 curve of the file is gone" in reasons(captured)
    assert captured.unchanged == 28


def test_another_rate_changes_times_and_no_values(make_clip: Maker, bring_in: Maker, take: Maker) -> None:
    bpy.context.scene.render.fps = 30
    clip = make_clip(keys=9, rate=30.0)
    applied = bring_in(clip, start_frame=2.0)
    bpy.context.scene.render.fps = 60
    captured = take(applied, clip)
    assert not captured.exact and "60" in reasons(captured)
    found = of_node(captured.clip, "Bone 1", "location", 1)
    assert found.times == pytest.approx(np.arange(9) / 60, abs=1e-7)
    assert found.match.same_value.all() and not found.match.same_time.any()
    assert found.match.keys.tolist() == list(range(9))


def test_a_renamed_action_names_the_clip(make_clip: Maker, bring_in: Maker, take: Maker) -> None:
    clip = make_clip()
    applied = bring_in(clip)
    applied.actions[0].name = "Mine"
    captured = take(applied, clip)
    assert captured.renamed and captured.clip.name == "Mine"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda rig: setattr(rig, "location", (1, 2, 3)), "was moved"),
        (lambda rig: setattr(rig.pose.bones["Bone 1"], "rotation_mode", "XYZ"), "Bone 1: its rotation"),
        (lambda rig: setattr(rig.pose.bones["Bone 1"], "scale", (1, 2, 1)), "Bone 1: it is posed without keys"),
        (lambda rig: rig.pose.bones["Bone 1"].constraints.new("LIMIT_LOCATION"), "Bone 1: the constraint"),
        (lambda rig: setattr(rig.data.bones["Bone 1"], "use_inherit_rotation", False), "Bone 1: it does not inherit"),
        (lambda rig: rig.pose.bones["Bone 1"].driver_add("location", 0), "Bone 1: a driver"),
        (lambda rig: setattr(rig.animation_data.action, "frame_end", 77), "frame range"),
    ],
)
def test_what_ends_exactness(
    make_clip: Maker, bring_in: Maker, take: Maker, edit: Callable[[Any], object], said: str
) -> None:
    clip = make_clip()
    applied = bring_in(clip)
    edit(applied.rig)
    captured = take(applied, clip)
    assert not captured.exact
    assert said in reasons(captured)


@pytest.mark.parametrize(
    ("edit", "said", "edited"),
    [
        (lambda curve: setattr(curve, "mute", True), "is muted", 1),
        (lambda curve: curve.keyframe_points.clear(), "has no keys", 1),
        (lambda curve: curve.modifiers.new("NOISE"), SAMPLED, 1),
        (
            lambda curve: setattr(curve, "extrapolation", "LINEAR"),
            SAMPLED,
            0,
        ),  # its keys fill the range
        (
            lambda curve: setattr(curve.keyframe_points[1], "interpolation", "SINE"),
            SAMPLED,
            1,
        ),
        (lambda curve: curve.modifiers.new("CYCLES"), "1 curve is not as it was imported", 1),
    ],
)
def test_what_ends_the_exactness_of_a_curve(
    make_clip: Maker,
    bring_in: Maker,
    take: Maker,
    rooms: SimpleNamespace,
    edit: Callable[[Any], object],
    said: str,
    edited: int,
) -> None:
    clip = make_clip()
    applied = bring_in(clip)
    edit(curve_of(rooms, applied.rig, bone_path(1), 1))
    captured = take(applied, clip)
    assert not captured.exact
    assert said in reasons(captured)
    assert (captured.unchanged, captured.edited) == (29 - edited, edited)


def test_an_edited_rest_pose_is_named(make_clip: Maker, bring_in: Maker, take: Maker) -> None:
    clip = make_clip()
    applied = bring_in(clip)
    bpy.context.view_layer.objects.active = applied.rig
    bpy.ops.object.mode_set(mode="EDIT")
    applied.rig.data.edit_bones["Bone 3"].roll += 0.5
    bpy.ops.object.mode_set(mode="OBJECT")
    captured = take(applied, clip)
    assert not captured.exact
    assert "Bone 3: its rest pose" in reasons(captured)
    assert [node.name for node in captured.clip.nodes if node is not clip.node(node.name)] == ["Bone 3"]


def test_keys_the_importer_put_in_stay_known(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    clip = make_clip(keys=9)
    (track,) = [t for t in clip.tracks if t.node == "Bone 1" and t.property == "rotation_quaternion"]
    track.inserted = np.arange(9) % 2 == 1
    applied = bring_in(clip)
    curve = curve_of(rooms, applied.rig, bone_path(1, "rotation_quaternion"), 0)
    curve.keyframe_points[1].co[1] += 0.5
    curve.keyframe_points[4].co[1] += 0.5
    found = of_node(take(applied, clip).clip, "Bone 1", "rotation_quaternion", 0)
    assert found.inserted.tolist() == [False, False, False, True, False, True, False, True, False]


# --- Trimming ----------------------------------------------------------------------------------------------------


def test_the_scene_range_cuts_exactly(make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace) -> None:
    bpy.context.scene.render.fps = 30
    clip = bezier_clip(make_clip, rooms, keys=31)
    applied = bring_in(clip)
    curve = curve_of(rooms, applied.rig, bone_path(1), 1)
    curve.modifiers.new("CYCLES")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 7, 44
    captured = take(applied, clip, use_scene_range=True)
    assert not captured.exact and captured.clip.duration == pytest.approx(37 / 30)
    evaluate = importlib.import_module(f"{rooms.clip.__name__}.curve").evaluate
    frames = np.arange(7, 44, 0.25)[:-1]
    for index in (0, 1):
        found = of_node(captured.clip, "Bone 1", "location", index)
        assert found.times[0] == 0.0 and found.times[-1] <= 37 / 30 + 1e-9
        expected = [curve_of(rooms, applied.rig, bone_path(1), index).evaluate(frame) for frame in frames]
        away = np.abs(np.mod(frames, 30)) > 1e-2  # at the join Blender still plays the last key
        assert evaluate(found, (frames - 7) / 30)[0][away] == pytest.approx(np.array(expected)[away], abs=2e-4)


def test_a_range_that_cuts_nothing_leaves_it_exact(make_clip: Maker, bring_in: Maker, take: Maker) -> None:
    clip = make_clip()
    captured = take(bring_in(clip), clip, use_scene_range=True)
    assert captured.exact, reasons(captured)


# --- Objects -----------------------------------------------------------------------------------------------------


def object_clip(rooms: SimpleNamespace, root: Any) -> Any:
    """Two objects, one a lamp with properties of its own, and a face with a shape key."""
    clip, shape = rooms.clip, np.full(5, rooms.clip.Interpolation.LINEAR, np.uint8)
    random, times = np.random.default_rng(1), np.arange(5, dtype=np.float32) / 25

    def track(node: str, name: str, width: int, **fields: Any) -> Any:
        values = random.random(size=(width, 5)).astype(np.float32)
        return clip.Track(node, name, times, values, shape, width=width, **fields)

    kinds = clip.TrackKind
    tracks = [
        track("Lamp", "location", 3),
        track("Lamp", "rotation_quaternion", 4),
        track("Lamp", "data.energy", 1, kind=kinds.RNA),
        track("Lamp", "no_such_thing", 1, kind=kinds.RNA),
        track("Box", "scale", 3),
        track("Box", "glow", 4, kind=kinds.CUSTOM, value_kind=clip.ValueKind.COLOR),
        track("Face", "Smile", 1, kind=kinds.SHAPE_KEY),
        track("Face", "Frown", 1, kind=kinds.SHAPE_KEY),
    ]
    nodes = [clip.Node(name, original=name, kind=clip.NodeKind.BONE) for name in ("Lamp", "Box", "Face")]
    return clip.Clip("SET", 4 / 25, 25.0, root=root, nodes=nodes, tracks=tracks, parents_known=False)


def make_set() -> None:
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    for name, data in (("Lamp", bpy.data.lights.new("Lamp", "POINT")), ("Box", None), ("Face", mesh)):
        thing = bpy.data.objects.new(name, data)
        bpy.context.scene.collection.objects.link(thing)
    bpy.data.objects["Face"].shape_key_add(name="Basis")
    bpy.data.objects["Face"].shape_key_add(name="Smile")


@pytest.mark.parametrize("turned", [False, True])
def test_objects_are_exact_and_related(bring_in: Maker, take: Maker, rooms: SimpleNamespace, turned: bool) -> None:
    make_set()
    root = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], np.float64) if turned else np.eye(4)
    clip = object_clip(rooms, root)
    applied = bring_in(clip, target="BY_NAME")
    captured = take(applied, clip)
    assert captured.exact, reasons(captured)
    curves = sum(len(list(rooms.actions.every_curve(action))) for action in applied.all_actions)
    assert captured.unchanged == curves and (turned or curves == 18)
    only_one = SimpleNamespace(rig=None, objects=[bpy.data.objects["Box"]], actions=applied.actions)
    if rooms.actions.SLOTTED:
        assert take(only_one, clip).exact
    energy = rooms.actions.fcurves_of(bpy.data.lights["Lamp"])[0]
    energy.keyframe_points[2].co[1] = 50.0
    captured = take(applied, clip)
    assert not captured.exact and (captured.unchanged, captured.edited) == (curves - 1, 1)
    found = of_node(captured.clip, "Lamp", "data.energy")
    assert found.values[0, 2] == 50.0 and found.match.same_value.tolist() == [True, True, False, True, True]
