"""Long work: a sign of life in the window, and the window that lives on with some steps at each tick of a timer."""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import bpy
from bpy.app import handlers
from bpy.types import Context, Event, Header

from ..io_formats.errors import FormatError
from ..io_formats.files.steps import undisturbed
from ..pipeline.language import say
from ..scene.names import printable
from ..scene.types import OperatorMixin, Returned
from . import dialogs, messages, reporting

if TYPE_CHECKING:
    from ..pipeline import export_files, import_files
    from ..pipeline.export_files import Telling
    from ..pipeline.results import Exported


StepT = TypeVar("StepT", "export_files.Step", "import_files.Step")

_BAR = 30.0
"""How wide the bar is, in the heights of a button: a line about a file fits."""

_TICK = 0.001
_WORK = 0.1
"""Seconds of work between two looks at the window; a step may take a little longer."""
_LOOKS = 2
"""Times that the window is drawn before the first step: without the file browser, and with the status text."""


_REPLACING = (handlers.load_pre, handlers.undo_pre, handlers.redo_pre, handlers.save_pre)


class Progress:
    """Shows the cursor that waits, and a bar with a line in the status bar, within its block; nothing in background."""

    def __init__(self, context: Context) -> None:
        self._window = None if bpy.app.background else context.window
        self._workspace = context.workspace

    def __enter__(self) -> Progress:
        if self._window is not None:
            self._window.cursor_modal_set("WAIT")
        return self

    def show(self, text: str, share: float) -> None:
        """Show a line, and the share that is done; they are seen when Blender has drawn the window again."""

        def draw(header: Header, context: Context) -> None:
            bar = header.layout.row()
            bar.ui_units_x = _BAR
            bar.progress(text=printable(text), translate=False, factor=share)

        if self._workspace is not None:
            self._workspace.status_text_set(draw)

    def __exit__(self, *_error: object) -> None:
        if self._window is not None:
            self._window.cursor_modal_restore()
        if self._workspace is not None:
            self._workspace.status_text_set(None)


class WindowWork(Generic[StepT]):
    """Steps that are done while a modal operator takes all that is typed and clicked in its window.

    What they hold would be gone after undo, redo or another .blend, and half of it would be saved, all of which another
    window or a script can begin: the steps are closed before, and take back what they made.
    """

    def __init__(self, context: Context, steps: Generator[StepT, bool | None, None], text: str) -> None:
        self.is_closed = False
        self._steps: Generator[StepT, bool | None, None] = steps
        self._manager = context.window_manager
        self._timer = self._manager.event_timer_add(_TICK, window=context.window)
        self.progress = Progress(context)
        self.progress.__enter__()
        self.progress.show(text, 0.0)
        for kind in _REPLACING:
            kind.append(self._end)

    def advance(self) -> list[StepT]:
        """Do the steps of one tick and return them; after the last of all, or an error, the work is closed."""
        pause = time.monotonic() + _WORK
        done: list[StepT] = []
        try:
            for step in undisturbed(self._steps):
                done.append(step)
                if time.monotonic() > pause:
                    return done
        except BaseException:
            self.close()
            raise
        self.close()
        return done

    def close(self) -> None:
        """End the steps, give the window back, and be called by Blender no more."""
        for kind in _REPLACING:
            if self._end in kind:
                kind.remove(self._end)
        self._end()

    def _end(self, *_arguments: object) -> None:
        """End the steps and give the window back; as a handler it stays, as Blender would pass over the next one."""
        if self.is_closed:
            return
        self.is_closed = True
        try:
            self._steps.close()
        finally:
            self._manager.event_timer_remove(self._timer)
            self.progress.__exit__()


class WorkingOperator(OperatorMixin, Generic[StepT]):
    """Mixin of operators that do long work in a window; nothing else can be done there until it ends or ESC ends it."""

    _work: WindowWork[StepT]
    _is_stopping: bool

    def begin(self, context: Context, steps: Generator[StepT, bool | None, None], text: str) -> Returned:
        """Begin, and return what the operator is to return; `text` is shown until the first step is done."""
        self._looks, self._is_stopping = 0, False
        self._work = WindowWork(context, steps, text)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Returned:
        if self._work.is_closed:  # as the .blend was about to change, and has changed since
            self._work.close()
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS" and not self._is_stopping:
            self._looks, self._is_stopping = 0, True  # what was made is taken back when a person has seen that it is
            self._work.progress.show(say(messages.STOPPING), 0.0)
        if event.type != "TIMER":
            return {"PASS_THROUGH" if event.type.startswith("TIMER") else "RUNNING_MODAL"}
        self._looks += 1
        if self._looks <= _LOOKS:
            return {"RUNNING_MODAL"}
        if self._is_stopping:
            self._work.close()
            return self._stopped(context)
        try:
            steps = self._work.advance()
        except FormatError as error:
            return dialogs.fail_with(self, error)
        for step in steps:
            self._take_in(step)
        if self._work.is_closed:
            return self._finished(context)
        self._work.progress.show(self._line(steps[-1]), steps[-1].share)
        return {"RUNNING_MODAL"}

    def cancel(self, context: Context) -> None:
        """Take back what must not stay, as the window closes; a question before any work is cancelled by this, too."""
        if hasattr(self, "_work"):
            self._work.close()

    def _take_in(self, step: StepT) -> None:
        """Keep what came of a step."""

    def _line(self, step: StepT) -> str:
        """Return what the status bar shows after a step."""
        return say(messages.PROGRESS, name=step.path.name, percent=int(100 * step.share))

    def _stopped(self, context: Context) -> Returned:
        """Tell what is left after ESC, and return what the operator is to return."""
        raise NotImplementedError

    def _finished(self, context: Context) -> Returned:
        """Tell what came of all, and return what the operator is to return."""
        raise NotImplementedError


class ExportWork(WorkingOperator["export_files.Step"]):
    """Mixin of operators that export, step by step where a person waits for it."""

    _written: list[Exported]
    _begun: set[Path]

    def export(self, context: Context, path: Path, steps: Telling) -> Returned:
        """Write the files, or begin to, and return what the operator is to return; where nobody waits, FormatError is
        raised if a file cannot be written."""
        self._written, self._begun = [], set()
        if self.interactive:
            return self.begin(context, steps, say(messages.PROGRESS, name=path.name, percent=0))
        with Progress(context):
            for step in undisturbed(steps):
                self._take_in(step)
        return self._finished(context)

    def _take_in(self, step: export_files.Step) -> None:
        self._begun.add(step.path)
        if step.written is not None:
            self._written.append(step.written)

    def _stopped(self, context: Context) -> Returned:
        complete = self._written or len(self._begun) > 1
        self.report({"INFO"}, say(messages.EXPORT_STOPPED if complete else messages.STOPPED))
        return {"CANCELLED"}

    def _finished(self, context: Context) -> Returned:
        return reporting.tell_exports(self, context, self._written)
