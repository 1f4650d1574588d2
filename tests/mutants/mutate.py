"""Small defects in the syntax tree of a module, each of which some test should notice.

`mutants(source)` lists all that a module has room for; `applied(source, mutant)` is the module with one of them, and
`change(source, mutant)` the lines that differ. Only the changed expression or statement is written anew, so that a
mutant is a few letters in a line as a person wrote it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
}  # fmt: skip
_DROPPED = (ast.Expr, ast.AugAssign, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        line, column, end_line, end_column: what is replaced; lines from 1, columns in bytes.
        kind: the operator of the change.
        text: what stands there instead.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    kind: str
    text: str


def mutants(source: str) -> list[Mutant]:
    """All changes that a module has room for, in the order of the text."""
    tree = ast.parse(source)
    found = {mutant for node in _of_interest(tree) for mutant in _changes(node)}
    return sorted(found, key=lambda one: (one.line, one.column, one.end_line, one.end_column, one.kind, one.text))


def applied(source: str, mutant: Mutant) -> str:
    """The module with one change."""
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: mutant.line - 1])) + mutant.column
    end = sum(map(len, lines[: mutant.end_line - 1])) + mutant.end_column
    data = source.encode()
    return (data[:start] + mutant.text.encode() + data[end:]).decode()


def change(source: str, mutant: Mutant) -> tuple[str, str]:
    """The lines that a mutant changes, before and after."""
    before = source.encode().splitlines(keepends=True)[mutant.line - 1 : mutant.end_line]
    last = mutant.end_column - len(before[-1])
    after = before[0][: mutant.column] + mutant.text.encode() + before[-1][last:]
    return b"".join(before).decode().rstrip("\n"), after.decode().rstrip("\n")


def statement_at(source: str, line: int) -> tuple[int, int]:
    """The first and last line of the innermost statement around a line; of one with a body, its head only."""
    found = (line, line)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = max(body[0].lineno - 1, node.lineno) if body else node.end_lineno or node.lineno
            if node.lineno <= line <= last:
                found = (node.lineno, last)
    return found


def is_within_function(source: str, line: int) -> bool:
    """Whether a line runs when a function is called, not while its module is imported."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    return any(node.body[0].lineno <= line <= (node.end_lineno or 0) for node in functions)


def lines_of(source: str, line: int) -> set[int]:
    """The lines that run a change: its statement's; those that use its names, where it runs as a module is imported."""
    tree, own = ast.parse(source), statement_at(source, line)
    if is_within_function(source, line):
        return {*range(own[0], own[1] + 1)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {name.id for name in names if own[0] <= name.lineno <= own[1] and isinstance(name.ctx, ast.Store)}
    using = {statement_at(source, name.lineno) for name in names if name.id in bound and isinstance(name.ctx, ast.Load)}
    return {at for first, last in using for at in range(first, last + 1)}


def _of_interest(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run and that a test could notice: no annotations, decorators, assertions, imports, sentences."""
    for child in _children(node):
        if isinstance(child, ast.Assert | ast.Import | ast.ImportFrom | ast.JoinedStr):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from _of_interest(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    skipped = {"annotation", "returns", "decorator_list", "bases", "keywords_of_class", "type_comment"}
    for name, value in ast.iter_fields(node):
        if name in skipped or (isinstance(node, ast.Assign) and _is_declaration(node)):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _is_declaration(node: ast.Assign) -> bool:
    """Whether a name is given to a type, a list of what is public, or the like."""
    names = {target.id for target in node.targets if isinstance(target, ast.Name)}
    return bool(names & {"__all__", "__slots__"})


def _changes(node: ast.AST) -> Iterator[Mutant]:
    if isinstance(node, ast.Compare):
        yield from _comparison(node)
    elif isinstance(node, ast.BinOp) and not _is_text(node):
        yield _with(node, "arithmetic", ast.BinOp(node.left, ARITHMETIC.get(type(node.op), ast.Add)(), node.right))
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _with(node, "boolean", ast.BoolOp(other, node.values))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _with(node, "boolean", node.operand)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield _with(node, "arithmetic", node.operand)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield _with(node.test, "condition", ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.Slice):
        yield from _slice(node)
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield _with(node.value, "return value", ast.Constant(None))
    elif (isinstance(node, _DROPPED) and not _is_docstring(node)) or _changes_something(node):
        yield _with(node, "dropped statement", ast.Pass())


def _comparison(node: ast.Compare) -> Iterator[Mutant]:
    for place, operator in enumerate(node.ops):
        operators = [*node.ops]
        operators[place] = COMPARISONS[type(operator)]()
        yield _with(node, "comparison", ast.Compare(node.left, operators, node.comparators))


def _constant(node: ast.Constant) -> Iterator[Mutant]:
    if isinstance(node.value, bool):
        yield _with(node, "constant", ast.Constant(not node.value))
    elif isinstance(node.value, int | float):
        yield _with(node, "constant", ast.Constant(node.value + 1))
        if isinstance(node.value, int) and node.value > 1:
            yield _with(node, "constant", ast.Constant(node.value - 1))


def _slice(node: ast.Slice) -> Iterator[Mutant]:
    """Ends that are one off, where they are written; a number is a constant already."""
    for name in ("lower", "upper"):
        end = getattr(node, name)
        if end is not None and not isinstance(end, ast.Constant):
            yield _with(end, "slice", ast.BinOp(end, ast.Add(), ast.Constant(1)))


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(isinstance(side, ast.Constant) and isinstance(side.value, str | bytes) for side in sides)


def _changes_something(node: ast.AST) -> bool:
    """Whether an assignment gives another value to what has one; without a first value, any test would notice."""
    if not isinstance(node, ast.Assign):
        return False
    used = {name.id for name in ast.walk(node.value) if isinstance(name, ast.Name)}
    return any(not isinstance(target, ast.Name) or target.id in used for target in node.targets)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _with(node: ast.expr | ast.stmt, kind: str, instead: ast.AST) -> Mutant:
    """The change that puts something else in the place of a node; in brackets, wherever that is an expression."""
    text = ast.unparse(ast.fix_missing_locations(instead))
    if isinstance(instead, ast.expr) and not isinstance(instead, ast.Constant | ast.Name | ast.Attribute):
        text = f"({text})"
    return Mutant(node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0, kind, text)
