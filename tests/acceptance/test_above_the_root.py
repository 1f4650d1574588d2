"""What moves above the first pivot, which no game moves: it plays in the pivots on it, of W3D and of W3X alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import add as empty
from in_blender import animate, editing
from scenes.players import w3d, w3x

Change = Callable[[Any], None]

bpy = pytest.importorskip("bpy")

FRAMES = 21
PIVOTS = [("ROOTTRANSFORM", None, (0, 0, 0)), ("HIP", "ROOTTRANSFORM", (0, 0, 1)), ("HEAD", "HIP", (0, 0.2, 2))]
PLAYERS = {"w3d": w3d, "w3x": w3x}
FORMATS = pytest.mark.parametrize("kind", PLAYERS)


def keyed(holder: Any, path: str, first: Any, last: Any) -> None:
    """Bezier keys on the first frame and the last."""
    animate(holder, path, {0: first, FRAMES - 1: last})


def own_rig() -> Any:
    """A person's own armature, with bones named as pivots and a head that nods."""
    scene.set_rate()
    rig = scene.make_armature(PIVOTS, "Unit")
    keyed(rig.pose.bones["HEAD"], "rotation_quaternion", (1, 0, 0, 0), (0.8, 0.6, 0, 0))
    return rig


def imported(kind: str, folder: Path, **options: Any) -> Any:
    """The same as a file of the game, opened in an empty .blend."""
    path = folder / "own" / f"nod.{kind}"
    path.parent.mkdir()
    own_rig()
    scene.send_out(path, kind, include_skeleton="INCLUDE")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene.set_rate()
    assert getattr(bpy.ops.import_anim, kind)(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def assert_plays_as_seen(rig: Any, path: Path, **options: Any) -> Any:
    """Export, and hold every pivot on every frame to what Blender shows; the player of the file."""
    module: ModuleType = PLAYERS[path.suffix[1:]]
    seen = [scene.bones_at(rig, frame) for frame in range(FRAMES)]
    player = module.Player.of(scene.send_out(path, path.suffix[1:], **options))
    assert player.frames == FRAMES and all(parent < at for at, parent in enumerate(player.parents))
    for frame, bones in enumerate(seen):
        for name, found in zip(player.names, player.worlds(frame), strict=True):
            if name in bones and name != "ROOTTRANSFORM":
                size = np.append(np.linalg.norm(bones[name][:3, :3], axis=0), 1.0)
                assert found[:3, 3] == pytest.approx(bones[name][:3, 3], abs=1e-4), (frame, name)
                assert scene.angle(found, bones[name] / size) < 0.01, (frame, name)
    return player


# --- What moves the armature object -------------------------------------------------------------


def standing(rig: Any) -> None:
    """On something that stands elsewhere, parented with Keep Transform."""
    rig.parent = empty("shelf")
    rig.parent.location = (-2, 1, 3)
    rig.matrix_parent_inverse = rig.parent.matrix_basis.inverted()
    rig.location, rig.rotation_euler = (5, 1, 2), (0.3, 0.2, 1.0)


def keys(rig: Any) -> None:
    keyed(rig, "location", (3, 0, 0), (9, 4, 1))
    keyed(rig, "rotation_euler", (0, 0, 0), (0.4, 0, 1.5))


def driver(rig: Any) -> None:
    curve = rig.driver_add("location", 1)
    curve.driver.expression = "frame * 0.25"


def constraint(rig: Any) -> None:
    target = empty("target")
    keyed(target, "location", (0, 2, 0), (7, 0, 3))
    rig.constraints.new("COPY_LOCATION").target = target


def moving_parent(rig: Any) -> None:
    rig.parent = empty("carrier")
    rig.location = (1, 1, 0)
    keyed(rig.parent, "location", (0, 0, 0), (6, 2, 0))
    keyed(rig.parent, "rotation_euler", (0, 0, 0), (0, 0.7, 1.0))


def grown_parent(rig: Any) -> None:
    moving_parent(rig.parent or rig)
    above = empty("above")
    rig.parent.parent = above
    keyed(above, "scale", (1, 1, 1), (2, 2, 2))


def control_bone(rig: Any) -> None:
    """A bone on which the root hangs, with keys of its own."""
    with editing(rig) as bones:
        bone = bones.new("master")
        bone.head, bone.tail = (0.5, 0, 0), (0.5, 1, 0.3)
        bones["ROOTTRANSFORM"].parent = bone
    keyed(rig.pose.bones["master"], "location", (0, 0, 0), (2, 3, 1))
    keyed(rig.pose.bones["master"], "rotation_quaternion", (1, 0, 0, 0), (0.6, 0, 0, 0.8))


def all_of_it(rig: Any) -> None:
    control_bone(rig)
    moving_parent(rig)
    driver(rig)


ABOVE = pytest.mark.parametrize(
    "above", [standing, keys, driver, constraint, moving_parent, grown_parent, control_bone, all_of_it]
)


@FORMATS
@ABOVE
@pytest.mark.parametrize("skeleton", ["AUTO", "INCLUDE"])
def test_an_imported_unit_is_carried_along(kind: str, above: Change, skeleton: str, tmp_path: Path) -> None:
    rig = imported(kind, tmp_path)
    above(rig)
    player = assert_plays_as_seen(rig, tmp_path / f"nod.{kind}", include_skeleton=skeleton)
    assert player.names == [name for name, _, _ in PIVOTS] and player.parents == [-1, 0, 1]


@FORMATS
@ABOVE
def test_an_armature_of_ones_own_with_a_bone_of_the_roots_name_is(kind: str, above: Change, tmp_path: Path) -> None:
    rig = own_rig()
    above(rig)
    player = assert_plays_as_seen(rig, tmp_path / f"nod.{kind}")
    assert player.names == [name for name, _, _ in PIVOTS] and player.parents == [-1, 0, 1]
