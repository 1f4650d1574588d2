"""The judge: a file plays what Blender shows, or a warning names what differs, or the export says why it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import accounts, clock, shown
from .compare import links, spans_of, written_objects
from .judges import animx, mrtk, pivots
from .players.mrtk import Player
from .verdict import ASKED_FOR, Export, Find, traceback_of

_DOUBTFUL = 3.0
"""Times as far as promised that the export's own check may say, with other moments than here."""
_ON_FRAME = 1e-3
"""Frames by which single precision puts a frame of the scene beside itself."""
_JUDGES = {"mrtk": mrtk.judge, "w3d": pivots.judge, "w3x": pivots.judge, "animx": animx.judge}


def judge(recipe: dict[str, Any], export: Export) -> list[Find]:
    """All that is wrong with an export of the scene that is open."""
    finds = list(_judge(recipe, export))
    asked_for = any(map(ASKED_FOR.search, export.warnings))
    return finds if finds or asked_for or export.check is None else list(_wrong_check(export))


def _wrong_check(export: Export) -> Iterator[Find]:
    """The export's own check is to warn of nothing that the players here, or another warning, do not know of."""
    if export.check.lasts is not None:
        yield Find("check alone", "length", "the file plays {:.4f} s of {:.4f} s".format(*export.check.lasts))
    above = shown.parents()
    for name, off in export.check.off.items():
        places = [place for place in above if place.rpartition("/")[2] == name]
        known = {name} | {link.rpartition("/")[2] for place in places for link in links(place, above)}
        if export.times(off) > _DOUBTFUL and not known & export.known and not export.names(*known, "adaptive delta"):
            detail = f"{off.place:.5f} m, {off.turn:.3f} degrees at {off.moment:.3f} s"
            yield Find("check alone", name, detail, off.times)
    for wrong in export.check.values:
        frame = wrong.moment * clock.rate()
        between = export.frames_alone and abs(frame - round(frame)) > _ON_FRAME
        if wrong.times > _DOUBTFUL and not between and not export.names(wrong.value.driven.node):
            yield Find("check alone", wrong.name, f"at {wrong.moment:.3f} s", wrong.times)


def _judge(recipe: dict[str, Any], export: Export) -> Iterator[Find]:
    if "Traceback" in export.refusal:
        yield traceback_of(export.refusal)
        return
    if export.untouched:
        if export.data != export.source:
            yield Find("untouched bytes", "file", export.refusal or "the bytes are others")
        return
    written = written_objects(recipe["format"])
    spans = spans_of(written, recipe, export.imported)
    several = {"actions", "several", "space"} & recipe["options"].keys()
    fresh = export.data not in (None, export.source) and not several
    absent = mrtk.GAZE if recipe["format"] == "mrtk" and fresh and Player(export.data).version == (1, 0) else ()
    if recipe["format"] in pivots.PLAYERS and fresh and len(written) == 1 and export.imported is not None:
        numbers = pivots.pivot_numbers(pivots.player_of(recipe, export), written[0].name, export.renamed)
        absent = [bone for bone, number in numbers.items() if number is None]
    sums = list(accounts.wrong_sums(recipe["format"], written, export.notes, absent)) if fresh else []
    yield from _JUDGES[recipe["format"]](recipe, export, written, spans)  # which plays other Actions, too
    yield from (Find("sum", "report", wrong) for wrong in sums)
