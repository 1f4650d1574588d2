"""Whole or not at all: killed at every line, refused at every call, no room, no permission, locked."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from io_formats import FormatError
from io_formats.files import messages as files_messages
from io_formats.files import whole_file
from io_formats.files.steps import finished
from io_formats.files.whole_file import write_atomically

SOURCE = Path(__file__).resolve().parents[2]
OLD, NEW = b"the old file", b"the new file, " * 5000
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs fork and resource limits")

KILLER = """
import json, os, sys
from io_formats.files import whole_file
target, old, new = sys.argv[1], bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])
outcomes = []
for last_line in range(1, 1000):
    with open(target, "wb") as file:
        file.write(old)
    child = os.fork()
    if child == 0:
        lines = 0
        def trace(frame, event, argument):
            global lines
            if frame.f_code.co_filename != whole_file.__file__:
                return None
            if event == "line":
                lines += 1
                if lines == last_line:
                    os._exit(42)
            return trace
        sys.settrace(trace)
        whole_file.write_atomically(target, new)
        sys.settrace(None)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    with open(target, "rb") as file:
        outcomes.append([os.waitstatus_to_exitcode(status), {old: "old", new: "new"}.get(file.read(), "broken")])
    if outcomes[-1][0] != 42:
        break
print(json.dumps(outcomes))
"""


def only_file(folder: Path) -> Path:
    """The one file of a folder; fails if something was left beside it."""
    (found,) = folder.iterdir()
    return found


def test_more_than_is_written_at_once_is_written_whole(tmp_path: Path) -> None:
    data = bytes(range(251)) * 100_000
    write_atomically(tmp_path / "large.bin", data)
    assert (tmp_path / "large.bin").read_bytes() == data


def refusal(path: Path, template: str, data: bytes = NEW) -> str:
    """The sentence with which writing is refused."""
    with pytest.raises(FormatError) as caught:
        write_atomically(path, data)
    assert caught.value.template == template
    assert caught.value.file == str(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@posix_only
def test_killed_at_every_line_the_file_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "walk.w3d"
    command = [sys.executable, "-c", KILLER, str(target), OLD.hex(), NEW[:1000].hex()]
    run = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, timeout=300, check=True)
    outcomes = json.loads(run.stdout)
    states = [state for _, state in outcomes]
    assert len(outcomes) > 30
    assert outcomes[-1] == [0, "new"]
    assert states == sorted(states, reverse=True)  # old, old, ... new: never broken, never back
    assert {"old", "new"} == set(states[:-1])


@pytest.mark.parametrize("name", ["walk.w3d", "Aufnahme-Größe-手.bin", "x" * 250 + ".bin"])
def test_new_file_has_the_bytes_and_usual_permissions(tmp_path: Path, name: str) -> None:
    (usual := tmp_path / "usual").write_bytes(b"")
    (folder := tmp_path / "Ordner mit Größe ✋").mkdir()
    write_atomically(folder / name, NEW)
    assert only_file(folder).read_bytes() == NEW
    assert only_file(folder).stat().st_mode == usual.stat().st_mode


@pytest.mark.parametrize("size", [0, whole_file._AT_ONCE - 1, whole_file._AT_ONCE, whole_file._AT_ONCE + 1])
def test_every_size_is_written_and_compared_whole(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data, forced, shares = os.urandom(size), list[tuple[int, os.stat_result]](), list[float]()
    monkeypatch.setattr(os, "fsync", lambda handle: forced.append((handle, os.fstat(handle))))
    finished(write_atomically.steps(tmp_path / "walk.w3d", data), shares.append)
    assert only_file(tmp_path).read_bytes() == data and forced[0][1].st_size == size
    assert os.name != "posix" or stat.S_ISDIR(forced[1][1].st_mode), "the new name"
    assert shares == sorted(shares) and len(shares) > 1 and 0.2 < shares[0] < 0.8 < shares[-1] <= 1
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(forced[-1][0])


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o755])
def test_old_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    (target := tmp_path / "walk.w3d").write_bytes(OLD)
    if hasattr(os, "getuid") and os.getuid() == 0:
        os.chown(target, 65534, 65533)
    target.chmod(mode)
    old = target.stat()
    write_atomically(target, NEW)
    new = only_file(tmp_path).stat()
    assert (stat.S_IMODE(new.st_mode), new.st_uid, new.st_gid) == (mode, old.st_uid, old.st_gid)
    assert target.read_bytes() == NEW


def test_symbolic_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "walk.w3d"
    real.parent.mkdir()
    real.write_bytes(OLD)
    (link := tmp_path / "walk.w3d").symlink_to(real)
    write_atomically(link, NEW)
    assert link.is_symlink()
    assert only_file(real.parent).read_bytes() == NEW


def _fail(number: int) -> Callable[..., None]:
    def failing(*_arguments: object, **_keywords: object) -> None:
        raise OSError(number, os.strerror(number))

    return failing


@pytest.mark.parametrize("call", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize(
    ("number", "template"),
    [
        (errno.ENOSPC, files_messages.WRITE_NO_SPACE),
        (errno.EACCES, files_messages.WRITE_DENIED),
        (errno.EROFS, files_messages.WRITE_DENIED),
        (errno.EBUSY, files_messages.WRITE_LOCKED),
        *((number, files_messages.WRITE_FAILED) for number in (0, errno.EIO, errno.ENOENT)),  # the folder is there
    ],
)
def test_failure_of_each_call_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, template: str
) -> None:
    (target := tmp_path / "walk.w3d").write_bytes(OLD)
    monkeypatch.setattr(os, call, _fail(number))
    assert "Errno" not in refusal(target, template)
    assert only_file(tmp_path).read_bytes() == OLD


def test_interruption_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "walk.w3d", NEW)
    assert list(tmp_path.iterdir()) == []


def test_disk_that_gives_back_other_bytes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (target := tmp_path / "walk.w3d").write_bytes(OLD)
    monkeypatch.setattr("os.fsync", lambda number: (os.lseek(number, 1, 0), os.write(number, b"other")))
    refusal(target, files_messages.WRITE_DIFFERS)
    assert only_file(tmp_path).read_bytes() == OLD
    monkeypatch.setattr(os, "unlink", _fail(errno.EROFS))  # which is not what was wrong first
    refusal(target, files_messages.WRITE_DIFFERS)


def test_no_room_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    """No file of this process may grow beyond 1000 bytes, as on a full disk."""
    (target := tmp_path / "walk.w3d").write_bytes(OLD)
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        sentence = refusal(target, files_messages.WRITE_NO_SPACE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert f"{len(NEW)} bytes" in sentence
    assert only_file(tmp_path).read_bytes() == OLD


@pytest.mark.parametrize("make", [os.mkdir, pytest.param(getattr(os, "mkfifo", None), marks=posix_only)])
def test_folder_or_device_is_not_replaced(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "walk.w3d")
    refusal(tmp_path / "walk.w3d", files_messages.WRITE_NOT_A_FILE)
    assert not only_file(tmp_path).is_file()


@pytest.mark.parametrize("place", ["missing/walk.w3d", "file/walk.w3d"])
def test_folder_that_is_none(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_bytes(OLD)
    refusal(tmp_path / place, files_messages.WRITE_FOLDER_MISSING)


@pytest.mark.parametrize("name", ["x" * 300 + ".bin", "nul\0inside.bin"])
def test_name_that_no_system_takes(tmp_path: Path, name: str) -> None:
    refusal(tmp_path / name, files_messages.WRITE_BAD_NAME)
    assert list(tmp_path.iterdir()) == []


@posix_only
@pytest.mark.parametrize("what", ["file", "folder"])
def test_read_only_is_respected(tmp_path: Path, what: str) -> None:
    """As an ordinary user: nothing is read-only for root."""
    if os.getuid() != 0:
        pytest.skip("needs root, to become nobody")
    folder = Path("/tmp") / f"read_only_{os.getpid()}_{tmp_path.name}"
    folder.mkdir()
    target = folder / "walk.w3d"
    try:
        target.write_bytes(OLD)
        os.chown(target, 65534, 65534)
        os.chmod(target, 0o444 if what == "file" else 0o644)
        os.chmod(folder, 0o777 if what == "file" else 0o755)
        os.seteuid(65534)
        refusal(target, files_messages.WRITE_DENIED)
        assert only_file(folder).read_bytes() == OLD
    finally:
        os.seteuid(0)
        target.unlink()
        folder.rmdir()


LOCKER = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
getattr(fcntl, sys.argv[2])(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""


@posix_only
@pytest.mark.parametrize("lock", ["flock", "lockf"])
def test_locked_file_is_left_alone(tmp_path: Path, lock: str) -> None:
    (target := tmp_path / "walk.w3d").write_bytes(OLD)
    command = [sys.executable, "-c", LOCKER, str(target), lock]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        refusal(target, files_messages.WRITE_LOCKED)
        assert only_file(tmp_path).read_bytes() == OLD
        holder.communicate()
    write_atomically(target, NEW)
    assert only_file(tmp_path).read_bytes() == NEW


def test_what_a_killed_writer_left_is_swept_after_an_hour(tmp_path: Path) -> None:
    """Only files, of exactly our names and Blender's beside a .blend, only old ones, only in this folder."""
    now = time.time()
    ages = {
        ".anim-curves-0123456789abcdef.part": 3700,
        ".anim-curves-0123456789abcdef.part@": 3700,
        ".anim-curves-fedcba9876543210.part": 3500,
        ".anim-curves-0123456789abcdeg.part": 9999,
        ".anim-curves-mine.part": 9999,
        "anim-curves-0123456789abcdef.part": 9999,
        "walk.w3d.part": 9999,
    }
    (tmp_path / "below").mkdir()
    (stubborn := tmp_path / ".anim-curves-00000000000000ff.part").mkdir()
    os.utime(stubborn, (0, 0))
    for name, age in ages.items():
        for folder in (tmp_path, tmp_path / "below"):
            (folder / name).touch()
            os.utime(folder / name, (now - age, now - age))
    write_atomically(tmp_path / "walk.w3d", NEW)
    _swept, _blender, *kept = ages
    assert {path.name for path in tmp_path.iterdir()} == {*kept, "walk.w3d", "below", stubborn.name}
    assert {path.name for path in (tmp_path / "below").iterdir()} == set(ages)


def test_a_name_that_is_taken_is_not_replaced_unasked(tmp_path: Path) -> None:
    """Neither one that was there, nor one that somebody takes while the new file is being written."""
    path = tmp_path / "walk.w3d"
    write_atomically(path, OLD, overwrite=False)
    with pytest.raises(FormatError, match="exists already"):
        write_atomically(path, NEW, overwrite=False)
    other = tmp_path / "run.w3d"
    with pytest.raises(FormatError, match="exists already"):
        finished(write_atomically.steps(other, NEW, overwrite=False), lambda _share: other.write_bytes(OLD) and None)
    assert path.read_bytes() == other.read_bytes() == OLD
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.w3d", "walk.w3d"]


@posix_only
def test_a_disk_without_links_and_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(_source: object, target: Path) -> None:
        if target.name == "run.w3d":  # whose name somebody takes at this moment
            target.write_bytes(OLD)
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    for lock in ("flock", "lockf"):
        monkeypatch.setattr(f"fcntl.{lock}", _fail(errno.ENOLCK))
    path = tmp_path / "walk.w3d"
    write_atomically(path, OLD, overwrite=False)
    for taken in (path, tmp_path / "run.w3d"):
        with pytest.raises(FormatError, match="exists already"):
            write_atomically(taken, NEW, overwrite=False)
        assert taken.read_bytes() == OLD
    write_atomically(path, NEW)
    assert path.read_bytes() == NEW


SHOAL = """
import os, random, signal, sys, time
from pathlib import Path
from io_formats import FormatError
from io_formats.files.whole_file import write_atomically

path, random, refused = Path(sys.argv[1]), random.Random(0), Path(sys.argv[1]).with_name("refused")

def whole(data):
    return bool(data) and data == data[:1] * (200_000 + data[0])

def start(number):
    child = os.fork()
    if child:
        return child
    try:
        while True:
            write_atomically(path, bytes([number]) * (200_000 + number))
    except FormatError as error:
        refused.write_text(str(error))
    os._exit(1)

write_atomically(path, bytes(200_000))
writers = [start(number) for number in range(64)]
torn, written = 0, set()
kills = 0
while kills < 200 or len(written) < 10:
    kills += 1
    time.sleep(random.uniform(0.0, 0.05))
    place = random.randrange(64)
    os.kill(writers[place], signal.SIGKILL)
    os.waitpid(writers[place], 0)
    data = path.read_bytes()
    torn += not whole(data)
    written.add(data[0])
    writers[place] = start(place)
for writer in writers:
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
print(torn, whole(path.read_bytes()), refused.exists() and refused.read_text())
"""


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_64_processes_and_200_kills_at_random_moments_tear_nothing(tmp_path: Path) -> None:
    """All write one name, each other bytes; each look at the file finds one writer's whole file, nobody is refused.

    On a machine where fewer than ten of them had their turn meanwhile, it takes as many more kills.
    """
    path = tmp_path / "walk.w3d"
    run = subprocess.run([sys.executable, "-c", SHOAL, str(path)], cwd=SOURCE, capture_output=True, text=True)
    assert run.stdout == "0 True False\n", run
    left = [file for file in tmp_path.iterdir() if file != path]
    assert all(file.name.startswith(".anim-curves-") for file in left)
    for file in left:
        os.utime(file, (0, 0))
    write_atomically(path, NEW)
    assert [file.name for file in tmp_path.iterdir()] == ["walk.w3d"]
