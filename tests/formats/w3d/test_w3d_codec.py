"""Bytes to Document and back: identical for whatever a file holds, and one sentence for what is none."""

from __future__ import annotations

import dataclasses
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lay import Lay
from w3d_goldens import show

from io_formats import FormatError, w3d
from io_formats.__main__ import main
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


def test_everything_else_in_a_file_stays_in_its_place() -> None:
    mesh = Lay.chunk(0, Lay.chunk(0x1F, bytes(116)) + Lay.chunk(2, bytes(range(36))), flagged=True)
    unknown = Lay.chunk(0x7777, b"\x01\x02\x03")
    inner = Lay.chunk(0x2FF, b"junk")
    short_tail = b"\xde\xad\xbe"
    channel = Lay.raw(2, [1.0, 2.0], 0, 1, tail=b"left over", padding=0xBEEF)
    animation = Lay.animation(inner, channel, Lay.chunk(0x999, b""), Lay.bits(1, [1, 0, 1], 2, 255))
    grown = Lay.chunk(0x200, animation[8:] + short_tail, flagged=True)
    data = mesh + unknown + Lay.hierarchy() + grown + unknown + b"trail"
    document = w3d.read(data)
    assert w3d.matches(mesh) and w3d.write(document) == data
    assert w3d.write(rebuilt(document)) == data
    assert document.tail == b"trail"
    assert document.animations[0].tail == short_tail
    assert [part.kind for part in document.parts if isinstance(part, documents.OpaqueChunk)] == [0, 0x7777, 0x7777]


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


def test_names_keep_every_byte() -> None:
    odd = b"\xe4\xf6\xfc\\'\"\x01\0garbage"[:16]
    data = Lay.hierarchy(["ROOTTRANSFORM", odd]) + Lay.animation(Lay.raw(0, [1.0], 0, 1))
    document = w3d.read(data)
    assert w3d.write(document) == data
    node = w3d.to_clips(document, w3d.ImportOptions(), Report())[0].nodes[1]
    assert node.original.encode("latin-1") == odd.split(b"\0")[0]


# --- The public document's own layouts ----------------------------------------------------------


def literal_channel(codes: list[int], values: Any, kind: int) -> bytes:
    rows = np.asarray(values, "<f4").reshape(len(codes), -1)
    head = struct.pack("<IHHHH", len(codes), 1, rows.shape[1], kind, 0)
    return bytes(Lay.chunk(0x282, head + np.asarray(codes, "<u2").tobytes() + rows.tobytes()))


@pytest.mark.parametrize("count", [1, 3, 7])
def test_literal_channels_are_read_where_only_they_fit(count: int) -> None:
    codes, values = list(range(0, 2 * count, 2)), [float(at) for at in range(count)]
    data = Lay.hierarchy() + Lay.compressed(literal_channel(codes, values, 0), frames=20)
    report = Report()
    document = w3d.read(data, report=report)
    channel = document.animations[0].parts[1]
    assert isinstance(channel, documents.LiteralTimecodedChannel)
    assert channel.codes.tolist() == codes
    assert channel.values[:, 0].tolist() == values
    assert [entry.template for entry in report.warnings] == [w3d.messages.LITERAL_CHANNEL]
    assert w3d.write(rebuilt(document)) == data
    clip = w3d.to_clips(document, w3d.ImportOptions(), Report())[0]
    assert clip.tracks[0].values[0].tolist() == values


def test_a_literal_quaternion_channel_plays_as_one() -> None:
    data = Lay.hierarchy() + Lay.compressed(literal_channel([0, 4, 9], np.eye(4)[[3, 3, 3]], 3))
    clip = w3d.to_clips(w3d.read(data), w3d.ImportOptions(), Report())[0]
    assert [track.property for track in clip.tracks] == ["rotation_quaternion"]


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
    assert len(data) == len(Lay.hierarchy() + Lay.compressed(literal_channel([0, 9], [1.5, -2.0], 0)))


def test_a_float_default_in_a_bit_channel_is_read_with_a_warning() -> None:
    literal = Lay.chunk(0x203, struct.pack("<4Hf", 2, 9, 0, 1, 1.0) + b"\x0f")
    data = Lay.hierarchy() + Lay.animation(literal, frames=20)
    report = Report()
    document = w3d.read(data, report=report)
    assert isinstance(document.animations[0].parts[1], documents.LiteralBitChannel)
    assert [entry.template for entry in report.warnings] == [w3d.messages.LITERAL_BITS]
    assert w3d.write(rebuilt(document)) == data
    hidden = Lay.chunk(0x203, struct.pack("<4Hf", 2, 9, 0, 1, 0.0) + b"\x0f")  # but on its first four frames
    for channel, outside in ((literal, 1.0), (hidden, 0.0)):
        document = w3d.read(Lay.hierarchy() + Lay.animation(channel, frames=20))
        (clip,) = w3d.to_clips(document, w3d.ImportOptions(), Report())
        seen = show(clip, [0, 1, 2, 5, 6, 9, 10, 19], 30)["HIP", "visibility"][0]
        assert seen.tolist() == [outside, outside, 1, 1, 0, 0, outside, outside]


def test_three_bytes_of_garbage_do_not_make_a_channel_literal() -> None:
    garbage = b"\xcd\xcd\xcd"
    bits = Lay.animation(Lay.chunk(0x203, Lay.bits(2, [1] * 8, 1)[8:] + garbage), frames=20)
    keys = Lay.compressed(Lay.chunk(0x282, Lay.keys([0, 4, 9], [1.0, 2.0, 3.0], 0, 1)[8:] + garbage))
    for animation, kind in ((bits, documents.BitChannel), (keys, documents.TimecodedChannel)):
        document = w3d.read(Lay.hierarchy() + animation)
        assert isinstance(document.animations[0].parts[1], kind)
        assert w3d.write(document) == Lay.hierarchy() + animation


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


TOLD = (
    "a channel ends before it begins, or after the animation; what has no frame there is kept but not played",
    "the place or turn at which a pivot rests is no number; it is kept and taken for none",
)


@pytest.mark.parametrize("command", ["info", "lint"])
@pytest.mark.parametrize("odd", ["backwards", "late", "late bits"])
@pytest.mark.parametrize("told", [[], [0], [1], [0, 1]])
def test_frames_that_cannot_play_and_a_base_that_is_no_number_are_told(
    told: list[int], command: str, odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    skeleton = bytearray(Lay.hierarchy())
    channels = [Lay.raw(0, [1.0] * 10, 0, 1), Lay.bits(0, [1] * 10, 1), Lay.raw(4, [1.0], 1, 1)]
    backwards = Lay.chunk(0x202, struct.pack("<6Hf", 5, 3, 1, 0, 2, 0, 1.0))
    if 0 in told:
        late = {"late": Lay.raw(1, [1.0] * 10, 1, 1), "late bits": Lay.bits(1, [1] * 10, 2)}
        channels.append(late.get(odd, backwards))
    if 1 in told:
        struct.pack_into("<f", skeleton, skeleton.index(b"HIP") + (44 if odd == "late" else 20), math.nan)
    path = tmp_path / "walk.w3d"
    path.write_bytes(skeleton + Lay.animation(*channels))
    assert w3d.write(rebuilt(w3d.read(path.read_bytes()))) == path.read_bytes()
    assert main([command, str(path)]) == int(bool(told) and command == "lint")
    said = capsys.readouterr().out
    assert [number for number, sentence in enumerate(TOLD) if sentence in said] == told, said


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
    for short in (Lay.compressed(channel, flavor=1), bits):
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


def test_a_file_of_meshes_alone_is_told_what_it_holds() -> None:
    data = Lay.chunk(0, bytes(40), flagged=True) * 2 + overlong()
    with pytest.raises(FormatError) as refused:
        w3d.to_clips(w3d.read(data), w3d.ImportOptions(), Report())
    assert "meshes: 2, models: 1, other chunks: 0" in str(refused.value)


@pytest.mark.parametrize("before", [1, 2, 63])
def test_a_file_that_begins_with_chunks_of_others_is_recognised(before: int) -> None:
    assert w3d.matches(struct.pack("<II4x", 0x333, 4) * before + Lay.hierarchy())


def test_pivots_beyond_those_that_the_header_counts_are_none() -> None:
    data = bytearray(Lay.hierarchy())
    count = data.index(struct.pack("<I", 0x101)) + 28
    assert data[count] == 3
    data[count] = 2
    (hierarchy,) = w3d.read(bytes(data)).hierarchies
    assert len(hierarchy.records) == 2 and hierarchy.records["parent"].tolist()[1:] == [0]


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
