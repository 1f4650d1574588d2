"""The memory that a job or container may have on Linux, where control groups limit it (man 7 cgroups)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

_OF_THIS_PROCESS = Path("/proc/self/cgroup")
_MOUNTED = Path("/sys/fs/cgroup")


@cache
def limits() -> tuple[int, ...]:
    """Return the limits in bytes of the groups that this process is in, and of those above them; none elsewhere.

    Slurm, Docker and systemd limit memory so, and the system ends a process that takes more. Where there is no limit,
    version 1 of control groups has a number beyond any memory, and version 2 the word "max".
    """
    found: list[int] = []
    for line in _lines(_OF_THIS_PROCESS):
        _, controllers, group = line.split(":", 2)
        if not controllers:
            found.extend(_limits_of(_MOUNTED, group, "memory.max"))
        elif "memory" in controllers.split(","):
            found.extend(_limits_of(_MOUNTED / "memory", group, "memory.limit_in_bytes"))
    return tuple(found)


def _limits_of(root: Path, group: str, name: str) -> Iterator[int]:
    """Yield the limits of `group` and of those above it; in a container those that it can see."""
    own = root / group.lstrip("/")
    for folder in (own, *own.parents):
        yield from (int(line) for line in _lines(folder / name) if line.isdecimal())
        if folder == root:
            return


def _lines(path: Path) -> list[str]:
    """Return the lines of a small file, none if there is none that can be read."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
