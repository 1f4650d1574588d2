"""Options on a command line: flags out of their declarations, and what a call has given; for both command lines.

`--repair-w / --no-repair-w` for a switch, `--rate SCENE` for a choice, `--scale 0.01` for a number: the name,
help, choices and default all come from the dataclass field (see `options.option`).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, TypeVar

from .. import FORMATS, INTERCHANGE
from ..errors import FormatError
from ..interchange import InterchangeFacts
from ..options import AnyOptions, Declared, ReadOptions, WriteOptions, check_options, check_value
from ..scene_options import ExportOptions, ImportOptions
from . import messages

if TYPE_CHECKING:
    from ..format import AnyFormat
    from ..interchange.kind import AnyInterchange

OptionsT = TypeVar("OptionsT", bound=AnyOptions)

_DOWN_AN_AXIS = ("-X", "-Y", "-Z", "-x", "-y", "-z")


def add_flags(
    parser: argparse.ArgumentParser,
    *options_classes: type[AnyOptions],
    only: Collection[str] = (),
    hidden: Collection[str] = (),
) -> None:
    """Give `parser` a flag for each option, or for those in `only`; one that several classes share is added once.

    A flag that is not given stays absent from the namespace, so that each class keeps its own default; one that is
    given has a value that one of the classes accepts. The help does not show the options in `hidden`, which the
    command takes only to refuse them by name.
    """
    found: dict[str, list[Declared]] = {}
    for declared in (declared for options_class in options_classes for declared in fields(options_class)):
        if not only or declared.name in only:
            found.setdefault(declared.name, []).append(declared)
    for name, alike in found.items():
        declared = alike[0]
        flag = flag_of(declared.name)
        text = declared.metadata["description"].replace("%", "%%") if name not in hidden else argparse.SUPPRESS
        if isinstance(declared.default, bool):
            action = argparse.BooleanOptionalAction
            parser.add_argument(flag, action=action, default=argparse.SUPPRESS, help=text)
        elif declared.metadata["items"]:
            choices = [item[0] for item in declared.metadata["items"]]
            parser.add_argument(flag, choices=choices, type=str.upper, default=argparse.SUPPRESS, help=text)
        else:
            parser.add_argument(flag, type=_reader(alike), default=argparse.SUPPRESS, help=text)


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
            except FormatError as error:
                errors.append(error)
        if len(errors) == len(alike):
            raise argparse.ArgumentTypeError(str(errors[0])) from errors[0]
        return value

    read.__name__ = kind.__name__  # argparse shows this name in its errors
    return read


def options_from(namespace: argparse.Namespace, options_class: type[OptionsT]) -> OptionsT:
    """Return the options that a parsed command line asks for, defaults where it says nothing.

    Raises:
        FormatError: a value that only an option of the same name in another class accepts, or an option that does
            nothing, as another has none of the values with which it does.
    """
    given = [declared for declared in fields(options_class) if hasattr(namespace, declared.name)]
    options = options_class(**{declared.name: getattr(namespace, declared.name) for declared in given})
    check_options(options)
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


def _names_for_convert() -> set[str]:
    codecs = [*INTERCHANGES, *(side for each in FORMATS for side in (each.read_options, each.write_options))]
    declared = [declared for options_class in codecs for declared in fields(options_class)]
    return {option.name for option in declared if option.metadata["convert"]}


_ALL = _names_of(*CLASSES)
NOT_FOR_CONVERT = _ALL - _names_for_convert()
"""Options that need a scene in Blender."""


def format_options(namespace: argparse.Namespace, file_format: AnyFormat, kind: type[OptionsT]) -> OptionsT:
    """Return a format's options of that kind; raise FormatError for one that it does not have."""
    _refuse_others(namespace, [file_format], _names_of(kind))
    return options_from(namespace, kind)


def convert_options(
    namespace: argparse.Namespace, source: AnyFormat, target: AnyFormat | AnyInterchange, ending: str, read_from: str
) -> tuple[ReadOptions, WriteOptions]:
    """Return the options for reading and writing of a conversion from a file of one ending to one of the other; raise
    FormatError for an option that neither format has, or that needs a scene in Blender."""
    for name in sorted(NOT_FOR_CONVERT & set(vars(namespace))):
        raise FormatError(messages.CLI_NOT_FOR_CONVERT, flag=flag_of(name))
    for name in sorted({*_ONCE} & set(vars(namespace))):
        if name not in _names_of(target.write_options):
            raise FormatError(messages.CLI_NOT_OF_FORMAT, flag=flag_of(name), formats=target.title)
    written = target.write_options if isinstance(target, InterchangeFacts) else target.export_options
    _refuse_others(namespace, [source, target], _names_of(source.import_options, written))
    # about the files of one ending, where neither file has it
    own_endings = (read_from,) if read_from in source.extensions else source.extensions  # any, where the name says none
    both = ((source.read_options, own_endings), (target.write_options, (ending,)))
    about = [(each.name, each.metadata["ending"], has) for options, has in both for each in fields(options)]
    others = {name for name, form, _ in about if form} - {name for name, form, has in about if not form or form in has}
    for name in sorted(others & set(vars(namespace))):
        raise FormatError(messages.CLI_NOT_OF_FORMAT, flag=flag_of(name), formats=ending)
    of_scenes = _ALL - _names_of(source.read_options, target.write_options)
    for name in sorted(of_scenes & set(vars(namespace))):
        raise FormatError(messages.CLI_NOT_FOR_CONVERT, flag=flag_of(name))
    read = options_from(namespace, source.read_options)
    # what is about the files of an ending is asked of the file that is written, if that is one
    once = {*_ONCE, *(field.name for field in fields(target.write_options) if field.metadata["ending"] == ending)}
    defaults = {field.name: field.default for field in fields(read) if field.name in once}
    return replace(read, **defaults), options_from(namespace, target.write_options)


def _refuse_others(
    namespace: argparse.Namespace, formats: Sequence[AnyFormat | AnyInterchange], known: set[str]
) -> None:
    for name in sorted((_ALL - known) & set(vars(namespace))):
        titles = ", ".join(dict.fromkeys(file_format.title for file_format in formats))
        raise FormatError(messages.CLI_NOT_OF_FORMAT, flag=flag_of(name), formats=titles)
