"""What the tests of `scene` share: its modules, and clips made by hand."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

SCENE = ("actions", "apply", "armatures", "channels", "data_paths", "fcurves", "models", "names", "provenance", "write")
SCENE += ("rates", "targets", "undo", "visibility")
FORMATS = (
    "clip",
    "errors",
    "clip.curve",
    "clip.fcurve_keys",
    "clip.pose",
    "clip.quaternion",
    "scene_options",
    "files.steps",
)


@pytest.fixture
def rooms(extension: ModuleType) -> SimpleNamespace:
    """The modules of `scene` and what they need of `io_formats`, as the extension has them."""
    modules: dict[str, Any] = {}
    for room, names in (("scene", SCENE), ("io_formats", FORMATS)):
        for name in names:
            modules[name.rpartition(".")[2]] = importlib.import_module(f"{extension.__name__}.{room}.{name}")
    for name in ("scene", "io_formats.clip"):
        sentences = importlib.import_module(f"{extension.__name__}.{name}.messages")
        modules[f"{name.rpartition('.')[2]}_messages"] = sentences
    return SimpleNamespace(**modules)


def rest_matrix(place: tuple[float, float, float], quarter_turns: int = 0) -> Any:
    """A rest pose: `place` from the parent, turned by quarter turns about Z."""
    cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter_turns % 4]
    return np.array(
        [[cosine, -sine, 0, place[0]], [sine, cosine, 0, place[1]], [0, 0, 1, place[2]], [0, 0, 0, 1]], np.float64
    )


@pytest.fixture
def make_clip(rooms: SimpleNamespace) -> Callable[..., Any]:
    """A maker of clips: a chain of turned bones, each with location and rotation keys and one bool property."""

    def make(name: str = "WALK", bones: int = 4, keys: int = 5, rate: float = 30.0, **fields: Any) -> Any:
        clip = rooms.clip
        random = np.random.default_rng(len(name) + bones * 100 + keys)
        times = np.arange(keys) / rate
        linear = np.full(keys, clip.Interpolation.LINEAR, np.uint8)
        nodes, tracks = [], []
        for number in range(bones):
            bone = f"Bone {number}"
            parent = nodes[-1].name if nodes else None
            nodes.append(clip.Node(bone, parent, rest_matrix((0.1, 0.4, -0.2), number), original=bone))
            quaternions = random.normal(size=(4, keys)).astype(np.float32)
            quaternions /= np.sqrt((quaternions**2).sum(axis=0))
            places = random.normal(size=(3, keys)).astype(np.float32)
            tracks.append(clip.Track(bone, clip.LOCATION, times, places, linear, width=3))
            tracks.append(clip.Track(bone, clip.ROTATION, times, quaternions, linear, width=4))
        shown = np.array([[1.0, 0.0]])
        tracks.append(
            clip.Track(
                "Bone 0",
                "visibility",
                times[[0, -1]],
                shown,
                np.zeros(2, np.uint8),
                value_kind=clip.ValueKind.BOOL,
                kind=clip.TrackKind.CUSTOM,
            )
        )
        made = clip.Clip(name, float(times[-1]), rate, nodes=nodes, tracks=tracks, skeleton="RIG")
        for field, value in fields.items():
            setattr(made, field, value)
        return made

    return make


@pytest.fixture
def take(extension: ModuleType, rooms: SimpleNamespace) -> Callable[..., Any]:
    """Captures objects with their frames as they are; options as keywords, `action` for one that does not play, and
    `written` for the clip of its import. The report is `take.report`."""
    import bpy

    names = "scene.capture.capture", "io_formats.animx.options"
    module, options = (importlib.import_module(f"{extension.__name__}.{name}") for name in names)

    def capture(*things: Any, action: Any = None, written: Any = None, **chosen: Any) -> Any:
        report = capture.report = rooms.errors.Report()  # type: ignore[attr-defined]
        asked = options.ExportOptions(**{"tolerance": 1e-5, **chosen})
        known = None if written is None else rooms.provenance.find(action)
        steps = module.capture(bpy.context, things, action, asked, report, written=written, provenance=known)
        return rooms.steps.finished(steps)

    return capture


@pytest.fixture
def bring_in(rooms: SimpleNamespace) -> Callable[..., Any]:
    """`apply_clips` into the current scene; options as keywords. The report is `bring_in.report`.

    With `commit=False` what `apply_clips` returns, to be entered.
    """
    import bpy

    def bring(
        clips: Any, source: bool = True, commit: bool = True, onto: Any = None, name: str = "walk", **options: Any
    ) -> Any:
        clips = clips if isinstance(clips, list) else [clips]
        bring.report = rooms.errors.Report()  # type: ignore[attr-defined]
        chosen = rooms.scene_options.ImportOptions(**options)
        file = rooms.apply.SourceFile(b"the bytes of the file" * 9, "w3d", f"{name}.w3d") if source else None
        importing = at_once(
            bpy.context,
            clips,
            chosen,
            bring.report,  # type: ignore[attr-defined]
            name=name,
            source=file,
            onto=onto,
        )
        if not commit:
            return importing
        with importing as applied:
            return applied

    @contextmanager
    def at_once(*arguments: Any, **named: Any) -> Iterator[Any]:
        with rooms.apply.apply_clips(*arguments, **named) as steps:
            yield rooms.steps.finished(steps)

    return bring
