"""`blender --command anim_curves`: every option with every command is looked at, or refused by its name."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from in_blender import animate, choose

from tests.operators.test_things import add_rig
from tests.support.option_reads import flag_and_value, key_of, trace

pytestmark = pytest.mark.once  # of one Blender as of any
FILES = {
    "mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
    "w3d": "w3d_models/m02_wlk.w3d",
    "animx": "animx/08_walk.animj",
}


def made_in_blender(bpy: Any, path: Path) -> Path:
    """A .blend with an armature that was never imported, a custom property of it keyed as well."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = add_rig(bpy, "Hero")
    bone = rig.pose.bones[0]
    animate(bone, '["mood"]', {3: 0.5})
    choose(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.mark.parametrize("name", FILES)
def test_import_and_export_look_at_all_that_they_offer(
    bpy: Any, command: Any, part: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    package = getattr(part("io_formats"), name).FORMAT
    classes = (package.import_options, package.export_options)
    read = trace(monkeypatch, *classes)
    source = data / FILES[name]
    blend = tmp_path / f"{source.stem}.blend"
    for flags in (["--rate", "custom"], ["--into", blend, "--target", "selected", "--overwrite"]):
        assert command("import", source, "--output", tmp_path, *flags) == 0
    assert (
        command(
            "import", source, "--output", tmp_path / "reworked", "--smooth", "--thin", "--resample", "--cyclic", "close"
        )
        == 0
    )
    for flags in ([], ["--no-use-source"], ["--scale", "2"]):
        flags += ["--version", "1.0", "--drop-gaze"] if name == "mrtk" and flags else []
        assert command("export", blend, "--output", tmp_path / "out", "--overwrite", *flags) == 0
    made = made_in_blender(bpy, tmp_path / "made.blend")
    for ending in package.extensions:
        assert command("export", made, "--output", tmp_path / "out", "--to", ending) == 0
    offered = {key_of(kind, declared.name) for kind in classes for declared in fields(kind)}
    # what follows a joint, the rest pose of another rig, and meshes are looked at where there are such
    elsewhere = {key_of(classes[0], option) for option in ("fit", "follow_place", "select_models")}
    assert sorted(offered - read - elsewhere) == []


@pytest.mark.parametrize("name", FILES)
def test_options_of_other_formats_and_of_the_other_direction_are_refused(
    command: Any, part: Any, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    own, source = getattr(part("io_formats"), name).FORMAT, data / FILES[name]
    assert command("import", source, "--output", tmp_path) == 0
    files, sides = {"import": source, "export": tmp_path / f"{source.stem}.blend"}, ("import_options", "export_options")

    def offered(side: str, *formats: Any) -> dict[str, Any]:
        return {declared.name: declared for package in formats for declared in fields(getattr(package, side))}

    def refused(job: str, declared: Any) -> tuple[int, str]:
        flags = flag_and_value(declared)
        code = command(job, files[job], "--output", tmp_path / "none", *flags)
        return code, capsys.readouterr().err.partition(flags[0])[2]

    for job, (mine, theirs) in zip(files, (sides, sides[::-1])):
        known = offered(mine, *part("io_formats").FORMATS)
        for option in sorted(set(known) - set(offered(mine, own))):
            code, said = refused(job, known[option])
            assert code == 1 and f"is not an option for {own.title}" in said, option
        for option in sorted(set(offered(theirs, own)) - set(known)):
            assert refused(job, offered(theirs, own)[option])[0] == 2, option
    assert not (tmp_path / "none").exists()


def test_an_axis_with_a_sign_is_a_value(command: Any, data: Path, tmp_path: Path) -> None:
    assert command("import", data / FILES["w3d"], "--output", tmp_path, "--forward", "-X") == 0


@pytest.mark.parametrize("flag", ["--target", "--nla", "--sampling", "--use-source"])
def test_convert_refuses_what_is_about_a_scene(
    command: Any, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    value = {"--target": ["new"], "--nla": ["stash"], "--sampling": ["bake"]}.get(flag, [])
    assert command("convert", data / FILES["w3d"], "--to", ".animj", "--output", tmp_path, flag, *value) == 1
    assert f"{flag} is an option for scenes in Blender" in capsys.readouterr().err
