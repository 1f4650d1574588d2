"""The Texts that imports and exports leave: reports are opened, files kept for nothing any more are cleared.

These go by themselves, too: when a .blend is saved, and when one is opened that still has some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import bpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event, Operator, SpaceTextEditor, UILayout

from ..pipeline.language import CONTEXT, counted, say
from ..scene import provenance, undo
from ..scene.types import Returned
from . import dialogs, messages, reporting

IMPORT_TEXT = "Import Report"
EXPORT_TEXT = "Export Report"
"""Names of the Texts with what imports and exports reported."""

_MEGABYTE = 1e6


class ShowText(Operator):
    """Open a Text in a text editor that is there, else in a window of its own."""

    bl_idname = "anim_curves.show_text"
    bl_label = "Open the Report"
    bl_description = "Open this report in a text editor, or in a new window if there is none"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        text: str
        library: str
    else:
        text: StringProperty(options={"SKIP_SAVE"})
        library: StringProperty(options={"SKIP_SAVE"})

    def execute(self, context: Context) -> Returned:
        """Show the Text from its first line on; one that is linked has the path of its library."""
        text: bpy.types.Text | None = bpy.data.texts.get((self.text, self.library or None))
        if text is None:
            return dialogs.fail(self, say(messages.NO_SUCH_TEXT, text=self.text))
        editor = _text_editor(context)
        editor.text, editor.top, editor.show_word_wrap, editor.show_syntax_highlight = text, 0, True, False
        text.cursor_set(0)
        return {"FINISHED"}


def draw_button(layout: UILayout, label: str, text: bpy.types.Text) -> None:
    """Draw a button that opens a Text, which may be linked and have the name of another."""
    shown = layout.operator(ShowText.bl_idname, text=say(label), translate=False, icon="TEXT")
    shown.text, shown.library = text.name, text.library.filepath if text.library is not None else ""


def _text_editor(context: Context) -> SpaceTextEditor:
    """Return a text editor of any window, or that of a new one."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "TEXT_EDITOR":
                return cast("SpaceTextEditor", area.spaces.active)
    bpy.ops.wm.window_new()
    area = context.window_manager.windows[-1].screen.areas[0]
    area.type = "TEXT_EDITOR"
    return cast("SpaceTextEditor", area.spaces.active)


class ClearKept(Operator):
    """Remove the files that are kept for Actions that are gone."""

    bl_idname = "anim_curves.clear_kept"
    bl_label = "Clear Kept Files"
    bl_description = "Remove the Texts with imported files whose Actions are gone; undo brings them back"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        unused: bool
    else:
        unused: BoolProperty(
            name=messages.CLEAR_UNUSED,
            description=messages.CLEAR_UNUSED_ABOUT,
            options={"SKIP_SAVE"},
            translation_context=CONTEXT,
        )

    def invoke(self, context: Context, event: Event) -> Returned:
        """Show what would go, and ask, where there is anything."""
        del event
        if not provenance.left_over(_unused()):
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self, confirm_text=say(messages.BUTTON_CLEAR))

    def draw(self, context: Context) -> None:
        """Draw the names of what would go."""
        del context
        going = self._going()
        self.layout.label(text=_told(going) if going else say(messages.NOTHING_LEFT_OVER), translate=False)
        dialogs.draw_names(self.layout, [thing.name for thing in going])
        if _unused():
            self.layout.prop(self, "unused")

    def execute(self, context: Context) -> Returned:
        """Remove it, and say so."""
        going = self._going()
        if not going:
            reporting.tell(self, context, say(messages.NOTHING_LEFT_OVER), [])
            return {"CANCELLED"}
        line = say(messages.CLEARED, told=_told(going), names=", ".join(thing.name for thing in going))
        undo.remove_all(going)
        reporting.tell(self, context, line, [])
        return {"FINISHED"}

    def _going(self) -> list[bpy.types.ID]:
        actions = _unused() if self.unused else []
        return [*provenance.left_over(actions), *actions]


def _unused() -> list[bpy.types.Action]:
    """Return the imported Actions that nothing plays, whether or not a fake user keeps them; assets are kept."""
    return [
        action
        for action in bpy.data.actions
        if action.get(provenance.KEY) is not None
        and action.users == action.use_fake_user
        and action.library is None
        and action.asset_data is None
    ]


def _told(going: Sequence[bpy.types.ID]) -> str:
    """Return what goes in words, such as `2 kept files (1.3 MiB), 1 Action`."""
    texts = [thing for thing in going if isinstance(thing, bpy.types.Text)]
    size = sum(provenance.size_of(text) for text in texts) / _MEGABYTE
    parts = [say(messages.SIZE_OF, what=counted(len(texts), messages.KEPT_FILES), megabytes=size)] if texts else []
    if len(going) > len(texts):
        parts.append(counted(len(going) - len(texts), messages.ACTIONS))
    return ", ".join(parts)


# --- By itself ----------------------------------------------------------------------------------


@persistent  # type: ignore[untyped-decorator]
def _remove_left_over(*_arguments: object) -> None:
    """Look at all Texts; only those of ours to which no Action points are removed."""
    undo.remove_all(provenance.left_over())


def register() -> None:
    """Be called before saving and after loading. An Action without users only goes when the file is opened again."""
    for handlers in (bpy.app.handlers.save_pre, bpy.app.handlers.load_post):
        handlers.append(_remove_left_over)


def unregister() -> None:
    """Be called no more."""
    for handlers in (bpy.app.handlers.save_pre, bpy.app.handlers.load_post):
        if _remove_left_over in handlers:
            handlers.remove(_remove_left_over)


CLASSES = (ShowText, ClearKept)
