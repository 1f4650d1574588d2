"""The forms that one document can be written in: version, packing and the two orders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import layout
from .document import Document, Track
from .layout import Encoding, KeyOrder, Mode, TangentOrder, TrackType
from .options import WriteOptions
from .read import read
from .write import held_curve, write


def in_form(document: Document, ending: str, options: WriteOptions) -> Document:
    """Return the document in the form that a file of that ending has, as the options ask and the engine reads it."""
    changed = replace(
        document,
        one_byte_version=False,
        encoding=Encoding[document.container.name],
        odd_fields={},
        trailing=b"",
        container_trailing=b"",
    )
    if ending != ".animx":
        return changed
    if options.animx_version != "AUTO":
        changed.version = int(options.animx_version)
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
    if _is_clear(document):
        return document
    lasting = replace(document, duration=np.float32(document.playing_time))
    if _is_clear(lasting):
        return lasting
    at = next((at for at, track in enumerate(document.tracks) if _can_close(track, document.duration)), None)
    if at is None:
        return document
    closed = _closed(document.tracks[at], document.duration)
    return replace(document, tracks=[*document.tracks[:at], closed, *document.tracks[at + 1 :]])


def _is_clear(document: Document) -> bool:
    """Return whether a reader that weighs both key orders finds the document's own."""
    has_curves = any(track.track_type is TrackType.CURVE and track.key_count for track in document.tracks)
    return not has_curves or read(write(document, container="plain")).key_order is document.key_order


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
