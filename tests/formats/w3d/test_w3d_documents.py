"""Documents made from nothing, of every chunk that the codec knows and of those it does not, come back the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from io_formats import FormatError, w3d
from io_formats.w3d import document as documents
from io_formats.w3d import layout

Draw = Callable[[Any], Any]
ANY = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
BYTE, WORD, LONG = (st.integers(0, 2**bits - 1) for bits in (8, 16, 32))
NAME = st.binary(min_size=16, max_size=16)
LENGTH = st.sampled_from([1, 2, 3, 4])


def numbers(draw: Draw, kind: Any, *shape: int) -> Any:
    """An array of any bits, NaN with payloads and minus zero included."""
    size = int(np.prod(shape, dtype=int)) * np.dtype(kind).itemsize
    return np.frombuffer(draw(st.binary(min_size=size, max_size=size)), kind).reshape(shape)


def hierarchy_header(draw: Draw) -> documents.Chunk:
    return documents.HierarchyHeader(draw(LONG), draw(NAME), draw(LONG), numbers(draw, "<f4", 3))


def pivots(draw: Draw) -> documents.Chunk:
    return documents.Pivots(numbers(draw, layout.PIVOT, draw(st.integers(0, 3))))


def fixups(draw: Draw) -> documents.Chunk:
    return documents.Fixups(numbers(draw, "<f4", draw(st.integers(0, 2)), 4, 3))


def animation_header(draw: Draw) -> documents.Chunk:
    return documents.AnimationHeader(draw(LONG), draw(NAME), draw(NAME), draw(LONG), draw(LONG))


def raw_channel(draw: Draw) -> documents.Chunk:
    first, count = draw(st.integers(1, 60000)), draw(st.integers(0, 5))
    values = numbers(draw, "<f4", count, draw(LENGTH) if count else 0)
    return documents.RawChannel(first, first + count - 1, draw(WORD), draw(WORD), draw(WORD), values)


def bit_channel(draw: Draw) -> documents.Chunk:
    first, count = draw(st.integers(1, 60000)), draw(st.integers(0, 40))
    bits = draw(st.binary(min_size=(count + 7) // 8, max_size=(count + 7) // 8))
    return documents.BitChannel(first, first + count - 1, draw(WORD), draw(WORD), draw(BYTE), bits)


def compressed_header(flavor: int) -> Callable[[Draw], documents.Chunk]:
    def make(draw: Draw) -> documents.Chunk:
        return documents.CompressedHeader(draw(LONG), draw(NAME), draw(NAME), draw(LONG), draw(WORD), int(flavor))

    return make


def timecoded_channel(draw: Draw) -> documents.Chunk:
    count = draw(st.integers(0, 4))
    values = numbers(draw, "<f4", count, draw(LENGTH))
    return documents.TimecodedChannel(draw(WORD), draw(BYTE), numbers(draw, "<u4", count), values)


def literal_channel(draw: Draw) -> documents.Chunk:
    count, length = draw(st.sampled_from([1, 3, 4])), draw(st.sampled_from([1, 4]))  # two keys fit the real layout too
    codes, values = numbers(draw, "<u2", count), numbers(draw, "<f4", count, length)
    return documents.LiteralTimecodedChannel(draw(st.integers(1, 0xFFFF)), draw(WORD), draw(WORD), codes, values)


def deltas(draw: Draw, size: int) -> tuple[int, Any, Any, Any]:
    frames, length = draw(st.integers(0, 40)), draw(LENGTH)
    packets = numbers(draw, np.uint8, layout.packet_rows(frames), length, size)
    return frames, numbers(draw, "<f4"), numbers(draw, "<f4", length), packets


def delta_channel(draw: Draw) -> documents.Chunk:
    frames, scale, initial, packets = deltas(draw, 9)
    return documents.DeltaChannel(frames, draw(WORD), draw(BYTE), scale, initial, packets)


def motion_deltas(draw: Draw) -> documents.Chunk:
    encoding = draw(st.sampled_from([1, 2]))
    frames, scale, initial, packets = deltas(draw, layout.PACKET_SIZE[4 * encoding])
    return documents.MotionDeltaChannel(encoding, draw(BYTE), frames, draw(WORD), scale, initial, packets)


def motion_keys(draw: Draw) -> documents.Chunk:
    count, length = draw(st.integers(0, 5)), draw(LENGTH)
    padding = draw(st.binary(min_size=2, max_size=2)) if count % 2 else b""
    codes, values = numbers(draw, "<u2", count), numbers(draw, "<f4", count, length)
    return documents.MotionKeysChannel(draw(BYTE), draw(WORD), codes, padding, values)


def compressed_bits(draw: Draw) -> documents.Chunk:
    codes = numbers(draw, "<u4", draw(st.integers(0, 5)))
    return documents.CompressedBitChannel(draw(WORD), draw(BYTE), draw(BYTE), codes)


def unknown(draw: Draw) -> documents.Chunk:
    return documents.OpaqueChunk(draw(st.integers(0x1000, 2**32 - 1)), draw(st.binary(max_size=12)))


# What stands in each container: its class, its header, everything else, and the parts after which bytes may follow.
CONTAINERS = {
    "hierarchy": (documents.Hierarchy, hierarchy_header, (pivots, fixups)),
    "raw": (documents.Animation, animation_header, (raw_channel, bit_channel)),
    "timecoded": (
        documents.CompressedAnimation,
        compressed_header(layout.Flavor.TIMECODED),
        (timecoded_channel, literal_channel, compressed_bits, motion_keys, motion_deltas),
    ),
    "delta": (
        documents.CompressedAnimation,
        compressed_header(layout.Flavor.ADAPTIVE_DELTA),
        (delta_channel, compressed_bits, motion_keys, motion_deltas),
    ),
}
# Parts whose layout is told from the public document's by the chunk's size, or that take all bytes there are.
NO_TAIL = (
    documents.BitChannel, documents.TimecodedChannel, documents.LiteralTimecodedChannel, documents.MotionKeysChannel,
)  # fmt: skip


@st.composite
def containers(draw: Any, name: str) -> documents.Container:
    """A container of that kind with its header first in it, and unknown chunks in between."""
    make, header, others = CONTAINERS[name]
    parts = [draw(st.sampled_from([*others, *others, unknown]))(draw) for _ in range(draw(st.integers(0, 4)))]
    parts.insert(0, header(draw))
    for part in parts:
        part.flagged = draw(st.booleans())
        if not isinstance(part, (*NO_TAIL, documents.OpaqueChunk)):
            part.tail = draw(st.binary(max_size=3))
    return make(parts, flagged=draw(st.booleans()), tail=draw(st.binary(max_size=7)))


@st.composite
def some_documents(draw: Any, name: str) -> documents.Document:
    """A container of that kind beside an unknown chunk, and bytes after them."""
    parts = [draw(containers(name)), unknown(draw)]
    return documents.Document(parts[:: draw(st.sampled_from([1, -1]))], draw(st.binary(max_size=7)))


@pytest.mark.parametrize("name", CONTAINERS)
@settings(ANY)
@given(data=st.data())
def test_any_document_survives_writing_and_reading(name: str, data: st.DataObject) -> None:
    document = data.draw(some_documents(name))
    for part in (part for container in document.parts for part in getattr(container, "parts", ())):
        event(type(part).__name__)
    written = w3d.write(document)
    again = w3d.read(written)
    assert again == document
    assert w3d.write(again) == written
    assert document == again


@pytest.mark.parametrize("name", CONTAINERS)
@settings(ANY)
@given(data=st.data())
def test_a_changed_bit_is_seen(name: str, data: st.DataObject) -> None:
    """The comparison that the test above rests on does not overlook anything."""
    document = documents.Document([data.draw(containers(name))])
    written = bytearray(w3d.write(document))
    place = data.draw(st.integers(0, len(written) * 8 - 1))
    written[place // 8] ^= 1 << place % 8
    try:
        changed = w3d.read(bytes(written))
    except FormatError:
        event("refused")
        return
    event("another document")
    assert changed != document


@pytest.mark.parametrize(("name", "bit"), [("MotionKeysChannel", 1 << 15), ("TimecodedChannel", 1 << 31)])
def test_the_highest_bit_alone_says_that_a_value_jumps(name: str, bit: int) -> None:
    """All others count frames, in a long animation the next one, too."""
    frames = [0, 5, bit >> 1, bit - 1]
    codes = [0, 5 | bit, bit >> 1, (bit - 1) | bit]
    channel = object.__new__(getattr(documents, name))
    channel.codes = np.array(codes, "<u2" if bit == 1 << 15 else "<u4")
    assert channel.frames.tolist() == frames
    assert channel.steps.tolist() == [False, True, False, True]
