"""What all short fuzzes share."""

from __future__ import annotations

import judge
import pytest


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times the limits of time, as tests run on machines that are busy; `make fuzz` holds files to the limits."""
    monkeypatch.setattr(judge, "PATIENCE", 10.0)
