"""Exporting through the operators: which object, which Actions, into what; whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bodies
import pytest
from animj_keys import keys_of
from in_blender import add, add_armature, animate, bag_of, chain, choose

Part = Callable[[str], Any]


def test_a_timer_has_no_window(bpy: Any, data: Path, tmp_path: Path) -> None:
    """What Blender calls by itself, such as a script's timer, has no window and therefore no selected objects."""
    source, out = data / "w3d" / "g01_raw_trim_vis.w3d", tmp_path / "out.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    with bpy.context.temp_override(window=None):
        assert bpy.ops.export_anim.w3d(filepath=str(out), sampling="BAKE") == {"FINISHED"}
    assert out.is_file()


def test_what_a_script_overrides_counts_in_place_of_the_selection(bpy: Any, data: Path, tmp_path: Path) -> None:
    """As Blender's own operators take it: exported and imported onto."""
    source, out = data / "w3d" / "g01_raw_trim_vis.w3d", tmp_path / "out.w3d"
    rigs = []
    for _ in range(2):
        bpy.ops.import_anim.w3d(filepath=str(source), target="NEW")
        rigs.append(bpy.context.object)
    meant, chosen = rigs
    chosen.animation_data.action = None
    before = meant.animation_data.action
    with bpy.context.temp_override(active_object=meant, selected_objects=[meant]):
        bpy.ops.export_anim.w3d(filepath=str(out))
        bpy.ops.import_anim.w3d(filepath=str(source))
        bpy.ops.anim_curves.smooth()
    assert out.read_bytes() == source.read_bytes()
    assert meant.animation_data.action != before and chosen.animation_data.action is None
    assert bpy.context.object == chosen


def test_all_actions_to_files_of_their_own(bpy: Any, data: Path, tmp_path: Path, reports: list[str]) -> None:
    names = [path.name for path in sorted((data / "w3d").glob("g04_ad_*.w3d"))]
    for name in names:  # each onto what the first has made and selected
        bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / name), name_prefix="my-")
    actions = sorted(action.name for action in bpy.data.actions)
    assert len(actions) == len(names)
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "x.w3d"), actions="ALL")
    assert len(list(tmp_path.glob("*.w3d"))) == len(names) and not list(tmp_path.glob("my-*"))
    originals = {(data / "w3d" / name).read_bytes() for name in names}
    assert {path.read_bytes() for path in tmp_path.glob("*.w3d")} == originals


def test_an_imported_animation_without_curves_is_one_of_all_actions(bpy: Any, data: Path, tmp_path: Path) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(data / "mrtk" / "v10_empty.bin"))
    bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "x.bin"), actions="ALL")
    (made,) = tmp_path.iterdir()
    assert made.read_bytes() == (data / "mrtk" / "v10_empty.bin").read_bytes()


def test_an_edit_on_an_armature_of_another_size_changes_one_channel(
    bpy: Any, part: Part, data: Path, tmp_path: Path
) -> None:
    """Of an import onto that armature, as of the one that made it."""
    source, read = data / "w3d" / "g01_raw_trim_vis.w3d", part("io_formats.w3d").read
    for target in ("NEW", "SELECTED"):
        bpy.ops.import_anim.w3d(filepath=str(source), scale=2.0, target=target)
    curves = part("scene.actions").fcurves_of(bpy.context.object)
    next(each for each in curves if each.data_path.endswith("location")).keyframe_points[0].co.y += 0.5
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "out.w3d"))
    (old,), (new,) = (read(path.read_bytes()).animations for path in (source, tmp_path / "out.w3d"))
    assert [a == b for a, b in zip(old.parts, new.parts, strict=True)].count(False) == 1


def test_no_default_limit_stands_in_the_way_of_an_export(
    bpy: Any, part: Part, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a higher limit let in goes out again, also into a large file and with a large skeleton."""
    w3d = part("io_formats").w3d
    source, target = data / "w3d" / "g09_ad_20b_200f.w3d", tmp_path / "g09.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    real, limits = w3d.FORMAT.read, []

    def read(data: bytes, *, limit: int = 100, **rest: Any) -> Any:
        limits.append(limit)
        return real(data, limit=limit, **rest)

    monkeypatch.setattr(w3d.FORMAT, "read", read)
    for options in ({"use_source": False}, {"into_existing": True}, {"skeleton": str(source)}):
        bpy.context.view_layer.objects.active.location.x += 1.0
        assert bpy.ops.export_anim.w3d(filepath=str(target), **options) == {"FINISHED"}
    assert min(limits) > source.stat().st_size


def edit(part: Part, action: Any) -> None:
    """Move the first key of an Action, as a person does by hand."""
    _, curve = next(part("scene.actions").every_curve(action))
    curve.keyframe_points[0].co[1] += 0.25
    action.update_tag()


def add_a_face(bpy: Any) -> tuple[Any, Any]:
    """A mesh and its shape key."""
    face = add("Face", bpy.data.meshes.new("Face"))
    face.data.from_pydata([(0, 0, 0)], [], [])
    face.shape_key_add(name="Basis")
    return face, face.shape_key_add(name="Smile")


def test_an_action_alone_lasts_as_long_as_its_own_keys_and_nothing_else_plays(bpy: Any, tmp_path: Path) -> None:
    """Neither the object beside its shape key, nor the bones of a figure on which no bone carries it.

    But what a constraint lets follow what plays goes into the same file.
    """
    face, smile = add_a_face(bpy)
    face.parent = figure = add_armature("Figure", chain("Hips"))
    for owner, name in ((face, "Move"), (smile.id_data, "Grin"), (figure, "Dance")):
        bag_of(owner, name)
    animate(figure.pose.bones["Hips"], "location.x", {1: 0.0, 300: 1.0})
    animate(face, "location.x", {50: 0.0, 62: 1.0})
    animate(smile, "value", {100: 0.0, 124: 1.0})
    shadow = add("Shadow")
    shadow.constraints.new("COPY_LOCATION").target = face
    choose(face, shadow)
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "x.animj"), actions="ALL", strict=True)
    files = {path.stem: path for path in tmp_path.glob("*.animj")}
    lengths = {name: json.loads(path.read_text(encoding="utf-8"))["globalDuration"] for name, path in files.items()}
    assert lengths == {"Move": 0.5, "Grin": 1.0}
    moving = {
        name: {" ".join(field) for field, keys in keys_of(path).items() if keys[0]["value"] != keys[-1]["value"]}
        for name, path in files.items()
    }
    assert moving == {"Move": {"Face Position", "Shadow Position"}, "Grin": {"Face BlendShape.Smile"}}


def send_all(bpy: Any, folder: Path) -> Path:
    """Write all Actions as AnimJ into a new folder; the folder."""
    folder.mkdir()
    bpy.ops.export_anim.animx(filepath=str(folder / "x.animj"), actions="ALL")
    return folder


def import_a_face(bpy: Any, tmp_path: Path) -> None:
    """An AnimJ file that moves a mesh and its shape key, imported onto them."""
    face, smile = add_a_face(bpy)
    animate(face, "location.x", {0: 0.0, 24: 1.0})
    animate(smile, "value", {0: 0.0, 24: 1.0})
    source = tmp_path / "talk.animj"
    bpy.ops.export_anim.animx(filepath=str(source))
    face.animation_data_clear()
    face.data.shape_keys.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    bpy.ops.import_anim.animx(filepath=str(source), target="BY_NAME")


@pytest.mark.parametrize("copied", [(), ("OBJECT",), ("KEY",), ("OBJECT", "KEY")])
def test_parts_of_one_animation_go_together_and_copies_apart(
    bpy: Any, part: Part, tmp_path: Path, copied: tuple[str, ...]
) -> None:
    import_a_face(bpy, tmp_path)
    source, actions = tmp_path / "talk.animj", list(bpy.data.actions)
    whole = keys_of(source)
    assert len(whole) == 2 and len(actions) == (1 if part("scene.actions").SLOTTED else 2)
    for action in actions:
        if copied and (len(actions) == 1 or action.id_root in copied):
            edit(part, action.copy())
    out = send_all(bpy, tmp_path / "out")
    files = sorted(out.iterdir(), key=lambda path: path.stem)
    assert len(files) == (2 if copied else 1), [path.name for path in files]
    assert [path for path in files if path.read_bytes() == source.read_bytes()] == files[:1]
    assert all(keys_of(path).keys() == whole.keys() for path in files)


def test_both_of_two_imports_of_a_file_are_written(bpy: Any, tmp_path: Path) -> None:
    import_a_face(bpy, tmp_path)
    source = tmp_path / "talk.animj"
    bpy.ops.import_anim.animx(filepath=str(source), target="BY_NAME")
    written = send_all(bpy, tmp_path / "out").iterdir()
    assert [path.read_bytes() == source.read_bytes() for path in written] == [True, True]


def test_an_edited_copy_is_not_written_into_the_file_of_another(
    bpy: Any, part: Part, data: Path, tmp_path: Path
) -> None:
    """The file has two animations; a copy of the second was edited, the second was not."""
    source = data / "w3d" / "h04_multi_unknown.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    first = bpy.context.view_layer.objects.active.animation_data.action
    second = next(action for action in bpy.data.actions if action != first)
    edit(part, second.copy())
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "out.w3d"))
    assert (tmp_path / "out.w3d").read_bytes() == source.read_bytes()


def move_both(bpy: Any, path: Path, far: float) -> None:
    """Write an AnimJ file that moves the objects Cube and Ball, and leave no Action of it."""
    for name in ("Cube", "Ball"):
        animate(bpy.data.objects.get(name) or add(name), "location.x", {0: 0.0, 24: far})
    bpy.ops.export_anim.animx(filepath=str(path))
    for name in ("Cube", "Ball"):
        bpy.data.objects[name].animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))


def ways(path: Path) -> dict[str, float]:
    """How far each node of an AnimJ file goes along x, which points the other way there."""
    return {node: -keys[-1]["value"]["x"] for (node, name), keys in keys_of(path).items() if name == "Position"}


def test_duplicated_objects_with_copied_actions_are_not_the_files(bpy: Any, tmp_path: Path) -> None:
    move_both(bpy, tmp_path / "in.animj", 1.0)
    bpy.ops.import_anim.animx(filepath=str(tmp_path / "in.animj"), target="BY_NAME")
    originals = [bpy.data.objects[name] for name in ("Cube", "Ball")]
    copies = {action: action.copy() for action in bpy.data.actions}
    for thing in originals:
        twin = thing.copy()
        bpy.context.scene.collection.objects.link(twin)
        twin.animation_data.action = copies[thing.animation_data.action]
        if hasattr(twin.animation_data, "action_slot"):
            twin.animation_data.action_slot = next(
                slot for slot in twin.animation_data.action.slots if slot.name_display == thing.name
            )
        thing.select_set(True)
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "out.animj"))
    assert (tmp_path / "out.animj").read_bytes() == (tmp_path / "in.animj").read_bytes()


def test_a_copy_that_is_chosen_beside_the_untouched_original_is_written(bpy: Any, tmp_path: Path) -> None:
    """Each from its own Action, which say the same: the file's own bytes know one of them alone."""
    move_both(bpy, tmp_path / "in.animj", 1.0)
    bpy.data.batch_remove(list(bpy.data.objects))
    bpy.ops.import_anim.animx(filepath=str(tmp_path / "in.animj"))
    rig = bpy.context.view_layer.objects.active
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.animation_data.action = rig.animation_data.action.copy()
    if hasattr(twin.animation_data, "action_slot"):
        twin.animation_data.action_slot = twin.animation_data.action.slots[0]
    rig.select_set(True)
    twin.select_set(True)
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "out.animj"))
    assert ways(tmp_path / "out.animj") == {"Cube": 1.0, "Ball": 1.0, "Cube.001": 1.0, "Ball.001": 1.0}


def test_an_animation_that_4_2_made_of_several_actions_is_one_file_in_every_blender(
    bpy: Any, part: Part, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Blender 4.2.23 wrote: an import onto Cube and Ball, of which Ball was changed; nothing plays it any more."""
    with bpy.data.libraries.load(str(data / "blends" / "two_objects_4_2.blend")) as (there, here):
        here.objects, here.actions = there.objects, there.actions
    for thing in bpy.data.objects:
        bpy.context.scene.collection.objects.link(thing)
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "x.animj"), actions="ALL")
    assert [path.name for path in tmp_path.iterdir()] == ["first.animj"]
    assert ways(tmp_path / "first.animj") == {"Cube": 1.0, "Ball": 9.0}
    monkeypatch.chdir(tmp_path)  # where the file was for that Blender
    bpy.context.view_layer.objects.active = cube = bpy.data.objects["Cube"]
    part("scene.actions").assign(cube, bpy.data.actions["first"])
    assert bpy.ops.anim_curves.reload() == {"FINISHED"} and bpy.data.actions[0].name == "first"


def test_an_animation_of_several_objects_has_the_name_that_a_person_gave_it(bpy: Any, tmp_path: Path) -> None:
    """Blender 4.2 has further Actions in it, which then come before it in the alphabet."""
    move_both(bpy, tmp_path / "in.animj", 1.0)
    bpy.ops.import_anim.animx(filepath=str(tmp_path / "in.animj"), target="BY_NAME", name_from="FILE")
    bpy.data.actions["in"].name = "Renamed"
    out = send_all(bpy, tmp_path / "out")
    assert [path.name for path in out.iterdir()] == ["Renamed.animj"]
    assert json.loads((out / "Renamed.animj").read_text(encoding="utf-8"))["name"] == "Renamed"


@pytest.mark.parametrize("renamed", ["Cube", "Ball"])
def test_a_renamed_object_keeps_what_it_does_not_play(bpy: Any, tmp_path: Path, renamed: str) -> None:
    """Two files move the same two objects; only the second plays, and one object has another name since.

    Of an Action that nothing plays Blender 4.2 knows by the old name alone whom it was made for: it stays the file's.
    """
    sources = [tmp_path / "first.animj", tmp_path / "second.animj"]
    for far, source in enumerate(sources, 1):
        move_both(bpy, source, float(far))
    for source in sources:
        bpy.ops.import_anim.animx(filepath=str(source), target="BY_NAME", name_from="FILE")
    bpy.data.objects[renamed].name = "Renamed"
    out = send_all(bpy, tmp_path / "out")
    wanted = {path.name: ways(path) for path in sources}
    slotted = "slots" in bpy.types.Action.bl_rna.properties
    for name, nodes in wanted.items():
        if slotted or (name, renamed) != ("first.animj", "Ball"):
            nodes["Renamed"] = nodes.pop(renamed)
    assert {path.name: ways(path) for path in out.iterdir()} == wanted


@pytest.fixture
def said(bpy: Any, part: Part) -> Callable[[], list[str]]:
    """What the panel Last Export draws, which is the first of the sidebar."""
    panels = part("operators.panels")
    first, *others = (panel for panel in panels.CLASSES if panel.bl_space_type == "VIEW_3D")

    def drawn() -> list[str]:
        assert [panel.bl_label for panel in (first, *others[:2])] == ["Last Export", "Take", "Origin"]
        if not first.poll(bpy.context):
            return []
        told: list[str] = []
        button = SimpleNamespace(text="")
        layout = SimpleNamespace(operator=lambda *_, **__: button)
        layout.column = lambda **_: SimpleNamespace(label=lambda text, **_: told.append(text))
        type("Drawn", (panels._ExportPanel,), {"layout": layout})().draw(bpy.context)
        assert button.text == "Export Report"
        return [" ".join(told)]

    return drawn


def test_a_key_of_all_channels_warns_of_no_scale_where_it_is_1(
    bpy: Any, said: Callable[[], list[str]], recording: Path, tmp_path: Path
) -> None:
    """The key I has scale among its channels from Blender 4.1 on; what is warned of stands in the sidebar."""
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    finger = bpy.context.object.pose.bones["IndexKnuckle.L"]
    for scale, told in ((1.0, False), (1.5, True)):
        animate(finger, "scale", {5: (scale,) * 3})
        bpy.ops.export_anim.mrtk(filepath=str(tmp_path / f"{scale}.bin"))
        assert ["do not hold scale" in line for line in said()] == [told]


def test_of_several_files_the_sidebar_has_names_and_the_worst_figure(
    bpy: Any, part: Part, said: Callable[[], list[str]]
) -> None:
    messages, reporting, formats = part("pipeline.messages"), part("operators.reporting"), part("io_formats").FORMATS
    report, exported = part("io_formats.errors").Report, part("pipeline.results").Exported
    written = []
    for name, place, degrees in (("a", 0.5, 0.01), ("b", 0.02, 0.3), ("c", 0.1, 0.1), ("d", 0.0, 0.0)):
        written.append(exported(Path(f"{name}.bin"), formats[0], report(), {}, exact=False))
        written[-1].report.note(messages.PLAYED_BACK, moments=26, place=place, degrees=degrees)
    heard: list[str] = []
    operator = SimpleNamespace(report=lambda _, sentence: heard.append(sentence))
    reporting.tell_exports(operator, bpy.context, written)
    (line,) = said()
    figure = "Played back at 104 moments: within 0.5 mm and 0.3 degrees of the scene"
    assert line.endswith(f", 4 files written a.bin, b.bin, c.bin and 1 more {figure}"), line
    numbers = {"place": 1.0, "degrees": 2.0, "frame": 3, "moments": 26, "nodes": 1}
    for number, times in ((0, 2.0), (1, 5.0), (2, 1.0)):
        written[number] = written[number]._replace(check=SimpleNamespace(badness=lambda times=times: times))
        written[number].report.warn(messages.PLAYED_OFF, name="Hip", **numbers)
    reporting.tell_exports(operator, bpy.context, written[:3])
    (line,) = said()
    assert "b.bin: Hip: the file plays it off by up to 1 mm" in line, line


def test_an_export_counts_the_pivots_that_the_file_has(
    bpy: Any, part: Part, said: Callable[[], list[str]], tmp_path: Path
) -> None:
    """With the root, which is no bone of a person's rig: the same file told one more when it came back."""
    rig, _ = bodies.body(bpy, "Unity", 2, a_pose=False, aligned=False)
    animate(rig.pose.bones[0], "location.x", {1: 1, 9: 9})
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "hero.w3d"))
    (skeleton,) = part("io_formats.w3d").read((tmp_path / "hero.w3d").read_bytes()).hierarchies
    assert f"{len(skeleton.records)} pivots" in said()[0]


@pytest.mark.parametrize("kind", ["MESH", "ARMATURE"])
def test_linked_objects_of_one_name_are_refused(bpy: Any, tmp_path: Path, kind: str) -> None:
    """Their names tell them apart in their own files alone; one of them is written."""
    data = bpy.data.meshes.new("Same") if kind == "MESH" else bpy.data.armatures.new("Same")
    thing = add("Same", data)
    animate(thing, "location.x", {1: 1, 5: 5})
    for name in ("one", "two"):
        bpy.data.libraries.write(str(tmp_path / f"{name}.blend"), {thing})
    bpy.data.objects.remove(thing)
    for name in ("one", "two"):
        with bpy.data.libraries.load(str(tmp_path / f"{name}.blend"), link=True) as (_, here):
            here.objects = ["Same"]
        bpy.context.scene.collection.objects.link(here.objects[0])
        here.objects[0].select_set(True)
    with pytest.raises(RuntimeError, match="two of the objects are called Same") as caught:
        bpy.ops.export_anim.animx(filepath=str(tmp_path / "out.animj"))
    assert "Traceback" not in str(caught.value)
    bpy.context.scene.objects[0].select_set(False)
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "out.animj")) == {"FINISHED"}
