"""Bytes to Document: chunk by chunk, every count checked against the bytes left before anything is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .. import messages
from ..binary import SIZE_LIMIT, ByteReader
from ..clip import Array
from ..errors import FormatError, Report
from . import layout
from .document import (
    Animation,
    AnimationHeader,
    BitChannel,
    Chunk,
    CompressedAnimation,
    CompressedBitChannel,
    CompressedHeader,
    DeltaChannel,
    Document,
    Fixups,
    Hierarchy,
    HierarchyHeader,
    LiteralBitChannel,
    LiteralTimecodedChannel,
    MorphAnimation,
    MorphChannel,
    MorphHeader,
    MorphKeys,
    MorphPivotChannels,
    MorphPoseName,
    MotionDeltaChannel,
    MotionKeysChannel,
    OpaqueChunk,
    Pivots,
    RawChannel,
    TimecodedChannel,
)
from .layout import Encoding, Flavor, Kind

_MOST_CHUNKS_LOOKED_AT = 64

LeafReader = Callable[[ByteReader, Report], Chunk]
_MAKERS = {
    Kind.HIERARCHY: (Hierarchy, Kind.HIERARCHY_HEADER),
    Kind.ANIMATION: (Animation, Kind.ANIMATION_HEADER),
    Kind.COMPRESSED_ANIMATION: (CompressedAnimation, Kind.COMPRESSED_ANIMATION_HEADER),
    Kind.MORPH_ANIMATION: (MorphAnimation, Kind.MORPH_HEADER),
}


def matches(data: bytes) -> bool:
    """Whether these bytes look like a W3D file: chunks that fit, one of a known id among the first."""
    offset = 0
    for _ in range(_MOST_CHUNKS_LOOKED_AT):
        if offset + layout.CHUNK_HEADER.size > len(data):
            return False
        kind, size = layout.CHUNK_HEADER.unpack(data[offset : offset + layout.CHUNK_HEADER.size])
        if kind in layout.TOP_LEVEL and _plausible(data, offset, size & layout.SIZE_MASK):
            return True
        offset += layout.CHUNK_HEADER.size + (size & layout.SIZE_MASK)
    return False


def _plausible(data: bytes, offset: int, size: int) -> bool:
    """The first sub-chunk of a known chunk has an id of the same family, or its payload at least fits."""
    inside = offset + layout.CHUNK_HEADER.size
    kind = int.from_bytes(data[offset : offset + 4], "little")
    if size < layout.CHUNK_HEADER.size or inside + layout.CHUNK_HEADER.size > len(data):
        return False
    first, first_size = layout.CHUNK_HEADER.unpack(data[inside : inside + layout.CHUNK_HEADER.size])
    nested = kind <= first < kind + 0x100 and first_size & layout.SIZE_MASK <= size - layout.CHUNK_HEADER.size
    return nested or (kind != 0 and inside + size <= len(data))


def read(data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Document:
    """Read a W3D file.

    Args:
        data: the whole file.
        limit: most bytes that are taken; W3D itself expands nothing.
        report: receives remarks about layouts that no engine writes.

    Raises:
        FormatError: for anything that is not a sequence of whole chunks with whole records in them.
    """
    report = Report() if report is None else report
    if len(data) > limit:
        raise FormatError(messages.FILE_TOO_LARGE, offset=0, size=len(data), limit=limit)
    if not data:
        raise FormatError(messages.EMPTY_FILE, offset=0)
    cursor = ByteReader(data)
    parts = []
    while cursor.remaining >= layout.CHUNK_HEADER.size:
        excess = _excess(cursor, report)
        parts.append(_top_level(*_open_chunk(cursor, "chunk", excess), report))
        parts[-1].excess = excess
    return Document(parts, bytes(cursor.take(cursor.remaining, "bytes after the chunks")))


def _excess(cursor: ByteReader, report: Report) -> int:
    """By how many bytes the next chunk claims more than are left: the engine reads what is there.

    Real files have such a chunk at their end. Under an id that no file begins a chunk with, it is not looked at.
    """
    kind, size = layout.CHUNK_HEADER.unpack_from(cursor.data, cursor.offset)
    left = cursor.remaining - layout.CHUNK_HEADER.size
    excess: int = (size & layout.SIZE_MASK) - left
    if excess <= 0 or kind not in layout.TOP_LEVEL:
        return 0
    report.warn(messages.W3D_OVERLONG_CHUNK, kind=kind, size=size & layout.SIZE_MASK, left=left)
    return excess


def _open_chunk(cursor: ByteReader, field: str, excess: int = 0) -> tuple[int, bool, ByteReader]:
    """Id, container bit and a cursor over the payload of the next chunk, which claims `excess` bytes too many."""
    kind, size = cursor.unpack(layout.CHUNK_HEADER, field)
    payload = (size & layout.SIZE_MASK) - excess
    if payload > cursor.remaining:
        raise cursor.fail(messages.W3D_CHUNK_TOO_LARGE, field, kind=kind, size=payload, left=cursor.remaining)
    inside = ByteReader(cursor.data, cursor.offset, cursor.offset + payload)
    cursor.offset += payload
    return kind, bool(size & layout.CONTAINER_BIT), inside


def _rest(cursor: ByteReader) -> bytes:
    return bytes(cursor.take(cursor.remaining, "rest of the chunk"))


def _opaque(kind: int, flagged: bool, cursor: ByteReader) -> OpaqueChunk:
    return OpaqueChunk(kind, _rest(cursor), flagged=flagged)


def _top_level(kind: int, flagged: bool, cursor: ByteReader, report: Report) -> Chunk:
    if kind not in _MAKERS:
        return _opaque(kind, flagged, cursor)
    make, header_kind = _MAKERS[Kind(kind)]
    start = cursor.offset
    ahead = _split(ByteReader(cursor.data, start, cursor.end))
    place, header = next(
        ((place, inside) for place, (found, _, inside) in enumerate(ahead) if found == header_kind), (0, None)
    )
    if header is None:
        raise FormatError(messages.W3D_NO_HEADER, offset=start, field=Kind(kind).name)
    if place > 0:
        report.warn(messages.W3D_HEADER_NOT_FIRST, chunk=Kind(kind).name)
    readers = _readers(Kind(kind), header)
    parts = [_leaf(*chunk, readers, report) for chunk in _split(cursor)]
    return make(parts, flagged=flagged, tail=_rest(cursor))


def _split(cursor: ByteReader) -> Iterator[tuple[int, bool, ByteReader]]:
    """The sub-chunks, one at a time: a cursor takes many times the eight bytes of an empty chunk."""
    while cursor.remaining >= layout.CHUNK_HEADER.size:
        yield _open_chunk(cursor, "sub-chunk")


def _leaf(kind: int, flagged: bool, cursor: ByteReader, readers: dict[int, LeafReader], report: Report) -> Chunk:
    reader = readers.get(kind)
    if reader is None:
        return _opaque(kind, flagged, cursor)
    start = cursor.offset
    leaf = reader(cursor, report)
    if isinstance(leaf, OpaqueChunk):
        leaf = OpaqueChunk(kind, bytes(cursor.data[start : cursor.end]))
        cursor.offset = cursor.end
    leaf.flagged = flagged
    leaf.tail = _rest(cursor)
    return leaf


def _readers(kind: Kind, header: ByteReader) -> dict[int, LeafReader]:
    """How to read the sub-chunks of a container; that of 0x282 depends on the flavor in the header."""
    if kind is not Kind.COMPRESSED_ANIMATION:
        return _READERS[kind]
    peek = ByteReader(header.data, header.offset, header.end)
    flavor = peek.unpack(layout.COMPRESSED_HEADER, "header")[-1]
    readers = dict(_READERS[kind])
    if flavor in _CHANNEL_READERS:
        readers[Kind.COMPRESSED_ANIMATION_CHANNEL] = _CHANNEL_READERS[flavor]
    return readers


# --- Skeleton -----------------------------------------------------------------------------------


def _hierarchy_header(cursor: ByteReader, report: Report) -> Chunk:
    version, name, count, center = cursor.unpack(layout.HIERARCHY_HEADER, "hierarchy header")
    return HierarchyHeader(version, name, count, np.frombuffer(center, "<f4"))


def _pivots(cursor: ByteReader, report: Report) -> Chunk:
    return Pivots(cursor.array(layout.PIVOT, cursor.remaining // layout.PIVOT.itemsize, "pivots"))


def _fixups(cursor: ByteReader, report: Report) -> Chunk:
    rows, columns = layout.FIXUP_SHAPE
    count = cursor.remaining // (4 * rows * columns)
    return Fixups(cursor.array("<f4", (count, rows, columns), "fixups"))


# --- Raw animation ------------------------------------------------------------------------------


def _animation_header(cursor: ByteReader, report: Report) -> Chunk:
    return AnimationHeader(*cursor.unpack(layout.ANIMATION_HEADER, "animation header"))


def _raw_channel(cursor: ByteReader, report: Report) -> Chunk:
    first, last, length, kind, pivot, padding = cursor.unpack(layout.CHANNEL_HEADER, "channel header")
    count = max(last - first + 1, 0)
    values = cursor.array("<f4", (count, length), "channel values")
    return RawChannel(first, last, kind, pivot, padding, values)


def _bit_channel(cursor: ByteReader, report: Report) -> Chunk:
    start = cursor.offset
    first, last, kind, pivot, default = cursor.unpack(layout.BIT_CHANNEL_HEADER, "bit channel header")
    size = -(-max(last - first + 1, 0) // 8)
    if cursor.remaining != size and cursor.end - start == layout.LITERAL_BIT_HEADER.size + size:
        cursor.offset = start
        literal = _literal_bit_channel(cursor, size)
        if literal is not None:
            report.warn(messages.W3D_LITERAL_BITS)
            return literal
        cursor.offset = start + layout.BIT_CHANNEL_HEADER.size
    return BitChannel(first, last, kind, pivot, default, bytes(cursor.take(size, "bits")))


def _literal_bit_channel(cursor: ByteReader, size: int) -> LiteralBitChannel | None:
    """The public document's layout, if its default is one of the two floats that the document allows."""
    first, last, kind, pivot, default = cursor.unpack(layout.LITERAL_BIT_HEADER, "bit channel header")
    meaning = {b"\0\0\0\0": 0.0, b"\0\0\x80\x3f": 1.0}.get(default)
    if meaning is None:
        return None
    return LiteralBitChannel(first, last, kind, pivot, meaning, bytes(cursor.take(size, "bits")))


# --- Compressed animation -----------------------------------------------------------------------


def _compressed_header(cursor: ByteReader, report: Report) -> Chunk:
    return CompressedHeader(*cursor.unpack(layout.COMPRESSED_HEADER, "animation header"))


def _timecoded_channel(cursor: ByteReader, report: Report) -> Chunk:
    start, size = cursor.offset, cursor.remaining
    count, pivot, length, kind = cursor.unpack(layout.COMPRESSED_CHANNEL_HEADER, "channel header")
    exact = layout.COMPRESSED_CHANNEL_HEADER.size + count * 4 * (1 + length)
    if size != exact:
        literal = _literal_timecoded_channel(ByteReader(cursor.data, start, cursor.end))
        if literal is not None:
            report.warn(messages.W3D_LITERAL_CHANNEL)
            cursor.offset = cursor.end
            return literal
    return TimecodedChannel(pivot, kind, *_codes_and_values(cursor, count, length))


def _codes_and_values(cursor: ByteReader, count: int, length: int) -> tuple[Array, Array]:
    """(count,) uint32 and (count, length) float32 out of the same rows, without the array of the rows they lie in."""
    start = cursor.offset
    words = cursor.array("<f4", (count, 1 + length), "channel keys")
    if count == 0:
        return words[:, 0].view("<u4"), words[:, 1:]
    codes: Array = np.ndarray(count, "<u4", cursor.data, start, words.strides[:1])
    return codes, np.ndarray((count, length), "<f4", cursor.data, start + 4, words.strides)


def _literal_timecoded_channel(cursor: ByteReader) -> LiteralTimecodedChannel | None:
    """The public document's layout, if it fits the chunk to the byte."""
    if cursor.remaining < layout.LITERAL_CHANNEL_HEADER.size:
        return None
    count, pivot, length, kind, padding = cursor.unpack(layout.LITERAL_CHANNEL_HEADER, "channel header")
    if length not in (1, 4) or cursor.remaining != count * (2 + 4 * length):
        return None
    codes = cursor.array("<u2", count, "time codes")
    values = cursor.array("<f4", (count, length), "channel values")
    return LiteralTimecodedChannel(pivot, kind, padding, codes, values)


def _delta_channel(cursor: ByteReader, report: Report) -> Chunk:
    count, pivot, length, kind = cursor.unpack(layout.COMPRESSED_CHANNEL_HEADER, "channel header")
    scale, initial, packets = _packets(cursor, count, length, 4)
    return DeltaChannel(count, pivot, kind, scale, initial, packets)


def _packets(cursor: ByteReader, frame_count: int, length: int, bits: int) -> tuple[Array, Array, Array]:
    """Scale (), initial (length,) and packets (rows, length, packet size) of a delta channel."""
    scale = cursor.array("<f4", (), "scale")
    initial = cursor.array("<f4", length, "initial value")
    size = layout.PACKET_SIZE[bits]
    rows = layout.packet_rows(frame_count)
    if length and frame_count % layout.PACKET_FRAMES == 1 and cursor.remaining < rows * length * size:
        rows -= 1  # the row that the engine's own encoder adds holds no frame
    packets = cursor.array("u1", (rows, length, size), "delta packets")
    return scale, initial, packets


def _compressed_bit_channel(cursor: ByteReader, report: Report) -> Chunk:
    count, pivot, kind, default = cursor.unpack(layout.COMPRESSED_BIT_HEADER, "bit channel header")
    return CompressedBitChannel(pivot, kind, default, cursor.array("<u4", count, "bit keys"))


def _motion_channel(cursor: ByteReader, report: Report) -> Chunk:
    version, encoding, length, kind, count, pivot = cursor.unpack(layout.MOTION_HEADER, "motion channel header")
    if version != 0 or encoding > Encoding.DELTA_8_BIT:
        report.warn(messages.W3D_UNKNOWN_MOTION, version=version, encoding=encoding)
        return OpaqueChunk(Kind.COMPRESSED_MOTION_CHANNEL, b"")
    if encoding == Encoding.TIMECODED:
        return _motion_keys(cursor, pivot, kind, count, length)
    bits = 4 if encoding == Encoding.DELTA_4_BIT else 8
    scale, initial, packets = _packets(cursor, count, length, bits)
    return MotionDeltaChannel(encoding, count, pivot, kind, scale, initial, packets)


def _motion_keys(cursor: ByteReader, pivot: int, kind: int, count: int, length: int) -> MotionKeysChannel:
    codes = cursor.array("<u2", count, "time codes")
    padded = count % 2 and cursor.remaining != count * length * 4
    padding = bytes(cursor.take(2, "padding")) if padded else b""
    values = cursor.array("<f4", (count, length), "channel values")
    return MotionKeysChannel(pivot, kind, codes, padding, values)


# --- Morph animation ----------------------------------------------------------------------------


def _morph_header(cursor: ByteReader, report: Report) -> Chunk:
    version, name, hierarchy, frames, rate, channels = cursor.unpack(layout.MORPH_HEADER, "morph header")
    return MorphHeader(version, name, hierarchy, frames, np.frombuffer(rate, "<f4").reshape(()), channels)


def _morph_channel(cursor: ByteReader, report: Report) -> Chunk:
    parts = [_leaf(*chunk, _MORPH_CHANNEL_READERS, report) for chunk in _split(cursor)]
    return MorphChannel(parts)


def _morph_pose_name(cursor: ByteReader, report: Report) -> Chunk:
    return MorphPoseName(_rest(cursor))


def _morph_keys(cursor: ByteReader, report: Report) -> Chunk:
    count = cursor.remaining // 8
    return MorphKeys(cursor.array("<u4", (count, 2), "morph keys"))


def _morph_pivot_channels(cursor: ByteReader, report: Report) -> Chunk:
    return MorphPivotChannels(cursor.array("<u4", cursor.remaining // 4, "morph channels of the pivots"))


_READERS: dict[Kind, dict[int, LeafReader]] = {
    Kind.HIERARCHY: {
        Kind.HIERARCHY_HEADER: _hierarchy_header,
        Kind.PIVOTS: _pivots,
        Kind.PIVOT_FIXUPS: _fixups,
    },
    Kind.ANIMATION: {
        Kind.ANIMATION_HEADER: _animation_header,
        Kind.ANIMATION_CHANNEL: _raw_channel,
        Kind.BIT_CHANNEL: _bit_channel,
    },
    Kind.COMPRESSED_ANIMATION: {
        Kind.COMPRESSED_ANIMATION_HEADER: _compressed_header,
        Kind.COMPRESSED_BIT_CHANNEL: _compressed_bit_channel,
        Kind.COMPRESSED_MOTION_CHANNEL: _motion_channel,
    },
    Kind.MORPH_ANIMATION: {
        Kind.MORPH_HEADER: _morph_header,
        Kind.MORPH_CHANNEL: _morph_channel,
        Kind.MORPH_PIVOT_CHANNELS: _morph_pivot_channels,
    },
}
_MORPH_CHANNEL_READERS: dict[int, LeafReader] = {
    Kind.MORPH_POSE_NAME: _morph_pose_name,
    Kind.MORPH_KEYS: _morph_keys,
}
_CHANNEL_READERS: dict[int, LeafReader] = {
    Flavor.TIMECODED: _timecoded_channel,
    Flavor.ADAPTIVE_DELTA: _delta_channel,
}
