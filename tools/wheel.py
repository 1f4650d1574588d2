"""Build `io_formats` as a wheel that needs numpy only, and try it in an environment of its own.

    python tools/wheel.py --output build/dist

The environment is made anew and holds nothing but the wheel and what it asks for; the samples are described, converted
and verified there, from another folder.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
TWICE = ("sh", SOURCE / "tools" / "twice.sh")  # pip asks a network
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def run(*command: str | Path, folder: Path | None = None) -> str:
    """Run a command, in a folder; what it prints. Ends the program where it fails."""
    done = subprocess.run(list(map(str, command)), cwd=folder, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"{Path(command[0]).name} failed: {' '.join(map(str, command[1:]))}\n{done.stdout}")
    return done.stdout


def build(output: Path) -> Path:
    """Build the wheel in place of older ones; its path."""
    output.mkdir(parents=True, exist_ok=True)
    for stale in output.glob("anim_curves_io-*.whl"):
        stale.unlink()
    run(*TWICE, sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", output, SOURCE)
    (wheel,) = output.glob("anim_curves_io-*.whl")
    if found := list(strangers(wheel)):
        raise SystemExit(f"{wheel} is not what it should be: {', '.join(found)}")
    return wheel


def strangers(wheel: Path) -> Iterator[str]:
    """Yield what has no business in the wheel, or is missing from it."""
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {path.relative_to(SOURCE).as_posix() for path in (SOURCE / "io_formats").rglob("*.py")}
    wanted.add("io_formats/py.typed")
    yield from (f"missing: {name}" for name in sorted(wanted - names))
    yield from (name for name in sorted(names - wanted) if ".dist-info/" not in name)


def try_out(wheel: Path, folder: Path) -> None:
    """Install the wheel into an empty environment, and let its program work on the samples."""
    venv.create(folder / "environment", with_pip=True)
    programs = folder / "environment" / ("Scripts" if sys.platform == "win32" else "bin")
    run(*TWICE, programs / "python", *PIP, "install", wheel)
    program, samples = programs / "anim-curves", SOURCE / "samples"
    if "anim-curves 1." not in run(program, "--version"):
        raise SystemExit("anim-curves does not say its version")
    for name, told in (("two_hands_mrtk_1.1.bin", "mrtk"), ("five_bones_raw_w3d.w3d", "w3d"), ("walk.animx", "animx")):
        if told not in run(program, "info", samples / name, folder=folder).lower():
            raise SystemExit(f"anim-curves info {name} names no {told}")
    run(program, "convert", samples / "twenty_bones_adaptive_delta_w3d.w3d", "bones.animj", folder=folder)
    run(program, "convert", "bones.animj", "bones.w3d", folder=folder)
    run(
        program,
        "convert",
        samples / "walk.animx",
        samples / "two_hands_mrtk_1.1.bin",
        "--to",
        ".glb",
        "--output",
        "out",
        folder=folder,
    )
    for ending in (".glb", ".csv", ".npz"):
        run(program, "convert", "bones.w3d", f"bones{ending}", folder=folder)
    run(program, "verify", "bones.animj", "bones.w3d", samples, folder=folder)


def main() -> None:
    """Build into the folder that the command line names, and try what was built."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=SOURCE / "build" / "dist")
    wheel = build(parser.parse_args().output.resolve())
    with tempfile.TemporaryDirectory(prefix="anim_curves_wheel_") as folder:
        try_out(wheel, Path(folder))
    sys.stdout.write(f"{wheel} ({wheel.stat().st_size / 1024:.0f} KiB): info, convert and verify work\n")


if __name__ == "__main__":
    main()
