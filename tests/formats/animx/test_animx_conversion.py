"""From and to the other two worlds, without Blender, held against the other formats' own numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from io_formats import animx
from io_formats.__main__ import main
from tests.support.animx_records import Record, records

DATA = Path(__file__).parents[2] / "data"


def test_an_animj_is_verified_as_animj(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the writer of AnimJ loses is found, in a file that has other bytes but means the same."""
    text = (DATA / "animx" / "08_walk.animj").read_text()
    path = tmp_path / "walk.json"
    path.write_text(json.dumps(json.loads(text), indent=1))
    assert main(["verify", str(path), str(DATA / "animx" / "08_walk_lzma_noeos.animx")]) == 0
    write, own = animx.animj_write.write.steps, tmp_path / "own.animj"
    own.write_bytes(animx.write_animj(animx.read(text.encode())))
    monkeypatch.setattr(
        animx.animj_write.write, "steps", lambda document, report: write(replace(document, name="talk"))
    )
    assert main(["verify", str(own)]) == 1 == main(["verify", str(path)]), "of the same length, and of another"
    assert f"{path}: written again, it differs from byte 1 on; keep" in capsys.readouterr().out, "of the line's end"


SAMPLES = [
    path
    for path in sorted((DATA / "animx").rglob("*.anim[jx]"))
    # JSON cannot hold the NaN of one, and the last is a large one for benchmarks
    if not path.name.startswith("bad") and path.name not in ("13_odd_times.animx", "curve_lzma.animx")
]
LOOSE = [path for path in SAMPLES if path.parent.name == "animj"]
"""AnimJ that says things in other ways than the engine, such as a type in lower case."""


def content(path: Path) -> list[Record]:
    """What a sample says; a file of others has the orders that its name tells."""
    time_first = "_tv" in path.stem or path.parent.name == "resonite-core"
    return records(path.read_bytes(), time_first=time_first, right_first="_rl" in path.stem)


@pytest.mark.parametrize(
    ("ending", "flags"),
    [
        *((ending, flags) for ending in (".animj", ".animx") for flags in ([], ["--node-kind", "OBJECT"])),
        (".animx", ["--container", "LZMA"]),
    ],
    ids=str,
)
def test_a_file_that_stays_in_the_family_keeps_every_track(ending: str, flags: list[str], tmp_path: Path) -> None:
    """All tracks in their order, each with its type, its keys and their numbers; held against a reader of the tests."""
    compared = 0
    for source in SAMPLES:
        target = tmp_path / f"{source.stem}{ending}"  # keeps what the name tells of the orders
        target = target if source.parent.name == "animx" else tmp_path / source.parent.name / target.name
        target.parent.mkdir(exist_ok=True)
        target.unlink(missing_ok=True)
        assert main(["convert", str(source), str(target), *flags]) == 0, source.name
        came_from_binary = source.suffix == ending == ".animx"
        found = content(target) if came_from_binary else records(target.read_bytes())
        if source in LOOSE:
            assert len(found) == len(json.loads(source.read_text(encoding="utf-8-sig"))["tracks"]), source.name
            continue
        assert found == content(source), source.name
        compared += 1
    assert compared == len(SAMPLES) - len(LOOSE) > 50


@pytest.mark.parametrize("source", LOOSE, ids=lambda path: path.stem)
def test_loose_animj_says_the_same_in_both_forms(source: Path, tmp_path: Path) -> None:
    made = [tmp_path / f"made{ending}" for ending in (".animj", ".animx")]
    for target in made:
        assert main(["convert", str(source), str(target)]) == 0
    textual, binary = (records(target.read_bytes()) for target in made)
    assert textual == binary


def test_a_key_order_is_that_of_the_file_written(tmp_path: Path) -> None:
    source = DATA / "animx" / "06_bezier_vt_lr.animx"
    target = tmp_path / "time_first.ANIMX"
    assert main(["convert", str(source), str(target), "--key-order", "TIME", "--tangent-order", "RIGHT"]) == 0
    assert records(target.read_bytes(), time_first=True, right_first=True) == records(source.read_bytes())
    target = tmp_path / "time_first.animj"  # of which it says how the source is read, that has another
    assert main(["convert", str(source), str(target), "--key-order", "TIME"]) == 1 and not target.exists()


def test_keys_whose_tangents_look_exchanged_are_written_with_a_warning(tmp_path: Path, capsys: Any) -> None:
    """Of the outer ones, which shape nothing, those that are the value are the inner ones here."""
    first = {"time": 0.0, "value": 1.0, "leftTangent": 5.0, "rightTangent": 1.0, "interpolation": "CubicBezier"}
    last = {"time": 1.0, "value": 2.0, "leftTangent": 2.0, "rightTangent": 7.0, "interpolation": "CubicBezier"}
    data = {"node": "n", "property": "p", "keyframes": [first, last]}
    track = {"trackType": "Curve", "valueType": "float", "data": data}
    source, target = tmp_path / "bent.animj", tmp_path / "bent.animx"
    source.write_text(json.dumps({"name": "", "globalDuration": 1.0, "tracks": [track]}))
    assert main(["convert", str(source), str(target)]) == 0
    assert "a key's two tangents, can be taken for each other" in capsys.readouterr().err
    assert records(target.read_bytes()) == records(source.read_bytes())


@pytest.mark.parametrize("time_first", [False, True])
@pytest.mark.parametrize("times", [(-1.0, 1.0), (0.5, 1.8)])
def test_keys_whose_values_look_like_times_are_written_with_a_warning(
    times: tuple[float, float], time_first: bool, tmp_path: Path, capsys: Any
) -> None:
    """No disk is to blame where a reader that weighs both orders takes the wrong one."""
    keys = [{"time": time, "value": value, "interpolation": "Linear"} for time, value in zip(times, (0.0, 1.0))]
    track = {"trackType": "Curve", "valueType": "float", "data": {"node": "n", "property": "p", "keyframes": keys}}
    source, target = tmp_path / "ramp.animj", tmp_path / "ramp.animx"
    source.write_text(json.dumps({"name": "", "globalDuration": 1.0, "tracks": [track]}))
    order = "TIME" if time_first else "VALUE"
    assert main(["convert", str(source), str(target), "--key-order", order]) == 0
    assert "taken for each other" in capsys.readouterr().err
    assert records(target.read_bytes(), time_first=time_first) == records(source.read_bytes())
    again = tmp_path / "again.animj"
    assert main(["convert", str(target), str(again), "--key-order", order]) == 0
    assert records(again.read_bytes()) == records(source.read_bytes())


@pytest.mark.parametrize("flags", ["--axes FBX", "--axes MANUAL --up-axis Z", "--still-channels", "--no-left-handed"])
def test_what_needs_to_know_the_model_is_refused(flags: str, tmp_path: Path, capsys: Any) -> None:
    """A file names neither its space nor the parents of its nodes, so no numbers of another space can be computed."""
    target = tmp_path / "walk.animx"
    assert main(["convert", str(DATA / "animx" / "08_walk.animj"), str(target), *flags.split()]) == 1
    why = "changes nothing without --axes MANUAL" if "handed" in flags else "import the file into Blender"
    assert why in capsys.readouterr().err and not target.exists()


def test_a_factor_changes_places_only(tmp_path: Path) -> None:
    source, target = DATA / "animx" / "16_properties.animj", tmp_path / "twice.animx"
    assert main(["convert", str(source), str(target), "--scale", "2"]) == 0
    assert records(target.read_bytes()) == records(source.read_bytes())
    walk = DATA / "animx" / "08_walk.animj"
    assert main(["convert", str(walk), str(tmp_path / "walk.animx"), "--scale", "2"]) == 0
    for old, new in zip(records(walk.read_bytes()), records((tmp_path / "walk.animx").read_bytes()), strict=True):
        factor = 2 if old.property == "Position" else 1
        expected = [
            tuple(repr(factor * float(number)) for number in key[-1 - (old.kind == "Curve")]) for key in old.keys
        ]
        assert [key[-1 - (new.kind == "Curve")] for key in new.keys] == expected


@pytest.mark.parametrize("asked", [[], ["--scale", "2"]])
def test_an_animx_made_of_an_animj_without_duration_plays(tmp_path: Path, asked: list[str]) -> None:
    """Nothing plays in an AnimX of no length; in an AnimJ that is the longest track's."""
    for name in ("14_duration0.animj", "animj/ok_no_duration.animj"):
        target = tmp_path / Path(name).with_suffix(".animx").name
        assert main(["convert", str(DATA / "animx" / name), str(target), *asked]) == 0
        keys = json.loads((DATA / "animx" / name).read_text())["tracks"][0]["data"]["keyframes"]
        assert float(animx.read(target.read_bytes()).duration) == keys[-1]["time"] > 0
