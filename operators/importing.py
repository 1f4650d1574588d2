"""The import operators, one for each format: files chosen, options, work in steps, one digest line out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import bpy
from bpy.props import CollectionProperty, IntProperty, StringProperty
from bpy.types import Context, Event, Operator, OperatorFileListElement, PropertyGroup, UILayout, UIList
from bpy_extras.io_utils import ImportHelper

from ..io_formats import FORMATS, FormatError, format_of, identify
from ..io_formats import messages as common_messages
from ..io_formats.errors import about_file
from ..io_formats.files import memory, whole_file
from ..io_formats.files.steps import finished
from ..pipeline import import_files, source_file
from ..pipeline.language import cause_text, counted, say
from ..scene import targets
from ..scene.names import printable
from ..scene.types import CollectionOf, OperatorMixin, Returned
from . import dialogs, framing, messages, preferences, reporting
from .preferences import PATH_FLAGS, draw_options, made_for, property_of, read_options
from .window_work import Progress, WindowWork, WorkingOperator

if TYPE_CHECKING:
    from ..io_formats.format import AnyFormat
    from ..pipeline.results import Outcome
    from .action_tools import MatchNames


_NAMES_SHOWN = 6
"""Lines of the list of names at most, where options are below it."""


class NamePair(PropertyGroup):
    """A name of the file, and the bone that it means."""

    bone: str = property_of(StringProperty)


class NamePairs(UIList):
    """The names of a file, left, and the bones that they mean, right."""

    bl_idname = "ANIM_CURVES_UL_names"

    def draw_item(  # type: ignore[override]  # who needs fewer is given fewer
        self, context: Context, layout: UILayout, data: object, item: NamePair, icon: int, _of: object, _name: str
    ) -> None:
        """Draw a name, and a menu of bones; one without is marked."""
        split = layout.split(factor=0.5)
        split.label(text=printable(item.name), icon="CHECKMARK" if item.bone else "ERROR", translate=False)
        rig = targets.selected_rig(context)
        if rig is not None:
            split.prop_search(item, "bone", rig.data, "bones", text="")


def list_names(pairs: CollectionOf[NamePair], found: Mapping[str, str]) -> None:
    """Make a list that of these names and the bones that they mean, empty for none, which are seen first."""
    pairs.clear()
    for name, bone in sorted(found.items(), key=lambda pair: bool(pair[1])):
        pair = pairs.add()
        pair.name, pair.bone = name, bone


def table_of(pairs: CollectionOf[NamePair]) -> str:
    """Return a list of names as the text of a Name Table."""
    return source_file.table_text({pair.name: pair.bone for pair in pairs})


def draw_names(layout: UILayout, operator: ImportOperator | MatchNames, most: int) -> None:
    """Draw the list of names that an operator has, of so many lines at most, and a button that saves it."""
    pairs = operator.pairs
    found = sum(bool(pair.bone) for pair in pairs)
    layout.label(text=say(messages.NAMES_MATCHED, matched=found, total=len(pairs)), translate=False)
    rows = min(len(pairs), most)
    layout.template_list(NamePairs.bl_idname, "", operator, "pairs", operator, "active", rows=rows)
    layout.operator_context = "INVOKE_DEFAULT"
    layout.operator("anim_curves.save_name_table", icon="FILE_TEXT").table = table_of(pairs)


class ImportOperator(ImportHelper, OperatorMixin):
    """Mixin of the import operators, to which a format adds words and options; `filepath` is enough for a script."""

    bl_options = {"REGISTER", "UNDO", "PRESET"}
    in_browser = False

    file_format: ClassVar[AnyFormat]
    bl_idname: str
    bl_label: str
    menu_label: ClassVar[str]
    filepath: str = property_of(
        StringProperty, "File Path", subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE", *PATH_FLAGS}
    )
    directory: str = property_of(StringProperty, subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE", *PATH_FLAGS})
    files: CollectionOf[OperatorFileListElement] = property_of(
        CollectionProperty, type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"}
    )
    said: str = property_of(StringProperty, options={"HIDDEN", "SKIP_SAVE"})
    pairs: CollectionOf[NamePair] = property_of(CollectionProperty, type=NamePair, options={"HIDDEN", "SKIP_SAVE"})
    active: int = property_of(IntProperty, options={"HIDDEN", "SKIP_SAVE"})
    listed: str = property_of(StringProperty, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: Context) -> bool:
        met = context.scene is not None and context.view_layer is not None
        return reporting.allowed(cls, met, messages.IMPORT_NEEDS_SCENE)

    def invoke(self, context: Context, event: Event) -> Returned:  # type: ignore[override]
        self.interactive = not bpy.app.background
        self.in_browser = not self.properties.is_property_set("filepath")
        preferences.apply_defaults(context, self)
        if self.in_browser:
            return self.invoke_popup(context)
        # Blender's own dialogue has the whole path as its title, of which a long one's end, the name, is not seen.
        title = counted(len(self.files), messages.FILES) if len(self.files) > 1 else Path(self.filepath).name
        return context.window_manager.invoke_props_dialog(self, title=printable(title), confirm_text=say(self.bl_label))

    def execute(self, context: Context) -> Returned:
        path = Path(bpy.path.abspath(self.filepath))
        folder = Path(bpy.path.abspath(self.directory)) if self.directory else path.parent
        several = [folder / entry.name for entry in self.files if entry.name]
        paths = several or ([path] if self.filepath else [])
        if not paths:
            return dialogs.fail(self, say(common_messages.NO_FILE_CHOSEN))
        options = read_options(self, self.file_format.import_options)
        if self._is_chosen:
            options = replace(options, name_table=table_of(self.pairs))
        return run(self, context, [import_files.Load(self.file_format, paths, options)])

    def draw(self, context: Context) -> None:
        paths = _chosen(context, self)
        for line in facts_of(paths[0]) if len(paths) == 1 else facts_of_several(paths):
            reporting.draw_sentence(self.layout, context, line, "NONE")
        reporting.draw_told(self.layout, context, self.said)
        if self.pairs:
            draw_names(self.layout, self, _NAMES_SHOWN)
        draw_options(self.layout, self, self.file_format.import_options)

    @property
    def _is_chosen(self) -> bool:
        return bool(self.pairs) and self.listed != table_of(self.pairs)

    def keep(self, outcomes: Sequence[Outcome]) -> None:
        """Keep how a person's rig took the first file that came onto one, and which bones its names mean there."""
        first = next((outcome for outcome in outcomes if outcome.proportions), None)
        chosen, said = self._is_chosen, "" if first is None else first.proportions
        list_names(self.pairs, {} if first is None else first.names)
        listed = "" if chosen or first is None else table_of(self.pairs)
        if (said, listed) != (self.said, self.listed):  # what is set stands in the Info editor, to be copied
            self.said, self.listed = said, listed


CLASSES = tuple(made_for(each, "Import", ImportOperator, each.words.opens, each.import_options) for each in FORMATS)


class ImportWork(WorkingOperator["import_files.Step"]):
    """Mixin of operators that import files while the window stays alive. ESC takes back the file at hand; of several,
    those before it stay. Adjust Last Operation is not offered then: each change there would import once more."""

    _outcomes: list[Outcome]
    _total: int

    def begin_import(
        self, context: Context, steps: Generator[import_files.Step, bool | None, None], paths: Sequence[Path]
    ) -> Returned:
        """Begin the steps of an import of files, and return what the operator is to return."""
        self._outcomes, self._total = [], len(paths)
        return self.begin(context, steps, self._line(import_files.Step(paths[0], 0.0)))

    def _take_in(self, step: import_files.Step) -> None:
        if step.outcome is not None:
            self._outcomes.append(step.outcome)

    def _line(self, step: import_files.Step) -> str:
        share = {"name": step.path.name, "percent": int(100 * step.share)}
        if self._total == 1:
            return say(messages.PROGRESS, **share)
        return say(messages.PROGRESS_OF_FILES, done=len(self._outcomes), total=self._total, **share)

    def _stopped(self, context: Context) -> Returned:
        if not self._outcomes:
            self.report({"INFO"}, say(messages.STOPPED))
            return {"CANCELLED"}
        ended = self._finished(context)
        self.report({"INFO"}, say(messages.BATCH_STOPPED, done=len(self._outcomes), total=self._total))
        return ended

    def _finished(self, context: Context) -> Returned:
        return reporting.tell_outcomes(self, context, self._outcomes, self._total)


class ImportBatch(ImportWork, Operator):
    """Import large or many animation files step by step; ESC ends it."""

    bl_idname = "import_anim.batch"
    bl_label = "Import Animations"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    interactive = True

    loads: str = property_of(StringProperty, options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, event: Event) -> Returned:
        loads = _loads_from_text(self.loads)
        steps = import_files.import_loads(context, loads, preferences.game_folders(context))
        return self.begin_import(context, steps, _paths_of(loads))

    def execute(self, context: Context) -> Returned:
        return reporting.tell_outcomes(self, context, _imported(context, _loads_from_text(self.loads)))

    def _finished(self, context: Context) -> Returned:
        framing.frame(context, self._outcomes)
        return super()._finished(context)


def run(operator: OperatorMixin, context: Context, loads: Sequence[import_files.Load]) -> Returned:
    """Import files, also of several formats, for an operator and say what came in, in one undo step; in a window a
    large file, or several, step by step."""
    dialogs.leave_edit_mode(context, asked=operator.interactive)
    if operator.interactive and takes_long(loads):  # the calling operator is to leave neither undo step nor redo panel
        bpy.ops.import_anim.batch("INVOKE_DEFAULT", loads=loads_as_text(loads))  # type: ignore[attr-defined]
        return {"CANCELLED"}
    with Progress(context):
        outcomes = _imported(context, loads)
    if operator.interactive:
        framing.frame(context, outcomes)
    if isinstance(operator, ImportOperator):
        operator.keep(outcomes)
    return reporting.tell_outcomes(operator, context, outcomes)


def takes_long(loads: Sequence[import_files.Load]) -> bool:
    """Return whether files are imported step by step in a window: several, or a large one."""
    return len(_paths_of(loads)) > 1 or any(whole_file.cost_of(load.paths[0]) > load.format.long_from for load in loads)


def _imported(context: Context, loads: Sequence[import_files.Load]) -> list[Outcome]:
    steps = import_files.import_loads(context, loads, preferences.game_folders(context))
    return [step.outcome for step in steps if step.outcome is not None]


def _paths_of(loads: Sequence[import_files.Load]) -> list[Path]:
    return [path for load in loads for path in load.paths]


def loads_as_text(loads: Sequence[import_files.Load]) -> str:
    """Return what is to be imported as JSON, for an operator that only takes plain properties."""
    return json.dumps([(load.format.name, [*map(str, load.paths)], asdict(load.options)) for load in loads])


def _loads_from_text(text: str) -> list[import_files.Load]:
    asked = ((format_of(name), map(Path, paths), options) for name, paths, options in json.loads(text))
    return [import_files.Load(kind, [*paths], kind.import_options(**options)) for kind, paths, options in asked]


class ToggleEditMode(bpy.types.Macro):
    """Enter or leave Edit Mode as a part of other work, unsaid in the Info editor, where people look for their own."""

    bl_idname = "anim_curves.toggle_edit_mode"
    bl_label = "Toggle Edit Mode for an Import"
    bl_options = {"INTERNAL"}


def register() -> None:
    """Make the macro known."""
    bpy.utils.register_class(ToggleEditMode)  # type: ignore[arg-type]
    ToggleEditMode.define("OBJECT_OT_editmode_toggle")


def unregister() -> None:
    """Take it back, and what is under way."""
    for work in [getattr(end, "__self__", None) for end in bpy.app.handlers.load_pre]:
        if isinstance(work, WindowWork):
            work.close()
    if hasattr(bpy.types, "ANIM_CURVES_OT_toggle_edit_mode"):
        bpy.utils.unregister_class(ToggleEditMode)  # type: ignore[arg-type]


BATCH_CLASSES = (NamePair, NamePairs, ImportBatch)


# What the files chosen in the file browser are, shown above the options: kind, size, rate and duration.

LARGEST = 2 << 20
"""Bytes of the largest file that is read just to show its rate: a click must not make the window wait."""

_MOST_EXPANDED = 8 << 20
"""Bytes to which a compressed one may expand for that."""

_MOST_FILES = 50
"""Files that are opened to tell of what kinds several are."""


def _chosen(context: Context, operator: ImportOperator) -> list[Path]:
    """Return the files that are selected in the file browser, the highlighted one if none is; or the dropped ones."""
    browser = getattr(context.space_data, "params", None)
    if browser is not None and context.space_data.type == "FILE_BROWSER":
        directory = browser.directory.decode("utf-8", "replace")
        names = [entry.name for entry in context.selected_files or ()]
        names = names if len(names) > 1 else [browser.filename]
    else:
        directory, names = operator.directory, [entry.name for entry in operator.files]
    return [Path(directory, name) for name in names if directory and name]


def facts_of(path: Path) -> tuple[str, ...]:
    """Return what kind of file it is, and rate and duration, or size, or what is wrong with it; empty for no file."""
    state = whole_file.state_of(path)
    return () if state is None else _lines(path, *state)


def facts_of_several(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return how many files there are, their size together, and of what kinds the first of them are; empty for none."""
    if not paths:
        return ()
    states = [(path, *state) for path in paths[:_MOST_FILES] if (state := whole_file.state_of(path))]
    kinds = Counter(_kind(*state) or say(messages.OTHER_KIND) for state in states)
    told = [f"{count} x {kind}" for kind, count in kinds.items()]
    count = counted(len(paths), messages.FILES)
    if len(paths) > _MOST_FILES:
        return count, say(messages.FIRST_KINDS, count=_MOST_FILES), *told
    size = reporting.size_text(sum(size for _, _, size in states))
    return say(messages.SIZE_OF, what=count, size=size), *told


@lru_cache(maxsize=64)
def _lines(path: Path, changed: int, size: int) -> tuple[str, ...]:
    """Return the lines for a file in one state, which `changed` and `size` tell from others, as of `_kind`."""
    kind = _kind(path, changed, size)
    if not kind:
        return (say(messages.NO_KIND),)
    try:
        with about_file(path), memory.limited():
            data = whole_file.read_file(path, LARGEST)
            file_format = identify(data)
            facts = file_format.describe(finished(file_format.read(data, limit=_MOST_EXPANDED)))
    except FormatError as error:
        too_large = "limit" in error.values  # to be looked at in passing
        return kind, reporting.size_text(size) if too_large else cause_text(error)
    animations = facts.get("animations", [facts])
    if not animations:
        return kind, say(messages.FILE_STILL)
    rate, seconds = (max(one[fact] or 0.0 for one in animations) for fact in ("rate", "duration"))
    template = messages.FILE_FACTS if rate else messages.FILE_FACTS_NO_RATE
    return kind, say(template, rate=f"{rate:g}", seconds=f"{seconds:.1f}")


@lru_cache(maxsize=_MOST_FILES)
def _kind(path: Path, changed: int, size: int) -> str:
    try:
        with whole_file.unread(path) as look:
            return say(identify(look).title)
    except FormatError:
        return ""
