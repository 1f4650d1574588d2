"""Numbers, switches and frames in the texts of elements: read, written anew, or put in the place of others."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..clip import Array
from ..errors import FormatError
from . import layout, messages
from .document import Channel, Span, Splice, Tag, frames_of, tag_at
from .layout import FRAME, ROTATION, STEP, ChannelType, W, X, Y, Z

# Texts as numbers and switches, as the types of XML Schema have them.

Attributes = dict[str, str]

NUMBER = "[-+.0-9eEINFa \t\r\n]*"
"""Letters of numbers; Python's own reading takes more, such as "1_0" and "infinity"."""

_BLANK = " \t\r\n"
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
_NUMBERS = re.compile(NUMBER)
_SHOWN = 40


def required(attributes: Attributes, name: str, place: int) -> str:
    """Return an attribute; FormatError without it."""
    if name not in attributes:
        raise FormatError(messages.MISSING_ATTRIBUTE, offset=place, name=name)
    return attributes[name]


def whole(attributes: Attributes, name: str, place: int, low: int, high: int) -> int:
    """Return an attribute as a whole number; FormatError for what is none from `low` to `high`."""
    text = required(attributes, name, place).strip(_BLANK)
    number = int(text) if _WHOLE.fullmatch(text) else None
    if number is None or not low <= number <= high:
        raise FormatError(messages.BAD_WHOLE_NUMBER, offset=place, field=name, low=low, high=high, found=text[:_SHOWN])
    return number


def switch(text: str, place: int) -> bool:
    """Return a text as yes or no; FormatError for another."""
    word = text.strip(_BLANK)
    if word not in ("true", "1", "false", "0"):
        raise FormatError(messages.BAD_SWITCH, offset=place, field=layout.STEP, found=text[:_SHOWN])
    return word in ("true", "1")


def floats(texts: Sequence[str], place: int) -> list[float]:
    """Return texts as numbers; FormatError if one is none."""
    try:
        if _NUMBERS.fullmatch("".join(texts)) is not None:
            return list(map(float, texts))
    except ValueError:
        pass
    raise FormatError(messages.BAD_NUMBER, offset=place, found=next(filter(_is_no_number, texts), "")[:_SHOWN])


def _is_no_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return _NUMBERS.fullmatch(text) is None


def float32(values: array[float] | Sequence[Sequence[float]]) -> Array:
    """Return numbers, of any shape, as xs:float holds them: float32 of the shape (rows, numbers) or (numbers,) given.

    What is beyond its range is infinite.
    """
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
_STEP = f'( {STEP}="(?:true|1|false|0)"|)'
_IS_STEP = {f' {STEP}="true"'.encode(), f' {STEP}="1"'.encode()}.__contains__


class Frames(NamedTuple):
    """What the frames of a channel say.

    Attributes:
        values: (frames, 1) or (frames, 4) float32; quaternions x, y, z, w.
        steps: (frames,) bool.
    """

    values: Array
    steps: Array


class _Writing(NamedTuple):
    """A way to write frames.

    Attributes:
        all: the frames of a channel, up to the tag that closes it.
        one: a frame; groups are its numbers and whether it is a step.
        numbers: which groups are x, y, z, w, or the one number.
        step: which group is the step.
    """

    all: re.Pattern[bytes]
    one: re.Pattern[bytes]
    numbers: tuple[int, ...]
    step: int


def _writing(frame: str, numbers: tuple[int, ...], step: int) -> _Writing:
    ungrouped = re.sub(r"\((?!\?)", "(?:", frame)
    channel = rf"(?:\s*{ungrouped})*+\s*</"
    return _Writing(re.compile(channel.encode()), re.compile(frame.encode()), numbers, step)


def _rotation(*names: str) -> _Writing:
    attributes = "".join(f' {name}="({NUMBER})"' for name in names)
    return _writing(f"<{FRAME}{attributes}{_STEP} ?/>", tuple(map(names.index, ROTATION)), len(names))


_WRITINGS = {
    1: [_writing(f"<{FRAME}{_STEP}>({NUMBER})</{FRAME}>", (1,), 0)],
    4: [_rotation(*ROTATION), _rotation(W, X, Y, Z)],
}


def frames_at(data: bytes, start: int, width: int) -> Frames | None:
    """Return the frames between `start`, behind the tag that opens a channel, and the tag that closes it.

    Args:
        width: how many numbers each has.

    Returns:
        None where they are written in a way that only a parser understands, or where a text is no number.
    """
    for writing in _WRITINGS[width]:
        found = writing.all.match(data, start)
        if found is not None:
            try:
                return _frames(data, start, found.end(), writing)
            except ValueError:
                return None
    return None


def _frames(data: bytes, start: int, end: int, writing: _Writing) -> Frames:
    """Return the frames between two places; ValueError if a text is no number."""
    values = [array("d") for _ in writing.numbers]
    steps: list[bool] = []
    while start < end:
        after = data.find(_OPENING, start + _AT_ONCE, end)
        after = end if after < 0 else after
        found = writing.one.findall(data, start, after)
        for row, number in zip(values, writing.numbers, strict=True):
            row.extend(float(groups[number]) for groups in found)
        steps.extend(_IS_STEP(groups[writing.step]) for groups in found)
        start = after
    return Frames(float32(values).T, np.array(steps, bool))


# New elements as EA's exporter writes them: tabs, LF, six decimals, attributes in its order.

COMPILERS_OWN = (
    '<CompressionSettings AllowTimeCoded="true" AllowAdaptiveDelta="false" MaxTranslationError="0.002000" '
    'MaxRotationError="0.003000" MaxVisibilityError="0.010000" MaxAdaptiveDeltaError="0.001000" '
    'ForceReductionRate="1.000000"/>'
)
"""What the compiler takes without such an element, but for adaptive delta, which never looks at steps."""

_NO_FIXUP = (
    '<FixupMatrix M00="1.000000" M10="0.000000" M20="0.000000" M30="0.000000" M01="0.000000" M11="1.000000" '
    'M21="0.000000" M31="0.000000" M02="0.000000" M12="0.000000" M22="1.000000" M32="0.000000"/>'
)
_DECIMALS = 6
_FINE_DECIMALS = 9
_SMALL = 0.1
"""What never goes beyond this gets more decimals than EA's exporter writes, for models told in metres."""

_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


def decimals_for(values: Array) -> int:
    """Return how many decimals numbers (frames, components) need."""
    largest = float(np.abs(values).max(initial=0.0))
    return _FINE_DECIMALS if 0 < largest < _SMALL else _DECIMALS


def number_text(value: float, decimals: int = _DECIMALS) -> str:
    """Return a number as xs:float has it."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    return f"{value:.{decimals}f}"


def escaped(text: str) -> str:
    """Return a text as the value of an attribute; letters that XML cannot have become underscores."""
    return "".join(letter if _is_xml(letter) else "_" for letter in text).translate(_ESCAPES)


def _is_xml(letter: str) -> bool:
    code = ord(letter)
    return (code >= 0x20 or letter in "\t\n\r") and not 0xD800 <= code < 0xE000 and code not in (0xFFFE, 0xFFFF)


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


def hierarchy_text(
    name: str, names: Sequence[str], parents: Sequence[int], places: Array, turns: Array, fixups: Sequence[str]
) -> str:
    """Return a skeleton.

    Args:
        places: (pivots, 3).
        turns: (pivots, 4) x, y, z, w.
        fixups: elements for each pivot; empty for one that does nothing.
    """
    lines = [f'<{layout.HIERARCHY} id="{escaped(name)}">']
    decimals = decimals_for(places)
    for pivot, (own, parent) in enumerate(zip(names, parents, strict=True)):
        lines += [
            f'\t\t<{layout.PIVOT} Name="{escaped(own)}" Parent="{parent}">',
            f"\t\t\t<Translation {_attributes(layout.TRANSLATION, places[pivot], decimals)}/>",
            f"\t\t\t<Rotation {_attributes(layout.ROTATION, turns[pivot])}/>",
            f"\t\t\t{fixups[pivot] or _NO_FIXUP}",
            f"\t\t</{layout.PIVOT}>",
        ]
    return "\n".join([*lines, f"\t</{layout.HIERARCHY}>"])


def animation_text(name: str, hierarchy: str, frames: int, rate: int, settings: str, channels: Sequence[str]) -> str:
    """Return an animation; `settings` is an element or empty, `channels` are elements."""
    ids = f'id="{escaped(name)}" Hierarchy="{escaped(hierarchy)}"'
    lines = [f'<{layout.ANIMATION} {ids} NumFrames="{frames}" FrameRate="{rate}">']
    lines += [f"\t\t{settings}"] if settings else []
    lines += [f"\t\t<{layout.CHANNELS}>", *(f"\t\t\t{channel}" for channel in channels), f"\t\t</{layout.CHANNELS}>"]
    return "\n".join([*lines, f"\t</{layout.ANIMATION}>"])


def frame_texts(values: Array, steps: Array) -> list[str]:
    """Return a `Frame` element for each of values (frames, 1) or (frames, 4) and steps (frames,)."""
    decimals = decimals_for(values)
    return [_frame(row, step, decimals) for row, step in zip(values.tolist(), steps.tolist(), strict=True)]


def _frame(row: Sequence[float], step: bool, decimals: int) -> str:
    move = f' {layout.STEP}="true"' if step else ""
    if len(row) == 1:
        return f"<{layout.FRAME}{move}>{number_text(row[0], decimals)}</{layout.FRAME}>"
    return f"<{layout.FRAME} {_attributes(layout.ROTATION, row)}{move}/>"


def _attributes(names: Sequence[str], values: Sequence[float] | Array, decimals: int = _DECIMALS) -> str:
    return " ".join(f'{name}="{number_text(value, decimals)}"' for name, value in zip(names, values, strict=True))


# A channel of a file with some frames changed: only their texts become others, in the writing of those around them.

_BETWEEN = b"\n\t\t\t\t"


@dataclass
class NewChannel:
    """What a channel is to hold.

    Attributes:
        first: frame of the first value.
        values: (frames, 1) or (frames, 4) float32; quaternions x, y, z, w.
        steps: (frames,) bool.
        changed: (frames,) bool: not as the source has it.
    """

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
    spans = frames_of(data, old.span)
    if not spans:
        return [Splice(old.span, new.text().encode())]
    between = data[spans[0].end : spans[1].start] if len(spans) > 1 else _BETWEEN
    between = between if between.isspace() or not between else _BETWEEN
    end = new.first + len(new.values)
    result: list[Splice] = []
    if new.first != old.first:
        result.append(Splice(tag_at(data, old.span.start).values["FirstFrame"], str(new.first).encode()))
    before, held = old.first - new.first, min(len(spans), end - old.first)
    lines = [line.encode() for line in frame_texts(new.values, new.steps)] if len(new.values) > held else []
    if before > 0:
        result.append(Splice(Span(spans[0].start, spans[0].start), b"".join(line + between for line in lines[:before])))
    for number in np.flatnonzero(new.changed[before : before + held]).tolist():
        result += _edited_frame(data, spans[number], old.values[number], new, before + number)
    if end > old.first + len(spans):
        further = lines[before + len(spans) :]
        result.append(Splice(Span(spans[-1].end, spans[-1].end), b"".join(between + line for line in further)))
    for number in range(max(held, 1), min(len(spans), frames_beyond - old.first)):
        result.append(Splice(Span(spans[number - 1].end, spans[number].end), b""))
    return result


def _edited_frame(data: bytes, span: Span, held: Array, new: NewChannel, number: int) -> list[Splice]:
    """Put whether a frame is a step, and its numbers where they are not those (1,) or (4,) held, into its text."""
    tag = tag_at(data, span.start)
    values = new.values[number].tolist()
    result = _step(data, tag, bool(new.steps[number]))
    if np.array_equal(held, new.values[number]):
        return result
    if len(values) == 1:
        inner = Span(tag.span.end, data.rindex(b"</", span.start, span.end))
        return [*result, Splice(inner, number_text(values[0], decimals_for(new.values)).encode())]
    return result + [
        Splice(tag.values[name], number_text(value).encode())
        for name, value in zip(layout.ROTATION, values, strict=True)
    ]


def _step(data: bytes, tag: Tag, step: bool) -> list[Splice]:
    found = tag.values.get(layout.STEP)
    if found is not None:
        was = data[found.start : found.end].strip() in (b"true", b"1")
        return [] if was == step else [Splice(found, b"true" if step else b"false")]
    at = tag.span.end - (2 if tag.is_whole else 1)
    return [Splice(Span(at, at), f' {layout.STEP}="true"'.encode())] if step else []
