"""What a file animates as a custom property sets Blender's own: the lens of a camera, the power of a light."""

from __future__ import annotations

from collections.abc import Sequence

from bpy.types import ID, Camera, Object, Scene

from ..io_formats.clip import Setting, View
from ..io_formats.errors import Report
from . import actions, driving, messages
from .data_paths import custom_path
from .properties import property_key
from .types import has_key
from .undo import Undo


def view_of(camera: Camera, scene: Scene) -> View:
    """Return the view of a camera in the picture that the scene renders."""
    render = scene.render
    width = render.resolution_x * render.pixel_aspect_x
    height = render.resolution_y * render.pixel_aspect_y
    is_upright = camera.sensor_fit == "VERTICAL" or (camera.sensor_fit == "AUTO" and height > width)
    sensor = "sensor_height" if camera.sensor_fit == "VERTICAL" else "sensor_width"
    values = {f"data.{name}": float(getattr(camera, name)) for name in ("lens", sensor)}
    return View(1.0 if is_upright else height / width, f"data.{sensor}", values)


def apply(thing: Object, settings: Sequence[Setting], scene: Scene, report: Report, undo: Undo) -> None:
    """Let the custom properties of an object set Blender's own, but those that have keys or drivers already."""
    view = view_of(thing.data, scene) if isinstance(thing.data, Camera) else None
    given = {} if view is None else {"height": view.height, "sensor": view.values[view.sensor]}
    for setting in settings:
        owner, path = _owner(thing, setting.path)
        key, value = property_key(setting.property), getattr(owner, path, None)
        if owner is None or value is None or not has_key(thing, key):
            continue
        if any(curve.data_path == path for curve in actions.fcurves_of(owner)):
            report.warn(messages.SETS_ITSELF, name=owner.name, property=path, field=setting.property)
            continue
        expression, source = setting.expression.format(**given), custom_path(key)
        undo.callback(setattr, owner, path, value)
        if not hasattr(value, "__len__"):
            driving.drive(owner, path, thing, source, expression, undo)
            continue
        for index in range(min(len(value), len(thing[key]))):
            driving.drive(owner, path, thing, f"{source}[{index}]", expression, undo, index=index)


def _owner(thing: Object, path: str) -> tuple[ID | None, str]:
    within = path.removeprefix("data.")
    return (thing, path) if within == path else (thing.data, within)
