"""Numbers, switches and frames in the texts of elements: read, written anew, or put in the place of others."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from ..clip import Array
from ..errors import FormatError
from . import layout, messages
from .document import Channel, Span, Splice, frames_of, tag_at
from .layout import FRAME, ROTATION, STEP, ChannelType, W, X, Y, Z

# Texts as numbers and switches, as the types of XML Schema have them.

Attributes = dict[str, str]

NUMBER = "[-+.0-9eEINFa \t\r\n]*"
"""Letters of numbers; Python's own reading takes more, such as "1_0" and "infinity"."""

_BLANK = " \t\r\n"
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
_NUMBERS = re.compile(NUMBER)
_SHOWN = 40


@dataclass(slots=True)
class Element:
    """An element, its name without prefix.

    Attributes:
        start: offset of its tag; `close`: of the tag that closes it, where it is not one tag; `end`: behind it.
        texts: what is written in a frame.
        frames: of a channel, where they could be taken at once; then it has no `parts`.
    """

    name: str
    attributes: Attributes
    start: int = 0
    close: int = 0
    end: int = 0
    parts: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    frames: Frames | None = None

    @property
    def span(self) -> Span:
        """The whole element."""
        return Span(self.start, self.end)

    def inside(self, data: bytes) -> Span:
        """Return what is between the tags, of an element of one tag that tag."""
        tag = tag_at(data, self.start)
        return tag.span if tag.is_whole else Span(tag.span.end, self.close)

    def all(self, name: str) -> list[Element]:
        """Return the elements of that name right within it."""
        return [part for part in self.parts if part.name == name]

    def text(self, name: str) -> str:
        """Return an attribute; FormatError without it."""
        if name not in self.attributes:
            raise FormatError(messages.MISSING_ATTRIBUTE, offset=self.start, name=name)
        return self.attributes[name]

    def whole(self, name: str, low: int, high: int) -> int:
        """Return an attribute as a whole number; FormatError for what is none from `low` to `high`."""
        text = self.text(name).strip(_BLANK)
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            found, place = text[:_SHOWN], self.start
            raise FormatError(messages.BAD_WHOLE_NUMBER, offset=place, field=name, low=low, high=high, found=found)
        return int(text)

    def switch(self, name: str) -> bool:
        """Return an attribute as yes or no, which it is without; FormatError for another."""
        text = self.attributes.get(name, "false")
        word = text.strip(_BLANK)
        if word not in ("true", "1", "false", "0"):
            raise FormatError(messages.BAD_SWITCH, offset=self.start, field=name, found=text[:_SHOWN])
        return word in ("true", "1")

    def floats(self, names: Sequence[str]) -> list[float]:
        """Return attributes as numbers; FormatError if one is none."""
        return floats([self.text(name) for name in names], self.start)


def floats(texts: Sequence[str], place: int) -> list[float]:
    """Return texts as numbers; FormatError if one is none."""
    numbers: list[float] = []
    for text in texts:
        try:
            numbers.append(float(text if _NUMBERS.fullmatch(text) else ""))
        except ValueError:
            raise FormatError(messages.BAD_NUMBER, offset=place, found=text[:_SHOWN]) from None
    return numbers


def float32(values: array[float] | Sequence[Sequence[float]]) -> Array:
    """Return numbers (rows, numbers) or (numbers,) as xs:float holds them: float32, infinite beyond its range."""
    with np.errstate(over="ignore"):
        result: Array = np.array(values, np.float64).astype(np.float32)
    return result


# The frames of a channel, all at once, where they are written as the known tools write them.
#
# Nearly all of a file is frames. One that stands otherwise (a comment between, other quotes, attributes in another
# order) leaves its channel to the parser, which takes one element after the other.

_AT_ONCE = 1 << 16
"""Bytes whose numbers are texts at the same time."""

_OPENING = f"<{FRAME}".encode()
_STEP = f'(?P<step> {STEP}="(?:true|1|false|0)"|)'
_IS_STEP = {f' {STEP}="true"'.encode(), f' {STEP}="1"'.encode()}.__contains__


Frames = tuple[Array, Array]
"""What the frames of a channel say: their values and steps, as `Channel` has them."""


def _writing(frame: str) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return what matches the frames of a channel, up to the tag that closes it, and what matches one frame."""
    ungrouped = re.sub(r"\(\?P<\w+>", "(?:", frame)
    return re.compile(rf"(?:\s*{ungrouped})*+\s*</".encode()), re.compile(frame.encode())


def _rotation(*names: str) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    attributes = "".join(f' {name}="(?P<{name}>{NUMBER})"' for name in names)
    return _writing(f"<{FRAME}{attributes}{_STEP} ?/>")


_WRITINGS = {
    1: [_writing(f"<{FRAME}{_STEP}>(?P<X>{NUMBER})</{FRAME}>")],
    4: [_rotation(*ROTATION), _rotation(W, X, Y, Z)],
}


def frames_at(data: bytes, start: int, width: int) -> Frames | None:
    """Return the frames, of `width` numbers each, between `start`, behind the tag that opens a channel, and its closing
    tag; None where they are written in a way that only a parser understands, or where a text is no number."""
    for every, one in _WRITINGS[width]:
        found = every.match(data, start)
        if found is not None:
            with suppress(ValueError):
                return _frames(data, start, found.end(), one)
    return None


def _frames(data: bytes, start: int, end: int, one: re.Pattern[bytes]) -> Frames:
    """Return the frames between two places; ValueError if a text is no number."""
    *numbers, step = (one.groupindex[name] - 1 for name in (*ROTATION, "step") if name in one.groupindex)
    values = [array("d") for _ in numbers]
    steps: list[bool] = []
    while start < end:
        after = data.find(_OPENING, start + _AT_ONCE, end)
        after = end if after < 0 else after
        found = one.findall(data, start, after)
        for row, number in zip(values, numbers, strict=True):
            row.extend(float(groups[number]) for groups in found)
        steps.extend(_IS_STEP(groups[step]) for groups in found)
        start = after
    return float32(values).T, np.array(steps, bool)


# New elements as EA's exporter writes them: tabs, LF, six decimals, attributes in its order.

COMPILERS_OWN = (
    '<CompressionSettings AllowTimeCoded="true" AllowAdaptiveDelta="false" MaxTranslationError="0.002000" '
    'MaxRotationError="0.003000" MaxVisibilityError="0.010000" MaxAdaptiveDeltaError="0.001000" '
    'ForceReductionRate="1.000000"/>'
)
"""What the compiler takes without such an element, but for adaptive delta, which never looks at steps."""

NO_FIXUP = (
    '<FixupMatrix M00="1.000000" M10="0.000000" M20="0.000000" M30="0.000000" M01="0.000000" M11="1.000000" '
    'M21="0.000000" M31="0.000000" M02="0.000000" M12="0.000000" M22="1.000000" M32="0.000000"/>'
)
_DECIMALS = 6
_FINE_DECIMALS = 9
_SMALL = 0.1
"""What never goes beyond this gets more decimals than EA's exporter writes, for models told in metres."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


def decimals_for(values: Array) -> int:
    """Return how many decimals numbers (frames, components) need."""
    return _FINE_DECIMALS if 0 < float(np.abs(values).max(initial=0.0)) < _SMALL else _DECIMALS


def number_text(value: float, decimals: int = _DECIMALS) -> str:
    """Return a number as xs:float has it."""
    text = f"{value:.{decimals}f}"
    return {"nan": "NaN", "inf": "INF", "-inf": "-INF"}.get(text, text)


def escaped(text: str) -> str:
    """Return a text as the value of an attribute; letters that XML cannot have become underscores."""
    return _NOT_XML.sub("_", text).translate(_ESCAPES)


def include_text(source: str) -> str:
    """Return the element that makes the compiler read another file first."""
    return f'<{layout.INCLUDE} type="all" source="{escaped(source)}"/>'


def file_text(includes: Sequence[str], assets: Sequence[str]) -> str:
    """Return a whole file."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines += [f'<{layout.ROOT} xmlns="{layout.NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">']
    lines += [f"\t<{layout.INCLUDES}>", *(f"\t\t{include_text(found)}" for found in includes)]
    lines += [f"\t</{layout.INCLUDES}>", *(f"\t{asset}" for asset in assets), f"</{layout.ROOT}>"]
    return "\n".join(lines)


def frame_texts(values: Array, steps: Array) -> list[str]:
    """Return a `Frame` element for each of values (frames, 1) or (frames, 4) and steps (frames,)."""
    decimals, texts = decimals_for(values), []
    for row, step in zip(values.tolist(), steps.tolist(), strict=True):
        move = f' {layout.STEP}="true"' if step else ""
        if len(row) == 1:
            texts.append(f"<{layout.FRAME}{move}>{number_text(row[0], decimals)}</{layout.FRAME}>")
        else:
            texts.append(f"<{layout.FRAME} {numbers_text(layout.ROTATION, row)}{move}/>")
    return texts


def numbers_text(names: Sequence[str], values: Sequence[float] | Array, decimals: int = _DECIMALS) -> str:
    """Return numbers (n,) as so many attributes."""
    return " ".join(f'{name}="{number_text(value, decimals)}"' for name, value in zip(names, values, strict=True))


# A channel of a file with some frames changed: only their texts become others, in the writing of those around them.

_BETWEEN = b"\n\t\t\t\t"


@dataclass
class NewChannel:
    """What a channel is to hold, as in `Channel`; `changed`: (frames,) bool, not as the source has it."""

    pivot: int
    kind: ChannelType
    first: int
    values: Array
    steps: Array
    changed: Array

    def text(self) -> str:
        """Return the channel as EA's exporter writes it."""
        element = layout.QUATERNION if self.kind is ChannelType.ORIENTATION else layout.SCALAR
        lines = [f'<{element} Pivot="{self.pivot}" Type="{self.kind}" FirstFrame="{self.first}">']
        lines += [f"\t\t\t\t{frame}" for frame in frame_texts(self.values, self.steps)]
        return "\n".join([*lines, f"\t\t\t</{element}>"])


def edited(data: bytes, old: Channel, new: NewChannel, frames_beyond: int) -> list[Splice]:
    """Return what has to change in `data` so that `old` holds what `new` does.

    Frames of `old` are within those of `new`, but for those from `frames_beyond` on, which stay, and those after the
    last of `new` and before that, which go.
    """
    spans, end = frames_of(data, old.span), new.first + len(new.values)
    if not spans or end <= old.first:
        return [Splice(old.span, new.text().encode())]
    between = data[spans[0].end : spans[1].start] if len(spans) > 1 else _BETWEEN
    between = between if between.isspace() or not between else _BETWEEN
    result: list[Splice] = []
    if new.first != old.first:
        result.append(Splice(tag_at(data, old.span.start).values["FirstFrame"], str(new.first).encode()))
    before, held = old.first - new.first, min(len(spans), end - old.first)
    lines = [line.encode() for line in frame_texts(new.values, new.steps)] if len(new.values) > held else []
    result.append(Splice(Span(spans[0].start, spans[0].start), b"".join(line + between for line in lines[:before])))
    for number in np.flatnonzero(new.changed[before : before + held]).tolist():
        result += _edited_frame(data, spans[number], old.values[number], new, before + number)
    further = lines[before + len(spans) :]
    result.append(Splice(Span(spans[-1].end, spans[-1].end), b"".join(between + line for line in further)))
    for number in range(held, min(len(spans), frames_beyond - old.first)):
        result.append(Splice(Span(spans[number - 1].end, spans[number].end), b""))
    return result


def _edited_frame(data: bytes, span: Span, held: Array, new: NewChannel, number: int) -> list[Splice]:
    """Put whether a frame is a step, and its numbers where they are not those (1,) or (4,) held, into its text."""
    tag = tag_at(data, span.start)
    values = new.values[number].tolist()
    step, held_step = bool(new.steps[number]), tag.values.get(layout.STEP)
    result: list[Splice] = []
    if held_step is None and step:
        at = tag.span.end - (2 if tag.is_whole else 1)
        result = [Splice(Span(at, at), f' {layout.STEP}="true"'.encode())]
    elif held_step is not None and step != (data[slice(*held_step)].strip() in (b"true", b"1")):
        result = [Splice(held_step, b"true" if step else b"false")]
    if np.array_equal(held, new.values[number]):
        return result
    if len(values) == 1:
        inner = Span(tag.span.end, data.rindex(b"</", span.start, span.end))
        return [*result, Splice(inner, number_text(values[0], decimals_for(new.values)).encode())]
    spans = [tag.values[name] for name in layout.ROTATION]
    return result + [Splice(own, number_text(value).encode()) for own, value in zip(spans, values, strict=True)]
