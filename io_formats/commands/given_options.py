"""The options that a command line was given: read for the formats at hand, refused where nobody would look at them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from types import ModuleType
from typing import Any

from .. import FORMATS
from ..errors import FormatError
from ..scene_options import ExportOptions, ImportOptions
from . import messages
from .flags import flag_of, options_from

IMPORTS: tuple[type[ImportOptions], ...] = tuple(package.ImportOptions for package in FORMATS)
EXPORTS: tuple[type[ExportOptions], ...] = tuple(package.ExportOptions for package in FORMATS)
_ONCE = ("scale", "forward", "up", "rig_layer", "one_hand")
"""Options of imports and exports alike that a conversion follows once: as an export, as what is written shows them."""


def _names_of(*classes: type[Any]) -> set[str]:
    return {declared.name for options_class in classes for declared in fields(options_class)}


def _names_for_convert() -> set[str]:
    codecs = [options_class for package in FORMATS for options_class in (package.ReadOptions, package.WriteOptions)]
    declared = [declared for options_class in codecs for declared in fields(options_class)]
    return {option.name for option in declared if option.metadata["convert"]}


NOT_FOR_CONVERT = _names_of(*IMPORTS, *EXPORTS) - _names_for_convert()
"""Options that need a scene in Blender."""


def import_options(namespace: argparse.Namespace, package: ModuleType) -> Any:
    """Return the options of an import; FormatError names one that the format does not have."""
    _refuse_others(namespace, [package], [package.ImportOptions])
    return options_from(namespace, package.ImportOptions)


def export_options(namespace: argparse.Namespace, package: ModuleType) -> Any:
    """Return the options of an export; FormatError names one that the format does not have."""
    _refuse_others(namespace, [package], [package.ExportOptions])
    return options_from(namespace, package.ExportOptions)


def convert_options(namespace: argparse.Namespace, source: ModuleType, target: ModuleType) -> tuple[Any, Any]:
    """Return the options for reading and writing of a conversion.

    Raises:
        FormatError: an option that neither format has, or that needs a scene in Blender.
    """
    for name in sorted({*_ONCE} & set(vars(namespace))):
        if name not in _names_of(target.WriteOptions):
            raise FormatError(messages.CLI_NOT_OF_FORMAT, flag=flag_of(name), formats=target.TITLE)
    _refuse_others(namespace, [source, target], [source.ImportOptions, target.ExportOptions])
    for name in sorted(NOT_FOR_CONVERT & set(vars(namespace))):
        raise FormatError(messages.CLI_NOT_FOR_CONVERT, flag=flag_of(name))
    read, written = options_from(namespace, source.ReadOptions), options_from(namespace, target.WriteOptions)
    defaults = {field.name: field.default for field in fields(read) if field.name in _ONCE}
    return replace(read, **defaults), written


def _refuse_others(namespace: argparse.Namespace, packages: Sequence[ModuleType], classes: Sequence[type[Any]]) -> None:
    for name in sorted((_names_of(*IMPORTS, *EXPORTS) - _names_of(*classes)) & set(vars(namespace))):
        titles = ", ".join(dict.fromkeys(package.TITLE for package in packages))
        raise FormatError(messages.CLI_NOT_OF_FORMAT, flag=flag_of(name), formats=titles)
