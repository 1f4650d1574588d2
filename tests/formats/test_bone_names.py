"""Names of a file and names of a rig that mean the same joint."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from io_formats import messages as common_messages
from io_formats.clip import messages as clip_messages
from io_formats.clip.bone_names import load_table, match_names, plain_name, table_text
from io_formats.errors import FormatError


@pytest.mark.parametrize(
    ("wanted", "bone"),
    [
        ("Hips", "hips"),
        ("Upper Arm.L", "upperarm_l"),
        ("UPPER_ARM_L", "UpperArm.L"),
        ("LeftArm", "mixamorig:LeftArm"),
        ("LeftArm", "Arm.L"),
        ("LeftArm", "\uff21\uff52\uff4d.\uff2c"),  # in wide letters
        ("arm_left", "Left arm"),
        ("Spine 01", "spine_1"),
        ("rig|Head", "other:head"),
    ],
)
def test_names_that_mean_the_same(wanted: str, bone: str) -> None:
    assert match_names([wanted], [bone]) == {wanted: bone}


def test_a_shared_prefix_does_not_matter() -> None:
    rig = ["J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_L_UpperArm", "J_Bip_R_UpperArm", "J_Bip_C_Head"]
    assert match_names(["UpperArm.L", "UpperArm.R"], rig) == {
        "UpperArm.L": "J_Bip_L_UpperArm",
        "UpperArm.R": "J_Bip_R_UpperArm",
    }
    assert match_names(["Claw"], ["l_claw", "l_horn"]) == {}, "but a side does"


def test_the_very_name_comes_before_any_rule() -> None:
    assert match_names(["arm", "Arm"], ["Arm", "arm"]) == {"arm": "arm", "Arm": "Arm"}


def test_what_means_another_or_more_than_one_is_left_out_and_a_bone_is_taken_once() -> None:
    for wanted, bones in (("Arm.L", "Arm.R"), ("Spine1", "Spine2"), ("Arm", "Arm.L"), ("Head", "Hand")):
        assert match_names([wanted], [bones]) == {}
    assert match_names(["HEAD"], ["Head", "head"]) == match_names(["Head", "head"], ["HEAD"]) == {}
    assert match_names(["Hand.L", "hand_l"], ["Hand.L", "x"]) == {"Hand.L": "Hand.L"}


def test_a_table_comes_first_and_unknown_pairs_do_not_count() -> None:
    table = {"Hips": "Pelvis", "Head": "Gone", "Neck": "Skull"}
    assert match_names(["Hips", "Head"], ["Hips", "Pelvis", "Head"], table) == {"Hips": "Pelvis", "Head": "Head"}


def test_plain_names() -> None:
    assert plain_name("rig:Upper Arm_01.L") == "upperarm1.l"


@pytest.mark.parametrize("name", ["namen ü.json", os.fsdecode(b"names\xff.json")])
def test_a_table_survives_its_file(tmp_path: Path, name: str) -> None:
    if sys.platform != "linux" and "ü" not in name:
        pytest.skip("file names are Unicode here")
    path = tmp_path / name
    path.write_text(table_text({"Wrist.L": "手_l"}), encoding="utf-8")
    assert load_table(path) == {"Wrist.L": "手_l"}


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[]", b"{}", b'{"kind": "anim_curves_names", "names": {"a": 1}}', b'{"names": {"a": "b"}}',
        b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b"9" * 5000,
    ],
)  # fmt: skip
def test_other_files_are_no_tables(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "table.json"
    path.write_bytes(text)
    with pytest.raises(FormatError) as caught:
        load_table(path)
    assert caught.value.template == clip_messages.NO_NAME_TABLE
    assert caught.value.file == str(path)


def test_a_missing_table_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        load_table(tmp_path / "none.json")
    assert caught.value.template == common_messages.CANNOT_OPEN


def test_a_table_that_is_too_large_is_told_the_limit_that_there_is(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    with path.open("wb") as stream:
        stream.truncate((16 << 20) + 1)
    with pytest.raises(FormatError) as caught:
        load_table(path)
    assert caught.value.template == clip_messages.NAME_TABLE_TOO_LARGE
    assert caught.value.values["limit"] == 16 << 20
