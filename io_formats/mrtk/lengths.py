"""How long to draw the bones: the median distance to the next joint along the finger."""

from __future__ import annotations

import numpy as np

from ..clip import LOCATION, Array, Clip
from . import layout, nodes

_MOMENTS = 64
_TIP_SHARE = 0.5


def set_lengths(clip: Clip) -> None:
    """Set `Node.length` of all joints from where the recording has them, or from their rest."""
    places = _places(clip)
    for side in nodes.SIDES:
        for joint in layout.JOINTS[1:]:
            node = clip.node(f"{joint}.{side}")
            if node is not None:
                node.length = _length(joint, side, places)


def _length(joint: str, side: str, places: dict[str, Array]) -> float:
    share = 1.0 if joint in nodes.NEXT_JOINT else _TIP_SHARE
    following = nodes.NEXT_JOINT.get(joint) or nodes.PARENT_JOINT[joint]
    step = places[f"{joint}.{side}"] - places[f"{following}.{side}"]
    with np.errstate(over="ignore", invalid="ignore"):
        length = share * float(np.median(np.sqrt((step * step).sum(axis=0))))
    return length if 1e-4 < length < 1.0 else nodes.DEFAULT_LENGTH


def _places(clip: Clip) -> dict[str, Array]:
    """(3, moments) metres for each node, at moments spread over the recording."""
    spans = [(track.times[0], track.times[-1]) for track in clip.tracks if track.property == LOCATION]
    first, last = (min(span[0] for span in spans), max(span[1] for span in spans)) if spans else (0.0, 0.0)
    moments = np.linspace(float(first), float(last), _MOMENTS)
    places = {node.name: np.repeat(node.rest[:3, 3:], _MOMENTS, axis=1) for node in clip.nodes}
    for track in clip.tracks:
        if track.property == LOCATION:
            for row, values in enumerate(track.values, track.component):
                places[track.node][row] += np.interp(moments, track.times, values)
    return places
