"""Whether a captured clip is as it was imported, so that the file's own bytes say it; and if not, why."""

from __future__ import annotations

from collections.abc import Container, Iterable

from ...io_formats.clip import Clip
from ...io_formats.errors import Entry
from .. import messages
from ..provenance import Provenance
from ..types import is_rig
from .keys import Keyed
from .nodes import Stage
from .players import Player
from .scope import Scope


def changes(scope: Scope, keyed: Keyed, stage: Stage) -> list[Entry]:
    """Return what is not as the importer left it, of what was imported from a file that is kept.

    Args:
        stage: its nodes are the clip's, those that are the file's own the same objects.
    """
    written = scope.written
    if not is_related(scope) or written is None:
        return []
    found = [*_changed_curves(scope, keyed), *_changed_rests(scope, written, stage)]
    if not scope.same_rate:
        values = {"rate": round(scope.span.rate, 4), "old": round(scope.written_rate, 4)}
        found.insert(0, Entry(messages.CAPTURE_RATE, values))
    if not scope.timing.kept:
        found.append(Entry(messages.CAPTURE_RANGE, {}))
    return found


def is_related(scope: Scope) -> bool:
    """Return whether the clip was imported from a file that is kept."""
    return scope.provenance is not None and scope.written is not None and bool(scope.provenance.kept)


def _changed_curves(scope: Scope, keyed: Keyed) -> list[Entry]:
    origins = {player.action.name: player.origin for player in scope.cast.players if player.origin is not None}
    gone = sum(len(origin.curves) for origin in origins.values()) - keyed.unchanged - keyed.edited
    template = messages.CAPTURE_REWORKED if _is_reworked(origins.values()) else messages.CAPTURE_EDITED
    edited = [Entry(template, {"count": keyed.edited})] if keyed.edited else []
    return edited + ([Entry(messages.CAPTURE_CURVES_GONE, {"count": gone})] if gone > 0 else [])


def _is_reworked(origins: Iterable[Provenance]) -> bool:
    return any(origin.placement.reworked for origin in origins)


def _changed_rests(scope: Scope, written: Clip, stage: Stage) -> list[Entry]:
    """Return which imported armatures and objects have another rest pose, parent or rotation mode, or are no nodes."""
    before = {node.name: node for node in written.nodes}
    changed = [node.name for node in stage.nodes if node is not before.get(node.name)]
    owners = [player.owner for player in scope.cast.players if _is_changed(player, stage.naming.of_file)]
    return [
        Entry(messages.CAPTURE_REST, {"name": ", ".join(changed[:5])})
        if owner == scope.main and changed
        else Entry(messages.CAPTURE_CONTEXT, {"name": owner.name})
        for owner in owners
    ]


def _is_changed(player: Player, known: Container[str]) -> bool:
    """Return whether an imported datablock has curves, and another rest pose, parent or rotation mode, or no node.

    Args:
        known: names of the objects that are nodes of the file; an armature's are its bones.
    """
    if player.origin is None or not player.curves:
        return False
    return not player.is_intact or (not is_rig(player.thing) and player.thing.name not in known)
