"""Bytes -> Document. Any bytes give a Document or one FormatError."""

from __future__ import annotations

import numpy as np

from .. import messages as common_messages
from ..binary import ByteReader
from ..errors import FormatError, Report
from ..files.memory import reckon
from ..files.whole_file import Unread
from ..options import SIZE_LIMIT
from . import layout, messages
from .document import Curve, Document, Hand, Marker, Pose, Ray


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
    candidates: list[Document] = []
    errors: list[FormatError] = []
    for literal_keys in (False, True) if version >= layout.SHORT_SINCE else (False,):
        try:
            candidates.append(_document(data, version, literal_keys=literal_keys))
        except FormatError as error:
            errors.append(error)
        if candidates and not candidates[0].trailing:
            break
    if not candidates:
        raise errors[0]
    best = min(candidates, key=lambda document: bool(document.trailing))  # the real layout wins a tie
    report = Report() if report is None else report
    if best.literal_keys:
        report.warn(messages.LITERAL_KEYS)
    if best.markers is None:
        report.warn(messages.NO_MARKERS)
    if best.trailing:
        report.warn(common_messages.TRAILING_BYTES, size=len(best.trailing))
    return best


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


def _document(data: bytes, version: tuple[int, int], *, literal_keys: bool) -> Document:
    reader = ByteReader(data, len(layout.MAGIC_BYTES) + layout.VERSION.size)
    document = Document(version, None, literal_keys=literal_keys)
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
        document.markers = []
        for _ in range(count):
            time = np.frombuffer(reader.take(layout.MARKER_TIME_SIZE, "marker time"), "<f4")[0]
            text = bytes(reader.take(reader.varint("marker text"), "marker text"))
            document.markers.append(Marker(time, text))
    document.trailing = bytes(reader.take(reader.remaining, "trailing bytes"))
    return document


def _read_pose(reader: ByteReader, full: bool, name: str) -> Pose:
    position = _read_curves(reader, full, name, layout.POSITION)
    return Pose(position, _read_curves(reader, full, name, layout.ROTATION))


def _read_curves(reader: ByteReader, full: bool, name: str, parts: tuple[str, ...]) -> list[Curve]:
    return [_read_curve(reader, full, f"{name} {part}") for part in parts]


def _read_curve(reader: ByteReader, full: bool, name: str) -> Curve:
    pre_wrap, post_wrap, count = reader.unpack(layout.CURVE_HEADER, name)
    return Curve(reader.array(layout.FULL_KEY if full else layout.SHORT_KEY, count, name), pre_wrap, post_wrap)
