"""Bytes to document and back: every way to write the same file, what is refused, what is carried."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from w3x_goldens import DATA

from io_formats import FormatError, identify, w3x
from io_formats.errors import Report
from io_formats.files import memory
from io_formats.w3x.document import frames_of, tag_at

FILES = sorted(DATA.glob("*.w3x"))
CHANNEL = '<ChannelScalar Pivot="1" Type="XTranslation" FirstFrame="0">{}</ChannelScalar>'
FILE = (
    '<AssetDeclaration xmlns="uri:ea.com:eala:asset">'
    '<W3DAnimation id="A" Hierarchy="H" NumFrames="9" FrameRate="30"><Channels>{}</Channels></W3DAnimation>'
    "</AssetDeclaration>"
)


def of_frames(frames: str) -> Any:
    """The document of a file whose one channel has these frames."""
    return w3x.read(FILE.format(CHANNEL.format(frames)).encode())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_is_written_as_it_was_read(path: Path) -> None:
    data, report = path.read_bytes(), Report()
    document = w3x.read(data, report=report)
    assert w3x.write(document) == data
    assert report.warnings == [] and identify(data) is w3x.FORMAT
    assert document == w3x.read(data)
    facts = w3x.describe(document)
    steps = len(re.findall(rb"BinaryMove\s*=\s*.(?:true|1)", data))
    assert sum(each["steps"] for each in facts["animations"]) == steps
    assert facts["includes"] == [found.decode() for found in re.findall(rb'<Include [^>]*source="([^"]*)"', data)]
    assert sum(facts["other_assets"].values()) == len(re.findall(b"<W3D(?:Mesh|Container)[ >]", data))


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), (" +1.5e1\n", 15), ("-.5", -0.5), ("5.", 5), ("INF", math.inf), ("-INF", -math.inf), ("1e99", math.inf)],
)
def test_numbers_are_what_the_schema_says(text: str, value: float) -> None:
    assert of_frames(f"<Frame>{text}</Frame>").animations[0].channels[0].values.tolist() == [[value]]
    assert np.isnan(of_frames("<Frame>NaN</Frame>").animations[0].channels[0].values).all()


def test_comments_and_cdata_within_a_number() -> None:
    found = of_frames("<Frame>1<!-- no -->.5</Frame><!-- <Frame>7</Frame> --><Frame><![CDATA[2]]>&#x35;</Frame>")
    assert found.animations[0].channels[0].values.tolist() == [[1.5], [25.0]]


def test_an_animation_without_channels_plays_nothing() -> None:
    assert [w3x.plays(w3x.read(FILE.format(held).encode())) for held in ("", CHANNEL.format(""))] == [False, True]


def test_documents_can_be_compared() -> None:
    text = "<Frame>1</Frame><Frame>NaN</Frame>"
    first, second, other = of_frames(text), of_frames(text), of_frames(text.replace("1", "2"))
    assert first == second
    assert first != other and first != text


@pytest.mark.parametrize("text", ["", "1_0", "infinity", "nan", "1,5", "0x1", "one", "１"])
def test_an_animation_with_no_number_is_carried_and_told(text: str) -> None:
    data = FILE.format(CHANNEL.format(f"<Frame>{text}</Frame>")).encode()
    report = Report()
    document = w3x.read(data, report=report)
    assert document.animations == [] and w3x.write(document) == data
    assert all(part in str(report.warnings[0]) for part in ("number", text, "W3DAnimation A"))
    twice = w3x.read(data.replace(b"</AssetDeclaration>", b"<W3DAnimation/></AssetDeclaration>"))
    for damaged in (document, twice):  # the first of several says what is wrong
        with pytest.raises(FormatError, match="number"):
            w3x.to_clips(damaged, w3x.ReadOptions(), Report())
    assert not w3x.FORMAT.companions(w3x.ReadOptions(), ()).shows_models_only(document)
    skeletons = b'<W3DHierarchy id="H"><Pivot Name="R" Parent="-1"/></W3DHierarchy><W3DHierarchy id="I"/>'
    beside, report = w3x.read(data.replace(b"<W3DAnimation", skeletons + b"<W3DAnimation", 1)), Report()
    assert w3x.to_clips(beside, w3x.ReadOptions(), report)[0].skeleton == "H" and report.notes == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('id="A"', "", "id"),
        ('NumFrames="9"', 'NumFrames="-1"', "whole number"),
        ('NumFrames="9"', 'NumFrames="4294967296"', "whole number"),
        ('Pivot="1"', 'Pivot="65536"', "whole number"),
        ('FirstFrame="0"', "", "FirstFrame"),
        ("<Frame>", '<Frame BinaryMove="True">', "true or false"),
        ("<Channels>", "<Channel>", "Channels"),
    ],
)
def test_what_the_compiler_refuses_is_carried_and_told(old: str, new: str, said: str) -> None:
    text = FILE.format(CHANNEL.format("<Frame>1</Frame>")).replace(old, new)
    data = text.replace("</Channels>", "</Channel>").encode() if new == "<Channel>" else text.encode()
    report = Report()
    document = w3x.read(data, report=report)
    assert w3x.write(document) == data and document.animations == []
    assert said in str(report.warnings[0])


@pytest.mark.parametrize("old", ["<Frame>", ">1<", '"9"'])
def test_of_what_is_no_switch_and_no_number_forty_letters_are_quoted(old: str) -> None:
    word = "".join(chr(97 + at % 26) for at in range(60))
    new = {"<Frame>": f'<Frame BinaryMove="{word}">', ">1<": f">{word}<"}.get(old, f'"{word}"')
    w3x.read(FILE.format(CHANNEL.format("<Frame>1</Frame>")).replace(old, new).encode(), report=(report := Report()))
    assert word[:40] in str(report.warnings[0]) and word[:41] not in str(report.warnings[0])


ENTITIES = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12)
)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"HM3W" + bytes(512), "^byte 0: .* Warcraft III"),
        (b"MPQ\x1a" + bytes(512), "Warcraft III"),
        (ENTITIES.encode() + b"]><AssetDeclaration>&m;</AssetDeclaration>", "DOCTYPE"),
        (b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><AssetDeclaration/>", "DOCTYPE"),
        (b'<?xml version="1.0" encoding="%b"?><AssetDeclaration/>' % (60 * b"l"), "^byte 0: .* found l{40};"),
        ('<?xml version="1.0" encoding="UTF-16"?><AssetDeclaration/>'.encode("utf-16"), "^byte 0: .* UTF-16"),
        ("<AssetDeclaration/>".encode("utf-16-be"), "UTF-16"),
        (b"<AssetDeclaration>" + b"<a>" * 64 + b"</a>" * 64 + b"</AssetDeclaration>", "within each other"),
        (b"<%b><AssetDeclaration/></%b>" % (60 * b"a", 60 * b"a"), "AssetDeclaration .* found a{40};"),
        (b"<AssetDeclaration>", "damaged here"),
        (b"<AssetDeclaration>&unknown;</AssetDeclaration>", "damaged here"),
        (b"<AssetDeclaration>\xff</AssetDeclaration>", "damaged here"),
        (b'<AssetDeclaration a="1" a="2"/>', "damaged here"),
        (b"", "^byte 0: .* empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused_is_one_sentence(data: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        w3x.read(data)
    assert caught.value.offset is not None and "\n" not in str(caught.value)
    if data:
        assert identify(data) is w3x.FORMAT


def test_prefixes_are_namespaces_too() -> None:
    text = re.sub(r"<(/?)(?=\w)", r"<\1w:", FILE.format(CHANNEL.format("<Frame>1</Frame>")))
    text = '<?xml version="1.0" encoding="US-ASCII"?>' + text.replace("xmlns=", "xmlns:w=").replace('"1"', '"65535"')
    document = w3x.read(text.encode())
    assert document.animations[0].channels[0].values.tolist() == [[1.0]]
    assert len(frames_of(document.data, document.animations[0].channels[0].span)) == 1


def test_assets_are_carried_where_they_stand() -> None:
    document = w3x.read((DATA / "g02.w3x").read_bytes())
    assert [(asset.kind, asset.name) for asset in document.carried] == [("W3DMesh", "G02.TRI"), ("W3DContainer", "G02")]
    for asset in document.carried:
        text = document.data[asset.start : asset.end]
        assert text.startswith(f"<{asset.kind} ".encode()) and text.endswith(f"</{asset.kind}>".encode())
    for assets, found in ((b"<W3DMesh/><Texture/><W3DMesh/>", "W3DMesh, Texture"), (b"", "-")):
        with pytest.raises(FormatError, match=rf"\(assets: {found}\)"):
            w3x.to_clips(w3x.read(b"<AssetDeclaration>%b</AssetDeclaration>" % assets), w3x.ReadOptions(), Report())


def test_tags_end_where_their_angle_is_not_within_a_value() -> None:
    data = b"""<a b='x>"y' c = "/>" ><d e="1"/></a>"""
    tag = tag_at(data, 0)
    assert data[slice(*tag.span)] == b"""<a b='x>"y' c = "/>" >""" and not tag.is_whole
    assert [data[slice(*span)] for span in tag.values.values()] == [b'x>"y', b"/>"]
    assert tag_at(data, tag.span.end).is_whole


@pytest.mark.parametrize("root_bone", [True, False])
def test_a_skeleton_without_pivots_can_be_stood_on(root_bone: bool) -> None:
    text = FILE.format(CHANNEL.format("<Frame>1</Frame>")).replace(
        "<W3DAnimation", '<W3DHierarchy id="H"/><W3DAnimation'
    )
    (clip,) = w3x.to_clips(w3x.read(text.encode()), w3x.ReadOptions(root_bone=root_bone), Report())
    assert clip.nodes == [] and clip.tracks == []


def test_many_animations_share_what_a_large_skeleton_takes() -> None:
    pivots = '<Pivot Name="" Parent="0"/>' * 4000
    moved = FILE.format(CHANNEL.format("<Frame>1</Frame>").replace("XTranslation", "Visibility"))
    animation = moved[moved.index("<W3DAnimation") : moved.index("</AssetDeclaration>")]
    text = FILE.format("").replace(
        "<W3DAnimation", f'<W3DHierarchy id="H">{pivots}</W3DHierarchy>{animation * 50}<W3DAnimation'
    )
    clips = w3x.to_clips(w3x.read(text.encode()), w3x.ReadOptions(root_bone=False), Report())
    assert len(clips) == 51
    assert len({id(clip.nodes) for clip in clips}) == 2


def test_very_many_assets_need_no_more_memory_than_is_allowed() -> None:
    text = FILE.format("").replace("<W3DAnimation", "<a/>" * 3000 + "<W3DAnimation")
    with memory.limited(1), pytest.raises(FormatError, match="memory"):
        w3x.read(text.encode())
    with memory.limited(2):
        assert len(w3x.read(text.encode()).carried) == 3000
