"""Hits whose texts are looked up in the sources that a user gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from chunkana_retrieval.adapting.document_warnings import warn_of
from chunkana_retrieval.hits import Hit


def hits_in_sources(
    hits: Sequence[Hit | None], sources: Mapping[str, str] | Callable[[str], str]
) -> tuple[list[Hit | None], Callable[[str], str]]:
    """Return hits with None, and a warning, for those whose text is not in its source.

    Args:
        hits: the hits, with None for results that are not chunks of this package.
        sources: the texts of documents by id, or a function that returns the text for an id.

    Returns:
        The hits, and a function that returns the text for an id, "" for an unknown one.
    """

    @cache
    def text_of(document_id: str) -> str:
        try:
            return sources(document_id) if callable(sources) else sources[document_id]
        except LookupError:
            return ""

    def is_changed(hit: Hit) -> bool:
        return text_of(hit.document_id)[hit.span.start : hit.span.end] != hit.text

    found = [None if hit is None or is_changed(hit) else hit for hit in hits]
    kept = zip(hits, found, strict=True)
    changed = dict.fromkeys(hit.document_id for hit, one in kept if hit and one is None)
    statement = "is not in sources, or was changed there: its chunks are returned as they are"
    warn_of([*changed], statement)
    return found, text_of
