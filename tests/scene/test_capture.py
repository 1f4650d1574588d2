"""Captured clips of what was imported: exact where nothing changed, related key by key where something did."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from in_blender import fcurves

bpy = pytest.importorskip("bpy")

Maker = Callable[..., Any]


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


# --- Edited ------------------------------------------------------------------------------------------------------


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
