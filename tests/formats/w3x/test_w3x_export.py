"""Clip to file: what nobody touched keeps its bytes, one frame that changed is the only text that does."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from through_blender import through_blender
from w3x_goldens import DATA, shown_by, source_of

from io_formats import FormatError, w3x
from io_formats.clip import Clip, Interpolation, Node, Source, Track, TrackKind, ValueKind
from io_formats.clip.fcurve_keys import KeyBlock
from io_formats.errors import Report
from io_formats.format import Destination

FILES = [("g01_anim", 0), ("g02", 0), ("g03", 0), ("g03", 1)]


def export(clip: Clip, report: Report | None = None, **more: Any) -> Any:
    names = ("source", "into", "skeleton", "file", "chosen", "tell")
    given = {name: more.pop(name) for name in names if name in more}
    return w3x.from_clip(clip, w3x.WriteOptions(**more), report or Report(), Destination(**given))


def again(document: Any, index: int = 0, skeleton: Any = None) -> Clip:
    return w3x.to_clips(w3x.read(w3x.write(document)), w3x.ReadOptions(), Report(), skeleton=skeleton)[index]


def text_of(file: str) -> bytes:
    return (DATA / f"{file}.w3x").read_bytes()


def read_from(data: bytes) -> Source:
    document = w3x.read(data)
    return Source(document, w3x.to_clips(document, w3x.ReadOptions(), Report())[0], 0, file="made.w3x")


# --- Untouched and edited -----------------------------------------------------------------------


@pytest.mark.parametrize(("file", "index"), [*FILES, ("g01_skl", 0)])
@pytest.mark.parametrize("rate", [24.0, 30.0, 30000 / 1001])
def test_untouched_animations_are_the_files_own_bytes(file: str, index: int, rate: float) -> None:
    source, report = source_of(file, index), Report()
    document = export(through_blender(source.clip, None, rate), report, source=source, file=file)
    assert w3x.write(document) == text_of(file)
    assert report.warnings == []


def hold(track: Track, keys: Any) -> Any:
    """One key of one curve of an edit is Constant."""
    if (track.property, track.component) == ("location", 0):
        keys.interpolation[1] = Interpolation.CONSTANT
    return keys


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("file", ["g01_anim", "made"])
def test_the_first_steps_of_an_imported_animation_survive_the_compiler(file: str, keep: bool) -> None:
    source = made(scalar(2, 1, 2, 3, 4, 5)) if file == "made" else source_of(file)  # with a frame beyond NumFrames
    before = source.document.data
    document = export(through_blender(source.clip, hold), source=source, keep_steps=keep)
    (animation,) = document.animations
    assert any(channel.steps.any() for channel in animation.channels)
    assert (animation.settings is not None) == keep
    assert not keep or animation.settings["AllowAdaptiveDelta"] == "false"
    without = re.sub(rb"\s*<CompressionSettings[^>]*>", b"", w3x.write(document)).replace(b' BinaryMove="true"', b"")
    assert without == before
    reread = Source(document, w3x.to_clips(document, w3x.ReadOptions(), Report())[0], 0, file="a.w3x")
    assert w3x.write(export(through_blender(reread.clip), source=reread)) == w3x.write(document)


def test_what_never_goes_far_is_edited_with_nine_decimals() -> None:
    source = made(scalar(2, 0.01, 0.02, 0.03, 0.04))
    edited = through_blender(source.clip, lambda _, keys: KeyBlock(keys.frames, keys.values / 8, keys.interpolation))
    assert b"<Frame>0.001250000</Frame><Frame>0.002500000<" in w3x.write(export(edited, source=source))


def test_steps_that_were_there_without_settings_are_the_authors_own_affair() -> None:
    """One between equal values, too, beside which another comes."""
    source = made(scalar(2, 1, 1, 3, 4).replace(">1</Frame><Frame>", '>1</Frame><Frame BinaryMove="1">', 1))
    (animation,) = export(through_blender(source.clip, hold), source=source).animations
    assert animation.settings is None and animation.channels[0].steps.tolist() == [False, True, True, False]


def test_new_channels_stand_in_order_and_in_an_empty_list() -> None:
    source = source_of("g03", 1)
    clip = through_blender(source.clip)
    place = Track.sampled("Rad-Läufer", "location", np.arange(2) / 30, np.array([[1.0, 2.0]]), width=3)
    clip.tracks += [place, Track.constant("Wheel & Axle", "visibility", [0.0], kind=TrackKind.CUSTOM)]
    document = export(clip, source=source)
    lines = ["<Channels>"]
    for pivot, kind, first, second in ((1, "Visibility", 0, 0), (2, "XTranslation", 1, 2)):
        lines.append(f'\t\t\t<ChannelScalar Pivot="{pivot}" Type="{kind}" FirstFrame="0">')
        lines += [f"\t\t\t\t<Frame>{value}.000000</Frame>" for value in (first, second)] + ["\t\t\t</ChannelScalar>"]
    written = "\r\n".join([*lines, "\t\t</Channels>"])
    assert w3x.write(document) == text_of("g03").replace(b"<Channels/>", written.encode())


# --- From nothing -------------------------------------------------------------------------------


def rig() -> list[Node]:
    lift = np.eye(4)
    lift[2, 3] = 1.0
    return [Node("hip", None, lift), Node('he<d\n& "ärm"', "hip", lift)]


def wave(frames: int = 11) -> Clip:
    times = np.arange(frames) / 30
    angle = 8e-5 + np.sin(times * 9) / 3
    turn = np.stack([np.cos(angle), np.sin(angle), 0 * angle, 0 * angle])
    shown, steps = np.array([1.0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1])[:frames], np.full(frames, Interpolation.CONSTANT)
    tracks = [
        Track.sampled("hip", "location", times, np.stack([times, times**2, 1 + 0 * times])),
        Track.sampled('he<d\n& "ärm"', "rotation_quaternion", times, turn),
        Track.sampled("hip", "visibility", times, shown[None], steps, kind=TrackKind.CUSTOM, value_kind=ValueKind.BOOL),
    ]
    return Clip("Wave it", (frames - 1) / 30, 30.0, nodes=rig(), tracks=tracks, skeleton="My Rig")


def test_a_new_file_plays_what_the_clip_does() -> None:
    clip = wave()
    clip.nodes[0].original = "hip\x07"  # no letter of XML
    hides = Track.sampled("hip", "hide", np.zeros(1), np.ones((1, 1)), kind=TrackKind.RNA)  # a visibility counts more
    found = again(export(replace(clip, tracks=[hides, *clip.tracks]), file="wave"))
    assert (found.name, found.skeleton, found.rate) == ("WAVE", "MY_RIG", 30.0)
    assert [node.original for node in found.nodes] == ["ROOTTRANSFORM", "hip_", 'he<d\n& "ärm"']
    frames = np.arange(0, 10.5, 0.5)
    expected = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1], (len(frames), 3, 1))
    expected[:, 1:] = shown_by(clip, frames)
    assert np.abs(shown_by(found, frames) - expected).max() <= 2e-6


def test_a_new_file_is_written_as_eas_exporter_writes() -> None:
    data = w3x.write(export(wave(), file="wave"))
    text = data.decode()
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<AssetDeclaration xmlns="uri:ea.com:eala:asset" ')
    assert "\r" not in text and not text.endswith("\n") and "\t<Includes>\n\t</Includes>\n" in text
    assert all(re.fullmatch(r"-?\d+\.\d{6}", found) for found in re.findall(r"<Frame[^>]*>([^<]+)</Frame>", text))
    assert 'Type="Visibility" FirstFrame="3"' in text
    assert text.count("BinaryMove") == 2
    assert {*re.findall(r'M\d\d="[^0][^"]*"', text)} == {f'M{at}{at}="1.000000"' for at in range(3)}
    assert '<CompressionSettings AllowTimeCoded="true" AllowAdaptiveDelta="false"' in text
    small = wave()
    small.nodes[0].rest[2, 3] = 0.0123456789  # which is that of both
    small.nodes[1].original = "hip"
    document = export(small, keep_steps=False)
    assert len({*document.hierarchies[0].names}) == 3 and w3x.write(document).count(b'Z="0.012345679"') == 2
    assert "CompressionSettings" not in w3x.write(export(wave(), keep_steps=False)).decode()


def test_an_animation_alone_includes_its_skeleton() -> None:
    skeleton = export(wave(), include_skeleton="INCLUDE")
    data = w3x.write(export(wave(), file="wave", skeleton=skeleton, include_skeleton="EXCLUDE")).decode()
    assert '<Include type="all" source="ART:my_rig.w3x"/>' in data and "W3DHierarchy" not in data


def test_an_animation_on_a_skeleton_of_another_name_is_for_that_one() -> None:
    document = w3x.read(text_of("g01_anim"))
    skeleton = w3x.read(text_of("g01_skl").replace(document.animations[0].hierarchy.encode(), b"Other_SKL"))
    (clip,) = w3x.to_clips(document, w3x.ReadOptions(), Report(), skeleton=skeleton)
    for beside, name in ((None, "OTHER_SKL"), (skeleton, "Other_SKL")):
        source = Source(document, clip)
        made = export(through_blender(clip), source=source, skeleton=beside, file_rate=60, file="faster")
        assert (made.animations[0].hierarchy, made.animations[0].rate) == (name, 60)


def test_an_animation_of_an_unknown_skeleton_keeps_its_pivots() -> None:
    data = made(scalar(1, 1, 2, 3, 4) + scalar(3, 5, 6, 7, 8)).document.data
    source = read_from(re.sub(b"<W3DHierarchy.*</W3DHierarchy>", b"", data))
    still, moved = through_blender(source.clip).tracks
    document = export(replace(source.clip, tracks=[still, moved.scaled(2.0)]), source=source)
    assert [channel.values.sum() for channel in document.animations[0].channels] == [10, 52]


def test_channels_are_of_the_pivots_that_a_chosen_skeleton_numbers_otherwise() -> None:
    flat = made(scalar(1, 1, 2, 3, 4) + scalar(2, 5, 6, 7, 8)).document.data
    flat = re.sub(rb'Parent="[12]"', b'Parent="0"', flat)
    other = flat.replace(b'"P1"', b'"P"').replace(b'"P2"', b'"P1"').replace(b'"P"', b'"P2"')
    source = read_from(flat)
    document = export(through_blender(source.clip), source=source, skeleton=w3x.read(other), chosen=True)
    assert [(channel.pivot, channel.values[0]) for channel in document.animations[0].channels] == [(1, 5), (2, 1)]
    assert document.hierarchies[0].names == ["P0", "P2", "P1", "P3"]


def test_into_a_file_that_is_there() -> None:
    base = w3x.read(text_of("g02"))
    source = source_of("g02")
    report = Report()
    clip = replace(through_blender(source.clip), name="Second")
    told: list[Any] = []
    document = export(clip, report, into=base, file="g02", tell=told.append)
    assert told[0].number == 1
    still = export(replace(clip, name="Still", tracks=[]), into=base, include_skeleton="EXCLUDE")
    assert [found.name for found in (*still.animations, *still.hierarchies)] == ["G02", "STILL", "G02"]
    before, data = text_of("g02"), w3x.write(document)
    assert [found.name for found in document.animations] == ["G02", "SECOND"]
    end = before.rindex(b"</W3DContainer>")
    assert data.startswith(before[:end]) and data.endswith(b"\n</AssetDeclaration>")
    export(replace(clip, name="Third"), report, into=document)
    assert [note.values["others"] for note in report.notes] == ["G02", "G02, SECOND"]
    replaced = export(replace(clip, name="g02"), into=base, file="other", animation_name="g02")
    assert [found.name for found in replaced.animations] == ["g02"]
    start = before.index(b"<W3DAnimation")
    assert w3x.write(replaced).startswith(before[:start])
    assert w3x.write(replaced).endswith(before[before.index(b"</W3DAnimation>") :])
    other = w3x.read(before.replace(b'<W3DAnimation id="G02"', b'<W3DAnimation id="G03"'))
    later = w3x.read(before.replace(b"<W3DAnimation", b"<!-- -->\n<W3DAnimation"))
    edited = through_blender(source.clip, lambda _, keys: KeyBlock(keys.frames, keys.values + 1, keys.interpolation))
    source = read_from(before.replace(b"<Channels>", b"<Channels><!-- mine -->"))
    texts = [w3x.write(export(edited, source=source, into=into)) for into in (None, other, later)]
    own = texts[0][start:].split(b"</W3DAnimation>")[0]
    assert b"mine" in own and all(own in text for text in texts) and b'id="G03"' in texts[1]
    settings = before.replace(b"<Channels>", b'<CompressionSettings ForceReductionRate="0.5"/><Channels>')
    (animation,) = export(replace(clip, name="G02"), into=w3x.read(settings)).animations
    assert animation.settings == {"ForceReductionRate": "0.5"}


def test_a_skeleton_that_is_written_anew_keeps_what_no_game_uses() -> None:
    source = source_of("g02")
    clip = through_blender(source.clip)
    clip.nodes[1].rest[0, 3] += 1.0
    written = w3x.write(export(clip, source=source, include_skeleton="INCLUDE"))
    fixups = [re.findall(rb"<FixupMatrix[^>]*>", text) for text in (text_of("g02"), written)]
    assert fixups[0] == fixups[1] and written.count(b"<Translation") == len(clip.nodes)
    assert written[: written.index(b"<W3DAnimation")] != text_of("g02")[: text_of("g02").index(b"<W3DAnimation")]


@pytest.mark.parametrize("holder", [b"W3DHierarchy", b"W3DAnimation"])
def test_a_file_of_another_skeleton_is_refused(holder: bytes) -> None:
    data = re.sub(b"<%b.*</%b>" % (holder, holder), b"", text_of("g02"), flags=re.DOTALL)
    with pytest.raises(FormatError, match=r"^g02\.w3x: .*G02"):
        export(wave(), into=w3x.read(data), file="g02")
    typed = w3x.read(data.replace(b' Hierarchy="', b' Hierarchy="W3DHierarchy:'))
    assert "WAVE_IT" in [found.name for found in export(replace(wave(), skeleton="G02"), into=typed).animations]


@pytest.mark.parametrize("option", ["animation_name", "hierarchy_name"])
def test_names_that_no_asset_can_have_are_refused(option: str) -> None:
    for name in ("a b", "ä", "<"):
        with pytest.raises(FormatError, match="letters"):
            export(wave(), **{option: name})
    assert b'"Man_1.a-b"' in w3x.write(export(wave(), **{option: "Man_1.a-b"}))


def test_ids_that_are_made_of_other_letters_are_told() -> None:
    """Units name an animation by its id: what is not the file's name in capitals was not found, without a word."""
    report = Report()
    export(wave(), report, file="läuft weg")
    export(wave(), report, file="Wave")
    told = [str(entry) for entry in report.notes if "is written as" in str(entry)]
    assert told == ["the name läuft weg is written as L_UFT_WEG", "[2x] the name My Rig is written as MY_RIG"]


# --- What the schemas ask for -------------------------------------------------------------------

FLOAT = re.compile(r"\s*([-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|-?INF|NaN)\s*")
ERRORS = ("Translation", "Rotation", "Visibility", "AdaptiveDelta")
LIMITS = [*(f"Max{kind}Error" for kind in ERRORS), "ForceReductionRate"]
SPACE = "{uri:ea.com:eala:asset}"
HEADS = [SPACE + name for name in ("Tags", "Includes", "Defines")]


def check(element: Any, name: str, attributes: dict[str, str]) -> None:
    assert element.tag == SPACE + name
    for own, pattern in attributes.items():
        assert own.endswith("?") or own in element.attrib
        assert re.fullmatch(pattern, element.attrib.get(own.rstrip("?"), "true" if "true" in pattern else "0"))
    assert set(element.attrib) <= {own.rstrip("?") for own in attributes}


def check_schema(data: bytes) -> int:
    """The structure and the types of the public schemas, for hierarchies and animations; how many there are."""
    number, whole, name = FLOAT.pattern, r"\d+", r"[0-9a-zA-Z_.\-]+"
    root = ElementTree.fromstring(data)
    assert root.tag == SPACE + "AssetDeclaration"
    order = [HEADS.index(asset.tag) if asset.tag in HEADS else len(HEADS) for asset in root]
    assert order == sorted(order)
    count = 0
    for asset in root:
        if asset.tag == SPACE + "W3DHierarchy":
            check(asset, "W3DHierarchy", {"id": name})
            for pivot in asset:
                check(pivot, "Pivot", {"Name": r"(?s:.+)", "Parent": r"-1|\d+"})
                place, turn, fixup = pivot
                check(fixup, "FixupMatrix", {f"M{row}{column}?": number for row in range(4) for column in range(4)})
                check(place, "Translation", dict.fromkeys("XYZ", number))
                check(turn, "Rotation", dict.fromkeys("XYZW", number))
        elif asset.tag == SPACE + "W3DAnimation":
            check(asset, "W3DAnimation", {"id": name, "Hierarchy": name, "NumFrames": whole, "FrameRate": whole})
            *settings, channels = asset
            assert len(settings) <= 1
            for element in settings:
                switches = dict.fromkeys(("AllowTimeCoded?", "AllowAdaptiveDelta?"), "true|false|0|1")
                check(element, "CompressionSettings", {**switches, **{f"{name}?": number for name in LIMITS}})
            for channel in channels:
                turns = channel.tag.endswith("ChannelQuaternion")
                check(channel, channel.tag.removeprefix(SPACE), {"Pivot": whole, "Type": r"\w+", "FirstFrame": whole})
                assert turns == (channel.attrib["Type"] == "Orientation")
                for frame in channel:
                    wanted = dict.fromkeys("XYZW" if turns else "", number)
                    check(frame, "Frame", {**wanted, "BinaryMove?": "true|false|0|1"})
                    assert turns or FLOAT.fullmatch(frame.text)
        count += 1
    return count


@pytest.mark.parametrize("tags", ["", "<Tags/>", "<Tags><Tag/></Tags>", "<!-- <Tags/> --><Tags>\n</Tags>"])
def test_a_new_list_of_includes_stands_between_tags_and_defines(tags: str) -> None:
    data = re.sub(rb"<Includes>.*</Includes>", f"{tags}<Defines/>".encode(), text_of("g02"), flags=re.DOTALL)
    document = w3x.read(data)
    source = Source(document, w3x.to_clips(document, w3x.ReadOptions(), Report())[0])
    written = w3x.write(export(through_blender(source.clip), source=source, include_skeleton="EXCLUDE"))
    assert check_schema(written) and b'source="ART:g02' in written


def test_new_files_are_what_the_schemas_ask_for() -> None:
    assert check_schema(w3x.write(export(wave(), file="wave"))) == 3
    source = source_of("g01_anim")
    fresh = export(through_blender(source.clip), into=w3x.read(text_of("g01_skl")), file="new")
    assert check_schema(w3x.write(fresh)) == 3
    assert b"<CompressionSettings" in w3x.write(export(wave(), file="wave"))
    edited = export(through_blender(source.clip, hold), source=source, include_skeleton="INCLUDE")
    assert check_schema(w3x.write(edited)) == 3 and b"<CompressionSettings" in w3x.write(edited)


# --- What a file's text could break ----------------------------------------------------------------


def made(channels: str, *, name: str = "A", skeleton: str = "H") -> Source:
    """An imported animation of four frames on four pivots in a row."""
    pivots = "".join(f'<Pivot Name="P{pivot}" Parent="{pivot - 1}"/>' for pivot in range(4))
    text = (
        f'<AssetDeclaration xmlns="uri:ea.com:eala:asset"><W3DHierarchy id="{skeleton}">{pivots}</W3DHierarchy>'
        f'<W3DAnimation id="{name}" Hierarchy="{skeleton}" NumFrames="4" FrameRate="30">'
        f"<Channels>{channels}</Channels></W3DAnimation></AssetDeclaration>"
    )
    return read_from(text.encode())


def scalar(pivot: int, *frames: object) -> str:
    held = "".join(f"<Frame>{frame}</Frame>" for frame in frames)
    return f'<ChannelScalar Pivot="{pivot}" Type="XTranslation" FirstFrame="0">{held}</ChannelScalar>'


@pytest.mark.parametrize("between", ["", "\n\t\t\t\t"], ids=["side by side", "a line each"])
def test_a_channel_that_goes_does_not_come_back_where_another_comes(between: str) -> None:
    source = made(between + scalar(2, 1, 2, 3, 4) + between + scalar(3, 5, 6, 7, 8))
    second, third = through_blender(source.clip).tracks
    clip = replace(source.clip, tracks=[replace(second, node="P1", match=None), third])
    document = export(clip, source=source)
    assert [channel.pivot for channel in document.animations[0].channels] == [3, 1]
    assert scalar(2, 1, 2, 3, 4).encode() not in w3x.write(document)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_shorter_animation_has_the_files_own_frames_up_to_its_end(frames: int) -> None:
    late = scalar(3, 9, 9).replace('FirstFrame="0"', 'FirstFrame="2"')
    stepping = scalar(2, 5, 6, 7, 8).replace("<Frame>", '<Frame BinaryMove="1">')
    source = made(scalar(1, 1, 2, 3, 4) + stepping + late)
    clip = replace(through_blender(source.clip), duration=(frames - 1) / 30)
    (animation,) = export(clip, source=source).animations
    assert animation.frame_count == frames
    held = [channel.values[:, 0].tolist() for channel in animation.channels]
    assert held == [[1, 2, 3][:frames], [5, 6, 7][:frames], [9]][: 2 + (frames == 3)]
    assert export(replace(clip, duration=3.6 / 30), source=source).animations[0].frame_count == 5
    earlier = replace(clip.tracks[2].shifted(-2 / 30), match=None)
    document = export(replace(clip, tracks=[*clip.tracks[:2], earlier]), source=source)
    assert document.animations[0].channels[-1].values[:, 0].tolist() == [9.0] * frames, "none of its old ones"
    cut, report = source.document.data.replace(b'NumFrames="4"', b'NumFrames="2"'), Report()
    w3x.to_clips(w3x.read(cut), w3x.ReadOptions(), report)
    assert [entry.values["channels"] for entry in report.warnings] == [3], "also one of which nothing plays"


@pytest.mark.parametrize("pivot", [1, 2])
def test_a_list_with_one_empty_channel_takes_another_beside_or_in_the_place_of_it(pivot: int) -> None:
    empty = '<ChannelScalar Pivot="1" Type="XTranslation" FirstFrame="0"/>'
    source = made(empty)
    clip = made(scalar(pivot, 1, 2, 3, 4)).clip
    document = export(clip, source=source)
    assert [channel.pivot for channel in document.animations[0].channels] == [1, 2][:pivot]
    assert document.animations[0].channels[-1].values[:, 0].tolist() == [1, 2, 3, 4]
    assert (empty.encode() in w3x.write(document)) == (pivot == 2)
    bare = source.document.data.replace(f"<Channels>{empty}</Channels>".encode(), b"<w:Channels/>")
    assert len(export(clip, source=read_from(bare)).animations[0].channels) == 1


@pytest.mark.parametrize("from_file", [True, False])
def test_numbers_that_are_none_are_written_as_the_schema_has_them(from_file: bool) -> None:
    source = made(scalar(2, 1, 2, 3, 4))
    (track,) = source.clip.tracks
    values = np.array([[1, np.inf, -np.inf, 4]], np.float32)
    steps = np.full(4, Interpolation.CONSTANT, np.uint8)
    clip = replace(source.clip, tracks=[replace(track, values=values, interpolation=steps)])
    document = export(clip, source=source if from_file else None)
    (channel,) = document.animations[0].channels
    assert np.array_equal(channel.values[:, 0], values[0])


def test_ids_with_signs_of_xml_stay_what_they_are() -> None:
    source = made(scalar(2, 1, 2, 3, 4), name="A&quot;&lt;", skeleton="H&quot;")
    further = replace(source.clip.nodes[-1], name="further")
    clip = replace(through_blender(source.clip), nodes=[*source.clip.nodes, further])
    document = export(clip, report := Report(), source=source, file_rate=15, include_skeleton="INCLUDE")
    assert document.animations[0].name == 'A"<' and report.notes == []
    assert [hierarchy.name for hierarchy in document.hierarchies] == ['H"']


@pytest.mark.parametrize(("names", "empty"), [([], ""), ([], "<Includes/>"), (["Other", "More"], ""), (["H"], "")])
def test_a_file_that_loses_its_skeleton_includes_it_once(names: list[str], empty: str) -> None:
    """However the case of letters is."""
    source = made(scalar(2, 1, 2, 3, 4))
    held = (
        "".join(f'<Includes><Include type="instance" source="ART:{name}.w3x"/></Includes>' for name in names) or empty
    )
    data = source.document.data.replace(b'Hierarchy="', b'Hierarchy="W3DHierarchy:')
    document = w3x.read(data.replace(b"<W3DHierarchy", held.encode() + b'<W3DHierarchy id="I"/><W3DHierarchy', 1))
    found = export(through_blender(source.clip), source=replace(source, document=document), include_skeleton="EXCLUDE")
    assert found.hierarchies == [] and found.animations[0].hierarchy == "W3DHierarchy:H"
    assert [each.source for each in found.includes] == [f"ART:{name}.w3x" for name in names + ["h"] * (names != ["H"])]


def test_new_text_has_the_files_line_ends_and_what_was_mixed_stays_mixed() -> None:
    text = text_of("g02").replace(b"\n", b"\r\n")
    source = read_from(text)
    clip = through_blender(source.clip)
    clip.tracks.append(Track.sampled("TURRET", "location", np.array([0.0]), np.array([[3.0]]), width=3))
    changes: list[dict[str, Any]] = [{}, {"include_skeleton": "EXCLUDE"}, {"file_rate": 15}]
    for given in [*({"source": source, **how} for how in changes), {"source": source, "into": w3x.read(text)}]:
        data = w3x.write(export(replace(clip, name="Second"), **given))
        assert data != text and data.count(b"\n") == data.count(b"\r\n") == data.count(b"\r") > 50
    assert b"\r" not in w3x.write(export(clip, source=read_from(text_of("g02"))))
    mixed = read_from(text.replace(b"</Frame>\r\n", b"</Frame>\n"))

    def raised(track: Track, keys: KeyBlock) -> KeyBlock:
        keys.values[:, 4:5] += 2.0 * ((track.node, track.component) == ("MUZZLEFX01", 1))
        return keys

    after = w3x.write(export(through_blender(mixed.clip, raised), source=mixed))
    assert [after.count(end) - mixed.document.data.count(end) for end in (b"\n", b"\r")] == [0, 0]
    assert after != mixed.document.data
