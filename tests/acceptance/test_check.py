"""Every export is played and compared with the scene: what rules do not foresee is mended, or named as it is measured.

The defects are put back on purpose: the capture is made blind for what else than curves takes part.
"""

from __future__ import annotations

import importlib
import json
import re
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from in_blender import add, add_armature, animate, choose, editing, push_down
from scenes.players import w3d, w3x

bpy = pytest.importorskip("bpy")

PACKAGE = "bl_ext.user_default.io_anim_curves"
ENDINGS = {"animx": ".animj", "w3d": ".w3d", "w3x": ".w3x", "mrtk": ".bin"}
OF_EACH = pytest.mark.parametrize("name", list(ENDINGS))
PLAYERS = {".w3d": w3d, ".w3x": w3x}
FRAMES = 40


def room(name: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.{name}")


def turn(bone: Any, halves: dict[float, float]) -> None:
    """Keys of half the angle about X by frame."""
    turns = {frame: (np.cos(half), np.sin(half), 0.0, 0.0) for frame, half in halves.items()}
    animate(bone, "rotation_quaternion", turns)


@pytest.fixture(autouse=True)
def rig(extension: ModuleType) -> Any:
    """A wrist that turns by keys, a palm on it that a constraint moves up and down, and a person's unkeyed pose."""
    place = (0.0, 0.0, 0.0), (0.0, 0.1, 0.0)
    found = add_armature("Hand", [("Wrist.L", None, *place), ("Palm.L", "Wrist.L", *place)])
    turn(found.pose.bones["Wrist.L"], {1: 0.0, FRAMES: 0.8})
    target = add("Target", None)
    animate(target, "location.z", {1: 0.0, FRAMES: 0.3})
    constraint = found.pose.bones["Palm.L"].constraints.new("COPY_LOCATION")
    constraint.target = target
    bpy.context.scene.frame_set(7)
    found.select_set(True)
    return found


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rule knows that constraints take part."""
    monkeypatch.setattr(room("scene.capture.influences"), "of_bones", lambda *_: {})


def send_out(name: str, folder: Path, **options: Any) -> Path:
    path = folder / f"scene{ENDINGS[name]}"
    assert getattr(bpy.ops.export_anim, name)(filepath=str(path), **options) == {"FINISHED"}
    return path


def sent(told: list[Any], name: str, folder: Path, **options: Any) -> Any:
    """What the only export of a test told."""
    send_out(name, folder, **options)
    (exported,) = told
    return exported


@OF_EACH
def test_one_figure_says_how_far_the_file_is_from_the_scene(name: str, told: list[Any], tmp_path: Path) -> None:
    units = bpy.context.scene.unit_settings
    units.scale_length, units.system = 0.5, "NONE"  # by which the former does not count
    exported = sent(told, name, tmp_path, **({"forward": "X"} if name in ("w3d", "w3x") else {}))
    assert exported.check.moments >= 20 and not exported.check.off
    figures = exported.check.figures()
    (figure,) = (note for note in exported.report.notes if "Played back at" in str(note))
    if name in ("w3d", "w3x"):  # how far off between its frames, where these have lines, it says apart
        assert (figure.values["place"], figure.values["far"]) == (exported.check.held[0], figures["off_place"])
        # 0.3 m in 39 frames grow faster by 0.0012 a frame at the ends, and a line is off by an eighth of that
        assert exported.check.held[0] < 2e-4 and 1.4e-4 < exported.check.place < 2.2e-4
    else:
        assert figure.values["place"] == exported.check.place * 1000 < 1000 * 2e-4
    assert exported.check.turn < 0.05


def test_it_looks_where_the_file_bends_most(rig: Any, told: list[Any], tmp_path: Path) -> None:
    """What lines are off by through one turn of half a frame is found in all that goes slowly."""
    turn(rig.pose.bones["Wrist.L"], {20: 0.4, 20.5: 1.9})
    exported = sent(told, "mrtk", tmp_path)
    told = " ".join(map(str, exported.report.warnings))
    said = re.search(r"straight lines, which are off by up to \S+ mm and (\S+) degrees", told)
    assert said and exported.check.moments == 26
    assert exported.check.off["Wrist.L"].turn > 0.8 * float(said[1]) > 0.8


@pytest.mark.parametrize(("there", "back"), [(20.5, 21), (20.125, 20.25)])
@pytest.mark.parametrize("name", ["w3d", "w3x"])
def test_what_turns_and_returns_between_two_frames_is_named(
    name: str, there: float, back: float, rig: Any, told: list[Any], tmp_path: Path
) -> None:
    """The formats have whole frames alone, on which nothing of it is seen, nor may it be half way between two."""
    turn(rig.pose.bones["Wrist.L"], {20: 0.4, there: 1.4, back: 0.42})
    exported = sent(told, name, tmp_path)
    (said,) = (str(each) for each in exported.report.warnings)
    assert re.search(r"between frames .* most on frame 20\.[1-8], and on its own frames as promised", said)
    # half way to what is 114 degrees off in the middle, by a smooth curve
    assert 45 < exported.check.off["Wrist.L"].turn < 115


@pytest.mark.parametrize(("name", "later"), [("w3d", 0), ("w3x", 20)])
def test_keys_between_frames_are_found_however_far_apart(
    name: str, later: int, rig: Any, told: list[Any], tmp_path: Path
) -> None:
    """A smooth curve from one to the other is at 0.62 a half frame before 0.7, 9 degrees away: not far, and too far."""
    turn(rig.pose.bones["Wrist.L"], {20: 0.4, 21.5: 0.7, 23: 0.4})
    if later:  # by a strip: what is told is the scene's frame
        push_down(rig, 1 + later)
    exported = sent(told, name, tmp_path)
    assert re.search(rf"between frames .* most on frame {later + 21}\.5", str(exported.report.warnings[0]))
    assert exported.check.off["Wrist.L"].turn == pytest.approx(9, abs=0.9)


@pytest.mark.parametrize(("name", "off"), [("w3d", np.degrees(1.6) * 255 / 256), ("w3x", 0.0)])
def test_a_step_that_a_file_draws_as_a_line_is_in_the_figure(
    name: str, off: float, rig: Any, told: list[Any], tmp_path: Path
) -> None:
    """W3D's samples lead to it within the frame before; W3X has steps."""
    for curve in importlib.import_module("scenes.stage").curves_of(rig):
        curve.keyframe_points[0].interpolation = "CONSTANT"
    exported = sent(told, name, tmp_path)
    (figure,) = (note for note in exported.report.notes if "Played back at" in str(note))
    assert figure.values["far_degrees"] == pytest.approx(off, abs=0.1) and figure.values["degrees"] < 0.01


@pytest.mark.parametrize(("stretched", "earlier"), [(100, 0), (137, 0), (100, 200)])
@OF_EACH
def test_what_no_rule_foresees_is_sampled(
    name: str, stretched: int, earlier: int, blind: None, told: list[Any], tmp_path: Path
) -> None:
    """Before frame 0 as well."""
    bpy.context.scene.render.frame_map_new = stretched
    target = bpy.data.objects["Target"]
    animate(target, "location.z", {FRAMES // 2: 0.3, FRAMES: 0.0})  # both ends are as keys have them
    for action in bpy.data.actions:
        for _, curve in room("scene.actions").every_curve(action):
            for key in curve.keyframe_points:
                key.co_ui.x -= earlier
    exported = sent(told, name, tmp_path)
    assert not exported.check.off and not [str(each) for each in exported.report.warnings if "Palm.L" in str(each)]
    assert "Palm.L: it is otherwise than its keys say, and was sampled" in map(str, exported.report.notes)


def test_an_imported_bone_is_sampled_where_its_curves_are_off_too(
    blind: None, told: list[Any], tmp_path: Path, data: Path
) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g02_tc_default.w3d"))
    rig = bpy.context.view_layer.objects.active
    constraint = rig.pose.bones[-1].constraints.new("LIMIT_LOCATION")
    constraint.use_min_z, constraint.min_z = True, 5.0
    (_, curve), *_ = room("scene.actions").every_curve(rig.animation_data.action)
    curve.keyframe_points[0].co.y += 0.01  # else it is the file's own bytes, which are not looked at
    assert not sent(told, "w3d", tmp_path).check.off


def test_what_stays_off_anyway_keeps_nothing_from_being_mended(
    rig: Any, told: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sheared toe is off much further than the palm, of whose constraint no rule knows."""
    with editing(rig) as bones:
        for name, parent, tail in (("Foot", None, (1.0, 0.0, 0.0)), ("Toe", "Foot", (1.0, 1.0, 0.0))):
            bone = bones.new(name)
            bone.tail, bone.parent = tail, bones.get(parent or "")
    rig.data.bones["Toe"].inherit_scale = "FIX_SHEAR"
    animate(rig.pose.bones["Foot"], "scale", {1: (1.0, 3.0, 1.0)})
    rig.pose.bones["Palm.L"].constraints[0].influence = 0.05
    rig.location.x = 1.0
    influences = room("scene.capture.influences")
    known = influences.of_bones
    monkeypatch.setattr(influences, "of_bones", lambda of, *_: {k: v for k, v in known(of).items() if k != "Palm.L"})
    exporting = room("pipeline.export_files")
    checked = exporting.checked

    def looked(*of: Any) -> Any:
        """What was mended counts as what samples mend no further."""
        found = yield from checked(*of)
        return found if "Palm.L" in found.off else found._replace(lost={*found.lost, "Palm.L"})

    monkeypatch.setattr(exporting, "checked", looked)
    exported = sent(told, "animx", tmp_path)
    assert [*exported.check.off] == ["Toe"]
    assert "Palm.L: it is otherwise than its keys say, and was sampled" in map(str, exported.report.notes)


@OF_EACH
def test_fewer_moments_of_a_heavy_scene_find_it_too(
    name: str, blind: None, told: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room("pipeline.checking"), "_LIGHT", 0.0)
    test_what_no_rule_foresees_is_sampled(name, 100, 0, blind, told, tmp_path)
    assert told[0].check.moments == 8


def repeat_for_long(rig: Any) -> None:
    rig.pose.bones["Wrist.L"].keyframe_insert("location", frame=1001)
    for curve in room("scene.actions").fcurves_of(rig):
        if curve.data_path.endswith("quaternion"):
            repeated(curve)


def step_once(rig: Any) -> None:
    rig.pose.bones["Wrist.L"].keyframe_insert("rotation_quaternion", frame=1001)
    for curve in room("scene.actions").fcurves_of(rig):
        curve.keyframe_points[0].interpolation = "CONSTANT"


def play_twice(rig: Any) -> None:
    action, tracks = rig.animation_data.action, rig.animation_data.nla_tracks.new()
    for start in (1, 40):
        tracks.strips.new("Turn", start, action).scale = 1.0 if start == 1 else 25.0
    rig.animation_data.action = None


@pytest.mark.parametrize("name", ["animx", "w3d", "w3x", "mrtk"])
@pytest.mark.parametrize(
    ("moving", "frame"), [(repeat_for_long, 352), (step_once, 40), (step_once, 39.6), (play_twice, 40)]
)
def test_a_frame_that_is_wrong_alone_is_seen_where_what_plays_turns_over(
    name: str, moving: Any, frame: float, rig: Any, told: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quick check looks at 26 of a thousand, and just before a step, where a file has more than whole frames."""
    checking, constraints = room("pipeline.checking"), rig.pose.bones["Palm.L"].constraints
    constraints.remove(constraints[0])
    moving(rig)

    class Wrong(checking.Chains):  # type: ignore[name-defined, misc]
        def worlds(self, names: list[str], times: Any) -> Any:
            found = super().worlds(names, times).copy()
            found[np.abs(times * 24 - (frame - 1)) < 0.3, names.index("Wrist.L"), 2, 3] += 0.1
            return found

    monkeypatch.setattr(checking, "Chains", Wrong)
    send_out(name, tmp_path)
    seen = frame % 1 == 0 or name in ("animx", "mrtk")
    assert ("Wrist.L" in told[0].check.off) == seen and told[0].check.lasts is None


@pytest.mark.parametrize("name", ["animx", "mrtk"])
def test_a_step_between_two_frames_that_is_sampled_is_not_off(
    name: str, rig: Any, told: list[Any], tmp_path: Path
) -> None:
    """Samples find it within a part of a frame."""
    wrist = rig.pose.bones["Wrist.L"]
    wrist.constraints.new("COPY_LOCATION").target = bpy.data.objects["Target"]
    animate(wrist, "rotation_quaternion", {33.37: (0.6, 0.8, 0.0, 0.0)})
    for curve in importlib.import_module("scenes.stage").curves_of(rig):
        curve.keyframe_points.foreach_set("interpolation", np.zeros(len(curve.keyframe_points), np.uint8))
    send_out(name, tmp_path)
    assert not told[0].check.off


@pytest.mark.parametrize("length", [22.8, 23.7])
def test_where_mirrored_rounds_meet_between_frames_nothing_is_off(
    length: float, rig: Any, told: list[Any], tmp_path: Path
) -> None:
    rig.pose.bones["Wrist.L"].keyframe_insert("location", frame=2001)
    for curve in room("scene.actions").fcurves_of(rig):
        if curve.data_path.endswith("quaternion"):
            curve.keyframe_points[1].co.x = 1 + length
            curve.modifiers.new("CYCLES").mode_after = "MIRROR"
    send_out("mrtk", tmp_path)
    assert not told[0].check.off


@OF_EACH
def test_keys_that_are_no_numbers_are_left_out_with_a_warning(
    name: str, rig: Any, told: list[Any], tmp_path: Path
) -> None:
    for frame in (1, 12, FRAMES):
        rig.pose.bones["Wrist.L"].keyframe_insert("location", frame=frame)
    *_, curve = room("scene.actions").fcurves_of(rig)
    curve.keyframe_points[1].co.y = np.nan
    rig.animation_data.action.update_tag()
    exported, template = sent(told, name, tmp_path), room("io_formats.clip.messages").KEYS_NOT_FINITE
    (entry,) = (each for each in exported.report.warnings if each.template == template)
    assert entry.count == 1 and np.isfinite([exported.check.place, exported.check.turn]).all()
    curve.keyframe_points[1].co = np.nan, 0  # its time, of which nobody knew
    send_out(name, tmp_path)
    curve.keyframe_points[1].co, curve.keyframe_points[1].handle_left.y = (12, 0), np.nan
    send_out(name, tmp_path)
    assert not told[1].check.off and "an infinite handle was made constant" in str(told[2].report.warnings)


@pytest.mark.parametrize("turned", [1, -1])
def test_the_figures_of_several_animations_are_those_of_the_worst(turned: int) -> None:
    checking = room("pipeline.checking")
    held = [(0.1, 2.0), (0.2, 1.0)][::turned]
    off = [{"Hip": room("io_formats.clip.measure").NodeOff(times=each[1])} for each in held]
    lasts = [None, (3.0, 15.0)][::turned]
    one, other = (
        checking.Check(8, *s, s, o, [], set(), set(), t, [], 5, 0.5) for s, o, t in zip(held, off, lasts, strict=True)
    )
    both = one.joined(other)
    assert both.badness() == 2.0 and both.lasts == (3.0, 15.0)
    figure = both.figure(None, metric=False)
    assert both.keys == 10
    found = {"moments": 16, "place": 0.2, "degrees": 2.0, "far": 0.2, "far_degrees": 2.0}
    assert figure.values == found


def test_of_several_that_are_off_the_worst_is_told_with_how_far() -> None:
    checking, measure = room("pipeline.checking"), room("io_formats.clip.measure")
    capture, unit = SimpleNamespace(timeline=lambda frames: frames), SimpleNamespace(unit=1.0)
    captured = SimpleNamespace(frames=lambda seconds: seconds * 24, clip=unit, capture=capture)
    lamps = [SimpleNamespace(driven=SimpleNamespace(node=name, label="data.energy")) for name in ("Dim", "Bright")]
    values = [checking.WrongValue(lamp, times, 0.5, False) for lamp, times in zip(lamps, (2.0, 9.0), strict=True)]
    cosine, sine = (0.75 * part(np.radians(3.0)) for part in (np.cos, np.sin))
    played = np.diag([0.75, 0.75, 0.75, 1.0])
    played[:2, :2], played[0, 3] = [[cosine, -sine], [sine, cosine]], 0.01
    seen, yes, size = np.eye(4)[None, None], np.ones((1, 1), bool), measure.Promise(size=1e-3)
    (hip,) = measure.offs(seen, played[None, None], np.full(1, 0.5), size, np.zeros(1), counts=yes, on_frames=yes[0])
    off = {"Hip": hip}
    rays = np.tile(np.eye(4), (2, 1, 2, 1, 1))
    rays[:, 0, 1, :3, 3] = [(0.0, 0.0, 2.0), (0.6, 0.0, -0.8)]
    measure.as_rays(*rays, 0, 1)
    (_, ray) = measure.offs(*rays, np.zeros(1), size, np.zeros(2), counts=np.ones((1, 2), bool), on_frames=yes[0])
    later = measure.Written(later=0.5)  # which plays any moment
    assert later.holds(np.array([0.3]), 24.0).all() and later.seconds(np.array([0.3]), 24.0) == 0.8
    assert ray.place == 0.0 and ray.turn == pytest.approx(np.degrees(np.arccos(-0.8)))
    check = checking.Check(8, 0.01, 3.0, (0.01, 3.0), off, values, set(), set(), None, [], 5, 0.5)
    node, value = map(str, check.sentences(captured, metric=True))
    assert "up to 10 mm, 3 degrees and 25 % of its size, most on frame 12;" in node
    assert value.startswith("Bright: ") and "2 properties were off" in value


def test_every_animation_of_a_file_is_looked_at(blind: None, told: list[Any], tmp_path: Path) -> None:
    """The constraint takes part in the second only, which is written as it is the same file's."""
    bpy.ops.object.select_all(action="DESELECT")
    source = Path(__file__).parents[1] / "data" / "w3d" / "h04_multi_unknown.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    rig = bpy.context.view_layer.objects.active
    bone = rig.pose.bones[-1]
    constraint = bone.constraints.new("LIMIT_LOCATION")
    constraint.use_min_z, constraint.min_z = True, 5.0
    playing = rig.animation_data.action
    for action in bpy.data.actions:
        if bone.path_from_id() in str([curve.data_path for _, curve in room("scene.actions").every_curve(action)]):
            room("scene.actions").assign(rig, action)
            constraint.influence = float(action != playing)
            constraint.keyframe_insert("influence", frame=1)
    room("scene.actions").assign(rig, playing)
    exported = sent(told, "w3d", tmp_path)
    assert not exported.check.off
    assert f"{bone.name}: it is otherwise than its keys say, and was sampled" in " ".join(
        map(str, exported.report.notes)
    )


@OF_EACH
def test_what_is_off_still_is_named_with_how_far(
    name: str, rig: Any, blind: None, told: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where samples do not help either, as nobody takes them."""
    monkeypatch.setattr(room("scene.capture.plan"), "_posed_bones", lambda *_: {})
    bpy.context.scene.unit_settings.scale_length = 0.5
    with editing(rig) as bones:
        tip = bones.new("ThumbTip.L")
        tip.tail, tip.parent = (0.0, 0.1, 0.0), bones["Wrist.L"]
    follow = rig.pose.bones["ThumbTip.L"].constraints.new("COPY_LOCATION")
    follow.target, follow.influence = bpy.data.objects["Target"], 0.5
    with pytest.raises(RuntimeError, match=r"Palm\.L: the file plays it off"):
        send_out(name, tmp_path, check_playback="THOROUGH", strict=True)
    assert list(tmp_path.iterdir()) == []
    exported = sent(told, name, tmp_path)
    assert not exported.check.beyond  # of what is off within the clip nobody can say
    assert exported.check.off["Palm.L"].place == pytest.approx(0.3, abs=0.02)
    warning = next(str(each) for each in exported.report.warnings if "Palm.L: the file plays it off" in str(each))
    assert ("0.3 units" if name in ("w3d", "w3x") else "150 mm") in warning and "2 nodes were" in warning


@pytest.mark.parametrize("sampled", [True, False])
def test_a_light_that_no_rule_knows_of_is_sampled_or_named(
    told: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sampled: bool
) -> None:
    """A driver dims it, and nobody looks for drivers."""
    lamp = add("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    lamp.data.keyframe_insert("energy", frame=1)
    lamp.data.driver_add("energy").driver.expression = "10 + frame"
    lamp.select_set(True)
    monkeypatch.setattr(room("scene.capture.influences"), "active_drivers", lambda owner: [])
    if not sampled:
        monkeypatch.setattr(room("scene.capture.samples"), "_rows", lambda *_: [])
    exported = sent(told, "animx", tmp_path)
    off = [found.value.path for found in exported.check.values]
    assert off == ([] if sampled else ["energy"]) and bool(exported.check.beyond) == sampled
    said = exported.report.notes if sampled else exported.report.warnings
    words = "was sampled" if sampled else "data.energy otherwise than the scene shows it, most on frame 40; at"
    assert [each for each in map(str, said) if each.startswith("Lamp: ") and words in each]


# --- Defects of old, put back one at a time ------------------------------------------------------------------------


def on_its_root(rig: Any) -> str:
    """The wrist is what the games never move."""
    rig.data.bones["Wrist.L"].name = "ROOTTRANSFORM"
    return "Palm.L"


def resting_at_last(rig: Any) -> str:
    """Asked for is a quarter of a frame more than the keys go."""
    constraints = rig.pose.bones["Palm.L"].constraints
    constraints.remove(constraints[0])
    action = rig.animation_data.action
    action.use_frame_range, action.frame_start, action.frame_end = True, 1, FRAMES + 0.25
    return "the file plays 1.625 s, the animation 1.635 s"


def carried(rig: Any) -> str:
    """The armature stands on what the palm's constraint follows; in a world of its own that is the clip's root."""
    rig.parent = bpy.data.objects["Target"]
    return "Wrist.L"


def filmed(path: str, rig: Any) -> str:
    """A camera, flat or not, whose picture changes; it is twice as wide as high by its pixels' shape."""
    lens = bpy.data.cameras.new("View")
    lens.type = "ORTHO" if path == "ortho_scale" else "PERSP"
    view = add("View", lens)
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y, render.pixel_aspect_x = 300, 300, 2.0
    view.select_set(True)
    animate(lens, path, {frame: 10.0 + frame for frame in (1, FRAMES)})
    return f"View: the file plays data.{path} otherwise"


def as_wide_as_high(_: Any, __: Any) -> Any:
    """The table of old: half the width was taken for half the height, whatever the picture."""
    return room("io_formats.clip").View(1.0, "data.sensor_width", {"data.lens": 50.0, "data.sensor_width": 36.0})


DEFECTS = {
    "flat views": (partial(filmed, "ortho_scale"), "scene.channels", "view_of", as_wide_as_high, False),
    "lenses": (partial(filmed, "lens"), "scene.channels", "view_of", as_wide_as_high, False),
    "w3d": (on_its_root, "io_formats.clip.pivots", "_OTHER_ROOT", "ROOTTRANSFORM", False),
    "mrtk": (resting_at_last, "io_formats.mrtk.edited_keys", "hold_until", lambda *_: None, False),
    "carriers": (carried, "scene.capture.influences", "moves", lambda *_: False, True),
}


def put_back(monkeypatch: pytest.MonkeyPatch, place: str, attribute: str, instead: Any) -> None:
    holder, _, last = attribute.rpartition(".")
    monkeypatch.setattr(getattr(room(place), holder) if holder else room(place), last, instead)


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_old_is_mended_or_named(
    defect: str, rig: Any, told: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A root's motion is lost, a recording ends with its keys, a carrier is taken for still."""
    happens, place, attribute, instead, mended = DEFECTS[defect]
    words, name = happens(rig), defect if defect in ENDINGS else "animx"
    send_out(name, tmp_path)
    put_back(monkeypatch, place, attribute, instead)
    send_out(name, tmp_path)
    assert [words in str([*map(str, each.report.warnings)]) for each in told] == [False, not mended]
    assert not told[0].check.off and (not mended or not told[1].check.off)


# --- What is seen of a bone ----------------------------------------------------------------------------------------


def hide(thing: Any, path: str = "hide_viewport") -> None:
    animate(thing, path, {1: False, 10: True, 20: False})
    bpy.context.scene.frame_set(7)


def test_what_hides_in_renders_alone_is_compared_outside_the_clip_too(
    extension: ModuleType, told: list[Any], tmp_path: Path
) -> None:
    """On the moments there it does not move, and is no less what the file follows."""
    light = add("Light", bpy.data.lights.new("Light", "POINT"))
    animate(light, "hide_render", {1: False, 3: True})
    animate(light, "location.x", {1: 1, 30: 30})
    choose(light)
    bpy.context.scene.frame_end = 40
    exported = sent(told, "animx", tmp_path)
    assert not exported.report.warnings and not exported.check.beyond


def repeated(curve: Any) -> None:
    curve.modifiers.new("CYCLES")


def softened(curve: Any) -> None:
    for key in curve.keyframe_points:
        key.interpolation, key.handle_left_type, key.handle_right_type = "BEZIER", "AUTO_CLAMPED", "AUTO_CLAMPED"
    curve.update()


def shallow(curve: Any) -> None:
    for key in curve.keyframe_points:
        key.co.y = 0.5 + key.co.y / 200
    softened(curve)


@pytest.mark.parametrize(("name", "edit"), [("visibility", repeated), ("fade", softened), ("fade", shallow)])
def test_what_a_timecoded_file_says_of_a_bone_is_seen_so(
    extension: ModuleType, name: str, edit: Any, told: list[Any], tmp_path: Path
) -> None:
    """Hidden on the last key of each round, as in Blender; of a fade no key goes that the check would miss."""
    source = Path(__file__).parents[1] / "data" / "w3d" / "b01_motion_tc.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    curves = room("scene.actions").fcurves_of(bpy.context.object)
    edit(next(curve for curve in curves if curve.data_path.endswith(f'["{name}"]')))
    exported = sent(told, "w3d", tmp_path)
    assert not exported.report.warnings


def by_keys_of_the_bone(rig: Any, hat: Any) -> None:
    bone = rig.pose.bones["Palm.L"]
    hide(bone if hasattr(bone, "hide") else bone.bone, "hide")


def by_keys_of_a_mesh(rig: Any, hat: Any) -> None:
    hide(hat)


def by_keys_under_a_strip(rig: Any, hat: Any) -> None:
    """Of the armature, whose Action plays 5 frames later than its own."""
    hide(hat)
    push_down(rig, int(rig.animation_data.action.frame_range[0]) + 5)


def by_keys_for_renders(rig: Any, hat: Any) -> None:
    hide(hat, "hide_render")


def by_a_driver(rig: Any, hat: Any) -> None:
    hat.driver_add("hide_viewport").driver.expression = "10 <= frame < 20"


def by_a_strip(rig: Any, hat: Any) -> None:
    """A hundred frames later than its keys, as the armature plays what it has."""
    hide(hat)
    for thing in (hat, rig) if rig.animation_data else (hat,):
        push_down(thing, 101)


def hat_on(rig: Any) -> Any:
    """A mesh on the palm."""
    hat = add("Hat", bpy.data.meshes.new("Hat"))
    hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", "Palm.L"
    return hat


def hidden(path: Path) -> list[int]:
    """The frames of a file, from 0, on which its one pivot that is not always seen is hidden."""
    player = PLAYERS[path.suffix].Player.of(path.read_bytes())
    (shown,) = player.shown.values()
    return np.flatnonzero(~np.asarray(shown, bool)).tolist()


HIDING = [by_keys_of_the_bone, by_keys_of_a_mesh, by_keys_under_a_strip, by_keys_for_renders, by_a_driver, by_a_strip]
UNREAD = ("scene.capture.keys", "Keyed.hidden_with_meshes", lambda *_: [])
INVERTED = ("io_formats.{}.from_clip", "pivots.as_visibility", lambda track: track)
OF_HIDING = [(hiding, None) for hiding in HIDING] + [(by_keys_of_a_mesh, UNREAD), (by_keys_of_a_mesh, INVERTED)]


@pytest.mark.parametrize("name", ["w3d", "w3x"])
@pytest.mark.parametrize(("hiding", "defect"), [*OF_HIDING, (by_keys_of_the_bone, INVERTED)])
def test_what_hides_a_bone_is_compared(
    hiding: Any, defect: Any, name: str, rig: Any, told: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sampled where no curve of it is read, named where the file shows the bone when it is hidden."""
    hiding(rig, hat_on(rig))
    if defect is not None:
        put_back(monkeypatch, defect[0].format(name), *defect[1:])
    path = send_out(name, tmp_path)
    (exported,) = told
    named = [
        str(each) for each in exported.report.warnings if re.search(r"the file plays \S*hide otherwise", str(each))
    ]
    assert bool(named) == (defect is INVERTED) == bool(exported.check.values)
    assert named or hidden(path) == list(range(9, 19))
    assert hiding is not by_keys_under_a_strip or "it is hidden with" in str([*map(str, exported.report.notes)])
    if hiding is by_a_strip:
        send_out(name, tmp_path, actions="ALL")
        assert {PLAYERS[path.suffix].Player.of(each.read_bytes()).frames for each in tmp_path.iterdir()} == {FRAMES}


@pytest.mark.parametrize("hiding", [by_keys_of_a_mesh, by_a_driver, by_a_strip])
def test_a_mesh_that_is_hidden_is_motion_enough(hiding: Any, rig: Any, tmp_path: Path) -> None:
    rig.animation_data_clear()
    rig.pose.bones["Palm.L"].constraints.remove(rig.pose.bones["Palm.L"].constraints[0])
    hiding(rig, hat_on(rig))
    path = send_out("w3d", tmp_path)
    assert hidden(path) == list(range(9, 19))
    lasts = hiding is by_a_driver  # as long as the scene, as no key of it says when it ends
    assert lasts == (w3d.Player.of(path.read_bytes()).frames == 250)


def test_frame_selection_and_a_pose_without_keys_are_as_before(rig: Any, tmp_path: Path) -> None:
    target, angles = bpy.data.objects["Target"], (0.5, 1.0, 1.5)
    target.rotation_mode = "QUATERNION"
    target.keyframe_insert("rotation_mode", frame=1)
    target.keyframe_insert("rotation_euler", frame=1)
    bpy.context.scene.frame_set(7, subframe=0.25)
    posed = (0.5, 0.5, 0.5, 0.5)
    rig.pose.bones["Wrist.L"].rotation_quaternion = posed
    target.location, target.rotation_mode, target.rotation_euler = (1.0, 2.0, 3.0), "XYZ", angles
    send_out("animx", tmp_path)
    scene = bpy.context.scene
    assert (scene.frame_current, scene.frame_subframe) == (7, 0.25)
    assert tuple(rig.pose.bones["Wrist.L"].rotation_quaternion) == posed
    assert tuple(target.location) == (1.0, 2.0, 3.0) and tuple(target.rotation_euler) == angles
    assert rig.select_get() and not target.select_get()


def test_rows_have_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blend = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    command = room("operators.command_line").main
    assert command(["export", str(blend), "--to", ".animj", "--output", str(tmp_path), "--json"]) == 0
    row = json.loads(next(line for line in capsys.readouterr().out.splitlines() if line.startswith("{")))
    assert row["check"]["moments"] == 26 and row["check"]["nodes_off"] == 0


@pytest.mark.parametrize(
    ("wanted", "engine"),
    [("QUICK", "AUTO"), ("THOROUGH", "AUTO"), ("THOROUGH", "GENERALS")],  # that steps between frames, as imported
)
def test_bytes_of_the_source_are_played_only_when_asked(
    wanted: str, engine: str, told: list[Any], tmp_path: Path
) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    source = Path(__file__).resolve().parents[1] / "data" / "w3d" / "g01_raw_trim_vis.w3d"
    assert bpy.ops.import_anim.w3d(filepath=str(source), engine=engine) == {"FINISHED"}
    target = tmp_path / source.name
    assert bpy.ops.export_anim.w3d(filepath=str(target), check_playback=wanted) == {"FINISHED"}
    assert target.read_bytes() == source.read_bytes() and told[0].exact and not told[0].report.warnings
    assert (told[0].check is not None) == (wanted == "THOROUGH")


def test_what_is_off_on_a_frame_is_not_told_by_what_is_off_between(tmp_path: Path, data: Path) -> None:
    """Between frames it may be farther off: half way to a key that jumps, twice as far as adaptive delta is on that."""
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g04_ad_17f.w3d"), target="NEW")
    (_, curve), *_ = (
        found
        for found in room("scene.actions").every_curve(bpy.context.object.animation_data.action)
        if (found[1].data_path, found[1].array_index) == ('pose.bones["BONE_01"].rotation_quaternion', 1)
    )
    curve.keyframe_points[31].co[1] += 0.125
    curve.update()
    assert bpy.ops.export_anim.w3d(filepath=str(tmp_path / "out.w3d")) == {"FINISHED"}
    told = bpy.data.texts["Export Report"].as_string()
    off = re.search(r"BONE_01: the file plays it off by up to 0 units and ([\d.]+) degrees, most on frame 12;", told)
    delta = re.search(r"Adaptive delta shows 1 pivot wrongly, by up to ([\d.]+) degrees", told)
    assert off and delta and float(off[1]) == pytest.approx(float(delta[1]), abs=0.05)
