"""What is made of drawn curves, against a loop over plain numbers that plays them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import plain
import pytest
from plain import BEZIER, CONSTANT

from io_formats.clip import LOCATION, ROTATION, Clip, Track, Wrap, by_property, curve, edit, fit, resample
from io_formats.errors import Report

HOLD = Wrap.HOLD


def drawn(count: int, name: str = LOCATION, *more: int, **how: Any) -> list[tuple[plain.Rng, Track]]:
    """Tracks of all components of a property, each with what draws more."""
    found = []
    for seed in (*range(count), *more):
        rng = np.random.default_rng(seed)
        track = plain.track(rng, "a", name, 4 if name == ROTATION else 3, **how)
        track.values[: seed % 5, -1] = track.values[: seed % 5, 0]  # which goes on where a round begins anew
        found.append((rng, track))
    return found


def played(track: Track, times: Any) -> Any:
    """(components, m) by plain numbers."""
    return np.array([plain.value(track, float(at)) for at in times]).T


def off(one: Track, other: Track, times: Any, later: float = 0.0, edge: float = 0.0) -> float:
    """How far a track is off all that another, that plays `later`, is within `edge` seconds, at most."""
    near = [played(other, np.asarray(times) - later + by) for by in {-edge, 0.0, edge}]
    return float(np.max([played(one, times) - np.max(near, axis=0), np.min(near, axis=0) - played(one, times)]))


def within(rng: plain.Rng, first: float, last: float, count: int = 6) -> Any:
    """Moments between two times."""
    return rng.uniform(first, last, count)


def test_curves_play() -> None:
    """Alone, several at once, and on keys, behind the last of those at one time; with more keys, too."""
    every = drawn(60)
    for rng, track in every:
        times = within(rng, -3.0, 4.0)
        assert np.abs(curve.evaluate(track, times) - played(track, times)).max() < 1e-6
        held = track.held()
        assert np.abs(curve.evaluate(held, track.times) - played(held, track.times)).max() < 1e-12
        if len(track.times) > 1:
            finer = curve.subdivide(track, np.append(times, track.times))
            inside = times[(times > track.times[0]) & (times < track.times[-1])]
            assert set(inside) <= set(finer.times) and off(finer, track, within(rng, -3.0, 4.0)) < 1e-6
    times = within(np.random.default_rng(0), -3.0, 4.0)
    tracks = [track for _, track in every]
    for track, found in zip(tracks, curve.evaluate_all(tracks, times)):
        assert np.abs(found - played(track, times)).max() < 1e-6
        ends = track.times[-1] + np.ptp(track.times) * np.arange(4)  # where the last key plays, as in Blender
        (found,) = curve.evaluate_all([track], ends)
        assert track.after is Wrap.MIRROR or (found == track.values[:, -1:]).all()


def test_parts_of_curves_play_what_the_whole_did() -> None:
    for rng, track in drawn(120, wraps=0.8):
        first, last = np.sort(np.round(rng.uniform(-4.0, 5.0, 2), 3))
        for ends in (False, True):
            edge, most = (edit.LEAST_EDGE, 1e-5) if ends else (0.0, 1e-6)
            cut = edit.trim_track(track, first, last, ends=ends)
            assert cut.times[0] >= 0 and cut.times[-1] <= last - first + 1e-9 and (np.diff(cut.times) >= 0).all()
            assert (cut.before, cut.after) == (HOLD, HOLD)
            assert off(cut, track, within(rng, 0.0, last - first), -first, edge) < most
            whole = edit.written_out(track, first, last, ends=ends)
            assert off(whole, track, within(rng, first, last), 0.0, edge) < most
            for end in track.times[-1] + np.ptp(track.times) * np.arange(1, 4) if track.after is Wrap.REPEAT else ():
                if ends and first < end < last and len(track.times) > 1:  # there the last key plays, as in Blender
                    assert plain.value(whole, end) == pytest.approx(track.values[:, -1], abs=1e-9)
            assert (whole is track) == ((track.before, track.after) == (HOLD, HOLD))
            shape = track.interpolation[max(np.searchsorted(track.times, last, side="right") - 1, 0)]
            assert whole is not track or cut.interpolation[-1] == shape  # with which later keys go on
        if Wrap.MIRROR not in (track.before, track.after) and track.times[0] < track.times[-1]:
            moments = within(rng, first, last)
            rounds = np.floor((moments - track.times[0]) / np.ptp(track.times))
            rounds *= np.where(rounds < 0, track.before, track.after) == Wrap.REPEAT
            risen = played(edit.trim_track(track, first, last, (0.5, 3.0)), moments - first)
            assert np.abs(risen - played(track, moments) - rounds * np.where(rounds < 0, 0.5, 3.0)).max() < 1e-6
        total = float(rng.uniform(-1.0, 1.0))
        times = within(rng, track.times[0], track.times[-1])
        back = played(edit.backwards(track, total).held(), total - times)
        assert track.times[0] == track.times[-1] or np.abs(back - played(track, times)).max() < 1e-6


def test_unrolled_curves_play_as_long_as_the_clip() -> None:
    for rng, track in drawn(40, wraps=0.9):
        for ends, (length, key) in zip((False, True), ((1.5, 0.5), (0.5, 1.5))):
            other = Track.sampled("b", LOCATION, np.array([-1.0, key]), np.zeros((3, 2)))
            clip = Clip("", length, tracks=[track, other])
            (found,) = resample.unrolled([track], clip, ends=ends)
            last = max(1.5, track.times[-1])
            assert off(found, track, within(rng, -1.0, last), 0.0, edit.LEAST_EDGE) < 1e-5
            assert found.times[-1] <= last + edit.LEAST_EDGE


def test_when_something_moves() -> None:
    """Key times of all, where nothing moves until the next, and a moment before what jumps while others move."""
    for seed in range(80):
        rng = np.random.default_rng(seed)
        tracks = [plain.track(rng, "a", LOCATION, 3, shapes=(0, 0, 1, 2)) for _ in range(rng.integers(1, 4))]
        for track in tracks:  # steps of some components, or of none
            track.values[seed % 3 :, 1:3] = track.values[seed % 3 :, :1]
        tracks[0] = tracks[0].but(times=tracks[0].times * (1 + 2e-16))  # a rounding beside others
        if seed % 4 == 0:  # where single precision still has to tell it from its step
            tracks = [track.shifted(5000.0) for track in tracks]
        times, steps = resample.key_times(tracks)
        keys = sorted({float(at) for track in tracks for at in track.times})
        edges = sorted(set(times.tolist()) - set(keys))
        held, before = [], []
        for low, high in pairwise(keys):
            kinds, jumps = set(), False
            for track in tracks:
                own = [key for key, at in enumerate(track.times) if at <= low]
                if own and own[-1] < len(track.times) - 1:
                    step, end = track.interpolation[own[-1]] == CONSTANT, own[-1] + 1
                    kinds.add(bool(step))
                    jumps |= (
                        step and track.times[end] == high and (track.values[:, end] != track.values[:, end - 1]).any()
                    )
            if kinds == {True}:
                held.append(low)
            if kinds == {True, False} and jumps and high - low > 1e-9:
                before.append((low, high))
        assert len(edges) == len(before)
        for edge, (low, high) in zip(edges, before):
            assert low < edge < high and high - edge < (6e-3 if low > 4000 else 1e-3 / 24) and edge in steps
            assert np.float32(edge) < np.float32(high)
        assert sorted(steps) == sorted(held + edges)


def test_components_together_play_as_each_for_itself() -> None:
    """Exactly where they were one; what repeats only where all do so with the same keys at both ends, which is told."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        tracks = [plain.track(rng, "a", LOCATION, 1, wraps=0.2) for _ in range(3)]
        if seed % 3 == 0:
            tracks[1] = tracks[1].take(np.zeros(0, int)).held()
        if seed % 3 == 1:
            whole = plain.track(rng, "a", LOCATION, 3, wraps=0.6)
            (tracks,) = by_property(curve.subdivide(row, within(rng, -0.5, 1.2)) for row in whole.rows()[::-1]).values()
            assert [row.component for row in tracks] == [0, 1, 2]
        if seed % 6 == 2:
            tracks = [track.but(before=Wrap.REPEAT, after=Wrap.REPEAT) for track in tracks]
        report, keyed = Report(), [track for track in tracks if len(track.times)]
        united = fit.unite(tracks, 1e-4, report)
        repeat = [(track.before, track.after) for track in tracks if (track.before, track.after) != (HOLD, HOLD)]
        alike = len({(track.before, track.after) for track in tracks}) == 1
        alike &= not repeat or len({(*track.times[[0, -1]],) for track in keyed}) == 1
        assert [entry.count for entry in report.warnings] == ([] if alike or not repeat else [len(repeat)])
        assert len(tracks) < 3 or seed % 3 != 1 or not report.notes
        times = within(rng, -1.0, 2.0, 20)
        for row, track in zip(played(united, times), tracks):
            expected = played(track if alike else track.held(), times)[0]
            assert np.abs(row - expected).max() < (1e-9 if seed % 3 == 1 else 1.1e-4), seed


def turned_apart(one: Any, other: Any) -> float:
    """The largest angle between quaternions (4, m) of any length."""
    lengths = [np.linalg.norm(each, axis=0) for each in (one, other)]
    return float(2 * np.arccos(np.minimum(np.abs((one * other).sum(axis=0)) / lengths[0] / lengths[1], 1.0)).max())


def test_straight_lines_are_as_near_as_they_tell() -> None:
    """As near as was asked, unless keys are too many or too close for that."""
    for name in (LOCATION, ROTATION):
        for number, (rng, track) in enumerate(drawn(8, name, 71, wraps=0.0)):  # of which one turns far
            turns, tolerance = name == ROTATION, 10.0 ** -(1 + number % 3)
            most, least = ((math.inf, 0.0), (math.inf, 1 / 64), (12, 0.0))[number % 3]
            found, error = resample.straightened(track, tolerance, turns=turns, most=most, least=least)
            assert found is track or not (found.interpolation == BEZIER).any()
            assert error <= tolerance or least or most < math.inf
            times = within(rng, track.times[0], track.times[-1], 40)
            one, other = played(found, times), played(track, times)
            if turns and found is not track:
                assert np.abs(np.linalg.norm(found.values, axis=0) - 1).max() < 1e-6
                assert (found.values[:, 1:] * found.values[:, :-1]).sum(axis=0).min(initial=1.0) >= 0
            apart = turned_apart(one, other) if turns else np.abs(one - other).max()
            assert apart <= error + 1e-6, (name, number)
            steps = track.times[:-1][(track.interpolation[:-1] == CONSTANT) & (np.diff(track.times) > 0)]
            if most == math.inf:
                assert set(steps) <= set(found.times[found.interpolation == CONSTANT])


def test_unit_quaternions_turn_alike() -> None:
    for number, (rng, track) in enumerate(drawn(8, ROTATION, 364)):  # of which one errs between quarters of its keys
        tracks = track.rows() if number % 2 else [track]
        found = resample.unit_rotations(tracks, 1e-3, cubics=number % 3 == 0, arcs=number % 3 == 1, least=1e-4)
        assert len(found) == len(tracks)
        whole = fit.unite(found)
        assert np.abs(np.linalg.norm(whole.values, axis=0) - 1).max() < 1e-6
        assert (whole.values[:, 1:] * whole.values[:, :-1]).sum(axis=0).min(initial=1.0) >= 0
        times = within(rng, track.times[0], track.times[-1], 20 if number < 8 else 200)
        assert turned_apart(played(whole, times), played(track, times)) < 1.05e-3, number
