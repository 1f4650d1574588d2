"""What comes over a network is asked for once more after a failure, which is told; nothing else is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a shell")
FAILS = 'echo called >>"$0"; [ "$(wc -l <"$0")" -ge "$1" ] || exit 7'
"""A command that fails with 7 until it has been called so often."""


@pytest.mark.parametrize(("works_at", "calls", "code", "tellings"), [(1, 1, 0, 0), (2, 2, 0, 1), (9, 2, 7, 1)])
def test_a_command_is_given_one_more_chance(
    tmp_path: Path, works_at: int, calls: int, code: int, tellings: int
) -> None:
    log = tmp_path / "all calls"
    command = ["sh", str(SOURCE / "tools" / "twice.sh"), "sh", "-c", FAILS, str(log), str(works_at)]
    run = subprocess.run(command, env={**os.environ, "PAUSE_SECONDS": "0"}, capture_output=True, text=True, check=False)
    assert (run.returncode, len(log.read_text().splitlines())) == (code, calls)
    assert run.stdout == "" and run.stderr.count("failed with 7, once more in 0 s") == tellings


def test_all_that_asks_a_network_asks_twice() -> None:
    scripts = [*SOURCE.glob("tools/*.sh"), SOURCE / ".ci" / "run", SOURCE / "tests" / "gui" / "make_root.sh"]
    lines = [line for script in scripts for line in script.read_text(encoding="utf-8").splitlines()]
    asking = [line for line in lines if ASKS.search(line)]
    assert len(asking) >= 7 and [line for line in asking if "twice" not in line] == []


@pytest.mark.parametrize("kind", ["programs", "check", "cluster", "fuzz"])
def test_what_could_not_be_fetched_is_no_finished_environment(kind: str, tmp_path: Path) -> None:
    """Else the next call, when the network is there again, would find an environment without its packages."""
    shutil.copytree(SOURCE / "tools", tmp_path / "tools")
    for version in ("3.11", "3.13"):
        program = tmp_path / "bin" / f"python{version}"
        program.parent.mkdir(exist_ok=True)
        program.write_text(PYTHON_WITHOUT_NETWORK)
        program.chmod(0o755)
    environ = {**os.environ, "PAUSE_SECONDS": "0", "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    command = ["sh", str(tmp_path / "tools" / "environment.sh"), kind]
    run = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert run.returncode == (3 if kind == "programs" else 7) and "failed with 7, once more" in run.stderr
    made = tmp_path / "build" / "environments" / kind
    assert made.is_dir() and not (made / ".packages").exists()


PYTHON_WITHOUT_NETWORK = """#!/bin/sh
case "$1 $2" in
"-m venv") mkdir -p "$3/bin" && printf '#!/bin/sh\\nexit 7\\n' >"$3/bin/python" && chmod +x "$3/bin/python" ;;
*print*) echo "$0" ;;
esac
"""
"""A Python that makes environments into which nothing can be fetched."""

ASKS = re.compile(r'pip install --|npm" install|apt-get update -q|apt-get install -|mmdebstrap "\$@"')
