"""Count what the house's rules and goals are about in syntax trees: lengths, `Any`, shapes, repeats, imports."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

PRODUCT = ("__init__.py", "io_formats", "scene", "pipeline", "operators")
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

ARRAYS = re.compile(r"\b(Array|NDArray|ndarray)\b")
_WORDS = r"[a-z0-9.*][a-z0-9_.*+/-]*(?: [a-z0-9_.*+/-]+){0,2}"
SHAPE = re.compile(rf"\(\)|\({_WORDS},\)|\({_WORDS}(?:, {_WORDS})+\)")
"""A shape in a docstring: "(frames, 4)", "(n,)", "()"; up to three words for a length."""

BLOCK = 6
"""Lines that make a block worth finding again."""

MEASURED = re.compile(
    r"(?<!Scale )(?<!Skalierung )\{\w+:\.[1-4][gf]\}(?! ?(?:mm|degrees|Grad|%|s\b|[KM]B|times|-mal\b|units|Einheiten))"
)
"""A number with a few digits behind which no unit stands; a text with the unit in it is no such number."""


def files_of(source: Path, *places: str) -> list[Path]:
    """Return the Python files below the named places of a source tree."""
    found = [source / place for place in places]
    return sorted(path for place in found for path in ([place] if place.is_file() else place.rglob("*.py")))


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file, parsed once."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return all nodes of a syntax tree, which every rule asks for."""
    return tuple(ast.walk(tree))


def functions_of(tree: ast.AST) -> Iterator[FunctionNode]:
    """Yield functions and methods, nested ones too."""
    return (node for node in nodes_of(tree) if isinstance(node, FunctionNode))


def lines_of(path: Path) -> int:
    """Count the lines of a file that are not empty."""
    return sum(map(bool, map(str.strip, path.read_text(encoding="utf-8").splitlines())))


def imported(path: Path) -> Iterator[Path]:
    """Yield the modules of ours that a module imports, those for types only left out.

    An import within a function counts as one above it, and `from .. import name` as one of the module `name` where
    there is one, whether its package loads it at once or later. What a string names, such as a format's `whole`, does
    not count.
    """
    tree = tree_of(path)
    typing = [node for node in nodes_of(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    left_out = {inner for node in typing for inner in ast.walk(node)}
    for node in nodes_of(tree):
        if isinstance(node, ast.ImportFrom) and node.level and node not in left_out:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                places = (folder / f"{alias.name}.py", folder / alias.name / "__init__.py")
                whole = (folder.with_suffix(".py"), folder / "__init__.py")
                yield next(place for place in (*places, *whole) if place.exists())


def reached(files: Sequence[Path]) -> dict[Path, set[Path]]:
    """Return for each file all that it imports, and what these import."""
    found = {path: set(imported(path)) for path in files}
    for between in files:  # Warshall's closure
        for others in found.values():
            if between in others:
                others |= found[between]
    return found


def circles(reach: dict[Path, set[Path]]) -> set[frozenset[Path]]:
    """Return the groups of files that import one another."""
    return {frozenset(other for other in reach[path] if path in reach[other]) for path in reach if path in reach[path]}


def floors(reach: dict[Path, set[Path]]) -> int:
    """Return the length of the longest chain of imports; files in a circle are on one floor."""

    @cache
    def floor(path: Path) -> int:
        return 1 + max((floor(other) for other in reach[path] if path not in reach[other]), default=0)

    return max(map(floor, reach))


def names_bound_twice(tree: ast.Module) -> list[str]:
    """Return names that a module gives two values one after the other: what the first is for uses the second, too."""
    targets = [node.targets for node in tree.body if isinstance(node, ast.Assign)]
    targets += [[node.target] for node in tree.body if isinstance(node, ast.AnnAssign)]
    stored = [part for each in targets for target in each for part in ast.walk(target) if isinstance(part, ast.Name)]
    names = [name.id for name in stored if isinstance(name.ctx, ast.Store)]
    names += [node.name for node in tree.body if isinstance(node, FunctionNode | ast.ClassDef)]
    return sorted(name for name, count in Counter(names).items() if count > 1)


def named_once(tree: ast.Module) -> list[str]:
    """Return the private functions with bodies of at most three lines that their module names once."""
    named = Counter(node.id for node in nodes_of(tree) if isinstance(node, ast.Name))
    named += Counter(node.attr for node in nodes_of(tree) if isinstance(node, ast.Attribute))
    private = [node for node in functions_of(tree) if node.name.startswith("_") and not node.name.endswith("__")]
    return [node.name for node in private if body_length(node) <= 3 and named[node.name] == 1]


def unmeasured(path: Path) -> list[str]:
    """Return sentences of a file that give a length, an angle or another error without its unit."""
    texts = (node.value for node in nodes_of(tree_of(path)) if isinstance(node, ast.Constant))
    return [text for text in texts if isinstance(text, str) and MEASURED.search(text)]


def length(function: FunctionNode) -> int:
    """Count lines from `def` to the end, without the docstring and decorators."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        text = function.body[0]
        lines -= (text.end_lineno or text.lineno) - text.lineno + 1
    return lines


def body_length(function: FunctionNode) -> int:
    """Count lines from the first statement to the end, without the signature and docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or body[-1].lineno) - body[0].lineno + 1 if body else 0


def uses_of_any(tree: ast.AST) -> int:
    """Count where `Any` is said, but for its import."""
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes_of(tree))


def public_functions(tree: ast.Module) -> Iterator[FunctionNode]:
    """Yield the public functions of a module, and the public methods of its public classes."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    for scope in [tree, *classes]:
        yield from (node for node in scope.body if isinstance(node, FunctionNode) and not node.name.startswith("_"))


def has_arrays(function: FunctionNode) -> bool:
    """Return whether the signature names an array."""
    given = function.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    annotations = [argument.annotation for argument in arguments] + [function.returns]
    return any(ARRAYS.search(ast.unparse(found)) for found in annotations if found is not None)


def names_a_shape(function: FunctionNode) -> bool:
    """Return whether the docstring names the shape of an array."""
    return SHAPE.search(ast.get_docstring(function) or "") is not None


def without_shapes(tree: ast.Module) -> list[str]:
    """Return the names of public functions with arrays whose docstring names no shape."""
    return [found.name for found in public_functions(tree) if has_arrays(found) and not names_a_shape(found)]


NO_VERBS = frozenset(
    "a all an another any as at both by each either every everything few for from half here how if in it its more most "
    "neither no none not nothing of on one only other out some such that the there these this those to two what when "
    "where whether which who whose why with within without".split()
)


def begins_with_a_verb(docstring: str) -> bool:
    """Return whether a docstring may begin with a verb: its first word is no article, question, plural or shape."""
    word = docstring.split()[0].rstrip(".,:;")
    plural = word.endswith("s") and not word.endswith("ss")
    return word.isalpha() and word.istitle() and word.lower() not in NO_VERBS and not plural


def without_verbs(tree: ast.Module) -> list[str]:
    """Return the names of functions and methods whose docstring begins with no verb; properties are named as things."""
    found = [(function, ast.get_docstring(function)) for function in functions_of(tree) if not _is_property(function)]
    return [function.name for function, text in found if text and not begins_with_a_verb(text)]


def _is_property(function: FunctionNode) -> bool:
    decorators = (ast.unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list)
    return any(name in {"property", "cached_property", "setter"} for name in decorators)


def any_density(files: Sequence[Path]) -> float:
    """Count `Any` for each 1,000 lines of some files."""
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    return round(1000 * sum(uses_of_any(tree_of(path)) for path in files) / max(lines, 1), 1)


def duplicated_blocks(files: Sequence[Path]) -> list[list[tuple[Path, int]]]:
    """Find runs of `BLOCK` lines of code that stand in several places, as (file, line) of each place.

    Comments, empty lines, docstrings and imports are left out; a longer run counts once.
    """
    places: dict[tuple[str, ...], list[tuple[Path, int, int]]] = defaultdict(list)
    for path in files:
        lines = list(_code_lines(path))
        for at in range(len(lines) - BLOCK + 1):
            places[tuple(text for _, text in lines[at : at + BLOCK])].append((path, lines[at][0], at))
    repeated = [found for found in places.values() if len(found) > 1]
    known = {tuple((path, at) for path, _, at in found) for found in repeated}
    return [
        [(path, line) for path, line, _ in found]
        for found in repeated
        if tuple((path, at - 1) for path, _, at in found) not in known
    ]


def _code_lines(path: Path) -> Iterator[tuple[int, str]]:
    skipped = {line for node in nodes_of(tree_of(path)) if _is_no_code(node) for line in _lines_of(node)}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if number not in skipped and len(text) > 1 and not text.startswith("#"):
            yield number, text


def _is_no_code(node: ast.AST) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )


def _lines_of(node: ast.AST) -> range:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return range(first, last + 1)
