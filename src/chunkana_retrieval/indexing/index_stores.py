"""The stores of an index, which carry out the steps of updates and searches, and its file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar, cast

from chunkana_retrieval.indexing.snapshot import IndexFile, IndexSnapshot
from chunkana_retrieval.indexing.steps import (
    AddLeaves,
    DeleteLeaves,
    FindLeaves,
    FindWords,
    ListDocuments,
    ReadRecords,
    SaveChanges,
    Step,
    WriteRecords,
)
from chunkana_retrieval.indexing.stores import LeafStore, MemoryRecords, RecordStore
from chunkana_retrieval.lexical.index import LexicalIndex

Asked = TypeVar("Asked")


@dataclass(slots=True)
class IndexStores(Generic[Asked]):
    """Records, leaves and words of documents, in memory or in stores of the caller's.

    Attributes:
        records: of the documents.
        leaves: with their vectors; None where there are none.
        lexical: their words; None where vectors alone are searched.
        file: where everything that is in memory is saved; None for nowhere.
        is_changed: whether that has changed since it was saved.
    """

    records: RecordStore
    leaves: LeafStore[Asked] | None
    lexical: LexicalIndex | None
    file: IndexFile | None
    is_changed: bool = False

    @property
    def external_leaves(self) -> LeafStore[Asked] | None:
        """The leaves in a vector store of the caller's."""
        return None if self.leaves is None or self.leaves.is_in_memory else self.leaves

    @property
    def has_external(self) -> bool:
        """Whether records or leaves are in stores of the caller's."""
        return self.external_leaves is not None or not isinstance(self.records, MemoryRecords)

    def perform(self, step: Step[object]) -> object:
        """Carry out a step."""
        records, leaves = self.records, self.leaves
        match step:
            case ListDocuments():
                return records.names()
            case ReadRecords(names):
                return records.read(names)
            case WriteRecords(written, deleted):
                records.write(written, deleted)
                self._note_written()
            case AddLeaves(added) if leaves is not None:
                leaves.add(added)
            case DeleteLeaves(names) if leaves is not None:
                leaves.delete(names)
            case FindLeaves(asked) if leaves is not None:
                return leaves.find(cast("Asked", asked))
            case FindWords(words, count) if self.lexical is not None:
                return self.lexical.search(words, count)
            case SaveChanges():
                self.save_changes()
        return None

    async def aperform(self, step: Step[object]) -> object:
        """Carry out a step; what has no asynchronous form, in a thread."""
        records, leaves = self.records, self.leaves
        match step:
            case ListDocuments():
                return await records.anames()
            case ReadRecords(names):
                return await records.aread(names)
            case WriteRecords(written, deleted):
                await records.awrite(written, deleted)
                await asyncio.to_thread(self._note_written)
            case AddLeaves(added) if leaves is not None:
                await leaves.aadd(added)
            case DeleteLeaves(names) if leaves is not None:
                await leaves.adelete(names)
            case FindLeaves(asked) if leaves is not None:
                return await leaves.afind(cast("Asked", asked))
            case _:
                return await asyncio.to_thread(self.perform, step)
        return None

    def _note_written(self) -> None:
        """Save records beside stores of the caller's, which have changed or will.

        What is in memory as a whole is saved when all is done. Words are left out meanwhile, so
        that none are loaded that are of other records.
        """
        is_first, self.is_changed = not self.is_changed, True
        is_kept = is_first or isinstance(self.records, MemoryRecords)
        if self.file is not None and self.has_external and is_kept:
            self.file.save(self._snapshot(with_words=False))

    def save_changes(self) -> None:
        """Write what is in memory to the file, if it has changed."""
        if self.file is not None and self.is_changed:
            self.file.save(self._snapshot())
        self.is_changed = False

    def save_to(self, folder: str | Path) -> None:
        """Write what is in memory to a folder."""
        if self.file is not None and self.file.folder == Path(folder):
            self.file.save(self._snapshot())
        else:
            self._snapshot().save(folder)

    def _snapshot(self, *, with_words: bool = True) -> IndexSnapshot:
        """Return what is in memory."""
        records = self.records.records if isinstance(self.records, MemoryRecords) else None
        vectors = {} if self.leaves is None else self.leaves.vectors()  # {} of one that has none
        return IndexSnapshot(
            None if records is None else [*records.values()],
            None if self.external_leaves is not None else vectors,
            self.lexical if with_words else None,
        )
