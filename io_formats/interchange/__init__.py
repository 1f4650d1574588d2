"""Files for other programs, that conversions write and nothing here reads: models, tables, arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from .. import options
from ..later import become_whole, modules_of

if TYPE_CHECKING:
    from .kind import AnyInterchange

# What a conversion to a general-purpose file can be told; the options are those that other formats have too.


@options.declares()
class InterchangeOptions(options.Facing, options.WriteOptions):
    """What writing any of them can be told."""


@options.declares()
class TableOptions(options.WholeFrames, InterchangeOptions):
    """What writing a table of poses can be told."""


class InterchangeFacts:
    """The facts of a kind of file, as `FormatFacts` calls them; it becomes the whole `Interchange` when a function of
    it is asked for."""

    title: ClassVar[str]
    extensions: ClassVar[tuple[str, ...]]
    write_options: type[InterchangeOptions]
    holds_several: ClassVar[bool] = False
    whole: ClassVar[tuple[str, str]]

    if not TYPE_CHECKING:
        __getattr__ = become_whole


class GlbFacts(InterchangeFacts):
    """Models that Blender and game engines open."""

    title = "glTF binary (.glb)"
    extensions = (".glb",)
    write_options = InterchangeOptions
    holds_several = True
    whole = (".glb", "Glb")


class CsvFacts(InterchangeFacts):
    """Tables, a row for each moment and node."""

    title = "table (.csv)"
    extensions = (".csv",)
    write_options = TableOptions
    whole = (".tables", "Csv")


class NpzFacts(InterchangeFacts):
    """Arrays of numpy."""

    title = "numpy arrays (.npz)"
    extensions = (".npz",)
    write_options = TableOptions
    whole = (".tables", "Npz")


GLB, CSV, NPZ = (cast("AnyInterchange", facts()) for facts in (GlbFacts, CsvFacts, NpzFacts))

__getattr__ = modules_of(__name__)
