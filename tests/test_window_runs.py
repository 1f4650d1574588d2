"""A window that never came is tried once more, and told; a driver that failed has failed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from by_path import load

pytest.importorskip("fcntl")


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    """tests/gui/run.py as a module."""
    return load(Path(__file__).parent / "gui" / "run.py", "window_runner")


class Tree:
    """A tree in which Blender ends as told, each time in another way: with an exit code, begun or not."""

    def __init__(self, work: Path, ends: list[tuple[int, bool]]) -> None:
        self.work, self.ends = work, ends

    def prepare(self, archive: Path, driver: Path) -> None:
        (self.work / "out").mkdir(parents=True, exist_ok=True)
        (self.work / "out" / "begun").unlink(missing_ok=True)

    def screen(self, log: Path) -> Any:
        return pytest.MonkeyPatch.context()

    def blender(self, driver: Path, display: object, log: Path) -> int:
        code, begun = self.ends.pop(0)
        log.write_text(f"ended with {code}")
        if begun:
            (self.work / "out" / "begun").touch()
            (self.work / "out" / "status.json").write_text('{"error": ""}')
        return code


@pytest.mark.parametrize(
    ("ends", "problem", "told"),
    [
        pytest.param([(0, True)], False, False, id="well"),
        pytest.param([(3, True)], True, False, id="failed"),
        pytest.param([(1, False), (0, True)], False, True, id="not started once"),
        pytest.param([(1, False), (3, True)], True, True, id="not started, then failed"),
        pytest.param([(1, False), (1, False)], True, True, id="not started twice"),
    ],
)
def test_only_a_start_is_tried_once_more(
    runner: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    ends: list[tuple[int, bool]],
    problem: bool,
    told: bool,
) -> None:
    tree = Tree(tmp_path / "work", list(ends))
    found = runner.play(tree, tmp_path / "zip", tmp_path / "driver.py", tmp_path / "pictures")
    assert bool(found) == problem and tree.ends == []
    said = capsys.readouterr().out
    assert ("not started, once more: driver: Blender ended with 1" in said) == told
