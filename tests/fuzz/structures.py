"""Files of very many parts, of whatever a format's layout has most of, up to the size asked for.

Random damage never makes a hundred thousand tracks, or pivots that hang on each other as far as the file goes; where
time or memory grow faster than the file, only such files show it. Each has its layout written out here once more, or
is laid as the tests lay W3D files, so that what the readers believe about it does not count.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from itertools import count
from typing import Any

from lay import Lay
from mutations import varint

Structure = Callable[[int], bytes]

NAN = float("nan")
FLOAT, FLOAT3, STRING = 21, 23, 39
RAW, DISCRETE, CURVE = 0, 1, 2
MOST_PIVOTS = 65_000
SMALLEST = 8192
ENDINGS = {"animx": ".animx", "mrtk": ".bin", "w3d": ".w3d", "w3x": ".w3x"}


def structured(format_name: str, seed: int, number: int, limit: int) -> tuple[str, bytes]:
    """The file of that number in a format: name of its structure, and its bytes.

    The first of each structure is as large as the limit, later ones have any size.
    """
    kinds = STRUCTURES[format_name]
    kind = kinds[number % len(kinds)]
    size = limit if number < len(kinds) else random.Random(f"{seed}/{number}").randint(SMALLEST, limit)
    return f"{kind.__name__}{ENDINGS[format_name]}", kind(size)


def _filled(size: int, part: Callable[[int], bytes]) -> list[bytes]:
    """As many numbered parts as make up the size, at least one."""
    parts, left = [], size
    for number in count():
        parts.append(part(number))
        left -= len(parts[-1])
        if left < len(parts[-1]):
            return parts
    raise AssertionError("a count has no end")


# --- AnimX -------------------------------------------------------------------------------------------------------


def _text(text: bytes) -> bytes:
    return varint(len(text)) + text


def _animx(size: int, track: Callable[[int], bytes]) -> bytes:
    tracks = _filled(size - 24, track)
    head = b"\x05AnimX" + struct.pack("<i", 1) + varint(len(tracks)) + struct.pack("<f", 1)
    return head + b"\1n\0" + b"".join(tracks)


def _curve(node: bytes, name: bytes, *numbers: float) -> bytes:
    """A linear Curve track of floats, value and time in turns."""
    head = bytes([CURVE, FLOAT]) + _text(node) + _text(name) + varint(len(numbers) // 2) + b"\0\1"
    return head + struct.pack(f"<{len(numbers)}f", *numbers)


def empty_raw_tracks(size: int) -> bytes:
    """The smallest tracks: no name, no key."""
    return _animx(size, lambda _: bytes([RAW, FLOAT, 0, 0, 0]) + bytes(4))


def tracks_without_keys(size: int) -> bytes:
    """Each has a node of its own, so that each is a warning of its own."""
    return _animx(size, lambda number: _curve(b"%d" % number, b"x"))


def tracks_of_one_key(size: int) -> bytes:
    """No names, times of their own."""
    return _animx(size, lambda number: _curve(b"", b"%d" % number, 0, number))


def tracks_that_are_no_numbers(size: int) -> bytes:
    """A key of each is NaN, which speaks for the other order of keys."""
    return _animx(size, lambda number: _curve(b"N%d" % number, b"x", 0, 0, 1, NAN))


def tracks_out_of_order(size: int) -> bytes:
    """The keys of each run backwards."""
    return _animx(size, lambda number: _curve(b"N%d" % number, b"x", 5, 9, 1, 1))


def tracks_of_one_name(size: int) -> bytes:
    """All drive the same property."""
    return _animx(size, lambda _: _curve(b"N", b"x", 0, 0, 1, 1))


def positions(size: int) -> bytes:
    """A node with a position for each track."""
    rest = _text(b"Position") + b"\1\0\1" + bytes(16)
    return _animx(size, lambda number: bytes([CURVE, FLOAT3]) + _text(b"%d" % number) + rest)


def nodes_that_look_alike(size: int) -> bytes:
    """Names of bytes that are no UTF-8, all different and all shown the same."""
    return _animx(size, lambda number: _curve(_no_text(number), b"x", 0, 0))


def _no_text(number: int) -> bytes:
    return bytes(0x80 | number >> 6 * place & 0x3F for place in range(4))


def texts_in_turns(size: int) -> bytes:
    """One track of texts, every other of which is null, so that each is another one than before."""
    pairs = (size - 64) // 4
    return _animx(size, lambda _: bytes([RAW, STRING, 0, 0]) + varint(2 * pairs) + bytes(4) + pairs * b"\1\1a\0")


def dated_null_texts(size: int) -> bytes:
    """One track of times and texts, of which none is there."""
    keys = (size - 64) // 5
    return _animx(size, lambda _: bytes([DISCRETE, STRING, 0, 0]) + varint(keys) + bytes(5 * keys))


# --- AnimJ -------------------------------------------------------------------------------------------------------


def _animj(tracks: bytes, name: bytes = b'"n"', more: bytes = b"") -> bytes:
    return b'{"name":' + name + b',"globalDuration":1,"tracks":[' + tracks + b"]" + more + b"}"


def _json_tracks(size: int, track: Callable[[int], Any]) -> bytes:
    tracks = _filled(size - 64, lambda number: json.dumps(track(number)).encode() + b",")
    return _animj(b"".join(tracks)[:-1])


def _json_curve(node: str, keys: list[Any]) -> dict[str, Any]:
    data = {"node": node, "property": "x", "keyframes": keys}
    return {"trackType": "Curve", "valueType": "float", "data": data}


def json_tracks_without_keys(size: int) -> bytes:
    """Each is a warning of its own."""
    return _json_tracks(size, lambda number: _json_curve(f"N{number}", []))


def json_unknown_keys(size: int) -> bytes:
    """Each has another name."""
    keys = _filled(size - 64, lambda number: b',"k%d":0' % number)
    return _animj(b"", more=b"".join(keys))


def json_unknown_interpolations(size: int) -> bytes:
    """Each has another name."""
    keys = _filled(size - 128, lambda number: b'{"time":0,"value":0,"interpolation":"%d"}' % number)
    track = json.dumps(_json_curve("N", [])).encode()
    return _animj(track.replace(b"[]", b"[" + b",".join(keys[: len(keys) * 40 // 42]) + b"]"))


def json_empty_lists(size: int) -> bytes:
    """Where the name should be."""
    return _animj(b"", name=b"[" + b",".join([b"[]"] * ((size - 64) // 3)) + b"]")


def json_nested_as_deep_as_python_reads(size: int) -> bytes:
    """Lists within lists, some deeper than what reads them is willing to show."""
    depth = min(900 + size % 99, size // 2)
    return _animj(b"", name=b"[" * depth + b"]" * depth)


# --- MRTK --------------------------------------------------------------------------------------------------------

_MRTK_HEAD = struct.pack("<qii", 0x6A8FAF6E0F9E42C6, 1, 1)
_NO_KEYS = bytes(12)


def markers_with_text(size: int) -> bytes:
    """A time and a text of its own for each."""
    markers = _filled(size - 32, lambda number: struct.pack("<f", number) + _text(b"%d" % number))
    return _MRTK_HEAD + bytes(3) + struct.pack("<i", len(markers)) + b"".join(markers)


def camera_keys_that_are_no_numbers(size: int) -> bytes:
    """One curve of nothing but NaN."""
    return _camera(size, lambda number: struct.pack("<ff", number, NAN))


def camera_keys_out_of_order(size: int) -> bytes:
    """One curve that runs backwards."""
    return _camera(size, lambda number: struct.pack("<ff", -number, number))


def _camera(size: int, key: Callable[[int], bytes]) -> bytes:
    keys = _filled(size - 128, key)
    curve = struct.pack("<iii", 0, 0, len(keys)) + b"".join(keys)
    return _MRTK_HEAD + b"\1\0\0" + curve + 6 * _NO_KEYS + bytes(4)


def hands_without_keys(size: int) -> bytes:
    """All curves there are, and after them what belongs to nothing."""
    return _MRTK_HEAD + b"\1\1\1" + (7 + 4 + 2 * 27 * 7 + 6) * _NO_KEYS + bytes(4) + bytes(max(size - 5000, 0))


# --- W3D ---------------------------------------------------------------------------------------------------------


_PIVOT = 60
_ROOT = "ROOTTRANSFORM"


def _hierarchy(pivots: list[str], *parents: int, name: str = "SK") -> bytes:
    return Lay.hierarchy([_ROOT, *pivots], [-1, *parents], name=name)


def _animation(*channels: bytes, name: str = "AN", skeleton: str = "SK") -> bytes:
    return Lay.animation(*channels, frames=2, name=name, skeleton=skeleton)


def _channel(pivot: int, first: float = 0, last: float = 1) -> bytes:
    return Lay.raw(0, [first, last], 0, pivot)


def pivots_of_one_name(size: int) -> bytes:
    """All hang on the root."""
    count = min(size // _PIVOT - 5, MOST_PIVOTS)
    return _hierarchy(["BONE"] * count, *[0] * count) + _animation(_channel(count))


def pivots_in_a_chain(size: int) -> bytes:
    """Each hangs on the one before."""
    count = min(size // _PIVOT - 5, MOST_PIVOTS)
    return _hierarchy([f"B{number}" for number in range(count)], *range(count)) + _animation(_channel(count))


def pivots_that_are_no_numbers(size: int) -> bytes:
    """Each has a channel of NaN."""
    count = size // 2 // _PIVOT
    channels = (_channel(number, NAN, NAN) for number in range(count))
    return _hierarchy([f"B{number}" for number in range(count)], *[0] * count) + _animation(*channels)


def animations_with_a_skeleton(size: int) -> bytes:
    """All of the same one."""
    return _hierarchy([]) + b"".join(_animations(size, lambda _: "SK"))


def animations_without_skeleton(size: int) -> bytes:
    """Each of another one, none of which is there."""
    return b"".join(_animations(size, lambda number: f"K{number}"))


def _animations(size: int, skeleton: Callable[[int], str]) -> list[bytes]:
    return _filled(size - 256, lambda at: _animation(_channel(0), name=f"A{at}", skeleton=skeleton(at)))


def channels_of_pivots_that_are_not_there(size: int) -> bytes:
    """Each of another one."""
    channels = _filled(size - 512, lambda number: _channel(number & 0xFFFF))
    return _hierarchy([]) + _animation(*channels)


def hierarchies(size: int) -> bytes:
    """One after the other."""
    return b"".join(_filled(size, lambda number: Lay.hierarchy([], name=f"SK{number}")))


def empty_unknown_chunks(size: int) -> bytes:
    """Each of another kind."""
    return _hierarchy([]) + b"".join(_filled(size - 256, lambda number: Lay.chunk(0x10000 + number, b"")))


# --- W3X ---------------------------------------------------------------------------------------------------------

_AXES = b'X="0" Y="0" Z="0"'
_REST = b'<Translation %s/><Rotation %s W="1"/>' % (_AXES, _AXES)


def _assets(*assets: bytes) -> bytes:
    return b'<AssetDeclaration xmlns="uri:ea.com:eala:asset">' + b"".join(assets) + b"</AssetDeclaration>"


def _xml_pivot(name: bytes, parent: int) -> bytes:
    return b'<Pivot Name="%s" Parent="%d">%s</Pivot>' % (name, parent, _REST)


def _xml_hierarchy(*pivots: bytes, name: bytes = b"SK") -> bytes:
    return b'<W3DHierarchy id="%s">%s%s</W3DHierarchy>' % (name, _xml_pivot(b"R", -1), b"".join(pivots))


def _xml_animation(*channels: bytes, name: bytes = b"A", skeleton: bytes = b"SK", frames: int = 9) -> bytes:
    head = b'<W3DAnimation id="%s" Hierarchy="%s" NumFrames="%d" FrameRate="30"><Channels>' % (name, skeleton, frames)
    return head + b"".join(channels) + b"</Channels></W3DAnimation>"


def _xml_channel(pivot: int, *frames: bytes, first: int = 0) -> bytes:
    head = b'<ChannelScalar Pivot="%d" Type="XTranslation" FirstFrame="%d">' % (pivot, first)
    return head + b"".join(frames) + b"</ChannelScalar>"


def xml_frames(size: int) -> bytes:
    """The shortest frames, in one channel."""
    frames = b"<Frame>1</Frame>" * ((size - 1024) // 16)
    return _assets(_xml_hierarchy(_xml_pivot(b"P", 0)), _xml_animation(_xml_channel(1, frames), frames=1 << 24))


def xml_rotations(size: int) -> bytes:
    """Rotations of nothing, in one channel, each of them a step."""
    frame = b'<Frame W="0" %s BinaryMove="1"/>' % _AXES
    head = b'<ChannelQuaternion Pivot="1" Type="Orientation" FirstFrame="0">'
    frames = head + frame * ((size - 1024) // len(frame)) + b"</ChannelQuaternion>"
    return _assets(_xml_hierarchy(_xml_pivot(b"P", 0)), _xml_animation(frames, frames=1 << 24))


def xml_channels_of_one_frame(size: int) -> bytes:
    """Each of a pivot of its own that is not there, far behind the end."""
    channels = _filled(size, lambda number: _xml_channel(number & 0xFFFF, b"<Frame>1</Frame>", first=(1 << 32) - 1))
    return _assets(_xml_animation(*channels, frames=(1 << 32) - 1))


def xml_pivots_in_a_chain(size: int) -> bytes:
    """As deep as the format can count."""
    return _assets(_xml_hierarchy(*_filled(size, lambda number: _xml_pivot(b"%d" % number, number))[:MOST_PIVOTS]))


def xml_animations(size: int) -> bytes:
    """Each without its skeleton."""
    return _assets(*_filled(size, lambda number: _xml_animation(name=b"A%d" % number, skeleton=b"S%d" % number)))


def xml_hierarchies(size: int) -> bytes:
    """One after the other."""
    return _assets(*_filled(size, lambda number: _xml_hierarchy(name=b"S%d" % number)), _xml_animation())


def xml_broken_assets(size: int) -> bytes:
    """Each is a warning of its own."""
    return _assets(*_filled(size, lambda number: b'<W3DAnimation id="%d"/>' % number))


def xml_other_assets(size: int) -> bytes:
    """The smallest."""
    return _assets(b"<a/>" * (size // 4))


def xml_includes(size: int) -> bytes:
    """Of nothing."""
    return _assets(b"<Includes>%s</Includes>" % (b"<Include/>" * (size // 10)), _xml_hierarchy())


def xml_attributes(size: int) -> bytes:
    """All of one element."""
    return _assets(b"<W3DAnimation%s/>" % b"".join(_filled(size - 64, lambda number: b' a%d=""' % number)))


def xml_texts_and_comments(size: int) -> bytes:
    """Between the frames of a channel."""
    return _assets(_xml_hierarchy(), _xml_animation(_xml_channel(1, b"x<!---->" * (size // 8))))


STRUCTURES: dict[str, tuple[Structure, ...]] = {
    "animx": (
        empty_raw_tracks, tracks_without_keys, tracks_of_one_key, tracks_that_are_no_numbers, tracks_out_of_order,
        tracks_of_one_name, positions, nodes_that_look_alike, texts_in_turns, dated_null_texts,
        json_tracks_without_keys, json_unknown_keys, json_unknown_interpolations, json_empty_lists,
        json_nested_as_deep_as_python_reads,
    ),
    "mrtk": (
        markers_with_text, camera_keys_that_are_no_numbers, camera_keys_out_of_order, hands_without_keys,
    ),
    "w3d": (
        pivots_of_one_name, pivots_in_a_chain, pivots_that_are_no_numbers, animations_with_a_skeleton,
        animations_without_skeleton, channels_of_pivots_that_are_not_there, hierarchies, empty_unknown_chunks,
    ),
    "w3x": (
        xml_frames, xml_rotations, xml_channels_of_one_frame, xml_pivots_in_a_chain, xml_animations, xml_hierarchies,
        xml_broken_assets, xml_other_assets, xml_includes, xml_attributes, xml_texts_and_comments,
    ),
}  # fmt: skip
