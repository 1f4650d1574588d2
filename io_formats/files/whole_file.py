"""Files as a whole: read where they are regular ones, written completely or not at all; and what lies in folders."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..errors import FormatError, Report, about_file
from . import memory, messages
from .steps import AtOnce, Steps

_AT_ONCE = 1 << 24
"""Bytes that are read, compared or written in one step."""
_ANY_FILE = 1 << 16
"""A file costs as much as this many bytes more than it has."""


def state_of(path: Path) -> tuple[int, int] | None:
    """Return what a change of a file changes, None where no file is."""
    with suppress(OSError, ValueError):
        status = path.stat()
        return (status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else None
    return None


@AtOnce
def read_file(path: str | Path, limit: int | None = None, *, refusal: str = messages.FILE_TOO_LARGE) -> Steps[bytes]:
    """Return the bytes of a file; FormatError if it cannot be read, or is no regular one: a pipe may never end.

    Args:
        limit: largest size in bytes, checked before anything is read; None for no limit.
        refusal: the sentence for a larger file, with fields `size` and `limit`.
    """
    with about_file(path):
        size = check_file(path)
        if limit is not None and size > limit:
            raise FormatError(refusal, size=size, limit=limit)
        try:
            whole = BytesIO(bytes(size))  # the bytes that are returned: joining blocks would copy them
            done = 0
            with open(path, "rb", buffering=0) as file:
                while done < size:
                    with whole.getbuffer()[done : done + _AT_ONCE] as block:
                        found = file.readinto(block)
                    if not found:  # it has become shorter meanwhile
                        break
                    done += found
                    yield done / size
            whole.truncate(done)
        except MemoryError as error:
            raise FormatError(messages.NO_MEMORY, size=size) from error
    memory.spend(read=size)
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


@dataclass(frozen=True)
class Unread:
    """The bytes of an open file, read only where they are looked at: enough to recognise a file of any size."""

    file: BinaryIO
    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, wanted: slice) -> bytes:
        start, end, _ = wanted.indices(self.size)
        self.file.seek(start)
        return self.file.read(max(end - start, 0))


@contextmanager
def unread(path: str | Path) -> Iterator[Unread]:
    """Open a file to look at parts of it; raise FormatError if it cannot be read."""
    with about_file(path):
        size = check_file(path)
        with open(path, "rb", buffering=0) as file:
            yield Unread(file, size)


# Files are written as a whole or not at all: the bytes go to a new file in the same folder, are forced to the disk,
# read back and compared; only then does the new file take the old one's name, in one step of the file system.

if sys.platform != "win32":  # where opening a locked file fails anyway
    import fcntl

_WRITTEN = 0.7
"""Share that is done when the bytes are on the disk, to be compared."""
_SENTENCES = {
    errno.EEXIST: messages.WRITE_EXISTS,
    errno.ENOENT: messages.WRITE_FOLDER_MISSING,
    errno.ENOTDIR: messages.WRITE_FOLDER_MISSING,
    errno.EISDIR: messages.WRITE_NOT_A_FILE,
    errno.EACCES: messages.WRITE_DENIED,
    errno.EPERM: messages.WRITE_DENIED,
    errno.EROFS: messages.WRITE_DENIED,
    errno.EBUSY: messages.WRITE_LOCKED,
    errno.EAGAIN: messages.WRITE_LOCKED,
    errno.ENAMETOOLONG: messages.WRITE_BAD_NAME,
    errno.EINVAL: messages.WRITE_BAD_NAME,
    errno.EILSEQ: messages.WRITE_BAD_NAME,
}
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
"""What Windows refuses in a name, and what divides folders anywhere."""

DEVICES = re.compile(r"^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?= *(\.|$))", re.IGNORECASE)
"""Names of devices in Windows, whatever follows their first dot."""

_OURS = re.compile(r"\.anim-curves-[0-9a-f]{16}\.part@?")  # with @ while Blender saves
_STALE = 3600.0
"""Seconds after which a file that was never finished is taken for abandoned."""

_TRIES, _PAUSE = 25, 0.01
"""How often, and how many seconds apart, a lock is tried before it is taken for another program's."""

_LOCK = ".anim-curves.lock"
_WAITS = 1000
"""How often a folder's lock is looked at, as far apart, before it is taken for abandoned."""

_SHARING_VIOLATIONS = (32, 33)
"""Windows: the file is open, or a part of it locked, in another process."""


@AtOnce
def write_atomically(path: str | Path, data: bytes, *, overwrite: bool = True) -> Steps[None]:
    """Write `data` to `path`; after an error, or closed before its end, the old file is still there, unchanged.

    A symbolic link is kept and its target replaced. The new file gets the old one's permissions, and its owner where
    the system allows that. FormatError: the disk is full, there is no permission, the file is locked, or, unless it
    may `overwrite`, there is one of that name, also one that appears while this one is being written.
    """
    starts, every = range(0, len(data) + 1, _AT_ONCE), len(data) + _AT_ONCE
    with beside(path, len(data), overwrite=overwrite) as temporary:
        with open(temporary, "xb") as file, memoryview(data) as view:
            for start in starts:
                file.write(view[start : start + _AT_ONCE])
                yield _WRITTEN * (start + _AT_ONCE) / every
            file.flush()
            os.fsync(file.fileno())
        with open(temporary, "rb") as file:
            for start in starts:
                if file.read(_AT_ONCE) != data[start : start + _AT_ONCE]:
                    raise FormatError(messages.WRITE_DIFFERS)
                yield _WRITTEN + (1 - _WRITTEN) * (start + _AT_ONCE) / every


@contextmanager
def beside(path: str | Path, size: int | None = None, *, overwrite: bool) -> Iterator[Path]:
    """Give the name of a new file, of so many bytes if that is known, which becomes that at `path` when the block has
    ended well. Raises as `write_atomically` does."""
    if "\0" in str(path):
        raise FormatError(messages.WRITE_BAD_NAME, file=str(path))
    check_name(path)
    with about_file(path):
        try:
            target = Path(os.path.realpath(path))
            old = _probe(target)
            if old is not None and not overwrite:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            with _given_name(target, old, overwrite=overwrite) as temporary:
                yield temporary
        except OSError as error:
            sentence = _SENTENCES.get(error.errno or 0, messages.WRITE_FAILED)
            if sentence == messages.WRITE_FOLDER_MISSING and target.parent.is_dir():  # the new file was removed
                sentence = messages.WRITE_FAILED
            if getattr(error, "winerror", None) in _SHARING_VIOLATIONS:
                sentence = messages.WRITE_LOCKED
            elif error.errno in _FULL:
                sentence = messages.WRITE_DISK_FULL if size is None else messages.WRITE_NO_SPACE
            raise FormatError(sentence, size=size, reason=error.strerror or str(error)) from error


def check_name(path: str | Path) -> None:
    """Raise FormatError for a name with which Windows would write to a device or a stream, or which it would cut."""
    name = os.path.basename(path)
    unsafe = UNSAFE.search(name) or DEVICES.match(name) or name.endswith((".", " "))
    if sys.platform == "win32" and unsafe:
        raise FormatError(messages.WRITE_BAD_NAME, file=str(path))


def _probe(target: Path) -> os.stat_result | None:
    """Return the status of the old file, None if there is none; raise OSError if it is not a file, locked or read-only,
    as nobody who made it so wants it replaced."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with open(target, "r+b") as file:
        for lock in (fcntl.flock, fcntl.lockf) if sys.platform != "win32" else ():  # Unix has two ways
            for _ in range(_TRIES):  # another writer's own check holds the lock for a moment
                try:
                    lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError as error:
                    if error.errno not in (errno.EAGAIN, errno.EACCES):
                        break  # a network drive without locks
                time.sleep(_PAUSE)
            else:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return old


@contextmanager
def folder_to_ourselves(folder: Path) -> Iterator[None]:
    """Let no other process of ours be in a block of the same folder, for what is read and then written anew: a file
    that only one can make says that somebody is there, on every system and network drive; one that is there for ten
    seconds was left by a process that was killed. Where none can be made, it goes on without."""
    lock = folder / _LOCK
    # Windows denies access while another process is removing the file
    taken = (FileExistsError,) if sys.platform != "win32" else (FileExistsError, PermissionError)
    with ExitStack() as held:
        with suppress(OSError):
            for _ in range(_WAITS):
                with suppress(*taken):
                    os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                    break
                time.sleep(_PAUSE)
            held.callback(_unlink, lock)
        yield


def _unlink(file: Path) -> None:
    with suppress(OSError):
        os.unlink(file)


@contextmanager
def _given_name(target: Path, old: os.stat_result | None, *, overwrite: bool) -> Iterator[Path]:
    # not made from another file's name, which may be as long as the system allows
    temporary = target.parent / f".anim-curves-{secrets.token_hex(8)}.part"
    try:
        yield temporary
        if old is not None:
            # owner, then permissions, as changing the owner clears permission bits
            if hasattr(os, "chown"):
                with suppress(PermissionError):
                    os.chown(temporary, old.st_uid, old.st_gid)
            os.chmod(temporary, stat.S_IMODE(old.st_mode))
        (os.replace if overwrite else _rename_to_free_name)(temporary, target)
    except BaseException:
        _unlink(temporary)
        raise
    # the new name is forced to the disk, where folders can be opened for that (not on Windows)
    with suppress(OSError):
        handle = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    # what killed writers left in the folder goes; younger files may still be being written
    with suppress(OSError):
        now = target.stat().st_mtime  # by the disk's clock, which can differ from ours on a network
        for left in target.parent.glob(".anim-curves-*"):
            status = left.lstat()
            if _OURS.fullmatch(left.name) and stat.S_ISREG(status.st_mode) and now - status.st_mtime > _STALE:
                left.unlink()


def _rename_to_free_name(temporary: Path, target: Path) -> None:
    """Give the new file its name; raise FileExistsError if that has been taken meanwhile."""
    if sys.platform == "win32":  # where renaming never replaces
        os.rename(temporary, target)
        return
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError as error:  # no hard links, as on FAT: a small race remains between check and rename
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
        os.replace(temporary, target)
    else:
        os.unlink(temporary)


# The files below a folder, as libraries search the folders that a person names.

_MOST_FILES = 500_000
"""Most files and folders below a folder that are searched, in case a whole disk is chosen."""


class FoundFile(NamedTuple):
    """A file of a folder: its path, and what distinguishes its states."""

    path: str
    changed: int
    size: int


def files_below(folder: str, endings: tuple[str, ...], report: Report) -> Iterator[FoundFile]:
    """Yield the files with these lower-case endings, in any case of letters, in the order of their names."""
    for number, entry in enumerate(_below(folder)):
        if number == _MOST_FILES:
            report.warn(messages.FOLDER_TOO_LARGE, folder=folder, limit=_MOST_FILES)
            break
        if entry.name.lower().endswith(endings):
            with suppress(OSError):  # a broken link
                status = entry.stat()
                if stat.S_ISREG(status.st_mode):
                    yield FoundFile(entry.path, status.st_mtime_ns, status.st_size)


def listing(folder: str | Path) -> list[os.DirEntry[str]]:
    """Return the entries of a folder in the order of their names, none if it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=attrgetter("name"))
    except (OSError, ValueError):
        return []


@dataclass
class Folder:
    """What lies in a folder: its files by name, the folders in it by name; both in lower case."""

    files: dict[str, Path] = field(default_factory=dict)
    below: dict[str, list[Path]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> Folder:
        """Return what is in a folder, nothing of one that cannot be read; no pipes, devices and links to nothing."""
        folder = cls()
        for entry in listing(path):
            with suppress(OSError):  # a link that leads in a circle
                if entry.is_dir():
                    folder.below.setdefault(entry.name.lower(), []).append(path / entry.name)
                elif entry.is_file():
                    folder.files.setdefault(entry.name.lower(), path / entry.name)
        return folder

    def ending_in(self, ending: str) -> list[Path]:
        """Return the files of a lower-case ending, sorted."""
        return sorted(path for name, path in self.files.items() if name.endswith(ending))


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    for entry in listing(folder):
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)
