"""Imported Actions as assets, by skeleton, in the catalogues of the library they belong to."""

from __future__ import annotations

from pathlib import Path

from ..io_formats.clip import Clip
from ..io_formats.files import catalogues
from ..scene import assets
from . import messages
from .results import Outcome


def mark(outcome: Outcome, folder: Path | None) -> None:
    """Mark the Actions of a file as assets, and add their catalogues to the list in `folder`.

    Args:
        folder: of the .blend, or of the library it lies in; None while it is not saved.

    Raises:
        FormatError: the list of catalogues cannot be read or written.
    """
    assert outcome.applied is not None
    made = zip(outcome.applied.actions, outcome.clips, strict=True)
    merged = outcome.applied.merged
    moving = [(action, clip) for action, clip in made if assets.is_new(action) and action not in merged]
    ids = catalogues.ids_of(folder, [_catalogue(outcome, clip) for _, clip in moving])
    for action, clip in moving:
        tags = [outcome.format.short, _skeleton(outcome, clip), "loop" if clip.cyclic else ""]
        assets.mark(action, ids[_catalogue(outcome, clip)], tags, f"{outcome.path.name}: {outcome.digest}")
    if folder is not None:
        catalogues.add(folder, ids)
    elif ids:
        outcome.report.warn(messages.CATALOGUES_UNSAVED, names=", ".join(ids))


def _catalogue(outcome: Outcome, clip: Clip) -> str:
    """Return the path of a clip's catalogue: the format, then the skeleton where it has a name."""
    parts = (outcome.format.short, _skeleton(outcome, clip))
    return "/".join(catalogues.clean_part(part) for part in parts if part)


def _skeleton(outcome: Outcome, clip: Clip) -> str:
    """Return the skeleton's name; for files that name none, that of the armature, if they animate one."""
    rig = outcome.applied.rig if outcome.applied is not None else None
    return clip.skeleton or (str(rig.name) if rig is not None else "")
