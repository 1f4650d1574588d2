"""Custom properties that carry a file's own values: created with the right type, and never with hard limits.

A hard limit would clamp the animated value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..io_formats.clip import Track, ValueKind
from . import names
from .types import Holder, has_key, settings_of
from .undo import Undo

_INT_LIMIT = 2**31 - 1


def property_key(name: str) -> str:
    """Return the key of the custom property for `name`: a key has at most 63 bytes and at least one."""
    return names.cut(name) or "value"


def ensure(holder: Holder, tracks: Sequence[Track], undo: Undo) -> str:
    """Make the custom property on a pose bone or object that `tracks`, its components, animate; return its key.

    A property that is there already stays if it can hold the values; an int that would truncate them, or an array of
    another size, is replaced.
    """
    key = property_key(tracks[0].property)
    kind, width = tracks[0].value_kind, tracks[0].width
    if has_key(holder, key) and _can_hold(holder[key], kind, width):
        return key
    undo.set_item(holder, key, _first_value(tracks, kind, width))
    if kind is ValueKind.COLOR:
        settings_of(holder, key).update(subtype="COLOR")
    return key


def _can_hold(value: Any, kind: ValueKind, width: int) -> bool:
    if width > 1:
        is_array = hasattr(value, "__len__") and not isinstance(value, (str, bytes)) and len(value) == width
        return is_array and isinstance(value[0], _python_type(kind))
    return isinstance(value, _python_type(kind))


def _python_type(kind: ValueKind) -> type[float]:
    return {ValueKind.BOOL: bool, ValueKind.INT: int}.get(kind, float)


def _first_value(tracks: Sequence[Track], kind: ValueKind, width: int) -> float | list[float]:
    """Return the value of each component at its first finite key, as the property's type."""
    first = [0.0] * max(width, 1)
    for track in tracks:
        for row, values in enumerate(track.values):
            finite = values[np.isfinite(values)]
            if len(finite) and track.component + row < len(first):
                first[track.component + row] = float(finite[0])
    typed = [_typed(value, kind) for value in first]
    return typed if width > 1 else typed[0]


def _typed(value: float, kind: ValueKind) -> float:
    if kind is ValueKind.BOOL:
        return value >= 1.0
    if kind is ValueKind.INT:
        return int(min(max(value, -_INT_LIMIT), _INT_LIMIT))
    return value
