"""Reports: equal entries are counted, and thousands of different ones neither listed in full nor slow."""

from __future__ import annotations

import numpy as np
import pytest
from work import work_of

from io_formats import messages as common_messages
from io_formats.animx import messages as animx_messages
from io_formats.clip import messages as clip_messages
from io_formats.errors import MOST_OF_A_KIND, FormatError, Report, filled, first_names
from io_formats.w3d import messages as w3d_messages


def test_equal_entries_are_counted_whatever_the_order_of_their_values() -> None:
    report = Report()
    report.warn(clip_messages.OTHER_SKELETON, wanted="A", found="B")
    report.warn(clip_messages.OTHER_SKELETON, found="B", wanted="A", count=4)
    report.warn(clip_messages.OTHER_SKELETON, wanted="B", found="A")
    report.note(clip_messages.OTHER_SKELETON, wanted="A", found="B")
    assert [(entry.count, entry.values["wanted"]) for entry in report.warnings] == [(5, "A"), (1, "B")]
    assert [entry.count for entry in report.notes] == [1]


def test_numbers_of_numpy_count_as_what_they_are() -> None:
    report = Report()
    report.warn(common_messages.TRAILING_BYTES, size=3)
    report.warn(common_messages.TRAILING_BYTES, size=np.int64(3))
    assert [entry.count for entry in report.warnings] == [2]


NUMBERS = {384.2: "384", np.float32(38.42): "38", 0.0000321: "0.000032", -1234567.0: "-1234567", 2e-9: "0"}
NUMBERS |= {0.5: "0.5", 9.96: "10", 100: "100", float("inf"): "inf", 0.0: "0"}


@pytest.mark.parametrize(("number", "told"), NUMBERS.items())
def test_numbers_have_no_powers_of_ten(number: float, told: str) -> None:
    assert filled("{off:.2g} mm", {"off": number}).removesuffix(" mm") == told
    assert filled("{off:g}", {"off": 12.34567}) == "12.3457"


def test_beyond_some_hundreds_of_a_kind_the_rest_is_counted() -> None:
    report = Report()
    report.warn(clip_messages.NO_RATE)
    for number in range(1000):
        report.warn(animx_messages.ANIMJ_IGNORED, key=f"k{number}")
        report.warn(w3d_messages.MORPH, name="M")
    lines = [str(entry) for entry in report.warnings]
    assert len(lines) == MOST_OF_A_KIND + 3
    assert lines[1] == animx_messages.ANIMJ_IGNORED.format(key="k0")
    more = next(entry for entry in report.warnings if entry.template == common_messages.MORE_LIKE_THIS)
    before = report.warnings[report.warnings.index(more) - 1]
    assert before.values == {"key": f"k{MOST_OF_A_KIND - 1}"}, "it stands after the last of its kind"
    assert str(more) == f"{1000 - MOST_OF_A_KIND} more like this are not listed"
    assert sum(entry.count for entry in report.warnings) == 1 + 2000, "each is counted"
    report.warn(animx_messages.ANIMJ_IGNORED, key="k7")
    assert report.warnings[9].count == 2, "what is listed is counted where it stands"


def test_joined_reports_count_on() -> None:
    whole = Report()
    for start in (0, 500):
        part = Report()
        for number in range(start, start + 500):
            part.warn(animx_messages.ANIMJ_IGNORED, key=f"k{number}")
            part.note(animx_messages.LENS, node=f"n{number}")
        whole.extend(part)
    for entries in (whole.warnings, whole.notes):
        assert len(entries) == MOST_OF_A_KIND + 1
        assert entries[-1].count == 1000 - MOST_OF_A_KIND
        assert sum(entry.count for entry in entries) == 1000


def test_a_report_takes_no_longer_the_fuller_it_is() -> None:
    report = Report()

    def warn(first: int) -> None:
        for number in range(first, first + 500):
            report.warn(animx_messages.ANIMJ_IGNORED, key=f"k{number}")

    first = work_of(lambda: warn(0))
    warn(500)
    assert work_of(lambda: warn(1000)) <= 1.1 * first


@pytest.mark.parametrize(("count", "said"), [(1, "1 key is late"), (2, "2 keys are late"), (0, "0 keys are late")])
def test_words_agree_with_their_number(count: int, said: str) -> None:
    for number in (count, np.int64(count)):
        assert str(FormatError("{keys} {keys:key is|keys are} late", keys=number)) == said
    report = Report()
    report.warn("{keys} {keys:key is|keys are} late", keys=count)
    assert str(report.warnings[0]) == said


def test_what_is_no_count_is_said_as_it_is() -> None:
    """And of names, five at most, with dots where some are missing."""
    assert (first_names([*"abcde"]), first_names([*"abcdef"])) == ("a, b, c, d, e", "a, b, c, d, e ...")
    assert str(FormatError("{flag} {share:.1f} {bytes:,}", flag=True, share=0.25, bytes=1234)) == "True 0.2 1,234"
