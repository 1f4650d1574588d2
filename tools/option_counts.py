"""Count the options of import dialogues, with ours their panels, beside Blender's own (a Python with bpy).

python tools/option_counts.py

What a file browser has of its own (paths, filters) is no option. The panels of Blender's dialogues cannot be asked for.
"""

from __future__ import annotations

import os
import sys
from dataclasses import fields
from pathlib import Path

import bpy

PEERS = ("wm.fbx_import", "import_scene.gltf", "import_anim.bvh", "wm.obj_import", "wm.usd_import")
ADDONS = ("io_scene_gltf2", "io_anim_bvh")
NO_OPTIONS = {"rna_type", "filepath", "directory", "files", "relative_path", "loglevel"}


def of_blender(operator: str) -> int:
    """Return how many options an importer of Blender shows."""
    group, _, name = operator.partition(".")
    found = getattr(getattr(bpy.ops, group), name).get_rna_type().properties
    return sum(not option.is_hidden and option.identifier not in NO_OPTIONS for option in found)


def main() -> None:
    """Print a line for each dialogue."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from io_formats import FORMATS

    for found in FORMATS:
        panels = [option.metadata["panel"] for option in fields(found.import_options) if option.metadata]
        drawn = [panel for panel in panels if panel is not None]
        sys.stdout.write(f"{found.name}: {len(drawn)} options, {len(set(filter(None, drawn)))} panels\n")
    for name in ADDONS:
        bpy.ops.preferences.addon_enable(module=name)
    sys.stdout.writelines(f"{operator}: {of_blender(operator)} options\n" for operator in PEERS)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)
