"""What is uploaded to the extension's page has the formats and sizes that the page takes (docs/release.md)."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "store"
PICTURES = ("featured.jpg", "import.jpg", "w3d.jpg", "walk.jpg")
LARGEST = 1 << 20
COLOUR_WITH_ALPHA = 6
"""Colour type of a PNG."""

FRAMES_OF_JPEG = {0xC0, 0xC1, 0xC2}
"""Markers of the segments that say a JPEG's size: baseline, extended, progressive."""


def size_of_jpeg(data: bytes) -> tuple[int, int]:
    """Width and height, from the first frame."""
    assert data[:2] == b"\xff\xd8" and data[-2:] == b"\xff\xd9"
    at = 2
    while data[at + 1] not in FRAMES_OF_JPEG:
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    height, width = struct.unpack_from(">2H", data, at + 5)
    return width, height


def test_nothing_is_missing_and_nothing_is_left_over() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted([*PICTURES, "icon.png"])


def test_the_icon_is_a_png_of_256_pixels_with_alpha() -> None:
    data = (FOLDER / "icon.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR"
    width, height, depth, colours = struct.unpack_from(">2I2B", data, 16)
    assert (width, height, depth, colours) == (256, 256, 8, COLOUR_WITH_ALPHA)
    assert len(data) < LARGEST


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_jpegs_of_1920_by_1080(name: str) -> None:
    data = (FOLDER / name).read_bytes()
    assert size_of_jpeg(data) == (1920, 1080)
    assert len(data) < LARGEST
