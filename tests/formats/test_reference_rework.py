"""What a person has done to the keys of drawn clips, one number after the other, and what of it is told."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import plain
import pytest
from plain import CONSTANT, LINEAR, Array

from io_formats.clip import EULER, LOCATION, ROTATION, SCALE, Clip, Handles, Node, Track, TrackKind, Wrap, by_property
from io_formats.clip.measure import loops
from io_formats.clip.pose import Off
from io_formats.clip.rework import SceneFrames, closed, on_scene_frames, smooth, thin
from io_formats.errors import Report
from io_formats.options import ReadOptions
from io_formats.scene_options import ImportOptions

SEEN, HOLD, RATE = ("arm", "tracked"), (Wrap.HOLD, Wrap.HOLD), 8.0
NAMES = ["arm", *"abcdefghijkl"]
KEYS_APART = {LOCATION: 0.02, ROTATION: 0.01, SCALE: 0.003, EULER: 0.01}
Tracks = Sequence[Track]


# --- Drawn ------------------------------------------------------------------------------------------------------------


def recorded(rng: plain.Rng, node: str, name: str, noise: float) -> list[Track]:
    """A property with many keys that lie near a slow way, with pauses, steps and two keys at one time: as a block, as
    components that share their keys or have their own, or some of them, seldom twice; a few bend, repeat or rest."""
    width, way, still = 4 if name == ROTATION else 3, rng.choice(6, p=(0.4, 0.2, 0.2, 0.1, 0.05, 0.05)), rng.random()
    found = []
    for row in range(width) if way in (2, 3) else [0]:
        count = int(rng.choice((1, 2, 5, 17, 40)))
        gaps = rng.choice((1 / 30, 0.02, 0.05, 0.0, 1.0, 1.25, 2.5), count, p=(0.5, 0.2, 0.2, 0.04, 0.02, 0.02, 0.02))
        rows = np.cumsum(rng.normal(size=(width, count)) * noise, axis=1) * (still > 0.1)
        rows[0] += float(name == ROTATION)
        rows += rng.choice((1.0, -3.0)) * (name == SCALE)
        if name == ROTATION and way not in (2, 3):
            rows *= rng.choice((1.0, 1.0, 1.0, -1.0), count) * rng.choice((1.0, 1.0, 1.1), count)
        shapes = np.where(rng.random(count) < 0.05 * (way not in (2, 3)), CONSTANT, LINEAR).astype(np.uint8)
        one = Track(node, name, np.cumsum(gaps) + rng.choice((0.0, -0.5, 100.0)), rows, shapes, width=width)
        found.append(one.row(row) if way in (2, 3) else one)
    rows_of = found[0].rows() if way in (1, 4, 5) else [one for one in found if way != 3 or rng.random() < 0.7]
    found = {4: rows_of[1:], 5: rows_of + rows_of[:1]}.get(int(way), rows_of)
    kind = rng.integers(12)
    if kind == 0:  # bent, the handles no longer than their segments
        thirds = [np.diff(one.times, prepend=one.times[0], append=one.times[-1]) / 3 for one in found]
        bent = [
            Handles(np.stack([-part[:-1], part[1:]], axis=1), rng.normal(size=(*one.values.shape, 2)) / 20)
            for one, part in zip(found, thirds)
        ]
        found = [one.but(interpolation=one.interpolation * 0 + 2, handles=own) for one, own in zip(found, bent)]
    before, after = {1: (Wrap.HOLD, Wrap.REPEAT), 2: (Wrap.MIRROR, Wrap.HOLD)}.get(int(kind), HOLD)
    return [one.but(before=before, after=after) for one in found]


def body(rng: plain.Rng, tracks: list[Track], names: Sequence[str] = NAMES) -> Clip:
    """Nodes, some on others, larger than at rest, below a root with a size, one of them seen by a switch."""
    nodes = [
        Node(name, names[at - 1] if at and rng.random() < 0.7 else None, plain.matrix(rng, 1.5, odd=rng.random() < 0.2))
        for at, name in enumerate(names)
    ]
    nodes[0].seen_by = SEEN
    times, seen = np.sort(rng.uniform(-0.5, 3.0, 4)), rng.choice((0.0, 1.0), (1, 4))
    switch = Track.sampled(*SEEN, times, seen, CONSTANT, kind=TrackKind.CUSTOM)
    return Clip("", 3.0, 30.0, plain.matrix(rng, 2.0), nodes, [switch, *tracks])


def recording(rng: plain.Rng, noises: Mapping[str, float]) -> Clip:
    """A body that moves."""
    return body(
        rng, [one for node in NAMES for name, noise in noises.items() for one in recorded(rng, node, name, noise)]
    )


# --- Judged -----------------------------------------------------------------------------------------------------------


def axes_of(clip: Clip, name: str) -> Array:
    """(3, 3) of a node's location in the world, as large as what carries it ever becomes."""
    nodes = {node.name: node for node in clip.nodes}
    axes, above = nodes[name].rest[:3, :3], nodes[name].parent
    while above is not None:
        scales = [one.values for one in clip.tracks if (one.node, one.property) == (above, SCALE)]
        sizes = [1.0, *(abs(size) for values in scales for size in values.flat if np.isfinite(size))]
        axes = nodes[above].rest[:3, :3] @ axes * max(sizes)
        above = nodes[above].parent
    return clip.root[:3, :3] @ axes


def components(tracks: Tracks) -> list[int]:
    """Which ones a property's tracks hold."""
    return [track.component + row for track in tracks for row in range(len(track.values))]


def counts(tracks: Tracks) -> bool:
    """Whether a property is measured: no component comes twice, and a turn has all four."""
    rows = components(tracks)
    return len(set(rows)) == len(rows) and (tracks[0].property != ROTATION or rows == [0, 1, 2, 3])


def apart(clip: Clip, tracks: Tracks, one: Array, other: Array) -> float:
    """How far two values (components,) of a property are apart to a person: a length, an angle, a part of a size."""
    name = tracks[0].property
    if not np.isfinite([one, other]).all():
        return math.nan
    if name == LOCATION:
        return float(np.linalg.norm(axes_of(clip, tracks[0].node)[:, components(tracks)] @ (one - other)))
    if name == ROTATION:
        one, other = (each / np.linalg.norm(each) if each.any() else np.eye(4)[0] for each in (one, other))
        return 4 * math.asin(min(1.0, min(np.linalg.norm(one - other), np.linalg.norm(one + other)) / 2))
    if name == EULER:
        return float(sum(abs(math.remainder(off, 2 * math.pi)) for off in one - other))
    return float(np.abs(one - other).max())


class Worst:
    """How far the places and turns of nodes are off at most."""

    def __init__(self) -> None:
        self.places, self.turns, self.others = (defaultdict[str, float](float, {"": 0.0}) for _ in range(3))

    def add(self, tracks: Tracks, off: float) -> None:
        """Take a property of a node."""
        found = {LOCATION: self.places, SCALE: self.others}.get(tracks[0].property, self.turns)
        found[tracks[0].node] = max(found[tracks[0].node], off)

    def is_told(self, off: Off) -> None:
        """Compare with what is told."""
        for told, node, found, most in (
            (off.place, off.placed, self.places, 1e-9),
            (off.turn, off.turned, self.turns, 1e-6),
        ):
            assert told == pytest.approx(max(found.values()), abs=most) == pytest.approx(found[node], abs=most)


def joined(tracks: Tracks) -> Track | None:
    """One block with the keys of all, straight ways between; None where they do not go together."""
    first = tracks[0]
    if all(np.array_equal(one.times, first.times) for one in tracks):
        return first.but(values=np.concatenate([one.values for one in tracks]))
    if any(one.handles is not None or (one.before, one.after) != HOLD for one in tracks):
        return None
    places = sorted({(time, list(one.times[:at]).count(time)) for one in tracks for at, time in enumerate(one.times)})
    rows = np.zeros((len(tracks), len(places)))
    for row, one in zip(rows, tracks):
        for at, (time, rank) in enumerate(places):
            own = np.flatnonzero(one.times == time)
            row[at] = one.values[0, own[min(rank, len(own) - 1)]] if len(own) else plain.value(one, time)[0]
    return Track.sampled(first.node, first.property, np.array([time for time, _ in places]), rows)


def by_node(clip: Clip, other: Clip) -> list[tuple[list[Track], list[Track], bool]]:
    """Tracks of each location, rotation and size of both clips, and whether they are the same."""
    both = [
        by_property(one for one in each.tracks if one.kind is TrackKind.TRANSFORM).values() for each in (clip, other)
    ]
    return [
        (old, new, all(one is two for one, two in zip(old, new, strict=True))) for old, new in zip(*both, strict=True)
    ]


def between(tracks: Tracks) -> list[float]:
    """The times of all keys, and three between each two."""
    times = sorted({float(time) for one in tracks for time in one.times})
    return [low + (high - low) * part / 4 for low, high in pairwise(times) for part in range(4)] + times[-1:]


# --- Smoother ---------------------------------------------------------------------------------------------------------


def multiplied(p: Array, q: Array) -> Array:
    """Hamilton's product of quaternions w, x, y, z."""
    return np.append(p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))


def way(p: Array, q: Array) -> Array:
    """The rotation vector from one quaternion to another, of any lengths and signs: below half a turn."""
    step = multiplied(p * (1, -1, -1, -1), q)
    size = float(np.linalg.norm(step[1:]))
    return step[1:] * 2 * math.atan2(size, abs(step[0])) * math.copysign(1, step[0]) / max(size, 1e-300)


def alpha_of(cutoff: float, period: float) -> float:
    """The share of a new value in the paper's low-pass filter."""
    return 1 / (1 + 1 / (2 * math.pi * cutoff) / period)


def by_the_paper(track: Track, periods: list[float], least: float, gain: float) -> Array:
    """Casiez, Roussel, Vogel 2012, algorithm 1, turns along great arcs; anew where a period is 0."""
    turns, found = track.property == ROTATION, []
    last, speed = track.values[:, 0], np.zeros(3 if turns else len(track.values))
    for value, period in zip(track.values.T, periods):
        if period == 0.0:
            last, speed = value, speed * 0.0
        else:
            change = way(last, value) if turns else value - last
            speed = speed + alpha_of(1.0, period) * (change / period - speed)
            change = change * alpha_of(least + gain * float(np.linalg.norm(speed)), period)
            half = float(np.linalg.norm(change)) / 2
            step = np.append(math.cos(half), change * np.sinc(half / math.pi) / 2)
            last = multiplied(last, step) if turns else last + change
        found.append(last)
    return np.array(found).T


def periods_of(clip: Clip, track: Track) -> list[float]:
    """Seconds since the key before; 0 where nothing is known between: over a second, a step, not seen by a switch."""
    (switch,) = (one for one in clip.tracks if (one.node, one.property) == SEEN)
    changes = [time for time, (one, two) in zip(switch.times[1:], pairwise(switch.values[0])) if one != two]
    found = [0.0]
    for (low, high), shape in zip(pairwise(track.times), track.interpolation):
        lost = track.node == SEEN[0] and any(low < change <= high for change in changes)
        found.append(0.0 if lost or high - low > 1.0 or shape == CONSTANT else high - low)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_joints_are_filtered_as_in_the_paper(seed: int) -> None:
    """Each by its own times, as large as it is in the world; what bends, repeats or rests stays as it is."""
    clip = recording(np.random.default_rng(seed), {LOCATION: 0.02, ROTATION: 0.004, SCALE: 0.3})
    result, off = smooth(clip, ReadOptions(smooth_cutoff=1.5, smooth_speed=20.0, smooth_turning=2.0))
    worst = Worst()
    for old, new, same in by_node(clip, result):
        name, node, whole = old[0].property, old[0].node, joined(old)
        wrapped = any((one.before, one.after) != HOLD for one in old)
        if name == SCALE or not counts(old) or whole is None or whole.handles is not None or wrapped:
            assert same, (node, name)
            continue
        periods, size = periods_of(clip, whole), np.linalg.norm(axes_of(clip, node)) / math.sqrt(3)
        expected = by_the_paper(whole, periods, 1.5, 2.0 if name == ROTATION else 20.0 * size)
        found, fresh, at = whole.values.copy(), np.array(periods) == 0.0, 0
        for one, two in zip(old, new):
            rows = slice(at, at := at + len(one.values))
            assert one is two or not np.array_equal(two.values, found[rows])
            found[rows] = found[rows] if one is two else two.values
        assert (np.abs(found[:, fresh]) == np.abs(whole.values[:, fresh])).all() or len(old) > 1
        if name == LOCATION:
            assert np.abs(found - expected).max() < 1e-12
            worst.add(old, size * np.linalg.norm(found - whole.values, axis=0).max())
        else:
            assert max(np.linalg.norm(way(*each)) for each in zip(found.T, expected.T)) < 2e-6
            assert same or (found[:, 1:] * found[:, :-1]).sum(axis=0).min(initial=0.0) >= 0.0
            worst.add(old, max(np.linalg.norm(way(*each)) for each in zip(found.T, whole.values.T)))
    worst.is_told(off)


# --- Fewer ------------------------------------------------------------------------------------------------------------


def needless(clip: Clip, whole: Track, kept: Tracks, limit: float) -> list[float]:
    """Times of keys that lines between those beside them pass within a limit."""
    at = [int(np.flatnonzero(whole.times == time)[0]) for time in kept[0].times]
    found = []
    for low, key, high in zip(at, at[1:], at[2:]):
        times, rows = whole.times[low : high + 1], whole.values[:, low : high + 1]
        lines = rows[:, :1] + (rows[:, -1:] - rows[:, :1]) * (times - times[0]) / (times[-1] - times[0])
        if all(apart(clip, kept, *each) <= limit - 1e-9 for each in zip(rows.T, lines.T)):
            found.append(float(whole.times[key]))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_fewer_keys_play_what_all_did_within_limits(seed: int) -> None:
    """As far off as is told, at keys and between; none could go besides; what bends or steps stays."""
    far = 1.0 + 19.0 * (seed % 2)
    clip = recording(np.random.default_rng(seed), {name: noise * far for name, noise in KEYS_APART.items()})
    for one in clip.tracks[1::3]:
        one.inserted = np.arange(len(one.times)) % 3 == 1
    most, worst = Off(0.03 * far, math.radians(2.0 * far)), Worst()
    result, reached = thin(clip, most)
    assert result.tracks[0] is clip.tracks[0] and result.key_count < clip.key_count
    bare = replace(clip, tracks=clip.tracks[:1])
    assert thin(bare, most)[0] is bare
    for old, new, same in by_node(clip, result):
        whole, limit = joined(old), {LOCATION: most.place, SCALE: 1e-3}.get(old[0].property, most.turn)
        assert same or sum(one.size for one in new) < sum(one.size for one in old)
        if not counts(old) or whole is None:
            assert same, old[0].node
            continue
        times = {*new[0].times}
        off = max(
            apart(clip, old, *(np.concatenate([plain.value(one, at) for one in side]) for side in (old, new)))
            for at in ([] if same else between(old)) or [0.0]
        )
        assert off <= limit + 1e-9, old[0].node
        worst.add(old, off)
        assert same or all({*one.times} == times and one.inserted is None for one in new)
        steps = np.flatnonzero(whole.interpolation != LINEAR)
        assert all({*whole.times[at : at + 2]} <= times for at in steps)
        if not (same or len(steps) or 0.0 in np.diff(whole.times) or old[0].property == ROTATION):
            assert not needless(clip, whole, new, limit), old[0].node
    worst.is_told(reached)


# --- On whole frames --------------------------------------------------------------------------------------------------


def on_frames(track: Track) -> Track:
    """A track whose keys within a thousandth of a frame are on it."""
    frames = track.times * RATE
    return track.but(times=np.where(np.abs(frames - np.rint(frames)) <= 1e-3, np.rint(frames), frames) / RATE)


def is_double(track: Track) -> bool:
    """Whether two keys are at an end, one of which stays."""
    return len(track.times) > 1 and 0.0 in np.diff(track.times)[[0, -1]]


def shown(tracks: Tracks, at: float) -> Array:
    """(components,) of a property; where a round ends, its last key."""
    found = []
    for one in tracks:
        rounds = (at - one.times[-1]) / (np.ptp(one.times) or 1.0)
        ends = one.after is Wrap.REPEAT and len(one.times) > 1 and rounds > -1e-6 and abs(rounds - round(rounds)) < 1e-6
        found.append(one.values[:, -1] if ends else plain.value(one, at))
    return np.concatenate(found)


def as_seen(tracks: Tracks, frame: int) -> Array:
    """(components,) on a frame: a key is as it is, elsewhere a rotation has length 1, if no component repeats alone."""
    values = shown(tracks, frame / RATE)
    repeats = {
        (one.before, one.after, *(() if (one.before, one.after) == HOLD else one.times[[0, -1]])) for one in tracks
    }
    keyed = any(frame / RATE in one.times for one in tracks)
    if tracks[0].property != ROTATION or len(values) != 4 or keyed or len(repeats) > 1:
        return values
    return values / np.linalg.norm(values) if values.any() else np.eye(4)[0]


def nearly_on_frames(rng: plain.Rng, track: Track) -> Track:
    """A track with many keys on frames, or so nearly that a rounding may have moved them."""
    near = np.rint(track.times * RATE) / RATE + rng.uniform(-1e-4, 1e-4, len(track.times)) / RATE
    times = np.maximum.accumulate(np.where(rng.random(len(track.times)) < rng.random(), near, track.times))
    track = track.but(times=times)
    return track.held() if is_double(on_frames(track)) else track


def is_held(tracks: Tracks, frame: int) -> bool:
    """Whether nothing but steps lies between a frame and the next."""
    return all(
        shape == CONSTANT or high <= frame / RATE or low >= (frame + 1) / RATE
        for one in tracks for (low, high), shape in zip(pairwise(one.times), one.interpolation)
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_on_whole_frames_is_what_plays_there(seed: int) -> None:
    """On each frame as before, held between two where nothing but steps lay there, and as far off as is told."""
    rng, worst = np.random.default_rng(seed), Worst()
    drawn = [plain.tracks(rng, node, name, shapes=(0, 0, 1, 1, 2)) for node in NAMES for name in (LOCATION, ROTATION)]
    clip = body(rng, [nearly_on_frames(rng, one) for each in drawn for one in each])
    result, off = on_scene_frames(clip, SceneFrames(RATE))
    for old, new, same in by_node(clip, result):
        near, repeats = [on_frames(one) for one in old], [(one.before, one.after) != HOLD for one in old]
        ends = [one.times[[0, -1]] * RATE for one in near]
        if all((one.times * RATE % 1 == 0).all() for one in near) or any(
            repeat and (end % 1 != 0).any() for repeat, end in zip(repeats, ends)
        ):
            assert same, old[0].node
            continue
        first, last = math.floor(min(one[0] for one in ends)), math.ceil(max(one[1] for one in ends))
        whole, at = np.array([as_seen(near, frame) for frame in range(first, last + 1)]).T, 0
        held = [is_held(near, frame) for frame in range(first, last)]
        for one, end, repeat, two in zip(near, ends, repeats, new, strict=True):
            begin, final = map(int, end) if repeat else (first, last)  # what repeats keeps its period
            seen, at = whole[at : at + len(one.values)], at + len(one.values)
            frames = [
                frame for frame in range(begin, final + 1)
                if frame in (begin, final) or not (held[frame - first - 1] and held[frame - first])
                or (seen[:, frame - first] != seen[:, frame - first - 1]).any()
            ]  # fmt: skip
            assert two.times.tolist() == [frame / RATE for frame in frames] and one.after is two.after
            shapes = [CONSTANT if held[frame - first] else LINEAR for frame in frames[:-1]]
            assert two.interpolation[:-1].tolist() == shapes and one.before is two.before
        double = any(len(one.times) > 1 and 0.0 in np.diff(one.times)[[0, -1]] for one in near)
        around = 0 if double else 6  # as one of two keys at an end stays
        for frame in range(first - around, last + 1 + around):
            found, expected = shown(new, frame / RATE), as_seen(near, frame)
            if not first <= frame <= last and old[0].property == ROTATION:
                found, expected = (each / (np.linalg.norm(each) or 1.0) for each in (found, expected))
            assert np.abs(found - expected).max() < 1e-5, (old[0].node, frame)
        if counts(old):
            worst.add(old, max(apart(clip, old, shown(old, at), shown(new, at)) for at in between(old)))
    worst.is_told(off)


# --- In a loop --------------------------------------------------------------------------------------------------------


def ending(rng: plain.Rng, tracks: Tracks) -> list[Track]:
    """A property whose last key lies where its first is, or nearly so, or elsewhere; a turn maybe of the other sign, an
    angle rounds further, or no number."""
    near, sign = float(rng.choice((0.0, 1e-9, 5e-5, 0.0005, 0.003, 0.03, 0.3))), rng.choice((1.0, -1.0))
    found = []
    for one in tracks:
        rows = one.values.copy()
        rows[:, -1] = rows[:, 0] + rng.normal(size=len(rows)) * near
        rows[:, -1] *= sign if one.property == ROTATION else 1.0
        rows[:, -1] += 2 * math.pi * rng.integers(-1, 2) * (one.property == EULER)
        rows[0, rng.choice((0, -1), 2)] *= rng.choice((np.nan, np.inf)) if rng.random() < 0.05 else 1.0
        found.append(one.but(values=rows))
    return found


def ends_of(tracks: Tracks) -> tuple[Array, Array]:
    """(components,) of the first and the last key."""
    first, last = (np.concatenate([one.values[:, at] for one in tracks]) for at in (0, -1))
    return first, last


@pytest.mark.parametrize("seed", range(4))
def test_a_loop_ends_as_it_begins(seed: int) -> None:
    """Ends that are near are moved onto the beginnings; what is moved and what stays apart is told."""
    rng, report, moved, left = np.random.default_rng(seed), Report(), Worst(), Worst()
    drawn = [recorded(rng, node, name, noise) for node in NAMES for name, noise in KEYS_APART.items()]
    clip, channels = body(rng, [one for each in drawn for one in ending(rng, each)]), 0
    names: list[str] = []
    result = closed(clip, ImportOptions(cyclic="CLOSE", seam_location=10.0, seam_rotation=1.0), report)
    assert result.cyclic and result.tracks[0] is clip.tracks[0]
    for old, new, same in by_node(clip, result):
        name, (first, last), (_, end) = old[0].property, ends_of(old), ends_of(new)
        off = apart(clip, old, first, last) if counts(old) and np.isfinite([first, last]).all() else 0.0
        limit = {LOCATION: 0.01, SCALE: 1e-3}.get(name, math.radians(1.0))
        if off > limit:
            assert same
            left.add(old, off)
            names.append(old[0].node)
        elif not same:
            if name == EULER:
                assert np.abs(end - last).max() < math.pi and apart(clip, old, first, end) < 1e-12
            else:
                assert end.tolist() == (first * (-1.0 if name == ROTATION and first @ last < 0 else 1.0)).tolist()
            assert all((one.values[:, :-1] == two.values[:, :-1]).all() for one, two in zip(old, new))
            assert off > 3e-8, "what only rounding holds open stays as it is"
            moved.add(old, off)
            channels += 1
        else:
            assert not off or off <= 5e-7 * (1 + np.abs(first).max() * np.abs(axes_of(clip, old[0].node)).max())
    notes = [
        (entry.values, worst)
        for entries, worst in ((report.notes, moved), (report.warnings, left))
        for entry in entries
    ]
    for values, worst in notes:
        assert values["place"] == pytest.approx(1000 * max(worst.places.values()), rel=1e-6)
        assert values["degrees"] == pytest.approx(math.degrees(max(worst.turns.values())), rel=1e-6)
    assert [entry.values["channels"] for entry in report.notes] == ([channels] if channels else [])
    for entry in report.warnings:
        assert str(entry.values["names"]).split(", ")[:3] == list(dict.fromkeys(names))[:3]
    assert len(report.warnings) == bool(names)


@pytest.mark.parametrize("seed", range(40))
def test_what_loops(seed: int) -> None:
    """What moves, and repeats throughout or ends where it begins within a tenth of a millimetre and 0.06 degrees."""
    rng = np.random.default_rng(seed)
    names = [name for name in (LOCATION, ROTATION, SCALE) if rng.random() < 0.7]
    drawn = [recorded(rng, "arm", name, KEYS_APART[name] * (seed % 5 > 0)) for name in names]
    tracks = [one for each in drawn for one in (ending(rng, each) if seed % 5 else each)]
    if seed % 4 == 0:  # all repeat, or all but one
        wraps = [HOLD] * (seed % 8 // 4) + [(Wrap.REPEAT, Wrap.REPEAT)] * 9
        tracks = [one.but(before=before, after=after) for one, (before, after) in zip(tracks, wraps)]
    clip = body(rng, tracks, ["arm"])
    keyed = [one for one in tracks if len(one.times) > 1]
    near = [
        counts(old) and apart(clip, old, *ends_of(old)) <= (1e-4 if old[0].property == LOCATION else 1e-3)
        for old in by_property(tracks).values()
    ]
    moves = any((one.values != one.values[:, :1]).any() for one in keyed)
    assert loops(clip) == (moves and (all(near) or all(one.before is one.after is Wrap.REPEAT for one in keyed)))
