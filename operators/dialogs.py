"""Failures as a dialogue whose text can be copied, and as the error that a script receives."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty
from bpy.types import Operator

from ..io_formats import messages
from ..scene.names import printable

_WIDTH = 560
_LINE = 88


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
        """Nothing is left to do when the dialogue closes."""
        del context
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        """The message in lines to read, and once more in a field to copy from."""
        del context
        for paragraph in self.text.splitlines():
            for line in textwrap.wrap(paragraph, _LINE) or [""]:
                self.layout.label(text=line, translate=False)
        self.layout.label(text=messages.COPY_HINT)
        self.layout.prop(self, "text", text="")


def fail(operator: Any, text: str) -> Any:
    """End an operator with an error: a dialogue for a person, an exception with this text for a script."""
    text = printable(text)
    if getattr(operator, "interactive", False) and not bpy.app.background:
        operator.report({"WARNING"}, text)
        bpy.ops.anim_curves.show_message("INVOKE_DEFAULT", text=text)  # type: ignore[attr-defined]
    else:
        operator.report({"ERROR"}, text)
    return {"CANCELLED"}


CLASSES = (ShowMessage,)
