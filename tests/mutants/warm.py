"""One test of Blender run ahead of all others, so that the extension is there before a process is divided."""

from __future__ import annotations

import pytest

QUICK = "tests/operators/test_registration.py"


def warm(session: pytest.Session) -> None:
    """Run one quick test that needs the extension, and leave what the whole session shares as it is then."""
    quick = [item for item in session.items if item.nodeid.startswith(QUICK)]
    if quick:
        session.config.hook.pytest_runtest_protocol(item=quick[0], nextitem=stranger(session, quick[0]))


def stranger(session: pytest.Session, item: pytest.Item) -> pytest.Item:
    """A test of another folder: with it as the next one, all that belongs to a test, file or folder is cleared away."""
    return next(other for other in session.items if other.path.parent != item.path.parent)
