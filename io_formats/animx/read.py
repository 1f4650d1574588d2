"""Bytes -> Document: AnimX here, AnimJ in `animj_read`, distinguished by content.

And the forms of a document, as files differ in which order a key's parts have.
"""

from __future__ import annotations

import codecs
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from .. import messages as common_messages
from ..binary import ByteReader
from ..errors import FormatError, Report
from ..files.memory import reckon
from ..files.steps import AtOnce, Steps
from ..files.whole_file import Unread
from ..options import SIZE_LIMIT
from . import animj_read, containers, layout, messages
from . import playback as order_vote
from .document import Document, Strings, Track
from .layout import Container, Encoding, KeyOrder, Kind, TangentOrder, TrackType
from .options import WriteOptions
from .write import held_curve, track_bytes

_SMALLEST_TRACK = 4
_TRACK_TYPES = tuple(TrackType)
_ONE_MODE = np.arange(256, dtype=layout.MODE)[:, None]
"""The interpolation (1,) of all keys of a track, by its number."""
_ONE_MODE.flags.writeable = False


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
    try:
        # the layout that the engine reads; where that fails the public document's, if it explains the whole file
        document, remarks = _document(data, limit, key_order, tangent_order, one_byte=False)
    except FormatError as error:
        if error.template == messages.MAGIC:
            raise
        try:
            document, remarks = _document(data, limit, key_order, tangent_order, one_byte=True)
        except FormatError:
            raise error from None
        if not document.tracks or document.trailing or document.container_trailing:
            raise
        report.warn(messages.DIALECT)
    report.extend(remarks)
    _remark(document, report)
    return document


def _document(
    data: bytes, limit: int, key_order: str, tangent_order: str, *, one_byte: bool
) -> tuple[Document, Report]:
    """Return the document of an AnimX file, whose version may have one byte only, and what is remarkable about it."""
    remarks = Report()
    content = _unpacked(_Reader(data), limit, remarks, one_byte=one_byte)
    try:
        return _in_order(content, key_order, tangent_order), remarks
    except FormatError as error:
        if content.error is not None:
            raise content.error from error
        raise


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


# --- Header and container ----------------------------------------------------------------------------------------


def _unpacked(reader: _Reader, limit: int, remarks: Report, *, one_byte: bool) -> _Content:
    document, count = _header(reader, one_byte=one_byte)
    content = _Content(reader.data[reader.offset :], reader.offset, document, count)
    if document.encoding is not Encoding.PLAIN:
        unpack = _from_lz4 if document.encoding is Encoding.LZ4 else _from_lzma
        content.data, content.error = unpack(ByteReader(reader.data, reader.offset), document, limit, remarks)
        content.base = 0
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


def _from_lz4(packed: ByteReader, document: Document, limit: int, remarks: Report) -> tuple[bytes, FormatError | None]:
    """Return what a stream or a frame holds, and what stopped unpacking."""
    document.container = Container.LZ4
    if bytes(packed.data[packed.offset : packed.offset + 4]) == containers.FRAME_MAGIC:
        document.encoding = Encoding.LZ4
        data = containers.unpack_frame(packed, limit)
        document.container_trailing = bytes(packed.take(packed.remaining, "LZ4 frame"))
        remarks.warn(messages.FRAME)
        return data, None
    stream = containers.unpack_lz4(packed, limit)
    document.blocks, document.container_trailing = stream.blocks, stream.rest
    return stream.data, stream.error


def _from_lzma(packed: ByteReader, document: Document, limit: int, remarks: Report) -> tuple[bytes, None]:
    """Return what LZMA data hold, or a whole LZ4 stream, which the public document says encoding 2 to be."""
    try:
        data, document.container_trailing = containers.unpack_lzma(packed.again(), limit)
    except FormatError:
        data, error, found = b"", None, Report()
        with suppress(FormatError):
            data, error = _from_lz4(packed, document, limit, found)
        if not data or error is not None:
            raise
        remarks.extend(found)
        remarks.warn(messages.LZ4_AS_LZMA)
        return data, None
    document.container = Container.LZMA
    return data, None


# --- Tracks ------------------------------------------------------------------------------------------------------


def _in_order(content: _Content, key_order: str, tangent_order: str) -> Document:
    """Return the document with its tracks, in the orders that were chosen or win the votes."""
    document = _voted(content) if key_order == "AUTO" else _tracks(content, KeyOrder[key_order])
    order = order_vote.tangent_order(document.tracks) if tangent_order == "AUTO" else TangentOrder[tangent_order]
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
    try:
        # holds only one track at a time
        parser = _TrackReader(_Reader(content.data), document.version, KeyOrder.TIME)
        other = order_vote.time_score(map(parser.read, range(content.count)), document.duration)
    except FormatError:
        return document
    if other > score or (other == score and not looks_time_first):
        return document
    del document  # two documents of many small tracks would need too much memory
    return _tracks(content, KeyOrder.TIME)


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

    def read(self, number: int) -> Track:
        """Return the next track, the `number`th of the file."""
        self._field = field = f"track {number}"
        reader = self._reader
        track_type, value_type = self._types()
        track = Track(track_type, value_type, reader.text(field), reader.text(field), [])
        count = reader.varint(field)
        if track_type is TrackType.RAW:
            kind, track.interval = track.type, reader.single(field)
            is_text = kind.kind is Kind.STRING
            track.values = self._strings(count) if is_text else reader.array(kind.base, (count, *kind.shape), field)
            return track
        if count > reader.remaining:
            reader.skip(count, 1, field)  # which raises
        if track_type is TrackType.CURVE:
            self._curve(track, count)
        else:
            self._keys(track, count, KeyOrder.TIME)
        return track

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

    def _curve(self, track: Track, count: int) -> None:
        reader = self._reader
        track.flags = reader.byte(self._field)
        if track.flags & layout.FLAG_PER_KEY:
            track.interpolation = reader.array(layout.MODE, count, self._field)
        else:
            track.interpolation = _ONE_MODE[reader.byte(self._field)]
        self._keys(track, count, self._order)
        if track.flags & layout.FLAG_TANGENTS and track.type.kind is Kind.STRING:
            pairs = self._strings(2 * count)
            track.left, track.right = pairs[0::2], pairs[1::2]
        elif track.flags & layout.FLAG_TANGENTS:
            sides = reader.array(layout.TANGENT_RECORDS[TangentOrder.LEFT][track.value_type], count, self._field)
            track.left, track.right = sides["left"], sides["right"]

    def _keys(self, track: Track, count: int, order: KeyOrder) -> None:
        if track.type.kind is Kind.STRING:
            self._string_keys(track, count, order)
            return
        keys = self._reader.array(layout.KEY_RECORDS[order][track.value_type], count, self._field)
        times, track.values = keys["time"], keys["value"]
        bits = times.tobytes()
        if bits != self._bits:  # the track before often has the same times
            self._bits, self._times = bits, times
        track.times = self._times

    def _string_keys(self, track: Track, count: int, order: KeyOrder) -> None:
        self._reckon_texts(count)
        times = np.empty(count, layout.FLOAT)
        values: Strings = []
        for key in range(count):
            if order is KeyOrder.TIME:
                times[key] = self._reader.single(self._field)
            values.append(self._reader.nullable_text(self._field))
            if order is KeyOrder.VALUE:
                times[key] = self._reader.single(self._field)
        track.times, track.values = times, values

    def _strings(self, count: int) -> Strings:
        self._reader.again().skip(count, 1, self._field)
        self._reckon_texts(count)
        return [self._reader.nullable_text(self._field) for _ in range(count)]

    def _reckon_texts(self, count: int) -> None:
        self._texts += count
        reckon(parts=self._texts)


# --- Forms: version, packing and the two orders ----------------------------------------------------------------


def reread(document: Document, key_order: str, tangent_order: str) -> Document:
    """Return the document with its curve keys taken in another order; the same object where the order is as it was;
    raise FormatError if the bytes make no sense in that order."""
    as_it_is = key_order in ("AUTO", document.key_order.name) and tangent_order in ("AUTO", document.tangent_order.name)
    if document.textual or as_it_is:
        return document
    content = _Content(track_bytes(document), 0, replace(document, tracks=[]), len(document.tracks))
    return _in_order(content, key_order, tangent_order)


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
    texts = [document.name]
    for track in document.tracks:
        texts += [track.node, track.property]
        texts += filter(None, track.values) if isinstance(track.values, list) else ()
    broken = sum(text.encode(errors="ignore").decode() != text for text in texts)
    if broken:
        report.warn(messages.ANIMX_BAD_TEXT, count=broken)
