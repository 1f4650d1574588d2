"""Files read as a whole: only regular files, up to a limit; every refusal is one sentence."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from ..errors import FormatError, about_file
from . import messages
from .steps import Steps, at_once

_BLOCK = 1 << 24
_ANY_FILE = 1 << 16
"""A file costs as much as this many bytes more than it has."""


def read_in_steps(
    path: str | Path, limit: int | None = None, *, refusal: str = messages.FILE_TOO_LARGE
) -> Steps[bytes]:
    """Return the bytes of a file.

    Args:
        limit: largest size in bytes, checked before anything is read; None for no limit.
        refusal: the sentence for a larger file, with fields `size` and `limit`.

    Raises:
        FormatError: it cannot be read, or is not a regular file: a pipe or a device may never end.
    """
    with about_file(path):
        size = check_file(path)
        if limit is not None and size > limit:
            raise FormatError(refusal, size=size, limit=limit)
        try:
            return (yield from _read(Path(path), size))
        except MemoryError as error:
            raise FormatError(messages.NO_MEMORY, size=size) from error


read_file = at_once(read_in_steps)


def _read(path: Path, size: int) -> Steps[bytes]:
    """Read a file block by block, into the bytes that are returned: joining blocks would copy them."""
    whole = BytesIO(bytes(size))
    done = 0
    with open(path, "rb", buffering=0) as file:
        while done < size:
            with whole.getbuffer()[done : done + _BLOCK] as block:
                found = file.readinto(block)
            if not found:  # it has become shorter meanwhile
                break
            done += found
            yield done / size
    whole.truncate(done)
    return whole.getvalue()


def check_file(path: str | Path) -> int:
    """Return the size of a file in bytes; raise FormatError if it does not exist or is not a regular file."""
    with about_file(path):
        try:
            status = os.stat(path)
        except ValueError as error:  # a zero byte, or characters that the system's names cannot have
            raise FormatError(messages.NO_FILE_NAME) from error
        if not stat.S_ISREG(status.st_mode):
            raise FormatError(messages.NOT_A_FILE)
    return status.st_size


def cost_of(path: Path) -> int:
    """Return the size of a file in bytes, and what every file costs; only that for one that cannot be read."""
    try:
        return _ANY_FILE + check_file(path)
    except FormatError:  # which is told when its turn comes; one in an archive has no size here
        return _ANY_FILE


class Unread:
    """The bytes of an open file, read only where they are looked at: enough to recognise a file of any size."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, wanted: slice) -> bytes:
        start, end, _ = wanted.indices(self._size)
        self._file.seek(start)
        return self._file.read(max(end - start, 0))


@contextmanager
def unread(path: str | Path) -> Iterator[Unread]:
    """Open a file to look at parts of it; raise FormatError if it cannot be read."""
    with about_file(path):
        size = check_file(path)
        with open(path, "rb", buffering=0) as file:
            yield Unread(file, size)
