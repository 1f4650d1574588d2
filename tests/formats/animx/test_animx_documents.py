"""Documents made from nothing, with any numbers and texts in them, come back the same from every container."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from io_formats import FormatError, animx
from io_formats.animx.document import Block, Document, Track
from io_formats.animx.layout import (
    FLAG_PER_KEY,
    FLAG_TANGENTS,
    IDS,
    VALUE_TYPES,
    Container,
    Encoding,
    KeyOrder,
    Kind,
    TangentOrder,
    TrackType,
)
from io_formats.animx.write import track_bytes

ANY = settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
# Bytes that are no UTF-8 stand as lone surrogates.
NAME = st.one_of(TEXT, st.binary(max_size=6).map(lambda data: data.decode("utf-8", "surrogateescape")))
SINGLE = st.integers(0, 2**32 - 1).map(lambda bits: np.frombuffer(bits.to_bytes(4, "little"), "<f4")[0])


def numbers(draw: Any, kind: Any, shape: tuple[int, ...]) -> Any:
    """An array of any bits, NaN with payloads and minus zero included."""
    size = int(np.prod(shape, dtype=int)) * np.dtype(kind).itemsize
    return np.frombuffer(draw(st.binary(min_size=size, max_size=size)), kind).reshape(shape)


def values(draw: Any, value_type: int, count: int) -> Any:
    """Values of a type as the file stores them."""
    found = VALUE_TYPES[value_type]
    if found.kind is Kind.STRING:
        return draw(st.lists(st.none() | NAME, min_size=count, max_size=count))
    return numbers(draw, found.base, (count, *found.shape))


@st.composite
def tracks(draw: Any, version: int) -> Track:
    """A track of any type, kept in any way that the version knows."""
    kinds = list(TrackType) if version else [TrackType.RAW, TrackType.CURVE]
    kind, value_type = draw(st.sampled_from(kinds)), draw(st.integers(0, len(VALUE_TYPES) - 1) | st.just(IDS["string"]))
    count = draw(st.integers(0, 4))
    track = Track(kind, value_type, draw(NAME), draw(NAME), values(draw, value_type, count))
    if kind is TrackType.RAW:
        track.interval = draw(SINGLE)
        return track
    track.times = numbers(draw, "<f4", (count,))
    if kind is TrackType.CURVE:
        track.flags = draw(st.integers(0, 255))
        track.interpolation = numbers(draw, np.uint8, (count if track.flags & FLAG_PER_KEY else 1,))
        if track.flags & FLAG_TANGENTS:
            track.left, track.right = values(draw, value_type, count), values(draw, value_type, count)
    return track


@st.composite
def documents(draw: Any) -> Document:
    """Documents of both versions, in every container and order."""
    version = draw(st.sampled_from([0, 1]))
    container = draw(st.sampled_from(list(Container)))
    document = Document(
        draw(NAME),
        draw(SINGLE),
        draw(st.lists(tracks(version), max_size=4)),
        version=version,
        container=container,
        encoding=Encoding[container.name],
        key_order=draw(st.sampled_from(list(KeyOrder))),
        tangent_order=draw(st.sampled_from(list(TangentOrder))),
        trailing=draw(st.binary(max_size=5)),
    )
    if container is Container.LZ4:
        document.blocks = draw(st.just([]) | stored_blocks(len(track_bytes(document))))
    return document


@st.composite
def stored_blocks(draw: Any, size: int) -> list[Block]:
    """Chunks that are not compressed, of any sizes that make up the whole."""
    cuts = sorted(draw(st.lists(st.integers(0, size), max_size=4)))
    return [Block(end - start, draw(st.sampled_from([0, 2]))) for start, end in pairwise([0, *cuts, size])]


@ANY
@given(documents())
def test_any_document_survives_writing_and_reading(document: Document) -> None:
    data = animx.write(document)
    again = animx.read(data, key_order=document.key_order.name, tangent_order=document.tangent_order.name)
    for count in {len(track.values) for track in document.tracks}:
        event(f"a track of {count} keys in {document.container}")
    if document.container is Container.LZ4 and not document.blocks:
        # the chunks of a document from nothing are the writer's choice
        assert sum(block.size for block in again.blocks) == len(track_bytes(document))
        document.blocks = again.blocks
    assert again == document
    assert animx.write(again) == data
    assert animx.same_content(document, again)


@ANY
@given(documents())
def test_whatever_the_order_is_taken_for_the_bytes_come_back(document: Document) -> None:
    """Numbers without sense give the vote nothing to go by; what it decides must not cost a bit."""
    data = animx.write(document)
    assert animx.write(animx.read(data)) == data


@ANY
@given(documents(), st.data())
def test_a_changed_bit_is_seen(document: Document, data: st.DataObject) -> None:
    """The comparison that the tests above rest on does not overlook anything."""
    document = replace(document, container=Container.PLAIN, encoding=Encoding.PLAIN)
    written = bytearray(animx.write(document))
    place = data.draw(st.integers(0, len(written) * 8 - 1))
    written[place // 8] ^= 1 << place % 8
    try:
        changed = animx.read(
            bytes(written), key_order=document.key_order.name, tangent_order=document.tangent_order.name
        )
    except FormatError:
        event("refused")
        return
    event("another document")
    # of a bool every byte but 0 is true, and is written as 1
    assert changed != document or animx.write(changed) != bytes(written)
