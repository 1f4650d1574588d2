"""The options that a command line was given: read for the formats at hand, refused where they would be ignored."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from .. import FORMATS, INTERCHANGE
from ..errors import FormatError
from ..interchange import InterchangeFacts
from ..options import AnyOptions, ReadOptions, WriteOptions
from ..scene_options import ExportOptions, ImportOptions
from . import messages
from .flags import flag_of, options_from

if TYPE_CHECKING:
    from ..format import AnyFormat
    from ..interchange.kind import AnyInterchange

IMPORTS: tuple[type[ImportOptions], ...] = tuple(file_format.import_options for file_format in FORMATS)
EXPORTS: tuple[type[ExportOptions], ...] = tuple(file_format.export_options for file_format in FORMATS)
INTERCHANGES: tuple[type[WriteOptions], ...] = tuple(kind.write_options for kind in INTERCHANGE)
_ONCE = ("scale", "forward", "up", "rig_layer", "one_hand")
"""Options of imports and exports alike that a conversion follows once: as an export, as what is written shows them."""


def _names_of(*classes: type[AnyOptions]) -> set[str]:
    return {declared.name for options_class in classes for declared in fields(options_class)}


def _names_for_convert() -> set[str]:
    codecs = [*INTERCHANGES, *(side for each in FORMATS for side in (each.read_options, each.write_options))]
    declared = [declared for options_class in codecs for declared in fields(options_class)]
    return {option.name for option in declared if option.metadata["convert"]}


_ALL = _names_of(*IMPORTS, *EXPORTS, *INTERCHANGES)
NOT_FOR_CONVERT = _ALL - _names_for_convert()
"""Options that need a scene in Blender."""


def import_options(namespace: argparse.Namespace, file_format: AnyFormat) -> ImportOptions:
    """Return the options of an import; raise FormatError for one that the format does not have."""
    _refuse_others(namespace, [file_format], [file_format.import_options])
    return options_from(namespace, file_format.import_options)


def export_options(namespace: argparse.Namespace, file_format: AnyFormat) -> ExportOptions:
    """Return the options of an export; raise FormatError for one that the format does not have."""
    _refuse_others(namespace, [file_format], [file_format.export_options])
    return options_from(namespace, file_format.export_options)


def convert_options(
    namespace: argparse.Namespace, source: AnyFormat, target: AnyFormat | AnyInterchange, ending: str
) -> tuple[ReadOptions, WriteOptions]:
    """Return the options for reading and writing of a conversion to a file of that ending.

    Raises:
        FormatError: an option that neither format has, or that needs a scene in Blender.
    """
    for name in sorted({*_ONCE} & set(vars(namespace))):
        if name not in _names_of(target.write_options):
            raise FormatError(messages.CLI_NOT_OF_FORMAT, flag=flag_of(name), formats=target.title)
    written = target.write_options if isinstance(target, InterchangeFacts) else target.export_options
    _refuse_others(namespace, [source, target], [source.import_options, written])
    of_scenes = NOT_FOR_CONVERT | (_ALL - _names_of(source.read_options, target.write_options))
    for name in sorted(of_scenes & set(vars(namespace))):
        raise FormatError(messages.CLI_NOT_FOR_CONVERT, flag=flag_of(name))
    read = options_from(namespace, source.read_options)
    # what is about the files of an ending is asked of the file that is written, if that is one
    once = {*_ONCE, *(field.name for field in fields(target.write_options) if field.metadata["ending"] == ending)}
    defaults = {field.name: field.default for field in fields(read) if field.name in once}
    return replace(read, **defaults), options_from(namespace, target.write_options)


def _refuse_others(
    namespace: argparse.Namespace, formats: Sequence[AnyFormat | AnyInterchange], classes: Sequence[type[AnyOptions]]
) -> None:
    for name in sorted((_ALL - _names_of(*classes)) & set(vars(namespace))):
        titles = ", ".join(dict.fromkeys(file_format.title for file_format in formats))
        raise FormatError(messages.CLI_NOT_OF_FORMAT, flag=flag_of(name), formats=titles)
