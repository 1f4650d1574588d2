"""Draws the icon of the extension's page: a hand of bones, and a curve with its handles over it.

    python tools/icon.py docs/pictures/store/icon.png      (a Python with bpy)

Everything is a line with round ends, measured in pixels of the 256 that the platform asks for; what it shows has to be
recognised at 64, so that there are few of them and all are thick.
"""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import bpy
import numpy as np

Pixels = np.ndarray[Any, np.dtype[np.float64]]
Point = tuple[float, float]

SIZE = 256
FINER = 4
"""How many times finer it is drawn than it is written."""

PLATE, PLATE_ROUND = "#24272e", 52.0
BONE, JOINT, CURVE, HANDLE, KEY = "#7d93b5", "#c9d6ea", "#ff9d2e", "#ffd9a3", "#ffffff"
WRIST = (132.0, 222.0)
FINGERS: tuple[tuple[Point, ...], ...] = (
    ((84.0, 188.0), (52.0, 158.0), (34.0, 128.0)),
    ((92.0, 144.0), (78.0, 98.0), (70.0, 56.0)),
    ((122.0, 136.0), (120.0, 82.0), (118.0, 34.0)),
    ((150.0, 144.0), (160.0, 96.0), (166.0, 54.0)),
    ((172.0, 162.0), (192.0, 126.0), (206.0, 96.0)),
)
"""Joints of the thumb and the fingers from the wrist on, from the left and from the top."""

BEZIER = ((26.0, 206.0), (92.0, 226.0), (142.0, 70.0), (230.0, 88.0))
"""A key, its right handle, the left handle of the next key, and that key."""


def colour(words: str) -> Pixels:
    """(3,) from 0 to 1 of #rrggbb."""
    return np.array([int(words[at : at + 2], 16) / 255.0 for at in (1, 3, 5)])


class Drawing:
    """A picture that grows: (size, size, 4) with straight alpha, from the top down."""

    def __init__(self) -> None:
        self.pixels = np.zeros((SIZE * FINER, SIZE * FINER, 4))
        middles = (np.arange(SIZE * FINER) + 0.5) / FINER
        self._x, self._y = np.meshgrid(middles, middles)

    def line(self, start: Point, end: Point, width: float, words: str) -> None:
        """Draw a line with round ends; a dot where both ends are one place."""
        along = np.subtract(end, start)
        length = max(float(along @ along), 1e-9)
        share = np.clip(((self._x - start[0]) * along[0] + (self._y - start[1]) * along[1]) / length, 0.0, 1.0)
        away = np.hypot(self._x - start[0] - share * along[0], self._y - start[1] - share * along[1])
        self._fill(away <= width / 2.0, words)

    def plate(self) -> None:
        """Draw the ground: a square with round corners."""
        inner = SIZE / 2.0 - PLATE_ROUND
        beyond = [np.maximum(np.abs(axis - SIZE / 2.0) - inner, 0.0) for axis in (self._x, self._y)]
        self._fill(np.hypot(*beyond) <= PLATE_ROUND, PLATE)

    def picture(self) -> Pixels:
        """(256, 256, 4): the mean of each pixel's parts."""
        parts = self.pixels.reshape(SIZE, FINER, SIZE, FINER, 4)
        alpha = parts[..., 3:].mean(axis=(1, 3))
        shown = (parts[..., :3] * parts[..., 3:]).mean(axis=(1, 3)) / np.maximum(alpha, 1e-9)
        return np.concatenate([shown, alpha], axis=2)

    def _fill(self, inside: np.ndarray[Any, np.dtype[np.bool_]], words: str) -> None:
        self.pixels[inside] = [*colour(words), 1.0]


def curve() -> list[Point]:
    """Points of the Bezier curve, close enough together for a smooth line."""
    time = np.linspace(0.0, 1.0, 48)
    weights = np.stack([(1.0 - time) ** 3, 3 * time * (1.0 - time) ** 2, 3 * time**2 * (1.0 - time), time**3], axis=1)
    return [(float(x), float(y)) for x, y in weights @ np.array(BEZIER)]


def draw() -> Pixels:
    """(256, 256, 4) of the whole icon, from the top down."""
    drawing = Drawing()
    drawing.plate()
    chains = [(WRIST, *finger) for finger in FINGERS]
    for chain in chains:
        for start, end in pairwise(chain):
            drawing.line(start, end, 15.0, BONE)
    for place in [WRIST, *(joint for finger in FINGERS for joint in finger)]:
        drawing.line(place, place, 21.0, JOINT)
    points = curve()
    for width, words in ((26.0, PLATE), (15.0, CURVE)):  # a dark rim parts the curve from the bones
        for start, end in pairwise(points):
            drawing.line(start, end, width, words)
    for key, handle in ((BEZIER[0], BEZIER[1]), (BEZIER[3], BEZIER[2])):
        drawing.line(key, handle, 5.0, HANDLE)
        drawing.line(handle, handle, 19.0, HANDLE)
        drawing.line(key, key, 30.0, CURVE)
        drawing.line(key, key, 17.0, KEY)
    return drawing.picture()


def save(pixels: Pixels, path: Path) -> None:
    """Write a PNG."""
    image = bpy.data.images.new(path.stem, SIZE, SIZE, alpha=True)
    image.pixels.foreach_set(np.ascontiguousarray(pixels[::-1], dtype=np.float32).ravel())
    image.file_format = "PNG"
    image.filepath_raw = str(path.absolute())
    image.save()


if __name__ == "__main__":
    save(draw(), Path(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)
