"""docs/developing.md: the way of one key there and back goes through the functions that the page names."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `([\w/]+\.py)` \| `(\w+)` \|", re.MULTILINE)


def rows(begin: str, end: str) -> list[tuple[str, str]]:
    """The files and functions of one table of the page."""
    page = (ROOT / "docs" / "developing.md").read_text(encoding="utf-8")
    return ROW.findall(page[page.index(begin) : page.index(end)])


@contextmanager
def entered(root: Path) -> Iterator[list[tuple[str, str]]]:
    """Which functions of ours run, in the order in which each has its first turn."""
    found: dict[tuple[str, str], None] = {}

    def hear(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(root):
                found.setdefault((path.relative_to(root).as_posix(), frame.f_code.co_name))

    told: list[tuple[str, str]] = []
    sys.setprofile(hear)
    try:
        yield told
    finally:
        sys.setprofile(None)
        told.extend(found)


def test_one_key_goes_there_and_back_as_the_page_says(
    bpy: Any, part: Callable[[str], Any], extension: Any, data: Path, tmp_path: Path
) -> None:
    root = Path(extension.__file__).parent
    with entered(root) as there:
        bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g01_raw_trim_vis.w3d"))
    ((_, curve), *_) = part("scene.actions").every_curve(bpy.data.actions[0])
    curve.keyframe_points[1].co.y += 0.25
    with entered(root) as back:
        bpy.ops.export_anim.w3d(filepath=str(tmp_path / "g01.w3d"))
    way, return_way = rows("### One key", "And back"), rows("And back", "### How to add")
    assert len(way) == 9 and len(return_way) == 11
    assert [row for row in way if row not in there] == []
    assert [row for row in return_way if row not in back] == []
