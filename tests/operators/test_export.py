"""Exporting through the operators: which object, which Actions, into what; whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_nothing_to_export_is_said(bpy: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="the scene has no armature"):
        bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "out.bin"))


def test_the_only_armature_is_found_without_selection(bpy: Any, recording: Path, tmp_path: Path) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    for thing in bpy.context.view_layer.objects:
        thing.select_set(False)
    bpy.context.view_layer.objects.active = None
    bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "out.bin"))
    assert (tmp_path / "out.bin").read_bytes() == recording.read_bytes()


def test_the_active_armature_comes_first(bpy: Any, data: Path, tmp_path: Path) -> None:
    names = ("v11_cam1_hand1_gaze1", "v11_cam0_hand1_gaze0")
    for name in names:
        bpy.ops.import_anim.mrtk(filepath=str(data / "mrtk" / "v11_flags" / f"{name}.bin"), target="NEW")
    for name in names:
        for thing in bpy.context.view_layer.objects:
            thing.select_set(thing.name == name)
        bpy.context.view_layer.objects.active = bpy.data.objects[name]
        bpy.ops.export_anim.mrtk(filepath=str(tmp_path / f"{name}.bin"))
        written = (tmp_path / f"{name}.bin").read_bytes()
        assert written == (data / "mrtk" / "v11_flags" / f"{name}.bin").read_bytes()


def test_a_collection_exporter_exports_its_own(bpy: Any, recording: Path, tmp_path: Path) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    hands = bpy.data.collections.new("Hands")
    bpy.context.scene.collection.children.link(hands)
    hands.objects.link(bpy.data.objects[recording.stem])
    bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "out.bin"), collection="Hands")
    assert (tmp_path / "out.bin").read_bytes() == recording.read_bytes()


def test_a_timer_has_no_window(bpy: Any, data: Path, tmp_path: Path) -> None:
    """What Blender calls by itself, such as a script's timer, has no window and therefore no selected objects."""
    source, out = data / "w3d" / "g01_raw_trim_vis.w3d", tmp_path / "out.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    with bpy.context.temp_override(window=None):
        assert bpy.ops.export_anim.w3d(filepath=str(out), sampling="BAKE") == {"FINISHED"}
    assert out.is_file()


def test_versions(bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(data / "mrtk" / "v10_identity_values.bin"))
    bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "new.bin"), version="1.1")
    mrtk = part("io_formats.mrtk")
    facts = mrtk.describe(mrtk.read((tmp_path / "new.bin").read_bytes()))
    assert facts["version"] == "1.1" and facts["joints"] == 52


def test_a_refusal_leaves_the_old_file(bpy: Any, recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bin"
    out.write_bytes(b"the old file")
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    with pytest.raises(RuntimeError, match=r"cannot hold the gaze; choose version 1\.1"):
        bpy.ops.export_anim.mrtk(filepath=str(out), version="1.0")
    assert out.read_bytes() == b"the old file"
    assert [path.name for path in tmp_path.iterdir()] == ["out.bin"]


def test_a_missing_folder_is_a_sentence(bpy: Any, recording: Path, tmp_path: Path) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    with pytest.raises(RuntimeError, match="the folder does not exist"):
        bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "none" / "out.bin"))


def test_all_actions_to_files_of_their_own(bpy: Any, data: Path, tmp_path: Path, reports: list[str]) -> None:
    names = [path.name for path in sorted((data / "w3d").glob("g04_ad_*.w3d"))]
    bpy.ops.import_anim.w3d(directory=str(data / "w3d"), files=[{"name": name} for name in names])
    actions = sorted(action.name for action in bpy.data.actions)
    assert len(actions) == len(names)
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "x.w3d"), actions="ALL")
    assert len(list(tmp_path.glob("*.w3d"))) == len(names)
    originals = {(data / "w3d" / name).read_bytes() for name in names}
    assert {path.read_bytes() for path in tmp_path.glob("*.w3d")} == originals


def test_several_animations_of_one_file(bpy: Any, data: Path, tmp_path: Path) -> None:
    source = data / "w3d" / "h04_multi_unknown.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    assert len(bpy.data.actions) == 2
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "out.w3d"))
    assert (tmp_path / "out.w3d").read_bytes() == source.read_bytes()


def test_saving_into_a_file_keeps_the_rest_of_it(
    bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target.w3d"
    shutil.copy(data / "w3d" / "h04_multi_unknown.w3d", target)
    bpy.ops.import_anim.w3d(filepath=str(target))
    first = bpy.context.view_layer.objects.active.animation_data.action
    _, curve = next(part("scene.actions").every_curve(first))
    curve.keyframe_points[0].co[1] += 0.25
    first.update_tag()
    bpy.ops.export_anim.w3d(filepath=str(target), into_existing=True)
    w3d = part("io_formats.w3d")
    old = w3d.read((data / "w3d" / "h04_multi_unknown.w3d").read_bytes())
    new = w3d.read(target.read_bytes())
    same = [part("io_formats.compare").equal(a, b) for a, b in zip(old.parts, new.parts, strict=True)]
    assert same.count(False) == 1


def test_changes_of_every_animation_of_the_file_are_written(
    bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path
) -> None:
    source = data / "w3d" / "h04_multi_unknown.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    for action in bpy.data.actions:
        _, curve = next(part("scene.actions").every_curve(action))
        curve.keyframe_points[0].co[1] += 0.25
        action.update_tag()
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "out.w3d"))
    w3d, equal = part("io_formats.w3d"), part("io_formats.compare").equal
    old, new = w3d.read(source.read_bytes()), w3d.read((tmp_path / "out.w3d").read_bytes())
    changed = [a for a, b in zip(old.parts, new.parts, strict=True) if not equal(a, b)]
    assert changed == old.animations


def test_equal_names_get_files_of_their_own(bpy: Any, data: Path, tmp_path: Path) -> None:
    source = str(data / "w3d" / "g01_raw_trim_vis.w3d")
    bpy.ops.import_anim.w3d(filepath=source)
    bpy.ops.import_anim.w3d(filepath=source, target="SELECTED")
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "x.w3d"), actions="ALL")
    assert len(list(tmp_path.glob("*.w3d"))) == 2


def test_no_default_limit_stands_in_the_way_of_an_export(
    bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
