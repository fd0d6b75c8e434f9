"""What a lexical index knows of documents."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from chunkana_core import Chunk


@dataclass(frozen=True, slots=True)
class LexicalEntry:
    """A leaf to be found by its words.

    Attributes:
        document_id: of its document.
        chunk_id: of the leaf, unique in its document.
        section_id: the same for all leaves of a section; None for one that has it for itself.
        text: what it is found by.
    """

    document_id: str
    chunk_id: str
    section_id: str | None
    text: str

    @classmethod
    def of_chunk(cls, chunk: Chunk, document_id: str) -> LexicalEntry:
        """Return a leaf as an entry; it is found by what is embedded."""
        return cls(document_id, chunk.chunk_id, chunk.section_id, chunk.embedded)


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """The leaves of a document; an item of each field for each leaf.

    Attributes:
        chunk_ids: of the leaves.
        section_ids: of their sections.
        tokens: the numbers of their words.
    """

    chunk_ids: tuple[str, ...]
    section_ids: tuple[str | None, ...]
    tokens: tuple[array[int], ...]
