"""How long to draw the bones: the median distance to the next joint along the finger."""

from __future__ import annotations

import numpy as np

from ..clip import LOCATION, Array, Clip
from . import joints as nodes
from . import layout

_MOMENTS = 64
_TIP_SHARE = 0.5


def set_lengths(clip: Clip) -> None:
    """Set `Node.length` of all joints from where the recording has them, or from their rest."""
    joints = [node for node in clip.nodes if node.name.partition(".")[0] in layout.JOINTS[1:]]
    if not joints:
        return
    places = _places(clip)
    steps = np.stack([places[node.name] - places[_following(node.name)] for node in joints])
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.median(np.sqrt((steps * steps).sum(axis=1)), axis=1)
    for node, length in zip(joints, lengths.tolist()):
        share = 1.0 if node.name.partition(".")[0] in nodes.NEXT_JOINT else _TIP_SHARE
        node.length = share * length if 1e-4 < share * length < 1.0 else nodes.DEFAULT_LENGTH


def _following(name: str) -> str:
    """Return the joint at the far end of a joint's bone; the one before it for a fingertip."""
    joint, _, side = name.partition(".")
    return f"{nodes.NEXT_JOINT.get(joint) or nodes.PARENT_JOINT[joint]}.{side}"


def _places(clip: Clip) -> dict[str, Array]:
    """Return (3, moments) metres for each node, at moments spread over the recording."""
    spans = [(track.times[0], track.times[-1]) for track in clip.tracks if track.property == LOCATION]
    first, last = (min(span[0] for span in spans), max(span[1] for span in spans)) if spans else (0.0, 0.0)
    moments = np.linspace(float(first), float(last), _MOMENTS)
    places = {node.name: np.repeat(node.rest[:3, 3:], _MOMENTS, axis=1) for node in clip.nodes}
    known: dict[int, tuple[Array, Array, Array]] = {}
    for track in clip.tracks:
        if track.property == LOCATION:
            if id(track.times) not in known:
                known[id(track.times)] = _neighbours(track.times, moments)
            before, after, share = known[id(track.times)]
            values = track.values[:, before] * (1.0 - share) + track.values[:, after] * share
            places[track.node][track.component : track.component + len(values)] += values
    return places


def _neighbours(times: Array, moments: Array) -> tuple[Array, Array, Array]:
    """Return (moments,) index of the key before and after each, and how far it is from the one to the other, 0 to 1."""
    last = len(times) - 1
    after = np.clip(np.searchsorted(times, moments), 1, max(last, 1))
    before, after = after - 1, np.minimum(after, last)
    span = times[after] - times[before]
    share = np.clip((moments - times[before]) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)
    return before, after, share
