"""What the tests of the operators share: the extension's modules, and a census of a .blend."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def bpy(extension: ModuleType) -> Any:
    """Blender, with the extension enabled and an empty file open."""
    return importlib.import_module("bpy")


@pytest.fixture
def part(extension: ModuleType) -> Callable[[str], Any]:
    """A module of the extension by its place, such as `operators.preferences`."""
    return lambda place: importlib.import_module(f"{extension.__name__}.{place}")


@pytest.fixture
def command(part: Callable[[str], Any]) -> Callable[..., int]:
    """The command, as Blender calls it."""
    main = part("operators.command_line").main
    return lambda *arguments: int(main([str(argument) for argument in arguments]))


@pytest.fixture
def census(bpy: Any) -> Callable[[], dict[str, Any]]:
    """Everything in the file that an import could change."""
    counting: Callable[[], dict[str, Any]] = importlib.import_module("blend_census").census
    return counting


@pytest.fixture
def recording(data: Path) -> Path:
    """An MRTK recording with both hands, camera and gaze."""
    return data / "mrtk" / "v11_flags" / "v11_cam1_hand1_gaze1.bin"


@pytest.fixture
def reports(bpy: Any, monkeypatch: pytest.MonkeyPatch, part: Callable[[str], Any]) -> list[str]:
    """What the operators tell, in order, as it happens."""
    told: list[str] = []
    reporting, dialogs = part("operators.reporting"), part("operators.dialogs")
    real_tell, real_fail = reporting.tell, dialogs.fail

    def tell(operator: Any, context: Any, line: str, *rest: Any, **options: Any) -> None:
        told.append(line)
        real_tell(operator, context, line, *rest, **options)

    def fail(operator: Any, text: str, *rest: Any) -> Any:
        told.append(text)
        return real_fail(operator, text, *rest)

    monkeypatch.setattr(reporting, "tell", tell)
    monkeypatch.setattr(dialogs, "fail", fail)
    return told
