"""A process with Blender as a module and the extension from this source tree, for tools that are no tests."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2]


def enable_extension(user_folder: Path, source: Path = SOURCE) -> None:
    """The extension of a source tree in a user folder of its own, and Rigify for its metarigs."""
    os.environ["BLENDER_USER_RESOURCES"] = str(user_folder)
    link = user_folder / "extensions" / "user_default" / "io_anim_curves"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(source, target_is_directory=True)
    importlib.import_module("bpy")
    addons: Any = importlib.import_module("addon_utils")
    for name in ("bl_ext.user_default.io_anim_curves", "rigify"):
        addons.enable(name, default_set=True)


def run_here(work: Callable[[], int]) -> None:
    """Do work that gives an exit status, then leave without taking Blender apart, which would crash or hang."""
    status, user_folder = 2, Path(tempfile.mkdtemp(prefix="anim_curves_alone_"))
    try:
        enable_extension(user_folder)
        status = work()
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        shutil.rmtree(user_folder, ignore_errors=True)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
