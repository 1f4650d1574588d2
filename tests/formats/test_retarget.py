"""Motion on rigs that are built otherwise: joints are followed by place, rest poses by the turn away from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plain
import pytest

from io_formats.clip import (
    LOCATION,
    ROTATION,
    Array,
    Clip,
    Interpolation,
    Node,
    NodeKind,
    Track,
    TrackKind,
    Wrap,
    messages,
    pose,
    quaternion,
    retarget,
)
from io_formats.errors import Report

TIMES = np.array([0.0, 0.3, 0.5, 1.1, 1.6, 2.0])
LINEAR = np.full(len(TIMES), Interpolation.LINEAR, np.uint8)


def matrix(place: tuple[float, float, float], turn: Array | None = None) -> Array:
    """(4, 4) of a place and a quaternion."""
    result = np.eye(4)
    if turn is not None:
        result[:3, :3] = quaternion.to_matrix(np.asarray(turn, np.float64)[:, None])[0]
    result[:3, 3] = place
    return result


def smooth_turns(rng: np.random.Generator, size: float) -> Array:
    """(4, len(TIMES)) rotations that lie near each other."""
    return quaternion.normalise(np.array([[1.0], [0.0], [0.0], [0.0]]) + rng.normal(size=(4, len(TIMES))) * size)


def turned(turn: Array, vector: Array) -> Array:
    """(3, m) of a vector (3,) turned by quaternions (4, m)."""
    return np.stack([one @ vector for one in quaternion.to_matrix(turn)], axis=1)


class Hand:
    """A hand of three fingers of three bones as joints in the world: made from angles, so that all is known."""

    ROOTS = np.array([[0.03, 0.09, 0.0], [0.0, 0.095, 0.002], [-0.03, 0.085, 0.0]])
    LENGTHS = (0.04, 0.025, 0.02)

    def __init__(self, rng: np.random.Generator) -> None:
        self.turns = {"hand": smooth_turns(rng, 0.5)}
        self.places = {"hand": rng.normal(size=(3, len(TIMES)))}
        for finger, root in enumerate(self.ROOTS):
            above, place = "hand", self.places["hand"] + turned(self.turns["hand"], root)
            for segment, length in enumerate(self.LENGTHS):
                name = f"finger {finger} {segment}"
                self.turns[name] = quaternion.multiply(self.turns[above], smooth_turns(rng, 0.2))
                self.places[name] = place
                place = place + turned(self.turns[name], np.array([0.0, length, 0.0]))
                above = name
            self.places[f"tip {finger}"], self.turns[f"tip {finger}"] = place, self.turns[above]

    def clip(self) -> Clip:
        """The joints, parentless, each with a block of its own."""
        nodes = [Node(name, leads_to=self.end(name)) for name in self.places]
        tracks = [Track(name, LOCATION, TIMES, places, LINEAR, width=3) for name, places in self.places.items()]
        tracks += [Track(name, ROTATION, TIMES, turns, LINEAR, width=4) for name, turns in self.turns.items()]
        tracks.append(Track("hand", "seen", TIMES[:1], np.ones((1, 1)), LINEAR[:1], kind=TrackKind.CUSTOM))
        return Clip("hand", 2.0, nodes=nodes, tracks=tracks)

    @staticmethod
    def end(name: str) -> str:
        """The joint behind a joint."""
        kind, *rest = name.split()
        if kind != "finger":
            return "finger 1 0" if kind == "hand" else ""
        finger, segment = map(int, rest)
        return f"finger {finger} {segment + 1}" if segment < 2 else f"tip {finger}"


def rig_nodes(rng: np.random.Generator, *, tips: bool) -> list[Node]:
    """A stiff flat hand held by an arm, the axes of every bone at random."""
    places = {"arm": (None, np.array([0.4, 0.1, 1.3])), "hand": ("arm", np.array([0.7, 0.1, 1.3]))}
    for finger, root in enumerate(Hand.ROOTS):
        above, place = "hand", places["hand"][1] + np.array([root[1], -root[0], root[2]])
        for segment, length in enumerate((*Hand.LENGTHS, 0.0)[: 4 if tips else 3]):
            name = f"tip {finger}" if segment == 3 else f"finger {finger} {segment}"
            places[name] = (above, place)
            place, above = place + np.array([length * 1.1, 0.0, 0.0]), name
    frames = {name: matrix(tuple(place), rng.normal(size=4)) for name, (_, place) in places.items()}
    if not tips:  # the last bones point with their Y where the fingers point
        for finger in range(3):
            frames[f"finger {finger} 2"][:3, :3] = [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]
    return [
        Node(name, above, frames[name] if above is None else np.linalg.inv(frames[above]) @ frames[name])
        for name, (above, _) in places.items()
    ]


def test_a_hand_that_goes_to_and_fro_is_followed_there_too() -> None:
    """What comes after its keys is what was before them, the other way round."""
    rng = np.random.default_rng(8)
    clip, length = Hand(rng).clip(), float(TIMES[-1])
    clip.tracks = [replace(track, after=Wrap.MIRROR) for track in clip.tracks]
    moved = retarget.follow_joints(replace(clip, duration=2 * length), rig_nodes(rng, tips=True), np.eye(4), Report())
    forth, back = (pose.world_matrices(moved, times) for times in (TIMES, 2 * length - TIMES))
    for name in ("hand", "finger 1 2"):
        np.testing.assert_allclose(back[name], forth[name], atol=1e-5, err_msg=name)


def palm_turn(arms: Array, turns: Array, seen: Array) -> Array:
    """(m, 3, 3) how a hand whose knuckles lie at `arms` (k, 3) is turned by joints without rotations.

    They lie at `seen` (m, k, 3) in axes that are turned by `turns` (4, m).
    """
    names = [f"knuckle {at}" for at in range(len(arms))]
    joints = {"hand": np.zeros((3, len(TIMES)))}
    for at, name in enumerate(names):
        joints[name] = np.stack([one @ place for one, place in zip(quaternion.to_matrix(turns), seen[:, at])], axis=1)
    clip = Clip("", 2.0, nodes=[Node(name, leads_to=names[0] if name == "hand" else "tip") for name in joints])
    clip.tracks = [Track(name, LOCATION, TIMES, places, LINEAR, width=3) for name, places in joints.items()]
    rest = matrix((0.3, 0.2, 1.0), np.array([0.4, -0.7, 0.2, 0.5]))
    nodes = [Node("hand", None, rest), *(Node(name, "hand", matrix(tuple(arm))) for name, arm in zip(names, arms))]
    return pose.world_matrices(retarget.follow_joints(clip, nodes, np.eye(4), Report()), TIMES)["hand"][:, :3, :3]


def test_the_thumb_says_how_a_hand_lies_only_where_no_knuckles_do() -> None:
    rng = np.random.default_rng(18)
    turns = smooth_turns(rng, 0.5)
    thumb = np.array([0.03, 0.02, 0.01])
    arms = np.array([*Hand.ROOTS, thumb])
    moving = np.repeat(arms[None], len(TIMES), axis=0)
    moving[:, -1] += rng.normal(size=(len(TIMES), 3)) * 0.01
    assert np.abs(palm_turn(arms, turns, moving) - quaternion.to_matrix(turns)).max() < 1e-5
    in_a_line = np.array([Hand.ROOTS[1], thumb])
    still = np.repeat(in_a_line[None], len(TIMES), axis=0)
    assert np.abs(palm_turn(in_a_line, turns, still) - quaternion.to_matrix(turns)).max() < 1e-5
    as_at_rest = np.repeat(quaternion.normalise(np.array([[0.4], [-0.7], [0.2], [0.5]])), len(TIMES), axis=1)
    found = palm_turn(in_a_line[:1], as_at_rest, -still[:, :1])  # the one knuckle lies the other way
    assert found @ in_a_line[0] == pytest.approx(quaternion.to_matrix(as_at_rest) @ -in_a_line[0], abs=1e-6)


def test_what_is_told_and_what_stays() -> None:
    rng = np.random.default_rng(9)
    report = Report()
    moved = retarget.follow_joints(Hand(rng).clip(), rig_nodes(rng, tips=True), np.eye(4), report)
    assert [track.property for track in moved.tracks if track.kind is TrackKind.CUSTOM] == ["seen"]
    (note,) = report.notes
    assert note.template == messages.JOINTS_FOLLOWED and note.values == {"bones": 10, "moments": len(TIMES)}
    assert all(track.times.tolist() == TIMES.tolist() for track in moved.tracks if track.property == ROTATION)
    assert not any(track.node.startswith("tip") for track in moved.tracks)
    clip = Hand(rng).clip()
    clip.tracks = [replace(one, times=TIMES + 0.05) if one.node == "tip 0" else one for one in clip.tracks]
    pointing = retarget.follow_joints(clip, rig_nodes(rng, tips=False), np.eye(4), Report())
    assert all(len(track.times) == 2 * len(TIMES) for track in pointing.tracks if track.property == ROTATION)
    apart = [replace(node, parent=None if node.parent == "hand" else node.parent) for node in rig_nodes(rng, tips=True)]
    moved = retarget.follow_joints(Hand(rng).clip(), apart[2:], np.eye(4), Report(), placed={"finger 1 0"})
    assert [track.node for track in moved.tracks if track.property == LOCATION] == ["finger 1 0"]


def test_joints_that_stand_alone_are_not_followed() -> None:
    """Where no bone hangs on another, each can stand where its joint is; and joints without data say nothing."""
    clip = Hand(np.random.default_rng(11)).clip()
    chain = [Node("hand"), Node("finger 0 0", "hand"), Node("other", "hand")]
    assert retarget.joints_on(clip, chain) == {"hand", "finger 0 0"}
    assert retarget.joints_on(clip, [Node("hand"), Node("finger 0 0")]) == set()
    assert retarget.joints_on(replace(clip, tracks=clip.tracks[1:2]), chain) == set()
    clip.nodes = [replace(node, placeholder=node.name == "hand") for node in clip.nodes]
    assert retarget.joints_on(clip, chain) == set()


def test_what_carries_an_armature_on_a_vertex_of_another_thing_carries_it_too() -> None:
    things = [Node("thing", kind=NodeKind.OBJECT), Node("rig", kind=NodeKind.OBJECT, under="thing")]
    assert pose.carriers([*things, Node("bone", "rig")]) == {"rig", "thing", None}


# --- From rest to rest -------------------------------------------------------------------------------------------


def test_a_tilt_counts_only_where_it_explains_the_rest_pose() -> None:
    """An armature whose Y is up, in an object that is turned; and one that somebody merely laid down."""
    clip = plain.clip(np.random.default_rng(19), names="abc")
    up = matrix((0.0, 0.0, 0.0), np.array([1.0, -1.0, 0.0, 0.0]))
    inside = [replace(node, rest=up @ node.rest) if node.parent is None else node for node in clip.nodes]
    assert retarget.better_tilt(clip, inside, up[:3, :3]) is not None
    assert retarget.better_tilt(clip, clip.nodes, up[:3, :3]) is None
    moved = retarget.from_rest_to_rest(clip, inside, Report(), tilt=up[:3, :3])
    assert {id(track) for track in moved.tracks} == {id(track) for track in clip.tracks}


@pytest.mark.parametrize("count", [2, 300])
def test_a_tilt_about_the_bones_themselves_explains_nothing(count: int) -> None:
    """What rounding leaves of cosines of 1 decides nothing, of however many bones; a ten-thousandth of one does."""
    ahead = np.array([0.6, 0.0, 0.8])
    nodes = [Node(f"n{at}", f"n{at - 1}" if at else None, matrix(tuple(ahead))) for at in range(count)]
    for angle in np.linspace(0.1, 3.0, 40):
        about = matrix((0.0, 0.0, 0.0), np.array([np.cos(angle), *(np.sin(angle) * ahead)]))[:3, :3]
        assert retarget.better_tilt(Clip("", nodes=nodes), nodes, about) is None
    tilt = matrix((0.0, 0.0, 0.0), np.array([1.0, 0.0, 0.01, 0.0]))
    tilted = [replace(node, rest=tilt @ node.rest) if node.parent is None else node for node in nodes]
    assert retarget.better_tilt(Clip("", nodes=nodes), tilted, tilt[:3, :3]) is not None


@pytest.mark.parametrize(
    ("links", "found"), [((1.6,) * 4, 1.6), ((1.6, 1.6, 1.6, 9.0), 1.6), ((1.2, 1.6, 1.9, 1.6), None)]
)
def test_a_figure_of_other_proportions_is_no_larger_one(links: tuple[float, ...], found: float | None) -> None:
    def chain(lengths: tuple[float, ...]) -> list[Node]:
        names = ["a", "b", "c", "d", "e"]
        rests = [matrix((0.0, length, 0.0)) for length in (0.0, *lengths)]
        return [Node(name, above, rest) for name, above, rest in zip(names, [None, *names], rests, strict=False)]

    assert retarget.enlargement(Clip("", nodes=chain((1.0,) * 4)), chain(links)) == pytest.approx(found)
