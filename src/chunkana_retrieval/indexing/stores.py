"""Where an index is kept: what every store of records and of leaves does, and records in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from chunkana_retrieval.indexing.records import DocumentRecord
from chunkana_retrieval.indexing.steps import Leaf, Proposal

AskedT_contra = TypeVar("AskedT_contra", contravariant=True)


class LeafStore(Protocol[AskedT_contra]):
    """Keeps leaves with their vectors, under the ids that records have of them.

    Its type parameter is what it is asked: a question in a framework's type.

    Attributes:
        is_in_memory: whether an index makes it, and saves its vectors.
    """

    is_in_memory: bool

    def add(self, leaves: Sequence[Leaf]) -> None:
        """Embed leaves and store them."""
        ...

    async def aadd(self, leaves: Sequence[Leaf]) -> None:
        """Embed leaves and store them."""
        ...

    def delete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves, some of which may not be there."""
        ...

    async def adelete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves, some of which may not be there."""
        ...

    def find(self, asked: AskedT_contra) -> Sequence[Proposal]:
        """Return the nearest leaves, the best first."""
        ...

    async def afind(self, asked: AskedT_contra) -> Sequence[Proposal]:
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

    def names(self) -> list[str]:
        """Return the ids of all documents."""
        ...

    async def anames(self) -> list[str]:
        """Return the ids of all documents."""
        ...

    def read(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        ...

    async def aread(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        ...

    def write(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        ...

    async def awrite(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        ...


class MemoryRecords:
    """Keeps records in memory.

    Attributes:
        records: by the ids of their documents.
    """

    def __init__(self, records: Iterable[DocumentRecord] = ()) -> None:
        self.records = {record.document_id: record for record in records}

    def names(self) -> list[str]:
        """Return the ids of all documents."""
        return [*self.records]

    async def anames(self) -> list[str]:
        """Return the ids of all documents."""
        return self.names()

    def read(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        records = self.records
        return [records[name] for name in names if name in records]

    async def aread(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        return self.read(names)

    def write(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others.

        Searches of other threads see all as before, or all as they are now.
        """
        written = self.records | {record.document_id: record for record in records}
        for name in deleted:
            written.pop(name, None)
        self.records = written

    async def awrite(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        self.write(records, deleted)
