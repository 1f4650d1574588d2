"""Lengths of a clip multiplied: its keys and the places of its nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import LOCATION, Clip, Node, Track, TrackKind


def in_lengths(clip: Clip, factor: float) -> Clip:
    """The clip with all lengths multiplied and its root as much smaller, so that the world stays the same."""
    root = np.array(clip.root, np.float64)
    root[:3, :3] /= factor
    nodes = [_farther(node, factor) for node in clip.nodes]
    return replace(clip, root=root, nodes=nodes, tracks=[longer(track, factor) for track in clip.tracks])


def _farther(node: Node, factor: float) -> Node:
    rest = np.array(node.rest, np.float64)
    rest[:3, 3] *= factor
    return replace(node, rest=rest)


def longer(track: Track, factor: float) -> Track:
    """The track with a location's values multiplied; the same object where nothing changes."""
    is_location = track.kind is TrackKind.TRANSFORM and track.property == LOCATION
    return track.scaled(factor) if is_location else track
