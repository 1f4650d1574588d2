"""What became of one file that was imported or exported, and its digest: one line such as `2 hands, 11.2 s`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..io_formats import messages as common_messages
from ..io_formats.clip import Clip
from ..io_formats.clip import messages as clip_messages
from ..io_formats.errors import FormatError, Report
from ..scene import messages as scene_messages
from . import messages
from .language import counted, entry_text, say

if TYPE_CHECKING:
    from ..io_formats.format import AnyFormat, Facts
    from ..scene.apply import Applied
    from .checking import Check

_SHORT = {
    scene_messages.TARGET_NEW_FEW: messages.NEW_ARMATURE,
    scene_messages.TARGET_USED: messages.ONTO,
    scene_messages.TARGET_STILL: messages.ONTO,
    clip_messages.SMOOTHED: messages.SMOOTHED,
    clip_messages.RESAMPLED: messages.RESAMPLED,
    clip_messages.THINNED: messages.THINNED,
}
"""What the digest says of a rig, taken or not, and of keys that an option changed, by the full sentence."""


@dataclass
class Outcome:
    """What became of one file that was imported.

    Attributes:
        facts: what the format's `describe` tells, counted.
        applied: what was made in Blender, None when it failed.
    """

    path: Path
    format: AnyFormat
    report: Report = field(default_factory=Report)
    facts: Facts = field(default_factory=dict)
    clips: list[Clip] = field(default_factory=list)
    applied: Applied | None = None
    error: FormatError | None = None

    @property
    def digest(self) -> str:
        """What came in, in one line."""
        return _digest(self.format, self.facts, self.report)

    @property
    def proportions(self) -> str:
        """What was said of how a person's own rig takes the file, after INFO or WARNING; empty for nothing."""
        levels = (("WARNING", self.report.warnings), ("INFO", self.report.notes))
        told = ((level, entry) for level, entries in levels for entry in entries)
        found = (each for each in told if each[1].template in scene_messages.PROPORTIONS)
        return next((f"{level} {entry_text(entry)}" for level, entry in found), "")

    @property
    def names(self) -> dict[str, str]:
        """The bone that each name of the file means, empty for none."""
        bones = {} if self.applied is None else self.applied.bones
        return {node.name: bones.get(node.name, "") for node in self.clips[0].nodes} if self.clips else {}


class Exported(NamedTuple):
    """One file that was written.

    Attributes:
        facts: what the format's `describe` tells of it, counted.
        exact: the imported file's own bytes were written.
        check: how far what was written plays from what Blender shows; None where that was not looked at.
    """

    path: Path
    format: AnyFormat
    report: Report
    facts: Facts
    exact: bool
    check: Check | None = None

    @property
    def digest(self) -> str:
        """What was written, in one line that closes with the sum of what animates it, if it has such values itself."""
        parts = [_digest(self.format, self.facts, self.report), *([say(messages.EXACT)] if self.exact else [])]
        for values in (entry.values for entry in self.report.notes if entry.template == scene_messages.LEDGER):
            template = messages.SUM_CURVES if values["curves"] == values["total"] else messages.SUM
            parts += [say(template, **values)] if values["total"] else []
        return ", ".join(parts)


def _digest(file_format: AnyFormat, facts: Facts, report: Report) -> str:
    """Return one line such as `2 hands, 54 joints, 16,341 keys, 11.2 s, 3 warnings`."""
    named = [*file_format.counted, *([("keys", messages.KEYS)] if "keys" in facts else [])]
    # a skeleton or model alone has 0 of most things
    if not (moves := bool(facts.get("keys"))):
        named = [(name, forms) for name, forms in (*named, ("meshes", messages.MESHES)) if facts.get(name)]
    parts = [counted(facts.get(name, 0), forms) for name, forms in named]
    parts.append(say(messages.SECONDS, seconds=f"{facts.get('duration', 0.0):.1f}") if moves else say(messages.STILL))
    if "first_shown" in facts:
        parts.append(say(file_format.first_shown, frame=facts["first_shown"]))
    parts += [say(_SHORT[entry.template], **entry.values) for entry in report.notes if entry.template in _SHORT]
    if any(entry.template == common_messages.NODES_WITHOUT_PARENTS for entry in report.notes):
        parts.append(say(messages.RESTING_TOGETHER))
    parts += warning_count(report)
    return ", ".join(parts)


def counted_facts(facts: Facts, clips: Sequence[Clip]) -> Facts:
    """Return facts as plain numbers and texts: lists by length, and from the clips what the file does not say."""
    plain = {name: len(fact) if isinstance(fact, list | dict) else fact for name, fact in facts.items()}
    plain = {name: fact for name, fact in plain.items() if fact is not None}
    if clips:
        if "keys" not in plain:  # they are counted by their times
            plain["keys"] = sum(clip.key_count for clip in clips)
        pivots = [each["pivots"] for each in facts.get("skeletons", ())] or [clip.nodes for clip in clips]
        plain.setdefault("pivots", max(map(len, pivots)))
        lasts = [each["duration"] for each in facts.get("animations", ())] or [clip.duration for clip in clips]
        plain.setdefault("duration", max(lasts))
        plain.setdefault("rate", max(clip.rate for clip in clips))
    return plain


def warning_count(*reports: Report) -> list[str]:
    """Return the number of warnings in words, nothing when there is none; one cause is one, however often it occurs."""
    count = len({entry.template for report in reports for entry in report.warnings})
    return [counted(count, messages.WARNINGS)] if count else []
