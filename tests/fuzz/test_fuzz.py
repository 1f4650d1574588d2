"""A short fuzz in every test run, files broken in known ways, and proof that the judge sees what it should."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import fuzz_codecs
import pytest
from judge import allowed_bytes, judge
from mutations import BINARY_MUTATIONS, MIB, TEXT_MUTATIONS, damaged, load_samples

DATA = Path(__file__).resolve().parent.parent / "data"
BROKEN = sorted(path for path in (DATA / "broken").glob("*/*") if path.is_file())
RUNS = 300


class RefusedError(ValueError):
    """What the stand-ins for a codec raise where a real one raises FormatError."""


def codec(**parts: object) -> SimpleNamespace:
    """A stand-in for a format package that takes everything, but for the given parts."""
    good = {
        "read": lambda data, limit: bytes(data),
        "write": lambda document: document,
        "same_content": lambda one, other: one == other,
        "ImportOptions": dict,
        "to_clips": lambda document, options, report: [document],
    }
    return SimpleNamespace(**{**good, **parts})


@pytest.mark.parametrize("name", fuzz_codecs.FORMATS)
def test_damaged_files(name: str) -> None:
    tally = fuzz_codecs.try_batch(name, seed=1, first=0, count=RUNS)
    assert [f"{find.number} {find.sample}: {find.detail}" for find in tally.finds] == []
    assert tally.outcomes["refused"] > RUNS // 10
    assert tally.outcomes["document"] > 0


@pytest.mark.parametrize("name", fuzz_codecs.FORMATS)
def test_undamaged_files(name: str) -> None:
    samples = load_samples(DATA / name)
    verdicts = {sample: fuzz_codecs.try_one(name, data) for sample, data in samples}
    assert {sample: found.detail for sample, found in verdicts.items() if found.outcome == "find"} == {}


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_files_broken_in_known_ways(path: Path) -> None:
    verdict = fuzz_codecs.try_one(path.parent.name, path.read_bytes())
    assert verdict.outcome in ("document", "refused"), verdict.detail


@pytest.mark.parametrize("name", fuzz_codecs.FORMATS)
def test_damage_is_repeatable_and_real(name: str) -> None:
    samples = load_samples(DATA / name)
    originals = {data for _, data in samples}
    some = [damaged(samples, 7, number) for number in range(200)]
    assert some == [damaged(samples, 7, number) for number in range(200)]
    assert sum(data not in originals for _, data in some) > 150
    assert len({data for _, data in some}) > 150


@pytest.mark.parametrize("mutation", BINARY_MUTATIONS + TEXT_MUTATIONS, ids=lambda mutation: mutation.__name__)
@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)), b'{"a": [1, 2.5]}'], ids=len)
def test_mutations_take_any_bytes(mutation: object, data: bytes) -> None:
    import random

    for seed in range(20):
        assert isinstance(mutation(bytearray(data), random.Random(seed)), bytearray)


def test_the_judge_accepts_documents_and_refusals() -> None:
    def refuse(data: bytes, limit: int) -> bytes:
        raise RefusedError("byte 3: expected something else")

    assert judge(codec(), b"data", RefusedError).outcome == "document"
    assert judge(codec(read=refuse), b"data", RefusedError).outcome == "refused"


def test_the_judge_finds_other_exceptions() -> None:
    def stumble(data: bytes, limit: int) -> bytes:
        return data[len(data)]

    verdict = judge(codec(read=stumble), b"data", RefusedError)
    assert (verdict.outcome, verdict.detail.split(":")[0]) == ("find", "IndexError")


def test_the_judge_finds_documents_that_change() -> None:
    verdict = judge(codec(write=lambda document: document + b"!"), b"data", RefusedError)
    assert (verdict.outcome, verdict.detail) == ("find", "written and read again, it differs")


def test_the_judge_finds_documents_without_a_clip() -> None:
    def stumble(document: bytes, options: object, report: object) -> list[bytes]:
        return [document[len(document) :][0]]

    assert "no clip" in judge(codec(to_clips=stumble), b"data", RefusedError).detail


def test_the_judge_finds_unclear_sentences() -> None:
    def refuse(data: bytes, limit: int) -> bytes:
        raise RefusedError("")

    assert judge(codec(read=refuse), b"data", RefusedError).outcome == "find"


def test_the_judge_finds_too_much_memory() -> None:
    data = b"data"

    def hoard(data: bytes, limit: int) -> bytes:
        return data + bytearray(allowed_bytes(data) + MIB)

    assert "memory" in judge(codec(read=hoard), data, RefusedError).detail


def test_the_judge_finds_hangs() -> None:
    def hang(data: bytes, limit: int) -> bytes:
        while True:
            time.sleep(0.01)

    assert "hangs" in judge(codec(read=hang), b"data", RefusedError).detail
