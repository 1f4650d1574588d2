"""A clip on other nodes has the same world motion, keys and handles alike, and what need not change is untouched."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from io_formats.clip import (
    LOCATION,
    ROTATION,
    SCALE,
    Array,
    Clip,
    Handles,
    Interpolation,
    KeyMatch,
    Node,
    Track,
    TrackKind,
    Wrap,
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


def random_matrix(rng: np.random.Generator) -> Array:
    result = np.eye(4)
    result[:3, :3] = quaternion.to_matrix(rng.normal(size=(4, 1)))[0]
    result[:3, 3] = rng.normal(size=3)
    return result


def random_tracks(
    rng: np.random.Generator, node: str, name: str, separate: bool = False, shape: int | None = None
) -> list[Track]:
    """A block of all components, or one-component tracks with key times and handles of their own."""
    width = 4 if name == ROTATION else 3
    if separate:
        parts = [random_track(rng, node, name, 1, shape) for _ in range(width)]
        return [replace(part, component=row, width=width) for row, part in enumerate(parts)]
    return [random_track(rng, node, name, width, shape)]


def random_track(rng: np.random.Generator, node: str, name: str, rows: int, shape: int | None) -> Track:
    count = 12
    times = np.cumsum(rng.uniform(0.1, 0.4, count))
    gaps = np.diff(times)
    reach = np.zeros((count, 2))
    reach[:-1, 1], reach[1:, 0] = gaps * rng.random(count - 1), -gaps * rng.random(count - 1)
    shapes = rng.integers(0, 3, count) if shape is None else np.full(count, shape)
    base = np.array([[2.0], [0], [0], [0]])[:rows] if name == ROTATION else np.ones((rows, 1)) * (name == SCALE) * 2
    values = base + rng.uniform(-1, 1, (rows, count))
    return Track(
        node, name, times, values, shapes.astype(np.uint8), 0, rows,
        Handles(reach, rng.normal(size=(rows, count, 2)) * 0.2),
    )  # fmt: skip


def family(seed: int, separate: bool = False, shape: int | None = None) -> Clip:
    """Two joints under a moving hip, and a hand under one of them that only rests."""
    rng = np.random.default_rng(seed)
    parents = {"hip": None, "left": "hip", "right": "hip", "hand": "left"}
    nodes = [Node(name, parent, random_matrix(rng)) for name, parent in parents.items()]
    tracks = [
        track
        for name in ("hip", "left", "right")
        for kind in (LOCATION, ROTATION)
        for track in random_tracks(rng, name, kind, separate, shape)
    ]
    return Clip("walk", root=random_matrix(rng), nodes=nodes, tracks=tracks)


def other_rests(clip: Clip, seed: int = 99) -> list[Node]:
    rng = np.random.default_rng(seed)
    return [replace(node, rest=random_matrix(rng)) for node in clip.nodes]


def world_error(a: Clip, b: Clip, names: list[str]) -> float:
    keys = np.concatenate([track.times for clip in (a, b) for track in clip.tracks])
    times = np.setdiff1d(np.linspace(-0.5, 6, 1501), keys)
    first, second = pose.world_matrices(a, times), pose.world_matrices(b, times)
    return max(float(np.abs(first[name] - second[name]).max()) for name in names)


ALL = ["hip", "left", "right", "hand"]


# --- Constant changes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_blocks_map_exactly(seed: int) -> None:
    """Shared handle times: no key is added, whatever the rests."""
    clip = family(seed)
    report = Report()
    result = rebase(clip, other_rests(clip, seed), random_matrix(np.random.default_rng(seed)), report=report)
    assert world_error(clip, result, ALL) < 1e-11
    assert not report.notes and not report.warnings
    before = {(track.node, track.property): track for track in clip.tracks}
    for track in result.tracks:
        if track.node != "hand":
            assert track.times is before[track.node, track.property].times
            assert track.handles.times is before[track.node, track.property].handles.times


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
    assert world_error(clip, result, ALL) < 2e-4
    mixed = np.eye(4)  # of whose rows the second needs what the first does, and one more
    mixed[:2, :3] = [[0.0, 0.6, 0.8], [0.6, -0.64, 0.48]]
    mixed[2, :3] = np.cross(*mixed[:2, :3])
    assert world_error(clip, rebase(clip, clip.nodes, mixed.T), ALL) < 2e-4


def test_a_middle_node_left_out_and_two_put_in() -> None:
    """The resting hand loses its parent or gets others between: all still hang on the same moving node."""
    clip = family(15)
    rng = np.random.default_rng(15)
    between = [Node("extra", "hip", random_matrix(rng)), Node("more", "extra", random_matrix(rng))]
    nodes = [clip.nodes[0], *between, replace(clip.nodes[2], parent="more")]
    report = Report()
    result = rebase(clip, nodes, clip.root, report=report)
    assert world_error(clip, result, ["hip", "right"]) < 1e-11
    assert not report.notes
    assert {track.node for track in result.tracks} == {"hip", "right"}


@pytest.mark.parametrize(("by", "scaled"), [((0.5, 0.5, -0.3, 0.1), False), ((0.5, 0.5, 0.5, 0.5), True)])
def test_turned_nodes(by: tuple[float, ...], scaled: bool) -> None:
    """The node's own axes turned, children and all: world' = world x turn; a third of a turn swaps all three."""
    clip, turn = family(16), np.eye(4)
    clip.tracks += random_tracks(np.random.default_rng(16), "left", SCALE) if scaled else []
    turn[:3, :3] = quaternion.to_matrix(np.array([by]).T)[0]
    result = rebase(clip, clip.nodes, clip.root, turns={"left": turn})
    times = np.linspace(0, 4, 301)
    old, new = pose.world_matrices(clip, times), pose.world_matrices(result, times)
    np.testing.assert_allclose(new["left"], old["left"] @ turn, atol=1e-11)
    np.testing.assert_allclose(new["hand"], old["hand"], atol=1e-11)
    assert any(track is clip.tracks[0] for track in result.tracks)


def test_wraps_and_other_tracks_stay() -> None:
    clip = family(18)
    custom = Track("left", "tracked", np.zeros(1), np.ones((1, 1)), np.zeros(1, np.uint8), kind=TrackKind.CUSTOM)
    clip.tracks.insert(3, custom)
    for track in clip.tracks:
        track.before = track.after = Wrap.REPEAT
    report = Report()
    result = rebase(clip, other_rests(clip), clip.root, report=report)
    assert any(track is custom for track in result.tracks) and report.notes == []
    moved = [track for track in result.tracks if track.kind is TrackKind.TRANSFORM and track.node != "hand"]
    assert all(track.after is Wrap.REPEAT for track in moved)
    rows = [replace(row, before=Wrap.HOLD) for row in clip.tracks[0].rows()]
    clip.tracks = [replace(row, times=row.times * (1 + row.component)) for row in rows]
    result = rebase(clip, other_rests(clip), clip.root, report=report)
    assert messages.WRAPS_WRITTEN_OUT in [note.template for note in report.notes]
    assert world_error(clip, result, ["hip"]) < 1e-4


# --- Sampled -----------------------------------------------------------------------------------------------------


def parentless(clip: Clip) -> list[Node]:
    return [replace(node, parent=None, rest=np.eye(4)) for node in clip.nodes]


def test_parents_that_move_are_sampled_where_it_matters() -> None:
    """Without times: every key time, and between them until lines are good to a thousandth."""
    clip = family(21, shape=LINEAR)
    result = rebase(clip, parentless(clip), np.eye(4))
    involved = np.unique(np.concatenate([track.times for track in clip.tracks if track.node in ("hip", "left")]))
    left = next(track for track in result.tracks if track.node == "left")
    assert np.isin(involved, left.times).all()
    span = np.ptp(left.values)
    assert world_error(clip, result, ALL) < 4e-3 * max(span, 1.0)


def test_shear_is_told() -> None:
    nodes = [Node("a"), *(Node(name, "a", random_matrix(np.random.default_rng(3))) for name in "bc")]
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


def test_only_a_step_needs_an_edge_before_it() -> None:
    """A parent that stands for a second and jumps while its child moves: one key more than the child has."""
    times = np.linspace(0.0, 1.0, 11)
    rows = np.stack([times, times * 0, times * 0])
    jump = Track("hip", LOCATION, times[[0, -1]], rows[:, [0, -1]], np.full(2, CONSTANT, np.uint8))
    move = Track("hand", LOCATION, times, rows, np.full(11, LINEAR, np.uint8))
    clip = Clip("", nodes=[Node("hip"), Node("hand", "hip")], tracks=[jump, move])
    result = rebase(clip, parentless(clip), np.eye(4))
    found = next(track for track in result.tracks if track.node == "hand")
    assert found.times == pytest.approx(np.insert(times, 10, times[10] - 1 / 30 / 1024), abs=1e-9)
    assert found.values[0] == pytest.approx(np.append(found.times[:-1], 2.0))
    clip.nodes = parentless(clip)  # and the way back, where it is what jumps that is new
    moved = rebase(clip, [Node("hip"), Node("hand", "hip")], np.eye(4)).tracks
    back = next(track for track in moved if track.node == "hand" and track.property == LOCATION)
    assert back.times == pytest.approx(found.times)
    assert back.values[0, -3:] == pytest.approx([0.9, 1.0, 0.0], abs=1e-4)


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


def test_the_last_key_of_a_repetition_plays_at_its_end() -> None:
    """Blender shows there the key itself, not the first one again."""
    cycle = Track.sampled("hip", LOCATION, np.arange(2.0), np.array([[0.0, 5], [0, 0], [0, 0]]), after=Wrap.REPEAT)
    clip = Clip("", nodes=[Node("hip")], tracks=[cycle])
    found = pose.world_matrices(clip, np.array([0.5, 1.0, 1.5]))["hip"]
    assert found[:, 0, 3] == pytest.approx([2.5, 5.0, 2.5])


def test_motion_too_fast_for_samples_is_named_with_its_error() -> None:
    """The same hundredth of a second; the hip has no parent and is told as it is."""
    clip = family(26, shape=LINEAR)
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


def test_sparse_keys_are_divided_as_finely_as_dense_ones() -> None:
    """Turns within a minute that has few keys."""
    clip = family(25, shape=LINEAR)
    for track in clip.tracks:
        track.times = track.times * 60.0
    report = Report()
    rebase(clip, parentless(clip), np.eye(4), report=report, lines=Off(1e-6, 1e-6))
    told = report.notes[0].values
    assert not report.warnings and told["place"] <= 3**0.5 * 1e-3 and told["degrees"] <= np.degrees(1e-6)


def test_places_that_only_rounding_moves_are_not_sampled_finer() -> None:
    """A joint that stands on the one it turns about, but for what float32 leaves."""
    clip = family(27, shape=LINEAR)
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
