"""Animation Curves I/O: MRTK recordings, W3D, AnimX and AnimJ in Blender, exactly."""

from __future__ import annotations


def register() -> None:
    """Called by Blender when the extension is enabled."""
    from . import operators

    operators.register()


def unregister() -> None:
    """Called by Blender when the extension is disabled; nothing stays behind."""
    from . import operators

    operators.unregister()
