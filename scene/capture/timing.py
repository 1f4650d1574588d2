"""Which frames an export writes, and which of them is the file's time 0: the one rule for every format.

The frames are those of the Action's manual range where a person set one, else of its own slot's keys; of several
objects from the earliest first frame to the latest last one; the scene's where nothing has keys, or all are on one
frame while something else moves (see `pipeline.checking.moves_on`), or by option. Their first is time 0. Only what was
imported keeps its placement, as long as it begins where the importer put it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from bpy.types import ID, Action, Context, FCurve, Object, Scene

from ...io_formats.clip import Array, Clip, NodeKind, TrackKind, edit
from ...io_formats.errors import Report
from ...io_formats.scene_options import ExportOptions
from .. import actions, fcurves, messages, rates, visibility
from ..provenance import Provenance
from . import influences

if TYPE_CHECKING:
    from .players import Participants

Range = tuple[float, float]

_SAME = _SLACK = 1e-6
"""Part of a frame's number by which float32 may miss it; seconds by which it may."""

_SAME_RATE = 1e-7

PARTS = np.array([0.0, 7.0, 14.0, 23.0]) / 32.0
"""Of a frame, at which it is sampled where something has to be: unevenly, as what eases in and out alike from one frame
to the next passes an even grid like the one cubic through its samples, whatever it does between them."""

_MANY_FRAMES = 4000
"""Longer ranges are sampled at whole frames only."""


class Span(NamedTuple):
    """Frames from `first` to `last` and how they become seconds: (frame - start_frame) / rate."""

    first: float
    last: float
    rate: float
    start_frame: float

    def seconds(self, frames: Array) -> Array:
        """Return the seconds (n,) float64 of frames (n,)."""
        return (np.asarray(frames, np.float64) - self.start_frame) / self.rate

    def samples(self, *, parts: Array = PARTS, rate: float = 0.0) -> Array:
        """Return the frames (n,) to sample at: both ends, parts of each, and all that a file of that `rate` has."""
        parts = parts[:1] if self.last - self.first > _MANY_FRAMES else parts
        begin, step = (self.first, self.rate / rate) if 0 < rate <= 4 * self.rate else (np.floor(self.first), 1.0)
        step /= max(math.ceil(step - _SLACK), 1)
        inner = (begin + step * (np.arange((self.last - begin) / step + 1)[:, None] + parts)).ravel()
        within = inner[(inner >= self.first) & (inner < self.last - _SLACK)]
        return np.unique(np.concatenate(([self.first], within, [self.last])))


class Timing(NamedTuple):
    """When a clip begins and ends.

    Attributes:
        span: the frames, and how they become seconds.
        kept: the frames, and those of the keys, are those that the importer gave, so that the file's own times stand.
        restarted: what was imported begins elsewhere than in its file, so that its first frame becomes time 0.
        around: the scene's frames, where the keys alone decided on fewer.
        stretch: seconds that the scene plays for each second of the file that the Action came from; 1 without one.
    """

    span: Span
    kept: bool = False
    restarted: bool = False
    around: Range | None = None
    stretch: float = 1.0

    @property
    def limits(self) -> Range:
        """Seconds of the first and last frame, before the clip is placed."""
        first, last = self.span.seconds(np.array([self.span.first, self.span.last])).tolist()
        return first, last


def timing(
    scene: Scene,
    participants: Participants,
    options: ExportOptions,
    written: Clip | None,
    provenance: Provenance | None,
) -> Timing:
    """Decide on the frames of all that is exported."""
    own = _imported_range(participants.action, written, provenance)
    factor, shift = rates.stretching(scene), participants.shift
    shown = scene.frame_start * factor - shift, scene.frame_end * factor - shift
    found = list(_ranges(participants, own))
    ranges = [each for each, _ in found if each is not None] or [shown]
    (begin, end), whole = shown, (min(first for first, _ in ranges), max(last for _, last in ranges))
    first, last = whole
    if options.use_scene_range:  # whole frames, which do not pad what begins or ends between two of them
        first, last = first if 0.0 <= first - begin < factor else begin, last if 0.0 <= end - last < factor else end
    elif options.bake_to_scene_end:
        last = max(last, end)
    around = None if options.use_scene_range or options.bake_to_scene_end or any(given for _, given in found) else shown
    rate, zero = rates.scene_rate(scene), -shift if own is None else own[0]  # also where what was before it went
    first, last = (zero, max(last, zero)) if options.keep_frame_zero else (first, last)
    if own is None or provenance is None:
        return Timing(Span(first, last, rate, first), around=around)
    old, span = provenance.placement.rate, Span(first, last, rate, provenance.placement.start_frame)
    stretch = 1.0 if written is None or abs(old - rate) <= _SAME_RATE * rate else old / rate
    return Timing(span, _same((*whole, first, last), own * 2), not _same((first,), own[:1]), around, stretch)


def cut_to_frames(clip: Clip, capture: Capture) -> Clip:
    """Cut a captured clip to its frames, where keys lie outside, which is told, and begin it at 0 where it has to."""
    found, report = capture.timing, capture.report
    first, last = found.limits
    far = ((track, (track.times < first - _SLACK) | (track.times > last + _SLACK)) for track in clip.tracks)
    outside = 0 if found.kept else Clip("", tracks=[track.take(out) for track, out in far if out.any()]).key_count
    if not found.restarted and not outside:
        return clip
    if outside:
        tell = report.note if first < last else report.warn  # of a pose that is left of a motion
        begin, end = capture.timeline(np.array([found.span.first, found.span.last])).tolist()
        tell(messages.CAPTURE_CUT, count=outside, first=begin, last=end)
    cut = edit.trim(clip, first, last)
    if len(cut.markers) < len(clip.markers):
        report.warn(messages.CAPTURE_MARKERS_CUT, count=len(clip.markers) - len(cut.markers))
    return cut


# --- The frames -----------------------------------------------------------------------------------------------------


def _imported_range(action: Action, written: Clip | None, provenance: Provenance | None) -> Range | None:
    """Return the frame range that the importer gave, None if it gave none.

    A record of before the range was noted has no other than the Action's, if the file is not at hand.
    """
    if provenance is None:
        return None
    placement = provenance.placement
    if written is not None:
        return _within_blender(*rates.clip_range(written, placement.rate, placement.start_frame))
    if all(map(math.isfinite, placement.frames)):
        return _within_blender(*placement.frames)
    return (float(action.frame_start), float(action.frame_end)) if action.use_frame_range else None


def _ranges(participants: Participants, own: Range | None) -> Iterator[tuple[Range | None, bool]]:
    """Yield the frame ranges of all that plays, Actions and NLA strips, and whether a person decided on each.

    That of an Action is the one that a person gave it, else that of its keys, and `own` of the import.
    """
    for player in filter(participants.carries, participants.players):
        action, strip = player.action, player.strip
        if player.in_strips or participants.nla_decides(player.owner):
            yield from ((found, False) for found in influences.strip_ranges(player.owner))
            action = None if actions.ensure_animation_data(player.owner).use_tweak_mode else action  # a strip's own
        given = own if player.origin is not None or action == participants.action else None
        found = chosen = None
        if action is not None and action.use_frame_range:
            first, last = float(action.frame_start), float(action.frame_end)
            # what the import gave, with keys on whole frames alone those around the file's; a merge makes it wider
            known = [] if given is None else [given]
            known += [] if player.origin is None else [player.origin.placement.frames]
            found = chosen = None if any(_same((first, last), each) for each in known) else (first, max(first, last))
        if found is None and action is not None:
            keys = _key_range(player.curves)
            found = given or keys
            if given and keys:
                found = min(given[0], keys[0]), max(given[1], keys[1]) if action.use_frame_range else keys[1]
        if found is not None and strip is not None:  # of which it plays a part
            first, last = strip.action_frame_start, strip.action_frame_end
            goes_on = any(not each.mute for curve in player.curves for each in getattr(curve, "modifiers", ()))
            found = (first, last) if goes_on else (min(max(found[0], first), last), max(min(found[1], last), first))
        yield found, chosen is not None or strip is not None
    spans = [_key_range(curve for hung in participants.meshes for curve in hung.curves)]
    for thing in (hung.thing for hung in participants.meshes if not participants.solo):  # beside which no strip counts
        spans += influences.strip_ranges(thing) if dict(influences.strip_values(thing)).keys() & visibility.SEEN else []
    yield from (((each[0] - participants.shift, each[1] - participants.shift), False) for each in spans if each)


def _key_range(curves: Iterable[fcurves.PlayedCurve]) -> Range | None:
    """Return the first and last frame of the keys or samples of F-Curves, None if there are none."""
    found = [curve.range()[:] for curve in curves if isinstance(curve, FCurve) and fcurves.has_points(curve)]
    return _within_blender(min(first for first, _ in found), max(last for _, last in found)) if found else None


def _within_blender(first: float, last: float) -> Range:
    return actions.clamp_frame(first), actions.clamp_frame(last)


def _same(frames: Sequence[float], others: Sequence[float]) -> bool:
    return all(abs(a - b) <= _SAME * (1.0 + abs(b)) for a, b in zip(frames, others, strict=True))


# What all steps of a capture are about: who plays, over which frames, and what is known of their file.

Holds: TypeAlias = Callable[[NodeKind, TrackKind, str], bool]
"""Whether a file has a place for a property of that kind and name."""


class Capture(NamedTuple):
    """One capture.

    Attributes:
        written: what the mapping makes of the file that the Action came from, None if there is none.
        provenance: what the Action knows of its file, None if it knows none.
        timing: when the clip begins and ends; its frames are `span`.
        beside: objects that are chosen or belong to those that play, of which nothing is written.
        holds: whether a file has a place for a property, no transform, of a node of that kind.
        require: raises FormatError where what it relies on was changed, see `capture.Snapshot`.
        sampled: nodes that are read from the evaluated scene, whatever makes them move.
        sampled_values: properties for which the same holds: datablock, its object, and path.
        foreign: the clip goes into a file of another format than the one that `written` is of.
    """

    context: Context
    participants: Participants
    options: ExportOptions
    report: Report
    written: Clip | None
    provenance: Provenance | None
    timing: Timing
    span: Span
    beside: Sequence[Object]
    holds: Holds
    require: Callable[[], None]
    sampled: frozenset[str] = frozenset()
    sampled_values: tuple[tuple[ID, Object, str], ...] = ()
    foreign: bool = False

    def timeline(self, frames: Array) -> Array:
        """Return the frames (m,) of the scene that show frames (m,) of the animation."""
        return (frames + self.participants.shift) / rates.stretching(self.context.scene)
