"""Captured clips of what was imported: exact where nothing changed, related key by key where something did."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from in_blender import animate, editing, fcurves

bpy = pytest.importorskip("bpy")

Maker = Callable[..., Any]
SAMPLED = "has modifiers, easing or extrapolation, written out as keys"


@pytest.fixture
def take(take: Maker) -> Maker:
    """Captures what an import of a clip made; the report is `take.report`."""

    def capture(applied: Any, written: Any) -> Any:
        things = [applied.rig] if applied.rig is not None else applied.objects
        captured = take(*things, action=applied.actions[0], written=written)
        capture.report = take.report  # type: ignore[attr-defined]
        return captured

    return capture


def bone_path(number: int, name: str = "location") -> str:
    return f'pose.bones["Bone {number}"].{name}'


def of_node(clip: Any, node: str, name: str, component: int = 0) -> Any:
    (found,) = [t for t in clip.tracks if (t.node, t.property, t.component) == (node, name, component)]
    return found


def reasons(captured: Any) -> str:
    return " | ".join(str(reason) for reason in captured.reasons)


# --- Untouched ---------------------------------------------------------------------------------------------------


def test_markers_are_the_files_own_while_untouched(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    places = [(0.0123, "x" * 100), (0.07, ""), (0.0123, "second"), (0.02, "second")]  # two of a text within a frame
    marks = [rooms.clip.Marker(*place) for place in places]
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
    assert found == [(0.0123, "x" * 100), (0.0123, "second"), (0.02, "second"), (0.07, ""), (12 / rate, "mine")]


def test_imported_onto_another_rig_it_is_exact_and_partly_related(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    rig = bring_in(make_clip(), source=False).rig
    clip = make_clip("OTHER")
    clip.nodes[2].rest = clip.nodes[2].rest @ np.diag([1.0, -1.0, -1.0, 1.0])
    applied = bring_in(clip, onto=rig)
    captured = take(applied, clip)
    assert captured.exact, reasons(captured)
    fcurves(rig)[bone_path(2), 0].keyframe_points[1].co[1] += 1.0
    fcurves(rig)[bone_path(0), 0].keyframe_points[1].co[1] += 1.0
    captured = take(applied, clip)
    assert not captured.exact
    assert captured.clip.node("Bone 2").rest[1, 1] == pytest.approx(-clip.nodes[2].rest[1, 1], abs=1e-6)
    assert of_node(captured.clip, "Bone 2", "location").match is None
    assert of_node(captured.clip, "Bone 0", "location").match.same_value.tolist() == [True, False, True, True, True]


def drive(rig: Any) -> None:
    """Let the size of a bone be what keys say of another."""
    driver = rig.pose.bones["Bone 1"].driver_add("scale", 0).driver
    driver.type, variable = "AVERAGE", driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, bone_path(0) + "[0]"


def roll(rig: Any) -> None:
    with editing(rig) as bones:
        bones["Bone 3"].roll += 0.5


def by_angles(rig: Any) -> None:
    rig.pose.bones["Bone 1"].rotation_mode, rig.pose.bones["Bone 1"].rotation_euler = "XYZ", (1, 0, 0)


def key_angles(rig: Any) -> None:
    by_angles(rig)
    rig.pose.bones["Bone 1"].keyframe_insert("rotation_euler", index=0)


def connect(rig: Any) -> None:
    with editing(rig) as bones:
        bones["Bone 1"].use_connect = True


# --- Edited ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            lambda rig: setattr(rig, "location", (1, 2, 3)),
            "stands otherwise than in the file | RIG: it is not as it was imported",
        ),
        (lambda rig: animate(rig, "location", {1: (0, 0, 0), 9: (1, 2, 3)}), "the object itself moves"),
        (lambda rig: setattr(rig.pose.bones["Bone 1"], "rotation_mode", "XYZ"), "Bone 1: its rotation"),
        (lambda rig: setattr(rig.pose.bones["Bone 1"], "scale", (1, 2, 1)), "Bone 1: posed without keys"),
        (lambda rig: rig.pose.bones["Bone 1"].constraints.new("LIMIT_LOCATION"), "Bone 1: the constraint"),
        (lambda rig: setattr(rig.data.bones["Bone 1"], "use_inherit_rotation", False), "Bone 1: it does not inherit"),
        (lambda rig: setattr(rig.data.bones["Bone 1"], "inherit_scale", "NONE"), "Bone 1: it does not inherit"),
        (lambda rig: setattr(rig.data.bones["Bone 1"], "use_local_location", False), "Bone 1: it does not inherit"),
        (lambda rig: rig.pose.bones["Bone 1"].driver_add("location", 0), "Bone 1: a driver"),
        (drive, "Bone 1: a driver sets its scale"),
        (by_angles, "Bone 1: posed without keys"),
        (key_angles, "1 curve is not as it was imported"),
        (connect, "Bone 1: a connected bone"),
        (roll, "rest poses or parents are not those of the file: Bone 3"),
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
    ("edit", "said"),
    [
        (lambda curve: setattr(curve, "mute", True), "is muted"),
        (lambda curve: curve.keyframe_points.clear(), "has no keys"),
        (lambda curve: curve.modifiers.new("NOISE"), SAMPLED),  # all of its location is sampled
        (lambda curve: setattr(curve, "extrapolation", "LINEAR"), SAMPLED),  # its keys fill the range
        (lambda curve: setattr(curve.keyframe_points[1], "interpolation", "SINE"), SAMPLED),
        (lambda curve: curve.modifiers.new("CYCLES"), "1 curve is not as it was imported"),
    ],
)
def test_what_ends_the_exactness_of_a_curve(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace, edit: Callable[[Any], object], said: str
) -> None:
    clip = make_clip()
    applied = bring_in(clip)
    edit(fcurves(applied.rig)[bone_path(1), 1])
    captured = take(applied, clip)
    assert not captured.exact
    assert rooms.provenance.is_changed(applied.actions[0])
    assert said in reasons(captured)


def test_keys_of_an_import_stay_known(make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace) -> None:
    clip = make_clip(keys=9)
    (track,) = [t for t in clip.tracks if t.node == "Bone 1" and t.property == "rotation_quaternion"]
    track.inserted = np.arange(9) % 2 == 1
    applied = bring_in(clip)
    curve = fcurves(applied.rig)[bone_path(1, "rotation_quaternion"), 0]
    curve.keyframe_points[1].co[1] += 0.5
    curve.keyframe_points[4].co[1] += 0.5
    found = of_node(take(applied, clip).clip, "Bone 1", "rotation_quaternion", 0)
    assert found.inserted.tolist() == [False, False, False, True, False, True, False, True, False]


def test_an_edit_in_another_range_keeps_the_files_times(
    make_clip: Maker, bring_in: Maker, take: Maker, rooms: SimpleNamespace
) -> None:
    """What is posed without keys has no key outside that range."""
    clip = make_clip(rate=29.7)
    applied = bring_in(clip)
    action, curve = applied.actions[0], fcurves(applied.rig)[bone_path(1), 0]
    action.use_frame_range, action.frame_start, action.frame_end = True, 1.0, 5.0
    curve.keyframe_points[2].co[1] += 1.0
    take(applied, clip)
    (outside,) = [str(note) for note in take.report.notes if "keys lie outside" in str(note)]  # type: ignore[attr-defined]
    applied.rig.pose.bones["Bone 1"].scale.x = 2.0
    captured = take(applied, clip).clip
    assert outside in map(str, take.report.notes)  # type: ignore[attr-defined]
    found, own = of_node(captured, "Bone 1", "location"), clip.tracks[2]
    assert found.times[1:] == pytest.approx(own.times[2:] - 1 / bpy.context.scene.render.fps, abs=1e-12)
    assert {("Bone 1", "location"), ("Bone 2", "location")} & captured.left_alone == {("Bone 2", "location")}
