"""What a captured clip has of its file: tracks that curves can be related to, name and markers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...io_formats.clip import Clip, Marker, Track, TrackKind
from ...io_formats.errors import Entry, Report
from ...io_formats.scene_options import ImportOptions
from .. import actions, messages, rates, targets
from ..data_paths import custom_path
from ..properties import property_key
from .nodes import Stage
from .scope import Scope

_Label = tuple[int, str]
"""Frame and name of a marker in Blender."""


@dataclass(frozen=True)
class Row:
    """One component of a written track.

    Attributes:
        related: the importer wrote the file's own numbers; False where it converted them for another rest pose.
    """

    track: Track
    row: int
    related: bool

    def alone(self) -> Track:
        """Return the component as a track, sharing the block's arrays."""
        return self.track.row(self.row)


class Sources:
    """What the importer wrote, by node, address and component."""

    def __init__(self, written: Clip | None, unrelated: set[int]) -> None:
        """Index the tracks of a clip; `unrelated` are the ids of those that the importer converted."""
        self._rows: dict[tuple[str, str, int], Row] = {}
        self._tracks: dict[tuple[str, str], Track] = {}
        for track in written.tracks if written is not None else ():
            for address in _addresses(track):
                self._tracks.setdefault((track.node, address), track)
                for row in range(len(track.values)):
                    found = Row(track, row, id(track) not in unrelated)
                    self._rows.setdefault((track.node, address, track.component + row), found)

    def find(self, node: str, address: str, component: int) -> Row | None:
        """Return the component of the written track that this curve was, None if there is none."""
        return self._rows.get((node, address, component))

    def known_as(self, node: str, address: str) -> Track | None:
        """Return the written track of a property, whatever its component."""
        return self._tracks.get((node, address))


def _addresses(track: Track) -> list[str]:
    """Return where the importer may have put a track: a custom property stands in for what an object does not have."""
    if track.kind is TrackKind.TRANSFORM:
        return [track.property]
    spare = custom_path(property_key(track.property))
    if track.kind is TrackKind.SHAPE_KEY:
        return [shape_key_address(track.property), spare]
    return [track.property, spare] if track.kind is TrackKind.RNA else [spare]


def shape_key_address(name: str) -> str:
    """Return the address of a shape key's value."""
    return f"key_blocks {property_key(name)}"


def sources_of(scope: Scope, stage: Stage) -> Sources:
    """Return what the importer wrote, empty for what was not imported."""
    if scope.provenance is None:
        return Sources(None, set())
    return Sources(scope.written, _converted(scope, stage))


def _converted(scope: Scope, stage: Stage) -> set[int]:
    """Return the ids of the written tracks that the importer converted for a target with another rest pose."""
    if scope.written is None or not scope.provenance.placement.rebased:
        return set()
    target = _target(scope, stage, {node.name for node in scope.written.nodes})
    asked = scope.provenance.options
    options = ImportOptions(**{name: asked[name] for name in ("fit", "channels") if name in asked})
    meant = targets.as_meant(scope.written, target, options)
    nodes = targets.nodes_as_they_are(meant, target)
    if nodes is None:
        return set()
    kept = targets.onto_nodes(meant, nodes, target, options, Report()).tracks
    return {id(track) for track in scope.written.tracks} - {id(track) for track in kept}


def _target(scope: Scope, stage: Stage, known: set[str]) -> targets.Target:
    """Return what an import of the `known` nodes would find here."""
    bones = {} if scope.main is None else stage.naming.bones[scope.main.name]
    things = {stage.naming.objects[thing.name]: thing for thing in stage.things}
    return targets.Target(
        scope.main,
        {node: bone for bone, node in bones.items() if node in known},
        {node: thing for node, thing in things.items() if node in known},
        unit=rates.unit_of(scope.context.scene),
    )


def clip_name(scope: Scope) -> str:
    """Return the file's own name for the animation while the Action has the name that the importer gave it."""
    action = scope.cast.action
    if action is None:
        return str(scope.cast.objects[0].name) if scope.cast.objects else ""
    if scope.provenance is None or is_renamed(scope):
        return str(action.name)
    return scope.provenance.placement.clip_name


def is_renamed(scope: Scope) -> bool:
    """Return whether the Action has another name than the importer gave it."""
    action, provenance = scope.cast.action, scope.provenance
    return action is not None and provenance is not None and provenance.placement.given_name != action.name


def markers(scope: Scope) -> tuple[list[Marker], list[Entry]]:
    """Return the Action's markers, and why they are not the file's.

    Those of the file that are still there have the file's own time, as the scene's rate plays it, and text.
    """
    if scope.cast.action is None:
        return [], []
    found = [(marker.frame, marker.name) for marker in scope.cast.action.pose_markers]
    left = _written_markers(scope)
    if scope.written is not None and sorted(found) == sorted(label for label, _ in left):
        return [marker for _, marker in left], []
    related = scope.provenance is not None and scope.written is not None
    return _related(scope, found, left), [Entry(messages.CAPTURE_MARKERS, {})] if related else []


def _related(scope: Scope, found: Sequence[_Label], written: Sequence[tuple[_Label, Marker]]) -> list[Marker]:
    """Return markers for the labels `found`, each a written one of that label while there are any."""
    left, result = list(written), []
    for label in found:
        known = next((entry for entry in left if entry[0] == label), None)
        if known is not None:
            left.remove(known)
        time = float(scope.span.seconds(np.array(label[0])))
        result.append(Marker(time, label[1]) if known is None else known[1])
    return sorted(result, key=lambda marker: marker.time)


def _written_markers(scope: Scope) -> list[tuple[_Label, Marker]]:
    """Return the file's markers by the frame and name that Blender has of them."""
    if scope.written is None or scope.provenance is None:
        return []
    rate, start = scope.provenance.placement.rate, scope.provenance.placement.start_frame
    return [
        (
            actions.marker_label(marker.time * rate + start, marker.text),
            Marker(marker.time * scope.stretch, marker.text),
        )
        for marker in scope.written.markers
    ]
