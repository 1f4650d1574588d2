"""The cursor over bytes: numbers of variable length, and every length checked before it is believed."""

from __future__ import annotations

import pytest

from io_formats import messages
from io_formats.binary import ByteReader, ByteWriter
from io_formats.errors import FormatError


@pytest.mark.parametrize("size", range(1, 11))
def test_numbers_of_every_length_that_64_bits_have(size: int) -> None:
    """Written out by hand: seven bits a byte, the lowest first; nine bytes hold 63 bits, ten hold 64."""
    largest = min((1 << 7 * size) - 1, (1 << 64) - 1)
    last = 1 if size == 10 else 0x7F
    data = b"\xff" * (size - 1) + bytes([last])
    reader = ByteReader(data + b"\x05")
    assert (reader.varint("number"), reader.offset) == (largest, size)
    writer = ByteWriter()
    writer.varint(largest)
    assert writer.getvalue() == data
    smallest = b"\x80" * (size - 1) + b"\x01"
    assert ByteReader(smallest).varint("number") == 1 << 7 * (size - 1)


def test_a_tenth_byte_says_no_more_than_64_bits_hold() -> None:
    assert ByteReader(b"\xff" * 9 + b"\x7f").varint("number") == (1 << 64) - 1


def test_a_number_that_ends_after_no_ten_bytes_is_refused() -> None:
    with pytest.raises(FormatError) as caught:
        ByteReader(b"\x80" * 10 + b"\x01").varint("number")
    assert caught.value.template == messages.BAD_VARINT
    assert (caught.value.offset, caught.value.field) == (10, "number")


@pytest.mark.parametrize("size", range(10))
def test_a_number_that_the_file_cuts_off_is_refused(size: int) -> None:
    with pytest.raises(FormatError) as caught:
        ByteReader(b"\xff" * size + b"\x01", end=size).varint("number")
    assert caught.value.template == messages.TRUNCATED
