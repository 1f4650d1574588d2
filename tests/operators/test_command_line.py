"""`blender --command anim_curves`: the same work as the dialogues, for scripts and servers."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from animj_keys import keys_of
from in_blender import add_armature, animate

from tests.operators.test_batches import rows

Capture = pytest.CaptureFixture[str]
Part = Callable[[str], Any]
Patch = pytest.MonkeyPatch
Command = Callable[..., int]


@pytest.fixture
def folder(data: Path, tmp_path: Path) -> Path:
    """A folder with two recordings, a damaged one in a folder below, and a file that is none of ours."""
    source = data / "mrtk" / "v11_flags"
    (tmp_path / "in" / "below").mkdir(parents=True)
    shutil.copy(source / "v11_cam1_hand1_gaze1.bin", tmp_path / "in" / "a.bin")
    shutil.copy(source / "v11_cam0_hand1_gaze0.bin", tmp_path / "in" / "b.bin")
    (tmp_path / "in" / "below" / "c.bin").write_bytes((tmp_path / "in" / "a.bin").read_bytes()[:200])
    (tmp_path / "in" / "notes.txt").write_text("no animation", encoding="utf-8")
    return tmp_path / "in"


def test_folders_patterns_and_names(part: Part, folder: Path) -> None:
    batch_files = part("io_formats.files.batch_files")
    left_out: list[str] = []

    def below(*names: object) -> list[str]:
        found = batch_files.expand([str(name) for name in names], (".bin",), lambda path, _: left_out.append(path))
        return [one.below.as_posix() for one in batch_files.once(found)]

    assert below(folder) == ["a.bin", "b.bin", "below/c.bin"]
    assert below(folder / "*.bin") == ["a.bin", "b.bin"]
    assert below(folder / "**" / "*.bin") == ["a.bin", "b.bin", "below/c.bin"]
    assert below(folder / "below" / "c.bin", folder) == ["c.bin", "a.bin", "b.bin"]
    assert below(folder / "none.bin") == ["none.bin"]
    (folder / "D.BIN").write_bytes(b"")
    assert below(folder / "*.bin") == below(folder / "*.Bin") == ["D.BIN", "a.bin", "b.bin"]
    assert below(folder / "*.?in") == ["a.bin", "b.bin"]
    assert not left_out


@pytest.mark.parametrize("given", [["--nla", "strip"], ["--no-keep-source"], ["--no-keep-source", "--nla", "sequence"]])
def test_an_export_is_of_the_format_that_was_imported(
    command: Command, data: Path, folder: Path, tmp_path: Path, given: list[str], capsys: Capture
) -> None:
    """Also where an NLA strip plays the Action, or the file was not kept; of several that of what is chosen."""
    blends, again = tmp_path / "blends", tmp_path / "again"
    assert command("import", folder / "a.bin", "--output", blends, *given) == 0
    assert command("export", blends, "--output", again) == 0
    assert [path.name for path in again.iterdir()] == ["a.bin"]
    walk, both = data / "animx" / "08_walk.animj", tmp_path / "both"
    assert command("import", walk, "--into", blends / "a.blend", "--output", both) == 0
    for ending, chosen in ((".animj", []), (".bin", ["--object", "a"])):
        assert command("export", both, "--output", tmp_path / ending, *chosen) == 0
        assert [path.suffix for path in (tmp_path / ending).iterdir()] == [ending]
    assert command("export", both, "--output", tmp_path / "all", "--everything", "--to", ".animj") == 0
    assert "imported" not in capsys.readouterr().err, "nobody has changed anything"


def test_what_somebody_saves_meanwhile_is_not_replaced(
    command: Command, part: Part, folder: Path, capsys: Capture, monkeypatch: Patch
) -> None:
    """A .blend that takes the name just before ours would; nothing of ours is left beside it."""
    line = part("operators.command_line")
    real = line.import_files.import_loads

    def slow(*arguments: Any) -> Any:
        yield from real(*arguments)
        (folder / "a.blend").write_bytes(b"theirs")

    monkeypatch.setattr(line.import_files, "import_loads", slow)
    assert command("import", folder / "a.bin") == 1
    assert "a file of this name exists already" in capsys.readouterr().err
    assert (folder / "a.blend").read_bytes() == b"theirs"
    assert sorted(path.name for path in folder.iterdir()) == ["a.bin", "a.blend", "b.bin", "below", "notes.txt"]


@pytest.fixture
def mod(data: Path, tmp_path: Path) -> Path:
    """A mod's folder: an animation, a skeleton, a figure's meshes and a mesh without any; endings in both cases."""
    mod = tmp_path / "mod"
    mod.mkdir()
    for name in ("m02_skl.w3d", "m02_skin.w3d", "m02_wlk.w3d", "m06_single.w3d"):
        shutil.copy(data / "w3d_models" / name, mod / name.replace("k.w3d", "k.W3D").replace("e.w3d", "e.W3D"))
    return mod


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_file_of_a_mod_comes_back_with_its_name(
    command: Command, mod: Path, tmp_path: Path, capsys: Capture, jobs: int
) -> None:
    blends, again = tmp_path / "blends", tmp_path / "again"
    assert command("import", mod / "*.w3d", "--output", blends, "--jobs", jobs) == 0
    assert command("export", blends, "--output", again, "--jobs", jobs) == 0
    assert {path.name: path.read_bytes() for path in again.iterdir()} == {
        path.name: path.read_bytes() for path in mod.iterdir()
    }
    assert capsys.readouterr().out.count("byte for byte") == len(list(mod.iterdir()))


@pytest.mark.parametrize("name", ["m02_skin.w3d", "m06_single.W3D"])
def test_models_that_move_or_for_which_more_is_asked_are_no_copy(
    bpy: Any, command: Command, mod: Path, tmp_path: Path, name: str
) -> None:
    blend, out = tmp_path / "models.blend", tmp_path / "out"
    bpy.ops.import_anim.w3d(filepath=str(mod / name))
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    for options in (["--no-use-source"], ["--into-existing"], ["--to", ".animj"]):
        assert command("export", blend, "--output", out, *options) == 1 and not out.exists(), options
    for thing in bpy.data.objects:
        animate(thing, "location.x", {1: 1, 5: 5})
    bpy.ops.wm.save_mainfile()
    written = command("export", blend, "--output", out)
    assert written == (0 if name == "m02_skin.w3d" else 1)
    assert all(path.read_bytes() != (mod / name).read_bytes() for path in tmp_path.glob("out/*"))
    bpy.data.batch_remove([*bpy.data.actions, *bpy.data.texts])
    bpy.ops.wm.save_mainfile()
    assert command("export", blend, "--output", tmp_path / "gone") == 1, "the kept file is gone"


def test_models_of_two_files_are_no_copy_of_one(bpy: Any, mod: Path, tmp_path: Path) -> None:
    for name in ("m06_single.W3D", "m02_skin.w3d"):
        bpy.ops.import_anim.w3d(filepath=str(mod / name))
    bpy.ops.object.select_all(action="SELECT")
    with pytest.raises(RuntimeError, match="nothing that is chosen moves"):
        bpy.ops.export_anim.w3d(filepath=str(tmp_path / "both.w3d"))


def test_wrong_calls(command: Command, tmp_path: Path, capsys: Capture) -> None:
    assert command() == 2
    assert command("import") == 2
    assert command("import", tmp_path) == 2
    assert command("import", "x.bin", "--rate", "often") == 2
    (tmp_path / "text.blend").write_bytes(b"none")
    for name, file in (("import", "none.bin"), ("export", "text.blend")):
        assert command(name, tmp_path / file) == 1
        assert f"{file}: the file cannot be opened" in capsys.readouterr().err


@pytest.mark.parametrize("output", ["taken", "taken/below", "a\0b"])
def test_output_that_cannot_be_a_folder(
    command: Command, folder: Path, tmp_path: Path, capsys: Capture, output: str
) -> None:
    """Each file of the batch is told, none ends it."""
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    place = f"{tmp_path}/{output}"
    assert command("import", folder / "*.bin", "--output", place, "--json") == 1
    told = rows(capsys.readouterr().out)
    assert [Path(result["file"]).name for result in told] == ["a.bin", "b.bin"]
    assert all(result["error"].startswith(f"{place}: ") and "[Errno" not in result["error"] for result in told)
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "a file"


def test_a_folder_where_the_blend_belongs(command: Command, folder: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "out" / "a.blend").mkdir(parents=True)
    assert command("import", folder / "*.bin", "--output", tmp_path / "out", "--json") == 1
    told = rows(capsys.readouterr().out)
    assert ["error" in result for result in told] == [True, False]
    assert "a.blend: something other than a file has this name" in told[0]["error"]


@pytest.mark.parametrize("arguments", [["import"], ["convert", "--to", ".animj"], ["info"], ["verify"]], ids=" ".join)
def test_no_name_holds_a_zero_byte(command: Command, tmp_path: Path, capsys: Capture, arguments: list[str]) -> None:
    assert command(arguments[0], f"{tmp_path}/a\0b.bin", *arguments[1:]) == 1
    assert "a\\x00b.bin: a file cannot have this name" in "".join(capsys.readouterr())


def test_a_pipe_is_not_waited_for(command: Command, pipe: Path, folder: Path, tmp_path: Path, capsys: Capture) -> None:
    for arguments in (["import", pipe], ["export", pipe], ["import", folder / "a.bin", "--into", pipe]):
        assert command(*arguments, "--output", tmp_path / "out", "--json") == 1
        (told,) = rows(capsys.readouterr().out)
        assert "expected a file" in told["error"]


def test_wrong_flags_end_the_call_and_not_the_program(command: Command, folder: Path, capsys: Capture) -> None:
    assert command("info", folder / "a.bin", "--limit-mib", "0") == 2
    assert command("verify", folder / "a.bin", "--limit-mib", "nan") == 2
    assert command("import", folder / "a.bin", "--scale", "nan") == 2
    assert command("import", folder / "a.bin", "--yes") == 2, "one file becomes one .blend"
    assert command("export", folder / "none.blend", "--yes") == 1
    assert command("convert", folder / "a.bin", "--to", ".animj", "--yes") == 0
    for guessed in (("import", "--out", "x"), ("convert", "--to", ".animj", "--over"), ("info", "--js")):
        assert command(*guessed, folder / "a.bin") == 2
    assert command("convert", "--help") == 0 and "--target" not in capsys.readouterr().out, "which needs a scene"
    assert command("info", folder / "a.bin", "--limit-mib", "5") == 0


class Console(io.StringIO):
    """A terminal, or a pipe, that remembers what was written to it."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


def test_a_blend_that_was_saved_in_edit_mode_is_exported_as_it_plays(
    bpy: Any, command: Command, tmp_path: Path
) -> None:
    """A bone that follows a moving one has its motion from a constraint alone, which Edit Mode does not show."""
    rig = add_armature("Rig", [(name, None, (0, 0, 0), (0, 0, 1)) for name in ("Leader", "Follower")])
    constraint = rig.pose.bones["Follower"].constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = rig, "Leader"
    animate(rig.pose.bones["Leader"], "location.y", {1: 0.0, 25: 3.0})
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "edited.blend"))
    assert command("export", tmp_path / "edited.blend", "--to", ".animj", "--output", tmp_path) == 0
    last = {node: keys[-1]["value"] for (node, _), keys in keys_of(tmp_path / "edited.animj").items()}
    assert last["Follower"] == last["Leader"] and max(map(abs, last["Leader"].values())) == 3.0


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_is_told_how_far_a_library_and_an_export_are(
    bpy: Any,
    part: Part,
    command: Command,
    folder: Path,
    data: Path,
    tmp_path: Path,
    monkeypatch: Patch,
    is_terminal: bool,
) -> None:
    """In per cent, within a file too; a pipe gets nothing."""
    shutil.copy(data / "w3d" / "h04_multi_unknown.w3d", folder)
    monkeypatch.setattr(part("io_formats.commands.console"), "_PAUSE", 0.0)
    monkeypatch.setattr(part("io_formats.files.steps"), "STEP", 1)
    blend = tmp_path / "unit.blend"
    calls = {"import": (*folder.glob("*.*"), "--assets", blend), "export": (blend, "--output", tmp_path / "out")}
    for name, arguments in calls.items():
        console = Console(is_terminal=is_terminal)
        monkeypatch.setattr("sys.stderr", console)
        command(name, *arguments)
        shown = [int(found) for found in re.findall(r"(\d+) %", console.getvalue())]
        assert len(set(shown)) > 5 if is_terminal else not shown
        assert shown == sorted(shown)
