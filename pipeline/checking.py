"""The export looks at what it made: the file is played, and compared with what Blender shows, before it is handed over.

What is off is read from the evaluated scene and written once more; what is off still is a warning.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..io_formats.clip import CONSTANT, Array, Clip, Track, TrackKind, by_property, curve, grouped
from ..io_formats.clip.measure import NodeOff, Written, as_rays, offs, value_off
from ..io_formats.clip.pose import Chains, size_of, told_axes
from ..io_formats.errors import Entry, first_names
from ..io_formats.files.steps import Steps, portion
from ..io_formats.saving import NewFile
from ..scene import actions, rates
from ..scene.seen import Seen, Value, keys_and_breaks, look_at, weight
from . import messages

if TYPE_CHECKING:
    from ..scene.capture.capture import Captured

_MOMENTS = {"QUICK": 26, "THOROUGH": 520}
_GOLDEN = 0.6180339887498949
"""Its multiples, modulo 1, are spread evenly however many there are."""

_LIGHT, _FEWEST = 8000.0, 8
"""A quick check shows no more bones at all moments together, but at least so many moments: by what there is, not by a
clock, so that what a check finds does not hang on the machine."""

_BEFORE = 0.4
"""Part of the way to the key before: not half of it, where what eases in and out alike is right anyhow."""

_BEHIND = 1.01 / 256.0
"""Frames behind a step, within which samples find it."""

_PLAYED = 0.3
_SLACK, _STEP = 1e-6, 2e-5
_UNMOVED = 1e-5
_SEEN_SIZE = 1e-3
"""Part of its size by which a node has to be off for that to be told."""
_ADDED = 0.01, 0.6
"""Parts of a frame between two keys: nearer ones are a step that was sampled, farther ones no samples."""
_APART = 8
"""Parts of a frame of which one is looked at once."""
_CURVES = 50
"""Curves of which those without keys between a file's frames are looked at, where there are more."""
_SAME_LENGTH = 2e-3
"""Seconds by which a file may be longer or shorter than the scene's animation."""
_MILLIMETRES = 1000.0


class WrongValue(NamedTuple):
    """A property that a file plays otherwise than it is seen.

    Attributes:
        times: how many times as far off as is allowed.
        moment: seconds of the clip at which it is worst.
        mendable: it was captured otherwise than it was seen, so that samples are right.
    """

    value: Value
    times: float
    moment: float
    mendable: bool

    @property
    def name(self) -> str:
        """Of what it is, as a report calls it."""
        return f"{self.value.driven.node} {self.value.driven.label}"


class Check(NamedTuple):
    """How far a file plays from what Blender shows.

    Attributes:
        moments: at how many they were compared.
        place: how far the worst place is off, in the scene's unit.
        turn: the same of a turn, in degrees.
        held: both on whole frames alone.
        off: the nodes that are off further than promised.
        values: the properties that are off further than promised.
        lost: those of them that would be off just as far if they were read from the evaluated scene.
        mendable: the nodes that may be read from the evaluated scene instead.
        lasts: seconds that the file plays, where these are not those that the scene does, which come next.
        beyond: what moves outside the clip as well, however the file plays there.
        keys: how many the format's reading side finds in what was played.
        seconds: how long the check took.
    """

    moments: int
    place: float
    turn: float
    held: tuple[float, float]
    off: dict[str, NodeOff]
    values: list[WrongValue]
    lost: set[str]
    mendable: set[str]
    lasts: tuple[float, float] | None
    beyond: list[str]
    keys: int
    seconds: float

    def badness(self, lost: Collection[str] = ()) -> float:
        """Return how many times as far as promised all is off together, but for nodes that are `lost` in any case."""
        nodes = sum(found.times for name, found in self.off.items() if name not in lost)
        return nodes + sum(found.times for found in self.values)

    @property
    def mendable_values(self) -> list[Value]:
        """The properties that may be read from the evaluated scene instead."""
        return [found.value for found in self.values if found.mendable]

    def figure(self, captured: Captured, *, metric: bool) -> Entry:
        """Return how far all is from the scene where that is as promised; where frames count, on them and between."""
        if metric:
            place = self.place * _MILLIMETRES * captured.clip.unit
            return Entry(messages.PLAYED_BACK, {"moments": self.moments, "place": place, "degrees": self.turn})
        place, turn = self.held
        found = {"place": place, "degrees": turn, "far": self.place, "far_degrees": self.turn}
        return Entry(messages.PLAYED_BACK_UNITS, {"moments": self.moments, **found})

    def sentences(self, captured: Captured, *, metric: bool) -> list[Entry]:
        """Return what is otherwise than promised: how long it lasts, the node that is worst, the property that is."""
        wrong = []
        if self.off:
            name, worst = max(self.off.items(), key=lambda found: found[1].times)
            # where it is worst on a frame, it may be farther off between two, as is promised there
            place, turn = worst.held if worst.on_frames >= worst.times else (worst.place, worst.turn)
            values = {
                "name": name,
                "nodes": len(self.off),
                "place": place * (_MILLIMETRES * captured.clip.unit if metric else 1.0),
                "degrees": turn,
                "percent": worst.size * 100,
                "frame": _frame(captured, worst.moment),
                "moments": self.moments,
            }
            sizes = messages.PLAYED_OFF_SIZE if worst.size > _SEEN_SIZE else messages.PLAYED_OFF
            units = messages.PLAYED_OFF_UNITS if worst.on_frames > 1.0 else messages.PLAYED_OFF_BETWEEN
            wrong.append(Entry(sizes if metric else units, values))
        if self.values:
            value = max(self.values, key=lambda found: found.times)
            named = {"name": value.value.driven.node, "property": value.value.driven.label}
            counted = {"frame": _frame(captured, value.moment), "count": len(self.values), "moments": self.moments}
            wrong.append(Entry(messages.VALUE_OFF, {**named, **counted}))
        if self.lasts is not None:
            found, wanted = self.lasts
            wrong.append(Entry(messages.LENGTH_OFF, {"found": found, "wanted": wanted}))
        return wrong

    def goes_on(self, captured: Captured) -> list[Entry]:
        """Return what moves outside the clip as well."""
        if not self.beyond or captured.capture.timing.around is None:
            return []
        span, scene = captured.capture.span, captured.capture.context.scene
        begin, end = captured.capture.timing.around
        template = messages.GOES_ON_APART if end < span.first or begin > span.last else messages.GOES_ON
        first, last = captured.capture.timeline(np.array([span.first, span.last])).round(1).tolist()
        named = {"names": first_names(self.beyond), "count": len(self.beyond), "first": first, "last": last}
        return [Entry(template, {**named, "begin": scene.frame_start, "end": scene.frame_end})]

    def joined(self, other: Check) -> Check:
        """Return the figures of both; of a node that is off in both, the worse."""
        return Check(
            self.moments + other.moments,
            max(self.place, other.place),
            max(self.turn, other.turn),
            (max(self.held[0], other.held[0]), max(self.held[1], other.held[1])),
            dict(sorted((*self.off.items(), *other.off.items()), key=lambda found: found[1].times)),
            self.values + other.values,
            self.lost | other.lost,
            self.mendable | other.mendable,
            self.lasts or other.lasts,
            self.beyond + other.beyond,
            self.keys + other.keys,
            self.seconds + other.seconds,
        )

    def figures(self) -> dict[str, float]:
        """Return the numbers, ready for JSON: lengths in the scene's unit, angles in degrees."""
        worst = {"moments": self.moments, "off_place": self.place, "off_degrees": self.turn}
        return {**worst, "nodes_off": len(self.off), "seconds": round(self.seconds, 3)}


def _frame(captured: Captured, moment: float) -> float:
    return round(float(captured.capture.timeline(captured.frames(np.array([moment])))[0]), 1)


class Placed(NamedTuple):
    """A clip in a new file.

    Attributes:
        onto: puts what was captured onto the nodes of the file, where those are others.
        written: where it is in the file, None for a format that does not say.
    """

    captured: Captured
    onto: Callable[[Clip], Clip] | None
    written: Written | None


def checked(file: NewFile[object], placed: Placed, thoroughness: str) -> Steps[Check | None]:
    """Play a clip of a file that is made and compare it with the scene; None where there is nothing to compare."""
    begun, captured, onto, written = time.perf_counter(), placed.captured, placed.onto, placed.written
    if written is None:
        return None
    played = yield from portion(file.played(written), last=_PLAYED)
    moments, lines = _moments(captured, played, written, thoroughness)
    together = np.concatenate((moments, captured.beyond))
    order = np.argsort(together, kind="stable")
    shown, within = (yield from portion(look_at(captured, together[order]), _PLAYED, 1.0)), order < len(moments)
    shown = shown if onto is None else shown.fitted(captured.clip, onto)
    seen = shown.part(within)
    promise = written.promise._replace(between=np.where(lines, np.inf, written.promise.between))
    found = _compared(seen, played, replace(written, promise=promise), moments)
    if found is None:
        return None
    off = {name: each for name, each in found.items() if each.times > 1.0}
    place, turn = (max(getattr(each, name) for each in found.values()) for name in ("place", "turn"))
    held = tuple(np.max([each.held for each in found.values()], axis=0).tolist())
    values = list(_values_off(file, captured, written, seen, played, moments))
    lost, mendable = _mendable(captured, seen, found, written) if onto is None else (set(off), set())
    of_clip = float(written.seconds(np.array([captured.clip.duration]), played.rate)[0])
    wanted = of_clip if written.lasts is None else written.lasts
    # one that has frames may end on that before or after the clip's end
    allowed = _SAME_LENGTH + (0.0 if written.frames is None else 1.0 / played.rate)
    lasts = None if abs(played.duration - wanted) <= allowed else (played.duration, wanted)
    known = {*off, *(wrong.name for wrong in values)}
    beyond = _beyond(file, captured, shown.part(~within), played, written, known)
    count, keys, spent = len(seen.moments), played.key_count, time.perf_counter() - begun
    return Check(count, place, turn, held, off, values, lost, mendable, lasts, beyond, keys, spent)


def moves_on(captured: Captured) -> Steps[bool]:
    """Return whether the scene moves anything of what was captured on one frame on its other ones."""
    after = captured.beyond
    seen = (yield from portion(look_at(captured, np.concatenate((np.zeros(1), after))))) if len(after) else None
    shown = [] if seen is None else [seen.worlds, *(values for _, values in seen.values)]
    return any(not np.allclose(each, each[:1], rtol=_UNMOVED, atol=_UNMOVED) for each in shown)


def _beyond(
    file: NewFile[object], captured: Captured, seen: Seen, played: Clip, written: Written, known: Collection[str]
) -> list[str]:
    """Return the names of what is seen elsewhere than the file has it outside the clip, where nobody set its ends.

    Both if it is held there, or goes on as its curves say, and if it is played in a loop; of what is `known` to be off
    within the clip nobody can say. What lasts longer was asked to go on, what has fewer frames to end before, and keys
    past the end may be the source's own.
    """
    until, timing = written.later + captured.clip.duration + _SAME_LENGTH, captured.capture.timing
    goes_on = written.frames is None and written.lasts is not None and written.lasts > until
    goes_on |= timing.kept and timing.limits[1] > captured.clip.duration + _SAME_LENGTH
    goes_on |= written.frames is not None and written.frames[-1] + 0.75 / played.rate < captured.clip.duration
    found: dict[str, None] | None = None if len(seen.moments) and not goes_on else {}
    for moments in (seen.moments, np.mod(seen.moments, captured.clip.duration or np.inf)):
        if found is None or found:
            nodes = _compared(seen, played, written, moments, known) or {}
            off = [name for name, each in nodes.items() if each.times > 1.0]
            off += [wrong.name for wrong in _values_off(file, captured, written, seen, played, moments)]
            found = dict.fromkeys(name for name in off if name not in known and (found is None or name in found))
    return list(found or ())


def _mendable(
    captured: Captured, seen: Seen, found: Mapping[str, NodeOff], written: Written
) -> tuple[set[str], set[str]]:
    """Return the nodes that are off and would stay so, and those that may be read from the scene.

    These are what is off and in the file, and what carries it; with them is empty text for what carries the clip's
    root. What was read and is off all the same would not be helped. Of what was imported these are only nodes of which
    the capture is as far off, so that what is unchanged keeps the file's own numbers.
    """
    related = {track.node for track in captured.clip.tracks if track.match is not None}
    chains, off = Chains(captured.clip), [name for name, each in found.items() if each.times > 1.0]
    unseen = set(chains.nodes) - found.keys()  # what carries others and is not in the file was not compared itself
    unread = {name: chains.ancestry(name) & (unseen | {name}) - captured.sampled for name in off}
    lost = {name for name in off if not unread[name]}
    helped = {name for name in off if found[name].on_frames > 1.0 and name not in lost}
    if helped & related:
        told = _compared(seen, captured.clip, replace(written, turns={}, later=0.0, frames=None), seen.moments) or {}
        as_far = {name for name in helped & told.keys() if told[name].times > found[name].times / 2}
        helped = (helped - related) | as_far
    mendable = {name for each in helped for name in unread[each]}
    root_moves = not np.allclose(seen.root, seen.root[:1], rtol=1e-6, atol=1e-6)
    return set(off) - helped, mendable | ({""} if root_moves and helped else set())


def _moments(captured: Captured, played: Clip, written: Written, thoroughness: str) -> tuple[Array, Array]:
    """Return (m,) seconds of the clip, ascending: both its ends and what lies between, the same for the same clip.

    And (m,) bool: the file has but a line there, in place of a curve without a key.
    """
    duration, rate = max(captured.clip.duration, 0.0), captured.clip.rate
    frames = written.frames if written.frames is None else written.frames[written.frames <= duration + _SLACK]
    if duration == 0 or (frames is not None and not len(frames)):
        return np.zeros(1), np.zeros(1, bool)
    scene, count = captured.capture.context.scene, _MOMENTS[thoroughness]
    if thoroughness != "THOROUGH":
        count = max(_FEWEST, min(count, int(_LIGHT / weight(scene))))
    # both ends, then what lies evenly between, as far as one goes
    parts = np.concatenate(([0.0, 1.0], np.mod(np.arange(1, count - 1) * _GOLDEN, 1.0)))
    lines = np.empty(0)
    if frames is None:
        moments = parts * duration
        added = _between_samples(played.tracks, rate, count) - written.later
    else:
        moments = frames[np.rint(parts * (len(frames) - 1)).astype(int)]
        keyed, lines = _between_frames(captured, frames, count)
        added = np.concatenate((keyed, lines))
    # every second one on a key, else on a whole frame of the scene, others between keys
    timeline = captured.capture.timeline(captured.frames(moments))
    late = (timeline - np.floor(timeline + curve.ON_FRAME)) / rates.nominal_rate(scene)
    moments[3::2] -= late[3::2]
    on, between = _at_keys(captured, parts[2:])
    if frames is not None:
        on, between = frames[np.abs(frames - on[:, None]).argmin(axis=1)], on[:0]
    elif len(added):
        between = added[(moments[6::4] / duration * (len(added) - 1)).astype(int)]
    for slots, found in ((moments[3::2], on), (moments[6::4], between), (moments[4::4], added)):
        slots[: len(found)] = found[: len(slots)]
    known = captured.moments(np.array([-actions.FRAME_LIMIT, actions.FRAME_LIMIT]))  # to Blender
    moments = np.clip(moments, moments[0], moments[1]).clip(*known)
    moments = np.sort(moments) if frames is None else np.unique(moments)
    return moments, np.isin(moments, lines)


def _at_keys(captured: Captured, parts: Array) -> tuple[Array, Array]:
    """Return seconds (n,) of keys, every second one behind a break as long as there are some, and as many before them.

    Args:
        parts: (m,) from 0 to 1, where in all keys and breaks these are.
    """
    times, breaks = keys_and_breaks(captured)
    apart = np.diff(times, prepend=0.0)
    before = times - _BEFORE * np.where(breaks, np.minimum(apart, 1.0 / captured.clip.rate), apart)
    some = (part for part in (np.flatnonzero(breaks), np.arange(len(times))) if len(part))
    picked = np.array([part[(parts * len(part)).astype(int)] for part in some], int)
    chosen = list(dict.fromkeys(picked.ravel("F").tolist()))
    return (times + breaks * (_BEHIND / captured.clip.rate))[chosen], before[chosen]


def _between_frames(captured: Captured, frames: Array, count: int) -> tuple[Array, Array]:
    """Return seconds between frames of a file, which has lines there where curves bend, the most bent first.

    Those of keys that are no samples, (n,), and others, half way between two frames or before a step; of many curves,
    of some.
    """
    found, every = [np.empty((4, 0))], 1 + len(captured.clip.tracks) // _CURVES
    sampled = captured.sampled | captured.asked
    times = at = np.empty(0)
    on_frames = np.empty(0, bool)
    for number, tracks in enumerate(_alike(captured.clip.tracks) if len(frames) > 1 else ()):
        if not np.array_equal(tracks[0].times, times):  # else as those before
            times = tracks[0].times
            at = (times - frames[0]) / (frames[1] - frames[0])
            on_frames = np.abs(at - np.rint(at)) <= curve.ON_FRAME
        on_lines = on_frames | all(track.node in sampled for track in tracks)
        if number % every and on_lines.all():
            continue
        # by how much they step at each key, (n,), most of all of them
        steps = [np.abs(np.diff(each.values)).max(axis=0) * (each.interpolation[:-1] == CONSTANT) for each in tracks]
        jumps = np.append(0.0, np.max(steps, axis=0))
        turns = np.maximum(_turns(tracks), jumps / _SLACK)
        most = np.lexsort((-turns, on_lines))[:count]
        before = np.clip(np.ceil(at[most] - curve.ON_FRAME) - 1, 0, len(frames) - 2).astype(int)
        middles, lines = (frames[before] + frames[before + 1]) / 2, on_lines[most]
        middles = np.where(jumps[most] > 0, times[most] - _BEHIND / captured.clip.rate, middles)
        found.append(np.stack((middles, np.where(lines, middles, times[most]), turns[most], lines)))
    middles, moments, turns, on_lines = np.concatenate(found, axis=1)
    order = np.lexsort((-turns, on_lines))
    _, first = np.unique(middles[order], return_index=True)
    order = order[np.sort(first)]
    keyed = on_lines[order] == 0
    return moments[order[keyed]], moments[order[~keyed]]


def _alike(tracks: Iterable[Track]) -> Iterable[list[Track]]:
    """Return the transforms among tracks, those together that share their times."""
    moving = (track for track in tracks if track.kind is TrackKind.TRANSFORM and len(track.times))
    return grouped((id(track.times), track) for track in moving).values()


def _turns(tracks: Sequence[Track]) -> Array:
    """Return by how much the slopes of tracks of the same times change at each key, (n,), most of all of them."""
    turns = np.zeros(len(tracks[0].times))
    steps = np.maximum(np.diff(tracks[0].times.astype(np.float64)), _SLACK)
    slopes = np.diff(np.concatenate([track.values for track in tracks])) / steps
    turns[1:-1] = np.abs(np.diff(slopes)).max(axis=0)
    return turns


def _between_samples(tracks: Iterable[Track], rate: float, count: int) -> Array:
    """Return seconds (n,) half way between keys that are nearer than frames: in a file those that the export added.

    There it was least sure. First those where a transform bends most, as lines are farthest off there, and steps; of
    tracks of the same times no more than `count`.
    """
    found = [np.empty((2, 0))]
    for alike in _alike(tracks):
        times = alike[0].times.astype(np.float64)
        steps = np.diff(times)
        added = np.flatnonzero((steps > _ADDED[0] / rate) & (steps < _ADDED[1] / rate))
        if len(added):
            turns = _turns(alike)
            bends = np.maximum(turns[:-1], turns[1:])[added] * steps[added]
            most = np.argsort(-bends, kind="stable")[:count]
            found.append(np.stack((times[added] + steps[added] / 2, bends))[:, most])
    at, bends = np.concatenate(found, axis=1)
    middles: Array = at[np.argsort(-bends, kind="stable")]
    _, first = np.unique(np.rint(middles * rate * _APART), return_index=True)
    return middles[np.sort(first)]


def _compared(
    seen: Seen, played: Clip, written: Written, moments: Array, known: Collection[str] = ()
) -> dict[str, NodeOff] | None:
    """Return how far each node is off that the file holds at moments (m,), None for none; not of those `known`."""
    chains, there = Chains(played), {node.name: node for node in played.nodes if not node.placeholder}
    at = [number for number, name in enumerate(seen.names) if name in there]
    if not at:
        return None
    names = [seen.names[number] for number in at]
    depth = np.array([len(chains.ancestry(name)) - 1 for name in names], float)
    sides = _sides(written.seconds(moments, played.rate))
    shown = seen.worlds[:, at]
    worlds = _nearer(shown, chains, names, sides[:1], written)
    on_frames = seen.on_frames if written.frames is None else written.holds(moments, played.rate)
    judge = partial(offs, depth=depth, counts=seen.counts[:, at], on_frames=on_frames)
    found = judge(shown, worlds, moments, written.promise)
    far = (each.times > 1.0 and name not in known for name, each in zip(names, found, strict=True))
    off = [number for number, is_far in enumerate(far) if written.rays or is_far]
    if off:  # so it is as rounding has it: on the side of a step that is meant it may not be
        part = seen.worlds[:, at][:, off]
        worlds[:, off] = _nearer(part, chains, [names[number] for number in off], sides, written)
        shown[:, off] = part
        found = judge(shown, worlds, moments, written.promise)
    return dict(zip(names, found, strict=True))


def _nearer(shown: Array, chains: Chains, names: Sequence[str], sides: Sequence[Array], written: Written) -> Array:
    """Return (m, n, 4, 4) where the file has nodes, at those of some seconds (m,) that are nearer to what is shown.

    Each is in the node's own frame, and of rays, in `shown` too, there is what counts. On which side of a step rounding
    puts a moment is no difference.
    """
    worlds = chains.worlds(names, np.concatenate(sides)).reshape(len(sides), *shown.shape)
    for at, name in enumerate(names):
        if name in written.turns:
            worlds[:, :, at] = worlds[:, :, at] @ np.linalg.inv(written.turns[name])
    for end, origin in written.rays.items():
        ray = [names.index(name) for name in (origin, end) if name in names]
        worlds[:, :, ray, :3, :3] = shown[:, ray, :3, :3] = np.eye(3)  # the file has only places
        if len(ray) == 2:
            as_rays(shown, worlds, *ray)
    nearer, wanted = np.empty_like(shown), shown.copy()
    if written.promise.size is None:  # the file has rotations alone, which sizes would outweigh
        wanted[..., :3, :3] = told_axes(shown[..., :3, :3]) * size_of(written.root)
    # where a handle is upright the file passes all between two sides within what rounding leaves of a moment
    worlds = np.concatenate((worlds, np.clip(wanted, worlds.min(axis=0), worlds.max(axis=0))[None]))
    for columns in (slice(3), slice(3, 4)):  # each for itself, as places are off by other numbers than axes with sizes
        apart = np.abs(worlds - wanted)[..., columns].max(axis=(-2, -1))
        nearest = np.take_along_axis(worlds, apart.argmin(axis=0)[None, ..., None, None], axis=0)[0]
        nearer[..., columns] = nearest[..., columns]
    return nearer


def _values_off(
    file: NewFile[object], captured: Captured, written: Written, seen: Seen, played: Clip, moments: Array
) -> Iterator[WrongValue]:
    held = written.holds(moments, played.rate)
    end = captured.clip.duration
    if (written.lasts or 0.0) > written.later + end + _SAME_LENGTH:  # where a round begins, it has its first value
        held &= moments < end - _SLACK
    if not held.any():
        return
    seen, moments = seen.part(held), moments[held]
    shown = seen.tracks()
    told = file.format.in_own_words(shown, file.options)
    nodes = {node.name for node in played.nodes}
    of_file, of_clip = by_property(played.tracks), by_property(captured.clip.tracks)
    compared: set[tuple[str, TrackKind, str]] = set()  # of several that say the same in a file, the first decides
    for (value, _), track, rows in zip(seen.values, shown, told, strict=True):
        place = (rows[0].node, rows[0].kind, rows[0].property) if rows else None
        if place is not None and place not in compared and value.driven.node in nodes:
            compared.add(place)
            places = (of_file.get((row.node, row.kind, row.property), ()) for row in rows)
            every = ((at, _rows(found).get(rows[at].component)) for at, found in enumerate(places))
            own = {at: found for at, found in every if found is not None}
            wanted = np.concatenate([curve.evaluate(row, seen.moments) for row in rows])
            found = _nearest(own, wanted, written.seconds(moments, played.rate), _BEHIND / captured.clip.rate)
            times, worst = value_off(wanted, found, written.promise.value)
            if times > 1.0:
                values = track.values.astype(np.float64)
                found = _nearest(_rows(of_clip.get((track.node, track.kind, track.property), ())), values, moments)
                yield WrongValue(value, times, float(moments[worst]), value_off(values, found)[0] > times / 2)


def _rows(tracks: Iterable[Track]) -> dict[int, Track]:
    return {row.component: row for track in tracks for row in track.rows()}


def _nearest(rows: Mapping[int, Track], wanted: Array, seconds: Array, step: float = _STEP) -> Array | None:
    """Return values (width, m) of a property at seconds (m,), None where a component has no keys.

    Where within a step of so many seconds a moment is, is no difference: what counts is nearest to `wanted` (width, m).
    """
    own = [rows[at] for at in range(len(wanted)) if at in rows and len(rows[at].times)]
    if len(own) < len(wanted):
        return None
    moments = _sides(seconds, step if all((row.interpolation == CONSTANT).all() for row in own) else _STEP)
    sides = [np.concatenate([curve.evaluate(row, each, ends=True) for row in own]) for each in moments]
    return np.clip(wanted, np.min(sides, axis=0), np.max(sides, axis=0))


def _sides(seconds: Array, step: float = _STEP) -> list[Array]:
    """Return seconds (m,) as float32 has them, and earlier and later by what that leaves of times or lines of a step.

    Where two curves step on one frame, one of them is still before it and the other behind it there. Earlier, as rounds
    and strips that play in reverse step a moment before. By no more than a step takes, as what goes on beside it moves
    on meanwhile.
    """
    rounded = 2.0 * np.spacing(np.abs(seconds).astype(np.float32))
    drawn = np.maximum(step, rounded)
    asides = (-rounded, rounded, -drawn, drawn)
    return [seconds.astype(np.float32).astype(np.float64), *(seconds + aside for aside in asides)]
