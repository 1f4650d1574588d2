"""Whether two documents mean the same, whatever their bytes."""

from __future__ import annotations

import numpy as np

from ..clip import Array
from ..compare import equal
from ..files.steps import Pace, Steps, at_once
from .document import Document, Track, Values, components
from .json_limits import clean_text, finite_duration, limited
from .layout import Mode, TrackType


def same_content_in_steps(first: Document, second: Document) -> Steps[bool]:
    """Return whether two documents mean the same; how they were packed, ordered and encoded does not count.

    Against AnimJ, what JSON cannot hold does not count either.
    """
    against_json = first.textual is not second.textual
    if _head(first, against_json) != _head(second, against_json):
        return False
    pace = Pace(sum(track.key_count for track in first.tracks), len(first.tracks))
    for a, b in zip(first.tracks, second.tracks):
        if not (same_track(limited(a), limited(b)) if against_json else same_track(a, b)):
            return False
        if pace.is_due(a.key_count, 1):
            yield pace.share
    return True


same_content = at_once(same_content_in_steps)


def _head(document: Document, against_json: bool) -> tuple[str, bytes, int]:
    """Return name, duration bit by bit, and number of tracks."""
    name = clean_text(document.name) if against_json else document.name
    duration = finite_duration(document) if against_json else np.float32(document.duration)
    return name, duration.tobytes(), len(document.tracks)


def same_track(a: Track, b: Track) -> bool:
    """Return whether two tracks mean the same; tangents count only where a key asks for them."""
    if (a.track_type, a.value_type, a.node, a.property) != (b.track_type, b.value_type, b.node, b.property):
        return False
    if a.track_type is TrackType.RAW and not equal(np.float32(a.interval), np.float32(b.interval)):
        return False
    same_keys = _same_array(a.key_times, b.key_times) and _same_values(a.value_type, a.values, b.values)
    return same_keys and _same_array(a.modes, b.modes) and _same_tangents(a, b)


def _same_tangents(a: Track, b: Track) -> bool:
    if a.track_type is not TrackType.CURVE or not (a.modes >= Mode.TANGENT).any():
        return True
    sides = ((a.left, b.left), (a.right, b.right))
    return all(_same_values(a.value_type, _or_zero(mine, a), _or_zero(theirs, b)) for mine, theirs in sides)


def _or_zero(tangents: Values | None, track: Track) -> Values:
    """Return the tangents (n,) or (n, stored), zeros where a file leaves them out."""
    if tangents is not None:
        return tangents
    return [None] * track.key_count if isinstance(track.values, list) else np.zeros_like(track.values)


def _same_array(a: Array, b: Array) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _same_values(value_type: int, a: Values, b: Values) -> bool:
    if isinstance(a, list) or isinstance(b, list):
        return a == b if isinstance(a, list) and isinstance(b, list) else False
    return _same_array(components(value_type, a), components(value_type, b))
