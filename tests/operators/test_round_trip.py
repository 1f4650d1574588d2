"""What nobody touched comes back byte for byte, where all of it is mapped again as well."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import slow_but
from in_blender import reopen

DATA = Path(__file__).parents[1] / "data"
FILES = {
    "mrtk": sorted([*DATA.glob("mrtk/*.bin"), *DATA.glob("mrtk/v11_flags/*.bin")]),
    "w3d": sorted(path for path in DATA.glob("w3d/*.w3d") if "skl" not in path.stem),
    "animx": sorted(
        path
        for pattern in ("[0-9]*.animx", "[0-9]*.animj", "ok_*.animx", "animj/ok_*.animj")
        for path in DATA.glob(f"animx/{pattern}")
    ),
}
CASES = [pytest.param(name, path, id=f"{name}/{path.name}") for name, files in FILES.items() for path in files]


def import_file(bpy: Any, name: str, path: Path, **options: Any) -> None:
    """Import and make the result active."""
    assert getattr(bpy.ops.import_anim, name)(filepath=str(path), **options) == {"FINISHED"}


def export_file(bpy: Any, name: str, path: Path, **options: Any) -> bytes:
    """Export the only or active thing; the bytes written."""
    assert getattr(bpy.ops.export_anim, name)(filepath=str(path), **options) == {"FINISHED"}
    return path.read_bytes()


RATES = ((24, 1.0), (30, 1.001), (60, 1.0), (48, 2.0))


@pytest.mark.parametrize(("name", "path"), CASES)
def test_untouched_files_come_back_byte_for_byte(bpy: Any, tmp_path: Path, name: str, path: Path) -> None:
    """At whatever rate of the scene, and when the .blend was opened again."""
    render = bpy.context.scene.render
    render.fps, render.fps_base = RATES[FILES[name].index(path) % len(RATES)]
    import_file(bpy, name, path)
    played = bpy.context.object.name
    reopen(tmp_path / "scene.blend")
    bpy.context.view_layer.objects.active = bpy.data.objects[played]
    assert export_file(bpy, name, tmp_path / path.name) == path.read_bytes()


@pytest.mark.parametrize("seconds", [1e6, 5e37])
def test_an_end_beyond_all_frames_is_no_change(bpy: Any, tmp_path: Path, seconds: float) -> None:
    """Blender counts to 1,048,574, which is 12 hours; what is written anew is compared no later than that."""
    walk = json.loads((DATA / "animx" / "08_walk.animj").read_text(encoding="utf-8"))
    lasting = walk | {"globalDuration": seconds}
    path = tmp_path / "lasting.animj"
    path.write_text(json.dumps(lasting), encoding="utf-8")
    import_file(bpy, "animx", path)
    reopen(tmp_path / "scene.blend")
    assert export_file(bpy, "animx", tmp_path / "again.animj") == path.read_bytes()
    assert export_file(bpy, "animx", tmp_path / "again.animx").startswith(b"\x05AnimX"), "the ending says which"
    assert len(json.loads(export_file(bpy, "animx", tmp_path / "larger.animj", scale=2.0))["tracks"]) == 9


REBUILT = [case for case in CASES if "ok_trailing" not in str(case.id)]
"""An edited AnimX is written as its engine wants it, without the bytes that trailed behind."""


@pytest.mark.parametrize(("name", "path"), slow_but(REBUILT[::3], REBUILT))
def test_without_the_shortcut_the_mapping_gives_the_same(
    bpy: Any, part: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, path: Path
) -> None:
    monkeypatch.setattr(part("pipeline.export_files"), "is_as_imported", lambda *_: False)
    import_file(bpy, name, path)
    written = export_file(bpy, name, tmp_path / path.name)
    package = part(f"io_formats.{name}")
    if package.write(package.read(path.read_bytes())) == path.read_bytes():
        assert written == path.read_bytes()
    else:  # packed or textual files may be written in other bytes
        assert package.same_content(package.read(written), package.read(path.read_bytes()))


def places(name: str, data: bytes) -> dict[str, np.ndarray]:
    """(moments, 3) where each node that moves in a file stands in the world, from its own bytes."""
    package, pose = importlib.import_module(f"io_formats.{name}"), importlib.import_module("io_formats.clip.pose")
    report = importlib.import_module("io_formats.errors").Report()
    clip = package.to_clips(package.read(data), package.ImportOptions(), report)[0]
    moving = sorted({track.node for track in clip.tracks if track.property == "location"})
    worlds = pose.world_matrices(clip, np.linspace(0, 0.7, 8))
    return {node: worlds[node][:, :3, 3] for node in moving}


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("mrtk", "v10_recorder_3s_left_hand.bin"),
        ("w3d", "g01_raw_trim_vis.w3d"),
        ("w3x", "g02.w3x"),
        ("animx", "08_walk_plain.animx"),
    ],
)
def test_an_option_is_followed_although_nothing_was_touched(bpy: Any, tmp_path: Path, name: str, file: str) -> None:
    import_file(bpy, name, DATA / name / file)
    before = places(name, (DATA / name / file).read_bytes())
    after = places(name, export_file(bpy, name, tmp_path / file, scale=2.0))
    size = np.abs(np.stack(list(before.values()))).max()
    assert size > 0.01
    for node, stood in before.items():
        np.testing.assert_allclose(after[node], 2 * stood, atol=2e-5 * size, err_msg=node)
