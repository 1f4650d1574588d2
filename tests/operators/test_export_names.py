"""Exports of all Actions of a .blend in a build: names from a pattern, which objects, collection exporters."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from in_blender import animate, choose

from tests.operators.test_things import ENDINGS, FORMATS, add_rig

EVERY_FORMAT = pytest.mark.parametrize("name", FORMATS)


def two_actors(bpy: Any) -> tuple[Any, Any]:
    """Two rigs with a walk and a run each, as every character of a game has them; nothing is selected."""
    rigs = tuple(add_rig(bpy, name, keyed=False, bones=("Wrist.L", f"{name} Palm")) for name in ("Hero", "Villain"))
    for rig in rigs:
        for motion in ("Walk", "Run"):
            rig.animation_data_create().action = bpy.data.actions.new(f"{motion}|{rig.name}")
            for bone in rig.pose.bones:
                animate(bone, "location.y", {0: 0.0, 24: 1.0})
            rig.animation_data.action.use_fake_user = True
    choose()
    return rigs


def saved(bpy: Any, path: Path) -> Path:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def written(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


@EVERY_FORMAT
def test_every_action_of_every_armature_is_named_by_the_pattern(
    bpy: Any, command: Callable[..., int], tmp_path: Path, name: str
) -> None:
    two_actors(bpy)
    blend, out = saved(bpy, tmp_path / "cast.blend"), tmp_path / "out"
    flags = ["--everything", "--several", "files", "--actions", "all", "--file-names", "{blend}_{object}_{action}"]
    assert command("export", blend, "--to", ENDINGS[name], *flags, "--output", out) == 0
    wanted = [f"cast_{rig}_{motion}_{rig}" for rig in ("Hero", "Villain") for motion in ("Walk", "Run")]
    assert written(out) == sorted(f"{one}{ENDINGS[name]}" for one in wanted)


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("{object}", ["Walk|Hero of Hero", "Run|Hero of Hero", "Hero.w3d"]),
        ("{clip}", ["Unknown field {clip} in the file name pattern; use one of {action}, {object}, {blend}"]),
    ],
)
def test_what_has_no_name_of_its_own_is_refused_before_anything_is_written(
    bpy: Any, command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], pattern: str, told: Any
) -> None:
    two_actors(bpy)
    blend, out = saved(bpy, tmp_path / "cast.blend"), tmp_path / "out"
    flags = ["--everything", "--several", "files", "--actions", "all", "--file-names", pattern, "--overwrite"]
    assert command("export", blend, "--to", ".w3d", *flags, "--output", out) == 1
    said = capsys.readouterr().err
    assert all(part in said for part in told) and written(out) == []


def test_unsafe_letters_that_make_two_names_one_are_a_collision(bpy: Any, tmp_path: Path) -> None:
    rig = two_actors(bpy)[0]
    for old, new in (("Walk|Hero", "a:b"), ("Run|Hero", "A?B")):
        bpy.data.actions[old].name = new
    choose(rig)
    with pytest.raises(RuntimeError, match=r"(a:b of Hero and A\?B of Hero|A\?B of Hero and a:b of Hero)"):
        bpy.ops.export_anim.animx(filepath=str(tmp_path / "x.animj"), actions="ALL", file_names="{action}")
    assert written(tmp_path) == []


def test_an_untouched_import_under_a_patterns_name_is_the_file_itself(
    bpy: Any, command: Callable[..., int], data: Path, tmp_path: Path
) -> None:
    source = data / "mrtk" / "v11_flags" / "v11_cam1_hand1_gaze1.bin"
    assert command("import", source, "--output", tmp_path) == 0
    blend = tmp_path / f"{source.stem}.blend"
    assert command("export", blend, "--file-names", "take_{object}", "--output", tmp_path / "out") == 0
    assert (tmp_path / "out" / f"take_{source.stem}.bin").read_bytes() == source.read_bytes()


@EVERY_FORMAT
def test_a_name_of_another_format_is_refused(bpy: Any, tmp_path: Path, name: str) -> None:
    choose(add_rig(bpy, "Rig", bones=("Wrist.L",)))
    other = tmp_path / f"out{next(ending for ending in ENDINGS.values() if ending != ENDINGS[name])}"
    with pytest.raises(RuntimeError, match=f"{other.name}.*endings .*{ENDINGS[name]}.*change the name"):
        getattr(bpy.ops.export_anim, name)(filepath=str(other))
    assert written(tmp_path) == []


def test_a_file_that_was_imported_under_another_ending_keeps_it(bpy: Any, data: Path, tmp_path: Path) -> None:
    """The window offers such a name, with a number where the file is there."""
    taken = tmp_path / "walk.BIN"
    taken.write_bytes((data / "animx" / "03_curve_linear_all.animj").read_bytes())
    bpy.ops.import_anim.animx(filepath=str(taken))
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "walk_1.bin")) == {"FINISHED"}
    assert (tmp_path / "walk_1.bin").read_bytes() == taken.read_bytes()


@pytest.mark.parametrize(
    ("flags", "names"), [(["--collection", "Cast"], ["Villain"]), (["--object", "Hero"], ["Hero"])]
)
def test_objects_are_named_on_the_command_line(
    bpy: Any, command: Callable[..., int], tmp_path: Path, flags: list[str], names: list[str]
) -> None:
    _, villain = two_actors(bpy)
    cast, inner = bpy.data.collections.new("Cast"), bpy.data.collections.new("Inner")
    bpy.context.scene.collection.children.link(cast)
    cast.children.link(inner)
    inner.objects.link(villain)
    blend, out = saved(bpy, tmp_path / "cast.blend"), tmp_path / "out"
    call = ("export", blend, "--to", ".w3d", *flags, "--file-names", "{object}", "--output", out)
    # a file that is there is left alone, and saved into where that is asked for
    assert [command(*call), command(*call), command(*call, "--into-existing")] == [0, 1, 0]
    assert written(out) == [f"{name}.w3d" for name in names]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--collection", "None"], "there is no collection named None"),
        (["--object", "Nobody"], "no object named Nobody"),
        (["--collection", "Props", "--to", ".w3d"], "no armature"),
    ],
)
def test_what_is_not_there_is_not_replaced_by_another(
    bpy: Any, command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: Any, told: str
) -> None:
    two_actors(bpy)
    props = bpy.data.collections.new("Props")
    bpy.context.scene.collection.children.link(props)
    props.objects.link(bpy.data.objects.new("Prop", None))
    assert command("export", saved(bpy, tmp_path / "cast.blend"), *flags, "--output", tmp_path / "out") == 1
    assert told in capsys.readouterr().err and written(tmp_path / "out") == []


# --- Collection exporters -------------------------------------------------------------------------------------------


def exporter_of(bpy: Any, name: str, path: Path, **options: Any) -> Any:
    """A collection with both actors and an exporter of ours, as the Properties editor makes it; what exports it."""
    cast = bpy.data.collections.new("Cast")
    bpy.context.scene.collection.children.link(cast)
    for rig in two_actors(bpy):
        cast.objects.link(rig)
    layer = bpy.context.view_layer.layer_collection.children["Cast"]
    bpy.context.view_layer.active_layer_collection = layer
    handler = next(
        one
        for one in bpy.types.FileHandler.__subclasses__()
        if getattr(one, "bl_export_operator", "") == f"export_anim.{name}"
    )
    bpy.ops.collection.exporter_add(name=handler.bl_idname)
    settings = cast.exporters[0].export_properties
    settings.filepath = str(path)
    if hasattr(cast.exporters[0], "filepath"):
        cast.exporters[0].filepath = str(path)
    for key, value in options.items():
        setattr(settings, key, value)
    return lambda: bpy.ops.collection.exporter_export(index=0)


@EVERY_FORMAT
def test_a_collection_exports_all_actions_of_all_its_armatures(bpy: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / f"x{ENDINGS[name]}"
    options = {"actions": "ALL", "several": "FILES", "file_names": "{blend} {object}-{action}"}
    run = exporter_of(bpy, name, path, **options)
    assert run() == {"FINISHED"}
    wanted = [
        f"untitled {rig}-{motion}_{rig}{ENDINGS[name]}" for rig in ("Hero", "Villain") for motion in ("Walk", "Run")
    ]
    assert written(tmp_path) == sorted(wanted)


def test_a_collection_replaces_what_it_wrote_only_where_that_is_switched_on(bpy: Any, tmp_path: Path) -> None:
    run = exporter_of(bpy, "animx", tmp_path / "x.animj", actions="ALL", several="FILES")
    assert run() == {"FINISHED"}
    for path in tmp_path.iterdir():
        path.write_text("a stranger's", encoding="utf-8")
    with suppress(RuntimeError):
        assert run() == {"CANCELLED"}
    assert {path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"a stranger's"}
    bpy.data.collections["Cast"].exporters[0].export_properties.overwrite = True
    assert run() == {"FINISHED"}
    assert "a stranger's" not in {path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}


def test_names_that_become_one_or_that_of_a_device_have_files_of_their_own(bpy: Any, tmp_path: Path) -> None:
    """Windows writes to the device whatever is written to con.w3d; two names are one in a file name."""
    rig = add_rig(bpy, "Rig")
    names = ("CON", "A*", "A_-2", "A|", "a?", "歩く ß.1")
    for action in list(bpy.data.actions):
        action.name = names[0]
        for name in names[1:]:
            action.copy().name = name
    choose(rig)
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "x.animj"), actions="ALL") == {"FINISHED"}
    assert len({*map(str.lower, written(tmp_path))}) == len(names)
    assert {"CON_.animj", "歩く ß.1.animj"} <= {*written(tmp_path)}, "what every system takes stays"
