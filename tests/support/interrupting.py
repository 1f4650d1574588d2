"""Watching an import line by line, to interrupt it at any of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

Line = tuple[str, int]
"""A line of ours: file, number."""
TAKES_BACK = ("_remove_made", "remove_all", "_put_back", "put_back", "_put_curves_back", "_undrive")
"""Cannot be interrupted without the step back itself being lost."""


class InterruptedTestError(BaseException):
    """As Ctrl+C: no `except Exception` of ours or Blender's may stop it."""


@contextmanager
def traced(hear: Callable[[FrameType, str, object], Any]) -> Iterator[None]:
    """Python tells `hear` of every call, as `sys.settrace` describes."""
    before = sys.gettrace()
    sys.settrace(hear)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def watching(hear: Callable[[Line], None], root: Path) -> Iterator[None]:
    """Tell of every line of `scene` and `pipeline/import_files.py` before it runs, until the import stands."""
    rooms = (str(root / "scene"), str(root / "pipeline" / "import_files.py"))
    standing: list[bool] = []

    def in_ours(frame: FrameType, event: str, argument: object) -> Any:
        if event == "line" and not standing:
            hear((frame.f_code.co_filename, frame.f_lineno))
        return in_ours

    def calls(frame: FrameType, event: str, argument: object) -> Any:
        code, caller = frame.f_code, frame.f_back
        if code == ExitStack.pop_all.__code__ and caller is not None and caller.f_code.co_name == "apply_clips":
            standing.append(True)
        return in_ours if code.co_filename.startswith(rooms) and code.co_name not in TAKES_BACK else None

    with traced(calls):
        yield
