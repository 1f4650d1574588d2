"""A clip without parents on a skeleton: its poses become relative to the parents there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from io_formats.clip import Clip, Interpolation, Node, Track, TrackKind, pose
from io_formats.clip.rest_pose import adopted, only_driven, rebase

REST = np.array([[0.0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
SKELETON = [Node("hips", None, REST), Node("spine", "hips", REST), Node("head", "spine", REST)]
HALF = np.sqrt(0.5)


def track(node: str, name: str, values: list[float]) -> Track:
    return Track(node, name, np.zeros(1), np.array([values]).T, np.full(1, Interpolation.LINEAR, np.uint8))


def flat() -> Clip:
    """Hips and head turned by a quarter about X, full local, under a root that lies on its side."""
    turn = [HALF, HALF, 0.0, 0.0]
    root = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    tracks = [track(name, "rotation_quaternion", turn) for name in ("hips", "head")]
    nodes = [Node("head"), Node("hips")]
    return Clip("flat", 1.0, root=root, nodes=nodes, tracks=tracks, parents_known=False)


@pytest.mark.parametrize("seen", [False, True])
def test_poses_are_relative_to_the_skeletons_parents(seen: bool) -> None:
    """One of which the file tells only when it is seen rests as the skeleton's."""
    root, clip = np.diag([2.0, 2, 2, 1]), flat()
    if seen:
        shown = replace(track("spine", "visibility", [1.0]), kind=TrackKind.CUSTOM)
        clip = replace(clip, nodes=[*clip.nodes, Node("spine")], tracks=[*clip.tracks, shown])
    clip = adopted(clip, SKELETON, root)
    turned = np.array([[1.0, 0, 0, 1], [0, 0, -1, 2], [0, 1, 0, 3], [0, 0, 0, 1]])  # the turn, the rest's place
    worlds = pose.world_matrices(clip, np.zeros(1))
    assert np.allclose(worlds["hips"][0], root @ turned)
    assert np.allclose(worlds["head"][0], root @ turned @ REST @ turned)


def test_a_rebase_onto_the_skeleton_is_linear() -> None:
    clip = adopted(flat(), SKELETON, np.eye(4))
    placed = rebase(clip, SKELETON, np.eye(4))
    before, after = (pose.world_matrices(found, np.zeros(1)) for found in (clip, placed))
    assert all(np.allclose(before[name], after[name]) for name in before)
    assert all(len(found.times) == 1 for found in placed.tracks)
    unknown = replace(flat(), rests_known=False)  # relative to whatever rests the skeleton has
    assert rebase(adopted(unknown, SKELETON, np.eye(4)), SKELETON, np.eye(4)).tracks == unknown.tracks


def test_a_clip_that_knows_its_parents_stays() -> None:
    clip = replace(flat(), parents_known=True)
    assert adopted(clip, SKELETON, np.eye(4)) is clip
    assert only_driven(clip, clip) is clip


def test_what_the_file_leaves_alone_stays_at_rest() -> None:
    clip = flat()
    placed = rebase(clip, [replace(node, rest=REST) for node in clip.nodes], clip.root)
    assert any(found.property == "location" for found in placed.tracks)
    assert {found.property for found in only_driven(placed, clip).tracks} == {"rotation_quaternion"}
    lost = replace(clip, nodes=[Node("spine", placeholder=True), *clip.nodes], parents_known=True)
    moved = replace(lost, tracks=[*clip.tracks, track("spine", "location", [1.0, 0.0, 0.0])])
    assert only_driven(moved, lost).tracks == clip.tracks
