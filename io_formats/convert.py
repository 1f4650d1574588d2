"""Conversion of a file to another format, without Blender."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from . import messages, open_file
from .clip import Array, Clip, Source, humanoid
from .clip.fcurve_keys import with_numbers_only
from .clip.rework import Rework
from .errors import FormatError, Report
from .files import memory
from .files.batch_files import Outputs
from .files.steps import AtOnce, Steps, finished, portion
from .files.whole_file import unread
from .format import AnyFile, AnyFormat, Opened
from .interchange import InterchangeFacts, TableOptions
from .interchange.kind import AnyInterchange, NewInterchange, with_data_only
from .interchange.tables import samples_of
from .options import LIMITS, AnyOptions, ReadOptions, WriteOptions, check_options
from .saving import NewFile, chosen_skeleton

Target: TypeAlias = AnyFormat | AnyInterchange

New: TypeAlias = NewFile[Any] | NewInterchange

_COMPUTED, _ADDED = 0.5, 0.8
"""Shares of the clips that are done when they are known, and of a conversion when the new documents hold them."""


@AtOnce
def convert(
    file: AnyFile,
    output: Path | str,
    target: Target,
    *,
    reading: ReadOptions | None = None,
    writing: WriteOptions | None = None,
    report: Report | None = None,
    outputs: Outputs | None = None,
) -> Steps[list[Path]]:
    """Write the animations of a file into `output`; further ones into OUTPUT-2 ..., unless they go into one file.

    Args:
        reading, writing: options of the file's and of the target's codec; None for their defaults.
        outputs: which files may be written; without it, none that exists.

    Raises:
        FormatError: a file cannot be written, a clip does not fit its format, or an option has no such value.
    """
    reading, writing = reading or file.format.read_options(), writing or target.write_options()
    for given, kind, of in ((reading, file.format.read_options, file.format), (writing, target.write_options, target)):
        if not isinstance(given, kind):
            raise FormatError(messages.OPTIONS_OF_OTHER, format=of.title)
        check_options(given)
    outputs = (outputs or Outputs()).with_leave(given=writing.into_existing)
    work = _Conversion(file, Path(output), target, reading, writing, report or Report(), outputs)
    new = yield from portion(work.files(), last=_ADDED)
    made: list[Path] = []
    try:
        for done, each in enumerate(new):
            first, last = (_ADDED + (1 - _ADDED) * part / len(new) for part in (done, done + 1))
            yield from portion(each.write(), first, last)
            made.append(each.path)
    except BaseException:  # none is left behind, where none may have replaced another
        for path in () if outputs.overwrite else made:
            path.unlink(missing_ok=True)
        raise
    return made


def clips_for(
    file: AnyFile, target: Target, reading: ReadOptions, writing: WriteOptions, report: Report
) -> Steps[list[Clip]]:
    """Return the animations of a file as a kind of file that holds several is given them."""
    (new,) = yield from _Conversion(file, file.path, target, reading, writing, report, Outputs(overwrite=True)).files()
    assert isinstance(new, NewInterchange)
    return new.clips


@dataclass(frozen=True)
class _Conversion:
    """What one conversion was asked for; `within` a format, what no option changes stays the file's own."""

    file: AnyFile
    output: Path
    target: Target
    reading: ReadOptions
    writing: WriteOptions
    report: Report
    outputs: Outputs

    @property
    def within(self) -> bool:
        """Whether the file keeps its format."""
        return self.target is self.file.format

    def files(self) -> Steps[list[New]]:
        """Return the new files, not yet written."""
        own, read, written = self.file.format, _given(self.reading), _given(self.writing)
        for facts in (*read.values(), *written.values()) if self.within else ():
            if not facts["within"]:
                raise FormatError(messages.OPTION_WITHIN, name=facts["label"], format=own.title)
        another_form_only = written.keys() <= {*own.form_options, *LIMITS} and read.keys() <= {*LIMITS}
        if not (self.within and another_form_only):
            return (yield from self._files_of_clips())
        (new,) = self._new(1)
        assert isinstance(new, NewFile)
        document = self.file.document
        new.document = own.in_form(document, self.output.suffix.lower(), self.writing)
        own.tell_new_name(document, self.file.path.stem, self.output.stem, self.report)
        return [new]

    def _files_of_clips(self) -> Steps[list[New]]:
        target = self.target
        other = None if isinstance(target, InterchangeFacts) else target
        read = yield from portion(clips_of(self.file, self.reading, other, self.report), last=_COMPUTED)
        read = [self._as_meant(clip) for clip in read]
        read = read if self.within else [with_numbers_only(clip, self.report) for clip in read]
        rework = Rework(self.reading)
        clips = [rework.of(clip) for clip in read]
        rework.tell(self.report)
        memory.reckon_clips(clips)
        holds_all = target.holds_several if isinstance(target, InterchangeFacts) else self.within
        together = self.writing.into_existing or holds_all
        left = list(range(len(clips)))
        if not together and other is not None and any(clip.tracks for clip in clips):  # whose files need motion
            left = [number for number in left if clips[number].tracks]
            for clip in clips:
                if not clip.tracks:
                    self.report.warn(messages.STILL_ANIMATION, name=clip.name)
        new = self._new(1 if together else len(left))
        for done, number in enumerate(left):
            first, last = (_COMPUTED + (1 - _COMPUTED) * part / len(left) for part in (done, done + 1))
            yield first
            into = new[min(done, len(new) - 1)]
            yield from portion(self._add(into, clips[number], read[number], number), first, last)
        return new

    @cached_property
    def _skeleton(self) -> Any:
        """The document of the skeleton that a person chose for the target; None without one."""
        if isinstance(self.target, InterchangeFacts):
            return None
        chosen = _skeleton_file(self.writing.skeleton, self.target, self.file.format)
        return chosen_skeleton(self.target, chosen, self.reading.limit_mib << 20)

    def _as_meant(self, clip: Clip) -> Clip:
        """Return of a body what the file itself says, within its format and where the chosen skeleton is that body."""
        target = self.target
        if self.within or isinstance(target, InterchangeFacts) or clip.recorded is None or self._skeleton is None:
            return clip.as_recorded if self.within else clip
        there = Opened(target, Path(), b"", self._skeleton).to_clips(target.read_options(), Report())[0].nodes
        own = {node.name.casefold(): node.name for node in clip.nodes}  # a W3D has them in capitals
        nodes = [replace(node, name=own.get(node.name.casefold(), node.name)) for node in there]
        tops = {node.name for node in clip.nodes if node.parent is None}
        # what turns a body upright is not in the file's own numbers
        upright = humanoid.fits(clip.recorded, [node for node in nodes if node.name in tops])
        known = upright and humanoid.shared_parts(clip, {node.name for node in nodes})
        return clip.recorded if known and humanoid.fits(clip.recorded, nodes) else clip

    def _add(self, into: New, clip: Clip, own: Clip, number: int) -> Steps[object]:
        """Add a clip, made of the file's `own` of that number; within a format its tracks are known as the file's."""
        if isinstance(into, NewInterchange) or not self.within:
            return into.add(replace(clip, name=clip.name or self.file.path.stem))
        source = Source(self.file.document, own, number, options=self.reading, file=self.file.path.name)
        unchanged = {id(track) for track in own.tracks}
        tracks = [row for track in clip.tracks for row in (track.own_rows() if id(track) in unchanged else [track])]
        return into.add(replace(clip, tracks=tracks), source=source, skeleton=self.file.skeleton)

    def _new(self, count: int) -> list[New]:
        others = (self.output.with_stem(f"{self.output.stem}-{number}") for number in range(2, count + 1))
        self.outputs.allow(count)
        paths = [self.output, *others][:count]
        for path in paths:
            self.outputs.take(path, self.file.path)
        target, about = self.target, (self.writing, self.report, self.outputs)
        if isinstance(target, InterchangeFacts):
            return [NewInterchange(path, target, *about) for path in paths]
        return [NewFile(path, target, *about, skeleton=self._skeleton) for path in paths]


def clips_of(file: AnyFile, reading: ReadOptions, other: AnyFormat | None, report: Report) -> Steps[list[Clip]]:
    """Return the animations of a file that becomes one of the `other` format, on the skeleton that it needs."""
    chosen = _skeleton_file(reading.skeleton, file.format, other)
    file.skeleton = file.format.companions(reading, ()).skeleton(file, chosen, report)
    if chosen and file.skeleton is None and other is not file.format:  # within one, what is written has it
        report.warn(messages.SKELETON_PASSED_OVER, file=chosen)
    clips = yield from file.clips(reading, report)
    problem = getattr(file.document, "problem", None)
    if problem is not None and not any(clip.rate for clip in clips):
        raise problem  # of the animation, beside which a skeleton alone is not what was asked for
    return clips


@dataclass(frozen=True)
class Take:
    """Where everything is at t times, in Blender's axes (right, forward, up) and metres, relative to the world.

    Attributes:
        times: (t,) float64 seconds.
        names: n nodes.
        positions: (t, n, 3) float32.
        quaternions: (t, n, 4) float32: w, x, y, z, unit, signs continuous.
        tracked: (t, n) bool: the recording saw it, or the file shows it.
    """

    times: Array
    names: list[str]
    positions: Array
    quaternions: Array
    tracked: Array


def poses(path: str | Path, animation: int = 0, report: Report | None = None) -> Take:
    """Return an animation of a file as arrays: at its frames, or where it has none at each time with a key.

    FormatError if it cannot be read or needs more memory than is suitable, IndexError if it has fewer animations.
    """
    report = report or Report()
    with memory.limited():
        file = open_file(path, report=report)
        clip = finished(clips_of(file, file.format.read_options(), None, report))[animation]
        clip = with_data_only(with_numbers_only(clip, report))
        samples = finished(samples_of(clip, TableOptions(), report))
    world, names = samples.world, [node.name for node in clip.nodes]
    return Take(samples.times, names, world.locations, world.rotations, samples.shown)


def _given(options: AnyOptions) -> dict[str, Mapping[str, object]]:
    declared = [each for each in fields(options) if each.metadata]
    return {each.name: each.metadata for each in declared if getattr(options, each.name) != each.default}


def _skeleton_file(path: str, wanted: AnyFormat, other: AnyFormat | None) -> str:
    """Return the path of a skeleton file for one side of a conversion; empty if it is plainly a file of the other's."""
    if not path or wanted is other or other is None or wanted.is_packed(Path(path)):
        return path
    if other.is_packed(Path(path)):
        return ""
    with unread(path) as look:
        return "" if other.matches(look) else path
