"""Where an index is kept: what every store of records and of leaves does, and records in memory."""

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
        document_id: of its document.
        leaf_id: in the vector store.
        score: of the search, in any unit, None for none.
    """

    document_id: str
    leaf_id: str
    score: float | None


class LeafStore(Protocol[AskedT_contra]):
    """Keeps leaves with their vectors, under the ids that records have of them.

    Its type parameter is what it is asked: a question in a framework's type.

    Attributes:
        is_in_memory: whether an index makes it, and saves its vectors.
    """

    is_in_memory: bool

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        """Embed leaves and store them."""
        ...

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete leaves, some of which may not be there."""
        ...

    def find(self, asked: AskedT_contra) -> Procedure[list[Proposal]]:
        """Return the nearest leaves, the best first."""
        ...

    def vectors(self) -> Mapping[str, Sequence[float]]:
        """Return the vectors of a store in memory, by the ids of leaves."""
        ...

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep the vectors of texts, which are not embedded when leaves have them."""
        ...


class RecordStore(Protocol):
    """Keeps records by the ids of their documents; reads a damaged one as one without leaves."""

    def names(self) -> Procedure[list[str]]:
        """Return the ids of all documents."""
        ...

    def read(self, names: Sequence[str]) -> Procedure[list[DocumentRecord]]:
        """Return the records of documents, without those that there are none of."""
        ...

    def write(self, records: Sequence[DocumentRecord], deleted: Sequence[str]) -> Procedure[None]:
        """Put records in place of those of the same documents, and delete others."""
        ...


class MemoryRecords:
    """Keeps records in memory.

    Attributes:
        records: by the ids of their documents.
    """

    def __init__(self, records: Iterable[DocumentRecord] = ()) -> None:
        self.records = {record.document_id: record for record in records}

    def names(self) -> Procedure[list[str]]:
        """Return the ids of all documents."""
        yield from ()
        return [*self.records]

    def read(self, names: Sequence[str]) -> Procedure[list[DocumentRecord]]:
        """Return the records of documents, without those that there are none of."""
        yield from ()
        records = self.records
        return [records[name] for name in names if name in records]

    def write(self, records: Sequence[DocumentRecord], deleted: Sequence[str]) -> Procedure[None]:
        """Put records in place of those of the same documents, and delete others.

        Searches of other threads see all as before, or all as they are now.
        """
        yield from ()
        written = self.records | {record.document_id: record for record in records}
        for name in deleted:
            written.pop(name, None)
        self.records = written
