"""`python -m io_formats convert` between the three worlds, composed here in world space from the files' numbers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import slow_but
from lay import Lay
from scenes.players import animx as animx_player
from scenes.players import mrtk as mrtk_player
from scenes.players import w3d as w3d_player
from scenes.players import w3x as w3x_player

from io_formats import ENDINGS, animx, mrtk, open_file, target_of, w3d, w3x
from io_formats import convert as package
from io_formats.__main__ import main
from io_formats.clip import Clip, Interpolation, Node, Track, Wrap
from io_formats.clip.curve import evaluate
from io_formats.errors import FormatError, Report
from io_formats.files.batch_files import Outputs, Task, left_to_do
from io_formats.files.steps import finished

DATA = Path(__file__).parents[1] / "data"
WALK = DATA / "w3d" / "g09_ad_20b_200f.w3d"
HANDS = DATA / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin"


def convert(source: Path, target: Path, *flags: str) -> Path:
    assert main(["convert", str(source), str(target), *flags]) == 0
    return target


def animations_of(path: Path) -> list[Clip]:
    file = open_file(path)
    return finished(file.clips(file.format.read_options(), Report()))


GOLDENS = [path for kind in ("mrtk", "w3d", "w3x", "animx") for path in sorted((DATA / kind).rglob("*"))]
FORMS = ("version", "form", "rate", "frames", "container", "key_order", "tangent_order")
"""Facts of `info` that say in which version and form a file is."""


def forms(facts: dict[str, Any]) -> dict[str, Any]:
    """What tells version and form, with the kinds of channels."""
    return {name: facts[name] for name in FORMS if name in facts} | {"kinds": {*facts.get("channels", ())}}


@pytest.mark.parametrize("ending", slow_but([".bin", ".animj", ".w3x"], ENDINGS))
def test_a_file_of_its_own_format_keeps_version_and_form(ending: str, tmp_path: Path) -> None:
    """Each golden file that animates anything, with no option; of several animations each has its own form."""
    kept = set()
    for source in (path for path in GOLDENS if path.suffix == ending and not path.name.startswith("bad")):
        out = tmp_path / source.stem
        out.mkdir()
        if main(["convert", str(source), str(out / source.name)]) != 0:
            continue
        old = open_file(source).describe()
        new = [open_file(out / name).describe() for name in sorted(os.listdir(out), key=lambda name: (len(name), name))]
        wanted = [forms(old | one) for one in old.get("animations", [{}])]
        assert [forms(facts | one) for facts in new for one in facts.get("animations", [{}])] == wanted, source.name
        kept |= {repr(form) for form in wanted}
    assert len(kept) > 1 or ending == ".animj"


@pytest.mark.parametrize("ending", [".w3d", ".csv"])
def test_a_skeleton_alone_does_not_stand_for_an_animation_that_is_damaged(
    ending: str, tmp_path: Path, capsys: Any
) -> None:
    text = (DATA / "w3x" / "g02.w3x").read_text(encoding="utf-8")
    (tmp_path / "bad.w3x").write_text(text.replace('NumFrames="', 'NumFrames="x'), encoding="utf-8")
    assert main(["convert", str(tmp_path / "bad.w3x"), str(tmp_path / f"made{ending}")]) == 1
    told = capsys.readouterr().err
    assert "bad.w3x, byte" in told and "NumFrames" in told and "no animation" not in told
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("number", ["NaN", "INF"])
def test_what_is_no_number_is_left_out_and_told(number: str, tmp_path: Path, capsys: Any) -> None:
    """On a straight line, where its neighbours say the same; the whole channel was lost without a word."""
    golden, odd = DATA / "w3x" / "g02.w3x", tmp_path / "g02.w3x"
    odd.write_bytes(golden.read_bytes().replace(b">-0.900000<", f">{number}<".encode()))
    played = [
        w3d_player.Player.of(convert(source, tmp_path / "g02.w3d", "--overwrite").read_bytes()).channels
        for source in (golden, odd)
    ]
    for one, other in zip(*played, strict=True):
        assert np.allclose(one.values, other.values, atol=1e-6)
    assert "a key whose time or value is not a finite number was left out" in capsys.readouterr().err


def pivot_of(name: str, pivots: Any) -> str:
    """The pivot that stands for a joint: W3D has fifteen letters for a name, and numbers what is then the same."""
    joint, _, side = name.partition(".")
    candidates = [name.upper()] if name.upper() in pivots else [f"{joint.upper()[:13]}_1", joint.upper()[:15]]
    return candidates[0] if side == "R" or len(candidates) == 1 else candidates[1]


def test_a_recording_goes_to_w3d(tmp_path: Path) -> None:
    """Every joint at every frame of the file stands where the recording's lines have it."""
    made, recording = convert(HANDS, tmp_path / "hands.w3d").read_bytes(), mrtk_player.Player(HANDS.read_bytes())
    player = w3d_player.Player.of(made)
    for frame in range(player.frames):
        worlds = dict(zip(player.names, player.worlds(frame), strict=True))
        for name in (name for name in recording.keys if name.endswith((".L", ".R")) and recording.has(name)):
            x, y, z = recording.pose(name, frame / 30)[0]  # Unity's X, Y, Z are Blender's X, Z, Y
            assert worlds[pivot_of(name, worlds)][:3, 3] == pytest.approx([x, z, y], abs=1e-5), name


@pytest.mark.parametrize("include", ["AUTO", "INCLUDE"])
@pytest.mark.parametrize(
    "source", [WALK, DATA.parents[1] / "samples" / "walker" / "walker.w3d"], ids=lambda path: path.stem
)
def test_animj_that_knows_no_parents_has_them_from_the_chosen_skeleton(
    source: Path, include: str, tmp_path: Path
) -> None:
    """As the W3D stood that it was made of, also where names tell a body, and the chosen skeleton is in the file."""
    told = convert(source, tmp_path / "told.animj")
    back = convert(told, tmp_path / "back.w3d", "--skeleton", str(source), "--include-skeleton", include)
    before, after = (w3d_player.Player.of(path.read_bytes()) for path in (source, back))
    assert after.names == (before.names if include == "INCLUDE" else []) and after.hierarchy == before.hierarchy
    if include == "AUTO":
        after.names, after.parents, after.bases = before.names, before.parents, before.bases
    for frame in (0, 7, before.frames - 1):
        np.testing.assert_allclose(after.worlds(frame), before.worlds(frame), atol=1e-4)


def test_a_body_stands_on_the_skeleton_that_was_made_of_it(tmp_path: Path) -> None:
    """It lay there: W3D has names in capitals, and a file's own numbers do not know which way is up."""
    walk = DATA.parents[1] / "samples" / "walk.animj"
    made = convert(walk, tmp_path / "made.w3d")
    again = convert(walk, tmp_path / "again.w3d", "--skeleton", str(made), "--include-skeleton", "INCLUDE")
    before, after = (w3d_player.Player.of(path.read_bytes()) for path in (made, again))
    for frame in (0, before.frames - 1):
        np.testing.assert_allclose(after.worlds(frame), before.worlds(frame), atol=1e-4)


def test_a_recording_that_lasts_longer_than_anything_becomes_an_animation(tmp_path: Path) -> None:
    document = mrtk.read((DATA.parents[1] / "samples" / "two_hands_mrtk_1.1.bin").read_bytes())
    for _, curve in document.curves():
        keys = curve.keys.copy()
        keys["time"] *= np.float32(2.5e37)
        curve.keys = keys
    (tmp_path / "long.bin").write_bytes(mrtk.write(document))
    (clip,) = animations_of(convert(tmp_path / "long.bin", tmp_path / "other.animx"))
    assert clip.duration == pytest.approx(1.5e38) and clip.name == "long"


@pytest.mark.parametrize("source", [WALK, DATA / "animx" / "08_walk.animj"], ids=lambda path: path.suffix)
def test_what_has_no_hands_is_refused_in_one_sentence(source: Path, tmp_path: Path, capsys: Any) -> None:
    assert main(["convert", str(source), str(tmp_path / "hands.bin")]) == 1
    said = capsys.readouterr().err.strip()
    assert "MRTK joint" in said and "\n" not in said
    assert not (tmp_path / "hands.bin").exists()


def test_a_file_that_was_replaced_stays_where_a_further_one_fails(tmp_path: Path, capsys: Any) -> None:
    """Its old bytes are gone; and one that somebody removes meanwhile is no matter."""
    first = tmp_path / "two.npz"
    (tmp_path / "two-2.npz").mkdir()
    assert main(["convert", str(DATA / "w3x" / "g03.w3x"), str(first), "--overwrite"]) == 1
    assert "two-2.npz" in capsys.readouterr().err and first.exists()
    for name in ("a.w3x", "a-2.w3x"):  # whose own first output is the second one of the other
        (tmp_path / name).write_bytes((DATA / "w3x" / "g03.w3x").read_bytes())
    assert main(["convert", *map(str, tmp_path.glob("a*.w3x")), "--to", ".csv", "--overwrite"]) == 1
    converting = package.convert.steps(open_file(DATA / "w3x" / "g03.w3x"), tmp_path / "two.csv", target_of(".csv"))
    (tmp_path / "two-2.csv").mkdir()
    with pytest.raises(FormatError, match="something other than a file"):
        finished(converting, lambda _: (tmp_path / "two.csv").unlink(missing_ok=True))


@pytest.mark.parametrize("length", [2.0, 2.02])
@pytest.mark.parametrize("each", [w3d, w3x], ids=["W3D", "W3X"])
def test_where_rounds_meet_the_end_of_one_shows(each: Any, length: float) -> None:
    """On its frame, as in Blender; also where the file's last frame is a moment after the clip's end."""
    shapes = np.full(2, Interpolation.LINEAR, np.uint8)
    rising = Track("a", "location", np.arange(2.0), np.array([[0.0, 1.0]]), shapes, width=3, after=Wrap.REPEAT)
    clip = Clip("", length, nodes=[Node("a")], tracks=[rising])
    (made,) = each.to_clips(each.from_clip(clip, each.WriteOptions(), Report()), each.ReadOptions(), Report())
    wanted = [29 / 30, 1.0, 1 / 30, length % 1 or 1.0]
    assert evaluate(made.tracks[0], np.array([29, 30, 31, 99]) / 30)[0] == pytest.approx(wanted, abs=1e-3)


def test_names_that_a_disk_may_take_for_one_are_one(tmp_path: Path) -> None:
    outputs = Outputs()
    (tmp_path / "linked").symlink_to(tmp_path)
    outputs.claim(tmp_path / "ma\u00df caf\u00e9.w3d", "one")
    with pytest.raises(FormatError, match="two"):
        outputs.claim(tmp_path / "linked" / "MASS CAFE\u0301.w3d", "two")


def test_a_file_that_failed_after_its_first_output_is_left_to_do(tmp_path: Path) -> None:
    """As is one whose output has another name than the task says, where that names it; what was made stays its own."""
    made, tasks = tmp_path / "all.w3d", [Task(Path("all.blend"), tmp_path / name) for name in ("all.w3d", "one.w3d")]
    made.touch()
    outputs, rows = Outputs(), [{"file": "all.blend", "output": str(made)}, {"file": "all.blend", "error": "full"}]
    for count, named, left in ((1, True, tasks[1:]), (1, False, []), (2, True, tasks), (2, False, tasks)):
        assert left_to_do(tasks, rows[:count], outputs, ".w3d", named=named) == left
    with pytest.raises(FormatError, match="all"):
        outputs.claim(made, "other.blend")


def test_all_animations_of_a_file_go_into_the_one_that_is_there(tmp_path: Path) -> None:
    target, new = tmp_path / "unit.w3d", tmp_path / "new.w3d"
    target.write_bytes(Lay.chunk(0, bytes(60), flagged=True) + Lay.hierarchy() + Lay.animation(name="STAND"))
    new.write_bytes(Lay.hierarchy() + Lay.animation(Lay.raw(0, [1.0] * 10, 0, 1)) + Lay.animation(name="RUN"))
    before = target.read_bytes()
    convert(new, target, "--into-existing", "--animation-name", "GO")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.w3d", "unit.w3d"]
    assert target.read_bytes().startswith(before)
    assert [w3d_name(found) for found in w3d.read(target.read_bytes()).animations] == ["STAND", "GO", "RUN"]


@pytest.mark.parametrize("ending", [".w3d", ".w3x"])
def test_a_body_whose_file_names_no_parents_keeps_together(ending: str, tmp_path: Path) -> None:
    """Its head is as far from its hips as the product of what its slots say puts it, each relative to the one before.

    Axes are others in the file that is made, distances are not.
    """
    source = DATA.parents[1] / "samples" / "walk.animj"
    made = convert(source, tmp_path / f"walk{ending}", "--file-rate", "60").read_bytes()
    player = {".w3d": w3d_player, ".w3x": w3x_player}[ending].Player.of(made)
    names = [name.upper() for name in player.names]
    slots = animx_player.Player(source.read_bytes())
    for frame in range(0, player.frames, 15):
        worlds, wanted = player.worlds(frame), np.eye(4)
        for name in ("Spine", "Chest", "Neck", "Head"):
            wanted = wanted @ slots.local(name, frame / 60, np.eye(4))
        apart = np.subtract(*(worlds[names.index(name)][:3, 3] for name in ("HEAD", "HIPS")))
        assert np.linalg.norm(apart) == pytest.approx(np.linalg.norm(wanted[:3, 3]), abs=1e-3)
        assert np.linalg.norm(wanted[:3, 3]) > 0.3


def w3d_name(animation: Any) -> str:
    return animation.header.name.rstrip(b"\0").decode()


def test_a_hand_that_was_not_recorded_is_none_after_another_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That it is never tracked is all that both files know of it."""
    named = convert(DATA.parents[1] / "samples" / "left_hand_mrtk_1.0.bin", tmp_path / "named.animj")
    capsys.readouterr()
    player = mrtk_player.Player(convert(named, tmp_path / "again.bin").read_bytes())
    assert player.has("Wrist.L") and not any(player.has(node) for node in player.keys if node.endswith(".R"))
    assert "Wrist.R" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"writing": mrtk.WriteOptions()}, "another format's; give those of"),
        ({"reading": animx.ReadOptions()}, "another format's; give those of"),
        # in small letters, as flags are: the axes became others, a W3D file was made as it cannot be read
        ({"writing": animx.WriteOptions(axes="fbx")}, "the option Axes cannot be fbx; choose one of AUTO, GLTF, FBX"),
    ],
)
def test_wrong_options_are_refused(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=said):
        package.convert(open_file(HANDS), str(tmp_path / "hand.animj"), animx.FORMAT, **given)
    assert not list(tmp_path.iterdir())


def test_what_was_done_is_no_warning(tmp_path: Path, capsys: Any) -> None:
    """A script that stops at warnings would stop at all that is cut."""
    convert(DATA / "mrtk" / "v10_curve_shapes.bin", tmp_path / "hands.bin", "--version", "1.1", "--json")
    row = json.loads(capsys.readouterr().out)
    told = [any("replaced by straight lines" in line for line in row[kind]) for kind in ("warnings", "notes")]
    assert told == [False, True]
