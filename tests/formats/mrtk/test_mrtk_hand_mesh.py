"""The hands that are drawn: near the recorded joints everywhere, closed, and each vertex on a joint beside it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from io_formats import mrtk
from io_formats.clip import LOCATION, ROTATION, Clip, Interpolation, Track
from io_formats.clip.model import Model
from io_formats.clip.pose import world_matrices
from io_formats.errors import Report
from io_formats.mrtk.hands import hand_models

DATA = Path(__file__).parents[2] / "data" / "mrtk"
RECORDINGS = ("v10_recorder_3s_left_hand", "v11_recorder_10s_two_hands_mrtk273")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


def recorded(stem: str, **options: bool) -> Clip:
    document = mrtk.read((DATA / f"{stem}.bin").read_bytes())
    (clip,) = mrtk.to_clips(document, mrtk.ImportOptions(**options), Report())
    return clip


def models_of(clip: Clip) -> list[Model]:
    """The models of hands on an armature made for them."""
    return hand_models(clip, clip)


def hands(stem: str) -> list[Model]:
    return models_of(recorded(stem))


def bones(model: Model) -> list[tuple[np.ndarray, np.ndarray]]:
    """The lines from the wrist along each finger, where the hand was when it was drawn."""
    assert model.skin is not None and model.skin.bind is not None
    places = {name.partition(".")[0]: at[:3, 3] for name, at in zip(model.skin.nodes, model.skin.bind, strict=True)}
    found = []
    for finger in FINGERS:
        joints = [name for name in places if name.startswith(finger)]
        chain = [places["Wrist"], *(places[name] for name in joints)]
        found += list(pairwise(chain))
    return found


def distances(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(n,) from points (n, 3) to the line between two others."""
    along = end - start
    part = np.clip((points - start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
    return np.linalg.norm(points - start - part[:, None] * along, axis=1)


@pytest.mark.parametrize("stem", RECORDINGS)
def test_the_skin_lies_around_the_bones(stem: str) -> None:
    """No vertex is further from the bones than half a palm is wide or a finger is thick."""
    models = hands(stem)
    assert len(models) == (1 if "left" in stem else 2)
    for model in models:
        near = np.min([distances(model.vertices.astype(float), *bone) for bone in bones(model)], axis=0)
        assert near.max() < 0.025
        size = np.ptp(model.vertices, axis=0).max()
        assert 0.1 < size < 0.3  # metres


@pytest.mark.parametrize("stem", RECORDINGS)
def test_the_skin_is_closed_and_of_short_edges(stem: str) -> None:
    for model in hands(stem):
        faces = np.asarray(model.triangles)
        edges = np.concatenate([faces[:, [at - 1, at]] for at in range(faces.shape[1])])
        assert faces.min() == 0 and faces.max() == len(model.vertices) - 1
        _, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
        assert (counts == 2).all()
        volumes = sum(np.linalg.det(model.vertices[faces[:, half]].astype(float)) for half in ([0, 1, 2], [0, 2, 3]))
        assert min(volumes[:-110].sum(), volumes[-110:].sum()) > 1e-4, "fingers and palm look outwards"
        lengths = np.linalg.norm(model.vertices[edges[:, 0]] - model.vertices[edges[:, 1]], axis=1)
        assert lengths.max() < 0.04


@pytest.mark.parametrize("stem", RECORDINGS)
def test_fingers_get_thinner_towards_their_tips_and_end_there(stem: str) -> None:
    """Around the last bone and beyond it, no ring is wider than where the bone begins."""
    for model in hands(stem):
        assert model.skin is not None and model.skin.bind is not None
        places = {name.partition(".")[0]: at[:3, 3] for name, at in zip(model.skin.nodes, model.skin.bind, strict=True)}
        number = {name.partition(".")[0]: at for at, name in enumerate(model.skin.nodes)}
        for finger in FINGERS:
            start, end = places[f"{finger}DistalJoint"], places[f"{finger}Tip"]
            length = np.linalg.norm(end - start)
            led = np.isin(model.skin.influences[:, 0], [number[f"{finger}DistalJoint"], number[f"{finger}Tip"]])
            along = (model.vertices[led] - start) @ (end - start) / length
            wide = np.linalg.norm(model.vertices[led] - start - along[:, None] * (end - start) / length, axis=1)
            assert wide[along > 0.5 * length].max() <= wide[along <= 0.5 * length].max()
            assert length < along.max() < 1.6 * length


def opened(clip: Clip, moments: dict[float, tuple[float, float]]) -> Clip:
    """The clip's left hand, by seconds: how far each finger bends at each joint, in radians, and how large all is."""
    worlds = {name: at[0] for name, at in world_matrices(clip, clip.tracks[0].times[:1]).items()}
    poses = [{name: size * at for name, at in _bent(worlds, angle).items()} for angle, size in moments.values()]
    tracks = []
    for name in (node.name for node in clip.nodes):
        if name in poses[0]:
            rows = np.stack([pose[name] for pose in poses], axis=1)
            tracks.append(lines(name, LOCATION, [*moments], rows))
            tracks.append(lines(name, ROTATION, [*moments], np.tile([[1.0], [0], [0], [0]], len(poses))))
    nodes = [replace(node, parent=None, rest=np.eye(4)) for node in clip.nodes]
    return replace(clip, nodes=nodes, tracks=tracks, root=np.eye(4))


def _bent(worlds: dict[str, np.ndarray], angle: float) -> dict[str, np.ndarray]:
    """Places of the left hand's joints: straight fingers in the direction of their first bones, each bone turned."""
    places = {name: at[:3, 3].copy() for name, at in worlds.items() if name.endswith(".L")}
    for finger in FINGERS:
        chain = [name for name in places if name.startswith(finger)]
        steps = np.diff([places[name] for name in chain], axis=0)
        sizes = np.linalg.norm(steps, axis=1)
        ahead = steps[0] / sizes[0]
        aside = np.cross(ahead, [0.0, 0.0, 1.0])
        aside /= np.linalg.norm(aside)
        for at, size in enumerate(sizes):
            turned = np.cos(at * angle) * ahead + np.sin(at * angle) * aside
            places[chain[at + 1]] = places[chain[at]] + size * turned
    return places


def lines(node: str, name: str, times: list[float], rows: np.ndarray) -> Track:
    shapes = np.full(len(times), Interpolation.LINEAR, np.uint8)
    return Track(node, name, np.array(times), rows, shapes, width=len(rows))


def test_a_hand_is_drawn_as_it_is_open_and_of_its_usual_size() -> None:
    """Of a fist, an open hand, a half open one, and one that the sensors see half as large again for a moment.

    What a hand is like while it is not tracked counts for nothing.
    """
    clip = recorded(RECORDINGS[0])
    usual = {0.0: (0.6, 1.0), 1.0: (0.02, 1.0), 2.0: (0.3, 1.0)}
    (alone,) = models_of(opened(clip, {1.0: usual[1.0]}))
    (drawn,) = models_of(opened(clip, usual))
    (torn,) = models_of(opened(clip, {**usual, 3.0: (0.0, 1.5)}))
    np.testing.assert_allclose(drawn.vertices, alone.vertices, atol=1e-5)
    np.testing.assert_allclose(torn.vertices, alone.vertices, atol=1e-5)
    (half,) = models_of(opened(clip, {2.0: usual[2.0]}))
    hand = opened(clip, usual)
    switch = Track.sampled("Wrist.L", "tracked", np.array([0.0, 0.5, 1.5]), np.array([[1.0, 0.0, 1.0]]))
    (seen,) = models_of(replace(hand, tracks=[*hand.tracks, switch]))
    np.testing.assert_allclose(seen.vertices, half.vertices, atol=1e-5)
    hand.tracks = [replace(one, times=one.times - 0.1) if one.node == "RingTip.L" else one for one in hand.tracks]
    np.testing.assert_allclose(models_of(hand)[0].vertices, alone.vertices, atol=1e-5)  # where it was last
    hand.tracks = [track for track in hand.tracks if (track.node, track.property) != ("RingTip.L", ROTATION)]
    assert not models_of(hand)  # as nobody knows how that joint lies


@pytest.mark.parametrize("stem", RECORDINGS)
def test_each_vertex_follows_a_joint_within_reach(stem: str) -> None:
    for model in hands(stem):
        assert model.skin is not None and model.skin.bind is not None
        joints = model.skin.bind[model.skin.influences[:, 0], :3, 3]
        assert np.linalg.norm(model.vertices - joints, axis=1).max() < 0.1
        assert set(map(tuple, model.skin.weights.tolist())) == {(1.0, 0.0)}, "as only bones with parents blend"
    for model in models_of(recorded(stem, hand_skeleton=True)):
        assert model.skin is not None
        assert np.abs(model.skin.weights.sum(axis=1) - 1.0).max() < 1e-6
        wrist = ((model.skin.influences == 0) * model.skin.weights).sum(axis=1)[np.asarray(model.triangles)]
        assert np.ptp(wrist, axis=1).max() < 0.61, "they do so in steps"
