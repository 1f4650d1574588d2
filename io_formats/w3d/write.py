"""Document to bytes: the exact reverse of `read`."""

from __future__ import annotations

import struct

from ..errors import FormatError
from ..files import messages as files_messages
from . import layout, messages
from .document import Chunk, Container, Document, OpaqueChunk


def write(document: Document) -> bytes:
    """Return the file's bytes.

    Raises:
        FormatError: a number does not fit into the field that the file has for it.
    """
    try:
        return b"".join(map(_chunk, document.parts)) + document.tail
    except struct.error as error:
        raise FormatError(messages.CANNOT_WRITE, reason=error) from error


def same_content(first: Document, second: Document) -> bool:
    """Return whether two files hold the same, chunk by chunk and bit by bit."""
    return first == second


def _chunk(chunk: Chunk) -> bytes:
    kind = chunk.kind if isinstance(chunk, OpaqueChunk) else chunk.KIND
    inside = b"".join(map(_chunk, chunk.parts)) if isinstance(chunk, Container) else chunk.to_bytes()
    data = inside + chunk.tail
    size = len(data) + chunk.excess
    if size > layout.SIZE_MASK:
        raise FormatError(files_messages.FILE_TOO_LARGE, size=len(data), limit=layout.SIZE_MASK)
    return layout.CHUNK_HEADER.pack(kind, size | (layout.CONTAINER_BIT if chunk.flagged else 0)) + data
