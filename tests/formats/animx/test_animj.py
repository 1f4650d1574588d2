"""AnimJ: every tolerance, every refusal, numbers that survive, text that the engine's reader takes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import animx
from io_formats.animx import layout, messages
from io_formats.animx.document import Document, Track
from io_formats.animx.layout import Mode, TrackType
from io_formats.errors import FormatError, Report

DATA = Path(__file__).parents[2] / "data" / "animx"
BAD = sorted(path.name for path in (DATA / "animj").glob("bad_*"))
TWINS = sorted(path.name for path in DATA.glob("*.animj"))


def track(value_type: str, keys: list[Any], kind: str = "Raw", **data: Any) -> dict[str, Any]:
    interval = {"interval": 1} if kind == "Raw" else {}
    body = {"node": "n", "property": "p", **interval, "keyframes": keys, **data}
    return {"trackType": kind, "valueType": value_type, "data": body}


def parse(*tracks: dict[str, Any], report: Report | None = None, **root: Any) -> Document:
    return animx.read(json.dumps({"tracks": tracks, **root}).encode(), report=report)


@pytest.mark.parametrize("name", BAD)
def test_refused(name: str) -> None:
    with pytest.raises(FormatError) as caught:
        animx.read((DATA / "animj" / name).read_bytes())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "field", "told"),
    [
        (track("float3", [{"x": 1, "y": 2, "z": 3}, {"x": 1, "y": "2", "z": 3}]), "data.keyframes[1].y", 'found "2"'),
        (track("float3", [{"time": 0, "value": [1, None]}], "Curve"), "data.keyframes[0].value", "found [1, null]"),
        (track("float", [{"time": 0, "value": 1}, {"value": 1}], "Curve"), "data.keyframes[1]", "the key time"),
        (track("float", [True]), "data.keyframes[0]", "a number, found true"),
        (track("float7", []), "valueType", "found float7"),
        ({"trackType": "Raw", "valueType": "float", "data": {"keyframes": [1]}}, "data", "the key interval"),
        *((track("float", [1, 2.5, wide, 1e39]), "data.keyframes[2]", "in the range") for wide in (1e39, -(10**400))),
    ],
)  # fmt: skip
def test_a_refusal_names_the_field_and_what_is_there(wrong: Any, field: str, told: str) -> None:
    with pytest.raises(FormatError, match=re.escape(told)) as caught:
        parse(wrong)
    assert caught.value.field == f"tracks[0].{field}"


def test_a_refusal_of_the_whole_names_the_place_or_what_is_no_json() -> None:
    for text, offset in ((b'{"n\xc3\xa4": }', 8), (b'\xef\xbb\xbf{"name":}', 11)):
        with pytest.raises(FormatError) as caught:
            animx.read(text)
        assert caught.value.offset == offset
    with pytest.raises(FormatError, match="NaN is not a valid JSON number"):
        parse(more=np.nan)


@pytest.mark.parametrize(
    "wrong",
    [
        track("byte", [256]), track("byte", [1.5]), track("int", [-(2**31) - 1]), track("ulong", [-1]),
        track("bool", [2]), track("bool", ["true"]), track("float", [10**400]), track("float3", [{"x": 1, "y": 2}]),
        track("float2x2", [[[1, 2, 3], [4]]]), track("string", [3]), track("float", [1], "Curve"),
        track("float", [{"time": None, "value": 1}], "Curve"), track("float", [None]), track("float3", [[1] * 4]),
        track("float", {}),  # type: ignore[arg-type]  # the point of it
        track("float", [], "Bezier"), {"trackType": 3, "valueType": "float", "data": {}},
        {"trackType": "Raw", "valueType": "float", "data": []}, {"valueType": "float", "data": {}}, [],
    ],
    ids=lambda value: json.dumps(value)[:60],
)  # fmt: skip
def test_wrong_values_are_refused(wrong: Any) -> None:
    with pytest.raises(FormatError):
        parse(wrong)


TWICE = '{"tracks":[' + json.dumps(track("float", [1])) * 2 + "]}"
HOSTILE = ['{"tracks":3}', '{"tracks":[]}]', TWICE]


@pytest.mark.parametrize("text", HOSTILE, ids=len)
def test_hostile_json_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        animx.read(text.encode())


@pytest.mark.parametrize("start", [b'{"name":"Z\xc3\xa4hler","globalDuration":', b'\xef\xbb\xbf{"tracks":[1.5,-7,'])
@pytest.mark.parametrize("sign", [b"", b"-"])
def test_a_number_of_thousands_of_digits_is_refused(start: bytes, sign: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        animx.read(start + sign + b"9" * 5000 + b"]}")
    assert str(refusal.value) == "'JSON': expected numbers of at most 4300 digits; export the file again"


def test_values_in_other_shapes() -> None:
    document = parse(
        track("FLOATQ", [[0, 0, 0, 1]]),
        track("float2x2", [[[1, 2], [3, 4]]]),
        track("float2x2", [{"m00": 1, "m01": 2, "m10": 3, "m11": 4}]),
        track("float2x2", [[1, 2, 3, 4]]),
        track("color32", [{"r": 1, "g": 2, "b": 3, "a": 255}]),
        track("bool3", [{"x": True, "y": False, "z": 1}]),
        track("long", [2.0]),
        {**track("float", [1]), "trackType": "raw"},
    )
    report = Report()
    written = json.loads(animx.write_animj(document, report))["tracks"]
    assert [each["data"]["keyframes"][0] for each in written[1:3]] == [[[1, 2], [3, 4]]] * 2
    assert [entry.template for entry in report.warnings] == [animx.messages.MATRICES]
    numbers = [found.numbers().T.tolist()[0] for found in document.tracks]
    assert numbers == [[0, 0, 0, 1], [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 255], [1, 0, 1], [2], [1]]


def test_byte_order_mark_and_order_of_keys() -> None:
    report = Report()
    keys = [{"time": at, "value": 1, "by": "me", f"key{at}": at} for at in (0, 1)]
    usual = track("float", keys, "Discrete", mine=1)
    turned = {key: usual[key] for key in ("trackType", "data", "valueType")}
    turned |= {f"own{number}": number for number in range(9)}
    alike = track("float", [{"time": 0, "value": 1, "interpolation": "Hold", "who": "me"}], "Curve")
    data = b"\xef\xbb\xbf" + json.dumps({"tracks": [turned, alike], "rate": 3, "by": "a person", "at": 9}).encode()
    document = animx.read(data, report=report)
    assert document.tracks[0].key_count == 2
    assert {entry.template for entry in report.warnings} == {messages.ANIMJ_ORDER, messages.ANIMJ_IGNORED}
    named = [entry.values["key"] for entry in report.warnings if entry.template == messages.ANIMJ_IGNORED]
    assert named == ["rate", "by", "at", *(f"own{number}" for number in range(9)), "mine", "key0", "key1", "who"]


def test_interpolations() -> None:
    names = ["Hold", "LINEAR", 2, "CubicBezier", 4, "Wave", True, None]
    keys = [{"time": at, "value": 0, "interpolation": name} for at, name in enumerate(names)]
    report = Report()
    found = parse(track("float", [*keys, {"time": 9, "value": 0}], "Curve"), report=report).tracks[0]
    assert found.modes.tolist() == [0, 1, 2, 3, 3, 1, 1, 0, 0]
    assert {entry.values["found"] for entry in report.warnings} == {"Wave", "True"}


def test_missing_tangents() -> None:
    keys = [
        {"time": 0, "value": 5, "interpolation": "CubicBezier", "rightTangent": 7},
        {"time": 1, "value": 6, "interpolation": "Tangent", "leftTangent": 8},
        {"time": 2, "value": 7, "interpolation": "CubicBezier"},
    ]
    found = parse(track("float", keys, "Curve")).tracks[0]
    assert np.asarray(found.left).tolist() == [5, 8, 0]
    assert np.asarray(found.right).tolist() == [7, 0, 0]
    lines = [{"time": 0, "value": 5}, {"time": 1, "value": 6, "leftTangent": 8}]  # which nothing asks for
    found = animx.read(animx.write_animj(parse(track("float", lines, "Curve")))).tracks[0]
    assert [np.asarray(side).tolist() for side in (found.left, found.right)] == [[0, 8], [0, 0]]
    for kind, value, none in (("string", "a", [None]), ("float2", {"x": 1, "y": 2}, [[0, 0]])):
        key = {"time": 0, "value": value, "interpolation": "Tangent"}
        assert np.asarray(parse(track(kind, [key], "Curve")).tracks[0].left).tolist() == none


KEY = '{"time":%s,"value":{"x":%s,"y":%s,"z":3},"interpolation":"Linear"}'
FIRST = [KEY % numbers for numbers in ((0, 1, -2.5), ("1e-1", "1E+1", "-0.5"))]


def parse_keys(*keys: str, between: str = ",", kind: str = "Curve", value_type: str = "float3") -> Track:
    """The track of keys that are spelled in just this way; `n": 4` looks like a number, and is none."""
    data = f'"node":"n\\": 4","property":"keyframes","keyframes": [ {between.join(keys)} ]'
    text = f'{{"tracks":[{{"trackType":"{kind}","valueType":"{value_type}","data":{{{data}}} }} ]}}'
    return animx.read(text.encode()).tracks[0]


@pytest.mark.parametrize(
    ("third", "mode"),
    [
        (KEY % (2, 7, 8), Mode.LINEAR),
        ('{"time": 2, "value":{"x":7, "y":8,"z":3},"interpolation":"Linear"}', Mode.LINEAR),
        ('{"time":2,"value":{"y":8,"x":7,"z":3},"interpolation":"Linear"}', Mode.LINEAR),
        ('{"time":2,"value":{"x":7,"z":3,"y":8},"interpolation":"Linear"}', Mode.LINEAR),
        ('{"value":{"x":7,"y":8,"z":3},"interpolation":"Linear","time":2}', Mode.LINEAR),
        ('{"time":2,"value":[7,8,3],"interpolation":"Linear"}', Mode.LINEAR),
        ('{"time":2,"value":{"x":7,"y":8,"z":3}}', Mode.HOLD),
        ('{"time":2,"value":{"x":7,"y":8,"z":3},"interpolation":"\x80"}', Mode.LINEAR),
    ],
)
@pytest.mark.parametrize("between", [",", " ,\n\t"])
def test_a_key_that_is_spelled_as_the_others_is_read_as_one_that_is_not(third: str, mode: Mode, between: str) -> None:
    found = parse_keys(*FIRST, third, between=between)
    assert np.asarray(found.times).tolist() == [0, np.float32(0.1), 2]
    assert found.numbers().T.tolist() == [[1, -2.5, 3], [10, -0.5, 3], [7, 8, 3]]
    assert found.modes.tolist() == [Mode.LINEAR, Mode.LINEAR, mode] and (found.node, found.left) == ('n": 4', None)


def test_tangents_of_keys_that_are_spelled_alike() -> None:
    key = '{"time":%d,"value":%d,"interpolation":"%s"%s}'
    sides = ',"rightTangent":7,"leftTangent":8'
    given = parse_keys(*(key % (at, 5, "Tangent", sides) for at in range(3)), value_type="float")
    assert [np.asarray(side).tolist() for side in (given.left, given.right)] == [[8] * 3, [7] * 3]
    ways = sides, ',"leftTangent":8,"rightTangent":7'  # the same names in another order
    turned = parse_keys(*(f'{{"interpolation":"Tangent","time":0,"value":5{way}}}' for way in ways), value_type="float")
    assert [np.asarray(side).tolist() for side in (turned.left, turned.right)] == [[8] * 2, [7] * 2]
    ways = '"value":{"x":5,"y":6}', '"leftTangent":{"y":8,"x":7}', '"rightTangent":{"x":5,"y":6}'
    turned = parse_keys(*[f'{{"interpolation":"Tangent","time":0,{",".join(ways)}}}'] * 2, value_type="float2")
    assert np.asarray(turned.left).tolist() == [[7, 8]] * 2
    missing = parse_keys(*(key % (at, 5, "CubicBezier", "") for at in range(3)), value_type="float")
    assert [np.asarray(side).tolist() for side in (missing.left, missing.right)] == [[0] * 3] * 2
    alone = parse_keys(*(key % (at, 5, "CubicBezier", ',"leftTangent":8') for at in range(3)), value_type="float")
    assert [np.asarray(side).tolist() for side in (alone.left, alone.right)] == [[8] * 3, [5] * 3]


@pytest.mark.parametrize("number", ["01", "+1", "1.", ".5", "--1", "1e", "1-1", "", "1,1", "NaN", "1" * 5000, "1e39"])
def test_what_is_no_number_is_refused_among_keys_that_are_spelled_alike(number: str) -> None:
    for numbers in ((number, 7, 8), (2, 7, number)):
        with pytest.raises(FormatError):
            parse_keys(*FIRST, KEY % numbers, KEY % (3, 7, 8))


@pytest.mark.parametrize("wrong", [{"value_type": "string"}, {"value_type": "float"}, {"kind": "Raw"}])
def test_keys_that_are_spelled_alike_are_refused_where_they_are_others(wrong: dict[str, str]) -> None:
    with pytest.raises(FormatError):
        parse_keys(*FIRST, **wrong)  # type: ignore[arg-type]
    for last in (FIRST[1][:-1], FIRST[1][:-2], FIRST[1][:5]):
        with pytest.raises(FormatError):
            parse_keys(*FIRST, last)
    for last, value_type in (('{"time":1,"value":12', "float"), ('{"time":1,"value":12}', "string")):
        with pytest.raises(FormatError):
            parse_keys('{"time":0,"value":10}', last, value_type=value_type)
    with pytest.raises(FormatError):
        parse_keys(*FIRST, (KEY % (2, 7, 8)).replace(',"y":', "\x82"))


def test_a_list_of_another_field_is_not_taken_for_the_keys() -> None:
    found = track("float", [], "Curve") | {"more": {"keyframes": [{"time": at, "value": 1} for at in range(3)]}}
    assert parse(found).tracks[0].key_count == 0
    both = parse(track("float", [], "Curve"), found | {"data": found["more"]})
    assert [each.key_count for each in both.tracks] == [0, 3]


@pytest.mark.parametrize("name", TWINS)
def test_written_json_says_the_same(name: str) -> None:
    """Compared as JSON, so key order, names and nesting are those of the golden."""
    golden = json.loads((DATA / name).read_text())
    written = json.loads(animx.write_animj(animx.read((DATA / name).read_bytes())))
    assert single(written) == single(golden)
    for found in written["tracks"]:
        assert list(found) == ["trackType", "valueType", "data"]


def single(value: Any) -> Any:
    """JSON with its fractions as float32, which is all that the engine keeps of most."""
    if isinstance(value, dict):
        return {key: single(item) for key, item in value.items()}
    if isinstance(value, list):
        return [single(item) for item in value]
    return float(np.float32(value)) if isinstance(value, float) else value


def test_numbers_are_short_and_exact() -> None:
    numbers = {"float": np.float32([0.1, 1e-7, 3e38, -0.0]), "double": np.array([0.1, 1e300])}
    numbers["ulong"] = np.array([2**64 - 1], np.uint64)
    tracks = [Track(TrackType.RAW, layout.IDS[name], "n", "p", each) for name, each in numbers.items()]
    text = animx.write_animj(Document("x", np.float32(0.1), tracks)).decode()
    for each in ('"globalDuration":0.1,', "[0.1,1e-07,3e+38,-0.0]", "[0.1,1e+300]", "[18446744073709551615]"):
        assert each in text


def test_nothing_but_numbers_is_written() -> None:
    times = np.array([0, np.nan, 2, 3], np.float32)
    values = np.array([[1, np.nan], [9, 9], [np.inf, 4], [5, 6]], np.float32)
    curve = Track(
        TrackType.CURVE, layout.IDS["float2"], "n", "p", values, times,
        interpolation=np.array([Mode.TANGENT] * 4, np.uint8), flags=3, left=values, right=values,
    )  # fmt: skip
    raw = Track(TrackType.RAW, 21, "n", "r", np.array([np.nan, 2], np.float32), interval=np.float32(np.inf))
    report = Report()
    document = Document("x", np.float32(np.inf), [curve, raw])
    written = animx.write_animj(document, report)
    found = json.loads(written, parse_constant=lambda name: pytest.fail(name))
    keys = found["tracks"][0]["data"]["keyframes"]
    assert [key["time"] for key in keys] == [0, 2, 3]
    assert [key["value"] for key in keys] == [{"x": 1, "y": 0}, {"x": 1, "y": 4}, {"x": 5, "y": 6}]
    assert [key["leftTangent"] for key in keys] == [{"x": 1, "y": 0}, {"x": 0, "y": 4}, {"x": 5, "y": 6}]
    assert found["tracks"][1]["data"]["keyframes"] == [0, 2]
    assert report.warnings
    assert animx.same_content(document, animx.read(written))
    binary = replace(animx.read(written), textual=False, duration=document.duration)
    assert not animx.same_content(document, binary), "which can hold them"


def test_lone_surrogates_become_a_sign() -> None:
    document = animx.read(b'{"name":"a\\ud800b","tracks":[]}')
    assert document.name == "a\ufffdb"
    lone = "a\ud800b"
    document = Document(lone, np.float32(1), [Track(TrackType.RAW, 39, lone, lone, [lone])])
    assert animx.same_content(document, animx.read(animx.write_animj(document)))
    packed = animx.read(animx.write(document))
    assert {packed.name, packed.tracks[0].node, packed.tracks[0].values[0]} == {"a\ufffdb"}
