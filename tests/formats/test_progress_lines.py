"""How far a command without Blender is: a line on a terminal, by bytes; nothing where standard error is a pipe."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cases import slow

from io_formats.commands import console as progress_lines
from io_formats.commands.console import complain, show_progress

SOURCE = Path(__file__).resolve().parents[2]
HAND = SOURCE / "tests/data/mrtk/v11_flags/v11_cam1_hand1_gaze1.bin"
WALK = SOURCE / "tests/data/animx/08_walk.animj"


def on_a(terminal: tuple[int, int], *arguments: str) -> tuple[str, str]:
    """What a command writes to standard output, which is a pipe, and shows on standard error, a terminal."""
    ours, theirs = terminal
    process = subprocess.Popen(
        [sys.executable, "-m", "io_formats", *arguments], cwd=SOURCE, stdout=subprocess.PIPE, stderr=theirs, text=True
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # which is how Linux tells the end
        while block := os.read(ours, 1 << 16):
            shown += block
    os.close(ours)
    output, _ = process.communicate()
    assert process.returncode == 0
    return output, shown.decode()


@pytest.mark.parametrize("arguments", [["info", "--json"], slow(["verify"])])
def test_several_files(arguments: list[str], terminal: tuple[int, int]) -> None:
    output, shown = on_a(terminal, *arguments, str(HAND), str(WALK))
    assert re.search(r"0 %, 0 of 2 files: v11_cam1_hand1_gaze1\.bin", shown)
    assert shown.endswith("\r")  # wiped
    command = [sys.executable, "-m", "io_formats", *arguments, str(HAND), str(WALK)]
    run = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == (output, "")


def test_one_conversion(tmp_path: Path, terminal: tuple[int, int]) -> None:
    _, shown = on_a(terminal, "convert", str(WALK), str(tmp_path / "walk.bin.animx"))
    assert re.search(r"\d+ %: 08_walk\.animj", shown)


class Terminal:
    """A terminal that remembers what was written to it."""

    encoding = "ascii"

    def __init__(self) -> None:
        self.written = ""

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        return

    def write(self, text: str) -> None:
        self.written += text


def test_a_line_gives_way_to_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "20")
    show_progress("5 %: \x1b[31m\u624b" + "x" * 100)
    assert terminal.written == "5 %: \\x1b[31m\\u624b"[:19]
    show_progress("6 %")
    assert terminal.written.endswith("\r" + " " * 19 + "\r6 %")
    complain("said\t\x08\x0b")
    assert terminal.written.endswith("\r   \rsaid\t\\x08\\x0b\n")


def test_ctrl_c_ends_with_the_code_of_shells(capsys: Any) -> None:
    def pressed() -> int:
        raise KeyboardInterrupt

    assert progress_lines.guarded(pressed) == 130 and "Interrupted" in capsys.readouterr().err
