"""Drawn W3X files against an engine that plays one number after the other; any edit of them leaves the rest."""

from __future__ import annotations

import importlib
import math
import random
import re
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import plain
import pytest
from drawn_pivots import degrees, mixed, moved, numbers, sayings
from scenes.players.w3d import lerp
from scenes.players.w3x import Player
from textbook import rotation
from through_blender import through_blender
from w3x_goldens import DATA

from io_formats import FormatError, w3x
from io_formats.clip import LOCATION, ROTATION, Clip, Source, Track
from io_formats.clip import messages as clip_messages
from io_formats.clip.fcurve_keys import KeyBlock
from io_formats.errors import Report
from io_formats.format import Destination
from io_formats.w3x import messages

READER: Any = importlib.import_module("io_formats.w3x.read")
TYPES = {"XTranslation": (LOCATION, 0), "YTranslation": (LOCATION, 1), "ZTranslation": (LOCATION, 2)}
TYPES |= {"Orientation": (ROTATION, 0), "Visibility": ("visibility", 0)}
CHANNEL = re.compile(r"<(Channel(?:Scalar|Quaternion)).*?</\1>", re.DOTALL)
FRAME = re.compile(r"<Frame.*?(?:/>|</Frame>)", re.DOTALL)


@dataclass
class Channel:
    """A drawn channel and its text; `values` as float32 has what the text says."""

    pivot: int
    kind: str
    first: int
    values: list[list[float]]
    steps: list[bool]
    text: str

    @property
    def rest(self) -> list[float]:
        return [0.0, 0.0, 0.0, 1.0] if self.kind == "Orientation" else [float(self.kind == "Visibility")]

    def plays(self) -> bool:
        """Whether its type goes with its numbers."""
        return (self.kind == "Orientation") == self.text.startswith("<ChannelQ")


def channel(rng: plain.Rng, count: int) -> Channel:
    """One channel in one of the ways in which programs and people write; also late, too long, or for nothing."""
    kind, pivot = str(rng.choice(list(TYPES))), int(rng.choice((0, *[1, 2] * 4, 5)))
    first, wide = int(rng.choice((0, 0, 1, rng.integers(count + 2)))), (kind == "Orientation") != (rng.random() < 0.04)
    rows = numbers(rng, 4 if wide else 1, int(rng.choice((1, 2, 4, count))))
    rows[rng.random(len(rows)) < 0.15] = [0, 0, 0, 1] if wide else kind == "Visibility"  # at rest
    order, digits = str(rng.choice(("XYZW", "WXYZ", "ZXYW"))), str(rng.choice((".6f", "+.9e", ".3f")))
    between, values, text = str(rng.choice(("", "\n\t\t\t\t", "<!-- <Frame>7</Frame> -->"))), [], ""
    space, quote, steps = (
        *(rng.choice(each) for each in ((" ", "\n "), ('"', "'"))),
        (rng.random(len(rows)) < 0.25).tolist(),
    )
    for row, step in zip(rows.tolist(), steps):
        numbered = [f"{one:{digits}}" for one in row]
        values.append([float(np.float32(one)) for one in numbered])
        flag = (("true", "1"), ("", "0"))[not step][rng.integers(2)]
        flag = f"{space}BinaryMove={quote}{flag}{quote}" if flag else ""
        turns = space.join(f"{one}={quote}{numbered['XYZW'.index(one)]}{quote}" for one in order if wide)
        text += between + (f"<Frame {turns}{flag}/>" if wide else f"<Frame{flag}> {numbered[0]}</Frame>")
    tag = "ChannelQuaternion" if wide else "ChannelScalar"
    text = f'<{tag} Pivot="{pivot}" Type="{kind}" FirstFrame="{first}">{text}</{tag}>'
    return Channel(pivot, kind, first, values, steps, text)


def file(rng: plain.Rng) -> tuple[str, list[Any], list[tuple[int, int, list[Channel]]]]:
    """Three pivots, and animations: number of frames, rate and channels."""
    pivots, text = [], '<AssetDeclaration xmlns="uri:ea.com:eala:asset"><W3DHierarchy id="Sk">'
    for at in range(3):
        place, turn, base = rng.normal(size=3), numbers(rng, 4, 1)[0], np.eye(4)
        text += f'<Pivot Name="p{at % 2}" Parent="{at - 1}">'
        for name, rest in (("Translation", place), ("Rotation", turn)):
            if rng.random() < 0.2:  # which says nothing is at rest
                rest[:] = (0, 0, 0, 1)[: len(rest)]
                continue
            text += f"<{name} " + " ".join(f'{axis}="{one!r}"' for axis, one in zip("XYZW", rest.tolist())) + "/>"
        text += "</Pivot>"
        if at:
            base[:3, :3], base[:3, 3] = rotation(turn) if turn.any() else np.eye(3), place
        pivots.append(base)
    text, moves = text + "</W3DHierarchy>", []
    for number in range(rng.integers(1, 3)):
        count, rate = int(rng.choice((1, 5, 9))), int(rng.choice((0, 15, 30)))
        own = [channel(rng, count) for _ in range(rng.integers(9))]
        text += f'\n<W3DAnimation id="A{number}" Hierarchy="T:sK" NumFrames="{count}" FrameRate="{rate}"><Channels>'
        text += "\n".join(each.text for each in own) + "</Channels></W3DAnimation><W3DMesh/>"
        moves.append((count, rate, own))
    text = ("\ufeff" if rng.random() < 0.2 else "") + text.replace("<Channels></Channels>", "<Channels/>")
    return text + "</AssetDeclaration>", pivots, moves


def shown(own: Channel, at: float, count: int) -> list[float]:
    """What the games show of a channel at a moment."""
    held = {own.first + number: value for number, value in enumerate(own.values) if own.first + number < count}
    left, stepped = (
        math.floor(at),
        dict(enumerate(own.steps, own.first)).get(math.floor(at) + 1) and math.floor(at) + 1 in held,
    )
    ends = held.get(left, own.rest), held.get(left + 1, own.rest)
    return ends[0] if stepped or at == left else mixed(*ends, at - left, arc=False)


def expected(move: tuple[int, int, list[Channel]]) -> tuple[dict[Any, Channel], Counter[str]]:
    """What plays, by pivot and type, and what is told."""
    count, rate, channels = move
    playing: dict[Any, Channel] = {}
    told = Counter({clip_messages.NO_RATE: int(rate == 0)})
    for own in channels:
        told[messages.NO_CHANNEL] += not own.plays()
        told[clip_messages.DUPLICATE_CHANNEL] += own.plays() and (own.pivot, own.kind) in playing
        if own.plays():
            playing.setdefault((own.pivot, own.kind), own)
    for key, own in list(playing.items()):
        lost = clip_messages.ROOT_CHANNEL if own.pivot == 0 else messages.MISSING_PIVOT
        held = max(min(len(own.values), count - own.first), 0)
        told[lost] += own.pivot not in (1, 2)
        told[messages.TOO_LONG] += own.pivot in (1, 2) and held < len(own.values)
        if own.pivot not in (1, 2) or not held:
            del playing[key]
        elif own.kind == "Orientation":
            told[clip_messages.ZERO_ROTATION] += sum(not any(value) for value in own.values[:held])
    return playing, told


def test_a_file_plays_as_in_the_games() -> None:
    for seed in range(80):
        rng = np.random.default_rng(seed)
        text, pivots, moves = file(rng)
        document, report = w3x.read(text.encode(), report=(read := Report())), Report()
        assert w3x.write(document) == text.encode() and not read.warnings
        options = w3x.ReadOptions(root_bone=rng.random() < 0.5, apply_visibility=rng.random() < 0.7, scale=2.0)
        told: Counter[str] = Counter()
        for number, (move, clip) in enumerate(zip(moves, w3x.to_clips(document, options, report), strict=True)):
            (count, rate, _), (playing, said) = move, expected(move)
            told += said
            nodes = clip.nodes if options.root_bone else [None, *clip.nodes]
            assert (clip.name, clip.rate, clip.duration) == (f"A{number}", rate or 30, (count - 1) / (rate or 30))
            assert clip.skeleton == "Sk" and np.array_equal(clip.root, np.diag([2.0, 2, 2, 1]))
            for pivot, node in list(enumerate(nodes))[not options.root_bone :]:
                assert np.abs(node.rest - pivots[pivot]).max() < 1e-5 and node.original == f"p{pivot % 2}"
                assert node.parent == (None if pivot < 1 or not nodes[pivot - 1] else nodes[pivot - 1].name)
                hides = options.apply_visibility and (pivot, "Visibility") in playing
                assert node.shown_by == ((node.name, "visibility") if hides else None)
            found = {named(track): track for track in clip.tracks}
            wanted = {(nodes[pivot].name, *TYPES[kind]): own for (pivot, kind), own in playing.items()}
            assert set(found) == set(wanted) and len(found) == len(clip.tracks)
            for key, own in wanted.items():
                track, held = found[key], range(own.first, min(own.first + len(own.values), count))
                kept = np.ones(len(track.times), bool) if track.inserted is None else ~track.inserted
                assert np.abs(track.times[kept] * clip.rate - held).max() < 1e-9
                for at in (*rng.choice(2 * count - 1, 6) / 2, *rng.uniform(0, count - 1, 4)):
                    value, wide = plain.value(track, at / clip.rate), shown(own, at, count)
                    if key[1] != ROTATION:
                        assert abs(value[0] - wide[0]) < 1e-5, (seed, key, at)
                    elif all(any(one) for one in own.values):
                        assert degrees([*value[1:], value[0]], wide) < 0.001, (seed, key, at)
        assert sayings(report) == +told, seed


# --- Any edit -----------------------------------------------------------------------------------


def edited(rng: plain.Rng, kind: str, rate: float, keys: KeyBlock) -> KeyBlock | None:
    """Keys of which one is raised, shaped otherwise or taken away, or all are moved or gone."""
    number = int(rng.integers(len(keys.frames)))
    if kind == "raise":
        keys.values[:, [0, number]] += np.float32(rng.uniform(-1, 1))
    elif kind in ("step", "smooth"):
        keys.interpolation[number] = plain.CONSTANT if kind == "step" else plain.LINEAR
    elif kind == "shift":
        keys.frames = keys.frames + np.float32(rng.choice((-1, 1, 2)) * 24 / rate)
    elif kind == "remove" and len(keys.frames) > 1:
        keep = np.arange(len(keys.frames)) != number
        return KeyBlock(keys.frames[keep], keys.values[:, keep], keys.interpolation[keep])
    return None if kind == "drop" else keys


def named(track: Track) -> tuple[str, str, int]:
    """What a track moves."""
    return track.node, track.property, track.component


def alone(data: str, number: int, pivot: int, name: str) -> Any:
    """A pivot's channel as the games have it, values and jumps by frame, of several the first; None without one."""
    part = data.split("<W3DAnimation")[number + 1]
    tag = f'<Channel{"Quaternion" if name == "Orientation" else "Scalar"} Pivot="{pivot}" Type="{name}"'
    own = next((found[0] for found in CHANNEL.finditer(part) if found[0].startswith(tag)), "")
    head = f'<AssetDeclaration xmlns="uri:ea.com:eala:asset"><W3DAnimation{part[: part.index(">") + 1]}<Channels>'
    player = Player.of(f"{head}{own}</Channels></W3DAnimation></AssetDeclaration>".encode())
    return next(iter([*player.channels, *player.opacity.values()]), None)


def test_any_edit_plays_what_it_shows_and_leaves_the_rest() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        text, _, moves = file(rng)
        number = int(rng.integers(len(moves)))
        count, _, channels = moves[number]
        document, options = w3x.read(text.encode()), w3x.ReadOptions(root_bone=rng.random() < 0.5)
        clip: Clip = w3x.to_clips(document, options, Report())[number]
        to = Destination(source=Source(document, clip, number, options=options))
        given = w3x.WriteOptions(keep_steps=False)
        assert w3x.write(w3x.from_clip(through_blender(clip), given, Report(), to)) == text.encode()
        if not clip.tracks:
            continue
        spot, kind = (
            clip.tracks[rng.integers(len(clip.tracks))],
            str(rng.choice(("raise", "raise", "step", "smooth", "shift", "remove", "drop"))),
        )
        row = int(rng.integers(len(spot.values)))

        what, edit = (spot.node, spot.property, spot.component + row), partial(edited, rng, kind, clip.rate)
        changed = through_blender(
            clip, lambda track, keys, what=what, edit=edit: edit(keys) if named(track) == what else keys
        )
        made = w3x.write(w3x.from_clip(changed, given, Report(), to)).decode()
        pivot = [node.name for node in clip.nodes].index(spot.node) + (not options.root_bone)
        name = next(each for each, own in TYPES.items() if own == (spot.property, spot.component))
        old = next(own for own in channels if own.plays() and (own.pivot, own.kind) == (pivot, name))
        before, after = ([found[0] for found in CHANNEL.finditer(each)] for each in (text, made))
        place = before.index(old.text)
        rest = [re.sub(r"\s|/Channels|<Channels|[<>/]", "", CHANNEL.sub("", each)) for each in (text, made)]
        assert rest[0] == rest[1]
        gone = len(after) < len(before)
        covered = {own.text for own in channels if gone and (own.pivot, own.kind) == (pivot, name)}
        others = [each for each in before[:place] + before[place + 1 :] if each not in covered]
        assert others == after[:place] + after[place + (not gone) :], seed
        was, now = (alone(each, number, pivot, name) for each in (text, made))
        if now is None or gone:
            continue
        assert kind not in ("step", "smooth") or np.array_equal(was.values, now.values), "only how they are reached"
        moments = np.arange(count) if spot.property == ROTATION else np.arange(2 * count - 1) / 2
        for at in moments.tolist():
            found, wanted = now.at(at, lerp), moved(changed, spot, spot.component + row, at)
            if spot.property == ROTATION:
                assert degrees(*(each if any(each) else old.rest for each in (found, wanted))) < 0.01, (seed, at)
            else:
                assert abs(wanted[0] - found[0]) <= 5.1e-5, (seed, at)  # within 5e-5 of rest is at rest
        # the texts of frames, and what is between them
        texts, gaps = [], []
        for each in (before[place], after[place]):
            first = int(re.findall(r'FirstFrame="(\d+)"', each)[0])
            texts.append(dict(enumerate(FRAME.findall(re.sub("<!--.*?-->", "", each)), first)))
            gaps.append(set(FRAME.split(re.sub("<!--.*?-->", "", each))[1:-1]))
        assert len(gaps[0]) != 1 or gaps[1] == gaps[0] or "<!--" in old.text
        assert after[place].count("<!--") <= old.text.count("<!--")  # a remark is none of the frames that are added
        assert all(at in texts[1] for at in texts[0] if at >= count)
        for at in texts[0].keys() & texts[1].keys():
            same = at >= count or (
                was.values[at].tolist() == now.values[at].tolist() and was.jumps[at] == now.jumps[at]
            )
            assert not same or texts[0][at] == texts[1][at], (seed, at)


# --- At once, or one after the other ---


def said(document: Any) -> list[Any]:
    """Everything of the animations that plays."""
    found: list[Any] = []
    for each in document.animations:
        found += [each.name, each.hierarchy, each.frame_count, each.rate, each.settings]
        for channel in each.channels:
            found += [channel.pivot, channel.type, channel.first, channel.values.tolist(), channel.steps.tolist()]
    return found


def outcome(data: bytes) -> Any:
    """What a file says, or why it is refused, and what is told of it."""
    report = Report()
    try:
        document = w3x.read(data, report=report)
    except FormatError as error:
        return str(error)
    spans = [channel.span for found in document.animations for channel in found.channels]
    return said(document), spans, document.carried, [str(warning).rpartition(":")[2] for warning in report.warnings]


def damaged(data: bytes, chance: random.Random) -> bytes:
    pieces = [*b'< /> " &amp; <!--x--> 1_0 <Frame/> </Frame> infinity 1e'.split(), b"\r\n", b""]
    places = [found.start() for found in re.finditer(rb"<Frame|</?Channel|<Pivot", data)]
    text = bytearray(data)
    at = min(chance.choice(places) + chance.randrange(40), len(text))
    text[at : at + chance.choice((0, 0, 1, 9))] = chance.choice(pieces)
    return bytes(text)


def test_frames_taken_at_once_are_those_taken_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4)
    whole = [path.read_bytes() for path in sorted(DATA.glob("*.w3x"))]
    long = re.sub(rb"(?s)(<ChannelScalar[^>]*>)(.*?)(</Ch)", lambda of: of[1] + 300 * of[2] + of[3], whole[-1])
    whole += [file(np.random.default_rng(seed))[0].encode() for seed in range(20)]
    files = [*whole, long, *(damaged(chance.choice(whole), chance) for _ in range(300))]
    at_once = [outcome(data) for data in files]
    monkeypatch.setattr(READER, "frames_at", lambda *_: None)
    one_by_one = [outcome(data) for data in files]
    assert sum(isinstance(found, tuple) for found in at_once) > 100
    for data, first, second in zip(files, at_once, one_by_one, strict=True):
        assert repr(first) == repr(second), data
