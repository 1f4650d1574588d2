"""Where things stand in a file's bytes: tags, their attributes, the frames of a channel; and putting others there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from xml.parsers import expat

from .layout import FRAME

_ATTRIBUTE = re.compile(rb"""\s+([^\s=/>]+)\s*=\s*("[^"]*"|'[^']*')""")
_CLOSE = re.compile(rb"\s*(/?)>")
NAME_OF_TAG = re.compile(rb"<([^\s/>]+)")


class Span(NamedTuple):
    """The bytes from `start` up to `end`."""

    start: int
    end: int


NOWHERE = Span(0, 0)


class Splice(NamedTuple):
    """Bytes that take the place of a span; one without length inserts them."""

    span: Span
    text: bytes


@dataclass(frozen=True)
class Tag:
    """A start tag: its span, whether it is an element of its own (`/>`), and the spans of attributes' values.

    The values' spans are without their quotes; attributes are in the order of the file.
    """

    span: Span
    is_whole: bool
    values: dict[str, Span]


def tag_at(data: bytes, start: int) -> Tag:
    """Return the tag that begins at `start` of well-formed XML."""
    name = NAME_OF_TAG.match(data, start)
    at = start if name is None else name.end()
    values = {}
    while (found := _ATTRIBUTE.match(data, at)) is not None:
        values[found[1].decode()] = Span(found.start(2) + 1, found.end(2) - 1)
        at = found.end()
    close = _CLOSE.match(data, at)
    end = at if close is None else close.end()
    return Tag(Span(start, end), close is not None and bool(close[1]), values)


def spliced(data: bytes, splices: Iterable[Splice]) -> bytes:
    """Return the bytes with others in the place of spans, which do not overlap."""
    parts, at = [], 0
    for span, text in sorted(splices, key=lambda splice: splice.span):
        parts += [data[at : span.start], text]
        at = span.end
    return b"".join([*parts, data[at:]])


def in_lines_of(data: bytes, splices: Iterable[Splice]) -> list[Splice]:
    """Return splices of which the texts have the line ends of a file, by its first."""
    first = data.find(b"\n")
    end = b"\r\n" if first > 0 and data[first - 1 : first] == b"\r" else b"\n"
    return [Splice(span, text.replace(b"\r\n", b"\n").replace(b"\n", end)) for span, text in splices]


def text_of(data: bytes, span: Span) -> bytes:
    """Return the bytes of a span."""
    return data[span.start : span.end]


def local(name: str) -> str:
    """Return the name of an element without its prefix."""
    return name.rpartition(":")[2]


def frames_of(data: bytes, channel: Span) -> list[Span]:
    """Return the spans of the `Frame` elements of a channel, which is an element of a well-formed file."""
    return _FrameFinder(data, channel).found


class _FrameFinder:
    """Parses a channel a second time, now for places alone: only channels that change need them."""

    def __init__(self, data: bytes, channel: Span) -> None:
        self.found: list[Span] = []
        self._text = data[channel.start : channel.end]
        self._offset = channel.start
        self._depth = 0
        self._start = 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._enter
        self._parser.EndElementHandler = self._leave
        self._parser.Parse(self._text, True)

    def _enter(self, name: str, attributes: dict[str, str]) -> None:
        del attributes
        self._depth += 1
        if self._depth == 2 and local(name) == FRAME:
            self._start = self._parser.CurrentByteIndex

    def _leave(self, name: str) -> None:
        if self._depth == 2 and local(name) == FRAME:
            start, at = self._start, self._parser.CurrentByteIndex
            self.found.append(Span(self._offset + start, self._offset + element_end(self._text, start, at)))
        self._depth -= 1


def element_end(data: bytes, start: int, closed: int) -> int:
    """Return where the element ends that began at `start` and of which the parser said at `closed` that it ended.

    The parser is at the tag that closes an element, and behind one that is a single tag.
    """
    if not data.startswith(b"</", closed) or (data.endswith(b"/>", start, closed) and tag_at(data, start).is_whole):
        return closed
    return data.index(b">", closed) + 1
