"""Bytes -> Document: AnimX here, AnimJ in `animj_read`, distinguished by content.

And the forms of a document, as files differ in which order a key's parts have.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from .. import messages as common_messages
from ..binary import ByteReader
from ..clip import Array
from ..errors import FormatError, Report
from ..files.memory import reckon
from ..files.steps import AtOnce, Steps
from ..files.whole_file import Unread
from ..options import SIZE_LIMIT
from . import animj_read, containers, layout, messages
from . import playback as order_vote
from .document import Document, Strings, Track, Values
from .layout import Container, Encoding, KeyOrder, Kind, TangentOrder, TrackType
from .options import WriteOptions
from .write import held_curve, track_bytes

_SMALLEST_TRACK = 4
_TRACK_TYPES = tuple(TrackType)


def matches(data: bytes | Unread) -> bool:
    """Return whether the bytes begin as AnimX or as JSON does."""
    return data[: len(layout.MAGIC)] == layout.MAGIC or _first_character(data) == b"{"


def _first_character(data: bytes | Unread) -> bytes:
    """Return the character that tells AnimJ: it begins with an object; a list is JSON too, and refused as that."""
    return data[:4096].removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n")[:1]


@AtOnce
def read(
    data: bytes,
    *,
    limit: int = SIZE_LIMIT,
    report: Report | None = None,
    key_order: str = "AUTO",
    tangent_order: str = "AUTO",
) -> Steps[Document]:
    """Return the document that AnimX or AnimJ bytes hold; AnimJ is read a track at a time.

    Args:
        limit: most bytes that packed tracks may expand to.
        report: learns of everything tolerated.
        key_order: AUTO, VALUE or TIME: what comes first in the keys of AnimX curves.
        tangent_order: AUTO, LEFT or RIGHT.

    Raises:
        FormatError: the bytes are anything else; with the offset (in unpacked tracks, where these are packed) and
            field.
    """
    report = Report() if report is None else report
    if not data:
        raise FormatError(common_messages.EMPTY_FILE, offset=0, field="magic")
    if _first_character(data) in (b"{", b"["):
        return (yield from animj_read.read.steps(data, report))
    return _AnimX(data, limit, _Orders(key_order, tangent_order)).read(report)


class _Orders(NamedTuple):
    """What a person chose for the two disputed orders."""

    key_order: str = "AUTO"
    tangent_order: str = "AUTO"


@dataclass
class _Content:
    """The bytes that hold the tracks, with what the header says about them.

    Attributes:
        data: unpacked.
        base: the offset of the first byte, for errors.
        header: the document without tracks.
        error: what stopped unpacking; the engine never notices if it needs nothing beyond it.
    """

    data: bytes | memoryview
    base: int
    header: Document
    count: int
    error: FormatError | None = None


class _AnimX(NamedTuple):
    """Reads one AnimX file; tries the public document's one-byte version where the real layout fails."""

    data: bytes
    limit: int
    orders: _Orders

    def read(self, report: Report) -> Document:
        """Return the file's document; add to `report` what was tolerated."""
        try:
            # the layout that the engine reads; only where that fails the public document's
            document, remarks = self._read(one_byte=False)
        except FormatError as error:
            literal = self._literal(error)
            if literal is None:
                raise
            document, remarks = literal
            report.warn(messages.DIALECT)
        report.extend(remarks)
        _remark(document, report)
        return document

    def _literal(self, error: FormatError) -> tuple[Document, Report] | None:
        """Return the document in the dialect with a one-byte version, None unless that explains the whole file."""
        if error.template == messages.MAGIC:
            return None
        try:
            document, remarks = self._read(one_byte=True)
        except FormatError:
            return None
        complete = document.tracks and not document.trailing and not document.container_trailing
        return (document, remarks) if complete else None

    def _read(self, *, one_byte: bool) -> tuple[Document, Report]:
        remarks = Report()
        content = _unpacked(_Reader(self.data), self.limit, remarks, one_byte=one_byte)
        try:
            return _in_order(content, self.orders), remarks
        except FormatError as error:
            if content.error is not None:
                raise content.error from error
            raise


class _Reader(ByteReader):
    """A cursor over the fields of AnimX."""

    def varint(self, field: str) -> int:
        """Return a number; nearly all of them are one byte."""
        start = self.offset
        if start < self.end and self.data[start] < 0x80:
            self.offset += 1
            return self.data[start]
        return super().varint(field)

    def text(self, field: str) -> str:
        """Return a string; bytes that are not UTF-8 become lone surrogates."""
        size = self.varint(field)
        start = self.offset
        if size > self.end - start:
            raise self.fail(common_messages.TRUNCATED, field, expected=size, found=self.remaining)
        self.offset += size
        return str(self.data[start : start + size], "utf-8", "surrogateescape")

    def nullable_text(self, field: str) -> str | None:
        """Return a string value, which follows a flag; None if the flag says there is none."""
        return self.text(field) if self.byte(field) else None

    def byte(self, field: str) -> int:
        """Return one byte as a number."""
        if self.offset >= self.end:
            raise self.fail(common_messages.TRUNCATED, field, expected=1, found=0)
        self.offset += 1
        return self.data[self.offset - 1]

    def single(self, field: str) -> np.float32:
        """Return a float32 with the bits that it has in the file."""
        value: np.float32 = np.frombuffer(self.take(layout.FLOAT.itemsize, field), layout.FLOAT)[0]
        return value


@cache
def _one_mode(mode: int) -> Array:
    """Return (1,) the interpolation of all keys of a track, shared by all tracks that have the same."""
    modes = np.full(1, mode, np.uint8)
    modes.flags.writeable = False
    return modes


# --- Header and container ----------------------------------------------------------------------------------------


def _unpacked(reader: _Reader, limit: int, remarks: Report, *, one_byte: bool) -> _Content:
    document, count = _header(reader, one_byte=one_byte)
    packed = ByteReader(reader.data, reader.offset)
    if document.encoding is Encoding.PLAIN:
        content = _Content(reader.data[reader.offset :], reader.offset, document, count)
    elif document.encoding is Encoding.LZ4:
        content = _from_lz4(packed, document, count, limit, remarks)
    else:
        content = _from_lzma(packed, document, count, limit, remarks)
    reckon(curves=count)
    left = len(content.data)
    if count > left // _SMALLEST_TRACK:
        if content.error is not None:
            raise content.error
        raise reader.fail(common_messages.COUNT_TOO_LARGE, "track count", count=count, size=_SMALLEST_TRACK, left=left)
    return content


def _header(reader: _Reader, *, one_byte: bool) -> tuple[Document, int]:
    magic = bytes(reader.data[: len(layout.MAGIC)])
    if magic != layout.MAGIC[: len(magic)]:
        raise reader.fail(messages.MAGIC, "magic")
    reader.take(len(layout.MAGIC), "magic")
    offset = reader.offset
    (version,) = reader.unpack(layout.BYTE if one_byte else layout.VERSION, "version")
    if version not in layout.VERSIONS:
        raise FormatError(messages.VERSION, offset=offset, field="version", version=version)
    count = reader.varint("track count")
    duration = reader.single("global duration")
    name = reader.text("name")
    offset = reader.offset
    (encoding,) = reader.unpack(layout.BYTE, "encoding")
    if encoding > Encoding.LZMA:
        raise FormatError(messages.ENCODING, offset=offset, field="encoding", encoding=encoding)
    return Document(name, duration, version=version, encoding=Encoding(encoding), one_byte_version=one_byte), count


def _from_lz4(packed: ByteReader, document: Document, count: int, limit: int, remarks: Report) -> _Content:
    document.container = Container.LZ4
    if bytes(packed.data[packed.offset : packed.offset + 4]) == containers.FRAME_MAGIC:
        document.encoding = Encoding.LZ4
        data = containers.unpack_frame(packed, limit)
        document.container_trailing = bytes(packed.take(packed.remaining, "LZ4 frame"))
        remarks.warn(messages.FRAME)
        return _Content(data, 0, document, count)
    stream = containers.unpack_lz4(packed, limit)
    document.blocks, document.container_trailing = stream.blocks, stream.rest
    return _Content(stream.data, 0, document, count, stream.error)


def _from_lzma(packed: ByteReader, document: Document, count: int, limit: int, remarks: Report) -> _Content:
    start = packed.offset
    try:
        data, rest = containers.unpack_lzma(packed, limit)
    except FormatError:
        packed.offset = start
        content = _lz4_instead(packed, document, count, limit, remarks)
        if content is None:
            raise
        return content
    document.container, document.container_trailing = Container.LZMA, rest
    return _Content(data, 0, document, count)


def _lz4_instead(packed: ByteReader, document: Document, count: int, limit: int, remarks: Report) -> _Content | None:
    """Return the content read as the public document describes encoding 2, None unless it is a whole LZ4 stream."""
    found = Report()
    try:
        content = _from_lz4(packed, document, count, limit, found)
    except FormatError:
        return None
    if content.error is not None or not content.data:
        return None
    remarks.extend(found)
    remarks.warn(messages.LZ4_AS_LZMA)
    return content


# --- Tracks ------------------------------------------------------------------------------------------------------


def _in_order(content: _Content, orders: _Orders) -> Document:
    """Return the document with its tracks, in the orders that were chosen or win the votes."""
    document = _voted(content) if orders.key_order == "AUTO" else _tracks(content, KeyOrder[orders.key_order])
    if orders.tangent_order == "AUTO":
        order = order_vote.tangent_order(document.tracks)
    else:
        order = TangentOrder[orders.tangent_order]
    if order is TangentOrder.RIGHT:
        document.tangent_order = TangentOrder.RIGHT
        for track in document.tracks:
            track.left, track.right = track.right, track.left
    return document


def _voted(content: _Content) -> Document:
    """Return the document in the order that makes more sense: with values first, as most writers put them, or where
    times first makes as much, in that of the writer it looks like."""
    try:
        document = _tracks(content, KeyOrder.VALUE)
    except FormatError as error:
        try:
            return _tracks(content, KeyOrder.TIME)
        except FormatError:
            raise error from None
    score = order_vote.time_score(document.tracks, document.duration)
    looks_time_first = order_vote.says_every_mode(document)
    if score == order_vote.FLAWLESS and not looks_time_first:
        return document
    other = _time_first_score(content)
    if other is None or other > score or (other == score and not looks_time_first):
        return document
    del document  # two documents of many small tracks would need too much memory
    return _tracks(content, KeyOrder.TIME)


def _time_first_score(content: _Content) -> order_vote.Score | None:
    """Return the score of time first, None if that makes no sense; holds only one track at a time."""
    try:
        parser = _TrackReader(_Reader(content.data), content.header.version, KeyOrder.TIME)
        return order_vote.time_score(map(parser.read, range(content.count)), content.header.duration)
    except FormatError:
        return None


def _tracks(content: _Content, order: KeyOrder) -> Document:
    reader = _Reader(content.data, base=content.base)
    document = replace(content.header, key_order=order, tangent_order=TangentOrder.LEFT)
    document.tracks = list(map(_TrackReader(reader, document.version, order).read, range(content.count)))
    reckon(keys=sum(track.key_count * track.type.components for track in document.tracks), curves=content.count)
    document.trailing = bytes(reader.take(reader.remaining, "end"))
    return document


class _TrackReader:
    def __init__(self, reader: _Reader, version: int, order: KeyOrder) -> None:
        self._reader = reader
        self._version = version
        self._order = order
        self._field = ""
        self._texts = 0
        self._bits: bytes | None = None
        self._times = np.empty(0, layout.FLOAT)
        self._curve_records = layout.CURVE_RECORDS[order]
        self._readers = (self._raw, self._discrete, self._curve)

    def read(self, number: int) -> Track:
        """Return the next track, the `number`th of the file."""
        self._field = f"track {number}"
        track_type, value_type = self._types()
        node = self._reader.text(self._field)
        name = self._reader.text(self._field)
        count = self._reader.varint(self._field)
        if count > self._reader.remaining and track_type is not TrackType.RAW:
            raise self._too_many(count)
        track = Track(track_type, value_type, node, name, [])
        self._readers[track_type](track, count)
        return track

    def _too_many(self, count: int) -> FormatError:
        left = self._reader.remaining
        return self._reader.fail(common_messages.COUNT_TOO_LARGE, self._field, count=count, size=1, left=left)

    def _types(self) -> tuple[TrackType, int]:
        reader = self._reader
        offset = reader.base + reader.offset
        if self._version == 0:
            packed = reader.byte(self._field)
            found, value_type = int(TrackType.CURVE if packed & 1 else TrackType.RAW), packed >> 1
        else:
            found, value_type = reader.byte(self._field), reader.byte(self._field)
        if found == layout.BEZIER_TRACK:
            raise FormatError(messages.BEZIER_TRACK, offset=offset, field=self._field)
        if found > TrackType.CURVE:
            raise FormatError(messages.TRACK_TYPE, offset=offset, field=self._field, found=found)
        if value_type >= len(layout.VALUE_TYPES):
            raise FormatError(messages.VALUE_TYPE, offset=offset, field=self._field, found=value_type)
        return _TRACK_TYPES[found], value_type

    def _raw(self, track: Track, count: int) -> None:
        track.interval = self._reader.single(self._field)
        if track.type.kind is Kind.STRING:
            track.values = self._strings(count)
        else:
            kind = track.type
            track.values = self._reader.array(kind.record.base, (count, *kind.shape), self._field)

    def _strings(self, count: int) -> Strings:
        if count > self._reader.remaining:
            raise self._too_many(count)
        self._reckon_texts(count)
        return [self._reader.nullable_text(self._field) for _ in range(count)]

    def _reckon_texts(self, count: int) -> None:
        self._texts += count
        reckon(parts=self._texts)

    def _discrete(self, track: Track, count: int) -> None:
        if track.type.kind is Kind.STRING:
            self._string_keys(track, count, time_first=True)
        else:
            self._keys(track, layout.DISCRETE_RECORDS[track.value_type], count)

    def _keys(self, track: Track, record: np.dtype[np.void], count: int) -> None:
        keys = self._reader.array(record, count, self._field)
        times, track.values = keys["time"], keys["value"]
        bits = times.tobytes()
        if bits != self._bits:  # the track before often has the same times
            self._bits, self._times = bits, times
        track.times = self._times

    def _string_keys(self, track: Track, count: int, *, time_first: bool) -> None:
        reader = self._reader
        self._reckon_texts(count)
        times = np.empty(count, layout.FLOAT)
        values: Strings = []
        for key in range(count):
            if time_first:
                times[key] = reader.single(self._field)
            values.append(reader.nullable_text(self._field))
            if not time_first:
                times[key] = reader.single(self._field)
        track.times, track.values = times, values

    def _curve(self, track: Track, count: int) -> None:
        reader = self._reader
        track.flags = reader.byte(self._field)
        if track.flags & layout.FLAG_PER_KEY:
            track.interpolation = reader.array(layout.MODE, count, self._field)
        else:
            track.interpolation = _one_mode(reader.byte(self._field))
        if track.type.kind is Kind.STRING:
            self._string_keys(track, count, time_first=self._order is KeyOrder.TIME)
        else:
            self._keys(track, self._curve_records[track.value_type], count)
        if track.flags & layout.FLAG_TANGENTS:
            track.left, track.right = self._tangents(track, count)

    def _tangents(self, track: Track, count: int) -> tuple[Values, Values]:
        """Return both sides, (n,) or (n, stored), in the order left, right."""
        if track.type.kind is Kind.STRING:
            pairs = self._strings(2 * count)
            return pairs[0::2], pairs[1::2]
        record = layout.TANGENT_RECORDS[TangentOrder.LEFT][track.value_type]
        sides = self._reader.array(record, count, self._field)
        return sides["left"], sides["right"]


# --- Forms: version, packing and the two orders ----------------------------------------------------------------


def reread(document: Document, key_order: str, tangent_order: str) -> Document:
    """Return the document with its curve keys taken in another order; the same object where the order is as it was;
    raise FormatError if the bytes make no sense in that order."""
    as_it_is = key_order in ("AUTO", document.key_order.name) and tangent_order in ("AUTO", document.tangent_order.name)
    if document.textual or as_it_is:
        return document
    content = _Content(track_bytes(document), 0, replace(document, tracks=[]), len(document.tracks))
    return _in_order(content, _Orders(key_order, tangent_order))


def in_form(document: Document, ending: str, options: WriteOptions) -> Document:
    """Return the document in the form that a file of that ending has, as the options ask and the engine reads it."""
    changed = replace(
        document,
        one_byte_version=False,
        encoding=Encoding[document.container.name],
        trailing=b"",
        container_trailing=b"",
    )
    if ending != ".animx":
        return changed
    if options.key_order != "AUTO":
        changed.key_order = KeyOrder[options.key_order]
    if options.tangent_order != "AUTO":
        changed.tangent_order = TangentOrder[options.tangent_order]
    if changed.version == 0:
        changed.tracks = [held_curve(track) for track in changed.tracks]
    return changed


# --- Remarks -----------------------------------------------------------------------------------------------------


def _remark(document: Document, report: Report) -> None:
    spare = len(document.trailing) + len(document.container_trailing)
    if spare:
        report.warn(common_messages.TRAILING_BYTES, size=spare)
    modes = [track.interpolation for track in document.tracks if track.interpolation is not None]
    counts = np.bincount(np.concatenate(modes)).tolist() if modes else []
    for found, count in enumerate(counts[len(layout.MODE_NAMES) :], len(layout.MODE_NAMES)):
        if count:
            taken = layout.MODE_NAMES[3 if found == layout.CUBIC_BEZIER_COUNTED_FROM_ONE else 1]
            report.warn(messages.INTERPOLATION, count=count, found=found, taken=taken)
    texts = chain([document.name], chain.from_iterable(map(_texts, document.tracks)))
    broken = sum(text.encode(errors="ignore").decode() != text for text in texts)
    if broken:
        report.warn(messages.ANIMX_BAD_TEXT, count=broken)


def _texts(track: Track) -> list[str]:
    values = track.values if isinstance(track.values, list) else []
    return [track.node, track.property, *(text for text in values if text is not None)]
