"""What a careful person wants to know before installing: which permissions, no connection, no foreign code."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
import tomllib
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parent.parent
MANIFEST = tomllib.loads((SOURCE / "blender_manifest.toml").read_text(encoding="utf-8"))
# Python tells its audit hooks of all these; see the audit events table of its library reference.
SUSPICIOUS = (
    "socket.", "urllib.", "http.client", "ftplib.", "smtplib.", "subprocess.", "os.system", "os.exec", "os.posix_spawn",
    "os.startfile", "pickle.", "marshal.", "ctypes.", "webbrowser.", "shutil.rmtree", "pty.", "exec", "compile",
)  # fmt: skip
# Python itself does these when it loads a module, or looks up what an annotation of a class stands for.
OF_MODULES = ("marshal.loads", "exec", "compile")
# Blender asks for the properties of a class that is registered; ours are written as annotations.
ANNOTATIONS = (typing.get_type_hints.__code__,)
SAMPLES = (
    ("mrtk", "v10_empty.bin"),
    ("mrtk", "v11_cam1_hand1_gaze1.bin"),
    ("w3d", "g02_tc_default.w3d"),
    ("w3x", "g02.w3x"),
)
SAMPLES += (("animx", "08_walk_lzma_eos.animx"), ("animx", "08_walk.animj"))


def loading_a_module() -> bool:
    """Whether an `import` statement is carried out, or Blender has Python look up the annotations of a class."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code.co_filename.startswith("<frozen importlib") or frame.f_code in ANNOTATIONS:
            return True
    return False


class Watch:
    """Collects suspicious audit events while it is on; an audit hook cannot be taken away again."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.on = False
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.on and event.startswith(SUSPICIOUS) and not (event.startswith(OF_MODULES) and loading_a_module()):
            self.events.append(f"{event} {str(arguments)[:200]}")

    @contextmanager
    def listening(self) -> Iterator[list[str]]:
        """Collect within the block."""
        self.events.clear()
        self.on = True
        try:
            yield self.events
        finally:
            self.on = False


@pytest.fixture(scope="module")
def watch() -> Watch:
    """One hook for all tests of this file."""
    return Watch()


def test_the_manifest_asks_for_files_only() -> None:
    assert set(MANIFEST["permissions"]) == {"files"}
    assert "wheels" not in MANIFEST


def test_the_manifest_says_what_the_design_says() -> None:
    assert MANIFEST["id"] == "io_anim_curves"
    assert MANIFEST["license"] == ["SPDX:GPL-3.0-or-later"]
    assert MANIFEST["blender_version_min"] == "4.2.0"
    assert re.fullmatch(r"\d+\.\d+\.\d+", MANIFEST["version"])


def test_the_watch_hears_connections_and_processes(watch: Watch) -> None:
    with watch.listening() as events:
        sys.audit("socket.connect", "nobody", ("127.0.0.1", 9))
        sys.audit("subprocess.Popen", "x", [], None, None)
        sys.audit("open", "harmless", "r", 0)
    assert [event.split()[0] for event in events] == ["socket.connect", "subprocess.Popen"]


def test_the_watch_hears_foreign_code_but_not_the_loading_of_modules(watch: Watch) -> None:
    import marshal

    code = marshal.dumps(compile("1 + 1", "a file", "eval"))
    sys.modules.pop("colorsys", None)
    with watch.listening() as events:
        importlib.import_module("colorsys")
        typing.get_type_hints(type("Annotated", (), {"__annotations__": {"number": "int"}}))
        assert events == []
        eval(marshal.loads(code))
    assert [event.split()[0] for event in events] == ["marshal.loads", "exec"]


def sample(data: Path, name: str, file: str) -> Path:
    """A sample by its format and file name."""
    return next(iter(sorted((data / name).rglob(file))))


def test_enabling_and_disabling_open_no_connection_and_run_nothing(extension: ModuleType, watch: Watch) -> None:
    with watch.listening() as events:
        extension.unregister()
        extension.register()
    assert events == []


@pytest.mark.parametrize(("name", "file"), SAMPLES)
def test_the_codecs_on_the_command_line_open_no_connection_and_run_nothing(
    watch: Watch, tmp_path: Path, data: Path, name: str, file: str
) -> None:
    main = importlib.import_module("io_formats.__main__").main
    path = sample(data, name, file)
    with watch.listening() as events:
        assert [main([command, str(path)]) for command in ("info", "verify")] == [0, 0]
        assert main(["convert", str(path), str(tmp_path / "converted.animj")]) in (0, 1)
        assert main(["info", str(SOURCE / "README.md")]) == 1
    assert events == []


@pytest.mark.parametrize(("name", "file"), SAMPLES[1:])
def test_the_blender_command_opens_no_connection_and_runs_nothing(
    extension: ModuleType, watch: Watch, tmp_path: Path, data: Path, name: str, file: str
) -> None:
    main = importlib.import_module(f"{extension.__name__}.operators.command_line").main
    path, blends = sample(data, name, file), tmp_path / "blends"
    with watch.listening() as events:
        assert [main([command, str(path)]) for command in ("info", "verify")] == [0, 0]
        assert main(["import", str(path), "--output", str(blends)]) == 0
        assert main(["export", str(blends), "--output", str(tmp_path)]) == 0
        assert main(["convert", str(path), "--to", ".animj", "--output", str(tmp_path / "converted")]) in (0, 1)
    assert events == []


def in_one_call(bpy: Any, package: str, name: str, paths: list[Path]) -> set[str]:
    """As the file browser calls the operator when several files are chosen."""
    files = [{"name": path.name} for path in paths]
    result: set[str] = getattr(bpy.ops.import_anim, name)(directory=str(paths[0].parent), files=files)
    return result


def as_a_drop(bpy: Any, package: str, name: str, paths: list[Path]) -> set[str]:
    """As Blender calls the operator when files are dropped on it."""
    files = [{"name": path.name} for path in paths]
    operator = getattr(bpy.ops.import_anim, name)
    result: set[str] = operator("INVOKE_DEFAULT", directory=str(paths[0].parent), files=files)
    return result


def as_a_batch(bpy: Any, package: str, name: str, paths: list[Path]) -> set[str]:
    """As the window does it, one file after the other."""
    batch = importlib.import_module(f"{package}.operators.importing")
    file_format = importlib.import_module(f"{package}.io_formats.{name}").FORMAT
    load = importlib.import_module(f"{package}.pipeline.import_files").Load
    loads = batch.loads_as_text([load(file_format, paths, file_format.import_options())])
    result: set[str] = bpy.ops.import_anim.batch(loads=loads)
    return result


@pytest.mark.parametrize("way", [in_one_call, as_a_drop, as_a_batch])
@pytest.mark.parametrize("name", ["mrtk", "w3d", "w3x", "animx"])
def test_many_files_open_no_connection_and_run_nothing(
    extension: ModuleType, watch: Watch, data: Path, tmp_path: Path, name: str, way: Callable[..., set[str]]
) -> None:
    """The damaged files too; a sound one is among them, so that the operator comes to its end."""
    import bpy

    sound = sample(data, *next(known for known in reversed(SAMPLES) if known[0] == name))
    damaged = sorted((data / "broken" / name).iterdir())
    paths = [tmp_path / shutil.copy(path, tmp_path) for path in (sound, *damaged)]
    assert len(paths) > 3
    with watch.listening() as events:
        assert way(bpy, extension.__name__, name, paths) == {"FINISHED"}
        assert getattr(bpy.ops.export_anim, name)(filepath=str(tmp_path / sound.name)) == {"FINISHED"}
    assert len(bpy.data.actions) > 0
    assert events == []
