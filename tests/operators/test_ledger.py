"""Everything that animates what is exported ends in one place: curves, samples, or a warning that names it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from animj_keys import keys_of
from in_blender import add as add_unselected
from in_blender import add_armature, animate, curves_of, editing, push_down, put_selected_into_one

from tests.operators.test_things import exports

LAST = 24


@pytest.fixture
def export(bpy: Any, part: Callable[[str], Any], tmp_path: Path) -> Callable[..., Any]:
    """Export what is selected by the function that all ways share; the file, and its report."""

    def write(name: str, **options: Any) -> Any:
        (written,) = exports(bpy, part, tmp_path, name, **options)
        return written

    return write


def add(bpy: Any, name: str, data: Any = None) -> Any:
    """An object that is selected."""
    thing = add_unselected(name, data)
    thing.select_set(True)
    return thing


def add_rig(bpy: Any, *bones: str) -> Any:
    """An armature of such bones, without parents."""
    rig = add_armature("Rig", [(bone, None, (0, 0, 0), (0, 0, 1)) for bone in bones])
    rig.select_set(True)
    return rig


def key(owner: Any, path: str, *values: Any) -> None:
    animate(owner, path, dict(zip((0, LAST), values, strict=True)))


def drive(owner: Any, path: str, expression: str, index: int = -1) -> None:
    """A driver, and no key."""
    curves = owner.driver_add(path, index)
    for curve in curves if isinstance(curves, list) else [curves]:
        curve.driver.expression = expression


def sum_of(written: Any) -> tuple[int, ...]:
    """What the last line of the report says: of how many, from curves, from samples, without a place.

    The digest closes with the same numbers, or with the one that says it all.
    """
    found = tuple(map(int, re.findall(r"\d+", str(written.report.notes[-1]))))
    expected = found[:1] if found[0] == found[1] else found
    assert tuple(map(int, re.findall(r"\d+", written.digest)))[-len(expected) :] == expected
    assert ("from samples" in written.digest) == (len(expected) > 1)
    return found


def values(path: Path, field: tuple[str, str]) -> list[Any]:
    """Of the keys of one node and property in an AnimJ file."""
    return [key["value"] for key in keys_of(path)[field]]


def lamp(bpy: Any) -> Any:
    light = bpy.data.lights.new("Lamp", "SPOT")
    light.use_nodes = True
    return add(bpy, "Lamp", light)


def view(bpy: Any) -> Any:
    return add(bpy, "View", bpy.data.cameras.new("View"))


def flat_view(bpy: Any) -> Any:
    thing = view(bpy)
    thing.data.type, thing.data.clip_start = "ORTHO", thing.data.clip_end  # between which nothing is seen
    return thing


def face(bpy: Any) -> Any:
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    thing = add(bpy, "Face", mesh)
    thing.shape_key_add(name="Basis")
    thing.shape_key_add(name="Smile")
    return thing


def with_mood(bpy: Any) -> Any:
    thing = add(bpy, "Cube")
    thing["mood"] = 0.0
    return thing


def wrist(bpy: Any) -> Any:
    rig = add_rig(bpy, "Wrist.L")
    rig.pose.bones[0]["mood"] = 0.0
    return rig


def turning(bpy: Any) -> Any:
    rig = add_rig(bpy, "Wrist.L")
    rig.pose.bones[0].rotation_mode = "XYZ"
    return rig


def cube(bpy: Any) -> Any:
    return add(bpy, "Cube")


HELD = {
    "lens": (view, "data.lens", "50 + frame", ("View", "Camera.FieldOfView")),
    "ortho_scale": (flat_view, "data.ortho_scale", "1 + frame", ("View", "Camera.OrthographicSize")),
    "clip_end": (view, "data.clip_end", "100 + frame", ("View", "Camera.FarClipping")),
    "energy": (lamp, "data.energy", "frame", ("Lamp", "Light.Intensity")),
    "color": (lamp, "data.color", "frame / 24", ("Lamp", "Light.Color")),
    "spot_size": (lamp, "data.spot_size", "0.1 + frame / 24", ("Lamp", "Light.SpotAngle")),
    "hide_viewport": (cube, "hide_viewport", "frame > 12", ("Cube", "Active")),
    "hide_render": (cube, "hide_render", "frame > 12", ("Cube", "Active")),
    "custom of an object": (with_mood, '["mood"]', "frame", ("Cube", "mood")),
    "custom of a bone": (wrist, 'pose.bones[0].["mood"]', "frame", ("Wrist.L", "mood")),
    "shape key": (face, "data.shape_keys.key_blocks[1].value", "frame / 24", ("Face", "BlendShape.Smile")),
    "location": (cube, "location", "frame", ("Cube", "Position")),
    "delta": (cube, "delta_location", "frame", ("Cube", "Position")),
    "rotation of a bone": (turning, "pose.bones[0].rotation_euler", "frame / 24", ("Wrist.L", "Rotation")),
}


@pytest.mark.parametrize("kind", HELD)
def test_what_a_driver_alone_moves_is_sampled(bpy: Any, export: Any, kind: str) -> None:
    """In AnimX, which has a field for it; also of what is hidden at first, and is evaluated all the same.

    Properties and shape keys are named as a person calls them.
    """
    make, place, expression, field = HELD[kind]
    thing, (place, _, path) = make(bpy), place.rpartition(".")
    bpy.context.scene.frame_end = LAST
    drive(thing.path_resolve(place) if place else thing, path, expression)
    written = export("animx")
    first, *_, last = values(written.path, field)
    assert first != last and all("finds no field" in str(entry) for entry in written.report.warnings)
    called = {"shape key": "Smile", "custom of an object": "mood"}.get(kind, "")
    assert f"{field[0]}: a driver sets its {called}" in " ".join(map(str, written.report.notes))
    total, curves, samples, lost = sum_of(written)
    assert total == samples >= 1 and (curves, lost) == (0, 0)


NOT_HELD = {
    "depth of field": (view, lambda thing: (thing.data, "dof.focus_distance"), "dof.focus_distance"),
    "world": (face, lambda _: (sky().node_tree.nodes["Background"].inputs[1], "default_value"), "Sky nodes"),
    "light": (lamp, lambda thing: (thing.data.node_tree.nodes["Emission"].inputs[1], "default_value"), "Lamp nodes"),
    "shape keys": (face, lambda thing: (thing.data.shape_keys, "eval_time"), "Face eval_time"),
    "absolute shape key": (face, lambda thing: (absolute(thing), "value"), 'Face key_blocks["Smile"].value'),
    "particles": (face, lambda thing: (dusty(thing), "normal_factor"), "normal_factor"),
}


def sky() -> Any:
    import bpy

    bpy.context.scene.world = bpy.data.worlds.new("Sky")
    bpy.context.scene.world.use_nodes = True
    return bpy.context.scene.world


def absolute(thing: Any) -> Any:
    thing.data.shape_keys.use_relative = False
    return thing.data.shape_keys.key_blocks["Smile"]


def dusty(thing: Any) -> Any:
    thing.modifiers.new("Dust", "PARTICLE_SYSTEM")
    return thing.particle_systems[0].settings


@pytest.mark.parametrize("kind", NOT_HELD)
def test_what_a_driver_moves_that_no_file_holds_is_named(bpy: Any, export: Any, kind: str) -> None:
    make, found, words = NOT_HELD[kind]
    thing = make(bpy)
    key(thing, "location", (0, 0, 0), (1, 2, 3))
    drive(*found(thing), "frame / 24")
    thing.driver_add("pass_index").mute = curves_of(thing.animation_data.action)[2].mute = True
    written = export("animx")
    (warning,) = map(str, written.report.warnings)
    assert warning.startswith("1 ") and words in warning
    assert sum_of(written) == (3, 2, 0, 1)


@pytest.mark.parametrize(("expression", "curves"), [("lift * lift", 0), ("lift", 2)])
def test_what_drives_something_is_written_with_that(bpy: Any, export: Any, expression: str, curves: int) -> None:
    """A property without a place in W3D that a driver reads, and two that nothing reads."""
    rig = add_rig(bpy, "Hip", "Hand")
    hip, hand = rig.pose.bones
    for bone in (hip, hand):
        bone["lift"] = 0.0
        key(bone, '["lift"]', 0.0, 1.0)
    hand["sink"] = 0.0
    key(hand, '["sink"]', 0.0, 1.0)
    curve = hand.driver_add("location", 1)
    variable = curve.driver.variables.new()
    variable.name, variable.targets[0].id = "lift", rig
    variable.targets[0].data_path = 'pose.bones["Hip"]["lift"]'
    curve.driver.expression = expression
    written = export("w3d")
    (warning,) = map(str, written.report.warnings)
    assert warning.endswith("Hand lift, Hand sink") and sum_of(written) == (4, curves, 2 - curves, 2)


@pytest.mark.parametrize("by", ["constraint", "muted", "bone", "parent"])
def test_the_time_of_a_path_is_what_follows_it(bpy: Any, export: Any, by: str) -> None:
    """As Blender's Animate Path keys it, and its Parent, Follow Path for a child that moves with it alone."""
    path = add(bpy, "Path", bpy.data.curves.new("Path", "CURVE"))
    cart = add_rig(bpy, "Cart").pose.bones[0] if by == "bone" else add(bpy, "Cart")
    path.data.splines.new("POLY").points.add(1)
    path.data.splines[0].points[1].co = (3, 0, 0, 1)
    path.data.use_path = True
    key(path.data, "eval_time", 0.0, 100.0)
    if by == "parent":
        cart.parent = path
    else:
        key(cart, "scale", (1, 1, 1), (2, 2, 2))
        follow = cart.constraints.new("FOLLOW_PATH")
        follow.target, follow.mute = path, by == "muted"
    written = export("animx")
    assert [*map(str, written.report.warnings)] == (by == "muted") * [
        "1 animated value is left out, as the file has no place for it: Path eval_time"
    ]
    assert sum_of(written) == {"muted": (4, 3, 0, 1), "parent": (1, 0, 1, 0)}.get(by, (4, 0, 4, 0))
    first, *_, last = values(written.path, ("Cart", "Scale" if by == "muted" else "Position"))
    assert abs(last["x"] - first["x"]) == pytest.approx(1.0 if by == "muted" else 3.0, abs=1e-3)


def test_what_the_file_has_no_node_for_has_no_place(bpy: Any, part: Any, export: Any, tmp_path: Path) -> None:
    """The gaze in version 1.0, bones that are no joints, and those that a chosen skeleton has not."""
    rig = add_rig(bpy, "Wrist.L", "Gaze", "Hat")
    for bone in rig.pose.bones:
        key(bone, "location", (0, 0, 0), (1, 2, 3))
    with pytest.raises(part("io_formats").FormatError, match=r"cannot hold the gaze; choose version 1\.1"):
        export("mrtk", version="1.0")
    assert sum_of(export("mrtk", version="1.0", drop_gaze=True)) == (9, 3, 0, 6)
    assert sum_of(export("mrtk", version="1.1")) == (9, 6, 0, 3)
    whole = export("w3d", include_skeleton="INCLUDE")
    assert sum_of(whole) == (9, 9, 0, 0)
    skeleton = whole.path.rename(tmp_path / "skeleton.w3d")
    with editing(rig) as edited:
        edited.new("Plume").tail = (0, 0, 1)
    key(rig.pose.bones["Plume"], "location", (0, 0, 0), (1, 2, 3))
    assert sum_of(export("w3d", skeleton=str(skeleton))) == (12, 9, 0, 3)


@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.parametrize("switch", ["tracked", "pinching"])
def test_a_hand_is_tracked_and_pinches_by_drivers(bpy: Any, export: Any, part: Any, switch: str, moves: bool) -> None:
    """A hand that does not move stays where it is, one metre up, as one that moves along Blender's Z does at last."""
    rig = add_rig(bpy, "Wrist.L")
    (bone,) = rig.pose.bones
    bone.location.y = 1.0
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, LAST
    if moves:
        key(bone, "location", (0, 0, 0), (0, 1, 0))
    bone[switch] = False
    drive(bone, f'["{switch}"]', "frame > 12")
    written = export("mrtk")
    hand = part("io_formats").open_document(written.path).left
    keys = getattr(hand, switch).keys
    assert [bool(value) for value in keys["value"]][:2] == [False, True] and keys["value"][1:].all()
    assert 12 < float(keys["time"][1]) * bpy.context.scene.render.fps <= 13
    assert hand.joints[1].position[1].keys["value"][-1] == pytest.approx(1.0)
    assert sum_of(written) == (1 + 3 * moves, 3 * moves, 1, 0)


# --- META strips ----------------------------------------------------------------------------------------------------


def into_a_meta_strip(bpy: Any, owner: Any) -> Any:
    """Put the Action of an object into a strip within a META strip, as two commands of the NLA editor do."""
    strip, track = push_down(owner, 0), owner.animation_data.nla_tracks[-1]
    strip.select = track.select = True
    bpy.context.view_layer.objects.active = owner
    put_selected_into_one()
    assert [strip.type for strip in track.strips] == ["META"]
    return track.strips[0]


def test_what_moves_in_a_meta_strip_is_written(bpy: Any, export: Any) -> None:
    cube = add(bpy, "Cube")
    key(cube, "location", (0, 0, 0), (1, 2, 3))
    into_a_meta_strip(bpy, cube)
    key(cube, "scale", (1, 1, 1), (2, 2, 2))
    push_down(cube, 0, "Sizes").blend_in = 2.0
    key(add(bpy, "Ball"), "location", (0, 0, 0), (4, 0, 0))
    cube.select_set(True)
    written = export("animx", axes="GLTF")
    first, *_, last = values(written.path, ("Cube", "Position"))
    assert [first[axis] for axis in "xyz"] == [0, 0, 0] and last["y"] == pytest.approx(3.0, abs=1e-4)
    assert written.report.warnings == [] and sum_of(written) == (9, 3, 6, 0)


@pytest.mark.parametrize("muted", [True, False])
def test_what_is_muted_in_a_meta_strip_or_off_does_not_play(bpy: Any, export: Any, part: Any, muted: bool) -> None:
    cube = add(bpy, "Cube")
    key(cube, "location", (0, 0, 0), (1, 2, 3))
    if muted:
        into_a_meta_strip(bpy, cube).strips[0].mute = True
    else:
        push_down(cube, 0).id_data.animation_data.use_nla = False
    with pytest.raises(part("io_formats").FormatError, match="nothing that is chosen moves"):
        export("animx")


# --- Parents --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moved", "options", "counted"),
    [
        *(("keys", {}, (4, 4, 0, 0)), ("keys and driver", {}, (4, 3, 1, 0))),
        *(("driver", {"sampling": "KEYS"}, (4, 3, 0, 1)), ("keys", {"space": "LOCAL"}, (3, 3, 0, 0))),
    ],
)
def test_a_parent_that_moves_is_counted(bpy: Any, export: Any, moved: str, options: Any, counted: Any) -> None:
    rig, carrier = add_rig(bpy, "Hip"), add(bpy, "Carrier")
    key(rig.pose.bones[0], "location", (0, 0, 0), (1, 2, 3))
    if "keys" in moved:
        key(carrier, "location", (0, 0, 0), (1, 2, 3))
    if "driver" in moved:
        drive(carrier, "scale", "1 + frame", 0)
    rig.parent, carrier.parent = carrier, add(bpy, "Still")
    for thing in (carrier, carrier.parent):  # of another mode than they have
        key(thing, "rotation_quaternion", (1, 0, 0, 0), (0, 1, 0, 0))
    push_down(carrier.parent, 0)
    carrier.select_set(False)
    carrier.parent.select_set(False)
    written = export("animx", **options)
    assert sum_of(written) == counted
    assert ("the motion of 1 parent is left out" in " ".join(map(str, written.report.warnings))) == bool(counted[-1])


@pytest.mark.parametrize("path", ["rotation_quaternion", "rotation_euler"])
def test_an_armature_in_its_own_space_does_not_turn(bpy: Any, export: Any, path: str) -> None:
    """Beside a number of its own, which is written."""
    rig = add_rig(bpy, "Hip")
    rig["mood"], rig.rotation_mode = 0.0, "QUATERNION" if path == "rotation_quaternion" else "XYZ"
    for owner, moved in ((rig.pose.bones[0], "location.x"), (rig, f"{path}.x"), (rig, '["mood"]')):
        key(owner, moved, 0.0, 1.0)
    written = export("animx", space="LOCAL")
    assert sum_of(written) == (4, 4, 0, 0) and {*keys_of(written.path)} == {("Hip", "Position"), ("Rig", "mood")}


# --- Figures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["w3d", "w3x", "animx", "mrtk"])
@pytest.mark.parametrize(
    ("mode", "other", "values"),
    [
        ("XYZ", "rotation_quaternion", ((1, 0, 0, 0), (0, 1, 0, 0))),
        ("QUATERNION", "rotation_euler", ((0, 0, 0), (1, 0, 0))),
        ("AXIS_ANGLE", "rotation_euler", ((0, 0, 0), (1, 0, 0))),
    ],
)
def test_curves_of_another_rotation_mode_are_named(
    bpy: Any, export: Callable[..., Any], name: str, mode: str, other: str, values: tuple[Any, Any]
) -> None:
    """They play nothing, are in no file and count for nothing."""
    rig = add_rig(bpy, "Wrist.L", "IndexTip.L")
    tip = rig.pose.bones["IndexTip.L"]
    tip.rotation_mode = mode
    key(rig.pose.bones["Wrist.L"], "location", (0, 0, 0), (1, 0, 0))
    key(tip, "location", (0, 0, 0), (0, 1, 0))
    named = "as the rotation mode there is another: IndexTip.L"
    assert not [note for note in export(name).report.notes if named in str(note)]
    key(tip, other, *values)
    for curve in curves_of(rig.animation_data.action)[6:]:
        curve.modifiers.new("NOISE")
    written = export(name)
    (told,) = (str(note) for note in written.report.notes if named in str(note))
    assert told.startswith(f"{len(values[0])} rotation channels")
    assert sum_of(written) == (6, 6, 0, 0)


@pytest.mark.parametrize("modes", [("XYZ", "XYZ"), ("QUATERNION", "XYZ")])
def test_keys_of_a_rotation_mode_play(bpy: Any, export: Callable[..., Any], modes: tuple[str, str]) -> None:
    bone = add_rig(bpy, "Hip", "Knee").pose.bones["Knee"]
    animate(bone, "rotation_quaternion", {0: (1, 0, 0, 0), 9: (0.9, 0.2, 0.2, 0.1), LAST: (0.8, -0.4, 0.1, 0.2)})
    key(bone, "rotation_euler", (0, 0, 0), (1, 2, 0.5))
    animate(bone, "rotation_mode", {0: modes[0], LAST / 2: modes[1]})
    written = export("animx")
    assert written.report.warnings == [] and (sum_of(written)[2] > 0) == (modes[0] != modes[1])


def test_what_another_format_has_no_place_for_is_not_told_as_changed(bpy: Any, data: Path, tmp_path: Path) -> None:
    """A recording has no place for when a bone of the figure is seen, which is as it was imported."""
    bpy.ops.import_anim.w3x(filepath=str(data / "w3x" / "g01_anim.w3x"))
    bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "other.bin"))
    told = bpy.data.texts["Export Report"].as_string()
    assert "the file has no place for it: Hand_L visibility" in told and "imported" not in told
    animate(bpy.context.object.pose.bones["Hips"], "location", {5: 2.0}, index=0)
    bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "other.bin"))
    assert "1 curve is not as it was imported" in bpy.data.texts["Export Report"].as_string()


@pytest.mark.parametrize("name", ["w3d", "w3x", "mrtk"])
@pytest.mark.parametrize("options", [{}, {"use_source": False}, {"actions": "ALL"}], ids=str)
def test_what_has_no_place_is_not_said_to_stand_still(
    bpy: Any, export: Any, part: Any, data: Path, name: str, options: dict[str, Any]
) -> None:
    """Whether the imported file is asked or not makes no difference, as it is of another format."""
    bpy.ops.import_anim.animx(filepath=str(data / "animx" / "11_300keys.animj"))
    with pytest.raises(part("io_formats").FormatError, match="nothing of what is animated has a place"):
        export(name, **options)


# --- What others move -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["animx", "w3d"])
def test_a_place_that_only_other_objects_actions_could_move_is_kept_where_each_action_plays_alone(
    bpy: Any, export: Any, name: str
) -> None:
    """Both have a curve of the path location; the one is no trace of the other."""
    key(add(bpy, "Ball"), "location", (0, 0, 0), (4, 0, 0))
    bpy.ops.object.select_all(action="DESELECT")
    rig = add_rig(bpy, "Hip")
    rig.location = (1, 2, 3)
    key(rig, "scale" if name == "animx" else "rotation_euler", (1, 1, 1), (1, 2, 1))
    key(rig.pose.bones[0], "location", (0, 0, 0), (0, 1, 0))
    written = export(name, actions="ALL", sampling="KEYS")
    assert [str(warning) for warning in written.report.warnings] == []
    assert "Played back" in str(written.report.notes)
    if name == "animx":
        places = values(written.path, ("Rig", "Position"))
        assert places == places[:1] * len(places)
        assert sorted(map(abs, places[0].values())) == [1, 2, 3]


# --- Which model the file fits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["location", "rotation_euler"])
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_places_of_another_scale_fit_no_model(bpy: Any, export: Any, path: str, scale: float) -> None:
    key(add(bpy, "Cube"), path, (0, 0, 0), (1, 0, 0))
    fits = "fits a model" in str(export("animx", scale=scale).report.notes)
    assert fits == (scale == 1.0 or path != "location")
