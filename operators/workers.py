"""Several Blender processes at one list of files, each with its share, results as they come."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import bpy

from ..io_formats import messages

_SHARE = 64
"""Files that a process is given at a time: many enough that starting Blender does not count."""

_BOOT = """
import os, sys
import bpy, addon_utils
from importlib import import_module
addon_utils.enable({package!r})
code = import_module({module!r}).main(sys.argv[1:])
sys.stdout.flush()
os._exit(code)
"""


def run(command: str, arguments: Sequence[str], files: Sequence[Path], jobs: int) -> Iterator[dict[str, Any]]:
    """Results of the command for all files, in the order in which the shares are done.

    Args:
        command: name of the `blender --command`.
        arguments: the worker's arguments; the files' names come through its standard input.
        jobs: number of processes at a time.
    """
    share = max(1, min(_SHARE, -(-len(files) // jobs)))
    shares = [files[start : start + share] for start in range(0, len(files), share)]
    with ThreadPoolExecutor(jobs) as pool:
        pending = [pool.submit(_work, [*_program(command), *arguments], names) for names in shares]
        for finished in as_completed(pending):
            yield from finished.result()


def _program(command: str) -> list[str]:
    """How to start another Blender: the program itself, or this Python where Blender is its module."""
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "--command", command]
    root = (__package__ or "").rpartition(".")[0]
    boot = _BOOT.format(package=root, module=f"{root}.operators.command_line")
    return [sys.executable, "-c", boot]


def _work(program: Sequence[str], files: Sequence[Path]) -> list[dict[str, Any]]:
    names = b"\n".join(os.fsencode(path) for path in files)
    done = subprocess.run(program, input=names, capture_output=True, check=False)
    results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b'{"file"')]
    told = {result["file"] for result in results}
    reason = (done.stderr.decode("utf-8", "replace").strip().splitlines() or [str(done.returncode)])[-1]
    lost = [str(path) for path in files if str(path) not in told]
    return results + [{"file": name, "error": messages.CLI_LOST.format(file=name, reason=reason)} for name in lost]
