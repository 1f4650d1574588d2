"""AnimJ, the engine's JSON for animations: bytes -> Document. The way back is in `animj_write`.

Any order of keys, any letter case of type names, vectors as lists, and more is accepted; a track is converted as a
whole, key by key only where it is unusual. Of keys that are spelled alike only the numbers are parsed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from operator import itemgetter
from types import NoneType
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from ..clip import Array
from ..clip import messages as clip_messages
from ..errors import FormatError, Report
from ..files.memory import reckon, reckon_json
from ..files.steps import AtOnce, Steps
from . import layout, messages
from .document import Document, Track, Values, stored_values
from .layout import Kind, Mode, TrackType, ValueType

_SPACES = re.compile(r"[ \t\r\n]*")
_PIECE = 1 << 21
"""Characters of tracks that are parsed in one step, but for the end of the track that they end in."""

_KEYS, _ENDS = (
    re.compile(pattern.replace("_", r"[ \t\r\n]*")) for pattern in (r'"keyframes"_:_\[_(?=\{)', r"\]_\}_\}")
)
_HEAD = 4096
"""Characters in which the keys of a track begin."""
_NUMBER = re.compile(r"(?<=[: \t\r\n])-?[0-9][-+.eE0-9]*")
_IN_NUMBERS = b"0123456789+-.eE"
_MARKS = bytes(range(0x80, 0x100))
"""Of Latin 1, which no ASCII text has."""
_TO_COMMAS = bytes.maketrans(_MARKS, b"," * len(_MARKS))
_TANGENTS = ("leftTangent", "rightTangent")

_TRACK_TYPES = {kind.name.lower(): kind for kind in TrackType}
_VALUE_TYPES = {name.lower(): number for name, number in layout.IDS.items()}
_MODES: dict[str | int | None, int] = {
    **{key: mode for mode, name in enumerate(layout.MODE_NAMES) for key in (mode, name.lower())},
    layout.CUBIC_BEZIER_COUNTED_FROM_ONE: Mode.CUBIC_BEZIER,
    None: Mode.HOLD,
}
_Kind = TypeVar("_Kind")
_TRACK_KEYS = ("trackType", "valueType", "data")
_ROOT_KEYS = ("name", "globalDuration", "tracks")
_DATA_KEYS = ("node", "property", "interval", "keyframes")
_KEY_KEYS = ("time", "value", "interpolation", *_TANGENTS)


@AtOnce
def read(data: bytes, report: Report) -> Steps[Document]:
    """Return the document in AnimJ bytes, of one track at a time as JSON; FormatError has the path of a wrong field."""
    reckon_json(data)
    reckon(curves=data.count(b'"trackType"'))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(messages.BAD_TEXT, offset=error.start, field="JSON") from error
    of_tracks = Report()
    try:
        root = yield from _Pieces(text, of_tracks).root()
    except (ValueError, RecursionError):  # what is wrong first, and where, is seen in the whole
        return _document(_parse(data, text), report)
    document = _document(root, report)
    report.extend(of_tracks)
    return document


def _document(root: object, report: Report) -> Document:
    """Return the document of a JSON root, whose tracks may be parsed already."""
    if not isinstance(root, dict):
        raise _unexpected("", "an object", root)
    _tell_ignored(root, _ROOT_KEYS, report)
    if "tracks" not in root:
        raise FormatError(messages.ANIMJ_MISSING, key="tracks", field="tracks")
    tracks = root["tracks"]
    if not isinstance(tracks, list):
        raise _unexpected("tracks", "a list", tracks)
    document = Document(_text(root.get("name"), "name"), textual=True)
    document.duration = _single(root.get("globalDuration"), "globalDuration")
    document.tracks = [
        track if isinstance(track, Track) else _TrackParser(f"tracks[{number}]", report).read(track)
        for number, track in enumerate(tracks)
    ]
    return document


class _Pieces:
    """Parses the root object member by member, and its tracks one by one; ValueError for anything unusual."""

    def __init__(self, text: str, report: Report) -> None:
        self._text = text
        self._report = report
        self._at = 0
        self._decode = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode

    def root(self) -> Steps[dict[str, object]]:
        """Return the root with its tracks as `Track` each."""
        root: dict[str, object] = {}
        separator = "{"
        while self._passes(separator):
            key = self._value()
            if not isinstance(key, str) or not self._passes(":"):
                raise ValueError
            is_list = key == "tracks" and self._passes("[")
            root[key] = (yield from self._tracks()) if is_list else self._value()
            separator = ","
        if not root or not self._passes("}") or self._at < len(self._text):
            raise ValueError
        return root

    def _tracks(self) -> Steps[list[Track]]:
        """Return the tracks of a list that is open, and close it."""
        tracks: list[Track] = []
        due = self._at + _PIECE
        while not self._passes("]"):
            if tracks and not self._passes(","):
                raise ValueError
            track = self._track_alike() or self._value()
            tracks.append(_TrackParser(f"tracks[{len(tracks)}]", self._report).read(track))
            if self._at > due:
                due = self._at + _PIECE
                yield self._at / len(self._text)
        return tracks

    def _track_alike(self) -> object:
        """Return a track with keys that are spelled alike, and go past it; None of any other."""
        opens = _KEYS.search(self._text, self._at, self._at + _HEAD)
        ends = None if opens is None else _ENDS.match(self._text, self._text.find("]", opens.end()))
        if opens is None or ends is None:
            return None
        try:
            head = self._text[self._at : opens.end()] + ends.group()
            track, end = self._decode(head)
            if end < len(head) or next(reversed(track)) != "data":  # the keys are of a later track, or none
                return None
            first, numbers = keys = _Alike.of(self._text[opens.end() : ends.start()], self._decode)
            # of numbers of the track's type, with tangents where their interpolation has some
            kind = layout.VALUE_TYPES[_VALUE_TYPES[track["valueType"].lower()]]
            sides = first.keys() & set(_TANGENTS)
            named = {tuple(value) if isinstance(value, dict) else () for value in map(first.get, ("value", *sides))}
            bent = first.get("interpolation") not in (None, "Hold", "Linear")
            whole = numbers.keys() == {"time", "value", *sides} and len(sides) in ((2,) if bent else (0, 2))
            if not whole or named != {kind.names}:
                return None
            track["data"]["keyframes"] = keys
        except (ValueError, LookupError, TypeError, AttributeError):
            return None
        self._at = self._past_spaces(ends.end())
        return track

    def _value(self) -> object:
        value, end = self._decode(self._text, self._past_spaces(self._at))
        self._at = self._past_spaces(end)
        return value

    def _passes(self, sign: str) -> bool:
        start = self._past_spaces(self._at)
        if not self._text.startswith(sign, start):
            return False
        self._at = self._past_spaces(start + 1)
        return True

    def _past_spaces(self, at: int) -> int:
        spaces = _SPACES.match(self._text, at)
        return at if spaces is None else spaces.end()


class _Alike(NamedTuple):
    """Keys whose texts differ in numbers alone.

    Attributes:
        first: the first of them.
        numbers: (n,) those of each field that holds some, or (n * components,) one key after the other.
    """

    first: dict[str, Any]
    numbers: dict[str, list[object]]

    @classmethod
    def of(cls, text: str, decode: Callable[[str], tuple[Any, int]]) -> _Alike:
        """Return the keys of a list's text; ValueError or LookupError where they are not alike."""
        text = text.rstrip()
        first, end = decode(text)
        before, *inner, after = _NUMBER.split(text[:end])
        if not text.isascii() or not text.endswith(after):
            raise ValueError
        # a mark for each text between two numbers; where one key ends and the next begins is one, too
        joint = after + text[end : max(end, text.find("{", end))] + before
        marks = dict(zip(dict.fromkeys([joint, *inner]), _MARKS.decode("latin-1")))
        text = text[len(before) : -len(after)]
        for literal, mark in marks.items():
            text = text.replace(literal, mark)
        # nothing but numbers, between the same marks in the same order
        marked, order = text.encode("latin-1"), "".join(map(marks.__getitem__, [*inner, joint])).encode("latin-1")
        signs = marked.translate(None, _IN_NUMBERS)
        if signs != (order * (len(signs) // len(order) + 1))[:-1]:
            raise ValueError
        numbers, _ = decode(f"[{marked.translate(_TO_COMMAS).decode('ascii')}]")
        # by field, of columns in the first key's order
        columns = [numbers[at :: len(order)] for at in range(len(order))]
        fields = {name: list(value.values()) if isinstance(value, dict) else [value] for name, value in first.items()}
        fields = {name: row for name, row in fields.items() if not isinstance(row[0], str)}
        if list(chain.from_iterable(fields.values())) != [column[0] for column in columns]:
            raise ValueError
        rest = iter(columns)
        named = {name: list(chain.from_iterable(zip(*islice(rest, len(row))))) for name, row in fields.items()}
        return cls(first, named)


def _parse(data: bytes, text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except FormatError:
        raise
    except json.JSONDecodeError as error:
        offset = len(data) - len(text[error.pos :].encode())
        raise FormatError(messages.ANIMJ_NOT_JSON, offset=offset, field="JSON") from error
    except ValueError as error:  # more digits than Python converts
        raise FormatError(messages.ANIMJ_DIGITS, field="JSON", limit=sys.get_int_max_str_digits()) from error
    except RecursionError as error:
        raise FormatError(messages.ANIMJ_NESTED, field="JSON") from error


def _refuse_constant(name: str) -> NoReturn:
    raise FormatError(messages.ANIMJ_NOT_A_NUMBER, field="JSON", name=name)


def _unexpected(field: str, expected: str, found: object) -> FormatError:
    shown = json.dumps(found, default=str)
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    return FormatError(messages.ANIMJ_EXPECTED, field=field, expected=expected, found=shown)


def _tell_ignored(found: Iterable[str], known: Container[str], report: Report) -> None:
    for key in (key for key in found if key not in known):
        report.warn(messages.ANIMJ_IGNORED, key=key)


def _text(value: object, field: str) -> str:
    """Return a text; null gives an empty one. Lone surrogates, which UTF-8 cannot hold, become U+FFFD."""
    if not isinstance(value, str | None):
        raise _unexpected(field, "a text", value)
    return clean_text(value or "")


def _single(value: object, field: str) -> np.float32:
    """Return a number of seconds as float32; null gives 0."""
    result: np.float32 = _floats([0 if value is None else value], "<f4", lambda _: field)[0]
    return result


def _expect(types: set[type], values: Sequence[object], path: Callable[[int], str], expected: str) -> None:
    """Raise FormatError at `path` of the first value that is of another type."""
    if not types.issuperset(map(type, values)):
        wrong = next(at for at, value in enumerate(values) if type(value) not in types)
        raise _unexpected(path(wrong), expected, values[wrong])


def _floats(numbers: Sequence[Any], base: str, path: Callable[[int], str]) -> Array:
    """Return (n,) finite numbers of a floating type; raise FormatError at `path` of the first that is not one."""
    _expect({int, float}, numbers, path, "a number")
    try:
        wide = np.array(numbers, np.float64)
    except OverflowError:
        wide = np.array([number if abs(number) <= sys.float_info.max else np.inf for number in numbers])
    with np.errstate(over="ignore"):
        result: Array = wide.astype(base)
    finite = np.isfinite(result)
    if not finite.all():
        number = int(np.argmin(finite))
        raise _unexpected(path(number), "a number in the range of the type", numbers[number])
    return result


def _integers(numbers: Sequence[Any], base: str, path: Callable[[int], str]) -> Array:
    """Return (n,) integers of a type; raise FormatError at `path` of the first not whole or not in range."""
    if set(map(type, numbers)) - {int}:
        numbers = [int(value) if type(value) is float and value.is_integer() else value for value in numbers]
        _expect({int}, numbers, path, "a whole number")
    bounds = np.iinfo(base)
    if numbers and (min(numbers) < bounds.min or max(numbers) > bounds.max):
        number = next(at for at, value in enumerate(numbers) if not bounds.min <= value <= bounds.max)
        raise FormatError(
            messages.ANIMJ_RANGE, field=path(number), low=bounds.min, high=bounds.max, found=str(numbers[number])[:40]
        )
    return np.array(numbers, base)


class _TrackParser:
    """Converts one track; `path` is its path in the document."""

    def __init__(self, path: str, report: Report) -> None:
        self._path = path
        self._report = report
        self._values_path = f"{path}.data.keyframes"

    def read(self, track: object) -> Track:
        """Return the track that a JSON value describes."""
        if not isinstance(track, dict):
            raise _unexpected(self._path, "an object", track)
        known = [key for key in track if key in _TRACK_KEYS]
        if len(known) == len(_TRACK_KEYS) and known != list(_TRACK_KEYS):
            self._report.warn(messages.ANIMJ_ORDER)
        _tell_ignored(track, _TRACK_KEYS, self._report)
        if str(track.get("trackType")).lower() == "bezier":
            raise FormatError(messages.BEZIER_TRACK, field=f"{self._path}.trackType")
        kind = self._known(track, "trackType", _TRACK_TYPES, messages.ANIMJ_TRACK_TYPE)
        value_type = self._known(track, "valueType", _VALUE_TYPES, messages.ANIMJ_VALUE_TYPE)
        data = self._needed(track, "data", self._path)
        if not isinstance(data, dict):
            raise _unexpected(f"{self._path}.data", "an object", data)
        _tell_ignored(data, _DATA_KEYS, self._report)
        path = f"{self._path}.data"
        keys = self._needed(data, "keyframes", path)
        node, name = (_text(data.get(key), f"{path}.{key}") for key in ("node", "property"))
        result = Track(kind, value_type, node, name, [])
        if isinstance(keys, _Alike) and kind is not TrackType.RAW:
            self._read_alike(result, keys)
        elif not isinstance(keys, list):
            raise _unexpected(self._values_path, "a list", keys)
        elif kind is TrackType.RAW:
            result.interval = _single(self._needed(data, "interval", path), f"{path}.interval")
            result.values = self._values(value_type, keys, "")
        else:
            times = self._column(keys, "time")
            result.times = _floats(times, "<f4", lambda at: f"{self._values_path}[{at}].time")
            result.values = self._values(result.value_type, self._column(keys, "value"), ".value")
            _tell_ignored(sorted(set().union(*keys)), _KEY_KEYS, self._report)
            if result.track_type is TrackType.CURVE:
                self._read_curve(result, keys)
        return result

    def _needed(self, table: dict[str, object], key: str, path: str) -> object:
        if key not in table:
            raise FormatError(messages.ANIMJ_MISSING, field=path, key=key)
        return table[key]

    def _known(self, track: dict[str, object], key: str, known: Mapping[str, _Kind], template: str) -> _Kind:
        """Return what a name in a field means, in any case of letters; FormatError for one that is not known."""
        name, field = self._needed(track, key, self._path), f"{self._path}.{key}"
        if not isinstance(name, str):
            raise _unexpected(field, "a text", name)
        if name.lower() not in known:
            raise FormatError(template, field=field, found=name[:40])
        return known[name.lower()]

    def _read_alike(self, track: Track, keys: _Alike) -> None:
        _tell_ignored(keys.first, _KEY_KEYS, self._report)
        track.times = _floats(keys.numbers["time"], "<f4", lambda at: f"{self._values_path}[{at}].time")
        names = [name for name in ("value", *_TANGENTS) if name in keys.numbers]
        track.values, *sides = (self._stored(track.value_type, keys.numbers[name], f".{name}") for name in names)
        if track.track_type is TrackType.CURVE:
            track.interpolation = self._modes([keys.first.get("interpolation")])
            if sides:
                track.flags |= layout.FLAG_TANGENTS
                track.left, track.right = sides

    def _column(self, keys: list[Any], name: str) -> list[object]:
        """Return one field of all keys; raise FormatError for a key that is not an object or lacks the field."""
        try:
            # all keys at once; only where that fails is the wrong one looked for
            return list(map(itemgetter(name), keys))
        except (KeyError, TypeError, IndexError):
            for number, key in enumerate(keys):
                if not isinstance(key, dict):
                    raise _unexpected(f"{self._values_path}[{number}]", "an object", key) from None
                self._needed(key, name, f"{self._values_path}[{number}]")
            raise

    def _read_curve(self, track: Track, keys: list[dict[str, Any]]) -> None:
        modes = self._modes([key.get("interpolation") for key in keys] or [None])
        shared = bool((modes == modes[0]).all())
        track.interpolation, track.flags = (modes[:1], 0) if shared else (modes, layout.FLAG_PER_KEY)
        left, right = ([key.get(name) for key in keys] for name in _TANGENTS)
        given = left.count(None) + right.count(None) < 2 * len(keys)
        if not given and not (modes >= Mode.TANGENT).any():
            return
        track.flags |= layout.FLAG_TANGENTS
        # a tangent that is not given is 0; beside one that is, of CubicBezier, the value
        filler = dict.fromkeys(track.type.names, 0) or (None if track.type.kind is Kind.STRING else 0)
        sides = []
        for name, side, other in zip(_TANGENTS, (left, right), (right, left)):
            absent = [at for at, value in enumerate(side) if value is None]
            filled = [filler if value is None else value for value in side] if absent else side
            values = self._values(track.value_type, filled, f".{name}")
            alone = [at for at in absent if other[at] is not None and modes[at] == Mode.CUBIC_BEZIER]
            if not isinstance(values, list) and not isinstance(track.values, list):
                values[alone] = track.values[alone]
            sides.append(values)
        track.left, track.right = sides

    def _modes(self, names: list[object]) -> Array:
        """Return (n,) uint8; a missing interpolation is Hold, an unknown one Linear with a warning."""
        # anything unusual as text, to look it up in a table
        found: list[Any] = [name if type(name) in (str, int, NoneType) else f"{name}" for name in names]
        known: dict[str | int | None, int] = {}
        for name in set(found):
            key = name.lower() if isinstance(name, str) else name
            if key not in _MODES:
                self._report.warn(messages.ANIMJ_INTERPOLATION, found=str(name)[:40])
            known[name] = _MODES.get(key, Mode.LINEAR)
        return np.array(list(map(known.__getitem__, found)), np.uint8)

    def _values(self, value_type: int, values: list[Any], suffix: str) -> Values:
        """Return values of a type as stored, (n,) or (n, stored)."""
        kind = layout.VALUE_TYPES[value_type]
        if kind.kind is Kind.STRING:
            _expect({str, NoneType}, values, lambda at: f"{self._values_path}[{at}]{suffix}", "a text or null")
            return [None if value is None else clean_text(value) for value in values]
        return self._stored(value_type, self._flat(kind, values, suffix) if kind.components > 1 else values, suffix)

    def _stored(self, value_type: int, numbers: Sequence[object], suffix: str) -> Array:
        """Return values of a type as stored, of the components of all, one after the other."""
        kind = layout.VALUE_TYPES[value_type]
        width = kind.components

        def path(at: int) -> str:
            name = f".{kind.names[at % width]}" if width > 1 else ""
            return f"{self._values_path}[{at // width}]{suffix}{name}"

        if kind.kind is Kind.BOOL:
            if set(map(type, numbers)) - {bool}:
                numbers = [bool(value) if value in (0, 1) else value for value in numbers]
                _expect({bool}, numbers, path, "true or false")
            flat = np.array(numbers, np.uint8)
        elif np.dtype(kind.base).kind == "f":
            flat = _floats(numbers, kind.base, path)
        else:
            flat = _integers(numbers, kind.base, path)
        return stored_values(value_type, flat.reshape(-1, width).T)

    def _flat(self, kind: ValueType, values: list[Any], suffix: str) -> list[object]:
        """Return all components of all values, one after the other."""
        try:
            # components by name; other spellings value by value
            return list(chain.from_iterable(map(itemgetter(*kind.names), values)))
        except (KeyError, TypeError, IndexError):
            rows = (self._row(kind, value, f"{self._values_path}[{at}]{suffix}") for at, value in enumerate(values))
            return list(chain.from_iterable(rows))

    def _row(self, kind: ValueType, value: object, path: str) -> Sequence[object]:
        """Return the components of one value, in any of the forms that writers use."""
        if isinstance(value, dict) and kind.kind is Kind.COLOR and isinstance(value.get("baseColor"), dict):
            self._report.warn(messages.ANIMJ_COLORX)
            value = value["baseColor"]
        if isinstance(value, dict):
            return [self._needed(value, name, path) for name in kind.names]
        if isinstance(value, list):
            nested = kind.kind is Kind.MATRIX and all(isinstance(row, list) and len(row) == kind.side for row in value)
            row = list(chain.from_iterable(value)) if nested else value
            if len(row) == kind.components:
                return row
        raise _unexpected(path, f"an object with {', '.join(kind.names)}", value)


# The part of a document that JSON can hold: finite numbers and texts that are Unicode.


def clean_text(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, which UTF-8 cannot hold."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def limited(track: Track) -> Track:
    """Return the track as AnimJ can hold it."""
    track = finite_track(track, Report())
    values = track.values
    if isinstance(values, list):
        values = [None if text is None else clean_text(text) for text in values]
    return replace(track, node=clean_text(track.node), property=clean_text(track.property), values=values)


def finite_track(track: Track, report: Report) -> Track:
    """Return the track with finite numbers only; the same object where it has no others.

    A key with such a time is left out; a value is the last finite one before it, a tangent 0.
    """
    if track.track_type is TrackType.RAW and not np.isfinite(track.interval):
        track = replace(track, interval=np.float32(0))
    usable = None if track.times is None else np.isfinite(track.times)
    if usable is not None and not usable.all():
        count = int((~usable).sum())
        report.warn(clip_messages.KEYS_NOT_FINITE, count=count, node=track.node, property=track.property)
        track = _taken(track, np.flatnonzero(usable))
    sides: dict[str, Any] = {}
    for name in ("values", "left", "right"):
        values = getattr(track, name)
        if values is not None and not isinstance(values, list) and not np.isfinite(values).all():
            sides[name] = _last_finite(values) if name == "values" else np.where(np.isfinite(values), values, 0)
            count = int((~np.isfinite(values)).sum())
            report.warn(messages.NOT_FINITE, count=1, values=count, node=track.node, property=track.property)
    return replace(track, **sides) if sides else track


def _taken(track: Track, chosen: Array) -> Track:
    names = ("times", "values", "left", "right") + (("interpolation",) if track.flags & layout.FLAG_PER_KEY else ())
    parts = {name: part for name in names if (part := getattr(track, name)) is not None}
    taken: dict[str, Any] = {
        name: [part[at] for at in chosen] if isinstance(part, list) else part[chosen] for name, part in parts.items()
    }
    return replace(track, **taken)


def _last_finite(values: Array) -> Array:
    """Return values (n,) or (n, stored), those not finite replaced by the last finite one before, or 0."""
    rows = values.reshape(len(values), -1)
    finite = np.isfinite(rows)
    last = np.maximum.accumulate(np.where(finite, np.arange(len(rows))[:, None], -1), axis=0)
    filled = np.where(last >= 0, np.take_along_axis(rows, np.maximum(last, 0), axis=0), 0)
    return filled.astype(values.dtype).reshape(values.shape)
