"""Large or many files from the file browser or a drop, step by step, so that the window lives on.

ESC takes back the file at hand; of several, those before it stay, and are one undo step. Blender's panel to adjust the
last operation is not offered then: each option that is changed there would import once more, and nothing could end it.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Event, Operator

from ..io_formats import format_of
from ..io_formats.files.whole_file import cost_of
from ..io_formats.format import AnyFormat
from ..io_formats.scene_options import ImportOptions
from ..pipeline.import_files import Step, import_files, import_in_steps
from ..pipeline.language import say
from ..pipeline.results import Outcome
from ..scene.types import OperatorMixin, Returned
from . import framing, messages, preferences
from .options import options_as_text, options_from_text
from .progress import Progress
from .reporting import tell_outcomes
from .window_work import WorkingOperator


class ImportBatch(WorkingOperator[Step], Operator):
    """Import one large file or several files while the window stays alive."""

    bl_idname = "import_anim.batch"
    bl_label = "Import Animations"
    bl_description = "Import large or many animation files step by step; ESC ends it"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    interactive = True

    if TYPE_CHECKING:
        format_name: str
        paths: str
        option_values: str
    else:
        format_name: StringProperty(options={"HIDDEN", "SKIP_SAVE"})
        paths: StringProperty(options={"HIDDEN", "SKIP_SAVE"})
        option_values: StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> Returned:
        """Start the timer."""
        del event
        self._outcomes: list[Outcome] = []
        self._files = [Path(path) for path in json.loads(self.paths)]
        return self.begin(context, self._steps(context), self.line(Step(self._files[0], 0.0)))

    def execute(self, context: Context) -> Returned:
        """Straight through, for a Blender without a window."""
        self._files = [Path(path) for path in json.loads(self.paths)]
        self._outcomes = [step.outcome for step in self._steps(context) if step.outcome is not None]
        return tell_outcomes(self, context, self._outcomes)

    def _steps(self, context: Context) -> Generator[Step, None, None]:
        file_format = format_of(self.format_name)
        options = options_from_text(self.option_values, file_format.import_options)
        return import_in_steps(context, self._files, file_format, options, preferences.game_folders(context))

    def take(self, step: Step) -> None:
        """Keep what became of a file."""
        if step.outcome is not None:
            self._outcomes.append(step.outcome)

    def line(self, step: Step) -> str:
        """Return what the status bar shows."""
        share = {"name": step.path.name, "percent": int(100 * step.share)}
        if len(self._files) == 1:
            return say(messages.PROGRESS, **share)
        return say(messages.PROGRESS_OF_FILES, done=len(self._outcomes), total=len(self._files), **share)

    def stopped(self, context: Context) -> Returned:
        """Tell of the files before the one that was taken back."""
        if not self._outcomes:
            self.report({"INFO"}, say(messages.STOPPED))
            return {"CANCELLED"}
        self.report({"INFO"}, say(messages.BATCH_STOPPED))
        return self.finished(context)

    def finished(self, context: Context) -> Returned:
        """Turn the view to what is new, and tell of all files."""
        framing.frame(context, self._outcomes)
        return tell_outcomes(self, context, self._outcomes, len(self._files))


def run(
    operator: OperatorMixin, context: Context, file_format: AnyFormat, paths: Sequence[Path], options: ImportOptions
) -> Returned:
    """Import files for an operator and say what came in; in a window a large file, or several, step by step."""
    if operator.interactive and (len(paths) > 1 or cost_of(paths[0]) > file_format.long_from):
        return _start(file_format, paths, options_as_text(options))
    with Progress(context):
        outcomes = list(import_files(context, paths, file_format, options, preferences.game_folders(context)))
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
