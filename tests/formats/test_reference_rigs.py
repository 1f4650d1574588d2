"""Drawn motion on rigs that are built otherwise, against matrices of plain numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import plain
import pytest
from plain import horn, in_a_plane, rests, short_way, tilted, turn_of, unit
from textbook import rotation

from io_formats.clip import CONSTANT, LINEAR, LOCATION, ROTATION, Clip, Node, Track, TrackKind, Wrap, messages, retarget
from io_formats.errors import Report

Array = plain.Array


def moments(rng: plain.Rng, clip: Clip, count: int = 4) -> Array:
    """Times of a clip, or of keys before and behind it."""
    ends = [0.0, clip.duration, *(float(time) for track in clip.tracks for time in track.times)]
    return rng.uniform(min(ends), max(ends), count)


def angle(turn: Array) -> float:
    """Of a rotation (3, 3)."""
    return float(np.linalg.norm(turn - np.eye(3)) / np.sqrt(2))  # as its sine is, for small ones


def above(nodes: list[Node], name: str, names: Any) -> str | None:
    """The next ancestor among some."""
    parents = {node.name: node.parent for node in nodes}
    at = parents[name]
    while at is not None and at not in names:
        at = parents[at]
    return at


# --- From rest to rest ------------------------------------------------------------------------------------------------


def rig_of(rng: plain.Rng, clip: Clip, apart: bool) -> list[Node]:
    """The clip's nodes with other axes and places, some between them, beside them or gone; those that stay are others'
    children where they are `apart`."""
    found: list[Node] = []
    for node in clip.nodes:
        kind, names = rng.integers(6), [other.name for other in found]
        if kind == 0 and apart:
            continue
        parent = above(clip.nodes, node.name, names)
        if kind == 1:
            found.append(Node(f"between {node.name}", parent, plain.matrix(rng)))
            parent = found[-1].name
        if kind == 2 and apart:
            parent = str(rng.choice(names)) if names else None
        rest = plain.matrix(rng, odd=not apart and rng.random() < 0.3)
        if kind > 3:  # where the clip has it, turned by next to nothing or by what counts
            held = rests(found)[parent]
            little = tilted(rng.choice((0.0, 1e-4, 4e-4)), rng.normal(size=3))
            rest = np.linalg.inv(held) @ rests(clip.nodes)[node.name] @ little
        found.append(Node(node.name, parent, rest))
    return found


@pytest.mark.parametrize("apart", [False, True])
def test_each_node_leaves_its_own_rest_as_its_namesake_does(apart: bool) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        clip = plain.clip(rng, scales=not apart)
        clip.tracks = [one for one in clip.tracks if one.property != "scale"]
        clip.tracks.append(Track.constant("a", "seen", [1.0], kind=TrackKind.CUSTOM))
        nodes, report, scale = rig_of(rng, clip, apart), Report(), float(rng.choice((1.0, 2.5)))
        tilt = None if seed % 3 else plain.matrix(rng)[:3, :3]
        moved = retarget.from_rest_to_rest(clip, nodes, report, tilt=tilt, scale=scale)
        kept = clip.tracks[-1:] if any(node.name == "a" for node in nodes) else []
        assert moved.nodes == nodes and [one for one in moved.tracks if one.kind is TrackKind.CUSTOM] == kept
        said = {entry.template: entry.values for entry in (*report.notes, *report.warnings)}
        worst = said.get(messages.TRACKS_SAMPLED, {"place": 0.0, "degrees": 0.0})
        fast = said.get(messages.TRACKS_TOO_FAST, {"names": ""})["names"].split(", ")
        refit = {one.values["name"]: one.values["percent"] / 25 for one in report.notes if "percent" in one.values}
        old, new, size = rests(clip.nodes), rests(nodes), np.cbrt(np.linalg.det(clip.root[:3, :3]))
        for node in nodes:
            name, parent = node.name, above(nodes, node.name, old)
            own, found = (
                [one for one in each.tracks if one.node == name and one not in kept] for each in (clip, moved)
            )
            if name not in old:
                assert not found
                continue
            turn = turn_of(old[name]).T @ (np.eye(3) if tilt is None else tilt).T @ turn_of(new[name])
            same = parent == above(clip.nodes, name, old)
            if same and scale == 1.0 and angle(turn) < 1.5e-4:
                assert [*map(id, found)] == [*map(id, own)], (seed, name)
                continue
            most = np.array((1e-4, 2e-4)) + refit.get(name, 0.0)  # no curve's range is above 4
            if not same:
                most += worst["place"] / 1000 / size, np.radians(worst["degrees"])
            rest = np.linalg.inv(old[parent]) @ old[name]
            for at in moments(rng, clip) if name not in fast else ():
                world = {None: clip.root} | plain.worlds(clip, at)
                basis, result = np.linalg.inv(world[parent] @ rest) @ world[name], plain.basis(found, at)
                assert np.linalg.norm(turn @ result[:3, 3] / scale - basis[:3, 3]) < most[0], (seed, name)
                basis = basis[:3, :3] / np.linalg.norm(basis[:3, :3], axis=0)
                assert angle(turn @ result[:3, :3] @ turn.T @ basis.T) < most[1], (seed, name)


def links(clip: Clip, nodes: list[Node]) -> list[tuple[Array, Array]]:
    """From each node's next ancestor in both to it, at rest there and here."""
    old, new = rests(clip.nodes), rests(nodes)
    names = [node.name for node in nodes if node.name in old]
    pairs = [(name, above(nodes, name, names)) for name in names]
    return [(old[a][:3, 3] - old[b][:3, 3], new[a][:3, 3] - new[b][:3, 3]) for a, b in pairs if b is not None]


def test_a_tilt_is_taken_that_brings_most_links_nearer() -> None:
    found = {True: 0, False: 0}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        clip, by = plain.clip(rng), tilted(rng.uniform(0.0, 1.0), rng.normal(size=3))
        nodes = [replace(one, rest=by @ one.rest) if one.parent is None else one for one in rig_of(rng, clip, True)]
        tilt = (tilted(rng.uniform(0.0, 2.0), rng.normal(size=3)) if seed % 3 else by)[:3, :3]
        if seed % 5 == 4:  # about the bones themselves, which rounding alone brings nearer; or by what counts
            ahead = tilted(0.0, (1, 0, 0)) + np.outer((0.6, 0.0, 0.8, 0.0), (0.0, 0.0, 0.0, 1.0))
            line = [Node(str(at), str(at - 1) if at else None, ahead) for at in range(40)]
            by = tilted(rng.uniform(0.1, 3.0), ahead[:3, 3]) if seed % 2 else tilted(0.01, (0, 1, 0))
            clip, nodes, tilt = Clip("", nodes=line), [replace(line[0], rest=by @ ahead), *line[1:]], by[:3, :3]
        gain = [0.0]
        for old, new in links(clip, nodes):
            lengths = np.linalg.norm(old) * np.linalg.norm(new)
            gain.append(float((tilt @ old - old) @ new / lengths) if lengths > 1e-9 else 0.0)
        better = retarget.better_tilt(clip, nodes, tilt)
        assert better is (tilt if sum(gain) > 1e-6 * (len(gain) - 1) else None), seed
        found[better is tilt] += 1
    assert min(found.values()) > 20


def test_a_larger_figure_is_one_most_of_whose_links_are_as_much_longer() -> None:
    """Three in four, of three at least, within a hundredth; those too short to tell do not count."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        count, factor = int(rng.integers(2, 10)), float(rng.choice((0.05, 1.0, 30.0)))
        lengths = rng.uniform(0.5, 1.0, count) * rng.choice((1.0, 1.0, 1.0, 1e-4), count)
        factors = factor * rng.choice((1.0, 1.0, 1.0, 1.0, 0.991, 1.009, 1.02, 0.9), count)
        clip, nodes = (
            [Node(str(at), str(at - 1) if at else None, tilted(1.0, rng.normal(size=3))) for at in range(count + 1)]
            for _ in range(2)
        )
        for at, (length, by) in enumerate(zip(lengths, factors), 1):
            clip[at].rest[:3, 3], nodes[at].rest[:3, 3] = (0.0, 0.0, length), (0.0, length * by, 0.0)
        told = [by for length, by in zip(lengths, factors) if length > 1e-3 * max(lengths)]
        middle = sorted(told)[len(told) // 2] if len(told) % 2 else sum(sorted(told)[len(told) // 2 - 1 :][:2]) / 2
        alike = sum(abs(by - middle) <= 0.01 * middle for by in told)
        found = retarget.enlargement(Clip("", nodes=clip), nodes)
        expected = middle if len(told) >= 3 and alike >= 0.75 * len(told) else None
        assert found == pytest.approx(expected), seed


# --- Joints in the world ----------------------------------------------------------------------------------------------

_ABOVE = "arm:, hand:arm, thumb:hand, a0:hand, a1:a0, b0:hand, b1:b0, c0:, c1:c0"
PARENTS = {name: parent or None for name, _, parent in (each.partition(":") for each in _ABOVE.split(", "))}
LEADS = {"hand": "a0", "a0": "a1", "a1": "tip", "b0": "b1", "b1": "lost", "c0": "c1", "thumb": "lost"}


def led(clip: Clip, nodes: list[Node], root: Array, placed: set[str], times: Array) -> dict[str, list[Array]]:
    """By bone where it is at each time, as the module's head says."""
    with_data = {name for name, _ in clip.driven} - {node.name for node in clip.nodes if node.placeholder}
    own, bones = {node.name: node for node in clip.nodes}, rests(nodes)
    ends = {node.leads_to for node in clip.nodes}
    joints = [one.name for one in nodes if one.name in with_data and (own[one.name].leads_to or one.name in ends)]
    turned = {track.node for track in clip.tracks if track.property == ROTATION}
    seen = [plain.worlds(clip, at) for at in times]
    places = {name: np.array([world[name][:3, 3] for world in seen]) for name in own}
    found: dict[str | None, list[Array]] = {None: [root for _ in times]}
    known: dict[str | None, Array] = {}
    for node in nodes:
        name = node.name
        held = [world @ node.rest for world in found[node.parent]]
        found[name] = held = [np.array(world) for world in held]
        if name not in joints:
            continue
        if name in placed and above(nodes, name, joints) is None:
            for world, place in zip(held, places[name]):
                world[:3, 3] = place
        behind = [one for one in joints if above(nodes, one, joints) == name]
        arms = {one: (np.linalg.inv(bones[name]) @ bones[one])[:3, 3] for one in behind}
        arms = {one: held[0][:3, :3] @ arm for one, arm in arms.items() if np.abs(arm).max() > 1e-9}
        if not arms and own[name].leads_to in with_data:
            arms = {own[name].leads_to: held[0][:3, 1]}
        if not arms:
            continue
        axes = [turn_of(world) for world in held]
        arms = {one: axes[0].T @ arm for one, arm in arms.items()}
        long = max(map(np.linalg.norm, arms.values()))
        chosen = [one for one, arm in arms.items() if np.linalg.norm(arm) >= 0.7 * long]
        chosen = chosen if in_a_plane([arms[one] for one in chosen]) else list(arms)
        gaps = np.array([arms[one] for one in chosen])
        wanted = np.stack([places[one] - places[name] for one in chosen], axis=1)
        plane, along, aims = in_a_plane(gaps), unit(gaps.mean(axis=0)), [unit(each.mean(axis=0)) for each in wanted]
        lying = [short_way(one, along, aim) for one, aim in zip(axes, aims)]
        lying = [rotation(horn(gaps, each)) for each in wanted] if plane else lying
        recorded = [turn_of(world[name]) for world in seen]
        total = sum(one.T @ other for one, other in zip(recorded, lying)) / len(times)
        left, _, right = np.linalg.svd(total)
        mean = left @ np.diag((1.0, 1.0, np.linalg.det(left @ right))) @ right
        if name in turned and (np.trace(total.T @ mean) + 1) / 4 >= 0.9:
            rest, over = turn_of(root @ bones[name]), known.get(above(nodes, name, joints))
            if over is not None:
                far = unit(sum(one.T @ aim for one, aim in zip(recorded, aims)))
                ruled = short_way(over, far, rest @ along).T @ rest
                apart = 4 * np.sin(np.arccos(np.clip((np.trace(ruled.T @ mean) - 1) / 2, -1, 1)) / 4)
                mean = ruled if apart < 0.5 else mean
            known[name] = rest @ mean.T
            lying = [one @ mean for one in recorded]
            lying = lying if plane else [short_way(one, along, aim) for one, aim in zip(lying, aims)]
        for world, old, new in zip(held, axes, lying):
            world[:3, :3] = new @ old.T @ world[:3, :3]
    return found


def hand(rng: plain.Rng) -> list[Node]:
    """A rig with bones that are no joints, and with axes that are alike along its fingers, or are not."""
    nodes, most = [], rng.choice((0.2, 3.0))
    for name, parent in PARENTS.items():
        rest = tilted(rng.uniform(0.0, most), rng.normal(size=3))
        rest[:3, 3] = unit(rng.normal(size=3) + np.array((0.0, 3.0, 0.0))) * rng.choice((0.0, *[0.1] * 9))
        rest[:3, 3] *= rng.uniform(0.3, 1.0) if name == "thumb" else 1.0
        if name in ("a1", "c1") and rng.random() < 0.3:
            nodes.append(Node(f"under {name}", parent, plain.matrix(rng)))
            parent = nodes[-1].name
        nodes.append(Node(name, parent, rest))
    return nodes


def recording(rng: plain.Rng, nodes: list[Node]) -> Clip:
    """Joints of a hand that was seen: its turns agree with its places, more or less, or are not told."""
    clip, at = Clip("", 2.01, tracks=[Track.constant("hand", "seen", [1.0], kind=TrackKind.CUSTOM)]), rests(nodes)
    at["tip"], agrees = at["a1"] @ tilted(0.1, (1, 0, 0)), rng.choice((0.0, 0.1, 0.6))
    at["tip"][:3, 3] += rng.normal(size=3) * 0.05
    for top, names in (("hand", ("arm", "b1", "hand", "thumb", "b0", "a0", "a1", "tip")), ("c", ("c0", "c1"))):
        times = np.sort(rng.choice(32, 5, replace=False)) / 16.0
        how = {"times": times, "interpolation": rng.choice((CONSTANT, LINEAR, LINEAR), 5).astype(np.uint8)}
        how["after"] = Wrap(rng.integers(3)) if top == "c" else Wrap.HOLD
        whole, later = [plain.matrix(rng) for _ in times], rng.random() < 0.3
        how["interpolation"][0 if later else -2 :] = LINEAR
        for name in names:
            if name == "tip" and later:  # what a finger points to moves at times of its own
                how = {"times": times + 1 / 32, "interpolation": how["interpolation"]}
            # in axes of its own, alike all along a finger or not
            own = tilted(rng.uniform(0.0, 1.5) * (rng.random() < 0.3), rng.normal(size=3))
            rest = plain.matrix(rng) if rng.random() < 0.1 else np.eye(4)
            node = Node(name, None, rest, leads_to=LEADS.get(name, ""), placeholder=rng.random() < 0.1)
            clip.nodes.append(replace(node, placeholder=node.placeholder and name != "hand"))
            worlds = [each @ own @ tilted(agrees * rng.normal(), rng.normal(size=3)) for each in whole]
            turns = [np.linalg.inv(rest[:3, :3]) @ each[:3, :3] for each in worlds]
            size = np.array((1.0, 1.0, 1.0, 0.0)) * rng.choice((1e-3, 0.02))
            places = [np.linalg.inv(rest) @ each @ (at[name][:, 3] + rng.normal(size=4) * size) for each in whole]
            clip.tracks.append(Track(name, LOCATION, values=np.array(places).T[:3], width=3, **how))
            turned = np.array([np.roll(horn(np.eye(3), turn.T), 1) for turn in turns]).T
            clip.tracks += [Track(name, ROTATION, values=turned, width=4, **how)] if rng.random() < 0.8 else []
    clip.nodes.append(Node("lost"))
    return clip


def test_bones_follow_joints() -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        nodes, report = hand(rng), Report()
        clip, root = recording(rng, nodes), plain.matrix(rng, float(rng.choice((1.0, 2.0, -1.0))))
        placed = {name for name in ("hand", "c0", "b0") if rng.random() < 0.5}
        moved = retarget.follow_joints(clip, nodes, root, report, placed=placed)
        assert moved.nodes == nodes and moved.tracks[:1] == clip.tracks[:1]
        assert not retarget.joints_on(clip, [replace(node, parent=None) for node in nodes])
        lost = {node.name for node in clip.nodes if node.placeholder}
        bones, lengths = {track.node for track in moved.tracks[1:]}, [len(track.times) for track in moved.tracks[1:]]
        assert [entry.values for entry in report.notes] == [{"bones": len(bones), "moments": max(lengths, default=0)}]
        for top in ("hand", "c0"):
            (source, *_) = (track for track in clip.tracks if (track.node, track.property) == (top, LOCATION))
            tree = [name for name in PARENTS if (name[0] == "c") == (top == "c0")]
            own = [track for track in moved.tracks[1:] if track.node in tree]
            assert {track.node for track in own if track.property == LOCATION} == placed & {top} - lost
            times = own[0].times if own else source.times
            pointed = {"tip"} - (lost if top == "hand" and "a1" not in lost else {"tip"})
            keyed = {
                time
                for track in clip.tracks
                if len(track.times) > 1 and track.node in {top, *pointed}
                for time in track.times
            }
            for track in own:
                if source.after is Wrap.HOLD:
                    assert track.times.tolist() == sorted(keyed)
                    assert (track.interpolation[:4] == source.interpolation[:4]).all()
                along = (track.values[:, 1:] * track.values[:, :-1]).sum(axis=0)
                assert track.property == LOCATION or along.min() > -1e-6
            # what is at the end of a round plays just before it, there that of the next
            ends = np.diff(times, append=9.0) < 1e-4
            expected = led(clip, nodes, root, placed, np.where(ends, np.roll(times, -1) - 1e-9, times + 1e-9))
            for number, at in enumerate(times):
                found = plain.worlds(replace(moved, root=root), at)
                for name in tree:
                    assert np.abs(found[name] - expected[name][number]).max() < 1e-5, (seed, name)
