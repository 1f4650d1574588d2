"""Which options a piece of work looks at: classes of options whose fields note that they were read."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import Any

_LOOK_AT_ALL = {"check_options", "_as_it_was", "replace", "_replace", "asdict", "_asdict_inner", "options_from"}
"""Functions that look at each option without doing anything with what it says."""


def trace(monkeypatch: Any, *classes: type[Any]) -> set[tuple[str, str, str]]:
    """Note each option of these classes that is read from now on, as (format, class, option)."""
    read: set[tuple[str, str, str]] = set()
    for options_class in classes:
        monkeypatch.setattr(options_class, "__getattribute__", _noting(options_class, read), raising=False)
    return read


def _noting(options_class: type[Any], read: set[tuple[str, str, str]]) -> Any:
    names = {declared.name for declared in fields(options_class)}

    def noting(self: Any, name: str) -> Any:
        if name in names and _reader() not in _LOOK_AT_ALL:
            read.add(key_of(options_class, name))
        return object.__getattribute__(self, name)

    return noting


def _reader() -> str:
    """The function that reads an option; before Python 3.12 a comprehension is a function of its own within it."""
    frame = sys._getframe(2)
    while frame.f_code.co_name.startswith("<") and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_name


def key_of(options_class: type[Any], name: str) -> tuple[str, str, str]:
    """What stands for an option: ("w3d", "ExportOptions", "flavor")."""
    return options_class.__module__.split(".")[-2], options_class.__name__, name


def flag_and_value(declared: Any) -> list[str]:
    """The option on a command line, with a value that it can have."""
    flag = "--" + declared.name.replace("_", "-")
    if isinstance(declared.default, bool):
        return [flag]
    if declared.metadata["items"]:
        return [flag, declared.metadata["items"][-1][0]]
    return [flag, "x" if isinstance(declared.default, str) else str(declared.default)]
