"""Every golden file: the same bytes back, a clear refusal of what is damaged."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import animx, open_document
from io_formats import messages as common_messages
from io_formats.animx import containers, layout
from io_formats.animx import messages as animx_messages
from io_formats.animx.document import Document, Track
from io_formats.animx.layout import Container, Encoding, KeyOrder, TangentOrder, TrackType
from io_formats.animx.read import in_form, reread
from io_formats.binary import equal
from io_formats.errors import FormatError, Report

DATA = Path(__file__).parents[2] / "data" / "animx"
INDEX = {
    entry["file"]: entry for entry in json.loads((DATA / "index.json").read_text()) if (DATA / entry["file"]).exists()
}
REFUSED = sorted(name for name, entry in INDEX.items() if entry.get("error") is True)
GOOD = sorted(INDEX.keys() - set(REFUSED))
STORED = [name for name in GOOD if not any(word in name for word in ("onechunk", "blocks64", "lzma", "lz4_frame"))]
RESONITE_CORE = sorted(path.name for path in (DATA / "resonite-core").iterdir())


def read(name: str, report: Report | None = None) -> Document:
    return animx.read((DATA / name).read_bytes(), report=report)


@pytest.mark.parametrize("name", STORED)
def test_same_bytes_back(name: str) -> None:
    data = (DATA / name).read_bytes()
    assert animx.write(animx.read(data)) == data


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(name)
    assert caught.value.offset is not None
    assert caught.value.field
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_warnings_name_what_was_tolerated() -> None:
    report = Report()
    read("bad_interp7.animx", report)
    open_document(DATA / "ok_trailing.animx", report)
    read("bad_lz4_frame.animx", report)
    templates = [entry.template for entry in report.warnings]
    assert templates == [animx_messages.INTERPOLATION, common_messages.TRAILING_BYTES, animx_messages.FRAME]
    data, both = (DATA / "bad_lz4_frame.animx").read_bytes(), Report()
    at = data.index(containers.FRAME_MAGIC)
    found = animx.read(data[: at - 1] + bytes([Encoding.LZMA]) + data[at:], report=both)
    assert found.encoding is Encoding.LZ4
    assert [entry.template for entry in both.warnings] == [animx_messages.FRAME, animx_messages.LZ4_AS_LZMA]


@pytest.mark.parametrize("name", RESONITE_CORE)
def test_the_rust_library_reads_equal(name: str) -> None:
    data = (DATA / "resonite-core" / name).read_bytes()
    document = animx.read(data)
    twin = animx.read((DATA / name.replace(".rc.animx", ".animj")).read_bytes())
    for track in twin.tracks:  # it writes an empty text as null
        if isinstance(track.values, list):
            track.values = [text or None for text in track.values]
    assert animx.same_content(document, twin)
    assert animx.write(document) == data


def voted(written: TangentOrder, mode: int, values: Any, times: Any, left: Any, right: Any) -> tuple[Track, Document]:
    """A Curve of one mode, and what is read of a file that has its tangents in an order."""
    track = Track(
        TrackType.CURVE, 21, "N", "P", values, np.array(times, np.float32), flags=2,
        interpolation=np.full(1, mode, np.uint8), left=left, right=right,
    )  # fmt: skip
    return track, animx.read(animx.write(Document("odd", track.last_time, [track]), tangent_order=written))


@pytest.mark.parametrize("written", list(TangentOrder))
@pytest.mark.parametrize("interpolation", [2, 3])
def test_the_ends_outvote_any_number_of_keys_between(written: TangentOrder, interpolation: int) -> None:
    """Unused tangents are 0, while each of the 30 keys between is smooth, or points ahead, in the other order only."""
    count = 32
    values, gaps = np.arange(1, count + 1, dtype=np.float32), np.tile([1.0, 2.0], count // 2)
    times = np.cumsum(np.append(0.0, gaps[:-1]))
    if interpolation == 2:  # a slope that is as long as the segment on the other side of its key
        left, right = gaps.astype(np.float32), np.roll(gaps, 1).astype(np.float32)
    else:
        left, right = values + 3, values - 3
    left[0], right[-1] = 0.0, 0.0
    _, again = voted(written, interpolation, values, times, left, right)
    assert again.tangent_order is written
    assert equal(again.tracks[0].left, left) and equal(again.tracks[0].right, right)


@pytest.mark.parametrize("written", list(TangentOrder))
@pytest.mark.parametrize("rise", [1.0, -1.0])
def test_where_the_ends_say_nothing_handles_point_along_the_curve(written: TangentOrder, rise: float) -> None:
    values, left, right = np.float32([[0, 1, 3], [-0.3, 0.9, 2.5], [0.3, 2, 3.5]]) * rise
    _, again = voted(written, 3, values, range(3), left, right)
    assert again.tangent_order is written and equal(again.tracks[0].left, left)


@pytest.mark.parametrize("written", list(TangentOrder))
@pytest.mark.parametrize("interpolation", [2, 3])
@pytest.mark.parametrize("gaps", [(2.0, 1.0), (1.0, 2.0)])
def test_where_nothing_else_speaks_a_smooth_key_has_one_slope(
    written: TangentOrder, interpolation: int, gaps: tuple[float, float]
) -> None:
    """A peak between equal values, whose ends have tangents on both sides; a tangent counts for a whole segment."""
    values, slope = np.array([1, 5, 1], np.float32), 0.5
    left, right = np.full((2, 3), 7.0, np.float32)
    left[1], right[1] = slope * gaps[0], slope * gaps[1]
    if interpolation == 3:  # points beside their key
        left[1], right[1] = values[1] - left[1], values[1] + right[1]
    track, again = voted(written, interpolation, values, [0, gaps[0], sum(gaps)], left, right)
    assert again.tangent_order is written
    track.flags, track.interpolation = 3, np.uint8([5 - interpolation, interpolation, interpolation])
    again = animx.read(animx.write(Document("peak", np.float32(3), [track]), tangent_order=written))
    assert again.tangent_order is TangentOrder.LEFT, "tangents of a key between two modes are not compared"


def test_where_values_may_be_times_keys_that_repeat_their_mode_tell_the_writer_that_puts_times_first() -> None:
    """Values that rise from one track to the next are none, as each begins at 0."""
    ends, modes = np.float32([0, 2]), np.uint8([[1, 1], [1, 0]])
    both = [Track(TrackType.CURVE, 21, "N", "p", ends, ends, flags=1, interpolation=each) for each in modes]
    rises = ((ends / 5, ends), (ends / 5 + 1, ends / 2))
    rising = [Track(TrackType.CURVE, 21, "N", "p", *each, interpolation=modes[0, :1]) for each in rises]
    for tracks, order in ((both, KeyOrder.TIME), (both[1:], KeyOrder.VALUE), (rising, KeyOrder.VALUE)):
        again = animx.read(animx.write(Document("", ends[1], tracks), key_order=order))
        assert again.key_order is order


def test_an_override_beats_the_vote() -> None:
    data = (DATA / "06_bezier_vt_lr.animx").read_bytes()
    forced, voted = animx.read(data, tangent_order="RIGHT"), animx.read(data)
    assert equal(forced.tracks[0].left, voted.tracks[0].right) and animx.write(forced) == data
    assert equal(reread(voted, "AUTO", "RIGHT"), forced)


# --- Versions and dialects ---------------------------------------------------------------------------------------


def test_the_public_documents_version_byte() -> None:
    data = (DATA / "04_curve_mixed_vt.animx").read_bytes()
    literal = data[:7] + data[10:]
    report = Report()
    document = animx.read(literal, report=report)
    assert document.one_byte_version
    assert [entry.template for entry in report.warnings] == [animx_messages.DIALECT]
    assert animx.same_content(document, animx.read(data))
    assert animx.write(document) == literal
    with pytest.raises(FormatError, match="version"):  # if that explains the whole file
        animx.read(literal + b"\0")


@pytest.mark.parametrize("size", range(1, 425, 7))
def test_a_cut_file_is_no_dialect(size: int) -> None:
    with pytest.raises(FormatError):
        animx.read((DATA / "04_curve_mixed_vt.animx").read_bytes()[:size])


def test_lz4_where_the_file_says_lzma() -> None:
    data = bytearray((DATA / "08_walk_lz4_stored.animx").read_bytes())
    place = data.index(b"walk") + 4
    assert data[place] == Encoding.LZ4
    data[place] = Encoding.LZMA
    report = Report()
    document = animx.read(bytes(data), report=report)
    assert [entry.template for entry in report.warnings] == [animx_messages.LZ4_AS_LZMA]
    assert document.container is Container.LZ4
    assert animx.write(document) == bytes(data)
    assert animx.same_content(document, read("08_walk_plain.animx"))
    assert animx.write(in_form(document, ".animx", animx.ExportOptions()))[place] == Encoding.LZ4


def test_version_0_has_no_discrete_tracks() -> None:
    document = read("02_discrete_all.animx")
    old = animx.read(animx.write(document, version=0))
    assert old.version == 0
    for before, after in zip(document.tracks, old.tracks, strict=True):
        assert after.track_type is TrackType.CURVE
        assert equal(before.values, after.values) or np.array_equal(before.numbers(), after.numbers())
        assert equal(np.array(before.key_times), np.array(after.key_times))
        assert not after.modes.any()
    # the same bytes of another type are other content, and so is another duration that plays as long
    types = {layout.IDS["int"]: layout.IDS["uint"]}
    tracks = [replace(track, value_type=types.get(track.value_type, track.value_type)) for track in document.tracks]
    document.duration = np.float32(max(track.last_time for track in tracks))
    for other in (replace(document, tracks=tracks), replace(document, duration=np.float32(0))):
        assert not animx.same_content(document, other)


@pytest.mark.parametrize("wrong", [{"container": "zip"}, {"version": 2}, {"key_order": "node"}])
def test_write_refuses_unknown_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        animx.write(Document(), **wrong)


# --- Odd encodings -----------------------------------------------------------------------------------------------


def file_of(*tracks: bytes, name: bytes = b"\x01n") -> bytes:
    head = layout.MAGIC + struct.pack("<i", 1) + bytes([len(tracks)]) + struct.pack("<f", 1.0) + name + b"\x00"
    return head + b"".join(tracks)


def test_names_that_are_no_utf8_are_kept() -> None:
    name = b"\x80\x01" + b"\x80" * 128  # of a length in two bytes
    data = file_of(b"\x00\x04\x02\xff\xfe\x01\xfd\x01" + struct.pack("<f", 1) + b"\x07", name=name)
    report = Report()
    document = animx.read(data, report=report)
    assert [(entry.template, entry.count) for entry in report.warnings] == [(animx_messages.ANIMX_BAD_TEXT, 3)]
    assert animx.write(document) == data
    assert animx.read(animx.write_animj(document)).tracks[0].node == "\ufffd\ufffd"


def test_bezier_tracks_are_refused_as_the_engine_does() -> None:
    """With their place in the file, or in what was packed."""
    data = (DATA / "bad_tracktype3.animx").read_bytes()
    for each, offset in ((data, 22), (data[:21] + bytes([Encoding.LZ4]) + containers.pack_lz4(data[22:]), 0)):
        with pytest.raises(FormatError) as caught:
            animx.read(each)
        assert caught.value.template == animx_messages.BEZIER_TRACK
        assert (caught.value.offset, caught.value.field) == (offset, "track 0")


def test_counts_and_types_are_checked_before_anything_is_allocated() -> None:
    for track, told in (
        (b"\x00\x24\x01N\x01p" + b"\xff" * 8 + b"\x7f\0\0\0\0", f"{0x7FFF_FFFF_FFFF_FFFF * 16} records of 8 bytes"),
        (b"\x02\x15\x01N\x01p\xff\xff\xff\xff\x0f\x01\x01", "4294967295 records of 1 byte"),
        (b"\x02\x27\x01N\x01p\xff\xff\xff\xff\x0f\x00\x01", "4294967295 records of 1 byte"),
        (b"\x00\x15\xff\xff\xff\xff\x0f", "expected 4294967295 more bytes"),
        (b"\x00\x28\x01N\x01p\x01", "expected a value type of 0 to 39"),
    ):
        with pytest.raises(FormatError, match=f": {told}"):
            animx.read(file_of(track + b"\0" * 64))


def test_matches_by_content() -> None:
    assert animx.matches((DATA / "10_empty.animx").read_bytes())
    assert animx.matches((DATA / "10_empty.animj").read_bytes())
    assert animx.matches(b"\xef\xbb\xbf\r\n {")
    assert not animx.matches(b"")
    assert not animx.matches(b"\x05AnimY")
