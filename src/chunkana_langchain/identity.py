"""Stable ids of documents and chunks, computed from source, section and text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from langchain_core.documents import Document

from chunkana_core.extending import text_digest

_SOURCE_DIGITS = 16
# Metadata keys by which loaders distinguish documents, and parts of one file.
_IDENTITY_KEYS = ("source", "page", "page_number", "row", "seq_num", "sheet", "url")


def document_name(document: Document) -> str:
    """Return the id of a document in an index, by which it is updated and deleted.

    The id is the document's own `id`, else its `source`; if the metadata contain a page, row or the
    like, that is appended, as in `book.pdf#page=3`. Without a source, the id is that of
    `source_keys`.
    """
    names = {name: document.metadata[name] for name in _IDENTITY_KEYS if name in document.metadata}
    if document.id or "source" not in names:
        return _key(document)
    source = str(names.pop("source"))
    parts = "&".join(f"{name}={value}" for name, value in names.items())
    return f"{source}#{parts}" if parts else source


def source_keys(documents: Iterable[Document]) -> list[str]:
    """Return a unique key for each document, from which the ids of its chunks are computed.

    The key is the document's id, else its source, else all its metadata, else a hash of its text.
    """
    seen: Counter[str] = Counter()
    keys = []
    for document in documents:
        key = _key(document)
        keys.append(f"{key}\0{seen[key]}" if seen[key] else key)
        seen[key] += 1
    return keys


def source_id(source_key: str) -> str:
    """Return the id of a split document, which is in the metadata of all its chunks."""
    return text_digest(source_key, "").hex()[:_SOURCE_DIGITS]


def _key(document: Document) -> str:
    if document.id:
        return document.id
    names = {name: document.metadata[name] for name in _IDENTITY_KEYS if name in document.metadata}
    if metadata := names if "source" in names else document.metadata:
        named = sorted((str(name), value) for name, value in metadata.items())
        return json.dumps(named, default=_to_json)
    return text_digest(document.page_content).hex()


def _to_json(value: object) -> object:
    """Return a JSON value for a value of another type, the same in every run."""
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)
