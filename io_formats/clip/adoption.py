"""A clip that knows no parents, put onto a skeleton: each node's pose is relative to the parent it gets there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from . import CONSTANT, LOCATION, ROTATION, SCALE, TRANSFORMS, Array, Clip, Node, Track, TrackKind
from .pose import decompose


def adopted(clip: Clip, nodes: Sequence[Node], root: Array) -> Clip:
    """The clip on the parents that `nodes`, a skeleton, give its nodes; the clip itself if it knows its own.

    Args:
        nodes: parents before children; those that the clip has not come along at rest.
        root: what carries them. Nodes without a parent are relative to it, whatever carried the clip.

    Properties that the clip does not drive stand as the skeleton's rest pose has them.
    """
    if clip.parents_known:
        return clip
    own = {node.name: node for node in clip.nodes}
    there = {node.name for node in nodes}
    family = [_in_family(own[node.name], node.parent) if node.name in own else node for node in nodes]
    family += [node for node in clip.nodes if node.name not in there]
    resting = {node.name: node.rest for node in nodes if node.name in own}
    tracks = [*clip.tracks, *_undriven(clip, resting)] if clip.rests_known else clip.tracks
    return replace(clip, nodes=family, tracks=list(tracks), root=root, parents_known=True)


def _in_family(own: Node, parent: str | None) -> Node:
    """A node under a parent; its own rest was that of a node without one."""
    return replace(own, parent=parent, rest=own.rest if parent is None else np.eye(4))


def driven(clip: Clip) -> set[tuple[str, str]]:
    """Node and property of every transform that the clip has a track for."""
    return {(track.node, track.property) for track in clip.tracks if track.kind is TrackKind.TRANSFORM}


def only_driven(placed: Clip, clip: Clip) -> Clip:
    """A rebased clip without the transforms that its origin, which knows no rests of others, said nothing about."""
    if clip.parents_known:
        return placed
    known = driven(clip)
    tracks = [
        track
        for track in placed.tracks
        if track.kind is not TrackKind.TRANSFORM or (track.node, track.property) in known
    ]
    return replace(placed, tracks=tracks)


def _undriven(clip: Clip, resting: dict[str, Array]) -> list[Track]:
    """Constant tracks for what animated nodes leave to the skeleton."""
    known = driven(clip)
    moving = {node for node, _ in known}
    result = []
    for name, rest in resting.items():
        if name in moving:
            location, quaternion, scale, _ = decompose(np.asarray(rest, np.float64)[None])
            values = {LOCATION: location, ROTATION: quaternion, SCALE: scale}
            result += [
                Track.sampled(name, key, np.zeros(1), values[key], CONSTANT)
                for key in TRANSFORMS
                if (name, key) not in known
            ]
    return result
