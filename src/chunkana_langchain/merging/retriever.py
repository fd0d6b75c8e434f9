"""A retriever that finds chunks and returns what is best read: they themselves or their parents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.stores import BaseStore, InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from pydantic import ConfigDict, Field, model_validator

from chunkana_langchain import keys
from chunkana_langchain.merging.documents import merge_documents, missing
from chunkana_langchain.merging.scores import ScoredDocument, rank_documents
from chunkana_langchain.splitting.splitter import ChunkanaSplitter

_LEAVES, _PARENTS = "leaves.json", "parents.json"  # in the folder of a saved retriever


class ChunkanaAutoMergingRetriever(BaseRetriever):
    """Finds chunks, and returns their parents where enough of the children were found.

    Chunks come from a vector store or a retriever, parents from a store with what
    `ChunkanaSplitter.split_hierarchical` calls so. Chunks are ranked by their scores and the best
    ones of their section and document (`chunkana_retrieval.propagate_scores`). As many are taken,
    the best first, as make `k` documents after merging. Each document has the place and the `score`
    of the best chunk in it: what the vector store gave. Documents that are not from Chunkana pass
    as they are; no other score changes theirs, nor theirs another.

    Scores may count either way, similarities or distances. Those of a retriever are looked for in
    the metadata, as `score`; where they are not, or are in another order, ranks stand for them.

    Raises:
        ValueError: when made, unless there is either a vector store or a retriever.
        LookupError: when asked, if the store lacks a parent of a chunk that was found.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    docstore: BaseStore[str, Document]
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

    @model_validator(mode="after")
    def _require_one_source(self) -> ChunkanaAutoMergingRetriever:
        if (self.vectorstore is None) == (self.retriever is None):
            raise ValueError("give either a vectorstore or a retriever, to find chunks with")
        return self

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        k = self._count(k)
        if self.vectorstore is not None:
            found = _with_scores(
                self.vectorstore.similarity_search_with_score(query, **self._search(k))
            )
        else:
            config = RunnableConfig(callbacks=run_manager.get_child())
            found = _with_own_scores(cast("BaseRetriever", self.retriever).invoke(query, config))
        ranked = self._rank(found)
        parents: dict[str, Document] = {}
        while ids := missing([*(d for d, _ in ranked), *parents.values()], parents):
            parents |= _present(ids, self.docstore.mget(ids))
        return self._merge(ranked, parents, k)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        k = self._count(k)
        if self.vectorstore is not None:
            search = self.vectorstore.asimilarity_search_with_score(query, **self._search(k))
            found = _with_scores(await search)
        else:
            config = RunnableConfig(callbacks=run_manager.get_child())
            asked = cast("BaseRetriever", self.retriever).ainvoke(query, config)
            found = _with_own_scores(await asked)
        ranked = self._rank(found)
        parents: dict[str, Document] = {}
        while ids := missing([*(d for d, _ in ranked), *parents.values()], parents):
            parents |= _present(ids, await self.docstore.amget(ids))
        return self._merge(ranked, parents, k)

    def _count(self, k: int | None) -> int:
        """Return how many documents are asked for."""
        if k is not None and k < 1:
            raise ValueError(f"k is {k}; allowed: at least 1")
        return self.k if k is None else k

    def _search(self, k: int) -> dict[str, Any]:
        return {"k": max(k, self.fetch_k), **self.search_kwargs}

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

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        embedding: Embeddings,
        *,
        splitter: ChunkanaSplitter | None = None,
        vectorstore: VectorStore | None = None,
        docstore: BaseStore[str, Document] | None = None,
        folder: str | Path | None = None,
        **options: Any,
    ) -> ChunkanaAutoMergingRetriever:
        """Split documents, store chunks and parents, and return a retriever over them.

        Args:
            documents: with Markdown for page content.
            embedding: of the vector store, unless one is given.
            splitter: how to split; by default `ChunkanaSplitter()`.
            vectorstore: where chunks go; by default an in-memory one, which needs numpy.
            docstore: where parents go; by default an in-memory one.
            folder: where to save what is in memory, for `load`.
            options: of the retriever, like `k`.
        """
        leaves, parents = (splitter or ChunkanaSplitter()).split_hierarchical(documents)
        vectorstore = InMemoryVectorStore(embedding) if vectorstore is None else vectorstore
        docstore = InMemoryStore() if docstore is None else docstore
        if leaves:
            vectorstore.add_documents(leaves, ids=[leaf.id for leaf in leaves])
            docstore.mset(parents)
        made = cls(vectorstore=vectorstore, docstore=docstore, **options)
        if folder is not None:
            made.save(folder)
        return made

    def save(self, folder: str | Path) -> None:
        """Write the chunks with their vectors, and the parents, to a folder.

        Raises:
            TypeError: for stores that are not in memory, which keep what they have themselves,
                and for metadata that JSON does not know.
        """
        chunks, parents = self.vectorstore, self.docstore
        if not isinstance(chunks, InMemoryVectorStore) or not isinstance(parents, InMemoryStore):
            raise TypeError("only what is in memory can be saved; other stores keep it themselves")
        rows = [[key, d.page_content, d.metadata] for key, d in parents.store.items()]
        written = json.dumps(rows)  # before anything is on disk, since it may fail
        Path(folder).mkdir(parents=True, exist_ok=True)
        chunks.dump(str(Path(folder, _LEAVES)))
        Path(folder, _PARENTS).write_text(written, encoding="utf-8")

    @classmethod
    def load(
        cls, folder: str | Path, embedding: Embeddings, **options: Any
    ) -> ChunkanaAutoMergingRetriever:
        """Return a retriever over what `save` wrote.

        Args:
            folder: where that is.
            embedding: the same as was saved with; it embeds queries.
            options: of the retriever, like `k`.
        """
        vectorstore = InMemoryVectorStore.load(str(Path(folder, _LEAVES)), embedding)
        rows = json.loads(Path(folder, _PARENTS).read_text(encoding="utf-8"))
        docstore = InMemoryStore()
        docstore.mset([(i, Document(page_content=c, metadata=m, id=i)) for i, c, m in rows])
        return cls(vectorstore=vectorstore, docstore=docstore, **options)


def _with_scores(found: Iterable[tuple[Document, float]]) -> list[tuple[Document, object]]:
    """Put scores among the metadata too, where none of the caller's is."""
    return [
        (
            Document(
                page_content=document.page_content,
                metadata={keys.SCORE: float(score)} | document.metadata,
                id=document.id,
            ),
            float(score),
        )
        for document, score in found
    ]


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
