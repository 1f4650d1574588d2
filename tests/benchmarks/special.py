"""Five measurements that are no row of the table: `special.py NAME FOLDER` prints Markdown behind "@".

batch: a hundred files in one go, the first against the last. long: ten minutes of two hands. tracks: as many as ten
thousand AnimX tracks, where Blender's own creation of curves bends. bones: ten thousand of them, three keys each.
checks: what it costs to play an export and compare it with the scene, of many bones and of a rig that Rigify generates.
"""

from __future__ import annotations

import importlib
import os
import statistics
import struct
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import bpy  # noqa: E402
import measure  # noqa: E402
import recordings  # noqa: E402

MIB = 1 << 20
SAMPLES = HERE.parent.parent / "samples"
PACKAGE = "bl_ext.user_default.io_anim_curves"


def say(line: str) -> None:
    """A line of the report."""
    sys.stdout.write(f"@{line}\n")
    sys.stdout.flush()


def batch(folder: Path) -> None:
    """Time each of a hundred equal files, imported in one batch onto one armature, and the floor alone after each.

    The floor tells what the machine's memory costs at that moment: a first touch takes far longer than a later one.
    """
    frames = 200
    folder = folder / "batch"  # not beside the other animations, whose imports look at their neighbours
    folder.mkdir(exist_ok=True)
    measure.prepare_all(folder, frames)
    data = (folder / f"motion_{frames}.w3d").read_bytes()
    files = []
    for number in range(100):
        files.append(folder / f"batch_{number:03d}.w3d")
        files[-1].write_bytes(data)
    measure.empty_file()
    importing = importlib.import_module(f"{PACKAGE}.pipeline.import_files")
    package = importlib.import_module(f"{PACKAGE}.io_formats.w3d")
    took, alone, started = [], [], time.perf_counter()
    for outcome in importing.import_files(bpy.context, files, package.FORMAT, package.ImportOptions()):
        if outcome.error is not None:
            raise RuntimeError(str(outcome.error))
        took.append(time.perf_counter() - started)
        alone.append(floor_alone(frames))
        started = time.perf_counter()
    say("### A batch of 100 files (W3D raw, 60 bones, 200 frames each)")
    say("")
    say("| files | import ms each | linear floor alone ms | x floor |")
    say("|---|---:|---:|---:|")
    for name, part in (("2 to 11", slice(1, 11)), ("91 to 100", slice(90, 100))):
        mine, floor = statistics.median(took[part]), statistics.median(alone[part])
        say(f"| {name} | {mine * 1e3:.1f} | {floor * 1e3:.1f} | {mine / floor:.2f} |")
    say("")
    say(f"All: {sum(took):.2f} s; {len(bpy.data.armatures)} armature(s).")


def processor_seconds_of(action: Callable[[], Any]) -> float:
    """The processor's time of an action."""
    started = time.process_time()
    action()
    return time.process_time() - started


def seconds_of(action: Callable[[], Any]) -> str:
    """How long it takes, and how much of that the processor was at it."""
    started, worked = time.perf_counter(), time.process_time()
    action()
    return f"{time.perf_counter() - started:.2f} s ({time.process_time() - worked:.2f} s of the processor)"


def floor_alone(frames: int) -> float:
    """Seconds for the same number of linear keys in an Action of their own."""
    module = measure.scene()
    values = module.motion(frames)
    bag = module.new_bag(bpy.data.actions.new("Floor"))
    started = time.perf_counter()
    module.write_keys(bag, values, module.write_linear)
    return time.perf_counter() - started


def long(folder: Path) -> None:
    """Import and export ten minutes of two hands with tangents at 60 Hz."""
    path = recordings.write_recording(folder / "ten_minutes.bin", 600.0, full=True)
    size = path.stat().st_size
    measure.empty_file()
    before = measure.resident("VmRSS")
    measure.reset_peak()
    started = time.perf_counter()
    bpy.ops.import_anim.mrtk(filepath=str(path))
    imported = time.perf_counter() - started
    peak = measure.resident("VmHWM") - before
    keys = measure.scene().count_keys()
    again = folder / "ten_minutes_again.bin"
    started = time.perf_counter()
    bpy.ops.export_anim.mrtk(filepath=str(again))
    exported = time.perf_counter() - started
    same = again.read_bytes() == path.read_bytes()
    again.unlink()
    path.unlink()
    say("### Ten minutes of two hands (MRTK 1.0, 60 Hz, tangents)")
    say("")
    say(f"{size / MIB:.0f} MiB, {keys:,} keys: import {imported:.2f} s ({keys / imported / 1e6:.1f} M keys/s),")
    say(f"peak memory {peak / MIB:.0f} MiB above start ({peak / size:.1f} times the file);")
    say(f"untouched export {exported:.2f} s,")
    say(f"{'the same bytes' if same else 'DIFFERENT BYTES'}.")


def tracks(folder: Path) -> None:
    """Import files of more and more float tracks, a hundred to each node."""
    del folder
    say("### Many tracks (AnimX, two keys each, 100 tracks to a node)")
    say("")
    say("| tracks | import s | ms per track | curves alone s |")
    say("|---:|---:|---:|---:|")
    for count in (1000, 2500, 5000, 10_000):
        path = Path(os.environ["BLENDER_USER_RESOURCES"]) / f"tracks_{count}.animx"
        path.write_bytes(many_tracks(count))
        measure.empty_file()
        started = time.perf_counter()
        bpy.ops.import_anim.animx(filepath=str(path))
        took = time.perf_counter() - started
        say(f"| {count} | {took:.2f} | {took / count * 1e3:.2f} | {curves_alone(count):.2f} |")


def bones(folder: Path) -> None:
    """Import AnimX with a Position of three keys for each of ten thousand nodes; export it untouched and edited."""
    del folder
    path = Path(os.environ["BLENDER_USER_RESOURCES"]) / "bones.animx"
    path.write_bytes(many_bones(10_000))
    measure.empty_file()
    imported = seconds_of(lambda: bpy.ops.import_anim.animx(filepath=str(path)))
    untouched = seconds_of(lambda: bpy.ops.export_anim.animx(filepath=str(path), check_existing=False))
    bag = bpy.data.actions[0].layers[0].strips[0].channelbags[0]
    bag.fcurves[0].keyframe_points[1].co[1] += 1.0
    edited = seconds_of(lambda: bpy.ops.export_anim.animx(filepath=str(path), check_existing=False))
    say("### Ten thousand bones (AnimX, three keys each)")
    say("")
    say(f"{measure.scene().count_keys():,} keys: import {imported}, untouched export {untouched},")
    say(f"export with one key moved {edited}; the goal is 5 s each.")


def checks(folder: Path) -> None:
    """Export rigs with *Check* Off and Quick, in turns; the shortest of each in seconds of the processor."""
    say("### What the check costs")
    say("")
    say("| | format | Off | Quick |")
    say("|---|---|---:|---:|")
    for title, build in (("1,000 bones, 50 frames", many_keyed_bones), ("a generated Rigify rig, 40 frames", rigify)):
        build()
        for ending in ("animx", "w3d"):
            export = partial(getattr(bpy.ops.export_anim, ending), filepath=str(folder / f"checks.{ending}"))
            took: dict[str, list[float]] = {"OFF": [], "QUICK": []}
            for check in (*took,) * 3:
                took[check].append(processor_seconds_of(partial(export, check_playback=check)))
            say(f"| {title} | {ending} | {min(took['OFF']):.2f} | {min(took['QUICK']):.2f} |")


def many_keyed_bones() -> None:
    """The common animation with many more bones."""
    scene = measure.scene()
    scene.BONES = 1000
    scene.build(50)


def rigify() -> None:
    """Generate a human rig and key some of its controls."""
    measure.empty_file()
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.pose.rigify_generate()
    rig = bpy.data.objects["rig"]
    for name in ("torso", "hand_ik.L", "foot_ik.R", "head"):
        for frame, height in ((1, 0.0), (20, 0.1), (40, -0.05)):
            rig.pose.bones[name].location.z = height
            rig.pose.bones[name].keyframe_insert("location", frame=frame)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)


def many_bones(count: int) -> bytes:
    """An AnimX file of Position tracks with three linear keys (x, y, z, time) each."""
    parts = [b"\x05AnimX", struct.pack("<i", 1), varint(count), struct.pack("<f", 1.0), text("bones"), b"\0"]
    keys = struct.pack("<12f", 0.0, 0.2, 0.3, 0.0, 0.5, 0.2, 0.3, 0.5, 1.0, 0.2, 0.3, 1.0)
    for number in range(count):
        parts += [b"\x02\x17", text(f"Bone{number}"), text("Position"), varint(3), b"\0\x01", keys]
    return b"".join(parts)


def many_tracks(count: int) -> bytes:
    """An AnimX file of float Curve tracks with two linear keys (value, time) each."""
    parts = [b"\x05AnimX", struct.pack("<i", 1), varint(count), struct.pack("<f", 1.0), text("many"), b"\0"]
    keys = struct.pack("<4f", 0.0, 0.0, 1.0, 1.0)
    for number in range(count):
        node, name = text(f"Node{number // 100}"), text(f"Value{number % 100}")
        parts += [b"\x02\x15", node, name, varint(2), b"\0\x01", keys]
    return b"".join(parts)


def varint(value: int) -> bytes:
    """Seven bits to a byte, lowest first."""
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def text(words: str) -> bytes:
    """Length and UTF-8."""
    return varint(len(words.encode())) + words.encode()


def curves_alone(count: int) -> float:
    """Seconds that Blender needs to create as many curves, without a key."""
    measure.empty_file()
    module = measure.scene()
    bag: Any = module.new_action(module.build_armature())
    started = time.perf_counter()
    for number in range(count):
        bag.fcurves.new(f'pose.bones["Node{number // 100}"]["Value{number % 100}"]', index=0)
    return time.perf_counter() - started


def main() -> None:
    """Run the named measurement, then leave without taking Blender apart."""
    status = 1
    try:
        measure.enable_extension(Path(os.environ["BLENDER_USER_RESOURCES"]))
        known = (batch, long, tracks, bones, checks)
        {each.__name__: each for each in known}[sys.argv[1]](Path(sys.argv[2]))
        status = 0
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
