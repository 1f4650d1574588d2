"""New elements as EA's exporter writes them: tabs, LF, six decimals, attributes in its order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..clip import Array
from . import layout
from .layout import ChannelType

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


def number(value: float, decimals: int = _DECIMALS) -> str:
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


def channel_text(pivot: int, kind: ChannelType, first: int, values: Array, steps: Array) -> str:
    """Return a channel of values (frames, 1) or (frames, 4) x, y, z, w and steps (frames,) bool."""
    element = layout.QUATERNION if kind is ChannelType.ORIENTATION else layout.SCALAR
    lines = [f'<{element} Pivot="{pivot}" Type="{kind}" FirstFrame="{first}">']
    lines += [f"\t\t\t\t{frame}" for frame in frame_texts(values, steps)]
    return "\n".join([*lines, f"\t\t\t</{element}>"])


def frame_texts(values: Array, steps: Array) -> list[str]:
    """Return a `Frame` element for each of values (frames, 1) or (frames, 4) and steps (frames,)."""
    decimals = decimals_for(values)
    return [_frame(row, step, decimals) for row, step in zip(values.tolist(), steps.tolist(), strict=True)]


def _frame(row: Sequence[float], step: bool, decimals: int) -> str:
    move = f' {layout.STEP}="true"' if step else ""
    if len(row) == 1:
        return f"<{layout.FRAME}{move}>{number(row[0], decimals)}</{layout.FRAME}>"
    return f"<{layout.FRAME} {_attributes(layout.ROTATION, row)}{move}/>"


def _attributes(names: Sequence[str], values: Sequence[float] | Array, decimals: int = _DECIMALS) -> str:
    return " ".join(f'{name}="{number(value, decimals)}"' for name, value in zip(names, values, strict=True))
