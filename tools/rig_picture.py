"""A picture of a recording on a rig of other make: Mixamo's names, sizes and rest pose, beside the recorded hands.

python tools/rig_picture.py docs/pictures/rig.jpg      (a Python with bpy, and the extension enabled in it)
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import bmesh
import bpy
import hand_picture
import numpy as np
from mathutils import Matrix, Vector

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "two_hands_mrtk_1.1.bin"
BASES = {
    "Thumb": ((0.03, -0.022, -0.012), (0.65, -0.72, -0.25), 0.034),
    "Index": ((0.088, -0.027, 0.002), (1.0, -0.06, 0.0), 0.03),
    "Middle": ((0.091, -0.005, 0.004), (1.0, 0.0, 0.0), 0.034),
    "Ring": ((0.086, 0.016, 0.002), (1.0, 0.05, 0.0), 0.031),
    "Pinky": ((0.078, 0.034, -0.002), (1.0, 0.12, -0.03), 0.025),
}
"""Base from the wrist, direction and length of each segment in a T-pose, in metres."""

BESIDE = -0.3
"""How far to the right of the rig's joints the recorded hands are drawn, in metres."""

WORDS = {"L": "Left", "R": "Right"}


def make_rig() -> bpy.types.Object:
    """Two hands in T-pose as Mixamo's FBX files bring them: centimetres, Y up, in an object that is turned."""
    rig = bpy.data.objects.new("Mixamo", bpy.data.armatures.new("Mixamo"))
    bpy.context.scene.collection.objects.link(rig)
    rig.matrix_world = Matrix.Rotation(np.pi / 2.0, 4, "X") @ Matrix.Scale(0.01, 4)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for side, sign in (("L", 1.0), ("R", -1.0)):
        mirror, wrist = np.array((sign, 1.0, 1.0)), np.array((0.7, 0.0, 1.4))
        hand = add_bone(
            rig, f"mixamorig:{WORDS[side]}Hand", wrist * mirror, (wrist + np.array((0.08, 0, 0))) * mirror, None
        )
        for finger, (base, along, length) in BASES.items():
            bone, start = hand, wrist + base
            step = np.array(along) / np.linalg.norm(along) * length
            for number in (1, 2, 3, 4):
                name = f"mixamorig:{WORDS[side]}Hand{finger}{number}"
                bone = add_bone(rig, name, start * mirror, (start + step) * mirror, bone)
                start = start + step
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    return rig


def add_bone(rig: bpy.types.Object, name: str, head: np.ndarray, tail: np.ndarray, parent: object) -> object:
    """A bone between two places in the world."""
    bone = rig.data.edit_bones.new(name)
    back = rig.matrix_world.inverted()
    bone.head, bone.tail, bone.parent = back @ Vector(head), back @ Vector(tail), parent
    return bone


def pinching_frame(recorded: bpy.types.Object, first: float, last: float) -> float:
    """The frame, of forty, in which thumb and index fingertip of both hands are nearest, so that fingers are bent."""

    def gap(frame: float) -> float:
        places = hand_picture.joints(recorded, frame)
        return max((places[f"ThumbTip.{side}"] - places[f"IndexTip.{side}"]).length for side in WORDS)

    return min(np.linspace(first, last, 40), key=gap)


def places_of(rig: bpy.types.Object, frame: float) -> dict[str, list[list[Vector]]]:
    """Where the rig's bones begin: for each hand a chain for each finger, from the wrist."""
    found = hand_picture.joints(rig, frame)
    return {
        side: [
            [
                found[f"mixamorig:{word}Hand"],
                *(found[f"mixamorig:{word}Hand{finger}{number}"] for number in (1, 2, 3, 4)),
            ]
            for finger in BASES
        ]
        for side, word in WORDS.items()
    }


def add_sticks(chains: list[list[Vector]], side: str, material: bpy.types.Material) -> None:
    """The rig's joints: balls, and lines along the fingers."""
    mesh = bmesh.new()
    for chain in chains:
        for place in chain:
            bmesh.ops.create_icosphere(mesh, subdivisions=2, radius=0.0045, matrix=Matrix.Translation(place))
        for start, end in pairwise(chain):
            along = end - start
            middle = Matrix.Translation(start + along / 2.0) @ along.to_track_quat("Z", "Y").to_matrix().to_4x4()
            bmesh.ops.create_cone(mesh, segments=8, radius1=0.002, radius2=0.002, depth=along.length, matrix=middle)
    data = bpy.data.meshes.new(f"Joints {side}")
    mesh.to_mesh(data)
    mesh.free()
    data.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(data.name, data))


def main(path: Path) -> None:
    """Import twice, show the recorded hands and the rig's joints beside each other, and render."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.import_anim.mrtk(filepath=str(SAMPLE))
    recorded = bpy.context.view_layer.objects.active
    rig = make_rig()
    bpy.ops.import_anim.mrtk(filepath=str(SAMPLE), target="SELECTED")
    scene = bpy.context.scene
    frame = pinching_frame(recorded, scene.frame_start, scene.frame_end)
    chains = places_of(rig, frame)
    direction = hand_picture.view_direction(hand_picture.joints(recorded, frame))
    recorded.location += direction.to_track_quat("Z", "Y") @ Vector((BESIDE, 0.0, 0.0))
    seen = [place for name, place in hand_picture.joints(recorded, frame).items() if hand_picture.is_of_a_hand(name)]
    for side, hand in hand_picture.show_alone(recorded).items():
        add_sticks(chains[side], side, hand.active_material)
        seen += [place for chain in chains[side] for place in chain]
    hand_picture.aim_camera(seen, direction)
    hand_picture.add_light(direction)
    settings = scene.render
    settings.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 24, False
    scene.view_settings.view_transform = "Standard"
    settings.resolution_x, settings.resolution_y, settings.resolution_percentage = 1120, 630, 100
    settings.image_settings.file_format, settings.image_settings.quality = "JPEG", 85
    settings.filepath = str(path.absolute())
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
