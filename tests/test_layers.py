"""Who may import whom: io_formats <- scene <- pipeline <- operators, and never back; lazy imports count too."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent
FORMATS = ("mrtk", "w3d", "w3x", "animx")
ROOMS = ("io_formats", "scene", "pipeline", "operators")
BLENDER = {
    "addon_utils", "aud", "bl_ext", "bl_operators", "bl_pkg", "bl_ui", "blf", "bmesh", "bpy", "bpy_extras", "gpu",
    "gpu_extras", "idprop", "imbuf", "mathutils", "nodeitems_utils", "rna_prop_ui",
}  # fmt: skip
NETWORK = {
    "asyncio", "ftplib", "http", "imaplib", "poplib", "requests", "smtplib", "socket", "socketserver", "ssl",
    "urllib", "webbrowser", "xmlrpc",
}  # fmt: skip
RUNS_CODE = {"code", "codeop", "ctypes", "dbm", "marshal", "pickle", "runpy", "shelve"}
OPTIONAL = {"takes.py": "pyarrow", "looks.py": "matplotlib"}
"""What a person installs for the program alone, by the module that asks for it."""

PROCESSES = {"multiprocessing", "os.exec", "pty", "subprocess"}


@dataclass(frozen=True)
class Import:
    """One import: where it stands, and what it asks for, relative to the extension's root where it is ours."""

    file: str
    line: int
    name: str
    relative: bool

    @property
    def top(self) -> str:
        """The first part of the name."""
        return self.name.split(".")[0]

    @property
    def format(self) -> str:
        """The format package that it reaches into, empty for none."""
        parts = self.name.split(".")
        return parts[1] if self.relative and parts[0] == "io_formats" and parts[1:2] and parts[1] in FORMATS else ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.name}"


def imports_of(file: str, text: str) -> Iterator[Import]:
    """Every import of a source file, at any depth, also those asked for by name at run time."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (Import(file, node.lineno, alias.name, False) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _from_imports(file, node)
        elif isinstance(node, ast.Call):
            yield from _imports_by_name(file, node)


def _from_imports(file: str, node: ast.ImportFrom) -> Iterator[Import]:
    for alias in node.names:
        if node.level == 0:
            yield Import(file, node.lineno, f"{node.module}.{alias.name}", False)
            continue
        folder = list(Path(file).parent.parts)
        base = folder[: len(folder) - (node.level - 1)] if node.level - 1 <= len(folder) else ["outside"]
        parts = [*base, *([node.module] if node.module else []), alias.name]
        yield Import(file, node.lineno, ".".join(parts), True)


def _imports_by_name(file: str, node: ast.Call) -> Iterator[Import]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called in {"import_module", "__import__"} and node.args and isinstance(node.args[0], ast.Constant):
        name = str(node.args[0].value)
        yield Import(file, node.lineno, name.lstrip("."), False)


def complaint(found: Import) -> str:
    """Why this import is not allowed where it stands; empty if it is."""
    room = Path(found.file).parts[0]
    if not found.relative and found.top in (*ROOMS, "io_anim_curves"):
        return "the extension is imported by relative imports only"
    if found.top in NETWORK:
        return "the extension opens no connection"
    if found.top in RUNS_CODE:
        return "the extension runs nothing that comes from a file"
    if found.top in PROCESSES and room != "operators":
        return "only the command line starts processes"
    return _complaint_of_room(room, found)


def _complaint_of_room(room: str, found: Import) -> str:
    if room == "io_formats":
        return _complaint_of_formats(found)
    if room == "scene" and found.relative and found.top not in ("io_formats", "scene"):
        return "scene knows io_formats only"
    if room == "scene" and found.format:
        return "scene knows no format"
    if room == "pipeline" and found.relative and found.top not in ("io_formats", "scene", "pipeline"):
        return "pipeline knows io_formats and scene only"
    if not found.relative and found.top not in BLENDER | sys.stdlib_module_names | {"numpy"}:
        return "not a part of Blender's Python"
    return ""


def _complaint_of_formats(found: Import) -> str:
    parts = Path(found.file).parts
    own = parts[1] if parts[1] in FORMATS else ""
    if not found.relative and found.top not in sys.stdlib_module_names | {"numpy", OPTIONAL.get(parts[-1])}:
        return "io_formats knows numpy and the standard library only"
    if found.relative and found.top != "io_formats":
        return "io_formats knows nothing outside itself"
    if found.format and found.format != own and parts[1] not in ("__init__.py", "__main__.py"):
        return "no format knows another, and the common modules know none"
    return ""


def sources() -> list[Path]:
    """The files that Blender runs."""
    return [SOURCE / "__init__.py", *(path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py")))]


def test_imports_keep_to_their_room() -> None:
    complaints = [
        f"{found}: {reason}"
        for path in sources()
        for found in imports_of(path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8"))
        if (reason := complaint(found))
    ]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("io_formats/clip/curve.py", "def f():\n    import bpy\n"),
        ("io_formats/clip/curve.py", "from mathutils import Vector"),
        ("io_formats/clip/curve.py", "from ...scene import apply"),
        ("io_formats/clip/curve.py", "from ..mrtk import read"),
        ("io_formats/clip/curve.py", "import scipy"),
        ("io_formats/clip/curve.py", "import io_formats.clip"),
        ("io_formats/w3d/read.py", "from ..animx import lz4_stream"),
        ("io_formats/w3d/read.py", "from .. import animx"),
        ("io_formats/w3d/read.py", "import importlib\nimportlib.import_module('bpy')"),
        ("io_formats/w3d/read.py", "from ...operators import menus"),
        ("scene/apply.py", "from ..io_formats.w3d import to_clip"),
        ("scene/apply.py", "from ..io_formats import mrtk"),
        ("scene/apply.py", "from .. import operators"),
        ("scene/apply.py", "import pickle"),
        ("scene/apply.py", "import subprocess"),
        ("pipeline/import_files.py", "from ..operators.preferences import game_folders"),
        ("pipeline/results.py", "def f():\n    from ..operators import reporting"),
        ("operators/menus.py", "def f():\n    from urllib.request import urlopen"),
        ("operators/menus.py", "import scene.apply"),
    ],
)
def test_each_rule_bites(file: str, text: str) -> None:
    assert any(complaint(found) for found in imports_of(file, text))


def code_runners(text: str) -> list[int]:
    """Lines that run code held in data: eval, exec, compile."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"eval", "exec", "compile"}
    ]


def test_nothing_from_a_file_is_run() -> None:
    found = {path.name: code_runners(path.read_text(encoding="utf-8")) for path in sources()}
    assert not {name: lines for name, lines in found.items() if lines}
    assert code_runners("x = eval('1')") == [1]


WITHOUT_BLENDER = f"""
import importlib, pkgutil, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {sorted(BLENDER)!r}:
            raise ImportError(f"{{name}} is Blender's")

sys.meta_path.insert(0, Refuse())
import io_formats
names = [found.name for found in pkgutil.walk_packages(io_formats.__path__, "io_formats.")]
for name in names:
    if not name.endswith(("__main__", "takes")):  # the one that needs what a person installs
        importlib.import_module(name)
from io_formats.__main__ import main
assert not [name for name in sys.modules if name.split(".")[0] in {sorted(BLENDER)!r}]
sys.exit(main(["verify", *sys.argv[1:]]))
"""


def test_formats_run_without_blender(data: Path) -> None:
    files = [next(iter(sorted((data / name).glob(pattern)))) for name, pattern in _ONE_OF_EACH.items()]
    command = [sys.executable, "-c", WITHOUT_BLENDER, *map(str, files)]
    run = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("the same") == len(FORMATS)


_ONE_OF_EACH = {"mrtk": "*.bin", "w3d": "*.w3d", "w3x": "*.w3x", "animx": "*.animx"}
