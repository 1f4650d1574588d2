"""Importing through the operators: one way in for a name, several names, a drop; all or nothing for each file."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bombs import one_track_of_many_keys, very_many_small_tracks
from cases import slow
from in_blender import add, animate, curves_of

pytest.importorskip("bpy")
from mathutils import Matrix, Quaternion, Vector

Part = Callable[[str], Any]
Patch = pytest.MonkeyPatch
RAISE_MEMORY = r"raise it \(Memory in the add-on's preferences, or --memory-mib\)"


def import_mrtk(bpy: Any, path: Path, **options: Any) -> set[str]:
    """Import by name alone, as a script would."""
    result: set[str] = bpy.ops.import_anim.mrtk(filepath=str(path), **options)
    return result


class View:
    """Stands for a 3D view, and tells where places of the world are in it: x and y from -1 to 1."""

    def __init__(self, kind: str) -> None:
        self.view_perspective, self.view_distance = kind, 10.0
        self.view_rotation, self.view_location = Quaternion((0.6, 0.0, 0.8, 0.0)), Vector((1.0, 2.0, 3.0))

    @property
    def window_matrix(self) -> Any:
        if self.view_perspective == "ORTHO":
            return Matrix.Diagonal((2.0 / self.view_distance, 3.0 / self.view_distance, 1.0, 1.0))
        return Matrix(((2.0, 0.0, 0.0, 0.0), (0.0, 3.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (0.0, 0.0, -1.0, 0.0)))

    @property
    def perspective_matrix(self) -> Any:
        turned = Matrix.Translation(self.view_location) @ self.view_rotation.to_matrix().to_4x4()
        return self.window_matrix @ (turned @ Matrix.Translation((0.0, 0.0, self.view_distance))).inverted()

    def where(self, *things: Any) -> Any:
        """Of the corners of objects."""
        corners = [thing.matrix_world @ Vector(corner) for thing in things for corner in thing.bound_box]
        found = np.array([self.perspective_matrix @ corner.to_4d() for corner in corners])
        assert (found[:, 3] > 0.0).all()
        return found[:, :2] / found[:, 3:]

    def state(self) -> Any:
        return np.array([*self.view_rotation, *self.view_location, self.view_distance])


@pytest.fixture
def framed(bpy: Any, part: Part, monkeypatch: Patch) -> Callable[..., Any]:
    """Turn a view to what an import made; the view."""

    def turn(view: View, *outcomes: Any) -> Any:
        monkeypatch.setattr(part("operators.framing"), "_largest_view", lambda _: view)
        part("operators.framing").frame(bpy.context, outcomes)
        return view

    return turn


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("w3d_models/m01_rigid.w3d", {"HULL", "DOME", "GUN", "BULB", "AERIAL"}),
        ("w3d_models/m06_single.w3d", {"M06_SINGLE"}),
        ("animx/08_walk.animj", {"08_walk"}),
    ],
)
def test_the_view_moves_to_what_is_seen(
    bpy: Any, data: Path, part: Part, framed: Any, name: str, seen: set[str], kind: str
) -> None:
    """Not to a mesh that the animation hides on this frame, nor to what was deleted before."""
    outcome = outcome_of(bpy, part, data / name)
    for hidden in {one for one in bpy.data.objects if one.type == "MESH"} - {bpy.data.objects[each] for each in seen}:
        hidden.data.transform(Matrix.Translation((1000.0, 0.0, 0.0)))
    view = framed(View(kind), outcome)
    ends = np.abs(view.where(*(bpy.data.objects[each] for each in seen))).max()
    assert 0.3 < ends < 0.801 and (ends > 0.799 or kind == "PERSP" or "walk" in name)
    assert view.view_rotation == View(kind).view_rotation
    bpy.data.batch_remove(list(bpy.data.objects))
    assert (framed(View(kind), outcome).state() == View(kind).state()).all()


def test_a_hand_is_seen_from_above_its_recorders_eyes(bpy: Any, data: Path, part: Part, framed: Any) -> None:
    """Not with the hand that comes into sight later, and what comes onto its armature turns nothing."""
    towards = Vector((0.0, 0.0, 1.0))
    first = outcome_of(bpy, part, data / "mrtk" / "v11_flags" / "v11_cam0_hand1_gaze0.bin")
    assert (framed(View("PERSP"), first).view_rotation @ towards).angle(Vector((0.0, -0.6, 0.8))) < 0.001
    assert framed(View("ORTHO"), first).view_rotation == View("ORTHO").view_rotation
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    view = framed(View("PERSP"), outcome_of(bpy, part, data / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin"))
    hand, (eyes,) = bpy.data.objects["Left Hand"], (one for one in bpy.data.objects if one.type == "CAMERA")
    wanted = (eyes.matrix_world.translation - view.view_location).normalized() + Vector((0.0, 0.0, 0.4))
    assert (view.view_rotation @ towards).angle(wanted) < 0.1 and 0.1 < np.abs(view.where(hand)).max() < 0.801
    before, second = view.state(), outcome_of(bpy, part, data / "mrtk" / "v10_recorder_3s_left_hand.bin")
    assert (framed(view, second).state() == before).all()
    (finger := second.applied.rig.pose.bones["PinkyTip.L"]).location.x += 50.0
    assert (framed(view, second).state() == before).all(), "the others are still in view"
    finger.location.x -= 50.0
    second.applied.rig.location.x = 50.0
    turned = framed(view, second).state()
    assert (turned[:4] == before[:4]).all() and 0.6 < np.abs(view.where(hand)).max() < 0.7
    bpy.data.objects.remove(hand)
    finger.custom_shape_transform = second.applied.rig.pose.bones["Wrist.L"]  # where it is seen, wherever it is
    near, finger.location.x = framed(View("ORTHO"), second).state(), 50.0
    assert (framed(View("ORTHO"), second).state() == near).all()


@pytest.mark.parametrize(("far", "followed"), [(2.5, True), (8.0, False)])
def test_the_view_takes_in_the_way_of_a_root(
    bpy: Any, data: Path, part: Part, framed: Any, far: float, followed: bool
) -> None:
    """But for one that goes very far."""
    outcome = outcome_of(bpy, part, data / "w3d_models" / "m01_rigid.w3d")
    bpy.context.view_layer.update()
    rig, hull = outcome.applied.rig, bpy.data.objects["HULL"]
    rig.location, rig.rotation_euler = (300.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    rig.data.transform(Matrix.Rotation(1.5, 4, "X"))  # as a root rests
    animate(rig.pose.bones[0], "location.y", {5: far * max(hull.dimensions), 9: 0.0, 0: 0.0})
    view = framed(View("ORTHO"), outcome)
    bpy.context.scene.frame_set(5)
    assert (0.6 < np.abs(view.where(hull)).max() < 1.4) == followed  # of the hull its root's end, with a margin


@pytest.mark.parametrize("held", ["", "camera", "object", "cursor"])
def test_a_view_that_something_holds_is_not_turned(bpy: Any, part: Part, held: str) -> None:
    """Locked to an object, it would turn around that, and show it from within where what came in is small."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    screen = bpy.data.screens["Layout"]
    (space,) = (area.spaces.active for area in screen.areas if area.type == "VIEW_3D")
    (smaller,) = (area for area in screen.areas if area.type == "OUTLINER")
    smaller.type = "VIEW_3D"
    space.region_3d.view_perspective = "CAMERA" if held == "camera" else "PERSP"
    space.lock_object = bpy.data.objects["Cube"] if held == "object" else None
    space.lock_cursor = held == "cursor"
    found = part("operators.framing")._largest_view(SimpleNamespace(window=SimpleNamespace(screen=screen)))
    assert found == (smaller.spaces.active if held else space).region_3d


def outcome_of(bpy: Any, part: Part, path: Path) -> Any:
    """What became of one file."""
    (file_format,) = (one for one in part("io_formats").FORMATS if path.suffix in one.extensions)
    importing = part("pipeline.import_files").import_files
    (outcome,) = importing(bpy.context, [path], file_format, file_format.import_options())
    return outcome


def test_the_report_counts(bpy: Any, data: Path, reports: list[str]) -> None:
    path = data / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin"
    import_mrtk(bpy, path)
    assert reports == [f"{path.name}: 2 hands, 52 joints, 6,875 keys, 9.6 s, first hand on frame 13"]


def test_the_line_says_why_the_selected_armature_was_not_taken(bpy: Any, data: Path, reports: list[str]) -> None:
    bpy.ops.object.armature_add()
    bpy.ops.import_anim.animx(filepath=str(data / "animx/08_walk.animj"))
    assert "2.0 s, a new armature, as 0 of 3 names match Armature, " in reports[-1]


def test_scale_reaches_an_armature_that_is_there(bpy: Any, data: Path) -> None:
    spans = []
    for target, scale in (("NEW", 1.0), ("SELECTED", 3.0)):
        path = data / "w3d" / "g09_ad_20b_200f.w3d"
        bpy.ops.import_anim.w3d(filepath=str(path), target=target, scale=scale)
        moved = (curve for curve in curves_of(bpy.context.object.animation_data.action) if "loc" in curve.data_path)
        spans.append(np.ptp([point.co.y for point in next(moved).keyframe_points]))
    assert spans[1] == pytest.approx(3 * spans[0])
    assert any("Import with Scale 1 to match its motion" in text.as_string() for text in bpy.data.texts)


def test_relative_names_count_from_the_blend(bpy: Any, recording: Path, tmp_path: Path) -> None:
    shutil.copy(recording, tmp_path / "near.bin")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert bpy.ops.import_anim.mrtk(filepath="//near.bin") == {"FINISHED"}
    assert "near" in bpy.data.actions


def test_forward_and_up_on_one_axis_is_a_sentence(
    bpy: Any, recording: Path, census: Callable[[], dict[str, Any]]
) -> None:
    before = census()
    with pytest.raises(RuntimeError, match="need different axes"):
        import_mrtk(bpy, recording, forward="-Z", up="Z")
    assert census() == before


def test_dialogues_start_with_the_preferred_values(bpy: Any, part: Part) -> None:
    preferences = part("operators.preferences")
    chosen = preferences.preferences(bpy.context)
    chosen.rate, chosen.keep_source = "FILE", False
    given = SimpleNamespace(is_property_set=lambda name: name == "rate")  # by the caller
    operator = SimpleNamespace(properties=given, rate="SCENE", custom_rate=60.0, keep_source=True)
    preferences.apply_defaults(bpy.context, operator)
    assert (operator.rate, operator.keep_source) == ("SCENE", False)
    chosen.rate, chosen.keep_source = "AUTO", True


@pytest.mark.parametrize(("mode", "window"), [("EDIT", False), ("POSE", False), ("POSE", True), ("EDIT", True)])
def test_import_in_any_mode_leaves_the_mode_alone(
    bpy: Any, part: Part, recording: Path, monkeypatch: Patch, mode: str, window: bool
) -> None:
    """Only a person leaves Edit Mode, to see what is new."""
    monkeypatch.setattr(part("operators.importing").ImportOperator, "interactive", window)
    rig = add("Own", bpy.data.armatures.new("Own"), active=True)
    bpy.ops.object.mode_set(mode=mode)
    assert import_mrtk(bpy, recording) == {"FINISHED"}
    made, left = bpy.data.objects[recording.stem], window and mode == "EDIT"
    assert rig.mode == ("OBJECT" if left else mode)
    assert bpy.context.view_layer.objects.active == (made if left else rig)
    assert made.animation_data.action is not None


@pytest.mark.parametrize("make", [slow(one_track_of_many_keys), very_many_small_tracks])
def test_a_bomb_does_nothing_to_blender_by_default(
    bpy: Any, data: Path, census: Callable[[], dict[str, Any]], tmp_path: Path, make: Callable[[], bytes]
) -> None:
    """Half a million bytes and less of what would be gigabytes of curves; the option can allow less than by default."""
    (tmp_path / "bomb.animx").write_bytes(make())
    before = census()
    with pytest.raises(RuntimeError, match=RAISE_MEMORY) as caught:
        bpy.ops.import_anim.animx(filepath=str(tmp_path / "bomb.animx"))
    assert len(str(caught.value).strip().splitlines()) == 1
    with pytest.raises(RuntimeError, match=rf"the limit is 1; {RAISE_MEMORY}"):
        bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g09_ad_20b_200f.w3d"), memory_mib=1)
    assert census() == before


def test_a_skeleton_imported_before_leaves_the_rate_to_the_animation(bpy: Any, data: Path) -> None:
    """Its Action has no curve, so nothing is animated yet; the walk's frames then are whole ones."""
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g02_skl.w3d"))
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g02_tc_default.w3d"), target="SELECTED")
    assert bpy.context.scene.render.fps == 30
    assert tuple(bpy.context.object.animation_data.action.frame_range) == (0.0, 23.0)


@pytest.mark.parametrize("animated", ["another scene", "this scene", "nothing"])
def test_a_scene_in_which_nothing_is_animated_follows_the_file(bpy: Any, data: Path, animated: str) -> None:
    """Whatever other scenes of the .blend have; what no scene has may be of any."""
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g01_raw_trim_vis.w3d"))
    bpy.context.window.scene = bpy.data.scenes.new("Second")
    if animated == "this scene":
        bpy.context.scene.collection.objects.link(bpy.data.objects[0].copy())
    elif animated == "nothing":
        bpy.data.objects.remove(bpy.data.objects[0])
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g02_tc_default.w3d"), target="NEW")
    scene = bpy.context.scene
    found = scene.render.fps, scene.frame_start, scene.frame_end
    assert found == ((30, 0, 23) if animated == "another scene" else (24, 0, 250))


def test_files_of_one_import_do_not_replace_each_other(bpy: Any, data: Path, tmp_path: Path) -> None:
    """Their animations have one name, and so has an Action that was there before, which goes as asked."""
    source = data / "w3d" / "g02_tc_default.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    before = bpy.data.actions[0]
    before["old"] = True
    for name in ("one.w3d", "two.w3d", "three.w3d"):
        shutil.copy(source, tmp_path / name)
    files = [{"name": path.name} for path in sorted(tmp_path.iterdir())]
    bpy.ops.import_anim.w3d(directory=str(tmp_path), files=files, existing="REPLACE")
    assert len(bpy.data.actions) == 3 and not any(action.get("old") for action in bpy.data.actions)
    bpy.ops.import_anim.w3d(directory=str(tmp_path), files=files, target="NEW")
    assert len(bpy.data.armatures) == 1 + len(files), "each has its own, as asked"


def test_a_skeleton_alone_is_made_beside_the_selected_one(bpy: Any, data: Path, reports: list[str]) -> None:
    """Skeletons of one maker have bones of the same names; where nothing moves there is nothing to play on another."""
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "b01_motion_tc.w3d"))
    for made in (True, False):  # its own one is taken the second time
        before = set(bpy.data.objects)
        bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g02_skl.w3d"))
        assert any(thing.type == "ARMATURE" for thing in set(bpy.data.objects) - before) is made
        assert ("onto G02_SKL" in reports[-1]) is not made
    assert "BONE_05" in bpy.data.objects["G02_SKL"].data.bones


def test_one_channel_of_several_that_is_left_out_is_one(bpy: Any, data: Path) -> None:
    files = [{"name": name} for name in ("b01_motion_tc.w3d", "h01_raw_extra.w3d")]
    bpy.ops.import_anim.w3d(directory=str(data / "w3d"), files=files, channels="ROTATION")
    (report,) = (text.as_string() for text in bpy.data.texts if text.name == "Import Report")
    assert "1 of 4 channels is left out, as asked; an export to the same file leaves it there" in report


def test_empties_that_an_import_made_are_no_names_that_matched(bpy: Any, data: Path) -> None:
    for number in range(3):
        if number == 2:
            bpy.data.objects.remove(bpy.data.objects["Light"])
        bpy.ops.import_anim.animx(filepath=str(data / "animx" / "04_curve_mixed.animj"), node_kind="OBJECT")
        texts = [text for text in bpy.data.texts if text.name.startswith("Source of")]
        told = texts[-1].as_string()
        assert ("Animated Cube, Light: 2 of 2 names match" in told) == (number == 1)
        assert ("Animated Cube: 1 of 2 names match" in told) == (number == 2)
        assert ("2 nodes have no object of that name" in told) == (not number)
        assert "The armature" not in told
        # as a new armature is, so that the panels tell of it
        assert sorted(thing.name for thing in bpy.context.selected_objects) == ["Cube", "Light"][: 1 + (number < 2)]
        assert bpy.context.view_layer.objects.active in bpy.context.selected_objects
    groups = {curve.data_path: curve.group.name for action in bpy.data.actions for curve in curves_of(action)}
    seen, own = "Object Transforms", "Properties"  # as Blender calls them
    assert groups == {"location": seen, "rotation_quaternion": seen, '["Intensity"]': own, '["Color"]': own}
