"""A key of an AnimJ moved by the Graph Editor, with all curves visible: only what it says differs in the file."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import bpy
import facts
import graph_editor

FILE, TRACK = "08_walk.animj", 0
BONE, INDEX, NUMBER = "Hips", 0, 7


def steps(window):
    """Import, show every curve, leave all alone, move one key in value and then in time, export, compare as JSON."""
    path = facts.file_called(FILE)
    before = content(path)
    data = before["tracks"][TRACK]["data"]
    assert (data["node"], data["property"]) == (BONE, "Position")
    with window.over("VIEW_3D"):
        bpy.ops.import_anim.animx(filepath=str(path))
    yield from window.settle()
    yield from graph_editor.show_all_curves(window)
    with window.over("GRAPH_EDITOR"):
        bpy.ops.graph.select_all(action="SELECT")
        bpy.ops.graph.select_all(action="DESELECT")
    yield from window.settle()
    assert export(window).read_bytes() == path.read_bytes()
    yield from move_key(window, 0.0, 0.25)
    yield from window.picture("moved_in_value")
    compare_value(before, content(export(window)))
    yield from move_key(window, 0.2, 0.0)
    yield from window.picture("moved_in_time")
    compare_time(before, content(export(window)))


def content(path):
    """What the file says: numbers as the engine's float32, whatever digits spell them."""
    return json.loads(path.read_text(encoding="utf-8-sig"), parse_float=single)


def single(digits):
    """The float32 that these digits are read as."""
    return struct.unpack("<f", struct.pack("<f", float(digits)))[0]


def the_curve():
    """The F-Curve of the key that moves."""
    path = f'pose.bones["{BONE}"].location'
    return next(curve for curve in facts.curves() if curve.data_path == path and curve.array_index == INDEX)


def move_key(window, frames, value):
    """Select one key and transform it, as G does."""
    with window.over("GRAPH_EDITOR"):
        bpy.ops.graph.select_all(action="DESELECT")
        curve = the_curve()
        curve.keyframe_points[NUMBER].select_control_point = True
        curve.select = True
        bpy.ops.transform.translate(value=(frames, value, 0.0))
    yield from window.settle()


def export(window):
    """The file that the export operator writes now."""
    written = Path("/gui-run/out/edited.animj")
    with window.over("VIEW_3D"):
        bpy.ops.export_anim.animx(filepath=str(written))
    return written


def other_tracks(document):
    """Everything but the edited track."""
    return {**document, "tracks": document["tracks"][:TRACK] + document["tracks"][TRACK + 1 :]}


def compare_value(before, after):
    """Equal but for one number of one key."""
    assert other_tracks(after) == other_tracks(before), "another track differs"
    old, new = (document["tracks"][TRACK]["data"]["keyframes"] for document in (before, after))
    assert len(old) == len(new), f"{len(old)} keys became {len(new)}"
    changed = [number for number, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
    assert changed == [NUMBER], f"keys {changed} differ"
    assert old[NUMBER]["time"] == new[NUMBER]["time"]
    axes = [axis for axis in "xyz" if old[NUMBER]["value"][axis] != new[NUMBER]["value"][axis]]
    assert len(axes) == 1, f"the value differs in {axes}"


def compare_time(before, after):
    """The other components keep their key, so that one more appears, and no other time."""
    assert other_tracks(after) == other_tracks(before), "another track differs"
    old, new = ({key["time"] for key in document["tracks"][TRACK]["data"]["keyframes"]} for document in (before, after))
    assert old < new and len(new - old) == 1, f"new times {sorted(new - old)}, lost {sorted(old - new)}"
