"""Drives a real Blender window, once for each driver: `make test-gui`.

    python tests/gui/run.py --zip build/dist/io_anim_curves-1.0.0.zip --output build/gui [--suite sid] [NAME...]

`--drivers tests/gui/store --screen 1920x1080` makes the pictures of the extension's page (`make store`).

Each driver gets a fresh profile with the extension installed from its zip by Blender's own command line, and a screen
of its own (Xvfb, software OpenGL) inside a Debian tree that make_root.sh has made. Pictures, the log and the outcome
stay in the output folder, one folder for each driver.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
INSIDE = Path("/gui-run")
SCREEN = "1600x900"
LIMIT = 3600
"""Seconds after which a driver counts as hung: on a busy machine the longest takes a quarter of an hour."""

SUPPORT = ("mrtk_reference", "in_blender", "bodies", "hand_rigs")
MODULES = (*(f"support/{name}.py" for name in SUPPORT), "benchmarks/recordings.py")
"""Below `tests`: what drivers share with other tests."""

SOFTWARE_OPENGL = {
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "GALLIUM_DRIVER": "llvmpipe",
    "MESA_SHADER_CACHE_DIR": "/var/cache/mesa",
}


class NotStartedError(Exception):
    """A window that a driver could have begun in was never there."""


@dataclass(frozen=True)
class Tree:
    """A Debian tree with Blender in it, and the folder in it that one run uses.

    Attributes:
        size: of the screen, such as `1600x900`.
    """

    root: Path
    size: str = SCREEN

    @property
    def work(self) -> Path:
        """The run's folder, as seen from outside."""
        return self.root / INSIDE.relative_to("/")

    def command(self, *words: str, **environment: str) -> list[str]:
        """What runs `words` inside, with a clean environment."""
        settings = {"PATH": "/usr/bin:/bin", "HOME": str(INSIDE / "home"), "LC_ALL": "C.UTF-8", **environment}
        assignments = [f"{name}={value}" for name, value in settings.items()]
        return ["chroot", str(self.root), "env", "-i", *assignments, *words]

    def prepare(self, archive: Path, driver: Path) -> None:
        """Lay out a fresh profile with the extension installed."""
        shutil.rmtree(self.work, ignore_errors=True)
        for folder in ("home", "out", "screen"):
            (self.work / folder).mkdir(parents=True)
        sockets = self.root / "tmp" / ".X11-unix"
        sockets.mkdir(parents=True, exist_ok=True)
        sockets.chmod(0o1777)
        (self.root / "var" / "cache" / "mesa").mkdir(parents=True, exist_ok=True)
        shutil.copy(archive, self.work / "extension.zip")
        shutil.copytree(HERE, self.work / "gui", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(SOURCE / "tests" / "data", self.work / "data")
        shutil.copytree(SOURCE / "samples", self.work / "data" / "samples")
        for module in MODULES:
            shutil.copy(SOURCE / "tests" / module, self.work / "gui" / "drivers")
        install = ["blender", "--command", "extension", "install-file", "-r", "user_default", "-e"]
        run = subprocess.run(
            self.command(*install, str(INSIDE / "extension.zip")), capture_output=True, text=True, check=False
        )
        if run.returncode:
            raise NotStartedError(f"the extension cannot be installed for {driver.stem}:\n{run.stdout}{run.stderr}")

    @contextmanager
    def reserved(self) -> Iterator[None]:
        """One run at a time in a tree; others wait."""
        with (self.root / ".lock").open("w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @contextmanager
    def screen(self, log: Path) -> Iterator[str]:
        """An X server that nobody sees; its display name."""
        reader, writer = os.pipe()
        words = ["Xvfb", "-nocursor", "-displayfd", str(writer), "-screen", "0", f"{self.size}x24"]
        words += ["-fbdir", str(INSIDE / "screen"), "-nolisten", "tcp", "+extension", "GLX"]
        with log.open("wb") as stream:
            server = subprocess.Popen(self.command(*words), stdout=stream, stderr=stream, pass_fds=[writer])
        os.close(writer)
        try:
            with os.fdopen(reader, encoding="ascii") as display:
                number = display.readline().strip()
            if not number:
                raise NotStartedError(f"no X server:\n{log.read_text(errors='replace')}")
            yield f":{number}"
        finally:
            server.terminate()
            server.wait()

    def blender(self, driver: Path, display: str, log: Path) -> int:
        """Run the window with one driver; its exit code, 124 when it hung."""
        environment = {
            "DISPLAY": display,
            "OUT": str(INSIDE / "out"),
            "FRAME_BUFFER": str(INSIDE / "screen" / "Xvfb_screen0"),
            "DRIVER": str(INSIDE / "gui" / driver.parent.name / driver.name),
            "PYTHONPATH": f"{INSIDE / 'gui'}:{INSIDE / 'gui' / 'drivers'}",
            "PYTHONDONTWRITEBYTECODE": "1",
            **SOFTWARE_OPENGL,
        }
        words = ["timeout", "-k", "5", str(LIMIT), "blender", "--gpu-backend", "opengl", "--offline-mode"]
        words += ["--enable-event-simulate", "--python-use-system-env", "-w", "-p", "0", "0", *self.size.split("x")]
        words += ["--python-exit-code", "3", "--python", str(INSIDE / "gui" / "window.py")]
        with log.open("wb") as stream:
            return subprocess.run(
                self.command(*words, **environment), stdout=stream, stderr=stream, check=False
            ).returncode


def make_tree(suite: str, size: str) -> Tree:
    """The tree of that suite, made if it is not there; ends the program when it cannot be had."""
    run = subprocess.run(["sh", str(HERE / "make_root.sh"), suite], stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        raise SystemExit(f"window tests: no Debian {suite} with Blender on this machine (see above)")
    return Tree(Path(run.stdout.strip().splitlines()[-1]), size)


def play(tree: Tree, archive: Path, driver: Path, output: Path) -> str:
    """Play one driver; empty when all went well, else what did not. A window that never came is tried once more."""
    try:
        return play_once(tree, archive, driver, output)
    except NotStartedError as first:
        sys.stdout.write(f"not started, once more: {driver.stem}: {first}\n")
    try:
        return play_once(tree, archive, driver, output)
    except NotStartedError as second:
        return str(second)


def play_once(tree: Tree, archive: Path, driver: Path, output: Path) -> str:
    """Play one driver; empty when all went well, else what did not; NotStartedError where it could not begin."""
    folder = output / driver.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tree.prepare(archive, driver)
    with tree.screen(folder / "xvfb.log") as display:
        code = tree.blender(driver, display, folder / "blender.log")
    for product in (tree.work / "out").iterdir():
        shutil.copy(product, folder)
    problem = verdict(folder, code)
    if problem and not (folder / "begun").exists():
        raise NotStartedError(problem)
    return problem


def verdict(folder: Path, code: int) -> str:
    """What went wrong, from the exit code, the status file and the log."""
    if code:
        ending = (folder / "blender.log").read_text(errors="replace").splitlines()[-20:]
        return f"Blender ended with {code}{' (took too long)' if code == 124 else ''}:\n" + "\n".join(ending)
    status = folder / "status.json"
    if not status.exists():
        return "Blender ended before the driver did"
    log = (folder / "blender.log").read_text(errors="replace")
    error = str(json.loads(status.read_text())["error"])
    return error or ("a traceback stands in blender.log" if "Traceback (most recent" in log else "")


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zip", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=SOURCE / "build" / "gui")
    parser.add_argument("--suite", default="trixie", choices=("trixie", "sid"))
    parser.add_argument("--drivers", type=Path, default=HERE / "drivers", help="folder beside this file with drivers")
    parser.add_argument("--screen", default=SCREEN, help="its width and height")
    parser.add_argument("names", nargs="*", help="names of drivers; all if none is given")
    return parser.parse_args(arguments)


def main() -> int:
    """Play the drivers, print a line for each; 1 if one failed."""
    options = parse()
    tree = make_tree(options.suite, options.screen)
    output = options.output.resolve() / options.suite
    drivers = [path for path in sorted(options.drivers.glob("*.py")) if path.stem in options.names or not options.names]
    failed = 0
    for driver in drivers:
        started = time.monotonic()
        with tree.reserved():
            problem = play(tree, options.zip.resolve(), driver, output)
        failed += bool(problem)
        sys.stdout.write(
            f"{'FAILED' if problem else 'passed'} {driver.stem} ({time.monotonic() - started:.0f} s)\n{problem}"
        )
        sys.stdout.write("\n" if problem and not problem.endswith("\n") else "")
        sys.stdout.flush()
    sys.stdout.write(f"pictures: {output}\nwindow: {len(drivers) - failed} passed, {failed} failed\n")
    return int(failed > 0 or not drivers)


if __name__ == "__main__":
    sys.exit(main())
