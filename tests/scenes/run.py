"""Random ordinary scenes through the export operators, judged by the tests' own players: `make scenes`. Every fifth
file is imported again, with drawn options, and judged once more: what Blender plays is what the file's engine plays.

    python tests/scenes/run.py --count 100 --seed 0 [--format mrtk] [--number 17] [--replay recipe.json]

Each format runs in a process of its own. A find is cut down to its smallest scene and written to build/scenes; a recipe
that is worth keeping goes to tests/data/scenes, where a test replays it in every Blender.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests"), str(SOURCE / "tests" / "support")]

from alone import run_here  # noqa: E402

from scenes import loop  # noqa: E402
from scenes.draw import FORMATS, draw  # noqa: E402
from scenes.shrink import shrink  # noqa: E402

OUTPUT = SOURCE / "build" / "scenes"
LIMIT = 7200
_USUAL, _ROUND = 100, 5
MOST_SHRUNK = 40
"""Scenes of one kind of find that are cut down; more of them tell nothing new."""


def say(line: str) -> None:
    """A line for the person who waits, told apart from what Blender prints."""
    sys.stderr.write(f"@{line}\n")
    sys.stderr.flush()


class Run:
    """Scenes of one format in this process."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._format, self._seed, self._loops = options.format, options.seed, options.loops
        self._try = importlib.import_module("scenes.try_scene").try_recipe
        self.kinds: Counter[str] = Counter()

    def all(self, numbers: range) -> int:
        """Try these scenes; how many of them hold a find."""
        finds, started = 0, time.monotonic()
        for done, number in enumerate(numbers, 1):
            finds += self.one(number)
            if done % 25 == 0:
                seconds = time.monotonic() - started
                say(f"  {self._format}: {done} of {len(numbers)} scenes, {finds} finds, {seconds:.0f} s")
        return finds

    def one(self, number: int) -> bool:
        """Try one scene; whether it holds a find."""
        recipe = self._drawn(number)
        found = self._try(recipe)
        if found:
            kind = found[0].kind
            self.kinds[kind] += 1
            if self.kinds[kind] <= MOST_SHRUNK:
                first = found[0]
                recipe = shrink(recipe, lambda smaller: any(each.is_like(first) for each in self._try(smaller)))
                found = [each for each in self._try(recipe) if each.is_like(first)]
            self._keep(recipe, number, kind, found)
        return bool(found)

    def _drawn(self, number: int) -> dict[str, Any]:
        """The scene of a number; the file of every fifth one goes round, and now and then one of tests/data does."""
        recipe = draw(self._format, self._seed, number)
        if not self._loops and number % _ROUND:
            return recipe
        random = Random(f"{self._format} {self._seed} {number} loop")
        if random.random() < 0.25:
            recipe = loop.sample(self._format, random)
        loop.add_to(recipe, random)
        return {**recipe, "loop": loop.draw(self._format, random)}

    def _keep(self, recipe: dict[str, Any], number: int, kind: str, found: list[Any]) -> None:
        OUTPUT.mkdir(parents=True, exist_ok=True)
        path = OUTPUT / f"{self._format}_{self._seed}_{number:05}_{kind.replace(' ', '_')}.json"
        path.write_text(as_text({**recipe, "finds": [str(each) for each in found[:5]]}), encoding="utf-8")
        say(f"  {path.relative_to(SOURCE)}: {found[0] if found else kind}")


def as_text(recipe: dict[str, Any]) -> str:
    """A recipe as JSON with a line for each step."""
    steps = ",\n  ".join(json.dumps(step) for step in recipe["steps"])
    rest = json.dumps({name: value for name, value in recipe.items() if name != "steps"}, indent=1)
    return f'{rest[:-2]},\n "steps": [\n  {steps}\n ]\n}}\n'


def try_scenes(options: argparse.Namespace) -> int:
    """Try as many scenes as asked; 1 if any holds a find."""
    run = Run(options)
    first = options.number or 0
    count = options.count or (1 if options.number is not None else _USUAL)
    numbers = range(first, first + count)
    finds = run.all(numbers)
    kinds = ", ".join(f"{count} {kind}" for kind, count in run.kinds.most_common())
    say(f"scenes: {len(numbers)} {options.format}, {finds} finds" + (f" ({kinds})" if kinds else ""))
    return int(bool(finds))


def replay(path: str) -> int:
    """Try one kept recipe again."""
    recipe = json.loads(Path(path).read_text(encoding="utf-8"))
    found = importlib.import_module("scenes.try_scene").try_recipe(recipe)
    for each in found:
        say(str(each))
    say(f"scenes: {Path(path).name}, {len(found)} finds")
    return int(bool(found))


def run_apart(arguments: list[str]) -> int:
    """One format in a process of its own, so that a crash of Blender is a find too."""
    command = [sys.executable, __file__, *arguments, "--here"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as run:
        assert run.stderr is not None
        last: list[str] = []
        for line in run.stderr:
            if line.startswith("@"):
                sys.stdout.write(line[1:])
                sys.stdout.flush()
            else:
                last = [*last[-20:], line]
        code = run.wait(LIMIT)
    if code not in (0, 1):
        sys.stdout.write(f"the process ended with {code}; last words:\n{''.join(last)}\n")
    return code


def main() -> int:
    """Try scenes of the formats that the command line names; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, help=f"scenes of each format; {_USUAL}, or the one with --number")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=FORMATS, help="only this one")
    parser.add_argument("--number", type=int, help="begin with the scene of this number")
    parser.add_argument("--replay", help="a recipe in a file")
    parser.add_argument("--loops", action="store_true", help="let every file go round, not every fifth one")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        run_here(lambda: replay(options.replay) if options.replay else try_scenes(options))
    given = [argument for argument in sys.argv[1:] if argument != "--here"]
    formats = [] if options.format or options.replay else FORMATS
    codes = [run_apart([*given, "--format", name]) for name in formats] or [run_apart(given)]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
