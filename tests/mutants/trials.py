"""A plugin of pytest that tries defects in children of one process in which Blender and all tests are loaded.

    ANIM_CURVES_TRIALS=3,4 python -m pytest -p trials tests

Requests are lines of JSON from the first descriptor: the file, the name of the function, the module with the defect
(None for none), the tests in their order with the seconds of the processor that each takes without a defect.
Answers are lines of JSON to the second one: "survived", "killed" with the test that noticed, "hangs", or "unfit" where
what runs cannot be changed by changing a function. Each trial has a child of its own, in which the function has
another code; the parent stays as it is.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from warm import stranger, warm

SOURCE = Path(__file__).resolve().parents[2]
SLOWEST = 8.0
"""How many times as long as usual a test may take until it counts as hanging."""

MEMORY = 6 << 30
"""How many bytes a child may have beyond what the parent has: a defect must not take the whole machine."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Answer requests instead of running all tests."""
    asked, told = (int(number) for number in os.environ["ANIM_CURVES_TRIALS"].split(","))
    warm(session)
    trials = Trials(session)
    gc.collect()
    gc.freeze()
    with open(asked, encoding="utf-8") as requests, open(told, "w", encoding="utf-8") as answers:
        for line in requests:
            answers.write(json.dumps(trials.answer(json.loads(line))) + "\n")
            answers.flush()
    return True


class Trials:
    """The tests and functions that are there, and children that try them."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.items = {item.nodeid: item for item in session.items}
        self.functions: dict[tuple[str, str], list[FunctionType]] = defaultdict(list)
        for thing in gc.get_objects():
            if type(thing) is FunctionType:
                self.functions[_place(thing.__code__.co_filename), thing.__code__.co_qualname].append(thing)

    def answer(self, request: dict[str, Any]) -> dict[str, str]:
        """What became of one defect."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            self._try(request, writing)
        with suppress(PermissionError, ProcessLookupError):  # the child was quicker
            os.setpgid(child, child)
        os.close(writing)
        try:
            said, ended = _heard(reading, 120 + 4 * SLOWEST * sum(seconds for _, seconds in request["tests"]))
        finally:
            os.close(reading)
            os.killpg(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
        return _outcome(said, ended, status)

    def _try(self, request: dict[str, Any], writing: int) -> None:
        """Be the child: change the function, run the tests until one fails, and end without clearing up."""
        os.setpgid(0, 0)
        used = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        try:
            fit = request["source"] is None or self._change(request["file"], request["function"], request["source"])
            for word in self._words(request["tests"]) if fit else ["unfit"]:
                os.write(writing, f"{word}\n".encode())
        finally:
            os._exit(0)

    def _change(self, file: str, name: str, source: str) -> bool:
        """Give a function, in each package that has it, the code that it has in a changed module."""
        fresh = sorted(_codes(compile(source, file, "exec"), name), key=lambda code: code.co_firstlineno)
        there = self.functions[file, name]
        lines = sorted({function.__code__.co_firstlineno for function in there})
        if len(lines) != len(fresh):
            return False
        for function in there:
            code = fresh[lines.index(function.__code__.co_firstlineno)]
            if len(code.co_freevars) != len(function.__code__.co_freevars):
                return False
            function.__code__ = code.replace(co_filename=function.__code__.co_filename)
        return True

    def _words(self, tests: Sequence[tuple[str, float]]) -> Iterator[str]:
        """The name of each test as it begins, and "failed" after the first that does not pass, or "passed"."""
        failures = Failures()
        self.session.config.pluginmanager.register(failures)
        for name, seconds in tests:
            yield name
            most = int(time.process_time() + 5 + SLOWEST * seconds)
            resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
            item = self.items[name]
            following = stranger(self.session, item)
            self.session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if failures.found:
                yield "failed"
                return
        yield "passed"


class Failures:
    """A plugin that knows whether a test did not pass."""

    def __init__(self) -> None:
        self.found = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Hear of one phase of a test."""
        self.found = self.found or report.failed


def _heard(reading: int, seconds: float) -> tuple[list[str], bool]:
    """The words of a child, and whether it ended before its time was over."""
    end, data = time.monotonic() + seconds, b""
    while (left := end - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            piece = os.read(reading, 65536)
            data += piece
            if not piece:
                return data.decode().splitlines(), True
            if data.endswith((b"\nfailed\n", b"\npassed\n")) or data == b"unfit\n":
                return data.decode().splitlines(), True
    return data.decode().splitlines(), False


def _outcome(said: list[str], ended: bool, status: int) -> dict[str, str]:
    """What the words of a child and its end mean."""
    last = said[-1] if said else ""
    if last == "unfit":
        return {"outcome": "unfit", "by": ""}
    if last == "passed":
        return {"outcome": "survived", "by": ""}
    by = said[-2] if last == "failed" else last
    if not ended or (last != "failed" and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        return {"outcome": "hangs", "by": by}
    return {"outcome": "killed", "by": by}


def _codes(code: CodeType, name: str) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_qualname == name:
                yield constant
            yield from _codes(constant, name)


@cache
def _place(file: str) -> str:
    """A file's place in the tree, by whatever way it was imported."""
    real = Path(os.path.realpath(file))
    return real.relative_to(SOURCE).as_posix() if real.is_relative_to(SOURCE) else file
