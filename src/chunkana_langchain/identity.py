"""Ids of documents, which stay the same as long as source, section and text do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from langchain_core.documents import Document

# Metadata keys with which loaders tell documents, and parts of one file, apart.
_NAMES = ("source", "page", "page_number", "row", "seq_num", "sheet", "url")


def chunk_key(document: Document) -> str:
    """Return a key of a chunk's id and content alone, for `index(..., key_encoder=chunk_key)`.

    LangChain's own hashes the metadata too, offsets included: an edit at the top of a file would
    have everything below it embedded again.
    """
    return _hash(document.id or "", document.page_content)


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
    """Return the id of the document that was split: a UUID that is no chunk's."""
    return document_id(source_key, "")  # no chunk has this id


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
