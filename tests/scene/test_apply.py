"""Clips in Blender: they play what they hold, and nothing that was there before is harmed."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from in_blender import add, choose, go_to, reopen
from textbook import expected_world

bpy = pytest.importorskip("bpy")
from mathutils import Matrix, Quaternion  # noqa: E402

Maker = Callable[..., Any]


@pytest.mark.parametrize("kept", [True, False])
def test_an_imported_action_outlives_a_file_in_which_another_plays(
    make_clip: Maker, bring_in: Maker, tmp_path: Path, kept: bool
) -> None:
    applied = bring_in(make_clip(), fake_user=kept)
    applied.rig.animation_data.action = bpy.data.actions.new("Other")
    reopen(tmp_path / "scene.blend")
    assert ("WALK" in bpy.data.actions) is kept


@pytest.mark.parametrize(("fps", "base"), [(24, 1.0), (30, 1.001), (60, 1.0), (24, 2.0)])
def test_times_become_exact_frames_of_the_scenes_rate(
    make_clip: Maker, bring_in: Maker, rooms: SimpleNamespace, fps: int, base: float
) -> None:
    render = bpy.context.scene.render
    render.fps, render.fps_base = fps, base
    clip = make_clip(keys=3, rate=29.97)  # at 12 frames a second less than one
    applied = bring_in(clip, start_frame=10.5)
    exact = clip.tracks[0].times * (render.fps / render.fps_base) + 10.5
    curve = rooms.actions.fcurves_of(applied.rig)[0]
    assert rooms.fcurves.read(curve).block.frames.tolist() == exact.astype(np.float32).tolist()
    action = applied.actions[0]
    assert action.use_frame_range and action.frame_start == 10.5
    assert action.frame_end == pytest.approx(exact[-1], rel=1e-6)
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (10, int(np.ceil(exact[-1] - 1e-4)))
    assert bpy.context.scene.frame_current == 10, "the playhead stays where nothing plays"
    assert (render.fps, render.fps_base) == (fps, pytest.approx(base))
    placement = rooms.provenance.find(action).placement
    assert (placement.rate, placement.start_frame) == (render.fps / render.fps_base, 10.5)


@pytest.mark.parametrize(
    ("options", "rate"), [({"rate": "FILE"}, 29.97), ({"rate": "CUSTOM", "custom_rate": 12.0}, 12.0), ({}, 24.0)]
)
def test_the_scene_takes_a_rate_only_when_told(
    make_clip: Maker, bring_in: Maker, options: dict[str, Any], rate: float
) -> None:
    render = bpy.context.scene.render
    render.frame_map_new = 200  # by which 24 frames a second play 12 of animation
    bring_in(make_clip(rate=29.97), **options)
    assert render.fps / render.fps_base == pytest.approx(rate, rel=1e-7)
    assert (f"{rate} frames" in reasons(bring_in)) == bool(options)


def test_a_scene_with_other_animation_keeps_its_range(make_clip: Maker, bring_in: Maker) -> None:
    bpy.data.objects.new("Other", None).keyframe_insert("location", frame=1)
    bpy.context.scene.frame_current = 300
    bring_in(make_clip(keys=11))
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (0, 250)
    assert bpy.context.scene.frame_current == 300
    bring_in(make_clip(keys=1001), set_scene_range=False)
    assert bpy.context.scene.frame_end == 250


def test_the_cyclic_mark_and_markers_are_kept(make_clip: Maker, bring_in: Maker, rooms: SimpleNamespace) -> None:
    marker = rooms.clip.Marker
    markers = [marker(0.5, "step"), marker(1.0, ""), marker(1.26, "手" * 30), marker(0.5, "step")]
    applied = bring_in(make_clip(markers=markers, cyclic=True), start_frame=10.0)
    found = [(marker.frame, marker.name) for marker in applied.actions[0].pose_markers]
    assert found == [(22, "step"), (34, ""), (40, "手" * 21), (22, "step")]
    assert applied.actions[0].use_cyclic


def test_a_second_file_animates_the_selected_armature(make_clip: Maker, bring_in: Maker) -> None:
    first = bring_in(make_clip("IDLE"), fake_user=False)
    with pytest.raises(ZeroDivisionError), bring_in(make_clip("RUN"), commit=False):
        raise ZeroDivisionError
    assert not first.actions[0].use_fake_user
    other = bpy.data.objects.new("Other", None)
    other.animation_data_create().action = first.actions[0]
    with pytest.raises(ZeroDivisionError), bring_in(make_clip("IDLE"), existing="REPLACE", commit=False):
        raise ZeroDivisionError
    assert other.animation_data.action == first.actions[0] and not first.actions[0].use_fake_user
    bpy.data.objects.remove(other)
    second = bring_in(make_clip("WALK"))
    assert second.rig == first.rig and not second.is_new
    assert first.rig.animation_data.action == second.actions[0]
    assert first.actions[0].use_fake_user, "the Action that was displaced would be lost on saving"
    first.rig.animation_data_clear()
    with pytest.raises(ZeroDivisionError), bring_in(make_clip("WALK"), commit=False):
        raise ZeroDivisionError
    assert first.rig.animation_data is None


def reasons(bring_in: Maker) -> str:
    """What the last import said about its target."""
    return " ".join(map(str, bring_in.report.notes))


def test_automatic_takes_what_is_selected(make_clip: Maker, bring_in: Maker) -> None:
    first = bring_in(make_clip("IDLE", bones=5))
    assert "A new armature was made: none is selected, deforms the selection" in reasons(bring_in)
    second = bring_in(make_clip("WALK"))
    assert second.rig == first.rig and len(bpy.data.armatures) == 1
    assert f"{first.rig.name} was taken, as it is selected" in reasons(bring_in)
    report = bring_in.report  # type: ignore[attr-defined]
    assert report.warnings == [] and len(report.notes) == 2, "nothing of the bone that has no animation"
    third = bring_in(make_clip("RUN"), target="NEW")
    assert third.rig != first.rig


@pytest.mark.parametrize("how", ["modifier", "parent", "bone of a parent"])
def test_automatic_takes_the_armature_of_a_selected_mesh(make_clip: Maker, bring_in: Maker, how: str) -> None:
    rig = bring_in(make_clip("IDLE")).rig
    bring_in(make_clip("ELSE", bones=6), target="NEW")
    choose()
    bpy.ops.mesh.primitive_cube_add()
    mesh = bpy.context.view_layer.objects.active
    if how == "modifier":
        mesh.modifiers.new("Armature", "ARMATURE").object = rig
    elif how == "parent":
        mesh.parent = add("Between")
        mesh.parent.parent = rig
    else:
        mesh.parent, mesh.parent_type, mesh.parent_bone = rig, "BONE", rig.data.bones[0].name
    walk = bring_in(make_clip("WALK"))
    assert walk.rig == rig and rig.animation_data.action == walk.actions[0]
    assert f"{rig.name} was taken, as it moves what is selected" in reasons(bring_in)


def test_automatic_takes_the_armature_of_the_skeletons_name(make_clip: Maker, bring_in: Maker) -> None:
    rig = bring_in(make_clip("IDLE")).rig
    other = add("Other", bpy.data.armatures.new("Other"))
    for chosen in ((), (other,)):  # which has none of the bones, and stays selected
        choose(*chosen)
        assert bring_in(make_clip("WALK")).rig == rig
        assert bpy.context.selected_objects == [other if chosen else rig]
        assert f"{rig.name} was taken, as it has the name of the file's skeleton" in reasons(bring_in)
    rig.name = rig.data.name = "Another"
    choose()
    assert bring_in(make_clip("RUN")).rig != rig


def test_an_armature_with_few_matching_names_is_left_alone(make_clip: Maker, bring_in: Maker) -> None:
    first = bring_in(make_clip("IDLE", bones=2))
    second = bring_in(make_clip("WALK", bones=6))
    assert second.rig != first.rig
    assert first.rig.animation_data.action == first.actions[0]
    assert f"as 2 of 6 names match {first.rig.name}" in reasons(bring_in)
    choose(first.rig)
    bring_in(make_clip("STILL", bones=5, tracks=[]))
    assert f"as 2 of 5 names match {first.rig.name}" in reasons(bring_in)
    third = bring_in(make_clip("RUN", bones=6), onto=first.rig)
    assert third.rig == first.rig and sorted(third.bones) == ["Bone 0", "Bone 1"]
    assert "4 animated names have no bone" in str(bring_in.report.warnings[0])


def test_a_chosen_target_that_does_not_exist_is_refused(make_clip: Maker, bring_in: Maker, rooms: Any) -> None:
    with pytest.raises(rooms.errors.FormatError, match="needs an active armature"):
        bring_in(make_clip(), target="SELECTED")
    with pytest.raises(rooms.errors.FormatError, match="No bone or object"):
        bring_in(make_clip(), target="BY_NAME")
    bpy.ops.object.armature_add()
    with pytest.raises(rooms.errors.FormatError, match="No bone or object"):
        bring_in(make_clip(), onto=bpy.context.object)
    bpy.ops.object.armature_add()
    choose(*bpy.context.scene.objects)
    bpy.context.view_layer.objects.active = None
    with pytest.raises(rooms.errors.FormatError, match="needs an active armature"):  # of two none is meant
        bring_in(make_clip(), target="SELECTED")
    assert not len(bpy.data.actions) and not len(bpy.data.texts)


@pytest.mark.parametrize("beside", [None, "EMPTY", "ARMATURE"])
def test_by_name_finds_the_armature_that_is_not_selected(beside: str | None, make_clip: Maker, bring_in: Maker) -> None:
    """It is selected then, as the editors show the keys of what is: an armature that a person has selected stays so."""
    bring_in(make_clip("FEW", bones=2))
    first = bring_in(make_clip("IDLE"), target="NEW")
    first.rig.select_set(False)
    layer = bpy.context.view_layer
    layer.objects.active = None
    twin = first.rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    if beside is not None:
        other = add("Other", bpy.data.armatures.new("Other") if beside == "ARMATURE" else None)
        other.select_set(True)
        layer.objects.active = other
    chosen = other if beside == "ARMATURE" else first.rig
    assert bring_in(make_clip("WALK"), target="BY_NAME").rig == first.rig, "of those with most of the names the first"
    assert (layer.objects.active, list(layer.objects.selected)) == (chosen, [chosen])


def test_by_name_animates_objects(make_clip: Maker, bring_in: Maker) -> None:
    things = []
    for number in range(3):
        thing = add(f"Bone {number}", None)
        things.append(thing)
    things[2].parent, things[2].matrix_parent_inverse = things[1], ELSEWHERE
    things[0].parent = stage = bpy.data.objects.new("Stage", None)  # the file's own root stands in the world
    stage.matrix_basis, things[0].matrix_parent_inverse = ELSEWHERE, UPRIGHT
    bpy.context.scene.collection.objects.link(stage)
    bpy.context.view_layer.update()
    clip = make_clip("WALK", bones=3)
    applied = bring_in(clip, target="BY_NAME")
    assert applied.rig is None and set(applied.objects) == set(things)
    for key in range(5):
        go_to(0.0)
        go_to(key / 30 * 24)
        for number, thing in enumerate(things):
            found = np.array(thing.matrix_world)
            assert np.abs(found - expected_world(clip, key)[f"Bone {number}"]).max() < 2e-5, (number, key)
    twin = things[2].copy()
    assert bring_in(clip, target="BY_NAME", existing="REPLACE").actions
    assert twin.animation_data.action == things[2].animation_data.action
    if bpy.app.version >= (4, 4):
        assert twin.animation_data.action_slot == things[2].animation_data.action_slot


UPRIGHT = Matrix.LocRotScale(None, Quaternion((1, 0, 0), math.radians(90)), (0.01, 0.01, 0.01))
ELSEWHERE = Matrix.LocRotScale((2.0, -3.0, 0.5), Quaternion((0.2, 0.3, 1.0), 2.1), None)


def test_a_merge_that_is_taken_back_leaves_no_slot_and_no_marker(
    make_clip: Maker, bring_in: Maker, rooms: SimpleNamespace
) -> None:
    clip = make_clip("IDLE", markers=[rooms.clip.Marker(0.0, "step")])
    action = (first := bring_in(clip)).actions[0]
    if rooms.actions.SLOTTED:
        first.rig.animation_data.action_slot = None
        first.rig.name = "Another"
    clip.markers.append(rooms.clip.Marker(0.5, "step"))
    slots = [slot.handle for slot in getattr(action, "slots", ())]
    with pytest.raises(ZeroDivisionError), bring_in(clip, merge=True, commit=False):
        assert len(action.pose_markers) == 2
        raise ZeroDivisionError
    assert [marker.frame for marker in action.pose_markers] == [0]
    assert [slot.handle for slot in getattr(action, "slots", ())] == slots
