"""Document -> AnimX bytes, the same that it was read from but where a length took more bytes than it needs.

And whether two documents mean the same, whatever their bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import numpy as np

from ..binary import ByteWriter
from ..errors import FormatError, Report
from ..files.steps import AtOnce, Pace, Steps
from . import animj_read, animj_write, containers, layout, messages
from .document import Document, Track, Values, components
from .layout import Container, Encoding, KeyOrder, Mode, TangentOrder, TrackType
from .options import WriteOptions


def write(
    document: Document,
    *,
    container: str | None = None,
    version: int | None = None,
    key_order: str | None = None,
    tangent_order: str | None = None,
) -> bytes:
    """Return AnimX bytes.

    Args:
        container: "plain", "lz4" or "lzma"; None takes the document's own.
        version: 0 or 1; None takes the document's own.
        key_order, tangent_order: "value" or "time", "left" or "right"; None takes the document's own.

    Raises:
        FormatError: an argument is not one of these.
    """
    try:
        asked = replace(
            document,
            version=document.version if version is None else version,
            key_order=document.key_order if key_order is None else KeyOrder(key_order),
            tangent_order=document.tangent_order if tangent_order is None else TangentOrder(tangent_order),
        )
    except ValueError as error:
        raise FormatError(messages.SETTING, field="order", found=f"{key_order}, {tangent_order}") from error
    if asked.version not in layout.VERSIONS:
        raise FormatError(messages.SETTING, field="version", found=asked.version)
    if asked.version == 0:
        asked.tracks = list(map(held_curve, asked.tracks))
    try:
        packing = document.container if container is None else Container(container)
    except ValueError as error:
        raise FormatError(messages.SETTING, field="container", found=container) from error
    own = packing is document.container
    encoding = document.encoding if own else Encoding[packing.name]
    writer = _Writer(asked)
    writer.header(encoding)
    content = track_bytes(asked)
    if packing is Container.LZ4:
        content = containers.pack_lz4(content, document.blocks)
    elif packing is Container.LZMA:
        content = containers.pack_lzma(content)
    writer.put(content)
    writer.put(document.container_trailing if own else b"")
    return writer.getvalue()


@AtOnce
def encode(document: Document, ending: str, options: WriteOptions, report: Report | None = None) -> Steps[bytes]:
    """Return the bytes for a file of that ending: AnimJ for .animj, else AnimX packed as the options say.

    Without an ending, the form that the document was read from. The report learns what JSON cannot hold.
    """
    if ending.lower() == ".animj" or (not ending and document.textual):
        return (yield from animj_write.write.steps(document, report))
    if document.textual:  # in AnimX nothing plays without a duration
        document = replace(document, duration=np.float32(document.playing_time))
    return write(document, container=None if options.container == "AUTO" else options.container.lower())


def held_curve(track: Track) -> Track:
    """Return a Discrete track as a Curve that holds, as version 0 has no Discrete ones; others unchanged."""
    if track.track_type is not TrackType.DISCRETE:
        return track
    return replace(track, track_type=TrackType.CURVE, interpolation=np.full(1, Mode.HOLD, np.uint8))


def track_bytes(document: Document) -> bytes:
    """Return what a container holds: the tracks and what follows them."""
    writer = _Writer(document)
    for track in document.tracks:
        writer.track(track)
    writer.put(document.trailing)
    return writer.getvalue()


class _Writer(ByteWriter):
    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document

    def text(self, text: str) -> None:
        """Write a string as UTF-8; lone surrogates that mean a byte become that byte, others U+FFFD."""
        try:
            encoded = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            encoded = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")
        self.string_bytes(encoded)

    def nullable_text(self, text: str | None) -> None:
        """Write a string value: a flag whether there is one, then the string."""
        self.put(b"\x00" if text is None else b"\x01")
        if text is not None:
            self.text(text)

    def header(self, encoding: Encoding) -> None:
        """Write everything before the tracks."""
        document = self._document
        self.put(layout.MAGIC)
        self.pack(layout.BYTE if document.one_byte_version else layout.VERSION, document.version)
        self.varint(len(document.tracks))
        self.put(np.float32(document.duration).tobytes())
        self.text(document.name)
        self.pack(layout.BYTE, encoding)

    def track(self, track: Track) -> None:
        """Write one track."""
        if self._document.version == 0:
            self.pack(layout.BYTE, track.value_type << 1 | int(track.track_type is TrackType.CURVE))
        else:
            self.put(bytes((track.track_type, track.value_type)))
        self.text(track.node)
        self.text(track.property)
        self.varint(track.key_count)
        if track.track_type is TrackType.RAW:
            self.put(np.float32(track.interval).tobytes())
            if isinstance(track.values, list):
                self._strings(track.values)
            else:
                self.array(track.values)
        elif track.track_type is TrackType.DISCRETE:
            self._keys(track, KeyOrder.TIME)
        else:
            self._curve(track)

    def _strings(self, values: Iterable[str | None]) -> None:
        for value in values:
            self.nullable_text(value)

    def _keys(self, track: Track, order: KeyOrder) -> None:
        assert track.times is not None
        if isinstance(track.values, list):
            for time, value in zip(track.times, track.values):
                if order is KeyOrder.TIME:
                    self.put(time.tobytes())
                self.nullable_text(value)
                if order is KeyOrder.VALUE:
                    self.put(time.tobytes())
            return
        keys = np.empty(track.key_count, layout.KEY_RECORDS[order][track.value_type])
        keys["time"], keys["value"] = track.times, track.values
        self.array(keys)

    def _curve(self, track: Track) -> None:
        assert track.interpolation is not None
        self.pack(layout.BYTE, track.flags)
        self.array(track.interpolation)
        self._keys(track, self._document.key_order)
        if not track.flags & layout.FLAG_TANGENTS:
            return
        order = self._document.tangent_order
        if isinstance(track.left, list) and isinstance(track.right, list):
            sides = (track.left, track.right) if order is TangentOrder.LEFT else (track.right, track.left)
            self._strings(chain.from_iterable(zip(*sides)))
            return
        tangents = np.empty(track.key_count, layout.TANGENT_RECORDS[order][track.value_type])
        tangents["left"], tangents["right"] = track.left, track.right
        self.array(tangents)


# Whether two documents mean the same.


@AtOnce
def same_content(first: Document, second: Document) -> Steps[bool]:
    """Return whether two documents mean the same; how they were packed, ordered and encoded does not count.

    Against AnimJ, what JSON cannot hold does not count either.
    """
    against_json = first.textual is not second.textual
    if _head(first, against_json) != _head(second, against_json):
        return False
    pace = Pace(sum(track.key_count for track in first.tracks), len(first.tracks))
    for a, b in zip(first.tracks, second.tracks):
        first_means, second_means = (_meaning(animj_read.limited(track) if against_json else track) for track in (a, b))
        if first_means != second_means:
            return False
        if pace.is_due(a.key_count, 1):
            yield pace.share
    return True


def _head(document: Document, against_json: bool) -> tuple[str, bytes, int]:
    """Return name, duration bit by bit, and number of tracks."""
    name = animj_read.clean_text(document.name) if against_json else document.name
    duration = document.playing_time if against_json else document.duration
    return name, np.float32(duration).tobytes(), len(document.tracks)


def _meaning(track: Track) -> tuple[object, ...]:
    """Return what a track means, down to the bit; tangents only where a key asks for them, zeros where none are."""
    modes, parts = track.modes, [track.values]
    if track.track_type is TrackType.CURVE and (modes >= Mode.TANGENT).any():
        none: Values = [None] * track.key_count if isinstance(track.values, list) else np.zeros_like(track.values)
        parts += [none if side is None else side for side in (track.left, track.right)]
    values = [part if isinstance(part, list) else components(track.value_type, part).tobytes() for part in parts]
    interval = np.float32(track.interval).tobytes() if track.track_type is TrackType.RAW else b""
    names = track.track_type, track.value_type, track.node, track.property
    return *names, interval, track.key_times.tobytes(), modes.tobytes(), values
