"""The same file as each of the known writers writes it, and by hand: it says the same, and an edit stays one frame."""

from __future__ import annotations

import importlib
import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from through_blender import through_blender
from w3x_goldens import DATA

from io_formats import FormatError, w3x
from io_formats.clip import Clip, Source, Track
from io_formats.errors import Report
from io_formats.format import Destination

READER: Any = importlib.import_module("io_formats.w3x.read")
GOLDENS = sorted(DATA.glob("*.w3x"))
EXPORTER = (DATA / "g02.w3x").read_text(encoding="utf-8")


def attributes_in_order(text: str, tag: str, order: str) -> str:
    """The tags of that name with their attributes in another order; others behind these."""

    def ordered(found: re.Match[str]) -> str:
        held = dict(re.findall(r'(\w+)="([^"]*)"', found[0]))
        names = [*filter(held.__contains__, order.split()), *(name for name in held if name not in order.split())]
        return f"<{tag} " + " ".join(f'{name}="{held[name]}"' for name in names)

    return re.sub(rf'<{tag}( \w+="[^"]*")+', ordered, text)


def extracted() -> str:
    """As programs write that unpack the games' streams: a remark, no list of includes, blanks, a last line's end."""
    text = re.sub(r"\t<Includes>\s*</Includes>\n", "", EXPORTER).replace('encoding="UTF-8"', 'encoding="utf-8"')
    return "\ufeff" + text.replace("?>\n", "?>\n<!-- extracted -->\n", 1).replace('"/>', '" />') + "\n"


def by_hand() -> str:
    """Attributes on lines of their own, blanks for tabs, and channels that somebody has put into a remark."""
    text = (
        EXPORTER.replace("\t", "    ")
        .replace(' Parent="', '\n      Parent="')
        .replace(' FirstFrame="', '\n  FirstFrame="')
    )
    text = text.replace(' BinaryMove="true"', '\n   BinaryMove = "true" ')
    gone = '<!-- <ChannelScalar Pivot="1" Type="XTranslation" FirstFrame="0"><Frame>7</Frame></ChannelScalar> -->'
    remarked = text.replace("<Channels>", f"<Channels>\n{gone}").replace(
        "</ChannelQuaternion>", f"{gone}</ChannelQuaternion>"
    )
    return remarked.replace('<Frame X="0.000000"', "<Frame X='0.000000'", 3)


def plugin() -> str:
    """As OpenSAGE's add-on writes: two blanks, its own order, as many digits as there are, exponents."""
    text = EXPORTER.replace("\t", "  ")
    for tag, order in (("ChannelScalar", "Type Pivot FirstFrame"), ("ChannelQuaternion", "Type Pivot FirstFrame")):
        text = attributes_in_order(text, tag, order)
    text = attributes_in_order(text, "Frame", "W X Y Z")
    return re.sub(r">(-?[\d.]+)</Frame>", lambda found: f">{float(found[1]) * (1 + 1e-16):.15e}</Frame>", text)


def other_ends() -> str:
    """As an editor on Windows saves."""
    return EXPORTER.replace("\n", "\r\n")


WRITINGS: list[Callable[[], str]] = [extracted, by_hand, plugin, other_ends]
EVERY_WRITING = pytest.mark.parametrize("writing", WRITINGS, ids=lambda writing: writing.__name__)


def said(document: Any) -> list[Any]:
    """Everything of the animations that plays."""
    found: list[Any] = []
    for each in document.animations:
        found += [each.name, each.hierarchy, each.frame_count, each.rate, each.settings]
        for channel in each.channels:
            found += [channel.pivot, channel.type, channel.first, channel.values.tolist(), channel.steps.tolist()]
    return found


@EVERY_WRITING
def test_every_writing_says_the_same(writing: Callable[[], str]) -> None:
    text, report = writing(), Report()
    assert text != EXPORTER
    document, wanted = w3x.read(text.encode(), report=report), w3x.read(EXPORTER.encode())
    assert report.warnings == [] and w3x.write(document) == text.encode()
    assert said(document) == said(wanted)
    assert document.hierarchies[0].names == wanted.hierarchies[0].names
    assert np.array_equal(document.hierarchies[0].rotations, wanted.hierarchies[0].rotations)
    assert [asset.name for asset in document.carried] == [asset.name for asset in wanted.carried]


def imported(text: str) -> Source:
    document = w3x.read(text.encode())
    return Source(document, w3x.to_clips(document, w3x.ReadOptions(), Report())[0], 0, file="g02.w3x")


def export(clip: Clip, source: Source | None = None, **more: Any) -> bytes:
    given = {name: more.pop(name) for name in ("into", "file") if name in more}
    return w3x.write(w3x.from_clip(clip, w3x.WriteOptions(**more), Report(), Destination(source=source, **given)))


def edit(track: Track, keys: Any) -> Any:
    """One frame of one channel is another."""
    if (track.node, track.property, track.component) == ("MUZZLEFX01", "location", 1):
        keys.values[:, 4] = 2.25
    return keys


@EVERY_WRITING
def test_an_edit_changes_one_frame_in_every_writing(writing: Callable[[], str]) -> None:
    source = imported(writing())
    assert export(through_blender(source.clip), source) == writing().encode()
    before, after = writing().split("\n"), export(through_blender(source.clip, edit), source).decode().split("\n")
    ((old, new),) = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert re.sub(r">[^<]*<", "><", old) == re.sub(r">[^<]*<", "><", new) and ">2.250000<" in new


# --- At once, or one after the other ------------------------------------------------------------


def outcome(data: bytes) -> Any:
    """What a file says, or why it is refused, and what is told of it."""
    report = Report()
    try:
        document = w3x.read(data, report=report)
    except FormatError as error:
        return str(error)
    spans = [channel.span for found in document.animations for channel in found.channels]
    return said(document), spans, document.carried, [str(warning).rpartition(":")[2] for warning in report.warnings]


def damaged(data: bytes, chance: random.Random) -> bytes:
    pieces = [*b'< /> " &amp; <!--x--> 1_0 <Frame/> </Frame> infinity 1e'.split(), b"\r\n", b""]
    places = [found.start() for found in re.finditer(rb"<Frame|</?Channel|<Pivot", data)]
    text = bytearray(data)
    at = min(chance.choice(places) + chance.randrange(40), len(text))
    text[at : at + chance.choice((0, 0, 1, 9))] = chance.choice(pieces)
    return bytes(text)


def test_frames_taken_at_once_are_those_taken_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4)
    whole = [*(path.read_bytes() for path in GOLDENS), *(writing().encode() for writing in WRITINGS)]
    long = re.sub(r"(?s)(<ChannelScalar[^>]*>)(.*?)(</Ch)", lambda of: of[1] + 300 * of[2] + of[3], EXPORTER).encode()
    files = [*whole, long, *(damaged(chance.choice(whole), chance) for _ in range(300))]
    at_once = [outcome(data) for data in files]
    monkeypatch.setattr(READER, "frames_at", lambda *_: None)
    one_by_one = [outcome(data) for data in files]
    assert sum(isinstance(found, tuple) for found in at_once) > 100
    for data, first, second in zip(files, at_once, one_by_one, strict=True):
        assert repr(first) == repr(second), data


# --- Where new text goes ------------------------------------------------------------------------


def test_new_text_has_the_files_line_ends() -> None:
    source = imported(other_ends())
    clip = through_blender(source.clip)
    clip.tracks.append(Track.sampled("TURRET", "location", np.array([0.0]), np.array([[3.0]]), width=3))
    for data in (
        export(clip, source),
        export(replace(clip, name="Second"), into=w3x.read(other_ends().encode()), file="g02"),
        export(clip, source, include_skeleton="EXCLUDE"),
        export(clip, source, file_rate=15),
    ):
        assert data != other_ends().encode() and data.count(b"\n") == data.count(b"\r\n") > 50
    assert b"\r" not in export(clip, imported(EXPORTER))


def test_what_was_mixed_stays_mixed() -> None:
    text = other_ends().replace("</Frame>\r\n", "</Frame>\n")
    source = imported(text)
    after = export(through_blender(source.clip, edit), source)
    assert after.count(b"\n") == text.count("\n") and after.count(b"\r") == text.count("\r")
