"""What a recording becomes: nodes, tracks in Blender's axes, repaired rotations, parented hands."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from io_formats import mrtk
from io_formats.clip import ROTATION, Clip
from io_formats.errors import Report
from io_formats.mrtk import joints, layout, unity_keys
from io_formats.mrtk.document import Curve, Document, Ray

DATA = Path(__file__).parents[2] / "data" / "mrtk"
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


def document_of(stem: str) -> Document:
    return mrtk.read((DATA / f"{stem}.bin").read_bytes())


def clip_of(document: Document, report: Report | None = None, **options: Any) -> Clip:
    (clip,) = mrtk.to_clips(document, mrtk.ImportOptions(**options), report or Report())
    return clip


def test_joints_without_data_stand_in_an_open_hand() -> None:
    document = document_of("v10_empty")
    document.gaze = Ray(*[[Curve(np.zeros(0, layout.SHORT_KEY))] * 3] * 2)
    clip = clip_of(document)
    assert not clip.tracks and not clip.attachments
    places = {node.name: node.rest[:3, 3] for node in clip.nodes if node.placeholder}
    assert len(places) == 54 and {node.name.rpartition("Tip")[0] for node in clip.nodes if node.helper} == {*FINGERS}
    tips = [places[f"{finger}Tip.L"][0] for finger in FINGERS]
    assert tips == sorted(tips, reverse=True)
    assert [places[f"{finger}Tip.R"][0] for finger in ("Thumb", "Index")] == [-tips[0], -tips[1]]
    # in front of the eyes, below them, and within an arm's reach
    hands = np.stack([place for name, place in places.items() if name.endswith((".L", ".R"))])
    assert (hands[:, 1] > 0.2).all() and (hands[:, 2] < 0.0).all() and np.linalg.norm(hands, axis=1).max() < 0.8
    for (joint, following), side in product(joints.NEXT_JOINT.items(), "LR"):
        along = places[f"{following}.{side}"] - places[f"{joint}.{side}"]
        assert np.linalg.norm(along) < 0.11  # metres
        node = clip.node(f"{joint}.{side}")
        assert node is not None
        np.testing.assert_allclose(node.rest[:3, 1], along / np.linalg.norm(along), atol=1e-12)


def test_long_turns_are_told_where_they_do_not() -> None:
    """Of one key a second, whose W come later."""
    rows, report = np.float32([*[(0.0, 0.0, 0.6, 0.8)] * 4, (0.0, 0.0, -0.6, -0.8)]).T, Report()
    document = document_of("v11_wrapmode_raw_ints")
    assert document.camera is not None
    times = [np.arange(5.0)] * 3 + [np.arange(5.0) + 0.001]
    document.camera.rotation = [Curve(unity_keys.short_keys(*each)) for each in zip(times, rows)]
    (w, *_) = (row for track in clip_of(document, report).tracks for row in track.rows() if row.property == ROTATION)
    assert w.values[0].tolist() == rows[3].tolist()
    assert [(entry.template, entry.count) for entry in report.warnings] == [(mrtk.messages.LONG_TURNS, 1)]


def test_gazes_without_a_direction_are_counted() -> None:
    document, report = document_of("v11_flags/v11_cam1_hand1_gaze1"), Report()
    assert document.gaze is not None
    for part in document.gaze.direction:
        part.keys = part.keys.copy()
        part.keys["value"][:2] = 0.0
    clip_of(document, report)
    assert [(entry.template, entry.count) for entry in report.warnings] == [(mrtk.to_clip.messages.ZERO_DIRECTION, 2)]
