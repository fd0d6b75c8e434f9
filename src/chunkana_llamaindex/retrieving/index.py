"""An index of documents: its stores, how they change and are asked, and where it is saved."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from llama_index.core.schema import QueryBundle
from llama_index.core.vector_stores import MetadataFilters

from chunkana_llamaindex.retrieving.leaves import LeafStore, is_empty
from chunkana_llamaindex.warning import warn
from chunkana_retrieval import Hit, IndexFileError, LexicalIndex, UnknownLeavesWarning
from chunkana_retrieval.indexing import (
    AddLeaves,
    DeleteLeaves,
    DocumentRecord,
    IndexFile,
    IndexSnapshot,
    LeafRecord,
    ListDocuments,
    MemoryRecords,
    Proposal,
    RankingOptions,
    ReadRecords,
    RecordStore,
    Step,
    Update,
    UpdateReport,
    WriteRecords,
    has_no_known_leaf,
    rank_leaves,
    run,
    run_async,
)
from chunkana_retrieval.indexing.steps import Procedure

_BATCH_SIZE = 64  # documents that are read or changed together in stores of the caller's


class DocumentIndex:
    """Records of documents, their leaves in a vector store, and their words.

    Attributes:
        records: of all documents.
        leaves: None where words alone are searched.
        lexical: None where vectors alone are.
        file: where all of it is saved that is in memory, None for nowhere.
        is_saved: whether something was saved there since it was made.
    """

    def __init__(
        self,
        records: RecordStore,
        leaves: LeafStore | None,
        lexical: LexicalIndex | None,
        folder: Path | None,
    ) -> None:
        self.records = records
        self.leaves = leaves
        self.lexical = lexical
        self.file = None if folder is None else IndexFile(folder)
        self.is_saved = False
        self._is_complete = False  # whether all leaves of records are known to have vectors

    def opening(self, saved: IndexSnapshot) -> Procedure[None]:
        """Yield what is asked of the stores before the first search; warn of what is unfinished.

        Args:
            saved: what is known already besides the records.
        """
        has_words = self.lexical is not None and saved.lexical is not None
        if has_words:
            self.lexical = saved.lexical
        states: list[str] = []
        names = yield from ListDocuments().ask()
        for some in _batches(names):
            records = yield from ReadRecords(some).ask()
            if self.lexical is not None and not has_words:
                self.lexical.replace({one.document_id: [*one.entries()] for one in records})
            if self.leaves is not None and saved.vectors is not None:
                self.leaves.restore(records, saved.vectors)
            states += [f"{r.document_id} ({r.unfinished})" for r in records if r.unfinished]
        _warn_of_unfinished(states)
        yield from self._embed_missing()

    def recall(self) -> IndexSnapshot:
        """Take the records that the folder has of a vector store of the caller's, if any."""
        is_elsewhere = self.leaves is not None and not self.leaves.is_in_memory
        nothing = IndexSnapshot(None, None, None)
        if not is_elsewhere or self.file is None or not isinstance(self.records, MemoryRecords):
            return nothing
        try:
            saved = IndexSnapshot.load(self.file.folder)
        except FileNotFoundError:
            return nothing
        except IndexFileError as error:
            warn(f"{error}; the vectorstore may keep leaves that are never found")
            return nothing
        self.records = MemoryRecords(saved.records or ())
        self.file.digest = saved.digest
        return saved

    def updating(
        self,
        fingerprints: Mapping[str, str],
        make_record: Callable[[str], DocumentRecord],
        deleted: Iterable[str],
        *,
        delete_missing: bool,
    ) -> Procedure[UpdateReport]:
        """Yield what is asked of the stores while documents change; see `Update`.

        Raises:
            IndexFileError: before anything is changed, if another has written the file since it
                was loaded.
        """
        if self.file is not None:
            self.file.require_latest()
        in_memory = self.leaves is None or self.leaves.is_in_memory
        size = sys.maxsize if in_memory else _BATCH_SIZE  # what is saved as one is changed as one
        procedure = Update(fingerprints, make_record, self.lexical, size)
        report = yield from procedure.steps(deleted, delete_missing=delete_missing)
        yield from self._embed_missing()
        return report

    def perform(self, step: Step[object]) -> object:
        """Carry out a step."""
        match step:
            case ListDocuments():
                return self.records.names()
            case ReadRecords(names):
                return self.records.read(names)
            case WriteRecords(records, deleted):
                self.records.write(records, deleted)
                self._save_after(step)
            case AddLeaves(leaves) if self.leaves is not None:
                self.leaves.add(leaves)
            case DeleteLeaves(names) if self.leaves is not None:
                self.leaves.delete(names)
        return None

    async def aperform(self, step: Step[object]) -> object:
        """Carry out a step."""
        match step:
            case ListDocuments():
                return await self.records.anames()
            case ReadRecords(names):
                return await self.records.aread(names)
            case WriteRecords(records, deleted):
                await self.records.awrite(records, deleted)
                await asyncio.to_thread(self._save_after, step)
            case AddLeaves(leaves) if self.leaves is not None:
                await self.leaves.aadd(leaves)
            case DeleteLeaves(names) if self.leaves is not None:
                await self.leaves.adelete(names)
        return None

    def find(
        self, query: QueryBundle, options: RankingOptions, filters: MetadataFilters | None
    ) -> tuple[list[Hit], list[DocumentRecord]]:
        """Return the leaves that a question finds, the best first, and their documents."""
        found, proposals = self._lexical_hits(query, options, filters), list[Proposal]()
        if self.leaves is not None:
            proposals = self.leaves.find(query, options.fetch_k, filters)
        records = self.records.read(_names(proposals, found))
        is_filtered = filters is not None
        if self._can_tell(query) and not is_filtered:
            _warn_of_unknown(run(has_no_known_leaf(proposals, records), self.perform))
        return rank_leaves(proposals, found, records, options, is_filtered=is_filtered), records

    async def afind(
        self, query: QueryBundle, options: RankingOptions, filters: MetadataFilters | None
    ) -> tuple[list[Hit], list[DocumentRecord]]:
        """Return the leaves that a question finds, the best first, and their documents."""
        found, proposals = self._lexical_hits(query, options, filters), list[Proposal]()
        if self.leaves is not None:
            proposals = await self.leaves.afind(query, options.fetch_k, filters)
        records = await self.records.aread(_names(proposals, found))
        is_filtered = filters is not None
        if self._can_tell(query) and not is_filtered:
            asking = has_no_known_leaf(proposals, records)
            _warn_of_unknown(await run_async(asking, self.aperform))
        return rank_leaves(proposals, found, records, options, is_filtered=is_filtered), records

    def _can_tell(self, query: QueryBundle) -> bool:
        """Tell whether the answer to a question shows if a store of the caller's has leaves."""
        return self.leaves is not None and not self.leaves.is_in_memory and not is_empty(query)

    def save(self, *, is_finished: bool = True) -> None:
        """Write what is in memory to the folder; words only where they are today's."""
        if self.file is None:
            return
        records = self.records.records if isinstance(self.records, MemoryRecords) else None
        is_ours = self.leaves is not None and self.leaves.is_in_memory
        has_words = records is not None and is_finished
        snapshot = IndexSnapshot(
            None if records is None else [*records.values()],
            self.leaves.known() if self.leaves is not None and is_ours else None,
            self.lexical if has_words else None,
        )
        self.file.save(snapshot)
        self.is_saved = True

    def _save_after(self, step: WriteRecords) -> None:
        """Save after records were written: where vectors are in memory too, only the last time."""
        if step.is_last or (self.leaves is not None and not self.leaves.is_in_memory):
            self.save(is_finished=step.is_last)

    def _embed_missing(self) -> Procedure[None]:
        """Embed the leaves of stored records that have no vector in memory, as after a restart."""
        if self._is_complete or self.leaves is None or not self.leaves.is_in_memory:
            return
        names = yield from ListDocuments().ask()
        missing: list[tuple[DocumentRecord, LeafRecord]] = []
        for some in _batches(names):
            records = yield from ReadRecords(some).ask()
            known = self.leaves.known()
            pairs = [(record, leaf) for record in records for leaf in record.leaves]
            missing += [pair for pair in pairs if pair[1].leaf_id not in known]
        if missing:
            yield from AddLeaves(missing).ask()
        self._is_complete = True

    def _lexical_hits(
        self, query: QueryBundle, options: RankingOptions, filters: MetadataFilters | None
    ) -> list[Hit]:
        """Return what words find; filtered, they rank what the store proposes: any leaf."""
        lexical = self.lexical
        if lexical is None or not len(lexical):
            return []
        count = options.fetch_k if filters is None else len(lexical)
        return lexical.search(query.query_str, count)


def _names(proposals: Iterable[Proposal], found: Iterable[Hit]) -> list[str]:
    ids = [*(one.document_id for one in proposals), *(hit.document_id for hit in found)]
    return list(dict.fromkeys(ids))


def _batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield names, some at a time: stores are not asked for all documents at once."""
    for start in range(0, len(names), _BATCH_SIZE):
        yield names[start : start + _BATCH_SIZE]


def _warn_of_unknown(is_unknown: object) -> None:
    """Warn if a vector store has no leaf of the index."""
    if is_unknown:
        warn(UnknownLeavesWarning())


def _warn_of_unfinished(states: Sequence[str]) -> None:
    """Warn once of documents whose last update was not finished."""
    if states:
        warn(
            "an update was not finished; until the next one finishes it, these documents are "
            f"answered as they were before it or are after it: {', '.join(states)}"
        )
