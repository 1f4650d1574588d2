"""Bytes to Document: chunk by chunk, every count checked against the bytes left before memory is allocated."""

from __future__ import annotations

from collections.abc import Iterator

from .. import messages as common_messages
from ..binary import ByteReader
from ..errors import FormatError, Report, first_names
from ..files import messages as files_messages
from ..files.memory import reckon
from ..files.steps import AtOnce, Steps
from ..files.whole_file import Unread
from ..options import SIZE_LIMIT
from . import big_archive, layout, messages
from . import document as w3d

_MOST_CHUNKS_LOOKED_AT = 64
_READ = 1 << 20
"""Bytes of chunks that are read in one step; they are thousands where they are small."""
_RECKONED_TOGETHER = 4096
"""Number of sub-chunks after which their memory is checked again."""

_CONTAINERS: dict[int, type[w3d.AnyContainer]] = {
    container.KIND: container for container in (w3d.Hierarchy, w3d.Animation, w3d.CompressedAnimation)
}


def matches(data: bytes | Unread) -> bool:
    """Return whether these bytes look like a W3D file: chunks that fit, one of a known id among the first; raise
    FormatError for an archive of such files, which nobody need read to be told so."""
    if bytes(data[:4]) in big_archive.MAGICS:
        held = big_archive.names_in(data)
        raise FormatError(messages.IS_ARCHIVE, offset=0, files=len(held), names=first_names(held) or "-")
    header, offset = layout.CHUNK_HEADER, 0
    for _ in range(_MOST_CHUNKS_LOOKED_AT):
        inside = offset + header.size
        if inside > len(data):
            return False
        kind, size = header.unpack(data[offset:inside])
        size &= layout.SIZE_MASK
        if kind in layout.TOP_LEVEL and size >= header.size and inside + header.size <= len(data):
            first, first_size = header.unpack(data[inside : inside + header.size])
            # its first sub-chunk has an id of the same family, or its payload at least fits
            nested = kind <= first < kind + 0x100 and first_size & layout.SIZE_MASK <= size - header.size
            if nested or (kind != 0 and inside + size <= len(data)):
                return True
        offset = inside + size
    return False


@AtOnce
def read(data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Steps[w3d.Document]:
    """Read a W3D file, some chunks at a time.

    Args:
        limit: most bytes that are accepted; W3D itself expands nothing.
        report: receives remarks about layouts that no engine writes.

    Raises:
        FormatError: for anything that is not a sequence of whole chunks with whole records in them.
    """
    report = Report() if report is None else report
    if len(data) > limit:
        raise FormatError(files_messages.FILE_TOO_LARGE, offset=0, size=len(data), limit=limit)
    if not data:
        raise FormatError(common_messages.EMPTY_FILE, offset=0)
    cursor = ByteReader(data)
    parts: list[w3d.Chunk] = []
    chunks = told = 0
    while cursor.remaining >= layout.CHUNK_HEADER.size:
        kind, size = layout.CHUNK_HEADER.unpack_from(cursor.data, cursor.offset)
        size, left = size & layout.SIZE_MASK, cursor.remaining - layout.CHUNK_HEADER.size
        # real files have a chunk at their end that claims more than is left: the engine reads what is there
        excess = max(size - left, 0) if kind in layout.TOP_LEVEL else 0
        if excess:
            report.warn(messages.OVERLONG_CHUNK, kind=kind, size=size, left=left)
        kind, flagged, inside = _open_chunk(cursor, "chunk", excess)
        known = _CONTAINERS.get(kind)
        parts.append(_container(known, flagged, inside, report) if known else _opaque(kind, flagged, inside))
        parts[-1].excess = excess
        chunks += 1 + len(getattr(parts[-1], "parts", ()))
        reckon(parts=chunks)
        if cursor.offset - told > _READ:
            told = cursor.offset
            yield told / len(data)
    tail = bytes(cursor.take(cursor.remaining, "bytes after the chunks"))
    if tail:
        report.warn(common_messages.TRAILING_BYTES, size=len(tail))
    return w3d.Document(parts, tail)


def _open_chunk(cursor: ByteReader, field: str, excess: int = 0) -> tuple[int, bool, ByteReader]:
    """Return id, container bit and a cursor over the payload of the next chunk, without the `excess` that it claims."""
    kind, size = cursor.unpack(layout.CHUNK_HEADER, field)
    payload = (size & layout.SIZE_MASK) - excess
    if payload > cursor.remaining:
        raise cursor.fail(messages.CHUNK_TOO_LARGE, field, kind=kind, size=payload, left=cursor.remaining)
    inside = ByteReader(cursor.data, cursor.offset, cursor.offset + payload)
    cursor.offset += payload
    return kind, bool(size & layout.CONTAINER_BIT), inside


def _rest(cursor: ByteReader) -> bytes:
    return b"" if cursor.offset == cursor.end else bytes(cursor.take(cursor.remaining, "rest of the chunk"))


def _opaque(kind: int, flagged: bool, cursor: ByteReader) -> w3d.OpaqueChunk:
    return w3d.OpaqueChunk(kind, _rest(cursor), flagged=flagged)


def _container(
    container: type[w3d.AnyContainer], flagged: bool, cursor: ByteReader, report: Report
) -> w3d.AnyContainer:
    # the header comes first, as what the other chunks are depends on it
    form = container.PARTS[0]
    kind, _, inside = next(_split(cursor.again()), (None, False, cursor))
    if kind != form.KIND:
        title = layout.words_of(container).replace(" ", "_").upper()
        raise FormatError(messages.NO_HEADER, offset=cursor.offset, field=title)
    header = form.read(inside)
    parts = [_part(container, header, *chunk, report) for chunk in _split(cursor)]
    return container(parts, flagged=flagged, tail=_rest(cursor))


def _split(cursor: ByteReader) -> Iterator[tuple[int, bool, ByteReader]]:
    """Yield the sub-chunks one at a time, as a cursor needs much more memory than the eight bytes of an empty chunk."""
    number = 0
    while cursor.remaining >= layout.CHUNK_HEADER.size:
        if number % _RECKONED_TOGETHER == 0:
            reckon(parts=number)
        number += 1
        yield _open_chunk(cursor, "sub-chunk")


def _part(
    container: type[w3d.AnyContainer], header: w3d.Chunk, kind: int, flagged: bool, cursor: ByteReader, report: Report
) -> w3d.Chunk:
    """Return a sub-chunk as the first class that fits; one of an unknown id or form stays opaque."""
    for form in container.PARTS:
        if kind != form.KIND or not form.fits(cursor, header):
            continue
        part = form.read(cursor)
        part.flagged, part.tail = flagged, _rest(cursor)
        remark = part.remark(header)
        if remark is not None:
            report.warn(remark)
        return part
    if kind == w3d.MotionKeysChannel.KIND and issubclass(container, w3d.CompressedAnimation):
        version, encoding = cursor.data[cursor.offset : cursor.offset + 2]
        report.warn(messages.UNKNOWN_MOTION, version=version, encoding=encoding)
    elif kind == w3d.TimecodedChannel.KIND and isinstance(header, w3d.CompressedHeader):
        report.warn(messages.UNKNOWN_FLAVOR, flavor=header.flavor)
    return _opaque(kind, flagged, cursor)
