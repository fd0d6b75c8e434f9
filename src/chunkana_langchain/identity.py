"""Who a document is: ids that stay the same as long as source, section and text do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from uuid import UUID

from langchain_core.documents import Document

# What loaders call a document and its parts.
_NAMES = ("source", "page", "page_number", "row", "seq_num", "sheet", "url")
_WHOLE = ""  # what no chunk is called


def chunk_key(document: Document) -> str:
    """Return a key of a chunk's id and content alone, for `index(..., key_encoder=chunk_key)`.

    LangChain's own hashes the metadata too, offsets included: an edit at the top of a file would
    have everything below it embedded again.
    """
    return _hash(document.id or "", document.page_content)


def source_keys(documents: Iterable[Document]) -> list[str]:
    """Return what ids of the parts of documents are made from, unique among them.

    That is a document's id, else where it comes from, else all its metadata, else its text.
    """
    seen: Counter[str] = Counter()
    keys = []
    for document in documents:
        key = _key(document)
        keys.append(f"{key}\0{seen[key]}" if seen[key] else key)
        seen[key] += 1
    return keys


def document_id(source_key: str, chunk_id: str) -> str:
    """Return the id of a part: a UUID, which every vector store takes."""
    return str(UUID(_hash(source_key, chunk_id)[:32]))


def source_id(source_key: str) -> str:
    """Return what all parts of a document have in common: a UUID that is no part's own."""
    return document_id(source_key, _WHOLE)


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
