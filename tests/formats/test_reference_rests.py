"""Drawn clips on other nodes, against worlds that a loop over plain numbers multiplies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import plain
import pytest

from io_formats.clip import LOCATION, ROTATION, SCALE, Clip, Node, Track, TrackKind, Wrap, messages, rest_pose
from io_formats.errors import Report

HOLD = Wrap.HOLD, Wrap.HOLD


def others(rng: plain.Rng, clip: Clip, *, apart: bool, single: bool) -> list[Node]:
    """The clip's nodes with other rests, as float32 has them, some gone, others between; `apart`: of other parents."""
    found: list[Node] = []
    for node in clip.nodes:
        kind, names = rng.integers(8), [other.name for other in found]
        parent = node.parent if node.parent in names else None
        if apart and kind > 2:
            parent = str(rng.choice(names)) if kind != 5 and names else None
        if kind == 4:
            found.append(Node(f"between {node.name}", parent, plain.matrix(rng)))
            parent = found[-1].name
        if kind != 7:
            rest = (
                (np.float32(node.rest) if single else node.rest)
                if kind < 3
                else plain.matrix(rng, odd=rng.random() < 0.1)
            )
            found.append(replace(node, parent=parent, rest=rest))
    return found


def moments(rng: plain.Rng, clip: Clip, count: int = 4) -> list[float]:
    """Times from the first key, or 0, to the last or the clip's end, the first of them before most of it moves."""
    times = [float(time) for track in clip.tracks for time in track.times[[0, -1]]] + [0.0, clip.duration]
    return [min(times) + 1e-4, *rng.uniform(min(times), max(times), count)]


def wanted(clip: Clip, nodes: list[Node], root: Any, turns: dict[str, Any], at: float) -> dict[str, tuple[Any, Any]]:
    """By node its matrix in its parent's, and what is constant where its keys can be mapped."""
    old, new, own, found = plain.worlds(clip, at), {None: root}, {node.name: node for node in clip.nodes}, {}
    for node in nodes:
        new[node.name] = held = new[node.parent] @ node.rest
        if node.name in own:
            new[node.name] = old[node.name] @ turns.get(node.name, np.eye(4))
            change = np.linalg.inv(held) @ old[own[node.name].parent] @ own[node.name].rest
            found[node.name] = np.linalg.inv(new[node.parent]) @ new[node.name], change
    return found


@pytest.mark.parametrize(
    ("count", "scales", "apart"), [(20, False, False), (14, True, False), (12, False, True), (12, True, True)]
)
def test_worlds_stay(count: int, scales: bool, apart: bool) -> None:
    """Exactly where parents move alike; as near as is told where they do not; the same tracks where nothing changes."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        clip = replace(plain.clip(rng, names="abcd"[: 4 - apart], scales=scales), rate=240.0)  # nothing is too fast
        for one in clip.tracks:  # of two first keys at one time the one would be held before, where nothing begins
            one.times[:1] -= 1 / 64
        for one in clip.tracks[seed % 4 :: 4]:  # at rest, or bent between keys that are
            one.values[:] = one.values[:, :1]
        nodes, report = others(rng, clip, apart=apart, single=seed % 2 == 1), Report()
        root = plain.matrix(rng, 2.0) if seed % 3 else clip.root
        turns = {node.name: plain.matrix(rng) for node in nodes[::3]}
        for turn in list(turns.values())[seed % 4 :]:
            turn[:3, 3] = 0.0
        seen = [Track.constant(name, LOCATION, [1.0] * 3, kind=TrackKind.CUSTOM) for name in "ac"]
        moved = rest_pose.rebase(replace(clip, tracks=[*seen, *clip.tracks]), nodes, root, report=report, turns=turns)
        result = replace(moved, tracks=[one for one in moved.tracks if one.kind is TrackKind.TRANSFORM])
        others_of = [one for one in moved.tracks if one.kind is TrackKind.CUSTOM]
        assert others_of == [one for one in seen if any(one.node == node.name for node in nodes)]
        said = {entry.template: entry.values for entry in (*report.notes, *report.warnings)}
        worst = said.get(messages.TRACKS_SAMPLED, {"tracks": 0})
        fast = said.get(messages.TRACKS_TOO_FAST, {"names": ""})["names"].split(", ")
        size, sampled, written = np.cbrt(np.linalg.det(root[:3, :3])), 0, False
        times = moments(rng, clip, 12 if apart else 4)
        poses = [wanted(clip, nodes, root, turns, at) for at in times]
        for node in nodes:
            own, source = ([one for one in each.tracks if one.node == node.name] for each in (result, clip))
            assert bool(own) <= (node.name in poses[0])
            repeating = [one.property for one in source if (one.before, one.after) != HOLD and np.ptp(one.times) > 0.1]
            repeating = [] if any(not np.ptp(one.values, axis=1).any() for one in source) else repeating  # at rest
            written |= any((one.before, one.after) == HOLD and one.property in repeating for one in own)
            if node.name not in poses[0]:
                continue
            local, changes = (np.array(side) for side in zip(*(one[node.name] for one in poses)))
            turn = turns.get(node.name, np.eye(4))
            steady = np.ptp(changes, axis=0).max() < 1e-9 and np.ptp(np.linalg.svd(changes[0, :3, :3])[1]) < 1e-6
            steady &= not turn[:3, 3].any() and np.linalg.det(changes[0, :3, :3]) > 0
            steady &= bool(np.isin(turn, (-1, 0, 1)).all()) or not any(one.property == SCALE for one in source)
            sampled += 0 if steady else sum(len(track.values) for track in own)
            if np.abs(changes - np.eye(4)).max() < 1e-5 and node.name not in turns:
                assert own == source, (seed, node.name)
                continue
            basis = np.linalg.inv(node.rest) @ local
            axes = basis[:, :3, :3] / np.linalg.norm(basis[:, :3, :3], axis=1, keepdims=True)
            if np.abs(axes.swapaxes(1, 2) @ axes - np.eye(3)).max() > 1e-4 or node.name in fast:
                continue
            for one in own:  # the short way from one to the next
                if one.property == ROTATION and len(one.values) == 4 and not steady:
                    assert (one.values[:, 1:] * one.values[:, :-1]).sum(axis=0).min(initial=0.0) >= 0.0, (
                        seed,
                        node.name,
                    )
            off = basis - [plain.basis(own, at) for at in times]
            exact = len({one.property for one in source}) == len(source)  # else handles may be fitted again
            most = ((1e-9, 1e-9), (1e-5, 1e-5))[seed % 2] if exact else (1e-4, 2e-4)
            if not steady:
                most = worst["place"] / 1000 / size + most[0], np.radians(worst["degrees"]) + 2e-3 * scales + 1e-6
            assert np.linalg.norm(off[:, :3, 3], axis=1).max() < most[0], (seed, node.name)
            assert np.abs(off[:, :3, :3]).max() < most[1], (seed, node.name)
        assert worst["tracks"] == sampled, seed
        assert written <= (messages.WRAPS_WRITTEN_OUT in said), seed


def test_a_node_whose_axes_are_turned() -> None:
    """Sizes follow where the new axes lie on old ones, else they stay."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        turn = plain.matrix(rng)
        turn[:3, 3] = 0.0
        tracks = [one for name in (LOCATION, ROTATION, SCALE)[: seed % 4] for one in plain.tracks(rng, "a", name)]
        clip = Clip("", 2.0, tracks=tracks)
        result = rest_pose.turned_frame(clip, "a", tracks, turn, Report())
        sizes = [one for one in tracks if one.property == SCALE]
        if not np.isin(turn, (-1, 0, 1)).all():
            assert [one for one in result if one.property == SCALE] == sizes
            tracks, result = ([one for one in side if one.property != SCALE] for side in (tracks, result))
        for at in moments(rng, clip):
            expected = np.linalg.inv(turn) @ plain.basis(tracks, at) @ turn
            assert np.abs(plain.basis(result, at) - expected).max() < 2e-4, seed


def test_a_clip_without_parents_on_a_skeleton() -> None:
    """Poses are those in the skeleton's parents, what no track drives is as it rests; the rest of the clip stays."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        clip, skeleton = plain.clip(rng, names="dbxa", scales=True), plain.clip(rng, names="abcd").nodes
        clip.nodes = [replace(node, parent=None, placeholder=rng.random() < 0.3) for node in clip.nodes]
        clip.parents_known, clip.rests_known = False, bool(seed % 5)
        root = plain.matrix(rng, 2.0)
        clip.tracks += [Track.constant(name, "seen", [1.0], kind=TrackKind.CUSTOM) for name in "bd"]
        found = rest_pose.adopted(clip, skeleton, root)
        assert found.parents_known and [node.name for node in found.nodes] == ["a", "b", "c", "d", "x"]
        bare, at = {node.name: node for node in clip.nodes}, float(rng.uniform(-0.5, 1.5))
        worlds, world = plain.worlds(found, at), {None: root}
        for node in skeleton:
            own = [one for one in clip.tracks if one.node == node.name and one.kind is TrackKind.TRANSFORM]
            local = plain.basis(own, at)
            rest = node.rest
            if own and clip.rests_known:
                size = np.cbrt(np.linalg.det(node.rest[:3, :3]))
                left = {name: np.eye(4) for name in (LOCATION, ROTATION, SCALE)}
                left[LOCATION][:3, 3] = node.rest[:3, 3]
                left[ROTATION][:3, :3], left[SCALE][:3, :3] = node.rest[:3, :3] / size, np.eye(3) * size
                driven = {name: [one for one in own if one.property == name] for name in left}
                place, turn, sizes = (plain.basis(driven[name], at) if driven[name] else left[name] for name in left)
                local = place @ turn @ sizes
                rest = bare[node.name].rest if node.parent is None else np.eye(4)
            world[node.name] = world[node.parent] @ rest @ local
            assert np.abs(world[node.name] - worlds[node.name]).max() < 1e-9, (seed, node.name)
        assert rest_pose.adopted(found, skeleton, np.eye(4)) is found
        lost = {node.name for node in clip.nodes if node.placeholder} - {node for node, _ in clip.driven}
        assert (rest_pose.only_driven(found, replace(clip, parents_known=True)) is found) == (not lost)
        found.tracks += [Track.constant(name, LOCATION, [1.0, 0.0, 0.0]) for name in lost]
        for parents in (True, False):
            kept = [id(one) for one in rest_pose.only_driven(found, replace(clip, parents_known=parents)).tracks]
            for one in found.tracks:
                driven = one.node not in lost and (parents or (one.node, one.property) in clip.driven)
                assert (id(one) in kept) == (driven or one.kind is TrackKind.CUSTOM)
