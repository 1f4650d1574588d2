"""A file that is imported again in the place of an Action that came from it, whatever either is called."""

from __future__ import annotations

from collections.abc import Mapping

from bpy.types import Action

from ..io_formats.errors import Report
from ..scene import fcurves, merging, messages, provenance
from ..scene.capture import players
from ..scene.provenance import Provenance
from ..scene.undo import remove_all
from . import messages as pipeline_messages
from .results import Outcome


def take_places(action: Action, origin: Provenance, outcome: Outcome) -> None:
    """Put what was imported into the places of the Actions that came from the same import as `action`, which go.

    Of other animations in the file originals go, no copies. A name that a person gave an Action stays.

    Args:
        origin: what `action` knows of its file.
        outcome: of that file, imported once more.
    """
    made = outcome.applied.all_actions if outcome.applied is not None else []
    pairs = [(old, new) for new in made for old in _older(new, action, origin)]
    called = {new: (str(old.name), _is_renamed(old)) for old, new in reversed(pairs)}
    for old, new in pairs:
        merging.replace(old, new, outcome.report)
    going = list(dict.fromkeys(old for old, _ in pairs))
    _tell_edited(dict(pairs), outcome.report)
    remove_all([*going, *provenance.left_over(going)])
    for new, (name, renamed) in called.items():
        _call(new, name, outcome.report, renamed=renamed)


def _older(new: Action, action: Action, origin: Provenance) -> list[Action]:
    """Return the Actions whose place a new one takes: several where they were made without slots and it has some."""
    found = provenance.find(new)
    if found is None:
        return []
    parts = players.versions_by_part(origin).get(found.index, {}).values()
    family = players.siblings(action, origin) if found.index == origin.index else [versions[0] for versions in parts]
    owner = provenance.owner_name(new)
    fitting = [old for old in family if not owner or provenance.owner_name(old) == owner]
    return [old for old in fitting if old.library is None]


def _tell_edited(going: Mapping[Action, Action], report: Report) -> None:
    """Warn of F-Curves that a person has changed or added in Actions that go, each with what has its place now."""
    for action, new in going.items():
        edited = _edited(action, new)
        if edited:
            report.warn(pipeline_messages.RELOADED_OVER, name=action.name, count=edited)


def _edited(action: Action, new: Action) -> int:
    """Return how many F-Curves of an imported Action a person has changed or added; `new` plays in its place."""
    found = provenance.find(action)
    if found is None:
        return 0
    return sum(
        not found.is_written(handle, path, curve.array_index, fcurves.read(curve))
        and not found.is_rest_key(handle, curve, path)
        for handle, curve, path in provenance.tied_curves(action, new)
    )


def _is_renamed(action: Action) -> bool:
    found = provenance.find(action)
    return found is not None and found.placement.given_name != action.name


def _call(action: Action, name: str, report: Report, *, renamed: bool) -> None:
    """Give an Action the name of one that is gone; without `renamed` it counts as the name that the import gave."""
    action.name = name
    if not renamed:
        provenance.set_given_name(action)
    report.note(messages.ACTION_REPLACED, name=action.name)
