"""Pivots as bones: names, rests, lengths; and the way to the skeleton file."""

from __future__ import annotations

import os
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from lay import Lay
from work import work_of

from io_formats import FormatError, w3d
from io_formats.clip.bone_names import cut_names
from io_formats.errors import Report
from io_formats.w3d.skeleton import SkeletonFinder, wanted_names


def nodes_of(data: bytes, report: Report | None = None) -> Any:
    return w3d.to_clips(w3d.read(data), w3d.ImportOptions(), report or Report())[0].nodes


def test_empty_and_double_names_become_unique() -> None:
    nodes = nodes_of(Lay.hierarchy(["ROOTTRANSFORM", "ARM", "ARM", "", "ARM.001", "ARM"]) + Lay.animation())
    names = [node.name for node in nodes]
    assert len(set(names)) == 6 and all(names)
    assert (names[:2], names[4]) == (["ROOTTRANSFORM", "ARM"], "ARM.001")
    assert cut_names(["Stra\u00dfe", "abcdefghijklmn.p"]) == ["STRA\u00dfE", "ABCDEFGHIJKLMN"]


@pytest.mark.parametrize("name", ["BONE", ""])
def test_many_pivots_of_one_name_take_no_longer_each(name: str) -> None:
    def names_of(count: int) -> set[str]:
        data = Lay.hierarchy(["ROOTTRANSFORM", *[name] * count], [-1] + [0] * count) + Lay.animation()
        return {node.name for node in nodes_of(data)}

    assert work_of(lambda: names_of(2000)) <= 2.2 * work_of(lambda: names_of(1000))
    assert len(names_of(65_000)) == 65_001


def test_thousands_of_animations_for_as_many_skeletons_take_no_longer_each() -> None:
    def clips_of(count: int) -> tuple[list[Any], int]:
        """Twice as many animations as skeletons; the clips and how many warnings there were."""
        moves = Lay.raw(0, [0.0, 1.0], 0, 1)
        walks = [Lay.animation(moves, skeleton=f"SK{at}", frames=2) for at in range(2 * count)]
        skeletons = [Lay.hierarchy(name=f"SK{at}") for at in range(count)]
        report = Report()
        clips = list(w3d.to_clips(w3d.read(b"".join(walks + skeletons)), w3d.ImportOptions(), report))
        return clips, sum(entry.count for entry in report.warnings)

    assert work_of(lambda: clips_of(200)) <= 2.2 * work_of(lambda: clips_of(100))
    clips, warnings = clips_of(2500)
    assert sum(clip.rests_known for clip in clips) == 5000
    assert warnings == 2500, "those that found another one only"


# --- Look-up ------------------------------------------------------------------------------------


def placed(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def found_first(path: Path, name: str) -> Path | None:
    finder = SkeletonFinder()
    document = finder.skeleton_of([name], path, Report())
    return None if document is None else finder.path_of(document, path)


@pytest.mark.parametrize(
    "place",
    ["SKEL.w3d", "skel.W3D", "other_name.w3d", "../Skel.w3d", "../whatever.w3d", "../sk/skel.w3d", "sk/skel.w3d"],
)
def test_the_skeleton_is_found(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "art" / "anims"
    placed(
        folder, {"walk.w3d": Lay.animation(), "unrelated.w3d": Lay.hierarchy(name="NOPE"), "broken.w3d": b"\0\1\0\0zz"}
    )
    placed(folder, {place: Lay.chunk(0, bytes(40)) + Lay.hierarchy()})
    if Path(place).stem.lower() == "skel":  # which comes first, wherever it is
        placed(folder, {"another.w3d": Lay.hierarchy()})
    found = found_first(folder / "walk.w3d", "SKEL")
    assert found is not None
    assert found.resolve() == (folder / place).resolve()


def test_a_file_of_the_right_name_without_the_skeleton_is_passed_over(tmp_path: Path) -> None:
    files = {"skel.w3d": Lay.hierarchy(name="NOPE"), "zz.w3d": Lay.hierarchy(), "zzz.w3d": Lay.hierarchy()}
    placed(tmp_path, {"walk.w3d": Lay.animation(), **files})
    assert found_first(tmp_path / "walk.w3d", "SKEL") == tmp_path / "zz.w3d"
    placed(tmp_path / "anims", {"walk.w3d": Lay.animation(), "a.w3d": Lay.hierarchy()})  # beside it before above it
    assert found_first(tmp_path / "anims" / "walk.w3d", "SKEL") == tmp_path / "anims" / "a.w3d"


@pytest.mark.parametrize("odd", ["pipe", "circle of links", "folder"])
def test_what_is_no_file_beside_the_file_is_passed_over(tmp_path: Path, odd: str) -> None:
    placed(tmp_path, {"walk.w3d": Lay.animation(), "zz.w3d": Lay.hierarchy()})
    if odd == "folder":
        placed(tmp_path, {"skel.w3d/inside.w3d": b""})
    elif odd == "pipe" and hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "skel.w3d")
    else:
        for name in ("sk", "skel.w3d"):
            (tmp_path / name).symlink_to(tmp_path / name)
    assert found_first(tmp_path / "walk.w3d", "SKEL") == tmp_path / "zz.w3d"


@pytest.mark.parametrize("content", ["zeros", "empty chunks"])
def test_a_large_file_of_nothing_costs_no_more_than_a_small_one(tmp_path: Path, content: str) -> None:
    """Nor does any of it come into memory. The folder above, which is looked into as well, holds nothing else."""
    folder = tmp_path / "game" / "art"
    folder.mkdir(parents=True)

    def lay_out(size: int) -> None:
        with (folder / "skel.w3d").open("wb") as file:
            if content == "zeros":
                file.truncate(size)  # takes no room on the disk
            else:
                file.write(struct.pack("<II", 0x7777, 0) * min(size >> 3, 1 << 21))

    def find() -> None:
        assert found_first(folder / "walk.w3d", "SKEL") == folder / "zz.w3d"

    placed(folder, {"walk.w3d": Lay.animation(), "zz.w3d": Lay.hierarchy()})
    lay_out(1 << 20)
    small = work_of(find)
    lay_out(1 << 30)
    tracemalloc.start()
    try:
        assert work_of(find) <= 1.1 * small
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1 << 20


def test_a_damaged_skeleton_beside_the_file_is_told_and_the_next_one_taken(tmp_path: Path) -> None:
    bare, report, finder = w3d.read(Lay.animation()), Report(), SkeletonFinder()
    placed(tmp_path, {"walk.w3d": Lay.animation(), "skel.w3d": Lay.hierarchy()[:-1]})
    assert finder.skeleton_of(wanted_names(bare), tmp_path / "walk.w3d", report) is None
    assert [str(tmp_path / "skel.w3d") in str(entry) for entry in report.warnings] == [True]
    placed(tmp_path / "anims", {"walk.w3d": Lay.animation(), "zz.w3d": Lay.hierarchy()})
    found = finder.skeleton_of(wanted_names(bare), tmp_path / "anims" / "walk.w3d", report)
    assert found == w3d.read(Lay.hierarchy())


def test_nothing_is_looked_for_when_the_file_has_its_skeleton(tmp_path: Path) -> None:
    placed(tmp_path, {"skel.w3d": Lay.hierarchy()})
    own, bare = w3d.read(Lay.hierarchy() + Lay.animation()), w3d.read(Lay.animation())
    finder, report = SkeletonFinder(), Report()
    assert finder.skeleton_of(wanted_names(own), tmp_path / "walk.w3d", report) is None
    found = finder.skeleton_of(wanted_names(bare), tmp_path / "walk.w3d", report)
    assert found is not None
    assert found.hierarchies[0].name == "SKEL"
    assert "skel.w3d" in str(report.notes[0])
    assert finder.skeleton_of(wanted_names(bare), tmp_path / "else" / "walk.w3d", report) is found


def test_a_chosen_file_is_taken_and_a_missing_one_named(tmp_path: Path) -> None:
    placed(tmp_path, {"chosen.w3d": Lay.hierarchy(name="OTHER")})
    bare = w3d.read(Lay.animation())
    found = SkeletonFinder().skeleton_of(
        wanted_names(bare), tmp_path / "walk.w3d", Report(), str(tmp_path / "chosen.w3d")
    )
    assert found is not None
    assert found.hierarchies[0].name == "OTHER"
    with pytest.raises(FormatError) as caught:
        SkeletonFinder().skeleton_of(wanted_names(bare), tmp_path / "walk.w3d", Report(), str(tmp_path / "gone.w3d"))
    assert "gone.w3d" in str(caught.value)
