"""Cuts the pictures of the docs from those that the window tests leave behind.

    make store test-gui SUITE=sid && python tools/pictures.py build/gui/sid docs/pictures      (a Python with bpy)

A part of the 3D view for each format, all of them side by side for the README, and the menus and panels.

    make store                                    or by itself:
    python tools/pictures.py --store build/gui/sid docs/pictures/store

The whole windows of tests/gui/store instead, for the extension's page.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np

Pixels = np.ndarray[Any, np.dtype[np.float32]]

FORMATS = {
    "mrtk": ("store/featured", (840, 80, 470, 500)),
    "w3d": ("store/w3d", (540, 72, 520, 585)),
    "animx": ("store/walk", (72, 165, 430, 620)),
}
"""A picture for each format (of `make store`), and left, top, width and height of the part of it."""
PARTS = {
    "import_menu": ("browser/file_import", (0, 0, 552, 600)),
    "import_options": ("browser/w3d_import_options", (1352, 72, 248, 290)),
    "drop": ("drop/0_dropped_on_view_3d", (370, 371, 326, 346)),
    "rig": ("own_rig/figure_walks", (330, 88, 982, 700)),
    "names": ("own_rig/names_menu", (219, 371, 495, 450)),
}
FINGER, CURVES = ("finger/glb", "finger/animj"), (286, 264, 1290, 708)
"""One finger's curves in two pictures of `make store`, and the part with the curves."""
STORE = ("featured", "w3d", "walk", "import")
"""The featured picture of the extension's page, and the previews."""

GAP, HEIGHT = 10, 480
QUALITY = 85
STORE_QUALITY = 92


def part_of(path: Path, place: tuple[int, int, int, int]) -> Pixels:
    """(height, width, 4) of a part of a picture of the screen, from the bottom up."""
    left, top, width, height = place
    downwards = whole(path)[::-1]
    return downwards[top : top + height, left : left + width][::-1]


def whole(path: Path) -> Pixels:
    """(height, width, 4) of a picture of the screen, from the bottom up."""
    return pixels_of(bpy.data.images.load(str(path.with_suffix(".png"))))


def pixels_of(picture: bpy.types.Image) -> Pixels:
    """(height, width, 4) of a picture, from the bottom up."""
    pixels = np.empty(4 * picture.size[0] * picture.size[1], np.float32)
    picture.pixels.foreach_get(pixels)
    return pixels.reshape(picture.size[1], picture.size[0], 4)


def side_by_side(parts: list[Pixels]) -> Pixels:
    """All of them in a row, with white between them."""
    gap = np.ones((len(parts[0]), GAP, 4), np.float32)
    row = [part for found in parts for part in (gap, found)]
    return np.concatenate(row[1:], axis=1)


def scaled(pixels: Pixels, height: int) -> bpy.types.Image:
    """A picture of that height."""
    made = bpy.data.images.new("Scaled", pixels.shape[1], pixels.shape[0])
    made.pixels.foreach_set(np.ascontiguousarray(pixels).ravel())
    made.scale(round(pixels.shape[1] * height / pixels.shape[0]), height)
    return made


def save(pixels: Pixels, path: Path, height: int, quality: int = QUALITY) -> None:
    """Write a JPEG of that height."""
    made = scaled(pixels, height)
    made.file_format = "JPEG"
    made.filepath_raw = str(path.absolute())
    made.save(quality=quality)


def main(source: Path, target: Path) -> None:
    """Cut and write all pictures."""
    parts = {name: part_of(source / picture, place) for name, (picture, place) in FORMATS.items()}
    for name, pixels in parts.items():
        save(pixels, target / f"{name}.jpg", HEIGHT)
    row = side_by_side([pixels_of(scaled(pixels, HEIGHT)) for pixels in parts.values()])
    save(row, target / "first_second.jpg", HEIGHT)
    save(side_by_side([part_of(source / picture, CURVES) for picture in FINGER]), target / "finger.jpg", HEIGHT)
    for name, (picture, place) in PARTS.items():
        save(part_of(source / picture, place), target / f"{name}.jpg", place[3])


def for_the_page(source: Path, target: Path) -> None:
    """Write the pictures of the extension's page as they are."""
    for name in STORE:
        pixels = whole(source / "store" / name)
        save(pixels, target / f"{name}.jpg", len(pixels), STORE_QUALITY)


if __name__ == "__main__":
    make = for_the_page if "--store" in sys.argv else main
    make(*map(Path, sys.argv[-2:]))
    sys.stdout.flush()
    os._exit(0)
