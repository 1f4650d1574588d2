"""The zip holds what Blender runs, and nothing else; the wheel is of the same version."""

from __future__ import annotations

import importlib.util
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """tools/build.py as a module."""
    spec = importlib.util.spec_from_file_location("build_tool", SOURCE / "tools" / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def archive_of(folder: Path, *names: str) -> Path:
    """A zip with empty files of these names."""
    path = folder / "extension.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


def test_a_complete_zip_passes(tool: ModuleType, tmp_path: Path) -> None:
    assert tool.strangers(archive_of(tmp_path, *tool.WANTED, "scene/apply.py", "README.md")) == []


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


def test_the_wheel_has_the_version_of_the_extension() -> None:
    manifest, project = (
        tomllib.loads((SOURCE / name).read_text(encoding="utf-8"))
        for name in ("blender_manifest.toml", "pyproject.toml")
    )
    assert project["project"]["version"] == manifest["version"]
    assert project["project"]["license"] == manifest["license"][0].removeprefix("SPDX:")
