"""Names that Blender can hold: short enough, whole characters, unique, never empty.

Blender keeps 63 bytes of UTF-8. A name cut inside a character makes Blender 4.2 raise UnicodeDecodeError when it
is read, so the cut lies on a character boundary.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from bpy.types import ID

    from ..io_formats.clip import Node
    from .types import Named
    from .undo import Undo

Item = TypeVar("Item", bound="Named")

LIMIT = 63


def cut(name: str, limit: int = LIMIT) -> str:
    """Return the longest beginning of `name` that fits into `limit` bytes of UTF-8; NUL ends a name in Blender."""
    return name.split("\0", 1)[0].encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")


def printable(text: str) -> str:
    """Return the text as Blender accepts it: a file's name may not be valid UTF-8, other bytes become escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def without_number(name: str) -> str:
    """Return the name without the number that Blender appends to duplicate names."""
    stem, dot, number = name.rpartition(".")
    return stem if dot and len(number) >= 3 and number.isdigit() else name


class UniqueNames:
    """Hands out unused names of so many bytes, as Blender does: with .001, .002 behind the second of a kind."""

    def __init__(self, taken: Iterable[str] = (), limit: int = LIMIT) -> None:
        self._taken, self._limit = set(taken), limit
        self._next: dict[str, int] = {}

    def take(self, wanted: str, fallback: str) -> str:
        """Return `wanted` cut to size, or `fallback` if that is empty, with a number appended if it is taken."""
        base = cut(wanted, self._limit) or fallback
        name = base
        while name in self._taken:
            number = self._next[base] = self._next.get(base, 0) + 1
            suffix = f".{number:03d}"
            name = cut(base, self._limit - len(suffix)) + suffix
        self._taken.add(name)
        return name


NODE_KEY = "anim_curves_node"
"""Custom property of a bone or object: the name of the node that an import made it for."""

ORIGINAL_KEY = "anim_curves_original"
"""Custom property of a bone or object: the file's own name for that node, where that is another."""

TIE_KEY = "anim_curves_tie"
"""Custom property of a bone or object: what it was called when an import first took it for a node.

Imported Actions know it by that, whatever it is called since. A .blend of an older version has none: names count.
"""

ORDER_KEY = "anim_curves_order"
"""Custom property of an armature: its nodes in the file's order, where its bones are in another.

Blender orders bones differently: each child follows its parent.
"""


PLACEHOLDER_KEY = "anim_curves_placeholder"
"""Custom property of a bone: the file has no data for it, so its position means nothing."""


TURN_KEY = "anim_curves_turn"
"""Custom property of a bone: how it is turned against the frame that the file has there, as w, x, y, z."""


def remember(holder: Named, node: Node) -> None:
    """Store on a bone (of the armature data) or object that it was made for `node`."""
    holder[NODE_KEY] = node.name
    if node.original and node.original != node.name:
        holder[ORIGINAL_KEY] = node.original
    if node.placeholder:
        holder[PLACEHOLDER_KEY] = True


def is_made(holder: Named) -> bool:
    """Return whether an import made a bone or object, so that it is no person's own."""
    return holder.get(NODE_KEY) is not None


def is_placeholder(holder: Named) -> bool:
    """Return whether the file has no data for a bone."""
    return bool(holder.get(PLACEHOLDER_KEY, False))


def node_name(holder: Named) -> str:
    """Return the clip's name for a bone or object, whatever file is at hand."""
    return str(holder.get(NODE_KEY, holder.name))


def original_name(holder: Named) -> str:
    """Return the file's own name for a bone or object."""
    return str(holder.get(ORIGINAL_KEY) or node_name(holder) or holder.name)


def tie(holders: Iterable[Named], siblings: Iterable[Named], undo: Undo) -> None:
    """Let bones or objects be known among their siblings by what they are called now, unless they are tied already.

    What is linked stays as it is: it cannot be renamed.
    """
    unique = UniqueNames(known_by(TIE_KEY, siblings))
    for holder in holders:
        if holder.get(TIE_KEY) is None and holder.id_data.library is None:
            undo.set_item(holder, TIE_KEY, unique.take(holder.name, holder.name))


def tie_of(holder: ID | Named) -> str:
    """Return what imported Actions know a bone or datablock by: its name where none was imported onto it."""
    return str(holder.get(TIE_KEY, holder.name))


def known_by(key: str, holders: Iterable[Item]) -> dict[str, Item]:
    """Return bones or objects by a custom property, those that have it.

    Copies have it, too: the one that is called as the import called it comes first, then the first of them.
    """
    kept = [holder for holder in holders if holder.get(key) is not None]
    kept.sort(key=lambda holder: tie_of(holder) != holder.name)
    return {str(holder[key]): holder for holder in reversed(kept)}


def by_tie(holders: Iterable[Item]) -> dict[str, Item]:
    """Return bones or objects by what imported Actions know them by; of a tie and a name the tie counts."""
    kept = list(holders)
    return {holder.name: holder for holder in kept} | known_by(TIE_KEY, kept)


def by_any_name(holders: Iterable[Item]) -> dict[str, Item]:
    """Return bones or objects by their nodes, where there are none by their names, then by the file's own."""
    kept = list(holders)
    found = {original_name(holder): holder for holder in reversed(kept)} | {holder.name: holder for holder in kept}
    return found | known_by(NODE_KEY, kept)


def property_key(name: str) -> str:
    """Return the key of the custom property for `name`: a key has at most 63 bytes and at least one."""
    return cut(name) or "value"
