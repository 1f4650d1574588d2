"""Moving all keys of an Action to another rate, so that it plays as fast as its file says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import Action, FCurve

from ..io_formats.clip import Marker
from . import actions, fcurves, provenance


def convert(action: Action, rate: float, markers: Sequence[Marker] = ()) -> int:
    """Move the keys of an imported Action to `rate` frames per second; return the number of keys moved.

    Keys, handles, markers and the frame range are scaled about the start frame. A curve that was untouched before
    is known as untouched afterwards, so that it still exports with its file's own numbers.

    Args:
        markers: of the file, whose exact times the Action's markers, on whole frames, do not show.
    """
    origin = provenance.find(action)
    if origin is None:
        return 0
    factor, start = rate / origin.placement.rate, origin.placement.start_frame
    curves = dict(origin.curves)
    keys = 0
    for handle, curve, path in provenance.tied_curves(action):
        untouched = origin.is_written(handle, path, curve.array_index, fcurves.read(curve))
        keys += _move(curve, factor, start)
        if untouched:
            identity = provenance.curve_id(handle, path, curve.array_index)
            curves[identity] = fcurves.read(curve).digest
    provenance.set_placement(action, rate, curves)
    _move_range(action, factor, start)
    _move_markers(action, origin.placement, rate, markers)
    action.update_tag()
    return keys


def _move(curve: FCurve, factor: float, start: float) -> int:
    keys = curve.keyframe_points
    points = np.empty(2 * len(keys), np.float32)
    for name in ("co", "handle_left", "handle_right"):
        keys.foreach_get(name, points)
        points[0::2] = (points[0::2].astype(np.float64) - start) * factor + start
        keys.foreach_set(name, points)
    return len(keys)


def _move_range(action: Action, factor: float, start: float) -> None:
    first, last = ((frame - start) * factor + start for frame in (action.frame_start, action.frame_end))
    if action.use_frame_range:
        actions.set_range(action, first, last, cyclic=action.use_cyclic)


def _move_markers(action: Action, placed: provenance.Placement, rate: float, markers: Sequence[Marker]) -> None:
    start = placed.start_frame
    times = {actions.marker_label(known.time * placed.rate + start, known.text): known.time for known in markers}
    for marker in action.pose_markers:
        time = times.get((marker.frame, marker.name), (marker.frame - start) / placed.rate)
        marker.frame, _ = actions.marker_label(time * rate + start, marker.name)
