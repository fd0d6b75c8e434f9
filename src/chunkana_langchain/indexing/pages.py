"""Chunks and parents of a document as they are read, kept beside its record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document

from chunkana_langchain import keys
from chunkana_langchain.splitting.mapping import DocumentMapper


@dataclass(frozen=True, slots=True)
class DocumentPages:
    """What an auto-merging retriever returns of a document.

    Attributes:
        leaves: chunks, by their chunk ids.
        parents: what is read in their place, by their ids.
    """

    leaves: Mapping[str, Document]
    parents: Mapping[str, Document]

    @classmethod
    def of(cls, mapper: DocumentMapper) -> DocumentPages:
        """Return those of a document that was split."""
        leaves = {str(one.metadata[keys.CHUNK_ID]): one for one in mapper.leaves()}
        return cls(leaves, dict(mapper.parents()))

    def to_json(self) -> str:
        """Return them as JSON."""
        pages = (self.leaves, self.parents)
        return json.dumps([{key: _fields(page) for key, page in one.items()} for one in pages])

    @classmethod
    def from_json(cls, written: str) -> DocumentPages:
        """Return what `to_json` wrote, none where that is damaged."""
        try:
            leaves, parents = (
                {key: _page(*fields) for key, fields in one.items()} for one in json.loads(written)
            )
        except (AttributeError, TypeError, ValueError):
            return cls({}, {})
        return cls(leaves, parents)


def _page(name: str, text: str, metadata: dict[str, Any]) -> Document:
    return Document(page_content=text, metadata=metadata, id=name)


def _fields(page: Document) -> list[Any]:
    return [page.id, page.page_content, page.metadata]
