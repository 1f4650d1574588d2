"""Modules and formats that load themselves when something is asked of them.

Blender registers its extensions at every start, which needs names, words and options, but no codec and no numpy. What
registering touches therefore imports modules, not what is in them (`from ..pipeline import export_files`), out of
packages whose `__getattr__` is made here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .format_facts import FormatFacts


class Later(ModuleType):
    """Stands for the module of a full name until something is asked of it."""

    def __getattr__(self, name: str) -> object:
        return getattr(sys.modules.get(self.__name__) or import_module(self.__name__), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(import_module(self.__name__), name, value)

    @property
    def __dict__(self) -> dict[str, object]:  # type: ignore[override]
        """What is in the module itself, for those who put another thing in the place of one."""
        return vars(import_module(self.__name__))


def modules_of(package: str) -> Callable[[str], ModuleType]:
    """Return the `__getattr__` of a package, by which its modules are loaded when something is first asked of them."""
    names = {name.partition(".")[0] for folder in sys.modules[package].__path__ for name in os.listdir(folder)}

    def later(name: str) -> ModuleType:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return Later(f"{package}.{name}")

    return later


def function_of(module: str, name: str) -> Callable[..., Any]:
    """Return what does as a function of a module does, or a method of one; the module is loaded when it is called."""
    later, function = Later(module), attrgetter(name)
    return lambda *given: function(later)(*given)


class _Package(ModuleType):
    """A format's package, which takes what `__all__` names from the module of the whole format when it is asked for,
    what only exports need from the module of its own name."""

    __all__: list[str]
    FORMAT: FormatFacts
    later: Callable[[str], ModuleType]

    def __getattr__(self, name: str) -> object:
        if name not in self.__all__:
            return self.later(name)
        whole = import_module(self.FORMAT.whole[0], self.__name__)
        return getattr(whole if hasattr(whole, name) else import_module(f".{name}", self.__name__), name)

    def __setattr__(self, name: str, value: object) -> None:
        """Keep a function where Python would put the module of its name in its place, such as `read`."""
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)


def takes_names(package: str) -> None:
    """Let a format's package take the names in its `__all__` that it does not have from where its `FORMAT` is whole."""
    vars(sys.modules[package])["later"] = modules_of(package)
    sys.modules[package].__class__ = _Package


def become_whole(facts: Any, name: str) -> object:
    """Be the `__getattr__` of objects that are facts until something else is asked of them: then their class becomes
    the one that `whole` names, a module of the package and a class in it that is derived from theirs."""
    module, wanted = facts.whole
    facts.__class__ = getattr(import_module(module, type(facts).__module__), wanted)
    return object.__getattribute__(facts, name)  # which does not ask here again for what is missing
