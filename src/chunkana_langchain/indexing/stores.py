"""The stores of an index, which carry out the steps of an update."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from langchain_core.runnables import run_in_executor
from msgspec.structs import replace

from chunkana_langchain.indexing.leaves import Leaf, LeafStore, MemoryLeaves
from chunkana_retrieval import LexicalIndex
from chunkana_retrieval.indexing import (
    AddLeaves,
    DeleteLeaves,
    DocumentRecord,
    IndexFile,
    IndexSnapshot,
    ListDocuments,
    MemoryRecords,
    ReadRecords,
    RecordStore,
    Step,
    WriteRecords,
)

_LOST = "lost"  # the fingerprint of no document


@dataclass(frozen=True, slots=True)
class IndexStores:
    """Records, vectors and words of documents, in memory or in stores of the caller's.

    Attributes:
        records: of the documents.
        leaves: with their vectors; None for a search by words alone.
        lexical: their words; None for a search by vectors alone.
        file: where everything that is in memory is saved; None for nowhere.
    """

    records: RecordStore
    leaves: LeafStore | None
    lexical: LexicalIndex | None
    file: IndexFile | None = None

    @property
    def has_external(self) -> bool:
        """Whether records or vectors are in a store of the caller's."""
        is_external = self.leaves is not None and not isinstance(self.leaves, MemoryLeaves)
        return is_external or not isinstance(self.records, MemoryRecords)

    def save(self, *, with_words: bool = True) -> None:
        """Write what is in memory to the file, if there is one.

        Args:
            with_words: whether words are written too; without, `load` collects them again.

        Raises:
            IndexFileError: if another has written the file meanwhile.
        """
        if self.file is not None:
            self.file.save(self._snapshot(with_words=with_words))

    def save_to(self, folder: str | Path) -> None:
        """Write what is in memory to a folder."""
        if self.file is not None and self.file.folder == Path(folder):
            self.save()
        else:
            self._snapshot(with_words=True).save(folder)

    def require_latest(self) -> None:
        """Raise an IndexFileError if another has written the file since it was loaded."""
        if self.file is not None:
            self.file.require_latest()

    def _snapshot(self, *, with_words: bool) -> IndexSnapshot:
        """Return what is in memory."""
        records: list[DocumentRecord] | None = None
        if isinstance(self.records, MemoryRecords):
            records = [*self.records.records.values()]
        vectors: dict[str, list[float]] | None = None
        if self.leaves is None:
            vectors = {}  # of an index that has none
        elif isinstance(self.leaves, MemoryLeaves):
            vectors = self.leaves.vectors()
        return IndexSnapshot(records, vectors, self.lexical if with_words else None)


@dataclass(slots=True)
class UpdateRun:
    """Carries out the steps of one update.

    Attributes:
        stores: where.
        is_new: whether the index is made anew, in place of what the folder has.
        has_written: whether anything changed.
    """

    stores: IndexStores
    is_new: bool = False
    has_written: bool = False
    _uncertain: set[str] = field(
        default_factory=set
    )  # documents without a record, or with a damaged one

    def perform(self, step: Step[object]) -> object:
        """Carry out a step."""
        records, leaves = self.stores.records, self.stores.leaves
        match step:
            case ListDocuments():
                return records.names()
            case ReadRecords(names):
                return self._read(names, records.read(names))
            case WriteRecords(written, deleted):
                records.write(written, deleted)
                self._save_records()
            case AddLeaves(added) if leaves is not None:
                leaves.delete_known(self._left_over(added))
                leaves.add(added)
            case DeleteLeaves(names) if leaves is not None:
                leaves.delete(names)
        return None

    async def aperform(self, step: Step[object]) -> object:
        """Carry out a step."""
        records, leaves = self.stores.records, self.stores.leaves
        match step:
            case ListDocuments():
                return await records.anames()
            case ReadRecords(names):
                return self._read(names, await records.aread(names))
            case WriteRecords(written, deleted):
                await records.awrite(written, deleted)
                await run_in_executor(None, self._save_records)
            case AddLeaves(added) if leaves is not None:
                await leaves.adelete_known(self._left_over(added))
                await leaves.aadd(added)
            case DeleteLeaves(names) if leaves is not None:
                await leaves.adelete(names)
        return None

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Save what is in memory when all is done, or as far as it is."""
        is_done = False
        try:
            yield
            is_done = True
        finally:
            self._finish(is_done=is_done)

    @asynccontextmanager
    async def asaving(self) -> AsyncIterator[None]:
        """Save what is in memory when all is done, or as far as it is."""
        is_done = False
        try:
            yield
            is_done = True
        finally:
            await run_in_executor(None, partial(self._finish, is_done=is_done))

    def _finish(self, *, is_done: bool) -> None:
        """Save what is in memory; a new index takes the place of another one only as a whole."""
        is_whole = is_done or self.stores.has_external or not self.is_new
        if is_whole and (self.has_written or self.is_new):
            self.stores.save()

    def _save_records(self) -> None:
        """Save records beside a vector store of the caller's, which has changed or will.

        What is in memory as a whole is saved when all is done. Words are left out meanwhile, so
        that none are loaded that are of other records.
        """
        stores, is_first = self.stores, not self.has_written
        self.has_written = True
        if stores.has_external and (is_first or isinstance(stores.records, MemoryRecords)):
            stores.save(with_words=False)

    def _read(
        self, document_ids: Sequence[str], records: Sequence[DocumentRecord]
    ) -> list[DocumentRecord]:
        """Return records, of which those are changed whose vectors are not in memory any more."""
        indexed = {record.document_id for record in records if record.fingerprint}
        self._uncertain |= {*document_ids} - indexed
        leaves = self.stores.leaves
        if not isinstance(leaves, MemoryLeaves):
            return [*records]
        return [_with_known_leaves(record, leaves) for record in records]

    def _left_over(self, added: Sequence[Leaf]) -> list[str]:
        """Return the ids of leaves that a store may have although no record says so.

        Their record was damaged, or is not where the vector store is.
        """
        if isinstance(self.stores.leaves, MemoryLeaves):
            return []
        return [leaf.leaf_id for record, leaf in added if record.document_id in self._uncertain]


def _with_known_leaves(record: DocumentRecord, leaves: MemoryLeaves) -> DocumentRecord:
    known = tuple([leaf for leaf in record.leaves if leaf.leaf_id in leaves])
    if len(known) == len(record.leaves):
        return record
    return replace(record, leaves=known, fingerprint=_LOST)
