"""W3X goldens: made by formula, with what the games show of them on whole and half frames."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import w3x
from io_formats.clip import Clip, Source, curve
from io_formats.errors import Report

DATA = Path(__file__).resolve().parent.parent / "data" / "w3x"
_SKELETONS = {"g01_anim": "g01_skl.w3x"}


@dataclass
class Golden:
    """One animation of a golden file, and its truth (`frame`, `trs`, `world`, `hidden`, `names`, `parents`)."""

    file: str
    index: int
    truth: Any

    def clip(self, **options: Any) -> Clip:
        """The clip that an import makes of it."""
        skeleton = _SKELETONS.get(self.file)
        held = None if skeleton is None else w3x.read((DATA / skeleton).read_bytes())
        document = w3x.read((DATA / f"{self.file}.w3x").read_bytes())
        return w3x.to_clips(document, w3x.ReadOptions(**options), Report(), skeleton=held)[self.index]


_GOLDENS = {"g01_anim": ("g01_anim", 0), "g02": ("g02", 0), "g03_g03_roll": ("g03", 0), "g03_g03_stand": ("g03", 1)}


@pytest.fixture(params=sorted(_GOLDENS))
def golden(request: pytest.FixtureRequest) -> Golden:
    """Each animation of the goldens."""
    with np.load(DATA / f"{request.param}.npz", allow_pickle=False) as truth:
        return Golden(*_GOLDENS[request.param], dict(truth))


@pytest.fixture
def shown() -> Any:
    """What Blender's curves show: (frames, pivots, 8) of place, quaternion x, y, z, w and visibility."""
    return shown_by


def shown_by(clip: Clip, frames: Any) -> Any:
    found = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1], (len(frames), len(clip.nodes), 1))
    numbers = {node.name: number for number, node in enumerate(clip.nodes)}
    firsts = {"location": [0, 1, 2], "rotation_quaternion": [6, 3, 4, 5], "visibility": [7]}
    for track in clip.tracks:
        values = curve.evaluate(track, frames / clip.rate)
        for row, line in enumerate(values):
            found[:, numbers[track.node], firsts[track.property][track.component + row]] = line
    return found


def source_of(file: str, index: int = 0, **options: Any) -> Source:
    """An imported animation of a golden file."""
    document = w3x.read((DATA / f"{file}.w3x").read_bytes())
    skeleton = _SKELETONS.get(file)
    held = None if skeleton is None else w3x.read((DATA / skeleton).read_bytes())
    clips = w3x.to_clips(document, w3x.ReadOptions(**options), Report(), skeleton=held)
    return Source(document, clips[index], index, file=f"{file}.w3x")
