"""Equality down to the bit."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from io_formats.binary import equal
from io_formats.clip import Interpolation


@dataclass
class Leaf:
    number: float
    keys: Any = None


@dataclass
class Tree:
    name: str
    leaves: list[Leaf] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)


def nan(payload: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_0000_0000 | payload))[0]


def tree(number: float = 1.0, keys: Any = (1, 2)) -> Tree:
    return Tree("t", [Leaf(number, np.array(keys, dtype=np.float32))], {"a": [1, (2.0, b"x")], "b": None})


def test_trees_of_equal_bits_are_equal() -> None:
    assert equal(tree(), tree())
    assert equal(tree(nan(5)), tree(nan(5)))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (0.0, -0.0),
        (nan(1), nan(2)),
        (1, 1.0),
        (1, True),
        ([1], (1,)),
        ([1, 2], [1]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1}, {"b": 1}),
        (b"a", bytearray(b"a")),
        ("a", "b"),
        (tree(1.0), tree(1.5)),
        (tree(keys=(1, 2)), tree(keys=(1, 3))),
        (tree(keys=(0.0,)), tree(keys=(-0.0,))),
        (np.float32(1), np.float64(1)),
        (np.zeros(2, "<f4"), np.zeros(2, ">f4")),
        (np.zeros((2, 1)), np.zeros((1, 2))),
        (np.array([1, "a"], dtype=object), np.array([1, "b"], dtype=object)),
        (Interpolation.LINEAR, Interpolation.BEZIER),
    ],
)
def test_one_bit_makes_a_difference(a: Any, b: Any) -> None:
    assert not equal(a, b)
    assert not equal(b, a)
    assert equal(a, a) and equal(b, b)


def test_nan_payloads_in_arrays() -> None:
    words = np.array([0x7FC00001, 0x7FC00002], dtype=np.uint32)
    a, b = words.view(np.float32), words[::-1].copy().view(np.float32)
    assert equal(a, words.copy().view(np.float32))
    assert not equal(a, b)


def test_objects_in_arrays() -> None:
    assert equal(np.array([1, "a", nan(3)], dtype=object), np.array([1, "a", nan(3)], dtype=object))
