"""What the file browser shows of a chosen file, and what it leaves alone so that a click is no wait."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def file_preview(bpy: Any, part: Callable[[str], Any]) -> Any:
    module: ModuleType = part("operators.importing")
    return module


@pytest.mark.parametrize(
    ("file", "second"),
    [
        ("mrtk/v11_flags/v11_cam1_hand1_gaze1.bin", "No rate of its own, 1.0 s"),
        ("w3d/g09_ad_20b_200f.w3d", "30 fps, 6.6 s"),
        ("w3d/h04_multi_unknown.w3d", "30 fps, 0.5 s"),
        ("w3d/g02_skl.w3d", "A skeleton or model without animation"),
        ("animx/08_walk.animj", "No rate of its own, 2.0 s"),
    ],
)
def test_kind_rate_and_duration(file_preview: Any, data: Path, file: str, second: str) -> None:
    kind, told = file_preview.facts_of(data / file)
    assert kind
    assert told == second


def test_what_is_not_looked_at(
    file_preview: Any, pipe: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipes, folders, what is not there say nothing, others that they are none; none is read whole."""
    for path in (pipe, tmp_path, tmp_path / "none.w3d", Path("a\0b.w3d")):
        assert file_preview.facts_of(path) == ()
    large = tmp_path / "large.bin"
    large.touch()
    os.truncate(large, file_preview.LARGEST + 1)
    monkeypatch.setattr(f"{file_preview.whole_file.__name__}.BytesIO", None)
    other = tmp_path / "picture.bin"
    other.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    for path in (large, other):
        assert file_preview.facts_of(path) == ("No file of a format that can be imported",)


@pytest.mark.parametrize("file", ["mrtk/v11_flags/v11_cam1_hand1_gaze1.bin", "w3d/g02_skl.w3d", "animx/08_walk.animj"])
def test_a_damaged_file_says_what_is_wrong_with_it(file_preview: Any, data: Path, tmp_path: Path, file: str) -> None:
    path = tmp_path / Path(file).name
    whole = (data / file).read_bytes()
    path.write_bytes(whole[: len(whole) - 20])
    kind, wrong = file_preview.facts_of(path)
    assert kind and wrong.startswith(f"{path.name}: ")
    path.write_bytes(bytes(len(whole) - 20))
    os.utime(path, (1, 1))
    assert file_preview.facts_of(path) == ("No file of a format that can be imported",), "another one of the same size"


def test_a_small_file_that_expands_far_is_left_alone(
    file_preview: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = (data / "animx" / "08_walk_lzma_eos.animx").read_bytes()
    for name, most, shown in (("far.animx", len(packed), "KB"), ("near.animx", 8 << 20, "2.0 s")):
        (tmp_path / name).write_bytes(packed)
        monkeypatch.setattr(file_preview, "_MOST_EXPANDED", most)
        assert file_preview.facts_of(tmp_path / name)[1].endswith(shown)


def large_copy(source: Path, path: Path, size: int) -> Path:
    """A file that begins as another does, with a hole behind that."""
    path.write_bytes(source.read_bytes()[:1000])
    os.truncate(path, size)
    return path


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("mrtk/v11_flags/v11_cam1_hand1_gaze1.bin", "MRTK2 input recording"),
        ("animx/08_walk_plain.animx", "AnimX/AnimJ"),
        ("animx/08_walk.animj", "AnimX/AnimJ"),
        ("w3d/g09_ad_20b_200f.w3d", "Westwood W3D"),
        ("w3x/g02.w3x", "EA W3X"),
    ],
)
def test_a_large_file_tells_kind_and_size(
    file_preview: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, kind: str
) -> None:
    path = large_copy(data / file, tmp_path / "large.bin", 374 << 20)
    monkeypatch.setattr(f"{file_preview.whole_file.__name__}.BytesIO", None)
    assert file_preview.facts_of(path) == (kind, "392.2 MB")


def test_several_files_tell_how_many_of_which_kind(file_preview: Any, data: Path, tmp_path: Path) -> None:
    recording = data / "mrtk" / "v11_flags" / "v11_cam1_hand1_gaze1.bin"
    paths = [large_copy(recording, tmp_path / f"{number}.bin", 3 << 20) for number in range(2)]
    other = tmp_path / "other.bin"
    other.write_bytes(bytes(1 << 20))
    paths += [data / "w3d" / "g02_skl.w3d", other, tmp_path / "none.bin"]
    size = (7 << 20) + (data / "w3d" / "g02_skl.w3d").stat().st_size
    assert file_preview.facts_of_several(paths) == (
        f"5 files ({size / 1e6:.1f} MB)",
        "2 x MRTK2 input recording",
        "1 x Westwood W3D",
        "1 x unknown kind",
    )
    assert file_preview.facts_of_several([]) == ()


def test_of_very_many_files_only_the_first_are_looked_at(file_preview: Any, data: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.bin" for number in range(51)]
    for path in paths:
        path.write_bytes((data / "w3d" / "g02_skl.w3d").read_bytes())
    assert file_preview.facts_of_several(paths) == ("51 files", "of the first 50:", "50 x Westwood W3D")


@pytest.mark.parametrize("selected", [[], ["b.bin"], ["a.bin", "b.bin"]])
def test_what_is_selected_in_the_browser_is_what_is_told_of(
    file_preview: Any, bpy: Any, tmp_path: Path, selected: list[str]
) -> None:
    params = SimpleNamespace(directory=str(tmp_path).encode(), filename="b.bin")
    context = SimpleNamespace(
        space_data=SimpleNamespace(params=params, type="FILE_BROWSER"),
        selected_files=[SimpleNamespace(name=name) for name in selected],
    )
    names = [path.name for path in file_preview._chosen(context, None)]
    assert names == (selected if len(selected) > 1 else ["b.bin"])
