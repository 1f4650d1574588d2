"""The mutator makes code that is one small change away."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from by_path import load
from cases import slow

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
EXAMPLE = '''"""A module."""
SIZE = 3


class Thing:
    """A thing."""

    def part(self, values: list[int], end: int) -> list[int]:
        """Some of them."""
        if not values or end < SIZE:
            raise ValueError("too few")
        self.end = end
        return values[1:end]
'''
EXPECTED = {
    (2, "constant", "SIZE = 4"),
    (2, "constant", "SIZE = 2"),
    (10, "condition", "if (not (not values or end < SIZE)):"),
    (10, "boolean", "if (not values and end < SIZE):"),
    (10, "boolean", "if values or end < SIZE:"),
    (10, "comparison", "if not values or (end <= SIZE):"),
    (11, "dropped statement", "pass"),
    (12, "dropped statement", "pass"),
    (13, "return value", "return None"),
    (13, "constant", "return values[2:end]"),
    (13, "slice", "return values[1:(end + 1)]"),
}


@pytest.fixture(scope="module")
def mutate() -> Any:
    return load(HERE / "mutate.py", "mutants_mutate")


def test_all_changes_of_a_module(mutate: Any) -> None:
    found = {
        (one.line, one.kind, mutate.applied(EXAMPLE, one).splitlines()[one.line - 1].strip())
        for one in mutate.mutants(EXAMPLE)
    }
    assert found == EXPECTED


@pytest.mark.parametrize(
    ("line", "statement"), [(2, (2, 2)), (8, (8, 8)), (10, (10, 10)), (11, (11, 11)), (13, (13, 13))]
)
def test_the_statement_around_a_line(mutate: Any, line: int, statement: tuple[int, int]) -> None:
    assert mutate.statement_at(EXAMPLE, line) == statement


def test_the_lines_that_a_mutant_changes(mutate: Any) -> None:
    for one in mutate.mutants(EXAMPLE):
        before, after = mutate.change(EXAMPLE, one)
        assert EXAMPLE.replace(before, after, 1) == mutate.applied(EXAMPLE, one) != EXAMPLE


@pytest.mark.parametrize("path", [slow("io_formats/w3d/read.py"), "io_formats/clip/quaternion.py", "scene/channels.py"])
def test_every_change_of_a_real_module_is_code_and_another_one(mutate: Any, path: str) -> None:
    source = (SOURCE / path).read_text(encoding="utf-8")
    tree = ast.dump(ast.parse(source))
    changes = mutate.mutants(source)
    assert len(changes) > 50
    for one in changes:
        assert ast.dump(ast.parse(mutate.applied(source, one))) != tree, one
