"""A short fuzz in every test run, files broken in known ways, and proof that the judge sees what it should."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import at_defaults
import fuzz_codecs
import judge as judge_module
import pytest
from cases import slow, slow_but
from judge import allowed_bytes, judge
from mutations import BINARY_MUTATIONS, MIB, TEXT_MUTATIONS, chosen, load_samples
from structures import STRUCTURES, structured

DATA = Path(__file__).resolve().parent.parent / "data"
BROKEN = sorted(path for path in (DATA / "broken").glob("*/*") if path.is_file())
RUNS = 100
KINDS = [(name, number) for name in fuzz_codecs.FORMATS for number in range(len(STRUCTURES[name]))]


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


needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc, to limit memory")
patient = pytest.mark.usefixtures("patience")


@pytest.mark.parametrize("name", slow_but(["w3d", "w3x"], fuzz_codecs.FORMATS))
@patient
def test_damaged_files(name: str) -> None:
    tally = fuzz_codecs.try_batch(name, seed=1, first=0, count=RUNS)
    assert [f"{find.number} {find.sample}: {find.detail}" for find in tally.finds] == []
    assert tally.outcomes["refused"] > RUNS // 10
    assert tally.outcomes["document"] > 0
    assert tally.at_defaults.total() == RUNS and tally.at_defaults["document"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), KINDS, ids=lambda part: str(part))
@patient
def test_files_of_very_many_parts(name: str, number: int) -> None:
    structure, data = structured(name, 0, number, fuzz_codecs.STRUCTURE_SIZE)
    assert len(data) <= fuzz_codecs.STRUCTURE_SIZE + 4096
    verdict = fuzz_codecs.try_one(name, data)
    assert verdict.outcome in ("document", "refused"), f"{structure}: {verdict.detail}"


@pytest.mark.parametrize("name", fuzz_codecs.FORMATS)
def test_every_sample_is_in_a_short_run_and_meets_all_damage_in_a_long_one(name: str) -> None:
    samples = load_samples(DATA / name)
    pairs = [(sample, kind) for sample, _, kind, _ in (chosen(samples, 3, number) for number in range(19_800))]
    assert {sample for sample, _ in pairs[: len(samples)]} == {sample for sample, _ in samples}
    for sample, data in samples:
        wanted = set(TEXT_MUTATIONS if data.lstrip()[:1] in (b"{", b"[") else BINARY_MUTATIONS)
        assert wanted | set(BINARY_MUTATIONS) <= {kind for other, kind in pairs if other == sample}, sample


@pytest.mark.parametrize("name", fuzz_codecs.FORMATS)
@patient
def test_undamaged_files(name: str) -> None:
    samples = load_samples(DATA / name)
    verdicts = {sample: fuzz_codecs.try_one(name, data) for sample, data in samples}
    assert {sample: found.detail for sample, found in verdicts.items() if found.outcome == "find"} == {}


def test_models_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    path = DATA / "w3d_models" / "m02_skin.w3d"
    assert path.relative_to(DATA).as_posix() in {sample for sample, _ in load_samples(DATA / "w3d")}
    real = judge_module.to_models

    def beyond(*given: object) -> object:
        for model in real(*given):
            yield replace(model, triangles=model.triangles + len(model.vertices))

    monkeypatch.setattr(judge_module, "to_models", beyond)
    verdict = fuzz_codecs.try_one("w3d", path.read_bytes())
    assert verdict.outcome == "find" and "a triangle of a vertex that is not there" in verdict.detail


@pytest.mark.parametrize("told", [0, 3])
def test_a_damaged_mesh_has_one_warning(monkeypatch: pytest.MonkeyPatch, told: int) -> None:
    """A file of six meshes of which the reader loses one, without a warning or with three."""
    real = judge_module.model_parts

    def lose_one(document: Any, report: Any) -> Any:
        for number in range(told):
            report.warn("damaged", number=number)
        return real(document, report)[1:]

    monkeypatch.setattr(judge_module, "model_parts", lose_one)
    verdict = fuzz_codecs.try_one("w3d", (DATA / "w3d_models" / "m01_rigid.w3d").read_bytes())
    assert verdict.outcome == "find" and "warnings of 6 meshes" in verdict.detail


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: f"{path.parent.name}-{path.name}")
@patient
def test_files_broken_in_known_ways(path: Path) -> None:
    verdict = fuzz_codecs.try_one(path.parent.name, path.read_bytes())
    assert verdict.outcome in ("document", "refused"), verdict.detail


@pytest.mark.parametrize(("sentence", "outcome"), [("byte 3: expected something else", "refused"), ("", "find")])
def test_the_judge_accepts_refusals_in_clear_sentences(sentence: str, outcome: str) -> None:
    def refuse(data: bytes, limit: int) -> bytes:
        raise RefusedError(sentence)

    assert judge(codec(read=refuse), b"data", RefusedError).outcome == outcome


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"read": lambda data, limit: data[len(data)]}, "IndexError: "),
        ({"write": lambda document: document + b"!"}, "written and read again, it differs"),
        ({"to_clips": lambda document, *_: [document[len(document) :][0]]}, "no clip"),
        pytest.param(
            {"read": lambda data, limit: data + bytearray(allowed_bytes(data) + MIB)}, "memory", marks=needs_proc
        ),
    ],
)
def test_the_judge_finds_what_is_no_document(parts: dict[str, Any], words: str) -> None:
    verdict = judge(codec(**parts), b"data", RefusedError)
    assert verdict.outcome == "find" and words in verdict.detail


def test_the_judge_counts_reading_and_clips_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes three quarters of what both may take."""
    clock = cycle([0.0, 0.0, 1.5, 10.0, 11.5])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    assert "too slow with its clips and models: 3.0 s" in judge(codec(), b"data", RefusedError).detail


@pytest.mark.slow
def test_the_judge_finds_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_module, "SECONDS_PER_MIB", 0.2)
    assert "hangs" in judge(codec(read=lambda data, limit: hang()), b"data", RefusedError).detail


RECORDING = DATA / "mrtk" / "v10_recorder_3s_left_hand.bin"


@pytest.mark.parametrize("number", range(len(at_defaults.ENDINGS)))
@patient
def test_a_sound_file_is_converted_to_whatever_the_number_says(number: int) -> None:
    verdict = at_defaults.judge_at_defaults("mrtk", RECORDING.name, number, RECORDING.read_bytes())
    assert (verdict.outcome, verdict.detail) == ("document", "")


@patient
def test_a_cut_file_is_refused_at_the_default_limits() -> None:
    verdict = at_defaults.judge_at_defaults("mrtk", RECORDING.name, 0, RECORDING.read_bytes()[:-1000])
    assert verdict.outcome == "refused" and "damaged.bin" in verdict.detail


def hang(*_: object) -> int:
    while True:
        pass


def give_up(_: object) -> int:
    sys.stderr.write("x.bin: there is not enough memory for this; close other programs\n")
    return 1


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (lambda _: [0][1], "verify: IndexError"),
        pytest.param(lambda _: len(bytearray(2 * at_defaults.BUDGET)), "verify: MemoryError", marks=needs_proc),
        slow((hang, "verify hangs")),
        (lambda _: 1, "not one clear sentence"),
        (give_up, "not enough memory"),
    ],
)
def test_at_the_default_limits_everything_else_is_a_find(
    monkeypatch: pytest.MonkeyPatch, command: object, words: str
) -> None:
    monkeypatch.setattr(at_defaults, "main", command)
    monkeypatch.setattr(at_defaults, "SECONDS", 1.0)
    verdict = at_defaults.judge_at_defaults("mrtk", "a.bin", 0, b"data")
    assert verdict.outcome == "find" and words in verdict.detail
