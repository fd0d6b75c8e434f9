"""A retriever that finds chunks and returns what is best read: they themselves or their parents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self, cast

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from pydantic import Field, PrivateAttr, model_validator

from chunkana_core import ConfigurationError
from chunkana_langchain import keys
from chunkana_langchain.indexing.leaves import Search, search
from chunkana_langchain.indexing.pages import DocumentPages, found_pages
from chunkana_langchain.indexing.retriever import IndexedRetriever, require_document_store
from chunkana_langchain.merging.documents import merge_documents, missing
from chunkana_langchain.merging.scores import ScoredDocument, rank_documents
from chunkana_langchain.splitting.mapping import copied
from chunkana_retrieval.indexing import Procedure, Question, SearchKind, call, run, run_async

_PAGES = 256  # documents of which chunks and parents are kept ready
_OPENED = (
    "that of the stores: open it with `from_documents([], vectorstore=…, docstore=…)`, or `load`"
)
_NO_DOCSTORE = (
    "give docstore=…, where the parents of chunks are, which no vector store has: "
    "`docstore.mset(splitter.split_hierarchical(documents).parents)`"
)
_NO_ARGUMENTS = "{} with `retriever`, which is asked as it is; give them to that one"


class ChunkanaAutoMergingRetriever(IndexedRetriever):
    """Finds chunks, and returns their parents where enough of the children were found.

    `from_documents` and `load` make one over an index, which `update` and `delete` bring to today's
    documents. Over stores that you fill yourself, chunks come from a vector store or a retriever,
    and parents from a store with what `ChunkanaSplitter.split_hierarchical` calls so.

    Chunks are ranked by their scores and the best ones of their section and document
    (`chunkana_retrieval.propagate_scores`). As many are taken, the best first, as make `k`
    documents after merging. Each document has the place and the `score` of the best chunk in it:
    what the vector store gave. Documents that are not from Chunkana pass as they are; no other
    score changes theirs, nor theirs another.

    Scores may count either way, similarities or distances. Those of a retriever are looked for in
    the metadata, as `score`; where they are not, or are in another order, ranks stand for them.

    Raises:
        ValueError: when made, unless there is either a vector store or a retriever.
        LookupError: when asked, if the store lacks a parent of a chunk that was found.
    """

    with_parents: ClassVar[bool] = True
    other_names: ClassVar[Mapping[str, str]] = {
        "filter": "search_kwargs={'filter': …}",
        "store": "docstore",
        "text_splitter": "splitter",
        "top_k": "k, how many documents are returned, or fetch_k, how many chunks are found",
    }

    docstore: BaseStore[str, Document] | None = None
    """Parents by id; `docstore.mset(splitter.split_hierarchical(documents).parents)`."""
    vectorstore: VectorStore | None = None
    """Where chunks are found."""
    retriever: BaseRetriever | None = None
    """What finds chunks, instead."""
    k: int = Field(default=4, ge=1)
    """How many documents to return, if there are so many."""
    fetch_k: int = Field(default=30, ge=1)
    """How many chunks to ask the vector store for, at least `k`; so many best ones take part."""
    section_weight: float = Field(default=0.4, ge=0.0, allow_inf_nan=False)
    """How much the best score of a chunk's section counts beside its own; 0 for nothing."""
    document_weight: float = Field(default=0.2, ge=0.0, allow_inf_nan=False)
    """How much the best score of a chunk's document counts beside its own; 0 for nothing."""
    ratio: float = Field(default=0.5, ge=0.0, le=1.0)
    """A parent replaces its children where more than this part of them was found."""
    max_parent_size: int | None = Field(default=None, ge=1)
    """The largest parent to return, in characters of its text; None for any in the store."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Further arguments of the vector store's search, like a filter."""
    _pages_of: Callable[[str], DocumentPages] = PrivateAttr(
        default_factory=lambda: lru_cache(_PAGES)(DocumentPages.from_json)
    )

    @model_validator(mode="after")
    def _require_one_source(self) -> Self:
        if self.index is None:
            if (self.vectorstore is None) == (self.retriever is None):
                raise ValueError("give either a vectorstore or a retriever, to find chunks with")
            if self.docstore is None:
                raise ValueError(_NO_DOCSTORE)
            require_document_store(self.docstore)
        if self.retriever is not None and self.search_kwargs:
            raise ConfigurationError("search_kwargs", self.search_kwargs, _NO_ARGUMENTS)
        return self

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        **search_kwargs: Any,
    ) -> list[Document]:
        config = RunnableConfig(callbacks=run_manager.get_child())
        return run(self._found(query, self._count(k), search_kwargs, config))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        **search_kwargs: Any,
    ) -> list[Document]:
        config = RunnableConfig(callbacks=run_manager.get_child())
        return await run_async(self._found(query, self._count(k), search_kwargs, config))

    def _found(
        self, query: str, k: int, search_kwargs: Mapping[str, Any], config: RunnableConfig
    ) -> Procedure[list[Document]]:
        """Return k chunks and parents."""
        asked, parents = Search(query, self._arguments(k, search_kwargs)), dict[str, Document]()
        if self.index is not None:
            question = Question(query, 0, asked, asked.is_filtered)
            leaves, parents = found_pages((yield from self.index.find(question)), self._pages_of)
            return self._merge(self._rank(_with_scores(leaves)), parents, k)
        if self.retriever is not None:
            asking, later = self.retriever.invoke, self.retriever.ainvoke
            found = _with_own_scores((yield from call(asking, later, query, config)))
        else:
            vectorstore = cast("VectorStore", self.vectorstore)
            found = _with_scores((yield from search(vectorstore, asked)))
        _require_own_leaves(found)
        ranked, docstore = self._rank(found), cast("BaseStore[str, Document]", self.docstore)
        while ids := missing([*(d for d, _ in ranked), *parents.values()], parents):
            parents |= _present(ids, (yield from call(docstore.mget, docstore.amget, ids)))
        return self._merge(ranked, parents, k)

    def _count(self, k: int | None) -> int:
        """Return how many documents are asked for."""
        if k is not None and k < 1:
            raise ValueError(f"k is {k}; allowed: at least 1")
        return self.k if k is None else k

    def _arguments(self, k: int, search_kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the vector store's search for one question."""
        if self.retriever is not None and search_kwargs:
            raise ConfigurationError("search_kwargs", {**search_kwargs}, _NO_ARGUMENTS)
        return {"k": max(k, self.fetch_k), **self.search_kwargs, **search_kwargs}

    def _rank(self, found: Sequence[tuple[Document, object]]) -> list[ScoredDocument]:
        """Return what was found by its propagated scores, the best first."""
        return rank_documents(
            found,
            section_weight=self.section_weight,
            document_weight=self.document_weight,
            top_k=self.fetch_k,
        )

    def _merge(
        self, ranked: Sequence[ScoredDocument], parents: Mapping[str, Document], k: int
    ) -> list[Document]:
        """Merge as many of the best chunks as make k documents."""
        count, merged = 0, list[Document]()
        while len(merged) < k and count < len(ranked):
            count += k - len(merged)
            merged = merge_documents(
                ranked[:count], parents, ratio=self.ratio, max_parent_size=self.max_parent_size
            )
        return merged[:k]

    def save(self, folder: str | Path) -> None:
        """Write what is in memory to a folder, in place of what is there, or not at all.

        Raises:
            TypeError: for a retriever over stores of the caller's, which keep what they have.
        """
        if self.index is None:
            raise TypeError(
                "only what is in memory can be saved, of a retriever that `from_documents` made; "
                "other stores keep it themselves"
            )
        self.index.stores.save_to(folder)

    @classmethod
    def _search_kind(cls, options: Mapping[str, Any]) -> SearchKind:  # noqa: ARG003
        return "dense"


def _require_own_leaves(found: Sequence[tuple[Document, object]]) -> None:
    """Raise an error for leaves of an index, whose parents only the index knows.

    Raises:
        ConfigurationError: saying how to open the index.
    """
    for document, _ in found:
        if keys.LEAF_ID in document.metadata:
            raise ConfigurationError("index", None, _OPENED)


def _with_scores(found: Iterable[tuple[Document, float | None]]) -> list[tuple[Document, object]]:
    """Put scores among the metadata too, where none of the caller's is."""
    return [
        (
            Document(
                page_content=document.page_content,
                metadata=_score(score) | copied(document.metadata),
                id=document.id,
            ),
            None if score is None else float(score),
        )
        for document, score in found
    ]


def _score(score: float | None) -> dict[str, Any]:
    return {} if score is None else {keys.SCORE: float(score)}


def _with_own_scores(found: Iterable[Document]) -> list[tuple[Document, object]]:
    """Return documents with the scores in their metadata, None for none."""
    return [(document, document.metadata.get(keys.SCORE)) for document in found]


def _present(ids: Sequence[str], parents: Sequence[Document | None]) -> dict[str, Document]:
    """Return parents by their ids.

    Raises:
        LookupError: if one is not there.
    """
    present = {}
    for key, parent in zip(ids, parents, strict=True):
        if parent is None:
            raise LookupError(
                f"the docstore has no parent {key!r} of a chunk that was found; store "
                "`splitter.split_hierarchical(documents).parents` there with `docstore.mset`"
            )
        present[key] = Document(page_content=parent.page_content, metadata=parent.metadata, id=key)
    return present
