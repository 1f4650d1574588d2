"""What a careful person wants to know before installing: which permissions, no connection, no foreign code."""

from __future__ import annotations

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
    "os.startfile", "pickle.", "marshal.", "ctypes.", "webbrowser.", "shutil.rmtree", "pty.",
)  # fmt: skip
SAMPLES = (("mrtk", "v10_empty.bin"), ("mrtk", "v11_cam1_hand1_gaze1.bin"), ("w3d", "g02_tc_default.w3d"))
SAMPLES += (("animx", "08_walk_lzma_eos.animx"), ("animx", "08_walk.animj"))


class Watch:
    """Collects suspicious audit events while it is on; an audit hook cannot be taken away again."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.on = False
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.on and event.startswith(SUSPICIOUS):
            self.events.append(f"{event} {arguments}")

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
