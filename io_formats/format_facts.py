"""What is known of a format before any of its files is read: all that menus, dialogues and flags are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol, TypeAlias

from . import messages
from .later import become_whole
from .options import ReadOptions, WriteOptions
from .scene_options import ExportOptions, ImportOptions

Forms: TypeAlias = tuple[str, str]
"""A sentence about one thing and about several."""


class Words(NamedTuple):
    """How a person finds the operators: what their names say after the verb, their line in both menus, what they do."""

    label: str
    menu: str
    opens: str
    saves: str


class FormatFacts(Protocol):
    """The facts of a format; it becomes the whole `Format` when a function of it is asked for.

    Attributes:
        name: in a .blend, on command lines and in operators' names; never changes.
        short: the title in one word, as a folder of assets is called.
        extensions: of its files, lower case with the dot; the first is that of new files.
        forms: ending, label and description of each form of its files, where there are several.
        read_options, write_options: the codec's own, which a conversion honours.
        import_options, export_options: the same and the scene's.
        mistaken: the sentence about a file whose content is another format's, with a field `file`.
        counted: what the digest counts: a fact of `describe` and the words for it.
        first_shown: the sentence that says when a hidden skeleton is first seen.
        needs_armature: exports are about one armature.
        counts_frames: its files have a rate, which the scene takes over while nothing is animated.
        holds_several: one file can hold several animations.
        holds_markers: a file has a place for any marker.
        free_names: nodes are called in a file as they are in Blender, since models are saved with these names.
        meshes_hide_bones: keys that hide a mesh on a bone are written as the bone's, as meshes are no nodes.
        long_from: bytes of a file from which an import can take a second.
        form_options: of writing, those that ask for another form of the same document.
        whole: the module of the package that has the functions, and the class with facts and functions.
    """

    name: str
    title: str
    short: str
    extensions: tuple[str, ...]
    forms: tuple[tuple[str, str, str], ...] = ()
    read_options: type[ReadOptions]
    write_options: type[WriteOptions]
    import_options: type[ImportOptions]
    export_options: type[ExportOptions]
    counted: tuple[tuple[str, Forms], ...]
    words: Words
    mistaken: str
    first_shown: str = messages.FIRST_SHOWN
    needs_armature: bool = False
    counts_frames: bool = False
    holds_several: bool = False
    holds_markers: bool = False
    free_names: bool = False
    meshes_hide_bones: bool = False
    long_from: int = 4 << 20
    form_options: tuple[str, ...] = ()
    whole: ClassVar[tuple[str, str]]

    if not TYPE_CHECKING:
        __getattr__ = become_whole


class PivotFacts(FormatFacts):
    """What formats have in common whose files move the pivots of skeletons, on whole frames."""

    counted = (("animations", messages.ANIMATIONS), ("pivots", messages.PIVOTS))
    needs_armature = counts_frames = holds_several = meshes_hide_bones = True
