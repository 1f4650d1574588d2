"""One table of many takes (.parquet), a row for each node at each time, for pandas, Polars, DuckDB. Only the program
asks for this module, as it needs pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pyarrow
from pyarrow.parquet import ParquetWriter

from ..clip import Array, Clip
from ..errors import EmptyError
from ..files import messages as files_messages
from . import InterchangeFacts, TableOptions
from .tables import COLUMNS, Samples

if TYPE_CHECKING:
    from .kind import AnyInterchange

_ROWS = 1 << 20
"""Rows at least that are written together: a reader skips groups of them, and every group costs it a little."""


_FACTS = InterchangeFacts("table of takes (.parquet)", (".parquet",), TableOptions, ("", ""), holds_several=True)
TAKES = cast("AnyInterchange", _FACTS)


@contextmanager
def table_in(path: Path) -> Iterator[Takes]:
    """Give a table whose new file is on the disk, complete, when the block ended well; EmptyError if it is empty."""
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    kinds = {"take": text, "node": text, "time": pyarrow.float64(), "shown": pyarrow.bool_()}
    columns = ((name, kinds.get(name, pyarrow.float32())) for name in ("take", *COLUMNS))
    schema = pyarrow.schema([pyarrow.field(name, kind, nullable=False) for name, kind in columns])
    with open(path, "xb") as file:  # of Python, whose errors say what the disk lacks
        with ParquetWriter(file, schema, compression="zstd") as writer:
            takes = Takes(writer)
            yield takes
            takes.finish()
        file.flush()
        os.fsync(file.fileno())


class Takes:
    """A table on its way to the disk, of which only the last takes are in memory."""

    def __init__(self, writer: ParquetWriter) -> None:
        self._writer = writer
        self._waiting: list[pyarrow.Table] = []
        self._count = 0

    def add(self, take: str, clip: Clip, samples: Samples) -> None:
        """Add the rows of an animation, in the order that a .csv file has."""
        times, nodes = len(samples.times), len(clip.nodes)
        columns = [
            _texts(np.zeros(times * nodes, np.int32), [take]),
            np.repeat(samples.times, nodes),
            _texts(np.tile(np.arange(nodes, dtype=np.int32), times), [node.name for node in clip.nodes]),
            *(values[:, :, at].ravel() for values in samples.world for at in range(values.shape[2])),
            samples.shown.ravel(),
        ]
        self._count += 1
        self._waiting.append(pyarrow.table(columns, schema=self._writer.schema))
        if sum(table.num_rows for table in self._waiting) >= _ROWS:
            self._write_waiting()

    def finish(self) -> None:
        """Write the rest; raise EmptyError if nothing was added."""
        self._write_waiting()
        if not self._count:
            raise EmptyError(files_messages.NOTHING_WRITTEN)

    def _write_waiting(self) -> None:
        if self._waiting:
            self._writer.write_table(pyarrow.concat_tables(self._waiting).unify_dictionaries())
            self._waiting.clear()


def _texts(which: Array, texts: list[str]) -> pyarrow.DictionaryArray:
    """Return a column of texts, each kept once; a letter that is none, as in a name that is not UTF-8, is a `?`."""
    plain = [text.encode("utf-8", "replace").decode() for text in texts]
    return pyarrow.DictionaryArray.from_arrays(which, pyarrow.array(plain, pyarrow.string()))
