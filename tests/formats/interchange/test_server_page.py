"""The recipes of docs/server.md for containers and Ray run as they stand, and the examples of the wheel's README."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

SOURCE = Path(__file__).parents[3]
PAGE = (SOURCE / "docs" / "server.md").read_text(encoding="utf-8")
PARTS = 4
INDEXES = ("JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX", "BATCH_TASK_INDEX")
"""Where Kubernetes, AWS Batch and Google's Batch say which part of an array is which, counted from 0."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")


def block(kind: str, number: int = 0) -> str:
    """A block of code of the page, made for fewer parts."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[number].replace("100", str(PARTS))


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with eight recordings and the script, and the program on the path."""
    (tmp_path / "takes").mkdir()
    for number in range(8):
        shutil.copy(SOURCE / "samples" / "walk.animj", tmp_path / "takes" / f"{number}.animj")
    (tmp_path / "part.sh").write_text(block("sh", 1), encoding="utf-8")
    program = tmp_path / "bin" / "anim-curves"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m io_formats "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    return tmp_path


def made_in(shared: Path) -> dict[str, int]:
    """When each file was made; each has a row in the results of its part."""
    rows = [path.read_text(encoding="utf-8").count('"output"') for path in (shared / "results").iterdir()]
    made = {path.name: path.stat().st_mtime_ns for path in (shared / "poses").iterdir()}
    assert len(rows) == PARTS and sum(rows) == len(made) == 8
    return made


def test_every_part_does_its_own_files(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the image of the Containerfile with the arguments of the job; then in Ray, which finds nothing left to do."""
    entry = re.search(r'^ENTRYPOINT \["sh", "/(part\.sh)"\]$', block("dockerfile"), re.MULTILINE)
    arguments = re.search(r"^ +args: \[(.*)\]$", block("yaml"), re.MULTILINE)
    assert entry and arguments and f"completions: {PARTS}\n" in block("yaml")
    given = shlex.split(arguments[1].replace(",", " ").replace("/shared", str(shared)))
    for part in range(PARTS):
        environment = {**os.environ, INDEXES[part % len(INDEXES)]: str(part)}
        subprocess.run(["sh", str(shared / entry[1]), *given], env=environment, check=True, timeout=60)
    made = made_in(shared)
    try:
        import ray
    except ImportError:  # as everywhere but in `make test-cluster`
        ray = SimpleNamespace(remote=lambda own: SimpleNamespace(remote=own), get=list)
        monkeypatch.setitem(sys.modules, "ray", ray)
    code = block("python").replace("/shared", str(shared))
    exec(compile(code, "server.md", "exec"), {"__name__": "example"})
    assert made_in(shared) == made


def test_the_readme_of_the_wheel_runs_from_top_to_bottom(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(SOURCE / "samples" / "two_hands_mrtk_1.1.bin", shared / "take.bin")
    text = (SOURCE / "tools" / "readme_of_the_wheel.md").read_text(encoding="utf-8")
    commands = re.findall(r"^anim-curves .*", text, re.MULTILINE)
    (example,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    needs = {".parquet": "pyarrow", ".svg": "matplotlib"}
    missing = [ending for ending, name in needs.items() if importlib.util.find_spec(name) is None]
    for command in [one for one in commands if not one.endswith(tuple(missing))]:
        subprocess.run(command, shell=True, cwd=shared, check=True, timeout=60)
    assert len(list((shared / "arrays").iterdir())) == 8
    monkeypatch.chdir(shared)
    exec(compile(example, "README.md", "exec"), {"__name__": "example"})
