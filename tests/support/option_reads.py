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
        if name in names and sys._getframe(1).f_code.co_name not in _LOOK_AT_ALL:
            read.add(key_of(options_class, name))
        return object.__getattribute__(self, name)

    return noting


def key_of(options_class: type[Any], name: str) -> tuple[str, str, str]:
    """What stands for an option: ("w3d", "ExportOptions", "flavor")."""
    return options_class.__module__.split(".")[-2], options_class.__name__, name
