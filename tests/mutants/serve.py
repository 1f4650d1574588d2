"""A plugin of pytest that has Blender ready, and runs the tests that are asked for in a fork of itself, each time anew.

Jobs come as lines of JSON, names and seconds, through the first pipe of ANIM_CURVES_JOBS; exit codes, null after so
many seconds, go back through the second. The process that forks must have loaded nothing of ours.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Wait for jobs; only a fork goes on from here, to its tests."""
    assert "io_formats" not in sys.modules, "no fork would read a mutant"
    jobs, answers = map(int, os.environ["ANIM_CURVES_JOBS"].split())
    user, kept = Path(os.environ["BLENDER_USER_RESOURCES"]), Path(tempfile.mkdtemp()) / "user"
    shutil.copytree(user, kept, symlinks=True)
    for line in os.fdopen(jobs):
        names, seconds = json.loads(line)
        shutil.rmtree(user)
        shutil.copytree(kept, user, symlinks=True)
        child = os.fork()
        if not child:
            os.setsid()
            session.config.args = names
            return
        os.write(answers, f"{json.dumps(_code_of(child, seconds))}\n".encode())
    shutil.rmtree(kept.parent)
    os._exit(0)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(exitstatus: int) -> None:
    """End a fork before it takes away what others need."""
    os._exit(int(exitstatus))


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
