"""Bytes -> Document. Any bytes give a Document or one FormatError."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import messages as common_messages
from ..binary import ByteReader
from ..errors import FormatError, Report
from ..files.memory import reckon
from ..files.whole_file import Unread
from ..options import SIZE_LIMIT
from . import layout, messages
from .document import Curve, Document, Hand, Marker, Pose, Ray

_STRICT, _NO_MARKERS, _TRAILING = range(3)


def matches(data: bytes | Unread) -> bool:
    """Return whether the bytes begin with the magic number of an input recording."""
    return bytes(data[: len(layout.MAGIC_BYTES)]) == layout.MAGIC_BYTES


def read(data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Document:
    """Read a recording of any version up to 1.1.

    The layout is what MRTK writes. A file that follows the public document instead (28-byte keys in 1.1, no marker
    list) is read where the real layout does not fit, with a warning, and so are bytes after the end.

    Args:
        limit: most bytes that compressed data may expand to; recordings hold none.

    Raises:
        FormatError: with offset and field of the first byte that the real layout cannot explain.
    """
    version = _version(data)
    candidates = [_attempt(data, version, literal_keys=False)]
    if version >= layout.SHORT_SINCE and candidates[0].rank != _STRICT:
        candidates.append(_attempt(data, version, literal_keys=True))
    best = min(candidates, key=lambda candidate: candidate.rank)
    if best.document is None:
        raise candidates[0].error or FormatError(common_messages.UNKNOWN_FORMAT)
    _remark(best.document, report if report is not None else Report())
    return best.document


@dataclass
class _Attempt:
    """One layout tried on the whole file; the rank of a failure is behind all others."""

    document: Document | None
    error: FormatError | None = None

    @property
    def rank(self) -> int:
        """How well the layout explains the file, 0 best; the real layout is tried first and so wins a tie."""
        if self.document is None:
            return _TRAILING + 1
        if self.document.trailing:
            return _TRAILING
        return _NO_MARKERS if self.document.markers is None else _STRICT


def _version(data: bytes) -> tuple[int, int]:
    reader = ByteReader(data)
    if not reader.remaining:
        raise reader.fail(common_messages.EMPTY_FILE, "")
    if not matches(data):
        raise reader.fail(messages.MAGIC, "magic number")
    reader.take(len(layout.MAGIC_BYTES), "magic number")
    major, minor = reader.unpack(layout.VERSION, "version")
    if (major, minor) <= layout.NEWEST_VERSION:
        return major, minor
    offset = len(layout.MAGIC_BYTES)
    if major > 0xFF and max(data[offset : offset + 3]) <= 1:
        raise FormatError(messages.NO_VERSION, offset=offset, field="version")
    raise FormatError(messages.VERSION, offset=offset, field="version", major=major, minor=minor)


def _attempt(data: bytes, version: tuple[int, int], *, literal_keys: bool) -> _Attempt:
    reader = ByteReader(data, len(layout.MAGIC_BYTES) + layout.VERSION.size)
    document = Document(version, None, literal_keys=literal_keys)
    try:
        full = document.full_keys
        camera, hands, gaze = True, True, False
        if document.version >= layout.FLAGS_SINCE:
            document.flags = reader.unpack(layout.FLAGS, "flags")
            camera, hands, gaze = (bool(flag) for flag in document.flags)
        if camera:
            document.camera = _read_pose(reader, full, "Camera")
        if hands:
            tracked = [_read_curve(reader, False, f"Tracked.{side}") for side in "LR"]
            pinching = [_read_curve(reader, False, f"Pinching.{side}") for side in "LR"]
            joints = [[_read_pose(reader, full, f"{joint}.{side}") for joint in layout.JOINTS] for side in "LR"]
            document.left, document.right = (Hand(*parts) for parts in zip(tracked, pinching, joints))
        if gaze:
            origin = _read_curves(reader, full, "Gaze", layout.ORIGIN)
            document.gaze = Ray(origin, _read_curves(reader, full, "Gaze", layout.DIRECTION))
        document.markers = None
        if reader.remaining:
            (count,) = reader.unpack(layout.MARKER_COUNT, "marker count")
            reader.again().skip(count, layout.MARKER_TIME_SIZE + 1, "marker count")
            reckon(parts=count)
            document.markers = [_read_marker(reader) for _ in range(count)]
        document.trailing = bytes(reader.take(reader.remaining, "trailing bytes"))
    except FormatError as error:
        return _Attempt(None, error)
    return _Attempt(document)


def _read_pose(reader: ByteReader, full: bool, name: str) -> Pose:
    position = _read_curves(reader, full, name, layout.POSITION)
    return Pose(position, _read_curves(reader, full, name, layout.ROTATION))


def _read_curves(reader: ByteReader, full: bool, name: str, parts: tuple[str, ...]) -> list[Curve]:
    return [_read_curve(reader, full, f"{name} {part}") for part in parts]


def _read_curve(reader: ByteReader, full: bool, name: str) -> Curve:
    pre_wrap, post_wrap, count = reader.unpack(layout.CURVE_HEADER, name)
    return Curve(reader.array(layout.FULL_KEY if full else layout.SHORT_KEY, count, name), pre_wrap, post_wrap)


def _read_marker(reader: ByteReader) -> Marker:
    time = np.frombuffer(reader.take(layout.MARKER_TIME_SIZE, "marker time"), "<f4")[0]
    return Marker(time, bytes(reader.take(reader.varint("marker text"), "marker text")))


def _remark(document: Document, report: Report) -> None:
    if document.literal_keys:
        report.warn(messages.LITERAL_KEYS)
    if document.markers is None:
        report.warn(messages.NO_MARKERS)
    if document.trailing:
        report.warn(common_messages.TRAILING_BYTES, size=len(document.trailing))
