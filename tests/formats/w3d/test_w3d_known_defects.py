"""What other tools get wrong with W3D animations, those that no other test here has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import slow
from through_blender import through_blender
from w3d_goldens import GOLDENS, show, source_of, turn

from io_formats import w3d
from io_formats.errors import Report
from io_formats.format import Destination


def test_23_fixups_and_pivot_order_stay() -> None:
    golden = GOLDENS["g01_raw_trim_vis"]
    source = source_of(golden.document)
    clip = through_blender(source.clip)
    clip.nodes[1:] = sorted(clip.nodes[1:], key=lambda node: -len(node.name))
    assert w3d.write(w3d.from_clip(clip, w3d.ExportOptions(), Report(), Destination(source=source))) == golden.data


def shown_worst(golden: Any, made: Any) -> tuple[float, float]:
    """Largest difference of any whole frame in degrees and units, seen through the reader."""
    before, after = (
        w3d.to_clips(document, w3d.ImportOptions(), Report(), skeleton=golden.skeleton)[0]
        for document in (golden.document, made)
    )
    frames = np.arange(golden.document.animations[0].header.frame_count)
    a, b = show(before, frames, 30), show(after, frames, 30)
    keys = [key for key in a if key in b]
    degrees = max(turn(a[key], b[key]).max() for key in keys if key[1] == "rotation_quaternion")
    return degrees, max(np.abs(a[key] - b[key]).max() for key in keys if key[1] == "location")


@pytest.mark.parametrize(
    ("name", "flavor", "better"),
    [
        ("g02_tc_default", "ADAPTIVE_DELTA", "a timecoded form"),
        ("g02_tc_default", "BFME_ADAPTIVE", "a timecoded form"),
        slow(("g09_ad_20b_200f", "ADAPTIVE_DELTA", "")),
    ],
)
def test_what_adaptive_delta_shows_wrongly_is_a_warning_in_degrees_and_units(
    name: str, flavor: str, better: str
) -> None:
    golden = GOLDENS[name]
    clip = w3d.to_clips(golden.document, w3d.ImportOptions(), Report(), skeleton=golden.skeleton)[0]
    report = Report()
    made = w3d.from_clip(clip, w3d.ExportOptions(flavor=flavor), report, Destination(skeleton=golden.skeleton))
    degrees, units = shown_worst(golden, made)
    told = next(entry for entry in [*report.warnings, *report.notes] if str(entry).startswith("adaptive delta"))
    assert (told in report.warnings) == (degrees > 1.0) == bool(better)
    assert better in str(told)
    assert float(told.values["degrees"]) == pytest.approx(degrees, rel=0.06)
    assert float(told.values["units"]) == pytest.approx(units, rel=0.06)
