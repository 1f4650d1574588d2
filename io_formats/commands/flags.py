"""Command-line flags out of option declarations, for both command lines.

`--repair-w / --no-repair-w` for a switch, `--rate SCENE` for a choice, `--scale 0.01` for a number: the name,
help, choices and default all come from the dataclass field (see `options.option`).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from ..errors import FormatError
from ..options import AnyOptions, Declared, check_options, check_value

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
        _add_flag(parser, alike, shown=name not in hidden)


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


def _add_flag(parser: argparse.ArgumentParser, alike: Sequence[Declared], *, shown: bool) -> None:
    """Add the flag of options of one name, in the words of the first."""
    declared = alike[0]
    flag = flag_of(declared.name)
    text = declared.metadata["description"].replace("%", "%%") if shown else argparse.SUPPRESS
    if isinstance(declared.default, bool):
        action = argparse.BooleanOptionalAction
        parser.add_argument(flag, action=action, default=argparse.SUPPRESS, help=text)
    elif declared.metadata["items"]:
        choices = [item[0] for item in declared.metadata["items"]]
        parser.add_argument(flag, choices=choices, type=str.upper, default=argparse.SUPPRESS, help=text)
    else:
        parser.add_argument(flag, type=_reader(alike), default=argparse.SUPPRESS, help=text)


def _reader(alike: Sequence[Declared]) -> Callable[[str], object]:
    """Return the function that turns typed text into a value, and refuses one that none of the options accepts."""
    kind: Any = type(alike[0].default)

    def read(text: str) -> object:
        try:
            value = kind(text)
        except ValueError:
            value = text  # check_value refuses it with a sentence
        errors = [error for declared in alike if (error := _refusal(declared, value)) is not None]
        if len(errors) == len(alike):
            raise argparse.ArgumentTypeError(str(errors[0])) from errors[0]
        return value

    read.__name__ = kind.__name__  # argparse shows this name in its errors
    return read


def _refusal(declared: Declared, value: object) -> FormatError | None:
    """Return why an option does not accept a value, None if it does."""
    try:
        check_value(declared, value)
    except FormatError as error:
        return error
    return None


def options_from(namespace: argparse.Namespace, options_class: type[OptionsT]) -> OptionsT:
    """Return the options that a parsed command line asks for, defaults where it says nothing.

    Raises:
        FormatError: a value that only an option of the same name in another class accepts.
    """
    names: Iterable[str] = (declared.name for declared in fields(options_class))
    options = options_class(**{name: getattr(namespace, name) for name in names if hasattr(namespace, name)})
    check_options(options)
    return options
