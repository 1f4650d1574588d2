"""Drawn W3D files against an engine that plays one number after the other, and what is written of drawn clips.

All that is rare comes up at a high rate: every form of channel, odd ranges, keys and skeletons, what the game drops.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import plain
from drawn_pivots import degrees, mixed, moved, numbers, sayings
from lay import Lay
from scenes.players.w3d import Player
from textbook import rotation
from through_blender import through_blender

from io_formats import messages as common_messages
from io_formats import w3d
from io_formats.clip import LOCATION, ROTATION, Clip, Source, Track, TrackKind, ValueKind
from io_formats.clip import messages as clip_messages
from io_formats.clip.fcurve_keys import KeyBlock
from io_formats.errors import Report
from io_formats.format import Destination
from io_formats.w3d import messages

Rng = np.random.Generator
LENGTHS, EULER, TURN, FADE, SEEN = (0, 1, 2), (3, 4, 5), 6, 15, -1
KINDS = (*LENGTHS * 5, *[TURN] * 11, FADE, FADE, *EULER, 9)
PLACES = {
    TURN: (ROTATION, 0),
    FADE: ("fade", 0),
    SEEN: ("visibility", 0),
    **{axis: (LOCATION, axis) for axis in LENGTHS},
}
PIVOTS = (0, *[1, 2] * 6, *[3] * 3, 4, 6)
FORMS = {
    "RAW": ["raw"],
    "TIMECODED": ["keys", "keys", "literal"],
    "DELTA": ["deltas"],
    "BFME": ["motion", "motion", "four", "eight"],
}
ENGINES = ("AUTO", "AUTO", "RENEGADE", "GENERALS", "BFME")
FACTORS = [10.0 ** (at - 8) for at in range(16)] + [1 - math.sin(math.pi / 2 * at / 240) for at in range(240)]


@dataclass
class Channel:
    """A drawn channel: its chunk, and what that says; `values` by sample or key, as the file has them."""

    form: str
    pivot: int
    kind: int
    data: bytes = b""
    width: int = 1
    frames: list[int] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)
    steps: list[bool] = field(default_factory=list)
    outside: bool = True
    literal: bool = False

    @property
    def rest(self) -> list[float]:
        return [0.0, 0.0, 0.0, 1.0] if self.kind == TURN else [float(self.kind == FADE)]


def channel(rng: Rng, form: str, count: int, kind: int, few: Rng) -> Channel:
    """One channel of an animation of so many frames, on frames as `few` draws them; rarely nothing plays it."""
    width = 4 if (kind == TURN) != (rng.random() < 0.03) else 1
    found = Channel(form, int(rng.choice(PIVOTS)), kind, width=width)
    size = int(few.choice((1, 3, 4, 6, 9))) if form != "raw" or few.random() < 0.95 else 0
    rows = numbers(rng, width, size or 1)[:size]
    if form == "raw":
        first = int(few.choice((0, few.integers(count + 2), max(count - size, 0)))) + (size == 0)
        found.frames, found.values = list(range(first, first + size)), rows.tolist()
        head = struct.pack("<6H", first, first + size - 1, width, kind, found.pivot, rng.integers(1 << 16))
        found.data = Lay.chunk(0x202, head + rows.tobytes() + bytes(rng.integers(4)), flagged=rng.random() < 0.2)
        return found
    if form in ("deltas", "four", "eight"):
        return differences(rng, found, rows[0] if rows[0].any() else rows[0] + 1, count)
    found.frames = np.sort(few.choice(count + 3, size, replace=size > count or few.random() < 0.3)).tolist()
    found.frames = [at - found.frames[0] for at in found.frames] if few.random() < 0.5 else found.frames
    found.frames[:2] = [found.frames[0]] * len(found.frames[:2]) if rng.random() < 0.2 else found.frames[:2]
    found.frames = rng.permutation(found.frames).tolist() if rng.random() < 0.15 else found.frames
    found.values, found.steps = rows.tolist(), (few.random(size) < 0.3).tolist()
    if form == "keys":
        found.data = Lay.keys(found.frames, rows, kind, found.pivot, steps=np.flatnonzero(found.steps).tolist())
    elif form == "motion":
        codes = [at | step << 15 for at, step in zip(found.frames, found.steps)]
        found.data = Lay.motion_keys(codes, rows, kind, found.pivot, (b"\x13\x80", b"")[rng.integers(2)])
    else:  # as a public document says, which has its own numbers of types, and no steps
        found.steps, found.literal, found.kind = [], True, TURN if width == 4 else kind
        head = struct.pack("<IHHHH", size, found.pivot, width, rng.choice((3, 6)) if width == 4 else kind, 0)
        found.data = Lay.chunk(0x282, head + np.asarray(found.frames, "<u2").tobytes() + rows.tobytes())
    return found


def differences(rng: Rng, found: Channel, initial: Any, count: int) -> Channel:
    """A channel that the game adds up in float32: 4 bits, or 8 bits of which 16 are one; now and then it ends early."""
    held, wide, classic = max(count - int(rng.choice((0, 0, 1))), 1), found.form == "eight", found.form == "deltas"
    rows = -(-held // 16) - (held % 16 == 1 and rng.random() < 0.5)
    packets = rng.integers(0, 256, (rows, len(initial), 17 if wide else 9)).astype(np.uint8)
    packets[..., 0] = rng.choice((5, 6, 7, 8, 16, 40, 200, 255), packets.shape[:2])
    scale = np.float32(rng.uniform(0, 2e-4 if found.kind == TURN else 1.0))
    head = struct.pack("<IHBB", held, found.pivot, len(initial), found.kind)
    head = head if classic else struct.pack("<4B2H", 0, 1 + wide, len(initial), found.kind, held, found.pivot)
    tail = b"abc" if classic and rows == -(-held // 16) else b""
    body = scale.tobytes() + initial.tobytes() + packets.tobytes() + tail
    found.frames, found.data, value = (
        list(range(held)),
        Lay.chunk(0x282 if classic else 0x284, head + body),
        list(initial),
    )
    for at in range(held):
        found.values.append([float(one) for one in value])
        for row in range(len(initial) if at < held - 1 else 0):
            packet, place = packets[at // 16, row].tolist(), at % 16
            digit = packet[1 + place // 2] >> (4 * (place % 2)) & 15
            digit = (packet[1 + place] - 128) / 16 if wide else digit - 16 * (digit > 7)
            step = np.float32(np.float32(FACTORS[packet[0]]) * scale)
            value[row] = np.float32(value[row] + np.float32(np.float32(digit) * step))
    return found


def bits(rng: Rng, form: str, count: int) -> Channel:
    """Visibility: a bit for each frame of a range, or keys; rarely of another type."""
    found, size = Channel(form, int(rng.choice(PIVOTS)), SEEN), int(rng.choice((1, 3, 8, 9)))
    kind, shown, tail = int(rng.random() < 0.05), rng.integers(0, 2, size), b""
    if form == "raw":
        first, default = int(rng.integers(count + 1)), int(rng.choice((0, 1, 255)))
        found.frames, found.outside, found.literal = list(range(first, first + size)), default == 1, rng.random() < 0.2
        head = struct.pack("<4H", first, first + size - 1, kind, found.pivot)
        head += struct.pack("<f", found.outside) if found.literal else bytes([default])
        tail = b"" if found.literal else b"\xcd" * int(rng.choice((0, 3)))
        found.data = Lay.chunk(0x203, head + np.packbits(shown.astype(np.uint8), bitorder="little").tobytes() + tail)
    else:
        found.frames = rng.choice(count + 2, size).tolist()
        found.frames = found.frames if rng.random() < 0.3 else sorted(found.frames)
        words = b"".join(struct.pack("<I", at | int(one) << 31) for at, one in zip(found.frames, shown))
        found.data = Lay.chunk(0x283, struct.pack("<IHBB", size, found.pivot, kind, rng.integers(256)) + words)
    found.kind, found.values = SEEN - kind, [[float(one)] for one in shown]
    return found


# --- The engine -------------------------------------------------------------------------------------------------------


def played(own: Channel, at: float, engine: str) -> list[float]:
    """What an engine shows of a channel at a moment, as the file has it."""
    arc, frames, values = engine != "BFME", own.frames, own.values
    if own.form == "raw":
        at = at if engine == "RENEGADE" else math.floor(at + 0.5)
        ends = [dict(zip(frames, values)).get(math.floor(at) + one, own.rest) for one in (0, 1)]
        return mixed(*ends, at % 1, arc=arc)
    order = sorted(range(len(frames)), key=frames.__getitem__)
    place = sum(frames[key] <= at for key in order) - 1
    left, right = order[max(place, 0)], order[min(max(place, 0) + 1, len(order) - 1)]
    held = frames[left] == frames[right] or (bool(own.steps) and own.steps[right])
    if held or (place < 0 and (own.form, engine) != ("motion", "BFME")):
        return values[left]
    return mixed(values[left], values[right], (at - frames[left]) / (frames[right] - frames[left]), arc=arc)


def seen(own: Channel, at: float) -> bool:
    """Whether a pivot is visible at a moment."""
    if own.form == "raw":
        return bool(dict(zip(own.frames, own.values)).get(math.floor(at), [own.outside])[0])
    order = sorted(range(len(own.frames)), key=own.frames.__getitem__)
    return bool(own.values[order[max(sum(own.frames[key] <= at for key in order) - 1, 0)]][0])


# --- Files ------------------------------------------------------------------------------------------------------------


@dataclass
class Skeleton:
    """A drawn hierarchy: for each pivot its name, parent (None for none) and matrix, as the game has them."""

    name: str
    pivots: dict[int, tuple[str, int | None, Any]]
    data: bytes
    told: Counter[Any]


def skeleton(rng: Rng, name: str) -> Skeleton:
    """Few pivots, some of which name no parent or a later one; before version 3 the root is not among them."""
    count, old, records = int(rng.integers(3, 7)), int(rng.random() < 0.2), b""
    counted, pivots = count + int(rng.choice((0, 0, 0, -1, 2))), [("RootTransform", None, np.eye(4))] * old
    told, unknown = Counter({messages.FEWER_PIVOTS: int(counted > count)}), False
    for at in range(count):
        own = str(rng.choice(("BONE", "bone", f"B{at}", "B\xe4r\0junk", "A_NAME_OF_16_LTR")))
        parent = int(rng.integers(-1, at + (rng.random() < 0.1))) if at else -1
        place, turn = rng.normal(size=3).astype("<f4"), numbers(rng, 4, 1)[0] * np.float32(1.5)
        if rng.random() < 0.05:
            (place, turn)[rng.integers(2)][1] = math.nan
        records += struct.pack("<16sI3f12x4f", own.encode("latin-1"), parent & 0xFFFFFFFF, *place, *turn)
        base = np.eye(4)
        if at or old:
            base[:3, :3] = rotation(turn) if turn.any() and np.isfinite(turn).all() else np.eye(3)
            base[:3, 3] = np.nan_to_num(place)
        unknown |= not np.isfinite([*place, *turn]).all()
        right = 0 <= parent + old < at + old
        told[clip_messages.ORPHANS] += not right and at + old > 0 and at < counted
        pivots.append((own.split("\0")[0], parent + old if right else 0 if at + old else None, base))
    head = struct.pack("<I16s16x", 0x20000 if old else 0x40001, Lay.name(name))
    head = head[:20] + struct.pack("<I", counted) + bytes(12)
    body = Lay.chunk(0x101, head) + Lay.chunk(0x102, records) + Lay.chunk(0x103, bytes(48 * count))
    data = Lay.chunk(0x100, body, flagged=rng.random() < 0.7)
    told[messages.BASE_NO_NUMBER] += unknown
    return Skeleton(name, dict(enumerate(pivots[: counted + old])), data, told)


@dataclass
class Animation:
    """A drawn animation; `shift`: how far its pivots count from those that the game has."""

    name: str
    frames: int
    rate: int
    form: str
    channels: list[Channel]
    data: bytes = b""
    shift: int = 0
    version: int = 1


def animation(rng: Rng, name: str) -> Animation:
    """Channels of one form, several of which may move the same, with chunks between them that nobody knows."""
    form, count, rate = (
        str(rng.choice(list(FORMS))),
        int(rng.choice((1, 2, 10, 17, 33))),
        int(rng.choice((0, 15, 30, 24))),
    )
    few = rng.integers(30, size=3)
    own = [
        channel(rng, str(rng.choice(FORMS[form])), count, kind, np.random.default_rng(few[rng.integers(3)]))
        for kind in (*rng.choice(KINDS, rng.integers(10)), *LENGTHS * int(rng.random() < 0.3))
    ]
    own += [bits(rng, "raw" if form == "RAW" else "codes", count) for _ in range(rng.integers(3))]
    own = [own[at] for at in rng.permutation(len(own))]
    parts = [piece for one in own for piece in (Lay.chunk(0x2FF, b"?"), one.data)[rng.random() < 0.8 :]]
    parts += [b"\xde\xad\xbe"] * int(rng.random() < 0.2)  # which the game skips
    how: Any = {"frames": count, "rate": rate, "name": name, "skeleton": "SKEL"}
    how["version"] = int(
        rng.choice((0x40001, 0x30000, 0x20000) if form == "RAW" else (1, 0x10000 if form == "BFME" else 1))
    )
    data = Lay.animation(*parts, **how) if form == "RAW" else Lay.compressed(*parts, flavor=form == "DELTA", **how)
    return Animation(name, count, rate, form, own, data, how["version"] == 0x20000, how["version"])


def file(rng: Rng) -> tuple[bytes, Skeleton | None, list[Animation]]:
    """A file of some skeletons and animations, in any order, with other chunks between them; and what these play on."""
    skeletons = [
        skeleton(rng, str(rng.choice(("SKEL", "SKEL", "SKEL", "skel", "OTHER"))))
        for _ in range(rng.choice((0, 1, 1, 2)))
    ]
    moves, order = [animation(rng, f"MOVE{at}") for at in range(rng.integers(1, 4))], int(rng.choice((1, -1)))
    parts = [Lay.chunk(0x7777, b"between") * (rng.random() < 0.3) + one.data for one in (*skeletons, *moves)][::order]
    named = [one for one in skeletons[::order] if one.name.upper() == "SKEL"]
    on = next(iter(named or skeletons[::order]), None)
    if on is not None:  # of the others, too
        on.told[messages.BASE_NO_NUMBER] = sum(one.told[messages.BASE_NO_NUMBER] for one in skeletons)
    return b"".join(parts) + b"trail" * int(rng.random() < 0.2), on, moves[::order]


# --- Reading ----------------------------------------------------------------------------------------------------------


def expected(move: Animation, on: Skeleton | None) -> tuple[Any, dict[Any, Channel], Counter[Any]]:
    """The pivots that an animation plays on, by number, what plays of each by type, and what is told of channels."""
    plays: dict[Any, Channel] = {}
    told = Counter({clip_messages.NO_RATE: int(move.rate == 0), clip_messages.NO_SKELETON: int(on is None)})
    told[clip_messages.OTHER_SKELETON] += on is not None and on.name == "OTHER"
    for own in move.channels:
        key = own.pivot + move.shift, own.kind
        literal = messages.LITERAL_CHANNEL if own.form == "literal" else messages.LITERAL_BITS
        told[literal] += own.literal
        told[messages.RANGE] += (
            own.form == "raw" and not own.literal and max(own.frames, default=1 << 20) >= move.frames
        )
        if own.kind not in (*PLACES, *EULER) or own.width != len(own.rest):
            told[messages.UNKNOWN_CHANNEL, own.kind if own.kind >= 0 else SEEN - own.kind, own.width] += 1
            continue
        told[clip_messages.DUPLICATE_CHANNEL] += key in plays
        plays[key] = own
    pivots = on.pivots if on else dict.fromkeys({pivot for pivot, _ in plays} - {0})
    for pivot, kind in list(plays):
        lost = clip_messages.ROOT_CHANNEL if pivot == 0 else messages.MISSING_PIVOT if pivot not in pivots else ""
        lost = lost or (messages.EULER_CHANNEL if kind in EULER else "")
        if lost:
            told[lost] += 1
            del plays[pivot, kind]
    return pivots, plays, told


def compare(
    rng: Rng, clip: Clip, move: Animation, pivots: Any, plays: dict[Any, Channel], options: Any
) -> Counter[Any]:
    """Hold a clip against what the engine plays; return what is told of keys."""
    told, rate = Counter[Any](), move.rate or 30
    own_form = move.form != "RAW" and (
        move.version == 0x10000 or any(one.data[:2] == b"\x84\2" for one in move.channels)
    )
    engine = options.engine if options.engine != "AUTO" else "BFME" if own_form else "RENEGADE"
    numbered = [pivot for pivot in sorted(pivots) if pivot or options.root_bone]
    names = dict(zip(numbered, (node.name for node in clip.nodes), strict=True))
    assert (clip.name, clip.rate, clip.skeleton) == (move.name, rate, "SKEL") and len(set(names.values())) == len(names)
    assert clip.duration == (move.frames - 1) / rate and np.array_equal(clip.root, np.diag([options.scale] * 3 + [1]))
    for pivot, node in zip(numbered, clip.nodes):
        name, parent, base = pivots[pivot] or (f"PIVOT_{pivot:03d}", None, np.eye(4))
        assert (node.original or node.name, node.parent) == (name, names.get(parent))
        assert np.abs(node.rest - base).max() < 1e-5 and node.placeholder == (not pivots[pivot])
        hides = options.apply_visibility and (pivot, SEEN) in plays
        assert node.shown_by == ((node.name, "visibility") if hides else None)
    rows = [row for own in clip.tracks for row in (own.rows() if own.property == LOCATION else [own])]
    found = {(row.node, row.property, row.component): row for row in rows}
    wanted = {(names[pivot], *PLACES[kind]): own for (pivot, kind), own in plays.items() if own.values}
    assert len(found) == len(rows) and set(found) == set(wanted)
    moments = [*rng.choice(2 * move.frames - 1, 14) / 2, *rng.uniform(0, move.frames - 1, 5)]
    for key, own in wanted.items():
        track = found[key]
        if own.kind == SEEN:
            assert [plain.value(track, at / rate) for at in moments] == [[seen(own, at)] for at in moments]
            continue
        zeros = sum(not any(row) for row in own.values) if own.kind == TURN else 0
        told[clip_messages.ZERO_ROTATION] += zeros
        if own.form in ("keys", "literal", "motion"):
            told[messages.LATE_FIRST_KEY] += min(own.frames) > 0 and (own.form, engine) != ("motion", "BFME")
            told[messages.UNSORTED_KEYS] += sorted(own.frames) != own.frames
        half = 0.5 * (own.form == "raw" and engine != "RENEGADE")
        kept = np.ones(len(track.times), bool) if track.inserted is None else ~track.inserted
        assert np.abs(track.times[kept] * rate - [max(at - half, 0) for at in sorted(own.frames)]).max() < 1e-9
        for at in moments if not zeros else own.frames:
            shown, value = plain.value(track, at / rate), played(own, at, engine)
            if own.kind == TURN:
                assert degrees([*shown[1:], shown[0]], value if any(value) else own.rest) < 0.0031, (key, own, at)
            else:
                assert abs(shown[0] - value[0]) < 1e-5 * max(1, *(abs(one[0]) for one in own.values)), (key, own, at)
    return told


def test_a_file_plays_as_in_the_game() -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        data, on, moves = file(rng)
        report = Report()
        document = w3d.read(data, report=report)
        assert w3d.write(document) == data
        given = {"apply_visibility": rng.random() < 0.7, "root_bone": rng.random() < 0.7, "scale": 0.5}
        options = w3d.ImportOptions(engine=str(rng.choice(ENGINES)), **given)
        told: Counter[Any] = Counter(on.told if on else ())
        told[common_messages.TRAILING_BYTES] += data.endswith(b"trail")
        for move, clip in zip(moves, w3d.to_clips(document, options, report), strict=True):
            pivots, plays, said = expected(move, on)
            told += said + compare(rng, clip, move, pivots, plays, options)
        assert sayings(report) == +told, seed


def test_near_turns_get_no_keys_and_what_is_no_number_goes_alone() -> None:
    half = np.radians(6.5 * np.arange(10))
    near = Lay.raw(0, np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=1), TURN, 1)
    odd = (Lay.raw(0, [1.0, 5.0 if axis == 0 else math.nan], axis, 2) for axis in LENGTHS)
    (clip,) = w3d.to_clips(w3d.read(Lay.hierarchy() + Lay.animation(near, *odd)), w3d.ImportOptions(), Report())
    assert [track.values.shape for track in clip.tracks] == [(4, 10), (1, 3), (1, 3), (1, 3)]


# --- Back into the file -----------------------------------------------------------------------------------------------


def pieces(data: bytes) -> list[tuple[int, bytes]]:
    """Kind, and body behind its size, of each chunk; what is left behind them as one of kind -1."""
    found, at = [], 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        found.append((kind, data[at + 4 : at + 8 + (size & 0x7FFFFFFF)]))
        at += 8 + (size & 0x7FFFFFFF)
    return [*found, (-1, data[at:])] if at < len(data) else found


def stored(form: str, body: bytes) -> dict[int, bytes]:
    """The numbers of each sample or key that a channel of that form holds, by frame."""
    if form == "raw":
        first, last, width = struct.unpack_from("<3H", body, 4)
        return {at: body[16 + 4 * width * (at - first) :][: 4 * width] for at in range(first, last + 1)}
    count, width = struct.unpack_from("<I2xB" if form == "keys" else "<4xH2x", body, 4) + (body[6],) * (form != "keys")
    if form == "keys":
        rows = [body[12 + 4 * (1 + width) * at :][: 4 * (1 + width)] for at in range(count)]
        return {struct.unpack_from("<I", row)[0] & 0x7FFFFFFF: row[4:] for row in rows}
    codes, values = struct.unpack_from(f"<{count}H", body, 12), body[len(body) - 4 * width * count :]
    return {code & 0x7FFF: values[4 * width * at :][: 4 * width] for at, code in enumerate(codes)}


def assert_near(values: list[Any], own: Channel, told: Any) -> None:
    """What was written of a channel is what was wanted, as near as is told (in two digits), else as is promised."""
    wanted, found = values
    if own.kind == TURN:
        wanted = wanted if any(wanted) else own.rest
        assert degrees(wanted, found) <= 1.05 * float(str(told.get("degrees", 0.05))) + 0.001, own
    else:
        assert abs(wanted[0] - found[0]) <= 1.05 * float(str(told.get("units", 0.001))) + 1e-5, own


def test_a_changed_channel_leaves_all_else_in_its_bytes() -> None:
    for seed in range(70):
        rng = np.random.default_rng(seed)
        data, on, moves = file(rng)
        document, number = w3d.read(data), int(rng.integers(len(moves)))
        options = w3d.ImportOptions(engine=str(rng.choice(ENGINES)), root_bone=rng.random() < 0.7, scale=0.5)
        clip, move = w3d.to_clips(document, options, Report())[number], moves[number]
        pivots, plays, said = expected(move, on)
        if said[clip_messages.OTHER_SKELETON]:  # then it is written for that
            continue
        to, pace = Destination(source=Source(document, clip, number, options=options)), (24.0, 60 / 1.001)[seed % 2]
        same = w3d.from_clip(through_blender(clip, None, pace), w3d.ExportOptions(), Report(), to)
        assert w3d.write(same) == data
        if not clip.tracks:
            continue
        spot, gone, report = clip.tracks[rng.integers(len(clip.tracks))], rng.random() < 0.3, Report()
        row, key = int(rng.integers(len(spot.values))) + spot.component, int(rng.integers(len(spot.times)))
        numbered = [pivot for pivot in sorted(pivots) if pivot or options.root_bone]
        pivot = next(one for one, node in zip(numbered, clip.nodes) if node.name == spot.node)
        where = spot.property, row if spot.property == LOCATION else 0
        old = plays[pivot, next(kind for kind, own in PLACES.items() if own == where)]
        what = (spot.node, spot.property, *[row] * (spot.property != ROTATION or rng.random() < 0.7))

        def edit(track: Track, keys: KeyBlock, what: Any = what, gone: bool = gone, key: int = key) -> KeyBlock | None:
            if (track.node, track.property, track.component)[: len(what)] == what:
                keys.values[:, key] = (
                    1 - keys.values[:, key] if track.property == "visibility" else keys.values[:, key] + 0.4
                )
                return None if gone else keys
            return keys

        changed = through_blender(clip, edit, pace)
        made = w3d.write(w3d.from_clip(changed, w3d.ExportOptions(), report, to))
        before, after = pieces(data), pieces(made)
        place = [at for at, (kind, _) in enumerate(before) if kind in (0x200, 0x280)][number]
        assert [*before[:place], *before[place + 1 :]] == [*after[:place], *after[place + 1 :]]
        before, after = pieces(before[place][1][4:]), pieces(after[place][1][4:])
        place = before.index(pieces(old.data)[0])
        others = before[:place] + before[place + 1 :]
        assert not gone or len(what) == 3 or len(after) < len(before)
        if len(after) < len(before):  # what it covered does not play instead
            alike = [pieces(own.data)[0] for own in move.channels if (own.kind, own.pivot) == (old.kind, old.pivot)]
            assert after == [each for each in others if each not in alike]
            continue
        (kind, held), (new_kind, new) = before[place], after[place]
        assert after[:place] + after[place + 1 :] == others and new_kind == kind
        if not old.literal:  # type, pivot, and what is without meaning
            head = {0x202: slice(8, 16), 0x282: slice(8, 12), 0x284: slice(4, 8)}.get(kind, slice(8, 10))
            assert new[head] == held[head] and new.endswith(b"abc") == held.endswith(b"abc")
        if len(set(old.frames)) < len(old.frames) or (move.form, old.kind) == ("DELTA", FADE):
            continue
        if old.form in ("raw", "keys", "motion") and not gone and old.kind != SEEN:
            own, now = stored(old.form, held), stored(old.form, new)
            assert sum(own[at] != now[at] for at in own.keys() & now.keys()) <= 1, (seed, old)
        again = w3d.to_clips(w3d.read(made), options, Report())[number]
        told = next((entry.values for entry in (*report.warnings, *report.notes) if "degrees" in entry.values), {})
        for at in range(move.frames):
            assert_near([moved(one, spot, row, at) for one in (changed, again)], old, told)


# --- Drawn clips ------------------------------------------------------------------------------------------------------


VERSIONS = {"RAW": 0x40001, "TIMECODED": 1, "ADAPTIVE_DELTA": 1, "BFME_TIMECODED": 0x10000, "BFME_ADAPTIVE": 0x10000}


def test_a_clip_is_written_in_every_form_as_it_plays() -> None:
    """Small figures, too."""
    for seed in range(30):
        rng, form = np.random.default_rng(seed), list(VERSIONS)[seed % 5]
        clip = replace(plain.clip(rng, wraps=0.0), root=np.eye(4), rate=16.0)
        clip.nodes, small = [replace(node, rest=plain.matrix(rng)) for node in clip.nodes], 0.01 if seed > 19 else 1.0
        for node in clip.nodes:
            node.rest[:3, 3] *= small
        clip.tracks = [own.scaled(small) if own.property == LOCATION else own for own in clip.tracks]
        fade = plain.track(rng, "b", "fade", 1, wraps=0.0, shapes=(0, 0, 1)).but(kind=TrackKind.CUSTOM)
        fade = fade.but(values=fade.values + 0.5)
        sight = fade.but(values=np.rint(fade.values), property="visibility", value_kind=ValueKind.BOOL)
        clip.tracks = [own.but(times=own.times + 0.5 * (seed % 3 > 0)) for own in (sight, fade, *clip.tracks)]
        for own in clip.tracks[2:]:  # at rest here and there
            own.values *= (rng.random(len(own.times)) < 0.7) | (own.property == ROTATION)
        sight, fade = clip.tracks[:2]
        report = Report()
        pace = 8 if seed % 4 == 0 else 16
        data = w3d.write(w3d.from_clip(clip, w3d.ExportOptions(flavor=form, file_rate=pace % 16), report))
        made, ((_, bones), (_, move)) = Player.of(data), pieces(data)
        inside = pieces(move[4:])
        assert [kind for kind, _ in inside].count(inside[0][0]) == 1 and inside[0][0] in (0x201, 0x281)
        assert struct.unpack_from("<I", inside[0][1], 4)[0] == VERSIONS[form] and {bones[3], move[3]} == {0x80}
        assert not any(body[3] for _, body in inside) and all(each.pivot for each in made.channels)
        at = {0x202: (12, 10), 0x203: (10, 8), 0x282: (8, 11), 0x283: (8, 10), 0x284: (10, 7)}
        order = [(body[at[kind][0]], kind in (0x203, 0x283), body[at[kind][1]]) for kind, body in inside[1:]]
        assert order == sorted(set(order))  # pivot by pivot, what is seen last
        for each in made.channels:
            rest = [0, 0, 0, 1] if each.type == TURN else [float(each.type == FADE)]
            off = np.flatnonzero((each.values != rest).any(axis=1))
            assert len(off) and (not each.raw or each.stored == off[-1] - off[0] + 1)
        assert (made.frames, made.rate, made.name) == (pace * 3 // 2 + 1, pace, "DRAWN")
        assert [name.lower() for name in made.names] == ["roottransform", *(node.name for node in clip.nodes)]
        visible = [plain.value(sight, frame / pace)[0] >= 0.999 for frame in range(made.frames)]
        assert made.shown.get(2, np.ones(made.frames, bool)).tolist() == visible and (2 in made.shown) != all(visible)
        told = next((entry.values for entry in (*report.warnings, *report.notes) if "degrees" in entry.values), {})
        stands = plain.worlds(clip, 0.0)
        size = np.ptp([stands[node.name][:3, 3] for node in clip.nodes], axis=0).max()  # the tolerance is a part of it
        turn, place = (0.0, 0.0) if form == "RAW" else (0.05, 0.001 * min(size, 1.0))
        turn, place = (float(str(told.get(key, most))) for key, most in (("degrees", turn), ("units", place)))
        # told in two digits, of which the last one may be off by a twentieth; and within 5e-5 of rest is at rest
        if "ADAPTIVE" not in form:
            found = [each.values[:, 0] for each in made.channels if (each.pivot, each.type) == (2, FADE)]
            wanted = [plain.value(fade, frame / pace)[0] for frame in range(made.frames)]
            assert len(found) < 2 and np.abs((found or [np.ones(made.frames)])[0] - wanted).max() <= 0.1 * place + 6e-5
        turned = shifted = 0.0  # each by itself, in the space of its pivot
        for frame in range(made.frames) if told else rng.choice(made.frames, 4).tolist():
            worlds, wanted = made.worlds(frame), plain.worlds(clip, frame / pace)
            for pivot, node in enumerate(clip.nodes, 1):
                own = np.linalg.inv(worlds[made.parents[pivot]] @ made.bases[pivot]) @ worlds[pivot]
                there = np.linalg.inv(wanted[node.parent] @ node.rest) @ wanted[node.name]
                turned = max(turned, math.degrees(np.linalg.norm(own[:3, :3] - there[:3, :3]) / math.sqrt(2)))
                shifted = max(shifted, np.abs(own - there)[:3, 3].max() / (1 if told else 1 + np.abs(own).max()))
        assert turned <= 1.05 * turn + 0.005 and shifted <= 1.05 * place + 6e-5, (seed, form)
        assert not told or (turned >= 0.95 * turn - 0.005 and shifted >= 0.95 * place - 6e-5), (seed, form)
