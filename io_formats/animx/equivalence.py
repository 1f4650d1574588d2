"""Whether two documents mean the same, whatever their bytes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..binary import equal
from ..clip import Array
from ..files.steps import AtOnce, Pace, Steps
from . import layout
from .animj_read import clean_text, finite_duration, limited
from .document import Document, Track, Values, components
from .layout import Encoding, KeyOrder, Mode, TangentOrder, TrackType
from .options import WriteOptions
from .read import is_clear
from .write import held_curve


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
        if not (same_track(limited(a), limited(b)) if against_json else same_track(a, b)):
            return False
        if pace.is_due(a.key_count, 1):
            yield pace.share
    return True


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


# The forms that one document can be written in: version, packing and the two orders.


def in_form(document: Document, ending: str, options: WriteOptions) -> Document:
    """Return the document in the form that a file of that ending has, as the options ask and the engine reads it."""
    changed = replace(
        document,
        one_byte_version=False,
        encoding=Encoding[document.container.name],
        trailing=b"",
        container_trailing=b"",
    )
    if ending != ".animx":
        return changed
    if options.key_order != "AUTO":
        changed.key_order = KeyOrder[options.key_order]
    if options.tangent_order != "AUTO":
        changed.tangent_order = TangentOrder[options.tangent_order]
    if changed.version == 0:
        changed.tracks = [held_curve(track) for track in changed.tracks]
    if changed.textual:  # in AnimX nothing plays without a duration
        changed.duration = np.float32(changed.playing_time)
    return _with_clear_order(changed)


def _with_clear_order(document: Document) -> Document:
    """Return the document, with an end that says the same, where a reader would else choose the wrong key order.

    That is a duration where it had none, or one more key where it ends after its tracks.
    """
    if is_clear(document):
        return document
    lasting = replace(document, duration=np.float32(document.playing_time))
    if is_clear(lasting):
        return lasting
    at = next((at for at, track in enumerate(document.tracks) if _can_close(track, document.duration)), None)
    if at is None:
        return document
    closed = _closed(document.tracks[at], document.duration)
    return replace(document, tracks=[*document.tracks[:at], closed, *document.tracks[at + 1 :]])


def _can_close(track: Track, end: np.float32) -> bool:
    """Return whether a track of numbers ends before `end`, in seconds."""
    is_curve = track.track_type is TrackType.CURVE and isinstance(track.values, np.ndarray) and track.key_count > 0
    return is_curve and track.times is not None and bool(track.times[-1] < end)


def _closed(track: Track, end: np.float32) -> Track:
    """Return the track with its last value held until `end`, in seconds, by one more key."""
    assert track.times is not None
    track, shapes = replace(track, times=np.append(track.times, end)), track.interpolation
    for name in ("values", "left", "right"):
        values = getattr(track, name)
        if values is not None:
            setattr(track, name, np.concatenate((values, values[-1:])))
    if shapes is not None and track.flags & layout.FLAG_PER_KEY:
        track.interpolation = np.append(shapes, shapes[-1])
    if track.modes[-2] >= Mode.TANGENT:
        modes = track.modes.copy()
        modes[-2] = Mode.HOLD
        track.interpolation, track.flags = modes, track.flags | layout.FLAG_PER_KEY
    return track
