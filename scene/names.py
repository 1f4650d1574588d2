"""Names that Blender can hold: short enough, whole characters, unique, never empty.

Blender keeps 63 bytes of UTF-8. A name cut inside a character makes Blender 4.2 raise UnicodeDecodeError when it
is read, so the cut lies on a character boundary.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..io_formats.clip import Node
    from .types import Named

LIMIT = 63


def cut(name: str, limit: int = LIMIT) -> str:
    """Return the longest beginning of `name` that fits into `limit` bytes of UTF-8; NUL ends a name in Blender."""
    encoded = name.split("\0", 1)[0].encode("utf-8", "replace")
    return encoded[:limit].decode("utf-8", "ignore")


def printable(text: str) -> str:
    """Return the text as Blender accepts it: a file's name may not be valid UTF-8, other bytes become escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def without_number(name: str) -> str:
    """Return the name without the number that Blender appends to duplicate names."""
    stem, dot, number = name.rpartition(".")
    return stem if dot and len(number) >= 3 and number.isdigit() else name


class UniqueNames:
    """Hands out unused names, as Blender does: with .001, .002 behind the second of a kind."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def take(self, wanted: str, fallback: str) -> str:
        """Return `wanted` cut to size, or `fallback` if that is empty, with a number appended if it is taken."""
        base = cut(wanted) or fallback
        name = base
        while name in self._taken:
            number = self._next.get(base, 0) + 1
            self._next[base] = number
            suffix = f".{number:03d}"
            name = cut(base, LIMIT - len(suffix)) + suffix
        self._taken.add(name)
        return name


NODE_KEY = "anim_curves_node"
"""Custom property of a bone or object: the name of its node in the clip, where Blender could not take that."""

ORIGINAL_KEY = "anim_curves_original"
"""Custom property of a bone or object: the file's own name, where that is another than Blender's."""


ORDER_KEY = "anim_curves_order"
"""Custom property of an armature: its nodes in the file's order, where its bones are in another."""


PLACEHOLDER_KEY = "anim_curves_placeholder"
"""Custom property of a bone: the file has no data for it, so its position means nothing."""


def remember(holder: Named, node: Node) -> None:
    """Store on a bone (of the armature data) or object what its own name does not say about `node`."""
    if holder.name != node.name:
        holder[NODE_KEY] = node.name
    if node.original and holder.name != node.original:
        holder[ORIGINAL_KEY] = node.original
    if node.placeholder:
        holder[PLACEHOLDER_KEY] = True


def is_placeholder(holder: Named) -> bool:
    """Return whether the file has no data for a bone."""
    return bool(holder.get(PLACEHOLDER_KEY, False))


def node_name(holder: Named) -> str:
    """Return the clip's name for a bone or object."""
    return str(holder.get(NODE_KEY, holder.name))


def original_name(holder: Named) -> str:
    """Return the file's own name for a bone or object."""
    return str(holder.get(ORIGINAL_KEY, holder.name))
