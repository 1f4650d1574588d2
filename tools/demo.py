"""Shows the extension at work in a Blender without a window: `make demo`.

    python tools/demo.py --zip build/dist/io_anim_curves-1.0.0.zip --output build/demo

Installs the zip into a fresh user folder, imports every recording in samples/, says what it found, saves a .blend,
exports again and compares the bytes, and renders a picture of the first recording with two hands.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

SOURCE = Path(__file__).resolve().parent.parent
PACKAGE = "bl_ext.user_default.io_anim_curves"


def say(text: str) -> None:
    """A line for the person who watches."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def install(archive: Path) -> ModuleType:
    """Install the zip as a person does from disk; the extension's package."""
    bpy = importlib.import_module("bpy")
    bpy.ops.extensions.package_install_files(filepath=str(archive), repo="user_default", enable_on_install=True)
    if PACKAGE not in sys.modules:
        raise SystemExit(f"{archive} was not installed")
    say(f"Blender {bpy.app.version_string} with {archive.name} installed")
    return sys.modules[PACKAGE]


def show(path: Path, output: Path, package: ModuleType) -> bool:
    """Import one recording, say what is there now, save, export and compare; whether the bytes are the same."""
    bpy = importlib.import_module("bpy")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    name = format_name(path, package)
    say(f"\n{path.name}")
    getattr(bpy.ops.import_anim, name)(filepath=str(path))
    for line in findings():
        say(f"  {line}")
    blend = output / f"{path.name}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend), check_existing=False)
    again = output / f"again_{path.name}"
    getattr(bpy.ops.export_anim, name)(filepath=str(again))
    same = again.read_bytes() == path.read_bytes()
    say(f"  saved as {blend.name}; exported again: {'the same bytes' if same else 'DIFFERENT BYTES'}")
    return same


def format_name(path: Path, package: ModuleType) -> str:
    """The format of a file by its content, which is also the name of its operators."""
    formats = importlib.import_module(f"{package.__name__}.io_formats")
    return str(formats.identify(path.read_bytes()).name)


def findings() -> list[str]:
    """What is in the .blend, in a few lines."""
    bpy = importlib.import_module("bpy")
    hand_picture = importlib.import_module("hand_picture")
    scene = bpy.context.scene
    rate = scene.render.fps / scene.render.fps_base
    lines = []
    for armature in (found for found in bpy.data.objects if found.type == "ARMATURE"):
        lines.append(f"armature {armature.name}: {len(armature.data.bones)} bones")
        if armature.animation_data and armature.animation_data.action:
            action = armature.animation_data.action
            curves = list(hand_picture.curves_of(armature))
            keys = sum(len(curve.keyframe_points) for curve in curves)
            first, last = action.frame_range
            seconds = (last - first) / rate
            lines.append(f"Action {action.name}: {len(curves)} curves, {keys:,} keys, {seconds:.2f} s at {rate:g} fps")
    return lines


def picture(output: Path) -> Path | None:
    """Render the hands of the armature that is there, if it has two; the picture."""
    bpy = importlib.import_module("bpy")
    hand_picture = importlib.import_module("hand_picture")
    armatures = [found for found in bpy.data.objects if found.type == "ARMATURE" and found.animation_data]
    for armature in armatures:
        if hand_picture.has_both_hands(armature):
            hand_picture.render(armature, output / "hands.png")
            return output / "hands.png"
    return None


def recordings() -> list[Path]:
    """The files in samples/, recordings with hands first."""
    endings = (".bin", ".w3d", ".w3x", ".animx", ".animj")
    files = [path for path in sorted((SOURCE / "samples").rglob("*")) if path.suffix in endings]
    if not files:
        raise SystemExit("samples/ holds no recording")
    return sorted(files, key=lambda path: path.suffix != ".bin")


def run(archive: Path, output: Path) -> int:
    """The whole demonstration; 0 when every recording came back the same and a picture was made."""
    package = install(archive)
    different, drawn = [], None
    for path in recordings():
        if not show(path, output, package):
            different.append(path.name)
        drawn = drawn or picture(output)
    if drawn is None:
        say("\nNo recording in samples/ has two hands: no picture")
        return 1
    say(f"\nPicture of the moving hands: {drawn}")
    say(f"Everything is in {output}")
    return int(bool(different))


def main() -> None:
    """Run in a fresh user folder, and leave before Blender is taken apart (4.2 would crash, 4.5 hang)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zip", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=SOURCE / "build" / "demo")
    options = parser.parse_args()
    output = options.output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    user_folder = tempfile.mkdtemp(prefix="anim_curves_demo_")
    os.environ["BLENDER_USER_RESOURCES"] = user_folder
    status = 1
    try:
        status = run(options.zip.resolve(), output)
    except SystemExit as stop:
        sys.stderr.write(f"{stop.code}\n")
    except RuntimeError as error:
        sys.stderr.write(f"Blender refused: {error}\n")
    finally:
        shutil.rmtree(user_folder, ignore_errors=True)
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
