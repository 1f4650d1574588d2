"""Make an environment with Blender as a Python module, and run the tests in it: no `make` and no shell needed.

    python tools/test.py [--blender 5.0.1] [PYTEST'S ARGUMENTS, such as -k visibility]

For Blender 4.2 to 5.0 run it with Python 3.11, for 5.2 with 3.13. Without arguments slow tests are left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
NEWEST = {(3, 11): ("5.0.1", "1.26.4"), (3, 13): ("5.2.3", "2.3.4")}
"""Blender and the numpy that it ships, by the Python that its module needs."""

TESTS = ("pytest>=8,<10", "hypothesis>=6,<7", "lz4>=4,<5")


def environment(blender: str, numpy: str) -> Path:
    """Make the environment, or take the one that is there; its Python."""
    folder = SOURCE / "build" / "environments" / f"blender-{blender}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / ".packages").exists():
        venv.create(folder, with_pip=True, clear=True)
        packages = (f"bpy=={blender}", f"numpy=={numpy}", *TESTS)
        subprocess.run([python, "-m", "pip", "install", "--disable-pip-version-check", *packages], check=True)
        (folder / ".packages").write_text(" ".join(packages) + "\n", encoding="utf-8", newline="\n")
    return python


def main(arguments: list[str]) -> int:
    """Run the tests; pytest's exit code."""
    if sys.version_info[:2] not in NEWEST:
        raise SystemExit("tools/test.py: Blender's modules need Python 3.11 (4.2 to 5.0) or 3.13 (5.2)")
    blender, numpy = NEWEST[sys.version_info[:2]]
    if arguments[:1] == ["--blender"]:
        blender, arguments = arguments[1], arguments[2:]
        numpy = "1.24.3" if blender.startswith("4.2.") else numpy
    python = environment(blender, numpy)
    return subprocess.run([python, "-m", "pytest", *(arguments or ["-m", "not slow"])], cwd=SOURCE).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
