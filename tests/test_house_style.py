"""The house style that a linter does not know: short functions, docstrings, sentences in one place."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from house_counts import (
    MEASURED,
    PRODUCT,
    FunctionNode,
    any_density,
    files_of,
    functions_of,
    length,
    names_bound_twice,
    nodes_of,
    tree_of,
    unmeasured,
    without_shapes,
    without_verbs,
)

SOURCE = Path(__file__).resolve().parent.parent
LONGEST = 60
MEDIAN = 10
DEVELOPMENT = ("tools", "tests")
# Blender calls these; their meaning is Blender's.
PRESCRIBED = {"cancel", "check", "draw", "draw_header", "execute", "invoke", "modal", "poll", "poll_drop"}
# What changes a list, set or dictionary.
FILL = {"append", "add", "extend", "insert", "setdefault", "clear", "remove", "pop"}


def short_name(path: Path) -> str:
    """How a test names a file."""
    return path.relative_to(SOURCE).as_posix()


PRODUCT_FILES = files_of(SOURCE, *PRODUCT)


def long_functions(tree: ast.Module) -> list[str]:
    """Functions that do not fit on a screen."""
    return [f"{node.name} has {length(node)} lines" for node in functions_of(tree) if length(node) > LONGEST]


def threads(tree: ast.Module) -> list[str]:
    """Imports of what runs beside Blender in its own process, where nothing of Blender's may be touched."""
    return sorted(_imported(tree) & {"threading", "_thread", "asyncio", "concurrent", "multiprocessing"})


def _imported(tree: ast.Module) -> set[str]:
    """The first names of all modules that are imported."""
    found = {alias.name for node in nodes_of(tree) if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module or "" for node in nodes_of(tree) if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in found}


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in nodes_of(tree) if isinstance(node, ast.Call))


def missing_docstrings(tree: ast.Module) -> list[str]:
    """The module, public classes, functions and methods without a docstring."""
    found = [] if ast.get_docstring(tree) else ["the module"]
    for scope in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
        found += [node.name for node in scope.body if _is_public(node) and ast.get_docstring(node) is None]
    return found


def _is_public(node: ast.AST) -> bool:
    named = isinstance(node, FunctionNode | ast.ClassDef)
    return named and not node.name.startswith("_") and node.name not in PRESCRIBED


def loose_sentences(tree: ast.Module) -> list[str]:
    """Sentences for a person that do not come from a room's messages.py."""
    found = []
    for call in _calls(tree):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        place = {"FormatError": 0, "warn": 0, "note": 0, "report": 1}.get(name)
        if place is not None and len(call.args) > place and _is_text(call.args[place]):
            found.append(f"line {call.lineno}: {name}")
    return found


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def thawed_values(tree: ast.Module) -> list[str]:
    """Dataclasses that are not frozen."""
    classes = [node for node in nodes_of(tree) if isinstance(node, ast.ClassDef)]
    return [node.name for node in classes for made in node.decorator_list if _is_thawed(made)]


def _is_thawed(made: ast.expr) -> bool:
    call = made.func if isinstance(made, ast.Call) else made
    frozen = isinstance(made, ast.Call) and any(word.arg == "frozen" for word in made.keywords)
    return getattr(call, "id", "") == "dataclass" and not frozen


def changed_arguments(tree: ast.Module) -> list[str]:
    """Functions that assign to an attribute of what they were given, or fill a list, set or dictionary of it.

    An object's own attributes count where something that it was given hangs on them: `self.scope.reasons.append`.
    """
    found = []
    for function in functions_of(tree):
        given = {argument.arg: 1 for argument in (*function.args.args, *function.args.kwonlyargs)}
        given |= dict.fromkeys(given.keys() & {"self", "cls"}, 2)
        changed = [target for node in ast.walk(function) for target in _changed(node)]
        found += [f"line {target.lineno}: {function.name}" for target in changed if _reaches(target, given)]
    return found


def _changed(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that a statement or call changes."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FILL:
        targets = [node.func.value]
    for target in targets:
        inner = target.value if isinstance(target, ast.Subscript) else target
        if isinstance(inner, ast.Attribute):
            yield inner


def _reaches(target: ast.Attribute, given: dict[str, int]) -> bool:
    """Whether a chain of attributes begins at an argument and is as long as that argument is another's."""
    depth, at = 0, target
    while isinstance(at, ast.Attribute):
        depth, at = depth + 1, at.value
    return isinstance(at, ast.Name) and depth >= given.get(at.id, depth + 1)


EVERYWHERE: list[Callable[[ast.Module], list[str]]] = [long_functions, names_bound_twice]
IN_THE_PRODUCT: list[Callable[[ast.Module], list[str]]] = [missing_docstrings, loose_sentences, threads]
IN_A_LINE_OF_VALUES: list[Callable[[ast.Module], list[str]]] = [thawed_values, changed_arguments]


def broken_rules(path: Path, rules: list[Callable[[ast.Module], list[str]]]) -> list[str]:
    """What a file does against `rules`, each finding with its rule and the file."""
    tree = tree_of(path)
    return [f"{short_name(path)}: {rule.__name__}: {found}" for rule in rules for found in rule(tree)]


@pytest.mark.slow
def test_in_tools_and_tests() -> None:
    others = files_of(SOURCE, *DEVELOPMENT)
    assert [found for path in others for found in broken_rules(path, EVERYWHERE)] == []


def test_in_the_product() -> None:
    rules = [*EVERYWHERE, *IN_THE_PRODUCT]
    assert [found for path in PRODUCT_FILES for found in broken_rules(path, rules)] == []


def test_each_step_of_a_capture_returns_a_value_and_changes_none() -> None:
    capture = files_of(SOURCE, "scene/capture")
    assert [found for path in capture for found in broken_rules(path, IN_A_LINE_OF_VALUES)] == []


def test_functions_are_short() -> None:
    lengths = [length(node) for path in PRODUCT_FILES for node in functions_of(tree_of(path))]
    assert statistics.median(lengths) < MEDIAN


# For each room what it may have at most: `Any` for each 1,000 lines, public functions with arrays whose docstring names
# no shape, docstrings of functions that begin with no verb. These numbers only ever go down.
GOALS = (5, 0, 0)
AT_MOST: dict[str, tuple[float, int, int]] = {
    "io_formats": (12, 0, 0)  # the contract between formats, whose documents are each their own
}
MOST_ANY_IN_ALL = 2


def room_of(path: Path) -> str:
    """Return the folder of a file, as `AT_MOST` calls it."""
    return path.parent.relative_to(SOURCE).as_posix()


def files_in(room: str) -> list[Path]:
    """Return the files of a room, without translations."""
    return [path for path in PRODUCT_FILES if room_of(path) == room and path.name != "de.py"]


def found_in(room: str, rule: Callable[[ast.Module], list[str]]) -> list[str]:
    """Return what a rule finds in a room, each finding with its file."""
    return [f"{path.name}: {name}" for path in files_in(room) for name in rule(tree_of(path))]


def test_every_room_has_its_limits() -> None:
    """The root's only file has no room of its own; a new room is held to the goals."""
    assert {room_of(path) for path in PRODUCT_FILES} - {"."} >= AT_MOST.keys()


def test_any_is_rare() -> None:
    """What is not known is an `object`; `Any` would let everything be done with it."""
    assert any_density([path for path in PRODUCT_FILES if path.name != "de.py"]) <= MOST_ANY_IN_ALL


@pytest.mark.parametrize("room", sorted({room_of(path) for path in PRODUCT_FILES} - {"."}))
def test_rooms_keep_what_they_have_reached(room: str) -> None:
    most_any, most_shapeless, most_verbless = AT_MOST.get(room, GOALS)
    assert any_density(files_in(room)) <= most_any
    shapeless, verbless = found_in(room, without_shapes), found_in(room, without_verbs)
    assert len(shapeless) <= most_shapeless, shapeless
    assert len(verbless) <= most_verbless, verbless


def test_lengths_and_errors_have_units() -> None:
    sentences = [path for path in PRODUCT_FILES if path.name in ("messages.py", "de.py")]
    assert [found for path in sentences for found in unmeasured(path)] == []
    assert MEASURED.search("off by {place:.2g} and {turn:.2g} degrees")


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (long_functions, "def f():\n" + "    x = 1\n" * LONGEST),
        (threads, "from concurrent.futures import Future"),
        (threads, "import os, threading"),
        (names_bound_twice, "A, B = 1, 2\nB: float = 3"),
        (names_bound_twice, "def f(): ...\nf = 1"),
        (missing_docstrings, '"""M."""\nclass C:\n    """C."""\n    def f(self): ...'),
        (missing_docstrings, "x = 1"),
        (loose_sentences, "raise FormatError(f'bad {x}', offset=1)"),
        (loose_sentences, "self.report({'ERROR'}, 'bad')"),
        (thawed_values, "@dataclass\nclass C:\n    x: int"),
        (thawed_values, "@dataclass(order=True)\nclass C:\n    x: int"),
        (changed_arguments, "def f(stage):\n    stage.nodes = []"),
        (changed_arguments, "def f(stage):\n    stage.naming.bones['a'] = 'b'"),
        (changed_arguments, "def f(scope):\n    scope.reasons.append(1)"),
        (changed_arguments, "class C:\n    def f(self):\n        self.scope.count += 1"),
        (changed_arguments, "class C:\n    def f(self):\n        self.scope.unending.add(1)"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_each_rule_bites(rule: Callable[[ast.Module], list[str]], text: str) -> None:
    assert rule(ast.parse(text))
