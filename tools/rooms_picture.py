"""Draws the rooms of the house for docs/developing.md: who imports whom, and how much, from the sources themselves.

python tools/rooms_picture.py docs/pictures/rooms.svg
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from house_counts import imported

SOURCE = Path(__file__).resolve().parent.parent
FLOORS = (
    ("operators",),
    ("pipeline",),
    ("scene", "scene/capture"),
    ("mrtk", "w3d", "w3x", "animx", "interchange"),
    ("io_formats", "files", "commands"),
    ("clip",),
)
"""From the roof down: no arrow leads up but from the registry in `io_formats` to the formats."""
TOLD = {
    "operators": "what a person touches",
    "pipeline": "files in and out of Blender",
    "scene": "clips into F-Curves",
    "scene/capture": "F-Curves into clips",
    "io_formats": "contract, registry, options",
    "interchange": "what other programs read",
    "files": "files on disk",
    "commands": "what command lines share",
    "clip": "the model and its algebra",
}
WIDTH, BOX, HEIGHT, FLOOR = 1000, 190, 46, 96


def room_of(path: Path) -> str:
    """Return the room of a module: its package, without `io_formats/` before it."""
    parts = path.relative_to(SOURCE).parts[:-1]
    inner = parts[1:] if parts[0] == "io_formats" and len(parts) > 1 else parts
    return "/".join(parts[:2]) if parts[:2] == ("scene", "capture") else inner[0]


def arrows() -> Counter[tuple[str, str]]:
    """Return how many imports lead from one room to another."""
    found: Counter[tuple[str, str]] = Counter()
    for top in ("io_formats", "scene", "pipeline", "operators"):
        for path in (SOURCE / top).rglob("*.py"):
            found.update((room_of(path), room_of(other)) for other in imported(path))
    return Counter({pair: count for pair, count in found.items() if pair[0] != pair[1]})


def positions() -> dict[str, tuple[int, int]]:
    """Return the centre of each room's box."""
    found = {}
    for level, floor in enumerate(FLOORS):
        for number, room in enumerate(floor):
            found[room] = (WIDTH * (2 * number + 1) // (2 * len(floor)), 40 + level * FLOOR)
    return found


def picture() -> str:
    """Return the whole picture as SVG; a thicker arrow is more imports."""
    centres = positions()
    lines = [_arrow(centres[start], centres[end], count) for (start, end), count in sorted(arrows().items())]
    boxes = [_box(room, *centre) for room, centre in centres.items()]
    height = 40 + FLOOR * (len(FLOORS) - 1) + HEIGHT
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">'
    ground = f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, ground, *lines, *boxes, "</svg>", ""])


def _arrow(start: tuple[int, int], end: tuple[int, int], count: int) -> str:
    (left, top), (right, bottom) = start, end
    middle = (top + bottom) // 2
    width = 1 + min(count, 60) / 12
    return (
        f'<path d="M{left},{top} C{left},{middle} {right},{middle} {right},{bottom}" fill="none" '
        f'stroke="#9aa7b8" stroke-width="{width:.1f}" opacity="0.7"/>'
    )


def _box(room: str, x: int, y: int) -> str:
    half, told = BOX // 2, TOLD.get(room, "bytes and clips of a format")
    return (
        f'<rect x="{x - half}" y="{y - HEIGHT // 2}" width="{BOX}" height="{HEIGHT}" rx="8" fill="#eef3fa" '
        f'stroke="#3c5a80"/><text x="{x}" y="{y - 3}" text-anchor="middle" font-size="15" fill="#1c2b40">{room}</text>'
        f'<text x="{x}" y="{y + 14}" text-anchor="middle" font-size="11" fill="#54657d">{told}</text>'
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")
