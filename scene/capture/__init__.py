"""Blender -> Clip: the keys where F-Curves alone make the pose, sampled where anything else takes part.

What is as the importer left it is recognised, so that a format can give it the file's own numbers; if everything is,
`Captured.exact` says so, and the file's own bytes may be written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...io_formats.clip import CONSTANT, RESTING, Array, Clip, Node, Track, TrackKind
from ...io_formats.errors import Entry, FormatError, Report
from ...io_formats.scene_options import ExportOptions
from .. import bake, messages, rates
from ..provenance import Provenance
from . import finer, origin, timing
from . import nodes as capture_nodes
from .choice import Choice
from .curve_tracks import CurveReader
from .keys import KeyReader
from .players import cast_of, still_objects
from .samples import Sampler, moves
from .scope import Scope
from .stage import Stage
from .timing import STEPS


@dataclass
class Captured:
    """A clip and what is known of it.

    Attributes:
        clip: what plays.
        exact: everything is as the importer left it, so that the file's own bytes say it.
        renamed: the Action has another name than the importer gave it.
        unchanged: F-Curves that are as imported.
        edited: F-Curves that are not, or were never imported.
        baked: channels (a location, rotation, scale or other property of a node) that were sampled.
        reasons: why something was sampled or is not exact.
        left_out: (owner, data path) of curves that are no part of the clip.
        unending: properties, as (node, address or property), that move on after the clip in ways no file can say.
        repeating: the same that repeat, but not as the whole clip does when it is played in a loop.
    """

    clip: Clip
    exact: bool = False
    renamed: bool = False
    unchanged: int = 0
    edited: int = 0
    baked: int = 0
    reasons: list[Entry] = field(default_factory=list)
    left_out: list[tuple[Any, str]] = field(default_factory=list)
    unending: set[tuple[str, str]] = field(default_factory=set)
    repeating: set[tuple[str, str]] = field(default_factory=set)

    @property
    def as_imported(self) -> bool:
        """Whether nothing was changed, the Action's name included."""
        return self.exact and not self.renamed


def capture(
    context: Any,
    objects: Sequence[Any],
    action: Any,
    options: ExportOptions,
    report: Report,
    *,
    written: Clip | None = None,
    provenance: Provenance | None = None,
) -> Captured:
    """What `objects` play, as a clip; the scene is as it was afterwards.

    Args:
        objects: to export; the first armature among them carries the clip's root.
        action: which Action; None, or the one that plays, takes what plays, NLA and all. Any other is played alone.
        report: learns what was sampled and why.
        written: what the mapping makes of the file that the Action came from, with that import's options.
        provenance: what the Action knows of its file.
    """
    context.view_layer.update()
    alone, local = options.actions == "ALL", options.space == "LOCAL"
    cast = cast_of(objects, action, provenance if written is not None else None, alone=alone, local=local)
    scope = Scope(context, cast, options, report, written, provenance)
    try:
        captured = _captured(scope)
    except np.linalg.LinAlgError as error:
        raise FormatError(messages.CAPTURE_NO_SPACE, name=capture_nodes.without_space(cast)) from error
    _tell(scope, captured)
    return captured


def _captured(scope: Scope) -> Captured:
    choice = Choice(scope)
    stage = Stage(scope, choice)
    keys = KeyReader(scope, choice, stage, origin.curve_reader(scope, stage))
    keyed = [track for player in scope.cast.players for track in keys.tracks(player)]
    sampled, baked = _sampled_tracks(scope, choice, stage)
    tracks = _in_written_order(_without_still(scope, stage, keyed + sampled), scope.written)
    _tell_sharp(scope, keys.curves)
    clip = timing.placed(_clip(scope, stage, keys.curves, tracks), scope.timing, scope.report)
    return Captured(
        clip,
        exact=origin.is_exact(scope, keys, stage.nodes),
        renamed=origin.is_renamed(scope),
        unchanged=keys.unchanged,
        edited=keys.edited,
        baked=keys.baked + baked,
        reasons=scope.reasons,
        left_out=keys.left_out,
        unending=scope.unending,
        repeating=timing.repeating(clip, scope.timing),
    )


# --- What is sampled ------------------------------------------------------------------------------------------------


def _sampled_tracks(scope: Scope, choice: Choice, stage: Stage) -> tuple[list[Track], int]:
    """Tracks of all that is read from the evaluated scene, and how many channels that are."""
    if not choice.wanted:
        return [], 0
    forced = scope.options.sampling == "BAKE"
    frames = scope.span.samples(steps=1 if forced else STEPS)
    nodes = {node.name: node for node in stage.nodes}
    parts: list[bake.Baked] = []
    with bake.reading(scope.context, choice.wanted, scope.cast.alone_playing()) as read:

        def look(at: Array) -> list[finer.Channel]:
            parts.append(read(at))
            return _channels(choice, stage, nodes, parts[-1])

        _tell_coarse(scope, finer.sample(frames, look, more=not forced))
    baked = bake.joined(parts)
    sampler = Sampler(scope.span.seconds(baked.frames), forced, scope.report)
    tracks = _sampled_transforms(choice, stage, sampler, baked)
    for place, values in zip(choice.driven.values(), baked.values):
        tracks += sampler.values(place, values.T)
    return tracks, sampler.baked


def _channels(choice: Choice, stage: Stage, nodes: dict[str, Node], read: bake.Baked) -> list[finer.Channel]:
    """What is read as it is told: from parent to child, by location, rotation and scale."""
    found: list[finer.Channel] = []
    for rig in choice.wanted.rigs:
        naming = stage.naming.bones[rig.name]
        for node, basis in moves(rig, read.poses[rig.name], naming, nodes, choice.posed[rig.name]):
            found += finer.of_matrices(node.name, basis)
    for thing in choice.wanted.objects:
        found += stage.channels(thing, read)
    return found + [finer.of_values(place.node, rows.T) for place, rows in zip(choice.driven.values(), read.values)]


def _tell_coarse(scope: Scope, off: dict[str, tuple[float, bool]]) -> None:
    for name, (error, turns) in off.items():
        template = messages.CAPTURE_COARSE_TURN if turns else messages.CAPTURE_COARSE
        scope.report.warn(template, name=name, error=math.degrees(error) if turns else error)


def _sampled_transforms(choice: Choice, stage: Stage, sampler: Sampler, read: bake.Baked) -> list[Track]:
    nodes = {node.name: node for node in stage.nodes}
    tracks: list[Track] = []
    for rig in choice.wanted.rigs:
        chosen = choice.posed[rig.name]
        nodes |= stage.loosen(
            rig, sampler.sheared(rig, read.poses[rig.name], stage.naming.bones[rig.name], nodes, chosen)
        )
        tracks += sampler.bones(rig, read.poses[rig.name], stage.naming.bones[rig.name], nodes, chosen)
    for thing in choice.wanted.objects:
        node, basis = stage.object_moves(thing, read)
        tracks += sampler.transforms(node.name, basis)
    return tracks


def _without_still(scope: Scope, stage: Stage, tracks: list[Track]) -> list[Track]:
    """The tracks without those of objects that only stand beside moving ones, which are named; all where asked for."""
    still = still_objects(scope.cast)
    if not still or scope.options.keeps_still:
        return tracks + [track for thing in still for track in _standing(scope, stage, thing)]
    total, names = len(scope.cast.objects) - len(scope.cast.supports), ", ".join(thing.name for thing in still)
    scope.report.note(messages.CAPTURE_STILL, moving=total - len(still), total=total, names=names)
    nodes = {node for thing in still for node in stage.naming.bones.get(thing.name, {}).values()}
    nodes |= {stage.naming.objects.get(thing.name, "") for thing in still}
    return [track for track in tracks if track.node not in nodes]


def _standing(scope: Scope, stage: Stage, thing: Any) -> list[Track]:
    """Constants of an object that is a node and stands at that node's rest."""
    node, start = stage.naming.objects.get(thing.name), scope.span.start
    if node is None or scope.options.sampling == "BAKE":
        return []
    return [Track.constant(node, name, rest, start, interpolation=CONSTANT) for name, rest in RESTING.items()]


# --- The clip -------------------------------------------------------------------------------------------------------


def _clip(scope: Scope, stage: Stage, curves: CurveReader, tracks: list[Track]) -> Clip:
    own, action, rate = scope.written, scope.cast.action, scope.span.rate
    stretched = 1.0 if own is None or curves.same_rate else curves.placed_rate / rate
    kept = own is not None and scope.timing.kept
    return Clip(
        origin.clip_name(scope),
        duration=own.duration * stretched if own is not None and kept else scope.timing.limits[1],
        rate=rate,
        root=stage.root,
        nodes=stage.nodes,
        tracks=tracks,
        markers=origin.markers(scope),
        skeleton=own.skeleton if own is not None else scope.main.data.name if scope.main is not None else "",
        cyclic=bool(action is not None and action.use_cyclic),
        own_skeleton=own.own_skeleton if own is not None else scope.main is not None,
        rests_known=own is None or own.rests_known,
        unit=rates.unit_of(scope.context.scene),
        retimed=None if stretched == 1.0 else (stretched, 0.0),
    )


def _tell_sharp(scope: Scope, curves: CurveReader) -> None:
    for (name, path), error in curves.sharp.items():
        scope.report.warn(messages.CAPTURE_SHARP, name=name, path=path, error=error)


def _tell(scope: Scope, captured: Captured) -> None:
    """Tell the report how much was sampled, and why the file's own bytes do not do."""
    for rig in scope.cast.rigs:
        if rig.data.pose_position == "REST" and rig not in scope.cast.supports:
            scope.report.warn(messages.CAPTURE_REST_POSITION, name=rig.name)
    if captured.baked:
        channels = {(track.node, track.property) for track in captured.clip.tracks}
        keyed = max(len(channels) - captured.baked, 0)
        scope.report.note(messages.CAPTURED, keyed=keyed, baked=captured.baked)
    every = captured.baked or scope.provenance is not None
    for reason in captured.reasons:
        if every or reason.template == messages.CAPTURE_MODIFIER:
            scope.report.note(reason.template, **reason.values)


def _in_written_order(tracks: list[Track], written: Clip | None) -> list[Track]:
    """The tracks in the order of the file's, new ones last."""
    if written is None:
        return tracks
    order: dict[tuple[str, TrackKind, str], int] = {}
    for number, track in enumerate(written.tracks):
        order.setdefault((track.node, track.kind, track.property), number)
    last = len(written.tracks)
    return sorted(tracks, key=lambda track: order.get((track.node, track.kind, track.property), last))
