"""`blender --command anim_curves`: every option with every command is looked at, or refused by its name."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tests.support.option_reads import flag_and_value

pytestmark = pytest.mark.once  # of one Blender as of any
FILES = {
    "mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
    "w3d": "w3d_models/m02_wlk.w3d",
    "animx": "animx/08_walk.animj",
}


@pytest.mark.parametrize("name", FILES)
def test_options_of_other_formats_and_of_the_other_direction_are_refused(
    command: Any, part: Any, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    own, source = getattr(part("io_formats"), name).FORMAT, data / FILES[name]
    assert command("import", source, "--output", tmp_path) == 0
    files, sides = {"import": source, "export": tmp_path / f"{source.stem}.blend"}, ("import_options", "export_options")

    def offered(side: str, *formats: Any) -> dict[str, Any]:
        return {declared.name: declared for package in formats for declared in fields(getattr(package, side))}

    def refused(job: str, declared: Any) -> tuple[int, str]:
        flags = flag_and_value(declared)
        code = command(job, files[job], "--output", tmp_path / "none", *flags)
        return code, capsys.readouterr().err.partition(flags[0])[2]

    for job, (mine, theirs) in zip(files, (sides, sides[::-1])):
        known = offered(mine, *part("io_formats").FORMATS)
        for option in sorted(set(known) - set(offered(mine, own))):
            code, said = refused(job, known[option])
            assert code == 1 and f"is not an option for {own.title}" in said, option
        for option in sorted(set(offered(theirs, own)) - set(known)):
            assert refused(job, offered(theirs, own)[option])[0] == 2, option
    assert not (tmp_path / "none").exists()


def test_an_axis_with_a_sign_is_a_value(command: Any, data: Path, tmp_path: Path) -> None:
    assert command("import", data / FILES["w3d"], "--output", tmp_path, "--forward", "-X") == 0
