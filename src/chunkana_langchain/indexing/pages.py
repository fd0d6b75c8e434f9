"""The chunks and parents of a document as LangChain documents, stored with its record."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document

from chunkana_langchain import keys
from chunkana_langchain.documents import DocumentMapper
from chunkana_retrieval.indexing import FoundLeaves

_Score = float | None


@dataclass(frozen=True, slots=True)
class DocumentPages:
    """The LangChain documents that an auto-merging retriever returns for a source document.

    Attributes:
        leaves: the chunks by chunk id.
        parents: the parents by document id.
    """

    leaves: Mapping[str, Document]
    parents: Mapping[str, Document]

    @classmethod
    def of(cls, mapper: DocumentMapper) -> DocumentPages:
        """Return the chunks and parents of a split document."""
        leaves = {str(one.metadata[keys.CHUNK_ID]): one for one in mapper.leaves()}
        return cls(leaves, dict(mapper.parents()))

    def to_json(self) -> str:
        """Return the chunks and parents as JSON."""
        pages = (self.leaves, self.parents)
        return json.dumps([{key: _fields(page) for key, page in one.items()} for one in pages])

    @classmethod
    def from_json(cls, written: str) -> DocumentPages:
        """Parse the JSON of `to_json`; return no chunks and parents if it is damaged."""
        try:
            leaves, parents = (
                {key: _page(*fields) for key, fields in one.items()} for one in json.loads(written)
            )
        except (AttributeError, TypeError, ValueError):
            return cls({}, {})
        return cls(leaves, parents)


def found_pages(
    found: FoundLeaves, pages_of: Callable[[str], DocumentPages]
) -> tuple[list[tuple[Document, _Score]], dict[str, Document]]:
    """Return the chunks that a vector store found with their scores, and all parents by id.

    Args:
        found: the result of a search in an index.
        pages_of: parses the attachment of a record, as `DocumentPages.from_json` does.
    """
    leaves, parents = dict[tuple[str, str], Document](), dict[str, Document]()
    for record in found.records:
        pages = pages_of(record.attachment)
        parents |= pages.parents
        for leaf in record.leaves:
            if page := pages.leaves.get(leaf.chunk_id):
                leaves[record.document_id, leaf.leaf_id] = page
    scores = [((one.document_id, one.leaf_id), one.score) for one in found.proposals]
    return [(leaves[key], score) for key, score in scores if key in leaves], parents


def _page(name: str, text: str, metadata: dict[str, Any]) -> Document:
    return Document(page_content=text, metadata=metadata, id=name)


def _fields(page: Document) -> list[Any]:
    return [page.id, page.page_content, page.metadata]
