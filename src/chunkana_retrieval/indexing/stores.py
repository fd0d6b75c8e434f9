"""The protocols of record stores and leaf stores, and the record store in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from chunkana_retrieval.indexing.calls import Procedure
from chunkana_retrieval.indexing.records import DocumentRecord, LeafRecord

AskedT_contra = TypeVar("AskedT_contra", contravariant=True)
Leaf = tuple[DocumentRecord, LeafRecord]


class Proposal(NamedTuple):
    """A leaf that a vector store found.

    Attributes:
        document_id: the id of the leaf's document.
        leaf_id: the id of the leaf in the vector store.
        score: the score of the search in any unit, None if the store returns no scores.
    """

    document_id: str
    leaf_id: str
    score: float | None


class LeafStore(Protocol[AskedT_contra]):
    """A store of leaves with their vectors, under the leaf ids of their records.

    The type parameter is the type of a query in the framework.

    Attributes:
        is_in_memory: whether the store keeps the vectors in memory, so that the index saves them.
    """

    is_in_memory: bool

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        """Embed leaves and store them."""
        ...

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete leaves by their ids; unknown ids are ignored."""
        ...

    def find(self, asked: AskedT_contra) -> Procedure[list[Proposal]]:
        """Return the nearest leaves, the best first."""
        ...

    def vectors(self) -> Mapping[str, Sequence[float]]:
        """Return the vectors by leaf id; empty if the store is not in memory."""
        ...

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Cache vectors by text; a leaf with a cached text is added without embedding it."""
        ...


class RecordStore(Protocol):
    """A store of records by document id; it returns a damaged record as one without leaves."""

    def names(self) -> Procedure[list[str]]:
        """Return the ids of all documents that have a record."""
        ...

    def read(self, names: Sequence[str]) -> Procedure[list[DocumentRecord]]:
        """Return the records of documents by their ids; ids without a record are skipped."""
        ...

    def write(self, records: Sequence[DocumentRecord], deleted: Sequence[str]) -> Procedure[None]:
        """Write records, replacing those of the same documents, and delete others by their ids."""
        ...


class MemoryRecords:
    """A store of records in memory.

    Attributes:
        records: the records by document id.
    """

    def __init__(self, records: Iterable[DocumentRecord] = ()) -> None:
        self.records = {record.document_id: record for record in records}

    def names(self) -> Procedure[list[str]]:
        """Return the ids of all documents that have a record."""
        yield from ()
        return [*self.records]

    def read(self, names: Sequence[str]) -> Procedure[list[DocumentRecord]]:
        """Return the records of documents by their ids; ids without a record are skipped."""
        yield from ()
        records = self.records
        return [records[name] for name in names if name in records]

    def write(self, records: Sequence[DocumentRecord], deleted: Sequence[str]) -> Procedure[None]:
        """Write records, replacing those of the same documents, and delete others by their ids.

        Searches in other threads see either all old or all new records.
        """
        yield from ()
        written = self.records | {record.document_id: record for record in records}
        for name in deleted:
            written.pop(name, None)
        self.records = written
