"""A folder of many recordings through `import --jobs`: `many_files.py --files 10000 --jobs 2 FOLDER` prints the rate.

The recordings are a fifth of a second to a second long; every hundredth is damaged, to show that it costs only itself.
Each becomes a .blend of its own, as `blender --command anim_curves import FOLDER --output OUT --jobs N` makes it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import sys
import tempfile
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import recordings  # noqa: E402
from alone import enable_extension  # noqa: E402  needs the path

PACKAGE = "bl_ext.user_default.io_anim_curves"
DAMAGED_EVERY = 100
LENGTHS = 20


def write_folder(folder: Path, count: int) -> int:
    """Fill a folder with recordings; how many of them are damaged."""
    folder.mkdir(parents=True, exist_ok=True)
    samples = [recordings.recording(0.2 + 0.04 * number, full=False) for number in range(LENGTHS)]
    for number in range(count):
        data = samples[number % LENGTHS]
        whole = number % DAMAGED_EVERY != DAMAGED_EVERY - 1
        (folder / f"take_{number:05d}.bin").write_bytes(data if whole else data[: len(data) // 2])
    return count // DAMAGED_EVERY


def run(folder: Path, output: Path, *arguments: str) -> list[dict[str, object]]:
    """Import the folder; a result for each file."""
    command = importlib.import_module(PACKAGE + ".operators.command_line")
    said = StringIO()
    with redirect_stdout(said):
        command.main(["import", str(folder), "--output", str(output), "--json", *arguments])
    return [json.loads(line) for line in said.getvalue().splitlines()]


def processor_seconds() -> float:
    """Of this process and those that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def mean_size(folder: Path, ending: str) -> float:
    """KiB of a file with this ending, on average."""
    sizes = [path.stat().st_size for path in folder.rglob(f"*{ending}")]
    return sum(sizes) / len(sizes) / 1024


def largest_process() -> float:
    """MiB that the largest process has had in memory: this one, or one of the workers."""
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024


def seconds_to_list(takes: Path, output: Path) -> float:
    """How long a machine looks through the folder that has a part of it, be it an empty one."""
    begun = time.perf_counter()
    run(takes, output, "--part", f"1/{1 << 62}")
    return time.perf_counter() - begun


def main() -> int:
    """Generate, import, print; 0 when just the damaged files failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    takes, blends = arguments.folder / "takes", arguments.folder / "blends"
    damaged = write_folder(takes, arguments.files)
    enable_extension(Path(tempfile.mkdtemp(prefix="anim_curves_many_")))
    begun, used = time.perf_counter(), processor_seconds()
    results = run(takes, blends, "--jobs", str(arguments.jobs))
    seconds, used = time.perf_counter() - begun, processor_seconds() - used
    failed, count = sum("error" in result for result in results), len(results)
    sys.stdout.write(
        f"{count} recordings, {arguments.jobs} jobs, {seconds:.0f} s, {count / seconds:.1f} a second, "
        f"{failed} failed, {damaged} were damaged\n"
        f"{count / used:.1f} a second and core; largest process {largest_process():.0f} MiB; on average "
        f"{mean_size(takes, '.bin'):.0f} KiB read, {mean_size(blends, '.blend'):.0f} KiB written; "
        f"listing the folder {seconds_to_list(takes, blends):.2f} s\n"
    )
    sys.stdout.flush()
    return int(failed != damaged or count != arguments.files)


if __name__ == "__main__":
    os._exit(main())
