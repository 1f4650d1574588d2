"""What a careful person wants to know before installing: which permissions, no connection, no foreign code."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).resolve().parent.parent
MANIFEST = tomllib.loads((SOURCE / "blender_manifest.toml").read_text(encoding="utf-8"))
# Python tells its audit hooks of all these; see the audit events table of its library reference.
SUSPICIOUS = (
    "socket.", "urllib.", "http.client", "ftplib.", "smtplib.", "subprocess.", "os.system", "os.exec", "os.posix_spawn",
    "os.startfile", "pickle.", "marshal.", "ctypes.", "webbrowser.", "shutil.rmtree", "pty.", "exec", "compile",
)  # fmt: skip
# Python itself does these when it loads a module for the first time, from its own folders.
OF_MODULES = ("marshal.loads", "exec", "compile")
SAMPLES = (("mrtk", "v10_empty.bin"), ("mrtk", "v11_cam1_hand1_gaze1.bin"), ("w3d", "g02_tc_default.w3d"))
SAMPLES += (("animx", "08_walk_lzma_eos.animx"), ("animx", "08_walk.animj"))


def loading_a_module() -> bool:
    """Whether an `import` statement is being carried out."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code.co_filename.startswith("<frozen importlib"):
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
        assert events == []
        eval(marshal.loads(code))
    assert [event.split()[0] for event in events] == ["marshal.loads", "exec"]


@pytest.mark.parametrize(("name", "file"), SAMPLES)
def test_import_and_export_open_no_connection_and_run_nothing(
    extension: ModuleType, watch: Watch, tmp_path: Path, data: Path, name: str, file: str
) -> None:
    import bpy

    path = next(iter(sorted((data / name).rglob(file))))
    with watch.listening() as events:
        assert getattr(bpy.ops.import_anim, name)(filepath=str(path)) == {"FINISHED"}
        if any(found.type == "ARMATURE" for found in bpy.data.objects):
            assert getattr(bpy.ops.export_anim, name)(filepath=str(tmp_path / path.name)) == {"FINISHED"}
    assert events == []
