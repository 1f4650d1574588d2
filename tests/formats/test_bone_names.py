"""Names of a file and names of a rig that mean the same joint."""

from __future__ import annotations

from pathlib import Path

import pytest

from io_formats import messages as common_messages
from io_formats.clip import messages as clip_messages
from io_formats.clip.bone_names import load_table, match_names, plain_name, read_hands, table_text
from io_formats.errors import FormatError

FINGERS = ("Index", "Middle", "Ring", "Pinky")
MRTK = [
    f"{joint}.{side}"
    for side in "LR"
    for joint in (
        "Wrist",
        "Palm",
        "ThumbMetacarpalJoint",
        "ThumbProximalJoint",
        "ThumbDistalJoint",
        "ThumbTip",
        *(
            f"{finger}{part}"
            for finger in FINGERS
            for part in ("Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip")
        ),
    )
]


@pytest.mark.parametrize(
    ("wanted", "bone"),
    [
        ("Hips", "hips"),
        ("Upper Arm.L", "upperarm_l"),
        ("UPPER_ARM_L", "UpperArm.L"),
        ("LeftArm", "mixamorig:LeftArm"),
        ("LeftArm", "Arm.L"),
        ("arm_left", "Left arm"),
        ("Spine 01", "spine_1"),
        ("rig|Head", "other:head"),
    ],
)
def test_names_that_mean_the_same(wanted: str, bone: str) -> None:
    assert match_names([wanted], [bone]) == {wanted: bone}


@pytest.mark.parametrize(
    ("wanted", "bone"), [("Arm.L", "Arm.R"), ("Spine1", "Spine2"), ("Arm", "Arm.L"), ("Head", "Hand")]
)
def test_names_that_do_not(wanted: str, bone: str) -> None:
    assert match_names([wanted], [bone]) == {}


def test_a_shared_prefix_does_not_matter() -> None:
    rig = ["J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_L_UpperArm", "J_Bip_R_UpperArm", "J_Bip_C_Head"]
    assert match_names(["UpperArm.L", "UpperArm.R"], rig) == {
        "UpperArm.L": "J_Bip_L_UpperArm",
        "UpperArm.R": "J_Bip_R_UpperArm",
    }


def test_the_very_name_comes_before_any_rule() -> None:
    assert match_names(["arm", "Arm"], ["Arm", "arm"]) == {"arm": "arm", "Arm": "Arm"}


def test_what_is_ambiguous_is_left_out() -> None:
    assert match_names(["HEAD"], ["Head", "head"]) == {}
    assert match_names(["Head", "head"], ["HEAD"]) == {}


def test_a_bone_is_taken_once() -> None:
    assert match_names(["Hand.L", "hand_l"], ["Hand.L", "x"]) == {"Hand.L": "Hand.L"}


def test_a_table_comes_first_and_unknown_pairs_do_not_count() -> None:
    table = {"Hips": "Pelvis", "Head": "Gone", "Neck": "Skull"}
    assert match_names(["Hips", "Head"], ["Hips", "Pelvis", "Head"], table) == {"Hips": "Pelvis", "Head": "Head"}


@pytest.mark.parametrize(
    ("name", "early_thumb", "key"),
    [
        ("IndexKnuckle.L", False, "l index 1"),
        ("MiddleMiddleJoint.R", False, "r middle 2"),
        ("PinkyMetacarpal.L", False, "l pinky 0"),
        ("ThumbMetacarpalJoint.L", False, "l thumb 1"),
        ("ThumbProximalJoint.R", False, "r thumb 2"),
        ("ThumbDistalJoint.R", False, "r thumb 3"),
        ("ThumbTip.R", False, "r thumb 4"),
        ("leftThumbDistal", True, "l thumb 3"),
        ("mixamorig:LeftHandThumb3", False, "l thumb 3"),
        ("J_Bip_R_Little2", False, "r pinky 2"),
        ("leftThumbProximal", True, "l thumb 1"),
        ("leftThumbProximal", False, "l thumb 2"),
        ("f_index.01.L", False, "l index 1"),
        ("hand_l", False, "l wrist"),
        ("Wrist.R", False, "r wrist"),
        ("Head", False, ""),
        ("IndexKnuckle", False, ""),
    ],
)
def test_hand_joints(name: str, early_thumb: bool, key: str) -> None:
    rig = [name, "leftThumbIntermediate"] if early_thumb else [name]
    assert read_hands(rig).joints.get(name, "") == key


def mixamo_hands() -> list[str]:
    return [
        f"mixamorig:{side}Hand{rest}"
        for side in ("Left", "Right")
        for rest in ("", *(f"{finger}{number}" for finger in ("Thumb", *FINGERS) for number in (1, 2, 3, 4)))
    ]


def vroid_hands() -> list[str]:
    fingers = ("Thumb", "Index", "Middle", "Ring", "Little")
    return [
        f"J_Bip_{side}_{rest}"
        for side in "LR"
        for rest in ("Hand", *(f"{finger}{number}" for finger in fingers for number in (1, 2, 3)))
    ]


@pytest.mark.parametrize("rig", [mixamo_hands(), vroid_hands()], ids=["Mixamo", "VRoid"])
def test_a_recording_finds_every_bone_of_common_hands(rig: list[str]) -> None:
    pairs = match_names(MRTK, [*rig, "Hips", "LeftArm"])
    assert set(pairs.values()) == set(rig)
    assert all(name[-1] == ("L" if "Left" in bone or "_L_" in bone else "R") for name, bone in pairs.items())


def test_the_finger_bones_are_the_right_ones() -> None:
    pairs = match_names(MRTK, mixamo_hands())
    assert pairs["Wrist.L"] == "mixamorig:LeftHand"
    assert pairs["ThumbMetacarpalJoint.L"] == "mixamorig:LeftHandThumb1"
    assert pairs["RingKnuckle.R"] == "mixamorig:RightHandRing1"
    assert pairs["PinkyTip.R"] == "mixamorig:RightHandPinky4"


def test_plain_names() -> None:
    assert plain_name("rig:Upper Arm_01.L") == "upperarm1.l"


def test_a_table_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "namen ü.json"
    path.write_text(table_text({"Wrist.L": "手_l"}), encoding="utf-8")
    assert load_table(path) == {"Wrist.L": "手_l"}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"kind": "anim_curves_names", "names": {"a": 1}}', '{"names": {"a": "b"}}']
)
def test_other_files_are_no_tables(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(text, encoding="utf-8")
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
