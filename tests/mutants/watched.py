"""Which tests run which lines, as watch.py has written it down, and the order in which they should try a defect."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from mutate import Mutant, function_at, name_given_at, statement_at


class Watched:
    """Tests with their seconds, and the lines that they run."""

    def __init__(self, path: Path, source: Path) -> None:
        written = json.loads(path.read_text(encoding="utf-8"))
        self.names = [name for name, _ in written["tests"]]
        self.seconds = dict(written["tests"])
        self._source = source
        self._imports = {file: set(lines) for file, lines in written["imports"].items()}
        self._lines: dict[str, dict[int, list[int]]] = {
            file: {line: tests for lines, tests in groups for line in lines}
            for file, groups in written["lines"].items()
        }

    def tests(self, file: str, mutant: Mutant) -> list[str]:
        """The tests that run what a mutant changes, the likeliest to notice first.

        Outside of functions, those that run lines where the changed name stands; if there are none, any of the file.
        """
        text = (self._source / file).read_text(encoding="utf-8")
        first, last = statement_at(text, mutant.line)
        if function_at(text, mutant.line):
            return self._ranked(self._running(file, range(first, last + 1)))
        found = self._of_name(name_given_at(text, mutant.line), file)
        return self._ranked(found or self._running(file, self._lines.get(file, ())))

    def runs_at_import(self, file: str, mutant: Mutant) -> bool:
        """Whether a mutant changes what happens before the first test, so that it needs a process of its own."""
        text = (self._source / file).read_text(encoding="utf-8")
        first, last = statement_at(text, mutant.line)
        early = self._imports.get(file, set())
        return not function_at(text, mutant.line) or any(line in early for line in range(first, last + 1))

    def _running(self, file: str, lines: Iterable[int]) -> set[int]:
        known = self._lines.get(file, {})
        return {test for line in lines for test in known.get(line, ())}

    def _of_name(self, name: str, file: str) -> set[int]:
        """The tests of all lines where a name stands: in the file, and where others ask for it."""
        if not name:
            return set()
        found: set[int] = set()
        stands = re.compile(rf"\b{re.escape(name)}\b")
        for other in self._lines:
            if Path(other).parent == Path(file).parent or name.isupper():
                lines = (self._source / other).read_text(encoding="utf-8").splitlines()
                found |= self._running(other, [at for at, line in enumerate(lines, 1) if stands.search(line)])
        return found

    def _ranked(self, found: Iterable[int]) -> list[str]:
        """One of each test function before a second one with other parameters; among them the quickest first."""
        turns: Counter[str] = Counter()
        ranked = []
        for name in sorted((self.names[test] for test in found), key=lambda name: (self.seconds[name], name)):
            turns[name.partition("[")[0]] += 1
            ranked.append((turns[name.partition("[")[0]], name))
        return [name for _, name in sorted(ranked, key=lambda pair: pair[0])]

    def within(self, names: Sequence[str], seconds: float) -> list[str]:
        """As many of the first tests as take so long together, at least one."""
        chosen, left = [], seconds
        for name in names:
            left -= self.seconds[name] + 0.01
            if chosen and left < 0:
                break
            chosen.append(name)
        return chosen
