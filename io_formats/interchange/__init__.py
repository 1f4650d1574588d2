"""Files for other programs, that conversions write and nothing here reads: models, tables, arrays."""

from .csv_table import CSV
from .glb import GLB
from .kind import AnyInterchange, Interchange, NewInterchange
from .npz import NPZ

__all__ = ["CSV", "GLB", "NPZ", "AnyInterchange", "Interchange", "NewInterchange"]
