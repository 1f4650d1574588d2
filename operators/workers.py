"""Several Blender processes at one list of files: each is given a file when it has finished another.

A worker is this extension's own command with COMMAND for its only argument. Its standard input brings lines of JSON:
the settings, then a file at a time; its standard output gives, behind a token that no file name can guess, what it asks
and what came of each file. Whatever else Blender prints is passed over.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, TypeVar

import bpy

from ..io_formats.commands.console import Pause, Progress, outputs_of
from ..io_formats.files.batch_files import Outputs, Task
from ..io_formats.format import Facts
from . import messages

COMMAND = "--worker"

_MOST_FILES = 64
"""Files after which a process is followed by a fresh one: whatever Blender does not give back is given back then."""

_PREFIX = "anim_curves_"
"""Of temporary files."""

_PAUSE = 0.002
"""Seconds between looks at what the processes have said."""

_BOOT = """
import os, sys
import bpy, addon_utils
from importlib import import_module
addon_utils.enable({package!r})
code = import_module({module!r}).main(sys.argv[1:])
sys.stdout.flush()
os._exit(code)
"""

Result = Facts
"""What came of a file, ready for JSON."""

Results = list[Result]


def run(
    settings: Mapping[str, object], tasks: Iterator[Task], outputs: Outputs, jobs: int, progress: Progress
) -> Iterator[Results]:
    """Yield results of each file as soon as they are known, from as many processes as `jobs`."""
    program = [*_program(), COMMAND]
    workers: list[_Worker] = []

    def made() -> _Worker:
        workers.append(_Worker(program, settings, outputs))
        return workers[-1]

    try:
        for _ in range(jobs):
            yield from _begin(None, tasks, made)
        while busy := [worker for worker in workers if worker.task is not None]:
            for worker in busy:
                task, results = worker.task, worker.answer()
                if task is not None and results is None:
                    progress.tell(task.file, worker.share)
                elif task is not None and results is not None:
                    progress.finish(task.file)
                    yield results
                    yield from _begin(worker, tasks, made)
            time.sleep(_PAUSE)
    finally:  # what still works does not finish its file
        for worker in workers:
            worker.end()
        for worker in workers:
            worker.process.wait()
        for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*") if sys.platform == "win32" else ():
            with suppress(OSError):  # a process has it open
                left.unlink()


def _begin(worker: _Worker | None, tasks: Iterator[Task], made: Callable[[], _Worker]) -> Iterator[Results]:
    """Give the next file to a worker, or to a new one where there is none or it is spent; yield what cannot begin."""
    if worker is not None and worker.is_spent:
        worker.end()
        worker = None
    for task in tasks:
        try:
            worker = worker or made()
        except OSError as error:
            yield _lost(task, error.strerror or str(error))
            continue
        worker.give(task)
        return
    if worker is not None:
        worker.end()


def _program() -> list[str]:
    """Return how to start another Blender: the program itself, or this Python where Blender is its module."""
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "--command", messages.CLI_COMMAND]
    root = (__package__ or "").rpartition(".")[0]
    return [sys.executable, "-c", _BOOT.format(package=root, module=f"{root}.operators.command_line")]


def _new_file() -> tuple[BinaryIO, BinaryIO]:
    """Open a new file to write and to read, which goes with the processes that have it open, however they end; Windows
    keeps it until the end of a run."""
    number, name = tempfile.mkstemp(prefix=_PREFIX)
    written, read = os.fdopen(number, "wb"), os.fdopen(os.open(name, os.O_RDONLY), "rb")
    if sys.platform != "win32":
        os.unlink(name)
    return written, read


class _Worker:
    """One process, in a group of its own so that Ctrl+C in a terminal does not reach it, the pipe to it, and the files
    into which it writes, as these can be read without waiting on every system."""

    def __init__(self, program: list[str], settings: Mapping[str, object], outputs: Outputs) -> None:
        self._outputs = outputs
        self._token = secrets.token_hex(16)
        self._line = b""
        self._given = 0
        self.task: Task | None = None
        self.share = 0.0  # of the task that is done, as far as it has said
        group: dict[str, Any] = {"process_group": 0}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        (said, self._said), (errors, self._errors) = _new_file(), _new_file()
        with said, errors:
            self.process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=said, stderr=errors, **group)
        self._send({"token": self._token, **settings})

    @property
    def is_spent(self) -> bool:
        """Whether it has ended, or had its share of files."""
        return self._given == _MOST_FILES or self.process.poll() is not None

    def give(self, task: Task) -> None:
        """Hand a file to the process."""
        self._given += 1
        self.task, self.share = task, 0.0
        self._send({"file": str(task.file), "output": str(task.output)})

    def answer(self) -> Results | None:
        """Return what came of its file, None as long as that is not known; answer what it asks."""
        results: Results | None = None
        has_ended, token = self.process.poll() is not None, self._token.encode()
        *lines, self._line = (self._line + self._said.read()).split(b"\n")
        for line in lines:
            message = json.loads(line[len(token) :]) if line.startswith(token) else {}
            self.share = message.get("share", self.share)
            if "claim" in message:
                self._send({"owner": self._outputs.owner(*message["claim"])})
            results = message.get("results", results)
        if results is None and has_ended and self.task is not None:
            words = self._errors.read().decode(errors="replace").strip().splitlines()
            results = _lost(self.task, words[-1] if words else str(self.process.returncode))
        if results is not None:
            self.task = None
        return results

    def end(self) -> None:
        """Let the process end, at once if it has a file in hand; without one it does when nothing more can come."""
        if self.task is not None:
            self.process.kill()
        with suppress(OSError):  # what was still to be written to a process that has ended
            self.process.stdin.close()
        self._said.close()
        self._errors.close()

    def _send(self, message: object) -> None:
        with suppress(OSError):  # it has ended, which its answer shows
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()


def _lost(task: Task, reason: str) -> Results:
    return [{"file": str(task.file), "error": messages.CLI_LOST.format(file=task.file, reason=reason)}]


def serve(finished: Callable[[Task, Namespace, Outputs, Callable[[Path, float], None]], Results]) -> int:
    """Be a worker: do what standard input says until it ends."""
    asked = sys.stdin.buffer
    settings = json.loads(asked.readline())
    token = settings.pop("token")

    def answer(message: object) -> None:
        sys.stdout.write(f"\n{token}{json.dumps(message)}\n")
        sys.stdout.flush()

    def claim(output: str, file: str) -> str:
        answer({"claim": [output, file]})
        told = asked.readline()
        if not told:
            raise KeyboardInterrupt
        return str(json.loads(told)["owner"])

    def tell(_file: Path, share: float) -> None:
        if os.getppid() != parent:  # which was killed: another run may begin with this file
            raise KeyboardInterrupt
        if pause.is_over():
            answer({"share": share})

    pause, parent = Pause(), os.getppid()
    namespace = Namespace(**settings)
    outputs = outputs_of(namespace, claim)
    for line in iter(asked.readline, b""):
        names = json.loads(line)
        answer({"results": finished(Task(Path(names["file"]), Path(names["output"])), namespace, outputs, tell)})
    return 0


# Ctrl+C while many files are worked on: the first ends the run after the file at hand, the second at once.

ItemT = TypeVar("ItemT")


class Interruption:
    """Listens to Ctrl+C within its block; Blender's own listener, which only stops renders, comes back afterwards."""

    def __init__(self) -> None:
        self.asked = False
        self._before: signal.Handlers | Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Interruption:
        self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_error: object) -> None:
        # None stands for a listener that is not Python's, which Python cannot put back
        signal.signal(signal.SIGINT, signal.SIG_DFL if self._before is None else self._before)

    def _hear(self, _signal: int, _frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def before_each(self, items: Iterable[ItemT]) -> Iterator[ItemT]:
        """Return the items, until an end was asked for."""
        return takewhile(lambda _: not self.asked, items)
