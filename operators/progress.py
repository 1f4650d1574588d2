"""A sign of life during long work: the window's cursor and the status bar."""

from __future__ import annotations

from types import TracebackType

from bpy.types import Context

from ..pipeline.language import say
from ..scene.names import printable
from . import messages


class Progress:
    """Counts finished files in the window's cursor and names the last one in the status bar.

    A context manager, so that the cursor and the status bar come back after a failure too. Harmless without
    a window.
    """

    def __init__(self, context: Context, total: int) -> None:
        self._manager = context.window_manager
        self._workspace = context.workspace
        self._total = total
        self._done = 0

    def __enter__(self) -> Progress:
        self._manager.progress_begin(0, max(self._total, 1))
        return self

    def step(self, name: str) -> None:
        """Count one more file as done."""
        self._done += 1
        self._manager.progress_update(self._done)
        if self._workspace is not None and self._total > 1:
            text = say(messages.PROGRESS, done=self._done, total=self._total, name=name)
            self._workspace.status_text_set(printable(text))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._manager.progress_end()
        if self._workspace is not None:
            self._workspace.status_text_set(None)
