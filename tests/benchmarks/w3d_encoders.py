"""Sizes and errors of the W3D encoders beside the original exporter's, on the same motions.

    python tests/benchmarks/w3d_encoders.py

The goldens g* were written by the original exporter's own channel encoder. Its timecoded files are encoded anew from
what they show; its adaptive delta is repeated here packet by packet (the least squared error of all filters), on the
motion that the raw goldens hold.
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE))

from io_formats import w3d  # noqa: E402  needs the path
from io_formats.clip import quaternion  # noqa: E402
from io_formats.clip.curve import evaluate  # noqa: E402
from io_formats.errors import Report  # noqa: E402
from io_formats.format import Destination  # noqa: E402
from io_formats.w3d import adaptive_delta  # noqa: E402
from io_formats.w3d.document import RawChannel  # noqa: E402

DATA = SOURCE / "tests" / "data" / "w3d"
FORMS = ("RAW", "TIMECODED", "ADAPTIVE_DELTA", "BFME_TIMECODED", "BFME_ADAPTIVE")


def main() -> None:
    """Print both tables."""
    say("| golden | form | original bytes | ours | largest translation error | largest rotation error |")
    say("|---|---|---|---|---|---|")
    for name in ("g02_tc_default", "g03_tc_binmove", "g09_ad_20b_200f"):
        for row in sizes(name):
            say(f"| {name} | " + " | ".join(row) + " |")
    say("")
    say("| motion | channels | exporter's squared error | ours | largest error, exporter | ours |")
    say("|---|---|---|---|---|---|")
    for name in ("g01_raw_trim_vis", "g06_raw_flip"):
        say(f"| {name} | " + " | ".join(delta_errors(name)) + " |")


def say(line: str) -> None:
    """One line on the terminal."""
    sys.stdout.write(line + "\n")


def sizes(name: str) -> list[list[str]]:
    """Form, bytes of the original, our bytes, and our errors on whole frames."""
    facts = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))[name]
    document, skeleton = (w3d.read((DATA / facts[key]).read_bytes()) for key in ("file", "skeleton"))
    clip = w3d.to_clips(document, w3d.ImportOptions(), Report(), Destination(skeleton=skeleton))[0]
    old = document.animations[0]
    own_form = "ADAPTIVE_DELTA" if old.is_delta else "TIMECODED"
    rows = []
    for form in FORMS:
        made = w3d.from_clip(clip, w3d.ExportOptions(flavor=form), Report(), Destination(skeleton=skeleton))
        again = w3d.to_clips(made, w3d.ImportOptions(), Report(), Destination(skeleton=skeleton))[0]
        lengths, degrees = difference(clip, again, old.header.frame_count)
        original = str(size(old)) if form == own_form else ""
        rows.append([form, original, str(size(made.animations[0])), f"{lengths:.2g}", f"{degrees:.2g}°"])
    return rows


def size(animation: Any) -> int:
    """Bytes of the animation's chunk."""
    return len(w3d.write(w3d.Document([animation])))


def difference(a: Any, b: Any, frames: int) -> tuple[float, float]:
    """Largest difference of a translation and of a rotation (degrees) on any whole frame."""
    times = np.arange(frames) / a.rate
    lengths = degrees = 0.0
    for node in a.nodes:
        one, other = shown(a, node.name, times), shown(b, node.name, times)
        lengths = max(lengths, float(np.abs(one[:3] - other[:3]).max()))
        degrees = max(degrees, float(np.degrees(quaternion.angle(one[3:], other[3:])).max()))
    return lengths, degrees


def shown(clip: Any, node: str, times: Any) -> Any:
    """(7, frames): location and rotation of a node."""
    values = np.zeros((7, len(times)))
    values[3] = 1
    for track in clip.tracks:
        start = {"location": 0, "rotation_quaternion": 3}.get(track.property)
        if track.node == node and start is not None:
            first = start + track.component
            values[first : first + len(track.values)] = evaluate(track, times)
    return values


def delta_errors(name: str) -> list[str]:
    """Channels, squared errors and largest errors of both encoders on a raw golden's motion."""
    document = w3d.read((DATA / f"{name}.w3d").read_bytes())
    channels = [aligned(part.values.T) for part in document.animations[0].all(RawChannel)]
    channels.sort(key=lambda values: values.shape[1])
    groups = [list(group) for _, group in groupby(channels, key=lambda values: values.shape[1])]
    theirs, ours = ([part for group in groups for part in adaptive_delta.encode(group, **how)] for how in BOTH)
    return [
        str(len(channels)),
        *(f"{sum(part.squared_error for part in side):.5g}" for side in (theirs, ours)),
        *(f"{max(map(largest_error, channels, side)):.3g}" for side in (theirs, ours)),
    ]


BOTH: tuple[dict[str, int], ...] = ({"beam": 1}, {})
"""The exporter's way (one way in the race) and ours."""


def largest_error(values: Any, encoded: adaptive_delta.Encoded) -> float:
    """Of any one number of a channel (components, frames)."""
    decoded = adaptive_delta.decode(encoded.packets, encoded.scale, values[:, 0], values.shape[1])
    return float(np.abs(decoded.astype(np.float64) - values).max())


def aligned(values: Any) -> Any:
    """Quaternions without changes of sign, for both encoders alike."""
    if len(values) == 1:
        return np.ascontiguousarray(values)
    dots = (values[:, 1:] * values[:, :-1]).sum(axis=0)
    return values * np.cumprod(np.append(1, np.where(dots < 0, -1, 1))).astype(np.float32)


if __name__ == "__main__":
    main()
