"""How much memory and time of the processor work will need, estimated beforehand and held against options.

Memory was measured with imports of five million keys, and of 20,000 curves on as many bones, in Blender 5.0: 146 bytes
a key (its BezTriple of 72, and as much while it is filled in), 2.5 KiB a curve and 6.6 KiB a bone. Curves and bones
count double, as undo keeps a second one. From its file to .npz, .glb or .w3d a key takes 20 bytes, or 58 with tangents.
Time was measured with conversions, on one core of an ordinary machine.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FormatError
from . import messages

if TYPE_CHECKING:
    from ..clip import Clip

if sys.platform != "win32":  # where Python cannot ask for limits
    import resource

KEY, BARE_KEY = 2 * 72, 64
"""Bytes of a key in Blender, and of one that is only converted."""
CURVE = 8 << 10
NODE = 16 << 10
PIECE = 8 * KEY
"""Of a curve that is being fitted: a piece is measured in a dozen arrays of double precision, and becomes a key."""

PIECE_SECONDS = 4e-5
"""Of a piece, which is measured about twice, and is a key of what is written afterwards."""

PART = 512
"""Of a document: a chunk, a marker, a text. Each is an object or two of Python's, whatever it holds."""

JSON = {b"{": 128, b"[": 64, b",": 36, b":": 48, b'"': 28}
"""What Python makes of JSON, told by its signs: measured, numbers and names that are all different included."""

_MOST_OF_JSON = 64
"""Bytes that one byte of JSON can need, as it is said thrice: as bytes, as text and as objects."""

MOST = 4 << 30
"""Bytes that nothing exceeds unless asked to, whatever the machine has."""

_SECONDS, _SECONDS_A_MIB = 60, 15
"""The processor's time that work may need unless asked otherwise, and as much more for each MiB that is read."""

_UNKNOWN_MACHINE = 8 << 30
_MIB = 1 << 20


@dataclass
class _Allowance:
    """Bytes and seconds that work may need, those of a key, what is already counted, and the bytes that were read."""

    limit: int
    seconds: int
    key: int
    spent: int = 0
    worked: float = 0.0
    read: int = 0

    def hold(self, size: int, seconds: float = 0.0) -> None:
        """Raise FormatError if so many more bytes or seconds are too many."""
        time = self.seconds or _SECONDS + _SECONDS_A_MIB * self.read // _MIB
        if self.worked + seconds > time:
            raise FormatError(messages.TOO_MUCH_TIME, needed=math.ceil(self.worked + seconds), limit=time)
        if (size := size + self.spent) > self.limit:
            raise FormatError(messages.TOO_MUCH_MEMORY, needed=-(-size // _MIB), limit=self.limit // _MIB)


_ALLOWANCE: ContextVar[_Allowance | None] = ContextVar("memory", default=None)


def limited(mib: int = 0, seconds: int = 0) -> AbstractContextManager[None]:
    """Let `reckon` refuse, within the block, what needs more than that; 0 means a limit that suits the machine."""
    return limits(mib, seconds)()


def limits(mib: int, seconds: int, key: int = BARE_KEY) -> Callable[[], AbstractContextManager[None]]:
    """Return what makes blocks as `limited` does, for work in steps: what is needed in each counts for all."""
    allowance = _Allowance(mib * _MIB or suitable(), seconds, key)

    @contextmanager
    def within() -> Iterator[None]:
        token = _ALLOWANCE.set(allowance)
        try:
            yield
        finally:
            _ALLOWANCE.reset(token)

    return within


def asked_of(options: object) -> tuple[int, int]:
    """Return the MiB and seconds that options or a command line allow, 0 where they say nothing."""
    return getattr(options, "memory_mib", 0), getattr(options, "time_s", 0)


def suitable() -> int:
    """Return the bytes that an import may need by default: a quarter of what this process can have, at most 4 GiB."""
    if sys.platform == "win32":
        return min(_UNKNOWN_MACHINE // 4, MOST)
    found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return min(min(found, found if allowed == resource.RLIM_INFINITY else allowed, *group_limits()) // 4, MOST)


def reckon(
    *,
    keys: int = 0,
    curves: int = 0,
    nodes: int = 0,
    pieces: int = 0,
    parts: int = 0,
    size: int = 0,
    seconds: float = 0.0,
) -> None:
    """Raise FormatError if work of this size needs more memory or time than is allowed.

    Args:
        keys, curves, nodes: how many the clips have.
        pieces: segments of curves that are being fitted.
        parts: of a document, such as chunks and markers.
        size: bytes of anything else.
        seconds: of the processor, besides those for `pieces`.
    """
    allowance = _ALLOWANCE.get()
    if allowance is not None:
        size += keys * allowance.key + curves * CURVE + nodes * NODE + pieces * PIECE + parts * PART
        allowance.hold(size, seconds + pieces * PIECE_SECONDS)


def reckon_json(data: bytes) -> None:
    """Raise FormatError if JSON of these bytes needs more memory, once parsed, than is allowed."""
    allowance = _ALLOWANCE.get()
    if allowance is None or len(data) * _MOST_OF_JSON <= allowance.limit:
        return
    signs = {sign: data.count(sign) for sign in JSON}
    signs[b'"'] = max(signs[b'"'] - 2 * signs[b":"], 0)  # json keeps one copy of each field's name
    letters = len(data) * (2 if data.isascii() else 8)  # all of it and each text, of four bytes a letter
    allowance.hold(letters + sum(count * JSON[sign] for sign, count in signs.items()))


def spend(*, pieces: int = 0, seconds: float = 0.0, read: int = 0) -> None:
    """Add pieces of fitted curves or time to what later estimates start from, as a file has hundreds; or bytes read."""
    allowance = _ALLOWANCE.get()
    if allowance is not None:
        allowance.spent += pieces * PIECE
        allowance.worked += seconds + pieces * PIECE_SECONDS
        allowance.read += read


def reckon_clips(clips: Sequence[Clip], held: int = 0) -> None:
    """Raise FormatError if these clips, which share the bones of the largest, need more memory than is allowed, with
    `held` curves that each may have for each of its bones besides its own."""
    blocks = [track.values for clip in clips for track in clip.tracks]
    nodes = max((len(clip.nodes) for clip in clips), default=0)
    curves = sum(map(len, blocks)) + held * sum(len(clip.nodes) for clip in clips)
    reckon(keys=sum(block.size for block in blocks), curves=curves, nodes=nodes)


# The memory that a job or container may have on Linux, where control groups limit it (man 7 cgroups).

_OF_THIS_PROCESS = Path("/proc/self/cgroup")
_MOUNTED = Path("/sys/fs/cgroup")


@cache
def group_limits() -> tuple[int, ...]:
    """Return the limits in bytes of the groups that this process is in, and of those above them, as Slurm, Docker and
    systemd make them. Where there is no limit, version 1 of control groups has a number beyond any memory, and version
    2 the word "max"."""
    found: list[int] = []
    for line in _lines(_OF_THIS_PROCESS):
        _, controllers, group = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root, name = (_MOUNTED / "memory", "memory.limit_in_bytes") if controllers else (_MOUNTED, "memory.max")
        own = root / group.lstrip("/")
        for folder in (own, *own.parents):  # in a container those that it can see
            if folder.is_relative_to(root):
                found += [int(limit) for limit in _lines(folder / name) if limit.isdecimal()]
    return tuple(found)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
