"""What a document holds, for `info`."""

from __future__ import annotations

from collections import Counter

from ..format import Facts
from .document import Document, Track
from .to_clip import shown


def describe(document: Document) -> Facts:
    """Return version, counts, duration and names, ready for JSON."""
    kinds = Counter(track.track_type for track in document.tracks)
    return {
        "version": "AnimJ" if document.textual else document.version,
        "name": shown(document.name),
        "container": "json" if document.textual else document.container.value,
        "key_order": document.key_order.value,
        "tangent_order": document.tangent_order.value,
        "duration": document.playing_time,
        "rate": 0.0,
        "track_count": len(document.tracks),
        "keys": sum(track.key_count for track in document.tracks),
        "track_types": {kind.name.capitalize(): count for kind, count in kinds.items()},
        "nodes": list(dict.fromkeys(shown(track.node) for track in document.tracks)),
        "tracks": [_describe_track(track) for track in document.tracks],
    }


def plays(document: Document) -> bool:
    """Return whether the file animates anything."""
    return bool(document.tracks)


def _describe_track(track: Track) -> Facts:
    return {
        "node": shown(track.node),
        "property": shown(track.property),
        "type": track.track_type.name.capitalize(),
        "value": track.type.name,
        "keys": track.key_count,
    }
