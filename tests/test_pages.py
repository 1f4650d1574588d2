"""Pages name what is there: files, functions, flags, targets of make, and the numpy of each Blender."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path

import pytest
import rooms_picture

SOURCE = Path(__file__).resolve().parent.parent
PAGES = [SOURCE / "README.md", SOURCE / "tools" / "readme_of_the_zip.md", *sorted((SOURCE / "docs").glob("*.md"))]
DEVELOPING = SOURCE / "docs" / "developing.md"
MAKEFILE = (SOURCE / "Makefile").read_text(encoding="utf-8")

CODE = re.compile(r"```[a-z]*\n(.*?)```|`([^`]+)`", re.DOTALL)
OURS = re.compile(
    r"(?<![\w./~$-])((?:io_formats|scene|pipeline|operators|tests|tools|docs|samples|\.ci)/[\w./-]*)(?![\w*<{])"
)
OF_A_FORMAT = re.compile(r"(?:mrtk|w3d|w3x|animx|interchange|clip|files|commands)/[\w/]+(?:\.py)?")
FILE = re.compile(r"\w+\.(?:py|sh|json|toml)")
NAME = re.compile(r"[A-Za-z_]\w{2,}")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
MAKE = re.compile(r"^(?:[A-Z_]+=\S+ )?make((?: [A-Z_]+=(?:\"[^\"]*\"|\S*)| [a-z][a-z-]*)+)", re.MULTILINE)
PLACEHOLDERS = {"NAME", "Name"}
"""Words of a page that a person replaces."""


def code_of(page: Path) -> list[str]:
    """What stands in code on a page, each piece on one line unless it is a block."""
    pieces = CODE.findall(page.read_text(encoding="utf-8"))
    return [block or " ".join(piece.split()) for block, piece in pieces]


def is_there(path: str) -> bool:
    """Whether a file or folder is there, a module with or without its ending."""
    found = SOURCE / path
    return found.exists() or found.with_name(f"{found.name}.py").is_file()


@cache
def words_of_the_code() -> set[str]:
    """All words in sources, scripts and settings, not those of pages, of this test and of data."""
    rooms = ("io_formats", "scene", "pipeline", "operators", "tests", "tools")
    files = [path for room in rooms for ending in ("py", "sh") for path in (SOURCE / room).rglob(f"*.{ending}")]
    files += [SOURCE / name for name in ("__init__.py", "Makefile", "pyproject.toml", ".ci/run")]
    texts = [path.read_text(encoding="utf-8") for path in files if path != Path(__file__)]
    stems = {part for path in files for part in path.relative_to(SOURCE).with_suffix("").parts}
    return stems | {word for text in texts for word in re.findall(r"--[a-z][a-z-]*|\w+", text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_of_ours_that_a_page_names_are_there(page: Path) -> None:
    named = {path for piece in code_of(page) for path in OURS.findall(piece) if "NAME" not in path}
    assert sorted(path for path in named if not is_there(path)) == []


def test_modules_of_formats_and_bare_file_names_of_the_developers_page_are_there() -> None:
    pieces = code_of(DEVELOPING)
    modules = [piece for piece in pieces if OF_A_FORMAT.fullmatch(piece)]
    assert modules
    assert [piece for piece in modules if not is_there(f"io_formats/{piece}")] == []
    files = {piece for piece in pieces if FILE.fullmatch(piece)}
    assert len(files) > 5
    assert sorted(name for name in files if next(SOURCE.glob(f"**/{name}"), None) is None) == []


def test_names_and_flags_of_the_developers_page_are_in_the_code() -> None:
    known = words_of_the_code() | PLACEHOLDERS
    pieces = code_of(DEVELOPING)
    names = {piece for piece in pieces if NAME.fullmatch(piece)}
    names |= {word for piece in pieces if re.fullmatch(r"[\w.]+(\(\w*\))?", piece) for word in NAME.findall(piece)}
    flags = {flag for piece in pieces for flag in FLAG.findall(piece)}
    assert {"keys_of", "import_loads", "processor_time"} - known == set()
    assert len(names) > 60 and len(flags) > 5
    assert sorted((names | flags) - known) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_says_of_make_is_in_the_makefile(page: Path) -> None:
    said = [word for piece in code_of(page) for words in MAKE.findall(piece) for word in shlex.split(words)]
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    variables = set(re.findall(r"\$\((?:or \$\()?([A-Z_]+)", MAKEFILE)) | {"FUZZ_PATIENCE"}
    assert [word for word in said if re.fullmatch("[a-z-]+", word) and word not in targets] == []
    assert [word for word in said if "=" in word and word[0].isupper() and word.split("=")[0] not in variables] == []
    if page == DEVELOPING:
        assert {"test", "demo", "lint", "types", "measure", "rooms"} <= set(said)


# --- Which numpy ------------------------------------------------------------------------------------------------------


def numpy_of(blender: str) -> str:
    """The numpy that the environment of a Blender has."""
    command = ["sh", "tools/environment.sh", "numpy", blender]
    return subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=True).stdout.strip()


def row(page: Path, begin: str) -> list[str]:
    """The cells of the line of a table that begins with a cell."""
    line = next(line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {begin} |"))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_the_pages_name_the_numpy_of_each_environment() -> None:
    (blenders,) = re.findall(r"^BLENDERS = (.*)$", MAKEFILE, re.MULTILINE)
    wanted = [numpy_of(blender) for blender in blenders.split()]
    assert row(SOURCE / "docs" / "safety.md", "numpy") == wanted
    for blender, numpy in zip(blenders.split(), wanted, strict=True):
        name = f"{blender} (default)" if blender == "5.0.1" else blender
        assert row(DEVELOPING, name)[1] == numpy.rpartition(".")[0]
    said = re.search(r"program ships \((.*?)\)", DEVELOPING.read_text(encoding="utf-8"))
    assert said is not None and re.findall(r"\d+\.\d+\.\d+", said[1]) == list(dict.fromkeys(wanted))


# --- The rooms --------------------------------------------------------------------------------------------------------


def test_the_picture_of_the_rooms_has_every_room() -> None:
    """A new package needs a box: `make rooms` fails for an import that leads into none."""
    files = [path for top in ("io_formats", "scene", "pipeline", "operators") for path in (SOURCE / top).rglob("*.py")]
    rooms = set(map(rooms_picture.room_of, files))
    drawn = (SOURCE / "docs" / "pictures" / "rooms.svg").read_text(encoding="utf-8")
    for picture in (rooms_picture.picture(), drawn):
        assert {room for room in rooms if f">{room}</text>" not in picture} == set()
