"""What a person is told after an import or export: one line, the full list in a Text."""

from __future__ import annotations

import re
import textwrap
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import bpy
from bpy.app import handlers
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event, Operator, SpaceTextEditor, Text, UILayout

from ..io_formats import format_in
from ..io_formats.errors import Entry, FormatError, Report
from ..io_formats.files import whole_file
from ..pipeline import language, results
from ..pipeline import messages as pipeline_messages
from ..pipeline.language import cause_text, counted, entry_text, error_text, say
from ..scene import names, provenance, undo
from ..scene.types import Returned
from . import dialogs, messages, preferences
from .preferences import property_of

if TYPE_CHECKING:
    from ..io_formats.format import AnyFormat
    from ..pipeline.results import Exported, Outcome

_MARK = "anim_curves_report"
"""The custom property of our Texts: a person may have one of the same name, which is left alone."""


_SAID = "anim_curves_said"
"""The custom property of our Text of exports with what the panel shows of it."""

_Icon: TypeAlias = Literal["INFO", "ERROR", "CHECKMARK", "GREASEPENCIL", "FILE_FOLDER", "BLANK1", "NONE"]

_LETTER, _BESIDE_TEXT, _POPUP, _FEWEST_LETTERS = 6.7, 60.0, 300.0, 20
"""Pixels that a letter of Blender's interface takes on average, and that margins and an icon take, at its usual size;
the width of Adjust Last Operation, which is shown over a wide region; and the least that is put into a line."""

_MOST_NAMES = 3
"""Files of several that were written whose names the panel shows."""


def report_text(name: str) -> Text | None:
    """Return the Text with the latest report of that name, which may bear another one beside a person's; or None."""
    return next((text for text in bpy.data.texts if text.get(_MARK) == name and text.library is None), None)


def tell_outcomes(operator: Operator, context: Context, outcomes: Sequence[Outcome], asked: int = 0) -> Returned:
    """Report an import of as many files as were `asked` for; CANCELLED, with the reasons, when no file came in."""
    asked = asked or len(outcomes)
    errors = [error_text(outcome.error) for outcome in outcomes if outcome.error is not None]
    if len(errors) == len(outcomes):
        return dialogs.fail(operator, "\n".join(errors) or say(messages.NOTHING_IMPORTED), _problem(outcomes))
    imported = [outcome for outcome in outcomes if outcome.error is None]
    reports = [outcome.report for outcome in outcomes]
    text = report_text(IMPORT_TEXT)
    if text is None and (asked > 1 or any(report.warnings for report in reports)):
        text = _new_text(IMPORT_TEXT)
    name = IMPORT_TEXT if text is None else text.name
    line = _named(imported[0]) if asked == 1 else _batch_digest(outcomes, errors, asked, name)
    if text is not None:
        _fill(text, line, imported, errors)
    tell(operator, context, line, reports, failed=bool(errors), text=name, files=[one.path.name for one in outcomes])
    return {"FINISHED"}


def _problem(failed: Sequence[Outcome]) -> dialogs.Problem | None:
    """Return what a dialogue tells of files that did not come in; those of one other format are offered as that."""
    if not failed:
        return None
    contents = [_content(outcome) for outcome in failed]
    causes, details = map(list, zip(*map(_told_of, failed, contents), strict=True))
    if len(failed) > 1:
        causes, details = [say(messages.NONE_IMPORTED, count=len(failed))], causes
    offered = contents[0] if len(set(contents)) == 1 else None
    # Blender takes no name in a list of files that is no UTF-8
    odd = [outcome for outcome in failed if names.printable(str(outcome.path)) != str(outcome.path)]
    if offered is None or offered is failed[0].format or odd:
        return dialogs.Problem(causes[0], details)
    details = [say(messages.IS_OTHER_FORMAT, found=offered.title)]
    return dialogs.Problem(causes[0], details, offered.name, [outcome.path for outcome in failed])


def _content(outcome: Outcome) -> AnyFormat | None:
    """Return the format of a file's content, that of the import where it cannot be told."""
    try:
        with whole_file.unread(outcome.path) as data:
            return format_in(data, outcome.format)
    except FormatError:
        return outcome.format


def _told_of(outcome: Outcome, content: AnyFormat | None) -> tuple[str, str]:
    if content is outcome.format:
        return cause_text(outcome.error), language.place_text(outcome.error)
    return say(outcome.format.mistaken, file=outcome.path.name), error_text(outcome.error)


def allowed(operator: type[Operator], met: object, otherwise: str) -> bool:
    """Return whether an operator can be called: what it needs is `met`; else Blender shows why it cannot."""
    if not met:
        operator.poll_message_set(otherwise)
    return bool(met)


def tell(
    operator: Operator,
    context: Context,
    line: str,
    reports: Sequence[Report],
    *,
    failed: bool = False,
    text: str = "",
    files: Sequence[str] = (),
) -> None:
    """Report a line and the heaviest warning, or each where the preferences ask for that; `text` has all of them."""
    warnings = [entry for report in reports for entry in report.warnings]
    told = [(line, failed)]
    preferred = preferences.preferences(context)
    if warnings and preferred is not None and preferred.report_detail == "WARNINGS":
        lines = dict.fromkeys(line for report in reports for line in language.report_lines(report, language.line_of))
        told[:0] = [(each, True) for each in lines]
    elif warnings:
        heavy = language.heaviest(reports, files)
        heavy = say(messages.MORE_IN_TEXT, line=heavy, text=text) if len(warnings) > 1 else heavy
        # two reports, as the status bar shows the last warning, and would cut the middle of both in one
        told.insert(0 if failed else 1, (heavy, True))
    # a warning of a file browser's operator would open a menu at the pointer and be gone with it
    in_browser = getattr(operator, "in_browser", False)
    for sentence, warns in told:
        operator.report({"WARNING"} if warns and not in_browser else {"INFO"}, names.printable(sentence))
    for area in context.screen.areas if context.screen else ():
        area.tag_redraw()  # panels that say so, too


def _batch_digest(outcomes: Sequence[Outcome], errors: Sequence[str], asked: int, text: str) -> str:
    applied = [outcome.applied for outcome in outcomes if outcome.applied is not None]
    # one for several that were merged or lined up in it
    made = {action.name for each in applied for action in each.actions if undo.is_there(action)}
    parts = [
        say(messages.FILES_OF, done=len(outcomes) - len(errors), total=asked),
        counted(len(made), messages.ACTIONS),
        counted(sum(outcome.facts.get("keys", 0) for outcome in outcomes), pipeline_messages.KEYS),
        *results.warning_count(*(outcome.report for outcome in outcomes)),
        *([say(messages.SKIPPED_SEE_TEXT, count=len(errors), text=text)] if errors else []),
    ]
    return ", ".join(parts)


def tell_exports(operator: Operator, context: Context, written: Sequence[Exported]) -> Returned:
    """Report an export; CANCELLED when there was nothing to write."""
    if not written:
        return dialogs.fail(operator, say(messages.NOTHING_EXPORTED))
    reports = [exported.report for exported in written]
    several = ", ".join([say(messages.WRITTEN, count=len(written)), *results.warning_count(*reports)])
    line = _named(written[0]) if len(written) == 1 else several
    text = report_text(EXPORT_TEXT) or _new_text(EXPORT_TEXT)
    _fill(text, line, written)
    text[_SAID] = names.printable("\n".join(_said(line, written)))
    tell(operator, context, line, reports, text=text.name, files=[exported.path.name for exported in written])
    return {"FINISHED"}


def said_last() -> list[str]:
    """Return what the latest export said, see `draw_told`: when and what was written, and how far off it plays."""
    text = report_text(EXPORT_TEXT)
    return [] if text is None else str(text.get(_SAID, "")).splitlines()


def _said(line: str, written: Sequence[Exported]) -> list[str]:
    """Return what the panel says of an export; of several files the names, and what was measured of the worst."""
    said = [f"INFO {say(messages.WRITTEN_AT, time=time.strftime('%Y-%m-%d %H:%M'), line=line)}"]
    if len(written) > 1:
        first, more = ", ".join(one.path.name for one in written[:_MOST_NAMES]), len(written) - _MOST_NAMES
        said.append(f"INFO {first} {say(messages.PANEL_MORE, count=more)}" if more > 0 else f"INFO {first}")
    off = [(one, entry) for one in written for entry in one.report.warnings if entry.template in language.PLAYED_OFF]
    if off:
        worst, entry = max(off, key=lambda found: found[0].check.badness() if found[0].check else 0.0)
        return [*said, f"WARNING {'' if len(written) == 1 else f'{worst.path.name}: '}{entry_text(entry)}"]
    heavy = language.heaviest([one.report for one in written], [one.path.name for one in written])
    said += [f"WARNING {heavy}"] if heavy else []
    notes = [entry for one in written for entry in one.report.notes]
    near = ([entry for entry in notes if entry.template == template] for template in language.PLAYED_BACK)
    return [*said, *(f"INFO {_figure(entries)}" for entries in near if entries)]


def _figure(near: Sequence[Entry]) -> str:
    """Return the sentence with the worst of what was measured of each file, in one unit."""
    worst = {name: max(entry.values[name] for entry in near) for name in near[0].values}
    return say(near[0].template, **{**worst, "moments": sum(entry.values["moments"] for entry in near)})


def _named(done: Outcome | Exported, *, whole: bool = False) -> str:
    return f"{done.path if whole else done.path.name}: {done.digest}"


def _new_text(name: str) -> Text:
    text = bpy.data.texts.new(name)
    text[_MARK] = name
    return text


def _fill(text: Text, line: str, done: Sequence[Outcome | Exported], errors: Sequence[str] = ()) -> None:
    title = [line] if len(done) + len(errors) > 1 else []
    whole = len({one.path.parent for one in done}) > 1  # two games may have one name
    paragraphs = [title, errors, *([_named(one, whole=whole), *language.report_lines(one.report)] for one in done)]
    text.clear()
    text.write(names.printable("\n\n".join("\n".join(lines) for lines in paragraphs if lines) + "\n"))


IMPORT_TEXT = "Import Report"
EXPORT_TEXT = "Export Report"
"""Names of the Texts with what imports and exports reported."""


class ShowText(Operator):
    """Open this report in a text editor, or in a new window if there is none."""

    bl_idname = "anim_curves.show_text"
    bl_label = "Open the Report"
    bl_options = {"INTERNAL"}

    text: str = property_of(StringProperty, options={"SKIP_SAVE"})
    library: str = property_of(StringProperty, options={"SKIP_SAVE"})

    def execute(self, context: Context) -> Returned:
        text: bpy.types.Text | None = bpy.data.texts.get((self.text, self.library or None))
        if text is None:
            return dialogs.fail(self, say(messages.NO_SUCH_TEXT, text=self.text))
        editor = _text_editor(context)
        editor.text, editor.top, editor.show_word_wrap, editor.show_syntax_highlight = text, 0, True, False
        text.cursor_set(0)
        return {"FINISHED"}


def draw_button(layout: UILayout, label: str, text: bpy.types.Text | None) -> None:
    """Draw a button that opens a Text, which may be linked and have the name of another; nothing without one."""
    if text is not None:
        shown = layout.operator(ShowText.bl_idname, text=say(label), translate=False, icon="TEXT")
        shown.text, shown.library = text.name, text.library.filepath if text.library is not None else ""


def draw_sentence(layout: UILayout, context: Context, sentence: str, icon: _Icon) -> None:
    """Draw a sentence in as many lines as a sidebar's width asks for, or a popup's, which would cut it."""
    region = context.region
    beside: _Icon = "NONE" if icon == "NONE" else "BLANK1"
    is_sidebar = region is not None and region.type in ("UI", "TOOL_PROPS")
    width = (region.width / context.preferences.system.ui_scale if is_sidebar else _POPUP) - _BESIDE_TEXT
    column = layout.column(align=True)
    whole = re.sub(r"(\d) ", "\\1\N{NO-BREAK SPACE}", sentence)  # a figure stays with its unit
    for number, line in enumerate(textwrap.wrap(whole, max(int(width / _LETTER), _FEWEST_LETTERS))):
        text = line.replace("\N{NO-BREAK SPACE}", " ")
        column.label(text=text, icon=beside if number else icon, translate=False)


def draw_told(layout: UILayout, context: Context, told: str) -> None:
    """Draw a sentence after its level, INFO or WARNING, such as `Outcome.proportions`; nothing for other text."""
    level, _, sentence = told.partition(" ")
    if level in ("INFO", "WARNING"):
        draw_sentence(layout, context, names.printable(sentence), "INFO" if level == "INFO" else "ERROR")


def _text_editor(context: Context) -> SpaceTextEditor:
    areas = [area for window in context.window_manager.windows for area in window.screen.areas]
    area = next((area for area in areas if area.type == "TEXT_EDITOR"), None)
    if area is None:
        bpy.ops.wm.window_new()
        area = context.window_manager.windows[-1].screen.areas[0]
        area.type = "TEXT_EDITOR"
    return cast("SpaceTextEditor", area.spaces.active)


class ClearKept(Operator):
    """Remove the Texts with imported files whose Actions are gone; undo brings them back."""

    bl_idname = "anim_curves.clear_kept"
    bl_label = "Clear Kept Files"
    bl_options = {"REGISTER", "UNDO"}

    unused: bool = property_of(BoolProperty, messages.CLEAR_UNUSED, messages.CLEAR_UNUSED_ABOUT, options={"SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> Returned:
        if not provenance.left_over(_unused()):
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self, confirm_text=say(messages.BUTTON_CLEAR))

    def draw(self, context: Context) -> None:
        going = self._going()
        told = say(messages.CLEARS, told=_told(going)) if going else say(messages.NOTHING_LEFT_OVER)
        self.layout.label(text=told, translate=False)
        dialogs.draw_names(self.layout, [thing.name for thing in going])
        if _unused():
            self.layout.prop(self, "unused")

    def execute(self, context: Context) -> Returned:
        dialogs.leave_edit_mode(context)
        going = self._going()
        cleared = say(messages.CLEARED, told=_told(going), names=", ".join(thing.name for thing in going))
        undo.remove_all(going)
        tell(self, context, cleared if going else say(messages.NOTHING_LEFT_OVER), [])
        return {"FINISHED"} if going else {"CANCELLED"}

    def _going(self) -> list[bpy.types.ID]:
        actions = _unused() if self.unused else []
        return [*provenance.left_over(actions), *actions]


def _unused() -> list[bpy.types.Action]:
    """Return the imported Actions that nothing plays, whether or not a fake user keeps them; assets are kept."""
    imported = (action for action in bpy.data.actions if action.get(provenance.KEY) is not None)
    unplayed = (action for action in imported if action.users == action.use_fake_user)
    return [action for action in unplayed if action.library is None and action.asset_data is None]


def size_text(size: int) -> str:
    """Return a number of bytes as people read it; Blender's file browser counts them so."""
    return say(messages.SIZES[size >= 1e6], kilobytes=size / 1e3, megabytes=size / 1e6)


def _told(going: Sequence[bpy.types.ID]) -> str:
    """Return what goes in words, such as `2 kept files (1.3 MiB), 1 Action`."""
    texts = [thing for thing in going if isinstance(thing, bpy.types.Text)]
    size = size_text(sum(provenance.size_of(text) for text in texts))
    parts = [say(messages.SIZE_OF, what=counted(len(texts), messages.KEPT_FILES), size=size)] if texts else []
    if len(going) > len(texts):
        parts.append(counted(len(going) - len(texts), messages.ACTIONS))
    return ", ".join(parts)


@handlers.persistent  # type: ignore[untyped-decorator]
def _before_saving(blend: str, *_: object) -> None:
    undo.remove_all(provenance.left_over())
    provenance.note_places(blend)


@handlers.persistent  # type: ignore[untyped-decorator]
def _after_loading(*_: object) -> None:
    undo.remove_all(provenance.left_over())
    provenance.find_places(bpy.data.filepath, bpy.data.actions)  # not where a recovered one was read from


@handlers.persistent  # type: ignore[untyped-decorator]
def _after_appending(appended: bpy.types.BlendImportContext) -> None:
    for item in appended.import_items:
        if item.source_library is not None:
            provenance.find_places(bpy.path.abspath(item.source_library.filepath), [item.id])


_APPENDED = getattr(handlers, "blend_import_post", [])  # from Blender 4.3 on
_HANDLERS = ((handlers.save_pre, _before_saving), (handlers.load_post, _after_loading), (_APPENDED, _after_appending))


def register() -> None:
    """Clear kept files before saving and after loading; an Action without users only goes when the file is opened."""
    for heard, handler in _HANDLERS:
        heard.append(handler)


def unregister() -> None:
    """Be called no more."""
    for heard, handler in _HANDLERS:
        if handler in heard:
            heard.remove(handler)


CLASSES = (ShowText, ClearKept)
