"""File > Import and File > Export show our lines."""

from __future__ import annotations


def steps(window):
    """Open both menus as a person does, by pointer and key."""
    for menu, letter in (("import", "M"), ("export", "E")):
        yield from window.click(46, 14)
        yield from window.settle()
        yield from window.key(letter)
        yield from window.picture(f"file_{menu}")
        yield from window.key("ESC")
        yield from window.key("ESC")
        yield from window.settle()
