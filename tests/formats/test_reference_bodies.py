"""Drawn bodies out of files that name no parents, against matrices of plain numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import plain
import pytest
from plain import horn, short_way, tilted, turn_of

from io_formats import animx
from io_formats.clip import LINEAR, LOCATION, ROTATION, Clip, Node, Track, humanoid, schemes
from io_formats.errors import Report

Array = plain.Array
Y_UP = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
QUARTERS = [tilted(np.pi / 2, axis)[:3, :3].round() for axis in (*np.eye(3), *-np.eye(3))]
QUARTERS += [first @ other for first in QUARTERS[:3] for other in QUARTERS[:3]]
TRUNK = dict(zip(schemes.TRUNK, "Hips Spine Chest UpperChest Neck Head".split()))
FINGERS = {f"index {number}": f"Index{name}" for number, name in enumerate(("Proximal", "Intermediate", "Distal"), 1)}
LIMBS = {limb: limb.title().replace(" ", "") for limb in schemes.LIMBS} | {"wrist": "Hand"} | FINGERS
NAMES = TRUNK | {f"{key} {limb}": side + LIMBS[limb] for key, side in (("l", "Left"), ("r", "Right")) for limb in LIMBS}
AHEAD = "spine, chest, upper chest, neck, head, upper arm, lower arm, wrist, lower leg, foot, toes, index 2, index 3"
UNDER = {"index 1": "wrist", "index 2": "index 1", "index 3": "index 2"}


def leads_on(part: str) -> bool:
    """Whether what carries a part points at it."""
    return (part if part in TRUNK else part[2:]) in AHEAD.split(", ")


def usual(part: str) -> tuple[str, Array]:
    """What carries a part, and where it is from there: to the left, up and forward."""
    side, limb = ("", part) if part in TRUNK else part.split(" ", 1)
    above, place = schemes.PARTS.get(limb.removesuffix(" 1"), ("", (0.03, 0.0, 0.0)))  # as long is a finger's bone
    above = UNDER.get(limb, above)
    return above if above in TRUNK else f"{side} {above}", np.array(place) * (-1.0 if side == "r" else 1.0, 1.0, 1.0)


def way(part: str, there: Any) -> tuple[str | None, list[str]]:
    """Of the parts that carry it the next that is there; and those on the way, itself first."""
    found, above = [part], usual(part)[0]
    while above in NAMES and above not in there:
        found.append(above)
        above = usual(above)[0]
    return above if above in there else None, found


def places(rng: plain.Rng) -> dict[str, Array]:
    """Where the joints of somebody are who looks along -Y, both sides alike."""
    found: dict[str, Array] = {"": np.zeros(3)}
    longer = {limb: rng.uniform(0.9, 1.1) for limb in (*TRUNK, *LIMBS)}
    for part in NAMES:
        above, place = usual(part)
        found[part] = found.get(above, found[""]) + Y_UP @ place * longer[part if part in TRUNK else part[2:]]
    return found


def values_of(turns: Any) -> Array:
    """(4, n) w, x, y, z of rotations (3, 3)."""
    return np.array([horn(np.eye(3), turn.T)[[3, 0, 1, 2]] for turn in turns]).T


def swings(rng: plain.Rng, name: str, turn: Array, most: float) -> Track:
    """Keys that turn to and fro from a rotation (3, 3), the first of them a little late or not."""
    times, axis = np.linspace(rng.choice((0.0, 0.1)), 1.0, 5), rng.normal(size=3)
    values = values_of(turn @ tilted(size, axis)[:3, :3] for size in rng.uniform(-most, most, 5))
    values *= np.where(values[:, :1].T @ values < 0.0, -1.0, 1.0)
    return Track(name, ROTATION, times, values, np.full(5, LINEAR, np.uint8))


def flat(rng: plain.Rng) -> tuple[Clip, dict[str, str], bool]:
    """What a file says of a body, its parts by name, and whether it hangs on a turned slot."""
    there = [part for part in NAMES if part == "l foot" or rng.random() < 0.93]
    told, along = rng.random() < 0.7, rng.random() < 0.5  # else places of some, and of all else only how it is turned
    at, size, root, rest, stands = places(rng), rng.choice((1.0, 1.0, 0.4)), np.eye(4), np.eye(4), np.eye(4)
    root[:3, :3] = (Y_UP @ QUARTERS[rng.integers(15)] * 0.01) if rng.random() < 0.5 else np.eye(3)
    rest[:3, :3] = turn_of(root).T @ Y_UP
    how = rng.integers(3) if told else 0
    if how:  # on a slot that is turned, and at it or not
        stands[:3, :3] = QUARTERS[rng.integers(15)]
    main, aside = stands[:3, 2], rng.normal(size=3) * 3.0
    stands[:3, 3] = main * (rng.choice((-4.0, -0.8, 4.0)) if how == 2 else 0.0) * size + aside - main * (aside @ main)
    frames, nodes, tracks = {}, [], list[Track]()
    for part in there:
        turns = (QUARTERS[rng.integers(15)], tilted(0.3, rng.normal(size=3))[:3, :3], np.eye(3))
        frames[part] = stands @ np.block([[Y_UP, size * at[part][:, None]], [np.eye(4)[3]]])
        frames[part][:3, :3] = frames[part][:3, :3] @ turns[rng.integers(3) if told else 2]
    for part in rng.permutation(there).tolist():
        name, above = NAMES[part], way(part, there)[0]
        own = np.linalg.inv(root @ rest if above is None else frames[above]) @ frames[part]
        own[:3, 3] /= 1.0 if above is None else np.cbrt(np.linalg.det(root[:3, :3]))
        turn = turn_of(own) @ (
            np.diag((-1.0, -1, 1)) if not told and along and "upper leg" in part and rng.random() < 0.8 else np.eye(3)
        )
        nodes.append(Node(name, None, rest.copy()))
        if rng.random() < 0.9:
            tracks.append(swings(rng, name, turn, 1.3 if part[0] == "r" and "leg" in part and told else 0.3))
        elif np.abs(turn - np.eye(3)).max() > 1e-9:
            tracks.append(Track.constant(name, ROTATION, values_of([turn])[:, 0]))
        if told or rng.random() < 0.2 or (part == "hips" and rng.random() < 0.7):
            moved = rng.choice((0.0, 0.1, 3.0), p=(0.4, 0.4, 0.2)) * np.linalg.norm(own[:3, 3])
            values = own[:3, 3][:, None] + np.outer(rng.permutation((1.0, 0, 0)), (0.0, moved, 0.0))
            tracks.append(Track(name, LOCATION, np.array((0.0, 0.4, 1.0)), values, np.full(3, LINEAR, np.uint8)))
    clip = Clip("", 1.0, root=root, nodes=nodes, tracks=tracks, parents_known=False)
    return clip, {NAMES[part]: part for part in there}, how == 1


def resting(clip: Clip, parts: dict[str, str]) -> dict[str, Array]:
    """What the tracks of each node are relative to: where it is usually, if they do not say."""
    own = {node.name: [one for one in clip.tracks if one.node == node.name] for node in clip.nodes}
    names = {part: name for name, part in parts.items()}
    first = {name: plain.basis(each, 0.0) for name, each in own.items()}
    top = clip.root @ clip.nodes[0].rest
    tall = float((top @ first[names["hips"]])[2, 3]) / 0.95 if "hips" in names else 1.0
    legs = [first[name] for name, part in parts.items() if part.endswith("upper leg")]
    along = all(np.trace(leg) < 2.0 for leg in legs)  # by more than a quarter
    found = {}
    for name, part in parts.items():
        above, behind = way(part, names)
        found[name] = np.eye(4) if above else clip.nodes[0].rest.copy()
        if not any(one.property == LOCATION for one in own[name]):
            place = sum(usual(each)[1] for each in behind) * (tall if tall > 0.2 else 1.0)
            place = np.array((0.0, np.linalg.norm(place), 0.0)) if along and above and leads_on(part) else place
            found[name][:3, 3] += found[name][:3, :3] @ np.linalg.inv(top[:3, :3]) @ Y_UP @ place
    return found


def test_a_body_plays_as_its_file_says_and_rests_in_the_first_pose() -> None:
    hung = connected = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        clip, parts, hangs = flat(rng)
        names = {part: name for name, part in parts.items()}
        above = {name: names.get(way(part, names)[0] or "") for name, part in parts.items()}
        carried = [one.values for one in clip.tracks if one.property == LOCATION and above[one.node]]
        steady = [np.ptp(each, axis=1).max() <= 0.3 * np.linalg.norm(each, axis=0).max() for each in carried]
        found = humanoid.as_body(clip)
        if sum(steady) < 0.75 * len(steady):
            assert found is clip, seed
            continue
        connected += 1
        assert found.recorded is clip and {node.name: node.parent for node in found.nodes} == above, seed
        held, stood = resting(clip, parts), np.eye(4)
        nodes = [replace(node, parent=above[node.name], rest=held[node.name]) for node in found.nodes]
        bodily, at_rest = replace(clip, nodes=nodes), plain.worlds(replace(found, tracks=[]), 0.0)
        first = plain.worlds(bodily, 0.0)
        if hangs and {"hips", "head"} <= names.keys():  # its longest way goes up
            up = first["Head"][:3, 3] - first["Hips"][:3, 3]
            up = np.eye(3)[np.abs(up).argmax()] * np.sign(up[np.abs(up).argmax()])
            stood[:3, :3] = np.diag((1.0, -1, -1)) if up[2] < 0 else short_way(np.eye(3), up, np.eye(3)[2])
            hung += up[2] < 1.0
        assert np.abs(found.root - stood @ clip.root).max() < 1e-9, seed
        turns = {node.name: np.eye(4) if node.turn is None else node.turn for node in found.nodes}
        for at in (0.0, *rng.uniform(0.0, 1.0, 2)):
            shown, wanted = plain.worlds(found, at), plain.worlds(bodily, at)
            for name in parts:
                assert np.abs(shown[name] - stood @ wanted[name] @ turns[name]).max() < 1e-4, (seed, name, at)
        ways: dict[str | None, list[Array]] = {}
        for node in found.nodes:
            turn = turns[node.name]
            assert np.abs(at_rest[node.name] - stood @ first[node.name] @ turn).max() < 1e-6
            assert np.linalg.det(turn) == pytest.approx(1) and np.isin(turn, (-1, 0, 1)).all()
            after = [other for other in found.nodes if other.parent == node.name and leads_on(parts[other.name])]
            ways[node.name] = [other.rest[:3, 3] for other in after]
            if not after:  # as what carries it
                ways[node.name] = [turn_of(node.rest).T @ each for each in ways.get(node.parent, ())]
            assert not ways[node.name] or any(each[1] > np.abs(each).max() - 1e-6 for each in ways[node.name]), seed
        if np.array_equal(clip.root, np.eye(4)) and not hangs:  # a new file of it is the old one
            new = animx.from_clip(replace(found, recorded=None), animx.ExportOptions(still_channels=True), Report())
            again = animx.to_clips(new, animx.ImportOptions(), Report())[0].as_recorded
            for one in clip.tracks:
                (other,) = (each for each in again.tracks if (each.node, each.property) == (one.node, one.property))
                assert np.abs(np.subtract(*(plain.basis([each], 0.6) for each in (one, other)))).max() < 1e-5, seed
    assert hung > 1 and connected > 12
