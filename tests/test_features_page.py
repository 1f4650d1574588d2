"""The page of features names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PAGE = (SOURCE / "docs" / "features.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`")
LIKE_A_TEST = re.compile(r"`(?:tests/|test_)[^`]*`")


def test_every_row_names_a_test_or_says_no() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "tested in" not in line]
    assert len(rows) > 40
    assert [row for row in rows if not NAMED.search(row) and "| no |" not in row] == []


def test_tests_are_named_by_their_whole_path() -> None:
    assert [name for name in LIKE_A_TEST.findall(PAGE) if not NAMED.fullmatch(name)] == []


def test_the_named_tests_exist() -> None:
    missing = []
    for file, test in NAMED.findall(PAGE):
        path = SOURCE / file
        if not path.is_file() or (test and f"def {test}(" not in path.read_text(encoding="utf-8")):
            missing.append(f"{file}::{test}")
    assert missing == []
