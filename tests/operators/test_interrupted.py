"""An import that is interrupted, at whatever line it is, is taken back whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("bpy")
from blend_census import census, differences
from cases import slow_but
from interrupting import InterruptedTestError, Line, watching

Part = Callable[[str], Any]

FILES = {
    "w3d": "w3d/g02_tc_default.w3d",
    "animx": "animx/16_properties_vt.animx",
    "mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
}
"""The quickest first: a line is tried with the first that runs it."""
OPTIONS = {"existing": "REPLACE", "nla": "STASH", "rate": "CUSTOM", "custom_rate": 48.0, "name_prefix": "take "}


@dataclass
class Import:
    """One import that can be repeated: of a file into the open .blend."""

    bpy: Any
    part: Part
    root: Path
    name: str
    path: Path

    def run(self, hear: Callable[[Line], None] = lambda line: None, **options: Any) -> None:
        """Import once, telling of every line."""
        package = self.part(f"io_formats.{self.name}")
        chosen = package.ImportOptions(**options)
        import_files = self.part("pipeline.import_files").import_files
        with watching(hear, self.root):
            (outcome,) = import_files(self.bpy.context, [self.path], package.FORMAT, chosen)
        assert outcome.error is None

    def lines(self) -> dict[Line, int]:
        """How often each line runs before the import stands."""
        heard: dict[Line, int] = {}

        def hear(line: Line) -> None:
            heard[line] = heard.get(line, 0) + 1

        self.run(hear, **OPTIONS)
        return heard

    def interrupted(self, wanted: Line, time: int) -> None:
        """Import, and be interrupted the given time that a line is about to run."""
        left = [time]

        def hear(line: Line) -> None:
            left[0] -= line == wanted
            if line == wanted and left[0] == 0:
                raise InterruptedTestError

        with pytest.raises(InterruptedTestError):
            self.run(hear, **OPTIONS)


@pytest.fixture(params=slow_but(["w3d", "animx"], FILES))
def importing(
    request: pytest.FixtureRequest, bpy: Any, part: Part, extension: ModuleType, data: Path, tmp_path: Path
) -> Import:
    """An import into a .blend that has the same file twice already, posed; it was done once, then taken back."""
    name = str(request.param)
    found = Import(bpy, part, Path(extension.__file__ or "").parent, name, data / FILES[name])
    found.run(name_prefix="take ")
    found.run()
    active = bpy.context.view_layer.objects.active
    if active is not None and active.pose is not None:
        active.pose.bones[0].location.x = 3.0
        active.pose.bones[0].rotation_mode = "XYZ"
    if name == "w3d":  # whose armature is found by its name, and selected
        active.select_set(False)
        bpy.context.view_layer.objects.active = None
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "before.blend"))
    return found


@pytest.fixture(scope="module")
def tried() -> set[Line]:
    """The lines at which an import of one of the formats was interrupted."""
    return set()


def interrupt(importing: Import, every: int, tried: set[Line]) -> None:
    """Interrupt at every so many lines that were not tried, each at the first and last time that it runs."""
    blend = importing.bpy.data.filepath
    importing.run(**OPTIONS)  # what loads a module once runs at no later import
    importing.bpy.ops.wm.open_mainfile(filepath=blend)
    lines = importing.lines()
    assert len(lines) > 400
    importing.bpy.ops.wm.open_mainfile(filepath=blend)
    before = census()
    for line in [line for line in lines if line not in tried][::every]:
        for time in sorted({1, lines[line]}):
            importing.interrupted(line, time)
            assert differences(before, census()) == [], (line, time)
        tried.add(line)


def test_interrupted_at_some_lines(importing: Import) -> None:
    interrupt(importing, 17, set())


@pytest.mark.slow
@pytest.mark.once
def test_interrupted_at_every_line(importing: Import, tried: set[Line]) -> None:
    """All formats share these rooms."""
    interrupt(importing, 1, tried)
