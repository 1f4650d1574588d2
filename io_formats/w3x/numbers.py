"""Texts as numbers and switches, as the types of XML Schema have them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence

import numpy as np

from ..clip import Array
from ..errors import FormatError
from . import layout, messages

Attributes = dict[str, str]

NUMBER = "[-+.0-9eEINFa \t\r\n]*"
"""Letters of numbers; Python's own reading takes more, such as "1_0" and "infinity"."""

_BLANK = " \t\r\n"
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
_NUMBERS = re.compile(NUMBER)
_SHOWN = 40


def required(attributes: Attributes, name: str, place: int) -> str:
    """Return an attribute; FormatError without it."""
    if name not in attributes:
        raise FormatError(messages.MISSING_ATTRIBUTE, offset=place, name=name)
    return attributes[name]


def whole(attributes: Attributes, name: str, place: int, low: int, high: int) -> int:
    """Return an attribute as a whole number; FormatError for what is none from `low` to `high`."""
    text = required(attributes, name, place).strip(_BLANK)
    number = int(text) if _WHOLE.fullmatch(text) else None
    if number is None or not low <= number <= high:
        raise FormatError(messages.BAD_WHOLE_NUMBER, offset=place, field=name, low=low, high=high, found=text[:_SHOWN])
    return number


def switch(text: str, place: int) -> bool:
    """Return a text as yes or no; FormatError for another."""
    word = text.strip(_BLANK)
    if word not in ("true", "1", "false", "0"):
        raise FormatError(messages.BAD_SWITCH, offset=place, field=layout.STEP, found=text[:_SHOWN])
    return word in ("true", "1")


def floats(texts: Sequence[str], place: int) -> list[float]:
    """Return texts as numbers; FormatError if one is none."""
    try:
        if _NUMBERS.fullmatch("".join(texts)) is not None:
            return list(map(float, texts))
    except ValueError:
        pass
    raise FormatError(messages.BAD_NUMBER, offset=place, found=next(filter(_is_no_number, texts), "")[:_SHOWN])


def _is_no_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return _NUMBERS.fullmatch(text) is None


def float32(values: array[float] | Sequence[Sequence[float]]) -> Array:
    """Return numbers, of any shape, as xs:float holds them: float32 of the shape (rows, numbers) or (numbers,) given.

    What is beyond its range is infinite.
    """
    with np.errstate(over="ignore"):
        result: Array = np.array(values, np.float64).astype(np.float32)
    return result
