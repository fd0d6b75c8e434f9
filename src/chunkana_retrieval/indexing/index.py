"""An index of documents: how it is made, loaded, changed and asked, and where it is saved."""

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
_NOTHING = IndexSnapshot(None, None, None)
_ANEW = "'lexical': the folder has no vectors, with which it has to be made anew"
_WORDS_ALONE = "None with search='lexical', which looks for words alone"


class DocumentIndex(Generic[Asked]):
    """Documents in stores, searched and brought up to date.

    Questions may be asked while documents change. Updates wait for each other.

    Attributes:
        stores: what is known of the documents.
    """

    def __init__(
        self,
        leaves: LeafStore[Asked],
        records: RecordStore | None = None,
        folder: str | Path | None = None,
        search: SearchKind = "hybrid",
    ) -> None:
        """Take stores; `make` and `load` look for what they and the folder have.

        Args:
            leaves: the caller's, or one in memory.
            records: the caller's; None for in memory.
            folder: where what is in memory is saved; None for nowhere.
            search: which searches there are.
        """
        self.stores: IndexStores[Asked] = IndexStores(
            MemoryRecords() if records is None else records,
            leaves,
            None if search == "dense" else LexicalIndex(),
            None if folder is None else IndexFile(folder),
        )
        self._search = search
        self._lock = UpdateLock()
        self._is_complete = False  # whether all leaves in memory are known to have vectors

    def make(self, documents: SourceDocuments) -> UpdateReport:
        """Bring stores that may have documents already to these, as `update` does.

        What is in memory is made anew, in place of what the folder has, as a whole or not at all.

        Raises:
            ConfigurationError: for a vector store of the caller's where words alone are searched.
            OSError: if the folder cannot be made, before anything is done.
        """
        return run(self._making(documents))

    async def amake(self, documents: SourceDocuments) -> UpdateReport:
        """Do what `make` does, asynchronously."""
        return await run_async(self._making(documents))

    def load(self) -> None:
        """Take what the folder has; warn once of updates that were not finished.

        Raises:
            ConfigurationError: for a store that is missing, or whose content the folder has.
            IndexFileError: naming the file, if it is damaged or of another version.
            OSError: if it cannot be read.
        """
        run(self._loading())

    async def aload(self) -> None:
        """Do what `load` does, asynchronously."""
        await run_async(self._loading())

    def update(
        self,
        documents: SourceDocuments,
        deleted: Iterable[str] = (),
        *,
        delete_missing: bool = False,
    ) -> UpdateReport:
        """Bring the index to today's documents, and delete others; see `Update`.

        Raises:
            IndexFileError: before anything is changed, if another has written the file since it
                was loaded.
        """
        with self._lock:
            updating = self._updating(documents, deleted, delete_missing=delete_missing)
            return run(updating)

    async def aupdate(
        self,
        documents: SourceDocuments,
        deleted: Iterable[str] = (),
        *,
        delete_missing: bool = False,
    ) -> UpdateReport:
        """Do what `update` does, asynchronously."""
        async with self._lock:
            updating = self._updating(documents, deleted, delete_missing=delete_missing)
            return await run_async(updating)

    def _making(self, documents: SourceDocuments) -> Procedure[UpdateReport]:
        stores = self.stores
        if stores.file is not None:
            stores.file.folder.mkdir(parents=True, exist_ok=True)
        if self._search == "lexical":
            if stores.external_leaves is not None:
                raise ConfigurationError("vectorstore", stores.external_leaves, _WORDS_ALONE)
            stores.leaves = None
        yield from self._opening(self._recalled())
        return (yield from self._updating(documents, is_new=True))

    def _loading(self) -> Procedure[None]:
        stores, has_words_alone = self.stores, self._search == "lexical"
        saved = IndexSnapshot(None, {} if has_words_alone else None, None)  # of no folder
        if stores.file is not None:
            saved = IndexSnapshot.load(stores.file.folder)
        records = None if isinstance(stores.records, MemoryRecords) else stores.records
        _require_part("docstore", "records", records, saved.records)
        _require_part("vectorstore", "leaves", stores.external_leaves, saved.vectors)
        if saved.vectors == {} and has_words_alone:
            stores.leaves = None
        elif saved.vectors == {} and saved.records:
            raise ConfigurationError("search", self._search, _ANEW)
        self._take(saved)
        yield from self._opening(saved)
        yield from self._embed_missing()
        stores.is_changed = False

    def _recalled(self) -> IndexSnapshot:
        """Take the records that the folder has of a vector store of the caller's, if any."""
        stores = self.stores
        is_here = stores.external_leaves is None or not isinstance(stores.records, MemoryRecords)
        if is_here or stores.file is None:
            return _NOTHING
        try:
            saved = IndexSnapshot.load(stores.file.folder)
        except FileNotFoundError:
            return _NOTHING
        except IndexFileError as error:
            warn(f"{error}; the vectorstore may keep leaves that are never found")
            return _NOTHING
        if saved.vectors is not None:  # then its leaves are in no other store
            return _NOTHING
        self._take(saved)
        return saved

    def _take(self, saved: IndexSnapshot) -> None:
        if saved.records is not None:
            self.stores.records = MemoryRecords(saved.records)
        if self.stores.file is not None:
            self.stores.file.digest = saved.digest

    def _opening(self, saved: IndexSnapshot) -> Procedure[None]:
        """Read all records, for words and vectors; warn of what is unfinished."""
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
                "an update was not finished; until `update` is given these documents, each is "
                f"answered as it was before it or is after it: {', '.join(states)}"
            )

    def _embed_missing(self) -> Procedure[None]:
        """Add the leaves of stored records that have no vector in memory, as after a restart."""
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

    def _updating(
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
        finally:  # as far as it is done; a new index takes the place of another as a whole alone
            if not is_done and (stores.has_external or not is_new):
                stores.save_changes()
        stores.is_changed |= is_new
        yield from call_in_thread(stores.save_changes)
        return report

    def find(self, question: Question[Asked]) -> Procedure[FoundLeaves]:
        """Return what a question finds; warn if a vector store has no leaf of the index."""
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
        is_telling = question.asked is not None and not question.is_filtered
        if is_telling and stores.external_leaves is not None:
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
    """Yield names, some at a time: stores are not asked for all documents at once."""
    return (names[start : start + _BATCH] for start in range(0, len(names), _BATCH))
