"""Batches lose nothing: folders stay, nothing is replaced unasked, Ctrl+C and crashes cost no finished result."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from animj_keys import keys_of
from cases import slow
from in_blender import animate

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch

pytestmark = pytest.mark.once  # of one Blender as of any
SOURCE = Path(__file__).resolve().parents[2]
CALL = """
import os, sys
import bpy, addon_utils
addon_utils.enable("bl_ext.user_default.io_anim_curves")
from bl_ext.user_default.io_anim_curves.operators.command_line import main
code = main(sys.argv[1:])
sys.stdout.flush()
os._exit(code)
"""


@pytest.fixture
def takes(recording: Path, data: Path, tmp_path: Path) -> Path:
    """Two days with a recording of one name each, as devices number them."""
    for day, source in (("day1", recording), ("day2", data / "mrtk" / "v11_flags" / "v11_cam0_hand1_gaze0.bin")):
        (tmp_path / "takes" / day).mkdir(parents=True)
        shutil.copy(source, tmp_path / "takes" / day / "hand.bin")
    return tmp_path / "takes"


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows(text: str) -> list[dict[str, Any]]:
    """The results in an output in which Blender may speak too."""
    return [json.loads(line) for line in text.splitlines() if line.startswith('{"file"')]


def test_outputs_keep_the_folders_below_the_given_one(command: Callable[..., int], takes: Path, tmp_path: Path) -> None:
    assert command("import", takes, "--output", tmp_path / "blends") == 0
    assert sorted(tree(tmp_path / "blends")) == ["day1/hand.blend", "day2/hand.blend"]
    assert command("convert", takes / "*" / "*.bin", "--to", ".animj", "--output", tmp_path / "animj") == 0
    assert sorted(tree(tmp_path / "animj")) == ["day1/hand.animj", "day2/hand.animj"]
    assert command("export", tmp_path / "blends", "--output", tmp_path / "again") == 0
    assert tree(tmp_path / "again") == tree(takes)


@pytest.mark.parametrize("arguments", [["import"], ["convert", "--to", ".animj"]], ids=" ".join)
def test_two_files_that_would_become_one_are_refused_before_anything_is_written(
    command: Callable[..., int], takes: Path, tmp_path: Path, capsys: Capture, arguments: list[str]
) -> None:
    days = [takes / "day1", takes / "day2"]
    assert command(*arguments, *days, "--output", tmp_path / "out", "--overwrite") == 2
    said = capsys.readouterr().err
    assert str(days[0] / "hand.bin") in said and str(days[1] / "hand.bin") in said
    assert f"hand{'.blend' if arguments == ['import'] else '.animj'}: " in said, "endings keep no files of one apart"
    assert not (tmp_path / "out").exists()


def test_nothing_that_is_there_is_replaced_unasked(
    command: Callable[..., int], recording: Path, tmp_path: Path, capsys: Capture
) -> None:
    shutil.copy(recording, tmp_path / "hand.bin")
    (tmp_path / "hand.animj").write_text("a stranger's", encoding="utf-8")
    assert command("import", tmp_path / "hand.bin") == 0
    before = tree(tmp_path)
    assert command("import", tmp_path / "hand.bin", "--scale", "2") == 1
    assert command("export", tmp_path / "hand.blend", "--scale", "2") == 1
    assert command("convert", tmp_path / "hand.bin", "--to", ".bin", "--scale", "2") == 1
    assert command("convert", tmp_path / "hand.bin", "--to", ".animj") == 1
    assert command("import", tmp_path / "hand.bin", "--into", tmp_path / "hand.blend") == 1
    assert capsys.readouterr().err.count("exists already") == 5
    assert tree(tmp_path) == before
    assert command("convert", tmp_path / "hand.bin", "--to", ".animj", "--overwrite") == 0
    assert command("export", tmp_path / "hand.blend", "--scale", "2", "--overwrite") == 0
    after = tree(tmp_path)
    assert {name for name in before if after[name] != before[name]} == {"hand.animj", "hand.bin"}


def walk_twice(bpy: Any, path: Path, scale: float) -> None:
    """A .blend with a rig whose two Actions have names that every rig has."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    for name in ("Walk", "Run"):
        rig.animation_data_create().action = bpy.data.actions.new(name)
        bone = rig.pose.bones[0]
        animate(bone, "location.x", {1: scale, 10: 10 * scale})
        rig.animation_data.action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def test_actions_of_one_name_in_two_files_do_not_replace_each_other(
    bpy: Any, part: Any, command: Callable[..., int], tmp_path: Path, capsys: Capture, monkeypatch: Patch
) -> None:
    """Nor does one file become very many, unless that is asked for."""
    for number, name in enumerate(("hero", "villain"), 1):
        walk_twice(bpy, tmp_path / f"{name}.blend", number)
    out = tmp_path / "out"
    call = ("export", tmp_path, "--to", ".animj", "--actions", "all", "--output", out, "--overwrite", "--json")
    monkeypatch.setattr(part("io_formats.files.batch_files"), "MANY", 1)
    assert command(*call) == 1 and capsys.readouterr().out.count("this would become 2 files") == 2 and not tree(out)
    monkeypatch.undo()
    assert command(*call) == 1
    told = rows(capsys.readouterr().out)
    assert [Path(row["file"]).stem for row in told] == ["hero", "hero", "villain"]
    assert "hero.blend" in told[-1]["error"] and "villain.blend" in told[-1]["error"]
    assert sorted(tree(out)) == ["Run.animj", "Walk.animj"]
    (second := Path(told[1]["output"])).unlink()
    second.mkdir()  # which is never replaced
    assert command(*call) == 1
    again = rows(capsys.readouterr().out)
    assert again[0]["output"] == told[0]["output"] and again[1]["error"].startswith(str(second)), (
        "what was written before is told"
    )


@pytest.mark.parametrize(("jobs", "code"), [("8", 0), ("9", 2), ("0", 2), ("-1", 2)])
def test_four_processes_for_each_core_are_the_most(
    command: Callable[..., int], takes: Path, tmp_path: Path, monkeypatch: Patch, capsys: Capture, jobs: str, code: int
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert command("import", takes / "day1", "--output", tmp_path / "out", "--jobs", jobs) == code
    assert ("from 1 to 8" in capsys.readouterr().err) == (code != 0)
    assert (tmp_path / "out").exists() == (code == 0)


def test_a_batch_is_resumed(command: Callable[..., int], takes: Path, tmp_path: Path, capsys: Capture) -> None:
    """What is finished is left out and kept, what failed or was never reached is done."""
    results, out = tmp_path / "results.jsonl", tmp_path / "out"
    good = (takes / "day2" / "hand.bin").read_bytes()
    (takes / "day2" / "hand.bin").write_bytes(good[:300])
    call = ("import", takes, "--output", out, "--rate", "custom", "--custom-rate", "90", "--json")
    assert command(*call) == 1
    done, failed = made = rows(capsys.readouterr().out)
    assert done["digest"] == "2 hands, 52 joints, 226 keys, 1.0 s" and "rate is now 90" in done["notes"][0]
    assert failed["error"].startswith(f"{takes / 'day2' / 'hand.bin'}, byte ")
    lines = [json.dumps(row) for row in made]
    results.write_text("\n".join([*lines, '{"file": "cut sho']), encoding="utf-8")
    first = (out / "day1" / "hand.blend").stat()
    (takes / "day2" / "hand.bin").write_bytes(good)
    assert command(*call, "--resume", results) == 0
    assert [Path(row["file"]).parent.name for row in rows(capsys.readouterr().out)] == ["day2"]
    assert (out / "day1" / "hand.blend").stat().st_mtime_ns == first.st_mtime_ns
    assert command("import", takes, "--resume", tmp_path / "none.jsonl") == 2


def told(capsys: Capture, results: Path) -> int:
    """Number of rows that a call printed, which go to those of the calls before."""
    lines = [json.dumps(row) for row in rows(capsys.readouterr().out)]
    with results.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    return len(lines)


def test_a_batch_of_another_place_is_not_taken_for_done(
    command: Callable[..., int], takes: Path, tmp_path: Path, capsys: Capture
) -> None:
    """Rows of another folder, of a library in the very folder, of a .blend that was deleted."""
    results, out = tmp_path / "results.jsonl", tmp_path / "out"
    assert command("import", takes, "--assets", out / "library.blend", "--json") == 0
    assert told(capsys, results) == 2
    call = ("import", takes, "--json", "--resume", results, "--output")
    for folder, expected in ((out, 2), (tmp_path / "more", 2), (out, 0), (tmp_path / "more", 0)):
        assert command(*call, folder) == 0
        assert told(capsys, results) == expected
    (out / "day2" / "hand.blend").unlink()
    assert command(*call, out) == 0
    assert told(capsys, results) == 1 and (out / "day2" / "hand.blend").is_file()
    into = tmp_path / "more" / "day1" / "hand.blend"
    call = ("import", takes / "day1", "--into", into, "--json", "--resume", results, "--output", tmp_path / "into")
    for expected in (1, 0):
        assert command(*call) == 0
        assert told(capsys, results) == expected


@pytest.mark.parametrize(
    "choice",
    [
        (),
        pytest.param(("--actions", "all"), marks=pytest.mark.slow),
        pytest.param(("--file-names", "{blend}_{object}"), marks=pytest.mark.slow),
        ("--several", "files", "--everything"),
    ],
)
def test_exports_are_resumed_whatever_names_their_files(
    command: Callable[..., int], takes: Path, tmp_path: Path, capsys: Capture, choice: tuple[str, ...]
) -> None:
    blends, results, out = tmp_path / "blends", tmp_path / "results.jsonl", tmp_path / "out"
    assert command("import", takes, "--output", blends) == 0
    capsys.readouterr()
    results.write_text("", encoding="utf-8")
    call = ("export", blends, "--output", out, "--json", "--resume", results, *choice)
    for ending, expected in ((".animj", 2), (".animj", 0), (".bin", 2), (".bin", 0)):
        assert command(*call, "--to", ending) == 0
        assert told(capsys, results) == expected, ending
    assert command(*call) == 0 and told(capsys, results) == 0
    next((out / "day2").glob("*.bin")).unlink()
    assert command(*call, "--to", ".bin") == 0
    assert told(capsys, results) == 1


def start(arguments: list[str], **options: Any) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", CALL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


MANY = 2000
"""More files than any machine imports between a first result and what a test does about it."""


def more_than_can_be_done(recording: Path, folder: Path) -> None:
    """A folder of one recording under very many names."""
    folder.mkdir()
    first = shutil.copy(recording, folder / "first.bin")
    for number in range(1, MANY):
        os.link(first, folder / f"{number:04d}.bin")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.skipif(
    sys.platform == "linux" and not os.path.exists("/proc/self"), reason="needs /proc, without which Blender complains"
)
@pytest.mark.parametrize("jobs", ["1", slow("2")])
def test_ctrl_c_keeps_what_was_done(recording: Path, tmp_path: Path, bpy: Any, jobs: str) -> None:
    more_than_can_be_done(recording, tmp_path / "in")
    call = ["import", str(tmp_path / "in"), "--output", str(tmp_path / "out"), "--jobs", jobs, "--json"]
    with start(call) as process:
        assert process.stdout is not None and process.stderr is not None
        # Blender may speak while it starts; once there is a row, one file is done and the others are not yet
        said = [next(line for line in process.stdout if line.startswith('{"file"'))]
        process.send_signal(signal.SIGINT)
        said += process.stdout.readlines()
        complaint = process.stderr.read().strip().splitlines()
    assert process.returncode == 130
    done = [Path(json.loads(line)["output"]) for line in said]
    assert 0 < len(done) < MANY and sorted(done) == sorted((tmp_path / "out").iterdir())
    ours = [line for line in complaint if "Info" not in line and "Saved" not in line and line]
    assert ours == ["Interrupted; files that were written before are complete, one that was not finished is not there"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_results_on_a_full_disk(bpy: Any, recording: Path, tmp_path: Path) -> None:
    convert = ["-c", CALL, "convert", str(recording), "--to", ".animj", "--output", str(tmp_path), "--json"]
    for call in (convert, ["-m", "io_formats", "verify", str(recording)]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run(
                [sys.executable, *call], stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=SOURCE,
                env={**os.environ, "PYTHONUNBUFFERED": ""},
            )  # fmt: skip
        assert run.returncode == 1
        assert run.stderr.strip().splitlines()[-1].startswith("the output cannot be written: No space left on device")
        assert "Traceback" not in run.stderr


@pytest.fixture
def asked(part: Callable[[str], Any], monkeypatch: Patch) -> list[dict[str, Any]]:
    """The questions that a window shows, which are not answered; after `monkeypatch.undo` there is none."""
    question, shown = part("operators.dialogs").ConfirmReplace, list[dict[str, Any]]()
    facts = lambda self: {name: getattr(self, name) for name in ("paths", "exporter", "settings", "count")}  # noqa: E731
    monkeypatch.setattr(part("operators.exporting").ExportOperator, "interactive", True)
    monkeypatch.setattr(question, "execute", lambda self, _: shown.append(facts(self)) or {"CANCELLED"})
    monkeypatch.setattr(question, "invoke", lambda self, context, _: self.execute(context))
    return shown


def test_the_window_asks_before_several_files_replace_strangers(
    bpy: Any, tmp_path: Path, monkeypatch: Patch, asked: list[dict[str, Any]]
) -> None:
    """The question lists exactly what would be replaced; a yes exports with the options of the first try."""
    walk_twice(bpy, tmp_path / "hero.blend", 1.0)
    (tmp_path / "Walk.animj").write_text("a stranger's", encoding="utf-8")
    path = str(tmp_path / "x.animj")
    assert bpy.ops.export_anim.animx(filepath=path, actions="ALL", scale=2.0) == {"CANCELLED"}
    assert json.loads(asked[0]["paths"]) == [str(tmp_path / "Walk.animj")]
    assert not (tmp_path / "Run.animj").exists()
    monkeypatch.undo()
    assert bpy.ops.anim_curves.confirm_replace(**asked[0]) == {"FINISHED"}
    (moved,) = (keys for (_, name), keys in keys_of(tmp_path / "Walk.animj").items() if name == "Position")
    assert max(abs(number) for key in moved for number in key["value"].values()) >= 20.0


def test_the_window_asks_before_very_many_files_are_written(
    bpy: Any, part: Callable[[str], Any], tmp_path: Path, monkeypatch: Patch, asked: list[dict[str, Any]]
) -> None:
    walk_twice(bpy, tmp_path / "hero.blend", 1.0)
    monkeypatch.setattr(part("io_formats.files.batch_files"), "MANY", 1)
    call = {"filepath": str(tmp_path / "x.animj"), "actions": "ALL"}
    assert bpy.ops.export_anim.animx(**call) == {"CANCELLED"}
    assert (asked[0]["count"], asked[0]["paths"], json.loads(asked[0]["settings"])["overwrite"]) == (2, "[]", False)
    monkeypatch.undo()
    assert bpy.ops.export_anim.animx(**call, confirmed=True) == {"FINISHED"}
    assert (tmp_path / "Run.animj").exists()


def test_what_fails_after_a_yes_is_told_as_any_failure(bpy: Any, tmp_path: Path) -> None:
    """The folder is gone by the time that the question is answered."""
    walk_twice(bpy, tmp_path / "hero.blend", 1.0)
    settings = json.dumps({"filepath": str(tmp_path / "gone" / "x.animj"), "actions": "ALL"})
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.anim_curves.confirm_replace(paths="[]", exporter="export_anim.animx", settings=settings)
    told = str(caught.value).strip()
    assert told.startswith(f"Error: {tmp_path / 'gone'}") and "make it or choose another" in told
    assert "Traceback" not in told and len(told.splitlines()) == 1


def test_a_full_disk_is_told_as_that(command: Callable[..., int], data: Path, tmp_path: Path, capsys: Capture) -> None:
    """A disk with some room, for what Blender writes and for what we do; nothing stays behind."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=1200k", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("needs to mount a small disk, as root on Linux")
    try:
        long = data / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin"
        assert command("import", long, "--output", disk) == 1
        assert command("import", long, "--assets", disk / "hands.blend") == 1
        assert command("convert", long, "--to", ".csv", "--output", disk) == 1
        told = [line for line in capsys.readouterr().err.splitlines() if str(disk) in line]
        assert all("the disk is full" in line for line in told[:2]) and "not enough room" in told[2] and len(told) == 3
        assert [*tree(disk)] == ["blender_assets.cats.txt"]  # of the library, as of one that is made later
    finally:
        subprocess.run(["umount", str(disk)], check=True)
