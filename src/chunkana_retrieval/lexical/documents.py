"""The entries and documents of a lexical index."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from chunkana_core import Chunk


@dataclass(frozen=True, slots=True)
class LexicalEntry:
    """A leaf in a lexical index.

    Attributes:
        document_id: the id of the leaf's document.
        chunk_id: the id of the leaf, unique in the document.
        section_id: the id of the leaf's section; None for a leaf that is alone in its section.
        text: the text whose words are indexed.
    """

    document_id: str
    chunk_id: str
    section_id: str | None
    text: str

    @classmethod
    def of_chunk(cls, chunk: Chunk, document_id: str) -> LexicalEntry:
        """Return the entry of a leaf, with its embedded text."""
        return cls(document_id, chunk.chunk_id, chunk.section_id, chunk.embedded)


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """The leaves of a document; each field has one item for each leaf.

    Attributes:
        chunk_ids: the ids of the leaves.
        section_ids: the ids of the leaves' sections.
        tokens: the words of the leaves, as numbers in the vocabulary.
    """

    chunk_ids: tuple[str, ...]
    section_ids: tuple[str | None, ...]
    tokens: tuple[array[int], ...]
