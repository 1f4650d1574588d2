"""The end of a recording: MRTK plays until the last key of all curves, so that a pose held longer needs a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..clip import Wrap
from .describe import duration
from .document import Curve, Document
from .unity_keys import wrap_of

SLACK = 1e-3
"""Seconds by which a clip may outlast its last key through rounding."""


def hold(document: Document, seconds: float) -> None:
    """Let a new recording last `seconds`: one more key with the last value, where all curves end earlier.

    A switch gets the key, as nothing plays between its keys; without hands, camera and gaze do.
    """
    if seconds <= duration(document) + SLACK:
        return
    for _, hand in document.hands:
        for name in ("tracked", "pinching"):
            switch = getattr(hand, name)
            if _is_held(switch):
                setattr(hand, name, _longer(switch, seconds))
                return
    for curves, at in _camera_and_gaze(document):
        if _is_held(curves[at]):
            curves[at] = _longer(curves[at], seconds)


def _camera_and_gaze(document: Document) -> Iterator[tuple[list[Curve], int]]:
    """Yield each curve of camera and gaze as the list that holds it and its index there."""
    camera, gaze = document.camera, document.gaze
    lists = [] if camera is None else [camera.position, camera.rotation]
    lists += [] if gaze is None else [gaze.origin, gaze.direction]
    return ((curves, at) for curves in lists for at in range(len(curves)))


def _is_held(curve: Curve) -> bool:
    return len(curve.keys) > 0 and wrap_of(curve.post_wrap) is Wrap.HOLD


def _longer(curve: Curve, seconds: float) -> Curve:
    """Return the curve with its last value once more at `seconds`, flat in between."""
    keys = np.concatenate((curve.keys, curve.keys[-1:]))
    keys["time"][-1] = seconds
    if curve.is_full:
        keys["out_tangent"][-2] = keys["in_tangent"][-1] = keys["out_tangent"][-1] = 0.0
    return replace(curve, keys=keys)
