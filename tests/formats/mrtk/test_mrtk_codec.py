"""Bytes and documents of MRTK recordings: every key as MRTK's own serialiser was given it, and every odd file."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import mrtk_reference
import numpy as np
import pytest

from io_formats import mrtk
from io_formats.errors import FormatError, Report
from io_formats.mrtk import layout
from io_formats.mrtk.document import Curve, Document, Hand, Marker, Pose, Ray

DATA = Path(__file__).parents[2] / "data" / "mrtk"
GOLDENS = sorted(path for path in DATA.rglob("*.bin") if path.parent.name != "bad")
BAD = DATA / "bad"


def named(paths: list[Path]) -> Any:
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


@named(GOLDENS)
def test_every_golden_is_written_again_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    report = Report()
    assert mrtk.write(mrtk.read(data, report=report)) == data
    assert not report.warnings


@named(GOLDENS)
def test_the_plain_reader_reads_what_mrtk_wrote(path: Path) -> None:
    """With which all of ours is compared."""
    golden, found = mrtk_reference.golden(path), mrtk_reference.read(path.read_bytes())
    start, every = np.float32(golden["start_time_subtracted_by_writer"]), mrtk_reference.curves(found)
    wanted_of: dict[Any, Any] = {**mrtk_reference.curves(golden), **golden["bool"]}
    assert found["version"] == golden["version"]
    for place, curve in [*every.items(), *found["bool"].items()]:
        wanted = wanted_of.get(place, {"pre": curve["pre"], "post": curve["post"], "keys": []})
        assert (curve["pre"], curve["post"], len(curve["keys"])) == (wanted["pre"], wanted["post"], len(wanted["keys"]))
        for key, (time, *rest) in zip(curve["keys"], wanted["keys"]):
            numbers = [np.float32(time) - start, *map(np.float32, rest)]
            np.testing.assert_array_equal(key, numbers[: len(key)])


def document_of(flags: tuple[int, int, int], version: tuple[int, int]) -> Document:
    full = version < (1, 1)

    def curves(count: int) -> list[Curve]:
        return [Curve(np.zeros(0, layout.FULL_KEY if full else layout.SHORT_KEY)) for _ in range(count)]

    def hand() -> Hand:
        off = [Curve(np.zeros(0, layout.SHORT_KEY)) for _ in range(2)]
        return Hand(off[0], off[1], [Pose(curves(3), curves(4)) for _ in layout.JOINTS])

    return Document(
        version,
        None if full else flags,
        Pose(curves(3), curves(4)) if flags[0] else None,
        hand() if flags[1] else None,
        hand() if flags[1] else None,
        Ray(curves(3), curves(3)) if flags[2] else None,
    )


# --- Rebuilt and invented documents ------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [(1, 1), (1, 0), (0, 9), (-3, 5), (1, -7)])
def test_any_document_survives_writing_and_reading(version: tuple[int, int]) -> None:
    """Any bits in keys, wraps of any number, odd flags, markers before the start, with long texts, and more bytes."""
    document = document_of((2, 255, 1) if version == (1, 1) else (1, 1, 0), version)
    chance = np.random.default_rng(1)
    for number, (_, curve) in enumerate(document.curves()):
        curve.keys = np.frombuffer(chance.bytes(number % 4 * curve.keys.itemsize), curve.keys.dtype)
        curve.pre_wrap, curve.post_wrap = 1 - number, number << 22
    document.markers = [Marker(np.float32(-1.5), 300 * b"\xff"), Marker(np.float32(np.nan), b"")]
    document.trailing = b"odd"
    data = mrtk.write(document)
    again = mrtk.read(data)
    assert again == document and mrtk.write(again) == data


def test_a_length_that_is_not_in_its_shortest_form_is_read() -> None:
    """The last of 300 markers."""
    data = mrtk.write(document_of((0, 0, 0), (1, 1)))[:-4] + struct.pack("<i", 300) + bytes(5 * 299 + 4)
    document = mrtk.read(data + b"\x82\x80\x00ok")
    assert mrtk.write(document) == data + b"\x02ok"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda document: document.left.joints.pop(),
        lambda document: document.left.joints[3].position.pop(),
        lambda document: document.gaze.direction.pop(),
        lambda document: setattr(document, "right", None),
        lambda document: setattr(document, "flags", (0, 1, 1)),
        lambda document: setattr(document, "flags", None),
        lambda document: setattr(document, "version", (1, 2)),
        lambda document: setattr(document.camera.position[0], "keys", np.zeros(2, layout.FULL_KEY)),
    ],
)
def test_a_document_that_contradicts_itself_is_not_written(spoil: Any) -> None:
    document = document_of((1, 1, 1), (1, 1))
    spoil(document)
    with pytest.raises(FormatError):
        mrtk.write(document)


# --- Odd and bad files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "offset", "field", "words"),
    [
        ("bad_magic_one_bit", 0, "magic number", "magic number"),
        ("empty_file", 0, "", "empty"),
        ("huge_key_count", 31, "Camera PositionX", "2147483647"),
        ("truncated_mid_keyframe", 5003, "PinkyKnuckle.L RotationZ", "do not fit"),
        ("version_1_2", 8, "version", "1.2"),
    ],
)
def test_bad_files_give_one_sentence_with_its_place(name: str, offset: int, field: str, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        mrtk.read((BAD / f"{name}.bin").read_bytes())
    assert (caught.value.offset, caught.value.field) == (offset, field)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "literal_keys", "markers", "trailing", "warnings"),
    [
        ("trailing_garbage_32_bytes", False, True, 32, 1),
        ("v10_no_marker_list_as_doc_says", False, False, 0, 1),
        ("v11_full_28byte_keyframes_as_doc_says", True, False, 0, 2),
    ],
)
def test_files_that_follow_the_public_document_are_read_with_a_warning(
    name: str, literal_keys: bool, markers: bool, trailing: int, warnings: int
) -> None:
    data = (BAD / f"{name}.bin").read_bytes()
    report = Report()
    document = mrtk.read(data, report=report)
    assert document.literal_keys == literal_keys
    assert (document.markers is not None) == markers
    assert len(document.trailing) == trailing
    assert len(report.warnings) == warnings
    assert mrtk.write(document) == data


def test_literal_keys_of_which_the_real_layout_explains_a_part_are_read_whole() -> None:
    literal = replace(document_of((1, 0, 0), (1, 1)), literal_keys=True)
    for _, part in literal.curves():
        part.keys = np.zeros(2, layout.FULL_KEY)
    assert mrtk.read(mrtk.write(literal)) == literal


def test_the_dialect_without_a_version_is_explained() -> None:
    for flags in (b"\x01\x01\x00", b"\x02\x01\x00", b"\x01\x01\x02"):
        with pytest.raises(FormatError) as caught:
            mrtk.read(layout.MAGIC_BYTES + flags + struct.pack("<iii", 8, 8, 0) * 10)
        assert ("dialect" in str(caught.value)) == (max(flags) < 2) and caught.value.offset == 8


@pytest.mark.parametrize("stem", ["v10_recorder_3s_left_hand", "v11_flags/v11_cam1_hand0_gaze1"])
def test_a_file_cut_anywhere_is_refused_or_lacks_only_its_markers(stem: str) -> None:
    data = (DATA / f"{stem}.bin").read_bytes()
    for size in [*range(200), *range(200, len(data), max(1, len(data) // 300))]:
        try:
            document = mrtk.read(data[:size])
        except FormatError:
            continue
        assert document.markers is None
        assert mrtk.write(document) == data[:size]
