"""Failures as a dialogue whose text can be copied, and as the error that a script receives."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty
from bpy.types import Operator

from ..io_formats import messages as common_messages
from ..pipeline.language import counted, say
from ..scene.names import printable
from . import messages

_WIDTH = 560
_LINE = 88
_MOST_NAMES = 20
"""Names of files that a dialogue lists."""
_PLAIN = (bool, int, float, str)


class ShowMessage(Operator):
    """Show a message that can be copied out of its text field."""

    bl_idname = "anim_curves.show_message"
    bl_label = "Animation Curves"
    bl_description = "Show a message whose text can be copied"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        text: str
    else:
        text: StringProperty(options={"SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Open the dialogue."""
        del event
        return context.window_manager.invoke_props_dialog(self, width=_WIDTH)

    def execute(self, context: bpy.types.Context) -> Any:
        """Do nothing more when the dialogue closes."""
        del context
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the message in lines to read, and once more in a field to copy from."""
        del context
        for paragraph in self.text.splitlines():
            for line in textwrap.wrap(paragraph, _LINE) or [""]:
                self.layout.label(text=line, translate=False)
        self.layout.label(text=messages.COPY_HINT)
        self.layout.prop(self, "text", text="")


class ConfirmReplace(Operator):
    """Ask before files are replaced that the file browser did not show, and export then."""

    bl_idname = "anim_curves.confirm_replace"
    bl_label = "Replace Files?"
    bl_description = "List the files that an export would replace, and export when that is wanted"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        paths: str
        exporter: str
        settings: str
    else:
        paths: StringProperty(options={"SKIP_SAVE"})
        exporter: StringProperty(options={"SKIP_SAVE"})
        settings: StringProperty(options={"SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Open the dialogue."""
        del event
        return context.window_manager.invoke_props_dialog(self, width=_WIDTH)

    def execute(self, context: bpy.types.Context) -> Any:
        """Export again, now with leave to replace."""
        del context
        group, _, name = self.exporter.partition(".")
        return getattr(getattr(bpy.ops, group), name)("EXEC_DEFAULT", **json.loads(self.settings), overwrite=True)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the names of the files, the first of very many."""
        del context
        names = json.loads(self.paths)
        self.layout.label(text=counted(len(names), messages.REPLACES))
        for name in names[:_MOST_NAMES]:
            self.layout.label(text=printable(name), translate=False)
        if len(names) > _MOST_NAMES:
            self.layout.label(text=say(common_messages.MORE_LIKE_THIS, count=len(names) - _MOST_NAMES), translate=False)


def ask_to_replace(operator: Any, paths: Sequence[Path]) -> Any:
    """Ask whether an export that was not allowed to overwrite may do so; it is called again if it may.

    Args:
        operator: the export operator; what it returns is to be this.
    """
    settings = {name: value for name, value in operator.as_keywords().items() if isinstance(value, _PLAIN)}
    settings.pop("overwrite", None)
    bpy.ops.anim_curves.confirm_replace(  # type: ignore[attr-defined]
        "INVOKE_DEFAULT",
        paths=json.dumps([str(path) for path in paths]),
        exporter=type(operator).bl_idname,  # the operator itself says it in Blender's inner form
        settings=json.dumps(settings),
    )
    return {"CANCELLED"}


def fail(operator: Any, text: str) -> Any:
    """End an operator with an error: a dialogue for a person, an exception with this text for a script."""
    text = printable(text)
    if getattr(operator, "interactive", False) and not bpy.app.background:
        operator.report({"WARNING"}, text)
        bpy.ops.anim_curves.show_message("INVOKE_DEFAULT", text=text)  # type: ignore[attr-defined]
    else:
        operator.report({"ERROR"}, text)
    return {"CANCELLED"}


CLASSES = (ShowMessage, ConfirmReplace)
