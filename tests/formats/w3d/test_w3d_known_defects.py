"""What other tools get wrong with W3D animations, those that no other test here has."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cases import slow

from io_formats import w3d
from io_formats.clip import Clip, Interpolation, Node, Track, messages
from io_formats.errors import Report
from io_formats.format import Destination


def made_from(*tracks: Track, frames: int = 11, nodes: list[Node] | None = None, **options: Any) -> Any:
    clip = Clip("x", (frames - 1) / 30, 30.0, nodes=nodes or [Node("a"), Node("b", "a")], tracks=list(tracks))
    return w3d.from_clip(clip, w3d.ExportOptions(**options), Report())


def linear(node: str, name: str, frames: Any, values: Any, width: int, **more: Any) -> Track:
    rows = np.atleast_2d(np.asarray(values, float))
    shapes = np.full(len(frames), Interpolation.LINEAR, np.uint8)
    return Track(node, name, np.asarray(frames, float) / 30, rows, shapes, width=width, **more)


def test_18_uneven_quaternion_keys_are_no_error(show: Any, turn: Any) -> None:
    half = math.radians(30)
    tracks = [
        linear("b", "rotation_quaternion", [0, 10], [[1, math.cos(half)]], 4),
        linear("b", "rotation_quaternion", [0, 5, 10], [[0, math.sin(half) / 2, math.sin(half)]], 4, component=1),
    ]
    document = made_from(*tracks, flavor="TIMECODED")
    shown = show(w3d.to_clips(document, w3d.ImportOptions(), Report())[0], [10], 30)["B", "rotation_quaternion"]
    assert turn(shown, np.array([[math.cos(half)], [math.sin(half)], [0], [0]]))[0] < 0.05


def test_22_curves_of_unknown_bones_do_not_go_to_pivot_0() -> None:
    report = Report()
    clip = Clip("x", 10 / 30, 30.0, nodes=[Node("a")], tracks=[linear("ghost", "location", [0, 10], [[1, 2]], 3)])
    document = w3d.from_clip(clip, w3d.ExportOptions(), report)
    assert len(document.animations[0].parts) == 1
    assert [(entry.template, entry.values) for entry in report.warnings] == [
        (messages.NO_PIVOT, {"names": "ghost", "number": 1})
    ]


def test_23_fixups_and_pivot_order_stay(by_name: Any, blender: Any, source_of: Any) -> None:
    golden = by_name["g01_raw_trim_vis"]
    source = source_of(golden.document)
    clip = blender(source.clip)
    clip.nodes[1:] = sorted(clip.nodes[1:], key=lambda node: -len(node.name))
    assert w3d.write(w3d.from_clip(clip, w3d.ExportOptions(), Report(), Destination(source=source))) == golden.data


def shown_worst(golden: Any, made: Any, show: Any, turn: Any) -> tuple[float, float]:
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
    by_name: Any, show: Any, turn: Any, name: str, flavor: str, better: str
) -> None:
    golden = by_name[name]
    clip = w3d.to_clips(golden.document, w3d.ImportOptions(), Report(), skeleton=golden.skeleton)[0]
    report = Report()
    made = w3d.from_clip(clip, w3d.ExportOptions(flavor=flavor), report, Destination(skeleton=golden.skeleton))
    degrees, units = shown_worst(golden, made, show, turn)
    told = next(entry for entry in [*report.warnings, *report.notes] if str(entry).startswith("adaptive delta"))
    assert (told in report.warnings) == (degrees > 1.0) == bool(better)
    assert better in str(told)
    assert float(told.values["degrees"]) == pytest.approx(degrees, rel=0.06)
    assert float(told.values["units"]) == pytest.approx(units, rel=0.06)
