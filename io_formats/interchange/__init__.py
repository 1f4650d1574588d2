"""Files for other programs, that conversions write and nothing here reads: models, tables, arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from .. import options
from ..later import become_whole, modules_of

if TYPE_CHECKING:
    from .kind import AnyInterchange


@options.declares()
class InterchangeOptions(options.Facing, options.WriteOptions):
    """What writing any of them can be told."""


@options.declares()
class TableOptions(options.WholeFrames, InterchangeOptions):
    """What writing a table of poses can be told."""


@dataclass(eq=False)
class InterchangeFacts:
    """The facts of a kind of file, as `FormatFacts` calls them; it becomes the whole `Interchange` when a function of
    it is asked for."""

    title: str
    extensions: tuple[str, ...]
    write_options: type[InterchangeOptions]
    whole: tuple[str, str]
    holds_several: bool = False

    if not TYPE_CHECKING:
        __getattr__ = become_whole


_GLB = InterchangeFacts("glTF binary (.glb)", (".glb",), InterchangeOptions, (".glb", "Glb"), holds_several=True)
_CSV = InterchangeFacts("table (.csv)", (".csv",), TableOptions, (".tables", "Csv"))
_NPZ = InterchangeFacts("numpy arrays (.npz)", (".npz",), TableOptions, (".tables", "Npz"))
GLB, CSV, NPZ = (cast("AnyInterchange", facts) for facts in (_GLB, _CSV, _NPZ))

__getattr__ = modules_of(__name__)
