"""The Texts that keep imported files go with the last Action that came from them, and never before."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from in_blender import push_down


def sources(bpy: Any) -> list[str]:
    return sorted(text.name for text in bpy.data.texts if text.name.startswith("Source of "))


@pytest.fixture
def walk(data: Path, tmp_path: Path) -> Path:
    """A W3D animation with its skeleton in a file beside it, which is kept too."""
    for name in ("g02_tc_default.w3d", "g02_skl.w3d"):
        shutil.copy(data / "w3d" / name, tmp_path / name)
    return tmp_path / "g02_tc_default.w3d"


def test_deleted_imports_leave_no_text(bpy: Any, recording: Path, walk: Path, data: Path, tmp_path: Path) -> None:
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d_models" / "m06_single.w3d"))  # of which nothing is animated
    for _ in range(3):  # each of which takes the place of the one before
        bpy.ops.import_anim.mrtk(filepath=str(recording), existing="REPLACE", target="NEW")
    bpy.ops.import_anim.w3d(filepath=str(walk))
    bpy.data.texts.new("notes").write("a person's own")
    path, kept = str(tmp_path / "scene.blend"), sources(bpy)
    assert len(kept) == 4
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert sources(bpy) == kept  # nothing goes while its Action is there
    bpy.data.batch_remove(list(bpy.data.actions))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert sources(bpy) == ["Source of m06_single.w3d"]
    bpy.data.objects.remove(bpy.data.objects["M06_SINGLE"])
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert sources(bpy) == []
    bpy.ops.wm.open_mainfile(filepath=path)
    assert sources(bpy) == [] and "notes" in bpy.data.texts


def test_an_action_that_is_not_saved_takes_its_text_along(bpy: Any, recording: Path, tmp_path: Path) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    for action in bpy.data.actions:
        action.use_fake_user = False
    bpy.data.batch_remove(list(bpy.data.objects))
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert len(sources(bpy)) == 1  # until then the Action can still be given to something
    bpy.ops.wm.open_mainfile(filepath=path)
    assert sources(bpy) == [] and not len(bpy.data.actions)


def clear(bpy: Any, reports: list[str], **chosen: bool) -> tuple[Any, str]:
    """Press the button; what it returns and says."""
    result = bpy.ops.anim_curves.clear_kept(**chosen)
    return result, reports[-1]


def test_the_button_clears_what_deleted_imports_left(bpy: Any, recording: Path, walk: Path, reports: list[str]) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    bpy.ops.import_anim.w3d(filepath=str(walk))
    bpy.data.texts.new("notes").write("a person's own")
    kept = sources(bpy)
    assert clear(bpy, reports) == ({"CANCELLED"}, "Every kept file still belongs to an Action; nothing to clear")
    gone = f"Source of {recording.name}"
    bpy.data.actions.remove(bpy.data.actions[recording.stem])
    size = recording.stat().st_size / 1e3
    assert clear(bpy, reports) == ({"FINISHED"}, f"Cleared 1 kept file ({size:.1f} KB): {gone}")
    assert sources(bpy) == [name for name in kept if name != gone] and "notes" in bpy.data.texts
    bpy.data.batch_remove(list(bpy.data.actions))
    assert clear(bpy, reports)[0] == {"FINISHED"} and sources(bpy) == []


def test_the_button_keeps_what_an_unused_action_needs_unless_that_goes_too(
    bpy: Any, recording: Path, walk: Path, reports: list[str]
) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    bpy.ops.import_anim.w3d(filepath=str(walk))
    rig = bpy.data.objects[recording.stem]
    played = bpy.data.actions[recording.stem]
    unused = [action for action in bpy.data.actions if action != played]
    bpy.data.batch_remove([thing for thing in bpy.data.objects if thing.animation_data and thing != rig])
    own = bpy.data.actions.new("a person's own")
    kept = sources(bpy)
    assert clear(bpy, reports)[0] == {"CANCELLED"} and sources(bpy) == kept
    names = [action.name for action in unused]
    result, told = clear(bpy, reports, unused=True)
    assert result == {"FINISHED"} and all(name in told for name in names)
    assert f", {len(unused)} Action" in told
    assert sources(bpy) == [f"Source of {recording.name}"]
    assert set(bpy.data.actions) == {played, own}


@pytest.mark.parametrize("keeper", ["asset", "strip", "copy"])
def test_the_button_keeps_what_is_needed_in_other_ways(
    bpy: Any, recording: Path, reports: list[str], keeper: str
) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    rig, action = bpy.data.objects[recording.stem], bpy.data.actions[recording.stem]
    if keeper == "asset":
        bpy.data.objects.remove(rig)
        action.asset_mark()
    elif keeper == "strip":
        push_down(rig)
    else:
        rig.animation_data.action = action.copy()
        bpy.data.actions.remove(action)
    kept = sources(bpy)
    assert clear(bpy, reports, unused=True)[0] == {"CANCELLED"}
    assert sources(bpy) == kept and len(kept) == 1


def test_a_skeleton_is_not_left_to_a_library(bpy: Any, data: Path, tmp_path: Path) -> None:
    """It is kept in that .blend, too; but without the library the file could not be exported as it was any more."""
    path = str(data / "w3d" / "g02_tc_default.w3d")
    library = str(tmp_path / "library.blend")
    bpy.ops.import_anim.w3d(filepath=path)
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (_, linked):
        linked.actions = ["G02_TC_DEFAULT"]
    bpy.ops.import_anim.w3d(filepath=path)
    (own,) = (text for text in bpy.data.texts if text.library is None and "anim_curves_beside" in text)
    assert own["anim_curves_beside"].library is None
