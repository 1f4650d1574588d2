"""`python -m io_formats`: every option with every command is honoured, or refused in one sentence that names it."""

from __future__ import annotations

import json
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import FORMATS, INTERCHANGE, format_of, mrtk, target_of
from io_formats.__main__ import main
from io_formats.commands import flags
from io_formats.options import LIMITS
from tests.support.option_reads import flag_and_value, key_of, trace

DATA = Path(__file__).parents[1] / "data"
SAMPLES = {
    ".bin": DATA / "mrtk" / "v11_flags" / "v11_cam1_hand1_gaze1.bin",
    ".w3d": DATA / "w3d" / "g02_tc_default.w3d",
    ".w3x": DATA / "w3x" / "g02.w3x",
    ".animj": DATA / "animx" / "08_walk.animj",
}
SHORT = {**SAMPLES, ".animj": DATA / "animx" / "14_duration0.animj"}
"""Where an option is refused, whatever the file holds."""

MADE = [ending for kind in INTERCHANGE for ending in kind.extensions]
CLASSES = [getattr(package, side) for package in FORMATS for side in ("import_options", "export_options")]
CODECS = [getattr(package, side) for package in FORMATS for side in ("read_options", "write_options")]
CODECS += [kind.write_options for kind in INTERCHANGE]
OPTIONS = [(options_class, declared) for options_class in CLASSES for declared in fields(options_class)]
NAMES = {declared.name for _, declared in OPTIONS}


def given(name: str) -> list[str]:
    return flag_and_value(next(declared for _, declared in OPTIONS if declared.name == name))


def test_what_convert_offers_it_looks_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Each option that is not refused is read on the way from one format into another."""
    read = trace(monkeypatch, *CODECS)
    for source, target in product(SAMPLES, [*SAMPLES, *MADE]):
        for version in ("1.0", "1.1") if target == ".bin" else ("",):
            flags = ["--version", version, "--drop-gaze"] if version else []
            main(["convert", str(SAMPLES[source]), str(tmp_path / f"{source[1:]}{version}{target}"), *flags])
    main(["convert", str(SAMPLES[".bin"]), str(tmp_path / "packed.animx")])
    for source, path in SAMPLES.items():
        main(["convert", str(path), str(tmp_path / f"{source[1:]}_thin.animj"), "--smooth", "--thin"])
    offered = {
        key_of(kind, declared.name) for kind in CODECS for declared in fields(kind) if declared.metadata["convert"]
    }
    followed_by_exports = {
        key_of(kind, name)
        for kind in CODECS[: 2 * len(FORMATS) : 2]
        for name in ("scale", "forward", "up", "rig_layer", "one_hand")
    }
    the_readers = {key_of(kind, name) for kind in CODECS for name in LIMITS}
    assert sorted(offered - read - followed_by_exports - the_readers) == []


@pytest.mark.parametrize(("source", "target"), list(product(SAMPLES, [*SAMPLES, *MADE])), ids="".join)
def test_convert_refuses_by_name_what_it_cannot_honour(source: str, target: str, tmp_path: Path, capsys: Any) -> None:
    """Options of a scene, and those that neither of the two formats has."""
    kinds = (format_of(source).read_options, target_of(target).write_options)
    honoured = {declared.name for kind in kinds for declared in fields(kind) if declared.metadata["convert"]}
    out = tmp_path / f"out{target}"
    for name in sorted(NAMES - honoured):
        assert main(["convert", str(SHORT[source]), str(out), *given(name)]) == 1, name
        said = capsys.readouterr().err
        assert f"--{name.replace('_', '-')} is " in said and said.count("\n") == 1
        assert not out.exists()


@pytest.mark.parametrize("command", ["info", "verify"])
def test_info_and_verify_refuse_all_but_the_limits(command: str, capsys: Any) -> None:
    for name in sorted(NAMES - {*LIMITS}):
        with pytest.raises(SystemExit) as ended:
            main([command, str(SAMPLES[".w3d"]), *given(name)])
        assert ended.value.code == 2
        assert f"unrecognized arguments: --{name.replace('_', '-')}" in capsys.readouterr().err
    assert main([command, str(SAMPLES[".w3d"]), *(word for name in LIMITS for word in given(name))]) == 0
    assert command != "info" or ", form timecoded, frames " in capsys.readouterr().out


def positions(path: Path, node: str) -> Any:
    """The positions of a node in an AnimJ file."""
    for track in json.loads(path.read_text(encoding="utf-8"))["tracks"]:
        if (track["data"]["node"], track["data"]["property"]) == (node, "Position"):
            return np.array([[key["value"][axis] for axis in "xyz"] for key in track["data"]["keyframes"]])
    raise AssertionError(node)


@pytest.mark.parametrize("source", [".bin", ".animj"])
def test_a_scale_counts_once(source: str, tmp_path: Path) -> None:
    found = []
    for scale in ("1", "2"):
        out = tmp_path / f"{scale}.animj"
        assert main(["convert", str(SAMPLES[source]), str(out), "--scale", scale]) == 0
        node = json.loads(out.read_text(encoding="utf-8"))["tracks"][0]["data"]["node"]
        found.append(positions(out, node))
    assert np.abs(found[0]).max() > 0
    assert np.allclose(found[1], 2 * found[0], rtol=1e-5)


def test_behind_two_dashes_there_are_names_alone() -> None:
    assert flags.joined(["info", "--", "--odd", "-Z"]) == ["info", "--", "--odd", "-Z"]
    assert flags.joined(["convert", "--up", "-z"]) == ["convert", "--up=-z"]


@pytest.mark.parametrize("target", [".bin", ".w3d"])
def test_forward_turns_once(target: str, tmp_path: Path) -> None:
    """What lay along Blender's Y lies along X in the file: MRTK's forward (z) becomes its right (x)."""
    outs = [tmp_path / f"{name}{target}" for name in ("as_is", "turned")]
    assert main(["convert", str(SAMPLES[".bin"]), str(outs[0])]) == 0
    assert main(["convert", str(SAMPLES[".bin"]), str(outs[1]), "--forward", "X"]) == 0
    if target == ".w3d":
        assert outs[0].read_bytes() != outs[1].read_bytes()
        return
    plain, turned = (mrtk.read(out.read_bytes()).left.joints[1].position for out in outs)
    forward, right = plain[2].keys["value"], turned[0].keys["value"]
    assert np.allclose(right, forward, rtol=1e-6) and np.abs(right).max() > 0


@pytest.mark.parametrize(
    ("flag", "value", "allowed"),
    [
        ("--scale", "wide", "choose a number"),
        ("--limit-mib", "1.5", "choose a whole number"),
        ("--scale", "0", "goes from 0.000001 to 1000000"),
        ("--tolerance", "0", "goes from 0.00000001 to 0.1"),
        ("--engine", "often", "RENEGADE"),
        ("--jobs", "2", "each with its --part K/N"),
        ("--limit", "5", "unrecognized arguments"),  # which is not spelled out
    ],
)
def test_malformed_values_are_refused_with_what_is_allowed(
    flag: str, value: str, allowed: str, tmp_path: Path, capsys: Any
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["convert", str(SAMPLES[".w3d"]), str(tmp_path / "a.animj"), flag, value])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert flag in said and allowed in said


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ("--smooth-cutoff 2", "--smooth"),
        ("--no-smooth --smooth-turning 2", "--smooth"),
        ("--thin-location 2", "--thin"),
        ("--version 1.0 --drop-gaze --location-tolerance 0.01", "--version AUTO or --version 1.1"),
    ],
)
def test_what_does_nothing_without_another_is_refused(given: str, needed: str, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out.bin"
    assert main(["convert", str(SAMPLES[".bin"]), str(out), *given.split()]) == 1
    flag = given.split()[-2]
    assert f": {flag} changes nothing without {needed}; add that, or leave it out\n" in capsys.readouterr().err
    assert not out.exists()
    given = "--thin --thin-rotation 1 --version 1.1 --location-tolerance 0.01"
    assert main(["convert", str(SAMPLES[".bin"]), str(out), *given.split()]) == 0
    assert "Fewer Keys kept" in capsys.readouterr().err


@pytest.mark.parametrize("target", [*SAMPLES, *MADE])
def test_what_is_about_a_scene_is_refused_as_that(target: str, tmp_path: Path, capsys: Any) -> None:
    for name in ("bake_to_scene_end", "sampling", "target", "hand_mesh"):
        assert main(["convert", str(SAMPLES[".w3d"]), str(tmp_path / f"out{target}"), *given(name)]) == 1
        assert f"--{name.replace('_', '-')} is an option for scenes in Blender" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "flag", "code"),
    [(".w3d", "--rotation-tolerance 0", 0), (".bin", "--rotation-tolerance 0", 1), (".animj", "--axes AUTO", 0)],
)
def test_a_flag_that_formats_share_takes_what_the_format_written_does(
    target: str, flag: str, code: int, tmp_path: Path, capsys: Any
) -> None:
    """A tolerance of zero is right for W3D and none for MRTK; axes are found out for an export alone."""
    found = main(["convert", str(SAMPLES[".bin"]), str(tmp_path / f"out{target}"), *flag.split()])
    assert found == code, capsys.readouterr().err


@pytest.mark.parametrize("pairs", ["hand", "hand=", "=Wrist.L", "hand=Elbow.L", "a=Wrist.L; b"])
def test_malformed_joint_names_are_refused(pairs: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["convert", str(SAMPLES[".bin"]), str(tmp_path / "a.bin"), "--joint-names", pairs]) == 1
    said = capsys.readouterr().err
    assert "joint_names" in said and "expected pairs such as hand_l=Wrist.L" in said
