"""What a number draws of a file's animation: edits, reworked keys, other figures; and what is written of it then."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from by_path import load
from calls import contents, drawn_value
from drawn_files import TESTS, draw, pick
from through_blender import edited, in_turn, through_blender

from io_formats import FORMATS, convert, open_in_steps
from io_formats.clip import Clip, Node, Source, humanoid, rest_pose, retarget, rework
from io_formats.clip.pose import Off
from io_formats.errors import FormatError, Report
from io_formats.files.steps import finished
from io_formats.format import Destination

Rng = np.random.Generator
BODIES: Any = load(TESTS / "formats" / "test_reference_bodies.py", "reference_of_bodies")


def clip(number: int, folder: Path) -> str:
    """All that is said and made of one animation of a drawn file."""
    chance, rng, report = random.Random(f"clip {number}"), np.random.default_rng(number), Report()
    told: list[str] = []
    try:
        file: Any = finished(open_in_steps(draw(chance, folder, "one"), 16 << 20, report))
        reading = options(chance, file.format.read_options)
        clips = finished(convert.clips_of(file, reading, None, report))
        at = chance.randrange(len(clips))
        found, rate = clips[at], chance.choice((24.0, 30.0, 60.0, 25.0))
        told.append(shown(found))
        if chance.random() < 0.15:
            found = humanoid.as_body(BODIES.flat(rng)[0])
        found = through_blender(found, in_turn(edits(chance, found)), rate)
        for treat in chance.sample(TREATMENTS, chance.choice((0, 0, 1, 1, 2))):
            found = treat(chance, rng, found, report)
            told.append(shown(found))
        source = Source(file.document, clips[at], at, options=reading) if chance.random() < 0.7 else None
        kind = file.format if source else chance.choice(FORMATS)
        told += written(chance, kind, found, Destination(source=source, file="WALK"), report, folder)
    except FormatError as error:
        told.append(str(error))
    return "\n".join([*map(str, (*report.warnings, *report.notes)), *told]).replace(str(folder), "")


def written(chance: random.Random, kind: Any, found: Clip, to: Any, report: Report, folder: Path) -> list[str]:
    """A file of a clip, and what it plays of it."""
    heard: list[Any] = []
    writing = options(chance, kind.write_options)
    document = finished(kind.from_clip(found, writing, report, replace(to, tell=heard.append)))
    ending = chance.choice(kind.extensions)
    path = folder / f"made{ending}"
    path.write_bytes(finished(kind.write(document, ending, writing, report)))
    told = [contents(path), *map(str, (each.promise for each in heard))]
    for each in heard:
        again = finished(open_in_steps(path, 16 << 20, report))
        again.skeleton = each.skeleton
        played = finished(kind.played(again, each, writing))
        told += [shown(played), f"{each.names} {each.later} {each.lasts} {sorted(each.absent)} {each.rays}"]
    return told


def options(chance: random.Random, kind: Any) -> Any:
    """Options of which a few are not as usual."""
    declared = [each for each in fields(kind) if each.metadata["convert"] and each.name != "skeleton"]
    chosen = pick(chance, declared, lambda each: each.name, chance.choice((0, 0, 1, 2, 3)))
    return kind(**{each.name: drawn_value(chance, each) for each in chosen})


def edits(chance: random.Random, found: Clip) -> list[Any]:
    """Some keys of some tracks changed."""
    rows = [row for track in found.tracks for row in track.rows() if len(row.times)]
    chosen = chance.sample(rows, min(len(rows), chance.choice((0, 1, 1, 2, 4))))
    return [edited(row, chance.randrange(len(row.times)), chance.randrange(5), 0.3) for row in chosen]


def shown(found: Clip) -> str:
    """All that a clip says."""
    lines = [f"{found.name} {found.duration} {found.rate} {found.parents_known} {found.cyclic} {found.root.tolist()}"]
    for node in found.nodes:
        about = {name: value for name, value in vars(node).items() if name not in ("rest", "turn", "settings")}
        lines.append(f"{about} {np.asarray(node.rest).tolist()} {np.asarray(node.turn).tolist()}")
    for track in found.tracks:
        name = f"{track.node} {track.kind} {track.property} {track.component} {track.before} {track.after}"
        parts = (track.times, track.values, track.interpolation, *(track.handles or ()))
        lines.append(f"{name} {[part.tolist() for part in parts]}")
    return "\n".join([*lines, *map(str, found.markers)])


# --- Treatments -------------------------------------------------------------------------------------------------------


def reworked(chance: random.Random, rng: Rng, found: Clip, report: Report) -> Clip:
    """Smooth, fewer or whole keys."""
    kinds = {each.name: each for each in fields(FORMATS[0].read_options)}
    names = [name for name in kinds if name.startswith(("smooth", "thin"))]
    work = rework.Rework(FORMATS[0].read_options(**{name: drawn_value(chance, kinds[name]) for name in names}))
    result = work.of(found, rework.SceneFrames(24.0) if chance.random() < 0.4 else None)
    work.tell(report)
    return result


def closed(chance: random.Random, rng: Rng, found: Clip, report: Report) -> Clip:
    """Made cyclic."""
    return rework.closed(found, FORMATS[0].import_options(seam_location=chance.choice((0.0, 10.0, 1000.0))), report)


def other_nodes(rng: Rng, found: Clip) -> list[Node]:
    """Nodes of the same names, some of them with other rests, parents or sizes, some gone, one new."""
    nodes: list[Node] = []
    names: list[str | None] = [None]
    for node in found.nodes:
        if rng.random() < 0.1:
            continue
        rest = np.array(node.rest, float)
        rest[:3, 3] *= rng.choice((1.0, 1.0, 2.0))
        if rng.random() < 0.3:
            rest[:3, :3] = BODIES.tilted(rng.uniform(-2.0, 2.0), rng.normal(size=3))[:3, :3]
        parent = node.parent if node.parent in names and rng.random() < 0.8 else names[rng.integers(len(names))]
        nodes.append(replace(node, rest=rest, parent=parent))
        names.append(node.name)
    return [*nodes, Node("Added", names[-1])]


def root_of(rng: Rng) -> Any:
    """What carries nodes: nothing, or something moved, turned and scaled."""
    root = BODIES.tilted(rng.choice((0.0, math.pi / 2, 0.4)), rng.normal(size=3))
    root[:3, :3] *= rng.choice((1.0, 2.0, 0.01))
    root[:3, 3] = rng.choice((0.0, 1.0), 3)
    return root


def moved_over(chance: random.Random, rng: Rng, found: Clip, report: Report) -> Clip:
    """From rest to rest."""
    nodes, scale = other_nodes(rng, found), rng.choice((1.0, 2.0))
    report.note(f"{retarget.enlargement(found, nodes)} {humanoid.fits(found, nodes)}")
    return retarget.from_rest_to_rest(found, nodes, report, tilt=root_of(rng)[:3, :3].round(), scale=scale)


def rebased(chance: random.Random, rng: Rng, found: Clip, report: Report) -> Clip:
    """The same motion on other nodes."""
    lines = Off(1e-3, 1e-3) if chance.random() < 0.3 else None
    return rest_pose.rebase(found, other_nodes(rng, found), root_of(rng), report=report, lines=lines)


def followed(chance: random.Random, rng: Rng, found: Clip, report: Report) -> Clip:
    """Bones that turn with joints."""
    nodes = other_nodes(rng, found)
    return retarget.follow_joints(found, nodes, root_of(rng), report, placed=[node.name for node in nodes[:2]])


def on_a_body(chance: random.Random, rng: Rng, found: Clip, report: Report) -> Clip:
    """On a figure of the same parts."""
    posed = humanoid.posed_as(found, other_nodes(rng, found))
    return found if posed is None else posed.clip


TREATMENTS: list[Callable[[random.Random, Rng, Clip, Report], Clip]] = [
    reworked, reworked, closed, moved_over, rebased, followed, on_a_body,
]  # fmt: skip
