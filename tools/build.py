"""Build the extension's zip with Blender's own tool, and look into it.

    python tools/build.py --output build/dist

Needs a Python that has Blender as a module; Blender itself is not started.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
WANTED = ("__init__.py", "blender_manifest.toml", "LICENSE", "README.md", "io_formats/__init__.py")
FOLDERS = ("io_formats", "scene", "pipeline", "operators")
LOOSE_FILES = ("__init__.py", "blender_manifest.toml", "LICENSE", "README.md")
README = SOURCE / "tools" / "readme_of_the_zip.md"
"""The zip's own: the pages that the repository's README leads to are not in the zip."""


def blender_scripts() -> Path:
    """The `scripts` folder of the Blender in this Python."""
    found = importlib.util.find_spec("bpy")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("this Python has no Blender: pip install bpy")
    return next(Path(found.submodule_search_locations[0]).glob("*/scripts"))


def run_tool(*arguments: str) -> None:
    """Run Blender's extension tool with Blender's list of allowed tags; a refusal ends the build."""
    scripts = blender_scripts()
    tool = scripts / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    tags = scripts / "modules" / "_bpy_internal" / "extensions" / "tags.py"
    subprocess.run([sys.executable, tool, *arguments, "--valid-tags", tags], check=True)


def strangers(archive: Path) -> list[str]:
    """What has no business in the zip, or is missing from it."""
    names = zipfile.ZipFile(archive).namelist()
    extra = [
        name
        for name in names
        if name not in LOOSE_FILES and not (name.startswith(tuple(f"{folder}/" for folder in FOLDERS)))
    ]
    compiled = [name for name in names if name.endswith(".pyc")]
    missing = [f"missing: {name}" for name in WANTED if name not in names]
    return extra + compiled + missing


def build(output: Path) -> Path:
    """Validate the source, build the zip, validate it again; the path of the zip."""
    manifest = tomllib.loads((SOURCE / "blender_manifest.toml").read_text())
    output.mkdir(parents=True, exist_ok=True)
    archive = output / f"{manifest['id']}-{manifest['version']}.zip"
    for stale in output.glob(f"{manifest['id']}-*.zip"):
        stale.unlink()
    run_tool("validate", str(SOURCE))
    run_tool("build", "--source-dir", str(SOURCE), "--output-dir", str(output))
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as zipped:
        zipped.write(README, "README.md")
    run_tool("validate", str(archive))
    if found := strangers(archive):
        raise SystemExit(f"{archive} is not what it should be: {', '.join(found)}")
    return archive


def main() -> None:
    """Build into the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=SOURCE / "build" / "dist")
    archive = build(parser.parse_args().output.resolve())
    sys.stdout.write(f"{archive} ({archive.stat().st_size / 1024:.0f} KiB)\n")


if __name__ == "__main__":
    main()
