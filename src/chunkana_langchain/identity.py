"""Ids of documents, which stay the same as long as source, section and text do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from langchain_core.documents import Document

_SOURCE_DIGITS = 16
# Metadata keys with which loaders tell documents, and parts of one file, apart.
_NAMES = ("source", "page", "page_number", "row", "seq_num", "sheet", "url")


def document_name(document: Document) -> str:
    """Return the id by which an index knows a document, and by which it is deleted.

    It is the document's id, else its source; where pages, rows and the like have one source, these
    follow it, as in `book.pdf#page=3`. Else it is what `source_keys` returns.
    """
    names = {name: document.metadata[name] for name in _NAMES if name in document.metadata}
    if document.id or "source" not in names:
        return _key(document)
    source = str(names.pop("source"))
    parts = "&".join(f"{name}={value}" for name, value in names.items())
    return f"{source}#{parts}" if parts else source


def source_keys(documents: Iterable[Document]) -> list[str]:
    """Return a key for each document, unique among them, of which the ids of its chunks are made.

    It is the document's id, else its source, else all its metadata, else a hash of its text.
    """
    seen: Counter[str] = Counter()
    keys = []
    for document in documents:
        key = _key(document)
        keys.append(f"{key}\0{seen[key]}" if seen[key] else key)
        seen[key] += 1
    return keys


def document_id(source_key: str, chunk_id: str) -> str:
    """Return the id of a chunk or parent: a UUID, which every vector store takes."""
    digits = _hash(source_key, chunk_id)  # hyphens are where RFC 9562 §4 has them
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"


def source_id(source_key: str) -> str:
    """Return the id of the document that was split, which all its chunks have in their metadata."""
    return _hash(source_key, "")[:_SOURCE_DIGITS]


def _key(document: Document) -> str:
    if document.id:
        return document.id
    names = {name: document.metadata[name] for name in _NAMES if name in document.metadata}
    if metadata := names if "source" in names else document.metadata:
        named = sorted((str(name), value) for name, value in metadata.items())
        return json.dumps(named, default=_plain)
    return _hash(document.page_content)


def _plain(value: object) -> object:
    """Return a value that JSON does not know as the same text in every run."""
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
