"""A clip on other nodes has the same world motion, keys and handles alike, and what need not change is untouched."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import plain
import pytest

from io_formats.clip import (
    LOCATION,
    ROTATION,
    SCALE,
    Clip,
    Handles,
    Interpolation,
    KeyMatch,
    Node,
    Track,
    curve,
    messages,
    pose,
    quaternion,
)
from io_formats.clip.pose import Off
from io_formats.clip.resample import USUAL_SHARE, Relative, resample
from io_formats.clip.rest_pose import rebase
from io_formats.errors import Report

CONSTANT, LINEAR, BEZIER = Interpolation.CONSTANT, Interpolation.LINEAR, Interpolation.BEZIER
QUARTER_X = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])


def family(seed: int, separate: bool = False, **how: Any) -> Clip:
    """Two joints under a moving hip, and a hand under one of them that only rests."""
    rng, parents = np.random.default_rng(seed), {"hip": None, "left": "hip", "right": "hip", "hand": "left"}
    nodes = [Node(name, parent, plain.matrix(rng)) for name, parent in parents.items()]
    tracks = []
    for name, (kind, rest) in product(
        ("hip", "left", "right"), ((LOCATION, np.zeros(3)), (ROTATION, np.eye(4)[0] * 2))
    ):
        times = np.cumsum(rng.uniform(0.1, 0.4, (len(rest) if separate else 1, 12)), axis=1)
        values = rest[:, None] + rng.uniform(-1, 1, (len(rest), 12))
        whole = Track.sampled(name, kind, times[0], values, **how)
        tracks += [row.but(times=own) for row, own in zip(whole.rows(), times)] if separate else [whole]
    return Clip("walk", root=plain.matrix(rng), nodes=nodes, tracks=tracks)


def world_error(a: Clip, b: Clip, names: list[str]) -> float:
    keys = np.concatenate([track.times for clip in (a, b) for track in clip.tracks])
    times = np.setdiff1d(np.linspace(-0.5, 6, 1501), keys)
    first, second = pose.world_matrices(a, times), pose.world_matrices(b, times)
    return max(float(np.abs(first[name] - second[name]).max()) for name in names)


ALL = ["hip", "left", "right", "hand"]


# --- Constant changes --------------------------------------------------------------------------------------------


def test_signed_permutations_keep_components_apart() -> None:
    """A quarter turn of the root: locations swap places, with their own times and bits.

    What stands in another place or with another sign is no longer the file's own component: its match ends.
    """
    clip = family(9, separate=True)
    clip.root = np.eye(4)
    clip.nodes[0] = replace(clip.nodes[0], rest=np.eye(4))
    old = {(track.property, track.component): track for track in clip.tracks if track.node == "hip"}
    flags = np.ones(12, dtype=bool)
    for component in range(3):
        old[LOCATION, component].match = KeyMatch(True, np.arange(12), flags, flags, flags, flags)
    result = rebase(clip, clip.nodes, QUARTER_X)
    new = {(track.property, track.component): track for track in result.tracks if track.node == "hip"}
    assert new[LOCATION, 0] is old[LOCATION, 0] and new[LOCATION, 0].match is not None
    for row, column, sign in ((1, 2, 1), (2, 1, -1)):
        assert new[LOCATION, row].times is old[LOCATION, column].times
        np.testing.assert_array_equal(new[LOCATION, row].values, sign * old[LOCATION, column].values)
        assert new[LOCATION, row].match is None
    mixed = np.eye(4)  # of whose rows the second needs what the first does, and one more
    mixed[:2, :3] = [[0.0, 0.6, 0.8], [0.6, -0.64, 0.48]]
    mixed[2, :3] = np.cross(*mixed[:2, :3])
    assert world_error(clip, rebase(clip, clip.nodes, mixed.T), ALL) < 2e-4


# --- Sampled -----------------------------------------------------------------------------------------------------


def parentless(clip: Clip) -> list[Node]:
    return [replace(node, parent=None, rest=np.eye(4)) for node in clip.nodes]


def test_shear_is_told() -> None:
    nodes = [Node("a"), *(Node(name, "a", plain.matrix(np.random.default_rng(3))) for name in "bc")]
    stretch = Track("a", SCALE, np.array([0.0, 1]), np.array([[1, 3], [1, 1], [1, 1.0]]), np.ones(2, np.uint8), 0, 3)
    turn = Track.sampled("b", ROTATION, np.array([0.0, 1]), np.array([[1, 0.7], [0, 0.7], [0, 0], [0, 0.0]]))
    report = Report()
    clip = Clip("x", nodes=nodes, tracks=[stretch, turn])
    rebase(clip, [replace(node, parent=None) for node in nodes], np.eye(4), report=report)
    (told,) = [entry.values for entry in report.warnings if entry.template == messages.SHEAR_DROPPED]
    rest = nodes[1].rest[:3, :3]
    sheared = np.diag([3.0, 1.0, 1.0]) @ rest @ quaternion.to_matrix(np.array([[0.7], [0.7], [0], [0]]))[0]
    axes = sheared / np.linalg.norm(sheared, axis=0)
    off = np.degrees(np.arcsin(np.abs(np.triu(axes.T @ axes, 1)).max()))
    assert told["node"] == "b, c" and told["degrees"] == pytest.approx(off) and off > 1
    leaning = np.diag([1.0, 1.0, np.sqrt(5.0), 1.0])
    leaning[:2, :2] = [[2.0, -2.0], [1.0, 1.0]]  # axes of one length, at 53 degrees
    turned = Clip("y", root=leaning, nodes=nodes[:1], tracks=[replace(turn, node="a")])
    rebase(turned, nodes[:1], np.eye(4), report=report)
    assert [entry.values["node"] for entry in report.warnings] == ["b, c", "a"]


def test_many_motions_together_take_no_more_keys_than_anybody_sees() -> None:
    """Three joints in a chain, each with keys of its own times, forty to a frame: sixteen are enough, told as such."""
    rng = np.random.default_rng(30)
    nodes = [Node("hip"), Node("left", "hip"), Node("hand", "left")]
    times = [np.sort(np.append(rng.uniform(0.0, 1.0, 1200), (0.0, 1.0))) for _ in nodes]
    rows = [np.stack([np.sin(9 * at), np.cos(7 * at), at]) for at in times]
    tracks = [Track.sampled(node.name, LOCATION, at, row) for node, at, row in zip(nodes, times, rows, strict=True)]
    turn = Track("hip", ROTATION, np.array([0.0, 1.0]), np.eye(4)[:, :2], np.full(2, LINEAR, np.uint8))
    clip, report = Clip("", rate=30.0, nodes=nodes, tracks=[*tracks, turn]), Report()
    result = rebase(clip, parentless(clip), np.eye(4), report=report)
    assert max(len(track.times) for track in result.tracks if track.node == "hand") <= 16 * 31
    assert world_error(clip, result, ["hand"]) < 3e-3 * report.notes[0].values["place"] < 3e-2


def test_of_too_many_keys_those_stay_that_a_size_needs() -> None:
    """A parent with a thousand keys on one line, a child that grows and shrinks."""
    times = np.linspace(0.0, 1.0, 1200)
    line = Track("hip", LOCATION, times, np.stack([times, times, times]), np.full(1200, LINEAR, np.uint8))
    beats = np.linspace(0.0, 1.0, 101)
    sizes = np.tile(1.0 + 0.5 * np.sin(20 * beats), (3, 1))
    pulse = Track("hand", SCALE, beats, sizes, np.full(101, LINEAR, np.uint8))
    clip = Clip("", rate=30.0, nodes=[Node("hip"), Node("hand", "hip")], tracks=[line, pulse])
    result = rebase(clip, parentless(clip), np.eye(4))
    assert all(len(track.times) <= 16 * 31 for track in result.tracks if track.node == "hand")
    at = np.linspace(0.0, 1.0, 777)
    found = pose.world_matrices(result, at)["hand"][:, 0, 0]
    assert np.abs(found - np.interp(at, beats, sizes[0])).max() < 3e-3


def test_motion_too_fast_for_samples_is_named_with_its_error() -> None:
    """The same hundredth of a second; the hip has no parent and is told as it is."""
    clip = family(26)
    for track in clip.tracks:
        track.times = track.times * 0.002
    report = Report()
    rebase(clip, parentless(clip), np.eye(4), report=report)
    rebase(clip, parentless(clip), np.diag([0.01, 0.01, 0.01, 1.0]), report=report)
    told, small = [entry.values for entry in report.warnings if entry.template == messages.TRACKS_TOO_FAST]
    assert small["place"] == pytest.approx(told["place"])  # in the world, whatever an armature's unit is
    assert set(told["names"].split(", ")) == {node.name for node in clip.nodes} - {"hip"}
    assert told["degrees"] > 0.0573


@pytest.mark.parametrize("cubics", [False, True])
def test_a_turn_that_is_upright_between_two_keys_is_followed_to_where_it_is(cubics: bool) -> None:
    """Both handles reach the other key: half way, half of the turn is over within a tenth of a frame."""
    handles = Handles(np.array([[0.0, 1.0], [-1.0, 0.0]]) / 30, np.zeros((4, 2, 2)))
    turns = np.array([[1.0, 0.0], [0, 1], [0, 0], [0, 0]])
    turn = Track("hand", ROTATION, np.array([0.0, 1 / 30]), turns, np.full(2, BEZIER, np.uint8), handles=handles)
    move = Track("hip", LOCATION, np.array([0.0, 1.0]), np.eye(3)[:, :2], np.full(2, LINEAR, np.uint8))
    clip = Clip("", rate=30.0, nodes=[Node("hip"), Node("hand", "hip")], tracks=[move, turn])
    report, lines = Report(), Off(1e-4, np.deg2rad(0.02))
    result = rebase(clip, parentless(clip), np.eye(4), report=report, lines=lines, cubics=cubics)
    near = 10.0 ** np.linspace(-1.0, -2.7, 100)  # frames
    at = (0.5 + np.concatenate((-near, near))) / 30
    seen, played = (pose.world_matrices(each, at)["hand"] for each in (clip, result))
    chord = np.sqrt(((seen - played)[:, :3, :3] ** 2).sum(axis=(1, 2)) / 2)
    assert np.degrees(chord.max()) < 0.022 and report.warnings == []
    assert all(len(track.times) < 300 for track in result.tracks)


def test_places_that_only_rounding_moves_are_not_sampled_finer() -> None:
    """A joint that stands on the one it turns about, but for what float32 leaves."""
    clip = family(27)
    clip.nodes[1].rest[:3, 3] = 1e-6
    clip.tracks = [track for track in clip.tracks if track.node == "hip" and track.property == ROTATION]
    clip.tracks.append(replace(clip.tracks[0], node="left", values=clip.tracks[0].values * [[1.0], [-1], [-1], [-1]]))
    for track in clip.tracks:  # turns so small that straight lines do for them
        track.values = track.values * [[1.0], [1e-3], [1e-3], [1e-3]] + [[1.0], [0], [0], [0]]
    result = rebase(clip, parentless(clip), clip.root)
    keys = np.unique(np.concatenate([track.times for track in clip.tracks]))
    assert max(len(track.times) for track in result.tracks if track.node == "left") <= len(keys)


def test_cubics_follow_what_turns_over_half_a_circle_between_two_samples() -> None:
    """With signs against those of what lies half way, each sample would be a key and some turns go the long way."""
    seconds = np.arange(241) / 240
    degrees = 200 * np.clip((seconds - 0.5) * 30, 0, 1) + 60 * np.sin(3 * seconds)
    half = np.deg2rad(degrees) / 2
    turns = np.stack([np.cos(half), np.sin(half), 0 * half, 0 * half])
    clip = Clip("turning", duration=1.0, nodes=[Node("A")], tracks=[Track.sampled("A", ROTATION, seconds, turns)])
    tolerance = Off(1e-4, np.deg2rad(0.02))
    relative = Relative(pose.Chains(clip), "A", None, np.eye(4), np.eye(4))
    tracks, *_ = resample(relative, seconds[::8], tolerance, USUAL_SHARE, cubics=True)
    (fitted,) = (track for track in tracks if track.property == ROTATION)
    played = quaternion.normalise(curve.evaluate(fitted, seconds[::4]))
    assert np.rad2deg(quaternion.distance(played, turns[:, ::4])).max() < 0.02
    assert len(fitted.times) < 12, "a bend on each side of the turn"
