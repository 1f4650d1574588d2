"""Document to bytes: the exact reverse of `read`."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import messages
from ..clip import Array
from ..errors import FormatError
from . import layout
from .document import (
    AnimationHeader,
    BitChannel,
    Chunk,
    CompressedBitChannel,
    CompressedHeader,
    Container,
    DeltaChannel,
    Document,
    Fixups,
    HierarchyHeader,
    LiteralBitChannel,
    LiteralTimecodedChannel,
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
from .layout import Encoding
from .options import WriteOptions


def write(document: Document) -> bytes:
    """The file's bytes.

    Raises:
        FormatError: a number does not fit into the field that the file has for it.
    """
    try:
        return b"".join(_chunks(document.parts)) + document.tail
    except struct.error as error:
        raise FormatError(messages.W3D_CANNOT_WRITE, reason=error) from error


def encode(document: Document, ending: str, options: WriteOptions) -> bytes:
    """The bytes for a file of that ending; W3D has one form only."""
    del ending, options
    return write(document)


def same_content(a: Document, b: Document) -> bool:
    """Whether two files hold the same, chunk by chunk and bit by bit."""
    return a == b


def _chunks(parts: list[Chunk]) -> list[bytes]:
    return [_chunk(part) for part in parts]


def _chunk(chunk: Chunk) -> bytes:
    kind = chunk.kind if isinstance(chunk, OpaqueChunk) else chunk.KIND
    if isinstance(chunk, Container):
        data = b"".join(_chunks(chunk.parts)) + chunk.tail
    else:
        data = _WRITERS[type(chunk)](chunk) + chunk.tail
    if len(data) + chunk.excess > layout.SIZE_MASK:
        raise FormatError(messages.FILE_TOO_LARGE, size=len(data), limit=layout.SIZE_MASK)
    size = len(data) + chunk.excess
    return layout.CHUNK_HEADER.pack(kind, size | (layout.CONTAINER_BIT if chunk.flagged else 0)) + data


def _floats(values: Array) -> bytes:
    return np.ascontiguousarray(values, "<f4").tobytes()


def _opaque(chunk: OpaqueChunk) -> bytes:
    return chunk.data


def _hierarchy_header(chunk: HierarchyHeader) -> bytes:
    return layout.HIERARCHY_HEADER.pack(chunk.version, chunk.name, chunk.pivot_count, _floats(chunk.center))


def _pivots(chunk: Pivots) -> bytes:
    return np.ascontiguousarray(chunk.records, layout.PIVOT).tobytes()


def _fixups(chunk: Fixups) -> bytes:
    return _floats(chunk.matrices)


def _animation_header(chunk: AnimationHeader) -> bytes:
    return layout.ANIMATION_HEADER.pack(chunk.version, chunk.name, chunk.hierarchy, chunk.frame_count, chunk.rate)


def _raw_channel(chunk: RawChannel) -> bytes:
    length = chunk.values.shape[1]
    header = (chunk.first, chunk.last, length, chunk.type, chunk.pivot, chunk.padding)
    return layout.CHANNEL_HEADER.pack(*header) + _floats(chunk.values)


def _bit_channel(chunk: BitChannel) -> bytes:
    header = (chunk.first, chunk.last, chunk.type, chunk.pivot, chunk.default)
    return layout.BIT_CHANNEL_HEADER.pack(*header) + chunk.bits


def _literal_bit_channel(chunk: LiteralBitChannel) -> bytes:
    default = struct.pack("<f", chunk.default)
    return layout.LITERAL_BIT_HEADER.pack(chunk.first, chunk.last, chunk.type, chunk.pivot, default) + chunk.bits


def _compressed_header(chunk: CompressedHeader) -> bytes:
    return layout.COMPRESSED_HEADER.pack(
        chunk.version, chunk.name, chunk.hierarchy, chunk.frame_count, chunk.rate, chunk.flavor
    )


def _timecoded_channel(chunk: TimecodedChannel) -> bytes:
    count, length = chunk.values.shape
    words = np.empty((count, 1 + length), "<u4")
    words[:, 0] = chunk.codes
    words[:, 1:] = np.ascontiguousarray(chunk.values, "<f4").view("<u4")
    return layout.COMPRESSED_CHANNEL_HEADER.pack(count, chunk.pivot, length, chunk.type) + words.tobytes()


def _literal_timecoded_channel(chunk: LiteralTimecodedChannel) -> bytes:
    count, length = chunk.values.shape
    header = layout.LITERAL_CHANNEL_HEADER.pack(count, chunk.pivot, length, chunk.type, chunk.padding)
    return header + np.ascontiguousarray(chunk.codes, "<u2").tobytes() + _floats(chunk.values)


def _delta_channel(chunk: DeltaChannel) -> bytes:
    header = (chunk.frame_count, chunk.pivot, len(chunk.initial), chunk.type)
    return layout.COMPRESSED_CHANNEL_HEADER.pack(*header) + _deltas(chunk)


def _deltas(chunk: DeltaChannel | MotionDeltaChannel) -> bytes:
    return _floats(chunk.scale) + _floats(chunk.initial) + np.ascontiguousarray(chunk.packets, "u1").tobytes()


def _compressed_bit_channel(chunk: CompressedBitChannel) -> bytes:
    header = layout.COMPRESSED_BIT_HEADER.pack(len(chunk.codes), chunk.pivot, chunk.type, chunk.default)
    return header + np.ascontiguousarray(chunk.codes, "<u4").tobytes()


def _motion_keys(chunk: MotionKeysChannel) -> bytes:
    count, length = chunk.values.shape
    header = layout.MOTION_HEADER.pack(0, Encoding.TIMECODED, length, chunk.type, count, chunk.pivot)
    return header + np.ascontiguousarray(chunk.codes, "<u2").tobytes() + chunk.padding + _floats(chunk.values)


def _motion_deltas(chunk: MotionDeltaChannel) -> bytes:
    header = (0, chunk.encoding, len(chunk.initial), chunk.type, chunk.frame_count, chunk.pivot)
    return layout.MOTION_HEADER.pack(*header) + _deltas(chunk)


def _morph_header(chunk: MorphHeader) -> bytes:
    return layout.MORPH_HEADER.pack(
        chunk.version, chunk.name, chunk.hierarchy, chunk.frame_count, _floats(chunk.rate), chunk.channel_count
    )


def _morph_pose_name(chunk: MorphPoseName) -> bytes:
    return chunk.name


def _morph_keys(chunk: MorphKeys) -> bytes:
    return np.ascontiguousarray(chunk.keys, "<u4").tobytes()


def _morph_pivot_channels(chunk: MorphPivotChannels) -> bytes:
    return np.ascontiguousarray(chunk.channels, "<u4").tobytes()


_WRITERS: dict[type[Chunk], Callable[[Any], bytes]] = {
    OpaqueChunk: _opaque,
    HierarchyHeader: _hierarchy_header,
    Pivots: _pivots,
    Fixups: _fixups,
    AnimationHeader: _animation_header,
    RawChannel: _raw_channel,
    BitChannel: _bit_channel,
    LiteralBitChannel: _literal_bit_channel,
    CompressedHeader: _compressed_header,
    TimecodedChannel: _timecoded_channel,
    LiteralTimecodedChannel: _literal_timecoded_channel,
    DeltaChannel: _delta_channel,
    CompressedBitChannel: _compressed_bit_channel,
    MotionKeysChannel: _motion_keys,
    MotionDeltaChannel: _motion_deltas,
    MorphHeader: _morph_header,
    MorphPoseName: _morph_pose_name,
    MorphKeys: _morph_keys,
    MorphPivotChannels: _morph_pivot_channels,
}
