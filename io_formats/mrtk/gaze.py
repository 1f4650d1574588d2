"""The gaze's direction, a vector in world axes: from Gaze to GazeDirection, however the two are turned.

How long it is counts for nothing: MRTK's `RayCurves.Evaluate` gives it to Unity's `Ray.direction`, whose setter
normalises it (UnityCsReference, Runtime/Export/Geometry/Ray.cs; so does the constructor).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..clip import LOCATION, Array, Clip, Handles, Node, Track
from ..clip.join import unite
from ..clip.pose import channels_of, compose, inverse, is_still
from ..clip.resample import in_step
from ..clip.rest_pose import rebase
from ..errors import Report
from . import joints

_AXES = 3


def set_direction(clip: Clip, direction: Node, root: Array) -> None:
    """Change the node `direction` so that its location is the gaze's direction in the axes of `root` (4, 4).

    It stays a child of Gaze with a rest that undoes Gaze's rotation, which keeps the direction's own keys. If that
    rotation changes, it loses its parent, and `from_origin` subtracts the origin. The root's scale is left out.
    """
    gaze, _ = joints.gaze_nodes()
    turns = [track for track in rebase(clip, [gaze], root, report=Report()).tracks if _turns(track)]
    if not all(map(is_still, turns)):
        direction.parent = None
    elif turns:
        unscaled = compose(*channels_of(turns, np.zeros(1)))[0]
        unscaled[:_AXES, :_AXES] /= _size(clip.root) / _size(root)
        direction.rest = inverse(unscaled)


def from_origin(clip: Clip, root: Array, tracks: list[Track], report: Report) -> list[Track]:
    """Return the tracks with GazeDirection's location replaced by the vector from Gaze to GazeDirection.

    Args:
        root: (4, 4) world matrix of the object that carries the nodes.
        tracks: of both nodes without parents, relative to `root`.
    """
    end = _location(tracks, joints.GAZE_DIRECTION)
    others = [track for track in tracks if track.node != joints.GAZE_DIRECTION]
    both = unite(in_step([*end, *_location(tracks, joints.GAZE)], clip), report=report)
    size = _size(clip.root) / _size(root)
    handles = both.handles
    if handles is not None:
        handles = Handles(handles.times, (handles.values[:_AXES] - handles.values[_AXES:]) / size)
    values = (both.values[:_AXES] - both.values[_AXES:]) / size
    return [*others, replace(both, values=values, handles=handles, match=None)]


def _turns(track: Track) -> bool:
    return track.node == joints.GAZE and track.property != LOCATION


def _size(matrix: Array) -> float:
    return float(np.cbrt(np.abs(np.linalg.det(matrix[:_AXES, :_AXES])))) or 1.0


def _location(tracks: list[Track], name: str) -> list[Track]:
    """Return one track for each component of a node's location; constant 0 for one without keys."""
    found = [track for track in tracks if track.node == name and track.property == LOCATION and len(track.times)]
    rows = {single.component: single for track in found for single in track.rows()}
    return [rows.get(row, Track.constant(name, LOCATION, (0.0,), component=row, width=_AXES)) for row in range(_AXES)]
