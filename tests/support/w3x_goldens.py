"""W3X goldens, made by formula, and what the curves of a clip show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from io_formats import w3x
from io_formats.clip import Clip, Source, curve
from io_formats.errors import Report

DATA = Path(__file__).resolve().parent.parent / "data" / "w3x"
_SKELETONS = {"g01_anim": "g01_skl.w3x"}


def shown_by(clip: Clip, frames: Any) -> Any:
    """(frames, pivots, 8) of place, quaternion x, y, z, w and visibility."""
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
