"""What references for W3D and W3X share: drawn numbers, ways between two, what a clip shows and what was told."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import plain
from textbook import rotation

from io_formats.clip import ROTATION, Clip, Track
from io_formats.errors import Report


def numbers(rng: plain.Rng, width: int, count: int) -> Any:
    """(count, width) float32: any numbers, or turns that are near each other or not, with signs as they come."""
    if width == 1:
        return rng.normal(size=(count, 1)).astype("<f4") * np.float32(3)
    turns = np.cumsum(rng.normal(size=(count, 4)) * rng.choice((0.02, 1.0)), axis=0) + rng.normal(size=4)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True) * rng.choice((1.0, -1.0), (count, 1))
    turns[rng.random(count) < 0.02] = 0.0
    return turns.astype("<f4")


def mixed(left: list[float], right: list[float], part: float, *, arc: bool) -> list[float]:
    """A value between two; turns the short way, along the great arc or a straight line."""
    cosine, turns = sum(a * b for a, b in zip(left, right)), len(left) == 4
    if turns and cosine < 0:
        right, cosine = [-one for one in right], -cosine
    angle = math.acos(min(cosine, 1.0)) if turns and arc else 0.0
    shares = (1 - part, part) if angle < 1e-4 else (math.sin((1 - part) * angle), math.sin(part * angle))
    return [a * shares[0] + b * shares[1] for a, b in zip(left, right)]


def degrees(found: Any, wanted: Any) -> float:
    """Between two turns of any length."""
    apart = rotation(found).T @ rotation(wanted)
    return math.degrees(2 * math.asin(min(np.linalg.norm(apart - np.eye(3)) / math.sqrt(8), 1.0)))


def moved(clip: Clip, spot: Track, row: int, at: float) -> list[float]:
    """What a clip shows on a frame of a component, or of a turn (x, y, z, w); keys where float32 means them."""
    of = [track for track in clip.tracks if (track.node, track.property) == (spot.node, spot.property)]
    rows = [one.but(times=np.rint(one.times * clip.rate * 64) / 64 / clip.rate) for track in of for one in track.rows()]
    found = {one.component: plain.value(one, at / clip.rate)[0] for one in rows}
    return [found.get(one, float(one == 0)) for one in ((1, 2, 3, 0) if spot.property == ROTATION else (row,))]


def sayings(report: Report) -> Counter[Any]:
    """What was told, by sentence, with what of."""
    told: Counter[Any] = Counter()
    for entry in report.warnings:
        values = entry.values
        key = (entry.template, values["type"], values["width"]) if "width" in values else entry.template
        told[key] += entry.count * int(str(values.get("channels") or values.get("keys") or values.get("pivots") or 1))
    return told
