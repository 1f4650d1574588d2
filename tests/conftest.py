"""Blender for the tests: a fresh user folder, the extension from this tree, a clean file for each test.

Tests that ask for the fixture `extension` get the package as Blender runs it; tests of `io_formats` import that
package directly and also run in a Python without Blender, where the others are left out.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from types import ModuleType
from typing import Any

import pytest
from renewal import Renewal

SOURCE = Path(__file__).resolve().parent.parent
PACKAGE = "bl_ext.user_default.io_anim_curves"
HAS_BLENDER = importlib.util.find_spec("bpy") is not None

collect_ignore = [] if HAS_BLENDER else ["scene", "operators"]
_exit_status = pytest.StashKey[int]()
_renewal = pytest.StashKey[Renewal]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a person renew references on purpose."""
    parser.addoption("--renew", action="store_true", help="write references of tests/data anew, on purpose")


def pytest_configure(config: pytest.Config) -> None:
    """Point Blender at an empty user folder before any test module can import it."""
    config.stash[_exit_status] = pytest.ExitCode.INTERNAL_ERROR
    config.stash[_renewal] = Renewal()
    _share_bytecode(config)
    if HAS_BLENDER:
        _start_blender(config)


def pytest_report_header() -> str:
    """Say in which Blender, or that there is none."""
    if not HAS_BLENDER:
        return "no Blender in this Python: tests/scene and tests/operators are left out"
    import bpy

    return f"Blender {bpy.app.version_string}, user folder {os.environ['BLENDER_USER_RESOURCES']}"


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say which references were renewed."""
    if config.getoption("--renew"):
        terminalreporter.section("renewed references")
        changes = config.stash[_renewal].changes
        terminalreporter.write_line("\n".join(changes) or "nothing: all are as they were")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remember how the session ended, for the exit that Blender needs."""
    session = config.pluginmanager.getplugin("session")
    config.stash[_exit_status] = int(getattr(session, "exitstatus", pytest.ExitCode.INTERNAL_ERROR))


def _share_bytecode(config: pytest.Config) -> None:
    """Let the processes that tests start keep what they compile: a Blender with the extension starts in 0.8 s, not 1.3.

    It lies in a folder of the session, so that nothing is left in the tree, whatever the machine has set.
    """
    folder = tempfile.mkdtemp(prefix="anim_curves_bytecode_")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def _start_blender(config: pytest.Config) -> None:
    user_folder = Path(tempfile.mkdtemp(prefix="anim_curves_blender_"))
    os.environ["BLENDER_USER_RESOURCES"] = str(user_folder)
    extensions = user_folder / "extensions" / "user_default"
    extensions.mkdir(parents=True)
    (extensions / "io_anim_curves").symlink_to(SOURCE, target_is_directory=True)
    with _one_processor():
        importlib.import_module("bpy")
    atexit.register(_leave_blender, config, user_folder)


@contextmanager
def _one_processor() -> Iterator[None]:
    """Let Blender find one processor and start no threads beside its own.

    With small scenes they only wait for work, which costs a sixth of the processor's time of all tests.
    """
    if not hasattr(os, "sched_setaffinity"):  # Linux alone has it
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


def _leave_blender(config: pytest.Config, user_folder: Path) -> None:
    """End the process before the interpreter takes Blender apart: 4.2 would crash there, and 4.5 hang.

    Registered after Blender's own exit handler, so it runs before that one, and after pytest has said all it has
    to say.
    """
    shutil.rmtree(user_folder, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(config.stash[_exit_status])


@pytest.fixture(scope="session")
def extension() -> Iterator[ModuleType]:
    """The extension's root package, enabled from this source tree in the running Blender."""
    pytest.importorskip("bpy")
    addon_utils = importlib.import_module("addon_utils")
    failures: list[BaseException] = []
    enabled = addon_utils.enable(PACKAGE, default_set=True, handle_error=failures.append)
    if enabled is None:
        raise RuntimeError(f"{PACKAGE} could not be enabled") from (failures[0] if failures else None)
    yield sys.modules[PACKAGE]
    addon_utils.disable(PACKAGE, default_set=True)


@pytest.fixture(autouse=True)
def clean_file(request: pytest.FixtureRequest) -> None:
    """An empty .blend file, with factory settings for the scene, for each test that uses the extension."""
    if "extension" not in request.fixturenames:
        return
    request.getfixturevalue("extension")
    bpy = importlib.import_module("bpy")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


@pytest.fixture
def data() -> Path:
    """The folder of test files, one folder for each format."""
    return SOURCE / "tests" / "data"


@pytest.fixture
def renewal(request: pytest.FixtureRequest) -> Renewal | None:
    """What writes references anew, None where they are to be met."""
    return request.config.stash[_renewal] if request.config.getoption("--renew") else None


@pytest.fixture
def terminal() -> tuple[int, int]:
    """Both sides of a pseudo-terminal, ours first; who takes it closes them."""
    try:
        return os.openpty()
    except (AttributeError, OSError) as error:
        pytest.skip(f"needs a pseudo-terminal, and on Linux /dev/pts: {error}")


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """A named pipe; whoever reads it nevertheless finds it empty, so that the test fails instead of waiting."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs named pipes")
    path = tmp_path / "pipe.w3d"
    os.mkfifo(path)
    left = Event()
    writer = Thread(target=_serve_nothing, args=(path, left))
    writer.start()
    yield path
    left.set()
    writer.join()


def _serve_nothing(path: Path, left: Event) -> None:
    """Let every reader of a named pipe find its end at once, until the test has left."""
    while not left.wait(0.02):
        with suppress(OSError):  # nobody reads
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
