"""LZ4 and LZMA: the lz4 package agrees both ways, and nothing expands further than it may."""

from __future__ import annotations

import lzma
import os
import random
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_formats import animx
from io_formats.animx import containers, messages
from io_formats.animx.document import Block
from io_formats.binary import ByteReader
from io_formats.errors import FormatError

block = pytest.importorskip("lz4.block")
frame = pytest.importorskip("lz4.frame")

DATA = Path(__file__).parents[2] / "data" / "animx"
SOURCE = Path(__file__).parents[3]
MIB = 1 << 20


def repetitive(seed: int, size: int) -> bytes:
    """Bytes with matches near, far and overlapping."""
    chance = random.Random(seed)
    result = bytearray(chance.randbytes(20))
    while len(result) < size:
        start = chance.randrange(len(result))
        length = chance.choice((1, 4, 7, 18, 19, 20, 300, 5000))
        piece = result[start : start + length] or b"\0"
        result += piece * chance.choice((1, 1, 3)) + chance.randbytes(chance.choice((0, 1, 15, 16, 300)))
    return bytes(result[:size])


PLAIN = (DATA / "08_walk_plain.animx").read_bytes()
FAR = b"abcd" + bytes(65532) + b"abcd" + bytes(5000)  # a byte farther than a match reaches
SAMPLES = [b"", b"a", b"abcd" * 3, FAR, PLAIN, *(repetitive(seed, 3000 << seed) for seed in range(7))]


@pytest.mark.parametrize("data", SAMPLES, ids=len)
def test_the_package_reads_what_is_compressed_here(data: bytes) -> None:
    packed = containers.compress_block(data)
    assert block.decompress(packed, uncompressed_size=len(data)) == data
    assert containers.decompress_block(packed, len(data)) == data


@pytest.mark.parametrize("mode", ["default", "fast", "high_compression"])
@pytest.mark.parametrize("data", SAMPLES, ids=len)
def test_what_the_package_compresses_is_read_here(data: bytes, mode: str) -> None:
    packed = block.compress(data, mode=mode, store_size=False)
    assert containers.decompress_block(packed, len(data)) == data


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=40), max_size=6), st.lists(st.integers(0, 5), max_size=60))
def test_any_bytes_survive(words: list[bytes], order: list[int]) -> None:
    data = b"".join(words[at % len(words)] for at in order) if words else b""
    assert block.decompress(containers.compress_block(data), uncompressed_size=len(data)) == data
    assert containers.unpack_lz4(ByteReader(containers.pack_lz4(data)), MIB).data == data


@pytest.mark.parametrize("size", range(4, 8), ids=["64 KiB", "256 KiB", "1 MiB", "4 MiB"])
def test_frames(size: int) -> None:
    data, on = random.Random(2).randbytes(70_000) + repetitive(3, 230_000), size > 5
    packed = frame.compress(data, block_linked=size % 2 == 1, content_checksum=on, block_checksum=on, block_size=size)
    assert containers.unpack_frame(ByteReader(packed), MIB) == data
    with pytest.raises(FormatError) as caught:
        containers.unpack_frame(ByteReader(packed), 200_000)
    assert caught.value.template == messages.TOO_LARGE
    for at, value in ((4, packed[4] ^ 0xC0), (4, packed[4] | 1), (5, 0x30)):  # version, dictionary, size of blocks
        with pytest.raises(FormatError) as caught:
            containers.unpack_frame(ByteReader(packed[:at] + bytes([value]) + packed[at + 1 :]), MIB)
        assert caught.value.template == messages.LZ4_FRAME


@pytest.mark.parametrize(
    ("packed", "template", "offset"),
    [
        (b"\x50ab", "LZ4_DAMAGED", 101),
        (b"\x10a\x01", "LZ4_DAMAGED", 103),
        (b"\x10a\x02\0", "LZ4_DAMAGED", 104),  # from before the data
        (b"\x20ab", "UNPACKED_SIZE", 100),
    ],
)
def test_what_a_block_lacks_is_told_with_its_place(packed: bytes, template: str, offset: int) -> None:
    with pytest.raises(FormatError) as caught:
        containers.decompress_block(packed, 5, 100)
    assert (caught.value.template, caught.value.offset) == (getattr(messages, template), offset)


def test_a_limit_is_said_to_be_exceeded_by_all_chunks_together() -> None:
    packed = containers.pack_lz4(repetitive(1, 5000), (containers.Block(3000, 1), containers.Block(2000, 1)))
    with pytest.raises(FormatError, match="expand to 5000 bytes or more, the limit is 4000 bytes"):
        containers.unpack_lz4(ByteReader(packed), 4000)


def test_chunks_keep_their_sizes_and_kinds() -> None:
    data = repetitive(1, 5000)
    blocks = [Block(1000, 0), Block(0, 0), Block(3000, 3), Block(1000, 0)]
    packed = containers.pack_lz4(data, blocks)
    unpacked = containers.unpack_lz4(ByteReader(packed), MIB)
    assert (unpacked.data, unpacked.blocks, unpacked.error) == (data, blocks, None)
    assert containers.pack_lz4(data, unpacked.blocks) == packed
    longer = containers.unpack_lz4(ByteReader(containers.pack_lz4(data + data, blocks)), MIB)
    assert longer.data == data + data


def test_a_block_shrinks_or_is_stored() -> None:
    data = random.Random(1).randbytes(2000)
    unpacked = containers.unpack_lz4(ByteReader(containers.pack_lz4(data)), MIB)
    assert unpacked.blocks == [Block(2000, 0)]
    assert len(containers.pack_lz4(PLAIN)) < 0.6 * len(PLAIN)


def test_each_process_packs_alike() -> None:
    """Python's hash of bytes is another one in each."""
    script = "import sys; from io_formats.animx import containers as c; d = open(sys.argv[1], 'rb').read(); "
    script += "sys.stdout.write(c.compress_block(d).hex())"
    command = [sys.executable, "-c", script, str(DATA / "08_walk_plain.animx")]
    seeds = [{**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(SOURCE)} for seed in ("1", "2")]
    one, other = (subprocess.run(command, env=env, check=True, capture_output=True).stdout for env in seeds)
    assert one == other


def test_what_the_engine_never_reads_does_not_count() -> None:
    data = (DATA / "08_walk_lz4_stored.animx").read_bytes() + b"\x05junk"
    document = animx.read(data)
    assert document.container_trailing == b"\x05junk"
    assert animx.write(document) == data and not animx.write(document, container="lzma").endswith(b"junk")


HEADER = b"\x05AnimX" + struct.pack("<i", 1) + b"\x01" + struct.pack("<f", 1.0) + b"\0"
ONE_KEY = b"\x00\x04\x01N\x01p\x01" + struct.pack("<f", 1) + b"\x07"
"""The body of a file: a Raw track of one byte."""


def test_an_lz4_bomb_is_refused() -> None:
    packed = block.compress(bytes(64 * MIB), store_size=False)
    chunk = b"\x01" + varint(64 * MIB) + varint(len(packed)) + packed
    with pytest.raises(FormatError) as caught:
        animx.read(HEADER + b"\x01" + chunk * 2, limit=100 * MIB)
    assert caught.value.template == messages.TOO_LARGE
    lying = b"\x01" + varint(10) + varint(len(packed)) + packed
    with pytest.raises(FormatError) as caught:
        animx.read(HEADER + b"\x01" + lying)
    assert caught.value.template == messages.LZ4_DAMAGED
    half = b"\x00\x04\x01N\x01p\x05" + struct.pack("<f", 1) + b"\x07"  # one of five values
    with pytest.raises(FormatError) as caught:
        animx.read(HEADER + b"\x01" + containers.pack_lz4(half) + b"\x25junk")
    assert (caught.value.template, caught.value.values["passes"]) == (messages.LZ4_FLAGS, 1)


def varint(number: int) -> bytes:
    result = b""
    while number > 127:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def lzma_container(data: bytes, size: int, dictionary: int = 1 << 16) -> bytes:
    chain = [{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16, "lc": 3, "lp": 0, "pb": 2}]
    return struct.pack("<BIqq", 0x5D, dictionary, size, 0) + lzma.compress(data, lzma.FORMAT_RAW, filters=chain)


def test_an_lzma_bomb_is_refused() -> None:
    data = bytes(8 * MIB)
    for size, told in ((len(data), messages.TOO_LARGE), (-1, messages.TOO_LARGE), (-2, messages.LZMA_DAMAGED)):
        with pytest.raises(FormatError) as caught:
            animx.read(HEADER + b"\x02" + lzma_container(data, size), limit=4 * MIB)
        assert caught.value.template == told


UNPACK = f"""
import resource, sys
from io_formats import animx
data = sys.stdin.buffer.read()
resource.setrlimit(resource.RLIMIT_AS, ({1 << 30}, {1 << 30}))
print(len(animx.read(data).tracks))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits address space as Linux does")
@pytest.mark.parametrize("size", ["known", "unknown"])
def test_a_huge_dictionary_is_not_made_as_claimed(size: str) -> None:
    """4 GiB that the header asks for: in a process that has one, so that even asking for them would be seen."""
    data = HEADER + b"\x02" + lzma_container(ONE_KEY, len(ONE_KEY) if size == "known" else -1, 0xFFFF_FFFF)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", UNPACK]
    run = subprocess.run(command, cwd=SOURCE, env=environment, input=data, capture_output=True, check=False)
    assert run.returncode == 0 and int(run.stdout) == 1, run.stderr.decode()[-300:]


def test_an_unknown_size_ends_with_the_marker() -> None:
    document = animx.read(HEADER + b"\x02" + lzma_container(ONE_KEY, -1) + b"rest")
    assert document.container_trailing == b"rest"


@pytest.mark.parametrize("size", [1, 20, 21, 30, 200])
def test_cut_lzma_is_refused(size: int) -> None:
    data = lzma_container(repetitive(2, 4000), 4000)
    with pytest.raises(FormatError):
        containers.unpack_lzma(ByteReader(data[:size]), MIB)


@pytest.mark.parametrize(("properties", "known"), [(224, True), (225, False), (255, False)])
def test_properties_that_no_coder_has_are_told_as_such(properties: int, known: bool) -> None:
    """The byte is (positions * 5 + literals) * 9 + contexts, with 0 to 4, 0 to 4 and 0 to 8: 224 at most."""
    data = bytes([properties]) + lzma_container(repetitive(2, 4000), 4000)[1:]
    with pytest.raises(FormatError) as caught:
        containers.unpack_lzma(ByteReader(data), MIB)
    assert (caught.value.template == messages.LZMA_PROPERTIES) is not known


def test_written_lzma_is_what_the_engine_reads() -> None:
    packed = containers.pack_lzma(PLAIN)
    properties, dictionary, size, compressed = struct.unpack_from("<BIqq", packed)
    assert (properties, dictionary, size, compressed) == (0x5D, 0x200000, len(PLAIN), len(packed) - 21)
    assert containers.unpack_lzma(ByteReader(packed), MIB) == (PLAIN, b"")


def test_packing_little_takes_little_memory() -> None:
    """Found by a coverage-guided fuzzer: 10 KB were packed with the 24 MiB that 2 MiB of dictionary want."""
    tracemalloc.start()
    try:
        containers.pack_lzma(bytes(range(256)) * 40)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2 * MIB
