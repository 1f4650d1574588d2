"""A plugin of pytest that has Blender ready, and runs the tests that are asked for in a fork of itself, each time anew.

Jobs come as lines of JSON, a changed file, names and seconds, through the first pipe of ANIM_CURVES_JOBS; exit codes,
null after so many seconds, go back through the second. With ANIM_CURVES_WARM all of ours is loaded and all tests are
collected before the first fork, which then takes the functions of the changed file from its text. What runs while a
module is imported is no function's: for that a process that has loaded nothing of ours waits before it collects.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any

import pytest
from watch import ROOMS

WARM = "ANIM_CURVES_WARM" in os.environ


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Wait for jobs before anything is collected; only a fork goes on from here, to its tests."""
    if not WARM:
        assert "io_formats" not in sys.modules, "no fork would read a mutant"
        _, session.config.args = _job()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Wait for jobs with all loaded; only a fork goes on from here, runs its tests and ends."""
    if not WARM:
        return
    nothing: Any = SimpleNamespace(listchain=lambda: [session])
    _run(next(item for item in session.items if "extension" in getattr(item, "fixturenames", ())), nothing)
    package = next(name for name in sys.modules if name.endswith(".io_anim_curves"))
    for module in pkgutil.walk_packages(sys.modules[package].__path__, f"{package}."):
        room = module.name.removeprefix(f"{package}.").partition(".")[0]
        if f"{room}/" in ROOMS and not module.name.endswith("__main__"):
            with suppress(ModuleNotFoundError):  # of a library that is not here
                importlib.import_module(module.name)
    items = {item.nodeid: item for item in session.items}
    file, names = _job()
    put_in(file)
    chosen = [items[name] for name in names]
    for item, following in zip(chosen, [*chosen[1:], nothing], strict=True):
        _run(item, following)
        if session.testsfailed:
            break
    os._exit(bool(session.testsfailed))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write down which test failed."""
    if report.failed:
        Path(os.environ["ANIM_CURVES_FAILED"]).write_text(report.nodeid, encoding="utf-8")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(exitstatus: int) -> None:
    """End a fork before it takes away what others need."""
    os._exit(int(exitstatus))


def put_in(file: str) -> None:
    """Give all functions of a file that are loaded the code that the file has now."""
    file = os.path.realpath(file)
    new, loaded = defaultdict(list), defaultdict(list)
    for code in _codes(compile(Path(file).read_text(encoding="utf-8"), file, "exec")):
        new[code.co_qualname].append(code)
    functions = [found for found in gc.get_objects() if isinstance(found, FunctionType)]
    own = {name for name in {each.__code__.co_filename for each in functions} if os.path.realpath(name) == file}
    for found in functions:
        if found.__code__.co_filename in own:
            loaded[found.__code__.co_qualname].append(found)
    for name, alike in loaded.items():
        places = sorted({function.__code__.co_firstlineno for function in alike})
        if len(places) != len(new[name]):
            continue  # what only some calls define is taken from what defines it
        for function in alike:
            code = new[name][places.index(function.__code__.co_firstlineno)]
            if code.co_freevars == function.__code__.co_freevars:
                function.__code__ = code


def _codes(code: CodeType) -> Iterator[CodeType]:
    """All code within a piece of code, in the order of the text."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


def _run(item: pytest.Item, following: pytest.Item) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _job() -> tuple[str, list[str]]:
    """The changed file and the names of the tests of a job; in a fork, and only there."""
    jobs, answers = map(int, os.environ["ANIM_CURVES_JOBS"].split())
    user, kept = Path(os.environ["BLENDER_USER_RESOURCES"]), Path(tempfile.mkdtemp()) / "user"
    shutil.copytree(user, kept, symlinks=True)
    for line in os.fdopen(jobs):
        file, names, seconds = json.loads(line)
        shutil.rmtree(user)
        shutil.copytree(kept, user, symlinks=True)
        child = os.fork()
        if not child:
            os.setsid()
            return file, names
        os.write(answers, f"{json.dumps(_code_of(child, seconds))}\n".encode())
    shutil.rmtree(kept.parent)
    os._exit(0)


def _code_of(child: int, seconds: float) -> int | None:
    """The exit code of a fork, None where it had to be ended; with all that it started."""
    end, done, status = time.monotonic() + seconds, 0, 0
    while not done and time.monotonic() < end:
        time.sleep(0.02)
        done, status = os.waitpid(child, os.WNOHANG)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not done:
        os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) if done else None
