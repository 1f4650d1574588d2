"""Document <-> Clip."""

from __future__ import annotations


def to_clips(document, options, report, *, skeleton=None):
    return []


def to_document(clip, options, report, *, source=None, base=None, skeleton=None):
    return None
