"""Runs inside a Blender with a window (blender --python window.py): plays one driver, step by step.

A driver is a file with `steps(window)`, a generator. What it yields is a number of seconds in which Blender's own
event loop runs (redraws, pop-ups, the file browser); then it goes on. Pictures come from the X server's frame buffer
file, because Blender's own screenshots are black under software OpenGL.

Environment: DRIVER (file), OUT (folder for pictures and status.json), FRAME_BUFFER (Xvfb's -fbdir file).
"""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import sys
import time
import traceback
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import bpy

OUT = Path(os.environ["OUT"])
FRAME_BUFFER = Path(os.environ["FRAME_BUFFER"])
FEWEST_COLOURS = 20
BEGUN = "begun"
"""A file in OUT that tells that Blender stands and the driver begins: what fails from then on has failed."""
Steps = Iterator[float]


class Screen(NamedTuple):
    """The picture that the X server shows: rows of 4-byte pixels, blue first."""

    width: int
    height: int
    stride: int
    pixels: bytes


def read_screen() -> Screen:
    """The X server's frame buffer, an XWD file: header, colour map, rows."""
    data = FRAME_BUFFER.read_bytes()
    header = struct.unpack(">25I", data[:100])
    header_size, width, height, byte_order, depth, stride, colours = (header[at] for at in (0, 4, 5, 7, 11, 12, 19))
    if depth != 32 or byte_order != 0:
        raise ValueError(f"expected 32-bit little-endian pixels, found {depth} bits, order {byte_order}")
    start = header_size + colours * 12
    return Screen(width, height, stride, data[start : start + stride * height])


def as_png(screen: Screen) -> bytes:
    """The picture as a PNG file."""
    rows = bytearray()
    for line in range(screen.height):
        row = screen.pixels[line * screen.stride : line * screen.stride + screen.width * 4]
        rgb = bytearray(screen.width * 3)
        rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
        rows += b"\0" + rgb
    head = struct.pack(">2I5B", screen.width, screen.height, 8, 2, 0, 0, 0)
    chunks = (_chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(bytes(rows), 6)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(tag: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))


class Window:
    """What a driver does with Blender: look, press, ask, wait."""

    def __init__(self) -> None:
        self.pictures: list[str] = []
        self._pointer = (800, 450)

    @property
    def main(self) -> bpy.types.Window:
        """Blender's first window."""
        return bpy.context.window_manager.windows[0]

    def areas(self, kind: str) -> list[tuple[bpy.types.Window, bpy.types.Area]]:
        """All open editors of a type, each with its window."""
        windows = bpy.context.window_manager.windows
        return [(window, area) for window in windows for area in window.screen.areas if area.type == kind]

    def find_area(self, kind: str) -> tuple[bpy.types.Window, bpy.types.Area]:
        """The largest editor of a type, and its window; LookupError if none is open."""
        found = self.areas(kind)
        if not found:
            raise LookupError(f"no {kind} is open")
        return max(found, key=lambda pair: pair[1].width * pair[1].height)

    def over(self, kind: str, region: str = "WINDOW") -> Any:
        """A context in which operators believe that the pointer is over an editor of that type."""
        window, area = self.find_area(kind)
        part = next(candidate for candidate in area.regions if candidate.type == region)
        return bpy.context.temp_override(window=window, area=area, region=part)

    def settle(self, least: float = 0.3, limit: float = 30.0) -> Steps:
        """Wait until the screen has stayed the same for three looks."""
        end, same, last = time.monotonic() + limit, 0, -1
        yield least
        while time.monotonic() < end and same < 3:
            now = zlib.crc32(read_screen().pixels)
            same = same + 1 if now == last else 0
            last = now
            yield 0.1

    def until(self, holds: Callable[[], object], failed: str = "waited in vain") -> Steps:
        """Wait until something holds and the screen shows it, however busy the machine is; it `failed` if never."""
        end = time.monotonic() + 300.0
        while not holds() and time.monotonic() < end:
            yield 0.1
        yield from self.settle()
        if not holds():
            raise AssertionError(failed)

    def picture(self, name: str) -> Steps:
        """Settle, and write a picture of the whole screen; a blank one is a failure."""
        yield from self.settle()
        self.write_picture(name)

    def write_picture(self, name: str) -> None:
        """Write a picture of the screen as it is now, while things still move."""
        screen = read_screen()
        (OUT / f"{name}.png").write_bytes(as_png(screen))
        colours = len({screen.pixels[at : at + 3] for at in range(0, len(screen.pixels), 4 * 37)})
        if colours <= FEWEST_COLOURS:
            raise AssertionError(f"{name}: the screen looks blank, {colours} colours")
        self.pictures.append(f"{name}.png")

    def _event(self, kind: str, value: str, **more: Any) -> None:
        self.main.event_simulate(type=kind, value=value, x=self._pointer[0], y=self._pointer[1], **more)

    def move(self, x: int, y: int) -> None:
        """Put the pointer somewhere; from the left and from the top."""
        self._pointer = (x, self.main.height - 1 - y)
        self._event("MOUSEMOVE", "NOTHING")

    def move_over(self, kind: str) -> Steps:
        """Put the pointer into the middle of an editor."""
        _, area = self.find_area(kind)
        self.move(area.x + area.width // 2, self.main.height - 1 - (area.y + area.height // 2))
        yield 0.2

    def click(self, x: int, y: int) -> Steps:
        """Press and release the left button."""
        self.move(x, y)
        yield 0.1
        self._event("LEFTMOUSE", "PRESS")
        yield 0.05
        self._event("LEFTMOUSE", "RELEASE")
        yield 0.2

    def key(self, name: str, **held: bool) -> Steps:
        """Tap a key where the pointer was last put, with `ctrl`, `shift` or `alt` held."""
        text = {"unicode": name.lower()} if len(name) == 1 and not held else {}
        self._event(name, "PRESS", **text, **held)
        yield 0.05
        self._event(name, "RELEASE", **held)
        yield 0.15

    def choose_file(self, folder: Path, name: str) -> Steps:
        """In the open file browser, show the options and pick a file for the waiting `operator()`."""
        yield from self.until(lambda: self.areas("FILE_BROWSER"))
        space = self.find_area("FILE_BROWSER")[1].spaces.active
        space.show_region_tool_props = True
        space.params.directory = str(folder).encode()
        yield 0.4
        space.params.filename = name
        yield 0.2

    def close_browser(self) -> Steps:
        """Leave the file browser."""
        with self.over("FILE_BROWSER"):
            bpy.ops.file.cancel()
        yield from self.settle()

    def divide(self, direction: str, factor: float, editor: str) -> Steps:
        """Divide the 3D view: its right or lower part becomes another editor."""
        with self.over("VIEW_3D"):
            bpy.ops.screen.area_split(direction=direction, factor=factor)
        yield 0.5
        views = [area for _, area in self.areas("VIEW_3D")]
        min(views, key=lambda area: area.y - area.x).ui_type = editor
        yield from self.settle()

    def undo(self) -> Steps:
        """Take the last step back, from the 3D view."""
        with self.over("VIEW_3D"):
            bpy.ops.ed.undo()
        yield from self.settle()

    def open_imports(self, x: int = 46, y: int = 14) -> Steps:
        """File > Import, of a File menu at this place of the screen."""
        yield from self.click(x, y)
        yield from self.settle()
        yield from self.key("M")

    def open_browser(self, verb: str, name: str, path: Path) -> Steps:
        """The file browser of a format's `import` or `export`, with a file picked in it."""
        yield from self.move_over("VIEW_3D")
        with self.over("VIEW_3D"):
            getattr(getattr(bpy.ops, f"{verb}_anim"), name)("INVOKE_DEFAULT")
        yield 1.0
        yield from self.choose_file(path.parent, path.name)

    def drop(self, *files: Path, editor: str = "VIEW_3D") -> Steps:
        """What Blender does when files of one folder are dropped on an editor."""
        yield from self.move_over(editor)
        with self.over(editor):
            names = [{"name": path.name} for path in files]
            bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(files[0].parent), files=names)
        yield 0.5

    def operator(self) -> Any:
        """The operator that the open file browser belongs to."""
        return self.find_area("FILE_BROWSER")[1].spaces.active.active_operator

    def open_sidebar(self, kind: str) -> Steps:
        """Show our tab in the sidebar of an editor."""
        area = self.find_area(kind)[1]
        area.spaces.active.show_region_ui = True
        yield from self.settle()
        next(part for part in area.regions if part.type == "UI").active_panel_category = "Animation Curves"
        area.tag_redraw()
        yield from self.settle()

    def press_confirm(self) -> Steps:
        """The file browser's own button (Import, Export)."""
        with self.over("FILE_BROWSER"):
            bpy.ops.file.execute()
        yield 0.5


class Outcome:
    """Takes whatever ends a driver, so that a failure is told and does not leave Blender waiting."""

    def __init__(self) -> None:
        self.error = ""

    def __enter__(self) -> Outcome:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if error is not None:
            self.error = "".join(traceback.format_exception(kind, error, trace))
        return True


def load_driver() -> Any:
    """The module that DRIVER names."""
    spec = importlib.util.spec_from_file_location("driver", os.environ["DRIVER"])
    if spec is None or spec.loader is None:
        raise ImportError(os.environ["DRIVER"])
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    return driver


def finish(window: Window, error: str) -> None:
    """Write status.json and leave Blender."""
    status = {"ok": not error, "error": error, "pictures": window.pictures}
    status["blender"] = bpy.app.version_string
    (OUT / "status.json").write_text(json.dumps(status, indent=1), encoding="utf-8")
    sys.stderr.write(error)
    with bpy.context.temp_override(window=window.main):
        bpy.ops.wm.quit_blender()


def play() -> None:
    """Start the driver on Blender's timer."""
    preferences = bpy.context.preferences
    preferences.view.show_splash = False
    preferences.view.filebrowser_display_type = "SCREEN"
    preferences.use_preferences_save = False
    preferences.system.viewport_aa = "OFF"  # each drawing by software once, not eight times
    window = Window()
    steps: list[Steps] = []

    def tick() -> float | None:
        pause = None
        with Outcome() as outcome:
            if not steps:
                (OUT / BEGUN).touch()
                steps.append(iter(load_driver().steps(window)))
            pause = next(steps[0], None)
        if pause is None or outcome.error:
            finish(window, outcome.error)
            return None
        return max(float(pause), 0.01)

    bpy.app.timers.register(tick, first_interval=0.5, persistent=True)


if __name__ == "__main__":
    play()
