"""The engine's LZMA container: 5 property bytes, two 64-bit sizes, raw LZMA1 data without an end marker.

Source: Elements.Core's LZMA helper (7-Zip's own coder). The compressed size is patched in afterwards and ignored by the
reader; the original size ends the data, or an end marker where that size is -1.
"""

from __future__ import annotations

import lzma
import struct
from typing import Any

from ..binary import ByteReader
from . import messages

_HEADER = struct.Struct("<BIqq")
_PROPERTIES = 0x5D
_DICTIONARY = 0x20_0000
_SMALLEST_DICTIONARY = 4096
_INVALID_PROPERTIES = 225
_PIECE = 1 << 20
_PRESET = 6


def _filters(properties: int, dictionary: int) -> list[dict[str, Any]]:
    rest, context = divmod(properties, 9)
    position, literal = divmod(rest, 5)
    return [{"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": context, "lp": literal, "pb": position}]


def unpack(reader: ByteReader, limit: int) -> tuple[bytes, bytes]:
    """Return the data of the container and the bytes after it.

    It decodes in pieces, never more than `limit` bytes, with a dictionary no larger than the data can use.

    Raises:
        FormatError: the data is damaged, cut short, or longer than `limit`.
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
        data = _decode(decoder, packed, most)
    except lzma.LZMAError as error:
        raise reader.fail(messages.LZMA_DAMAGED, "LZMA data") from error
    if size == -1 and not decoder.eof:
        template = messages.TOO_LARGE if len(data) >= limit else messages.LZMA_DAMAGED
        raise reader.fail(template, "LZMA data", size=len(data), limit=limit)
    if len(data) < most and size != -1:
        raise reader.fail(messages.UNPACKED_SIZE, "LZMA data", expected=size, found=len(data))
    return data, decoder.unused_data


def _decode(decoder: lzma.LZMADecompressor, packed: memoryview, most: int) -> bytes:
    parts: list[bytes] = []
    total = 0
    waiting: bytes | memoryview = packed
    while total < most and not decoder.eof:
        part = decoder.decompress(waiting, min(_PIECE, most - total))
        waiting = b""
        if not part and decoder.needs_input:
            break
        parts.append(part)
        total += len(part)
    return b"".join(parts)


def pack(data: bytes) -> bytes:
    """Return the container with the engine's own properties; Python's coder adds an end marker, which 7-Zip's skips.

    The coder takes a dozen times its dictionary in memory, so that it gets no larger one than the data can use.
    """
    window = min(_DICTIONARY, max(len(data), _SMALLEST_DICTIONARY))
    coder = lzma.LZMACompressor(lzma.FORMAT_RAW, filters=[{**_filters(_PROPERTIES, window)[0], "preset": _PRESET}])
    packed = coder.compress(data) + coder.flush()
    return _HEADER.pack(_PROPERTIES, _DICTIONARY, len(data), len(packed)) + packed
