"""What a captured clip has of its file: tracks to relate curves to, name, range, markers; and whether all is kept."""

from __future__ import annotations

import numpy as np

from ...io_formats.clip import Clip, Marker, Node
from ...io_formats.errors import Report
from ...io_formats.scene_options import ImportOptions
from .. import actions, messages, rates, targets
from .curve_tracks import CurveReader, Sources
from .keys import KeyReader
from .scope import Scope
from .stage import Stage


def curve_reader(scope: Scope, stage: Stage) -> CurveReader:
    """Makes tracks of curves, related to what the importer wrote."""
    if scope.provenance is None:
        return CurveReader(scope.span, Sources(None, set()))
    sources = Sources(scope.written, _converted(scope, stage))
    return CurveReader(scope.span, sources, scope.provenance.placement.rate)


def _converted(scope: Scope, stage: Stage) -> set[int]:
    """Ids of the written tracks that the importer converted for a target with another rest pose."""
    if scope.written is None or not scope.provenance.placement.rebased:
        return set()
    target = _target(scope, stage, {node.name for node in scope.written.nodes})
    nodes = targets.nodes_as_they_are(scope.written, target)
    if nodes is None:
        return set()
    options = ImportOptions(fit=scope.provenance.options.get("fit", ImportOptions.fit))
    kept = targets.onto_nodes(scope.written, nodes, target, options, Report()).tracks
    return {id(track) for track in scope.written.tracks} - {id(track) for track in kept}


def _target(scope: Scope, stage: Stage, known: set[str]) -> targets.Target:
    """What an import of the `known` nodes would find here."""
    bones = {} if scope.main is None else stage.naming.bones[scope.main.name]
    things = {stage.naming.objects[thing.name]: thing for thing in stage.things}
    return targets.Target(
        scope.main,
        {node: bone for bone, node in bones.items() if node in known},
        {node: thing for node, thing in things.items() if node in known},
        unit=rates.unit_of(scope.context.scene),
    )


def clip_name(scope: Scope) -> str:
    """The file's own name for the animation while the Action has the name that the importer gave it."""
    action = scope.cast.action
    if action is None:
        return str(scope.cast.objects[0].name) if scope.cast.objects else ""
    if scope.provenance is None or is_renamed(scope):
        return str(action.name)
    return scope.provenance.placement.clip_name


def is_renamed(scope: Scope) -> bool:
    """Whether the Action has another name than the importer gave it."""
    action, provenance = scope.cast.action, scope.provenance
    return action is not None and provenance is not None and provenance.placement.given_name != action.name


def markers(scope: Scope) -> list[Marker]:
    """The Action's markers; those of the file that are still there with the file's own time and text."""
    if scope.cast.action is None:
        return []
    found = [(marker.frame, marker.name) for marker in scope.cast.action.pose_markers]
    left = _written_markers(scope)
    if scope.written is not None and sorted(found) == sorted(label for label, _ in left):
        return list(scope.written.markers)
    if scope.provenance is not None and scope.written is not None:
        scope.because(messages.CAPTURE_MARKERS)
    result = []
    for label in found:
        known = next((entry for entry in left if entry[0] == label), None)
        if known is not None:
            left.remove(known)
        time = float(scope.span.seconds(np.array(label[0])))
        result.append(Marker(time, label[1]) if known is None else known[1])
    return sorted(result, key=lambda marker: marker.time)


def _written_markers(scope: Scope) -> list[tuple[tuple[int, str], Marker]]:
    """The file's markers by the frame and name that Blender has of them."""
    if scope.written is None or scope.provenance is None:
        return []
    rate, start = scope.provenance.placement.rate, scope.provenance.placement.start_frame
    return [(actions.marker_label(marker.time * rate + start, marker.text), marker) for marker in scope.written.markers]


def is_exact(scope: Scope, keys: KeyReader, nodes: list[Node]) -> bool:
    """Whether everything is as the importer left it; what is not is noted."""
    if scope.provenance is None or scope.written is None or not scope.provenance.kept:
        return False
    if not keys.curves.same_rate:
        old = round(keys.curves.placed_rate, 4)
        scope.because(messages.CAPTURE_RATE, rate=round(scope.span.rate, 4), old=old)
    _check_curves(scope, keys)
    _check_context(scope, scope.written, nodes)
    if not scope.timing.kept or bool(scope.cast.action.use_cyclic) != scope.written.cyclic:
        scope.because(messages.CAPTURE_RANGE)
    return not scope.reasons


def _check_curves(scope: Scope, keys: KeyReader) -> None:
    found = {player.action.name: player.origin for player in scope.cast.players if player.origin is not None}
    gone = sum(len(origin.curves) for origin in found.values()) - keys.unchanged - keys.edited
    if keys.edited:
        scope.because(messages.CAPTURE_EDITED, count=keys.edited)
    if gone > 0:
        scope.because(messages.CAPTURE_CURVES_GONE, count=gone)


def _check_context(scope: Scope, written: Clip, nodes: list[Node]) -> None:
    for player in scope.cast.players:
        if player.origin is None or not player.curves or player.is_intact:
            continue
        changed = [node.name for node in nodes if node is not written.node(node.name)]
        if player.owner == scope.main and changed:
            scope.because(messages.CAPTURE_REST, name=", ".join(changed[:5]))
        else:
            scope.because(messages.CAPTURE_CONTEXT, name=player.owner.name)
