"""A channel of a file with some frames changed: only their texts become others, in the writing of those around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..clip import Array
from . import layout, texts
from .document import Channel
from .layout import ChannelType
from .spans import Span, Splice, Tag, frames_of, tag_at

_BETWEEN = b"\n\t\t\t\t"


@dataclass
class NewChannel:
    """What a channel is to hold.

    Attributes:
        pivot, kind: which.
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
        return texts.channel_text(self.pivot, self.kind, self.first, self.values, self.steps)


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
    result = _first_frame(data, old, new)
    before, held = old.first - new.first, min(len(spans), end - old.first)
    lines = [line.encode() for line in texts.frame_texts(new.values, new.steps)] if len(new.values) > held else []
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


def _first_frame(data: bytes, old: Channel, new: NewChannel) -> list[Splice]:
    if new.first == old.first:
        return []
    return [Splice(tag_at(data, old.span.start).values["FirstFrame"], str(new.first).encode())]


def _edited_frame(data: bytes, span: Span, held: Array, new: NewChannel, number: int) -> list[Splice]:
    """Put whether a frame is a step, and its numbers where they are not those (1,) or (4,) held, into its text."""
    tag = tag_at(data, span.start)
    values = new.values[number].tolist()
    result = _step(data, tag, bool(new.steps[number]))
    if np.array_equal(held, new.values[number]):
        return result
    if len(values) == 1:
        inner = Span(tag.span.end, data.rindex(b"</", span.start, span.end))
        return [*result, Splice(inner, texts.number(values[0], texts.decimals_for(new.values)).encode())]
    return result + [
        Splice(tag.values[name], texts.number(value).encode())
        for name, value in zip(layout.ROTATION, values, strict=True)
    ]


def _step(data: bytes, tag: Tag, step: bool) -> list[Splice]:
    found = tag.values.get(layout.STEP)
    if found is not None:
        was = data[found.start : found.end].strip() in (b"true", b"1")
        return [] if was == step else [Splice(found, b"true" if step else b"false")]
    at = tag.span.end - (2 if tag.is_whole else 1)
    return [Splice(Span(at, at), f' {layout.STEP}="true"'.encode())] if step else []
