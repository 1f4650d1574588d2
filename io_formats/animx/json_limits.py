"""The part of a document that JSON can hold: finite numbers and texts that are Unicode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..clip import Array
from ..clip import messages as clip_messages
from ..errors import Report
from . import layout, messages
from .document import Document, Track, Values
from .layout import TrackType


def clean_text(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, which UTF-8 cannot hold."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def finite_duration(document: Document) -> np.float32:
    """Return the duration in seconds, 0 where it is not finite."""
    duration = np.float32(document.duration)
    return duration if np.isfinite(duration) else np.float32(0)


def limited(track: Track) -> Track:
    """Return the track as AnimJ can hold it."""
    track = finite_track(track, Report())
    values = track.values
    if isinstance(values, list):
        values = [None if text is None else clean_text(text) for text in values]
    return replace(track, node=clean_text(track.node), property=clean_text(track.property), values=values)


def finite_track(track: Track, report: Report) -> Track:
    """Return the track with finite numbers only; the same object where it has no others.

    A key with such a time is left out; a value is the last finite one before it, a tangent 0.
    """
    if track.track_type is TrackType.RAW and not np.isfinite(track.interval):
        track = replace(track, interval=np.float32(0))
    usable = None if track.times is None else np.isfinite(track.times)
    if usable is not None and not usable.all():
        report.warn(clip_messages.KEYS_NOT_FINITE, count=int((~usable).sum()))
        track = _taken(track, np.flatnonzero(usable))
    sides: dict[str, Any] = {}
    for name in ("values", "left", "right"):
        values = getattr(track, name)
        if values is not None and not isinstance(values, list) and not np.isfinite(values).all():
            sides[name] = _last_finite(values) if name == "values" else np.where(np.isfinite(values), values, 0)
            count = int((~np.isfinite(values)).sum())
            report.warn(messages.NOT_FINITE, count=1, values=count, node=track.node, property=track.property)
    return replace(track, **sides) if sides else track


def _taken(track: Track, chosen: Array) -> Track:
    """Return the track with the chosen keys only."""

    def of(values: Values | None) -> Any:
        if values is None:
            return None
        return [values[at] for at in chosen] if isinstance(values, list) else values[chosen]

    modes = track.interpolation
    if modes is not None and track.flags & layout.FLAG_PER_KEY:
        modes = modes[chosen]
    return replace(
        track,
        times=of(track.times),
        values=of(track.values),
        left=of(track.left),
        right=of(track.right),
        interpolation=modes,
    )


def _last_finite(values: Array) -> Array:
    """Return values (n,) or (n, stored), those not finite replaced by the last finite one before, or 0."""
    rows = values.reshape(len(values), -1)
    finite = np.isfinite(rows)
    last = np.maximum.accumulate(np.where(finite, np.arange(len(rows))[:, None], -1), axis=0)
    filled = np.where(last >= 0, np.take_along_axis(rows, np.maximum(last, 0), axis=0), 0)
    result: Array = filled.astype(values.dtype).reshape(values.shape)
    return result
