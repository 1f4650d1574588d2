"""Calls of the program, and clips through the codecs, come out as they did: see tests/support/outcome.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from calls import call
from clips import clip
from outcome import compare, kept
from renewal import Renewal

KINDS = {"calls": call, "clips": clip}


@pytest.mark.parametrize(("kind", "number"), [(kind, number) for kind in KINDS for number in kept(kind)])
def test_what_is_said_and_made_is_as_it_was(kind: str, number: str, tmp_path: Path, renewal: Renewal | None) -> None:
    with np.errstate(all="ignore"):  # what is drawn may be no number
        compare(kind, number, KINDS[kind](int(number), tmp_path), renewal)
