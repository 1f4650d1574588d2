"""W3D goldens with the engine's values, and what the curves of a clip show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from io_formats import w3d
from io_formats.clip import Clip, Source, curve
from io_formats.errors import Report

DATA = Path(__file__).resolve().parent.parent / "data" / "w3d"


@dataclass
class Golden:
    """A file and what the engine's own code makes of it."""

    name: str
    facts: dict[str, Any]

    @property
    def data(self) -> bytes:
        return (DATA / self.facts["file"]).read_bytes()

    @property
    def document(self) -> Any:
        return w3d.read(self.data)

    @property
    def skeleton(self) -> Any:
        return w3d.read((DATA / self.facts["skeleton"]).read_bytes())

    @property
    def index(self) -> int:
        return int(self.name[-1]) if self.name.startswith("h04") else 0

    @property
    def truth(self) -> Any:
        return np.load(DATA / self.facts["npz"])

    def clip(self, report: Report | None = None, **options: Any) -> Clip:
        clips = w3d.to_clips(self.document, w3d.ImportOptions(**options), report or Report(), skeleton=self.skeleton)
        return clips[self.index]


def show(clip: Clip, frames: Any, rate: float) -> dict[tuple[str, str], Any]:
    """(node, property) -> (components, frames), rest values where nothing is animated."""
    times = np.asarray(frames, float) / rate
    rest = {
        "location": np.zeros(3),
        "rotation_quaternion": np.array([1.0, 0, 0, 0]),
        "visibility": np.ones(1),
        "fade": np.ones(1),
    }
    shown = {
        (node.name, name): np.repeat(value[:, None], len(times), axis=1)
        for node in clip.nodes
        for name, value in rest.items()
    }
    for track in clip.tracks:
        values = curve.evaluate(track, times)
        shown[track.node, track.property][track.component : track.component + len(values)] = values
    return shown


def turn(a: Any, b: Any) -> Any:
    """Degrees between rotations (4, n) of any length and sign."""
    a, b = a / np.linalg.norm(a, axis=0), b / np.linalg.norm(b, axis=0)
    chord = np.minimum(np.linalg.norm(a - b, axis=0), np.linalg.norm(a + b, axis=0))
    return np.degrees(4 * np.arcsin(np.minimum(chord / 2, 1)))


def source_of(document: Any, skeleton: Any = None, index: int = 0, **options: Any) -> Source:
    """The first animation of a file, or another, as an export into that file knows it."""
    clips = w3d.to_clips(document, w3d.ImportOptions(**options), Report(), skeleton=skeleton)
    return Source(document, clips[index], index)


_MANIFEST = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
GOLDENS = {name: Golden(name, facts) for name, facts in _MANIFEST.items()}
