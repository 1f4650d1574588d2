"""The frames of a channel, all at once, where they are written as the known tools write them.

Nearly all of a file is frames. One that stands otherwise (a comment between, other quotes, attributes in another order)
leaves its channel to the parser, which takes one element after the other.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..clip import Array
from .layout import FRAME, ROTATION, STEP, W, X, Y, Z
from .numbers import NUMBER, float32

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


@dataclass(frozen=True)
class _Writing:
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

    @classmethod
    def of(cls, frame: str, numbers: tuple[int, ...], step: int) -> _Writing:
        """Return the writing of frames that look like an expression with groups."""
        ungrouped = re.sub(r"\((?!\?)", "(?:", frame)
        channel = rf"(?:\s*{ungrouped})*+\s*</"
        return cls(re.compile(channel.encode()), re.compile(frame.encode()), numbers, step)


def _rotation(*names: str) -> _Writing:
    attributes = "".join(f' {name}="({NUMBER})"' for name in names)
    return _Writing.of(f"<{FRAME}{attributes}{_STEP} ?/>", tuple(map(names.index, ROTATION)), len(names))


_WRITINGS = {
    1: [_Writing.of(f"<{FRAME}{_STEP}>({NUMBER})</{FRAME}>", (1,), 0)],
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
