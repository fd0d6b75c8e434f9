"""The stores of an index and its file."""

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
    """The records, leaves and words of documents, in memory or in the caller's stores.

    Attributes:
        records: the store of the documents' records.
        leaves: the store of leaves with their vectors; None for an index without vectors.
        lexical: the index of words; None if the search is only dense.
        file: the file in which everything in memory is saved; None to save nothing.
        is_changed: whether the index has changed since it was saved.
    """

    records: RecordStore
    leaves: LeafStore[Asked] | None
    lexical: LexicalIndex | None
    file: IndexFile | None
    is_changed: bool = False

    @property
    def external_leaves(self) -> LeafStore[Asked] | None:
        """The caller's store of leaves; None if leaves are in memory or there are none."""
        return None if self.leaves is None or self.leaves.is_in_memory else self.leaves

    @property
    def has_external(self) -> bool:
        """Whether records or leaves are in the caller's stores."""
        return self.external_leaves is not None or not isinstance(self.records, MemoryRecords)

    def write(
        self, records: Sequence[DocumentRecord], deleted: Sequence[str] = ()
    ) -> Procedure[None]:
        """Write records, replacing those of the same documents, and delete those of others."""
        yield from self.records.write(records, deleted)
        yield from call_in_thread(self._save_progress)

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        """Embed and store leaves; do nothing without leaves or without a store."""
        if leaves and self.leaves is not None:
            yield from self.leaves.add(leaves)

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete leaves by their ids; unknown ids are ignored."""
        if leaf_ids and self.leaves is not None:
            yield from self.leaves.delete(leaf_ids)

    def _save_progress(self) -> None:
        """Save the index file during an update if some stores are the caller's.

        Records must match the caller's stores at any moment. An index that is wholly in memory is
        saved only at the end. The file omits the words until then, since they may not match the
        records.
        """
        is_first, self.is_changed = not self.is_changed, True
        is_outdated = is_first or isinstance(self.records, MemoryRecords)
        if self.file is not None and self.has_external and is_outdated:
            self.file.save(self._snapshot(with_words=False))

    def save_changes(self) -> None:
        """Save everything in memory to the file if the index has changed."""
        if self.file is not None and self.is_changed:
            self.file.save(self._snapshot())
        self.is_changed = False

    def save_to(self, folder: str | Path) -> None:
        """Save everything in memory to a folder."""
        if self.file is not None and self.file.folder == Path(folder):
            self.file.save(self._snapshot())
        else:
            self._snapshot().save(folder)

    def _snapshot(self, *, with_words: bool = True) -> IndexSnapshot:
        """Return a snapshot of everything in memory."""
        records = self.records.records if isinstance(self.records, MemoryRecords) else None
        vectors = {} if self.leaves is None else self.leaves.vectors()
        return IndexSnapshot(
            None if records is None else [*records.values()],
            None if self.external_leaves is not None else vectors,
            self.lexical if with_words else None,
        )
