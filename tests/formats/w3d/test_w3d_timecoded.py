"""Fewer keys than the original exporter needs."""

from __future__ import annotations

import pytest
from through_blender import through_blender
from w3d_goldens import GOLDENS

from io_formats import w3d
from io_formats.errors import Report
from io_formats.format import Destination


@pytest.mark.parametrize(("name", "original"), [("g02_tc_default", 3484), ("g03_tc_binmove", 4896)])
def test_fewer_bytes_than_the_original_encoder_on_the_same_motion(name: str, original: int) -> None:
    golden = GOLDENS[name]
    assert len(w3d.write(w3d.Document([golden.document.animations[0]]))) == original
    clip = golden.clip()
    made = w3d.from_clip(
        through_blender(clip), w3d.ExportOptions(flavor="TIMECODED"), Report(), Destination(skeleton=golden.skeleton)
    )
    assert len(w3d.write(w3d.Document(list(made.animations)))) < original
