"""The games' archives: what they list, single files out of them, and which of one name counts."""

from __future__ import annotations

import os
import random
import shutil
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lay import Lay

from io_formats import open_file, w3d
from io_formats.__main__ import main
from io_formats.errors import FormatError, Report
from io_formats.files.whole_file import Folder
from io_formats.w3d.big_archive import is_entry, list_archive, read_file
from io_formats.w3d.skeleton import Contents, Library, SkeletonFinder, contents_of, folder_of, wanted_names

FOLDER = Path(__file__).resolve().parents[2] / "data" / "w3d_models"
GOLDEN = FOLDER / "art.big"


def archive(path: Path, *files: tuple[str, bytes], magic: bytes = b"BIGF") -> Path:
    """An archive laid by hand."""
    at = start = 16 + sum(8 + len(name) + 1 for name, _ in files)
    records = []
    for name, data in files:
        records.append(struct.pack(">II", at, len(data)) + name.encode("latin-1") + b"\0")
        at += len(data)
    head = magic + struct.pack("<I", at) + struct.pack(">II", len(files), start)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + b"".join(records) + b"".join(data for _, data in files))
    return path


def names_of(library: Library, hierarchy: str = "SKEL") -> list[tuple[str, str]]:
    """Name and file of each animation, the file relative to its last two parts."""
    return [(listed.name, Path(listed.path).name) for listed in library.listed([hierarchy])]


def warnings_of(library: Library) -> list[str]:
    report = Report()
    library.tell(report)
    return [str(entry) for entry in report.warnings]


@pytest.mark.parametrize("entry", ["Art/W3D/M02_SKIN.W3D", "art/w3d/m02_skl.w3d", "ART/W3D/M02_WLK.W3D"])
def test_the_golden_archive_gives_its_files_in_any_case_of_letters(entry: str) -> None:
    file = Path(entry).name.lower()
    assert is_entry(GOLDEN / entry) and contents_of(GOLDEN / entry) == contents_of(FOLDER / file)
    assert read_file(GOLDEN / entry) == open_file(GOLDEN / entry).written() == (FOLDER / file).read_bytes()


def test_what_is_made_of_an_entry_lies_beside_the_archive(tmp_path: Path) -> None:
    shutil.copy(GOLDEN, tmp_path)
    assert main(["convert", str(tmp_path / "art.big/ART/W3D/M02_WLK.W3D"), "--to", ".animx"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"art.big", "M02_WLK.animx"}


def test_folders_of_an_archive_are_listed_like_folders(tmp_path: Path) -> None:
    deep = archive(tmp_path / "a.big", ("A/b/C/d.w3d", b""))
    assert folder_of(deep / "a" / "B" / "c").ending_in(".w3d") == [deep / "A" / "b" / "C" / "d.w3d"]
    assert set(folder_of(GOLDEN).below) == {"art", "data"}
    assert set(folder_of(GOLDEN / "Art").below) == {"w3d", "textures"}
    held = folder_of(GOLDEN / "art" / "W3D").ending_in(".w3d")
    assert [path.name for path in held] == ["M02_SKIN.W3D", "M02_SKL.W3D", "M02_Wlk.w3d"]
    assert folder_of(GOLDEN / "no such folder") == Folder()


def test_a_file_is_no_entry_and_read_as_ever(tmp_path: Path) -> None:
    (tmp_path / "folder.big").mkdir()
    inside = tmp_path / "folder.big" / "walk.w3d"
    inside.write_bytes(b"bytes")
    assert not is_entry(inside)
    assert read_file(inside) == b"bytes"


@pytest.mark.parametrize("magic", [b"BIGF", b"BIG4"])
def test_of_one_name_in_an_archive_the_last_counts(tmp_path: Path, magic: bytes) -> None:
    path = archive(tmp_path / "a.big", ("", b""), ("Art\\A.w3d", b"first"), ("ART/a.W3D", b"last"), magic=magic)
    data = bytearray(path.read_bytes())
    data[16:20] = bytes(4)  # what is empty may be said to lie anywhere
    path.write_bytes(data)
    assert read_file(path / "art" / "a.w3d") == b"last"


def test_the_size_limit_counts_for_entries(tmp_path: Path) -> None:
    path = archive(tmp_path / "A.BIG", ("a.w3d", bytes(100)))
    with pytest.raises(FormatError, match="limit of 99"):
        read_file(path / "a.w3d", 99)


def test_packed_entries_are_named(tmp_path: Path) -> None:
    packed = ("packed.w3d", b"\x10\xfb" + bytes(60))
    path = archive(tmp_path / "a.big", packed, ("walk.w3d", Lay.animation()))
    with pytest.raises(FormatError, match="RefPack"):
        read_file(path / "packed.w3d")
    library = Library([tmp_path])
    assert names_of(library) == [("WALK", "walk.w3d")]
    assert warnings_of(library) == [f"{path}: 1 of its W3D files are packed (RefPack) and passed over"]


@pytest.mark.parametrize(("data", "found"), [(b"bytes", b"bytes"), (b"\x10\xfb" + bytes(60), None)])
def test_a_texture_comes_out_of_an_archive_but_not_a_packed_one(tmp_path: Path, data: bytes, found: Any) -> None:
    shutil.copy(FOLDER / "m02_skin.w3d", tmp_path)
    file, game = open_file(FOLDER / "m02_wlk.w3d"), archive(tmp_path / "game" / "a.big", ("wall.tga", data)).parent
    file.path, file.skeleton = tmp_path / "walk.w3d", w3d.read((FOLDER / "m02_skl.w3d").read_bytes())
    archive(game / "0.big", ("other.tga", b""))
    companions = w3d.FORMAT.companions(w3d.ImportOptions(), [game])
    (clip,) = file.to_clips(w3d.ImportOptions(), Report())
    (models,) = companions.models(file, [replace(clip, skeleton="OTHER"), clip], Report())
    picture = models.find_picture("wall.tga")
    assert (picture and picture.data) == found


def test_an_entry_that_is_not_there_is_named() -> None:
    with pytest.raises(FormatError, match=r"holds no file art/w3d/none\.w3d"):
        read_file(GOLDEN / "Art" / "W3D" / "None.w3d")
    with pytest.raises(FormatError, match=r"3 W3D files \(Art/W3D/M02_SKIN\.W3D, .*; name one as in a folder"):
        open_file(GOLDEN, limit=10)  # as it is not read


def test_animations_are_listed_with_what_they_last(tmp_path: Path) -> None:
    raw = Lay.animation(frames=12, rate=15, name="A")
    packed = Lay.compressed(frames=40, rate=30, name="B", skeleton="Skel")
    archive(tmp_path / "game" / "a.big", ("Art\\both.w3d", Lay.hierarchy() + raw + packed))
    (tmp_path / "game" / "other.w3d").write_bytes(Lay.animation(skeleton="OTHER"))
    found = Library([tmp_path / "game"]).listed(["skel"])
    assert [listed[:2] for listed in found] == [("A", 11 / 15), ("B", 39 / 30)]
    assert {listed.path for listed in found} == {str(tmp_path / "game" / "a.big" / "Art" / "both.w3d")}


def test_loose_files_beat_archives_and_the_first_archive_the_others(tmp_path: Path) -> None:
    def animation(name: str) -> bytes:
        return bytes(Lay.animation(name=name))

    last = ("Art\\1.w3d", animation("Z1")), ("Art\\2.w3d", animation("Z2")), ("3.w3d", animation("Z3"))
    archive(tmp_path / "Zz.big", *last)
    archive(tmp_path / "mod.big", ("art/1.W3D", animation("M1")), ("Art\\2.w3d", animation("M2")))
    (tmp_path / "art").mkdir()
    (tmp_path / "art" / "1.W3d").write_bytes(animation("LOOSE"))
    assert [name for name, _ in names_of(Library([tmp_path]))] == ["LOOSE", "M2", "Z3"]


def test_of_files_that_hold_a_skeleton_the_one_of_its_name_comes_first(tmp_path: Path) -> None:
    for name in ("a", "skel", "z"):
        (tmp_path / f"{name}.w3d").write_bytes(Lay.hierarchy())
    assert [path.stem for path in Library([tmp_path]).skeletons("Skel")] == ["skel", "a", "z"]


def test_what_changed_on_disk_is_seen(tmp_path: Path) -> None:
    archive(tmp_path / "a.big", ("1.w3d", Lay.animation(name="OLD")))
    assert names_of(Library([tmp_path])) == [("OLD", "1.w3d")]
    archive(tmp_path / "a.big", ("1.w3d", Lay.animation(name="NEW")), ("more.txt", b"more"))
    assert names_of(Library([tmp_path])) == [("NEW", "1.w3d")]
    archive(tmp_path / "a.big", ("2.w3d", Lay.animation(name="NEW")), ("more.txt", b"same"))
    os.utime(tmp_path / "a.big", (0, 0))
    assert names_of(Library([tmp_path])) == [("NEW", "2.w3d")]


def test_the_skeleton_is_found_in_the_animations_own_archive_and_in_those_of_the_library(tmp_path: Path) -> None:
    document = w3d.read((FOLDER / "m02_wlk.w3d").read_bytes())
    own = SkeletonFinder().skeleton_of(wanted_names(document), GOLDEN / "Art" / "W3D" / "M02_Wlk.w3d", Report())
    far = SkeletonFinder(library=Library([FOLDER])).skeleton_of(wanted_names(document), tmp_path / "walk.w3d", Report())
    wanted = (FOLDER / "m02_skl.w3d").read_bytes()
    assert own is not None and w3d.write(own) == wanted
    assert far is not None and w3d.write(far) == wanted
    assert SkeletonFinder().skeleton_of(wanted_names(document), tmp_path / "walk.w3d", Report()) is None


def test_only_the_start_of_a_file_is_read(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.big", ("1.w3d", Lay.animation()))
    with path.open("r+b") as file:
        file.truncate(3 << 30)  # a hole: of this size the large archives are
    assert names_of(Library([tmp_path])) == [("WALK", "1.w3d")]


# --- Damage -------------------------------------------------------------------------------------


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Cut, or with some bytes changed, most of them in the list."""
    changed = bytearray(data)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(200 if chance.random() < 0.8 else len(data))
        changed[at] = chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256)))
    return bytes(changed[: chance.randrange(len(data))] if chance.random() < 0.3 else changed)


def test_damaged_archives_are_one_sentence_and_never_more(tmp_path: Path) -> None:
    data, chance = GOLDEN.read_bytes(), random.Random(12)
    for number in range(1500):
        path = tmp_path / "game" / f"{number}.big"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(damaged(data, chance))
        held, library = list_archive(path), Library([path.parent])
        library.listed(["M02_SKL"])
        assert len(warnings_of(library)) == (held.problem is not None)
        size = path.stat().st_size
        assert all(entry.offset + entry.size <= size for entry in held.entries.values() if entry.size)
        for name in held.entries:
            try_to_read(path / name)
        path.unlink()


def try_to_read(path: Path) -> None:
    """Read an entry of a damaged archive, or be told why not."""
    try:
        read_file(path)
    except FormatError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("at", "value", "left"),
    [
        (8, 0xFFFFFFFF, 0),  # more entries than there is room for
        (16, 0xFFFFFFF0, 0),  # the first lies behind the end
        (20, 0xFFFFFFF0, 0),  # or is too long
        (16, 40, 0),  # or within the list
        (16 + 8 + 21, 0xFFFFFFF0, 1),  # the second lies behind the end
    ],
)
def test_the_list_counts_up_to_its_damage(tmp_path: Path, at: int, value: int, left: int) -> None:
    data = bytearray(GOLDEN.read_bytes())
    struct.pack_into(">I", data, at, value)
    (tmp_path / "a.big").write_bytes(data)
    held = list_archive(tmp_path / "a.big")
    assert len(held.entries) == left
    assert held.problem is not None and "a.big" in str(held.problem)


def test_a_name_that_does_not_end_is_told_with_its_place(tmp_path: Path) -> None:
    held = list_archive(archive(tmp_path / "a.big", ("a.w3d", b"data"), ("B" * 300, b"more")))
    assert list(held.entries) == ["a.w3d"]
    assert held.problem is not None and held.problem.offset == 16 + 8 + len("a.w3d") + 1


@pytest.mark.parametrize("content", [b"", b"BIGF", b"MIX1" + bytes(100)])
def test_what_is_no_archive_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.big").write_bytes(content)
    library = Library([tmp_path])
    assert names_of(library) == []
    (said,) = warnings_of(library)
    assert "not an archive" in said
    gone = list_archive(tmp_path / "gone.big")
    assert gone.entries == {} and "gone.big" in str(gone.problem)
    assert contents_of(tmp_path / "gone.w3d") == Contents()


def test_models_are_in_files_whose_first_four_letters_are_their_skeletons(tmp_path: Path) -> None:
    other = Lay.chunk(0x700, Lay.chunk(0x701, struct.pack("<II16s16s", 0x10000, 0, b"CAR", b"CAR_SKL")))
    for name in ("m02_.w3d", "M02_X.W3D", "m02.w3d"):
        (tmp_path / name).write_bytes((FOLDER / "m02_skin.w3d").read_bytes() + other)
    assert [path.name for path in Library([tmp_path]).models_on("M02_Skl")] == ["m02_.w3d", "M02_X.W3D"]
    beside = ["M02_X.W3D", "m02.w3d", "m02_.w3d"]
    for more, found in ((0, beside), (1997, beside), (1998, [beside[0], beside[2]])):  # of 2000 all are opened
        for number in range(more):
            (tmp_path / f"{number}.w3d").touch()
        models = SkeletonFinder().models_on(tmp_path / "walk.w3d", "M02_SKL")
        assert [path.name for path in models] == found
