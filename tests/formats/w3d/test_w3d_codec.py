"""Bytes to Document and back: identical for whatever a file holds, and one sentence for what is none."""

from __future__ import annotations

import dataclasses
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lay import Lay

from io_formats import FormatError, w3d
from io_formats.errors import Report
from io_formats.format import Destination
from io_formats.w3d import document as documents
from io_formats.w3d.document import counts, hierarchy_names

DATA = Path(__file__).resolve().parent.parent.parent / "data" / "w3d"
FILES = sorted(DATA.glob("*.w3d"))


def rebuilt(value: Any) -> Any:
    """The same, made field by field from plain copies: nothing of the bytes that were read can hide in it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: rebuilt(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return type(value)(**fields)
    if isinstance(value, list):
        return [rebuilt(part) for part in value]
    return value.copy() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_golden_comes_back_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    report = Report()
    document = w3d.read(data, report=report)
    assert w3d.matches(data) and not report.warnings
    assert w3d.write(document) == w3d.write(rebuilt(document)) == data
    assert rebuilt(document) == document != documents.Document(document.parts[:-1], document.tail)
    assert document == w3d.read(data)


def test_morph_animations_are_named_and_carried() -> None:
    data = Lay.hierarchy() + Lay.hierarchy(name="OTHER", version=0x20000) + Lay.chunk(0x7777, b"") + Lay.chunk(0, b"")
    for name in ("TALK", "SING"):
        header = struct.pack("<I16s16sIfI", 0, Lay.name(name), Lay.name("SKEL"), 12, 15.0, 1)
        data += Lay.chunk(0x2C0, Lay.chunk(0x2C1, header) + Lay.chunk(0x2C5, bytes(12)), flagged=True)
    document = w3d.read(data)
    assert w3d.write(rebuilt(document)) == data
    assert w3d.FORMAT.skeleton_names(document)[0] == ["SKEL", "OTHER"]
    told, report = w3d.describe(document), Report()
    assert [(each["name"], each["version"]) for each in told["skeletons"]] == [("SKEL", "4.1"), ("OTHER", "2.0")]
    assert (told["morph_animations"], told["other_chunks"], told["meshes"]) == (["TALK", "SING"], ["0x7777"], 1)
    w3d.to_clips(document, w3d.ImportOptions(), report)
    assert all(name in str(warning) for name, warning in zip(("TALK", "SING"), report.warnings, strict=True))


# --- The public document's own layouts ----------------------------------------------------------


def test_where_both_layouts_fit_the_real_one_wins() -> None:
    """Two keys make both layouts equally long."""
    data = (DATA.parent / "w3d" / "literal_or_real_2_keys.w3d").read_bytes()
    report = Report()
    document = w3d.read(data, report=report)
    channel = document.animations[0].parts[1]
    assert isinstance(channel, documents.TimecodedChannel)
    assert channel.frames.tolist() == [0, 9]
    assert channel.values[:, 0].tolist() == [1.5, -2.0]
    assert report.warnings == []


def test_compressed_channels_of_an_unknown_flavor_are_carried_and_named() -> None:
    data = Lay.hierarchy() + Lay.compressed(Lay.chunk(0x282, struct.pack("<IHBBIf", 1, 1, 1, 0, 0, 5)), flavor=2)
    report = Report()
    assert w3d.write(w3d.read(data, report=report)) == data
    assert [(warning.template, warning.values) for warning in report.warnings] == [
        ("a compressed channel of flavor {flavor} is kept but not played", {"flavor": 2})
    ]


def test_motion_channels_of_unknown_version_or_encoding_are_carried() -> None:
    odd = Lay.chunk(0x284, struct.pack("<BBBBHH", 1, 0, 1, 0, 1, 1) + b"abc")
    other = Lay.chunk(0x284, struct.pack("<BBBBHH", 0, 7, 1, 0, 1, 1), flagged=True)
    deltas = Lay.chunk(0x284, struct.pack("<BBBBHH", 1, 1, 1, 0, 1, 1) + bytes(17))
    data = Lay.hierarchy() + Lay.compressed(odd, other, deltas, version=0x10000)
    report = Report()
    document = w3d.read(data, report=report)
    assert w3d.write(rebuilt(document)) == data
    told = [{"version": version, "encoding": encoding} for version, encoding in ((1, 0), (0, 7), (1, 1))]
    assert [(entry.template, entry.values) for entry in report.warnings] == [
        (w3d.messages.UNKNOWN_MOTION, one) for one in told
    ]


@pytest.mark.parametrize(("name", "bit"), [("MotionKeysChannel", 1 << 15), ("TimecodedChannel", 1 << 31)])
def test_the_highest_bit_alone_says_that_a_value_jumps(name: str, bit: int) -> None:
    """All others count frames, in a long animation the next one, too."""
    frames = [0, 5, bit >> 1, bit - 1]
    codes = [0, 5 | bit, bit >> 1, (bit - 1) | bit]
    channel = object.__new__(getattr(documents, name))
    channel.codes = np.array(codes, "<u2" if bit == 1 << 15 else "<u4")
    assert channel.frames.tolist() == frames
    assert channel.steps.tolist() == [False, True, False, True]


# --- Damage -------------------------------------------------------------------------------------


def outcome(data: bytes) -> Any:
    """The document or the one error; anything else fails the test."""
    try:
        document = w3d.read(data)
    except FormatError as error:
        assert str(error)
        return error
    assert w3d.write(document) == data
    w3d.describe(document)
    return document


@pytest.mark.parametrize("path", FILES[:8], ids=lambda path: path.stem)
def test_a_file_cut_anywhere_gives_one_sentence_or_a_document(path: Path) -> None:
    data = path.read_bytes()
    for size in range(0, len(data), 7):
        found = outcome(data[:size])
        if isinstance(found, FormatError):
            assert found.offset is not None


def test_a_count_is_checked_before_anything_is_allocated() -> None:
    channel = Lay.chunk(0x282, struct.pack("<IHBB", 0xFFFF_FFFF, 1, 4, 6) + bytes(20))
    with pytest.raises(FormatError) as caught:
        w3d.read(Lay.hierarchy() + Lay.compressed(channel, flavor=0))
    assert caught.value.field == "timecoded channel keys"
    bits = Lay.animation(Lay.chunk(0x203, Lay.bits(0, [1] * 17, 1)[8:-1]))
    packets = Lay.deltas(18, 1.0, [0.0], bytes(9), 0, 1)  # one row, and frames in a second
    for short in (Lay.compressed(channel, flavor=1), Lay.compressed(packets, flavor=1), bits):
        with pytest.raises(FormatError):
            w3d.read(Lay.hierarchy() + short)


@pytest.mark.parametrize(
    ("kind", "name"), [(0x100, "HIERARCHY"), (0x200, "ANIMATION"), (0x280, "COMPRESSED_ANIMATION")]
)
def test_a_container_without_its_header_is_refused(kind: int, name: str) -> None:
    with pytest.raises(FormatError) as caught:
        w3d.read(Lay.chunk(kind, b""))
    assert (caught.value.offset, caught.value.field) == (8, name)


CHUNK_KINDS = st.sampled_from(sorted({found.KIND for found in vars(documents).values() if hasattr(found, "KIND")}))


@settings(max_examples=400)
@given(
    st.lists(st.tuples(CHUNK_KINDS, st.binary(max_size=60), st.booleans()), max_size=6), st.sampled_from([0x200, 0x280])
)
def test_any_bytes_inside_known_chunks_give_a_document_or_one_error(
    parts: list[tuple[int, bytes, bool]], outer: int
) -> None:
    body = b"".join(struct.pack("<II", kind, len(data) | flag << 31) + data for kind, data, flag in parts)
    header = struct.pack("<II", outer + 1, 44) + bytes(44)
    outcome(struct.pack("<II", outer, 52 + len(body)) + header + body)


# --- Documents from nothing ---------------------------------------------------------------------


def test_a_number_that_does_not_fit_is_refused_in_one_sentence() -> None:
    header = documents.AnimationHeader(1, b"A" * 16, b"B" * 16, -1, 30)
    with pytest.raises(FormatError):
        w3d.write(documents.Document([documents.Animation([header])]))
    with pytest.raises(FormatError, match="2147483647"):  # the highest bit of a size says that a chunk holds chunks
        w3d.write(documents.Document([documents.OpaqueChunk(1, b"", excess=1 << 31)]))


# --- A last chunk that claims more than the file has --------------------------------------------


def overlong(more: int = 44) -> bytes:
    """A model chunk as in 6 of 666 real files: whole inside, its size too large."""
    model = Lay.chunk(0x700, Lay.chunk(0x701, struct.pack("<II16s16s", 0x10000, 1, b"TANK", b"SKEL")))
    return model[:4] + struct.pack("<I", len(model) - 8 + more | 0x8000_0000) + model[8:]


def test_an_animation_added_to_such_a_file_is_where_readers_find_it() -> None:
    data = Lay.hierarchy() + overlong()
    clip = w3d.to_clips(w3d.read(Lay.hierarchy() + Lay.animation(name="RUN")), w3d.ImportOptions(), Report())[0]
    written = w3d.write(w3d.from_clip(clip, w3d.ExportOptions(), Report(), Destination(into=w3d.read(data))))
    assert written.startswith(Lay.hierarchy()) and written.endswith(overlong())
    assert [found.header.name[:4] for found in w3d.read(written).animations] == [b"RUN\0"]


def test_an_animation_that_claims_too_much_plays_if_its_channels_are_whole() -> None:
    whole = Lay.animation(Lay.raw(0, [1.0] * 10, 0, 1))
    data = Lay.hierarchy() + whole[:4] + struct.pack("<I", len(whole) - 8 + 7 | 0x8000_0000) + whole[8:]
    document = w3d.read(data, report=(report := Report()))
    assert w3d.write(document) == data and f"{len(whole) - 8} are left" in str(report.warnings[0])
    assert len(w3d.to_clips(document, w3d.ImportOptions(), Report())[0].tracks) == 1
    with pytest.raises(FormatError, match="claims"):
        w3d.read(data[:-12])


def test_bytes_of_no_known_chunk_are_still_refused() -> None:
    with pytest.raises(FormatError, match="claims 1000 bytes, 4 are left"):
        w3d.read(Lay.hierarchy() + struct.pack("<II", 0x12345678, 1000) + b"....")


def test_a_skeleton_alone_is_a_clip_in_which_nothing_moves() -> None:
    (alone,) = w3d.to_clips(w3d.read(Lay.hierarchy()), w3d.ImportOptions(), Report())
    assert (alone.name, alone.tracks, len(alone.nodes)) == ("SKEL", [], 3)


def test_a_file_of_meshes_alone_is_told_what_it_holds() -> None:
    data = Lay.chunk(0, bytes(40), flagged=True) * 2 + overlong()
    with pytest.raises(FormatError) as refused:
        w3d.to_clips(w3d.read(data), w3d.ImportOptions(), Report())
    assert "meshes: 2, models: 1, other chunks: 0" in str(refused.value)


@pytest.mark.parametrize("before", [1, 2, 63])
def test_a_file_that_begins_with_chunks_of_others_is_recognised(before: int) -> None:
    assert w3d.matches(struct.pack("<II4x", 0x333, 4) * before + Lay.hierarchy())


def test_what_is_only_carried_is_counted_by_what_it_is() -> None:
    kinds = (0x000, 0x300, 0x400, 0x420, 0x600, 0x700, 0x900)
    document = w3d.read(Lay.hierarchy() + b"".join(Lay.chunk(kind, b"") for kind in kinds))
    assert counts(document) == {"meshes": 1, "models": 5, "others": 2}
    data = Lay.hierarchy(name="Skel") + Lay.animation(skeleton="OTHER") + Lay.animation(skeleton="SKEL")
    assert hierarchy_names(w3d.read(data)) == ["Skel", "OTHER"]  # each once, as it is called first


@pytest.mark.parametrize("size", [16, 60, 100])
def test_a_cut_file_is_still_recognised(size: int) -> None:
    """By the id of the first chunk within the first, so that it is told that the end is missing, and not the format."""
    data = Lay.hierarchy()
    assert size < len(data) and w3d.matches(data[:size])
    with pytest.raises(FormatError) as caught:
        w3d.read(data[:size])
    assert caught.value.offset is not None
    other = struct.pack("<II", 0x100, len(data)) + struct.pack("<II", 0x333, 8) + data[16:]
    assert not w3d.matches(other[:size])
