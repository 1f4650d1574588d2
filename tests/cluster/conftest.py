"""A program `blender` on the path, as the machines of a cluster have one, made of Blender's module."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from by_path import load

SOURCE = Path(__file__).resolve().parents[2]
BLENDER = """
import os, sys
import bpy, addon_utils
addon_utils.enable("bl_ext.user_default.io_anim_curves")
from bl_ext.user_default.io_anim_curves.operators.command_line import main
code = main(sys.argv[3:])
sys.stdout.flush()
os._exit(code)
"""
"""What `blender --command anim_curves` does."""


@pytest.fixture
def blender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program, with this extension installed."""
    python = os.environ.get("BLENDER_PYTHON", "")
    if not python:
        pytest.skip("BLENDER_PYTHON names the Python with Blender's module, as make test-cluster does")
    extensions = tmp_path / "user" / "extensions" / "user_default"
    extensions.mkdir(parents=True)
    (extensions / "io_anim_curves").symlink_to(SOURCE, target_is_directory=True)
    program = tmp_path / "bin" / "blender"
    program.parent.mkdir()
    call = shlex.join([str(SOURCE / python), "-c", BLENDER])
    program.write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("BLENDER_USER_RESOURCES", str(tmp_path / "user"))
    return program


@pytest.fixture
def write_takes() -> Callable[[Path, int, int], tuple[set[str], set[str]]]:
    """A writer of ten days of recordings with the same names; tells which are whole, and which are cut in half."""
    sample = load(SOURCE / "tests" / "benchmarks" / "recordings.py").recording(0.3, full=False)

    def write(folder: Path, count: int, damaged_every: int) -> tuple[set[str], set[str]]:
        good, damaged = set(), set()
        for number in range(count):
            name, cut = f"day {number % 10}/take_{number // 10:02d}", number % damaged_every == damaged_every - 1
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.bin").write_bytes(sample[: len(sample) // 2] if cut else sample)
            (damaged if cut else good).add(name)
        return good, damaged

    return write
