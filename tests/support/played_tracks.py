"""What a track shows, worked out key by key: for tests of what changes keys."""

from __future__ import annotations

from io_formats.clip import CONSTANT, Track


def played(track: Track, row: int, time: float) -> float:
    """The value of one component at one moment: straight lines and steps only, ends held."""
    times, values = track.times.tolist(), track.values[row].tolist()
    if time <= times[0]:
        return values[0]
    for at in range(len(times) - 2, -1, -1):
        if times[at] <= time < times[at + 1]:
            if track.interpolation[at] == CONSTANT:
                return values[at]
            return values[at] + (values[at + 1] - values[at]) * (time - times[at]) / (times[at + 1] - times[at])
    return values[-1]
