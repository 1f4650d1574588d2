"""The zip holds what Blender runs, and nothing else; the wheel is of the same version."""

from __future__ import annotations

import importlib
import importlib.util
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from by_path import load

import io_formats

SOURCE = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """tools/build.py as a module."""
    return load(SOURCE / "tools" / "build.py", "build_tool")


def archive_of(folder: Path, *names: str) -> Path:
    """A zip with empty files of these names."""
    path = folder / "extension.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


NUMPY = {(4, 2): "1.24.3", (4, 5): "1.26.4", (5, 0): "1.26.4", (5, 2): "2.3.4"}
"""What Blender's own program ships, by its `build_files/build_environment/cmake/versions.cmake`."""


def test_each_blender_is_tried_with_the_numpy_that_it_ships() -> None:
    """Its module takes whatever is newest, which once hid a traceback that people saw."""
    bpy = pytest.importorskip("bpy")
    assert importlib.import_module("numpy").__version__ == NUMPY[bpy.app.version[:2]]


def test_a_complete_zip_passes(tool: ModuleType, tmp_path: Path) -> None:
    assert tool.strangers(archive_of(tmp_path, *tool.WANTED, "scene/apply.py")) == []


@pytest.mark.parametrize("name", ["tests/test_build.py", "Makefile", ".ci/run", "build/x", "scene/__pycache__/a.pyc"])
def test_development_files_are_strangers(tool: ModuleType, tmp_path: Path, name: str) -> None:
    assert tool.strangers(archive_of(tmp_path, *tool.WANTED, name)) == [name]


def test_missing_files_are_told(tool: ModuleType, tmp_path: Path) -> None:
    assert tool.strangers(archive_of(tmp_path, *tool.WANTED[1:])) == [f"missing: {tool.WANTED[0]}"]


def test_the_real_zip(tool: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("bpy")
    archive = tool.build(tmp_path)
    names = set(zipfile.ZipFile(archive).namelist())
    modules = {path.relative_to(SOURCE).as_posix() for room in tool.FOLDERS for path in (SOURCE / room).rglob("*.py")}
    assert modules <= names
    assert "LICENSE" in names
    assert sorted(zipfile.ZipFile(archive).namelist()) == sorted(names)


def test_the_readme_of_the_zip_leads_to_nothing_outside_it(tool: ModuleType) -> None:
    words = tool.README.read_text(encoding="utf-8")
    assert "](" not in words and "docs/" not in words and "make " not in words


def test_the_manifest_is_what_the_platform_takes() -> None:
    """Rules of extensions.blender.org: taglines and permissions have 64 letters at most and no full stop at the end."""
    manifest = tomllib.loads((SOURCE / "blender_manifest.toml").read_text(encoding="utf-8"))
    for words in (manifest["tagline"], *manifest["permissions"].values()):
        assert len(words) <= 64 and words[-1].isalnum()
    assert len(manifest["tagline"]) < 60  # Blender 4.3 cuts more in its preferences, as wide as they open
    for name in ("MRTK", "HoloLens", "W3D", "Command & Conquer", "Resonite", "AnimX"):
        assert name in manifest["tagline"]


def test_the_wheel_has_the_version_of_the_extension() -> None:
    manifest, project = (
        tomllib.loads((SOURCE / name).read_text(encoding="utf-8"))
        for name in ("blender_manifest.toml", "pyproject.toml")
    )
    assert io_formats.__version__ == manifest["version"]
    assert project["project"]["license"] == manifest["license"][0].removeprefix("SPDX:")
