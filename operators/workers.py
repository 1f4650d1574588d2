"""Several Blender processes at one list of files: each is given a file when it has finished another.

A worker is this extension's own command with COMMAND for its only argument. Its standard input brings lines of JSON:
the settings, then a file at a time; its standard output gives, behind a token that no file name can guess, what it asks
and what came of each file. Whatever else Blender prints is passed over.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

import bpy

from ..io_formats.files.batch_files import Outputs, Task
from . import messages
from .interruption import Interruption

COMMAND = "--worker"

_MOST_FILES = 64
"""Files after which a process is followed by a fresh one: whatever Blender does not give back is given back then."""

_BOOT = """
import os, sys
import bpy, addon_utils
from importlib import import_module
addon_utils.enable({package!r})
code = import_module({module!r}).main(sys.argv[1:])
sys.stdout.flush()
os._exit(code)
"""

Results = list[dict[str, Any]]


def run(
    command: str,
    settings: Mapping[str, Any],
    tasks: Iterable[Task],
    outputs: Outputs,
    jobs: int,
    interruption: Interruption,
) -> Iterator[Results]:
    """Yield results of each file as soon as they are known.

    Args:
        command: name of the `blender --command`.
        settings: what was asked for on the command line, as plain values.
        jobs: number of processes at a time.
        interruption: once it is asked for, no further file is begun.
    """
    crew = _Crew([*_program(command), COMMAND], settings, interruption.before_each(tasks), outputs)
    threads = [Thread(target=crew.work, daemon=True) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            yield from iter(crew.finished.get, None)  # each thread ends with a None
    finally:
        crew.stop()


def _program(command: str) -> list[str]:
    """Return how to start another Blender: the program itself, or this Python where Blender is its module."""
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "--command", command]
    root = (__package__ or "").rpartition(".")[0]
    boot = _BOOT.format(package=root, module=f"{root}.operators.command_line")
    return [sys.executable, "-c", boot]


class _Crew:
    """What the threads share, each of which looks after one process."""

    def __init__(
        self, program: list[str], settings: Mapping[str, Any], tasks: Iterator[Task], outputs: Outputs
    ) -> None:
        self.finished: SimpleQueue[Results | None] = SimpleQueue()
        self._program = program
        self._settings = settings
        self._tasks = tasks
        self._outputs = outputs
        self._lock = Lock()
        self._busy: set[_Worker] = set()

    def work(self) -> None:
        """Give files to one process after the other until none is left."""
        try:
            for task in iter(self._next, None):
                self._work_from(task)
        finally:
            self.finished.put(None)

    def _work_from(self, first: Task) -> None:
        """Give this file and the next ones to a new process, until it has had its share or ends."""
        try:
            worker = self._start()
        except OSError as error:
            self.finished.put(_lost(first, error.strerror or str(error)))
            return
        for task in chain([first], islice(iter(self._next, None), _MOST_FILES - 1)):
            results = worker.results_of(task)
            self.finished.put(results or _lost(task, worker.last_words()))
            if not results:
                break
        self._end(worker)

    def stop(self) -> None:
        """End what still works, without waiting for its file."""
        with self._lock:
            for worker in self._busy:
                worker.kill()

    def _next(self) -> Task | None:
        with self._lock:
            return next(self._tasks, None)

    def _start(self) -> _Worker:
        worker = _Worker(self._program, self._settings, self._outputs)
        with self._lock:
            self._busy.add(worker)
        return worker

    def _end(self, worker: _Worker) -> None:
        worker.end()
        with self._lock:
            self._busy.discard(worker)


class _Worker:
    """One process and the pipes to it. It has a group of its own, so that Ctrl+C in a terminal does not reach it."""

    def __init__(self, program: list[str], settings: Mapping[str, Any], outputs: Outputs) -> None:
        self._outputs = outputs
        self._token = secrets.token_hex(16)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  open as long as the process
        group: dict[str, Any] = {"process_group": 0}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, **group
        )
        self._send({"token": self._token, **settings})

    def results_of(self, task: Task) -> Results:
        """Return what came of a file; nothing if the process ended over it."""
        self._send({"file": str(task.file), "output": str(task.output)})
        assert self._process.stdout is not None
        token = self._token.encode()
        for line in self._process.stdout:
            if line.startswith(token):
                said = json.loads(line[len(token) :])
                if "results" in said:
                    results: Results = said["results"]
                    return results
                self._send({"owner": self._outputs.owner(*said["claim"])})
        return []

    def last_words(self) -> str:
        """Return why the process has ended, as far as it said."""
        code = self._process.wait()
        self._said.seek(0)
        return (self._said.read().decode("utf-8", "replace").strip().splitlines() or [str(code)])[-1]

    def end(self) -> None:
        """Let the process end, which it does when nothing more can come."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            _close(pipe)
        self._process.wait()
        self._said.close()

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            return  # it has ended, which reading from it shows


def _lost(task: Task, reason: str) -> Results:
    """Return the result of a file over which a process ended."""
    return [{"file": str(task.file), "error": messages.CLI_LOST.format(file=task.file, reason=reason)}]


def _close(pipe: Any) -> None:
    try:
        pipe.close()
    except OSError:
        return  # what was still to be written to a process that has ended


def serve(finished: Callable[[Task, Namespace, Outputs], Results]) -> int:
    """Be a worker: do what standard input says until it ends."""
    asked = sys.stdin.buffer
    settings = json.loads(asked.readline())
    token = settings.pop("token")

    def answer(message: Any) -> None:
        sys.stdout.write(f"\n{token}{json.dumps(message)}\n")
        sys.stdout.flush()

    def claim(output: str, file: str) -> str:
        answer({"claim": [output, file]})
        owner: str = json.loads(asked.readline())["owner"]
        return owner

    namespace = Namespace(**settings)
    outputs = Outputs(overwrite=namespace.overwrite, claim=claim)
    for line in iter(asked.readline, b""):
        names = json.loads(line)
        answer({"results": finished(Task(Path(names["file"]), Path(names["output"])), namespace, outputs)})
    return 0
