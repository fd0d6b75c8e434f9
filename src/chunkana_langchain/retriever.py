"""The retriever, which keeps an index of documents and returns passages or parents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from chunkana_core.extending import require_known_arguments
from chunkana_langchain.compressor import found_documents, passage_document, reranked
from chunkana_langchain.embeddings import embedder_of
from chunkana_langchain.keys import copied
from chunkana_langchain.options import OTHER_NAMES, RetrieverOptions
from chunkana_langchain.sources import source_documents
from chunkana_langchain.text_splitter import ChunkanaSplitter, splitter_arguments
from chunkana_langchain.vector_store import VectorStoreLeaves, asearch, search
from chunkana_retrieval import (
    Found,
    Index,
    SearchOptions,
    UpdateReport,
)
from chunkana_retrieval.adapting import DocumentRetriever, LoopRunner, call_in_thread, names_of
from chunkana_retrieval.index import Embedder, StoreHit

Progress = Callable[[int, int], None]
_OPENING = ("folder", "tokenize", "timeout")  # arguments of an index
_NO_FILTERS = frozenset({"k", "fetch_k"})  # arguments of a store's search that are not filters


class ChunkanaRetriever(DocumentRetriever[Document], RetrieverOptions):
    r"""A retriever with dense and lexical search that returns passages within a budget, or parents.

    `from_documents` and `load` create the retriever; `update` and `delete` change its index, which
    is one SQLite database in a folder or in memory. Every option can also be passed for one
    question, as in `invoke(query, budget=2000)`, and be set later, as in `retriever.k = 3`.

    Passages consist of exact slices of the documents. The metadata of a passage are the caller's
    metadata of its document, and `spans`, `lines`, `start_line`, `end_line`, `path`, `chunk_ids`,
    `score`, `similarity`, `bm25` and `chunkana_document_id`; if the caller's metadata have the same
    key, the caller's value is kept. The size of `"\n\n".join` of all page contents never exceeds
    the budget.

    The id of a document is its `id`, else its `source`, to which `page` and the like are appended
    as in `book.pdf#page=3`.

    Raises:
        ValueError: at creation, for invalid values and unknown arguments.

    >>> from langchain_core.documents import Document
    >>> document = Document("# Tea\n\nBoil water.\n", metadata={"source": "tea.md"})
    >>> retriever = ChunkanaRetriever.from_documents([document], search="lexical")
    >>> (passage,) = retriever.invoke("Which water?")
    >>> passage.page_content, passage.metadata["source"], passage.metadata["start_line"]
    ('# Tea\n\nBoil water.', 'tea.md', 1)
    """

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        folder = self.index.folder and str(self.index.folder)
        own = {"documents": len(self.index), "folder": folder, "search": self.search}
        yield from {**own, **dict(super().__repr_args__())}.items()

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        embedding: Embeddings | None = None,
        *,
        splitter: ChunkanaSplitter | None = None,
        vectorstore: VectorStore | None = None,
        folder: str | Path | None = None,
        progress: Progress | None = None,
        **options: Any,
    ) -> Self:
        """Index documents, and return a retriever over them.

        An index in the folder is updated to these documents, so that a build that was interrupted
        continues.

        Args:
            documents: whole documents, as a loader returns them.
            embedding: the embedding model; required unless a `vectorstore` is given or the search
                is lexical.
            splitter: the splitter of the documents; by default `ChunkanaSplitter()`.
            vectorstore: the store of chunks, which uses its own embedding; by default vectors are
                in the index.
            folder: the folder of the index; by default the index is in memory.
            progress: is called with the number of finished documents and of all documents.
            options: options of the retriever, and of its index: `tokenize`, which returns the
                search words of a text, and `timeout`, the seconds to wait for other processes.

        Raises:
            ConfigurationError: naming the argument, before anything is embedded.
        """
        parts = {"embedding": embedding, "splitter": splitter, "vectorstore": vectorstore}
        retriever = cls._opened(Index, {"folder": folder, **parts, **options})
        cls._index_exactly(retriever, documents, progress=progress)
        return retriever

    @classmethod
    async def afrom_documents(
        cls, documents: Iterable[Document], embedding: Embeddings | None = None, **options: Any
    ) -> Self:
        """Index documents asynchronously; for the options see `from_documents`."""
        progress = options.pop("progress", None)
        retriever = cls._opened(Index, {"embedding": embedding, **options})
        index = partial(cls._index_exactly, retriever, documents, progress=progress)
        await call_in_thread(index)
        return retriever

    @classmethod
    def load(
        cls,
        folder: str | Path,
        embedding: Embeddings | None = None,
        *,
        splitter: ChunkanaSplitter | None = None,
        vectorstore: VectorStore | None = None,
        **options: Any,
    ) -> Self:
        """Return a retriever over the index in a folder, with the parts that it was made with.

        Args:
            folder: the folder that was passed to `from_documents`.
            embedding: the same embedding as for `from_documents`.
            splitter: the same splitter as for `from_documents`, for updates.
            vectorstore: the vector store that was passed to `from_documents`, with its content.
            options: options of the retriever and its index, see `from_documents`.

        Raises:
            ConfigurationError: for an embedding of another model, or a missing vector store.
            IndexFileError: naming the file, if it is damaged or of another version.
            FileNotFoundError: if the folder has no index.
        """
        parts = {"embedding": embedding, "splitter": splitter, "vectorstore": vectorstore}
        retriever = cls._opened(Index.load, {"folder": folder, **parts, **options})
        cls._require_fitting(retriever)
        return retriever

    @classmethod
    async def aload(
        cls, folder: str | Path, embedding: Embeddings | None = None, **options: Any
    ) -> Self:
        """Load the index in a folder asynchronously; for the options see `load`."""
        given = {"folder": folder, "embedding": embedding, **options}
        retriever = cls._opened(Index.load, given)
        await call_in_thread(partial(cls._require_fitting, retriever))
        return retriever

    def update(
        self,
        documents: Iterable[Document],
        *,
        delete_missing: bool = False,
        progress: Progress | None = None,
    ) -> UpdateReport:
        """Index new and changed documents; unchanged documents are skipped.

        Args:
            documents: whole documents, the changed ones and any others.
            delete_missing: whether to delete all documents of the index that are not in
                `documents`; an error if `documents` is empty.
            progress: is called with the number of finished documents and of all documents.

        Returns:
            A report of the documents that were added, changed and deleted, and that failed.

        Raises:
            ConfigurationError: naming the argument, before anything is changed.
        """
        return self._update(documents, delete_missing=delete_missing, progress=progress)

    async def aupdate(self, documents: Iterable[Document], **options: Any) -> UpdateReport:
        """Index new and changed documents asynchronously; for the options see `update`."""
        return await call_in_thread(lambda run: self._update(documents, run, **options))

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        if options:
            retriever = self.for_question(options)
            return retriever._get_relevant_documents(query, run_manager=run_manager)  # noqa: SLF001
        vector, store_hits = None, None
        if self.search != "lexical" and self.vectorstore is not None:
            store_hits = search(self.vectorstore, query, self._search_arguments)
        elif self.search != "lexical" and self.embedding is not None:
            vector = self.embedding.embed_query(query)
        found = self._find(query, vector, store_hits)
        if self.compressor is not None:
            given, callbacks = found_documents(found), run_manager.get_child()
            ranked = self.compressor.compress_documents(given, query, callbacks)
            found = reranked(found, ranked)
        return self._read(found)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        if options:
            retriever = self.for_question(options)
            return await retriever._aget_relevant_documents(query, run_manager=run_manager)  # noqa: SLF001
        vector, store_hits = None, None
        if self.search != "lexical" and self.vectorstore is not None:
            store_hits = await asearch(self.vectorstore, query, self._search_arguments)
        elif self.search != "lexical" and self.embedding is not None:
            vector = await self.embedding.aembed_query(query)
        found = await asyncio.to_thread(self._find, query, vector, store_hits)
        if self.compressor is not None:
            given, callbacks = found_documents(found), run_manager.get_child()
            ranked = await self.compressor.acompress_documents(given, query, callbacks)
            found = reranked(found, ranked)
        return await asyncio.to_thread(self._read, found)

    def _find(
        self, query: str, vector: Sequence[float] | None, store_hits: Sequence[StoreHit] | None
    ) -> Found:
        """Search the index with a question's vector, or with what a vector store found for it."""
        options, chosen = self.options_of(SearchOptions), self.filter
        if store_hits is not None:
            is_filtered = not _NO_FILTERS.issuperset(self._search_arguments)
            return self.index.search(query, options, store_hits=store_hits, is_filtered=is_filtered)
        where = (lambda one: chosen(Document("", metadata=one))) if callable(chosen) else chosen
        return self.index.search(query, options, vector=vector, where=where)

    def _read(self, found: Found) -> list[Document]:
        """Return the passages or parents of found leaves."""
        records = found.records
        return [
            passage_document(passage, copied(records[passage.document_id].metadata))
            for passage in self.passages_of(found)
        ]

    @property
    def _search_arguments(self) -> dict[str, Any]:
        """The arguments of the vector store's search."""
        filters = {} if self.filter is None else {"filter": self.filter}
        return {"k": self.fetch_k, **self.search_kwargs, **filters}

    def _update(
        self, documents: Iterable[Document], run: LoopRunner | None = None, **changes: Any
    ) -> UpdateReport:
        store, (embedder, leaves) = self.vectorstore, self._target(run)
        sources = source_documents(
            documents, self.splitter, self.embedding if store is None else store.embeddings
        )
        return self.index.update_sources(sources, embedder=embedder, store=leaves, **changes)

    def _target(self, run: LoopRunner | None) -> tuple[Embedder | None, VectorStoreLeaves | None]:
        embedder = embedder_of(self.embedding, self.model_name, run)
        return embedder, VectorStoreLeaves.of(self.vectorstore, run)

    @classmethod
    def _opened(cls, open_index: Callable[..., Index], options: dict[str, Any]) -> Self:
        """Check all arguments, and return a retriever over the index in a folder."""
        allowed = {*names_of(cls.from_documents), *cls.model_fields, *_OPENING}
        others = {name: f"splitter=ChunkanaSplitter({name}=…)" for name in splitter_arguments()}
        require_known_arguments(
            options, allowed - {"index", "documents"}, {**others, **OTHER_NAMES}
        )
        opening = {name: options.pop(name) for name in _OPENING if name in options}
        fields = {**options, "splitter": options.get("splitter") or ChunkanaSplitter()}
        cls.model_construct(**fields).require_valid()  # before an index is made
        return cls(index=open_index(**opening), **fields)
