"""Evaluated poses as tracks: matrices taken apart, and no more samples than straight lines between them need."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...io_formats.clip import (
    CONSTANT,
    LINEAR,
    LOCATION,
    RESTING,
    ROTATION,
    SCALE,
    Array,
    Node,
    Track,
    TrackKind,
    ValueKind,
    curve,
    messages,
    pose,
)
from ...io_formats.clip import quaternion as rotation
from ...io_formats.errors import Report
from .curve_tracks import ANGLE_TOLERANCE, VALUE_TOLERANCE, Place

_STILL = 1e-6
"""Movements smaller than this, as part of the size of the values, are rounding."""


@dataclass
class Sampler:
    """Makes tracks of samples.

    Attributes:
        times: (m,) seconds.
        every: keep every sample.
        baked: channels made so far.
    """

    times: Array
    every: bool
    report: Report
    baked: int = 0

    def bones(
        self, rig: Any, poses: Array, naming: Mapping[str, str], nodes: Mapping[str, Node], chosen: Container[str]
    ) -> list[Track]:
        """Tracks of the `chosen` bones from the poses (m, bones, 4, 4) of all, in armature space."""
        tracks: list[Track] = []
        for node, basis in moves(rig, poses, naming, nodes, chosen):
            tracks += self.transforms(node.name, basis)
        return tracks

    def sheared(
        self, rig: Any, poses: Array, naming: Mapping[str, str], nodes: Mapping[str, Node], chosen: Container[str]
    ) -> list[str]:
        """The `chosen` bones whose poses no location, rotation and scale relative to their parent can say."""
        bones = {node: bone for bone, node in naming.items()}
        found = moves(rig, poses, naming, nodes, chosen)
        return [bones[node.name] for node, basis in found if pose.is_sheared(basis)]

    def transforms(self, node: str, basis: Array) -> list[Track]:
        """Location, rotation and scale of matrices (m, 4, 4); what rests throughout gets no track."""
        location, quaternion, scale, shear = pose.decompose(basis)
        if len(shear) and shear.max() > pose.SHEAR:
            self.report.warn(messages.SHEAR_DROPPED, node=node)
        quaternion = quaternion * rotation.align_signs(quaternion)
        tracks: list[Track] = []
        for name, values in ((LOCATION, location), (ROTATION, quaternion), (SCALE, scale)):
            rest = np.array(RESTING[name])[:, None]
            if np.abs(values - rest).max() > _still(values):
                tracks += self.values(Place(node, name, name, width=len(values)), values)
        return tracks

    def values(self, place: Place, values: Array) -> list[Track]:
        """Samples (components, m) as lines, or as steps for what is no fraction."""
        self.baked += 1
        steps = place.value_kind in (ValueKind.BOOL, ValueKind.INT)
        keep = self._needed(place, values, steps=steps)
        block = Track.sampled(
            place.node,
            place.property,
            self.times[keep],
            values[:, keep],
            CONSTANT if steps else LINEAR,
            width=place.width,
            value_kind=place.value_kind,
            kind=place.kind,
        )
        return block.rows()

    def _needed(self, place: Place, values: Array, *, steps: bool) -> Array:
        """(m,) which samples have to be kept."""
        if steps:
            return np.append(True, (values[:, 1:] != values[:, :-1]).any(axis=0))
        if self.every:
            return np.ones(values.shape[1], dtype=bool)
        if place.property == ROTATION and place.kind is TrackKind.TRANSFORM:
            return curve.reduce_linear(self.times, values, ANGLE_TOLERANCE, rotation.distance)
        spread = float((values.max(axis=1) - values.min(axis=1)).max())
        return curve.reduce_linear(self.times, values, max(VALUE_TOLERANCE * spread, _still(values)))


def moves(
    rig: Any, poses: Array, naming: Mapping[str, str], nodes: Mapping[str, Node], chosen: Container[str]
) -> Iterator[tuple[Node, Array]]:
    """The `chosen` bones' nodes, and their moves (m, 4, 4) away from the rest, seen from what their nodes hang on."""
    index = {bone.name: number for number, bone in enumerate(rig.pose.bones)}
    for bone in rig.pose.bones:
        if bone.name in chosen:
            node = nodes[naming[bone.name]]
            space = node.rest[None]
            if bone.parent is not None and node.parent == naming[bone.parent.name]:
                space = pose.product(poses[:, index[bone.parent.name]], node.rest)
            yield node, pose.product(pose.inverse(space), poses[:, index[bone.name]])


def _still(values: Array) -> float:
    return _STILL * max(1.0, float(np.abs(values).max()))
