"""Writes samples/walk.animj and samples/walk.animx: a figure of 21 joints that walks for two seconds.

    python tools/walking_figure.py [--output samples]

The figure is worked out limb by limb in the file's own space (metres, Y up, Z forward, X to the right). Each joint is
then told as the engine has it: where it is and how it is turned seen from the joint that it hangs on, which the file
does not name. Its Y axis points along the limb. The same bytes each time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

SOURCE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE))

from io_formats import animx  # noqa: E402  needs the path
from io_formats.animx.layout import VALUE_TYPES, Container, Encoding, Mode, TrackType  # noqa: E402
from io_formats.clip import quaternion  # noqa: E402

Array = np.ndarray[Any, np.dtype[np.float64]]

SECONDS = 2.0
KEYS_A_SECOND = 12
STRIDE = 1.3
"""Metres in a second, which are two steps."""

START = (-2.8, 0.0, -1.0)
"""Beside what stands in the middle of a scene, which the figure walks past."""

TYPES = {kind.name: number for number, kind in enumerate(VALUE_TYPES)}


class Figure:
    """A figure at (n,) moments.

    Attributes:
        limbs: by name the place (n, 3), the turn (4, n) as w, x, y, z, and the name of what it hangs on.
    """

    def __init__(self) -> None:
        self.limbs: dict[str, tuple[Array, Array, str]] = {}

    def add(self, name: str, above: str, start: Array, pitch: Array | float, tilt: float, length: float) -> Array:
        """Add a limb; where it ends, (n, 3).

        Args:
            above: the limb that it hangs on, empty for none.
            pitch: degrees that it leans forward from upright, 180 hangs down.
            tilt: degrees that it then leans to the left.
        """
        forward, left = np.broadcast_arrays(np.radians(pitch), np.radians(tilt), np.zeros(len(start)))[:2]
        sines, cosines = np.sin(np.array([forward, left]) / 2.0), np.cos(np.array([forward, left]) / 2.0)
        turn = [cosines[0] * cosines[1], sines[0] * cosines[1], sines[0] * sines[1], cosines[0] * sines[1]]
        self.limbs[name] = (start, np.stack(turn), above)
        upright = np.cos(forward)
        way = np.stack([-np.sin(left) * upright, np.cos(left) * upright, np.sin(forward)], axis=1)
        return np.asarray(start + length * way)

    def local(self, name: str) -> tuple[Array, Array]:
        """Place (n, 3) and turn (4, n) of a limb, seen from the one that it hangs on."""
        start, turn, above = self.limbs[name]
        if not above:
            return start, turn
        held, back, _ = self.limbs[above]
        back = quaternion.conjugate(back)
        local = quaternion.multiply(back, turn)
        return quaternion.turned(back, (start - held).T).T, local * quaternion.align_signs(local)


def walking(seconds: Array) -> Figure:
    """The figure at (n,) seconds; it begins with its legs far apart."""
    phase = 2.0 * np.pi * seconds + np.pi / 2.0
    figure = Figure()
    hips = START + STRIDE * seconds[:, None] * np.array([0.0, 0.0, 1.0])
    hips[:, 1] = hips_above_ground(phase)
    neck = add_trunk(figure, hips)
    for side, name, turn in ((-1.0, "Left", 0.0), (1.0, "Right", np.pi)):
        add_arm(figure, name, side, neck, phase + turn + np.pi)
        add_leg(figure, name, hips + np.array([0.1 * side, 0.0, 0.0]), phase + turn)
    return figure


def hips_above_ground(phase: Array) -> Array:
    """(n,) metres that keep the lower foot on the ground."""
    trial = Figure()
    ends = [add_leg(trial, "", np.zeros((len(phase), 3)), phase + turn) for turn in (0.0, np.pi)]
    return np.asarray(-np.min([end[:, 1] for joints in ends for end in joints], axis=0))


def add_trunk(figure: Figure, hips: Array) -> Array:
    """Hips, spine, chest, neck and head; where the neck begins."""
    spine = figure.add("Hips", "", hips, 2.0, 0.0, 0.14)
    chest = figure.add("Spine", "Hips", spine, 4.0, 0.0, 0.17)
    neck = figure.add("Chest", "Spine", chest, 6.0, 0.0, 0.2)
    figure.add("Head", "Neck", figure.add("Neck", "Chest", neck, 8.0, 0.0, 0.09), 2.0, 0.0, 0.24)
    return neck


def add_arm(figure: Figure, name: str, side: float, neck: Array, phase: Array) -> None:
    """Shoulder, arm and hand; the arm swings and its elbow gives a little in front."""
    swing = 26.0 * np.sin(phase)
    shoulder = figure.add(f"{name}Shoulder", "Chest", neck - (0.0, 0.04, 0.0), 0.0, -82.0 * side, 0.18)
    elbow = figure.add(f"{name}UpperArm", f"{name}Shoulder", shoulder, 180.0 - swing, 6.0 * side, 0.3)
    bent = swing + 22.0 + 14.0 * np.sin(phase)
    wrist = figure.add(f"{name}LowerArm", f"{name}UpperArm", elbow, 180.0 - bent, 2.0 * side, 0.27)
    figure.add(f"{name}Hand", f"{name}LowerArm", wrist, 172.0 - bent, 0.0, 0.18)


def add_leg(figure: Figure, name: str, hip: Array, phase: Array) -> tuple[Array, Array]:
    """Leg and foot; the knee gives while the leg swings forward. Where heel and toes are."""
    thigh = 4.0 + 25.0 * np.sin(phase)
    shin = thigh - 8.0 - 52.0 * ((1.0 + np.cos(phase + 0.1)) / 2.0) ** 2
    knee = figure.add(f"{name}UpperLeg", "Hips", hip, 180.0 - thigh, 0.0, 0.46)
    heel = figure.add(f"{name}LowerLeg", f"{name}UpperLeg", knee, 180.0 - shin, 0.0, 0.44)
    ball = figure.add(f"{name}Foot", f"{name}LowerLeg", heel, 95.0 - 0.6 * shin, 0.0, 0.16)
    return heel, figure.add(f"{name}Toes", f"{name}Foot", ball, 95.0 - 0.6 * shin, 0.0, 0.06)


def document(figure: Figure, seconds: Array) -> animx.Document:
    """The figure as tracks, with a key for each moment where something moves."""
    tracks = []
    for name in figure.limbs:
        place, turn = figure.local(name)
        tracks.append(track(name, "Position", "float3", seconds, place))
        tracks.append(track(name, "Rotation", "floatQ", seconds, np.roll(turn, -1, axis=0).T))
    return animx.Document("walk", np.float32(SECONDS), tracks)


def track(node: str, name: str, kind: str, seconds: Array, values: Array) -> animx.Track:
    """A linear curve; five digits are enough for a figure."""
    rounded = (np.round(values, 5) + 0.0).astype(np.float32)
    if (rounded == rounded[:1]).all():
        seconds, rounded = seconds[:1], rounded[:1]
    linear = np.array([Mode.LINEAR], np.uint8)
    times = seconds.astype(np.float32)
    return animx.Track(TrackType.CURVE, TYPES[kind], node, name, rounded, times, interpolation=linear)


def main() -> None:
    """Write both files, of the same content."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=SOURCE / "samples")
    folder = parser.parse_args().output
    seconds = np.arange(round(SECONDS * KEYS_A_SECOND) + 1) / KEYS_A_SECOND
    made = document(walking(seconds), seconds)
    (folder / "walk.animj").write_bytes(animx.write_animj(made))
    made.container, made.encoding = Container.LZMA, Encoding.LZMA
    (folder / "walk.animx").write_bytes(animx.write(made))


if __name__ == "__main__":
    main()
