"""One damaged file through one codec, and the verdict.

Allowed: a document that is written and read back the same and becomes clips (and models), or one FormatError.
Everything else is a find: another exception, a text that names nothing, more memory or more time than the file
justifies.
"""

from __future__ import annotations

import os
import resource
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import eq
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any

import numpy as np
from mutations import MIB

from io_formats.clip.model import Model
from io_formats.clip.pivots import named
from io_formats.errors import Report
from io_formats.w3d.document import Document, OpaqueChunk
from io_formats.w3d.layout import Kind
from io_formats.w3d.models.visible import model_parts, to_models
from io_formats.w3d.to_clip import from_hierarchy

LIMIT = MIB  # what compressed data may expand to, as an option of the readers
ROOM = 16 * MIB
SECONDS_PER_MIB = 2.0
# A track of 15 bytes becomes a node with its rest, a curve with three arrays, and a warning.
CLIPS = 2
PATIENCE = float(os.environ.get("FUZZ_PATIENCE", "1"))
"""How many times the limits of time a file may take: 1 where somebody measures, more where a machine is busy."""


class TookTooLongError(BaseException):
    """The time for one file is up. No reader may catch it, so it is no Exception."""


@dataclass(frozen=True)
class Verdict:
    """What became of one file.

    Attributes:
        outcome: "document", "refused" or "find".
        detail: the sentence of a refusal, or what the find is.
    """

    outcome: str
    detail: str = ""


def address_space() -> int:
    """Bytes of address space that this process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


@contextmanager
def memory_limit(extra: int) -> Iterator[None]:
    """Refuse this process more than `extra` bytes beyond what it has, or than it may ever have; Linux only."""
    if not Path("/proc/self/statm").exists():
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = address_space() + extra
    resource.setrlimit(resource.RLIMIT_AS, (allowed if hard == resource.RLIM_INFINITY else min(allowed, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt the code in the block with TookTooLongError once it has had the processor for `seconds`."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TookTooLongError

    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous)


def allowed_seconds(data: bytes) -> float:
    """PATIENCE times two seconds of the processor for each MiB of the file, or of what it may expand to if more."""
    return PATIENCE * SECONDS_PER_MIB * max(len(data), LIMIT) / MIB


def allowed_bytes(data: bytes) -> int:
    """16 MiB, plus eight times the file and eight times what it may expand to."""
    return ROOM + 8 * (len(data) + LIMIT)


def judge(package: ModuleType, data: bytes, refusal: type[Exception]) -> Verdict:
    """Read the bytes, and write (a text file as text) and read again what came of them.

    Args:
        package: the format's package.
        refusal: the one exception that a reader may raise, FormatError.
    """
    started = time.process_time()
    try:
        with time_limit(2.0 * allowed_seconds(data)):
            return _judge_in_time(package, data, refusal)
    except TookTooLongError:
        return Verdict("find", f"hangs: stopped after {time.process_time() - started:.1f} s")


def _judge_in_time(package: ModuleType, data: bytes, refusal: type[Exception]) -> Verdict:
    started = time.process_time()
    document, verdict = _attempt(lambda: package.read(data, limit=LIMIT), data, refusal)
    took = time.process_time() - started
    if took > allowed_seconds(data):
        return Verdict("find", f"too slow: {took:.1f} s for {len(data)} bytes")
    if verdict is not None:
        return verdict
    write = package.write_animj if getattr(document, "textual", False) else package.write
    written, verdict = _attempt(lambda: write(document), data, refusal)
    if verdict is not None:
        return Verdict("find", f"was read but cannot be written: {verdict.detail}")
    again, verdict = _attempt(lambda: package.read(written, limit=LIMIT), written, refusal)
    if verdict is not None:
        return Verdict("find", f"was written but cannot be read: {verdict.detail}")
    if not getattr(package, "same_content", eq)(document, again):
        return Verdict("find", "written and read again, it differs")
    return _judge_clips(package, document, data, refusal, took)


def _judge_clips(package: ModuleType, document: Any, data: bytes, refusal: type[Exception], took: float) -> Verdict:
    """A document that took so many seconds to read becomes clips, or is refused for what it means."""
    started = time.process_time()
    _, verdict = _attempt(lambda: package.to_clips(document, package.ImportOptions(), Report()), data, refusal, CLIPS)
    if verdict is not None and verdict.outcome == "find":
        return Verdict("find", f"no clip can be made: {verdict.detail}")
    if isinstance(document, Document):
        _, verdict = _attempt(lambda: _show(document), data, refusal, CLIPS)
        if verdict is not None:
            return Verdict("find", f"its models cannot be shown: {verdict.detail}")
    took += time.process_time() - started
    if took > allowed_seconds(data):
        return Verdict("find", f"too slow with its clips and models: {took:.1f} s for {len(data)} bytes")
    return Verdict("document")


def _show(document: Document) -> None:
    """Make the models of a W3D document, on its own skeletons; damage costs a model and a warning, never more."""
    report = Report()
    parts = model_parts(document, report)
    _check_warnings(document, len(parts), sum(entry.count for entry in report.warnings))
    for name in dict.fromkeys(part.hierarchy for part in parts):
        hierarchy = named(document.hierarchies, name) if name else None
        skeleton = None if hierarchy is None else from_hierarchy(hierarchy, Report())
        for model in to_models([part for part in parts if part.hierarchy == name], skeleton, Report()):
            _check(model)


def _check_warnings(document: Document, whole: int, told: int) -> None:
    """One warning for each damaged mesh; one more where what places the meshes is damaged, too."""
    meshes = sum(isinstance(part, OpaqueChunk) and part.kind == Kind.MESH for part in document.parts)
    if told - (meshes - whole) not in (0, 1):
        raise AssertionError(f"{told} warnings of {meshes} meshes, {whole} of which are whole")


def _check(model: Model) -> None:
    """What Blender would crash on: triangles of vertices that are not there, arrays of other sizes, no numbers."""
    count = len(model.vertices)
    if len(model.triangles) and not 0 <= model.triangles.min() <= model.triangles.max() < count:
        raise AssertionError("a triangle of a vertex that is not there")
    if not np.isfinite(model.vertices).all():
        raise AssertionError("a vertex at no place")
    per_vertex = (model.normals, model.coordinates, model.colors)
    if any(values is not None and len(values) != count for values in per_vertex):
        raise AssertionError("values for other vertices")
    if model.material_of is not None and len(model.material_of) != len(model.triangles):
        raise AssertionError("materials of other triangles")


class Witness:
    """Takes whatever exception ends its block, which is for `verdict` to judge; only the time limit passes."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> Witness:
        return self

    def __exit__(self, _kind: type | None, error: BaseException | None, _trace: TracebackType | None) -> bool:
        self.error = error
        return isinstance(error, Exception)


def _attempt(
    step: Callable[[], Any], data: bytes, refusal: type[Exception], share: int = 1
) -> tuple[Any, Verdict | None]:
    """The result of a step, or the verdict that ends the matter; `share` times the usual memory is allowed."""
    result = None
    with Witness() as witness, memory_limit(share * allowed_bytes(data)):
        result = step()
    error = witness.error
    if error is None:
        return result, None
    if isinstance(error, refusal):
        return None, _verdict_on_refusal(error)
    if isinstance(error, MemoryError):
        return None, Verdict("find", f"takes too much memory for {len(data)} bytes {where(error)}")
    return None, Verdict("find", f"{type(error).__name__}: {str(error)[:200]} {where(error)}")


def _verdict_on_refusal(error: Exception) -> Verdict:
    """A refusal is one printable sentence; one that cannot be shown is a find."""
    try:
        sentence = str(error)
    except (KeyError, IndexError, ValueError) as problem:
        return Verdict("find", f"the sentence of the refusal cannot be put together: {problem!r}")
    if not sentence.strip() or "\n" in sentence or "Traceback" in sentence:
        return Verdict("find", f"not one clear sentence: {sentence!r}")
    return Verdict("refused", sentence)


def where(error: BaseException) -> str:
    """The innermost place in our own code."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "io_formats" in frame.filename]
    return f"at {Path(frames[-1].filename).name}:{frames[-1].lineno} {frames[-1].name}" if frames else ""
