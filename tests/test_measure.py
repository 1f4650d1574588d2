"""What `make measure` counts: the product's files of functions that ran, whatever else ran beside them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from measure_house import Entered

from io_formats import format_of
from io_formats.clip import quaternion

SOURCE = Path(__file__).resolve().parent.parent


@dataclass
class Made:
    """Its constructor is code without a file."""

    number: int


def test_only_files_of_the_product_are_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither this test, nor Python's own, nor code without a file, which seems to lie where one stands."""
    monkeypatch.chdir(SOURCE)

    def work() -> None:
        format_of(".w3d")
        quaternion.from_names("Z", "Y")
        Made(1)
        isinstance(os.environ, Mapping)
        re.sub("a+", "b", "aaa")

    found = Entered(SOURCE).during(work)["files"]
    assert {"io_formats/__init__.py", "io_formats/clip/quaternion.py"} <= set(found)
    assert [path for path in found if not (SOURCE / path).is_file() or not path.startswith("io_formats/")] == []
