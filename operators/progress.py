"""A sign of life during long work: the window's cursor and the status bar."""

from __future__ import annotations

from types import TracebackType

import bpy
from bpy.types import Context

from ..scene.names import printable


class Progress:
    """Shows the cursor that waits, and lines in the status bar.

    A context manager, so that the cursor and the status bar come back after a failure too. Harmless without
    a window.
    """

    def __init__(self, context: Context) -> None:
        self._window = None if bpy.app.background else context.window
        self._workspace = context.workspace

    def __enter__(self) -> Progress:
        if self._window is not None:
            self._window.cursor_modal_set("WAIT")
        return self

    def show(self, text: str) -> None:
        """Show a line; it is seen when Blender has drawn the window again."""
        if self._workspace is not None:
            self._workspace.status_text_set(printable(text))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._window is not None:
            self._window.cursor_modal_restore()
        if self._workspace is not None:
            self._workspace.status_text_set(None)
