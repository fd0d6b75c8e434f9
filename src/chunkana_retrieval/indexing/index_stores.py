"""The stores of an index, and its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from chunkana_retrieval.indexing.calls import Procedure, call_in_thread
from chunkana_retrieval.indexing.records import DocumentRecord
from chunkana_retrieval.indexing.snapshot import IndexFile, IndexSnapshot
from chunkana_retrieval.indexing.stores import Leaf, LeafStore, MemoryRecords, RecordStore
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

    def write(
        self, records: Sequence[DocumentRecord], deleted: Sequence[str] = ()
    ) -> Procedure[None]:
        """Put records in place of those of the same documents, and delete others."""
        yield from self.records.write(records, deleted)
        yield from call_in_thread(self._note_written)

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        """Embed leaves and store them, if there are any, and a place for them."""
        if leaves and self.leaves is not None:
            yield from self.leaves.add(leaves)

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete leaves, if there are any; some of them may not be there."""
        if leaf_ids and self.leaves is not None:
            yield from self.leaves.delete(leaf_ids)

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
