"""Drawn files, with all that is rare, against the engine's player, which shares nothing with the product."""

from __future__ import annotations

import json
import math
import struct
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

import animx_records
import numpy as np
import plain
from scenes.players.animx import Player
from scenes.players.animx import Track as Played
from through_blender import Edit, edited, in_turn, through_blender

from io_formats import animx
from io_formats.animx import messages
from io_formats.animx.document import Track as FileTrack
from io_formats.animx.layout import Container, Encoding
from io_formats.clip import LOCATION, RESTING, ROTATION, SCALE, Clip, NodeKind, Source, Track, TrackKind, ValueKind
from io_formats.clip import messages as clip_messages
from io_formats.clip.fcurve_keys import KeyBlock
from io_formats.errors import FormatError, Report
from io_formats.format import Destination

PROPERTIES = {"Position": LOCATION, "Rotation": ROTATION, "Scale": SCALE}
TYPES = {"Position": "float3", "Rotation": "floatQ", "Scale": "double3", "BlendShape.Smile": "float", "Active": "bool"}
MIRROR, SWAP = np.diag([-1.0, 1, 1]), np.eye(3)[[0, 2, 1]]
HOLD, LINEAR, TANGENT, CUBIC = range(4)
QUARTER = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""What bones without a parent are turned by in a glTF, whose objects have Y up."""
KINDS, MODES = ("Raw", "Discrete", "Curve"), ("Hold", "Linear", "Tangent", "CubicBezier")


def varint(number: int) -> bytes:
    return bytes([number & 127 | 128, number >> 7]) if number > 127 else bytes([number])


def text(found: str) -> bytes:
    return varint(len(found.encode())) + found.encode()


class Drawn:
    """Tracks of all types and kinds, as bytes or as JSON."""

    def __init__(self, rng: plain.Rng, *, odd: float = 0.1, old: bool = False) -> None:
        self.rng, self.odd, self.old = rng, odd, old
        self.tracks = [self.track() for _ in range(rng.integers(1, 9))]
        self.duration = float(rng.choice((2.0, 0.0, -1.0)))

    def track(self) -> dict[str, Any]:
        rng = self.rng
        field = str(rng.choice([*TYPES, "p", "Light.Range"]))
        name = TYPES.get(field, "") if rng.random() < 0.8 else ""
        name = name or str(rng.choice(animx_records.NAMES))
        kind, count = (
            str(rng.choice(["Raw", "Curve", "Curve"] if self.old else [*KINDS, "Curve"])),
            int(rng.choice((0, 1, 2, 5, 5))),
        )
        times = np.sort(rng.choice(28, count, replace=self.odd > 0) - 8) / 16
        if rng.random() < self.odd:
            times = rng.permutation(times)
        modes = [int(rng.integers(4))] * count if rng.random() < 0.5 else rng.integers(4, size=count).tolist()
        values, left, right = ([self.value(name, odd) for _ in range(count)] for odd in (self.odd / 4, 0.0, 0.0))
        if count and rng.random() < self.odd * (5 if name == "string" else 1):
            times[rng.integers(count)] = np.nan
        return {
            "kind": kind, "type": name, "node": str(rng.choice(("a", "b", "", "unnamed"))), "field": field,
            "interval": float(rng.choice((0.25, 0.0, np.nan) if rng.random() < self.odd else (0.25, 0.5))),
            "times": times, "values": values, "modes": modes, "left": left, "right": right, "own": rng.random() < 0.5,
        }  # fmt: skip

    def value(self, name: str, odd: float) -> Any:
        rng = self.rng
        if name == "string":
            return str(rng.choice(("one", "two", "", ""))) if rng.random() < 0.8 else None
        if name.startswith("bool"):
            return [bool(bit) for bit in rng.integers(2, size=int(name[4:] or 1))]
        width, letter = animx_records.layout_of(name)
        if letter in "fd":
            numbers = rng.normal(size=width).astype(np.float32).tolist()
            return [np.inf, *numbers[1:]] if rng.random() < odd else numbers
        return rng.integers(0 if letter in "BHIQ" else -100, 100, width).tolist()

    def binary(self, *, time_first: bool, right_first: bool) -> bytes:
        def packed(name: str, value: Any) -> bytes:
            if name == "string":
                return b"\0" if value is None else b"\1" + text(value)
            if name.startswith("bool"):
                return bytes([sum(bit << at for at, bit in enumerate(value)) * (1 if name[4:] else 3)])
            width, letter = animx_records.layout_of(name)
            return struct.pack(f"<{width}{letter}", *value)

        body = b""
        for track in self.tracks:
            kind, count = KINDS.index(track["kind"]), len(track["values"])
            number = animx_records.NAMES.index(track["type"])
            body += bytes([number << 1 | kind >> 1]) if self.old else bytes([kind, number])
            body += text(track["node"]) + text(track["field"]) + varint(count)
            values = [packed(track["type"], value) for value in track["values"]]
            if not kind:
                body += struct.pack("<f", track["interval"]) + b"".join(values)
                continue
            keys = [[struct.pack("<f", time), value] for time, value in zip(track["times"], values)]
            modes, first = track["modes"], time_first or kind == 1
            if kind == 2:
                whole, bent = len(set(modes)) == 1 and track["own"], any(mode > 1 for mode in modes)
                body += bytes([2 * bent + (not whole)]) + bytes(modes[:1] if whole else modes)
            body += b"".join(b"".join(key if first else key[::-1]) for key in keys)
            if kind == 2 and bent:
                sides = ("right", "left") if right_first else ("left", "right")
                body += b"".join(packed(track["type"], part) for pair in zip(*map(track.get, sides)) for part in pair)
        head = text("AnimX") + struct.pack("<i", 0 if self.old else 1) + varint(len(self.tracks))
        return head + struct.pack("<f", self.duration) + text("drawn") + b"\0" + body

    def json(self) -> bytes:
        def said(name: str, value: Any) -> Any:
            if name == "string" or len(value) == 1:
                return value if name == "string" else value[0]
            if "x" in name[-3:]:
                side = int(name[-1])
                return [value[at * side :][:side] for at in range(side)]
            return dict(zip("rgba" if name.startswith("color") else "xyzw", value))

        tracks = []
        for track in self.tracks:
            name = track["type"]
            data: dict[str, Any] = {"node": track["node"], "property": track["field"]}
            values, left, right = ([said(name, value) for value in track[part]] for part in ("values", "left", "right"))
            if track["kind"] == "Raw":
                data |= {"interval": track["interval"], "keyframes": values}
            else:
                data["keyframes"] = [{"time": time, "value": value} for time, value in zip(track["times"], values)]
            bent = any(mode > 1 for mode in track["modes"])
            for key, *parts in zip(data["keyframes"], track["modes"], left, right) if track["kind"] == "Curve" else ():
                names = ("leftTangent", "rightTangent") if bent else ()
                key |= {"interpolation": MODES[parts[0]], **dict(zip(names, parts[1:]))}
            tracks.append({"trackType": track["kind"], "valueType": name, "data": data})
        return json.dumps({"name": "drawn", "globalDuration": self.duration, "tracks": tracks}).encode()


def axes_of(rng: plain.Rng, kind: str) -> tuple[Any, dict[str, Any]]:
    """What takes a file's vectors to Blender's: forward to +Y, up to +Z; and the options that say so."""
    preset = str(rng.choice(("GLTF", "FBX", "FBX_CM", "ENGINE", "MANUAL")))
    if preset != "MANUAL":
        turned = np.array([[-1.0, 0, 0], [0, 0, -1], [0, 1, 0]]) if kind == "OBJECT" else MIRROR
        return {"GLTF": turned, "ENGINE": SWAP}.get(preset, MIRROR), {"axes": preset}
    ahead, up = rng.permutation(3)[:2]
    signs, left_handed = rng.choice((-1, 1), 2), bool(rng.random() < 0.5)
    forward, upward = signs[0] * np.eye(3)[ahead], signs[1] * np.eye(3)[up]
    right = np.cross(upward, forward) if left_handed else np.cross(forward, upward)
    named = [("-" if sign < 0 else "") + "XYZ"[at] for sign, at in zip(signs, (ahead, up))]
    return np.array([right, forward, upward]), {
        "axes": "MANUAL", "forward_axis": named[0], "up_axis": named[1], "left_handed": left_handed,
    }  # fmt: skip


def in_blender(value: Any, name: str, axes: Any) -> Any:
    """What a place, turn or size of the file is in Blender's axes, w first."""
    if name == ROTATION:
        return np.array([value[3], *(np.linalg.det(axes) * axes @ value[:3])])
    return np.abs(axes) @ value if name == SCALE else axes @ value


def playable(track: Played, told: Counter[str]) -> tuple[Played, list[int]]:
    """The track with finite keys in order, of a Raw one without an interval the first; and which keys these are."""
    times = np.where(np.isfinite(track.times), track.times, np.nan)
    finite = [at for at in range(len(times)) if math.isfinite(times[at]) and np.isfinite(track.values[at]).all()]
    if track.kind == "Raw" and len(track.values) > 1 and not track.times[1] > 0:
        told[messages.NO_INTERVAL] += 1
        times, finite = np.zeros(len(times)), [0] if np.isfinite(track.values[0]).all() else []
        told[clip_messages.KEYS_NOT_FINITE] += not finite
    else:
        told[clip_messages.KEYS_NOT_FINITE] += len(times) - len(finite)
    order = sorted(finite, key=lambda at: times[at])
    told[clip_messages.KEYS_SORTED] += order != finite
    modes = [track.modes[at] for at in order] if track.kind == "Curve" else []
    if track.type.startswith("bool"):
        modes = [min(mode, LINEAR) for mode in modes]  # which switches halfway
    sides = [side if side is None else side[order] for side in (track.left, track.right)]
    return Played(
        track.node, track.field, track.kind, times[order], track.values[order], modes, *sides, track.type
    ), order


def role_of(track: Played) -> tuple[TrackKind, str, ValueKind]:
    """What a track of numbers drives, by its field and type."""
    kind, name, base = TrackKind.CUSTOM, track.field, track.type.rstrip("234")
    if track.type in (("floatq", "doubleq") if name == "Rotation" else ("float3", "double3")) and name in PROPERTIES:
        kind, name = TrackKind.TRANSFORM, PROPERTIES[name]
    elif track.type in ("float", "double") and name.startswith("BlendShape."):
        kind, name = TrackKind.SHAPE_KEY, name.partition(".")[2]
    modes = {"Raw": [LINEAR], "Discrete": []}.get(track.kind, track.modes[:-1])
    whole = track.type in ("byte", "sbyte", "short", "ushort") and not any(modes if len(track.values) > 1 else ())
    value_kind = ValueKind.BOOL if base == "bool" else ValueKind.INT if whole else ValueKind.FLOAT
    return kind, name, ValueKind.COLOR if track.type in ("color", "color32") else value_kind


def imported(data: bytes, report: Report, **options: Any) -> tuple[Clip, Source[Any, Any]]:
    chosen = animx.ImportOptions(**options)
    document = animx.read(data, key_order=chosen.key_order, tangent_order=chosen.tangent_order)
    (clip,) = animx.to_clips(document, chosen, report)
    return clip, Source(document, clip, options=chosen)


def drawn(seed: int, *, odd: float) -> tuple[plain.Rng, bytes, dict[str, str], Player]:
    """Bytes in any order or JSON, the options that read them, and what the engine plays of them."""
    rng = np.random.default_rng(seed)
    textual = seed % 4 == 3
    file, orders = Drawn(rng, odd=odd * (not textual), old=seed % 8 == 0), (rng.random(2) < 0.5).tolist()
    chosen = {"key_order": ("VALUE", "TIME")[orders[0]], "tangent_order": ("LEFT", "RIGHT")[orders[1]]}
    if textual:
        return rng, file.json(), dict.fromkeys(chosen, "AUTO"), Player(file.json())
    data = file.binary(time_first=orders[0], right_first=orders[1])
    return rng, data, chosen, Player(data, **chosen)


def test_files_become_clips_that_play_as_they_do() -> None:
    """Of each kind, type, order and axes; what cannot be played is told, and nothing else is there."""
    for seed in range(160):
        rng, data, orders, player = drawn(seed, odd=0.15)
        kind, report, told = ("BONE", "OBJECT")[seed % 2], Report(), Counter[str]()
        axes, options = axes_of(rng, kind)
        clip, source = imported(data, report, node_kind=kind, **options, **orders)
        assert seed % 4 == 3 or animx.write(source.document) == data
        nodes = dict(zip(player.nodes, clip.nodes, strict=True))
        assert len({node.name for node in clip.nodes}) == len(nodes) and all(node.name for node in clip.nodes)
        assert [node.original for node in clip.nodes] == player.nodes
        tracks, markers, taken = iter(clip.tracks), [], set()
        for of_file in player.tracks:
            if not len(of_file.values):
                told[messages.ZERO_KEYS] += 1
            elif of_file.type == "string":
                texts = zip(["", *of_file.texts], of_file.texts, of_file.times)
                markers += [(time, found) for before, found, time in texts if found != before and math.isfinite(time)]
            elif (role := (of_file.node, *role_of(of_file)))[:3] in taken:
                told[messages.DOUBLE_TRACK] += 1
            else:
                taken.add(role[:3])
                keys, _ = playable(of_file, told)
                if not len(keys.times):
                    continue
                track = next(tracks)
                assert (nodes[role[0]].name, *role[1:]) == (track.node, track.kind, track.property, track.value_kind)
                hides = (track.property, track.value_kind, track.width) == ("Active", ValueKind.BOOL, 1)
                assert not hides or nodes[role[0]].shown_by == (track.node, "Active")
                transform, width = track.kind is TrackKind.TRANSFORM, of_file.values.shape[1]
                assert (track.component, track.width, len(track.values)) == (0, width, width)
                for moment in rng.uniform(-1.0, 2.0, 5):
                    value = keys.at(moment) / (255 if keys.type == "color32" else 1)
                    value = np.floor(value + 0.5) if keys.type.startswith("bool") else value
                    value = in_blender(value, track.property, axes) if transform else value
                    found = plain.value(track, moment)
                    assert np.abs(found - value).max() < 1e-5 * max(1, np.abs(value).max()), (seed, role, moment)
                if track.property == ROTATION and transform:
                    ways = zip(pairwise(keys.values), keys.modes if keys.kind == "Curve" else [keys.kind == "Raw"] * 9)
                    told[messages.LONG_TURNS] += sum(bool(mode and one @ other < 0) for (one, other), mode in ways)
        assert next(tracks, None) is None and [(marker.time, marker.text) for marker in clip.markers] == markers
        found = Counter({entry.template: 0 for entry in report.warnings})
        for entry in report.warnings:
            found[entry.template] += entry.count
        told.subtract({messages.SINGLE_PRECISION: -found[messages.SINGLE_PRECISION]})
        assert +found == +told, seed
        times = [time for track in player.tracks for time in track.times if math.isfinite(time)]
        assert max(clip.duration, 0.0) == (2.0 if player.duration == 2.0 else max([0.0, *times]))


# --- Written -----------------------------------------------------------------------------------------------------


def even(matrix: Any) -> bool:
    sizes = np.linalg.svd(matrix[:3, :3])[1]
    return bool(np.ptp(sizes) < 1e-9 and np.linalg.det(matrix[:3, :3]) > 0)


def custom(rng: plain.Rng, node: str, name: str) -> Track:
    """Of a number or a switch, or some of them."""
    value_kind = list(ValueKind)[rng.integers(4)]
    rows = 4 if value_kind is ValueKind.COLOR else int(rng.integers(1, 5))
    shapes = (0, 1, 1, 2, 2) if value_kind in (ValueKind.FLOAT, ValueKind.COLOR) else (0,)
    found = plain.track(rng, node, name, rows, shapes=shapes)
    values = found.values if len(shapes) > 1 else np.round(np.abs(found.values) * 2.4)
    return replace(found, width=rows, values=values, kind=TrackKind.CUSTOM, value_kind=value_kind)


def drawn_scene(rng: plain.Rng, seed: int) -> tuple[Clip, list[Track], list[Track]]:
    """Bones, objects, or one of these below bones, which move, and their tracks apart from all others."""
    clip = plain.clip(rng, names="abc", scales=True, wraps=0.15)
    for node in clip.nodes:
        node.kind = NodeKind.OBJECT if seed % 3 == 1 or (seed % 3 == 2 and node.name == "c") else NodeKind.BONE
        node.rest = node.rest if even(node.rest) else np.eye(4)
    for track in clip.tracks[::5]:  # what moves between its keys alone, and down
        track.values[:] = np.reshape(RESTING[track.property], (-1, 1))[track.component :][: len(track.values)]
        if track.handles is not None:
            track.handles.values[:] = -np.abs(track.handles.values)
    clip.rate, tracks = 24.0, [*clip.tracks]
    others = [custom(rng, node, name) for node in "abc" for name in ("p", "Light.Range") if rng.random() < 0.5]
    others += [replace(plain.track(rng, "a", "Smile", 1), kind=TrackKind.SHAPE_KEY)] * (seed % 2)
    clip.tracks += others
    return clip, tracks, others


def test_clips_are_written_as_the_engine_plays_them() -> None:
    """In any axes, as curves or lines, AnimJ or AnimX; what a file leaves out is as the model's slot has it."""
    for seed in range(24):
        rng = np.random.default_rng(seed)
        clip, tracks, others = drawn_scene(rng, seed)
        clip.unit, state = 0.01, rng.bit_generator.state
        axes, options = axes_of(rng, "BONE")
        rng.bit_generator.state = state
        of_objects, _ = axes_of(rng, "OBJECT")
        scale, lines = float(rng.choice((1.0, 2.0))), seed % 9 == 6
        asked = animx.ExportOptions(
            **options, scale=scale, tolerance=1e-3, curves="LINEAR" if lines else "KEEP", still_channels=seed % 5 == 0
        )
        report = Report()
        document = animx.from_clip(clip, asked, report)
        told = [entry.values.get("percent", 0.0) for entry in (*report.notes, *report.warnings)]
        share = 1e-3 + max(told, default=0.0) / 100  # of a property's range
        player = Player(animx.write_animj(document) if seed % 2 else animx.write(document))
        for one in (one for one in player.tracks if one.type == "floatq"):
            assert ((one.values[1:] * one.values[:-1]).sum(axis=1) >= 0).all()
        order = dict(zip((*PROPERTIES, "Light.Range", "p", "BlendShape.Smile"), (0, 1, 2, 3, 4, 4)))
        found = [order[one.field] for one in player.tracks]
        places = [(0, player.nodes.index(one.node), at) if at < 3 else (at,) for at, one in zip(found, player.tracks)]
        assert places == sorted(places)  # as the engine binds them
        frames = {NodeKind.BONE: np.eye(4), NodeKind.OBJECT: np.eye(4)}
        repeats = any(track.before or track.after for track in clip.tracks)
        for frame, its in zip(frames.values(), (axes, of_objects)):
            frame[:3, :3] = its
        carrier = frames[NodeKind.OBJECT]  # of the armature, which is an object
        model_root = QUARTER @ carrier if options["axes"].startswith("FBX") else carrier
        model_root = model_root @ np.diag([*3 * [0.01 / clip.unit if options["axes"] == "FBX_CM" else 1.0], 1.0])
        first = 0.0 if repeats else min(float(track.times[0]) for track in clip.tracks) - 0.1
        for moment in rng.uniform(first, clip.duration, 4):
            for node in clip.nodes:
                own = plain.basis([track for track in tracks if track.node == node.name], moment)
                local, rest, over = node.rest @ own, node.rest, carrier
                if node.parent is not None:
                    over = frames[next(each.kind for each in clip.nodes if each.name == node.parent)]
                elif node.kind is NodeKind.OBJECT:
                    local, over = clip.root @ local, model_root
                if node.kind is NodeKind.OBJECT:
                    rest = local  # what does not move is where it is
                wanted, model = (np.linalg.inv(over) @ each @ frames[node.kind] for each in (local, rest))
                wanted[:3, 3] *= scale
                model[:3, 3] *= scale
                found = player.local(node.name, moment, model)
                ranges = [np.ptp(track.values, axis=1).max() for track in tracks if track.node == node.name]
                off, size = np.abs(found - wanted), np.linalg.svd(over[:3, :3])[1].min() ** -1  # of a centimetre 100
                most = size * 2 * scale * max(ranges, default=0.0) * share + 1e-5 * max(1.0, np.abs(wanted).max())
                assert off[:3, 3].max() < most, (seed, node.name, moment)
                assert off[:3, :3].max() < size * (2e-3 + 4 * share), (seed, node.name, moment)
            for track in others:
                name = f"BlendShape.{track.property}" if track.kind is TrackKind.SHAPE_KEY else track.property
                value = player.field(track.node, name, moment)
                assert value is not None
                most = share * max(np.abs(track.values).max(), np.ptp(track.values)) + 1e-6
                assert np.abs(value - plain.value(track, moment)).max() < most, (seed, track.node, name, moment)


def turned_left(row: Track, at: int) -> Edit:
    """The other handle of a key whose right one is turned."""

    def edit(track: Track, block: KeyBlock) -> KeyBlock:
        own = (track.node, track.property, track.component) == (row.node, row.property, row.component)
        if own and block.handles is not None:
            block.handles[0, at, 0, 1] += 0.3
        return block

    return edit


def drawn_edits(rng: plain.Rng, clip: Clip) -> tuple[list[Edit], dict[Any, tuple[Track, int, int]], set[Any]]:
    """Edits, of which track, key and way these are, and what is deleted."""
    edits: list[Edit] = []
    chosen: dict[Any, tuple[Track, int, int]] = {}
    gone: set[Any] = set()
    for track in clip.tracks:
        row, way = track.rows()[rng.integers(len(track.values))], int(rng.integers(5))
        at = int(rng.integers(len(row.times)))
        if rng.random() < 0.7:
            edits += [edited(row, at, way, rng.choice((0.3, 0.7))), *([turned_left(row, at)] * (way == 3))]
            chosen[track.node, track.kind, track.property] = track, at, way
        if track.kind is TrackKind.TRANSFORM and rng.random() < 0.2:
            chosen[track.node, track.kind, track.property] = track, at, 5
            gone |= {(row.node, row.property, row.component)}
    return edits, chosen, gone


def test_an_edit_leaves_all_else_as_it_is() -> None:
    """All of it without one; of an edited track all other keys, and it plays what a person made of it."""
    for seed in range(60):
        rng, data, orders, player = drawn(seed, odd=0.1 * (seed % 2))
        kind = ("BONE", "OBJECT")[seed // 2 % 2]
        axes, options = axes_of(rng, kind)
        kind = "BONE" if options["axes"] == "FBX_CM" else kind  # objects there hang on what is as small
        clip, source = imported(data, Report(), node_kind=kind, scale=1.0 + seed % 3, **options, **orders)
        target, asked = Destination(source=source), animx.ExportOptions()
        same = clip.nodes if seed % 2 or kind == "OBJECT" else [replace(node) for node in clip.nodes]
        captured = replace(through_blender(clip, rate=64.0), nodes=same)
        untouched = animx.from_clip(captured, asked, Report(), target)
        assert animx.write_animj(untouched) == animx.write_animj(source.document)
        later, report = [replace(marker, time=marker.time + 0.25) for marker in clip.markers], Report()
        if seed % 4 == 1:
            animx.from_clip(replace(captured, markers=later), asked, report, target)
            assert (messages.TEXTS_KEPT in {entry.template for entry in report.warnings}) == bool(later)
        edits, chosen, gone = drawn_edits(rng, clip)
        found = replace(through_blender(clip, in_turn(edits, gone), 64.0), nodes=same)
        found.duration += 0.005 * (seed % 3)
        document = animx.from_clip(found, asked, Report(), target)
        assert not seed % 3 or document.duration == np.float32(found.duration)
        written, changed = animx.write(document), zip(source.document.tracks, document.tracks)
        again, names, played = Player(written, **orders), dict(zip(player.nodes, clip.nodes)), set()
        for old, new, (one, other) in zip(player.tracks, again.tracks, changed, strict=True):
            place = (names[old.node].name, *role_of(old)[:2])
            if place not in chosen or place in played or old.type == "string" or not len(old.times):
                for part in ("values", "times", "modes", "texts", "type"):
                    np.testing.assert_array_equal(getattr(old, part), getattr(new, part))
                continue
            played.add(place)
            track, at, way = chosen[place]
            rows = {row.component: row for row in found.tracks if (row.node, row.kind, row.property) == place}
            others = np.arange(len(old.times)) != at
            if way == 0 and len(others) == len(new.times) and seed % 2 == 0:  # of bools every bit
                assert (np.asarray(one.values)[others] == np.asarray(other.values)[others]).all()
            if way in (0, 3) and seed % 2 == 0 and old.type.startswith(("float", "double")):
                assert (old.times == new.times).all() and old.modes == new.modes
                for part in ("values", "left", "right"):
                    one, other = getattr(old, part), getattr(new, part)
                    same = np.full(len(others), True) if part == ("values" if way else "") else others
                    assert one is None or (one[same] == other[same]).all(), (seed, way, part)
            transform = track.kind is TrackKind.TRANSFORM
            for moment in rng.uniform(-1.0, 2.0, 6):
                value = playable(new, Counter())[0].at(moment) / (255 if old.type == "color32" else 1)
                value = np.floor(value + 0.5) if old.type.startswith("bool") else value
                value = in_blender(value, track.property, axes) if transform else value
                resting = RESTING.get(track.property, (0.0,) * track.width)
                expected = [plain.value(rows[at], moment)[0] if at in rows else rest for at, rest in enumerate(resting)]
                if old.type.startswith("bool"):
                    expected = [number > 0.5 for number in expected]
                most = (
                    1e-4 * max(1.0, np.abs(value).max()) if old.type.startswith(("float", "double", "color")) else 0.51
                )
                assert np.abs(value - expected).max() < most, (seed, way, old.node, old.field, moment)


def scrambled(rng: plain.Rng, track: FileTrack) -> FileTrack:
    """With any bits in its numbers, modes and flags that mean nothing, and names that are no UTF-8."""
    parts = {name: getattr(track, name) for name in ("times", "values", "left", "right", "interpolation")}
    changed: dict[str, Any] = {
        name: np.frombuffer(rng.bytes(part.nbytes), part.dtype).reshape(part.shape)
        for name, part in parts.items()
        if isinstance(part, np.ndarray)
    }
    flags = track.flags | (0 if track.interpolation is None else 4 * int(rng.integers(64)))
    return replace(track, flags=flags, node=track.node + "\udc80", **changed)


def test_any_document_comes_back_from_every_container() -> None:
    """Bit for bit, also where the orders are told from numbers without sense; and what has changed is seen."""
    refused = 0
    for seed in range(120):
        rng, data, orders, _ = drawn(seed, odd=0.1)
        document = animx.read(data, **orders)
        document.textual, document.trailing = False, rng.bytes(seed % 3)
        if seed % 3:
            document.tracks = [scrambled(rng, track) for track in document.tracks]
        document.container = list(Container)[seed % 5 % 3]
        document.encoding = Encoding[document.container.name]
        asked = {"key_order": document.key_order.name, "tangent_order": document.tangent_order.name}
        written = animx.write(document)
        again = animx.read(written, **asked)
        document.blocks = again.blocks  # which the writer chose
        assert again == document and animx.same_content(document, again), seed
        assert animx.write(again) == animx.write(animx.read(written)) == written, seed
        if document.container is Container.PLAIN:
            changed, bit = bytearray(written), int(rng.integers(8 * len(written)))
            changed[bit // 8] ^= 1 << bit % 8
            with suppress(FormatError):
                other = animx.read(bytes(changed), **asked)
                # of a bool every byte but 0 is true, and is written as 1
                assert other != document or animx.write(other) != bytes(changed), seed
                refused -= 1
            refused += 1
    assert 0 < refused < 40
