"""An index of documents: what a retriever searches, and what an update changes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from langchain_core.documents import Document
from langchain_core.runnables import run_in_executor

from chunkana_langchain.indexing.documents import SourceDocuments
from chunkana_langchain.indexing.leaves import MemoryLeaves
from chunkana_langchain.indexing.pages import DocumentPages
from chunkana_langchain.indexing.stores import IndexStores, UpdateRun
from chunkana_langchain.splitting.splitter import ChunkanaSplitter
from chunkana_retrieval import Hit, UnknownLeavesWarning
from chunkana_retrieval.indexing import (
    DocumentRecord,
    Proposal,
    RankingOptions,
    Update,
    UpdateLock,
    UpdateReport,
    has_no_known_leaf,
    rank_leaves,
    run,
    run_async,
)

_BATCH = 256  # documents that are changed together
_PAGES = 256  # documents of which chunks and parents are kept ready
_NO_FILTERS = frozenset({"k", "fetch_k"})  # search arguments that leave no leaf out


@dataclass(frozen=True, slots=True)
class Ranking:
    """The leaves that a question found.

    Attributes:
        hits: the best first.
        records: of their documents, by id.
    """

    hits: Sequence[Hit]
    records: Mapping[str, DocumentRecord]


@dataclass(frozen=True, slots=True)
class FoundPages:
    """Chunks that a vector store found.

    Attributes:
        leaves: with its scores, the best first.
        parents: by their ids, of all documents that these are of.
    """

    leaves: Sequence[tuple[Document, float | None]]
    parents: Mapping[str, Document]


class DocumentIndex:
    """Documents in stores, searched and brought up to date.

    Attributes:
        stores: what is known of the documents.
        splitter: makes chunks of documents.
        with_parents: whether records have the parents of chunks too.
    """

    def __init__(
        self, stores: IndexStores, splitter: ChunkanaSplitter, *, with_parents: bool = False
    ) -> None:
        self.stores, self.splitter, self.with_parents = stores, splitter, with_parents
        self._updating = UpdateLock()
        self._pages = lru_cache(_PAGES)(DocumentPages.from_json)

    def find(self, query: str, arguments: Mapping[str, Any]) -> FoundPages:
        """Return chunks that the vector store finds, as they are today."""
        leaves = self.stores.leaves
        proposals = [] if leaves is None else leaves.search(query, arguments)
        records = self.stores.records.read(_document_ids(proposals, []))
        self._check(proposals, records, arguments)
        return self._found(proposals, records)

    async def afind(self, query: str, arguments: Mapping[str, Any]) -> FoundPages:
        """Return chunks that the vector store finds, as they are today."""
        leaves = self.stores.leaves
        proposals = [] if leaves is None else await leaves.asearch(query, arguments)
        records = await self.stores.records.aread(_document_ids(proposals, []))
        await self._acheck(proposals, records, arguments)
        return self._found(proposals, records)

    def _found(
        self, proposals: Sequence[Proposal], records: Sequence[DocumentRecord]
    ) -> FoundPages:
        """Return what was proposed that is in a record, and all parents in its document."""
        leaves, parents = dict[tuple[str, str], Document](), dict[str, Document]()
        for record in records:
            pages = self._pages(record.attachment)
            parents |= pages.parents
            for leaf in record.leaves:
                if page := pages.leaves.get(leaf.chunk_id):
                    leaves[record.document_id, leaf.leaf_id] = page
        found = [
            (leaves[proposal.document_id, proposal.leaf_id], proposal.score)
            for proposal in proposals
            if (proposal.document_id, proposal.leaf_id) in leaves
        ]
        return FoundPages(found, parents)

    def search(self, query: str, options: RankingOptions, arguments: Mapping[str, Any]) -> Ranking:
        """Return what is found, with search arguments of the vector store's."""
        leaves, proposals = self.stores.leaves, list[Proposal]()
        if leaves is not None and options.search != "lexical":
            proposals = leaves.search(query, {"k": options.fetch_k, **arguments})
        found = self._find_words(query, options, arguments)
        records = self.stores.records.read(_document_ids(proposals, found))
        if options.search != "lexical":
            self._check(proposals, records, arguments)
        return _rank(proposals, found, records, options, arguments)

    async def asearch(
        self, query: str, options: RankingOptions, arguments: Mapping[str, Any]
    ) -> Ranking:
        """Return what is found, with search arguments of the vector store's."""
        leaves, proposals = self.stores.leaves, list[Proposal]()
        if leaves is not None and options.search != "lexical":
            proposals = await leaves.asearch(query, {"k": options.fetch_k, **arguments})
        found = await run_in_executor(None, self._find_words, query, options, arguments)
        records = await self.stores.records.aread(_document_ids(proposals, found))
        if options.search != "lexical":
            await self._acheck(proposals, records, arguments)
        return _rank(proposals, found, records, options, arguments)

    def update(
        self,
        documents: Iterable[Document],
        deleted: Sequence[str] = (),
        *,
        delete_missing: bool = False,
        is_new: bool = False,
    ) -> UpdateReport:
        """Bring the index to today's documents, and delete others."""
        procedure = self._procedure(documents).steps(deleted, delete_missing=delete_missing)
        with self._updating:
            self.stores.require_latest()
            updating = UpdateRun(self.stores, is_new)
            with updating.saving():
                return run(procedure, updating.perform)

    async def aupdate(
        self,
        documents: Iterable[Document],
        deleted: Sequence[str] = (),
        *,
        delete_missing: bool = False,
        is_new: bool = False,
    ) -> UpdateReport:
        """Bring the index to today's documents, and delete others."""
        procedure = self._procedure(documents).steps(deleted, delete_missing=delete_missing)
        async with self._updating:
            self.stores.require_latest()
            updating = UpdateRun(self.stores, is_new)
            async with updating.asaving():
                return await run_async(procedure, updating.aperform)

    def _check(
        self,
        proposals: Sequence[Proposal],
        records: Sequence[DocumentRecord],
        arguments: Mapping[str, Any],
    ) -> None:
        """Warn if a vector store of the caller's has no leaf of the index."""
        if self._can_tell(arguments):
            asking = has_no_known_leaf(proposals, records)
            _warn_of_unknown(run(asking, UpdateRun(self.stores).perform))

    async def _acheck(
        self,
        proposals: Sequence[Proposal],
        records: Sequence[DocumentRecord],
        arguments: Mapping[str, Any],
    ) -> None:
        """Do what `_check` does, asynchronously."""
        if self._can_tell(arguments):
            asking = has_no_known_leaf(proposals, records)
            _warn_of_unknown(await run_async(asking, UpdateRun(self.stores).aperform))

    def _can_tell(self, arguments: Mapping[str, Any]) -> bool:
        """Tell whether a search shows if a vector store of the caller's has leaves."""
        leaves = self.stores.leaves
        is_external = leaves is not None and not isinstance(leaves, MemoryLeaves)
        return is_external and not _filters(arguments)

    def _procedure(self, documents: Iterable[Document]) -> Update:
        """Return an update to documents that were checked."""
        found = SourceDocuments.of(documents, self.splitter, with_parents=self.with_parents)
        return Update(found.fingerprints, found.record, self.stores.lexical, _BATCH)

    def _find_words(
        self, query: str, options: RankingOptions, arguments: Mapping[str, Any]
    ) -> list[Hit]:
        lexical = self.stores.lexical
        if lexical is None or options.search == "dense" or not len(lexical):
            return []
        # Filtered, words rank what the vector store proposes, which may be any leaf.
        return lexical.search(query, len(lexical) if _filters(arguments) else options.fetch_k)


def _warn_of_unknown(is_unknown: object) -> None:
    """Warn who asks, if a vector store has no leaf of the index."""
    if is_unknown:
        warnings.warn(UnknownLeavesWarning(), stacklevel=6)  # of `invoke`


def _filters(arguments: Mapping[str, Any]) -> bool:
    """Tell whether search arguments leave leaves out."""
    return not _NO_FILTERS.issuperset(arguments)


def _document_ids(proposals: Iterable[Proposal], found: Iterable[Hit]) -> list[str]:
    """Return the ids of all documents of both searches."""
    proposed = [proposal.document_id for proposal in proposals]
    return [*dict.fromkeys([*proposed, *(hit.document_id for hit in found)])]


def _rank(
    proposals: Sequence[Proposal],
    found: Sequence[Hit],
    records: Sequence[DocumentRecord],
    options: RankingOptions,
    arguments: Mapping[str, Any],
) -> Ranking:
    hits = rank_leaves(proposals, found, records, options, is_filtered=_filters(arguments))
    return Ranking(hits, {record.document_id: record for record in records})
