"""The auto-merging retriever, which returns found chunks or their parents."""

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
from chunkana_langchain.keys import copied
from chunkana_langchain.merging.documents import merge_documents, missing_parent_ids
from chunkana_langchain.merging.scores import ScoredDocument, rank_documents
from chunkana_retrieval.checks import require_count
from chunkana_retrieval.indexing import Procedure, Question, SearchKind, call, run, run_async

_PAGES = 256  # documents whose chunks and parents are cached
_NEEDS_INDEX = (
    "that of the stores: open it with `from_documents([], vectorstore=…, docstore=…)`, or `load`"
)
_NO_DOCSTORE = (
    "give docstore=…, where the parents of chunks are, since vector stores contain only chunks: "
    "`docstore.mset(splitter.split_hierarchical(documents).parents)`"
)
_NO_ARGUMENTS = "{} with `retriever`, which is called without them; give them to that one"


class ChunkanaAutoMergingRetriever(IndexedRetriever):
    """A retriever that finds chunks, and returns their parents if enough children were found.

    `from_documents` and `load` create a retriever over an index, which `update` and `delete`
    change. With stores that you fill yourself, chunks come from a vector store or a retriever, and
    parents from a document store with the parents of `ChunkanaSplitter.split_hierarchical`.

    Chunks are ranked by their scores and the best scores of their section and document
    (`chunkana_retrieval.propagate_scores`). The best chunks are merged, as many as are needed for
    `k` documents. Each document has the rank of the best chunk in it, and that chunk's `score` from
    the vector store. Documents that are not from Chunkana are returned unchanged; no scores are
    propagated to or from them.

    Scores may be similarities or distances. The scores of a retriever are read from the metadata
    key `score`; if one is missing, or if they are not in order, ranks replace them.

    Raises:
        ValueError: at creation, without exactly one of a vector store and a retriever.
        LookupError: during a search, if the document store lacks the parent of a found chunk.
    """

    with_parents: ClassVar[bool] = True
    other_names: ClassVar[Mapping[str, str]] = {
        "filter": "search_kwargs={'filter': …}",
        "store": "docstore",
        "text_splitter": "splitter",
        "top_k": "k, the number of documents to return, or fetch_k, the number of chunks to find",
    }

    docstore: BaseStore[str, Document] | None = None
    """Parents by id, as `docstore.mset(splitter.split_hierarchical(documents).parents)` stores."""
    vectorstore: VectorStore | None = None
    """The vector store that finds chunks."""
    retriever: BaseRetriever | None = None
    """The retriever that finds chunks, instead of a vector store."""
    k: int = Field(default=4, ge=1, strict=True)
    """The maximum number of documents to return."""
    fetch_k: int = Field(default=30, ge=1, strict=True)
    """The number of chunks to request from the vector store (at least `k`) and to rank."""
    section_weight: float = Field(default=0.4, ge=0.0, allow_inf_nan=False, strict=True)
    """The weight of the best score of a chunk's section, relative to its own; 0 to ignore it."""
    document_weight: float = Field(default=0.2, ge=0.0, allow_inf_nan=False, strict=True)
    """The weight of the best score of a chunk's document, relative to its own; 0 to ignore it."""
    ratio: float = Field(default=0.5, ge=0.0, le=1.0, strict=True)
    """The ratio of found children above which a parent replaces its children."""
    max_parent_size: int | None = Field(default=None, ge=1, strict=True)
    """The size limit of parents to return, in characters of their text; None for no limit."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Further arguments of the vector store's search, such as a filter."""
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
        return run(self._retrieve(query, self._count(k), search_kwargs, config))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        **search_kwargs: Any,
    ) -> list[Document]:
        config = RunnableConfig(callbacks=run_manager.get_child())
        return await run_async(self._retrieve(query, self._count(k), search_kwargs, config))

    def _retrieve(
        self, query: str, k: int, search_kwargs: Mapping[str, Any], config: RunnableConfig
    ) -> Procedure[list[Document]]:
        """Return at most `k` chunks and parents for a query."""
        asked, parents = Search(query, self._arguments(k, search_kwargs)), dict[str, Document]()
        if self.index is not None:
            question = Question(query, 0, asked, asked.is_filtered)
            leaves, parents = found_pages((yield from self.index.find(question)), self._pages_of)
            return self._merge(self._rank(_with_scores(leaves)), parents, k)
        if self.retriever is not None:
            now, later = self.retriever.invoke, self.retriever.ainvoke
            found = _with_metadata_scores((yield from call(now, later, query, config)))
        else:
            vectorstore = cast("VectorStore", self.vectorstore)
            found = _with_scores((yield from search(vectorstore, asked)))
        _require_no_index(found)
        ranked, docstore = self._rank(found), cast("BaseStore[str, Document]", self.docstore)
        while ids := missing_parent_ids([*(d for d, _ in ranked), *parents.values()], parents):
            parents |= _by_id(ids, (yield from call(docstore.mget, docstore.amget, ids)))
        return self._merge(ranked, parents, k)

    def _count(self, k: int | None) -> int:
        """Return the number of documents to return for one query."""
        if k is None:
            return self.k
        require_count("k", k, 1)
        return k

    def _arguments(self, k: int, search_kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the vector store's search for one query."""
        if self.retriever is not None and search_kwargs:
            raise ConfigurationError("search_kwargs", {**search_kwargs}, _NO_ARGUMENTS)
        return {"k": max(k, self.fetch_k), **self.search_kwargs, **search_kwargs}

    def _rank(self, found: Sequence[tuple[Document, object]]) -> list[ScoredDocument]:
        """Return found documents with propagated scores, the best first."""
        return rank_documents(
            found,
            section_weight=self.section_weight,
            document_weight=self.document_weight,
            top_k=self.fetch_k,
        )

    def _merge(
        self, ranked: Sequence[ScoredDocument], parents: Mapping[str, Document], k: int
    ) -> list[Document]:
        """Merge as many of the best chunks as are needed for `k` documents."""
        count, merged = 0, list[Document]()
        while len(merged) < k and count < len(ranked):
            count += k - len(merged)
            merged = merge_documents(
                ranked[:count], parents, ratio=self.ratio, max_parent_size=self.max_parent_size
            )
        return merged[:k]

    def save(self, folder: str | Path) -> None:
        """Save everything in memory to a folder atomically, replacing an index there.

        Raises:
            TypeError: for a retriever without an index, whose data are in the caller's stores.
        """
        if self.index is None:
            raise TypeError(
                "only what is in memory can be saved, and this retriever was not made by "
                "`from_documents` or `load`: its data are in your stores"
            )
        self.index.stores.save_to(folder)

    @classmethod
    def _search_kind(cls, options: Mapping[str, Any]) -> SearchKind:  # noqa: ARG003
        return "dense"


def _require_no_index(found: Sequence[tuple[Document, object]]) -> None:
    """Raise a ConfigurationError for leaves of an index, whose parents are only in the index."""
    for document, _ in found:
        if keys.LEAF_ID in document.metadata:
            raise ConfigurationError("index", None, _NEEDS_INDEX)


def _with_scores(found: Iterable[tuple[Document, float | None]]) -> list[tuple[Document, object]]:
    """Return copies of documents with the score in the metadata; the caller's `score` is kept."""
    return [
        (
            Document(
                page_content=document.page_content,
                metadata=_score_metadata(score) | copied(document.metadata),
                id=document.id,
            ),
            None if score is None else float(score),
        )
        for document, score in found
    ]


def _score_metadata(score: float | None) -> dict[str, Any]:
    return {} if score is None else {keys.SCORE: float(score)}


def _with_metadata_scores(found: Iterable[Document]) -> list[tuple[Document, object]]:
    """Return documents with the scores from their metadata, None for no score."""
    return [(document, document.metadata.get(keys.SCORE)) for document in found]


def _by_id(ids: Sequence[str], parents: Sequence[Document | None]) -> dict[str, Document]:
    """Return parents by id.

    Raises:
        LookupError: if a parent is missing.
    """
    by_id = {}
    for key, parent in zip(ids, parents, strict=True):
        if parent is None:
            raise LookupError(
                f"the docstore has no parent {key!r} of a chunk that was found; store "
                "`splitter.split_hierarchical(documents).parents` there with `docstore.mset`"
            )
        by_id[key] = Document(page_content=parent.page_content, metadata=parent.metadata, id=key)
    return by_id
