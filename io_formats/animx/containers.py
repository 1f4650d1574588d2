"""What AnimX files are packed in: LZ4 and LZMA."""

from __future__ import annotations

import lzma
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..binary import ByteReader, ByteWriter
from ..errors import FormatError
from . import messages
from .document import Block

# LZ4 without a dependency: blocks and lz4net's chunk stream, both ways.
#
# lz4net's LZ4Stream, repeated until the end of the data: flags (bit 0 compressed, bit 1 high compression, bits 2-4
# passes, always 0), original length, compressed length only where compressed, payload; all three varints. Blocks are
# independent. Source: MiloszKrajewski/lz4net; the block format: lz4's doc/lz4_Block_format.md.

_CHUNK = 1 << 20
_COMPRESSED = 1
_PASSES = 0b1_1100
_SHORTEST_MATCH = 4
_WINDOW = 0xFFFF
# The last match begins at least 12 bytes before the end, and the last 5 bytes are literals.
_END_LITERALS, _END_MATCHES = 5, 12
_SPREAD, _PLACES = 2654435761, 1 << 14
"""Knuth's factor, 2**32 over the golden ratio, by which four bytes choose one of so many places; each remembers where
they were last. Python's own hash of bytes is another one in each process, and so would the files be."""


def decompress_block(source: bytes, size: int, base: int = 0) -> bytes:
    """Return the `size` bytes in a bare LZ4 block; raise FormatError, offsets from `base`, if damaged."""
    target = bytearray()
    _expand(target, source, size, base)
    if len(target) != size:
        raise FormatError(messages.UNPACKED_SIZE, offset=base, field="LZ4 block", expected=size, found=len(target))
    return bytes(target)


def _expand(target: bytearray, source: bytes, most: int, base: int) -> None:
    """Add a block's data to `target`, which may repeat what is there; raise FormatError if that gets over `most` bytes.

    One turn of the loop is one sequence: whole slices are copied, never single bytes.
    """
    position, end = 0, len(source)
    try:
        while position < end:
            token = source[position]
            position += 1
            # the upper half of the token: bytes to copy from here
            literals = token >> 4
            if literals == 15:
                literals, position = _long_length(source, position, literals)
            if position + literals > end or len(target) + literals > most:
                raise _damaged(base + position)
            target += source[position : position + literals]
            position += literals
            if position == end:
                break
            # the lower half: bytes to repeat from so far back; 4 are the fewest
            distance = source[position] | source[position + 1] << 8
            position += 2
            length = token & 15
            if length == 15:
                length, position = _long_length(source, position, length)
            _copy_match(target, distance, length + _SHORTEST_MATCH, most, base + position)
    except IndexError as error:
        raise _damaged(base + end) from error


def _copy_match(target: bytearray, distance: int, length: int, most: int, offset: int) -> None:
    start = len(target) - distance
    if distance == 0 or start < 0 or len(target) + length > most:
        raise _damaged(offset)
    if distance >= length:
        target += target[start : start + length]
    else:
        target += (bytes(target[start:]) * (length // distance + 1))[:length]


def _long_length(source: bytes, position: int, length: int) -> tuple[int, int]:
    """Return a length that continues in bytes of 255, and the next position; raise IndexError past the end."""
    while True:
        more = source[position]
        position += 1
        length += more
        if more != 255:
            return length, position


def _damaged(offset: int) -> FormatError:
    return FormatError(messages.LZ4_DAMAGED, offset=offset, field="LZ4 block")


def compress_block(data: bytes) -> bytes:
    """Return a bare LZ4 block that holds `data`: wherever four bytes were shortly before, they are copied from there.

    The longer nothing is found, the fewer places are looked at, so that what cannot be packed costs little time.
    """
    last: dict[int, int] = {}
    result = bytearray()
    anchor = position = 0
    while position < len(data) - _END_MATCHES:
        word = data[position : position + _SHORTEST_MATCH]
        place = (int.from_bytes(word, "little") * _SPREAD >> 18) % _PLACES
        start, last[place] = last.get(place, -1), position
        if start < 0 or position - start > _WINDOW or data[start : start + _SHORTEST_MATCH] != word:
            position += 1 + (position - anchor >> 6)
            continue
        length, most = _SHORTEST_MATCH, len(data) - _END_LITERALS - position
        while length < most and data[start + length] == data[position + length]:
            length += 1
        _put_sequence(result, data[anchor:position], position - start, length - _SHORTEST_MATCH)
        position += length
        anchor = position
    _put_sequence(result, data[anchor:], 0, 0)
    return bytes(result)


def _put_sequence(result: bytearray, literals: bytes, distance: int, extra: int) -> None:
    """Put bytes as they are, then a match of that many bytes more than the fewest; the last sequence has none."""
    result.append(min(len(literals), 15) << 4 | min(extra, 15))
    _put_length(result, len(literals) - 15)
    result += literals
    if distance:
        result += distance.to_bytes(2, "little")
        _put_length(result, extra - 15)


def _put_length(result: bytearray, rest: int) -> None:
    if rest >= 0:
        result += b"\xff" * (rest // 255) + bytes([rest % 255])


# --- lz4net's stream ---------------------------------------------------------------------------------------------


@dataclass
class Unpacked:
    """What a stream held.

    Attributes:
        blocks: the chunks they came in.
        rest: bytes that are not a chunk; the engine reads only as far as it must, so it never sees them.
        error: why they are not a chunk; None if the stream ended in order.
    """

    data: bytes = b""
    blocks: list[Block] = field(default_factory=list)
    rest: bytes = b""
    error: FormatError | None = None


def unpack_lz4(reader: ByteReader, limit: int) -> Unpacked:
    """Read chunks until the end or the first invalid one; raise FormatError if they hold more than `limit` bytes."""
    result = Unpacked()
    parts: list[bytes] = []
    total = 0
    while reader.remaining:
        start = reader.offset
        try:
            flags = reader.varint("LZ4 flags")
            if flags & ~0b11:
                raise reader.fail(messages.LZ4_FLAGS, "LZ4 flags", flags=flags, passes=(flags & _PASSES) >> 2)
            size = reader.varint("LZ4 original length")
            total += size
            if total > limit:
                raise reader.fail(messages.TOO_LARGE, "LZ4 original length", size=total, limit=limit)
            packed = reader.varint("LZ4 compressed length") if flags & _COMPRESSED else size
            payload_at = reader.base + reader.offset
            payload = bytes(reader.take(packed, "LZ4 payload"))
            part = decompress_block(payload, size, payload_at) if flags & _COMPRESSED else payload
        except FormatError as error:
            if error.template == messages.TOO_LARGE:
                raise
            result.rest, result.error = bytes(reader.data[start : reader.end]), error
            break
        result.blocks.append(Block(size, flags))
        parts.append(part)
    result.data = b"".join(parts)
    return result


def pack_lz4(data: bytes, blocks: Sequence[Block] = ()) -> bytes:
    """Return the stream that holds `data`; as in lz4net a chunk is stored where compressing does not shrink it.

    The chunks are those of `blocks` if these have its length, else of 1 MiB.
    """
    if sum(block.size for block in blocks) != len(data):
        blocks = [Block(_CHUNK, _COMPRESSED)] * -(-len(data) // _CHUNK)
    writer, start = ByteWriter(), 0
    for block in blocks:
        part = data[start : start + block.size]
        packed = compress_block(part) if block.flags & _COMPRESSED else part
        if len(packed) < len(part):
            writer.varint(block.flags)
            writer.varint(len(part))
            writer.string_bytes(packed)
        else:
            writer.varint(block.flags & ~_COMPRESSED)
            writer.string_bytes(part)
        start += block.size
    return writer.getvalue()


# The LZ4 frame, which another reader takes for the engine's container. Source: lz4's doc/lz4_Frame_format.md.

FRAME_MAGIC = b"\x04\x22\x4d\x18"
_FRAME_VERSION, _FRAME_DICTIONARY = 0b0100_0000, 0x01
_FRAME_SIZE, _FRAME_SUM, _FRAME_BLOCK_SUMS = 0x08, 0x04, 0x10
_LEAST_BLOCK_SIZE = 4  # of 64 KiB, the next of four times as much
_STORED_BIT = 0x8000_0000
_UINT32 = struct.Struct("<I")


def unpack_frame(reader: ByteReader, limit: int) -> bytes:
    """Return the bytes of an LZ4 frame, checksums untested; raise FormatError if damaged or beyond `limit`."""
    reader.take(len(FRAME_MAGIC), "LZ4 frame")
    flags, sizes = reader.take(2, "LZ4 frame descriptor")
    block_size = sizes >> 4 & 7
    if flags & 0xC0 != _FRAME_VERSION or flags & _FRAME_DICTIONARY or block_size < _LEAST_BLOCK_SIZE:
        raise reader.fail(messages.LZ4_FRAME, "LZ4 frame descriptor")
    reader.take((8 if flags & _FRAME_SIZE else 0) + 1, "LZ4 frame descriptor")
    result = bytearray()
    while size := reader.unpack(_UINT32, "LZ4 frame block")[0]:
        offset = reader.base + reader.offset
        block = bytes(reader.take(size & ~_STORED_BIT, "LZ4 frame block"))
        if size & _STORED_BIT:
            result += block
        else:
            _expand(result, block, len(result) + (1 << 8 + 2 * block_size), offset)
        if len(result) > limit:
            raise reader.fail(messages.TOO_LARGE, "LZ4 frame block", size=len(result), limit=limit)
        reader.take(4 if flags & _FRAME_BLOCK_SUMS else 0, "LZ4 frame block checksum")
    reader.take(4 if flags & _FRAME_SUM else 0, "LZ4 frame checksum")
    return bytes(result)


# The engine's LZMA container: 5 property bytes, two 64-bit sizes, raw LZMA1 data without an end marker.
#
# Source: Elements.Core's LZMA helper (7-Zip's own coder). The compressed size is patched in afterwards and ignored by
# the reader; the original size ends the data, or an end marker where that size is -1.

_HEADER = struct.Struct("<BIqq")
_PROPERTIES = 0x5D
_DICTIONARY = 0x20_0000
_SMALLEST_DICTIONARY = 4096
_INVALID_PROPERTIES = 225
_PRESET = 6


def _filters(properties: int, dictionary: int) -> list[dict[str, int]]:
    rest, context = divmod(properties, 9)
    position, literal = divmod(rest, 5)
    return [{"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": context, "lp": literal, "pb": position}]


def unpack_lzma(reader: ByteReader, limit: int) -> tuple[bytes, bytes]:
    """Return the data of the container and the bytes after it.

    It decodes never more than `limit` bytes, with a dictionary no larger than the data can use. FormatError
    is raised for data that is damaged, cut short, or longer.
    """
    start = reader.offset
    properties, dictionary, size, _ = reader.unpack(_HEADER, "LZMA header")
    reader.offset = start
    if properties >= _INVALID_PROPERTIES:
        raise reader.fail(messages.LZMA_PROPERTIES, "LZMA properties", properties=properties)
    if size > limit:
        raise reader.fail(messages.TOO_LARGE, "LZMA original size", size=size, limit=limit)
    if size < -1:
        raise reader.fail(messages.LZMA_DAMAGED, "LZMA original size")
    most = limit if size == -1 else size
    window = min(max(dictionary, _SMALLEST_DICTIONARY), max(most, _SMALLEST_DICTIONARY))
    reader.offset += _HEADER.size
    packed = reader.data[reader.offset : reader.end]
    try:
        decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_filters(properties, window))
        data = decoder.decompress(packed, most) if most else b""
    except lzma.LZMAError as error:
        raise reader.fail(messages.LZMA_DAMAGED, "LZMA data") from error
    if size == -1 and not decoder.eof:
        template = messages.TOO_LARGE if len(data) >= limit else messages.LZMA_DAMAGED
        raise reader.fail(template, "LZMA data", size=len(data), limit=limit)
    if len(data) < most and size != -1:
        raise reader.fail(messages.UNPACKED_SIZE, "LZMA data", expected=size, found=len(data))
    return data, decoder.unused_data


def pack_lzma(data: bytes) -> bytes:
    """Return the container with the engine's own properties; Python's coder adds an end marker, which 7-Zip's skips.

    The coder takes a dozen times its dictionary in memory, so that it gets no larger one than the data can use.
    """
    window = min(_DICTIONARY, max(len(data), _SMALLEST_DICTIONARY))
    coder = lzma.LZMACompressor(lzma.FORMAT_RAW, filters=[{**_filters(_PROPERTIES, window)[0], "preset": _PRESET}])
    packed = coder.compress(data) + coder.flush()
    return _HEADER.pack(_PROPERTIES, _DICTIONARY, len(data), len(packed)) + packed
