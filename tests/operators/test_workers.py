"""Processes that end over a file, or after one: that file is told as lost, all others are done, each once."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

WORKER = r"""
import json, os, sys, time
assert sys.platform == "win32" or os.getpgrp() == os.getpid()  # Ctrl+C in a terminal is not for it
asked = sys.stdin.buffer
token = json.loads(asked.readline())["token"]

def say(message):
    sys.stdout.write(f"noise without an end\n{token}{json.dumps(message)}\n")
    sys.stdout.flush()

for line in iter(asked.readline, b""):
    file = json.loads(line)["file"]
    if "dies" in file:
        sys.stderr.write("where it was\nout of luck\n")
        sys.stderr.flush()
        os._exit(3)
    if "lasts" in file:
        time.sleep(2.0)
        open(file, "w")
    say({"share": 0.5})
    say({"claim": ["one output", file]})
    owner = json.loads(asked.readline())["owner"]
    say({"results": [{"file": file, "output": owner, "process": os.getpid()}]})
"""
FILES = ["a", "dies 1", "b", "wei\udcdf", "new\nline", "c", "dies 2", "d", "e"]


@pytest.mark.parametrize("jobs", [1, 3, 20])
def test_what_a_process_ends_over_is_lost_and_nothing_else(
    bpy: Any, part: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, jobs: int
) -> None:
    workers, batch_files = part("operators.workers"), part("io_formats.files.batch_files")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(workers, "_program", lambda: [sys.executable, "-c", WORKER])
    monkeypatch.setattr(workers, "_MOST_FILES", 2)
    tasks = [batch_files.Task(Path(name), Path(name)) for name in FILES]
    Progress, files = part("io_formats.commands.console").Progress, [task.file for task in tasks]  # noqa: N806
    progress, shares = Progress(files), list[float]()
    monkeypatch.setattr(Progress, "tell", lambda _progress, _file, share: shares.append(share))
    with part("operators.workers").Interruption() as interruption:
        run = workers.run({}, interruption.before_each(tasks), batch_files.Outputs(), jobs, progress)
        rows = [row for rows in run for row in rows]
    assert sorted(row["file"] for row in rows) == sorted(FILES)
    lost = {row["file"]: row["error"] for row in rows if "error" in row}
    assert sorted(lost) == ["dies 1", "dies 2"]
    assert all("ended early: out of luck" in error for error in lost.values())
    assert len({row["output"] for row in rows if "output" in row}) == 1, "all are told who came first"
    assert progress.percent == 100 and {*shares} == {0.0, 0.5}, "told while it works"
    assert max(Counter(row["process"] for row in rows if "output" in row).values()) <= 2
    lasting = tmp_path / "lasts"
    run = workers.run(
        {}, iter([batch_files.Task(lasting, lasting), *tasks]), batch_files.Outputs(), 2, Progress([lasting, *files])
    )
    next(run)
    assert sys.platform == "win32" or not list(tmp_path.glob("anim_curves_*")), "who kills all processes finds it left"
    run.close()
    assert not lasting.exists(), "what is under way at the end is not finished"
    monkeypatch.setattr(workers, "_program", lambda: [str(tmp_path / "no program")])
    run = workers.run({}, iter(tasks), batch_files.Outputs(), jobs, Progress(files))
    assert [row["file"] for rows in run for row in rows if "No such file" in row["error"]] == FILES


def test_the_first_interruption_is_noted_and_the_second_ends_at_once(part: Callable[[str], Any]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with part("operators.workers").Interruption() as interruption:
        assert list(interruption.before_each("ab")) == ["a", "b"]
        signal.raise_signal(signal.SIGINT)
        assert interruption.asked and list(interruption.before_each("ab")) == []
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) == before


@pytest.mark.parametrize("asks", [False, True])
def test_a_worker_whose_parent_was_killed_does_not_finish_its_file(
    part: Callable[[str], Any], command: Callable[..., int], monkeypatch: pytest.MonkeyPatch, asks: bool
) -> None:
    """It sees so at the next step, and where it asks whose a file is."""
    told = [{"token": "0", "overwrite": False, "output": None}, {"file": "a", "output": "b"}]
    lines = "".join(json.dumps(line) + "\n" for line in told).encode()

    def finished(task: Any, _namespace: Any, outputs: Any, tell: Callable[[Path, float], None]) -> None:
        tell(task.file, 0.1)
        monkeypatch.setattr(os, "getppid", lambda: -1)
        outputs.take(task.output, task.file) if asks else tell(task.file, 0.2)
        raise ArithmeticError

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines)))
    monkeypatch.setattr(part("operators.command_line"), "_finished", finished)
    assert command("--worker") == 130
