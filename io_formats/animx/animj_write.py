"""Document -> AnimJ. The way in is `animj_read`.

Fields are in the order trackType, valueType, data, which the engine's reader needs; numbers are in their shortest
exact form, and all are finite.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np

from ..clip import Array
from ..errors import Report
from ..files.memory import reckon
from ..files.steps import AtOnce, Pace, Steps
from . import animj_read, layout, messages
from .document import Document, Track, Values, components
from .layout import Kind, TrackType

_KEY = 8
"""A key as text costs as much as this many keys in arrays."""
_COPIES, _NUMBER = 2, 96
"""Of the text: in pieces, and put together. Bytes of a number while its track becomes text, as objects and texts."""


@AtOnce
def write(document: Document, report: Report | None = None) -> Steps[bytes]:
    """Return AnimJ bytes, one line for each track.

    JSON cannot hold NaN or infinity: a key with such a time is left out, such a value becomes the one before it;
    `report` counts them.
    """
    report = Report() if report is None else report
    duration = np.float32(document.duration)
    duration = duration if np.isfinite(duration) else np.float32(0)
    # which the next track often has, too
    times = lru_cache(maxsize=1)(lambda bits: _numbers(np.frombuffer(bits, layout.FLOAT)))
    pace = Pace(_KEY * sum(track.key_count for track in document.tracks), len(document.tracks))
    head = f'{{"name":{_quoted(document.name)},"globalDuration":{_numbers(np.array([duration]))[0]},"tracks":[\n'
    pieces, size = [head.encode()], 0
    for track in document.tracks:
        values = track.type.components * (1 if track.left is None else 3)
        reckon(size=_COPIES * size + _NUMBER * track.key_count * (values + (track.times is not None)))
        text = _track_text(animj_read.finite_track(track, report), times, report).encode()
        pieces += [b",\n", text] if size else [text]
        size += len(text)
        if pace.is_due(_KEY * track.key_count, 1):
            yield pace.share
    return b"".join([*pieces, b"\n]}\n"])


def _quoted(text: str | None) -> str:
    return json.dumps(None if text is None else animj_read.clean_text(text), ensure_ascii=False)


def _numbers(values: Array) -> list[str]:
    """Return for each of (n,) numbers the shortest text that reads back as the same number of the array's type."""
    texts: list[str] = values.astype("U").tolist()
    return texts


def _texts(value_type: int, values: Values) -> list[str]:
    kind = layout.VALUE_TYPES[value_type]
    if isinstance(values, list):
        return [_quoted(value) for value in values]
    numbers = components(value_type, values)
    if kind.kind is Kind.BOOL:
        columns = [["true" if number else "false" for number in row.tolist()] for row in numbers]
    else:
        columns = [_numbers(row) for row in numbers]
    if not kind.names:
        return columns[0]
    template = "{" + ",".join(f'"{name}":%s' for name in kind.names) + "}"
    if kind.kind is Kind.MATRIX:  # rows are lists, as the engine names none
        row = f"[{','.join(['%s'] * kind.side)}]"
        template = f"[{','.join([row] * kind.side)}]"
    return list(map(template.__mod__, zip(*columns)))


def _track_text(track: Track, times: Callable[[bytes], list[str]], report: Report) -> str:
    kind = track.type
    if kind.kind is Kind.MATRIX:
        report.warn(messages.MATRICES, node=track.node, property=track.property)
    head = f'{{"trackType":"{track.track_type.name.capitalize()}","valueType":"{kind.name}","data":{{'
    head += f'"node":{_quoted(track.node)},"property":{_quoted(track.property)},'
    if track.track_type is TrackType.RAW:
        head += f'"interval":{_numbers(np.array([np.float32(track.interval)]))[0]},'
    keys: Iterable[str] = _texts(track.value_type, track.values)
    if track.times is not None:
        columns: list[Iterable[str]] = [times(np.asarray(track.times, layout.FLOAT).tobytes()), keys]
        template = '{"time":%s,"value":%s'
        if track.track_type is TrackType.CURVE:
            columns.append([layout.MODE_NAMES[mode] for mode in track.modes])
            template += ',"interpolation":"%s"'
        if track.left is not None and track.right is not None:
            columns += [_texts(track.value_type, track.left), _texts(track.value_type, track.right)]
            template += ',"leftTangent":%s,"rightTangent":%s'
        keys = map((template + "}").__mod__, zip(*columns))
    return f'{head}"keyframes":[{",".join(keys)}]}}}}'
