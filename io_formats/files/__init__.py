"""Files on disk: whole or in part, read within limits, written all or nothing, many at a time."""
