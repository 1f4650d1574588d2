"""The same examples of Hypothesis for the tests of all formats."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "the same everywhere", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("the same everywhere")  # no example by chance, no test that a busy machine fails
