"""Through the operators, whatever fails and whatever state Blender is in: all of an import, or nothing of it."""

from __future__ import annotations

import codecs
import inspect
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest
from in_blender import add, push_down

pytest.importorskip("bpy")
from blend_census import census, curve_facts, curves_of, differences
from cases import slow_but
from interrupting import traced

Part = Callable[[str], Any]
Step = tuple[str, str, int]
"""A function of ours: file, name, first line."""

FILES = {
    "w3d": "w3d/h04_multi_unknown.w3d",
    "w3d skeleton beside": "w3d/g02_tc_default.w3d",
    "animx": "animx/16_properties_vt.animx",
    "mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
}
"""Their own skeleton comes with them, so that Automatic makes an armature."""
FEW_CALLS = ("animx",)
OPTIONS = {"existing": "REPLACE", "nla": "STASH", "rate": "CUSTOM", "custom_rate": 48.0, "name_prefix": "take "}
# What takes back, and what tells a step back: they cannot fail without the step itself being lost.
SPARED = ("undo.py", "window_work.py", "reporting.py", "language.py", "dialogs.py")


def bring_in(bpy: Any, name: str, path: Path, **options: Any) -> set[str]:
    """Import one file."""
    result: set[str] = getattr(bpy.ops.import_anim, name.split()[0])(filepath=str(path), **options)
    return result


@contextmanager
def watching(hear: Callable[[Step], None], root: Path) -> Iterator[None]:
    """Tell of every call of a function in the rooms `scene`, `pipeline` and `operators`, before it runs."""
    rooms = tuple(str(root / room) for room in ("scene", "pipeline", "operators"))

    def trace(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        ours = code.co_filename.startswith(rooms) and not code.co_filename.endswith(SPARED)
        begins = code.co_name == "import_file"
        if event == "call" and ours and (begins or not code.co_flags & inspect.CO_GENERATOR):
            hear((code.co_filename, code.co_name, code.co_firstlineno))

    with traced(trace):
        yield


def steps_of(bpy: Any, root: Path, name: str, path: Path) -> dict[Step, int]:
    """How often each of our functions is called from the first byte read until the import stands."""
    calls: dict[Step, int] = {}
    standing: list[bool] = []
    begun: list[bool] = []

    def hear(step: Step) -> None:
        if step[1] == "import_file":
            begun.append(True)
        if step[1] in ("finish", "_share_rig"):  # from when on nothing is taken back
            standing.append(True)
        if begun and not standing and step[1] != "import_file":
            calls[step] = calls.get(step, 0) + 1

    with watching(hear, root):
        assert bring_in(bpy, name, path, **OPTIONS) == {"FINISHED"}
    return calls


def a_lived_in_scene(bpy: Any, name: str, path: Path) -> None:
    """The same file twice before, posed, with other things around it."""
    bring_in(bpy, name, path, name_prefix="take ")
    bring_in(bpy, name, path)
    active = bpy.context.view_layer.objects.active
    if active is not None and active.pose is not None:
        active.pose.bones[0].location.x = 3.0
        active.pose.bones[0].rotation_mode = "XYZ"
    add("Watcher", bpy.data.cameras.new("Watcher"))
    bpy.context.scene.frame_set(7)


@pytest.fixture(scope="module")
def failed() -> set[Step]:
    """The functions that failed in an import of one of the files."""
    return set()


READ_A_RECORD = ("_digests", "<dictcomp>", "<listcomp>")
"""Functions of provenance: a record that cannot be read is that of no import."""


@pytest.mark.parametrize("name", slow_but(FEW_CALLS, FILES))
def test_whatever_function_fails_nothing_is_left(
    bpy: Any, part: Part, extension: ModuleType, data: Path, tmp_path: Path, failed: set[Step], name: str
) -> None:
    """Each function of ours that an import calls in Blender fails once, at its first and at its last call."""
    refusal, path = part("io_formats.errors").FormatError, data / FILES[name]
    root = Path(extension.__file__ or "").parent
    a_lived_in_scene(bpy, name, path)
    blend = str(tmp_path / "lived_in.blend")
    bpy.ops.wm.save_as_mainfile(filepath=blend)
    steps_of(bpy, root, name, path)  # what loads a module once runs at no later import
    bpy.ops.wm.open_mainfile(filepath=blend)
    calls = steps_of(bpy, root, name, path)
    assert len(calls) > 60
    bpy.ops.wm.open_mainfile(filepath=blend)
    before = census()
    reading = {step for step in calls if Path(step[0]).stem == "provenance" and step[1] in READ_A_RECORD}
    calls = {step: most for step, most in calls.items() if step not in failed | reading}
    for step, number in [(step, number) for step, most in calls.items() for number in sorted({1, most})]:
        left = [number]

        def fail(heard: Step, step: Step = step, left: list[int] = left) -> None:
            left[0] -= heard == step
            if left[0] == 0:
                left[0] = -1
                raise refusal("it broke")

        with watching(fail, root), pytest.raises(RuntimeError) as caught:
            bring_in(bpy, name, path, **OPTIONS)
        assert str(caught.value).strip() == f"Error: {path}: it broke", step
        assert differences(before, census()) == [], step
        failed.add(step)


def own_rig(bpy: Any, name: str, path: Path) -> Any:
    """The armature that an import of the file makes; a plain one where it makes none."""
    bring_in(bpy, name, path)
    rigs = [thing for thing in bpy.context.view_layer.objects if thing.type == "ARMATURE"]
    bpy.context.view_layer.objects.active = rigs[0]
    return rigs[0]


def in_edit_mode(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.ops.object.mode_set(mode="EDIT")


def in_pose_mode(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.ops.object.mode_set(mode="POSE")


def hidden(bpy: Any, rig: Any, folder: Path) -> None:
    rig.hide_viewport = True


def hidden_in_the_view_layer(bpy: Any, rig: Any, folder: Path) -> None:
    rig.hide_set(True)


def linked(bpy: Any, rig: Any, folder: Path) -> None:
    name = rig.name
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.objects = [name]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    bpy.context.view_layer.objects.active = wanted.objects[0]
    bpy.context.view_layer.update()


def overridden(bpy: Any, rig: Any, folder: Path) -> None:
    linked(bpy, rig, folder)
    bpy.context.view_layer.objects.active = bpy.context.object.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()


def scene_without_an_object(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.context.window.scene = bpy.data.scenes.new("Empty")


def playing_back(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.ops.screen.animation_play()
    assert bpy.context.screen.is_animation_playing


def armatures_of(bpy: Any) -> dict[Any, Any]:
    """Every armature object, with the Action that it plays."""
    rigs = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    return {rig: rig.animation_data.action if rig.animation_data else None for rig in rigs}


def every_curve(actions: Iterable[Any]) -> list[Any]:
    """What all curves of these Actions are, whatever the Actions are called."""
    return sorted(curve_facts(curve) for action in actions for curve in curves_of(action))


STATES = (in_edit_mode, in_pose_mode, hidden, hidden_in_the_view_layer, linked, overridden)
STATES += (scene_without_an_object, playing_back)


@pytest.mark.parametrize("target", ["AUTO", "SELECTED"])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", slow_but(["w3d", "animx"], FILES))
def test_import_in_any_state_works_or_says_why_not(
    bpy: Any, data: Path, tmp_path: Path, name: str, state: Callable[..., None], target: str
) -> None:
    path = data / FILES[name]
    rig = own_rig(bpy, name, path)
    wanted, rate = every_curve(bpy.data.actions), bpy.context.scene.render.fps
    state(bpy, rig, tmp_path)
    bpy.context.scene.render.fps = rate
    before, known, old = census(), armatures_of(bpy), set(bpy.data.actions)
    mode, active = bpy.context.mode, bpy.context.view_layer.objects.active
    expected = {linked: "library override", scene_without_an_object: "armature"}.get(state)
    if target == "SELECTED" and expected is not None:
        with pytest.raises(RuntimeError, match=expected) as caught:
            bring_in(bpy, name, path, target=target)
        assert len(str(caught.value).strip().splitlines()) == 1
        assert differences(before, census()) == []
        return
    assert bring_in(bpy, name, path, target=target) == {"FINISHED"}
    new, made = set(bpy.data.actions) - old, armatures_of(bpy).keys() - known.keys()
    playing = {thing for thing, action in armatures_of(bpy).items() if action in new}
    assert every_curve(new) == wanted
    if target == "SELECTED" or state not in (linked, scene_without_an_object):
        assert playing == {active} and not made
    else:
        assert playing == made and len(made) == 1
        assert {thing: action for thing, action in armatures_of(bpy).items() if thing in known} == known
    assert bpy.context.mode == mode and (mode == "OBJECT" or bpy.context.view_layer.objects.active == active)
    assert bpy.context.screen.is_animation_playing == (state is playing_back)


def tweaked(bpy: Any, rig: Any, folder: Path) -> None:
    """The last of what plays; what an import made of several objects plays on."""
    thing = [thing for thing in bpy.data.objects if thing.animation_data and thing.animation_data.action][-1]
    push_down(thing).select = True
    thing.animation_data.use_tweak_mode = True


def linked_scene(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"), copy=True)
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.scenes = [bpy.context.scene.name]
    bpy.context.window.scene = wanted.scenes[0]


@pytest.mark.parametrize(
    ("kind", "state", "said"),
    [("BONE", tweaked, "tweak mode"), ("OBJECT", tweaked, "tweak mode"), ("BONE", linked_scene, "no view layer")],
)
def test_where_nothing_can_be_changed_nothing_is(
    bpy: Any, data: Path, tmp_path: Path, kind: str, state: Callable[..., None], said: str
) -> None:
    path = data / "animx" / "08_walk.animj"
    bring_in(bpy, "animx", path, node_kind=kind)
    state(bpy, None, tmp_path)
    bpy.context.view_layer.update()
    before = census()
    with pytest.raises(RuntimeError, match=said):
        bring_in(bpy, "animx", path, node_kind=kind, target="AUTO" if kind == "BONE" else "BY_NAME")
    assert differences(before, census()) == []


# --- Exports ----------------------------------------------------------------------------------------------------

OLD = b"the old file"
OUT = {"mrtk": "out.bin", "w3d": "out.w3d", "animx": "out.animx", "animx json": "out.animj"}


def export_refused(bpy: Any, name: str, out: Path, words: str) -> None:
    """The export says in one sentence why not."""
    with pytest.raises(RuntimeError, match=words) as caught:
        getattr(bpy.ops.export_anim, name.split()[0])(filepath=str(out))
    sentence = str(caught.value).strip()
    assert sentence.startswith("Error: ") and len(sentence.splitlines()) == 1 and out.name in sentence


@pytest.fixture(params=OUT)
def ready(request: pytest.FixtureRequest, bpy: Any, data: Path, tmp_path: Path) -> tuple[str, Path]:
    """A format with something to export, and an old file in a folder of its own."""
    name = str(request.param)
    own_rig(bpy, name, data / FILES[name.split()[0]])
    out = tmp_path / "Ordner mit Größe ✋" / f"Aufnahme-手-{OUT[name]}"
    out.parent.mkdir()
    out.write_bytes(OLD)
    return name, out


def untouched(out: Path) -> bool:
    """The old file stands alone in its folder, whole."""
    return list(out.parent.iterdir()) == [out] and out.read_bytes() == OLD


def test_export_to_names_in_any_script(bpy: Any, ready: tuple[str, Path]) -> None:
    name, out = ready
    assert getattr(bpy.ops.export_anim, name.split()[0])(filepath=str(out)) == {"FINISHED"}
    assert list(out.parent.iterdir()) == [out] and len(out.read_bytes()) > len(OLD)


def test_a_folder_in_the_way_of_an_export(bpy: Any, ready: tuple[str, Path]) -> None:
    name, out = ready
    (folder := out.with_stem("a folder")).mkdir()
    export_refused(bpy, name, folder, "folder")
    assert folder.is_dir() and not list(folder.iterdir()) and out.read_bytes() == OLD
    assert len(list(out.parent.iterdir())) == 2


def test_a_full_disk_at_an_export(bpy: Any, ready: tuple[str, Path]) -> None:
    resource = pytest.importorskip("resource")
    name, out = ready
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        export_refused(bpy, name, out, "not enough room")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert untouched(out)


@pytest.mark.skipif(os.name != "posix", reason="locks as Unix has them")
def test_a_locked_file_at_an_export(bpy: Any, ready: tuple[str, Path]) -> None:
    name, out = ready
    code = "import fcntl, sys\nfile = open(sys.argv[1], 'r+b')\nfcntl.flock(file, fcntl.LOCK_EX)\n"
    command = [sys.executable, "-c", code + "print('locked', flush=True)\nsys.stdin.read()", str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "locked\n"
        export_refused(bpy, name, out, "another program holds")
        holder.communicate()
    assert untouched(out)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write anywhere: become someone who may not, for a while."""
    root = os.geteuid() == 0
    codecs.lookup("utf-8-sig")  # later, nobody might not read it from where Python is
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="permissions as Unix has them")
@pytest.mark.parametrize("exists", [True, False])
def test_a_read_only_folder_at_an_export(bpy: Any, ready: tuple[str, Path], exists: bool) -> None:
    name, _ = ready
    with tempfile.TemporaryDirectory(prefix="read_only_") as made:
        out = Path(made) / OUT[name]
        if exists:
            out.write_bytes(OLD)
        os.chmod(made, 0o555)
        with as_nobody():
            export_refused(bpy, name, out, "no permission to change")
        assert list(out.parent.iterdir()) == ([out] if exists else [])
        assert not exists or untouched(out)
        os.chmod(made, 0o755)
