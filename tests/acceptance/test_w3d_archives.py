"""W3D files in the games' archives: imported as files are, with skeleton, models and textures from archives."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import w3d_scene as scene

bpy = pytest.importorskip("bpy")

FOLDER = Path(__file__).resolve().parent.parent / "data" / "w3d_models"
WALK = "Art/W3D/m02_wlk.w3d"


@pytest.fixture(autouse=True)
def _extension(extension: ModuleType) -> None:
    scene.set_rate()


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A folder with the golden archive alone."""
    (tmp_path / "game").mkdir()
    return Path(shutil.copy(FOLDER / "art.big", tmp_path / "game")).parent


@pytest.fixture
def name_folders() -> Iterator[Callable[..., None]]:
    """Name game folders in the preferences, for one test."""
    preferred = scene.part("operators.preferences").preferences(bpy.context)

    def name(*folders: Path) -> None:
        preferred.game_folders = "; ".join(map(str, folders))

    yield name
    name()


def meshes() -> set[str]:
    """Names of the mesh objects."""
    return {thing.name for thing in bpy.data.objects if thing.type == "MESH"}


def size_of(path: Path) -> tuple[int, int]:
    """Width and height in pixels, from the header of a DDS."""
    height, width = struct.unpack_from("<2I", path.read_bytes(), 12)
    return width, height


def picture() -> Any:
    """The only image that was loaded."""
    (image,) = [image for image in bpy.data.images if image.source == "FILE"]
    return image


@pytest.mark.parametrize("where", ["--output", "--assets"])
def test_the_command_line_opens_what_lies_in_an_archive(where: str, game: Path, tmp_path: Path) -> None:
    blend = tmp_path / "out" / f"{Path(WALK).stem}.blend"
    wanted, call = blend.parent if where == "--output" else blend, ["import", str(game / "art.big" / WALK)]
    assert scene.part("operators.command_line").main([*call, where, str(wanted)]) == 0
    assert blend.exists()


def test_several_files_in_a_window_are_looked_for_in_the_game_folders(
    game: Path, tmp_path: Path, name_folders: Callable[..., None]
) -> None:
    name_folders(game)
    w3d, importing = scene.part("io_formats.w3d"), scene.part("operators.importing")
    alone = Path(shutil.copy(FOLDER / "m02_wlk.w3d", tmp_path))
    load = scene.part("pipeline.import_files").Load(w3d.FORMAT, [alone], w3d.ImportOptions())
    batch = SimpleNamespace(loads=importing.loads_as_text([load]), begin_import=lambda _, steps, __: [*steps])
    assert importing.ImportBatch.invoke(batch, bpy.context, None)[-1].outcome.error is None
    assert meshes(), "which are in the archive"


def test_an_animation_comes_out_of_an_archive_with_all_that_belongs_to_it(game: Path, tmp_path: Path) -> None:
    before = (game / "art.big").read_bytes()
    rig = scene.bring_in(game / "art.big" / WALK)
    assert len(rig.data.bones) > 1
    there = meshes()
    assert there
    assert (picture().packed_file is not None, *picture().size) == (True, *size_of(FOLDER / "textures" / "m02skin.dds"))
    assert scene.send_out(tmp_path / "out.w3d") == (FOLDER / "m02_wlk.w3d").read_bytes()
    assert (game / "art.big").read_bytes() == before
    scene.bring_in(shutil.copytree(game, tmp_path / "mod") / "art.big" / WALK, target="NEW")
    assert len([image for image in bpy.data.images if image.packed_file]) == 2, "each game has pictures of its own"


def test_skeleton_and_models_are_found_in_the_archives_of_the_game_folders(
    game: Path, tmp_path: Path, name_folders: Callable[..., None]
) -> None:
    alone = shutil.copy(FOLDER / "m02_wlk.w3d", tmp_path / "m02_wlk.w3d")
    name_folders(game)
    rig = scene.bring_in(Path(alone))
    assert not any(bone.name.startswith("PIVOT_") for bone in rig.data.bones)
    assert meshes()


def test_textures_are_found_in_the_archives_of_the_game_folders(
    game: Path, tmp_path: Path, name_folders: Callable[..., None]
) -> None:
    for name in ("m02_skin.w3d", "m02_skl.w3d"):
        shutil.copy(FOLDER / name, tmp_path)
    name_folders(game)
    scene.bring_in(tmp_path / "m02_skin.w3d")
    assert picture().packed_file is not None


def test_the_panel_lists_the_animations_of_the_selected_armature_and_imports_them(
    game: Path, name_folders: Callable[..., None], capfd: Any
) -> None:
    name_folders(game)
    (game / "broken.big").write_bytes(b"BIGF")
    rig = scene.bring_in(FOLDER / "m02_skl.w3d")
    assert bpy.ops.anim_curves.list_animations() == {"FINISHED"}
    told = capfd.readouterr().out
    assert "1 animation for " in told and "broken.big" in told
    listed = bpy.context.window_manager.anim_curves_list
    truth = scene.part("io_formats.w3d").read((FOLDER / "m02_wlk.w3d").read_bytes()).animations[0].header
    (line,) = listed.lines
    assert line.name == truth.name.rstrip(b"\0").decode()
    assert line.seconds == pytest.approx((truth.frame_count - 1) / truth.rate)
    listed.filter = "nothing is called so"
    with pytest.raises(RuntimeError, match="Nothing is selected"):
        bpy.ops.anim_curves.import_all()
    listed.filter = ""
    assert bpy.ops.anim_curves.import_all() == {"FINISHED"}
    assert rig.animation_data.action is not None
    assert [thing for thing in bpy.data.objects if thing.type == "ARMATURE"] == [rig]
    assert [found.name for found in bpy.data.collections if not found.all_objects] == []


def test_the_ticked_lines_are_imported_else_the_highlighted_one(
    tmp_path: Path, name_folders: Callable[..., None]
) -> None:
    for name in ("A", "B", "C"):
        scene.write(tmp_path / f"{name}.w3d", scene.Lay.animation(name=name))
    scene.write(tmp_path / "C.w3d", scene.Lay.animation(name="C"), scene.Lay.animation(name="D"))
    skeleton = scene.write(tmp_path / "SKEL.w3d", scene.Lay.hierarchy())
    name_folders(tmp_path)
    scene.bring_in(skeleton)
    bpy.ops.anim_curves.list_animations()
    listed = bpy.context.window_manager.anim_curves_list
    assert [line.name for line in listed.lines] == ["A", "B", "C", "D"]
    listed.active = 1
    bpy.ops.anim_curves.import_selected()
    assert played() == {"B"}
    listed.lines[0].chosen = listed.lines[2].chosen = listed.lines[3].chosen = True
    listed.filter = "B"  # which unticks none
    bpy.ops.anim_curves.import_selected()
    listed.filter = ""
    assert played() == {"A", "B", "C", "D"} and len(bpy.data.actions) == 4, "each file once"
    bpy.ops.anim_curves.import_selected()
    assert {*bpy.data.actions.keys()} == {*"ABCD", "B.001"}, "the highlighted one, as nothing is ticked any more"


def played() -> set[str]:
    """Names of the animations in the file."""
    return {action.name.split(".")[0] for action in bpy.data.actions} & {*"ABCD"}


def test_export_in_place_never_touches_an_archive(game: Path) -> None:
    before = (game / "art.big").read_bytes()
    rig = scene.bring_in(game / "art.big" / WALK)
    next(iter(scene.curves(rig).values())).keyframe_points[0].co.y += 0.1
    rig.animation_data.action.update_tag()
    with pytest.raises(RuntimeError, match="None is written: its file is unknown, in an archive"):
        bpy.ops.anim_curves.export_changed()
    with pytest.raises(RuntimeError, match="lies in an archive"):
        bpy.ops.anim_curves.export_in_place()
    with pytest.raises(RuntimeError):
        bpy.ops.export_anim.w3d(filepath=str(game / "art.big" / "Art" / "W3D" / "new.w3d"))
    assert (game / "art.big").read_bytes() == before


def test_export_in_place_is_grey_for_an_archive(game: Path) -> None:
    """Which is no folder of a game either."""
    scene.bring_in(game / "art.big" / WALK)
    assert not bpy.ops.anim_curves.export_in_place.poll()
    browser, manager = SimpleNamespace(), SimpleNamespace(fileselect_add=lambda _: None)
    context = SimpleNamespace(space_data=None, view_layer=bpy.context.view_layer, window_manager=manager)
    scene.part("operators.animation_list").AddGameFolder.invoke(browser, context, None)
    assert browser.directory == str(game)
    scene.bring_in(FOLDER / "m02_wlk.w3d")
    assert bpy.ops.anim_curves.export_in_place.poll()


def test_a_damaged_archive_is_one_sentence(game: Path, tmp_path: Path, name_folders: Callable[..., None]) -> None:
    data = (game / "art.big").read_bytes()
    (game / "bad.big").write_bytes(data[:40])
    name_folders(game)
    alone = shutil.copy(FOLDER / "m02_wlk.w3d", tmp_path / "m02_wlk.w3d")
    scene.bring_in(Path(alone))
    text = bpy.data.texts["Import Report"].as_string()
    assert text.count("bad.big") == 1
    assert meshes()
