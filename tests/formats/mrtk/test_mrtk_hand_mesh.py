"""The hands that are drawn: near the recorded joints everywhere, closed, and each vertex on a joint beside it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from io_formats import mrtk
from io_formats.clip.model import Model
from io_formats.errors import Report
from io_formats.mrtk.hand_mesh import hand_models

DATA = Path(__file__).parents[2] / "data" / "mrtk"
RECORDINGS = ("v10_recorder_3s_left_hand", "v11_recorder_10s_two_hands_mrtk273")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


def hands(stem: str) -> list[Model]:
    document = mrtk.read((DATA / f"{stem}.bin").read_bytes())
    (clip,) = mrtk.to_clips(document, mrtk.ImportOptions(), Report())
    return hand_models(clip)


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
        edges = np.concatenate(
            [np.stack([faces[:, at], np.roll(faces, -1, axis=1)[:, at]], axis=1) for at in range(faces.shape[1])]
        )
        assert faces.min() == 0 and faces.max() == len(model.vertices) - 1
        _, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
        assert (counts == 2).all()
        lengths = np.linalg.norm(model.vertices[edges[:, 0]] - model.vertices[edges[:, 1]], axis=1)
        assert lengths.max() < 0.04


@pytest.mark.parametrize("stem", RECORDINGS)
def test_each_vertex_follows_a_joint_within_reach(stem: str) -> None:
    for model in hands(stem):
        assert model.skin is not None and model.skin.bind is not None
        joints = model.skin.bind[model.skin.influences[:, 0], :3, 3]
        assert np.linalg.norm(model.vertices - joints, axis=1).max() < 0.1
        assert (model.skin.weights >= 0).all() and np.allclose(model.skin.weights.sum(axis=1), 1.0)
