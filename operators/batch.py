"""Large or many files from the file browser, a drop or a list, step by step, so that the window lives on.

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
from ..io_formats.files import whole_file
from ..pipeline import import_files
from ..pipeline.language import say
from ..scene.types import OperatorMixin, Returned
from . import framing, messages, preferences, reporting
from .options import options_as_text, options_from_text
from .window_work import Progress, WorkingOperator

if TYPE_CHECKING:
    from ..pipeline.results import Outcome


class ImportWork(WorkingOperator["import_files.Step"]):
    """Mixin of operators that import files while the window stays alive."""

    if TYPE_CHECKING:
        _outcomes: list[Outcome]
        _total: int

    def begin_import(
        self, context: Context, steps: Generator[import_files.Step, None, None], paths: Sequence[Path]
    ) -> Returned:
        """Begin the steps of an import of files, and return what the operator is to return."""
        self._outcomes, self._total = [], len(paths)
        return self.begin(context, steps, self.line(import_files.Step(paths[0], 0.0)))

    def take(self, step: import_files.Step) -> None:
        """Keep what became of a file."""
        if step.outcome is not None:
            self._outcomes.append(step.outcome)

    def line(self, step: import_files.Step) -> str:
        """Return what the status bar shows."""
        share = {"name": step.path.name, "percent": int(100 * step.share)}
        if self._total == 1:
            return say(messages.PROGRESS, **share)
        return say(messages.PROGRESS_OF_FILES, done=len(self._outcomes), total=self._total, **share)

    def stopped(self, context: Context) -> Returned:
        """Tell of the files before the one that was taken back."""
        if not self._outcomes:
            self.report({"INFO"}, say(messages.STOPPED))
            return {"CANCELLED"}
        self.report({"INFO"}, say(messages.BATCH_STOPPED))
        return self.finished(context)

    def finished(self, context: Context) -> Returned:
        """Tell of all files."""
        return reporting.tell_outcomes(self, context, self._outcomes, self._total)


class ImportBatch(ImportWork, Operator):
    """Import one large file or several files while the window stays alive."""

    bl_idname = "import_anim.batch"
    bl_label = "Import Animations"
    bl_description = "Import large or many animation files step by step; ESC ends it"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    interactive = True

    if TYPE_CHECKING:
        loads: str
    else:
        loads: StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> Returned:
        """Start the timer."""
        del event
        loads = _loads_from_text(self.loads)
        steps = import_files.import_loads(context, loads, preferences.game_folders(context))
        return self.begin_import(context, steps, _paths_of(loads))

    def execute(self, context: Context) -> Returned:
        """Straight through, for a Blender without a window."""
        return reporting.tell_outcomes(self, context, _imported(context, _loads_from_text(self.loads)))

    def finished(self, context: Context) -> Returned:
        """Turn the view to what is new, and tell of all files."""
        framing.frame(context, self._outcomes)
        return super().finished(context)


def run(operator: OperatorMixin, context: Context, loads: Sequence[import_files.Load]) -> Returned:
    """Import files for an operator and say what came in; in a window a large file, or several, step by step.

    Files of several formats are one piece of work, and one undo step.
    """
    if operator.interactive and takes_long(loads):
        return _start(loads)
    with Progress(context):
        outcomes = _imported(context, loads)
    if operator.interactive:
        framing.frame(context, outcomes)
    return reporting.tell_outcomes(operator, context, outcomes)


def takes_long(loads: Sequence[import_files.Load]) -> bool:
    """Return whether files are imported step by step in a window: several, or a large one."""
    return len(_paths_of(loads)) > 1 or any(whole_file.cost_of(load.paths[0]) > load.format.long_from for load in loads)


def _imported(context: Context, loads: Sequence[import_files.Load]) -> list[Outcome]:
    steps = import_files.import_loads(context, loads, preferences.game_folders(context))
    return [step.outcome for step in steps if step.outcome is not None]


def _paths_of(loads: Sequence[import_files.Load]) -> list[Path]:
    return [path for load in loads for path in load.paths]


def _start(loads: Sequence[import_files.Load]) -> Returned:
    """Hand the files to the modal operator.

    What it returns is for the calling operator, of which neither an undo step nor a redo panel is to be left.
    """
    bpy.ops.import_anim.batch("INVOKE_DEFAULT", loads=loads_as_text(loads))  # type: ignore[attr-defined]
    return {"CANCELLED"}


def loads_as_text(loads: Sequence[import_files.Load]) -> str:
    """Return what is to be imported as JSON, for an operator that only takes plain properties."""
    return json.dumps(
        [(load.format.name, [str(path) for path in load.paths], options_as_text(load.options)) for load in loads]
    )


def _loads_from_text(text: str) -> list[import_files.Load]:
    loads = []
    for name, paths, options in json.loads(text):
        file_format = format_of(name)
        chosen = options_from_text(options, file_format.import_options)
        loads.append(import_files.Load(file_format, [Path(path) for path in paths], chosen))
    return loads


CLASSES = (ImportBatch,)
