"""Options on a command line, made from their declarations: `--repair-w / --no-repair-w` for a switch, `--rate SCENE`
for a choice, `--scale 0.01` for a number; and what a call has given."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import fields, replace
from typing import TYPE_CHECKING, TypeVar

from .. import FORMATS, INTERCHANGE
from ..errors import FormatError, Values
from ..interchange import InterchangeFacts
from ..options import AnyOptions, Declared, ReadOptions, WriteOptions, check_value
from ..scene_options import ExportOptions, ImportOptions
from . import messages

if TYPE_CHECKING:
    from ..format import AnyFormat
    from ..interchange.kind import AnyInterchange

OptionsT = TypeVar("OptionsT", bound=AnyOptions)

_DOWN_AN_AXIS = ("-X", "-Y", "-Z", "-x", "-y", "-z")


def add_flags(
    parser: argparse.ArgumentParser,
    *classes: type[AnyOptions],
    only: Collection[str] = (),
    hidden: Collection[str] = (),
) -> None:
    """Give `parser` a flag for each option, or for those in `only`; one that several classes share is added once, with
    a value that one of them accepts. One that is not given stays absent from the namespace, for each class to keep its
    own default. The help does not show `hidden` ones, which are refused by name."""
    found: dict[str, list[Declared]] = {}
    for declared in (declared for options_class in classes for declared in fields(options_class)):
        if not only or declared.name in only:
            found.setdefault(declared.name, []).append(declared)
    for name, alike in found.items():
        about = alike[0].metadata
        if isinstance(alike[0].default, bool):
            kind: Values = {"action": argparse.BooleanOptionalAction}
        elif about["items"]:
            items = dict.fromkeys(item[0] for declared in alike for item in declared.metadata["items"])
            kind = {"choices": [*items], "type": str.upper}
        else:
            kind = {"type": _reader(alike)}
        text = about["description"].replace("%", "%%") if name not in hidden else argparse.SUPPRESS
        parser.add_argument(flag_of(name), default=argparse.SUPPRESS, help=text, **kind)


def joined(arguments: Sequence[str]) -> list[str]:
    """Return a command line with `--forward -Z` as one argument, as argparse takes -Z for another flag."""
    result: list[str] = []
    for argument in arguments:
        follows_flag = "--" not in result and result[-1:] != [] and result[-1].startswith("--")
        if argument in _DOWN_AN_AXIS and follows_flag:
            result[-1] += f"={argument}"
        else:
            result.append(argument)
    return result


def flag_of(name: str) -> str:
    """Return the flag of an option: `--into-existing` for `into_existing`."""
    return "--" + name.replace("_", "-")


def _reader(alike: Sequence[Declared]) -> Callable[[str], object]:
    """Return the function that turns typed text into a value, and refuses one that none of the options accepts."""
    kind: type = type(alike[0].default)

    def read(text: str) -> object:
        try:
            value = kind(text)
        except ValueError:
            value = text  # check_value refuses it with a sentence
        errors = []
        for declared in alike:
            try:
                check_value(declared, value)
                return value
            except FormatError as error:
                errors.append(error)
        raise argparse.ArgumentTypeError(str(errors[0])) from errors[0]

    return read


def options_from(namespace: argparse.Namespace, options_class: type[OptionsT]) -> OptionsT:
    """Return the options that a parsed command line asks for; FormatError for one that does nothing without another.

    Whoever takes them checks what only an option of the same name in another class accepts."""
    given = [declared for declared in fields(options_class) if hasattr(namespace, declared.name)]
    options = options_class(**{declared.name: getattr(namespace, declared.name) for declared in given})
    for declared in given:
        other, *values = declared.metadata["only_with"] or ("",)
        if other and getattr(options, other) not in values:
            names = {True: flag_of(other), False: flag_of(f"no_{other}")}
            needed = " or ".join(names.get(value, f"{flag_of(other)} {value}") for value in values)
            raise FormatError(messages.CLI_ONLY_WITH, flag=flag_of(declared.name), needed=needed)
    return options


# The options that a command line was given: read for the formats at hand, refused where they would be ignored.

IMPORTS: tuple[type[ImportOptions], ...] = tuple(file_format.import_options for file_format in FORMATS)
EXPORTS: tuple[type[ExportOptions], ...] = tuple(file_format.export_options for file_format in FORMATS)
INTERCHANGES: tuple[type[WriteOptions], ...] = tuple(kind.write_options for kind in INTERCHANGE)
CLASSES: tuple[type[AnyOptions], ...] = (*IMPORTS, *EXPORTS, *INTERCHANGES)
"""All classes of options, of which a conversion has the parts that need no scene."""
_ONCE = ("scale", "forward", "up", "rig_layer", "one_hand")
"""Options of imports and exports alike that a conversion follows once: as an export, as what is written shows them."""


def _names_of(*classes: type[OptionsT]) -> set[str]:
    return {declared.name for options_class in classes for declared in fields(options_class)}


_ALL = _names_of(*CLASSES)
_CODECS = (*INTERCHANGES, *(side for each in FORMATS for side in (each.read_options, each.write_options)))
NOT_FOR_CONVERT = _ALL - {each.name for codec in _CODECS for each in fields(codec) if each.metadata["convert"]}
"""Options that need a scene in Blender."""


def _refuse(namespace: argparse.Namespace, names: Set[str], template: str, formats: str = "") -> None:
    for name in sorted(names & vars(namespace).keys()):
        raise FormatError(template, flag=flag_of(name), formats=formats)


def format_options(namespace: argparse.Namespace, file_format: AnyFormat, kind: type[OptionsT]) -> OptionsT:
    """Return a format's options of that kind; raise FormatError for one that it does not have."""
    _refuse(namespace, _ALL - _names_of(kind), messages.CLI_NOT_OF_FORMAT, file_format.title)
    return options_from(namespace, kind)


def convert_options(
    namespace: argparse.Namespace, source: AnyFormat, target: AnyFormat | AnyInterchange, ending: str, read_from: str
) -> tuple[ReadOptions, WriteOptions]:
    """Return the options for reading and writing of a conversion from a file of one ending to one of the other; raise
    FormatError for an option that neither format has, or that needs a scene in Blender."""
    _refuse(namespace, NOT_FOR_CONVERT, messages.CLI_NOT_FOR_CONVERT)
    _refuse(namespace, {*_ONCE} - _names_of(target.write_options), messages.CLI_NOT_OF_FORMAT, target.title)
    written = target.write_options if isinstance(target, InterchangeFacts) else target.export_options
    titles = ", ".join(dict.fromkeys([source.title, target.title]))
    _refuse(namespace, _ALL - _names_of(source.import_options, written), messages.CLI_NOT_OF_FORMAT, titles)
    # about the files of one ending, where neither file has it
    own_endings = (read_from,) if read_from in source.extensions else source.extensions  # any, where the name says none
    both = ((source.read_options, own_endings), (target.write_options, (ending,)))
    about = [(each.name, each.metadata["ending"], has) for options, has in both for each in fields(options)]
    others = {name for name, form, _ in about if form} - {name for name, form, has in about if not form or form in has}
    _refuse(namespace, others, messages.CLI_NOT_OF_FORMAT, ending)
    of_scenes = _ALL - _names_of(source.read_options, target.write_options)
    _refuse(namespace, of_scenes, messages.CLI_NOT_FOR_CONVERT)
    read = options_from(namespace, source.read_options)
    # what is about the files of an ending is asked of the file that is written, if that is one
    once = {*_ONCE, *(field.name for field in fields(target.write_options) if field.metadata["ending"] == ending)}
    defaults = {field.name: field.default for field in fields(read) if field.name in once}
    return replace(read, **defaults), options_from(namespace, target.write_options)
