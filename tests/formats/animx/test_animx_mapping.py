"""What a file becomes: curves that play by the engine's rule, in the right axes, on the right kind of property."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import animx
from io_formats.animx import layout
from io_formats.animx import messages as animx_messages
from io_formats.animx.document import Document, Track
from io_formats.animx.layout import TrackType
from io_formats.clip import Clip
from io_formats.errors import FormatError, Report

DATA = Path(__file__).parents[2] / "data" / "animx"


def clip_of(document: Document, report: Report | None = None, **options: Any) -> Clip:
    (clip,) = animx.to_clips(document, animx.ImportOptions(**options), report or Report())
    return clip


def read(name: str) -> Document:
    path = DATA / name
    return animx.read(path.read_bytes())


def document_of(value_type: str, values: Any, node: str = "N") -> Document:
    """One Raw track, of a key a second."""
    array = np.array(values, layout.VALUE_TYPES[layout.IDS[value_type]].base)
    track = Track(TrackType.RAW, layout.IDS[value_type], node, "p", array, interval=np.float32(1))
    return Document("d", np.float32(1), [track])


def test_manual_axes_must_differ() -> None:
    with pytest.raises(FormatError):
        clip_of(read("08_walk_plain.animx"), axes="MANUAL", forward_axis="Y", up_axis="-Y")


def test_numbers_beyond_single_precision_are_reported() -> None:
    report = Report()
    clip_of(document_of("long", [2**24 + 1, 5, 2**63 - 1]), report)
    clip_of(document_of("double", [0.1, 0.5]), report)
    counts = [entry.values["values"] for entry in report.warnings]
    assert counts == [2, 1]
    assert {entry.template for entry in report.warnings} == {animx_messages.SINGLE_PRECISION}


def test_names_are_unique_and_never_empty() -> None:
    names = ["", "unnamed", "a.b", "日本", "", "\udc80", "\udc81", "\ufffd.001", "\udc82"]
    tracks = [document_of("float", [1], name).tracks[0] for name in names]
    clip = clip_of(Document("n", np.float32(1), tracks))
    assert [node.original for node in clip.nodes] == [*names[:4], "\ufffd", "\ufffd", "\ufffd.001", "\ufffd"]
    taken = ["unnamed.001", *names[1:4], "\ufffd", "\ufffd.002", "\ufffd.001", "\ufffd.003"]
    assert [node.name for node in clip.nodes] == taken and not clip.parents_known
    for track, name in zip(tracks[:2], names[5:7]):  # alike as they are shown
        track.node, track.property = "N", name
    assert len(clip_of(Document("n", np.float32(1), tracks[:2])).tracks) == 1


def test_an_order_in_which_times_fall_is_refused() -> None:
    document = read("06_bezier_vt_lr.animx")
    for track in document.tracks:  # two keys at one time are in order
        track.times = np.append(track.times[:1], track.times[:-1])
    with pytest.raises(FormatError, match="choose the Key Order Automatic"):
        clip_of(document, key_order="TIME")


def walking(*left: str) -> Document:
    """The sample of a walk, of whose places those of some joints are left."""
    document = animx.read((DATA.parents[2] / "samples" / "walk.animj").read_bytes())
    document.tracks = [track for track in document.tracks if track.property == "Rotation" or track.node in left]
    return document


@pytest.mark.parametrize(("name", "odd"), [("Position", 1e9), ("Rotation", 0.0)])
def test_what_is_on_no_earth_or_turns_nowhere_is_no_body(name: str, odd: float) -> None:
    assert clip_of(walking("Hips", "LeftHand")).parents_known
    document = walking("Hips", "LeftHand")
    (track,) = (track for track in document.tracks if (track.node, track.property) == ("LeftHand", name))
    track.values[-1:] = odd
    assert not clip_of(document).parents_known


def shin(document: Document, scale: float = 1.0) -> float:
    """How long the left one is, by the rest of the foot at its end."""
    foot = clip_of(document, scale=scale).node("LeftFoot")
    return float(np.linalg.norm(foot.rest[:3, 3])) if foot is not None else 0.0


def test_a_body_without_places_is_as_large_as_its_hips_are_high() -> None:
    """As a person where these are on the ground, or not there."""
    tall, flat, bare = (walking("Hips") for _ in range(3))
    tall.tracks[0].values[:, 1] *= 2
    flat.tracks[0].values[:, 1] = 0
    bare.tracks = [track for track in bare.tracks if track.node != "Hips"]
    assert shin(tall, 3.0) == pytest.approx(shin(tall)) == pytest.approx(2 * shin(walking("Hips")), rel=1e-4)
    assert shin(flat) == shin(bare) == pytest.approx(0.41, abs=0.03)
