"""The command line with .glb, .csv and .npz: what it writes, refuses and says."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import INTERCHANGE, TARGETS
from io_formats.__main__ import main
from io_formats.clip import Track, Wrap
from io_formats.clip.edit import trim_track
from io_formats.commands import console
from io_formats.convert import poses
from io_formats.errors import FormatError
from io_formats.files import batch_files, memory
from io_formats.interchange import glb
from tests.support.gltf_player import Glb

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch

DATA = Path(__file__).parents[2] / "data"
SAMPLES = DATA.parents[1] / "samples"
WALK = DATA / "w3d" / "g09_ad_20b_200f.w3d"
ENDINGS = [ending for kind in INTERCHANGE for ending in kind.extensions]


@pytest.fixture(params=ENDINGS)
def ending(request: pytest.FixtureRequest) -> str:
    """Each kind of file."""
    return str(request.param)


def test_several_animations_are_named_in_one_glb_and_numbered_tables(tmp_path: Path) -> None:
    source = DATA / "w3x" / "g03.w3x"
    for ending in ENDINGS:
        assert main(["convert", str(source), str(tmp_path / f"g03{ending}")]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"g03.glb", "g03.csv", "g03-2.csv", "g03.npz", "g03-2.npz"}
    glb = Glb.read(tmp_path / "g03.glb")
    names = [str(np.load(tmp_path / name)["name"]) for name in ("g03.npz", "g03-2.npz")]
    assert [animation["name"] for animation in glb.told["animations"]] == names
    assert len(glb.names) == len(set(glb.names)), "both animations move the same nodes"


def test_an_animation_lasts_as_long_as_it_says(tmp_path: Path, capsys: Any) -> None:
    """Players take the last key for the end, and `info` says the same."""
    for source in (DATA / "w3x" / "g03.w3x", DATA / "w3d" / "g07_raw_1frame.w3d", DATA / "w3d" / "g02_tc_default.w3d"):
        target = tmp_path / f"{source.stem}.glb"
        assert main(["convert", str(source), str(target)]) == 0
        glb = Glb.read(target)
        capsys.readouterr()
        assert main(["info", "--json", str(source)]) == 0
        told = [each["duration"] for each in json.loads(capsys.readouterr().out)["animations"]]
        assert told == [about["duration"] for about in glb.extras]
        for number, about in enumerate(glb.extras):
            ends = [times[-1] for times, _, _ in glb.curves(number).values()]
            assert max(ends) == pytest.approx(about["duration"], abs=1e-6)


def test_what_viewers_do_not_play_is_kept_and_told(tmp_path: Path, capsys: Any) -> None:
    source, target = DATA / "w3d" / "h03_tc_hand.w3d", tmp_path / "hand.glb"
    assert main(["convert", str(source), str(target)]) == 0
    assert "2 channels that are no transforms (BONE_01 visibility, BONE_02 visibility)" in capsys.readouterr().err
    assert main(["convert", str(DATA / "mrtk" / "v10_identity_values.bin"), str(tmp_path / "marked.glb")]) == 0
    assert "4 markers are kept as extras of the scene" in capsys.readouterr().err
    (about,) = Glb.read(target).extras
    told = [(channel["node"], channel["property"]) for channel in about["channels"]]
    assert told == [("BONE_01", "visibility"), ("BONE_02", "visibility")]
    with np.load(source.with_suffix(".npz")) as truth:
        whole = truth["frame"] % 1 == 0
        for number, channel in enumerate(about["channels"], start=1):
            times = truth["frame"][whole].astype(float) / 30 + 1e-4
            at = np.maximum(np.searchsorted(channel["times"], times) - 1, 0)
            assert np.array_equal(np.array(channel["values"])[at], truth["trs"][whole, number, 7])


@pytest.mark.parametrize("command", ["info", "verify"])
def test_what_was_made_is_told_for_what_it_is(command: str, ending: str, tmp_path: Path, capsys: Any) -> None:
    made = tmp_path / f"walk{ending}"
    assert main(["convert", str(WALK), str(made)]) == 0
    capsys.readouterr()
    assert main([command, str(made)]) == 1
    said = "".join(capsys.readouterr())
    assert "which conversions write but nothing here reads" in said and ending in said and said.count("\n") <= 2
    assert main(["convert", str(made), str(tmp_path / "back.w3d")]) == 1
    assert "choose the recording or animation that it was made of" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["", ".fbx"])
def test_an_unknown_ending_is_answered_with_those_that_there_are(wrong: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["convert", str(WALK), str(tmp_path / f"walk{wrong}")]) == 1
    said = capsys.readouterr().err
    assert all(ending in said for ending in TARGETS) and f"walk{wrong}: " in said and str(WALK) not in said
    assert f"found the ending '{wrong}'; change the name" in said and not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [*ENDINGS, ".w3d", ".animj"])
def test_nothing_is_replaced_unasked(ending: str, tmp_path: Path, capsys: Any) -> None:
    made = tmp_path / f"WALK{ending.upper()}"
    made.write_bytes(b"mine")
    assert main(["convert", str(WALK), str(made)]) == 1
    assert made.read_bytes() == b"mine" and "--overwrite" in capsys.readouterr().err
    assert main(["convert", str(WALK), str(made), "--overwrite"]) == 0
    assert made.read_bytes() != b"mine" and [path.name for path in tmp_path.iterdir()] == [made.name]


def test_a_missing_skeleton_is_told_as_in_any_conversion(ending: str, tmp_path: Path, capsys: Any) -> None:
    (alone := tmp_path / "alone" / "walk.w3d").parent.mkdir()
    shutil.copy(DATA / "w3d" / "g02_tc_default.w3d", alone)
    said = []
    for target in ("walk.animj", f"walk{ending}"):
        assert main(["convert", str(alone), str(tmp_path / target)]) == 0
        told = capsys.readouterr().err.replace(f"{alone}: ", "").splitlines()
        said.append({line for line in told if "skeleton" in line or "parents" in line})
    assert said[0] == said[1] and len(said[0]) == 1
    skeleton = str(DATA / "w3d" / "g02_skl.w3d")
    assert main(["convert", str(alone), str(tmp_path / f"whole{ending}"), "--skeleton", skeleton]) == 0
    assert "skeleton" not in capsys.readouterr().err.replace(f"{alone}: ", "")


@pytest.mark.parametrize("ending", [".csv", ".npz"])
def test_where_one_of_several_cannot_be_written_none_is(ending: str, tmp_path: Path, capsys: Any) -> None:
    """Else the same call, made again when there is room, would find the first there already."""
    (tmp_path / f"g03-2{ending}").mkdir()
    call = ["convert", str(DATA / "w3x" / "g03.w3x"), str(tmp_path / f"g03{ending}")]
    assert main(call) == 1 and "something other than a file" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [f"g03-2{ending}"]
    (tmp_path / f"g03-2{ending}").rmdir()
    assert main(call) == 0 and len(list(tmp_path.iterdir())) == 2


def test_a_recording_without_data_is_refused(ending: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["convert", str(DATA / "mrtk" / "v10_empty.bin"), str(tmp_path / f"empty{ending}")]) == 1
    assert "nothing is animated here; choose a file" in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".animx", ".animj", ".w3d"])
def test_of_several_animations_those_that_move_become_files(ending: str, tmp_path: Path, capsys: Any) -> None:
    """G03_Stand has no channels, and G03_Roll is no worse for it."""
    made = tmp_path / f"g03{ending}"
    assert main(["convert", str(DATA / "w3x" / "g03.w3x"), str(made)]) == 0
    assert "the animation G03_Stand moves nothing and is left out" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [made]


def test_what_only_blenders_keys_lose_is_no_fault_and_no_loss_of_a_table(tmp_path: Path, capsys: Any) -> None:
    """Whole numbers of 32 bits are the same in a table, and a file of them has nothing wrong."""
    source, made = DATA / "animx" / "01_raw_all.animx", tmp_path / "raw.csv"
    assert main(["lint", str(source)]) == 0
    assert main(["convert", str(source), str(made)]) == 0
    said = capsys.readouterr().err
    assert "Blender keeps" not in said and "the texts of Node P_string cannot be animated; they become markers" in said
    assert ",2147483647.0," in made.read_text(encoding="utf-8")


def test_a_file_without_nodes_has_no_poses() -> None:
    assert poses(DATA / "mrtk" / "v11_flags" / "v11_cam0_hand0_gaze0.bin").positions.shape[1:] == (0, 3)


@pytest.mark.parametrize("end", [".w3d", ".csv"])
def test_frames_that_an_animation_has_not_are_told(end: str, tmp_path: Path, capsys: Any) -> None:
    """The walk lasts two seconds, 61 frames; a table of it has a row for each of its 25 times of keys."""
    frames = 61 if end == ".w3d" else 25
    asked = [("--first-frame", frames - 1, 0, 0), ("--first-frame", frames, 1, 1), ("--frame-count", 500, 0, 1)]
    for flag, number, status, told in asked:
        out = tmp_path / str(number)
        call = ["convert", str(SAMPLES / "walk.animj"), "--to", end, "--output", str(out), flag, str(number)]
        assert main(call) == status
        sentence = f"has {frames} frames, so First Frame and Frame Count ask for"
        assert (sentence in capsys.readouterr().err) == told and out.exists() != status


def test_limits_hold(ending: str, tmp_path: Path, capsys: Any) -> None:
    hands = DATA / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin"
    target = tmp_path / f"hands{ending}"
    assert main(["convert", str(hands), str(target), "--memory-mib", "1"]) == 1
    assert "--memory-mib" in capsys.readouterr().err and not target.exists()
    calls = [("240", "--time-s", "2", "the processor 4 s"), ("32767", "--memory-mib", "16", "20 MiB of memory")]
    for rate, flag, limit, told in calls if ending != ".glb" else ():  # 53 nodes, 25 microseconds for each and frame
        assert main(["convert", str(hands), str(target), "--file-rate", rate, flag, limit]) == 1
        said = capsys.readouterr().err
        assert f"takes {told} or more, the limit is {limit}; " in said and flag in said and not target.exists()


# --- Many files ------------------------------------------------------------------------------------------------------


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    """A folder with recordings of several formats, one of them damaged, and something else."""
    folder = tmp_path / "takes"
    (folder / "day 2").mkdir(parents=True)
    shutil.copy(DATA / "mrtk" / "v10_recorder_3s_left_hand.bin", folder / "hand.bin")
    shutil.copy(WALK, folder / "day 2" / "walk.w3d")
    shutil.copy(DATA / "animx" / "08_walk.animj", folder / "day 2" / "slots.animj")
    (folder / "day 2" / "damaged.w3d").write_bytes(WALK.read_bytes()[:500])
    (folder / "notes.txt").write_text("not ours")
    return folder


def test_a_folder_is_converted_with_its_folders(takes: Path, tmp_path: Path, ending: str, capsys: Any) -> None:
    out = tmp_path / "out"
    assert main(["convert", str(takes), "--to", ending, "--output", str(out), "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 4 and [Path(row["file"]).name for row in rows if "error" in row] == ["damaged.w3d"]
    made = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert made == {f"hand{ending}", f"day 2/walk{ending}", f"day 2/slots{ending}"}
    assert {row["output"] for row in rows if "output" in row} == {str(out / name) for name in made}


def test_what_is_said_of_many_files_is_said_once(tmp_path: Path, capsys: Any) -> None:
    first, *others = (tmp_path / f"hand{number}.bin" for number in range(4))
    for path in (first, *others):
        shutil.copy(DATA / "mrtk" / "v10_recorder_3s_left_hand.bin", path)
    assert main(["convert", str(first), str(tmp_path / "hand.animj")]) == 0
    alone = [line.removeprefix(f"{first}: ") for line in capsys.readouterr().err.splitlines()]
    assert main(["convert", str(tmp_path / "*.bin"), "--to", ".animj", "--output", str(tmp_path / "out")]) == 0
    assert alone and capsys.readouterr().err.splitlines() == [f"4 files, the first {first}: {line}" for line in alone]


@pytest.mark.parametrize("other", [["--to", ".npz"], ["--output", "elsewhere"]])
def test_what_another_call_made_of_the_files_is_not_what_this_one_makes(
    takes: Path, tmp_path: Path, other: list[str], capsys: Any, monkeypatch: Patch
) -> None:
    monkeypatch.chdir(tmp_path)
    (takes / "day 2" / "damaged.w3d").unlink()
    results = tmp_path / "results.jsonl"
    first = ["convert", str(takes), "--to", ".csv", "--output", "out", "--json", "--resume", str(results)]
    results.write_text('{"unfinished\n{"a": 1}\n[1]\n{"file": "x", "output": 3}\n{"file": "y', encoding="utf-8")
    second = [*first, *other]
    for call, expected in ((first, 3), (second, 3), (first, 0), (second, 0)):
        assert main(call) == 0
        said = capsys.readouterr().out
        assert len(said.splitlines()) == expected, call
        with results.open("a", encoding="utf-8") as file:
            file.write(said)
    made = [path for path in (*(tmp_path / "out").rglob("*"), *tmp_path.glob("elsewhere/**/*")) if path.is_file()]
    assert len(made) == 6


def test_a_result_that_was_deleted_is_made_again(tmp_path: Path, ending: str, capsys: Any) -> None:
    """The only one, and one of two of a file; whatever way the folder is called."""
    (tmp_path / "takes").mkdir()
    for source in (WALK, DATA / "w3x" / "g03.w3x"):
        shutil.copy(source, tmp_path / "takes")
    out, results = tmp_path / "out", tmp_path / "results.jsonl"
    call = ["convert", str(tmp_path / "takes"), "--to", ending, "--json", "--overwrite", "--output"]
    assert main([*call, str(out)]) == 0
    results.write_text(capsys.readouterr().out, encoding="utf-8")
    made = {path.name: path.read_bytes() for path in out.iterdir()}
    for name in made:
        (out / name).unlink()
        assert main([*call, str(tmp_path / "takes" / ".." / "out"), "--resume", str(results)]) == 0
        again = {Path(json.loads(line)["file"]).stem for line in capsys.readouterr().out.splitlines()}
        assert again == {name.partition(".")[0].partition("-")[0]}
        assert {path.name: path.read_bytes() for path in out.iterdir()} == made


def test_what_two_files_say_differently(tmp_path: Path, capsys: Capture) -> None:
    walk, slower = SAMPLES / "walk.animj", tmp_path / "slower.animj"
    assert main(["diff", str(walk), str(SAMPLES / "walk.animx")]) == 1, "a textual and a binary form"
    assert "- animx.textual = True\n+ animx.textual = False\n" in capsys.readouterr().out
    told = json.loads(walk.read_text(encoding="utf-8"))
    told["tracks"][0]["data"]["keyframes"][1]["time"] += 0.01
    slower.write_text(json.dumps(told), encoding="utf-8")
    assert main(["diff", str(walk), str(walk)]) == 0 and not capsys.readouterr().out
    assert main(["diff", str(walk), str(slower)]) == 1
    places = {line.split(" = ")[0] for line in capsys.readouterr().out.splitlines()}
    assert places == {"- animx.tracks[0].times[1]", "+ animx.tracks[0].times[1]"}
    for name in ("none.animj", "n" * 300):
        assert main(["diff", str(walk), str(tmp_path / name)]) == 2 and name in capsys.readouterr().err
    spare = [tmp_path / "1.w3d", tmp_path / "2.w3d"]
    for path in spare:
        path.write_bytes(WALK.read_bytes() + b"\x45\x23\1\0\x2d\1\0\0" + bytes(300) + path.stem.encode())
    assert main(["diff", *map(str, spare)]) == 1 and "= 301 bytes, CRC-32 " in capsys.readouterr().out
    assert main(["diff", str(WALK), str(spare[0])]) == 1 and "+ w3d" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["dump", *map(str, spare)])


def test_lint_says_what_is_wrong_and_where(tmp_path: Path, capsys: Capture) -> None:
    assert main(["lint", str(SAMPLES)]) == 0 and capsys.readouterr().out.count("nothing wrong") == 8
    told = json.loads((SAMPLES / "walk.animj").read_text(encoding="utf-8"))
    long = [row["data"] for row in told["tracks"] if len(row["data"].get("keyframes", ())) > 3]
    turn, place = (next(data for data in long if data["property"] == name) for name in ("Rotation", "Position"))
    for part in "xyzw":
        turn["keyframes"][2]["value"][part] *= 0.9  # the worst of two
        turn["keyframes"][1]["value"][part] *= 1.05
    place["keyframes"][1]["time"], place["keyframes"][2]["time"] = (place["keyframes"][at]["time"] for at in (2, 1))
    (wrong := tmp_path / "wrong.animj").write_text(json.dumps(told), encoding="utf-8")
    well, none = (DATA / "w3x" / "g03.w3x").read_bytes(), tmp_path / "none.w3x"
    begin = well.rindex(b"<W3DAnimation", 0, at := well.index(b"+3.5e-1"))
    end = well.index(b"</W3DAnimation>", at) + len(b"</W3DAnimation>")
    none.write_bytes(well[:end] + well[begin:].replace(b"+3.5e-1", b"NaN"))  # in the second animation
    assert main(["lint", str(none), str(wrong), str(tmp_path / "none.bin"), str(SAMPLES / "walk.animx")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(turn["node"] in line and f"{turn['keyframes'][2]['time']:.4g} s is 0.9 times" in line for line in lines)
    assert any("in order of time" in line for line in lines)
    assert any("1 key is no finite number, the first at 0.1 s" in line for line in lines)
    assert sum("walk.animx: nothing wrong" in line for line in lines) == sum("none.bin" in line for line in lines) == 1


def test_lint_names_what_occurs_twice(tmp_path: Path, capsys: Capture) -> None:
    skeleton, twice = DATA / "w3d" / "g02_skl.w3d", tmp_path / "twice.w3d"
    twice.write_bytes(skeleton.read_bytes().replace(b"BONE_02", b"BONE_01"))
    assert main(["lint", str(skeleton)]) == 0
    # a sound file's quaternions are as long as adaptive delta's steps leave them, 0.8 % off here
    assert main(["lint", str(DATA / "w3d" / "g04_ad_17f.w3d")]) == 0
    assert main(["lint", str(twice)]) == 1 and "2 nodes are called 'BONE_01'" in capsys.readouterr().out
    (alone := tmp_path / "alone" / "walk.w3d").parent.mkdir()
    shutil.copy(DATA / "w3d" / "g02_tc_default.w3d", alone)
    assert main(["lint", str(alone)]) == 1 and capsys.readouterr().out.count("\n") == 1, "stand-ins have no names"
    (alone.parent / skeleton.name).write_bytes(skeleton.read_bytes() + bytes(2 << 20))
    assert main(["lint", "--limit-mib", "1", str(alone)]) == 1 and "limit of 1048576 " in capsys.readouterr().out
    twice.write_bytes(skeleton.read_bytes() + b"spare")
    assert main(["lint", str(twice)]) == 1 and "5 bytes after the end of the data" in capsys.readouterr().out


def test_whoever_has_read_enough_is_told_nothing() -> None:
    """As of any program before `head`; the rest is more than a pipe holds."""
    call = [sys.executable, "-m", "io_formats", "dump", str(SAMPLES / "two_hands_mrtk_1.1.bin")]
    with subprocess.Popen(call, cwd=SAMPLES.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None and run.stderr is not None
        assert run.stdout.readline() == "mrtk = Document\n"
        run.stdout.close()
        assert run.stderr.read() == "" and run.wait() == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes them")
def test_closed_outputs_lose_no_work_and_no_file_takes_their_numbers(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "io_formats", "convert", SAMPLES / "walk.animx", SAMPLES / "walker", "--to", ".csv"]
    made: list[dict[str, bytes]] = []
    for output, closing in ((tmp_path / "open", ""), (tmp_path / "closed", " >&- 2>&- <&-")):
        command = ["sh", "-c", f'exec "$@"{closing}', "sh", *map(str, call), "--output", str(output)]
        assert subprocess.run(command, cwd=SAMPLES.parent, stdout=subprocess.PIPE).returncode == 0
        made.append({path.name: path.read_bytes() for path in output.rglob("*.csv")})
    assert made[0] == made[1] and len(made[0]) == 2


def test_a_library_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: Patch, capsys: Capture) -> None:
    walk, out = str(SAMPLES / "walk.animj"), tmp_path / "out"
    table = ["convert", walk, "--to", ".parquet", "--output", str(out)]
    for library, call in (("matplotlib", ["plot", walk, f"{out}.svg"]), ("pyarrow", table)):
        monkeypatch.setitem(sys.modules, library, None)
        assert main(call) == 2 and library in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    with pytest.raises(ModuleNotFoundError):
        console.guarded(lambda: len(importlib.import_module("no_such").__name__))


def test_very_many_files_of_one_are_asked_for(tmp_path: Path, monkeypatch: Patch, capsys: Capture) -> None:
    with pytest.raises(FormatError, match="101 files"):
        any(map(batch_files.Outputs(many=False).allow, (100, 101)))
    batch_files.Outputs().allow(101)
    monkeypatch.setattr(batch_files, "MANY", 1)
    call = ["convert", str(DATA / "w3x" / "g03.w3x"), str(tmp_path / "two.npz")]
    assert main(call) == 1 and "2 files; add --yes" in capsys.readouterr().err and not list(tmp_path.iterdir())
    assert main([*call, "--yes"]) == 0 and len(list(tmp_path.iterdir())) == 2
    assert capsys.readouterr().out.count(".npz") == 2


def test_files_of_one_name_keep_their_endings(tmp_path: Path, ending: str, capsys: Any) -> None:
    """And those that are one to some disks; what a run made under another name is none of them."""
    for name in ("walk.animj", "Walk.animx"):
        shutil.copy(SAMPLES / name.lower(), tmp_path / name)
    assert main(["convert", str(tmp_path / "walk.animj"), "--to", ending, "--json"]) == 0
    (tmp_path / "rows").write_text(capsys.readouterr().out, "utf-8")
    assert main(["convert", str(tmp_path), "--to", ending, "--resume", str(tmp_path / "rows")]) == 0
    assert "Walk.animx becomes Walk.animx" in capsys.readouterr().err
    wanted = {f"{name}{ending}" for name in ("walk", "walk.animj", "Walk.animx")}
    assert {path.name for path in tmp_path.glob(f"*{ending}")} == wanted


def test_parts_share_a_folder(takes: Path, tmp_path: Path, capsys: Any) -> None:
    for part in ("1/3", "2/3", "3/3"):
        call = ["convert", str(takes), "--to", ".npz", "--output", str(tmp_path / "out"), "--part", part, "--exit-zero"]
        assert main(call) in (0, 2)
    assert len(list((tmp_path / "out").rglob("*.npz"))) == 3
    names = [Path(f"{number}.bin") for number in range(30)]
    founds = ([batch_files.Found(Path(mount) / name, name) for name in names] for mount in ("a", "b"))
    first, second = ({path.name for path in batch_files.files_of_part(found, 2, 3)} for found in founds)
    assert first == second == {f"{at}.bin" for at in (7, 10, 16, 17, 20, 26, 27)}, "wherever the folder is, and later"


@pytest.mark.parametrize("names", [["a.w3d"], ["a.w3d", "b.glb", "c.glb"], ["a.w3d", "b.glb", "--output", "x"]])
def test_without_an_ending_there_are_two_names(names: list[str], capsys: Any) -> None:
    assert main(["convert", *names]) == 2
    assert "expected two names" in capsys.readouterr().err


def test_an_empty_name_is_not_the_folder_that_one_is_in(tmp_path: Path, monkeypatch: Patch, capsys: Any) -> None:
    """As a shell's variable that was never set leaves one."""
    shutil.copy(DATA.parents[1] / "samples" / "walk.animx", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["convert", "", "--to", ".npz"]) == 2 and main(["info", ""]) == 2
    assert capsys.readouterr().out == "" and not list(tmp_path.glob("*.npz"))


def test_a_python_without_numpy_is_told_so() -> None:
    call = [sys.executable, "-S", "-m", "io_formats", "info", str(DATA / "w3d" / "g02_tc_default.w3d")]
    done = subprocess.run(call, capture_output=True, text=True, cwd=DATA.parents[1], check=False)
    assert done.returncode == 2 and "pip install numpy" in done.stderr and done.stderr.count("\n") == 1


def test_thousands_of_short_animations_are_reckoned_first(tmp_path: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """Each costs the processor's time, however few keys it has; here one as much as thousands."""
    monkeypatch.setattr(glb, "_TRACK_SECONDS", 5.0)
    call = ["convert", str(DATA / "w3x" / "g03.w3x"), str(tmp_path / "g03.glb"), "--time-s", "5"]
    assert main(call) == 1 and "the limit is 5" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_loop_of_very_many_rounds_is_reckoned_first() -> None:
    """A curve that repeats every ten milliseconds, through an hour."""
    times = np.linspace(0.0, 0.01, 2000)
    track = Track("a", "location", times, np.zeros((3, 2000)), np.ones(2000, np.uint8), width=3, after=Wrap.REPEAT)
    with memory.limited(64), pytest.raises(FormatError, match="memory"):
        trim_track(track, 0.0, 3600.0)
    with memory.limited(64):
        assert len(trim_track(track, 0.0, 0.1).times) >= 20000 - 10
