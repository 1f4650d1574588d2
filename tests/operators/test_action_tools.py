"""The sidebar's tools: export in place, reload, follow the scene's rate, what is exact, names as a table."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cases import slow_but
from in_blender import add, animate, curves_of, editing, push_down, put_selected_into_one

Part = Callable[[str], Any]
Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


@pytest.fixture
def take(bpy: Any, recording: Path, tmp_path: Path) -> Path:
    """A recording of its own, imported."""
    path = tmp_path / "take.bin"
    shutil.copy(recording, path)
    bpy.ops.import_anim.mrtk(filepath=str(path), rate="CUSTOM", custom_rate=50.0)
    return path


def action_of(bpy: Any) -> Any:
    """The Action that the active armature plays."""
    return bpy.context.view_layer.objects.active.animation_data.action


def curve_of(action: Any, path: str, index: int = 0) -> Any:
    """An F-Curve of an Action."""
    return next(curve for curve in curves_of(action) if (curve.data_path, curve.array_index) == (path, index))


TIP = 'pose.bones["IndexTip.L"].location'


def test_what_went_back_into_its_file_is_what_changes_count_against(
    bpy: Any, part: Part, panel: Any, take: Path, capfd: Capture
) -> None:
    """In the panel and for *Export Changed*, at another rate as well; what exports know of the import stays."""
    exactness, changes = part("pipeline.export_files").exactness, part("pipeline.export_plan").changes
    before, (total, _) = take.read_bytes(), exactness(action_of(bpy))
    curve_of(action_of(bpy), TIP).keyframe_points[0].co[1] += 0.5
    assert bpy.ops.anim_curves.export_changed() == {"FINISHED"}
    assert exactness(action_of(bpy)) == (total - 1, ["IndexTip.L: X Location"]), "a copy beside it is not the file"
    assert bpy.ops.anim_curves.check_exactness() == {"FINISHED"}
    assert f"{total - 1} F-Curves are as imported, 1 is changed: IndexTip.L: X Location\n" in capfd.readouterr().out
    assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    assert exactness(action_of(bpy)) == (total, []) and changes(bpy.context).parts == []
    written = take.read_bytes()
    changed = [at for at, (old, new) in enumerate(zip(before, written, strict=True)) if old != new]
    assert changed and changed[-1] - changed[0] < 4, "bytes of one number"
    assert bpy.ops.anim_curves.check_exactness() == {"FINISHED"}
    assert "All F-Curves are as exported in place\n" in capfd.readouterr().out
    panel.draw(bpy.context)
    assert "F-Curves are as exported in place" in " ".join(panel.told) and "now runs at" not in " ".join(panel.told)
    for rate in (25, 100):
        bpy.context.scene.render.fps, bpy.context.scene.render.frame_map_new = 2 * rate, 200
        panel.draw(bpy.context)
        assert f"The scene now runs at {rate} fps" in " ".join(panel.told)
    assert bpy.ops.anim_curves.convert_rate() == {"FINISHED"}
    assert exactness(action_of(bpy)) == (total, [])
    curve_of(action_of(bpy), TIP, 1).keyframe_points[0].co[1] += 0.5
    assert exactness(action_of(bpy)) == (total - 1, ["IndexTip.L: Y Location"])
    assert [part.path for part in changes(bpy.context).parts] == [take]
    curve_of(action_of(bpy), TIP, 1).keyframe_points[0].co[1] -= 0.5
    assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    assert take.read_bytes() == written


@pytest.mark.parametrize(
    ("tool", "name", "options", "count"),
    [
        ("export_in_place", "w3d/h04_multi_unknown.w3d", {}, 2),
        ("export_changed", "w3d/h04_multi_unknown.w3d", {}, 2),
        ("export_changed", "animx/08_walk.animj", {"node_kind": "OBJECT"}, 1),
    ],
)
def test_all_changed_animations_go_back_into_their_file(
    bpy: Any, part: Part, data: Path, tmp_path: Path, tool: str, name: str, options: Any, count: int
) -> None:
    path = Path(shutil.copy(data / name, tmp_path))
    before = path.read_bytes()
    getattr(bpy.ops.import_anim, name.partition("/")[0])(filepath=str(path), **options)
    for action in bpy.data.actions:
        next(curve for _, curve in part("scene.actions").every_curve(action)).keyframe_points[0].co[1] += 0.25
    changes = part("pipeline.export_plan").changes
    assert len(changes(bpy.context).names) == count
    if tool == "export_in_place":  # from the last of them
        part("scene.actions").assign(
            bpy.context.object, next(each for each in bpy.data.actions if each != action_of(bpy))
        )
    if tool == "export_changed" and count == 2:  # a game takes the first of a name that it meets, in whichever file
        (tmp_path / "all").mkdir()
        assert bpy.ops.export_anim.w3d(filepath=str(tmp_path / "all" / "x.w3d"), actions="ALL") == {"FINISHED"}
        files = (path, *sorted((tmp_path / "all").iterdir()))
        own, *others = (part("io_formats.w3d").read(one.read_bytes()).animations for one in files)
        assert [[new == old for new, old in zip(each, own)] for each in others] == [[False, False]] * 2
    given = {"in_place": True} if tool == "export_changed" else {}
    assert getattr(bpy.ops.anim_curves, tool)(**given) == {"FINISHED"}
    assert changes(bpy.context).names == [] and path.read_bytes() != before
    if count == 2:
        old, new = (part("io_formats.w3d").read(each).animations for each in (before, path.read_bytes()))
        assert [a == b for a, b in zip(old, new)] == [False, False]


def test_a_renamed_bone_has_the_curves_of_its_file(bpy: Any, part: Part, take: Path, capfd: Capture) -> None:
    """As the panel counts them, after its keys were moved to another rate, and for what Reload says is gone."""
    exactness = part("pipeline.export_files").exactness
    untouched, _ = exactness(action_of(bpy))
    bpy.context.view_layer.objects.active.data.bones["IndexTip.L"].name = "Finger"
    assert exactness(action_of(bpy)) == (untouched, [])
    bpy.context.scene.render.fps *= 2
    assert bpy.ops.anim_curves.convert_rate() == {"FINISHED"}
    assert exactness(action_of(bpy)) == (untouched, [])
    curve_of(action_of(bpy), TIP.replace("IndexTip.L", "Finger")).keyframe_points[0].co[1] += 0.5
    bpy.context.object.pose.bones["Palm.L"].keyframe_insert("scale", index=0, frame=5)
    assert bpy.ops.anim_curves.reload() == {"FINISHED"} and bpy.context.scene.render.fps == 100
    assert "2 curves of take" in "".join([*(text.as_string() for text in bpy.data.texts), *capfd.readouterr()])


def test_export_in_place_writes_no_other_action(bpy: Any, part: Part, take: Path, monkeypatch: Patch) -> None:
    """Than the active object plays by a strip, while another armature is selected, whose keys were changed.

    An editor may show an Action that nothing plays.
    """
    rig, before = bpy.context.view_layer.objects.active, take.read_bytes()
    push_down(rig, 0)
    bpy.ops.import_anim.mrtk(filepath=str(shutil.copy(take, take.with_name("other.bin"))), target="NEW")
    selected = bpy.context.view_layer.objects.active
    rig.select_set(False)
    curve_of(selected.animation_data.action, TIP).keyframe_points[0].co[1] += 0.5
    hung = add("Mesh", bpy.data.meshes.new("Mesh"))
    hung.parent = rig
    for bpy.context.view_layer.objects.active in (rig, hung):  # what hangs on an armature stands for it
        assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
        assert take.read_bytes() == before
    shown = rig.animation_data.nla_tracks[0].strips[0].action
    rig.animation_data_clear()
    monkeypatch.setattr(part("pipeline.export_plan"), "active_action", lambda _context: shown)
    animate(target := add("Target"), "location", {1: (0, 0, 0), 20: (1, 2, 3)})
    selected.pose.bones[0].constraints.new("COPY_LOCATION").target = target
    for _ in range(2):  # what is selected plays another, then none
        with pytest.raises(RuntimeError, match="is not the Action being played"):
            bpy.ops.anim_curves.export_in_place()
        selected.animation_data_clear()
    rig.animation_data_create().action = shown
    bpy.context.scene.collection.objects.link(rig.copy())
    bpy.context.view_layer.objects.active = selected
    with pytest.raises(RuntimeError, match="several are chosen"):
        bpy.ops.anim_curves.export_in_place()
    assert take.read_bytes() == before


def test_export_in_place_is_not_repeated_without_its_question(bpy: Any) -> None:
    """Repeat Last, which Blender offers for what is registered, asks nothing, and another Action may be in view."""
    assert "REGISTER" not in bpy.ops.anim_curves.export_in_place.bl_options
    assert "REGISTER" in bpy.ops.anim_curves.reload.bl_options


def question_of(bpy: Any, part: Part, tool: str) -> tuple[dict[str, Any], Any]:
    """What the dialogue of a tool is given, and the operator that asks."""
    asked: dict[str, Any] = {}
    context = SimpleNamespace(
        space_data=None,
        preferences=bpy.context.preferences,
        scene=bpy.context.scene,
        view_layer=bpy.context.view_layer,
        window_manager=SimpleNamespace(invoke_props_dialog=lambda _, **words: asked.update(words)),
    )
    operator = part("operators.dialogs").Question()
    operator._answered = lambda _: asked.update(answered=True)
    operator._question = lambda shown: getattr(part("operators.action_tools"), tool)._question(operator, shown)
    operator.invoke(context, None)
    return asked, operator


def test_export_in_place_asks_about_a_name_that_is_no_text(bpy: Any, part: Part, take: Path) -> None:
    strange = take.rename(take.with_name("take\udcff.bin"))
    bpy.ops.import_anim.mrtk(filepath=str(strange))
    asked, _ = question_of(bpy, part, "ExportInPlace")
    assert asked["title"].encode() and asked["cancel_default"]
    assert asked["title"].startswith("Replace take") and asked["title"].endswith(f".bin in {take.parent}?")


def test_a_file_that_others_changed_meanwhile_is_replaced_only_knowingly(bpy: Any, part: Part, take: Path) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(take))
    for edit in (0.25, 0.5):  # what was written in place is known, too
        curves_of(action_of(bpy))[0].keyframe_points[0].co[1] += edit
        assert question_of(bpy, part, "ExportInPlace")[0]["title"].startswith("Replace take")
        assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    curves_of(action_of(bpy))[0].keyframe_points[0].co[1] += 0.5
    take.write_bytes(take.read_bytes() + b"more")
    assert "changed outside" in question_of(bpy, part, "ExportInPlace")[0]["title"]
    names = question_of(bpy, part, "ExportChanged")[1]._names
    assert ["changed outside" in names[choice][0] for choice in (False, True)] == [False, True]
    take.unlink()  # nothing is lost
    assert question_of(bpy, part, "ExportInPlace")[0] == {"answered": True}


@pytest.mark.parametrize("edit", ["", "moved", "other animation", "exported", "background"])
def test_reload_asks_where_a_persons_changes_would_go(
    bpy: Any, part: Part, data: Path, tmp_path: Path, monkeypatch: Patch, edit: str
) -> None:
    """And nowhere else: not for what its file has, nor a script."""
    path, tools = Path(shutil.copy(data / "w3d/h04_multi_unknown.w3d", tmp_path)), part("operators.action_tools")
    bpy.ops.import_anim.w3d(filepath=str(path))
    own, other = action_of(bpy), next(action for action in bpy.data.actions if action != action_of(bpy))
    edited = other if edit == "other animation" else own
    if edit:
        next(curve for _, curve in part("scene.actions").every_curve(edited)).keyframe_points[0].co[1] += 0.25
    if edit == "exported":
        assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    asked: list[str] = []
    manager = SimpleNamespace(invoke_props_dialog=lambda _, title, **words: asked.append(title))
    context = SimpleNamespace(space_data=None, view_layer=bpy.context.view_layer, window_manager=manager)
    dialogs = part("operators.dialogs")
    monkeypatch.setattr(dialogs, "bpy", SimpleNamespace(app=SimpleNamespace(background=edit == "background")))
    tool = dialogs.Question()
    tool.execute = lambda _: asked.append("reloads")
    tool._question = lambda shown: tools.ReloadFile._question(tool, shown)
    tool.invoke(context, None)
    question = f"Replace what was changed in {edited.name} by {path.name}?"
    assert asked == [question if edit in ("moved", "other animation") else "reloads"]


@pytest.mark.parametrize(("seconds", "replaced"), [(0.2, False), (0.4, True)])
@pytest.mark.parametrize("name", ["ExportInPlace", "ConfirmReplace"])
def test_the_second_click_of_a_double_click_replaces_nothing(
    bpy: Any, part: Part, take: Path, monkeypatch: Any, name: str, seconds: float, replaced: bool
) -> None:
    """The button Replace may come up under the pointer; Blender's own time of a double click is 0.35 s."""
    dialogs = part("operators.dialogs")
    now = [1000.0]
    monkeypatch.setattr(dialogs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    context = SimpleNamespace(
        space_data=None,
        scene=bpy.context.scene,
        view_layer=bpy.context.view_layer,
        preferences=SimpleNamespace(addons={}, inputs=SimpleNamespace(mouse_double_click_time=350)),
        window_manager=SimpleNamespace(invoke_props_dialog=lambda *_, **__: {"RUNNING_MODAL"}),
    )
    exported: list[object] = []
    operators = SimpleNamespace(x=SimpleNamespace(y=lambda *_, **given: exported.append(given["confirmed"])))
    monkeypatch.setattr(dialogs, "bpy", SimpleNamespace(ops=operators))
    tool = dialogs.Question()
    tool.exporter, tool.settings, tool.export = "x.y", "{}", lambda *_: exported.append(True)
    tool.ask(context, "Replace?")
    now[0] += seconds
    owner = part("operators.action_tools") if name == "ExportInPlace" else dialogs
    tool._answered = lambda shown: getattr(owner, name)._answered(tool, shown)
    tool.execute(context)
    assert exported == [True] * replaced


def test_a_question_that_is_cancelled_has_no_work_to_end(part: Part) -> None:
    """Blender calls `cancel` for the dialogue of Export in Place as it does for work under way."""
    tool = part("operators.window_work").WorkingOperator()
    tool.cancel(None)
    closed: list[bool] = []
    tool._work = SimpleNamespace(close=lambda: closed.append(True))
    tool.cancel(None)
    assert closed == [True]


@pytest.mark.parametrize("name", ["two_hands_mrtk_1.1.bin", "five_bones_raw_w3d.w3d", "walk.animj"])
@pytest.mark.parametrize("saved_before", [False, True])
def test_what_was_moved_and_went_back_into_its_file_stands_there_after_reload(
    bpy: Any, data: Path, tmp_path: Path, name: str, saved_before: bool, capfd: Capture
) -> None:
    """Its place counted twice, as the motion has it then; moved after that, or without the file, it stays."""
    path = Path(shutil.copy(data.parents[1] / "samples" / name, tmp_path))
    kind = next(each for each in ("mrtk", "w3d", "animx") if each[:4] in name)
    getattr(bpy.ops.import_anim, kind)(filepath=str(path))
    rig = bpy.context.view_layer.objects.active
    bones = {curve.data_path.split('"')[1] for curve in curves_of(action_of(bpy))} - {"ROOTTRANSFORM"}  # which rests

    def places() -> list[list[float]]:
        bpy.context.scene.frame_set(12)
        return [list(rig.matrix_world @ rig.pose.bones[bone].head) for bone in sorted(bones)]

    if saved_before:
        assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0, 0, 7), (2, 2, 2)
    before = places()
    if not saved_before:
        assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    limit, away = rig.constraints.new("LIMIT_LOCATION"), path.rename(tmp_path / "away")
    limit.use_min_x, limit.min_x = True, 9
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="cannot be opened"):
        bpy.ops.anim_curves.reload()
    assert [*rig.location, rig.rotation_euler.z] == [1, 2, 3, 7]
    rig.constraints.remove(limit)
    away.rename(path)
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert places() == [pytest.approx(place, abs=1e-4) for place in before]
    said = [*(text.as_string() for text in bpy.data.texts), *capfd.readouterr()]
    assert ("stands again where the file has it" in "".join(said)) == ([*rig.location] != [1, 2, 3])


def test_reload_of_what_was_to_be_merged_replaces_it(bpy: Any, part: Part, take: Path) -> None:
    """A curve of one's own goes with the Action, as it does without the option."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.import_anim.mrtk(filepath=str(take), merge=True)
    rig = bpy.context.view_layer.objects.active
    rig.pose.bones["IndexTip.L"].keyframe_insert("scale", frame=1)
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    paths = [curve.data_path for _, curve in part("scene.actions").every_curve(action_of(bpy))]
    assert len(bpy.data.actions) == 1 and not any(path.endswith("scale") for path in paths)


def test_reload_has_the_limits_that_are_preferred_now(bpy: Any, part: Part, take: Path, reports: list[str]) -> None:
    preferred = bpy.context.preferences.addons[part("operators.preferences").ROOT_PACKAGE].preferences
    usual = preferred.limit_mib
    preferred.limit_mib = usual + 1
    try:
        assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    finally:
        preferred.limit_mib = usual
    found = part("scene.provenance").find(action_of(bpy))
    assert (found.options["limit_mib"], found.options["custom_rate"]) == (usual + 1, 50.0)
    assert "gone with the old Action" not in "".join(text.as_string() for text in bpy.data.texts), "nothing was edited"


def test_reload_keeps_a_persons_name_and_a_namesakes_keys(bpy: Any, part: Part, take: Path, reports: list[str]) -> None:
    """The Action was renamed, and another has since the name that the import gave.

    Blender 4.2 reads an import of a newer one, in which a slot says whom it is for and the Action does not.
    """
    action = action_of(bpy)
    action[part("scene.provenance").KEY].pop("owner", None)
    given, action.name = action.name, "Mine"
    other = bpy.data.actions.new(given)
    other.use_fake_user = True
    curve_of(action, TIP).keyframe_points[0].co[1] += 0.5
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert {action.name for action in bpy.data.actions} == {"Mine", given}
    assert bpy.data.actions[given] == other and action_of(bpy) == bpy.data.actions["Mine"]
    assert part("pipeline.export_files").exactness(action_of(bpy))[1] == []
    assert part("scene.provenance").find(action_of(bpy)).placement.given_name != "Mine"


def test_reload_replaces_no_other_import_of_the_file(bpy: Any, part: Part, take: Path) -> None:
    first = action_of(bpy)
    curve_of(first, TIP).keyframe_points[0].co[1] += 0.5
    edited = curve_of(first, TIP).keyframe_points[0].co[1]
    bpy.ops.import_anim.mrtk(filepath=str(take), target="NEW")
    second = action_of(bpy).name
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert len(bpy.data.actions) == 2 and action_of(bpy).name == second
    assert curve_of(first, TIP).keyframe_points[0].co[1] == edited
    assert bpy.ops.export_anim.mrtk(filepath=str(take.with_name("again.bin"))) == {"FINISHED"}
    assert take.with_name("again.bin").read_bytes() == take.read_bytes()


@pytest.mark.parametrize(
    ("name", "imports"),
    [
        ("w3d/h04_multi_unknown.w3d", [{}]),
        ("animx/08_walk.animj", [{"node_kind": "OBJECT"}]),
        ("animx/08_walk.animj", [{"node_kind": "OBJECT"}, {"target": "BY_NAME"}]),
    ],
)
def test_reload_finds_objects_and_all_animations_of_a_file_again(
    bpy: Any, data: Path, tmp_path: Path, name: str, imports: list[Any]
) -> None:
    """Whatever Actions are called by now."""
    source, kind = data / name, name.partition("/")[0]
    for options in imports:
        getattr(bpy.ops.import_anim, kind)(filepath=str(source), **options)
    mover = next(thing for thing in bpy.data.objects if thing.animation_data and thing.animation_data.action)
    bpy.context.view_layer.objects.active = mover
    for action in {*bpy.data.actions} - {action_of(bpy)} if kind == "w3d" else ():
        action.name = "Other"
    before = sorted(bpy.data.actions.keys()), sorted(bpy.data.objects.keys()), mover.animation_data.action.name
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert (sorted(bpy.data.actions.keys()), sorted(bpy.data.objects.keys()), action_of(bpy).name) == before
    assert getattr(bpy.ops.export_anim, kind)(filepath=str(tmp_path / source.name)) == {"FINISHED"}
    assert (tmp_path / source.name).read_bytes() == source.read_bytes()


def test_reload_takes_objects_again_that_were_selected(bpy: Any, data: Path, tmp_path: Path) -> None:
    """A prop beside the figure: it was given the figure's slot, as it was not selected any more."""
    source = data / "animx" / "08_walk.animj"
    bpy.ops.import_anim.animx(filepath=str(source))
    rig = bpy.context.view_layer.objects.active
    with editing(rig) as bones:
        bones.remove(bones["Head"])
    prop = add("Head", None)
    prop.select_set(True)
    bpy.ops.import_anim.animx(filepath=str(source))
    prop.select_set(False)
    prop.name, prop.hide_viewport = "Gear", True
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    prop.name, prop.hide_viewport = "Head", False
    poses = []
    for frame in (0, 9):
        bpy.context.scene.frame_set(frame)
        poses.append(prop.matrix_world.copy())
    assert poses[0] != poses[1]
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "again.animj")) == {"FINISHED"}
    assert (tmp_path / "again.animj").read_bytes() == source.read_bytes()


def test_reload_of_a_strip_leaves_it_a_strip(bpy: Any, take: Path) -> None:
    """An Action that was assigned as well would cover the strips."""
    bpy.ops.import_anim.mrtk(filepath=str(take), target="NEW", nla="STRIP")
    rig = bpy.context.view_layer.objects.active
    strip = rig.animation_data.nla_tracks[0].strips[0]
    strip.action.asset_mark()
    about = strip.action.asset_data
    about.author, about.license = "Me", "CC0"
    before = strip.action.name, len(bpy.data.actions)
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert rig.animation_data.action is None
    assert (strip.action.name, len(bpy.data.actions)) == before
    about = strip.action.asset_data
    assert (about.author, about.license) == ("Me", "CC0"), "what takes an asset's place is that asset"


def test_reload_of_the_strips_of_several_objects_leaves_them_strips(bpy: Any, part: Part, data: Path) -> None:
    bpy.ops.import_anim.animx(filepath=str(data / "animx" / "08_walk.animj"), node_kind="OBJECT", nla="STRIP")
    movers = [thing for thing in bpy.data.objects if thing.animation_data and thing.animation_data.nla_tracks]
    bpy.context.view_layer.objects.active = movers[0]
    assert len(movers) > 1 and bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert [thing.name for thing in movers if thing.animation_data.action is not None] == []


def test_converting_to_another_rate_keeps_the_seconds(bpy: Any, part: Part, take: Path, capfd: Capture) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(take), rate="CUSTOM", custom_rate=50.0, start_frame=11, target="NEW")
    curve = curve_of(action_of(bpy), TIP)
    frames = [key.co[0] for key in curve.keyframe_points]
    track = bpy.context.object.animation_data.nla_tracks.new()
    other = action_of(bpy).copy()  # one after the other, the first would push the second away
    own = other.copy()
    own.name, own["anim_curves"]["rate"] = "own", 25.0  # a file of another rate is converted by itself
    played = {11: action_of(bpy), 65: other, 120: action_of(bpy), 171: own, 222: bpy.data.actions.new("in")}
    track.mute, strips = True, [track.strips.new("", frame, action) for frame, action in played.items()]
    strips[2].action_frame_start = 50
    for strip in strips:
        strip.select = strip == strips[4]
    put_selected_into_one()
    bpy.context.scene.render.fps, bpy.context.scene.render.frame_map_new = 200, 200  # stretched to half the speed
    assert bpy.ops.anim_curves.convert_rate() == {"FINISHED"}
    curve = curve_of(action_of(bpy), TIP)
    assert [key.co[0] for key in curve.keyframe_points] == pytest.approx([2.0 * frame - 11.0 for frame in frames])
    assert [part("pipeline.export_files").exactness(action)[1] for action in (action_of(bpy), other)] == [[], []]
    assert (other.frame_start, action_of(bpy).frame_end) == pytest.approx((11.0, 111.0))
    ends = [(strip.frame_start, strip.frame_end) for strip in track.strips]
    assert ends == [(11.0, 111.0), (119.0, 219.0), (229.0, 251.0), (251.0, 301.0), (301.0, 302.0)]
    assert own.frame_end == 61.0
    assert (strips[2].action_frame_start, strips[2].action_frame_end) == (89.0, 111.0)
    assert "2 NLA strips begin later, as the one before needs the room: own, Meta" in capfd.readouterr().out
    out = take.with_name("out.bin")
    bpy.ops.export_anim.mrtk(filepath=str(out))
    assert out.read_bytes() == take.read_bytes()


@pytest.mark.parametrize(("name", "count"), [("08_walk", 3), ("06_bezier", 1)])
def test_all_objects_of_an_animation_follow_the_rate(
    bpy: Any, part: Part, data: Path, tmp_path: Path, name: str, count: int
) -> None:
    """Blender 4.2 has an Action for each of them, and the editor shows one; what is edited then keeps the file's times,
    of which some frames are a rounding off."""
    bpy.context.scene.render.fps = 24
    bpy.ops.import_anim.animx(filepath=str(data / "animx" / f"{name}.animj"), node_kind="OBJECT", rate="SCENE")
    fcurves_of = part("scene.actions").fcurves_of
    movers = [thing for thing in bpy.data.objects if fcurves_of(thing)]
    played = {thing: [curve.evaluate(at) for curve in fcurves_of(thing) for at in range(72)] for thing in movers}
    bpy.context.view_layer.objects.active = movers[-1]
    bpy.context.scene.frame_set(24)
    bpy.context.scene.render.fps = 48
    assert len(movers) == count and bpy.ops.anim_curves.convert_rate() == {"FINISHED"}
    bpy.context.view_layer.update()
    last = fcurves_of(movers[0])[-1]
    shown = movers[0].path_resolve(last.data_path)[last.array_index]
    assert shown == pytest.approx(last.evaluate(24), abs=1e-5), "it stood where it stood before"
    for thing, values in played.items():
        after = [curve.evaluate(2.0 * at) for curve in fcurves_of(thing) for at in range(72)]
        assert after == pytest.approx(values, abs=1e-5), thing.name
    bpy.context.scene.render.fps_base = 1.001
    assert bpy.ops.anim_curves.convert_rate() == {"FINISHED"}
    fcurves_of(movers[0])[3 % len(fcurves_of(movers[0]))].keyframe_points[1].co[1] += 0.05
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "out.animj"))
    paths = data / "animx" / f"{name}.animj", tmp_path / "out.animj"
    tracks = [[track["data"] for track in json.loads(path.read_text())["tracks"]] for path in paths]
    own, out = ([[key.get("time", 0) for key in each.get("keyframes", ())] for each in found] for found in tracks)
    assert out == [pytest.approx(times, rel=1e-7) for times in own]


def test_keys_of_a_linked_action_are_not_moved(bpy: Any, part: Part, take: Path, tmp_path: Path) -> None:
    """They would move in memory only, and lie where they were when the .blend is opened again."""
    name = action_of(bpy).name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"), copy=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, linked):
        linked.actions = [name]
    rig = add("rig", bpy.data.armatures.new("rig"), active=True)
    part("scene.actions").assign(rig, action := bpy.data.actions[0])
    bpy.context.scene.render.fps = 100
    frames = [key.co[0] for key in curve_of(action, TIP).keyframe_points]
    with pytest.raises(RuntimeError, match="is linked from another file; make it local"):
        bpy.ops.anim_curves.convert_rate()
    assert [key.co[0] for key in curve_of(action, TIP).keyframe_points] == frames
    assert not bpy.ops.anim_curves.whole_frames.poll()
    assert bpy.ops.anim_curves.reload() == {"FINISHED"} and bpy.data.actions[action.name, action.library.filepath]


def test_tools_say_what_they_need(bpy: Any, data: Path, tmp_path: Path) -> None:
    for tool in (bpy.ops.anim_curves.reload, bpy.ops.anim_curves.export_in_place):
        with pytest.raises(RuntimeError, match="assigned or in the only NLA strip"):
            tool()
    bpy.ops.import_anim.animx(filepath=str(data / "animx" / "08_walk.animj"), node_kind="OBJECT")
    bpy.context.view_layer.objects.active = next(thing for thing in bpy.data.objects if thing.animation_data)
    assert bpy.ops.export_anim.animx.poll() and not bpy.ops.export_anim.mrtk.poll(), "which needs an armature"
    with pytest.raises(RuntimeError, match="Select an armature that plays"):
        bpy.ops.anim_curves.save_name_table(filepath=str(tmp_path / "names.json"))
    action_of(bpy)["anim_curves"]["facts"] = ""
    with pytest.raises(RuntimeError, match="not known which file this Action came from"):
        bpy.ops.anim_curves.reload()
    with pytest.raises(RuntimeError, match="The file is not known or lies in an archive"):
        bpy.ops.anim_curves.export_in_place()
    bpy.ops.object.armature_add()
    with pytest.raises(RuntimeError, match="Set the game folders"):
        bpy.ops.anim_curves.list_animations()
    with pytest.raises(RuntimeError, match="Nothing is selected in the list"):
        bpy.ops.anim_curves.import_selected()


def test_a_name_table_is_saved_and_used(bpy: Any, part: Part, take: Path, tmp_path: Path, reports: list[str]) -> None:
    """An Action that came in by a table goes out by it, and the table saved from it is the same."""
    path, again, out = (tmp_path / name for name in ("names.json", "again.json", "out.bin"))
    assert bpy.ops.anim_curves.save_name_table(filepath=str(path)) == {"FINISHED"}
    table = json.loads(path.read_text(encoding="utf-8"))
    assert table["names"]["IndexTip.L"] == "IndexTip.L"
    table["names"]["IndexTip.L"], table["names"]["PinkyTip.L"] = "PinkyTip.L", "IndexTip.L"
    path.write_text(json.dumps(table), encoding="utf-8")
    with pytest.raises(RuntimeError, match="make it or choose another"):
        bpy.ops.anim_curves.save_name_table(filepath=str(tmp_path / "none" / "names.json"))
    keys = [tuple(key.co) for key in curve_of(action_of(bpy), TIP).keyframe_points]
    bpy.ops.import_anim.mrtk(filepath=str(take), target="SELECTED", name_table=str(path))
    swapped = curve_of(action_of(bpy), 'pose.bones["PinkyTip.L"].location')
    assert [tuple(key.co)[1] for key in swapped.keyframe_points] == [value for _, value in keys]
    bpy.ops.anim_curves.save_name_table(filepath=str(again))
    assert json.loads(again.read_text(encoding="utf-8")) == table
    swapped.keyframe_points[1].co[1] += 0.25
    bpy.ops.export_anim.mrtk(filepath=str(out))
    before, after = (part("io_formats.mrtk").read(file.read_bytes()).left for file in (take, out))
    joints = part("io_formats.mrtk.layout").JOINTS
    for joint, wanted in (("IndexTip", [0.25, 0.0, 0.0]), ("PinkyTip", [0.0, 0.0, 0.0])):
        old, new = (hand.joints[joints.index(joint)].position for hand in (before, after))
        moved = [float(abs(b.keys["value"] - a.keys["value"]).max()) for a, b in zip(old, new)]
        assert moved == pytest.approx(wanted, abs=1e-6)
    table["names"]["IndexTip.L"], table["names"]["PinkyTip.L"] = "IndexTip.L", "PinkyTip.L"
    path.write_text(json.dumps(table), encoding="utf-8")
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}, "by the table as it is now"
    assert [tuple(key.co)[1] for key in curve_of(action_of(bpy), TIP).keyframe_points] == [y for _, y in keys]


def test_the_list_of_names_is_saved_as_a_person_changed_it(bpy: Any, part: Part, take: Path, tmp_path: Path) -> None:
    """By the button in the list; the Action still plays as its import matched."""
    path, button = tmp_path / "names.json", SimpleNamespace()
    layout, said, lists = SimpleNamespace(operator=lambda *_, **__: button), [], []
    layout.label = lambda text, **_: said.append(text)
    layout.template_list = lambda *where, rows: lists.append((where[3], rows))
    pairs = [SimpleNamespace(name="IndexTip.L", bone="PinkyTip.L"), SimpleNamespace(name="Wrist.L", bone="")]
    tools = part("operators.action_tools")
    listed = type("Listed", (), {"draw": tools.MatchNames.draw})()
    listed.layout, listed.pairs, listed._question = layout, pairs, "Replace?"
    layout.column = lambda **_: layout
    listed.draw(bpy.context)
    assert "1 of 2" in said[0] and said[-1] == "Replace?" and lists == [("pairs", 2)]
    assert bpy.ops.anim_curves.save_name_table(filepath=str(path), **vars(button)) == {"FINISHED"}
    names = json.loads(path.read_text(encoding="utf-8"))["names"]
    assert names == {"IndexTip.L": "PinkyTip.L", "Wrist.L": ""}


@pytest.fixture
def panel(part: Part) -> Any:
    """The panel Origin on a layout that remembers texts and buttons, and takes only what Blender's takes."""
    told: list[str] = []
    buttons: list[SimpleNamespace] = []

    class Layout:
        def __getattr__(self, name: str) -> Any:
            def draw(*_: Any, text: str = "", **__: Any) -> Any:
                told.append(text.encode().decode())
                buttons.append(SimpleNamespace(kind=name))
                return buttons[-1] if name == "operator" else self

            return draw

    panels = part("operators.panels")
    made = type("Panel", (panels._OriginPanel,), {"layout": Layout()})()
    made.told, made.buttons = told, buttons
    return made


def test_panels_draw_for_every_kind_of_action(bpy: Any, part: Part, panel: Any, take: Path) -> None:
    panel.draw(bpy.context)
    assert {"take.bin", "MRTK2 input recording", "1.1", "226", "50 fps"} <= set(panel.told)
    assert "F-Curves are as imported" in " ".join(panel.told) and "no rest pose" not in " ".join(panel.told)
    bpy.ops.object.mode_set(mode="EDIT")
    panel.draw(bpy.context)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "The file has no rest pose" in " ".join(panel.told)
    assert panel.poll(bpy.context)
    curve_of(action_of(bpy), TIP).keyframe_points[0].co[1] += 0.5
    panel.draw(bpy.context)
    assert {"1 was changed:", "IndexTip.L: X Location"} <= set(panel.told)
    bpy.data.texts.remove(bpy.data.texts["Source of take.bin"])
    panel.draw(bpy.context)
    assert "The kept file is missing" in " ".join(panel.told)
    bpy.ops.import_anim.mrtk(filepath=str(take), target="NEW", keep_source=False)
    panel.draw(bpy.context)
    assert "The file was not kept" in " ".join(panel.told)
    bpy.context.view_layer.objects.active.animation_data.action = bpy.data.actions.new("own")
    assert not (panel.poll(bpy.context) or bpy.ops.anim_curves.reload.poll()), "a person's own Action is of no file"


@pytest.mark.parametrize("hands", [False, True])
def test_edit_mode_tells_of_a_selection_that_it_cannot_show(
    bpy: Any, part: Part, panel: Any, take: Path, hands: bool
) -> None:
    """Beside its menus; with *Hand Skeleton* bones rest apart, and a person's own may rest where they like."""
    bpy.ops.import_anim.mrtk(filepath=str(take), target="NEW", hand_skeleton=hands)
    rig = bpy.context.object
    with editing(rig) as edited:
        bpy.ops.armature.select_all(action="DESELECT")
        for name in ("Palm.L", "IndexTip.R"):
            edited[name].select = True
        part("operators.panels")._draw_in_one_place(panel, bpy.context)
        told = f"2 of {len(edited)} bones selected, most at rest in one place"
    assert panel.told == ([] if hands else ["", "Pose Mode", told])
    part("operators.panels")._draw_in_one_place(panel, bpy.context)
    assert len(panel.told) == 3 * (not hands)


@pytest.mark.parametrize(("bone", "told"), [("BONE_04", True), ("BONE_03", False), ("IndexKnuckle.R", False)])
def test_a_bone_that_is_drawn_otherwise_than_the_others_is_explained(
    bpy: Any, panel: Any, data: Path, take: Path, bone: str, told: bool
) -> None:
    """A pivot with keys of its visibility; all bones of a recorded hand look alike."""
    if bone.startswith("BONE"):
        bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g01_raw_trim_vis.w3d"))
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones[bone]
    panel.draw(bpy.context)
    bpy.ops.object.mode_set(mode="OBJECT")
    sentence = f"{bone} is drawn as a wire, as the file hides it at times"
    assert (sentence in " ".join(panel.told)) == told


@pytest.mark.parametrize(
    "value",
    slow_but(
        ["\ud800", [1], None, 10**400], ["words", "\ud800", [1], {"a": 2}, None, True, 1e300, -1, 10**400, math.nan]
    ),
    ids=repr,
)
@pytest.mark.parametrize("name", ["rate", "keys", "path", "format", "version"])
def test_the_panel_draws_whatever_a_person_made_of_the_facts(
    bpy: Any, part: Part, panel: Any, take: Path, name: str, value: Any
) -> None:
    """They are a custom property, which anyone can edit; what is no figure is not shown as one."""
    rooms = part("pipeline.source_file")
    facts = {**rooms.facts_of(action_of(bpy)), rooms.PROPORTIONS: "HINT of no level", name: value}
    part("scene.provenance").note(action_of(bpy), "facts", facts)
    panel.draw(bpy.context)
    assert ("take.bin" in panel.told and "226" in panel.told) or name == "keys"
    assert "of no level" not in panel.told


def test_the_button_opens_the_text_of_the_action_and_not_its_namesake(
    bpy: Any, part: Part, panel: Any, take: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    """A linked Action brings its Text, which is called as that of a local one is."""
    action = action_of(bpy).name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"), copy=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, linking):
        linking.actions = [action]
    own, linked = bpy.data.actions[action, None], next(one for one in bpy.data.actions if one.library is not None)
    editor = SimpleNamespace(text=None)
    monkeypatch.setattr(part("operators.reporting"), "_text_editor", lambda _context: editor)
    for shown in (own, linked):
        bpy.context.view_layer.objects.active.animation_data.action = shown
        panel.buttons.clear()
        panel.draw(bpy.context)
        button = next(button for button in panel.buttons if hasattr(button, "text"))
        given = {name: value for name, value in vars(button).items() if name != "kind"}
        assert bpy.ops.anim_curves.show_text(**given) == {"FINISHED"}
        assert editor.text == part("scene.provenance").find(shown).text
    assert editor.text.library is not None
    with pytest.raises(RuntimeError, match="'Gone' is not there any more"):
        bpy.ops.anim_curves.show_text(text="Gone")


def test_a_skeleton_alone_says_what_it_is(bpy: Any, panel: Any, data: Path) -> None:
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g02_skl.w3d"))
    assert panel.poll(bpy.context)
    panel.draw(bpy.context)
    assert "g02_skl.w3d" in panel.told
    assert "A skeleton or model without animation; an import onto it makes an Action" in " ".join(panel.told)
    bpy.context.object.animation_data_create().action = bpy.data.actions.new("own")
    assert not panel.poll(bpy.context)


def test_the_file_of_the_highlighted_animation_is_seen_whole(bpy: Any, part: Part, tmp_path: Path, panel: Any) -> None:
    """Two of one name differ by their files, for which the list has no room beside the names, which are told whole."""
    bpy.ops.object.armature_add()
    panels, listing, format_room = (
        part(room) for room in ("operators.panels", "operators.animation_list", "io_formats.format")
    )
    paths = [f"{tmp_path}/always{number}.big/art/m02_wlk.w3d" for number in (1, 2)]
    lines = [format_room.Listed("M02_WLK", 1.3, path) for path in paths]
    bpy.context.preferences.addons[part("operators.preferences").ROOT_PACKAGE].preferences.game_folders = str(tmp_path)
    listing.list_of(bpy.context).show(bpy.context.object.name, [("w3d", line) for line in lines])
    told: list[str] = []
    row = SimpleNamespace(prop=lambda *_, **__: None, label=lambda text, **_: told.append(text), split=lambda **_: row)
    line = listing.list_of(bpy.context).lines[0]
    listing.AnimationLines.draw_item(None, None, SimpleNamespace(row=lambda **_: row), None, line, 0, None, "")
    assert told == ["M02_WLK", "1.3 s"]

    def drawing() -> str:
        panel.told.clear()
        type("Animations", (panels._AnimationsPanel,), {"layout": panel.layout})().draw(bpy.context)
        return "".join(panel.told)

    for number in (0, 1):
        listing.list_of(bpy.context).active = number
        drawn = drawing()
        assert paths[number] in drawn and paths[1 - number] not in drawn
    listing.list_of(bpy.context).filter = "no animation is called so"
    assert "m02_wlk" not in drawing()
    assert "No animation to show" in panel.told and str(tmp_path) in "".join(panel.told)
    assert not panel.layout.enabled
    listing.list_of(bpy.context).filter = ""
    bpy.ops.object.armature_add()  # for which nothing was listed yet
    assert "m02_wlk" not in drawing()


@pytest.mark.parametrize(
    ("kind", "width", "scale", "lines"),
    [("UI", 200, 1.0, 3), ("UI", 420, 1.0, 1), ("UI", 400, 2.0, 3), ("WINDOW", 1600, 1.0, 2), ("WINDOW", 1600, 2.0, 2)],
)
def test_a_sentence_fits_the_sidebar_and_adjust_last_operation(
    part: Part, kind: str, width: int, scale: float, lines: int
) -> None:
    reporting = part("operators.reporting")
    drawn: list[tuple[str, str]] = []
    layout = SimpleNamespace(label=lambda *, text, icon, translate: drawn.append((text, icon)))
    layout.column = lambda **_: layout
    preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=scale))
    context = SimpleNamespace(region=SimpleNamespace(width=width, type=kind), preferences=preferences)
    reporting.draw_sentence(layout, context, "The file was not kept; exports are computed again", "INFO")
    assert [icon for _, icon in drawn] == ["INFO"] + ["BLANK1"] * (lines - 1)
    assert " ".join(text for text, _ in drawn) == "The file was not kept; exports are computed again"
    drawn.clear()
    reporting.draw_sentence(layout, context, "walk.bin: 1 hand, 2,692 keys, 33.0 s, 193 values", "INFO")
    assert not any(text[-1].isdigit() for text, _ in drawn[:-1]), drawn


def test_a_game_folder_is_added_to_those_that_are_there(bpy: Any, part: Part) -> None:
    preferred = bpy.context.preferences.addons[part("operators.preferences").ROOT_PACKAGE].preferences
    preferred.game_folders, bpy.context.preferences.is_dirty = "", False
    for chosen, named in (("/a/game/", "/a/game/"), ("/mods/", "/a/game/;/mods/"), ("/a/game/", "/a/game/;/mods/")):
        assert bpy.ops.anim_curves.add_game_folder(directory=chosen) == {"FINISHED"}
        assert preferred.game_folders == named and bpy.context.preferences.is_dirty
    preferred.game_folders = ""


def test_the_share_that_is_done_is_drawn_as_a_bar(bpy: Any, part: Part) -> None:
    from bl_ui.space_statusbar import STATUSBAR_HT_header as status_bar

    drawn: list[dict[str, Any]] = []
    row = SimpleNamespace(progress=lambda **shown: drawn.append(shown))
    header = SimpleNamespace(layout=SimpleNamespace(row=lambda: row))
    usual = status_bar.draw
    with part("operators.window_work").Progress(bpy.context) as progress:
        progress.show("hands.bin: 25 %", 0.25)
        status_bar.draw(header, bpy.context)
    assert drawn == [{"text": "hands.bin: 25 %", "translate": False, "factor": 0.25}] and status_bar.draw == usual
