"""Failures as a dialogue that says why and what else can be done, and as the error that a script receives."""

from __future__ import annotations

import json
import math
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import bpy
from bpy.props import IntProperty, StringProperty
from bpy.types import Context, Event, Operator, UILayout

from ..io_formats import FormatError, format_of
from ..io_formats import messages as common_messages
from ..pipeline.language import cause_text, counted, error_text, place_text, say
from ..scene.names import printable
from ..scene.types import OperatorMixin, Returned
from . import messages
from .preferences import property_of

if TYPE_CHECKING:
    from ..io_formats.format import Facts

_WIDTH = 560
_LINE = 88
_LETTER, _NARROWEST, _WIDEST = 7.0, 320, 1000
"""Pixels for a letter of a question, and for the whole of it."""
_MOST_NAMES = 20
"""Names of files that a dialogue lists."""


class Problem(NamedTuple):
    """Why something was not done, as a dialogue tells it; `offered` is the format as which `paths` can be imported."""

    cause: str
    details: Sequence[str] = ()
    offered: str = ""
    paths: Sequence[Path] = ()


class ShowProblem(Operator):
    """Tell why something was not done, and offer what was probably meant."""

    bl_idname = "anim_curves.show_problem"
    bl_label = "Animation Curves"
    bl_options = {"INTERNAL"}

    problem: str = property_of(StringProperty, options={"SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> Returned:
        return context.window_manager.invoke_props_dialog(self, width=_WIDTH)

    def execute(self, context: Context) -> Returned:
        return {"FINISHED"}

    def draw(self, context: Context) -> None:
        problem = Problem(**json.loads(self.problem))
        column = self.layout.column(align=True)
        paragraphs = [problem.cause, *problem.details]
        lines = [line for paragraph in paragraphs[:_MOST_NAMES] for line in textwrap.wrap(paragraph, _LINE)]
        if len(paragraphs) > _MOST_NAMES:
            lines.append(say(common_messages.MORE_LIKE_THIS, count=len(paragraphs) - _MOST_NAMES))
        for number, line in enumerate(lines):
            column.label(text=printable(line), icon="BLANK1" if number else "ERROR", translate=False)
        self.layout.separator()
        if problem.offered:
            found = format_of(problem.offered)
            self.layout.operator_context = "INVOKE_DEFAULT"
            label, cancel = f"Import {found.words.label}", say(messages.BUTTON_CANCEL)
            importer = self.layout.template_popup_confirm(f"import_anim.{found.name}", text=label, cancel_text=cancel)
            importer.filepath = problem.paths[0]
            importer.directory = str(Path(problem.paths[0]).parent)
            for path in problem.paths:
                importer.files.add().name = Path(path).name
        else:
            self.layout.template_popup_confirm("", text="", cancel_text=say(messages.BUTTON_OK))


class Question(OperatorMixin):
    """What operators share that ask before they replace files: the second click of a double click is no answer."""

    _asked = -math.inf

    def ask(self, context: Context, title: str, least: int = 0, confirm: str = "") -> Returned:
        """Open the dialogue, as wide as its title needs, or `least` pixels; its buttons are `confirm` and Cancel."""
        self._asked, confirm = time.monotonic(), confirm or say(messages.REPLACE)
        width = min(max(least, _NARROWEST, round(_LETTER * len(title))), _WIDEST)
        return context.window_manager.invoke_props_dialog(
            self, title=printable(title), confirm_text=confirm, cancel_default=True, width=width
        )

    def draw(self, context: Context) -> None:
        """Show nothing but the question."""

    def invoke(self, context: Context, event: Event) -> Returned:
        """Ask, unless it is plain that nothing is lost or that it cannot be done."""
        self.interactive = not bpy.app.background
        try:
            return self._question(context)
        except FormatError as error:
            return fail_with(self, error)

    def execute(self, context: Context) -> Returned:
        """Do what was asked about, unless the answer came as fast as the second click of a double click."""
        fast = time.monotonic() - self._asked < context.preferences.inputs.mouse_double_click_time / 1000.0
        try:
            return {"CANCELLED"} if fast else self._answered(context)
        except FormatError as error:
            return fail_with(self, error)

    def _question(self, context: Context) -> Returned:
        """Ask by `ask`, or do at once what needs no question."""
        raise NotImplementedError

    def _answered(self, context: Context) -> Returned:
        """Do what was asked about."""
        raise NotImplementedError


class ConfirmReplace(Question, Operator):
    """Say which files an export would replace, or how many write, and export when that is wanted."""

    bl_idname = "anim_curves.confirm_replace"
    bl_label = "Replace Files?"
    bl_options = {"INTERNAL"}

    paths: str = property_of(StringProperty, options={"SKIP_SAVE"})
    count: int = property_of(IntProperty, options={"SKIP_SAVE"})
    exporter: str = property_of(StringProperty, options={"SKIP_SAVE"})
    settings: str = property_of(StringProperty, options={"SKIP_SAVE"})

    def _question(self, context: Context) -> Returned:
        if json.loads(self.paths):
            return self.ask(context, say(self.bl_label), _WIDTH)
        return self.ask(context, say(messages.WRITES_MANY, count=self.count), confirm=say(messages.WRITE))

    def _answered(self, context: Context) -> Returned:
        group, _, name = self.exporter.partition(".")
        export = getattr(getattr(bpy.ops, group), name)
        try:
            export("INVOKE_DEFAULT", **json.loads(self.settings), confirmed=True)
        except RuntimeError as error:
            return fail(self, first_line(error))
        return {"FINISHED"}

    def draw(self, context: Context) -> None:
        names = json.loads(self.paths)
        if names:
            self.layout.label(text=counted(len(names), messages.REPLACES))
        draw_names(self.layout, names)


def draw_names(layout: UILayout, names: Sequence[str], most: int = _MOST_NAMES) -> None:
    """Draw names, a line each, the first of very many."""
    column = layout.column(align=True)
    for name in names[:most]:
        column.label(text=printable(name), icon="BLANK1", translate=False)
    if len(names) > most:
        column.label(text=say(messages.PANEL_MORE, count=len(names) - most), icon="BLANK1", translate=False)


def _given(operator: Operator) -> Facts:
    """Return what an operator was given, and have it given again next time, as Blender does after success alone."""
    every: Facts = operator.as_keywords()
    given = {name: value for name, value in every.items() if isinstance(value, bool | int | float | str)}
    last = bpy.context.window_manager.operator_properties_last(type(operator).bl_idname)
    for name, value in given.items():
        setattr(last, name, value)
    return given


def ask_to_write(operator: Operator, count: int, replaced: Sequence[Path]) -> Returned:
    """Ask whether an export operator may write so many files and replace some; it is called again if it may."""
    settings = _given(operator)
    settings["overwrite"] = bool(settings["overwrite"] or replaced)
    settings.pop("confirmed", None)
    bpy.ops.anim_curves.confirm_replace(  # type: ignore[attr-defined]
        "INVOKE_DEFAULT",
        paths=json.dumps([str(path) for path in replaced]),
        count=count,
        exporter=type(operator).bl_idname,  # the operator itself says it in Blender's inner form
        settings=json.dumps(settings),
    )
    return {"CANCELLED"}


def fail(operator: Operator, text: str, problem: Problem | None = None) -> Returned:
    """End an operator with an error: a dialogue (`problem`, else `text`) for a person, an exception for a script."""
    text = printable(text)
    if getattr(operator, "interactive", False) and not bpy.app.background:
        _given(operator)
        operator.report({"OPERATOR"}, text)  # for the Info editor only: the status bar would say it a second time
        told = json.dumps((problem or Problem(text))._asdict(), default=str)
        bpy.ops.anim_curves.show_problem("INVOKE_DEFAULT", problem=printable(told))  # type: ignore[attr-defined]
    else:
        operator.report({"ERROR"}, text)
    return {"CANCELLED"}


def leave_edit_mode(context: Context, *, asked: bool = not bpy.app.background) -> None:
    """Have a person leave Edit Mode, as Blender's importers do: undo knows only what is edited, and selects nothing."""
    if asked and context.edit_object is not None:
        bpy.ops.anim_curves.toggle_edit_mode()  # type: ignore[attr-defined]


def first_line(error: RuntimeError) -> str:
    """Return what an operator that failed says, without the line of Blender's own code that follows."""
    return str(error).strip().splitlines()[0].removeprefix("Error: ")


def fail_with(operator: Operator, error: FormatError) -> Returned:
    """End an operator with the error of a file: what is wrong first, then where."""
    return fail(operator, error_text(error), Problem(cause_text(error), [place_text(error)] if error.file else []))


CLASSES = (ShowProblem, ConfirmReplace)
