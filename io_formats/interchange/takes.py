"""One table of many takes (.parquet): a row for each node at each time of each of them, for pandas, Polars, DuckDB."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..clip import Array, Clip
from ..errors import FormatError
from ..files import messages as files_messages
from . import InterchangeFacts, TableOptions
from .tables import COLUMNS, Samples

if TYPE_CHECKING:
    from .kind import AnyInterchange

_ROWS = 1 << 20
"""Rows at least that are written together: a reader skips groups of them, and every group costs it a little."""


class TakesFacts(InterchangeFacts):
    """What such a table can be told."""

    title = "table of takes (.parquet)"
    extensions = (".parquet",)
    write_options = TableOptions
    holds_several = True


TAKES = cast("AnyInterchange", TakesFacts())


@contextmanager
def table_in(path: Path) -> Iterator[Takes]:
    """Give a table whose new file is complete, and on the disk, when the block has ended well.

    Raises:
        FormatError: nothing was put into it.
        ModuleNotFoundError: pyarrow is not installed.
    """
    arrow: Any = import_module("pyarrow")
    text = arrow.dictionary(arrow.int32(), arrow.string())
    kinds = {"take": text, "node": text, "time": arrow.float64(), "shown": arrow.bool_()}
    columns = ((name, kinds.get(name, arrow.float32())) for name in ("take", *COLUMNS))
    schema = arrow.schema([arrow.field(name, kind, nullable=False) for name, kind in columns])
    writing: Any = import_module("pyarrow.parquet").ParquetWriter
    with open(path, "xb") as file:  # of Python, whose errors say what the disk lacks
        with writing(file, schema, compression="zstd") as writer:
            takes = Takes(arrow, writer)
            yield takes
            takes.finish()
        file.flush()
        os.fsync(file.fileno())


class Takes:
    """A table on its way to the disk, of which only the last takes are in memory."""

    def __init__(self, arrow: Any, writer: Any) -> None:
        self._arrow, self._writer = arrow, writer
        self._waiting: list[Any] = []
        self._count = 0

    def add(self, take: str, clip: Clip, samples: Samples) -> None:
        """Add the rows of an animation, in the order that a .csv file has."""
        times, nodes = len(samples.times), len(clip.nodes)
        poses = (samples.world.locations, samples.world.rotations, samples.world.scales)
        columns = [
            self._texts(np.zeros(times * nodes, np.int32), [take]),
            np.repeat(samples.times, nodes),
            self._texts(np.tile(np.arange(nodes, dtype=np.int32), times), [node.name for node in clip.nodes]),
            *(values[:, :, at].ravel() for values in poses for at in range(values.shape[2])),
            samples.shown.ravel(),
        ]
        self._count += 1
        self._waiting.append(self._arrow.table(columns, schema=self._writer.schema))
        if sum(table.num_rows for table in self._waiting) >= _ROWS:
            self._write_waiting()

    def finish(self) -> None:
        """Write the rest; raise FormatError if nothing was added."""
        self._write_waiting()
        if not self._count:
            raise FormatError(files_messages.NOTHING_WRITTEN)

    def _write_waiting(self) -> None:
        if self._waiting:
            self._writer.write_table(self._arrow.concat_tables(self._waiting).unify_dictionaries())
            self._waiting.clear()

    def _texts(self, which: Array, texts: list[str]) -> Any:
        """Return a column of texts, each kept once."""
        return self._arrow.DictionaryArray.from_arrays(which, self._arrow.array(texts, self._arrow.string()))
