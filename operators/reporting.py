"""What a person is told after an import or export: one line, the full list in a Text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..io_formats.errors import Report
from ..pipeline import messages as pipeline_messages
from ..pipeline.language import counted, entry_text, error_text, report_lines, say
from ..pipeline.results import Exported, Outcome, warning_count
from ..scene.names import printable
from . import dialogs, messages, preferences

BATCH_TEXT = "Import Report"
EXPORT_TEXT = "Export Report"


def tell_outcomes(
    operator: Any, context: bpy.types.Context, outcomes: Sequence[Outcome], asked: int | None = None
) -> Any:
    """Report an import; CANCELLED, with the reasons, when no file came in.

    Args:
        asked: number of files that were to be imported, where a batch was stopped before its end.
    """
    asked = len(outcomes) if asked is None else asked
    errors = [error_text(outcome.error) for outcome in outcomes if outcome.error is not None]
    if len(errors) == len(outcomes):
        return dialogs.fail(operator, "\n".join(errors) or say(messages.NOTHING_IMPORTED))
    if asked == 1:
        line = outcomes[0].digest
    else:
        line = _batch_digest(outcomes, errors, asked)
        _write_batch_text(line, outcomes, errors)
    tell(operator, context, line, [outcome.report for outcome in outcomes], failed=bool(errors))
    return {"FINISHED"}


def tell(
    operator: Any, context: bpy.types.Context, line: str, reports: Sequence[Report], *, failed: bool = False
) -> None:
    """Report one line, and each warning where the preferences ask for that."""
    warnings = [entry for report in reports for entry in report.warnings]
    if warnings and preferences.wants_every_warning(context):
        for text in dict.fromkeys(text for report in reports for text in report_lines(report)):
            operator.report({"WARNING"}, printable(text))
    elif warnings:
        line = f"{line}: {entry_text(warnings[0])}"
    operator.report({"WARNING" if warnings or failed else "INFO"}, printable(line))


def _batch_digest(outcomes: Sequence[Outcome], errors: Sequence[str], asked: int) -> str:
    combined = Report()
    for outcome in outcomes:
        combined.extend(outcome.report)
    parts = [
        say(messages.FILES_OF, done=len(outcomes) - len(errors), total=asked),
        counted(sum(len(outcome.clips) for outcome in outcomes if outcome.error is None), messages.ACTIONS),
        counted(sum(clip.key_count for outcome in outcomes for clip in outcome.clips), pipeline_messages.KEYS),
        *warning_count(combined),
    ]
    if errors:
        parts.append(say(messages.SKIPPED_SEE_TEXT, count=len(errors), text=BATCH_TEXT))
    return ", ".join(parts)


def _write_batch_text(line: str, outcomes: Sequence[Outcome], errors: Sequence[str]) -> None:
    text = bpy.data.texts.get(BATCH_TEXT) or bpy.data.texts.new(BATCH_TEXT)
    text.clear()
    text.write(printable("\n".join([line, "", *errors, ""])))
    for outcome in outcomes:
        if outcome.error is None:
            lines = ["", f"{outcome.path.name}: {outcome.digest}", *report_lines(outcome.report)]
            text.write(printable("\n".join(lines)))


def tell_exports(operator: Any, context: bpy.types.Context, written: Sequence[Exported]) -> Any:
    """Report an export; CANCELLED when there was nothing to write."""
    if not written:
        return dialogs.fail(operator, say(messages.NOTHING_EXPORTED))
    reports = [exported.report for exported in written]
    if len(written) == 1:
        line = f"{written[0].path.name}: {written[0].digest}"
    else:
        combined = Report()
        for report in reports:
            combined.extend(report)
        parts = [counted(len(written), messages.FILES_WRITTEN), *warning_count(combined)]
        line = ", ".join(parts)
    _write_export_text(line, written)
    tell(operator, context, line, reports)
    return {"FINISHED"}


def _write_export_text(line: str, written: Sequence[Exported]) -> None:
    """Write the full list into a Text, where there is more to tell than the line."""
    if not any(report_lines(exported.report) for exported in written):
        return
    text = bpy.data.texts.get(EXPORT_TEXT) or bpy.data.texts.new(EXPORT_TEXT)
    text.clear()
    text.write(printable(line + "\n"))
    for exported in written:
        lines = ["", f"{exported.path.name}: {exported.digest}", *report_lines(exported.report), ""]
        text.write(printable("\n".join(lines)))
