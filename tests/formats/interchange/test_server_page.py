"""The recipes of docs/server.md for containers and Ray run as they stand."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

SOURCE = Path(__file__).parents[3]
PAGE = (SOURCE / "docs" / "server.md").read_text(encoding="utf-8")
PARTS = 4


def block(kind: str, number: int = 0) -> str:
    """A block of code of the page, made for fewer parts."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[number].replace("100", str(PARTS))


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_every_part_does_its_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With Ray, whose parts count from 0; once more it has nothing to do."""
    (tmp_path / "takes").mkdir()
    for number in range(8):
        shutil.copy(SOURCE / "samples" / "walk.animj", tmp_path / "takes" / f"{number}.animj")
    (tmp_path / "part.sh").write_text(block("sh", 1), encoding="utf-8")
    program = tmp_path / "anim-curves"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m io_formats "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(remote=lambda own: SimpleNamespace(remote=own), get=list))
    monkeypatch.chdir(tmp_path)
    code = block("python").replace("/shared", str(tmp_path))
    made = {}
    for _ in range(2):
        exec(compile(code, "server.md", "exec"), {"__name__": "example"})
        poses = sorted((tmp_path / "poses").iterdir())
        made = made or {path.name: path.stat().st_mtime_ns for path in poses}
        assert made == {path.name: path.stat().st_mtime_ns for path in poses} and len(made) == 8
    rows = [path.read_text(encoding="utf-8").count('"output"') for path in (tmp_path / "results").iterdir()]
    assert len(rows) == PARTS and sum(rows) == 8


def test_the_job_of_kubernetes_has_as_many_parts_as_it_says() -> None:
    assert f"completions: {PARTS}\n" in block("yaml") and f'"{PARTS}", /shared]' in block("yaml")
