"""No step of long work handles more than so many bytes or keys: between two steps a window hears ESC."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from io_formats import FormatError, format_of, mrtk
from io_formats.animx import messages
from io_formats.errors import Report
from io_formats.files.steps import finished

animj_read, mrtk_write, w3d_read, w3x_read = map(
    import_module,
    ("io_formats.animx.animj_read", "io_formats.mrtk.document", "io_formats.w3d.read", "io_formats.w3x.read"),
)
LIMIT = 512
"""Bytes that stand for what is read in one step of a large file."""


def told(work: Generator[float, None, Any]) -> tuple[list[float], Any]:
    """The shares that are told, and what came of it."""
    shares: list[float] = []
    return shares, finished(work, shares.append)


def w3d_takes(data: Path) -> bytes:
    """A file of forty animations, each of which is a chunk."""
    whole = (data / "w3d" / "h04_multi_unknown.w3d").read_bytes()
    size = int.from_bytes(whole[4:8], "little") & 0x7FFFFFFF
    return whole[: 8 + size] + whole[8 + size :] * 20


@pytest.mark.parametrize(("name", "module", "limit"), [("w3d", w3d_read, "_READ"), ("w3x", w3x_read, "_PARSED")])
def test_files_are_read_some_bytes_at_a_time(
    data: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: Any, limit: str
) -> None:
    """The document is that which is read at once, and the shares are those of the bytes."""
    monkeypatch.setattr(module, limit, LIMIT)
    content = w3d_takes(data) if name == "w3d" else (data / "w3x" / "g02.w3x").read_bytes()
    file_format = format_of(name)
    shares, document = told(file_format.read(content))
    assert finished(file_format.same_content(document, finished(file_format.read(content))))
    assert shares == sorted(shares) and shares[0] >= 0.0 and shares[-1] <= 1.0
    chunks = 2 * LIMIT if name == "w3d" else LIMIT  # a chunk is read as a whole
    assert len(shares) >= len(content) // (2 * chunks)


def test_a_file_that_is_cut_is_refused_as_ever_in_whatever_step(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte and reason are those of a file that is parsed at once."""
    content = (data / "w3x" / "g02.w3x").read_bytes()[:-30]
    refusals = set()
    for limit in (1 << 30, LIMIT, 1):
        monkeypatch.setattr(w3x_read, "_PARSED", limit)
        with pytest.raises(Exception, match="byte") as caught:
            w3x_read.read(content)
        refusals.add((str(caught.value), type(caught.value).__name__))
    assert len(refusals) == 1


def test_recordings_differ_in_one_bit_anywhere(data: Path) -> None:
    """Of a key, a wrap mode, a flag, the version, a marker or what follows the end."""
    content = (data / "mrtk" / "v11_flags" / "v11_cam1_hand1_gaze1.bin").read_bytes()
    document, found = mrtk.read(content), 0
    for place in range(16, len(content), 29):
        changed = bytearray(content)
        changed[place] ^= 1
        with suppress(ValueError):
            assert document != mrtk.read(bytes(changed)), place
            found += 1
    assert found > 300


@pytest.mark.parametrize(
    "text",
    [
        '{"tracks":[],}', '{"tracks":[],"name":"a"', '{"tracks":[]}x', '{"tracks":[}', '{"tracks":[],"name" "a"}',
        '{"tracks":[{}],"name":5}', '{"tracks":[{},]}', '{"tracks":[NaN]}', "{}", '{"tracks":{}}', "[]", '{1:2}',
        '{"tracks":[{"trackType":"Raw"}],"globalDuration":"long"}', '{"tracks":[7],"globalDuration":null',
    ],
)  # fmt: skip
def test_what_is_wrong_in_animj_is_what_is_wrong_in_the_whole(text: str) -> None:
    """First what is no JSON, by Python's own parser; then fields of the root, and only then those of tracks."""
    with pytest.raises(FormatError) as caught:
        animj_read.read(text.encode(), Report())
    try:
        root = json.loads(text)
    except json.JSONDecodeError as error:
        assert (caught.value.offset, caught.value.template) == (error.pos, messages.ANIMJ_NOT_JSON)
        return
    named = str(caught.value)
    wrong = [
        name for name in ("name", "globalDuration") if type(root) is dict and isinstance(root.get(name), int | str)
    ]
    assert not wrong or (wrong[0] in named and "tracks[" not in named)
