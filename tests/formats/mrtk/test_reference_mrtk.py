"""Drawn recordings, with all that is rare, against the player of MRTK, which shares nothing with the product."""

from __future__ import annotations

import math
import struct
from collections import Counter
from dataclasses import replace
from itertools import chain, pairwise
from operator import itemgetter
from typing import Any

import mrtk_reference
import numpy as np
import plain
import pytest
from plain import BEZIER, CONSTANT, LINEAR
from scenes.players.mrtk import Player, node_name, step_at, value_at
from textbook import rotation
from through_blender import Edit, edited, in_turn, through_blender

from io_formats import mrtk
from io_formats.clip import LOCATION, ROTATION, Clip, Node, NodeKind, Source, Track, TrackKind, ValueKind, Wrap
from io_formats.clip import messages as clip_messages
from io_formats.clip.fcurve_keys import KeyBlock
from io_formats.errors import Report
from io_formats.format import Destination
from io_formats.mrtk import messages

AXES = {LOCATION: ((0, 1), (2, 1), (1, 1)), ROTATION: ((3, 1), (0, -1), (2, -1), (1, -1))}
"""For each of Blender's components the file's, and its sign."""
HANDS = [f"{joint}.{side}" for side in "LR" for joint in mrtk_reference.JOINTS[1:]]
RAY = ["Gaze", "GazeDirection"]
WRAPS = (8, 2, 4, 0, 1, -1)
BOTH = 3
NOTHING = struct.pack("<iii", 8, 8, 0)
"""A curve without keys."""


class Drawn:
    """The bytes of a recording: neighbours often have the same key times and weights."""

    def __init__(self, rng: plain.Rng, version: tuple[int, int], *, odd: float = 0.1) -> None:
        self.rng, self.odd, self.full = rng, odd, version < (1, 1)
        self._anew()
        flags = (1, 1, 0) if self.full else rng.choice((0, 1, 1, 1, 255), 3).tolist()
        data = struct.pack("<qii", 0x6A8FAF6E0F9E42C6, *version) + (b"" if self.full else bytes(flags))
        data += self.pose() if flags[0] else b""
        if flags[1]:
            data += b"".join(self.switch() for _ in range(4))
            for _ in "LR":
                first = rng.integers(-2, 27)
                data += b"".join(
                    self.pose(first <= joint < first + 6 or (not joint and rng.random() < 0.5)) for joint in range(27)
                )
        seen = 6 * NOTHING if rng.random() < 0.2 else self.group(3) + self.group(3)
        data += seen if flags[2] else b""
        texts = [text.encode() for text in ("", "b\xe4ng", "b\xe4ng", 20 * "marker")[: rng.integers(5)]]
        times = rng.choice((0.5, -1.0, np.nan), len(texts))
        marked = (struct.pack("<fB", time, len(text)) + text for time, text in zip(times, texts))
        self.data = data + struct.pack("<i", len(texts)) + b"".join(marked)

    def _anew(self) -> None:
        self.way, self.wraps = self.rng.integers(5), self.rng.choice(WRAPS, 2)
        self.shared = self.times()[0]
        self.weights = [
            [*self.rng.choice((0.0, 0.1, 0.2, 1 / 3, 0.6, 0.9, 1.0), 2), self.rng.integers(4)] for _ in range(30)
        ]

    def _other_weights(self) -> None:
        at = self.rng.integers(3)
        for key in self.weights:
            key[at] = self.rng.integers(4) if at == 2 else self.rng.choice((0.0, 0.5))

    def times(self) -> tuple[Any, Any]:
        """Those of one curve, with values."""
        count = int(self.rng.choice((0, 1, 2, 5, 30), p=(0.2, 0.2, 0.2, 0.37, 0.03)))
        times = np.sort(self.rng.integers(-8, 20, count)) / 16
        return times, self.rng.choice((0.0, 0.5, 0.7, 1.0), count)

    def switch(self) -> bytes:
        times, values = self.times()
        times = self.shared if self.rng.random() < 0.3 else times
        return self.curve(times, np.resize([*values, 1.0], len(times)), full=False)

    def pose(self, moves: bool = True) -> bytes:
        return self.group(3) + self.group(4) if moves else 7 * struct.pack("<iii", 8, 8, 0)

    def group(self, width: int) -> bytes:
        """The components of a place or a turn."""
        rng = self.rng
        if (change := rng.random()) < 0.4:
            self._anew()
        elif change < 0.6:
            self._other_weights()
        alike = rng.random() < 0.7
        values = rng.normal(size=width) + rng.normal(size=(30, width)) * 0.3
        if width == 3:
            values *= 0.3
        else:
            values /= np.linalg.norm(values, axis=1, keepdims=True)
            values *= rng.choice((1.0, 1.0, -1.0, 0.0), 30, p=(0.4, 0.3, 0.2, 0.1))[:, None]
        found = []
        for column in values.T:
            times = self.shared if alike or rng.random() < 0.5 else self.times()[0]
            if not alike and rng.random() < 0.5:
                self.way, self.wraps = rng.integers(5), rng.choice(WRAPS, 2)
            if rng.random() < 0.3:
                self._other_weights()
            found.append(self.curve(times, column, full=self.full))
        return b"".join(found)

    def curve(self, times: Any, values: Any, *, full: bool) -> bytes:
        rng = self.rng
        keys = [[at, value] for at, value in zip(times, values)]
        for key, (into, out, mode) in zip(keys, self.weights) if full else ():
            key += [*rng.normal(size=2), into, out, mode]
            if self.way == 0 or (self.way == 4 and key is keys[0]):  # as the recorder writes it
                key[2:] = 0, 0, 0, 0, BOTH
            elif self.way == 1:
                key[4:] = 1 / 3, 1 / 3, 0
            elif self.way == 3 and rng.random() < 0.5:
                at = rng.integers(2, 6)
                key[6] |= 4  # which means nothing
                key[at] = rng.choice((np.inf, -np.inf, np.nan) if at < 4 else (np.nan, -1.0, 3.0, 1e6))
                key[3] *= at < 5 or rng.random() < 0.5
                if self.odd > 0.09 and rng.random() < 0.1:
                    key[1], key[3] = 2.95e38, 3.3e38
        if keys and rng.random() < self.odd:
            keys[rng.integers(len(keys))][rng.integers(2)] = rng.choice((np.nan, np.inf))
        if rng.random() < self.odd:
            keys = [keys[at] for at in rng.permutation(len(keys))]
        layout = "<ffffffi" if full else "<ff"
        return struct.pack("<iii", *self.wraps, len(keys)) + b"".join(struct.pack(layout, *key) for key in keys)


def playable(curve: Any, told: Counter[str]) -> list[list[Any]]:
    """The keys of finite times and values in order of time; weights within a segment, but for one that holds."""
    found = [list(key) for key in curve["keys"] if math.isfinite(key[0]) and math.isfinite(key[1])]
    told[clip_messages.KEYS_NOT_FINITE] += len(curve["keys"]) - len(found)
    ordered = sorted(found, key=itemgetter(0))
    told[clip_messages.KEYS_SORTED] += any(one is not other for one, other in zip(found, ordered))
    for key in ordered:
        for at in (4, 5) if len(key) > 2 else ():
            holds = at == 5 and key[at] >= 1e3 and key[3] == 0
            key[at] = key[at] if holds else 0.0 if math.isnan(key[at]) else min(max(key[at], 0.0), 1.0)
    return ordered


def align(curves: list[list[list[Any]]], told: Counter[str]) -> None:
    """Give quaternions the sign of the one before where all have the same times, and a direction to those of 0."""
    if not curves[3] and any(curves):
        curves[3] = [[next(curves[at][0][0] for at in (0, 2, 1) if curves[at]), 0.0]]  # MRTK plays 0
    if len({tuple(key[0] for key in keys) for keys in curves}) > 1:
        return
    values = [[keys[at][1] for keys in curves] for at in range(len(curves[0]))]
    known, sign = [value for value in values if any(value)], 1.0
    told[messages.ZERO_QUATERNION] += len(values) - len(known)
    last = known[0] if known else [0.0, 0.0, 0.0, 1.0]
    for at, value in enumerate(values):
        size, now = (1.0, value) if any(value) else (1e-6, last)
        sign *= -1.0 if sum(one * other for one, other in zip(now, last)) < 0 else 1.0
        for keys, number in zip(curves, now):
            keys[at][1:4] = [part * sign for part in (float(np.float32(number) * np.float32(size)), *keys[at][2:4])]
        last = now


def shapes(keys: list[list[Any]]) -> list[int]:
    """Of segments: lines where handles have no length, steps where tangents or a weight say so, else Beziers."""
    found = []
    for left, right in pairwise(keys):
        whole, weighted = [*left, *5 * [0]], len(left) > 2 and left[6] & 2 and right[6] & 1
        step = not math.isfinite(whole[3] + [*right, 0][2]) or (whole[6] & 2 and whole[5] >= 1e3 and whole[3] == 0)
        if len(left) > 2:  # points beyond single precision
            shares, span = (left[5] if left[6] & 2 else 1 / 3, right[4] if right[6] & 1 else 1 / 3), right[0] - left[0]
            ends = left[1] + shares[0] * span * left[3], right[1] - shares[1] * span * right[2]
            step |= not all(abs(end) <= 3e38 for end in ends)
        line = len(left) == 2 or (weighted and left[5] == right[4] == 0)
        found.append(CONSTANT if step else LINEAR if line else BEZIER)
    return found


def groups(player: Player) -> dict[tuple[str, str], list[Any]]:
    """The curves of each place and turn, by node and property; without slot None."""
    found: dict[tuple[str, str], list[Any]] = {}
    for place, curve in mrtk_reference.curves(player.recording).items():
        name, part = node_name(place), place[-1]
        name = "GazeDirection" if part.startswith("Direction") else name
        if not name.startswith("None"):
            found.setdefault((name, ROTATION if part.startswith("Rotation") else LOCATION), []).append(curve)
    return found


def imported(data: bytes, report: Report, **options: Any) -> Clip:
    (clip,) = mrtk.to_clips(mrtk.read(data), mrtk.ImportOptions(**options), report)
    return clip


def switches(player: Player) -> dict[tuple[str, str], Any]:
    """The curves of hands that are tracked and pinching, by that and the side."""
    names = [(name, side) for name in ("tracked", "pinching") for side in "LR"]
    return dict(zip(names, player.recording["bool"].values()))


def rows_of(clip: Clip) -> dict[tuple[str, str, int], Track]:
    found = [row for track in clip.tracks for row in track.rows()]
    rows = {(row.node, row.property, row.component): row for row in found}
    assert len(rows) == len(found)
    return rows


def test_recordings_become_clips_that_play_as_they_do() -> None:
    """Each curve by itself, but for signs of quaternions and what cannot be played; nothing else is there."""
    for seed in range(24):
        rng = np.random.default_rng(seed)
        data, report = Drawn(rng, (1, seed % 2)).data, Report()
        player, clip, told = Player(data), imported(data, report, scale=2.0, repair_w=False), Counter[str]()
        rows = rows_of(clip)
        for (node, name), curves in groups(player).items():
            keys = [playable(curve, told) for curve in curves]
            if name == ROTATION:
                align(keys, told)
            for component, (at, sign) in enumerate(AXES[name]):
                row = rows.pop((node, name, component), None)
                assert (row is None) == (not keys[at]), (seed, node, name)
                if row is None:
                    continue
                assert row.times.tolist() == [key[0] for key in keys[at]]
                odd = any(math.isnan(part) for key in curves[at]["keys"] for part in key[4:6])  # plays as a line may
                assert odd or row.interpolation[:-1].tolist() == shapes(keys[at]), (seed, node, name, component)
                assert row.handles is None or (
                    np.isfinite(row.handles.times).all() and np.isfinite(row.handles.values).all()
                )
                np.testing.assert_array_equal(row.values[0], np.float32([sign * key[1] for key in keys[at]]))
                huge = any(abs(key[1]) > 1e38 for key in keys[at])
                for moment in rng.uniform(-2.5, 3.5, 0 if huge else 6):
                    expected = sign * value_at({**curves[at], "keys": keys[at]}, moment)
                    assert abs(plain.value(row, moment)[0] - expected) < 1e-5, (seed, node, name, component)
        for (name, side), curve in switches(player).items():
            keys, row = playable(curve, told), rows.pop((f"Wrist.{side}", name, 0), None)
            assert (row is None) == (not keys)
            for moment in rng.uniform(-2.5, 3.5, 6) if row is not None else ():
                assert row is not None and row.value_kind is ValueKind.BOOL
                assert plain.value(row, moment)[0] == (step_at({**curve, "keys": keys}, moment) > 0.5)
        assert not rows
        found = Counter(template for entry in report.warnings for template in entry.count * [entry.template])
        for template in (clip_messages.KEYS_NOT_FINITE, clip_messages.KEYS_SORTED, messages.ZERO_QUATERNION):
            assert found[template] == told[template], (seed, template)


def lengths(clip: Clip) -> dict[str, float]:
    """How far joints are from the next one of their finger at most of 64 moments, tips from the one before by half."""
    rows = {place: row for place, row in rows_of(clip).items() if place[1] == LOCATION}
    ends = [float(row.times[at]) for row in rows.values() for at in (0, -1)]
    moments, places = np.linspace(min(ends, default=0.0), max(ends, default=0.0), 64), {}
    for node in clip.nodes:
        moved = (rows.get((node.name, LOCATION, part)) for part in range(3))
        lines = [0.0 if row is None else np.interp(moments, row.times, row.values[0]) for row in moved]
        places[node.name] = [line + np.full(64, at) for line, at in zip(lines, node.rest[:3, 3])]
    found = {}
    for name in filter(HANDS.__contains__, places):
        at = HANDS.index(name)
        end = HANDS[at + (-1 if "Tip" in name else 1)]
        end = {"Wrist": "Palm", "Palm": "MiddleKnuckle"}.get(name[:-2], end[:-2]) + name[-2:]
        apart = float(np.median(np.linalg.norm(np.subtract(places[name], places[end]), axis=0)))
        apart *= 0.5 if "Tip" in name else 1.0
        found[name] = apart if 1e-4 < apart < 1.0 else 0.02
    return found


def test_what_else_a_clip_says_of_a_recording() -> None:
    """Nodes and which of them have no data, what hides them, what is drawn besides, how long it is, and its markers."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        data = Drawn(rng, (1, seed % 2)).data
        player, hide = Player(data), seed % 3 > 0
        file, clip = player.recording, imported(data, Report(), scale=2.0, hide_untracked=hide, field_of_view=90.0)
        assert (clip.root == np.diag([2.0, 2.0, 2.0, 1.0])).all()
        sections = (file["camera"], file["bool"], file["gaze"])
        camera, hands, gaze = (list(names) if there else [] for there, names in zip(sections, (["Camera"], HANDS, RAY)))
        assert [node.name for node in clip.nodes] == [*camera, *hands, *gaze]
        moved = {
            name for (name, _), curves in groups(player).items() if any(playable(one, Counter()) for one in curves)
        }
        assert {node.name for node in clip.nodes if node.placeholder} == {*camera, *hands, *gaze[1:]} - moved
        for node in clip.nodes:
            side = node.name[-1] if node.name in hands else ""
            flag = (f"Wrist.{side}", "tracked") if side and switches(player)["tracked", side]["keys"] else None
            assert (node.shown_by, node.seen_by) == (flag if hide else None, flag)
            assert node.parent == ("Gaze" if node.name == "GazeDirection" else None)
        for name, length in lengths(clip).items():
            (node,) = [node for node in clip.nodes if node.name == name]
            assert node.length == pytest.approx(length)
        wanted = [("CAMERA", "Camera", "", np.radians(90))] * player.has("Camera")
        wanted += [("RAY", "Gaze", "GazeDirection", 0.0)] * (player.has("Gaze"))
        assert [(one.kind, one.node, one.target, one.angle) for one in clip.attachments] == wanted
        every = [*mrtk_reference.curves(file).values(), *file["bool"].values()]
        times = [key[0] for curve in every for key in curve["keys"] if math.isfinite(key[0])]
        assert max(clip.duration, 0.0) == max([0.0, *times])
        texts = [(time, text) for time, text in file["markers"] if math.isfinite(time)]
        assert [(marker.time, marker.text) for marker in clip.markers] == texts
        facts, moments = (
            mrtk.describe(mrtk.read(data)),
            [groups(player), {key: [one] for key, one in switches(player).items()}],
        )
        found = {
            name: [one for (node, _), ones in moments[0].items() if node == name for one in ones] for name in HANDS
        }
        seen = [name for name, ones in found.items() if any(one["keys"] for one in ones)]
        assert (facts["names"], facts["joints"], facts["hands"]) == (seen, len(seen), len({name[-1] for name in seen}))
        assert (facts["camera"], facts["gaze"]) == (player.has("Camera"), player.has("Gaze"))
        parts = [*moments[1].values(), *(ones for (node, _), ones in moments[0].items())]
        times = [{tuple(map(str, map(itemgetter(0), one["keys"]))) for one in ones} for ones in parts]  # NaN, too
        assert facts["keys"] == sum(
            len(max(each, key=len)) if len(each) < 2 else len({*chain(*each)}) for each in times
        )


def alone(name: str, *curves: Any) -> bytes:
    """A recording of 8-byte keys of a camera's or joint's turn alone, each curve with its wraps and its keys."""
    packed = (struct.pack(f"<iii{2 * len(keys)}f", *wraps, len(keys), *chain(*keys)) for *wraps, keys in curves)
    data, hand = 3 * NOTHING + b"".join(packed), name in HANDS
    if hand:
        at = HANDS.index(name) + 1 + (name[-1] == "R")
        data = (4 + 7 * at) * NOTHING + data + 7 * (53 - at) * NOTHING
    return struct.pack("<qii???", 0x6A8FAF6E0F9E42C6, 1, 1, not hand, hand, False) + data + struct.pack("<i", 0)


def test_the_lost_w_is_found_again() -> None:
    """Of turns through W of zero, of quaternions of either sign; not where something else has lost it."""
    for seed in range(80):
        rng = np.random.default_rng(seed)
        count, wide, spoilt = int(rng.choice((1, 2, 3, 8, 12))), rng.random() < 0.5, seed % 20
        times, step = np.cumsum(rng.choice((0.25, 0.5), count)), float(rng.choice((0.1, 0.3)) * rng.choice((-1, 1)))
        halves = step * times + (np.pi / 2 - step * (times[3] + 0.1) if count > 3 else rng.uniform(-1.2, 1.2))
        if seed % 4 == 1:  # it slows down before zero, which it would pass as it came
            halves = np.pi / 2 - np.sign(step) * np.geomspace(1.2, 0.1, count) ** 2
        axis = rng.normal(size=3)
        turn = np.outer([*axis / np.linalg.norm(axis), 0], np.sin(halves)) + np.outer([0, 0, 0, 1], np.cos(halves))
        flips = (rng.random(count) < 0.3) & (np.abs(np.cos(halves)) < 0.6)  # else it may be a turn through no turn
        flips[1:] &= np.abs(np.cos(halves[:-1])) < 0.6
        turn *= np.cumprod(np.where(flips, -1.0, 1.0))
        keys = [[*zip(times, row)] for row in np.float32(turn)]
        lost = [keys[3][0], (times[-1], keys[2][-1][1])] if wide and count > 2 else keys[3][:1]
        if spoilt < 3:
            keys[spoilt][-1] = (times[-1] + 1, keys[spoilt][-1][1])
        elif spoilt < 5:
            lost = [(times[0] - (spoilt == 3), lost[0][1] + 0.3 * (spoilt == 4)), *lost[1:]]
        elif spoilt == 5:
            lost = [*lost[:1], (times[-1], keys[2][-1][1] + 0.1)]
        report, repaired = Report(), spoilt > 5 and count > 1
        name = HANDS[seed % 52] if seed % 3 else "Camera"
        data = alone(name, *((8, 8, row) for row in keys[:3]), (2, 4, lost))
        rows = rows_of(imported(data, report))
        assert [entry.count for entry in report.warnings if entry.template == messages.REPAIRED_W] == [1] * repaired
        w = rows[name, ROTATION, 0]
        assert (w.before, w.after) == (Wrap.REPEAT, Wrap.MIRROR)
        if not repaired:
            assert w.times.tolist() == [time for time, _ in lost]
            continue
        found = np.concatenate(
            [
                sign * rows[name, ROTATION, row].values
                for row, (_, sign) in sorted(enumerate(AXES[ROTATION]), key=itemgetter(1))
            ]
        )
        assert (np.abs((found * turn).sum(axis=0)) > 1 - 1e-6).all(), seed


# --- Written -----------------------------------------------------------------------------------------------------

NAMES = ["Wrist.L", "Palm.L", "IndexTip.L", "Palm.R", "Gaze", "GazeDirection"]
LOOKING = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
"""A camera's axes, which looks along -Z, as those of a joint, whose Y runs along its bone."""


def turned(rows: Any) -> Any:
    """A turn (3, 3) in Blender's axes in Unity's, or back: two axes change places."""
    return rows[[0, 2, 1]][:, [0, 2, 1]]


def off(player: Player, name: str, moment: float, world: Any) -> tuple[float, float]:
    """By how many tolerances of a place, and degrees, a joint is not where it is to be, (4, 4) in Blender's axes."""
    place, (x, y, z, w) = player.pose(name, moment)
    apart = turned(rotation([x, y, z, w])).T @ (world[:3, :3] / np.cbrt(np.linalg.det(world[:3, :3])))
    far = np.linalg.norm(place[[0, 2, 1]] - world[:3, 3]) / max(1.0, np.linalg.norm(world[:3, 3]) / 10)
    return float(far / 1e-4), float(np.degrees(np.arccos(min((np.trace(apart) - 1) / 2, 1.0))))


def drawn_clip(rng: plain.Rng, seed: int, *, full: bool) -> Clip:
    """A camera that may be an object, joints, some below others, and switches; mostly lines, as curves take time."""
    shapes = (0, 1, 1, 2, 2) if full or seed == 3 else (0, 1, 1)
    clip = plain.clip(rng, names=[*rng.permutation(NAMES), "Camera"], wraps=0.2, shapes=shapes)
    clip.rate = 60.0
    for node in clip.nodes:
        node.kind = NodeKind.OBJECT if node.name == "Camera" and seed % 3 else NodeKind.BONE
        node.parent = node.parent if seed % 10 == 2 else None
    above = {node.parent for node in clip.nodes}
    for number, track in enumerate(clip.tracks):  # what begins with a jump takes along nobody before it, nor repeats
        still = track.node not in above and not (track.before or track.after)
        while not still and len(track.times) > 1 and track.times[0] == track.times[1]:
            clip.tracks[number] = track = track.take(np.arange(1, len(track.times)))
        if track.handles is not None and rng.random() < 0.5:  # nearly a third of a segment
            track.handles.times[:] *= 1.004
        if track.property == LOCATION:  # a step takes a moment, in which little is to move
            clip.tracks[number] = track.scaled(0.25)
    if seed % 4 == 0 or seed > 15:  # of switches alone
        clip.tracks = [plain.track(rng, "Wrist.L", LOCATION, 3, shapes=(1,), wraps=0.0)]
    for name in ("tracked", "pinching")[: rng.integers(3)]:
        clip.tracks.append(plain.track(rng, "Wrist.L", name, 1, shapes=(0,), wraps=0.7).scaled(3.0))
        clip.tracks[-1].kind = TrackKind.CUSTOM
    return clip


def without_parents(clip: Clip) -> Clip:
    """As of a format that names none, whose roots rest turned: a gaze's end is seen from its start all the same."""
    gaze, end = (next(node for node in clip.nodes if node.name == name) for name in RAY)
    gaze.rest = plain.tilted(np.pi / 2, (1, 0, 0))
    clip.nodes = [*(node for node in clip.nodes if node not in (gaze, end)), gaze, end]
    told = replace(clip, nodes=[replace(node, rest=gaze.rest if node is end else node.rest) for node in clip.nodes])
    turns = any((track.node, track.property) == ("Gaze", ROTATION) for track in clip.tracks)
    end.parent, end.rest = "Gaze", np.eye(4) if turns else gaze.rest.T
    return replace(told, parents_known=False)


def test_clips_are_written_as_mrtk_plays_them() -> None:
    """As near as is promised, for as long as it lasts; strictly one key after the other, and of unit length."""
    for seed in range(18):
        rng, report, full = np.random.default_rng(seed), Report(), seed % 2 == 0
        clip, looks = drawn_clip(rng, seed, full=full), NodeKind.OBJECT if seed % 3 else NodeKind.BONE
        scale, local = float(rng.choice((1.0, 2.0))), rng.random() < 0.4
        loops, zero = 1 if full else int(rng.choice((1, 1, 2))), rng.random() < 0.3
        asked = mrtk.ExportOptions(
            version="1.0" if full else "1.1", drop_gaze=True, scale=scale, space="LOCAL" if local else "WORLD",
            loop_count=loops, begin_at_zero=zero,
        )  # fmt: skip
        told_clip = without_parents(clip) if seed % 4 == 1 else clip
        player = Player(mrtk.write(mrtk.from_clip(told_clip, asked, report)))
        parts = [*groups(player).items(), *(((name, ""), [curve]) for name, curve in switches(player).items())]
        for curve in (curve for _, curves in parts for curve in curves):
            assert all(one[0] < other[0] for one, other in pairwise(curve["keys"]))
            assert {curve["pre"], curve["post"]} <= {2, 4, 8}
        switched = any(track.values.any() for track in clip.tracks if track.kind is TrackKind.CUSTOM)
        moved = {track.node for track in clip.tracks if track.kind is TrackKind.TRANSFORM}
        for node in clip.nodes:
            moved |= {node.name} if node.parent in moved else set()
        seen = {"L": switched or bool(moved & {*NAMES[:3]}), "R": "Palm.R" in moved, "a": True}
        told = {entry.template: entry.values for entry in (*report.warnings, *report.notes)}
        fast = [told[name]["names"] for name in (messages.TOO_FAST, clip_messages.TRACKS_TOO_FAST) if name in told]
        first = min((float(track.times[0]) for track in clip.tracks), default=0.0)
        keyed = [track for track in clip.tracks if track.kind is TrackKind.CUSTOM or len(track.times) > 1]  # not posed
        shift = min((float(track.times[0]) for track in keyed), default=0.0) if zero else 0.0
        assert told.get(messages.SHIFTED, {"seconds": 0.0})["seconds"] == -shift
        start, round_ = min(0.0, first) - shift if loops == 1 else 0.0, clip.duration - shift
        assert player.duration == pytest.approx(max(loops * round_, 0.0), abs=1e-3), seed
        for moment in [*rng.uniform(start, loops * round_, 5)]:
            at = (moment if moment < round_ else moment % round_) + shift
            worlds = plain.worlds(clip, at)
            into = np.diag([scale, scale, scale, 1]) @ (np.linalg.inv(clip.root) if local else np.eye(4))
            for name in ("Camera", *NAMES[:4]):
                assert player.has(name) == seen[name[-1]], (seed, name)
                if not player.has(name) or any(name in names for names in fast):
                    continue
                world = into @ worlds[name]
                if (name, looks) == ("Camera", NodeKind.OBJECT):
                    world[:3, :3] = world[:3, :3] @ LOOKING
                far, apart = off(player, name, moment, world)
                assert far < 1 and apart < 0.02, (seed, name, moment)
            if player.has("Gaze") and not any(name in names for names in fast for name in RAY):
                origin, way = player.gaze(moment)
                wanted = [(into @ worlds[name])[:3, 3] for name in RAY]
                apart = np.linalg.norm(wanted[1] - wanted[0])
                far = np.linalg.norm(origin[[0, 2, 1]] - wanted[0])
                assert far < 1e-4 * max(1.0, np.linalg.norm(wanted[0]) / 10), seed
                way = way[[0, 2, 1]] / np.linalg.norm(way) - (wanted[1] - wanted[0]) / apart if apart else np.zeros(3)
                assert np.linalg.norm(way) * min(1.0, apart) < 1e-3, (seed, moment)
            for name in ("tracked", "pinching") if player.recording["bool"] else ():
                rows = [track for track in clip.tracks if track.property == name]
                expected = plain.value(rows[0], at)[0] > 0.5 if rows else name == "tracked" and seen["L"]
                assert player.switch(name, "L", moment) == expected, (seed, name)


def same_curve(one: Any, other: Any) -> bool:
    """Byte for byte, but for where it is."""
    return str({**one, "place": None}) == str({**other, "place": None})


Place = tuple[str, str, int]


def drawn_edits(rng: plain.Rng, clip: Clip) -> tuple[list[Edit], dict[Place, tuple[int, int]], set[Place]]:
    """Edits of one component of some properties, of which key and way these are, and which of them are deleted."""
    edits: list[Edit] = []
    chosen: dict[Place, tuple[int, int]] = {}
    gone: set[Place] = set()
    for place, row in rows_of(clip).items():
        if place[:2] in {taken[:2] for taken in chosen} or rng.random() < 0.8:
            continue
        at, way = int(rng.integers(len(row.times))), int(rng.choice((0, 1, 3) if row.property == ROTATION else 5))
        if row.property == ROTATION and abs(row.values[0, at]) < 1e-5:  # nobody can tell the sign of a zero
            continue
        way = 2 * int(rng.integers(3)) if row.kind is TrackKind.CUSTOM else way
        edits, chosen[place] = [*edits, edited(row, at, way)], (at, way)
        gone |= {place} if row.property == LOCATION and rng.random() < 0.1 else set()
    return edits, chosen, gone


def others_stay(one: Any, other: Any, at: int, way: int) -> None:
    """All other keys are as they were, and of a lifted or turned one all else."""
    before, after = ([[str(part) for part in key] for key in curve["keys"]] for curve in (one, other))
    assert before[: max(at - 1, 0)] == after[: max(at - 1, 0)]
    assert before[at + 2 :] == after[len(after) - len(before) + at + 2 :]
    pairs = enumerate(zip(before, after))
    changed = {(key, part) for key, (a, b) in pairs for part in range(len(a)) if a[part] != b[part]}
    assert way or changed == {(at, 1)}
    assert way != 3 or changed <= {(at, part) for part in (3, 5, 6)}


def test_an_edit_leaves_all_else_as_it_is() -> None:
    """Byte for byte without one; of an edited curve all other keys, and it plays what a person made of it."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        data = Drawn(rng, (1, seed // 2 % 2), odd=0.05).data + b"odd"[: seed % 4]
        document, rate = mrtk.read(data), (64.0, 60.0)[seed % 2]
        clip = imported(data, Report(), repair_w=False)
        target, asked = Destination(source=Source(document, clip)), mrtk.ExportOptions()
        same, old = through_blender(clip, rate=rate), Player(data)
        was = groups(old)
        assert mrtk.write(mrtk.from_clip(same, asked, Report(), target)) == data, seed
        if not document.full_keys:  # lines as curves
            other = mrtk.from_clip(same, mrtk.ExportOptions(version="1.0", drop_gaze=True), Report(), target)
            for place, curves in groups(Player(mrtk.write(other))).items():
                for one, two in zip(was.get(place, ()), curves):
                    assert not one["keys"] or (one["pre"], one["post"]) == (two["pre"], two["post"])
                    assert not one["keys"] or str(one["keys"]) == str([key[:2] for key in two["keys"]])
        edits, chosen, gone = drawn_edits(rng, clip)
        rows = rows_of(clip)
        found = through_blender(clip, in_turn(edits, gone), rate)
        posed = sorted(gone)[::2]  # without keys
        found.tracks += [Track.constant(*place[:2], (0.25,), component=place[2], width=3) for place in posed]
        if lacking := clip.node("Camera") is None:
            found.nodes.append(Node("Camera", rest=plain.matrix(rng)))  # which a person has put there
        written = mrtk.write(mrtk.from_clip(found, asked, report := Report(), target))
        assert gone or messages.JOINTS_LACKING not in {entry.template for entry in report.warnings}
        player, made = Player(written), rows_of(found)
        assert written.endswith(b"odd"[: seed % 4])
        assert str(player.recording["markers"]) == str(old.recording["markers"])
        assert written[16:19] == data[16:19] or gone or document.full_keys or lacking  # flags of other numbers
        assert not lacking or off(player, "Camera", 0.0, found.nodes[-1].rest) < (0.1, 0.02)
        for (name, side), curve in switches(player).items():
            place, before = (f"Wrist.{side}", name, 0), switches(old)[name, side]
            if place not in chosen:
                assert same_curve(before, curve)
            for moment in rng.uniform(-2.5, 3.5, 8 * (place in chosen)):
                assert (step_at(curve, moment) > 0.5) == (plain.value(made[place], moment)[0] > 0.5), (seed, name)
        now, before = mrtk_reference.curves(player.recording), mrtk_reference.curves(old.recording)
        hands = not gone and any(place[0] in HANDS for place in made)
        assert all(same_curve(before[place], now[place]) for place in before if hands and "None" in place)
        for (node, name), curves in groups(player).items():
            for component, (part, sign) in enumerate(AXES[name] if (node, name) in was else ()):
                place, one, other = (node, name, component), was[node, name][part], curves[part]
                if place in gone:
                    assert [key[1] for key in other["keys"]] == [0.25] * (place in made)
                    continue
                assert (one["pre"], one["post"]) == (other["pre"], other["post"])
                if place not in chosen:
                    assert same_curve(one, other), (seed, place)
                    continue
                (at, way), row = chosen[place], rows[place]
                if [key[0] for key in one["keys"]] == sorted({*row.times.tolist()}):  # as played
                    others_stay(one, other, at, way)
                keys = [playable(curve, Counter()) for curve in curves]
                if name == ROTATION:
                    align(keys, Counter())
                    if len({len(one) for one in keys}) > 1:
                        continue  # one has lost a key of two at one time, and with it the others' sign
                for moment in rng.uniform(-2.5, 3.5, 8):
                    expected = sign * value_at({**other, "keys": keys[part]}, moment)
                    assert abs(plain.value(made[place], moment)[0] - expected) < 1e-4, (seed, way, place, at)


def cut(_: Track, block: KeyBlock) -> KeyBlock | None:
    """What a quarter of a second leaves of a track's keys."""
    left = block.frames <= 6
    handles = None if block.handles is None else block.handles[:, left]
    return (
        KeyBlock(block.frames[left], block.values[:, left], block.interpolation[left], handles) if any(left) else None
    )


def test_what_is_hidden_moves_and_ends_with_all_else() -> None:
    """The joint of no name, when a recording plays at another rate and begins at 0, or when its last keys are gone."""
    for seed in range(16):
        data, slow = Drawn(np.random.default_rng(seed), (1, 1), odd=0.0).data, seed % 2 > 0
        clip, moved, factor = imported(data, Report(), repair_w=False), [], 1.5 if slow else 1.0
        for row in through_blender(clip, None if slow else cut).tracks:
            assert row.match is not None
            match = row.match._replace(unchanged=False, same_time=np.zeros(len(row.times), np.bool_))
            moved.append(row.slower(1.5).but(match=match) if slow else row)
        if not moved:
            continue
        first, last = (pick(row.times[at] for row in moved) for pick, at in ((min, 0), (max, -1)))
        shift, begin = (-first, 0.0) if slow else (0.0, min(0.0, first))
        now = replace(clip, tracks=moved, retimed=(1.5, 0.0) if slow else None, duration=factor * clip.duration)
        asked, target = mrtk.ExportOptions(begin_at_zero=slow), Destination(source=Source(mrtk.read(data), clip))
        player = Player(mrtk.write(mrtk.from_clip(now, asked, Report(), target)))
        found = mrtk_reference.curves(player.recording)
        there = {row.node for row in moved}
        if not slow and any(row.times[-1] > last for row in clip.tracks if row.node in there):
            assert player.duration == pytest.approx(last, abs=1e-3)
        for place, curve in mrtk_reference.curves(mrtk_reference.read(data)).items():
            if "None" in place and place in found:
                keys = [(np.float32(factor * key[0] + shift), *key[1:]) for key in curve["keys"]]
                wanted = [key for key in keys if begin <= key[0] <= last + shift]
                np.testing.assert_allclose([*chain(*found[place]["keys"])], [*chain(*wanted)], atol=1e-6)


def open_hand(rng: plain.Rng, *, empty: float) -> tuple[bytes, dict[str, float]]:
    """A left hand that moves to and fro, and when each joint begins; some have no data."""
    data, begins = b"", {}
    for at, name in enumerate(HANDS[:26]):
        times = np.arange(rng.choice((0, 0, 1)), 6) / 4
        if rng.random() < empty:
            data += 7 * NOTHING
            continue
        begins[name], waves = times[0], np.sin(3 * times + at / 9)
        turns = rng.normal(size=(4, 1)) + rng.normal(size=(4, 1)) * waves / 4
        turns /= np.linalg.norm(turns, axis=0)
        rows = [*rng.normal(size=(3, 1)) / 9 + rng.normal(size=(3, 1)) * waves / 30, *turns]
        data += b"".join(struct.pack(f"<iii{2 * len(row)}f", 8, 4, len(row), *chain(*zip(times, row))) for row in rows)
    head = struct.pack("<qii???iiiffff", 0x6A8FAF6E0F9E42C6, 1, 1, False, True, False, 8, 8, 2, 0.0, 1.0, 2.0, 1.0)
    return head + 10 * NOTHING + data + 189 * NOTHING + struct.pack("<i", 0), begins


def test_hands_with_parents_are_where_their_joints_are() -> None:
    """At every moment, also in their rest pose; who moves one moves those below it, and no others."""
    flat = plain.rests(imported(open_hand(np.random.default_rng(0), empty=1.0)[0], Report()).nodes)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        data, begins = open_hand(rng, empty=0.15)
        document, clip = mrtk.read(data), imported(data, Report(), hand_skeleton=True, scale=(1.0, 100.0)[seed % 2])
        player = Player(data)
        was = groups(player)
        rests, complete, above = (
            plain.rests(clip.nodes),
            max(begins.values()),
            {node.name: node.parent for node in clip.nodes},
        )
        for at, name in enumerate(HANDS[:26]):
            assert above[name] == (None if not at else HANDS[0 if "Metacarpal" in name or at == 1 else at - 1])
        for moment in [complete, rng.uniform(0.0, 2.0)]:
            worlds = plain.worlds(clip, moment)
            for name in HANDS[:26]:
                if name in begins:
                    for world in [
                        np.linalg.inv(clip.root) @ worlds[name],
                        *([rests[name]] if moment == complete else []),
                    ]:
                        far, apart = off(player, name, moment, world)
                        assert far < 0.3 and apart < 0.012, (seed, name, moment)
                elif (parent := above[name]) is not None:
                    wanted, found = (np.linalg.inv(each[parent]) @ each[name] for each in (flat, worlds))
                    np.testing.assert_allclose(found, wanted, atol=1e-5)
        target, captured = Destination(source=Source(document, clip)), through_blender(clip, rate=60.0)
        assert mrtk.write(mrtk.from_clip(captured, mrtk.ExportOptions(), Report(), target)) == data
        chosen = str(rng.choice([*begins]))
        if seed % 3:
            captured = through_blender(clip, edited(rows_of(clip)[chosen, LOCATION, 0], 1, 0), 60.0)
        else:
            (node,) = (node for node in captured.nodes if node.name == chosen)
            node.rest = node.rest @ plain.tilted(0.3, (1, 2, 3))
        lost = next((name for name in HANDS[HANDS.index(chosen) + 1 : 26] if name not in begins), "")
        for node in captured.nodes:  # a joint without data moves only where a person lets it
            if node.name == lost:
                lost, node.parent = ("", chosen) if above[lost] == chosen else (lost, chosen)
            above[node.name] = node.parent
        again, below = Player(mrtk.write(mrtk.from_clip(captured, mrtk.ExportOptions(), Report(), target))), {chosen}
        moving = {name for name in (*begins, lost) if above.get(name) == chosen or name in begins}
        for name in HANDS[:26]:
            below |= {name} if above[name] in below else set()
            moving |= {name} if above[name] in moving - {*begins} else set()
        for (name, part), curves in groups(again).items():
            if name in below & moving:
                moment = float(rng.uniform(0.0, 2.0))
                world = np.linalg.inv(clip.root) @ plain.worlds(captured, moment)[name]
                assert off(again, name, moment, world) < (1.0, 0.02), (seed, name)
            else:
                assert all(map(same_curve, curves, was[name, part])), (seed, name)
