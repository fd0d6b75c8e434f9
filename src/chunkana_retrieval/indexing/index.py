"""The document index: creation, loading, updates, searches and saving."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from chunkana_core import ConfigurationError
from chunkana_retrieval.errors import IndexFileError, UnknownLeavesWarning, warn
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.indexing.calls import Procedure, call_in_thread, run, run_async
from chunkana_retrieval.indexing.exclusion import UpdateLock
from chunkana_retrieval.indexing.index_stores import IndexStores
from chunkana_retrieval.indexing.searching import (
    FoundLeaves,
    Question,
    SearchKind,
    has_no_known_leaf,
)
from chunkana_retrieval.indexing.snapshot import IndexFile, IndexSnapshot
from chunkana_retrieval.indexing.stores import (
    Leaf,
    LeafStore,
    MemoryRecords,
    Proposal,
    RecordStore,
)
from chunkana_retrieval.indexing.updating import SourceDocuments, Update, UpdateReport
from chunkana_retrieval.lexical.index import LexicalIndex

Asked = TypeVar("Asked")
_BATCH = 256  # documents that are read or changed together
_EMPTY = IndexSnapshot(None, None, None)
_NO_VECTORS = "'lexical': the folder has no vectors; make the index again for another search"
_NO_VECTORSTORE = "None with search='lexical', which uses no vector store"


class DocumentIndex(Generic[Asked]):
    """An index of documents over stores of records, leaves and words.

    Searches may run during an update. Only one update runs at a time.

    Attributes:
        stores: the stores of the index, and its file.
    """

    def __init__(
        self,
        leaves: LeafStore[Asked],
        records: RecordStore | None = None,
        folder: str | Path | None = None,
        search: SearchKind = "hybrid",
    ) -> None:
        """Set the stores; `make` and `load` read the content of the stores and the folder.

        Args:
            leaves: the store of leaves, the caller's or one in memory.
            records: the caller's store of records; None to keep them in memory.
            folder: the folder in which everything in memory is saved; None to save nothing.
            search: the kind of search to support.
        """
        self.stores: IndexStores[Asked] = IndexStores(
            MemoryRecords() if records is None else records,
            leaves,
            None if search == "dense" else LexicalIndex(),
            None if folder is None else IndexFile(folder),
        )
        self._search = search
        self._lock = UpdateLock()
        self._is_complete = False  # whether all leaves in memory have vectors

    def make(self, documents: SourceDocuments) -> UpdateReport:
        """Index documents; the caller's stores may already contain documents and are updated.

        Everything in memory is built from scratch and replaces the saved index atomically.

        Raises:
            ConfigurationError: for a vector store of the caller's with a lexical search.
            OSError: if the folder cannot be created; then nothing is changed.
        """
        return run(self._make(documents))

    async def amake(self, documents: SourceDocuments) -> UpdateReport:
        """Index documents asynchronously, see `make`."""
        return await run_async(self._make(documents))

    def load(self) -> None:
        """Load the index that the folder contains; warn once about unfinished updates.

        Raises:
            ConfigurationError: for a missing store, and for a store whose content is in the folder.
            IndexFileError: naming the file, if it is damaged or of another version.
            OSError: if the file cannot be read.
        """
        run(self._load())

    async def aload(self) -> None:
        """Load the index asynchronously, see `load`."""
        await run_async(self._load())

    def update(
        self,
        documents: SourceDocuments,
        deleted: Iterable[str] = (),
        *,
        delete_missing: bool = False,
    ) -> UpdateReport:
        """Index new and changed documents, and delete documents; for the arguments see `Update`.

        Raises:
            IndexFileError: if another writer has replaced the file since it was loaded; then
                nothing is changed.
        """
        with self._lock:
            return run(self._update(documents, deleted, delete_missing=delete_missing))

    async def aupdate(
        self,
        documents: SourceDocuments,
        deleted: Iterable[str] = (),
        *,
        delete_missing: bool = False,
    ) -> UpdateReport:
        """Index new and changed documents asynchronously, see `update`."""
        async with self._lock:
            procedure = self._update(documents, deleted, delete_missing=delete_missing)
            return await run_async(procedure)

    def _make(self, documents: SourceDocuments) -> Procedure[UpdateReport]:
        stores = self.stores
        if stores.file is not None:
            stores.file.folder.mkdir(parents=True, exist_ok=True)
        if self._search == "lexical":
            if stores.external_leaves is not None:
                raise ConfigurationError("vectorstore", stores.external_leaves, _NO_VECTORSTORE)
            stores.leaves = None
        yield from self._open(self._restore_records())
        return (yield from self._update(documents, is_new=True))

    def _load(self) -> Procedure[None]:
        stores, is_lexical = self.stores, self._search == "lexical"
        saved = IndexSnapshot(None, {} if is_lexical else None, None)  # used without a folder
        if stores.file is not None:
            saved = IndexSnapshot.load(stores.file.folder)
        records = None if isinstance(stores.records, MemoryRecords) else stores.records
        _require_part("docstore", "records", records, saved.records)
        _require_part("vectorstore", "leaves", stores.external_leaves, saved.vectors)
        if saved.vectors == {} and is_lexical:
            stores.leaves = None
        elif saved.vectors == {} and saved.records:
            raise ConfigurationError("search", self._search, _NO_VECTORS)
        self._restore(saved)
        yield from self._open(saved)
        yield from self._embed_missing()
        stores.is_changed = False

    def _restore_records(self) -> IndexSnapshot:
        """Restore saved records whose leaves are in the caller's vector store; return the snapshot.

        Returns:
            The snapshot in the folder, an empty one if there are no such records.
        """
        stores = self.stores
        has_memory_records = isinstance(stores.records, MemoryRecords)
        if stores.external_leaves is None or not has_memory_records or stores.file is None:
            return _EMPTY
        try:
            saved = IndexSnapshot.load(stores.file.folder)
        except FileNotFoundError:
            return _EMPTY
        except IndexFileError as error:
            warn(f"{error}; the vectorstore may keep leaves that are never found")
            return _EMPTY
        if saved.vectors is not None:  # then the leaves are in the file, not in a vector store
            return _EMPTY
        self._restore(saved)
        return saved

    def _restore(self, saved: IndexSnapshot) -> None:
        """Use the records and the file digest of a snapshot."""
        if saved.records is not None:
            self.stores.records = MemoryRecords(saved.records)
        if self.stores.file is not None:
            self.stores.file.digest = saved.digest

    def _open(self, saved: IndexSnapshot) -> Procedure[None]:
        """Read all records, restore their words and vectors, and warn of unfinished updates."""
        lexical, leaves = self.stores.lexical, self.stores.leaves
        if lexical is not None and saved.lexical is not None:
            self.stores.lexical, lexical = saved.lexical, None
        vectors, states = saved.vectors or {}, list[str]()
        for names in _batches((yield from self.stores.records.names())):
            records = yield from self.stores.records.read(names)
            if lexical is not None:
                lexical.replace({one.document_id: one.entries() for one in records})
            if leaves is not None:
                pairs = [(record, leaf) for record in records for leaf in record.leaves]
                known = [(r.embedded(leaf), vectors.get(leaf.leaf_id)) for r, leaf in pairs]
                leaves.remember({text: vector for text, vector in known if vector is not None})
            states += [f"{one.document_id} ({one.unfinished})" for one in records if one.unfinished]
        if states:
            warn(
                "an update was not finished; until you pass these documents to `update`, searches "
                f"find each as it was before or after that update: {', '.join(states)}"
            )

    def _embed_missing(self) -> Procedure[None]:
        """Embed the leaves of stored records that have no vector in memory, as after a restart."""
        leaves, missing = self.stores.leaves, list[Leaf]()
        if self._is_complete or leaves is None or not leaves.is_in_memory:
            return
        known = leaves.vectors()
        for names in _batches((yield from self.stores.records.names())):
            for record in (yield from self.stores.records.read(names)):
                without = [leaf for leaf in record.leaves if leaf.leaf_id not in known]
                missing += [(record, leaf) for leaf in without]
        yield from self.stores.add(missing)
        self._is_complete = True

    def _update(
        self,
        documents: SourceDocuments,
        deleted: Iterable[str] = (),
        *,
        delete_missing: bool = False,
        is_new: bool = False,
    ) -> Procedure[UpdateReport]:
        stores, is_done = self.stores, False
        if stores.file is not None:
            stores.file.require_latest()
        update = Update(documents, stores, _BATCH)
        try:
            report = yield from update.steps(deleted, delete_missing=delete_missing)
            yield from self._embed_missing()
            is_done = True
        finally:  # save an interrupted update, except of a new index, which is saved as a whole
            if not is_done and (stores.has_external or not is_new):
                stores.save_changes()
        stores.is_changed |= is_new
        yield from call_in_thread(stores.save_changes)
        return report

    def find(self, question: Question[Asked]) -> Procedure[FoundLeaves]:
        """Search the stores for a question; warn if the vector store has no leaf of the index."""
        stores, lexical = self.stores, self.stores.lexical
        proposals: Sequence[Proposal] = []
        hits: Sequence[Hit] = []
        if question.asked is not None and stores.leaves is not None:
            proposals = yield from stores.leaves.find(question.asked)
        if lexical is not None and len(lexical):
            count = len(lexical) if question.is_filtered else question.count
            hits = yield from call_in_thread(lexical.search, question.words, count)
        names = [*(one.document_id for one in proposals), *(hit.document_id for hit in hits)]
        records = yield from stores.records.read([*dict.fromkeys(names)])
        is_unfiltered = question.asked is not None and not question.is_filtered
        if is_unfiltered and stores.external_leaves is not None:
            is_unknown = yield from has_no_known_leaf(proposals, records, stores.records)
            if is_unknown:
                warn(UnknownLeavesWarning())
        return FoundLeaves(proposals, hits, records, question.is_filtered)


def _require_part(name: str, kind: str, given: object, saved: object) -> None:
    """Raise a ConfigurationError unless a part of an index is either given or saved."""
    if given is None and saved is None:
        allowed = f"the {name} that has the {kind} of this index, which are not in its folder"
        raise ConfigurationError(name, None, allowed)
    if given is not None and saved is not None:
        raise ConfigurationError(name, given, f"None: the {kind} of this index are in its folder")


def _batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield names in batches, so that no store is asked for all documents at once."""
    return (names[start : start + _BATCH] for start in range(0, len(names), _BATCH))
