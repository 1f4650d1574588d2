"""Many files from the file browser or a drop: one at each tick of a timer, so that the window lives on.

ESC stops between files; what was imported until then stays, and is one undo step.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Event, Operator

from ..io_formats import format_of
from ..io_formats.format import AnyFormat
from ..io_formats.scene_options import ImportOptions
from ..pipeline.import_files import import_files
from ..pipeline.language import say
from ..pipeline.results import Outcome
from ..scene.types import OperatorMixin, Returned
from . import framing, messages, preferences
from .options import options_as_text, options_from_text
from .progress import Progress
from .reporting import tell_outcomes

_TICK = 0.001
_WORK = 0.1
"""Seconds of work between two looks at the window; a single file may take longer."""


class ImportBatch(OperatorMixin, Operator):
    """Import several files while the window stays alive."""

    bl_idname = "import_anim.batch"
    bl_label = "Import Animations"
    bl_description = "Import several animation files, one after the other; ESC stops between files"
    bl_options = {"UNDO", "INTERNAL"}
    interactive = True

    if TYPE_CHECKING:
        format_name: str
        paths: str
        option_values: str
    else:
        format_name: StringProperty(options={"SKIP_SAVE"})
        paths: StringProperty(options={"SKIP_SAVE"})
        option_values: StringProperty(options={"SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> Returned:
        """Start the timer."""
        del event
        self._outcomes: list[Outcome] = []
        self._work = self._start(context)
        self._progress = Progress(context, len(json.loads(self.paths)))
        self._progress.__enter__()
        self._timer = context.window_manager.event_timer_add(_TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Context) -> Returned:
        """Straight through, for a Blender without a window."""
        self._outcomes = list(self._start(context))
        return tell_outcomes(self, context, self._outcomes)

    def _start(self, context: Context) -> Iterator[Outcome]:
        file_format = format_of(self.format_name)
        paths = [Path(path) for path in json.loads(self.paths)]
        options = options_from_text(self.option_values, file_format.import_options)
        return import_files(context, paths, file_format, options, preferences.game_folders(context))

    def modal(self, context: Context, event: Event) -> Returned:
        """Import the next files at each tick."""
        if event.type == "ESC":
            self.report({"INFO"}, say(messages.BATCH_STOPPED))
            return self._finish(context)
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        pause = time.monotonic() + _WORK
        while time.monotonic() < pause:
            outcome = next(self._work, None)
            if outcome is None:
                return self._finish(context)
            self._outcomes.append(outcome)
            self._progress.step(outcome.path.name)
        return {"RUNNING_MODAL"}

    def _finish(self, context: Context) -> Returned:
        context.window_manager.event_timer_remove(self._timer)
        self._progress.__exit__(None, None, None)
        framing.frame(context, self._outcomes)
        return tell_outcomes(self, context, self._outcomes, len(json.loads(self.paths)))


def run(
    operator: OperatorMixin, context: Context, file_format: AnyFormat, paths: Sequence[Path], options: ImportOptions
) -> Returned:
    """Import files for an operator and say what came in; of several, in a window, one at each tick."""
    if operator.interactive and len(paths) > 1:
        return _start(file_format, paths, options_as_text(options))
    with Progress(context, len(paths)) as progress:
        outcomes = []
        for outcome in import_files(context, paths, file_format, options, preferences.game_folders(context)):
            outcomes.append(outcome)
            progress.step(outcome.path.name)
    if operator.interactive:
        framing.frame(context, outcomes)
    return tell_outcomes(operator, context, outcomes)


def _start(file_format: AnyFormat, paths: Sequence[Path], options: str) -> Returned:
    """Hand the files to the modal operator.

    What it returns is for the calling operator, of which neither an undo step nor a redo panel is to be left.
    """
    names = json.dumps([str(path) for path in paths])
    bpy.ops.import_anim.batch(  # type: ignore[attr-defined]
        "INVOKE_DEFAULT", format_name=file_format.name, paths=names, option_values=options
    )
    return {"CANCELLED"}


CLASSES = (ImportBatch,)
