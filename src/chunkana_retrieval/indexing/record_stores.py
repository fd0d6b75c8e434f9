"""Where records of documents are kept: what every store of records does, and one in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from chunkana_retrieval.indexing.records import DocumentRecord


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
